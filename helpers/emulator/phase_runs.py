"""Write what each lane of a warp does between two waits: a loop over the lanes.

What a lane still needs behind a wait lies in an array of the warp's lanes, or of the block's.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from helpers.emulator import phase_rules
from helpers.emulator.phase_rules import Stays
from helpers.emulator.syntax_tree import Node, line_at, type_name

_UNKNOWN = re.compile(r"&|\bauto\b|\(|\btype-parameter\b|\bdecltype\b|dependent")
_MOST_ARRAYS, _MOST_ELEMENTS = 24, 64


def is_known(kind: str) -> bool:
    """Say whether the name of a type tells all of it."""
    return bool(kind) and not _UNKNOWN.search(kind)


@dataclass
class Scope:
    """Names that a block declares: of a lane's variables, the array; of others, None."""

    end: int
    names: dict[str, str | None] = field(default_factory=dict)


@dataclass
class Run:
    """What each lane does between two waits."""

    label: str
    pieces: list[str] = field(default_factory=list)
    text: str = ""  # of the kernel's own, without comments
    declared: dict[str, tuple[Scope, str]] = field(default_factory=dict)  # name: scope, type
    end: int = 0
    jumps: set[str] = field(default_factory=set)


class Runs:
    """The runs of one kernel."""

    def __init__(self, function: Node, text: bytes, code: str, rules: phase_rules.File):
        self.code, self.text, self.rules = code, text.decode("latin-1"), rules
        self.body = function.children[-1]
        self.parameters = [one for one in function.children if one.kind == "PARM_DECL"]
        self.kernel = phase_rules.Kernel(rules, self.body, self.parameters, code)
        self.has_barriers = any(one.name == "__syncthreads" for one in self.kernel.waits)
        self.hoisted: list[str] = []
        self.given: list[str] = []
        self.arrays: list[str] = []
        self.kinds: dict[str, str] = {}  # of an array: the type of an element
        self.out: list[str] = []
        self.number = 0
        self.run = Run(self._new("next"))
        self.scopes = [Scope(self.body.end)]
        self.loops: list[tuple[str, str]] = []  # of those with waits: labels to leave, to go on
        self.end_of_warp = ""  # a label; "" outside of a loop over warps
        self.depth = 0  # of the scopes around that loop
        self.effects = False

    def _new(self, what: str) -> str:
        self.number += 1
        return f"emulator_{what}_{self.number}"

    def _may_part(self) -> None:
        """Note a place at which lanes or threads may part; Stays if that would be too late."""
        if self.effects:
            raise Stays

    def _end(self, node: Node) -> int:
        """Return where a statement ends, behind its semicolon."""
        last = node  # of it, as what an `if` does: it may end with `T{...}`
        while last.kind.endswith("_STMT") and last.kind != "COMPOUND_STMT" and last.children:
            last = last.children[-1]
        if self.code[node.end - 1] == ";" or last.kind == "COMPOUND_STMT":
            return node.end
        end = self.code.find(";", node.end)
        if end < 0 or self.code[node.end : end].strip():
            raise Stays
        return end + 1

    def _plain_text(self, begin: int, end: int) -> str:
        """Return the file's text, without comments if it has no strings at a place."""
        return self.text if re.search("[\"']", self.text[begin:end]) else self.code

    def _one_line(self, begin: int, end: int) -> str:
        return " ".join(self._plain_text(begin, end)[begin:end].split())

    def _piece(
        self,
        begin: int,
        end: int,
        edits: Sequence[tuple[int, int, str]] = (),
        around: str = "{}",
    ) -> None:
        """Add text of the kernel to the run."""
        text = self.text if around == "{}" else self._plain_text(begin, end)
        new = self._edited(begin, end, edits, text)
        self.run.pieces.append(
            f"#line {line_at(self.code, begin)}\n{around.replace('{}', new)}"
        )
        self.run.text += self._without_waits(begin, end) + "; "
        if around == "{}":  # else what stands before it in the statement is still to come
            self.run.end = max(self.run.end, end)

    def _edited(
        self, begin: int, end: int, edits: Sequence[tuple[int, int, str]], text: str
    ) -> str:
        new, at = "", begin
        # What is inserted at one place stands in the order of the edits: outer calls are first.
        for first, last, instead in sorted(edits, key=lambda one: one[:2]):
            new += text[at:first] + instead + "\n" * self.text.count("\n", first, last)
            at = last
        return new + text[at:end]

    def _without_waits(self, begin: int, end: int) -> str:
        """Return the code at a place, with its warp operations blanked."""
        text = self.code[begin:end]
        for one in self.kernel.waits:
            if begin <= one.begin < end:
                text = (
                    text[: one.begin - begin]
                    + " " * (one.end - one.begin)
                    + text[one.end - begin :]
                )
        return text

    def _array_of(self, name: str) -> str | None:
        """Return the array of a lane's variable; None for what is no such variable."""
        for scope in reversed(self.scopes):
            if name in scope.names:
                return scope.names[name]
        return None

    def _array(self, name: str, kind: str) -> str:
        if not is_known(kind) or len(self.arrays) >= _MOST_ARRAYS:
            raise Stays
        extents = re.findall(r"\[([^\]]*)\]", kind)
        elements = 1
        for one in extents:
            elements *= int(one) if one.isdigit() else _MOST_ELEMENTS + 1
        if elements > _MOST_ELEMENTS:
            raise Stays
        array = self._new(f"v_{name}")
        self.arrays.append(f"EMULATOR_LANES_OF({kind}) {array};")
        self.kinds[array] = kind
        return array

    def _refs(self, text: str, at: str = "emulator_j") -> str:
        """Return the declarations of what a text names of a lane's variables."""
        names = dict.fromkeys(re.findall(r"\b[A-Za-z_]\w*", text))
        found = ((name, self._array_of(name)) for name in names)
        return "".join(
            f"[[maybe_unused]] auto& {name} = ::emulator::at({array}, {at}); "
            for name, array in found
            if array
        )

    def _copies(self, text: str) -> tuple[str, str]:
        """Return the same as copies, which can be vectors, and what brings them back."""
        begin = end = ""
        for name in dict.fromkeys(re.findall(r"\b[A-Za-z_]\w*", text)):
            array = self._array_of(name)
            if not array:
                continue
            declared, back = self._copy(name, f"::emulator::at({array}, emulator_j)", text)
            begin += declared
            end += back
        return begin, end

    def _copy(self, name: str, at: str, text: str) -> tuple[str, str]:
        """Return what declares a variable as a copy of its element, and what brings it back."""
        if "[" in self.kinds[self._array_of(name)]:
            return f"[[maybe_unused]] auto& {name} = {at}; ", ""
        if phase_rules.is_changed(name, text):
            return f"auto {name} = {at}; ", f"{at} = {name}; "
        return f"[[maybe_unused]] const auto {name} = {at}; ", ""

    def _flush(self, last: bool = False) -> None:
        """Write the loop over the lanes for what has been gathered.

        last: nothing of the kernel follows.
        """
        run, self.run = self.run, Run(self._new("next"))
        if not run.pieces:
            return
        quiet = phase_rules.is_quiet(run.text) and not run.jumps
        refs, back = self._copies(run.text) if quiet else (self._refs(run.text), "")
        stores = ""
        for name, (scope, kind) in run.declared.items():
            scope.names[name] = None
            if re.search(rf"\b{name}\b", self.code[run.end : scope.end]):
                scope.names[name] = array = self._array(name, kind)
                stores += f"::emulator::keep(::emulator::at({array}, emulator_j), {name}); "
        told = self.rules.calls_of_thread(run.text)
        kind = "TOLD" if told else "QUIET" if quiet else "EACH"
        flags = "".join(
            f"[[maybe_unused]] unsigned emulator_{one} = 0; " for one in sorted(run.jumps)
        )
        pieces = "\n".join(run.pieces)
        label = f" {run.label}:; " if run.jumps else " "
        self.out.append(
            f"{{ {flags}EMULATOR_{kind}_LANE {{ {refs}{{\n{pieces}\n{stores}}}{back}{label}}} "
            + ("EMULATOR_QUIET_END" if kind == "QUIET" else "")
        )
        if not last:
            self._leave(run.jumps)
        self.out.append("}")

    def _leave(self, jumps: set[str]) -> None:
        """Write what follows a run with jumps: all lanes take one, or none does."""
        for one in sorted(jumps):
            self._may_part()
            parts = f"if (emulator_{one} != ~0u) EMULATOR_PART"
            self.out.append(f"if (emulator_{one}) {{ {parts} {self._to(one)} }}")

    def _to(self, jump: str) -> str:
        if jump != "return":
            if not self.loops or self.loops[-1][0].startswith("emulator_block"):
                raise Stays
            return f"goto {self.loops[-1][jump == 'continue']};"
        return f"{'EMULATOR_WARP_ENDS ' * self.has_barriers}goto {self.end_of_warp};"

    def _declare(self, node: Node) -> None:
        """Note the variables of a declaration, which the run's lanes begin to have."""
        if node.kind != "DECL_STMT":
            return
        for one in node.children:
            name = one.cursor.spelling
            if one.kind != "VAR_DECL" or not name:
                raise Stays
            if one.cursor.storage_class.name not in ("NONE", "REGISTER", "AUTO"):
                raise Stays
            if "alignas" in self.code[node.begin : one.cursor.location.offset]:
                raise Stays
            if name in self.run.declared:
                self._flush()
            kind = type_name(one.cursor)
            if "auto" in kind:
                kind = one.cursor.type.get_canonical().spelling
            self.run.declared[name] = (self.scopes[-1], kind)

    def _as_written(self, node: Node) -> str:
        return f"#line {line_at(self.code, node.begin)}\n{self.text[node.begin : node.end]}"

    def _names_lanes(self, text: str) -> bool:
        """Say whether a text names a variable that each lane has for itself."""
        names = set(re.findall(r"(?<![\w.])(?<!->)[A-Za-z_]\w*", text))  # no member of another
        return any(name in self.run.declared or self._array_of(name) for name in names)
