"""Choose inputs for kernels that reduce a whole array to one number: x [n] -> out [1].

Besides ordinary sizes: an element that decides the result at every 32nd place, numbers below
and above every plausible start value, 2^24 elements, and 2^31.
"""

from __future__ import annotations

import contextlib
import math
import time
from collections.abc import Callable, Iterator
from dataclasses import replace

import torch

from helpers.emulator import FORWARD, REVERSE
from helpers.errors import CourseError, FaultKind, KernelFault
from helpers.run.launcher import Launcher
from helpers.testing.cases import Case, Untried
from helpers.testing.complete import N as LARGE
from helpers.testing.past_2_31 import SIZES as HUGE_SIZES
from helpers.testing.past_2_31 import Huge, Layout
from helpers.testing.patterns.wrong_places import FLOAT_END
from helpers.testing.references import bits
from helpers.testing.values import nan_payloads

Function = Callable[[torch.Tensor], torch.Tensor]

SIZES = [n for n in range(1, 71) if n not in (1, 2, 3, 5, 31, 32, 33)]
PLANTED = 2049  # elements, of which one decides
SMALL = 64  # elements, of which each is NaN once
NAN_SECONDS = (
    1.0  # CPU time of a call that gets a NaN, and of all calls that look for its order
)
FAR = 300_007
LONG = 1_048_579


def case(label: str, x: torch.Tensor, function: Function, **arguments: int) -> Case:
    """Return a case of one round."""
    exact = (function(x.double()).reshape(1),)
    return Case(label, (x,), exact, arguments, dtypes=(x.dtype,), quick=True, function=function)


def whole_numbers(n: int, seed: int, limit: int) -> torch.Tensor:
    """Draw whole numbers from -limit to limit, as float32."""
    generator = torch.Generator().manual_seed(seed)
    return torch.randint(-limit, limit + 1, (n,), generator=generator).float()


def selects(function: Function) -> bool:
    """Test whether the result is one of the elements (or its absolute value): a maximum, say.

    Then it is exact on any numbers; a sum is so on small whole numbers only.
    """
    x = torch.randn(101, dtype=torch.float64, generator=torch.Generator().manual_seed(5))
    return bool((function(x).abs() == x.abs()).any())


def ignores_repeats(function: Function) -> bool:
    """Test whether the same elements once more change nothing: as in a maximum, or a range.

    Then an element that is lost shows only where it decides.
    """
    x = whole_numbers(101, 5, 50).double()
    return bool(function(torch.cat([x, x])) == function(x))


def cases(function: Function) -> Iterator[Case]:
    """Yield cases of every small size, and of elements that decide the result."""
    for n in SIZES:
        yield case(f"n = {n}", whole_numbers(n, n, 9), function)
    if selects(function):
        yield from _levels(function)
    if ignores_repeats(function):
        yield from _far(function)
    yield from _planted(function)
    if adds_up(function):
        yield from _fine(function)


def adds_up(function: Function) -> bool:
    """Test whether the result is the sum of what each element makes: of numbers, squares."""
    x, y = whole_numbers(101, 5, 50).double(), whole_numbers(67, 6, 50).double()
    whole, parts = function(torch.cat([x, y])), function(x) + function(y)
    return bool(whole == parts) and not selects(function)


def _fine(function: Function) -> Iterator[Case]:
    """Yield quarters, and numbers whose sum takes more than the 11 bits of a float16.

    Both are exact in float32 in any order, as no sum of the amounts takes more than 24 bits.
    """
    for n in (33, 1000):
        for limit, parts in ((9, 4), (5000, 1), (50, 1)):
            x = whole_numbers(n, n + limit, limit) / parts
            amounts = sum(abs(float(function(one.double()))) for one in x.reshape(-1, 1))
            if amounts * parts**2 < FLOAT_END:
                kind = "quarters" if parts > 1 else f"whole numbers to {limit:,}"
                yield case(f"n = {n:,}, {kind}", x, function)


def _levels(function: Function) -> Iterator[Case]:
    """Yield numbers of every magnitude, and such that lie all on one side of a start value.

    On the far side of all finite start values there are only infinities.
    """
    for n in (33, 1000, 4099):
        x = torch.randn(n, generator=torch.Generator().manual_seed(n))
        yield case(f"n = {n:,}, fractions", x, function)
        scale = torch.exp2(torch.linspace(-120, 120, n))
        yield case(f"n = {n:,}, fractions of every magnitude", x * scale, function)
        for level in (-1.0, 1.0, -1e5, 1e5, -1e30, 1e30):
            side = "below" if level < 0 else "above"
            label = f"n = {n:,}, all numbers {side} {level:g}"
            yield case(label, level * (1 + x.abs()), function)
    for infinity in (-math.inf, math.inf):
        yield case(f"n = 33, all {infinity}", torch.full((33,), infinity), function)


def _far(function: Function) -> Iterator[Case]:
    """Yield a long array in which one element decides: in every 16th part, and at the end."""
    for k in range(17):
        x = torch.full((FAR,), -5.0)
        place = k * (FAR - 1) // 16
        x[place] = 100.0 + k
        yield case(f"n = {FAR:,}, {x[place]:g} at index {place:,}, all others -5", x, function)
        if k % 8 == 0:
            yield case(
                f"n = {FAR:,}, {-x[place]:g} at index {place:,}, all others 5", -x, function
            )


def _planted(function: Function) -> Iterator[Case]:
    """Yield an element that decides the result, at every 32nd place and at the ends."""
    places = [*range(0, PLANTED, 32), *range(31, PLANTED, 96), 1, PLANTED - 2, PLANTED - 1]
    for k, place in enumerate(places):
        for sign in (1.0, -1.0):
            x = torch.full((PLANTED,), -5.0 if sign > 0 else 5.0)
            x[place] = sign * (100.0 + k)
            number = f"{x[place]:g} at index {place:,}, all others {x[place - 1]:g}"
            yield case(f"n = {PLANTED:,}, {number}", x, function)


def large(function: Function, **arguments: int) -> Iterator[Case | Huge]:
    """Yield a million elements, 2^24 of them, and, where zeros do not matter, 2^31."""
    yield case(f"n = {LONG:,}", whole_numbers(LONG, 3, 5), function, **arguments)
    end = whole_numbers(1024, 5, 9).abs() + 1
    few, many = (function(torch.cat([torch.zeros(k), end]).double()) for k in (1, 77))
    zeros_matter = not torch.equal(few, many)
    x = torch.zeros(LARGE)
    x[-(1 << 17) :] = whole_numbers(1 << 17, 4, 5)
    large = case(
        f"n = {LARGE:,}", x if zeros_matter else x[-(1 << 18) :], function, **arguments
    )
    yield replace(large, inputs=(x,))
    if zeros_matter:
        return

    def build(n: int, window: int) -> Layout:
        ends = (((n,), slice(-1024, None), end),)
        return Layout(ends, (((1,), few.reshape(1)),), total=True)

    for n in HUGE_SIZES:
        yield Huge(f"n = {n:,}", build, n, 1 << 20, arguments)


def of_a_nan(launcher: Launcher, function: Function) -> Iterator[Case | Untried]:
    """Yield what a maximum or minimum makes of a NaN, unless it keeps it as torch.max does.

    fmaxf drops a NaN, and a comparison does so at some places: neither is called wrong. One
    that keeps it must keep NaNs of every kind: of either sign, and of other bits. That a NaN
    makes it endless, or that the order of its threads decides, is wrong in any event.
    """
    kept = set()
    for place in (0, 1, 31, 32, 100, PLANTED // 2, PLANTED - 1):
        x = _with_nan(PLANTED, place)
        try:
            came_out = None if launcher.on_gpu else _keeps(launcher, x)
        except KernelFault as fault:
            if fault.kind is FaultKind.TIMEOUT and _ends_without(launcher, x):
                yield _in_every_order(PLANTED, place, function)
                return
            continue
        kept |= {came_out} - {None}
    keeps = bool(function(_with_nan(PLANTED, 0).double()).isnan())
    if kept and kept != {True} and keeps and (found := _by_order(launcher)):
        yield _in_every_order(*found, function)
    elif kept == {True, False}:
        yield Untried("NaN", "this kernel keeps it at some places and drops it at others")
    elif kept != {True} or not keeps:
        yield Untried("NaN", "fmaxf and fminf drop it, torch.max and torch.min keep it")
    else:
        yield from _nans(function)


def _with_nan(n: int, place: int) -> torch.Tensor:
    x = whole_numbers(n, place, 9)
    x[place] = math.nan
    return x


def _in_every_order(n: int, place: int, function: Function) -> Case:
    """Return a case of a NaN that runs in several orders of the threads, as they decide."""
    label = f"n = {n:,}, NaN at index {place:,}"
    return replace(case(label, _with_nan(n, place), function), quick=False)


def _keeps(launcher: Launcher, x: torch.Tensor, order: int = FORWARD) -> bool | None:
    """Test whether NaN comes out of an input; None if the call is refused.

    Raises KernelFault for a call that fails, or takes too long.
    """
    out = torch.zeros(1)
    tensors = {"input": x, "output": out}
    roles = [p.role for p in launcher.declaration.tensors]
    with launcher.emulator.timeout(NAN_SECONDS), launcher.emulator.schedule(order):
        try:
            launcher(*(tensors[role] for role in roles))
        except KernelFault:
            raise
        except (CourseError, RuntimeError, TypeError, ValueError):
            return None
    return bool(out.isnan())


def _ends_without(launcher: Launcher, x: torch.Tensor) -> bool:
    """Test whether a call ends in time with a number in the place of NaN."""
    try:
        return _keeps(launcher, x.nan_to_num(1.0)) is not None
    except KernelFault:
        return False


def _by_order(launcher: Launcher) -> tuple[int, int] | None:
    """Find a size and a place of a NaN that comes out in one order of the blocks only."""
    end = time.process_time() + NAN_SECONDS
    places = [(PLANTED, k) for k in range(31, PLANTED, 32)] + [(SMALL, k) for k in range(SMALL)]
    for n, place in places:
        if time.process_time() > end:
            return None
        x = _with_nan(n, place)
        with contextlib.suppress(KernelFault):
            if {_keeps(launcher, x, order) for order in (FORWARD, REVERSE)} == {True, False}:
                return n, place
    return None


def _nans(function: Function) -> Iterator[Case]:
    """Yield a NaN of each kind among numbers, at the ends and between."""
    for k, nan in enumerate(nan_payloads(torch.float32)):
        for place in (0, 32 * k + 33, PLANTED - 1):
            x = whole_numbers(PLANTED, k, 9)
            x[place] = nan
            kind = f"NaN ({int(bits(nan)) & 0xFFFFFFFF:#x})"
            yield case(f"n = {PLANTED:,}, {kind} at index {place:,}", x, function)
