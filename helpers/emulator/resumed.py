"""Rewrite kernels so that a thread leaves its call at a barrier and is called again behind it.

A thread that waits at a barrier needs a stack of its own until the barrier opens, and a switch
to another one. A call that ends there needs neither: what the thread keeps goes into a small
struct, and a `switch` leads the next call to the place behind the barrier
(include/emulator_resume.h). Such a kernel

    __global__ void k(float* x) {                     __global__ void k(float* x) {
        __shared__ float s[64];                           __shared__ float s[64];
                                                          Calls<Kept> calls(worker());
                                                          do { float v; if (...) v = kept.v;
                                                          switch (calls.where()) { case 0:
        float v = x[threadIdx.x];           becomes       v = x[threadIdx.x];
        __syncthreads();                                  { kept.v = v;
                                                            kept.emulator_where = 64;
                                                            goto left; case 64:; }
        x[threadIdx.x] = v;                               x[threadIdx.x] = v;
                                                          } ... } while (calls.next(...));
    }                                                 }

libclang's tree says which variables live at a barrier. What is not understood stays as it is:
any other wait, and any other kernel, keeps its stack, and both kinds meet at one barrier.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from pathlib import Path

from helpers.emulator import block_phases, phase_rules, phases, shuffle_loops, syntax_tree
from helpers.emulator.syntax_tree import Node, line_at, tree
from helpers.sources import blank_comments_and_strings

# In these a barrier cannot be left by a jump, or a variable is more than its value.
_REFUSED = frozenset(
    "LAMBDA_EXPR CXX_TRY_STMT CXX_FOR_RANGE_STMT GOTO_STMT LABEL_STMT INDIRECT_GOTO_STMT "
    "STRUCT_DECL CLASS_DECL UNION_DECL CLASS_TEMPLATE STMT_EXPR SEH_TRY_STMT".split()
)
_TYPES = frozenset("TYPEDEF_DECL TYPE_ALIAS_DECL ENUM_DECL USING_DIRECTIVE".split())
_CONSTANT = frozenset(
    "INTEGER_LITERAL CHARACTER_LITERAL CXX_BOOL_LITERAL_EXPR BINARY_OPERATOR UNARY_OPERATOR "
    "PAREN_EXPR UNEXPOSED_EXPR CSTYLE_CAST_EXPR CXX_STATIC_CAST_EXPR CXX_UNARY_EXPR "
    "CONDITIONAL_OPERATOR TYPE_REF DECL_REF_EXPR CXX_FUNCTIONAL_CAST_EXPR".split()
)
_CHANGED = r"\s*(?:[-+*/%&|^]|<<|>>)?=(?!=)|\s*(?:\+\+|--)"
_LINES_KEPT = re.compile(rb"#[ \t]*pragma[ \t]+(?:no)?unroll|^#line \d+$", re.M)
_BARRIER = re.compile(rb"__syncthreads\s*\(\s*\)\s*;")
_WAITS = re.compile(r"__syncthreads|__shfl_\w*sync|__(?:ballot|any|all)_sync|__syncwarp")
_MOST = 15  # barriers of one line


class _Stays(Exception):
    """A kernel stays as it is."""


class _Kernel:
    """One kernel: finds its barriers and variables, and collects the replacements."""

    def __init__(
        self,
        function: Node,
        text: bytes,
        code: str,
        copies: Mapping[int, shuffle_loops.Copy],
        names: shuffle_loops.File,
    ):
        self.text, self.code = text, code
        self.body = function.children[-1]
        self.parameters = [one for one in function.children if one.kind == "PARM_DECL"]
        self.nodes = list(self.body.all())
        self.edits: list[tuple[int, int, bytes]] = []
        self.before: list[str] = []  # moved before the loop over threads
        self.kept: dict[str, str] = {}  # name: type
        self.moved: set[str] = set()
        self.lives: list[tuple[str, int, int]] = []  # name, from where to where
        self.barriers = [one for one in self.nodes if self._is_barrier(one)]
        self.loops = {
            one: copies[one.begin]
            for one in self.nodes
            if one.kind == "FOR_STMT" and one.begin in copies and self._can_jump_to(one)
        }
        self.loops.update(self._single_waits(names))
        self.points = sorted([*self.barriers, *self.loops], key=lambda one: one.begin)

    def _source(self, begin: int, end: int) -> str:
        return self.text[begin:end].decode()

    def _replace(self, begin: int, end: int, new: str) -> None:
        lines = self._source(begin, end).count("\n") - new.count("\n")
        self.edits.append((begin, end, (new + "\n" * lines).encode()))

    def _is_barrier(self, node: Node) -> bool:
        """Say whether a node is a statement `__syncthreads();` that can be left by a jump."""
        if node.kind != "CALL_EXPR" or node.cursor.spelling != "__syncthreads":
            return False
        if not self._is_statement(node) or not _BARRIER.match(self.text, node.begin):
            return False
        return self._can_jump_to(node)

    def _is_statement(self, node: Node) -> bool:
        """Say whether a node stands in a block, or is all of what an `if` or a loop runs."""
        around = node.parent
        if around.kind == "FOR_STMT":
            return node is around.children[-1]
        in_it = around.kind in ("IF_STMT", "WHILE_STMT") and node is not around.children[0]
        return around.kind == "COMPOUND_STMT" or in_it

    def _single_waits(self, names: shuffle_loops.File) -> dict[Node, shuffle_loops.Copy]:
        """Return the statements with a shuffle or a vote, outside of loops that are copied."""
        found = {}
        for node in self.nodes:
            if not self._is_statement(node) or not self._can_jump_to(node):
                continue
            if any(loop.begin <= node.begin < loop.end for loop in self.loops):
                continue
            name = node.begin
            if node.kind == "DECL_STMT":
                if len(node.children) != 1 or node.children[0].kind != "VAR_DECL":
                    continue
                name = node.children[0].cursor.location.offset
            elif node.kind not in (
                "BINARY_OPERATOR",
                "COMPOUND_ASSIGNMENT_OPERATOR",
                "CALL_EXPR",
            ):
                continue
            if copy := shuffle_loops.once(names, self.code, node.begin, name):
                found[node] = copy
        return found

    def _can_jump_to(self, node: Node) -> bool:
        around = node.parent
        while around is not self.body:
            if around.kind == "SWITCH_STMT":
                return False
            around = around.parent
        return True

    def rewrite(self) -> list[tuple[int, int, bytes]]:
        """Return the replacements; _Stays if it is not understood."""
        if not self.points:
            raise _Stays
        if b"#" in _LINES_KEPT.sub(b"", self._body_text()):
            raise _Stays
        if any(one.kind in _REFUSED for one in self.nodes):
            raise _Stays
        for node in self.nodes:
            if node.kind == "DECL_STMT":
                self._declaration(node)
            elif node.kind == "RETURN_STMT":
                if self._source(node.begin, node.begin + 6) != "return" or node.children:
                    raise _Stays
                early = any(node.end <= one.begin for one in self.barriers)
                to = "early" if early else "ended"
                self._replace(node.begin, node.begin + 6, f"goto emulator_{to}")
            elif node.kind == "VAR_DECL" and node.parent.kind != "DECL_STMT":
                if self._is_needed(node, node.parent):  # if (int x = f())
                    raise _Stays
        own = self._own_parameters()
        self._look_at_uses()
        self._frame(own)
        return self.edits

    def _body_text(self) -> bytes:
        text = self.text[self.body.begin : self.body.end]
        return re.sub(rb"//[^\n]*|/\*.*?\*/", b"", text, flags=re.S)

    # ---- variables ---------------------------------------------------------------------------

    def _is_needed(self, variable: Node, scope: Node) -> bool:
        """Say whether a barrier stands where a variable lives."""
        return any(
            variable.begin < one.begin < scope.end or one is variable.parent
            for one in self.points
        )

    def _declaration(self, node: Node) -> None:
        """Move what must be there in each call before the loop; keep what lives at barriers."""
        scope = node.parent
        top = scope is self.body
        if all(one.kind in _TYPES for one in node.children):
            if top:
                self._move(node)
            return
        variables = [one for one in node.children if one.kind == "VAR_DECL"]
        if not any(self._is_needed(one, scope) for one in variables):
            return
        if len(variables) != len(node.children):
            raise _Stays
        if scope.kind not in ("COMPOUND_STMT", "FOR_STMT"):
            raise _Stays
        if all(one.has("CUDASHARED_ATTR") for one in variables):
            if not top:
                raise _Stays
            self._move(node)
        elif all(self._is_constant(one) for one in variables):
            names = [one.cursor.spelling for one in variables]
            if any(self._declared(name) > 1 for name in names):
                raise _Stays
            self.moved.update(names)
            self._move(node)
        else:
            self._keep(node, variables)

    def _declared(self, name: str) -> int:
        variables = [one for one in self.nodes if one.kind == "VAR_DECL"]
        return sum(one.cursor.spelling == name for one in (*variables, *self.parameters))

    def _move(self, node: Node) -> None:
        text = self._source(node.begin, node.end)
        if not text.rstrip().endswith(";"):
            raise _Stays
        self.before.append(" ".join(text.split()))
        self._replace(node.begin, node.end, "")

    def _is_constant(self, variable: Node) -> bool:
        """Say whether a variable is the same number in all threads, known to the compiler."""
        declared = self._source(variable.begin, variable.cursor.location.offset)
        if re.search(r"\bconstexpr\b", declared):
            return True
        if not variable.cursor.type.is_const_qualified() or not variable.children:
            return False
        return self._begins_constant(variable)

    def _begins_constant(self, variable: Node) -> bool:
        """Say whether a variable begins with a number that the compiler knows."""
        for node in variable.all():
            if node is variable:
                continue
            if node.kind not in _CONSTANT:
                return False
            if node.kind == "DECL_REF_EXPR":
                meant = node.cursor.referenced
                if meant is None:
                    return False
                kind = meant.kind.name
                if kind == "VAR_DECL":
                    inside = self._node_of(meant)
                    known = inside is None or self._is_constant(inside)
                    if not known or not meant.type.is_const_qualified():
                        return False
                elif kind not in ("ENUM_CONSTANT_DECL", "TEMPLATE_NON_TYPE_PARAMETER"):
                    return False
        return True

    def _node_of(self, cursor) -> Node | None:
        """Return the node of a variable of this kernel, None for any other."""
        for one in self.nodes:
            if one.kind == "VAR_DECL" and one.cursor == cursor:
                return one
        return None

    def _keep(self, node: Node, variables: list[Node]) -> None:
        """Turn a declaration into assignments to what stands before the `switch`."""
        for one in variables:
            name, kind = one.cursor.spelling, syntax_tree.type_name(one.cursor)
            unknown = re.search(r"&|\bauto\b|\(|\btype-parameter\b|\bdecltype\b", kind)
            if one.has("CUDASHARED_ATTR") or unknown or not name:
                raise _Stays
            if one.cursor.storage_class.name not in ("NONE", "REGISTER", "AUTO"):
                raise _Stays
            if not syntax_tree.begins_empty(one.cursor):
                raise _Stays
            if self.kept.setdefault(name, kind) != kind or self._overlaps(one, node.parent):
                raise _Stays
            at = one.cursor.location.offset
            if self._source(at, at + len(name)) != name:
                raise _Stays
            self.lives.append((name, one.begin, node.parent.end))
        first = variables[0].cursor.location.offset
        if not re.fullmatch(r"[\w:<>,\s*]+", self._source(node.begin, first)):
            raise _Stays
        if len(variables) == 1 and node.parent.kind == "COMPOUND_STMT":
            self._keep_one(node, variables[0])
            return
        last = node.begin
        for one in variables:
            at = one.cursor.location.offset
            name = one.cursor.spelling
            rest = self._source(at + len(name), one.end)
            if "[" in one.cursor.type.spelling or not re.match(r"\s*=|\s*$", rest):
                raise _Stays
            between = self._source(last, at)
            if one is not variables[0] and not re.fullmatch(r"\s*,[\s*]*", between):
                raise _Stays
            if re.match(r"\s*=\s*\{", rest):
                raise _Stays
            self._replace(last, at, "" if one is variables[0] else ", ")
            last = one.end

    def _overlaps(self, variable: Node, scope: Node) -> bool:
        """Say whether another variable of this name lives at the same time."""
        name = variable.cursor.spelling
        for one in self.nodes:
            if one is variable or one.kind != "VAR_DECL" or one.cursor.spelling != name:
                continue
            other = one.parent if one.parent.kind != "DECL_STMT" else one.parent.parent
            if other.begin < variable.begin < other.end or scope.begin < one.begin < scope.end:
                return True
        return any(one.cursor.spelling == name for one in self.parameters)

    def _keep_one(self, node: Node, variable: Node) -> None:
        name, kind = variable.cursor.spelling, syntax_tree.type_name(variable.cursor)
        at = variable.cursor.location.offset
        rest = self._source(at + len(name), node.end).rstrip()
        if not rest.endswith(";"):
            raise _Stays
        if "[" not in kind and re.match(r"\s*=(?!\s*\{)", rest):
            self._replace(node.begin, at, "")
        elif re.fullmatch(r"\s*(?:\[[^=({]*\]\s*)*;", rest):
            self._replace(node.begin, node.end, ";")
        else:  # braces or the like: as a variable, which is copied
            self._replace(node.begin, node.begin, "{ ")
            self._replace(at, at + len(name), "emulator_first")
            copy = f" __builtin_memcpy(&{name}, &emulator_first, sizeof emulator_first); }}"
            self._replace(node.end, node.end, copy)

    def _own_parameters(self) -> list[str]:
        """Return the parameters that the kernel changes, which it then keeps, too."""
        body, changed = self._body_text().decode(), []
        for one in self.parameters:
            name, kind = one.cursor.spelling, one.cursor.type.spelling
            if not name:
                continue
            if re.search(rf"(?<![&\w)\]])\s*&\s*{name}\b(?!\s*\[)", body):
                raise _Stays
            member = "" if "*" in kind else r"(?:\s*(?:\.\s*\w+|\[[^\]]*\]))*"
            if re.search(rf"\b{name}{member}(?:{_CHANGED})|(?:\+\+|--)\s*{name}\b", body):
                if re.search(r"&|\bauto\b|\(|\btype-parameter\b", kind):
                    raise _Stays
                self.kept[name] = kind
                self.lives.append((name, self.body.begin, self.body.end))
                changed.append(name)
        return changed

    def _look_at_uses(self) -> None:
        """Raise _Stays if a kept variable has another name or an address that may be kept."""
        for node in self.nodes:
            name = node.cursor.spelling
            if node.kind != "DECL_REF_EXPR" or name not in {*self.kept, *self.moved}:
                continue
            meant = node.cursor.referenced
            if meant is None or meant.kind.name not in ("VAR_DECL", "PARM_DECL"):
                raise _Stays
            if meant.kind.name == "VAR_DECL" and self._node_of(meant) is None:
                raise _Stays
            if name in self.moved:
                continue
            user = node.meant()
            if self.kept[name].startswith("const ") and node.parent.kind == "CALL_EXPR":
                head = rf"\b{node.parent.cursor.spelling}\s*\([^;{{}}()]*\)\s*\{{"
                if len(re.findall(head, self.code)) > 1:  # one may be for what is not const
                    raise _Stays
            is_array = "[" in self.kept[name]
            if is_array and user.kind not in ("ARRAY_SUBSCRIPT_EXPR", "CXX_UNARY_EXPR"):
                raise _Stays
            while user.kind in ("ARRAY_SUBSCRIPT_EXPR", "MEMBER_REF_EXPR"):
                if user.children and node.begin > user.children[0].end:  # an index
                    break
                user = user.meant()
            if user.kind == "UNARY_OPERATOR":
                if self.text[user.begin : user.begin + 1] == b"&":
                    raise _Stays

    # ---- the frame ---------------------------------------------------------------------------

    def _frame(self, parameters: Iterable[str]) -> None:
        self.loops = {
            one: copy for one, copy in self.loops.items() if self._is_run_for_all(one)
        }
        if not self.barriers and not self.loops:
            raise _Stays
        types = {name: f"::emulator::Plain<{kind}>" for name, kind in self.kept.items()}
        arrays = {name for name, kind in self.kept.items() if "[" in kind}

        def copied(to: str, of: str, names: Iterable[str]) -> str:
            """Return the copies of variables: `to` and `of` stand before their names."""
            return "".join(
                f"__builtin_memcpy({to}{name}, {of}{name}, sizeof {name}); "
                if name in arrays
                else f"{to}{name} = {of}{name}; "
                for name in names
            )

        ends, ended, left, at_loop = "bool", "false", "true", ""
        if self.loops:
            ends = "::emulator::Ends"
            ended, left = f"{ends}::with_thread", f"{ends}::at_barrier"
            at_loop = f"if (false) {{ emulator_at_loop: emulator_l = {ends}::at_loop; }} "
        members = "".join(f"{kind} {name}; " for name, kind in types.items())
        variables = "".join(
            f"EMULATOR_ARRAY({kind}) {name}; " if name in arrays else f"{kind} {name}; "
            for name, kind in types.items()
        )
        given = "".join(f"const auto emulator_p_{name} = {name}; " for name in parameters)
        first = "".join(f"{name} = emulator_p_{name}; " for name in parameters)
        head = (
            f" {' '.join(self.before)} EMULATOR_KEPT(emulator_Kept) "
            f"{{ int emulator_where; {members}}}; "
            f"{given}::emulator::Calls<emulator_Kept{', true' if self.loops else ''}> "
            f"emulator_c(::emulator::worker()); {ends} emulator_l; "
            "do { [[maybe_unused]] auto& emulator_k = emulator_c.kept(); "
            f"{variables}if (emulator_c.again) {{ {copied('', 'emulator_k.', types)}}} "
            f"else {{ {first}}} switch (emulator_c.where()) {{ case 0: "
        )
        self._replace(self.body.begin + 1, self.body.begin + 1, head)
        places: dict[int, int] = {}
        for one in sorted([*self.barriers, *self.loops], key=lambda one: one.begin):
            line = line_at(self.code, one.begin)
            number = places[line] = places.get(line, -1) + 1
            if number > _MOST:
                raise _Stays
            place = line * (_MOST + 1) + number
            alive = self._alive(one)
            keep = copied("emulator_k.", "", alive)
            if one in self.loops:
                places[line] += 1
                self._leave_at_loop(one, keep, place, alive)
                continue
            leave = f"emulator_k.emulator_where = {place}; goto emulator_left;"
            new = f"{{ {keep}{leave} case {place}:; }}"
            self._replace(one.begin, _BARRIER.match(self.text, one.begin).end(), new)
        tail = (
            "} if (false) { emulator_early: ::emulator::return_early(); } "
            f"emulator_ended: emulator_l = {ended}; "
            f"if (false) {{ emulator_left: emulator_l = {left}; }} "
            f"{at_loop}}} while (emulator_c.next(emulator_l)); "
        )
        self._replace(self.body.end - 1, self.body.end - 1, tail)

    def _alive(self, point: Node) -> list[str]:
        """Return the kept variables that live at a place."""
        own = [one.cursor.spelling for one in point.children if one.kind == "VAR_DECL"]
        here = (name for name, begin, end in self.lives if begin < point.begin < end)
        return list(dict.fromkeys([*here, *own]))

    def _is_run_for_all(self, loop: Node) -> bool:
        """Say whether one thread can run a loop of shuffles on what the others keep."""
        copy = self.loops[loop]
        same = {one.cursor.spelling for one in self.parameters} - {*self.kept}
        known = {*self._alive(loop), *same}
        alike = copy.is_constant or self._begins_alike(loop)
        return set(copy.used) <= known and not copy.objects and alike

    def _begins_alike(self, loop: Node) -> bool:
        first = loop.children[0]
        begins = first.children if first.kind == "DECL_STMT" else ()
        return len(begins) == 1 and self._begins_constant(begins[0])

    def _leave_at_loop(self, node: Node, keep: str, place: int, alive: Iterable[str]) -> None:
        """Let a thread leave at a loop of shuffles, which then is run by one for its warp."""
        copy = self.loops[node]
        kinds = {name: f"decltype(emulator_k.{name})" for name in copy.used if name in alive}
        used = {
            name: (f"::emulator::Plain<{kind}>", f"&emulator_Kept::{name}")
            for name, kind in kinds.items()
        }
        first = copy.loop.first.strip()
        new = (
            f"{{ if (emulator_c.leaves()) {{ {keep}"
            f"if (emulator_c.leave({copy.mask}, {place}, {place + 1}, "
            f"EMULATOR_OF_KEPT {{ {first}; {shuffle_loops.on_arrays(copy, used)} }})) "
            f"goto emulator_at_loop; }} case {place}:; "
        )
        if pragma := shuffle_loops.unrolled(self.code, node.begin):
            self._replace(*pragma, "")
        self._replace(node.begin, node.begin, " ".join(new.split()) + " ")
        self._replace(copy.loop.end, copy.loop.end, f" case {place + 1}:; }}")


def _before(edits: list[tuple[int, int, bytes]], at: int, text: str) -> tuple[int, int, bytes]:
    """Return the replacement that puts a text at a place, before what comes there else."""
    others = [one for one in edits if one[:2] == (at, at)]
    edits[:] = [one for one in edits if one not in others]
    return at, at, text.encode("latin-1") + b"".join(new for *_, new in others)


def rewrite(unit, sources: Mapping[Path, str], by_phases: bool = False) -> dict[Path, str]:
    """Return the texts with such kernels rewritten; no line moves.

    unit: libclang's tree of these texts, parsed as device code. by_phases: give kernels their
    phases, too (phases.py, block_phases.py).
    """
    if not any(_WAITS.search(text) for text in sources.values()):
        return dict(sources)  # without a walk through all that the headers declare
    texts = {str(path): text.encode() for path, text in sources.items()}
    edits: dict[str, list[tuple[int, int, bytes]]] = {}
    wrong = syntax_tree.errors(unit)
    codes = {
        name: blank_comments_and_strings(text.decode("latin-1")) for name, text in texts.items()
    }
    copies = {name: shuffle_loops.copies(code) for name, code in codes.items()}
    names = {name: shuffle_loops.File(code) for name, code in codes.items()}
    rules = {name: phase_rules.File(code) for name, code in codes.items()}
    for cursor in syntax_tree.functions(unit.cursor, set(texts)):
        if not syntax_tree.has_attribute(cursor, "CUDAGLOBAL_ATTR"):
            continue
        file, extent = cursor.location.file.name, cursor.extent
        within = range(extent.start.offset, extent.end.offset)
        if any(name == file and place in within for name, place in wrong):
            continue  # something may be missing in its tree
        function = tree(cursor)
        try:
            own = _Kernel(
                function, texts[file], codes[file], copies[file], names[file]
            ).rewrite()
        except _Stays:
            own = []
        given = function, texts[file], codes[file], rules[file]
        if by_phases and (first := phases.write(*given) or block_phases.write(*given)):
            own.append(_before(own, function.children[-1].begin + 1, first))
        edits.setdefault(file, []).extend(own)
    return syntax_tree.edited(sources, edits)
