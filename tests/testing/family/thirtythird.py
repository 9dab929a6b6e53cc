"""Hold a thirty-third family: additions, casts, activations, fused operators, sums, extremes.

Half of the bases are as students hand in in the first weeks of a course, half as juniors write
for a small library of operators. The causes were written before a member was judged. On the
emulator each member ran beside PyTorch: bases and right ones are right, and all wrong ones but
one wrong, or refused by a fault, some only so:

    xxxiii_plus_no_loop           from 513 elements on
    xxxiii_plus_thread_only       from 129 elements on
    xxxiii_pairs_past_end         if n is odd
    xxxiii_pairs_no_odd           likewise
    xxxiii_pairs_lane             from 2 elements on, if s is not 0
    xxxiii_pairs_scale_x          likewise, if s is not 1
    xxxiii_pairs_odd_unscaled     if n is odd, and s is not 1
    xxxiii_quant_truncates        of quotients that are not whole
    xxxiii_quant_ties_away        of quotients halfway between an even and an odd one
    xxxiii_quant_times            if the scale is not 1
    xxxiii_quant_zero_after       past the range, if the zero point is not 0
    xxxiii_quant_255              of results that are negative or past 127
    xxxiii_swiglu_floor_blocks    from 65 elements on, if n is no multiple of 64
    xxxiii_gelu_no_root           of numbers neither very small nor large
    xxxiii_gelu_scale_inside      if the scale is not 1
    xxxiii_gelu_blocks_of_256     where 256 need fewer blocks than 192: of 193, not of 257
    xxxiii_lerp_rest_at_packs     if n is no multiple of 4, from 5 elements on
    xxxiii_lerp_packs_up          if n is no multiple of 4
    xxxiii_lerp_lane              from 4 elements on
    xxxiii_relu_zero_too          of zeros
    xxxiii_relu_mask_only_ones    of numbers that are not positive, if the mask was not 0 before
    xxxiii_relu_mask_by_thread    from 2 blocks on
    xxxiii_tree_no_barrier        from 3 elements on
    xxxiii_tree_to_one            from 2 elements on, if those in odd places do not add up to 0
    xxxiii_tree_shared_unset      if n is no multiple of 256
    xxxiii_tree_not_set           if the output was not zero before
    xxxiii_mean_half_sum          of sums that no half has
    xxxiii_mean_four_warps        from 129 elements on
    xxxiii_mean_by_threads        if n is not 256
    xxxiii_mean_from_eight        from 17 elements on
    xxxiii_dot_assigns            from 897 elements on
    xxxiii_dot_part_less          from 769 elements on
    xxxiii_minmax_zero            of only positive or only negative integers
    xxxiii_minmax_last_warp       if an end lies where the last warp looks, from 481 elements on
    xxxiii_minmax_fmaxf           of integers past 2^24
    xxxiii_amax_signed            if a negative number has the largest magnitude
    xxxiii_amax_one_warp          from 33 elements on

One is wrong by reasoning:

    xxxiii_tree_plain_add         from 2 blocks on, if they run at the same time
"""

# ruff: noqa: E501 (a line of a kernel stands in one line)
from __future__ import annotations

from collections.abc import Iterator

import torch

from helpers.run.launcher import Launcher
from helpers.testing.cases import Case
from tests.testing.family import thirtythird_arrays
from tests.testing.family.elementwise import HEADER
from tests.testing.family.table import Base, Right, Wrong
from tests.testing.family.twentysixth import whole

# A student's addition, with a loop.
PLUS = (
    HEADER
    + """\
__global__ void add(int64_t n, const float *x, const float *y, float *out)
{
  int64_t index = blockIdx.x * (int64_t)blockDim.x + threadIdx.x;
  int64_t stride = (int64_t)blockDim.x * gridDim.x;
  for (int64_t i = index; i < n; i += stride)
    out[i] = x[i] + y[i];
}

extern "C" void launch(int64_t n, const float *x /* [n] */, const float *y /* [n] */, float *out /* [n] */, cudaStream_t stream = 0)
{
  int threads = 128;
  int blocks = 4;
  add<<<blocks, threads, 0, stream>>>(n, x, y, out);
}
"""
)

# A junior's scaled residual of halves, a pair a thread.
PAIRS = (
    HEADER
    + """\
__global__ void add_residual(half* __restrict__ out, const half* __restrict__ x, const half* __restrict__ res, float s, int64_t n) {
    const int64_t p = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    const int64_t i = 2 * p;
    if (i + 1 < n) {
        const float2 a = __half22float2(reinterpret_cast<const half2*>(x)[p]);
        const float2 r = __half22float2(reinterpret_cast<const half2*>(res)[p]);
        reinterpret_cast<half2*>(out)[p] = __floats2half2_rn(a.x + s * r.x, a.y + s * r.y);
    } else if (i < n) {
        out[i] = __float2half(__half2float(x[i]) + s * __half2float(res[i]));
    }
}

extern "C" void launch(half* out,        // [n] 4-byte aligned
                       const half* x,    // [n] 4-byte aligned
                       const half* res,  // [n] 4-byte aligned
                       float s, int64_t n, cudaStream_t stream = 0) {
    const int64_t pairs = (n + 1) / 2;
    add_residual<<<(unsigned)((pairs + 127) / 128), 128, 0, stream>>>(out, x, res, s, n);
}
"""
)

# A junior's quantised bytes.
QUANT = (
    HEADER
    + """\
__device__ __forceinline__ int8_t quantize_one(float v, float scale, int zero_point) {
  float q = rintf(v / scale) + zero_point;
  q = fminf(fmaxf(q, -128.f), 127.f);
  return static_cast<int8_t>(q);
}

__global__ void quantize(const float* src, int8_t* dst, float scale, int zero_point, int64_t count) {
  const auto k = int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (k >= count) return;
  dst[k] = quantize_one(src[k], scale, zero_point);
}

extern "C" void launch(const float* src /* [count] */, int8_t* dst /* [count] */, float scale, int zero_point, int64_t count, int block_size = 256, cudaStream_t stream = 0) {
  const int64_t blocks = (count - 1) / block_size + 1;
  quantize<<<(unsigned)blocks, block_size, 0, stream>>>(src, dst, scale, zero_point, count);
}
"""
)

# A junior's gated SiLU of bfloat16.
SWIGLU = (
    HEADER
    + """\
typedef __nv_bfloat16 bf16;

__global__ void swiglu_fwd(const bf16* up, const bf16* gate, bf16* y, int64_t N) {
    int64_t step = (int64_t)blockDim.x * gridDim.x;
    for (int64_t j = (int64_t)blockDim.x * blockIdx.x + threadIdx.x; j < N; j += step) {
        float g = __bfloat162float(gate[j]);
        float u = __bfloat162float(up[j]);
        float sig = 1.0f / (1.0f + expf(-g));
        y[j] = __float2bfloat16(g * sig * u);
    }
}

extern "C" void launch(const bf16* up /* [N] */, const bf16* gate /* [N] */, bf16* y /* [N] */, int64_t N, cudaStream_t stream = 0) {
    int64_t grid = (N + 63) / 64;
    if (grid > 12) grid = 12;
    swiglu_fwd<<<(int)grid, 64, 0, stream>>>(up, gate, y, N);
}
"""
)

# A student's GELU by the error function, with a scale.
GELU = (
    HEADER
    + """\
__global__ void geluKernel(const float *input, float *output, float scale, int64_t size)
{
    int64_t gid = threadIdx.x + (int64_t)blockIdx.x * blockDim.x;
    if (gid < size) {
        float x = input[gid];
        float cdf = 0.5f * (1.0f + erff(x * 0.70710678f));
        output[gid] = scale * x * cdf;
    }
}

extern "C" void launch(const float *input /* [size] */, float *output /* [size] */, int64_t size, float scale, cudaStream_t stream = 0)
{
    dim3 block(192);
    dim3 grid((unsigned)((size + block.x - 1) / block.x));
    geluKernel<<<grid, block, 0, stream>>>(input, output, scale, size);
}
"""
)

# A junior's interpolation, four floats at a time.
LERP = (
    HEADER
    + """\
static __device__ inline float mix(float a, float b, float w) { return a + w * (b - a); }

__global__ void lerp4(const float* __restrict__ start, const float* __restrict__ end, float weight, float* __restrict__ out, int64_t n) {
  const int64_t tid = int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
  const int64_t nthr = int64_t(gridDim.x) * blockDim.x;
  const int64_t nvec = n >> 2;
  const float4* s4 = (const float4*)start;
  const float4* e4 = (const float4*)end;
  for (int64_t v = tid; v < nvec; v += nthr) {
    const float4 s = s4[v], e = e4[v];
    float4 o;
    o.x = mix(s.x, e.x, weight);
    o.y = mix(s.y, e.y, weight);
    o.z = mix(s.z, e.z, weight);
    o.w = mix(s.w, e.w, weight);
    ((float4*)out)[v] = o;
  }
  for (int64_t r = (nvec << 2) + tid; r < n; r += nthr) out[r] = mix(start[r], end[r], weight);
}

extern "C" void launch(const float* start,  // [n] 16-byte aligned
                       const float* end,    // [n] 16-byte aligned
                       float* out,          // [n] 16-byte aligned
                       float weight, int64_t n, cudaStream_t stream = 0) {
  lerp4<<<3, 96, 0, stream>>>(start, end, weight, out, n);
}
"""
)

# A student's ReLU, which keeps a mask for the way back.
RELU = (
    HEADER
    + """\
__global__ void relu_forward(const float* x, float* y, uint8_t* mask, int64_t N) {
    int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < N) {
        if (x[i] > 0.0f) {
            y[i] = x[i];
            mask[i] = 1;
        } else {
            y[i] = 0.0f;
            mask[i] = 0;
        }
    }
}

extern "C" void launch(const float* x /* [N] */, float* y /* [N] */, uint8_t* mask /* [N] */, int64_t N, int block_size = 256, cudaStream_t stream = 0) {
    int64_t num_blocks = (N + block_size - 1) / block_size;
    relu_forward<<<(unsigned int)num_blocks, block_size, 0, stream>>>(x, y, mask, N);
}
"""
)

# A student's sum: a tree in each block, and one atomic addition.
TREE = (
    HEADER
    + """\
#define BS 256

__global__ void reduceSum(const float *g_in, float *g_out, int64_t n)
{
    __shared__ float sdata[BS];
    unsigned int tid = threadIdx.x;
    int64_t i = (int64_t)blockIdx.x * BS + tid;
    sdata[tid] = (i < n) ? g_in[i] : 0.0f;
    __syncthreads();

    for (unsigned int s = BS / 2; s > 0; s >>= 1) {
        if (tid < s)
            sdata[tid] += sdata[tid + s];
        __syncthreads();
    }

    if (tid == 0)
        atomicAdd(g_out, sdata[0]);
}

extern "C" void launch(const float *g_in /* [n] */, int64_t n, float *g_out /* [1] */, cudaStream_t stream = 0)
{
    cudaMemsetAsync(g_out, 0, sizeof(float), stream);
    unsigned int blocks = (unsigned int)((n + BS - 1) / BS);
    reduceSum<<<blocks, BS, 0, stream>>>(g_in, g_out, n);
}
"""
)

# A junior's mean of halves, in one block, by shuffles.
MEAN = (
    HEADER
    + """\
constexpr unsigned kFull = 0xffffffffu;

__device__ float warp_sum(float v) {
#pragma unroll
  for (int o = 16; o >= 1; o >>= 1) v += __shfl_xor_sync(kFull, v, o);
  return v;
}

__global__ void mean_half(float* __restrict__ mean, const half* __restrict__ x, int64_t n) {
  __shared__ float per_warp[8];
  float acc = 0.f;
  for (int64_t i = threadIdx.x; i < n; i += 256) acc += __half2float(x[i]);
  acc = warp_sum(acc);
  const int lane = threadIdx.x & 31, warp = threadIdx.x >> 5;
  if (lane == 0) per_warp[warp] = acc;
  __syncthreads();
  if (warp == 0) {
    acc = lane < 8 ? per_warp[lane] : 0.f;
    acc = warp_sum(acc);
    if (lane == 0) *mean = acc / (float)n;
  }
}

extern "C" void launch(float* mean,    // [1]
                       const half* x,  // [n]
                       int64_t n, cudaStream_t stream = 0) {
  mean_half<<<1, 256, 0, stream>>>(mean, x, n);
}
"""
)

# A student's dot product after the book.
DOT = (
    HEADER
    + """\
const int threadsPerBlock = 128;
const int blocksPerGrid = 7;

__global__ void dot(const float *a, const float *b, float *c, int64_t N) {
    __shared__ float cache[threadsPerBlock];
    int64_t tid = threadIdx.x + (int64_t)blockIdx.x * blockDim.x;
    int cacheIndex = threadIdx.x;
    float temp = 0;
    while (tid < N) {
        temp += a[tid] * b[tid];
        tid += (int64_t)blockDim.x * gridDim.x;
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
    if (cacheIndex == 0) c[blockIdx.x] = cache[0];
}

__global__ void finish(const float *partial_c, float *result) {
    float c = 0;
    for (int i = 0; i < blocksPerGrid; i++) {
        c += partial_c[i];
    }
    *result = c;
}

extern "C" void launch(const float *a /* [N] */, const float *b /* [N] */, float *result /* [1] */, int64_t N, cudaStream_t stream = 0) {
    float *partial_c;
    cudaMallocAsync((void **)&partial_c, blocksPerGrid * sizeof(float), stream);
    dot<<<blocksPerGrid, threadsPerBlock, 0, stream>>>(a, b, partial_c, N);
    finish<<<1, 1, 0, stream>>>(partial_c, result);
    cudaFreeAsync(partial_c, stream);
}
"""
)

# A student's smallest and largest integer, in one block.
MINMAX = (
    HEADER
    + """\
#include <climits>

__global__ void minMax(const int* v, int* lo, int* hi, int64_t n) {
    __shared__ int smin[16];
    __shared__ int smax[16];
    int mn = INT_MAX;
    int mx = INT_MIN;
    for (int64_t i = threadIdx.x; i < n; i += blockDim.x) {
        mn = min(mn, v[i]);
        mx = max(mx, v[i]);
    }
    for (int d = 16; d > 0; d /= 2) {
        mn = min(mn, __shfl_down_sync(0xFFFFFFFF, mn, d));
        mx = max(mx, __shfl_down_sync(0xFFFFFFFF, mx, d));
    }
    if (threadIdx.x % 32 == 0) {
        smin[threadIdx.x / 32] = mn;
        smax[threadIdx.x / 32] = mx;
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int w = 1; w < blockDim.x / 32; w++) {
            mn = min(mn, smin[w]);
            mx = max(mx, smax[w]);
        }
        *lo = mn;
        *hi = mx;
    }
}

extern "C" void launch(const int* v /* [n] */, int64_t n, int* lo /* [1] */, int* hi /* [1] */, cudaStream_t stream = 0) {
    minMax<<<1, 512, 0, stream>>>(v, lo, hi, n);
}
"""
)

# A junior's largest magnitude, by the bits of a float.
AMAX = (
    HEADER
    + """\
namespace {
__global__ void amax_kernel(const __nv_bfloat16* __restrict__ in, int64_t numel, float* __restrict__ amax) {
  float local = 0.0f;
  for (int64_t idx = blockIdx.x * static_cast<int64_t>(blockDim.x) + threadIdx.x; idx < numel; idx += static_cast<int64_t>(gridDim.x) * blockDim.x) {
    local = fmaxf(local, fabsf(__bfloat162float(in[idx])));
  }
  for (int offset = 16; offset > 0; offset >>= 1) {
    local = fmaxf(local, __shfl_down_sync(0xffffffff, local, offset));
  }
  if (threadIdx.x % warpSize == 0) {
    atomicMax(reinterpret_cast<int*>(amax), __float_as_int(local));
  }
}
}  // namespace

extern "C" void launch(const __nv_bfloat16* in /* [numel] */, int64_t numel, float* amax /* [1] */, cudaStream_t stream = 0) {
  cudaMemsetAsync(amax, 0, sizeof(float), stream);
  amax_kernel<<<5, 160, 0, stream>>>(in, numel, amax);
}
"""
)


def _add(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    return a.double() + b.double()


def residuals(launcher: Launcher) -> Iterator[Case]:
    """Add scaled residuals of halves."""
    for n in (1, 2, 3, 31, 256, 257, 258, 1000, 3001):
        x = (whole(-999, 1000, n, n).float() / 128).half()
        res = (whole(-999, 1000, n, n + 1).float() / 128).half()
        for s in (1.0, 0.0, -0.5, 0.3):
            product = torch.tensor(s).double() * res.double()
            right = (x.double() + product,)
            options = {
                "dtypes": (torch.float16,),
                "ulp": 1,
                "within": (2.0**-20 * product.abs(),),
            }
            yield Case(f"n = {n:,}, s = {s}", (x, res), right, {"s": s}, **options)


def quantised(launcher: Launcher) -> Iterator[Case]:
    """Quantise numbers inside and outside of the range, and ties."""
    for n in (1, 2, 31, 256, 257, 1000, 3001):
        x = whole(-300, 301, n, n).float() / 8
        for scale, zero_point in ((0.25, 0), (0.5, 10), (2.0, -7)):
            for block_size in (256, 96):
                for label, y in (("usual", x), ("large", x * 64), ("small", x / 16)):
                    right = ((y.double() / scale).round() + zero_point).clamp(-128, 127)
                    scalars = {
                        "scale": scale,
                        "zero_point": zero_point,
                        "block_size": block_size,
                    }
                    words = f"count = {n:,}, {scalars}, {label}"
                    yield Case(words, (y,), (right,), scalars, dtypes=(torch.int8,))


def gates(launcher: Launcher) -> Iterator[Case]:
    """Gate usual, small and large numbers."""
    for n in (1, 2, 31, 64, 65, 768, 769, 3001):
        a, b = (whole(-1000, 1001, n, n + k).float() / 256 for k in range(2))
        for label, factor in (("usual", 1.0), ("small", 1 / 64), ("large", 10.0)):
            up, gate = (a * factor).bfloat16(), (b * factor).bfloat16()
            right = torch.nn.functional.silu(gate.double()) * up.double()
            options = {
                "dtypes": (torch.bfloat16,),
                "ulp": 1,
                "within": (2.0**-18 * right.abs() + 1e-30,),
            }
            yield Case(f"N = {n:,}, {label}", (up, gate), (right,), **options)


def gelus(launcher: Launcher) -> Iterator[Case]:
    """Apply GELU to usual, small and large numbers, with several scales."""
    for n in (1, 2, 31, 192, 193, 1000, 3001):
        x = whole(-1000, 1001, n, n).float() / 256
        for scale in (1.0, 0.5, -3.0):
            for label, y in (("usual", x), ("small", x / 64), ("large", x * 10)):
                right = scale * torch.nn.functional.gelu(y.double())
                options = {
                    "dtypes": (torch.float32,),
                    "ulp": 4,
                    "within": (2.0**-21 * abs(scale) * y.double().abs(),),
                }
                words = f"size = {n:,}, scale = {scale}, {label}"
                yield Case(words, (y,), (right,), {"scale": scale}, **options)


def mixed(launcher: Launcher) -> Iterator[Case]:
    """Interpolate whole numbers: all results are exact."""
    for n in (1, 2, 3, 4, 5, 31, 1152, 1153, 1155, 3002):
        a, b = whole(-500, 501, n, n).float(), whole(-500, 501, n, n + 1).float()
        for weight in (0.0, 1.0, 0.25, 1.5):
            right = (a.double() + weight * (b.double() - a.double()),)
            words = f"n = {n:,}, weight = {weight}"
            yield Case(words, (a, b), right, {"weight": weight}, dtypes=(torch.float32,))


def masked(launcher: Launcher) -> Iterator[Case]:
    """Apply ReLU to numbers of which some are zero, and keep where it is positive."""
    for n in (1, 2, 31, 256, 257, 1000, 3001):
        x = whole(-20, 21, n, n).float() / 4
        for block_size in (256, 64):
            for label, y in (("any", x), ("negative", -x.abs() - 1), ("zeros", x * 0)):
                right = (y.double().clamp(min=0), (y > 0).double())
                scalars = {"block_size": block_size}
                words = f"N = {n:,}, {scalars}, {label}"
                yield Case(words, (y,), right, scalars, dtypes=(torch.float32, torch.uint8))


def totals(launcher: Launcher) -> Iterator[Case]:
    """Add whole numbers and their quarters, whose sums are exact."""
    for n in (1, 2, 31, 33, 255, 256, 257, 1000, 3001):
        x = whole(-99, 100, n, n).float()
        for label, y in (("any", x), ("quarters", x / 4), ("ones", x * 0 + 1)):
            right = (y.double().sum().reshape(1),)
            yield Case(f"n = {n:,}, {label}", (y,), right, dtypes=(torch.float32,))


def means(launcher: Launcher) -> Iterator[Case]:
    """Take the mean of whole numbers, and of sixteenths, whose sums are exact."""
    for n in (1, 2, 31, 33, 255, 256, 257, 1000, 5003):
        x = whole(-99, 100, n, n).float()
        fractions = x.remainder(64) + 64 + 1 / 16
        for label, y in (("any", x), ("positive", x.abs() + 1), ("fractions", fractions)):
            right = (y.double().mean().reshape(1),)
            yield Case(
                f"n = {n:,}, {label}", (y.half(),), right, dtypes=(torch.float32,), ulp=1
            )


def dots(launcher: Launcher) -> Iterator[Case]:
    """Multiply and add whole numbers, whose sums are exact."""
    for n in (1, 2, 31, 33, 128, 129, 896, 897, 3001):
        a, b = whole(-30, 31, n, n).float(), whole(-30, 31, n, n + 1).float()
        for label, x, y in (("any", a, b), ("positive", a.abs() + 1, b.abs() + 1)):
            right = ((x.double() * y.double()).sum().reshape(1),)
            yield Case(f"N = {n:,}, {label}", (x, y), right, dtypes=(torch.float32,))


def ends(launcher: Launcher) -> Iterator[Case]:
    """Find the smallest and the largest of integers."""
    for n in (1, 2, 31, 33, 480, 512, 513, 3001):
        x = whole(-(2**31), 2**31, n, n)
        kinds = (
            ("any", x),
            ("positive", x.abs() // 2 + 1),
            ("negative", -(x.abs() // 2) - 1),
            ("rising", x.sort()[0]),
            ("falling", x.sort(descending=True)[0]),
        )
        for label, y in kinds:
            right = (y.min().double().reshape(1), y.max().double().reshape(1))
            dtypes = (torch.int32, torch.int32)
            yield Case(f"n = {n:,}, {label}", (y.int(),), right, dtypes=dtypes)


def magnitudes(launcher: Launcher) -> Iterator[Case]:
    """Find the largest magnitude of any, of small and of negative numbers."""
    for n in (1, 2, 31, 33, 160, 161, 800, 801, 3001):
        x = (whole(-999, 1000, n, n).float() / 16).bfloat16()
        for label, y in (
            ("any", x),
            ("small", x / 4096),
            ("negative", -x.abs() - 1),
            ("rising", x.abs().sort()[0]),
        ):
            right = (y.double().abs().max().reshape(1),)
            yield Case(f"numel = {n:,}, {label}", (y,), right, dtypes=(torch.float32,))


BASES = {
    "xxxiii_plus": Base(PLUS, {"reference": _add}),
    "xxxiii_pairs": Base(PAIRS, {"cases": residuals}),
    "xxxiii_quant": Base(QUANT, {"cases": quantised}),
    "xxxiii_swiglu": Base(SWIGLU, {"cases": gates}),
    "xxxiii_gelu": Base(GELU, {"cases": gelus}),
    "xxxiii_lerp": Base(LERP, {"cases": mixed}),
    "xxxiii_relu": Base(RELU, {"cases": masked}),
    "xxxiii_tree": Base(TREE, {"cases": totals}),
    "xxxiii_mean": Base(MEAN, {"cases": means}),
    "xxxiii_dot": Base(DOT, {"cases": dots}),
    "xxxiii_minmax": Base(MINMAX, {"cases": ends}),
    "xxxiii_amax": Base(AMAX, {"cases": magnitudes}),
    **thirtythird_arrays.BASES,
}

WRONG = (
    # ---- addition
    # One past the end.
    Wrong("xxxiii_plus_to_n", "xxxiii_plus", "bounds | tail", ("i < n;", "i <= n;")),
    # A test in place of the loop.
    Wrong(
        "xxxiii_plus_no_loop",
        "xxxiii_plus",
        "tail / unwritten / grid / left out | block size",
        (
            "  for (int64_t i = index; i < n; i += stride)\n",
            "  int64_t i = index;\n  if (i < n)\n",
        ),
    ),
    # Counted from one.
    Wrong(
        "xxxiii_plus_from_one",
        "xxxiii_plus",
        "unwritten / neighbour / left out | tail / start / bounds",
        ("int64_t i = index;", "int64_t i = index + 1;"),
    ),
    # The first input twice.
    Wrong(
        "xxxiii_plus_x_twice",
        "xxxiii_plus",
        "left out / twice / function / swapped | numbers",
        ("x[i] + y[i];", "x[i] + x[i];"),
    ),
    # The block is forgotten, and the step is the whole grid's.
    Wrong(
        "xxxiii_plus_thread_only",
        "xxxiii_plus",
        "unwritten / left out / tail / grid / block size | race / twice",
        ("blockIdx.x * (int64_t)blockDim.x + threadIdx.x;", "threadIdx.x;"),
    ),
    # ---- residual
    # The odd one as a pair.
    Wrong("xxxiii_pairs_past_end", "xxxiii_pairs", "bounds | tail", ("(i + 1 < n)", "(i < n)")),
    # The odd one is forgotten.
    Wrong(
        "xxxiii_pairs_no_odd",
        "xxxiii_pairs",
        "tail / unwritten | left out",
        (
            " else if (i < n) {\n        out[i] = __float2half(__half2float(x[i]) + s * __half2float(res[i]));\n    }\n",
            "\n",
        ),
    ),
    # The first lane of the residual for both.
    Wrong(
        "xxxiii_pairs_lane",
        "xxxiii_pairs",
        "neighbour / other element / swapped | numbers",
        ("s * r.y)", "s * r.x)"),
    ),
    # The scale goes to the other operand.
    Wrong(
        "xxxiii_pairs_scale_x",
        "xxxiii_pairs",
        "swapped / function | numbers / tail",
        ("a.x + s * r.x, a.y + s * r.y", "s * a.x + r.x, s * a.y + r.y"),
    ),
    # The odd one is not scaled.
    Wrong(
        "xxxiii_pairs_odd_unscaled",
        "xxxiii_pairs",
        "tail / left out | function / numbers",
        ("+ s * __half2float(res[i])", "+ __half2float(res[i])"),
    ),
    # ---- quantised bytes
    # Truncated.
    Wrong(
        "xxxiii_quant_truncates",
        "xxxiii_quant",
        "rounding | numbers",
        ("rintf(v / scale)", "(int)(v / scale)"),
    ),
    # Ties away from zero.
    Wrong(
        "xxxiii_quant_ties_away",
        "xxxiii_quant",
        "rounding | numbers",
        ("rintf(v / scale)", "roundf(v / scale)"),
    ),
    # Multiplied.
    Wrong(
        "xxxiii_quant_times",
        "xxxiii_quant",
        "function | numbers / whole range",
        ("v / scale)", "v * scale)"),
    ),
    # The zero point after the limits.
    Wrong(
        "xxxiii_quant_zero_after",
        "xxxiii_quant",
        "whole range / narrow / infinity | numbers",
        (" + zero_point;\n", ";\n"),
        ("static_cast<int8_t>(q);", "static_cast<int8_t>(static_cast<int>(q) + zero_point);"),
    ),
    # The limits of a byte without a sign.
    Wrong(
        "xxxiii_quant_255",
        "xxxiii_quant",
        "whole range / narrow / infinity | numbers / function",
        (
            "  q = fminf(fmaxf(q, -128.f), 127.f);\n  return static_cast<int8_t>(q);",
            "  q = fminf(fmaxf(q, 0.f), 255.f);\n  return static_cast<int8_t>(static_cast<int>(q));",
        ),
    ),
    # ---- gated SiLU
    # The sign of the exponent.
    Wrong(
        "xxxiii_swiglu_sign",
        "xxxiii_swiglu",
        "function / numbers | infinity",
        ("expf(-g)", "expf(g)"),
    ),
    # The two inputs are exchanged.
    Wrong(
        "xxxiii_swiglu_swapped",
        "xxxiii_swiglu",
        "swapped | function / numbers",
        ("(up, gate, y, N);", "(gate, up, y, N);"),
    ),
    # A sigmoid only.
    Wrong(
        "xxxiii_swiglu_sigmoid",
        "xxxiii_swiglu",
        "function / left out | numbers",
        ("(g * sig * u)", "(sig * u)"),
    ),
    # The number of blocks rounded down, and no loop.
    Wrong(
        "xxxiii_swiglu_floor_blocks",
        "xxxiii_swiglu",
        "tail / unwritten / grid / refused | left out",
        ("(N + 63) / 64;\n    if (grid > 12) grid = 12;", "N / 64 + (N < 64);"),
        ("j < N; j += step)", "j < N; j = N)"),
    ),
    # ---- GELU
    # No root of two.
    Wrong(
        "xxxiii_gelu_no_root",
        "xxxiii_gelu",
        "function / numbers | precision",
        ("erff(x * 0.70710678f)", "erff(x)"),
    ),
    # Integers are divided.
    Wrong(
        "xxxiii_gelu_int_half",
        "xxxiii_gelu",
        "function / copy / left out | numbers / unwritten",
        ("0.5f * (1.0f", "(1 / 2) * (1.0f"),
    ),
    # The scale is applied inside.
    Wrong(
        "xxxiii_gelu_scale_inside",
        "xxxiii_gelu",
        "function / numbers | swapped",
        ("float x = input[gid];", "float x = scale * input[gid];"),
        ("scale * x * cdf", "x * cdf"),
    ),
    # Another block in the quotient than in the launch.
    Wrong(
        "xxxiii_gelu_blocks_of_256",
        "xxxiii_gelu",
        "grid / tail / unwritten / block size | left out",
        ("(size + block.x - 1) / block.x", "(size + 255) / 256"),
    ),
    # ---- interpolation
    # The other way around.
    Wrong(
        "xxxiii_lerp_reversed",
        "xxxiii_lerp",
        "swapped / function | numbers",
        ("return a + w * (b - a);", "return w * a + (1.0f - w) * b;"),
    ),
    # The rest begins where the packs would.
    Wrong(
        "xxxiii_lerp_rest_at_packs",
        "xxxiii_lerp",
        "tail / unwritten | left out / race / twice",
        ("(nvec << 2) + tid; r < n;", "nvec + tid; r < nvec + (n & 3);"),
    ),
    # One pack too many.
    Wrong(
        "xxxiii_lerp_packs_up",
        "xxxiii_lerp",
        "bounds | tail",
        ("nvec = n >> 2;", "nvec = (n + 3) >> 2;"),
    ),
    # A line was copied and not changed.
    Wrong(
        "xxxiii_lerp_lane",
        "xxxiii_lerp",
        "neighbour / other element / swapped | numbers",
        ("mix(s.w, e.w, weight)", "mix(s.z, e.z, weight)"),
    ),
    # ---- ReLU and its mask
    # Zero counts as positive.
    Wrong(
        "xxxiii_relu_zero_too",
        "xxxiii_relu",
        "function / numbers | sign of zero",
        ("if (x[i] > 0.0f)", "if (x[i] >= 0.0f)"),
    ),
    # The mask is written only where it is 1.
    Wrong(
        "xxxiii_relu_mask_only_ones",
        "xxxiii_relu",
        "unwritten / zero before | numbers / left out",
        ("            mask[i] = 0;\n", ""),
    ),
    # The mask by the thread in the block.
    Wrong(
        "xxxiii_relu_mask_by_thread",
        "xxxiii_relu",
        "unwritten / left out / race / other element | tail",
        ("mask[i] = 1;", "mask[threadIdx.x] = 1;"),
        ("mask[i] = 0;", "mask[threadIdx.x] = 0;"),
    ),
    # The test is off by one.
    Wrong(
        "xxxiii_relu_last",
        "xxxiii_relu",
        "tail / unwritten | left out",
        ("if (i < N) {", "if (i + 1 < N) {"),
    ),
    # ---- a sum
    # No barrier between the steps.
    Wrong(
        "xxxiii_tree_no_barrier",
        "xxxiii_tree",
        "race | left out / numbers",
        ("[tid + s];\n        __syncthreads();\n", "[tid + s];\n"),
    ),
    # The last step is missing.
    Wrong(
        "xxxiii_tree_to_one",
        "xxxiii_tree",
        "left out | numbers / other element",
        ("s > 0; s >>= 1", "s > 1; s >>= 1"),
    ),
    # Added without an atomic operation.
    Wrong(
        "xxxiii_tree_plain_add",
        "xxxiii_tree",
        "race | left out / numbers",
        ("atomicAdd(g_out, sdata[0]);", "*g_out += sdata[0];"),
    ),
    # Past the end nothing is set.
    Wrong(
        "xxxiii_tree_shared_unset",
        "xxxiii_tree",
        "unwritten / start / tail | race / numbers / state",
        ("sdata[tid] = (i < n) ? g_in[i] : 0.0f;", "if (i < n) sdata[tid] = g_in[i];"),
    ),
    # The output is not set.
    Wrong(
        "xxxiii_tree_not_set",
        "xxxiii_tree",
        "zero before / state | start / numbers",
        ("    cudaMemsetAsync(g_out, 0, sizeof(float), stream);\n", ""),
    ),
    # ---- a mean
    # A sum in half.
    Wrong(
        "xxxiii_mean_half_sum",
        "xxxiii_mean",
        "precision / rounding / narrow | numbers / infinity",
        ("float acc = 0.f;", "half sum = __float2half(0.f);"),
        (
            "acc += __half2float(x[i]);",
            "sum = __hadd(sum, x[i]);\n  float acc = __half2float(sum);",
        ),
    ),
    # Only half of the warps.
    Wrong(
        "xxxiii_mean_four_warps",
        "xxxiii_mean",
        "left out | numbers / tail",
        ("lane < 8 ?", "lane < 4 ?"),
    ),
    # The mean of the block's threads.
    Wrong(
        "xxxiii_mean_by_threads",
        "xxxiii_mean",
        "function | numbers",
        ("acc / (float)n;", "acc / (float)blockDim.x;"),
    ),
    # The shuffles begin at eight.
    Wrong(
        "xxxiii_mean_from_eight",
        "xxxiii_mean",
        "left out | numbers",
        ("int o = 16;", "int o = 8;"),
    ),
    # ---- a dot product
    # Set in place of added.
    Wrong(
        "xxxiii_dot_assigns",
        "xxxiii_dot",
        "left out | numbers / tail",
        ("temp += a[tid]", "temp = a[tid]"),
    ),
    # No barrier before the tree.
    Wrong(
        "xxxiii_dot_no_first_barrier",
        "xxxiii_dot",
        "race | left out / numbers / unwritten",
        ("= temp;\n    __syncthreads();\n", "= temp;\n"),
    ),
    # The last block's part is left out.
    Wrong(
        "xxxiii_dot_part_less",
        "xxxiii_dot",
        "left out | numbers / tail",
        ("i < blocksPerGrid; i++", "i < blocksPerGrid - 1; i++"),
    ),
    # Room for bytes.
    Wrong(
        "xxxiii_dot_room",
        "xxxiii_dot",
        "bounds",
        ("&partial_c, blocksPerGrid * sizeof(float)", "&partial_c, blocksPerGrid"),
    ),
    # ---- smallest and largest
    # Both begin with zero.
    Wrong(
        "xxxiii_minmax_zero",
        "xxxiii_minmax",
        "start | numbers",
        ("int mn = INT_MAX;\n    int mx = INT_MIN;", "int mn = 0, mx = 0;"),
    ),
    # The last warp is left out.
    Wrong(
        "xxxiii_minmax_last_warp",
        "xxxiii_minmax",
        "left out | numbers",
        ("w < blockDim.x / 32;", "w < blockDim.x / 32 - 1;"),
    ),
    # The outputs are exchanged.
    Wrong(
        "xxxiii_minmax_swapped",
        "xxxiii_minmax",
        "swapped / function | numbers",
        ("(v, lo, hi, n);", "(v, hi, lo, n);"),
    ),
    # Through float.
    Wrong(
        "xxxiii_minmax_fmaxf",
        "xxxiii_minmax",
        "precision / narrow / rounding / whole range | numbers",
        ("mx = max(mx, v[i]);", "mx = fmaxf(mx, v[i]);"),
    ),
    # ---- largest magnitude
    # No magnitude.
    Wrong(
        "xxxiii_amax_signed",
        "xxxiii_amax",
        "function / left out / numbers | start",
        ("fabsf(__bfloat162float(in[idx]))", "__bfloat162float(in[idx])"),
    ),
    # The value as an integer, not its bits.
    Wrong(
        "xxxiii_amax_converted",
        "xxxiii_amax",
        "function / numbers / rounding / subnormal | precision / whole range",
        ("__float_as_int(local)", "(int)local"),
    ),
    # The first warp of each block only.
    Wrong(
        "xxxiii_amax_one_warp",
        "xxxiii_amax",
        "left out | numbers",
        ("threadIdx.x % warpSize == 0", "threadIdx.x == 0"),
    ),
    *thirtythird_arrays.WRONG,
)

RIGHT = (
    # The launch's two numbers are exchanged.
    Right(
        "xxxiii_plus_many_blocks", "xxxiii_plus", ("<<<blocks, threads,", "<<<threads, blocks,")
    ),
    # Idle blocks of another size, and fused steps.
    Right(
        "xxxiii_pairs_idle",
        "xxxiii_pairs",
        ("(pairs + 127) / 128), 128,", "n / 96 + 2), 96,"),
        ("a.x + s * r.x, a.y + s * r.y", "fmaf(s, r.x, a.x), fmaf(r.y, s, a.y)"),
    ),
    # Integers between the limits.
    Right(
        "xxxiii_quant_int",
        "xxxiii_quant",
        (
            "  float q = rintf(v / scale) + zero_point;\n  q = fminf(fmaxf(q, -128.f), 127.f);\n",
            "  int q = __float2int_rn(v / scale) + zero_point;\n  q = q < -128 ? -128 : q > 127 ? 127 : q;\n",
        ),
    ),
    # One division.
    Right(
        "xxxiii_swiglu_one_division",
        "xxxiii_swiglu",
        ("        float sig = 1.0f / (1.0f + expf(-g));\n", ""),
        ("(g * sig * u)", "(g / (1.0f + expf(-g)) * u)"),
        ("<<<(int)grid, 64,", "<<<(int)grid, 32,"),
    ),
    # By the complement.
    Right(
        "xxxiii_gelu_erfc",
        "xxxiii_gelu",
        ("(1.0f + erff(x * 0.70710678f))", "erfcf(-x * 0.70710678f)"),
    ),
    # The rest from its end.
    Right(
        "xxxiii_lerp_rest_backwards",
        "xxxiii_lerp",
        (
            "int64_t r = (nvec << 2) + tid; r < n; r += nthr)",
            "int64_t r = n - 1 - tid; r >= 4 * nvec; r -= nthr)",
        ),
    ),
    # The test is the mask.
    Right(
        "xxxiii_relu_bool",
        "xxxiii_relu",
        (
            "        if (x[i] > 0.0f) {\n            y[i] = x[i];\n            mask[i] = 1;\n        } else {\n            y[i] = 0.0f;\n            mask[i] = 0;\n        }\n",
            "        bool keep = x[i] > 0.0f;\n        mask[i] = keep;\n        y[i] = keep ? x[i] : 0.0f;\n",
        ),
    ),
    # Smaller blocks, of which some are idle.
    Right(
        "xxxiii_tree_idle",
        "xxxiii_tree",
        ("#define BS 256", "#define BS 64"),
        ("<<<blocks, BS,", "<<<blocks + 3, BS,"),
    ),
    # In double.
    Right(
        "xxxiii_mean_double",
        "xxxiii_mean",
        ("float acc = 0.f;", "double total = 0.0;"),
        (
            "acc += __half2float(x[i]);",
            "total += __half2float(x[i]);\n  float acc = (float)total;",
        ),
    ),
    # Other shapes, and a fused step.
    Right(
        "xxxiii_dot_fmaf",
        "xxxiii_dot",
        ("threadsPerBlock = 128;", "threadsPerBlock = 32;"),
        ("blocksPerGrid = 7;", "blocksPerGrid = 2;"),
        ("temp += a[tid] * b[tid];", "temp = fmaf(a[tid], b[tid], temp);"),
    ),
    # Each thread begins with the first integer.
    Right(
        "xxxiii_minmax_first",
        "xxxiii_minmax",
        ("int mn = INT_MAX;\n    int mx = INT_MIN;", "int mn = v[0], mx = v[0];"),
        ("<<<1, 512,", "<<<1, 64,"),
    ),
    # Every lane asks, with other blocks.
    Right(
        "xxxiii_amax_every_lane",
        "xxxiii_amax",
        ("threadIdx.x % warpSize == 0", "local > 0.0f"),
        ("<<<5, 160,", "<<<9, 64,"),
    ),
    *thirtythird_arrays.RIGHT,
)
