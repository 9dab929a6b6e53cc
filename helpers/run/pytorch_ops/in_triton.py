"""Register the three operators with kernels in Triton, as elementwise_triton. Needs Triton.

`triton_op` takes a function that launches Triton kernels through `wrap_triton`; torch.compile
then sees the kernels themselves, and no fake kernel is needed. The kernels are those of
Triton's first tutorial: a block of elements a program, a mask for the last block.
"""

import torch
import triton
import triton.language as tl
from torch.library import triton_op, wrap_triton

from helpers.run.pytorch_ops import in_python

BLOCK = 1024
SQRT_HALF = tl.constexpr(0.70710678118654752)


@triton.jit
def gelu_of(x):
    """Compute x Phi(x) in float32."""
    return 0.5 * x * (1.0 + tl.erf(x * SQRT_HALF))


@triton.jit
def add_kernel(a, b, out, n, BLOCK: tl.constexpr):
    """Store a + b, one block of elements a program."""
    i = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    inside = i < n
    tl.store(out + i, tl.load(a + i, mask=inside) + tl.load(b + i, mask=inside), mask=inside)


@triton.jit
def gelu_kernel(x, out, n, BLOCK: tl.constexpr):
    """Store gelu(x), computed in float32."""
    i = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    inside = i < n
    tl.store(out + i, gelu_of(tl.load(x + i, mask=inside).to(tl.float32)), mask=inside)


@triton.jit
def bias_gelu_residual_kernel(x, bias, residual, out, n, cols, BLOCK: tl.constexpr):
    """Store gelu(x + bias) + residual, computed in float32."""
    i = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    inside = i < n
    row = tl.load(bias + i % cols, mask=inside).to(tl.float32)
    sum = tl.load(x + i, mask=inside).to(tl.float32) + row
    skip = tl.load(residual + i, mask=inside).to(tl.float32)
    tl.store(out + i, gelu_of(sum) + skip, mask=inside)


def _grid(x: torch.Tensor) -> tuple[int]:
    return (triton.cdiv(x.numel(), BLOCK),)


@triton_op("elementwise_triton::add", mutates_args=())
def add(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    """Return a + b, of one shape, dtype and device."""
    a, b = a.contiguous(), b.contiguous()
    out = torch.empty_like(a)
    wrap_triton(add_kernel)[_grid(a)](a, b, out, a.numel(), BLOCK=BLOCK)
    return out


@triton_op("elementwise_triton::gelu", mutates_args=())
def gelu(x: torch.Tensor) -> torch.Tensor:
    """Return x Phi(x)."""
    x = x.contiguous()
    out = torch.empty_like(x)
    wrap_triton(gelu_kernel)[_grid(x)](x, out, x.numel(), BLOCK=BLOCK)
    return out


@triton_op("elementwise_triton::bias_gelu_residual", mutates_args=())
def bias_gelu_residual(
    x: torch.Tensor, bias: torch.Tensor, residual: torch.Tensor
) -> torch.Tensor:
    """Return gelu(x + bias) + residual; bias is one row."""
    x, bias, residual = x.contiguous(), bias.contiguous(), residual.contiguous()
    out = torch.empty_like(x)
    arguments = (x, bias, residual, out, x.numel(), bias.numel())
    wrap_triton(bias_gelu_residual_kernel)[_grid(x)](*arguments, BLOCK=BLOCK)
    return out


for _name in in_python.SCHEMAS:
    torch.library.register_autograd(
        f"elementwise_triton::{_name}",
        in_python.BACKWARD[_name],
        setup_context=in_python.keep,
    )
