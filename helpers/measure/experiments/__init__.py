"""Measurements that are more than one kernel over one size: one function per experiment, each for the present GPU.

    python -m helpers.measure.experiments record                  every experiment, appended to data/runs.csv
    python -m helpers.measure.experiments record divergence sums  only these

A function here takes no required argument, loads and checks its kernels, and returns `bench.Measurement`s; what
it varies stands in `kernel` (which way) and `parameter` (how much). `measured_or_recorded(name)` gives them as a
table: measured now where there is a GPU, else recorded on the H200.
"""

from __future__ import annotations

import argparse
import itertools
import statistics
from collections.abc import Callable, Sequence
from functools import partial

import pandas as pd
import torch
from tqdm import tqdm

from helpers import specs
from helpers.measure import bench, sass, store
from helpers.measure.bench import Measurement
from helpers.model import ceilings, occupancy, warps
from helpers.model.ladder import NAMES, dtypes
from helpers.run import jit, machine
from helpers.run.launcher import Kernel
from helpers.testing import check, kernel_cases

PRECISION = 0.01  # of the median, relative: experiments have many points

EXPERIMENTS: dict[str, Callable[..., list[Measurement]]] = {}


def experiment(name: str) -> Callable:
    """Enter a function into EXPERIMENTS under the name that its rows have in data/runs.csv."""

    def enter(function: Callable[..., list[Measurement]]) -> Callable[..., list[Measurement]]:
        EXPERIMENTS[name] = function
        return function

    return enter


def checked(name: str, some_cases: Callable | None = None) -> Kernel:
    """A kernel that has passed its check: nothing is timed before."""
    kernel = jit.load(name)
    check.check(kernel, cases=some_cases)
    return kernel


# ---- the ladder ------------------------------------------------------------------------------------------------------

BLOCK_SIZES = tuple(range(32, 1025, 32))  # every size of whole warps
EMPTY_GRIDS = (1, 1 << 12, 1 << 14, 1 << 16, 1 << 18, 1 << 20)
WORKING_SETS = tuple(
    round(specs.MIB * 2 ** (k / 2)) for k in range(24)
)  # 1 MiB to 2.8 GiB, by half powers of two


def _measure_adds(calls: Sequence[dict], title: str) -> list[Measurement]:
    """`bench.measure` for each set of arguments, each kernel checked first; what does not fit the card is left out."""
    kernels = {
        name: checked(name) for name in NAMES if any(call["kernel"] == name for call in calls)
    }
    measurements = []
    for call in tqdm(calls, desc=title, leave=False):
        try:
            measurements.append(
                bench.measure(**{**call, "kernel": kernels.get(call["kernel"], call["kernel"])})
            )
        except torch.OutOfMemoryError as error:
            tqdm.write(f"left out: {error}")
    return measurements


@experiment("ladder")
def ladder(
    methods: Sequence[str] = bench.METHODS, sizes: Sequence[int] = bench.ARTICLE_SIZES
) -> list[Measurement]:
    """Every version and torch.add as the article launches them: its three sizes, every dtype, three methods."""
    calls = [
        {"kernel": name, "dtype": dtype, "elements": size, "method": method}
        for method in methods
        for size in sizes
        for name in ("torch.add", *NAMES)
        for dtype in dtypes(name)
    ]
    return _measure_adds(calls, "ladder")


@experiment("block sweep")
def block_sweep(sizes: Sequence[int] = bench.ARTICLE_SIZES) -> list[Measurement]:
    """Every version in blocks of 32 to 1,024 threads, every whole number of warps."""
    calls = [
        {"kernel": name, "block_size": block_size, "elements": size}
        for size in sizes
        for name in NAMES
        for block_size in BLOCK_SIZES
    ]
    return _measure_adds(calls, "block sweep")


@experiment("working set")
def working_set(sets: Sequence[int] = WORKING_SETS) -> list[Measurement]:
    """V1, V2, V6 and torch.add over working sets (three tensors together) from 1 MiB to 2.8 GiB, hot and cold."""
    # 256 threads: the article's smaller blocks would hide what the memory does behind the block rate.
    kernels = {"v1_f32": 256, "v2_f32x4": 256, "v6_f16x8_pack": 256, "torch.add": None}
    calls = []
    for method in ("graph hot", "graph cold"):
        for name, block_size in kernels.items():
            dtype = dtypes(name)[0]
            for size in sets:
                elements = size // (3 * getattr(torch, dtype).itemsize) // 8 * 8
                launch = {
                    "kernel": name,
                    "dtype": dtype,
                    "elements": elements,
                    "block_size": block_size,
                }
                calls.append({**launch, "method": method})
    return _measure_adds(calls, "working set")


@experiment("empty kernel")
def empty_kernel() -> list[Measurement]:
    """An empty kernel of 1 to 2^20 blocks of 32 to 1,024 threads; `elements` is the number of blocks."""
    grids = [(blocks, block_size) for blocks in EMPTY_GRIDS for block_size in BLOCK_SIZES]
    return [
        bench.measure_empty(*grid) for grid in tqdm(grids, desc="empty kernel", leave=False)
    ]


# ---- latency_hiding, pointer_chase, matmul, bank_conflicts ----------------------------------------------------------

READ_ELEMENTS = 1 << 27  # 512 MiB: many times any L2
READ_WARPS = (1, 2, 4, 8, 16, 24, 32, 48, 64)  # per SM
READ_LOADS = tuple(
    itertools.product((4, 16), (1, 2, 4, 8))
)  # (bytes per load, loads in flight)
CHASE_LOADS = 1 << 16  # timed in one go
CHASE_LINE_BYTES = 128
MATMUL_SIDES = (1024, 2048, 4096, 4160)  # 4160: as large as 4096, and no power of two
TRANSPOSE_SIDE = 8192
WALK_STRIDES = (0, 1, 2, 3, 4, 6, 8, 12, 16, 24, 32)
WALK_ROUNDS = 1000


def read_launch(cc: str, warps_per_sm: int, registers: int) -> tuple[int, int] | None:
    """(block size, shared bytes a block) with which an SM holds exactly that many warps; None if it cannot.

    Shared memory is the dial: each block asks for so much that one more would not fit. As all of it is asked for
    in every case, L1 is equally small in all of them.
    """
    sm = specs.compute_capability(cc)
    block_size = 32 * min(warps_per_sm, 8)
    blocks = warps_per_sm * 32 // block_size
    unit = sm.smem_alloc_unit_bytes
    shared = sm.smem_per_sm_bytes // blocks // unit * unit - sm.reserved_smem_per_block_bytes
    shared = min(shared, sm.smem_per_block_optin_bytes)
    held = occupancy.occupancy(cc, block_size, registers, shared)
    return (block_size, shared) if held.warps == warps_per_sm else None


def read_registers(load_bytes: int, unroll: int) -> int:
    """Registers a thread of a version of kernels/latency_hiding.cu, as compiled for sm_90."""
    pack = {4: "float", 16: "float4"}[load_bytes]
    return (
        sass.read("latency_hiding", "sm_90").kernel(f"read_kernel<{pack}, {unroll}>").registers
    )


@experiment("latency hiding")
def latency_hiding() -> list[Measurement]:
    """Reading 512 MiB with 1 to 64 warps on each SM, 1 to 8 loads in flight a thread, 4 or 16 bytes a load.

    `parameter` is the warps on an SM. The last rows ("large L1") ask for no shared memory: L1 is as large as it can be.
    """
    here = bench.require_gpu()
    kernel = checked("latency_hiding", kernel_cases.latency_hiding)
    x = torch.randn(READ_ELEMENTS, device=here.device)

    def measure(
        name: str, warps_per_sm: int, load_bytes: int, unroll: int, launch: tuple[int, int]
    ) -> Measurement:
        block_size, shared = launch
        sums = torch.empty(32 * warps_per_sm * here.sm_count, device=here.device)
        call = partial(kernel.read_sum, x, sums, unroll, load_bytes, shared, block_size)
        return bench.measure_calls(
            [call],
            kernel=f"read_sum {unroll} x {load_bytes} B{name}",
            elements=READ_ELEMENTS,
            dtype="float32",
            bytes_moved=x.nbytes,
            block_size=block_size,
            precision=PRECISION,
            parameter=warps_per_sm,
        )

    todo = []
    for (load_bytes, unroll), warps_per_sm in itertools.product(READ_LOADS, READ_WARPS):
        if launch := read_launch(here.cc, warps_per_sm, read_registers(load_bytes, unroll)):
            todo.append(("", warps_per_sm, load_bytes, unroll, launch))
    todo += [(", large L1", w, 16, 4, (256, 0)) for w in (8, 16, 32, 48)]
    return [measure(*one) for one in tqdm(todo, desc="reading", leave=False)]


def chase_spans() -> list[int]:
    """Working sets of the pointer chase, bytes: from 8 KiB to 2 GiB, two to a doubling."""
    return [size for power in range(13, 31) for size in (1 << power, 3 << power - 1)] + [
        1 << 31
    ]


def random_chain(places: int, stride: int, device: str) -> torch.Tensor:
    """As `warps.random_cycle`, made on the device, where a long one takes no time: int32 [places x stride]."""
    order = torch.randperm(places, device=device) * stride
    order = order.roll(-int((order == 0).nonzero()))  # the chase starts at 0
    links = torch.zeros(places * stride, dtype=torch.int32, device=device)
    links[order] = order.roll(-1).to(torch.int32)
    return links


@experiment("pointer chase")
def pointer_chase() -> list[Measurement]:
    """2^16 dependent loads from line to line of growing working sets, `parameter` bytes.

    Before the clock starts the chain is walked once, so that each cache holds what it can; where the chain is many
    times L2, other data are written instead, so that no line of it is left. The note has the SM's own clock.
    """
    here = bench.require_gpu()
    kernel = checked("pointer_chase", kernel_cases.pointer_chase)
    last = torch.empty(1, dtype=torch.int32, device=here.device)
    cycles = torch.empty(1, dtype=torch.int64, device=here.device)
    clean = torch.empty(4 * here.l2_bytes, dtype=torch.int8, device=here.device)

    def measure(span: int) -> Measurement:
        lines = span // CHASE_LINE_BYTES
        links = random_chain(lines, CHASE_LINE_BYTES // 4, here.device)
        times, clocks = [], []
        for _ in range(3):
            if span > 4 * here.l2_bytes:
                clean.zero_()
            else:
                kernel.pointer_chase(links, last, cycles, max(lines, CHASE_LOADS))
            begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
            begin.record()
            kernel.pointer_chase(links, last, cycles, CHASE_LOADS)
            end.record()
            end.synchronize()
            times.append(begin.elapsed_time(end) * 1e3)
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
            gpu=here.name,
            note=f"{statistics.median(clocks):.1f} cycles a load",
            parameter=span,
        )

    with bench.gpu_to_itself():
        return [measure(span) for span in tqdm(chase_spans(), desc="chasing", leave=False)]


@experiment("matmul")
def matmul() -> list[Measurement]:
    """The four products of kernels/matmul.cu, and torch.matmul (cuBLAS, no TF32), of square matrices.

    `parameter` is the side.
    """
    here = bench.require_gpu()
    kernel = checked("matmul", kernel_cases.matmul)
    allowed = torch.backends.cuda.matmul.allow_tf32
    torch.backends.cuda.matmul.allow_tf32 = False
    calls = {
        "matmul_plain": kernel.matmul_plain,
        "matmul_tile16": kernel.matmul_tile16,
        "matmul_tile32 padded": partial(kernel.matmul_tile32, padding=1),
        "matmul_tile32": partial(kernel.matmul_tile32, padding=0),
        "matmul_registers": kernel.matmul_registers,
        "torch.matmul": lambda a, b, c: torch.matmul(a, b, out=c),
    }
    results = []
    try:
        for side, (name, call) in tqdm(
            list(itertools.product(MATMUL_SIDES, calls.items())), leave=False
        ):
            a, b = (torch.randn(side, side, device=here.device) for _ in range(2))
            c = torch.empty_like(a)
            results.append(
                bench.measure_calls(
                    [partial(call, a, b, c)],
                    kernel=name,
                    elements=side * side,
                    dtype="float32",
                    bytes_moved=3 * a.nbytes,
                    flops=2 * side**3,
                    precision=PRECISION,
                    parameter=side,
                )
            )
    finally:
        torch.backends.cuda.matmul.allow_tf32 = allowed
    return results


@experiment("bank conflicts")
def bank_conflicts() -> list[Measurement]:
    """Transposes of 8192 x 8192 float32 with and without padding, and walks through shared memory.

    The walks' `parameter` is the stride. A walk has 64 warps on each SM (fewer where an SM holds fewer), each
    making 1,000 dependent reads.
    """
    here = bench.require_gpu()
    kernel = checked("bank_conflicts", kernel_cases.bank_conflicts)
    x = torch.randn(TRANSPOSE_SIDE, TRANSPOSE_SIDE, device=here.device)
    out = torch.empty_like(x)
    walkers = torch.empty(
        specs.compute_capability(here.cc).max_threads_per_sm * here.sm_count // 256 * 256
    )
    walkers = walkers.to(torch.int32).to(here.device)
    transposes = {
        "transpose": partial(kernel.transpose, x, out, padding=0),
        "transpose padded": partial(kernel.transpose, x, out, padding=1),
        "torch transpose": lambda: out.copy_(x.T),
    }
    results = [
        bench.measure_calls(
            [call], kernel=name, elements=x.numel(), dtype="float32", bytes_moved=2 * x.nbytes
        )
        for name, call in transposes.items()
    ]
    for stride in WALK_STRIDES:
        call = partial(kernel.strided_walk, walkers, stride=stride, rounds=WALK_ROUNDS)
        results.append(
            bench.measure_calls(
                [call],
                kernel="strided_walk",
                elements=walkers.numel(),
                dtype="int32",
                bytes_moved=4 * WALK_ROUNDS * walkers.numel(),
                block_size=256,
                precision=PRECISION,
                parameter=stride,
            )
        )
    return results


def read_table(rows: pd.DataFrame) -> pd.DataFrame:
    """The rows of "latency hiding" with columns for the dials: unroll, load_bytes, warps (on an SM), large_l1 and
    kilobytes (in flight on an SM, if every load is on its way all the time)."""
    dials = rows.kernel.str.extract(r"read_sum (\d+) x (\d+) B").astype("Int64")
    table = rows.assign(
        unroll=dials[0], load_bytes=dials[1], warps=rows.parameter.astype("Int64")
    )
    table["large_l1"] = rows.kernel.str.endswith("large L1")
    table["kilobytes"] = table.warps * table.unroll * table.load_bytes * 32 / 1e3
    return table


def chase_table(rows: pd.DataFrame) -> pd.DataFrame:
    """The rows of "pointer chase" as span (bytes), ns (a load) and cycles (a load, by the SM's clock)."""
    cycles = rows.note.str.extract(r"([\d.]+) cycles a load")[0].astype(float)
    return pd.DataFrame(
        {"span": rows.parameter, "ns": rows.time_us * 1e3 / CHASE_LOADS, "cycles": cycles}
    ).astype(float)


def latency_and_clock(chase: pd.DataFrame, span: int) -> tuple[float, float]:
    """Nanoseconds a load in a working set of `span` bytes, and the SM's clock in GHz, from `chase_table`'s table.

    Where that is empty: the H200's recorded latency and its specified clock, and a line that says so.
    """
    if chase.empty:
        h200 = ceilings.card("H200 SXM")
        print(
            "no pointer chase here: the latency of data/ceilings.csv, the clock of data/gpus.csv"
        )
        return h200.memory_latency_ns, h200.gpu.boost_MHz / 1e3
    row = chase.iloc[(chase.span - span).abs().argmin()]
    return row.ns, float((chase.cycles / chase.ns).median())


def products_table(rows: pd.DataFrame, side: int) -> pd.Series:
    """The rows of "matmul" for one side as TFLOP/s by kernel: 2 side^3 operations over the time."""
    own = rows[rows.parameter == side]
    return pd.Series(
        (2 * side**3 / own.time_us / 1e6).to_numpy(float),
        index=own.kernel.to_numpy(str),
        dtype=float,
    )


# ---- divergence -----------------------------------------------------------------------------------------------------

ORDERS = ("mixed", "sorted", "by warp")
FRACTIONS = (0, 1 / 64, 1 / 32, 1 / 16, 1 / 8, 1 / 4, 1 / 2, 3 / 4, 7 / 8, 31 / 32, 1)


def branch_data(
    elements: int, fraction: float, order: str, device: str = "cpu"
) -> torch.Tensor:
    """The same float32 numbers in one of three orders; `fraction` of them are >= 0, the others negative. [elements]

    "mixed": at random; "sorted": the negative ones first; "by warp": every 32 neighbours have one sign, and the
    warps are at random. elements must be a multiple of 32; the fraction is rounded to whole warps.
    Raises ValueError for another order or another number of elements.
    """
    if order not in ORDERS or elements % warps.WARP_SIZE:
        raise ValueError(
            f"give an order of {ORDERS} and a multiple of 32 elements, not {order!r} and {elements}"
        )
    generator = torch.Generator(device).manual_seed(elements)
    x = torch.rand(elements, device=device, generator=generator) + 0.5
    x[: elements - round(fraction * elements / 32) * 32] *= -1
    if order == "mixed":
        return x[torch.randperm(elements, device=device, generator=generator)]
    if order == "by warp":
        groups = x.view(-1, 32)
        return groups[torch.randperm(len(groups), device=device, generator=generator)].view(-1)
    return x


def _time_branch(
    launcher: Callable, name: str, x: torch.Tensor, steps: int, parameter: float
) -> Measurement:
    out = torch.empty_like(x)
    return bench.measure_calls(
        [partial(launcher, x, out, steps=steps)],
        kernel=name,
        elements=x.numel(),
        dtype="float32",
        bytes_moved=2 * x.nbytes,
        block_size=256,
        precision=PRECISION,
        parameter=parameter,
    )


def _time_sort(x: torch.Tensor) -> Measurement:
    out = torch.empty_like(x), torch.empty_like(x, dtype=torch.int64)
    return bench.measure_calls(
        [partial(torch.sort, x, out=out)],
        kernel="torch.sort",
        elements=x.numel(),
        dtype="float32",
        bytes_moved=2 * x.nbytes,
        precision=PRECISION,
    )


@experiment("divergence")
def divergence(
    sizes: Sequence[tuple[int, int]] = ((1 << 20, 100), (1 << 24, 100), (1 << 24, 1000)),
    fractions: Sequence[float] = FRACTIONS,
) -> list[Measurement]:
    """The same data in three orders: kernel "branch STEPS ORDER", parameter the fraction that takes the long way.

    sizes: (elements, steps). Beside them, at one half, the long way for all ("all_long 100 mixed"), both ways
    for all ("select_both 100 mixed"), and what sorting costs ("torch.sort").
    """
    kernel = checked("divergence", kernel_cases.divergence)
    device = machine.present().device
    results = []
    for elements, steps in sizes:
        for fraction in tqdm(
            fractions, desc=f"{elements:,} elements, {steps} steps", leave=False
        ):
            for order in ORDERS:
                x = branch_data(elements, fraction, order, device)
                results.append(
                    _time_branch(kernel.branch, f"branch {steps} {order}", x, steps, fraction)
                )
                if fraction == 1 / 2 and order == "mixed":
                    for name in ("all_long", "select_both"):
                        way = f"{name} {steps} {order}"
                        results.append(
                            _time_branch(getattr(kernel, name), way, x, steps, fraction)
                        )
                    results.append(_time_sort(x))
    return results


CROSSOVER_STEPS = (1, 2, 4, 8, 16, 32, 64, 128, 256)  # all compiled in
CROSSOVER_DATA = ((1 / 2, "mixed"), (1 / 64, "mixed"), (1 / 2, "by warp"))


@experiment("select crossover")
def select_crossover(
    sizes: Sequence[int] = (1 << 22, 1 << 24), steps: Sequence[int] = CROSSOVER_STEPS
) -> list[Measurement]:
    """A branch against both ways and a select: kernel "LAUNCHER ORDER FRACTION", parameter the long way's steps.

    2^22 elements stay in L2 (of 50 MiB or more); 2^24 do not.
    """
    kernel = checked("divergence", kernel_cases.divergence)
    results = []
    for elements in sizes:
        for fraction, order in CROSSOVER_DATA:
            x = branch_data(elements, fraction, order, machine.present().device)
            for count in tqdm(
                steps, desc=f"{elements:,} elements, {order} {fraction:g}", leave=False
            ):
                for name in ("branch", "select_both"):
                    launcher = getattr(kernel, name)
                    results.append(
                        _time_branch(launcher, f"{name} {order} {fraction:g}", x, count, count)
                    )
    return results


# ---- sums -----------------------------------------------------------------------------------------------------------

SUM_BLOCKS = (
    1056  # 8 blocks of 256 threads on each of 132 multiprocessors: all of an H200's at once
)


def sum_calls(
    kernel: Kernel, x: torch.Tensor
) -> dict[str, tuple[Callable[[], None], int | None]]:
    """{name: (a call that sums x, how many partial sums it makes)} for every way of kernels/sums.cu and torch.sum.

    "..., 256 a block" gives each block 256 elements, one a thread; "..., loop" is a grid of SUM_BLOCKS blocks whose
    threads walk through the array.
    """
    n, total = x.numel(), torch.empty(1, device=x.device)
    calls: dict[str, tuple[Callable[[], None], int | None]] = {}
    for name in ("sum_one_thread", "sum_tree", "sum_shuffle", "sum_block"):
        per_block = 8 if name == "sum_shuffle" else 1
        for way, blocks in (("256 a block", -(-n // 256)), ("loop", SUM_BLOCKS)):
            partials = torch.empty(blocks * per_block, device=x.device)
            calls[f"{name}, {way}"] = (
                partial(getattr(kernel, name), x, partials),
                partials.numel(),
            )
    calls["sum_atomic_each"] = partial(kernel.sum_atomic_each, x, total), None
    calls["sum_atomic"] = partial(kernel.sum_atomic, x, total, blocks=SUM_BLOCKS), SUM_BLOCKS
    partials = torch.empty(SUM_BLOCKS, device=x.device)
    calls["sum_two_pass"] = partial(kernel.sum_two_pass, x, partials, total), SUM_BLOCKS
    calls["torch.sum"] = partial(torch.sum, x, 0, keepdim=True, out=total), None
    return calls


@experiment("sums")
def sums(
    sizes: Sequence[int] = (1 << 20, 1 << 24, 1 << 28), names: Sequence[str] | None = None
) -> list[Measurement]:
    """Every way to sum, over n elements: parameter the number of partial sums. GB/s count the 4 n bytes of x only.

    "copy" is x.copy_ of the same array (4 n bytes read, 4 n written), the yardstick for them.
    """
    kernel = checked("sums", kernel_cases.sums)
    results = []
    for elements in sizes:
        x = torch.randn(elements, device=machine.present().device)
        calls = sum_calls(kernel, x)
        for name in tqdm(names or calls, desc=f"{elements:,} elements", leave=False):
            call, count = calls[name]
            results.append(
                bench.measure_calls(
                    [call],
                    kernel=name,
                    elements=elements,
                    dtype="float32",
                    bytes_moved=x.nbytes,
                    block_size=None if name == "torch.sum" else 256,
                    flops=elements,
                    precision=PRECISION,
                    parameter=count,
                )
            )
        results.append(bench.measure_copy(x))
    return results


# ---- what there is to see -------------------------------------------------------------------------------------------


def measured_or_recorded(name: str, **options) -> pd.DataFrame:
    """An experiment as a table with the columns of data/runs.csv: measured now on a GPU, else recorded; says which.

    options go to the experiment's function (fewer sizes, for instance) when it is measured now. Without a GPU and
    without a record the table is empty, and the printed line says how to make one.
    """
    here = machine.present()
    if here.is_gpu:
        rows = store.frame(_function(name)(**options), name)
        print(f"measured now on {here.name}")
        return rows
    _function(name)
    rows = store.load(name, gpu=store.RECORDED_GPU)
    if rows.empty:
        print(
            f"NO RECORD of {name!r} yet: `python -m helpers.measure.experiments record '{name}'` on a GPU makes one"
        )
    else:
        print(f"no GPU here: recorded on {store.RECORDED_GPU}, {rows.date.max()}")
    return rows


def _function(name: str) -> Callable[..., list[Measurement]]:
    if name not in EXPERIMENTS:
        raise KeyError(f"no experiment {name!r}; there are {', '.join(EXPERIMENTS)}")
    return EXPERIMENTS[name]


def record(names: Sequence[str] = ()) -> int:
    """Measure experiments (all, and the roofs, by default) on the present GPU and append them to data/."""
    here = bench.require_gpu()
    functions = {name: _function(name) for name in names or EXPERIMENTS}
    for name, function in functions.items():
        rows = store.append(function(), name)
        print(f"{name}: {len(rows)} measurements recorded on {here.name}", flush=True)
    if not names:
        store.write_roofs(bench.measure_roofs())
    return 0


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m helpers.measure.experiments", description=__doc__
    )
    commands = parser.add_subparsers(dest="command", required=True)
    recorder = commands.add_parser(
        "record", help="measure experiments on this GPU and append them to data/runs.csv"
    )
    recorder.add_argument(
        "names", nargs="*", help=f"of {', '.join(map(repr, EXPERIMENTS))}; all by default"
    )
    return record(parser.parse_args(arguments).names)
