"""Find the numbers with a unit in a lesson's text that nothing above them accounts for.

A number of the text is accounted for by a number in a cell above it, in its code or its output;
by a fact of data/ (`FACTS`); or by a definition (`DEFINITIONS`). It may be rounded, said in
another decimal unit (4,363 GB/s, 4.36 TB/s) or as a percentage (0.84, 84%). A number of one or
two digits is found anywhere by chance, so it must stand in one of the `NEAR` last cells, or
anywhere above before the same unit.

    python -m helpers.teach.prose_numbers           every lesson
    python -m helpers.teach.prose_numbers 03 07     some
"""

from __future__ import annotations

import csv
import functools
import itertools
import re
import sys
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from nbformat import NotebookNode

from helpers import paths, specs, usage
from helpers.teach import notebooks

PER_CENT = "per cent"
UNITS = """
us µs ms ns s seconds second milliseconds microseconds nanoseconds cycles cycle clocks GHz MHz W
GB/s TB/s MB/s GB TB MB KB GiB MiB KiB bytes byte bit bits TFLOP/s TFLOPS GFLOP/s FLOP ulp %
times threads thread lanes lane warps warp registers blocks SMs SM multiprocessors elements
instructions sectors sector lines requests wavefronts loads stores banks rows columns kernels
additions
""".split()
NUMBER = r"\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?"
QUANTITY = re.compile(
    rf"(?P<about>\b(?:about|some|nearly|almost|roughly|around|over|under)\s+)?"
    rf"(?<![\w.,^{{/-])(?P<number>{NUMBER})(?:\s?(?P<percent>%)|[\s-](?:per\s)?(?P<unit>"
    rf"{'|'.join(sorted(map(re.escape, (PER_CENT, *UNITS)), key=len, reverse=True))})(?![\w/]))"
)
# The numbers before a number that share its unit: "2 to 3%", "1, 2 and 4 elements".
LISTED = re.compile(rf"(?<![\w.,^{{/-])((?:(?:{NUMBER})(?:,? (?:to|and|or) |, |-))+)\Z")
IN_OUTPUT = re.compile(rf"(?<![\w.])(?:{NUMBER})(?:e[+-]?\d+)?")
CODE_BLOCK = re.compile(r"```.*?```", re.S)
# A paragraph that sets an exercise ("**2.** ...", "**01.2** ..."): its numbers are given.
EXERCISE = re.compile(r"^(?:#+ *|\*\*)(?:\d\d\.)?\d\.?(?:\*\*| ).*?(?=\n\n|\Z)", re.M | re.S)
POWER = re.compile(r"\b(\d+)\s*(?:\*\*|\^)\s*(\d+)|\b(\d+)\s*<<\s*(\d+)")
NEAR = 6  # code cells
ABOUT = 0.05  # how far a number after "about" may be off, relative
DECIMAL = """
us µs ms ns s seconds second milliseconds microseconds nanoseconds GHz MHz
GB/s TB/s MB/s GB TB TFLOP/s TFLOPS GFLOP/s
""".split()
FACTORS = {  # between the text's unit and that of its source; what is counted has none
    **dict.fromkeys(("%", PER_CENT), (1, 0.01)),
    **dict.fromkeys(DECIMAL, (1, 1e3, 1e-3)),
    **dict.fromkeys(("KB", "KiB", "MB", "MiB", "GiB"), (1, 1e3, 1e-3, 1 << 10, 1 << 20)),
}
FACTS = "gpus.csv compute_capability.csv rtx5090_article.csv ceilings.csv claims.csv".split()
WORDS = ("source", "note", "how", "date", "number")  # columns of them
# What a word means: sizes of types and vectors, a warp, a sector, a line, a block's limits, ...
DEFINITIONS = {
    unit: values
    for units, values in (
        ("byte bytes", (1, 2, 4, 8, 16, 32, 64, 128)),
        ("bit bits", (1, 8, 16, 31, 32, 64, 128, 256, 512)),
        ("thread threads lane lanes", (1, 2, 16, 32, 1024)),
        ("warp warps blocks SM times", (1, 2)),
        ("elements loads stores", (1, 2, 4, 8)),
        ("banks", (32,)),
        ("sectors", (1, 4)),
        ("%", (0, 100)),
    )
    for unit in units.split()
}


class Quantity(NamedTuple):
    """A number with its unit, as the text has it; tolerance: how far its source may be off."""

    value: float
    unit: str
    tolerance: float
    text: str

    @property
    def is_short(self) -> bool:
        """Whether the number has one or two digits."""
        return len(re.findall(r"\d", re.search(NUMBER, self.text)[0])) <= 2


def quantities(text: str) -> Iterator[Quantity]:
    """Yield the numbers with a unit of a Markdown text, code blocks and exercises left out."""
    text = EXERCISE.sub("", CODE_BLOCK.sub("", text))
    for match in QUANTITY.finditer(text):
        unit = match["percent"] or match["unit"]
        if before := LISTED.search(text, 0, match.start()):
            for number in re.findall(NUMBER, before[1]):
                yield quantity(number, unit, f"{number}{unit if unit == '%' else ' ' + unit}")
        yield quantity(match["number"], unit, " ".join(match[0].split()), bool(match["about"]))


def quantity(number: str, unit: str, text: str, about: bool = False) -> Quantity:
    """Return a number with its unit; its last digit says how far its source may be off."""
    digits = number.replace(",", "")
    value = float(digits)
    tolerance = 0.5 * 10.0 ** -len(digits.partition(".")[2]) * (1 + 1e-9)
    if about:
        tolerance = max(tolerance, ABOUT * value)
    return Quantity(value, unit, tolerance, text)


def numbers(text: str) -> Iterator[float]:
    """Yield every number of a program or an output, powers such as 2**20 and 1 << 20 too."""
    for match in IN_OUTPUT.finditer(text):
        yield float(match[0].replace(",", ""))
    for base, exponent, mantissa, shift in POWER.findall(text):
        if base and int(exponent) < 64:
            yield float(int(base) ** int(exponent))
        elif shift and int(shift) < 64:
            yield float(int(mantissa) << int(shift))


def said(cell: NotebookNode) -> str:
    """Return what a code cell says: its source and the text of its outputs."""
    parts = [cell.source]
    for output in cell.get("outputs", ()):
        parts.append(output.get("text", ""))
        parts.append(output.get("data", {}).get("text/plain", ""))
    return "\n".join(parts)


@functools.cache
def facts() -> tuple[float, ...]:
    """Return the numbers of the files of `FACTS`, their sources left out."""
    found = []
    for name in FACTS:
        for row in csv.DictReader(specs.data_lines(paths.DATA / name)):
            found += numbers(" ".join(row[key] for key in row if key not in WORDS))
    return tuple(found)


def is_among(one: Quantity, known: list[float]) -> bool:
    """Say whether a quantity's number, in whichever decimal unit, is among `known`, sorted."""
    for factor in FACTORS.get(one.unit, (1,)):
        low = (one.value - one.tolerance) * factor
        at = bisect_left(known, low)
        if at < len(known) and known[at] <= (one.value + one.tolerance) * factor:
            return True
    return False


def unaccounted(notebook: NotebookNode) -> list[tuple[int, str]]:
    """List the cell and the words of each number of a lesson's text without a source."""
    every, cells = list(facts()), []
    with_unit: dict[str, list[float]] = defaultdict(list)
    missing = []
    for index, cell in enumerate(notebook.cells):
        if cell.cell_type == "code":
            cells.append(list(numbers(said(cell))))
            every += cells[-1]
            for one in quantities(said(cell)):
                with_unit[one.unit].append(one.value)
            continue
        near = sorted(itertools.chain.from_iterable(cells[-NEAR:]))
        known = sorted(every)
        missing += [
            (index, one.text)
            for one in quantities(cell.source)
            if one.value not in DEFINITIONS.get(one.unit, ())
            and not is_among(one, near if one.is_short else known)
            and not is_among(one, sorted(with_unit[one.unit]))
        ]
    return missing


def main(names: Iterable[str]) -> int:
    """Print the numbers without a source; return 1 if there are any."""
    found = 0
    for path in lessons(tuple(names)):
        for index, text in unaccounted(notebooks.read(path)):
            print(f"{path.name}[{index}] {text}")
            found += 1
    print(f"{found} numbers without a source")
    return int(found > 0)


def lessons(beginnings: tuple[str, ...] = ()) -> list[Path]:
    """List the lessons whose names begin so; all of them without a beginning."""
    found = [path for path in notebooks.find() if path.parent == notebooks.NOTEBOOKS]
    return [path for path in found if not beginnings or path.name.startswith(beginnings)]


if __name__ == "__main__":
    _parser = usage.parser(__doc__)
    _parser.add_argument(
        "lessons", nargs="*", metavar="LESSON", help="such as 03; default: all"
    )
    sys.exit(main(_parser.parse_args().lessons))
