"""Write device functions in which threads wait into the kernels that call them.

A thread can leave its call of a kernel at a barrier or a loop of shuffles (resumed.py), but not
from within a function that the kernel has called. So a call

    total = block_sum(v);       becomes      float result_1; { float v_1 = (v);
                                             ... result_1 = v_1; } total = result_1;

with the function's own names made new, `#line` telling where each line stands in the file, and
its shared arrays, of which there is one however often it is called, at the kernel's beginning.
A kernel with a call that cannot be written so stays as it is; so does one in which a name would
mean something else: a kernel's own variable hides what a function means by the same name.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from helpers.emulator import shuffle_loops, syntax_tree
from helpers.emulator.syntax_tree import Node, line_at
from helpers.sources import blank_comments_and_strings

_REFUSED = frozenset(
    "LAMBDA_EXPR CXX_TRY_STMT CXX_FOR_RANGE_STMT GOTO_STMT LABEL_STMT INDIRECT_GOTO_STMT "
    "STRUCT_DECL CLASS_DECL UNION_DECL STMT_EXPR TYPEDEF_DECL TYPE_ALIAS_DECL ENUM_DECL "
    "USING_DIRECTIVE USING_DECLARATION CXX_THIS_EXPR".split()
)
# What may stand between a statement and a call in it: all that is computed in any case.
_AROUND = frozenset(
    "UNEXPOSED_EXPR PAREN_EXPR BINARY_OPERATOR COMPOUND_ASSIGNMENT_OPERATOR CALL_EXPR VAR_DECL "
    "DECL_STMT RETURN_STMT ARRAY_SUBSCRIPT_EXPR UNARY_OPERATOR CSTYLE_CAST_EXPR "
    "CXX_STATIC_CAST_EXPR CXX_FUNCTIONAL_CAST_EXPR".split()
)
_DECLARED = frozenset(
    "VAR_DECL PARM_DECL TEMPLATE_TYPE_PARAMETER TEMPLATE_NON_TYPE_PARAMETER TYPEDEF_DECL "
    "TYPE_ALIAS_DECL STRUCT_DECL CLASS_DECL UNION_DECL ENUM_DECL FUNCTION_DECL".split()
)
_DEFINE = re.compile(r"^[ \t]*#[ \t]*define[ \t]+(\w+)((?:\\\r?\n|.)*)", re.MULTILINE)
_BODIES = frozenset("IF_STMT FOR_STMT WHILE_STMT DO_STMT".split())
_NAME = re.compile(r"(?<![\w.])(?<!->)(?<!::)[A-Za-z_]\w*")
_LINKED = re.compile(
    r"\b(?:inline|static|extern|constexpr|template|__(?:force|no)inline__)\b|\\"
)
_PLAIN_TYPE = re.compile(r"[\w:<>,\s*]+")
_MOST = 40  # calls in a kernel


class _Stays(Exception):
    """A kernel stays as it is."""


@dataclass(eq=False)
class _Function:
    """A function that may be written into a kernel."""

    node: Node
    name: str
    waits: bool = False

    @property
    def body(self) -> Node:
        return self.node.children[-1]

    @property
    def parameters(self) -> list[Node]:
        return [one for one in self.node.children if one.kind == "PARM_DECL"]

    @property
    def template(self) -> list[Node]:
        return [one for one in self.node.children if one.kind.startswith("TEMPLATE_")]


@dataclass
class _File:
    """A file's text, as bytes that are characters, and its functions."""

    text: str
    code: str
    functions: dict[int, _Function] = field(default_factory=dict)  # by place

    @cached_property
    def macros(self) -> dict[str, set[str]]:
        """The words in each macro's text."""
        return {
            found[1]: set(re.findall(r"[A-Za-z_]\w*", found[2]))
            for found in _DEFINE.finditer(self.code)
        }

    def words(self, begin: int, end: int) -> tuple[set[str], set[str]]:
        """Return the names in a part of the file, and the words that macros bring into it."""
        names = set(_NAME.findall(self.code, begin, end))
        brought: set[str] = set()
        used = names & set(self.macros)
        while used:
            words = set().union(*(self.macros[name] for name in used)) - brought
            brought |= words
            used = words & set(self.macros)
        return names, brought

    def called(self, node: Node) -> _Function | None:
        """Return the function that is called, if it is one in which a thread waits."""
        if node.kind != "CALL_EXPR":
            return None
        meant = node.cursor.referenced
        if meant is not None:
            meant = meant.get_definition() or meant
            found = self.functions.get(meant.location.offset)
            same = found and meant.location.file.name == found.node.cursor.location.file.name
            return found if same and found.waits else None
        name = re.match(r"\w*", self.code[node.begin : node.begin + 200])[0]
        named = [one for one in self.functions.values() if one.name == name]
        return named[0] if len(named) == 1 and named[0].waits else None


class _Kernel:
    """One kernel: writes what it calls into it."""

    def __init__(self, file: _File, node: Node):
        self.file, self.node = file, node
        self.calls = 0
        self.shared: dict[str, str] = {}
        self.meant: set[str] = (
            set()
        )  # names by which functions mean what stands outside of them
        self.made: set[str] = set()
        body = node.children[-1]
        self.names = set(_NAME.findall(file.code[node.begin : body.end]))

    def rewrite(self) -> list[tuple[int, int, str]]:
        """Return the replacements; _Stays if it has a call that cannot be written so."""
        body = self.node.children[-1]
        edits = self._statements(body, {}, None, ())
        here = {one.cursor.spelling for one in self.node.all() if one.kind in _DECLARED}
        if self.meant & (here | self.made | set(self.shared)) or self.names & self.made:
            raise _Stays
        if edits and self.shared:
            edits.append((body.begin + 1, body.begin + 1, " " + " ".join(self.shared.values())))
        return edits

    def _statements(
        self, body: Node, names: Mapping[str, str], result: str | None, within: Iterable
    ) -> list[tuple[int, int, str]]:
        """Return the replacements of the statements of a body in which calls stand."""
        calls: dict[Node, list[Node]] = {}
        for node in body.all():
            if self.file.called(node):
                calls.setdefault(_statement(node, self.file.code), []).append(node)
        return [
            self._statement(statement, found, names, result, within)
            for statement, found in calls.items()
        ]

    def _statement(self, statement, calls, names, result, within) -> tuple[int, int, str]:
        code = self.file.code
        end = statement.end
        if statement.kind != "DECL_STMT":
            end = code.index(";", end) + 1
            if code[statement.end : end].strip() != ";":
                raise _Stays
        elif len(statement.children) != 1:
            raise _Stays
        hoists: list[str] = []
        edits: list[tuple[int, int, str]] = []
        line = line_at(code, statement.begin)
        for call in reversed(calls):  # those within others first
            inner = [one for one in edits if call.begin <= one[0] and one[1] <= call.end]
            before, name = self._call(call, inner, names, line, within)
            hoists.append(before)
            edits = [one for one in edits if one not in inner]
            edits.append((call.begin, call.end, name))
        if statement.kind == "RETURN_STMT":
            if result is None:
                raise _Stays
            edits.append((statement.begin, statement.begin + 6, f"{result} ="))
        text = "".join(hoists) + self._text(statement.begin, end, edits, names)
        if statement.parent.kind != "COMPOUND_STMT":
            text = f"{{ {text} }}"
        return statement.begin, end, text

    def _text(self, begin: int, end: int, edits: Iterable, names: Mapping[str, str]) -> str:
        """Return a part of the file with replacements, and with other names."""
        done, at = "", begin
        for first, last, new in sorted(edits):
            done += self._renamed(at, first, names) + new
            at = last
        return done + self._renamed(at, end, names)

    def _renamed(self, begin: int, end: int, names: Mapping[str, str]) -> str:
        done, at = "", begin
        for found in _NAME.finditer(self.file.code, begin, end):
            if found[0] in names:
                done += self.file.text[at : found.start()] + names[found[0]]
                at = found.end()
        return done + self.file.text[at:end]

    def _call(self, call: Node, inner, names, line: int, within) -> tuple[str, str]:
        """Return what stands before a statement with a call, and what stands in its place."""
        function = self.file.called(call)
        arguments = call.children[1:]
        self.calls += 1
        number = self.calls
        if function in within or number > _MOST or len(arguments) != len(function.parameters):
            raise _Stays
        own = self._template(function, call, arguments)
        given = ""
        for parameter, argument in zip(function.parameters, arguments, strict=True):
            given += self._parameter(parameter, argument, own, names, inner, number)
        body = function.body
        _refuse(function, self.file.code)
        edits = []
        for node in body.all():
            if node.kind == "VAR_DECL" and not node.has("CUDASHARED_ATTR"):
                own[node.cursor.spelling] = f"{node.cursor.spelling}_{number}"
        for node in body.children:
            if node.kind == "DECL_STMT" and any(
                one.has("CUDASHARED_ATTR") for one in node.children
            ):
                self._share(node, own)
                lines = "\n" * self.file.code.count("\n", node.begin, node.end)
                edits.append((node.begin, node.end, lines))
        result, declared = f"result_{number}", ""
        last = body.children[-1] if body.children else None
        kind = function.node.cursor.result_type.spelling
        if kind != "void":
            if not last or last.kind != "RETURN_STMT":
                raise _Stays
            kind = _NAME.sub(lambda name: own.get(name[0], name[0]), kind)
            kind = re.sub(r"\bconst\b\s*", "", kind)
            if not _PLAIN_TYPE.fullmatch(kind) or "auto" in kind or result in self.names:
                raise _Stays
            declared = f"{kind} {result}; "
        inside = self._statements(body, own, result, (*within, function))
        if last and last.kind == "RETURN_STMT" and kind != "void":
            if not any(first == last.begin for first, *_ in inside):
                edits.append((last.begin, last.begin + 6, f"{result} ="))
        self._note_names(function, own, result)
        text = self._text(body.begin + 1, body.end - 1, [*edits, *inside], own)
        begins = line_at(self.file.code, body.begin + 1)
        before = f"{declared}{{ {given}\n#line {begins}\n{text}\n#line {line}\n}} "
        return before, result

    def _note_names(self, function: _Function, own: Mapping[str, str], result: str) -> None:
        """Note what a function means by its names; _Stays if a macro speaks of its own."""
        names, brought = self.file.words(function.body.begin, function.body.end)
        if brought & {*own, "return", "goto"}:
            raise _Stays
        shared = {
            one.cursor.spelling for one in function.body.all() if one.has("CUDASHARED_ATTR")
        }
        self.meant |= (names | brought) - set(own) - shared
        self.made |= {result, *(name for name in own.values() if not _is_type(name))}

    def _parameter(self, parameter, argument, own, names, inner, number: int) -> str:
        """Return the declaration that stands for a parameter, if there is one."""
        name, kind = parameter.cursor.spelling, parameter.cursor.type.spelling
        code = self.file.code
        if not name:
            return ""
        at = parameter.cursor.location.offset
        if code[at + len(name) : parameter.end].strip():
            raise _Stays
        meant = argument
        while meant.kind == "UNEXPOSED_EXPR" and len(meant.children) == 1:
            meant = meant.children[0]
        same = _bare(_NAME.sub(lambda word: own.get(word[0], word[0]), kind))
        same = same == _bare(meant.cursor.type.spelling)
        if "&" in kind and meant.kind == "DECL_REF_EXPR" and same:
            text = self.file.text[argument.begin : argument.end]
            if not re.fullmatch(r"\w+", text):
                raise _Stays
            own[name] = names.get(text, text)
            return ""
        if "&" in kind and not kind.startswith("const "):
            raise _Stays
        declared = self._renamed(parameter.begin, at, own).replace("&", "")
        if not _PLAIN_TYPE.fullmatch(declared) or re.search(r"\bauto\b", declared):
            raise _Stays
        own[name] = f"{name}_{number}"
        given = self._text(argument.begin, argument.end, _inside(inner, argument), names)
        if "#" in given:
            raise _Stays
        return f"{' '.join(declared.split())} {own[name]} = ({given}); "

    def _template(self, function: _Function, call: Node, arguments) -> dict[str, str]:
        """Return what a function's template parameters stand for in a call."""
        meant, own = call.cursor.referenced, {}
        for place, one in enumerate(function.template):
            name = one.cursor.spelling
            known = meant is not None and place < meant.get_num_template_arguments()
            if one.kind == "TEMPLATE_NON_TYPE_PARAMETER" and known:
                own[name] = f"({meant.get_template_argument_value(place)})"
                continue
            kind = meant.get_template_argument_type(place).spelling if known else ""
            for parameter, argument in zip(function.parameters, arguments, strict=True):
                if not known and parameter.cursor.type.spelling == name:
                    kind = argument.cursor.type.spelling
            kind = re.sub(r"\bconst\b\s*", "", kind)
            if one.kind != "TEMPLATE_TYPE_PARAMETER" or not re.fullmatch(r"[\w:][\w: ]*", kind):
                raise _Stays
            own[name] = kind
        return own

    def _share(self, node: Node, own: Mapping[str, str]) -> None:
        """Move a function's shared arrays to the beginning of the kernel."""
        text = " ".join(self._renamed(node.begin, node.end, own).split())
        local = [one for one in _NAME.findall(text) if one in own.values()]
        if local and not all(map(_is_type, local)):
            raise _Stays
        if not text.endswith(";") or re.search(r"\bextern\b", text):
            raise _Stays
        for one in node.children:
            name = one.cursor.spelling
            if name in self.names or self.shared.get(name, text) != text:
                raise _Stays
        # One declaration may have several.
        self.shared[node.children[0].cursor.spelling] = text


def _bare(kind: str) -> str:
    """Return a type's name without const and reference."""
    return "".join(re.sub(r"\b(?:const|volatile)\b|&", "", kind).split())


def _is_type(name: str) -> bool:
    return not re.search(r"_\d+$", name)


def _inside(edits: Iterable[tuple[int, int, str]], node: Node) -> list[tuple[int, int, str]]:
    return [one for one in edits if node.begin <= one[0] and one[1] <= node.end]


def _refuse(function: _Function, code: str) -> None:
    """Raise _Stays if a function's body is more than statements and one return at its end."""
    body = function.body
    nodes = list(body.all())
    text = re.sub(r"#[ \t]*pragma[ \t]+(?:no)?unroll", "", code[body.begin : body.end])
    returns = [one for one in nodes if one.kind == "RETURN_STMT"]
    if (
        any(one.kind in _REFUSED for one in nodes)
        or "#" in text
        or re.search(r"\b(?:static(?!_cast)|assert|asm|goto|extern)\b", text)
        or any(one is not body.children[-1] or not one.children for one in returns)
        or any(
            one.has("CUDASHARED_ATTR") and one.parent.parent is not body
            for one in nodes
            if one.kind == "VAR_DECL"
        )
        or any(code[one.begin : one.begin + 6] != "return" for one in returns)
    ):
        raise _Stays


def _statement(call: Node, code: str) -> Node:
    """Return the statement in which a call stands, which computes it in any case and first."""
    node = call
    while True:
        around = node.parent
        if around.kind == "COMPOUND_STMT":
            break
        if around.kind in _BODIES:
            is_body = node is around.children[-1] or around.kind == "IF_STMT"
            if not is_body or node is around.children[0] or node.kind == "DECL_STMT":
                raise _Stays
            break
        if around.kind not in _AROUND:
            raise _Stays
        if around.kind == "BINARY_OPERATOR":
            first, second = around.children
            if re.search(r"&&|\|\||,", code[first.end : second.begin]):
                raise _Stays
        node = around
    if node.kind not in _AROUND:
        raise _Stays
    return node


def _find_waiting(file: _File, copies: Iterable[int]) -> None:
    """Note which functions wait: at a barrier, in a loop of shuffles, or in what they call."""
    loops = set(copies)
    for function in file.functions.values():
        for node in function.body.all():
            if node.kind == "CALL_EXPR" and node.cursor.spelling == "__syncthreads":
                function.waits = True
            elif node.kind == "FOR_STMT" and node.begin in loops:
                function.waits = True
    more = True
    while more:
        more = False
        for function in file.functions.values():
            if not function.waits and any(map(file.called, function.body.all())):
                function.waits = more = True


def _as_inline(file: _File) -> Iterator[tuple[int, int, str]]:
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
    if not any(re.search(r"__shfl_\w*sync|__syncthreads", text) for text in texts.values()):
        return None
    files = {
        name: _File(text, blank_comments_and_strings(text)) for name, text in texts.items()
    }
    kernels = []
    for cursor in syntax_tree.functions(unit.cursor, set(texts)):
        file = cursor.location.file.name
        if syntax_tree.has_attribute(cursor, "CUDAGLOBAL_ATTR"):
            kernels.append((file, cursor))
        elif syntax_tree.has_attribute(cursor, "CUDADEVICE_ATTR"):
            function = _Function(syntax_tree.tree(cursor), cursor.spelling)
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
        except _Stays:
            continue
        edits.setdefault(name, []).extend(new)
    if not any(edits.values()):
        return None
    for name, file in files.items():
        edits.setdefault(name, []).extend(_as_inline(file))
    done = {}
    for path in sources:
        text = texts[str(path)]
        for begin, end, new in sorted(edits.get(str(path), ()), reverse=True):
            text = text[:begin] + new + text[end:]
        done[path] = text.encode("latin-1").decode()
    return done
