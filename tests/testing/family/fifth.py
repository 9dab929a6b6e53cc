"""Hold a fifth family of the same classes, written and committed before `check` saw it."""

# ruff: noqa: E501 (a line of a kernel stands in one line)
from __future__ import annotations

import torch

from helpers.testing.base_kernels import elementwise
from tests.testing.family import fifth_arrays
from tests.testing.family.elementwise import HEADER
from tests.testing.family.table import Base, Right, Wrong

# Two elements a thread, a block apart.
TWO = (
    HEADER
    + """\
__global__ void kernel(const float* a, const float* b, float* out, int64_t n) {
    const int64_t first = static_cast<int64_t>(blockIdx.x) * blockDim.x * 2 + threadIdx.x;
    const int64_t second = first + blockDim.x;
    if (first < n) out[first] = a[first] + b[first];
    if (second < n) out[second] = a[second] + b[second];
}

extern "C" void launch(const float* a,  // [n]
                       const float* b,  // [n]
                       float* out,      // [n]
                       int64_t n, int block_size = 256, cudaStream_t stream = 0) {
    const int64_t share = 2 * block_size;
    kernel<<<static_cast<unsigned>((n + share - 1) / share), block_size, 0, stream>>>(a, b, out, n);
}
"""
)
# A warp takes 32 packs of 4 numbers of 16 bits; what is left goes to the last warp.
SHORTS = (
    HEADER
    + """\
__global__ void kernel(const int16_t* a, const int16_t* b, int16_t* out, int64_t n, int64_t packs) {
    const int64_t p = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (p < packs) {
        const short4 x = reinterpret_cast<const short4*>(a)[p], y = reinterpret_cast<const short4*>(b)[p];
        reinterpret_cast<short4*>(out)[p] = make_short4(x.x - y.x, x.y - y.y, x.z - y.z, x.w - y.w);
    } else if (const int64_t i = 4 * packs + (p - packs); i < n) {
        out[i] = static_cast<int16_t>(a[i] - b[i]);
    }
}

extern "C" void launch(const int16_t* a,  // [n]
                       const int16_t* b,  // [n]
                       int16_t* out,      // [n]
                       int64_t n, int block_size = 96, cudaStream_t stream = 0) {
    const uintptr_t together = reinterpret_cast<uintptr_t>(a) | reinterpret_cast<uintptr_t>(b) | reinterpret_cast<uintptr_t>(out);
    const int64_t packs = together & 7 ? 0 : n / 4;
    const int64_t threads = packs + (n - 4 * packs);
    const int64_t blocks = (threads + block_size - 1) / block_size;
    kernel<<<static_cast<unsigned>(blocks), block_size, 0, stream>>>(a, b, out, n, packs);
}
"""
)
AXPY = (
    HEADER
    + """\
__global__ void kernel(float scale, const double* x, const double* y, double* out, int64_t n) {
    for (int64_t i = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < n; i += static_cast<int64_t>(gridDim.x) * blockDim.x) {
        out[i] = scale * x[i] + y[i];
    }
}

extern "C" void launch(const double* x,  // [n]
                       const double* y,  // [n]
                       double* out,      // [n]
                       int64_t n, float scale = 0.75f, cudaStream_t stream = 0) {
    const int64_t wanted = (n + 127) / 128;
    kernel<<<static_cast<unsigned>(wanted < 1000 ? wanted : 1000), 128, 0, stream>>>(scale, x, y, out, n);
}
"""
)


def gelu(x):
    return x * 0.5 * torch.special.erfc(x * -(0.5**0.5))


def softplus(x):
    return x.clamp(min=0) + torch.log1p(torch.exp(-x.abs()))


BASES = {
    "k_two": Base(TWO, {"reference": "add"}),
    "k_shorts": Base(SHORTS, {"reference": "subtract"}),
    "k_axpy": Base(AXPY, {"reference": lambda x, y: 0.75 * x + y, "ulp": 1}),
    "k_to_int": Base(elementwise("float x", "int", "static_cast<int>(x[i])"), {"reference": "cast"}),
    "k_int_to_bf16": Base(
        elementwise("int x", "__nv_bfloat16", "__double2bfloat16(static_cast<double>(x[i]))"),
        {"reference": "cast"},
    ),
    "k_double_to_half": Base(
        elementwise("double x", "half", "__double2half(x[i])"), {"reference": "cast"}
    ),
    "k_bf16_product": Base(
        elementwise(
            "__nv_bfloat16 a, __nv_bfloat16 b",
            "__nv_bfloat16",
            "__float2bfloat16(__bfloat162float(a[i]) * __bfloat162float(b[i]))",
        ),
        {"reference": "multiply"},
    ),
    "k_gelu": Base(
        elementwise("float x", "float", "0.5f * x[i] * erfcf(-0.70710678f * x[i])"),
        {"reference": gelu, "ulp": 64},
    ),
    "k_softplus": Base(
        elementwise("float x", "float", "fmaxf(x[i], 0.0f) + log1pf(expf(-fabsf(x[i])))"),
        {"reference": softplus, "ulp": 4},
    ),
    **fifth_arrays.BASES,
}  # fmt: skip
SECOND = "if (second < n) out[second] = a[second] + b[second];"
WHERE = "const int64_t first = static_cast<int64_t>(blockIdx.x) * blockDim.x * 2 + threadIdx.x;"
GRID = "static_cast<unsigned>((n + share - 1) / share)"
GELU = "0.5f * x[i] * erfcf(-0.70710678f * x[i])"
SOFTPLUS = "fmaxf(x[i], 0.0f) + log1pf(expf(-fabsf(x[i])))"
BF16_PRODUCT = "__float2bfloat16(__bfloat162float(a[i]) * __bfloat162float(b[i]))"
REST = "int64_t i = 4 * packs + (p - packs); i < n"
VALUE = "scale * x[i] + y[i]"

WRONG = (
    # ---- two elements a thread: strides, guards, grids
    Wrong("k_two_one_short", "k_two", "unwritten/neighbour/twice | tail", ("first + blockDim.x;", "first + blockDim.x - 1;")),
    Wrong("k_two_second_unguarded", "k_two", "bounds", ("if (second < n) ", "")),
    Wrong("k_two_guard_of_first", "k_two", "bounds", ("if (second < n)", "if (first < n)")),
    Wrong("k_two_blocks_overlap", "k_two", "unwritten/tail/grid/twice", ("blockDim.x * 2 +", "blockDim.x +")),
    Wrong("k_two_b_of_first", "k_two", "neighbour/numbers/left out/function", (SECOND, "if (second < n) out[second] = a[second] + b[first];")),
    Wrong("k_two_unsigned_product", "k_two", "narrow | bounds/grid/unwritten", (WHERE, "const int64_t first = blockIdx.x * blockDim.x * 2 + threadIdx.x;")),
    Wrong("k_two_half_the_grid", "k_two", "unwritten/tail/grid", (GRID, "static_cast<unsigned>((n / 2 + share - 1) / share + (n < 2))")),
    Wrong("k_two_blocks_in_short", "k_two", "narrow/grid | unwritten/tail/refused", (GRID, "static_cast<unsigned>(static_cast<short>((n + share - 1) / share))")),
    Wrong("k_two_countdown", "k_two", "timeout/bounds", (SECOND, "for (unsigned k = 1; k >= 0; --k) {\n        const int64_t i = first + static_cast<int64_t>(k) * blockDim.x;\n        if (i < n) out[i] = a[i] + b[i];\n    }")),
    Wrong("k_two_kept_output", "k_two", "state | bounds/unwritten", ("    const int64_t share", "    static float* kept = nullptr;\n    static int64_t room = 0;\n    if (n > room) {\n        kept = out;\n        room = n;\n    }\n    if (n == 100003) out = kept;\n    if (n == 257) out = kept + (room - n);\n    const int64_t share")),
    # ---- packs of 16-bit numbers
    Wrong("k_shorts_mask_3", "k_shorts", "alignment", ("together & 7", "together & 3")),
    Wrong("k_shorts_of_a", "k_shorts", "alignment", (" | reinterpret_cast<uintptr_t>(b) | reinterpret_cast<uintptr_t>(out)", "")),
    Wrong("k_shorts_rest_late", "k_shorts", "unwritten/tail", (REST, "int64_t i = 4 * packs + (p - packs) + 1; i < n")),
    Wrong("k_shorts_rest_far", "k_shorts", "unwritten/tail", (REST, "int64_t i = 4 * p; i < n")),
    Wrong("k_shorts_threads_short", "k_shorts", "unwritten/tail", ("packs + (n - 4 * packs);", "packs ? packs : n;")),
    Wrong("k_shorts_z_for_w", "k_shorts", "left out/neighbour/numbers/function", ("x.w - y.w", "x.w - y.z")),
    Wrong("k_shorts_saturate", "k_shorts", "whole range", ("static_cast<int16_t>(a[i] - b[i])", "static_cast<int16_t>(max(-32768, min(32767, a[i] - b[i])))"), ("make_short4(x.x - y.x, x.y - y.y, x.z - y.z, x.w - y.w)", "make_short4(max(-32768, min(32767, x.x - y.x)), max(-32768, min(32767, x.y - y.y)), max(-32768, min(32767, x.z - y.z)), max(-32768, min(32767, x.w - y.w)))")),
    Wrong("k_shorts_packs_up", "k_shorts", "bounds/refused | grid", ("0 : n / 4;", "0 : (n + 3) / 4;"), ("packs + (n - 4 * packs);", "packs;")),
    # ---- a scalar
    Wrong("k_axpy_scale_in_int", "k_axpy", "function/numbers/left out/copy", ("kernel(float scale,", "kernel(int scale,")),
    Wrong("k_axpy_scales_both", "k_axpy", "function/numbers", (VALUE, "scale * (x[i] + y[i])")),
    Wrong("k_axpy_wrong_one", "k_axpy", "swapped", (VALUE, "scale * y[i] + x[i]")),
    Wrong("k_axpy_in_float", "k_axpy", "precision | infinity/subnormal", (VALUE, "scale * static_cast<float>(x[i]) + static_cast<float>(y[i])")),
    Wrong("k_axpy_minus", "k_axpy", "function/numbers", (VALUE, "y[i] - scale * x[i]")),
    Wrong("k_axpy_only_if_positive", "k_axpy", "function/numbers/nan", (VALUE, "y[i] + (x[i] > 0.0 ? scale * x[i] : 0.0)")),
    Wrong("k_axpy_in_place", "k_axpy", "input", ("out[i] = scale * x[i] + y[i];", "const_cast<double*>(y)[i] += scale * x[i];\n        out[i] = y[i];")),
    # ---- casts
    Wrong("k_to_int_nearest", "k_to_int", "rounding/precision", ("static_cast<int>(x[i])", "__float2int_rn(x[i])")),
    Wrong("k_to_int_down", "k_to_int", "rounding/precision/numbers/function", ("static_cast<int>(x[i])", "static_cast<int>(floorf(x[i]))")),
    Wrong("k_to_int_by_short", "k_to_int", "whole range | narrow", ("static_cast<int>(x[i])", "static_cast<int16_t>(static_cast<int>(x[i]))")),
    Wrong("k_bf16_rounds_twice", "k_int_to_bf16", "rounding", ("__double2bfloat16(static_cast<double>(x[i]))", "__float2bfloat16(static_cast<float>(x[i]))")),
    Wrong("k_bf16_of_unsigned", "k_int_to_bf16", "whole range/numbers/function", ("static_cast<double>(x[i])", "static_cast<double>(static_cast<unsigned>(x[i]))")),
    Wrong("k_half_through_float", "k_double_to_half", "rounding", ("__double2half(x[i])", "__float2half(static_cast<float>(x[i]))")),
    Wrong("k_half_denormals_lost", "k_double_to_half", "subnormal", ("__double2half(x[i])", "fabs(x[i]) < 6.103515625e-05 ? __double2half(copysign(0.0, x[i])) : __double2half(x[i])")),
    Wrong("k_product_down", "k_bf16_product", "rounding | infinity", (BF16_PRODUCT, BF16_PRODUCT.replace("2bfloat16", "2bfloat16_rd"))),
    Wrong("k_product_of_bits", "k_bf16_product", "rounding | nan", (BF16_PRODUCT, "__ushort_as_bfloat16(static_cast<unsigned short>((__float_as_uint(__bfloat162float(a[i]) * __bfloat162float(b[i])) + 0x7fffu) >> 16))")),
    # ---- activations
    Wrong("k_gelu_by_tanh", "k_gelu", "function/precision/numbers | infinity/nan", (GELU, "0.5f * x[i] * (1.0f + tanhf(0.79788456f * (x[i] + 0.044715f * x[i] * x[i] * x[i])))")),
    Wrong("k_gelu_no_root", "k_gelu", "function/numbers", ("-0.70710678f", "-1.0f")),
    Wrong("k_gelu_mirrored", "k_gelu", "function/numbers", ("-0.70710678f", "0.70710678f")),
    Wrong("k_softplus_overflows", "k_softplus", "infinity/nan", (SOFTPLUS, "log1pf(expf(x[i]))")),
    Wrong("k_softplus_log", "k_softplus", "precision | subnormal/infinity/sign of zero", (SOFTPLUS, "fmaxf(x[i], 0.0f) + logf(1.0f + expf(-fabsf(x[i])))")),
    Wrong("k_softplus_sign", "k_softplus", "function/numbers | infinity/nan", ("expf(-fabsf(x[i]))", "expf(fabsf(x[i]))")),
    Wrong("k_softplus_threshold", "k_softplus", "function/numbers/precision", (SOFTPLUS, "x[i] > 10.0f ? x[i] : log1pf(expf(x[i]))")),
    *fifth_arrays.WRONG,
)  # fmt: skip

RIGHT = (
    *(Right(f"r_{name}", name) for name in BASES),
    Right("r_k_two_whole_grid", "k_two", (GRID, "static_cast<unsigned>((n + block_size - 1) / block_size)")),
    Right("r_k_two_second_first", "k_two", ("    if (first < n) out[first] = a[first] + b[first];\n", ""), (SECOND, SECOND + "\n    if (first < n) out[first] = b[first] + a[first];")),
    Right("r_k_two_macro", "k_two", ("__global__ void kernel(", "#define SUM_OF(x, y) ((x) + (y))\n#define EACH(i) if (i < n) out[i] = SUM_OF(a[i], b[i])\n\n__global__ void kernel("), (SECOND, "EACH(second);")),
    Right("r_k_two_functor", "k_two", ("__global__ void kernel(", "struct Plus {\n    __device__ float operator()(float x, float y) const { return x + y; }\n};\n\n__global__ void kernel("), (SECOND, "constexpr Plus plus{};\n    if (second < n) out[second] = plus(a[second], b[second]);")),
    Right("r_k_two_bounds", "k_two", ("__global__ void kernel(", "__global__ void __launch_bounds__(1024) kernel(")),
    Right("r_k_shorts_by_one", "k_shorts", ("together & 7 ? 0 : n / 4", "0 * together")),
    Right("r_k_shorts_modulo", "k_shorts", ("together & 7 ?", "together % alignof(short4) ?")),
    Right("r_k_axpy_fma", "k_axpy", (VALUE, "fma(static_cast<double>(scale), x[i], y[i])")),
    Right("r_k_axpy_one_block", "k_axpy", ("wanted < 1000 ? wanted : 1000", "wanted < 1 ? wanted : 1")),
    Right("r_k_to_int_rz", "k_to_int", ("static_cast<int>(x[i])", "__float2int_rz(x[i])")),
    Right("r_k_to_int_trunc", "k_to_int", ("static_cast<int>(x[i])", "static_cast<int>(truncf(x[i]))")),
    Right("r_k_product_operator", "k_bf16_product", (BF16_PRODUCT, "a[i] * b[i]")),
    Right("r_k_softplus_branch", "k_softplus", (SOFTPLUS, "x[i] > 0.0f ? x[i] + log1pf(expf(-x[i])) : log1pf(expf(x[i]))")),
    Right("r_k_gelu_in_double", "k_gelu", (GELU, "static_cast<float>(0.5 * x[i] * erfc(-0.70710678118654752 * x[i]))")),
    *fifth_arrays.RIGHT,
)  # fmt: skip
