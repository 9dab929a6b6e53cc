"""Hold a twenty-fifth family: additions, casts, activations, sums and maxima of whole arrays.

The causes were written before a member was judged. On the emulator each member ran beside
PyTorch: bases and right ones are right, and 62 of the 65 wrong ones wrong, or refused by a
fault. The other three are wrong by reasoning:

    xxv_cast_flight_shared_four  if another thread of the block writes between store and load
    xxv_sum_ticket_no_fence      if the last block sees a counter before the sum that it counts
    xxv_sum_ticket_last_number   if an earlier block ends later: one of 108 calls showed it

xxv_add_terms_ceilf shows its fault from 2^24 + 1 elements on, xxv_max_amax_never_zero if the
output was not zero before, xxv_add_peeled_head_too_long in slices only.
"""

# ruff: noqa: E501 (a line of a kernel stands in one line)
from __future__ import annotations

from collections.abc import Iterator

import torch

from helpers.run.launcher import Launcher
from helpers.testing.cases import Case
from tests.testing.family import twentyfifth_arrays
from tests.testing.family.elementwise import HEADER
from tests.testing.family.table import Base, Right, Wrong

# ---- additions -------------------------------------------------------------------------------

# A careful engineer: single ones up to a round address, packs of eight from there, single ones.
PEELED = (
    HEADER
    + """\
struct alignas(16) Eight { __nv_bfloat16 v[8]; };

__device__ __nv_bfloat16 plus(__nv_bfloat16 x, __nv_bfloat16 y) {
    return __float2bfloat16(__bfloat162float(x) + __bfloat162float(y));
}

__global__ void add_peeled(const __nv_bfloat16* a, const __nv_bfloat16* b, __nv_bfloat16* out, int64_t n, int64_t head, int64_t packs) {
    const int64_t t = int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
    const int64_t step = int64_t{gridDim.x} * blockDim.x;
    for (int64_t i = t; i < head; i += step) out[i] = plus(a[i], b[i]);
    const Eight* from_a = reinterpret_cast<const Eight*>(a + head);
    const Eight* from_b = reinterpret_cast<const Eight*>(b + head);
    Eight* to = reinterpret_cast<Eight*>(out + head);
    for (int64_t p = t; p < packs; p += step) {
        Eight sum = from_a[p];
        const Eight other = from_b[p];
        for (int k = 0; k < 8; ++k) sum.v[k] = plus(sum.v[k], other.v[k]);
        to[p] = sum;
    }
    for (int64_t i = head + 8 * packs + t; i < n; i += step) out[i] = plus(a[i], b[i]);
}

extern "C" void launch(const __nv_bfloat16* a /* [n] */, const __nv_bfloat16* b /* [n] */, __nv_bfloat16* out /* [n] */, int64_t n, int block_size = 128, cudaStream_t stream = 0) {
    const uintptr_t skew = (uintptr_t)out % 16;
    const bool same = (uintptr_t)a % 16 == skew && (uintptr_t)b % 16 == skew;
    int64_t head = same ? (16 - skew) % 16 / sizeof(__nv_bfloat16) : n;
    if (head > n) head = n;
    const int64_t packs = (n - head) / 8;
    add_peeled<<<11, block_size, 0, stream>>>(a, b, out, n, head, packs);
}
"""
)

# A C programmer who brightens images: four bytes in a word, and a piece of the array a thread.
IMAGES = (
    HEADER
    + """\
#define M 0x00ff00ffu /* every other byte */

__device__ uint32_t add4(uint32_t x, uint32_t y)
{
    uint32_t even = (x & M) + (y & M); /* nine bits each */
    uint32_t odd = (x >> 8 & M) + (y >> 8 & M);
    even |= (even >> 8 & 0x00010001u) * 0xffu; /* the ninth one fills the others */
    odd |= (odd >> 8 & 0x00010001u) * 0xffu;
    return (even & M) | (odd & M) << 8;
}

__global__ void add_images(const uint8_t *a, const uint8_t *b, uint8_t *out, int64_t n, int64_t words, int64_t piece)
{
    int64_t t = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    int64_t end = (t + 1) * piece;
    if (end > words)
        end = words;
    for (int64_t w = t * piece; w < end; w++)
        ((uint32_t *)out)[w] = add4(((const uint32_t *)a)[w], ((const uint32_t *)b)[w]);
    for (int64_t i = 4 * words + t; i < n; i += (int64_t)gridDim.x * blockDim.x) {
        int sum = a[i] + b[i];
        out[i] = sum > 255 ? 255 : sum;
    }
}

extern "C" void launch(const uint8_t *a /* [n] */, const uint8_t *b /* [n] */, uint8_t *out /* [n] */, int64_t n, int block_size = 96, cudaStream_t stream = 0)
{
    uintptr_t bits = (uintptr_t)a | (uintptr_t)b | (uintptr_t)out;
    int64_t words = (bits & 3) == 0 ? n / 4 : 0;
    int64_t threads = 6 * (int64_t)block_size;
    int64_t piece = (words + threads - 1) / threads;
    add_images<<<6, block_size, 0, stream>>>(a, b, out, n, words, piece);
}
"""
)

# Somebody who ports from OpenCL, and packs what a kernel takes into a struct.
TERMS = (
    HEADER
    + """\
struct Terms {
    const float* of[3];
    float times[3];
};

__device__ int64_t get_global_id() { return (int64_t)blockIdx.x * blockDim.x + threadIdx.x; }

__global__ void combine(Terms terms, float* out, int64_t n) {
    const int64_t gid = get_global_id();
    if (gid >= n) return;
    double sum = (double)terms.times[0] * terms.of[0][gid];
    for (int k = 1; k < 3; ++k) {
        sum += (double)terms.times[k] * terms.of[k][gid];
    }
    out[gid] = (float)sum;
}

extern "C" void launch(const float* a /* [n] */, const float* b /* [n] */, const float* c /* [n] */, float* out /* [n] */, int64_t n, float alpha = 1.0f, float beta = 1.0f, float gamma = 1.0f, int block_size = 128, cudaStream_t stream = 0) {
    const Terms terms = {{a, b, c}, {alpha, beta, gamma}};
    const unsigned groups = (unsigned)((n + block_size - 1) / block_size);
    combine<<<groups, block_size, 0, stream>>>(terms, out, n);
}
"""
)

# ---- casts -----------------------------------------------------------------------------------

# A reader of blog posts who quantizes: threads past the last pack have one number each.
QUANT = (
    HEADER
    + """\
__device__ signed char quantize(float v, float scale) {
    const float q = rintf(v / scale);
    if (isnan(q)) return 0;
    return (signed char)fminf(fmaxf(q, -128.0f), 127.0f);
}

__global__ void quantize4(const float* x, int8_t* q, int64_t n, int64_t packs, float scale) {
    const int64_t t = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (t < packs) {
        const float4 v = reinterpret_cast<const float4*>(x)[t];
        reinterpret_cast<char4*>(q)[t] = make_char4(quantize(v.x, scale), quantize(v.y, scale), quantize(v.z, scale), quantize(v.w, scale));
        return;
    }
    const int64_t i = 4 * packs + (t - packs);
    if (i < n) q[i] = quantize(x[i], scale);
}

extern "C" void launch(const float* x /* [n] */, int8_t* q /* [n] */, int64_t n, float scale = 0.5f, int block_size = 256, cudaStream_t stream = 0) {
    const int64_t packs = (uintptr_t)x % 16 == 0 && (uintptr_t)q % 4 == 0 ? n / 4 : 0;
    const int64_t threads = n - 3 * packs;
    quantize4<<<(unsigned)((threads + block_size - 1) / block_size), block_size, 0, stream>>>(x, q, n, packs, scale);
}
"""
)

# Somebody who ports from Numba: four loads are on their way before the first one is used.
FLIGHT = (
    HEADER
    + """\
__global__ void to_half(const __nv_bfloat16* src, half* dst, int64_t n) {
    const int64_t start = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;  // cuda.grid(1)
    const int64_t stride = (int64_t)gridDim.x * blockDim.x;                // cuda.gridsize(1)
    for (int64_t i = start; i < n; i += 4 * stride) {
        float v[4];
        for (int k = 0; k < 4; ++k) {
            const int64_t j = i + k * stride;
            if (j < n) v[k] = __bfloat162float(src[j]);
        }
        for (int k = 0; k < 4; ++k) {
            const int64_t j = i + k * stride;
            if (j < n) dst[j] = __float2half(v[k]);
        }
    }
}

extern "C" void launch(const __nv_bfloat16* src /* [n] */, half* dst /* [n] */, int64_t n, int block_size = 64, cudaStream_t stream = 0) {
    to_half<<<7, block_size, 0, stream>>>(src, dst, n);
}
"""
)

# A C programmer who knows that a float between would round first, and counts down.
COUNTS = (
    HEADER
    + """\
__device__ __nv_bfloat16 rounded(int v)
{
    unsigned m = v < 0 ? 0u - (unsigned)v : (unsigned)v;
    if (m >> 24) /* too many bits for a float: one of them says whether there were more */
        m = (m & ~0xffu) | (unsigned)((m & 0xffu) != 0) << 8;
    float f = (float)m;
    return __float2bfloat16(v < 0 ? -f : f);
}

__global__ void convert(const int *in, __nv_bfloat16 *out, int64_t n)
{
    int64_t t = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    int64_t step = (int64_t)gridDim.x * blockDim.x;
    for (int64_t i = n - 1 - t; i >= 0; i -= step)
        out[i] = rounded(in[i]);
}

extern "C" void launch(const int *in /* [n] */, __nv_bfloat16 *out /* [n] */, int64_t n, int block_size = 160, cudaStream_t stream = 0)
{
    convert<<<10, block_size, 0, stream>>>(in, out, n);
}
"""
)

# ---- activations -----------------------------------------------------------------------------

# A beginner who has heard of more work a thread: one number in each half of the array.
HALVES = (
    HEADER
    + """\
__device__ float elu(float v, float alpha) {
    return v > 0.0f ? v : alpha * expm1f(v);
}

__global__ void elu_two(const float* x, float* y, int64_t n, int64_t half_n, float alpha) {
    int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= half_n) return;
    y[i] = elu(x[i], alpha);
    int64_t j = i + half_n;
    if (j < n) y[j] = elu(x[j], alpha);
}

extern "C" void launch(const float* x /* [n] */, float* y /* [n] */, int64_t n, float alpha = 1.0f, int block_size = 256, cudaStream_t stream = 0) {
    int64_t half_n = (n + 1) / 2;
    int64_t blocks = (half_n + block_size - 1) / block_size;
    elu_two<<<(unsigned)blocks, block_size, 0, stream>>>(x, y, n, half_n, alpha);
}
"""
)

# Somebody who serves language models: a gate and what passes it, in pairs.
GATED = (
    HEADER
    + """\
__device__ __nv_bfloat16 gated(float gate, float up) {
    const double g = gate;
    return __float2bfloat16((float)(g / (1.0 + exp(-g)) * up));
}

__global__ void swiglu(const __nv_bfloat16* gate, const __nv_bfloat16* up, __nv_bfloat16* out, int64_t n, int64_t pairs) {
    const int64_t t = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    const int64_t step = (int64_t)gridDim.x * blockDim.x;
    for (int64_t p = t; p < pairs; p += step) {
        const __nv_bfloat162 g = reinterpret_cast<const __nv_bfloat162*>(gate)[p];
        const __nv_bfloat162 u = reinterpret_cast<const __nv_bfloat162*>(up)[p];
        __nv_bfloat162 r;
        r.x = gated(__bfloat162float(g.x), __bfloat162float(u.x));
        r.y = gated(__bfloat162float(g.y), __bfloat162float(u.y));
        reinterpret_cast<__nv_bfloat162*>(out)[p] = r;
    }
    for (int64_t i = 2 * pairs + t; i < n; i += step) out[i] = gated(__bfloat162float(gate[i]), __bfloat162float(up[i]));
}

extern "C" void launch(const __nv_bfloat16* gate /* [n] */, const __nv_bfloat16* up /* [n] */, __nv_bfloat16* out /* [n] */, int64_t n, int block_size = 128, cudaStream_t stream = 0) {
    const uintptr_t bits = (uintptr_t)gate | (uintptr_t)up | (uintptr_t)out;
    const int64_t pairs = bits % 4 == 0 ? n / 2 : 0;
    swiglu<<<10, block_size, 0, stream>>>(gate, up, out, n, pairs);
}
"""
)

# Somebody who is fond of macros: four numbers a thread, a block's width from each other.
MACROS = (
    HEADER
    + """\
#define CLAMP(v, low, high) ((v) < (low) ? (low) : (v) > (high) ? (high) : (v))
#define HARDSWISH(v) ((v) * CLAMP((v) + 3.0f, 0.0f, 6.0f) / 6.0f)
#define PER_THREAD 4

__global__ void hardswish(const half *x, half *y, int64_t n)
{
    int64_t first = (int64_t)blockIdx.x * blockDim.x * PER_THREAD + threadIdx.x;
    for (int k = 0; k < PER_THREAD; k++) {
        int64_t i = first + (int64_t)k * blockDim.x;
        if (i < n)
            y[i] = __float2half(HARDSWISH(__half2float(x[i])));
    }
}

extern "C" void launch(const half *x /* [n] */, half *y /* [n] */, int64_t n, int block_size = 192, cudaStream_t stream = 0)
{
    int64_t share = (int64_t)block_size * PER_THREAD;
    hardswish<<<(unsigned)((n + share - 1) / share), block_size, 0, stream>>>(x, y, n);
}
"""
)

# ---- sums and maxima -------------------------------------------------------------------------

# A beginner after the lecture: a tree in each block, and one thread that adds what blocks have.
PARTIALS = (
    HEADER
    + """\
constexpr int MOST = 40;  // blocks

__global__ void first(const float* x, double* partials, int64_t n) {
    extern __shared__ double s[];
    int t = threadIdx.x;
    double mine = 0.0;
    int64_t step = (int64_t)gridDim.x * blockDim.x;
    for (int64_t i = (int64_t)blockIdx.x * blockDim.x + t; i < n; i += step) mine += x[i];
    s[t] = mine;
    __syncthreads();
    int power = 1;
    while (power < blockDim.x) power *= 2;
    for (int d = power / 2; d > 0; d /= 2) {
        if (t < d && t + d < blockDim.x) s[t] += s[t + d];
        __syncthreads();
    }
    if (t == 0) partials[blockIdx.x] = s[0];
}

__global__ void second(const double* partials, float* out, int count) {
    double sum = 0.0;
    for (int b = 0; b < count; b++) sum += partials[b];
    *out = (float)sum;
}

extern "C" void launch(const float* x /* [n] */, float* out /* [1] */, int64_t n, int block_size = 200, cudaStream_t stream = 0) {
    int64_t blocks = (n + block_size - 1) / block_size;
    if (blocks > MOST) blocks = MOST;
    if (blocks < 1) blocks = 1;
    double* partials = nullptr;
    cudaMallocAsync((void**)&partials, blocks * sizeof(double), stream);
    first<<<(unsigned)blocks, block_size, block_size * sizeof(double), stream>>>(x, partials, n);
    second<<<1, 1, 0, stream>>>(partials, out, (int)blocks);
    cudaFreeAsync(partials, stream);
}
"""
)

# A C programmer who has seen the toolkit's samples: the block that comes last adds all up.
TICKET = (
    HEADER
    + """\
typedef unsigned long long u64;

enum { BLOCKS = 30 };

struct Scratch {
    long long of_block[BLOCKS];
    unsigned done;
};

__global__ void sum_ints(const int *x, int64_t *out, int64_t n, Scratch *s)
{
    __shared__ u64 total;
    __shared__ bool last;
    if (threadIdx.x == 0)
        total = 0;
    __syncthreads();
    long long mine = 0;
    int64_t step = (int64_t)gridDim.x * blockDim.x;
    for (int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += step)
        mine += x[i];
    atomicAdd(&total, (u64)mine);
    __syncthreads();
    if (threadIdx.x == 0) {
        s->of_block[blockIdx.x] = (long long)total;
        __threadfence();
        last = atomicAdd(&s->done, 1u) == gridDim.x - 1;
    }
    __syncthreads();
    if (last && threadIdx.x == 0) {
        __threadfence();
        long long all = 0;
        for (int b = 0; b < BLOCKS; b++)
            all += ((volatile long long *)s->of_block)[b];
        *out = all;
    }
}

extern "C" void launch(const int *x /* [n] */, int64_t *out /* [1] */, int64_t n, int block_size = 160, cudaStream_t stream = 0)
{
    Scratch *s = 0;
    cudaMallocAsync((void **)&s, sizeof(Scratch), stream);
    cudaMemsetAsync(s, 0, sizeof(Scratch), stream);
    sum_ints<<<BLOCKS, block_size, 0, stream>>>(x, out, n, s);
    cudaFreeAsync(s, stream);
}
"""
)

# A reader of papers: one block of whole warps, and bits of which two numbers are made.
WORDS = (
    HEADER
    + """\
__device__ double warp_sum(double v) {
    for (int d = 16; d > 0; d /= 2) v += __shfl_down_sync(0xffffffffu, v, d);
    return v;
}

__device__ float lower(unsigned w) { return __uint_as_float(w << 16); }
__device__ float upper(unsigned w) { return __uint_as_float(w & 0xffff0000u); }

__global__ void sum_words(const __nv_bfloat16* x, float* out, int64_t n, int64_t packs) {
    __shared__ double of_warp[32];
    const int t = threadIdx.x, lane = t % 32, warp = t / 32, warps = blockDim.x / 32;
    double mine = 0.0;
    for (int64_t p = t; p < packs; p += blockDim.x) {
        const uint4 w = reinterpret_cast<const uint4*>(x)[p];
        mine += (double)lower(w.x) + upper(w.x) + lower(w.y) + upper(w.y);
        mine += (double)lower(w.z) + upper(w.z) + lower(w.w) + upper(w.w);
    }
    for (int64_t i = 8 * packs + t; i < n; i += blockDim.x) mine += __bfloat162float(x[i]);
    mine = warp_sum(mine);
    if (lane == 0) of_warp[warp] = mine;
    __syncthreads();
    if (warp > 0) return;
    mine = warp_sum(lane < warps ? of_warp[lane] : 0.0);
    if (lane == 0) *out = (float)mine;
}

extern "C" void launch(const __nv_bfloat16* x /* [n] */, float* out /* [1] */, int64_t n, int block_size = 512, cudaStream_t stream = 0) {
    const int threads = (block_size + 31) / 32 * 32;
    const int64_t packs = (uintptr_t)x % 16 == 0 ? n / 8 : 0;
    sum_words<<<1, threads, 0, stream>>>(x, out, n, packs);
}
"""
)

# A reader of a paper on radix sort: as keys without a sign, floats are in order.
KEYS = (
    HEADER
    + """\
__device__ unsigned key_of(float v) {
    const unsigned u = __float_as_uint(v);
    if (isnan(v)) return 0xffffffffu;
    return u & 0x80000000u ? ~u : u | 0x80000000u;
}

__device__ float of_key(unsigned k) { return __uint_as_float(k & 0x80000000u ? k & 0x7fffffffu : ~k); }

__global__ void begin(unsigned* key) { *key = key_of(-INFINITY); }

__global__ void find(const float* x, unsigned* key, int64_t n) {
    const int64_t t = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    const int64_t step = (int64_t)gridDim.x * blockDim.x;
    unsigned best = key_of(-INFINITY);
    for (int64_t i = t; i < n; i += step) best = max(best, key_of(x[i]));
    for (int d = 16; d > 0; d /= 2) best = max(best, __shfl_down_sync(0xffffffffu, best, d));
    if (threadIdx.x % 32 == 0) atomicMax(key, best);
}

__global__ void end(float* out) { *out = of_key(__float_as_uint(*out)); }

extern "C" void launch(const float* x /* [n] */, float* out /* [1] */, int64_t n, int block_size = 128, cudaStream_t stream = 0) {
    const int threads = (block_size + 31) / 32 * 32;
    begin<<<1, 1, 0, stream>>>((unsigned*)out);
    find<<<5, threads, 0, stream>>>(x, (unsigned*)out, n);
    end<<<1, 1, 0, stream>>>(out);
}
"""
)

# A C programmer who needs a scale: the largest magnitude, found in bits without their sign.
AMAX = (
    HEADER
    + """\
__global__ void amax(const uint16_t *x, unsigned *out, int64_t n, int64_t words)
{
    __shared__ unsigned most;
    if (threadIdx.x == 0)
        most = 0;
    __syncthreads();
    int64_t t = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    int64_t step = (int64_t)gridDim.x * blockDim.x;
    unsigned best = 0;
    for (int64_t w = t; w < words; w += step) {
        unsigned two = ((const unsigned *)x)[w];
        best = max(best, max(two & 0x7fffu, two >> 16 & 0x7fffu));
    }
    for (int64_t i = 2 * words + t; i < n; i += step)
        best = max(best, x[i] & 0x7fffu);
    atomicMax(&most, best);
    __syncthreads();
    if (threadIdx.x == 0) {
        float f = __half2float(__ushort_as_half((unsigned short)most));
        atomicMax(out, __float_as_uint(f));
    }
}

extern "C" void launch(const half *x /* [n] */, float *out /* [1] */, int64_t n, int block_size = 224, cudaStream_t stream = 0)
{
    int64_t words = (uintptr_t)x % 4 == 0 ? n / 2 : 0;
    cudaMemsetAsync(out, 0, sizeof(float), stream);
    amax<<<6, block_size, 0, stream>>>((const uint16_t *)x, (unsigned *)out, n, words);
}
"""
)


def _add(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    return a.double() + b.double()


def _brighter(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    return (a.double() + b.double()).clamp(max=255)


def _same(x: torch.Tensor) -> torch.Tensor:
    return x.double()


def _swiglu(gate: torch.Tensor, up: torch.Tensor) -> torch.Tensor:
    g = gate.double()
    return g / (1 + torch.exp(-g)) * up.double()


def _hardswish(x: torch.Tensor) -> torch.Tensor:
    v = x.double()
    return v * (v + 3).clamp(0, 6) / 6


def _eight_bits(x: torch.Tensor) -> torch.Tensor:
    """Round whole numbers once to the eight bits of a bfloat16."""
    mantissa, exponent = torch.frexp(x.double())
    return torch.ldexp((mantissa * 256).round(), exponent - 8)


def _whole(low: int, high: int, n: int, seed: int) -> torch.Tensor:
    return torch.randint(low, high, (n,), generator=torch.Generator().manual_seed(seed))


def _strange(x: torch.Tensor) -> torch.Tensor:
    """Put NaN, infinities and both zeros to places of their own."""
    y = x.clone()
    for k, value in enumerate((float("-inf"), float("inf"), float("nan"), -0.0, 0.0)):
        y[(k + 1) * len(y) // 6] = value
    return y


def _slice(x: torch.Tensor) -> torch.Tensor:
    """Return the same numbers at an address that is one element past a round one."""
    return torch.cat((x[:1], x))[1:]


def terms(launcher: Launcher) -> Iterator[Case]:
    """Add three arrays of whole, huge, tiny and strange numbers, with several factors."""
    for n in (1, 2, 31, 127, 129, 1000, 2**24 + 1):
        large = n > 2**20
        a, b, c = (_whole(-99, 100, n, n + k).float() for k in range(3))
        kinds = [("whole numbers", a, b, c)]
        if not large:
            kinds += [
                ("infinities and NaN in a", _strange(a), b, c),
                ("infinities and NaN in c", a, b, _strange(c)),
                ("minus zero", *[torch.full_like(a, -0.0)] * 3),
                ("huge numbers", a * 2.0**120, b * -(2.0**120), c * 2.0**119),
                ("large and small", a * 2.0**24, b / 128, c * -(2.0**24)),
            ]
        factors = ((1.0, 1.0, 1.0), (1.0, -0.3, 0.7), (2.0, 0.5, 0.0), (0.0, 1.0, 3.0))
        for times in factors[:1] if large else factors:
            for block_size in (128,) if large else (128, 33, 1):
                names = ("alpha", "beta", "gamma")
                scalars = {**dict(zip(names, times, strict=True)), "block_size": block_size}
                f, g, h = (torch.tensor(v).double() for v in times)
                for label, x, y, z in kinds:
                    right = f * x.double() + g * y.double() + h * z.double()
                    words = f"n = {n:,}, factors {times}, block_size = {block_size}, {label}"
                    yield Case(words, (x, y, z), (right,), scalars, dtypes=(torch.float32,))


def quantized(launcher: Launcher) -> Iterator[Case]:
    """Quantize ties, large and strange numbers with several scales; and a slice of them."""
    for n in (1, 3, 4, 31, 257, 1026, 5003):
        x = _whole(-300, 301, n, n).float()
        inputs = (
            ("whole numbers", x),
            ("ties and more than fits", x * 0.75),
            ("huge numbers", x * 1e30),
            ("infinities and NaN", _strange(x)),
            ("a slice", _slice(x)),
        )
        for scale in (0.5, 2.0, 3.0, 0.1, 14.0):
            for block_size in (256, 48):
                for label, y in inputs:
                    q = torch.round(y / torch.tensor(scale)).double()
                    right = torch.nan_to_num(q.clamp(-128, 127), nan=0.0)
                    words = f"n = {n:,}, scale = {scale}, block_size = {block_size}, {label}"
                    scalars = {"scale": scale, "block_size": block_size}
                    yield Case(words, (y,), (right,), scalars, dtypes=(torch.int8,))


def counts(launcher: Launcher) -> Iterator[Case]:
    """Convert small integers, any ones, extreme ones, and those next to a tie."""
    for n in (1, 2, 31, 161, 1700, 5002):
        x = _whole(-(2**31), 2**31, n, n)
        extreme = x.clone()
        extreme[0], extreme[n // 2], extreme[n - 1] = 2**31 - 1, 2**24 - 1, -(2**31)
        ties = (x & 0xFF0000 | 2**24) + 2**16 + _whole(-1, 2, n, n + 1)
        inputs = (
            ("small", x % 1000 - 500),
            ("any", x),
            ("extreme", extreme),
            ("ties", ties),
            ("large ties", ties * -32 + _whole(-1, 2, n, n + 2)),
        )
        for block_size in (160, 7, 1024):
            for label, y in inputs:
                words = f"n = {n:,}, block_size = {block_size}, {label}"
                scalars, right = {"block_size": block_size}, _eight_bits(y)
                yield Case(words, (y.int(),), (right,), scalars, dtypes=(torch.bfloat16,))


def slopes(launcher: Launcher) -> Iterator[Case]:
    """Apply ELU to numbers near zero, large ones, infinities and NaN, with several alphas."""
    for n in (1, 2, 3, 31, 513, 1024, 5003):
        x = _whole(-2560, 2561, n, n).float() / 256
        kinds = (
            ("numbers up to 10", x),
            ("numbers up to 1,000", x * 100),
            ("near zero", x * 2.0**-20),
            ("infinities and NaN", _strange(x)),
        )
        for alpha in (1.0, 0.25, 3.5):
            for block_size in (256, 40):
                for label, y in kinds:
                    v = y.double()
                    right = torch.where(v > 0, v, torch.tensor(alpha).double() * torch.expm1(v))
                    words = f"n = {n:,}, alpha = {alpha}, block_size = {block_size}, {label}"
                    scalars = {"alpha": alpha, "block_size": block_size}
                    yield Case(words, (y,), (right,), scalars, dtypes=(torch.float32,), ulp=2)


def _totals(dtype: torch.dtype, kinds, block_sizes: tuple) -> Iterator[Case]:
    for label, x, right in kinds:
        for block_size in block_sizes:
            words = f"n = {len(x):,}, block_size = {block_size}, {label}"
            scalars = {"block_size": block_size}
            yield Case(words, (x,), (right.double().reshape(1),), scalars, dtypes=(dtype,))


def integers(launcher: Launcher) -> Iterator[Case]:
    """Add small integers, only large ones, only the last one."""
    for n in (1, 2, 31, 161, 4801, 30_011):
        x = _whole(-99, 100, n, n).int()
        last = x * 0
        last[-1] = -7
        every = (("small", x), ("large", x.abs() + 2_000_000_000), ("the last one only", last))
        kinds = [(label, y, y.long().sum()) for label, y in every]
        yield from _totals(torch.int64, kinds, (160, 33, 1024))


def bfloats(launcher: Launcher) -> Iterator[Case]:
    """Add whole numbers, one of many signs; infinity or NaN somewhere; and a slice."""
    for n in (1, 7, 8, 31, 513, 8200, 20_003):
        x = _whole(-100, 101, n, n).bfloat16()
        broken, infinite = x.clone(), x.clone()
        broken[n // 2], infinite[n // 3] = float("nan"), float("inf")
        every = (
            ("whole numbers", x),
            ("positive", x.abs() + 3),
            ("NaN", broken),
            ("infinity", infinite),
            ("a slice", _slice(x)),
        )
        kinds = [(label, y, y.double().sum()) for label, y in every]
        yield from _totals(torch.float32, kinds, (512, 32, 100, 1024))


def magnitudes(launcher: Launcher) -> Iterator[Case]:
    """Find the largest magnitude of negative numbers, tiny ones, infinity, NaN; and a slice."""
    for n in (1, 2, 31, 449, 1345, 20_003):
        x = (_whole(-2000, 2001, n, n) / 16).half()
        broken, infinite, last = x.clone(), x.clone(), x.clone()
        broken[n // 2], infinite[n // 3], last[-1] = float("nan"), float("-inf"), -300
        every = (
            ("numbers", x),
            ("negative", -x.abs()),
            ("zeros", x * 0),
            ("tiny", x * 2.0**-20),
            ("NaN", broken),
            ("infinity", infinite),
            ("the last one", last),
            ("a slice", _slice(last)),
        )
        kinds = [(label, y, y.double().abs().max()) for label, y in every]
        yield from _totals(torch.float32, kinds, (224, 20, 1024))


BASES = {
    "xxv_add_peeled": Base(PEELED, {"reference": _add}),
    "xxv_add_images": Base(IMAGES, {"reference": _brighter}),
    "xxv_add_terms": Base(TERMS, {"cases": terms}),
    "xxv_cast_quant": Base(QUANT, {"cases": quantized}),
    "xxv_cast_flight": Base(FLIGHT, {"reference": _same}),
    "xxv_cast_counts": Base(COUNTS, {"cases": counts}),
    "xxv_act_halves": Base(HALVES, {"cases": slopes}),
    "xxv_act_gated": Base(GATED, {"reference": _swiglu, "ulp": 1}),
    "xxv_act_macros": Base(MACROS, {"reference": _hardswish, "ulp": 1}),
    "xxv_sum_partials": Base(PARTIALS, cases="sums"),
    "xxv_sum_ticket": Base(TICKET, {"cases": integers}),
    "xxv_sum_words": Base(WORDS, {"cases": bfloats}),
    "xxv_max_keys": Base(KEYS, cases="whole_array", function=torch.max),
    "xxv_max_amax": Base(AMAX, {"cases": magnitudes}),
    **twentyfifth_arrays.BASES,
}

WRONG = (
    # ---- additions
    # What is left up to the round address is counted in bytes.
    Wrong(
        "xxv_add_peeled_head_in_bytes",
        "xxv_add_peeled",
        "alignment",
        ("(16 - skew) % 16 / sizeof(__nv_bfloat16)", "(16 - skew) % 16"),
    ),
    # As many are left as if nothing had been peeled off.
    Wrong(
        "xxv_add_peeled_rest_of_n",
        "xxv_add_peeled",
        "tail / bounds / unwritten / left out | alignment",
        ("packs + t; i < n; i += step", "packs + t; i < head + 8 * packs + n % 8; i += step"),
    ),
    # Few elements may end before the round address comes.
    Wrong(
        "xxv_add_peeled_head_too_long",
        "xxv_add_peeled",
        "bounds | alignment / tail",
        ("    if (head > n) head = n;\n", ""),
    ),
    # The loop was written for a pack of four floats.
    Wrong(
        "xxv_add_peeled_four_of_eight",
        "xxv_add_peeled",
        "left out / copy | alignment / tail / other element",
        ("k < 8; ++k", "k < 4; ++k"),
    ),
    # A sum above 255 begins again from zero, among those that are left.
    Wrong(
        "xxv_add_images_rest_wraps",
        "xxv_add_images",
        "whole range / infinity | tail / alignment / numbers / narrow",
        ("sum > 255 ? 255 : sum", "(uint8_t)sum"),
    ),
    # The pieces are rounded down, so that the last words belong to nobody.
    Wrong(
        "xxv_add_images_pieces_down",
        "xxv_add_images",
        "unwritten / left out / tail | grid / block size / alignment",
        ("(words + threads - 1) / threads", "words / threads"),
    ),
    # The last pieces are as long as all the others.
    Wrong(
        "xxv_add_images_piece_past_end",
        "xxv_add_images",
        "bounds | tail / grid / alignment / block size",
        ("    if (end > words)\n        end = words;\n", ""),
    ),
    # In C, + comes before &.
    Wrong(
        "xxv_add_images_plus_first",
        "xxv_add_images",
        "function / numbers / whole range / other element | left out / alignment",
        ("(x & M) + (y & M)", "x & M + y & M"),
    ),
    # A sum begins with 0, so minus zero and minus zero are zero.
    Wrong(
        "xxv_add_terms_from_zero",
        "xxv_add_terms",
        "sign of zero | start / numbers",
        ("double sum = (double)terms.times[0] * terms.of[0][gid];", "double sum = 0.0;"),
        ("int k = 1; k < 3", "int k = 0; k < 3"),
    ),
    # One factor was forgotten where the struct is filled, and is 0.
    Wrong(
        "xxv_add_terms_factor_unset",
        "xxv_add_terms",
        "left out / function | numbers / nan / infinity / sign of zero / start",
        ("{alpha, beta, gamma}", "{alpha, beta}"),
    ),
    # As in BLAS, nothing is read if the factor is 0; but 0 times infinity is NaN.
    Wrong(
        "xxv_add_terms_skip_zero_factor",
        "xxv_add_terms",
        "nan / infinity | left out / numbers / sign of zero / function",
        ("        sum +=", "        if (terms.times[k] == 0.0f) continue;\n        sum +="),
    ),
    # The quotient goes through a float, which does not know 2^24 + 1.
    Wrong(
        "xxv_add_terms_ceilf",
        "xxv_add_terms",
        "precision / tail / unwritten / narrow / left out | grid / rounding",
        ("((n + block_size - 1) / block_size)", "ceilf((float)n / block_size)"),
    ),
    # Rounded up after it was rounded down.
    Wrong(
        "xxv_add_terms_ceil_of_integers",
        "xxv_add_terms",
        "tail / unwritten / left out / refused / grid | block size",
        ("((n + block_size - 1) / block_size)", "ceil((double)(n / block_size))"),
    ),
    # ---- casts
    # A multiplication is faster, but the reciprocal has been rounded.
    Wrong(
        "xxv_cast_quant_reciprocal",
        "xxv_cast_quant",
        "rounding / precision | numbers",
        ("rintf(v / scale)", "rintf(v * (1.0f / scale))"),
    ),
    # From above it is clamped, from below not.
    Wrong(
        "xxv_cast_quant_one_side",
        "xxv_cast_quant",
        "whole range / infinity | numbers / sign of zero / function",
        ("(signed char)fminf(fmaxf(q, -128.0f), 127.0f)", "(signed char)(int)fminf(q, 127.0f)"),
    ),
    # fmaxf makes a NaN to the lowest number.
    Wrong(
        "xxv_cast_quant_nan_lowest",
        "xxv_cast_quant",
        "nan | numbers",
        ("    if (isnan(q)) return 0;\n", ""),
    ),
    # The address must be a multiple of four, of what?
    Wrong(
        "xxv_cast_quant_four_bytes",
        "xxv_cast_quant",
        "alignment",
        ("(uintptr_t)x % 16 == 0", "(uintptr_t)x % 4 == 0"),
    ),
    # Of a line that was copied, a letter was not changed.
    Wrong(
        "xxv_cast_quant_y_again",
        "xxv_cast_quant",
        "other element / left out / twice / neighbour | alignment / tail",
        ("quantize(v.z, scale)", "quantize(v.y, scale)"),
    ),
    # All four must have a place, else none is cast.
    Wrong(
        "xxv_cast_flight_all_four",
        "xxv_cast_flight",
        "tail / unwritten / left out | block size / grid",
        ("i = start; i < n; i += 4", "i = start; i + 3 * stride < n; i += 4"),
    ),
    # Subnormal halves are slow, somebody has said.
    Wrong(
        "xxv_cast_flight_flushed",
        "xxv_cast_flight",
        "subnormal | numbers / sign of zero / precision",
        ("__float2half(v[k])", "__float2half(fabsf(v[k]) < 6.103515625e-5f ? 0.0f : v[k])"),
    ),
    # Both have 16 bits, so these are taken over.
    Wrong(
        "xxv_cast_flight_same_bits",
        "xxv_cast_flight",
        "function / numbers / copy / whole range | precision / rounding / infinity / nan / subnormal",
        ("__bfloat162float(src[j])", "__half2float(((const half*)src)[j])"),
    ),
    # A small array should be in fast memory; there, all threads of the block share it.
    Wrong(
        "xxv_cast_flight_shared_four",
        "xxv_cast_flight",
        "race / other element | numbers / block size / twice",
        ("        float v[4];", "        __shared__ float v[4];"),
    ),
    # Integers of more than 24 bits are rounded to a float, and then again.
    Wrong(
        "xxv_cast_counts_rounded_twice",
        "xxv_cast_counts",
        "rounding / precision | numbers",
        ("v < 0 ? -f : f", "(float)v"),
    ),
    # In C, != comes before &, and only the lowest bit is asked for.
    Wrong(
        "xxv_cast_counts_lowest_bit",
        "xxv_cast_counts",
        "rounding / precision | numbers",
        ("(unsigned)((m & 0xffu) != 0)", "(unsigned)(m & 0xffu != 0)"),
    ),
    # The magnitude is an int, and the lowest int has none.
    Wrong(
        "xxv_cast_counts_abs",
        "xxv_cast_counts",
        "whole range / numbers / infinity | function / narrow",
        ("unsigned m = v < 0 ? 0u - (unsigned)v : (unsigned)v;", "int m = abs(v);"),
    ),
    # An index is never negative, so it has no sign; then it is always 0 or more.
    Wrong(
        "xxv_cast_counts_never_negative",
        "xxv_cast_counts",
        "bounds / timeout / whole range | narrow / tail",
        ("for (int64_t i = n - 1 - t;", "for (uint64_t i = n - 1 - t;"),
    ),
    # ---- activations
    # Near zero, an exponential is nearly 1, and few digits are left.
    Wrong(
        "xxv_act_halves_minus_one",
        "xxv_act_halves",
        "precision / rounding | numbers / subnormal / sign of zero / function",
        ("alpha * expm1f(v);", "alpha * (expf(v) - 1.0f);"),
    ),
    # Without a branch: fmaxf makes 0 of a NaN, and fminf as well.
    Wrong(
        "xxv_act_halves_two_clamps",
        "xxv_act_halves",
        "nan / sign of zero | numbers",
        ("v > 0.0f ? v : alpha * expm1f(v)", "fmaxf(v, 0.0f) + alpha * expm1f(fminf(v, 0.0f))"),
    ),
    # Without a branch: what is not wanted is multiplied by 0, even infinity.
    Wrong(
        "xxv_act_halves_times_mask",
        "xxv_act_halves",
        "nan / infinity | numbers / whole range / sign of zero",
        ("v > 0.0f ? v : alpha * expm1f(v)", "(v > 0) * v + (v <= 0) * alpha * expm1f(v)"),
    ),
    # The parameter is there, the formula is the one for alpha = 1.
    Wrong(
        "xxv_act_halves_alpha_unused",
        "xxv_act_halves",
        "left out / function | numbers",
        ("v : alpha * expm1f(v)", "v : expm1f(v)"),
    ),
    # The exponential is a float, which ends at exp(88).
    Wrong(
        "xxv_act_gated_float_exp",
        "xxv_act_gated",
        "infinity / whole range / precision / subnormal | numbers / rounding / sign of zero / nan / copy / function",
        ("exp(-g)", "expf(-gate)"),
    ),
    # The second one passes the first one.
    Wrong(
        "xxv_act_gated_swapped",
        "xxv_act_gated",
        "swapped | function / numbers",
        ("gated(float gate, float up)", "gated(float up, float gate)"),
    ),
    # It is the sigmoid, not the function that has its name from it.
    Wrong(
        "xxv_act_gated_sigmoid",
        "xxv_act_gated",
        "function / left out | numbers / infinity / nan / sign of zero / whole range / subnormal",
        ("(float)(g / (", "(float)(1.0 / ("),
    ),
    # Of a line that was copied, one of the letters was not changed.
    Wrong(
        "xxv_act_gated_x_again",
        "xxv_act_gated",
        "other element / left out / twice / neighbour | alignment / tail / swapped",
        ("__bfloat162float(u.y)", "__bfloat162float(u.x)"),
    ),
    # Bits that all of the addresses have, where those of any of them are needed.
    Wrong(
        "xxv_act_gated_and",
        "xxv_act_gated",
        "alignment",
        ("(uintptr_t)gate | (uintptr_t)up | (", "(uintptr_t)gate & (uintptr_t)up & ("),
    ),
    # A macro without parentheses: what stands before it becomes a part of the question.
    Wrong(
        "xxv_act_macros_no_parentheses",
        "xxv_act_macros",
        "function / numbers | infinity / nan / sign of zero / whole range / precision / left out / copy",
        (
            "((v) < (low) ? (low) : (v) > (high) ? (high) : (v))",
            "v < low ? low : v > high ? high : v",
        ),
    ),
    # The sixth part is taken of integers.
    Wrong(
        "xxv_act_macros_sixth",
        "xxv_act_macros",
        "function / copy / left out | rounding / numbers / nan / infinity",
        ("6.0f) / 6.0f)", "6.0f) * (1 / 6))"),
    ),
    # A semicolon ends the question.
    Wrong(
        "xxv_act_macros_semicolon",
        "xxv_act_macros",
        "bounds | tail",
        ("        if (i < n)\n", "        if (i < n);\n"),
    ),
    # The product is a half, which ends at 65,504 before it is divided.
    Wrong(
        "xxv_act_macros_product_is_half",
        "xxv_act_macros",
        "infinity / whole range | precision / rounding / numbers / subnormal / function / nan",
        (
            "((v) * CLAMP((v) + 3.0f, 0.0f, 6.0f) /",
            "(__half2float(__float2half((v) * CLAMP((v) + 3.0f, 0.0f, 6.0f))) /",
        ),
    ),
    # ---- sums
    # The tree is for powers of two.
    Wrong(
        "xxv_sum_partials_power_of_two",
        "xxv_sum_partials",
        "block size / left out | numbers / nan / infinity",
        ("    while (power < blockDim.x) power *= 2;\n", "    power = blockDim.x;\n"),
    ),
    # All partial sums that there may be are added, also those that are not there.
    Wrong(
        "xxv_sum_partials_most",
        "xxv_sum_partials",
        "bounds / start / grid | state / numbers / block size / unwritten",
        ("partials, out, (int)blocks)", "partials, out, MOST)"),
    ),
    # Memory is taken at the first call, for as many blocks as that one has.
    Wrong(
        "xxv_sum_partials_memory_of_first_call",
        "xxv_sum_partials",
        "state / bounds | grid / block size",
        ("    double* partials = nullptr;\n", "    static double* partials = nullptr;\n"),
        ("    cudaMallocAsync(", "    if (!partials) cudaMallocAsync("),
        ("    cudaFreeAsync(partials, stream);\n", ""),
    ),
    # The size of the pointer, not that of what it points to.
    Wrong(
        "xxv_sum_ticket_size_of_pointer",
        "xxv_sum_ticket",
        "zero before / start / unwritten / state | race",
        ("0, sizeof(Scratch), stream", "0, sizeof(s), stream"),
    ),
    # The counter gives what was before, and is never that high.
    Wrong(
        "xxv_sum_ticket_never_last",
        "xxv_sum_ticket",
        "unwritten / left out | grid / race",
        ("== gridDim.x - 1;", "== gridDim.x;"),
    ),
    # An int for a thread's sum.
    Wrong(
        "xxv_sum_ticket_int",
        "xxv_sum_ticket",
        "whole range / narrow / infinity | numbers",
        ("long long mine = 0;", "int mine = 0;"),
    ),
    # Without a fence the counter may be seen earlier than the sum.
    Wrong(
        "xxv_sum_ticket_no_fence",
        "xxv_sum_ticket",
        "race | start / zero before / left out / state",
        ("(long long)total;\n        __threadfence();\n", "(long long)total;\n"),
    ),
    # The scratch memory is kept, and the counter goes on from where it was.
    Wrong(
        "xxv_sum_ticket_kept",
        "xxv_sum_ticket",
        "state / zero before / start | unwritten / left out",
        ("    Scratch *s = 0;\n", "    static Scratch *s = 0;\n    if (!s) {\n"),
        ("    sum_ints<<<", "    }\n    sum_ints<<<"),
        ("    cudaFreeAsync(s, stream);\n", ""),
    ),
    # Every block that has an earlier number than the last one is taken to be done.
    Wrong(
        "xxv_sum_ticket_last_number",
        "xxv_sum_ticket",
        "race | left out / start / zero before / grid",
        ("atomicAdd(&s->done, 1u) ==", "blockIdx.x =="),
    ),
    # The lower number is not cut off from the upper one, and adds bits below it.
    Wrong(
        "xxv_sum_words_upper_uncut",
        "xxv_sum_words",
        "precision / rounding / other element / nan | numbers / infinity / alignment / left out",
        ("__uint_as_float(w & 0xffff0000u)", "__uint_as_float(w)"),
    ),
    # There are 32 places, and as many are read as there are lanes.
    Wrong(
        "xxv_sum_words_all_places",
        "xxv_sum_words",
        "start / block size / unwritten / zero before | numbers / state / nan / bounds / race",
        ("lane < warps ? of_warp[lane] : 0.0", "of_warp[lane]"),
    ),
    # The first warp does not wait for the others.
    Wrong(
        "xxv_sum_words_first_warp_ahead",
        "xxv_sum_words",
        "race | start / left out / unwritten / numbers / block size",
        ("    __syncthreads();\n", ""),
    ),
    # There are seven left at most, one thought: all are left if the address is odd.
    Wrong(
        "xxv_sum_words_seven_left",
        "xxv_sum_words",
        "left out / alignment / tail | numbers / nan / infinity / block size",
        (
            "for (int64_t i = 8 * packs + t; i < n; i += blockDim.x) mine += __bfloat162float(x[i]);",
            "if (t < n % 8) mine += __bfloat162float(x[n - 1 - t]);",
        ),
    ),
    # ---- maxima
    # A NaN is no number, and gets the lowest key.
    Wrong(
        "xxv_max_keys_nan_lowest",
        "xxv_max_keys",
        "nan | numbers",
        ("return 0xffffffffu;", "return 0u;"),
    ),
    # Only the sign is turned: of two negative numbers the smaller one has the larger key.
    Wrong(
        "xxv_max_keys_sign_only",
        "xxv_max_keys",
        "numbers / function / start / copy | infinity / whole range / other element / nan / left out",
        ("? ~u : u |", "? u ^ 0x80000000u : u |"),
        ("k & 0x7fffffffu : ~k)", "k & 0x7fffffffu : k ^ 0x80000000u)"),
    ),
    # The key of zero is in the middle of all of them.
    Wrong(
        "xxv_max_keys_from_zero",
        "xxv_max_keys",
        "start / numbers | copy / infinity",
        ("unsigned best = key_of(-INFINITY)", "unsigned best = key_of(0.0f)"),
    ),
    # With a sign, keys of positive numbers are the lowest ones.
    Wrong(
        "xxv_max_keys_with_a_sign",
        "xxv_max_keys",
        "numbers / function / whole range / start | copy / infinity / nan / other element / left out",
        ("atomicMax(key, best);", "atomicMax((int*)key, (int)best);"),
    ),
    # Shuffled up, the maximum is in the last lane, and the first one writes.
    Wrong(
        "xxv_max_keys_wrong_end",
        "xxv_max_keys",
        "left out / other element | numbers / nan / infinity / swapped / block size / start",
        ("__shfl_down_sync", "__shfl_up_sync"),
    ),
    # Each thread begins with an element of its own, whether there is one or not.
    Wrong(
        "xxv_max_keys_own_first",
        "xxv_max_keys",
        "bounds | tail / start / grid / block size",
        ("unsigned best = key_of(-INFINITY);", "unsigned best = key_of(x[t]);"),
    ),
    # Each block turns the key into a number when it is done, and others go on with that.
    Wrong(
        "xxv_max_keys_turned_by_blocks",
        "xxv_max_keys",
        "race / twice / grid | numbers / function / start / nan / infinity / other element / block size / left out",
        (
            "    if (threadIdx.x % 32 == 0) atomicMax(key, best);\n",
            "    if (threadIdx.x % 32 == 0) atomicMax(key, best);\n    __syncthreads();\n    if (threadIdx.x == 0) *key = __float_as_uint(of_key(*key));\n",
        ),
        ("    end<<<1, 1, 0, stream>>>(out);\n", ""),
    ),
    # The upper one keeps its sign, which is the highest bit.
    Wrong(
        "xxv_max_amax_upper_sign",
        "xxv_max_amax",
        "numbers / function / sign of zero | alignment / left out / other element / infinity / nan / whole range",
        ("two >> 16 & 0x7fffu", "two >> 16"),
    ),
    # The output has been zero so far, as torch.zeros has made it.
    Wrong(
        "xxv_max_amax_never_zero",
        "xxv_max_amax",
        "zero before / state / start | numbers / copy / unwritten",
        ("    cudaMemsetAsync(out, 0, sizeof(float), stream);\n", ""),
    ),
    # Shared memory is thought to be zero.
    Wrong(
        "xxv_max_amax_shared_unset",
        "xxv_max_amax",
        "start / zero before / unwritten | race / state / numbers",
        ("    if (threadIdx.x == 0)\n        most = 0;\n", ""),
    ),
    # One is left if the number is odd, but without words all are left.
    Wrong(
        "xxv_max_amax_odd_one",
        "xxv_max_amax",
        "left out / alignment / tail | numbers / nan / infinity",
        (
            "for (int64_t i = 2 * words + t; i < n; i += step)",
            "for (int64_t i = n - 1; t == 0 && n % 2 && i < n; i++)",
        ),
    ),
    # The magnitude of an integer: a negative half is no complement of a positive one.
    Wrong(
        "xxv_max_amax_complement",
        "xxv_max_amax",
        "numbers / function | infinity / nan / alignment / sign of zero / whole range / tail",
        ("two & 0x7fffu,", "(unsigned)abs((int16_t)(two & 0xffffu)),"),
    ),
    # The bits of a half are written as if they were those of a float.
    Wrong(
        "xxv_max_amax_bits_of_half",
        "xxv_max_amax",
        "function / numbers | subnormal / whole range / infinity / nan / precision / unwritten",
        ("atomicMax(out, __float_as_uint(f));", "atomicMax(out, most);"),
    ),
    *twentyfifth_arrays.WRONG,
)

RIGHT = (
    # The rest begins too early: some are added again, with the same result.
    Right(
        "xxv_add_peeled_rest_overlaps",
        "xxv_add_peeled",
        ("int64_t i = head + 8 * packs + t;", "int64_t i = 8 * packs + t;"),
    ),
    # From a round address on, eight are peeled off as well.
    Right(
        "xxv_add_peeled_eight_at_least_one",
        "xxv_add_peeled",
        ("(16 - skew) % 16 / sizeof", "(16 - skew) / sizeof"),
    ),
    # Number of blocks and block size are swapped, which the loops do not mind.
    Right(
        "xxv_add_peeled_launch_swapped",
        "xxv_add_peeled",
        ("<<<11, block_size,", "<<<block_size, 11,"),
    ),
    # In C, == comes before &: there are never any words, and all are single ones.
    Right("xxv_add_images_never_words", "xxv_add_images", ("(bits & 3) == 0", "bits & 3 == 0")),
    # A sum past 255 is known by being below what it was made of.
    Right(
        "xxv_add_images_wrapped_is_less",
        "xxv_add_images",
        ("sum > 255 ? 255 : sum", "(uint8_t)sum < b[i] ? 255 : (uint8_t)sum"),
    ),
    # The product of two floats is exact in a double: one rounding or two are the same.
    Right(
        "xxv_add_terms_fma",
        "xxv_add_terms",
        (
            "sum += (double)terms.times[k] * terms.of[k][gid];",
            "sum = fma((double)terms.of[k][gid], (double)terms.times[k], sum);",
        ),
    ),
    # Each number is cast up to four times.
    Right("xxv_cast_flight_again", "xxv_cast_flight", ("i += 4 * stride", "i += stride")),
    # Neighbours are in different blocks.
    Right(
        "xxv_cast_flight_across_blocks",
        "xxv_cast_flight",
        ("blockIdx.x * blockDim.x + threadIdx.x;", "threadIdx.x * gridDim.x + blockIdx.x;"),
    ),
    # 255 more than the lowest bits carries, if there are any.
    Right(
        "xxv_cast_counts_carry",
        "xxv_cast_counts",
        (
            "(m & ~0xffu) | (unsigned)((m & 0xffu) != 0) << 8",
            "(m | (m & 0xffu) + 0xffu) & ~0xffu",
        ),
    ),
    # The second one is counted from the end: two threads write the middle one of an odd number.
    Right(
        "xxv_act_halves_overlap",
        "xxv_act_halves",
        ("int64_t j = i + half_n;", "int64_t j = n - 1 - i;"),
    ),
    # With a hyperbolic tangent of the half in a double; negative gates by the exponential.
    Right(
        "xxv_act_gated_two_sided",
        "xxv_act_gated",
        ("g / (1.0 + exp(-g))", "(g > 0 ? g * (0.5 + 0.5 * tanh(g / 2)) : g / (1 + exp(-g)))"),
    ),
    # All of the tree's distances twice as long as needed: the first one has nobody.
    Right(
        "xxv_sum_partials_one_level_more",
        "xxv_sum_partials",
        ("int d = power / 2; d > 0", "int d = power; d > 0"),
    ),
    # Whether a block is the last one is known only to the thread that needs it.
    Right(
        "xxv_sum_ticket_own_last",
        "xxv_sum_ticket",
        ("    __shared__ bool last;\n", "    bool last = false;\n"),
        ("    __syncthreads();\n    if (last", "    if (last"),
    ),
    # Shifted down and up again; and neighbours are added first.
    Right(
        "xxv_sum_words_shifted",
        "xxv_sum_words",
        ("w & 0xffff0000u", "w >> 16 << 16"),
        ("int d = 16; d > 0; d /= 2", "int d = 1; d < 32; d += d"),
    ),
    # Each thread begins with the first element, which is counted often.
    Right(
        "xxv_max_keys_first_for_all",
        "xxv_max_keys",
        ("best = key_of(-INFINITY)", "best = key_of(n > 0 ? x[0] : -INFINITY)"),
    ),
    # All lanes bring what they have, which is never above the maximum.
    Right(
        "xxv_max_keys_no_first_question",
        "xxv_max_keys",
        ("if (threadIdx.x % 32 == 0) atomicMax", "atomicMax"),
    ),
    # Doubled bits have no sign any more.
    Right("xxv_max_amax_doubled", "xxv_max_amax", ("two >> 16 & 0x7fffu", "two << 1 >> 17")),
    *twentyfifth_arrays.RIGHT,
)
