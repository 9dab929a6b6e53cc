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

What is not understood has no second form. A pointer's alignment is looked at where it is given
to the kernel, or made of another: by a declaration that is asked, by what accesses it at once,
or of a variable, of which the compiler must know it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from helpers.emulator.brackets import closing
from helpers.sources import blank_comments_and_strings

_REFUSED = re.compile(
    r"\b(?:union|thread_local|__constant__|__managed__)\b"
    r"|__device__\b[^;{}()]*[;=\[]"  # a variable
    r"|\*\s*(?:const\s*)?(?:__restrict__\s*)?\*"  # a pointer to a pointer
)
_REFUSED_IN_DEVICE_CODE = re.compile(
    r"\b(?:goto|do|while|static(?!\s+constexpr\b)|bit_cast|mem(?:cpy|set|move)|__builtin_\w+)\b"
    r"|\(\s*(?:const\s+)?[\w:]+(?:\s*<[^()<>]*>)?(?:\s+const)?\s*\*+\s*(?:const\s*)?\)\s*[\w(&*]"
)
_MADE = re.compile(r"\breinterpret_cast\s*(?=<([^<>;]*(?:<[^<>;]*>)?[^<>;]*)>\s*\()")
_HEAD = re.compile(r"[^(;{}]*?\b(void)\s+(\w+)\s*\(")
_NESTED = re.compile(r"\]\s*(?:\(|\{|mutable\b|__)|\b(?:struct|class)\b")
_MACRO = re.compile(r"^[ \t]*#[ \t]*define\b(?:.*\\\n)*.*", re.M)
_BUILT_IN = re.compile(r"\b(?:threadIdx|blockIdx|blockDim|gridDim)\b")
_DECLARED = re.compile(
    r"\s*(?:const\s+|constexpr\s+)*[\w:]+(?:\s*<[\w\s,]*>)?(?:\s*\*\s*(?:const\s+)?|\s+)\w+"
    r"\s*=\s*([^;{}]*);"
)
_IF = re.compile(r"\s*if\s*(?=\()")
_GIVEN = (
    "const uint3 threadIdx, const uint3 blockIdx, const dim3 blockDim, const dim3 gridDim, "
    "bool emulator_ask"
)
_LEAVES = re.compile(r"\s*(?:return\s*;|\{\s*return\s*;\s*\})")
_TYPES = "int|unsigned|long|size_t|int64_t|uint64_t|int32_t|uint32_t|static_cast"
_CALL = re.compile(rf"\b(?!(?:{_TYPES})\b)\w+\s*\(|>\s*\(")
_CAST = re.compile(r"\bstatic_cast\s*<[\w\s:]+>")
_ASKED = re.compile(r"reinterpret_cast\s*<[^()=;]*\*\s*>\s*\(\s*\w+\s*\)\s*")
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


def _is_one(text: str) -> bool:
    """Say whether a text is one statement."""
    if text.startswith("{"):
        return closing(text, 0) == len(text) - 1
    head = re.match(r"(?:for|if)\s*(?=\()", text)
    close = closing(text, head.end()) if head else -1
    return _is_one(text[close + 1 :].lstrip()) if close > 0 else text.find(";") == len(text) - 1


def _second_body(code: str, body: int, end: int) -> list[tuple[int, int, str]] | None:
    """Return the replacements between a kernel's braces; None if it has no second form."""
    at, edits = body + 1, []
    while declared := _DECLARED.match(code, at, end):
        if _ASKED.fullmatch(declared[1]):
            made, last = (
                _MADE.match(code, declared.start(1)),
                code.rindex(")", at, declared.end(1)),
            )
            edits.append((made.start(), made.end(), "::emulator::asked"))
            edits.append((last, last, ", emulator_aligned"))
        elif not _pure(declared[1]):
            break
        at = declared.end()
    found, others = _IF.match(code, at, end), False
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
        last = closing(rest, 0) + 1 if rest.startswith("{") and not leaves else 0
        others = bool(last and re.match(r"\s*else\b", rest[last:]))
        parts = [rest[:last], rest[last:].strip()[4:].strip()] if others else [rest]
        if not leaves and not all(map(_is_one, parts)):
            return None
    if re.search(r"\breturn\b", rest):
        return None
    ask = " ".join(ask.split())
    answer = f"emulator_aligned && {ask} ? {_answer(code[body:at], ask)} : 0"
    edits.append((body + 1, body + 1, " bool emulator_aligned = true; "))
    then = " if (true)" if others else ""
    edits.append((at, cut, f" if (emulator_ask) return {answer};{then}"))
    return [*edits, (end, end, " return 0; ")]


def _made(code: str) -> list[tuple[int, int, str]] | None:
    """Return the replacements where device code makes a pointer of another, if understood."""
    edits = []
    spans = [(begin, end) for begin, end, _ in _functions(code)]
    spans += [match.span() for match in _MACRO.finditer(code)]
    for match in _REFUSED_IN_DEVICE_CODE.finditer(code):
        if any(begin <= match.start() < end for begin, end in spans):
            return None
    for match in _MADE.finditer(code):
        if not any(begin <= match.start() < end for begin, end in spans):
            continue
        close = closing(code, code.index("(", match.end() + len(match[1])))
        before = code[: match.start()].rstrip()[-1:]
        after = code[close + 1 :].lstrip()[:2]
        if before == "&" or not match[1].rstrip().endswith("*"):
            return None
        how = "accessed" if before == "*" or after[:1] == "[" or after == "->" else "known"
        edits.append((match.start(), match.end(), f"::emulator::{how}"))
    return edits


def has_single_steps(texts: Iterable[str]) -> bool:
    """Say whether a thread has several elements and no loop over them."""
    codes = [blank_comments_and_strings(text) for text in texts]
    loops = (re.search(r"\bfor\b", code[a:b]) for code in codes for a, b, _ in _functions(code))
    return any(_made(code) for code in codes) and not any(loops)


def second_forms(text: str, which: frozenset[str]) -> list[tuple[int, int, str]]:
    """Return the replacements in a text that these kernels are to have a second form in."""
    own = [edit for kernel in kernels(text) if kernel.name in which for edit in kernel.edits]
    asked = {edit[0] for edit in own}
    made = _made(blank_comments_and_strings(text)) or []
    return own + [edit for edit in made if edit[0] not in asked]


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
        if _REFUSED.search(code) or not _only_in_functions(code) or _made(code) is None:
            return frozenset()
        second = {kernel.name for kernel in kernels(text)}
        every = re.findall(r"\b__global__\b[^(;{}]*?\b(\w+)\s*\(", code)
        if len(every) != len(re.findall(r"\b__global__\b", code)):
            return frozenset()
        for name in every:  # two of one name have none
            seen[name] = name in second and name not in seen
    return frozenset(name for name, has in seen.items() if has)


def _functions(code: str) -> list[tuple[int, int, str]]:
    """Return from where to where functions go, and which kind each is: global or device."""
    found = []
    for match in re.finditer(r"\b__(global|device)__\b", code):
        head = re.compile(r"[^(;{}]*?\w+\s*\(").match(code, match.end())
        close = closing(code, head.end() - 1) if head else -1
        opened = re.compile(r"\s*(?:const\s*)?\{").match(code, close + 1) if close > 0 else None
        end = closing(code, opened.end() - 1) if opened else -1
        if end > 0:
            found.append((opened.end(), end, match[1]))
    return found


def _only_in_functions(code: str) -> bool:
    """Say whether each built-in variable stands in a function that has no others inside."""
    spans = [one for one in _functions(code) if not _NESTED.search(code, *one[:2])]
    for match in _BUILT_IN.finditer(code):
        inside = {kind for begin, end, kind in spans if begin <= match.start() < end}
        if not inside or (match[0] == "threadIdx" and "device" in inside):
            return False
    return True
