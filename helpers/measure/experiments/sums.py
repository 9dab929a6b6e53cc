"""Measure sums of an array: every kernel of kernels/sums.cu, torch.sum, and a copy."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import NamedTuple

import torch
from tqdm import tqdm

from helpers import specs
from helpers.measure import bench, roofs
from helpers.measure.bench import Measurement
from helpers.measure.experiments.registry import PRECISION, checked, experiment
from helpers.run import machine
from helpers.run.kernel import Kernel
from helpers.testing import kernel_cases

BLOCK_SIZE = 256
SIZES = (1 << 20, 1 << 24, 1 << 28)


class SumCall(NamedTuple):
    """One way to sum an array."""

    run: Callable[[], None]
    partial_sums: int | None  # how many it makes; None: none, or nobody knows


def wave_blocks(gpu: specs.Gpu | machine.Machine) -> int:
    """Return the number of blocks of 256 threads that a GPU holds at once, by its thread slots.

    The kernels of kernels/sums.cu need few enough registers for that on every capability. An
    H200 (9.0, 132 SMs) holds 1,056.
    """
    blocks_per_sm = specs.compute_capability(gpu.cc).max_threads_per_sm // BLOCK_SIZE
    return blocks_per_sm * gpu.sm_count


def sum_calls(kernel: Kernel, x: torch.Tensor, loop_blocks: int) -> dict[str, SumCall]:
    """Return {name: call} for every launcher of kernels/sums.cu, and torch.sum, over x [n].

    "..., 256 a block" gives each block 256 elements, one a thread; "..., loop" is a grid of
    `loop_blocks` blocks whose threads walk through the array.
    """
    total = torch.empty(1, device=x.device)
    calls = {}
    for name in ("sum_one_thread", "sum_tree", "sum_shuffle", "sum_block"):
        per_block = 8 if name == "sum_shuffle" else 1  # a sum a warp, or one a block
        grids = {"256 a block": -(-x.numel() // BLOCK_SIZE), "loop": loop_blocks}
        for grid, blocks in grids.items():
            partials = torch.empty(blocks * per_block, device=x.device)
            launch = partial(getattr(kernel, name), x, partials)
            calls[f"{name}, {grid}"] = SumCall(launch, partials.numel())
    calls["sum_atomic_each"] = SumCall(partial(kernel.sum_atomic_each, x, total), None)
    atomic = partial(kernel.sum_atomic, x, total, blocks=loop_blocks)
    calls["sum_atomic"] = SumCall(atomic, loop_blocks)
    partials = torch.empty(loop_blocks, device=x.device)
    two_pass = partial(kernel.sum_two_pass, x, partials, total)
    calls["sum_two_pass"] = SumCall(two_pass, loop_blocks)
    eager = partial(torch.sum, x, 0, keepdim=True, out=total)
    calls["torch.sum"] = SumCall(eager, None)
    return calls


@experiment("sums")
def measure_sums(
    sizes: Sequence[int] = SIZES, names: Sequence[str] | None = None
) -> list[Measurement]:
    """Measure every way to sum n float32; `parameter` is the number of partial sums.

    Bytes: the 4 n of x only. "copy" is x.copy_ of the same array (4 n bytes read, 4 n written),
    for comparison. names: of `sum_calls`, all by default.
    """
    here = bench.require_gpu()
    kernel = checked("sums", kernel_cases.sums)
    results = []
    for elements in sizes:
        x = torch.randn(elements, device=here.device)
        calls = sum_calls(kernel, x, wave_blocks(here))
        for name in tqdm(names or calls, desc=f"{elements:,} elements", leave=False):
            results.append(
                bench.measure_calls(
                    [calls[name].run],
                    kernel=name,
                    elements=elements,
                    dtype="float32",
                    bytes_moved=x.nbytes,
                    block_size=None if name == "torch.sum" else BLOCK_SIZE,
                    flops=elements,
                    precision=PRECISION,
                    parameter=calls[name].partial_sums,
                )
            )
        results.append(roofs.measure_copy(x))
    return results
