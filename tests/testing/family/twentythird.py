"""Hold a twenty-third family: additions, casts, activations, sums and maxima of whole arrays.

The causes were written before a member was judged. On the emulator each member ran beside
PyTorch: bases and right ones are right, and 59 of the 66 wrong ones wrong or refused by a
fault. The other seven are wrong by reasoning:

    xxiii_add_pieces_int_begin    from 2^31 elements on
    xxiii_cast_parts_own_stream   if the caller's stream has not yet written the input
    xxiii_act_six_unsigned_tile   from 2^32 elements on
    xxiii_sum_last_no_fence       if the counter is seen before the sum of another block
    xxiii_sum_votes_zero_inside   if another block has added before the first one writes zero
    xxiii_max_ranks_late_zero     if another warp is faster than the one that writes zero
    xxiii_max_magnitude_int       from a few elements below 2^31 on

xxiii_act_head_longer_than_n shows its fault only on slices of up to six elements: it writes
behind their ends.
"""

# ruff: noqa: E501 (a line of a kernel stands in one line)
from __future__ import annotations

from collections.abc import Iterator

import torch

from helpers.run.launcher import Launcher
from helpers.testing.cases import Case
from tests.testing.family import twentythird_arrays
from tests.testing.family.elementwise import HEADER
from tests.testing.family.table import Base, Right, Wrong

# ---- additions -------------------------------------------------------------------------------

# A C programmer who comes from OpenMP: each thread has one piece of the array.
PIECES = (
    HEADER
    + """\
__global__ void add3(const float *a, const float *b, const float *c, float *out, int64_t n)
{
    int64_t threads = (int64_t)gridDim.x * blockDim.x;
    int64_t me = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    int64_t piece = (n + threads - 1) / threads;
    int64_t begin = me * piece;
    int64_t end = begin + piece;
    if (end > n)
        end = n;
    for (int64_t i = begin; i < end; i++)
        out[i] = (float)((double)a[i] + b[i] + c[i]);
}

extern "C" void launch(const float *a,  // [n]
                       const float *b,  // [n]
                       const float *c,  // [n]
                       float *out,      // [n]
                       int64_t n, int block_size = 64, cudaStream_t stream = 0)
{
    add3<<<6, block_size, 0, stream>>>(a, b, c, out, n);
}
"""
)

# Somebody who ports a sampler from Numba: what the condition adds is scaled.
GUIDED = (
    HEADER
    + """\
__global__ void guide(const half* u, const half* c, half* out, int64_t n, float scale) {
    int64_t start = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    int64_t stride = (int64_t)gridDim.x * blockDim.x;
    for (int64_t i = start; i < n; i += stride) {
        float a = __half2float(u[i]);
        float b = __half2float(c[i]);
        out[i] = __float2half(fmaf(scale, b - a, a));
    }
}

extern "C" void launch(const half* u,  // [n]
                       const half* c,  // [n]
                       half* out,      // [n]
                       int64_t n, float scale = 7.5f, int block_size = 128, cudaStream_t stream = 0) {
    int64_t blocks = (n + block_size - 1) / block_size;
    if (blocks > 7) blocks = 7;
    guide<<<(unsigned)blocks, block_size, 0, stream>>>(u, c, out, n, scale);
}
"""
)

# Somebody who has written filters for pictures: four bytes in a word, white if too bright.
PIXELS = (
    HEADER
    + """\
#define COLUMNS 32
#define ROWS 6

// Four sums at once: none carries into the next byte, and one that is too large is 255.
__device__ unsigned add4(unsigned a, unsigned b) {
    const unsigned low = (a & 0x7f7f7f7fu) + (b & 0x7f7f7f7fu);
    const unsigned sum = low ^ ((a ^ b) & 0x80808080u);
    const unsigned carry = ((a & b) | ((a | b) & ~sum)) & 0x80808080u;
    return sum | (carry >> 7) * 255u;
}

__global__ void brighten(const uint8_t* a, const uint8_t* b, uint8_t* out, int64_t n, int64_t words) {
    const int64_t t = ((int64_t)blockIdx.x * ROWS + threadIdx.y) * COLUMNS + threadIdx.x;
    const int64_t step = (int64_t)gridDim.x * ROWS * COLUMNS;
    for (int64_t w = t; w < words; w += step) ((unsigned*)out)[w] = add4(((const unsigned*)a)[w], ((const unsigned*)b)[w]);
    for (int64_t i = 4 * words + t; i < n; i += step) {
        const int sum = a[i] + b[i];
        out[i] = sum > 255 ? 255 : sum;
    }
}

extern "C" void launch(const uint8_t* a,  // [n]
                       const uint8_t* b,  // [n]
                       uint8_t* out,      // [n]
                       int64_t n, cudaStream_t stream = 0) {
    const uintptr_t any = (uintptr_t)a | (uintptr_t)b | (uintptr_t)out;
    const int64_t words = any % 4 == 0 ? n / 4 : 0;
    brighten<<<8, dim3(COLUMNS, ROWS), 0, stream>>>(a, b, out, n, words);
}
"""
)

# ---- casts -----------------------------------------------------------------------------------

# Somebody who works with sound: two samples in a word, clipped, and silence for a NaN.
PCM = (
    HEADER
    + """\
__device__ int pcm(float v) {
    if (isnan(v)) return 0;
    v = fminf(fmaxf(v, -32768.0f), 32767.0f);
    return (int)rintf(v);
}

__global__ void to_pcm(const float* in, int16_t* out, int64_t n, int64_t frames) {
    const int64_t t = int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
    const int64_t step = int64_t(gridDim.x) * blockDim.x;
    const float2* stereo = reinterpret_cast<const float2*>(in);
    unsigned* words = reinterpret_cast<unsigned*>(out);
    for (int64_t f = t; f < frames; f += step) {
        const int left = pcm(stereo[f].x), right = pcm(stereo[f].y);
        words[f] = unsigned(right) << 16 | (unsigned(left) & 0xffffu);
    }
    for (int64_t i = 2 * frames + t; i < n; i += step) out[i] = int16_t(pcm(in[i]));
}

extern "C" void launch(const float* in,  // [n]
                       int16_t* out,     // [n]
                       int64_t n, int block_size = 96, cudaStream_t stream = 0) {
    const bool even = reinterpret_cast<uintptr_t>(in) % 8 == 0 && reinterpret_cast<uintptr_t>(out) % 4 == 0;
    to_pcm<<<10, block_size, 0, stream>>>(in, out, n, even ? n / 2 : 0);
}
"""
)

# A careful engineer: a warp has a tile of 128 elements, and a lane every 32nd of it.
TILES = (
    HEADER
    + """\
constexpr int kWarp = 32;
constexpr int kEach = 4;

__global__ void narrow(const float* in, half* out, int64_t n) {
    const int lane = threadIdx.x & (kWarp - 1);
    const int64_t warp = (int64_t{blockIdx.x} * blockDim.x + threadIdx.x) / kWarp;
    const int64_t begin = warp * (kWarp * kEach);
#pragma unroll
    for (int k = 0; k < kEach; ++k) {
        const int64_t i = begin + k * kWarp + lane;
        if (i < n) out[i] = __float2half_rn(in[i]);
    }
}

extern "C" void launch(const float* in,  // [n]
                       half* out,        // [n]
                       int64_t n, int block_size = 256, cudaStream_t stream = 0) {
    const int warps = (block_size + kWarp - 1) / kWarp;
    const int64_t share = int64_t{warps} * kWarp * kEach;
    narrow<<<static_cast<unsigned>((n + share - 1) / share), warps * kWarp, 0, stream>>>(in, out, n);
}
"""
)

# From OpenCL, where a driver once refused a long range: a launch for each 4,096 elements.
PARTS = (
    HEADER
    + """\
#define PART 4096

__global__ void convert_float(const int *in, float *out, int count)
{
    int gid = blockIdx.x * blockDim.x + threadIdx.x;
    if (gid < count)
        out[gid] = (float)in[gid];
}

extern "C" void launch(const int *in,  // [n]
                       float *out,     // [n]
                       int64_t n, int block_size = 256, cudaStream_t stream = 0)
{
    for (int64_t done = 0; done < n; done += PART) {
        int count = (int)(n - done < PART ? n - done : PART);
        convert_float<<<(count + block_size - 1) / block_size, block_size, 0, stream>>>(in + done, out + done, count);
    }
}
"""
)

# ---- activations -----------------------------------------------------------------------------

# A tuner: single halves up to the first round address, then eight at a time, then what is left.
HEAD = (
    HEADER
    + """\
#include <algorithm>

__device__ half silu(half h) {
    const float v = __half2float(h);
    return __float2half(v / (1.0f + expf(-v)));
}

__global__ void swish(const half* x, half* y, int64_t n, int64_t head, int64_t packs) {
    const int64_t t = int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
    const int64_t step = int64_t(gridDim.x) * blockDim.x;
    for (int64_t p = t; p < packs; p += step) {
        alignas(16) half h[8];
        *reinterpret_cast<uint4*>(h) = reinterpret_cast<const uint4*>(x + head)[p];
        for (int k = 0; k < 8; ++k) h[k] = silu(h[k]);
        reinterpret_cast<uint4*>(y + head)[p] = *reinterpret_cast<const uint4*>(h);
    }
    for (int64_t i = t; i < head; i += step) y[i] = silu(x[i]);
    for (int64_t i = head + 8 * packs + t; i < n; i += step) y[i] = silu(x[i]);
}

extern "C" void launch(const half* x,  // [n]
                       half* y,        // [n]
                       int64_t n, int block_size = 128, cudaStream_t stream = 0) {
    const size_t off = reinterpret_cast<uintptr_t>(x) % 16;
    int64_t head = n, packs = 0;
    if (reinterpret_cast<uintptr_t>(y) % 16 == off) {
        head = std::min<int64_t>((16 - off) % 16 / sizeof(half), n);
        packs = (n - head) / 8;
    }
    swish<<<6, block_size, 0, stream>>>(x, y, n, head, packs);
}
"""
)

# A C programmer who walks with pointers.
WALK = (
    HEADER
    + """\
__global__ void elu(const __nv_bfloat16 *x, __nv_bfloat16 *y, int64_t n)
{
    int64_t first = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    int64_t step = (int64_t)gridDim.x * blockDim.x;
    const __nv_bfloat16 *end = x + n;
    if (first >= n)
        return;
    x += first;
    y += first;
    while (x < end) {
        float v = __bfloat162float(*x);
        float r = v > 0.0f ? v : expm1f(v);
        *y = __float2bfloat16(r);
        x += step;
        y += step;
    }
}

extern "C" void launch(const __nv_bfloat16 *x,  // [n]
                       __nv_bfloat16 *y,        // [n]
                       int64_t n, int block_size = 192, cudaStream_t stream = 0)
{
    elu<<<4, block_size, 0, stream>>>(x, y, n);
}
"""
)

# A reader of blog posts: four elements a thread, as far from each other as the block is long.
SIX = (
    HEADER
    + """\
constexpr int kEach = 4;

__global__ void relu6(const half* x, half* y, int64_t n) {
    const half zero = __float2half(0.0f), six = __float2half(6.0f);
    const int64_t tile = (int64_t)blockIdx.x * blockDim.x * kEach;
    for (int k = 0; k < kEach; ++k) {
        const int64_t i = tile + k * blockDim.x + threadIdx.x;
        if (i >= n) return;
        half v = x[i];
        if (__hlt(v, zero)) v = zero;
        if (__hgt(v, six)) v = six;
        y[i] = v;
    }
}

extern "C" void launch(const half* x,  // [n]
                       half* y,        // [n]
                       int64_t n, int block_size = 256, cudaStream_t stream = 0) {
    const int64_t tile = (int64_t)block_size * kEach;
    relu6<<<(unsigned)((n + tile - 1) / tile), block_size, 0, stream>>>(x, y, n);
}
"""
)

# ---- sums and maxima -------------------------------------------------------------------------

# A careful engineer: memory of its own for each call, and the block that comes last adds up.
LAST = (
    HEADER
    + """\
constexpr int kMost = 40;

struct Scratch {
    unsigned ready;
    double part[kMost];
};

__global__ void sum_kernel(const float* x, float* out, int64_t n, Scratch* scratch) {
    __shared__ double of_thread[1024];
    const int64_t step = int64_t(gridDim.x) * blockDim.x;
    double mine = 0.0;
    for (int64_t i = int64_t(blockIdx.x) * blockDim.x + threadIdx.x; i < n; i += step) mine += x[i];
    of_thread[threadIdx.x] = mine;
    __syncthreads();
    if (threadIdx.x > 0) return;
    for (unsigned t = 1; t < blockDim.x; ++t) mine += of_thread[t];
    scratch->part[blockIdx.x] = mine;
    __threadfence();
    if (atomicAdd(&scratch->ready, 1u) != gridDim.x - 1) return;
    __threadfence();
    double total = 0.0;
    for (unsigned b = 0; b < gridDim.x; ++b) total += scratch->part[b];
    *out = static_cast<float>(total);
}

extern "C" void launch(const float* x,  // [n]
                       float* out,      // [1]
                       int64_t n, int block_size = 256, cudaStream_t stream = 0) {
    int64_t blocks = (n + block_size - 1) / block_size;
    if (blocks < 1) blocks = 1;
    if (blocks > kMost) blocks = kMost;
    Scratch* scratch = nullptr;
    cudaMallocAsync(reinterpret_cast<void**>(&scratch), sizeof(Scratch), stream);
    cudaMemsetAsync(&scratch->ready, 0, sizeof(unsigned), stream);
    sum_kernel<<<static_cast<unsigned>(blocks), block_size, 0, stream>>>(x, out, n, scratch);
    cudaFreeAsync(scratch, stream);
}
"""
)

# Somebody who likes the functions of warps: 32 flags are one vote, and its bits are counted.
VOTES = (
    HEADER
    + """\
__global__ void count_true(const bool* x, unsigned long long* count, int64_t n) {
    const int64_t t = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    const int64_t step = (int64_t)gridDim.x * blockDim.x;
    const int lane = threadIdx.x % 32;
    unsigned long long mine = 0;
    for (int64_t i = t; i - lane < n; i += step) {
        const unsigned votes = __ballot_sync(0xffffffffu, i < n && x[i]);
        mine += __popc(votes);
    }
    if (lane == 0) atomicAdd(count, mine);
}

extern "C" void launch(const bool* x,   // [n]
                       int64_t* count,  // [1]
                       int64_t n, int block_size = 128, cudaStream_t stream = 0) {
    const int threads = (block_size + 31) / 32 * 32;
    cudaMemsetAsync(count, 0, sizeof(int64_t), stream);
    count_true<<<6, threads, 0, stream>>>(x, (unsigned long long*)count, n);
}
"""
)

# A reader of the old slides about sums: two elements when loading, then a tree.
TREE = (
    HEADER
    + """\
__global__ void reduce(const float* in, float* out, int64_t n) {
    extern __shared__ float s[];
    const unsigned tid = threadIdx.x;
    const int64_t step = (int64_t)gridDim.x * blockDim.x * 2;
    int64_t i = (int64_t)blockIdx.x * blockDim.x * 2 + tid;
    s[tid] = 0.0f;
    while (i < n) {
        s[tid] += in[i];
        if (i + blockDim.x < n) s[tid] += in[i + blockDim.x];
        i += step;
    }
    __syncthreads();
    for (unsigned half = blockDim.x / 2; half > 0; half >>= 1) {
        if (tid < half) s[tid] += s[tid + half];
        __syncthreads();
    }
    if (tid == 0) atomicAdd(out, s[0]);
}

extern "C" void launch(const float* in,  // [n]
                       float* out,       // [1]
                       int64_t n, int block_size = 256, cudaStream_t stream = 0) {
    int threads = 1;
    while (threads < block_size) threads *= 2;
    cudaMemsetAsync(out, 0, sizeof(float), stream);
    reduce<<<9, threads, threads * sizeof(float), stream>>>(in, out, n);
}
"""
)

# Somebody who sorts floats as integers: there is an atomic maximum of ranks, NaN is highest.
RANKS = (
    HEADER
    + """\
__device__ unsigned rank(float v) {
    const unsigned b = __float_as_uint(v);
    if (isnan(v)) return 0xffffffffu;
    return b >> 31 ? ~b : b | 0x80000000u;
}

__device__ float with_rank(unsigned r) { return __uint_as_float(r >> 31 ? r & 0x7fffffffu : ~r); }

__global__ void begin(unsigned* out) { *out = rank(-INFINITY); }

__global__ void highest(const float* x, unsigned* out, int64_t n) {
    __shared__ unsigned of_block;
    if (threadIdx.x == 0) of_block = 0;
    __syncthreads();
    unsigned mine = 0;
    const int64_t step = (int64_t)gridDim.x * blockDim.x;
    for (int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += step) mine = max(mine, rank(x[i]));
    atomicMax(&of_block, mine);
    __syncthreads();
    if (threadIdx.x == 0) atomicMax(out, of_block);
}

__global__ void finish(float* out) { *out = with_rank(__float_as_uint(*out)); }

extern "C" void launch(const float* x,  // [n]
                       float* out,      // [1]
                       int64_t n, int block_size = 160, cudaStream_t stream = 0) {
    unsigned* ranks = reinterpret_cast<unsigned*>(out);
    begin<<<1, 1, 0, stream>>>(ranks);
    highest<<<8, block_size, 0, stream>>>(x, ranks, n);
    finish<<<1, 1, 0, stream>>>(out);
}
"""
)

# Somebody who quantizes weights: without the sign, bits have the order of magnitudes.
MAGNITUDE = (
    HEADER
    + """\
__device__ unsigned warp_max(unsigned v) {
    for (int d = 16; d > 0; d >>= 1) v = max(v, __shfl_down_sync(0xffffffffu, v, d));
    return v;
}

__global__ void abs_max(const __nv_bfloat16* x, unsigned* out, int64_t n) {
    __shared__ unsigned of_warp[32];
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32, warps = blockDim.x / 32;
    const uint16_t* bits = reinterpret_cast<const uint16_t*>(x);
    const int64_t step = int64_t(gridDim.x) * blockDim.x;
    unsigned most = 0;
    for (int64_t i = int64_t(blockIdx.x) * blockDim.x + threadIdx.x; i < n; i += step) most = max(most, bits[i] & 0x7fffu);
    most = warp_max(most);
    if (lane == 0) of_warp[warp] = most;
    __syncthreads();
    if (warp > 0) return;
    most = warp_max(lane < warps ? of_warp[lane] : 0u);
    if (lane == 0) atomicMax(out, most << 16);
}

extern "C" void launch(const __nv_bfloat16* x,  // [n]
                       float* out,              // [1]
                       int64_t n, int block_size = 256, cudaStream_t stream = 0) {
    const int threads = (block_size + 31) / 32 * 32;
    cudaMemsetAsync(out, 0, sizeof(float), stream);
    abs_max<<<5, threads, 0, stream>>>(x, reinterpret_cast<unsigned*>(out), n);
}
"""
)


def _add3(a: torch.Tensor, b: torch.Tensor, c: torch.Tensor) -> torch.Tensor:
    return a.double() + b.double() + c.double()


def _brighten(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    return (a.double() + b.double()).clamp(max=255)


def _same(x: torch.Tensor) -> torch.Tensor:
    return x.double()


def _pcm(x: torch.Tensor) -> torch.Tensor:
    whole = x.double().nan_to_num(0.0, float("inf"), float("-inf"))
    return whole.clamp(-32768, 32767).round()


def _silu(x: torch.Tensor) -> torch.Tensor:
    v = x.double()
    return v / (1 + torch.exp(-v))


def _elu(x: torch.Tensor) -> torch.Tensor:
    v = x.double()
    return torch.where(v > 0, v, torch.expm1(v))


def _relu6(x: torch.Tensor) -> torch.Tensor:
    v = x.double()
    v = torch.where(v < 0, torch.zeros_like(v), v)
    return torch.where(v > 6, torch.full_like(v, 6.0), v)


def _whole(low: int, high: int, n: int, seed: int) -> torch.Tensor:
    return torch.randint(low, high, (n,), generator=torch.Generator().manual_seed(seed))


def guided(launcher: Launcher) -> Iterator[Case]:
    """Guide whole numbers, large and tiny ones, infinities and NaN, by several scales."""
    for n in (1, 2, 31, 128, 900, 1027, 5002):
        u = _whole(-50, 51, n, n).half()
        c = _whole(-50, 51, n, n + 1).half()
        strange = u.clone()
        strange[n // 2], strange[n // 3] = float("nan"), float("inf")
        kinds = (
            ("whole numbers", u, c),
            ("infinity and NaN", strange, c),
            ("60,000 and its negative", (u * 0 + 60000).half(), (c * 0 - 60000).half()),
            ("tiny numbers", (u.double() * 2**-22).half(), (c.double() * 2**-22).half()),
        )
        for scale in (7.5, 1.0, 0.5, 0.0, -3.0, 2049.0):
            for label, a, b in kinds:
                right = scale * (b.double() - a.double()) + a.double()
                yield Case(
                    f"n = {n:,}, scale = {scale}, {label}",
                    (a, b),
                    (right,),
                    {"scale": scale},
                    dtypes=(torch.float16,),
                )


def flags(launcher: Launcher) -> Iterator[Case]:
    """Count the true ones: of any, of all, of none, the last one only."""
    for n in (1, 2, 31, 32, 33, 128, 769, 5002, 50_003):
        for block_size in (128, 20, 50, 1024):
            last = torch.zeros(n, dtype=torch.int64)
            last[-1] = 1
            kinds = (
                ("any", _whole(0, 2, n, n)),
                ("all true", last * 0 + 1),
                ("none true", last * 0),
                ("the last one true", last),
            )
            for label, x in kinds:
                yield Case(
                    f"n = {n:,}, block_size = {block_size}, {label}",
                    (x.bool(),),
                    (x.sum().double().reshape(1),),
                    {"block_size": block_size},
                    dtypes=(torch.int64,),
                )


def magnitudes(launcher: Launcher) -> Iterator[Case]:
    """Find the largest magnitude: of any, negative and tiny ones; infinity or NaN somewhere."""
    for n in (1, 2, 31, 33, 256, 1300, 20_002):
        for block_size in (256, 77, 1024):
            x = _whole(-999, 1000, n, n).to(torch.bfloat16)
            kinds = [
                ("any", x),
                ("negative ones", -x.abs() - 1),
                ("tiny ones", (x.double() * 2**-130).to(torch.bfloat16)),
                ("zeros", x * 0),
            ]
            for place in sorted({0, n // 3, n // 2 + 17 if n > 40 else 0, n - 1}):
                for value in (-4096.0, float("-inf"), float("nan")):
                    y = x.clone()
                    y[place] = value
                    kinds.append((f"{value} at {place}", y))
            for label, y in kinds:
                yield Case(
                    f"n = {n:,}, block_size = {block_size}, {label}",
                    (y,),
                    (y.double().abs().max().reshape(1),),
                    {"block_size": block_size},
                    dtypes=(torch.float32,),
                )


BASES = {
    "xxiii_add_pieces": Base(PIECES, {"reference": _add3}),
    "xxiii_add_guided": Base(GUIDED, {"cases": guided}),
    "xxiii_add_pixels": Base(PIXELS, {"reference": _brighten}),
    "xxiii_cast_pcm": Base(PCM, {"reference": _pcm}),
    "xxiii_cast_tiles": Base(TILES, {"reference": _same}),
    "xxiii_cast_parts": Base(PARTS, {"reference": _same}),
    "xxiii_act_head": Base(HEAD, {"reference": _silu, "ulp": 1}),
    "xxiii_act_walk": Base(WALK, {"reference": _elu, "ulp": 1}),
    "xxiii_act_six": Base(SIX, {"reference": _relu6}),
    "xxiii_sum_last": Base(LAST, cases="sums"),
    "xxiii_sum_votes": Base(VOTES, {"cases": flags}),
    "xxiii_sum_tree": Base(TREE, cases="sums"),
    "xxiii_max_ranks": Base(RANKS, cases="whole_array", function=torch.max),
    "xxiii_max_magnitude": Base(MAGNITUDE, {"cases": magnitudes}),
    **twentythird_arrays.BASES,
}

WRONG = (
    # ---- additions
    # What is left over when the array is cut into pieces belongs to nobody.
    Wrong(
        "xxiii_add_pieces_cut",
        "xxiii_add_pieces",
        "tail / unwritten / left out | grid",
        ("(n + threads - 1) / threads", "n / threads"),
    ),
    # The end is the last one of the piece, as in Fortran; the loop still stops before it.
    Wrong(
        "xxiii_add_pieces_inclusive",
        "xxiii_add_pieces",
        "unwritten / left out | tail / grid",
        ("end = begin + piece;", "end = begin + piece - 1;"),
    ),
    # Two additions of floats: the first one is rounded, or overflows, before the second.
    Wrong(
        "xxiii_add_pieces_in_float",
        "xxiii_add_pieces",
        "rounding / precision / infinity | numbers / nan / whole range",
        ("(float)((double)a[i] + b[i] + c[i])", "a[i] + b[i] + c[i]"),
    ),
    # The number of a thread is an int, and so is its place.
    Wrong(
        "xxiii_add_pieces_int_begin",
        "xxiii_add_pieces",
        "narrow | bounds / unwritten / left out / whole range",
        ("int64_t begin = me * piece;", "int begin = (int)(me * piece);"),
    ),
    # What is left is unsigned: behind the end it is not negative but huge.
    Wrong(
        "xxiii_add_pieces_unsigned_left",
        "xxiii_add_pieces",
        "bounds | tail / whole range / grid",
        (
            "    int64_t end = begin + piece;\n    if (end > n)\n        end = n;\n",
            "    size_t left = n - begin;\n    int64_t end = begin + (left < (size_t)piece ? (int64_t)left : piece);\n",
        ),
    ),
    # The scale of the first experiment stayed in the kernel.
    Wrong(
        "xxiii_add_guided_fixed",
        "xxiii_add_guided",
        "left out / function | numbers / copy",
        ("fmaf(scale,", "fmaf(7.5f,"),
    ),
    # The scale is kept as it came first.
    Wrong(
        "xxiii_add_guided_kept",
        "xxiii_add_guided",
        "state / left out | function / numbers",
        (
            "    guide<<<(unsigned)blocks, block_size, 0, stream>>>(u, c, out, n, scale);",
            "    static const float kept = scale;\n    guide<<<(unsigned)blocks, block_size, 0, stream>>>(u, c, out, n, kept);",
        ),
    ),
    # The tensors are halves, so the scale is one too, which has 11 bits.
    Wrong(
        "xxiii_add_guided_half_scale",
        "xxiii_add_guided",
        "rounding / precision | numbers / function / narrow / infinity / whole range",
        (
            "int64_t n, float scale) {",
            "int64_t n, half scale_) {\n    float scale = __half2float(scale_);",
        ),
        ("out, n, scale);", "out, n, __float2half(scale));"),
    ),
    # The difference is a half: rounded, and infinite for two large numbers.
    Wrong(
        "xxiii_add_guided_in_half",
        "xxiii_add_guided",
        "rounding / precision / infinity | numbers / nan / whole range / subnormal",
        ("b - a, a)", "__half2float(__hsub(c[i], u[i])), a)"),
    ),
    # The sum is a byte before it is compared with 255.
    Wrong(
        "xxiii_add_pixels_byte_sum",
        "xxiii_add_pixels",
        "whole range / tail / narrow | alignment / numbers / infinity / function",
        ("const int sum = a[i]", "const uint8_t sum = a[i]"),
    ),
    # One digit too few: the mask of the highest byte is zero.
    Wrong(
        "xxiii_add_pixels_short_mask",
        "xxiii_add_pixels",
        "function / numbers / left out | whole range / alignment / other element / neighbour / tail / copy / narrow",
        ("(a & 0x7f7f7f7fu)", "(a & 0x7f7f7fu)"),
    ),
    # Only what is read was tested.
    Wrong(
        "xxiii_add_pixels_out_untested",
        "xxiii_add_pixels",
        "alignment",
        (" | (uintptr_t)b | (uintptr_t)out;", " | (uintptr_t)b;"),
    ),
    # Rows of the block are taken for 6 long, not 32.
    Wrong(
        "xxiii_add_pixels_pitch",
        "xxiii_add_pixels",
        "unwritten / left out / swapped / sides | twice / grid / block size / tail / other element",
        (
            "((int64_t)blockIdx.x * ROWS + threadIdx.y) * COLUMNS + threadIdx.x",
            "(int64_t)blockIdx.x * ROWS * COLUMNS + threadIdx.y * ROWS + threadIdx.x",
        ),
    ),
    # ---- casts
    # A negative number is extended by ones, over its neighbour.
    Wrong(
        "xxiii_cast_pcm_sign_over_other",
        "xxiii_cast_pcm",
        "neighbour / other element / whole range / numbers | alignment / function / swapped / sign of zero",
        ("(unsigned(left) & 0xffffu)", "unsigned(left)"),
    ),
    # The first sample is the upper half, as on a machine where bytes go the other way.
    Wrong(
        "xxiii_cast_pcm_other_endian",
        "xxiii_cast_pcm",
        "swapped / neighbour / other element | alignment / numbers",
        (
            "unsigned(right) << 16 | (unsigned(left) & 0xffffu)",
            "unsigned(left) << 16 | (unsigned(right) & 0xffffu)",
        ),
    ),
    # A function of C that rounds a tie away from zero.
    Wrong(
        "xxiii_cast_pcm_roundf",
        "xxiii_cast_pcm",
        "rounding | numbers",
        ("rintf(v)", "roundf(v)"),
    ),
    # 2^15 on either side: on the upper one there is one number less.
    Wrong(
        "xxiii_cast_pcm_one_too_far",
        "xxiii_cast_pcm",
        "whole range / infinity | numbers / narrow",
        ("32767.0f);", "32768.0f);"),
    ),
    # No suffix looked like the others, so it became rz.
    Wrong(
        "xxiii_cast_tiles_rz",
        "xxiii_cast_tiles",
        "rounding | numbers / precision / infinity / subnormal",
        ("__float2half_rn(in[i])", "__float2half_rz(in[i])"),
    ),
    # First to the other 16-bit format, as the layer before did it.
    Wrong(
        "xxiii_cast_tiles_over_bf16",
        "xxiii_cast_tiles",
        "rounding / precision | numbers / infinity / subnormal",
        (
            "__float2half_rn(in[i])",
            "__float2half_rn(__bfloat162float(__float2bfloat16(in[i])))",
        ),
    ),
    # To be safe from infinity, everything is clamped, an infinity and NaN as well.
    Wrong(
        "xxiii_cast_tiles_clamped",
        "xxiii_cast_tiles",
        "infinity / whole range / nan | numbers",
        ("__float2half_rn(in[i])", "__float2half_rn(fminf(fmaxf(in[i], -65504.0f), 65504.0f))"),
    ),
    # Whole tiles only, and what is behind them waits for a kernel that was never written.
    Wrong(
        "xxiii_cast_tiles_whole_only",
        "xxiii_cast_tiles",
        "tail / unwritten / left out",
        ("#pragma unroll\n", "    if (begin + kWarp * kEach > n) return;\n#pragma unroll\n"),
    ),
    # The lane is what is left, whose mask is 31, not 32.
    Wrong(
        "xxiii_cast_tiles_mask_32",
        "xxiii_cast_tiles",
        "unwritten / left out / other element | twice / tail",
        ("threadIdx.x & (kWarp - 1)", "threadIdx.x & kWarp"),
    ),
    # Each part is written to its place, and read from the first one.
    Wrong(
        "xxiii_cast_parts_first_read",
        "xxiii_cast_parts",
        "other element / left out | numbers / neighbour / twice / copy",
        ("(in + done, out", "(in, out"),
    ),
    # Every part is as long as the others.
    Wrong(
        "xxiii_cast_parts_all_whole",
        "xxiii_cast_parts",
        "bounds | tail",
        ("(int)(n - done < PART ? n - done : PART)", "PART"),
    ),
    # The integers were sizes first, and sizes are not negative.
    Wrong(
        "xxiii_cast_parts_unsigned",
        "xxiii_cast_parts",
        "whole range / numbers / function | infinity / narrow",
        ("(float)in[gid]", "(float)(unsigned)in[gid]"),
    ),
    # A stream of its own, that knows nothing of who wrote the input.
    Wrong(
        "xxiii_cast_parts_own_stream",
        "xxiii_cast_parts",
        "stream | race",
        (
            "{\n    for (int64_t done",
            "{\n    static cudaStream_t own = 0;\n    if (!own)\n        cudaStreamCreateWithFlags(&own, cudaStreamNonBlocking);\n    for (int64_t done",
        ),
        ("block_size, 0, stream>>>", "block_size, 0, own>>>"),
    ),
    # ---- activations
    # The distance to the round address is in bytes, the head in elements.
    Wrong(
        "xxiii_act_head_in_bytes",
        "xxiii_act_head",
        "alignment",
        ("(16 - off) % 16 / sizeof(half)", "(16 - off) % 16"),
    ),
    # What is left of n divided by eight, as if there were no head.
    Wrong(
        "xxiii_act_head_rest_of_n",
        "xxiii_act_head",
        "tail / unwritten / left out / alignment",
        ("i = head + 8 * packs + t;", "i = n - n % 8 + t;"),
    ),
    # A short array may end before the first round address.
    Wrong(
        "xxiii_act_head_longer_than_n",
        "xxiii_act_head",
        "bounds | alignment / tail",
        (
            "std::min<int64_t>((16 - off) % 16 / sizeof(half), n)",
            "(16 - off) % 16 / sizeof(half)",
        ),
    ),
    # The sigmoid is stored as a half, as PyTorch stores it between two calls.
    Wrong(
        "xxiii_act_head_half_between",
        "xxiii_act_head",
        "rounding / precision / subnormal | numbers",
        ("v / (1.0f + expf(-v))", "v * __half2float(__float2half(1.0f / (1.0f + expf(-v))))"),
    ),
    # As it is printed: near zero the difference has few right digits.
    Wrong(
        "xxiii_act_walk_exp_minus_one",
        "xxiii_act_walk",
        "precision / rounding | subnormal / numbers / sign of zero",
        ("expm1f(v)", "expf(v) - 1.0f"),
    ),
    # Two pointers, and only one of them walks.
    Wrong(
        "xxiii_act_walk_y_stays",
        "xxiii_act_walk",
        "unwritten / left out / other element | grid / tail / twice",
        ("        y += step;\n", ""),
    ),
    # The end is n behind where the thread begins.
    Wrong(
        "xxiii_act_walk_moved_end",
        "xxiii_act_walk",
        "bounds | tail",
        ("    y += first;\n", "    y += first;\n    end = x + n;\n"),
    ),
    # Without a branch: zero times infinity is not zero.
    Wrong(
        "xxiii_act_walk_no_branch",
        "xxiii_act_walk",
        "infinity / nan | numbers / whole range",
        ("v > 0.0f ? v : expm1f(v)", "(v > 0.0f) * v + (v <= 0.0f) * expm1f(v)"),
    ),
    # The larger and the smaller of both are zero for a NaN.
    Wrong(
        "xxiii_act_walk_zero_for_nan",
        "xxiii_act_walk",
        "nan | numbers / sign of zero",
        ("v > 0.0f ? v : expm1f(v)", "fmaxf(v, 0.0f) + fminf(expm1f(v), 0.0f)"),
    ),
    # Bits of six, not six.
    Wrong(
        "xxiii_act_six_bits",
        "xxiii_act_six",
        "function / numbers | subnormal / whole range / infinity / copy / precision",
        ("six = __float2half(6.0f)", "six = __ushort_as_half(6)"),
    ),
    # Two instructions for two comparisons, which prefer the number to the NaN.
    Wrong(
        "xxiii_act_six_min_max",
        "xxiii_act_six",
        "nan | numbers / sign of zero",
        (
            "        if (__hlt(v, zero)) v = zero;\n        if (__hgt(v, six)) v = six;\n",
            "        v = __hmin(__hmax(v, zero), six);\n",
        ),
    ),
    # The blocks were counted when a thread had eight.
    Wrong(
        "xxiii_act_six_of_eight",
        "xxiii_act_six",
        "grid / unwritten / left out | tail",
        ("(int64_t)block_size * kEach;", "(int64_t)block_size * 8;"),
    ),
    # It worked in place: what needs no change is not written.
    Wrong(
        "xxiii_act_six_changes_only",
        "xxiii_act_six",
        "unwritten / left out | copy / numbers",
        (
            "        if (__hlt(v, zero)) v = zero;\n        if (__hgt(v, six)) v = six;\n        y[i] = v;\n",
            "        if (__hlt(v, zero)) y[i] = zero;\n        if (__hgt(v, six)) y[i] = six;\n",
        ),
    ),
    # Three numbers of 32 bits, whose product has 32 bits.
    Wrong(
        "xxiii_act_six_unsigned_tile",
        "xxiii_act_six",
        "narrow | unwritten / left out / whole range / twice / tail",
        ("(int64_t)blockIdx.x * blockDim.x * kEach", "blockIdx.x * blockDim.x * kEach"),
    ),
    # ---- sums
    # New memory is zero, on this machine, today.
    Wrong(
        "xxiii_sum_last_not_cleared",
        "xxiii_sum_last",
        "zero before / start / state / unwritten | race / left out / numbers",
        ("    cudaMemsetAsync(&scratch->ready, 0, sizeof(unsigned), stream);\n", ""),
    ),
    # What the counter was before the last one came is one less.
    Wrong(
        "xxiii_sum_last_never",
        "xxiii_sum_last",
        "unwritten / left out | grid / race",
        ("!= gridDim.x - 1", "!= gridDim.x"),
    ),
    # The counter may be seen before the sum that it announces.
    Wrong(
        "xxiii_sum_last_no_fence",
        "xxiii_sum_last",
        "race | left out / start / unwritten / other element",
        ("= mine;\n    __threadfence();\n", "= mine;\n"),
    ),
    # There are as many sums as blocks, not as threads of one.
    Wrong(
        "xxiii_sum_last_of_threads",
        "xxiii_sum_last",
        "grid / block size / bounds / left out / unwritten | start / numbers / nan",
        ("b < gridDim.x;", "b < blockDim.x;"),
    ),
    # As for a maximum, each thread starts with the first element.
    Wrong(
        "xxiii_sum_last_from_first",
        "xxiii_sum_last",
        "start / twice | numbers / block size / grid / function",
        ("double mine = 0.0;", "double mine = x[0];"),
    ),
    # Each lane adds what the whole warp has counted.
    Wrong(
        "xxiii_sum_votes_all_lanes",
        "xxiii_sum_votes",
        "twice / function | numbers",
        ("if (lane == 0) atomicAdd", "atomicAdd"),
    ),
    # The vote of the other name: not which lanes have a true one, but whether one has.
    Wrong(
        "xxiii_sum_votes_any",
        "xxiii_sum_votes",
        "left out / function / numbers",
        ("__ballot_sync(0xffffffffu", "__any_sync(0xffffffffu"),
    ),
    # The flag is read before its place is tested.
    Wrong(
        "xxiii_sum_votes_read_first",
        "xxiii_sum_votes",
        "bounds | tail",
        ("i < n && x[i]", "x[i] && i < n"),
    ),
    # Whole warps, rounded down: 20 threads are none.
    Wrong(
        "xxiii_sum_votes_no_warp",
        "xxiii_sum_votes",
        "refused / block size | unwritten / grid / left out",
        ("(block_size + 31) / 32 * 32", "block_size / 32 * 32"),
    ),
    # The first thread sets the counter to zero; another block may have added to it.
    Wrong(
        "xxiii_sum_votes_zero_inside",
        "xxiii_sum_votes",
        "race / zero before / start | state / grid / left out",
        ("    cudaMemsetAsync(count, 0, sizeof(int64_t), stream);\n", ""),
        (
            "    unsigned long long mine = 0;\n",
            "    unsigned long long mine = 0;\n    if (t == 0) *count = 0;\n",
        ),
    ),
    # Halves of an odd number: whoever has no partner is lost.
    Wrong(
        "xxiii_sum_tree_any_size",
        "xxiii_sum_tree",
        "block size / left out | numbers",
        (
            "    int threads = 1;\n    while (threads < block_size) threads *= 2;\n",
            "    const int threads = block_size;\n",
        ),
    ),
    # The second element is the next one, as in the kernel where a thread has neighbours.
    Wrong(
        "xxiii_sum_tree_next",
        "xxiii_sum_tree",
        "other element / twice / left out / neighbour | numbers",
        (
            "if (i + blockDim.x < n) s[tid] += in[i + blockDim.x];",
            "if (i + 1 < n) s[tid] += in[i + 1];",
        ),
    ),
    # The tree ends when two sums are left.
    Wrong(
        "xxiii_sum_tree_two_left",
        "xxiii_sum_tree",
        "left out | numbers / other element / block size / race",
        ("half > 0;", "half > 1;"),
    ),
    # Threads without an element leave at once, and their places in the tree are as they were.
    Wrong(
        "xxiii_sum_tree_left_early",
        "xxiii_sum_tree",
        "start / race / unwritten | tail / numbers / nan / state / left out / zero before / block size / bounds",
        ("    s[tid] = 0.0f;\n", "    if (i >= n) return;\n    s[tid] = 0.0f;\n"),
    ),
    # ---- maxima
    # The sign is turned, the other bits are not: negative numbers are in the wrong order.
    Wrong(
        "xxiii_max_ranks_sign_only",
        "xxiii_max_ranks",
        "numbers / function / start | infinity / whole range / left out / other element",
        ("b >> 31 ? ~b : b | 0x80000000u", "b ^ 0x80000000u"),
        ("r >> 31 ? r & 0x7fffffffu : ~r", "r ^ 0x80000000u"),
    ),
    # Ranks are unsigned, and the atomic maximum is that of int.
    Wrong(
        "xxiii_max_ranks_signed",
        "xxiii_max_ranks",
        "whole range / numbers / function / start | infinity / nan / narrow / left out",
        ("atomicMax(out, of_block)", "atomicMax((int*)out, (int)of_block)"),
    ),
    # A NaN is above all anyway, if its sign is positive.
    Wrong(
        "xxiii_max_ranks_negative_nan",
        "xxiii_max_ranks",
        "nan | numbers / sign of zero",
        ("    if (isnan(v)) return 0xffffffffu;\n", ""),
    ),
    # A maximum may come before the zero.
    Wrong(
        "xxiii_max_ranks_late_zero",
        "xxiii_max_ranks",
        "race / start | left out / numbers / unwritten / state",
        ("of_block = 0;\n    __syncthreads();\n", "of_block = 0;\n"),
    ),
    # Each block makes a float of the rank, with which the next one compares its own.
    Wrong(
        "xxiii_max_ranks_each_finishes",
        "xxiii_max_ranks",
        "race / numbers / function / twice | grid / start / nan / whole range / infinity / left out / other element",
        (
            "    if (threadIdx.x == 0) atomicMax(out, of_block);\n",
            "    if (threadIdx.x == 0) {\n        atomicMax(out, of_block);\n        *out = __float_as_uint(with_rank(*out));\n    }\n",
        ),
        ("    finish<<<1, 1, 0, stream>>>(out);\n", ""),
    ),
    # All bits are compared: any negative number is above all positive ones.
    Wrong(
        "xxiii_max_magnitude_with_sign",
        "xxiii_max_magnitude",
        "function / numbers | whole range / nan / sign of zero / left out",
        ("bits[i] & 0x7fffu", "unsigned(bits[i])"),
    ),
    # Half a warp has 16 lanes, and the first distance is half of that.
    Wrong(
        "xxiii_max_magnitude_half_warp",
        "xxiii_max_magnitude",
        "left out | numbers / nan / infinity / other element / block size",
        ("int d = 16;", "int d = 8;"),
    ),
    # A bfloat16 is the upper half of a float; here it becomes the lower one.
    Wrong(
        "xxiii_max_magnitude_lower_half",
        "xxiii_max_magnitude",
        "function / numbers / whole range | subnormal / precision / infinity / nan / unwritten",
        ("most << 16", "most"),
    ),
    # The last warp has the number warps - 1, and is one of them.
    Wrong(
        "xxiii_max_magnitude_last_warp",
        "xxiii_max_magnitude",
        "left out / block size | numbers / nan / infinity / start / unwritten",
        ("lane < warps ?", "lane < warps - 1 ?"),
    ),
    # The largest of this array, or of one before.
    Wrong(
        "xxiii_max_magnitude_remembers",
        "xxiii_max_magnitude",
        "zero before / state / start | numbers / unwritten",
        ("    cudaMemsetAsync(out, 0, sizeof(float), stream);\n", ""),
    ),
    # The loop stops before the last one, as it would for pairs.
    Wrong(
        "xxiii_max_magnitude_pairs",
        "xxiii_max_magnitude",
        "tail / left out | numbers / nan / infinity",
        ("i < n; i += step) most", "i < n - 1; i += step) most"),
    ),
    # A loop with an int, as everywhere else in the file.
    Wrong(
        "xxiii_max_magnitude_int",
        "xxiii_max_magnitude",
        "narrow | bounds / timeout / left out / whole range",
        (
            "for (int64_t i = int64_t(blockIdx.x) * blockDim.x + threadIdx.x;",
            "for (int i = blockIdx.x * blockDim.x + threadIdx.x;",
        ),
    ),
    *twentythird_arrays.WRONG,
)

RIGHT = (
    # Pieces whose lengths differ by one at most, and which end where the next one begins.
    Right(
        "xxiii_add_pieces_even",
        "xxiii_add_pieces",
        (
            "int64_t begin = me * piece;",
            "int64_t begin = me * (n / threads) + (me < n % threads ? me : n % threads);",
        ),
        ("end = begin + piece;", "end = begin + n / threads + (me < n % threads);"),
        ("    int64_t piece = (n + threads - 1) / threads;\n", ""),
    ),
    # A piece goes from its end to its begin.
    Right(
        "xxiii_add_pieces_backward",
        "xxiii_add_pieces",
        ("for (int64_t i = begin; i < end; i++)", "for (int64_t i = end; i-- > begin;)"),
    ),
    # Steps of half the length: each element is made twice, and is the same each time.
    Right(
        "xxiii_add_guided_twice",
        "xxiii_add_guided",
        ("(int64_t)gridDim.x * blockDim.x;", "((int64_t)gridDim.x * blockDim.x + 1) / 2;"),
    ),
    # In double precision nothing is rounded before the end.
    Right(
        "xxiii_add_guided_double",
        "xxiii_add_guided",
        (
            "__float2half(fmaf(scale, b - a, a))",
            "__double2half((double)a + (double)scale * ((double)b - a))",
        ),
    ),
    # What is left begins far too early, and finds the same sums there.
    Right(
        "xxiii_add_pixels_early", "xxiii_add_pixels", ("i = 4 * words + t;", "i = words + t;")
    ),
    # Threads are counted down the columns of the block.
    Right(
        "xxiii_add_pixels_columns",
        "xxiii_add_pixels",
        (
            "((int64_t)blockIdx.x * ROWS + threadIdx.y) * COLUMNS + threadIdx.x",
            "((int64_t)blockIdx.x * COLUMNS + threadIdx.x) * ROWS + threadIdx.y",
        ),
    ),
    # The conversion has a range of its own, and makes zero of a NaN.
    Right(
        "xxiii_cast_pcm_converted_first",
        "xxiii_cast_pcm",
        (
            "    if (isnan(v)) return 0;\n    v = fminf(fmaxf(v, -32768.0f), 32767.0f);\n    return (int)rintf(v);\n",
            "    return min(max(__float2int_rn(v), -32768), 32767);\n",
        ),
    ),
    # A lane has four neighbours.
    Right(
        "xxiii_cast_tiles_neighbours",
        "xxiii_cast_tiles",
        ("begin + k * kWarp + lane", "begin + lane * kEach + k"),
    ),
    # The last part comes first.
    Right(
        "xxiii_cast_parts_last_first",
        "xxiii_cast_parts",
        (
            "int64_t done = 0; done < n; done += PART",
            "int64_t done = (n - 1) / PART * PART; done >= 0; done -= PART",
        ),
    ),
    # Two halves, each exact: only their sum is rounded.
    Right(
        "xxiii_cast_parts_halves",
        "xxiii_cast_parts",
        ("(float)in[gid]", "(float)(in[gid] >> 16) * 65536.0f + (float)(in[gid] & 0xffff)"),
    ),
    # At a round address the head has eight: as round as before.
    Right(
        "xxiii_act_head_of_eight",
        "xxiii_act_head",
        ("(16 - off) % 16 / sizeof", "(16 - off) / sizeof"),
    ),
    # A positive one is not changed by the way over float, so it is copied.
    Right(
        "xxiii_act_walk_copied",
        "xxiii_act_walk",
        (
            "        *y = __float2bfloat16(r);\n",
            "        *y = v >= 0.0f ? *x : __float2bfloat16(r);\n",
        ),
    ),
    # From the last of the four; what is outside is passed over.
    Right(
        "xxiii_act_six_from_last",
        "xxiii_act_six",
        ("int k = 0; k < kEach; ++k", "int k = kEach - 1; k >= 0; --k"),
        ("if (i >= n) return;", "if (i >= n) continue;"),
    ),
    # A counter that goes round: the last one sets it to zero, for nobody.
    Right(
        "xxiii_sum_last_round",
        "xxiii_sum_last",
        ("atomicAdd(&scratch->ready, 1u)", "atomicInc(&scratch->ready, gridDim.x - 1)"),
    ),
    # Each lane takes its own vote out of all.
    Right(
        "xxiii_sum_votes_own_bit",
        "xxiii_sum_votes",
        ("__popc(votes)", "votes >> lane & 1u"),
        ("if (lane == 0) atomicAdd", "atomicAdd"),
    ),
    # As many threads as there may be, whatever is asked for.
    Right(
        "xxiii_sum_tree_all_threads",
        "xxiii_sum_tree",
        ("threads < block_size)", "threads < 1024)"),
    ),
    # No maximum of a block: each thread goes to the memory of all.
    Right(
        "xxiii_max_ranks_direct",
        "xxiii_max_ranks",
        ("    atomicMax(&of_block, mine);\n", "    atomicMax(out, mine);\n"),
    ),
    # The sign is pushed out on the left.
    Right(
        "xxiii_max_magnitude_pushed",
        "xxiii_max_magnitude",
        ("bits[i] & 0x7fffu", "(bits[i] * 2u & 0xffffu) / 2u"),
    ),
    # Around in a circle: every lane has the maximum.
    Right(
        "xxiii_max_magnitude_circle",
        "xxiii_max_magnitude",
        (
            "__shfl_down_sync(0xffffffffu, v, d)",
            "__shfl_sync(0xffffffffu, v, (threadIdx.x + d) % 32)",
        ),
    ),
    *twentythird_arrays.RIGHT,
)
