"""Find the line of a fault by editing the kernel until it is right.

Where a wrong kernel's numbers prove no cause, each small edit of its file that would turn a
frequent mistake round is tried (`values`, `indices`, `statements`, `types`): all in one build
(`edits`), run on the cases that went wrong and then on the others (`search`). If edits of one
line, or of a few, make all of them right, `where` says so; if none does, the same mistake may
stand at several places (`together`). It names the line and the kind of
edit (`kinds`), not the edit: that is the learner's.
"""

from __future__ import annotations

import contextlib
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from helpers.run.launcher import Launcher
from helpers.testing.patterns.wrong_numbers import LARGE_ROUNDED, OF_ONE
from helpers.testing.repair.kinds import (
    ADDS,
    BRACKETS,
    COMPARISON,
    DIGITS,
    DIVISION,
    ELEMENT,
    END,
    FARTHER,
    FRACTION,
    GUARD,
    INDEX,
    LAUNCH,
    LIMITS,
    MEMBER,
    NAN,
    NARROW,
    NEARER,
    ONE,
    OPERATOR,
    ORDER,
    PITCH,
    RANGE,
    RESET,
    ROUND_UP,
    ROUNDING,
    SHORTER,
    SIDE,
    SIZES,
    TIES,
    VARIABLE,
    ZERO,
    Kind,
)
from helpers.testing.repair.search import Cases, Repairs, find

MOST_LINES = 3
MOST_KINDS = 2
# What stands in memory, what other calls do, a race, and how often an element counts is seen
# and not asked.
_SEEN = re.compile(
    r"nothing orders|memory just|subnormal|NaN that goes|\bcalls?\b|zero before|block_size ="
    r"|depends on the question|makes the same as"
    r"|written|copy of input|no effect on|more than once|if its element \S+ is left out"
    r"|masked elements are larger|nothing done to it|comes to its place|as after __shfl"
    r"|NaN must come out|read from its beginning again"
)
_HIDDEN = re.compile(
    r"\bbits\b|precision|rounded|in b?float16|digits|go(es)? on from|start value"
    r"|is taken of what|handed on in one step"
)
# With these each thread does more alone, and less of what goes wrong between threads is left.
_LESS_SHARED = {LAUNCH, SHORTER}
# What depends on the order of threads is right with one block, or one thread of it.
_RACE = re.compile(r"\brace\b|order of the threads|threads run in order|nothing orders")
# What names the cause, where nothing is asked.
_CAUSE = r"\bindex i [+-]|sign of zero|tie must|toward|beyond the range of|comes out as that"
_NAMED = re.compile(
    rf"{_RACE.pattern}|another stream|counted for another|others are left out|{_CAUSE}"
)
# Which element is read, or which numbers go wrong: with a launch of another size all elements
# may go another way, as the last few do that are left of packs.
_OF_VALUES = re.compile(
    r"^only .*\bgoe?s? wrong|inputs \S+ and \S+ change places|in the place of input"
    rf"|what another element should be|as its second|{_CAUSE}"
)
# Which place another number may be that of, by chance.
_CLAIMED = re.compile(r"^each element is the right one of index i|^the place of a NaN")
_OF_PLACES = {ELEMENT, INDEX, MEMBER, NAN, ORDER, PITCH, SIDE, VARIABLE}
_OF_RANGE = {DIGITS, DIVISION, FRACTION, LIMITS, NARROW, RANGE, ROUNDING}
_OUTSIDE = re.compile(r", but \w+ has \S+ elements?|, (past the end|before the start): ")
_OTHER_FORMULA = re.compile(r"is the formula another one\?$|is the formula another one \[")
_NARROWER = "in a narrower precision"
_TOO_FEW = re.compile(r"are these fewer than it needs")
_NARROW = re.compile(r"narrow|16 bits|32 bits|2\^|bits of|\bwrap")
_UNWRITTEN = re.compile(r"nothing (wa|i)s written|never written")
# Ordinary numbers come out right, so that the formula is.
_SPECIAL = re.compile(
    r"^only [^:\[]*\b(NaN|infinity)\b|\binfinite (inputs|result)|^only inputs of 0 go wrong"
    r"|^each wrong result should be NaN"
)


@dataclass(frozen=True)
class Where:
    """The lines of which an edit makes a launcher right, each with the kinds of edits that do.

    lines: those that must be edited together are one entry.
    cases: how many come out right. weak: such edits may go round a fault elsewhere.
    """

    lines: dict[tuple[int, ...], tuple[Kind, ...]]
    cases: int
    weak: bool = False

    def agrees(self, sentence: str) -> bool:
        """Test whether a sentence asks for what one of these edits shows, or saw the cause."""
        kinds = [kind for found in self.lines.values() for kind in found]
        asks = "?" in sentence
        if "tail" in sentence and set(kinds) <= {ELEMENT, PITCH}:
            return False  # an element at the edge of a block may be the last one
        if "A factor is left out" in sentence and set(kinds) <= {END, FARTHER, NEARER}:
            return False
        if _OTHER_FORMULA.search(sentence) and set(kinds) <= {ELEMENT, INDEX, PITCH}:
            return False
        if "no effect on" in sentence and set(kinds) <= {ORDER, MEMBER, OPERATOR, BRACKETS}:
            return False  # what is first taken for the second may have none, or of such numbers
        return bool(_SEEN.search(sentence)) or (asks and any(x.agrees(sentence) for x in kinds))

    def doubts(self, sentence: str) -> bool:
        """Test whether a cause is told without a question that these edits do not show."""
        kinds = {kind for found in self.lines.values() for kind in found}
        if ZERO in kinds and "infinity / infinity" in sentence:
            return True
        if ADDS in kinds and _UNWRITTEN.search(sentence):
            return True  # NaN plus a number is NaN
        if sentence.endswith(", a constant") and kinds <= _OF_RANGE:
            return True  # at which all of these numbers end
        if _TOO_FEW.search(sentence) and kinds <= _OF_PLACES:
            return True  # another index leaves elements out, too
        return bool(_CLAIMED.search(sentence)) and not kinds & _OF_PLACES

    def adds(self, sentence: str) -> bool:
        """Test whether edits show more: what is swapped, or read for what has no effect."""
        kinds = {kind for found in self.lines.values() for kind in found}
        if ORDER in kinds and "formula" in sentence and "swapped" not in sentence:
            return True
        if OF_ONE in sentence and any(kind.of_formula for kind in kinds):
            return True
        if FRACTION in kinds <= _OF_RANGE and "NaN that goes" in sentence:
            return True  # no integer is NaN
        if kinds == {ORDER} and "no thread of the block has written" in sentence:
            return "the other way round" not in sentence
        if kinds == {NARROW} and not _NARROW.search(sentence):
            return True
        if kinds == {SIZES} and "that for the other side" not in sentence:
            return True
        return "no effect on" in sentence and kinds <= {ELEMENT, PITCH}

    def goes_round(self, sentence: str) -> bool:
        """Test whether another share of a thread only hides the fault that a sentence names.

        Where each thread adds up less, its sum may come out right in any type; where each
        block has one row, nothing of another one is left; where each thread searches all, it
        matters not what they hand on to each other.
        """
        kinds = {kind for found in self.lines.values() for kind in found}
        less = kinds <= _LESS_SHARED and bool(_HIDDEN.search(sentence))
        if sentence.startswith(LARGE_ROUNDED) and not kinds & _OF_RANGE:
            return True  # another path is taken, which computes in integers
        return less or (LAUNCH in kinds and not kinds & _OF_RANGE and _NARROWER in sentence)

    def behind(self, sentence: str) -> Where | None:
        """Return this without launches of another size, if they go round a fault; or None.

        Weak edits are told where the sentence has no cause, or says what was not written, or
        reached outside of memory: that is a matter of a thread's indices.

        With fewer blocks, or threads, nothing else is there to be in its way, if it is a race;
        and all elements may be made as the last few are. Where something must be set each time
        round a loop, each thread has only one round in a larger launch.
        """
        if self.weak and not (_UNWRITTEN.search(sentence) or _OUTSIDE.search(sentence)):
            if "?" in sentence or _SEEN.search(sentence):
                return None
        resets = any(RESET in found for found in self.lines.values())
        if not (resets or _RACE.search(sentence) or _OF_VALUES.search(sentence)):
            return self
        left = {
            lines: kinds
            for lines, found in self.lines.items()
            if (kinds := tuple(kind for kind in found if kind not in _LESS_SHARED))
        }
        return replace(self, lines=left) if left else None

    def sentence(self, with_cause: bool = True, beside: str = "", outside: bool = False) -> str:
        """Say which lines they are, and with_cause: what the cause may be.

        beside: the sentence before it, with its case in brackets or without. Of a cause that it
        names, no other one is asked for. outside: it says that an access was outside of memory,
        so that only another index is asked for, and none where the index lacks a test.
        A division that must be rounded up leaves no doubt of the formula.
        """
        beside = beside.partition(" [")[0]
        kinds = {kind for found in self.lines.values() for kind in found}
        places, rounds_up = [], ROUND_UP in kinds
        for lines, found in self.lines.items():
            asked = [kind for kind in found if with_cause and not _is_named(beside, kind)]
            asked = [kind for kind in asked if not (rounds_up and kind.of_formula)]
            if outside:
                # Edits of several lines together may fit them to an array that is too small.
                of_index = _OF_PLACES if GUARD not in kinds and len(lines) == 1 else set()
                asked = [kind for kind in asked if kind in of_index and not kind.of_formula]
            words = _told(found[:MOST_KINDS], asked)
            place = f"line {lines[0]}"
            if len(lines) > 1:
                place = f"lines {', '.join(map(str, lines[:-1]))} and {lines[-1]} together"
            places.append(f"{place} ({words})")
        edits = ", or of ".join(places)
        return f"All {self.cases} cases tried come out right after an edit of {edits}"


def _is_named(sentence: str, kind: Kind) -> bool:
    """Test whether a sentence names another cause than the one that a kind of edit asks for."""
    if "?" in sentence:
        return False
    if _NAMED.search(sentence):
        return kind.of_formula or not kind.agrees(sentence)
    return kind.of_formula and bool(_SPECIAL.search(sentence))


def _told(found: tuple[Kind, ...], asked: Sequence[Kind]) -> str:
    """Name kinds of edits, and each cause of those that are asked once, behind their words."""
    of_cause: dict[str, list[str]] = {}
    for kind in found:
        words = of_cause.setdefault(kind.cause if kind in asked else "", [])
        words += [kind.words] * (kind.words not in words)
    named = [(" or ".join(words), cause) for cause, words in of_cause.items()]
    return " or ".join(f"{words}: {cause}" if cause else words for words, cause in named)


def where(launcher: Launcher, cases: Cases) -> Where | None:
    """Return the lines of which an edit makes an emulated launcher right, or None.

    cases: from a launcher to its cases, of which one goes wrong.
    """
    # The verdict stands without this sentence, whatever an edited kernel does to the search.
    with contextlib.suppress(Exception):
        if launcher.path is not None:
            return told(find(launcher, cases))
    return None


def told(repairs: Repairs) -> Where | None:
    """Say which lines were edited with success, or None.

    Nothing is said of none, of too many, and where there was too little time; where most were
    tried, one line is named. A weak edit may go round a fault elsewhere: beside another line's
    it is left out, and alone it is told if all were tried and those of one place succeed.
    """
    strong = {edit.lines for edit in repairs.edits if not edit.weak}
    if weak := not strong and repairs.complete and len({x.start for x in repairs.edits}) == 1:
        strong = {edit.lines for edit in repairs.edits}
    of_lines: dict[tuple[int, ...], list[Kind]] = {lines: [] for lines in sorted(strong)}
    for edit in sorted(repairs.edits, key=lambda edit: edit.kind == ONE):
        kind = edit.shown or edit.kind
        if edit.lines in strong and kind not in of_lines[edit.lines]:
            of_lines[edit.lines].append(kind)
    for found in of_lines.values():
        if RANGE in found and FRACTION in found:
            found.remove(FRACTION)  # which has the range, too
        if COMPARISON in found and TIES in found:
            found.remove(TIES)  # which has another comparison, too
        if END in found and len({kind.words for kind in found}) < len(found):
            found.remove(END)  # beside one that says which way
    most = MOST_LINES if repairs.complete else int(repairs.nearly)
    if not 1 <= len(strong) <= most:
        return None
    found = {lines: tuple(found) for lines, found in of_lines.items()}
    return Where(found, repairs.cases, weak)


__all__ = ["Repairs", "Where", "told", "where"]
