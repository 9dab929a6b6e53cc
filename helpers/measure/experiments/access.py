"""Measure kernels/strided_copy.cu: loads pulled apart, and loads that begin within a sector."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import torch
from tqdm import tqdm

from helpers.measure import bench
from helpers.measure.experiments.registry import PRECISION, checked, experiment
from helpers.measure.measurement import Measurement
from helpers.specs import SECTOR_BYTES
from helpers.testing import memory_cases

ELEMENTS = 1 << 24  # of the output, float32
ITEM = 4  # bytes
STRIDES = (1, 2, 3, 4, 5, 6, 7, 8, 12, 16, 24, 32, 48, 64, 96, 128)  # elements
STARTS = (0, 1, 2, 3, 4, 6, 8, 16, 24, 32)  # elements


@experiment("strided copy")
def measure_strided_copy(
    elements: int = ELEMENTS, strides: Sequence[int] = STRIDES, starts: Sequence[int] = STARTS
) -> list[Measurement]:
    """Measure out[i] = x[start + i * stride], cold: `parameter` is the stride, or the start.

    Rows are called "stride" (from 0 on) and "start" (stride 1). bytes_moved: of the elements
    copied, read and written. Strides whose x does not fit this GPU's memory are left out.
    """
    here = bench.require_gpu()
    kernel = checked("strided_copy", memory_cases.strided_copy).copy_strided
    calls = [("stride", stride, stride, 0) for stride in strides]
    calls += [("start", start, 1, start) for start in starts]
    results = []
    for name, parameter, stride, start in tqdm(calls, desc="strided copy", leave=False):
        read = elements * min(stride * ITEM, SECTOR_BYTES)
        sets = bench.sets_for("graph cold", read + elements * ITEM, here.l2_bytes)
        m = elements * stride + start
        if sets * ITEM * (m + elements) > bench.MEMORY_SHARE * (here.memory_bytes or 1 << 62):
            tqdm.write(f"left out: stride {stride} needs more than this GPU's memory")
            continue
        buffers = [
            (torch.rand(m, device=here.device), torch.empty(elements, device=here.device))
            for _ in range(sets)
        ]
        results.append(
            bench.measure_calls(
                [partial(kernel, x, out, stride=stride, start=start) for x, out in buffers],
                kernel=name,
                elements=elements,
                dtype="float32",
                bytes_moved=2 * ITEM * elements,
                block_size=256,
                method="graph cold",
                precision=PRECISION,
                parameter=float(parameter),
            )
        )
    return results
