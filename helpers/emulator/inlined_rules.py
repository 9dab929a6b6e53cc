"""Say which device functions may be written into a kernel: where all means the same then.

Between a function and a kernel that calls it a macro may change, an overload or a `using` come;
a namespace or a variable of the kernel may have another thing of a name; a call may be computed
only sometimes, or before what stands left of it. Whatever is not known to be the same stays.
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

from helpers.emulator.brackets import closing
from helpers.emulator.syntax_tree import Node

_REFUSED = frozenset(
    "LAMBDA_EXPR CXX_TRY_STMT CXX_FOR_RANGE_STMT GOTO_STMT LABEL_STMT INDIRECT_GOTO_STMT "
    "STMT_EXPR CXX_THIS_EXPR".split()
)
_OTHER_BODIES = frozenset(
    "LAMBDA_EXPR STRUCT_DECL CLASS_DECL UNION_DECL CLASS_TEMPLATE".split()
)
# What may stand between a statement and a call in it: all that is computed in any case.
_AROUND = frozenset(
    "UNEXPOSED_EXPR PAREN_EXPR BINARY_OPERATOR COMPOUND_ASSIGNMENT_OPERATOR CALL_EXPR VAR_DECL "
    "DECL_STMT RETURN_STMT ARRAY_SUBSCRIPT_EXPR UNARY_OPERATOR CSTYLE_CAST_EXPR "
    "CXX_STATIC_CAST_EXPR CXX_FUNCTIONAL_CAST_EXPR".split()
)
_BODIES = frozenset("IF_STMT FOR_STMT WHILE_STMT DO_STMT".split())
_OPERATOR = re.compile(r"\s*([-+*/%&|^<>]|[-+*/%&|^<>=!]=|<<=?|>>=?|=)\s*")
_CHANGED = frozenset("CALL_EXPR COMPOUND_ASSIGNMENT_OPERATOR LAMBDA_EXPR CXX_NEW_EXPR".split())
_DIRECTIVE = re.compile(
    r"^[ \t]*#[ \t]*(?:(define|undef)[ \t]+(\w+)((?:\\\r?\n|.)*)|(include))", re.MULTILINE
)
# A shared array lives as long as its block, also with the word `static`.
_SKIPPED = re.compile(r"#[ \t]*pragma[ \t]+(?:no)?unroll|\bstatic\s+(?=__shared__)")
_CONTROL = frozenset("if else for while do return goto switch case default break".split())
_WORD = re.compile(r"[A-Za-z_]\w*")
_BINDINGS = re.compile(r"\bauto\b[\s&]*\[([^\]]*)\]")
_USING = frozenset("USING_DIRECTIVE USING_DECLARATION".split())
_SPACES = frozenset("NAMESPACE LINKAGE_SPEC UNEXPOSED_DECL".split())
_MEMBERS = frozenset("FIELD_DECL CXX_METHOD FUNCTION_TEMPLATE CONVERSION_FUNCTION".split())
# What is another thing in another function.
OF_ITS_PLACE = frozenset("__func__ __FUNCTION__ __PRETTY_FUNCTION__ __COUNTER__".split())
NAME = re.compile(r"(?<![\w.])(?<!->)(?<!::)[A-Za-z_]\w*")


class Stays(Exception):
    """A kernel stays as it is."""


@dataclass(eq=False)
class Function:
    """A function that may be written into a kernel."""

    node: Node
    name: str
    waits: bool = False

    @property
    def body(self) -> Node:
        """Return its statements."""
        return self.node.children[-1]

    @property
    def parameters(self) -> list[Node]:
        """Return its parameters."""
        return [one for one in self.node.children if one.kind == "PARM_DECL"]

    @property
    def template(self) -> list[Node]:
        """Return the parameters of its template."""
        return [one for one in self.node.children if one.kind.startswith("TEMPLATE_")]


@dataclass(frozen=True)
class _Declared:
    """A place at which a name is declared outside of functions."""

    file: str
    at: int
    what: str  # the same for a prototype and its definition
    is_template: bool


class Names:
    """What the names of all files mean outside of functions."""

    def __init__(self, unit, codes: Mapping[str, str]):
        self._unit, self._codes = unit, codes
        self._directives: dict[str, list[tuple[str, int, str]]] = {}  # file, place, text
        self._undefined: set[str] = set()
        for file, code in codes.items():
            for found in _DIRECTIVE.finditer(code):
                if found[1] == "undef":
                    self._undefined.add(found[2])
                elif found[1]:
                    one = (file, found.start(), found[3])
                    self._directives.setdefault(found[2], []).append(one)

    def is_macro(self, name: str) -> bool:
        """Say whether a file defines a macro of this name."""
        return name in self._directives

    def brought(self, words: set[str]) -> dict[str, str]:
        """Return the macros among words, and those of which they consist, with their texts."""
        found: dict[str, str] = {}
        while used := {word for word in words if word in self._directives} - set(found):
            for name in used:
                found[name] = " ".join(text for *_, text in self._directives[name])
            words = set().union(*(_WORD.findall(found[name]) for name in used))
        return found

    def is_plain(self, name: str) -> bool:
        """Say whether a name is no macro, or one for a type or a name."""
        found = self.brought({name})
        texts = " ".join(found.values())
        return bool(re.fullmatch(r"[\w\s:*]*", texts)) and not _CONTROL & set(texts.split())

    @cached_property
    def _declared(self) -> dict[str, list[_Declared]]:
        found: dict[str, list[_Declared]] = {}
        for cursor in self._cursors(self._unit.cursor):
            place, kind = cursor.location, cursor.kind.name
            name = "using" if kind in _USING else cursor.spelling
            template = kind.endswith("TEMPLATE")
            one = _Declared(place.file.name, place.offset, cursor.get_usr(), template)
            found.setdefault(name, []).append(one)
        return found

    def _cursors(self, cursor) -> Iterator:
        for child in cursor.get_children():
            file = child.location.file
            if not file or file.name not in self._codes or not child.kind.is_declaration():
                continue
            yield child
            if child.kind.name in _SPACES or child.kind.name == "ENUM_DECL":
                yield from self._cursors(child)

    def _things(self, name: str) -> int:
        return len({one.what for one in self._declared.get(name, ())})

    def is_overloaded(self, name: str) -> bool:
        """Say whether a name may be another function for other arguments."""
        is_template = any(one.is_template for one in self._declared.get(name, ()))
        return self._things(name) > 1 or is_template

    def is_one(self, name: str) -> bool:
        """Say whether there is one thing of this name, outside of functions."""
        return self._things(name) == 1

    def is_copied(self, kind, templates: Container[str]) -> bool:
        """Say whether to return a value of a type is the same as to assign it.

        templates: the names of types that are known otherwise.
        """
        kind = kind.get_canonical() if kind.get_canonical().kind.name != "UNEXPOSED" else kind
        if kind.kind.name == "RECORD":
            declared = kind.get_declaration()
            place = declared.location.file
            plain = all(
                one.kind.name in _MEMBERS
                and not one.spelling.startswith(("operator=", declared.spelling))
                for one in declared.get_children()
            )
            return (plain and kind.is_pod()) or not place or place.name not in self._codes
        return kind.kind.name != "UNEXPOSED" or kind.spelling in templates

    def require_same(
        self, function: Function, kernel: Node, words: set[str], outside: set[str]
    ) -> None:
        """Raise Stays if a function's words may mean something else where a kernel stands.

        outside: of them, those that are not the function's own.
        """
        file = kernel.cursor.location.file.name
        first = min(function.node.begin, kernel.begin)
        last = max(function.node.end, kernel.end)
        ours, its = _spaces(kernel.cursor), _spaces(function.node.cursor)
        if ours != its and outside & set(self._declared):
            raise Stays
        its = [one for one in its if one]  # what has no name is seen from around it
        if its != [one for one in ours if one][: len(its)]:
            raise Stays
        for found in _DIRECTIVE.finditer(self._codes[file], first, last):
            if found[4] or found[2] in words:
                raise Stays
        for name, text in self.brought(words).items():
            if len(self._directives[name]) > 1 or name in self._undefined or "#" in text:
                raise Stays
            where, at, _ = self._directives[name][0]
            if where == file and at > first:
                raise Stays
        for name in {*outside, "using"}:
            before = [o for o in self._declared.get(name, ()) if o.file != file or o.at < first]
            known = {one.what for one in before} | {function.node.cursor.get_usr()}
            for one in self._declared.get(name, ()):
                if one.file == file and first <= one.at < last:
                    if name == "using" or one.what not in known:
                        raise Stays


def _spaces(cursor) -> list[str]:
    """Return the namespaces in which something stands, the outermost first."""
    found, around = [], cursor.semantic_parent
    while around is not None and around.kind.name != "TRANSLATION_UNIT":
        if around.kind.name == "NAMESPACE":
            found.append("" if around.is_anonymous() else around.spelling)
        around = around.semantic_parent
    return found[::-1]


def names_of_kernel(kernel: Node, code: str) -> set[str]:
    """Return the names that a kernel declares; Stays if it may borrow others."""
    if any(one.kind in _USING for one in kernel.all()):
        raise Stays
    found = {one.cursor.spelling for one in kernel.all() if one.cursor.kind.is_declaration()}
    for names in _BINDINGS.findall(code[kernel.begin : kernel.end]):
        found.update(_WORD.findall(names))
    return found - {kernel.cursor.spelling}


def is_spelled(call: Node, name: str, code: str, names: Names) -> bool:
    """Say whether a call stands in the file as it is: not made by a macro, nor part of one."""
    head = re.compile(rf"((?:\w*\s*::\s*)*{re.escape(name)})\s*(?:<[^;{{}}()]*>\s*)?\(")
    found = head.match(code, call.begin, call.end)
    if not found or closing(code, found.end() - 1) != call.end - 1:
        return False
    if any(map(names.is_macro, _WORD.findall(found[1]))):
        return False
    at, between = found.end(), ""
    for one in call.children[1:]:
        if one.begin < at or code[at : one.begin].strip() != between:
            return False
        at, between = one.end, ","
    return not code[at : call.end - 1].strip()


def require_plain(function: Function, code: str) -> None:
    """Raise Stays if a function's body is more than statements and one return at its end."""
    body = function.body
    nodes = list(body.all())
    text = _SKIPPED.sub("", code[body.begin : body.end])
    returns = [one for one in nodes if one.kind == "RETURN_STMT"]
    declared = [one for one in nodes if one.cursor.kind.is_declaration()]
    if (
        text[:1] + text[-1:] != "{}"
        or any(one.kind in _REFUSED for one in nodes)
        or any(one.kind not in ("VAR_DECL", "STATIC_ASSERT") for one in declared)
        or _BINDINGS.search(text)
        or "#" in text
        or re.search(r"\b(?:static(?!_cast)|assert|asm|goto|extern)\b", text)
        or OF_ITS_PLACE & set(_WORD.findall(text))
        or any(one is not body.children[-1] or not one.children for one in returns)
        or any(
            one.has("CUDASHARED_ATTR") and one.parent.parent is not body
            for one in nodes
            if one.kind == "VAR_DECL"
        )
        or any(code[one.begin : one.begin + 6] != "return" for one in returns)
        or any(_has_comma(one.children[0], code) for one in returns)
    ):
        raise Stays


def _has_comma(result: Node, code: str) -> bool:
    """Say whether an expression may be a list: as what is assigned it would be another."""
    while result.kind == "UNEXPOSED_EXPR" and len(result.children) == 1:
        result = result.children[0]
    if result.kind != "BINARY_OPERATOR" or _operator(result, code):
        return False
    first, second = result.children
    return code[first.end : second.begin].strip() not in ("&&", "||")


def statement_of(call: Node, code: str, names: Names) -> Node:
    """Return the statement in which a call stands, which computes it in any case and first."""
    node = call
    while True:
        around = node.parent
        if around.kind == "COMPOUND_STMT":
            break
        if around.kind in _BODIES:
            is_body = node is around.children[-1] or around.kind == "IF_STMT"
            if not is_body or node is around.children[0] or node.kind == "DECL_STMT":
                raise Stays
            break
        if around.kind not in _AROUND or _is_late(node, around, code):
            raise Stays
        node = around
    first = _WORD.match(code, node.begin)
    if node.kind not in _AROUND or (first and not names.is_plain(first[0])):
        raise Stays
    while around.parent is not None:
        if around.kind in _OTHER_BODIES:
            raise Stays
        around = around.parent
    return node


def _operator(node: Node, code: str) -> str:
    """Return the operator between two operands, "" for any that is not known to be plain."""
    if len(node.children) != 2:
        return ""
    first, second = node.children
    found = _OPERATOR.fullmatch(code, first.end, max(first.end, second.begin))
    return found[1] if found else ""


def _is_late(node: Node, around: Node, code: str) -> bool:
    """Say whether a part of an expression may not be computed, or behind what changes."""
    if around.kind in ("BINARY_OPERATOR", "COMPOUND_ASSIGNMENT_OPERATOR"):
        sign = _operator(around, code)
        if not sign:
            return True
        first, second = around.children
        if sign in ("<<", ">>"):
            return node is second and changes(first, code)
        is_assignment = sign == "=" or around.kind == "COMPOUND_ASSIGNMENT_OPERATOR"
        return is_assignment and node is first and changes(second, code)
    if around.kind in ("ARRAY_SUBSCRIPT_EXPR", "CALL_EXPR") and len(around.children) > 1:
        return node is not around.children[0] and changes(around.children[0], code)
    return False


def changes(node: Node, code: str) -> bool:
    """Say whether an expression may change something."""
    for one in node.all():
        if one.kind in _CHANGED:
            return True
        if one.kind == "UNARY_OPERATOR" and re.search(r"\+\+|--", code[one.begin : one.end]):
            return True
        if one.kind == "BINARY_OPERATOR" and _operator(one, code) in ("", "="):
            return True
    return False


_NUMBERS = frozenset(
    "bool,char,signed char,unsigned char,short,unsigned short,int,unsigned int,long,"
    "unsigned long,long long,unsigned long long,float,double".split(",")
)
_VALUES = frozenset(
    "INTEGER_LITERAL FLOATING_LITERAL CXX_BOOL_LITERAL_EXPR CHARACTER_LITERAL CSTYLE_CAST_EXPR "
    "CXX_STATIC_CAST_EXPR CXX_FUNCTIONAL_CAST_EXPR".split()
)


def is_value(argument: Node, code: str) -> bool:
    """Say whether an argument is a number of its own, not a variable with an address."""
    node = argument
    while node.kind in ("UNEXPOSED_EXPR", "PAREN_EXPR") and len(node.children) == 1:
        node = node.children[0]
    if node.kind == "BINARY_OPERATOR":
        return _operator(node, code) not in ("", "=")
    if node.kind == "UNARY_OPERATOR":
        return code[node.begin] in "-+!~" and code[node.begin + 1] not in "-+"
    if node.kind == "CALL_EXPR":
        meant = node.cursor.referenced
        return meant is not None and "&" not in meant.result_type.get_canonical().spelling
    return node.kind in _VALUES and "&" not in code[node.begin : node.end]


def is_converted(parameter: Node, argument: Node) -> bool:
    """Say whether a reference is to a new number, as the argument is one of another type."""
    types = (parameter.cursor.type.get_pointee(), argument.cursor.type)
    wanted, given = (one.get_canonical().spelling.removeprefix("const ") for one in types)
    return wanted != given and {wanted, given} <= _NUMBERS
