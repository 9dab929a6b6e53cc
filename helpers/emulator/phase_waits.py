"""Write the warp operations of a kernel: what all lanes hand in, and what each reads."""

from __future__ import annotations

import re

from helpers.emulator.phase_rules import Stays, Wait
from helpers.emulator.phase_runs import Runs, is_known
from helpers.emulator.syntax_tree import Node

BARRIER = "__syncthreads"
_KINDS = {"": "index", "up_": "up", "down_": "down", "xor_": "exclusive_or"}
_WIDTH = re.compile(r"1|2|4|8|16|32|warpSize")


class Waits(Runs):
    """The runs of one kernel, and the warp operations between them."""

    def _with_waits(self, node: Node) -> None:
        """Write a statement with warp operations, which all lanes come to."""
        begin, end = node.begin, self._end(node)
        if node.kind == "DECL_STMT" and len(node.children) != 1:
            raise Stays
        wait = self.kernel.inside(node)[0]
        if wait.name == "__syncwarp":
            if node.kind != "CALL_EXPR" or begin != wait.begin:
                raise Stays
            self._full(wait.arguments[0] if wait.arguments else None)
            self._flush()
            return
        if node.kind not in (
            "DECL_STMT",
            "BINARY_OPERATOR",
            "COMPOUND_ASSIGNMENT_OPERATOR",
            "CALL_EXPR",
        ):
            raise Stays
        edits = self._prepare(begin, end)
        self._declare(node)
        self.effects = self.effects or self.kernel.has_effects(node)
        self._piece(begin, end, edits)

    def _prepare(self, begin: int, end: int) -> list[tuple[int, int, str]]:
        """Write the warp operations of a statement; return what to read in their places.

        The run ends with what each lane hands in, so the statement begins another one.
        """
        waits = [one for one in self.kernel.waits if begin <= one.begin < end]
        if not waits:
            return []
        if re.search(r"&&|\|\||\?", self._without_waits(begin, end)):
            raise Stays  # not every lane may come to it
        if re.search(r"\+\+|--", self.code[begin:end]):
            raise Stays
        if any(a.begin < b.begin < a.end for a in waits for b in waits):
            raise Stays
        edits, behind = [], []
        for one in waits:
            if one.name == "__activemask":
                edits.append((one.begin, one.end, "(~0u)"))
                continue
            if one.name in ("__syncwarp", BARRIER) or len(one.arguments) < 2:
                raise Stays
            if self.rules.has_effects(self.code[one.arguments[0][0] : one.end]):
                raise Stays
            self._full(one.arguments[0])
            if "shfl" in one.name:
                new, after = self._shuffle(one)
                behind.append(after)
            else:
                new = self._vote(one)
            edits.append((one.begin, one.end, new))
        self._flush()
        self.out += behind
        return edits

    def _full(self, mask: tuple[int, int] | None) -> None:
        """See to it that a mask names all lanes, which all are here."""
        if mask is None or self.rules.is_full(self.code[slice(*mask)]):
            return
        named = self._new("mask")
        self.out.append(f"unsigned {named} = ~0u;")
        self._piece(*mask, around=f"{named} &= static_cast<unsigned>({{}});")
        self._flush()
        self._may_part()
        self.out.append(f"if ({named} != ~0u) EMULATOR_PART")

    def _vote(self, wait: Wait) -> str:
        bits = self._new("votes")
        self.out.append(f"unsigned {bits} = 0;")
        around = f"{bits} |= static_cast<unsigned>(static_cast<int>({{}}) != 0) << emulator_i;"
        self._piece(*wait.arguments[1], around=around)
        form = {"__any_sync": "({} != 0)", "__all_sync": "({} == ~0u)"}.get(wait.name, "{}")
        kind = "unsigned" if wait.name == "__ballot_sync" else "int"
        return f"static_cast<{kind}>({form.format(bits)})"

    def _shuffle(self, wait: Wait) -> tuple[str, str]:
        """Let each lane hand in its number; return what it reads, and how it comes there."""
        if len(wait.arguments) not in (3, 4):
            raise Stays
        _, value, by, *width = wait.arguments
        if width and not _WIDTH.fullmatch(self.code[slice(*width[0])].strip()):
            raise Stays
        kind = self._kind_of(wait, value)
        given, taken = self._new("given"), self._new("taken")
        text = self.code[slice(*value)].strip()
        if (array := self._array_of(text)) and text not in self.run.declared:
            self.out.append(f"EMULATOR_OF_WARP({kind}) {taken};")
            given = f"{array} + emulator_first"
        else:
            self.out.append(f"EMULATOR_OF_WARP({kind}) {given}, {taken};")
            self._piece(*value, around=f"::emulator::at({given}, emulator_i) = ({{}});")
        text = self._one_line(*by)
        if not self._is_alike(self.code[slice(*by)]):
            name = self._new("by")
            self.out.append(f"int {name}[::emulator::kWarp];")
            self._piece(
                *by, around=f"::emulator::at({name}, emulator_i) = static_cast<int>({{}});"
            )
            text = name
        how = re.fullmatch(r"__shfl_(\w*?)sync", wait.name)[1]
        wide = self.text[slice(*width[0])].strip() if width else "::emulator::kWarp"
        hand_over = f"::emulator::hand_over<::emulator::Shuffle::{_KINDS[how]}>"
        after = f"{hand_over}({taken}, {given}, {text}, {wide});"
        return f"::emulator::at({taken}, emulator_i)", after

    def _is_alike(self, text: str) -> bool:
        """Say whether an expression is made of what all lanes have alike."""
        if re.search(r"[\[\]\"'.]|->|\w\s*\(|(?:^|[(,+\-*/%&|^])\s*[*&]", text):
            return False
        if self._names_lanes(text):
            return False
        names = set(re.findall(r"\b[A-Za-z_]\w*", text))
        return all(self._is_known(name) for name in names)

    def _is_known(self, name: str) -> bool:
        if any(name in scope.names for scope in self.scopes) or name in self.kernel.parameters:
            return True
        return name == "warpSize" or name in self.rules.macros or self.rules.is_constant(name)

    def _kind_of(self, wait: Wait, value: tuple[int, int]) -> str:
        """Return the type of the number that a shuffle hands over."""
        text = self.code[slice(*value)].strip()
        if text in self.run.declared:
            return self.run.declared[text][1]
        if array := self._array_of(text):
            return self.kinds[array]
        begin = (
            value[0] + len(self.code[slice(*value)]) - len(self.code[slice(*value)].lstrip())
        )
        end = begin + len(text)
        for one in self.kernel.nodes:
            if one.begin == wait.begin and one.end == wait.end and one.kind == "CALL_EXPR":
                kind = one.cursor.type.spelling
                if is_known(kind):
                    return kind
            if one.begin == begin and one.end == end:
                kind = one.cursor.type.spelling
                if is_known(kind) and "[" not in kind:
                    return kind
        raise Stays
