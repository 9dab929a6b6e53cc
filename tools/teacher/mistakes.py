"""Record what the checker says to each wrong kernel that the exercises know: for the guide.

    python -m tools.teacher.mistakes              judge all anew (minutes), on the emulator
    python -m tools.teacher.mistakes 00.1 05.4    some

It writes mistakes.csv beside this file. The tests of the exercises judge the same kernels and
compare, so that the guide says what learners read.
"""

from __future__ import annotations

import argparse
import csv
import os
import re
import shutil
import sys
import tempfile
from functools import cache
from pathlib import Path

from helpers import paths
from helpers.run import jit
from helpers.run.kernel import Kernel
from helpers.teach import lessons, notebooks
from helpers.teach.exercises import EXERCISES
from helpers.teach.exercises.marking import Code

FILE = Path(__file__).with_suffix(".csv")  # not in data/, which learners get
COLUMNS = ("exercise", "mistake", "says")
HEADER = (
    "# What the checker says to wrong kernels; written by `python -m tools.teacher.mistakes`.\n"
)
Key = str | tuple[str, str]


def described(key: Key) -> str:
    """Describe a wrong kernel: a kernel of the course, or a change to the solution."""
    if isinstance(key, str):
        return f"the kernel `{key}`"
    right, instead = (" ".join(text.split()) for text in key)
    return f"`{instead}` in the place of `{right}`" if instead else f"without `{right}`"


def solution(name: str) -> str:
    """Return the source of the kernel `name` as its solution notebook writes it."""
    for path in sorted((paths.ROOT / "notebooks/solutions").glob(f"*{lessons.SOLUTIONS_NAME}")):
        for cell in notebooks.code_cells(notebooks.read(path)):
            if re.match(rf"%%writefile \S*/{name}\.cu\n", cell.source):
                return cell.source.partition("\n")[2]
    raise LookupError(f"no solution writes {name}.cu")


def wrong_kernel(exercise: Code, key: Key, folder: Path) -> Kernel:
    """Load a wrong kernel, whose file is written into a folder if it is a changed solution."""
    if isinstance(key, str):
        return jit.load(key)
    source = solution(exercise.solution)
    if key[0] not in source:
        raise LookupError(f"{exercise.solution}.cu has no {key[0]!r}")
    for header in paths.KERNELS.glob("*.cuh"):
        shutil.copy(header, folder)
    path = folder / "mine" / f"{exercise.solution}.cu"
    path.parent.mkdir()
    path.write_text(source.replace(*key), encoding="utf-8")
    return jit.load(path)


def sentence(message: str) -> str:
    """Return what a mark says of a kernel in one line, without the exercise's hint."""
    return " ".join(message.partition("\n    Hint: ")[0].split())


@cache
def recorded() -> dict[tuple[str, str], str]:
    """Return what stands in the file, by exercise and mistake."""
    with FILE.open(encoding="utf-8", newline="") as file:
        rows = csv.DictReader(line for line in file if not line.startswith("#"))
        return {(row["exercise"], row["mistake"]): row["says"] for row in rows}


def judged(name: str) -> dict[tuple[str, str], str]:
    """Judge the wrong kernels of an exercise."""
    found = {}
    for key in EXERCISES[name].wrong:
        with tempfile.TemporaryDirectory() as folder:
            kernel = wrong_kernel(EXERCISES[name], key, Path(folder))
            said = EXERCISES[name].judge(kernel).message
        found[name, described(key)] = sentence(said)
        print(f"{name}, {described(key)}: {found[name, described(key)]}", flush=True)
    return found


def write(rows: dict[tuple[str, str], str]) -> None:
    """Write the file, in the order of the exercises; what they have no longer is left out."""
    with FILE.open("w", encoding="utf-8", newline="") as file:
        file.write(HEADER)
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(COLUMNS)
        for name, exercise in EXERCISES.items():
            for key in exercise.wrong if isinstance(exercise, Code) else ():
                if words := rows.get((name, described(key))):
                    writer.writerow((name, described(key), words))


def main(arguments: list[str] | None = None) -> int:
    """Judge, and write the file after each exercise."""
    parser = argparse.ArgumentParser(
        prog="python -m tools.teacher.mistakes", description="Record what the checker says."
    )
    parser.add_argument("exercises", nargs="*", help="default: all")
    options = parser.parse_args(arguments)
    os.environ["ELEMENTWISE_FIND_LINE"] = "0"  # as in the tests, which compare
    rows = dict(recorded()) if FILE.exists() else {}
    kernels = [name for name, one in EXERCISES.items() if isinstance(one, Code)]
    if unknown := [name for name in options.exercises if name not in kernels]:
        parser.error(f"no exercise {unknown[0]} that asks for a kernel; there are {kernels}")
    for name in options.exercises or kernels:
        rows |= judged(name)
        write(rows)
    return 0


if __name__ == "__main__":
    sys.exit(main())
