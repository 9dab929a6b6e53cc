"""Hold a tenth family, in four hands: elementwise, and a layer norm.

Committed before `check` saw it. At first 30 of 30 were caught, 20 sentences named the fault, 3
none, 7 another; 10 of 10 right ones were accepted. No label was changed for these figures.
After them two were: x_alpha_65535_blocks may be called narrow, x_relu2_int_index a number of
blocks.
"""

# ruff: noqa: E501 (a line of a kernel stands in one line)
from __future__ import annotations

import torch

from tests.testing.family import tenth_arrays
from tests.testing.family.elementwise import HEADER
from tests.testing.family.table import Base, Right, Wrong

# A student: an element a thread, in the words of the first lecture.
ALPHA = (
    HEADER
    + """\
__global__ void add_alpha(const float* x, const float* y, float* z, float alpha, int64_t n) {
    int64_t idx = (int64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (idx < n) {
        z[idx] = fmaf(alpha, y[idx], x[idx]);
    }
}

extern "C" void launch(const float* x,  // [n]
                       const float* y,  // [n]
                       float* z,        // [n]
                       int64_t n, float alpha = 0.5f, int block_size = 256, cudaStream_t stream = 0) {
    int64_t num_blocks = (n + block_size - 1) / block_size;
    add_alpha<<<(unsigned)num_blocks, block_size, 0, stream>>>(x, y, z, alpha, n);
}
"""
)

# A veteran: templates, packs, a loop over the grid.
NARROW = (
    HEADER
    + """\
namespace {
template <typename T, int W>
struct alignas(sizeof(T) * W) Vec {
    T v[W];
};

template <int W>
__global__ void narrow(const float* __restrict__ in, half* __restrict__ out, int64_t n) {
    using In = Vec<float, W>;
    using Out = Vec<half, W>;
    const int64_t stride = int64_t(gridDim.x) * blockDim.x;
    const int64_t tid = int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
    const int64_t whole = n / W;
    for (int64_t p = tid; p < whole; p += stride) {
        const In src = reinterpret_cast<const In*>(in)[p];
        Out dst;
#pragma unroll
        for (int k = 0; k < W; ++k) dst.v[k] = __float2half_rn(src.v[k]);
        reinterpret_cast<Out*>(out)[p] = dst;
    }
    for (int64_t i = whole * W + tid; i < n; i += stride) out[i] = __float2half(in[i]);
}

bool fits(const void* p, size_t bytes) { return reinterpret_cast<uintptr_t>(p) % bytes == 0; }
}  // namespace

extern "C" void launch(const float* in,  // [n]
                       half* out,        // [n]
                       int64_t n, int block_size = 128, cudaStream_t stream = 0) {
    const bool wide = fits(in, sizeof(Vec<float, 4>)) && fits(out, sizeof(Vec<half, 4>));
    int64_t blocks = (n / (wide ? 4 : 1) + block_size) / block_size;
    if (blocks > 2048) blocks = 2048;
    const auto kernel = wide ? narrow<4> : narrow<1>;
    kernel<<<unsigned(blocks), block_size, 0, stream>>>(in, out, n);
}
"""
)

# A code generator: numbered temporaries, four elements a thread, a block's width apart.
RELU2 = (
    HEADER
    + """\
#define XPER 4
__global__ void fused_relu_mul_0(const float* in_ptr0, float* out_ptr0, const int64_t xnumel) {
    const int64_t xoffset = static_cast<int64_t>(blockIdx.x) * (blockDim.x * XPER);
#pragma unroll
    for (int xj = 0; xj < XPER; ++xj) {
        const int64_t xindex = xoffset + xj * blockDim.x + threadIdx.x;
        const bool xmask = xindex < xnumel;
        const float tmp0 = xmask ? in_ptr0[xindex] : 0.0f;
        const float tmp1 = 0.0f;
        const bool tmp2 = tmp0 < tmp1;
        const float tmp3 = tmp2 ? tmp1 : tmp0;
        const float tmp4 = tmp3 * tmp3;
        if (xmask) out_ptr0[xindex] = tmp4;
    }
}

extern "C" void launch(const float* in_ptr0,  // [xnumel]
                       float* out_ptr0,       // [xnumel]
                       int64_t xnumel, int block_size = 256, cudaStream_t stream = 0) {
    const int64_t xblock = static_cast<int64_t>(block_size) * XPER;
    const int64_t grid0 = (xnumel + xblock - 1) / xblock;
    fused_relu_mul_0<<<static_cast<unsigned>(grid0), block_size, 0, stream>>>(in_ptr0, out_ptr0, xnumel);
}
"""
)

# A numpy person: np.where(cond, np.clip(x, -1.5, 2.5), -7), by unravel and ravel.
WHERE = (
    HEADER
    + """\
constexpr int64_t kCols = 64;

__global__ void where_clip(const unsigned char* cond, const float* x, float* out, int64_t size) {
    const int64_t step = (int64_t)gridDim.x * blockDim.x;
    const int64_t begin = (int64_t)blockDim.x * blockIdx.x + threadIdx.x;
    for (int64_t flat = begin; flat < size; flat += step) {
        const int64_t row = flat / kCols, col = flat % kCols;
        const int64_t at = row * kCols + col;
        const float low = -1.5f, high = 2.5f;
        float v = x[at];
        v = v < low ? low : v;
        v = v > high ? high : v;
        out[at] = cond[at] != 0 ? v : -7.0f;
    }
}

extern "C" void launch(const unsigned char* cond,  // [size]
                       const float* x,             // [size]
                       float* out,                 // [size]
                       int64_t size, int block_size = 192, cudaStream_t stream = 0) {
    int64_t blocks = size / block_size + 1;
    if (blocks > 4096) blocks = 4096;
    where_clip<<<(unsigned)blocks, block_size, 0, stream>>>(cond, x, out, size);
}
"""
)

# A veteran: a warp a row, two passes, butterflies.
NORM = (
    HEADER
    + """\
__device__ float all_lanes(float v) {
#pragma unroll
    for (int mask = 16; mask; mask >>= 1) v += __shfl_xor_sync(~0u, v, mask);
    return v;
}

__global__ void norm(const float* __restrict__ x, float* __restrict__ out, int64_t m, int64_t n) {
    const int64_t row = int64_t(blockIdx.x) * blockDim.y + threadIdx.y;
    if (row >= m) return;
    x += row * n;
    out += row * n;
    float sum = 0.0f;
    for (int64_t i = threadIdx.x; i < n; i += 32) sum += x[i];
    const float mean = all_lanes(sum) / n;
    float squares = 0.0f;
    for (int64_t i = threadIdx.x; i < n; i += 32) squares += (x[i] - mean) * (x[i] - mean);
    const float variance = all_lanes(squares) / n;
    const float scale = 1.0f / sqrtf(variance + 1e-5f);
    for (int64_t i = threadIdx.x; i < n; i += 32) out[i] = (x[i] - mean) * scale;
}

extern "C" void launch(const float* x,  // [m, n]
                       float* out,      // [m, n]
                       int64_t m, int64_t n, cudaStream_t stream = 0) {
    norm<<<unsigned((m + 7) / 8), dim3(32, 8), 0, stream>>>(x, out, m, n);
}
"""
)


def _where(cond: torch.Tensor, x: torch.Tensor) -> torch.Tensor:
    return torch.where(cond != 0, x.clamp(-1.5, 2.5), torch.full_like(x, -7))


BASES = {
    "x_alpha": Base(ALPHA, {"reference": lambda x, y: x + 0.5 * y}),
    "x_narrow": Base(NARROW, {"reference": "cast"}),
    "x_relu2": Base(RELU2, {"reference": lambda x: x.clamp(min=0) * x.clamp(min=0)}),
    "x_where": Base(WHERE, {"reference": _where}),
    "x_norm": Base(NORM, cases="layer_norm"),
    **tenth_arrays.BASES,
}

WRONG = (
    Wrong(
        "x_alpha_on_x",
        "x_alpha",
        "swapped/function",
        ("fmaf(alpha, y[idx], x[idx])", "fmaf(alpha, x[idx], y[idx])"),
    ),
    Wrong(
        "x_alpha_256_in_place",
        "x_alpha",
        "block size | unwritten/tail/grid",
        ("blockIdx.x * blockDim.x + threadIdx.x", "blockIdx.x * 256 + threadIdx.x"),
    ),
    Wrong(
        "x_alpha_65535_blocks",
        "x_alpha",
        "grid/unwritten | tail/narrow",
        (
            "    add_alpha<<<",
            "    if (num_blocks > 65535) num_blocks = 65535;\n    add_alpha<<<",
        ),
    ),
    Wrong(
        "x_narrow_toward_zero",
        "x_narrow",
        "rounding",
        ("__float2half_rn(", "__float2half_rz("),
    ),
    Wrong(
        "x_narrow_one_address",
        "x_narrow",
        "alignment",
        (" && fits(out, sizeof(Vec<half, 4>))", ""),
    ),
    Wrong(
        "x_narrow_rest_short",
        "x_narrow",
        "tail/unwritten",
        ("i < n; i += stride", "i < n - 1; i += stride"),
    ),
    Wrong(
        "x_relu2_mask_forgotten",
        "x_relu2",
        "bounds",
        ("if (xmask) out_ptr0[xindex] = tmp4;", "out_ptr0[xindex] = tmp4;"),
    ),
    Wrong(
        "x_relu2_nan_is_zero",
        "x_relu2",
        "nan",
        ("const bool tmp2 = tmp0 < tmp1;", "const bool tmp2 = !(tmp0 > tmp1);"),
    ),
    Wrong(
        "x_relu2_int_index",
        "x_relu2",
        "narrow | bounds/unwritten/grid",
        (
            "const int64_t xindex = xoffset + xj * blockDim.x + threadIdx.x;",
            "const int xindex = static_cast<int>(xoffset + xj * blockDim.x + threadIdx.x);",
        ),
    ),
    Wrong(
        "x_where_true_is_one",
        "x_where",
        "numbers/whole range/function",
        ("cond[at] != 0", "cond[at] == 1"),
    ),
    Wrong(
        "x_where_up_to_size",
        "x_where",
        "bounds | tail",
        ("flat < size", "flat <= size"),
    ),
    Wrong(
        "x_where_high_is_2",
        "x_where",
        "function/numbers/infinity",
        ("high = 2.5f", "high = 2.0f"),
    ),
    # ---- layer norm
    Wrong(
        "x_norm_n_minus_1",
        "x_norm",
        "function | nan/numbers",
        ("all_lanes(squares) / n", "all_lanes(squares) / (n - 1)"),
    ),
    Wrong(
        "x_norm_eps_outside",
        "x_norm",
        "function/precision/numbers | infinity/nan",
        ("sqrtf(variance + 1e-5f)", "(sqrtf(variance) + 1e-5f)"),
    ),
    Wrong(
        "x_norm_mean_of_squares",
        "x_norm",
        "precision | nan/numbers",
        ("squares += (x[i] - mean) * (x[i] - mean)", "squares += x[i] * x[i]"),
        ("all_lanes(squares) / n", "all_lanes(squares) / n - mean * mean"),
    ),
    *tenth_arrays.WRONG,
)

RIGHT = (
    Right(
        "x_alpha_from_the_end",
        "x_alpha",
        ("    if (idx < n) {\n", "    if (idx < n) {\n        idx = n - 1 - idx;\n"),
    ),
    Right(
        "x_narrow_seven_blocks",
        "x_narrow",
        ("blocks > 2048) blocks = 2048", "blocks > 7) blocks = 7"),
    ),
    Right(
        "x_relu2_in_double",
        "x_relu2",
        ("tmp4 = tmp3 * tmp3", "tmp4 = static_cast<float>(static_cast<double>(tmp3) * tmp3)"),
    ),
    Right(
        "x_where_by_bits",
        "x_where",
        (
            "out[at] = cond[at] != 0 ? v : -7.0f;",
            "const int all = -static_cast<int>(cond[at] != 0);\n"
            "        out[at] = __int_as_float((__float_as_int(v) & all) | (__float_as_int(-7.0f) & ~all));",
        ),
    ),
    Right(
        "x_norm_less_the_first",
        "x_norm",
        ("sum += x[i];", "sum += x[i] - x[0];"),
        ("mean = all_lanes(sum) / n", "mean = x[0] + all_lanes(sum) / n"),
    ),
    *tenth_arrays.RIGHT,
)
