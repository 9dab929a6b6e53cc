"""Walk libclang's tree of a .cu file: nodes that know what stands around them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path


@dataclass(eq=False)
class Node:
    """A cursor, and what stands around it and in it."""

    cursor: object
    parent: Node | None
    children: list[Node] = field(default_factory=list)

    @cached_property
    def kind(self) -> str:
        """Return the name of the cursor's kind."""
        return self.cursor.kind.name

    @cached_property
    def begin(self) -> int:
        """Return where it begins in its file, in bytes."""
        return self.cursor.extent.start.offset

    @cached_property
    def end(self) -> int:
        """Return where it ends in its file."""
        return self.cursor.extent.end.offset

    def all(self) -> Iterator[Node]:
        """Yield this node and all inside it."""
        yield self
        for child in self.children:
            yield from child.all()

    def has(self, kind: str) -> bool:
        """Say whether a child is of this kind."""
        return any(child.kind == kind for child in self.children)

    def meant(self) -> Node:
        """Return the nearest node around this one that is more than brackets or a cast."""
        node = self.parent
        while node.kind in ("UNEXPOSED_EXPR", "PAREN_EXPR"):
            node = node.parent
        return node


def tree(cursor, parent: Node | None = None) -> Node:
    """Return a cursor's node, with all that is in it."""
    node = Node(cursor, parent)
    node.children = [tree(child, node) for child in cursor.get_children()]
    return node


def functions(cursor, own: set[str]) -> Iterator:
    """Yield the definitions of functions in these files that are no members."""
    for child in cursor.get_children():
        file, kind = child.location.file, child.kind.name
        if not file or file.name not in own:
            continue
        if kind in ("NAMESPACE", "LINKAGE_SPEC", "UNEXPOSED_DECL"):
            yield from functions(child, own)
        elif kind in ("FUNCTION_DECL", "FUNCTION_TEMPLATE") and child.is_definition():
            yield child


def has_attribute(cursor, kind: str) -> bool:
    """Say whether a function has an attribute, such as CUDAGLOBAL_ATTR."""
    return any(one.kind.name == kind for one in cursor.get_children())


def errors(unit) -> set[tuple[str, int]]:
    """Return the files and places of the errors of a parse."""
    found = [one.location for one in unit.diagnostics if one.severity >= one.Error]
    return {(place.file.name, place.offset) for place in found if place.file}


def type_name(cursor) -> str:
    """Return the name of a variable's type, with its namespace if `auto` stands for it."""
    name, whole = cursor.type.spelling, cursor.type.get_canonical().spelling
    return whole if "::" in whole and "::" not in name else name


def begins_empty(cursor) -> bool:
    """Say whether a variable's type surely has a value of its own, as `T x;` needs."""
    kind = cursor.type.get_canonical()
    while kind.kind.name.endswith("ARRAY"):
        kind = kind.element_type
    if re.match(r"(?:const )?cuda::", kind.spelling):  # barriers, pipelines
        return False
    members = list(kind.get_declaration().get_children())
    made = [one for one in members if one.kind.name == "CONSTRUCTOR"]
    return not made or any(one.is_default_constructor() for one in made)


def edited(
    sources: Mapping[Path, str], edits: Mapping[str, Iterable[tuple[int, int, bytes | str]]]
) -> dict[Path, str]:
    """Return texts with replacements made.

    edits: by a file's name, from which byte to which, and by what: a `str` holds bytes, too.
    """
    done = {}
    for path, source in sources.items():
        text = source.encode()
        for begin, end, new in sorted(edits.get(str(path), ()), reverse=True):
            inside = new.encode("latin-1") if isinstance(new, str) else new
            text = text[:begin] + inside + text[end:]
        done[path] = text.decode()
    return done


_LINE = re.compile(r"^#line (\d+)[^\n]*\n", re.M)


def line_at(code: str, at: int) -> int:
    """Return the line of a place, as `#line` counts."""
    number, begin = 1, 0
    for found in _LINE.finditer(code, 0, at):
        number, begin = int(found[1]), found.end()
    return number + code.count("\n", begin, at)
