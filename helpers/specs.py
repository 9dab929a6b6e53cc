"""Look up facts about GPUs in `data/*.csv`: the limits of an SM, the specification of a card.

`compute_capability("9.0")` gives the limits of one multiprocessor, `gpu("GeForce RTX 5090")` a
card. Each row names its source; `data/README.md` has the schema. No torch and no GPU needed.
"""

from __future__ import annotations

import csv
import difflib
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TypeVar

from helpers.paths import DATA

MIB = 1 << 20
WARP_SIZE = 32  # threads; on every NVIDIA GPU so far
SECTOR_BYTES = 32  # the unit in which the caches and DRAM move data
LINE_BYTES = 128  # four sectors with one tag in the cache

Row = TypeVar("Row")


@dataclass(frozen=True)
class ComputeCapability:
    """The limits of one streaming multiprocessor (SM), in counts, or bytes where named so."""

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
    """One card by its specification. Optional facts are None where no source gives them."""

    name: str
    cc: str  # compute capability
    sm_count: int
    l2_MiB: float
    dram_GBps: float
    fp32_TFLOPS: float | None  # peak, without tensor cores
    boost_MHz: float | None
    source: str
    confidence: str  # how sure the row is

    @property
    def capability(self) -> ComputeCapability:
        """The limits of its SMs."""
        return compute_capability(self.cc)

    @property
    def l2_bytes(self) -> int:
        """The specified size of L2."""
        return int(self.l2_MiB * MIB)

    @property
    def ridge_flop_per_byte(self) -> float | None:
        """Arithmetic intensity at which the float32 peak and the DRAM roof meet (FLOP/byte)."""
        return None if self.fp32_TFLOPS is None else self.fp32_TFLOPS * 1e3 / self.dram_GBps


def data_lines(path: Path) -> list[str]:
    """Read the lines of a CSV file of data/, without comments (lines that begin with `#`)."""
    lines = path.read_text(encoding="utf-8").splitlines()
    return [line for line in lines if not line.startswith("#")]


def read_table(cls: type[Row], path: Path) -> list[Row]:
    """Read the rows of a CSV file as instances of a dataclass.

    Columns that the class does not name are ignored, and lines that begin with `#`; an empty
    cell is None where the field is optional.
    """
    converters = {"int": int, "float": float, "str": str}

    def convert(text: str, annotation: str):
        kind, _, optional = annotation.partition(" | ")
        return None if optional and text == "" else converters[kind](text)

    return [
        cls(**{name: convert(row[name], kind) for name, kind in cls.__annotations__.items()})
        for row in csv.DictReader(data_lines(path))
    ]


@cache
def compute_capabilities() -> dict[str, ComputeCapability]:
    """Read every compute capability of `data/compute_capability.csv`: "7.5" ... "12.1"."""
    rows = read_table(ComputeCapability, DATA / "compute_capability.csv")
    return {row.cc: row for row in rows}


@cache
def gpus() -> dict[str, Gpu]:
    """Read every card of `data/gpus.csv`, by name."""
    return {row.name: row for row in read_table(Gpu, DATA / "gpus.csv")}


def compute_capability(cc: str | tuple[int, int]) -> ComputeCapability:
    """Return the limits of one compute capability, given as "9.0" or as torch's (9, 0).

    Raises KeyError, which names the known ones, for a capability that is not in the table.
    """
    name = cc if isinstance(cc, str) else f"{cc[0]}.{cc[1]}"
    table = compute_capabilities()
    if name not in table:
        raise KeyError(
            f"no limits for compute capability {name};"
            f" data/compute_capability.csv has {list(table)}"
        )
    return table[name]


def gpu(name: str) -> Gpu:
    """Return a card of `data/gpus.csv` by its name, or by the driver's ("NVIDIA H200").

    Case, spaces and a leading "NVIDIA" do not matter. The first word of a name is enough where
    only one card begins with it: "H200" is the H200 SXM, "H100" is ambiguous. Raises KeyError,
    with the nearest names, for an unknown or ambiguous one.
    """
    wanted = name.removeprefix("NVIDIA ").lower().split()
    words = {card.name: card.name.lower().split() for card in gpus().values()}
    exact = [known for known, parts in words.items() if parts == wanted]
    first = [known for known, parts in words.items() if parts[:1] == wanted]
    if found := exact or (first if len(first) == 1 else []):
        return gpus()[found[0]]
    near = first or difflib.get_close_matches(name, gpus(), n=3, cutoff=0.3) or list(gpus())
    raise KeyError(f"{name!r} is not in data/gpus.csv; did you mean one of {near}?")


def describe(
    name: str,
    *,
    cc: str,
    sm_count: int,
    l2_bytes: int,
    dram_GBps: float | None,
    boost_MHz: float | None = None,
) -> Gpu:
    """Describe a card by what its driver reports; a card of `data/gpus.csv` by its row.

    A row of that name counts if its compute capability and SM count are those reported.
    Raises KeyError for a card outside the table that does not report its DRAM bandwidth.
    """
    try:
        known = gpu(name)
    except KeyError:
        known = None
    if known is not None and (known.cc, known.sm_count) == (cc, sm_count):
        return known
    if dram_GBps is None:
        raise KeyError(
            f"{name} is not in data/gpus.csv, and its memory's bandwidth is not reported:"
            " add a row"
        )
    return Gpu(
        name=name,
        cc=cc,
        sm_count=sm_count,
        l2_MiB=l2_bytes / MIB,
        dram_GBps=dram_GBps,
        fp32_TFLOPS=None,
        boost_MHz=boost_MHz,
        source="reported by the driver",
        confidence="device-reported",
    )
