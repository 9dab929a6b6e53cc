"""Look up facts about GPUs in `data/*.csv`: the limits of an SM, the specification of a card.

`compute_capability("9.0")` gives the limits of one multiprocessor, `gpu("GeForce RTX 5090")` a
card, `lacks("7.5")` what the kernels of the course use and such a card has not. Each row names
its source; `data/README.md` has the schema. No torch and no GPU needed.
"""

from __future__ import annotations

import csv
import difflib
import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TypeVar

from helpers.errors import UnknownNameError
from helpers.paths import DATA

MIB = 1 << 20
WARP_SIZE = 32  # threads; on every NVIDIA GPU so far
SECTOR_BYTES = 32  # the unit in which the caches and DRAM move data
LINE_BYTES = 128  # four sectors with one tag in the cache
LIKENESS = 0.6  # from 0 to 1, of a name that may have been meant
OLDEST_CAPABILITY = (7, 5)  # of the cards that the course runs on
# What kernels of the course use, and the first compute capability that has it.
FEATURES = {
    "bfloat16 arithmetic": (8, 0),
    "bulk copies and programmatic launch": (9, 0),
    "256-bit loads": (10, 0),
}

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
    dram_GBps: float | None  # None only for a card outside the table that does not report it
    fp32_TFLOPS: float | None  # peak, without tensor cores
    boost_MHz: float | None
    source: str
    confidence: str  # how sure the row is
    driver_names: str = ""  # what drivers call it besides its name, separated by "; "
    dram_from: str = "data/gpus.csv"  # where dram_GBps is from
    note: str = ""  # one sentence where the name and the reported facts disagree

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
        if self.fp32_TFLOPS is None or self.dram_GBps is None:
            return None
        return self.fp32_TFLOPS * 1e3 / self.dram_GBps

    @property
    def names(self) -> list[str]:
        """Its name and what drivers call it, without "NVIDIA"."""
        return [self.name, *filter(None, self.driver_names.split("; "))]


def data_lines(path: Path) -> list[str]:
    """Read the lines of a CSV file of data/, without comments (lines that begin with `#`)."""
    lines = path.read_text(encoding="utf-8").splitlines()
    return [line for line in lines if not line.startswith("#")]


def read_table(cls: type[Row], path: Path) -> list[Row]:
    """Read the rows of a CSV file as instances of a dataclass.

    Columns that the class does not name are ignored, and lines that begin with `#`; an empty
    cell is None where the field is optional. A field without a column has its default.
    """
    converters = {"int": int, "float": float, "str": str}

    def convert(text: str, annotation: str):
        kind, _, optional = annotation.partition(" | ")
        return None if optional and text == "" else converters[kind](text)

    return [
        cls(
            **{
                name: convert(row[name], kind)
                for name, kind in cls.__annotations__.items()
                if name in row
            }
        )
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
    name = cc
    if isinstance(cc, tuple) and len(cc) == 2:
        name = f"{cc[0]}.{cc[1]}"
    elif not isinstance(cc, str):
        raise TypeError(f"cc is {cc!r}: give a compute capability as a text, '9.0', or (9, 0)")
    table = compute_capabilities()
    if name not in table:
        raise UnknownNameError(
            f"no limits for compute capability {name!r};"
            f" data/compute_capability.csv has {list(table)}"
        )
    return table[name]


def lacks(cc: str) -> list[str]:
    """List what kernels of the course use that cards of a compute capability ("7.5") lack."""
    if not isinstance(cc, str) or not re.fullmatch(r"\d+\.\d+", cc):
        raise TypeError(f"cc is {cc!r}: give a compute capability as a text, such as '7.5'")
    own = tuple(int(part) for part in cc.split("."))
    return [name for name, first in FEATURES.items() if own < first]


def _words(name: str) -> tuple[str, ...]:
    """Return a card's name without "NVIDIA", capitals and extra spaces, for comparison."""
    words = name.lower().split()
    return tuple(words[1:] if words[:1] == ["nvidia"] else words)


@cache
def _cards_by_words() -> dict[tuple[str, ...], str]:
    """Map every name of every card to its row; no two cards share one."""
    return {_words(called): card.name for card in gpus().values() for called in card.names}


def gpu(name: str) -> Gpu:
    """Return a card of `data/gpus.csv` by its name, or by the driver's ("NVIDIA H200").

    Case, spaces and a leading "NVIDIA" do not matter; the rest must be the whole name, or one
    of `driver_names`. Raises KeyError for an unknown one, with the names that are near it, or,
    if none is, all names.
    """
    if not isinstance(name, str):
        raise TypeError(f"name is {name!r}: give a card's name as a text, such as 'H200 SXM'")
    wanted = _words(name)
    if wanted in _cards_by_words():
        return gpus()[_cards_by_words()[wanted]]
    begin = [
        card for words, card in _cards_by_words().items() if words[: len(wanted)] == wanted
    ]
    near = list(dict.fromkeys(begin)) if wanted else []
    if near := near or difflib.get_close_matches(name, gpus(), n=3, cutoff=LIKENESS):
        raise UnknownNameError(f"{name!r} is not in data/gpus.csv; did you mean one of {near}?")
    raise UnknownNameError(
        f"{name!r} is not in data/gpus.csv, which has {list(gpus())}. Another card is one more "
        'row of it (CONTRIBUTING.md, "A card")'
    )
