"""Say of which other type a variable of a kernel might have been meant to be."""

from __future__ import annotations

import re
from collections.abc import Iterator

from helpers.testing.repair.kinds import DIGITS, FRACTION, NARROW, RANGE
from helpers.testing.repair.nodes import INTEGER_WORDS, Node, Variant

MOST = 16  # bodies of one function: each is compiled
_HALVES = r"__half|half|__nv_bfloat16|nv_bfloat16"
_TYPE = re.compile(
    rf"(?:(?:const|static|volatile|register|__shared__)\s+)*"
    rf"({_HALVES}|float|(?:{INTEGER_WORDS}\s+)*{INTEGER_WORDS})\b(?!\s*\*)"
)
_NARROW = re.compile(r"char|short|int(8|16)_t")


def other_types(function: Node, body: Node) -> Iterator[tuple[Node, int, int, Variant]]:
    """Yield the declarations of a body, where the type stands in the text, and another one."""
    count = 0
    fraction = "double" if re.search(r"\bdouble\b", function.text) else "float"
    for node in body.walk():
        match = _TYPE.match(node.text) if node.kind == "DECL_STMT" else None
        if not match:
            continue
        start, end = (node.start + at for at in match.span(1))
        names = [one.name for one in node.children if one.kind == "VAR_DECL"]
        for variant in _others(match[1], _is_index(names, function), fraction):
            count += 1
            if count > MOST:
                return
            yield node, start, end, variant


def _others(old: str, is_index: bool, fraction: str) -> Iterator[Variant]:
    if re.fullmatch(_HALVES, old):
        yield Variant(DIGITS, "float")
    elif old == "float":
        yield Variant(DIGITS, "double", weak=True)
    elif _NARROW.search(old):
        yield Variant(NARROW if is_index else RANGE, "int")
        if not is_index:
            yield Variant(FRACTION, fraction)
    else:
        if not is_index:
            yield Variant(FRACTION, fraction)
        yield Variant(RANGE, "int" if re.search(r"unsigned|uint|size_t", old) else "unsigned")
        if not re.search("long|64|size_t", old):
            yield Variant(NARROW if is_index else RANGE, "long long")


def _is_index(names: list[str], function: Node) -> bool:
    """Test whether a variable chooses an element of an array."""
    return any(re.search(rf"\[[^\]\[]*\b{name}\b", function.text) for name in names)
