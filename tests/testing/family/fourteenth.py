"""Hold a fourteenth family, in five hands: elementwise; committed before `check` saw it.

The causes were written before a member was judged.

At first 29 of 30 were caught, 25 sentences named the fault, 2 none, 2 another; 6 of 6 right
ones were accepted. No label was changed for these figures.
"""

# ruff: noqa: E501 (a line of a kernel stands in one line)
from __future__ import annotations

import torch

from tests.testing.family.elementwise import HEADER
from tests.testing.family.table import Base, Right, Wrong

# A student: a grid-stride loop, every step on its own line.
SOFTPLUS = (
    HEADER
    + """\
// softplus(x) = ln(1 + e^x)
__global__ void softplus(const float* x, float* y, int64_t n) {
    int64_t start = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    int64_t stride = (int64_t)gridDim.x * blockDim.x;
    for (int64_t i = start; i < n; i += stride) {
        float v = x[i];
        float big = fmaxf(v, 0.0f);
        float rest = log1pf(expf(-fabsf(v)));
        y[i] = big + rest;
    }
}

extern "C" void launch(const float* x,  // [n]
                       float* y,        // [n]
                       int64_t n, int block_size = 256, cudaStream_t stream = 0) {
    int64_t blocks = (n + block_size - 1) / block_size;
    if (blocks > 512) blocks = 512;
    softplus<<<blocks, block_size, 0, stream>>>(x, y, n);
}
"""
)

# A C programmer: size_t, early return, any byte but 0 is true.
SELECT = (
    HEADER
    + """\
__global__ void select_kernel(const uint8_t* mask, const float* a, const float* b, float* out, size_t count)
{
    const size_t i = (size_t)blockIdx.x * blockDim.x + threadIdx.x;

    if (i >= count)
        return;

    out[i] = mask[i] ? a[i] : b[i];
}

extern "C" void launch(const uint8_t* mask,  // [n]
                       const float* a,       // [n]
                       const float* b,       // [n]
                       float* out,           // [n]
                       int64_t n, int block_size = 256, cudaStream_t stream = 0) {
    const size_t blocks = ((size_t)n + block_size - 1) / block_size;

    select_kernel<<<(unsigned)blocks, block_size, 0, stream>>>(mask, a, b, out, (size_t)n);
}
"""
)

# A library author: a functor, float4 where all pointers allow it, a loop for the rest.
RELU_BACKWARD = (
    HEADER
    + """\
namespace lib {

// As in the framework: a NaN in x lets the gradient through.
template <typename T>
struct ReluGrad {
    __device__ __forceinline__ T operator()(T x, T g) const { return x <= T(0) ? T(0) : g; }
};

inline bool aligned16(const void* p) { return reinterpret_cast<uintptr_t>(p) % 16 == 0; }

__global__ void relu_backward(const float* __restrict__ x, const float* __restrict__ grad, float* __restrict__ out, int64_t n, bool vec) {
    const ReluGrad<float> f{};
    const int64_t tid = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    const int64_t threads = static_cast<int64_t>(gridDim.x) * blockDim.x;
    const int64_t quads = vec ? n / 4 : 0;
    for (int64_t q = tid; q < quads; q += threads) {
        const float4 a = reinterpret_cast<const float4*>(x)[q];
        const float4 g = reinterpret_cast<const float4*>(grad)[q];
        reinterpret_cast<float4*>(out)[q] = make_float4(f(a.x, g.x), f(a.y, g.y), f(a.z, g.z), f(a.w, g.w));
    }
    for (int64_t i = 4 * quads + tid; i < n; i += threads) out[i] = f(x[i], grad[i]);
}

}  // namespace lib

extern "C" void launch(const float* x,     // [n]
                       const float* grad,  // [n]
                       float* out,         // [n]
                       int64_t n, int block_size = 256, cudaStream_t stream = 0) {
    const bool vec = lib::aligned16(x) && lib::aligned16(grad) && lib::aligned16(out);
    const int64_t work = vec ? (n + 3) / 4 : n;
    const int64_t blocks = (work + block_size - 1) / block_size;
    lib::relu_backward<<<static_cast<unsigned>(blocks), block_size, 0, stream>>>(x, grad, out, n, vec);
}
"""
)

# An ML engineer: half in memory, float in registers, two elements a thread.
SQDIFF = (
    HEADER
    + """\
__device__ __forceinline__ half sq_err(half a, half b) {
    const float d = __half2float(a) - __half2float(b);
    return __float2half_rn(d * d);
}

__global__ void mse_none_kernel(const half* pred, const half* target, half* loss, int64_t numel) {
    const int64_t idx = (blockIdx.x * (int64_t)blockDim.x + threadIdx.x) * 2;
    const bool paired = ((uintptr_t)pred | (uintptr_t)target | (uintptr_t)loss) % 4 == 0;
    if (paired && idx + 1 < numel) {
        const half2 p = *(const half2*)(pred + idx);
        const half2 t = *(const half2*)(target + idx);
        *(half2*)(loss + idx) = __halves2half2(sq_err(p.x, t.x), sq_err(p.y, t.y));
    } else {
        if (idx < numel) loss[idx] = sq_err(pred[idx], target[idx]);
        if (idx + 1 < numel) loss[idx + 1] = sq_err(pred[idx + 1], target[idx + 1]);
    }
}

extern "C" void launch(const half* pred,    // [numel]
                       const half* target,  // [numel]
                       half* loss,          // [numel]
                       int64_t numel, int block_size = 256, cudaStream_t stream = 0) {
    const int64_t pairs = (numel + 1) / 2;
    const int64_t grid = (pairs + block_size - 1) / block_size;
    mse_none_kernel<<<grid, block_size, 0, stream>>>(pred, target, loss, numel);
}
"""
)

# A signal engineer: integers only, four samples a thread, a block apart.
MID = (
    HEADER
    + """\
constexpr int FRAME = 4;

// Mid channel: floor((l + r) / 2), without a 33rd bit.
static __device__ __forceinline__ int32_t mid(int32_t l, int32_t r) {
    const int32_t carry = l & r & 1;
    return (l >> 1) + (r >> 1) + carry;
}

__global__ void mid_channel(const int32_t* left, const int32_t* right, int32_t* out, int64_t n) {
    const int64_t first = (int64_t)blockIdx.x * FRAME * blockDim.x;
    for (int k = 0; k < FRAME; ++k) {
        const int64_t s = first + (int64_t)k * blockDim.x + threadIdx.x;
        if (s < n) out[s] = mid(left[s], right[s]);
    }
}

extern "C" void launch(const int32_t* left,   // [n]
                       const int32_t* right,  // [n]
                       int32_t* out,          // [n]
                       int64_t n, int block_size = 128, cudaStream_t stream = 0) {
    const int64_t per_block = (int64_t)FRAME * block_size;
    const int64_t blocks = (n + per_block - 1) / per_block;
    mid_channel<<<blocks, block_size, 0, stream>>>(left, right, out, n);
}
"""
)


def _softplus(x: torch.Tensor) -> torch.Tensor:
    return x.clamp(min=0) + torch.log1p(torch.exp(-x.abs()))


def _select(mask: torch.Tensor, a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    return torch.where(mask != 0, a, b)


def _relu_backward(x: torch.Tensor, grad: torch.Tensor) -> torch.Tensor:
    return torch.where(x <= 0, torch.zeros_like(grad), grad)


def _sqdiff(pred: torch.Tensor, target: torch.Tensor) -> torch.Tensor:
    return (pred - target) * (pred - target)


def _mid(left: torch.Tensor, right: torch.Tensor) -> torch.Tensor:
    return ((left.to(torch.int64) + right.to(torch.int64)) >> 1).to(left.dtype)


BASES = {
    "q_softplus": Base(SOFTPLUS, {"reference": _softplus, "ulp": 4}),
    "q_select": Base(SELECT, {"reference": _select}),
    "q_relu_backward": Base(RELU_BACKWARD, {"reference": _relu_backward}),
    "q_sqdiff": Base(SQDIFF, {"reference": _sqdiff, "ulp": 1}),
    "q_mid": Base(MID, {"reference": _mid}),
}

WRONG = (
    # The textbook's formula: e^x is infinite from x = 89 on, and so is the result.
    Wrong(
        "q_softplus_textbook",
        "q_softplus",
        "infinity | numbers / function / whole range",
        ("y[i] = big + rest;", "y[i] = log1pf(expf(v));"),
    ),
    # 1 + e^-|x| is 1 for x below -17: the result is 0 there, and rough before.
    Wrong(
        "q_softplus_one_plus",
        "q_softplus",
        "precision | rounding / numbers / subnormal / function",
        ("log1pf(expf(-fabsf(v)))", "logf(1.0f + expf(-fabsf(v)))"),
    ),
    # "Nothing to do" above 20, where y = x: but y = x is not written either.
    Wrong(
        "q_softplus_skips_large",
        "q_softplus",
        "unwritten | numbers / left out / infinity",
        ("float v = x[i];", "float v = x[i];\n        if (v > 20.0f) continue;"),
    ),
    # The loop became an if, and the grid is still at most 512 blocks.
    Wrong(
        "q_softplus_no_loop",
        "q_softplus",
        "grid / unwritten / tail | left out",
        (
            "for (int64_t i = start; i < n; i += stride) {",
            "int64_t i = start;\n    if (i < n) {",
        ),
    ),
    # The loop's index is an int, which ends at 2^31.
    Wrong(
        "q_softplus_int_index",
        "q_softplus",
        "narrow | bounds / unwritten / tail / timeout",
        ("for (int64_t i = start;", "for (int i = start;"),
    ),
    # The absolute value is forgotten: for negative x the result is too large by -x.
    Wrong(
        "q_softplus_no_abs",
        "q_softplus",
        "function / numbers | infinity",
        ("expf(-fabsf(v))", "expf(-v)"),
    ),
    # a where the mask is 0 and b where it is not.
    Wrong(
        "q_select_turned",
        "q_select",
        "swapped | function / numbers",
        ("mask[i] ? a[i] : b[i]", "mask[i] ? b[i] : a[i]"),
    ),
    # Only the byte 1 is true; 2 to 255 are taken for false.
    Wrong(
        "q_select_only_one",
        "q_select",
        "numbers / function | whole range",
        ("mask[i] ? a[i]", "mask[i] == 1 ? a[i]"),
    ),
    # A blend in arithmetic: NaN and infinity of the side not chosen leak; -0 becomes 0.
    Wrong(
        "q_select_blend",
        "q_select",
        "nan / sign of zero / infinity | numbers / function",
        (
            "out[i] = mask[i] ? a[i] : b[i];",
            "const float m = mask[i] ? 1.0f : 0.0f;\n    out[i] = m * a[i] + (1.0f - m) * b[i];",
        ),
    ),
    # 256 is a constant in the kernel: other block sizes leave gaps.
    Wrong(
        "q_select_256",
        "q_select",
        "block size | unwritten / left out / grid / tail",
        ("(size_t)blockIdx.x * blockDim.x", "(size_t)blockIdx.x * 256"),
    ),
    # The guard lets i == count through: one element past the end.
    Wrong(
        "q_select_guard",
        "q_select",
        "bounds | tail",
        ("if (i >= count)", "if (i > count)"),
    ),
    # out is thought to hold b already: where the mask is 0, nothing is written.
    Wrong(
        "q_select_only_true",
        "q_select",
        "unwritten | left out / numbers / zero before / state",
        ("out[i] = mask[i] ? a[i] : b[i];", "if (mask[i])\n        out[i] = a[i];"),
    ),
    # NaN > 0 is false: at a NaN in x the gradient is 0, not passed on.
    Wrong(
        "q_relu_backward_greater",
        "q_relu_backward",
        "nan | numbers / function",
        ("x <= T(0) ? T(0) : g", "x > T(0) ? g : T(0)"),
    ),
    # At x == 0 the gradient goes through.
    Wrong(
        "q_relu_backward_at_zero",
        "q_relu_backward",
        "numbers / function | sign of zero / subnormal",
        ("x <= T(0) ?", "x < T(0) ?"),
    ),
    # The loop for the rest has the arguments in the other order.
    Wrong(
        "q_relu_backward_rest_turned",
        "q_relu_backward",
        "swapped / tail | alignment / function / numbers",
        ("out[i] = f(x[i], grad[i])", "out[i] = f(grad[i], x[i])"),
    ),
    # Only x is asked whether it lies at 16 bytes; slices of grad and out need not.
    Wrong(
        "q_relu_backward_one_asked",
        "q_relu_backward",
        "alignment",
        (
            "lib::aligned16(x) && lib::aligned16(grad) && lib::aligned16(out)",
            "lib::aligned16(x)",
        ),
    ),
    # Copied and not changed: the third lane has the gradient of the second.
    Wrong(
        "q_relu_backward_lane",
        "q_relu_backward",
        "neighbour / other element | numbers / function",
        ("f(a.z, g.z)", "f(a.z, g.y)"),
    ),
    # The last float4 is counted though it is not whole: up to three past the end.
    Wrong(
        "q_relu_backward_quads_up",
        "q_relu_backward",
        "bounds | tail",
        ("vec ? n / 4 : 0", "vec ? (n + 3) / 4 : 0"),
    ),
    # Difference and square are each rounded to half.
    Wrong(
        "q_sqdiff_in_half",
        "q_sqdiff",
        "rounding / precision | numbers",
        (
            "const float d = __half2float(a) - __half2float(b);",
            "const half d = __hsub(a, b);",
        ),
        ("__float2half_rn(d * d)", "__hmul(d, d)"),
    ),
    # a^2 - 2ab + b^2: digits cancel where a is near b, and infinities give NaN.
    Wrong(
        "q_sqdiff_expanded",
        "q_sqdiff",
        "precision / nan | infinity / rounding / numbers / function / sign of zero",
        (
            "const float d = __half2float(a) - __half2float(b);",
            "const float p = __half2float(a), t = __half2float(b);",
        ),
        ("__float2half_rn(d * d)", "__float2half_rn(p * p - 2.0f * p * t + t * t)"),
    ),
    # Against infinite losses: held at 65504, where half has infinity (and NaN is lost).
    Wrong(
        "q_sqdiff_held",
        "q_sqdiff",
        "infinity / nan | whole range / numbers",
        ("__float2half_rn(d * d)", "__float2half_rn(fminf(d * d, 65504.0f))"),
    ),
    # Half of the square, as in another definition of the loss.
    Wrong(
        "q_sqdiff_half_of_it",
        "q_sqdiff",
        "function | numbers",
        ("__float2half_rn(d * d)", "__float2half_rn(0.5f * d * d)"),
    ),
    # Without pairs (a slice at an odd place) a thread has only the first of its two.
    Wrong(
        "q_sqdiff_only_first",
        "q_sqdiff",
        "unwritten / alignment | left out / tail",
        (
            "        if (idx + 1 < numel) loss[idx + 1] = sq_err(pred[idx + 1], target[idx + 1]);\n",
            "",
        ),
    ),
    # The stream that was given is not the one of the launch.
    Wrong(
        "q_sqdiff_default_stream",
        "q_sqdiff",
        "stream | race",
        ("<<<grid, block_size, 0, stream>>>", "<<<grid, block_size>>>"),
    ),
    # The sum of two int32 does not fit into one: large samples of one sign overflow.
    Wrong(
        "q_mid_sum_first",
        "q_mid",
        "whole range / infinity | numbers / narrow / function",
        ("return (l >> 1) + (r >> 1) + carry;", "return (l + r) >> 1;"),
    ),
    # Division truncates toward zero: odd negative sums are one too large.
    Wrong(
        "q_mid_divides",
        "q_mid",
        "rounding | numbers / function",
        (
            "return (l >> 1) + (r >> 1) + carry;",
            "return (int32_t)(((int64_t)l + r) / 2);",
        ),
    ),
    # Through a float: 24 bits of 32, and the cast truncates toward zero.
    Wrong(
        "q_mid_float",
        "q_mid",
        "precision | rounding / numbers / whole range / narrow / function",
        (
            "return (l >> 1) + (r >> 1) + carry;",
            "return (int32_t)(0.5f * l + 0.5f * r);",
        ),
    ),
    # The carry is left out: one too small where both samples are odd.
    Wrong(
        "q_mid_no_carry",
        "q_mid",
        "rounding / numbers / function | precision / left out / whole range",
        ("(r >> 1) + carry;", "(r >> 1);"),
    ),
    # Blocks start a quarter frame apart: they overlap, and the end is not reached.
    Wrong(
        "q_mid_frames_overlap",
        "q_mid",
        "unwritten / tail | twice / grid / left out",
        ("(int64_t)blockIdx.x * FRAME * blockDim.x", "(int64_t)blockIdx.x * blockDim.x"),
    ),
    # The side channel is put into the right one, in place: an input is overwritten.
    Wrong(
        "q_mid_side_in_place",
        "q_mid",
        "input | state",
        (
            "mid_channel(const int32_t* left, const int32_t* right,",
            "mid_channel(const int32_t* left, int32_t* right,",
        ),
        (
            "if (s < n) out[s] = mid(left[s], right[s]);",
            "if (s < n) {\n            out[s] = mid(left[s], right[s]);\n            right[s] = left[s] - right[s];\n        }",
        ),
        ("(left, right, out, n);", "(left, (int32_t*)right, out, n);"),
    ),
)

RIGHT = (
    # Each thread has a stretch of neighbours, instead of a stride.
    Right(
        "q_softplus_stretches",
        "q_softplus",
        (
            "for (int64_t i = start; i < n; i += stride) {",
            "int64_t each = (n + stride - 1) / stride;\n    for (int64_t i = start * each; i < n && i < (start + 1) * each; ++i) {",
        ),
    ),
    # All steps in double, rounded once.
    Right(
        "q_softplus_double",
        "q_softplus",
        (
            "float rest = log1pf(expf(-fabsf(v)));",
            "double rest = log1p(exp(-fabs((double)v)));",
        ),
        ("y[i] = big + rest;", "y[i] = (float)(big + rest);"),
    ),
    # Chosen by bits, without a branch: NaN and -0 come through unchanged.
    Right(
        "q_select_bits",
        "q_select",
        (
            "out[i] = mask[i] ? a[i] : b[i];",
            "const unsigned m = 0u - (unsigned)(mask[i] != 0);\n    out[i] = __uint_as_float((m & __float_as_uint(a[i])) | (~m & __float_as_uint(b[i])));",
        ),
    ),
    # The comparison the other way around, with NaN named.
    Right(
        "q_relu_backward_names_nan",
        "q_relu_backward",
        ("x <= T(0) ? T(0) : g", "(x > T(0) || x != x) ? g : T(0)"),
    ),
    # target - pred: the square does not see the sign.
    Right(
        "q_sqdiff_other_way",
        "q_sqdiff",
        ("__half2float(a) - __half2float(b)", "__half2float(b) - __half2float(a)"),
    ),
    # What both have, and half of what one has.
    Right(
        "q_mid_xor",
        "q_mid",
        ("    const int32_t carry = l & r & 1;\n", ""),
        ("(l >> 1) + (r >> 1) + carry", "(l & r) + ((l ^ r) >> 1)"),
    ),
)
