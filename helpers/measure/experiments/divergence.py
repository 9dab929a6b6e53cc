"""Measure divergence: the same data in three orders, and a branch against a select.

divergence            a branch over data in three orders
divergence by block   two of the orders, in blocks of one warp and of more
select crossover      a branch against both ways and a select
second store          what a warp's second store costs
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from functools import partial

import torch
from tqdm import tqdm

from helpers import specs
from helpers.measure import bench
from helpers.measure.experiments.registry import PRECISION, checked, experiment
from helpers.measure.measurement import Measurement
from helpers.model import arguments
from helpers.run import machine
from helpers.run.kernel import Kernel
from helpers.testing import kernel_cases

ORDERS = ("mixed", "sorted", "by warp")
SIZES = ((1 << 20, 100), (1 << 24, 100), (1 << 24, 1000))  # (elements, steps of the long way)
FRACTIONS = (0, 1 / 64, 1 / 32, 1 / 16, 1 / 8, 1 / 4, 1 / 2, 3 / 4, 7 / 8, 31 / 32, 1)
CROSSOVER_SIZES = (1 << 22, 1 << 24)  # the first stays in an L2 of 50 MiB or more
CROSSOVER_STEPS = (1, 2, 4, 8, 16, 32, 64, 128, 256)  # all compiled in
CROSSOVER_DATA = ((1 / 2, "mixed"), (1 / 64, "mixed"), (1 / 2, "by warp"))  # fraction, order
BLOCK_SIZES = (32, 64, 256, 1024)  # the first has one warp a block
FEW_STEPS = (1, 2, 4)  # for which the compiler makes predicates of the branch


@arguments.checked
def branch_data(
    elements: arguments.Count, fraction: arguments.Amount, order: str, device: str = "cpu"
) -> torch.Tensor:
    """Return the same numbers in one of three orders, `fraction` of them not negative.

    float32 [elements]. "mixed": at random; "sorted": the negative ones first; "by warp": every
    32 neighbours have one sign, and the warps are in random order. The fraction is rounded to
    whole warps. Raises ValueError for another order, or if `elements` is not a multiple of 32.
    """
    size = specs.WARP_SIZE
    if order not in ORDERS or elements % size:
        raise ValueError(
            f"give an order of {ORDERS} and a multiple of {size} elements, "
            f"not {order!r} and {elements}"
        )
    generator = torch.Generator(device).manual_seed(elements)
    x = torch.rand(elements, device=device, generator=generator) + 0.5
    x[: elements - round(fraction * elements / size) * size] *= -1
    if order == "mixed":
        return x[torch.randperm(elements, device=device, generator=generator)]
    if order == "by warp":
        groups = x.view(-1, size)
        return groups[torch.randperm(len(groups), device=device, generator=generator)].view(-1)
    return x


def _measure_branch(
    kernel: Kernel,
    name: str,
    x: torch.Tensor,
    steps: int,
    parameter: float,
    dials: dict,
    block_size: int = 256,
) -> Measurement:
    out = torch.empty_like(x)
    return bench.measure_calls(
        [partial(getattr(kernel, name), x, out, steps=steps, block_size=block_size)],
        kernel=name,
        elements=x.numel(),
        dtype="float32",
        bytes_moved=2 * x.nbytes,
        block_size=block_size,
        precision=PRECISION,
        parameter=parameter,
        dials=dials,
    )


def _measure_sort(x: torch.Tensor) -> Measurement:
    out = torch.empty_like(x), torch.empty_like(x, dtype=torch.int64)
    return bench.measure_calls(
        [partial(torch.sort, x, out=out)],
        kernel="torch.sort",
        elements=x.numel(),
        dtype="float32",
        bytes_moved=2 * x.nbytes,
        precision=PRECISION,
    )


@experiment("divergence")
def measure_divergence(
    sizes: Sequence[tuple[int, int]] = SIZES, fractions: Sequence[float] = FRACTIONS
) -> list[Measurement]:
    """Measure a branch over the same data in three orders.

    `parameter` is the fraction that takes the long way. sizes: (elements, steps). Beside them,
    at one half: the long way for all ("all_long 100 mixed"), both ways for all ("select_both
    100 mixed"), and what sorting costs ("torch.sort").
    """
    kernel = checked("divergence", kernel_cases.divergence)
    device = machine.present().device
    results = []
    todo = list(itertools.product(sizes, fractions, ORDERS))
    for (elements, steps), fraction, order in tqdm(todo, desc="divergence", leave=False):
        x = branch_data(elements, fraction, order, device)
        launchers = ["branch"]
        if fraction == 1 / 2 and order == "mixed":
            launchers += ["all_long", "select_both"]
            results.append(_measure_sort(x))
        dials = {"steps": steps, "order": order}
        results += [
            _measure_branch(kernel, name, x, steps, fraction, dials) for name in launchers
        ]
    return results


@experiment("divergence by block")
def measure_divergence_by_block(
    elements: int = 1 << 24, steps: int = 1000, block_sizes: Sequence[int] = BLOCK_SIZES
) -> list[Measurement]:
    """Measure sorted data and data sorted by warp, half of each long, in blocks of some sizes.

    `parameter` is the fraction, as in "divergence". In a block of one warp no warp waits for a
    neighbour to end.
    """
    kernel = checked("divergence", kernel_cases.divergence)
    device = machine.present().device
    return [
        _measure_branch(kernel, "branch", x, steps, 1 / 2, {"order": order}, block_size)
        for order in ("sorted", "by warp")
        for x in [branch_data(elements, 1 / 2, order, device)]
        for block_size in block_sizes
    ]


@experiment("second store")
def measure_second_store(
    elements: int = 1 << 24, steps: Sequence[int] = FEW_STEPS
) -> list[Measurement]:
    """Measure a select, the same with two stores, and a branch, on random halves.

    `parameter` is the long way's steps. `two_stores` and `branch` store twice in a warp that
    holds both kinds; only in `branch` some of its lanes end before the others.
    """
    pair = checked("divergence", kernel_cases.divergence)
    two_stores = checked("two_stores", kernel_cases.divergence)
    x = branch_data(elements, 1 / 2, "mixed", machine.present().device)
    ways = (("select_both", pair), ("two_stores", two_stores), ("branch", pair))
    return [
        _measure_branch(kernel, name, x, count, count, {})
        for count in steps
        for name, kernel in ways
    ]


@experiment("select crossover")
def measure_select_crossover(
    sizes: Sequence[int] = CROSSOVER_SIZES, steps: Sequence[int] = CROSSOVER_STEPS
) -> list[Measurement]:
    """Measure a branch against both ways and a select, over three kinds of data.

    `parameter` is the long way's steps.
    """
    kernel = checked("divergence", kernel_cases.divergence)
    device = machine.present().device
    results = []
    todo = list(itertools.product(sizes, CROSSOVER_DATA))
    for elements, (fraction, order) in tqdm(todo, desc="select crossover", leave=False):
        x = branch_data(elements, fraction, order, device)
        dials = {"order": order, "fraction": fraction}
        results += [
            _measure_branch(kernel, name, x, count, count, dials)
            for count, name in itertools.product(steps, ("branch", "select_both"))
        ]
    return results
