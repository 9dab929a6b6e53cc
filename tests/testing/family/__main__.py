"""Check the whole family and print figures: python -m tests.testing.family [part of a name]."""

from __future__ import annotations

import statistics
import sys
import tempfile
from pathlib import Path

from tests.testing import family
from tests.testing.family.judging import judge, load, misleads, names_the_fault


def main(part: str = "") -> None:
    """Print a line for each member, then the figures."""
    members = [m for m in (*family.WRONG, *family.RIGHT) if part in m.name or part == m.base]
    done = {}
    with tempfile.TemporaryDirectory() as folder:
        for base in dict.fromkeys(m.base for m in members):
            kernel = load(Path(folder), base)
            for member in members:
                if member.base == base:
                    done[member] = judge(member, kernel)
                    _print(member, done[member])
    _figures(done)


def _print(member, answer) -> None:
    flaws = "" if answer.decided_rightly else "PASSED " if answer.wrong else "REFUSED "
    if answer.wrong and answer.decided_rightly:
        flaws += "" if names_the_fault(member, answer.message) else "UNNAMED "
        flaws += "MISLEADS " if misleads(member, answer.message) else ""
    print(f"{answer.seconds:6.2f} {member.name:26} {flaws}{answer.message[:330]}", flush=True)


def _figures(done) -> None:
    wrong = {m: a for m, a in done.items() if a.wrong}
    caught = {m: a for m, a in wrong.items() if a.decided_rightly}
    right = [a for a in done.values() if not a.wrong]
    print(f"wrong: {len(caught)} of {len(wrong)} caught")
    print(f"named: {sum(names_the_fault(m, a.message) for m, a in caught.items())}")
    print(f"misleading: {sum(misleads(m, a.message) for m, a in caught.items())}")
    print(f"right: {sum(a.decided_rightly for a in right)} of {len(right)} accepted")
    times = sorted(a.seconds for a in done.values() if a.ok is not None)
    slowest = max((a.seconds for a in right), default=0.0)
    print(f"CPU seconds: median {statistics.median(times):.2f}, slowest {times[-1]:.2f}")
    print(f"slowest right one: {slowest:.2f}")


if __name__ == "__main__":
    main(*sys.argv[1:])
