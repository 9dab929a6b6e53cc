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
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path

import torch
from tqdm import tqdm

from helpers import machine
from helpers.binding import Kernel
from helpers.errors import CheckError, NoGpuError
from helpers.locks import lock

METHODS = ("graph hot", "graph cold", "wall clock")
ARTICLE_SIZES = (1 << 20, 1 << 24, 1 << 28)
REPLAY_US = 1500.0  # a replay lasts about this long, so that the events' own resolution does not show
COLD_L2_MULTIPLE = 4


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
            "helpers.records has recorded times of real cards"
        )
    return here


@cache
def _gpu_lock_path(index: int) -> Path:
    uuid = getattr(torch.cuda.get_device_properties(index), "uuid", index)
    return Path(tempfile.gettempdir()) / f"elementwise-gpu-{uuid}.lock"


@contextlib.contextmanager
def gpu_to_itself() -> Iterator[None]:
    """Keep other notebooks of this course from timing on the same GPU meanwhile; they wait, and say so."""
    here = require_gpu()
    with lock(_gpu_lock_path(here.index), "to time on this GPU, which another notebook is timing on"):
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


def time_graph(calls: Sequence[Callable[[], None]], precision: float = 0.005, limit_s: float = 3.0) -> list[float]:
    """Microseconds per call, one number a replay, of a CUDA graph that makes the calls in turn.

    calls: launches only, on the current stream, nothing that waits or allocates. precision: the relative
    half-width of the median's interval at which to stop; limit_s: when to stop anyhow.
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
        last.synchronize()
        marks = [*events, last]
        samples += [a.elapsed_time(b) * 1e3 / launches for a, b in itertools.pairwise(marks)]
        if _precision(samples) <= precision or time.monotonic() - started > limit_s:
            return samples


def time_wall_clock(call: Callable[[], None], repeats: int = 1000) -> float:
    """Microseconds per call by the article's method: warm up with 10, then time `repeats` by the host's clock."""
    for _ in range(10):
        call()
    torch.cuda.synchronize()
    began = time.perf_counter()
    for _ in range(repeats):
        call()
    torch.cuda.synchronize()
    return (time.perf_counter() - began) / repeats * 1e6


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
) -> Measurement:
    """Time equivalent calls, each over its own buffers (one call is hot; enough of them are cold).

    Raises NoGpuError without a GPU, ValueError for an unknown method.
    """
    here = require_gpu()
    if method not in METHODS:
        raise ValueError(f"method {method!r} is not one of {METHODS}")
    with gpu_to_itself():
        if method == "wall clock":
            samples = [time_wall_clock(calls[0]) for _ in range(3)]
        else:
            samples = time_graph(calls, precision)
    low, median, high = _spread(samples)
    notes = []
    if method != "wall clock" and _precision(samples) > 2 * precision:
        notes.append(f"median known to {100 * _precision(samples):.1f}% only: is something else using the GPU?")
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
    if not isinstance(elements, int) or elements < 1:
        raise ValueError(f"elements is {elements!r}; it must be an int of at least 1")
    if isinstance(kernel, Kernel):
        if not kernel.checked:
            raise CheckError(f"{kernel.name} has not passed check.check yet: never time what may be wrong")
        dtype = _dtype(dtype or kernel.dtypes[0])
        launcher = kernel.launcher_for(dtype)
        extra = {} if block_size is None else {"block_size": block_size}
        default = {p.name: p.default for p in launcher.declaration.arguments}.get("block_size")
        name, block_size = kernel.name, block_size or default
    elif kernel == "torch.add":
        dtype, name = _dtype(dtype or torch.float32), kernel
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
            progress.set_postfix_str(f"{kernel if isinstance(kernel, str) else kernel.name}, {size:,}")
            results.append(measure(kernel, size, dtype, **options))
    return results
