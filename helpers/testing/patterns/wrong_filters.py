"""Recognise a signal, or an image, that is filtered with taps in another order or place.

Each function takes a Mismatch and returns a clause for the learner, or None.
"""

from __future__ import annotations

from collections.abc import Iterator

import torch
from torch.nn import functional

from helpers.testing.mismatch import SEVERAL, Mismatch, rounding_error

EXACT = 1e-9  # what is right is a filtered signal so well
MOST = 1 << 16  # elements of an input
MOST_TAPS = 300
SHIFTS = (1, -1, 2, -2)
PADS = {"the nearest element": "replicate", "the mirrored element": "reflect"}
PADS["the element at the other end"] = "circular"


def filtered(m: Mismatch) -> str | None:
    """For sums of a window times taps: name the order, the place or the rim that is another."""
    if m.reference is not None or len(m.inputs) != 2 or not m.got.is_floating_point():
        return None
    if not all(x.is_floating_point() and 0 < x.numel() <= MOST for x in m.inputs):
        return None
    if len(m.expected.unique()) < SEVERAL or not bool(m.got.isfinite().all()):
        return None
    for x, taps in (m.inputs, m.inputs[::-1]):
        if taps.numel() < 2 or taps.numel() > MOST_TAPS or taps.numel() >= x.numel():
            continue
        if sentence := _of(m, x.double(), taps.double()):
            return sentence
    return None


def _of(m: Mismatch, x: torch.Tensor, taps: torch.Tensor) -> str | None:
    """Compare with the windows of x, on which the taps lie as they are, or turned round."""
    if x.dim() not in (1, 2) or taps.dim() not in (1, x.dim()) or len(m.shape) != x.dim():
        return None
    plane = x.reshape(-1, x.shape[-1])
    if taps.dim() == 1:
        plane, taps = plane[:, None, :], taps[None]  # each row by itself
    else:
        plane = plane[None]
    turned = taps.flip(0, 1)
    limit = max(EXACT, rounding_error(m))
    for name, own, other in (
        ("as they are", taps, turned),
        ("turned round", turned, taps),
    ):
        lefts = _lefts(plane, own, m.shape)
        if not lefts or not _are(_filter(plane, own, lefts, m.shape), m.expected, EXACT):
            continue
        if _are(_filter(plane, other, lefts, m.shape), m.expected, EXACT):
            continue  # a palindrome
        for words, made in _others(plane, own, other, lefts, m.shape):
            if _are(made, m.got.double(), limit) and not _are(made, m.expected, limit):
                be = "as they are" if own is turned else "turned round"
                return words.format(be=be, name=name)
    return None


def _lefts(
    plane: torch.Tensor, taps: torch.Tensor, shape: tuple[int, ...]
) -> tuple[int, int] | None:
    """Return how far windows begin before the element, down and along; None if unclear."""
    sizes = (plane.shape[1], plane.shape[2])
    out = (shape[0] if taps.shape[0] > 1 else plane.shape[1], shape[-1])
    lefts = []
    for n, made, k in zip(sizes, out, taps.shape, strict=True):
        if made == n:
            lefts.append(k // 2)
        elif made == n - k + 1:
            lefts.append(0)
        elif made == n + k - 1:
            lefts.append(k - 1)
        else:
            return None
    return lefts[0], lefts[1]


def _filter(
    plane: torch.Tensor,
    taps: torch.Tensor,
    lefts: tuple[int, int],
    shape: tuple[int, ...],
    mode: str = "constant",
) -> torch.Tensor | None:
    """Return the sums of windows [g, h, w] times taps [r, s], flat; None if a rim is too far.

    mode: what lies beyond an end, as in `functional.pad`.
    """
    r, s = taps.shape
    h = shape[0] if r > 1 else plane.shape[1]
    down = (lefts[0], h - plane.shape[1] + r - 1 - lefts[0])
    along = (lefts[1], shape[-1] - plane.shape[2] + s - 1 - lefts[1])
    if mode != "constant" and (min(*down, *along) < 0 or max(along) >= plane.shape[2]):
        return None
    if mode != "constant" and max(down) >= plane.shape[1]:
        return None
    padded = functional.pad(plane[:, None], (*along, *down), mode=mode)
    return functional.conv2d(padded, taps[None, None]).reshape(-1)


def _others(
    plane: torch.Tensor,
    own: torch.Tensor,
    other: torch.Tensor,
    lefts: tuple[int, int],
    shape: tuple[int, ...],
) -> Iterator[tuple[str, torch.Tensor | None]]:
    """Yield what else may come out, in words. {be}: how the taps should not lie, {name}: do."""
    yield (
        "each element is what comes out with the taps {be}, and not {name}: is the index of a "
        "tap another one in the formula?",
        _filter(plane, other, lefts, shape),
    )
    if own.shape[0] == own.shape[1] > 1:
        yield (
            "each element is what comes out with rows and columns of the taps swapped: is "
            "their index another one in the formula?",
            _filter(plane, own.T.contiguous(), lefts, shape),
        )
    for shift in SHIFTS:
        way = "after" if shift < 0 else "before"
        elements = "1 element" if abs(shift) == 1 else f"{abs(shift)} elements"
        yield (
            f"each element is what comes out with windows that begin {elements} {way} their "
            "place: is the number of taps on the left another one in the formula?",
            _filter(plane, own, (lefts[0], lefts[1] + shift), shape),
        )
    flat = own.reshape(-1)
    for k in range(len(flat)):
        less = flat.clone()
        less[k] = 0
        yield (
            f"each element is what comes out if tap {k:,} is left out: where does the loop "
            "over the taps begin and end?",
            _filter(plane, less.reshape(own.shape), lefts, shape),
        )
    for words, mode in PADS.items():
        yield (
            f"{words} counts for what lies beyond an end, and 0 should: is the formula "
            "another one there?",
            _filter(plane, own, lefts, shape, mode),
        )


def _are(made: torch.Tensor | None, numbers: torch.Tensor, limit: float) -> bool:
    """Test whether sums of a few products are these numbers."""
    if made is None or made.numel() != numbers.numel():
        return False
    size = made.abs().max()
    return bool(((made - numbers).abs() <= limit * size).all())
