"""Say which way an edit moves an end, or a step: whether a loop takes more, or fewer."""

from __future__ import annotations

import re

from helpers.testing.repair.kinds import (
    EARLIER,
    END,
    FARTHER,
    LATER,
    LONGER,
    NEARER,
    SHORTER,
    STRIDE,
    Kind,
)
from helpers.testing.repair.nodes import RELATIONS, Node

_LESSENS = {"/", "-", ">>"}  # with a larger number behind it the result is smaller
_STRICT = {"<=": "<", ">=": ">"}


def which_end(node: Node, new: str) -> Kind:
    """Return the kind of an edit of a loop's head or a condition, by what it takes then."""
    if node.operator in RELATIONS:
        more = _of_relation(node, new)
        return END if more is None else FARTHER if more else NEARER
    if (grows := _grows(node.text, new)) is None:
        return END
    if before := re.search(r"(/|-|>>|%|&|\^)\s*$", node.line_before):
        if before[1] not in _LESSENS:
            return END
        grows = not grows  # of a divisor, the quotient
    if _begins_downward(node):
        return FARTHER if grows else NEARER
    before, after = _clause(node)
    if before is None:
        return END
    if "=" in re.sub("[<>=!]=", "", before):  # where a loop begins
        if not grows:
            return EARLIER
        return LATER if node.text == "0" or "*" in new else END  # a window may begin below 0
    if not before.strip(" (") and (left := re.fullmatch(r"\s*([<>])=?\s*\w+\s*", after)):
        return FARTHER if grows is (left[1] == ">") else NEARER  # w + 1 < n
    sign = re.findall("[<>]", before)[-1:]
    if not sign or after.strip(" )"):
        return END
    return FARTHER if grows is (sign[0] == "<") else NEARER


def which_step(node: Node, new: str) -> Kind:
    """Return the kind of an edit of what a loop adds each time round, by what it takes then."""
    grows = _grows(node.text, new) if re.search(r"\+=\s*$", node.line_before) else None
    return STRIDE if grows is None else LONGER if grows else SHORTER


def _of_relation(node: Node, new: str) -> bool | None:
    """Test whether another comparison is true of more."""
    other = new[len(node.children[0].text) + 2 :].split()[:1]
    if other == [_STRICT.get(node.operator)]:
        return False
    return True if other and _STRICT.get(other[0]) == node.operator else None


def _grows(old: str, new: str) -> bool | None:
    """Test whether a number becomes a larger one; None if that is not known."""
    if step := re.fullmatch(r"\((.*)\) ([+-]) 1", new):
        return step[2] == "+" if step[1] == old else None
    if re.fullmatch(rf"\({re.escape(old)}\) \* \d+", new):
        return True
    numbers = [re.fullmatch(r"(-?\d+)[uUlL]*", text) for text in (old, new)]
    return int(numbers[1][1]) > int(numbers[0][1]) if all(numbers) else None


def _begins_downward(node: Node) -> bool:
    """Test whether a loop begins with a number and ends below it, as distances of a tree do."""
    rest = node.code[node.end :].partition("\n")[0]
    begins = re.search(r"\bfor\s*\([^;=]*=\s*$", node.line_before)
    return bool(begins and re.match(r";[^;<]*>[^;<]*;", rest))


def _clause(node: Node) -> tuple[str | None, str]:
    """Return what stands before a node and behind it, in its part of a loop's head.

    None where that is no upward loop's, or a step.
    """
    head = re.search(r"\b(for|while|if)\s*\(([^;{}]*;)?([^;{}]*;)?[^;{}]*$", node.line_before)
    rest = node.code[node.end :].partition("\n")[0]
    if not head or head[3]:
        return None, ""
    begins = head[1] == "for" and not head[2]
    inside = node.line_before[head.start() :].rpartition(";" if head[2] else "(")[2]
    if begins:
        inside = node.line_before[head.start() :].partition("(")[2]
        if not re.search(r";[^;]*<[^;]*;", rest):
            return None, ""
    return inside, re.split(r";|&&|\|\||\)\s*[{\w]|\)$", rest)[0]
