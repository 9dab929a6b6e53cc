"""Run the portable tests under a list of C++ compilers, and record each in data/compilers.csv.

    python tools/compilers.py                            every g++ and clang++ in PATH
    python tools/compilers.py g++-14 "clang++-19 -stdlib=libc++"
    python tools/compilers.py --all ...                  also the tests that need PyTorch

The portable tests (`pytest -m portable`) are the emulator's: one kernel of each class, faults,
fibers, guard pages. Without --all those of tests/emulator/test_portable.py, which need pytest,
hypothesis and filelock but no PyTorch, so that they run wherever a Python and a compiler do.
"""

from __future__ import annotations

import argparse
import csv
import datetime
import os
import platform
import re
import shlex
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, fields
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
RECORD = ROOT / "data" / "compilers.csv"
WITHOUT_TORCH = ("tests/emulator/test_portable.py",)
WITH_TORCH = ("tests/emulator", "tests/run/first_launch")
NAME = re.compile(r"(?:clang|g)\+\+(?:-\d+)?")
LIBCXX = "-stdlib=libc++"


@dataclass(frozen=True)
class Run:
    """The portable tests under one compiler: a row of data/compilers.csv."""

    date: str
    system: str
    processor: str
    page_bytes: int
    python: str
    command: str
    compiler: str
    library: str
    passed: int
    failed: int
    skipped: int
    seconds: int


def compilers_in_path() -> list[str]:
    """List the commands of PATH that are a g++ or a clang++, one for each program."""
    found: dict[Path, str] = {}
    for folder in map(Path, os.get_exec_path()):
        for path in sorted(folder.glob("*++*")) if folder.is_dir() else ():
            if NAME.fullmatch(path.name) and os.access(path, os.X_OK):
                found.setdefault(path.resolve(), path.name)
    return sorted(found.values(), key=lambda name: (name.split("-")[0], len(name), name))


def with_libcxx(commands: Sequence[str]) -> Iterator[str]:
    """Yield each command, and after a clang++ that finds libc++ the same with libc++."""
    for command in commands:
        yield command
        with_it = f"{command} {LIBCXX}"
        if command.startswith("clang") and library(with_it).startswith("libc++"):
            yield with_it


def _ask(command: str, *options: str, text: str = "") -> str:
    words = [*shlex.split(command), *options]
    try:
        done = subprocess.run(words, input=text, capture_output=True, text=True, check=False)
    except OSError:
        return ""
    return done.stdout if done.returncode == 0 else ""


def version(command: str) -> str:
    """Return a compiler's own first line, "" if it cannot be run."""
    return _ask(command, "--version").partition("\n")[0]


def library(command: str) -> str:
    """Return the C++ library that a compiler takes, with its version; "" if it has none."""
    macros = _ask(command, "-x", "c++", "-E", "-dM", "-", text="#include <vector>\n")
    for macro, name in (("_LIBCPP_VERSION", "libc++"), ("_GLIBCXX_RELEASE", "libstdc++")):
        if match := re.search(rf"#define {macro} (\d+)", macros):
            return f"{name} {match[1]}"
    return ""


def counts(closing: str) -> dict[str, int]:
    """Return how many tests passed, failed and were skipped, from pytest's closing line."""
    found = {word: int(number) for number, word in re.findall(r"(\d+) (\w+)", closing)}
    failed = found.get("failed", 0) + found.get("error", 0) + found.get("errors", 0)
    return {
        "passed": found.get("passed", 0),
        "failed": failed,
        "skipped": found.get("skipped", 0),
    }


def run(command: str, files: Sequence[str]) -> Run:
    """Run the portable tests of some files with $CXX set to a command; echo what they print."""
    pytest = [sys.executable, "-m", "pytest", "-q", "-m", "portable", "-p", "no:cacheprovider"]
    options = ["-o", "addopts=--import-mode=importlib"]
    began, last = time.monotonic(), ""
    with tempfile.TemporaryDirectory(prefix="elementwise-") as cache:
        settings = {
            "CXX": command,
            "ELEMENTWISE_CACHE": cache,
            "ELEMENTWISE_MACHINE": "emulator",
        }
        with subprocess.Popen(
            [*pytest, *options, *files],
            cwd=ROOT,
            env={**os.environ, **settings},
            stdout=subprocess.PIPE,
            text=True,
        ) as process:
            for line in process.stdout:
                print(line, end="", flush=True)
                last = line.strip() or last
    return Run(
        date=datetime.date.today().isoformat(),
        system=f"{platform.system()} {platform.release().partition('-')[0]}",
        processor=platform.machine(),
        page_bytes=os.sysconf("SC_PAGESIZE"),
        python=platform.python_version(),
        command=command,
        compiler=version(command),
        library=library(command),
        seconds=round(time.monotonic() - began),
        **counts(last),
    )


def record(one: Run) -> None:
    """Append a run to data/compilers.csv, which begins with its columns' names."""
    is_new = not RECORD.exists()
    with RECORD.open("a", newline="", encoding="utf-8") as out:
        writer = csv.DictWriter(out, [field.name for field in fields(Run)], lineterminator="\n")
        if is_new:
            writer.writeheader()
        writer.writerow(asdict(one))


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the tests under each compiler and print a table; return 1 if a test failed."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("commands", nargs="*", help="as in $CXX (default: all in PATH)")
    parser.add_argument("--all", action="store_true", help="also the tests that need PyTorch")
    parser.add_argument("--record", action="store_true", help="append to data/compilers.csv")
    given = parser.parse_args(arguments)
    runs = []
    for command in given.commands or with_libcxx(compilers_in_path()):
        print(f"\n{command}: {version(command) or 'cannot be run'}", flush=True)
        one = run(command, WITH_TORCH if given.all else WITHOUT_TORCH)
        runs.append(one)
        if given.record and one.passed:  # else it is not the compiler that stood in the way
            record(one)
    print()
    for one in runs:
        print(f"{one.command:32} {one.library:14} {one.passed:4} passed {one.failed:3} failed")
    return int(not runs or any(one.failed or not one.passed for one in runs))


if __name__ == "__main__":
    sys.exit(main())
