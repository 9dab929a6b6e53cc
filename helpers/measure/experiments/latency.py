"""Measure latency: how many loads in flight hide it, and how long one load takes."""

from __future__ import annotations

import itertools
import statistics
from collections.abc import Callable, Sequence
from functools import partial

import pandas as pd
import torch
from tqdm import tqdm

from helpers import specs
from helpers.errors import BuildError
from helpers.measure import bench, roofs, sass, timing
from helpers.measure.experiments.registry import PRECISION, checked, experiment
from helpers.measure.measurement import Measurement
from helpers.model import arguments, ceilings, occupancy
from helpers.testing import kernel_cases

READ_ELEMENTS = 1 << 27  # 512 MiB: many times any L2
READ_WARPS = (1, 2, 4, 8, 16, 24, 32, 48, 64)  # per SM
READ_LOADS = tuple(itertools.product((4, 16), (1, 2, 4, 8)))  # (bytes a load, loads in flight)
LARGE_L1_WARPS = (8, 16, 32, 48)  # per SM
CHASE_LOADS = 1 << 16  # timed in one launch
CHASE_LINE_BYTES = 128


# ---- latency hiding ------------------------------------------------------------------------


@arguments.checked
def read_launch(
    cc: str, warps_per_sm: arguments.Count, registers: arguments.Count
) -> tuple[int, int] | None:
    """Return (block size, shared bytes a block) that put exactly so many warps on an SM.

    None where no launch does. Shared memory limits the blocks: each asks for so much that one
    more would not fit. As every launch asks for all of it, L1 is equally small in all of them.
    """
    sm = specs.compute_capability(cc)
    block_size = specs.WARP_SIZE * min(warps_per_sm, 8)
    blocks = warps_per_sm * specs.WARP_SIZE // block_size
    unit = sm.smem_alloc_unit_bytes
    shared = sm.smem_per_sm_bytes // blocks // unit * unit - sm.reserved_smem_per_block_bytes
    shared = min(shared, sm.smem_per_block_optin_bytes)
    held = occupancy.occupancy(cc, block_size, registers, shared)
    return (block_size, shared) if held.warps == warps_per_sm else None


@arguments.checked
def read_registers(arch: str, load_bytes: int, unroll: int) -> int:
    """Return the registers a thread of a version of kernels/latency_hiding.cu on `arch`.

    Without the tools to read its machine code for `arch`, the most of the recorded listings.
    """
    packs = {4: "float", 16: "float4"}
    if load_bytes not in packs:
        raise ValueError(f"load_bytes is {load_bytes}: give 4 or 16")
    pack = packs[load_bytes]
    name = f"read_kernel<{pack}, {unroll}>"
    try:
        return sass.read("latency_hiding", arch).kernel(name).registers
    except BuildError:
        recorded = [row.arch for row in sass.manifest() if row.kernel == "latency_hiding"]
        kernels = [sass.read("latency_hiding", other).kernel(name) for other in recorded]
        return max(kernel.registers for kernel in kernels)


@experiment("latency hiding")
def measure_latency_hiding(
    loads: Sequence[tuple[int, int]] = READ_LOADS,
    warps: Sequence[int] = READ_WARPS,
    large_l1: Sequence[int] = LARGE_L1_WARPS,
) -> list[Measurement]:
    """Measure a read of 512 MiB with 1 to 64 warps on each SM and 1 to 8 loads in flight.

    `parameter` is the warps on an SM. loads: bytes of a load, 4 or 16, and loads in flight.
    The last rows ask for no shared memory, with `large_l1` warps on an SM: L1 is as large as it
    can be.
    """
    here = bench.require_gpu()
    arch = specs.compute_capability(here.cc).arch
    kernel = checked("latency_hiding", kernel_cases.latency_hiding)
    x = torch.randn(bench.largest_that_fits(READ_ELEMENTS, 4), device=here.device)
    todo = []
    for (load_bytes, unroll), warps_per_sm in itertools.product(loads, warps):
        registers = read_registers(arch, load_bytes, unroll)
        if launch := read_launch(here.cc, warps_per_sm, registers):
            dials = {"unroll": unroll, "load_bytes": load_bytes, "large_l1": False}
            todo.append((warps_per_sm, launch, dials))
    for warps_per_sm in large_l1:
        dials = {"unroll": 4, "load_bytes": 16, "large_l1": True}
        todo.append((warps_per_sm, (256, 0), dials))
    return [
        _measure_read(kernel.read_sum, x, here.sm_count, *one)
        for one in tqdm(todo, desc="reading", leave=False)
    ]


def _measure_read(
    read_sum: Callable[..., None],
    x: torch.Tensor,
    sm_count: int,
    warps_per_sm: int,
    launch: tuple[int, int],
    dials: dict[str, int],
) -> Measurement:
    block_size, shared = launch
    sums = torch.empty(specs.WARP_SIZE * warps_per_sm * sm_count, device=x.device)
    call = partial(read_sum, x, sums, dials["unroll"], dials["load_bytes"], shared, block_size)
    return bench.measure_calls(
        [call],
        kernel="read_sum",
        elements=x.numel(),
        dtype="float32",
        bytes_moved=x.nbytes,
        block_size=block_size,
        precision=PRECISION,
        parameter=warps_per_sm,
        dials=dials,
    )


def read_table(rows: pd.DataFrame) -> pd.DataFrame:
    """Return the rows of "latency hiding" with two more columns.

    warps: on an SM; kilobytes: in flight on an SM, if every load is in flight all the time.
    """
    table = rows.assign(warps=rows.parameter.astype("Int64"))
    bytes_per_warp = table.unroll * table.load_bytes * specs.WARP_SIZE
    return table.assign(kilobytes=table.warps * bytes_per_warp / 1e3)


# ---- pointer chase -------------------------------------------------------------------------


def chase_spans() -> list[int]:
    """Return the chase's working sets in bytes: 8 KiB to 2 GiB, two to a doubling."""
    spans = [size for power in range(13, 31) for size in (1 << power, 3 << power - 1)]
    return [*spans, 1 << 31]


@experiment("pointer chase")
def measure_pointer_chase(spans: Sequence[int] | None = None) -> list[Measurement]:
    """Measure 2^16 dependent loads from line to line of working sets of `parameter` bytes.

    sm_cycles: of one load, by the SM's own clock. spans: bytes, `chase_spans()` by default.
    """
    here = bench.require_gpu()
    kernel = checked("pointer_chase", kernel_cases.pointer_chase)
    clean = torch.empty(4 * here.l2_bytes, dtype=torch.int8, device=here.device)
    with bench.gpu_to_itself():
        return [
            _measure_chase(kernel.pointer_chase, span, clean, here.name)
            for span in tqdm(_fitting_spans(spans), desc="chasing", leave=False)
        ]


def _fitting_spans(spans: Sequence[int] | None) -> list[int]:
    """Return the working sets that fit this GPU's memory; making a chain takes 5 times that."""
    spans = list(spans or chase_spans())
    most = 4 * bench.largest_that_fits(max(spans) // 4, 5 * 4)
    return [span for span in spans if span <= most]


def _measure_chase(
    chase: Callable[..., None], span: int, clean: torch.Tensor, gpu: str
) -> Measurement:
    """Measure three chases through `span` bytes, with the caches in the same state before each.

    Each cache holds what it can of the chain, which was walked once; a chain that is larger
    than `clean` (bytes, several times L2) finds other data in L2.
    """
    lines = span // CHASE_LINE_BYTES
    links = roofs.random_chain(lines, CHASE_LINE_BYTES // 4, clean.device)
    last = torch.empty(1, dtype=torch.int32, device=clean.device)
    cycles = torch.empty(1, dtype=torch.int64, device=clean.device)
    times, clocks = [], []
    for _ in range(3):
        if span > clean.nbytes:
            clean.zero_()
        else:
            chase(links, last, cycles, max(lines, CHASE_LOADS))
        times += timing.GPU.intervals([partial(chase, links, last, cycles, CHASE_LOADS)])
        clocks.append(cycles.item() / CHASE_LOADS)
    return Measurement(
        kernel="pointer_chase",
        elements=span // 4,
        dtype="int32",
        method="chase",
        time_us=statistics.median(times),
        low_us=min(times),
        high_us=max(times),
        repeats=len(times),
        bytes_moved=4 * CHASE_LOADS,
        gpu=gpu,
        sm_cycles=statistics.median(clocks),
        parameter=span,
    )


def chase_table(rows: pd.DataFrame) -> pd.DataFrame:
    """Return "pointer chase" as span (bytes), ns (a load) and cycles (a load, of the SM)."""
    ns = rows.time_us * 1e3 / CHASE_LOADS
    table = pd.DataFrame({"span": rows.parameter, "ns": ns, "cycles": rows.sm_cycles})
    return table.astype(float)


def latency_and_clock(chase: pd.DataFrame, span: int) -> tuple[float, float]:
    """Return nanoseconds a load in a working set of `span` bytes, and the SM's clock in GHz.

    chase: from `chase_table`. Where it is empty: the H200's recorded latency and its specified
    clock, and a line that says so.
    """
    if chase.empty:
        recorded = ceilings.card(roofs.RECORDED_CARD)
        print(
            "no pointer chase here: "
            "the latency of data/ceilings.csv, the clock of data/gpus.csv"
        )
        return recorded.memory_latency_ns, recorded.gpu.boost_MHz / 1e3
    row = chase.iloc[(chase.span - span).abs().argmin()]
    return row.ns, float((chase.cycles / chase.ns).median())
