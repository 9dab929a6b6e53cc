"""Write kernels with barriers as phases of a block: a loop over its threads between two.

A thread that comes to a barrier leaves its call and is called again (resumed.py), with a check
of each access. Where all threads of a block come to the same barriers, one thread can run all
of them up to a barrier and from there on, by a loop that the compiler makes vectors of:

    __global__ void k(float* x) {                    for each chunk of 8 threads
        __shared__ float s[64];                          for each of them
        const int t = threadIdx.x;         has also          { const int t = threadIdx.x;
        s[t] = x[t];                                           s[t] = x[t]; }
        __syncthreads();                             for each chunk of 8 threads
        x[t] = s[63 - t];                                for each of them
    }                                                        { const int t = threadIdx.x;
                                                               x[t] = s[63 - t]; }

What stands between two barriers is done in the order of the threads, so what a race leads to
is the same as without phases (of memory outside, only where a loop with a barrier makes a
round). Accesses are not checked there, except where one could go wrong without a fault of the
machine (block_rules.py), and a block that faults runs again as the kernel is written, which
names the thread (include/emulator_block_phases.h). What is not understood has no such phases.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from helpers.emulator import phase_rules, phases
from helpers.emulator.accesses import Accesses
from helpers.emulator.block_rules import Rules
from helpers.emulator.phase_rules import BLOCK, Stays
from helpers.emulator.phase_runs import Run, is_known
from helpers.emulator.phase_waits import BARRIER
from helpers.emulator.syntax_tree import Node, line_at, type_name

_MOST_BYTES = 400  # of what a thread keeps on the stack
_NOTHING, _SHARED, _ALL = range(3)
_AGAIN = "again: "  # of a name whose variable is computed again wherever it is read
_EIGHT = re.compile(r"double|long|int64|size_t|uint64|\*|2$")
_SIXTEEN = re.compile(r"[34]$|2$")


@dataclass
class _Loop:
    """A loop with barriers inside: what is accessed in a round before the first of them."""

    first: Accesses = field(default_factory=Accesses)
    counts: int = _ALL  # of what is accessed here


@dataclass
class _Before:
    """What has been accessed since the last barrier before a statement."""

    pending: Accesses
    counts: list[int]  # of the loops around


class _Writer(phases.Writer):
    """One kernel: writes its phases."""

    def __init__(self, function: Node, text: bytes, code: str, rules: phase_rules.File):
        super().__init__(function, text, code, rules)
        self.block_rules = Rules(self.kernel, rules, code)
        self.declared_again: dict[str, Node] = {}
        self.pending = Accesses()  # since the last barrier
        self.accesses = Accesses()  # of the run
        self.around: list[_Loop] = []
        self.of_block: set[int] = set()  # where variables are declared once
        self.is_last = False
        self.apart = False  # that no two parameters point to the same array matters
        self.flat = False  # that no two threads have the same threadIdx.x matters
        self.bytes = 0

    def write(self) -> str:
        """Return the text to put at the beginning of the kernel; Stays if there is none."""
        if not self.has_barriers or len(self.kernel.waits) > phases.MOST_WAITS:
            raise Stays
        self.block_rules.require_plain()
        for one in self.parameters:
            name, kind = one.cursor.spelling, one.cursor.type.spelling
            if name in self.kernel.changed:
                array = self.scopes[0].names[name] = self._array(name, kind)
                self.given.append(f"EMULATOR_GIVEN_TO_ALL({array}, {name});")
        self.out += self.given
        self._in_block(self.body.children)
        names = [one.cursor.spelling for one in self.parameters if one.cursor.spelling]
        given = ", ".join(f"decltype({name}) {name}" for name in names)
        flags = [str(flag).lower() for flag in (self.apart, self.flat)]
        lines = "\n".join([*self.hoisted, *self.arrays, *self.out])
        line = line_at(self.code, self.body.begin)
        return (
            f" EMULATOR_BLOCK_BEGIN({', '.join([*flags, *names])}) "
            f"EMULATOR_BLOCK_GIVEN {given} "
            f"EMULATOR_BLOCK_BODY\n{lines}\nEMULATOR_BLOCK_END({', '.join(names)})\n"
            f"#line {line}\n"
        )

    def _in_block(self, statements: Sequence[Node]) -> None:
        """Write statements of which some are barriers or change what the block has alike."""
        apart: list[Node] = []
        for one in statements:
            bare = phases.bare(one)
            has_barrier = bool(self.kernel.inside(one))
            if has_barrier or self._is_of_block(bare):
                self._in_warps(apart)
                apart = []
                if has_barrier:
                    self._with_barrier(one)
                else:
                    self.out.append(self._as_written(bare) + ";")
            elif not self._hoist(one) and not self._scalar(one, BLOCK):
                self._open(bare)
                apart.append(one)
        self._in_warps(apart, last=bool(apart) and apart[-1] is self.body.children[-1])

    def _is_of_block(self, node: Node) -> bool:
        """Say whether a statement changes a variable of the block, and does nothing else."""
        declared = self.block_rules.changed_of_block(node)
        if declared is not None and declared.begin not in self.of_block:
            raise Stays  # each thread has it for itself
        return declared is not None

    def _open(self, declaration: Node) -> None:
        """Declare what of a lane's declaration all threads have alike, once for the block."""
        if declaration.kind != "DECL_STMT":
            return
        for one in declaration.children:
            name, value = one.cursor.spelling, ""
            if not self.block_rules.is_number(one):
                continue
            if not self.block_rules.is_open(one):
                if self.kernel.of_variable(one) < BLOCK:
                    continue
                value = self._one_line(one.children[-1].begin, one.children[-1].end)
                if self._names_lanes(value):
                    continue
                value = f" = {value}"
            elif one.begin not in self.block_rules.uniform:
                continue
            self.of_block.add(one.begin)
            self.out.append(f"[[maybe_unused]] {type_name(one.cursor)} {name}{value};")
            self.scopes[-1].names[name] = None

    def _declare(self, node: Node) -> None:
        super()._declare(node)
        if node.kind == "DECL_STMT":
            for one in node.children:
                if one.begin in self.of_block:
                    self.run.declared.pop(one.cursor.spelling, None)

    def _scalar(self, node: Node, level: int) -> bool:
        done = super()._scalar(node, level)
        if done:
            self.of_block.update(one.begin for one in node.children)
        return done

    # ---- statements --------------------------------------------------------------------------

    def _in_warps(self, statements: Sequence[Node], last: bool = False) -> None:
        """Write statements without a barrier."""
        self.is_last = last
        for one in statements:
            bare = phases.bare(one)
            others = Accesses()
            for other in statements:
                if other is not one:
                    others.add(self.block_rules.accesses(other))
            if self.block_rules.is_turned(bare, others) and self._turned(bare):
                continue
            self._statement(one)
        self._flush(last=last)
        self.is_last = False

    def _statement(self, node: Node) -> None:
        """Write a statement of all threads."""
        node = phases.bare(node)
        if self.kernel.inside(node):
            raise Stays
        if not self._hoist(node) and not self._again(node):
            self._plain(node)

    def _turned(self, node: Node) -> bool:
        """Write a loop in which each round is a loop over the threads. Whether it is that.

        It changes nothing but numbers that the threads have for themselves.
        """
        if self.run.jumps:  # who has returned before it makes no round
            return False
        begin, end = self._head(node, "for")
        body = phases.bare(node.children[-1])
        own = self.block_rules.accesses(node)
        self._flush()
        text = self.code[body.begin : body.end]
        names = dict.fromkeys(re.findall(r"\b[A-Za-z_]\w*", text))
        arrays = {name: self._array_of(name) or "" for name in names}
        if self._names_lanes(self.code[begin:end]):
            return False
        if any("[" in self.kinds.get(array, "") for array in arrays.values()):
            return False
        changed = {
            name: array
            for name, array in arrays.items()
            if array in self.kinds and phase_rules.is_changed(name, text)
        }
        self._noted(own)
        again, copies, _ = self._copies_of(" ".join(set(names) - set(changed)))
        first, refs, last = "", "", ""
        for name, array in changed.items():
            kept = self._new(f"c_{name}")
            first += f"EMULATOR_OF_CHUNK({self.kinds[array]}) {kept}; "
            first += f"EMULATOR_EACH_OF_CHUNK {kept}[emulator_i] = EMULATOR_OF_THIS({array}); "
            refs += f"auto& {name} = {kept}[emulator_i]; "
            last += f"EMULATOR_EACH_OF_CHUNK EMULATOR_OF_THIS({array}) = {kept}[emulator_i]; "
        stop = body.end if text.endswith("}") else self._end(body)
        inside = self._edited(body.begin, stop, [*self.block_rules.edits(body)], self.text)
        head = self._one_line(begin, end)
        self.out.append(
            f"EMULATOR_EACH_CHUNK {{ {first}\n#line {line_at(self.code, node.begin)}\n"
            f"for ({head}) EMULATOR_EACH_OF_CHUNK {{ {again}{copies}{refs}"
            f"\n#line {line_at(self.code, body.begin)}\n{inside}\n}} {last}}}"
        )
        return True

    def _noted(self, accesses: Accesses) -> None:
        """Note what all threads access before any of them does what follows."""
        self._require_order(self.pending, accesses)
        self.pending.add(accesses)
        for loop in self.around:
            if loop.counts:
                loop.first.add(accesses if loop.counts == _ALL else accesses.shared())

    def _require_order(self, first: Accesses, second: Accesses) -> None:
        """Raise Stays if all threads may not do the first before any of them does the second.

        As the kernel is written another thread may be between the two.
        """
        if first.conflicts_with(second):
            raise Stays
        self.apart = self.apart or first.conflicts_in_place(second)
        self.flat = self.flat or first.conflicts_in_depth(second)

    def _plain(self, node: Node) -> None:
        begin, end = node.begin, node.end if node.kind == "NULL_STMT" else self._end(node)
        self._declare(node)
        self.accesses.add(self.block_rules.accesses(node))
        edits = [*self.block_rules.edits(node)]
        for first, last, jump in self._jumps(node):
            if not self.is_last or jump != "return":
                raise Stays
            self.run.jumps.add(jump)
            edits.append((first, last, f"goto {self.run.label}"))
        self._piece(begin, end, edits)

    def _again(self, node: Node) -> bool:
        """Note variables that need not be kept. Whether a declaration is of such."""
        if node.kind != "DECL_STMT" or not node.children:
            return False
        names = [one.cursor.spelling for one in node.children]
        if names[0] in self.kernel.lambdas:
            self._flush()  # it may use what was declared before
            self.scopes[-1].names[names[0]] = _AGAIN + names[0]
            self.declared_again[names[0]] = node
            return True
        known = {
            name
            for scope in self.scopes
            for name, array in scope.names.items()
            if array and array.startswith(_AGAIN)
        }
        if any(self._array_of(name) for name in names):
            return False
        if not self.block_rules.is_made_again(node, known):
            return False
        for one in node.children:
            name = one.cursor.spelling
            if one.begin not in self.of_block:
                self.scopes[-1].names[name] = _AGAIN + name
            self.declared_again[name] = node
        return True

    def _flush(self, last: bool = False) -> None:
        """Write the loop over the threads for what has been gathered."""
        told = self.rules.calls_of_thread(self.run.text)
        if self.run.jumps and not last:
            raise Stays  # who has returned would go on with what follows
        run, self.run = self.run, Run(self._new("next"))
        accesses, self.accesses = self.accesses, Accesses()
        if not run.pieces:
            return
        self._noted(accesses)
        again, begin, end = self._copies_of(run.text)
        stores = ""
        for name, (scope, kind) in run.declared.items():
            scope.names[name] = None
            if re.search(rf"\b{name}\b", self.code[run.end : scope.end] + self._of_lambdas()):
                scope.names[name] = array = self._array(name, kind)
                stores += f"::emulator::keep(EMULATOR_OF_THIS({array}), {name}); "
        pieces = "\n".join(run.pieces)
        label = f" {run.label}:; " if run.jumps else " "
        self.out.append(
            f"EMULATOR_EACH_CHUNK {{ EMULATOR_EACH_OF_CHUNK {{ "
            f"{'*::emulator::thread_index() = threadIdx; ' * told}{again}{begin}{{\n{pieces}\n"
            f"{stores}}}{end}{label}}} }}"
        )

    def _copies_of(self, text: str) -> tuple[str, str, str]:
        """Return what declares the variables that a text names, and what brings them back."""
        again, begin, end, lambdas = [], "", "", []
        called = [one for one in self.kernel.lambdas if re.search(rf"\b{one}\b", text)]
        if called:  # what they use, and each other
            text += self._of_lambdas()
        for name in dict.fromkeys(re.findall(r"\b[A-Za-z_]\w*", text)):
            array = self._array_of(name)
            if not array:
                continue
            if name in self.kernel.lambdas:
                lambdas.append(self.declared_again[name])
                continue
            if array.startswith(_AGAIN):
                again.append(name)
                continue
            declared, back = self._copy(name, f"EMULATOR_OF_THIS({array})", text)
            begin += declared
            end += back
        lambdas.sort(key=lambda node: node.begin)
        return self._made_again(again), begin + "".join(map(self._lambda, lambdas)), end

    def _of_lambdas(self) -> str:
        return " ".join(
            f" {self.code[one.begin : one.end]}" for one in self.kernel.lambdas.values()
        )

    def _lambda(self, node: Node) -> str:
        """Return the declaration of a lambda, as part of the loops that run by phases."""
        begin, end = node.begin, self._end(node)
        lambda_ = self.kernel.lambdas[node.children[0].cursor.spelling]
        opened = next(one for one in lambda_.children if one.kind == "COMPOUND_STMT").begin
        head = self.code[lambda_.begin : opened]
        edits = [*self.block_rules.edits(node)]
        if (close := head.rfind(")")) >= 0:
            at = lambda_.begin + close + 1
            edits.append((at, at, " EMULATOR_AS_BLOCK "))
        text = self._edited(begin, end, edits, self._plain_text(begin, end))
        return f"[[maybe_unused]] {' '.join(text.split())} "

    def _made_again(self, names: Sequence[str]) -> str:
        """Return the declarations of variables, and of those that they are made of."""
        found: dict[int, Node] = {}
        todo = list(names)
        while todo:
            node = self.declared_again[todo.pop()]
            if node.begin not in found:
                found[node.begin] = node
                words = re.findall(r"\b[A-Za-z_]\w*", self.code[node.begin : node.end])
                own = {one.cursor.spelling for one in node.children}
                todo += [
                    one
                    for one in dict.fromkeys(words)
                    if one not in own and (self._array_of(one) or "").startswith(_AGAIN)
                ]
        return "".join(
            f"[[maybe_unused]] {self._one_line(node.begin, self._end(node))} "
            for _, node in sorted(found.items())
        )

    def _array(self, name: str, kind: str) -> str:
        array = super()._array(name, kind)
        element = re.sub(r"\s*\[.*|^const\s+", "", kind)
        size = self.rules.structs.get(element.strip())
        size = size or (16 if _SIXTEEN.search(element) else 8 if _EIGHT.search(element) else 4)
        for extent in re.findall(r"\[([^\]]*)\]", kind):
            size *= int(extent)
        self.bytes += size
        if self.bytes > _MOST_BYTES or not is_known(kind):
            raise Stays
        self.arrays[-1] = f"EMULATOR_OF_BLOCK({kind}) {array};"
        return array

    # ---- barriers ----------------------------------------------------------------------------

    def _with_barrier(self, node: Node) -> None:
        node = phases.bare(node)
        if node.kind == "CALL_EXPR":
            waits = self.kernel.inside(node)
            if len(waits) != 1 or self.code[node.begin : waits[0].begin].strip():
                raise Stays
            if not self._is_whole(node, waits[0]):
                raise Stays
            self.pending = Accesses()
            for loop in self.around:
                loop.counts = _NOTHING
            return
        before = _Before(self.pending.copy(), [loop.counts for loop in self.around])
        if node.kind in ("WHILE_STMT", "DO_STMT"):
            self._uniform_while(node)
        else:
            super()._with_barrier(node)
        if node.kind == "IF_STMT":
            self._may_be_passed_over(before)
        elif node.kind not in ("COMPOUND_STMT", "DO_STMT"):
            # Where a loop makes no round, a race for memory outside may lead to something else
            # than in the order of the threads. One for shared memory may not.
            before.pending = before.pending.shared()
            before.counts = [min(count, _SHARED) for count in before.counts]
            self._may_be_passed_over(before)

    def _may_be_passed_over(self, before: _Before) -> None:
        """Note that the barriers in a statement may be passed over."""
        self.pending.add(before.pending)
        for loop, count in zip(self.around, before.counts, strict=True):
            loop.counts = max(loop.counts, count)

    def _if(self, node: Node, level: int, write) -> None:
        before, ends = self.pending.copy(), Accesses()

        def branch(inside: Node) -> None:
            self.pending = before.copy()
            write(inside)
            ends.add(self.pending)

        super()._if(node, level, branch)
        self.pending = ends

    def _uniform_for(self, node: Node, write) -> None:
        loop = _Loop()
        self.around.append(loop)
        self.of_block.update(one.begin for one in node.children[0].children)
        super()._uniform_for(node, write)
        self.around.pop()
        self._require_order(self.pending, loop.first)  # a round's end and the next one's begin

    def _uniform_while(self, node: Node) -> None:
        """Write a `while` or `do` loop of which all threads make the same rounds."""
        first = node.kind == "WHILE_STMT"  # the condition
        condition, body = node.children if first else reversed(node.children)
        if not first and not self.code.startswith("do", node.begin):
            raise Stays
        head = self._one_line(condition.begin, condition.end)
        if self.kernel.level(condition) < BLOCK or self._names_lanes(head):
            raise Stays
        if any(self._jumps(body)):
            raise Stays
        loop = _Loop()
        self.around.append(loop)
        self.out.append(f"while ({head}) {{" if first else "do {")
        self._in_block([body])
        self.out.append("}" if first else f"}} while ({head});")
        self.around.pop()
        self._require_order(self.pending, loop.first)

    def _is_uniform(self, node: Node, level: int) -> bool:
        del level
        begin, end = self._head(node, "for")
        return self.block_rules.is_uniform_loop(node) and not self._names_lanes(
            self.code[begin:end]
        )

    def _may_part(self) -> None:
        raise Stays


def write(function: Node, text: bytes, code: str, rules: phase_rules.File) -> str:
    """Return what to put at the beginning of a kernel's body; "" if it has no phases.

    code: the text without comments and strings.
    """
    body = function.children[-1]
    inside = code[body.begin : body.end]
    if BARRIER not in inside or phase_rules.WARP_OPERATION.search(inside):
        return ""
    try:
        return _Writer(function, text, code, rules).write()
    except Stays:
        return ""
