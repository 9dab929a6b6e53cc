"""Choose the numbers that an operator is tried on: special ones, ties, bit patterns, ranges."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import torch

from helpers.testing.references import BITS, bits

HALFWAY_VALUES = 600  # a multiple of the five steps around a tie
BIT_PATTERNS = 4099
EXACT = 1 << 53  # up to here float64 holds every integer


def normal_numbers(n: int, dtype: torch.dtype, generator: torch.Generator) -> torch.Tensor:
    """Draw n normal numbers, or whole ones from -100 to 99 for an integer dtype."""
    if not dtype.is_floating_point:
        return torch.randint(-100, 100, (n,), generator=generator).to(dtype)
    return torch.randn(n, dtype=torch.float64, generator=generator).to(dtype)


def special_values(dtype: torch.dtype) -> torch.Tensor:
    """List signed zeros, subnormals, extremes, infinities and NaN: a tensor [18] of `dtype`."""
    info = torch.finfo(dtype)
    tiny, least = info.smallest_normal, info.smallest_normal * info.eps
    ordinary = [0.0, -0.0, 1.0, -1.0, 1 + info.eps, 0.5, 3.0]
    subnormal = [least, -least, tiny - least, least - tiny]
    extreme = [tiny, -tiny, info.max, -info.max, float("inf"), float("-inf"), float("nan")]
    return torch.tensor([*ordinary, *subnormal, *extreme], dtype=dtype)


def _small_integers(dtype: torch.dtype) -> torch.Tensor:
    """List integers beside special values: zeros, ones and a few others, [18] of `dtype`."""
    return torch.tensor([0, 1, 2, 0, 1, 100]).repeat(3).to(dtype)


def pairs_of_specials(dtypes: Sequence[torch.dtype]) -> tuple[torch.Tensor, ...]:
    """Combine every special value with every other: for each dtype a tensor [18 * 18].

    The first two form the Cartesian product; each further one is rotated against it. Integers
    are small beside them. Empty if no input is floating-point.
    """
    if not any(dtype.is_floating_point for dtype in dtypes):
        return ()
    values = [
        special_values(dtype) if dtype.is_floating_point else _small_integers(dtype)
        for dtype in dtypes
    ]
    count = len(values[0]) if values else 0
    first = torch.arange(count).repeat_interleave(count)
    second = torch.arange(count).repeat(count)
    indices = [first, second] + [(first + second * k) % count for k in range(1, len(values))]
    return tuple(value[index] for value, index in zip(values, indices, strict=False))


def halfway_values(
    dtypes: Sequence[torch.dtype], output: torch.dtype
) -> tuple[torch.Tensor, ...]:
    """Make inputs on which rounding shows: for each dtype a tensor [600].

    The first holds numbers of the output's dtype from 2^-6 to 2^7, of both signs. Where its own
    dtype is finer, half a unit in the last place is added, and a little more or less. The
    second is half a unit, so that a sum is a tie. All further ones are 1. Empty if a dtype,
    or the output's, is not floating-point.
    """
    if not output.is_floating_point or not all(dtype.is_floating_point for dtype in dtypes):
        return ()
    eps = torch.finfo(output).eps
    generator = torch.Generator().manual_seed(7)
    fraction = torch.randint(0, round(1 / eps), (HALFWAY_VALUES,), generator=generator).double()
    exponent = torch.linspace(-6, 6, HALFWAY_VALUES, dtype=torch.float64).round()
    unit = torch.exp2(exponent) * eps
    whole = torch.exp2(exponent) + fraction * unit
    whole[::2] *= -1
    steps = torch.tensor([0, 2.0**-8, -(2.0**-8), 2.0**-30, -(2.0**-30)], dtype=torch.float64)
    little = unit * steps.repeat(HALFWAY_VALUES // len(steps))
    narrowing = bool(dtypes) and torch.finfo(dtypes[0]).eps < eps
    first = whole + unit / 2 + little if narrowing else whole
    columns = [first, unit / 2, torch.ones_like(unit)]
    return tuple(columns[min(k, 2)].to(dtype) for k, dtype in enumerate(dtypes))


def halfway_everywhere(
    dtypes: Sequence[torch.dtype], output: torch.dtype
) -> tuple[torch.Tensor, ...]:
    """Make inputs like `halfway_values`, at every exponent of the output from end to end.

    For each exponent, subnormal ones included, 20 numbers: four fractions at each of the five
    steps around a tie. Empty if a dtype, or the output's, is not floating-point.
    """
    if not output.is_floating_point or not all(dtype.is_floating_point for dtype in dtypes):
        return ()
    info = torch.finfo(output)
    lowest = round(math.log2(info.smallest_normal))
    highest = math.frexp(info.max)[1] - 1
    digits = round(-math.log2(info.eps))
    exponent = torch.arange(lowest - digits, highest + 1).double().repeat_interleave(20)
    unit = torch.exp2(exponent.clamp(min=lowest) - digits)
    generator = torch.Generator().manual_seed(8)
    fraction = torch.randint(0, 1 << digits, exponent.shape, generator=generator).double()
    whole = (torch.exp2(exponent) / unit).floor() * unit
    whole += (fraction * torch.exp2(exponent - digits) / unit).floor() * unit
    whole[::2] *= -1
    steps = torch.tensor([0, 2.0**-8, -(2.0**-8), 2.0**-30, -(2.0**-30)], dtype=torch.float64)
    narrowing = bool(dtypes) and torch.finfo(dtypes[0]).eps < info.eps
    first = whole + unit / 2 + unit * steps.repeat(len(unit) // 5) if narrowing else whole
    columns = [first, unit / 2, torch.ones_like(unit)]
    return tuple(columns[min(k, 2)].to(dtype) for k, dtype in enumerate(dtypes))


def halfway_integers(
    dtypes: Sequence[torch.dtype], output: torch.dtype
) -> tuple[torch.Tensor, ...]:
    """Make integers that lie halfway between two floats of the output, or 1 beside: [n].

    At every power of two that the input holds and the output cannot hold exactly: up to 2^53
    for float64, which has no wider type to be compared in. Empty unless there is one input, of
    integers, and the output is floating-point.
    """
    if len(dtypes) != 1 or dtypes[0].is_floating_point or not output.is_floating_point:
        return ()
    if dtypes[0] is torch.bool:
        return ()
    info, digits = torch.iinfo(dtypes[0]), round(-math.log2(torch.finfo(output).eps))
    held = 53 if output.itemsize == 8 else 63
    highest = min(info.max.bit_length(), math.frexp(torch.finfo(output).max)[1], held)
    generator = torch.Generator().manual_seed(10)
    parts = []
    for exponent in range(digits + 1, highest):
        fraction = torch.randint(0, 1 << digits, (8, 1), generator=generator)
        whole = (1 << exponent) + (fraction << (exponent - digits))
        half = 1 << (exponent - digits - 1)
        parts.append((whole + half + torch.tensor([-1, 0, 1])).reshape(-1))
    if not parts:
        return ()
    numbers = torch.cat(parts)
    if info.min < 0:
        numbers[1::2] *= -1
    return (numbers.to(dtypes[0]),)


def integers_of_every_size(
    dtypes: Sequence[torch.dtype], output: torch.dtype
) -> tuple[torch.Tensor, ...]:
    """Draw 16 integers between each two powers of two, of both signs: for each dtype [n].

    Of random bits nearly all have as many digits as there are, and a cast to a narrower type
    saturates them. Up to 2^51, so that float64 holds a sum of two; each further input is turned
    by an exponent. Empty unless all are integers, and an input is wider than the output.
    """
    whole = [not d.is_floating_point and d is not torch.bool for d in (*dtypes, output)]
    if not dtypes or not all(whole) or max(d.itemsize for d in dtypes) <= output.itemsize:
        return ()
    generator = torch.Generator().manual_seed(12)
    columns = []
    for k, dtype in enumerate(dtypes):
        highest = min(torch.iinfo(dtype).max.bit_length(), 51)
        low = torch.exp2(torch.arange(51).double() % highest).long().roll(k)
        parts = torch.rand(51, 16, generator=generator, dtype=torch.float64)
        numbers = (low[:, None] + (parts * low[:, None]).long()).reshape(-1)
        if torch.iinfo(dtype).min < 0:
            numbers[1::2] *= -1
        columns.append(numbers.to(dtype))
    return tuple(columns)


def fractions(dtypes: Sequence[torch.dtype], output: torch.dtype) -> tuple[torch.Tensor, ...]:
    """Make the multiples of 2^-8 from -16 to 16, of which some are ties when scaled: [8193].

    As far as the dtype holds them, and in no order. All further inputs are 1. Empty unless the
    first input is floating-point and the output is an integer.
    """
    if not dtypes or not dtypes[0].is_floating_point or output.is_floating_point:
        return ()
    order = torch.randperm((1 << 13) + 1, generator=torch.Generator().manual_seed(11))
    first = (order - (1 << 12)) / 256
    return tuple((first if k == 0 else first**0).to(dtype) for k, dtype in enumerate(dtypes))


def nan_payloads(dtype: torch.dtype) -> torch.Tensor:
    """List NaNs that differ in their bits, quiet and signalling, of both signs: [8]."""
    info = torch.finfo(dtype)
    digits = round(-math.log2(info.eps))
    width = 8 * dtype.itemsize
    infinity = (1 << (width - 1)) - (1 << digits)
    payloads = [1, 1 << (digits - 1), (1 << digits) - 1, (1 << (digits - 1)) + 5]
    patterns = [infinity + payload for payload in payloads]
    patterns += [pattern - (1 << (width - 1)) for pattern in patterns]  # the sign bit
    return torch.tensor(patterns, dtype=torch.int64).to(BITS[dtype.itemsize]).view(dtype)


def nans_and_zeros(dtypes: Sequence[torch.dtype]) -> tuple[torch.Tensor, ...]:
    """Combine NaNs of every kind in one input with zeros and ones in the others.

    For each dtype a tensor [32 * number of inputs]. Empty if no dtype is floating-point.
    """
    if not any(dtype.is_floating_point for dtype in dtypes):
        return ()
    others = torch.tensor([0.0, -0.0, 1.0, -1.0]).repeat_interleave(8)
    columns = []
    for k, dtype in enumerate(dtypes):
        parts = [others.to(dtype)] * len(dtypes)
        if dtype.is_floating_point:
            parts[k] = nan_payloads(dtype).repeat(4)
        columns.append(torch.cat(parts))
    return tuple(columns)


def random_bits(n: int, dtype: torch.dtype, generator: torch.Generator) -> torch.Tensor:
    """Draw n random patterns of bits: floats of every exponent, integers over their range.

    Integers of 64 bits stay within 51, so that float64 holds a sum of two exactly.
    """
    if dtype is torch.bool:
        return torch.randint(0, 2, (n,), generator=generator).bool()
    low, high = -(1 << 63), (1 << 63) - 1
    if not dtype.is_floating_point and dtype.itemsize == 8:
        low, high = -(1 << 51), 1 << 51
    patterns = torch.randint(low, high, (n,), generator=generator)
    return patterns.to(BITS[dtype.itemsize]).view(dtype)


def bit_patterns(
    dtypes: Sequence[torch.dtype],
    outputs: Sequence[torch.dtype],
    reference: Callable[..., torch.Tensor],
    tolerant: bool,
) -> tuple[torch.Tensor, ...]:
    """Make inputs of random bits on which the result is defined: for each dtype [4099].

    One input of 16 bits has every pattern instead, in order.

    Where it is not, ones take their place: a float outside of an integer output's range, an
    integer that float64 does not hold. With `tolerant` also where the result is subnormal or
    overflows, as a formula that is right to a few units may round there at any step. Every
    tenth number is an ordinary one. Empty if there are no inputs.
    """
    if len(dtypes) == 1 and dtypes[0].itemsize == 2:
        every = torch.arange(1 << 16).to(torch.int16).view(dtypes[0])
        return defined([every], outputs, reference, tolerant)
    generator = torch.Generator().manual_seed(9)
    columns = [random_bits(BIT_PATTERNS, dtype, generator) for dtype in dtypes]
    for column, dtype in zip(columns, dtypes, strict=True):
        column[::10] = normal_numbers(BIT_PATTERNS, dtype, generator)[::10]
    return defined(columns, outputs, reference, tolerant)


def defined(
    columns: Sequence[torch.Tensor],
    outputs: Sequence[torch.dtype],
    reference: Callable[..., torch.Tensor],
    tolerant: bool = False,
) -> tuple[torch.Tensor, ...]:
    """Put ones in the place of inputs [n] on which the result is not defined.

    A float outside of an integer output's range, say, or NaN there.
    """
    if not columns:
        return ()
    exact = reference(*[x.double() for x in columns])
    exact = exact if isinstance(exact, tuple) else (exact,)
    unclear = torch.zeros(len(columns[0]), dtype=torch.bool)
    floats = any(x.dtype.is_floating_point for x in columns)
    for result, dtype in zip(exact, outputs, strict=False):
        unclear |= _unclear(result.reshape(-1), dtype, floats, tolerant)
    columns = [x.clone() for x in columns]
    for column in columns:
        bits(column)[unclear] = bits(torch.ones(1, dtype=column.dtype))
    return tuple(columns)


def _unclear(
    exact: torch.Tensor, dtype: torch.dtype, floats: bool, tolerant: bool
) -> torch.Tensor:
    """Find the results that are not defined well enough to be compared: bool [n]."""
    if dtype is torch.bool:
        return exact.isnan()
    if not dtype.is_floating_point:
        info = torch.iinfo(dtype)
        inside = (exact >= info.min) & (exact <= info.max) if floats else exact.abs() < EXACT
        return ~inside
    info = torch.finfo(dtype)
    large = exact.abs() > info.max / 2
    return (large | ((exact.abs() < info.smallest_normal) & (exact != 0))) & tolerant
