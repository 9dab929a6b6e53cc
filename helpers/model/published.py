"""Predict the copies, adds and triads that other people published: `data/published.csv`.

The cards are estimated from their specifications (`cards.card`); no constant was set or changed
by a row of this table. `data/README.md` describes how the rows were chosen, and which count.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache

from helpers import paths, specs
from helpers.model.arguments import checked
from helpers.model.cards import card
from helpers.model.ceilings import Prediction, predict
from helpers.model.launch_shape import LaunchShape

TEST, CALIBRATION, REJECTED = "test", "calibration", "rejected"
ROLES = (TEST, CALIBRATION, REJECTED)
# What ECC does to the DRAM bandwidth: nothing in HBM, which has memory of its own for it.
ECC_STATES = ("no cost", "none", "off by default", "on by default", "not said")


@dataclass(frozen=True)
class Published:
    """One published bandwidth and the launch that reached it."""

    gpu: str  # a name of data/gpus.csv; of a rejected row it may be another
    kernel: str
    reads: int  # tensors
    writes: int
    element_bytes: int
    elements: int
    elements_per_thread: int
    block_size: int
    resident_blocks: int | None  # that the launch leaves on an SM; None: as many as fit
    launch: str  # "source code", or "assumed" where the launch is not published
    ecc: str  # of ECC_STATES, as a data sheet or a vendor says it of the card, not of the run
    gb_per_s: float  # bytes read and written / time, 1e9
    timing: str
    source: str
    revision: str
    date: str
    role: str  # "test"; "calibration": the card set constants; "rejected": see the note
    note: str
    miss: str  # why it misses: "measured: ...", "inferred: ..." or "conjecture: ..."

    @property
    def shape(self) -> LaunchShape:
        """The launch, as `ceilings.predict` takes it."""
        shape = LaunchShape(
            self.elements_per_thread,
            self.element_bytes,
            self.block_size,
            reads=self.reads,
            writes=self.writes,
        )
        if self.resident_blocks is None:
            return shape
        # Registers stand in for the shared memory that limits the blocks.
        sm = specs.gpu(self.gpu).capability
        registers = sm.regs_per_sm // (self.resident_blocks * self.block_size)
        return replace(shape, registers=min(registers, sm.max_regs_per_thread))

    @property
    def label(self) -> str:
        """The card, the kernel, and the threads of an SM where they are few."""
        name = f"{self.gpu}, {self.kernel.split()[0]}"
        if self.resident_blocks is None:
            return name
        return f"{name}, {self.resident_blocks * self.block_size} threads an SM"

    @property
    def bytes_moved(self) -> int:
        """Bytes of all tensors, each once."""
        return self.elements * self.shape.bytes_per_element


@dataclass(frozen=True)
class Comparison:
    """A published bandwidth beside the predicted one, both in GB/s."""

    row: Published
    prediction: Prediction

    @property
    def error(self) -> float:
        """Predicted over published bandwidth, less 1."""
        return self.prediction.gb_per_s / self.row.gb_per_s - 1

    @property
    def range_GBps(self) -> tuple[float, float]:
        """The bandwidths at the ends of the predicted interval, the lower one first."""
        interval = self.prediction.interval
        return tuple(
            self.row.bytes_moved / time_us / 1e3
            for time_us in (interval.high_us, interval.low_us)
        )

    @property
    def is_in_range(self) -> bool:
        """Whether the published bandwidth lies in the predicted interval."""
        low, high = self.range_GBps
        return low <= self.row.gb_per_s <= high


@cache
def published() -> tuple[Published, ...]:
    """Read every row of `data/published.csv`, the rejected ones too."""
    return tuple(specs.read_table(Published, paths.DATA / "published.csv"))


@checked
def comparisons(role: str = TEST) -> list[Comparison]:
    """Predict each published row of a role, in the table's order.

    Raises ValueError for a role that has no predictions.
    """
    if role not in (TEST, CALIBRATION):
        raise ValueError(f"role must be {TEST!r} or {CALIBRATION!r}, not {role!r}")
    return [
        Comparison(row, predict(row.shape, row.elements, card(row.gpu)))
        for row in published()
        if row.role == role
    ]
