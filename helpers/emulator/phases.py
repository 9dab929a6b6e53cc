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
the kernel has no phases. Nor has one that is not understood. A warp goes on to a barrier, or to
the end, before the next one begins; without phases each comes to its shuffle first. A GPU may
do either, so a race between warps may lead to something else.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from helpers.emulator import phase_rules
from helpers.emulator.phase_rules import BLOCK, WARP, WARP_OPERATION, Stays, Wait
from helpers.emulator.phase_runs import Scope
from helpers.emulator.phase_waits import BARRIER, Waits
from helpers.emulator.syntax_tree import Node, line_at

_LOOPS = frozenset("FOR_STMT WHILE_STMT DO_STMT".split())
_JUMPS = {"RETURN_STMT": "return", "BREAK_STMT": "break", "CONTINUE_STMT": "continue"}
_TYPES = frozenset("TYPEDEF_DECL TYPE_ALIAS_DECL ENUM_DECL USING_DIRECTIVE".split())
MOST_WAITS = 30


class Writer(Waits):
    """One kernel: writes its phases."""

    # ---- the whole ---------------------------------------------------------------------------

    def write(self) -> str:
        """Return the text to put at the beginning of the kernel; Stays if there is none."""
        if len(self.kernel.waits) > MOST_WAITS or self.kernel.lambdas:
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

    def _in_block(self, statements: Sequence[Node]) -> None:
        """Write statements of which some are barriers or have them inside."""
        apart: list[Node] = []
        for one in statements:
            if any(wait.name == BARRIER for wait in self.kernel.inside(one)):
                self._in_warps(apart)
                apart = []
                self._with_barrier(one)
            elif self._names_one_of(apart, one) or not (
                self._hoist(one) or self._scalar(one, BLOCK)
            ):
                apart.append(one)
        self._in_warps(apart, last=bool(apart) and apart[-1] is self.body.children[-1])

    def _names_one_of(self, statements: Sequence[Node], node: Node) -> bool:
        """Say whether a node names what statements declare that are not written yet."""
        declared = {
            one.cursor.spelling
            for statement in statements
            if statement.kind == "DECL_STMT"
            for one in statement.children
        }
        return bool(
            declared & set(re.findall(r"[A-Za-z_]\w*", self.code[node.begin : node.end]))
        )

    def _in_warps(self, statements: Sequence[Node], last: bool = False) -> None:
        """Write statements without a barrier: a loop over the block's warps."""
        if not statements:
            return
        self.end_of_warp = self._new("end")
        self.depth = len(self.scopes) if self.has_barriers else 0
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
        node = bare(node)
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
            self.scopes.append(Scope(node.end))
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

    # ---- statements --------------------------------------------------------------------------

    def _statement(self, node: Node) -> None:
        """Write a statement of a warp."""
        node = bare(node)
        if node.kind in _JUMPS:
            self._jump(node)
        elif node.kind == "IF_STMT" and any(self._jumps(node)) and self._is_alike_if(node):
            self._if(node, WARP, self._statement)
        elif not self.kernel.inside(node):
            seen = len(self.scopes) == self.depth  # by other loops over warps, too
            if not self._hoist(node) and (seen or not self._scalar(node, WARP)):
                self._plain(node)
        elif node.kind == "COMPOUND_STMT":
            self._flush()
            self.scopes.append(Scope(node.end))
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

    def _is_alike_if(self, node: Node) -> bool:
        return len(node.children) in (2, 3) and self.kernel.level(node.children[0]) >= WARP

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
        self.scopes.append(Scope(node.end))
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
        begin, _ = self._head(node, "for")
        if len(node.children) != 4:
            raise Stays
        first, condition, step, body = node.children
        if any(map(self.kernel.inside, (first, condition, step))):
            raise Stays
        leave, go_on = self._new("behind"), self._new("go_on")
        self._flush()
        self.scopes.append(Scope(node.end))
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


def bare(node: Node) -> Node:
    """Return a statement without its attributes, as of `#pragma unroll`."""
    while node.kind == "UNEXPOSED_STMT" and node.children:
        node = node.children[-1]
    return node


def write(function: Node, text: bytes, code: str, rules: phase_rules.File) -> str:
    """Return what to put at the beginning of a kernel's body; "" if it has no phases.

    code: the text without comments and strings.
    """
    body = function.children[-1]
    if not WARP_OPERATION.search(code, body.begin, body.end):
        return ""
    try:
        return Writer(function, text, code, rules).write()
    except Stays:
        return ""
