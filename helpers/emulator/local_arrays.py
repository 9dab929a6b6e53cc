"""Find the arrays of a thread: how nvcc aligns them, and which it must keep in local memory.

Registers have no address. An array whose every index is known once loops are unrolled stands
in registers. One that is indexed by what only the running kernel knows has an address, so it
lies in local memory.
"""

from __future__ import annotations

import re

from helpers.emulator.brackets import closing

_DECLARED = re.compile(
    r"(?<=[;{}])\s*(?:(?:alignas|__align__)\s*\([^()]*\)\s*)?"
    r"(?!(?:return|else|delete|new|goto)\b)"
    r"(?P<kind>(?:(?:unsigned|signed|long|struct)\s+)*[A-Za-z_][\w:]*(?:<[^;<>{}]*>)?)"
    r"\s+(?P<name>\w+)\s*(?P<extents>(?:\[[^\[\]]*\]\s*)+)"
    r"(?:=?\s*\{[^;]*\})?\s*;"
)
_CLASS = re.compile(r"\b(?:struct|class|union)\b[^;{}()]*\{")
_LOOP = re.compile(
    r"(?P<before>[^\n]*\n)?[^\n;{}]*\bfor\s*\(\s*(?:const\s+)?[\w:\s]*?\b(?P<name>\w+)\s*="
    r"(?P<first>[^;]*);(?P<last>[^;]*);"
)
_ROLLED = re.compile(r"#\s*pragma\s+(?:unroll\s*\(?\s*1\b|nounroll)")
_CONSTANT = re.compile(
    r"\bconst(?:expr)?\s+[\w:]+(?:\s+[\w:]+)*?\s+(?P<name>\w+)\s*=(?P<value>[^;]*);"
)
_WORDS = frozenset(
    "int unsigned long short char bool sizeof static_cast size_t true false".split()
)


def in_local_memory(code: str, begin: int, end: int) -> list[tuple[int, str]]:
    """Return (the position behind its declaration, name) of each such array of one function.

    code: a file's text without comments and strings; begin, end: the function's body in it.
    """
    body = code[begin:end]
    found = [(begin + one.end(), one["name"]) for one in _DECLARED.finditer(body)]
    if not found:
        return []
    known = _known(code, body)
    return [(at, name) for at, name in found if _names(_indices(body, name)) - known]


def alignments(code: str, begin: int, end: int) -> list[tuple[int, str]]:
    """Return (where its type stands, C++ for how nvcc aligns it) of each array of one function.

    nvcc 13.0 aligns it for what it is read as (PTX, .local .align), at most for the widest
    vector that fits into it. Arguments as `in_local_memory`.
    """
    body = code[begin:end]
    classes = [(one.start(), closing(body, one.end() - 1)) for one in _CLASS.finditer(body)]
    found = []
    for one in _DECLARED.finditer(body):
        member = any(first < one.start("kind") < last for first, last in classes)
        extents = "".join(one["extents"].split())
        if member or "[]" in extents:  # a class's layout is what it says
            continue
        kind = " ".join(one["kind"].split())
        if re.search(rf"^[ \t]*#[ \t]*define[ \t]+{re.escape(kind)}\b", code, flags=re.M):
            continue  # it may hold more than a type
        bytes_ = f"sizeof({kind}{extents})"
        words = f"alignas({kind}) alignas(::emulator::vector_alignment({bytes_})) "
        found.append((begin + one.start("kind"), words))
    return found


def _known(code: str, body: str) -> set[str]:
    """Return the names that the compiler knows: constants, parameters of templates, counters.

    A loop counts if it is unrolled: from a known number to a known number.
    """
    known = set(re.findall(r"^[ \t]*#[ \t]*define\s+(\w+)", code, flags=re.M)) | _WORDS
    for parameters in re.findall(
        r"\btemplate\s*<([^{};]*?)>\s*(?:__|struct|class|static|inline|using)", code
    ):
        known |= set(re.findall(r"\b(\w+)\s*(?:=[^,]*)?(?:,|$)", parameters))
    defined = [(one["name"], _names([one["value"]])) for one in _CONSTANT.finditer(code)]
    needs: dict[str, set[str]] = {}
    for loop in _LOOP.finditer(body):
        name = loop["name"]
        wants = _names([loop["first"], loop["last"]]) - {name}
        if _ROLLED.search(loop["before"] or ""):
            wants.add("")  # which nothing makes known
        needs[name] = needs.get(name, set()) | wants
    while True:
        more = {name for name, wants in (*defined, *needs.items()) if wants <= known} - known
        if not more:
            return known
        known |= more


def _indices(body: str, name: str) -> list[str]:
    """Return what stands in the brackets behind each use of an array."""
    found = []
    for use in re.finditer(rf"(?<![\w.>]){name}\s*(?=\[)", body):
        at = use.end()
        while at < len(body) and body[at] == "[":
            close = closing(body, at)
            if close < 0:
                break
            found.append(body[at + 1 : close])
            at = close + 1
    return found


def _names(expressions: list[str]) -> set[str]:
    return {word for text in expressions for word in re.findall(r"\b[A-Za-z_]\w*", text)}
