"""Say which other element of an array might have been meant."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator
from dataclasses import dataclass

from helpers.testing.repair.kinds import ELEMENT
from helpers.testing.repair.nodes import Node, Variable, Variant, class_of

MOST = 12  # of each kind, for one index
NEAREST = 4  # variables that may be added to one


@dataclass(frozen=True)
class Subscripts:
    """The indices in a function, in brackets or added to a pointer, and the names inside."""

    texts: tuple[str, ...] = ()
    names: frozenset[str] = frozenset()

    @classmethod
    def of(cls, function: Node) -> Subscripts:
        """List them."""
        texts, names = {}, set()
        for node in function.walk():
            if node.kind == "VAR_DECL":
                names.add(node.name)
            elif len(node.children) == 2:
                chosen = [x for k, x in enumerate(node.children) if node.is_indexed_by(x, k)]
                texts |= dict.fromkeys(x.text for x in chosen)
        return cls(tuple(x for x in texts if re.search("[A-Za-z_]", x)), frozenset(names))

    def visible(self, scope: list[Variable]) -> Iterator[str]:
        """Yield those whose names are all in scope."""
        hidden = self.names - {one.name for one in scope}
        yield from (one for one in self.texts if not hidden & {*re.findall(r"\w+", one)})


def indices(node: Node, others: Subscripts, scope: list[Variable]) -> Iterator[Variant]:
    """Yield other indices for one: of other arrays, of another row, rows and columns turned."""
    integers = [one for one in scope if class_of(one.type) == "integer"]
    local = [one.name for one in integers if not one.parameter]
    sizes = [one.name for one in integers if one.parameter or one.const]
    new = [one for one in others.visible(scope) if one != node.text][:MOST]
    if re.fullmatch(r"\d+[uUlL]*", node.text):
        new += local[:MOST]
    if parts := _row_and_column(node):
        row, _, column = parts
        new += [f"({column}) * {one} + ({row})" for one in sizes][:MOST] if column else []
        new += _in_batches(node, parts, local, [one.name for one in integers if one.parameter])
    elif re.fullmatch(r"\w+", node.text):
        rows = [(row, size) for row in local for size in sizes if row != node.text != size]
        new += [f"{row} * {size} + {node.text}" for row, size in rows][:MOST]
    new += [f"({node.text}) + {one}" for one in local[:NEAREST] if one != node.text]
    for one in dict.fromkeys(new):
        yield Variant(ELEMENT, one)


def _in_batches(
    node: Node, parts: tuple[str, str, str], local: list[str], sizes: list[str]
) -> Iterator[str]:
    """Yield `(batch * many + row) * size + column` for the index of a row that has no batch."""
    row, size, column = parts
    batches = [*local, *(x for x in ("blockIdx.y", "blockIdx.z") if x in node.code)]
    batches = [one for one in batches if not re.search(rf"\b{re.escape(one)}\b", node.text)]
    if re.fullmatch(r"[\w.]+", row):
        for one, many in itertools.product(batches[:NEAREST], sizes[:NEAREST]):
            yield f"({one} * {many} + {row}) * {size}" + f" + {column}" * bool(column)


def _row_and_column(node: Node) -> tuple[str, str, str] | None:
    """Return the parts of `row * size + column`, or of `row * size` alone; else None."""
    is_sum = node.operator == "+" and len(node.children) == 2
    product, column = node.children if is_sum else (node, None)
    parts = product.children if product.operator == "*" else ()
    if len(parts) != 2 or not all(one.is_integer for one in (*parts, column or node)):
        return None
    row, size = (f"({x.text})" if x.operator in ("+", "-") else x.text for x in parts)
    return row, size, column.text if column else ""
