"""Exercises of lesson 20: Into PyTorch."""

from collections.abc import Callable
from functools import partial

import torch

from helpers.run import machine
from helpers.teach.exercises import technique
from helpers.teach.exercises.functions import Function
from helpers.teach.exercises.marking import Code, Number

CLOSE = {"rtol": 1e-4, "atol": 1e-5}


def fake_widen(shape: tuple[int, int], fake: Callable) -> str:
    """Try the fake kernel of `widen` on a tensor without data."""
    x = torch.empty(shape, dtype=torch.float16, device="meta")
    got, wanted = fake(x), (shape[1], shape[0])
    if not isinstance(got, torch.Tensor):
        return f"it returns {type(got).__name__}, not a tensor"
    if tuple(got.shape) != wanted:
        return f"for a shape of {list(shape)} it returns {list(got.shape)}, not {list(wanted)}"
    if got.dtype != torch.float32:
        return f"it returns {got.dtype}, not torch.float32"
    if got.device != x.device:
        return f"the result is on {got.device}, not where x is"
    return "" if got.is_contiguous() else "the result is a view of x: it is not contiguous"


def gradients_of_scale_rows(backward: Callable) -> str:
    """Compare the backward pass of x * weight with PyTorch's own, in float64."""
    made = torch.Generator().manual_seed(20)
    grad, x = (torch.randn(5, 3, dtype=torch.float64, generator=made) for _ in range(2))
    weight = torch.randn(3, dtype=torch.float64, generator=made)
    leaves = [x.clone().requires_grad_(), weight.clone().requires_grad_()]
    wanted = torch.autograd.grad(leaves[0] * leaves[1], leaves, grad)
    got = backward(grad, x, weight)
    if not isinstance(got, (tuple, list)) or len(got) != 2:
        return "it must return two gradients: of x, then of weight"
    for name, one, right in zip(("x", "weight"), got, wanted, strict=True):
        if one.shape != right.shape:
            return (
                f"the gradient of {name} has shape {list(one.shape)}, not {list(right.shape)}"
            )
        if not torch.allclose(one, right):
            return f"the gradient of {name} is wrong"
    return ""


def _sample(*shape: int) -> torch.Tensor:
    made = torch.Generator().manual_seed(len(shape))
    return torch.randn(shape, generator=made).to(machine.present().device)


def squared_relu(x: torch.Tensor) -> torch.Tensor:
    """Compute max(x, 0)² by PyTorch's operators."""
    return torch.relu(x) ** 2


def is_an_operator(given: Callable) -> str:
    """Ask for what torch.library.custom_op makes, or torch.ops.NAMESPACE.NAME."""
    kinds = (
        torch.library.CustomOpDef,
        torch._ops.OpOverloadPacket,
        torch._ops.OpOverload,
    )
    if isinstance(given, kinds):
        return ""
    return "this is a function, not an operator: make one of it by torch.library.custom_op"


def values_of_an_operator(given: Callable) -> str:
    """Compare values, on sizes with and without a tail."""
    for shape in ((1003,), (4, 64)):
        x = _sample(*shape)
        if not torch.allclose(given(x), squared_relu(x), **CLOSE):
            return f"its values are wrong for a tensor of shape {list(shape)}"
    return ""


def fake_of_an_operator(given: Callable) -> str:
    """Call it without data, as torch.compile does when it traces."""
    x = torch.empty(7, 5, device="meta")
    try:
        got = given(x)
    except Exception as error:
        return f"it has no fake kernel that works ({type(error).__name__})"
    return "" if got.shape == x.shape else "its fake kernel returns another shape"


def gradient_of_an_operator(given: Callable) -> str:
    """Compare the gradient with that of PyTorch's operators."""
    ours, theirs = (_sample(3, 40).requires_grad_() for _ in range(2))
    out = given(ours)
    if not out.requires_grad:
        return "its result has no gradient"
    try:
        (out * 3).sum().backward()
    except RuntimeError as error:
        return f"it has no gradient: {str(error).splitlines()[0]}"
    (squared_relu(theirs) * 3).sum().backward()
    return "" if torch.allclose(ours.grad, theirs.grad, **CLOSE) else "its gradient is wrong"


def accepted_by_opcheck(given: Callable) -> str:
    """Ask PyTorch's own check."""
    try:
        torch.library.opcheck(given, (_sample(3, 5).requires_grad_(),))
    except Exception as error:
        return f"torch.library.opcheck refuses it: {str(error).splitlines()[0]}"
    return ""


def swish_gradient(grad: torch.Tensor, x: torch.Tensor) -> torch.Tensor:
    """Return grad times the derivative of x s(x), with s the logistic function."""
    s = torch.sigmoid(x)
    return grad * s * (1 + x * (1 - s))


EXERCISES = {
    "20.1": Function(
        statement=(
            "An operator `widen` turns a float16 matrix of shape [rows, cols] into its "
            "transpose in float32, of shape [cols, rows] and contiguous. Write its fake "
            "kernel: a function of `x` that returns such a tensor and reads no element."
        ),
        takes="x",
        trials=(
            partial(fake_widen, (3, 5)),
            partial(fake_widen, (1, 1)),
            partial(fake_widen, (0, 4)),
        ),
        hint="x.new_empty(shape, dtype=...) makes a tensor where x is, without filling it",
        wrong={
            "returns [3, 5], not [5, 3]": lambda x: torch.empty_like(x, dtype=torch.float32),
            "returns torch.float16": lambda x: x.new_empty((x.shape[1], x.shape[0])),
            "the result is on cpu": lambda x: torch.empty((x.shape[1], x.shape[0])),
            "it is not contiguous": lambda x: x.float().t(),
            "stops with": lambda x: x.t().float().contiguous() * x.sum().item(),
        },
    ),
    "20.2": Function(
        statement=(
            "`scale_rows(x, weight)` is `x * weight` with x of shape [rows, cols] and one "
            "weight a column, of shape [cols]. Write its backward pass: a function of `grad`, "
            "`x` and `weight` that returns the gradients of x and of weight."
        ),
        takes="grad, x and weight",
        trials=(gradients_of_scale_rows,),
        hint=(
            "each gradient is grad times the derivative; a weight served every row, so its "
            "gradient is a sum over rows"
        ),
        wrong={
            "gradient of x is wrong": lambda grad, x, weight: (
                weight + 0 * x,
                (grad * x).sum(0),
            ),
            "of weight has shape [5, 3]": lambda grad, x, weight: (grad * weight, grad * x),
            "gradient of weight is wrong": lambda grad, x, weight: (grad * weight, grad.sum(0)),
            "must return two gradients": lambda grad, x, weight: grad * weight,
        },
    ),
    "20.3": Code(
        statement=(
            "Complete the functor of `swish_backward`: `grad * s * (1 + x * (1 - s))` with "
            "`s = 1 / (1 + e^-x)`, for float32."
        ),
        launcher="swish_backward",
        takes=("float32", "float32"),
        gives=("float32",),
        solution="solution_swish_backward",
        reference=swish_gradient,
        ulp=8,
        hint="`const float s = 1.0f / (1.0f + expf(-x));`, then the formula as it stands",
        technique=(technique.bytes_per_lane(16),),
        as_given="return 0.0f;  // your line",
        wrong={
            ("1.0f + x", "1.0f - x"): "WRONG",
            ("grad * s", "s"): "WRONG",
        },
    ),
    "20.4": Number(
        statement=(
            "An eager call costs the host 5 us. From how many float32 elements on does an "
            "addition's traffic, at 4,400 GB/s, take longer than its call?"
        ),
        answer=lambda: 5e-6 * 4400e9 / (3 * 4),
        unit="elements",
        hint="two tensors are read and one is written: how many bytes move in 5 us?",
        wrong={
            5.5e6: "that counts one tensor: two are read and one is written",
            2.2e7: "those are bytes, not elements",
        },
    ),
    "20.5": Function(
        statement=(
            "Write the squared ReLU, `max(x, 0)²` in float32, as a kernel in a file of your "
            "own, and make it an operator: implementation, fake kernel and gradient. The "
            "answer is the operator."
        ),
        takes="x",
        trials=(
            is_an_operator,
            values_of_an_operator,
            fake_of_an_operator,
            gradient_of_an_operator,
            accepted_by_opcheck,
        ),
        hint=(
            "follow swish above: custom_op, register_fake, register_autograd; the derivative "
            "is 2 max(x, 0)"
        ),
        wrong={
            "not an operator": squared_relu,
            "values are wrong for a tensor of shape [1003]": torch.ops.aten.relu,
        },
    ),
}
