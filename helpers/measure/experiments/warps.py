"""Measure kernels/warp_sync.cu in blocks of whole warps and of partly empty ones."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import torch
from tqdm import tqdm

from helpers.measure import bench, roofs
from helpers.measure.experiments.registry import PRECISION, checked, experiment
from helpers.measure.measurement import Measurement
from helpers.testing import kernel_cases

ELEMENTS = 1 << 28
# Of 64, 160 and 288 threads all warps are full; 33, 129 and 257 fill as many warps as they do.
BLOCK_SIZES = (32, 33, 64, 128, 129, 160, 256, 257, 288)
ITEM = 4  # bytes


@experiment("warp swap")
def measure_warp_swap(
    elements: int = ELEMENTS, block_sizes: Sequence[int] = BLOCK_SIZES
) -> list[Measurement]:
    """Measure `swap_synced` by block size, and `copy`: x.copy_, which moves the same bytes.

    float32, one read and one write of each element. On a GPU with too little memory there are
    as many elements as fit.
    """
    here = bench.require_gpu()
    swap = checked("warp_sync", kernel_cases.swap).swap_synced
    x = torch.randn(bench.largest_that_fits(elements, 2 * ITEM), device=here.device)
    out = torch.empty_like(x)
    results = [
        bench.measure_calls(
            [partial(swap, x, out, block_size=size)],
            kernel="swap_synced",
            elements=x.numel(),
            dtype="float32",
            bytes_moved=2 * x.nbytes,
            block_size=size,
            precision=PRECISION,
        )
        for size in tqdm(block_sizes, desc="warp swap", leave=False)
    ]
    return [*results, roofs.measure_copy(x)]
