"""Compute what is right: operators in float64, rounded once, and distances in ulps."""

from __future__ import annotations

from collections.abc import Callable

import torch

LARGEST_ULP = 1 << 20  # of float32 this is an eighth of a number
BITS = {1: torch.int8, 2: torch.int16, 4: torch.int32, 8: torch.int64}  # by bytes an element


def bits(x: torch.Tensor) -> torch.Tensor:
    """View the elements of `x` as integers of the same width."""
    return x.view(BITS[x.element_size()])


def same_bits(x: torch.Tensor, pattern: int) -> torch.Tensor:
    """Find the elements of `x` that consist of the bits of `pattern`: bool in its shape."""
    return bits(x) == torch.tensor(pattern, dtype=BITS[x.element_size()])


def multiply_add(a: torch.Tensor, b: torch.Tensor, c: torch.Tensor) -> torch.Tensor:
    """Compute a * b + c in float64, rounded to odd so that one further rounding is correct.

    The product of two narrower numbers is exact in float64, the sum is not. Rounding it twice,
    to float64 and then to float32, is the very mistake that the checker looks for. So the sum
    is rounded to odd: where it is inexact, its last bit is 1 (Boldo and Melquiond, "Emulation
    of FMA and correctly rounded sums", 2008).
    """
    product = a * b
    total = product + c
    rest = total - product
    error = (product - (total - rest)) + (c - rest)  # exact: Knuth's TwoSum
    odd = bits(total) & 1 == 1
    inexact = (error != 0) & error.isfinite() & ~odd
    direction = torch.where((error > 0) == (total > 0), 1, -1)  # away from zero or towards it
    return torch.where(inexact, (bits(total) + direction).view(torch.float64), total)


def to_odd(x: torch.Tensor) -> torch.Tensor:
    """Convert integers to float64, rounded to odd, as in `multiply_add`.

    Those of 64 bits do not all fit. One further rounding, to a narrower type, is then correct.
    """
    double = x.double()
    inexact = (double.abs() < 2.0**63) & (double.long() != x) & (bits(double) & 1 == 0)
    direction = torch.where((x > double.long()) == (x > 0), 1, -1)
    return torch.where(inexact, (bits(double) + direction).view(torch.float64), double)


REFERENCES: dict[str, Callable[..., torch.Tensor]] = {
    "add": lambda a, b: a + b,
    "subtract": lambda a, b: a - b,
    "multiply": lambda a, b: a * b,
    "multiply_add": multiply_add,
    "cast": lambda x: x,
}


def in_float64(reference: Callable) -> Callable:
    """Make a reference return float64, also where it compares, or rounds to an integer.

    What is no tensor is returned as it is.
    """

    def double(x: object) -> object:
        return x.double() if isinstance(x, torch.Tensor) else x

    def function(*inputs: torch.Tensor) -> object:
        exact = reference(*inputs)
        return tuple(map(double, exact)) if isinstance(exact, tuple) else double(exact)

    return function


def rounded(exact: torch.Tensor, dtype: torch.dtype) -> torch.Tensor:
    """Round the float64 `exact` to `dtype` once, to nearest even; integers wrap around.

    PyTorch converts float64 to float16 by way of float32, and so rounds twice. Here the step to
    float32 rounds to odd, as `multiply_add` does, so that the last step rounds correctly. What
    is too large for float8 becomes its largest number, as by CUDA's types.
    """
    if dtype.is_floating_point and dtype.itemsize == 1:
        exact = exact.double().clamp(-torch.finfo(dtype).max, torch.finfo(dtype).max)
    if dtype is torch.bool or (dtype.is_floating_point and dtype.itemsize > 2):
        return exact.to(dtype)
    if not dtype.is_floating_point:
        return exact.to(torch.int64).to(dtype)
    single = exact.float()
    even = bits(single) & 1 == 0
    inexact = (single.double() != exact) & single.isfinite() & even
    towards = torch.where(exact > single.double(), float("inf"), float("-inf"))
    return torch.where(inexact, torch.nextafter(single, towards.float()), single).to(dtype)


def _ordered(x: torch.Tensor) -> torch.Tensor:
    """Map floats to int64 in the order of their values: neighbours differ by one."""
    pattern = bits(x).long()
    lowest = torch.iinfo(BITS[x.element_size()]).min
    return torch.where(pattern < 0, lowest - pattern, pattern)


def difference(a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
    """Compute |a - b| of int64 tensors as float64: exact below 2^53, and without overflow."""
    about = (a.double() - b.double()).abs()
    return torch.where(about < 2.0**53, (a - b).abs().double(), about)


def largest_ulp(dtype: torch.dtype) -> float:
    """Return the largest tolerance that still tells something: an eighth of a number.

    In units in the last place: 2^20 for float32, 128 for float16, 16 for bfloat16; of integers
    an eighth of their range, up to 2^20.
    """
    if dtype is torch.bool:
        return 0.0
    if not dtype.is_floating_point:
        return min(2.0 ** (8 * dtype.itemsize - 3), float(LARGEST_ULP))
    return min(1 / torch.finfo(dtype).eps / 8, float(LARGEST_ULP))


def ulp_distance(got: torch.Tensor, expected: torch.Tensor) -> torch.Tensor:
    """Count the representable numbers between `got` and the float64 `expected`, as float64.

    Shape as `got`. 0 where both are NaN; infinite where one is NaN, where exactly one is
    infinite, or where the sign of zero differs. For integers: the absolute difference. Of two
    truth values that differ it is infinite, as it is of a byte that is neither 0 nor 1: no
    tolerance makes a wrong one right.
    """
    right = rounded(expected, got.dtype)
    if got.dtype is torch.bool:
        return torch.where(bits(got) == bits(right), 0.0, float("inf")).double()
    if not got.dtype.is_floating_point:
        return difference(got.long(), right.long())
    distance = difference(_ordered(got), _ordered(right))
    if got.element_size() == 1:  # for float8 PyTorch has no such questions
        got, right = got.float(), right.float()
    differs = got.isnan() != right.isnan()
    differs |= got.isinf() != right.isinf()
    differs |= (got == 0) & (right == 0) & (got.signbit() != right.signbit())
    distance[differs] = float("inf")
    distance[got.isnan() & right.isnan()] = 0
    return distance
