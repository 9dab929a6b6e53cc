"""Say what an expression of a kernel is for: an index, an end, a start value, a launch."""

from __future__ import annotations

import re

from helpers.testing.repair.kinds import (
    CHOICE,
    FIRST,
    LIMIT,
    PATH,
    SHARE,
    SIZE,
    STEPS,
    VALUE,
)
from helpers.testing.repair.nodes import Node, is_device

_LITERAL = re.compile(r"[-+\s(]*(\d[\w.+-]*|\.\d\w*|[A-Z][A-Z0-9_]*)[\s)]*")
# As of a key, or of an array.
_MADE_OF_LITERALS = re.compile(rf"(\w+\s*\(|\{{)({_LITERAL.pattern}\}}?(,|$))+")

_MEMSET = re.compile(r"(std::|cuda)?[mM]emset(Async)?\s*\(")
_ENDS_AT = re.compile(r"(?<![-<>])[<>](?![<>])")
_BITS = re.compile(r"\b0x[\da-f']{4,}|__(float|half|double)\w*_as_", re.IGNORECASE)


def role_of(function: Node) -> str:
    """Return what the expressions of a function are for, where nothing more is known."""
    return VALUE if is_device(function) else SIZE


def role_in(parent: Node, child: Node, k: int, now: str, function: Node) -> str:
    """Return what a part of an expression or statement is for; now: what the whole is for."""
    if now in (SIZE, PATH):
        of_launch = parent.kind == "CALL_EXPR" and "<<<" in parent.text
        if of_launch and "<<<" not in parent.text[:3] + child.text:
            is_way = child.type == "bool" and child.kind == "BINARY_OPERATOR"
            is_way |= child.kind == "CONDITIONAL_OPERATOR" and _is_share(child)
            return SHARE if is_way else VALUE  # an argument of the kernel
        if parent.kind == "CALL_EXPR" and k == 2 and _MEMSET.match(parent.text):
            return FIRST  # what is written into each byte
        chooses = child.type == "bool" or (parent.kind == "IF_STMT" and k == 0)
        chooses |= "uintptr_t" in child.text and not child.text.startswith("{")
        return PATH if now == PATH or (chooses and child.is_expression) else SIZE
    if parent.kind == "ARRAY_SUBSCRIPT_EXPR" or parent.type.endswith("*"):
        return CHOICE if k == 1 or child.is_integer else now
    if parent.kind in ("FOR_STMT", "WHILE_STMT"):
        if child is parent.children[-1]:
            return VALUE
        adds = child.kind == "COMPOUND_ASSIGNMENT_OPERATOR" and k == len(parent.children) - 2
        return STEPS if adds else LIMIT
    if parent.kind == "IF_STMT" or parent.kind == "CONDITIONAL_OPERATOR":
        if k == 0:
            return _of_condition(child, parent, function)
        return VALUE if parent.kind == "IF_STMT" else now
    stored = k == 1 and parent.kind == "BINARY_OPERATOR" and parent.operator == "="
    if (stored or parent.kind == "VAR_DECL") and now != LIMIT:
        if _LITERAL.fullmatch(child.text) or _MADE_OF_LITERALS.fullmatch(child.text):
            if parent.kind == "VAR_DECL" and parent.is_const:
                return now  # a number of the formula that has a name
            return now if stored and _is_in_branch(parent, function) else FIRST
        if _is_share(child):
            return SHARE
        name = parent.name if parent.kind == "VAR_DECL" else parent.children[0].text
        if child.is_integer and re.fullmatch(r"\w+", name):
            chosen = re.search(rf"\[[^\]\[]*\b{name}\b", function.text)
            return CHOICE if chosen else now
    return now


def _is_in_branch(node: Node, function: Node) -> bool:
    """Test whether a statement is done for some numbers only, and not for some threads."""
    ways = (x for x in function.walk() if x.kind == "IF_STMT" and len(x.children) > 1)
    return any(
        way.children[1].start <= node.start < way.end
        and not re.search(r"threadIdx|lane|\btid\b|warp", way.children[0].text)
        for way in ways
    )


def _is_share(node: Node) -> bool:
    """Test whether this is a number of packs, or whether there may be any."""
    if node.kind == "CONDITIONAL_OPERATOR":
        return any(map(_is_share, node.children[1:]))
    if node.kind == "PAREN_EXPR" and node.children:
        return _is_share(node.children[0])
    if node.type == "bool":
        return "uintptr_t" in node.text or bool(re.search(r"%[^=]*== 0", node.text))
    return node.is_integer and node.operator in ("/", ">>")


def _made_of_elements(function: Node) -> set[str]:
    """Return the names of integers that are made of elements where they are declared."""
    declared = (x for x in function.walk() if x.kind == "VAR_DECL" and x.is_integer)
    return {
        one.name
        for one in declared
        if any(x.kind == "ARRAY_SUBSCRIPT_EXPR" for child in one.children for x in child.walk())
    }


def _of_condition(node: Node, parent: Node, function: Node) -> str:
    """Return what a condition is for: numbers, an index, or which way all threads go."""
    of_numbers = any(x.kind == "ARRAY_SUBSCRIPT_EXPR" or x.is_float for x in node.walk())
    if of_numbers or _BITS.search(node.text):
        return VALUE
    names = {*re.findall(r"[A-Za-z_]\w*", node.text)}
    if names & _made_of_elements(function):
        return VALUE
    sizes = {
        one.name for one in function.children if one.kind == "PARM_DECL" and one.is_integer
    }
    if parent.kind == "CONDITIONAL_OPERATOR" and not _ENDS_AT.search(node.text):
        return VALUE  # as where every second number is taken off
    is_way = names and names <= sizes and "<" not in node.text and ">" not in node.text
    return PATH if is_way and parent.kind == "IF_STMT" else LIMIT
