"""Facts about GPUs: what the hardware is, read from `data/*.csv`. No torch and no GPU needed.

`compute_capability("9.0")` gives the limits of one multiprocessor, `gpu("GeForce RTX 5090")` a card.
Sources of every row stand in the CSV files themselves; `data/README.md` has the schema.
"""

from __future__ import annotations

import csv
import difflib
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from helpers.paths import DATA

MIB = 1 << 20
WARP_SIZE = 32  # threads; on every NVIDIA GPU so far
SECTOR_BYTES = 32  # the unit in which the caches and DRAM move data
LINE_BYTES = 128  # four sectors with one tag in the cache


@dataclass(frozen=True)
class ComputeCapability:
    """The limits of one streaming multiprocessor (SM). Counts, or bytes where the name says so."""

    cc: str
    warp_size: int
    max_threads_per_block: int
    max_threads_per_sm: int
    max_warps_per_sm: int
    max_blocks_per_sm: int
    regs_per_sm: int
    max_regs_per_block: int
    max_regs_per_thread: int
    reg_alloc_unit: int
    warp_alloc_granularity: int
    sm_subpartitions_schedulers: int
    regs_per_subpartition: int
    smem_per_sm_bytes: int
    smem_per_block_default_bytes: int
    smem_per_block_optin_bytes: int
    smem_alloc_unit_bytes: int
    reserved_smem_per_block_bytes: int
    source: str

    @property
    def arch(self) -> str:
        """The compiler's name for it: "9.0" -> "sm_90"."""
        return "sm_" + self.cc.replace(".", "")


@dataclass(frozen=True)
class Gpu:
    """One card by its specification; `None` where no source was found."""

    name: str
    cc: str
    sm_count: int
    l2_MiB: float
    dram_GBps: float
    fp32_TFLOPS: float | None
    boost_MHz: float | None
    source: str
    confidence: str

    @property
    def capability(self) -> ComputeCapability:
        return compute_capability(self.cc)

    @property
    def l2_bytes(self) -> int:
        return int(self.l2_MiB * MIB)

    @property
    def ridge_flop_per_byte(self) -> float | None:
        """Arithmetic intensity at which the float32 peak and the DRAM roof meet (FLOP/byte)."""
        return None if self.fp32_TFLOPS is None else self.fp32_TFLOPS * 1e3 / self.dram_GBps


def _read(cls, path: Path) -> list:
    """The rows of a CSV file as instances of a dataclass; columns that it does not name are left out."""
    converters = {"int": int, "float": float, "str": str}
    rows = []
    with path.open(newline="", encoding="utf-8") as file:
        for row in csv.DictReader(file):
            values = {}
            for name, annotation in cls.__annotations__.items():
                kind, _, optional = annotation.partition(" | ")
                values[name] = (
                    None if optional and row[name] == "" else converters[kind](row[name])
                )
            rows.append(cls(**values))
    return rows


@cache
def compute_capabilities() -> dict[str, ComputeCapability]:
    """Every compute capability in `data/compute_capability.csv`, by name ("7.5" ... "12.1")."""
    return {row.cc: row for row in _read(ComputeCapability, DATA / "compute_capability.csv")}


@cache
def gpus() -> dict[str, Gpu]:
    """Every card in `data/gpus.csv`, by name."""
    return {row.name: row for row in _read(Gpu, DATA / "gpus.csv")}


def compute_capability(cc: str | tuple[int, int]) -> ComputeCapability:
    """The limits of one capability, from "9.0" or torch's (9, 0).

    Raises KeyError, which names the known ones, for a capability that is not in the table.
    """
    name = cc if isinstance(cc, str) else f"{cc[0]}.{cc[1]}"
    table = compute_capabilities()
    if name not in table:
        raise KeyError(
            f"no limits for compute capability {name}; data/compute_capability.csv has {list(table)}"
        )
    return table[name]


def gpu(name: str) -> Gpu:
    """A card of `data/gpus.csv` by its name, or by the name that the driver reports ("NVIDIA H200").

    Raises KeyError, with the nearest names, for an unknown card.
    """
    wanted = name.removeprefix("NVIDIA ").strip().lower()
    for card in gpus().values():
        known = card.name.lower()
        if known == wanted or known.split() == wanted.split() or known.split()[0] == wanted:
            return card
    near = difflib.get_close_matches(name, gpus(), n=3, cutoff=0.3) or list(gpus())
    raise KeyError(f"{name!r} is not in data/gpus.csv; did you mean one of {near}?")
