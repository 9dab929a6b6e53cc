"""Check the family, print each verdict and then the figures.

    python -m tests.testing.family [--record] [PART | BASE | part of a name ...]

PART is one of family.PARTS. A line is printed for each member as soon as it is judged; --record
appends the figures, a row for each class, to data/check_family.csv whenever a part is complete.
A run that was interrupted is resumed by naming the parts that are missing there.
"""

from __future__ import annotations

import argparse
import os
import tempfile
from pathlib import Path

from tests.testing import family
from tests.testing.family import figures
from tests.testing.family.judging import judge, load, misleads, names_the_fault


def main() -> None:
    """Judge the members that the command line names."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", default=[""])
    parser.add_argument("--record", action="store_true")
    options = parser.parse_args()
    os.environ.setdefault("ELEMENTWISE_FIND_LINE", "1")  # as users have it
    os.environ.setdefault("ELEMENTWISE_STRICT", "1")  # a diagnosis that raises is a fault
    chosen = [m for m in family.MEMBERS if any(_is_meant(m, name) for name in options.names)]
    done = {}
    with tempfile.TemporaryDirectory() as folder:
        for part in family.PARTS:
            of_part = {}
            members = [m for m in chosen if family.part_of(m) == part]
            for base in dict.fromkeys(m.base for m in members):
                kernel = load(Path(folder), base)
                for member in (m for m in members if m.base == base):
                    of_part[member] = judge(member, kernel)
                    _print(member, of_part[member])
            if options.record:
                figures.append(figures.rows(of_part))
            done |= of_part
    for row in figures.rows(done, totals=True):
        print(figures.sentence(row))


def _is_meant(member, name: str) -> bool:
    return name in member.name or name in (member.base, family.part_of(member))


def _print(member, answer) -> None:
    flaws = "" if answer.decided_rightly else "PASSED " if answer.wrong else "REFUSED "
    if answer.wrong and answer.decided_rightly:
        flaws += "" if names_the_fault(member, answer.message) else "UNNAMED "
        flaws += "MISLEADS " if misleads(member, answer.message) else ""
    message = " ".join(answer.message.split())
    print(f"{answer.seconds:6.2f} {member.name:26} {flaws}{message}", flush=True)


if __name__ == "__main__":
    main()
