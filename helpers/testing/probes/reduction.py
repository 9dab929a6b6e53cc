"""Ask a launcher that makes one number of an array which elements count, and how.

A wrong total says little: one number of many. So the launcher is called again, on arrays in
which one element differs from all others, on equal numbers, on one fraction, on one NaN.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator
from dataclasses import dataclass, replace

import torch

from helpers.errors import CourseError
from helpers.run import machine
from helpers.run.launcher import Launcher
from helpers.testing import patience
from helpers.testing.buffers import ZEROS, poison, with_room
from helpers.testing.cases import Case
from helpers.testing.patterns.wrong_places import LONGEST_TAIL
from helpers.testing.probes.lanes import all_lanes_add, subtracted
from helpers.testing.references import bits
from helpers.testing.values import nan_payloads

EVERY = 300  # of so many elements each is asked for
SOME = 64  # places of a longer array
LONG = 100_000  # elements; of a longer array seven places
# All other elements, and the one: for a sum, a maximum and a minimum.
PAIRS = ((0.0, 1.0), (-100.0, 100.0), (100.0, -100.0))
LEVELS = (-3.0, -3e5, -3e30, 3.0, 3e5, 3e30)
LONGER = 613
EXACT = 1 << 24  # float32 holds every whole number up to here
FILLS = (2, ZEROS)  # of the output: two numbers
FRACTIONS = (0.7, -2.6, 1000.3)


def diagnose(launcher: Launcher, case: Case) -> str | None:
    """Say what is wrong with a launcher x [n] -> out [1]; None if nothing of it shows.

    case: one that went wrong, whose `function` is known.
    """
    if case.function is None or len(case.inputs) != 1:
        return None
    n = case.inputs[0].numel()
    sizes = (n, 2 * n + LONGER) if n <= LONG else (n,)
    for size in sizes if n > 1 else reversed(sizes):  # of one element all or none count
        asked = _Asked(launcher, case, size)
        for question in QUESTIONS:
            if sentence := question(asked):
                return sentence
    return None


@dataclass(frozen=True)
class _Asked:
    launcher: Launcher
    case: Case
    n: int

    def right(self, x: torch.Tensor) -> float:
        return float(self.case.function(x.double()))

    def got(self, x: torch.Tensor, fill: int = 0) -> float | None:
        """Call the launcher on x; None if the call fails."""
        device = machine.present().device if self.launcher.on_gpu else "cpu"
        out = with_room(torch.zeros(1, dtype=self.case.dtypes[0]), device)
        bits(out).fill_(poison(out.dtype, fill))
        tensors = {"input": with_room(x, device), "output": out}
        roles = [p.role for p in self.launcher.declaration.tensors]
        try:
            with patience.launching(self.launcher):
                self.launcher(*(tensors[role] for role in roles), **self.case.arguments)
        except CourseError:
            return None
        return float(out)

    def equal(self, value: float) -> torch.Tensor:
        return torch.full((self.n,), value)

    def selects(self) -> bool:
        """Test whether the result of equal numbers is that number, or its absolute value."""
        several = max(self.n, 2)  # of one number the sum is that number, too
        return all(abs(self.right(torch.full((several,), c))) == abs(c) for c in (3.0, -5.0))


def _unwritten(asked: _Asked) -> str | None:
    """Test whether the output keeps what it held, whatever that was."""
    for value, fill in itertools.product((1.0, -2.0), FILLS):
        before = torch.empty(1, dtype=asked.case.dtypes[0])
        bits(before).fill_(poison(before.dtype, fill))
        got = asked.got(asked.equal(value), fill)
        if got is None or got != float(before):
            return None
    return (
        f"of {asked.n:,} element{'s' * (asked.n > 1)} nothing is written, and the output keeps "
        "what it held: which thread stores the result, and is its condition ever true? If the "
        "last block is to store it, is the counter 0 before the launch, and what does it then "
        "count to?"
    )


def _by_bits(asked: _Asked) -> str | None:
    """Test whether only of numbers below 0 another one comes out, as of bits as integers."""
    if asked.n < 2 or not asked.selects():
        return None
    wrong = []
    for one, two in itertools.permutations((-9.0, -4.0, 4.0, 9.0), 2):
        x = asked.equal(one)
        x[asked.n // 2] = two
        got = asked.got(x)
        if got is None or got not in (one, two):
            return None
        if got != asked.right(x):
            wrong.append((one, two))
    below = [(-9.0, -4.0), (-4.0, -9.0)]
    if sorted(wrong) != below:
        return None
    return (
        "only for numbers below 0 another one comes out: are they compared by their bits, as "
        "integers? Those of numbers below 0 are in reverse order"
    )


def _kept(asked: _Asked) -> str | None:
    """Test whether the result has to win against what the output held before."""
    values = [asked.equal(sign * 1e30) for sign in (1.0, -1.0)]
    if any(asked.got(x) == asked.right(x) for x in values) or not asked.selects():
        return None
    if not any(asked.got(x, ZEROS) == asked.right(x) for x in values):
        return None
    return (
        "the result is compared with what the output held before, which may be anything: set "
        "it first, or start with the first element"
    )


def _alike(n: int, level: float) -> str:
    """Name n equal numbers."""
    return f"one number, {level:g}," if n == 1 else f"{n:,} numbers that are all {level:g}"


def _first_value(asked: _Asked) -> str | None:
    """Find a value that the result starts with, where it should not show."""
    zeros = asked.got(asked.equal(0.0))
    if not asked.selects():
        if asked.right(asked.equal(0.0)) == 0 and zeros and math.isfinite(zeros):
            return f"of {asked.n:,} zeros it makes {zeros:.8g}: is that its start value?"
        return _counted_start(asked)
    for level in LEVELS:
        x, farther = asked.equal(level), asked.equal(2 * level)
        got = asked.got(x)
        if got is None or got == asked.right(x) or not math.isfinite(got):
            continue
        if got != asked.got(farther):
            continue
        if asked.right(x) != float(x[0]):
            return (
                f"of {_alike(asked.n, level)} it makes {got:.8g}, not "
                f"{asked.right(x):g}: is the formula another one?"
            )
        return (
            f"of {_alike(asked.n, level)} it makes {got:.8g}: is that its start value, of "
            "all threads or of idle ones? Start with the first element in its place"
        )
    return None


def _counted_start(asked: _Asked) -> str | None:
    """Find a start value that counts as one of the numbers, of which only the range matters."""
    if len({asked.right(asked.equal(level)) for level in LEVELS}) > 1:
        return None
    for level in LEVELS:
        right, got = asked.right(asked.equal(level)), asked.got(asked.equal(level))
        if got is not None and got != right and math.isfinite(got):
            return (
                f"of {_alike(asked.n, level)} it makes {got:.8g}, not "
                f"{right:g}: does a start value count as one of them? Start with the first "
                "element in its place"
            )
    return None


def _odd_one(x: torch.Tensor) -> list[int]:
    """Return the place of the one element that is not like all others, if there is one."""
    places = (x != x.median()).nonzero().flatten()
    return places.tolist() if len(places) == 1 else []


def _places(n: int) -> list[int]:
    """Choose the elements that are asked for: all of few, else the ends and some between."""
    if n <= EVERY:
        return list(range(n))
    if n > LONG:
        some = (0, 1 << 16, 1 << 20, 1 << 24, n // 2, n - 2, n - 1)
        return sorted({place for place in some if place < n})
    ends = [*range(SOME // 4), *range(n - SOME // 4, n)]
    powers = [1 << k for k in range(5, n.bit_length() - 1)]
    return sorted({*ends, *powers, *(k * (n - 1) // SOME for k in range(SOME))})


def _weight(asked: _Asked, place: int) -> float | None:
    """Return how often an element counts: 1 if all is right; None if that does not show."""
    for others, one in PAIRS:
        x = asked.equal(others)
        without = asked.right(x)
        x[place] = one
        right = asked.right(x)
        if right == without:
            continue
        got = asked.got(x)
        return None if got is None else (got - without) / (right - without)
    return None


def _weights(asked: _Asked) -> str | None:
    """Find elements that have no effect, or too much of one.

    The last elements of a short array may be no tail, but a lane's or a block's: a longer one
    tells.
    """
    sentence, of_the_tail = _of_weights(asked)
    if of_the_tail and asked.n <= LONG:
        return _of_weights(replace(asked, n=2 * asked.n + LONGER))[0] or sentence
    return sentence


def _of_weights(asked: _Asked) -> tuple[str | None, bool]:
    """Return what the elements' weights say, and whether it is of the last few only."""
    places = _places(asked.n)
    if asked.n == asked.case.inputs[0].numel():
        places = sorted({*places, *_odd_one(asked.case.inputs[0])})
    weights = {i: w for i in places if (w := _weight(asked, i)) is not None}
    lost = [i for i, w in weights.items() if w == 0]
    often = {i: w for i, w in weights.items() if w > 1 and w == int(w)}
    other = {w for w in weights.values() if w not in (0, 1)}
    tried = f"{len(weights):,}" + (" tried" if len(weights) < asked.n else "")
    if lost and not often:
        if len(lost) == len(weights) > 1:
            if asked.got(asked.equal(-3.0)) != asked.got(asked.equal(-6.0)):
                return None, False  # numbers of the other sign have one
            return f"none of the {tried} elements has an effect: all are left out", False
        if tail := _tail(asked.n, lost):
            return f"it is off by just the {tail}: is the tail left out?", True
        which = f"{len(lost):,} of {tried} elements have" if len(lost) > 1 else "an element has"
        return (
            f"{which} no effect on the result, the first is x[{lost[0]:,}]: left out by "
            f"the loop, or a thread, warp or block whose result does not count?"
        ), False
    if often:
        tail = _tail(asked.n, list(often))
        if tail and set(often.values()) == {2.0}:
            return f"it is off by just the {tail}: is the tail added twice?", True
        if sentence := all_lanes_add(weights):
            return sentence, False
        first, times = next(iter(often.items()))
        return (
            f"{len(often):,} of {tried} elements count more than once, the first is "
            f"x[{first:,}], {times:,.0f} times: do two threads take the same element?"
        ), False
    if not asked.selects() and (sentence := subtracted(weights, tried)):
        return sentence, False
    ones = asked.got(asked.equal(1.0)) if other and not math.isfinite(min(other)) else None
    if len(other) == 1 and set(weights.values()) == other and ones is not None:
        return (
            f"{ones:g} comes out, whatever goes in: are all elements "
            "left out, as by a loop that takes whole rounds only?"
        ), False
    if len(other) == 1 and set(weights.values()) == other and asked.n > 1:
        words = f"each element counts {other.pop():.6g} times: another factor, a formula?"
        return words, False
    return None, False


def _together(asked: _Asked) -> str | None:
    """Ask for equal numbers, where each element counts once if it alone is not zero."""
    if asked.selects() or _weight(asked, 0) != 1:
        return None
    right, got = asked.right(asked.equal(1.0)), asked.got(asked.equal(1.0))
    if got is None or got == right or not math.isfinite(got) or right >= EXACT:
        return None
    return (
        f"of {asked.n:,} ones it makes {got:.8g}, not {right:.8g}, though each of them alone "
        "counts once: is the formula another one, of sums?"
    )


def _tail(n: int, places: list[int]) -> str | None:
    """Name the last few elements, if they are the places."""
    count = len(places)
    if n > LONG or count > min(LONGEST_TAIL, n // 2) or places != list(range(n - count, n)):
        return None
    return "last element" if count == 1 else f"sum of the last {count} elements"


def _fraction(asked: _Asked) -> str | None:
    """Find what becomes of one fraction."""
    for value, x in _single(asked):
        right, got = asked.right(x), asked.got(x)
        rounded = float(torch.tensor(right, dtype=asked.case.dtypes[0]))
        if got is None or got == rounded:
            continue
        what = f"of x[0] = {value:g} it makes {got:.8g}"
        if math.isfinite(got) and got == int(got) and abs(got - right) < 1:
            return f"{what}: is a fraction truncated or rounded to a whole number?"
        if abs(got - right) < 2.0**-5 * abs(right):
            return f"{what}: is it computed or rounded in a narrower precision on the way?"
        return f"{what}, not {rounded:.8g}: is the formula another one?"
    return None


def _single(asked: _Asked) -> Iterator[tuple[float, torch.Tensor]]:
    """Yield fractions, each with an array whose result it is, or that it alone makes."""
    for value in FRACTIONS:
        x = asked.equal(value)
        if not asked.selects():
            x[1:] = 0.0
        yield value, x


def _nan(asked: _Asked) -> str | None:
    x = asked.equal(1.0)
    x[asked.n // 2] = math.nan
    got = asked.got(x)
    if not math.isnan(asked.right(x)) or got is None:
        return None
    if not math.isnan(got):
        return "a NaN that goes in must come out: is it compared, or skipped?"
    return _nan_of_a_kind(asked, x)


def _nan_of_a_kind(asked: _Asked, x: torch.Tensor) -> str | None:
    """Find a NaN of other bits that is lost, where the usual one comes out."""
    kinds = nan_payloads(x.dtype)
    lost = []
    for nan in kinds:
        x[asked.n // 2] = nan
        got = asked.got(x)
        lost.append(got is not None and not math.isnan(got))
    if not any(lost):
        return None
    which = "of some bits"
    if lost == kinds.signbit().tolist():
        which = "whose sign bit is set"
    return (
        f"a NaN that goes in must come out, and one {which} is lost: are numbers compared as "
        "integers, by their bits? Then ask for a NaN first (x != x)"
    )


QUESTIONS = (
    _unwritten,
    _kept,
    _first_value,
    _by_bits,
    _weights,
    _together,
    _fraction,
    _nan,
)
