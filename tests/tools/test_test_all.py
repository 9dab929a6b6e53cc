"""The tool that runs every test and records the run."""

import runpy

from helpers import paths

TOOL = runpy.run_path(str(paths.ROOT / "tools" / "test_all.py"))


def test_counts_are_read_from_the_closing_line():
    closing = (
        "===== 2226 passed, 30 skipped, 3 deselected, 7 warnings in 431.20s (0:07:11) ====="
    )
    assert TOOL["counts"](closing) == {"passed": 2226, "skipped": 30, "xfailed": 0}


def test_the_machine_and_the_commit_are_named():
    assert "core" in TOOL["machine_words"]()
    assert TOOL["commit"]().rstrip("+").isalnum()
