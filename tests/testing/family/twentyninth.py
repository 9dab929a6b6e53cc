"""Hold a twenty-ninth family: additions, casts, activations, fused operators, sums, maxima.

Half of the bases are as students hand in in the first weeks of a course, half as juniors write
for a small library of operators. The causes were written before a member was judged. On the
emulator each member ran beside PyTorch: bases and right ones are right, and 75 of the 77 wrong
ones wrong, or refused by a fault, some only so:

    xxix_add_vec_if                     from 4,097 elements on
    xxix_add_vec_grid_dim               from 497 elements on
    xxix_add_pairs_half_guard           of an odd number of elements
    xxix_add_pairs_guard_of_three       of an even number of elements
    xxix_add_pairs_no_thread_for_last   if n is odd and n / 2 a multiple of 128
    xxix_add_pairs_not_doubled          from 3 elements on
    xxix_add_coarse_no_end              if n is no multiple of 4
    xxix_add_coarse_three               from 4 elements on
    xxix_add_coarse_floats              of numbers past 2^24
    xxix_add_coarse_blocks_down         if n is no multiple of four blocks' sizes
    xxix_add_axpby_factors_swapped      if the factors differ
    xxix_add_axpby_bf16_factors         by factors, or of products, that no bfloat16 has
    xxix_add_axpby_no_beta              if beta is not 1
    xxix_add_axpby_greater              if n is no multiple of the block size
    xxix_cast_quant_cut                 of numbers between two integers
    xxix_cast_quant_roundf              of numbers in the middle of two integers
    xxix_cast_quant_times_scale         if the scale is not 1
    xxix_cast_quant_no_clamp            of numbers out of a byte's range
    xxix_cast_quant_zero_after_clamp    likewise, with a zero point
    xxix_cast_dequant_order             with a zero point, if the scale is not 1
    xxix_cast_dequant_byte_difference   with a zero point
    xxix_cast_dequant_z_again           from 4 elements on
    xxix_cast_dequant_rest_at_n4        from 171 elements on, if n is no multiple of 4
    xxix_cast_dequant_half_scale        by a scale that no half has
    xxix_act_sigmoid_large              of numbers past 88
    xxix_act_sigmoid_thread_times_size  from 2 elements on
    xxix_act_relu_fmaxf                 of NaN
    xxix_act_relu_no_tail               if n is no multiple of 4
    xxix_act_relu_w_forgotten           of negative numbers, from 4 elements on
    xxix_act_relu_in_place              from 4 elements on
    xxix_act_gelu_row_of_blocks         from 11 blocks on, unless the grid is square
    xxix_act_swiglu_pair_turned         from 2 elements on
    xxix_act_swiglu_behind_pairs        of an odd number past 3,840
    xxix_fused_brighten_cut             of numbers between two integers
    xxix_fused_brighten_no_upper        of bright pixels
    xxix_fused_brighten_gain_of_both    if the gain is not 1 and the offset not 0
    xxix_fused_brighten_byte_first      of pixels that go out of a byte's range
    xxix_fused_epilogue_bias_after      of negative numbers
    xxix_fused_epilogue_residual_before of negative numbers
    xxix_fused_epilogue_half_scale      by a scale, or of products, that no half has
    xxix_sum_tree_not_to_the_end        from 2 elements on
    xxix_sum_tree_second_guard          unless n is a power of 256
    xxix_sum_tree_blocks_overlap        from 257 elements on
    xxix_sum_mean_first_warp            from 33 elements on
    xxix_sum_mean_half_sum              of a thread's sums that no half has
    xxix_sum_mean_all_lanes             if shared memory does not begin with zeros
    xxix_sum_dot_cast_after             of products that no float has
    xxix_sum_dot_memset_of_float        if the output was not zero before
    xxix_max_blocks_zero                of negative numbers only
    xxix_max_blocks_all_parts           if fresh memory has a larger number
    xxix_max_blocks_first_step          if the largest is in the last half of a block
    xxix_max_blocks_one_each            from 16,385 elements on
    xxix_max_magnitude_signed_bits      if a number is negative
    xxix_max_magnitude_return           if n is no multiple of 32
    xxix_max_magnitude_no_memset        if the output was not zero before
    xxix_max_magnitude_from_eight       if the largest is in the second half of a warp
    xxix_min_shared_memset_127          of numbers above 2,139,062,143 only
    xxix_min_shared_short               of numbers past 32,767
    xxix_min_shared_without_last        if the last one is the smallest

Two are wrong by reasoning, where blocks or warps run at once:

    xxix_sum_dot_plain_add            if another block writes between read and write
    xxix_min_shared_no_first_barrier  if another warp comes before the first one's start
"""

# ruff: noqa: E501 (a line of a kernel stands in one line)
from __future__ import annotations

from collections.abc import Iterator

import torch

from helpers.run.launcher import Launcher
from helpers.testing.cases import Case
from tests.testing.family import twentyninth_arrays
from tests.testing.family.elementwise import HEADER
from tests.testing.family.table import Base, Right, Wrong
from tests.testing.family.twentysixth import SIZES, arrays, totals, whole

# ---- additions -------------------------------------------------------------------------------

# The first homework: a fixed grid, and a loop over it.
VEC_ADD = (
    HEADER
    + """\
// HW1: vector addition with a grid-stride loop
__global__ void vecAdd(const float* A, const float* B, float* C, int64_t N) {
    int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    int64_t stride = (int64_t)gridDim.x * blockDim.x;
    while (i < N) {
        C[i] = A[i] + B[i];
        i += stride;
    }
}

extern "C" void launch(const float* A /* [N] */, const float* B /* [N] */, float* C /* [N] */, int64_t N, cudaStream_t stream = 0) {
    int threadsPerBlock = 256;
    int blocksPerGrid = 16;
    vecAdd<<<blocksPerGrid, threadsPerBlock, 0, stream>>>(A, B, C, N);
}
"""
)

# A junior's first vectors: a pair of halves a thread, and one half for an odd end.
PAIRS = (
    HEADER
    + """\
__global__ void half_add(const __half* __restrict__ lhs, const __half* __restrict__ rhs, __half* __restrict__ dst, int64_t count)
{
    const int64_t t  = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    const int64_t at = 2 * t;
    if (at + 1 < count)
    {
        const half2 l = *(const half2*)(lhs + at);
        const half2 r = *(const half2*)(rhs + at);
        *(half2*)(dst + at) = __hadd2(l, r);
    }
    else if (at < count)
    {
        dst[at] = __hadd(lhs[at], rhs[at]);
    }
}

extern "C" void launch(const half* lhs,  // [count] 4-byte aligned
                       const half* rhs,  // [count] 4-byte aligned
                       half* dst,        // [count] 4-byte aligned
                       int64_t count, cudaStream_t stream = 0)
{
    const int threads = 128;
    const int64_t pairs = (count + 1) / 2;
    half_add<<<(unsigned)((pairs + threads - 1) / threads), threads, 0, stream>>>(lhs, rhs, dst, count);
}
"""
)

# A student who has read of coarsening: a thread has four integers that lie side by side.
COARSE = (
    HEADER
    + """\
#define PER_THREAD 4

__global__ void add_ints(int64_t n, const int* x, const int* y, int* z) {
    int64_t tid = threadIdx.x + (int64_t)blockIdx.x * blockDim.x;
    int64_t begin = tid * PER_THREAD;
    int64_t end = begin + PER_THREAD;
    if (end > n) end = n;
    for (int64_t k = begin; k < end; k++) {
        z[k] = x[k] + y[k];
    }
}

extern "C" void launch(int64_t n, const int* x /* [n] */, const int* y /* [n] */, int* z /* [n] */, int block_size = 64, cudaStream_t stream = 0) {
    int64_t per_block = (int64_t)block_size * PER_THREAD;
    int64_t num_blocks = (n + per_block - 1) / per_block;
    add_ints<<<(unsigned)num_blocks, block_size, 0, stream>>>(n, x, y, z);
}
"""
)

# A junior's operator: the weighted sum of two arrays, which takes the output last.
AXPBY = (
    HEADER
    + """\
using bf16 = __nv_bfloat16;

// out = alpha * x + beta * y, computed in fp32
__global__ void axpby_kernel(float alpha, const bf16* __restrict__ x, float beta, const bf16* __restrict__ y, bf16* __restrict__ out, int64_t numel) {
    const int64_t i = int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i >= numel) return;
    const float xv = __bfloat162float(x[i]);
    const float yv = __bfloat162float(y[i]);
    out[i] = __float2bfloat16(alpha * xv + beta * yv);
}

extern "C" void launch(const __nv_bfloat16* x /* [numel] */, const __nv_bfloat16* y /* [numel] */, float alpha, float beta, __nv_bfloat16* out /* [numel] */, int64_t numel, int block_size = 256, cudaStream_t stream = 0) {
    if (numel == 0) return;
    const int64_t blocks = (numel + block_size - 1) / block_size;
    axpby_kernel<<<unsigned(blocks), block_size, 0, stream>>>(alpha, x, beta, y, out, numel);
}
"""
)

# ---- casts -----------------------------------------------------------------------------------

# A junior's quantization: bytes with a scale and a zero point, as PyTorch rounds them.
QUANT = (
    HEADER
    + """\
__device__ __forceinline__ int8_t quantize_one(float v, float scale, int zero_point) {
    float q = rintf(v / scale) + zero_point;
    q = fminf(fmaxf(q, -128.0f), 127.0f);
    return static_cast<int8_t>(q);
}

__global__ void quantize_per_tensor(const float* __restrict__ input, int8_t* __restrict__ output, float scale, int zero_point, int64_t size) {
    const int64_t step = static_cast<int64_t>(blockDim.x) * gridDim.x;
    for (int64_t idx = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x; idx < size; idx += step) {
        output[idx] = quantize_one(input[idx], scale, zero_point);
    }
}

extern "C" void launch(const float* input /* [size] */, int8_t* output /* [size] */, float scale, int zero_point, int64_t size, cudaStream_t stream = 0) {
    const int threads = 192;
    int64_t blocks = (size + threads - 1) / threads;
    if (blocks > 8) blocks = 8;
    if (blocks > 0) quantize_per_tensor<<<static_cast<unsigned>(blocks), threads, 0, stream>>>(input, output, scale, zero_point, size);
}
"""
)

# The way back, by another: four bytes a thread, and a block of its own for the rest.
DEQUANT = (
    HEADER
    + """\
static __device__ half deq(signed char q, float s, int zp)
{
    return __float2half((q - zp) * s);
}

__global__ void dequant4(half *w, const char4 *q4, const signed char *q, float s, int zp, int64_t n)
{
    int64_t n4 = n / 4;
    int64_t i = blockIdx.x * (int64_t)blockDim.x + threadIdx.x;
    if (i < n4) {
        char4 c = q4[i];
        half *to = w + 4 * i;
        to[0] = deq(c.x, s, zp);
        to[1] = deq(c.y, s, zp);
        to[2] = deq(c.z, s, zp);
        to[3] = deq(c.w, s, zp);
    }
    // leftovers: the very last block has nothing else to do
    if (blockIdx.x == gridDim.x - 1) {
        int64_t k = 4 * n4 + threadIdx.x;
        if (k < n) w[k] = deq(q[k], s, zp);
    }
}

extern "C" void launch(half *w,          // [n]
                       const int8_t *q,  // [n] 4-byte aligned
                       float s, int zp, int64_t n, cudaStream_t stream = 0)
{
    const int T = 128;
    int64_t grid = (n / 4 + T - 1) / T + 1;
    dequant4<<<(unsigned)grid, T, 0, stream>>>(w, (const char4 *)q, (const signed char *)q, s, zp, n);
}
"""
)

# ---- activations -----------------------------------------------------------------------------

# A student's sigmoid, a thread an element.
SIGMOID = (
    HEADER
    + """\
__global__ void sigmoidKernel(float *out, const float *in, long long len)
{
    long long idx = (long long)blockIdx.x * blockDim.x + threadIdx.x;

    if (idx < len)
    {
        out[idx] = 1.0f / (1.0f + expf(-in[idx]));
    }
}

extern "C" void launch(float *out /* [len] */, const float *in /* [len] */, int64_t len, cudaStream_t stream = 0)
{
    dim3 DimBlock(64, 1, 1);
    dim3 DimGrid((unsigned)((len + 63) / 64), 1, 1);
    sigmoidKernel<<<DimGrid, DimBlock, 0, stream>>>(out, in, len);
}
"""
)

# A junior's ReLU: vectors of four floats, and NaN stays what it is.
RELU = (
    HEADER
    + """\
__device__ inline float relu(float v) { return v < 0.0f ? 0.0f : v; }

__global__ void relu_vec(const float4* __restrict__ src4, float4* __restrict__ dst4, const float* __restrict__ src, float* __restrict__ dst, int64_t nvec, int64_t n) {
    const int64_t gid = int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
    if (gid < nvec) {
        float4 v = src4[gid];
        v.x = relu(v.x);
        v.y = relu(v.y);
        v.z = relu(v.z);
        v.w = relu(v.w);
        dst4[gid] = v;
    }
    const int64_t tail = nvec * 4 + gid;
    if (tail < n) dst[tail] = relu(src[tail]);
}

extern "C" void launch(const float* src,  // [n] 16-byte aligned
                       float* dst,        // [n] 16-byte aligned
                       int64_t n, cudaStream_t stream = 0) {
    const int64_t nvec = n / 4;
    const int threads = 256;
    // at least one block, for arrays of less than a vector
    const unsigned blocks = unsigned(nvec / threads + 1);
    relu_vec<<<blocks, threads, 0, stream>>>(reinterpret_cast<const float4*>(src), reinterpret_cast<float4*>(dst), src, dst, nvec, n);
}
"""
)

# A student's GELU by the error function, on a grid of two dimensions that nobody needs.
GELU = (
    HEADER
    + """\
#define SQRT1_2 0.70710678f

__device__ float gelu(float x)
{
    float cdf = 0.5f * (1.0f + erff(x * SQRT1_2));
    return x * cdf;
}

__global__ void gelu_kernel(const float* x, float* y, int64_t n)
{
    int64_t block = (int64_t)blockIdx.y * gridDim.x + blockIdx.x;
    int64_t i = block * blockDim.x + threadIdx.x;
    if (i < n) y[i] = gelu(x[i]);
}

extern "C" void launch(const float* x /* [n] */, float* y /* [n] */, int64_t n, int block_size = 128, cudaStream_t stream = 0)
{
    int64_t blocks = (n + block_size - 1) / block_size;
    unsigned gx = 8;
    unsigned gy = (unsigned)((blocks + gx - 1) / gx);
    gelu_kernel<<<dim3(gx, gy), block_size, 0, stream>>>(x, y, n);
}
"""
)

# A junior's gated unit: pairs of bfloat16 in a loop, an odd last one by the first thread.
SWIGLU = (
    HEADER
    + """\
namespace ops {

__device__ float silu(float v) { return v / (1.f + __expf(-v)); }

__global__ void swiglu(const __nv_bfloat16* gate, const __nv_bfloat16* up, __nv_bfloat16* y, int64_t n) {
    auto g2 = reinterpret_cast<const __nv_bfloat162*>(gate);
    auto u2 = reinterpret_cast<const __nv_bfloat162*>(up);
    auto y2 = reinterpret_cast<__nv_bfloat162*>(y);
    const int64_t half_n = n >> 1;
    const int64_t first = int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
    for (int64_t i = first; i < half_n; i += int64_t(gridDim.x) * blockDim.x) {
        const float2 g = __bfloat1622float2(g2[i]);
        const float2 u = __bfloat1622float2(u2[i]);
        y2[i] = __floats2bfloat162_rn(silu(g.x) * u.x, silu(g.y) * u.y);
    }
    if (first == 0 && (n & 1)) {
        const float g = __bfloat162float(gate[n - 1]);
        const float u = __bfloat162float(up[n - 1]);
        y[n - 1] = __float2bfloat16_rn(silu(g) * u);
    }
}

}  // namespace ops

extern "C" void launch(const __nv_bfloat16* gate,  // [n] 4-byte aligned
                       const __nv_bfloat16* up,    // [n] 4-byte aligned
                       __nv_bfloat16* y,           // [n] 4-byte aligned
                       int64_t n, cudaStream_t stream = 0) {
    ops::swiglu<<<20, 96, 0, stream>>>(gate, up, y, n);
}
"""
)

# ---- fused operators -------------------------------------------------------------------------

# A junior's pictures: gain and offset, rounded and kept to a byte.
BRIGHTEN = (
    HEADER
    + """\
struct Brighten {
    float gain, offset;
    __device__ uint8_t operator()(uint8_t pixel) const {
        const float v = pixel * gain + offset;
        const int rounded = __float2int_rn(v);
        return rounded < 0 ? 0 : rounded > 255 ? 255 : rounded;
    }
};

template <class F>
__global__ void for_each_pixel(const uint8_t* src, uint8_t* dst, size_t pixels, F f) {
    const size_t p = size_t(blockIdx.x) * blockDim.x + threadIdx.x;
    if (p < pixels) dst[p] = f(src[p]);
}

extern "C" void launch(uint8_t* dst /* [pixels] */, const uint8_t* src /* [pixels] */, float gain, float offset, int64_t pixels, int block_size = 256, cudaStream_t stream = 0) {
    const Brighten f{gain, offset};
    const unsigned blocks = unsigned(pixels / block_size) + (pixels % block_size ? 1 : 0);
    if (blocks) for_each_pixel<<<blocks, block_size, 0, stream>>>(src, dst, size_t(pixels), f);
}
"""
)

# A junior's epilogue: scale, bias, leaky ReLU, and a residual of halves.
EPILOGUE = (
    HEADER
    + """\
__global__ void epilogue(const float* __restrict__ acc, const half* __restrict__ residual, half* __restrict__ out, float scale, float bias, float slope, int64_t n) {
    for (int64_t i = threadIdx.x + int64_t(blockIdx.x) * blockDim.x; i < n; i += int64_t(blockDim.x) * gridDim.x) {
        float v = acc[i] * scale + bias;
        if (v < 0.f) v *= slope;
        v += __half2float(residual[i]);
        out[i] = __float2half_rn(v);
    }
}

extern "C" void launch(const float* acc /* [n] */, const half* residual /* [n] */, half* out /* [n] */, float scale, float bias, float slope, int64_t n, cudaStream_t stream = 0) {
    const unsigned blocks = n < 32 * 128 ? unsigned((n + 127) / 128) : 32u;
    if (blocks == 0) return;
    epilogue<<<blocks, 128, 0, stream>>>(acc, residual, out, scale, bias, slope, n);
}
"""
)

# ---- sums ------------------------------------------------------------------------------------

# A student after the well-known slides: two loads a thread, a tree, passes until one is left.
TREE = (
    HEADER
    + """\
__global__ void reduce3(const float *g_idata, float *g_odata, int64_t n)
{
    extern __shared__ float sdata[];
    unsigned int tid = threadIdx.x;
    int64_t i = (int64_t)blockIdx.x * (blockDim.x * 2) + tid;
    float mySum = (i < n) ? g_idata[i] : 0.0f;
    if (i + blockDim.x < n) mySum += g_idata[i + blockDim.x];
    sdata[tid] = mySum;
    __syncthreads();
    for (unsigned int s = blockDim.x / 2; s > 0; s >>= 1) {
        if (tid < s) {
            sdata[tid] += sdata[tid + s];
        }
        __syncthreads();
    }
    if (tid == 0) g_odata[blockIdx.x] = sdata[0];
}

extern "C" void launch(const float *g_idata /* [n] */, float *total /* [1] */, int64_t n, cudaStream_t stream = 0)
{
    const int threads = 128;
    const int64_t most = (n + threads * 2 - 1) / (threads * 2);
    float *buffer = nullptr;
    cudaMallocAsync((void **)&buffer, 2 * most * sizeof(float), stream);
    const float *from = g_idata;
    int turn = 0;
    for (int64_t left = n;;) {
        const int64_t blocks = (left + threads * 2 - 1) / (threads * 2);
        float *to = blocks == 1 ? total : buffer + turn * most;
        reduce3<<<(unsigned)blocks, threads, threads * sizeof(float), stream>>>(from, to, left);
        if (blocks == 1) break;
        from = to;
        left = blocks;
        turn = 1 - turn;
    }
    cudaFreeAsync(buffer, stream);
}
"""
)

# A junior's mean of halves: one block, a warp's shuffles, the warps' sums by the first warp.
MEAN = (
    HEADER
    + """\
__device__ float warp_sum(float v) {
    for (int d = 16; d >= 1; d /= 2) v += __shfl_xor_sync(0xffffffffu, v, d);
    return v;
}

__global__ void mean_kernel(const half* __restrict__ x, float* __restrict__ mean, int64_t n) {
    __shared__ float partial[32];
    float acc = 0.f;
    for (int64_t i = threadIdx.x; i < n; i += blockDim.x) acc += __half2float(x[i]);

    acc = warp_sum(acc);
    const int warp = threadIdx.x >> 5, lane = threadIdx.x & 31;
    if (lane == 0) partial[warp] = acc;
    __syncthreads();

    if (warp == 0) {
        acc = lane < (blockDim.x >> 5) ? partial[lane] : 0.f;
        acc = warp_sum(acc);
        if (lane == 0) *mean = acc / n;
    }
}

extern "C" void launch(float* mean /* [1] */, const half* x /* [n] */, int64_t n, cudaStream_t stream = 0) {
    mean_kernel<<<1, 512, 0, stream>>>(x, mean, n);
}
"""
)

# A student after a well-known book: a dot product, whose blocks add to a double.
DOT = (
    HEADER
    + """\
const int threadsPerBlock = 256;

__global__ void dot(const float *a, const float *b, double *c, int64_t N) {
    __shared__ double cache[threadsPerBlock];
    int64_t tid = threadIdx.x + (int64_t)blockIdx.x * blockDim.x;
    int cacheIndex = threadIdx.x;

    double temp = 0;
    while (tid < N) {
        temp += (double)a[tid] * b[tid];
        tid += (int64_t)blockDim.x * gridDim.x;
    }
    cache[cacheIndex] = temp;

    // synchronize threads in this block
    __syncthreads();

    int i = blockDim.x / 2;
    while (i != 0) {
        if (cacheIndex < i)
            cache[cacheIndex] += cache[cacheIndex + i];
        __syncthreads();
        i /= 2;
    }

    if (cacheIndex == 0)
        atomicAdd(c, cache[0]);
}

extern "C" void launch(const float *a /* [N] */, const float *b /* [N] */, double *c /* [1] */, int64_t N, cudaStream_t stream = 0) {
    int64_t blocks = (N + threadsPerBlock - 1) / threadsPerBlock;
    if (blocks > 10) blocks = 10;
    cudaMemsetAsync(c, 0, sizeof(double), stream);
    if (blocks > 0) dot<<<(unsigned)blocks, threadsPerBlock, 0, stream>>>(a, b, c, N);
}
"""
)

# ---- maxima and minima -----------------------------------------------------------------------

# A student's maximum in two kernels; NaN stays.
MAX = (
    HEADER
    + """\
__device__ float max_nan(float a, float b) {
    if (isnan(a)) return a;
    if (isnan(b)) return b;
    return a > b ? a : b;
}

__global__ void block_max(const float* data, float* result, int64_t size) {
    __shared__ float s[128];
    int t = threadIdx.x;
    float m = -INFINITY;
    for (int64_t i = (int64_t)blockIdx.x * 128 + t; i < size; i += (int64_t)gridDim.x * 128) {
        m = max_nan(m, data[i]);
    }
    s[t] = m;
    __syncthreads();
    for (int half = 64; half > 0; half /= 2) {
        if (t < half) s[t] = max_nan(s[t], s[t + half]);
        __syncthreads();
    }
    if (t == 0) result[blockIdx.x] = s[0];
}

extern "C" void launch(const float* data /* [size] */, int64_t size, float* result /* [1] */, cudaStream_t stream = 0) {
    int blocks = (int)((size + 127) / 128 < 200 ? (size + 127) / 128 : 200);
    float* tmp;
    cudaMallocAsync((void**)&tmp, 200 * sizeof(float), stream);
    block_max<<<blocks, 128, 0, stream>>>(data, tmp, size);
    block_max<<<1, 128, 0, stream>>>(tmp, result, blocks);
    cudaFreeAsync(tmp, stream);
}
"""
)

# A junior's largest magnitude, for a scale: bits of floats without a sign are in order.
AMAX = (
    HEADER
    + """\
__global__ void amax_kernel(const __nv_bfloat16* x, unsigned* amax_bits, int64_t n) {
    const int64_t i = int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
    unsigned bits = 0;
    if (i < n) {
        bits = __float_as_uint(fabsf(__bfloat162float(x[i])));
    }
    for (int delta = 16; delta; delta >>= 1) {
        const unsigned other = __shfl_down_sync(0xffffffff, bits, delta);
        bits = other > bits ? other : bits;
    }
    if (threadIdx.x % 32 == 0) atomicMax(amax_bits, bits);
}

extern "C" void launch(const __nv_bfloat16* x /* [n] */, float* amax /* [1] */, int64_t n, int block_size = 256, cudaStream_t stream = 0) {
    cudaMemsetAsync(amax, 0, 4, stream);
    const int64_t blocks = (n + block_size - 1) / block_size;
    if (blocks) amax_kernel<<<unsigned(blocks), block_size, 0, stream>>>(x, reinterpret_cast<unsigned*>(amax), n);
}
"""
)

# A student's smallest integer: an atomic minimum in shared memory, and one of all blocks.
MIN = (
    HEADER
    + """\
#include <climits>

__global__ void init_min(int* out) { *out = INT_MAX; }

__global__ void find_min(const int* arr, int* out, int64_t n) {
    __shared__ int block_min;
    if (threadIdx.x == 0) block_min = INT_MAX;
    __syncthreads();

    int mine = INT_MAX;
    for (int64_t j = (int64_t)blockIdx.x * blockDim.x + threadIdx.x; j < n; j += (int64_t)blockDim.x * gridDim.x) {
        int v = arr[j];
        if (v < mine) mine = v;
    }
    atomicMin(&block_min, mine);
    __syncthreads();

    if (threadIdx.x == 0) atomicMin(out, block_min);
}

extern "C" void launch(int* out /* [1] */, const int* arr /* [n] */, int64_t n, cudaStream_t stream = 0) {
    init_min<<<1, 1, 0, stream>>>(out);
    find_min<<<6, 160, 0, stream>>>(arr, out, n);
}
"""
)


def _plus(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    return a.double() + b.double()


def _exact(number: float) -> torch.Tensor:
    """Return what a float has of a number."""
    return torch.tensor(number, dtype=torch.float32).double()


def integers(launcher: Launcher) -> Iterator[Case]:
    """Add small and large integers, whose sums fit."""
    for n in (1, 2, 3, 4, 31, 255, 256, 257, 1000, 5003):
        x, y = whole(-999, 1000, n, n), whole(-999, 1000, n, n + 1)
        for block_size in (64, 96):
            for label, times in (("small", 1), ("large", 1_000_003)):
                right = ((x + y) * times).double()
                inputs = (x * times).int(), (y * times).int()
                scalars = {"block_size": block_size}
                words = f"n = {n:,}, block_size = {block_size}, {label}"
                yield Case(words, inputs, (right,), scalars, dtypes=(torch.int32,))


def weighted(launcher: Launcher) -> Iterator[Case]:
    """Add whole numbers and fractions by several weights."""
    for n in (1, 2, 31, 256, 257, 1000, 5003):
        a, b = whole(-99, 100, n, n).bfloat16(), whole(-99, 100, n, n + 1).bfloat16()
        for alpha, beta in ((1.0, 1.0), (0.3, 1.0), (-0.5, 1.7), (2.25, -0.1)):
            for label, x, y in (("whole numbers", a, b), ("fractions", a / 64, b * 1.0625)):
                left, more = _exact(alpha) * x.double(), _exact(beta) * y.double()
                slack = 2.0**-22 * (left.abs() + more.abs())
                scalars = {"alpha": alpha, "beta": beta}
                options = {"dtypes": (torch.bfloat16,), "ulp": 1, "within": (slack,)}
                words = f"numel = {n:,}, {scalars}, {label}"
                yield Case(words, (x, y), (left + more,), scalars, **options)


def quantized(launcher: Launcher) -> Iterator[Case]:
    """Quantize by powers of two, whose quotients are exact: ties, and numbers out of range."""
    for n in (1, 2, 31, 192, 193, 1000, 5003):
        x = whole(-600, 601, n, n).float() / 4
        for scale, zero in ((1.0, 0), (0.5, 0), (0.25, 10), (2.0, -7)):
            for label, y in (("usual", x), ("small", x / 64), ("large", x * 1000)):
                q = torch.round(y.double() / scale) + zero
                scalars = {"scale": scale, "zero_point": zero}
                words = f"size = {n:,}, {scalars}, {label}"
                right = q.clamp(-128, 127)
                yield Case(words, (y,), (right,), scalars, dtypes=(torch.int8,))


def unquantized(launcher: Launcher) -> Iterator[Case]:
    """Scale all bytes, by scales that halves have and have not, and several zero points."""
    for n in (1, 2, 3, 4, 31, 512, 513, 1000, 5003):
        q = whole(-128, 128, n, n)
        for s, zero in ((1.0, 0), (0.5, 0), (0.12518, 0), (0.1, 13), (0.03, -100)):
            right = (q - zero).double() * _exact(s)
            scalars, words = {"s": s, "zp": zero}, f"n = {n:,}, s = {s}, zp = {zero}"
            slack = 2.0**-22 * right.abs()
            options = {"dtypes": (torch.half,), "ulp": 1, "within": (slack,)}
            yield Case(words, (q.to(torch.int8),), (right,), scalars, **options)


def sigmoids(launcher: Launcher) -> Iterator[Case]:
    """Apply the sigmoid to usual, small, and large numbers."""
    for n in (1, 2, 31, 64, 65, 1000, 5003):
        x = whole(-640, 641, n, n).float() / 64
        for label, y in (("usual", x), ("small", x / 1024), ("large", x * 16)):
            right = torch.sigmoid(y.double())
            slack = (2.0**-21 * right * (1 + y.abs().double()) + 2.0**-120,)
            options = {"dtypes": (torch.float32,), "ulp": 2, "within": slack}
            yield Case(f"len = {n:,}, {label}", (y,), (right,), **options)


def relus(launcher: Launcher) -> Iterator[Case]:
    """Apply ReLU to whole numbers and fractions, to infinities and NaN."""
    for n in (1, 2, 3, 4, 31, 1000, 1023, 1024, 1026, 5003):
        x = whole(-999, 1000, n, n).float() / 8
        strange = x.clone()
        for k, value in enumerate((float("-inf"), float("inf"), float("nan"))):
            strange[(k + 1) * n // 4] = value
        for label, y in (("fractions", x), ("opposite", -x), ("strange", strange)):
            right = torch.relu(y.double())
            yield Case(f"n = {n:,}, {label}", (y,), (right,), dtypes=(torch.float32,))


def gelus(launcher: Launcher) -> Iterator[Case]:
    """Apply GELU to usual, small, and large numbers."""
    for n in (1, 2, 31, 128, 129, 1024, 1025, 5003):
        x = whole(-1280, 1281, n, n).float() / 256
        for block_size in (128, 96):
            for label, y in (("usual", x), ("small", x / 64), ("large", x * 20)):
                right = torch.nn.functional.gelu(y.double())
                scalars = {"block_size": block_size}
                slack = (2.0**-21 * y.double().abs(),)
                options = {"dtypes": (torch.float32,), "ulp": 2, "within": slack}
                words = f"n = {n:,}, block_size = {block_size}, {label}"
                yield Case(words, (y,), (right,), scalars, **options)


def gated(launcher: Launcher) -> Iterator[Case]:
    """Gate usual, small and large numbers."""
    for n in (1, 2, 3, 31, 192, 1000, 5003):
        g = (whole(-640, 641, n, n).float() / 128).bfloat16()
        u = (whole(-640, 641, n, n + 1).float() / 64).bfloat16()
        for label, x in (("usual", g), ("small", g / 64), ("large", g * 16)):
            right = torch.nn.functional.silu(x.double()) * u.double()
            slack = (2.0**-17 * right.abs() * (1 + x.double().abs() / 16) + 2.0**-120,)
            options = {"dtypes": (torch.bfloat16,), "ulp": 1, "within": slack}
            yield Case(f"n = {n:,}, {label}", (x, u), (right,), **options)


def bright(launcher: Launcher) -> Iterator[Case]:
    """Brighten and darken all bytes; gains are sums of few powers of two."""
    for n in (1, 2, 31, 256, 257, 1000, 5003):
        x = whole(0, 256, n, n)
        for gain, offset in ((1.0, 0.0), (1.5, -40.0), (0.25, 16.0), (2.0, 3.5), (-1.0, 255.0)):
            right = torch.round(x.double() * gain + offset).clamp(0, 255)
            scalars = {"gain": gain, "offset": offset}
            words = f"pixels = {n:,}, {scalars}"
            inputs = (x.to(torch.uint8),)
            yield Case(words, inputs, (right,), scalars, dtypes=(torch.uint8,))


def epilogues(launcher: Launcher) -> Iterator[Case]:
    """Scale, shift and add whole numbers and fractions, by several slopes."""
    for n in (1, 2, 31, 128, 129, 1000, 4095, 5003):
        x, r = whole(-999, 1000, n, n).float(), whole(-99, 100, n, n + 1).half() / 8
        settings = (1.0, 0.0, 0.01), (0.1, 0.5, 0.25), (0.013, -3.0, 0.01), (-0.5, 1.0, 2.0)
        for scale, bias, slope in settings:
            for label, y in (("whole numbers", x), ("small", x / 512)):
                product = _exact(scale) * y.double()
                v = product + _exact(bias)
                v = torch.where(v < 0, v * _exact(slope), v)
                slack = 2.0**-21 * (product.abs() + abs(bias)) * max(1, slope)
                scalars = {"scale": scale, "bias": bias, "slope": slope}
                options = {"dtypes": (torch.half,), "ulp": 1, "within": (slack,)}
                words = f"n = {n:,}, {scalars}, {label}"
                yield Case(words, (y, r), (v + r.double(),), scalars, **options)


def means(launcher: Launcher) -> Iterator[Case]:
    """Take the mean of small and large whole halves."""
    for words, x in arrays(SIZES):
        for label, y in (("small", x), ("large", x * 16)):
            right = (y.double().mean().reshape(1),)
            options = {"dtypes": (torch.float32,), "ulp": 2}
            yield Case(f"{words}, {label}", (y.half(),), right, **options)


def products(launcher: Launcher) -> Iterator[Case]:
    """Multiply and add whole numbers, small ones and such as a float's sum would not hold."""
    for words, x in arrays(SIZES):
        y = whole(-99, 100, len(x), len(x) + 7)
        y[0], y[-1] = 37, 59
        for label, a, b in (("small", x, y), ("large", x * 40_001, y * 3001 + 1)):
            right = (a * b).sum().double().reshape(1)
            inputs = a.float(), b.float()
            yield Case(f"{words}, {label}", inputs, (right,), dtypes=(torch.float64,))


def largest(launcher: Launcher) -> Iterator[Case]:
    """Find the largest of fractions, in any order, of infinities and NaN."""
    for words, x in arrays((*SIZES, 40_003)):
        y = x.float() / 16
        broken, low = y.clone(), torch.full_like(y, float("-inf"))
        broken[len(y) // 2] = float("nan")
        kinds = ("", y), ("rising", y.sort()[0]), ("NaN", broken), ("minus infinity", low)
        for label, z in kinds:
            right = z.double().max().reshape(1)
            yield Case(f"{words} {label}", (z,), (right,), dtypes=(torch.float32,))


def magnitudes(launcher: Launcher) -> Iterator[Case]:
    """Find the largest magnitude of whole numbers and fractions."""
    for words, x in arrays(SIZES):
        for label, y in (
            ("", x),
            ("falling", x.sort(descending=True)[0]),
            ("rising", x.sort()[0]),
        ):
            z = (y.float() / 8).bfloat16()
            right = z.double().abs().max().reshape(1)
            yield Case(f"{words} {label}", (z,), (right,), dtypes=(torch.float32,))


def smallest(launcher: Launcher) -> Iterator[Case]:
    """Find the smallest of small and of large integers."""
    for words, x in arrays(SIZES):
        large = x * 20_000_003 + x % 7
        kinds = ("", x), ("opposite", -x), ("large", large), ("high", x + 2_147_483_000)
        for label, y in kinds:
            right = y.min().double().reshape(1)
            yield Case(f"{words} {label}", (y.int(),), (right,), dtypes=(torch.int32,))


BASES = {
    "xxix_add_vec": Base(VEC_ADD, {"reference": _plus}),
    "xxix_add_pairs": Base(PAIRS, {"reference": _plus}),
    "xxix_add_coarse": Base(COARSE, {"cases": integers}),
    "xxix_add_axpby": Base(AXPBY, {"cases": weighted}),
    "xxix_cast_quant": Base(QUANT, {"cases": quantized}),
    "xxix_cast_dequant": Base(DEQUANT, {"cases": unquantized}),
    "xxix_act_sigmoid": Base(SIGMOID, {"cases": sigmoids}),
    "xxix_act_relu": Base(RELU, {"cases": relus}),
    "xxix_act_gelu": Base(GELU, {"cases": gelus}),
    "xxix_act_swiglu": Base(SWIGLU, {"cases": gated}),
    "xxix_fused_brighten": Base(BRIGHTEN, {"cases": bright}),
    "xxix_fused_epilogue": Base(EPILOGUE, {"cases": epilogues}),
    "xxix_sum_tree": Base(TREE, {"cases": totals}),
    "xxix_sum_mean": Base(MEAN, {"cases": means}),
    "xxix_sum_dot": Base(DOT, {"cases": products}),
    "xxix_max_blocks": Base(MAX, {"cases": largest}),
    "xxix_max_magnitude": Base(AMAX, {"cases": magnitudes}),
    "xxix_min_shared": Base(MIN, {"cases": smallest}),
    **twentyninth_arrays.BASES,
}

WRONG = (
    # ---- additions
    # A loop became a condition: what the grid does not reach at once stays.
    Wrong(
        "xxix_add_vec_if",
        "xxix_add_vec",
        "grid / unwritten / left out | tail",
        ("    while (i < N) {", "    if (i < N) {"),
    ),
    # One too many.
    Wrong(
        "xxix_add_vec_less_or_equal",
        "xxix_add_vec",
        "bounds | tail",
        ("while (i < N)", "while (i <= N)"),
    ),
    # The number of blocks in place of their size.
    Wrong(
        "xxix_add_vec_grid_dim",
        "xxix_add_vec",
        "unwritten / left out / block size | grid / twice / race / tail",
        (
            "int64_t i = (int64_t)blockIdx.x * blockDim.x",
            "int64_t i = (int64_t)blockIdx.x * gridDim.x",
        ),
    ),
    # A slip: the first array twice.
    Wrong(
        "xxix_add_vec_a_twice",
        "xxix_add_vec",
        "left out / twice / function | numbers / copy",
        ("C[i] = A[i] + B[i];", "C[i] = A[i] + A[i];"),
    ),
    # The last one of an odd number is taken for a pair.
    Wrong(
        "xxix_add_pairs_half_guard",
        "xxix_add_pairs",
        "bounds / tail",
        ("    if (at + 1 < count)", "    if (at < count)"),
    ),
    # The last pair of an even number is taken for one.
    Wrong(
        "xxix_add_pairs_guard_of_three",
        "xxix_add_pairs",
        "tail / unwritten | left out",
        ("    if (at + 1 < count)", "    if (at + 2 < count)"),
    ),
    # No thread for the last one, if all before fill their blocks.
    Wrong(
        "xxix_add_pairs_no_thread_for_last",
        "xxix_add_pairs",
        "tail / unwritten / grid / refused | left out",
        ("pairs = (count + 1) / 2;", "pairs = count / 2;"),
    ),
    # A thread's place is not doubled.
    Wrong(
        "xxix_add_pairs_not_doubled",
        "xxix_add_pairs",
        "alignment | bounds / race / unwritten",
        ("at = 2 * t;", "at = t;"),
    ),
    # The end of the last thread's share is past the array's.
    Wrong(
        "xxix_add_coarse_no_end",
        "xxix_add_coarse",
        "bounds | tail",
        ("    if (end > n) end = n;\n", ""),
    ),
    # Three of four.
    Wrong(
        "xxix_add_coarse_three",
        "xxix_add_coarse",
        "unwritten / left out | tail",
        ("begin + PER_THREAD;", "begin + PER_THREAD - 1;"),
    ),
    # As floats, which have 24 bits.
    Wrong(
        "xxix_add_coarse_floats",
        "xxix_add_coarse",
        "precision / narrow | numbers / whole range / rounding / infinity",
        ("z[k] = x[k] + y[k];", "z[k] = (float)x[k] + (float)y[k];"),
    ),
    # An incomplete block is not counted.
    Wrong(
        "xxix_add_coarse_blocks_down",
        "xxix_add_coarse",
        "grid / tail / unwritten / refused | left out / block size",
        ("(n + per_block - 1) / per_block;", "n / per_block;"),
    ),
    # The kernel takes its two factors in another order.
    Wrong(
        "xxix_add_axpby_factors_swapped",
        "xxix_add_axpby",
        "swapped / function | numbers",
        ("(alpha, x, beta, y, out, numel);", "(beta, x, alpha, y, out, numel);"),
    ),
    # The factors become bfloat16 before they multiply.
    Wrong(
        "xxix_add_axpby_bf16_factors",
        "xxix_add_axpby",
        "precision / rounding | numbers / function",
        (
            "__float2bfloat16(alpha * xv + beta * yv);",
            "__hadd(__hmul(__float2bfloat16(alpha), x[i]), __hmul(__float2bfloat16(beta), y[i]));",
        ),
    ),
    # The second factor is forgotten.
    Wrong(
        "xxix_add_axpby_no_beta",
        "xxix_add_axpby",
        "left out / function | numbers",
        ("alpha * xv + beta * yv", "alpha * xv + yv"),
    ),
    # The thread at the end is no longer kept out.
    Wrong(
        "xxix_add_axpby_greater",
        "xxix_add_axpby",
        "bounds | tail",
        ("    if (i >= numel) return;", "    if (i > numel) return;"),
    ),
    # ---- casts
    # Cut off, as a cast to an integer does.
    Wrong(
        "xxix_cast_quant_cut",
        "xxix_cast_quant",
        "rounding | precision / numbers",
        ("rintf(v / scale) + zero_point;", "(int)(v / scale) + zero_point;"),
    ),
    # Halves go away from zero, not to even numbers.
    Wrong(
        "xxix_cast_quant_roundf",
        "xxix_cast_quant",
        "rounding | precision / numbers",
        ("rintf(v / scale)", "roundf(v / scale)"),
    ),
    # The scale multiplies.
    Wrong(
        "xxix_cast_quant_times_scale",
        "xxix_cast_quant",
        "function | numbers / precision / whole range / infinity",
        ("rintf(v / scale)", "rintf(v * scale)"),
    ),
    # Nothing keeps to the range of a byte.
    Wrong(
        "xxix_cast_quant_no_clamp",
        "xxix_cast_quant",
        "whole range / infinity | numbers / function / narrow",
        (
            "    q = fminf(fmaxf(q, -128.0f), 127.0f);\n    return static_cast<int8_t>(q);",
            "    return static_cast<int8_t>(static_cast<int>(q));",
        ),
    ),
    # The zero point is added to what was kept to the range.
    Wrong(
        "xxix_cast_quant_zero_after_clamp",
        "xxix_cast_quant",
        "whole range / function / infinity | numbers / narrow",
        ("rintf(v / scale) + zero_point;", "rintf(v / scale);"),
        (
            "return static_cast<int8_t>(q);",
            "return static_cast<int8_t>(static_cast<int>(q) + zero_point);",
        ),
    ),
    # The zero point is subtracted from the product.
    Wrong(
        "xxix_cast_dequant_order",
        "xxix_cast_dequant",
        "function | numbers / precision",
        ("__float2half((q - zp) * s);", "__float2half(q * s - zp);"),
    ),
    # The difference has the type of the bytes.
    Wrong(
        "xxix_cast_dequant_byte_difference",
        "xxix_cast_dequant",
        "whole range / infinity / narrow | numbers / function",
        ("(q - zp) * s", "(signed char)(q - zp) * s"),
    ),
    # The last of four is copied from the line above.
    Wrong(
        "xxix_cast_dequant_z_again",
        "xxix_cast_dequant",
        "neighbour / other element / twice | left out / numbers / function",
        ("to[3] = deq(c.w, s, zp);", "to[3] = deq(c.z, s, zp);"),
    ),
    # The rest begins at the number of vectors.
    Wrong(
        "xxix_cast_dequant_rest_at_n4",
        "xxix_cast_dequant",
        "tail / unwritten | left out / twice / race",
        ("int64_t k = 4 * n4 + threadIdx.x;", "int64_t k = n4 + threadIdx.x;"),
    ),
    # The scale is a half before it multiplies.
    Wrong(
        "xxix_cast_dequant_half_scale",
        "xxix_cast_dequant",
        "precision / rounding | numbers / function",
        ("__float2half((q - zp) * s);", "__hmul(__int2half_rn(q - zp), __float2half(s));"),
    ),
    # ---- activations
    # The sign of the exponent is forgotten.
    Wrong(
        "xxix_act_sigmoid_no_minus",
        "xxix_act_sigmoid",
        "function | numbers",
        ("expf(-in[idx])", "expf(in[idx])"),
    ),
    # The brackets are forgotten.
    Wrong(
        "xxix_act_sigmoid_brackets",
        "xxix_act_sigmoid",
        "function | numbers / infinity",
        ("1.0f / (1.0f + expf(-in[idx]))", "1.0f / 1.0f + expf(-in[idx])"),
    ),
    # Infinity by infinity.
    Wrong(
        "xxix_act_sigmoid_large",
        "xxix_act_sigmoid",
        "nan / infinity | numbers / function / whole range",
        ("1.0f / (1.0f + expf(-in[idx]))", "expf(in[idx]) / (1.0f + expf(in[idx]))"),
    ),
    # Thread and block are exchanged.
    Wrong(
        "xxix_act_sigmoid_thread_times_size",
        "xxix_act_sigmoid",
        "unwritten / left out / block size | grid / swapped / twice / tail",
        (
            "(long long)blockIdx.x * blockDim.x + threadIdx.x;",
            "(long long)threadIdx.x * blockDim.x + blockIdx.x;",
        ),
    ),
    # The larger number of zero and NaN is zero, says fmaxf.
    Wrong(
        "xxix_act_relu_fmaxf",
        "xxix_act_relu",
        "nan | numbers / function",
        ("return v < 0.0f ? 0.0f : v;", "return fmaxf(v, 0.0f);"),
    ),
    # One vector of four that has only one to three numbers.
    Wrong(
        "xxix_act_relu_vector_too_many",
        "xxix_act_relu",
        "bounds | tail",
        ("    if (gid < nvec) {", "    if (gid <= nvec) {"),
    ),
    # What does not fill a vector is forgotten.
    Wrong(
        "xxix_act_relu_no_tail",
        "xxix_act_relu",
        "tail / unwritten | left out",
        (
            "    const int64_t tail = nvec * 4 + gid;\n    if (tail < n) dst[tail] = relu(src[tail]);\n",
            "",
        ),
    ),
    # The last of the four is stored as it came.
    Wrong(
        "xxix_act_relu_w_forgotten",
        "xxix_act_relu",
        "left out / copy / function / numbers | neighbour / other element",
        ("        v.w = relu(v.w);\n", ""),
    ),
    # Kept as it is, and the output is left alone.
    Wrong(
        "xxix_act_relu_in_place",
        "xxix_act_relu",
        "input / unwritten | copy",
        (
            "        dst4[gid] = v;",
            "        const_cast<float4*>(src4)[gid] = v;",
        ),
    ),
    # One half of two integers is 0.
    Wrong(
        "xxix_act_gelu_integer_half",
        "xxix_act_gelu",
        "function / copy | numbers / left out / unwritten",
        ("float cdf = 0.5f * (", "float cdf = 1 / 2 * ("),
    ),
    # The root is that of 2, not of its half.
    Wrong(
        "xxix_act_gelu_root_of_two",
        "xxix_act_gelu",
        "function | numbers / precision",
        ("#define SQRT1_2 0.70710678f", "#define SQRT1_2 1.41421356f"),
    ),
    # The other GELU.
    Wrong(
        "xxix_act_gelu_by_tanh",
        "xxix_act_gelu",
        "function / precision | numbers",
        (
            "0.5f * (1.0f + erff(x * SQRT1_2));",
            "0.5f * (1.0f + tanhf(0.79788456f * (x + 0.044715f * x * x * x)));",
        ),
    ),
    # A row of blocks is as long as the grid is high.
    Wrong(
        "xxix_act_gelu_row_of_blocks",
        "xxix_act_gelu",
        "unwritten / left out | grid / twice / block size / sides / tail",
        ("blockIdx.y * gridDim.x + blockIdx.x;", "blockIdx.y * gridDim.y + blockIdx.x;"),
    ),
    # The other half goes through the activation.
    Wrong(
        "xxix_act_swiglu_of_up",
        "xxix_act_swiglu",
        "swapped / function | numbers / tail",
        ("(silu(g.x) * u.x, silu(g.y) * u.y)", "(g.x * silu(u.x), g.y * silu(u.y))"),
        ("__float2bfloat16_rn(silu(g) * u)", "__float2bfloat16_rn(g * silu(u))"),
    ),
    # The sigmoid only.
    Wrong(
        "xxix_act_swiglu_sigmoid",
        "xxix_act_swiglu",
        "function / left out | numbers",
        ("return v / (1.f + __expf(-v));", "return 1.f / (1.f + __expf(-v));"),
    ),
    # A pair is put together the wrong way round.
    Wrong(
        "xxix_act_swiglu_pair_turned",
        "xxix_act_swiglu",
        "neighbour / swapped / other element | numbers",
        ("(silu(g.x) * u.x, silu(g.y) * u.y)", "(silu(g.y) * u.y, silu(g.x) * u.x)"),
    ),
    # The thread behind the last pair; of many pairs there is none.
    Wrong(
        "xxix_act_swiglu_behind_pairs",
        "xxix_act_swiglu",
        "tail / unwritten | left out",
        ("if (first == 0 && (n & 1))", "if (first == half_n && (n & 1))"),
    ),
    # ---- fused operators
    # Cut off, where the operator rounds.
    Wrong(
        "xxix_fused_brighten_cut",
        "xxix_fused_brighten",
        "rounding | precision / numbers",
        ("__float2int_rn(v);", "(int)v;"),
    ),
    # Above 255 it begins anew.
    Wrong(
        "xxix_fused_brighten_no_upper",
        "xxix_fused_brighten",
        "whole range / infinity | numbers / function / narrow",
        ("rounded < 0 ? 0 : rounded > 255 ? 255 : rounded;", "rounded < 0 ? 0 : rounded;"),
    ),
    # The offset is multiplied, too.
    Wrong(
        "xxix_fused_brighten_gain_of_both",
        "xxix_fused_brighten",
        "function | numbers",
        ("pixel * gain + offset;", "(pixel + offset) * gain;"),
    ),
    # A byte is 0 or above, and so is not kept from below 0.
    Wrong(
        "xxix_fused_brighten_byte_first",
        "xxix_fused_brighten",
        "whole range / infinity | numbers / function / narrow / rounding",
        (
            "const int rounded = __float2int_rn(v);",
            "const uint8_t rounded = __float2int_rn(v);",
        ),
    ),
    # The bias is added to what the activation gave.
    Wrong(
        "xxix_fused_epilogue_bias_after",
        "xxix_fused_epilogue",
        "function | numbers",
        ("float v = acc[i] * scale + bias;", "float v = acc[i] * scale;"),
        ("v += __half2float(residual[i]);", "v += bias + __half2float(residual[i]);"),
    ),
    # The residual goes through the activation.
    Wrong(
        "xxix_fused_epilogue_residual_before",
        "xxix_fused_epilogue",
        "function | numbers",
        (
            "float v = acc[i] * scale + bias;",
            "float v = acc[i] * scale + bias + __half2float(residual[i]);",
        ),
        ("        v += __half2float(residual[i]);\n", ""),
    ),
    # What stood in the output is added, as if it were the residual.
    Wrong(
        "xxix_fused_epilogue_old_output",
        "xxix_fused_epilogue",
        "zero before / state / left out | unwritten / input / function",
        ("__half2float(residual[i]);", "__half2float(out[i]);"),
    ),
    # The scale is a half, and so is the product.
    Wrong(
        "xxix_fused_epilogue_half_scale",
        "xxix_fused_epilogue",
        "precision / rounding | numbers / function / infinity",
        (
            "float v = acc[i] * scale + bias;",
            "float v = __half2float(__float2half(acc[i]) * __float2half(scale)) + bias;",
        ),
    ),
    # ---- sums
    # Nobody waits for the additions of the step before.
    Wrong(
        "xxix_sum_tree_no_barrier_in_loop",
        "xxix_sum_tree",
        "race | left out / numbers",
        (
            "            sdata[tid] += sdata[tid + s];\n        }\n        __syncthreads();",
            "            sdata[tid] += sdata[tid + s];\n        }",
        ),
    ),
    # The last step is missing.
    Wrong(
        "xxix_sum_tree_not_to_the_end",
        "xxix_sum_tree",
        "left out | numbers / other element",
        ("s > 0; s >>= 1)", "s > 1; s >>= 1)"),
    ),
    # The second load looks at the first one's place.
    Wrong(
        "xxix_sum_tree_second_guard",
        "xxix_sum_tree",
        "bounds | tail / other element",
        ("if (i + blockDim.x < n) mySum", "if (i < n) mySum"),
    ),
    # As many bytes as threads.
    Wrong(
        "xxix_sum_tree_shared_bytes",
        "xxix_sum_tree",
        "bounds",
        ("threads * sizeof(float), stream>>>", "threads, stream>>>"),
    ),
    # Both loads are of blocks that lie side by side.
    Wrong(
        "xxix_sum_tree_blocks_overlap",
        "xxix_sum_tree",
        "twice / left out / other element | numbers / block size",
        ("blockIdx.x * (blockDim.x * 2) + tid;", "blockIdx.x * blockDim.x + tid;"),
    ),
    # What the first warp has.
    Wrong(
        "xxix_sum_mean_first_warp",
        "xxix_sum_mean",
        "left out | numbers / other element",
        (
            "        acc = lane < (blockDim.x >> 5) ? partial[lane] : 0.f;\n        acc = warp_sum(acc);\n",
            "",
        ),
    ),
    # The sum is a half.
    Wrong(
        "xxix_sum_mean_half_sum",
        "xxix_sum_mean",
        "precision / rounding | infinity / whole range / numbers / narrow / left out",
        (
            "    float acc = 0.f;\n    for (int64_t i = threadIdx.x; i < n; i += blockDim.x) acc += __half2float(x[i]);\n",
            "    half h = __float2half(0.f);\n    for (int64_t i = threadIdx.x; i < n; i += blockDim.x) h = __hadd(h, x[i]);\n    float acc = __half2float(h);\n",
        ),
    ),
    # The number of threads, not of elements.
    Wrong(
        "xxix_sum_mean_by_threads",
        "xxix_sum_mean",
        "function | numbers / block size",
        ("*mean = acc / n;", "*mean = acc / blockDim.x;"),
    ),
    # There are no more than 16 warps, and lanes of 32.
    Wrong(
        "xxix_sum_mean_all_lanes",
        "xxix_sum_mean",
        "start / bounds / other element / zero before / unwritten | numbers / nan",
        ("acc = lane < (blockDim.x >> 5) ? partial[lane] : 0.f;", "acc = partial[lane];"),
    ),
    # Rounded before it is wide.
    Wrong(
        "xxix_sum_dot_cast_after",
        "xxix_sum_dot",
        "precision / rounding | numbers",
        ("(double)a[tid] * b[tid];", "(double)(a[tid] * b[tid]);"),
    ),
    # The cache is read before all have filled it.
    Wrong(
        "xxix_sum_dot_no_first_barrier",
        "xxix_sum_dot",
        "race | left out / numbers / start / state",
        ("    // synchronize threads in this block\n    __syncthreads();\n", ""),
    ),
    # Blocks add to what other blocks write.
    Wrong(
        "xxix_sum_dot_plain_add",
        "xxix_sum_dot",
        "race | left out / numbers",
        ("atomicAdd(c, cache[0]);", "*c += cache[0];"),
    ),
    # The output's eight bytes are taken for four.
    Wrong(
        "xxix_sum_dot_memset_of_float",
        "xxix_sum_dot",
        "zero before / state / start | numbers / unwritten",
        (
            "cudaMemsetAsync(c, 0, sizeof(double), stream);",
            "cudaMemsetAsync(c, 0, sizeof(float), stream);",
        ),
    ),
    # ---- maxima and minima
    # Zero is no start for a maximum.
    Wrong(
        "xxix_max_blocks_zero",
        "xxix_max_blocks",
        "start | numbers",
        ("float m = -INFINITY;", "float m = 0.0f;"),
    ),
    # All places for parts are read, and few are written.
    Wrong(
        "xxix_max_blocks_all_parts",
        "xxix_max_blocks",
        "start / unwritten / other element / state / bounds / zero before | numbers",
        ("(tmp, result, blocks);", "(tmp, result, 200);"),
    ),
    # The tree's first step is missing.
    Wrong(
        "xxix_max_blocks_first_step",
        "xxix_max_blocks",
        "left out | numbers / other element",
        ("for (int half = 64; half > 0;", "for (int half = 32; half > 0;"),
    ),
    # A thread has one element, but blocks, and threads of the second kernel, are limited.
    Wrong(
        "xxix_max_blocks_one_each",
        "xxix_max_blocks",
        "left out / grid | numbers / other element / tail",
        (
            "for (int64_t i = (int64_t)blockIdx.x * 128 + t; i < size; i += (int64_t)gridDim.x * 128) {\n        m = ",
            "int64_t i = (int64_t)blockIdx.x * 128 + t;\n    if (i < size) {\n        m = ",
        ),
    ),
    # With the sign's bit, negative numbers are the largest.
    Wrong(
        "xxix_max_magnitude_signed_bits",
        "xxix_max_magnitude",
        "function / numbers | start / whole range / left out / other element",
        (
            "__float_as_uint(fabsf(__bfloat162float(x[i])));",
            "__float_as_uint(__bfloat162float(x[i]));",
        ),
    ),
    # Threads without an element go before the shuffles that want every lane.
    Wrong(
        "xxix_max_magnitude_return",
        "xxix_max_magnitude",
        "race / left out / start / bounds | numbers / unwritten / tail / timeout / other element",
        (
            "    unsigned bits = 0;\n    if (i < n) {\n        bits = ",
            "    if (i >= n) return;\n    unsigned bits;\n    {\n        bits = ",
        ),
    ),
    # A maximum that is never set back.
    Wrong(
        "xxix_max_magnitude_no_memset",
        "xxix_max_magnitude",
        "state / start / zero before | unwritten / numbers",
        ("    cudaMemsetAsync(amax, 0, 4, stream);\n", ""),
    ),
    # The first step of the warp's shuffles is missing.
    Wrong(
        "xxix_max_magnitude_from_eight",
        "xxix_max_magnitude",
        "left out | numbers / other element",
        ("for (int delta = 16; delta;", "for (int delta = 8; delta;"),
    ),
    # Bytes of 127: a large number, but not the largest.
    Wrong(
        "xxix_min_shared_memset_127",
        "xxix_min_shared",
        "start | numbers / infinity / whole range",
        (
            "    init_min<<<1, 1, 0, stream>>>(out);\n",
            "    cudaMemsetAsync(out, 0x7f, sizeof(int), stream);\n",
        ),
    ),
    # Integers of 16 bits on the way.
    Wrong(
        "xxix_min_shared_short",
        "xxix_min_shared",
        "whole range / infinity / narrow | numbers / precision",
        ("int v = arr[j];", "short v = (short)arr[j];"),
    ),
    # The start may come after the first minimum.
    Wrong(
        "xxix_min_shared_no_first_barrier",
        "xxix_min_shared",
        "race | left out / start / numbers / state",
        ("block_min = INT_MAX;\n    __syncthreads();\n", "block_min = INT_MAX;\n"),
    ),
    # The comparison of a maximum.
    Wrong(
        "xxix_min_shared_greater",
        "xxix_min_shared",
        "function / left out / start / copy / numbers | unwritten",
        ("if (v < mine) mine = v;", "if (v > mine) mine = v;"),
    ),
    # The last element is not looked at.
    Wrong(
        "xxix_min_shared_without_last",
        "xxix_min_shared",
        "left out / tail | numbers / start / unwritten",
        ("j < n; j +=", "j < n - 1; j +="),
    ),
    *twentyninth_arrays.WRONG,
)

RIGHT = (
    # From the end to the beginning, by few threads.
    Right(
        "xxix_add_vec_backwards",
        "xxix_add_vec",
        ("C[i] = A[i] + B[i];", "int64_t k = N - 1 - i;\n        C[k] = A[k] + B[k];"),
        ("blocksPerGrid = 16;", "blocksPerGrid = 3;"),
    ),
    # Halves are added as floats, and there are idle blocks.
    Right(
        "xxix_add_pairs_as_floats",
        "xxix_add_pairs",
        (
            "__hadd2(l, r);",
            "__floats2half2_rn(__low2float(l) + __low2float(r), __high2float(l) + __high2float(r));",
        ),
        ("pairs = (count + 1) / 2;", "pairs = count;"),
    ),
    # A block's threads go through the block's elements side by side.
    Right(
        "xxix_add_coarse_by_blocks",
        "xxix_add_coarse",
        (
            "int64_t begin = tid * PER_THREAD;",
            "int64_t begin = (tid - threadIdx.x) * PER_THREAD + threadIdx.x;",
        ),
        (
            "int64_t end = begin + PER_THREAD;",
            "int64_t end = (tid - threadIdx.x + blockDim.x) * PER_THREAD;",
        ),
        ("k < end; k++)", "k < end; k += blockDim.x)"),
    ),
    # Through one fused addition, and the scalars go in another order.
    Right(
        "xxix_add_axpby_fma",
        "xxix_add_axpby",
        ("alpha * xv + beta * yv", "fmaf(beta, yv, alpha * xv)"),
        (
            "axpby_kernel(float alpha, const bf16* __restrict__ x, float beta, const bf16* __restrict__ y,",
            "axpby_kernel(float beta, const bf16* __restrict__ x, float alpha, const bf16* __restrict__ y,",
        ),
        ("(alpha, x, beta, y, out, numel);", "(beta, x, alpha, y, out, numel);"),
    ),
    # Kept to the range before the zero point, by bounds that know of it; integers round.
    Right(
        "xxix_cast_quant_bounds_moved",
        "xxix_cast_quant",
        ("rintf(v / scale) + zero_point;", "v / scale;"),
        (
            "fminf(fmaxf(q, -128.0f), 127.0f);",
            "fminf(fmaxf(q, -128.0f - zero_point), 127.0f - zero_point);",
        ),
        (
            "return static_cast<int8_t>(q);",
            "return static_cast<int8_t>(__float2int_rn(q) + zero_point);",
        ),
    ),
    # The rest is the first block's, which has enough threads for it.
    Right(
        "xxix_cast_dequant_rest_by_first",
        "xxix_cast_dequant",
        ("if (blockIdx.x == gridDim.x - 1) {", "if (blockIdx.x == 0 && threadIdx.x < 3) {"),
        ("(n / 4 + T - 1) / T + 1;", "(n / 4) / T + 3;"),
    ),
    # In double, by blocks of two rows of threads.
    Right(
        "xxix_act_sigmoid_double",
        "xxix_act_sigmoid",
        ("1.0f / (1.0f + expf(-in[idx]))", "(float)(1.0 / (1.0 + exp(-(double)in[idx])))"),
        ("dim3 DimBlock(64, 1, 1);", "dim3 DimBlock(32, 2, 1);"),
        (
            "(long long)blockIdx.x * blockDim.x + threadIdx.x;",
            "(long long)blockIdx.x * blockDim.x * blockDim.y + threadIdx.y * blockDim.x + threadIdx.x;",
        ),
    ),
    # No vectors at all.
    Right(
        "xxix_act_relu_tail_of_all",
        "xxix_act_relu",
        ("const int64_t nvec = n / 4;", "const int64_t nvec = 0;"),
        ("unsigned(nvec / threads + 1);", "unsigned(n / threads + 1);"),
    ),
    # The complement of the error function.
    Right(
        "xxix_act_gelu_erfc",
        "xxix_act_gelu",
        ("0.5f * (1.0f + erff(x * SQRT1_2));", "0.5f * erfcf(-x * SQRT1_2);"),
        ("unsigned gx = 8;", "unsigned gx = 5;"),
    ),
    # The last thread of the grid has the last one.
    Right(
        "xxix_act_swiglu_last_by_last",
        "xxix_act_swiglu",
        (
            "if (first == 0 && (n & 1))",
            "if (first == int64_t(gridDim.x) * blockDim.x - 1 && (n & 1))",
        ),
        ("silu(g.x) * u.x, silu(g.y) * u.y", "u.x * silu(g.x), u.y * silu(g.y)"),
    ),
    # Kept to the range as floats, before they are rounded.
    Right(
        "xxix_fused_brighten_float_clamp",
        "xxix_fused_brighten",
        (
            "const float v = pixel * gain + offset;",
            "const float v = fminf(fmaxf(fmaf(gain, pixel, offset), 0.f), 255.f);",
        ),
        (
            "return rounded < 0 ? 0 : rounded > 255 ? 255 : rounded;",
            "return static_cast<uint8_t>(rounded);",
        ),
    ),
    # The slope is chosen as a factor, and always seven blocks.
    Right(
        "xxix_fused_epilogue_factor",
        "xxix_fused_epilogue",
        ("if (v < 0.f) v *= slope;", "v *= v > 0.f ? 1.f : slope;"),
        ("epilogue<<<blocks, 128, 0, stream>>>", "epilogue<<<7, 160, 0, stream>>>"),
    ),
    # Neighbours are added first, with shared memory to spare.
    Right(
        "xxix_sum_tree_neighbours_first",
        "xxix_sum_tree",
        (
            "for (unsigned int s = blockDim.x / 2; s > 0; s >>= 1) {\n        if (tid < s) {",
            "for (unsigned int s = 1; s < blockDim.x; s *= 2) {\n        if (tid % (2 * s) == 0) {",
        ),
        ("threads * sizeof(float), stream>>>", "threads * sizeof(double), stream>>>"),
    ),
    # A warp is enough for all.
    Right(
        "xxix_sum_mean_one_warp",
        "xxix_sum_mean",
        ("<<<1, 512, 0, stream>>>", "<<<1, 32, 0, stream>>>"),
    ),
    # A block of one thread joins the parts.
    Right(
        "xxix_max_blocks_one_thread",
        "xxix_max_blocks",
        (
            "__global__ void block_max(",
            "__global__ void join(const float* parts, float* result, int n) {\n    float m = parts[0];\n    for (int k = 1; k < n; ++k) m = max_nan(parts[k], m);\n    *result = m;\n}\n\n__global__ void block_max(",
        ),
        (
            "block_max<<<1, 128, 0, stream>>>(tmp, result, blocks);",
            "join<<<1, 1, 0, stream>>>(tmp, result, blocks);",
        ),
    ),
    # Every thread asks the memory.
    Right(
        "xxix_min_shared_global_only",
        "xxix_min_shared",
        (
            "    atomicMin(&block_min, mine);\n    __syncthreads();\n\n    if (threadIdx.x == 0) atomicMin(out, block_min);",
            "    atomicMin(out, mine);",
        ),
        (
            "    __shared__ int block_min;\n    if (threadIdx.x == 0) block_min = INT_MAX;\n    __syncthreads();\n\n",
            "",
        ),
    ),
    *twentyninth_arrays.RIGHT,
)
