"""List small edits of a .cu file, and write one text in which each can be chosen at run time.

Each edit is the reverse of a frequent mistake: another comparison, one more or one less,
another variable. In the text that `Schema` writes, an edited expression becomes

    (REPAIR(5) ? new : REPAIR(6) ? other : old)

so that one build holds all edits, one or several of which are chosen. A whole expression with
several such places stands there as it was, too, so that the usual run asks once for it. Every
alternative stands on a line of its own: a compiler's error on a line then names the edit that
does not compile.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from helpers.testing.repair.ends import which_end, which_step
from helpers.testing.repair.indices import Subscripts, indices
from helpers.testing.repair.kinds import (
    END,
    INDEX,
    LIMIT,
    ORDER,
    PATH,
    SHARE,
    SIZE,
    SIZES,
    STRIDE,
    VALUE,
    Kind,
    in_place,
)
from helpers.testing.repair.nodes import Node, Variable, Variant
from helpers.testing.repair.roles import role_in, role_of
from helpers.testing.repair.statements import statements
from helpers.testing.repair.types import other_types
from helpers.testing.repair.values import values

CHOSEN = "repair_chosen"  # of each edit
AT = "repair_at"  # of each place: one of its edits is chosen
WITHIN = "repair_within"  # of each whole expression: one of the edits in it is chosen
SEEN = "repair_seen"  # of each place: it was come to
STATE = "repair_state"  # a function that copies what calls leave behind: out, or back in
STATE_BYTES = "repair_state_bytes"
MOST_EDITS = 1 << 14
SEVERAL_PLACES = 2
HEAD = (
    # No function is copied into its callers, so that each edit is compiled once.
    '#pragma GCC optimize("O0")\n'
    "#undef __global__\n#undef __forceinline__\n"
    "#define __global__ inline\n#define __forceinline__ inline\n"
    f'#include <type_traits>\nextern "C" {{\n__managed__ char {CHOSEN}[{MOST_EDITS}], '
    f"{AT}[{MOST_EDITS}], {WITHIN}[{MOST_EDITS}], {SEEN}[{MOST_EDITS}];\n}}\n"
    f"#define REPAIR(k) ({CHOSEN}[k])\n"
    f"#define REPAIR_AT(k) ({SEEN}[k] = 1, {AT}[k])\n"
    f"#define REPAIR_WITHIN(k) ({WITHIN}[k])\n"
)
_MARK = re.compile(r"/\*(\d+)\*/")


@dataclass(frozen=True)
class Edit:
    """One edit: the line of the learner's file, what kind of change it is, the new text.

    weak: as in Variant. start: where it begins in the file. others: lines of edits that are
    made with it. shown: the kind that a sentence names, if it is a narrower one.
    """

    line: int
    kind: Kind
    new: str
    old: str = ""
    weak: bool = False
    start: int = 0
    others: tuple[int, ...] = ()
    shown: Kind | None = None

    @property
    def lines(self) -> tuple[int, ...]:
        """All its lines, in order."""
        return tuple(sorted({self.line, *self.others}))


class Schema:
    """The edits of a file and the text that holds them all.

    tree: of the file's device code, from `front_end.examine`. text: as bytes read in latin-1,
    so that clang's offsets are its indices. launcher: what it reaches is edited. without:
    numbers of edits that are left out, and MOST_EDITS + those of `wholes`. places: of each
    edit, the number of the first one there, which stands for the place in AT and SEEN. wholes:
    of each edit in a whole expression that also stands there unedited, the first edit in it,
    which stands for it in WITHIN.
    """

    def __init__(self, tree: object, text: str, launcher: str, without: set[int]):
        self.code, self.without = text, without
        self.edits: list[Edit] = []
        self.places: dict[int, int] = {}
        self.wholes: dict[int, int] = {}
        self._scope: list[list[Variable]] = [[]]
        self.text = HEAD + self._file(tree, launcher)

    def _file(self, tree: object, launcher: str) -> str:
        declared = list(_declared(Node(tree.cursor, self.code), tree.spelling))
        known = [one for one in declared if one.node.kind != "VAR_DECL"]
        nodes = [one.node for one in _reached(known, launcher)]
        parts = [(node.start, node.end, self._function(node)) for node in nodes]
        return self._splice(0, len(self.code), parts) + _state(declared)

    def _splice(self, start: int, end: int, parts: list[tuple[int, int, str]]) -> str:
        out, at = [], start
        for first, last, new in sorted(parts):
            if first >= at and last <= end:
                out += [self.code[at:first], new]
                at = last
        return "".join([*out, self.code[at:end]])

    def _function(self, function: Node) -> str:
        self._scope.append([])
        self.function, self._role = function, role_of(function)
        self._indices, self._second = Subscripts.of(function), {}
        parts = []
        for child in function.children:
            if child.kind == "PARM_DECL":
                self._declare(child)
            elif child.kind == "COMPOUND_STMT":
                parts.append((child.start, child.end, self._body(child)))
        self._scope.pop()
        return self._splice(function.start, function.end, parts)

    def _body(self, body: Node) -> str:
        """Write the choice between a function's body and those with other types in it."""
        default, others = self._node(body), []
        for node, start, end, variant in other_types(self.function, body):
            if (k := self._number(node, variant)) is not None:
                new = self.code[body.start : start] + variant.new + self.code[end : body.end]
                others.append((k, f" else\n/*{k}*/if (REPAIR({k})) {new}\n/*0*/"))
        if not others:
            return default
        first = others[0][0]
        self.places.update((k, first) for k, _ in others)
        return f"{{ if (!REPAIR_AT({first})) {default}{''.join(text for _, text in others)} }}"

    def _declare(self, node: Node) -> None:
        self._scope[-1].append(
            Variable(node.name, node.type, node.is_const, node.kind == "PARM_DECL")
        )

    def _node(
        self, node: Node, place: bool = False, end: int = 0, is_index: bool = False
    ) -> str:
        """Return the text of a statement or expression with the edits in it.

        place: the expression is written to, so that it cannot be replaced by a value. end:
        where a statement's semicolon ends. is_index: it stands in an array's brackets, or is
        added to a pointer.
        """
        end = end or node.end
        if node.kind in _OPAQUE or node.end <= node.start or node.is_bound:
            return self.code[node.start : end]
        if node.kind in _SCOPES:
            self._scope.append([])
        parts, role = [], self._role
        inside = (
            [] if node.kind == "DECL_REF_EXPR" else node.children
        )  # arguments of a template
        for k, child in enumerate(inside):
            self._role = role_in(node, child, k, role, self.function)
            new = self._child(node, child, k, place)
            parts.append((child.start, self._end(node, child, k), new))
        self._role = role
        if node.kind == "CALL_EXPR":
            self._exchange(inside, parts)
        default = self._splice(node.start, end, parts)
        if node.kind in _SCOPES:
            self._scope.pop()
        if node.kind == "VAR_DECL":
            self._declare(node)
        elif node.is_expression and self._role != PATH:
            variants = values(node, self._visible(), place, self.function)
            if is_index:
                variants = itertools.chain(
                    variants, indices(node, self._indices, self._visible())
                )
            return self._chosen(node, variants, default, place)
        return default

    def _child(self, parent: Node, child: Node, k: int, place: bool) -> str:
        if parent.is_size_declared_by(child):
            return self._sizes(child)
        if parent.kind == "VAR_DECL" and not parent.may_edit_initialiser(child):
            return child.text
        if parent.kind in ("CALL_EXPR", "MEMBER_REF_EXPR") and child.is_callee_of(parent):
            return child.text
        written = (k == 0 and parent.writes) or (place and parent.is_path_to(child, k))
        if not parent.holds_statements(child, k):
            is_index = parent.is_indexed_by(child, k)
            if child.is_expression and not parent.is_expression:
                return self._whole(parent, child, written, is_index)
            return self._node(child, written, is_index=is_index)
        if child.is_expression:
            new = (
                self._whole(parent, child, written)
                + self.code[child.end : self._end(parent, child, k)]
            )
        else:
            new = self._node(child, written, self._end(parent, child, k))
        if child.kind in ("DECL_STMT", "NULL_STMT"):
            return new
        return self._statement(parent, child, new)

    def _whole(self, parent: Node, node: Node, place: bool, is_index: bool = False) -> str:
        """Return the text of an expression that is no part of another, with its edits.

        If they are at several places, it stands there unedited as well.
        """
        first = len(self.edits) + 1
        new = self._node(node, place, is_index=is_index)
        mark = MOST_EDITS + first
        if (
            new.count("REPAIR_AT") < SEVERAL_PLACES
            or first >= MOST_EDITS
            or mark in self.without
            or node.kind == "INIT_LIST_EXPR"
            or "<<<" in node.text
            or (parent.kind == "VAR_DECL" and node.text.startswith(parent.name))
            or any(one.kind == "LAMBDA_EXPR" for one in node.walk())
        ):
            return new
        self.wholes.update(dict.fromkeys(range(first, len(self.edits) + 1), first))
        asked = f"\n/*{mark}*/(REPAIR_WITHIN({first}) ? ("
        return f"{asked}\n/*0*/{new}\n/*{mark}*/) : ({node.text}))\n/*0*/"

    def _sizes(self, declared: Node) -> str:
        """Return the text of `grid(a, b)` with edits of its sizes; or a and b are swapped."""
        sizes = declared.children
        parts = [(one.start, one.end, self._whole(declared, one, False)) for one in sizes]
        self._swap(list(enumerate(sizes)), SIZES, parts)
        return self._splice(declared.start, declared.end, parts)

    def _exchange(self, called: Sequence[Node], parts: list[tuple[int, int, str]]) -> None:
        """Swap two arguments of a launch, of one type: arrays, or sizes.

        called: what is called, how it is launched, and its arguments.
        """
        if len(called) < 2 or not called[1].text.startswith("<<<"):
            return
        of_type: dict[str, list[tuple[int, Node]]] = {}
        for k, child in enumerate(called[2:], 2):
            of_type.setdefault(child.type, []).append((k, child))
        role, self._role = self._role, VALUE
        for alike in of_type.values():
            self._swap(alike, SIZES if alike[0][1].is_integer else ORDER, parts)
        self._role = role

    def _swap(
        self, nodes: Sequence[tuple[int, Node]], kind: Kind, parts: list[tuple[int, int, str]]
    ) -> None:
        """Swap each two of some expressions; parts: the texts of all, by their numbers."""
        for (k, one), (j, two) in itertools.combinations(nodes, 2):
            if one.text == two.text:
                continue
            swapped = Variant(kind, two.text)
            if (number := self._number(one, swapped)) is None:
                continue
            for here, other in ((k, two), (j, one)):
                start, end, new = parts[here]
                asked = f"\n/*{number}*/(REPAIR_AT({number}) ? ({other.text}) : ({new}\n/*0*/))"
                parts[here] = (start, end, asked)

    def _end(self, parent: Node, child: Node, k: int) -> int:
        """Return where a child ends, with the semicolon of a statement."""
        is_block = child.text.endswith("}") and not child.is_expression
        is_block &= child.kind != "RETURN_STMT"
        if parent.holds_statements(child, k) and not is_block:
            if match := re.compile(r"\s*;").match(self.code, child.end):
                return match.end()
        return child.end

    def _visible(self) -> list[Variable]:
        """Return the variables in scope, the nearest first."""
        return [one for scope in reversed(self._scope) for one in reversed(scope)]

    def _number(self, node: Node, variant: Variant) -> int | None:
        line, weak = self.line(variant.at or node.start), variant.weak
        weak |= variant.kind == INDEX or self._role == SHARE
        of_floats = node.is_float or any(one.is_float for one in node.children)
        role = VALUE if of_floats and self._role in (LIMIT, SIZE) else self._role
        role = VALUE if "stream" in node.type.lower() else role  # no size of a launch
        kind = in_place(variant.kind, role)
        shown = which_end(node, variant.new) if kind is END else None
        shown = which_step(node, variant.new) if kind is STRIDE else shown
        made = Edit(line, kind, variant.new, node.text, weak, node.start, shown=shown)
        self.edits.append(made)
        number = len(self.edits)
        self.places[number] = number
        return None if number in self.without or number >= MOST_EDITS else number

    def line(self, offset: int) -> int:
        """Return the line of an offset, from 1."""
        return self.code.count("\n", 0, offset) + 1

    def _chosen(
        self, node: Node, variants: Iterator[Variant], default: str, place: bool
    ) -> str:
        """Write the choice between an expression and its variants, which asks once if none is.

        The last variant needs no question.
        """
        found = []
        for variant in variants:
            if (k := self._number(node, variant)) is None:
                continue
            new = variant.new
            if not place and variant.cast:
                new = f"std::decay_t<decltype({node.text})>({new})"
            found.append((k, new))
        if not found:
            return default
        first, (last, new) = found[0][0], found[-1]
        self.places.update((k, first) for k, _ in found)
        chain = "".join(f"\n/*{k}*/REPAIR({k}) ? ({new}) : " for k, new in found[:-1])
        if (
            node.is_float and not place
        ):  # a reference and a number are of different types to GCC
            default = f"std::decay_t<decltype({node.text})>({default})"
        return f"(REPAIR_AT({first}) ? ({chain}\n/*{last}*/({new})\n/*0*/) : {default})"

    def _statement(self, parent: Node, node: Node, default: str) -> str:
        """Write the choice between a statement and its variants."""
        before, instead = [], []
        later = self._second.get(node.start, [])
        for variant in statements(parent, node, self.function, self._visible(), self.code):
            if (k := self._number(node, variant)) is None:
                continue
            if variant.second:
                self._second.setdefault(variant.second, []).append(k)
            (before if variant.before else instead).append((k, variant.new))
        numbers = [k for k, _ in before + instead]
        self.places.update((k, numbers[0]) for k in numbers)
        text = default
        if numbers:
            chosen = [f"\n/*{k}*/if (REPAIR({k})) {{ {new} }}\n/*0*/" for k, new in before]
            chosen += [
                f"\n/*{k}*/if (REPAIR({k})) {{ repair_other = 1; {new} }}\n/*0*/"
                for k, new in instead
            ]
            text = (
                f"{{ int repair_other = 0; if (REPAIR_AT({numbers[0]})) {{{''.join(chosen)}}}"
                f" if (!repair_other) {{ {default} }} }}"
            )
        if later:
            left_out = " || ".join(f"REPAIR({k})" for k in later)
            text = f"{{ if (!({left_out})) {{ {text} }} }}"
        return text


_OPAQUE = {"LAMBDA_CAPTURE", "ASM_STMT", "MS_ASM_STMT", "UNARY_TYPE", "TYPE_REF"}
_OPAQUE |= {"TYPE_ALIAS_DECL", "TYPEDEF_DECL", "STATIC_ASSERT", "STRUCT_DECL"}
_OPAQUE |= {"DECL_REF_EXPR_TEMPLATE", "CXX_UNARY_EXPR", "SIZE_OF_PACK_EXPR", "STRING_LITERAL"}
_SCOPES = {"COMPOUND_STMT", "FOR_STMT", "WHILE_STMT", "IF_STMT", "LAMBDA_EXPR"}


@dataclass(frozen=True)
class _Declared:
    """A variable of the main file, or a function with a body, and the namespaces around it."""

    node: Node
    space: tuple[str, ...]


def _declared(node: Node, file: str, space: tuple[str, ...] = ()) -> Iterator[_Declared]:
    for child in node.cursor_children(file):
        if child.kind in _FUNCTIONS:
            has_body = any(one.kind == "COMPOUND_STMT" for one in child.children)
            if has_body and "constexpr" not in child.text.partition("{")[0]:
                yield _Declared(child, space)
        elif child.kind == "VAR_DECL" and not child.is_const:
            if node.kind not in _CLASSES and "extern" not in child.text.partition(";")[0]:
                yield _Declared(child, space)
        elif child.kind in _HOLDERS:
            inside = (child.name,) * (child.kind == "NAMESPACE")
            yield from _declared(child, file, space + inside)


_FUNCTIONS = {"FUNCTION_DECL", "FUNCTION_TEMPLATE", "CXX_METHOD"}
_CLASSES = {"STRUCT_DECL", "CLASS_DECL", "CLASS_TEMPLATE"}
_CLASSES |= {"CLASS_TEMPLATE_PARTIAL_SPECIALIZATION"}
_HOLDERS = {"NAMESPACE", "LINKAGE_SPEC", "UNEXPOSED_DECL", *_CLASSES}


def _state(declared: list[_Declared]) -> str:
    """Write functions that copy all variables of a file, which one call leaves for the next.

    But for those that own memory, as a vector does.
    """
    variables = [one for one in declared if one.node.kind == "VAR_DECL"]
    names = dict.fromkeys("::".join((*one.space, one.node.name)) for one in variables)
    copies = "".join(
        f"if (!__is_trivially_copyable(decltype({x}))) ; "
        f"else if (back) __builtin_memcpy((void*)&{x}, at, sizeof({x})); "
        f"else __builtin_memcpy(at, (void*)&{x}, sizeof({x})); at += sizeof({x}); "
        for x in names
    )
    sizes = "".join(f" + sizeof({x})" for x in names)
    return (
        f'\n/*0*/\nextern "C" {{ unsigned long {STATE_BYTES}() {{ return 0{sizes}; }}\n'
        f"void {STATE}(char* at, int back) {{ {copies} }} }}\n"
    )


def _reached(known: list[_Declared], launcher: str) -> list[_Declared]:
    """Return the functions that a launcher reaches, by the names in their texts.

    Of those with one name it is what stands in the same namespace, if any does.
    """
    found = [one for one in known if one.node.name == launcher]
    for one in found:  # grows
        words = {*re.findall(r"[A-Za-z_]\w*", one.node.text)}
        for other in known:
            name = other.node.name
            if other in found or not (name in words or name.startswith("operator")):
                continue
            near = [x for x in known if x.node.name == name and x.space == one.space]
            if other in near or not near:
                found.append(other)
    return found


def edits_on(text: str, lines: Iterable[int]) -> set[int]:
    """Return the numbers of the edits that stand on these lines of a schema's text."""
    numbers, at = [], 0
    for line in text.split("\n"):
        match = _MARK.search(line)
        at = int(match[1]) if match else at
        numbers.append(at)
    return {numbers[line - 1] for line in lines if 0 < line <= len(numbers)} - {0}
