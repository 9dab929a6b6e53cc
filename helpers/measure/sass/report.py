"""Hold the machine code of a .cu file for one architecture, as objects and as text.

The text is what `listing` prints; the cache and data/sass/ hold it too, and `parse_report`
reads it back.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from helpers.errors import UnknownNameError
from helpers.measure.sass.code import Instruction, KernelSass


@dataclass(frozen=True)
class SassReport:
    """The machine code of one .cu file for one architecture."""

    file: str
    arch: str
    source_hash: str  # of the file and of the local files that it includes
    nvcc: str  # its version
    nvdisasm: str  # its version
    flags: tuple[str, ...]  # of nvcc, beyond the usual ones
    warnings: tuple[str, ...]  # of ptxas
    kernels: tuple[KernelSass, ...]  # in the order of the source
    recorded: str | None = None  # the date, if this is a recording from data/sass

    def kernel(self, name: str | None = None) -> KernelSass:
        """Find a kernel by its name; without a name, the first one.

        name: with or without namespace and template arguments; the first match counts. Raises
        KeyError, with the names that exist.
        """
        for kernel in self.kernels:
            plain = kernel.name.split("<")[0]
            names = (None, kernel.symbol, kernel.name, plain, plain.split("::")[-1])
            if name in names:
                return kernel
        known = [kernel.name for kernel in self.kernels]
        raise UnknownNameError(f"{self.file} has no kernel {name!r}; it has {known}")

    def rows(self) -> list[dict]:
        """Summarise each kernel: its name, loads and stores by width, arithmetic, registers."""
        place = {"file": self.file, "arch": self.arch}
        return [{**place, **kernel.row()} for kernel in self.kernels]

    def table(self):
        """Return `rows` as a pandas DataFrame."""
        import pandas

        return pandas.DataFrame(self.rows())

    def listing(
        self, kernel: str | None = None, *, source: bool = True, width: int = 120
    ) -> str:
        """Print the instructions of one kernel (of all, by default) with their source lines.

        A line's text stands beside the first of its instructions; `source=False` leaves it and
        the line numbers out. Lines are cut at `width` columns.
        """
        chosen = self.kernels if kernel is None else (self.kernel(kernel),)
        lines = "\n\n".join(_kernel_text(one, source) for one in chosen).splitlines()
        return "\n".join(
            line if len(line) <= width else line[: width - 1] + "…" for line in lines
        )

    @property
    def provenance(self) -> str:
        """How it was made: compiled here, or recorded when, and by which nvcc."""
        how = f"recorded {self.recorded} with" if self.recorded else "compiled here by"
        flags = f" {' '.join(self.flags)}" if self.flags else ""
        return f"{self.file} for {self.arch}, {how} nvcc {self.nvcc}{flags}"

    def __str__(self) -> str:
        return f"{self.provenance}\n\n{self.listing()}"


def _kernel_text(kernel: KernelSass, source: bool = True, column: int = 66) -> str:
    """Write a kernel's instructions; column: from which the source lines stand beside them."""
    heading = (
        f"{kernel.name}: {kernel.registers} registers, {kernel.stack} bytes of stack,"
        f" {kernel.spill_stores} + {kernel.spill_loads} bytes of spill stores and loads,"
        f" {kernel.shared} bytes of shared memory"
    )
    lines, shown = [heading], None
    for i in kernel.instructions:
        if i.label:
            lines.append(f"{i.label}:")
        text = f"  /*{i.offset:04x}*/  {i.text}"
        if source and i.line is not None:
            where = f"{i.file}:{i.line}" if i.file else f"{i.line}"
            words = "" if (i.file, i.line) == shown else f"  {i.source}"
            text = f"{text:<{column}}  // {where:>3}{words}"
            shown = (i.file, i.line)
        lines.append(text.rstrip())
    return "\n".join(lines)


def report_text(report: SassReport) -> str:
    """Write a report as text."""
    header = {
        "file": report.file,
        "arch": report.arch,
        "source sha256": report.source_hash,
        "nvcc": report.nvcc,
        "nvdisasm": report.nvdisasm,
        "flags": " ".join(report.flags),
        "recorded": report.recorded or "",
    }
    lines = [f"# {key}: {value}".rstrip() for key, value in header.items()]
    lines += [f"# warning: {warning}" for warning in report.warnings]
    for kernel in report.kernels:
        lines += ["", f"# symbol: {kernel.symbol}", _kernel_text(kernel, column=0)]
    return "\n".join(lines) + "\n"


_NUMBERS = ("registers", "stack", "spill_stores", "spill_loads", "shared")
_HEADING = re.compile(
    r".+: (\d+) registers, (\d+) bytes of stack,"
    r" (\d+) \+ (\d+) bytes of spill stores and loads, (\d+) bytes of shared memory"
)
_LABEL = re.compile(r"(\.L_\w+):")
_CODE = re.compile(r"  /\*([0-9a-f]+)\*/  (.+?)(?: +//  *(?:(\S+):)?(\d+)(?:  (.*))?)?$")


def parse_report(text: str) -> SassReport:
    """Read a report back from its text."""
    head, *sections = text.split("\n# symbol: ")
    header = dict(re.findall(r"^# ([^:\n]+):[ ]?(.*)$", head, flags=re.M))
    return SassReport(
        file=header["file"],
        arch=header["arch"],
        source_hash=header["source sha256"],
        nvcc=header["nvcc"],
        nvdisasm=header["nvdisasm"],
        flags=tuple(header["flags"].split()),
        warnings=tuple(re.findall(r"^# warning: (.*)$", head, flags=re.M)),
        kernels=tuple(_parse_kernels(sections)),
        recorded=header["recorded"] or None,
    )


def _parse_kernels(sections: list[str]) -> list[KernelSass]:
    kernels, sources = [], {}
    for section in sections:
        symbol, heading, *lines = section.splitlines()
        values = map(int, _HEADING.fullmatch(heading).groups())
        numbers = dict(zip(_NUMBERS, values, strict=True))
        code = tuple(_parse_code(lines, sources))
        kernels.append(KernelSass(symbol, **numbers, instructions=code))
    return kernels


def _parse_code(lines: list[str], sources: dict[tuple, str]) -> list[Instruction]:
    """Parse a kernel's lines; `sources` remembers the source lines shown so far."""
    code, label = [], None
    for line in lines:
        if match := _LABEL.fullmatch(line):
            label = match[1]
        elif match := _CODE.fullmatch(line):
            offset, words, file, number, source = match.groups()
            where = (file, int(number) if number else None)
            if source is not None:
                sources[where] = source
            text = sources.get(where, "")
            code.append(Instruction(int(offset, 16), words.rstrip(), *where, text, label))
            label = None
    return code
