"""Hold the constants of a card's ceilings: from `data/ceilings.csv`, or measured a moment ago.

The table says of each constant how it was found: *specified* by the vendor, *measured* on the
card by itself, *inferred* from the times of kernels, or *assumed* from another card. Where it
was found with several values, `low` and `high` say in which range. A card without rows is
*estimated* from its specification (`helpers.model.specification`), each constant with a range.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cache

from helpers import paths, specs
from helpers.model import specification
from helpers.model.arguments import checked, positive

L2_HIT_EXPONENT = 3.5
"""How steeply the hit rate falls once the tensors exceed L2: (capacity / working set) ^ 3.5.

Fitted to the article's times of an RTX 5090. A strict LRU cache would hit nothing, since each
pass evicts what the next one needs first; random replacement would still hit a fifth of a
working set twice the capacity. Real caches lie between: 9% by this power.
"""

LAUNCH_SPREAD = 1.4
"""Range of a launch overhead that was measured once: from it / 1.4 to it x 1.4.

On an H200 it depends on how many streams the process has used: 0.486 us with at most seven
besides those of the engine, 0.664 with eight to forty ("streams"; the engine itself used a new
one for each graph when "launch overhead" and "empty kernel" were recorded). In graphs of fifty
launches the same two states are 0.56 and 0.74 us. What the driver does is not known.
"""

_REQUIRED = (
    "launch_us",
    "block_rate",
    "l2_latency_ns",
    "memory_latency_ns",
    "l2_GBps",
    "dram_GBps",
    "l2_MiB",
)
_BLOCK_RATE = "block_rate_"  # with a number of threads: the rate from that block size on


@dataclass(frozen=True)
class Card:
    """A GPU's specification and the constants of its ceilings.

    Raises ValueError for a constant that is not a positive number.
    """

    gpu: specs.Gpu
    launch_us: (
        float  # launch overhead: an empty kernel of one block, one of many in a CUDA graph
    )
    block_rate: float  # block launch rate, blocks per second
    l2_latency_ns: float  # of one dependent load that hits L2
    memory_latency_ns: float  # of one dependent load that goes to DRAM
    l2_GBps: float  # marginal bandwidth of a vectorised kernel whose tensors fit in L2
    dram_GBps: float  # plateau of a large vectorised kernel, not the data sheet's
    l2_MiB: float  # working set up to which a repeated kernel hits L2 wholly
    host_enqueue_us: float | None = None  # from launch to launch on the host; see `predict`
    large_block_rates: tuple[tuple[int, float], ...] = ()  # (from this block size on, blocks/s)
    how: Mapping[str, str] = field(
        default_factory=dict, compare=False
    )  # constant -> measured ...
    ranges: Mapping[str, tuple[float, float]] = field(
        default_factory=dict, compare=False
    )  # constant -> least and largest value, where it is not one number

    def __post_init__(self):
        for name in _REQUIRED:
            positive(f"{name} of {self.gpu.name}", getattr(self, name))

    @classmethod
    def from_specification(cls, gpu: specs.Gpu | str) -> Card:
        """Estimate a card's constants from its specification, each with a range.

        They are those of a measured card with the same class of memory, scaled. Raises KeyError
        for a name that is not in data/gpus.csv.
        """
        gpu = specs.gpu(gpu) if isinstance(gpu, str) else gpu
        measured = _recorded(specification.REFERENCE[specification.memory_class(gpu)])
        constants = {name: getattr(measured, name) for name in (*_REQUIRED, "host_enqueue_us")}
        found = specification.estimate(gpu, measured.gpu, constants)
        slower = {n: r / measured.block_rate for n, r in measured.large_block_rates}
        rate = found["block_rate"].value
        return cls(
            gpu=gpu,
            large_block_rates=tuple((threads, rate * part) for threads, part in slower.items()),
            how=dict.fromkeys(found, "estimated"),
            ranges={name: (one.low, one.high) for name, one in found.items()},
            **{name: one.value for name, one in found.items()},
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
        """Make a card of what `helpers.measure.roofs.measure_roofs` found, number by number.

        launch_latency_us: one of many empty kernels in a CUDA graph, at full clocks.
        block_rate: of an empty kernel of very many blocks, in blocks per second, or
            {threads per block: rate}, of which the smallest block size stands for all below.
        l2_latency_ns, memory_latency_ns: of one dependent load in a pointer chase.
        l2_GBps: extra bytes / extra time of two vectorised kernels that both fit in L2.
        dram_GBps: bytes / time of a large vectorised kernel.
        l2_MiB: from `l2_capacity`; None takes the specified size, which may be twice too much:
            an H200 hits in half of it.
        host_enqueue_us: wall clock from launch to launch; None: wall clocks are not predicted.
        """
        gpu = specs.gpu(gpu) if isinstance(gpu, str) else gpu
        rates = block_rate if isinstance(block_rate, Mapping) else {0: block_rate}
        (_, smallest), *larger = sorted(rates.items())
        return cls(
            gpu=gpu,
            launch_us=launch_latency_us,
            block_rate=smallest,
            l2_latency_ns=l2_latency_ns,
            memory_latency_ns=memory_latency_ns,
            l2_GBps=l2_GBps,
            dram_GBps=dram_GBps,
            l2_MiB=gpu.l2_MiB if l2_MiB is None else l2_MiB,
            host_enqueue_us=host_enqueue_us,
            large_block_rates=tuple(larger),
            how=dict.fromkeys(_REQUIRED, "measured")
            | {"l2_MiB": "specified" if l2_MiB is None else "inferred"},
        ).with_launch_range()

    def with_launch_range(self) -> Card:
        """Return the card with the range of a launch overhead that was measured once."""
        ends = (self.launch_us / LAUNCH_SPREAD, self.launch_us * LAUNCH_SPREAD)
        return replace(self, ranges={**self.ranges, "launch_us": ends})

    @property
    def is_estimated(self) -> bool:
        """Whether its constants follow from its specification: nobody measured them."""
        return "estimated" in self.how.values()

    def with_constant(self, name: str, value: float) -> Card:
        """Return the card with another value of a constant; block rates scale together."""
        changes = {name: value}
        if name == "block_rate":
            ratio = value / self.block_rate
            rates = tuple((threads, ratio * rate) for threads, rate in self.large_block_rates)
            changes["large_block_rates"] = rates
        return replace(self, **changes)

    def blocks_per_second(self, block_size: int) -> float:
        """Return the launch rate for blocks of this many threads; large ones start slower."""
        rate = self.block_rate
        for threads, larger in self.large_block_rates:
            if block_size >= threads:
                rate = larger
        return rate

    def latency_us(self, hit_fraction: float) -> float:
        """Return the mean latency of a load of which this fraction, 0 to 1, hits L2."""
        hit, miss = self.l2_latency_ns, self.memory_latency_ns
        return (hit_fraction * hit + (1 - hit_fraction) * miss) / 1e3

    def hit_fraction(self, working_set: int, hot: bool = True) -> float:
        """Return the fraction of the bytes, 0 to 1, that a repeated kernel finds in L2.

        `working_set` is all tensors together, in bytes; `hot=False`: the kernel has not run
        before. Tensors that fit are hit wholly; beyond, (capacity / working set) ^
        `L2_HIT_EXPONENT`.
        """
        if not hot:
            return 0.0
        return min(1.0, (self.l2_MiB * specs.MIB / working_set) ** L2_HIT_EXPONENT)


@dataclass(frozen=True)
class Constant:
    """One row of `data/ceilings.csv`: a number of a card and where it comes from."""

    gpu: str
    quantity: str
    value: float
    unit: str
    how: str  # specified | measured | inferred | assumed
    source: str
    low: float | None = None  # least and largest value found, where there are several
    high: float | None = None


@cache
def constants() -> tuple[Constant, ...]:
    """Read every row of `data/ceilings.csv`."""
    return tuple(specs.read_table(Constant, paths.DATA / "ceilings.csv"))


def known_cards() -> list[str]:
    """List the cards whose constants `data/ceilings.csv` holds."""
    return list(dict.fromkeys(row.gpu for row in constants()))


@cache
def _recorded(name: str) -> Card:
    """Return a card of `data/ceilings.csv` by its name in data/gpus.csv."""
    rows = {row.quantity: row for row in constants() if row.gpu == name}
    larger = {
        int(quantity.removeprefix(_BLOCK_RATE)): row.value
        for quantity, row in rows.items()
        if quantity.startswith(_BLOCK_RATE)
    }
    return Card(
        gpu=specs.gpu(name),
        large_block_rates=tuple(sorted(larger.items())),
        how={quantity: row.how for quantity, row in rows.items()},
        ranges={q: (row.low, row.high) for q, row in rows.items() if row.low is not None},
        **{q: row.value for q, row in rows.items() if not q.startswith(_BLOCK_RATE)},
    )


@checked
@cache
def card(name: str) -> Card:
    """Return a card by its name in data/gpus.csv, or the driver's ("NVIDIA H200").

    Its constants are those of `data/ceilings.csv`, or estimated from its specification: `how`
    says which. Raises KeyError for a card that is not in the table of GPUs.
    """
    gpu = specs.gpu(name)
    return _recorded(gpu.name) if gpu.name in known_cards() else Card.from_specification(gpu)
