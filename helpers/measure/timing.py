"""Time calls on a GPU: by graph replays, by the host's clock, several graphs interleaved.

A replayed CUDA graph launches from the device's own queue, so a time holds no Python and no
driver call. Samples come in batches, each begun 100 ms after the one before: samples of one
batch share the clocks and the temperature of one moment, so the batches, not the samples, are
taken as independent. The median's 95% interval is the wider of two: Student's t over the
medians of the batches (A. Georges, D. Buytaert and L. Eeckhout, "Statistically rigorous Java
performance evaluation", OOPSLA 2007, section 3.2); and that of all samples, by their quartiles
(R. McGill, J. Tukey and W. Larsen, "Variations of box plots", 1978), which grows if another
process takes time slices of the GPU. Half the interval, relative to the median, is the noise:
times that differ by less are not told apart.
"""

from __future__ import annotations

import itertools
import math
import random
import statistics
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import torch

from helpers.model.arguments import Amount, Count, Rate, checked

Call = Callable[[], object]  # launches on the current stream, without waiting for the GPU

REPLAY_US = 1500.0  # a replay's length, far above the resolution of events (0.5 us)
WARM_UP_REPLAYS = 3  # before each batch
BATCH_REPLAYS = 12
PAUSE_S = 0.1  # from the start of one batch to the start of the next
LEAST_BATCHES = 2
LEAST_TOTAL_US = 30_000.0  # of measured GPU time
LIMIT_S = 1.0
WALL_CLOCK_WARM_UP = 10  # the article's method: 10 calls to warm up, then 1,000
WALL_CLOCK_CALLS = 1000
WALL_CLOCK_BATCHES = 3

# Student's t, 97.5% quantile, by degrees of freedom; between two of them the smaller serves.
STUDENT_T = {
    **{1: 12.706, 2: 4.303, 3: 3.182, 4: 2.776, 5: 2.571, 6: 2.447, 7: 2.365, 8: 2.306},
    **{9: 2.262, 10: 2.228, 15: 2.131, 20: 2.086, 30: 2.042, 60: 2.000, 120: 1.980},
}


@dataclass(frozen=True)
class Times:
    """Microseconds a call: one number for each sample, the samples grouped by batch."""

    batches: tuple[tuple[float, ...], ...]

    @property
    def samples(self) -> list[float]:
        """Every sample, in the order in which they were taken."""
        return list(itertools.chain.from_iterable(self.batches))

    @property
    def median_us(self) -> float:
        """The median of all samples."""
        return statistics.median(self.samples)

    def percentile(self, percent: float) -> float:
        """Return the sample at a percentile (the nearest rank)."""
        ordered = sorted(self.samples)
        return ordered[round(percent / 100 * (len(ordered) - 1))]

    @property
    def noise(self) -> float:
        """Half the median's 95% interval, relative to it; infinite for a single batch."""
        count = len(self.batches)
        if count < 2:
            return math.inf
        medians = [statistics.median(batch) for batch in self.batches]
        quantile = STUDENT_T[max(known for known in STUDENT_T if known <= count - 1)]
        between = quantile * statistics.stdev(medians) / math.sqrt(count)
        samples = self.samples
        first, _, third = statistics.quantiles(samples, n=4)
        within = 1.57 * (third - first) / math.sqrt(len(samples))
        return max(between, within) / self.median_us


class Gpu:
    """Ask the CUDA device and the host's clock; a test puts a fake in its place."""

    def __init__(self):
        self._sides: dict[int, torch.cuda.Stream] = {}

    def now(self) -> float:
        """Read the host's clock, in seconds."""
        return time.perf_counter()

    def sleep(self, seconds: float) -> None:
        """Leave the GPU idle."""
        time.sleep(seconds)

    def synchronize(self) -> None:
        """Wait until the GPU has finished everything."""
        torch.cuda.synchronize()

    def side_stream(self) -> torch.cuda.Stream:
        """Return the one stream on which this process captures.

        With a new one for each capture, an empty kernel took 0.18 us longer from the eighth on
        (an H200, experiment "streams").
        """
        device = torch.cuda.current_device()
        if device not in self._sides:
            self._sides[device] = torch.cuda.Stream()
        return self._sides[device]

    def use_new_stream(self, call: Call) -> None:
        """Run a call on a stream that nothing has used, and wait."""
        with torch.cuda.stream(torch.cuda.Stream()):
            call()
        torch.cuda.synchronize()

    def capture(self, calls: Sequence[Call], launches: int) -> Call:
        """Capture `launches` launches, rotating over the calls; return the graph's replay."""
        # Not `with torch.cuda.graph`: that collects garbage each time; there may be hundreds.
        torch.cuda.synchronize()
        graph = torch.cuda.CUDAGraph()
        with torch.cuda.stream(self.side_stream()):
            graph.capture_begin()
            try:
                for call in itertools.islice(itertools.cycle(calls), launches):
                    call()
            finally:
                graph.capture_end()
        return graph.replay

    def intervals(self, work: Sequence[Call], look: Call = lambda: None) -> list[float]:
        """Run work in a row on the current stream; return the microseconds of each, by events.

        look: called while the GPU works.
        """
        events = [torch.cuda.Event(enable_timing=True) for _ in range(len(work) + 1)]
        events[0].record()
        for call, event in zip(work, events[1:], strict=True):
            call()
            event.record()
        look()
        events[-1].synchronize()
        return [a.elapsed_time(b) * 1e3 for a, b in itertools.pairwise(events)]

    def call_us(self, calls: Sequence[Call]) -> float:
        """Estimate the microseconds of one call, after a call of each that warms up."""
        side = self.side_stream()
        side.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(side):
            for call in calls:
                call()
            took = self.intervals(list(calls))
        side.synchronize()
        return sum(took) / len(calls)


GPU = Gpu()


@checked
def launches_per_replay(call_us: Amount, sets: Count, replay_us: Rate = REPLAY_US) -> int:
    """Return how many launches take about `replay_us`: a multiple of the buffer sets."""
    return sets * max(1, round(replay_us / (max(call_us, 1.0) * sets)))


def _graph(calls: Sequence[Call]) -> tuple[Call, int]:
    """Capture the calls in a graph of about REPLAY_US; return its replay and its launches."""
    launches = launches_per_replay(GPU.call_us(calls), len(calls))
    replay = GPU.capture(calls, launches)
    # A short call took as long as the host took to launch it: in the graph it takes less.
    *_, took_us = GPU.intervals([replay] * WARM_UP_REPLAYS)
    if took_us < REPLAY_US / 2:
        launches = launches_per_replay(took_us / launches, len(calls))
        replay = GPU.capture(calls, launches)
    return replay, launches


def time_graph(
    calls: Sequence[Call],
    precision: float = 0.005,
    limit_s: float = LIMIT_S,
    look: Call = lambda: None,
) -> Times:
    """Time a CUDA graph that rotates over the calls, each with its own set of buffers.

    Batches are added until the noise is at most `precision` (relative), but at least two
    batches and LEAST_TOTAL_US of GPU time; or until `limit_s` seconds have passed. look: called
    in each batch while the GPU works. Nothing in a call may wait.
    """
    replay, launches = _graph(calls)
    batches: list[tuple[float, ...]] = []
    total_us = 0.0
    started = GPU.now()
    while True:
        began = GPU.now()
        GPU.intervals([replay] * WARM_UP_REPLAYS)
        took = GPU.intervals([replay] * BATCH_REPLAYS, look)
        batches.append(tuple(us / launches for us in took))
        total_us += sum(took)
        times = Times(tuple(batches))
        if len(batches) >= LEAST_BATCHES:
            enough = total_us >= LEAST_TOTAL_US and times.noise <= precision
            if enough or GPU.now() - started > limit_s:
                return times
        GPU.sleep(max(0.0, PAUSE_S - (GPU.now() - began)))


def time_interleaved(
    replays: Mapping[str, Call], launches: int, rounds: int, *, warm: bool
) -> dict[str, Times]:
    """Time several graphs interleaved: each round replays all once, in a new random order.

    replays: from `Gpu.capture`, each of `launches` launches. warm: a replay that is not timed
    before each one that is, so that L2 holds its own buffers. A round is a batch; half of the
    rounds begin after a pause.
    """
    times: dict[str, list[tuple[float]]] = {name: [] for name in replays}
    for index in range(rounds):
        if index == rounds // 2:
            GPU.sleep(PAUSE_S)
        order = random.sample(list(replays), len(replays))
        each = 2 if warm else 1
        took = GPU.intervals([replays[name] for name in order for _ in range(each)])
        for name, us in zip(order, took[each - 1 :: each], strict=True):
            times[name].append((us / launches,))
    return {name: Times(tuple(batches)) for name, batches in times.items()}


def wall_clock_us(
    call: Call, repeats: int = WALL_CLOCK_CALLS, look: Call = lambda: None
) -> float:
    """Return the microseconds a call by the host's clock: warm up, then `repeats` calls.

    The article's method: a synchronisation before and after, nothing in between. look: called
    after the clock has stopped, while the GPU works at some more calls.
    """
    for _ in range(WALL_CLOCK_WARM_UP):
        call()
    GPU.synchronize()
    began = GPU.now()
    for _ in range(repeats):
        call()
    GPU.synchronize()
    seconds = GPU.now() - began
    for _ in range(WALL_CLOCK_WARM_UP):
        call()
    look()
    GPU.synchronize()
    return seconds / repeats * 1e6


def time_wall_clock(call: Call, look: Call = lambda: None) -> Times:
    """Time a call by the article's method, three times, 100 ms apart."""
    batches = []
    for index in range(WALL_CLOCK_BATCHES):
        if index:
            GPU.sleep(PAUSE_S)
        batches.append((wall_clock_us(call, look=look),))
    return Times(tuple(batches))
