"""Ask a launcher that finds a place, as of a row's largest number, what it looks for.

A wrong place says little of why. So the launcher is called on rows of which all numbers are
negative, on such whose largest amount is not their largest number, and on such of zeros and one
other number.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable

import torch

from helpers.run.launcher import Launcher
from helpers.testing import reachable
from helpers.testing.cases import Case
from helpers.testing.patterns.wrong_rows import (
    BY_BITS,
    IN_ITS_PACK,
    NUMBER_OF_PACK,
    OF_ITS_PACK,
    PLACE_OF,
    WIDTHS,
    keys_of_bits,
)
from helpers.testing.probes.influence import launched

LEAST = 4  # numbers of a row
MOST = 1 << 17  # numbers of all rows
LONGER = 67  # numbers of an array, or of a row, in the place of a shorter one
SEVERAL = 8  # arrays whose places must differ
SOME = 48  # places of which each is asked for
LARGER = 2.0**16  # times
MOVED = 3  # places that must come out as others
UNSIGNED = (torch.bool, torch.uint8)
THREADS = (32, 64, 96, 128, 192, 256, 512, 1024)  # that search a row, or an array
SEARCHED = 2000  # numbers, of which each of so many threads has one
OF_FIRST_THREAD = (
    "each place is that of the {} one of the elements 0, {}, {} and so on, which the first of "
    "{} threads has: does the place of another one's number not move along with it, at each "
    "step, so that one element is counted for another, or are the others left out?"
)
ALWAYS_0 = (
    "the place of the {} number comes out as 0, wherever it is: does a search for the "
    "smallest place start with 0, below which there is none, or is the place never stored? "
    "Start with n, or with the largest integer"
)

KEYS_LOSE = (
    "the place of the {} number comes out as 0, wherever it is, as where the number in the "
    "upper half of a key does not count: does the sign of an int below 0 (the complement of a "
    "place, say) fill that half, where it is widened to 64 bits? Make it unsigned first"
)
OF_KEYS = re.compile(r"<<=?\s*32\b|\*\s*4294967296")  # which hold a number and a place


def diagnose(launcher: Launcher, case: Case, others: Iterable[Case] = ()) -> str | None:
    """Tell a search that starts with 0, or for another number, for x [m, n] -> out [m].

    Or for an array, x [n] -> out [1]. There may be further outputs, as of the numbers.
    others: cases of which the outputs must be such places, too.
    """
    if len(case.inputs) != 1 or case.reference is not None:
        return None
    x = case.inputs[0]
    if x.dim() not in (1, 2) or x.dtype in UNSIGNED or x.element_size() < 2:
        return None
    shape = tuple(x.shape) if x.dim() == 2 else (1, x.numel())
    wanted = [
        (k, sign)
        for k, (y, dtype) in enumerate(zip(case.expected, case.dtypes, strict=True))
        if not dtype.is_floating_point and tuple(y.shape) == shape[:1]
        if (sign := _sign(x.double().reshape(shape), y.long())) is not None
    ]
    if len(wanted) != 1:
        return None
    which, sign = wanted[0]
    if not all(_may_be_place(other, which, sign) for other in others):
        return None
    right, rows = case.expected[which].reshape(-1).long(), x.double().reshape(shape)
    if sentence := _starts_too_high(launcher, case, which, rows, right):
        return sentence
    if shape[1] < LEAST:  # the question may be asked of a longer one
        shape = (shape[0], LONGER)
    if not LEAST <= shape[1] <= shape[0] * shape[1] <= MOST:
        return None

    def found(numbers: torch.Tensor) -> torch.Tensor | None:
        return _found(launcher, case, which, numbers if x.dim() == 2 else numbers[0])

    if sentence := _part_of_place(found, shape, sign):
        return sentence
    if sentence := _of_first_thread(found, shape[0], sign):
        return sentence
    if sentence := _by_bits(found, shape, sign, x.dtype):
        return sentence
    generator = torch.Generator().manual_seed(3)
    amounts = torch.stack(
        [1 + torch.randperm(shape[1], generator=generator) for _ in range(shape[0])]
    )
    if not torch.equal(amounts.to(x.dtype).long(), amounts):
        return None  # more than a narrow type tells apart
    of, side = ("largest", "negative") if sign > 0 else ("smallest", "positive")
    of_row = " of a row" * (x.dim() == 2)
    below, above = (found(sign * by * amounts) for by in (-1, 1))
    if below is None or above is None:
        return None
    lost = below != amounts.argmin(dim=1)
    if torch.equal(above, amounts.argmax(dim=1)) and bool(lost.any()):
        turned = found(-sign * amounts.roll(1, dims=1)) if len(amounts) == 1 else below
        stays = turned is not None and torch.equal(below, turned)
        if stays and len(below.unique()) == 1 and (bool(lost.all()) or len(amounts) > 1):
            return (
                f"wrong where all numbers{of_row} are {side}: does the search start with 0, "
                f"as the {of} one? Start with the first element"
            )
    if len(amounts) == 1 and not below.any() and not above.any():
        moved = [found(sign * amounts.roll(k, 1)) for k in range(1, SEVERAL)]
        if not any(y is None or bool(y.any()) for y in moved):
            has_keys = sign > 0 and OF_KEYS.search(reachable.code(launcher))
            return (KEYS_LOSE if has_keys else ALWAYS_0).format(of)
    mixed = torch.where(amounts % 2 == amounts.amax(dim=1, keepdim=True) % 2, -amounts, amounts)
    of_mixed = found(sign * mixed)
    if sign < 0 and torch.equal(rows.gather(1, right[:, None])[:, 0], -rows.abs().amax(dim=1)):
        return None  # the largest absolute number may be what is searched
    if of_mixed is not None and torch.equal(of_mixed, amounts.argmax(dim=1)):
        return PLACE_OF.format("largest absolute", of)
    return None


def _starts_too_high(
    launcher: Launcher, case: Case, which: int, rows: torch.Tensor, right: torch.Tensor
) -> str | None:
    """Take the same numbers times a power of two: are their places found?"""
    x = case.inputs[0]
    if not x.is_floating_point() or not bool(rows.isfinite().all()):
        return None
    places = []
    for times in (1.0, LARGER, 1 / LARGER):
        moved = (rows * times).to(x.dtype)
        if not torch.equal(moved.double(), rows * times):
            return None
        places.append(_found(launcher, case, which, moved.reshape(x.shape)))
    if any(found is None for found in places):
        return None
    usual, larger, smaller = (torch.equal(found, right) for found in places)
    if usual or smaller or not larger:
        return None
    return (
        f"the search starts with a number beyond these, of which none is larger than "
        f"{float(rows.abs().max()):.3g}: right for the same numbers times {LARGER:,.0f}. Start "
        "with the first element"
    )


def _part_of_place(
    found: Callable[[torch.Tensor], torch.Tensor | None], shape: tuple[int, int], sign: int
) -> str | None:
    """Ask for the place of one number beside zeros: does only a part of it come out?

    As the place within a segment of the row, or the number of the segment.
    """
    rows, columns = shape
    places = torch.tensor(sorted({k * (columns - 1) // SOME for k in range(SOME + 1)}))
    got = []
    for some in places.split(rows):
        x = torch.zeros(shape)
        x[:, -1] = sign
        x[: len(some), -1] = 0
        x[torch.arange(len(some)), some] = sign
        if (answer := found(x)) is None:
            return None
        got.append(answer[: len(some)])
    got = torch.cat(got)
    off = (places - got)[got != places]
    if len(off) < MOVED:
        return None
    width = math.gcd(*off.abs().tolist())
    if width > 1 and torch.equal(got, places % width):
        return IN_ITS_PACK.format(width)
    for width in WIDTHS:
        for words, made in (
            (OF_ITS_PACK, places // width * width),
            (NUMBER_OF_PACK, places // width),
        ):
            if width < columns and torch.equal(got, made):
                return words.format(width)
    return None


def _of_first_thread(
    found: Callable[[torch.Tensor], torch.Tensor | None], rows: int, sign: int
) -> str | None:
    """Ask for places in longer rows: are they those of one thread's elements?"""
    rows = min(rows, MOST // SEARCHED)
    generator = torch.Generator().manual_seed(4)
    told = []
    for _ in range(SEVERAL):
        order = [torch.randperm(SEARCHED, generator=generator) for _ in range(rows)]
        x = 1 + torch.stack(order)
        if (got := found(sign * x)) is None or got.shape != (rows,):
            return None
        told.append((x, got))
        if not any(_is_of_every(told, width) for width in THREADS):
            return None
    width = next(width for width in THREADS if _is_of_every(told, width))
    end = "largest" if sign > 0 else "smallest"
    return OF_FIRST_THREAD.format(end, width, 2 * width, width)


def _by_bits(
    found: Callable[[torch.Tensor], torch.Tensor | None],
    shape: tuple[int, int],
    sign: int,
    dtype: torch.dtype,
) -> str | None:
    """Ask for places among numbers of both signs: are they those of the bits, as integers?"""
    generator = torch.Generator().manual_seed(5)
    told = []
    for _ in range(SEVERAL):
        x = (torch.rand(shape, generator=generator) - 0.5).to(dtype)
        if (got := found(x)) is None or got.shape != shape[:1]:
            return None
        told.append((x, got))
    best = torch.argmax if sign > 0 else torch.argmin
    if all(torch.equal(best(x.double(), dim=1), got) for x, got in told):
        return None
    of = "largest" if sign > 0 else "smallest"
    for k, (kind, _) in enumerate(keys_of_bits(told[0][0])):
        if all(torch.equal(best(keys_of_bits(x)[k][1], dim=1), got) for x, got in told):
            return BY_BITS.format(kind, of)
    return None


def _is_of_every(told: list[tuple[torch.Tensor, torch.Tensor]], width: int) -> bool:
    """Test whether all places are those of the largest of the elements 0, width, ..."""
    return all(torch.equal(width * x[:, ::width].argmax(dim=1), got) for x, got in told)


def _sign(x: torch.Tensor, places: torch.Tensor) -> int | None:
    """Return 1 if places are of the largest numbers of the rows of x, -1 of the smallest."""
    if bool((places < 0).any()) or bool((places >= x.shape[1]).any()):
        return None
    values = x.gather(1, places[:, None]).flatten()
    ways = ((1, x.amax(dim=1)), (-1, x.amin(dim=1)))
    signs = [sign for sign, of in ways if torch.equal(of, values)]
    return signs[0] if len(signs) == 1 else None


def _may_be_place(case: Case, which: int, sign: int) -> bool:
    """Test whether an output may be the places of the largest numbers, or the smallest."""
    if len(case.inputs) != 1 or len(case.expected) <= which:
        return True
    x, places = case.inputs[0].double(), case.expected[which].reshape(-1).long()
    x = x if x.dim() == 2 else x.reshape(1, -1)
    if not x.numel() or len(places) != len(x) or not bool(x.isfinite().all()):
        return True
    if bool((places < 0).any()) or bool((places >= x.shape[1]).any()):
        return False
    values = x.gather(1, places[:, None]).flatten()
    return torch.equal(values, (sign * x).amax(dim=1) * sign)


def _found(launcher: Launcher, case: Case, which: int, x: torch.Tensor) -> torch.Tensor | None:
    """Return the places in x [m, n], which are an output; None if the call fails."""
    got = launched(launcher, case, [x.to(case.inputs[0].dtype)])
    return None if got is None else got[which].view(case.dtypes[which]).long()
