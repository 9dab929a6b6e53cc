"""Measure sums of an array: every kernel of kernels/sums.cu, torch.sum, and a copy."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import NamedTuple

import torch
from tqdm import tqdm

from helpers import specs
from helpers.measure import bench, roofs
from helpers.measure.experiments.registry import PRECISION, checked, experiment
from helpers.measure.measurement import Measurement
from helpers.model import arguments
from helpers.run import machine
from helpers.run.kernel import Kernel
from helpers.testing import kernel_cases

BLOCK_SIZE = 256
SIZES = (1 << 20, 1 << 24, 1 << 28)


class SumCall(NamedTuple):
    """One way to sum an array."""

    kernel: str
    run: Callable[[], None]
    partial_sums: int | None = None  # how many it makes; None: none, or unknown
    grid: str | None = None  # "256 a block": one element a thread; "loop": grid-stride


@arguments.checked
def wave_blocks(gpu: specs.Gpu | machine.Machine) -> int:
    """Return the number of blocks of 256 threads that a GPU holds at once, by its thread slots.

    The kernels of kernels/sums.cu need few enough registers for that on every capability: 8 on
    each SM with 2,048 threads.
    """
    blocks_per_sm = specs.compute_capability(gpu.cc).max_threads_per_sm // BLOCK_SIZE
    return blocks_per_sm * gpu.sm_count


def sum_calls(kernel: Kernel, x: torch.Tensor, loop_blocks: int) -> Iterator[SumCall]:
    """Yield a call of every launcher of kernels/sums.cu, and of torch.sum, over x [n].

    The grid "256 a block" gives each block 256 elements, one a thread; "loop" has `loop_blocks`
    blocks whose threads walk through the array.
    """
    grids = {"256 a block": -(-x.numel() // BLOCK_SIZE), "loop": loop_blocks}
    for name in ("sum_one_thread", "sum_tree", "sum_shuffle", "sum_block"):
        per_block = 8 if name == "sum_shuffle" else 1  # a sum a warp, or one a block
        for grid, blocks in grids.items():
            partials = torch.empty(blocks * per_block, device=x.device)
            launch = partial(getattr(kernel, name), x, partials)
            yield SumCall(name, launch, partials.numel(), grid)
    total, partials = (torch.empty(size, device=x.device) for size in (1, loop_blocks))
    yield SumCall("sum_atomic_each", partial(kernel.sum_atomic_each, x, total))
    atomic = partial(kernel.sum_atomic, x, total, blocks=loop_blocks)
    yield SumCall("sum_atomic", atomic, loop_blocks)
    two_pass = partial(kernel.sum_two_pass, x, partials, total)
    yield SumCall("sum_two_pass", two_pass, loop_blocks)
    yield SumCall("torch.sum", partial(torch.sum, x, 0, keepdim=True, out=total))


@experiment("sums")
def measure_sums(sizes: Sequence[int] = SIZES) -> list[Measurement]:
    """Measure every way to sum n float32; `parameter` is the number of partial sums.

    Bytes: the 4 n of x only. "copy" is x.copy_ of the same array (4 n bytes read, 4 n written),
    for comparison.
    """
    here = bench.require_gpu()
    kernel = checked("sums", kernel_cases.sums)
    results = []
    for elements in dict.fromkeys(bench.largest_that_fits(size, 2 * 4) for size in sizes):
        x = torch.randn(elements, device=here.device)
        calls = list(sum_calls(kernel, x, wave_blocks(here)))
        for call in tqdm(calls, desc=f"{elements:,} elements", leave=False):
            results.append(
                bench.measure_calls(
                    [call.run],
                    kernel=call.kernel,
                    elements=elements,
                    dtype="float32",
                    bytes_moved=x.nbytes,
                    block_size=None if call.kernel == "torch.sum" else BLOCK_SIZE,
                    flops=elements,
                    precision=PRECISION,
                    parameter=call.partial_sums,
                    dials={"grid": call.grid} if call.grid else {},
                )
            )
        results.append(roofs.measure_copy(x))
    return results
