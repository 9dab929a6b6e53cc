"""Know the C types of a launcher's parameters: their spellings, dtypes, sizes and constants."""

from __future__ import annotations

import ast
import ctypes
import operator
import re

import torch

# Every spelling of an integer type leads to one name with its number of bits.
_SPELLINGS = {
    "unsigned": "uint32_t",
    "unsigned int": "uint32_t",
    "uint": "uint32_t",
    "long": "int64_t",
    "long int": "int64_t",
    "long long": "int64_t",
    "long long int": "int64_t",
    "ptrdiff_t": "int64_t",
    "ssize_t": "int64_t",
    "size_t": "uint64_t",
    "unsigned long": "uint64_t",
    "unsigned long int": "uint64_t",
    "unsigned long long": "uint64_t",
    "unsigned long long int": "uint64_t",
    "short": "int16_t",
    "short int": "int16_t",
    "unsigned short": "uint16_t",
    "char": "int8_t",
    "signed char": "int8_t",
    "unsigned char": "uint8_t",
    "signed": "int",
    "signed int": "int",
    "nv_half": "half",
    "nv_bfloat16": "__nv_bfloat16",
    "float32_t": "float",
}
DTYPES = {
    "float": torch.float32,
    "double": torch.float64,
    "half": torch.float16,
    "__half": torch.float16,
    "__nv_bfloat16": torch.bfloat16,
    "__nv_fp8_e4m3": torch.float8_e4m3fn,
    "__nv_fp8_e5m2": torch.float8_e5m2,
    "int": torch.int32,
    "int32_t": torch.int32,
    "uint32_t": torch.uint32,
    "int64_t": torch.int64,
    "uint64_t": torch.uint64,
    "int16_t": torch.int16,
    "uint16_t": torch.uint16,
    "uint8_t": torch.uint8,
    "int8_t": torch.int8,
    "bool": torch.bool,
}
SCALARS = {
    "int": ctypes.c_int,
    "int32_t": ctypes.c_int,
    "int64_t": ctypes.c_int64,
    "uint32_t": ctypes.c_uint32,
    "uint64_t": ctypes.c_uint64,
    "int16_t": ctypes.c_int16,
    "uint16_t": ctypes.c_uint16,
    "int8_t": ctypes.c_int8,
    "uint8_t": ctypes.c_uint8,
    "bool": ctypes.c_bool,
    "float": ctypes.c_float,
    "double": ctypes.c_double,
}
FLOATS = {"float": torch.float32, "double": torch.float64}
_INT64_MAX = (1 << 63) - 1

_CONSTANT = re.compile(
    r"\b(?:constexpr|const)\s+(?:(?:static|inline|unsigned|long|std::)\s*)*\w+\s+(\w+)\s*"
    r"(?:=\s*([^;{}]+?)|\{\s*([^;{}]+?)\s*\})\s*;"
)
_MACRO = re.compile(r"^[ \t]*#[ \t]*define[ \t]+(\w+)[ \t]+([^\n]+)$", flags=re.M)
_ALIAS = re.compile(
    r"\busing\s+(?P<new>\w+)\s*=\s*(?P<of>[\w:\s]+?)\s*;"
    r"|\btypedef\s+(?P<named>[\w:\s]+?)\s+(?P<name>\w+)\s*;"
)
_OPERATORS = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Mod: operator.mod,
    ast.LShift: operator.lshift,
    ast.RShift: operator.rshift,
    ast.BitOr: operator.or_,
    ast.BitAnd: operator.and_,
    ast.BitXor: operator.xor,
    ast.USub: operator.neg,
    ast.UAdd: operator.pos,
    ast.Invert: operator.invert,
}


def canonical(words: str) -> str:
    """Return the one name of a C type: "uint64_t" for "size_t" and for "unsigned long"."""
    plain = " ".join(words.replace("std::", "").split())
    return _SPELLINGS.get(plain, plain)


def integer_range(ctype: str) -> tuple[int, int] | None:
    """Return the least and the largest value of an integer scalar; None for a float.

    A size_t stops at 2^63 - 1, beyond which no size lies.
    """
    if ctype not in SCALARS or ctype in FLOATS:
        return None
    if ctype == "bool":
        return 0, 1
    bits = 8 * ctypes.sizeof(SCALARS[ctype])
    if ctype.startswith("u"):
        return 0, min((1 << bits) - 1, _INT64_MAX)
    return -(1 << bits - 1), (1 << bits - 1) - 1


def constants(code: str) -> dict[str, str]:
    """Return the constants of a text without comments, as name: expression."""
    found = {match[1]: match[2].strip() for match in _MACRO.finditer(code)}
    for match in _CONSTANT.finditer(code):
        found[match[1]] = match[2] or match[3]
    return found


def aliases(code: str) -> dict[str, str]:
    """Return the names that a text without comments gives to types: `using real = float;`.

    A name that stands for several types, as in two branches of an #if, is left out.
    """
    found: dict[str, set[str]] = {}
    for match in _ALIAS.finditer(code):
        name, words = match["new"] or match["name"], match["of"] or match["named"]
        found.setdefault(name, set()).add(canonical(words))
    for match in _MACRO.finditer(code):
        if canonical(match[2]) in DTYPES:
            found.setdefault(match[1], set()).add(canonical(match[2]))
    return {name: types.pop() for name, types in found.items() if len(types) == 1}


def named(words: str, known: dict[str, str]) -> str:
    """Return the one name of a C type as `canonical`; known: other names, of `aliases`."""
    name = canonical(words)
    for _ in known:  # an alias of an alias, and never more than there are
        if name in DTYPES or name not in known:
            break
        name = known[name]
    return name


def evaluate(expression: str, known: dict[str, str]) -> int | float | None:
    """Return the value of a C++ constant expression, None if it cannot be computed here.

    Integers, floats, arithmetic, casts and the names in `known` are understood.
    """
    try:
        return _value(_tree(expression), known, depth=0)
    except (SyntaxError, ValueError, ArithmeticError, RecursionError, TypeError, KeyError):
        return None


def _tree(expression: str) -> ast.expr:
    text = re.sub(r"\bstatic_cast\s*<[^<>]*>", "", expression).replace("'", "")
    text = re.sub(
        r"\(\s*(?:unsigned|signed|int|long|float|double|size_t|u?int\d+_t)\s*\)", "", text
    )
    text = re.sub(
        r"(?<![\w.])((?:0[xX][\da-fA-F]+|\d[\d.]*(?:[eE][+-]?\d+)?))[uUlLzZ]+\b", r"\1", text
    )
    text = re.sub(r"(?<![\w.])(\d[\d.]*(?:[eE][+-]?\d+)?)[fF]\b", r"float(\1)", text)
    text = re.sub(r"\b(\d+)\.(?!\d)", r"\1.0", text)
    text = re.sub(r"\b(?:true|false)\b", lambda word: str(int(word[0] == "true")), text)
    return ast.parse(text.strip(), mode="eval").body


def _value(node: ast.expr, known: dict[str, str], depth: int) -> int | float:
    def value(inner: ast.expr) -> int | float:
        return _value(inner, known, depth)

    if depth > 20:
        raise RecursionError
    if isinstance(node, ast.Constant) and type(node.value) in (int, float):
        return node.value
    if isinstance(node, ast.Name):
        return _value(_tree(known[node.id]), known, depth + 1)
    if isinstance(node, ast.Call) and getattr(node.func, "id", "") == "float":
        return float(value(node.args[0]))
    if isinstance(node, ast.UnaryOp):
        return _OPERATORS[type(node.op)](value(node.operand))
    if isinstance(node, ast.BinOp):
        left, right = value(node.left), value(node.right)
        if isinstance(node.op, ast.Div):
            whole = isinstance(left, int) and isinstance(right, int)
            return int(left / right) if whole else left / right
        return _OPERATORS[type(node.op)](left, right)
    raise ValueError(f"not a constant: {ast.dump(node)}")
