"""Find results of which the float64 reference has only what its own rounding leaves.

Where the terms of a sum cancel, or an element is the mean that is taken off, the true result is
0, and float64 gives a number such as 6.6e-18. No unit in the last place of that is meant.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import torch

ROUNDING = 2.0**-48  # relative to the largest term: a few roundings of float64


def allowed(
    inputs: Sequence[torch.Tensor], expected: torch.Tensor, places: torch.Tensor
) -> torch.Tensor:
    """Return the absolute errors that may be such rounding, float64; 0 for no such result.

    places: the results that are asked for, as flat indices. An expected 0 has no error, and its
    sign counts.
    Only where the terms are known to cancel: a small result by itself, as of exp, is meant.
    """
    limit = torch.zeros(places.numel(), dtype=torch.float64)
    floats = [x.double() for x in inputs if x.is_floating_point() and x.numel()]
    right = expected.reshape(-1)[places].abs()
    if not bool((right != 0).any()):
        return limit
    for terms in _terms(floats, expected, places):
        sizes = terms.abs().sum(dim=-1)
        limit = torch.maximum(limit, _bounds(terms.sum(dim=-1).abs(), sizes, sizes, right))
    for x in floats:
        if x.shape == expected.shape:
            for away, size, gain in _from_means(x, expected, places):
                limit = torch.maximum(limit, _bounds(away.abs(), size, size * gain, right))
    return limit


def _bounds(
    left: torch.Tensor, size: torch.Tensor, bound: torch.Tensor, right: torch.Tensor
) -> torch.Tensor:
    """Return the rounding of each result of which no more than rounding is left."""
    most = (ROUNDING * bound).nan_to_num(0.0, 0.0, 0.0)
    cancels = (left <= ROUNDING * size) & (right <= most)
    return torch.where(cancels & (right > 0), most, 0.0)


def _terms(
    floats: list[torch.Tensor], expected: torch.Tensor, places: torch.Tensor
) -> Iterator[torch.Tensor]:
    """Yield what may be added up for each result: a row's elements, or their products."""
    n = expected.numel()
    for x in floats:
        if x.dim() and x.numel() > n and x.numel() // x.shape[-1] == n:
            rows = x.reshape(n, -1)[places]
            yield rows
            for y in floats:
                if y is not x and y.shape in (x.shape, x.shape[-1:]):
                    yield rows * (y.reshape(n, -1)[places] if y.shape == x.shape else y)


def _from_means(
    x: torch.Tensor, expected: torch.Tensor, places: torch.Tensor
) -> Iterator[tuple[torch.Tensor, torch.Tensor, torch.Tensor]]:
    """Yield how far each element is from a mean, the numbers' size, and what it becomes."""
    own = x.reshape(-1)[places]
    at, left = [], places  # torch.unravel_index loads a second's worth of modules
    for side in reversed(x.shape):
        at, left = [left % side, *at], left // side
    at = tuple(at)
    single = () if x.dim() < 2 else range(x.dim())
    for over in (tuple(range(x.dim())), *((k,) for k in single)):
        mean = x.mean(dim=over, keepdim=True)
        low, high = x.amin(dim=over, keepdim=True), x.amax(dim=over, keepdim=True)
        size, widest = torch.maximum(-low, high), torch.maximum(mean - low, high - mean)
        largest = torch.maximum(
            -expected.amin(dim=over, keepdim=True), expected.amax(dim=over, keepdim=True)
        )
        mean, size, gain = (y.expand(x.shape)[at] for y in (mean, size, largest / widest))
        yield own - mean, size, gain
