"""Hold one timed call, a `Measurement`, and make the label that tables and plots give it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

# What an experiment sets beside `parameter`, and the type of its column in data/runs.csv.
DIALS = {
    "unroll": "Int64",  # loads in flight a thread
    "load_bytes": "Int64",  # of one load of one thread
    "large_l1": "boolean",  # no shared memory was asked for: L1 is as large as it can be
    "steps": "Int64",  # of the long branch
    "order": "string",  # of the data: "mixed", "sorted", "by warp"
    "fraction": "Float64",  # of the elements, which takes the long branch
    "grid": "string",  # "256 a block": one element a thread; "loop": grid-stride
    "padding": "Int64",  # columns added to a tile in shared memory
}


def label(kernel: str, dials: Mapping[str, object]) -> str:
    """Name a kernel with its dials, such as "read_sum 4 x 16 B, large L1"."""
    words = [kernel]
    if "unroll" in dials:
        words.append(f" {dials['unroll']} x {dials['load_bytes']} B")
    words += [f" {dials[name]}" for name in ("steps", "order") if name in dials]
    if "fraction" in dials:
        words.append(f" {dials['fraction']:g}")
    if "grid" in dials:
        words.append(f", {dials['grid']}")
    if dials.get("padding"):
        words.append(" padded")
    if dials.get("large_l1"):
        words.append(", large L1")
    return "".join(words)


@dataclass(frozen=True)
class Measurement:
    """One timed call. Times in microseconds, bandwidth in GB/s (1e9 bytes a second)."""

    kernel: str
    elements: int
    dtype: str
    method: str
    time_us: float  # median over the replays
    low_us: float  # 20th percentile
    high_us: float  # 80th percentile
    repeats: int
    bytes_moved: int
    gpu: str
    block_size: int | None = None
    flops: int = 0
    note: str = ""
    parameter: float | None = None  # what an experiment varies, such as a number of steps
    noise_percent: float | None = None  # half the median's 95% interval, in percent of it
    sm_cycles: float | None = None  # of one load, by the multiprocessor's own clock
    dials: Mapping[str, object] = field(default_factory=dict)  # of `DIALS`

    @property
    def gb_per_s(self) -> float:
        """Bytes that had to move over the median time."""
        return self.bytes_moved / self.time_us / 1e3

    def percent_of(self, roof_gb_per_s: float) -> float:
        """Return the bandwidth as a percentage of a roof in GB/s."""
        return 100 * self.gb_per_s / roof_gb_per_s

    def __str__(self) -> str:
        block = f" x{self.block_size}" if self.block_size else ""
        note = f"  ({self.note})" if self.note else ""
        return (
            f"{label(self.kernel, self.dials)}{block}, {self.elements:,} {self.dtype}: "
            f"{self.time_us:.2f} us [{self.low_us:.2f}, {self.high_us:.2f}], "
            f"{self.gb_per_s:,.0f} GB/s, {self.method}{note}"
        )
