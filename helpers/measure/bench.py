"""How fast? Device time of a call, with its spread, as `Measurement`s. Only on a GPU, only after a passed check.

Three methods, named in every measurement:

    graph hot    CUDA-graph replays over one set of buffers: what fits in L2 stays there
    graph cold   CUDA-graph replays that rotate over so many sets (4 x L2) that each launch finds L2 cold
    wall clock   the article's: 10 calls to warm up, then 1,000 between two synchronisations, by the host's clock

A replayed graph launches from the device's own queue, so the time holds no Python and no driver call. The
reported time is the median over replays, with the 20th and 80th percentile; replays go on until the median is
known to the precision asked for, or the time is up (then the measurement's note says so).
"""

from __future__ import annotations

import contextlib
import itertools
import math
import statistics
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache, partial
from pathlib import Path

import torch
from tqdm import tqdm

from helpers.errors import CheckError, NoGpuError
from helpers.measure.nvml import Watch
from helpers.model import ceilings
from helpers.model.l2_capacity import l2_capacity
from helpers.run import jit, machine
from helpers.run.faults import named_faults
from helpers.run.kernel import Kernel
from helpers.run.locks import lock

METHODS = ("graph hot", "graph cold", "wall clock")
ARTICLE_SIZES = (1 << 20, 1 << 24, 1 << 28)
REPLAY_US = (
    1500.0  # a replay lasts about this long, so that the events' own resolution does not show
)
COLD_L2_MULTIPLE = 4
WALL_CLOCK_SPREAD = 0.1  # between repeats of the article's method, relative


@dataclass(frozen=True)
class Measurement:
    """One timed call. Times in microseconds, bandwidth in GB/s (1e9 bytes a second)."""

    kernel: str
    elements: int
    dtype: str
    method: str
    time_us: float
    low_us: float
    high_us: float
    repeats: int
    bytes_moved: int
    gpu: str
    block_size: int | None = None
    flops: int = 0
    note: str = ""
    parameter: float | None = (
        None  # what an experiment varies, such as a fraction or a number of steps
    )

    @property
    def gb_per_s(self) -> float:
        """Bytes that had to move over the median time."""
        return self.bytes_moved / self.time_us / 1e3

    @property
    def tflop_per_s(self) -> float:
        return self.flops / self.time_us / 1e6

    def percent_of(self, roof_gb_per_s: float) -> float:
        """The bandwidth as a percentage of a roof in GB/s."""
        return 100 * self.gb_per_s / roof_gb_per_s

    def __str__(self) -> str:
        block = f" x{self.block_size}" if self.block_size else ""
        note = f"  ({self.note})" if self.note else ""
        return (
            f"{self.kernel}{block}, {self.elements:,} {self.dtype}: {self.time_us:.2f} us "
            f"[{self.low_us:.2f}, {self.high_us:.2f}], {self.gb_per_s:,.0f} GB/s, {self.method}{note}"
        )


def require_gpu() -> machine.Machine:
    """The present GPU; raises NoGpuError on the emulator, whose times mean nothing."""
    here = machine.present()
    if not here.is_gpu:
        raise NoGpuError(
            f"no time without a GPU ({here.reason}): the emulator shows that a kernel is right, never how fast it is. "
            "helpers.measure.store has recorded times of real cards"
        )
    return here


@cache
def _gpu_uuid(index: int) -> str:
    return str(getattr(torch.cuda.get_device_properties(index), "uuid", index))


def _gpu_lock_path(index: int) -> Path:
    return Path(tempfile.gettempdir()) / f"elementwise-gpu-{_gpu_uuid(index)}.lock"


@contextlib.contextmanager
def gpu_to_itself() -> Iterator[None]:
    """Keep other notebooks of this course from timing on the same GPU meanwhile; they wait, and say so."""
    here = require_gpu()
    with lock(
        _gpu_lock_path(here.index), "to time on this GPU, which another notebook is timing on"
    ):
        yield


def _spread(samples: Sequence[float]) -> tuple[float, float, float]:
    """20th percentile, median, 80th percentile."""
    ordered = sorted(samples)
    last = len(ordered) - 1
    return ordered[round(0.2 * last)], statistics.median(ordered), ordered[round(0.8 * last)]


def _precision(samples: Sequence[float]) -> float:
    """Half the width of the median's 95% interval, relative: 1.57 IQR / sqrt(n) (McGill, Tukey and Larsen, 1978)."""
    quarters = statistics.quantiles(samples, n=4)
    return 1.57 * (quarters[2] - quarters[0]) / math.sqrt(len(samples)) / quarters[1]


def _imprecise(samples: Sequence[float], method: str, precision: float) -> str:
    """What to say of a spread that is wider than was asked for; "" where it is not."""
    if method == "wall clock":
        spread = (max(samples) - min(samples)) / statistics.median(samples)
        return (
            f"the three repeats differ by {100 * spread:.0f}%"
            if spread > WALL_CLOCK_SPREAD
            else ""
        )
    reached = _precision(samples)
    return f"median known to {100 * reached:.1f}% only" if reached > 2 * precision else ""


def time_graph(
    calls: Sequence[Callable[[], None]],
    precision: float = 0.005,
    limit_s: float = 3.0,
    look: Callable[[], None] = lambda: None,
) -> list[float]:
    """Microseconds per call, one number a replay, of a CUDA graph that makes the calls in turn.

    calls: launches only, on the current stream, nothing that waits or allocates. precision: the relative
    half-width of the median's interval at which to stop; limit_s: when to stop anyhow. look: called now and
    then while the GPU works.
    """
    side = torch.cuda.Stream()
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        for call in calls:
            call()
        begin, end = torch.cuda.Event(enable_timing=True), torch.cuda.Event(enable_timing=True)
        begin.record()
        for call in calls:
            call()
        end.record()
    side.synchronize()
    one_us = max(begin.elapsed_time(end) * 1e3 / len(calls), 1.0)
    rounds = max(1, round(REPLAY_US / (one_us * len(calls))))
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        for _ in range(rounds):
            for call in calls:
                call()
    launches = rounds * len(calls)
    for _ in range(3):
        graph.replay()
    samples: list[float] = []
    started = time.monotonic()
    while True:
        events = [torch.cuda.Event(enable_timing=True) for _ in range(12)]
        for event in events:
            event.record()
            graph.replay()
        last = torch.cuda.Event(enable_timing=True)
        last.record()
        look()
        last.synchronize()
        marks = [*events, last]
        samples += [a.elapsed_time(b) * 1e3 / launches for a, b in itertools.pairwise(marks)]
        if _precision(samples) <= precision or time.monotonic() - started > limit_s:
            return samples


def time_wall_clock(
    call: Callable[[], None], repeats: int = 1000, look: Callable[[], None] = lambda: None
) -> float:
    """Microseconds per call by the article's method: warm up with 10, then time `repeats` by the host's clock."""
    for _ in range(10):
        call()
    torch.cuda.synchronize()
    began = time.perf_counter()
    for _ in range(repeats):
        call()
    torch.cuda.synchronize()
    seconds = time.perf_counter() - began
    for _ in range(10):
        call()
    look()
    torch.cuda.synchronize()
    return seconds / repeats * 1e6


def _must_be_a_way(method: str, precision: float) -> None:
    if not isinstance(method, str) or method not in METHODS:
        raise ValueError(f"method {method!r} is not one of {METHODS}")
    if (
        isinstance(precision, bool)
        or not isinstance(precision, (int, float))
        or not 0 < precision < 1
    ):
        raise ValueError(
            f"precision is {precision!r}; it must be a relative half-width, such as 0.005"
        )


def measure_calls(
    calls: Sequence[Callable[[], None]],
    *,
    kernel: str,
    elements: int,
    dtype: str,
    bytes_moved: int,
    method: str = "graph hot",
    block_size: int | None = None,
    flops: int = 0,
    precision: float = 0.005,
    parameter: float | None = None,
) -> Measurement:
    """Time equivalent calls, each over its own buffers (one call is hot; enough of them are cold).

    parameter: the number that an experiment varies; it is only kept with the times.

    Raises NoGpuError without a GPU, ValueError for an unknown method or a precision that is none.
    """
    here = require_gpu()
    _must_be_a_way(method, precision)
    with gpu_to_itself(), named_faults():
        watch = Watch(_gpu_uuid(here.index))
        if method == "wall clock":
            samples = [time_wall_clock(calls[0], look=watch.look) for _ in range(3)]
        else:
            samples = time_graph(calls, precision, look=watch.look)
    low, median, high = _spread(samples)
    notes = watch.notes(_imprecise(samples, method, precision))
    return Measurement(
        kernel=kernel,
        elements=elements,
        dtype=dtype,
        method=method,
        time_us=median,
        low_us=low,
        high_us=high,
        repeats=len(samples),
        bytes_moved=bytes_moved,
        gpu=here.name,
        block_size=block_size,
        flops=flops,
        note="; ".join(notes),
        parameter=parameter,
    )


def _dtype(dtype: torch.dtype | str) -> torch.dtype:
    found = getattr(torch, dtype, None) if isinstance(dtype, str) else dtype
    if not isinstance(found, torch.dtype):
        raise TypeError(f"{dtype!r} is no dtype: use 'float32', 'float16' or 'bfloat16'")
    return found


def add_buffers(elements: int, dtype: torch.dtype, sets: int) -> list[tuple[torch.Tensor, ...]]:
    """`sets` triples (a, b, out) on the GPU, with random inputs. Shapes [elements].

    Raises torch.OutOfMemoryError with how much was needed.
    """
    here = require_gpu()
    needed = 3 * elements * dtype.itemsize * sets
    free, _ = torch.cuda.mem_get_info()
    free += torch.cuda.memory_reserved() - torch.cuda.memory_allocated()
    if needed > free:
        raise torch.OutOfMemoryError(
            f"{needed / 2**30:.1f} GiB are needed for {sets} x 3 tensors of {elements:,} {dtype}; "
            f"{free / 2**30:.1f} GiB are free: close other notebooks (Kernel > Shut Down All) or measure a smaller size"
        )
    buffers = []
    for _ in range(sets):
        a, b = (torch.randn(elements, dtype=dtype, device=here.device) for _ in range(2))
        buffers.append((a, b, torch.empty_like(a)))
    return buffers


def sets_for(method: str, bytes_of_one: int, l2_bytes: int) -> int:
    """How many buffer sets a method rotates over: one, or enough to pass 4 x L2."""
    if method != "graph cold":
        return 1
    return max(1, math.ceil(COLD_L2_MULTIPLE * l2_bytes / bytes_of_one))


def measure(
    kernel: Kernel | str,
    elements: int,
    dtype: torch.dtype | str | None = None,
    *,
    block_size: int | None = None,
    method: str = "graph hot",
    precision: float = 0.005,
) -> Measurement:
    """Time an `add` kernel (or "torch.add") on random tensors of `elements` elements.

    dtype defaults to the kernel's first. block_size defaults to the launcher's own.
    Raises CheckError for a kernel that has not passed `check`, NoGpuError without a GPU, and
    torch.OutOfMemoryError where the card is too small.
    """
    here = require_gpu()
    _must_be_a_way(method, precision)
    if isinstance(elements, bool) or not isinstance(elements, int) or elements < 1:
        raise ValueError(f"elements is {elements!r}; it must be an int of at least 1")
    if isinstance(kernel, Kernel):
        if not kernel.checked:
            raise CheckError(
                f"{kernel.name} has not passed check.check yet: never time what may be wrong"
            )
        dtype = kernel.dtypes[0] if dtype is None else _dtype(dtype)
        launcher = kernel.launcher_for(dtype)
        extra = {} if block_size is None else {"block_size": block_size}
        default = {p.name: p.default for p in launcher.declaration.arguments}.get("block_size")
        name, block_size = kernel.name, block_size or default
    elif isinstance(kernel, str) and kernel == "torch.add":
        dtype, name = torch.float32 if dtype is None else _dtype(dtype), kernel
        launcher, extra = (lambda a, b, out: torch.add(a, b, out=out)), {}
    else:
        raise TypeError(f"measure takes a loaded kernel or 'torch.add', not {kernel!r}")
    bytes_moved = 3 * elements * dtype.itemsize
    buffers = add_buffers(elements, dtype, sets_for(method, bytes_moved, here.l2_bytes))
    return measure_calls(
        [partial(launcher, *tensors, **extra) for tensors in buffers],
        kernel=name,
        elements=elements,
        dtype=str(dtype).removeprefix("torch."),
        bytes_moved=bytes_moved,
        method=method,
        block_size=block_size,
        precision=precision,
    )


def measure_empty(blocks: int, block_size: int) -> Measurement:
    """Time an empty kernel: what it costs to start its blocks. `elements` of the result is the number of blocks."""
    empty = jit.load("empty")
    return measure_calls(
        [partial(empty.launch_blocks, blocks, block_size)],
        kernel="empty",
        elements=blocks,
        dtype="none",
        bytes_moved=0,
        block_size=block_size,
    )


def sweep(
    kernels: Sequence[Kernel | str],
    sizes: Sequence[int] = ARTICLE_SIZES,
    dtype: torch.dtype | str | None = None,
    **options,
) -> list[Measurement]:
    """`measure` for every kernel at every size, behind a progress bar. Options go to `measure`."""
    require_gpu()
    todo = [(kernel, size) for size in sizes for kernel in kernels]
    results = []
    with tqdm(todo, desc="measuring", leave=False) as progress:
        for kernel, size in progress:
            progress.set_postfix_str(
                f"{kernel if isinstance(kernel, str) else kernel.name}, {size:,}"
            )
            results.append(measure(kernel, size, dtype, **options))
    return results


@dataclass(frozen=True)
class Roofs:
    """What a GPU reaches at best, measured a moment ago: one number for each ceiling of `helpers.model.ceilings`."""

    gpu: str
    launch_us: float
    block_rate: dict[int, float]  # blocks per second, by threads per block
    l2_latency_ns: float
    memory_latency_ns: float
    l2_GBps: float
    dram_GBps: float  # torch.add of 2^28 elements: two reads, one write
    copy_GBps: float  # a device-to-device copy: one read, one write
    host_enqueue_us: float  # of torch.add
    l2_MiB: float | None = (
        None  # working set at which hits end; None: not measured, the specified size serves
    )

    def card(self) -> ceilings.Card:
        """These numbers, as they are, as the card that `ceilings.predict` takes."""
        slower = {256: self.block_rate[256]} | {
            threads: rate for threads, rate in self.block_rate.items() if threads > 512
        }
        return ceilings.Card.from_measurements(
            machine.present().spec,
            launch_latency_us=self.launch_us,
            block_rate=slower,
            l2_latency_ns=self.l2_latency_ns,
            memory_latency_ns=self.memory_latency_ns,
            l2_GBps=self.l2_GBps,
            dram_GBps=self.dram_GBps,
            l2_MiB=self.l2_MiB,
            host_enqueue_us=self.host_enqueue_us,
        )


def _chase_ns(chase: Kernel, span_bytes: int, cold: bool) -> float:
    """Nanoseconds a load, in a chain of dependent loads that jumps at random from line to line of `span_bytes`.

    cold: what L2 held is pushed out first, so that nearly every load goes to DRAM.
    """
    here = require_gpu()
    line = 128 // 4  # int32 indices in a cache line
    places = torch.randperm(span_bytes // 128, device=here.device, dtype=torch.int64) * line
    links = torch.zeros(span_bytes // 4, dtype=torch.int32, device=here.device)
    links[places] = places.roll(-1).to(torch.int32)
    last = torch.empty(1, dtype=torch.int32, device=here.device)
    cycles = torch.empty(1, dtype=torch.int64, device=here.device)
    steps = min(len(places), 1 << 16)
    call = partial(chase.pointer_chase, links, last, cycles, steps)
    call()
    if cold:
        torch.zeros(COLD_L2_MULTIPLE * here.l2_bytes, dtype=torch.int8, device=here.device)
    events = [torch.cuda.Event(enable_timing=True) for _ in range(2)]
    events[0].record()
    call()
    events[1].record()
    events[1].synchronize()
    return events[0].elapsed_time(events[1]) * 1e6 / steps


def _copy_gb_per_s(source: torch.Tensor) -> float:
    """A device-to-device copy in GB/s. Not in a graph: there it is a node for the copy engine, which is slower."""
    target = torch.empty_like(source)
    events = [torch.cuda.Event(enable_timing=True) for _ in range(12)]
    for event in events:
        event.record()
        target.copy_(source)
    events[-1].synchronize()
    return (
        2
        * source.nbytes
        / statistics.median(a.elapsed_time(b) for a, b in itertools.pairwise(events))
        / 1e6
    )


def measure_copy(source: torch.Tensor) -> Measurement:
    """A device-to-device copy of a float32 tensor, timed like the "copy" of `measure_roofs`."""
    here = require_gpu()
    with gpu_to_itself():
        time_us = 2 * source.nbytes / _copy_gb_per_s(source) / 1e3
    times = {
        "time_us": time_us,
        "low_us": time_us,
        "high_us": time_us,
        "repeats": 11,
        "method": "events",
    }
    what = {
        "kernel": "copy",
        "elements": source.numel(),
        "dtype": "float32",
        "bytes_moved": 2 * source.nbytes,
    }
    return Measurement(**what, **times, gpu=here.name)


def measure_roofs() -> Roofs:
    """Measure this GPU's ceilings, about ten seconds, behind a progress bar. Raises NoGpuError without a GPU.

    DRAM and copy: torch.add and copy_ on tensors many times L2; they come first, so that the clocks have risen
    when the short times are taken. Launch: replays of an empty kernel of one block. Block rate: what 2^20 more
    empty blocks cost. Latencies: a chain of dependent loads through 1/8 of L2, and through 8 x L2 when L2 holds
    something else. L2: what more bytes cost torch.add while all still fit. L2's capacity: torch.add at four working
    sets from 3/4 of L2 to twice L2; the size that explains their times best.
    """
    here = require_gpu()
    chase = jit.load("pointer_chase")
    rates, numbers = {}, {}

    def blocks_us(blocks: int, threads: int) -> float:
        return measure_empty(blocks, threads).time_us

    def add_us(elements: int) -> Measurement:
        return measure("torch.add", elements, "float32")

    largest = min(1 << 28, here.memory_bytes // 32 // (1 << 20) * (1 << 20))
    steps = ("DRAM", "copy", "launch", "block rate", "latency", "L2", "host")
    with gpu_to_itself(), tqdm(steps, desc="measuring the roofs", leave=False) as progress:
        for step in progress:
            progress.set_postfix_str(step)
            if step == "launch":
                numbers["launch_us"] = blocks_us(1, 32)
            elif step == "block rate":
                for threads in (32, 64, 128, 256, 512, 768, 1024):
                    low, high = blocks_us(1 << 18, threads), blocks_us(1 << 20, threads)
                    rates[threads] = ((1 << 20) - (1 << 18)) / (high - low) * 1e6
            elif step == "latency":
                numbers["l2_latency_ns"] = _chase_ns(chase, here.l2_bytes // 8, cold=False)
                numbers["memory_latency_ns"] = _chase_ns(chase, 8 * here.l2_bytes, cold=True)
            elif step == "L2":
                small, large = (add_us(here.l2_bytes // 12 // part) for part in (16, 4))
                more_bytes = large.bytes_moved - small.bytes_moved
                numbers["l2_GBps"] = more_bytes / (large.time_us - small.time_us) / 1e3
            elif step == "DRAM":
                numbers["dram_GBps"] = add_us(largest).gb_per_s
            elif step == "copy":
                numbers["copy_GBps"] = _copy_gb_per_s(torch.randn(largest, device=here.device))
            elif step == "host":
                tiny = torch.zeros(32, device=here.device)
                numbers["host_enqueue_us"] = time_wall_clock(
                    partial(torch.add, tiny, tiny, out=torch.empty_like(tiny))
                )
        progress.set_postfix_str("L2's capacity")
        roofs = Roofs(gpu=here.name, block_rate=rates, **numbers)
        times = {
            n: add_us(n).time_us for n in (here.l2_bytes * part // 48 for part in (3, 4, 6, 8))
        }
    return replace(roofs, l2_MiB=l2_capacity(roofs.card(), times))


@cache
def this_card() -> ceilings.Card:
    """The constants of this machine's ceilings: on a GPU measured, once; else the recorded ones of the H200."""
    here = machine.present()
    if here.is_gpu:
        print(f"measuring {here.name} ...")
        return measure_roofs().card()
    print("no GPU here: the constants of the H200, from data/ceilings.csv")
    return ceilings.card("H200 SXM")
