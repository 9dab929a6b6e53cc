"""Hold a twenty-first family: additions, casts, activations, sums and maxima of whole arrays.

The causes were written before a member was judged. On the emulator each member ran beside
PyTorch: bases and right ones are right, and 64 of the 72 wrong ones wrong or refused by a
fault. The other eight are wrong by reasoning:

    xxi_ranks_int_begin, xxi_peeled_int_thread, xxi_samples_int_left     from 2^31 elements on
    xxi_scaled_rest_no_stream, xxi_sigmoid_no_stream,
    xxi_keys_finish_no_stream               if the caller's stream is not the default one
    xxi_sum_zero_by_first_block, xxi_sum_plain_addition   if blocks run at the same time

One of the 66, xxi_keys_signed_nan, needs a NaN with a sign.
"""

# ruff: noqa: E501 (a line of a kernel stands in one line)
from __future__ import annotations

from collections.abc import Iterator

import torch

from helpers.run.launcher import Launcher
from helpers.testing.cases import Case
from tests.testing.family import twentyfirst_arrays
from tests.testing.family.elementwise import HEADER
from tests.testing.family.table import Base, Right, Wrong

# ---- additions -------------------------------------------------------------------------------

# Someone from MPI: each block is a rank, and has its own interval of the arrays.
RANKS = (
    HEADER
    + """\
#define RANKS 48

__global__ void add_ranks(const float *a, const float *b, float *out, int64_t n)
{
    int64_t rank = blockIdx.x, size = gridDim.x;
    int64_t share = (n + size - 1) / size;
    int64_t begin = rank * share;
    int64_t end = begin + share < n ? begin + share : n;
    for (int64_t i = begin + threadIdx.x; i < end; i += blockDim.x)
        out[i] = a[i] + b[i];
}

extern "C" void launch(const float *a,  // [n]
                       const float *b,  // [n]
                       float *out,      // [n]
                       int64_t n, int block_size = 256, cudaStream_t stream = 0)
{
    add_ranks<<<RANKS, block_size, 0, stream>>>(a, b, out, n);
}
"""
)

# A careful engineer: pairs of halves where all three addresses allow them, then what is left.
SCALED = (
    HEADER
    + """\
__device__ float scaled(float a, float b, float alpha) { return fmaf(alpha, b, a); }

__global__ void add_pairs(const half2* a, const half2* b, half2* out, int64_t pairs, float alpha) {
    const int64_t i = int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i >= pairs) return;
    const float2 p = __half22float2(a[i]);
    const float2 q = __half22float2(b[i]);
    out[i] = __floats2half2_rn(scaled(p.x, q.x, alpha), scaled(p.y, q.y, alpha));
}

__global__ void add_singles(const half* a, const half* b, half* out, int64_t count, float alpha) {
    const int64_t i = int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i < count) out[i] = __float2half_rn(scaled(__half2float(a[i]), __half2float(b[i]), alpha));
}

unsigned blocks_for(int64_t threads, int block_size) { return unsigned((threads + block_size - 1) / block_size); }

extern "C" void launch(const half* a,  // [n]
                       const half* b,  // [n]
                       half* out,      // [n]
                       int64_t n, float alpha = 1.0f, int block_size = 128, cudaStream_t stream = 0) {
    const bool even = (uintptr_t(a) | uintptr_t(b) | uintptr_t(out)) % 4 == 0;
    const int64_t pairs = even ? n / 2 : 0;
    const int64_t done = 2 * pairs, rest = n - done;
    if (pairs > 0) {
        add_pairs<<<blocks_for(pairs, block_size), block_size, 0, stream>>>(
            (const half2*)a, (const half2*)b, (half2*)out, pairs, alpha);
    }
    if (rest > 0) {
        add_singles<<<blocks_for(rest, block_size), block_size, 0, stream>>>(
            a + done, b + done, out + done, rest, alpha);
    }
}
"""
)

# Someone who has seen how a framework does it: load four, then store four. A double holds the
# sum of three halves exactly.
ADD3 = (
    HEADER
    + """\
#define VT 4  // elements a thread

__global__ void add3(const half* a, const half* b, const half* c, half* out, int64_t n) {
    const int64_t first = (int64_t)blockIdx.x * blockDim.x * VT + threadIdx.x;
    double sum[VT];
    for (int k = 0; k < VT; ++k) {
        const int64_t from = first + (int64_t)k * blockDim.x;
        if (from < n) {
            sum[k] = (double)__half2float(a[from]) + (double)__half2float(b[from]) + (double)__half2float(c[from]);
        }
    }
    for (int j = 0; j < VT; ++j) {
        const int64_t to = first + (int64_t)j * blockDim.x;
        if (to < n) out[to] = __float2half((float)sum[j]);
    }
}

extern "C" void launch(const half* a,  // [n]
                       const half* b,  // [n]
                       const half* c,  // [n]
                       half* out,      // [n]
                       int64_t n, int block_size = 64, cudaStream_t stream = 0) {
    const int64_t per_block = (int64_t)block_size * VT;
    add3<<<(unsigned)((n + per_block - 1) / per_block), block_size, 0, stream>>>(a, b, c, out, n);
}
"""
)

# Someone from embedded imaging: two pictures, four bytes in a word, and white stays white.
BRIGHTER = (
    HEADER
    + """\
static __device__ uint32_t add4(uint32_t a, uint32_t b)
{
    uint32_t word = 0;
    for (int s = 0; s < 32; s += 8) {
        uint32_t sum = (a >> s & 0xffu) + (b >> s & 0xffu);
        word |= (sum > 255u ? 255u : sum) << s;
    }
    return word;
}

__global__ void brighter(const uint8_t *a, const uint8_t *b, uint8_t *out, int64_t words, int64_t n)
{
    int64_t t = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    int64_t rest = n - 4 * words;
    if (t < words)
        ((uint32_t *)out)[t] = add4(((const uint32_t *)a)[t], ((const uint32_t *)b)[t]);
    if (t < rest) {
        int64_t i = 4 * words + t;
        int sum = a[i] + b[i];
        out[i] = (uint8_t)(sum > 255 ? 255 : sum);
    }
}

extern "C" void launch(const uint8_t *a,  // [n]
                       const uint8_t *b,  // [n]
                       uint8_t *out,      // [n]
                       int64_t n, int block_size = 192, cudaStream_t stream = 0)
{
    int in_words = (((uintptr_t)a | (uintptr_t)b | (uintptr_t)out) & 3) == 0;
    int64_t words = in_words ? n / 4 : 0;
    int64_t rest = n - 4 * words;
    int64_t threads = words > rest ? words : rest;
    brighter<<<(unsigned)((threads + block_size - 1) / block_size), block_size, 0, stream>>>(a, b, out, words, n);
}
"""
)

# ---- casts -----------------------------------------------------------------------------------

# A tuner who peels: the odd half in front has a thread of its own, then come round pairs.
PEELED = (
    HEADER
    + """\
__global__ void narrow(const float* in, half* out, int64_t n, int head) {
    const int64_t t = int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
    const int64_t i = 2 * t - head;
    if (i >= 0 && i + 1 < n) {
        *reinterpret_cast<half2*>(out + i) = __floats2half2_rn(in[i], in[i + 1]);
    } else {
        const int64_t alone = i < 0 ? 0 : i;
        if (alone < n) out[alone] = __float2half_rn(in[alone]);
    }
}

extern "C" void launch(const float* in,  // [n]
                       half* out,        // [n]
                       int64_t n, int block_size = 256, cudaStream_t stream = 0) {
    const int head = reinterpret_cast<uintptr_t>(out) % 4 / 2;
    const int64_t threads = (n + head + 1) / 2;
    narrow<<<static_cast<unsigned>((threads + block_size - 1) / block_size), block_size, 0, stream>>>(in, out, n, head);
}
"""
)

# A C programmer who counts down: toward zero, the ends of the range for what lies outside.
TO_INT = (
    HEADER
    + """\
#include <climits>

__device__ int whole(float v)
{
    if (v != v)
        return 0;
    if (v >= 2147483648.0f)
        return INT_MAX;
    if (v < -2147483648.0f)
        return INT_MIN;
    return (int)v;
}

__global__ void to_int(const float *x, int *y, int64_t n)
{
    int64_t t = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    int64_t step = (int64_t)gridDim.x * blockDim.x;
    for (int64_t i = n - 1 - t; i >= 0; i -= step)
        y[i] = whole(x[i]);
}

extern "C" void launch(const float *x,  // [n]
                       int *y,          // [n]
                       int64_t n, int block_size = 320, cudaStream_t stream = 0)
{
    int64_t blocks = (n + block_size - 1) / block_size;
    if (blocks > 36)
        blocks = 36;
    to_int<<<(unsigned)blocks, block_size, 0, stream>>>(x, y, n);
}
"""
)

# Someone from audio: samples between -1 and 1, four for a thread.
SAMPLES = (
    HEADER
    + """\
__global__ void to_unit(const int16_t* pcm, half* unit, int64_t n, bool packed) {
    const int64_t at = 4 * (int64_t(blockIdx.x) * blockDim.x + threadIdx.x);
    if (at >= n) return;
    const int count = n - at < 4 ? int(n - at) : 4;
    alignas(8) int16_t sample[4];
    alignas(8) half level[4];
    if (packed && count == 4) {
        *reinterpret_cast<short4*>(sample) = *reinterpret_cast<const short4*>(pcm + at);
    } else {
        for (int k = 0; k < count; ++k) sample[k] = pcm[at + k];
    }
    for (int k = 0; k < count; ++k) level[k] = __float2half_rn(sample[k] * (1.0f / 32768.0f));
    if (packed && count == 4) {
        *reinterpret_cast<uint2*>(unit + at) = *reinterpret_cast<uint2*>(level);
    } else {
        for (int k = 0; k < count; ++k) unit[at + k] = level[k];
    }
}

extern "C" void launch(const int16_t* pcm,  // [n]
                       half* unit,          // [n]
                       int64_t n, int block_size = 96, cudaStream_t stream = 0) {
    const bool packed = (uintptr_t(pcm) | uintptr_t(unit)) % 8 == 0;
    const int64_t threads = (n + 3) / 4;
    to_unit<<<unsigned((threads + block_size - 1) / block_size), block_size, 0, stream>>>(pcm, unit, n, packed);
}
"""
)

# ---- activations -----------------------------------------------------------------------------

# A careful engineer: any function of one number, two of them in flight.
ELU = (
    HEADER
    + """\
struct Elu {
    float alpha;
    __device__ float operator()(float v) const { return v > 0.0f ? v : alpha * expm1f(v); }
};

template <typename F>
__global__ void map(const float* x, float* y, int64_t n, F f) {
    const int64_t step = int64_t(gridDim.x) * blockDim.x;
    int64_t i = int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
    for (; i + step < n; i += 2 * step) {
        const float p = x[i];
        const float q = x[i + step];
        y[i] = f(p);
        y[i + step] = f(q);
    }
    if (i < n) y[i] = f(x[i]);
}

extern "C" void launch(const float* x,  // [n]
                       float* y,        // [n]
                       int64_t n, int block_size = 128, cudaStream_t stream = 0) {
    const int64_t most = 14, needed = (n + block_size - 1) / block_size;
    map<<<unsigned(needed < most ? needed : most), block_size, 0, stream>>>(x, y, n, Elu{1.0f / 2});
}
"""
)

# A beginner: one thread for one element.
SIGMOID = (
    HEADER
    + """\
__device__ float sigmoid(float v) {
    return 1.0f / (1.0f + expf(-v));
}

__global__ void sigmoid_kernel(const half* x, half* y, int64_t n) {
    int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float v = __half2float(x[i]);
        y[i] = __float2half(sigmoid(v));
    }
}

extern "C" void launch(const half* x,  // [n]
                       half* y,        // [n]
                       int64_t n, int block_size = 256, cudaStream_t stream = 0) {
    int64_t blocks = (n + block_size - 1) / block_size;
    sigmoid_kernel<<<(unsigned)blocks, block_size, 0, stream>>>(x, y, n);
}
"""
)

# Someone from vector units of CPUs: a thread is a lane with a run of neighbours.
HARDSWISH = (
    HEADER
    + """\
#define RUN 8

__device__ float hardswish(float v)
{
    if (v <= -3.0f)
        return 0.0f;
    if (v >= 3.0f)
        return v;
    return v * (v + 3.0f) / 6.0f;
}

__global__ void runs(const __nv_bfloat16 *x, __nv_bfloat16 *y, int64_t n)
{
    int64_t first = RUN * ((int64_t)blockIdx.x * blockDim.x + threadIdx.x);
    int64_t end = first + RUN < n ? first + RUN : n;
    for (int64_t i = first; i < end; i++)
        y[i] = __float2bfloat16(hardswish(__bfloat162float(x[i])));
}

extern "C" void launch(const __nv_bfloat16 *x,  // [n]
                       __nv_bfloat16 *y,        // [n]
                       int64_t n, int block_size = 64, cudaStream_t stream = 0)
{
    int64_t threads = (n + RUN - 1) / RUN;
    runs<<<(unsigned)((threads + block_size - 1) / block_size), block_size, 0, stream>>>(x, y, n);
}
"""
)

# ---- sums and maxima -------------------------------------------------------------------------

# A reader of blog posts: shuffles, one number of each warp, one atomic addition of each block.
SUM = (
    HEADER
    + """\
#define FULL_MASK 0xffffffffu

__global__ void add_up(const float* x, float* total, int64_t n) {
    __shared__ float of_warp[32];
    float sum = 0.0f;
    int64_t step = (int64_t)gridDim.x * blockDim.x;
    for (int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += step) {
        sum += x[i];
    }
    for (int d = 16; d > 0; d >>= 1) {
        sum += __shfl_down_sync(FULL_MASK, sum, d);
    }
    if (threadIdx.x % 32 == 0) {
        of_warp[threadIdx.x / 32] = sum;
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        float of_block = 0.0f;
        int warps = (blockDim.x + 31) / 32;
        for (int w = 0; w < warps; ++w) {
            of_block += of_warp[w];
        }
        atomicAdd(total, of_block);
    }
}

extern "C" void launch(const float* x,  // [n]
                       float* total,    // [1]
                       int64_t n, int block_size = 256, cudaStream_t stream = 0) {
    int threads = (block_size + 31) / 32 * 32;  // whole warps
    int64_t blocks = (n + threads - 1) / threads;
    if (blocks < 1) blocks = 1;
    if (blocks > 40) blocks = 40;
    cudaMemsetAsync(total, 0, sizeof(float), stream);
    add_up<<<(unsigned)blocks, threads, 0, stream>>>(x, total, n);
}
"""
)

# Someone who has written a radix sort: keys are ordered as the numbers are, NaN at the end.
KEYS = (
    HEADER
    + """\
constexpr int kThreads = 128;
constexpr int kBlocks = 6;
constexpr unsigned kSign = 0x80000000u;

__device__ unsigned key(float v) {
    if (v != v) return 0xffffffffu;
    const unsigned u = __float_as_uint(v);
    return u & kSign ? ~u : u | kSign;
}

__device__ float number(unsigned k) { return __uint_as_float(k & kSign ? k & ~kSign : ~k); }

__global__ void begin(unsigned* cell) { *cell = key(-INFINITY); }

__global__ void find(const float* x, unsigned* cell, int64_t n) {
    const int64_t t = int64_t(blockIdx.x) * kThreads + threadIdx.x;
    unsigned best = key(-INFINITY);
    for (int64_t i = t; i < n; i += kBlocks * kThreads) best = max(best, key(x[i]));
    atomicMax(cell, best);
}

__global__ void finish(float* out) { *out = number(*reinterpret_cast<unsigned*>(out)); }

extern "C" void launch(const float* x,  // [n]
                       float* out,      // [1]
                       int64_t n, cudaStream_t stream = 0) {
    unsigned* cell = reinterpret_cast<unsigned*>(out);
    begin<<<1, 1, 0, stream>>>(cell);
    find<<<kBlocks, kThreads, 0, stream>>>(x, cell, n);
    finish<<<1, 1, 0, stream>>>(out);
}
"""
)

# A friend of votes: how many flags are set. All lanes of a warp come to each vote.
FLAGS = (
    HEADER
    + """\
constexpr int kThreads = 96;

__global__ void count_set(const uint8_t* flags, unsigned long long* total, int64_t n) {
    const int64_t step = int64_t(gridDim.x) * kThreads;
    const int64_t whole_warps = (n + 31) / 32 * 32;
    unsigned long long seen = 0;
    for (int64_t i = int64_t(blockIdx.x) * kThreads + threadIdx.x; i < whole_warps; i += step) {
        const unsigned votes = __ballot_sync(0xffffffffu, i < n && flags[i] != 0);
        seen += __popc(votes);
    }
    if (threadIdx.x % 32 == 0) atomicAdd(total, seen);
}

extern "C" void launch(const uint8_t* flags,  // [n]
                       int64_t* total,        // [1]
                       int64_t n, cudaStream_t stream = 0) {
    int64_t blocks = (n + kThreads - 1) / kThreads;
    if (blocks < 1) blocks = 1;
    if (blocks > 8) blocks = 8;
    cudaMemsetAsync(total, 0, sizeof(int64_t), stream);
    count_set<<<unsigned(blocks), kThreads, 0, stream>>>(flags, (unsigned long long*)total, n);
}
"""
)

# A C programmer: one block, four numbers a load where the address allows it, and a tree whose
# steps double.
LARGEST = (
    HEADER
    + """\
#include <climits>

extern __shared__ int best[];

__global__ void largest(const int *x, int *out, int64_t n, int64_t fours)
{
    int t = threadIdx.x, size = blockDim.x;
    int mine = INT_MIN;
    for (int64_t i = t; i < fours; i += size) {
        int4 v = ((const int4 *)x)[i];
        mine = max(mine, max(max(v.x, v.y), max(v.z, v.w)));
    }
    for (int64_t i = 4 * fours + t; i < n; i += size)
        mine = max(mine, x[i]);
    best[t] = mine;
    for (int s = 1; s < size; s *= 2) {
        __syncthreads();
        if (t % (2 * s) == 0 && t + s < size)
            best[t] = max(best[t], best[t + s]);
    }
    if (t == 0)
        *out = best[0];
}

extern "C" void launch(const int *x,  // [n]
                       int *out,      // [1]
                       int64_t n, int block_size = 256, cudaStream_t stream = 0)
{
    int64_t fours = (uintptr_t)x % 16 == 0 ? n / 4 : 0;
    largest<<<1, block_size, block_size * sizeof(int), stream>>>(x, out, n, fours);
}
"""
)


def _add(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    return a.double() + b.double()


def _add3(a: torch.Tensor, b: torch.Tensor, c: torch.Tensor) -> torch.Tensor:
    return a.double() + b.double() + c.double()


def _brighter(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    return (a.double() + b.double()).clamp(max=255)


def _same(x: torch.Tensor) -> torch.Tensor:
    return x.double()


def _to_int(x: torch.Tensor) -> torch.Tensor:
    whole = x.double().trunc().clamp(-(2**31), 2**31 - 1)
    return torch.where(whole.isnan(), 0.0, whole)


def _samples(pcm: torch.Tensor) -> torch.Tensor:
    return pcm.double() / 32768


def _elu(x: torch.Tensor) -> torch.Tensor:
    return torch.where(x > 0, x.double(), torch.expm1(x.double()) / 2)


def _sigmoid(x: torch.Tensor) -> torch.Tensor:
    return torch.sigmoid(x.double())


def _hardswish(x: torch.Tensor) -> torch.Tensor:
    v = x.double()
    return torch.where(v <= -3, 0.0, torch.where(v >= 3, v, v * (v + 3) / 6))


def _whole(low: int, high: int, n: int, seed: int) -> torch.Tensor:
    return torch.randint(low, high, (n,), generator=torch.Generator().manual_seed(seed))


def scaled(launcher: Launcher) -> Iterator[Case]:
    """Add whole numbers times a factor, which need not be a half, and infinities and NaN."""
    for n in (1, 2, 33, 256, 511, 1024, 5001):
        a = _whole(-8, 9, n, n).half()
        b = _whole(-8, 9, n, n + 1).half()
        strange = b.clone()
        strange[n // 2], strange[n // 3] = float("nan"), float("inf")
        for alpha in (1.0, 2049.0, -0.5, 0.0):
            for label, other in (("whole numbers", b), ("infinity and NaN", strange)):
                yield Case(
                    f"n = {n:,}, alpha = {alpha}, {label}",
                    (a, other),
                    (a.double() + alpha * other.double(),),
                    {"alpha": alpha},
                    dtypes=(torch.float16,),
                )


def flags(launcher: Launcher) -> Iterator[Case]:
    """Count flags: of 0 and 1, of any byte, none, and all."""
    for n in (1, 31, 32, 96, 97, 1000, 50_001):
        bits = _whole(0, 2, n, n).to(torch.uint8)
        kinds = (
            ("0 and 1", bits),
            ("any bytes", bits * _whole(0, 256, n, n + 1).to(torch.uint8)),
            ("none", bits * 0),
            ("all", bits * 0 + 255),
        )
        for label, x in kinds:
            right = (x != 0).sum().double().reshape(1)
            yield Case(f"n = {n:,}, {label}", (x,), (right,), dtypes=(torch.int64,))


def largest(launcher: Launcher) -> Iterator[Case]:
    """Find the largest of small and large integers, of negative ones, and each at any place."""
    for n in (1, 3, 31, 256, 257, 1027, 20_002):
        for block_size in (256, 96, 77, 1024):
            kinds = [
                ("all of int32", _whole(-(2**31), 2**31, n, n)),
                ("large ones that are near", _whole(2**30, 2**30 + 60, n, n)),
                ("negative ones", _whole(-999, -9, n, n)),
                ("the least one only", _whole(-(2**31), 1 - 2**31, n, n)),
            ]
            for place in sorted({0, n // 2, n - 1}):
                x = _whole(-99, 99, n, n)
                x[place] = 1000
                kinds.append((f"the largest at {place}", x))
            for label, x in kinds:
                yield Case(
                    f"n = {n:,}, block_size = {block_size}, {label}",
                    (x.int(),),
                    (x.max().double().reshape(1),),
                    {"block_size": block_size},
                    dtypes=(torch.int32,),
                )


BASES = {
    "xxi_ranks": Base(RANKS, {"reference": _add}),
    "xxi_scaled": Base(SCALED, {"cases": scaled}),
    "xxi_add3": Base(ADD3, {"reference": _add3, "ulp": 1}),
    "xxi_brighter": Base(BRIGHTER, {"reference": _brighter}),
    "xxi_peeled": Base(PEELED, {"reference": _same}),
    "xxi_to_int": Base(TO_INT, {"reference": _to_int}),
    "xxi_samples": Base(SAMPLES, {"reference": _samples}),
    "xxi_elu": Base(ELU, {"reference": _elu, "ulp": 2}),
    "xxi_sigmoid": Base(SIGMOID, {"reference": _sigmoid, "ulp": 1}),
    "xxi_hardswish": Base(HARDSWISH, {"reference": _hardswish, "ulp": 1}),
    "xxi_sum": Base(SUM, cases="sums"),
    "xxi_keys": Base(KEYS, cases="whole_array", function=torch.max),
    "xxi_flags": Base(FLAGS, {"cases": flags}),
    "xxi_largest": Base(LARGEST, {"cases": largest}),
    **twentyfirst_arrays.BASES,
}

# What several edits replace.
BYTE_BY_BYTE = """\
    uint32_t word = 0;
    for (int s = 0; s < 32; s += 8) {
        uint32_t sum = (a >> s & 0xffu) + (b >> s & 0xffu);
        word |= (sum > 255u ? 255u : sum) << s;
    }
    return word;
"""
CLAMPED = """\
    if (v >= 2147483648.0f)
        return INT_MAX;
    if (v < -2147483648.0f)
        return INT_MIN;
    return (int)v;
"""

WRONG = (
    # ---- additions
    # What a division leaves over belongs to no rank.
    Wrong(
        "xxi_ranks_rounded_down",
        "xxi_ranks",
        "tail / left out / unwritten | grid",
        ("(n + size - 1) / size", "n / size"),
    ),
    # The end is taken for the last index, as in Fortran; the loop stops before it, as in C.
    Wrong(
        "xxi_ranks_two_ends",
        "xxi_ranks",
        "unwritten / left out | tail",
        (
            "begin + share < n ? begin + share : n;",
            "(begin + share < n ? begin + share : n) - 1;",
        ),
    ),
    # The result is added to what is there, as the partial sums of ranks often are.
    Wrong(
        "xxi_ranks_accumulates",
        "xxi_ranks",
        "zero before / state / start | twice / function / numbers",
        ("out[i] = a[i]", "out[i] += a[i]"),
    ),
    # Where an interval begins is an int: beyond 2^31 elements it is negative.
    Wrong(
        "xxi_ranks_int_begin",
        "xxi_ranks",
        "narrow | bounds / unwritten / left out",
        ("int64_t begin = rank * share;", "int begin = (int)rank * (int)share;"),
    ),
    # The factor becomes a half, as the numbers are.
    Wrong(
        "xxi_scaled_half_factor",
        "xxi_scaled",
        "rounding / precision / narrow | numbers / whole range / infinity / function",
        ("fmaf(alpha, b, a)", "fmaf(__half2float(__float2half(alpha)), b, a)"),
    ),
    # What is left is counted rightly, but sought at the start.
    Wrong(
        "xxi_scaled_rest_at_start",
        "xxi_scaled",
        "tail / unwritten / left out | twice",
        ("a + done, b + done, out + done, rest", "a, b, out, rest"),
    ),
    # The second launch lost its stream.
    Wrong(
        "xxi_scaled_rest_no_stream",
        "xxi_scaled",
        "stream | race / tail",
        (
            "blocks_for(rest, block_size), block_size, 0, stream>>>",
            "blocks_for(rest, block_size), block_size>>>",
        ),
    ),
    # Zero times something is not always zero.
    Wrong(
        "xxi_scaled_nothing_to_add",
        "xxi_scaled",
        "nan / infinity / numbers | left out / copy",
        ("return fmaf(alpha", "return alpha == 0.0f ? a : fmaf(alpha"),
    ),
    # A static variable gets its value once.
    Wrong(
        "xxi_scaled_first_factor",
        "xxi_scaled",
        "state | numbers / function / left out",
        (
            "    const bool even",
            "    static const float factor = alpha;\n    alpha = factor;\n    const bool even",
        ),
    ),
    # Added as halves: rounded, or infinite, before the third one comes.
    Wrong(
        "xxi_add3_in_halves",
        "xxi_add3",
        "rounding / precision / infinity | numbers / whole range",
        (
            "(double)__half2float(a[from]) + (double)__half2float(b[from]) + (double)__half2float(c[from])",
            "__half2float(__hadd(__hadd(a[from], b[from]), c[from]))",
        ),
    ),
    # A thread that has found the end leaves with what it has loaded before.
    Wrong(
        "xxi_add3_leaves",
        "xxi_add3",
        "tail / unwritten / left out",
        ("        if (from < n) {", "        if (from >= n) return;\n        {"),
    ),
    # Loaded a block's width apart, stored side by side.
    Wrong(
        "xxi_add3_other_order",
        "xxi_add3",
        "other element / neighbour | swapped / tail / numbers / start",
        (
            "const int64_t to = first + (int64_t)j * blockDim.x;",
            "const int64_t to = first - threadIdx.x + (int64_t)threadIdx.x * VT + j;",
        ),
    ),
    # Four are loaded, three are stored.
    Wrong(
        "xxi_add3_three_stored",
        "xxi_add3",
        "unwritten / left out | tail",
        ("j < VT;", "j < VT - 1;"),
    ),
    # A carry goes on into the next byte.
    Wrong(
        "xxi_brighter_carries",
        "xxi_brighter",
        "whole range / infinity / other element / neighbour | numbers / left out / narrow",
        (BYTE_BY_BYTE, "    uint32_t sum = a + b;\n    return sum < a ? 0xffffffffu : sum;\n"),
    ),
    # One thread for each word, and none where there are only bytes.
    Wrong(
        "xxi_brighter_threads_for_words",
        "xxi_brighter",
        "grid / refused / unwritten / alignment | tail / left out",
        ("threads = words > rest ? words : rest;", "threads = words;"),
    ),
    # What is left of fours; but where there were no words, all is left.
    Wrong(
        "xxi_brighter_rest_of_four",
        "xxi_brighter",
        "alignment / unwritten / left out | tail",
        ("rest = n - 4 * words;\n    if (t < words)", "rest = n % 4;\n    if (t < words)"),
    ),
    # Only the address that is written is tested.
    Wrong(
        "xxi_brighter_only_out",
        "xxi_brighter",
        "alignment",
        ("((uintptr_t)a | (uintptr_t)b | (uintptr_t)out)", "((uintptr_t)out)"),
    ),
    # The sum is a byte before it is compared with the largest byte.
    Wrong(
        "xxi_brighter_byte_sum",
        "xxi_brighter",
        "tail / whole range / narrow / infinity | numbers / alignment",
        ("int sum = a[i] + b[i];", "uint8_t sum = a[i] + b[i];"),
    ),
    # ---- casts
    # The thread that goes before the pairs is not counted.
    Wrong(
        "xxi_peeled_head_not_counted",
        "xxi_peeled",
        "tail / alignment / unwritten / left out | grid",
        ("(n + head + 1) / 2", "(n + 1) / 2"),
    ),
    # The upper half first, as one writes numbers.
    Wrong(
        "xxi_peeled_upper_first",
        "xxi_peeled",
        "swapped / neighbour / other element",
        ("__floats2half2_rn(in[i], in[i + 1])", "__floats2half2_rn(in[i + 1], in[i])"),
    ),
    # The head is computed from the address of the floats, which is always a multiple of four.
    Wrong(
        "xxi_peeled_input_address",
        "xxi_peeled",
        "alignment",
        ("reinterpret_cast<uintptr_t>(out) % 4 / 2", "reinterpret_cast<uintptr_t>(in) % 4 / 2"),
    ),
    # Two conversions, two ways of rounding.
    Wrong(
        "xxi_peeled_alone_cut",
        "xxi_peeled",
        "rounding / tail | numbers / alignment / precision / infinity",
        ("__float2half_rn(in[alone])", "__float2half_rz(in[alone])"),
    ),
    # The last pair may have one element only.
    Wrong("xxi_peeled_pair_to_n", "xxi_peeled", "bounds | tail", ("i + 1 < n", "i + 1 <= n")),
    # Twice an int is an int: from 2^31 elements on it is negative.
    Wrong(
        "xxi_peeled_int_thread",
        "xxi_peeled",
        "narrow | unwritten / left out",
        (
            "const int64_t t = int64_t(blockIdx.x) * blockDim.x + threadIdx.x;",
            "const int t = blockIdx.x * blockDim.x + threadIdx.x;",
        ),
    ),
    # Down for negative numbers too, as // does it in Python.
    Wrong(
        "xxi_to_int_floor",
        "xxi_to_int",
        "rounding / numbers | function",
        ("return (int)v;", "return (int)floorf(v);"),
    ),
    # 64 bits first: of these the lower 32 are taken, whatever the upper ones are.
    Wrong(
        "xxi_to_int_lower_bits",
        "xxi_to_int",
        "whole range / infinity / narrow | numbers",
        (CLAMPED, "    return (int)(long long)v;\n"),
    ),
    # A NaN becomes what it becomes on a PC.
    Wrong(
        "xxi_to_int_nan_least",
        "xxi_to_int",
        "nan | numbers / whole range",
        ("        return 0;", "        return INT_MIN;"),
    ),
    # Down to the first element, without it.
    Wrong(
        "xxi_to_int_without_first",
        "xxi_to_int",
        "unwritten / left out",
        ("i >= 0;", "i > 0;"),
    ),
    # No unsigned number is below zero.
    Wrong(
        "xxi_to_int_unsigned_index",
        "xxi_to_int",
        "bounds / timeout | whole range",
        ("for (int64_t i = n - 1 - t;", "for (uint64_t i = n - 1 - t;"),
    ),
    # A trick of game programmers: it rounds, and knows small numbers only.
    Wrong(
        "xxi_to_int_magic",
        "xxi_to_int",
        "rounding / whole range / precision / numbers | function / narrow / infinity",
        ("return (int)v;", "return __float_as_int(v + 12582912.0f) - 0x4b400000;"),
    ),
    # The largest sample shall be one; but the base divides by a power of two.
    Wrong(
        "xxi_samples_32767",
        "xxi_samples",
        "function / numbers / precision / rounding | whole range",
        ("(1.0f / 32768.0f)", "(1.0f / 32767.0f)"),
    ),
    # The bits of negative samples are those of large ones.
    Wrong(
        "xxi_samples_unsigned",
        "xxi_samples",
        "whole range / numbers / narrow | function",
        ("alignas(8) int16_t sample", "alignas(8) uint16_t sample"),
    ),
    # How many are left is an int, and in front of 2^31 elements negative.
    Wrong(
        "xxi_samples_int_left",
        "xxi_samples",
        "narrow | unwritten / left out",
        (
            "const int count = n - at < 4 ? int(n - at) : 4;",
            "const int left = int(n - at);\n    const int count = left < 4 ? left : 4;",
        ),
    ),
    # Round addresses are enough for the store, whatever was loaded.
    Wrong(
        "xxi_samples_all_stored",
        "xxi_samples",
        "bounds | tail",
        (
            "if (packed && count == 4) {\n        *reinterpret_cast<uint2*>(unit",
            "if (packed) {\n        *reinterpret_cast<uint2*>(unit",
        ),
    ),
    # What is stored one by one goes to the start.
    Wrong(
        "xxi_samples_rest_at_start",
        "xxi_samples",
        "tail / unwritten / other element / race / left out | alignment / twice",
        ("unit[at + k] = level[k]", "unit[k] = level[k]"),
    ),
    # ---- activations
    # The difference of nearly equal numbers.
    Wrong(
        "xxi_elu_exp_minus_one",
        "xxi_elu",
        "precision | numbers / subnormal / rounding / sign of zero",
        ("expm1f(v)", "(expf(v) - 1.0f)"),
    ),
    # One divided by two is zero in C.
    Wrong(
        "xxi_elu_whole_quotient",
        "xxi_elu",
        "function / numbers / rounding | sign of zero / left out / precision / copy",
        ("1.0f / 2", "1 / 2"),
    ),
    # A formula without a branch: a NaN is neither the larger nor the smaller one.
    Wrong(
        "xxi_elu_no_branch",
        "xxi_elu",
        "nan / sign of zero | numbers",
        (
            "v > 0.0f ? v : alpha * expm1f(v)",
            "fmaxf(v, 0.0f) + alpha * fminf(expm1f(v), 0.0f)",
        ),
    ),
    # Unrolled by two; the second is not tested.
    Wrong(
        "xxi_elu_second_untested",
        "xxi_elu",
        "bounds | tail",
        ("for (; i + step < n;", "for (; i < n;"),
    ),
    # The second is sought next to the first, and stored a step away.
    Wrong(
        "xxi_elu_next_one",
        "xxi_elu",
        "other element / neighbour | numbers",
        ("q = x[i + step];", "q = x[i + 1];"),
    ),
    # The framework's version could work in place, and this one always does.
    Wrong(
        "xxi_elu_in_place",
        "xxi_elu",
        "input | state",
        ("y[i] = f(p);", "y[i] = const_cast<float*>(x)[i] = f(p);"),
    ),
    # A minus is missing: the sigmoid is mirrored.
    Wrong("xxi_sigmoid_mirrored", "xxi_sigmoid", "function / numbers", ("expf(-v)", "expf(v)")),
    # Infinity divided by infinity.
    Wrong(
        "xxi_sigmoid_quotient",
        "xxi_sigmoid",
        "infinity / nan | numbers / whole range",
        ("1.0f / (1.0f + expf(-v))", "expf(v) / (1.0f + expf(v))"),
    ),
    # All in halves: exp(12) is none.
    Wrong(
        "xxi_sigmoid_in_halves",
        "xxi_sigmoid",
        "precision / rounding / infinity | subnormal / numbers / whole range",
        (
            "        float v = __half2float(x[i]);\n        y[i] = __float2half(sigmoid(v));",
            "        half one = __float2half(1.0f);\n        y[i] = __hdiv(one, __hadd(one, hexp(__hneg(x[i]))));",
        ),
    ),
    # First the threads, then the blocks: the other way round it works up to 1,024 blocks.
    Wrong(
        "xxi_sigmoid_launch_turned",
        "xxi_sigmoid",
        "grid / block size / refused | swapped / unwritten",
        ("(unsigned)blocks, block_size, 0", "block_size, (unsigned)blocks, 0"),
    ),
    # The stream came in as a parameter, and never reached the launch.
    Wrong("xxi_sigmoid_no_stream", "xxi_sigmoid", "stream", (", 0, stream>>>", ">>>")),
    # "For stability" what enters is kept between -10 and 10.
    Wrong(
        "xxi_sigmoid_clamped",
        "xxi_sigmoid",
        "numbers / whole range / infinity / function | nan / subnormal / precision",
        ("= __half2float(x[i]);", "= fminf(fmaxf(__half2float(x[i]), -10.0f), 10.0f);"),
    ),
    # The six of relu6 is one of v + 3, not of v.
    Wrong(
        "xxi_hardswish_from_six",
        "xxi_hardswish",
        "function / numbers | whole range",
        ("v >= 3.0f", "v >= 6.0f"),
    ),
    # The formula as it stands in the paper: infinity times zero, and six times too large.
    Wrong(
        "xxi_hardswish_as_printed",
        "xxi_hardswish",
        "infinity / nan / sign of zero | numbers / whole range",
        (
            """\
    if (v <= -3.0f)
        return 0.0f;
    if (v >= 3.0f)
        return v;
    return v * (v + 3.0f) / 6.0f;
""",
            "    return v * fminf(fmaxf(v + 3.0f, 0.0f), 6.0f) / 6.0f;\n",
        ),
    ),
    # The last index, where one behind it is wanted.
    Wrong(
        "xxi_hardswish_to_last",
        "xxi_hardswish",
        "tail / unwritten / left out",
        ("first + RUN : n;", "first + RUN : n - 1;"),
    ),
    # Each step is rounded to 8 bits.
    Wrong(
        "xxi_hardswish_in_bf16",
        "xxi_hardswish",
        "rounding / precision | numbers / infinity",
        (
            "    return v * (v + 3.0f) / 6.0f;",
            "    __nv_bfloat16 b = __float2bfloat16(v);\n    return __bfloat162float(__hmul(b, __hadd(b, __float2bfloat16(3.0f)))) / 6.0f;",
        ),
    ),
    # All results of a run go to its first place.
    Wrong(
        "xxi_hardswish_first_place",
        "xxi_hardswish",
        "unwritten / left out / other element | neighbour",
        ("y[i] =", "y[first] ="),
    ),
    # ---- sums and maxima
    # The first block sets the zero; the others do not wait for it.
    Wrong(
        "xxi_sum_zero_by_first_block",
        "xxi_sum",
        "race / zero before / start | left out / grid",
        ("    cudaMemsetAsync(total, 0, sizeof(float), stream);\n", ""),
        (
            "    float sum = 0.0f;\n",
            "    float sum = 0.0f;\n    if (blockIdx.x == 0 && threadIdx.x == 0) *total = 0.0f;\n    __syncthreads();\n",
        ),
    ),
    # Room for eight warps: no more than 256 threads.
    Wrong(
        "xxi_sum_eight_warps", "xxi_sum", "bounds / block size", ("of_warp[32]", "of_warp[8]")
    ),
    # Two blocks read the same total, and one of their sums is lost.
    Wrong(
        "xxi_sum_plain_addition",
        "xxi_sum",
        "race | left out",
        ("atomicAdd(total, of_block);", "*total += of_block;"),
    ),
    # Four rounds for 32 lanes: 16 are added.
    Wrong(
        "xxi_sum_four_rounds",
        "xxi_sum",
        "left out | numbers / function",
        ("int d = 16", "int d = 8"),
    ),
    # Shuffled upward, but read from the lowest lane.
    Wrong(
        "xxi_sum_upward",
        "xxi_sum",
        "left out / twice / function | numbers / other element",
        ("__shfl_down_sync", "__shfl_up_sync"),
    ),
    # Any block size: the mask names lanes that do not exist.
    Wrong(
        "xxi_sum_ragged_warp",
        "xxi_sum",
        "race / block size | left out / timeout / numbers / refused",
        ("(block_size + 31) / 32 * 32;  // whole warps", "block_size;"),
    ),
    # The bits of a NaN are in order, too: above infinity, or, with a sign, below.
    Wrong(
        "xxi_keys_signed_nan",
        "xxi_keys",
        "nan | numbers",
        ("    if (v != v) return 0xffffffffu;\n", ""),
    ),
    # A maximum that starts from zero.
    Wrong(
        "xxi_keys_from_zero",
        "xxi_keys",
        "start / numbers | left out",
        ("unsigned best = key(-INFINITY);", "unsigned best = key(0.0f);"),
    ),
    # The number is made of the key on another stream.
    Wrong(
        "xxi_keys_finish_no_stream",
        "xxi_keys",
        "stream | race",
        ("finish<<<1, 1, 0, stream>>>", "finish<<<1, 1>>>"),
    ),
    # Each thread starts with an element, though there may be fewer of them.
    Wrong(
        "xxi_keys_from_own",
        "xxi_keys",
        "bounds | start / tail",
        ("unsigned best = key(-INFINITY);", "unsigned best = key(x[t]);"),
    ),
    # Each lane knows the votes of all, and each adds them.
    Wrong(
        "xxi_flags_every_lane",
        "xxi_flags",
        "twice / function | numbers",
        ("if (threadIdx.x % 32 == 0) atomicAdd", "atomicAdd"),
    ),
    # A flag is set if it is not zero, not only if it is one.
    Wrong(
        "xxi_flags_ones",
        "xxi_flags",
        "numbers / left out | function / whole range",
        ("flags[i] != 0", "flags[i] == 1"),
    ),
    # Whether there is a vote, in place of which lanes have one.
    Wrong(
        "xxi_flags_any",
        "xxi_flags",
        "left out / function | numbers",
        ("__ballot_sync", "__any_sync"),
    ),
    # A counter of a byte, to save registers.
    Wrong(
        "xxi_flags_byte_counter",
        "xxi_flags",
        "narrow / whole range / infinity | numbers / left out",
        ("unsigned long long seen = 0;", "unsigned char seen = 0;"),
    ),
    # One barrier in front of the tree, none in it.
    Wrong(
        "xxi_largest_one_barrier",
        "xxi_largest",
        "race | left out / numbers",
        (
            "    for (int s = 1; s < size; s *= 2) {\n        __syncthreads();\n",
            "    __syncthreads();\n    for (int s = 1; s < size; s *= 2) {\n",
        ),
    ),
    # The tree believes that the size is a power of two.
    Wrong(
        "xxi_largest_powers_only",
        "xxi_largest",
        "bounds / block size",
        ("t % (2 * s) == 0 && t + s < size", "t % (2 * s) == 0"),
    ),
    # The least integer is one below the opposite of the largest.
    Wrong(
        "xxi_largest_not_least",
        "xxi_largest",
        "start / numbers | whole range",
        ("int mine = INT_MIN;", "int mine = -INT_MAX;"),
    ),
    # Where there are fours, what is left over is not looked at.
    Wrong(
        "xxi_largest_no_rest",
        "xxi_largest",
        "tail / left out | alignment",
        ("for (int64_t i = 4 * fours + t;", "if (fours == 0) for (int64_t i = t;"),
    ),
    # Four integers need a multiple of 16, not of 8.
    Wrong("xxi_largest_round_8", "xxi_largest", "alignment", ("% 16 == 0", "% 8 == 0")),
    # The function for floats: they have 24 bits.
    Wrong(
        "xxi_largest_as_floats",
        "xxi_largest",
        "precision / rounding | numbers / whole range / infinity",
        (
            "max(mine, max(max(v.x, v.y), max(v.z, v.w)))",
            "fmaxf(mine, fmaxf(fmaxf(v.x, v.y), fmaxf(v.z, v.w)))",
        ),
        ("max(mine, x[i])", "fmaxf(mine, x[i])"),
    ),
    *twentyfirst_arrays.WRONG,
)

RIGHT = (
    # The first block has the last interval.
    Right(
        "xxi_ranks_backward",
        "xxi_ranks",
        ("int64_t begin = rank * share;", "int64_t begin = (size - 1 - rank) * share;"),
    ),
    # A difference from the opposite.
    Right("xxi_ranks_minus_minus", "xxi_ranks", ("a[i] + b[i]", "a[i] - -b[i]")),
    # The product of a float and a half is exact in double precision.
    Right(
        "xxi_scaled_double",
        "xxi_scaled",
        ("fmaf(alpha, b, a)", "(float)((double)alpha * b + a)"),
    ),
    # One block more than is needed, if the last is full.
    Right(
        "xxi_add3_block_more",
        "xxi_add3",
        ("(n + per_block - 1) / per_block", "n / per_block + 1"),
    ),
    # What is kept between the loops has been rounded already.
    Right("xxi_add3_floats_kept", "xxi_add3", ("double sum[VT]", "float sum[VT]")),
    # Four bytes at once: the carries are found from the upper bits, and become whole bytes.
    Right(
        "xxi_brighter_masks",
        "xxi_brighter",
        (
            BYTE_BY_BYTE,
            """\
    uint32_t sum = ((a & 0x7f7f7f7fu) + (b & 0x7f7f7f7fu)) ^ ((a ^ b) & 0x80808080u);
    uint32_t over = ((a & b) | ((a | b) & ~sum)) & 0x80808080u;
    return sum | (over >> 7) * 255u;
""",
        ),
    ),
    # Twice as many threads as needed.
    Right("xxi_peeled_idle_half", "xxi_peeled", ("(n + head + 1) / 2", "n + head")),
    # The conversion itself knows the ends of the range, and NaN.
    Right(
        "xxi_to_int_converted",
        "xxi_to_int",
        (CLAMPED, "    return __float2int_rz(v);\n"),
    ),
    # Rounded as a half first; the factor is a power of two, and small samples are exact.
    Right(
        "xxi_samples_in_halves",
        "xxi_samples",
        (
            "__float2half_rn(sample[k] * (1.0f / 32768.0f))",
            "__hmul(__float2half_rn(sample[k]), __float2half_rn(1.0f / 32768.0f))",
        ),
    ),
    # The exponent is made smaller by 15.
    Right(
        "xxi_samples_exponent",
        "xxi_samples",
        ("sample[k] * (1.0f / 32768.0f)", "ldexpf(sample[k], -15)"),
    ),
    # Two at a time, but one step on: most are done twice by the same thread.
    Right("xxi_elu_one_step_on", "xxi_elu", ("i += 2 * step", "i += step")),
    # Every power is one of two.
    Right("xxi_sigmoid_exp2", "xxi_sigmoid", ("expf(-v)", "exp2f(-1.44269504f * v)")),
    # A run is walked from its end.
    Right(
        "xxi_hardswish_from_end",
        "xxi_hardswish",
        ("for (int64_t i = first; i < end; i++)", "for (int64_t i = end; i-- > first;)"),
    ),
    # The near ones first: the order in which lanes meet does not matter for the lowest.
    Right(
        "xxi_sum_near_first",
        "xxi_sum",
        ("int d = 16; d > 0; d >>= 1", "int d = 1; d < 32; d <<= 1"),
    ),
    # Each warp brings its sum itself, and nobody has work in the second round.
    Right(
        "xxi_sum_each_warp_adds",
        "xxi_sum",
        ("        of_warp[threadIdx.x / 32] = sum;", "        atomicAdd(total, sum);"),
        ("    if (threadIdx.x == 0) {\n", "    if (threadIdx.x > 1024) {\n"),
    ),
    # Zero is less than the key of any number, and less than minus infinity's.
    Right("xxi_keys_zero_first", "xxi_keys", ("*cell = key(-INFINITY);", "*cell = 0;")),
    # What would not raise the maximum does not ask for it; an old value is never too large.
    Right(
        "xxi_keys_looks_first",
        "xxi_keys",
        (
            "    atomicMax(cell, best);",
            "    if (best > *static_cast<volatile unsigned*>(cell)) atomicMax(cell, best);",
        ),
    ),
    # Each lane counts its own bit of the votes.
    Right(
        "xxi_flags_own_bit",
        "xxi_flags",
        ("seen += __popc(votes);", "seen += votes >> threadIdx.x % 32 & 1u;"),
        ("if (threadIdx.x % 32 == 0) atomicAdd", "atomicAdd"),
    ),
    # Those that are not set are taken away from 32.
    Right("xxi_flags_unset", "xxi_flags", ("__popc(votes)", "32 - __popc(~votes)")),
    # What is left begins too early: no maximum minds to see a number twice.
    Right("xxi_largest_again", "xxi_largest", ("i = 4 * fours + t;", "i = fours + t;")),
    # The least of the complements: there is no overflow.
    Right(
        "xxi_largest_complement",
        "xxi_largest",
        ("mine = max(mine, x[i]);", "mine = ~min(~mine, ~x[i]);"),
    ),
    *twentyfirst_arrays.RIGHT,
)
