"""Rewrite conversions of floating numbers to integers, so that they give what a GPU's give.

C++ leaves open what becomes of a number that the integer type cannot hold, and processors
differ: of 3e9f x86-64 makes the int -2^31, a GPU the largest int. In device code, `(int)x`
becomes `(int)::emulator::nearest<int>(x)` (include/emulator_math.h), also where no cast is
written. libclang's tree says which numbers are floating ones; what depends on a template's
types is rewritten where it is a cast to one of them. `i += f` is left as it is.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from pathlib import Path

from helpers.emulator import syntax_tree
from helpers.emulator.syntax_tree import Node, tree
from helpers.sources import blank_comments_and_strings

WARNING = "-Wfloat-conversion"  # clang's, of conversions that are not written out
_DEVICE = ("CUDADEVICE_ATTR", "CUDAGLOBAL_ATTR")
_TYPE = (
    r"(?:const\s+)?(?:(?:unsigned|signed|long|short|int|char)\b[\s\w]*|u?int(?:8|16|32|64)_t"
    r"|u(?:char|short|int|long)|size_t|ptrdiff_t|[A-Z]\w*|std::\w+)"
)
_CAST = re.compile(rf"\(\s*{_TYPE}\s*\)|\bstatic_cast\s*<\s*{_TYPE}\s*>|\b{_TYPE}\s*[({{]")
_NAME = r"([A-Za-z_]\w*)"  # of a template's type
_FORMS = {
    "CSTYLE_CAST_EXPR": re.compile(rf"\(\s*{_NAME}\s*\)\s*"),
    "CXX_STATIC_CAST_EXPR": re.compile(rf"static_cast\s*<\s*{_NAME}\s*>\s*\(\s*"),
    "CXX_FUNCTIONAL_CAST_EXPR": re.compile(rf"{_NAME}\s*\(\s*"),
}
_FLOATING = frozenset("FLOAT DOUBLE".split())
_INTEGERS = frozenset(
    "CHAR_S SCHAR CHAR_U UCHAR SHORT USHORT INT UINT LONG ULONG LONGLONG ULONGLONG".split()
)
_COMPOUND = re.compile(r"(?:[-+*/%]|<<|>>)=\s*\Z")


def _kind(node: Node) -> str:
    return node.cursor.type.get_canonical().kind.name


def device_functions(cursor, own: set[str]) -> Iterator:
    """Yield the definitions of device functions in these files, members too."""
    for child in cursor.get_children():
        file, kind = child.location.file, child.kind.name
        if not file or file.name not in own:
            continue
        if kind in ("FUNCTION_DECL", "FUNCTION_TEMPLATE", "CXX_METHOD", "CONSTRUCTOR"):
            if child.is_definition() and any(
                syntax_tree.has_attribute(child, one) for one in _DEVICE
            ):
                yield child
        elif kind in (
            *("NAMESPACE", "LINKAGE_SPEC", "UNEXPOSED_DECL", "STRUCT_DECL", "CLASS_DECL"),
            *("CLASS_TEMPLATE", "CLASS_TEMPLATE_PARTIAL_SPECIALIZATION"),
        ):
            yield from device_functions(child, own)


def _conversions(function: Node, code: str) -> Iterator[tuple[int, int, str]]:
    """Yield from where to where what is converted stands, and the integer type."""
    parameters = {
        one.cursor.spelling
        for one in function.children
        if one.kind == "TEMPLATE_TYPE_PARAMETER"
    }
    for node in function.all():
        if not node.children or node.begin >= node.end:
            continue
        of, kind = _converted(node, parameters, code)
        if not kind or of.parent.kind == "COMPOUND_ASSIGNMENT_OPERATOR":
            continue
        if not _COMPOUND.search(code, max(0, of.begin - 40), of.begin):
            yield of.begin, of.end, kind


def _converted(node: Node, parameters: set[str], code: str) -> tuple[Node, str]:
    """Return what a node converts to an integer type, and that type; "" if it does not."""
    operand = node.children[-1]
    if node.kind == "UNEXPOSED_EXPR":  # also inside a cast
        is_rounded = _kind(operand) in _FLOATING and _kind(node) in _INTEGERS
        return node, node.cursor.type.get_canonical().spelling if is_rounded else ""
    form = _FORMS.get(node.kind)
    cast = form.match(code, node.begin) if form else None
    if cast and cast[1] in parameters and cast.end() == operand.begin:
        return operand, cast[1]
    return node, ""


def _edits(conversions: set[tuple[int, int, str]]) -> Iterator[tuple[int, int, str]]:
    """Return what is written before and behind what is converted, outer calls around inner."""
    texts: dict[int, str] = {}
    for _, end, _ in conversions:
        texts[end] = texts.get(end, "") + ")"
    for begin, _, kind in sorted(conversions, key=lambda one: (one[0], -one[1])):
        texts[begin] = texts.get(begin, "") + f"::emulator::nearest<{kind}>("
    return ((at, at, text) for at, text in texts.items())


def rewrite(unit, sources: Mapping[Path, str]) -> dict[Path, str] | None:
    """Return the texts with such conversions rewritten; None if there are none.

    unit: libclang's tree of these texts, parsed as device code.
    """
    texts = {str(path): text.encode() for path, text in sources.items()}
    codes = {
        name: blank_comments_and_strings(text.decode("latin-1")) for name, text in texts.items()
    }
    implicit = any(one.option == WARNING for one in unit.diagnostics)
    if not implicit and not any(map(_CAST.search, codes.values())):
        return None
    wrong = syntax_tree.errors(unit)
    found: dict[str, set[tuple[int, int, str]]] = {}
    for cursor in device_functions(unit.cursor, set(texts)):
        name, extent = cursor.location.file.name, cursor.extent
        within = range(extent.start.offset, extent.end.offset)
        if any(file == name and place in within for file, place in wrong):
            continue
        if implicit or _CAST.search(codes[name], within.start, within.stop):
            found.setdefault(name, set()).update(_conversions(tree(cursor), codes[name]))
    if not any(found.values()):
        return None
    return syntax_tree.edited(sources, {name: _edits(some) for name, some in found.items()})
