"""Ask where a number of an array counts that stands alone among others, all alike.

Of a count of such numbers, say, which changes by it and by no other: it is put at other places.
"""

from __future__ import annotations

from dataclasses import replace

import torch

from helpers.run.launcher import Launcher
from helpers.testing.cases import Case
from helpers.testing.probes.influence import launched, may_be_indices

SOME = 48  # places that are tried, and numbers
MOST = 1 << 14  # elements


def diagnose(launcher: Launcher, case: Case) -> str | None:
    """Name a place at which such a number does not count, and how many there are, if any.

    It must count at the first place, and make the same result wherever it counts.
    """
    if len(case.inputs) != 1 or case.size != 1 or case.reference is not None:
        return None
    x = case.inputs[0]
    if x.dim() != 1 or not 2 < x.numel() <= MOST or may_be_indices(case, x):
        return None
    n = x.numel()
    places = sorted(
        {*range(min(n, SOME // 2)), *(k * (n - 1) // SOME for k in range(SOME + 1))}
    )
    alike = x[:1].expand(n).clone()
    if (none := _result(launcher, case, alike)) is None:
        return None
    for one in reversed(places):  # the last one may be what others are not

        def made(place: int, one: int = one) -> torch.Tensor | None:
            alone = alike.clone()
            alone[place] = x[one]
            return _result(launcher, case, alone)

        if (counts := made(0)) is None:
            return None
        if torch.equal(counts, none):
            continue
        results = {place: made(place) for place in places}
        if any(y is None or not _is_one_of(y, none, counts) for y in results.values()):
            return None
        lost = [place for place, y in results.items() if torch.equal(y, none)]
        if len(lost) in (0, len(places) - 1):  # a place is 0 wherever the first one is chosen
            return None
        before = max((place for place in places if place < lost[0]), default=0)
        while lost[0] - before > 1:
            between = (before + lost[0]) // 2
            if (y := made(between)) is None:
                return None
            if torch.equal(y, none):
                lost[0] = between
            else:
                before = between
        return _told(launcher, lost, len(places))
    return None


def _is_one_of(y: torch.Tensor, *others: torch.Tensor) -> bool:
    return any(torch.equal(y, other) for other in others)


def _told(launcher: Launcher, lost: list[int], tried: int) -> str:
    name = next(p.name for p in launcher.declaration.tensors if p.role == "input")
    return (
        f"a number alone among others counts at {name}[0], and at {len(lost):,} of {tried:,} "
        f"places tried it is left out, the first is {name}[{lost[0]:,}]: by a loop, or a "
        "thread, warp or block whose result does not count?"
    )


def _result(launcher: Launcher, case: Case, x: torch.Tensor) -> torch.Tensor | None:
    made = launched(launcher, replace(case, inputs=(x,)), [x])
    return None if made is None else made[0]
