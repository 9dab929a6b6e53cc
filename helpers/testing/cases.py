"""Choose inputs that break elementwise kernels: odd sizes, special values, ties, slices."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace

import torch

from helpers.run.launcher import Launcher
from helpers.testing.references import rounded

SIZES = (1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 32, 33, 63, 65, 127, 128, 129, 255, 256, 257)
SIZES += (511, 513, 1000, 1023, 1024, 1025, 2047, 2049, 4099, 65535, 65536, 65537, 100003)
BLOCK_SIZES = (32, 64, 96, 128, 192, 256, 512, 1024)
SEEDS = 3
HALFWAY_VALUES = 600  # a multiple of the five steps around a tie


@dataclass(frozen=True)
class Case:
    """One call to try: CPU inputs in the launcher's order and the exact outputs in float64.

    arguments: scalars of the call. ulp: allowed distance in units in the last place of the
    output's dtype. offset: elements between a 256-byte boundary and each tensor's start (0: the
    start is wherever the end meets a guard page). dtypes: of the outputs. ignored: names of
    outputs in which any value is right. reference: a function of the float64 inputs, only to
    explain what went wrong. before: inputs of a first call on the same tensors.
    """

    label: str
    inputs: tuple[torch.Tensor, ...]
    expected: tuple[torch.Tensor, ...]
    arguments: dict[str, int | float] = field(default_factory=dict)
    ulp: float = 0
    offset: int = 0
    dtypes: tuple[torch.dtype, ...] = ()
    ignored: tuple[str, ...] = ()
    reference: Callable[..., torch.Tensor] | None = None
    before: tuple[torch.Tensor, ...] = ()

    @functools.cached_property
    def wanted(self) -> tuple[torch.Tensor, ...]:
        """The exact outputs, flat and rounded once to their dtypes."""
        return tuple(
            rounded(x.reshape(-1), dtype)
            for x, dtype in zip(self.expected, self.dtypes, strict=True)
        )

    @property
    def size(self) -> int:
        """The number of elements of the largest output."""
        return max(x.numel() for x in self.expected)


def special_values(dtype: torch.dtype) -> torch.Tensor:
    """List signed zeros, subnormals, extremes, infinities and NaN: a tensor [18] of `dtype`."""
    info = torch.finfo(dtype)
    tiny, least = info.smallest_normal, info.smallest_normal * info.eps
    ordinary = [0.0, -0.0, 1.0, -1.0, 1 + info.eps, 0.5, 3.0]
    subnormal = [least, -least, tiny - least, least - tiny]
    extreme = [tiny, -tiny, info.max, -info.max, float("inf"), float("-inf"), float("nan")]
    return torch.tensor([*ordinary, *subnormal, *extreme], dtype=dtype)


def pairs_of_specials(dtypes: Sequence[torch.dtype]) -> tuple[torch.Tensor, ...]:
    """Combine every special value with every other: for each dtype a tensor [18 * 18].

    The first two form the Cartesian product; each further one is rotated against it. Empty
    if an input is not floating-point.
    """
    if not all(dtype.is_floating_point for dtype in dtypes):
        return ()
    values = [special_values(dtype) for dtype in dtypes]
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


def _random(n: int, dtype: torch.dtype, generator: torch.Generator) -> torch.Tensor:
    """Draw n normal numbers, or whole ones from -100 to 99 for an integer dtype."""
    if not dtype.is_floating_point:
        return torch.randint(-100, 100, (n,), generator=generator).to(dtype)
    return torch.randn(n, dtype=torch.float64, generator=generator).to(dtype)


@dataclass(frozen=True)
class _Maker:
    """Make the cases of one launcher from its dtypes, reference and tolerance."""

    dtypes: tuple[torch.dtype, ...]
    outputs: tuple[torch.dtype, ...]
    reference: Callable[..., torch.Tensor]
    ulp: float
    arguments: dict[str, int | float]

    def case(self, label: str, inputs: tuple[torch.Tensor, ...], **more: int) -> Case:
        exact = self.reference(*[x.double() for x in inputs])
        exact = exact if isinstance(exact, tuple) else (exact,)
        return Case(
            label,
            inputs,
            exact,
            {**self.arguments, **more},
            self.ulp,
            dtypes=self.outputs,
            reference=self.reference,
        )

    def inputs(self, n: int, seed: int) -> tuple[torch.Tensor, ...]:
        generator = torch.Generator().manual_seed(1000 * n + seed)
        return tuple(_random(n, dtype, generator) for dtype in self.dtypes)

    def random(self, n: int, seed: int, **more: int) -> Case:
        words = [f"n = {n:,}", f"seed {seed}", *(f"{k} = {value}" for k, value in more.items())]
        return self.case(", ".join(words), self.inputs(n, seed), **more)

    def shifted(self, n: int, seed: int, offset: int) -> Case:
        case = self.random(n, seed)
        label = f"{case.label}, starting {offset} elements into a buffer"
        return replace(case, label=label, offset=offset)

    def second_call(self, n: int) -> Case:
        label = f"n = {n:,}, a second call"
        return replace(self.random(n, 11), label=label, before=self.inputs(n, 12))


def elementwise_cases(
    launcher: Launcher,
    reference: Callable[..., torch.Tensor],
    ulp: float = 0,
    **arguments: int | float,
) -> Iterator[Case]:
    """Yield the cases of an operator that maps n elements to n elements.

    `reference` computes in float64 and returns a tensor or a tuple of them, one an output.
    """
    tensors = launcher.declaration.tensors
    dtypes = tuple(p.dtype for p in tensors if p.role == "input")
    outputs = tuple(p.dtype for p in tensors if p.role == "output")
    make = _Maker(dtypes, outputs, reference, ulp, arguments)

    yield make.random(0, 0)
    for n in SIZES:
        for seed in range(SEEDS if n < 5000 else 1):
            yield make.random(n, seed)
    if specials := pairs_of_specials(dtypes):
        yield make.case("special values (0, inf, NaN, subnormals)", specials)
    if outputs and (halfway := halfway_values(dtypes, outputs[0])):
        yield make.case("halfway between two numbers", halfway)
    yield make.second_call(1000)
    # The least start that the declared alignments allow, for every tensor.
    steps = [max(1, p.alignment // p.dtype.itemsize) for p in tensors]
    for n in (1, 7, 257, 4099):
        yield make.shifted(n, 5, offset=max(steps, default=1))
    if any(p.name == "block_size" for p in launcher.declaration.arguments):
        for block_size in BLOCK_SIZES:
            for n in (1, 1000, 70001):
                yield make.random(n, 7, block_size=block_size)
