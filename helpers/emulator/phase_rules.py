"""Say what of a kernel all threads of a warp or a block do alike, and what is done but once.

phases.py asks: whether an expression has one value for a whole warp or block, which functions
may be called, and where a kernel first does what it may not do again, such as a store.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from helpers.emulator.brackets import closing
from helpers.emulator.syntax_tree import Node

INCLUDE = Path(__file__).resolve().parent / "include"
RANK = "(threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z))"  # in its block
LANE, WARP, BLOCK = range(3)  # for whom a value is the same

_REFUSED = frozenset(
    "CXX_TRY_STMT CXX_FOR_RANGE_STMT GOTO_STMT LABEL_STMT INDIRECT_GOTO_STMT "
    "STRUCT_DECL CLASS_DECL UNION_DECL CLASS_TEMPLATE STMT_EXPR SEH_TRY_STMT ASM_STMT "
    "MS_ASM_STMT CXX_NEW_EXPR CXX_DELETE_EXPR CXX_THROW_EXPR".split()
)
_OPERATIONS = (
    r"__shfl_(?:up_|down_|xor_)?sync|__(?:ballot|any|all)_sync|__syncwarp|__activemask"
)
WARP_OPERATION = re.compile(rf"\b(?:{_OPERATIONS})\s*\(")
WAIT = re.compile(rf"\b({_OPERATIONS}|__syncthreads)\s*\(")
CALLED = re.compile(r"([A-Za-z_]\w*)\s*(?:<[^<>;(){}]*>)?\s*\(")
WORDS = frozenset(
    "if for while do switch return sizeof alignof alignas int unsigned long short char signed "
    "float double bool half size_t static_cast reinterpret_cast const_cast constexpr "
    "static_assert __half __half2 half2 __nv_bfloat16 __nv_bfloat162 void auto else and or not "
    "nearest".split()
)
_TYPE = re.compile(
    r"u?int(?:8|16|32|64)_t$|(?:u?(?:char|short|int|long|longlong)|float|double)[1-4]$"
)
_PURE = re.compile(
    r"(?:(?:f|u|ll?|ull?)?(?:max|min|abs)|(?:fma|exp2?|exp10|expm1|log2?|log10|log1p|r?sqrt|sin|cos"
    r"|sinpi|cospi|tanh?|erfc?|erfinv|normcdf|pow|floor|ceil|round|l?l?rint|trunc|fmod|copysign|r?cbrt"
    r"|[sc]inh|cosh|hypot|atan2?|fdim|scalbn|ldexp|remainder)[fl]?|f(?:max|min|abs|dim|ma)f?"
    r"|is(?:nan|inf|finite)|signbit|make_\w+|h(?:exp2?|log2?|sqrt|rsqrt|rcp|sin|cos|floor|ceil|rint|trunc|tanh?)"
    r"|__(?!sync|shfl|match|reduce|any|all|ballot|uni_|activemask|nanosleep|trap|brkpt|pipeline|barrier"
    r"|cluster|builtin|st(?:c[gs]|wb|wt)|prof|assert|wmma|hmma|imma|device|global|host|shared|launch)\w+)$"
)
_STORES = re.compile(r"atomic\w+$|printf$|__st(?:c[gs]|wb|wt)$")
_VARIABLE = re.compile(
    r"__(?:device|managed)__[^;{}()]*?(\w+)\s*(?:\[[^;]*\]\s*)?(?:=[^;]*|\{[^;]*)?;"
)
_STRUCT = re.compile(
    r"\bstruct\s+(?:(?:alignas|__align__)\s*\(\s*\w+\s*\)\s*)?(\w+)\s*\{([^{}]*)\}\s*;"
)
_FUNCTOR = re.compile(  # of no member but operator()
    r"\bstruct\s+(\w+)\s*\{[^{};=]*?\boperator\s*\(\s*\)\s*"
    r"\(([^()]*)\)\s*(?:const\s*)?\{([^{}]*)\}\s*;?\s*\}\s*;"
)
_CHANGING = re.compile(r"operator\s*(?:[-+*/%&|^]|<<|>>)?=(?!=)|operator\s*(?:\+\+|--)")
_NOT_PLAIN = re.compile(r"[(&~:*]|\b(?:static|virtual|union|operator|using|friend|volatile)\b")
_ASSIGNED, _STEPPED = r"\s*(?:[-+*/%&|^]|<<|>>)?=(?!=)", r"\s*(?:\+\+|--)"
# The head of a loop that counts, and surely ends.
_COUNTED = re.compile(
    r"[^;]*\b(?P<of>\w+)\s*=[^;]*;\s*(?P=of)\s*(?:[<>]=?[^;&|?]*)?;[^;]*\b(?P=of)\b[^;]*"
)
# What stands before the & of an address, and not before that of two operands: `(i & k)`.
_BEFORE_ADDRESS = r"(?:(?<![&\w)\]\s])|\*\s*\)|\breturn)"
_COMPUTED = frozenset("+ - * / % & | ^ && || << >> < > <= >= == !=".split())
_OPERATORS = frozenset(
    "UNEXPOSED_EXPR PAREN_EXPR CSTYLE_CAST_EXPR CXX_STATIC_CAST_EXPR "
    "CXX_FUNCTIONAL_CAST_EXPR BINARY_OPERATOR CONDITIONAL_OPERATOR "
    "UNARY_OPERATOR".split()
)
_LITERALS = frozenset(
    "INTEGER_LITERAL FLOATING_LITERAL CHARACTER_LITERAL CXX_BOOL_LITERAL_EXPR "
    "CXX_UNARY_EXPR TYPE_REF CXX_NULL_PTR_LITERAL_EXPR".split()
)
_FULL = re.compile(
    r"\(*\s*(?:\(\s*(?:unsigned(?:\s+int)?|uint32_t|int)\s*\)\s*)?"
    r"(?:0x[fF]{8}(?:[uU][lL]{0,2})?|~\s*0[uUlL]*|-\s*1|4294967295[uUlL]*|UINT(?:32)?_MAX)\s*\)*"
)


class Stays(Exception):
    """A kernel stays as it is."""


@dataclass(frozen=True)
class Wait:
    """A call at which lanes or threads wait for each other."""

    begin: int
    end: int
    name: str
    arguments: tuple[tuple[int, int], ...]  # from where to where


class File:
    """What the functions and constants of a file are."""

    def __init__(self, code: str):
        self.code = code
        define = r"^[ \t]*#[ \t]*define[ \t]+(\w+)(\(?)(.*(?:\\\n.*)*)"
        found = re.findall(define, code, flags=re.M)
        self.macros = {name: text.strip() for name, opened, text in found if not opened}
        self.functions_of_macros = {name for name, opened, _ in found if opened}
        self._kinds: dict[str, str] = {}
        self._variables = set(_VARIABLE.findall(code))  # that any function may change
        # Structs of numbers alone, with no function of their own: the most bytes that each has.
        self.structs = {
            name: _most_bytes(body)
            for name, body in _STRUCT.findall(code)
            if not _NOT_PLAIN.search(body)
        }
        self._functors = {name: (head, body) for name, head, body in _FUNCTOR.findall(code)}
        self.has_operators = bool(re.search(r"\boperator\s*[^\s\w(]", code))
        self._parameters = set(re.findall(r"\b(?:typename|class)\s+(\w+)\s*[,>=]", code))
        own = set(re.findall(r"\b(?:struct|class|union)\s+(\w+)[^;(){}<>]*\{", code))
        self._has_other_types = bool(own - set(self.structs) - set(self._functors))

    def bodies(self, name: str) -> list[tuple[str, str]]:
        """Return the heads and bodies of functions of this name."""
        found = []
        for one in re.finditer(rf"\b{name}\s*\(", self.code):
            close = closing(self.code, one.end() - 1)
            opened = re.compile(r"\s*(?:const\b\s*)?\{").match(self.code, close + 1)
            if close > 0 and opened:
                end = closing(self.code, opened.end() - 1)
                found.append((self.code[one.end() : close], self.code[opened.end() : end]))
        return found

    def kind(self, name: str) -> str:
        """Return whether a called name is "pure", has "effects", or is "unknown"."""
        if name not in self._kinds:
            self._kinds[name] = "unknown"  # also of one that calls itself
            self._kinds[name] = self._kind(name)
        return self._kinds[name]

    def _kind(self, name: str) -> str:
        if name in self.functions_of_macros:
            return "unknown"
        if name in self.structs:
            return "pure"
        if name in WORDS or re.match(
            r"__builtin_(?:inf|nan|huge_val|is(?:nan|inf|finite))", name
        ):
            return "pure"
        if functors := self._functors_of(name):
            return self._kind_of([*map(self._functors.get, functors), *self.bodies(name)])
        if name in self._parameters:  # of a template: it is converted
            return "unknown" if self._has_other_types else "pure"
        bodies = self.bodies(name)
        if not bodies:
            if _TYPE.match(name) or _PURE.match(name):
                return "pure"
            return "effects" if _STORES.match(name) else "unknown"
        return self._kind_of(bodies)

    def _functors_of(self, name: str) -> list[str]:
        """Return which functors a name may mean: one of them, or a variable of that type."""
        if name in self._functors:
            return [name]
        declared = re.findall(rf"\b(\w+)\s+{name}\s*[=;,){{]", self.code)
        found = [one for one in declared if one in self._functors]
        if any(one in self._parameters for one in declared) and not self._has_other_types:
            found += self._functors
        return found

    def _kind_of(self, bodies: list[tuple[str, str]]) -> str:
        kinds = set()
        for head, body in bodies:
            if re.search(
                r"\b(?:asm|volatile|static|goto|try)\b|__shared__|\]\s*\(|\.\s*\w+\s*\(", body
            ):
                return "unknown"
            kinds |= {self.kind(called) for called in CALLED.findall(body)}
            if re.search(r"[*&\[]", head) or self._variables & set(re.findall(r"\w+", body)):
                kinds.add("effects")
        return next((one for one in ("unknown", "effects") if one in kinds), "pure")

    def is_plain(self, kind: str) -> bool:
        """Say whether a struct of the file is of numbers alone, or a functor that computes."""
        return kind in self.structs or (kind in self._functors and self.kind(kind) == "pure")

    def is_plain_member(self, meant) -> bool:
        """Say whether a called function is of a plain struct: its copy, say, or a functor."""
        of = meant.semantic_parent if meant is not None else None
        return of is not None and self.is_plain(of.spelling)

    def has_effects(self, text: str) -> bool:
        """Say whether a text calls what must not be called again."""
        return any(self.kind(name) == "effects" for name in CALLED.findall(text))

    def calls_of_thread(self, text: str) -> bool:
        """Say whether a text calls a function of the file that asks which thread it is."""
        called = set(CALLED.findall(text)) - WORDS
        return any("threadIdx" in body for name in called for _, body in self.bodies(name))

    def is_constant(self, name: str) -> bool:
        """Say whether a name is a constant of the file, or a template's number."""
        known = rf"\bconstexpr\b[\w\s:]*\b{name}\s*[={{]|\btemplate\s*<[^<>]*\b{name}\s*[,>=]"
        return bool(re.search(known, self.code))

    def is_full(self, mask: str) -> bool:
        """Say whether a mask surely names all 32 lanes."""
        mask = mask.strip()
        if re.fullmatch(r"[A-Za-z_]\w*", mask):
            if mask in self.macros:
                return self.is_full(self.macros[mask])
            given = re.findall(
                rf"\bconst(?:expr)?\b[\w\s]*\b{mask}\s*[={{]\s*([^;,}}]+)", self.code
            )
            return len(given) == 1 and bool(_FULL.fullmatch(given[0].strip()))
        return bool(_FULL.fullmatch(mask))


def is_quiet(text: str) -> bool:
    """Say whether a text cannot fault and asks for nothing but a thread's own numbers."""
    called = set(CALLED.findall(text)) - WORDS
    plain = re.sub(r"emulator_\w+|[-+*/]=", "x", text)
    reads = r"[\[/%]|->|(?:^|[=(,;{}!|+\-?:<>])\s*\*|\bthreadIdx\b|\bshared\b"
    reads += r"|[\w>]\s*&\s*\w+\s*(?:=(?!=)|[({])"  # another name for a number
    return not re.search(reads, plain) and not any(
        not re.fullmatch(r"f?(?:max|min|abs)f?|fmaf?", name) for name in called
    )


def _most_bytes(members: str) -> int:
    """Return the most bytes that the members of a struct take."""
    size = 0
    for one in re.split(r"[;,]", members):
        if one.strip():
            number = 16
            for extent in re.findall(r"\[([^\]]*)\]", one):
                number *= int(extent) if extent.strip().isdigit() else 64
            size += number
    return size


def _operator_of(node: Node) -> str:
    """Return which operator a call's child stands for, also one that a template leaves open."""
    if node.kind == "CALL_EXPR":
        return ""
    names = [node.cursor.spelling]
    if node.kind == "DECL_REF_EXPR" and not names[0]:
        names = [one.cursor.spelling for one in node.children]
    return next((one for one in names if one.startswith("operator")), "")


def _is_volatile_plain(text: str) -> bool:
    """Say whether volatile memory is reached by local pointers, and nobody waits for it.

    So are the last steps of a sum in shared memory written.
    """
    names = re.findall(r"\bvolatile\s+\w+\s*\*\s*(?:const\s+)?(\w+)\s*=", text)
    if len(names) != len(re.findall(r"\bvolatile\b", text)) or re.search(
        r"\b(?:while|do|goto|break)\b", text
    ):
        return False
    for one in re.finditer(r"\bfor\s*\(", text):
        head = text[one.end() : closing(text, one.end() - 1)]
        if not _COUNTED.fullmatch(head) or any(
            re.search(rf"\b{name}\b", head) for name in names
        ):
            return False
    return True


class Kernel:
    """What the statements of a kernel are."""

    def __init__(self, file: File, body: Node, parameters: list[Node], code: str):
        self.file, self.body, self.code = file, body, code
        self.nodes = list(body.all())
        inside = code[body.begin : body.end]
        if any(one.kind in _REFUSED for one in self.nodes):
            raise Stays
        self.lambdas = self._lambdas()  # by the name of the variable
        plain = inside
        for one in self.lambdas.values():  # without what stands before their bodies
            begin, end = one.begin - body.begin, self._opened(one) - body.begin
            plain = plain[:begin] + " " * (end - begin) + plain[end:]
        if re.search(
            r"\b(?:asm|static(?!\s+(?:__shared__|constexpr)))\b|\]\s*\(|\.\s*\w+\s*\(|->\s*\w+\s*\(",
            plain,
        ):
            raise Stays
        if "volatile" in plain and not _is_volatile_plain(plain):
            raise Stays
        if re.search(r"^[ \t]*#(?![ \t]*pragma|line)", inside, flags=re.M):
            raise Stays
        self.waits = list(self._waits())
        known = {one.begin for one in self.waits}
        for found in CALLED.finditer(code, body.begin, body.end):
            if found.start() in known or found[1] in self.lambdas:
                continue
            if file.kind(found[1]) == "unknown":
                raise Stays
        if any(map(self._is_hidden, self.nodes)):
            raise Stays
        self.parameters = {one.cursor.spelling for one in parameters}
        self.changed = {
            one.cursor.spelling
            for one in parameters
            if one.cursor.spelling
            and is_changed(one.cursor.spelling, inside, "*" in one.cursor.type.spelling)
        }
        self.levels: dict[int, int] = {}
        if any(map(self._is_kept_by_value, self.lambdas.values())):
            raise Stays

    def _lambdas(self) -> dict[str, Node]:
        """Return the lambdas that are declared as variables; Stays if there are others."""
        found = {
            one.cursor.spelling: one.children[-1]
            for one in self.nodes
            if one.kind == "VAR_DECL"
            and one.children
            and len(one.parent.children) == 1
            and one.children[-1].kind in ("LAMBDA_EXPR", "UNEXPOSED_EXPR", "CALL_EXPR")
        }
        for name, node in found.items():
            while node.kind in ("UNEXPOSED_EXPR", "CALL_EXPR") and len(node.children) == 1:
                node = node.children[0]
            found[name] = node
        found = {name: node for name, node in found.items() if node.kind == "LAMBDA_EXPR"}
        written = [one for one in self.nodes if one.kind == "LAMBDA_EXPR"]
        if len(written) != len(found) or any(
            re.search(r"\bmutable\b", self.code[one.begin : self._opened(one)])
            or WAIT.search(self.code, one.begin, one.end)
            for one in written
        ):
            raise Stays
        return found

    def _opened(self, node: Node) -> int:
        """Return where the body of a lambda begins."""
        return next(
            (one.begin for one in node.children if one.kind == "COMPOUND_STMT"), node.end
        )

    def _is_kept_by_value(self, node: Node) -> bool:
        """Say whether a lambda has a copy of a variable that changes."""
        if re.match(r"\[\s*&\s*\]", self.code[node.begin :]):
            return False
        used = (self.declared(one) for one in node.all() if one.kind == "DECL_REF_EXPR")
        return any(
            one is not None and one.begin < node.begin and self.changes(one) for one in used
        )

    def _is_hidden(self, node: Node) -> bool:
        """Say whether a node is a call that matters and that a macro makes."""
        name = node.cursor.spelling if node.kind == "CALL_EXPR" else ""
        if not re.fullmatch(r"[A-Za-z_]\w*", name) or self.file.kind(name) == "pure":
            return False
        return not self.code.startswith(name, node.begin)

    def _waits(self) -> Iterator[Wait]:
        for found in WAIT.finditer(self.code, self.body.begin, self.body.end):
            end = closing(self.code, found.end() - 1)
            if end < 0:
                raise Stays
            yield Wait(found.start(), end + 1, found[1], tuple(self._split(found.end(), end)))

    def _split(self, begin: int, end: int) -> Iterator[tuple[int, int]]:
        depth, first = 0, begin
        for at in range(begin, end):
            depth += (self.code[at] in "([{") - (self.code[at] in ")]}")
            if self.code[at] == "," and not depth:
                yield first, at
                first = at + 1
        if self.code[first:end].strip():
            yield first, end

    def inside(self, node: Node) -> list[Wait]:
        """Return the waits in a node."""
        return [one for one in self.waits if node.begin <= one.begin < node.end]

    # ---- who computes the same ---------------------------------------------------------------

    def level(self, node: Node) -> int:
        """Return for whom an expression has the same value."""
        kind = node.kind
        if kind in _LITERALS:
            return BLOCK
        if kind == "DECL_REF_EXPR":
            return self._of_name(node)
        text = self.code[node.begin : node.end]
        if kind in ("MEMBER_REF_EXPR", "UNEXPOSED_EXPR", "PAREN_EXPR") and re.fullmatch(
            r"[\s(]*(?:blockIdx|blockDim|gridDim)\s*\.\s*[xyz][\s)]*", text
        ):
            return BLOCK
        if re.fullmatch(r"[\s(]*threadIdx\s*\.\s*[yz][\s)]*", text):
            return WARP
        if kind == "BINARY_OPERATOR" and len(node.children) == 2:
            left, right = node.children
            operator = self.code[left.end : right.begin].strip()
            if operator not in _COMPUTED:
                return LANE
            known = self._of_warp(left, operator, right)
            if known is not None:
                return known
        elif kind == "UNARY_OPERATOR" and text[:1] not in "-+!~":
            return LANE
        elif kind == "CALL_EXPR":
            return self._of_vote(node)
        if kind not in _OPERATORS or not node.children:
            return LANE
        return min(map(self.level, node.children))

    def _of_vote(self, node: Node) -> int:
        for one in self.waits:
            if (one.begin, one.end) == (node.begin, node.end):
                full = one.arguments and self.file.is_full(self.code[slice(*one.arguments[0])])
                vote = one.name.startswith(("__any", "__all", "__ballot"))
                return WARP if full and vote else LANE
        return LANE

    def _of_warp(self, left: Node, operator: str, right: Node) -> int | None:
        """Return the level of `threadIdx.x / 32` and the like; None for anything else."""
        number = self.number(right)
        if number is None or not self.is_thread(left):
            return None
        if (operator == "/" and number and number % 32 == 0) or (
            operator == ">>" and number >= 5
        ):
            return WARP
        return WARP if operator in ("<", ">=") and number % 32 == 0 else LANE

    def number(self, node: Node) -> int | None:
        """Return the whole number that an expression always is; None if it is not known."""
        text = self.code[node.begin : node.end].strip("() ")
        if text == "warpSize":
            return 32
        text = self.file.macros.get(text, text).strip("() ")
        if re.fullmatch(r"\d+[uU]?", text):
            return int(text.rstrip("uU"))
        declared = self.declared(node)
        if declared is not None and declared.children and not self.changes(declared):
            return self.number(declared.children[-1])
        given = (
            re.findall(rf"\bconst(?:expr)?\b[\w\s]*\b{text}\s*=\s*(\d+)[uU]?\s*[;,]", self.code)
            if text.isidentifier()
            else []
        )
        return int(given[0]) if len(given) == 1 else None

    def is_thread(self, node: Node) -> bool:
        """Say whether an expression is threadIdx.x, or a thread's rank in its block."""
        text = self.code[node.begin : node.end].strip("() ")
        if re.fullmatch(r"threadIdx\s*\.\s*x", text) or text == RANK.strip("()"):
            return True
        declared = self.declared(node)
        if declared is None or not declared.children or self.changes(declared):
            return False
        begins = declared.children[-1]
        return self.is_thread(begins)

    def declared(self, node: Node) -> Node | None:
        """Return the declaration of a variable of this kernel that a node names."""
        while (
            node.kind
            in ("UNEXPOSED_EXPR", "PAREN_EXPR", "CSTYLE_CAST_EXPR", "CXX_STATIC_CAST_EXPR")
            and len(node.children) == 1
        ):
            node = node.children[0]
        if node.kind != "DECL_REF_EXPR" or node.cursor.referenced is None:
            return None
        at = node.cursor.referenced.location.offset
        return self._variables.get((node.cursor.spelling, at))

    @cached_property
    def _variables(self) -> dict[tuple[str, int], Node]:
        return {
            (one.cursor.spelling, one.cursor.location.offset): one
            for one in self.nodes
            if one.kind == "VAR_DECL"
        }

    def _of_name(self, node: Node) -> int:
        name, meant = node.cursor.spelling, node.cursor.referenced
        if name == "warpSize":
            return BLOCK
        if meant is None:
            return LANE
        kind = meant.kind.name
        if kind in ("ENUM_CONSTANT_DECL", "TEMPLATE_NON_TYPE_PARAMETER"):
            return BLOCK
        if kind == "PARM_DECL":
            return LANE if name in self.changed else BLOCK
        if kind != "VAR_DECL":
            return LANE
        declared = self.declared(node)
        if declared is None:
            return (
                BLOCK
                if meant.type.is_const_qualified()
                and not meant.type.kind.name.endswith("ARRAY")
                else LANE
            )
        return self.of_variable(declared)

    def of_variable(self, variable: Node) -> int:
        """Return for whom a variable has the same value, wherever it is read."""
        at = variable.begin
        if at not in self.levels:
            self.levels[at] = BLOCK  # of itself, in a loop's step
            self.levels[at] = self._of_variable(variable)
        return self.levels[at]

    def _of_variable(self, variable: Node) -> int:
        kind = variable.cursor.type.spelling
        if (
            variable.has("CUDASHARED_ATTR")
            or re.search(r"[&\[]", kind)
            or not variable.children
        ):
            return LANE
        begins = self.level(variable.children[-1])
        loop = variable.parent.parent
        if loop.kind == "FOR_STMT" and variable.parent is loop.children[0]:
            return min(begins, self.of_loop(loop))
        return LANE if self.changes(variable) else begins

    def changes(self, variable: Node) -> bool:
        """Say whether a variable is changed where it is known."""
        scope = (
            variable.parent.parent if variable.parent.kind == "DECL_STMT" else variable.parent
        )
        is_pointer = "*" in variable.cursor.type.spelling
        return self.is_altered(variable.cursor.spelling, variable.end, scope.end, is_pointer)

    def is_altered(self, name: str, begin: int, end: int, is_pointer: bool = False) -> bool:
        """Say whether a variable is changed at a place, by another name or function, too."""
        text = self.code[begin:end]
        if is_changed(name, text, is_pointer) or re.search(
            rf"&\s*\w+\s*[=({{]\s*{name}\b", text
        ):
            return True
        return any(
            "&" in head and re.search(rf"\b{called}\s*\([^;]*\b{name}\b", text)
            for called in set(CALLED.findall(text)) - WORDS
            for head, _ in self.file.bodies(called)
        )

    def of_loop(self, loop: Node) -> int:
        """Return for whom a `for` loop makes the same turns, which its body does not change."""
        if len(loop.children) != 4 or loop.children[0].kind != "DECL_STMT":
            return LANE
        first, condition, step, body = loop.children
        if any(one.kind != "VAR_DECL" for one in first.children):
            return LANE
        for one in first.children:
            if self.is_altered(one.cursor.spelling, body.begin, body.end):
                return LANE
        changes = step.children[0] if step.children else step
        if self.declared(changes) not in first.children:
            return LANE
        return min(self.level(condition), self._of_step(step))

    def _of_step(self, step: Node) -> int:
        if step.kind == "UNARY_OPERATOR":
            return BLOCK
        if step.kind not in ("COMPOUND_ASSIGNMENT_OPERATOR", "BINARY_OPERATOR"):
            return LANE
        return self.level(step.children[-1])

    # ---- what is done once -------------------------------------------------------------------

    def has_effects(self, node: Node) -> bool:
        """Say whether a node does what must not be done again: a store, an atomic, a printf."""
        text = self.code[node.begin : node.end]
        if self.file.has_effects(text):
            return True
        return any(self._stores(one) for one in node.all())

    def _stores(self, node: Node) -> bool:
        if not node.children:
            return False
        if node.kind == "CALL_EXPR":
            operators = [node.cursor.spelling, *map(_operator_of, node.children)]
            name = next((one for one in operators if one.startswith("operator")), "")
            if name and self._is_own_operator(node):
                return True
            if not _CHANGING.match(name):
                return False
            target = next((one for one in node.children if not _operator_of(one)), None)
        elif node.kind == "COMPOUND_ASSIGNMENT_OPERATOR":
            target = node.children[0]
        elif node.kind == "BINARY_OPERATOR" and len(node.children) == 2:
            left, right = node.children
            operator = self.code[left.end : right.begin].strip()
            if operator != "=":
                return False
            target = left
        elif node.kind == "UNARY_OPERATOR":
            text = self.code[node.begin : node.end].strip()
            if not (text.startswith(("++", "--")) or text.endswith(("++", "--"))):
                return False
            target = node.children[0]
        else:
            return False
        return target is None or not self._is_own(target)

    def _is_own_operator(self, call: Node) -> bool:
        """Say whether an operator that is called may be one that the learner wrote."""
        meant = call.cursor.referenced
        if meant is None:  # in a template
            return self.file.has_operators
        return self.is_own_code(meant) and not self.file.is_plain_member(meant)

    @staticmethod
    def is_own_code(meant) -> bool:
        """Say whether what is meant stands in the learner's files, not in a header of ours."""
        file = meant.location.file if meant is not None else None
        return file is None or Path(file.name).parent != INCLUDE

    def _is_own(self, target: Node) -> bool:
        """Say whether what is changed is a variable of the thread or a shared array."""
        node, by_index = target, False
        while node.kind in (
            "UNEXPOSED_EXPR",
            "PAREN_EXPR",
            "ARRAY_SUBSCRIPT_EXPR",
            "MEMBER_REF_EXPR",
        ):
            if not node.children:
                return False
            if (
                node.kind == "MEMBER_REF_EXPR"
                and "->" in self.code[node.children[0].end : node.end]
            ):
                return False
            by_index = by_index or node.kind == "ARRAY_SUBSCRIPT_EXPR"
            node = node.children[0]
        if node.kind != "DECL_REF_EXPR" or node.cursor.referenced is None:
            return False
        if node.cursor.referenced.kind.name == "PARM_DECL":
            return not by_index
        declared = self.declared(node)
        if declared is None:
            return False
        kind = declared.cursor.type.spelling
        return "&" not in kind and (not by_index or ("[" in kind and "*" not in kind))


def is_changed(name: str, text: str, is_pointer: bool = False) -> bool:
    """Say whether a text changes a variable, or takes its address.

    is_pointer: what it points to does not count.
    """
    return bool(change(name, is_pointer).search(text))


def change(name: str, is_pointer: bool = False) -> re.Pattern:
    """Return what matches a change of a variable; see `is_changed`."""
    if is_pointer:
        changed = rf"(?<!\*)(?<!\*\s)\b{name}(?:{_ASSIGNED})|\b{name}(?:{_STEPPED})"
    else:
        changed = rf"\b{name}(?:\s*(?:\.\s*\w+|\[[^\]]*\]))*(?:{_ASSIGNED}|{_STEPPED})"
    taken = rf"{_BEFORE_ADDRESS}\s*&\s*{name}\b(?!\s*\[)|(?:\+\+|--)\s*{name}\b"
    return re.compile(rf"{changed}|{taken}")
