"""Measure a fused softmax of float16 by the width of its loads: kernels/softmax.cu."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from functools import partial

import torch
from tqdm import tqdm

from helpers.measure import bench
from helpers.measure.experiments.registry import PRECISION, checked, experiment
from helpers.measure.measurement import Measurement
from helpers.testing import matrices

SIZES = (1 << 22, 1 << 26)  # elements; the smaller tensors fit in L2
COLUMNS = (256, 1024)
WIDTHS = (1, 2, 4, 8)  # elements a load: V3's, V4's, between, V6's
ITEM_BYTES = 2


@experiment("softmax")
def measure_softmax(
    sizes: Sequence[int] = SIZES, columns: Sequence[int] = COLUMNS
) -> list[Measurement]:
    """Measure softmax of rows of `parameter` columns, loaded `load_bytes` at a time.

    Beside it PyTorch's, without `load_bytes`. Bytes: one read, one write.
    """
    here = bench.require_gpu()
    kernel = checked("softmax", matrices.softmax_f16)
    results = []
    for elements, cols in tqdm([*itertools.product(sizes, columns)], "softmax", leave=False):
        elements = bench.largest_that_fits(elements, 2 * ITEM_BYTES)
        x = torch.randn(elements // cols, cols, dtype=torch.float16, device=here.device)
        out = torch.empty_like(x)
        calls = {width: partial(kernel, x, out, width=width) for width in WIDTHS}
        calls[None] = partial(torch.softmax, x, dim=1, out=out)
        results += [
            bench.measure_calls(
                [call],
                kernel="softmax" if width else "torch softmax",
                elements=x.numel(),
                dtype="float16",
                bytes_moved=2 * x.nbytes,
                precision=PRECISION,
                parameter=cols,
                dials={"load_bytes": ITEM_BYTES * width} if width else {},
            )
            for width, call in calls.items()
        ]
    return results
