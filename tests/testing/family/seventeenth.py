"""Hold a seventeenth family, of other operators: elementwise; committed before `check` saw it.

The causes were written before a member was judged. Each kernel ran beside PyTorch: the bases
and the right ones are right, the wrong ones wrong.

At first, after the sixteenth part had been mended by class, 43 of 44 were caught, 38 sentences
named the fault, 4 none, 1 another; 14 of 14 right ones were accepted. The one that passed
cleared its output on another stream. No label was changed for these figures.
"""

# ruff: noqa: E501 (a line of a kernel stands in one line)
from __future__ import annotations

import torch

from tests.testing.family import seventeenth_arrays
from tests.testing.family.elementwise import HEADER
from tests.testing.family.table import Base, Right, Wrong

# A beginner: one thread for one element, a name for every step.
SOFTPLUS = (
    HEADER
    + """\
// log(1 + exp(x)), written so that exp never sees a large number
__global__ void softplus(const float* x, float* y, int64_t n) {
    int64_t i = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float v = x[i];
        float straight = fmaxf(v, 0.0f);
        float bend = log1pf(expf(-fabsf(v)));
        y[i] = straight + bend;
    }
}

extern "C" void launch(const float* x,  // [n]
                       float* y,        // [n]
                       int64_t n, int block_size = 256, cudaStream_t stream = 0) {
    int64_t blocks = (n + block_size - 1) / block_size;
    softplus<<<blocks, block_size, 0, stream>>>(x, y, n);
}
"""
)

# A friend of grid-stride loops: sixteenths, as int8 (a NaN becomes 0).
QUANTISE = (
    HEADER
    + """\
__device__ __forceinline__ int8_t to_int8(float x) {
    int q = __float2int_rn(x * 16.0f);
    q = max(-128, min(127, q));
    return static_cast<int8_t>(q);
}

__global__ void quantise(const float* __restrict__ x, int8_t* __restrict__ out, int64_t n) {
    const int64_t step = int64_t(gridDim.x) * blockDim.x;
    for (int64_t i = int64_t(blockIdx.x) * blockDim.x + threadIdx.x; i < n; i += step) {
        out[i] = to_int8(x[i]);
    }
}

extern "C" void launch(const float* x,  // [n]
                       int8_t* out,     // [n]
                       int64_t n, int block_size = 256, cudaStream_t stream = 0) {
    const int64_t wanted = (n + block_size - 1) / block_size;
    const int blocks = wanted < 1024 ? int(wanted) : 1024;
    quantise<<<blocks, block_size, 0, stream>>>(x, out, n);
}
"""
)

# Someone who brings CPU loops along: a thread takes eight pixels in a row.
BLEND = (
    HEADER
    + """\
const int CHUNK = 8;

// alpha blending of two grey images: alpha 255 shows only the front, 0 only the back
__global__ void blend(const uint8_t* front, const uint8_t* back, const uint8_t* alpha, uint8_t* out, int64_t n) {
    const int64_t worker = blockIdx.x * (int64_t)blockDim.x + threadIdx.x;
    const int64_t begin = worker * CHUNK;
    const int64_t end = begin + CHUNK < n ? begin + CHUNK : n;
    for (int64_t p = begin; p < end; p++) {
        const int w = alpha[p];
        const int mixed = front[p] * w + back[p] * (255 - w);
        out[p] = (uint8_t)((mixed + 127) / 255);
    }
}

extern "C" void launch(const uint8_t* front,  // [n]
                       const uint8_t* back,   // [n]
                       const uint8_t* alpha,  // [n]
                       uint8_t* out,          // [n]
                       int64_t n, int block_size = 128, cudaStream_t stream = 0) {
    const int64_t workers = (n + CHUNK - 1) / CHUNK;
    const int64_t blocks = (workers + block_size - 1) / block_size;
    blend<<<blocks, block_size, 0, stream>>>(front, back, alpha, out, n);
}
"""
)

# A veteran: two halves and two bytes of the mask at a time, where the addresses allow it.
DROPOUT = (
    HEADER
    + """\
// half of the elements are kept and doubled: p = 0.5
__device__ __forceinline__ half kept(unsigned char keep, half doubled) {
    return keep ? doubled : __float2half(0.0f);
}

template <bool kPairs>
__global__ void dropout(const half* __restrict__ x, const uint8_t* __restrict__ keep, half* __restrict__ y, int64_t n) {
    const int64_t t = int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
    if constexpr (kPairs) {
        const int64_t i = 2 * t;
        if (i + 1 < n) {
            const half2 v = *reinterpret_cast<const half2*>(x + i);
            const uchar2 k = *reinterpret_cast<const uchar2*>(keep + i);
            const half2 d = __hadd2(v, v);
            *reinterpret_cast<half2*>(y + i) = __halves2half2(kept(k.x, __low2half(d)), kept(k.y, __high2half(d)));
        } else if (i < n) {
            y[i] = kept(keep[i], __hadd(x[i], x[i]));
        }
    } else {
        if (t < n) y[t] = kept(keep[t], __hadd(x[t], x[t]));
    }
}

static bool fits(const void* p, size_t bytes) { return reinterpret_cast<uintptr_t>(p) % bytes == 0; }

extern "C" void launch(const half* x,        // [n]
                       const uint8_t* keep,  // [n]
                       half* y,              // [n]
                       int64_t n, int block_size = 256, cudaStream_t stream = 0) {
    if (fits(x, 4) && fits(keep, 2) && fits(y, 4)) {
        const int64_t pairs = (n + 1) / 2;
        dropout<true><<<(pairs + block_size - 1) / block_size, block_size, 0, stream>>>(x, keep, y, n);
    } else {
        dropout<false><<<(n + block_size - 1) / block_size, block_size, 0, stream>>>(x, keep, y, n);
    }
}
"""
)

# A friend of templates: a functor, and four elements a thread, a block apart.
TANH_BACKWARD = (
    HEADER
    + """\
// y = tanh(x), so dx = dy * (1 - y^2)
struct TanhBackward {
    __device__ half operator()(half grad, half value) const {
        const float g = __half2float(grad);
        const float y = __half2float(value);
        return __float2half_rn(g * ((1.0f - y) * (1.0f + y)));
    }
};

template <int kEach, class Op>
__global__ void zip(const half* grad, const half* y, half* out, int64_t n, Op op) {
    const int64_t first = int64_t(blockIdx.x) * blockDim.x * kEach + threadIdx.x;
#pragma unroll
    for (int e = 0; e < kEach; ++e) {
        const int64_t i = first + int64_t(e) * blockDim.x;
        if (i < n) out[i] = op(grad[i], y[i]);
    }
}

extern "C" void launch(const half* grad,  // [n]
                       const half* y,     // [n]
                       half* out,         // [n]
                       int64_t n, int block_size = 256, cudaStream_t stream = 0) {
    constexpr int kEach = 4;
    const int64_t per_block = int64_t(block_size) * kEach;
    zip<kEach><<<(n + per_block - 1) / per_block, block_size, 0, stream>>>(grad, y, out, n, TanhBackward{});
}
"""
)

# Someone who knows one trick, int4: whole quads first, then what is left.
GRAY = (
    HEADER
    + """\
__device__ int gray(int v) {
    const unsigned u = static_cast<unsigned>(v);
    return static_cast<int>(u ^ (u >> 1));
}

__global__ void gray_code(const int* x, int* out, int64_t n, bool wide) {
    const int64_t t = int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
    if (!wide) {
        if (t < n) out[t] = gray(x[t]);
        return;
    }
    const int64_t quads = n / 4;
    if (t < quads) {
        const int4 q = ((const int4*)x)[t];
        ((int4*)out)[t] = make_int4(gray(q.x), gray(q.y), gray(q.z), gray(q.w));
    }
    const int64_t left = quads * 4 + t;
    if (left < n) out[left] = gray(x[left]);
}

extern "C" void launch(const int* x,  // [n]
                       int* out,      // [n]
                       int64_t n, int block_size = 256, cudaStream_t stream = 0) {
    const bool wide = (uintptr_t)x % 16 == 0 && (uintptr_t)out % 16 == 0;
    const int64_t threads = wide ? n / 4 + 3 : n;
    gray_code<<<(threads + block_size - 1) / block_size, block_size, 0, stream>>>(x, out, n, wide);
}
"""
)

# Someone who has met cooperative groups: the grid says who one is.
FMOD = (
    HEADER
    + """\
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

__global__ void fmod_all(const float* a, const float* b, float* out, int64_t n) {
    const cg::grid_group grid = cg::this_grid();
    for (int64_t i = grid.thread_rank(); i < n; i += grid.size()) {
        const float rest = fmodf(a[i], b[i]);
        out[i] = rest;
    }
}

extern "C" void launch(const float* a,  // [n]
                       const float* b,  // [n]
                       float* out,      // [n]
                       int64_t n, int block_size = 256, cudaStream_t stream = 0) {
    int64_t blocks = (n + block_size - 1) / block_size;
    if (blocks > 512) blocks = 512;
    fmod_all<<<blocks, block_size, 0, stream>>>(a, b, out, n);
}
"""
)

# Someone who loves bits: bfloat16 by hand, on a grid of two dimensions.
TO_BF16 = (
    HEADER
    + """\
constexpr int64_t ACROSS = 1024;

__device__ unsigned short upper_half(float x) {
    const unsigned u = __float_as_uint(x);
    if ((u & 0x7fffffffu) > 0x7f800000u) return 0x7fff;  // NaN
    const unsigned odd = (u >> 16) & 1u;
    return (u + 0x7fffu + odd) >> 16;
}

__global__ void to_bf16(const float* x, __nv_bfloat16* out, int64_t n) {
    const int64_t block = (int64_t)blockIdx.y * gridDim.x + blockIdx.x;
    const int64_t i = block * blockDim.x + threadIdx.x;
    if (i < n) out[i] = __ushort_as_bfloat16(upper_half(x[i]));
}

extern "C" void launch(const float* x,      // [n]
                       __nv_bfloat16* out,  // [n]
                       int64_t n, int block_size = 256, cudaStream_t stream = 0) {
    const int64_t blocks = (n + block_size - 1) / block_size;
    const int64_t across = blocks < ACROSS ? blocks : ACROSS;
    const dim3 grid(across, (blocks + across - 1) / across);
    to_bf16<<<grid, block_size, 0, stream>>>(x, out, n);
}
"""
)


def _softplus(x: torch.Tensor) -> torch.Tensor:
    return x.clamp(min=0) + torch.log1p(torch.exp(-x.abs()))


def _quantise(x: torch.Tensor) -> torch.Tensor:
    q = torch.round(x.double() * 16).clamp(-128, 127)
    return torch.where(x.isnan(), torch.zeros_like(q), q)


def _blend(front: torch.Tensor, back: torch.Tensor, alpha: torch.Tensor) -> torch.Tensor:
    front, back, alpha = front.double(), back.double(), alpha.double()
    return torch.floor((front * alpha + back * (255 - alpha) + 127) / 255)


def _dropout(x: torch.Tensor, keep: torch.Tensor) -> torch.Tensor:
    return torch.where(keep != 0, 2 * x.double(), 0.0)


def _tanh_backward(grad: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    return grad * ((1 - y) * (1 + y))


def _gray(x: torch.Tensor) -> torch.Tensor:
    u = x.long() & 0xFFFFFFFF
    code = u ^ (u >> 1)
    return torch.where(code >= 2**31, code - 2**32, code).double()


BASES = {
    "sv_softplus": Base(SOFTPLUS, {"reference": _softplus, "ulp": 4}),
    "sv_quantise": Base(QUANTISE, {"reference": _quantise}),
    "sv_blend": Base(BLEND, {"reference": _blend}),
    "sv_dropout": Base(DROPOUT, {"reference": _dropout}),
    "sv_tanh_backward": Base(TANH_BACKWARD, {"reference": _tanh_backward, "ulp": 1}),
    "sv_gray": Base(GRAY, {"reference": _gray}),
    "sv_fmod": Base(FMOD, {"reference": torch.fmod}),
    "sv_to_bf16": Base(TO_BF16, {"reference": lambda x: x}),
    **seventeenth_arrays.BASES,
}

WRONG = (
    # exp(89) is infinite, and softplus(89) is 89.
    Wrong(
        "sv_softplus_plain",
        "sv_softplus",
        "infinity / numbers",
        ("straight = fmaxf(v, 0.0f)", "straight = 0.0f"),
        ("expf(-fabsf(v))", "expf(v)"),
    ),
    # 1 + exp(-20) has hardly a digit of exp(-20) left, and 1 + exp(-90) none.
    Wrong(
        "sv_softplus_log_of_sum",
        "sv_softplus",
        "precision | numbers / rounding / subnormal",
        ("log1pf(expf(-fabsf(v)))", "logf(1.0f + expf(-fabsf(v)))"),
    ),
    # Blocks are counted for 256 threads, whatever they have.
    Wrong(
        "sv_softplus_blocks_of_256",
        "sv_softplus",
        "block size / grid | unwritten / tail",
        ("(n + block_size - 1) / block_size", "(n + 255) / 256"),
    ),
    # Half a step is added and the rest cut off: ties go up, and negative numbers a step up.
    Wrong(
        "sv_quantise_half_up",
        "sv_quantise",
        "rounding | numbers",
        ("__float2int_rn(x * 16.0f)", "__float2int_rz(x * 16.0f + 0.5f)"),
    ),
    # It is an int8 already when it is clamped.
    Wrong(
        "sv_quantise_clamped_late",
        "sv_quantise",
        "whole range / narrow | numbers / infinity",
        ("int q = __float2int_rn", "int8_t q = __float2int_rn"),
        ("max(-128, min(127, q))", "max(-128, min(127, static_cast<int>(q)))"),
    ),
    # The counter has 32 bits, n has 64.
    Wrong(
        "sv_quantise_int_counter",
        "sv_quantise",
        "narrow | bounds / timeout",
        (
            "for (int64_t i = int64_t(blockIdx.x) * blockDim.x + threadIdx.x;",
            "for (int i = blockIdx.x * blockDim.x + threadIdx.x;",
        ),
    ),
    # 255 * 255 is more than a short holds.
    Wrong(
        "sv_blend_short",
        "sv_blend",
        "whole range / narrow | numbers / infinity",
        ("const int mixed", "const short mixed"),
    ),
    # A shift divides by 256: white over white is no longer white.
    Wrong(
        "sv_blend_shift",
        "sv_blend",
        "function / rounding / numbers",
        ("(mixed + 127) / 255", "(mixed + 127) >> 8"),
    ),
    # The last chunk may be shorter than eight.
    Wrong(
        "sv_blend_whole_chunks",
        "sv_blend",
        "bounds | tail",
        ("end = begin + CHUNK < n ? begin + CHUNK : n", "end = begin + CHUNK"),
    ),
    # Both halves go by the mask of the first.
    Wrong(
        "sv_dropout_one_mask",
        "sv_dropout",
        "neighbour / left out | other element / numbers",
        ("kept(k.y, __high2half(d))", "kept(k.x, __high2half(d))"),
    ),
    # The mask is read in twos from an odd address.
    Wrong(
        "sv_dropout_mask_anywhere",
        "sv_dropout",
        "alignment",
        ("fits(x, 4) && fits(keep, 2) && fits(y, 4)", "fits(x, 4) && fits(y, 4)"),
    ),
    # 0 times infinity is NaN, and 0 times -1 is -0.
    Wrong(
        "sv_dropout_times_mask",
        "sv_dropout",
        "nan / infinity / sign of zero | numbers",
        (
            "keep ? doubled : __float2half(0.0f)",
            "__hmul(doubled, __float2half(keep ? 1.0f : 0.0f))",
        ),
    ),
    # tanh's derivative where the gradient is, and the other way round.
    Wrong(
        "sv_tanh_backward_turned",
        "sv_tanh_backward",
        "swapped",
        ("op(grad[i], y[i])", "op(y[i], grad[i])"),
    ),
    # That is the derivative of the sigmoid.
    Wrong(
        "sv_tanh_backward_sigmoid",
        "sv_tanh_backward",
        "function",
        ("((1.0f - y) * (1.0f + y))", "(y * (1.0f - y))"),
    ),
    # A block's rounds lie 256 apart, whatever its size.
    Wrong(
        "sv_tanh_backward_256_apart",
        "sv_tanh_backward",
        "block size | unwritten / twice / race",
        ("int64_t(e) * blockDim.x", "int64_t(e) * 256"),
    ),
    # A signed shift copies the sign: the top bit of negative numbers goes away.
    Wrong(
        "sv_gray_signed_shift",
        "sv_gray",
        "numbers / whole range | function / rounding",
        (
            "const unsigned u = static_cast<unsigned>(v);",
            "const int u = v;",
        ),
    ),
    # Threads without a quad go home, and some of them had the rest to do.
    Wrong(
        "sv_gray_early_return",
        "sv_gray",
        "tail / unwritten | left out",
        ("    if (t < quads) {\n", "    if (t >= quads) return;\n    {\n"),
    ),
    # Python's %, whose sign is that of b.
    Wrong(
        "sv_fmod_as_python",
        "sv_fmod",
        "numbers / function | infinity / nan / sign of zero",
        (
            "const float rest = fmodf(a[i], b[i]);",
            "float rest = fmodf(a[i], b[i]);\n        if (rest != 0.0f && (rest < 0.0f) != (b[i] < 0.0f)) rest += b[i];",
        ),
    ),
    # The caller's stream is not passed on.
    Wrong(
        "sv_fmod_no_stream",
        "sv_fmod",
        "stream",
        ("<<<blocks, block_size, 0, stream>>>", "<<<blocks, block_size>>>"),
    ),
    # A tie always goes away from zero, not to the even one.
    Wrong(
        "sv_to_bf16_ties_up",
        "sv_to_bf16",
        "rounding",
        ("(u + 0x7fffu + odd) >> 16", "(u + 0x8000u) >> 16"),
    ),
    # Rounding carries some NaNs over into infinity or into -0.
    Wrong(
        "sv_to_bf16_nan_rounded",
        "sv_to_bf16",
        "nan | infinity / sign of zero / numbers",
        ("    if ((u & 0x7fffffffu) > 0x7f800000u) return 0x7fff;  // NaN\n", ""),
    ),
    # A last row of blocks that is not full has no place in the grid.
    Wrong(
        "sv_to_bf16_rows_down",
        "sv_to_bf16",
        "grid / unwritten / tail",
        ("(blocks + across - 1) / across", "blocks / across"),
    ),
    *seventeenth_arrays.WRONG,
)

RIGHT = (
    # Two cases instead of two terms.
    Right(
        "sv_softplus_two_cases",
        "sv_softplus",
        ("float straight = fmaxf(v, 0.0f);", "float e = expf(v < 0.0f ? v : -v);"),
        ("float bend = log1pf(expf(-fabsf(v)));", "float bend = log1pf(e);"),
        ("y[i] = straight + bend;", "y[i] = v > 0.0f ? v + bend : bend;"),
    ),
    # Rounded as a float, then converted; the clamp is written out.
    Right(
        "sv_quantise_rint",
        "sv_quantise",
        ("__float2int_rn(x * 16.0f)", "__float2int_rz(rintf(x * 16.0f))"),
        ("q = max(-128, min(127, q));", "if (q > 127) q = 127;\n    if (q < -128) q = -128;"),
    ),
    # The old trick for a division by 255: exact for all that two bytes can give.
    Right(
        "sv_blend_by_shifts",
        "sv_blend",
        (
            "(uint8_t)((mixed + 127) / 255)",
            "(uint8_t)((mixed + 128 + ((mixed + 128) >> 8)) >> 8)",
        ),
    ),
    # All bits of a half, or none.
    Right(
        "sv_dropout_by_bits",
        "sv_dropout",
        (
            "keep ? doubled : __float2half(0.0f)",
            "__ushort_as_half(__half_as_ushort(doubled) & (keep ? 0xffffu : 0u))",
        ),
    ),
    # Halving instead of a shift.
    Right("sv_gray_halved", "sv_gray", ("(u ^ (u >> 1))", "(u ^ (u / 2))")),
    # From the last element to the first.
    Right(
        "sv_fmod_downwards",
        "sv_fmod",
        (
            "for (int64_t i = grid.thread_rank(); i < n; i += grid.size())",
            "for (int64_t i = n - 1 - (int64_t)grid.thread_rank(); i >= 0; i -= (int64_t)grid.size())",
        ),
    ),
    # Blocks are numbered down the columns of the grid.
    Right(
        "sv_to_bf16_by_columns",
        "sv_to_bf16",
        (
            "(int64_t)blockIdx.y * gridDim.x + blockIdx.x",
            "(int64_t)blockIdx.x * gridDim.y + blockIdx.y",
        ),
    ),
    *seventeenth_arrays.RIGHT,
)
