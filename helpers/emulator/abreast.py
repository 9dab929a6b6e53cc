"""Find kernels whose threads can run abreast: eight and more of them by each instruction.

The compiler does so with a loop over the threads of a block, where nothing in it looks at one
thread alone: no check of an access's alignment, no note of which thread runs, no `if (i < n)`.
Such a kernel

    __global__ void k(float* x, int n) {    has    unsigned k(threadIdx, ask, float* x, int n) {
        const int i = ... threadIdx.x;      a          const int i = ... threadIdx.x;
        if (i < n) x[i] *= 2;               second     if (ask) return i < n ? kYes : 0;
    }                                       form       x[i] *= 2; return 0; }

which is asked for each thread of a block, and then run for them if all said yes. Any other
block runs as the kernel is written, and one with a fault does so from its start, which names
the thread. (include/emulator_abreast.h)

What is not understood has no second form. No pointer may be made of another, as only the
kernel's arguments are looked at for their alignment.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from helpers.emulator.brackets import closing
from helpers.sources import blank_comments_and_strings

_REFUSED = re.compile(
    r"\b(?:reinterpret_cast|bit_cast|union|goto|do|while|thread_local|__constant__|__managed__"
    r"|mem(?:cpy|set|move)|__builtin_\w+)\b"
    r"|\bstatic\b(?!\s+(?:constexpr|inline|__\w+|void)\b)"
    r"|\*\s*(?:const\s*)?(?:__restrict__\s*)?\*"  # a pointer to a pointer
    r"|\(\s*(?:const\s+)?[\w:]+(?:\s*<[^()<>]*>)?(?:\s+const)?\s*\*+\s*(?:const\s*)?\)\s*[\w(&*]"
    r"|__device__\b[^;{}()]*[;=\[]"  # a variable
)
_HEAD = re.compile(r"[^(;{}]*?\b(void)\s+(\w+)\s*\(")
_NESTED = re.compile(r"\]\s*(?:\(|\{|mutable\b|__)|\b(?:struct|class)\b")
_BUILT_IN = re.compile(r"\b(?:threadIdx|blockIdx|blockDim|gridDim)\b")
_DECLARED = re.compile(r"\s*(?:const\s+|constexpr\s+)*(?:[\w:]+)\s+\w+\s*=\s*([^;{}]*);")
_IF = re.compile(r"\s*if\s*(?=\()")
_GIVEN = (
    "const uint3 threadIdx, const uint3 blockIdx, const dim3 blockDim, const dim3 gridDim, "
    "const bool emulator_ask"
)
_LEAVES = re.compile(r"\s*(?:return\s*;|\{\s*return\s*;\s*\})")
_TYPES = "int|unsigned|long|size_t|int64_t|uint64_t|int32_t|uint32_t|static_cast"
_CALL = re.compile(rf"\b(?!(?:{_TYPES})\b)\w+\s*\(|>\s*\(")
_CAST = re.compile(r"\bstatic_cast\s*<[\w\s:]+>")
_WIDE = r"(?:auto|int|unsigned|u?int(?:32|64)_t|size_t|long|long\s+long)"
_BLOCK = r"(?:blockIdx\.x|static_cast\s*<[\w\s:]+>\s*\(blockIdx\.x\)|\(\w+\)\s*blockIdx\.x)"
_FIRST = rf"(?:{_BLOCK}\s*\*\s*blockDim\.x|blockDim\.x\s*\*\s*{_BLOCK})"
_IN_GRID = rf"(?:{_FIRST}\s*\+\s*threadIdx\.x|threadIdx\.x\s*\+\s*{_FIRST})\s*"
# What reads memory, changes something or is not known: no part of an `if` that is asked apart.
_IMPURE = re.compile(r"\[|->|\+\+|--|(?<![=!<>])=(?!=)|(?:^|[-+/%(<>=,&|?:!])\s*[*&](?!&)")


@dataclass(frozen=True)
class Kernel:
    """A kernel, and what to replace in its text for its second form."""

    name: str
    edits: tuple[tuple[int, int, str], ...]


def _pure(expression: str) -> bool:
    plain = _CAST.sub("int", expression)
    return not _IMPURE.search(plain.strip()) and not _CALL.search(plain)


def _answer(declared: str, ask: str) -> str:
    """Return a thread's yes, which may speak for all threads up to another one with a yes.

    So it is for `i < n`: the i of these is that of the thread in the grid, without a wrap.
    """
    asked = re.fullmatch(r"\((\w+) <=? \w+\)|!\((\w+) >=? \w+\)|true", ask)
    name = asked and (asked[1] or asked[2])
    if asked and (not name or re.search(rf"\b{_WIDE}\s+{name}\s*=\s*{_IN_GRID};", declared)):
        return "::emulator::kYes | ::emulator::kBetween"
    return "::emulator::kYes"


def _second_body(code: str, body: int, end: int) -> list[tuple[int, int, str]] | None:
    """Return the replacements between a kernel's braces; None if it has no second form."""
    at = body + 1
    while (declared := _DECLARED.match(code, at, end)) and _pure(declared[1]):
        at = declared.end()
    found = _IF.match(code, at, end)
    if not found:
        rest, ask, cut = code[at:end], "true", at
    else:
        close = closing(code, found.end())
        condition = code[found.end() : close + 1]
        if not _pure(condition[1:-1]):
            return None
        leaves = _LEAVES.match(code, close + 1, end)
        cut = leaves.end() if leaves else close + 1
        ask = f"{'!' if leaves else ''}{condition}"
        rest = code[cut:end].strip()
        block = rest.startswith("{") and closing(rest, 0) == len(rest) - 1
        if not leaves and not block and rest.find(";") != len(rest) - 1:
            return None
    if re.search(r"\b(?:return|else)\b", rest):
        return None
    ask = " ".join(ask.split())
    answer = f" if (emulator_ask) return {ask} ? {_answer(code[body:at], ask)} : 0;"
    return [(at, cut, answer), (end, end, " return 0; ")]


def kernels(text: str) -> list[Kernel]:
    """Return the kernels of a file, which is `alone`, that have a second form."""
    code = blank_comments_and_strings(text).replace('"C"', "   ")
    found: list[Kernel] = []
    for match in re.finditer(r"\b__global__\b", code):
        head = _HEAD.match(code, match.end())
        close = closing(code, head.end() - 1) if head else -1
        opened = re.compile(r"\s*\{").match(code, close + 1) if close > 0 else None
        if not opened:
            continue
        body = opened.end() - 1
        end = closing(code, body)
        edits = _second_body(code, body, end) if end > 0 else None
        if edits is None:
            continue
        comma = ", " if code[head.end() : close].strip() else ""
        first = f"{_GIVEN}{comma}"
        edits += [(head.start(1), head.end(1), "unsigned"), (head.end(), head.end(), first)]
        found.append(Kernel(head[2], tuple(edits)))
    return found


def names(texts: Iterable[str]) -> frozenset[str]:
    """Return the names of the kernels of these files that have a second form."""
    seen: dict[str, bool] = {}
    for text in texts:
        code = blank_comments_and_strings(text)
        if _REFUSED.search(code) or not _only_in_functions(code):
            return frozenset()
        second = {kernel.name for kernel in kernels(text)}
        every = re.findall(r"\b__global__\b[^(;{}]*?\b(\w+)\s*\(", code)
        if len(every) != len(re.findall(r"\b__global__\b", code)):
            return frozenset()
        for name in every:  # two of one name have none
            seen[name] = name in second and name not in seen
    return frozenset(name for name, has in seen.items() if has)


def _only_in_functions(code: str) -> bool:
    """Say whether each built-in variable stands in a function that has no others inside."""
    spans = []
    for match in re.finditer(r"\b__(global|device)__\b", code):
        head = re.compile(r"[^(;{}]*?\w+\s*\(").match(code, match.end())
        close = closing(code, head.end() - 1) if head else -1
        opened = re.compile(r"\s*(?:const\s*)?\{").match(code, close + 1) if close > 0 else None
        end = closing(code, opened.end() - 1) if opened else -1
        if end > 0 and not _NESTED.search(code, opened.end(), end):
            spans.append((opened.end(), end, match[1]))
    for match in _BUILT_IN.finditer(code):
        inside = {kind for begin, end, kind in spans if begin <= match.start() < end}
        if not inside or (match[0] == "threadIdx" and "device" in inside):
            return False
    return True
