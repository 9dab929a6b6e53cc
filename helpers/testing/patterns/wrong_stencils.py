"""Recognise sums of neighbours, each with a weight, in which a neighbour or a weight is wrong.

Convolutions, averages, differences along a row or over a plane. The weights of the right output
and of the wrong one are found by least squares; only exact fits count. Likewise the largest or
smallest number of a window.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import torch

from helpers.testing.mismatch import SEVERAL, Mismatch, rounding_error

REACH = 2  # elements to either side along a row
FAR = 4  # of a window that begins or ends elsewhere
SHORT = 4  # terms of a sum that is written out
EXACT = 1e-9  # of the largest number
CLOSE = 1e-3  # two weights that are one
MOST = 1 << 16  # elements of which all windows are tried
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
    limit = max(rounding_error(m), EXACT)
    for tall, reach in ((0, REACH), (1, REACH), (0, FAR)):
        places = list(itertools.product(range(-tall, tall + 1), range(-reach, reach + 1)))
        wanted = _weights(x, right, places, EXACT)
        made = wanted and _weights(x, got, places, limit)
        if made and made != wanted:
            return f"inside, each element is {_told(made, wanted)}?"
    return None


def ends(m: Mismatch) -> str | None:
    """Test whether, of sums of neighbours along a row, only the first or the last are wrong.

    If one neighbour is missing there, say what was taken for it, where that is certain.
    """
    if m.reference is not None or len(m.inputs) != 1 or len(m.shape) != 1:
        return None
    x, n = m.inputs[0], m.shape[0]
    if tuple(x.shape) != tuple(m.shape) or not m.got.dtype.is_floating_point:
        return None
    x, right, got = (y.double() for y in (x, m.expected, m.got))
    if not all(bool(y.isfinite().all()) for y in (x, right, got)):
        return None
    places = [(0, step) for step in range(-REACH, REACH + 1)]
    weights = _weights(x[None], right[None], places, EXACT)
    wrong = m.wrong.nonzero().flatten().tolist()
    if not weights or any(REACH <= i < n - REACH for i in wrong):
        return None
    sides = ["first"] * (wrong[0] < REACH) + ["last"] * (wrong[-1] >= n - REACH)
    which = " and the ".join(sides)
    plural = len(wrong) > 1
    elements = f"the {which} element{'s are' if plural else ' is'}"
    told = "" if plural else _taken(x, right, got, wrong[0], weights)
    return (
        f"inside, all are right, only {elements} wrong: is the formula another one there, "
        f"where a neighbour is missing?{told}"
    )


def _taken(
    x: torch.Tensor,
    right: torch.Tensor,
    got: torch.Tensor,
    i: int,
    weights: dict[Place, float],
) -> str:
    """Say what stands for the one neighbour of element i that is missing; "" if unknown."""
    missing = [step for _, step in weights if not 0 <= i + step < len(x)]
    if len(missing) != 1:
        return ""
    weight = weights[0, missing[0]]
    known = sum(w * x[i + step] for (_, step), w in weights.items() if step != missing[0])
    words = []
    for result in (got, right):
        value = (result[i] - known) / weight
        size = float(x.abs().max())
        alike = ((x - value).abs() <= CLOSE * size).nonzero().flatten().tolist()
        if len(alike) != 1:
            return ""
        words.append(f"x[{alike[0]:,}]")
    return f" There {words[0]} is taken, not {words[1]}"


def window(m: Mismatch) -> str | None:
    """Test whether each element is an extreme of a window, and one of another came out.

    For no elementwise operator, of one input in the output's shape.
    """
    if m.reference is not None or len(m.inputs) != 1 or len(m.shape) not in (1, 2):
        return None
    x = m.inputs[0]
    if tuple(x.shape) != tuple(m.shape) or x.dtype is torch.bool or x.numel() > MOST:
        return None
    rows = 1 if len(m.shape) == 1 else m.shape[0]
    x, right, got = (y.double().reshape(rows, -1) for y in (x, m.expected, m.got))
    for tall in (0, 1):
        inside = slice(tall, rows - tall), slice(FAR, -FAR)
        if len(right[inside].unique()) < SEVERAL:
            return None
        wanted = made = None
        for words, values in _extremes(x, tall):
            wanted = wanted or (words if torch.equal(values, right[inside]) else None)
            made = made or (words if torch.equal(values, got[inside]) else None)
            if wanted and made:
                break
        if wanted and made and wanted[1] == made[1]:
            words = f"{made[0]} of its window, not {wanted[0]}: is the formula another one"
        elif wanted and made:
            words = f"{' of '.join(made)}, not {' of '.join(wanted)}"
            words += ": does the window begin or end elsewhere"
        if wanted and made and wanted != made and " to " in wanted[1]:
            return f"inside, each element is {words}?"
    return None


def _extremes(x: torch.Tensor, tall: int) -> Iterator[tuple[tuple[str, str], torch.Tensor]]:
    """Yield the extremes of windows around the inner elements of x: words, and the values."""
    rows, columns = x.shape[0] - 2 * tall, x.shape[1] - 2 * FAR
    steps, heights = range(-FAR, FAR + 1), range(-tall, tall + 1)
    for name, of, larger in (
        ("the largest", x, torch.maximum),
        ("the smallest", x, torch.minimum),
        ("the largest absolute number", x.abs(), torch.maximum),
        ("the smallest absolute number", x.abs(), torch.minimum),
    ):
        for top, left in itertools.product(heights, steps):
            high = of[tall + top : tall + top + rows]
            for bottom in range(top, tall + 1):
                high = larger(high, of[tall + bottom : tall + bottom + rows])
                wide = high[:, FAR + left : FAR + left + columns]
                for right in range(left, FAR + 1):
                    wide = larger(wide, high[:, FAR + right : FAR + right + columns])
                    where = f"index {_range('i', left, right)}"
                    if tall:
                        where = f"rows {_range('r', top, bottom)}"
                        where += f", columns {_range('c', left, right)}"
                    yield (name, where), wide


def _weights(
    x: torch.Tensor, y: torch.Tensor, places: list[Place], limit: float
) -> dict[Place, float] | None:
    """Fit the inside of y [m, n] as a sum of neighbours in x: the weights, but for zeros."""
    tall, reach = places[-1]
    rows, columns = x.shape[0] - 2 * tall, x.shape[1] - 2 * reach
    if rows < 1 or columns < 1 or rows * columns < 2 * len(places) + SEVERAL:
        return None

    def inside(of: torch.Tensor, place: Place) -> torch.Tensor:
        row, column = tall + place[0], reach + place[1]
        return of[row : row + rows, column : column + columns].reshape(-1)

    neighbours = torch.stack([inside(x, place) for place in places], dim=1)
    wanted = inside(y, (0, 0))
    fit = torch.linalg.lstsq(neighbours, wanted[:, None])
    if int(fit.rank) < len(places):  # other weights fit as well
        return None
    weights = fit.solution[:, 0]
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
    if by := _shift(made, wanted):
        where = f"index {_off('i', by[1])}"
        if plane:
            where = f"row {_off('r', by[0])} and column {_off('c', by[1])}"
        return f"what is right for {where}: does its window begin elsewhere"
    if max(len(made), len(wanted)) <= SHORT:
        return f"{words}: is a neighbour or a weight of the formula another one"
    if lost and not added and same:
        return f"made without {_sum(lost, plane)}: are these neighbours left out of a loop"
    if added and not lost and same:
        return f"made with {_sum(added, plane)}, too: are these neighbours too many"
    if same and not lost:
        ratio = next(iter(kept.values()))
        return f"{ratio:.4g} times the right one: is it divided by another number"
    return f"{words}: is a neighbour or a weight of the formula another one"


def _shift(made: dict[Place, float], wanted: dict[Place, float]) -> Place | None:
    """Return by how many rows and columns all neighbours are others, if by the same."""
    (row, column), (old_row, old_column) = min(made), min(wanted)
    by = (row - old_row, column - old_column)
    moved = {(r + by[0], c + by[1]): weight for (r, c), weight in wanted.items()}
    if by == (0, 0) or moved.keys() != made.keys():
        return None
    return by if all(abs(made[k] - moved[k]) < CLOSE for k in moved) else None


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


def _range(name: str, first: int, last: int) -> str:
    return _off(name, first) + (f" to {_off(name, last)}" if last > first else "")
