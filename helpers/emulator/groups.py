"""Write a block's and a whole warp's cooperative groups as what CUDA had before them.

`tile.shfl_down(v, d)` of a tile of 32 threads is `__shfl_down_sync(0xffffffffu, v, d)`, and
`block.sync()` is `__syncthreads()`. Written so, kernels with groups run as fast as others
(phases.py, block_phases.py). A group that is given to a function of the file is left out of the
call. Other groups stay as they are, and so does all that is done with a function's groups if
one use of them is none of those below.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from helpers.emulator import syntax_tree
from helpers.emulator.phase_rules import RANK
from helpers.emulator.syntax_tree import Node, tree

_SIZE = "(blockDim.x * blockDim.y * blockDim.z)"
_ALL = "0xffffffffu"
_BLOCK = {
    "sync": "__syncthreads()",
    "thread_rank": RANK,
    "size": _SIZE,
    "num_threads": _SIZE,
    "group_index": "blockIdx",
    "thread_index": "threadIdx",
    "group_dim": "blockDim",
    "dim_threads": "blockDim",
}
_WARP = {
    "sync": "__syncwarp()",
    "thread_rank": f"({RANK} % 32)",
    "size": "32u",
    "num_threads": "32u",
    "meta_group_rank": f"({RANK} / 32)",
    "meta_group_size": f"(({_SIZE} + 31) / 32)",
}
_WITH_VALUES = {  # of a warp: what stands before the arguments
    "shfl": f"__shfl_sync({_ALL}, ",
    "shfl_down": f"__shfl_down_sync({_ALL}, ",
    "shfl_up": f"__shfl_up_sync({_ALL}, ",
    "shfl_xor": f"__shfl_xor_sync({_ALL}, ",
    "any": f"__any_sync({_ALL}, ",
    "all": f"__all_sync({_ALL}, ",
    "ballot": f"__ballot_sync({_ALL}, ",
}
_REDUCED = {"plus": "v + o", "less": "o < v ? o : v", "greater": "v < o ? o : v"}
_OPERATOR = re.compile(r"(?:\w+\s*::\s*)?(\w+)\s*<[^<>]*>\s*(?:\(\s*\)|\{\s*\})")
_GROUPS = "cooperative_groups::"
_KINDS = (
    (re.compile(rf"{_GROUPS}thread_block"), _BLOCK),
    (re.compile(rf"{_GROUPS}thread_block_tile<32(?:, (?:void|.*block|.*<32.*>))?>"), _WARP),
)
_NUMBERS = frozenset(
    "BOOL CHAR_S SCHAR UCHAR SHORT USHORT INT UINT LONG ULONG LONGLONG ULONGLONG FLOAT "
    "DOUBLE".split()
)


Place = tuple[str, int]  # a file and an offset in it


def _place(cursor) -> Place:
    return (cursor.location.file.name if cursor.location.file else "", cursor.location.offset)


@dataclass
class _Function:
    """A function with groups: their declarations, and what is to be written for their uses."""

    node: Node
    kinds: dict[int, dict[str, str]] = field(default_factory=dict)  # by where it is declared
    edits: list[tuple[int, int, str]] = field(default_factory=list)
    given: list[tuple[Place, int]] = field(default_factory=list)  # to which function, its place
    calls: Counter[Place] = field(default_factory=Counter)  # of functions
    reduced: set[str] = field(default_factory=set)  # by which operators
    is_plain: bool = True  # all uses are understood

    @property
    def at(self) -> Place:
        """Return where it is defined."""
        return _place(self.node.cursor)

    def places(self) -> list[int]:
        """Return which of its parameters are groups."""
        parameters = [one for one in self.node.children if one.kind == "PARM_DECL"]
        return [
            place
            for place, one in enumerate(parameters)
            if one.cursor.location.offset in self.kinds
        ]


def _kind(cursor) -> dict[str, str] | None:
    """Return what stands for the calls of a group of this type; None for all else."""
    name = cursor.type.get_canonical().spelling
    name = re.sub(r"^const | ?[&]+$|(?<=>) const$", "", name)
    return next((calls for kind, calls in _KINDS if kind.fullmatch(name)), None)


class _Reader:
    """Reads one function."""

    def __init__(self, found: _Function, code: bytes):
        self.found, self.code = found, code

    def read(self) -> _Function:
        found = self.found
        for node in found.node.all():
            if node.kind in ("VAR_DECL", "PARM_DECL"):
                kind = _kind(node.cursor)
                if kind is not None:
                    found.kinds[node.cursor.location.offset] = kind
                    if node.kind == "VAR_DECL" and not self._is_made(node):
                        found.is_plain = False
        for node in found.node.all():
            if node.kind == "DECL_REF_EXPR" and self._group(node) is not None:
                found.is_plain = found.is_plain and self._is_used_plainly(node)
            elif node.kind == "LAMBDA_EXPR":
                found.is_plain = False
            elif node.kind == "CALL_EXPR" and node.cursor.spelling == "this_thread_block":
                member = node.meant()
                if member.kind == "MEMBER_REF_EXPR" and member.meant().kind == "CALL_EXPR":
                    self._is_called(_BLOCK, member, member.meant())
            elif node.kind == "CALL_EXPR" and (called := self._called(node)) is not None:
                found.calls[called] += 1
        return found

    @staticmethod
    def _called(call: Node) -> Place | None:
        """Return where the function of a file is defined that is called."""
        meant = call.cursor.referenced
        if meant is None or meant.kind.name != "FUNCTION_DECL":
            return None
        return _place(meant.get_definition() or meant)

    def _group(self, node: Node) -> dict[str, str] | None:
        meant = node.cursor.referenced
        return self.found.kinds.get(meant.location.offset) if meant is not None else None

    def _text(self, begin: int, end: int) -> str:
        return self.code[begin:end].decode("latin-1")

    def _is_made(self, variable: Node) -> bool:
        """Say whether a variable is this block, or a warp of it; note that it is left out."""
        statement = variable.parent
        if statement.kind != "DECL_STMT" or len(statement.children) != 1:
            return False
        for one in variable.children[-1].all():
            name = one.cursor.spelling if one.kind == "CALL_EXPR" else "thread_block"
            if name == "tiled_partition":
                if any(_kind(of) is None for of in one.cursor.get_arguments()):
                    return False
            elif name != "this_thread_block" and not name.startswith("thread_block"):
                return False
        blank = "\n" * self._text(statement.begin, statement.end).count("\n")
        end = statement.end + (self.code[statement.end - 1 : statement.end] != b";")
        self.found.edits.append((statement.begin, end, f"{blank};"))
        return True

    def _is_used_plainly(self, node: Node) -> bool:
        around = node.meant()
        if around.kind == "MEMBER_REF_EXPR":
            call = around.meant()
            return call.kind == "CALL_EXPR" and self._is_called(self._group(node), around, call)
        while around.kind == "CALL_EXPR" and around.cursor.spelling.startswith("thread_block"):
            around = around.meant()  # a copy
        if around.kind != "CALL_EXPR":
            return False
        name = around.cursor.spelling
        if name == "tiled_partition":
            variable = around.meant()
            while variable.kind == "CALL_EXPR":
                variable = variable.meant()
            return variable.kind == "VAR_DECL" and _kind(variable.cursor) is not None
        if name == "sync":
            self.found.edits.append((around.begin, around.end, self._group(node)["sync"]))
            return True
        if name == "reduce":
            return self._is_reduced(around)
        called = self._called(around)
        if called is None:
            return False
        for place, one in enumerate(around.cursor.get_arguments()):
            if one.extent.start.offset == node.begin and one.extent.end.offset == node.end:
                self.found.given.append((called, place))
                self.found.edits.append(self._without(node.begin, node.end))
                return True
        return False

    def _is_reduced(self, call: Node) -> bool:
        """Say whether a warp's reduction can be written as a function's, and note how."""
        given = list(call.cursor.get_arguments())
        if len(given) != 3 or _kind(given[0]) is not _WARP:
            return False
        value, by = (one.extent for one in given[1:])
        operator = _OPERATOR.fullmatch(self._text(by.start.offset, by.end.offset).strip())
        if given[1].type.get_canonical().kind.name not in _NUMBERS or not operator:
            return False
        if operator[1] not in _REDUCED:
            return False
        self.found.reduced.add(operator[1])
        name = f"emulator_warp_{operator[1]}("
        self.found.edits.append((call.begin, value.start.offset, name))
        self.found.edits.append((value.end.offset, call.end, ")"))
        return True

    def _is_called(self, calls: dict[str, str], member: Node, call: Node) -> bool:
        """Say whether a group's member is one that can be written otherwise, and note how."""
        name = member.cursor.spelling
        if instead := calls.get(name):
            if not re.fullmatch(r"\s*\(\s*\)", self._text(member.end, call.end)):
                return False
            self.found.edits.append((call.begin, call.end, instead))
            return True
        if calls is not _WARP or name not in _WITH_VALUES:
            return False
        arguments = list(call.cursor.get_arguments())
        if not arguments or arguments[0].type.get_canonical().kind.name not in _NUMBERS:
            return False
        opened = re.compile(rb"\s*\(\s*").match(self.code, member.end)
        if not opened:
            return False
        self.found.edits.append((call.begin, opened.end(), _WITH_VALUES[name]))
        return True

    def _without(self, begin: int, end: int) -> tuple[int, int, str]:
        """Return the edit that takes one of several things between commas away."""
        behind = re.compile(rb"\s*,\s*").match(self.code, end)
        if behind:
            return begin, behind.end(), ""
        before = re.compile(rb",\s*$").search(self.code[:begin])
        return (before.start() if before else begin), end, ""

    def parameters(self) -> Iterator[tuple[int, int, str]]:
        """Yield the edits that take the groups out of the function's head."""
        for one in self.found.node.children:
            if one.kind == "PARM_DECL" and one.cursor.location.offset in self.found.kinds:
                yield self._without(one.begin, one.end)


def _reduction(operator: str) -> str:
    """Return the function that reduces over a warp in the order of cooperative_groups.h."""
    return (
        f"template <typename T> __device__ T emulator_warp_{operator}(T v) {{ "
        f"for (int d = 1; d < 32; d *= 2) {{ const T o = __shfl_down_sync({_ALL}, v, d); "
        f"v = {_REDUCED[operator]}; }} return __shfl_sync({_ALL}, v, 0); }} "
    )


def _plain(functions: dict[Place, _Function]) -> dict[Place, _Function]:
    """Return those with groups that can be left out, also of the calls of each other."""
    left = {at: one for at, one in functions.items() if one.is_plain and one.edits}
    while True:
        taken = {at: len(one.places()) for at, one in left.items()}
        bad = {
            at
            for at, one in left.items()
            if any(
                place not in left[to].places() if to in left else True
                for to, place in one.given
            )
        }
        for at, one in functions.items():
            given = [to for to, _ in one.given] if at in left else []
            bad |= {
                to
                for to, calls in one.calls.items()
                if given.count(to) != calls * taken.get(to, 0)
            }
        if bad.isdisjoint(left):
            return left
        left = {at: one for at, one in left.items() if at not in bad}


def rewrite(unit, sources: Mapping[Path, str]) -> dict[Path, str] | None:
    """Return the texts with such groups written otherwise; None if there are none.

    unit: libclang's tree of these texts, parsed as device code.
    """
    if not any("cooperative_groups" in text for text in sources.values()):
        return None
    texts = {str(path): text.encode() for path, text in sources.items()}
    if any(name in texts for name, _ in syntax_tree.errors(unit)):
        return None
    readers = [
        _Reader(_Function(tree(cursor)), texts[cursor.location.file.name])
        for cursor in syntax_tree.functions(unit.cursor, set(texts))
    ]
    functions = {found.at: found for found in (reader.read() for reader in readers)}
    plain = _plain(functions)
    edits: dict[str, set[tuple[int, int, str]]] = {}
    reduced: set[str] = set()
    for reader in readers:
        found = reader.found
        if found.at in plain:
            new = "".join(map(_reduction, sorted(found.reduced - reduced)))
            reduced |= found.reduced
            of_file = edits.setdefault(found.at[0], set())
            of_file.update(found.edits, reader.parameters())
            of_file.add((found.node.begin, found.node.begin, new))
    if not edits:
        return None
    return syntax_tree.edited(sources, edits)
