"""Read an answer as a number, whatever type Python, NumPy or PyTorch gave it."""

from __future__ import annotations

import math
import operator
from decimal import Decimal
from numbers import Number as AnyNumber

WORDS = 60  # characters of an answer that a message shows


def shown(answer: object) -> str:
    """Return an answer as a message shows it, in at most WORDS characters."""
    try:
        text = repr(answer)
    except Exception:  # of any class: a number of 5,000 digits has no repr either
        return f"this {type(answer).__name__}"
    return text if len(text) <= WORDS else f"{text[: WORDS - 4]} ..."


def plain(number: float) -> str:
    """Return a number as a message shows it: with thousands, or six digits."""
    if isinstance(number, int) and abs(number) >= 10**15:
        return f"{'-' * (number < 0)}about 10^{math.log10(abs(number)):.0f}"
    if abs(number) < 10**15 and float(number).is_integer():
        return f"{number:,.0f}"
    return f"{number:,.6g}"


def exactly(number: float) -> str:
    """Return a number that is nearly whole with the digits that say so."""
    return f"{number:,.6f}".rstrip("0").rstrip(".") if abs(number) < 10**15 else plain(number)


def number_of(answer: object) -> float | str:
    """Return an answer as an int or a float, or in words why it is not a number."""
    try:
        return _number_of(answer)
    except Exception:  # of any class: whatever an answer does, the learner gets a sentence
        return f"{_kind(answer)}"


def _number_of(answer: object) -> float | str:
    size = _elements(answer)
    if size is not None:
        if size != 1:
            return f"{size} numbers"
        answer = answer.item()  # of NumPy, PyTorch or pandas
    if isinstance(answer, complex):
        if answer.imag:
            return "a complex number"
        answer = answer.real
    if isinstance(answer, bool) or not _is_numeric(answer):
        return _kind(answer)
    try:
        return operator.index(answer)
    except TypeError:
        pass
    try:
        return float(answer)
    except OverflowError:
        return math.inf if answer > 0 else -math.inf


def _elements(answer: object) -> int | None:
    """Return how many elements an array, a tensor or a NumPy scalar has; None for the rest."""
    if not callable(getattr(answer, "item", None)):
        return None
    count = getattr(answer, "numel", None)  # of PyTorch, where size is a function
    return int(count() if callable(count) else answer.size)


def _is_numeric(answer: object) -> bool:
    if isinstance(answer, (str, bytes, bytearray)):
        return False
    return isinstance(answer, (AnyNumber, Decimal)) or hasattr(answer, "__float__")


def _kind(answer: object) -> str:
    """Name what was given in the place of a number."""
    if isinstance(answer, str):
        return f"the text {shown(answer)}"
    if isinstance(answer, (list, tuple, set, dict)):
        return f"a {type(answer).__name__}"
    return type(answer).__name__
