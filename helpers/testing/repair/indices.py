"""Say which other element of an array might have been meant."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from helpers.testing.repair.kinds import ELEMENT
from helpers.testing.repair.nodes import Node, Variable, Variant, class_of

MOST = 12  # of each kind, for one index
NEAREST = 4  # variables that may be added to one


@dataclass(frozen=True)
class Subscripts:
    """What stands in brackets in a function, and the names that it declares inside."""

    texts: tuple[str, ...] = ()
    names: frozenset[str] = frozenset()

    @classmethod
    def of(cls, function: Node) -> Subscripts:
        """List them."""
        texts, names = {}, set()
        for node in function.walk():
            if node.kind == "VAR_DECL":
                names.add(node.name)
            elif node.kind == "ARRAY_SUBSCRIPT_EXPR" and len(node.children) == 2:
                texts[node.children[-1].text] = None
        return cls(tuple(x for x in texts if re.search("[A-Za-z_]", x)), frozenset(names))

    def visible(self, scope: list[Variable]) -> Iterator[str]:
        """Yield those whose names are all in scope."""
        hidden = self.names - {one.name for one in scope}
        yield from (one for one in self.texts if not hidden & {*re.findall(r"\w+", one)})


def indices(node: Node, others: Subscripts, scope: list[Variable]) -> Iterator[Variant]:
    """Yield other indices for one: of other arrays, rows and columns exchanged, of a row."""
    integers = [one for one in scope if class_of(one.type) == "integer"]
    local = [one.name for one in integers if not one.parameter]
    sizes = [one.name for one in integers if one.parameter or one.const]
    new = [one for one in others.visible(scope) if one != node.text][:MOST]
    if re.fullmatch(r"\d+[uUlL]*", node.text):
        new += local[:MOST]
    if turned := _row_and_column(node):
        row, column = turned
        new += [f"({column}) * {size} + ({row})" for size in sizes][:MOST]
    elif re.fullmatch(r"\w+", node.text):
        rows = [(row, size) for row in local for size in sizes if row != node.text != size]
        new += [f"{row} * {size} + {node.text}" for row, size in rows][:MOST]
    new += [f"({node.text}) + {one}" for one in local[:NEAREST] if one != node.text]
    for one in dict.fromkeys(new):
        yield Variant(ELEMENT, one)


def _row_and_column(node: Node) -> tuple[str, str] | None:
    """Return the parts of `row * size + column`, or None."""
    if node.operator != "+" or node.children[0].operator != "*":
        return None
    product, column = node.children
    if len(product.children) != 2 or not (column.is_integer and product.children[0].is_integer):
        return None
    return product.children[0].text, column.text
