"""CUDA's syntax made into C++: the few constructs that g++ does not know, rewritten in place.

Every other word of CUDA is a macro, a type or a function of the folder include/. Nothing is moved to another
line, so the compiler's errors and a fault's line numbers are those of the learner's file.
"""

from __future__ import annotations

import re
import zlib

from helpers.sources import blank_comments_and_strings, local_includes

__all__ = ["translate"]

_OPEN, _CLOSE = "([{", ")]}"


def _closing(code: str, start: int) -> int:
    """The position of the bracket that closes the one at `start`, or -1."""
    depth = 0
    for position in range(start, len(code)):
        if code[position] in _OPEN:
            depth += 1
        elif code[position] in _CLOSE:
            depth -= 1
            if depth == 0:
                return position
    return -1


def _opening(code: str, end: int, pair: str) -> int:
    """The position of the bracket that the one at `end` closes, or -1; other brackets between are skipped."""
    depth, inner = 0, 0
    for position in range(end, -1, -1):
        char = code[position]
        if pair == "<>" and char in ")]":
            inner += 1
        elif pair == "<>" and char in "([":
            inner -= 1
        elif inner == 0 and char == pair[1] and not (char == ">" and code[position - 1] == "-"):
            depth += 1
        elif inner == 0 and char == pair[0]:
            depth -= 1
            if depth == 0:
                return position
        elif inner == 0 and pair == "<>" and char in ";{}":
            return -1
    return -1


def _callee(code: str, end: int) -> int:
    """Where the expression that stands before position `end` begins: name, a::name<T>, (name<T, U>); or -1."""
    position = len(code[:end].rstrip()) - 1
    if position < 0:
        return -1
    if code[position] == ")":
        return _opening(code, position, "()")
    begin = -1
    while True:
        if position >= 0 and code[position] == ">":
            position = _opening(code, position, "<>") - 1
            if position < 0:
                return -1
            position = len(code[: position + 1].rstrip()) - 1
        name = re.search(r"\w+$", code[: position + 1])
        if not name:
            return begin
        begin = name.start()
        if before := re.search(r"(?:::|\.|->)\s*(?:template\s+)?$", code[:begin]):
            begin = before.start()
            position = len(code[:begin].rstrip()) - 1
            if position < 0 or not (
                code[position] == ">" or code[position].isalnum() or code[position] == "_"
            ):
                return begin
            continue
        return begin


class _Edits:
    """Replacements of stretches of a text, applied together."""

    def __init__(self) -> None:
        self._edits: list[tuple[int, int, str]] = []

    def replace(self, start: int, end: int, new: str) -> None:
        self._edits.append((start, end, new))

    def apply(self, text: str) -> str:
        for start, end, new in sorted(self._edits, reverse=True):
            text = text[:start] + new + text[end:]
        return text


def _launches(text: str, code: str, edits: _Edits) -> None:
    """`name<T><<<grid, block>>>(args)` becomes `::emulator::on("name", a call of it, {grid, block})(args)`."""
    for match in re.finditer("<<<", code):
        begin = _callee(code, match.start())
        if begin < 0:
            continue
        depth, end = 0, -1
        for position in range(match.end(), len(code)):
            if code[position] in _OPEN:
                depth += 1
            elif code[position] in _CLOSE:
                depth -= 1
            elif depth == 0 and re.match(r">>>\s*\(", code[position : position + 200]):
                end = position
                break
            if depth < 0 or (depth == 0 and code[position] == ";"):
                break
        if end < 0:
            continue
        callee = text[begin : match.start()]
        base = re.findall(r"\w+", re.sub(r"<.*", "", callee, flags=re.S) or callee)
        name = base[-1] if base else "kernel"
        call = callee.strip()
        edits.replace(
            begin,
            match.end(),
            f'::emulator::on("{name}", [=](const auto&... emulator_a) {{ {callee.rstrip()}(emulator_a...); }}, '
            f"::emulator::Config({_tail(callee, call)}",
        )
        edits.replace(end, end + 3, "))")


def _tail(callee: str, call: str) -> str:
    return callee[callee.rindex(call) + len(call) :]


_TYPE_END = re.compile(r"(\w+)\s*((?:\[[^\]]*\]\s*)*)$")


def _at_file_scope(code: str, position: int) -> bool:
    """Whether only namespaces and `extern "C"` enclose a position."""
    open_braces: list[bool] = []
    for match in re.finditer(r"[{}]", code[:position]):
        if match.group() == "}":
            if open_braces:
                open_braces.pop()
        else:
            before = code[max(0, match.start() - 200) : match.start()]
            open_braces.append(bool(re.search(r"(namespace\s*[\w:]*|extern)\s*$", before)))
    return all(open_braces)


def _alignment(declaration: str) -> tuple[str, str]:
    """A declaration without its alignas/__align__, and the alignment's expression ("1" where there is none)."""
    match = re.search(r"\b(?:alignas|__align__)\s*\(", declaration)
    if not match:
        return declaration, "1"
    end = _closing(declaration, match.end() - 1)
    inside = declaration[match.end() : end]
    rest = declaration[: match.start()] + declaration[end + 1 :]
    if not re.fullmatch(r"[\w\s*+]*\d[\w\s*+]*", inside):
        inside = (
            f"alignof({inside})"
            if match.group().startswith("alignas") and "sizeof" not in inside
            else inside
        )
    return rest, inside


def _split(text: str) -> list[str]:
    """The parts between top-level commas; angle brackets count as brackets."""
    parts, depth, start = [], 0, 0
    for position, char in enumerate(text):
        if char in "([{<":
            depth += 1
        elif char in ")]}>":
            depth -= 1
        elif char == "," and depth == 0:
            parts.append(text[start:position])
            start = position + 1
    return [*parts, text[start:]]


def _shared(text: str, code: str, file: str, edits: _Edits) -> None:
    """`__shared__ T x[N];` becomes a reference to the block's memory, `extern __shared__ T x[];` a pointer to it."""
    for match in re.finditer(r"\b((?:extern|static|volatile)\s+)*__shared__\b", code):
        end = code.find(";", match.end())
        if end < 0:
            continue
        outer, inner = match.group(), code[match.end() : end]
        declaration, alignment = _alignment(code[match.start() : end])
        newlines = "\n" * code.count("\n", match.start(), end)
        words = re.sub(r"\b(extern|static|__shared__)\b", " ", " ".join(declaration.split()))
        if re.search(r"\bextern\b", outer) or re.search(r"\bextern\b", inner):
            declared = _TYPE_END.search(words.strip())
            if not declared:
                continue
            kind, name = words.strip()[: declared.start()].strip(), declared[1]
            if _at_file_scope(code, match.start()):
                new = (
                    f"static thread_local {kind}* {name}; static ::emulator::FileScopeShared emulator_{name}"
                    f"([](void* emulator_p) {{ {name} = static_cast<{kind}*>(emulator_p); }})"
                )
            else:
                new = f"{kind}* const {name} = ::emulator::dynamic_shared<{kind}>()"
            edits.replace(match.start(), end, new + newlines)
            continue
        parts = _split(words.strip())
        first = _TYPE_END.search(parts[0].strip())
        if not first or "{" in words or "=" in words:
            continue  # left to the macro __shared__, which says that it is not understood
        kind = parts[0].strip()[: first.start()].strip()
        new = []
        for index, part in enumerate(parts):
            name, suffix = (first if index == 0 else _TYPE_END.search(part.strip())).groups()
            site = zlib.crc32(f"{file}:{match.start()}:{name}".encode())
            new.append(
                f"typedef {kind} emulator_t_{name}{suffix.strip()}; auto& {name} = "
                f'::emulator::StaticShared<emulator_t_{name}, {alignment}, {site}u>::get("{name}")'
            )
        edits.replace(match.start(), end, "; ".join(new) + newlines)


_SPECIALS = (
    "laneid warpid nwarpid smid nsmid lanemask_eq lanemask_lt lanemask_le lanemask_gt lanemask_ge "
    "clock clock64 globaltimer gridid"
).split()


def _inline_ptx(text: str, code: str, edits: _Edits) -> None:
    """Reads of a special register become a call; other PTX is an error with words; an empty asm stays."""
    for match in re.finditer(r"\b(?:asm|__asm__)\s*(?:volatile|__volatile__)?\s*\(", code):
        end = _closing(code, match.end() - 1)
        if end < 0:
            continue
        inside = text[match.end() : end]
        if re.match(r'\s*""\s*(:|$)', inside):
            continue
        read = re.fullmatch(
            r'\s*"\s*mov\.\w+\s+%0\s*,\s*%%(\w+)\s*;\s*"\s*:\s*"=[rl]"\s*\((.*)\)\s*(?::\s*)*(?:"memory"\s*)?',
            inside,
            re.S,
        )
        if read and read[1] in _SPECIALS:
            target = read[2].strip()
            value = f"::emulator::special(::emulator::Special::{read[1]})"
            new = f"({target}) = static_cast<std::decay_t<decltype({target})>>({value})"
        else:
            new = 'static_assert(false, "the CPU emulator does not run inline PTX (it reads special registers only)")'
        edits.replace(match.start(), end + 1, new + "\n" * code.count("\n", match.start(), end))


def _launchers(code: str, edits: _Edits) -> None:
    """An `extern "C"` function catches what it throws: the body becomes a function try block, with signals caught."""
    for match in re.finditer(
        r"\bextern\s+(\w+(?:\s*\*)?)\s+(\w+)\s*\(", code
    ):
        close = _closing(code, match.end() - 1)
        begin = re.match(r"\s*\{", code[close + 1 :]) if close > 0 else None
        if not begin or re.search(r"__global__|__device__", match.group()):
            continue
        brace = close + begin.end()
        end = _closing(code, brace)
        if end < 0:
            continue
        leave = "return;" if match[1] == "void" else "return {};"
        edits.replace(brace, brace + 1, f"try {{ EMULATOR_LAUNCHER({match[2]}, {leave})")
        edits.replace(
            end,
            end + 1,
            f'}} catch (...) {{ ::emulator::launcher_threw("{match[2]}"); {leave} }}',
        )


def _words(code: str, edits: _Edits) -> None:
    """printf goes to the emulator, cudaFuncSetAttribute names its kernel, and __noinline__ is an attribute."""
    for match in re.finditer(r"(?<![\w.:>])(?:::\s*|std\s*::\s*)?printf\s*(?=\()", code):
        edits.replace(match.start(), match.end(), "::emulator::print")
    for match in re.finditer(r"<cooperative_groups/\w+\.h>", code):  # one header has it all
        edits.replace(match.start(), match.end(), "<cooperative_groups.h>")
    for match in re.finditer(
        r"(?<!\(\()\b__noinline__\b", code
    ):  # no macro: the C++ library uses the word itself
        edits.replace(match.start(), match.end(), "__attribute__((noinline))")
    for match in re.finditer(r"\bcudaFuncSetAttribute\s*\(", code):
        end = _closing(code, match.end() - 1)
        first = _split(code[match.end() : end])[0]
        names = re.findall(
            r"\w+", re.sub(r"<.*", "", re.sub(r"\([^()]*\*\s*\)", "", first), flags=re.S)
        )
        if end > 0 and names:
            new = f'emulator_set_attribute("{names[-1]}"' + "\n" * first.count("\n")
            edits.replace(match.start(), match.end() + len(first), new)


def translate(text: str, file: str, include=lambda name: name) -> str:
    """C++ for g++ from a CUDA source text; `include` gives the new name of a local include file."""
    code = blank_comments_and_strings(text).replace('"C"', "   ")
    edits = _Edits()
    _launches(text, code, edits)
    _shared(text, code, file, edits)
    _inline_ptx(text, code, edits)
    _launchers(code, edits)
    _words(code, edits)
    for match in local_includes(text):
        edits.replace(match.start(1), match.end(1), include(match[1]))
    quoted = file.replace("\\", "\\\\").replace('"', '\\"')
    return f'#line 1 "{quoted}"\n' + edits.apply(text)
