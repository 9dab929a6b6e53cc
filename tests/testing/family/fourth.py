"""Hold a fourth family of the same classes, written and committed before `check` saw it."""

# ruff: noqa: E501 (a line of a kernel stands in one line)
from __future__ import annotations

import torch

from helpers.testing.base_kernels import elementwise
from tests.testing.family import fourth_arrays
from tests.testing.family.elementwise import HEADER
from tests.testing.family.table import Base, Right, Wrong

# Packs of four floats by one kernel, what is left by another.
QUADS = (
    HEADER
    + """\
__global__ void quads(const float4* a, const float4* b, float4* out, int64_t packs) {
    const int64_t p = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (p >= packs) return;
    const float4 x = a[p], y = b[p];
    out[p] = make_float4(x.x * y.x, x.y * y.y, x.z * y.z, x.w * y.w);
}

__global__ void rest(const float* a, const float* b, float* out, int64_t first, int64_t n) {
    const int64_t i = first + static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i < n) out[i] = a[i] * b[i];
}

bool starts_a_pack(const void* p) { return reinterpret_cast<uintptr_t>(p) % sizeof(float4) == 0; }

extern "C" void launch(const float* a,  // [n]
                       const float* b,  // [n]
                       float* out,      // [n]
                       int64_t n, int block_size = 256, cudaStream_t stream = 0) {
    const bool whole = starts_a_pack(a) && starts_a_pack(b) && starts_a_pack(out);
    const int64_t packs = whole ? n / 4 : 0, left = n - 4 * packs;
    if (packs) {
        const int64_t blocks = (packs + block_size - 1) / block_size;
        quads<<<static_cast<unsigned>(blocks), block_size, 0, stream>>>(
            reinterpret_cast<const float4*>(a), reinterpret_cast<const float4*>(b), reinterpret_cast<float4*>(out), packs);
    }
    if (left) {
        const int64_t blocks = (left + block_size - 1) / block_size;
        rest<<<static_cast<unsigned>(blocks), block_size, 0, stream>>>(a, b, out, 4 * packs, n);
    }
}
"""
)


def hard_swish(x):
    return x * ((x + 3).clamp(0, 6) / 6)


BASES = {
    "i_fma": Base(
        elementwise("float a, float b, float c", "float", "fmaf(a[i], b[i], c[i])"),
        {"reference": "multiply_add"},
    ),
    "i_quads": Base(QUADS, {"reference": "multiply"}),
    "i_bytes": Base(
        elementwise("uint8_t a, uint8_t b", "uint8_t", "a[i] + b[i]"), {"reference": "add"}
    ),
    "i_to_half": Base(
        elementwise("__nv_bfloat16 x", "half", "__float2half(__bfloat162float(x[i]))"),
        {"reference": "cast"},
    ),
    "i_to_bf16": Base(
        elementwise("half x", "__nv_bfloat16", "__float2bfloat16(__half2float(x[i]))"),
        {"reference": "cast"},
    ),
    "i_tanh": Base(
        elementwise("float x", "float", "tanhf(x[i])"), {"reference": torch.tanh, "ulp": 4}
    ),
    "i_swish": Base(
        elementwise(
            "float x", "float", "x[i] * (fminf(fmaxf(x[i] + 3.0f, 0.0f), 6.0f) / 6.0f)"
        ),
        {"reference": hard_swish, "ulp": 4},
    ),
    **fourth_arrays.BASES,
}
STORE = "if (i < n) out[i] = fmaf(a[i], b[i], c[i]);"
INDEX = "const int64_t i = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;"
GRID = "const int64_t blocks = (n + block_size - 1) / block_size;"
LAUNCH = "kernel<<<static_cast<unsigned>(blocks), block_size, 0, stream>>>(a, b, c, out, n);"
WHOLE = "starts_a_pack(a) && starts_a_pack(b) && starts_a_pack(out)"
TANH = "tanhf(x[i])"
SWISH = "x[i] * (fminf(fmaxf(x[i] + 3.0f, 0.0f), 6.0f) / 6.0f)"


def fma_with(statements: str) -> tuple[str, str]:
    """Replace the plain statement by others that see i and n."""
    return (STORE, statements)


WRONG = (
    # ---- sizes, grids
    Wrong("i_guard_n_minus_1", "i_fma", "tail/unwritten", fma_with("if (i < n - 1 || n < 300) { if (i < n) out[i] = fmaf(a[i], b[i], c[i]); }")),
    Wrong("i_guard_or_equal", "i_fma", "bounds", fma_with("if (i <= n) out[i] = fmaf(a[i], b[i], c[i]);")),
    Wrong("i_no_guard", "i_fma", "bounds", fma_with("out[i] = fmaf(a[i], b[i], c[i]);")),
    Wrong("i_short_block_number", "i_fma", "narrow/grid | unwritten", (INDEX, "const int64_t i = static_cast<int64_t>(static_cast<uint16_t>(blockIdx.x)) * blockDim.x + threadIdx.x;")),
    Wrong("i_unsigned_index", "i_fma", "narrow | bounds/grid", (INDEX, "const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;")),
    Wrong("i_fixed_block_dim", "i_fma", "block size | bounds/unwritten", ("* blockDim.x +", "* 256 +")),
    Wrong("i_grid_of_1024", "i_fma", "grid | unwritten/tail", ("static_cast<unsigned>(blocks)", "static_cast<unsigned>(blocks < 1024 ? blocks : 1024)")),
    Wrong("i_blocks_of_floor", "i_fma", "tail/unwritten/grid", (GRID, "const int64_t blocks = n / block_size + (n < block_size);")),
    Wrong("i_stride_of_one_block", "i_fma", "unwritten/grid/left out", ("static_cast<unsigned>(blocks)", "static_cast<unsigned>((blocks + 1) / 2)"), fma_with("for (int64_t k = i; k < n; k += static_cast<int64_t>(gridDim.x) * blockDim.x * 2) out[k] = fmaf(a[k], b[k], c[k]);")),
    # ---- alignment, packs
    Wrong("i_quads_untested", "i_quads", "alignment", (WHOLE, "true")),
    Wrong("i_quads_output_only", "i_quads", "alignment", (WHOLE, "starts_a_pack(out)")),
    Wrong("i_quads_to_8", "i_quads", "alignment", ("% sizeof(float4) == 0", "% 8 == 0")),
    Wrong("i_quads_ored", "i_quads", "alignment", (WHOLE, "starts_a_pack(a) || starts_a_pack(b) || starts_a_pack(out)")),
    Wrong("i_quads_no_rest", "i_quads", "tail/unwritten", ("if (left) {", "if (left && !whole) {")),
    Wrong("i_quads_rest_from_0", "i_quads", "tail/unwritten", ("(a, b, out, 4 * packs, n)", "(a, b, out, 0, left)")),
    Wrong("i_quads_w_is_z", "i_quads", "left out/numbers/function/neighbour", ("x.w * y.w", "x.w * y.z")),
    Wrong("i_quads_all_up", "i_quads", "bounds/refused", ("whole ? n / 4 : 0", "whole ? (n + 3) / 4 : 0")),
    # ---- values
    Wrong("i_fma_c_dropped", "i_fma", "left out", fma_with("if (i < n) out[i] = a[i] * b[i];")),
    Wrong("i_fma_if_finite", "i_fma", "nan/infinity", fma_with("if (i >= n) return;\n    const float y = fmaf(a[i], b[i], c[i]);\n    out[i] = isfinite(y) ? y : 0.0f;")),
    Wrong("i_fma_in_bf16", "i_fma", "precision | infinity/subnormal", fma_with("if (i < n) out[i] = __bfloat162float(__float2bfloat16(fmaf(a[i], b[i], c[i])));")),
    Wrong("i_bytes_saturate", "i_bytes", "whole range", ("a[i] + b[i]", "a[i] + b[i] > 255 ? 255 : a[i] + b[i]")),
    Wrong("i_bytes_of_7_bits", "i_bytes", "whole range | narrow", ("a[i] + b[i]", "(a[i] & 127) + b[i]")),
    Wrong("i_to_half_clamps", "i_to_half", "infinity | nan", ("__float2half(__bfloat162float(x[i]))", "__float2half(fminf(fmaxf(__bfloat162float(x[i]), -65504.0f), 65504.0f))")),
    Wrong("i_to_half_toward_0", "i_to_half", "rounding | infinity/subnormal", ("__float2half(__bfloat162float(x[i]))", "__float2half_rz(__bfloat162float(x[i]))")),
    Wrong("i_to_half_flushes", "i_to_half", "subnormal", ("__float2half(__bfloat162float(x[i]))", "fabsf(__bfloat162float(x[i])) < 6.103515625e-05f ? __float2half(0.0f * __bfloat162float(x[i])) : __float2half(__bfloat162float(x[i]))")),
    Wrong("i_to_bf16_cuts", "i_to_bf16", "rounding", ("__float2bfloat16(__half2float(x[i]))", "__float2bfloat16_rz(__half2float(x[i]))")),
    Wrong("i_to_bf16_half_up", "i_to_bf16", "rounding | nan/infinity", ("__float2bfloat16(__half2float(x[i]))", "__ushort_as_bfloat16(static_cast<unsigned short>((__float_as_uint(__half2float(x[i])) + 0x8000u) >> 16))")),
    Wrong("i_to_bf16_loses_nan", "i_to_bf16", "nan", ("__float2bfloat16(__half2float(x[i]))", "__hisnan(x[i]) ? __float2bfloat16(0.0f) : __float2bfloat16(__half2float(x[i]))")),
    Wrong("i_tanh_by_exp", "i_tanh", "nan/infinity/precision/numbers", (TANH, "(expf(2.0f * x[i]) - 1.0f) / (expf(2.0f * x[i]) + 1.0f)")),
    Wrong("i_tanh_of_half", "i_tanh", "precision | infinity/subnormal", (TANH, "__half2float(__float2half(tanhf(x[i])))")),
    Wrong("i_swish_5_for_6", "i_swish", "function/numbers", ("0.0f), 6.0f)", "0.0f), 5.0f)")),
    Wrong("i_swish_no_lower_end", "i_swish", "function/numbers/infinity", (SWISH, "x[i] * (fminf(x[i] + 3.0f, 6.0f) / 6.0f)")),
    Wrong("i_swish_nan_to_0", "i_swish", "nan", (SWISH, "x[i] == x[i] ? x[i] * (fminf(fmaxf(x[i] + 3.0f, 0.0f), 6.0f) / 6.0f) : 0.0f")),
    # ---- side effects
    Wrong("i_adds_twice", "i_fma", "zero before | nan/unwritten", fma_with("if (i < n) { out[i] += c[i]; out[i] = fmaf(a[i], b[i], out[i]); }")),
    Wrong("i_scratch_in_c", "i_fma", "input", fma_with("if (i >= n) return;\n    float* keep = const_cast<float*>(c);\n    keep[i] = fmaf(a[i], b[i], keep[i]);\n    out[i] = keep[i];")),
    Wrong("i_first_a_remembered", "i_fma", "state/bounds", ("extern", "static const float* first_a = nullptr;\n\nextern"), (LAUNCH, "if (!first_a || n > 1000) first_a = a;\n    " + LAUNCH.replace("(a, b", "(first_a, b"))),
    Wrong("i_own_stream", "i_fma", "stream", (LAUNCH, "static cudaStream_t own = nullptr;\n    if (!own) cudaStreamCreate(&own);\n    " + LAUNCH.replace("stream>>>", "own>>>"))),
    Wrong("i_writes_past", "i_fma", "bounds", fma_with("if (i < n) out[i] = fmaf(a[i], b[i], c[i]);\n    if (i == n - 1) out[n] = 0.0f;")),
    *fourth_arrays.WRONG,
)  # fmt: skip

RIGHT = (
    *(Right(f"r_{name}", name) for name in BASES),
    Right("r_i_size_t", "i_fma", ("int64_t n, int block_size", "size_t n, int block_size"), ("float* out, int64_t n) {", "float* out, size_t n) {"), ("const int64_t i = static_cast<int64_t>(blockIdx.x)", "const size_t i = static_cast<size_t>(blockIdx.x)")),
    Right("r_i_template", "i_fma", ("__global__ void kernel(const float* a, const float* b, const float* c, float* out, int64_t n) {", "template <typename T, int UNUSED = 3>\n__global__ void kernel(const T* a, const T* b, const T* c, T* __restrict__ out, int64_t n) {"), ("    kernel<<<", "    kernel<float><<<")),
    Right("r_i_lambda_grid", "i_fma", (GRID, "auto up = [](int64_t x, int64_t y) { return (x + y - 1) / y; };\n    const auto blocks = up(n, block_size);")),
    Right("r_i_launch_kernel", "i_fma", (LAUNCH, "void* arguments[] = {&a, &b, &c, &out, &n};\n    cudaLaunchKernel(reinterpret_cast<const void*>(kernel), dim3(static_cast<unsigned>(blocks)), dim3(block_size), arguments, 0, stream);")),
    Right("r_i_early_return", "i_fma", (LAUNCH, "if (n == 0) return;\n    " + LAUNCH)),
    Right("r_i_out_in_middle", "i_fma", ("const float* c,  // [n]\n                       float* out,  // [n]", "float* out,  // [n]\n                       const float* c,  // [n]")),
    Right("r_i_dim3_named", "i_fma", (LAUNCH, "dim3 grid, block;\n    grid.x = static_cast<unsigned>(blocks);\n    block.x = static_cast<unsigned>(block_size);\n    " + LAUNCH.replace("static_cast<unsigned>(blocks), block_size", "grid, block"))),
    Right("r_i_unroll_4", "i_fma", (GRID, "const int64_t blocks = (n + 4LL * block_size - 1) / (4LL * block_size);"), (INDEX, "const int64_t first = 4 * (static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x);"), fma_with("for (int64_t i = first; i < first + 4; ++i) {\n        if (i < n) out[i] = fmaf(a[i], b[i], c[i]);\n    }")),
    Right("r_i_grid_stride", "i_fma", ("static_cast<unsigned>(blocks)", "static_cast<unsigned>(blocks < 111 ? blocks : 111)"), fma_with("for (int64_t k = i; k < n; k += static_cast<int64_t>(gridDim.x) * blockDim.x) out[k] = fmaf(a[k], b[k], c[k]);")),
    Right("r_i_idle_half", "i_fma", ("static_cast<unsigned>(blocks)", "static_cast<unsigned>(2 * blocks + 5)")),
    Right("r_i_memset_2", "i_fma", (LAUNCH, "cudaMemsetAsync(out, 0xff, n * sizeof *out, stream);\n    " + LAUNCH)),
    Right("r_i_two_steps", "i_fma", (LAUNCH, LAUNCH + "\n    " + LAUNCH)),
    Right("r_i_shared_stage", "i_fma", fma_with("__shared__ float stage[1024];\n    if (i < n) stage[threadIdx.x] = a[i];\n    __syncthreads();\n    if (i < n) out[i] = fmaf(stage[threadIdx.x], b[i], c[i]);")),
    Right("r_i_dynamic_shared", "i_fma", ("block_size, 0, stream>>>", "block_size, block_size * sizeof(float), stream>>>"), fma_with("extern __shared__ float stage[];\n    if (i < n) stage[threadIdx.x] = c[i];\n    __syncwarp();\n    if (i < n) out[i] = fmaf(a[i], b[i], stage[threadIdx.x]);")),
    Right("r_i_ldg", "i_fma", fma_with("if (i < n) out[i] = fmaf(__ldg(a + i), __ldg(b + i), __ldg(&c[i]));")),
    Right("r_i_in_double", "i_quads", ("out[i] = a[i] * b[i];", "out[i] = static_cast<float>(static_cast<double>(a[i]) * b[i]);")),
    Right("r_i_quads_never", "i_quads", (WHOLE, "n < 0")),
    Right("r_i_quads_masks", "i_quads", (WHOLE, "((reinterpret_cast<uintptr_t>(a) | reinterpret_cast<uintptr_t>(b) | reinterpret_cast<uintptr_t>(out)) & 15) == 0")),
    Right("r_i_bytes_cast", "i_bytes", ("a[i] + b[i]", "static_cast<uint8_t>(static_cast<unsigned>(a[i]) + b[i])")),
    Right("r_i_words", "i_bytes", ("uint8_t* out,  // [n]\n                       int64_t n", "uint8_t* out,  // [n]\n                       long long n")),
    Right("r_i_bf16_member", "i_to_bf16", ("__float2bfloat16(__half2float(x[i]))", "__nv_bfloat16(__half2float(x[i]))")),
    *fourth_arrays.RIGHT,
)  # fmt: skip
