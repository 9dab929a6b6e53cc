"""Hold the right kernels that `helpers.testing.wrong_kernels` edits into wrong ones."""

# ruff: noqa: E501 (a line of a kernel stands in one line)
from __future__ import annotations

import re
from dataclasses import dataclass

from helpers import paths
from helpers.testing import kernel_cases


def elementwise(inputs: str, output: str, value: str) -> str:
    """Write a plain kernel, a thread an element.

    "float a, float b", "float" and "a[i] + b[i]" make an addition of float32.
    """
    pointers = [f"const {declaration.replace(' ', '* ')}" for declaration in inputs.split(", ")]
    names = ", ".join(declaration.split()[1] for declaration in inputs.split(", "))
    launcher = "\n".join(f"                       {pointer},  // [n]" for pointer in pointers)
    return f"""\
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include <cfloat>
#include <cstdint>

__global__ void kernel({", ".join(pointers)}, {output}* out, int64_t n) {{
    const int64_t i = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i < n) out[i] = {value};
}}

extern "C" void launch({launcher.strip()}
                       {output}* out,  // [n]
                       int64_t n, int block_size = 256, cudaStream_t stream = 0) {{
    const int64_t blocks = (n + block_size - 1) / block_size;
    kernel<<<static_cast<unsigned>(blocks), block_size, 0, stream>>>({names}, out, n);
}}
"""


GRID_STRIDE = elementwise("float a, float b", "float", "a[i] + b[i]").replace(
    "    const int64_t i = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;\n    if (i < n) out[i]",
    "    const int64_t threads = static_cast<int64_t>(gridDim.x) * blockDim.x;\n"
    "    for (int64_t i = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < n; i += threads) out[i]",
)
GRID_STRIDE = GRID_STRIDE.replace(
    "static_cast<unsigned>(blocks)", "static_cast<unsigned>(blocks < 40 ? blocks : 40)"
)

SUM = """\
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include <cstdint>

__global__ void zero(float* total) { *total = 0.0f; }

__global__ void sum_kernel(const float* x, float* total, int64_t n) {
    extern __shared__ float shared[];
    const int64_t threads = static_cast<int64_t>(gridDim.x) * blockDim.x;
    float sum = 0.0f;
    for (int64_t i = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < n; i += threads) sum += x[i];
    shared[threadIdx.x] = sum;
    __syncthreads();
    for (int left = blockDim.x; left > 1;) {
        const int half = (left + 1) / 2;
        if (threadIdx.x < left / 2) shared[threadIdx.x] += shared[threadIdx.x + half];
        __syncthreads();
        left = half;
    }
    if (threadIdx.x == 0) atomicAdd(total, shared[0]);
}

extern "C" void launch(const float* x,  // [n]
                       float* total,    // [1]
                       int64_t n, int block_size = 256, cudaStream_t stream = 0) {
    const int64_t blocks = (n + block_size - 1) / block_size;
    zero<<<1, 1, 0, stream>>>(total);
    sum_kernel<<<static_cast<unsigned>(blocks < 64 ? blocks : 64), block_size, block_size * sizeof(float), stream>>>(
        x, total, n);
}
"""

TRANSPOSE = """\
#include <cuda_runtime.h>

#include <cstdint>

__global__ void transpose_kernel(const float* x, float* out, int64_t rows, int64_t cols) {
    __shared__ float tile[16][17];
    const int64_t row = static_cast<int64_t>(blockIdx.y) * 16 + threadIdx.y;
    const int64_t col = static_cast<int64_t>(blockIdx.x) * 16 + threadIdx.x;
    if (row < rows && col < cols) tile[threadIdx.y][threadIdx.x] = x[row * cols + col];
    __syncthreads();
    const int64_t to_row = static_cast<int64_t>(blockIdx.x) * 16 + threadIdx.y;
    const int64_t to_col = static_cast<int64_t>(blockIdx.y) * 16 + threadIdx.x;
    if (to_row < cols && to_col < rows) out[to_row * rows + to_col] = tile[threadIdx.x][threadIdx.y];
}

extern "C" void launch(const float* x,  // [rows, cols]
                       float* out,      // [cols, rows]
                       int64_t rows, int64_t cols, cudaStream_t stream = 0) {
    const dim3 grid(static_cast<unsigned>((cols + 15) / 16), static_cast<unsigned>((rows + 15) / 16));
    transpose_kernel<<<grid, dim3(16, 16), 0, stream>>>(x, out, rows, cols);
}
"""

MATMUL = """\
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include <cstdint>

__global__ void matmul_kernel(const float* a, const float* b, float* c, int64_t m, int64_t n, int64_t k) {
    const int64_t row = static_cast<int64_t>(blockIdx.y) * 16 + threadIdx.y;
    const int64_t col = static_cast<int64_t>(blockIdx.x) * 16 + threadIdx.x;
    if (row >= m || col >= n) return;
    float sum = 0.0f;
    for (int64_t i = 0; i < k; ++i) sum += a[row * k + i] * b[i * n + col];
    c[row * n + col] = sum;
}

extern "C" void launch(const float* a,  // [m, k]
                       const float* b,  // [k, n]
                       float* c,        // [m, n]
                       int64_t m, int64_t n, int64_t k, cudaStream_t stream = 0) {
    const dim3 grid(static_cast<unsigned>((n + 15) / 16), static_cast<unsigned>((m + 15) / 16));
    matmul_kernel<<<grid, dim3(16, 16), 0, stream>>>(a, b, c, m, n, k);
}
"""


@dataclass(frozen=True)
class Base:
    """A right kernel: its text, and the keywords with which `check.verdict` judges it."""

    text: str
    options: dict


BASES = {
    "add": Base(elementwise("float a, float b", "float", "a[i] + b[i]"), {"reference": "add"}),
    "strided": Base(GRID_STRIDE, {"reference": "add"}),
    "packs": Base(
        re.sub(
            r"\bvoid add\(",
            "void launch(",
            (paths.KERNELS / "v2_f32x4.cu").read_text(encoding="utf-8"),
        ),
        {"reference": "add"},
    ),
    "subtract": Base(
        elementwise("float a, float b", "float", "a[i] - b[i]"), {"reference": "subtract"}
    ),
    "clamp": Base(
        elementwise("float x", "float", "x[i] < -1.0f ? -1.0f : x[i] > 1.0f ? 1.0f : x[i]"),
        {"reference": lambda x: x.clamp(-1, 1)},
    ),
    "to_half": Base(
        elementwise("double x", "half", "__double2half(x[i])"), {"reference": "cast"}
    ),
    "to_bfloat16": Base(
        elementwise("float x", "__nv_bfloat16", "__float2bfloat16(x[i])"),
        {"reference": "cast"},
    ),
    "multiply_add": Base(
        elementwise("half a, half b, half c", "half", "__hfma(a[i], b[i], c[i])"),
        {"reference": "multiply_add"},
    ),
    "sum": Base(SUM, {"cases": kernel_cases.sums}),
    "transpose": Base(TRANSPOSE, {"cases": kernel_cases.transpose}),
    "matmul": Base(MATMUL, {"cases": kernel_cases.matmul}),
}
