"""Check the arguments of the model's functions: the same rules and words everywhere."""

from __future__ import annotations

import math
from numbers import Real
from operator import index


def whole_number(name: str, value, least: int = 1) -> int:
    """Return `value` as an int.

    Raises TypeError for a fraction or another type, ValueError below `least`.
    """
    try:
        value = index(value)
    except TypeError:
        raise TypeError(f"{name} is {value!r}: give a whole number") from None
    if value < least:
        raise ValueError(f"{name} must be {least} or more, not {value}")
    return value


def finite(name: str, value: float) -> float:
    """Return `value`; raise ValueError unless it is finite and 0 or more."""
    if not 0 <= value < math.inf:
        raise ValueError(f"{name} is {value}: give a finite number, 0 or more")
    return value


def positive(name: str, value: float) -> float:
    """Return `value`; raise ValueError unless it is a finite number above 0."""
    if not (isinstance(value, Real) and 0 < value < math.inf):
        raise ValueError(f"{name} must be a positive number, not {value!r}")
    return value


def probability(name: str, value: float) -> float:
    """Return `value`; raise ValueError unless it lies between 0 and 1."""
    if not 0.0 <= value <= 1.0:
        raise ValueError(f"{name} is {value}: a probability lies between 0 and 1")
    return value
