"""Write kernels with warp operations as phases: between two waits, a loop over a warp's lanes.

At a shuffle each lane has to come before one goes on. With a call for each thread they leave
and are called again (resumed.py). Where all lanes of a warp do the same, one thread can run all
of them, up to the shuffle and from there on:

    __global__ void k(float* x) {                 for each warp {
        float v = x[threadIdx.x];                     for each lane { v[lane] = x[...];
                                   has also                           given[lane] = v[lane]; }
        v += __shfl_xor_sync(~0u, v, 1);              take(taken, given, 1);
        x[threadIdx.x] = v;                           for each lane { v[lane] += taken[lane];
    }                                                                 x[...] = v[lane]; } }

which the first thread of a block runs, if all goes in order (include/emulator_phases.h). Where
lanes of a warp part before a wait, or threads of a block before a barrier, the phases end, and
the kernel runs as it is written: from this warp on, or from the block's start if it has
barriers. So nothing that must not be done twice may have been done before such a place; else
the kernel has no phases. Nor has one that is not understood.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from helpers.emulator import phase_rules
from helpers.emulator.phase_rules import BLOCK, LANE, WARP, Stays, Wait
from helpers.emulator.syntax_tree import Node, line_at, tree

_KINDS = {"": "index", "up_": "up", "down_": "down", "xor_": "exclusive_or"}
_LOOPS = frozenset("FOR_STMT WHILE_STMT DO_STMT".split())
_JUMPS = {"RETURN_STMT": "return", "BREAK_STMT": "break", "CONTINUE_STMT": "continue"}
_TYPES = frozenset("TYPEDEF_DECL TYPE_ALIAS_DECL ENUM_DECL USING_DIRECTIVE".split())
_BARRIER = "__syncthreads"
_WIDTH = re.compile(r"1|2|4|8|16|32|warpSize")
_UNKNOWN = re.compile(r"&|\bauto\b|\(|\btype-parameter\b|\bdecltype\b|dependent")
_MOST_WAITS, _MOST_ARRAYS, _MOST_ELEMENTS = 30, 24, 64


@dataclass
class _Scope:
    """Names that a block declares: of a lane's variables, the array; of others, None."""

    end: int
    names: dict[str, str | None] = field(default_factory=dict)


@dataclass
class _Run:
    """What each lane does between two waits."""

    label: str
    pieces: list[str] = field(default_factory=list)
    text: str = ""  # of the kernel's own, without comments
    declared: dict[str, tuple[_Scope, str]] = field(default_factory=dict)  # name: scope, type
    end: int = 0
    jumps: set[str] = field(default_factory=set)


class _Writer:
    """One kernel: writes its phases."""

    def __init__(self, cursor, text: bytes, code: str, rules: phase_rules.File):
        self.code, self.text, self.rules = code, text.decode("latin-1"), rules
        function = tree(cursor)
        self.body = function.children[-1]
        self.parameters = [one for one in function.children if one.kind == "PARM_DECL"]
        self.kernel = phase_rules.Kernel(rules, self.body, self.parameters, code)
        self.has_barriers = any(one.name == _BARRIER for one in self.kernel.waits)
        self.hoisted: list[str] = []
        self.given: list[str] = []
        self.arrays: list[str] = []
        self.kinds: dict[str, str] = {}  # of an array: the type of an element
        self.out: list[str] = []
        self.number = 0
        self.run = _Run(self._new("next"))
        self.scopes = [_Scope(self.body.end)]
        self.loops: list[tuple[str, str]] = []  # of those with waits: labels to leave, to go on
        self.end_of_warp = ""  # a label; "" outside of a loop over warps
        self.effects = False

    # ---- the whole ---------------------------------------------------------------------------

    def write(self) -> str:
        """Return the text to put at the beginning of the kernel; Stays if there is none."""
        waits = self.kernel.waits
        if all(one.name == _BARRIER for one in waits) or len(waits) > _MOST_WAITS:
            raise Stays
        for one in self.parameters:
            name, kind = one.cursor.spelling, one.cursor.type.spelling
            if name in self.kernel.changed:
                array = self.scopes[0].names[name] = self._array(name, kind)
                self.given.append(f"EMULATOR_GIVEN({array}, {name});")
        if self.has_barriers:
            self.out += self.given
            self._in_block(self.body.children)
        else:
            self._in_warps(self.body.children, last=True)
        lines = "\n".join([*self.hoisted, *self.arrays, *self.out])
        line = line_at(self.code, self.body.begin)
        return (
            f" EMULATOR_PHASES_BEGIN({str(self.has_barriers).lower()})\n{lines}\n"
            f"EMULATOR_PHASES_END\n#line {line}\n"
        )

    def _new(self, what: str) -> str:
        self.number += 1
        return f"emulator_{what}_{self.number}"

    def _may_part(self) -> None:
        """Note a place at which lanes or threads may part; Stays if that would be too late."""
        if self.effects:
            raise Stays

    def _in_block(self, statements: Sequence[Node]) -> None:
        """Write statements of which some are barriers or have them inside."""
        apart: list[Node] = []
        for one in statements:
            if any(wait.name == _BARRIER for wait in self.kernel.inside(one)):
                self._in_warps(apart)
                apart = []
                self._with_barrier(one)
            elif not self._hoist(one) and not self._scalar(one, BLOCK):
                apart.append(one)
        self._in_warps(apart, last=bool(apart) and apart[-1] is self.body.children[-1])

    def _in_warps(self, statements: Sequence[Node], last: bool = False) -> None:
        """Write statements without a barrier: a loop over the block's warps."""
        if not statements:
            return
        self.end_of_warp = self._new("end")
        if self.has_barriers and any(map(self.kernel.has_effects, statements)):
            self.effects = True  # of one warp, before another one comes here
        self.out.append("EMULATOR_EACH_WARP { {")
        if not self.has_barriers:  # the arrays are those of one warp
            self.out += self.given
        for one in statements:
            self._statement(one)
        self._flush(last=last)
        self.out.append(f"}} {self.end_of_warp}:; }}")
        self.end_of_warp = ""

    # ---- barriers ----------------------------------------------------------------------------

    def _with_barrier(self, node: Node) -> None:
        node = _bare(node)
        waits = self.kernel.inside(node)
        if node.kind == "CALL_EXPR":
            if len(waits) != 1 or self.code[node.begin : waits[0].begin].strip():
                raise Stays
            if not self._is_whole(node, waits[0]):
                raise Stays
            if self._returns_before(node):
                self._may_part()
            self.out.append("EMULATOR_BARRIER")
        elif node.kind == "COMPOUND_STMT":
            self.scopes.append(_Scope(node.end))
            self.out.append("{")
            self._in_block(node.children)
            self.out.append("}")
            self.scopes.pop()
        elif node.kind == "IF_STMT":
            self._if(node, BLOCK, self._block_of)
        elif node.kind == "FOR_STMT" and self._is_uniform(node, BLOCK):
            self._uniform_for(node, self._block_of)
        else:
            raise Stays

    def _block_of(self, node: Node) -> None:
        self._in_block([node])

    def _returns_before(self, node: Node) -> bool:
        return any(
            one.kind == "RETURN_STMT" and one.begin < node.begin for one in self.kernel.nodes
        )

    def _is_whole(self, node: Node, wait: Wait) -> bool:
        return self._end(node) == self.code.find(";", wait.end) + 1

    # ---- runs --------------------------------------------------------------------------------

    def _end(self, node: Node) -> int:
        """Return where a statement ends, behind its semicolon."""
        if self.code[node.end - 1] in ";}":
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
        for first, last, instead in sorted(edits):
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
        if _UNKNOWN.search(kind) or len(self.arrays) >= _MOST_ARRAYS:
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
        """Return the same as copies, and what brings them back: the compiler makes vectors of it."""
        begin = end = ""
        for name in dict.fromkeys(re.findall(r"\b[A-Za-z_]\w*", text)):
            array = self._array_of(name)
            if not array:
                continue
            at = f"::emulator::at({array}, emulator_j)"
            if "[" in self.kinds[array]:
                begin += f"[[maybe_unused]] auto& {name} = {at}; "
            elif phase_rules.is_changed(name, text):
                begin += f"auto {name} = {at}; "
                end += f"{at} = {name}; "
            else:
                begin += f"[[maybe_unused]] const auto {name} = {at}; "
        return begin, end

    def _flush(self, last: bool = False) -> None:
        """Write the loop over the lanes for what has been gathered.

        last: nothing of the kernel follows.
        """
        run, self.run = self.run, _Run(self._new("next"))
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

    # ---- statements --------------------------------------------------------------------------

    def _statement(self, node: Node) -> None:
        """Write a statement of a warp."""
        node = _bare(node)
        if node.kind in _JUMPS:
            self._jump(node)
        elif node.kind == "IF_STMT" and any(self._jumps(node)) and self._is_alike_if(node):
            self._if(node, WARP, self._statement)
        elif not self.kernel.inside(node):
            if not self._hoist(node) and not self._scalar(node, WARP):
                self._plain(node)
        elif node.kind == "COMPOUND_STMT":
            self._flush()
            self.scopes.append(_Scope(node.end))
            self.out.append("{")
            for one in node.children:
                self._statement(one)
            self._flush()
            self.out.append("}")
            self.scopes.pop()
        elif node.kind == "IF_STMT":
            self._if(node, WARP, self._statement)
        elif node.kind == "FOR_STMT":
            if self._is_uniform(node, WARP):
                self._uniform_for(node, self._statement)
            else:
                self._for(node)
        elif node.kind in ("WHILE_STMT", "DO_STMT"):
            self._while(node)
        else:
            self._with_waits(node)

    def _plain(self, node: Node) -> None:
        begin, end = node.begin, node.end if node.kind == "NULL_STMT" else self._end(node)
        self._declare(node)
        self.effects = self.effects or self.kernel.has_effects(node)
        jumps = list(self._jumps(node))
        self.run.jumps.update(jump for *_, jump in jumps)
        label = self.run.label
        edits = [
            (first, last, f"EMULATOR_JUMP({jump}, {label})") for first, last, jump in jumps
        ]
        self._piece(begin, end, edits)

    def _jump(self, node: Node) -> None:
        """Write a jump that all lanes make."""
        jump = _JUMPS[node.kind]
        if node.children or self.code[node.begin : node.end] != jump:
            raise Stays
        self._flush()
        self.out.append(f"{{ {self._to(jump)} }}")

    def _to(self, jump: str) -> str:
        if jump != "return":
            if not self.loops or self.loops[-1][0].startswith("emulator_block"):
                raise Stays
            return f"goto {self.loops[-1][jump == 'continue']};"
        return f"{'EMULATOR_WARP_ENDS ' * self.has_barriers}goto {self.end_of_warp};"

    def _is_alike_if(self, node: Node) -> bool:
        return len(node.children) in (2, 3) and self.kernel.level(node.children[0]) >= WARP

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
            if name in self.run.declared:
                self._flush()
            kind = one.cursor.type.spelling
            if "auto" in kind:
                kind = one.cursor.type.get_canonical().spelling
            self.run.declared[name] = (self.scopes[-1], kind)

    def _jumps(self, node: Node, in_loop: bool = False, in_switch: bool = False) -> Iterator:
        """Yield the replacements of jumps that leave a statement."""
        kind = node.kind
        if jump := _JUMPS.get(kind):
            inner = in_loop if jump == "continue" else in_loop or in_switch
            if jump == "return" or not inner:
                if node.children or self.code[node.begin : node.end] != jump:
                    raise Stays
                yield node.begin, node.end, jump
            return
        for child in node.children:
            yield from self._jumps(
                child, in_loop or kind in _LOOPS, in_switch or kind == "SWITCH_STMT"
            )

    def _hoist(self, node: Node) -> bool:
        """Write types, shared arrays and constants before all else. Whether a node is that."""
        if node.kind != "DECL_STMT" or not node.children:
            return False
        if all(one.kind in _TYPES for one in node.children):
            pass
        elif any(one.kind != "VAR_DECL" for one in node.children):
            raise Stays
        elif all(one.has("CUDASHARED_ATTR") for one in node.children):
            pass
        elif re.match(r"(?:static\s+)?constexpr\b", self.code[node.begin :]):
            pass
        else:
            return False
        if node.parent is not self.body:
            raise Stays
        self.hoisted.append(self._as_written(node))
        for one in node.children:
            self.scopes[-1].names[one.cursor.spelling] = None
        return True

    def _scalar(self, node: Node, level: int) -> bool:
        """Write a variable that all lanes have alike, once. Whether a declaration is that."""
        if node.kind != "DECL_STMT" or not node.children:
            return False
        for one in node.children:
            if one.kind != "VAR_DECL" or self.kernel.of_variable(one) < level:
                return False
        if self._names_lanes(self.code[node.begin : node.end]):
            return False
        self.out.append(self._as_written(node))
        for one in node.children:
            self.scopes[-1].names[one.cursor.spelling] = None
        return True

    def _as_written(self, node: Node) -> str:
        return f"#line {line_at(self.code, node.begin)}\n{self.text[node.begin : node.end]}"

    def _names_lanes(self, text: str) -> bool:
        """Say whether a text names a variable that each lane has for itself."""
        names = set(re.findall(r"\b[A-Za-z_]\w*", text))
        return any(name in self.run.declared or self._array_of(name) for name in names)

    # ---- control -----------------------------------------------------------------------------

    def _head(self, node: Node, word: str) -> tuple[int, int]:
        """Return where what stands in a statement's brackets begins and ends."""
        found = re.compile(rf"{word}\s*\(").match(self.code, node.begin)
        end = phase_rules.closing(self.code, found.end() - 1) if found else -1
        if end < 0:
            raise Stays
        return found.end(), end

    def _if(self, node: Node, level: int, write) -> None:
        if len(node.children) not in (2, 3) or node.children[0].kind in (
            "DECL_STMT",
            "VAR_DECL",
        ):
            raise Stays
        begin, end = self._head(node, r"if(?:\s+constexpr)?")
        condition, then, *other = node.children
        constant = "constexpr " if re.match(r"if\s+constexpr", self.code[node.begin :]) else ""
        if constant or self.kernel.level(condition) >= level:
            edits = self._prepare(begin, end)
            text = " ".join(
                self._edited(begin, end, edits, self._plain_text(begin, end)).split()
            )
            self._flush()
            named = self._without_waits(begin, end)
            refs = self._refs(named, "emulator_first") if level == WARP else ""
            if level == BLOCK and self._names_lanes(named):
                raise Stays
            self.out.append(f"{{ {refs}if {constant}({text}) {{")
        elif level == BLOCK:
            raise Stays
        else:
            bits = self._bits(begin, end)
            self._flush()
            self.effects = self.effects or self.kernel.has_effects(condition)
            self._may_part()
            self.out.append(f"{{ if ({bits} && {bits} != ~0u) EMULATOR_PART if ({bits}) {{")
        write(then)
        self._flush()
        for one in other:
            self.out.append("} else {")
            write(one)
            self._flush()
        self.out.append("} }")

    def _bits(self, begin: int, end: int) -> str:
        """Compute a condition of each lane in the run; return the variable with its bits."""
        bits = self._new("bits")
        edits = self._prepare(begin, end)
        self.out.append(f"unsigned {bits} = 0;")
        around = f"{bits} |= static_cast<unsigned>(static_cast<bool>({{}})) << emulator_i;"
        self._piece(begin, end, edits, around)
        return bits

    def _is_uniform(self, node: Node, level: int) -> bool:
        if self.kernel.of_loop(node) < level:
            return False
        begin, end = self._head(node, "for")
        named = self.code[begin:end]
        variables = [one for one in node.children[0].children if one.kind == "VAR_DECL"]
        if any(self.kernel.of_variable(one) < level for one in variables):
            return False
        return level == WARP or not self._names_lanes(named)

    def _uniform_for(self, node: Node, write) -> None:
        """Write a loop of which all lanes make the same turns."""
        begin, end = self._head(node, "for")
        self._flush()
        self._look_around(node)
        refs = self._refs(self.code[begin:end], "emulator_first") if self.end_of_warp else ""
        block = "" if self.end_of_warp else "block_"
        leave, go_on = self._new(f"{block}behind"), self._new(f"{block}go_on")
        self.scopes.append(_Scope(node.end))
        for one in node.children[0].children:
            self.scopes[-1].names[one.cursor.spelling] = None
        head = self._one_line(begin, end)
        self.out.append(
            f"{{ {refs}\n#line {line_at(self.code, node.begin)}\nfor ({head}) {{ {{"
        )
        self._body(node.children[-1], leave, go_on, write)
        self.out.append(f"}} {go_on}:; }} }} {leave}:;")
        self.scopes.pop()

    def _body(self, node: Node, leave: str, go_on: str, write) -> None:
        self.loops.append((leave, go_on))
        write(node)
        self._flush()
        self.loops.pop()

    def _look_around(self, loop: Node) -> None:
        """Count what a loop does as done, as its next turn comes behind it."""
        self.effects = self.effects or self.kernel.has_effects(loop)

    def _turns(self, condition: Node, leave: str) -> None:
        """Write the end of a loop whose condition no lane fulfils any more."""
        begin, end = condition.begin, condition.end
        if self.kernel.level(condition) >= WARP:
            refs = self._refs(self.code[begin:end], "emulator_first")
            text = self._one_line(begin, end)
            self._flush()
            self.out.append(f"{{ {refs}if (!({text})) goto {leave}; }}")
            return
        self._may_part()
        bits = self._bits(begin, end)
        self._flush()
        self.out.append(f"if ({bits} != ~0u) {{ if ({bits}) EMULATOR_PART goto {leave}; }}")

    def _for(self, node: Node) -> None:
        """Write a loop whose variable is each lane's own."""
        begin, end = self._head(node, "for")
        if len(node.children) != 4:
            raise Stays
        first, condition, step, body = node.children
        if any(map(self.kernel.inside, (first, condition, step))):
            raise Stays
        leave, go_on = self._new("behind"), self._new("go_on")
        self._flush()
        self.scopes.append(_Scope(node.end))
        if first.kind == "DECL_STMT":
            self._declare(first)
        self._piece(begin, self.code.index(";", begin) + 1)
        self._flush()
        self._look_around(node)
        self.out.append("for (;;) { {")
        self._turns(condition, leave)
        self._body(body, leave, go_on, self._statement)
        self.out.append(f"}} {go_on}:; {{")
        self._piece(step.begin, step.end, around="{};")
        self._flush()
        self.out.append(f"}} }} {leave}:;")
        self.scopes.pop()

    def _while(self, node: Node) -> None:
        leave, go_on = self._new("behind"), self._new("go_on")
        self._flush()
        self._look_around(node)
        self.out.append("for (;;) { {")
        if node.kind == "WHILE_STMT":
            condition, body = node.children
            self._head(node, "while")
            if self.kernel.inside(condition):
                raise Stays
            self._turns(condition, leave)
            self._body(body, leave, go_on, self._statement)
            self.out.append(f"}} {go_on}:; }} {leave}:;")
            return
        body, condition = node.children
        if self.kernel.inside(condition) or not self.code.startswith("do", node.begin):
            raise Stays
        self._body(body, leave, go_on, self._statement)
        self.out.append(f"}} {go_on}:; {{")
        self._turns(condition, leave)
        self.out.append(f"}} }} {leave}:;")

    # ---- waits -------------------------------------------------------------------------------

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
            if one.name in ("__syncwarp", _BARRIER) or len(one.arguments) < 2:
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
        after = f"::emulator::hand_over<::emulator::Shuffle::{_KINDS[how]}>({taken}, {given}, {text}, {wide});"
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
                if kind and not _UNKNOWN.search(kind):
                    return kind
            if one.begin == begin and one.end == end:
                kind = one.cursor.type.spelling
                if kind and not _UNKNOWN.search(kind) and "[" not in kind:
                    return kind
        raise Stays


def _bare(node: Node) -> Node:
    """Return a statement without its attributes, as of `#pragma unroll`."""
    while node.kind == "UNEXPOSED_STMT" and node.children:
        node = node.children[-1]
    return node


def write(cursor, text: bytes, code: str, rules: phase_rules.File) -> str:
    """Return what to put at the beginning of a kernel's body; "" if it has no phases.

    cursor: libclang's, of the kernel. code: the text without comments and strings.
    """
    try:
        return _Writer(cursor, text, code, rules).write()
    except Stays:
        return ""
