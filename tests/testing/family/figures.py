"""Count what `check` made of the family: a row for each part and class of faults."""

from __future__ import annotations

import csv
import datetime
import statistics
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, fields

from helpers import paths
from helpers.measure import store
from tests.testing import family
from tests.testing.family.judging import Judgement, misleads, names_the_fault
from tests.testing.family.table import Right, Wrong

FILE = paths.DATA / "check_family.csv"


@dataclass(frozen=True)
class Row:
    """The verdicts on a part's wrong kernels of one class, or on its right ones ("right").

    kernels: how many were judged; decided: caught, or accepted; named: sentences that claim the
    true fault and no other; unspecific: none at all; misleading: another. seconds: CPU time of
    a check, builds apart.
    """

    date: str
    commit: str
    part: str
    kind: str
    kernels: int
    decided: int
    named: int
    unspecific: int
    misleading: int
    median_seconds: float
    slowest_seconds: float


def kind_of(member: Wrong | Right) -> str:
    """Return the class of a wrong member, the first cause that it names; or "right"."""
    return member.required[0] if isinstance(member, Wrong) else "right"


def rows(done: Mapping[Wrong | Right, Judgement], totals: bool = False) -> list[Row]:
    """Return a row for each part and class; with `totals` one for the wrong, one for the right.

    A sentence is misleading before it is unspecific.
    """
    groups: dict[tuple[str, str], list] = {}
    for member, answer in done.items():
        kind = kind_of(member)
        if totals:
            key = ("all", "right" if kind == "right" else "wrong")
        else:
            key = (family.part_of(member), kind)
        groups.setdefault(key, []).append((member, answer))
    today, commit = datetime.datetime.now(datetime.timezone.utc), store.commit()
    return [
        Row(f"{today:%Y-%m-%d}", commit, *key, *_counts(group)) for key, group in groups.items()
    ]


def _counts(group: list[tuple[Wrong | Right, Judgement]]) -> tuple:
    decided = [(m, a) for m, a in group if a.decided_rightly]
    refused = [(m, a.message) for m, a in decided if a.wrong]
    misleading = sum(misleads(m, message) for m, message in refused)
    named = sum(names_the_fault(m, x) and not misleads(m, x) for m, x in refused)
    times = sorted(a.seconds for _, a in group)
    return (
        len(group),
        len(decided),
        named,
        len(refused) - misleading - named,
        misleading,
        round(statistics.median(times), 2),
        round(times[-1], 2),
    )


def sentence(row: Row) -> str:
    """Say a row's figures in words."""
    times = f"median {row.median_seconds:.2f} s, slowest {row.slowest_seconds:.2f} s"
    if row.kind == "right":
        return f"right: {row.decided} of {row.kernels} accepted; {times}"
    return (
        f"{row.kind}: {row.decided} of {row.kernels} caught; sentences: {row.named} name the "
        f"fault, {row.unspecific} none, {row.misleading} another; {times}"
    )


def append(new: Iterable[Row]) -> None:
    """Append rows to data/check_family.csv."""
    is_new = not FILE.exists()
    with FILE.open("a", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, [f.name for f in fields(Row)], lineterminator="\n")
        if is_new:
            writer.writeheader()
        writer.writerows(asdict(row) for row in new)
