"""Ask a launcher of running sums, maxima or minima which elements each of them is made of."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import torch

from helpers.run.launcher import Launcher
from helpers.testing.cases import Case
from helpers.testing.probes.influence import launched, moved

SOME = 48  # columns of a row of which each is asked for
MOST = 20_000  # elements
Function = Callable[[torch.Tensor], torch.Tensor]
# Its name, what it is, and in which direction an element must change to count for all behind.
SCANS: tuple[tuple[str, Function, int], ...] = (
    ("running sum", lambda x: x.cumsum(-1), 1),
    ("running sum without its own element", lambda x: x.cumsum(-1) - x, 1),
    ("running maximum", lambda x: x.cummax(-1).values, 1),
    ("running minimum", lambda x: x.cummin(-1).values, -1),
)
FROM_THE_END = " from the end"


def diagnose(launcher: Launcher, case: Case) -> str | None:
    """Name an element that does not count for one behind it; None if each does."""
    if case.reference is not None or len(case.inputs) != 1 or len(case.expected) != 1:
        return None
    x, right = case.inputs[0], case.expected[0]
    if x.shape != right.shape or not 1 < x.shape[-1] <= x.numel() <= MOST:
        return None
    limited = x.double().clamp(right.min(), right.max())
    if torch.equal(limited, right):
        return None  # so much a limit makes of them, too, or nothing
    known = [one for one in _both_ways() if torch.equal(one[1](x.double()), right)]
    if len(known) != 1 or (usual := launched(launcher, case, [x])) is None:
        return None
    name, function, sign = known[0]
    names = {p.role: p.name for p in launcher.declaration.tensors}
    source, out = names["input"], names["output"]
    n, lost, often = x.shape[-1], [], []
    for place in sorted({k * (n - 1) // SOME for k in range(SOME + 1)}):
        other = moved(x, place, sign)
        if (got := launched(launcher, case, [other])) is None:
            return None
        counts = (got[0] != usual[0]).reshape(-1)
        should = (function(other.double()) != right).reshape(-1)
        lost += [(place, int(k)) for k in (should & ~counts).nonzero().flatten()]
        often += _often(x, other, got[0].view(x.shape), usual[0].view(x.shape), case, place)
    if not lost and often and "sum" in name:
        place, of, times = often[0]
        return (
            f"{source}[{place}] counts {times:,} times in {out}[{of}], a {name}: is it added "
            "twice, as a lane does that has none before it and takes its own number from a "
            "shuffle? Add only what comes from another lane (if (lane >= d))"
        )
    if not lost:
        return None
    place, of = lost[0]
    to, other = (
        ("from there on", "one before") if FROM_THE_END in name else ("up to there", "next")
    )
    return (
        f"{source}[{place}] does not count for {out}[{of}], the "
        f"{name.removesuffix(FROM_THE_END)} {to}: is it left out, as what a lane, a warp or a "
        f"chunk does not hand on to the {other}?"
    )


def _often(
    x: torch.Tensor,
    other: torch.Tensor,
    got: torch.Tensor,
    usual: torch.Tensor,
    case: Case,
    place: int,
) -> list[tuple[int, int, int]]:
    """List of integers in which results a changed element counts more than once.

    With how often it does.
    """
    if case.dtypes[0] not in (torch.int32, torch.int64) or x.is_floating_point():
        return []
    step = int(other.reshape(-1)[place]) - int(x.reshape(-1)[place])
    off = (got.view(case.dtypes[0]).long() - usual.view(case.dtypes[0]).long()).reshape(-1)
    if not step:
        return []
    times = off // step
    some = ((off % step == 0) & (times > 1)).nonzero().flatten().tolist()
    return [(place, k, int(times[k])) for k in some]


def _both_ways() -> Iterator[tuple[str, Function, int]]:
    """Yield each scan, and what it is from the end of a row."""
    for name, function, sign in SCANS:
        yield name, function, sign
        yield f"{name}{FROM_THE_END}", _from_the_end(function), sign


def _from_the_end(function: Function) -> Function:
    return lambda x: function(x.flip(-1)).flip(-1)
