"""Predict how long an elementwise kernel takes, and which ceiling holds it, before it runs.

An elementwise kernel does almost no arithmetic: its time is set by how its bytes reach the
memory. No torch and no GPU needed.

**Ceilings.** Five lower bounds of the time, each of them alone:

    launch latency    launch overhead + 2 latencies
    block rate        blocks / block launch rate
    bytes in flight   waves x residency time                                    (Little's law)
    L2 bandwidth      bytes moved / L2 bandwidth
    DRAM bandwidth    bytes that miss L2 / DRAM bandwidth, writes x 1.07      WRITE_COST

**Model.** A kernel pays its launch and one exposed round of latencies; meanwhile blocks are
launched and memory streams, and the slower of the two decides. Memory answers after one
residency time and then streams, limited by the bytes in flight or by a bandwidth; where the two
would take about equally long, requests queue and the time lies above both, as a p-norm of them.

    time       = launch overhead + L + max(blocks / block launch rate, memory)          [us]
    memory     = R + ||(waves - 1) R, max(bytes / L2 bandwidth, misses / DRAM bandwidth)||_p
    L          = 2 idle latencies, an effective number                      SERIAL_LATENCIES
    R          = L + (18 warps + replayed sectors / 4) / clock                   WARP_CYCLES
    waves      = elements / (resident blocks of the GPU x elements of a block)
    ||x, y||_p = (x^p + y^p)^(1/p),  p = 3                                     QUEUEING_NORM

**Terms.** Three times that are often called latency, each measured by a kernel of its own
(`helpers.measure.experiments.memory`):

- *Idle latency*: one dependent load while nothing else runs, in ns, by a pointer chase: L2's
  for the bytes that hit, DRAM's for the others (on an H200 145 and 338).
- *Loaded latency*: the same load while others keep the memory busy, by a chase beside readers.
- *Residency* R: how long a block occupies its place on a multiprocessor (SM), by launches of
  blocks that follow one another. Under load it grows as latency does (`terms.loaded`): the
  p-norm is this growth, R / (1 - u^p)^(1/p) with u the share of the bandwidth in use.

A *wave* is as many blocks as the GPU holds at once. With bytes in flight = SMs x resident
threads of an SM x bytes that a thread asks for at once, waves x R is bytes loaded / bytes in
flight x R: Little's law, written as a time. *Replayed sectors* are the 32-byte sectors that the
loads and stores of one wave touch on one SM beyond the fewest that hold its bytes; an SM's L1
passes 4 a cycle. V5 requests each of its own four times. They lengthen R and are no ceiling of
their own: at 2^28 elements all of V5's sectors take an H200's L1s 193 us, V5 takes 400.
*Misses* are the bytes that do not hit L2 (`Card.hit_fraction`); a byte written costs DRAM more
time than a byte read (`WRITE_COST`).

**Constants.** Those of a card (`helpers.model.cards`) are measured directly by
`helpers.measure.roofs.measure_roofs` in about ten seconds; only the capacity of L2 is found by
the model itself, from four times of `torch.add` (`helpers.model.l2_capacity`). A card that
nobody measured is estimated from its specification (`helpers.model.specification`). A constant
that is known as a range makes an interval of the prediction (`helpers.model.uncertainty`).
Five numbers belong to the model (`helpers.model.terms`): `SERIAL_LATENCIES`, `WARP_CYCLES` and
`QUEUEING_NORM` were fitted to the first record of the ladder on an H200 in `data/runs.csv`,
`WRITE_COST` to the rows of other kernels that `data/held_out.csv` calls "fit",
`cards.L2_HIT_EXPONENT` to the article's times of an RTX 5090.

**Tests.** On rows that no constant saw. 204 times of other kernels on the H200 (template, CuPy,
PyTorch; "held out" in `data/held_out.csv`): 2.7% root mean square, the largest error 11%, every
one of 2^28 elements within 3%. Of most of these kernels other rows are "fit"; the 18 times of
kernels of which none is: 3.7%. BabelStream on another H200: six of eight within 2.5%, float32
copies 6% too slow. Thirteen other cards, from their specifications alone
(`helpers.model.published`): at the DRAM plateau half of 19 within 6%, with few bytes in flight
all of 16 within 14%; the causes of the misses stand beside them.

**Left out.** The tail effect of a last, partial wave; the ramp in which the first blocks fill
the GPU; DRAM pages and refresh; the two partitions of a large L2; clocks that fall under load;
arithmetic; and every kernel that is not elementwise.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

from helpers.model import littles_law
from helpers.model.arguments import checked, positive, whole_number
from helpers.model.cards import Card, card
from helpers.model.launch_shape import LaunchShape
from helpers.model.terms import (
    SERIAL_LATENCIES,
    block_issue_us,
    blocks_per_sm,
    elements_per_wave,
    p_norm,
    read_write_cost,
)
from helpers.model.uncertainty import Interval, interval

LAUNCH = "launch latency"
BLOCK_RATE = "block rate"
IN_FLIGHT = "bytes in flight"
L2 = "L2 bandwidth"
DRAM = "DRAM bandwidth"
CEILINGS = (LAUNCH, BLOCK_RATE, IN_FLIGHT, L2, DRAM)

GRAPH = "graph"  # device time: the kernel replayed in a CUDA graph
WALL_CLOCK = "wall clock"  # host time: many calls between two synchronisations, as the article
METHODS = (GRAPH, WALL_CLOCK)


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
    residency_ns: float  # how long a block occupies its place while the memory is idle
    card: Card = field(repr=False)
    time_of: Callable[[Card], float] = field(repr=False, compare=False)  # on another card

    @cached_property
    def interval(self) -> Interval:
        """The interval of time_us over the card's ranges."""
        return interval(self.time_of, self.card)

    def __str__(self) -> str:
        text = f"{self.time_us:.2f} us, {self.gb_per_s:,.0f} GB/s: {self.ceiling}"
        if not self.card.is_estimated:
            return text
        return (
            f"{text} (estimated: {self.interval.low_us:.2f} to {self.interval.high_us:.2f} us)"
        )


@checked
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
        time_of=lambda of: terms(of).time_us,
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
    waves = elements / elements_per_wave(shape, elements, card.gpu)
    residency_us = latency_us + block_issue_us(shape, elements, waves, card.gpu)
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


@checked
def bytes_in_flight(shape: LaunchShape, card: Card | str) -> int:
    """Return the bytes that a full GPU has in flight, by `littles_law.bytes_in_flight`."""
    gpu = _card(card).gpu
    threads = blocks_per_sm(shape, gpu) * shape.block_size
    return littles_law.bytes_in_flight(gpu, threads, shape.bytes_in_flight_per_thread)


@checked
def needed_in_flight(shape: LaunchShape, card: Card | str) -> float:
    """Return the bytes in flight with which a kernel keeps DRAM busy.

    By Little's law: the bandwidth of its loads, which alone are waited for, x residency time.
    The residency is `SERIAL_LATENCIES` of DRAM, not one latency.
    """
    card = _card(card)
    loaded_GBps = card.dram_GBps * shape.loaded_per_element / shape.bytes_per_element
    return littles_law.bytes_to_fill(loaded_GBps, SERIAL_LATENCIES * card.memory_latency_ns)


@checked
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


_CAUSES = {
    "launch_us": "launch overhead",
    "block_rate": "block launch rate",
    "l2_latency_ns": "L2 latency",
    "memory_latency_ns": "DRAM latency",
    "l2_GBps": "L2 bandwidth",
    "dram_GBps": "DRAM bandwidth",
    "l2_MiB": "L2 capacity",
    "host_enqueue_us": "host's launch interval",
}


@checked
def explain(prediction: Prediction) -> str:
    """Write one sentence: the time, the ceiling, and what it means.

    Of a card that is estimated from its specification also the interval, and the constant whose
    range makes most of it.
    """
    p = prediction
    text = (
        f"Predicted {p.time_us:.1f} us ({p.gb_per_s:,.0f} GB/s, {p.percent_of_roof:.0f}% of the"
        f" {p.card.gpu.name}'s DRAM roof), held by {p.ceiling}:"
        f" {_REASONS[p.ceiling].format(blocks=p.blocks)}"
    )
    if not p.card.is_estimated:
        return f"{text}."
    return (
        f"{text}; nobody measured this card, so the time may be anything from"
        f" {p.interval.low_us:.1f} to {p.interval.high_us:.1f} us, mostly because its"
        f" {_CAUSES[p.interval.cause]} is estimated."
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
