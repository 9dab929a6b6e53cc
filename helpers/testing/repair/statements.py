"""Say what a statement of a kernel might have been, or what might come before it."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator

from helpers.testing.repair import kinds
from helpers.testing.repair.nodes import RELATIONS, Node, Variable, Variant, class_of, is_device

MOST_TESTED = 4  # integers, the nearest


def statements(
    parent: Node, node: Node, function: Node, scope: list[Variable], code: str
) -> Iterator[Variant]:
    """Yield what might be done in a statement's place, or before it."""
    end = "" if node.text.rstrip().endswith("}") else ";"
    barrier = re.match(r"__sync(threads|warp)\s*\(", node.text)
    if barrier:
        yield Variant(kinds.UNMET, ";")
    elif "__shared__" in code and parent.kind == "COMPOUND_STMT" and is_device(function):
        yield Variant(kinds.BARRIER, "__syncthreads();", before=True)
    if node.kind in ("COMPOUND_ASSIGNMENT_OPERATOR", "UNARY_OPERATOR", "CALL_EXPR"):
        if not barrier and not re.search(r"Malloc\w*\s*\(", node.text):
            yield Variant(kinds.NEEDLESS, ";")  # without memory a pointer leads anywhere
    if node.kind in _PLAIN and not barrier:
        yield from _steps(node)
        yield from _turned(parent, node)
    if node.kind == "IF_STMT":
        body = node.children
        if len(body) == 2:
            yield Variant(kinds.CONDITION, body[1].text + end)
            if body[1].kind != "RETURN_STMT":
                yield Variant(kinds.NO_TEST, ";")
            if is_device(function):  # the host's would not end
                yield from _loop(*body, end)
    if node.kind in ("FOR_STMT", "WHILE_STMT") and "__shared__" in code and is_device(function):
        body = node.children[-1]
        if body.kind == "COMPOUND_STMT":
            head = code[node.start : body.end - 1]
            yield Variant(kinds.BARRIER, f"{head} __syncthreads(); }}", body.end - 1)
    if node.kind in ("FOR_STMT", "WHILE_STMT") and is_device(function):
        yield from _set_each_time(node, function)
        yield from _set_again(node, function, scope)
    stored = node.children[0] if node.writes and node.children else None
    if stored is not None and node.kind != "UNARY_OPERATOR":
        if node.kind != "CALL_EXPR":  # of a struct
            yield from _assignments(node, stored, scope)
        if is_device(function) and re.search("__shfl|__shared__", function.text):
            yield from _tested(node, function, scope)
    if stored is not None and stored.kind == "ARRAY_SUBSCRIPT_EXPR":
        index = stored.children[-1]
        for one in scope:
            if (
                class_of(one.type) == "integer"
                and one.name != index.text
                and is_device(function)
            ):
                yield Variant(
                    kinds.GUARD, f"if (({index.text}) < {one.name}) {{ {node.text}; }}"
                )


_PLAIN = {"BINARY_OPERATOR", "COMPOUND_ASSIGNMENT_OPERATOR", "CALL_EXPR"}


def _steps(node: Node) -> Iterator[Variant]:
    """Do it once more with half or twice the number in it, as in the steps of a butterfly."""
    numbers = [x for x in node.walk() if x.kind == "INTEGER_LITERAL"]
    numbers = [x for x in numbers if x.text in ("1", "2", "4", "8", "16", "32")]
    if "__shfl" in node.text and numbers:
        number = numbers[-1]
        for new in {int(number.text) // 2, int(number.text) * 2} & {1, 2, 4, 8, 16}:
            head, tail = node.code[node.start : number.start], node.code[number.end : node.end]
            yield Variant(kinds.STEP, f"{node.text}; {head}{new}{tail};")


def _turned(parent: Node, node: Node) -> Iterator[Variant]:
    """Do what stands behind it first."""
    siblings = parent.children if parent.kind == "COMPOUND_STMT" else []
    here = next((k for k, one in enumerate(siblings) if one.start == node.start), None)
    behind = siblings[here + 1 : here + 2] if here is not None else []
    if behind and behind[0].kind in _PLAIN and not behind[0].text.startswith("__sync"):
        new = f"{behind[0].text}; {node.text};"
        yield Variant(kinds.LINES, new, second=behind[0].start)
        both = [one.children for one in (node, behind[0]) if one.operator == "="]
        if len(both) == 2 and both[0][0].type == both[1][0].type:
            (one, first), (two, second) = both
            new = f"{one.text} = {second.text}; {two.text} = {first.text};"
            goes_on = re.search(rf"\b{re.escape(one.text)}(?!\w)", second.text)
            kind = kinds.LINES if goes_on else kinds.ORDER
            yield Variant(kind, new, second=behind[0].start)


def _set_each_time(node: Node, function: Node) -> Iterator[Variant]:
    """Set again, each time round, what starts with a number before the loop."""
    body = node.children[-1]
    before = (x for x in function.walk() if x.kind == "VAR_DECL" and x.end <= node.start)
    for one in before:
        value = one.children[-1].text if one.children else ""
        plain = re.fullmatch(r"[-\d.+a-zA-Z_]+", value) and "[" not in one.text
        changed = re.search(rf"\b{one.name}\s*([-+*/|&]?=|\+\+)(?!=)", body.text)
        if plain and changed and not one.is_const:
            inner = body.text[1:-1] if body.text.startswith("{") else f"{body.text};"
            new = f"{node.code[node.start : body.start]} {{ {one.name} = {value}; {inner} }}"
            yield Variant(kinds.RESET, new, body.start)


def _set_again(node: Node, function: Node, scope: list[Variable]) -> Iterator[Variant]:
    """Set a variable to 0 before a loop that adds to it."""
    for one in scope:
        added = re.search(rf"\b{one.name}\s*[-+]=", node.text) if one.name else None
        if added and not one.const and one.type in ("float", "double", "int"):
            yield Variant(kinds.RESET, f"{one.name} = 0;", before=True)


def _loop(condition: Node, body: Node, end: str) -> Iterator[Variant]:
    """Turn a guard into a loop whose step is the whole grid."""
    if condition.kind != "BINARY_OPERATOR" or not condition.children:
        return
    name = condition.children[0].text
    if condition.operator not in RELATIONS or not re.fullmatch(r"[A-Za-z][\w.]*", name):
        return
    thread = "." in name
    new = "i_repair" if thread else f"{name}_repair"
    step = "blockDim.x" if thread else f"decltype({new})(blockDim.x) * gridDim.x"
    word = re.compile(rf"\b{re.escape(name)}\b")
    test, inner = word.sub(new, condition.text), word.sub(new, body.text)
    for text in dict.fromkeys((inner, re.sub(r"(?<![=!<>+*/-])=(?!=)", "+=", inner))):
        loop = f"for (int64_t {new} = {name}; {test}; {new} += {step}) {text}{end}"
        yield Variant(kinds.LOOP, loop)


def _tested(node: Node, function: Node, scope: list[Variable]) -> Iterator[Variant]:
    """Do it only where one of two integers, such as a lane and a distance, is the larger."""
    names = [one.name for one in scope if class_of(one.type) == "integer" and one.name]
    own = {*re.findall(r"\b(\w+)\s*=[^;=]*\bthreadIdx\b", function.text)}
    names = [*(x for x in names if x in own), *(x for x in names if x not in own)]
    names = ["threadIdx.x"] * ("threadIdx.x" in node.text) + names
    for one, two in itertools.permutations(names[:MOST_TESTED], 2):
        of_lanes = one in own and "__shfl" in function.text
        kind = kinds.LANES if of_lanes else kinds.CONDITION
        for sign in (">", ">="):
            yield Variant(kind, f"if ({one} {sign} {two}) {{ {node.text}; }}")
    for one in ("threadIdx.x", "threadIdx.x % warpSize"):
        yield Variant(kinds.ONCE, f"if ({one} == 0) {{ {node.text}; }}")


def _assignments(node: Node, stored: Node, scope) -> Iterator[Variant]:
    sign, value = node.operator, node.children[1].text
    others = {"=": ("+=",), "+=": ("=", "-=", "*="), "-=": ("+=",), "*=": ("+=", "/=")}
    others |= {"/=": ("*=",), "<<=": (">>=",), ">>=": ("<<=",), "|=": ("&=",), "&=": ("|=",)}
    meant = {("+=", "="): kinds.ADDS, ("=", "+="): kinds.SUMS}
    if re.fullmatch(r"0(\.0*)?f?", value):
        others["="] = ()  # to add it is to do nothing
    for other in others.get(sign, ()):
        kind = meant.get((sign, other), kinds.OPERATOR)
        yield Variant(kind, f"{stored.text} {other} {value};")
    summed = stored.type in ("float", "double", "int", "unsigned int")
    if (
        sign in ("=", "+=")
        and summed
        and stored.kind in ("ARRAY_SUBSCRIPT_EXPR", "UNARY_OPERATOR")
    ):
        yield Variant(kinds.ATOMIC, f"atomicAdd(&({stored.text}), {value});")
