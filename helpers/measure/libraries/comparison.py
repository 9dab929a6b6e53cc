"""The course's fastest kernels beside the libraries': same buffers, one interleaved run, hot and cold.

    python -m helpers.measure.libraries.comparison record [--runs 3]     every cell, appended to data/library_comparison.csv
    python -m helpers.measure.libraries.comparison tune                  the launch rule's own choices against its neighbours
    python -m helpers.measure.libraries.comparison record-template       notebook 17: rungs, operators, layer norm, into data/runs.csv

An *operation* is an add or a cast and its dtype; a *contender* is somebody's way to do it; a *cell* is an
operation at one size, hot or cold. Method: every contender's launches are captured in a CUDA graph of about
two milliseconds; each round replays all graphs in a new random order and takes one time from each. Hot: one
set of buffers, and a replay that is not timed before the one that is. Cold: the launches take sets of buffers
in turn, together over four times L2. Each run allocates anew. Nothing is timed that is not right to the bit.
"""

from __future__ import annotations

import argparse
import os
import random
import re
import statistics
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache, partial
from pathlib import Path

import pandas as pd
import torch
from tqdm import tqdm

from helpers import specs
from helpers.errors import CheckError
from helpers.measure import bench, store, timing
from helpers.run import jit, machine
from helpers.testing import check

SIZES = bench.ARTICLE_SIZES
METHODS = ("graph hot", "graph cold")
COURSE, TEMPLATE = "course", "template"
REPLAY_US = 2000.0
LEAST_LAUNCHES = 4  # in a graph: a programmatic launch gains only behind another kernel
ROUNDS = 11
BITS = {4: torch.int32, 2: torch.int16}
TRITON_CONFIGS = (
    (1024, 4),
    (1024, 8),
    (2048, 8),
    (4096, 8),
    (8192, 16),
)  # elements a block, warps

Call = Callable[[], object]
Bind = Callable[
    [Sequence[torch.Tensor], torch.Tensor], Call
]  # inputs, out -> a call without arguments


@dataclass(frozen=True)
class Operation:
    """C = A + B, or a cast from float32. `dtype` is the output's."""

    name: str  # "add" or "cast"
    dtype: torch.dtype

    @property
    def input_dtypes(self) -> tuple[torch.dtype, ...]:
        return (self.dtype, self.dtype) if self.name == "add" else (torch.float32,)

    @property
    def bytes_per_element(self) -> int:
        return sum(dtype.itemsize for dtype in self.input_dtypes) + self.dtype.itemsize

    @property
    def launcher(self) -> str:
        suffix = {torch.float32: "", torch.float16: "_f16", torch.bfloat16: "_bf16"}[self.dtype]
        return self.name + suffix

    def reference(self, inputs: Sequence[torch.Tensor]) -> torch.Tensor:
        return inputs[0] + inputs[1] if self.name == "add" else inputs[0].to(self.dtype)

    def __str__(self) -> str:
        return f"{self.name} {str(self.dtype).removeprefix('torch.')}"


OPERATIONS = (
    *(Operation("add", dtype) for dtype in (torch.float32, torch.float16, torch.bfloat16)),
    *(Operation("cast", dtype) for dtype in (torch.float16, torch.bfloat16)),
)


@dataclass(frozen=True)
class Contender:
    """One way to do an operation. `name` may have a variant behind a colon: the best one counts."""

    name: str
    version: str
    bind: Bind = field(repr=False)

    @property
    def family(self) -> str:
        return self.name.split(":")[0]


# ------------------------------------------------------------------------------------------------------ contenders


@cache
def _kernel(name: str | Path):
    return jit.load(name)


def ours(operation: Operation, file: str, name: str, **arguments: int) -> Contender:
    """A kernel of the course: kernels/<file>_add.cu or kernels/<file>_cast.cu."""
    launcher = getattr(_kernel(f"{file}_{operation.name}"), operation.launcher)
    return Contender(name, "", lambda inputs, out: partial(launcher, *inputs, out, **arguments))


def _eager(operation: Operation) -> list[Contender]:
    def bind(inputs, out):
        if operation.name == "add":
            return lambda: torch.add(*inputs, out=out)
        return lambda: out.copy_(inputs[0])

    return [Contender("torch", torch.__version__, bind)]


def _compiled(operation: Operation) -> list[Contender]:
    import torch._dynamo

    torch._dynamo.reset()
    if operation.name == "add":
        function = torch.compile(lambda a, b, out: out.copy_(a + b), dynamic=False)
    else:
        function = torch.compile(lambda x, out: out.copy_(x), dynamic=False)
    return [
        Contender(
            "torch.compile",
            torch.__version__,
            lambda inputs, out: partial(function, *inputs, out),
        )
    ]


def _triton(operation: Operation) -> list[Contender]:
    import triton

    from helpers.measure.libraries import triton_kernels

    return [
        Contender(
            f"Triton:{block} elements, {warps} warps",
            triton.__version__,
            partial(triton_kernels.bind, block=block, warps=warps),
        )
        for block, warps in TRITON_CONFIGS
    ]


def cub_version() -> str:
    """The version of the CUB that nvcc finds, such as "3.0.1"; "" where there is none."""
    nvcc = machine.find_nvcc()
    for header in sorted(nvcc.home.glob("**/cub/version.cuh")) if nvcc else ():
        if found := re.search(r"define CUB_VERSION (\d+)", header.read_text(encoding="utf-8")):
            number = int(found[1])
            return f"{number // 100000}.{number // 100 % 1000}.{number % 100}"
    return ""


def _cub(operation: Operation) -> list[Contender]:
    launcher = getattr(
        _kernel(Path(__file__).with_name("cub_transform.cu")), operation.launcher
    )
    return [
        Contender("CUB", cub_version(), lambda inputs, out: partial(launcher, *inputs, out))
    ]


def _cupy(operation: Operation) -> list[Contender]:
    import cupy

    def array(tensor: torch.Tensor):
        if tensor.dtype is torch.bfloat16:
            import ml_dtypes

            return cupy.asarray(tensor.view(torch.int16)).view(cupy.dtype(ml_dtypes.bfloat16))
        return cupy.asarray(tensor)

    def bind(inputs, out):
        arrays, result = [array(tensor) for tensor in inputs], array(out)

        def call():
            with _cupy_stream(cupy, torch.cuda.current_stream()):
                if len(arrays) == 2:
                    cupy.add(*arrays, out=result)
                else:
                    cupy.copyto(result, arrays[0], casting="unsafe")

        return call

    return [Contender("CuPy", cupy.__version__, bind)]


def _cupy_stream(cupy, stream: torch.cuda.Stream):
    """A torch stream as CuPy's: newer ones take it as it is, older ones by its address."""
    if hasattr(cupy.cuda.Stream, "from_external"):
        return cupy.cuda.Stream.from_external(stream)
    return cupy.cuda.ExternalStream(stream.cuda_stream)


LIBRARIES = {
    "torch": _eager,
    "torch.compile": _compiled,
    "Triton": _triton,
    "CUB": _cub,
    "CuPy": _cupy,
}
_missing: set[str] = set()


def libraries(operation: Operation) -> list[Contender]:
    """The peers that are here; each that is not says so, once."""
    found = []
    for name, make in LIBRARIES.items():
        try:
            found += make(operation)
        except Exception as error:
            if name not in _missing:
                _missing.add(name)
                print(
                    f"{name} is not measured: {type(error).__name__}: {str(error)[:200]}",
                    flush=True,
                )
    return found


# ------------------------------------------------------------------------------------------------------ measuring


def _buffers(
    operation: Operation, elements: int, sets: int
) -> list[tuple[list[torch.Tensor], torch.Tensor]]:
    return [
        (
            [
                torch.randn(elements, device="cuda").to(dtype)
                for dtype in operation.input_dtypes
            ],
            torch.empty(elements, dtype=operation.dtype, device="cuda"),
        )
        for _ in range(sets)
    ]


def _same(x: torch.Tensor, y: torch.Tensor) -> bool:
    return torch.equal(x.view(BITS[x.itemsize]), y.view(BITS[y.itemsize]))


def _capture(calls: Sequence[Call], launches: int) -> torch.cuda.CUDAGraph:
    # Not `with torch.cuda.graph`: that collects garbage each time, and there are a thousand graphs.
    graph = torch.cuda.CUDAGraph()
    graph.capture_begin()
    try:
        for index in range(launches):
            calls[index % len(calls)]()
    finally:
        graph.capture_end()
    return graph


def _interleave(
    graphs: dict[str, torch.cuda.CUDAGraph], launches: int, rounds: int, hot: bool
) -> dict[str, list]:
    """Microseconds a launch, one number a round, of every graph; in a new random order each round."""
    times: dict[str, list[float]] = {name: [] for name in graphs}
    for _ in range(rounds):
        events = {}
        for name in random.sample(list(graphs), len(graphs)):
            if hot:
                graphs[name].replay()
            events[name] = first, last = [
                torch.cuda.Event(enable_timing=True) for _ in range(2)
            ]
            first.record()
            graphs[name].replay()
            last.record()
        torch.cuda.synchronize()
        for name, (first, last) in events.items():
            times[name].append(first.elapsed_time(last) * 1e3 / launches)
    return times


def measure_cell(
    operation: Operation,
    elements: int,
    method: str,
    contenders: Sequence[Contender],
    rounds: int = ROUNDS,
) -> dict[str, list[float]]:
    """Microseconds a launch, `rounds` numbers for each contender's name, on buffers of its own run.

    A contender that is wrong raises CheckError if it is the course's, else it says so and is left out, as is one
    that cannot be captured.
    """
    hot = method == "graph hot"
    moved = operation.bytes_per_element * elements
    sets = 1 if hot else max(2, bench.sets_for(method, moved, bench.require_gpu().l2_bytes))
    buffers = _buffers(operation, elements, sets)
    want = operation.reference(buffers[0][0])
    launches = max(LEAST_LAUNCHES, round(REPLAY_US / (moved / 4.4e6 + 1)))
    launches = -(-launches // sets) * sets
    graphs = {}
    side = torch.cuda.Stream()
    for contender in contenders:
        try:
            calls = [contender.bind(inputs, out) for inputs, out in buffers]
            buffers[0][1].view(BITS[operation.dtype.itemsize]).fill_(-1)
            torch.cuda.synchronize()
            with torch.cuda.stream(side):
                for call in calls:
                    call()
                side.synchronize()
                if not _same(buffers[0][1], want):
                    raise CheckError(
                        f"{contender.name} is wrong: {operation}, {elements:,} elements"
                    )
                graphs[contender.name] = _capture(calls, launches)
            graphs[contender.name].replay()
        except Exception as error:
            if contender.family in (COURSE, TEMPLATE):
                raise
            words = f"{type(error).__name__}: {str(error)[:160]}"
            tqdm.write(
                f"{contender.name} is left out of {operation}, {elements:,}, {method}: {words}"
            )
    torch.cuda.synchronize()
    return _interleave(graphs, launches, rounds, hot)


def chain_is_right(
    launcher: Callable[..., None], dtype: torch.dtype, elements: int, links: int = 24
) -> bool:
    """Whether an add is right where each launch reads what the one before has written, and overwrites what it read.

    On the stream and, on a GPU, in a CUDA graph. A launch that starts too early gives it away.
    """
    device = machine.present().device
    step = torch.randn(elements).to(dtype).to(device)
    start = torch.randn(elements).to(dtype).to(device)
    buffers = [start.clone(), *(torch.empty_like(start) for _ in range(2))]
    want = [start.clone(), None, None]
    for i in range(links):
        want[(i + 1) % 3] = want[i % 3] + step

    def chain() -> None:
        for i in range(links):
            launcher(buffers[i % 3], step, buffers[(i + 1) % 3])

    chain()
    right = all(map(_same, buffers, want))
    if machine.present().is_gpu:
        buffers[0].copy_(start)
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.graph(graph):
            chain()
        for _ in range(3):
            buffers[0].copy_(start)
            graph.replay()
            right &= all(map(_same, buffers, want))
    return right


def check_ours() -> None:
    """Check every kernel of the course that takes part, on both of its paths. Raises CheckError."""
    for name, reference in (("add", lambda a, b: a + b), ("cast", lambda x: x)):
        check.check(_kernel(f"op_{name}"), reference)
        for path in (0, 1, 2):
            check.check(_kernel(f"fast_{name}"), reference, path=path)
    for operation in OPERATIONS[:3]:
        launcher = getattr(_kernel("fast_add"), operation.launcher)
        for path in (1, 2):
            for elements in (1 << 10, (1 << 20) + 5, 1 << 22):
                if not chain_is_right(partial(launcher, path=path), operation.dtype, elements):
                    raise CheckError(
                        f"fast_add, path {path}: dependent launches of {elements:,} {operation} are wrong"
                    )


# ------------------------------------------------------------------------------------------------------ the record


def cells() -> Iterator[tuple[Operation, int, str]]:
    """Every operation, size and method."""
    for operation in OPERATIONS:
        for elements in SIZES:
            for method in METHODS:
                yield operation, elements, method


def rows_of(
    operation: Operation, elements: int, method: str, run: int, times: dict[str, list[float]]
) -> list[dict]:
    """One row for each family of contenders (its best variant), with the ratio to the fastest library.

    ratio: the fastest library's median over this one's; above 1 is faster than every library.
    """
    best: dict[str, tuple[float, str]] = {}
    for name, samples in times.items():
        family = name.split(":")[0]
        best[family] = min(
            best.get(family, (float("inf"), "")), (statistics.median(samples), name)
        )
    rivals = [time for family, (time, _) in best.items() if family not in (COURSE, TEMPLATE)]
    rows = []
    for family, (time, name) in best.items():
        own = timing.Times((tuple(times[name]),))
        rows.append(
            {
                "operation": operation.name,
                "dtype": str(operation.dtype).removeprefix("torch."),
                "elements": elements,
                "method": method,
                "contender": family,
                "variant": name.partition(":")[2],
                "run": run,
                "time_us": round(own.median_us, 3),
                "low_us": round(own.percentile(20), 3),
                "high_us": round(own.percentile(80), 3),
                "repeats": len(times[name]),
                "gb_per_s": round(operation.bytes_per_element * elements / time / 1e3, 1),
                "ratio": round(min(rivals) / time, 4) if rivals else None,
            }
        )
    return rows


def measure(some: Sequence[tuple[Operation, int, str]], runs: int = 1) -> pd.DataFrame:
    """Measure cells, each `runs` times on buffers of its own: the columns of data/library_comparison.csv. Checks ours first."""
    bench.require_gpu()
    check_ours()
    common = store.provenance()
    rows = []
    with bench.gpu_to_itself(), tqdm(some, desc="cells", leave=False) as progress:
        contenders, versions, of = [], {}, None
        for operation, elements, method in progress:
            progress.set_postfix_str(f"{operation}, {elements:,}, {method}")
            if of != (operation, elements):
                of = operation, elements
                contenders = [
                    ours(operation, "fast", COURSE),
                    ours(operation, "op", TEMPLATE),
                    *libraries(operation),
                ]
                versions = {contender.family: contender.version for contender in contenders}
            for run in range(1, runs + 1):
                torch.cuda.empty_cache()
                times = measure_cell(operation, elements, method, contenders)
                for row in rows_of(operation, elements, method, run, times):
                    rows.append(common | row | {"version": versions[row["contender"]]})
    return pd.DataFrame(rows)


def record(runs: int = 3) -> pd.DataFrame:
    """Measure every cell `runs` times, append to data/library_comparison.csv, and return the new rows."""
    new = measure(list(cells()), runs)
    store.LIBRARIES.append(new)
    print(report(new), summary(new), sep="\n\n")
    return new


def measured_or_recorded() -> pd.DataFrame:
    """The comparison as a table with the columns of data/library_comparison.csv, and says where it is from.

    On a GPU, measured now: the smallest and the largest size, once. Else the H200's record; empty where there is none.
    """
    here = machine.present()
    if here.is_gpu:
        rows = measure(
            [
                cell
                for cell in cells()
                if cell[1] != SIZES[1] and cell[0].dtype is not torch.bfloat16
            ]
        )
        print(f"measured now on {here.name}")
        return rows
    try:
        rows = load(store.RECORDED_GPU)
    except FileNotFoundError as error:
        print(f"NO RECORD yet: {error}")
        return pd.DataFrame(
            columns=[*KEYS, "contender", "run", "time_us", "gb_per_s", "ratio", "gpu"]
        )
    print(f"no GPU here: recorded on {store.RECORDED_GPU}, {rows.date.max()}")
    for name, version in (
        rows[["contender", "version"]].dropna().drop_duplicates().itertuples(index=False)
    ):
        print(f"    {name} {version}")
    return rows


def load(gpu: str | None = None) -> pd.DataFrame:
    """The recorded cells of the newest record of a GPU. Raises FileNotFoundError where there is no record."""
    rows = store.LIBRARIES.load(**({} if gpu is None else {"gpu": gpu}))
    newest = rows[["date", "commit"]].iloc[-1]
    return rows[(rows.date == newest.date) & (rows.commit == newest.commit)].reset_index(
        drop=True
    )


KEYS = ["operation", "dtype", "elements", "method"]


def table(rows: pd.DataFrame) -> pd.DataFrame:
    """A row for each cell: microseconds of each contender (medians over the runs), the course's GB/s, ratio and spread.

    ratio: the fastest library's time over the course's, median of the runs; low, high: the least and the most of it.
    """
    times = rows.pivot_table(
        index=KEYS, columns="contender", values="time_us", aggfunc="median", sort=False
    )
    own = rows[rows.contender == COURSE].groupby(KEYS, sort=False)
    times["GB/s"] = own.gb_per_s.median()
    times["ratio"] = own.ratio.median()
    times["low"], times["high"] = own.ratio.min(), own.ratio.max()
    return times


def report(rows: pd.DataFrame) -> str:
    """The table as text."""
    return table(rows).round(3).to_string()


def summary(rows: pd.DataFrame) -> str:
    """How the course's kernels stand, in sentences: cells won, the worst one, and the share of the card's bandwidth."""
    cells_of = table(rows)
    worst = cells_of.ratio.idxmin()
    words = [
        f"{len(cells_of)} cells; ahead of every library in {int((cells_of.low > 1).sum())} of them in every run",
        f"at least as fast, to half a percent, in {int((cells_of.ratio >= 0.995).sum())}; ahead by 1% or more in "
        f"{int((cells_of.ratio >= 1.01).sum())}",
        f"ratio {cells_of.ratio.min():.3f} to {cells_of.ratio.max():.3f}, the least in {' '.join(map(str, worst))}",
    ]
    largest = cells_of[cells_of.index.get_level_values("elements") == max(SIZES)]
    if len(largest):
        roof = specs.gpu(str(rows.gpu.iloc[0])).dram_GBps
        low, high = (100 * largest["GB/s"].agg(which) / roof for which in ("min", "max"))
        words.append(
            f"at {max(SIZES):,} elements {low:.1f}% to {high:.1f}% of the specified {roof:,.0f} GB/s"
        )
    return "\n".join(words)


# ---------------------------------------------------------------------------------------------- the rule's neighbours

NEIGHBOURS: dict[str, dict[str, int]] = {
    "rule": {},
    "packs 256": {"path": 1, "threads": 256},
    "packs 512": {"path": 1, "threads": 512},
    "packs 1024": {"path": 1, "threads": 1024},
    "packs 512, ordinary launch": {"path": 1, "threads": 512, "programmatic": 0},
    "bulk": {"path": 2},
    "bulk, prefetch": {"path": 2, "prefetch": 1},
    "bulk, ordinary launch": {"path": 2, "programmatic": 0},
    "bulk 5 tiles": {"path": 2, "tiles_per_sm": 5},
    "bulk 6 tiles": {"path": 2, "tiles_per_sm": 6},
    "bulk 7 tiles": {"path": 2, "tiles_per_sm": 7},
    "bulk 8 tiles": {"path": 2, "tiles_per_sm": 8},
    "bulk 128 x 12": {"path": 2, "threads": 128, "tiles_per_sm": 12},
    "bulk 192 x 8": {"path": 2, "threads": 192, "tiles_per_sm": 8},
    "bulk 512 x 3": {"path": 2, "threads": 512, "tiles_per_sm": 3},
    "bulk 512 x 4": {"path": 2, "threads": 512, "tiles_per_sm": 4},
    "bulk 512 x 4, prefetch": {"path": 2, "threads": 512, "tiles_per_sm": 4, "prefetch": 1},
    "bulk 1024 x 2, prefetch": {"path": 2, "threads": 1024, "tiles_per_sm": 2, "prefetch": 1},
}


def tune(rounds: int = 15) -> pd.DataFrame:
    """Print the ratio to the fastest library of the rule's choice and of its neighbours, for every cell."""
    bench.require_gpu()
    check_ours()
    columns = {}
    for operation, elements, method in tqdm(list(cells()), desc="cells"):
        if operation.dtype is torch.bfloat16:
            continue  # moves the same bytes as float16
        variants = [
            ours(operation, "fast", f"{COURSE}:{name}", **kw) for name, kw in NEIGHBOURS.items()
        ]
        rivals = [c for c in libraries(operation) if c.family not in ("CuPy", "torch.compile")]
        torch.cuda.empty_cache()
        times = measure_cell(operation, elements, method, [*variants, *rivals], rounds)
        medians = {name: statistics.median(samples) for name, samples in times.items()}
        fastest = min(time for name, time in medians.items() if not name.startswith(COURSE))
        cell = f"{operation.launcher} 2^{elements.bit_length() - 1} {method.removeprefix('graph ')}"
        columns[cell] = {name: fastest / medians[f"{COURSE}:{name}"] for name in NEIGHBOURS} | {
            "library": fastest
        }
    frame = pd.DataFrame(columns)
    print(frame.T.round(4).to_string())
    return frame


# ---------------------------------------------------------------------------------------------------------- commands


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m helpers.measure.libraries.comparison",
        description=__doc__.splitlines()[0],
    )
    commands = parser.add_subparsers(dest="command", required=True)
    recorder = commands.add_parser("record", help="every cell, appended to data/library_comparison.csv")
    recorder.add_argument("--runs", type=int, default=3)
    commands.add_parser("tune", help="the launch rule against its neighbours, printed")
    commands.add_parser(
        "record-template", help="notebook 17's experiments, appended to data/runs.csv"
    )
    options = parser.parse_args(arguments)
    # One small kernel at a time needs no pool of compiling workers, and a record no cache from before.
    os.environ.setdefault("TORCHINDUCTOR_COMPILE_THREADS", "1")
    os.environ.setdefault("TORCHINDUCTOR_CACHE_DIR", tempfile.mkdtemp(prefix="inductor-"))
    if options.command == "record":
        record(options.runs)
    elif options.command == "tune":
        tune()
    else:
        from helpers.measure import experiments
        from helpers.measure.experiments import operators

        assert operators.OPERATORS  # the import enters the experiments
        experiments.record(["template rungs", "operators", "layer norm"])
    return 0


if __name__ == "__main__":
    sys.exit(main())
