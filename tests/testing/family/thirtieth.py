"""Hold a thirtieth family: additions, casts, activations, fused operators, sums, maxima.

Half of the bases are as students hand in in the first weeks of a course, half as juniors write
for a small library of operators. The causes were written before a member was judged. On the
emulator each member ran beside PyTorch: bases and right ones are right, and 68 of the 69 wrong
ones wrong, or refused by a fault, some only so:

    xxx_add_plain_division          if n is no multiple of the block size
    xxx_add_plain_written_256       if the block size is not 256, from a second block on
    xxx_add_plain_b_thread          from a second block on
    xxx_add_halves_rest_late        if n is no multiple of 8
    xxx_add_halves_rounded_up       likewise
    xxx_add_halves_no_rest          likewise
    xxx_add_halves_three_pairs      from 8 elements on
    xxx_add_halves_pair_of_x        likewise
    xxx_add_bytes_byte_sum          of sums past 255
    xxx_add_bytes_254               of sums of 255 and more
    xxx_add_bytes_signed            of bytes past 127
    xxx_cast_half_odd_past_end      of an odd number of elements
    xxx_cast_half_pairs_up          likewise
    xxx_cast_half_turned            from 2 elements on
    xxx_cast_half_rz                of numbers that no half has, from 2 elements on
    xxx_cast_half_threads           if n is odd and n / 2 a multiple of the block size
    xxx_cast_int_nearest            of fractions past a half
    xxx_cast_int_floor              of negative fractions
    xxx_cast_int_short              of numbers past 32,767
    xxx_act_leaky_written_slope     if the slope is not 0.01
    xxx_act_leaky_fmaxf             by slopes past 1
    xxx_act_leaky_if                from 1,921 elements on
    xxx_act_gelu_rounded            of negative numbers, mostly
    xxx_fused_dropout_no_scale      if p is not 0, of kept numbers
    xxx_fused_dropout_by_p          if p is not a half
    xxx_fused_dropout_scale_all     if p is not 0
    xxx_fused_dropout_int_scale     if 1 / (1 - p) is no whole number
    xxx_fused_clamp_before_b        if b is not 0
    xxx_fused_clamp_z_twice         from 4 elements on
    xxx_fused_clamp_rest_two        if n is 3 more than a multiple of 4
    xxx_fused_clamp_brackets        if a is not 1 and b not 0
    xxx_sum_tree_quarter            from 129 elements on
    xxx_sum_tree_no_memset          if the output was not zero before
    xxx_sum_tree_store              from 257 elements on
    xxx_sum_norm_float_squares      of squares that no float has
    xxx_sum_norm_seven_warps        from 225 elements on
    xxx_sum_norm_32_parts           from 8,193 elements on
    xxx_sum_norm_short_parts        from 5,121 elements on
    xxx_sum_dot_half_product        of products that no half has
    xxx_sum_dot_odd_by_all          of an odd number of elements
    xxx_sum_dot_no_odd              likewise
    xxx_sum_dot_crossed             from 2 elements on
    xxx_max_warp_flt_min            of negative numbers only
    xxx_max_warp_zero_lanes         likewise
    xxx_max_warp_last_step          if the largest is in an odd lane
    xxx_max_warp_fabs               if a negative number has the largest magnitude
    xxx_max_warp_one_each           from 769 elements on

One is wrong by reasoning, where streams run at once:

    xxx_fused_clamp_rest_stream     if n is no multiple of 4, on a stream of the caller's own
"""

# ruff: noqa: E501 (a line of a kernel stands in one line)
from __future__ import annotations

from collections.abc import Iterator

import torch

from helpers.run.launcher import Launcher
from helpers.testing.cases import Case
from tests.testing.family import thirtieth_arrays
from tests.testing.family.elementwise import HEADER
from tests.testing.family.table import Base, Right, Wrong
from tests.testing.family.twentysixth import SIZES, arrays, totals, whole

# A student's first kernel.
ADD = (
    HEADER
    + """\
__global__ void add_arrays(float *c, const float *a, const float *b, int64_t len)
{
    int64_t gid = (int64_t)blockDim.x * blockIdx.x + threadIdx.x;
    if (gid < len)
        c[gid] = a[gid] + b[gid];
}

extern "C" void launch(float *c /* [len] */, const float *a /* [len] */, const float *b /* [len] */, int64_t len, int block_size = 128, cudaStream_t stream = 0)
{
    int64_t nblocks = (len - 1) / block_size + 1;
    add_arrays<<<(unsigned)nblocks, block_size, 0, stream>>>(c, a, b, len);
}
"""
)

# A junior's vectors of eight halves, with a loop for the rest by the first threads.
HALVES = (
    HEADER
    + """\
__global__ void add_h8(const __half* __restrict__ x, const __half* __restrict__ y, __half* __restrict__ z, int64_t n) {
    const int64_t packs = n / 8;
    const int64_t start = blockIdx.x * int64_t(blockDim.x) + threadIdx.x;
    const int64_t step = int64_t(gridDim.x) * blockDim.x;
    for (int64_t p = start; p < packs; p += step) {
        const uint4 xv = reinterpret_cast<const uint4*>(x)[p];
        const uint4 yv = reinterpret_cast<const uint4*>(y)[p];
        uint4 zv;
        const half2* xh = reinterpret_cast<const half2*>(&xv);
        const half2* yh = reinterpret_cast<const half2*>(&yv);
        half2* zh = reinterpret_cast<half2*>(&zv);
        #pragma unroll
        for (int k = 0; k < 4; ++k) zh[k] = __hadd2(xh[k], yh[k]);
        reinterpret_cast<uint4*>(z)[p] = zv;
    }
    for (int64_t i = packs * 8 + start; i < n; i += step) z[i] = __hadd(x[i], y[i]);
}

extern "C" void launch(const __half* x,  // [n] 16-byte aligned
                       const __half* y,  // [n] 16-byte aligned
                       __half* z,        // [n] 16-byte aligned
                       int64_t n, cudaStream_t stream = 0) {
    add_h8<<<12, 64, 0, stream>>>(x, y, z, n);
}
"""
)

# A student's pictures: bytes are added and stay bytes.
BYTES = (
    HEADER
    + """\
__global__ void blend(const unsigned char* p, const unsigned char* q, unsigned char* r, int64_t total) {
    int64_t stride = (int64_t)gridDim.x * blockDim.x;
    for (int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x; i < total; i += stride) {
        int s = p[i] + q[i];
        r[i] = s > 255 ? 255 : s;
    }
}

extern "C" void launch(const uint8_t* p /* [total] */, const uint8_t* q /* [total] */, uint8_t* r /* [total] */, int64_t total, cudaStream_t stream = 0) {
    int blocks = (int)((total + 255) / 256 > 9 ? 9 : (total + 255) / 256);
    if (blocks == 0) return;
    blend<<<blocks, 256, 0, stream>>>(p, q, r, total);
}
"""
)

# A junior's cast to half, two at a time.
TO_HALF = (
    HEADER
    + """\
__global__ void f32_to_f16(int64_t n, const float2* src2, const float* src, half2* dst2, half* dst) {
    const int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n / 2) {
        const float2 v = src2[i];
        dst2[i] = __floats2half2_rn(v.x, v.y);
    } else if (i == n / 2 && n % 2 == 1) {
        dst[n - 1] = __float2half_rn(src[n - 1]);
    }
}

extern "C" void launch(int64_t n, const float* src /* [n] 8-byte aligned */, half* dst /* [n] 4-byte aligned */, int block_size = 192, cudaStream_t stream = 0) {
    const int64_t threads = n / 2 + n % 2;
    f32_to_f16<<<(unsigned)((threads + block_size - 1) / block_size), block_size, 0, stream>>>(n, (const float2*)src, src, (half2*)dst, dst);
}
"""
)

# A student's cast to integers, as torch's: toward zero.
TO_INT = (
    HEADER
    + """\
__global__ void to_int(const float* in, int32_t* out, int64_t n) {
    int64_t i = blockIdx.x * (int64_t)blockDim.x + threadIdx.x;
    if (i >= n) return;
    out[i] = (int32_t)in[i];
}

extern "C" void launch(const float* in /* [n] */, int32_t* out /* [n] */, int64_t n, int block_size = 256, cudaStream_t stream = 0) {
    to_int<<<(unsigned)((n + block_size - 1) / block_size), block_size, 0, stream>>>(in, out, n);
}
"""
)

# A student's leaky ReLU in a loop; NaN stays.
LEAKY = (
    HEADER
    + """\
__global__ void leakyRelu(const float* X, float* Y, float negSlope, int64_t N)
{
    for (int64_t idx = threadIdx.x + (int64_t)blockIdx.x * blockDim.x;
         idx < N;
         idx += (int64_t)blockDim.x * gridDim.x)
    {
        float v = X[idx];
        if (v > 0.0f)
            Y[idx] = v;
        else
            Y[idx] = negSlope * v;
    }
}

extern "C" void launch(const float* X /* [N] */, float* Y /* [N] */, float negSlope, int64_t N, cudaStream_t stream = 0)
{
    leakyRelu<<<20, 96, 0, stream>>>(X, Y, negSlope, N);
}
"""
)

# A junior's GELU by tanh, on bfloat16.
GELU = (
    HEADER
    + """\
constexpr float kBeta = 0.7978845608f;  // sqrt(2 / pi)
constexpr float kKappa = 0.044715f;

__global__ void gelu_tanh(__nv_bfloat16* __restrict__ y, const __nv_bfloat16* __restrict__ x, int64_t numel) {
    const int64_t i = int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i < numel) {
        const float v = __bfloat162float(x[i]);
        const float inner = kBeta * (v + kKappa * v * v * v);
        y[i] = __float2bfloat16(0.5f * v * (1.f + tanhf(inner)));
    }
}

extern "C" void launch(__nv_bfloat16* y /* [numel] */, const __nv_bfloat16* x /* [numel] */, int64_t numel, cudaStream_t stream = 0) {
    constexpr int kThreads = 160;
    gelu_tanh<<<unsigned((numel + kThreads - 1) / kThreads), kThreads, 0, stream>>>(y, x, numel);
}
"""
)

# A junior's dropout with a given mask, and a residual.
DROPOUT = (
    HEADER
    + """\
__global__ void dropout_add(const float* x, const uint8_t* keep, const float* residual, float* out, float p, int64_t n) {
    const float scale = 1.0f / (1.0f - p);
    const int64_t tid = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    const int64_t all = (int64_t)gridDim.x * blockDim.x;
    for (int64_t i = tid; i < n; i += all) {
        const float kept = keep[i] ? x[i] * scale : 0.0f;
        out[i] = kept + residual[i];
    }
}

extern "C" void launch(const float* x /* [n] */, const uint8_t* keep /* [n] */, const float* residual /* [n] */, float* out /* [n] */, float p, int64_t n, int block_size = 128, cudaStream_t stream = 0) {
    int64_t grid = (n + block_size - 1) / block_size;
    if (grid > 16) grid = 16;
    dropout_add<<<(unsigned)grid, block_size, 0, stream>>>(x, keep, residual, out, p, n);
}
"""
)

# A junior's scale, shift and clamp: four floats a thread.
CLAMP = (
    HEADER
    + """\
struct Affine {
    float a, b, lo, hi;
    __device__ float operator()(float v) const { return fminf(fmaxf(a * v + b, lo), hi); }
};

__global__ void affine4(const float4* in, float4* out, Affine f, int64_t n4) {
    const int64_t i = threadIdx.x + int64_t(blockIdx.x) * blockDim.x;
    if (i >= n4) return;
    const float4 v = in[i];
    out[i] = make_float4(f(v.x), f(v.y), f(v.z), f(v.w));
}

__global__ void affine_rest(const float* in, float* out, Affine f, int64_t from, int64_t n) {
    const int64_t i = from + threadIdx.x;
    if (i < n) out[i] = f(in[i]);
}

extern "C" void launch(const float* in,  // [n] 16-byte aligned
                       float* out,       // [n] 16-byte aligned
                       float a, float b, float lo, float hi, int64_t n, cudaStream_t stream = 0) {
    const Affine f{a, b, lo, hi};
    const int64_t n4 = n / 4;
    if (n4 > 0) affine4<<<unsigned((n4 + 127) / 128), 128, 0, stream>>>(reinterpret_cast<const float4*>(in), reinterpret_cast<float4*>(out), f, n4);
    if (n % 4 != 0) affine_rest<<<1, 4, 0, stream>>>(in, out, f, n4 * 4, n);
}
"""
)

# A student's sum: a tree in shared memory, and an atomic addition a block.
SUM = (
    HEADER
    + """\
#define BLOCK 256

__global__ void sum_kernel(const float* data, float* sum, int64_t n) {
    __shared__ float buf[BLOCK];
    int t = threadIdx.x;
    int64_t i = (int64_t)blockIdx.x * BLOCK + t;
    buf[t] = i < n ? data[i] : 0.0f;
    __syncthreads();
    for (int half = BLOCK / 2; half >= 1; half /= 2) {
        if (t < half) buf[t] += buf[t + half];
        __syncthreads();
    }
    if (t == 0) atomicAdd(sum, buf[0]);
}

extern "C" void launch(const float* data /* [n] */, float* sum /* [1] */, int64_t n, cudaStream_t stream = 0) {
    cudaMemsetAsync(sum, 0, sizeof(float), stream);
    sum_kernel<<<(unsigned)((n + BLOCK - 1) / BLOCK), BLOCK, 0, stream>>>(data, sum, n);
}
"""
)

# A junior's norm of a whole array: warps by shuffles, blocks' parts by a second kernel.
NORM = (
    HEADER
    + """\
__global__ void squares(const float* __restrict__ v, double* __restrict__ parts, int64_t n) {
    __shared__ double warps[8];
    double acc = 0.0;
    for (int64_t i = blockIdx.x * int64_t(256) + threadIdx.x; i < n; i += gridDim.x * int64_t(256)) {
        const double e = v[i];
        acc += e * e;
    }
    for (int offset = 16; offset > 0; offset >>= 1) acc += __shfl_down_sync(0xffffffffu, acc, offset);
    if ((threadIdx.x & 31) == 0) warps[threadIdx.x >> 5] = acc;
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int w = 1; w < 8; ++w) acc += warps[w];
        parts[blockIdx.x] = acc;
    }
}

__global__ void finish(const double* parts, float* norm, int count) {
    double acc = 0.0;
    for (int k = threadIdx.x; k < count; k += 32) acc += parts[k];
    for (int offset = 16; offset > 0; offset >>= 1) acc += __shfl_down_sync(0xffffffffu, acc, offset);
    if (threadIdx.x == 0) *norm = float(sqrt(acc));
}

extern "C" void launch(const float* v /* [n] */, float* norm /* [1] */, int64_t n, cudaStream_t stream = 0) {
    const int64_t wanted = (n + 255) / 256;
    const int blocks = wanted < 40 ? int(wanted) : 40;
    double* parts;
    cudaMallocAsync(reinterpret_cast<void**>(&parts), 40 * sizeof(double), stream);
    squares<<<blocks, 256, 0, stream>>>(v, parts, n);
    finish<<<1, 32, 0, stream>>>(parts, norm, blocks);
    cudaFreeAsync(parts, stream);
}
"""
)

# A junior's dot product of halves in pairs, by one block.
DOT = (
    HEADER
    + """\
__global__ void hdot(const half* a, const half* b, float* out, int64_t n) {
    extern __shared__ float smem[];
    const half2* a2 = (const half2*)a;
    const half2* b2 = (const half2*)b;
    float acc = 0.0f;
    for (int64_t i = threadIdx.x; i < n / 2; i += blockDim.x) {
        const float2 u = __half22float2(a2[i]);
        const float2 w = __half22float2(b2[i]);
        acc += u.x * w.x + u.y * w.y;
    }
    if (threadIdx.x == 0 && n % 2) acc += __half2float(a[n - 1]) * __half2float(b[n - 1]);
    smem[threadIdx.x] = acc;
    __syncthreads();
    for (int s = blockDim.x >> 1; s; s >>= 1) {
        if (threadIdx.x < s) smem[threadIdx.x] += smem[threadIdx.x + s];
        __syncthreads();
    }
    if (threadIdx.x == 0) out[0] = smem[0];
}

extern "C" void launch(float* out /* [1] */, const half* a /* [n] 4-byte aligned */, const half* b /* [n] 4-byte aligned */, int64_t n, cudaStream_t stream = 0) {
    const int threads = 512;
    hdot<<<1, threads, threads * sizeof(float), stream>>>(a, b, out, n);
}
"""
)

# A student's maximum of floats without NaN: one block, a warp's shuffles.
MAX = (
    HEADER
    + """\
__inline__ __device__ float warpMax(float val) {
    for (int mask = 16; mask > 0; mask /= 2)
        val = fmaxf(val, __shfl_xor_sync(0xffffffff, val, mask));
    return val;
}

__global__ void maxKernel(const float* in, float* out, int64_t n) {
    __shared__ float shared[32];
    int lane = threadIdx.x % 32;
    int wid = threadIdx.x / 32;
    float val = -INFINITY;
    for (int64_t i = threadIdx.x; i < n; i += blockDim.x)
        val = fmaxf(val, in[i]);
    val = warpMax(val);
    if (lane == 0) shared[wid] = val;
    __syncthreads();
    val = (threadIdx.x < blockDim.x / 32) ? shared[lane] : -INFINITY;
    if (wid == 0) val = warpMax(val);
    if (threadIdx.x == 0) out[0] = val;
}

extern "C" void launch(const float* in /* [n] */, int64_t n, float* out /* [1] */, cudaStream_t stream = 0) {
    maxKernel<<<1, 768, 0, stream>>>(in, out, n);
}
"""
)


def _plus(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    return a.double() + b.double()


def _exact(number: float) -> torch.Tensor:
    """Return what a float has of a number."""
    return torch.tensor(number, dtype=torch.float32).double()


def pictures(launcher: Launcher) -> Iterator[Case]:
    """Add dark, bright and any bytes."""
    for n in (1, 2, 31, 256, 257, 1000, 5003):
        x, y = whole(0, 256, n, n), whole(0, 256, n, n + 1)
        for label, a, b in (
            ("any", x, y),
            ("dark", x // 4, y // 4),
            ("bright", 255 - x // 8, y),
        ):
            inputs = a.to(torch.uint8), b.to(torch.uint8)
            right = ((a + b).clamp(max=255).double(),)
            yield Case(f"total = {n:,}, {label}", inputs, right, dtypes=(torch.uint8,))


def cut(launcher: Launcher) -> Iterator[Case]:
    """Cut fractions and large whole numbers to integers."""
    for n in (1, 2, 31, 256, 257, 1000, 5003):
        x = whole(-4000, 4001, n, n).float() / 16
        for block_size in (256, 96):
            for label, y in (("fractions", x), ("large", x * 100_003), ("small", x / 256)):
                scalars, right = {"block_size": block_size}, (y.double().trunc(),)
                words = f"n = {n:,}, block_size = {block_size}, {label}"
                yield Case(words, (y,), right, scalars, dtypes=(torch.int32,))


def leaky(launcher: Launcher) -> Iterator[Case]:
    """Apply leaky ReLU, by several slopes, to numbers and NaN."""
    for n in (1, 2, 31, 1920, 1921, 5003):
        x = whole(-2560, 2561, n, n).float() / 256
        strange = x.clone()
        for k, value in enumerate((float("-inf"), float("inf"), float("nan"))):
            strange[(k + 1) * n // 4] = value
        for slope in (0.01, 0.25, 2.0):
            for label, y in (("numbers", x), ("negative", -x.abs()), ("strange", strange)):
                v = y.double()
                right = (torch.where(v > 0, v, v * _exact(slope)),)
                scalars = {"negSlope": slope}
                options = {"dtypes": (torch.float32,), "ulp": 1}
                yield Case(f"N = {n:,}, {scalars}, {label}", (y,), right, scalars, **options)


def gelus(launcher: Launcher) -> Iterator[Case]:
    """Apply GELU to usual, small and large numbers."""
    for n in (1, 2, 31, 160, 161, 1000, 5003):
        x = (whole(-1280, 1281, n, n) / 256).bfloat16()
        for label, y in (("usual", x), ("small", x / 64), ("large", x * 20)):
            v = y.double()
            right = 0.5 * v * (1 + torch.tanh((2 / torch.pi) ** 0.5 * (v + 0.044715 * v**3)))
            options = {"dtypes": (torch.bfloat16,), "ulp": 1, "within": (2.0**-20 * v.abs(),)}
            yield Case(f"numel = {n:,}, {label}", (y,), (right,), **options)


def dropped(launcher: Launcher) -> Iterator[Case]:
    """Drop whole numbers by masks, some full or empty, at several rates."""
    for n in (1, 2, 31, 128, 129, 1000, 5003):
        x, r = whole(-99, 100, n, n).float(), whole(-99, 100, n, n + 1).float() / 4
        mask = whole(0, 2, n, n + 2).to(torch.uint8)
        for p in (0.0, 0.5, 0.75, 0.1):
            for label, keep in (("some", mask), ("all", mask * 0 + 1), ("none", mask * 0)):
                left = x.double() * keep.double() / (1 - _exact(p))
                scalars, slack = {"p": p}, (2.0**-21 * left.abs(),)
                options = {"dtypes": (torch.float32,), "ulp": 1, "within": slack}
                words = f"n = {n:,}, p = {p}, {label} kept"
                yield Case(words, (x, keep, r), (left + r.double(),), scalars, **options)


def clamped(launcher: Launcher) -> Iterator[Case]:
    """Scale, shift and clamp whole numbers and fractions."""
    settings = (1.0, 0.0, -6.0, 6.0), (0.5, 3.0, 0.0, 20.0), (-2.0, 1.0, -50.0, -1.0)
    for n in (1, 2, 3, 4, 31, 512, 513, 1000, 5003):
        x = whole(-99, 100, n, n).float()
        for a, b, lo, hi in settings:
            for label, y in (("whole numbers", x), ("fractions", x / 16)):
                right = ((y.double() * a + b).clamp(lo, hi),)
                scalars = {"a": a, "b": b, "lo": lo, "hi": hi}
                words = f"n = {n:,}, {scalars}, {label}"
                yield Case(words, (y,), right, scalars, dtypes=(torch.float32,))


def norms(launcher: Launcher) -> Iterator[Case]:
    """Take norms of small, and of very large, numbers."""
    for words, x in arrays(SIZES):
        for label, y in (("small", x.float() / 8), ("large", x.float() * 2.0**70)):
            right = (y.double().square().sum().sqrt().reshape(1),)
            yield Case(f"{words}, {label}", (y,), right, dtypes=(torch.float32,), ulp=1)


def products(launcher: Launcher) -> Iterator[Case]:
    """Multiply and add whole halves, whose sums are exact."""
    for words, x in arrays(SIZES):
        y = whole(-9, 10, len(x), len(x) + 7)
        y[0], y[-1] = 7, 5
        for label, b in (("small", y), ("large", y * 100), ("equal signs", y.abs() * x.sign())):
            right = ((x * b).sum().double().reshape(1),)
            inputs = x.half(), b.half()
            yield Case(f"{words}, {label}", inputs, right, dtypes=(torch.float32,), ulp=1)


def largest(launcher: Launcher) -> Iterator[Case]:
    """Find the largest of fractions, in any order."""
    for words, x in arrays(SIZES):
        y = x.float() / 16
        kinds = ("", y), ("rising", y.sort()[0]), ("falling", y.sort(descending=True)[0])
        for label, z in kinds:
            right = (z.double().max().reshape(1),)
            yield Case(f"{words} {label}", (z,), right, dtypes=(torch.float32,))


BASES = {
    "xxx_add_plain": Base(ADD, {"reference": _plus}),
    "xxx_add_halves": Base(HALVES, {"reference": _plus}),
    "xxx_add_bytes": Base(BYTES, {"cases": pictures}),
    "xxx_cast_half": Base(TO_HALF, {"reference": lambda x: x.double()}),
    "xxx_cast_int": Base(TO_INT, {"cases": cut}),
    "xxx_act_leaky": Base(LEAKY, {"cases": leaky}),
    "xxx_act_gelu": Base(GELU, {"cases": gelus}),
    "xxx_fused_dropout": Base(DROPOUT, {"cases": dropped}),
    "xxx_fused_clamp": Base(CLAMP, {"cases": clamped}),
    "xxx_sum_tree": Base(SUM, {"cases": totals}),
    "xxx_sum_norm": Base(NORM, {"cases": norms}),
    "xxx_sum_dot": Base(DOT, {"cases": products}),
    "xxx_max_warp": Base(MAX, {"cases": largest}),
    **thirtieth_arrays.BASES,
}

WRONG = (
    # ---- additions
    # No test at all.
    Wrong(
        "xxx_add_plain_no_test", "xxx_add_plain", "bounds | tail", ("    if (gid < len)\n", "")
    ),
    # One element is forgotten.
    Wrong(
        "xxx_add_plain_len_minus_one",
        "xxx_add_plain",
        "tail / unwritten | left out",
        ("gid < len)", "gid < len - 1)"),
    ),
    # Rounded down, and not up.
    Wrong(
        "xxx_add_plain_division",
        "xxx_add_plain",
        "tail / grid / unwritten / refused | left out / block size",
        ("(len - 1) / block_size + 1;", "len / block_size;"),
    ),
    # The size of blocks that the launcher had yesterday.
    Wrong(
        "xxx_add_plain_written_256",
        "xxx_add_plain",
        "block size / unwritten | left out / tail / grid",
        ("(int64_t)blockDim.x * blockIdx.x", "(int64_t)256 * blockIdx.x"),
    ),
    # The operation of the kernel that was copied.
    Wrong(
        "xxx_add_plain_minus",
        "xxx_add_plain",
        "function | numbers",
        ("a[gid] + b[gid]", "a[gid] - b[gid]"),
    ),
    # The second array's index has no block.
    Wrong(
        "xxx_add_plain_b_thread",
        "xxx_add_plain",
        "other element / function | numbers / neighbour / block size / copy",
        ("b[gid];", "b[threadIdx.x];"),
    ),
    # The rest begins one too late.
    Wrong(
        "xxx_add_halves_rest_late",
        "xxx_add_halves",
        "tail / unwritten | left out",
        ("int64_t i = packs * 8 + start;", "int64_t i = packs * 8 + 1 + start;"),
    ),
    # The last vector may be half full.
    Wrong(
        "xxx_add_halves_rounded_up",
        "xxx_add_halves",
        "bounds / tail",
        ("packs = n / 8;", "packs = (n + 7) / 8;"),
    ),
    # Three of four pairs.
    Wrong(
        "xxx_add_halves_three_pairs",
        "xxx_add_halves",
        "unwritten / left out / function / other element | numbers / state",
        ("k < 4; ++k", "k < 3; ++k"),
    ),
    # No loop for the rest.
    Wrong(
        "xxx_add_halves_no_rest",
        "xxx_add_halves",
        "tail / unwritten | left out",
        (
            "    for (int64_t i = packs * 8 + start; i < n; i += step) z[i] = __hadd(x[i], y[i]);\n",
            "",
        ),
    ),
    # Every vector's second operand is the first one's.
    Wrong(
        "xxx_add_halves_pair_of_x",
        "xxx_add_halves",
        "left out / twice / function | numbers / copy",
        (
            "half2* yh = reinterpret_cast<const half2*>(&yv);",
            "half2* yh = reinterpret_cast<const half2*>(&xv);",
        ),
    ),
    # The sum is a byte before it is looked at.
    Wrong(
        "xxx_add_bytes_byte_sum",
        "xxx_add_bytes",
        "whole range / infinity | numbers / narrow",
        ("int s = p[i]", "unsigned char s = p[i]"),
    ),
    # Clamped one too early.
    Wrong(
        "xxx_add_bytes_254",
        "xxx_add_bytes",
        "whole range / function / infinity / numbers | precision",
        ("s > 255 ? 255", "s > 254 ? 254"),
    ),
    # Pictures' bytes with a sign.
    Wrong(
        "xxx_add_bytes_signed",
        "xxx_add_bytes",
        "whole range / function / numbers | infinity / narrow",
        ("int s = p[i] + q[i];", "int s = (signed char)p[i] + (signed char)q[i];"),
    ),
    # The sum goes to the first picture, too.
    Wrong(
        "xxx_add_bytes_in_place",
        "xxx_add_bytes",
        "input",
        ("r[i] = s > 255", "r[i] = ((unsigned char*)p)[i] = s > 255"),
    ),
    # ---- casts
    # The odd one is looked for behind the end.
    Wrong(
        "xxx_cast_half_odd_past_end",
        "xxx_cast_half",
        "bounds / tail | unwritten",
        ("dst[n - 1] = __float2half_rn(src[n - 1]);", "dst[n] = __float2half_rn(src[n]);"),
    ),
    # Pairs are rounded up: the last one is half outside of it.
    Wrong(
        "xxx_cast_half_pairs_up",
        "xxx_cast_half",
        "bounds | tail",
        ("if (i < n / 2) {", "if (i < (n + 1) / 2) {"),
    ),
    # The pair is turned.
    Wrong(
        "xxx_cast_half_turned",
        "xxx_cast_half",
        "swapped / neighbour / other element | function / numbers",
        ("(v.x, v.y)", "(v.y, v.x)"),
    ),
    # Toward zero.
    Wrong(
        "xxx_cast_half_rz",
        "xxx_cast_half",
        "rounding | precision / infinity / numbers",
        (
            "dst2[i] = __floats2half2_rn(v.x, v.y);",
            "dst2[i] = __halves2half2(__float2half_rz(v.x), __float2half_rz(v.y));",
        ),
    ),
    # No thread for the odd one where the pairs fill their blocks.
    Wrong(
        "xxx_cast_half_threads",
        "xxx_cast_half",
        "tail / grid / unwritten / refused | left out / block size",
        ("n / 2 + n % 2;", "n / 2;"),
    ),
    # To the nearest.
    Wrong(
        "xxx_cast_int_nearest",
        "xxx_cast_int",
        "rounding | numbers / function",
        ("(int32_t)in[i];", "__float2int_rn(in[i]);"),
    ),
    # Toward minus infinity.
    Wrong(
        "xxx_cast_int_floor",
        "xxx_cast_int",
        "rounding / numbers | function",
        ("(int32_t)in[i];", "(int32_t)floorf(in[i]);"),
    ),
    # Through 16 bits.
    Wrong(
        "xxx_cast_int_short",
        "xxx_cast_int",
        "whole range / narrow | numbers / infinity / precision",
        ("(int32_t)in[i];", "(int16_t)(int32_t)in[i];"),
    ),
    # The test is off by one.
    Wrong(
        "xxx_cast_int_greater", "xxx_cast_int", "bounds | tail", ("if (i >= n)", "if (i > n)")
    ),
    # ---- activations
    # The slope where the numbers are positive.
    Wrong(
        "xxx_act_leaky_less",
        "xxx_act_leaky",
        "swapped / function / sides | numbers",
        ("if (v > 0.0f)", "if (v < 0.0f)"),
    ),
    # The slope stands for its product.
    Wrong(
        "xxx_act_leaky_no_product",
        "xxx_act_leaky",
        "function / copy / left out | numbers / nan / infinity",
        ("Y[idx] = negSlope * v;", "Y[idx] = negSlope;"),
    ),
    # The usual slope is written into the kernel.
    Wrong(
        "xxx_act_leaky_written_slope",
        "xxx_act_leaky",
        "left out / function | numbers / precision",
        ("negSlope * v;", "0.01f * v;"),
    ),
    # A maximum, which is right for slopes up to one only.
    Wrong(
        "xxx_act_leaky_fmaxf",
        "xxx_act_leaky",
        "function / numbers | left out",
        (
            "        if (v > 0.0f)\n            Y[idx] = v;\n        else\n            Y[idx] = negSlope * v;",
            "        Y[idx] = fmaxf(v, negSlope * v);",
        ),
    ),
    # A condition, and a fixed grid.
    Wrong(
        "xxx_act_leaky_if",
        "xxx_act_leaky",
        "grid / unwritten / left out | tail",
        (
            "    for (int64_t idx = threadIdx.x + (int64_t)blockIdx.x * blockDim.x;\n         idx < N;\n         idx += (int64_t)blockDim.x * gridDim.x)",
            "    int64_t idx = threadIdx.x + (int64_t)blockIdx.x * blockDim.x;\n    if (idx < N)",
        ),
    ),
    # 2 / pi without its root.
    Wrong(
        "xxx_act_gelu_no_root",
        "xxx_act_gelu",
        "function / precision | numbers",
        ("0.7978845608f;", "0.6366197724f;"),
    ),
    # A square in place of a cube.
    Wrong(
        "xxx_act_gelu_square",
        "xxx_act_gelu",
        "function / precision | numbers",
        ("kKappa * v * v * v)", "kKappa * v * v)"),
    ),
    # The half is missing.
    Wrong(
        "xxx_act_gelu_no_half",
        "xxx_act_gelu",
        "function / twice | numbers",
        ("0.5f * v * (1.f", "v * (1.f"),
    ),
    # A digit of the constant is lost.
    Wrong(
        "xxx_act_gelu_kappa",
        "xxx_act_gelu",
        "function / precision | numbers",
        ("0.044715f;", "0.44715f;"),
    ),
    # The tanh is rounded to bfloat16.
    Wrong(
        "xxx_act_gelu_rounded",
        "xxx_act_gelu",
        "rounding / precision | numbers",
        ("tanhf(inner)", "__bfloat162float(__float2bfloat16(tanhf(inner)))"),
    ),
    # ---- fused operators
    # What is kept is not scaled up.
    Wrong(
        "xxx_fused_dropout_no_scale",
        "xxx_fused_dropout",
        "left out / function | numbers",
        ("x[i] * scale : 0.0f", "x[i] : 0.0f"),
    ),
    # Divided by the rate of those that are dropped.
    Wrong(
        "xxx_fused_dropout_by_p",
        "xxx_fused_dropout",
        "function / infinity / nan | numbers",
        ("1.0f / (1.0f - p);", "1.0f / p;"),
    ),
    # The mask's meaning is turned.
    Wrong(
        "xxx_fused_dropout_mask_turned",
        "xxx_fused_dropout",
        "swapped / function | numbers / left out",
        ("keep[i] ? x[i] * scale : 0.0f", "keep[i] ? 0.0f : x[i] * scale"),
    ),
    # The residual is dropped, too.
    Wrong(
        "xxx_fused_dropout_residual",
        "xxx_fused_dropout",
        "function / left out | numbers",
        (
            "x[i] * scale : 0.0f;\n        out[i] = kept + residual[i];",
            "x[i] * scale + residual[i] : 0.0f;\n        out[i] = kept;",
        ),
    ),
    # Scaled after the residual.
    Wrong(
        "xxx_fused_dropout_scale_all",
        "xxx_fused_dropout",
        "function | numbers / left out / precision",
        (
            "x[i] * scale : 0.0f;\n        out[i] = kept + residual[i];",
            "x[i] : 0.0f;\n        out[i] = (kept + residual[i]) * scale;",
        ),
    ),
    # Integers divide.
    Wrong(
        "xxx_fused_dropout_int_scale",
        "xxx_fused_dropout",
        "function / precision / rounding | numbers / whole range",
        ("const float scale = 1.0f", "const int scale = 1.0f"),
    ),
    # The bounds are taken in the wrong order.
    Wrong(
        "xxx_fused_clamp_bounds_swapped",
        "xxx_fused_clamp",
        "swapped / function / copy | numbers",
        ("fminf(fmaxf(a * v + b, lo), hi)", "fminf(fmaxf(a * v + b, hi), lo)"),
    ),
    # Clamped before the shift.
    Wrong(
        "xxx_fused_clamp_before_b",
        "xxx_fused_clamp",
        "function | numbers",
        ("fminf(fmaxf(a * v + b, lo), hi)", "fminf(fmaxf(a * v, lo), hi) + b"),
    ),
    # The third lane twice, and the fourth never.
    Wrong(
        "xxx_fused_clamp_z_twice",
        "xxx_fused_clamp",
        "other element / neighbour / left out | numbers / function / twice",
        ("f(v.z), f(v.w))", "f(v.z), f(v.z))"),
    ),
    # Two threads for up to three elements.
    Wrong(
        "xxx_fused_clamp_rest_two",
        "xxx_fused_clamp",
        "tail / unwritten | left out",
        ("<<<1, 4, 0, stream>>>", "<<<1, 2, 0, stream>>>"),
    ),
    # Brackets: the shift is scaled.
    Wrong(
        "xxx_fused_clamp_brackets",
        "xxx_fused_clamp",
        "function | numbers",
        ("fmaxf(a * v + b, lo)", "fmaxf(a * (v + b), lo)"),
    ),
    # On no stream.
    Wrong(
        "xxx_fused_clamp_rest_stream",
        "xxx_fused_clamp",
        "stream",
        ("affine_rest<<<1, 4, 0, stream>>>", "affine_rest<<<1, 4>>>"),
    ),
    # ---- sums
    # The loading of the last block is not tested.
    Wrong(
        "xxx_sum_tree_no_zero",
        "xxx_sum_tree",
        "bounds | tail",
        ("i < n ? data[i] : 0.0f;", "data[i];"),
    ),
    # The tree's first step is missing.
    Wrong(
        "xxx_sum_tree_quarter",
        "xxx_sum_tree",
        "left out | numbers / other element",
        ("half = BLOCK / 2;", "half = BLOCK / 4;"),
    ),
    # No barrier between the tree's steps.
    Wrong(
        "xxx_sum_tree_no_barrier",
        "xxx_sum_tree",
        "race | left out / numbers / twice",
        ("buf[t + half];\n        __syncthreads();\n", "buf[t + half];\n"),
    ),
    # The output is not set to zero.
    Wrong(
        "xxx_sum_tree_no_memset",
        "xxx_sum_tree",
        "zero before / state | start / numbers",
        ("    cudaMemsetAsync(sum, 0, sizeof(float), stream);\n", ""),
    ),
    # Two threads are let through, and each adds the block's sum.
    Wrong(
        "xxx_sum_tree_two_add",
        "xxx_sum_tree",
        "twice | numbers / function",
        ("    if (t == 0) atomicAdd(sum", "    if (t < 2) atomicAdd(sum"),
    ),
    # Each block writes what all should add.
    Wrong(
        "xxx_sum_tree_store",
        "xxx_sum_tree",
        "race / left out | numbers",
        ("atomicAdd(sum, buf[0]);", "*sum = buf[0];"),
    ),
    # Squares are floats.
    Wrong(
        "xxx_sum_norm_float_squares",
        "xxx_sum_norm",
        "infinity / whole range / narrow / precision | numbers / rounding",
        ("const double e = v[i];", "const float e = v[i];"),
    ),
    # No root.
    Wrong(
        "xxx_sum_norm_no_root",
        "xxx_sum_norm",
        "function | numbers / infinity",
        ("float(sqrt(acc));", "float(acc);"),
    ),
    # One warp is forgotten.
    Wrong(
        "xxx_sum_norm_seven_warps",
        "xxx_sum_norm",
        "left out | numbers / other element",
        ("w < 8; ++w", "w < 7; ++w"),
    ),
    # The first warp's sum is counted again.
    Wrong(
        "xxx_sum_norm_from_zero",
        "xxx_sum_norm",
        "twice | numbers / function",
        ("int w = 1; w < 8", "int w = 0; w < 8"),
    ),
    # At most 32 of 40 parts.
    Wrong(
        "xxx_sum_norm_32_parts",
        "xxx_sum_norm",
        "left out | numbers / grid / other element",
        (
            "for (int k = threadIdx.x; k < count; k += 32) acc += parts[k];",
            "if (threadIdx.x < count) acc = parts[threadIdx.x];",
        ),
    ),
    # A place for parts of the size of floats.
    Wrong(
        "xxx_sum_norm_short_parts",
        "xxx_sum_norm",
        "bounds",
        ("40 * sizeof(double)", "40 * sizeof(float)"),
    ),
    # The product of halves is a half.
    Wrong(
        "xxx_sum_dot_half_product",
        "xxx_sum_dot",
        "precision / rounding / infinity | numbers / whole range",
        (
            "        const float2 u = __half22float2(a2[i]);\n        const float2 w = __half22float2(b2[i]);\n        acc += u.x * w.x + u.y * w.y;",
            "        const float2 u = __half22float2(__hmul2(a2[i], b2[i]));\n        acc += u.x + u.y;",
        ),
    ),
    # The odd one is added by all.
    Wrong(
        "xxx_sum_dot_odd_by_all",
        "xxx_sum_dot",
        "twice | numbers / function / tail",
        ("if (threadIdx.x == 0 && n % 2) acc", "if (n % 2) acc"),
    ),
    # The odd one is forgotten.
    Wrong(
        "xxx_sum_dot_no_odd",
        "xxx_sum_dot",
        "left out / tail | numbers",
        (
            "    if (threadIdx.x == 0 && n % 2) acc += __half2float(a[n - 1]) * __half2float(b[n - 1]);\n",
            "",
        ),
    ),
    # Shared memory of halves.
    Wrong(
        "xxx_sum_dot_shared_halves",
        "xxx_sum_dot",
        "bounds",
        ("threads * sizeof(float), stream", "threads * sizeof(half), stream"),
    ),
    # Second lanes meet first ones.
    Wrong(
        "xxx_sum_dot_crossed",
        "xxx_sum_dot",
        "other element / function / swapped / neighbour | numbers",
        ("u.x * w.x + u.y * w.y", "u.x * w.y + u.y * w.x"),
    ),
    # ---- maxima
    # The smallest positive float is no lowest one.
    Wrong(
        "xxx_max_warp_flt_min",
        "xxx_max_warp",
        "start | numbers",
        ("float val = -INFINITY;", "float val = FLT_MIN;"),
    ),
    # Lanes without a warp's part take zero.
    Wrong(
        "xxx_max_warp_zero_lanes",
        "xxx_max_warp",
        "start | numbers",
        ("shared[lane] : -INFINITY;", "shared[lane] : 0.0f;"),
    ),
    # A shuffle that ends at a step of two.
    Wrong(
        "xxx_max_warp_last_step",
        "xxx_max_warp",
        "left out | numbers / other element",
        ("mask > 0; mask /= 2", "mask > 1; mask /= 2"),
    ),
    # The warps' parts are read before they are written.
    Wrong(
        "xxx_max_warp_no_barrier",
        "xxx_max_warp",
        "race | left out / numbers / start / unwritten / bounds",
        ("    __syncthreads();\n", ""),
    ),
    # Magnitudes, by a habit.
    Wrong(
        "xxx_max_warp_fabs",
        "xxx_max_warp",
        "function / numbers | left out / start",
        ("fmaxf(val, in[i]);", "fmaxf(val, fabsf(in[i]));"),
    ),
    # The first element of each thread only.
    Wrong(
        "xxx_max_warp_one_each",
        "xxx_max_warp",
        "left out | numbers / other element / tail / grid",
        (
            "for (int64_t i = threadIdx.x; i < n; i += blockDim.x)",
            "for (int64_t i = threadIdx.x; i < n && i < blockDim.x; i += blockDim.x)",
        ),
    ),
    *thirtieth_arrays.WRONG,
)

RIGHT = (
    # More blocks than are needed.
    Right(
        "xxx_add_plain_idle",
        "xxx_add_plain",
        ("(len - 1) / block_size + 1;", "len / block_size + 5;"),
    ),
    # The rest is the last threads'.
    Right(
        "xxx_add_halves_rest_backwards",
        "xxx_add_halves",
        (
            "int64_t i = packs * 8 + start; i < n; i += step)",
            "int64_t i = n - 1 - start; i >= packs * 8; i -= step)",
        ),
    ),
    # The sum is clamped by a minimum in float.
    Right(
        "xxx_add_bytes_min",
        "xxx_add_bytes",
        ("int s = p[i] + q[i];", "unsigned short s = p[i]; s += q[i];"),
        ("s > 255 ? 255 : s;", "(unsigned char)fminf(s, 255.0f);"),
    ),
    # The odd one is the first thread's, too.
    Right(
        "xxx_cast_half_odd_by_first",
        "xxx_cast_half",
        ("} else if (i == n / 2 && n % 2 == 1) {", "}\n    if (i == 0 && (n & 1)) {"),
    ),
    # Cut first: the nearest of a whole number is itself.
    Right(
        "xxx_cast_int_rz", "xxx_cast_int", ("(int32_t)in[i];", "__float2int_rn(truncf(in[i]));")
    ),
    # The slope is chosen as a factor, and the blocks are few and large.
    Right(
        "xxx_act_leaky_selected",
        "xxx_act_leaky",
        (
            "        if (v > 0.0f)\n            Y[idx] = v;\n        else\n            Y[idx] = negSlope * v;",
            "        float slope = v > 0.0f ? 1.0f : negSlope;\n        Y[idx] = slope * v;",
        ),
        ("<<<20, 96, 0, stream>>>", "<<<3, 1024, 0, stream>>>"),
    ),
    # As a sigmoid of twice the argument.
    Right(
        "xxx_act_gelu_sigmoid",
        "xxx_act_gelu",
        ("0.5f * v * (1.f + tanhf(inner))", "v / (1.f + expf(-2.f * inner))"),
    ),
    # A mask that multiplies.
    Right(
        "xxx_fused_dropout_product",
        "xxx_fused_dropout",
        ("keep[i] ? x[i] * scale : 0.0f;", "x[i] * (float)(keep[i] != 0) * scale;"),
        ("grid > 16) grid = 16;", "grid > 2) grid = 2;"),
    ),
    # One fused step, and the upper bound first.
    Right(
        "xxx_fused_clamp_upper_first",
        "xxx_fused_clamp",
        ("fminf(fmaxf(a * v + b, lo), hi)", "fmaxf(fminf(fmaf(v, a, b), hi), lo)"),
        ("affine_rest<<<1, 4, 0, stream>>>", "affine_rest<<<1, 32, 0, stream>>>"),
    ),
    # The tree ends with two, and each is added.
    Right(
        "xxx_sum_tree_two_left",
        "xxx_sum_tree",
        ("half >= 1;", "half >= 2;"),
        ("    if (t == 0) atomicAdd(sum, buf[0]);", "    if (t < 2) atomicAdd(sum, buf[t]);"),
    ),
    # Warps and parts are added from the last to the first.
    Right(
        "xxx_sum_norm_backwards",
        "xxx_sum_norm",
        ("int w = 1; w < 8; ++w", "int w = 7; w > 0; --w"),
        (
            "int k = threadIdx.x; k < count; k += 32",
            "int k = count - 1 - (int)threadIdx.x; k >= 0; k -= 32",
        ),
    ),
    # Fused additions, by fewer threads.
    Right(
        "xxx_sum_dot_fused",
        "xxx_sum_dot",
        ("acc += u.x * w.x + u.y * w.y;", "acc = fmaf(u.y, w.y, fmaf(u.x, w.x, acc));"),
        ("threads = 512;", "threads = 128;"),
    ),
    # Starts with the first element.
    Right(
        "xxx_max_warp_first_element",
        "xxx_max_warp",
        ("float val = -INFINITY;", "float val = in[0];"),
        ("shared[lane] : -INFINITY;", "shared[lane] : shared[0];"),
    ),
    *thirtieth_arrays.RIGHT,
)
