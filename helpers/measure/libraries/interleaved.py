"""Time candidates for one operator, interleaved, on tensors of any offsets, in four contexts.

    graph hot       launches behind each other in a CUDA graph, on one set of buffers
    graph cold      the same, over sets of buffers that together exceed L2 four times
    graph between   before each launch a kernel of PyTorch, which rewrites the first input
    alone           one launch on a stream, behind a write of ALONE_FLUSH times L2

Only candidates whose result is within the operator's error bound are timed. The clocks, the
power and what holds the clocks down are read while the GPU works.
"""

from __future__ import annotations

import contextlib
import functools
import itertools
import random
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import NamedTuple

import torch

from helpers.errors import CheckError
from helpers.measure import bench, nvml, roofs, timing
from helpers.measure.libraries.candidates import Call, Candidate
from helpers.measure.libraries.comparison import launches_per_graph
from helpers.measure.libraries.operators import Operator
from helpers.measure.timing import Times
from helpers.run import nvml as driver

HOT, COLD, BETWEEN, ALONE = "graph hot", "graph cold", "graph between", "alone"
ALONE_ROUNDS = 32  # of single launches, for one of graphs: each is short, and varies
ALONE_FLUSH = 8  # long enough for the host to launch meanwhile
PAGE_BYTES, PAGES = 2 << 20, 64  # of a GPU's memory, and fewer of them before the buffers
LIBRARY_BOUND = 8.0  # ulp, of a library's result: errors are the library's own business


class Setting(NamedTuple):
    """One comparison: an operator, a size, a context, and where its tensors begin."""

    operator: Operator
    elements: int
    method: str
    offsets: tuple[int, ...] = ()  # of the inputs and the output, in elements

    @property
    def offsets_text(self) -> str:
        """The offsets as a column of a record: "1 1 0"; "" for aligned tensors."""
        return " ".join(map(str, self.offsets))

    def __str__(self) -> str:
        where = f", offsets {self.offsets_text}" if self.offsets else ""
        return f"{self.operator}, {self.elements:,}, {self.method}{where}"


class State(NamedTuple):
    """What the driver says of the GPU while it works; None where it does not answer."""

    sm_mhz: int | None
    memory_mhz: int | None
    watts: float | None
    held_down_by: str


@functools.cache
def _handle() -> object | None:
    uuid = str(torch.cuda.get_device_properties(torch.cuda.current_device()).uuid)
    return driver.device(uuid)


def state() -> State:
    """Ask the driver for the clocks, the power and what holds the clocks down."""
    handle = _handle()
    if handle is None:
        return State(None, None, None, "")
    sm, memory = 1, 2  # NVML_CLOCK_SM, NVML_CLOCK_MEM
    bits = driver.ask("nvmlDeviceGetCurrentClocksThrottleReasons", handle) or 0
    held = sorted({words for bit, words in nvml.LIMITS.items() if bits & bit})
    milliwatts = driver.ask("nvmlDeviceGetPowerUsage", handle)
    return State(
        driver.ask("nvmlDeviceGetClockInfo", handle, sm),
        driver.ask("nvmlDeviceGetClockInfo", handle, memory),
        None if milliwatts is None else milliwatts / 1e3,
        " and ".join(held),
    )


def behind_a_kernel(call: Call, x: torch.Tensor) -> Call:
    """Return a call with a kernel of PyTorch before it, which rewrites `x`."""
    flip = torch.logical_not if x.dtype is torch.bool else torch.neg

    def both() -> None:
        flip(x, out=x)
        call()

    return both


def prepare(
    candidate: Candidate, setting: Setting, buffers: Sequence[tuple], launches: int
) -> Call:
    """Run a candidate once on each set of buffers, check it, capture it; return the replay.

    Raises CheckError for a wrong result, and whatever the candidate raises.
    """
    calls = [candidate.bind(inputs, out) for inputs, out in buffers]
    for (_, out), call in zip(buffers, calls, strict=True):
        out.view(torch.uint8 if out.is_contiguous() else out.dtype).fill_(0x7F)
        call()
    timing.GPU.synchronize()
    inputs, out = buffers[0]
    bound = setting.operator.bound() if candidate.is_ours else LIBRARY_BOUND
    error = setting.operator.error(inputs, out, ours=candidate.is_ours)
    if not error <= bound:
        raise CheckError(f"{candidate} is wrong by {error:.3g} ulp: {setting}")
    if setting.method == BETWEEN:
        calls = [behind_a_kernel(c, b[0][0]) for c, b in zip(calls, buffers, strict=True)]
    if setting.method == ALONE:
        return calls[0]
    replay = timing.GPU.capture(calls, launches)
    replay()
    return replay


def time_alone(
    calls: Mapping[Candidate, Call], rounds: int, flush: Call
) -> dict[Candidate, Times]:
    """Time single launches, each behind a flush of L2, in a new random order each round."""
    times: dict[Candidate, list[tuple[float]]] = {one: [] for one in calls}
    for _ in range(rounds):
        order = random.sample(list(calls), len(calls))
        work = itertools.chain.from_iterable((flush, calls[one]) for one in order)
        took = timing.GPU.intervals(list(work))
        for one, us in zip(order, took[1::2], strict=True):
            times[one].append((us,))
    return {one: Times(tuple(batches)) for one, batches in times.items()}


def measure(
    setting: Setting,
    candidates: Iterable[Candidate],
    rounds: int,
    turn: Callable[[], AbstractContextManager] = contextlib.nullcontext,
    placements: int = 1,
) -> tuple[dict[Candidate, Times], State]:
    """Time candidates, `rounds` samples each on new buffers, in microseconds a launch.

    A candidate that is wrong or cannot be captured is left out, and a line says so. turn: gives
    a context in which nobody else uses the GPU. placements: how often, on buffers that lie
    elsewhere each time: a batch of samples for each. Where L2 has the data, a kernel's time
    differs more from place to place than from round to round, and another kernel's otherwise.
    """
    left, parts = list(candidates), []
    for _ in range(placements):
        times, now = _measure_once(setting, left, rounds, turn)
        left = [one for one in left if one in times]
        parts.append(times)
    if placements == 1:
        return parts[0], now
    return {one: Times(tuple(tuple(part[one].samples) for part in parts)) for one in left}, now


def _measure_once(
    setting: Setting, candidates: Sequence[Candidate], rounds: int, turn: Callable
) -> tuple[dict[Candidate, Times], State]:
    """Time candidates on new buffers."""
    here = bench.require_gpu()
    torch.cuda.empty_cache()
    elsewhere = torch.empty(  # so that what follows lies in other pages
        random.randrange(1, PAGES) * PAGE_BYTES, dtype=torch.uint8, device=here.device
    )
    moved = setting.operator.bytes_per_element * setting.elements
    cold = setting.method == COLD
    sets = max(2, bench.sets_for(COLD, moved, here.l2_bytes)) if cold else 1
    launches = launches_per_graph(moved, sets, roofs.this_gpu().dram_GBps)
    buffers = [
        setting.operator.buffers(setting.elements, here.device, setting.offsets)
        for _ in range(sets)
    ]
    replays = {}
    for candidate in candidates:
        try:
            replays[candidate] = prepare(candidate, setting, buffers, launches)
        except Exception as error:  # whatever a library may raise
            words = f"{type(error).__name__}: {str(error)[:200]}"
            print(f"{candidate} is left out of {setting}: {words}", flush=True)
    timing.GPU.synchronize()
    with turn():
        if setting.method == ALONE:
            scratch = torch.empty(
                ALONE_FLUSH * here.l2_bytes, dtype=torch.uint8, device=here.device
            )
            times = time_alone(replays, ALONE_ROUNDS * rounds, scratch.zero_)
        else:
            times = timing.time_interleaved(replays, launches, rounds, warm=not cold)
        for replay in list(replays.values())[:4]:
            replay()
        now = state()
        timing.GPU.synchronize()
    del elsewhere
    return times, now
