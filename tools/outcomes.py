"""Keep what each test came to as soon as it has ended: a plugin of pytest.

A run that is stopped prints no summary; the next one at the same commit leaves out the tests
that have ended well. `tools/test_all.py` loads this plugin.
"""

from __future__ import annotations

import os
import textwrap
import time
from collections import Counter
from pathlib import Path

import pytest

FOLDER = Path(__file__).resolve().parents[1] / "build" / "test_all"
FAILED = FOLDER / "failed.txt"  # a line for each, and below it what was wrong
KEPT = FOLDER / "outcomes.txt"  # the commit, then a line for each test and for a run's seconds
ENDED_WELL = ("passed", "skipped", "xfailed")


def begin(commit: str) -> None:
    """Forget the failures, and all that another commit, or one with changes, came to."""
    FAILED.unlink(missing_ok=True)
    lines = KEPT.read_text(encoding="utf-8").splitlines() if KEPT.exists() else []
    if lines[:1] == [commit] and not commit.endswith("+"):
        good = known()
        words = [line.split(" ", 1) for line in lines[1:]]
        lines = [f"{word} {name}" for word, name in words if word == "run" or name in good]
        began = [float(name) for word, name in words if word == "began"]
        if began and words[-1][0] != "run":  # it was killed: count it until its last test
            lines.append(f"run {KEPT.stat().st_mtime - began[-1]:.0f}")
    else:
        lines = []
    FOLDER.mkdir(parents=True, exist_ok=True)
    KEPT.write_text(
        "\n".join([commit, *lines, f"began {time.time():.0f}"]) + "\n", encoding="utf-8"
    )


def end(seconds: float) -> None:
    """Keep how long a run took, stopped or not."""
    _keep(KEPT, f"run {seconds:.0f}")


def runs() -> list[int]:
    """Return the seconds of each run at this commit."""
    return [int(name) for word, name in _kept() if word == "run"]


def known() -> dict[str, str]:
    """Return what each test that has ended well came to, by its name."""
    found = {name: word for word, name in _kept() if word in ENDED_WELL}
    for word, name in _kept():
        if word == "failed":
            found.pop(name, None)
    return found


def counts() -> dict[str, int]:
    """Return how many tests passed, ... in the runs at this commit."""
    found = Counter(known().values())
    return {word: found[word] for word in ENDED_WELL}


def note(report: pytest.CollectReport | pytest.TestReport) -> None:
    """Write what a test came to; of a failure its phase and what was wrong.

    The processes of pytest-xdist leave it to the one that started them.
    """
    if "PYTEST_XDIST_WORKER" in os.environ:
        return
    when = getattr(report, "when", "collect")
    if report.failed:
        text = textwrap.indent(report.longreprtext.strip(), "    ")
        _keep(FAILED, f"{report.nodeid} ({when})\n{text}".rstrip())
        _keep(KEPT, f"failed {report.nodeid}")
    elif when == "call" or (when == "setup" and report.skipped):
        outcome = "xfailed" if hasattr(report, "wasxfail") else report.outcome
        _keep(KEPT, f"{outcome} {report.nodeid}")


pytest_runtest_logreport = pytest_collectreport = note


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out what has ended well; of a notebook all cells or none: they need one another."""
    done = known()
    again = {_file(item) for item in items if item.nodeid not in done}

    def is_open(item: pytest.Item) -> bool:
        of_notebook = _file(item).endswith(".ipynb")
        return _file(item) in again if of_notebook else item.nodeid not in done

    if left_out := [item for item in items if not is_open(item)]:
        config.hook.pytest_deselected(items=left_out)
        items[:] = [item for item in items if is_open(item)]


def _file(item: pytest.Item) -> str:
    return item.nodeid.split("::")[0]


def _keep(file: Path, line: str) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    with file.open("a", encoding="utf-8") as lines:
        print(line, file=lines)


def _kept() -> list[tuple[str, str]]:
    if not KEPT.exists():
        return []
    lines = KEPT.read_text(encoding="utf-8").splitlines()[1:]
    return [tuple(line.split(" ", 1)) for line in lines]
