"""Find the loops of a kernel that nvcc unrolls although their length is known only at run time.

nvcc 13.0 unrolls by four a loop whose number of rounds it can compute before the first: one
counter, one bound, one constant step or one that is a variable, no other way out. What is left
of the rounds after division by four comes first, one by one, and then four at a time; where the
counter starts at a constant, what is left comes last. Where the step is a constant and the body
small, 16 rounds at a time go before 8 and 4. The lanes of a warp that have other numbers of
rounds therefore meet in other rounds than in the loop as it is written: what they load together
differs, and with it the sectors. (From the machine code of such loops for sm_90; sums and
softmax in data/trace_counters.csv.)

Types decide, too, which the C++ compiler knows: `emulator::counted` (emulator_trace.h).
"""

from __future__ import annotations

import functools
import re
from dataclasses import dataclass

from helpers.emulator.brackets import CLOSE, OPEN, closing, split

UNROLLED = 4  # rounds, unless a pragma says another number
_LARGE = 12  # instructions of a body: four of them and more are not unrolled again
_LOOP = re.compile(r"\b(for|while)\s*\(")
_PRAGMA = re.compile(r"#[ \t]*pragma[ \t]+(nounroll|unroll\b[ \t]*\(?[ \t]*(\w*))[^\n]*\s*$")
_LEAVES = re.compile(
    r"\b(?:break|return|goto|for|while|do|asm|switch)\b|"
    r"\b(?:__sync|__shfl|__ballot|__any|__all|__match|__reduce|__activemask)\w*|\bsync\s*\("
)
_TYPE = re.compile(r"\b[\w:>&*]+\s+$")  # what stands before a function's name
_BEFORE = 200  # characters
_OPENS = re.compile(r"[\w\s]*\{")  # what stands behind its parameters
_SLOW = re.compile(r"\b(?:sin|cos|tan|sincos|pow|tgamma|lgamma)[fl]?\s*\(")  # with loops inside
_CONDITION = re.compile(r"\s*(\w+)\s*(<=|>=|<|>|!=)\s*([^<>=!&|?;]+?)\s*$")
_STEP = re.compile(
    r"\s*(?:\+\+\s*(\w+)|(\w+)\s*\+\+|--\s*(\w+)|(\w+)\s*--|(\w+)\s*([+-])=(.+))$"
)
_STORE = re.compile(r"\]\s*(?:[-+*/%&|^]|<<|>>)?=(?!=)|\]\s*(?:\+\+|--)|\batomic\w+\s*\(")
_COSTS = ((r"__half2float|__float2half\w*", 1), (r"__\w+f\b", 4), (r"\b(?:exp|log)\w*f\b", 7))


@dataclass(frozen=True)
class CountedLoop:
    """A loop that may be unrolled: its counter, and where its condition stands in the text."""

    at: int  # where the condition begins
    counter: str
    compare: str  # < <= > >= !=
    bound: str
    step: str  # its absolute value, as it stands in the text
    start: str  # the counter's first value, "" if it is not known
    unroll: int
    again: bool  # small enough to be unrolled by 16 and 8

    @property
    def hook(self) -> str:
        """Return the C++ that stands before the condition (a macro of emulator_trace.h)."""
        constant = f"__builtin_constant_p({self.start})" if self.start else "false"
        downwards = "true" if self.compare.startswith(">") else "false"
        inclusive = "true" if self.compare in ("<=", ">=") else "false"
        again = f"{str(self.again).lower()} && __builtin_constant_p({self.step})"
        return (
            f"EMULATOR_COUNTED({self.at}, {self.unroll}, {again}, {constant}, {downwards}, "
            f"{inclusive}, {self.counter}, {self.bound}, {self.step}) "
        )


def counted_loops(code: str, begin: int, end: int) -> list[CountedLoop]:
    """Return the loops of one function that nvcc unrolls if their types allow it.

    code: a file's text without comments and strings; begin, end: the function's body in it.
    """
    found = []
    for head in _LOOP.finditer(code, begin, end):
        close = closing(code, head.end() - 1)
        unroll = _pragma(code[begin : head.start()])
        if close < 0 or close >= end or unroll == 1:
            continue
        body = _body(code, close + 1, end)
        if _LEAVES.search(body) or _SLOW.search(body) or _calls_a_loop(code, body):
            continue
        parts = _parts(code, head, close, begin, body)
        loop = parts and _counted(*parts, body, unroll)
        if loop:
            found.append(loop)
    return found


def loop_places(code: str) -> list[tuple[int, int, int]]:
    """Return where each for and while loop, its body and its end stand, outer ones first."""
    found = []
    for head in _LOOP.finditer(code):
        close = closing(code, head.end() - 1)
        if close > 0:
            body = _body(code, close + 1, len(code))
            start = code.index(body, close) if body else close
            found.append((head.start(), start, start + len(body)))
    return found


def stores(code: str) -> bool:
    """Say whether a piece of a kernel writes to an array, or by an atomic."""
    return bool(_STORE.search(code))


def _pragma(before: str) -> int:
    """Return how often a pragma before a loop says to unroll it: 0 if none says a number."""
    found = _PRAGMA.search(before)
    if not found:
        return 0
    if found[1] == "nounroll" or found[2] == "1":
        return 1
    return int(found[2]) if found[2].isdecimal() else UNROLLED


def _body(code: str, start: int, end: int) -> str:
    """Return the statement or block that begins at `start`."""
    rest = re.compile(r"\s*").match(code, start).end()
    if code[rest : rest + 1] == "{":
        return code[rest : closing(code, rest) + 1]
    return code[rest : code.find(";", rest, end) + 1]


def _calls_a_loop(code: str, body: str) -> bool:
    """Say whether a body calls a function of the file that loops, waits or asks its warp."""
    return any(_has_a_loop(code, name) for name in set(re.findall(r"\b(\w+)\s*\(", body)))


@functools.lru_cache(maxsize=1024)
def _has_a_loop(code: str, name: str) -> bool:
    """Say whether a function of that name stands in the file, and loops, waits or asks."""
    for called in re.finditer(rf"{name}\s*\(", code):
        start, close = called.start(), -1
        if _TYPE.search(code, max(0, start - _BEFORE), start):
            close = closing(code, called.end() - 1)
        declared = _OPENS.match(code, close + 1) if close > 0 else None
        if declared:
            inner = code[declared.end() : closing(code, declared.end() - 1)]
            if re.search(r"\b(?:for|while|do|asm|__sync\w*|__shfl\w*)\b", inner):
                return True
    return False


def _parts(
    code: str, head: re.Match, close: int, begin: int, body: str
) -> tuple[int, str, str, str] | None:
    """Return where a condition begins, the condition, the step, and what stands before it."""
    inside = code[head.end() : close]
    if head[1] == "for":
        pieces = inside.split(";")
        if len(pieces) != 3 or len(split(pieces[0])) > 1 or len(split(pieces[2])) > 1:
            return None
        before = pieces[0] if pieces[0].strip() else code[begin : head.start()]
        return head.end() + len(pieces[0]) + 1, pieces[1], pieces[2], before
    condition = _CONDITION.match(inside)
    if not condition:
        return None
    name = condition[1]
    changes = [
        statement
        for statement in re.split(r"[;{}]", body)
        if re.search(rf"\b{name}\s*(?:[-+*/%&|^]|<<|>>)?=(?!=)|\+\+|--", statement)
        and re.search(rf"\b{name}\b", statement)
    ]
    if len(changes) != 1 or not _STEP.match(changes[0].strip()):
        return None
    return head.end(), inside, changes[0].strip(), code[begin : head.start()]


def _counted(
    at: int, condition: str, step: str, before: str, body: str, unroll: int
) -> CountedLoop | None:
    compared, stepped = _CONDITION.match(condition), _STEP.match(step.strip())
    if not compared or not stepped:
        return None
    counter, compare, bound = compared.groups()
    if counter not in stepped.groups()[:5] or re.search(rf"\b{counter}\b", bound):
        return None
    downwards = bool(stepped[3] or stepped[4] or stepped[6] == "-")
    size = (stepped[7] or "1").strip()
    if downwards != compare.startswith(">") and compare != "!=":
        return None
    changed = re.search(rf"(?<![\w.]){counter}\s*(?:[-+*/]?=(?!=)|\+\+|--)", body)
    if changed and step.strip() not in body:
        return None
    reads = re.search(r"[\[\]]|->|\(\s*\)|(?<![\w\])])\s*\*", f"{bound} {size}")
    if reads and _STORE.search(body):
        return None
    starts = [one.end() for one in re.finditer(rf"\b{counter}\s*=(?!=)", before)]
    start = _value(before[starts[-1] :]) if starts else ""
    return CountedLoop(
        at, counter, compare, bound, size, start,
        unroll or UNROLLED, not unroll and _is_small(body),
    )  # fmt: skip


def _value(text: str) -> str:
    """Return the value that a text begins with: "max(0, t)" of "max(0, t), j = 0; ...".

    "" where it has a `<`, which may be a comparison or a template's bracket.
    """
    depth = 0
    for position, char in enumerate(text):
        depth += (char in OPEN) - (char in CLOSE)
        if depth < 0 or (depth == 0 and char in ",;"):
            text = text[:position]
            break
    return "" if "<" in text else " ".join(text.split())


def _is_small(body: str) -> bool:
    """Say whether a body has few instructions, as far as its text says."""
    if re.search(r"\batomic\w+\s*\(|/(?!=)|%|\belse\b", body):
        return False
    cost = len(re.findall(r"\[|[-+*&|^]=?|<<|>>|=(?!=)", body))
    for pattern, instructions in _COSTS:
        cost += instructions * len(re.findall(pattern, body))
    conditional_store = re.search(r"\bif\b", body) and _STORE.search(body)
    return cost <= _LARGE and not conditional_store
