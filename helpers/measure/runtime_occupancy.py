"""What the CUDA runtime says of the course's own kernels, beside what `helpers.model.occupancy` predicts.

    compare()                 a table: for each kernel, block size and shared memory, blocks predicted and found
    launch_bounds_times()     the kernels of kernels/launch_bounds.cu timed
    python -m helpers.measure.runtime_occupancy record    both, into data/runtime_occupancy.csv and data/runs.csv

The runtime answers through kernels/occupancy_api.cu; without a GPU there is nobody to ask, and the record is shown.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

import pandas as pd
import torch

from helpers.errors import CourseError, NoGpuError
from helpers.measure import bench, store
from helpers.model import ladder
from helpers.model.occupancy import occupancy
from helpers.run import jit, machine

# In the order of kernel_at() in kernels/occupancy_api.cu.
KERNELS = (
    *ladder.NAMES,
    "launch_bounds plain",
    "launch_bounds for_4",
    "launch_bounds for_6",
    "launch_bounds for_8",
    "matmul tiles of 16",
    "matmul tiles of 32",
    "sums tree",
    "sums block",
)
BLOCK_SIZES = (32, 64, 96, 128, 160, 192, 256, 320, 384, 512, 640, 768, 1024)
SHARED_BYTES = (0, 1, 4096, 8192, 16384, 32768)
COLUMNS = ("kernel", "block_size", "registers", "shared_bytes", "predicted", "runtime")
EXPERIMENT = "launch bounds"  # its name in data/runs.csv
BOUNDS = {
    "plain": "plain",
    "4": "for_4",
    "6": "for_6",
    "8": "for_8",
}  # launcher's ending: kernel
ROWS = 40  # of the matrix in kernels/launch_bounds.cu
DEFAULT_SHARED_LIMIT = 48 * 1024  # bytes a block, without cudaFuncSetAttribute


@dataclass(frozen=True)
class Resources:
    """One answer of the runtime."""

    registers: int  # per thread
    static_shared_bytes: int  # per block
    max_block_size: int
    blocks: int  # resident on one SM


def resources(kernel: str, block_size: int, shared_bytes: int = 0) -> Resources:
    """What the CUDA runtime says of one of `KERNELS` with this block size and dynamic shared memory.

    Raises NoGpuError without a GPU, ValueError for an unknown kernel or a question that the runtime refuses.
    """
    here = machine.present()
    if not here.is_gpu:
        raise NoGpuError(
            f"no CUDA runtime to ask ({here.reason}); helpers.model.occupancy calculates the same"
        )
    if kernel not in KERNELS:
        raise ValueError(f"{kernel!r} is none of {', '.join(KERNELS)}")
    out = torch.empty(4, dtype=torch.int32, device=here.device)
    jit.load("occupancy_api").resources(out, KERNELS.index(kernel), block_size, shared_bytes)
    answer = Resources(*out.tolist())
    if answer.blocks < 0:
        raise ValueError(
            f"the runtime refuses {kernel} with {block_size} threads and {shared_bytes} bytes"
        )
    return answer


def compare(
    kernels: Sequence[str] = KERNELS, block_sizes: Sequence[int] = BLOCK_SIZES
) -> pd.DataFrame:
    """Blocks on an SM as `helpers.model.occupancy` predicts them and as the runtime says, on this machine's GPU.

    Columns: gpu, then `COLUMNS`; shared bytes are static and dynamic together. Registers are the runtime's own,
    so that only the arithmetic is compared. Launches that the kernel does not allow are left out.
    Raises NoGpuError without a GPU.
    """
    here, rows = machine.present(), []
    for kernel in kernels:
        own = resources(kernel, 32)
        for block_size in (size for size in block_sizes if size <= own.max_block_size):
            for dynamic in SHARED_BYTES:
                shared = own.static_shared_bytes + dynamic
                if shared <= DEFAULT_SHARED_LIMIT:
                    predicted = occupancy(here.cc, block_size, own.registers, shared).blocks
                    found = resources(kernel, block_size, dynamic).blocks
                    rows.append(
                        (here.name, kernel, block_size, own.registers, shared, predicted, found)
                    )
    return pd.DataFrame(rows, columns=["gpu", *COLUMNS])


def compared_or_recorded() -> pd.DataFrame:
    """`compare` on a GPU, else the recorded comparison, and says which."""
    if machine.present().is_gpu:
        print(f"asked now on {machine.present().name}")
        return compare()
    rows = store.RUNTIME_OCCUPANCY.load()
    print(f"no GPU here: asked on {rows.gpu.iloc[0]}")
    return rows


def launch_bounds_times(columns: int = 1 << 20) -> list[bench.Measurement]:
    """kernels/launch_bounds.cu on a matrix of 40 x `columns` float32, timed. Raises NoGpuError without a GPU."""
    here, kernel = bench.require_gpu(), jit.load("launch_bounds")
    x = torch.randn(ROWS, columns, device=here.device)
    out = torch.empty_like(x)
    return [
        bench.measure_calls(
            [partial(getattr(kernel, f"subtract_max_{ending}"), x, out)],
            kernel=f"launch_bounds {name}",
            elements=x.numel(),
            dtype="float32",
            bytes_moved=2 * x.nbytes,
            block_size=256,
        )
        for ending, name in BOUNDS.items()
    ]


def timed_or_recorded() -> pd.DataFrame:
    """`launch_bounds_times` on a GPU, else the recorded ones, and says which. Columns as in data/runs.csv."""
    if machine.present().is_gpu:
        print(f"measured now on {machine.present().name}")
        return store.frame(launch_bounds_times())
    rows = store.load(experiment=EXPERIMENT)
    print(f"no GPU here: recorded on {rows.gpu.iloc[-1]}, {rows.date.iloc[-1]}")
    return rows[rows.gpu == rows.gpu.iloc[-1]]


def record() -> int:
    """Compare and time on this GPU and record both; the number of comparisons that differ."""
    rows = compare()
    store.RUNTIME_OCCUPANCY.append(rows.assign(**store.provenance()))
    store.append(launch_bounds_times(), EXPERIMENT)
    wrong = rows[rows.predicted != rows.runtime]
    print(f"{len(rows)} launches compared, {len(wrong)} differ")
    if len(wrong):
        print(wrong.to_string(index=False))
    return len(wrong)


def main(arguments: Sequence[str] | None = None) -> int:
    """`python -m helpers.measure.runtime_occupancy record`"""
    parser = argparse.ArgumentParser(
        prog="python -m helpers.measure.runtime_occupancy", description=record.__doc__
    )
    parser.add_argument("do", choices=("record",))
    parser.parse_args(arguments)
    try:
        return int(record() > 0)
    except CourseError as error:
        print(error, file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main())
