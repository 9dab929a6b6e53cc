"""Choose edits to be tried together, where no single one makes the kernel right.

The same mistake often stands at several places: in each lane of a pack, in two branches, for
each of two outputs. One edit then mends a part of the elements, or none.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace

from helpers.testing.repair.edits import Edit
from helpers.testing.repair.kinds import ONE

MOST_ALIKE = 8  # edits of one group
MOST_PARTIAL, MOST_PAIRS = 16, 200
NEAR = 3  # lines
_LANE = re.compile(r"\.[xyzw]\b|(?<=[A-Za-z_])\d+\b|\b[0-7]\b(?=\])")


def groups(
    edits: Sequence[Edit], numbers: Sequence[int], partial: Sequence[int]
) -> list[tuple[int, ...]]:
    """Return the numbers of edits that are worth a trial together, the likely ones first.

    edits: the first has number 1. numbers: those that can be tried. partial: those that mend
    some elements and spoil none.
    """
    of_text = defaultdict(list)
    for k in numbers:
        edit = edits[k - 1]
        if not edit.weak:
            key = (edit.kind, _LANE.sub("_", edit.old), _LANE.sub("_", edit.new))
            of_text[key].append(k)
    alike = [tuple(some) for some in of_text.values() if _apart(edits, some)]
    helps = {some: bool(set(some) & set(partial)) for some in alike}
    pairs = _pairs(edits, numbers, [k for k in partial if not edits[k - 1].weak])
    found = [some for some in alike if helps[some]] + pairs
    return list(dict.fromkeys([*found, *(some for some in alike if not helps[some])]))


def _apart(edits: Sequence[Edit], some: Sequence[int]) -> bool:
    """Test whether there are several, each at a place of its own."""
    return 1 < len({edits[k - 1].start for k in some}) == len(some) <= MOST_ALIKE


def _pairs(
    edits: Sequence[Edit], numbers: Sequence[int], partial: Sequence[int]
) -> list[tuple[int, ...]]:
    """Return pairs of edits of one kind: one mends a part, the other as well or stands near."""
    found = []
    for k in sorted(partial, key=lambda k: edits[k - 1].kind == ONE)[:MOST_PARTIAL]:
        one, beside = edits[k - 1], set(partial)
        for other in numbers:
            two = edits[other - 1]
            near = other in beside or abs(one.line - two.line) <= NEAR
            if near and two.kind == one.kind and one.start != two.start and not two.weak:
                found.append((min(k, other), max(k, other)))
    return list(dict.fromkeys(found))[:MOST_PAIRS]


def joined(edits: Sequence[Edit], numbers: Sequence[int]) -> Edit:
    """Return edits that are made together as one."""
    first, *others = (edits[k - 1] for k in numbers)
    return replace(first, others=tuple(edit.line for edit in others))
