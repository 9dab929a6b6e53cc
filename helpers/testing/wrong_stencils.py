"""Recognise sums of neighbours, each with a weight, in which a neighbour or a weight is wrong.

Convolutions, averages, differences along a row or over a plane. The weights of the right output
and of the wrong one are found by least squares; only exact fits count.
"""

from __future__ import annotations

import itertools

import torch

from helpers.testing.mismatch import SEVERAL, Mismatch, rounding_error

REACH = 2  # elements to either side along a row, rows above and below
SHORT = 4  # terms of a sum that is written out
EXACT = 1e-9  # of the largest number
Place = tuple[int, int]  # rows and columns from the element itself


def stencil(m: Mismatch) -> str | None:
    """Test whether each element is a weighted sum of neighbours, and name the other weights.

    For no elementwise operator, of one input in the output's shape.
    """
    if m.reference is not None or len(m.inputs) != 1 or len(m.shape) not in (1, 2):
        return None
    x = m.inputs[0]
    if tuple(x.shape) != tuple(m.shape) or not m.got.dtype.is_floating_point:
        return None
    rows = 1 if len(m.shape) == 1 else m.shape[0]
    x, right, got = (y.double().reshape(rows, -1) for y in (x, m.expected, m.got))
    if not all(bool(y.isfinite().all()) for y in (x, right, got)):
        return None
    for tall in (0, 1) if rows > 1 else (0,):
        places = list(itertools.product(range(-tall, tall + 1), range(-REACH, REACH + 1)))
        wanted = _weights(x, right, places, EXACT)
        if wanted is None:
            continue
        limit = max(rounding_error(m), EXACT)
        made = _weights(x, got, places, limit)
        if made is None or made == wanted:
            return None
        return f"inside, each element is {_told(made, wanted)}?"
    return None


def _weights(
    x: torch.Tensor, y: torch.Tensor, places: list[Place], limit: float
) -> dict[Place, float] | None:
    """Fit the inside of y [m, n] as a sum of neighbours in x: the weights, but for zeros."""
    tall = max(row for row, _ in places)
    rows, columns = x.shape[0] - 2 * tall, x.shape[1] - 2 * REACH
    if rows < 1 or columns < 1 or rows * columns < 2 * len(places) + SEVERAL:
        return None

    def inside(of: torch.Tensor, place: Place) -> torch.Tensor:
        row, column = tall + place[0], REACH + place[1]
        return of[row : row + rows, column : column + columns].reshape(-1)

    neighbours = torch.stack([inside(x, place) for place in places], dim=1)
    wanted = inside(y, (0, 0))
    weights = torch.linalg.lstsq(neighbours, wanted[:, None]).solution[:, 0]
    size = float(neighbours.abs().max() * weights.abs().max())
    if not bool((neighbours @ weights - wanted).abs().max() <= limit * size):
        return None
    small = max(limit, 1e-6) * float(weights.abs().max())
    found = {
        place: round(float(weight), 4)
        for place, weight in zip(places, weights, strict=True)
        if abs(weight) > small
    }
    return found if 1 < len(found) else None


def _told(made: dict[Place, float], wanted: dict[Place, float]) -> str:
    """Say how the weights differ."""
    lost = {place: weight for place, weight in wanted.items() if place not in made}
    added = {place: weight for place, weight in made.items() if place not in wanted}
    kept = {place: made[place] / wanted[place] for place in made if place in wanted}
    same = len({round(ratio, 2) for ratio in kept.values()}) == 1
    plane = any(row for row, _ in (*made, *wanted))  # r, c: row and column of the element
    words = f"{_sum(made, plane)}, not {_sum(wanted, plane)}"
    if max(len(made), len(wanted)) <= SHORT:
        return f"{words}: is a neighbour or a weight another one"
    if lost and not added and same:
        return f"made without {_sum(lost, plane)}: are these neighbours left out of a loop"
    if added and not lost and same:
        return f"made with {_sum(added, plane)}, too: are these neighbours too many"
    if same and not lost:
        ratio = next(iter(kept.values()))
        return f"{ratio:.4g} times the right one: is it divided by another number"
    return f"{words}: is a neighbour or a weight another one"


def _sum(weights: dict[Place, float], plane: bool) -> str:
    """Write a sum of neighbours: "0.5 x[i] + 0.25 x[i + 1]"."""
    terms = []
    for (row, column), weight in weights.items():
        where = f"[{_off('i', column)}]"
        if plane:
            where = f"[{_off('r', row)}][{_off('c', column)}]"
        factor = "" if weight == 1 else f"{weight:g} "
        terms.append(f"{factor}x{where}")
    return " + ".join(terms).replace("+ -", "- ")


def _off(name: str, by: int) -> str:
    return f"{name} {'+' if by > 0 else '-'} {abs(by)}" if by else name
