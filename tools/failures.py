"""Name each failed test in a file as soon as it has failed: a plugin of pytest.

A run that is stopped prints no summary. `tools/test_all.py` loads this one.
"""

from __future__ import annotations

import os
from pathlib import Path

import pytest

FILE = Path(__file__).resolve().parents[1] / "build" / "test_all" / "failed.txt"


def begin() -> None:
    """Forget the failures of an earlier run."""
    FILE.unlink(missing_ok=True)


def note(report: pytest.CollectReport | pytest.TestReport) -> None:
    """Write a failed report's test, its phase and the last line of what was wrong.

    The processes of pytest-xdist leave it to the one that started them.
    """
    if not report.failed or "PYTEST_XDIST_WORKER" in os.environ:
        return
    words = report.longreprtext.strip().splitlines()[-1:]
    FILE.parent.mkdir(parents=True, exist_ok=True)
    with FILE.open("a", encoding="utf-8") as file:
        print(report.nodeid, f"({getattr(report, 'when', 'collect')})", *words, file=file)


pytest_runtest_logreport = pytest_collectreport = note
