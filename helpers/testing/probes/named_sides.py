"""Ask a launcher whether elements count where the names of the tensors' sides say they do.

Of a kernel that fails in no known pattern, whose inputs have some sides of its output: a number
for each channel of images, or two for each element of a matrix.
"""

from __future__ import annotations

import math

import torch

from helpers.run.launcher import Launcher
from helpers.run.signature import Parameter
from helpers.testing.cases import Case
from helpers.testing.probes.influence import changed_inputs, launched

MOST = 400  # elements of an input, of which each is changed
MOST_MADE = 4096  # elements of the output
LEAST = 2  # elements that count elsewhere


def diagnose(launcher: Launcher, case: Case) -> str | None:
    """Name an element of an input that counts for another place than its own, if some do.

    Each result must be made of few elements: as many as the input has for one of its places.
    Where more of them count, as in a softmax, or where an input has all sides of the output, as
    where numbers are only moved, nothing is known of where they should.
    """
    tensors = launcher.declaration.tensors
    inputs = [p for p in tensors if p.role == "input"]
    outputs = [p for p in tensors if p.role == "output"]
    if case.reference is not None or len(inputs) != len(case.inputs) or not outputs:
        return None
    if case.expected[0].numel() > MOST_MADE or len(outputs) != len(case.expected):
        return None
    if (usual := launched(launcher, case, list(case.inputs))) is None:
        return None
    for k, p in enumerate(inputs):
        x, right = case.inputs[k], case.expected[0]
        sides = _common(p, outputs[0])
        if not sides or max(x.dim(), right.dim()) < 3 or not 1 < x.numel() <= MOST:
            continue  # of matrices, `row_influence` and `influence` tell more
        if (read := _read(launcher, case, k, usual)) is None:
            return None
        if sentence := _elsewhere(read, (p, x), (outputs[0], right), sides):
            return sentence
    return None


def _common(p: Parameter, out: Parameter) -> list[str]:
    """List the sides that an input and the output have in common, if one has others, too."""
    sides = [side for side in p.shape if side in out.shape and not side.isdigit()]
    distinct = all(len(set(q.shape)) == len(q.shape) for q in (p, out))
    return sides if distinct and set(p.shape) != set(out.shape) else []


def _read(
    launcher: Launcher, case: Case, which: int, usual: list[torch.Tensor]
) -> list[torch.Tensor] | None:
    """List for each element of an input the places of the first output that change with it."""
    read = []
    for place in range(case.inputs[which].numel()):
        changed = torch.zeros(usual[0].shape, dtype=torch.bool)
        for sign in (1, -1):
            got = launched(launcher, case, changed_inputs(case, which, place, sign))
            if got is None:
                return None
            changed |= got[0] != usual[0]
        read.append(changed.reshape(-1).nonzero().flatten())
    return read


def _elsewhere(
    read: list[torch.Tensor],
    given: tuple[Parameter, torch.Tensor],
    made: tuple[Parameter, torch.Tensor],
    sides: list[str],
) -> str | None:
    """Name the first element that counts at another place, if each result is made of few."""
    (p, x), (out, right) = given, made
    own = math.prod(n for n, side in zip(x.shape, p.shape, strict=True) if side not in sides)
    if not sum(map(len, read)) or int(torch.cat(read).bincount().max()) > own:
        return None
    found = []
    for place, places in enumerate(read):
        of = dict(zip(p.shape, _indices(place, x), strict=True))
        for other in places.tolist():
            to = dict(zip(out.shape, _indices(other, right), strict=True))
            if side := next((side for side in sides if of[side] != to[side]), ""):
                found.append((of, to, side))
                break
    if len(found) < LEAST:
        return None
    of, to, side = found[0]
    own, other = (", ".join(map(str, one.values())) for one in (of, to))
    return (
        f"{p.name}[{own}] is counted for another element, {out.name}[{other}], whose index "
        f"along {side} is {to[side]}, not {of[side]}: is the index of {p.name} another one "
        "(the step from row to row, a division, a remainder)?"
    )


def _indices(place: int, x: torch.Tensor) -> list[int]:
    """Return the index on each side of an element, by its number."""
    return [int(k) for k in torch.unravel_index(torch.tensor(place), x.shape)]
