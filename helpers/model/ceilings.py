"""Which ceiling a kernel will meet, and how long it will take: predicted before it runs. No torch, no GPU needed.

An elementwise kernel does almost no arithmetic, so its time is set by how its work reaches the memory. Five
ceilings bound it:

    launch latency    an empty kernel, and one trip to the memory
    block rate        blocks / (blocks that the GPU starts in a second)
    bytes in flight   bytes loaded / bytes in flight x turnover                              (Little's law)
    L2 bandwidth      bytes / L2 bandwidth
    DRAM bandwidth    bytes that miss L2 / DRAM bandwidth

How they join, in two sentences: *The kernel is launched and pays one trip to the memory for its beginning and end;
between them blocks start while memory streams, and the slower of the two decides. Memory gives its first answer
after one turnover and then streams; where bytes in flight and bandwidth would take about equally long, requests
queue behind each other and the time lies above both.*

    time     = launch + trip + max(blocks / block rate, memory)
    memory   = turnover + crowd((turns - 1) x turnover, max(bytes / L2, missed bytes / DRAM))
    trip     = 2 x latency
    turnover = trip + 18 cycles x warps in a block + sectors passed again / (4 per cycle)
    crowd(x, y) = (x^3 + y^3)^(1/3)

*Latency* is that of one dependent load, as a pointer chase measures it: L2's for the bytes that hit, DRAM's for the
others. A *trip* is two of them, for loads and then stores. *Turnover* is the time that a resident block holds its
place on its multiprocessor (SM). *Turns* says how often the GPU fills with blocks: bytes loaded / bytes in flight,
where the bytes in flight are SMs x resident threads x bytes that each thread has asked for. So turns x turnover is
Little's law, written as a time. *Sectors passed again* are the 32-byte pieces that loads and stores touch beyond the
fewest that hold the bytes: V5 fetches each of its own four times.

The constants of a card are measured directly, in about ten seconds, by `helpers.measure.bench.measure_roofs`, all but one:
where hits in L2 end is found from four times of `torch.add` (`l2_capacity`). Four numbers belong to the model and
not to a card: `TRIP`, `WARP_CYCLES` and `CROWDING` were fitted to the H200's times in `data/runs.csv`, `L2_FALL` to the
article's of an RTX 5090. Each is explained where it stands; the first two have explanations that are plausible, not
proven, and `TRIP` is in doubt for the RTX 5090 (see its memory latency in `data/ceilings.csv`).

That table has the constants of two cards, each with how it was found: *specified* by the vendor, *measured* on the
card by itself, *inferred* from the times of kernels, or *assumed* from another card.

What the model leaves out: the last, half-empty turn of the blocks, the time in which the first blocks fill the GPU,
DRAM pages and refresh, the two halves of a large L2, clocks that fall under load, arithmetic, and everything that is
not elementwise.
"""

from __future__ import annotations

import csv
import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cache

from helpers import paths, specs
from helpers.model.arguments import whole_number
from helpers.model.ladder import TORCH_ADD
from helpers.model.launch_shape import LaunchShape
from helpers.model.occupancy import occupancy
from helpers.specs import LINE_BYTES, SECTOR_BYTES

LAUNCH = "launch latency"
BLOCK_RATE = "block rate"
IN_FLIGHT = "bytes in flight"
L2 = "L2 bandwidth"
DRAM = "DRAM bandwidth"
CEILINGS = (LAUNCH, BLOCK_RATE, IN_FLIGHT, L2, DRAM)

GRAPH = "graph"  # device time: the kernel replayed in a CUDA graph
WALL_CLOCK = (
    "wall clock"  # the article's way: many calls from the host between two synchronisations
)
METHODS = (GRAPH, WALL_CLOCK)

TRIP = 2
"""Latencies of a dependent load for which a block holds its place, and which a kernel takes besides its streaming.

On an H200 a chase takes 145 ns in L2 and 338 ns in DRAM, while full SMs turn over in about 300 and 670 ns, and the
smallest kernels take about twice that longer than an empty one. One latency for the loads and one for the stores
would explain it; longer queues under load may have their part.
"""

WARP_CYCLES = 18
"""SM cycles by which the warps of one block follow each other, from its first one's start to its last one's end.

A block frees its place only when its last warp has ended; until then the places of the others stand empty. So
blocks of 1,024 threads turn over 0.28 us later than those of 32. Found on the H200's block sweep.
"""

CROWDING = 3.0
"""Exponent of `crowd`, from V1 (float32) and V3 (float16) at 2^28 elements on an H200.

They turn over in 938 and 783 ns, with the DRAM 79% and 47% busy. Exponents from 2.5 to 3.5 serve as well.
"""

L2_FALL = 3.5
"""How steeply hits in L2 fall once the tensors no longer fit; see `Card.hit_fraction`."""

SECTORS_PER_CYCLE = LINE_BYTES // SECTOR_BYTES  # that pass an SM's L1


# ----------------------------------------------------------------------------------------------------------- cards


@dataclass(frozen=True)
class Card:
    """A GPU's specification and the constants of its ceilings.

    Raises ValueError for a constant that is not a positive number.
    """

    gpu: specs.Gpu
    launch_us: float  # an empty kernel of one block, one of many in a CUDA graph
    block_rate: float  # blocks started per second
    l2_latency_ns: float  # one of a chain of dependent loads that hit L2
    memory_latency_ns: float  # one of a chain of dependent loads that go to DRAM
    l2_GBps: float  # what more bytes cost a vectorised kernel whose tensors fit
    dram_GBps: float  # the plateau that is reached, not the data sheet's
    l2_MiB: float  # working set up to which a repeated kernel hits L2 wholly
    host_enqueue_us: float | None = (
        None  # from one launch to the next on the host; see `predict`
    )
    large_block_rates: tuple[
        tuple[int, float], ...
    ] = ()  # (from this many threads a block, blocks per second)
    how: Mapping[str, str] = field(
        default_factory=dict, compare=False
    )  # constant -> specified, measured, ...

    def __post_init__(self):
        for name in _CONSTANTS:
            value = getattr(self, name)
            if not (isinstance(value, (int, float)) and 0 < value < math.inf):
                raise ValueError(
                    f"{name} of {self.gpu.name} must be a positive number, not {value!r}"
                )

    @classmethod
    def from_measurements(
        cls,
        gpu: specs.Gpu | str,
        *,
        launch_latency_us: float,
        block_rate: float | Mapping[int, float],
        l2_latency_ns: float,
        memory_latency_ns: float,
        l2_GBps: float,
        dram_GBps: float,
        l2_MiB: float | None = None,
        host_enqueue_us: float | None = None,
    ) -> Card:
        """A card from what was measured on it a moment ago; each number serves as it is.

        `launch_latency_us`  one of many empty kernels of one block in a CUDA graph, at full clocks
        `block_rate`         empty kernel of very many blocks: blocks per second, or {threads per block: rate}
        `l2_latency_ns`, `memory_latency_ns`  one of a chain of dependent loads that hit L2, or go to DRAM
        `l2_GBps`            extra bytes / extra time of two vectorised kernels that both fit in L2
        `dram_GBps`          bytes / time of a big vectorised kernel
        `l2_MiB`             working set at which hits end, as `l2_capacity` finds it; None takes the specified size,
                             which may be twice too much: the H200's hits end at half of it
        `host_enqueue_us`    wall clock of launch after launch; None where no wall clock is to be predicted
        """
        gpu = specs.gpu(gpu) if isinstance(gpu, str) else gpu
        rates = (
            dict(sorted(block_rate.items()))
            if isinstance(block_rate, Mapping)
            else {0: block_rate}
        )
        first, *larger = rates.items()
        return cls(
            gpu=gpu,
            launch_us=launch_latency_us,
            block_rate=first[1],
            l2_latency_ns=l2_latency_ns,
            memory_latency_ns=memory_latency_ns,
            l2_GBps=l2_GBps,
            dram_GBps=dram_GBps,
            l2_MiB=gpu.l2_MiB if l2_MiB is None else l2_MiB,
            host_enqueue_us=host_enqueue_us,
            large_block_rates=tuple(larger),
            how=dict.fromkeys(_CONSTANTS, "measured")
            | {"l2_MiB": "specified" if l2_MiB is None else "inferred"},
        )

    def blocks_per_second(self, block_size: int) -> float:
        """The block rate for blocks of this many threads; large blocks start more slowly."""
        rate = self.block_rate
        for threads, larger in self.large_block_rates:
            if block_size >= threads:
                rate = larger
        return rate

    def trip_us(self, hits: float) -> float:
        """A trip to the memory, `TRIP` latencies, where this part of the bytes, 0 to 1, hits L2. In microseconds."""
        return TRIP * (hits * self.l2_latency_ns + (1 - hits) * self.memory_latency_ns) / 1e3

    def hit_fraction(self, working_set: int, hot: bool = True) -> float:
        """The part of the bytes, 0 to 1, that a repeated kernel finds in L2.

        `working_set` is all tensors together, in bytes; `hot=False` is a kernel that finds nothing of its own.

        Tensors that fit are hit wholly. A cache that always gave up its oldest line would lose everything as soon
        as they do not fit, since each pass evicts what the next one needs first; one that gave up a line by chance
        would keep a fifth of a working set twice its size. Real ones lie between, and a steep power describes
        them: (L2 / working set) ^ 3.5, so 9% at twice the size.
        """
        return min(1.0, (self.l2_MiB * specs.MIB / working_set) ** L2_FALL) if hot else 0.0


_CONSTANTS = (
    "launch_us",
    "block_rate",
    "l2_latency_ns",
    "memory_latency_ns",
    "l2_GBps",
    "dram_GBps",
    "l2_MiB",
)


@dataclass(frozen=True)
class Constant:
    """One row of `data/ceilings.csv`: a number of a card and where it comes from."""

    gpu: str
    quantity: str
    value: float
    unit: str
    how: str  # specified | measured | inferred | assumed
    source: str


@cache
def constants() -> tuple[Constant, ...]:
    """Every row of `data/ceilings.csv`."""
    with (paths.DATA / "ceilings.csv").open(newline="", encoding="utf-8") as file:
        return tuple(
            Constant(
                **{name: row[name] for name in Constant.__annotations__}
                | {"value": float(row["value"])}
            )
            for row in csv.DictReader(file)
        )


def known_cards() -> list[str]:
    """The cards whose constants `data/ceilings.csv` holds."""
    return list(dict.fromkeys(row.gpu for row in constants()))


@cache
def card(name: str) -> Card:
    """A card whose constants are known, by its name in `data/gpus.csv` or the driver's ("NVIDIA H200").

    Raises KeyError for a card that is not in the table of GPUs, and for one whose ceilings nobody has measured.
    """
    gpu = specs.gpu(name)
    rows = {row.quantity: row for row in constants() if row.gpu == gpu.name}
    if not rows:
        raise KeyError(
            f"no ceilings are known of {gpu.name}; data/ceilings.csv has {known_cards()}."
            " Measure them and use Card.from_measurements"
        )
    larger = {
        int(q.removeprefix("block_rate_")): r.value
        for q, r in rows.items()
        if q.startswith("block_rate_")
    }
    plain = {q: row.value for q, row in rows.items() if not q.startswith("block_rate_")}
    return Card(
        gpu=gpu,
        large_block_rates=tuple(sorted(larger.items())),
        how={quantity: row.how for quantity, row in rows.items()},
        **plain,
    )


# ------------------------------------------------------------------------------------------------------ prediction


@dataclass(frozen=True)
class Prediction:
    """A kernel's predicted time, and what makes it up."""

    time_us: float
    ceiling: str  # the highest of `ceilings`: what to change first
    ceilings: dict[str, float] = field(hash=False)  # each ceiling alone, in microseconds
    gb_per_s: float  # bytes moved / time, 1e9
    percent_of_roof: (
        float  # gb_per_s over the specified DRAM bandwidth; above 100 when L2 answers
    )
    bytes_moved: int
    blocks: int
    hit_fraction: float  # of the bytes, from L2
    turns: float  # how often the GPU fills with blocks
    turnover_ns: float  # how long a block holds its place when DRAM is idle
    card: Card = field(repr=False)

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
    """The time of one elementwise kernel of `elements` elements, and the ceiling that it meets.

    `card` is a `Card`, or the name of one in `data/ceilings.csv`. `hot`: the kernel is repeated on the same tensors,
    so that L2 holds what fits; False: nothing of them is in L2. `method`: "graph" gives device time; "wall clock"
    what the host's clock shows, which cannot fall below the interval at which the host launches.

    That interval, `host_enqueue_us`, belongs to the program that calls (and to its host), not to the GPU: with
    the same H200, `torch.add` takes 5.7 us and this course's binding, which checks more in Python, 9.7. None takes
    the card's own number, which is that of `torch.add` or, for the RTX 5090, of the article. The graph has no host.

    Raises ValueError for fewer than one element, a launch that the card refuses, an unknown method, a
    `host_enqueue_us` that is not positive, and a wall clock where none is known; KeyError for an unknown card;
    TypeError for a fractional count.
    """
    card = _card(card)
    elements = whole_number("elements", elements)
    if method not in METHODS:
        raise ValueError(f"method must be one of {METHODS}, not {method!r}")
    host = card.host_enqueue_us if host_enqueue_us is None else host_enqueue_us
    if host is not None and not 0 < host < math.inf:
        raise ValueError(f"host_enqueue_us must be a positive number, not {host!r}")
    if method == WALL_CLOCK and host is None:
        raise ValueError(
            f"host_enqueue_us of {card.gpu.name} is unknown: give it to predict its wall clock"
        )

    bytes_moved = elements * shape.bytes_per_element
    hits = card.hit_fraction(bytes_moved, hot)
    blocks = shape.blocks(elements)
    turns = elements / (_resident_blocks(shape, blocks, card.gpu) * shape.elements_per_block)
    trip = card.trip_us(hits)
    turnover = trip + _passage_us(shape, elements, blocks, turns, card.gpu)

    block_time = blocks / card.blocks_per_second(shape.block_size) * 1e6
    l2_time = bytes_moved / card.l2_GBps / 1e3
    dram_time = bytes_moved * (1 - hits) / card.dram_GBps / 1e3
    memory = turnover + crowd(max(0.0, turns - 1) * turnover, max(l2_time, dram_time))
    launch = card.launch_us + trip
    time = launch + max(block_time, memory)
    if method == WALL_CLOCK and host > time:
        time = launch = host

    ceilings = {
        LAUNCH: launch,
        BLOCK_RATE: block_time,
        IN_FLIGHT: max(1.0, turns) * turnover,
        L2: l2_time,
        DRAM: dram_time,
    }
    rate = bytes_moved / time / 1e3
    return Prediction(
        time_us=time,
        ceiling=max(ceilings, key=ceilings.__getitem__),
        ceilings=ceilings,
        gb_per_s=rate,
        percent_of_roof=100 * rate / card.gpu.dram_GBps,
        bytes_moved=bytes_moved,
        blocks=blocks,
        hit_fraction=hits,
        turns=turns,
        turnover_ns=turnover * 1e3,
        card=card,
    )


def crowd(x: float, y: float) -> float:
    """Two times that share the memory's queues: close to the longer one, and 26% above both where they are equal."""
    longer, shorter = max(x, y), min(x, y)
    return longer * (1 + (shorter / longer) ** CROWDING) ** (1 / CROWDING) if longer else 0.0


def bytes_in_flight(shape: LaunchShape, card: Card | str) -> int:
    """Bytes that a full GPU has asked for at once: SMs x resident threads x bytes in flight per thread."""
    gpu = _card(card).gpu
    return (
        gpu.sm_count
        * _blocks_per_sm(shape, gpu)
        * shape.block_size
        * shape.bytes_in_flight_per_thread
    )


def needed_in_flight(card: Card | str) -> float:
    """Bytes in flight that keep DRAM busy: bandwidth x time that a request is under way (Little's law).

    That time is the trip for which a block holds its place, not the latency of one load alone.
    """
    card = _card(card)
    return card.trip_us(hits=0) * 1e3 * card.dram_GBps


def l2_capacity(card: Card, times: Mapping[int, float]) -> float:
    """The `l2_MiB` of a card with which repeated `torch.add` of float32 took `times`: {elements: microseconds}.

    Tried are sizes from a quarter of the specified L2 to twice it, in steps of 2%; the one with the smallest squared
    relative errors is returned. The working sets should reach from half of the specified size to twice it.
    Raises ValueError without times.
    """
    if not times:
        raise ValueError("no times to find the L2's capacity from")

    def error(size: float) -> float:
        tried = replace(card, l2_MiB=size)
        return sum(
            (predict(TORCH_ADD["float32"], n, tried).time_us / us - 1) ** 2
            for n, us in times.items()
        )

    steps = range(math.ceil(math.log(8) / math.log(1.02)) + 1)
    return min((card.gpu.l2_MiB / 4 * 1.02**step for step in steps), key=error)


def roofline(card: Card | str, intensity: float) -> float:
    """The classic roofline: attainable GFLOP/s at `intensity` FLOP per byte, min(peak, intensity x bandwidth).

    The bandwidth is the DRAM plateau that the card reaches, the peak its specified float32 rate (Williams, Waterman
    and Patterson, 2009). Raises ValueError for a negative intensity or a card without a float32 peak in the table.
    """
    card = _card(card)
    if not intensity >= 0:
        raise ValueError(f"intensity must be 0 or more FLOP per byte, not {intensity!r}")
    if card.gpu.fp32_TFLOPS is None:
        raise ValueError(f"no float32 peak is known of {card.gpu.name}, so it has no roofline")
    return min(card.gpu.fp32_TFLOPS * 1e3, intensity * card.dram_GBps)


_REASONS = {
    LAUNCH: "starting the kernel at all takes most of it, so neither fewer blocks nor wider loads help much",
    BLOCK_RATE: "{blocks:,} blocks cannot be started faster, so give each block more elements",
    IN_FLIGHT: "too few bytes are in flight to cover the latency, so let each thread ask for more at once",
    L2: "the tensors come from L2 as fast as it can deliver",
    DRAM: "the bytes come from DRAM as fast as it can deliver, and only fewer bytes would be faster",
}


def explain(prediction: Prediction) -> str:
    """One sentence: the time, the ceiling, and what it means."""
    p = prediction
    return (
        f"Predicted {p.time_us:.1f} us ({p.gb_per_s:,.0f} GB/s, {p.percent_of_roof:.0f}% of the"
        f" {p.card.gpu.name}'s DRAM roof), held by {p.ceiling}: {_REASONS[p.ceiling].format(blocks=p.blocks)}."
    )


# -------------------------------------------------------------------------------------------------------- the parts


def _card(card_or_name: Card | str) -> Card:
    return card(card_or_name) if isinstance(card_or_name, str) else card_or_name


@cache
def _blocks_per_sm(shape: LaunchShape, gpu: specs.Gpu) -> int:
    return occupancy(gpu.cc, shape.block_size, shape.registers).blocks


def _resident_blocks(shape: LaunchShape, blocks: int, gpu: specs.Gpu) -> int:
    """Blocks on the whole GPU when it is full. A grid-stride launch may have too few blocks to fill it."""
    full = gpu.sm_count * _blocks_per_sm(shape, gpu)
    return full if shape.grid is None else min(full, blocks)


def _passage_us(
    shape: LaunchShape, elements: int, blocks: int, turns: float, gpu: specs.Gpu
) -> float:
    """What a block's turnover takes besides its trip: its warps in a row, and one turn's repeats through L1."""
    shares = max(
        1.0, elements / shape.elements_per_block / min(gpu.sm_count, blocks)
    )  # of one SM
    again = shares / max(1.0, turns) * shape.replayed_sectors()
    cycles = WARP_CYCLES * shape.warps_per_block + again / SECTORS_PER_CYCLE
    return cycles / gpu.boost_MHz if gpu.boost_MHz else 0.0
