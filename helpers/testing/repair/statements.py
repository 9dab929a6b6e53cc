"""Say what a statement of a kernel might have been, or what might come before it."""

from __future__ import annotations

import re
from collections.abc import Iterator

from helpers.testing.repair import kinds
from helpers.testing.repair.nodes import RELATIONS, Node, Variable, Variant, class_of


def statements(
    parent: Node, node: Node, function: Node, scope: list[Variable], code: str
) -> Iterator[Variant]:
    """Yield what might be done in a statement's place, or before it."""
    end = "" if node.text.rstrip().endswith("}") else ";"
    barrier = re.match(r"__sync(threads|warp)\s*\(", node.text)
    if barrier:
        yield Variant(kinds.NEEDLESS, ";")
    elif "__shared__" in code and parent.kind == "COMPOUND_STMT" and _is_device(function):
        yield Variant(kinds.BARRIER, "__syncthreads();", before=True)
    if node.kind in ("COMPOUND_ASSIGNMENT_OPERATOR", "UNARY_OPERATOR", "CALL_EXPR"):
        if not barrier:
            yield Variant(kinds.NEEDLESS, ";")
    if node.kind == "IF_STMT":
        body = node.children
        if len(body) == 2:
            yield Variant(kinds.CONDITION, body[1].text + end)
            yield from _loop(*body, end)
    if (
        node.kind in ("FOR_STMT", "WHILE_STMT")
        and "__shared__" in code
        and _is_device(function)
    ):
        body = node.children[-1]
        if body.kind == "COMPOUND_STMT":
            head = code[node.start : body.end - 1]
            yield Variant(kinds.BARRIER, f"{head} __syncthreads(); }}", body.end - 1)
    stored = node.children[0] if node.writes and node.children else None
    if stored is not None and node.kind in ("BINARY_OPERATOR", "COMPOUND_ASSIGNMENT_OPERATOR"):
        yield from _assignments(node, stored, scope)
    if stored is not None and stored.kind == "ARRAY_SUBSCRIPT_EXPR":
        index = stored.children[-1]
        for one in scope:
            if (
                class_of(one.type) == "integer"
                and one.name != index.text
                and _is_device(function)
            ):
                yield Variant(
                    kinds.GUARD, f"if (({index.text}) < {one.name}) {{ {node.text}; }}"
                )


def _loop(condition: Node, body: Node, end: str) -> Iterator[Variant]:
    """Turn a guard into a loop whose step is the whole grid."""
    if condition.kind != "BINARY_OPERATOR" or not condition.children:
        return
    name = condition.children[0].text
    if condition.operator not in RELATIONS or not re.fullmatch(r"[A-Za-z]\w*", name):
        return
    new, step = f"{name}_repair", "decltype({0})(blockDim.x) * gridDim.x"
    word = re.compile(rf"\b{name}\b")
    test, inner = word.sub(new, condition.text), word.sub(new, body.text)
    step = step.format(new)
    yield Variant(
        kinds.LOOP, f"for (auto {new} = {name}; {test}; {new} += {step}) {inner}{end}"
    )


def _assignments(node: Node, stored: Node, scope) -> Iterator[Variant]:
    sign, value = node.operator, node.children[1].text
    others = {"=": ("+=",), "+=": ("=", "-=", "*="), "-=": ("+=",), "*=": ("+=", "/=")}
    others |= {"/=": ("*=",), "<<=": (">>=",), ">>=": ("<<=",), "|=": ("&=",), "&=": ("|=",)}
    for other in others.get(sign, ()):
        yield Variant(kinds.OPERATOR, f"{stored.text} {other} {value};")
    summed = stored.type in ("float", "double", "int", "unsigned int")
    if (
        sign in ("=", "+=")
        and summed
        and stored.kind in ("ARRAY_SUBSCRIPT_EXPR", "UNARY_OPERATOR")
    ):
        yield Variant(kinds.ATOMIC, f"atomicAdd(&({stored.text}), {value});")


def _is_device(function: Node) -> bool:
    return bool(re.search(r"__global__|__device__", function.text.partition("{")[0]))
