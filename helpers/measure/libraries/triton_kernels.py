"""Add and cast in Triton, as its first tutorial writes them. Needs Triton."""

import triton
import triton.language as tl


@triton.jit
def add_kernel(a, b, out, n, BLOCK: tl.constexpr):
    """Add a block of BLOCK elements."""
    i = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    inside = i < n
    tl.store(out + i, tl.load(a + i, mask=inside) + tl.load(b + i, mask=inside), mask=inside)


@triton.jit
def cast_kernel(x, out, n, BLOCK: tl.constexpr):
    """Convert a block of BLOCK elements."""
    i = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    inside = i < n
    tl.store(out + i, tl.load(x + i, mask=inside).to(out.dtype.element_ty), mask=inside)


def bind(inputs, out, block: int, warps: int):
    """Return a call of the add for two inputs, of the cast for one."""
    kernel = add_kernel if len(inputs) == 2 else cast_kernel
    grid = (triton.cdiv(out.numel(), block),)
    return lambda: kernel[grid](*inputs, out, out.numel(), BLOCK=block, num_warps=warps)
