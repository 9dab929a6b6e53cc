"""Run every test, the stress tests too, and record the run as a line of data/test_all.csv.

    python tools/test_all.py [options of pytest]

A run in which something fails is not recorded.
"""

import csv
import datetime
import os
import platform
import re
import subprocess
import sys
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
RECORD = ROOT / "data" / "test_all.csv"
COUNTS = ("passed", "skipped", "xfailed")


def run(options: list[str]) -> tuple[int, str]:
    """Run pytest, echo what it prints; return its exit status and its closing line."""
    command = [sys.executable, "-m", "pytest", "--nbval", "--stress", "-p", "no:cacheprovider"]
    last = ""
    with subprocess.Popen(
        [*command, *options], cwd=ROOT, stdout=subprocess.PIPE, text=True
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
    sys.path.insert(0, str(ROOT))
    from helpers.run import machine

    here = machine.present()
    cores = f"{len(os.sched_getaffinity(0))} cores"
    return f"{cores}, {here.name if here.is_gpu else 'no GPU'}"


def commit() -> str:
    """Return the commit under test, with + if files are changed."""
    command = ["git", "describe", "--always", "--abbrev=12", "--dirty=+", "--exclude=*"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True)
    return done.stdout.strip() or "unknown"


def main() -> int:
    """Run, record, and return pytest's exit status."""
    begun = time.monotonic()
    status, closing = run(sys.argv[1:])
    if status:
        return status
    row = {
        "date": datetime.datetime.now(datetime.timezone.utc).date().isoformat(),
        "commit": commit(),
        "machine": machine_words(),
        "python": platform.python_version(),
        "seconds": round(time.monotonic() - begun),
        **counts(closing),
    }
    is_new = not RECORD.exists()
    with RECORD.open("a", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, row, lineterminator="\n")
        if is_new:
            writer.writeheader()
        writer.writerow(row)
    return 0


if __name__ == "__main__":
    sys.exit(main())
