"""Translate CUDA's syntax into C++: rewrite in place the few constructs that g++ does not know.

Every other word of CUDA is a macro, a type or a function of the folder include/. Nothing moves
to another line, so a compiler's error and a fault name the line of the learner's file.

Each rewriting function takes `text`, or the same with comments and strings blanked (`code`),
and notes its replacements in an `_Edits`.
"""

from __future__ import annotations

import bisect
import functools
import re
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Set

from helpers.emulator import abreast, copied_structs, local_arrays, ptx, shuffle_loops
from helpers.emulator.brackets import (
    BLANK,
    CLOSE,
    OPEN,
    callee,
    closing,
    function_body,
    launcher_heads,
    opening,
    split,
)
from helpers.emulator.counted_loops import counted_loops
from helpers.emulator.host_addresses import host_addresses
from helpers.sources import blank_comments_and_strings, local_includes

__all__ = ["alone", "plain_brackets", "shared_macros", "translate"]

NO_SEMICOLON = "each instruction of inline PTX ends with a semicolon"
NO_PTX = (
    "the CPU emulator does not run this inline PTX: write it in C++, or by CUDA's functions"
)
OF_MACROS = (
    "the CPU emulator reads inline PTX before macros are replaced: write its text and its "
    "constraints out"
)
CUDA_ARCH = 800  # as emulator_types.h defines __CUDA_ARCH__
_SHARED = re.compile(r"\b(?:(?!(?:return|else|do)\b)[A-Za-z_][\w:]*\s+)*(__shared__)\b")
_TYPE_END = re.compile(r"(\w+)\s*((?:\[[^\]]*\]\s*)*)$")


class _Edits:
    """Replacements of stretches of a text, applied together."""

    def __init__(self) -> None:
        self._edits: list[tuple[int, int, str]] = []

    def replace(self, start: int, end: int, new: str) -> None:
        """Note that the characters from `start` to before `end` become `new`."""
        self._edits.append((start, end, new))

    def apply(self, text: str) -> str:
        """Return the text with all replacements made."""
        for start, end, new in sorted(self._edits, reverse=True):
            text = text[:start] + new + text[end:]
        return text


_PARTED = re.compile(r"<<\s+<|>>\s+>")
_OPENS = re.compile(r"<<(\s*)<(?![<=])")
_ENDS = re.compile(r">>(\s*)>(?=[\s\\]*\()|[()\[\]{};]")


def join_launches(text: str) -> str:
    """Return a text whose launches have `<<<` and `>>>` also where they are parted.

    For nvcc `k << <1, 2 >> >(x)` is a launch; editors that format C++ write it. No line moves.
    """
    if not _PARTED.search(text):
        return text
    code = blank_comments_and_strings(text)
    parted = []
    for first in _OPENS.finditer(code):
        depth = 0
        for found in _ENDS.finditer(code, first.end()):
            depth += (found[0] in OPEN) - (found[0] in CLOSE)
            if depth < 0 or (depth == 0 and found[0] == ";"):
                break
            if depth == 0 and found[1] is not None:
                parted += [(first, "<<<"), (found, ">>>")]
                break
    for found, joined in reversed(parted):
        text = text[: found.start()] + joined + found[1] + text[found.end() :]
    return text


# `<::` is one only before a further `:` or `>`; in `k<<<::blocks, n>>>` it is none.
_DIGRAPH = re.compile(r"<:(?!:(?![:>]))|:>|<%|%>")
_BRACKETS = {"<:": "[ ", ":>": " ]", "<%": "{ ", "%>": " }"}


def plain_brackets(text: str) -> str:
    """Write brackets where a text has <: :> <% %>, which mean them; no position moves."""
    if not _DIGRAPH.search(text):
        return text
    edits = _Edits()
    for match in _DIGRAPH.finditer(blank_comments_and_strings(text)):
        edits.replace(match.start(), match.end(), _BRACKETS[match[0]])
    return edits.apply(text)


def _end_of_configuration(code: str, start: int) -> int:
    """Return where the `>>>` stands that closes a launch's `<<<`, or -1."""
    depth = 0
    for position in range(start, len(code)):
        if code[position] in OPEN:
            depth += 1
        elif code[position] in CLOSE:
            depth -= 1
        elif depth == 0 and re.match(r">>>[\s\\]*\(", code[position : position + 200]):
            return position
        if depth < 0 or (depth == 0 and code[position] == ";"):
            break
    return -1


# What a thread may name that asks the emulator for nothing: words of the language, arithmetic.
_ALONE = re.compile(
    r"__(?:global|device|host|constant|restrict|forceinline|noinline|inline|align|grid_constant)__"
    r"|__(?:half2?|half_raw|half2_raw|nv_bfloat\w+|ldg|ldcs|stcs|int128|u?mulhi|u?mul24|u?mul64hi)"
    r"|__(?!shfl|match)[a-z0-9]+2[a-z0-9]+(?:_r[nzdu])?|__h(?:add|sub|mul|div|fma|neg|abs)2?(?:_\w+)?"
    r"|__h(?:eq|ne|lt|le|gt|ge|max|min|isnan|isinf)2?(?:_nan)?|__(?:low|high)\w*"
    r"|__f(?:add|sub|mul|div|maf|rcp|sqrt|rsqrt)_r[nzdu]|__fdividef|__saturatef|__sqrtf"
    r"|__(?:exp|exp10|log|log2|log10|sin|cos|tan|pow|sincos)f|__tanhf"
    r"|__(?:popc|clz|ffs|brev)(?:ll)?|__\w+_as_\w+|__funnelshift_\w+|__builtin_expect"
    r"|__CUDA_ARCH(?:_LIST)?__|__cplusplus|__CUDACC__|__NVCC__|__launch_bounds__"
)
_ASKS = re.compile(
    r"##|\b(?:volatile|asm|throw|try|new|delete|malloc|free|assert|abort|v?f?s?n?printf|clock\w*"
    r"|atomic\w*|\w*wmma|cooperative_groups|cub|barrier|latch|\w*semaphore|pipeline"
    r"|memcpy_async|get_sreg_\w+|emulator(?!::nearest<)\w*)\b"
)


# A compiler's fence that a function of more statements begins with: no loop asks by it again.
_FENCE = re.compile(r"(__device__[^;{}]*\)\s*\{)\s*asm\s+volatile\s*\(\s*:::\s*\)\s*;(?!\s*\})")
_BOUNDS_MACRO = re.compile(r"^[ \t]*#[ \t]*define[ \t]+\w+[ \t]+__launch_bounds__\(.*\)$", re.M)


def alone(text: str) -> bool:
    """Say whether no thread of a file's kernels asks the emulator for anything.

    Then none waits for another: no barriers, warps, shared memory, atomics, volatile reads.
    """
    code = blank_comments_and_strings(text)
    code = _FENCE.sub(r"\1", _BOUNDS_MACRO.sub("", code))
    names = set(re.findall(r"\b__\w+", code))
    return not _ASKS.search(code) and all(_ALONE.fullmatch(name) for name in names)


_DEFINE = re.compile(
    r"^[ \t]*#[ \t]*define[ \t]+(?P<name>\w+)(?:\((?P<parameters>[\w\s,]*)\))?"
    r"(?P<body>(?:[^\n]*\\\n)*[^\n]*)$",
    re.M,
)


_DIRECTIVE = re.compile(r"^[ \t]*#(?:[^\n]*\\\n)*[^\n]*$", re.M)


def shared_macros(texts: Iterable[str]) -> dict[str, tuple[list[str] | None, str]]:
    """Return macros to replace before the rest: parameters (None: it has none) and body.

    `#define S __shared__ float`, those that use them, and those that are a part of a launch,
    such as `#define ONE <<<1, 32>>>`. Not those that join words, hold a string, or are defined
    twice.
    """
    defined: dict[str, tuple[list[str] | None, str]] = {}
    twice = set()
    for code in map(blank_comments_and_strings, texts):
        for match in _DEFINE.finditer(code):
            inside = match["parameters"]
            parameters = None if inside is None else re.findall(r"\w+", inside)
            new = (parameters, " ".join(re.sub(r"\\\n", " ", match["body"]).split()))
            if defined.setdefault(match["name"], new) != new:
                twice.add(match["name"])
    found: dict[str, tuple[list[str] | None, str]] = {}
    parts = re.compile(r"<<<(?!.*>>>\s*\()|>>>")
    words = ["__shared__", *(name for name, (_, body) in defined.items() if parts.match(body))]
    found.update((name, defined[name]) for name in words[1:])
    _add_users(found, words, defined)
    return {
        name: macro
        for name, macro in found.items()
        if name not in twice and not re.search(r"[#\"']", macro[1])
    } | _ptx_macros(texts, twice)


def _add_users(found: dict, words: list[str], defined: Mapping) -> None:
    """Add the macros that use one of these words, and those that use them."""
    while words:
        uses = re.compile(rf"\b(?:{'|'.join(words)})\b")
        words = [
            name
            for name, (_, body) in defined.items()
            if name not in found and uses.search(body)
        ]
        found.update((name, defined[name]) for name in words)


_SUBSCRIPT = re.compile(r"\)\s*\[(?!\s*\[)")


def _chosen_arrays(text: str) -> str:
    """Write `(c ? a : b)[i]` as `(::emulator::chosen(c ? a : b))[i]`.

    g++ makes of it `c ? a[i] : b[i]`. With -fsanitize=shift-exponent it computes the operands
    of a division or shift in i once, for a alone: from b another element is read.
    """
    if "?" not in text:
        return text
    code, edits = blank_comments_and_strings(text), _Edits()
    for match in _SUBSCRIPT.finditer(code):
        start, end = opening(code, match.start(), "()") + 1, match.start()
        while start > 0 and (inner := code[start:end].strip()).startswith("("):
            first = start + len(code[start:end]) - len(code[start:end].lstrip())
            if closing(code, first) != first + len(inner) - 1:
                break
            start, end = first + 1, first + len(inner) - 1
        if start > 0 and _chooses(code[start:end]):
            edits.replace(start, start, "::emulator::chosen(")
            edits.replace(end, end, ")")
    return edits.apply(text)


def _chooses(code: str) -> bool:
    """Test whether an expression is `c ? a : b`, and not a part of it, or of several."""
    if len(split(code, (OPEN, CLOSE))) > 1:
        return False
    depth = 0
    for char in code:
        depth += (char in OPEN) - (char in CLOSE)
        if char == "?" and depth == 0:
            return True
    return False


_ASM = re.compile(r"\b(?:asm|__asm__)\s*(?:volatile|__volatile__)?\s*\(")
_ONLY_STRINGS = re.compile(r'\s*(?:"(?:\\.|[^"\\])*"\s*)+')


def _put_together(text: str) -> Iterator[str]:
    """Yield what stands between the brackets of each `asm` that macros give a part of."""
    code = blank_comments_and_strings(text)
    for match in _ASM.finditer(code):
        end = closing(code, match.end() - 1)
        if end > 0 and ptx.is_put_together(text[match.end() : end]):
            yield text[match.end() : end]


def _ptx_macros(texts: Iterable[str], twice: Set[str]) -> dict:
    """Return the macros, as those of `shared_macros`, that give a part of inline PTX.

    Those with an `asm` whose text or constraints are their arguments, those that use them or
    are given them, and names of strings that an `asm` is made of.
    """
    defined: dict[str, tuple[list[str] | None, str]] = {}
    for text in texts:
        for match in _DEFINE.finditer(blank_comments_and_strings(text)):
            inside, body = match["parameters"], text[match.start("body") : match.end("body")]
            parameters = None if inside is None else re.findall(r"\w+", inside)
            new = (parameters, _in_one_line(body))
            if defined.setdefault(match["name"], new) != new:
                twice = {*twice, match["name"]}
    made = [inside for text in texts for inside in _put_together(text)]
    if not made:
        return {}
    found = {
        name: macro
        for name, macro in defined.items()
        if any(_put_together(macro[1])) or _ONLY_STRINGS.fullmatch(macro[1])
    }
    used = set(re.findall(r"\w+", " ".join(made)))
    found = {name: one for name, one in found.items() if one[0] is not None or name in used}
    if not found:
        return {}
    _add_users(found, list(found), defined)
    given = re.compile(rf"\b(\w+)\s*\([^()]*\b(?:{'|'.join(found)})\b")  # to a list of uses
    for name in {name for text in texts for name in given.findall(text)} & defined.keys():
        found.setdefault(name, defined[name])
    return {name: macro for name, macro in found.items() if name not in twice}


_OF_WHOLE_GPU = re.compile(r"\bDevice|\bDoubleBuffer\b|\bFutureValue\b")


def with_few_of_cub(text: str, all_text: str) -> str:
    """Include only CUB's collectives if nothing names a function for the whole GPU.

    The names of both headers are of the same length, so that nothing moves.
    """
    if _OF_WHOLE_GPU.search(all_text):
        return text
    return text.replace("<cub/cub.cuh>", "<cub/few.cuh>")


_STRING = r"""(?P<string>"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*')"""
_COMMENT = re.compile(rf"{_STRING}|//(?:\\\n|[^\n])*|/\*.*?\*/|\\?\n", re.S)
_TOKEN = re.compile(rf"{_STRING}|(?P<names>#*)(?P<blank>[ ]*)\b(?P<word>[A-Za-z_]\w*)")


def _in_one_line(text: str) -> str:
    """Return a text without its comments and line ends."""
    return _COMMENT.sub(lambda one: one["string"] or " ", text).strip()


def _with_arguments(body: str, values: Mapping[str, str]) -> str:
    """Return a macro's body with its arguments in the places of its parameters."""

    def given(token: re.Match) -> str:
        if token["string"] or token["word"] not in values:
            return token[0]
        value = values[token["word"]]
        if token["names"] == "#":
            return '"' + re.sub(r'(["\\])', r"\\\1", value) + '"'
        return token["names"] + token["blank"] + value

    return re.sub(r"\s*##\s*", "", _TOKEN.sub(given, body))


def _expand(text: str, macros: Mapping[str, tuple[list[str] | None, str]]) -> str:
    """Replace the uses of macros, outside of preprocessor lines, by what they stand for."""
    if not macros:
        return text
    name = re.compile(rf"\b({'|'.join(macros)})\b")
    for _ in range(8):  # one may use another
        code, edits = blank_comments_and_strings(text), _Edits()
        lines = [match.span() for match in _DIRECTIVE.finditer(code)]
        for match in name.finditer(code):
            if any(begin <= match.start() < end for begin, end in lines):
                continue
            parameters, new = macros[match[1]]
            end = match.end()
            if parameters is not None:
                begin = re.compile(r"\s*\(").match(code, end)
                end = closing(code, begin.end() - 1) + 1 if begin else 0
                inside = slice(begin.end(), end - 1) if end else slice(0)
                given = _arguments(code[inside], text[inside]) if end else None
                if given is None or len(given) != max(len(parameters), 1):
                    continue
                values = dict(zip(parameters, given, strict=False))
                new = _with_arguments(new, values)
            edits.replace(match.start(), end, new + "\n" * code.count("\n", match.start(), end))
        after = edits.apply(text)
        if after == text:
            break
        text = after
    return text


def _arguments(code: str, text: str) -> list[str]:
    """Return a macro's arguments, of which the preprocessor knows round brackets only.

    code: the text in which strings and comments are blanked.
    """
    parts, depth = [""], 0
    for char, one in zip(code, text, strict=True):
        depth += (char == "(") - (char == ")")
        if char == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += one
    return [_in_one_line(part) for part in parts]


def _launches(
    text: str, code: str, edits: _Edits, on: str, file: str, second: frozenset[str] | None
) -> None:
    """Rewrite `name<T><<<grid, block>>>(args)` as `::emulator::on("name", ...)(args)`.

    second: the kernels whose second form (`abreast`) the text has; launches of others are not
    rewritten for a run.
    """
    for match in re.finditer("<<<", code):
        begin = callee(code, match.start())
        end = _end_of_configuration(code, match.end()) if begin >= 0 else -1
        if end < 0:
            continue
        called = text[begin : match.start()]
        words = re.findall(r"\w+", re.sub(r"[<\[].*", "", called, flags=re.S) or called)
        name = f'"{words[-1] if words else "kernel"}"'
        if "##" in called:  # the preprocessor makes the name
            name = f"EMULATOR_STRING({re.sub(r'<.*', '', called, flags=re.S).strip()})"
        blanks = called[len(called.rstrip(BLANK)) :]  # line ends among them stay
        how, back = on, "" if second is None else "return "
        if on == "on_alone":
            how += f"<{zlib.crc32(f'{file}:{match.start()}'.encode())}u>"
        if second is not None:
            how = how.replace(on, "abreast")
        new = (
            f"::emulator::{how}({name}, [=](const auto&... emulator_a) EMULATOR_INLINED "
            f"{{ {back}{called.rstrip(BLANK)}(emulator_a...); }}, ::emulator::Config({blanks}"
        )
        if second is not None and words[-1:] != [*second & set(words[-1:])]:
            new = f"::emulator::passed_over(::emulator::Config({blanks}"
        edits.replace(begin, match.end(), new)
        instance = _instance(called)
        edits.replace(end, end + 3, f').of("{instance}"))' if instance else "))")
        bracket = code.index("(", end)
        _braced_arguments(code, bracket, edits)
        if "<" in called or not re.search(rf"\btemplate\b[^;{{}}]*\b{words[-1]}\s*\(", code):
            _null_arguments(code, bracket, edits)


def _instance(kernel: str) -> str:
    """Return the arguments that a template is given, without blanks: "<T,256>", or ""."""
    match = re.search(r"<[\w\s,:]*>\s*$", kernel)
    return re.sub(r"\s+", "", match[0]) if match else ""


def _null_arguments(code: str, bracket: int, edits: _Edits) -> None:
    """Rewrite 0 and NULL among a launch's arguments: null, where a pointer is meant."""
    start = bracket + 1
    for part in split(code[start : closing(code, bracket)], (OPEN, CLOSE)):
        if part.strip() in ("0", "NULL"):
            begin = start + len(part) - len(part.lstrip())
            edits.replace(begin, start + len(part.rstrip()), "::emulator::Zero()")
        start += len(part) + 1


def _braced_arguments(code: str, bracket: int, edits: _Edits) -> None:
    """Rewrite `{x, y}` among the arguments of a call, which only their parameter could tell."""
    end, start = closing(code, bracket), bracket + 1
    for part in split(code[start:end], (OPEN, CLOSE)) if end > 0 else ():
        begin = start + len(part) - len(part.lstrip())
        if code[begin] == "{" and closing(code, begin) == start + len(part.rstrip()) - 1:
            edits.replace(begin, begin + 1, "::emulator::braced(")
            _braced_arguments(code, begin, edits)
            edits.replace(closing(code, begin), closing(code, begin) + 1, ")")
        start += len(part) + 1


def _at_file_scope(code: str, position: int) -> bool:
    """Say whether only namespaces and `extern "C"` enclose a position."""
    braces, outside = _scopes(code)
    return outside[bisect.bisect_left(braces, position)]


@functools.lru_cache(maxsize=8)
def _scopes(code: str) -> tuple[list[int], list[bool]]:
    """Return where braces are, and whether only namespaces enclose what is before each of them.

    The second list has one entry more: of what is behind the last brace.
    """
    braces, outside, namespaces = [], [True], []
    for match in re.finditer(r"[{}]", code):
        if match.group() == "{":
            before = code[max(0, match.start() - 200) : match.start()]
            namespaces.append(bool(re.search(r"(namespace\s*[\w:]*|extern)\s*$", before)))
        elif namespaces:
            namespaces.pop()
        braces.append(match.start())
        outside.append(all(namespaces))
    return braces, outside


def _alignment(declaration: str) -> tuple[str, str]:
    """Return a declaration without its alignas or __align__, and what stood in the brackets."""
    match = re.search(r"\b(?:alignas|__align__)\s*\(", declaration)
    if not match:
        return declaration, ""
    end = closing(declaration, match.end() - 1)
    return declaration[: match.start()] + declaration[end + 1 :], declaration[match.end() : end]


def _dynamic_shared(words: str, at_file_scope: bool) -> str | None:
    """Return the C++ for `extern __shared__ T x[]`: a pointer; None if it is not understood."""
    declared = _TYPE_END.search(words)
    if not declared:
        return None
    kind, name = words[: declared.start()].strip(), declared[1]
    if not at_file_scope:
        return f"{kind}* const {name} = ::emulator::dynamic_shared<{kind}>()"
    return (
        f"static thread_local {kind}* {name}; "
        f"static ::emulator::FileScopeShared emulator_{name}"
        f"([](void* emulator_p) {{ {name} = static_cast<{kind}*>(emulator_p); "
        f"::emulator::self->note_dynamic(sizeof({kind})); }})"
    )


def _static_shared(
    words: str, alignment: str, where: str, at_file_scope: bool = False
) -> str | None:
    """Return the C++ for `__shared__ T x[N], y`: references; None if it is not understood.

    At file scope the memory is an OS thread's: a launch's blocks that it runs come one after
    another.

    alignment: a type or a number, "" if none is declared; C++ decides which by `alignas`.
    where: the file and the position, from which each array gets a number of its own.
    """
    parts = [part.strip() for part in split(words)]
    first = _TYPE_END.search(parts[0])
    if not first or "{" in words or "=" in words:
        return None
    kind = parts[0][: first.start()].strip()
    new, bytes_ = [], "1"
    if alignment:
        new.append(f"struct emulator_a_{first[1]} {{ alignas({alignment}) char x; }}")
        bytes_ = f"alignof(emulator_a_{first[1]})"
    for part in parts:
        name, suffix = _TYPE_END.search(part).groups()
        site = zlib.crc32(f"{where}:{name}".encode())
        new.append(f"typedef {kind} emulator_t_{name}{suffix.strip()}")
        memory = f"::emulator::StaticShared<emulator_t_{name}, {bytes_}, {site}u"
        if at_file_scope:
            memory += ">"
            new.append(
                f'static thread_local auto& {name} = {memory}::of_thread("{name}"); '
                f"static ::emulator::FileScopeShared emulator_{name}"
                f'([](void*) {{ {memory}::begin_block("{name}", {name}); }}, true)'
            )
        else:
            # A local type is another one in each instance of a template, as the array is.
            new.append(f"struct emulator_s_{name}")
            shown = re.sub(r"_emulator_\d+$", "", name)  # inlined.py has made it new
            new.append(f'auto& {name} = {memory}, emulator_s_{name}>::get("{shown}")')
    return "; ".join(new)


def _encloses(code: str, position: int) -> str:
    """Return the text up to the innermost bracket, ( or {, that is open at a position."""
    depth = 0
    for at in range(position - 1, -1, -1):
        if code[at] in ")}":
            depth += 1
        elif code[at] in "({":
            if depth == 0:
                return code[max(0, at - 200) : at + 1]
            depth -= 1
    return ""


def _ignores_shared(code: str, match: re.Match) -> bool:
    """Return whether nvcc ignores a `__shared__` (its warning 1835).

    It does so of a type's name, a parameter, a function's result and a class's own member.
    """
    if "static" in match[0].split():
        return False
    around = _encloses(code, match.start())
    member = re.search(r"\b(?:struct|class|union)\b[^;{}()]*\{$", around)
    result = re.compile(r"[^;{}()=\[]*\w\s*\([^;{}]*\)\s*\{").match(code, match.end())
    return "typedef" in match[0].split() or around.endswith("(") or bool(member or result)


_OWN_TYPE = re.compile(
    r"\s*(?P<kind>struct|union|class)(?P<aligned>(?:\s+(?:alignas|__align__)\s*\([^()]*\))*)"
    r"\s*(?P<name>\w*)\s*\{"
)


def _shared_of_own_type(
    code: str, file: str, edits: _Edits, match: re.Match, found: re.Match
) -> None:
    """Rewrite `__shared__ union {...} x;`: a type of its own, then the variable.

    What is not understood is left to the macro `__shared__`.
    """
    begin, close = match.start(), closing(code, found.end() - 1)
    end = code.find(";", close)
    declared = code[close + 1 : end].split() if close > 0 else []
    if not declared or end < 0 or code[begin : match.end()].split() != ["__shared__"]:
        return
    variable = re.split(r"\W", declared[0])[0]
    name = found["name"] or f"emulator_u_{variable}"
    new = _static_shared(
        f"{name} {' '.join(declared)}", "", f"{file}:{begin}", _at_file_scope(code, begin)
    )
    if new:
        lines = code.count("\n", begin, found.end())
        head = f"{found['kind']}{found['aligned']} {name} {{"
        edits.replace(begin, found.end(), head + "\n" * lines)
        lines = code.count("\n", close, end)
        edits.replace(close + 1, end, f"; {new}" + "\n" * lines)


def _statement(code: str, position: int) -> str:
    """Return what stands before a position, behind the last `;` or brace."""
    return code[max(code.rfind(sign, 0, position) for sign in ";{}") + 1 : position]


def _shared(code: str, file: str, edits: _Edits) -> None:
    """Rewrite `__shared__` variables: references to the block's memory, or a pointer to it.

    What is not understood is left to the macro `__shared__`.
    """
    for match in _SHARED.finditer(code):
        begin, end = match.start(), code.find(";", match.end())
        line = code[code.rfind("\n", 0, begin) + 1 : begin]
        if line.lstrip().startswith("#"):
            continue
        if own_type := _OWN_TYPE.match(code, match.end()):
            _shared_of_own_type(code, file, edits, match, own_type)
            continue
        if _ignores_shared(code, match):
            edits.replace(match.start(1), match.end(1), "")
            continue
        if end < 0 or re.search(r"\btemplate\s*<[^;{}]*>\s*$", _statement(code, begin)):
            continue
        declaration, alignment = _alignment(code[begin:end])
        words = re.sub(r"\b(extern|static|__shared__)\b", " ", declaration)
        words = " ".join(words.split())
        # With a length, `extern` changes nothing (nvcc's warning 20044).
        if re.search(r"\bextern\b", code[begin:end]) and not re.search(r"\[\s*[^\s\]]", words):
            new = _dynamic_shared(words, _at_file_scope(code, begin))
        else:
            where = f"{file}:{begin}"
            new = _static_shared(words, alignment, where, _at_file_scope(code, begin))
        if new:
            edits.replace(begin, end, new + "\n" * code.count("\n", begin, end))


def _inline_ptx(text: str, code: str, edits: _Edits) -> None:
    """Rewrite common instructions as C++, and other PTX as an error that says so.

    An empty `asm("")` stays: it is a compiler's fence.
    """
    for match in re.finditer(r"\b(?:asm|__asm__)\s*(?:volatile|__volatile__)?\s*\(", code):
        end = closing(code, match.end() - 1)
        if end < 0:
            continue
        inside = text[match.end() : end]
        if re.match(r'\s*""\s*(:|$)', inside):
            continue
        new = ptx.translate(inside)
        if new and ptx.ends_thread(inside):
            new = _end_of_thread(code, match.start(), new)
        if new is None or ptx.lacks_semicolon(inside):
            words = NO_SEMICOLON if ptx.lacks_semicolon(inside) else NO_PTX
            words = OF_MACROS if ptx.is_put_together(inside) else words
            new = f'static_assert(false, "{words}")'
        else:
            new = new.replace("do {", f"do {{ {ptx.constraints(inside)}", 1)
        edits.replace(match.start(), end + 1, new + "\n" * code.count("\n", match.start(), end))


def _kernels(code: str) -> Iterator[tuple[int, int]]:
    """Yield where the bodies of kernels begin and end."""
    for match in re.finditer(r"\b__global__\b", code):
        begin = _body(code, match.end())
        end = closing(code, begin) if begin > 0 else -1
        if end > 0:
            yield begin, end


def _end_of_thread(code: str, position: int, new: str) -> str:
    """Return the C++ of an `asm` with PTX's `exit`: a return; in a function it is thrown."""
    ends = "throw ::emulator::Exit();"
    if any(begin < position < end for begin, end in _kernels(code)):
        ends = "{ ::emulator::return_early(); return; }"
    return re.sub(r"\breturn;", ends, new)


def ends_threads(text: str) -> bool:
    """Say whether a function that is no kernel has an `asm` with PTX's `exit`."""
    return "exit" in text and _ends_threads(text, blank_comments_and_strings(text))


def _ends_threads(text: str, code: str) -> bool:
    inside = [*_kernels(code)]
    for match in re.finditer(r"\b(?:asm|__asm__)\s*(?:volatile|__volatile__)?\s*\(", code):
        end = closing(code, match.end() - 1)
        in_kernel = any(first < match.start() < last for first, last in inside)
        if end > 0 and not in_kernel and ptx.ends_thread(text[match.end() : end]):
            return True
    return False


def _ends_of_threads(text: str, code: str, edits: _Edits) -> None:
    """Let kernels catch what a function throws to end its thread."""
    if _ends_threads(text, code):
        for begin, end in _kernels(code):
            edits.replace(begin + 1, begin + 1, " try { ")
            caught = " } catch (const ::emulator::Exit&) { ::emulator::return_early(); } "
            edits.replace(end, end, caught)


def _line_directive(code: str, position: int) -> str:
    """Return a `#line` after which the text goes on as the line that `position` is on."""
    return f"#line {code.count(chr(10), 0, position) + 1}\n"


def _launchers(code: str, edits: _Edits) -> None:
    """Make an `extern "C"` function catch exceptions and signals of its own code."""
    for head in launcher_heads(code):
        close = closing(code, head.end - 1)
        brace = function_body(code, close) if close > 0 else -1
        if brace < 0:
            continue
        end = closing(code, brace)
        if end < 0:
            continue
        name, leave = head.name, "return;" if head.returns == "void" else "return {};"
        entry = f"try {{ EMULATOR_LAUNCHER({name}, {leave})"
        back = ""
        if "__CUDA_ARCH__" in code[brace:end]:  # which is not defined in host code
            entry += f"\n#undef __CUDA_ARCH__\n{_line_directive(code, brace + 1)}"
            back = f"\n#define __CUDA_ARCH__ {CUDA_ARCH}\n{_line_directive(code, end)}"
        edits.replace(brace, brace + 1, entry)
        caught = back + (
            f"}} catch (...) {{ ::emulator::launcher_threw(EMULATOR_STRING({name})); {leave} }}"
        )
        edits.replace(end, end + 1, caught)


def _second_forms(text: str, linkage: str, edits: _Edits, second: frozenset[str]) -> None:
    """Write kernels in their second form, and launchers as functions that nobody can call."""
    for match in re.finditer(r'\bextern\s*"C"', linkage):
        block = re.match(r"\s*\{", linkage[match.end() :])
        edits.replace(match.start(), match.end(), "namespace" if block else "")
    for edit in abreast.second_forms(text, second):
        edits.replace(*edit)


_CHECK = "{{ ::emulator::check_launch_bounds({});"
_ASK = (
    "{{ if (!::emulator::keeps_bounds({}, blockDim)) return ::emulator::kRefused;"  # `abreast`
)


def _launch_bounds(code: str, edits: _Edits, check: str) -> None:
    """Let a kernel with __launch_bounds__(n) refuse a launch with more threads a block."""
    for match in re.finditer(r"\b__launch_bounds__\s*\(", code):
        line = code[code.rfind("\n", 0, match.start()) + 1 : match.start()]
        if line.lstrip().startswith("#"):  # a macro's: the next function is not its kernel
            continue
        end = closing(code, match.end() - 1)
        bound = split(code[match.end() : end])[0].strip() if end > 0 else ""
        body = _body(code, end + 1) if bound else -1
        if body > 0:
            edits.replace(body, body + 1, check.format(bound))


# Functions of the runtime that depend on launch bounds; the kernel's place among the arguments.
_ASKS_BOUNDS = {
    "cudaFuncGetAttributes": 1,
    "cudaOccupancyMaxPotentialBlockSize": 2,
    "cudaOccupancyMaxPotentialBlockSizeWithFlags": 2,
    "cudaOccupancyMaxPotentialBlockSizeVariableSMem": 2,
    "cudaOccupancyMaxPotentialBlockSizeVariableSMemWithFlags": 2,
    "cudaOccupancyMaxActiveBlocksPerMultiprocessor": 1,
    "cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags": 1,
}


def _asked_bounds(code: str, edits: _Edits) -> None:
    """Before a call that asks for a kernel's limits, ask the kernel for its launch bounds."""
    calls = list(re.finditer(rf"(?<![\w:.])(?:{'|'.join(_ASKS_BOUNDS)})\s*\(", code))
    bounded = _bounded_kernels(code) if calls else set()
    for match in calls:
        end = closing(code, match.end() - 1)
        given = split(code[match.end() : end]) if end > 0 else []
        place = _ASKS_BOUNDS[match.group().rstrip("( \t\n")]
        kernel = " ".join(_KERNEL_CAST.sub("", given[place]).split()) if given[place:] else ""
        if name := re.match(r"&?\s*(?:\w+\s*::\s*)*(\w+)\s*(?:<.*>)?$", kernel):
            if name[1] in bounded:
                edits.replace(
                    match.start(), match.start(), f"(::emulator::ask_bound({kernel}), "
                )
                edits.replace(end, end + 1, "))")


def _bounded_kernels(code: str) -> set[str]:
    """Return the names of kernels that have launch bounds wherever a body is written."""
    bounded, others = set(), set()
    for match in re.finditer(r"\b__global__\b", code):
        body = _body(code, match.end())
        start = max(code.rfind(one, 0, match.start()) for one in ";{}") + 1
        head = code[start:body] if body > 0 else ""
        has = re.search(r"\b__launch_bounds__\s*\(", head)
        plain = re.sub(r"\b__launch_bounds__\s*\((?:[^()]|\([^()]*\))*\)", " ", head)
        if name := re.search(r"(\w+)\s*\(", plain[plain.find("__global__") :]):
            (bounded if has else others).add(name[1])
    return bounded - others


def _body(code: str, position: int) -> int:
    """Return where the body of the function whose head goes on at `position` opens, or -1."""
    while parameters := re.compile(r"[^(;{}]*?(\w+)\s*\(").match(code, position):
        end = closing(code, parameters.end() - 1)
        if end < 0:
            return -1
        if opened := re.compile(r"\s*\{").match(code, end + 1):
            return opened.end() - 1
        position = end + 1  # these were an attribute's brackets
    return -1


_BUILT_IN = {
    "threadIdx": "const auto& threadIdx = *::emulator::thread_index();",
    "blockIdx": "const auto& blockIdx = *::emulator::block_index();",
    "blockDim": "const auto& blockDim = *::emulator::block_size();",
    "gridDim": "const auto& gridDim = *::emulator::grid_size();",
}
# Where no thread asks the emulator for anything: in registers, as no write can change them.
_COPIED = {
    "threadIdx": "const uint3 threadIdx = *::emulator::thread_index();",
    "blockIdx": "const uint3 blockIdx = ::emulator::fixed_block();",
    "blockDim": "const dim3 blockDim = ::emulator::fixed_size();",
    "gridDim": "const dim3 gridDim = ::emulator::fixed_grid();",
}


def _device_code(code: str, edits: _Edits, traced: bool) -> None:
    """Align a thread's arrays; tell the tracer those in local memory, and loops' lengths."""
    heads = [match.end() for match in re.finditer(r"\b__(?:global|device)__\b", code)]
    for body, head in {_body(code, head): head for head in heads}.items():
        end = closing(code, body) if body > 0 else -1
        if end < 0 or "constexpr" in code[head:body]:
            continue
        for position, words in local_arrays.alignments(code, body, end):
            edits.replace(position, position, words)
        if not traced:
            continue
        for position, name in local_arrays.in_local_memory(code, body, end):
            edits.replace(position, position, f" EMULATOR_LOCAL({name});")
        for loop in counted_loops(code, body, end):
            edits.replace(loop.at, loop.at, f" {loop.hook}")


def _structs(code: str, edits: _Edits) -> None:
    """Tell the tracer how the structs at file scope are aligned."""
    vectors = str(copied_structs.uses_vectors(code)).lower()
    for position, name in copied_structs.declared(code):
        if _at_file_scope(code, position):
            edits.replace(position, position, f" EMULATOR_STRUCT({name}, {vectors})")


_BARRIER = re.compile(r"\b(?:__syncthreads\w*|__barrier_sync\w*|sync)\s*\(")


def _early_returns(code: str, edits: _Edits) -> None:
    """Note a kernel's returns that have a barrier behind them: it does not wait for these."""
    if not _BARRIER.search(code):
        return
    with_barrier, kernels = [], []
    for match in re.finditer(r"\b__(global|device)__\b", code):
        body = _body(code, match.end())
        end = closing(code, body) if body > 0 else -1
        if end < 0:
            continue
        if match[1] == "global":
            kernels.append((body, end))
        elif _BARRIER.search(code, body, end):
            with_barrier += re.findall(r"(\w+)\s*\(", code[match.end() : body])[:1]
    words = [_BARRIER.pattern, *(rf"\b{name}\s*[(<]" for name in with_barrier)]
    barrier = re.compile("|".join(words))
    for body, end in kernels:
        for match in re.compile(r"\breturn\s*;").finditer(code, body, end):
            if barrier.search(code, match.end(), end):
                new = "{ ::emulator::return_early(); return; }" + "\n" * match[0].count("\n")
                edits.replace(match.start(), match.end(), new)


_NESTED_FUNCTION = re.compile(r"\]\s*[({_]|\b(?:struct|class|union)\b")


def _built_in_variables(
    code: str, edits: _Edits, by_itself: bool, second: frozenset[str] | None
) -> None:
    """Let a function ask once where its thread is: each access to the variable is a call.

    A function with others inside, which cannot use its references, is left as it is. In its
    second form a kernel is given them.
    """
    macros = " ".join(re.findall(r"^[ \t]*#[ \t]*define\b(?:.*\\\n)*.*", code, flags=re.M))
    heads = [(match.end(), match[1]) for match in re.finditer(r"\b__(global|device)__\b", code)]
    for body, (head, kind) in {_body(code, head[0]): head for head in heads}.items():
        end = closing(code, body) if body > 0 else -1
        if end < 0 or _NESTED_FUNCTION.search(code, body, end):
            continue
        words = set(re.findall(r"\w+", code[body:end] + macros))
        words -= set(re.findall(r"\w+", code[head:body]))
        if second is not None and kind == "global":
            continue
        for name, declared in (_COPIED if by_itself else _BUILT_IN).items():
            if name in words:
                edits.replace(body + 1, body + 1, f" [[maybe_unused]] {declared} ")


_BYTES = re.compile(r"(?<![\w.>:])((?:std\s*::\s*|::\s*)?mem(?:cpy|move|set))(?=\s*\()")


def _extern_variables(linkage: str, edits: _Edits) -> None:
    """Make extern variables of the device definitions, as nvcc does (its warning 20044)."""
    spaces = r"__(?:device|constant|managed)__"
    for match in re.finditer(rf"\bextern\b(?=\s+(?:const\s+)?{spaces})", linkage):
        edits.replace(match.start(), match.end(), "")
    for match in re.finditer(rf"\b{spaces}\s+(extern)\b(?!\s*\")", linkage):
        edits.replace(match.start(1), match.end(1), "")


def _asked_for_lanes(code: str, edits: _Edits) -> None:
    """Tell several `__activemask()` of one line apart: lanes at one are not at the other."""
    for line in re.finditer(r".+", code):
        each = re.finditer(r"\b(?:__activemask|coalesced_threads)\s*\(\s*(?=\))", line[0])
        for count, match in enumerate(each):
            if count:
                at = line.start() + match.end()
                edits.replace(at, at, f"__LINE__ + ({count} << 24)")


def _new_objects(code: str, edits: _Edits) -> None:
    """Let `new T` in a kernel take memory of the kernels' heap; `new (place) T` stays."""
    if re.search(r"\boperator\s+new\b", code):  # of a class of the learner's
        return
    for match in re.finditer(r"\bnew\b(?=\s+[A-Za-z_:])", code):
        edits.replace(match.end(), match.end(), " (::emulator::ByLearner())")


def _words(code: str, edits: _Edits) -> None:
    """Rewrite single words: printf, memcpy, __noinline__."""
    for call in _BYTES.finditer(code):  # of which g++ does not tell the tracer
        hook = "FILLED" if call[1].endswith("memset") else "MOVED"
        edits.replace(call.start(1), call.end(1), f"EMULATOR_{hook}({call[1]})")
    for match in re.finditer(r"(?<![\w.:>])(?:::\s*|std\s*::\s*)?printf\s*(?=\()", code):
        edits.replace(match.start(), match.end(), "::emulator::print")
    # nvcc takes it behind the name of a type that is no pointer; g++ does not.
    for match in re.finditer(r"(?<=\w)(\s+)__restrict__(?=\s+\w)", code):
        edits.replace(match.end(1), match.end(), "")
    # Those macros say inline, or static, too.
    for match in re.finditer(r"\binline\b(?=\s+(?:__global__|__forceinline__)\b)", code):
        edits.replace(match.start(), match.end(), "")
    for match in re.finditer(
        r"\b__(?:global|forceinline)__(?=\s+__(?:global|forceinline)__\b)"
        r"|\bstatic\b(?=(?:\s+(?:const|__device__))*\s+__constant__\b)",
        code,
    ):
        edits.replace(match.start(), match.end(), "\n" * match[0].count("\n"))
    for match in re.finditer(r"\b__constant__(?:\s+(?:const|__device__))*\s+(static)\b", code):
        edits.replace(match.start(1), match.end(1), "")
    for match in re.finditer(r"\b__constant__\b", code) if "__isConstant" in code else ():
        edits.replace(match.start(), match.end(), "EMULATOR_CONSTANT")
    # An explicit instantiation must not be `inline`, as those macros are.
    for match in re.finditer(r"(?<=\btemplate)\s+__(?:global|device|host)__(?=\s)", code):
        edits.replace(match.start(), match.end(), "")
    # No macro can do this one: the C++ library uses the word itself, as an attribute.
    for match in re.finditer(r"(?<!\(\()\b__noinline__\b", code):
        edits.replace(match.start(), match.end(), "__attribute__((noinline))")


_KERNEL_CAST = re.compile(
    r"\(\s*(?:const\s+)?void\s*(?:const\s*)?\*\s*\)"
    r"|\b(?:reinterpret|static)_cast\s*<\s*(?:const\s+)?void\s*(?:const\s*)?\*\s*>"
)
_TAKES_KERNEL = {
    "cudaFuncSetAttribute": "emulator_set_attribute",
    "cudaLaunchKernel": "emulator_launch_kernel",
    "cudaLaunchCooperativeKernel": "emulator_launch_cooperative",
}


def _kernel_arguments(code: str, edits: _Edits) -> None:
    """Rewrite calls whose first argument is a kernel, cast to void*: give its name, uncast."""
    for match in re.finditer(rf"\b(?:{'|'.join(_TAKES_KERNEL)})\s*\(", code):
        end = closing(code, match.end() - 1)
        first = split(code[match.end() : end])[0]
        kernel = _KERNEL_CAST.sub("", first).strip().lstrip("&")
        names = re.findall(r"\w+", re.sub(r"<.*", "", kernel, flags=re.S))
        if end < 0 or not names:
            continue
        function = _TAKES_KERNEL[match.group().rstrip("( \t\n")]
        name, given = f'"{names[-1]}"', f", {' '.join(kernel.split())}"
        if function == "emulator_set_attribute":
            name, given = f'"{names[-1]}{_instance(kernel)}"', ""
            is_kept = "<" not in kernel and names[-1] not in _kernel_names(code)
            if is_kept and _BY_ADDRESS.search(code):
                name = f"::emulator::name_of_kernel({name}, {' '.join(kernel.split())})"
        new = f"{function}({name}" + "\n" * first.count("\n") + given
        edits.replace(match.start(), match.end() + len(first), new)


_ARGUMENTS = r"<(?:[^<>(){};]|<(?:[^<>(){};]|<[^<>(){};]*>)*>)*>"  # of a template
_BY_ADDRESS = re.compile(
    r"\bcuda(?:KernelNodeParams|LaunchKernel|LaunchKernelExC|LaunchCooperativeKernel"
    r"|FuncGetName|GetFuncBySymbol|GetKernel)\b"
)


_WITH_NUMBERS = re.compile(r"\b__\w+__\s*\((?:[^()]|\([^()]*\))*\)")  # __launch_bounds__(256)


def _kernel_names(code: str) -> list[str]:
    """Return the names of the kernels that a text declares."""
    plain = _WITH_NUMBERS.sub(" ", code)
    return re.findall(r"\b__global__\b[^;{]*?\b(\w+)\s*\(", plain)


def _kernels_by_address(code: str, edits: _Edits) -> None:
    """Rewrite `(void*)kernel<T>`, which may be kept: the runtime is told what it is."""
    if not _BY_ADDRESS.search(code):
        return
    kernels = "|".join(_kernel_names(code))
    takes = re.compile(rf"\b(?:{'|'.join(_TAKES_KERNEL)})\s*\(\s*$")
    name = rf"\(?\s*&?\s*(?P<name>{kernels})\b(?:\s*{_ARGUMENTS})?\s*\)?"
    for match in re.finditer(rf"(?:{_KERNEL_CAST.pattern})\s*{name}", code):
        if kernels and not takes.search(code, 0, match.start()):
            kernel = _KERNEL_CAST.sub("", match[0]).replace("&", "")
            new = f'::emulator::kernel_by_address("{match["name"]}", {kernel})'
            edits.replace(match.start(), match.end(), new)


def _launches_by_configuration(code: str, edits: _Edits) -> None:
    """Rewrite `cudaLaunchKernelEx(&config, kernel, ...)`: give it the kernel's name."""
    for match in re.finditer(r"\bcudaLaunchKernelEx\s*\(", code):
        end = closing(code, match.end() - 1)
        given = split(code[match.end() : end]) if end > 0 else []
        names = (
            re.findall(r"\w+", re.sub(r"<.*", "", given[1], flags=re.S)) if given[1:] else []
        )
        if names:
            edits.replace(match.start(), match.end(), f'emulator_launch_ex("{names[-1]}", ')


def translate(
    text: str,
    file: str,
    include: Callable[[str], str] = str,
    *,
    together: bool = True,
    by_itself: bool = False,
    macros: Mapping[str, tuple[list[str] | None, str]] | None = None,
    second: frozenset[str] | None = None,
) -> str:
    """Translate a CUDA source text into C++ for g++.

    file: the name that errors and faults show. include: gives the new name of a local header.
    together: one thread may compute a loop of shuffles for its warp (`shuffle_loops`).
    by_itself: the file, and each that it includes, is `alone`. macros: the `shared_macros` of
    the file and all that it includes; by default, of the file. second: the kernels to write in
    their second form (`abreast`): then launchers only say which kernels they launch.
    """
    text = _expand(text, shared_macros([text]) if macros is None else macros)
    text = _chosen_arrays(text)
    linkage = blank_comments_and_strings(text)
    code = linkage.replace('"C"', "   ")
    edits = _Edits()
    captures = "cudaStreamBeginCapture" in code
    _launches(
        text,
        code,
        edits,
        "recordable" if captures else "on_alone" if by_itself else "on",
        file,
        second,
    )
    _shared(code, file, edits)
    _inline_ptx(text, code, edits)
    _ends_of_threads(text, code, edits)
    if second is None:
        _launchers(linkage, edits)
    else:
        _second_forms(text, linkage, edits, second)
    _launch_bounds(code, edits, _CHECK if second is None else _ASK)
    if second is None:
        _asked_bounds(code, edits)
    _built_in_variables(code, edits, by_itself, second)
    _device_code(code, edits, traced=second is None)
    _structs(code, edits)
    _early_returns(code, edits)
    _extern_variables(linkage, edits)
    _new_objects(code, edits)
    _words(code, edits)
    _asked_for_lanes(code, edits)
    _kernel_arguments(code, edits)
    _launches_by_configuration(code, edits)
    _kernels_by_address(code, edits)
    for start, end in host_addresses(code):
        edits.replace(start, end, f"::emulator::of_host({code[start:end]})")
    if together:
        for edit in shuffle_loops.rewrite(code):
            edits.replace(*edit)
    for match in local_includes(text):
        edits.replace(match.start(1), match.end(1), include(match[1]))
    quoted = file.replace("\\", "\\\\").replace('"', '\\"')
    return f'#line 1 "{quoted}"\n' + edits.apply(text)
