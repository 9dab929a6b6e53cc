"""Compare predicted occupancy with cudaOccupancyMaxActiveBlocksPerMultiprocessor.

The CUDA runtime answers through kernels/occupancy_api.cu, about the course's own kernels; what
it is compared with is `helpers.model.occupancy`. Without a GPU the recorded answers are shown.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

import pandas as pd
import torch

from helpers.errors import NoGpuError
from helpers.measure import recorded, store
from helpers.model.occupancy import occupancy
from helpers.run import jit, machine

BLOCK_SIZES = (32, 64, 96, 128, 160, 192, 256, 320, 384, 512, 640, 768, 1024)
SHARED_BYTES = (0, 1, 4096, 8192, 16384, 32768)  # dynamic, a block
DEFAULT_SHARED_LIMIT = 48 * 1024  # bytes a block, without cudaFuncSetAttribute
NAME_BYTES = 32  # of `kernel_name` in kernels/occupancy_api.cu


@dataclass(frozen=True)
class Resources:
    """One answer of the runtime."""

    registers: int  # per thread
    static_shared_bytes: int  # per block
    max_block_size: int
    blocks: int  # resident on one SM


@cache
def kernel_names() -> tuple[str, ...]:
    """Return the names of the kernels that kernels/occupancy_api.cu knows, as it lists them."""
    api = jit.load("occupancy_api")
    names: list[str] = []
    while True:
        out = torch.zeros(NAME_BYTES, dtype=torch.int8, device=machine.present().device)
        api.kernel_name(out, len(names))
        name = bytes(out.tolist()).rstrip(b"\0").decode()
        if not name:
            return tuple(names)
        names.append(name)


def resources(kernel: str, block_size: int, shared_bytes: int = 0) -> Resources:
    """Ask the CUDA runtime about one of `kernel_names` with dynamic shared memory.

    Raises NoGpuError without a GPU, ValueError for an unknown kernel or a question that the
    runtime refuses.
    """
    here = machine.present()
    if not here.is_gpu:
        raise NoGpuError(
            f"no CUDA runtime to ask ({here.reason}); "
            "helpers.model.occupancy calculates the same"
        )
    names = kernel_names()
    if kernel not in names:
        raise ValueError(f"{kernel!r} is not one of {', '.join(names)}")
    out = torch.empty(4, dtype=torch.int32, device=here.device)
    jit.load("occupancy_api").resources(out, names.index(kernel), block_size, shared_bytes)
    answer = Resources(*out.tolist())
    if answer.blocks < 0:
        raise ValueError(
            f"the runtime refuses {kernel} with {block_size} threads and {shared_bytes} bytes"
        )
    return answer


def compare(
    kernels: Sequence[str] | None = None, block_sizes: Sequence[int] = BLOCK_SIZES
) -> pd.DataFrame:
    """Return blocks on an SM as predicted and as the runtime says, on this machine's GPU.

    Columns of data/runtime_occupancy.csv; shared_bytes are static and dynamic together.
    Registers are the runtime's own, so that only the arithmetic is compared. Launches that a
    kernel does not allow are left out. kernels: all of `kernel_names` by default. Raises
    NoGpuError.
    """
    here, rows = machine.present(), []
    for kernel in kernels or kernel_names():
        own = resources(kernel, 32)
        for block_size in (size for size in block_sizes if size <= own.max_block_size):
            for dynamic in SHARED_BYTES:
                shared = own.static_shared_bytes + dynamic
                if shared > DEFAULT_SHARED_LIMIT:
                    continue
                predicted = occupancy(here.cc, block_size, own.registers, shared)
                rows.append(
                    {
                        "kernel": kernel,
                        "block_size": block_size,
                        "registers": own.registers,
                        "shared_bytes": shared,
                        "predicted": predicted.blocks,
                        "runtime": resources(kernel, block_size, dynamic).blocks,
                    }
                )
    common = store.provenance()
    return store.RUNTIME_OCCUPANCY.frame(common | row for row in rows)


def compared_or_recorded() -> pd.DataFrame:
    """Return `compare`'s table, asked now on a GPU, else as recorded; print which."""
    return recorded.measured_or_recorded(compare, load, verb="asked")


def load() -> pd.DataFrame:
    """Load the recorded answers of the H200's runtime. Raises FileNotFoundError without any."""
    return store.RUNTIME_OCCUPANCY.load(gpu=store.RECORDED_GPU)
