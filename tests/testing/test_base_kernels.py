"""The right kernels that the wrong ones are made of: their text, and how they are judged."""

import pytest
import torch

from helpers.run.signature import declarations
from helpers.testing import kernel_cases
from helpers.testing.base_kernels import BASES, GRID_STRIDE, elementwise

SIGNATURES = {
    "add": "launch(a: float32[n], b: float32[n], out: float32[n], block_size=256)",
    "strided": "launch(a: float32[n], b: float32[n], out: float32[n], block_size=256)",
    "packs": "launch(a: float32[n], b: float32[n], out: float32[n], block_size=64)",
    "subtract": "launch(a: float32[n], b: float32[n], out: float32[n], block_size=256)",
    "clamp": "launch(x: float32[n], out: float32[n], block_size=256)",
    "to_half": "launch(x: float64[n], out: float16[n], block_size=256)",
    "to_bfloat16": "launch(x: float32[n], out: bfloat16[n], block_size=256)",
    "multiply_add": "launch(a: float16[n], b: float16[n], c: float16[n], out: float16[n], block_size=256)",  # noqa: E501
    "sum": "launch(x: float32[n], total: float32[1], block_size=256)",
    "transpose": "launch(x: float32[rows, cols], out: float32[cols, rows])",
    "matmul": "launch(a: float32[m, k], b: float32[k, n], c: float32[m, n])",
}


@pytest.mark.parametrize("base", SIGNATURES)
def test_every_base_has_one_launcher(base):
    (declaration,) = declarations(BASES[base].text, "base.cu").values()
    assert str(declaration) == SIGNATURES[base]
    assert declaration.parameters[-1].role == "stream"


def test_no_base_is_missing():
    assert list(BASES) == list(SIGNATURES)


def test_an_elementwise_kernel_s_text():
    assert (
        elementwise("float a, half b", "float", "a[i] * b[i]")
        == """\
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>

#include <cfloat>
#include <cstdint>

__global__ void kernel(const float* a, const half* b, float* out, int64_t n) {
    const int64_t i = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i < n) out[i] = a[i] * b[i];
}

extern "C" void launch(const float* a,  // [n]
                       const half* b,  // [n]
                       float* out,  // [n]
                       int64_t n, int block_size = 256, cudaStream_t stream = 0) {
    const int64_t blocks = (n + block_size - 1) / block_size;
    kernel<<<static_cast<unsigned>(blocks), block_size, 0, stream>>>(a, b, out, n);
}
"""
    )


def test_the_strided_kernel_is_the_plain_one_with_a_loop():
    plain = BASES["add"].text.splitlines()
    changed = [line for line in GRID_STRIDE.splitlines() if line not in plain]
    assert [line.strip() for line in changed] == [
        "const int64_t threads = static_cast<int64_t>(gridDim.x) * blockDim.x;",
        "for (int64_t i = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x; i < n; "
        "i += threads) out[i] = a[i] + b[i];",
        "kernel<<<static_cast<unsigned>(blocks < 40 ? blocks : 40), block_size, 0, stream>>>"
        "(a, b, out, n);",
    ]


def test_values_of_the_elementwise_bases():
    values = {
        "add": "out[i] = a[i] + b[i];",
        "subtract": "out[i] = a[i] - b[i];",
        "clamp": "out[i] = x[i] < -1.0f ? -1.0f : x[i] > 1.0f ? 1.0f : x[i];",
        "to_half": "out[i] = __double2half(x[i]);",
        "to_bfloat16": "out[i] = __float2bfloat16(x[i]);",
        "multiply_add": "out[i] = __hfma(a[i], b[i], c[i]);",
    }
    for base, value in values.items():
        assert f"    if (i < n) {value}\n" in BASES[base].text


def test_how_they_are_judged():
    x = torch.tensor([-2.0, 0.5, 3.0])
    assert BASES["clamp"].options["reference"](x).tolist() == [-1.0, 0.5, 1.0]
    named = {"strided": "add", "packs": "add", "to_half": "cast", "to_bfloat16": "cast"}
    for base in ("add", "subtract", "multiply_add", *named):
        assert BASES[base].options == {"reference": named.get(base, base)}
    assert BASES["sum"].options == {"cases": kernel_cases.sums}
    assert BASES["transpose"].options == {"cases": kernel_cases.bank_conflicts}
    assert BASES["matmul"].options == {"cases": kernel_cases.matmul}
