"""Run every test, the stress tests too, and record the run as a line of data/test_all.csv.

    python tools/test_all.py [options of pytest]

A run in which something fails is not recorded; build/test_all/failed.txt names each failure at
once, so that a run that is stopped has not lost them.
"""

from __future__ import annotations

import os
import platform
import re
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from helpers import paths
from helpers.measure import store
from helpers.measure.table import Table
from helpers.run import machine
from tools import failures

COUNTS = ("passed", "skipped", "xfailed")
RUNS = Table(
    "test_all.csv",
    dict.fromkeys(("date", "commit", "machine", "python"), "string")
    | dict.fromkeys(("seconds", *COUNTS), "Int64"),
    key=("date", "commit", "machine"),
    command="make test-all",
)


def run(options: Sequence[str]) -> tuple[int, str]:
    """Run pytest, echo what it prints; return its exit status and its closing line."""
    command = [sys.executable, "-m", "pytest", "--nbval", "--stress", "-p", "no:cacheprovider"]
    command += ["-p", "tools.failures"]
    failures.begin()
    last = ""
    with subprocess.Popen(
        [*command, *options], cwd=paths.ROOT, stdout=subprocess.PIPE, text=True
    ) as process:
        for line in process.stdout:
            print(line, end="", flush=True)
            last = line.strip() or last
    return process.returncode, last


def counts(closing: str) -> dict[str, int]:
    """Return how many tests passed, ... from pytest's closing line."""
    found = {word: int(number) for number, word in re.findall(r"(\d+) (\w+)", closing)}
    return {word: found.get(word, 0) for word in COUNTS}


def machine_words() -> str:
    """Name the cores and the GPU."""
    here = machine.present()
    cores = f"{len(os.sched_getaffinity(0))} cores"
    return f"{cores}, {here.name if here.is_gpu else 'no GPU'}"


def main(options: Sequence[str]) -> int:
    """Run, record, and return pytest's exit status."""
    commit, began = store.commit(), time.monotonic()
    status, closing = run(options)
    if status == 0:
        row = {
            "date": store.today(),
            "commit": commit,
            "machine": machine_words(),
            "python": platform.python_version(),
            "seconds": round(time.monotonic() - began),
        }
        RUNS.append([row | counts(closing)])
    elif failures.FILE.exists():
        print(f"what failed: {failures.FILE.relative_to(paths.ROOT)}")
    return status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
