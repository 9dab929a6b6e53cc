"""Make mutants of a Python file: small wrong changes, one at a time, that a test should notice.

Left alone are annotations, docstrings, decorators, imports, and what only changes a message:
f-strings, sentences, and everything in a `raise`.
"""

import ast
import copy
import difflib
from collections.abc import Iterator
from dataclasses import dataclass

COMPARE = {
    ast.Lt: ast.LtE, ast.LtE: ast.Lt, ast.Gt: ast.GtE, ast.GtE: ast.Gt, ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq, ast.In: ast.NotIn, ast.NotIn: ast.In, ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
}  # fmt: skip
BINARY = {
    ast.Add: ast.Sub, ast.Sub: ast.Add, ast.Mult: ast.Div, ast.Div: ast.Mult,
    ast.FloorDiv: ast.Div, ast.Mod: ast.FloorDiv, ast.Pow: ast.Mult, ast.LShift: ast.RShift,
    ast.RShift: ast.LShift, ast.BitAnd: ast.BitOr, ast.BitOr: ast.BitAnd, ast.BitXor: ast.BitOr,
}  # fmt: skip
CALLS = {"min": "max", "max": "min", "any": "all", "all": "any", "ceil": "floor"}


@dataclass(frozen=True)
class Mutant:
    """A change of one place in a file."""

    line: int
    start: int  # bytes from the file's start
    end: int
    operator: str
    replacement: str

    def apply(self, source: str) -> str:
        """Return the changed source."""
        data = source.encode()
        return (data[: self.start] + self.replacement.encode() + data[self.end :]).decode()

    def diff(self, source: str, name: str) -> str:
        """Return the change as a unified diff."""
        before, after = source.splitlines(), self.apply(source).splitlines()
        return "\n".join(difflib.unified_diff(before, after, name, name, lineterm="", n=2))


def mutants(source: str) -> list[Mutant]:
    """List every mutant of a Python file, in the order of the text."""
    lines = source.encode().splitlines(keepends=True)
    starts = [0]
    for line in lines:
        starts.append(starts[-1] + len(line))
    found = []
    for node, operator, changed in _changes(ast.parse(source)):
        text = ast.unparse(changed) if isinstance(changed, ast.AST) else changed
        if isinstance(node, ast.expr):
            text = f"({text})"
        start = starts[node.lineno - 1] + node.col_offset
        end = starts[node.end_lineno - 1] + node.end_col_offset
        found.append(Mutant(node.lineno, start, end, operator, text))
    original = ast.dump(ast.parse(source))
    return sorted(
        (one for one in set(found) if _differs(one.apply(source), original)),
        key=lambda one: (one.start, one.end, one.operator, one.replacement),
    )


def _differs(source: str, original: str) -> bool:
    try:
        return ast.dump(ast.parse(source)) != original
    except SyntaxError:
        return False


def _changes(tree: ast.AST) -> Iterator[tuple[ast.AST, str, ast.AST | str]]:
    """Yield (node, name of the operator, replacement) for a tree."""
    for node in _visited(tree):
        if isinstance(node, ast.If | ast.While | ast.IfExp):
            yield node.test, "condition", ast.UnaryOp(ast.Not(), node.test)
        for name, changed in _of_node(node):
            yield node, name, changed


def _visited(node: ast.AST) -> Iterator[ast.AST]:
    """Walk over what may be mutated."""
    yield node
    for field, value in ast.iter_fields(node):
        if field not in ("annotation", "returns", "decorator_list"):
            for child in value if isinstance(value, list) else [value]:
                if isinstance(child, ast.AST) and not _is_skipped(child):
                    yield from _visited(child)


def _is_skipped(node: ast.AST) -> bool:
    match node:
        case ast.Import() | ast.ImportFrom() | ast.JoinedStr() | ast.Raise():
            return True
        case ast.Expr(value=ast.Constant()):  # a docstring
            return True
        case ast.Assign(targets=[ast.Name(id="__all__")]):
            return True
        case ast.If(test=ast.Name(id="TYPE_CHECKING")):
            return True
        case ast.If(test=ast.Compare(left=ast.Name(id="__name__"))):
            return True
    return False


def _of_node(node: ast.AST) -> Iterator[tuple[str, ast.AST | str]]:
    """Yield the mutants of one node: (name of the operator, replacement)."""
    match node:
        case ast.Compare(ops=ops):
            for k, op in enumerate(ops):
                others = [*ops[:k], COMPARE[type(op)](), *ops[k + 1 :]]
                yield "comparison", _with(node, ops=others)
        case ast.BinOp(op=op) | ast.AugAssign(op=op) if type(op) in BINARY:
            yield "arithmetic", _with(node, op=BINARY[type(op)]())
        case ast.BoolOp(op=op):
            yield "and, or", _with(node, op=ast.Or() if isinstance(op, ast.And) else ast.And())
        case ast.UnaryOp(op=ast.Not() | ast.USub(), operand=operand):
            yield "sign", operand
        case ast.Constant(value=value):
            yield from _of_constant(value)
        case ast.Call(func=ast.Name(id=name)) if name in CALLS:
            yield "call", _with(node, func=ast.Name(CALLS[name]))
        case ast.Call(func=ast.Attribute(attr=name)) if name in CALLS:
            yield "call", _with(node, func=_with(node.func, attr=CALLS[name]))
        case ast.Return(value=value) if value is not None:
            yield "return", "return None"
        case ast.Break():
            yield "loop", "continue"
        case ast.Continue():
            yield "loop", "break"
        case ast.Expr(value=ast.Call()) | ast.Delete():
            yield "statement", "pass"
    if isinstance(node, ast.AugAssign):
        yield "statement", "pass"


def _of_constant(value: object) -> Iterator[tuple[str, ast.AST]]:
    if isinstance(value, bool):
        yield "constant", ast.Constant(not value)
    elif isinstance(value, int | float):
        yield "constant", ast.Constant(value + 1)
    elif isinstance(value, str) and value and value.count(" ") < 3:  # no sentence
        yield "constant", ast.Constant(f"X{value}")


def _with(node: ast.AST, **fields) -> ast.AST:
    """Copy a node with some fields changed."""
    changed = copy.copy(node)
    for name, value in fields.items():
        setattr(changed, name, value)
    return changed
