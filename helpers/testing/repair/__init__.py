"""Find the line of a fault by editing the kernel until it is right.

Where a wrong kernel's numbers tell nothing of the cause, each small edit of its file that would
turn a frequent mistake round is tried (`values`, `statements`): all in one build (`edits`),
run on the cases that went wrong and then on the others (`search`). If edits of one line, or of
a few, make all of them right, `where` says so. It names the line and the kind of edit, not the
edit: that is the learner's.
"""

from __future__ import annotations

import contextlib

from helpers.run.launcher import Launcher
from helpers.testing.repair.kinds import ONE
from helpers.testing.repair.search import Cases, Repairs, find

MOST_LINES = 3
MOST_KINDS = 2


def where(launcher: Launcher, cases: Cases) -> str:
    """Return a sentence on the lines of which an edit makes an emulated launcher right, or "".

    cases: from a launcher to its cases, of which one goes wrong.
    """
    # The verdict stands without this sentence, whatever an edited kernel does to the search.
    with contextlib.suppress(Exception):
        if launcher.path is not None:
            return sentence(find(launcher, cases))
    return ""


def sentence(repairs: Repairs) -> str:
    """Say which lines were edited with success, or "".

    Nothing is said of none, of too many, where there was too little time, and where all that
    helps on one of them is weak: an edit that may go round a fault elsewhere.
    """
    kinds: dict[int, list[str]] = {}
    for edit in sorted(repairs.edits, key=lambda edit: (edit.line, edit.kind == ONE)):
        kinds.setdefault(edit.line, []).append(edit.kind)
    strong = {edit.line for edit in repairs.edits if not edit.weak}
    if not repairs.complete or len(strong) < len(kinds) or not 1 <= len(kinds) <= MOST_LINES:
        return ""
    places = [
        f"line {line} ({' or '.join(found[:MOST_KINDS])})" for line, found in kinds.items()
    ]
    return (
        f"All {repairs.cases} cases tried come out right after an edit of "
        f"{', or of '.join(places)}"
    )


__all__ = ["Repairs", "sentence", "where"]
