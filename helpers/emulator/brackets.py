"""Find the brackets of C++ code, and what stands before or between them.

`code` is always a text whose comments and strings are blanked, so that each bracket counts.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

OPEN, CLOSE = "([{", ")]}"
_BRACKET = re.compile(r"[()\[\]{}]")


def closing(code: str, start: int) -> int:
    """Return the position of the bracket that closes the one at `start`, or -1."""
    depth = 0
    for found in _BRACKET.finditer(code, start):
        if found[0] in OPEN:
            depth += 1
        else:
            depth -= 1
            if depth == 0:
                return found.start()
    return -1


def opening(code: str, end: int, pair: str) -> int:
    """Return the position of the bracket that the one at `end` closes, or -1.

    pair: "()", "[]" or "<>"; between "<" and ">" other brackets are skipped.
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


BLANK = " \t\r\n\f\v\\"  # with the end of a line in a macro
_OF_NAME = re.compile(r"[\w\s#]")
_NAME = re.compile(r"\w+(?:\s*##\s*\w+)*$")


def callee(code: str, end: int) -> int:
    """Return where the callee that ends before `end` begins, or -1.

    A callee is a name, a::name<T>, object.name, names[i], (name<T, U>) or, in a macro,
    name##_part.
    """
    position = len(code[:end].rstrip(BLANK)) - 1
    if position < 0:
        return -1
    if code[position] == ")":
        return opening(code, position, "()")
    while position > 0 and code[position] == "]":
        position = len(code[: max(0, opening(code, position, "[]"))].rstrip(BLANK)) - 1
    begin = -1
    while True:
        if position >= 0 and code[position] == ">":
            position = opening(code, position, "<>") - 1
            if position < 0:
                return -1
            position = len(code[: position + 1].rstrip(BLANK)) - 1
        first = position + 1  # a search from the text's beginning would take long
        while first and _OF_NAME.match(code, first - 1):
            first -= 1
        name = _NAME.search(code[first : position + 1])
        if not name:
            return begin
        begin = first + name.start()
        if before := re.search(r"(?:::|\.|->)\s*(?:template\s+)?$", code[:begin]):
            begin = before.start()
            position = len(code[:begin].rstrip(BLANK)) - 1
            if position < 0 or not (
                code[position] == ">" or code[position].isalnum() or code[position] == "_"
            ):
                return begin
            continue
        return begin


def split(text: str, brackets: tuple[str, str] = (OPEN + "<", CLOSE + ">")) -> list[str]:
    """Return the parts between top-level commas. By default, angle brackets are brackets."""
    parts, depth, start = [], 0, 0
    for position, char in enumerate(text):
        if char in brackets[0]:
            depth += 1
        elif char in brackets[1]:
            depth -= 1
        elif char == "," and depth == 0:
            parts.append(text[start:position])
            start = position + 1
    return [*parts, text[start:]]


class Head(NamedTuple):
    """The head of a function that C can call: what it returns, its name, where it stands."""

    returns: str
    name: str
    start: int
    end: int  # behind the bracket that opens its parameters


# Attributes change nothing for who calls a function: [[...]] and __attribute__((...)).
_ATTRIBUTES = r"(?:(?:\[\[[^\]]*\]\]|__attribute__\s*\(\((?:[^()]|\([^()]*\))*\)\))\s*)*"
_HEAD = rf"{_ATTRIBUTES}(?P<returns>(?:\w+(?:::\w+)*[\s*&]+{_ATTRIBUTES})+)(?P<name>\w+)\s*\("
_BODY = re.compile(
    rf"\s*{_ATTRIBUTES}(?:noexcept\b\s*)?(?:->\s*(?P<type>\w+(?:::\w+)*(?:\s*[*&])*))?\s*\{{"
)
_LINKAGE = re.compile(r'\bextern\s*"C"\s*')
_NOT_EXPORTED = re.compile(r"\b(?:__global__|__device__|static|inline|template|else|return)\b")


def launcher_heads(code: str) -> Iterator[Head]:
    """Find the functions of `extern "C" void f(` and of `extern "C" { ... }`, in order.

    code: comments and strings are blanked, the "C" is not. Kernels are not among them.
    """
    for linkage in _LINKAGE.finditer(code):
        if code[linkage.end() : linkage.end() + 1] != "{":
            found = [re.compile(_HEAD).match(code, linkage.end())]
        else:
            found = _defined_inside(code, linkage.end())
        for match in filter(None, found):
            if not _NOT_EXPORTED.search(match["returns"]):
                start = match.start() if code[linkage.end()] == "{" else linkage.start()
                yield Head(_returned(code, match), match["name"], start, match.end())


def _returned(code: str, head: re.Match) -> str:
    """Return the type that a function gives back, also where it stands behind an arrow."""
    returns = re.sub(_ATTRIBUTES, "", head["returns"]).strip()
    if returns == "auto" and (close := closing(code, head.end() - 1)) > 0:
        body = _BODY.match(code, close + 1)
        return (body["type"] if body else None) or returns
    return returns


def function_body(code: str, close: int) -> int:
    """Return where the brace opens that follows a function's parameters, or -1.

    close: the bracket that ends the parameters.
    """
    found = _BODY.match(code, close + 1)
    return found.end() - 1 if found else -1


def _defined_inside(code: str, brace: int) -> list[re.Match]:
    """Find the heads of functions that have a body and stand directly inside of a brace."""
    found, position = [], brace + 1
    end = closing(code, brace)
    head = re.compile(r"[^(){};]*?(?<![\w:])" + _HEAD)
    while 0 <= position < end:
        match = head.match(code, position)
        close = closing(code, match.end() - 1) if match else -1
        if close > 0 and (body := function_body(code, close)) > 0:
            found.append(re.compile(_HEAD).match(code, match.start("returns")))
            position = closing(code, body) + 1
            continue
        following = re.compile(r"[;{]").search(code, max(position, close))
        if not following:
            break
        at = following.start()
        position = (closing(code, at) if code[at] == "{" else at) + 1
    return found
