"""Measure a GPU's ceilings: one number for each constant of `helpers.model.ceilings`.

`this_card()` gives the constants of the present GPU: measured once, some twenty seconds, then
kept on disk for this card, driver and clock (`helpers.measure.kept_roofs`). `this_gpu()` gives
its specification, with what its driver does not tell measured, too.
"""

from __future__ import annotations

import statistics
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, replace
from functools import cache, partial

import torch
from tqdm import tqdm

from helpers import specs
from helpers.errors import UnsteadyGpuError
from helpers.measure import bench, kept_roofs, store, timing
from helpers.measure.measurement import Measurement
from helpers.model import ceilings
from helpers.model.arguments import Count, checked
from helpers.model.dtypes import dtype_name
from helpers.model.l2_capacity import l2_capacity
from helpers.run import jit, machine
from helpers.run.kernel import Kernel

BLOCK_SIZES = (32, 64, 128, 256, 512, 768, 1024)  # whose launch rates are measured
FEW_BLOCKS, MANY_BLOCKS = 1 << 18, 1 << 20
LARGEST_ADD = 1 << 28  # elements of the DRAM and copy tests, where the card is large enough
CHASE_LINE_BYTES = 128
CHASE_LOADS = 1 << 16  # at most, in one go
CLOCK_BYTES = 1 << 20  # of the chain that tells the clock
COPIES = 11
L2_PAIRS = 5  # of amounts of work, for L2's bandwidth
TRIES = 5  # of two amounts of work, until the larger takes longer
UNITS = {"us": "us", "ns": "ns", "GBps": "GB/s", "MiB": "MiB", "MHz": "MHz"}  # by the ending


@dataclass(frozen=True)
class Roofs:
    """What a GPU reaches at best, measured a moment ago."""

    gpu: str
    launch_us: float  # one of many empty kernels of one block, in a CUDA graph
    block_rate: dict[int, float]  # blocks per second, by threads per block
    l2_latency_ns: float
    memory_latency_ns: float
    l2_GBps: float
    dram_GBps: float  # torch.add of 2^28 elements: two reads, one write
    copy_GBps: float  # a device-to-device copy: one read, one write
    host_enqueue_us: float  # of torch.add
    l2_MiB: float | None = (
        None  # working set at which hits end; None: the specified size serves
    )
    clock_MHz: float | None = None  # of the SMs, during a pointer chase

    def card(self) -> ceilings.Card:
        """Return the card that `ceilings.predict` takes, with these numbers as they are.

        One block rate, that of 256 threads, serves all blocks of at most 512.
        """
        larger = {threads: rate for threads, rate in self.block_rate.items() if threads > 512}
        return ceilings.Card.from_measurements(
            self.specification(),
            launch_latency_us=self.launch_us,
            block_rate={256: self.block_rate[256]} | larger,
            l2_latency_ns=self.l2_latency_ns,
            memory_latency_ns=self.memory_latency_ns,
            l2_GBps=self.l2_GBps,
            dram_GBps=self.dram_GBps,
            l2_MiB=self.l2_MiB,
            host_enqueue_us=self.host_enqueue_us,
        )

    def specification(self) -> specs.Gpu:
        """Return the present GPU's specification; what nothing tells is what was measured."""
        gpu = machine.present().spec
        if gpu.dram_GBps is None:
            best = max(self.dram_GBps, self.copy_GBps)
            gpu = replace(gpu, dram_GBps=round(best, 1), dram_from="measured: a copy")
        if gpu.boost_MHz is None and self.clock_MHz:
            gpu = replace(gpu, boost_MHz=round(self.clock_MHz, 1))
        return gpu

    def quantities(self) -> Iterator[tuple[str, float, str]]:
        """Yield (quantity, value, unit) of each number, as data/roofs.csv has them."""
        for name, value in asdict(self).items():
            if isinstance(value, float):
                yield name, value, UNITS[name.rpartition("_")[2]]
        for threads, rate in self.block_rate.items():
            yield f"block_rate_{threads}", rate, "blocks/s"


def record(roofs: Roofs) -> None:
    """Add measured roofs to data/roofs.csv, to five digits, one quantity a row.

    Raises TypeError for anything else.
    """
    if not isinstance(roofs, Roofs):
        raise TypeError(f"give what measure_roofs returns, not {type(roofs).__name__}")
    common = store.provenance()
    store.ROOFS.append(
        common | {"quantity": name, "value": float(f"{value:.5g}"), "unit": unit}
        for name, value, unit in roofs.quantities()
    )


@checked
def random_chain(lines: Count, stride: Count, device: str | torch.device) -> torch.Tensor:
    """Make a chain of indices through `lines` places, `stride` elements apart, in random order.

    int32 [lines x stride]: next[i] is the place after i. Starting at 0 each place comes once.
    """
    order = torch.randperm(lines, device=device, dtype=torch.int64) * stride
    links = torch.zeros(lines * stride, dtype=torch.int32, device=device)
    links[order] = order.roll(-1).to(torch.int32)
    return links


def chase_ns(chase: Kernel, span_bytes: int, cold: bool) -> float:
    """Return the nanoseconds of one load in a chain from line to line of `span_bytes`.

    cold: what L2 held is pushed out first, so that nearly every load goes to DRAM.
    """
    return run_chase(chase, span_bytes, cold)[0]


def clock_MHz(chase: Kernel) -> float:
    """Return the SMs' clock while a chain of loads is followed."""
    ns, cycles = run_chase(chase, CLOCK_BYTES, cold=False)
    return 1e3 * cycles / ns


def run_chase(chase: Kernel, span_bytes: int, cold: bool) -> tuple[float, float]:
    """Return nanoseconds and SM cycles of one load in a chain; see `chase_ns`."""
    here = bench.require_gpu()
    lines = span_bytes // CHASE_LINE_BYTES
    links = random_chain(lines, CHASE_LINE_BYTES // 4, here.device)
    last = torch.empty(1, dtype=torch.int32, device=here.device)
    cycles = torch.empty(1, dtype=torch.int64, device=here.device)
    steps = min(lines, CHASE_LOADS)
    call = partial(chase.pointer_chase, links, last, cycles, steps)
    call()
    if cold:
        flushed = bench.COLD_L2_MULTIPLE * here.l2_bytes
        torch.zeros(flushed, dtype=torch.int8, device=here.device)
    (took_us,) = timing.GPU.intervals([call])
    return took_us * 1e3 / steps, cycles.item() / steps


def measure_copy(source: torch.Tensor) -> Measurement:
    """Time a device-to-device copy of a tensor, by events.

    Not in a graph: there a copy is a node for the copy engine, which is slower.
    """
    here = bench.require_gpu()
    target = torch.empty_like(source)
    with bench.gpu_to_itself():
        times = timing.Times(
            tuple(
                (us,) for us in timing.GPU.intervals([partial(target.copy_, source)] * COPIES)
            )
        )
    return Measurement(
        kernel="copy",
        elements=source.numel(),
        dtype=dtype_name(source.dtype),
        method="events",
        time_us=times.median_us,
        low_us=times.percentile(20),
        high_us=times.percentile(80),
        repeats=len(times.samples),
        bytes_moved=2 * source.nbytes,
        gpu=here.name,
        noise_percent=100 * times.noise,
    )


# ---- all of them ---------------------------------------------------------------------------


def _add(elements: int) -> Measurement:
    return bench.measure("torch.add", elements, "float32")


def _empty(blocks: int, threads: int) -> Measurement:
    return bench.measure_empty(blocks, threads)


def _marginal_us(
    measure: Callable[[int], Measurement], less: int, more: int
) -> tuple[float, Measurement, Measurement]:
    """Measure two amounts of work; return how much longer the larger takes, and both.

    Where the larger is not the slower one, something else uses the GPU: both are measured
    again, at most TRIES times. Raises UnsteadyGpuError after that.
    """
    for _ in range(TRIES):
        small, large = measure(less), measure(more)
        if large.time_us > small.time_us:
            return large.time_us - small.time_us, small, large
    raise UnsteadyGpuError(
        f"on this {machine.present().name} more work took no longer, {TRIES} times: something "
        "else uses it"
    )


def _block_rate(threads: int) -> float:
    """Measure blocks per second: by how much 2^20 empty blocks take longer than 2^18."""
    empty = partial(_empty, threads=threads)
    more_us, _, _ = _marginal_us(empty, FEW_BLOCKS, MANY_BLOCKS)
    return (MANY_BLOCKS - FEW_BLOCKS) / more_us * 1e6


def _l2_gb_per_s(l2_bytes: int) -> float:
    """Measure L2's bandwidth: the marginal time of torch.add's bytes while all fit in L2.

    The median of L2_PAIRS pairs, as the times differ by little more than a microsecond.
    """
    pairs = [
        _marginal_us(_add, l2_bytes // 12 // 16, l2_bytes // 12 // 4) for _ in range(L2_PAIRS)
    ]
    return statistics.median(
        (large.bytes_moved - small.bytes_moved) / more_us / 1e3
        for more_us, small, large in pairs
    )


def _host_enqueue_us(device: str) -> float:
    """Measure the wall clock from one torch.add to the next; the GPU takes next to no time."""
    tiny = torch.zeros(32, device=device)
    return timing.wall_clock_us(partial(torch.add, tiny, tiny, out=torch.empty_like(tiny)))


def measure_roofs() -> Roofs:
    """Measure this GPU's ceilings, some twenty seconds.

    Raises NoGpuError without a GPU, UnsteadyGpuError where something else keeps it busy.

    DRAM and copy: torch.add and copy_ on tensors many times L2; they come first, so that the
    clocks have risen when the short times are taken. Launch: replays of an empty kernel of one
    block. Block rate: what 2^20 empty blocks cost more than 2^18. Latencies: a chain of
    dependent loads through 1/8 of L2, and through 8 x L2 when L2 holds something else. L2: what
    more bytes cost torch.add while all still fit. L2's capacity: torch.add at four working sets
    from 3/4 of L2 to twice L2; the size that explains their times best.
    """
    here = bench.require_gpu()
    steps = _steps(here)
    found = {}
    with (
        bench.gpu_to_itself(),
        tqdm(steps.items(), desc="measuring the roofs", leave=False) as bar,
    ):
        for name, measure in bar:
            bar.set_postfix_str(name)
            found[name] = measure()
    times = found.pop("times")
    roofs = Roofs(gpu=here.name, **found)
    return replace(roofs, l2_MiB=l2_capacity(roofs.card(), times))


def _steps(here: machine.Machine) -> dict[str, Callable[[], object]]:
    """Return how each field of `Roofs` is measured, and the times that tell L2's capacity."""
    chase = jit.load("pointer_chase")
    largest = min(LARGEST_ADD, here.memory_bytes // 32 // (1 << 20) * (1 << 20))
    working_sets = [here.l2_bytes * part // 48 for part in (3, 4, 6, 8)]
    return {
        "dram_GBps": lambda: _add(largest).gb_per_s,
        "copy_GBps": lambda: measure_copy(torch.randn(largest, device=here.device)).gb_per_s,
        "launch_us": lambda: bench.measure_empty(1, 32).time_us,
        "block_rate": lambda: {threads: _block_rate(threads) for threads in BLOCK_SIZES},
        "l2_latency_ns": lambda: chase_ns(chase, here.l2_bytes // 8, cold=False),
        "memory_latency_ns": lambda: chase_ns(chase, 8 * here.l2_bytes, cold=True),
        "clock_MHz": lambda: clock_MHz(chase),
        "l2_GBps": lambda: _l2_gb_per_s(here.l2_bytes),
        "host_enqueue_us": lambda: _host_enqueue_us(here.device),
        "times": lambda: {elements: _add(elements).time_us for elements in working_sets},
    }


RECORDED_CARD = "H200 SXM"  # whose constants are used without a GPU


@cache
def this_card() -> ceilings.Card:
    """Return the constants of this machine's ceilings.

    On a GPU they are measured, once for a card, driver and clock; else they are the H200's
    recorded ones. A line says which.
    """
    here = machine.present()
    if not here.is_gpu:
        print("no GPU here: the constants of the H200, from data/ceilings.csv")
        return ceilings.card(RECORDED_CARD)
    if (card := _kept(here)) is not None:
        return card
    with bench.gpu_to_itself():  # whoever waited for another lesson's measurement finds it kept
        return _kept(here) or _measured(here)


def _kept(here: machine.Machine) -> ceilings.Card | None:
    """Return the constants that are kept on disk, and say so; None if there are none."""
    kept = kept_roofs.load(Roofs)
    if kept is None:
        return None
    roofs, day = kept
    print(f"{here.name}: constants measured on {day}, with this driver and clock")
    return roofs.card()


def _measured(here: machine.Machine) -> ceilings.Card:
    """Measure the constants and keep them; on a busy GPU, estimate them."""
    print(f"measuring {here.name} ...")
    try:
        roofs = measure_roofs()
    except UnsteadyGpuError as error:
        print(f"{error}. Until the notebook's kernel is restarted, the constants are estimates")
        print("from the card's specification, with a range.")
        return ceilings.Card.from_specification(here.spec)
    kept_roofs.save(roofs)
    return roofs.card()


def this_gpu() -> specs.Gpu:
    """Return the present GPU by what it reports; a bandwidth or clock it hides is measured.

    Raises NoGpuError without a GPU.
    """
    gpu = bench.require_gpu().spec
    return gpu if gpu.dram_GBps and gpu.boost_MHz else this_card().gpu


@checked
def specification(name: str) -> specs.Gpu | None:
    """Return a card by the driver's name, as rows of data/ have it; None if it is not known.

    The card that is present is described by what it reports, another one by its row.
    """
    if machine.present().is_gpu and name == machine.present().name:
        return this_gpu()
    try:
        return specs.gpu(name)
    except KeyError:
        return None


def specified_GBps(name: str) -> float | None:
    """Return the DRAM bandwidth that a card's data sheet says, by the driver's name.

    As data/gpus.csv has it, so that a share of it is the same on every machine. Of a card
    that is not there, or is not what its name says: what the driver reports, which may differ
    in the third digit. None if nothing is known.
    """
    card = specification(name)
    if card is None or card.note:
        return card and card.dram_GBps
    try:
        return specs.gpu(card.name).dram_GBps
    except KeyError:
        return card.dram_GBps
