"""Hold a thirty-second family: additions, casts, activations, fused operators, sums, extremes.

Half of the bases are as students hand in in the first weeks of a course, half as juniors write
for a small library of operators. The causes were written before a member was judged. On the
emulator each member ran beside PyTorch: bases and right ones are right, and all wrong ones but
two wrong, or refused by a fault, some only so:

    xxxii_add_vec_grid_dim           from two blocks on, if there are fewer than 256
    xxxii_add_vec_thread_times_block from 2 elements on
    xxxii_add_vec_ceil               if n is no multiple of 256
    xxxii_add_vec_no_test            likewise
    xxxii_add_vec_half               of numbers or sums that no half has
    xxxii_add_int4_rest_at_packs     if n is no multiple of 4, from 5 elements on
    xxxii_add_int4_two_left          if n is 3 more than a multiple of 4
    xxxii_add_int4_packs_up          if n is no multiple of 4
    xxxii_add_int4_lane              from 4 elements on
    xxxii_mul_half2_even             if n is odd
    xxxii_mul_half2_odd_at_n         likewise
    xxxii_mul_half2_once             from 1,154 elements on
    xxxii_cast_byte_truncated        of products past the half of two whole numbers
    xxxii_cast_byte_256              likewise, or near it
    xxxii_cast_byte_block_more       if n is no multiple of the block size
    xxxii_leaky_no_else              of numbers that are not positive
    xxxii_leaky_int_slope            of negative numbers, if the slope has a fraction
    xxxii_leaky_maximum              if the slope is more than 1
    xxxii_gelu_tanh_digit            of numbers neither small nor large
    xxxii_gelu_tanh_inner_bf16       likewise
    xxxii_scale_shift_after          if the shift is not 0
    xxxii_scale_shift_three_lanes    from 4 elements on
    xxxii_scale_shift_rest_index     if n is no multiple of 4, from 5 elements on
    xxxii_scale_shift_blocks         if half of the blocks are too few: of 1,000, not of 515
    xxxii_drop_add_by_p              if p is not a half
    xxxii_drop_add_no_scale          if p is not 0
    xxxii_drop_add_residual_dropped  where the mask is 0
    xxxii_drop_add_rounded           of products that no half has
    xxxii_gate_wave_exp              of large numbers; of small ones it is right to fewer digits
    xxxii_clamp_nan_dropped          of NaN
    xxxii_clamp_nan_of_ints          of fractions, NaN
    xxxii_clamp_nan_first_test       if n is odd
    xxxii_sum_warps_to_two           from 2 elements on
    xxxii_sum_warps_n_parts          likewise
    xxxii_dot_bf_rounded_products    of products that no bfloat16 has
    xxxii_dot_bf_early_return        if n is no multiple of 256
    xxxii_dot_bf_not_set             if the output was not zero before
    xxxii_max_tree_flt_min           of no positive numbers
    xxxii_max_tree_no_barrier        from 2 elements on
    xxxii_max_tree_smaller           if a number is more than -infinity
    xxxii_max_tree_part_more         if what lies behind the parts is larger
    xxxii_max_tree_int               of fractions, or past 2^31
    xxxii_norm_two_magnitudes        from 2 elements on, or of one that is not 0 or 1
    xxxii_norm_two_int_sum           of fractions
    xxxii_count_above_equal          if a number is equal to the threshold
    xxxii_count_above_zeros          of thresholds below 0, past the end
    xxxii_count_above_any            if two of a warp are above

Two are wrong by reasoning:

    xxxii_add_vec_int                from 2^31 elements on
    xxxii_add_int4_no_stream         of another stream than the default one
"""

# ruff: noqa: E501 (a line of a kernel stands in one line)
from __future__ import annotations

from collections.abc import Iterator

import torch

from helpers.run.launcher import Launcher
from helpers.testing.cases import Case
from tests.testing.family import thirtysecond_arrays
from tests.testing.family.elementwise import HEADER
from tests.testing.family.table import Base, Right, Wrong
from tests.testing.family.twentysixth import whole

# A student's first kernel.
ADD = (
    HEADER
    + """\
__global__ void vecAdd(const float *A, const float *B, float *C, int64_t numElements)
{
    int64_t i = (int64_t)blockDim.x * blockIdx.x + threadIdx.x;

    if (i < numElements)
    {
        C[i] = A[i] + B[i];
    }
}

extern "C" void launch(const float *A /* [numElements] */, const float *B /* [numElements] */, float *C /* [numElements] */, int64_t numElements, cudaStream_t stream = 0)
{
    int threadsPerBlock = 256;
    int64_t blocksPerGrid = (numElements + threadsPerBlock - 1) / threadsPerBlock;
    vecAdd<<<(unsigned int)blocksPerGrid, threadsPerBlock, 0, stream>>>(A, B, C, numElements);
}
"""
)

# A junior's integers, four a thread, and a second kernel for the rest.
INT4 = (
    HEADER
    + """\
__global__ void add_i32x4(const int4* __restrict__ x, const int4* __restrict__ y, int4* __restrict__ z, int64_t packs) {
  const int64_t hop = int64_t(gridDim.x) * blockDim.x;
  for (int64_t p = int64_t(blockIdx.x) * blockDim.x + threadIdx.x; p < packs; p += hop) {
    const int4 l = x[p];
    const int4 r = y[p];
    z[p] = make_int4(l.x + r.x, l.y + r.y, l.z + r.z, l.w + r.w);
  }
}

__global__ void add_i32_rest(const int* x, const int* y, int* z, int64_t from, int64_t n) {
  const int64_t i = from + threadIdx.x;
  if (i < n) z[i] = x[i] + y[i];
}

extern "C" void launch(int* z,        // [n] 16-byte aligned
                       const int* x,  // [n] 16-byte aligned
                       const int* y,  // [n] 16-byte aligned
                       int64_t n, cudaStream_t stream = 0) {
  const int64_t packs = n / 4;
  const int64_t wanted = (packs + 127) / 128;
  const unsigned blocks = wanted < 5 ? (unsigned)wanted : 5u;
  if (packs > 0) add_i32x4<<<blocks, 128, 0, stream>>>((const int4*)x, (const int4*)y, (int4*)z, packs);
  if (n % 4 != 0) add_i32_rest<<<1, 4, 0, stream>>>(x, y, z, packs * 4, n);
}
"""
)

# A junior's product of halves, two at a time, in a loop; one thread does the odd one.
HMUL = (
    HEADER
    + """\
__global__ void hmul_kernel(int64_t n, const __half* a, const __half* b, __half* c) {
    const int64_t tid = blockIdx.x * (int64_t)blockDim.x + threadIdx.x;
    const int64_t nthreads = (int64_t)blockDim.x * gridDim.x;
    const int64_t n2 = n / 2;

    const __half2* a2 = (const __half2*)a;
    const __half2* b2 = (const __half2*)b;
    __half2* c2 = (__half2*)c;
    for (int64_t i = tid; i < n2; i += nthreads) {
        c2[i] = __hmul2(a2[i], b2[i]);
    }
    if (tid == 0 && n % 2 == 1) {
        c[n - 1] = __hmul(a[n - 1], b[n - 1]);
    }
}

extern "C" void launch(int64_t n, const __half* a /* [n] 4-byte aligned */, const __half* b /* [n] 4-byte aligned */, __half* c /* [n] 4-byte aligned */, cudaStream_t stream = 0) {
    hmul_kernel<<<6, 96, 0, stream>>>(n, a, b, c);
}
"""
)

# A student's picture: floats from 0 to 1 become bytes.
BYTES = (
    HEADER
    + """\
__device__ uint8_t to_byte(float v) {
    v = v * 255.0f;
    v = fmaxf(v, 0.0f);
    v = fminf(v, 255.0f);
    return (uint8_t)(v + 0.5f);
}

__global__ void float2byte(uint8_t* dst, const float* src, int64_t pixels) {
    int64_t pix = blockIdx.x * (int64_t)blockDim.x + threadIdx.x;
    if (pix >= pixels) return;
    dst[pix] = to_byte(src[pix]);
}

extern "C" void launch(uint8_t* dst /* [pixels] */, const float* src /* [pixels] */, int64_t pixels, int block_size = 192, cudaStream_t stream = 0) {
    int64_t nb = pixels / block_size;
    if (pixels % block_size != 0) nb++;
    float2byte<<<(unsigned)nb, block_size, 0, stream>>>(dst, src, pixels);
}
"""
)

# A student's leaky ReLU.
LEAKY = (
    HEADER
    + """\
__global__ void leakyRelu(float slope, const float *in, float *out, int64_t len) {
  int64_t step = (int64_t)gridDim.x * blockDim.x;
  for (int64_t idx = threadIdx.x + (int64_t)blockIdx.x * blockDim.x; idx < len; idx += step) {
    float val = in[idx];
    if (val > 0)
      out[idx] = val;
    else
      out[idx] = slope * val;
  }
}

extern "C" void launch(const float *in /* [len] */, float slope, float *out /* [len] */, int64_t len, int block_size = 128, cudaStream_t stream = 0) {
  leakyRelu<<<10, block_size, 0, stream>>>(slope, in, out, len);
}
"""
)

# A junior's GELU of bfloat16, by tanh.
GELU = (
    HEADER
    + """\
namespace ops {

__device__ __forceinline__ float gelu_tanh(float x) {
  constexpr float kAlpha = 0.7978845608028654f;
  constexpr float kBeta = 0.044715f;
  const float inner = kAlpha * (x + kBeta * x * x * x);
  return 0.5f * x * (1.0f + tanhf(inner));
}

__global__ void gelu_bf16(const __nv_bfloat16* __restrict__ in, __nv_bfloat16* __restrict__ out, const int64_t numel) {
  const int64_t gid = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (gid < numel) {
    const float x = __bfloat162float(in[gid]);
    out[gid] = __float2bfloat16(gelu_tanh(x));
  }
}

}  // namespace ops

extern "C" void launch(__nv_bfloat16* out,       // [numel]
                       const __nv_bfloat16* in,  // [numel]
                       const int64_t numel, int block_size = 256, cudaStream_t stream = 0) {
  const dim3 grid(static_cast<unsigned>((numel + block_size - 1) / block_size));
  ops::gelu_bf16<<<grid, block_size, 0, stream>>>(in, out, numel);
}
"""
)

# A junior's scale, shift and ReLU, four floats a thread, and the rest by the first threads.
SHIFT = (
    HEADER
    + """\
struct ScaleShiftRelu {
    float alpha, beta;
    __device__ float operator()(float x) const { return fmaxf(alpha * x + beta, 0.0f); }
};

__global__ void scale_shift_relu(const float* __restrict__ x, float* __restrict__ y, int64_t n, ScaleShiftRelu op) {
    const int64_t n4 = n / 4;
    const int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n4) {
        float4 v = reinterpret_cast<const float4*>(x)[i];
        v.x = op(v.x);
        v.y = op(v.y);
        v.z = op(v.z);
        v.w = op(v.w);
        reinterpret_cast<float4*>(y)[i] = v;
    }
    const int64_t left = n - 4 * n4;
    if (i < left) {
        y[4 * n4 + i] = op(x[4 * n4 + i]);
    }
}

extern "C" void launch(const float* x /* [n] 16-byte aligned */, float* y /* [n] 16-byte aligned */, float alpha, float beta, int64_t n, cudaStream_t stream = 0) {
    constexpr int kThreads = 128;
    const int64_t blocks = (n / 4 + kThreads) / kThreads;
    scale_shift_relu<<<(unsigned)blocks, kThreads, 0, stream>>>(x, y, n, ScaleShiftRelu{alpha, beta});
}
"""
)

# A junior's dropout by a given mask, added to the residual.
DROP = (
    HEADER
    + """\
__global__ void dropout_add(const half* __restrict__ x, const half* __restrict__ residual, const uint8_t* __restrict__ keep, half* __restrict__ out, float inv_keep, int64_t total) {
  for (int64_t at = int64_t(threadIdx.x) + int64_t(blockDim.x) * blockIdx.x; at < total; at += int64_t(blockDim.x) * gridDim.x) {
    float h = 0.f;
    if (keep[at]) h = __half2float(x[at]) * inv_keep;
    out[at] = __float2half_rn(h + __half2float(residual[at]));
  }
}

extern "C" void launch(const half* x,         // [total]
                       const half* residual,  // [total]
                       const uint8_t* keep,   // [total]
                       float p,
                       half* out,  // [total]
                       int64_t total, cudaStream_t stream = 0) {
  const float inv_keep = 1.f / (1.f - p);
  dropout_add<<<8, 160, 0, stream>>>(x, residual, keep, out, inv_keep, total);
}
"""
)

# A student's gate of a wave net.
GATED = (
    HEADER
    + """\
__global__ void gated(float* a, float* b, float* y, int64_t n)
{
    int64_t k = blockIdx.x;
    k = k * blockDim.x + threadIdx.x;
    if (k < n)
    {
        float s = 1.0f / (1.0f + expf(-a[k]));
        float t = tanhf(b[k]);
        y[k] = s * t;
    }
}

extern "C" void launch(const float* a /* [n] */, const float* b /* [n] */, float* y /* [n] */, int64_t n, cudaStream_t stream = 0)
{
    int block = 64;
    int64_t grid = n / block + (n % block > 0);
    gated<<<dim3((unsigned)grid), dim3(block), 0, stream>>>((float*)a, (float*)b, y, n);
}
"""
)

# A junior's clamp, which keeps NaN as PyTorch's does.
CLAMP = (
    HEADER
    + """\
template <typename T>
__device__ T clamp_one(T v, T lo, T hi) {
    if (v < lo) return lo;
    if (v > hi) return hi;
    return v;
}

__global__ void clamp_f32(float* __restrict__ out, const float* __restrict__ in, float lo, float hi, int64_t n) {
    const int64_t start = (blockIdx.x * (int64_t)blockDim.x + threadIdx.x) * 2;
#pragma unroll
    for (int u = 0; u < 2; ++u) {
        if (start + u < n) out[start + u] = clamp_one<float>(in[start + u], lo, hi);
    }
}

extern "C" void launch(float* out /* [n] */, const float* in /* [n] */, float lo, float hi, int64_t n, int block_size = 128, cudaStream_t stream = 0) {
    const int64_t threads = (n + 1) / 2;
    clamp_f32<<<(unsigned)((threads + block_size - 1) / block_size), block_size, 0, stream>>>(out, in, lo, hi, n);
}
"""
)

# A student's sum, by warps, and the same kernel once more for the parts.
SUM = (
    HEADER
    + """\
__inline__ __device__ float warpReduceSum(float val) {
  for (int offset = warpSize / 2; offset > 0; offset /= 2)
    val += __shfl_down_sync(0xffffffff, val, offset);
  return val;
}

__inline__ __device__ float blockReduceSum(float val) {
  static __shared__ float shared[32];
  int lane = threadIdx.x % warpSize;
  int wid = threadIdx.x / warpSize;
  val = warpReduceSum(val);
  if (lane == 0) shared[wid] = val;
  __syncthreads();
  val = (threadIdx.x < blockDim.x / warpSize) ? shared[lane] : 0;
  if (wid == 0) val = warpReduceSum(val);
  return val;
}

__global__ void deviceReduce(const float *in, float *out, int64_t N) {
  float sum = 0;
  for (int64_t i = blockIdx.x * (int64_t)blockDim.x + threadIdx.x; i < N; i += (int64_t)blockDim.x * gridDim.x)
    sum += in[i];
  sum = blockReduceSum(sum);
  if (threadIdx.x == 0)
    out[blockIdx.x] = sum;
}

extern "C" void launch(const float *in /* [N] */, float *out /* [1] */, int64_t N, cudaStream_t stream = 0) {
  int threads = 128;
  int64_t blocks = (N + threads - 1) / threads;
  if (blocks > 40) blocks = 40;
  float *parts;
  cudaMallocAsync((void **)&parts, blocks * sizeof(float), stream);
  deviceReduce<<<(int)blocks, threads, 0, stream>>>(in, parts, N);
  deviceReduce<<<1, 256, 0, stream>>>(parts, out, blocks);
  cudaFreeAsync(parts, stream);
}
"""
)

# A junior's dot product of bfloat16, one thread an element.
BDOT = (
    HEADER
    + """\
using T = __nv_bfloat16;

__global__ void dot_bf16_kernel(const T* __restrict__ lhs, const T* __restrict__ rhs, float* __restrict__ dot, int64_t len) {
  const int64_t i = blockIdx.x * int64_t(blockDim.x) + threadIdx.x;
  float acc = 0.f;
  if (i < len) acc = __bfloat162float(lhs[i]) * __bfloat162float(rhs[i]);
#pragma unroll
  for (int mask = 16; mask > 0; mask >>= 1) acc += __shfl_xor_sync(0xffffffffu, acc, mask);
  if ((threadIdx.x & 31) == 0) atomicAdd(dot, acc);
}

extern "C" void launch(const T* lhs,  // [len]
                       const T* rhs,  // [len]
                       float* dot,    // [1]
                       int64_t len, cudaStream_t stream = 0) {
  cudaMemsetAsync(dot, 0, sizeof(float), stream);
  const int64_t blocks = (len + 255) / 256;
  dot_bf16_kernel<<<static_cast<unsigned>(blocks), 256, 0, stream>>>(lhs, rhs, dot, len);
}
"""
)

# A student's largest number: trees, and one thread for the parts.
MAX = (
    HEADER
    + """\
#define THREADS 128
#define BLOCKS 6

__global__ void max_block(const float *data, float *partial, int64_t n) {
    __shared__ float sdata[THREADS];
    int tid = threadIdx.x;
    float m = -INFINITY;
    for (int64_t i = blockIdx.x * (int64_t)THREADS + tid; i < n; i += (int64_t)THREADS * gridDim.x) {
        if (data[i] > m) {
            m = data[i];
        }
    }
    sdata[tid] = m;
    __syncthreads();
    for (int s = THREADS / 2; s > 0; s >>= 1) {
        if (tid < s) {
            sdata[tid] = fmaxf(sdata[tid], sdata[tid + s]);
        }
        __syncthreads();
    }
    if (tid == 0) partial[blockIdx.x] = sdata[0];
}

__global__ void max_final(const float *partial, float *result) {
    float m = partial[0];
    for (int b = 1; b < BLOCKS; b++) {
        m = fmaxf(m, partial[b]);
    }
    *result = m;
}

extern "C" void launch(const float *data /* [n] */, int64_t n, float *result /* [1] */, cudaStream_t stream = 0) {
    float *partial;
    cudaMallocAsync((void **)&partial, BLOCKS * sizeof(float), stream);
    max_block<<<BLOCKS, THREADS, 0, stream>>>(data, partial, n);
    max_final<<<1, 1, 0, stream>>>(partial, result);
    cudaFreeAsync(partial, stream);
}
"""
)

# A student's length of a vector, in one block.
NORM = (
    HEADER
    + """\
__global__ void l2norm(const float* vec, float* len, int64_t dim) {
    extern __shared__ float sq[];
    unsigned t = threadIdx.x;
    float sum = 0.0f;
    for (int64_t d = t; d < dim; d += blockDim.x) {
        sum += vec[d] * vec[d];
    }
    sq[t] = sum;
    for (unsigned half_size = blockDim.x / 2; half_size >= 1; half_size /= 2) {
        __syncthreads();
        if (t < half_size) sq[t] += sq[t + half_size];
    }
    if (t == 0) len[0] = sqrtf(sq[0]);
}

extern "C" void launch(float* len /* [1] */, const float* vec /* [dim] */, int64_t dim, cudaStream_t stream = 0) {
    const int nthreads = 256;
    l2norm<<<1, nthreads, nthreads * sizeof(float), stream>>>(vec, len, dim);
}
"""
)

# A junior's count of numbers above a threshold, by votes.
VOTES = (
    HEADER
    + """\
__global__ void count_above(const float* __restrict__ scores, float threshold, int* __restrict__ count, int64_t n) {
    int hits = 0;
    const int64_t all = (int64_t)gridDim.x * blockDim.x;
    const int64_t rounds = (n + all - 1) / all;
    int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    for (int64_t r = 0; r < rounds; ++r, i += all) {
        const bool above = i < n && scores[i] > threshold;
        const unsigned votes = __ballot_sync(0xffffffffu, above);
        hits += __popc(votes);
    }
    const int lane = threadIdx.x % 32;
    if (lane == 0 && hits > 0) atomicAdd(count, hits);
}

extern "C" void launch(const float* scores /* [n] */, float threshold, int* count /* [1] */, int64_t n, cudaStream_t stream = 0) {
    cudaMemsetAsync(count, 0, sizeof(int), stream);
    count_above<<<4, 192, 0, stream>>>(scores, threshold, count, n);
}
"""
)


def _add(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    return a.double() + b.double()


def _times(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    return a.double() * b.double()


def integers(launcher: Launcher) -> Iterator[Case]:
    """Add integers whose sums have room."""
    for n in (1, 2, 3, 4, 5, 31, 511, 512, 513, 2560, 2563, 4002):
        x, y = whole(-(2**30), 2**30, n, n), whole(-(2**30), 2**30, n, n + 1)
        for label, shift in (("large", 0), ("small", 20)):
            a, b = x >> shift, y >> shift
            right = ((a + b).double(),)
            yield Case(f"n = {n:,}, {label}", (a.int(), b.int()), right, dtypes=(torch.int32,))


def pictures(launcher: Launcher) -> Iterator[Case]:
    """Make bytes of numbers from 0 to 1, and of some outside: all products are exact."""
    for n in (1, 2, 31, 192, 193, 1000, 3001):
        x, wide = whole(0, 513, n, n), whole(-512, 1025, n, n + 1)
        for block_size in (192, 64):
            for label, k in (("inside", x), ("outside", wide), ("ones", x * 0 + 512)):
                y = k.float() / 512
                right = ((y.double() * 255).clamp(0, 255) + 0.5).floor()
                scalars = {"block_size": block_size}
                words = f"pixels = {n:,}, {scalars}, {label}"
                yield Case(words, (y,), (right,), scalars, dtypes=(torch.uint8,))


def leaks(launcher: Launcher) -> Iterator[Case]:
    """Apply leaky ReLU of several slopes, also of one past 1."""
    for n in (1, 2, 31, 128, 129, 1280, 1281, 3001):
        x = whole(-2000, 2001, n, n).float() / 16
        for slope in (0.25, 0.0078125, 2.0):
            v = x.double()
            right = torch.where(v > 0, v, slope * v)
            scalars = {"slope": slope}
            yield Case(
                f"len = {n:,}, {scalars}", (x,), (right,), scalars, dtypes=(torch.float32,)
            )


def gelus(launcher: Launcher) -> Iterator[Case]:
    """Apply GELU to usual, small and large numbers."""
    for n in (1, 2, 31, 256, 257, 1000, 3001):
        x = whole(-1000, 1001, n, n).float() / 256
        for block_size in (256, 96):
            for label, y in (("usual", x), ("small", x / 64), ("large", x * 10)):
                y = y.bfloat16()
                v = y.double()
                right = torch.nn.functional.gelu(v, approximate="tanh")
                scalars = {"block_size": block_size}
                options = {
                    "dtypes": (torch.bfloat16,),
                    "ulp": 1,
                    "within": (2.0**-18 * v.abs(),),
                }
                words = f"numel = {n:,}, {scalars}, {label}"
                yield Case(words, (y,), (right,), scalars, **options)


def shifts(launcher: Launcher) -> Iterator[Case]:
    """Scale and shift whole numbers."""
    for n in (1, 2, 3, 4, 5, 31, 512, 514, 515, 1000, 3002):
        x = whole(-500, 501, n, n).float()
        for alpha, beta in ((1.0, 0.0), (0.5, 40.0), (-2.0, -16.0)):
            right = (alpha * x.double() + beta).clamp(min=0)
            scalars = {"alpha": alpha, "beta": beta}
            yield Case(
                f"n = {n:,}, {scalars}", (x,), (right,), scalars, dtypes=(torch.float32,)
            )


def drops(launcher: Launcher) -> Iterator[Case]:
    """Drop by masks, and add residuals."""
    for n in (1, 2, 31, 160, 161, 1280, 1281, 3001):
        x = (whole(-999, 1000, n, n).float() / 128).half()
        res = (whole(-999, 1000, n, n + 1).float() / 128).half()
        keep = (whole(0, 10, n, n + 2) < 6).to(torch.uint8)
        for p in (0.0, 0.5, 0.25, 0.9):
            for label, mask in (("some", keep), ("all", keep * 0 + 1), ("none", keep * 0)):
                factor = torch.tensor(1.0) / (torch.tensor(1.0) - torch.tensor(p))
                h = x.double() * factor.double() * mask
                options = {
                    "dtypes": (torch.float16,),
                    "ulp": 1,
                    "within": (2.0**-20 * h.abs(),),
                }
                words = f"total = {n:,}, p = {p}, {label}"
                yield Case(words, (x, res, mask), (h + res.double(),), {"p": p}, **options)


def gated(launcher: Launcher) -> Iterator[Case]:
    """Gate usual, small and large numbers."""
    for n in (1, 2, 31, 64, 65, 1000, 3001):
        a, b = (whole(-1000, 1001, n, n + k).float() / 256 for k in range(2))
        for label, factor in (("usual", 1.0), ("small", 1 / 64), ("large", 20.0)):
            x, y = a * factor, b * factor
            right = torch.sigmoid(x.double()) * torch.tanh(y.double())
            options = {
                "dtypes": (torch.float32,),
                "ulp": 4,
                "within": (2.0**-20 * right.abs() + 1e-30,),
            }
            yield Case(f"n = {n:,}, {label}", (x, y), (right,), **options)


def clamps(launcher: Launcher) -> Iterator[Case]:
    """Clamp usual numbers, infinities and NaN."""
    for n in (1, 2, 3, 31, 256, 257, 1000, 3001):
        x = whole(-999, 1000, n, n).float() / 8
        strange = x.clone()
        strange[::3] = float("inf")
        strange[1::5] = float("-inf")
        strange[::7] = float("nan")
        for lo, hi in ((-10.0, 10.0), (0.0, 64.0), (-100.0, -1.0)):
            for label, y in (("usual", x), ("strange", strange)):
                scalars = {"lo": lo, "hi": hi}
                right = (y.double().clamp(lo, hi),)
                words = f"n = {n:,}, {scalars}, {label}"
                yield Case(words, (y,), right, scalars, dtypes=(torch.float32,))


def totals(launcher: Launcher) -> Iterator[Case]:
    """Add whole numbers, whose sums are exact."""
    for n in (1, 2, 31, 33, 128, 129, 1000, 5120, 5121, 9001):
        x = whole(-99, 100, n, n).float()
        for label, y in (("any", x), ("positive", x.abs() + 1), ("ones", x * 0 + 1)):
            right = (y.double().sum().reshape(1),)
            yield Case(f"N = {n:,}, {label}", (y,), right, dtypes=(torch.float32,))


def bdots(launcher: Launcher) -> Iterator[Case]:
    """Multiply and add whole numbers, whose sums are exact."""
    for n in (1, 2, 31, 33, 256, 257, 1000, 3001):
        a, b = whole(-30, 31, n, n), whole(-30, 31, n, n + 1)
        for label, x, y in (("any", a, b), ("positive", a.abs() + 1, b.abs() + 1)):
            right = ((x * y).sum().double().reshape(1),)
            inputs = x.bfloat16(), y.bfloat16()
            yield Case(f"len = {n:,}, {label}", inputs, right, dtypes=(torch.float32,))


def highs(launcher: Launcher) -> Iterator[Case]:
    """Find the largest of any, of negative and of small numbers, in several orders."""
    for n in (1, 2, 31, 33, 128, 129, 768, 769, 5003):
        x = whole(-9999, 10_000, n, n).float() / 16
        kinds = (
            ("any", x),
            ("negative", -x.abs() - 1),
            ("rising", x.sort()[0]),
            ("falling", x.sort(descending=True)[0]),
            ("infinite", torch.full_like(x, float("-inf"))),
        )
        for label, y in kinds:
            right = (y.double().max().reshape(1),)
            yield Case(f"n = {n:,}, {label}", (y,), right, dtypes=(torch.float32,))


def lengths(launcher: Launcher) -> Iterator[Case]:
    """Take the length of vectors, whose squares are exact."""
    for n in (1, 2, 31, 33, 128, 256, 257, 1000, 3001):
        x = whole(-30, 31, n, n).float()
        for label, y in (
            ("any", x),
            ("fractions", x / 64),
            ("large", x * 8 + 8),
            ("zeros", x * 0),
        ):
            right = (y.double().square().sum().sqrt().reshape(1),)
            yield Case(f"dim = {n:,}, {label}", (y,), right, dtypes=(torch.float32,), ulp=1)


def votes(launcher: Launcher) -> Iterator[Case]:
    """Count numbers above thresholds that some of them have."""
    for n in (1, 2, 31, 33, 192, 193, 768, 769, 5003):
        x = whole(-20, 21, n, n).float() / 4
        for threshold in (0.0, 1.25, -3.5):
            for label, y in (("any", x), ("ones", x * 0 + 1), ("rising", x.sort()[0])):
                right = ((y > threshold).sum().double().reshape(1),)
                scalars = {"threshold": threshold}
                words = f"n = {n:,}, {scalars}, {label}"
                yield Case(words, (y,), right, scalars, dtypes=(torch.int32,))


BASES = {
    "xxxii_add_vec": Base(ADD, {"reference": _add}),
    "xxxii_add_int4": Base(INT4, {"cases": integers}),
    "xxxii_mul_half2": Base(HMUL, {"reference": _times}),
    "xxxii_cast_byte": Base(BYTES, {"cases": pictures}),
    "xxxii_leaky": Base(LEAKY, {"cases": leaks}),
    "xxxii_gelu_tanh": Base(GELU, {"cases": gelus}),
    "xxxii_scale_shift": Base(SHIFT, {"cases": shifts}),
    "xxxii_drop_add": Base(DROP, {"cases": drops}),
    "xxxii_gate_wave": Base(GATED, {"cases": gated}),
    "xxxii_clamp_nan": Base(CLAMP, {"cases": clamps}),
    "xxxii_sum_warps": Base(SUM, {"cases": totals}),
    "xxxii_dot_bf": Base(BDOT, {"cases": bdots}),
    "xxxii_max_tree": Base(MAX, {"cases": highs}),
    "xxxii_norm_two": Base(NORM, {"cases": lengths}),
    "xxxii_count_above": Base(VOTES, {"cases": votes}),
    **thirtysecond_arrays.BASES,
}

WRONG = (
    # ---- additions and products
    # The grid stands where the block should.
    Wrong(
        "xxxii_add_vec_grid_dim",
        "xxxii_add_vec",
        "block size / unwritten / left out / grid | tail / race / twice / bounds",
        (
            "(int64_t)blockDim.x * blockIdx.x + threadIdx.x",
            "(int64_t)gridDim.x * blockIdx.x + threadIdx.x",
        ),
    ),
    # Block and thread are exchanged.
    Wrong(
        "xxxii_add_vec_thread_times_block",
        "xxxii_add_vec",
        "swapped / unwritten / left out / block size | tail / race / twice / grid",
        ("blockDim.x * blockIdx.x + threadIdx.x", "blockDim.x * threadIdx.x + blockIdx.x"),
    ),
    # Rounded up after an integer division.
    Wrong(
        "xxxii_add_vec_ceil",
        "xxxii_add_vec",
        "tail / grid / unwritten / refused | left out / block size",
        (
            "(numElements + threadsPerBlock - 1) / threadsPerBlock;",
            "(int64_t)ceil(numElements / threadsPerBlock);",
        ),
    ),
    # No test at all.
    Wrong(
        "xxxii_add_vec_no_test",
        "xxxii_add_vec",
        "bounds | tail",
        ("    if (i < numElements)\n", ""),
    ),
    # The last element is left to nobody.
    Wrong(
        "xxxii_add_vec_less_one",
        "xxxii_add_vec",
        "tail / unwritten | left out / bounds",
        ("if (i < numElements)", "if (i < numElements - 1)"),
    ),
    # A sum through half.
    Wrong(
        "xxxii_add_vec_half",
        "xxxii_add_vec",
        "precision / rounding / infinity / narrow | numbers / whole range",
        (
            "C[i] = A[i] + B[i];",
            "C[i] = __half2float(__hadd(__float2half(A[i]), __float2half(B[i])));",
        ),
    ),
    # An index of 32 bits.
    Wrong(
        "xxxii_add_vec_int",
        "xxxii_add_vec",
        "narrow | bounds / unwritten",
        ("int64_t i = (int64_t)blockDim.x * blockIdx.x", "int i = blockDim.x * blockIdx.x"),
    ),
    # The rest begins at the number of packs.
    Wrong(
        "xxxii_add_int4_rest_at_packs",
        "xxxii_add_int4",
        "tail / unwritten | left out / race / twice",
        ("z, packs * 4, n);", "z, packs, n);"),
    ),
    # At most two are left over, somebody thought.
    Wrong(
        "xxxii_add_int4_two_left",
        "xxxii_add_int4",
        "tail / unwritten | left out / grid / block size",
        ("add_i32_rest<<<1, 4,", "add_i32_rest<<<1, 2,"),
    ),
    # Packs are rounded up.
    Wrong(
        "xxxii_add_int4_packs_up",
        "xxxii_add_int4",
        "bounds | tail",
        ("packs = n / 4;", "packs = (n + 3) / 4;"),
    ),
    # A lane of the wrong operand.
    Wrong(
        "xxxii_add_int4_lane",
        "xxxii_add_int4",
        "twice / left out / function / other element | numbers / neighbour / copy",
        ("l.w + r.w", "l.w + l.w"),
    ),
    # The stream is forgotten.
    Wrong(
        "xxxii_add_int4_no_stream",
        "xxxii_add_int4",
        "stream | tail / race",
        ("add_i32_rest<<<1, 4, 0, stream>>>", "add_i32_rest<<<1, 4>>>"),
    ),
    # Of an even number, the odd one.
    Wrong(
        "xxxii_mul_half2_even",
        "xxxii_mul_half2",
        "tail / unwritten | left out / numbers",
        ("n % 2 == 1", "n % 2 == 0"),
    ),
    # As many pairs as elements.
    Wrong(
        "xxxii_mul_half2_all_n",
        "xxxii_mul_half2",
        "bounds | tail",
        ("i < n2; i += nthreads", "i < n; i += nthreads"),
    ),
    # The odd element is past the end.
    Wrong(
        "xxxii_mul_half2_odd_at_n",
        "xxxii_mul_half2",
        "bounds / tail / neighbour",
        ("__hmul(a[n - 1], b[n - 1])", "__hmul(a[n], b[n])"),
    ),
    # A fixed grid without a loop.
    Wrong(
        "xxxii_mul_half2_once",
        "xxxii_mul_half2",
        "grid / unwritten / left out | tail",
        (
            "for (int64_t i = tid; i < n2; i += nthreads) {",
            "for (int64_t i = tid; i < n2; i = n2) {",
        ),
    ),
    # ---- casts
    # Truncated.
    Wrong(
        "xxxii_cast_byte_truncated",
        "xxxii_cast_byte",
        "rounding | numbers / function / precision",
        ("(uint8_t)(v + 0.5f)", "(uint8_t)v"),
    ),
    # The number of values, not the largest.
    Wrong(
        "xxxii_cast_byte_256",
        "xxxii_cast_byte",
        "function | numbers / rounding / whole range / precision",
        ("v * 255.0f;", "v * 256.0f;"),
    ),
    # The limit is that of the numbers that come in, but stands after the scaling.
    Wrong(
        "xxxii_cast_byte_limit_one",
        "xxxii_cast_byte",
        "function / whole range | numbers / infinity",
        ("fminf(v, 255.0f)", "fminf(v, 1.0f)"),
    ),
    # A block more where none is needed, and only there.
    Wrong(
        "xxxii_cast_byte_block_more",
        "xxxii_cast_byte",
        "tail / grid / unwritten / refused | left out / block size",
        ("if (pixels % block_size != 0) nb++;", "if (pixels % block_size == 0) nb++;"),
    ),
    # ---- activations
    # The else is forgotten.
    Wrong(
        "xxxii_leaky_no_else",
        "xxxii_leaky",
        "unwritten / left out | numbers",
        ("    else\n      out[idx] = slope * val;\n", ""),
    ),
    # A slope without a fraction.
    Wrong(
        "xxxii_leaky_int_slope",
        "xxxii_leaky",
        "narrow / rounding / precision / function | numbers / whole range",
        ("leakyRelu(float slope,", "leakyRelu(int slope,"),
    ),
    # A maximum, which is another function for a slope past 1.
    Wrong(
        "xxxii_leaky_maximum",
        "xxxii_leaky",
        "function / numbers",
        (
            "    if (val > 0)\n      out[idx] = val;\n    else\n      out[idx] = slope * val;\n",
            "    out[idx] = fmaxf(val, slope * val);\n",
        ),
    ),
    # A digit of the constant.
    Wrong(
        "xxxii_gelu_tanh_digit",
        "xxxii_gelu_tanh",
        "function | numbers / precision",
        ("0.044715f", "0.44715f"),
    ),
    # Integers make the half.
    Wrong(
        "xxxii_gelu_tanh_integer_half",
        "xxxii_gelu_tanh",
        "function / rounding | numbers / copy",
        ("return 0.5f * x", "return 1 / 2 * x"),
    ),
    # A square in place of a cube.
    Wrong(
        "xxxii_gelu_tanh_square",
        "xxxii_gelu_tanh",
        "function | numbers",
        ("kBeta * x * x * x", "kBeta * x * x"),
    ),
    # The constant of the other formula.
    Wrong(
        "xxxii_gelu_tanh_root_half",
        "xxxii_gelu_tanh",
        "function | numbers / precision",
        ("0.7978845608028654f", "0.7071067811865476f"),
    ),
    # The inner sum is a bfloat16.
    Wrong(
        "xxxii_gelu_tanh_inner_bf16",
        "xxxii_gelu_tanh",
        "precision / rounding | numbers",
        (
            "const float inner = kAlpha * (x + kBeta * x * x * x);",
            "const __nv_bfloat16 inner = __float2bfloat16(kAlpha * (x + kBeta * x * x * x));",
        ),
        ("tanhf(inner)", "tanhf(__bfloat162float(inner))"),
    ),
    # ---- fused operators
    # The shift comes after the ReLU.
    Wrong(
        "xxxii_scale_shift_after",
        "xxxii_scale_shift",
        "function | numbers",
        ("fmaxf(alpha * x + beta, 0.0f)", "fmaxf(alpha * x, 0.0f) + beta"),
    ),
    # One lane is forgotten.
    Wrong(
        "xxxii_scale_shift_three_lanes",
        "xxxii_scale_shift",
        "left out / copy / function / unwritten | numbers",
        ("        v.w = op(v.w);\n", ""),
    ),
    # The rest begins at the number of vectors.
    Wrong(
        "xxxii_scale_shift_rest_index",
        "xxxii_scale_shift",
        "tail / unwritten | left out / race / twice",
        ("y[4 * n4 + i] = op(x[4 * n4 + i]);", "y[n4 + i] = op(x[n4 + i]);"),
    ),
    # Half of the blocks.
    Wrong(
        "xxxii_scale_shift_blocks",
        "xxxii_scale_shift",
        "grid / unwritten / left out | tail / block size",
        ("(n / 4 + kThreads) / kThreads;", "n / (8 * kThreads) + 1;"),
    ),
    # The share that is dropped.
    Wrong(
        "xxxii_drop_add_by_p",
        "xxxii_drop_add",
        "function | numbers / infinity / nan",
        ("1.f / (1.f - p)", "1.f / p"),
    ),
    # No scale.
    Wrong(
        "xxxii_drop_add_no_scale",
        "xxxii_drop_add",
        "left out / function | numbers",
        ("__half2float(x[at]) * inv_keep;", "__half2float(x[at]);"),
    ),
    # What is kept is dropped.
    Wrong(
        "xxxii_drop_add_inverted",
        "xxxii_drop_add",
        "function / swapped | numbers / left out",
        ("if (keep[at])", "if (!keep[at])"),
    ),
    # The residual is dropped, too.
    Wrong(
        "xxxii_drop_add_residual_dropped",
        "xxxii_drop_add",
        "function / left out | numbers / unwritten",
        (
            "    float h = 0.f;\n    if (keep[at]) h = __half2float(x[at]) * inv_keep;\n    out[at] = __float2half_rn(h + __half2float(residual[at]));\n",
            "    float h = __half2float(x[at]) * inv_keep + __half2float(residual[at]);\n    out[at] = __float2half_rn(keep[at] ? h : 0.f);\n",
        ),
    ),
    # The mask is read by words.
    Wrong(
        "xxxii_drop_add_mask_words",
        "xxxii_drop_add",
        "bounds / other element | tail / alignment / numbers",
        ("if (keep[at])", "if (((const int*)keep)[at])"),
    ),
    # Rounded after the product.
    Wrong(
        "xxxii_drop_add_rounded",
        "xxxii_drop_add",
        "rounding / precision | numbers",
        (
            "h = __half2float(x[at]) * inv_keep;",
            "h = __half2float(__hmul(x[at], __float2half(inv_keep)));",
        ),
    ),
    # The tangent by an exponential that overflows.
    Wrong(
        "xxxii_gate_wave_exp",
        "xxxii_gate_wave",
        "infinity / nan / precision | numbers",
        (
            "float t = tanhf(b[k]);",
            "float e = expf(2.0f * b[k]);\n        float t = (e - 1.0f) / (e + 1.0f);",
        ),
    ),
    # A factor of the exponent is forgotten.
    Wrong(
        "xxxii_gate_wave_no_two",
        "xxxii_gate_wave",
        "function | numbers / precision",
        ("float t = tanhf(b[k]);", "float t = 1.0f - 2.0f / (expf(b[k]) + 1.0f);"),
    ),
    # fminf and fmaxf drop NaN.
    Wrong(
        "xxxii_clamp_nan_dropped",
        "xxxii_clamp_nan",
        "nan | function",
        (
            "    if (v < lo) return lo;\n    if (v > hi) return hi;\n    return v;\n",
            "    return fminf(fmaxf(v, lo), hi);\n",
        ),
    ),
    # Lower and upper end are exchanged.
    Wrong(
        "xxxii_clamp_nan_ends",
        "xxxii_clamp_nan",
        "swapped / function | numbers / infinity / nan",
        (
            "    if (v < lo) return lo;\n    if (v > hi) return hi;\n",
            "    if (v < lo) return hi;\n    if (v > hi) return lo;\n",
        ),
    ),
    # Whole numbers only.
    Wrong(
        "xxxii_clamp_nan_of_ints",
        "xxxii_clamp_nan",
        "rounding / whole range / precision / function / narrow | numbers / infinity / nan",
        ("clamp_one<float>(", "clamp_one<int>("),
    ),
    # The first element's test stands for both.
    Wrong(
        "xxxii_clamp_nan_first_test",
        "xxxii_clamp_nan",
        "bounds | tail",
        ("if (start + u < n)", "if (start < n)"),
    ),
    # ---- sums
    # Each lane leaves its own part.
    Wrong(
        "xxxii_sum_warps_every_lane",
        "xxxii_sum_warps",
        "race / left out / other element | numbers",
        ("  if (lane == 0) shared[wid] = val;", "  shared[wid] = val;"),
    ),
    # Each warp's part is read by the warp's number.
    Wrong(
        "xxxii_sum_warps_by_wid",
        "xxxii_sum_warps",
        "twice / left out / other element | numbers / function",
        ("? shared[lane] : 0", "? shared[wid] : 0"),
    ),
    # The parts are not awaited.
    Wrong(
        "xxxii_sum_warps_no_barrier",
        "xxxii_sum_warps",
        "race | left out / numbers / unwritten",
        (
            "  if (lane == 0) shared[wid] = val;\n  __syncthreads();\n",
            "  if (lane == 0) shared[wid] = val;\n",
        ),
    ),
    # The last step is forgotten.
    Wrong(
        "xxxii_sum_warps_to_two",
        "xxxii_sum_warps",
        "left out | numbers / other element",
        ("offset > 0;", "offset > 1;"),
    ),
    # The second kernel adds as many parts as there were elements.
    Wrong(
        "xxxii_sum_warps_n_parts",
        "xxxii_sum_warps",
        "bounds",
        ("(parts, out, blocks);", "(parts, out, N);"),
    ),
    # Room for two warps.
    Wrong(
        "xxxii_sum_warps_shared_two",
        "xxxii_sum_warps",
        "bounds",
        ("static __shared__ float shared[32];", "static __shared__ float shared[2];"),
    ),
    # Products of bfloat16.
    Wrong(
        "xxxii_dot_bf_rounded_products",
        "xxxii_dot_bf",
        "precision / rounding | numbers",
        (
            "__bfloat162float(lhs[i]) * __bfloat162float(rhs[i]);",
            "__bfloat162float(__hmul(lhs[i], rhs[i]));",
        ),
    ),
    # Threads past the end leave before the shuffles.
    Wrong(
        "xxxii_dot_bf_early_return",
        "xxxii_dot_bf",
        "race | numbers / tail / left out",
        ("  if (i < len) acc = ", "  if (i >= len) return;\n  acc = "),
    ),
    # The output is not set.
    Wrong(
        "xxxii_dot_bf_not_set",
        "xxxii_dot_bf",
        "zero before / state | start / numbers",
        ("  cudaMemsetAsync(dot, 0, sizeof(float), stream);\n", ""),
    ),
    # ---- largest
    # The smallest positive float is no start.
    Wrong(
        "xxxii_max_tree_flt_min",
        "xxxii_max_tree",
        "start | numbers",
        ("float m = -INFINITY;", "float m = FLT_MIN;"),
    ),
    # No barrier between the steps.
    Wrong(
        "xxxii_max_tree_no_barrier",
        "xxxii_max_tree",
        "race | left out / numbers",
        ("        }\n        __syncthreads();\n    }\n", "        }\n    }\n"),
    ),
    # The wrong way around.
    Wrong(
        "xxxii_max_tree_smaller",
        "xxxii_max_tree",
        "function / numbers / swapped | left out / start / infinity",
        ("if (data[i] > m)", "if (data[i] < m)"),
    ),
    # One part too many.
    Wrong(
        "xxxii_max_tree_part_more",
        "xxxii_max_tree",
        "bounds",
        ("b < BLOCKS;", "b <= BLOCKS;"),
    ),
    # The largest is an integer on its way.
    Wrong(
        "xxxii_max_tree_int",
        "xxxii_max_tree",
        "rounding / narrow / precision / whole range | numbers / infinity",
        ("float m = partial[0];", "int m = partial[0];"),
    ),
    # ---- a length
    # No root.
    Wrong(
        "xxxii_norm_two_no_root",
        "xxxii_norm_two",
        "function / left out | numbers",
        ("sqrtf(sq[0])", "sq[0]"),
    ),
    # No step is awaited.
    Wrong(
        "xxxii_norm_two_no_barrier",
        "xxxii_norm_two",
        "race | left out / numbers / unwritten",
        ("        __syncthreads();\n        if (t < half_size)", "        if (t < half_size)"),
    ),
    # Magnitudes.
    Wrong(
        "xxxii_norm_two_magnitudes",
        "xxxii_norm_two",
        "function | numbers",
        ("sum += vec[d] * vec[d];", "sum += fabsf(vec[d]);"),
    ),
    # A byte a thread.
    Wrong(
        "xxxii_norm_two_bytes",
        "xxxii_norm_two",
        "bounds",
        ("nthreads * sizeof(float), stream", "nthreads, stream"),
    ),
    # Squares of integers.
    Wrong(
        "xxxii_norm_two_int_sum",
        "xxxii_norm_two",
        "rounding / precision / narrow / whole range | numbers",
        ("float sum = 0.0f;", "int sum = 0;"),
    ),
    # One thread too many takes part in each step.
    Wrong(
        "xxxii_norm_two_equal_too",
        "xxxii_norm_two",
        "bounds / race | twice / numbers / left out / other element",
        ("if (t < half_size)", "if (t <= half_size)"),
    ),
    # ---- a count
    # Also what is equal.
    Wrong(
        "xxxii_count_above_equal",
        "xxxii_count_above",
        "function / numbers / twice",
        ("scores[i] > threshold", "scores[i] >= threshold"),
    ),
    # Every lane adds the warp's votes.
    Wrong(
        "xxxii_count_above_every_lane",
        "xxxii_count_above",
        "twice | function / numbers",
        ("if (lane == 0 && hits > 0)", "if (hits > 0)"),
    ),
    # Past the end is zero, which may be above.
    Wrong(
        "xxxii_count_above_zeros",
        "xxxii_count_above",
        "tail / numbers / twice / start / bounds | function",
        ("i < n && scores[i] > threshold;", "(i < n ? scores[i] : 0.0f) > threshold;"),
    ),
    # A warp's votes count as one.
    Wrong(
        "xxxii_count_above_any",
        "xxxii_count_above",
        "left out / function | numbers",
        ("hits += __popc(votes);", "hits += votes != 0;"),
    ),
    *thirtysecond_arrays.WRONG,
)

RIGHT = (
    # Blocks of another size, and some more than needed.
    Right(
        "xxxii_add_vec_more_blocks",
        "xxxii_add_vec",
        ("int threadsPerBlock = 256;", "int threadsPerBlock = 96;"),
        ("<<<(unsigned int)blocksPerGrid,", "<<<(unsigned int)blocksPerGrid + 5,"),
    ),
    # The rest first, by three threads.
    Right(
        "xxxii_add_int4_three",
        "xxxii_add_int4",
        ("if (n % 4 != 0) add_i32_rest<<<1, 4,", "if (n > packs * 4) add_i32_rest<<<1, 3,"),
        ("wanted < 5 ? (unsigned)wanted : 5u;", "2u;"),
    ),
    # The last thread of all does the odd one.
    Right(
        "xxxii_mul_half2_last_thread",
        "xxxii_mul_half2",
        ("if (tid == 0 && n % 2 == 1)", "if (tid == nthreads - 1 && (n & 1))"),
        ("<<<6, 96,", "<<<7, 50,"),
    ),
    # The half is added before the limits.
    Right(
        "xxxii_cast_byte_floor",
        "xxxii_cast_byte",
        ("    v = v * 255.0f;\n", "    v = v * 255.0f + 0.5f;\n"),
        ("(uint8_t)(v + 0.5f)", "(uint8_t)floorf(v)"),
        ("fminf(v, 255.0f)", "fminf(v, 255.75f)"),
    ),
    # A product in both cases.
    Right(
        "xxxii_leaky_two_parts",
        "xxxii_leaky",
        (
            "    if (val > 0)\n      out[idx] = val;\n    else\n      out[idx] = slope * val;\n",
            "    out[idx] = val * (val > 0 ? 1.0f : slope);\n",
        ),
    ),
    # By a sigmoid.
    Right(
        "xxxii_gelu_tanh_sigmoid",
        "xxxii_gelu_tanh",
        ("0.5f * x * (1.0f + tanhf(inner))", "x / (1.0f + expf(-2.0f * inner))"),
    ),
    # The rest by the last threads of the grid.
    Right(
        "xxxii_scale_shift_rest_last",
        "xxxii_scale_shift",
        (
            "    if (i < left) {\n        y[4 * n4 + i] = op(x[4 * n4 + i]);\n    }\n",
            "    const int64_t back = (int64_t)gridDim.x * blockDim.x - 1 - i;\n    if (back < left) {\n        y[n - 1 - back] = op(x[n - 1 - back]);\n    }\n",
        ),
    ),
    # By a factor of 0 or 1.
    Right(
        "xxxii_drop_add_factor",
        "xxxii_drop_add",
        (
            "    float h = 0.f;\n    if (keep[at]) h = __half2float(x[at]) * inv_keep;\n",
            "    const float scale = keep[at] ? inv_keep : 0.f;\n    const float h = scale * __half2float(x[at]);\n",
        ),
    ),
    # An exponential that is never more than 1.
    Right(
        "xxxii_gate_wave_magnitude",
        "xxxii_gate_wave",
        (
            "float s = 1.0f / (1.0f + expf(-a[k]));",
            "float z = expf(-fabsf(a[k]));\n        float s = (a[k] < 0.0f ? z : 1.0f) / (1.0f + z);",
        ),
        ("int block = 64;", "int block = 512;"),
    ),
    # fminf and fmaxf where it is no NaN.
    Right(
        "xxxii_clamp_nan_asked",
        "xxxii_clamp_nan",
        (
            "    if (v < lo) return lo;\n    if (v > hi) return hi;\n    return v;\n",
            "    return isnan(v) ? v : fminf(hi, fmaxf(lo, v));\n",
        ),
    ),
    # All lanes, and fewer blocks.
    Right(
        "xxxii_sum_warps_xor",
        "xxxii_sum_warps",
        ("__shfl_down_sync(", "__shfl_xor_sync("),
        ("if (blocks > 40) blocks = 40;", "if (blocks > 3) blocks = 3;"),
        ("deviceReduce<<<1, 256,", "deviceReduce<<<1, 32,"),
    ),
    # Another lane adds, and only what is not zero; blocks are idle.
    Right(
        "xxxii_dot_bf_lane_five",
        "xxxii_dot_bf",
        ("(threadIdx.x & 31) == 0", "threadIdx.x % 32 == 5 && acc != 0.f"),
        ("(len + 255) / 256;", "len / 256 + 3;"),
    ),
    # Each thread begins with the first element.
    Right(
        "xxxii_max_tree_first_element",
        "xxxii_max_tree",
        ("float m = -INFINITY;", "float m = data[0];"),
        ("#define BLOCKS 6", "#define BLOCKS 11"),
    ),
    # In double, by 64 threads.
    Right(
        "xxxii_norm_two_double",
        "xxxii_norm_two",
        ("float sum = 0.0f;", "double sum = 0.0;"),
        ("sum += vec[d] * vec[d];", "sum += (double)vec[d] * vec[d];"),
        ("sq[t] = sum;", "sq[t] = (float)sum;"),
        ("const int nthreads = 256;", "const int nthreads = 64;"),
    ),
    # Each warp's lanes are counted by themselves.
    Right(
        "xxxii_count_above_own",
        "xxxii_count_above",
        (
            "        const unsigned votes = __ballot_sync(0xffffffffu, above);\n        hits += __popc(votes);\n",
            "        hits += above ? 1 : 0;\n",
        ),
        (
            "    const int lane = threadIdx.x % 32;\n    if (lane == 0 && hits > 0)",
            "    if (hits)",
        ),
    ),
    *thirtysecond_arrays.RIGHT,
)
