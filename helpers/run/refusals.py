"""Say what is wrong with a call of a launcher, and what to do about it.

Each function returns the exception for a call that `launcher` has found wrong; none of them
runs for a right one. A message names the launcher, the argument, the rule and the remedy.
"""

from __future__ import annotations

import torch

from helpers.emulator import Refusal
from helpers.errors import LaunchError
from helpers.model.dtypes import dtype_name
from helpers.run.signature import Declaration, Parameter

WORDS_FOR_DEVICE = {"cuda": "a CUDA kernel", "cpu": "the CPU emulator's kernel"}


def wrong_tensor(declaration: Declaration, parameter: Parameter, x, device: str) -> Exception:
    """Find why `x` cannot be a parameter's tensor, for a kernel on `device` ("cuda", "cpu")."""
    at, name = f"{declaration.name}: {parameter.name}", parameter.name
    wanted = dtype_name(parameter.dtype)
    if not isinstance(x, torch.Tensor):
        return TypeError(f"{at} must be a torch.Tensor of {wanted}, not {type(x).__name__}")
    if x.dtype is not parameter.dtype:
        return TypeError(
            f"{at} is {dtype_name(x.dtype)}, but this kernel takes {wanted}: pass "
            f"{name}.to(torch.{wanted}), or load the version for {dtype_name(x.dtype)}"
        )
    if x.device.type != device:
        return ValueError(
            f"{at} is on {x.device}, but this is {WORDS_FOR_DEVICE[device]}: pass "
            f"{name}.to({device!r})"
        )
    if x.layout is not torch.strided or x.is_neg():
        return _not_dense(at, parameter, x)
    if x.requires_grad:
        return ValueError(
            f"{at} requires grad, but a kernel works behind autograd's back: "
            f"pass {name}.detach()"
        )
    if not x.is_contiguous():
        return ValueError(
            f"{at} is not contiguous (shape {tuple(x.shape)}, strides {x.stride()}), and a "
            f"kernel walks memory in order: pass {name}.contiguous()"
        )
    return _not_dense(at, parameter, x)


def _not_dense(at: str, parameter: Parameter, x: torch.Tensor) -> ValueError:
    kind = f"of layout {str(x.layout).removeprefix('torch.')}"
    if x.layout is torch.strided:
        without_memory = f"a {type(x).__name__} without memory of its own"
        kind = "a lazy negation" if x.is_neg() else without_memory
    return ValueError(
        f"{at} is {kind}, but a kernel reads plain memory: "
        f"pass {parameter.name}.to_dense().clone()"
    )


def misaligned(declaration: Declaration, parameter: Parameter, address: int) -> ValueError:
    """Say by how many bytes a tensor's address misses the multiple that the kernel needs."""
    name, multiple = parameter.name, parameter.address_multiple
    return ValueError(
        f"{declaration.name}: {name} starts {address % multiple} bytes past a multiple of "
        f"{multiple}, but this kernel moves {multiple} bytes at once. A slice such as x[1:] "
        f"does this: pass {name}.clone()"
    )


def several_devices(
    declaration: Declaration, parameter: Parameter, x: torch.Tensor, first: torch.Tensor
) -> ValueError:
    """Say that two tensors lie on different devices."""
    return ValueError(
        f"{declaration.name}: {parameter.name} is on {x.device}, another argument on "
        f"{first.device}: use one device"
    )


def wrong_scalar(declaration: Declaration, parameter: Parameter, value) -> Exception:
    """Say why `value` cannot be a scalar of the parameter's type."""
    at = f"{declaration.name}: {parameter.name}"
    kind = "int" if parameter.is_integer else "number"
    kind = "bool" if parameter.ctype == "bool" else kind
    right_types = int if parameter.is_integer else (int, float)
    if isinstance(value, bool) or not isinstance(value, right_types):
        return TypeError(
            f"{at} must be a Python {kind}, not {type(value).__name__}: it is declared "
            f"`{parameter.ctype} {parameter.name}`"
        )
    if parameter.name.startswith("block") and value < 1:
        return ValueError(f"{at} is {value}; it must be at least 1")
    return ValueError(f"{at} = {value:,} does not fit `{parameter.ctype}`")


def unequal_shapes(
    declaration: Declaration, shape: torch.Size, first: torch.Size
) -> ValueError:
    """Say that two tensors of one declared shape have different shapes."""
    said = any(parameter.is_shape_said for parameter in declaration.tensors)
    remedy = (
        ""
        if said
        else ". If they may differ, say each tensor's shape in a comment behind it: "
        f"`{declaration.tensors[0].name},  // [n, 3]`"
    )
    return ValueError(
        f"{declaration}: two tensors of the same declared shape have {tuple(first)} and "
        f"{tuple(shape)}: they must be equal (nothing is broadcast){remedy}"
    )


def wrong_shape(
    declaration: Declaration,
    parameter: Parameter,
    shape: torch.Size,
    name: str = "",
    wanted: int = 0,
) -> ValueError:
    """Say that a shape has not the declared form, or that its size `name` is not `wanted`."""
    rule = (
        f"{declaration.name}: {parameter.name} must have shape [{', '.join(parameter.shape)}]"
    )
    known = f", and {name} is {wanted}" if name and not name.isdecimal() else ""
    remedy = (
        ""
        if parameter.is_shape_said
        else ". If another shape is meant, say it in a comment behind it, with names and "
        f"numbers alone: `{parameter.name},  // [rows, 4]`"
    )
    return ValueError(f"{rule}{known}; its shape is {tuple(shape)}{remedy}")


def too_many_elements(declaration: Declaration, parameter: Parameter, size: int) -> ValueError:
    """Say that a size does not fit the 32-bit integer that the launcher declares."""
    name = parameter.name
    return ValueError(
        f"{declaration.name}: {name} = {size:,} does not fit the 32 bits of `int`: declare "
        f"`int64_t {name}` in {declaration.file}:{declaration.line}, and compute indices in "
        "int64_t"
    )


def shared_memory(declaration: Declaration, output: int, other: int) -> ValueError:
    """Say that an output overlaps another tensor; both are given by their places."""
    out, other_name = (declaration.tensors[place].name for place in (output, other))
    return ValueError(
        f"{declaration.name}: {out} shares memory with {other_name}, and the kernel may write "
        f"the one before it has read the other: pass a separate {out}"
    )


def empty_input(declaration: Declaration, parameter: Parameter) -> ValueError:
    """Say that a tensor is empty though an output is not."""
    return ValueError(
        f"{declaration.name}: {parameter.name} is empty, but an output is not: "
        "pass an element or more"
    )


LIMITS = (
    "A block has 1 to 1,024 threads and, unless it asks for more, at most 48 KB of shared "
    "memory; a grid has 1 to 2^31 - 1 blocks in x, and 1 to 65,535 in y and in z"
)


def returned_error(declaration: Declaration, what: str, given: dict) -> LaunchError:
    """Say that a launcher has returned an error that no launch has left.

    what: its name and CUDA's words. given: the scalars and the sizes.
    """
    values = ", ".join(f"{name} = {value:,}" for name, value in given.items())
    return LaunchError(f"{declaration.file}: {declaration.name} returned {what}; {values}.")


def failed_call(declaration: Declaration, words: str, given: dict) -> LaunchError:
    """Say that a call of the runtime failed, which is no launch; the arguments as there."""
    values = ", ".join(f"{name} = {value:,}" for name, value in given.items())
    return LaunchError(
        f"{declaration.file}: a call of the runtime in {declaration.name} failed: {words}; "
        f"{values}). Test what each call returns, to learn which one."
    )


def refused_launch(
    declaration: Declaration, words: str, given: dict, refusal: Refusal | None = None
) -> LaunchError:
    """Say that CUDA refused a launch.

    words: CUDA's. given: the scalars and the sizes. refusal: the rule that was broken, if it is
    known; else all limits are listed.
    """
    refusal = refusal or Refusal(LIMITS)
    values = ", ".join(f"{name} = {value:,}" for name, value in given.items())
    return LaunchError(
        f"{declaration.file}: the launch was refused: {words}; {values}). {refusal.words}.",
        side=refusal.side,
        size=refusal.size,
    )
