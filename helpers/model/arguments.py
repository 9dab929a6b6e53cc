"""Check the arguments of public functions: the same rules and words everywhere.

`@checked` reads a function's annotations and refuses arguments of another type, NaN, and whole
numbers beyond 64 bits. `Count`, `Whole`, `Amount` and `Rate` are annotations that also have a
range. What depends on several arguments a function checks itself, by the functions below.
"""

from __future__ import annotations

import functools
import inspect
import math
import types
import typing
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from numbers import Real
from operator import index
from pathlib import Path
from typing import Annotated

WIDEST = 1 << 63  # no size, count or address of a GPU is larger


@dataclass(frozen=True)
class Range:
    """The numbers that an annotation allows: finite, from `least` or above it."""

    least: float
    above: bool = False

    def refuse(self, name: str, value: float) -> None:
        """Raise ValueError for a number outside."""
        if not math.isfinite(value) or value < self.least or (self.above and value == 0):
            words = f"a finite number, {self.least} or more"
            words = "a positive number" if self.above else words
            raise ValueError(f"{name} is {value}: give {words}")


Count = Annotated[int, Range(1)]
Whole = Annotated[int, Range(0)]
Amount = Annotated[float, Range(0)]
Rate = Annotated[float, Range(0, above=True)]

Function = typing.TypeVar("Function", bound=Callable)


def checked(function: Function) -> Function:
    """Refuse arguments that the function's annotations rule out, before it is called.

    Raises TypeError for another type, ValueError for NaN and for a number out of range; each
    names the argument and shows what was given.
    """
    names = list(inspect.signature(function).parameters)

    @functools.cache
    def rules() -> dict[str, Callable[[object], None]]:
        hints = typing.get_type_hints(function, include_extras=True)
        return {name: _rule(name, hints.get(name)) for name in names}

    @functools.wraps(function)
    def call(*arguments, **options):
        known = rules()
        for rule, value in zip(known.values(), arguments):  # noqa: B905
            rule(value)
        for name, value in options.items():
            if name in known:
                known[name](value)
        return function(*arguments, **options)

    return call


def _rule(name: str, hint: object) -> Callable[[object], None]:
    """Return what refuses the values that do not fit an annotation; None: it has none."""
    kinds = _kinds(hint) if hint is not None else [object]
    words = " or ".join(dict.fromkeys(_words(kind) for kind in kinds))
    bounds = next((b for part in (hint, *typing.get_args(hint)) for b in _bounds(part)), None)
    whole = int in kinds or float in kinds
    simple = {kind for kind in kinds if isinstance(kind, type)} - {int, float}
    least = bounds.least + bounds.above if bounds else -WIDEST

    def rule(value: object) -> None:
        if type(value) in simple or (type(value) is int and whole and least <= value <= WIDEST):
            return  # as nearly every call has it
        if value is None and type(None) in kinds:
            return
        if not any(_fits(value, kind) for kind in kinds):
            raise TypeError(f"{name} is {_shown(value)}: give {words}")
        if isinstance(value, Real) and not isinstance(value, bool):
            _refuse_number(name, value, bounds)

    return rule


def _bounds(hint: object) -> tuple:
    return getattr(hint, "__metadata__", ())


def _kinds(hint: object) -> list:
    """Return the types of an annotation, each with the type of its items."""
    if typing.get_origin(hint) in (typing.Union, types.UnionType):
        return [kind for part in typing.get_args(hint) for kind in _kinds(part)]
    if typing.get_origin(hint) is Annotated:
        return _kinds(typing.get_args(hint)[0])
    return [hint]


def _fits(value: object, kind: object) -> bool:
    origin = typing.get_origin(kind) or kind
    if origin is int:
        return not isinstance(value, float) and hasattr(type(value), "__index__")
    if origin is float:
        return isinstance(value, Real)
    if origin is bool:
        return isinstance(value, bool) or type(value).__name__ in ("bool", "bool_")  # NumPy's
    if origin is Path:
        return isinstance(value, Path)
    if not isinstance(origin, type) or origin is object:
        return True
    if not issubclass(origin, str) and isinstance(value, (str, bytes)):
        return False
    if issubclass(origin, tuple) and origin is not tuple:
        return isinstance(value, origin)
    if issubclass(origin, Mapping):
        return isinstance(value, Mapping)
    if issubclass(origin, Iterable) and origin.__module__ == "collections.abc":
        return _is_list(value, typing.get_args(kind))
    if origin is tuple:
        return isinstance(value, tuple) and _is_tuple(value, typing.get_args(kind))
    return isinstance(value, origin)


def _is_list(value: object, items: tuple) -> bool:
    """Say whether a value can be gone through and, if that does no harm, has such items."""
    if isinstance(value, type) or not hasattr(value, "__iter__"):
        return False
    if getattr(value, "ndim", 1) == 0 or not items or not hasattr(value, "__len__"):
        return getattr(value, "ndim", 1) != 0
    if isinstance(value, range) or hasattr(value, "items"):
        return True
    return all(any(_fits(one, kind) for kind in _kinds(items[0])) for one in value)


def _is_tuple(value: tuple, items: tuple) -> bool:
    """Say whether a tuple has the items of an annotation, such as (str, int) or (int, ...)."""
    if items[1:] == (...,):
        items = items[:1] * len(value)
    if not items:
        return True
    return len(value) == len(items) and all(
        any(_fits(one, kind) for kind in _kinds(item))
        for one, item in zip(value, items, strict=True)
    )


def _refuse_number(name: str, value: Real, bounds: Range | None) -> None:
    if value != value:
        raise ValueError(f"{name} is {value!r}: give a number, not NaN")
    if hasattr(type(value), "__index__") and not -WIDEST <= value <= WIDEST:
        raise ValueError(f"{name} is {_shown(value)}: give a whole number that 64 bits hold")
    if bounds:
        bounds.refuse(name, value)


def _shown(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:56]} ..."


_NAMED = {int: "a whole number", float: "a number", str: "a text", bool: "True or False"}
_NAMED |= {Path: "a path", type(None): "None"}


def _words(kind: object) -> str:
    """Return what to give: "a whole number", "a Card"."""
    origin = typing.get_origin(kind) or kind
    if origin in _NAMED:
        return _NAMED[origin]
    items = typing.get_args(kind)
    if isinstance(origin, type) and issubclass(origin, Mapping):
        return "a dict"
    if isinstance(origin, type) and issubclass(origin, Iterable) and items:
        inner = _NAMED.get(items[0], "values").removeprefix("a ")
        return f"a list of {inner}{'' if inner.endswith('s') else 's'}"
    name = getattr(origin, "__name__", str(origin))
    return f"{'an' if name[0] in 'AEIOU' else 'a'} {name}"


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
    if not isinstance(value, Real):
        raise TypeError(f"{name} is {_shown(value)}: give a number")
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
    if not isinstance(value, Real):
        raise TypeError(f"{name} is {_shown(value)}: give a number")
    if not 0.0 <= value <= 1.0:
        raise ValueError(f"{name} is {value}: a probability lies between 0 and 1")
    return value
