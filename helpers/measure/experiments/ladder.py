"""Measure the versions: the article's sizes, block sizes, working sets, and empty grids."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from tqdm import tqdm

from helpers import specs
from helpers.measure import bench
from helpers.measure.experiments.registry import checked, experiment
from helpers.measure.measurement import Measurement
from helpers.model.dtypes import ITEM_BYTES
from helpers.model.ladder import NAMES, dtypes

BLOCK_SIZES = tuple(range(specs.WARP_SIZE, 1025, specs.WARP_SIZE))  # every size of whole warps
EMPTY_GRIDS = (1, 1 << 12, 1 << 14, 1 << 16, 1 << 18, 1 << 20)  # blocks
# Bytes of three tensors together: 1 MiB to 2.8 GiB, by half powers of two.
WORKING_SETS = tuple(round(specs.MIB * 2 ** (k / 2)) for k in range(24))
# 256 threads for all: the article's smaller blocks would show the block launch rate instead of
# the memory.
WORKING_SET_KERNELS = {"v1_f32": 256, "v2_f32x4": 256, "v6_f16x8_pack": 256, "torch.add": None}


def fitting(sizes: Sequence[int]) -> list[int]:
    """Replace sizes whose addition exceeds this GPU's memory by the largest that fits."""
    return list(dict.fromkeys(bench.largest_that_fits(size, 3 * 4) for size in sizes))


def measure_adds(calls: Sequence[dict], title: str) -> list[Measurement]:
    """Call `bench.measure` with each set of arguments, each kernel checked before.

    A size that does not fit the GPU's memory is left out, and a line says so. All are timed in
    one turn: among other lessons on the GPU, hundreds of turns would take minutes.
    """
    names = dict.fromkeys(call["kernel"] for call in calls)
    kernels = {name: name if name == "torch.add" else checked(name) for name in names}
    measurements = []
    with bench.gpu_to_itself():
        for call in tqdm(calls, desc=title, leave=False):
            try:
                measurements.append(
                    bench.measure(**{**call, "kernel": kernels[call["kernel"]]})
                )
            except torch.OutOfMemoryError as error:
                tqdm.write(f"left out: {error}")
    return measurements


@experiment("ladder")
def measure_ladder(
    methods: Sequence[str] = bench.METHODS, sizes: Sequence[int] = bench.ARTICLE_SIZES
) -> list[Measurement]:
    """Measure every version and torch.add as the article launches them, in every dtype."""
    here = bench.require_gpu()
    if "bfloat16 arithmetic" in specs.lacks(here.cc):
        tqdm.write(f"compute capability {here.cc} adds bfloat16 in float32, and rounds")
    sizes = fitting(sizes)
    calls = [
        {"kernel": name, "dtype": dtype, "elements": size, "method": method}
        for method in methods
        for size in sizes
        for name in ("torch.add", *NAMES)
        for dtype in dtypes(name)
    ]
    return measure_adds(calls, "ladder")


@experiment("block sweep")
def measure_block_sizes(sizes: Sequence[int] = bench.ARTICLE_SIZES) -> list[Measurement]:
    """Measure every version in blocks of 32 to 1,024 threads, every whole number of warps."""
    calls = [
        {"kernel": name, "block_size": block_size, "elements": size}
        for size in fitting(sizes)
        for name in NAMES
        for block_size in BLOCK_SIZES
    ]
    return measure_adds(calls, "block sweep")


@experiment("working set")
def measure_working_sets(sets: Sequence[int] = WORKING_SETS) -> list[Measurement]:
    """Measure V1, V2, V6 and torch.add over growing working sets, hot and cold.

    sets: bytes of the three tensors together; elements are rounded down to a multiple of 8.
    """
    calls = []
    for method in ("graph hot", "graph cold"):
        for name, block_size in WORKING_SET_KERNELS.items():
            dtype = dtypes(name)[0]
            launch = {"kernel": name, "dtype": dtype, "block_size": block_size}
            element = 3 * ITEM_BYTES[dtype]  # bytes of one in each of the three tensors
            calls += [
                {**launch, "elements": size // element // 8 * 8, "method": method}
                for size in sets
            ]
    return measure_adds(calls, "working set")


@experiment("empty kernel")
def measure_empty_grids(
    grids: Sequence[int] = EMPTY_GRIDS, block_sizes: Sequence[int] = BLOCK_SIZES
) -> list[Measurement]:
    """Measure an empty kernel of 1 to 2^20 blocks; `elements` is the number of blocks."""
    launches = [(blocks, block_size) for blocks in grids for block_size in block_sizes]
    return [
        bench.measure_empty(*launch)
        for launch in tqdm(launches, desc="empty kernel", leave=False)
    ]
