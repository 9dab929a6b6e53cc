"""Find the brackets of C++ code, and what stands before or between them.

`code` is always a text whose comments and strings are blanked, so that each bracket counts.
"""

from __future__ import annotations

import re

OPEN, CLOSE = "([{", ")]}"


def closing(code: str, start: int) -> int:
    """Return the position of the bracket that closes the one at `start`, or -1."""
    depth = 0
    for position in range(start, len(code)):
        if code[position] in OPEN:
            depth += 1
        elif code[position] in CLOSE:
            depth -= 1
            if depth == 0:
                return position
    return -1


def _opening(code: str, end: int, pair: str) -> int:
    """Return the position of the bracket that the one at `end` closes, or -1.

    pair: "()" or "<>"; between "<" and ">" other brackets are skipped.
    """
    depth, inner = 0, 0
    for position in range(end, -1, -1):
        char = code[position]
        if pair == "<>" and char in ")]":
            inner += 1
        elif pair == "<>" and char in "([":
            inner -= 1
        elif inner == 0 and char == pair[1] and not (char == ">" and code[position - 1] == "-"):
            depth += 1
        elif inner == 0 and char == pair[0]:
            depth -= 1
            if depth == 0:
                return position
        elif inner == 0 and pair == "<>" and char in ";{}":
            return -1
    return -1


def callee(code: str, end: int) -> int:
    """Return where the callee that ends before `end` begins, or -1.

    A callee is a name, a::name<T>, object.name or (name<T, U>).
    """
    position = len(code[:end].rstrip()) - 1
    if position < 0:
        return -1
    if code[position] == ")":
        return _opening(code, position, "()")
    begin = -1
    while True:
        if position >= 0 and code[position] == ">":
            position = _opening(code, position, "<>") - 1
            if position < 0:
                return -1
            position = len(code[: position + 1].rstrip()) - 1
        name = re.search(r"\w+$", code[: position + 1])
        if not name:
            return begin
        begin = name.start()
        if before := re.search(r"(?:::|\.|->)\s*(?:template\s+)?$", code[:begin]):
            begin = before.start()
            position = len(code[:begin].rstrip()) - 1
            if position < 0 or not (
                code[position] == ">" or code[position].isalnum() or code[position] == "_"
            ):
                return begin
            continue
        return begin


def split(text: str) -> list[str]:
    """Return the parts between top-level commas; angle brackets count as brackets."""
    parts, depth, start = [], 0, 0
    for position, char in enumerate(text):
        if char in "([{<":
            depth += 1
        elif char in ")]}>":
            depth -= 1
        elif char == "," and depth == 0:
            parts.append(text[start:position])
            start = position + 1
    return [*parts, text[start:]]
