"""Choose inputs for kernels on matrices: normalised rows, and more than 2^31 elements."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import replace

import torch

from helpers.run.launcher import Launcher
from helpers.testing.cases import Case
from helpers.testing.past_2_31 import Huge, Layout

ROWS = ((1, 1), (1, 2), (2, 3), (3, 7), (5, 31), (4, 32), (7, 33), (9, 100), (6, 127), (5, 128))
ROWS += ((3, 129), (130, 5), (33, 257), (4, 1000), (3, 1025), (2, 4099))  # m, n
SHAPES = ((1, 1), (1, 5), (5, 1), (3, 4), (15, 17), (16, 16), (17, 15), (31, 33), (64, 48))
SHAPES += ((1, 1000), (1000, 1), (65, 257))  # rows, columns
LONG = (1 << 30) + 7  # the long side of a thin matrix
THIN = 3
MANY_ROWS = (1 << 16) + 65  # more than 16 bits hold
END = 256  # elements: of 64 rows of 4, or of 8 tiles
MANY_TILES = (1 << 21) + 1  # the length of more than 2^16 tiles of 32
SIDE = 46_411  # of a square matrix of just more than 2^31 elements
DEPTH = 33  # of a product whose sides are long
ROW_COUNT = (1 << 26) + 3  # 33 times as many are more than 2^31
_LAST_COLUMNS = (slice(None), slice(-16, None))
EPSILON = 1e-5  # of layer norm
BLOCK_SIZES = (32, 96, 1024)  # one is no power of two


def moved(function: Callable[[torch.Tensor], torch.Tensor]) -> Callable[..., Iterator[Case]]:
    """Return the cases of a launcher x [rows, columns] -> out that moves elements as told.

    function: from a matrix to the output, exact in every dtype, such as `lambda x: x.T`.
    """

    def cases(launcher: Launcher) -> Iterator[Case]:
        for rows, columns in SHAPES:
            x = torch.randn(rows, columns, generator=torch.Generator().manual_seed(rows))
            label = f"rows = {rows:,}, columns = {columns:,}"
            right = function(x.double()).contiguous()
            yield Case(label, (x,), (right,), dtypes=(x.dtype,))

    return cases


def block_sizes(launcher: Launcher) -> tuple[int, ...]:
    """Return the block sizes to try, if the launcher takes one."""
    takes = any(p.name == "block_size" for p in launcher.declaration.arguments)
    return BLOCK_SIZES if takes else ()


def softmax(launcher: Launcher) -> Iterator[Case]:
    """Try x [m, n] -> out [m, n], exp(x) divided by its sum in each row.

    An exponential may be off by 4 units and by half a unit for each unit of its argument's
    distance from the maximum (float32 rounds that difference), a sum of n by n / 2 units.
    """

    def case(label: str, x: torch.Tensor, ulp: float) -> Case:
        return Case(
            label,
            (x,),
            (x.double().softmax(dim=1),),
            ulp=ulp + x.shape[1] / 2,
            dtypes=(x.dtype,),
        )

    for m, n in ROWS:
        generator = torch.Generator().manual_seed(m + n)
        x = 2 * torch.randn(m, n, generator=generator)
        yield case(f"m = {m:,}, n = {n:,}", x, 24)
        if m < 1000:
            yield case(f"m = {m:,}, n = {n:,}, numbers above 900", x + 1000, 64)
            yield case(f"m = {m:,}, n = {n:,}, numbers below -900", x - 1000, 64)
    for place in range(0, 1000, 32):
        x = torch.zeros(2, 1000)
        x[1, place] = 8.0
        yield case(f"m = 2, n = 1,000, 8 at index {place} of row 1", x, 24)
    for block_size in block_sizes(launcher):
        x = 2 * torch.randn(5, 257, generator=torch.Generator().manual_seed(block_size))
        sized = case(f"m = 5, n = 257, block_size = {block_size}", x, 24)
        yield replace(sized, arguments={"block_size": block_size})
    x = torch.randn(MANY_ROWS, 4, generator=torch.Generator().manual_seed(65))
    yield replace(case(f"m = {MANY_ROWS:,}, n = 4", x, 24), quick=True, end=END)
    yield from huge_rows(lambda x: x.softmax(dim=1), 64)


def softmax_f16(launcher: Launcher) -> Iterator[Case]:
    """Try kernels/softmax.cu: float16, every width of loads, rows in registers and longer."""
    for m, n in (*((5, 8 * k) for k in (1, 31, 33, 128)), (3, 1025), (2, 1032), (3, 31)):
        for width in (1, 2, 4, 8):
            x = 3 * torch.randn(m, n, generator=torch.Generator().manual_seed(n))
            x[m - 1] -= 900  # its powers are 0 unless the maximum is taken off
            x = x.half()
            yield Case(
                f"m = {m:,}, n = {n:,}, width = {width}",
                (x,),
                (x.double().softmax(dim=1),),
                {"width": width},
                ulp=1,
                dtypes=(x.dtype,),
            )


def layer_norm(launcher: Launcher) -> Iterator[Case]:
    """Try x [m, n] -> out [m, n]: each row less its mean, divided by its standard deviation.

    The standard deviation is sqrt(variance + 1e-5), the variance without Bessel's correction.
    Means are whole numbers, and no element lies nearer to them than 1, so that 64 units cover
    the roundings of every common formula. A mean that is updated with each element (Welford)
    rounds n times, which moves all elements of a row: `within`. The mean of the squares less
    the square of the mean is off by far more in rows whose mean is large. Gamma and beta are
    not among the inputs.
    """

    def case(label: str, x: torch.Tensor) -> Case:
        right, within = _norm(x.double()), (_moved_mean(x.double()),)
        return Case(label, (x,), (right,), ulp=64, dtypes=(x.dtype,), within=within)

    for m, n in ((m, n) for m, n in ROWS if n > 1):
        generator = torch.Generator().manual_seed(m + n)
        half = torch.randint(1, 20, (m, n // 2), generator=generator).float()
        x = torch.cat([half, -half], dim=1)[
            :, torch.randperm(2 * (n // 2), generator=generator)
        ]
        mean = torch.randint(-3, 4, (m, 1), generator=generator).float()
        x = _odd(x, half) if n % 2 else x
        yield case(f"m = {m:,}, n = {n:,}", x + mean)
        yield case(f"m = {m:,}, n = {n:,}, a mean of 1000", x + 1000)
        if 30 < n < 300:
            yield case(f"m = {m:,}, n = {n:,}, a mean of 30,000", x + 30_000)
    yield case("m = 3, n = 64, all numbers small", _small())
    yield case("m = 3, n = 64, all numbers equal", torch.full((3, 64), 5.0))
    half = torch.randint(1, 20, (5, 128), generator=torch.Generator().manual_seed(96)).float()
    for block_size in block_sizes(launcher):
        sized = case(f"m = 5, n = 256, block_size = {block_size}", torch.cat([half, -half], 1))
        yield replace(sized, arguments={"block_size": block_size})
    half = torch.randint(1, 20, (MANY_ROWS, 2), generator=torch.Generator().manual_seed(65))
    x = torch.cat([half, -half], dim=1).float()
    yield replace(case(f"m = {MANY_ROWS:,}, n = 4", x), quick=True, end=END)
    yield from huge_rows(_norm, 64)


def _norm(x: torch.Tensor) -> torch.Tensor:
    return torch.nn.functional.layer_norm(x, x.shape[1:], eps=EPSILON)


def _moved_mean(x: torch.Tensor) -> torch.Tensor:
    """Return how far a mean that rounds n times may move the elements of x [m, n].

    Each rounding moves it by at most half a unit of float32, in a random direction: sqrt(n)
    units in all, and twice that to be sure. Divided by the standard deviation.
    """
    deviation = (x.var(dim=1, unbiased=False, keepdim=True) + EPSILON).sqrt()
    unit = torch.finfo(torch.float32).eps * x.mean(dim=1, keepdim=True).abs()
    return (math.sqrt(x.shape[1]) * unit / deviation).expand(x.shape)


def _odd(x: torch.Tensor, half: torch.Tensor) -> torch.Tensor:
    """Add a column to rows whose mean is 0, and keep it so."""
    first = half[:, :1]
    others = x.shape[1] - 2
    rest = torch.ones(len(x), others).cumsum(dim=1)
    rest = torch.where(rest % 2 == 0, -4.0, 4.0) if others else rest
    return torch.cat([2 * first, -first, -first, rest], dim=1)


def _small() -> torch.Tensor:
    """Return rows whose variance is as small as epsilon: 2^-8 and -2^-8."""
    signs = torch.where(torch.arange(64) % 2 == 0, 1.0, -1.0)
    return (signs * 2.0**-8).repeat(3, 1)


def huge_transposes(arguments: dict[str, int]) -> Iterator[Huge]:
    """Yield x [rows, cols] -> out [cols, rows] of more than 2^31 elements: thin, and square."""

    def tall(n: int, end: int) -> Layout:
        x = _ends(end, THIN)
        inputs = (((n, THIN), slice(-end, None), x),)
        return Layout(inputs, (((THIN, n), x[:, -1].double()),))

    def wide(n: int, end: int) -> Layout:
        x = _ends(THIN, end)
        inputs = (((THIN, n), (slice(None), slice(-end, None)), x),)
        return Layout(inputs, (((n, THIN), x.T.reshape(-1).double()),))

    def square(n: int, end: int) -> Layout:
        x = _ends(end)
        inputs = (((n, n), (slice(-end, None), -1), x),)
        return Layout(inputs, (((n, n), x.double()),))

    yield Huge(f"rows = {LONG:,}, cols = {THIN}", tall, LONG, LONG // 512, arguments)
    yield Huge(f"rows = {THIN}, cols = {LONG:,}", wide, LONG, LONG // 512, arguments)
    yield Huge(f"rows = cols = {SIDE:,}", square, SIDE, SIDE // 2, arguments)


def huge_products(arguments: dict[str, int]) -> Iterator[Huge]:
    """Yield a [m, k] @ b [k, n] where a, b or c has more than 2^31 elements."""

    def tall(m: int, end: int) -> Layout:
        a, b = _ends(16, DEPTH), _ends(DEPTH, 1)
        inputs = (((m, DEPTH), slice(-16, None), a), ((DEPTH, 1), slice(None), b))
        return Layout(inputs, (((m, 1), (a.double() @ b.double()).reshape(-1)),))

    def wide(n: int, end: int) -> Layout:
        a, b = _ends(1, DEPTH), _ends(DEPTH, 16)
        inputs = (((1, DEPTH), slice(None), a), ((DEPTH, n), _LAST_COLUMNS, b))
        return Layout(inputs, (((1, n), (a.double() @ b.double()).reshape(-1)),))

    def square(n: int, end: int) -> Layout:
        a, b = _ends(1, 1), _ends(1, 16)
        inputs = (((n, 1), slice(-1, None), a), ((1, n), _LAST_COLUMNS, b))
        return Layout(inputs, (((n, n), (a.double() @ b.double()).reshape(-1)),))

    yield Huge(
        f"m = {ROW_COUNT:,}, n = 1, k = {DEPTH}", tall, ROW_COUNT, ROW_COUNT // 64, arguments
    )
    yield Huge(
        f"m = 1, n = {ROW_COUNT:,}, k = {DEPTH}", wide, ROW_COUNT, ROW_COUNT // 64, arguments
    )
    yield Huge(f"m = n = {SIDE:,}, k = 1", square, SIDE, SIDE // 2, arguments)


def huge_rows(function: Callable[[torch.Tensor], torch.Tensor], ulp: float) -> Iterator[Huge]:
    """Yield a matrix past 2^31 elements in rows of 65, each worked on by itself."""

    def build(m: int, end: int) -> Layout:
        x = _ends(16, 65)
        right = function(x.double()).reshape(-1)
        return Layout((((m, 65), slice(-16, None), x),), (((m, 65), right),))

    yield Huge(f"m = {LONG // 32:,}, n = 65", build, LONG // 32, LONG // 512, ulp=ulp)


def _ends(*shape: int) -> torch.Tensor:
    return torch.randint(-9, 10, shape, generator=torch.Generator().manual_seed(31)).float()
