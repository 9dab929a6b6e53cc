"""Say how an expression of a kernel might have been meant."""

from __future__ import annotations

import functools
import itertools
import re
from collections.abc import Iterator

from helpers.testing.repair import kinds
from helpers.testing.repair.nodes import (
    BUILT_IN,
    FLOAT_NAMES,
    FLOATS,
    RELATIONS,
    Node,
    Variable,
    Variant,
    class_of,
    is_device,
    kind_of,
)

MOST_PARTS = 8  # of one expression
MOST_LITERALS = 8  # of a file
MOST_PAIRS = 3  # of variables that change places in one expression
MOST_PLACES = 4  # that may be those of two equal numbers
_BYTES = {"CHAR_S", "SCHAR", "UCHAR", "CHAR_U"}
_NAMED = {"DECL_REF_EXPR", "ARRAY_SUBSCRIPT_EXPR", "CALL_EXPR"}
_READ = {"ARRAY_SUBSCRIPT_EXPR", "DECL_REF_EXPR", "MEMBER_REF_EXPR"}
_NOT_ONE_MORE = {"INTEGER_LITERAL", "PAREN_EXPR", "CSTYLE_CAST_EXPR"}
_NOT_ONE_MORE |= {
    "CXX_REINTERPRET_CAST_EXPR",
    "CXX_STATIC_CAST_EXPR",
    "CXX_FUNCTIONAL_CAST_EXPR",
}


_OTHERS = {
    "+": ("-", "*"),
    "-": ("+", "*"),
    "*": ("/", "+", "-"),
    "/": ("*", "%", "&"),
    "%": ("/",),
    "&&": ("||",),
    "||": ("&&",),
    "<<": (">>",),
    ">>": ("<<",),
    "&": ("|", "^", "%"),
    "|": ("&", "^"),
    "^": ("|", "&"),
    "==": ("!=", "<", ">="),
    "!=": ("==", "<", ">"),
}
_OPPOSITE = {"<": ">=", "<=": ">", ">": "<=", ">=": "<"}
# Factors of gelu (in PyTorch's documentation) and of logarithms of other bases.
_OF_BYTES = re.compile(r"\b(u?int8_t|signed char|unsigned char|uchar\d?|char\d)\b")
_PACKS = re.compile(r"\b(?:float|double|int|uint|short|ushort|char|uchar|half|__half)[248]\b")
_WIDE = {"LONG", "LONGLONG", "ULONG", "ULONGLONG"}
_WIDE_ENDS = ("0x7fffffffffffffffll", "(-0x7fffffffffffffffll - 1)")
_LIMITED = re.compile(r"(min|max|clamp)\w*$")
_INTEGERS = re.compile(r"\b(?:int|unsigned|long long|u?int\d+_t)\s+(\w+)\[")  # arrays of them
_ENDS = r"(3276[78]|655(04|1\d|20|3[56])|214748364[78])(\.0*)?[fF]?"  # of types, or nearly
_KNOWN = ("0.044715f", "0.7978845608f", "0.70710678f", "1.702f", "1.44269504f", "0.69314718f")
_KNOWN += ("127.0f", "255.0f")  # the largest of a byte
_FUNCTIONS = (
    ("fmaxf", "fminf"),
    ("fmax", "fmin"),
    ("max", "min"),
    ("__hmax", "__hmin", "__hmax_nan", "__hmin_nan"),
    ("expf", "exp2f", "expm1f", "__expf"),
    ("exp", "exp2", "expm1"),
    ("log", "log2", "log1p", "log10"),
    ("floor", "ceil", "rint", "round", "trunc"),
    ("logf", "log2f", "log1pf", "log10f", "__logf"),
    ("sqrtf", "rsqrtf"),
    ("__hadd", "__hsub", "__hmul"),
    ("__hadd2", "__hsub2", "__hmul2"),
    ("sqrt", "rsqrt"),
    ("floorf", "ceilf", "rintf", "roundf", "truncf", "nearbyintf"),
    ("sinf", "cosf", "tanhf"),
    ("__shfl_down_sync", "__shfl_up_sync", "__shfl_xor_sync"),
    ("atomicAdd", "atomicMax", "atomicMin"),
    ("__ballot_sync", "__any_sync", "__all_sync"),
    ("__popc", "__ffs", "__clz"),
    ("erff", "erfcf", "tanhf"),
)
_KINDS = {"floor": kinds.ROUNDING, "floorf": kinds.ROUNDING, "__shfl_down_sync": kinds.SHUFFLE}
_BLOCK_SIZES = {"32", "64", "96", "128", "192", "256", "384", "512", "768", "1024"}
_TURNED = {"+=": "-=", "-=": "+=", "*=": "/=", "/=": "*=", "<<=": ">>=", ">>=": "<<="}
_ARITHMETIC = {"__hmul": "*", "__hadd": "+", "__hsub": "-", "__hdiv": "/"}
_DROPPED = {name for family in _FUNCTIONS for name in family} | {"fabsf", "abs", "fabs"}
_OF_FLOATS = re.compile(r"f(max|min)f?(?=\s*\()")
_ROUNDING = re.compile(r"_r[nzdu]$")


def values(node: Node, scope: list[Variable], place: bool, function: Node) -> Iterator[Variant]:
    """Yield what might stand in an expression's place.

    place: it is written to.
    """
    if node.kind == "ARRAY_SUBSCRIPT_EXPR":
        yield from _turned(node)
    if (
        node.type == "void"
        or node.text.startswith("<<<")
        or "[" in node.text[:1]
        or node.kind == "INIT_LIST_EXPR"
    ):
        return
    if place:
        yield from _variables(node, scope, exact=True, function=function)
        return
    if node.kind == "BINARY_OPERATOR" or node.name.startswith("operator"):
        yield from _operators(node, scope, function)
    elif node.kind == "UNARY_OPERATOR":
        yield from _unary(node)
    elif node.kind == "COMPOUND_ASSIGNMENT_OPERATOR" and len(node.children) == 2:
        changed, by = (one.text for one in node.children)
        turned = _TURNED.get(node.operator)
        if turned and node.is_integer and changed.isidentifier():
            yield Variant(kinds.OPERATOR, f"{changed} {turned} {by}", cast=False)
    elif node.kind == "PAREN_EXPR" and node.children:
        yield from _quotient(node.children[0], node.converted_to)
    elif node.kind in ("INTEGER_LITERAL", "FLOATING_LITERAL"):
        yield from _limits(node)
        yield from _constants(node)
        if node.text in _BLOCK_SIZES and is_device(function):
            yield Variant(kinds.VARIABLE, "blockDim.x")
    elif node.kind == "DECL_REF_EXPR":
        yield from _variables(node, scope, exact=False, function=function)
    elif node.kind == "MEMBER_REF_EXPR":
        yield from _members(node)
        if built_in := BUILT_IN.fullmatch(node.text):
            of_launch = built_in[1] in ("blockDim", "gridDim")
            for one in scope:
                if class_of(one.type) == "integer":
                    size = of_launch and one.parameter  # a pitch, say
                    kind = kinds.SIDE if size else kinds.VARIABLE
                    yield Variant(kind, one.name, weak=not size)
    elif node.kind == "CALL_EXPR":
        yield from _calls(node)
    elif node.kind == "CONDITIONAL_OPERATOR" and "(" not in node.type:
        _, yes, no = (f"({x.text})" for x in node.children)
        yield Variant(kinds.CONDITION, no)
        yield Variant(kinds.CONDITION, yes)
    elif node.kind.endswith("CAST_EXPR") and node.children:
        yield from _casts(node, scope)
    if node.kind in _READ and kind_of(node.cursor) in _BYTES:
        for kind in ("signed char", "unsigned char"):
            yield Variant(kinds.RANGE, f"({kind})({node.text})", cast=False)
    if node.is_float and node.kind in _NAMED:
        yield Variant(kinds.OPERATOR, f"-({node.text})")
        yield Variant(kinds.OPERATOR, f"1 - ({node.text})")
        yield Variant(kinds.OPERATOR, f"1 / ({node.text})")
        yield Variant(kinds.OPERATOR, f"({node.text}) * ({node.text})")
        for name in ("sqrtf", "expf", "logf"):
            yield Variant(kinds.FUNCTION, f"{name}({node.text})")
    if node.is_float and (node.kind in _NAMED or node.kind == "PAREN_EXPR"):
        yield from _parts(node, scope, function)
    if node.is_integer and node.children and node.children[-1].is_float and is_device(function):
        yield from _whole_parts(node, scope, function)
    if node.is_integer and node.kind == "DECL_REF_EXPR" and _PACKS.search(node.code):
        for width in (2, 4):  # the number of a pack, in the place of that of an element
            yield Variant(kinds.FACTOR, f"({node.text}) * {width}")
    if node.is_integer and node.kind == "DECL_REF_EXPR":
        share = re.search(rf"\b{node.text}\s*=[^;=]*/\s*(\d+)", function.text)
        if share:  # a number of packs, of which each has so many elements
            yield Variant(kinds.FACTOR, f"({node.text}) * {share[1]}")
    if node.is_integer and node.kind not in _NOT_ONE_MORE:
        yield Variant(kinds.ONE, f"({node.text}) + 1")
        yield Variant(kinds.ONE, f"({node.text}) - 1")


def _in_more_digits(name: str, arguments: list[Node]) -> Iterator[Variant]:
    """Compute in float what is computed in a half and converted afterwards."""
    match = len(arguments) == 1 and re.fullmatch(
        r"(__h\w+?)(_rn)?\((.*)\)", arguments[0].text, re.S
    )
    parts = arguments[0].children[-2:] if match else []
    sign = _ARITHMETIC.get(match[1]) if match else None
    if sign and len(parts) == 2:
        one, two = (f"{name}({part.text})" for part in parts)
        yield Variant(kinds.DIGITS, f"{one} {sign} {two}")


def _parts(node: Node, scope: list[Variable], function: Node) -> Iterator[Variant]:
    """Use a variable that the formula leaves out, or divide by a size."""
    if not is_device(function):
        return
    count = 0
    for one in scope:
        if not one.name or one.name == node.text:
            continue
        if one.type in FLOAT_NAMES:
            for sign in "*+-/" if one.parameter else "*-":
                count += 1
                yield Variant(kinds.PART, f"({node.text}) {sign} {one.name}")
        elif one.parameter and class_of(one.type) == "integer":
            yield Variant(kinds.PART, f"({node.text}) / (float)({one.name})")
        if count > MOST_PARTS:
            return


def _whole_parts(node: Node, scope: list[Variable], function: Node) -> Iterator[Variant]:
    """Add a parameter that is used nowhere to an integer that was made of a float."""
    body = function.text.partition("{")[2]
    for one in scope:
        unused = one.parameter and one.name and not re.search(rf"\b{one.name}\b", body)
        if unused and class_of(one.type) == "integer":
            for sign in "+-":
                yield Variant(kinds.PART, f"({node.text}) {sign} {one.name}")


def _brackets(left: Node, sign: str, right: Node, at: int) -> Iterator[Variant]:
    """Set brackets otherwise: a * b + c and a * (b + c)."""
    if sign in "+-" and left.kind == "BINARY_OPERATOR" and left.operator in ("*", "/"):
        one, two = (x.text for x in left.children)
        yield Variant(
            kinds.BRACKETS, f"({one}) {left.operator} (({two}) {sign} ({right.text}))", at
        )
    if sign in "+-" and left.operator in ("+", "-") and len(left.children) == 2:
        first, product = left.children
        if product.kind == "BINARY_OPERATOR" and product.operator in ("*", "/"):
            one, two = (x.text for x in product.children)
            new = f"({one}) {product.operator} (({two}) {sign} ({right.text}))"
            yield Variant(kinds.BRACKETS, f"({first.text}) {left.operator} {new}", at)
    if sign in "*/" and left.kind == "PAREN_EXPR" and left.children[0].operator in ("+", "-"):
        inner = left.children[0]
        one, two = (x.text for x in inner.children)
        yield Variant(
            kinds.BRACKETS, f"({one}) {inner.operator} ({two}) {sign} ({right.text})", at
        )
    if sign == "*" and right.kind == "PAREN_EXPR" and right.children[0].operator in ("+", "-"):
        inner = right.children[0]
        if len(inner.children) == 2:
            one, two = (x.text for x in inner.children)
            new = f"({left.text}) * ({one}) {inner.operator} ({two})"
            yield Variant(kinds.BRACKETS, new, at)


def _into_root(root: Node, other: str, at: int) -> Iterator[Variant]:
    """Add a number below the root, to which it is added."""
    inside = re.fullmatch(r"((?:__f?)?sqrtf?(?:_r[nzdu])?)\s*\((.*)\)", root.text, re.DOTALL)
    if inside and root.kind == "CALL_EXPR":
        yield Variant(kinds.BRACKETS, f"{inside[1]}(({inside[2]}) + {other})", at)


def _out_of_root(node: Node, name: str, argument: Node) -> Iterator[Variant]:
    """Add a number to the root, below which it is added."""
    parts = argument.children
    if len(parts) == 2 and argument.operator == "+" and re.fullmatch(r"r?sqrtf?", name):
        one, other = (f"({x.text})" for x in parts)
        for inside, beside in ((one, other), (other, one)):
            root = f"sqrtf({inside}) + {beside}"
            yield Variant(kinds.BRACKETS, f"1 / ({root})" if name[0] == "r" else root)


def _exchanged(node: Node, scope: list[Variable]) -> Iterator[Variant]:
    """Exchange two variables of one type wherever they stand in an expression."""
    words = {*re.findall(r"[A-Za-z_]\w*", node.text)}
    named = [one for one in scope if one.name in words and class_of(one.type) != "integer"]
    pairs = [(x, y) for x, y in itertools.combinations(named, 2) if x.type == y.type]
    for one, two in pairs[:MOST_PAIRS]:
        other = {one.name: two.name, two.name: one.name}
        either = rf"\b({one.name}|{two.name})\b"
        new = re.sub(either, lambda match, other=other: other[match[0]], node.text)
        yield Variant(kinds.ORDER, new)


def _sets_place(node: Node, scope: list[Variable]) -> bool:
    """Test whether an integer is kept where a number is the larger one, as a place is."""
    integers = {one.name for one in scope if class_of(one.type) == "integer" and one.name}
    inside = re.match(r"[^;{}]*\)\s*(\{[^{}]*|[^;{}]*;)", node.code[node.end :])
    kept = re.findall(r"\b(\w+)(?:\[\w+\])?\s*=\s*(\w+)\s*;", inside[1]) if inside else []
    integers |= {*_INTEGERS.findall(node.code)}
    of_numbers = any(x.is_float or x.kind == "ARRAY_SUBSCRIPT_EXPR" for x in node.children)
    return of_numbers and any({one, two} <= integers for one, two in kept)


def _is_number(text: str) -> bool:
    """Test whether an operand in brackets is a number, with which no two are compared."""
    return re.fullmatch(r"\([-+\d.]+(e[-+]?\d+)?f?\)", text, re.IGNORECASE) is not None


def _ties(
    a: str, sign: str, b: str, at: int, scope: list[Variable], function: Node
) -> Iterator[Variant]:
    """Let the smaller of two places win where two numbers are equal.

    Places are integers in scope, or elements of an array of integers.
    """
    places = [one.name for one in scope if class_of(one.type) == "integer" and one.name]
    places = [name for name in places if not re.search(rf"\b{name}\b", f"{a} {b}")]
    pairs = [*itertools.permutations(places[:MOST_PLACES], 2)]
    known = {one.name for one in scope} | {"threadIdx", "x", "y"}
    for array in dict.fromkeys(_INTEGERS.findall(function.text)):
        elements = dict.fromkeys(re.findall(rf"\b{array}\[[^\[\]]+\]", function.text))
        some = [x for x in elements if {*re.findall(r"\b[a-z_]\w*", x)} <= known]
        some = [x for x in some if not re.search(rf"\w\s+{re.escape(x)}\s*;", function.text)]
        some = some[:MOST_PLACES]
        pairs += itertools.permutations(some, 2)
        pairs += itertools.product(some, places[: MOST_PLACES // 2])
        pairs += itertools.product(places[: MOST_PLACES // 2], some)
    if _is_number(a) or _is_number(b):
        return
    for one, two in pairs:
        yield Variant(kinds.TIES, f"({a} {sign[0]} {b}) || ({a} == {b} && {one} < {two})", at)


@functools.lru_cache(maxsize=4)
def _literals(code: str) -> tuple[str, ...]:
    """List the numbers with a point in a file."""
    found = re.findall(r"(?<![\w.])(?:\d+\.\d*|\.\d+)(?:[eE][-+]?\d+)?[fF]?", code)
    return tuple(dict.fromkeys(found))[:MOST_LITERALS]


@functools.lru_cache(maxsize=4)
def _named_numbers(code: str) -> tuple[str, ...]:
    """List the names of the constants that a file defines."""
    found = re.findall(r"^[ \t]*#[ \t]*define[ \t]+(\w+)[ \t]+[-(\d]", code, re.MULTILINE)
    found += re.findall(r"\bconstexpr\s+(?:\w+\s+)+(\w+)\s*[={]", code)
    return tuple(dict.fromkeys(found))[:MOST_LITERALS]


def _turned(node: Node) -> Iterator[Variant]:
    """Exchange the two indices of an array of arrays."""
    if len(node.children) == 2 and node.children[0].kind == "ARRAY_SUBSCRIPT_EXPR":
        row, column = node.children
        if len(row.children) == 2 and not row.type.endswith("*"):
            array, first = row.children
            yield Variant(kinds.ORDER, f"{array.text}[{column.text}][{first.text}]", cast=False)


def _casts(node: Node, scope: list[Variable]) -> Iterator[Variant]:
    inner = node.children[-1]
    if node.is_integer and inner.is_integer:
        yield Variant(kinds.RANGE, f"({inner.text})", cast=False)
    if node.is_float and inner.is_integer:
        for one in scope:
            if class_of(one.type) == "integer" and one.parameter and one.name:
                yield Variant(kinds.VARIABLE, one.name)
    if node.is_integer and inner.is_float:
        if of_floats := _OF_FLOATS.match(inner.text):  # which are integers, perhaps
            new = of_floats[1] + inner.text[of_floats.end() :]
            yield Variant(kinds.FUNCTION, new, cast=False)
        else:  # beside a float the choice would be one
            yield Variant(kinds.FRACTION, f"({inner.text})", cast=False)
        head = node.code[node.start : inner.start]
        tail = node.code[inner.end : node.end]
        for name in ("rintf", "floorf", "ceilf", "truncf"):
            yield Variant(kinds.ROUNDING, f"{head}{name}({inner.text}){tail}")


def _operators(node: Node, scope: list[Variable], function: Node) -> Iterator[Variant]:
    if len(node.children) != 2:
        return
    left, right = node.children
    a, sign, b, at = f"({left.text})", node.operator, f"({right.text})", left.end
    at += len(node.code[at : right.start]) - len(node.code[at : right.start].lstrip())
    if sign in RELATIONS:
        for other in (*RELATIONS, "==", "!="):
            if other != sign:
                of_equals = other[0] == sign[0] and _sets_place(node, scope)
                kind = kinds.OTHER_TIE if of_equals else kinds.COMPARISON
                yield Variant(kind, f"{a} {other} {b}", at)
        if left.is_float and right.is_float:
            yield Variant(kinds.NAN, f"!({a} {_OPPOSITE[sign]} {b})", at)
            for one in (a, b):
                yield Variant(kinds.NAN, f"({a} {sign} {b}) || {one} != {one}", at)
            yield from _ties(a, sign, b, at, scope, function)
    elif sign in _OTHERS:
        kind = kinds.COMPARISON if sign in ("==", "!=") else kinds.OPERATOR
        for other in _OTHERS[sign]:
            if other not in "%&" or (left.is_integer and right.is_integer):
                yield Variant(kind, f"{a} {other} {b}", at)
    else:
        return
    if sign in ("+", "-") and left.kind == "BINARY_OPERATOR" and left.operator == sign:
        one, two = (f"({x.text})" for x in left.children)
        other = "-" if sign == "+" else "+"
        yield Variant(kinds.OPERATOR, f"{one} {other} {two} {other} {b}", at)
        if node.type.endswith("*") and sign == "+":  # the place of a row
            yield Variant(kinds.OPERATOR, f"{one} + {two} * {b}", at)
    if sign == "+" and node.is_integer and left.kind == "BINARY_OPERATOR":
        one, two = (f"({x.text})" for x in left.children)
        if left.operator == sign:
            yield Variant(kinds.OPERATOR, f"{one} + {two} * {b}", at)
    if node.is_float and sign == "+":
        yield from _into_root(left, b, at)
        yield from _into_root(right, a, at)
    if node.is_float:
        yield from _brackets(left, sign, right, at)
        yield from _exchanged(node, scope)
    if node.is_float and sign == "/":
        for zero, result in ((a, "1"), (b, "1"), (b, "0")):
            yield Variant(kinds.ZERO, f"{zero} == 0 ? {result} : {node.text}", at)
    if sign in ("-", "/", "%", "<<", ">>"):
        yield Variant(kinds.ORDER, f"{b} {sign} {a}", at)
    if sign in ("+", "-", "*", "/", "&&", "||", "%", "&", "|", "^", "<<", ">>"):
        yield Variant(kinds.TERM, a, at)
        if sign not in ("/", "%", "<<", ">>"):
            yield Variant(kinds.TERM, b, at)
    if sign == "&&" and all(one.operator in RELATIONS for one in node.children):
        (one, first), (other, second) = left.children, right.children
        if first.is_integer and second.is_integer and first.text != second.text:
            new = f"{one.text} {left.operator} {second.text}"
            new += f" && {other.text} {right.operator} {first.text}"
            yield Variant(kinds.SIZES, new, at)
    if sign == "+" and (number := re.fullmatch(r"(\w+\[)(\d+)\]", right.text)):
        yield Variant(kinds.PART, f"{node.text} + {number[1]}{int(number[2]) + 1}]", at)
    if sign == "/" and left.is_integer and right.is_integer:
        yield Variant(kinds.ROUND_UP, f"({a} + {b} - 1) / {b}", at)
    if sign == ">>":
        for kind in ("int", "unsigned", "long long"):
            yield Variant(kinds.RANGE, f"({kind}){a} >> {b}", at, weak=True)
    yield from _quotient(node, node.converted_to)
    if sign in ("+", "-") and node.is_integer:
        yield Variant(kinds.FACTOR, f"({node.text}) * 2", at)


def _quotient(node: Node, converted_to: set) -> Iterator[Variant]:
    """Divide integers as floats, where the quotient becomes one."""
    if node.kind == "BINARY_OPERATOR" and node.operator == "/" and converted_to & FLOATS:
        left, right = node.children
        if left.is_integer:
            yield Variant(
                kinds.DIVISION, f"((float)({left.text}) / ({right.text}))", left.end, cast=False
            )


def _unary(node: Node) -> Iterator[Variant]:
    if node.operator in ("-", "!", "~") and node.children:
        yield Variant(kinds.OPERATOR, f"({node.children[0].text})")


def _limits(node: Node) -> Iterator[Variant]:
    """Replace the limit of a minimum or maximum by the other ends of a byte's range."""
    match = re.fullmatch(r"(\d+)(\.0*)?[fF]?", node.text)
    if match and _OF_BYTES.search(node.code) and _LIMITED.search(_before(node)):
        point = ".0f" if node.kind == "FLOATING_LITERAL" else ""
        for end in sorted({-128, -127, 0, 127, 255} - {int(match[1])}):
            yield Variant(kinds.LIMITS, f"{end}{point}")


def _before(node: Node) -> str:
    """Return the line up to the bracket that a node stands in, if it is on this line."""
    line, depth = node.code[: node.start].rpartition("\n")[2], 0
    for place in range(len(line) - 1, -1, -1):
        depth += {")": 1, "(": -1}.get(line[place], 0)
        if depth < 0:
            return line[:place]
    return ""


def _constants(node: Node) -> Iterator[Variant]:
    match = re.fullmatch(r"(0[xX][0-9a-fA-F]+|\d+)([uUlL]*)", node.text)
    if node.kind == "INTEGER_LITERAL" and match:
        number = int(match[1], 0) if not re.match(r"0\d", match[1]) else int(match[1], 8)
        chosen = {number + 1, number - 1, 0, 1, 2 * number, number // 2, -number, 4 * number}
        chosen |= {number // 4, -1, 0x7FFFFFFF, -0x80000000}
        if number > 0xFFFF:
            chosen |= {0xFFFFFFFF, number ^ 0xFFFFFFFF}
        if number in (7, 8, 15, 16, 31, 32, 63, 64):
            chosen |= {4, 8, 7, 16, 15, 31, 32, 64, 63}
        for other in sorted(chosen - {number}):
            weak = number != 0 and other in (0x7FFFFFFF, -0x80000000)
            yield Variant(kinds.CONSTANT, f"{other}ll", weak=weak)
        wide = bool(node.converted_to & _WIDE)
        named = _named_numbers(node.code)
        for other in (*named, *(_WIDE_ENDS if wide and number < 2 else ())):
            yield Variant(kinds.CONSTANT, other, cast=not wide)
        for lane in ("threadIdx.x", "warpSize"):
            yield Variant(kinds.CONSTANT, lane, weak=True)
    elif node.kind == "FLOATING_LITERAL":
        same, another = f"({node.text})", kinds.CONSTANT
        if re.fullmatch(_ENDS, node.text):
            another = kinds.LIMITS
            yield Variant(another, "65504.0f")  # the largest half
        for other in ("0.0f", "1.0f", "-1.0f", "0.5f", "2.0f"):
            yield Variant(kinds.CONSTANT, other)
        compared = re.search(r"([<>]|[<>=!]=)[\s(+-]*$", node.line_before)
        compared = compared or re.match(r"\s*([<>]|[<>=!]=)", node.code[node.end :])
        called = _before(node)
        inside = node.line_before[len(called) :]
        limits = re.search(r"\b(?!(?:if|for|while|return)\b)\w+\s*$", called)
        limits = limits and "?" not in inside  # what a function is given is no start value
        nothing = kinds.CONSTANT if compared or limits else kinds.NOTHING
        for end in ("INFINITY", "3.402823466e38f"):
            yield Variant(nothing, end)
            yield Variant(nothing, f"-{end}")
        for other in (f"-{same}", f"2 * {same}", f"{same} / 2", f"1 / {same}", f"10 * {same}"):
            yield Variant(kinds.CONSTANT, other)
        yield Variant(kinds.CONSTANT, f"{same} / 10")
        for other in (*_KNOWN, *_literals(node.code)):
            if other != node.text:
                yield Variant(another, other)
                yield Variant(another, f"-{other}")


def _variables(
    node: Node, scope: list[Variable], exact: bool, function: Node
) -> Iterator[Variant]:
    if node.kind != "DECL_REF_EXPR":
        if exact and node.kind == "MEMBER_REF_EXPR":
            yield from _members(node)
        return
    here = next((one for one in scope if one.name == node.text), None)
    if here is None:
        if node.is_float and not exact:
            for new in (f"-({node.text})", f"2 * ({node.text})", f"({node.text}) / 2"):
                yield Variant(kinds.CONSTANT, new)
        return
    own, seen = here.type, {node.text}
    if here.const and node.is_float and not exact:
        yield from _declared_as(node)
    for one in scope:
        name, its = one.name, one.type
        alike = class_of(its) == class_of(own) and not (exact and (one.const or its != own))
        # What is read may have been written before.
        alike |= not exact and own == f"const {its}" and its.endswith("*")
        if name and alike and name not in seen and own != "cudaStream_t":
            seen.add(name)
            # Of sizes, only of parameters: rows and columns change places.
            integer, sizes = class_of(own) == "integer", one.parameter and here.parameter
            kind = kinds.SIDE if integer and sizes else kinds.VARIABLE
            yield Variant(kind, name, weak=integer and not sizes)
    if exact:
        return
    if class_of(own) == "integer":
        for name in ("threadIdx.x", "blockIdx.x", "blockDim.x"):
            yield Variant(kinds.INDEX, name)
    elif own in ("float", "double"):
        yield Variant(kinds.FUNCTION, f"fabs({node.text})")
        if is_device(function):
            yield from _computed_anew(node)


def _computed_anew(node: Node) -> Iterator[Variant]:
    """Compute what a variable is declared as again, of what has changed since."""
    declared = node.cursor.referenced
    if declared is None or declared.kind.name != "VAR_DECL":
        return
    value = re.search(r"=\s*([^=;{}]*)$", Node(declared, node.code).text)
    if value and re.search(r"[A-Za-z_]", value[1]) and not re.search("__shfl|atomic", value[1]):
        yield Variant(kinds.ANEW, f"({value[1]})")


def _declared_as(node: Node) -> Iterator[Variant]:
    """Yield other numbers for a constant, on the line that declares it."""
    declared = node.cursor.referenced
    at = declared.extent.start.offset if declared else 0
    for other in (*_KNOWN, *_literals(node.code)):
        yield Variant(kinds.CONSTANT, other, at)
    for new in (f"-{node.text}", f"2 * {node.text}", f"{node.text} / 2", f"1 / {node.text}"):
        yield Variant(kinds.CONSTANT, new, at)
    for new in (f"10 * {node.text}", f"{node.text} / 10"):
        yield Variant(kinds.CONSTANT, new, at)


def _members(node: Node) -> Iterator[Variant]:
    match = BUILT_IN.fullmatch(node.text)
    if match:
        axes = "xyz" if re.search(r"\.\s*z\b", node.code) else "xy"
        axes = axes if re.search(r"(threadIdx|blockIdx)\s*\.\s*y\b", node.code) else "x"
        for name in ("threadIdx", "blockIdx", "blockDim", "gridDim"):
            for axis in axes:
                if (name, axis) != (match[1], match[2]):
                    yield Variant(kinds.INDEX, f"{name}.{axis}")
        if match[1] in ("blockDim", "gridDim"):
            for factor in (2, 4, 8):
                yield Variant(kinds.FACTOR, f"{node.text} * {factor}")
                yield Variant(kinds.FACTOR, f"{node.text} / {factor}")
            yield Variant(kinds.INDEX, f"blockDim.{match[2]} * gridDim.{match[2]}")
        return
    if field := re.fullmatch(r"(.*[.>]\s*)([xyzw])", node.text, flags=re.S):
        for other in "xyzw":
            if other != field[2]:
                yield Variant(kinds.MEMBER, f"{field[1]}{other}")


def _calls(node: Node) -> Iterator[Variant]:
    match = re.match(r"([\w:]+)\s*\(", node.text)
    arguments = [x for x in node.children if match and x.start >= node.start + match.end()]
    if not match or "<<<" in node.text:
        return
    name, rest = match[1], node.text[match.end(1) :]
    for family in _FUNCTIONS:
        if name in family:
            for other in family:
                if other != name:
                    yield Variant(_KINDS.get(family[0], kinds.FUNCTION), other + rest)
    if _ROUNDING.search(name):
        for other in ("_rn", "_rz", "_rd", "_ru"):
            if not name.endswith(other):
                yield Variant(kinds.ROUNDING, _ROUNDING.sub(other, name) + rest)
    if name.startswith(("cudaMemset", "cudaMemcpy")) and len(arguments) > 2:
        size = arguments[2]
        for factor in (2, 4, 8):
            for sign in "*/":
                new = node.code[node.start : size.start] + f"({size.text}) {sign} {factor}"
                yield Variant(kinds.FACTOR, new + node.code[size.end : node.end])
    yield from _in_more_digits(name, arguments)
    if len(arguments) == 1:
        yield from _out_of_root(node, name, arguments[0])
    inner = arguments[0].children if len(arguments) == 1 else []
    if inner and arguments[0].kind == "CALL_EXPR" and inner[-1].type == node.type:
        yield Variant(kinds.DIGITS, f"({inner[-1].text})")
    if len(arguments) == 1 and name in _DROPPED and arguments[0].type == node.type:
        yield Variant(kinds.FUNCTION, f"({arguments[0].text})")
    for one, two in itertools.pairwise(arguments):
        if one.text != two.text and class_of(one.type) == class_of(two.type):
            first = node.code[node.start : one.start] + two.text
            middle = node.code[one.end : two.start]
            yield Variant(
                kinds.ORDER, first + middle + one.text + node.code[two.end : node.end]
            )
    if len(arguments) == 2 and name in ("max", "min", "fmaxf", "fminf"):
        if node.is_float:
            one, two = (f"({x.text})" for x in arguments)
            yield Variant(
                kinds.NAN, f"{one} != {one} ? {one} : {two} != {two} ? {two} : {node.text}"
            )
        yield Variant(kinds.TERM, f"({arguments[0].text})")
        yield Variant(kinds.TERM, f"({arguments[1].text})")
