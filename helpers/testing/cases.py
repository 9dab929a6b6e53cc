"""Choose inputs that break elementwise kernels: odd sizes, special values, ties, slices."""

from __future__ import annotations

import functools
import itertools
import math
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace

import torch

from helpers.run.launcher import Launcher
from helpers.testing import residues
from helpers.testing.references import difference, largest_ulp, rounded, to_odd, ulp_distance
from helpers.testing.values import (
    bit_patterns,
    defined,
    fractions,
    halfway_everywhere,
    halfway_integers,
    halfway_values,
    integers_of_every_size,
    nans_and_zeros,
    normal_numbers,
    pairs_of_specials,
)

SIZES = (1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 32, 33, 63, 65, 127, 128, 129, 255, 256, 257)
SIZES += (511, 513, 1000, 1023, 1024, 1025, 2047, 2049, 4099, 65535, 65536, 65537, 100003)
BLOCK_SIZES = (32, 64, 96, 128, 192, 256, 512, 1024)
SEEDS = 3  # for the smallest sizes
MANY = 5000  # elements; a larger case is tried in one round, as others show what order matters
FROM_STOCK = 4096  # elements; of so many it takes longer to draw them than to run a kernel
STOCK = 1 << 18
CANCELS = 4  # times its rounding: a result that moves further, as its inputs do, cancels
LEAST_FACTOR = 2.0**-10  # by which a formula multiplies an input before another does
STEP = 64  # elements between the starts of such parts: all are aligned
NEGATIVE = 8  # numbers, at least, of which 0 must be right for a -0.0 to become 0.0


@dataclass(frozen=True)
class Untried:
    """What no case can decide, and why: a verdict names it."""

    label: str
    reason: str


@dataclass(frozen=True)
class Case:
    """One call to try: CPU inputs in the launcher's order and the exact outputs in float64.

    arguments: scalars of the call. ulp: allowed distance in units in the last place of the
    output's dtype. offset: elements between a 256-byte boundary and each tensor's start, one
    number for all or one a tensor in the launcher's order (0: the start is wherever the end
    meets a guard page). dtypes: of the outputs. ignored: names of outputs in which any value is
    right. reference: a function of the float64 inputs that gives the outputs, if there is one.
    before: inputs of a first call on the same tensors. quick: one round is enough. function:
    of the one input, where the one output is a single number, so that it can be asked again.
    within: for each output the absolute error that is allowed, too, in the output's shape.
    end: how many elements at the end of each output show a fault that only such a size has.
    whole: of expected int64 outputs that float64 does not hold, these numbers, each beside
    what `expected` has of it. limited: inputs, and outputs in which 0 comes of their negative
    numbers, as other cases tell where no reference does.
    """

    label: str
    inputs: tuple[torch.Tensor, ...]
    expected: tuple[torch.Tensor, ...]
    arguments: dict[str, int | float] = field(default_factory=dict)
    ulp: float = 0
    offset: int | tuple[int, ...] = 0
    dtypes: tuple[torch.dtype, ...] = ()
    ignored: tuple[str, ...] = ()
    reference: Callable[..., torch.Tensor] | None = None
    before: tuple[torch.Tensor, ...] = ()
    quick: bool = False
    function: Callable[[torch.Tensor], torch.Tensor] | None = None
    within: tuple[torch.Tensor, ...] = ()
    end: int = 0
    whole: tuple[tuple[torch.Tensor, torch.Tensor], ...] = ()
    limited: frozenset[tuple[int, int]] = frozenset()

    def __post_init__(self):
        doubles = tuple(x.double() for x in self.expected)
        # A copy of the case may expect something else, of which these are not the numbers.
        whole = [pair for pair in self.whole if any(pair[0] is x for x in doubles)]
        for double, x in zip(doubles, self.expected, strict=True):
            if x.dtype is torch.int64 and not torch.equal(double.long(), x):
                whole.append((double, x))
        object.__setattr__(self, "expected", doubles)
        object.__setattr__(self, "whole", tuple(whole))

    @property
    def kinds(self) -> tuple[str, ...]:
        """The parts of the label without a digit: what numbers, not how many."""
        parts = re.split(r", (?![^(\[{]*[)\]}])", self.label)
        return tuple(x for x in parts if not re.search(r"\d", x))

    def integers(self, output: int) -> torch.Tensor | None:
        """Return the expected integers of an output, flat, if float64 does not hold them."""
        found = (x for double, x in self.whole if double is self.expected[output])
        return next((x.reshape(-1) for x in found), None)

    @functools.cached_property
    def wanted(self) -> tuple[torch.Tensor, ...]:
        """The exact outputs, flat and rounded once to their dtypes."""
        made = []
        for k, (x, dtype) in enumerate(zip(self.expected, self.dtypes, strict=True)):
            whole = None if dtype.is_floating_point else self.integers(k)
            made.append(rounded(x.reshape(-1), dtype) if whole is None else whole.to(dtype))
        return tuple(made)

    @functools.cached_property
    def slack(self) -> tuple[torch.Tensor, ...]:
        """The errors that cancelling terms leave in a formula of several steps, flat, float64.

        A step rounds as if its inputs had been off by half a unit of the output. Where the
        result moves further than that when the inputs do, no kernel can do better.
        """
        slack = [torch.zeros(x.numel(), dtype=torch.float64) for x in self.expected]
        inputs = [x.double() for x in self.inputs]
        for k, dtype in enumerate(self.dtypes):
            if not dtype.is_floating_point:
                continue
            off = 1 + max(torch.finfo(dtype).eps / 2, torch.finfo(torch.float64).eps)
            for j, x in enumerate(inputs):
                moved = self.reference(*inputs[:j], x * off, *inputs[j + 1 :])
                moved = moved[k] if isinstance(moved, tuple) else moved
                slack[k] += 2 * (moved - self.expected[k]).abs().reshape(-1).nan_to_num(0.0)
            if dtype.itemsize <= 2:  # computed in float32, where only what cancels is off
                usual = CANCELS * torch.finfo(dtype).eps * self.expected[k].abs().reshape(-1)
                slack[k][slack[k] <= usual.nan_to_num(0.0, 0.0, 0.0)] = 0
        return tuple(slack)

    def right(
        self, output: int, got: torch.Tensor, elements: slice | torch.Tensor = slice(None)
    ) -> torch.Tensor:
        """Return which values of an output, flat, are right: to `ulp`, or to the slack.

        What only the rounding of the expected numbers leaves is right, too, with or without it.
        """
        expected = self.expected[output].reshape(-1)[elements]
        allowed = min(self.ulp, largest_ulp(got.dtype)) if self.reference else self.ulp
        if got.dtype is torch.int64 and (whole := self.integers(output)) is not None:
            return difference(got, whole[elements]) <= allowed
        right = ulp_distance(got, expected) <= allowed
        if self.reference is None and got.dtype.is_floating_point and not bool(right.all()):
            left = ~right  # of a large case few, and to look at all takes seconds
            places = torch.arange(self.expected[output].numel())[elements][left]
            rounding = self._rounding(output, places)
            off = (got.double() - expected)[left].abs()
            right[left] = (off <= rounding) & (rounding > 0)
        if self.within:
            off = (got.double() - expected).abs()
            right |= off <= self.within[output].reshape(-1)[elements]
        zero = ~right & (got.double() == 0) & (expected == 0)
        if bool(zero.any()):  # else it would take long for nothing
            right |= zero & self.either_zero(output)[elements]
        if self.reference and not bool(right.all()):
            for other in self.halved():
                made, overflows = other[elements], other.isinf() & self.finite(output)
                alike = (got == made) | (got.isnan() & made.isnan())
                right |= alike & ~overflows[elements]
        if self.ulp and self.reference and not bool(right.all()):
            right |= (got.double() - expected).abs() <= self.slack[output][elements]
            right |= (got == 0) & (self.wanted[output][elements] == 0)  # of either sign
            right |= (got == 0) & (expected.abs() <= self.vanishing(output)[elements])
            for moved in self.underflown(output):
                off = 2 * (moved - self.expected[output].reshape(-1)).abs()[elements]
                right |= (got.double() - expected).abs() <= off.nan_to_num(0.0, 0.0, 0.0)
                right |= got.isnan() & moved[elements].isnan()
        return right

    def _rounding(self, output: int, places: torch.Tensor) -> torch.Tensor:
        """Return the errors that only rounding leaves, at these places of an output.

        Those of a small case are kept: it may be compared a thousand times.
        """
        expected, known = self.expected[output], self._roundings
        if expected.numel() > MANY:
            return residues.allowed(self.inputs, expected, places)
        if output not in known:
            every = torch.arange(expected.numel())
            known[output] = residues.allowed(self.inputs, expected, every)
        return known[output][places]

    @functools.cached_property
    def _roundings(self) -> dict[int, torch.Tensor]:
        return {}

    def either_zero(self, output: int) -> torch.Tensor:
        """Return where 0.0 and -0.0 are both right, flat, bool.

        The larger of 0.0 and -0.0 is either: where the inputs may change places, and only the
        sign of a zero tells that they did, a kernel may take them in any order. And of 0.0 and
        what is negative the larger is 0.0, so that of 0.0 and -0.0 it may be that, too. A
        factor of 0 makes zeros of both signs, and a sum with one of them makes 0.0.
        """
        expected = self.expected[output].reshape(-1)
        found = self._times_zero(expected)
        if self.reference is None:
            for k, x in enumerate(self.inputs):
                made = self.of_negative(k, output)
                if (k, output) in self.limited or (made is not None and (made == 0).all()):
                    found |= _is_minus_zero(x).reshape(-1)
            return found & (expected == 0)
        others = [x.double() for x in self.inputs]
        for j, x in enumerate(self.inputs):
            if x.is_floating_point() and bool((x == 0).any()):
                beside = torch.copysign(torch.tensor(torch.finfo(x.dtype).tiny), x).double()
                moved = torch.where(x == 0, beside, others[j])
                found |= self._other_zero(output, [*others[:j], moved, *others[j + 1 :]])
        if len(self.inputs) == 2 and self.inputs[0].shape == self.inputs[1].shape:
            turned = self._result(output, others[::-1])
            if torch.equal(expected.nan_to_num(), turned.nan_to_num()):
                found |= self._other_zero(output, others[::-1])
        return found

    def _times_zero(self, expected: torch.Tensor) -> torch.Tensor:
        """Return where an argument that is 0.0 makes a zero of numbers that are none."""
        found = torch.zeros_like(expected, dtype=torch.bool)
        if any(isinstance(x, float) and x == 0 for x in self.arguments.values()):
            alike = [x.reshape(-1) for x in self.inputs if x.numel() == len(expected)]
            found |= expected == 0
            for x in alike:
                found &= x.double() != 0
        return found

    def of_minus_zero(self, k: int, output: int) -> bool:
        """Test whether 0 is right for a -0.0 of an input of an output's size."""
        found, expected = _is_minus_zero(self.inputs[k]), self.expected[output].reshape(-1)
        return found.numel() == len(expected) and bool(
            (found.reshape(-1) & (expected == 0)).any()
        )

    def of_negative(self, k: int, output: int) -> torch.Tensor | None:
        """Return what is right where an input of an output's size is negative.

        None if it is nowhere, or of another size.
        """
        below = (self.inputs[k].double() < 0).reshape(-1)
        expected = self.expected[output].reshape(-1)
        alike = len(below) == len(expected)
        return expected[below] if alike and bool(below.any()) else None

    @functools.cached_property
    def zeros_of_negative(self) -> dict[tuple[int, int], tuple[int, bool]]:
        """Of inputs and outputs: how many numbers are negative, and whether 0 is right for all.

        Once for a case, as each later one asks.
        """
        pairs = itertools.product(range(len(self.inputs)), range(len(self.expected)))
        made = {pair: self.of_negative(*pair) for pair in pairs}
        return {
            pair: (len(x), bool((x == 0).all())) for pair, x in made.items() if x is not None
        }

    @functools.cached_property
    def minus_zeros(self) -> frozenset[tuple[int, int]]:
        """Inputs with a -0.0, and outputs in which 0 is right for it, without a reference."""
        return frozenset(
            (k, place)
            for k, x in enumerate(self.inputs)
            for place in range(len(self.expected))
            if self.reference is None and x.is_floating_point() and self.of_minus_zero(k, place)
        )

    def with_limits(self, others: Iterable[Case]) -> Case:
        """Return the case with what others tell of -0.0.

        Where 0 comes of all negative numbers, as of ReLU, a kernel may make 0.0 of it.
        """
        if not self.minus_zeros:
            return self
        known = list(others)
        return replace(
            self, limited=frozenset(x for x in self.minus_zeros if _are_limited(known, *x))
        )

    def _result(self, output: int, inputs: list[torch.Tensor]) -> torch.Tensor:
        """Compute one of the reference's outputs, flat."""
        made = self.reference(*inputs)
        return (made[output] if isinstance(made, tuple) else made).reshape(-1)

    def _other_zero(self, output: int, inputs: list[torch.Tensor]) -> torch.Tensor:
        """Return where a zero is expected and other inputs make the one of the other sign."""
        expected, made = self.expected[output].reshape(-1), self._result(output, inputs)
        if made.shape != expected.shape:
            return torch.zeros_like(expected, dtype=torch.bool)
        return (expected == 0) & (made == 0) & (expected.signbit() != made.signbit())

    def finite(self, output: int) -> torch.Tensor:
        """Return where the rounded result is finite, flat, bool."""
        return self.wanted[output].isfinite()

    def halved(self) -> Iterator[torch.Tensor]:
        """Yield a product of two inputs and a power of two, multiplied in each order, flat.

        0.5f * b rounds a subnormal b, and 0.5f * (b * c) a subnormal product: each order is
        right, and none is what rounding once makes. What overflows on the way is not.
        """
        if len(self.inputs) != 2 or len(self.expected) != 1:
            return
        a, b = self.inputs
        if not a.dtype == b.dtype == self.dtypes[0] == torch.float32 or a.shape != b.shape:
            return
        one = torch.ones(1, dtype=torch.float64)
        factor = float(self.reference(one, one))
        if abs(factor) in (0.0, 1.0) or abs(math.frexp(factor)[0]) != 0.5:
            return
        exact = factor * a.double() * b.double()
        if not torch.equal(exact.nan_to_num(), self.expected[0].nan_to_num()):
            return
        for made in ((factor * a) * b, a * (factor * b), factor * (a * b)):
            yield made.reshape(-1)

    def underflown(self, output: int) -> Iterator[torch.Tensor]:
        """Yield what is made of inputs that a formula's factor makes subnormal, flat, float64.

        0.01f * b * c is right, and 0.01f * b is rounded to a multiple of the smallest number:
        if c is huge, what comes out is off by more than the rounding of the result. Of several
        inputs, factors from LEAST_FACTOR on, and in types that are computed as they are.
        """
        inputs = [x.double() for x in self.inputs]
        if len(inputs) < 2 or not self.dtypes[output].is_floating_point:
            return
        for j, x in enumerate(self.inputs):
            if not x.dtype.is_floating_point or x.dtype.itemsize < 4:
                continue
            info = torch.finfo(x.dtype)
            small = (x != 0) & (x.abs() < info.smallest_normal / LEAST_FACTOR)
            if not bool(small.any()):
                continue
            least = info.smallest_normal * info.eps / LEAST_FACTOR
            lost = torch.where(inputs[j].abs() <= least, 0.0, inputs[j])  # all of it, times inf
            for off in (inputs[j] + least, inputs[j] - least, lost):
                moved = torch.where(small, off, inputs[j])
                yield self._result(output, [*inputs[:j], moved, *inputs[j + 1 :]]).double()

    def vanishing(self, output: int) -> torch.Tensor:
        """Return up to which size a result may come out as zero, flat, float64.

        Where exp(x) overflows, x / (1 + exp(-x)) is zero a little before it is subnormal: 1 /
        max is a quarter of the smallest normal number, and the inputs are factors. That is so
        of the type in which it is computed: of a float16 result in float32.
        """
        dtype, n = self.dtypes[output], self.expected[output].numel()
        inputs = [x.reshape(-1).double().abs() for x in self.inputs if x.numel() == n]
        if not dtype.is_floating_point or not inputs:
            return torch.zeros(n, dtype=torch.float64)
        info = torch.finfo(torch.float32 if dtype.itemsize <= 2 else dtype)
        largest = torch.stack(inputs).amax(dim=0)
        limit = (1 + largest) * info.smallest_normal / 2
        return torch.where(largest > math.log(info.max) / 2, limit.nan_to_num(0.0), 0.0)

    @property
    def size(self) -> int:
        """The number of elements of the largest output."""
        return max(x.numel() for x in self.expected)


def _are_limited(cases: Sequence[Case], k: int, output: int) -> bool:
    """Test whether 0 is right in one output for all negative numbers of an input."""
    found = (x.zeros_of_negative.get((k, output)) for x in cases)
    some = [one for one in found if one is not None]
    return sum(count for count, _ in some) >= NEGATIVE and all(is_zero for _, is_zero in some)


def _is_minus_zero(x: torch.Tensor) -> torch.Tensor:
    wide = x.double()
    return (wide == 0) & wide.signbit()


@functools.cache
def stock(dtype: torch.dtype) -> torch.Tensor:
    """Draw the ordinary numbers [STOCK] of which large cases take a part each, once."""
    return normal_numbers(STOCK, dtype, torch.Generator().manual_seed(STOCK))


@dataclass(frozen=True)
class ElementwiseMaker:
    """Make the cases of one elementwise launcher."""

    dtypes: tuple[torch.dtype, ...]
    outputs: tuple[torch.dtype, ...]
    reference: Callable[..., torch.Tensor]
    ulp: float
    arguments: dict[str, int | float]

    @classmethod
    def of(
        cls,
        launcher: Launcher,
        reference: Callable[..., torch.Tensor],
        ulp: float = 0,
        arguments: dict[str, int | float] | None = None,
    ) -> ElementwiseMaker:
        """Take the dtypes from the launcher's declaration.

        `reference` computes in float64 and returns a tensor or a tuple of them, one an output.
        """
        tensors = launcher.declaration.tensors
        dtypes = tuple(p.dtype for p in tensors if p.role == "input")
        outputs = tuple(p.dtype for p in tensors if p.role == "output")
        return cls(dtypes, outputs, reference, ulp, arguments or {})

    def case(
        self,
        label: str,
        inputs: tuple[torch.Tensor, ...],
        offset: int | tuple[int, ...] = 0,
        **more: int,
    ) -> Case:
        """Return the case of these inputs, with the exact outputs."""
        exact = self.reference(*[self._double(x) for x in inputs])
        exact = exact if isinstance(exact, tuple) else (exact,)
        return Case(
            label,
            inputs,
            exact,
            {**self.arguments, **more},
            self.ulp,
            offset,
            dtypes=self.outputs,
            reference=self.reference,
        )

    def _double(self, x: torch.Tensor) -> torch.Tensor:
        """Convert an input to float64, so that a cast from there is rounded once."""
        narrow = all(d.is_floating_point and d.itemsize < 8 for d in self.outputs)
        return to_odd(x) if x.dtype is torch.int64 and narrow else x.double()

    def inputs(self, n: int, seed: int) -> tuple[torch.Tensor, ...]:
        """Draw n ordinary numbers for each input."""
        generator = torch.Generator().manual_seed(1000 * n + seed)
        if n < FROM_STOCK:
            return tuple(normal_numbers(n, dtype, generator) for dtype in self.dtypes)
        steps = torch.randint((STOCK - n) // STEP, (len(self.dtypes),), generator=generator)
        return tuple(
            stock(dtype)[STEP * step :][:n]
            for dtype, step in zip(self.dtypes, steps.tolist(), strict=True)
        )

    def random(self, n: int, seed: int, **more: int) -> Case:
        """Return a case of n ordinary numbers."""
        words = [f"n = {n:,}", f"seed {seed}", *(f"{k} = {value}" for k, value in more.items())]
        return self.case(", ".join(words), self.inputs(n, seed), **more)

    def shifted(self, n: int, seed: int, offset: tuple[int, ...]) -> Case:
        """Return a case whose tensors start at offsets."""
        case = self.random(n, seed)
        return replace(case, label=f"{case.label}, {starting(offset)}", offset=offset)

    def second_call(self, n: int) -> Case:
        """Return a case with a call on other inputs before it."""
        label = f"n = {n:,}, a second call"
        return replace(self.random(n, 11), label=label, before=self.inputs(n, 12))


def starting(offset: Sequence[int]) -> str:
    """Say where the tensors of a case start: "starting 1, 2, 3 elements into a buffer"."""
    where = ", ".join(map(str, offset if len(set(offset)) > 1 else offset[:1]))
    return f"starting {where} elements into a buffer"


def least_starts(launcher: Launcher) -> tuple[int, ...]:
    """Return for each tensor the least step of its start that its alignment allows."""
    tensors = launcher.declaration.tensors
    return tuple(max(1, p.alignment // p.dtype.itemsize) for p in tensors)


def elementwise_cases(launcher: Launcher, make: ElementwiseMaker) -> Iterator[Case]:
    """Yield the cases of an operator that maps n elements to n elements."""
    yield make.random(0, 0)
    for n in SIZES:
        for seed in range(SEEDS if n < 10 else 1):
            yield replace(make.random(n, seed), quick=bool(seed) or n > MANY)
    yield from _values(make)
    yield make.second_call(1000)
    steps = least_starts(launcher)
    for n in (1, 7, 257, 4099):
        yield make.shifted(n, 5, steps)
        yield make.shifted(n, 6, tuple((k + 1) * step for k, step in enumerate(steps)))
    if any(p.name == "block_size" for p in launcher.declaration.arguments):
        for block_size in BLOCK_SIZES:
            for n in (1, 1000, 70001):
                yield replace(make.random(n, 7, block_size=block_size), quick=n != 1000)


def _values(make: ElementwiseMaker) -> Iterator[Case]:
    """Yield the cases that try values: special ones, ties, NaNs, random bits."""
    if specials := pairs_of_specials(make.dtypes):
        specials = defined(specials, make.outputs, make.reference)
        yield make.case("special values (0, inf, NaN, subnormals)", specials)
    if not make.outputs:
        return
    if steps := fractions(make.dtypes, make.outputs[0]):
        steps = defined(steps, make.outputs, make.reference)
        yield replace(make.case("multiples of 1/256", steps), quick=True)
    if integers := halfway_integers(make.dtypes, make.outputs[0]):
        yield make.case("integers halfway between two numbers", integers)
    if halfway := halfway_values(make.dtypes, make.outputs[0]):
        yield make.case("halfway between two numbers", halfway)
        yield make.case(
            "halfway between two numbers, at every exponent",
            halfway_everywhere(make.dtypes, make.outputs[0]),
        )
    if nans := nans_and_zeros(make.dtypes):
        nans = defined(nans, make.outputs, make.reference)
        yield make.case("NaNs of every kind", nans)
    if make.dtypes:
        bits = bit_patterns(make.dtypes, make.outputs, make.reference, make.ulp > 0)
        every = bits[0].numel() == 1 << 16
        label = "every pattern of 16 bits" if every else "random bits"
        yield replace(make.case(label, bits), quick=every)
    if integers := integers_of_every_size(make.dtypes, make.outputs[0]):
        integers = defined(integers, make.outputs, make.reference)
        yield replace(make.case("integers of every size", integers), quick=True)
