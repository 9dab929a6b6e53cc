"""Hold kernels that map n elements to n: additions, casts, activations; right and wrong."""

# ruff: noqa: E501 (a line of a kernel stands in one line)
from __future__ import annotations

import torch

from helpers.testing.base_kernels import elementwise
from tests.testing.family.table import Base, Right, Wrong

HEADER = """\
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include <cfloat>
#include <cstdint>

"""
PACKS = (
    HEADER
    + """\
__device__ bool round16(const void* p) { return reinterpret_cast<uintptr_t>(p) % 16 == 0; }

__global__ void kernel(const float* a, const float* b, float* out, int64_t n) {
    const int64_t first = (static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x) * 4;
    const bool whole = round16(a) && round16(b) && round16(out);
    if (whole && first + 4 <= n) {
        const float4 x = *reinterpret_cast<const float4*>(a + first);
        const float4 y = *reinterpret_cast<const float4*>(b + first);
        *reinterpret_cast<float4*>(out + first) = make_float4(x.x + y.x, x.y + y.y, x.z + y.z, x.w + y.w);
    } else {
        for (int64_t i = first; i < n && i < first + 4; ++i) out[i] = a[i] + b[i];
    }
}

extern "C" void launch(const float* a,  // [n]
                       const float* b,  // [n]
                       float* out,      // [n]
                       int64_t n, int block_size = 256, cudaStream_t stream = 0) {
    const int64_t packs = (n + 3) / 4;
    const int64_t blocks = (packs + block_size - 1) / block_size;
    kernel<<<static_cast<unsigned>(blocks), block_size, 0, stream>>>(a, b, out, n);
}
"""
)
PEEL = (
    HEADER
    + """\
__global__ void kernel(const half* x, half* out, int64_t n) {
    const int64_t t = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    const int64_t threads = static_cast<int64_t>(gridDim.x) * blockDim.x;
    const half two = __float2half(2.0f);
    const int64_t off = (reinterpret_cast<uintptr_t>(x) % 16) / 2;
    int64_t head = off ? 8 - off : 0;
    if (head > n) head = n;
    const bool same = (reinterpret_cast<uintptr_t>(x) - reinterpret_cast<uintptr_t>(out)) % 16 == 0;
    const int64_t packs = same ? (n - head) / 8 : 0;
    for (int64_t i = t; i < head; i += threads) out[i] = __hmul(x[i], two);
    for (int64_t p = t; p < packs; p += threads) {
        uint4 bits = *reinterpret_cast<const uint4*>(x + head + 8 * p);
        half* each = reinterpret_cast<half*>(&bits);
        for (int k = 0; k < 8; ++k) each[k] = __hmul(each[k], two);
        *reinterpret_cast<uint4*>(out + head + 8 * p) = bits;
    }
    for (int64_t i = head + 8 * packs + t; i < n; i += threads) out[i] = __hmul(x[i], two);
}

extern "C" void launch(const half* x,  // [n]
                       half* out,      // [n]
                       int64_t n, cudaStream_t stream = 0) {
    const int64_t blocks = (n + 2047) / 2048;
    kernel<<<static_cast<unsigned>(blocks < 320 ? blocks : 320), 256, 0, stream>>>(x, out, n);
}
"""
)
OUT_FIRST = (
    HEADER
    + """\
__global__ void kernel(float* out, int64_t n, const float* b, const float* a) {
    const int64_t i = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i < n) out[i] = a[i] - b[i];
}

extern "C" void launch(float* out,  // [n]
                       int64_t n,
                       const float* a,  // [n]
                       const float* b,  // [n]
                       cudaStream_t stream = 0) {
    kernel<<<static_cast<unsigned>((n + 127) / 128), 128, 0, stream>>>(out, n, b, a);
}
"""
)


def relu(x):
    return torch.where(x < 0, torch.zeros_like(x), x)


def leaky(x):
    return torch.where(x < 0, x * 0.125, x)


def silu(x):
    return x / (1 + torch.exp(-x))


def hard_tanh(x):
    return x.clamp(-1, 1)


BASES = {
    "f_add": Base(
        elementwise("float a, float b", "float", "a[i] + b[i]"), {"reference": "add"}
    ),
    "f_packs": Base(PACKS, {"reference": "add"}),
    "f_half": Base(
        elementwise("half a, half b", "half", "__hadd(a[i], b[i])"), {"reference": "add"}
    ),
    "f_int": Base(elementwise("int a, int b", "int", "a[i] + b[i]"), {"reference": "add"}),
    "f_double": Base(
        elementwise("double a, double b", "double", "a[i] + b[i]"), {"reference": "add"}
    ),
    "f_peel": Base(PEEL, {"reference": lambda x: 2 * x}),
    "f_to_half": Base(
        elementwise("float x", "half", "__float2half(x[i])"), {"reference": "cast"}
    ),
    "f_to_bf16": Base(
        elementwise("float x", "__nv_bfloat16", "__float2bfloat16(x[i])"), {"reference": "cast"}
    ),
    "f_widen": Base(
        elementwise("half x", "float", "__half2float(x[i])"), {"reference": "cast"}
    ),
    "f_from_int": Base(
        elementwise("int x", "double", "static_cast<double>(x[i])"), {"reference": "cast"}
    ),
    "f_int_float": Base(
        elementwise("int x", "float", "__int2float_rn(x[i])"), {"reference": "cast"}
    ),
    "f_relu": Base(
        elementwise("float x", "float", "x[i] < 0.0f ? 0.0f : x[i]"), {"reference": relu}
    ),
    "f_leaky": Base(
        elementwise("float x", "float", "x[i] < 0.0f ? 0.125f * x[i] : x[i]"),
        {"reference": leaky},
    ),
    "f_silu": Base(
        elementwise("float x", "float", "x[i] / (1.0f + expf(-x[i]))"),
        {"reference": silu, "ulp": 4},
    ),
    "f_hard_tanh": Base(
        elementwise("float x", "float", "x[i] < -1.0f ? -1.0f : x[i] > 1.0f ? 1.0f : x[i]"),
        {"reference": hard_tanh},
    ),
    "f_fma": Base(
        elementwise("float a, float b, float c", "float", "fmaf(a[i], b[i], c[i])"),
        {"reference": "multiply_add"},
    ),
    "f_uint": Base(
        elementwise("uint32_t a, uint32_t b", "uint32_t", "a[i] + b[i]"), {"reference": "add"}
    ),
    "f_out_first": Base(OUT_FIRST, {"reference": "subtract"}),
    "f_minus": Base(
        elementwise("half a, half b", "half", "__hsub(a[i], b[i])"), {"reference": "subtract"}
    ),
}

STORE = "if (i < n) out[i] = a[i] + b[i];"
LAUNCH = "kernel<<<static_cast<unsigned>(blocks), block_size, 0, stream>>>(a, b, out, n);"
BLOCKS = "const int64_t blocks = (n + block_size - 1) / block_size;"
INDEX = "const int64_t i = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;"
HALF_STORE = "if (i < n) out[i] = __hadd(a[i], b[i]);"
INT_STORE = STORE


def add_with(statements: str) -> tuple[str, str]:
    """Replace the plain addition by other statements that see i and n."""
    return (STORE, statements)


WHOLE = "round16(a) && round16(b) && round16(out)"


def to_bits(expression: str) -> tuple[str, str]:
    """Replace the cast to bfloat16 by bits that an expression of `u` makes."""
    return (
        "if (i < n) out[i] = __float2bfloat16(x[i]);",
        f"if (i >= n) return;\n    const unsigned u = __float_as_uint(x[i]);\n"
        f"    reinterpret_cast<uint16_t*>(out)[i] = static_cast<uint16_t>({expression});",
    )


WRONG = (
    # ---- alignment
    Wrong("tests_a_only", "f_packs", "alignment", (WHOLE, "round16(a)")),
    Wrong("tests_inputs_only", "f_packs", "alignment", (WHOLE, "round16(a) && round16(b)")),
    Wrong("tests_out_only", "f_packs", "alignment", (WHOLE, "round16(out)")),
    Wrong("tests_the_and", "f_packs", "alignment", (WHOLE, "((uintptr_t(a) & uintptr_t(b) & uintptr_t(out)) & 15) == 0")),
    Wrong("tests_the_sum", "f_packs", "alignment", (WHOLE, "(uintptr_t(a) + uintptr_t(b) + uintptr_t(out)) % 16 == 0")),
    Wrong("tests_the_xor", "f_packs", "alignment", (WHOLE, "((uintptr_t(a) ^ uintptr_t(b)) | uintptr_t(out)) % 16 == 0")),
    Wrong("tests_8_bytes", "f_packs", "alignment", ("% 16 == 0", "% 8 == 0")),
    Wrong("tests_4_bytes", "f_packs", "alignment", ("% 16 == 0", "% 4 == 0")),
    Wrong("tests_nothing", "f_packs", "alignment", (WHOLE, "true")),
    Wrong("peels_by_the_input", "f_peel", "alignment", ("const bool same = (reinterpret_cast<uintptr_t>(x) - reinterpret_cast<uintptr_t>(out)) % 16 == 0", "const bool same = true")),
    Wrong("peels_by_the_output", "f_peel", "alignment", ("reinterpret_cast<uintptr_t>(x) % 16) / 2", "reinterpret_cast<uintptr_t>(out) % 16) / 2"), ("const bool same = (reinterpret_cast<uintptr_t>(x) - reinterpret_cast<uintptr_t>(out)) % 16 == 0", "const bool same = true")),
    Wrong("same_up_to_8", "f_peel", "alignment", ("reinterpret_cast<uintptr_t>(out)) % 16 == 0", "reinterpret_cast<uintptr_t>(out)) % 8 == 0")),
    # ---- residues and sizes
    Wrong("loses_5_of_8", "f_peel", "unwritten/tail | tail", ("i < n; i += threads) out[i] = __hmul(x[i], two);\n}", "i < n - (n % 8 == 5); i += threads) out[i] = __hmul(x[i], two);\n}")),
    Wrong("loses_13_of_16", "f_add", "unwritten/tail", add_with("if (i < n - (n % 16 == 13)) out[i] = a[i] + b[i];")),
    Wrong("loses_11_of_32", "f_add", "unwritten/tail", add_with("if (i < n - (n > 32 && n % 32 == 11)) out[i] = a[i] + b[i];")),
    Wrong("loses_exactly_48", "f_add", "unwritten/tail", add_with("if (i < n && !(n == 48 && i == 47)) out[i] = a[i] + b[i];")),
    Wrong("tail_of_three_only_two", "f_packs", "unwritten/tail", ("i < n && i < first + 4", "i < n && i < first + (n - first == 3 ? 2 : 4)")),
    Wrong("doubles_7_of_8", "f_add", "tail", add_with("if (i < n) out[i] = i == n - 1 && n % 8 == 7 ? 2 * (a[i] + b[i]) : a[i] + b[i];")),
    Wrong("last_full_block", "f_add", "tail/unwritten/refused", (BLOCKS, "const int64_t blocks = (n - 1) / block_size + (n % block_size != 0 || n == 1);")),
    Wrong("one_block_only", "f_add", "tail/unwritten/grid", (BLOCKS, "const int64_t blocks = 1;")),
    Wrong("rounds_down", "f_add", "tail/unwritten", (BLOCKS, "const int64_t blocks = n / block_size + (n < block_size);")),
    Wrong("guard_off_by_one", "f_add", "bounds", add_with("if (i <= n) out[i] = a[i] + b[i];")),
    Wrong("no_guard_at_all", "f_half", "bounds", ("if (i < n) ", "")),
    Wrong("guard_short", "f_half", "tail/unwritten", ("i < n", "i < n - 1")),
    Wrong("first_skipped", "f_double", "unwritten", ("i < n", "i > 0 && i < n")),
    Wrong("guard_of_packs", "f_packs", "bounds", ("whole && first + 4 <= n", "whole && first < n")),
    Wrong("reads_the_next_pack", "f_packs", "bounds", ("const float4 x =", "if (whole && a[first + 4] == 12345.0f) return;\n        const float4 x =")),
    # ---- the middle: grids and narrow indices
    Wrong("capped_grid", "f_add", "grid | tail/unwritten/narrow", ("static_cast<unsigned>(blocks)", "static_cast<unsigned>(blocks < 65535 ? blocks : 65535)")),
    Wrong("capped_grid_half", "f_half", "grid | tail/unwritten/narrow", ("static_cast<unsigned>(blocks)", "static_cast<unsigned>(blocks < 65535 ? blocks : 65535)")),
    Wrong("capped_at_1024_blocks", "f_add", "grid | tail/unwritten/narrow", ("static_cast<unsigned>(blocks)", "static_cast<unsigned>(blocks < 1024 ? blocks : 1024)")),
    Wrong("blocks_in_16_bits", "f_add", "narrow/grid | tail/unwritten", ("static_cast<unsigned>(blocks)", "static_cast<uint16_t>(blocks)")),
    Wrong("block_number_in_16_bits", "f_add", "narrow | tail/unwritten/grid", (INDEX, "const uint16_t block = blockIdx.x;\n    const int64_t i = static_cast<int64_t>(block) * blockDim.x + threadIdx.x;")),
    Wrong("float_index", "f_add", "narrow | precision/unwritten", (INDEX, "const int64_t i = static_cast<int64_t>(static_cast<float>(blockIdx.x) * blockDim.x + threadIdx.x);")),
    Wrong("float_blocks", "f_add", "narrow/grid | precision/unwritten/tail", (BLOCKS, "const int64_t blocks = static_cast<int64_t>(ceilf(static_cast<float>(n) / block_size));")),
    Wrong("blocks_in_y", "f_add", "grid/refused | narrow", ("static_cast<unsigned>(blocks), block_size", "dim3(1, static_cast<unsigned>(blocks)), block_size"), (INDEX, INDEX.replace("blockIdx.x", "blockIdx.y"))),
    Wrong("int_index", "f_half", "narrow | bounds/grid", (INDEX, "const int i = blockIdx.x * blockDim.x + threadIdx.x;")),
    Wrong("unsigned_index", "f_double", "narrow | bounds/grid", (INDEX, "const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;")),
    Wrong("int_count", "f_int", "narrow | bounds/grid", ("int* out, int64_t n) {", "int* out, int n) {")),
    Wrong("int_blocks", "f_add", "narrow | refused/grid/tail/unwritten", (BLOCKS, "const int64_t blocks = (static_cast<int>(n) + block_size - 1) / block_size;")),
    Wrong("offset_in_int", "f_packs", "narrow | bounds/grid", ("const int64_t first = (static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x) * 4;", "const int first = (blockIdx.x * blockDim.x + threadIdx.x) * 4;")),
    Wrong("index_of_20_bits", "f_add", "narrow | unwritten", (INDEX, INDEX + "\n    if (i >> 20 & 1) return;")),
    # ---- values
    Wrong("saturates_half", "f_to_half", "infinity", ("__float2half(x[i])", "__float2half(fminf(fmaxf(x[i], -65504.0f), 65504.0f))")),
    Wrong("truncates_half", "f_to_half", "rounding", ("__float2half(x[i])", "__float2half_rz(x[i])")),
    Wrong("rounds_up_half", "f_to_half", "rounding", ("__float2half(x[i])", "__float2half_ru(x[i])")),
    Wrong("flushes_half", "f_to_half", "subnormal", ("__float2half(x[i])", "__float2half(fabsf(x[i]) < 6.1035156e-05f ? copysignf(0.0f, x[i]) : x[i])")),
    Wrong("bits_truncated", "f_to_bf16", "rounding | nan", to_bits("u >> 16")),
    Wrong("bits_tie_up", "f_to_bf16", "rounding | nan", to_bits("(u + 0x8000u) >> 16")),
    Wrong("bits_lose_nan", "f_to_bf16", "nan", to_bits("(u + 0x7fffu + (u >> 16 & 1)) >> 16")),
    Wrong("bits_tie_odd", "f_to_bf16", "rounding", to_bits("(u & 0x7fffffffu) > 0x7f800000u ? 0x7fff : (u + 0x8000u - (u >> 16 & 1)) >> 16")),
    Wrong("bits_sign_lost", "f_to_bf16", "sign of zero", to_bits("u == 0x80000000u ? 0 : (u & 0x7fffffffu) > 0x7f800000u ? 0x7fff : (u + 0x7fffu + (u >> 16 & 1)) >> 16")),
    Wrong("by_way_of_half", "f_to_bf16", "precision/rounding | infinity/subnormal", ("__float2bfloat16(x[i])", "__float2bfloat16(__half2float(__float2half(x[i])))")),
    Wrong("widens_by_shift", "f_widen", "subnormal/infinity/nan", ("__half2float(x[i])", "__uint_as_float(__half_as_ushort(x[i]) & 0x7fff ? (__half_as_ushort(x[i]) & 0x8000u) << 16 | ((__half_as_ushort(x[i]) & 0x7fffu) + 0x1c000u) << 13 : (__half_as_ushort(x[i]) & 0x8000u) << 16)")),
    Wrong("int_through_float", "f_from_int", "precision", ("static_cast<double>(x[i])", "static_cast<double>(static_cast<float>(x[i]))")),
    Wrong("int_through_short", "f_from_int", "whole range", ("static_cast<double>(x[i])", "static_cast<double>(static_cast<int16_t>(x[i]))")),
    Wrong("int_through_char", "f_int", "whole range", (STORE, "if (i < n) out[i] = static_cast<int8_t>(a[i]) + static_cast<int8_t>(b[i]);")),
    Wrong("int_saturates", "f_int", "whole range", (STORE, "if (i >= n) return;\n    const int64_t sum = int64_t(a[i]) + b[i];\n    out[i] = sum > 2147483647 ? 2147483647 : sum < -2147483647 - 1 ? -2147483647 - 1 : int(sum);")),
    Wrong("int_sum_in_float", "f_int", "precision", (STORE, "if (i < n) out[i] = static_cast<int>(static_cast<float>(a[i]) + static_cast<float>(b[i]));")),
    Wrong("int_or", "f_int", "function/numbers", (STORE, "if (i < n) out[i] = a[i] | b[i];")),
    Wrong("int_float_truncates", "f_int_float", "rounding", ("__int2float_rn(x[i])", "(__int2float_rn(x[i]) == static_cast<double>(x[i]) ? __int2float_rn(x[i]) : __uint_as_float(__float_as_uint(__int2float_rn(x[i])) - (fabs(static_cast<double>(__int2float_rn(x[i]))) > fabs(static_cast<double>(x[i])))))")),
    Wrong("half_sum_clamped", "f_half", "infinity", (HALF_STORE, "if (i >= n) return;\n    const float sum = __half2float(a[i]) + __half2float(b[i]);\n    out[i] = __float2half(fminf(fmaxf(sum, -65504.0f), 65504.0f));"),),
    Wrong("half_sum_truncated", "f_half", "rounding", (HALF_STORE, "if (i < n) out[i] = __float2half_rz(__half2float(a[i]) + __half2float(b[i]));")),
    Wrong("double_in_float", "f_double", "precision | infinity/subnormal", (STORE, "if (i < n) out[i] = static_cast<float>(a[i]) + static_cast<float>(b[i]);")),
    Wrong("double_inputs_in_float", "f_double", "precision | infinity/subnormal", (STORE, "if (i < n) out[i] = a[i] + static_cast<float>(b[i]);")),
    Wrong("flushes_inputs", "f_add", "subnormal", add_with("if (i >= n) return;\n    const float x = fabsf(a[i]) < FLT_MIN ? 0.0f * a[i] : a[i], y = fabsf(b[i]) < FLT_MIN ? 0.0f * b[i] : b[i];\n    out[i] = x + y;")),
    Wrong("fma_in_two_steps", "f_fma", "rounding | precision/infinity/subnormal", ("fmaf(a[i], b[i], c[i])", "__fadd_rn(__fmul_rn(a[i], b[i]), c[i])")),
    Wrong("fma_swapped", "f_fma", "swapped", ("fmaf(a[i], b[i], c[i])", "fmaf(a[i], c[i], b[i])")),
    Wrong("minus_swapped", "f_minus", "swapped", ("__hsub(a[i], b[i])", "__hsub(b[i], a[i])")),
    Wrong("minus_is_plus", "f_minus", "swapped/function/numbers | twice", ("__hsub(a[i], b[i])", "__hadd(a[i], b[i])")),
    Wrong("adds_a_twice", "f_add", "function/left out/copy/twice | swapped", add_with("if (i < n) out[i] = a[i] + a[i];")),
    Wrong("returns_b", "f_half", "copy", (HALF_STORE, "if (i < n) out[i] = b[i];")),
    Wrong("always_zero", "f_double", "copy", (STORE, "if (i < n) out[i] = 0.0;")),
    Wrong("from_the_left", "f_add", "neighbour", add_with("const int64_t j = i > 0 ? i - 1 : 0;\n    if (i < n) out[i] = a[j] + b[j];")),
    # ---- activations
    Wrong("relu_fmaxf", "f_relu", "nan | sign of zero", ("x[i] < 0.0f ? 0.0f : x[i]", "fmaxf(x[i], 0.0f)")),
    Wrong("relu_greater", "f_relu", "nan | sign of zero", ("x[i] < 0.0f ? 0.0f : x[i]", "x[i] > 0.0f ? x[i] : 0.0f")),
    Wrong("relu_absolute", "f_relu", "function/numbers", ("x[i] < 0.0f ? 0.0f : x[i]", "fabsf(x[i])")),
    Wrong("leaky_inverted", "f_leaky", "function/numbers", ("x[i] < 0.0f ?", "x[i] > 0.0f ?")),
    Wrong("leaky_slope", "f_leaky", "function/numbers", ("0.125f", "0.1f")),
    Wrong("leaky_as_relu", "f_leaky", "function/numbers | sign of zero", ("0.125f * x[i]", "0.0f")),
    Wrong("silu_half", "f_silu", "precision | infinity", ("expf(-x[i])", "__half2float(__float2half(expf(-x[i])))")),
    Wrong("silu_sign", "f_silu", "function/numbers | infinity/nan", ("expf(-x[i])", "expf(x[i])")),
    Wrong("silu_is_sigmoid", "f_silu", "function/numbers | infinity/nan", ("x[i] / (1.0f + expf(-x[i]))", "1.0f / (1.0f + expf(-x[i]))")),
    Wrong("silu_overflows", "f_silu", "nan/infinity/numbers", ("x[i] / (1.0f + expf(-x[i]))", "x[i] * expf(x[i]) / (1.0f + expf(x[i]))")),
    Wrong("tanh_bound", "f_hard_tanh", "function/numbers", ("x[i] > 1.0f ? 1.0f", "x[i] > 2.0f ? 2.0f")),
    Wrong("tanh_one_side", "f_hard_tanh", "function/numbers | infinity", ("x[i] < -1.0f ? -1.0f : x", "x")),
    Wrong("tanh_nan", "f_hard_tanh", "nan", ("x[i] < -1.0f ? -1.0f : x[i] > 1.0f ? 1.0f : x[i]", "fmaxf(-1.0f, fminf(1.0f, x[i]))")),
    Wrong("rare_value", "f_add", "numbers/function", add_with("if (i < n) out[i] = fabsf(a[i]) > 1e6f ? a[i] : a[i] + b[i];")),
    # ---- side effects
    Wrong("restores_an_input", "f_add", "input", add_with("if (i >= n) return;\n    float* x = const_cast<float*>(a);\n    const float was = x[i];\n    x[i] = was + b[i];\n    out[i] = x[i];\n    x[i] = was;")),
    Wrong("negates_and_restores", "f_half", "input", (HALF_STORE, "if (i >= n) return;\n    half* y = const_cast<half*>(b);\n    y[i] = __hneg(y[i]);\n    out[i] = __hsub(a[i], y[i]);\n    y[i] = __hneg(y[i]);")),
    Wrong("writes_b", "f_double", "input", (STORE, "if (i < n) out[i] = const_cast<double*>(b)[i] = a[i] + b[i];")),
    Wrong("remembers_pointers", "f_add", "state | bounds", (LAUNCH, "static const float* first = nullptr;\n    if (!first) first = a;\n    kernel<<<static_cast<unsigned>(blocks), block_size, 0, stream>>>(n == 1000 ? first : a, b, out, n);")),
    Wrong("counts_calls", "f_add", "state/race", ("__global__ void kernel", "__device__ int calls;\n__global__ void kernel"), add_with("if (i < n) out[i] = a[i] + b[i] + (calls > 40 ? 1.0f : 0.0f);\n    if (i == 0) ++calls;")),
    Wrong("works_once", "f_half", "state", ("kernel<<<", "static int64_t last = -1;\n    if (n == last) return;\n    last = n;\n    kernel<<<")),
    Wrong("caches_a_sum", "f_add", "state", ("__global__ void kernel", "__device__ float kept;\n__device__ bool has;\n__global__ void kernel"), add_with("if (i >= n) return;\n    if (i == 0) {\n        if (!has) kept = a[0], has = true;\n        out[0] = kept + b[0];\n    } else {\n        out[i] = a[i] + b[i];\n    }")),
    Wrong("adds_up", "f_half", "zero before", (HALF_STORE, "if (i < n) out[i] = __hadd(out[i], __hadd(a[i], b[i]));")),
    Wrong("atomic_without_zero", "f_add", "zero before", add_with("if (i < n) atomicAdd(out + i, a[i] + b[i]);")),
    Wrong("skips_zeros", "f_add", "unwritten/numbers | zero before", add_with("if (i < n && a[i] + b[i] != 0.0f) out[i] = a[i] + b[i];")),
    Wrong("default_stream", "f_half", "stream", ("block_size, 0, stream", "block_size, 0, 0")),
    Wrong("launches_nothing", "f_half", "unwritten", ("kernel<<<static_cast<unsigned>(blocks), block_size, 0, stream>>>(a, b, out, n);", "(void)blocks;")),
    Wrong("fixed_block", "f_add", "block size | bounds/unwritten/tail", (INDEX, INDEX.replace("blockDim.x", "256"))),
    Wrong("fixed_launch", "f_add", "block size/unwritten/tail", ("(blocks), block_size,", "(blocks), 64,")),
    Wrong("clears_the_neighbour", "f_add", "race", add_with("if (i + 1 < n) out[i + 1] = -1.0f;\n    if (i < n) out[i] = a[i] + b[i];")),
    Wrong("never_ends", "f_add", "timeout", add_with("if (i < n) out[i] = a[i] + b[i];\n    if (i == 3) while (*(volatile int64_t*)&n) {}")),
)  # fmt: skip

GRID_STRIDE = (
    (INDEX, ""),
    (
        STORE,
        "for (int64_t i = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < n; i += static_cast<int64_t>(gridDim.x) * blockDim.x) out[i] = a[i] + b[i];",
    ),
)
CAPPED = ("static_cast<unsigned>(blocks)", "static_cast<unsigned>(blocks < 132 ? blocks : 132)")

RIGHT = (
    *(Right(f"r_{name}", name) for name in BASES),
    Right("r_strided", "f_add", *GRID_STRIDE, CAPPED),
    Right("r_strided_65535", "f_add", *GRID_STRIDE, ("static_cast<unsigned>(blocks)", "static_cast<unsigned>(blocks < 65535 ? blocks : 65535)")),
    Right("r_grid_2d", "f_add", ("static_cast<unsigned>(blocks), block_size", "dim3(32768, static_cast<unsigned>((blocks + 32767) / 32768)), block_size"), (INDEX, "const int64_t i = (static_cast<int64_t>(blockIdx.y) * gridDim.x + blockIdx.x) * blockDim.x + threadIdx.x;")),
    Right("r_idle_threads", "f_add", (BLOCKS, "const int64_t blocks = (n + block_size - 1) / block_size + 1000;")),
    Right("r_one_thread_blocks", "f_add", *GRID_STRIDE, ("static_cast<unsigned>(blocks), block_size", "static_cast<unsigned>(n < 4096 ? n : 4096), 1")),
    Right("r_block_of_1024", "f_add", ("(blocks), block_size", "((n + 1023) / 1024), 1024")),
    Right("r_block_2d", "f_add", ("(blocks), block_size", "((n + 255) / 256), dim3(32, 8)"), (INDEX, "const int64_t i = static_cast<int64_t>(blockIdx.x) * 256 + threadIdx.y * 32 + threadIdx.x;")),
    Right("r_two_each", "f_add", (STORE, "for (int64_t k = 2 * i; k < 2 * i + 2 && k < n; ++k) out[k] = a[k] + b[k];")),
    Right("r_tail_kernel", "f_packs", ("if (whole && first + 4 <= n)", "if (first >= n) return;\n    if (whole && n - first > 3)")),
    Right("r_writes_zero_first", "f_add", add_with("if (i >= n) return;\n    out[i] = 0.0f;\n    __syncwarp(__activemask());\n    out[i] = a[i] + b[i];")),
    Right("r_memset_first", "f_add", (LAUNCH, "cudaMemsetAsync(out, 0, n * sizeof(float), stream);\n    " + LAUNCH), add_with("if (i < n) out[i] = a[i] + b[i];")),
    Right("r_atomic_add_on_minus_zero", "f_add", add_with("if (i >= n) return;\n    out[i] = -0.0f;\n    atomicAdd(out + i, a[i]);\n    atomicAdd(out + i, b[i]);")),
    Right("r_shared", "f_add", add_with("__shared__ float tile[1024];\n    tile[threadIdx.x] = i < n ? a[i] : 0.0f;\n    __syncthreads();\n    if (i < n) out[i] = tile[threadIdx.x] + b[i];")),
    Right("r_shuffled", "f_add", add_with("const float x = i < n ? a[i] : 0.0f;\n    const float y = __shfl_xor_sync(0xffffffffu, x, 0);\n    if (i < n) out[i] = y + b[i];"), ("(blocks), block_size", "((n + 255) / 256), 256")),
    Right("r_counts_in_device_memory", "f_add", ("__global__ void kernel", "__device__ int calls;\n__global__ void kernel"), add_with("if (i == 0) ++calls;\n    if (i < n) out[i] = a[i] + b[i];")),
    Right("r_static_table", "f_add", (LAUNCH, "static int sms = 0;\n    if (!sms) cudaDeviceGetAttribute(&sms, cudaDevAttrMultiProcessorCount, 0);\n    " + LAUNCH)),
    Right("r_halves_in_float", "f_half", (HALF_STORE, "if (i < n) out[i] = __float2half(__half2float(a[i]) + __half2float(b[i]));")),
    Right("r_halves_in_pairs", "f_half", (HALF_STORE, "if (2 * i >= n) return;\n    const int64_t k = 2 * i;\n    out[k] = __hadd(a[k], b[k]);\n    if (k + 1 < n) out[k + 1] = __hadd(a[k + 1], b[k + 1]);")),
    Right("r_by_bits", "f_to_bf16", to_bits("(u & 0x7fffffffu) > 0x7f800000u ? u >> 16 | 0x40u : (u + 0x7fffu + (u >> 16 & 1)) >> 16")),
    Right("r_any_nan", "f_to_bf16", to_bits("(u & 0x7fffffffu) > 0x7f800000u ? 0xffff : (u + 0x7fffu + (u >> 16 & 1)) >> 16")),
    Right("r_int_wraps", "f_int", (INT_STORE, "if (i < n) out[i] = static_cast<int>(static_cast<unsigned>(a[i]) + static_cast<unsigned>(b[i]));")),
    Right("r_relu_if", "f_relu", ("if (i < n) out[i] = x[i] < 0.0f ? 0.0f : x[i];", "if (i >= n) return;\n    float y = x[i];\n    if (y < 0.0f) y = 0.0f;\n    out[i] = y;")),
    Right("r_silu_other_form", "f_silu", ("x[i] / (1.0f + expf(-x[i]))", "static_cast<float>(x[i] / (1.0 + exp(-static_cast<double>(x[i]))))")),
    Right("r_fma_in_double", "f_minus", ("__hsub(a[i], b[i])", "__float2half(__half2float(a[i]) - __half2float(b[i]))")),
    Right("r_many_idle_blocks", "f_add", ("static_cast<unsigned>(blocks)", "static_cast<unsigned>(blocks < 100000 ? 100000 : blocks)")),
    Right("r_backwards", "f_half", (INDEX, "const int64_t i = n - 1 - (static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x);"), ("i < n", "i >= 0")),
    Right("r_peel_grid_1", "f_peel", ("blocks < 320 ? blocks : 320", "blocks < 1 ? blocks : 1")),
)  # fmt: skip
