"""Write device functions in which threads wait into the kernels that call them.

A thread can leave its call of a kernel at a barrier or a loop of shuffles (resumed.py), but not
from within a function that the kernel has called. So a call

    total = block_sum(v);       becomes      float result_1; { float v_1 = (v);
                                             ... result_1 = v_1; } total = result_1;

with the function's own names made new, `#line` telling where each line stands in the file, and
its shared arrays, of which there is one however often it is called, at the kernel's beginning.
A kernel with a call that cannot be written so, or might then mean something else, stays as it
is (inlined_rules.py).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from helpers.emulator import shuffle_loops, syntax_tree
from helpers.emulator.inlined_arguments import (
    PLAIN_TYPE,
    File,
    edits_inside,
    in_words,
    parameter,
    template,
)
from helpers.emulator.inlined_rules import (
    NAME,
    OF_ITS_PLACE,
    Function,
    Names,
    Stays,
    is_spelled,
    names_of_kernel,
    require_plain,
    statement_of,
)
from helpers.emulator.syntax_tree import Node, line_at
from helpers.sources import blank_comments_and_strings

_LINKED = re.compile(
    r"\b(?:inline|static|extern|constexpr|template|__(?:force|no)?inline(?:__)?)\b|\\"
)
_WAITS = frozenset(("__syncthreads", "__syncwarp"))
_MOST = 40  # calls in a kernel


class _Kernel:
    """One kernel: writes what it calls into it."""

    def __init__(self, file: File, node: Node):
        self.file, self.node = file, node
        self.calls = 0
        self.shared: dict[tuple, tuple[dict[str, str], str]] = {}  # names and text
        self.meant: set[str] = set()  # by functions, of what stands outside of them
        self.made: set[str] = set()
        self.written: set[Function] = set()
        body = node.children[-1]
        self.names = set(NAME.findall(file.code[node.begin : body.end]))

    def rewrite(self) -> list[tuple[int, int, str]]:
        """Return the replacements; Stays if it has a call that cannot be written so."""
        body = self.node.children[-1]
        edits = self._statements(body, {}, None, ())
        if not edits:
            return []
        here = names_of_kernel(self.node, self.file.code)
        if self.meant & (here | self.made) or self.names & self.made:
            raise Stays
        if self.file.code[body.begin] != "{":
            raise Stays
        if self.shared:
            self._require_written(body)
            text = " ".join(text for _, text in self.shared.values())
            edits.append((body.begin + 1, body.begin + 1, f" {text}"))
        return edits

    def _require_written(self, body: Node) -> None:
        """Raise Stays if a function with shared arrays is also called: they would be others."""
        functions = {function for function, *_ in self.shared}
        names = {function.name for function in functions}
        mentioned = [
            found for found in re.finditer(r"[A-Za-z_]\w*", self.file.code) if found[0] in names
        ]
        for one in mentioned:
            if not any(begin <= one.start() < end for begin, end in self.file.extents):
                raise Stays
        for part in (body, *(one.body for one in self.written)):
            calls = [one for one in map(self.file.called, part.all()) if one in functions]
            within = [one for one in mentioned if part.begin <= one.start() < part.end]
            if len(calls) != len(within):
                raise Stays

    def _statements(
        self, body: Node, names: Mapping[str, str], result: str | None, within: Iterable
    ) -> list[tuple[int, int, str]]:
        """Return the replacements of the statements of a body in which calls stand."""
        calls: dict[Node, list[Node]] = {}
        for node in body.all():
            if self.file.called(node):
                statement = statement_of(node, self.file.code, self.file.names)
                calls.setdefault(statement, []).append(node)
        return [
            self._statement(statement, found, names, result, within)
            for statement, found in calls.items()
        ]

    def _statement(self, statement, calls, names, result, within) -> tuple[int, int, str]:
        code = self.file.code
        end = statement.end
        if statement.kind != "DECL_STMT":
            end = code.find(";", end) + 1
            if code[statement.end : end].strip() != ";":
                raise Stays
        elif len(statement.children) != 1:
            raise Stays
        hoists: list[str] = []
        edits: list[tuple[int, int, str]] = []
        line = line_at(code, statement.begin)
        for call in sorted(calls, key=lambda one: one.end):  # those within others first
            inner = edits_inside(edits, call)
            before, name = self._call(call, inner, names, line, within)
            if not name and (statement.begin, statement.end) != (call.begin, call.end):
                raise Stays
            hoists.append(before)
            edits = [one for one in edits if one not in inner]
            edits.append((call.begin, call.end, name))
        if statement.kind == "RETURN_STMT":
            if result is None:
                raise Stays
            edits.append((statement.begin, statement.begin + 6, f"{result} ="))
        text = "".join(hoists) + self.file.changed(statement.begin, end, edits, names)
        if statement.parent.kind != "COMPOUND_STMT":
            text = f"{{ {text} }}"
        return statement.begin, end, text

    def _call(self, call: Node, inner, names, line: int, within) -> tuple[str, str]:
        """Return what stands before a statement with a call, and what stands in its place."""
        function = self.file.called(call)
        arguments = call.children[1:]
        self.calls += 1
        number = self.calls
        if function in within or number > _MOST or len(arguments) != len(function.parameters):
            raise Stays
        if function.name in names or not is_spelled(
            call, function.name, self.file.code, self.file.names
        ):
            raise Stays
        require_plain(function, self.file.code)
        self.written.add(function)
        own = template(self.file, function, call, names)
        instance = (function, *own.values())
        given, at = "", line
        for one, argument in zip(function.parameters, arguments, strict=True):
            text = parameter(self.file, function, one, argument, own, names, inner, number)
            if text and at != (at := line_at(self.file.code, argument.begin)):
                given += f"\n#line {at}\n"
            if text:
                self._made(own[one.cursor.spelling])
            given += text
            at += text.count("\n")
        body = function.body
        for node in body.all():
            if node.kind == "VAR_DECL" and not node.has("CUDASHARED_ATTR"):
                own[node.cursor.spelling] = self._made(f"{node.cursor.spelling}_{number}")
        edits = self._share(function, instance, own)
        result, declared = "", ""
        last = body.children[-1] if body.children else None
        kind = function.node.cursor.result_type.spelling
        if kind != "void":
            if not last or last.kind != "RETURN_STMT":
                raise Stays
            if not self.file.names.is_copied(function.node.cursor.result_type, own):
                raise Stays
            kind = in_words(kind, own)
            kind = re.sub(r"\bconst\b\s*", "", kind)
            if not PLAIN_TYPE.fullmatch(kind) or "auto" in kind:
                raise Stays
            result = self._made(f"result_{number}")
            declared = f"{kind} {result}; "
        inner = self._statements(body, own, result, (*within, function))
        if last and last.kind == "RETURN_STMT" and kind != "void":
            if not any(first == last.begin for first, *_ in inner):
                edits.append((last.begin, last.begin + 6, f"{result} ="))
        self._note_names(function, own)
        text = self.file.changed(body.begin + 1, body.end - 1, [*edits, *inner], own)
        begins = line_at(self.file.code, body.begin + 1)
        before = f"{declared}{{ {given}\n#line {begins}\n{text}\n#line {line}\n}} "
        if call.meant().kind == "CALL_EXPR" and result:
            # No variable, of which an overload may know.
            result = f"static_cast<{kind}>({result})"
        return before, result

    def _made(self, name: str) -> str:
        """Note that a name is new, and return it."""
        self.made.add(name)
        return name

    def _note_names(self, function: Function, own: Mapping[str, str]) -> None:
        """Note what a function means by its names; Stays if that may be something else here."""
        code, begin, end = self.file.code, function.node.begin, function.body.end
        words = set(re.findall(r"[A-Za-z_]\w*", code[begin:end]))
        macros = self.file.names.brought(words)
        brought = set(re.findall(r"[A-Za-z_]\w*", " ".join(macros.values())))
        if brought & {*own, "return", "goto", "static", *OF_ITS_PLACE}:
            raise Stays
        body = set(NAME.findall(code, function.body.begin, end))
        outside = set(NAME.findall(code, begin, function.body.begin)) - {function.name} | body
        outside = (outside | brought) - set(own)
        self.file.names.require_same(function, self.node, words, outside)
        self.meant |= {*outside, function.name}

    def _share(self, function: Function, instance: tuple, own) -> list[tuple[int, int, str]]:
        """Move a function's shared arrays to the beginning of the kernel."""
        code, edits, text = self.file.code, [], ""
        known, _ = self.shared.get(instance, ({}, ""))
        for node in function.body.children:
            if node.kind != "DECL_STMT" or not any(
                one.has("CUDASHARED_ATTR") for one in node.children
            ):
                continue
            if code[node.end - 1] != ";":
                raise Stays
            used = set(NAME.findall(code, node.begin, node.end)) & set(own)
            if any(own[name] in self.made for name in used):
                raise Stays
            for one in node.children:
                name = one.cursor.spelling
                made = known.get(name) or f"{name}_emulator_{self.calls}"
                own[name] = known[name] = self._made(made)
            # Its words only, without comments.
            lines = in_words(code[node.begin : node.end], own)
            text += " ".join(lines.split()) + " "
            edits.append((node.begin, node.end, "\n" * code.count("\n", node.begin, node.end)))
        if text:
            self.shared[instance] = known, text.strip()
        return edits


def _find_waiting(file: File, copies: Iterable[int]) -> None:
    """Note which functions wait: at a barrier, in a loop of shuffles, or in what they call."""
    loops = set(copies)
    for function in file.functions.values():
        for node in function.body.all():
            if node.kind == "CALL_EXPR" and node.cursor.spelling in _WAITS:
                function.waits = True
            elif node.kind == "FOR_STMT" and node.begin in loops:
                function.waits = True
    more = True
    while more:
        more = False
        for function in file.functions.values():
            if not function.waits and any(map(file.called, function.body.all())):
                function.waits = more = True


def _as_inline(file: File) -> Iterator[tuple[int, int, str]]:
    """Yield the words `inline` for what was written in: uncalled, it is not compiled again."""
    for function in file.functions.values():
        at = function.node.cursor.location.offset
        head = re.split(r"[;{}]|^[ \t]*#.*$", file.code[:at], flags=re.M)[-1]
        named = file.code.startswith(function.name, at)  # not by a macro
        if function.waits and named and not _LINKED.search(head):
            yield function.node.begin, function.node.begin, "inline "


def rewrite(unit, sources: Mapping[Path, str]) -> dict[Path, str] | None:
    """Return the texts with such calls written into the kernels; None if there are none.

    unit: libclang's tree of these texts, parsed as device code.
    """
    texts = {str(path): text.encode().decode("latin-1") for path, text in sources.items()}
    if not any(
        re.search(r"__shfl_\w*sync|__sync(?:threads|warp)", text) for text in texts.values()
    ):
        return None
    codes = {name: blank_comments_and_strings(text) for name, text in texts.items()}
    names = Names(unit, codes)
    files = {name: File(text, codes[name], names) for name, text in texts.items()}
    kernels = []
    for cursor in syntax_tree.functions(unit.cursor, set(texts)):
        file = cursor.location.file.name
        extent = cursor.extent
        files[file].extents.append((extent.start.offset, extent.end.offset))
        if syntax_tree.has_attribute(cursor, "CUDAGLOBAL_ATTR"):
            kernels.append((file, cursor))
        elif syntax_tree.has_attribute(cursor, "CUDADEVICE_ATTR"):
            function = Function(syntax_tree.tree(cursor), cursor.spelling)
            files[file].functions[cursor.location.offset] = function
    wrong = {name for name, _ in syntax_tree.errors(unit)}
    edits: dict[str, list[tuple[int, int, str]]] = {}
    for file in files.values():
        _find_waiting(file, shuffle_loops.copies(file.code))
    for name, cursor in kernels:
        if name in wrong or not any(one.waits for one in files[name].functions.values()):
            continue
        try:
            new = _Kernel(files[name], syntax_tree.tree(cursor)).rewrite()
        except Stays:
            continue
        edits.setdefault(name, []).extend(new)
    if not any(edits.values()):
        return None
    for name, file in files.items():
        edits.setdefault(name, []).extend(_as_inline(file))
    return syntax_tree.edited(sources, edits)
