"""Time cold builds: the course's way, and the classic one through torch/extension.h."""

from __future__ import annotations

import contextlib
import os
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence

import pandas as pd
from tqdm import tqdm

from helpers import paths
from helpers.measure import store
from helpers.model.ladder import NAMES
from helpers.run import jit, machine

CLASSIC = "torch/extension.h + PYBIND11"


@contextlib.contextmanager
def _environment(**values: str) -> Iterator[None]:
    """Set environment variables while the context is open."""
    before = {name: os.environ.get(name) for name in values}
    os.environ.update(values)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value


def cold_seconds(names: Sequence[str], build: Callable[[str], object]) -> float:
    """Return the seconds that building some kernels takes with an empty cache, one by one."""
    with (
        tempfile.TemporaryDirectory() as folder,
        _environment(ELEMENTWISE_CACHE=folder, TORCH_EXTENSIONS_DIR=folder),
    ):
        began = time.perf_counter()
        for name in tqdm(names, desc="building", leave=False):
            build(name)
        return time.perf_counter() - began


def machine_name() -> str:
    """Return what builds here, as the record's column `machine` has it."""
    here = machine.present()
    return f"{here.name}, nvcc {here.nvcc}" if here.is_gpu else "g++, no GPU"


def _build_classic(name: str) -> object:
    """Build the file with PyTorch's header, kernels/<name>_classic.cu, as its tutorials do."""
    from torch.utils import cpp_extension

    with _environment(TORCH_CUDA_ARCH_LIST=str(machine.present().cc)):
        return cpp_extension.load(name, [str(paths.KERNELS / f"{name}_classic.cu")])


def measure() -> pd.DataFrame:
    """Time one version and all of them, the course's way; on a GPU one the classic way, too.

    Returns the columns of data/build_times.csv.
    """
    here = machine.present()
    own = "this course, on a GPU" if here.is_gpu else "this course, emulator"
    todo = [(own, NAMES[:1], jit.load), (own, NAMES, jit.load)]
    if here.is_gpu:
        todo.append((CLASSIC, NAMES[:1], _build_classic))
    common = {
        "machine": machine_name(),
        "cores": os.cpu_count(),
        "torch": here.torch,
        "date": store.today(),
    }
    return store.BUILD_TIMES.frame(
        common | {"way": way, "kernels": len(names), "seconds": cold_seconds(names, build)}
        for way, names, build in todo
    )
