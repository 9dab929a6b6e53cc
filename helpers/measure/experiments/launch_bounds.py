"""Measure what fewer registers cost: by `__launch_bounds__`, and by another text.

launch bounds    kernels/launch_bounds.cu, with and without a cap
registers        kernels/registers.cu, which keeps the column or reads it again
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial

import torch

from helpers.measure import bench
from helpers.measure.experiments.registry import checked, experiment
from helpers.measure.measurement import Measurement
from helpers.run.kernel import Kernel
from helpers.run.launcher import Launcher
from helpers.testing.check import Case

ROWS = 40  # of the matrix in kernels/launch_bounds.cu
COLUMNS = 1 << 20
REGISTERS = ("kept", "reused", "reloaded")  # kernels/registers.cu
KERNELS = {  # by the launcher
    "subtract_max_plain": "plain",
    "subtract_max_4": "for_4",
    "subtract_max_6": "for_6",
    "subtract_max_8": "for_8",
}


def cases(launcher: Launcher) -> Iterator[Case]:
    """Yield cases of x minus the largest of its column, for matrices [40, n] of float32."""
    for n, block_size in ((1, 256), (31, 32), (257, 64), (1003, 256), (4096, 128)):
        x = torch.randn(ROWS, n, generator=torch.Generator().manual_seed(n))
        exact = x.double() - x.double().amax(0)
        label = f"n = {n:,}, block_size = {block_size}"
        arguments = {"block_size": block_size}
        yield Case(label, (x,), (exact,), arguments, dtypes=(torch.float32,))


@experiment("launch bounds")
def measure_launch_bounds(columns: int = COLUMNS) -> list[Measurement]:
    """Measure kernels/launch_bounds.cu, uncapped and capped for 4, 6 and 8 blocks an SM.

    On a matrix of 40 x `columns` float32: one read, one write.
    """
    return _measure(checked("launch_bounds", cases), KERNELS, columns)


@experiment("registers")
def measure_registers(columns: int = COLUMNS) -> list[Measurement]:
    """Measure kernels/registers.cu: bytes are of one read and one write, whatever is reread."""
    names = {f"subtract_max_{name}": name for name in REGISTERS}
    return _measure(checked("registers", cases), names, columns)


def _measure(kernel: Kernel, names: Mapping[str, str], columns: int) -> list[Measurement]:
    """Time each launcher; names: what its row is called, after the file."""
    x = torch.randn(ROWS, columns, device=bench.require_gpu().device)
    out = torch.empty_like(x)
    return [
        bench.measure_calls(
            [partial(getattr(kernel, launcher), x, out)],
            kernel=f"{kernel.name} {name}",
            elements=x.numel(),
            dtype="float32",
            bytes_moved=2 * x.nbytes,
            block_size=256,
        )
        for launcher, name in names.items()
    ]
