"""Measure device times of calls, on a GPU only, and of a kernel only after a passed check.

Three methods, named in every measurement:

    graph hot    CUDA-graph replays over one set of buffers: what fits in L2 stays there
    graph cold   CUDA-graph replays that rotate over so many sets (4 x L2) that L2 stays cold
    wall clock   the article's: 10 calls to warm up, then 1,000, by the host's clock

The reported time is the median over replays, with the 20th and 80th percentile;
`helpers.measure.timing` says when replays end. A measurement that is less precise than was
asked for says so in its note.

The way of a number, for `measure(kernel, elements)`:

    measure              checks the arguments, allocates the tensors, binds them to calls
    measure_calls        takes the GPU's lock, watches clocks and other processes (`nvml.Watch`)
    timing.time_graph    captures the calls in a CUDA graph and times batches of replays
    Measurement          holds the result with its note (`helpers.measure.measurement`)
    store.append         adds it to data/runs.csv, with date, machine, versions and commit
                         (`tools/record.py` calls it)
"""

from __future__ import annotations

import contextlib
import math
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache, partial
from pathlib import Path

import torch
from tqdm import tqdm

from helpers import settings
from helpers.errors import CheckError, NoGpuError
from helpers.measure import timing
from helpers.measure.measurement import Measurement
from helpers.measure.nvml import Watch
from helpers.model.arguments import Count, Rate, Whole, checked
from helpers.model.dtypes import dtype_name
from helpers.run import jit, machine
from helpers.run.faults import named_faults
from helpers.run.kernel import Kernel
from helpers.run.locks import lock_in_turn

METHODS = ("graph hot", "graph cold", "wall clock")
ARTICLE_SIZES = (1 << 20, 1 << 24, 1 << 28)
COLD_L2_MULTIPLE = 4
MEMORY_SHARE = 0.85  # of a GPU's memory, that tensors may take
TURN_SECONDS = 5.0
WALL_CLOCK_SPREAD = 0.1  # between repeats of the article's method, relative


def require_gpu() -> machine.Machine:
    """Return the present GPU; raises NoGpuError on the emulator, whose times mean nothing."""
    here = machine.present()
    if not here.is_gpu:
        raise NoGpuError(
            f"no time without a GPU ({here.reason}): the emulator shows that a kernel is "
            "right, never how fast it is. Recorded times of real cards: "
            'from helpers import store; store.load("ladder")'
        )
    return here


@cache
def _gpu_uuid(index: int) -> str:
    return str(getattr(torch.cuda.get_device_properties(index), "uuid", index))


def _gpu_lock_path(index: int) -> Path:
    return settings.locks_folder() / f"elementwise-gpu-{_gpu_uuid(index)}.lock"


@contextlib.contextmanager
def gpu_to_itself() -> Iterator[None]:
    """Keep other notebooks of the course from timing on the same GPU: they wait and say so.

    Tensors that are made and freed inside are given back to the driver at the end, so that
    those who wait find the memory free. Who holds the GPU may take it again.
    """
    here = require_gpu()
    purpose = "to time on this GPU, which another notebook is timing on"
    held = lock_in_turn(_gpu_lock_path(here.index), purpose)
    with _turn.kept(held) if _turn else held:
        try:
            yield
        finally:
            torch.cuda.empty_cache()


class _Turn:
    """Hold the GPU's lock from one measurement to the next, TURN_SECONDS at most."""

    def __init__(self) -> None:
        self.stack, self.ends, self.depth = contextlib.ExitStack(), -math.inf, 0

    @contextlib.contextmanager
    def kept(self, held: contextlib.AbstractContextManager) -> Iterator[None]:
        if not self.depth and time.monotonic() >= self.ends:
            self.end()
            self.stack.enter_context(held)
            self.ends = time.monotonic() + TURN_SECONDS
        self.depth += 1
        try:
            yield
        finally:
            self.depth -= 1

    def end(self) -> None:
        self.ends = -math.inf
        self.stack.close()


_turn: _Turn | None = None


@contextlib.contextmanager
def long_turns() -> Iterator[None]:
    """Keep the GPU between measurements inside, until others have waited for TURN_SECONDS.

    Among other lessons on the GPU, an experiment of a hundred short measurements would else
    wait a hundred times for longer ones.
    """
    global _turn
    if _turn:
        yield
        return
    _turn = _Turn()
    try:
        yield
    finally:
        _turn.end()
        _turn = None


def end_turn() -> None:
    """Let others measure before what takes long without the GPU, such as a build."""
    if _turn and not _turn.depth:
        _turn.end()


# ---- one measurement -----------------------------------------------------------------------


def require_method(method: str) -> None:
    """Raise ValueError if `method` is not one of METHODS."""
    if not isinstance(method, str) or method not in METHODS:
        raise ValueError(f"method {method!r} is not one of {METHODS}")


def _check_arguments(method: str, precision: float) -> None:
    """Raise ValueError if `method` is unknown or `precision` is not between 0 and 1."""
    require_method(method)
    number = isinstance(precision, (int, float)) and not isinstance(precision, bool)
    if not number or not 0 < precision < 1:
        raise ValueError(
            f"precision is {precision!r}; it must be a relative half-width, such as 0.005"
        )


def _imprecise(times: timing.Times, method: str, precision: float) -> str:
    """Describe a spread that is wider than was asked for; "" if it is not."""
    if method == "wall clock":
        spread = (max(times.samples) - min(times.samples)) / times.median_us
        wide = spread > WALL_CLOCK_SPREAD
        return f"the three repeats differ by {100 * spread:.0f}%" if wide else ""
    wide = times.noise > 2 * precision
    return f"median known to {100 * times.noise:.1f}% only" if wide else ""


def measure_calls(
    calls: Sequence[Callable[[], object]],
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
    dials: Mapping[str, object] | None = None,
) -> Measurement:
    """Time equivalent calls, each over its own buffers: one call is hot, enough are cold.

    parameter: the number that an experiment varies; dials: what else it sets, by the names in
    `measurement.DIALS`. Both are only kept with the times.
    Raises NoGpuError without a GPU, ValueError if `method` is unknown or `precision` is not
    between 0 and 1.
    """
    here = require_gpu()
    _check_arguments(method, precision)
    with gpu_to_itself(), named_faults():
        watch = Watch(_gpu_uuid(here.index))
        if method == "wall clock":
            times = timing.time_wall_clock(calls[0], look=watch.look)
        else:
            times = timing.time_graph(calls, precision, look=watch.look)
    return Measurement(
        kernel=kernel,
        elements=elements,
        dtype=dtype,
        method=method,
        time_us=times.median_us,
        low_us=times.percentile(20),
        high_us=times.percentile(80),
        repeats=len(times.samples),
        bytes_moved=bytes_moved,
        gpu=here.name,
        block_size=block_size,
        flops=flops,
        note="; ".join(watch.notes(_imprecise(times, method, precision))),
        parameter=parameter,
        noise_percent=100 * times.noise,
        dials=dials or {},
    )


# ---- additions -----------------------------------------------------------------------------


def _dtype(dtype: torch.dtype | str) -> torch.dtype:
    found = getattr(torch, dtype, None) if isinstance(dtype, str) else dtype
    if not isinstance(found, torch.dtype):
        raise TypeError(f"{dtype!r} is not a dtype: use 'float32', 'float16' or 'bfloat16'")
    return found


def launcher_block_size(kernel: Kernel | str) -> int | None:
    """Return the default block size of a kernel's launcher; None for a library's kernel.

    Raises TypeError for anything else.
    """
    if isinstance(kernel, str):
        return None
    if not isinstance(kernel, Kernel):
        raise TypeError(
            "not a kernel that jit.load returned, nor a name such as 'torch.add': "
            f"{type(kernel).__name__}"
        )
    arguments = next(iter(kernel.declarations.values())).arguments
    return next((p.default for p in arguments if p.name == "block_size"), None)


@checked
def add_buffers(
    elements: Count, dtype: torch.dtype, sets: Count
) -> list[tuple[torch.Tensor, ...]]:
    """Make `sets` triples (a, b, out) on the GPU, with random inputs. Shapes [elements].

    Raises torch.OutOfMemoryError with how much was needed.
    """
    here = require_gpu()
    needed = 3 * elements * dtype.itemsize * sets
    free, _ = torch.cuda.mem_get_info()
    free += torch.cuda.memory_reserved() - torch.cuda.memory_allocated()
    if needed > free:
        raise torch.OutOfMemoryError(
            f"{needed / 2**30:.1f} GiB are needed for {sets} x 3 tensors of {elements:,} "
            f"{dtype}; "
            f"{free / 2**30:.1f} GiB are free: close other notebooks (Kernel > Shut Down All) "
            "or measure a smaller size"
        )
    buffers = []
    for _ in range(sets):
        a, b = (torch.randn(elements, dtype=dtype, device=here.device) for _ in range(2))
        buffers.append((a, b, torch.empty_like(a)))
    return buffers


@checked
def largest_that_fits(elements: Count, bytes_per_element: Rate) -> int:
    """Return `elements`, or the largest power of two below it that fits this GPU's memory.

    A line says so, once. bytes_per_element: of all tensors together.
    """
    memory = require_gpu().memory_bytes
    fits = elements
    while memory and fits * bytes_per_element > MEMORY_SHARE * memory and fits > 1:
        fits = 1 << (fits - 1).bit_length() - 1
    if fits < elements:
        _say_smaller(elements, fits, memory)
    return fits


@cache
def _say_smaller(elements: int, fits: int, memory: int) -> None:
    tqdm.write(
        f"{elements:,} elements need more than this GPU's {memory / 2**30:.1f} GiB of memory: "
        f"{fits:,} are measured instead"
    )


@checked
def sets_for(method: str, bytes_of_one: Count, l2_bytes: Whole) -> int:
    """Return how many buffer sets a method rotates over: one, or enough to pass 4 x L2."""
    require_method(method)
    if method != "graph cold":
        return 1
    return max(1, math.ceil(COLD_L2_MULTIPLE * l2_bytes / bytes_of_one))


def _add_launcher(
    kernel: Kernel | str, dtype: torch.dtype | str | None, block_size: int | None
) -> tuple[Callable[..., object], str, torch.dtype, int | None]:
    """Return (call of (a, b, out), name, dtype, block size) of a checked kernel or "torch.add".

    Raises CheckError for a kernel that has not passed its check, TypeError for anything else.
    """
    if isinstance(kernel, str) and kernel == "torch.add":
        dtype = torch.float32 if dtype is None else _dtype(dtype)
        return (lambda a, b, out: torch.add(a, b, out=out)), kernel, dtype, None
    if not isinstance(kernel, Kernel):
        raise TypeError(f"measure takes a loaded kernel or 'torch.add', not {kernel!r}")
    if not kernel.checked:
        raise CheckError(
            f"{kernel.name} has not passed check.check yet: never time what may be wrong"
        )
    dtype = kernel.dtypes[0] if dtype is None else _dtype(dtype)
    launcher = kernel.launcher_for(dtype)
    if block_size is not None:
        return partial(launcher, block_size=block_size), kernel.name, dtype, block_size
    defaults = {p.name: p.default for p in launcher.declaration.arguments}
    return launcher, kernel.name, dtype, defaults.get("block_size")


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
    Bytes moved: two reads and one write of each element; one FLOP each.
    Raises CheckError for a kernel that has not passed `check`, NoGpuError without a GPU, and
    torch.OutOfMemoryError where the card is too small.
    """
    _check_arguments(method, precision)
    if isinstance(elements, bool) or not isinstance(elements, int) or elements < 1:
        raise ValueError(f"elements is {elements!r}; it must be an int of at least 1")
    if dtype is not None:
        dtype = _dtype(dtype)
    require_gpu()
    add, name, dtype, block_size = _add_launcher(kernel, dtype, block_size)
    with gpu_to_itself():  # the tensors are freed before the next one's turn
        return _measure_add(add, name, elements, dtype, method, block_size, precision)


def _measure_add(
    add: Callable[..., object],
    name: str,
    elements: int,
    dtype: torch.dtype,
    method: str,
    block_size: int | None,
    precision: float,
) -> Measurement:
    """Time a call of (a, b, out) on tensors that are made here."""
    bytes_moved = 3 * elements * dtype.itemsize
    sets = sets_for(method, bytes_moved, require_gpu().l2_bytes)
    return measure_calls(
        [partial(add, *tensors) for tensors in add_buffers(elements, dtype, sets)],
        kernel=name,
        elements=elements,
        dtype=dtype_name(dtype),
        bytes_moved=bytes_moved,
        flops=elements,
        method=method,
        block_size=block_size,
        precision=precision,
    )


@checked
def measure_empty(blocks: Count, block_size: Count) -> Measurement:
    """Time an empty kernel, that is, the start of its blocks; `elements` is their number."""
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
    """`measure` every kernel at every size, behind a progress bar. Options go to `measure`.

    Instead of sizes that do not fit this GPU's memory the largest that does is measured.
    """
    if dtype is not None:
        dtype = _dtype(dtype)
    require_gpu()
    item_bytes = 4 if dtype is None else dtype.itemsize
    sizes = dict.fromkeys(largest_that_fits(size, 3 * item_bytes) for size in sizes)
    results = []
    with tqdm(
        [(kernel, size) for size in sizes for kernel in kernels], desc="measuring", leave=False
    ) as progress:
        for kernel, size in progress:
            name = kernel if isinstance(kernel, str) else kernel.name
            progress.set_postfix_str(f"{name}, {size:,}")
            results.append(measure(kernel, size, dtype, **options))
    return results
