"""Hold a twenty-second family: additions, casts, activations, sums and maxima of whole arrays.

The causes were written before a member was judged. On the emulator each member ran beside
PyTorch: bases and right ones are right, and 65 of the 69 wrong ones wrong or refused by a
fault. The other four are wrong by reasoning:

    xxii_mix_int_first           from 2^31 elements on
    xxii_bytes_zero_no_stream    if the caller's stream is not the default one
    xxii_peak_old_try            if another block has written since a block has looked
    xxii_where_all_write         if a thread writes before the first one has found the place

xxii_quant_float_blocks shows its fault only from 2^24 + 1 elements on.
"""

# ruff: noqa: E501 (a line of a kernel stands in one line)
from __future__ import annotations

from collections.abc import Iterator

import torch

from helpers.run.launcher import Launcher
from helpers.testing.cases import Case
from tests.testing.family import twentysecond_arrays
from tests.testing.family.elementwise import HEADER
from tests.testing.family.table import Base, Right, Wrong

# ---- additions -------------------------------------------------------------------------------

# A port from OpenCL: the work-item functions became macros; vload4 became a cast.
QUADS = (
    HEADER
    + """\
#define get_global_id(d) ((int64_t)blockIdx.x * blockDim.x + threadIdx.x)
#define get_global_size(d) ((int64_t)gridDim.x * blockDim.x)

__global__ void vec_add(const float *a, const float *b, float *c, int64_t n, int64_t quads)
{
    const int64_t gid = get_global_id(0), size = get_global_size(0);
    for (int64_t q = gid; q < quads; q += size) {
        float4 va = ((const float4 *)a)[q];
        const float4 vb = ((const float4 *)b)[q];
        va.x += vb.x;
        va.y += vb.y;
        va.z += vb.z;
        va.w += vb.w;
        ((float4 *)c)[q] = va;
    }
    for (int64_t i = 4 * quads + gid; i < n; i += size)
        c[i] = a[i] + b[i];
}

extern "C" void launch(const float *a,  // [n]
                       const float *b,  // [n]
                       float *c,        // [n]
                       int64_t n, int block_size = 64, cudaStream_t stream = 0)
{
    const size_t bits = (size_t)a | (size_t)b | (size_t)c;
    const int64_t quads = (bits & 15) == 0 ? n / 4 : 0;
    int64_t groups = (n / 4 + block_size - 1) / block_size;
    if (groups < 1) groups = 1;
    if (groups > 32) groups = 32;
    vec_add<<<(unsigned)groups, block_size, 0, stream>>>(a, b, c, n, quads);
}
"""
)

# Somebody who comes from Numba: three inputs, and a grid that is nearly a square.
RESIDUAL = (
    HEADER
    + """\
#include <cmath>

__global__ void add_residual(const __nv_bfloat16* a, const __nv_bfloat16* b, const __nv_bfloat16* c, __nv_bfloat16* out,
                             int64_t size) {
    int64_t tx = threadIdx.x;
    int64_t bx = (int64_t)blockIdx.y * gridDim.x + blockIdx.x;
    int64_t bw = blockDim.x;
    int64_t pos = tx + bx * bw;
    if (pos < size) {
        double x = __bfloat162float(a[pos]);
        double y = __bfloat162float(b[pos]);
        double z = __bfloat162float(c[pos]);
        out[pos] = __float2bfloat16((float)(x + y + z));
    }
}

extern "C" void launch(const __nv_bfloat16* a,  // [size]
                       const __nv_bfloat16* b,  // [size]
                       const __nv_bfloat16* c,  // [size]
                       __nv_bfloat16* out,      // [size]
                       int64_t size, int block_size = 128, cudaStream_t stream = 0) {
    int64_t blocks = (size + block_size - 1) / block_size;
    int64_t down = (int64_t)std::sqrt((double)blocks);
    if (down > 65535) down = 65535;
    int64_t across = (blocks + down - 1) / down;
    dim3 grid((unsigned)across, (unsigned)down);
    add_residual<<<grid, block_size, 0, stream>>>(a, b, c, out, size);
}
"""
)

# A C programmer: a thread has four neighbours, and falls through a switch.
MIX = (
    HEADER
    + """\
#define MIX(k) r[k] = alpha * p[k] + beta * q[k]

__global__ void axpby(const float *x, const float *y, float *out, int64_t n, float alpha, float beta)
{
    int64_t first = 4 * ((int64_t)blockIdx.x * blockDim.x + threadIdx.x);
    int64_t left = n - first;
    if (left <= 0)
        return;
    const float *p = x + first, *q = y + first;
    float *r = out + first;
    switch (left < 4 ? left : 4) {
    case 4: MIX(3);
    case 3: MIX(2);
    case 2: MIX(1);
    case 1: MIX(0);
    }
}

extern "C" void launch(const float *x,  // [n]
                       const float *y,  // [n]
                       float *out,      // [n]
                       int64_t n, float alpha = 1.0f, float beta = 1.0f, int block_size = 96, cudaStream_t stream = 0)
{
    int64_t threads = (n + 3) / 4;
    axpby<<<(unsigned)((threads + block_size - 1) / block_size), block_size, 0, stream>>>(x, y, out, n, alpha, beta);
}
"""
)

# ---- casts -----------------------------------------------------------------------------------

# Somebody who knows the bits: the upper half of a float, to the nearest, a tie to the even one.
UPPER = (
    HEADER
    + """\
static __device__ uint16_t upper(float f)
{
    uint32_t u = __float_as_uint(f);
    if ((u & 0x7fffffffu) > 0x7f800000u)
        return (uint16_t)(u >> 16 | 0x40u);
    u += 0x7fffu + (u >> 16 & 1u);
    return (uint16_t)(u >> 16);
}

__global__ void to_bf16(const float *in, uint16_t *out, int64_t n)
{
    int64_t step = (int64_t)gridDim.x * blockDim.x;
    for (int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += step)
        out[i] = upper(in[i]);
}

extern "C" void launch(const float *in,     // [n]
                       __nv_bfloat16 *out,  // [n]
                       int64_t n, int block_size = 160, cudaStream_t stream = 0)
{
    int64_t blocks = (n + block_size - 1) / block_size;
    to_bf16<<<(unsigned)(blocks < 9 ? blocks : 9), block_size, 0, stream>>>(in, (uint16_t *)out, n);
}
"""
)

# A tuner: eight halves are one load and two stores.
WIDEN = (
    HEADER
    + """\
__device__ float wide(half h) { return __half2float(h); }

__global__ void widen(const half* in, float* out, int64_t n, bool packed) {
    const int64_t first = 8 * (int64_t(blockIdx.x) * blockDim.x + threadIdx.x);
    if (packed && first + 8 <= n) {
        alignas(16) half h[8];
        *reinterpret_cast<uint4*>(h) = *reinterpret_cast<const uint4*>(in + first);
        float4* to = reinterpret_cast<float4*>(out + first);
        to[0] = make_float4(wide(h[0]), wide(h[1]), wide(h[2]), wide(h[3]));
        to[1] = make_float4(wide(h[4]), wide(h[5]), wide(h[6]), wide(h[7]));
    } else {
        for (int64_t i = first; i < n && i < first + 8; ++i) out[i] = wide(in[i]);
    }
}

extern "C" void launch(const half* in,  // [n]
                       float* out,      // [n]
                       int64_t n, int block_size = 128, cudaStream_t stream = 0) {
    const bool packed = reinterpret_cast<uintptr_t>(in) % 16 == 0 && reinterpret_cast<uintptr_t>(out) % 16 == 0;
    const int64_t threads = (n + 7) / 8;
    const int64_t blocks = (threads + block_size - 1) / block_size;
    widen<<<static_cast<unsigned>(blocks), block_size, 0, stream>>>(in, out, n, packed);
}
"""
)

# A beginner who stores pictures, and has learned to return what the launch returns.
QUANT = (
    HEADER
    + """\
#include <cmath>

__device__ uint8_t to_byte(float v) {
    if (!(v > 0.0f)) return 0;
    if (v >= 255.0f) return 255;
    return (uint8_t)__float2int_rn(v);
}

__global__ void quantize(const float* pixels, uint8_t* bytes, int64_t n) {
    int64_t idx = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (idx < n) bytes[idx] = to_byte(pixels[idx]);
}

extern "C" cudaError_t launch(const float* pixels,  // [n]
                              uint8_t* bytes,       // [n]
                              int64_t n, int block_size = 256, cudaStream_t stream = 0) {
    int64_t blocks = (n + block_size - 1) / block_size;
    quantize<<<(unsigned)blocks, block_size, 0, stream>>>(pixels, bytes, n);
    return cudaGetLastError();
}
"""
)

# ---- activations -----------------------------------------------------------------------------

# A careful engineer who has read about overflow, and about loads in flight: four at a time.
SOFTPLUS = (
    HEADER
    + """\
__device__ float softplus(float v) { return fmaxf(v, 0.0f) + log1pf(expf(-fabsf(v))); }

__global__ void apply(const float* x, float* y, int64_t n) {
    const int64_t step = int64_t(gridDim.x) * blockDim.x;
    int64_t i = int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
    for (; i + 3 * step < n; i += 4 * step) {
        const float v0 = x[i];
        const float v1 = x[i + step];
        const float v2 = x[i + 2 * step];
        const float v3 = x[i + 3 * step];
        y[i] = softplus(v0);
        y[i + step] = softplus(v1);
        y[i + 2 * step] = softplus(v2);
        y[i + 3 * step] = softplus(v3);
    }
    for (; i < n; i += step) y[i] = softplus(x[i]);
}

extern "C" void launch(const float* x,  // [n]
                       float* y,        // [n]
                       int64_t n, int block_size = 192, cudaStream_t stream = 0) {
    int64_t blocks = (n + 4 * int64_t(block_size) - 1) / (4 * int64_t(block_size));
    if (blocks > 10) blocks = 10;
    apply<<<unsigned(blocks), block_size, 0, stream>>>(x, y, n);
}
"""
)

# A reader of blog posts: half2 where the addresses are even, and the odd one for one thread.
GELU = (
    HEADER
    + """\
__device__ float gelu(float v) { return 0.5f * v * erfcf(-0.70710678f * v); }

__global__ void gelu_kernel(const half* x, half* y, int64_t n, bool even) {
    const int64_t tid = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    const int64_t total = (int64_t)gridDim.x * blockDim.x;
    const int64_t pairs = even ? n / 2 : 0;
    const half2* x2 = (const half2*)x;
    half2* y2 = (half2*)y;
    for (int64_t p = tid; p < pairs; p += total) {
        const float2 v = __half22float2(x2[p]);
        y2[p] = __floats2half2_rn(gelu(v.x), gelu(v.y));
    }
    if (!even) {
        for (int64_t i = tid; i < n; i += total) y[i] = __float2half(gelu(__half2float(x[i])));
    } else if (n % 2 && tid == 0) {
        y[n - 1] = __float2half(gelu(__half2float(x[n - 1])));
    }
}

extern "C" void launch(const half* x,  // [n]
                       half* y,        // [n]
                       int64_t n, int block_size = 256, cudaStream_t stream = 0) {
    const bool even = ((uintptr_t)x | (uintptr_t)y) % 4 == 0;
    int64_t blocks = (n + 2 * block_size - 1) / (2 * block_size);
    if (blocks > 20) blocks = 20;
    gelu_kernel<<<(unsigned)blocks, block_size, 0, stream>>>(x, y, n, even);
}
"""
)

# A beginner who rebuilds a net for sounds: the tanh of one half, gated by the other half.
GATE = (
    HEADER
    + """\
__global__ void gate(const half* a, const half* b, half* out, int64_t n) {
    int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) {
        return;
    }
    float filter = tanhf(__half2float(a[i]));
    float open = 1.0f / (1.0f + expf(-__half2float(b[i])));
    out[i] = __float2half(filter * open);
}

extern "C" void launch(const half* a,  // [n]
                       const half* b,  // [n]
                       half* out,      // [n]
                       int64_t n, int block_size = 256, cudaStream_t stream = 0) {
    dim3 threads(block_size);
    dim3 blocks((unsigned)((n + block_size - 1) / block_size));
    gate<<<blocks, threads, 0, stream>>>(a, b, out, n);
}
"""
)

# Somebody who burns the array at both ends: a thread has the i-th, and the i-th from behind.
LEAKY = (
    HEADER
    + """\
__device__ __nv_bfloat16 leaky(__nv_bfloat16 x) {
    const float v = __bfloat162float(x);
    return __float2bfloat16(v > 0.0f ? v : 0.125f * v);
}

__global__ void both_ends(const __nv_bfloat16* x, __nv_bfloat16* y, int64_t n) {
    const int64_t i = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    const int64_t j = n - 1 - i;
    if (i > j) return;  // they have met
    y[i] = leaky(x[i]);
    y[j] = leaky(x[j]);
}

extern "C" void launch(const __nv_bfloat16* x,  // [n]
                       __nv_bfloat16* y,        // [n]
                       int64_t n, int block_size = 256, cudaStream_t stream = 0) {
    const int64_t threads = (n + 1) / 2;
    const int64_t blocks = (threads + block_size - 1) / block_size;
    both_ends<<<static_cast<unsigned>(blocks), block_size, 0, stream>>>(x, y, n);
}
"""
)

# ---- sums and maxima -------------------------------------------------------------------------

# Somebody who comes from Numba: one block, two sums a thread, a tree in dynamic shared memory.
TOTAL = (
    HEADER
    + """\
extern __shared__ float sdata[];

__global__ void total(const float* x, float* out, int64_t n) {
    const int tid = threadIdx.x, bw = blockDim.x;
    float acc0 = 0.0f, acc1 = 0.0f;
    int64_t i = tid;
    for (; i + bw < n; i += 2 * bw) {
        acc0 += x[i];
        acc1 += x[i + bw];
    }
    if (i < n) acc0 += x[i];
    sdata[tid] = acc0 + acc1;
    __syncthreads();
    int left = bw;
    while (left > 1) {
        const int half = (left + 1) / 2;
        if (tid < left / 2) sdata[tid] += sdata[tid + half];
        __syncthreads();
        left = half;
    }
    if (tid == 0) out[0] = sdata[0];
}

extern "C" void launch(const float* x,  // [n]
                       float* out,      // [1]
                       int64_t n, int block_size = 512, cudaStream_t stream = 0) {
    total<<<1, block_size, block_size * sizeof(float), stream>>>(x, out, n);
}
"""
)

# A tuner with a taste for odd instructions: signed bytes, four of them added at once.
BYTES = (
    HEADER
    + """\
constexpr int kThreads = 128;

__global__ void add_bytes(const int8_t* x, int64_t* total, int64_t n, int64_t words) {
    const int64_t t = int64_t(blockIdx.x) * kThreads + threadIdx.x;
    const int64_t step = int64_t(gridDim.x) * kThreads;
    const int* word = reinterpret_cast<const int*>(x);
    long long mine = 0;
    for (int64_t w = t; w < words; w += step) mine += __dp4a(word[w], 0x01010101, 0);
    for (int64_t i = 4 * words + t; i < n; i += step) mine += x[i];
    for (int d = 16; d > 0; d /= 2) mine += __shfl_xor_sync(0xffffffffu, mine, d);
    if (threadIdx.x % 32 == 0) atomicAdd(reinterpret_cast<unsigned long long*>(total), (unsigned long long)mine);
}

extern "C" void launch(const int8_t* x,  // [n]
                       int64_t* total,   // [1]
                       int64_t n, cudaStream_t stream = 0) {
    const int64_t words = reinterpret_cast<uintptr_t>(x) % 4 == 0 ? n / 4 : 0;
    cudaMemsetAsync(total, 0, sizeof(int64_t), stream);
    add_bytes<<<5, kThreads, 0, stream>>>(x, total, n, words);
}
"""
)

# A careful engineer: there is no atomic maximum of floats, so one is made of compare-and-swap.
PEAK = (
    HEADER
    + """\
__device__ float larger(float a, float b) { return a != a || a > b ? a : b; }

__device__ void atomic_larger(float* cell, float v) {
    unsigned* bits = reinterpret_cast<unsigned*>(cell);
    unsigned seen = *static_cast<volatile unsigned*>(bits);
    while (true) {
        const unsigned wanted = __float_as_uint(larger(__uint_as_float(seen), v));
        if (wanted == seen) return;
        const unsigned before = atomicCAS(bits, seen, wanted);
        if (before == seen) return;
        seen = before;
    }
}

__global__ void clear(float* out) { *out = -INFINITY; }

__global__ void peak(const float* x, float* out, int64_t n) {
    __shared__ float best[1024];
    const int64_t step = int64_t(gridDim.x) * blockDim.x;
    float mine = -INFINITY;
    for (int64_t i = int64_t(blockIdx.x) * blockDim.x + threadIdx.x; i < n; i += step) mine = larger(mine, x[i]);
    best[threadIdx.x] = mine;
    __syncthreads();
    if (threadIdx.x == 0) {
        for (unsigned t = 1; t < blockDim.x; ++t) mine = larger(mine, best[t]);
        atomic_larger(out, mine);
    }
}

extern "C" void launch(const float* x,  // [n]
                       float* out,      // [1]
                       int64_t n, int block_size = 128, cudaStream_t stream = 0) {
    int64_t blocks = (n + block_size - 1) / block_size;
    if (blocks < 1) blocks = 1;
    if (blocks > 12) blocks = 12;
    clear<<<1, 1, 0, stream>>>(out);
    peak<<<unsigned(blocks), block_size, 0, stream>>>(x, out, n);
}
"""
)

# A C programmer: the place of the largest integer, and of equal ones the first place.
WHERE = (
    HEADER
    + """\
#include <climits>

static __device__ bool beats(int v, int64_t p, int w, int64_t q)
{
    return v > w || (v == w && p < q);
}

__global__ void where(const int *x, int64_t *out, int64_t n)
{
    __shared__ int value[1024];
    __shared__ int64_t place[1024];
    int t = threadIdx.x, size = blockDim.x;
    int best = INT_MIN;
    int64_t at = n;
    for (int64_t i = t; i < n; i += size)
        if (beats(x[i], i, best, at)) {
            best = x[i];
            at = i;
        }
    value[t] = best;
    place[t] = at;
    for (int span = 1; span < size; span *= 2) {
        __syncthreads();
        int u = t + span;
        if (t % (2 * span) == 0 && u < size && beats(value[u], place[u], value[t], place[t])) {
            value[t] = value[u];
            place[t] = place[u];
        }
    }
    if (t == 0)
        *out = place[0];
}

extern "C" void launch(const int *x,  // [n]
                       int64_t *out,  // [1]
                       int64_t n, int block_size = 256, cudaStream_t stream = 0)
{
    where<<<1, block_size, 0, stream>>>(x, out, n);
}
"""
)


def _add(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    return a.double() + b.double()


def _residual(a: torch.Tensor, b: torch.Tensor, c: torch.Tensor) -> torch.Tensor:
    return a.double() + b.double() + c.double()


def _same(x: torch.Tensor) -> torch.Tensor:
    return x.double()


def _bytes_of(x: torch.Tensor) -> torch.Tensor:
    return x.double().nan_to_num(0.0, float("inf"), float("-inf")).clamp(0, 255).round()


def _softplus(x: torch.Tensor) -> torch.Tensor:
    v = x.double()
    return v.clamp(min=0) + torch.log1p(torch.exp(-v.abs()))


def _gelu(x: torch.Tensor) -> torch.Tensor:
    v = x.double()
    return 0.5 * v * torch.special.erfc(-v / 2**0.5)


def _gate(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    return torch.tanh(a.double()) * torch.sigmoid(b.double())


def _leaky(x: torch.Tensor) -> torch.Tensor:
    return torch.where(x > 0, x.double(), x.double() / 8)


def _whole(low: int, high: int, n: int, seed: int) -> torch.Tensor:
    return torch.randint(low, high, (n,), generator=torch.Generator().manual_seed(seed))


def mix(launcher: Launcher) -> Iterator[Case]:
    """Add whole numbers times whole factors and others, and infinities and NaN."""
    for n in (1, 2, 3, 4, 5, 383, 384, 1027, 5002):
        x = _whole(-50, 51, n, n).float()
        y = _whole(-50, 51, n, n + 1).float()
        strange = x.clone()
        strange[n // 2], strange[n // 3] = float("nan"), float("inf")
        for alpha, beta in ((1.0, 1.0), (3.0, -2.0), (-0.5, 1024.0), (0.0, 0.25), (1.0, 0.0)):
            for label, other in (("whole numbers", x), ("infinity and NaN", strange)):
                yield Case(
                    f"n = {n:,}, alpha = {alpha}, beta = {beta}, {label}",
                    (other, y),
                    (alpha * other.double() + beta * y.double(),),
                    {"alpha": alpha, "beta": beta},
                    dtypes=(torch.float32,),
                )


def signed_bytes(launcher: Launcher) -> Iterator[Case]:
    """Add up signed bytes: any, the least one only, the largest one only, none but zero."""
    for n in (1, 3, 4, 31, 128, 643, 2560, 50_003):
        kinds = (
            ("any bytes", _whole(-128, 128, n, n)),
            ("the least one only", _whole(-128, -127, n, n)),
            ("the largest one only", _whole(127, 128, n, n)),
            ("zeros", _whole(0, 1, n, n)),
        )
        for label, x in kinds:
            right = x.sum().double().reshape(1)
            yield Case(
                f"n = {n:,}, {label}", (x.to(torch.int8),), (right,), dtypes=(torch.int64,)
            )


def first_largest(launcher: Launcher) -> Iterator[Case]:
    """Find the place of the largest integer: of any, negative, equal and extreme ones."""
    for n in (1, 2, 31, 256, 300, 1027, 20_002):
        for block_size in (256, 77, 1024):
            kinds = [
                ("all of int32", _whole(-(2**31), 2**31, n, n)),
                ("negative ones", _whole(-999, -9, n, n)),
                ("many equal ones", _whole(0, 3, n, n)),
                ("the least one only", _whole(-(2**31), 1 - 2**31, n, n)),
            ]
            for place in sorted({0, n // 3, n - 1}):
                x = _whole(-99, 99, n, n)
                x[place] = 1000
                kinds.append((f"the largest at {place}", x))
            for label, x in kinds:
                first = (x == x.max()).nonzero()[0].double()
                yield Case(
                    f"n = {n:,}, block_size = {block_size}, {label}",
                    (x.int(),),
                    (first,),
                    {"block_size": block_size},
                    dtypes=(torch.int64,),
                )


BASES = {
    "xxii_quads": Base(QUADS, {"reference": _add}),
    "xxii_residual": Base(RESIDUAL, {"reference": _residual, "ulp": 1}),
    "xxii_mix": Base(MIX, {"cases": mix}),
    "xxii_upper": Base(UPPER, {"reference": _same}),
    "xxii_widen": Base(WIDEN, {"reference": _same}),
    "xxii_quant": Base(QUANT, {"reference": _bytes_of}),
    "xxii_softplus": Base(SOFTPLUS, {"reference": _softplus, "ulp": 3}),
    "xxii_gelu": Base(GELU, {"reference": _gelu, "ulp": 1}),
    "xxii_gate": Base(GATE, {"reference": _gate, "ulp": 1}),
    "xxii_leaky": Base(LEAKY, {"reference": _leaky}),
    "xxii_total": Base(TOTAL, cases="sums"),
    "xxii_bytes": Base(BYTES, {"cases": signed_bytes}),
    "xxii_peak": Base(PEAK, cases="whole_array", function=torch.max),
    "xxii_where": Base(WHERE, {"cases": first_largest}),
    **twentysecond_arrays.BASES,
}

# What three edits replace.
UP_OR_DOWN = "(v > 0.0f ? v : 0.125f * v)"

WRONG = (
    # ---- additions
    # Three lines were made from the first one; in the last, one letter was not changed.
    Wrong(
        "xxii_quads_w_from_z",
        "xxii_quads",
        "neighbour / other element | swapped / numbers / function / alignment",
        ("va.w += vb.w;", "va.w += vb.z;"),
    ),
    # The macro was ported as the place within the group: no group knows which one it is.
    Wrong(
        "xxii_quads_local_id",
        "xxii_quads",
        "unwritten / left out | grid / block size / tail / twice",
        ("((int64_t)blockIdx.x * blockDim.x + threadIdx.x)", "((int64_t)threadIdx.x)"),
    ),
    # A length that is a multiple of four says nothing about an address.
    Wrong(
        "xxii_quads_length_tested",
        "xxii_quads",
        "alignment",
        ("(bits & 15) == 0 ?", "n % 4 == 0 ?"),
    ),
    # No four, no group: a short array is refused.
    Wrong(
        "xxii_quads_no_group",
        "xxii_quads",
        "grid / refused / unwritten | tail / left out",
        ("    if (groups < 1) groups = 1;\n", ""),
    ),
    # The index counts fours, and the step is four times too long.
    Wrong(
        "xxii_quads_long_steps",
        "xxii_quads",
        "unwritten / left out | grid",
        ("q < quads; q += size", "q < quads; q += 4 * size"),
    ),
    # The rows of blocks are as long as the columns are: right for a square only.
    Wrong(
        "xxii_residual_other_side",
        "xxii_residual",
        "grid / unwritten / left out / swapped / sides | twice / tail / other element / bounds",
        ("(int64_t)blockIdx.y * gridDim.x", "(int64_t)blockIdx.y * gridDim.y"),
    ),
    # The third input came later; its line is half float16.
    Wrong(
        "xxii_residual_as_half",
        "xxii_residual",
        "function / numbers / whole range | precision / infinity / nan / rounding / left out / subnormal",
        ("__bfloat162float(c[pos])", "__half2float(((const half*)c)[pos])"),
    ),
    # The last index is size - 1.
    Wrong(
        "xxii_residual_to_size", "xxii_residual", "bounds | tail", ("pos < size", "pos <= size")
    ),
    # The rows of blocks are rounded down, and some blocks belong to no row.
    Wrong(
        "xxii_residual_rows_cut",
        "xxii_residual",
        "grid / tail / unwritten / left out",
        ("(blocks + down - 1) / down", "blocks / down"),
    ),
    # TPB was a constant in the notebook; the launcher lets the caller choose.
    Wrong(
        "xxii_residual_tpb",
        "xxii_residual",
        "block size / unwritten / left out | tail / grid / twice / other element",
        ("int64_t bw = blockDim.x;", "int64_t bw = 128;"),
    ),
    # Each case ends with a break, as a linter wants it.
    Wrong(
        "xxii_mix_break",
        "xxii_mix",
        "unwritten / left out | tail",
        ("case 4: MIX(3);", "case 4: MIX(3); break;"),
    ),
    # The kernel takes a whole factor, and C converts it without a word.
    Wrong(
        "xxii_mix_int_factor",
        "xxii_mix",
        "rounding / narrow / precision / function / numbers | whole range / left out / copy",
        ("float alpha, float beta)\n{", "int alpha, float beta)\n{"),
    ),
    # Two floats in a row: nobody notices that they are in the other order.
    Wrong(
        "xxii_mix_factors_turned",
        "xxii_mix",
        "swapped / function | numbers",
        ("n, alpha, beta);", "n, beta, alpha);"),
    ),
    # It was axpy; beta became a parameter, and is nowhere used.
    Wrong(
        "xxii_mix_no_beta",
        "xxii_mix",
        "function / left out | numbers",
        ("alpha * p[k] + beta * q[k]", "alpha * p[k] + q[k]"),
    ),
    # In BLAS the result goes to y.
    Wrong(
        "xxii_mix_into_y",
        "xxii_mix",
        "input | state",
        ("#define MIX(k) r[k]", "#define MIX(k) ((float *)q)[k] = r[k]"),
    ),
    # Four times the number of a thread is an int.
    Wrong(
        "xxii_mix_int_first",
        "xxii_mix",
        "narrow | bounds / unwritten / left out",
        (
            "int64_t first = 4 * ((int64_t)blockIdx.x * blockDim.x + threadIdx.x);",
            "int first = 4 * (blockIdx.x * blockDim.x + threadIdx.x);",
        ),
    ),
    # ---- casts
    # Above or equal: infinity becomes a NaN.
    Wrong(
        "xxii_upper_infinity_too",
        "xxii_upper",
        "infinity / nan | numbers / whole range",
        (") > 0x7f800000u", ") >= 0x7f800000u"),
    ),
    # A shift binds less than a sum: one is added, or nothing.
    Wrong(
        "xxii_upper_precedence",
        "xxii_upper",
        "rounding | numbers / precision / infinity",
        ("0x7fffu + (u >> 16 & 1u)", "0x7fffu + u >> 16 & 1u"),
    ),
    # The sign is masked for the test of NaN, and stays masked.
    Wrong(
        "xxii_upper_no_sign",
        "xxii_upper",
        "function / numbers / sign of zero | whole range / left out / infinity",
        ("= __float_as_uint(f);", "= __float_as_uint(f) & 0x7fffffffu;"),
    ),
    # Without an exponent it is a zero, thinks who has forgotten the smallest numbers.
    Wrong(
        "xxii_upper_flushed",
        "xxii_upper",
        "subnormal | numbers / precision",
        (
            "    u += 0x7fffu",
            "    if ((u & 0x7f800000u) == 0)\n        return (uint16_t)(u >> 16 & 0x8000u);\n    u += 0x7fffu",
        ),
    ),
    # What is left over is done only where nothing is packed.
    Wrong(
        "xxii_widen_no_rest",
        "xxii_widen",
        "tail / unwritten / left out | alignment",
        ("    } else {\n", "    } else if (!packed) {\n"),
    ),
    # A thread for each whole eight.
    Wrong(
        "xxii_widen_whole_eights",
        "xxii_widen",
        "grid / tail / unwritten / left out | refused",
        ("(n + 7) / 8", "n / 8"),
    ),
    # The known trick with one product: right for all numbers, but infinity becomes 65,536.
    Wrong(
        "xxii_widen_product",
        "xxii_widen",
        "infinity / nan | numbers / whole range",
        (
            "{ return __half2float(h); }",
            """\
{
    const unsigned b = __half_as_ushort(h);
    return __uint_as_float((b & 0x8000u) << 16 | (b & 0x7fffu) << 13) * 5.192296858534828e33f;
}""",
        ),
    ),
    # By hand, with all cases but one.
    Wrong(
        "xxii_widen_flushed",
        "xxii_widen",
        "subnormal | numbers / precision",
        (
            "{ return __half2float(h); }",
            """\
{
    const unsigned b = __half_as_ushort(h), sign = (b & 0x8000u) << 16, e = b >> 10 & 31u, m = (b & 0x3ffu) << 13;
    if (e == 0) return __uint_as_float(sign);
    return __uint_as_float(sign | (e == 31 ? 0x7f800000u : e + 112 << 23) | m);
}""",
        ),
    ),
    # Half a step added, the rest cut off: ties go up, never to the even one.
    Wrong(
        "xxii_quant_plus_half",
        "xxii_quant",
        "rounding | numbers",
        ("__float2int_rn(v)", "(v + 0.5f)"),
    ),
    # Light that is too bright becomes dark.
    Wrong(
        "xxii_quant_no_upper_end",
        "xxii_quant",
        "whole range / infinity / narrow | numbers",
        ("    if (v >= 255.0f) return 255;\n", ""),
    ),
    # First the smaller of both, then the larger one: a NaN becomes white.
    Wrong(
        "xxii_quant_white_nan",
        "xxii_quant",
        "nan | numbers",
        ("if (!(v > 0.0f)) return 0;", "v = fmaxf(fminf(v, 255.0f), 0.0f);"),
    ),
    # A float cannot hold the length, from 2^24 on.
    Wrong(
        "xxii_quant_float_blocks",
        "xxii_quant",
        "narrow / precision / grid / tail / unwritten / left out | rounding",
        (
            "int64_t blocks = (n + block_size - 1) / block_size;",
            "int64_t blocks = (int64_t)std::ceil((float)n / (float)block_size);",
        ),
    ),
    # Rounded up after it has been rounded down.
    Wrong(
        "xxii_quant_ceil_of_int",
        "xxii_quant",
        "grid / tail / unwritten / left out | refused / rounding",
        (
            "int64_t blocks = (n + block_size - 1) / block_size;",
            "int64_t blocks = (int64_t)std::ceil(n / block_size);",
        ),
    ),
    # A promise of 256 threads, as in the example; the launcher takes 1,024.
    Wrong(
        "xxii_quant_bounds_256",
        "xxii_quant",
        "block size / refused | unwritten",
        ("__global__ void quantize", "__global__ void __launch_bounds__(256) quantize"),
    ),
    # ---- activations
    # As it is printed: too large for a float, or too small beside the one.
    Wrong(
        "xxii_softplus_as_printed",
        "xxii_softplus",
        "infinity / precision / numbers / rounding | subnormal / whole range",
        ("fmaxf(v, 0.0f) + log1pf(expf(-fabsf(v)))", "logf(1.0f + expf(v))"),
    ),
    # No overflow any more, but what is small beside the one is lost.
    Wrong(
        "xxii_softplus_log",
        "xxii_softplus",
        "precision / rounding | numbers / subnormal",
        ("log1pf(expf(-fabsf(v)))", "logf(1.0f + expf(-fabsf(v)))"),
    ),
    # Unrolled by four, with nothing behind it.
    Wrong(
        "xxii_softplus_only_fours",
        "xxii_softplus",
        "tail / unwritten / left out | grid",
        ("    for (; i < n; i += step) y[i] = softplus(x[i]);\n", ""),
    ),
    # There are two functions of this name: this one is the approximation.
    Wrong(
        "xxii_gelu_tanh",
        "xxii_gelu",
        "function / precision / numbers | rounding",
        (
            "0.5f * v * erfcf(-0.70710678f * v)",
            "0.5f * v * (1.0f + tanhf(0.79788456f * (v + 0.044715f * v * v * v)))",
        ),
    ),
    # All tensors that the author has seen began at a round address.
    Wrong(
        "xxii_gelu_no_test",
        "xxii_gelu",
        "alignment",
        ("even = ((uintptr_t)x | (uintptr_t)y) % 4 == 0;", "even = true;"),
    ),
    # An array of n elements ends with n, thinks who counts from one.
    Wrong(
        "xxii_gelu_last_is_n",
        "xxii_gelu",
        "bounds | tail / unwritten",
        (
            "y[n - 1] = __float2half(gelu(__half2float(x[n - 1])));",
            "y[n] = __float2half(gelu(__half2float(x[n])));",
        ),
    ),
    # The next thread would do the odd one, if there is a next thread.
    Wrong(
        "xxii_gelu_next_thread",
        "xxii_gelu",
        "tail / unwritten / left out | grid",
        ("n % 2 && tid == 0", "n % 2 && tid == n / 2"),
    ),
    # Which half is the gate? Libraries differ.
    Wrong(
        "xxii_gate_other_half",
        "xxii_gate",
        "swapped | function / numbers",
        ("tanhf(__half2float(a[i]))", "tanhf(__half2float(b[i]))"),
        ("expf(-__half2float(b[i]))", "expf(-__half2float(a[i]))"),
    ),
    # From the definition: infinity divided by infinity, and a difference of near numbers.
    Wrong(
        "xxii_gate_quotient",
        "xxii_gate",
        "infinity / nan / precision | numbers / rounding / whole range / subnormal / sign of zero",
        (
            "    float filter = tanhf(__half2float(a[i]));\n",
            "    float e = expf(2.0f * __half2float(a[i]));\n    float filter = (e - 1.0f) / (e + 1.0f);\n",
        ),
    ),
    # In the original both halves are one tensor, and the gate is n behind.
    Wrong(
        "xxii_gate_behind",
        "xxii_gate",
        "bounds / left out",
        ("b[i]", "a[i + n]"),
    ),
    # The grid is computed once: the next array may be longer.
    Wrong(
        "xxii_gate_first_grid",
        "xxii_gate",
        "state / grid / unwritten / left out | tail / refused / block size",
        ("    dim3 blocks((", "    static const dim3 blocks(("),
    ),
    # The backward pass needs the tanh, and finds it in the input.
    Wrong(
        "xxii_gate_kept",
        "xxii_gate",
        "input | state",
        (
            "    out[i] = __float2half(filter",
            "    const_cast<half*>(a)[i] = __float2half(filter);\n    out[i] = __float2half(filter",
        ),
    ),
    # Where both ends meet at one element, nobody does it.
    Wrong(
        "xxii_leaky_no_middle",
        "xxii_leaky",
        "unwritten / left out | tail",
        ("if (i > j) return;", "if (i >= j) return;"),
    ),
    # Half as many threads, rounded down.
    Wrong(
        "xxii_leaky_threads_cut",
        "xxii_leaky",
        "grid / unwritten / left out / tail | refused",
        ("(n + 1) / 2", "n / 2"),
    ),
    # The first from behind is not n.
    Wrong(
        "xxii_leaky_from_n",
        "xxii_leaky",
        "bounds / neighbour / other element | tail / unwritten",
        ("j = n - 1 - i;", "j = n - i;"),
    ),
    # The bits are compared, without a sign: only zero is not positive.
    Wrong(
        "xxii_leaky_unsigned_bits",
        "xxii_leaky",
        "function / numbers / copy | left out / whole range / infinity / subnormal",
        (UP_OR_DOWN, "(__bfloat16_as_ushort(x) > 0 ? v : 0.125f * v)"),
    ),
    # ---- sums
    # In Numba the shape counts elements, in a launch the third number counts bytes.
    Wrong(
        "xxii_total_elements",
        "xxii_total",
        "bounds | block size / race",
        ("block_size * sizeof(float)", "block_size"),
    ),
    # Only those who add wait.
    Wrong(
        "xxii_total_some_wait",
        "xxii_total",
        "race / timeout | block size / left out",
        (
            "        if (tid < left / 2) sdata[tid] += sdata[tid + half];\n        __syncthreads();\n",
            "        if (tid < left / 2) {\n            sdata[tid] += sdata[tid + half];\n            __syncthreads();\n        }\n",
        ),
    ),
    # An old article: the threads of a warp need no barrier.
    Wrong(
        "xxii_total_warps_together",
        "xxii_total",
        "race | left out / block size / numbers",
        (
            "        __syncthreads();\n        left",
            "        if (left > 64) __syncthreads();\n        left",
        ),
    ),
    # Threads without an element leave their place as it was, and the tree reads it.
    Wrong(
        "xxii_total_no_zero",
        "xxii_total",
        "start / unwritten | state / numbers / nan / race / bounds / other element / block size",
        ("    sdata[tid] = acc0", "    if (tid < n) sdata[tid] = acc0"),
    ),
    # If the number is odd, the one in the middle has no partner.
    Wrong(
        "xxii_total_middle_adds",
        "xxii_total",
        "twice / bounds / block size | numbers / nan / start / unwritten / race / other element",
        ("if (tid < left / 2)", "if (tid < half)"),
    ),
    # Four bytes of eight are zero.
    Wrong(
        "xxii_bytes_half_zero",
        "xxii_bytes",
        "zero before / state / start | narrow / whole range / numbers",
        ("sizeof(int64_t), stream", "sizeof(int), stream"),
    ),
    # There is one for unsigned numbers, and the types of the arguments choose it.
    Wrong(
        "xxii_bytes_unsigned",
        "xxii_bytes",
        "whole range / numbers / function | alignment / infinity",
        (
            "const int* word = reinterpret_cast<const int*>(x);",
            "const unsigned* word = reinterpret_cast<const unsigned*>(x);",
        ),
        ("0x01010101, 0)", "0x01010101u, 0u)"),
    ),
    # Added to the lower half: the sign of the sum never gets up.
    Wrong(
        "xxii_bytes_int_atomic",
        "xxii_bytes",
        "narrow / whole range | numbers / infinity / left out",
        (
            "reinterpret_cast<unsigned long long*>(total), (unsigned long long)mine)",
            "reinterpret_cast<unsigned*>(total), (unsigned)mine)",
        ),
    ),
    # A block walks as if it were alone.
    Wrong(
        "xxii_bytes_short_steps",
        "xxii_bytes",
        "twice | grid / function / numbers",
        ("int64_t(gridDim.x) * kThreads;", "kThreads;"),
    ),
    # What is left over is counted by every block.
    Wrong(
        "xxii_bytes_rest_of_all",
        "xxii_bytes",
        "twice / tail / left out | alignment / grid",
        ("i = 4 * words + t;", "i = 4 * words + threadIdx.x;"),
    ),
    # Zero comes on the default stream, before or behind or between.
    Wrong(
        "xxii_bytes_zero_no_stream",
        "xxii_bytes",
        "stream | race / zero before / start / state",
        (
            "cudaMemsetAsync(total, 0, sizeof(int64_t), stream)",
            "cudaMemsetAsync(total, 0, sizeof(int64_t))",
        ),
    ),
    # ---- maxima
    # A NaN is not larger than anything, and the next number takes its place.
    Wrong(
        "xxii_peak_forgets_nan",
        "xxii_peak",
        "nan | numbers",
        ("a != a || a > b", "a > b"),
    ),
    # The smallest float is a positive one.
    Wrong(
        "xxii_peak_flt_min",
        "xxii_peak",
        "start / numbers | left out",
        ("mine = -INFINITY;", "mine = FLT_MIN;"),
    ),
    # There is one number below the least finite one.
    Wrong(
        "xxii_peak_finite",
        "xxii_peak",
        "start / infinity | numbers",
        ("*out = -INFINITY;", "*out = -FLT_MAX;"),
    ),
    # The result is set to its start once, not before each launch.
    Wrong(
        "xxii_peak_cleared_once",
        "xxii_peak",
        "state / start / zero before",
        (
            "    clear<<<1, 1, 0, stream>>>(out);\n",
            "    static bool cleared = false;\n    if (!cleared) clear<<<1, 1, 0, stream>>>(out);\n    cleared = true;\n",
        ),
    ),
    # Another block was faster, and this one tries for ever with what it has seen first.
    Wrong(
        "xxii_peak_old_try",
        "xxii_peak",
        "timeout / race",
        ("        seen = before;\n", ""),
    ),
    # The first thread does not wait for the others.
    Wrong(
        "xxii_peak_no_barrier",
        "xxii_peak",
        "race | unwritten / start / left out / numbers / nan",
        ("    __syncthreads();\n", ""),
    ),
    # The array has 1,024 places, the block fewer threads.
    Wrong(
        "xxii_peak_all_places",
        "xxii_peak",
        "block size / bounds / start / unwritten | numbers / race / nan / state",
        ("t < blockDim.x;", "t < 1024;"),
    ),
    # Bits of floats are in the order of integers, but not those below zero.
    Wrong(
        "xxii_peak_bits",
        "xxii_peak",
        "numbers / function / start | whole range / infinity / nan / sign of zero",
        (
            "        atomic_larger(out, mine);",
            "        atomicMax(reinterpret_cast<int*>(out), __float_as_int(mine));",
        ),
    ),
    # Equal ones: the lower thread has not always the lower place.
    Wrong(
        "xxii_where_any_of_equal",
        "xxii_where",
        "numbers / other element / function | start / left out / race",
        ("v > w || (v == w && p < q)", "v > w"),
    ),
    # The largest value climbs the tree, and its place stays behind.
    Wrong(
        "xxii_where_place_stays",
        "xxii_where",
        "other element / left out / function / numbers",
        ("            place[t] = place[u];\n", ""),
    ),
    # A difference that is positive: it overflows if one is large and the other one far below.
    Wrong(
        "xxii_where_difference",
        "xxii_where",
        "whole range / infinity | numbers / narrow / start / left out / function",
        ("v > w ||", "(int)((unsigned)v - (unsigned)w) > 0 ||"),
    ),
    # Whoever comes last writes what the first thread may not have found yet.
    Wrong(
        "xxii_where_all_write",
        "xxii_where",
        "race",
        ("    if (t == 0)\n        *out = place[0];", "    *out = place[0];"),
    ),
    *twentysecond_arrays.WRONG,
)

RIGHT = (
    # A comparison binds more than a bit's and: never four at once, which is right and slow.
    Right("xxii_quads_never", "xxii_quads", ("(bits & 15) == 0", "bits & 15 == 0")),
    # One block more in each row than is needed, and none is too many.
    Right(
        "xxii_residual_longer_rows",
        "xxii_residual",
        ("dim3 grid((unsigned)across,", "dim3 grid((unsigned)across + 1,"),
    ),
    # The blocks are counted down the columns of the grid.
    Right(
        "xxii_residual_columns",
        "xxii_residual",
        (
            "(int64_t)blockIdx.y * gridDim.x + blockIdx.x",
            "(int64_t)blockIdx.x * gridDim.y + blockIdx.y",
        ),
    ),
    # Products of floats are exact in double precision.
    Right(
        "xxii_mix_double",
        "xxii_mix",
        ("alpha * p[k] + beta * q[k]", "(float)((double)alpha * p[k] + (double)beta * q[k])"),
    ),
    # The number of elements, to the right case by a mask: 4, 3, 2 or 1 without a comparison.
    Right(
        "xxii_mix_mask",
        "xxii_mix",
        ("switch (left < 4 ? left : 4)", "switch (left >> 2 ? 4 : left & 3)"),
    ),
    # Half of the lowest bit is added, and one less if the bit is not set.
    Right(
        "xxii_upper_not",
        "xxii_upper",
        ("0x7fffu + (u >> 16 & 1u)", "0x8000u - !(u >> 16 & 1u)"),
    ),
    # All blocks do what a single one would have to do.
    Right(
        "xxii_upper_backward",
        "xxii_upper",
        ("out[i] = upper(in[i]);", "out[n - 1 - i] = upper(in[n - 1 - i]);"),
    ),
    # The last whole eight goes one by one.
    Right("xxii_widen_less", "xxii_widen", ("first + 8 <= n", "first + 8 < n")),
    # The trick with one product, and its one exception.
    Right(
        "xxii_widen_product_and_more",
        "xxii_widen",
        (
            "{ return __half2float(h); }",
            """\
{
    const unsigned b = __half_as_ushort(h), rest = (b & 0x7fffu) << 13, sign = (b & 0x8000u) << 16;
    if (rest >= 0x0f800000u) return __uint_as_float(sign | rest | 0x7f800000u);
    return __uint_as_float(sign | rest) * 5.192296858534828e33f;
}""",
        ),
    ),
    # A NaN goes on to the conversion, which makes zero of it.
    Right("xxii_quant_nan_goes_on", "xxii_quant", ("if (!(v > 0.0f))", "if (v < 0.0f)")),
    # Beside 2^23 there is room for whole numbers only, which are the last bits then.
    Right(
        "xxii_quant_last_bits",
        "xxii_quant",
        ("__float2int_rn(v)", "(__float_as_uint(v + 8388608.0f) & 255u)"),
    ),
    # Above 20 the rest is too small to be seen; below there is no overflow.
    Right(
        "xxii_softplus_threshold",
        "xxii_softplus",
        ("fmaxf(v, 0.0f) + log1pf(expf(-fabsf(v)))", "v > 20.0f ? v : log1pf(expf(v))"),
    ),
    # The last thread of the last block has the odd one.
    Right(
        "xxii_gelu_last_thread",
        "xxii_gelu",
        ("n % 2 && tid == 0", "n % 2 && tid == total - 1"),
    ),
    # The distribution is a function of its own.
    Right(
        "xxii_gelu_distribution",
        "xxii_gelu",
        ("0.5f * v * erfcf(-0.70710678f * v)", "v * normcdff(v)"),
    ),
    # Only ever the power of a negative number.
    Right(
        "xxii_gate_two_forms",
        "xxii_gate",
        (
            "    float open = 1.0f / (1.0f + expf(-__half2float(b[i])));\n",
            "    float v = __half2float(b[i]), e = expf(-fabsf(v));\n    float open = (signbit(v) ? e : 1.0f) / (1.0f + e);\n",
        ),
    ),
    # The larger of both: a NaN makes both NaN.
    Right("xxii_leaky_larger", "xxii_leaky", (UP_OR_DOWN, "(fmaxf(v, 0.125f * v))")),
    # The sign is a bit, and that of a NaN does not matter.
    Right(
        "xxii_leaky_sign",
        "xxii_leaky",
        (UP_OR_DOWN, "(__bfloat16_as_ushort(x) >> 15 ? 0.125f * v : v)"),
    ),
    # A barrier that counts as well.
    Right(
        "xxii_total_counting_barrier",
        "xxii_total",
        (
            "        __syncthreads();\n        left",
            "        (void)__syncthreads_count(tid);\n        left",
        ),
    ),
    # Minus one, four times in a word: bytes are subtracted from what is subtracted.
    Right(
        "xxii_bytes_minus",
        "xxii_bytes",
        ("mine += __dp4a(word[w], 0x01010101, 0)", "mine -= __dp4a(word[w], -1, 0)"),
    ),
    # What has been seen is read again.
    Right(
        "xxii_peak_again",
        "xxii_peak",
        ("        seen = before;", "        seen = *static_cast<volatile unsigned*>(bits);"),
    ),
    # From the end: an equal one with a lower place beats what has been found.
    Right(
        "xxii_where_from_end",
        "xxii_where",
        (
            "for (int64_t i = t; i < n; i += size)",
            "for (int64_t i = n - 1 - t; i >= 0; i -= size)",
        ),
    ),
    *twentysecond_arrays.RIGHT,
)
