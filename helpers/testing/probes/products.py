"""Ask a launcher that multiplies matrices which products of a sum count, and where it reads."""

from __future__ import annotations

import math
from dataclasses import dataclass

import torch

from helpers.errors import CourseError
from helpers.run import machine
from helpers.run.launcher import Launcher
from helpers.testing import patience
from helpers.testing.buffers import poison, with_room
from helpers.testing.cases import Case
from helpers.testing.references import bits

SOME = 128  # of the products of a longer sum
LARGER = (33, 17, 40)  # m, n and k: a tile of 16 or 32 and a rest in each
LEAST = 3  # elements that come out
LARGEST = 1 << 16  # elements of an output: of a larger one nothing is asked


def diagnose(launcher: Launcher, case: Case, larger: bool = False) -> str | None:
    """Say what is wrong with a launcher a [m, k], b [k, n] -> c [m, n]; None if it is unclear.

    case: one that went wrong, whose `function` is torch.matmul. larger: ask for other sides,
    if its own are short.
    """
    if case.function is not torch.matmul or case.size > LARGEST:
        return None
    a, b = case.inputs
    own = (a.shape[0], b.shape[1], a.shape[1])
    try:
        asked = _Asked(launcher, case, LARGER if larger and own[2] < LARGER[2] else own)
        lost = _lost(asked)
        return (lost and _turned(asked)) or lost or _other_places(asked) or _fraction(asked)
    except CourseError:
        return None


@dataclass(frozen=True)
class _Asked:
    launcher: Launcher
    case: Case
    sides: tuple[int, int, int]  # m, n and k

    def product(self, a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        device = machine.present().device if self.launcher.on_gpu else "cpu"
        c = with_room(torch.zeros(len(a), b.shape[1], dtype=self.case.dtypes[0]), device)
        bits(c).fill_(poison(c.dtype))
        inputs = iter((with_room(a, device), with_room(b, device)))
        tensors = self.launcher.declaration.tensors
        given = (next(inputs) if p.role == "input" else c for p in tensors)
        with patience.launching(self.launcher):
            self.launcher(*given, **self.case.arguments)
        return c.cpu()


def _turned(asked: _Asked) -> str | None:
    """Find out whether c[0, 0] is made of a column of a.

    Where a tile is read so, most products of a row seem to be left out.
    """
    m, n, k = asked.sides
    if min(m, k) < 2:
        return None
    counts = []
    for place in ((0, 1), (1, 0)):
        a = torch.zeros(m, k)
        a[place] = 1.0
        counts.append(float(asked.product(a, torch.ones(k, n))[0, 0]))
    if counts != [0.0, 1.0]:
        return None
    return (
        "c[0, 0] is made of a[1, 0], and not of a[0, 1]: are row and column of a, or of its "
        "tile, swapped where it is filled or read?"
    )


def _lost(asked: _Asked) -> str | None:
    """Find what a sum starts with, or the products that it leaves out or takes twice."""
    m, n, k = asked.sides
    start = float(asked.product(torch.zeros(m, k), torch.ones(k, n))[0, 0])
    if start and math.isfinite(start):
        return (
            f"of zeros in a, c[0, 0] is {start:.8g}: does its sum start with another number "
            "than 0, or with what another one left?"
        )
    places = (
        range(k) if k <= SOME else sorted({*(j * (k - 1) // SOME for j in range(SOME + 1))})
    )
    weights = {}
    for j in places:
        a = torch.zeros(m, k)
        a[:, j] = 1.0
        weights[j] = float(asked.product(a, torch.ones(k, n))[0, 0])
    lost = [j for j, weight in weights.items() if weight == 0]
    often = [j for j, weight in weights.items() if weight in (2.0, 3.0, 4.0)]
    tried = f"{len(weights):,}" + (" tried" if len(weights) < k else "")
    if len(lost) == len(weights) > 1:
        return (
            f"each of the {tried} products of a sum has no effect alone: is the sum left out, "
            "or overwritten (= in the place of +=)?"
        )
    if lost and len(weights) > 1:
        return (
            f"{len(lost):,} of {tried} products of a sum are left out, the first with k = "
            f"{lost[0]:,}: does the loop go over all of them?"
        )
    if often:
        return f"the product with k = {often[0]:,} is taken more than once in a sum"
    return None


def _other_places(asked: _Asked) -> str | None:
    """Find out whether a row of b, or a column of a, is another one."""
    m, n, k = asked.sides
    j = k // 2
    a, b = torch.zeros(m, k), torch.arange(1.0, k * n + 1).reshape(k, n)
    a[0, j] = 1.0
    if not torch.equal(got := asked.product(a, b)[0], b[j]):
        return (
            _moved("b", "row", got, b[j])
            or _farther("b", "row", got, b[j], 1, n)
            or _sides("b", "n", "row")
        )
    a, b = torch.arange(1.0, m * k + 1).reshape(m, k), torch.zeros(k, n)
    b[j, 0] = 1.0
    if not torch.equal(got := asked.product(a, b)[:, 0], a[:, j]):
        return (
            _moved("a", "column", got, a[:, j])
            or _farther("a", "column", got, a[:, j], k, 1)
            or _sides("a", "k", "column")
        )
    return None


def _farther(
    name: str, part: str, got: torch.Tensor, right: torch.Tensor, step: int, apart: int
) -> str | None:
    """Say that the elements come out that lie as many further, all of them.

    step: how far those of a row or column are apart; apart: one from the next.
    """
    off = int(got[0] - right[0])
    if len(got) < LEAST or not bool((got[1:] - got[:-1] == step).all()) or off == 0:
        return None
    seen = f"with one 1 in the other matrix, c should hold a {part} of {name}, and holds"
    if off % apart == 0 and abs(off) // apart < len(got):
        return (
            f"{seen} that which is {off // apart:+,} from it: is it counted for another by an "
            "index, or do rows and columns change places?"
        )
    where = f"{abs(off):,} place{'s' * (abs(off) > 1)} {'further' if off > 0 else 'before'}"
    return f"{seen} what lies {where} in memory: is something added to its index?"


def _moved(name: str, part: str, got: torch.Tensor, right: torch.Tensor) -> str | None:
    """Say of a row or column that its own elements come out, but at other places."""
    kept = got != 0
    if int(kept.sum()) < LEAST or not bool(torch.isin(got[kept], right).all()):
        return None
    place = int((got != right).nonzero()[0])
    if not got[place]:
        return None
    return (
        f"with one 1 in the other matrix, c should hold a {part} of {name}, and holds its "
        f"elements at other places: that of place {int((right == got[place]).nonzero()[0])} is "
        f"at place {place}. Is it counted for another, by an index that is one thing where it "
        "is read and another where c is written?"
    )


def _sides(name: str, stride: str, part: str) -> str:
    return (
        f"with one 1 in the other matrix, c should hold a {part} of {name}, and holds other "
        f"elements: do rows and columns change places? {name}[row, column] is at row * "
        f"{stride} + column"
    )


def _fraction(asked: _Asked) -> str | None:
    """Find out whether one product keeps its fraction."""
    m, n, k = asked.sides
    a, b = torch.zeros(m, k), torch.zeros(k, n)
    a[0, 0], b[0, 0] = 0.7, 1.0
    got, right = float(asked.product(a, b)[0, 0]), float(a[0, 0])
    if got == right or not abs(got - right) < 2.0**-5:
        return None
    return f"0.7 * 1 makes {got:.8g}: is it computed or rounded in a narrower precision?"
