"""Ask a launcher that finds a place in each row, as of its largest number, what it looks for.

A wrong place says little of why. So the launcher is called on rows of which all numbers are
negative, and on such whose largest amount is not their largest number.
"""

from __future__ import annotations

import torch

from helpers.run.launcher import Launcher
from helpers.testing.cases import Case
from helpers.testing.influence import launched
from helpers.testing.wrong_rows import PLACE_OF

LEAST = 4  # numbers of a row


def diagnose(launcher: Launcher, case: Case) -> str | None:
    """Tell a search that starts with 0, or for another number, for x [m, n] -> out [m].

    There may be further outputs, as of the numbers themselves.
    """
    outputs = [k for k, dtype in enumerate(case.dtypes) if not dtype.is_floating_point]
    if len(case.inputs) != 1 or case.reference is not None or len(outputs) != 1:
        return None
    which = outputs[0]
    x, right = case.inputs[0], case.expected[which]
    if x.dim() != 2 or x.shape[1] < LEAST or tuple(right.shape) != (len(x),):
        return None
    if not x.is_floating_point():
        return None
    if (sign := _sign(x.double(), right.long())) is None:
        return None
    generator = torch.Generator().manual_seed(3)
    amounts = torch.stack([1 + torch.randperm(x.shape[1], generator=generator) for _ in x])
    of, side = ("largest", "negative") if sign > 0 else ("smallest", "positive")
    below, above = (_found(launcher, case, which, sign * by * amounts) for by in (-1, 1))
    if below is None or above is None:
        return None
    lost = below != amounts.argmin(dim=1)
    if torch.equal(above, amounts.argmax(dim=1)) and bool(lost.any()):
        if len(below.unique()) == 1 and (bool(lost.all()) or len(x) > 1):
            return (
                f"wrong where all numbers of a row are {side}: does the search start with 0, "
                f"as the {of} one? Start with the first element"
            )
    mixed = torch.where(amounts % 2 == amounts.amax(dim=1, keepdim=True) % 2, -amounts, amounts)
    found = _found(launcher, case, which, sign * mixed)
    if found is not None and torch.equal(found, amounts.argmax(dim=1)):
        return PLACE_OF.format("largest absolute", of)
    return None


def _sign(x: torch.Tensor, places: torch.Tensor) -> int | None:
    """Return 1 if places are of the largest numbers of the rows of x, -1 of the smallest."""
    if bool((places < 0).any()) or bool((places >= x.shape[1]).any()):
        return None
    values = x.gather(1, places[:, None]).flatten()
    ways = ((1, x.amax(dim=1)), (-1, x.amin(dim=1)))
    signs = [sign for sign, of in ways if torch.equal(of, values)]
    return signs[0] if len(signs) == 1 else None


def _found(launcher: Launcher, case: Case, which: int, x: torch.Tensor) -> torch.Tensor | None:
    """Return the places in x [m, n], which are an output; None if the call fails."""
    got = launched(launcher, case, [x.to(case.inputs[0].dtype)])
    return None if got is None else got[which].view(case.dtypes[which]).long()
