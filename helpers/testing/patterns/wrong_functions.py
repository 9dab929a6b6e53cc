"""Recognise a wrong output as what another well-known function makes of the same numbers."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator

import torch

from helpers.testing.mismatch import SEVERAL, Mismatch
from helpers.testing.references import ulp_distance

ROOT = math.sqrt(2 / math.pi)
Function = Callable[[torch.Tensor], torch.Tensor]
# By what they stand for: a kernel that means one may have another of the same row.
FUNCTIONS: tuple[tuple[tuple[str, Function], ...], ...] = (
    (
        ("gelu with erf", lambda x: 0.5 * x * torch.special.erfc(-x / math.sqrt(2))),
        (
            "the approximation of gelu with tanh",
            lambda x: 0.5 * x * (1 + torch.tanh(ROOT * (x + 0.044715 * x**3))),
        ),
        (
            "the approximation of gelu by x * sigmoid(1.702 * x)",
            lambda x: x * torch.sigmoid(1.702 * x),
        ),
        ("silu, x * sigmoid(x)", lambda x: x * torch.sigmoid(x)),
        (
            "the approximation of silu by x * min(max(x + 3, 0), 6) / 6 (hardswish)",
            lambda x: x * (x + 3).clamp(0, 6) / 6,
        ),
    ),
    (
        ("sigmoid(x)", torch.sigmoid),
        (
            "the approximation of sigmoid by min(max(x + 3, 0), 6) / 6",
            lambda x: (x + 3).clamp(0, 6) / 6,
        ),
        (
            "the approximation of sigmoid by 0.2 * x + 0.5, limited to 0 and 1",
            lambda x: (0.2 * x + 0.5).clamp(0, 1),
        ),
        (
            "the approximation of sigmoid by 0.5 + 0.5 * x / (1 + |x|)",
            lambda x: 0.5 + 0.5 * x / (1 + x.abs()),
        ),
    ),
    (
        ("tanh(x)", torch.tanh),
        ("the approximation of tanh by x / (1 + |x|) (softsign)", lambda x: x / (1 + x.abs())),
        ("the approximation of tanh by a limit at -1 and 1", lambda x: x.clamp(-1, 1)),
    ),
)
# What is made of a number in a step of its own, beside those above.
STEPS_ALONE: tuple[tuple[str, Function], ...] = (
    ("the larger of 0 and x (ReLU)", torch.relu),
    ("exp(x)", torch.exp),
)
UNITS = 2  # in the last place, that a function may be off by
STEPS = 8  # roundings of a formula that is computed in float32
ALIKE = 1e-9  # relative, of float64


def another(m: Mismatch) -> str | None:
    """Test whether all elements are those of another function of the input than is right.

    Alone, or times the other inputs, as in a gate.
    """
    if not m.got.dtype.is_floating_point or int(m.wrong.sum()) < SEVERAL:
        return None
    if any(x.numel() != m.got.numel() for x in m.inputs):
        return None
    for x, factor, words in _arguments(m):
        for functions in FUNCTIONS:
            made = [(name, function(x) * factor) for name, function in functions]
            right = [name for name, values in made if _is_right(m, values)]
            other = [name for name, values in made if _came_out(m, x, values)]
            if right and other and right[0] != other[0]:
                return (
                    f"the results are those of {other[0]}, not of {right[0]}{words}: take the "
                    "formula that is asked for"
                )
    return None


def other_order(m: Mismatch) -> str | None:
    """Test whether one input is added before a function is applied to another, or behind.

    As a residual or a bias beside an activation.
    """
    if not m.got.dtype.is_floating_point or int(m.wrong.sum()) < SEVERAL:
        return None
    if len(m.inputs) != 2 or any(x.numel() != m.got.numel() for x in m.inputs):
        return None
    if any(not x.is_floating_point() for x in m.inputs):
        return None
    inputs = [x.reshape(-1).double() for x in m.inputs]
    known = [*itertools.chain(*FUNCTIONS), *STEPS_ALONE]
    for (k, x), (j, y) in itertools.permutations(enumerate(inputs, 1), 2):
        size = x.abs() + y.abs()
        made = [(function(x + y), function(x) + y) for _, function in known]
        of = (f"f(input {k} + input {j})", f"f(input {k}) + input {j}")
        for ways in made:
            for right, other, how in (
                (1, 0, "before the function (an activation), and not behind it"),
                (0, 1, "behind the function (an activation), and not before it"),
            ):
                if _is_right(m, ways[right], size) and _came_out(m, size, ways[other]):
                    return (
                        f"each element is {of[other]}, where {of[right]} is right: is the "
                        f"formula in another order, with input {j} added {how}?"
                    )
    return None


def _arguments(m: Mismatch) -> Iterator[tuple[torch.Tensor, torch.Tensor, str]]:
    """Yield each input, what it is multiplied by, and which it is if there are several."""
    inputs = [x.reshape(-1).double() for x in m.inputs]
    for k, x in enumerate(inputs):
        factor = torch.ones_like(x)
        for other in inputs[:k] + inputs[k + 1 :]:
            factor = factor * other
        yield x, factor, f" (x is input {k + 1})" * (len(inputs) > 1)


def _is_right(m: Mismatch, values: torch.Tensor, size: torch.Tensor | float = 0.0) -> bool:
    """Test whether a function makes the right results; size: of what may cancel in it."""
    right, finite = m.expected, m.expected.isfinite() & values.isfinite()
    limit = ALIKE * (right.abs() + size) + torch.finfo(torch.float64).tiny
    near = (values - right).abs() <= limit
    return int(finite.sum()) >= SEVERAL and bool(near[finite].all())


def _came_out(m: Mismatch, x: torch.Tensor, values: torch.Tensor) -> bool:
    """Test whether a function makes what came out, and is nearer to it than what is right."""
    got = m.got.double()
    off, step = (got - values).abs(), torch.finfo(torch.float32).eps
    near = ulp_distance(m.got, values) <= UNITS
    if m.got.element_size() <= 4:
        near |= off <= STEPS * step * (x.abs() + values.abs())
    near |= ~(got.isfinite() & values.isfinite())
    tells = m.wrong & got.isfinite() & m.expected.isfinite()
    nearer = off < (got - m.expected).abs()
    return bool(near.all()) and int(tells.sum()) >= SEVERAL and bool(nearer[tells].all())
