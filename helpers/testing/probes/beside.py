"""Ask a launcher whether it reads beside an input: what lies there is changed, and shows.

Of tensors that start in the middle of a buffer, as a slice does; there no page is a fault.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import torch

from helpers.errors import CourseError
from helpers.run.launcher import Launcher
from helpers.testing import patience
from helpers.testing.buffers import BOUNDARY
from helpers.testing.cases import Case
from helpers.testing.references import bits

AROUND = 64  # elements behind an input, and those between a boundary and a start before it
FILL, OTHER = 3, 77  # numbers beside an input, which any type holds
BEHIND = "past the end"
MOST = 1 << 12  # elements of all inputs
ENDS = 20  # elements at each end of an input


def read(launcher: Launcher, case: Case, offsets: Sequence[int]) -> str | None:
    """Name an element beside an input on which the outputs depend; None if there is none.

    Outputs that may hold any number, as a count of cycles does, are not compared.
    offsets: for each tensor, the elements between a round address and its start.
    """
    if launcher.on_gpu or not 0 < sum(x.numel() for x in case.inputs) <= MOST:
        return None
    roles = zip(launcher.declaration.tensors, offsets, strict=True)
    starts = [(p.name, offset) for p, offset in roles if p.role == "input"]
    usual = _launched(launcher, case, offsets)
    if usual is None or _differ(_launched(launcher, case, offsets), usual):
        return None
    for k, (name, _) in enumerate(starts):
        n = case.inputs[k].numel()
        for places, where in ((range(n, n + AROUND), "end"), (range(-1, -AROUND, -1), "start")):
            side = BEHIND if where == "end" else "before its start"
            if not _differ(_launched(launcher, case, offsets, k, places), usual):
                continue
            for i in places:
                if _differ(_launched(launcher, case, offsets, k, [i]), usual):
                    return f"{name}[{i}], {side}, is read, and counts"
    return None


def counted(launcher: Launcher, case: Case, offsets: Sequence[int]) -> str | None:
    """Name an element that counts twice there, or not at all, and once from a round address.

    Each element near an end of an input is changed by 1.
    """
    if launcher.on_gpu or not 0 < sum(x.numel() for x in case.inputs) <= MOST:
        return None
    if not any(offsets):
        offsets = [1] * len(offsets)  # what ends at a page starts anywhere
    round_ones = [0] * len(offsets)
    roles = [p.name for p in launcher.declaration.tensors if p.role == "input"]
    usual = [_numbers(launcher, case, starts) for starts in (round_ones, offsets)]
    for k, x in enumerate(case.inputs):
        n = x.numel()
        for i in dict.fromkeys((*range(min(n, ENDS)), *range(max(0, n - ENDS), n))):
            changed = _with_other(case, k, i)
            now = [_numbers(launcher, changed, starts) for starts in (round_ones, offsets)]
            if any(y is None for y in (*usual, *now)):
                return None
            once, there = (y - was for y, was in zip(now, usual, strict=True))
            if not bool(once.any()) or torch.equal(once, there):
                continue
            if not bool(there.any()):
                return f"{roles[k]}[{i}] is left out"
            if torch.equal(there, 2 * once):
                return f"{roles[k]}[{i}] counts twice"
    return None


def _with_other(case: Case, which: int, place: int) -> Case:
    """Return the case with one number more, or less, in the place of an input's element."""
    inputs = [x.clone() for x in case.inputs]
    flat = inputs[which].reshape(-1)
    old = float(flat[place])
    flat[place] = old + 1 if old < 1 else old - 1
    return replace(case, inputs=tuple(inputs))


def _numbers(launcher: Launcher, case: Case, offsets: Sequence[int]) -> torch.Tensor | None:
    """Return the finite numbers of all outputs, float64; None if there are others."""
    got = _launched(launcher, case, offsets)
    if got is None or case.ignored:
        return None
    numbers = [x.view(dtype).double() for x, dtype in zip(got, case.dtypes, strict=True)]
    found = torch.cat(numbers)
    return found if bool(found.isfinite().all()) else None


def _differ(got: list[torch.Tensor] | None, usual: list[torch.Tensor]) -> bool:
    return got is not None and not all(map(torch.equal, got, usual))


def _launched(
    launcher: Launcher,
    case: Case,
    offsets: Sequence[int],
    which: int = -1,
    places: Sequence[int] = (),
) -> list[torch.Tensor] | None:
    """Call the launcher; return the bits of its outputs, or None if the call fails.

    Beside each input stands FILL; places: of one input, where OTHER does.
    """
    tensors, outputs, k, made = [], [], 0, 0
    for p, offset in zip(launcher.declaration.tensors, offsets, strict=True):
        if p.role == "input":
            x = case.inputs[k]
            values = {i: OTHER for i in places} if k == which else {}
            k += 1
        else:
            x = torch.zeros(case.expected[made].shape, dtype=case.dtypes[made])
            values, made = {}, made + 1
        tensor = _slice(x, offset, values)
        tensors.append(tensor)
        if p.role == "output" and p.name not in case.ignored:
            outputs.append(tensor)
    try:
        with patience.launching(launcher):
            launcher(*tensors, **case.arguments)
    except (CourseError, TypeError, ValueError):
        return None
    return [bits(x.reshape(-1)) for x in outputs]


def _slice(x: torch.Tensor, offset: int, beside: dict[int, int]) -> torch.Tensor:
    """Copy a tensor into a buffer, so many elements behind a round address."""
    unit = BOUNDARY // x.element_size()
    whole = torch.full((2 * unit + AROUND + offset + x.numel() + AROUND,), FILL).to(x.dtype)
    first = -whole.data_ptr() % BOUNDARY // x.element_size()  # of a round address
    start = first + unit * -(-AROUND // unit) + offset
    part = whole[start : start + x.numel()]
    part.copy_(x.reshape(-1))
    for place, value in beside.items():
        whole[start + place :][:1].copy_(torch.tensor([value]))
    return part.view(x.shape)
