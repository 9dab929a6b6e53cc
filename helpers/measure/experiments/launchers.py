"""Measure elementwise kernels launcher by launcher, those of a file beside one another.

load instructions  what a promise, a struct, a wider load or a cache hint changes
block bytes        one sum with 1, 2 and 4 elements a thread, in many block sizes
three inputs       D = A * B + C, which no constant of the model has seen
index width        one sum with an index of 64 bits, and of 32
arguments          one short sum, whose last pointer stands behind more and more bytes
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import partial

import torch
from tqdm import tqdm

from helpers.measure import bench
from helpers.measure.experiments.registry import PRECISION, checked, experiment
from helpers.measure.measurement import Measurement
from helpers.model.dtypes import ITEM_BYTES, dtype_name
from helpers.run.kernel import Kernel
from helpers.run.launcher import Launcher
from helpers.testing.cases import Case, ElementwiseMaker, Untried, elementwise_cases
from helpers.testing.past_2_31 import PAST_2_31

LARGE = 1 << 28  # elements
HINT_ROUNDS = 5  # of the cache hints, interleaved: their noise is what is asked
FILES = ("restrict", "split_struct", "wide_load", "cache_hints")
BLOCK_SIZES = (32, 64, 96, 128, 192, 256, 384, 512, 768, 1024)
METHODS = ("graph hot", "graph cold")
SHORT = 1 << 16  # elements of a call that ends before much else counts
FIRST_BYTES, UNREAD = 24, range(8, 112, 8)  # of the arguments of kernels/arguments.cu


def _sum(x: torch.Tensor, y: torch.Tensor) -> torch.Tensor:
    return x + y


def _load(file: str) -> Kernel:
    return checked(file, reference=_sum)


def _measure(kernel: Kernel, launcher: str, elements: int, **options) -> Measurement:
    """Time one launcher on float tensors of `elements` elements, called "FILE LAUNCHER"."""
    call = getattr(kernel, launcher)
    inputs = [p for p in call.declaration.tensors if p.role == "input"]
    dtype = inputs[0].dtype
    method = options.get("method", "graph hot")
    block_size = options.pop("block_size", None)
    arguments = options.pop("arguments", {})
    moved = (len(inputs) + 1) * elements * dtype.itemsize
    here = bench.require_gpu()
    sets = bench.sets_for(method, moved, here.l2_bytes)
    buffers = [
        [torch.randn(elements, dtype=dtype, device=here.device) for _ in (*inputs, "out")]
        for _ in range(sets)
    ]
    if block_size is not None:
        arguments = arguments | {"block_size": block_size}
    return bench.measure_calls(
        [partial(call, *tensors, **arguments) for tensors in buffers],
        kernel=f"{kernel.name} {launcher.removeprefix('add_')}",
        elements=elements,
        dtype=dtype_name(dtype),
        bytes_moved=moved,
        block_size=block_size or bench.launcher_block_size(kernel),
        **{"flops": elements, **options},
    )


@experiment("load instructions")
def measure_load_instructions(elements: int = LARGE) -> list[Measurement]:
    """Measure the kernels of lesson 08, cold; the cache hints in `parameter` = 5 rounds."""
    elements = bench.largest_that_fits(elements, 3 * ITEM_BYTES["float32"])
    results = []
    for file in tqdm(FILES, desc="load instructions", leave=False):
        kernel = _load(file)
        for number in range(HINT_ROUNDS if file == "cache_hints" else 1):
            results += [
                _measure(kernel, name, elements, method="graph cold", parameter=float(number))
                for name in kernel.declarations
            ]
    return results


@experiment("block bytes")
def measure_block_bytes(elements: int = LARGE) -> list[Measurement]:
    """Measure kernels/block_bytes.cu; `parameter` is the elements of a thread."""
    elements = bench.largest_that_fits(elements, 3 * ITEM_BYTES["float32"])
    kernel = _load("block_bytes")
    launches = [(name, size) for name in kernel.declarations for size in BLOCK_SIZES]
    return [
        _measure(
            kernel,
            name,
            elements,
            block_size=size,
            parameter=float(name.removeprefix("add_")),
            precision=PRECISION,
        )
        for name, size in tqdm(launches, desc="block bytes", leave=False)
    ]


@experiment("three inputs")
def measure_three_inputs() -> list[Measurement]:
    """Measure kernels/fma_f32x4.cu at the article's sizes, hot and cold."""
    kernel = checked("fma_f32x4")
    sizes = dict.fromkeys(
        bench.largest_that_fits(size, 4 * ITEM_BYTES["float32"]) for size in bench.ARTICLE_SIZES
    )
    return [
        _measure(kernel, "multiply_add", size, flops=2 * size, method=method)
        for method in METHODS
        for size in sizes
    ]


def below_2_31(launcher: Launcher) -> Iterator[Case | Untried]:
    """Yield the checker's cases of an addition, without the sizes past 2^31."""
    yield from elementwise_cases(launcher, ElementwiseMaker.of(launcher, _sum))
    yield Untried(PAST_2_31, "add_int is wrong there, on purpose")


@experiment("index width")
def measure_index_width() -> list[Measurement]:
    """Measure kernels/index_width.cu at the article's sizes; add_int is right below 2^31."""
    kernel = checked("index_width", cases=below_2_31)
    sizes = dict.fromkeys(
        bench.largest_that_fits(size, 3 * ITEM_BYTES["float32"]) for size in bench.ARTICLE_SIZES
    )
    return [
        _measure(kernel, name, size, precision=PRECISION)
        for size in sizes
        for name in kernel.declarations
    ]


@experiment("arguments")
def measure_arguments(unread: Iterable[int] = UNREAD) -> list[Measurement]:
    """Measure kernels/arguments.cu, short and hot: `parameter` is its last pointer's byte."""
    kernel = checked("arguments", reference=_sum)
    return [
        _measure(
            kernel,
            "add",
            SHORT,
            arguments={"unread": some},
            parameter=float(FIRST_BYTES + some),
            precision=PRECISION / 5,
        )
        for some in tqdm(unread, desc="arguments", leave=False)
    ]
