"""Say what stands for the parameters of a function that is written into a kernel.

A parameter becomes a variable, `float v_1 = (x[i]);`, or, if it is a reference to a variable,
that variable's name; those of a template become a type's name or a number.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from helpers.emulator.inlined_rules import (
    NAME,
    Function,
    Names,
    Stays,
    changes,
    is_converted,
    is_value,
)
from helpers.emulator.syntax_tree import Node

PLAIN_TYPE = re.compile(r"[\w:<>,\s*]+")
# A call, with the arguments of its template where they are words.
_NAMED = re.compile(r"(\w+)\s*(?:<([\w,\s]*)>\s*)?\(")
# The endings of numbers of a type, with its size in bits.
_ENDINGS = {
    "int": ("", 32),
    "unsigned int": ("u", 32),
    "long": ("l", 64),
    "unsigned long": ("ul", 64),
    "long long": ("ll", 64),
    "unsigned long long": ("ull", 64),
}


@dataclass
class File:
    """A file's text, as bytes that are characters, and its functions."""

    text: str
    code: str
    names: Names
    functions: dict[int, Function] = field(default_factory=dict)  # by place
    extents: list[tuple[int, int]] = field(default_factory=list)  # of these, and of kernels

    def called(self, node: Node) -> Function | None:
        """Return the function that is called, if it is one in which a thread waits."""
        if node.kind != "CALL_EXPR":
            return None
        meant = node.cursor.referenced
        if meant is not None:
            meant = meant.get_definition() or meant
            found = self.functions.get(meant.location.offset)
            same = found and meant.location.file.name == found.node.cursor.location.file.name
            return found if same and found.waits else None
        # In a template, of which the arguments are not known.
        name = _NAMED.match(self.code, node.begin, node.end)
        named = [one for one in self.functions.values() if name and one.name == name[1]]
        is_only = len(named) == 1 and self.names.is_one(name[1])
        return named[0] if is_only and named[0].waits else None

    def changed(self, begin: int, end: int, edits: Iterable, names: Mapping[str, str]) -> str:
        """Return a part of the file with replacements, and with other names."""
        done, at = "", begin
        for first, last, new in sorted(edits):
            done += self.renamed(at, first, names) + new
            at = last
        return done + self.renamed(at, end, names)

    def renamed(self, begin: int, end: int, names: Mapping[str, str]) -> str:
        """Return a part of the file with other names."""
        done, at = "", begin
        for found in NAME.finditer(self.code, begin, end):
            if found[0] in names:
                done += self.text[at : found.start()] + names[found[0]]
                at = found.end()
        return done + self.text[at:end]


def template(file: File, function: Function, call: Node, names) -> dict[str, str]:
    """Return what a function's template parameters stand for in a call."""
    meant, own = call.cursor.referenced, {}
    written = _NAMED.match(file.code, call.begin, call.end) if meant is None else None
    listed = [one.strip() for one in written[2].split(",")] if written and written[2] else []
    for place, one in enumerate(function.template):
        name = one.cursor.spelling
        if place < len(listed):
            own[name] = in_words(listed[place], names)
            if one.kind == "TEMPLATE_NON_TYPE_PARAMETER":
                kind = one.cursor.type.get_canonical().spelling
                if kind != "bool" and kind not in _ENDINGS:
                    raise Stays
                own[name] = f"static_cast<{kind}>({own[name]})"
            continue
        known = meant is not None and place < meant.get_num_template_arguments()
        if one.kind == "TEMPLATE_NON_TYPE_PARAMETER" and known:
            own[name] = _number(one.cursor.type, meant, place)
            continue
        kind = ""
        if known:
            given = meant.get_template_argument_type(place).get_canonical()
            if not file.names.is_copied(given, ()):
                raise Stays
            kind = given.spelling
        for parameter, argument in zip(function.parameters, call.children[1:], strict=True):
            if not known and parameter.cursor.type.spelling == name:
                kind = in_words(argument.cursor.type.spelling, names)
        kind = re.sub(r"\bconst\b\s*", "", kind)
        if one.kind != "TEMPLATE_TYPE_PARAMETER" or not re.fullmatch(r"[\w:][\w: ]*", kind):
            raise Stays
        if re.search(r"\b(?:auto|volatile)\b", kind):
            raise Stays
        own[name] = kind
    return own


def _number(kind, meant, place: int) -> str:
    """Return a template's argument as a number of its parameter's type."""
    try:
        is_number = meant.get_template_argument_kind(place).name == "INTEGRAL"
    except ValueError:  # of a kind that cindex does not know, such as a pack
        is_number = False
    if not is_number:
        raise Stays
    name, value = kind.get_canonical().spelling, meant.get_template_argument_value(place)
    if name == "bool":
        return "(true)" if value else "(false)"
    ending, bits = _ENDINGS.get(name, ("", 0))
    if not bits or value <= -(2 ** (bits - 1)):
        raise Stays
    return f"({value % 2**bits if 'u' in ending else value}{ending})"


def parameter(
    file: File, function: Function, one: Node, argument: Node, own, names, inner, number: int
) -> str:
    """Return the declaration that stands for a parameter, if there is one."""
    name, kind = one.cursor.spelling, one.cursor.type.spelling
    code = file.code
    if not name:
        if changes(argument, code):
            raise Stays
        return ""
    at = one.cursor.location.offset
    if code[at + len(name) : one.end].strip():
        raise Stays
    if "&" in kind:
        meant = argument
        while meant.kind == "UNEXPOSED_EXPR" and len(meant.children) == 1:
            meant = meant.children[0]
        given = _bare(in_words(meant.cursor.type.spelling, names))
        same = _bare(in_words(kind, own)) == given
        text = file.text[argument.begin : argument.end]
        if meant.kind == "DECL_REF_EXPR" and same:
            is_changed = (
                kind.startswith("const ") and not meant.cursor.type.is_const_qualified()
            )
            if not re.fullmatch(r"\w+", text) or (is_changed and _tells(file, function)):
                raise Stays
            own[name] = names.get(text, text)
            return ""
        is_new = is_value(argument, code) or is_converted(one, meant)
        if not kind.startswith("const ") or not is_new:
            raise Stays
    declared = file.renamed(one.begin, at, own).replace("&", "")
    if not PLAIN_TYPE.fullmatch(declared) or re.search(r"\bauto\b", declared):
        raise Stays
    own[name] = f"{name}_{number}"
    given = file.changed(argument.begin, argument.end, edits_inside(inner, argument), names)
    if "#" in given:
        raise Stays
    return f"{' '.join(declared.split())} {own[name]} = ({given}); "


def _tells(file: File, function: Function) -> bool:
    """Say whether a function calls one that may be another for what is not const."""
    for node in function.body.all():
        if node.kind == "CALL_EXPR" and not file.called(node):
            name = re.compile(r"\w*").match(file.code, node.begin)[0]
            if file.names.is_overloaded(node.cursor.spelling or name):
                return True
    return False


def in_words(text: str, names: Mapping[str, str]) -> str:
    """Return a text with other names."""
    return NAME.sub(lambda found: names.get(found[0], found[0]), text)


def _bare(kind: str) -> str:
    """Return a type's name without const and reference."""
    return "".join(re.sub(r"\bconst\b|&", "", kind).split())


def edits_inside(
    edits: Iterable[tuple[int, int, str]], node: Node
) -> list[tuple[int, int, str]]:
    """Return those replacements that stand in a part of the file."""
    return [one for one in edits if node.begin <= one[0] and one[1] <= node.end]
