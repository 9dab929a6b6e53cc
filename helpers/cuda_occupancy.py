"""What the CUDA runtime says of the course's own kernels, beside what `helpers.occupancy` predicts.

    compare()    a table: for each kernel, block size and shared memory, blocks predicted and blocks by the runtime

The runtime answers through kernels/occupancy_api.cu; without a GPU there is nobody to ask, and the table is empty.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import pandas as pd
import torch

from helpers import jit, machine
from helpers.errors import NoGpuError
from helpers.occupancy import occupancy

# In the order of kernel_at() in kernels/occupancy_api.cu.
KERNELS = (
    "v1_f32",
    "v2_f32x4",
    "v3_f16",
    "v4_f16x2",
    "v5_f16x8",
    "v6_f16x8_pack",
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
COLUMNS = ("kernel", "block size", "registers", "shared bytes", "predicted", "runtime")
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
        raise NoGpuError(f"no CUDA runtime to ask ({here.reason}); helpers.occupancy calculates the same")
    if kernel not in KERNELS:
        raise ValueError(f"{kernel!r} is none of {', '.join(KERNELS)}")
    out = torch.empty(4, dtype=torch.int32, device=here.device)
    jit.load("occupancy_api").resources(out, KERNELS.index(kernel), block_size, shared_bytes)
    answer = Resources(*out.tolist())
    if answer.blocks < 0:
        raise ValueError(f"the runtime refuses {kernel} with {block_size} threads and {shared_bytes} bytes")
    return answer


def compare(kernels: Sequence[str] = KERNELS, block_sizes: Sequence[int] = BLOCK_SIZES) -> pd.DataFrame:
    """Blocks on an SM as `helpers.occupancy` predicts them and as the runtime says; empty without a GPU.

    Columns: `COLUMNS`; shared bytes are static and dynamic together. Registers are the runtime's own, so that
    only the arithmetic is compared. Launches that the kernel does not allow are left out.
    """
    here, rows = machine.present(), []
    for kernel in kernels if here.is_gpu else ():
        own = resources(kernel, 32)
        for block_size in (size for size in block_sizes if size <= own.max_block_size):
            for dynamic in SHARED_BYTES:
                shared = own.static_shared_bytes + dynamic
                if shared <= DEFAULT_SHARED_LIMIT:
                    predicted = occupancy(here.cc, block_size, own.registers, shared).blocks
                    found = resources(kernel, block_size, dynamic).blocks
                    rows.append((kernel, block_size, own.registers, shared, predicted, found))
    return pd.DataFrame(rows, columns=list(COLUMNS))
