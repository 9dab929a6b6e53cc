"""Record machine code in data/sass/, for machines without the tools, and read it back.

data/sass/manifest.csv lists the listings: kernel, architecture and flags say what to compile,
`lessons` who uses it; the other columns say what it was made of and by which tools.
`record_listings()` makes all of them again.
"""

from __future__ import annotations

import csv
import os
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, fields, replace
from datetime import date
from pathlib import Path

from helpers import paths, sources
from helpers.errors import BuildError
from helpers.measure.sass.compiling import arch_name, compile_report
from helpers.measure.sass.report import SassReport, parse_report, report_text

FOLDER = paths.DATA / "sass"


@dataclass(frozen=True)
class Row:
    """One listing of the manifest."""

    kernel: str  # kernels/<kernel>.cu
    arch: str
    flags: str = ""  # of nvcc, beyond the usual ones, separated by spaces
    lessons: str = ""  # numbers of the notebooks that read it, separated by spaces
    only: str = ""  # functions whose name holds this; "": all
    source_sha256: str = ""  # of the file and of the local files that it includes
    nvcc: str = ""  # its version
    nvdisasm: str = ""  # its version
    recorded: str = ""  # the date

    @property
    def file(self) -> str:
        """The listing's name: "promises.-DNDEBUG.sm_90.txt"."""
        return ".".join((self.kernel, *self.flags.split(), self.arch, "txt"))

    @property
    def key(self) -> tuple[str, str, str]:
        """What to compile."""
        return self.kernel, self.arch, self.flags


def manifest() -> list[Row]:
    """Read the manifest of data/sass/."""
    path = FOLDER / "manifest.csv"
    if not path.is_file():
        return []
    with path.open(encoding="utf-8", newline="") as file:
        return [Row(**row) for row in csv.DictReader(file)]


def read_recorded(path: Path, arch: str, flags: Sequence[str] = ()) -> SassReport:
    """Read the recorded listing of a .cu file.

    Raises BuildError if there is none, or if the file has changed since.
    """
    file = FOLDER / Row(path.stem, arch, " ".join(flags)).file
    if not file.is_file():
        words = f"There is no recorded listing of {path.name} for {arch} either."
        if path.parent == paths.KERNELS:
            make = f"python -m helpers.measure.sass record {path.stem} --arch {arch}"
            words += f" Where nvcc is: {make}."
        raise BuildError(words)
    report = parse_report(file.read_text(encoding="utf-8"))
    if report.source_hash != sources.digest(sources.read_sources(path)):
        raise BuildError(
            f"The recorded listing ({report.recorded}) is of another version of {path.name}."
        )
    return report


def record(
    kernels: Iterable[str | Path],
    archs: Iterable[str],
    *,
    flags: Sequence[str] = (),
    lessons: Sequence[str] = (),
    only: str = "",
) -> list[Path]:
    """Record kernel files for some architectures, in data/sass/ and in its manifest.

    lessons: the numbers of the notebooks that read them; only: what a function's name must
    hold to be kept, such as "bulk_kernel". Both by default as the manifest says.
    Returns the listings. Errors as in `compile_report`.
    """
    known = {row.key: row for row in manifest()}
    rows = []
    for path in map(sources.source_path, kernels):
        for arch in map(arch_name, archs):
            row = Row(path.stem, arch, " ".join(flags))
            row = known.get(row.key, row)
            if lessons:
                row = replace(row, lessons=" ".join(sorted(lessons)))
            if only:
                row = replace(row, only=only)
            rows.append(_record(row, path))
    _write_manifest({**known, **{row.key: row for row in rows}}.values())
    return [FOLDER / row.file for row in rows]


def record_listings() -> list[Path]:
    """Make every listing of the manifest again; returns them. Errors as in `compile_report`."""
    rows = [_record(row, paths.KERNELS / f"{row.kernel}.cu") for row in manifest()]
    _write_manifest(rows)
    return [FOLDER / row.file for row in rows]


def _record(row: Row, path: Path) -> Row:
    """Write one listing; return its row. The date stays where nothing else is new."""
    report = compile_report(path, row.arch, row.flags.split())
    kept = tuple(one for one in report.kernels if row.only in one.name)
    if not kept:
        raise BuildError(f"No function of {path.name} has {row.only!r} in its name.")
    report = replace(report, kernels=kept, recorded=row.recorded)
    listing = FOLDER / row.file
    if not listing.is_file() or listing.read_text(encoding="utf-8") != report_text(report):
        report = replace(report, recorded=date.today().isoformat())
        FOLDER.mkdir(parents=True, exist_ok=True)
        _replace_text(listing, report_text(report))
    return replace(
        row,
        source_sha256=report.source_hash,
        nvcc=report.nvcc,
        nvdisasm=report.nvdisasm,
        recorded=report.recorded,
    )


def _write_manifest(rows: Iterable[Row]) -> None:
    names = [field.name for field in fields(Row)]
    ordered = sorted(map(asdict, rows), key=lambda row: [row[name] for name in names[:3]])
    lines = [names, *([row[name] for name in names] for row in ordered)]
    _replace_text(FOLDER / "manifest.csv", "".join(",".join(line) + "\n" for line in lines))


def _replace_text(path: Path, text: str) -> None:
    partial = path.with_suffix(f".{os.getpid()}")
    partial.write_text(text, encoding="utf-8")
    os.replace(partial, path)
