"""Tell the tracer how the learner's structs are aligned: g++ reports a copy without it.

nvcc copies a struct in global memory in pieces as wide as its alignment (LDG, 4 bytes, for one
of four floats), and in shared memory, whose layout it knows, in the widest that fit.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from helpers.emulator.brackets import closing

_STRUCT = re.compile(
    r"(?P<typedef>\btypedef\s+)?\b(?:struct|class|union)\b"
    r"(?:\s+(?:alignas|__align__|__attribute__)\s*\((?:[^()]|\([^()]*\))*\))*"
    r"\s*(?P<name>\w+)?\s*(?:final\s*)?(?::(?!:)[^;{}()]*)?\{"
)
_TEMPLATE = re.compile(r"\btemplate\s*<[^;{}]*>\s*$")
_VECTOR = re.compile(r"\b(?:u?int4|float4|double2|u?longlong2)\b")


def declared(code: str) -> Iterator[tuple[int, str]]:
    """Yield (the position behind its `;`, name) of each struct of a file; templates have none.

    code: the file's text without comments and strings. Structs within braces count as well:
    who asks keeps those at file scope.
    """
    for one in _STRUCT.finditer(code):
        before = code[: one.start()]
        line = before[before.rfind("\n") + 1 :]
        end = closing(code, one.end() - 1)
        behind = re.compile(r"\s*(\w*)[^;{}()]*;").match(code, end + 1) if end > 0 else None
        name = behind and (behind[1] if one["typedef"] else one["name"])
        macro = line.lstrip().startswith("#") or before.rstrip().endswith("\\")
        if name and not macro and not _TEMPLATE.search(before, max(0, one.start() - 300)):
            yield behind.end(), name


def uses_vectors(code: str) -> bool:
    """Say whether a file names one of CUDA's types of 16 bytes, aligned to as many."""
    return _VECTOR.search(code) is not None
