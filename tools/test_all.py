"""Run every test, the stress tests too, and record the run as a line of data/test_all.csv.

    python tools/test_all.py [options of pytest]

A run in which something fails is not recorded, nor one with other options than those below,
which may leave tests out. build/test_all/failed.txt has each failure at once. The next run at
the same commit goes on where a stopped or failed one was, without the tests that have ended
well. The line says how many runs it took.
"""

from __future__ import annotations

import os
import platform
import shlex
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from helpers import paths, usage
from helpers.measure import store
from helpers.measure.table import Table
from helpers.run import machine
from tools import outcomes

RUNS = Table(
    "test_all.csv",
    dict.fromkeys(("date", "commit", "machine", "python"), "string")
    | dict.fromkeys(("seconds", "runs", *outcomes.ENDED_WELL), "Int64"),
    key=("date", "commit", "machine"),
    command="make test-all",
)


def others(options: Sequence[str]) -> list[str]:
    """Return the options of pytest that may leave tests out; ends with the usage for --help."""
    parser = usage.parser(__doc__)
    parser.add_argument("-n", "--numprocesses", help="workers")
    parser.add_argument("--dist", help="how tests are given to them")
    parser.add_argument(
        "-v", "-q", "--verbose", "--quiet", action="count", help="say more, less"
    )
    parser.add_argument("-x", "--exitfirst", action="store_true", help="stop at a failure")
    for name in ("--maxfail", "--tb", "--durations", "--color"):
        parser.add_argument(name, help="as in pytest")
    always = shlex.split(os.environ.get("PYTEST_ADDOPTS", ""))
    return parser.parse_known_args([*always, *options])[1]


def run(options: Sequence[str]) -> int:
    """Run pytest, and return its exit status."""
    command = [sys.executable, "-m", "pytest", "--nbval", "--stress", "-p", "no:cacheprovider"]
    command += ["-p", "tools.outcomes"]
    return subprocess.run([*command, *options], cwd=paths.ROOT, check=False).returncode


def machine_words() -> str:
    """Name the cores and the GPU."""
    here = machine.present()
    cores = f"{len(os.sched_getaffinity(0))} cores"
    return f"{cores}, {here.name if here.is_gpu else 'no GPU'}"


def main(options: Sequence[str]) -> int:
    """Run, record, and return pytest's exit status."""
    left = others(options)
    if left:
        print(f"this run will not be recorded: {shlex.join(left)} may leave tests out")
    commit, began = store.commit(), time.monotonic()
    outcomes.begin(commit)
    try:
        status = run(options)
    finally:
        outcomes.end(time.monotonic() - began)
    if status == 0 and not left:
        seconds = outcomes.runs()
        row = {
            "date": store.today(),
            "commit": commit,
            "machine": machine_words(),
            "python": platform.python_version(),
            "seconds": sum(seconds),
            "runs": len(seconds),
        }
        RUNS.append([row | outcomes.counts()])
    elif status and outcomes.FAILED.exists():
        print(f"what failed: {outcomes.FAILED.relative_to(paths.ROOT)}")
    return status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
