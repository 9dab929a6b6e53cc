"""Name the kinds of edits, in the words in which a learner reads of them.

Each says what the line may be in want of, "another end", and what the cause then is: "are some
elements left out?". What an edit means depends on its place: a number in an index chooses
another element, one in a loop's condition another end (`in_place`).
"""

from __future__ import annotations

import re
from dataclasses import dataclass


@dataclass(frozen=True)
class Kind:
    """A kind of edit.

    words: what stands behind a line where the cause is asked for already. cause: what is added
    where it is not. alike: a regular expression that fits sentences which ask for that cause.
    """

    words: str
    cause: str
    alike: str

    def agrees(self, sentence: str) -> bool:
        """Test whether a sentence asks for the cause that this edit shows."""
        return bool(re.search(self.alike, sentence, re.IGNORECASE))

    @property
    def of_formula(self) -> bool:
        """Whether its cause is another formula, or function, than the right one."""
        return bool(re.search("formula|function", self.cause))


# Of numbers that are large, as those from which no maximum was taken.
_OVERFLOW = r"NaN came out of .*(\d{3}|e\+)\S* on: does something overflow"
_NUMBER = r"formula|function|factor|sign\b|limit|comparison|clamped"
_NUMBER += f"|{_OVERFLOW}"
_FORMULA = f"{_NUMBER}|swapped"
_ELEMENT = r"index|row|column|another element|counted for|places?\b|offset|swapped|turned|next"
_ELEMENT += r"|shift|stride|sides"
_ENDS = r"left out|tail|last|first(?! element count)|\bends?\b|every|beyond|behind"
_ENDS += "|count(?!ed for| the rows)"
_ENDS += "|rounded up|blocks|grid"
_DIGITS = r"precision|digits|bits|narrow|wrap|range|overflow|infinit|integer|rounded|truncat"
_DIGITS += r"|sign"
_START = r"start|begin|identity|set it first|comes? out(?! (wrong|right))"
_TWICE = r"twice|doubled|more than once"
_OF_FORMULA = "is the formula another one there?"
_OF_ELEMENTS = "are some elements left out, or too many taken?"

COMPARISON = Kind("another comparison", _OF_FORMULA, f"{_NUMBER}|IEEE")
CONDITION = Kind("another condition, or none", "", f"{_NUMBER}|IEEE|{_ENDS}")
OPERATOR = Kind("another operator", _OF_FORMULA, _FORMULA)
ADDS = Kind(
    "= for +=", "does it add to what it finds? Set it first", "adds? to|zero before|before"
)
SUMS = Kind("+= for =", "are all but the last left out?", f"{_FORMULA}|{_ENDS}")
ORDER = Kind("another order", "are its operands swapped?", "swapped|order|turned|formula")
LINES = Kind("after the one behind it", "is the formula in another order?", _FORMULA)
TERM = Kind("without a part of it", _OF_FORMULA, f"{_FORMULA}|{_TWICE}")
PART = Kind(
    "with one part more",
    "is a part of the formula missing?",
    f"formula|left out|no difference|effect|{_OVERFLOW}",
)
BRACKETS = Kind("other brackets", _OF_FORMULA, _FORMULA)
TIES = Kind("of equal ones the first", "is one counted for another?", "equal|first|tie|place")
OTHER_TIE = Kind("of equal ones the other", TIES.cause, TIES.alike)
ONE = Kind("one more or one less", "", f"{_FORMULA}|{_ENDS}|index|{_START}|direction")
FACTOR = Kind("times another number", _OF_FORMULA, _NUMBER)
ANEW = Kind("computed anew there", _OF_FORMULA, _NUMBER)
CONSTANT = Kind("another number", _OF_FORMULA, f"{_NUMBER}|start value|starts? with")
VARIABLE = Kind("another variable", _OF_FORMULA, f"{_FORMULA}|place of another|{_TWICE}")
SIDE = Kind(
    "another size",
    "is one of the sides, or sizes, taken for another?",
    f"{_FORMULA}|{_ELEMENT}|place of another|{_TWICE}",
)
INDEX = Kind("another index or size of threads or blocks", "", f"{_ELEMENT}|{_ENDS}")
MEMBER = Kind(
    "another member", "another element of a pack?", "counted for|swapped|place of|index i"
)
LIMITS = Kind(
    "another limit", "do results leave the range of the output's type?", f"{_DIGITS}|limit"
)
FUNCTION = Kind(
    "a function in its place", "is another function needed?", f"{_NUMBER}|IEEE|fmaxf in the"
)
SHUFFLE = Kind(
    "another shuffle",
    "are some lanes left out?",
    f"{_ENDS}|{_TWICE}|{_NUMBER}|effect|lane|warp|shuffle|divided|another element|counted for",
)
ROUNDING = Kind(
    "rounded otherwise", "to the nearest, or truncated?", "round|truncat|tie|nearest"
)
FRACTION = Kind("a type with fractions", "are they truncated?", _DIGITS)
DIGITS = Kind("a type of more digits", "is the precision of this one too low?", _DIGITS)
RANGE = Kind("another type", "does its range not suffice?", _DIGITS)
NARROW = Kind("a wider type", "is this one too narrow for an index?", _DIGITS)
ROUND_UP = Kind("another division", "must it be rounded up?", _ENDS)
DIVISION = Kind(
    "a division of floats", "one of integers is truncated", f"{_DIGITS}|factor|half|effect"
)
BARRIER = Kind("a barrier", "", r"race\b|barrier|order of the threads|threads run")
UNMET = Kind("without it", "does it matter which thread is first, a race?", BARRIER.alike)
ATOMIC = Kind("an atomic operation", "is there a race?", r"race\b|atomic|adds? to|set it first")
GUARD = Kind("a test of its index", "must it be tested against the size?", "index|tested|past")
LOOP = Kind("a loop over more than one index", "are elements left out?", _ENDS)
STEP = Kind("one step more", "is it left out?", f"{_ENDS}|step|lane|warp")
NEEDLESS = Kind("without it", "is it done twice?", f"{_TWICE}|formula|left out")
LANES = Kind(
    "only in some lanes",
    "is something counted twice in the others?",
    f"{_TWICE}|{_ELEMENT}|{_FORMULA}|{_START}",
)
NO_TEST = Kind("without it", "does it change what is right?", f"{_NUMBER}|IEEE")
ONCE = Kind("done by one thread", "is it done more than once?", f"{_TWICE}|race")
ZERO = Kind("with a test for 0", "is it wrong only for 0?", "divid|NaN|infinit|IEEE")
RESET = Kind(
    "set each time round", "does it start with what is left?", f"{_START}|earlier|state"
)
NAN = Kind("a comparison with NaN", "is it that a NaN is lost?", "NaN")
START = Kind("another number to start with", "", _START)
NOTHING = Kind("another number for what is not there", "is it a start value that wins?", _START)
ELEMENT = Kind("another index", "another element?", _ELEMENT)
PITCH = Kind("an index of other sides or sizes", SIDE.cause, _ELEMENT)
END = Kind("another end", _OF_ELEMENTS, f"{_ENDS}|outside|tests? its index|tested")
FARTHER = Kind("another end", "are some elements left out?", END.alike)
NEARER = Kind("another end", "does it go too far?", END.alike)
EARLIER = Kind("another start", "are some elements left out?", END.alike)
LATER = Kind("a later start", "are some taken twice?", f"{END.alike}|{_TWICE}")
STRIDE = Kind("another step", "are some left out, or taken twice?", LATER.alike)
LONGER = Kind("a longer step", "are some taken twice?", STRIDE.alike)
SHORTER = Kind("a shorter step", "are some left out?", STRIDE.alike)
SIZES = Kind(
    "its two sizes the other way round", "are two sizes swapped?", f"{_ELEMENT}|{_ENDS}"
)
LAUNCH = Kind(
    "another size", "are there too few blocks, or bytes?", f"{_ENDS}|threads|block|bytes"
)

VALUE, CHOICE, LIMIT, FIRST, SIZE = "value", "index", "end", "start", "launch"
STEPS = "step"  # of a loop
PATH = "path"  # which kernel is launched: another one goes round the fault of this one
SHARE = (
    "share"  # of the work, as a number of packs: with none, others do it and go round a fault
)
_MEANT = {
    CHOICE: (
        ELEMENT,
        {ORDER, TERM, PART, FACTOR, CONSTANT, VARIABLE, INDEX, OPERATOR, ONE},
    ),
    LIMIT: (END, {COMPARISON, TERM, FACTOR, CONSTANT, VARIABLE, SIDE, INDEX, OPERATOR, ONE}),
    SIZE: (
        LAUNCH,
        {TERM, FACTOR, CONSTANT, VARIABLE, SIDE, INDEX, OPERATOR, ONE, ORDER, CONDITION},
    ),
    STEPS: (STRIDE, {FACTOR, CONSTANT, VARIABLE, SIDE, ONE}),
    FIRST: (START, {FACTOR, CONSTANT, NOTHING, VARIABLE, SIDE, OPERATOR, ONE}),
}


def in_place(kind: Kind, place: str) -> Kind:
    """Return what a kind of edit means in an index, a condition, a start value or a launch."""
    if place == CHOICE and kind == SIDE:
        return PITCH
    meant, of = _MEANT.get(place, (kind, {kind}))
    return meant if kind in of else kind
