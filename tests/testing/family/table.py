"""Hold what a member of the family is, and the words with which a sentence claims a cause."""

# ruff: noqa: E501 (a cause stands in one line)
from __future__ import annotations

from dataclasses import dataclass, field

# A sentence claims a cause if it holds one of these words (regular expressions).
CAUSES = {
    "bounds": r"tested against|test its index|outside of|past (the|their) end|but \w+ has|of the \d+ that the launch gave|of memory that has \d",
    "tail": r"\btail|rounded up|last \S* ?elements? (was|were|is|are) (never|wrong)|last element (was|is)",
    "alignment": r"align|round address|slice",
    "narrow": r"too narrow|32 bits|16 bits|int64_t|2\^24",
    "grid": r"number of blocks|65,535|too few blocks|grid (is|may be|of)",
    "block size": r"place of blockDim|block size|with block_size",
    "unwritten": r"never written|nothing (was|is) written|no thread of the block has written",
    "neighbour": r"index i [+-]",
    "swapped": r"swapped|operands",
    "copy": r"copy of input|constant",
    "nan": r"only NaN|NaN came out|\bNaN (that|is lost|must|goes)",
    "infinity": r"(?<!or with )(?<!or with -)infinit|overflow|clamped to",
    "sign of zero": r"sign of zero",
    "subnormal": r"subnormal|flushed",
    "rounding": r"rounded twice|to the nearest|\btie|truncat|toward",
    "precision": r"precision|right to only|approximat|exact integer|through a float",
    "whole range": r"saturat|range|narrow(er)? integer|bits of|wrap",
    "start": r"start(s|ed|ing)? (value|from|with)|starts at|initial|identity",
    "race": r"race\b|its mask|barrier|without an atomic|order of the threads|threads run in order",
    "state": r"first call|later one|call to call|earlier call|another call",
    "zero before": r"zero before|adds? to what|set it first",
    "stream": r"\bstream",
    "input": r"input \w+ (was|is) (overwritten|written)|write to (the )?input|inputs? (is|are) read-only|read-only",
    "left out": r"left out|missing (?!__sync|write)|not (count )?every|does not count|ignored|has no effect|never reach",
    "other element": r"counted for another|another element",
    "twice": r"(?<!rounded )twice|doubled|more than once",
    "numbers": r"other numbers|other values|depends on the values|only for",
    "sides": r"\bsquare\b|rows and columns|sides|shape",
    "function": r"another function|different function|formula|factor",
    "timeout": r"seconds|still running|never ends|endless",
    "refused": r"refused|may have|at most",
}


@dataclass(frozen=True)
class Base:
    """A right kernel and the options with which it is checked.

    cases: the name of a function of `kernel_cases`, as that may not exist yet.
    """

    text: str
    options: dict = field(default_factory=dict)
    cases: str = ""
    function: object = None  # what `whole_array` and its like take


class Edited:
    """A base with replacements, each of which must fit exactly once."""

    def __init__(self, name: str, base: str, *edits: tuple[str, str]):
        self.name, self.base, self.edits = name, base, edits

    def text(self, base: Base) -> str:
        """Return the whole .cu file; ValueError if a replacement does not fit."""
        text = base.text
        for old, new in self.edits:
            if text.count(old) != 1:
                raise ValueError(
                    f"{self.name}: {old!r} is {text.count(old)} times in {self.base}"
                )
            text = text.replace(old, new)
        return text


class Right(Edited):
    """A right kernel of an unusual form."""


class Wrong(Edited):
    """A wrong kernel: `cause` is what its sentence must name.

    Further causes, after a "|", may be named as well; several before it: any of them will do.
    "tail/bounds | race" must name the tail or the bounds, may name a race, and no other cause.
    """

    def __init__(self, name: str, base: str, causes: str, *edits: tuple[str, str]):
        super().__init__(name, base, *edits)
        required, _, allowed = causes.partition("|")
        self.required = tuple(part.strip() for part in required.split("/"))
        self.allowed = tuple(part.strip() for part in allowed.split("/") if part.strip())
        for cause in (*self.required, *self.allowed):
            if cause not in CAUSES:
                raise ValueError(f"{name}: no cause {cause!r}")
