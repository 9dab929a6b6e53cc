"""Rewrite writes to elements of __constant__ variables, so that they end the thread.

nvcc only warns of `c[0] = 1` in a kernel ("cannot store to pointer that points to constant
memory space") and puts a trap in its place. `c[0] = 1` becomes
`::emulator::in_constant_memory(c)[0] = 1` (include/emulator_device.h).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path

from helpers.emulator import syntax_tree
from helpers.emulator.conversions import device_functions
from helpers.emulator.syntax_tree import Node, tree

_OPERATOR = re.compile(r"\s*(?:=(?!=)|(?:[-+*/%&|^]|<<|>>)=)")
_COUNTS = re.compile(r"\+\+|--")
_ASSIGNS = re.compile(r"operator(?:[-+*/%&|^]|<<|>>)?=")  # of a struct
_ATOMIC = re.compile(r"\batomic\w+\s*\(")
_PASSED = ("UNEXPOSED_EXPR", "PAREN_EXPR", "ARRAY_SUBSCRIPT_EXPR", "MEMBER_REF_EXPR")


def _written(node: Node, code: bytes) -> Node | None:
    """Return what a node writes to; None if it writes to nothing."""
    text = code[node.begin : node.end].decode("latin-1")
    if node.kind in ("BINARY_OPERATOR", "COMPOUND_ASSIGNMENT_OPERATOR"):
        left = node.children[0]
        return left if _OPERATOR.match(text, left.end - node.begin) else None
    if node.kind == "UNARY_OPERATOR":
        counts = _COUNTS.match(text) or text.endswith(("++", "--"))
        return node.children[0] if counts else None
    if node.kind == "CALL_EXPR" and _ASSIGNS.fullmatch(node.cursor.spelling):
        return node.children[0]
    if node.kind == "CALL_EXPR" and _ATOMIC.match(text) and len(node.children) > 1:
        address = node.children[1]
        while address.kind in ("UNEXPOSED_EXPR", "PAREN_EXPR") and address.children:
            address = address.children[0]
        is_address = code[address.begin : address.begin + 1] == b"&"
        return address.children[0] if is_address else address
    return None


def _constant(node: Node) -> Node | None:
    """Return the name of the __constant__ variable of which a node is a part; else None."""
    while node.kind in _PASSED and node.children:
        inner = node.children[0]
        kind = inner.cursor.type.get_canonical().kind.name
        if node.kind != "UNEXPOSED_EXPR" and kind == "POINTER" and not _is_array(inner):
            return None
        node = inner
    if node.kind != "DECL_REF_EXPR" or node.cursor.referenced is None:
        return None
    if not syntax_tree.has_attribute(node.cursor.referenced, "CUDACONSTANT_ATTR"):
        return None
    return node


def _is_array(node: Node) -> bool:
    """Say whether a pointer is what an array has become by its name."""
    while node.kind in ("UNEXPOSED_EXPR", "PAREN_EXPR") and node.children:
        node = node.children[0]
    return node.cursor.type.get_canonical().kind.name == "CONSTANTARRAY"


def _edits(function: Node, code: bytes) -> Iterator[tuple[int, int, str]]:
    for node in function.all():
        if not node.children or node.begin >= node.end:
            continue
        target = _written(node, code)
        name = _constant(target) if target else None
        if name and code[name.begin : name.end] == name.cursor.spelling.encode():
            yield name.begin, name.begin, "::emulator::in_constant_memory("
            yield name.end, name.end, ")"


def rewrite(unit, sources: Mapping[Path, str]) -> dict[Path, str] | None:
    """Return the texts with such writes rewritten; None if there are none.

    unit: libclang's tree of these texts, parsed as device code.
    """
    if not any("__constant__" in text for text in sources.values()):
        return None
    texts = {str(path): text.encode() for path, text in sources.items()}
    found: dict[str, set[tuple[int, int, str]]] = {}
    for cursor in device_functions(unit.cursor, set(texts)):
        name = cursor.location.file.name
        found.setdefault(name, set()).update(_edits(tree(cursor), texts[name]))
    return syntax_tree.edited(sources, found) if any(found.values()) else None
