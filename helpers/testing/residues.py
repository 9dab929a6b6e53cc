"""Find results of which the float64 reference has only what its own rounding leaves.

Where the terms of a sum cancel, or an element is the mean that is taken off, the true result is
0, and float64 gives a number such as 6.6e-18. No unit in the last place of that is meant.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import torch

ROUNDING = 2.0**-48  # relative to the largest term: a few roundings of float64


def allowed(inputs: Sequence[torch.Tensor], expected: torch.Tensor) -> torch.Tensor:
    """Return the absolute errors that may be such rounding, flat, float64; 0 elsewhere.

    An expected 0 has none, and its sign counts.
    Only where the terms are known to cancel: a small result by itself, as of exp, is meant.
    """
    limit = torch.zeros(expected.numel(), dtype=torch.float64)
    floats = [x.double() for x in inputs if x.is_floating_point() and x.numel()]
    if not bool((expected != 0).any()):
        return limit
    for terms in _terms(floats, expected):
        sizes = terms.abs().sum(dim=-1)
        limit = torch.maximum(limit, _bounds(terms.sum(dim=-1).abs(), sizes, sizes, expected))
    for x in floats:
        if x.shape == expected.shape:
            for away, size, gain in _from_means(x, expected):
                limit = torch.maximum(limit, _bounds(away.abs(), size, size * gain, expected))
    return limit


def _bounds(
    left: torch.Tensor, size: torch.Tensor, bound: torch.Tensor, expected: torch.Tensor
) -> torch.Tensor:
    """Return the rounding of each result of which no more than rounding is left."""
    most = (ROUNDING * bound).reshape(-1).nan_to_num(0.0, 0.0, 0.0)
    right = expected.reshape(-1).abs()
    cancels = (left <= ROUNDING * size).reshape(-1) & (right <= most)
    return torch.where(cancels & (right > 0), most, 0.0)


def _terms(floats: list[torch.Tensor], expected: torch.Tensor) -> Iterator[torch.Tensor]:
    """Yield what may be added up for each result: a row's elements, or their products."""
    n = expected.numel()
    for x in floats:
        if x.dim() and x.numel() > n and x.numel() // x.shape[-1] == n:
            yield x
            for y in floats:
                if y is not x and y.shape in (x.shape, x.shape[-1:]):
                    yield x * y


def _from_means(
    x: torch.Tensor, expected: torch.Tensor
) -> Iterator[tuple[torch.Tensor, torch.Tensor, torch.Tensor]]:
    """Yield how far each element is from a mean, the numbers' size, and what it becomes."""
    for dims in ((), *((k,) for k in range(x.dim()))):
        over = dims or tuple(range(x.dim()))
        away = x - x.mean(dim=over, keepdim=True)
        size = x.abs().amax(dim=over, keepdim=True).expand(x.shape)
        widest = away.abs().amax(dim=over, keepdim=True)
        gain = expected.abs().amax(dim=over, keepdim=True) / widest
        yield away, size, gain.expand(x.shape)
