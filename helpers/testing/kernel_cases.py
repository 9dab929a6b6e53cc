"""Choose inputs for the kernels that are not elementwise: from a launcher to its cases.

    check.check(jit.load("sums"), cases=kernel_cases.sums)

Two kinds of numbers, because float32 rounds and a check must not be soft:

* small whole numbers: every sum and product of them here is exact in float32 in any order, so
  a single wrong, missing or doubled element shows, and no tolerance is needed;
* random numbers in [0.5, 1.5): any order of n positive summands makes at most n - 1 additions.
  Each rounds by at most half a unit in the last place of a partial sum, and no partial sum
  exceeds the total. So n / 2 units are allowed (n where each summand is a rounded product).

Most sizes are not a multiple of a warp or a block. References are computed in float64.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

import torch

from helpers.model import warps
from helpers.model.pointer_chase import random_cycle
from helpers.run.launcher import Launcher
from helpers.specs import WARP_SIZE
from helpers.testing import matrices, whole
from helpers.testing.cases import Case, Untried
from helpers.testing.past_2_31 import Huge
from helpers.testing.values import special_values

SIZES = (1, 2, 3, 5, 31, 32, 33, 127, 255, 257, 1000, 4099)
BLOCK_SIZES = (32, 96, 100, 256, 1024)
BLOCKS = ((1,), (32,), (100,), (256,), (16, 16), (5, 7), (1, 33), (33, 31))
BLOCKS += ((8, 4, 3), (3, 5, 11), (1, 1, 64))
SHAPES = ((1, 1, 1), (3, 5, 7), (33, 17, 40), (130, 1, 9), (1, 131, 33), (70, 150, 20))
SHAPES += (
    (129, 35, 65),
    (17, 19, 1030),
    (3, 2, 4100),
    (20_011, 2, 3),
    (2, 20_011, 3),
)  # m, n, k
ROWS = ((1, 1), (1, 4), (3, 4), (257, 12), (40, 5), (10, 6), (9, 64), (1000, 3), (65, 67))
CHAINS = ((1, 1, 5), (50, 1, 50), (50, 32, 33), (100, 3, 1000), (7, 1, 0), (33, 1, 17))


def whole_numbers(*shape: int, seed: int, limit: int = 50) -> torch.Tensor:
    """Draw whole numbers from -limit to limit, as float32."""
    return torch.randint(
        -limit, limit + 1, shape, generator=torch.Generator().manual_seed(seed)
    ).float()


def positive_numbers(*shape: int, seed: int) -> torch.Tensor:
    """Draw float32 numbers in [0.5, 1.5)."""
    return torch.rand(shape, generator=torch.Generator().manual_seed(seed)) + 0.5


def _takes(launcher: Launcher, argument: str) -> bool:
    return any(parameter.name == argument for parameter in launcher.declaration.arguments)


def _label(**sizes) -> str:
    return ", ".join(
        f"{name} = {value:,}" if isinstance(value, int) else str(value)
        for name, value in sizes.items()
    )


# ---- warp_ids and divergence -----------------------------------------------------------------


def warp_ids(launcher: Launcher) -> Iterator[Case]:
    """Assign lanes by the rule "x fastest, then y, then z", in one block and in several."""
    int32 = (torch.int32,) * 3
    for block in BLOCKS:
        layout = warps.thread_layout(block)
        lane = torch.from_numpy(layout.lane).ravel()
        leader = torch.from_numpy(layout.warp).ravel() * WARP_SIZE
        for n in (layout.threads, 3 * layout.threads + layout.threads // 2 + 1):
            copies = -(-n // layout.threads)
            lanes, leaders = (values.repeat(copies)[:n].double() for values in (lane, leader))
            arguments = dict(zip(("bx", "by", "bz"), layout.block, strict=True))
            label = f"block {' x '.join(map(str, block))}, {n:,} threads"
            # The hardware chooses the slot: any number is right.
            yield Case(
                label, (), (lanes, leaders, lanes), arguments, dtypes=int32, ignored=("slot",)
            )


def long_way(x: torch.Tensor, steps: int) -> torch.Tensor:
    """Compute x * 0.75 + 0.5 `steps` times, in the dtype of x."""
    for _ in range(steps):
        x = x * 0.75 + 0.5
    return x


def divergence(launcher: Launcher) -> Iterator[Case]:
    """Take the long way for x >= 0, the short one for x < 0; `all_long` the long one for all.

    Multiples of 256 stay exact for four steps. Otherwise a step rounds twice, each time by at
    most half a unit, and with no cancellation (x >= 0) a unit may come to count for two: 2 x
    steps units; but every step also shrinks the error by 0.75, so that for numbers of ordinary
    size no more than 8 units gather.
    """
    all_long = launcher.declaration.name == "all_long"

    def case(label: str, x: torch.Tensor, steps: int, ulp: float, **more: int) -> Case:
        exact = long_way(x.double(), steps)
        if not all_long:
            exact = torch.where(x >= 0, exact, x.double() + 1)
        return Case(
            f"{label}, steps = {steps}",
            (x,),
            (exact,),
            {"steps": steps, **more},
            ulp,
            dtypes=(x.dtype,),
        )

    for steps in (0, 1, 2, 3, 4):
        for n in SIZES:
            yield case(_label(n=n), 256 * whole_numbers(n, seed=n), steps, 0)
        yield case("special values", special_values(torch.float32), steps, 2 * steps)
    for steps in (0, 1, 2, 4, 5, 8, 16, 32, 37, 64, 100, 128, 256):
        for n in (33, 1000, 4099):
            x = torch.randn(n, generator=torch.Generator().manual_seed(n))
            yield case(_label(n=n), x.abs() if all_long else x, steps, min(2 * steps, 8))
    for block_size in BLOCK_SIZES:
        x = 256 * whole_numbers(1001, seed=block_size)
        yield case(_label(n=1001, block_size=block_size), x, 2, 0, block_size=block_size)


def swap(launcher: Launcher) -> Iterator[Case]:
    """Swap threads 2k and 2k + 1 of each block.

    No cases for an unsynced swap: it may be right, by luck.
    """
    if "unsynced" in launcher.declaration.name:
        return
    for block_size in (256, *BLOCK_SIZES, 33):
        for n in SIZES:
            x = torch.randn(n, generator=torch.Generator().manual_seed(n))
            i = torch.arange(n)
            partner = i + 1 - 2 * (i % block_size % 2)
            has_one = (partner < n) & (partner // block_size == i // block_size)
            swapped = x[torch.where(has_one, partner, i)].double()
            label = _label(n=n, block_size=block_size)
            yield Case(label, (x,), (swapped,), {"block_size": block_size}, dtypes=(x.dtype,))


# ---- sums ------------------------------------------------------------------------------------


def _whole_warps(block_size: int) -> int:
    return -(-block_size // WARP_SIZE) * WARP_SIZE


def by_share(x: torch.Tensor, share: torch.Tensor, count: int) -> torch.Tensor:
    """Add the elements of x [n] whose `share` [n] is 0, 1, ..., count - 1: float64 [count]."""
    return torch.zeros(count, dtype=torch.float64).index_add_(0, share, x.double())


def partial_sums(launcher: str, x: torch.Tensor, count: int, block_size: int) -> torch.Tensor:
    """Compute the `count` partial sums of a launcher of kernels/sums.cu: float64 [count].

    Thread t of all T threads takes x[t], x[t + T], ...; the two passes take packs of four
    elements so, and the at most three elements that are left go to the first threads.
    """
    i = torch.arange(x.numel())
    if launcher in ("sum_one_thread", "sum_tree"):
        group = block_size
    else:
        group = WARP_SIZE if launcher == "sum_shuffle" else _whole_warps(block_size)
    if launcher == "sum_two_pass":
        packs = x.numel() // 4
        i = torch.where(i < 4 * packs, i // 4, i - 4 * packs)
    return by_share(x, i % (count * group) // group, count)


def sums(launcher: Launcher) -> Iterator[Case]:
    """Try launchers of kernels/sums.cu, and other sums: partial sums, a total, or both."""
    name = launcher.declaration.name
    outputs = [p for p in launcher.declaration.tensors if p.role == "output"]

    def case(label: str, x: torch.Tensor, ulp: float, count: int, **more: int) -> Case:
        block_size = more.get("block_size", 256)
        exact = tuple(
            x.double().sum().reshape(1)
            if p.shape == ("1",)
            else partial_sums(name, x, count, block_size)
            for p in outputs
        )
        if _takes(launcher, "blocks"):
            more["blocks"] = count
        total = torch.sum if [p.shape for p in outputs] == [("1",)] else None
        dtypes = (x.dtype,) * len(outputs)
        return Case(label, (x,), exact, more, ulp, dtypes=dtypes, function=total)

    for n in (*SIZES, 50_001):
        for count in (1, 3, 40):
            yield case(_label(n=n, count=count), whole_numbers(n, seed=n), 0, count)
    for n in whole.SIZES:
        yield replace(case(_label(n=n), whole_numbers(n, seed=n), 0, n % 5 + 1), quick=True)
    for n in (3, 33, 1000, 4099):
        yield case(
            _label(n=n, numbers="positive fractions"), positive_numbers(n, seed=n), n / 2, 3
        )
    for block_size in BLOCK_SIZES if _takes(launcher, "block_size") else ():
        x = whole_numbers(3001, seed=block_size)
        yield case(_label(n=3001, block_size=block_size), x, 0, 5, block_size=block_size)
    for special in (float("inf"), float("nan")):
        x = whole_numbers(517, seed=1)
        x[515] = special
        yield case(f"n = 517, one {special}", x, 0, 1)
    if all(p.shape == ("1",) for p in outputs):
        blocks = {"blocks": 64} if _takes(launcher, "blocks") else {}
        yield from whole.large(torch.sum, **blocks)


def whole_array(
    function: Callable[[torch.Tensor], torch.Tensor],
) -> Callable[[Launcher], Iterator[Case | Huge | Untried]]:
    """Return the cases of a launcher (x [n] -> out [1]) that computes `function(x)`.

    `function` must be exact on whole numbers. Raises TypeError if it is not a function.
    """
    if not callable(function):
        raise TypeError(f"function is {function!r}, not a function of x [n], such as torch.max")

    def some(launcher: Launcher) -> Iterator[Case | Huge | Untried]:
        for n in (*SIZES, 50_001):
            for seed in range(2):
                x = whole_numbers(n, seed=n + seed, limit=9)
                yield Case(
                    _label(n=n, seed=seed),
                    (x,),
                    (function(x.double()).reshape(1),),
                    dtypes=(x.dtype,),
                    function=function,
                )
        yield from whole.cases(function)
        yield from whole.large(function)
        if whole.selects(function):
            yield from whole.of_a_nan(launcher, function)

    return some


# ---- promises, matmul, bank_conflicts --------------------------------------------------------


def promises(launcher: Launcher) -> Iterator[Case]:
    """Add the rows of matrices, of lengths that are a multiple of 4 and of others."""

    def case(label: str, x: torch.Tensor, ulp: float, **more: int) -> Case:
        return Case(label, (x,), (x.double().sum(dim=1),), more, ulp, dtypes=(x.dtype,))

    for m, n in ROWS:
        yield case(_label(m=m, n=n), whole_numbers(m, n, seed=m), 0)
        yield case(
            _label(m=m, n=n, numbers="positive fractions"),
            positive_numbers(m, n, seed=m),
            n / 2,
        )
    for block_size in BLOCK_SIZES:
        x = whole_numbers(130, 8, seed=block_size)
        yield case(_label(m=130, n=8, block_size=block_size), x, 0, block_size=block_size)


def matmul(launcher: Launcher) -> Iterator[Case]:
    """Multiply matrices of odd sides; a NaN reaches its own row or column only."""

    def case(label: str, a: torch.Tensor, b: torch.Tensor, ulp: float, **more: int) -> Case:
        a, b = a.clone(), b.clone()  # the next case changes them
        exact = (a.double() @ b.double(),)
        dtypes = (a.dtype,)
        return Case(label, (a, b), exact, more, ulp, dtypes=dtypes, function=torch.matmul)

    for padding in (0, 1) if _takes(launcher, "padding") else (None,):
        more = {} if padding is None else {"padding": padding}
        for m, n, k in SHAPES:
            label = _label(m=m, n=n, k=k, **more)
            yield case(
                label, whole_numbers(m, k, seed=1), whole_numbers(k, n, seed=2), 0, **more
            )
        a, b = positive_numbers(33, 40, seed=3), positive_numbers(40, 37, seed=4)
        yield case("positive fractions", a, b, 40, **more)
        a, b = whole_numbers(35, 34, seed=5), whole_numbers(34, 37, seed=6)
        a[33, 33] = float("nan")
        yield case("a NaN in A", a, b, 0, **more)
        a[33, 33], b[32, 36] = 1, float("nan")
        yield case("a NaN in B", a, b, 0, **more)
        a[7], a[8, :5] = 0, float("inf")
        yield case("zeros against a NaN", a, b, 0, **more)
        yield from matrices.huge_products(more)


def bank_conflicts(launcher: Launcher) -> Iterator[Case]:
    """Transpose with and without padding, or walk as `strided_walk` does. All is exact."""
    if launcher.declaration.name == "strided_walk":
        for stride in (0, 1, 2, 7, 31, 32):
            for n, rounds, block_size in (
                (1, 0, 256),
                (70, 45, 64),
                (1000, 1100, 256),
                (999, 3, 96),
            ):
                end = (torch.arange(n) % block_size % WARP_SIZE * stride + rounds) % 1024
                arguments = {"stride": stride, "rounds": rounds, "block_size": block_size}
                label = _label(n=n, **arguments)
                yield Case(label, (), (end.double(),), arguments, dtypes=(torch.int32,))
        return
    for padding in (0, 1) if _takes(launcher, "padding") else (None,):
        more = {} if padding is None else {"padding": padding}
        for rows, cols in ((1, 1), (32, 32), (33, 31), (1, 100), (100, 1), (65, 97), (7, 130)):
            x = torch.randn(rows, cols, generator=torch.Generator().manual_seed(rows))
            yield _transposed(_label(rows=rows, cols=cols, **more), x, more)
        thin = [(1, 70_003), (70_003, 1), (3, 5003), (5003, 3), (515, 129)]
        if padding is None:  # once is enough
            thin += [(1, matrices.MANY_TILES), (matrices.MANY_TILES, 1)]
        for rows, cols in thin:
            x = torch.randn(rows, cols, generator=torch.Generator().manual_seed(rows))
            label = _label(rows=rows, cols=cols, **more)
            end = matrices.END if x.numel() == matrices.MANY_TILES else 0
            yield replace(_transposed(label, x, more), quick=True, end=end)
        x = special_values(torch.float32).repeat(7).reshape(9, 14)
        yield _transposed(_label(rows=9, cols=14, numbers="special values", **more), x, more)
        yield from matrices.huge_transposes(more)


def _transposed(label: str, x: torch.Tensor, more: dict[str, int]) -> Case:
    return Case(label, (x,), (x.T.double().contiguous(),), more, dtypes=(x.dtype,))


transpose = bank_conflicts
softmax = matrices.softmax
layer_norm = matrices.layer_norm


# ---- latency_hiding and pointer_chase --------------------------------------------------------


def latency_hiding(launcher: Launcher) -> Iterator[Case]:
    """Read every element once, with any number of loads in flight and bytes per load."""
    for unroll in (1, 2, 4, 8):
        for load_bytes in (4, 16):
            width = load_bytes // 4
            for n in (*SIZES, 20_003):
                for threads, more in (
                    (300, {"block_size": 64}),
                    (1, {}),
                    (77, {"shared_bytes": 1024}),
                ):
                    x, i = whole_numbers(n, seed=n), torch.arange(n)
                    packs = n // width
                    share = (
                        torch.where(i < width * packs, i // width, i - width * packs) % threads
                    )
                    arguments = {"unroll": unroll, "load_bytes": load_bytes, **more}
                    label = _label(n=n, threads=threads, **arguments)
                    yield Case(
                        label,
                        (x,),
                        (by_share(x, share, threads),),
                        arguments,
                        dtypes=(x.dtype,),
                    )


def pointer_chase(launcher: Launcher) -> Iterator[Case]:
    """End where the chain leads; the cycles may be any number."""
    for count, stride, steps in CHAINS:
        following = random_cycle(count, stride, seed=count)
        at = 0
        for _ in range(steps):
            at = int(following[at])
        end = torch.tensor([at], dtype=torch.float64)
        label = _label(count=count, stride=stride, steps=steps)
        outputs = (torch.int32, torch.int64)
        links = torch.from_numpy(following)
        yield Case(
            label, (links,), (end, end), {"steps": steps}, dtypes=outputs, ignored=("cycles",)
        )
