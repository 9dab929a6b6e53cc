"""Measure what the model's latencies and shares stand for, each by a kernel of its own.

idle latency     a pointer chase with nothing else running  (`latency.measure_pointer_chase`)
loaded latency   the same chase beside blocks that read     (`measure_loaded_latency`)
residency        what one more wave of blocks costs         (`measure_residency`)
launch overhead  from one empty kernel to the next          (`measure_launch_overhead`)
streams          the same by the streams a process has used (`measure_streams`)
read share       DRAM's plateau by the share of reads       (`measure_read_share`)
narrow and wide  V5's loads and V5's stores, each alone     (`measure_narrow_wide`)
"""

from __future__ import annotations

import random
import statistics
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial

import pandas as pd
import torch
from tqdm import tqdm

from helpers import specs
from helpers.measure import bench, roofs, timing
from helpers.measure.experiments.registry import checked, experiment
from helpers.measure.measurement import Measurement
from helpers.run import jit
from helpers.testing import memory_cases

WAVES = (32, 256)  # of blocks, one block an SM at a time; their data fit in L2
BLOCK_KINDS = {  # what a block does -> (loads, stores)
    "empty block": (0, 0),
    "one load": (1, 0),
    "one store": (0, 1),
    "load and store": (1, 1),
}
READER_WARPS = (0, 2, 4, 8, 12, 16, 20, 24, 28, 32, 40, 48, 56)  # an SM, beside the chase
CHASE_STEPS = 1 << 9  # at most 1 ms, so that the readers last longer
CHASE_BYTES = 1 << 30  # many times L2
READ_ELEMENTS = 1 << 30  # 4 GiB: at least 1 ms
LAUNCH_THREADS = (32, 96, 128, 256, 1024)
LAUNCH_ROUNDS = 12
LAUNCH_BLOCK = 128
MOST_STREAMS = 40
MIXES = ((1, 0), (3, 1), (2, 1), (1, 1), (1, 2), (0, 1))  # reads, writes
WIDTHS = {"wide": 0, "narrow": 1}
WIDTH_THREADS = (64, 256, 1024)  # a block
WIDTH_ELEMENTS = 1 << 28  # float16
MIX_ELEMENTS = 3 << 26  # of all tensors together, float32


# ---- residency -----------------------------------------------------------------------------


@experiment("residency")
def measure_residency() -> list[Measurement]:
    """Measure launches of few and many waves of 32-thread blocks, one block an SM at a time.

    `parameter` is the number of waves; L2 holds the data ("graph hot") or does not.
    """
    here = bench.require_gpu()
    kernel = checked("residency", memory_cases.residency).residency
    sm = specs.compute_capability(here.cc)
    results = []
    for name, (loads, stores) in tqdm(BLOCK_KINDS.items(), desc="residency", leave=False):
        for method in ("graph hot", "graph cold") if loads or stores else ("graph hot",):
            for waves in WAVES:
                n = waves * here.sm_count * specs.WARP_SIZE
                sets = bench.sets_for(method, 8 * n, here.l2_bytes)
                tensors = [torch.zeros(2, n, device=here.device) for _ in range(sets)]
                results.append(
                    bench.measure_calls(
                        [
                            partial(kernel, *pair, loads, stores, sm.smem_per_block_optin_bytes)
                            for pair in tensors
                        ],
                        kernel=name,
                        elements=n,
                        dtype="float32",
                        bytes_moved=4 * n * (loads + stores),
                        block_size=specs.WARP_SIZE,
                        method=method,
                        parameter=waves,
                    )
                )
    return results


def residency_table(rows: pd.DataFrame) -> pd.DataFrame:
    """Return residency_ns by kernel and method: the time of each wave beyond the fewest."""
    waves = rows.parameter.min(), rows.parameter.max()
    few, many = (
        rows[rows.parameter == count].set_index(["kernel", "method"]).time_us for count in waves
    )
    per_wave = 1e3 * (many - few) / (waves[1] - waves[0])
    return per_wave.astype(float).rename("residency_ns").reset_index()


# ---- loaded latency ------------------------------------------------------------------------


@experiment("loaded latency")
def measure_loaded_latency(
    warps_per_sm: Sequence[int] = READER_WARPS, elements: int = READ_ELEMENTS
) -> list[Measurement]:
    """Measure a chase through DRAM beside `parameter` warps an SM that read, 16 bytes a load.

    time_us and gb_per_s are those of the readers; sm_cycles of one load of the chase.
    """
    here = bench.require_gpu()
    kernel = checked("loaded_chase", memory_cases.loaded_chase).loaded_chase
    if here.memory_bytes:
        elements = min(elements, here.memory_bytes // 16)
    stride = roofs.CHASE_LINE_BYTES // 4
    links = roofs.random_chain(CHASE_BYTES // roofs.CHASE_LINE_BYTES, stride, here.device)
    x = torch.zeros(elements, device=here.device)
    last = torch.empty(1, dtype=torch.int32, device=here.device)
    cycles = torch.empty(1, dtype=torch.int64, device=here.device)
    results = []
    with bench.gpu_to_itself():
        for warps in tqdm(warps_per_sm, desc="loaded latency", leave=False):
            threads = max(1, warps * here.sm_count * specs.WARP_SIZE)
            read = x[: elements if warps else 4]
            sums = torch.empty(threads, device=here.device)
            call = partial(kernel, links, read, last, cycles, sums, CHASE_STEPS)
            times, clocks = _cold_chases(call, x, cycles)
            results.append(
                Measurement(
                    kernel="loaded_chase",
                    elements=read.numel(),
                    dtype="float32",
                    method="chase",
                    time_us=statistics.median(times),
                    low_us=min(times),
                    high_us=max(times),
                    repeats=len(times),
                    bytes_moved=read.nbytes,
                    gpu=here.name,
                    sm_cycles=statistics.median(clocks),
                    parameter=warps,
                )
            )
    return results


def _cold_chases(
    call: Callable[[], object], x: torch.Tensor, cycles: torch.Tensor
) -> tuple[list[float], list[float]]:
    """Return the microseconds of three calls, and the cycles of a load of the chase in each.

    x, many times L2, is written before each call: the chain's lines are in no cache.
    """
    times, clocks = [], []
    for _ in range(3):
        x.zero_()
        times += timing.GPU.intervals([call])
        clocks.append(cycles.item() / CHASE_STEPS)
    return times, clocks


def loaded_table(rows: pd.DataFrame) -> pd.DataFrame:
    """Return warps (an SM), gb_per_s (of the readers), cycles (a load) and times_idle.

    times_idle: the loaded latency over that without readers.
    """
    table = pd.DataFrame(
        {"warps": rows.parameter, "gb_per_s": rows.gb_per_s, "cycles": rows.sm_cycles}
    ).astype(float)
    idle = table[table.warps == 0].cycles.mean()
    return table.assign(times_idle=table.cycles / idle)


# ---- launch overhead -----------------------------------------------------------------------


@experiment("launch overhead")
def measure_launch_overhead(
    rounds: int = LAUNCH_ROUNDS, threads: Sequence[int] = LAUNCH_THREADS
) -> list[Measurement]:
    """Measure empty kernels of one block, `rounds` times each, in a random order.

    `parameter` counts the measurements: whether the time depends on the block's size, on when
    it was measured, or on the graph, which is a new one each time.
    """
    bench.require_gpu()
    order = [size for size in threads for _ in range(rounds)]
    random.Random(1).shuffle(order)
    results = []
    for number, size in enumerate(tqdm(order, desc="launch overhead", leave=False)):
        empty = bench.measure_empty(1, size)
        results.append(replace(empty, parameter=float(number)))
    return results


@experiment("streams")
def measure_streams(streams: int = MOST_STREAMS) -> list[Measurement]:
    """Measure an empty kernel again and again, after the process has used one more stream.

    `parameter` is the number of streams that ran something besides the engine's own two.
    PyTorch hands out 32 and begins again. Only a process that has measured nothing before shows
    where the time changes.
    """
    bench.require_gpu()
    empty = jit.load("empty")
    results = []
    for number in tqdm(range(streams + 1), desc="streams", leave=False):
        if number:
            timing.GPU.use_new_stream(partial(empty.launch_blocks, 1, LAUNCH_BLOCK))
        results.append(replace(bench.measure_empty(1, LAUNCH_BLOCK), parameter=float(number)))
    return results


# ---- read share ----------------------------------------------------------------------------


@experiment("read share")
def measure_read_share(elements: int = MIX_ELEMENTS) -> list[Measurement]:
    """Measure kernels that differ in nothing but the share of reads, `parameter`.

    Each thread has 6 loads in flight. elements: of all tensors together.
    """
    here = bench.require_gpu()
    kernel = checked("read_share", memory_cases.read_share).read_share
    results = []
    for reads, writes in tqdm(MIXES, desc="read share", leave=False):
        count = elements // (reads + writes) // 4 * 4
        x = torch.zeros(max(1, reads) * count, device=here.device)
        out = torch.empty(max(1, writes) * count, device=here.device)
        results.append(
            bench.measure_calls(
                [partial(kernel, x, out, reads, writes)],
                kernel=f"{reads} reads, {writes} writes",
                elements=count,
                dtype="float32",
                bytes_moved=4 * count * (reads + writes),
                block_size=256,
                parameter=reads / (reads + writes),
            )
        )
    return results


# ---- narrow and wide -----------------------------------------------------------------------


@experiment("narrow and wide")
def measure_narrow_wide(elements: int = WIDTH_ELEMENTS) -> list[Measurement]:
    """Measure V5, V6 and what lies between: narrow loads or stores, in three block sizes.

    The kernel is called "narrow loads, wide stores" and so on.
    """
    here = bench.require_gpu()
    kernel = checked("narrow_wide", memory_cases.narrow_wide).narrow_wide
    if here.memory_bytes:
        elements = min(elements, here.memory_bytes // 16 // 8 * 8)
    a, b, out = (
        torch.zeros(elements, dtype=torch.float16, device=here.device) for _ in range(3)
    )
    return [
        bench.measure_calls(
            [partial(kernel, a, b, out, narrow_loads, narrow_stores, threads)],
            kernel=f"{loads} loads, {stores} stores",
            elements=elements,
            dtype="float16",
            bytes_moved=6 * elements,
            block_size=threads,
        )
        for loads, narrow_loads in WIDTHS.items()
        for stores, narrow_stores in WIDTHS.items()
        for threads in WIDTH_THREADS
    ]
