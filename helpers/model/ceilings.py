"""Predict how long an elementwise kernel takes, and which ceiling holds it, before it runs.

An elementwise kernel does almost no arithmetic: its time is set by how its bytes reach the
memory. No torch and no GPU needed.

**Ceilings.** Five lower bounds of the time, each of them alone:

    launch latency    launch overhead + 2 latencies
    block rate        blocks / block launch rate
    bytes in flight   waves x residency time                                    (Little's law)
    L2 bandwidth      bytes moved / L2 bandwidth
    DRAM bandwidth    bytes that miss L2 / DRAM bandwidth

**Model.** A kernel pays its launch and one exposed round of latencies; meanwhile blocks are
launched and memory streams, and the slower of the two decides. Memory answers after one
residency time and then streams, limited by the bytes in flight or by a bandwidth; where the two
would take about equally long, requests queue and the time lies above both, as a p-norm of them.

    time       = launch overhead + L + max(blocks / block launch rate, memory)          [us]
    memory     = R + ||(waves - 1) R, max(bytes / L2 bandwidth, misses / DRAM bandwidth)||_p
    L          = 2 latencies: of the loads, then of the stores              SERIAL_LATENCIES
    R          = L + (18 warps + replayed sectors / 4) / clock                   WARP_CYCLES
    waves      = elements / (resident blocks of the GPU x elements of a block)
    ||x, y||_p = (x^p + y^p)^(1/p),  p = 3                                     QUEUEING_NORM

**Terms.** *Latency* is of one dependent load, as a pointer chase measures it: L2's for the
bytes that hit, DRAM's for the others, in ns. *Residency time* R is how long a block occupies
its place on a multiprocessor (SM). A *wave* is as many blocks as the GPU holds at once. With
bytes in flight = SMs x resident threads of an SM x bytes that a thread asks for at once, waves
x R is bytes loaded / bytes in flight x R: Little's law, written as a time. *Replayed sectors*
are the 32-byte sectors that the loads and stores of one wave touch on one SM beyond the fewest
that hold its bytes; an SM's L1 passes 4 a cycle. V5 requests each of its own four times.
*Misses* are the bytes that do not hit L2 (`Card.hit_fraction`).

**Constants.** Those of a card (`helpers.model.cards`) are measured directly by
`helpers.measure.roofs.measure_roofs` in about ten seconds; only the capacity of L2 is found by
the model itself, from four times of `torch.add` (`helpers.model.l2_capacity`). Four numbers
belong to the model: `SERIAL_LATENCIES`, `WARP_CYCLES` and `QUEUEING_NORM` were fitted to the
H200's times in `data/runs.csv`, `cards.L2_HIT_EXPONENT` to the article's of an RTX 5090. The
explanations of the first two are plausible, not proven, and `SERIAL_LATENCIES` is in doubt for
the RTX 5090 (see its memory latency in `data/ceilings.csv`).

**Left out.** The tail effect of a last, partial wave; the ramp in which the first blocks fill
the GPU; DRAM pages and refresh; the two partitions of a large L2; clocks that fall under load;
arithmetic; and every kernel that is not elementwise.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cache
from typing import NamedTuple

from helpers import specs
from helpers.model import littles_law
from helpers.model.arguments import positive, whole_number
from helpers.model.cards import Card, card
from helpers.model.launch_shape import LaunchShape
from helpers.model.occupancy import occupancy
from helpers.model.uncertainty import Interval, interval
from helpers.specs import LINE_BYTES, SECTOR_BYTES

LAUNCH = "launch latency"
BLOCK_RATE = "block rate"
IN_FLIGHT = "bytes in flight"
L2 = "L2 bandwidth"
DRAM = "DRAM bandwidth"
CEILINGS = (LAUNCH, BLOCK_RATE, IN_FLIGHT, L2, DRAM)

GRAPH = "graph"  # device time: the kernel replayed in a CUDA graph
WALL_CLOCK = "wall clock"  # host time: many calls between two synchronisations, as the article
METHODS = (GRAPH, WALL_CLOCK)

SERIAL_LATENCIES = 2
"""Latencies, one after another, in a block's residency, and in a kernel besides its streaming.

On an H200 a dependent load takes 145 ns in L2 and 338 ns in DRAM, blocks of a full SM stay
about 300 and 670 ns, and the smallest kernels take about twice that longer than an empty one.
One latency for the loads and one for the stores would explain it; queues under load may have
their part.
"""

WARP_CYCLES = 18
"""SM cycles that each warp adds to the residency of its block.

A block frees its place when its last warp has ended; until then the slots of its other warps
stand empty. So blocks of 1,024 threads stay 0.28 us longer than those of 32. From the H200's
block sweep.
"""

QUEUEING_NORM = 3.0
"""Exponent p of the p-norm that joins latency-bound and bandwidth-bound time.

From V1 (float32) and V3 (float16) at 2^28 elements on an H200, whose blocks stay for 938 and
783 ns with DRAM 79% and 47% busy. Exponents from 2.5 to 3.5 serve as well.
"""

WRITE_COST = 1.07
"""DRAM time of a byte that is written, over that of a byte that is read.

The bus of a DRAM turns round between reads and writes. Fitted at 2^28 elements to the rows of
additions, casts, relu and scale that `data/held_out.csv` calls "fit". The record alone does not
prove it: kernels that read a smaller share also have fewer bytes in flight, and a cast, which
reads 2/3, is as slow as relu, which reads 1/2 and has as many bytes in flight.
"""

SECTORS_PER_CYCLE = LINE_BYTES // SECTOR_BYTES  # of one SM's L1


@dataclass(frozen=True)
class Prediction:
    """A kernel's predicted time, and what makes it up."""

    time_us: float
    ceiling: str  # the highest of `ceilings`: what to change first
    ceilings: dict[str, float] = field(hash=False)  # each ceiling alone, in microseconds
    gb_per_s: float  # bytes moved / time, 1e9
    percent_of_roof: float  # of the specified DRAM bandwidth; above 100 when L2 answers
    bytes_moved: int
    blocks: int
    hit_fraction: float  # of the bytes, from L2
    waves: float  # how often the GPU fills with blocks
    residency_ns: float  # how long a block occupies its place while DRAM does not queue
    card: Card = field(repr=False)
    interval: Interval = field(hash=False, repr=False)  # of time_us, over the card's ranges

    def __str__(self) -> str:
        return f"{self.time_us:.2f} us, {self.gb_per_s:,.0f} GB/s: {self.ceiling}"


def predict(
    shape: LaunchShape,
    elements: int,
    card: Card | str,
    *,
    hot: bool = True,
    method: str = GRAPH,
    host_enqueue_us: float | None = None,
) -> Prediction:
    """Predict the time of an elementwise kernel of `elements` elements, and its ceiling.

    card: a `Card`, or the name of one in `data/gpus.csv`; the constants of a card that is not
        in `data/ceilings.csv` are estimated from its specification, and `interval` is wide.
    hot: the kernel is repeated on the same tensors: L2 holds what fits; False: L2 holds none.
    method: "graph" predicts device time, "wall clock" the host's, which is at least the
        interval at which the host launches.
    host_enqueue_us: that interval. It belongs to the calling program and its host, not to the
        GPU: with the same H200 5.7 us for `torch.add` and 9.7 us for this course's launcher,
        which checks more in Python. None takes the card's: `torch.add`'s, or the article's.

    Raises ValueError for fewer than one element, a launch that the card refuses, an unknown
    method, an interval that is not positive, and a wall clock without one; KeyError for an
    unknown card; TypeError for a fractional count.
    """
    card = _card(card)
    elements = whole_number("elements", elements)
    host_us = _host_interval_us(card, method, host_enqueue_us)
    own_host = method == WALL_CLOCK and host_enqueue_us is None

    def terms(of: Card) -> _Terms:
        host = of.host_enqueue_us if own_host else host_us
        return _terms(shape, elements, of, hot, host)

    found = terms(card)
    rate = found.bytes_moved / found.time_us / 1e3
    return Prediction(
        time_us=found.time_us,
        ceiling=max(found.ceilings, key=found.ceilings.__getitem__),
        ceilings=found.ceilings,
        gb_per_s=rate,
        percent_of_roof=100 * rate / card.gpu.dram_GBps,
        bytes_moved=found.bytes_moved,
        blocks=shape.blocks(elements),
        hit_fraction=found.hit_fraction,
        waves=found.waves,
        residency_ns=found.residency_us * 1e3,
        card=card,
        interval=interval(lambda of: terms(of).time_us, card),
    )


class _Terms(NamedTuple):
    """The time of a kernel and what it is made of."""

    time_us: float
    ceilings: dict[str, float]
    bytes_moved: int
    hit_fraction: float
    waves: float
    residency_us: float


def _terms(shape: LaunchShape, elements: int, card: Card, hot: bool, host_us: float) -> _Terms:
    """Evaluate the model's formulas, in microseconds."""
    bytes_moved = elements * shape.bytes_per_element
    hits = card.hit_fraction(bytes_moved, hot)
    latency_us = SERIAL_LATENCIES * card.latency_us(hits)
    waves = elements / _elements_per_wave(shape, elements, card.gpu)
    residency_us = latency_us + _block_issue_us(shape, elements, waves, card.gpu)
    dram_GBps = card.dram_GBps / read_write_cost(shape)

    ceilings = {
        LAUNCH: card.launch_us + latency_us,
        BLOCK_RATE: shape.blocks(elements) / card.blocks_per_second(shape.block_size) * 1e6,
        IN_FLIGHT: max(1.0, waves) * residency_us,
        L2: bytes_moved / card.l2_GBps / 1e3,
        DRAM: bytes_moved * (1 - hits) / dram_GBps / 1e3,
    }
    streaming_us = p_norm(max(0.0, waves - 1) * residency_us, max(ceilings[L2], ceilings[DRAM]))
    time_us = ceilings[LAUNCH] + max(ceilings[BLOCK_RATE], residency_us + streaming_us)
    if host_us > time_us:
        time_us = ceilings[LAUNCH] = host_us
    return _Terms(time_us, ceilings, bytes_moved, hits, waves, residency_us)


def read_write_cost(shape: LaunchShape) -> float:
    """Return the DRAM time of a kernel's bytes over that of an addition's, which reads 2/3.

    0.977 for a kernel that only reads, 1.011 for one that reads half: (reads + `WRITE_COST` x
    writes) / bytes, over the same for an addition.
    """
    read = shape.loaded_per_element / shape.bytes_per_element
    return (read + WRITE_COST * (1 - read)) / ((2 + WRITE_COST) / 3)


def p_norm(x: float, y: float) -> float:
    """Join two times that share the memory's queues: (x^p + y^p)^(1/p), p = `QUEUEING_NORM`.

    Close to the longer time, and 26% above both where they are equal.
    """
    longer, shorter = max(x, y), min(x, y)
    if not longer:
        return 0.0
    return longer * (1 + (shorter / longer) ** QUEUEING_NORM) ** (1 / QUEUEING_NORM)


def bytes_in_flight(shape: LaunchShape, card: Card | str) -> int:
    """Return the bytes that a full GPU has in flight, by `littles_law.bytes_in_flight`."""
    gpu = _card(card).gpu
    threads = _blocks_per_sm(shape, gpu) * shape.block_size
    return littles_law.bytes_in_flight(gpu, threads, shape.bytes_in_flight_per_thread)


def needed_in_flight(card: Card | str) -> float:
    """Return the bytes in flight that keep DRAM busy: bandwidth x residency time.

    By Little's law. The residency is `SERIAL_LATENCIES` of DRAM, not one latency.
    """
    card = _card(card)
    latency_ns = SERIAL_LATENCIES * card.memory_latency_ns
    return littles_law.bytes_to_fill(card.dram_GBps, latency_ns)


def roofline(card: Card | str, intensity: float) -> float:
    """Return the classic roofline in GFLOP/s: min(peak, intensity x bandwidth).

    `intensity` is in FLOP per byte, the bandwidth the DRAM plateau that the card reaches, the
    peak its specified float32 rate (Williams, Waterman and Patterson, 2009). Raises ValueError
    for a negative intensity, or a card without a float32 peak in the table.
    """
    card = _card(card)
    if not intensity >= 0:
        raise ValueError(f"intensity must be 0 or more FLOP per byte, not {intensity!r}")
    if card.gpu.fp32_TFLOPS is None:
        raise ValueError(f"no float32 peak is known of {card.gpu.name}, so it has no roofline")
    return min(card.gpu.fp32_TFLOPS * 1e3, intensity * card.dram_GBps)


_REASONS = {
    LAUNCH: "starting the kernel at all takes most of it,"
    " so neither fewer blocks nor wider loads help much",
    BLOCK_RATE: "{blocks:,} blocks cannot be started faster, so give each block more elements",
    IN_FLIGHT: "too few bytes are in flight to cover the latency,"
    " so let each thread ask for more at once",
    L2: "the tensors come from L2 as fast as it can deliver",
    DRAM: "the bytes come from DRAM as fast as it can deliver,"
    " and only fewer bytes would be faster",
}


def explain(prediction: Prediction) -> str:
    """Write one sentence: the time, the ceiling, and what it means."""
    p = prediction
    return (
        f"Predicted {p.time_us:.1f} us ({p.gb_per_s:,.0f} GB/s, {p.percent_of_roof:.0f}% of the"
        f" {p.card.gpu.name}'s DRAM roof), held by {p.ceiling}:"
        f" {_REASONS[p.ceiling].format(blocks=p.blocks)}."
    )


# ---- the terms -------------------------------------------------------------------------------


def _card(card_or_name: Card | str) -> Card:
    return card(card_or_name) if isinstance(card_or_name, str) else card_or_name


def _host_interval_us(card: Card, method: str, host_enqueue_us: float | None) -> float:
    """Return the least time that the host's clock can show; 0 for device time."""
    if method not in METHODS:
        raise ValueError(f"method must be one of {METHODS}, not {method!r}")
    host = card.host_enqueue_us if host_enqueue_us is None else host_enqueue_us
    if host is not None:
        positive("host_enqueue_us", host)
    if method == GRAPH:
        return 0.0
    if host is None:
        raise ValueError(
            f"host_enqueue_us of {card.gpu.name} is unknown: give it to predict its wall clock"
        )
    return host


@cache
def _blocks_per_sm(shape: LaunchShape, gpu: specs.Gpu) -> int:
    return occupancy(gpu.cc, shape.block_size, shape.registers).blocks


def _elements_per_wave(shape: LaunchShape, elements: int, gpu: specs.Gpu) -> int:
    """Count the elements of the blocks that are resident on the GPU at once.

    A grid-stride launch may have too few blocks to fill it.
    """
    resident = gpu.sm_count * _blocks_per_sm(shape, gpu)
    if shape.grid is not None:
        resident = min(resident, shape.blocks(elements))
    return resident * shape.elements_per_block


def _block_issue_us(shape: LaunchShape, elements: int, waves: float, gpu: specs.Gpu) -> float:
    """Return what a block's residency takes besides latency: its warps, and replays in L1.

    Without a known clock 0.
    """
    busy_sms = min(gpu.sm_count, shape.blocks(elements))
    shares = max(1.0, elements / shape.elements_per_block / busy_sms)  # of one SM
    replayed = shares / max(1.0, waves) * shape.replayed_sectors()  # in one wave
    cycles = WARP_CYCLES * shape.warps_per_block + replayed / SECTORS_PER_CYCLE
    return cycles / gpu.boost_MHz if gpu.boost_MHz else 0.0
