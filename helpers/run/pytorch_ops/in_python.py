"""Register the operators in Python: the same schemas, checks and gradients as operators.cpp.

For machines without a GPU, where a build with PyTorch's headers would take a minute and more.
`register()` does it once in a process; the functions call the operators.
"""

from __future__ import annotations

import functools

import torch
from torch import Tensor
from torch.nn import functional

NAMESPACE = "elementwise"
SCHEMAS = {
    "add": "(Tensor a, Tensor b) -> Tensor",
    "gelu": "(Tensor x) -> Tensor",
    "bias_gelu_residual": "(Tensor x, Tensor bias, Tensor residual) -> Tensor",
}
DTYPES = (torch.float32, torch.float16, torch.bfloat16)


def add(a: Tensor, b: Tensor) -> Tensor:
    """Return a + b, of one shape, dtype and device."""
    return torch.ops.elementwise.add(a, b)


def gelu(x: Tensor) -> Tensor:
    """Return x Phi(x)."""
    return torch.ops.elementwise.gelu(x)


def bias_gelu_residual(x: Tensor, bias: Tensor, residual: Tensor) -> Tensor:
    """Return gelu(x + bias) + residual; bias is one row."""
    return torch.ops.elementwise.bias_gelu_residual(x, bias, residual)


# ---- checks: one sentence that names the operator, the argument and what to do ---------------


def _check_dtype(op: str, name: str, x: Tensor) -> None:
    if x.dtype not in DTYPES:
        raise TypeError(
            f"{NAMESPACE}::{op}: {name} is {_dtype(x)}; it must be float32, float16 or "
            f"bfloat16. Convert it: {name}.float()"
        )


def _check_like(op: str, x_name: str, x: Tensor, y_name: str, y: Tensor) -> None:
    if x.dtype != y.dtype:
        raise TypeError(
            f"{NAMESPACE}::{op}: {x_name} is {_dtype(x)} and {y_name} is {_dtype(y)}; they "
            f"must be the same. Convert one: {y_name}.to({x_name}.dtype)"
        )
    if x.device != y.device:
        raise ValueError(
            f"{NAMESPACE}::{op}: {x_name} is on {x.device} and {y_name} on {y.device}. Move "
            f"one: {y_name}.to({x_name}.device)"
        )


def _check_shape(op: str, x_name: str, x: Tensor, y_name: str, y: Tensor) -> None:
    if x.shape != y.shape:
        raise ValueError(
            f"{NAMESPACE}::{op}: {x_name} has shape {list(x.shape)} and {y_name} "
            f"{list(y.shape)}. Expand first: {x_name}, {y_name} = "
            f"torch.broadcast_tensors({x_name}, {y_name})"
        )


def _dtype(x: Tensor) -> str:
    return str(x.dtype).removeprefix("torch.")


def _check_add(a: Tensor, b: Tensor) -> None:
    _check_dtype("add", "a", a)
    _check_like("add", "a", a, "b", b)
    _check_shape("add", "a", a, "b", b)


def _check_gelu(x: Tensor) -> None:
    _check_dtype("gelu", "x", x)


def _check_bias_gelu_residual(x: Tensor, bias: Tensor, residual: Tensor) -> None:
    op = "bias_gelu_residual"
    _check_dtype(op, "x", x)
    _check_like(op, "x", x, "bias", bias)
    _check_like(op, "x", x, "residual", residual)
    _check_shape(op, "x", x, "residual", residual)
    if x.dim() == 0 or bias.dim() != 1 or bias.shape[0] != x.shape[-1]:
        raise ValueError(
            f"{NAMESPACE}::{op}: x has shape {list(x.shape)} and bias {list(bias.shape)}; bias "
            "must have one dimension, as long as the last one of x"
        )


CHECKS = {
    "add": _check_add,
    "gelu": _check_gelu,
    "bias_gelu_residual": _check_bias_gelu_residual,
}


# ---- implementations: PyTorch's operators, in float32 where the kernels compute in it --------


def _add(a: Tensor, b: Tensor) -> Tensor:
    return torch.add(a.contiguous(), b.contiguous())


def _gelu(x: Tensor) -> Tensor:
    return functional.gelu(x.contiguous())


def _bias_gelu_residual(x: Tensor, bias: Tensor, residual: Tensor) -> Tensor:
    wide = functional.gelu(x.contiguous().float() + bias.float()) + residual.float()
    return wide.to(x.dtype)


COMPUTE = {"add": _add, "gelu": _gelu, "bias_gelu_residual": _bias_gelu_residual}


# ---- gradients: what the forward pass keeps, and the backward pass --------------------------


def keep(ctx, inputs: tuple[Tensor, ...], output: Tensor) -> None:
    """Keep the inputs for the backward pass."""
    ctx.save_for_backward(*inputs)


def _add_backward(ctx, grad: Tensor) -> tuple[Tensor, Tensor]:
    return grad, grad


def _gelu_backward(ctx, grad: Tensor) -> Tensor:
    (x,) = ctx.saved_tensors
    return torch.ops.aten.gelu_backward(grad, x)


def _bias_gelu_residual_backward(ctx, grad: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    x, bias, _ = ctx.saved_tensors
    at_x = torch.ops.aten.gelu_backward(grad, x + bias)
    return at_x, at_x.sum_to_size(bias.shape), grad  # the bias served every row


BACKWARD = {
    "add": _add_backward,
    "gelu": _gelu_backward,
    "bias_gelu_residual": _bias_gelu_residual_backward,
}


@functools.cache
def register() -> torch.library.Library:
    """Register schema, implementation, fake kernel and gradient of each operator, once."""
    library = torch.library.Library(NAMESPACE, "DEF")
    for name, schema in SCHEMAS.items():
        library.define(name + schema, tags=(torch.Tag.pt2_compliant_tag,))
        library.impl(name, functools.partial(_checked, name, COMPUTE[name]), "CPU")
        qualified = f"{NAMESPACE}::{name}"
        fake = functools.partial(_checked, name, _like_first)
        torch.library.register_fake(qualified, fake, lib=library)
        torch.library.register_autograd(
            qualified, BACKWARD[name], setup_context=keep, lib=library
        )
    return library


def _checked(name: str, function, *inputs: Tensor) -> Tensor:
    CHECKS[name](*inputs)
    return function(*inputs)


def _like_first(*inputs: Tensor) -> Tensor:
    """Make a result without data, as torch.compile needs it for tracing."""
    return torch.empty_like(inputs[0], memory_format=torch.contiguous_format)
