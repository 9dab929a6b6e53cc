"""Hold a thirty-fourth family: additions, casts, activations, fused operators, sums, extremes.

Half of the bases are as students hand in in the first weeks of a course, half as juniors write
for a small library of operators. The causes were written before a member was judged. On the
emulator each member ran beside PyTorch: bases and right ones are right, and all wrong ones but
two wrong, or refused by a fault, some only so:

    xxxiv_add_loop_rounded_down       below 256 elements
    xxxiv_residual_pairs_rounded      of products that no bfloat16 has
    xxxiv_residual_pairs_first_lane   from 2 elements on
    xxxiv_residual_pairs_high_low     likewise
    xxxiv_residual_pairs_no_room      if n is 1 more than a multiple of 256
    xxxiv_quant_s8_roundf             of quotients in the middle between two whole numbers
    xxxiv_quant_s8_128                of quotients past 127
    xxxiv_quant_s8_times              if the scale is not 1
    xxxiv_narrow_fours_places         from 8 elements on
    xxxiv_narrow_fours_largest        of numbers past the largest half, and of NaN, from 4 on
    xxxiv_narrow_fours_no_rest        if n is no multiple of 4
    xxxiv_relu_coarse_begin           if the blocks do not reach: of 1,000, not of 513
    xxxiv_relu_coarse_one_apart       from 132 elements on
    xxxiv_relu_coarse_first_test      if n is no multiple of 512
    xxxiv_relu_coarse_hmax            of NaN
    xxxiv_swiglu_row_length           from 2 rows on
    xxxiv_swiglu_overflows            of gates past 88
    xxxiv_sigmoid_no_block            from 513 elements on
    xxxiv_bias_gelu_of_row            of more than one element
    xxxiv_bias_gelu_step_128          of blocks of another size, if the columns are more
    xxxiv_bias_gelu_first_row         from 2 rows on
    xxxiv_axpby_no_promise            of tensors that start at no multiple of 16 bytes
    xxxiv_axpby_tail_factor           if n is no multiple of 4, by another factor than 1
    xxxiv_axpby_step_four             from 1,537 elements on
    xxxiv_sum_steps_in_half           of sums that no half has
    xxxiv_sum_steps_no_zero           if n is no multiple of 256
    xxxiv_dot_last_not_reset          from the second call on
    xxxiv_dot_last_three_warps        from 97 elements on
    xxxiv_dot_last_32_parts           from 4,097 elements on
    xxxiv_min_int_zero                of positive numbers
    xxxiv_min_int_bytes               of numbers past 0x7f7f7f7f
    xxxiv_min_int_floats              past 2^24
    xxxiv_min_int_one_warp            from 33 elements on
    xxxiv_amax_signed                 if the largest magnitude is that of a negative number
    xxxiv_amax_value                  of numbers that are not all 0
    xxxiv_amax_not_set                if the output was larger before
    xxxiv_mse_less_one                of differences that are not all 0
    xxxiv_mse_96                      from 3 elements on

Two are wrong by reasoning:

    xxxiv_min_int_no_stream           of another stream than the default one
    xxxiv_sum_steps_no_atomic         where blocks run at once, from 257 elements on
"""

# ruff: noqa: E501 (a line of a kernel stands in one line)
from __future__ import annotations

from collections.abc import Iterator

import torch

from helpers.run.launcher import Launcher
from helpers.testing.cases import Case
from tests.testing.family import thirtyfourth_arrays
from tests.testing.family.elementwise import HEADER
from tests.testing.family.table import Base, Right, Wrong
from tests.testing.family.twentysixth import whole

# A student's addition in a loop, after the first tutorial.
ADD = (
    HEADER
    + """\
__global__
void add(int64_t n, const float *x, const float *y, float *sum)
{
  int64_t index = blockIdx.x * (int64_t)blockDim.x + threadIdx.x;
  int64_t stride = (int64_t)blockDim.x * gridDim.x;
  for (int64_t i = index; i < n; i += stride)
    sum[i] = x[i] + y[i];
}

extern "C" void launch(int64_t n, const float *x /* [n] */, const float *y /* [n] */, float *sum /* [n] */, cudaStream_t stream = 0)
{
  int blockSize = 256;
  int64_t numBlocks = (n + blockSize - 1) / blockSize;
  if (numBlocks > 12) numBlocks = 12;
  add<<<(int)numBlocks, blockSize, 0, stream>>>(n, x, y, sum);
}
"""
)

# A junior's residual in bfloat16, two a thread.
RESIDUAL = (
    HEADER
    + """\
using bf16 = __nv_bfloat16;
using bf162 = __nv_bfloat162;

__device__ __forceinline__ float mix(bf16 h, bf16 r, float alpha) {
    return __bfloat162float(h) + alpha * __bfloat162float(r);
}

__global__ void residual_add(bf16* __restrict__ out, const bf16* __restrict__ hidden, const bf16* __restrict__ res, float alpha, int64_t count) {
    const int64_t pair = int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
    const int64_t pairs = count / 2;
    if (pair < pairs) {
        const bf162 h = reinterpret_cast<const bf162*>(hidden)[pair];
        const bf162 r = reinterpret_cast<const bf162*>(res)[pair];
        const float lo = mix(h.x, r.x, alpha);
        const float hi = mix(h.y, r.y, alpha);
        reinterpret_cast<bf162*>(out)[pair] = __floats2bfloat162_rn(lo, hi);
    } else if (pair == pairs && count % 2) {
        out[2 * pairs] = __float2bfloat16(mix(hidden[2 * pairs], res[2 * pairs], alpha));
    }
}

extern "C" void launch(bf16* out,           // [count] 4-byte aligned
                       const bf16* hidden,  // [count] 4-byte aligned
                       const bf16* res,     // [count] 4-byte aligned
                       float alpha, int64_t count, cudaStream_t stream = 0) {
    const int64_t threads = (count + 1) / 2;
    residual_add<<<unsigned((threads + 127) / 128), 128, 0, stream>>>(out, hidden, res, alpha, count);
}
"""
)

# A junior's quantisation to bytes with a sign.
QUANT = (
    HEADER
    + """\
__global__ void quantize_s8(const float* __restrict__ w, float scale, int8_t* __restrict__ q, int64_t size)
{
    const int64_t tid = threadIdx.x + int64_t(blockIdx.x) * blockDim.x;
    if (tid >= size)
        return;
    float level = rintf(w[tid] / scale);
    level = fmaxf(level, -128.0f);
    level = fminf(level, 127.0f);
    q[tid] = static_cast<int8_t>(level);
}

extern "C" void launch(const float* w /* [size] */, float scale, int8_t* q /* [size] */, int64_t size, int block_size = 256, cudaStream_t stream = 0)
{
    const int64_t blocks = (size - 1) / block_size + 1;
    quantize_s8<<<static_cast<unsigned>(blocks), block_size, 0, stream>>>(w, scale, q, size);
}
"""
)

# A student's cast to half, four a thread, and a second kernel for what is left.
NARROW = (
    HEADER
    + """\
__global__ void float4_to_half(const float4 *src, __half2 *dst, int64_t quads)
{
    int64_t q = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (q < quads) {
        float4 f = src[q];
        dst[2 * q] = __floats2half2_rn(f.x, f.y);
        dst[2 * q + 1] = __floats2half2_rn(f.z, f.w);
    }
}

__global__ void float_to_half(const float *src, __half *dst, int64_t first, int64_t n)
{
    int64_t i = first + threadIdx.x;
    if (i < n) dst[i] = __float2half(src[i]);
}

extern "C" void launch(const float *src /* [n] 16-byte aligned */, __half *dst /* [n] 4-byte aligned */, int64_t n, cudaStream_t stream = 0)
{
    int64_t quads = n / 4;
    if (quads > 0)
        float4_to_half<<<(unsigned)((quads + 63) / 64), 64, 0, stream>>>((const float4 *)src, (__half2 *)dst, quads);
    float_to_half<<<1, 3, 0, stream>>>(src, dst, quads * 4, n);
}
"""
)

# A student's ReLU of halves, four a thread, a block apart.
RELU = (
    HEADER
    + """\
#define COARSE 4

__global__ void relu_kernel(__half *out, const __half *in, int64_t n) {
    int64_t first = (int64_t)blockIdx.x * blockDim.x * COARSE + threadIdx.x;
    const __half zero = __float2half(0.0f);
    for (int c = 0; c < COARSE; c++) {
        int64_t i = first + c * blockDim.x;
        if (i < n) {
            __half v = in[i];
            if (__hlt(v, zero)) v = zero;
            out[i] = v;
        }
    }
}

extern "C" void launch(__half *out /* [n] */, const __half *in /* [n] */, int64_t n, cudaStream_t stream = 0) {
    const int threads = 128;
    int64_t per_block = threads * COARSE;
    int64_t blocks = (n + per_block - 1) / per_block;
    relu_kernel<<<(unsigned int)blocks, threads, 0, stream>>>(out, in, n);
}
"""
)

# A junior's gated unit: the gate and what it lets through stand behind one another in each row.
SWIGLU = (
    HEADER
    + """\
__global__ void swiglu_fwd(const __nv_bfloat16* __restrict__ gate_up, __nv_bfloat16* __restrict__ y, int64_t tokens, int64_t dim) {
  const int64_t total = tokens * dim;
  for (int64_t i = blockIdx.x * (int64_t)blockDim.x + threadIdx.x; i < total; i += (int64_t)gridDim.x * blockDim.x) {
    const int64_t t = i / dim;
    const int64_t d = i - t * dim;
    const __nv_bfloat16* row = gate_up + t * 2 * dim;
    const float g = __bfloat162float(row[d]);
    const float u = __bfloat162float(row[dim + d]);
    const float silu = g / (1.0f + expf(-g));
    y[i] = __float2bfloat16(silu * u);
  }
}

extern "C" void launch(const __nv_bfloat16* gate_up,  // [tokens, 2, dim]
                       __nv_bfloat16* y,              // [tokens, dim]
                       int64_t tokens, int64_t dim, cudaStream_t stream = 0) {
  swiglu_fwd<<<6, 128, 0, stream>>>(gate_up, y, tokens, dim);
}
"""
)

# A student's sigmoid.
SIGMOID = (
    HEADER
    + """\
__global__ void sigmoid(float *d_in, float *d_out, int64_t N)
{
    int64_t tid = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (tid < N)
    {
        d_out[tid] = 1.0f / (1.0f + expf(-d_in[tid]));
    }
}

extern "C" void launch(const float *d_in /* [N] */, float *d_out /* [N] */, int64_t N, cudaStream_t stream = 0)
{
    dim3 block(512);
    dim3 grid((unsigned)((N + block.x - 1) / block.x));
    sigmoid<<<grid, block, 0, stream>>>((float *)d_in, d_out, N);
}
"""
)

# A junior's bias and GELU, a block a row.
BIAS_GELU = (
    HEADER
    + """\
__device__ inline float gelu_erf(float v) { return 0.5f * v * (1.0f + erff(v * 0.70710678f)); }

__global__ void bias_gelu_rows(const float* inp, const float* bias, float* outp, int64_t C) {
  const float* in_row = inp + blockIdx.x * C;
  float* out_row = outp + blockIdx.x * C;
  for (int64_t c = threadIdx.x; c < C; c += blockDim.x)
    out_row[c] = gelu_erf(in_row[c] + bias[c]);
}

extern "C" void launch(const float* inp,   // [R, C]
                       const float* bias,  // [C]
                       float* outp,        // [R, C]
                       int64_t R, int64_t C, int block_size = 64, cudaStream_t stream = 0) {
  bias_gelu_rows<<<(unsigned)R, block_size, 0, stream>>>(inp, bias, outp, C);
}
"""
)

# A junior's sum of two scaled vectors, four floats a thread, in a loop.
AXPBY = (
    HEADER
    + """\
__device__ float4 axpby4(float a, float4 x, float b, float4 y) {
    return make_float4(a * x.x + b * y.x, a * x.y + b * y.y, a * x.z + b * y.z, a * x.w + b * y.w);
}

__global__ void axpby(float a, const float* __restrict__ x, float b, const float* __restrict__ y, float* __restrict__ z, int64_t n) {
    const int64_t me = (int64_t)blockDim.x * blockIdx.x + threadIdx.x;
    const int64_t step = (int64_t)blockDim.x * gridDim.x;
    const int64_t n4 = n >> 2;
    for (int64_t k = me; k < n4; k += step) {
        ((float4*)z)[k] = axpby4(a, ((const float4*)x)[k], b, ((const float4*)y)[k]);
    }
    for (int64_t k = n4 * 4 + me; k < n; k += step) {
        z[k] = a * x[k] + b * y[k];
    }
}

extern "C" void launch(float a,
                       const float* x,  // [n] 16-byte aligned
                       float b,
                       const float* y,  // [n] 16-byte aligned
                       float* z,        // [n] 16-byte aligned
                       int64_t n, cudaStream_t stream = 0) {
    axpby<<<4, 96, 0, stream>>>(a, x, b, y, z, n);
}
"""
)

# A student's sum of halves: a tree with steps that grow, and an atomic for each block.
SUM = (
    HEADER
    + """\
#define BLOCK 256

__global__ void reduceSum(const half *g_idata, float *g_odata, int64_t n)
{
    __shared__ float sdata[BLOCK];
    unsigned int tid = threadIdx.x;
    int64_t i = (int64_t)blockIdx.x * blockDim.x + tid;

    sdata[tid] = (i < n) ? __half2float(g_idata[i]) : 0.0f;
    __syncthreads();

    for (unsigned int s = 1; s < blockDim.x; s *= 2)
    {
        if (tid % (2 * s) == 0)
        {
            sdata[tid] += sdata[tid + s];
        }
        __syncthreads();
    }

    if (tid == 0) atomicAdd(g_odata, sdata[0]);
}

extern "C" void launch(float *g_odata /* [1] */, const half *g_idata /* [n] */, int64_t n, cudaStream_t stream = 0)
{
    cudaMemsetAsync(g_odata, 0, sizeof(float), stream);
    int64_t nBlocks = (n + BLOCK - 1) / BLOCK;
    reduceSum<<<(unsigned int)nBlocks, BLOCK, 0, stream>>>(g_idata, g_odata, n);
}
"""
)

# A junior's dot product, whose last block adds the parts.
DOT = (
    HEADER
    + """\
constexpr int kBlocks = 40;
constexpr int kThreads = 128;

__device__ double g_parts[kBlocks];
__device__ unsigned g_done = 0;

__device__ double block_sum(double v) {
  __shared__ double warps[kThreads / 32];
  for (int o = 16; o > 0; o >>= 1) v += __shfl_down_sync(~0u, v, o);
  __syncthreads();
  if (threadIdx.x % 32 == 0) warps[threadIdx.x / 32] = v;
  __syncthreads();
  v = 0.0;
  for (int w = 0; w < kThreads / 32; ++w) v += warps[w];
  return v;
}

__global__ void dot_kernel(const float* __restrict__ u, const float* __restrict__ v, int64_t n, float* __restrict__ result) {
  __shared__ bool last;
  double acc = 0.0;
  for (int64_t i = int64_t(blockIdx.x) * kThreads + threadIdx.x; i < n; i += int64_t(kThreads) * kBlocks) acc += double(u[i]) * v[i];
  acc = block_sum(acc);
  if (threadIdx.x == 0) {
    g_parts[blockIdx.x] = acc;
    __threadfence();
    last = atomicAdd(&g_done, 1u) == kBlocks - 1;
  }
  __syncthreads();
  if (!last) return;
  __threadfence();
  double total = 0.0;
  for (int b = threadIdx.x; b < kBlocks; b += kThreads) total += ((volatile double*)g_parts)[b];
  total = block_sum(total);
  if (threadIdx.x == 0) {
    *result = float(total);
    g_done = 0;
  }
}

extern "C" void launch(const float* u,  // [n]
                       const float* v,  // [n]
                       int64_t n,
                       float* result,  // [1]
                       cudaStream_t stream = 0) {
  dot_kernel<<<kBlocks, kThreads, 0, stream>>>(u, v, n, result);
}
"""
)

# A student's smallest integer, by warps and an atomic each.
MIN = (
    HEADER
    + """\
#include <climits>

__global__ void init_min(int *ans) { *ans = INT_MAX; }

__global__ void find_min(const int *arr, int *ans, int64_t len) {
    int64_t gid = blockIdx.x * (int64_t)blockDim.x + threadIdx.x;
    int best = INT_MAX;
    if (gid < len) best = arr[gid];
    for (int delta = 16; delta >= 1; delta /= 2) {
        int other = __shfl_down_sync(0xffffffff, best, delta);
        if (other < best) best = other;
    }
    if (threadIdx.x % 32 == 0) atomicMin(ans, best);
}

extern "C" void launch(const int *arr /* [len] */, int64_t len, int *ans /* [1] */, cudaStream_t stream = 0) {
    init_min<<<1, 1, 0, stream>>>(ans);
    find_min<<<(unsigned)((len + 191) / 192), 192, 0, stream>>>(arr, ans, len);
}
"""
)

# A junior's largest magnitude of halves, for a scale: such floats are ordered as their bits.
AMAX = (
    HEADER
    + """\
__global__ void amax_half(const __half* __restrict__ t, float* __restrict__ amax, int64_t numel) {
  __shared__ float per_warp[8];
  const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
  float m = 0.f;
  for (int64_t i = int64_t(blockIdx.x) * blockDim.x + threadIdx.x; i < numel; i += int64_t(gridDim.x) * blockDim.x)
    m = fmaxf(m, fabsf(__half2float(t[i])));
#pragma unroll
  for (int x = 16; x; x >>= 1) m = fmaxf(m, __shfl_xor_sync(0xffffffffu, m, x));
  if (lane == 0) per_warp[warp] = m;
  __syncthreads();
  if (warp == 0) {
    m = lane < 8 ? per_warp[lane] : 0.f;
#pragma unroll
    for (int x = 4; x; x >>= 1) m = fmaxf(m, __shfl_xor_sync(0xffffffffu, m, x));
    if (lane == 0) atomicMax(reinterpret_cast<int*>(amax), __float_as_int(m));
  }
}

extern "C" void launch(float* amax,      // [1]
                       const __half* t,  // [numel]
                       int64_t numel, cudaStream_t stream = 0) {
  cudaMemsetAsync(amax, 0, 4, stream);
  amax_half<<<5, 256, 0, stream>>>(t, amax, numel);
}
"""
)

# A student's mean of squared differences, in one block.
MSE = (
    HEADER
    + """\
__global__ void mse_kernel(const float *pred, const float *target, float *loss, int64_t n)
{
    __shared__ float cache[128];
    int t = threadIdx.x;
    float temp = 0.0f;
    for (int64_t i = t; i < n; i += blockDim.x)
    {
        float diff = pred[i] - target[i];
        temp += diff * diff;
    }
    cache[t] = temp;
    __syncthreads();
    int i = blockDim.x / 2;
    while (i != 0)
    {
        if (t < i)
            cache[t] += cache[t + i];
        __syncthreads();
        i /= 2;
    }
    if (t == 0)
        *loss = cache[0] / n;
}

extern "C" void launch(const float *pred /* [n] */, const float *target /* [n] */, float *loss /* [1] */, int64_t n, cudaStream_t stream = 0)
{
    mse_kernel<<<1, 128, 0, stream>>>(pred, target, loss, n);
}
"""
)


def _add(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    return a.double() + b.double()


def _relu(a: torch.Tensor) -> torch.Tensor:
    return a.double().clamp(min=0)


def residuals(launcher: Launcher) -> Iterator[Case]:
    """Add residuals by several factors."""
    for n in (1, 2, 3, 31, 255, 256, 257, 1000, 3001):
        h = (whole(-999, 1000, n, n).float() / 64).bfloat16()
        r = (whole(-999, 1000, n, n + 1).float() / 64).bfloat16()
        for alpha in (1.0, 0.5, -1.625):
            right = (h.double() + alpha * r.double(),)
            words = f"count = {n:,}, alpha = {alpha}"
            yield Case(words, (h, r), right, {"alpha": alpha}, dtypes=(torch.bfloat16,))


def levels(launcher: Launcher) -> Iterator[Case]:
    """Quantise numbers whose quotients are exact, halves and such outside among them."""
    for n in (1, 2, 31, 256, 257, 1000, 3001):
        k = whole(-240, 241, n, n)
        for scale in (0.25, 1.0, 4.0):
            for block_size in (256, 96):
                for label, j in (("inside", k), ("outside", k * 5), ("halves", k | 1)):
                    w = j.float() / 2 * scale
                    right = ((j.double() / 2).round().clamp(-128, 127),)
                    scalars = {"scale": scale, "block_size": block_size}
                    words = f"size = {n:,}, {scalars}, {label}"
                    yield Case(words, (w,), right, scalars, dtypes=(torch.int8,))


def narrowed(launcher: Launcher) -> Iterator[Case]:
    """Cast usual, large, small and strange numbers to half."""
    for n in (1, 2, 3, 4, 5, 31, 256, 259, 1000, 3002):
        x = whole(-99_999, 100_000, n, n).float() / 1024
        strange = x.clone()
        strange[::3] = float("inf")
        strange[1::5] = float("nan")
        for label, y in (
            ("usual", x),
            ("large", x * 2000),
            ("small", x / 2**20),
            ("strange", strange),
        ):
            right = (y.half().double(),)
            yield Case(f"n = {n:,}, {label}", (y,), right, dtypes=(torch.float16,))


def gates(launcher: Launcher) -> Iterator[Case]:
    """Gate usual, small and large numbers."""
    for tokens, dim in ((1, 1), (1, 31), (3, 1), (2, 7), (5, 128), (7, 129), (33, 40)):
        n = tokens * dim * 2
        x = (whole(-1000, 1001, n, n).float() / 256).reshape(tokens, 2, dim)
        for label, factor in (("usual", 1.0), ("small", 1 / 64), ("large", 40.0)):
            y = (x * factor).bfloat16()
            g, u = y[:, 0].double(), y[:, 1].double()
            right = g * torch.sigmoid(g) * u
            options = {
                "dtypes": (torch.bfloat16,),
                "ulp": 1,
                "within": (2.0**-20 * right.abs() + 1e-30,),
            }
            words = f"tokens = {tokens}, dim = {dim}, {label}"
            yield Case(words, (y,), (right,), **options)


def sigmoids(launcher: Launcher) -> Iterator[Case]:
    """Take the sigmoid of usual, small and large numbers."""
    for n in (1, 2, 31, 512, 513, 1000, 3001):
        x = whole(-1000, 1001, n, n).float() / 256
        for label, y in (("usual", x), ("small", x / 64), ("large", x * 20)):
            right = torch.sigmoid(y.double())
            options = {
                "dtypes": (torch.float32,),
                "ulp": 4,
                "within": (2.0**-20 * right + 1e-37,),
            }
            yield Case(f"N = {n:,}, {label}", (y,), (right,), **options)


def biased(launcher: Launcher) -> Iterator[Case]:
    """Add a bias to rows, and apply GELU."""
    for rows, cols in ((1, 1), (1, 65), (3, 1), (2, 31), (5, 64), (9, 200), (40, 130)):
        x = whole(-900, 901, rows * cols, rows).float().reshape(rows, cols) / 256
        bias = whole(-500, 501, cols, cols + 1).float() / 256
        for block_size in (64, 128):
            for label, factor in (("usual", 1.0), ("large", 10.0)):
                y, b = x * factor, bias * factor
                v = y.double() + b.double()
                right = torch.nn.functional.gelu(v)
                options = {
                    "dtypes": (torch.float32,),
                    "ulp": 4,
                    "within": (2.0**-20 * v.abs() + 1e-30,),
                }
                scalars = {"block_size": block_size}
                words = f"R = {rows}, C = {cols}, {scalars}, {label}"
                yield Case(words, (y, b), (right,), scalars, **options)


def scaled(launcher: Launcher) -> Iterator[Case]:
    """Scale and add whole numbers: all products and sums are exact."""
    for n in (1, 2, 3, 4, 5, 31, 384, 387, 1536, 1541, 4003):
        x, y = (whole(-500, 501, n, n + k).float() for k in range(2))
        for a, b in ((1.0, 1.0), (0.5, -3.0), (-2.25, 0.75)):
            right = (a * x.double() + b * y.double(),)
            scalars = {"a": a, "b": b}
            yield Case(f"n = {n:,}, {scalars}", (x, y), right, scalars, dtypes=(torch.float32,))


def totals(launcher: Launcher) -> Iterator[Case]:
    """Add whole numbers, whose sums are exact."""
    for n in (1, 2, 31, 33, 255, 256, 257, 1000, 5003):
        x = whole(-99, 100, n, n)
        for label, y in (("any", x), ("positive", x.abs() + 1), ("ones", x * 0 + 1)):
            right = (y.double().sum().reshape(1),)
            yield Case(f"n = {n:,}, {label}", (y.half(),), right, dtypes=(torch.float32,))


def dots(launcher: Launcher) -> Iterator[Case]:
    """Multiply and add whole numbers."""
    for n in (1, 2, 31, 33, 128, 129, 1000, 5120, 5121, 9001):
        a, b = whole(-99, 100, n, n), whole(-99, 100, n, n + 1)
        for label, x, y in (("any", a, b), ("positive", a.abs() + 1, b.abs() + 1)):
            right = ((x * y).sum().double().reshape(1),)
            inputs = x.float(), y.float()
            yield Case(f"n = {n:,}, {label}", inputs, right, dtypes=(torch.float32,), ulp=1)


def lows(launcher: Launcher) -> Iterator[Case]:
    """Find the smallest of any, of positive, of very large and of close numbers."""
    for n in (1, 2, 31, 33, 192, 193, 1000, 5003):
        x = whole(-(2**30), 2**30, n, n)
        kinds = (
            ("any", x),
            ("positive", x.abs() + 1),
            ("close", 2**30 + x % 64 + 1),
            ("very large", 2**31 - 2 - x % 64),
            ("rising", x.sort()[0]),
            ("falling", x.sort(descending=True)[0]),
        )
        for label, y in kinds:
            right = (y.min().double().reshape(1),)
            yield Case(f"len = {n:,}, {label}", (y.int(),), right, dtypes=(torch.int32,))


def magnitudes(launcher: Launcher) -> Iterator[Case]:
    """Find the largest magnitude of any, of negative, of small and of rising numbers."""
    for n in (1, 2, 31, 33, 256, 257, 1280, 1281, 5003):
        x = whole(-2000, 2001, n, n).float() / 16
        kinds = (
            ("any", x),
            ("negative", -x.abs() - 1),
            ("small", x / 512),
            ("rising", x.sort()[0]),
            ("zeros", x * 0),
        )
        for label, y in kinds:
            t = y.half()
            right = (t.double().abs().max().reshape(1),)
            yield Case(f"numel = {n:,}, {label}", (t,), right, dtypes=(torch.float32,))


def errors(launcher: Launcher) -> Iterator[Case]:
    """Take the mean of squares of whole numbers and of fractions."""
    for n in (1, 2, 31, 33, 64, 128, 129, 1000, 3001):
        a, b = whole(-30, 31, n, n).float(), whole(-30, 31, n, n + 1).float()
        for label, x, y in (("any", a, b), ("fractions", a / 64, b / 64), ("equal", a, a)):
            right = ((x.double() - y.double()).square().mean().reshape(1),)
            yield Case(f"n = {n:,}, {label}", (x, y), right, dtypes=(torch.float32,), ulp=1)


BASES = {
    "xxxiv_add_loop": Base(ADD, {"reference": _add}),
    "xxxiv_residual_pairs": Base(RESIDUAL, {"cases": residuals}),
    "xxxiv_quant_s8": Base(QUANT, {"cases": levels}),
    "xxxiv_narrow_fours": Base(NARROW, {"cases": narrowed}),
    "xxxiv_relu_coarse": Base(RELU, {"reference": _relu}),
    "xxxiv_swiglu": Base(SWIGLU, {"cases": gates}),
    "xxxiv_sigmoid": Base(SIGMOID, {"cases": sigmoids}),
    "xxxiv_bias_gelu": Base(BIAS_GELU, {"cases": biased}),
    "xxxiv_axpby": Base(AXPBY, {"cases": scaled}),
    "xxxiv_sum_steps": Base(SUM, {"cases": totals}),
    "xxxiv_dot_last": Base(DOT, {"cases": dots}),
    "xxxiv_min_int": Base(MIN, {"cases": lows}),
    "xxxiv_amax": Base(AMAX, {"cases": magnitudes}),
    "xxxiv_mse": Base(MSE, {"cases": errors}),
    **thirtyfourth_arrays.BASES,
}

WRONG = (
    # ---- additions
    # One too many.
    Wrong("xxxiv_add_loop_to_n", "xxxiv_add_loop", "bounds | tail", ("i < n;", "i <= n;")),
    # Counted from 1.
    Wrong(
        "xxxiv_add_loop_from_one",
        "xxxiv_add_loop",
        "unwritten / neighbour / left out | numbers / tail",
        ("for (int64_t i = index;", "for (int64_t i = index + 1;"),
    ),
    # Blocks are rounded down: below one block there is none.
    Wrong(
        "xxxiv_add_loop_rounded_down",
        "xxxiv_add_loop",
        "grid / refused / unwritten | tail / left out",
        ("(n + blockSize - 1) / blockSize;", "n / blockSize;"),
    ),
    # The factor's product is rounded.
    Wrong(
        "xxxiv_residual_pairs_rounded",
        "xxxiv_residual_pairs",
        "rounding / precision | numbers",
        (
            "+ alpha * __bfloat162float(r);",
            "+ __bfloat162float(__float2bfloat16(alpha * __bfloat162float(r)));",
        ),
    ),
    # The first of the residual's pair, twice.
    Wrong(
        "xxxiv_residual_pairs_first_lane",
        "xxxiv_residual_pairs",
        "other element / neighbour / twice / left out | numbers / function",
        ("mix(h.y, r.y, alpha)", "mix(h.y, r.x, alpha)"),
    ),
    # Upper and lower exchanged.
    Wrong(
        "xxxiv_residual_pairs_high_low",
        "xxxiv_residual_pairs",
        "swapped / neighbour / other element | numbers / function",
        ("__floats2bfloat162_rn(lo, hi)", "__floats2bfloat162_rn(hi, lo)"),
    ),
    # The odd one has no thread, if the pairs fill their blocks.
    Wrong(
        "xxxiv_residual_pairs_no_room",
        "xxxiv_residual_pairs",
        "tail / unwritten / grid / refused | left out",
        ("threads = (count + 1) / 2;", "threads = count / 2;"),
    ),
    # ---- casts
    # Halves away from zero.
    Wrong(
        "xxxiv_quant_s8_roundf",
        "xxxiv_quant_s8",
        "rounding | numbers",
        ("rintf(w[tid] / scale)", "roundf(w[tid] / scale)"),
    ),
    # One upper end too high.
    Wrong(
        "xxxiv_quant_s8_128",
        "xxxiv_quant_s8",
        "whole range | numbers / function",
        ("fminf(level, 127.0f)", "fminf(level, 128.0f)"),
    ),
    # A product in place of the quotient.
    Wrong(
        "xxxiv_quant_s8_times",
        "xxxiv_quant_s8",
        "function | numbers / whole range",
        ("w[tid] / scale", "w[tid] * scale"),
    ),
    # Pairs are not two apart.
    Wrong(
        "xxxiv_narrow_fours_places",
        "xxxiv_narrow_fours",
        "race / unwritten / other element | left out / numbers / tail / twice",
        ("dst[2 * q] =", "dst[q] ="),
        ("dst[2 * q + 1] =", "dst[q + 1] ="),
    ),
    # Whatever is too large becomes the largest half.
    Wrong(
        "xxxiv_narrow_fours_largest",
        "xxxiv_narrow_fours",
        "infinity | nan / numbers / whole range",
        (
            "        float4 f = src[q];\n",
            "        float4 f = src[q];\n        f.x = fminf(fmaxf(f.x, -65504.0f), 65504.0f);\n        f.y = fminf(fmaxf(f.y, -65504.0f), 65504.0f);\n        f.z = fminf(fmaxf(f.z, -65504.0f), 65504.0f);\n        f.w = fminf(fmaxf(f.w, -65504.0f), 65504.0f);\n",
        ),
    ),
    # What is left has no kernel.
    Wrong(
        "xxxiv_narrow_fours_no_rest",
        "xxxiv_narrow_fours",
        "tail / unwritten | left out",
        ("    float_to_half<<<1, 3, 0, stream>>>(src, dst, quads * 4, n);\n", ""),
    ),
    # ---- activations
    # Each block begins as if a thread took one.
    Wrong(
        "xxxiv_relu_coarse_begin",
        "xxxiv_relu_coarse",
        "unwritten / grid / tail / left out | race / twice",
        ("blockDim.x * COARSE + threadIdx.x", "blockDim.x + threadIdx.x"),
    ),
    # One apart, not a block.
    Wrong(
        "xxxiv_relu_coarse_one_apart",
        "xxxiv_relu_coarse",
        "unwritten / left out | tail / race / twice / grid / block size",
        ("first + c * blockDim.x", "first + c"),
    ),
    # The first of four is tested.
    Wrong(
        "xxxiv_relu_coarse_first_test",
        "xxxiv_relu_coarse",
        "bounds | tail",
        ("if (i < n) {", "if (first < n) {"),
    ),
    # The larger of two, which is no NaN.
    Wrong(
        "xxxiv_relu_coarse_hmax",
        "xxxiv_relu_coarse",
        "nan",
        ("if (__hlt(v, zero)) v = zero;", "v = __hmax(v, zero);"),
    ),
    # Each row is as long as its result.
    Wrong(
        "xxxiv_swiglu_row_length",
        "xxxiv_swiglu",
        "other element / function / numbers / sides | left out / twice",
        ("gate_up + t * 2 * dim", "gate_up + t * dim"),
    ),
    # Gate and value exchanged.
    Wrong(
        "xxxiv_swiglu_exchanged",
        "xxxiv_swiglu",
        "swapped / other element / function | numbers / neighbour",
        ("(row[d])", "(row[dim + d])"),
        (
            "__bfloat162float(row[dim + d]);\n    const float silu",
            "__bfloat162float(row[d]);\n    const float silu",
        ),
    ),
    # The exponential of large numbers overflows.
    Wrong(
        "xxxiv_swiglu_overflows",
        "xxxiv_swiglu",
        "nan / infinity | numbers",
        ("silu = g / (1.0f + expf(-g));", "silu = g * expf(g) / (1.0f + expf(g));"),
    ),
    # The sign.
    Wrong(
        "xxxiv_sigmoid_sign",
        "xxxiv_sigmoid",
        "function | numbers",
        ("expf(-d_in[tid])", "expf(d_in[tid])"),
    ),
    # More threads than a block may have.
    Wrong(
        "xxxiv_sigmoid_block_2048",
        "xxxiv_sigmoid",
        "refused / block size | unwritten",
        ("dim3 block(512);", "dim3 block(2048);"),
    ),
    # The input keeps what stands between.
    Wrong(
        "xxxiv_sigmoid_in_place",
        "xxxiv_sigmoid",
        "input | race",
        (
            "        d_out[tid] = 1.0f / (1.0f + expf(-d_in[tid]));\n",
            "        d_in[tid] = expf(-d_in[tid]);\n        d_out[tid] = 1.0f / (1.0f + d_in[tid]);\n",
        ),
    ),
    # Every block does the first elements.
    Wrong(
        "xxxiv_sigmoid_no_block",
        "xxxiv_sigmoid",
        "unwritten / left out | tail / grid / block size / race / twice",
        ("(int64_t)blockIdx.x * blockDim.x + threadIdx.x;", "threadIdx.x;"),
    ),
    # ---- fused operators
    # The bias of the row.
    Wrong(
        "xxxiv_bias_gelu_of_row",
        "xxxiv_bias_gelu",
        "bounds / other element / sides / swapped | numbers / function / neighbour",
        ("bias[c])", "bias[blockIdx.x])"),
    ),
    # The root of 2, not its inverse.
    Wrong(
        "xxxiv_bias_gelu_root",
        "xxxiv_bias_gelu",
        "function | numbers / precision",
        ("0.70710678f", "1.41421356f"),
    ),
    # Steps of another block size.
    Wrong(
        "xxxiv_bias_gelu_step_128",
        "xxxiv_bias_gelu",
        "block size / unwritten / left out | tail",
        ("c += blockDim.x", "c += 128"),
    ),
    # All rows go to the first.
    Wrong(
        "xxxiv_bias_gelu_first_row",
        "xxxiv_bias_gelu",
        "unwritten / race / other element / left out | sides / numbers",
        ("outp + blockIdx.x * C", "outp"),
    ),
    # Nothing is promised of the pointers.
    Wrong(
        "xxxiv_axpby_no_promise",
        "xxxiv_axpby",
        "alignment",
        ("x,  // [n] 16-byte aligned", "x,  // [n]"),
        ("y,  // [n] 16-byte aligned", "y,  // [n]"),
        ("z,        // [n] 16-byte aligned", "z,        // [n]"),
    ),
    # The tail has one factor.
    Wrong(
        "xxxiv_axpby_tail_factor",
        "xxxiv_axpby",
        "tail / function / left out | numbers",
        ("z[k] = a * x[k] + b * y[k];", "z[k] = a * x[k] + y[k];"),
    ),
    # Vectors are stepped over as if they were floats.
    Wrong(
        "xxxiv_axpby_step_four",
        "xxxiv_axpby",
        "unwritten / left out | tail / grid",
        ("k < n4; k += step)", "k < n4; k += 4 * step)"),
    ),
    # ---- sums
    # The parts are halves.
    Wrong(
        "xxxiv_sum_steps_in_half",
        "xxxiv_sum_steps",
        "precision / rounding / infinity | numbers / narrow",
        ("__shared__ float sdata[BLOCK];", "__shared__ half sdata[BLOCK];"),
        (
            "(i < n) ? __half2float(g_idata[i]) : 0.0f;",
            "(i < n) ? g_idata[i] : __float2half(0.0f);",
        ),
        ("sdata[tid] += sdata[tid + s];", "sdata[tid] = __hadd(sdata[tid], sdata[tid + s]);"),
        ("atomicAdd(g_odata, sdata[0]);", "atomicAdd(g_odata, __half2float(sdata[0]));"),
    ),
    # The barrier after the load is forgotten.
    Wrong(
        "xxxiv_sum_steps_no_first_barrier",
        "xxxiv_sum_steps",
        "race | left out / numbers / unwritten",
        (": 0.0f;\n    __syncthreads();\n", ": 0.0f;\n"),
    ),
    # Past the end nothing is set.
    Wrong(
        "xxxiv_sum_steps_no_zero",
        "xxxiv_sum_steps",
        "tail / start / unwritten / zero before | numbers / bounds / state",
        (
            "    sdata[tid] = (i < n) ? __half2float(g_idata[i]) : 0.0f;\n",
            "    if (i < n) sdata[tid] = __half2float(g_idata[i]);\n",
        ),
    ),
    # The sum is set to 0 after it was made.
    Wrong(
        "xxxiv_sum_steps_zero_after",
        "xxxiv_sum_steps",
        "copy / zero before / left out / function / unwritten | numbers / state / start",
        ("    cudaMemsetAsync(g_odata, 0, sizeof(float), stream);\n", ""),
        (
            "BLOCK, 0, stream>>>(g_idata, g_odata, n);\n",
            "BLOCK, 0, stream>>>(g_idata, g_odata, n);\n    cudaMemsetAsync(g_odata, 0, sizeof(float), stream);\n",
        ),
    ),
    # No atomic.
    Wrong(
        "xxxiv_sum_steps_no_atomic",
        "xxxiv_sum_steps",
        "race | left out / numbers",
        ("atomicAdd(g_odata, sdata[0]);", "*g_odata += sdata[0];"),
    ),
    # The count of blocks that are done stays.
    Wrong(
        "xxxiv_dot_last_not_reset",
        "xxxiv_dot_last",
        "state | unwritten",
        ("    g_done = 0;\n", ""),
    ),
    # Tickets begin at 0.
    Wrong(
        "xxxiv_dot_last_ticket",
        "xxxiv_dot_last",
        "unwritten / state | left out / numbers",
        ("== kBlocks - 1;", "== kBlocks;"),
    ),
    # The last warp is forgotten.
    Wrong(
        "xxxiv_dot_last_three_warps",
        "xxxiv_dot_last",
        "left out | numbers / other element",
        ("w < kThreads / 32;", "w < kThreads / 32 - 1;"),
    ),
    # The last block adds the parts of as many blocks as a warp has lanes.
    Wrong(
        "xxxiv_dot_last_32_parts",
        "xxxiv_dot_last",
        "left out | numbers / other element / grid",
        (
            "for (int b = threadIdx.x; b < kBlocks; b += kThreads)",
            "for (int b = threadIdx.x; b < 32; b += kThreads)",
        ),
    ),
    # ---- smallest and largest
    # It starts at 0.
    Wrong(
        "xxxiv_min_int_zero",
        "xxxiv_min_int",
        "start | numbers / tail",
        ("*ans = INT_MAX;", "*ans = 0;"),
    ),
    # Bytes of 0x7f are not the largest integer.
    Wrong(
        "xxxiv_min_int_bytes",
        "xxxiv_min_int",
        "start | numbers / whole range",
        (
            "    init_min<<<1, 1, 0, stream>>>(ans);\n",
            "    cudaMemsetAsync(ans, 0x7f, sizeof(int), stream);\n",
        ),
    ),
    # The start is of another stream.
    Wrong(
        "xxxiv_min_int_no_stream",
        "xxxiv_min_int",
        "stream | race / start / state",
        ("init_min<<<1, 1, 0, stream>>>", "init_min<<<1, 1>>>"),
    ),
    # Floats on the way.
    Wrong(
        "xxxiv_min_int_floats",
        "xxxiv_min_int",
        "precision / narrow / rounding | numbers",
        ("    int best = INT_MAX;\n", "    float best = INT_MAX;\n"),
        ("int other = ", "float other = "),
        ("atomicMin(ans, best)", "atomicMin(ans, (int)best)"),
    ),
    # Only the first warp of the block.
    Wrong(
        "xxxiv_min_int_one_warp",
        "xxxiv_min_int",
        "left out | numbers / other element",
        ("threadIdx.x % 32 == 0", "threadIdx.x == 0"),
    ),
    # No magnitude.
    Wrong(
        "xxxiv_amax_signed",
        "xxxiv_amax",
        "function / left out | numbers / start",
        ("fmaxf(m, fabsf(__half2float(t[i])))", "fmaxf(m, __half2float(t[i]))"),
    ),
    # The number's value, not its bits.
    Wrong(
        "xxxiv_amax_value",
        "xxxiv_amax",
        "function / rounding / narrow / subnormal / numbers / precision",
        ("__float_as_int(m)", "(int)m"),
    ),
    # Room for fewer warps.
    Wrong(
        "xxxiv_amax_four_places",
        "xxxiv_amax",
        "bounds | race",
        ("per_warp[8];", "per_warp[4];"),
    ),
    # An old largest number stays.
    Wrong(
        "xxxiv_amax_not_set",
        "xxxiv_amax",
        "zero before / state / start | numbers",
        ("  cudaMemsetAsync(amax, 0, 4, stream);\n", ""),
    ),
    # ---- a mean
    # As of a variance.
    Wrong(
        "xxxiv_mse_less_one",
        "xxxiv_mse",
        "function | numbers / nan",
        ("cache[0] / n;", "cache[0] / (n - 1);"),
    ),
    # No block that halves to 1.
    Wrong(
        "xxxiv_mse_96",
        "xxxiv_mse",
        "left out / block size | numbers / other element",
        ("mse_kernel<<<1, 128,", "mse_kernel<<<1, 96,"),
    ),
    # The barrier stands in the branch.
    Wrong(
        "xxxiv_mse_barrier_inside",
        "xxxiv_mse",
        "race | left out / numbers / timeout",
        (
            "        if (t < i)\n            cache[t] += cache[t + i];\n        __syncthreads();\n",
            "        if (t < i)\n        {\n            cache[t] += cache[t + i];\n            __syncthreads();\n        }\n",
        ),
    ),
    *thirtyfourth_arrays.WRONG,
)

RIGHT = (
    # Each thread's share stands together.
    Right(
        "xxxiv_add_loop_shares",
        "xxxiv_add_loop",
        (
            "  for (int64_t i = index; i < n; i += stride)\n",
            "  int64_t share = (n + stride - 1) / stride;\n  for (int64_t i = index * share; i < n && i < (index + 1) * share; i++)\n",
        ),
    ),
    # By a fused multiplication, and idle blocks.
    Right(
        "xxxiv_residual_pairs_fma",
        "xxxiv_residual_pairs",
        (
            "return __bfloat162float(h) + alpha * __bfloat162float(r);",
            "return fmaf(alpha, __bfloat162float(r), __bfloat162float(h));",
        ),
        ("unsigned((threads + 127) / 128)", "unsigned(threads / 128 + 2)"),
    ),
    # By an integer.
    Right(
        "xxxiv_quant_s8_by_int",
        "xxxiv_quant_s8",
        (
            "    float level = rintf(w[tid] / scale);\n    level = fmaxf(level, -128.0f);\n    level = fminf(level, 127.0f);\n",
            "    int level = __float2int_rn(w[tid] / scale);\n    level = max(-128, min(127, level));\n",
        ),
    ),
    # A warp for at most three.
    Right(
        "xxxiv_narrow_fours_warp",
        "xxxiv_narrow_fours",
        ("float_to_half<<<1, 3, 0, stream>>>", "float_to_half<<<1, 32, 0, stream>>>"),
        ("(quads + 63) / 64), 64,", "(quads + 95) / 96), 96,"),
    ),
    # From the last to the first.
    Right(
        "xxxiv_relu_coarse_backwards",
        "xxxiv_relu_coarse",
        ("for (int c = 0; c < COARSE; c++)", "for (int c = COARSE - 1; c >= 0; c--)"),
        ("#define COARSE 4", "#define COARSE 3"),
        ("if (__hlt(v, zero)) v = zero;", "v = __hge(v, zero) || __hisnan(v) ? v : zero;"),
    ),
    # In double, and by another grid.
    Right(
        "xxxiv_swiglu_double",
        "xxxiv_swiglu",
        ("silu = g / (1.0f + expf(-g));", "silu = (float)(g / (1.0 + exp(-(double)g)));"),
        ("swiglu_fwd<<<6, 128,", "swiglu_fwd<<<3, 224,"),
    ),
    # Blocks of the largest size, and one more.
    Right(
        "xxxiv_sigmoid_1024",
        "xxxiv_sigmoid",
        ("dim3 block(512);", "dim3 block(1024);"),
        (
            "dim3 grid((unsigned)((N + block.x - 1) / block.x));",
            "dim3 grid((unsigned)(N / block.x + 1));",
        ),
    ),
    # Columns from the last.
    Right(
        "xxxiv_bias_gelu_backwards",
        "xxxiv_bias_gelu",
        (
            "for (int64_t c = threadIdx.x; c < C; c += blockDim.x)",
            "for (int64_t c = C - 1 - (int64_t)threadIdx.x; c >= 0; c -= blockDim.x)",
        ),
    ),
    # The tail by the last threads.
    Right(
        "xxxiv_axpby_tail_last",
        "xxxiv_axpby",
        (
            "for (int64_t k = n4 * 4 + me; k < n; k += step)",
            "for (int64_t k = n4 * 4 + (step - 1 - me); k < n; k += step)",
        ),
        ("axpby<<<4, 96,", "axpby<<<9, 50,"),
    ),
    # Each thread waits at the head of the loop.
    Right(
        "xxxiv_sum_steps_first_waits",
        "xxxiv_sum_steps",
        (": 0.0f;\n    __syncthreads();\n", ": 0.0f;\n"),
        (
            "        if (tid % (2 * s) == 0)\n        {\n            sdata[tid] += sdata[tid + s];\n        }\n        __syncthreads();\n",
            "        __syncthreads();\n        unsigned int k = 2 * s * tid;\n        if (k < blockDim.x)\n        {\n            sdata[k] += sdata[k + s];\n        }\n",
        ),
    ),
    # The count wraps to 0 by itself.
    Right(
        "xxxiv_dot_last_wraps",
        "xxxiv_dot_last",
        (
            "atomicAdd(&g_done, 1u) == kBlocks - 1;",
            "atomicInc(&g_done, kBlocks - 1) == kBlocks - 1;",
        ),
        ("    g_done = 0;\n", ""),
    ),
    # The first element is the start.
    Right(
        "xxxiv_min_int_first",
        "xxxiv_min_int",
        (
            "    init_min<<<1, 1, 0, stream>>>(ans);\n",
            "    cudaMemcpyAsync(ans, arr, sizeof(int), cudaMemcpyDeviceToDevice, stream);\n",
        ),
        (
            "    int best = INT_MAX;\n    if (gid < len) best = arr[gid];\n",
            "    int best = arr[gid < len ? gid : 0];\n",
        ),
    ),
    # All steps of a warp, also where 8 lanes would do.
    Right(
        "xxxiv_amax_all_steps",
        "xxxiv_amax",
        ("int x = 4;", "int x = 16;"),
        ("amax_half<<<5, 256,", "amax_half<<<2, 256,"),
    ),
    # 64 threads, and the quotient's factor.
    Right(
        "xxxiv_mse_64",
        "xxxiv_mse",
        ("mse_kernel<<<1, 128,", "mse_kernel<<<1, 64,"),
        ("cache[0] / n;", "(float)((double)cache[0] / (double)n);"),
    ),
    *thirtyfourth_arrays.RIGHT,
)
