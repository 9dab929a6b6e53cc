"""Hold a twenty-fourth family: additions, casts, activations, sums and maxima of whole arrays.

The causes were written before a member was judged. On the emulator each member ran beside
PyTorch: bases and right ones are right, and 66 of the 70 wrong ones wrong, endless, or refused
by a fault. The other four are wrong by reasoning:

    xxiv_cast_ids_narrow_first       from 2^32 elements on
    xxiv_act_leaky_default_stream    if the caller's stream has not yet written the input
    xxiv_sum_shuffle_zero_elsewhere  if the zero comes after the sum of a warp
    xxiv_max_cas_once                if another warp writes between the look and the exchange

xxiv_add_three_all_rows shows its fault from 1,048,561 elements on, in blocks of one thread, and
xxiv_sum_bytes_half_a_zero if the upper half of the output was not zero before.
"""

# ruff: noqa: E501 (a line of a kernel stands in one line)
from __future__ import annotations

from collections.abc import Iterator

import torch

from helpers.run.launcher import Launcher
from helpers.testing.cases import Case
from tests.testing.family import twentyfourth_arrays
from tests.testing.family.elementwise import HEADER
from tests.testing.family.table import Base, Right, Wrong

# ---- additions -------------------------------------------------------------------------------

# Somebody who ports from Numba, with `cuda.grid(1)` and `cuda.gridsize(1)`.
SCALED = (
    HEADER
    + """\
__global__ void axpby(float alpha, const float* a, float beta, const float* b, float* out, int64_t n) {
    const int64_t start = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    const int64_t stride = (int64_t)gridDim.x * blockDim.x;
    for (int64_t i = start; i < n; i += stride) {
        const double left = (double)alpha * a[i];
        const double right = (double)beta * b[i];
        out[i] = (float)(left + right);
    }
}

extern "C" void launch(const float* a /* [n] */, const float* b /* [n] */, float* out /* [n] */, int64_t n, float alpha = 1.0f, float beta = 1.0f, int block_size = 128, cudaStream_t stream = 0) {
    int64_t blocks = (n + block_size - 1) / block_size;
    if (blocks > 9) blocks = 9;
    axpby<<<(unsigned)blocks, block_size, 0, stream>>>(alpha, a, beta, b, out, n);
}
"""
)

# A reader of blog posts: two halves a thread, and one a thread for those that are left.
PAIRS = (
    HEADER
    + """\
__global__ void add_half2(const half* a, const half* b, half* out, int64_t n, int64_t pairs) {
    const int64_t p = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (p < pairs) {
        const half2 x = reinterpret_cast<const half2*>(a)[p];
        const half2 y = reinterpret_cast<const half2*>(b)[p];
        reinterpret_cast<half2*>(out)[p] = __hadd2(x, y);
    }
    const int64_t i = 2 * pairs + p;
    if (i < n) out[i] = __hadd(a[i], b[i]);
}

extern "C" void launch(const half* a /* [n] */, const half* b /* [n] */, half* out /* [n] */, int64_t n, int block_size = 256, cudaStream_t stream = 0) {
    const bool even = (uintptr_t)a % 4 == 0 && (uintptr_t)b % 4 == 0 && (uintptr_t)out % 4 == 0;
    const int64_t pairs = even ? n / 2 : 0;
    const int64_t work = n - pairs;  // as many pairs as that, or fewer, and as many single ones
    const int64_t blocks = (work + block_size - 1) / block_size;
    add_half2<<<(unsigned)blocks, block_size, 0, stream>>>(a, b, out, n, pairs);
}
"""
)

# A C programmer who comes from OpenCL: a range of two dimensions, and wide sums.
THREE = (
    HEADER
    + """\
#define WIDTH 16 /* blocks in a row of the grid */
#define ROWS 5   /* rows at most */

__global__ void add3(const int *a, const int *b, const int *c, int64_t *out, int64_t n)
{
    int64_t x = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    int64_t width = (int64_t)gridDim.x * blockDim.x;
    for (int64_t y = blockIdx.y; y * width < n; y += gridDim.y) {
        int64_t i = y * width + x;
        if (i < n)
            out[i] = (int64_t)a[i] + b[i] + c[i];
    }
}

extern "C" void launch(const int *a /* [n] */, const int *b /* [n] */, const int *c /* [n] */, int64_t *out /* [n] */, int64_t n, int block_size = 128, cudaStream_t stream = 0)
{
    int64_t blocks = (n + block_size - 1) / block_size;
    int64_t rows = (blocks + WIDTH - 1) / WIDTH;
    if (rows > ROWS)
        rows = ROWS;
    add3<<<dim3(WIDTH, (unsigned)rows), block_size, 0, stream>>>(a, b, c, out, n);
}
"""
)

# ---- casts -----------------------------------------------------------------------------------

# A C programmer who looks at bits only: half a unit is added, and the lower half is dropped.
BITS = (
    HEADER
    + """\
__device__ unsigned short upper(unsigned u)
{
    if ((u & 0x7fffffffu) > 0x7f800000u)
        return 0x7fc0; /* NaN */
    u += 0x7fffu + (u >> 16 & 1u);
    return (unsigned short)(u >> 16);
}

__global__ void narrow(const unsigned *in, unsigned short *out, int64_t n)
{
    int64_t step = (int64_t)gridDim.x * blockDim.x;
    for (int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += step)
        out[i] = upper(in[i]);
}

extern "C" void launch(const float *in /* [n] */, __nv_bfloat16 *out /* [n] */, int64_t n, int block_size = 192, cudaStream_t stream = 0)
{
    narrow<<<12, block_size, 0, stream>>>((const unsigned *)in, (unsigned short *)out, n);
}
"""
)

# A careful engineer: eight numbers a thread, in pairs if the addresses allow it.
IDS = (
    HEADER
    + """\
constexpr int kItems = 8;

__device__ int fit(long long v) { return v > INT32_MAX ? INT32_MAX : v < INT32_MIN ? INT32_MIN : static_cast<int>(v); }

__global__ void to_int(const int64_t* in, int* out, int64_t n, bool wide) {
    const int64_t first = (int64_t{blockIdx.x} * blockDim.x + threadIdx.x) * kItems;
    if (wide && first + kItems <= n) {
        const longlong2* from = reinterpret_cast<const longlong2*>(in + first);
        int2* to = reinterpret_cast<int2*>(out + first);
        for (int k = 0; k < kItems / 2; ++k) {
            const longlong2 v = from[k];
            to[k] = make_int2(fit(v.x), fit(v.y));
        }
    } else {
        for (int64_t i = first; i < n && i < first + kItems; ++i) out[i] = fit(in[i]);
    }
}

extern "C" void launch(const int64_t* in /* [n] */, int* out /* [n] */, int64_t n, int block_size = 128, cudaStream_t stream = 0) {
    const bool wide = reinterpret_cast<uintptr_t>(in) % 16 == 0 && reinterpret_cast<uintptr_t>(out) % 8 == 0;
    const int64_t share = int64_t{block_size} * kItems;
    to_int<<<static_cast<unsigned>((n + share - 1) / share), block_size, 0, stream>>>(in, out, n, wide);
}
"""
)

# Somebody who has read that shared memory is fast: strides for the loads, packs for the stores.
STAGED = (
    HEADER
    + """\
__global__ void widen(const half* in, float* out, int64_t n, bool packs) {
    extern __shared__ half tile[];
    const int t = threadIdx.x, threads = blockDim.x;
    const int64_t base = (int64_t)blockIdx.x * threads * 4;
    for (int k = 0; k < 4; ++k) {
        const int64_t i = base + k * threads + t;
        if (i < n) tile[k * threads + t] = in[i];
    }
    __syncthreads();
    const int64_t first = base + 4 * t;
    if (packs && first + 4 <= n) {
        float4 v;
        v.x = __half2float(tile[4 * t]);
        v.y = __half2float(tile[4 * t + 1]);
        v.z = __half2float(tile[4 * t + 2]);
        v.w = __half2float(tile[4 * t + 3]);
        *reinterpret_cast<float4*>(out + first) = v;
    } else {
        for (int k = 0; k < 4 && first + k < n; ++k) out[first + k] = __half2float(tile[4 * t + k]);
    }
}

extern "C" void launch(const half* in /* [n] */, float* out /* [n] */, int64_t n, int block_size = 128, cudaStream_t stream = 0) {
    const bool packs = reinterpret_cast<uintptr_t>(out) % 16 == 0;
    const int64_t share = (int64_t)block_size * 4;
    widen<<<(unsigned)((n + share - 1) / share), block_size, share * sizeof(half), stream>>>(in, out, n, packs);
}
"""
)

# ---- activations -----------------------------------------------------------------------------

# Somebody who ports from Triton: a program has 1,024 elements and a mask.
GELU = (
    HEADER
    + """\
constexpr int BLOCK = 1024;

__device__ float gelu(float v) { return 0.5f * v * erfcf(-0.70710678f * v); }

__global__ void gelu_program(const __nv_bfloat16* x, __nv_bfloat16* y, int64_t n) {
    const int64_t pid = blockIdx.x;
    for (int j = threadIdx.x; j < BLOCK; j += blockDim.x) {
        const int64_t offset = pid * BLOCK + j;
        const bool mask = offset < n;
        const float v = mask ? __bfloat162float(x[offset]) : 0.0f;
        const __nv_bfloat16 r = __float2bfloat16(gelu(v));
        if (mask) y[offset] = r;
    }
}

extern "C" void launch(const __nv_bfloat16* x /* [n] */, __nv_bfloat16* y /* [n] */, int64_t n, int block_size = 128, cudaStream_t stream = 0) {
    gelu_program<<<(unsigned)((n + BLOCK - 1) / BLOCK), block_size, 0, stream>>>(x, y, n);
}
"""
)

# A beginner after the lesson about float4: one kernel for packs, another one for what is left.
LEAKY = (
    HEADER
    + """\
__device__ float leaky(float v, float slope) { return v < 0.0f ? slope * v : v; }

__global__ void leaky4(const float4* x, float4* y, int64_t packs, float slope) {
    int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= packs) return;
    float4 v = x[i];
    y[i] = make_float4(leaky(v.x, slope), leaky(v.y, slope), leaky(v.z, slope), leaky(v.w, slope));
}

__global__ void leaky1(const float* x, float* y, int64_t n, float slope) {
    int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) y[i] = leaky(x[i], slope);
}

extern "C" void launch(const float* x /* [n] */, float* y /* [n] */, int64_t n, float slope = 0.01f, int block_size = 256, cudaStream_t stream = 0) {
    bool aligned = (uintptr_t)x % 16 == 0 && (uintptr_t)y % 16 == 0;
    int64_t packs = aligned ? n / 4 : 0;
    int64_t rest = n - 4 * packs;
    if (packs > 0) leaky4<<<(unsigned)((packs + block_size - 1) / block_size), block_size, 0, stream>>>((const float4*)x, (float4*)y, packs, slope);
    if (rest > 0) leaky1<<<(unsigned)((rest + block_size - 1) / block_size), block_size, 0, stream>>>(x + 4 * packs, y + 4 * packs, rest, slope);
}
"""
)

# A programmer of a framework in C: one kernel for four functions.
KINDS = (
    HEADER
    + """\
enum { RELU, SIGMOID, TANH, SILU };

__device__ float activate(float v, int kind)
{
    float r;
    switch (kind) {
    case RELU:
        r = v < 0.0f ? 0.0f : v;
        break;
    case SIGMOID:
        r = 1.0f / (1.0f + expf(-v));
        break;
    case TANH:
        r = tanhf(v);
        break;
    default:
        r = v / (1.0f + expf(-v));
        break;
    }
    return r;
}

__global__ void forward(const half *x, half *y, int64_t n, int kind)
{
    int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = __float2half(activate(__half2float(x[i]), kind));
}

extern "C" void launch(const half *x,  // [n]
                       half *y,        // [n]
                       int64_t n, int kind = 0, int block_size = 160, cudaStream_t stream = 0)
{
    unsigned blocks = (unsigned)((n + block_size - 1) / block_size);
    forward<<<blocks, block_size, 0, stream>>>(x, y, n, kind);
}
"""
)

# ---- sums and maxima -------------------------------------------------------------------------

# A reader of blog posts: packs of four, shuffles, and an atomic addition for each warp.
SHUFFLE = (
    HEADER
    + """\
__device__ float warp_sum(float v) {
    for (int d = 16; d > 0; d /= 2) v += __shfl_down_sync(0xffffffffu, v, d);
    return v;
}

__global__ void sum_warps(const float* x, float* out, int64_t n, int64_t packs) {
    const int64_t t = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    const int64_t step = (int64_t)gridDim.x * blockDim.x;
    float mine = 0.0f;
    for (int64_t p = t; p < packs; p += step) {
        const float4 v = reinterpret_cast<const float4*>(x)[p];
        mine += (v.x + v.y) + (v.z + v.w);
    }
    for (int64_t i = 4 * packs + t; i < n; i += step) mine += x[i];
    mine = warp_sum(mine);
    if (threadIdx.x % 32 == 0) atomicAdd(out, mine);
}

extern "C" void launch(const float* x /* [n] */, float* out /* [1] */, int64_t n, int block_size = 256, cudaStream_t stream = 0) {
    const int64_t packs = (uintptr_t)x % 16 == 0 ? n / 4 : 0;
    const int threads = (block_size + 31) / 32 * 32;
    cudaMemsetAsync(out, 0, sizeof(float), stream);
    sum_warps<<<7, threads, 0, stream>>>(x, out, n, packs);
}
"""
)

# Somebody who knows an instruction for everything: four bytes times four ones is their sum.
BYTES = (
    HEADER
    + """\
typedef unsigned long long u64;

__global__ void sum_bytes(const int8_t* x, u64* out, int64_t n, int64_t words) {
    __shared__ u64 total;
    if (threadIdx.x == 0) total = 0;
    __syncthreads();
    const int64_t t = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    const int64_t step = (int64_t)gridDim.x * blockDim.x;
    long long mine = 0;
    for (int64_t w = t; w < words; w += step) mine += __dp4a(((const int*)x)[w], 0x01010101, 0);
    for (int64_t i = 4 * words + t; i < n; i += step) mine += x[i];
    atomicAdd(&total, (u64)mine);
    __syncthreads();
    if (threadIdx.x == 0) atomicAdd(out, total);
}

extern "C" void launch(const int8_t* x /* [n] */, int64_t* out /* [1] */, int64_t n, int block_size = 192, cudaStream_t stream = 0) {
    const int64_t words = (uintptr_t)x % 4 == 0 ? n / 4 : 0;
    cudaMemsetAsync(out, 0, sizeof(u64), stream);
    sum_bytes<<<4, block_size, 0, stream>>>(x, (u64*)out, n, words);
}
"""
)

# A careful engineer for whom one block is enough: a tree of any number of threads.
ONE = (
    HEADER
    + """\
__global__ void sum_one_block(const half* x, float* out, int64_t n) {
    extern __shared__ double of_thread[];
    const unsigned t = threadIdx.x;
    double mine = 0.0;
    for (int64_t i = t; i < n; i += blockDim.x) mine += __half2float(x[i]);
    of_thread[t] = mine;
    __syncthreads();
    for (unsigned left = blockDim.x; left > 1;) {
        const unsigned stay = (left + 1) / 2;
        if (t + stay < left) of_thread[t] += of_thread[t + stay];
        __syncthreads();
        left = stay;
    }
    if (t == 0) *out = static_cast<float>(of_thread[0]);
}

extern "C" void launch(const half* x /* [n] */, float* out /* [1] */, int64_t n, int block_size = 300, cudaStream_t stream = 0) {
    sum_one_block<<<1, block_size, block_size * sizeof(double), stream>>>(x, out, n);
}
"""
)

# A reader of answers in forums: there is no atomic maximum of floats, so he compares and swaps.
CAS = (
    HEADER
    + """\
__device__ float larger(float a, float b) { return a > b || isnan(a) ? a : b; }

__device__ void atomic_larger(float* where, float v) {
    int* bits = (int*)where;
    int seen = *bits, before;
    do {
        before = seen;
        const float now = larger(__int_as_float(before), v);
        seen = atomicCAS(bits, before, __float_as_int(now));
    } while (seen != before);
}

__global__ void begin(float* out) { *out = -INFINITY; }

__global__ void find(const float* x, float* out, int64_t n) {
    const int64_t t = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    const int64_t step = (int64_t)gridDim.x * blockDim.x;
    float most = -INFINITY;
    for (int64_t i = t; i < n; i += step) most = larger(most, x[i]);
    for (int d = 16; d > 0; d /= 2) most = larger(most, __shfl_xor_sync(0xffffffffu, most, d));
    if (threadIdx.x % 32 == 0) atomic_larger(out, most);
}

extern "C" void launch(const float* x /* [n] */, float* out /* [1] */, int64_t n, int block_size = 128, cudaStream_t stream = 0) {
    const int threads = (block_size + 31) / 32 * 32;
    begin<<<1, 1, 0, stream>>>(out);
    find<<<6, threads, 0, stream>>>(x, out, n);
}
"""
)

# A beginner who thinks in steps: what is the largest one, and where is it for the first time?
PLACE = (
    HEADER
    + """\
#include <climits>

typedef unsigned long long u64;

__global__ void begin(int* most, u64* at) {
    *most = INT_MIN;
    *at = ULLONG_MAX;
}

__global__ void find_most(const int* x, int* most, int64_t n) {
    int best = INT_MIN;
    int64_t step = (int64_t)gridDim.x * blockDim.x;
    for (int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += step) best = max(best, x[i]);
    atomicMax(most, best);
}

__global__ void find_place(const int* x, const int* most, u64* at, int64_t n) {
    int64_t stride = (int64_t)gridDim.x * blockDim.x;
    for (int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride) {
        if (x[i] == *most) {
            atomicMin(at, (u64)i);
            break;
        }
    }
}

extern "C" void launch(const int* x /* [n] */, int* most /* [1] */, int64_t* at /* [1] */, int64_t n, int block_size = 64, cudaStream_t stream = 0) {
    begin<<<1, 1, 0, stream>>>(most, (u64*)at);
    find_most<<<5, block_size, 0, stream>>>(x, most, n);
    find_place<<<8, block_size, 0, stream>>>(x, most, (u64*)at, n);
}
"""
)


def _add(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    return a.double() + b.double()


def _add3(a: torch.Tensor, b: torch.Tensor, c: torch.Tensor) -> torch.Tensor:
    return a.double() + b.double() + c.double()


def _same(x: torch.Tensor) -> torch.Tensor:
    return x.double()


def _fit(x: torch.Tensor) -> torch.Tensor:
    return x.double().clamp(-(2**31), 2**31 - 1)


def _gelu(x: torch.Tensor) -> torch.Tensor:
    v = x.double()
    return 0.5 * v * torch.special.erfc(-v * 0.5**0.5)


def _whole(low: int, high: int, n: int, seed: int) -> torch.Tensor:
    return torch.randint(low, high, (n,), generator=torch.Generator().manual_seed(seed))


def _strange(x: torch.Tensor) -> torch.Tensor:
    """Put NaN, infinities and both zeros to places of their own."""
    y = x.clone()
    for k, value in enumerate((float("-inf"), float("inf"), float("nan"), -0.0, 0.0)):
        y[(k + 1) * len(y) // 6] = value
    return y


def scaled(launcher: Launcher) -> Iterator[Case]:
    """Add whole numbers, huge and tiny ones, infinities and NaN, with several factors."""
    for n in (1, 2, 31, 127, 128, 900, 5003):
        a, b = _whole(-99, 100, n, n).float(), _whole(-99, 100, n, n + 1).float()
        kinds = (
            ("whole numbers", a, b),
            ("infinities and NaN", _strange(a), b),
            ("huge numbers", a * 2.0**120, b * -(2.0**120)),
            ("tiny numbers", a * 2.0**-147, b * 2.0**-147),
            ("large and small", a * 2.0**24, b / 128),
        )
        for alpha, beta in ((1.0, 1.0), (1.0, -1.0), (0.5, 2.0), (-2.75, 0.3), (1e3, 1.0)):
            for block_size in (128, 33):
                scalars = {"alpha": alpha, "beta": beta, "block_size": block_size}
                left, right = (torch.tensor(v).double() for v in (alpha, beta))
                for label, x, y in kinds:
                    both = left * x.double() + right * y.double()
                    words = f"n = {n:,}, alpha = {alpha}, beta = {beta}, {label}"
                    yield Case(words, (x, y), (both,), scalars, dtypes=(torch.float32,))


def slopes(launcher: Launcher) -> Iterator[Case]:
    """Apply slopes below and above one to whole numbers, tiny ones, infinities and NaN."""
    for n in (1, 2, 3, 4, 31, 128, 1023, 5002):
        x = _whole(-99, 100, n, n).float()
        kinds = (
            ("whole numbers", x),
            ("infinities and NaN", _strange(x)),
            ("tiny numbers", x * 2.0**-147),
        )
        for slope in (0.01, 0.0, 1.0, 3.5, -2.0):
            for block_size in (256, 40):
                for label, y in kinds:
                    v = y.double()
                    right = torch.where(v < 0, v * torch.tensor(slope).double(), v)
                    words = f"n = {n:,}, slope = {slope}, block_size = {block_size}, {label}"
                    scalars = {"slope": slope, "block_size": block_size}
                    yield Case(words, (y,), (right,), scalars, dtypes=(torch.float32,))


def kinds(launcher: Launcher) -> Iterator[Case]:
    """Apply each of the four functions to numbers of all magnitudes, infinities and NaN."""
    functions = (
        ("relu", lambda v: torch.where(v < 0, torch.zeros_like(v), v)),
        ("sigmoid", lambda v: 1 / (1 + torch.exp(-v))),
        ("tanh", torch.tanh),
        ("silu", lambda v: v / (1 + torch.exp(-v))),
    )
    for n in (1, 2, 31, 160, 161, 1000, 5002):
        x = (_whole(-3200, 3201, n, n) / 256).half()
        inputs = (
            ("numbers up to 12.5", x),
            ("numbers up to 100", x * 8),
            ("small numbers", x / 4096),
            ("infinities and NaN", _strange(x)),
        )
        for kind, (name, function) in enumerate(functions):
            for block_size in (160, 64, 1024):
                for label, y in inputs:
                    words = f"n = {n:,}, {name}, block_size = {block_size}, {label}"
                    scalars = {"kind": kind, "block_size": block_size}
                    right = function(y.double())
                    yield Case(words, (y,), (right,), scalars, dtypes=(torch.float16,), ulp=1)


def signed_bytes(launcher: Launcher) -> Iterator[Case]:
    """Add any bytes, only negative ones, only the last one; and a slice of them."""
    for n in (1, 3, 4, 31, 769, 5002, 50_003):
        for block_size in (192, 20, 1024):
            x = _whole(-128, 128, n, n).to(torch.int8)
            last = x * 0
            last[-1] = 7
            every = (("any", x), ("negative", x * 0 - 128), ("the last one only", last))
            for label, y in (*every, ("a slice", torch.cat((x[:1], x))[1:])):
                words = f"n = {n:,}, block_size = {block_size}, {label}"
                right = (y.double().sum().reshape(1),)
                yield Case(
                    words, (y,), right, {"block_size": block_size}, dtypes=(torch.int64,)
                )


def halves(launcher: Launcher) -> Iterator[Case]:
    """Add small and large whole numbers and quarters; infinity or NaN somewhere."""
    for n in (1, 2, 31, 300, 301, 5002, 20_003):
        x = _whole(-50, 51, n, n).half()
        broken, infinite = x.clone(), x.clone()
        broken[n // 2], infinite[n // 3] = float("nan"), float("inf")
        inputs = (
            ("small", x),
            ("quarters", x / 4),
            ("large", x.abs() + 1900),
            ("NaN", broken),
            ("infinity", infinite),
        )
        for block_size in (300, 1, 7, 256, 1000):
            for label, y in inputs:
                words = f"n = {n:,}, block_size = {block_size}, {label}"
                right = (y.double().sum().reshape(1),)
                yield Case(
                    words, (y,), right, {"block_size": block_size}, dtypes=(torch.float32,)
                )


def places(launcher: Launcher) -> Iterator[Case]:
    """Find the first of the largest integers: many equal ones, negative and extreme ones."""
    for n in (1, 2, 31, 321, 1027, 20_003):
        x = _whole(-9, 10, n, n).int()
        peak = x.clone()
        peak[n - 1], peak[n // 2] = 2**31 - 1, 2**31 - 1
        inputs = (
            ("equal ones", x),
            ("negative", x - 1000),
            ("only the least", x * 0 - 2**31),
            ("a peak in the middle and at the end", peak),
        )
        for block_size in (64, 33, 300, 1024):
            for label, y in inputs:
                most = y.long().max()
                right = (
                    most.double().reshape(1),
                    (y == most).int().argmax().double().reshape(1),
                )
                words = f"n = {n:,}, block_size = {block_size}, {label}"
                scalars = {"block_size": block_size}
                yield Case(words, (y,), right, scalars, dtypes=(torch.int32, torch.int64))


BASES = {
    "xxiv_add_scaled": Base(SCALED, {"cases": scaled}),
    "xxiv_add_pairs": Base(PAIRS, {"reference": _add}),
    "xxiv_add_three": Base(THREE, {"reference": _add3}),
    "xxiv_cast_bits": Base(BITS, {"reference": _same}),
    "xxiv_cast_ids": Base(IDS, {"reference": _fit}),
    "xxiv_cast_staged": Base(STAGED, {"reference": _same}),
    "xxiv_act_gelu": Base(GELU, {"reference": _gelu, "ulp": 1}),
    "xxiv_act_leaky": Base(LEAKY, {"cases": slopes}),
    "xxiv_act_kinds": Base(KINDS, {"cases": kinds}),
    "xxiv_sum_shuffle": Base(SHUFFLE, cases="sums"),
    "xxiv_sum_bytes": Base(BYTES, {"cases": signed_bytes}),
    "xxiv_sum_one": Base(ONE, {"cases": halves}),
    "xxiv_max_cas": Base(CAS, cases="whole_array", function=torch.max),
    "xxiv_max_place": Base(PLACE, {"cases": places}),
    **twentyfourth_arrays.BASES,
}

WRONG = (
    # ---- additions
    # The line for a was copied, and one of its two names was changed.
    Wrong(
        "xxiv_add_scaled_alpha_again",
        "xxiv_add_scaled",
        "left out / function | numbers / infinity / nan",
        ("(double)beta * b[i]", "(double)alpha * b[i]"),
    ),
    # An int in the middle: the factor 0.5 becomes 0.
    Wrong(
        "xxiv_add_scaled_int_factor",
        "xxiv_add_scaled",
        "rounding / function / whole range | numbers / left out / precision / nan / infinity",
        ("axpby(float alpha,", "axpby(int alpha,"),
    ),
    # Both products are floats before they are added.
    Wrong(
        "xxiv_add_scaled_two_floats",
        "xxiv_add_scaled",
        "rounding / precision / infinity | numbers / nan / subnormal / whole range",
        ("(float)(left + right)", "(float)left + (float)right"),
    ),
    # Where nothing is added there is nothing to do, as if out held b.
    Wrong(
        "xxiv_add_scaled_skips_zeros",
        "xxiv_add_scaled",
        "unwritten / left out / numbers | copy / zero before",
        (
            "        const double left",
            "        if (a[i] == 0.0f) continue;\n        const double left",
        ),
    ),
    # A short array has no block at all.
    Wrong(
        "xxiv_add_scaled_no_block",
        "xxiv_add_scaled",
        "refused / grid / block size | unwritten / left out / tail",
        ("(n + block_size - 1) / block_size", "n / block_size"),
    ),
    # Threads without a pair leave, and nobody is there for the single ones.
    Wrong(
        "xxiv_add_pairs_leave_early",
        "xxiv_add_pairs",
        "unwritten / left out / alignment / tail",
        ("    if (p < pairs) {\n", "    if (p >= pairs) return;\n    {\n"),
    ),
    # It is tested whether the addresses agree, not whether they are even.
    Wrong(
        "xxiv_add_pairs_agree",
        "xxiv_add_pairs",
        "alignment",
        (
            "(uintptr_t)a % 4 == 0 && (uintptr_t)b % 4 == 0 && (uintptr_t)out % 4 == 0",
            "(uintptr_t)a % 4 == (uintptr_t)b % 4 && (uintptr_t)a % 4 == (uintptr_t)out % 4",
        ),
    ),
    # Taken for "without overflow", it is an addition between 0 and 1.
    Wrong(
        "xxiv_add_pairs_saturated",
        "xxiv_add_pairs",
        "whole range / function / infinity / numbers | nan / alignment / tail / sign of zero",
        ("__hadd2(x, y)", "__hadd2_sat(x, y)"),
    ),
    # The number of blocks is that of the first array.
    Wrong(
        "xxiv_add_pairs_first_blocks",
        "xxiv_add_pairs",
        "state / grid / unwritten / left out | block size / tail",
        ("    const int64_t blocks", "    static const int64_t blocks"),
    ),
    # The sum is an int, and becomes wide when it is too late.
    Wrong(
        "xxiv_add_three_late",
        "xxiv_add_three",
        "whole range / infinity / narrow | numbers",
        ("(int64_t)a[i] + b[i] + c[i]", "a[i] + b[i] + c[i]"),
    ),
    # A dimension called y has 65,535 blocks, not 2^31.
    Wrong(
        "xxiv_add_three_all_rows",
        "xxiv_add_three",
        "grid / refused | block size / unwritten / left out",
        ("    if (rows > ROWS)\n        rows = ROWS;\n", ""),
    ),
    # There are at most five rows, and the kernel has been written for any number of them.
    Wrong(
        "xxiv_add_three_no_loop",
        "xxiv_add_three",
        "unwritten / left out / grid | tail",
        (
            "for (int64_t y = blockIdx.y; y * width < n; y += gridDim.y) {",
            "int64_t y = blockIdx.y;\n    {",
        ),
    ),
    # A float to be safe from overflow: it has 24 bits.
    Wrong(
        "xxiv_add_three_over_float",
        "xxiv_add_three",
        "precision / rounding / whole range / narrow | numbers",
        ("(int64_t)a[i] +", "(float)a[i] +"),
    ),
    # ---- casts
    # A NaN of many ones is counted up to zero, and one of few ones down to infinity.
    Wrong(
        "xxiv_cast_bits_no_nan",
        "xxiv_cast_bits",
        "nan | numbers / infinity / sign of zero / rounding / whole range",
        ("    if ((u & 0x7fffffffu) > 0x7f800000u)\n        return 0x7fc0; /* NaN */\n", ""),
    ),
    # Half a unit for all: a tie goes up always.
    Wrong(
        "xxiv_cast_bits_ties_up",
        "xxiv_cast_bits",
        "rounding | numbers / precision / subnormal",
        ("0x7fffu + (u >> 16 & 1u)", "0x8000u"),
    ),
    # All exponents of ones are taken for NaN.
    Wrong(
        "xxiv_cast_bits_infinity",
        "xxiv_cast_bits",
        "infinity / nan | numbers / whole range",
        ("> 0x7f800000u", ">= 0x7f800000u"),
    ),
    # The sign is a bit as well, and makes each negative number larger than infinity.
    Wrong(
        "xxiv_cast_bits_negative",
        "xxiv_cast_bits",
        "nan / numbers / function | infinity / whole range / sign of zero",
        ("(u & 0x7fffffffu) >", "u >"),
    ),
    # The number is converted, where its bits were to be looked at.
    Wrong(
        "xxiv_cast_bits_converted",
        "xxiv_cast_bits",
        "function / numbers / whole range | rounding / precision / infinity / nan / subnormal / sign of zero / unwritten",
        ("narrow(const unsigned *in", "narrow(const float *in"),
        ("(const unsigned *)in", "in"),
    ),
    # As many numbers below zero as above it: the lowest one is missing.
    Wrong(
        "xxiv_cast_ids_symmetric",
        "xxiv_cast_ids",
        "whole range / numbers | infinity",
        ("v < INT32_MIN ? INT32_MIN :", "v < -INT32_MAX ? -INT32_MAX :"),
    ),
    # What is compared with the limits of int is an int already.
    Wrong(
        "xxiv_cast_ids_int_already",
        "xxiv_cast_ids",
        "whole range / narrow | numbers / infinity / left out",
        ("fit(long long v)", "fit(int v)"),
    ),
    # There are minimum and maximum of floats, and a conversion that clamps.
    Wrong(
        "xxiv_cast_ids_over_float",
        "xxiv_cast_ids",
        "precision / rounding | numbers / whole range / narrow",
        (
            "return v > INT32_MAX ? INT32_MAX : v < INT32_MIN ? INT32_MIN : static_cast<int>(v);",
            "return __float2int_rn(static_cast<float>(v));",
        ),
    ),
    # The store counts pairs as if they were numbers.
    Wrong(
        "xxiv_cast_ids_place_of_pair",
        "xxiv_cast_ids",
        "other element / unwritten / bounds / left out | twice / race / alignment / tail / numbers",
        ("to[k] =", "to[2 * k] ="),
    ),
    # All three factors have 32 bits.
    Wrong(
        "xxiv_cast_ids_narrow_first",
        "xxiv_cast_ids",
        "narrow | unwritten / left out / whole range / twice / bounds / tail",
        ("(int64_t{blockIdx.x} * blockDim.x", "(blockIdx.x * blockDim.x"),
    ),
    # What another thread has loaded is read without waiting for it.
    Wrong(
        "xxiv_cast_staged_no_barrier",
        "xxiv_cast_staged",
        "race | start / unwritten / other element / left out / numbers / nan",
        ("    __syncthreads();\n", ""),
    ),
    # Whoever has nothing to store leaves, and does not load for the others either.
    Wrong(
        "xxiv_cast_staged_leave_early",
        "xxiv_cast_staged",
        "left out / unwritten / race / tail | start / numbers / other element / block size / bounds / nan / state",
        (
            "    for (int k = 0; k < 4; ++k) {\n",
            "    if (base + 4 * t >= n) return;\n    for (int k = 0; k < 4; ++k) {\n",
        ),
    ),
    # Shared memory is asked for in elements.
    Wrong(
        "xxiv_cast_staged_elements",
        "xxiv_cast_staged",
        "bounds | block size",
        ("share * sizeof(half)", "share"),
    ),
    # The usual block was 256 threads long.
    Wrong(
        "xxiv_cast_staged_256",
        "xxiv_cast_staged",
        "block size / bounds / unwritten / left out | grid / other element / tail / race / start / refused",
        ("threads = blockDim.x;", "threads = 256;"),
    ),
    # What is left is read from where the thread itself has put something.
    Wrong(
        "xxiv_cast_staged_own_places",
        "xxiv_cast_staged",
        "other element / swapped / tail / alignment | race / start / unwritten / numbers / block size / nan / left out",
        (
            "out[first + k] = __half2float(tile[4 * t + k])",
            "out[first + k] = __half2float(tile[k * threads + t])",
        ),
    ),
    # ---- activations
    # The formula with the tanh is another function, which is near.
    Wrong(
        "xxiv_act_gelu_tanh",
        "xxiv_act_gelu",
        "function / precision | numbers / rounding / infinity / subnormal / nan / sign of zero",
        (
            "0.5f * v * erfcf(-0.70710678f * v)",
            "0.5f * v * (1.0f + tanhf(0.79788456f * (v + 0.044715f * v * v * v)))",
        ),
    ),
    # One and nearly minus one: few digits are left of a negative number.
    Wrong(
        "xxiv_act_gelu_cancels",
        "xxiv_act_gelu",
        "precision / rounding | numbers / subnormal / function / sign of zero",
        ("erfcf(-0.70710678f * v)", "(1.0f + erff(0.70710678f * v))"),
    ),
    # The mask is for the store only.
    Wrong(
        "xxiv_act_gelu_no_mask",
        "xxiv_act_gelu",
        "bounds | tail",
        ("mask ? __bfloat162float(x[offset]) : 0.0f", "__bfloat162float(x[offset])"),
    ),
    # One element a thread, of a program that has 1,024.
    Wrong(
        "xxiv_act_gelu_if",
        "xxiv_act_gelu",
        "block size / unwritten / left out | grid / tail",
        (
            "for (int j = threadIdx.x; j < BLOCK; j += blockDim.x) {",
            "const int j = threadIdx.x;\n    if (j < BLOCK) {",
        ),
    ),
    # It was a kernel that works in place, and the output is a copy of what it has made.
    Wrong(
        "xxiv_act_gelu_in_place",
        "xxiv_act_gelu",
        "input | state / twice",
        ("y[offset] = r;", "y[offset] = const_cast<__nv_bfloat16*>(x)[offset] = r;"),
    ),
    # The larger one of both: right as long as the slope is at most one.
    Wrong(
        "xxiv_act_leaky_larger",
        "xxiv_act_leaky",
        "function / numbers | nan / infinity / sign of zero",
        ("v < 0.0f ? slope * v : v;", "fmaxf(v, slope * v);"),
    ),
    # A NaN is neither below nor above zero.
    Wrong(
        "xxiv_act_leaky_neither",
        "xxiv_act_leaky",
        "nan / sign of zero | numbers",
        ("slope * v : v;", "slope * v : v > 0.0f ? v : 0.0f;"),
    ),
    # Arrays are aligned, one has read: if n is a multiple of four, packs fit.
    Wrong(
        "xxiv_act_leaky_only_n",
        "xxiv_act_leaky",
        "alignment",
        ("(uintptr_t)x % 16 == 0 && (uintptr_t)y % 16 == 0;", "n % 4 == 0;"),
    ),
    # Either packs or single ones.
    Wrong(
        "xxiv_act_leaky_either",
        "xxiv_act_leaky",
        "tail / unwritten / left out | alignment",
        ("    if (rest > 0)", "    else"),
    ),
    # The second launch was written later, and without the last two arguments.
    Wrong(
        "xxiv_act_leaky_default_stream",
        "xxiv_act_leaky",
        "stream | race / tail",
        ("block_size, 0, stream>>>(x + 4", "block_size>>>(x + 4"),
    ),
    # A break is missing, so a sigmoid becomes what comes next.
    Wrong(
        "xxiv_act_kinds_falls",
        "xxiv_act_kinds",
        "function / left out | numbers / sign of zero / whole range",
        ("1.0f / (1.0f + expf(-v));\n        break;\n", "1.0f / (1.0f + expf(-v));\n"),
    ),
    # As in the textbook: infinity is divided by infinity.
    Wrong(
        "xxiv_act_kinds_textbook",
        "xxiv_act_kinds",
        "infinity / nan | precision / rounding / numbers / whole range / function / sign of zero / subnormal",
        ("tanhf(v)", "(expf(2.0f * v) - 1.0f) / (expf(2.0f * v) + 1.0f)"),
    ),
    # The exponential is a half: it is infinite, or has 11 bits.
    Wrong(
        "xxiv_act_kinds_half_exp",
        "xxiv_act_kinds",
        "infinity / precision / rounding / whole range | numbers / subnormal / sign of zero / narrow",
        ("v / (1.0f + expf(-v))", "v / (1.0f + __half2float(hexp(__float2half(-v))))"),
    ),
    # The blocks are counted for one length, and launched with another.
    Wrong(
        "xxiv_act_kinds_128",
        "xxiv_act_kinds",
        "block size / unwritten / grid / left out | tail",
        ("<<<blocks, block_size,", "<<<blocks, 128,"),
    ),
    # ---- sums
    # A shuffle for each element, in a loop that some lanes leave before the others.
    Wrong(
        "xxiv_sum_shuffle_in_loop",
        "xxiv_sum_shuffle",
        "race / left out / other element | timeout / tail / numbers / twice",
        (
            "i += step) mine += x[i];\n    mine = warp_sum(mine);\n",
            "i += step) mine += warp_sum(x[i]);\n",
        ),
        ("mine += (v.x + v.y) + (v.z + v.w);", "mine += warp_sum((v.x + v.y) + (v.z + v.w));"),
    ),
    # Only the first warp of a block adds its sum.
    Wrong(
        "xxiv_sum_shuffle_first_warp",
        "xxiv_sum_shuffle",
        "left out / block size | numbers / grid / nan",
        ("threadIdx.x % 32 == 0", "threadIdx.x == 0"),
    ),
    # The mask names 32 lanes, and the last warp may have fewer.
    Wrong(
        "xxiv_sum_shuffle_part_of_warp",
        "xxiv_sum_shuffle",
        "race / block size | left out / other element / numbers / timeout / start",
        ("(block_size + 31) / 32 * 32", "block_size"),
    ),
    # The zero is written in another stream.
    Wrong(
        "xxiv_sum_shuffle_zero_elsewhere",
        "xxiv_sum_shuffle",
        "stream / race / zero before | start / state",
        ("sizeof(float), stream)", "sizeof(float))"),
    ),
    # A counter was an int, so this sum is one.
    Wrong(
        "xxiv_sum_shuffle_int",
        "xxiv_sum_shuffle",
        "rounding / precision / whole range | numbers / narrow / nan / infinity / left out / subnormal",
        ("float mine = 0.0f;", "int mine = 0;"),
    ),
    # Four elements a pack: the step is thought to be in elements, but it is in packs.
    Wrong(
        "xxiv_sum_shuffle_four_steps",
        "xxiv_sum_shuffle",
        "left out | numbers / grid / nan / alignment",
        ("p < packs; p += step", "p < packs; p += 4 * step"),
    ),
    # Bytes without a sign: -1 is 255.
    Wrong(
        "xxiv_sum_bytes_unsigned",
        "xxiv_sum_bytes",
        "whole range / function / numbers | alignment / tail",
        ("((const int*)x)[w], 0x01010101, 0)", "((const unsigned*)x)[w], 0x01010101u, 0u)"),
    ),
    # The zero has as many bytes as an int, the sum has eight.
    Wrong(
        "xxiv_sum_bytes_half_a_zero",
        "xxiv_sum_bytes",
        "zero before / start / state / unwritten | whole range / numbers",
        ("0, sizeof(u64), stream", "0, sizeof(int), stream"),
    ),
    # The total of a block is read while others still add to it.
    Wrong(
        "xxiv_sum_bytes_no_wait",
        "xxiv_sum_bytes",
        "race / left out | numbers / block size / start",
        ("(u64)mine);\n    __syncthreads();\n", "(u64)mine);\n"),
    ),
    # Every thread adds all that is left.
    Wrong(
        "xxiv_sum_bytes_rest_by_all",
        "xxiv_sum_bytes",
        "twice / tail | alignment / block size / grid / numbers",
        (
            "for (int64_t i = 4 * words + t; i < n; i += step)",
            "for (int64_t i = 4 * words; i < n; ++i)",
        ),
    ),
    # Only threads that add wait for the others.
    Wrong(
        "xxiv_sum_one_some_wait",
        "xxiv_sum_one",
        "race | timeout / left out / numbers / block size / other element",
        (
            "if (t + stay < left) of_thread[t] += of_thread[t + stay];\n        __syncthreads();\n",
            "if (t + stay < left) {\n            of_thread[t] += of_thread[t + stay];\n            __syncthreads();\n        }\n",
        ),
    ),
    # A warp waits for itself, and not for the other warps.
    Wrong(
        "xxiv_sum_one_waits_for_warp",
        "xxiv_sum_one",
        "race | block size / left out / numbers / start / other element",
        (
            "of_thread[t + stay];\n        __syncthreads();",
            "of_thread[t + stay];\n        __syncwarp();",
        ),
    ),
    # What a thread adds up is a half, which has 11 bits and ends at 65,504.
    Wrong(
        "xxiv_sum_one_in_half",
        "xxiv_sum_one",
        "precision / rounding / infinity | numbers / whole range / narrow / nan",
        ("double mine = 0.0;", "half mine = __float2half(0.0f);"),
        ("mine += __half2float(x[i]);", "mine = __hadd(mine, x[i]);"),
        ("of_thread[t] = mine;", "of_thread[t] = __half2float(mine);"),
    ),
    # The sum is added to what was there.
    Wrong(
        "xxiv_sum_one_on_top",
        "xxiv_sum_one",
        "zero before / state / start | unwritten / nan",
        ("*out = static", "*out += static"),
    ),
    # It was shared memory for floats.
    Wrong(
        "xxiv_sum_one_float_room",
        "xxiv_sum_one",
        "bounds | block size",
        ("block_size * sizeof(double)", "block_size * sizeof(float)"),
    ),
    # ---- maxima
    # Floats are compared instead of bits, and a NaN is never what was seen before.
    Wrong(
        "xxiv_max_cas_float_compared",
        "xxiv_max_cas",
        "timeout / nan",
        ("while (seen != before)", "while (__int_as_float(seen) != __int_as_float(before))"),
    ),
    # One try: if somebody else was faster, the maximum is lost.
    Wrong(
        "xxiv_max_cas_once",
        "xxiv_max_cas",
        "race | left out / numbers / start",
        ("while (seen != before)", "while (false)"),
    ),
    # A NaN among the first ones is followed by a number, which replaces it.
    Wrong(
        "xxiv_max_cas_nan_replaced",
        "xxiv_max_cas",
        "nan | numbers",
        ("a > b || isnan(a) ? a : b", "a > b ? a : b"),
    ),
    # FLT_MIN is the smallest number above zero.
    Wrong(
        "xxiv_max_cas_flt_min",
        "xxiv_max_cas",
        "start / numbers | infinity / subnormal / copy",
        ("float most = -INFINITY", "float most = FLT_MIN"),
    ),
    # The lowest finite number is above minus infinity.
    Wrong(
        "xxiv_max_cas_flt_max",
        "xxiv_max_cas",
        "infinity / start | numbers / copy",
        ("*out = -INFINITY", "*out = -FLT_MAX"),
    ),
    # As bits of an integer: right for positive numbers, wrong if all are negative.
    Wrong(
        "xxiv_max_cas_as_int",
        "xxiv_max_cas",
        "numbers / function / start | nan / infinity / whole range / left out / other element / sign of zero",
        ("atomic_larger(out, most);", "atomicMax((int*)out, __float_as_int(most));"),
    ),
    # Threads without an element are missing in the shuffles, whose mask names them.
    Wrong(
        "xxiv_max_cas_missing_lanes",
        "xxiv_max_cas",
        "race | left out / other element / numbers / tail / start / timeout / block size",
        (
            "    float most = -INFINITY;\n",
            "    if (t >= n) return;\n    float most = -INFINITY;\n",
        ),
    ),
    # Of several places the last one.
    Wrong(
        "xxiv_max_place_last",
        "xxiv_max_place",
        "other element / function / numbers | start / grid / block size",
        ("*at = ULLONG_MAX;", "*at = 0;"),
        ("atomicMin(at, (u64)i);\n            break;", "atomicMax(at, (u64)i);"),
    ),
    # Nothing is before the place 0, with which the search begins.
    Wrong(
        "xxiv_max_place_from_zero",
        "xxiv_max_place",
        "start / zero before | other element / numbers / copy / function / left out / unwritten",
        ("*at = ULLONG_MAX;", "*at = 0;"),
    ),
    # Each one who finds it writes, and the last one who writes remains.
    Wrong(
        "xxiv_max_place_plain_store",
        "xxiv_max_place",
        "race / other element | numbers / grid / block size / function",
        ("atomicMin(at, (u64)i);", "*at = (u64)i;"),
    ),
    # Zero is above all negative numbers.
    Wrong(
        "xxiv_max_place_best_zero",
        "xxiv_max_place",
        "start / numbers | whole range / left out / unwritten / copy / other element",
        ("int best = INT_MIN;", "int best = 0;"),
    ),
    # Blocks of 64 are launched, or of whatever is asked for; the step is for 256.
    Wrong(
        "xxiv_max_place_step_256",
        "xxiv_max_place",
        "block size / left out | grid / numbers / other element / start",
        (
            "int64_t step = (int64_t)gridDim.x * blockDim.x;",
            "int64_t step = (int64_t)gridDim.x * 256;",
        ),
    ),
    # What begins is needed once, one thought.
    Wrong(
        "xxiv_max_place_begins_once",
        "xxiv_max_place",
        "state / zero before / start | numbers / other element / left out / unwritten",
        (
            "    begin<<<1, 1, 0, stream>>>(most, (u64*)at);\n",
            "    static bool begun = false;\n    if (!begun) begin<<<1, 1, 0, stream>>>(most, (u64*)at);\n    begun = true;\n",
        ),
    ),
    *twentyfourth_arrays.WRONG,
)

RIGHT = (
    # Each block goes on alone: what others have written is written again, and is the same.
    Right(
        "xxiv_add_scaled_own_stride",
        "xxiv_add_scaled",
        ("stride = (int64_t)gridDim.x * blockDim.x", "stride = blockDim.x"),
    ),
    # A float has more than twice the bits of a half: their sum is rounded as if once.
    Right(
        "xxiv_add_pairs_in_float",
        "xxiv_add_pairs",
        (
            "__hadd2(x, y)",
            "__floats2half2_rn(__low2float(x) + __low2float(y), __high2float(x) + __high2float(y))",
        ),
    ),
    # All single ones first, then the pairs on top of them, by the same threads.
    Right(
        "xxiv_add_pairs_upside_down",
        "xxiv_add_pairs",
        ("[p] = __hadd2(x, y);", "[pairs - 1 - p] = __hadd2(y, x);"),
        ("(a)[p];", "(a)[pairs - 1 - p];"),
        ("(b)[p];", "(b)[pairs - 1 - p];"),
    ),
    # Both sides of the grid are swapped: the kernel asks for them anyway.
    Right(
        "xxiv_add_three_tall",
        "xxiv_add_three",
        ("dim3(WIDTH, (unsigned)rows)", "dim3((unsigned)rows, WIDTH)"),
    ),
    # Rows are half as far from each other as they are long: they overlap, and agree.
    Right(
        "xxiv_add_three_overlap",
        "xxiv_add_three",
        (
            "int64_t width = (int64_t)gridDim.x * blockDim.x;",
            "int64_t width = (int64_t)gridDim.x * blockDim.x / 2;",
        ),
    ),
    # The lower half is compared with a tie, and nothing is added but one.
    Right(
        "xxiv_cast_bits_compared",
        "xxiv_cast_bits",
        (
            "    u += 0x7fffu + (u >> 16 & 1u);\n",
            "    if ((u & 0xffffu) > 0x8000u || (u & 0x1ffffu) == 0x18000u)\n        u += 0x10000u;\n",
        ),
    ),
    # The last whole share is taken for a part of one.
    Right(
        "xxiv_cast_ids_less",
        "xxiv_cast_ids",
        ("first + kItems <= n", "first + kItems < n"),
    ),
    # Each thread loads for the one opposite.
    Right(
        "xxiv_cast_staged_opposite",
        "xxiv_cast_staged",
        ("i = base + k * threads + t;", "i = base + k * threads + (threads - 1 - t);"),
        ("tile[k * threads + t] = in[i]", "tile[(k + 1) * threads - 1 - t] = in[i]"),
    ),
    # The mask is a smaller end of the loop.
    Right(
        "xxiv_act_gelu_no_mask_needed",
        "xxiv_act_gelu",
        ("j < BLOCK;", "j < BLOCK && pid * BLOCK + j < n;"),
    ),
    # Single ones go over the whole array, and packs over it again.
    Right(
        "xxiv_act_leaky_both",
        "xxiv_act_leaky",
        (
            "    int64_t rest = n - 4 * packs;\n",
            "    leaky1<<<(unsigned)((n + block_size - 1) / block_size), block_size, 0, stream>>>(x, y, n, slope);\n    int64_t rest = n - 4 * packs;\n",
        ),
    ),
    # Below zero the exponential is taken of the number itself.
    Right(
        "xxiv_act_kinds_two_sided",
        "xxiv_act_kinds",
        (
            "r = 1.0f / (1.0f + expf(-v));",
            "r = v < 0.0f ? expf(v) / (1.0f + expf(v)) : 1.0f / (1.0f + expf(-v));",
        ),
    ),
    # Neighbours first, in a circle of exchanges: all lanes have the sum.
    Right(
        "xxiv_sum_shuffle_neighbours_first",
        "xxiv_sum_shuffle",
        ("int d = 16; d > 0; d /= 2", "int d = 1; d < 32; d *= 2"),
        ("__shfl_down_sync", "__shfl_xor_sync"),
    ),
    # The sum of a thread goes to all memory at once, and the block's total stays zero.
    Right(
        "xxiv_sum_bytes_direct",
        "xxiv_sum_bytes",
        ("atomicAdd(&total, (u64)mine);", "atomicAdd(out, (u64)mine);"),
    ),
    # The same number is written by all.
    Right("xxiv_sum_one_all_write", "xxiv_sum_one", ("    if (t == 0) *out", "    *out")),
    # From the end of the array.
    Right(
        "xxiv_sum_one_backward",
        "xxiv_sum_one",
        (
            "int64_t i = t; i < n; i += blockDim.x",
            "int64_t i = n - 1 - t; i >= 0; i -= blockDim.x",
        ),
    ),
    # All lanes of a warp bring the same maximum.
    Right("xxiv_max_cas_all_lanes", "xxiv_max_cas", ("if (threadIdx.x % 32 == 0) ", "")),
    # The first guess is taken from nowhere, and corrected by the first exchange.
    Right("xxiv_max_cas_blind", "xxiv_max_cas", ("seen = *bits, before;", "seen = 0, before;")),
    # Nobody stops at the first one found.
    Right("xxiv_max_place_no_break", "xxiv_max_place", ("            break;\n", "")),
    *twentyfourth_arrays.RIGHT,
)
