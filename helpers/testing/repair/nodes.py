"""Read a parsed .cu file as nodes, each with its text, and say what a variant of one is."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator
from dataclasses import dataclass

from helpers.testing.repair.kinds import Kind

INTEGERS = {"INT", "UINT", "LONG", "ULONG", "LONGLONG", "ULONGLONG", "SHORT", "USHORT"}
INTEGERS |= {"CHAR_S", "SCHAR", "UCHAR", "CHAR_U"}
FLOATS = {"FLOAT", "DOUBLE", "LONGDOUBLE"}
FLOAT_NAMES = ("float", "double")
INTEGER_WORDS = r"(?:(?:un)?signed|short|int|long|char|u?int\d+_t|s?size_t|ptrdiff_t)"
BUILT_IN = re.compile(r"(threadIdx|blockIdx|blockDim|gridDim)\s*\.\s*([xyz])")

RELATIONS = ("<", "<=", ">", ">=")


class Node:
    """A cursor of libclang without the implicit conversions around it."""

    def __init__(self, cursor, code: str):
        self.code, outer = code, cursor
        self.converted_to = {kind_of(cursor)}
        while cursor.kind.name == "UNEXPOSED_EXPR" or _is_conversion(cursor, code):
            inner = [x for x in cursor.get_children() if _extent(x) == _extent(outer)]
            if len(inner) != 1:
                break
            cursor = inner[0]
            self.converted_to.add(kind_of(cursor))
        self.cursor = cursor
        self.kind, self.name = cursor.kind.name, cursor.spelling
        self.start, self.end = _extent(cursor)

    @property
    def text(self) -> str:
        """The source text."""
        return self.code[self.start : self.end]

    @functools.cached_property
    def type(self) -> str:
        """The canonical type, without const of its own and without references."""
        spelled = self.cursor.type.get_canonical().spelling
        spelled = re.sub(r"\s*&+$|\s*__restrict\w*", "", spelled)
        return re.sub(r"\s*\bconst$|^const\s+(?!.*\*)", "", spelled).strip()

    @functools.cached_property
    def is_const(self) -> bool:
        """Whether it is declared const."""
        return self.cursor.type.get_canonical().is_const_qualified()

    @functools.cached_property
    def is_integer(self) -> bool:
        """Whether its value is an integer."""
        if BUILT_IN.fullmatch(self.text):
            return True
        return kind_of(self.cursor) in INTEGERS

    @functools.cached_property
    def is_float(self) -> bool:
        """Whether its value is a float or a double."""
        return kind_of(self.cursor) in FLOATS

    @functools.cached_property
    def is_expression(self) -> bool:
        """Whether it is an expression, with a value or void."""
        return self.cursor.kind.is_expression()

    @functools.cached_property
    def children(self) -> list[Node]:
        """The parts that stand in the text, in its order, and overlap nowhere."""
        found, at = [], self.start
        nodes = [Node(x, self.code) for x in self.cursor.get_children()]
        for node in sorted(nodes, key=lambda x: x.start):
            inside = node.start >= at and node.end <= self.end and node.end > node.start
            if inside and (node.start, node.end) != (self.start, self.end):
                found.append(node)
                at = node.end
        return found

    def cursor_children(self, file: str) -> Iterator[Node]:
        """Yield what is declared in this file."""
        for child in self.cursor.get_children():
            where = child.location.file
            if where and where.name == file:
                yield Node(child, self.code)

    @property
    def is_bound(self) -> bool:
        """Whether it names a part of what `auto [a, b] = ...` took apart."""
        named = self.cursor.referenced if self.kind == "DECL_REF_EXPR" else None
        return named is not None and named.kind.name == "UNEXPOSED_DECL"

    @property
    def operator(self) -> str:
        """The sign between two operands, or before or after the only one."""
        parts = self.children
        if len(parts) == 2:
            return self.code[parts[0].end : parts[1].start].strip()
        if len(parts) == 1:
            before = self.code[self.start : parts[0].start].strip()
            return before or self.code[parts[0].end : self.end].strip()
        return ""

    @property
    def writes(self) -> bool:
        """Whether the first part is written to."""
        if self.kind == "BINARY_OPERATOR":
            return self.operator == "="
        if self.kind == "UNARY_OPERATOR":
            return self.operator in ("++", "--", "&")
        if self.kind == "CALL_EXPR":
            return bool(re.match(r"operator[-+*/%&|^<>]*=$", self.name))
        return self.kind == "COMPOUND_ASSIGNMENT_OPERATOR"

    def is_path_to(self, child: Node, k: int) -> bool:
        """Test whether writing to this writes to the child."""
        return k == 0 and self.kind in ("ARRAY_SUBSCRIPT_EXPR", "MEMBER_REF_EXPR", "PAREN_EXPR")

    def is_indexed_by(self, child: Node, k: int) -> bool:
        """Test whether a child chooses an element: in brackets, or added to a pointer."""
        if self.kind == "ARRAY_SUBSCRIPT_EXPR":
            return k == 1
        moves = self.kind in ("BINARY_OPERATOR", "COMPOUND_ASSIGNMENT_OPERATOR")
        moves &= self.type.endswith("*") and self.operator in ("+", "+=")
        return moves and child.is_integer

    def may_edit_initialiser(self, child: Node) -> bool:
        """Test whether a child of a declaration is its value, and no compiler needs that."""
        head = self.code[self.start : child.start]
        if not child.is_expression or re.search(r"\bconstexpr\b|\bstatic\b", head):
            return False
        if "__shared__" in self.line_before or head.count("[") != head.count("]"):
            return False
        constant = "const" in head or "const" in self.line_before
        if constant and not re.search(r"[A-Za-z_]\w*", re.sub(r"0x\w+|\d\w*", "", child.text)):
            return not re.match(r"\d", child.text) or child.is_float
        return bool(re.search(r"[=({]\s*$", head))

    def is_size_declared_by(self, child: Node) -> bool:
        """Test whether this is `dim3 grid(a, b)`, whose sizes are the parts of the child."""
        named = re.match(rf"{re.escape(self.name)}\s*[({{]", child.text) if self.name else None
        declares = self.kind == "VAR_DECL" and child.kind == "CALL_EXPR"
        return declares and child.name == "dim3" and bool(named)

    @property
    def line_before(self) -> str:
        """The text before it on its line."""
        return self.code[self.code.rfind("\n", 0, self.start) + 1 : self.start]

    def is_callee_of(self, parent: Node) -> bool:
        """Test whether this names what the parent calls."""
        if parent.kind == "CALL_EXPR" and self.kind == "DECL_REF_EXPR":
            return self.start == parent.start or parent.name.startswith("operator")
        return self.kind in ("OVERLOADED_DECL_REF", "NAMESPACE_REF", "TEMPLATE_REF")

    def holds_statements(self, child: Node, k: int) -> bool:
        """Test whether a child stands where any statement could."""
        if self.kind == "COMPOUND_STMT":
            return True
        if self.kind in ("FOR_STMT", "WHILE_STMT"):
            return child is self.children[-1]
        return self.kind == "IF_STMT" and k > 0

    def walk(self) -> Iterator[Node]:
        """Yield it and all that it is made of, in the text's order."""
        yield self
        for child in self.children:
            yield from child.walk()


def _extent(cursor) -> tuple[int, int]:
    extent = cursor.extent
    return extent.start.offset, extent.end.offset


def kind_of(cursor) -> str:
    """Return the kind of an expression's canonical type, as libclang names it."""
    return cursor.type.get_canonical().kind.name


def _is_conversion(cursor, code: str) -> bool:
    """Test whether this is a constructor call that is not written out."""
    if cursor.kind.name != "CALL_EXPR":
        return False
    return any(_extent(x) == _extent(cursor) for x in cursor.get_children())


def is_device(function: Node) -> bool:
    """Test whether a function runs on the device."""
    return bool(re.search(r"__global__|__device__", function.text.partition("{")[0]))


def class_of(spelled: str) -> str:
    """Return which types a variable may be exchanged with."""
    if re.fullmatch(rf"(?:{INTEGER_WORDS}\s*)+", spelled):
        return "integer"
    return spelled


@dataclass(frozen=True)
class Variable:
    """A variable in scope and its canonical type, without const."""

    name: str
    type: str
    const: bool
    parameter: bool = False


@dataclass(frozen=True)
class Variant:
    """What might stand there: the kind of change, the text, where it is if not at the start.

    cast: to the type of what stood there. before: it comes before the statement. second: where
    a statement starts that is left out for it, further down. weak: it may well go round a fault
    that is elsewhere.
    """

    kind: Kind
    new: str
    at: int = 0
    cast: bool = True
    before: bool = False
    second: int = 0
    weak: bool = False
