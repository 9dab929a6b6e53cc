"""Find kernels whose threads can run abreast: eight and more of them by each instruction.

The compiler does so with a loop over the threads of a block, where nothing in it looks at one
thread alone: no check of an access's alignment, no note of which thread runs, no `if (i < n)`.
Such a kernel

    __global__ void k(float* x, int n) {    has   uint64_t k(threadIdx, turn, float* x, int n) {
        const int i = ... threadIdx.x;      a         const int i = ... threadIdx.x;
        if (i < n) x[i] *= 2;               second    if (turn is ask) return i < n ? kYes : 0;
    }                                       form      x[i] *= 2; return 0; }

which is asked for each thread of a block, and then run for them if all said yes. Any other
block runs as the kernel is written, and one with a fault does so from its start, which names
the thread. (include/emulator_second_form.h)

A kernel may also be a loop that goes on by as many elements as the launch has threads,
`for (int i = ...; i < n; i += blockDim.x * gridDim.x)`. Its threads are asked for each round,
and run it together: the first of all, then the second of all. When one says no, each of them
runs what is left for it, one after another. On a GPU the order is as open. Nothing may go from
one round to the next but the loop's own variable: all else is constant in the loop's body.

What is not understood has no second form. A pointer's alignment is looked at where it is given
to the kernel, or made of another: by a declaration that is asked, by what accesses it at once,
or of a variable, of which the compiler must know it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from helpers.emulator.brackets import closing, split
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
_WORDS = r"(?:__launch_bounds__\s*\((?:[^()]|\([^()]*\))*\)|[^(;{}])*?"
_HEAD = re.compile(rf"{_WORDS}\b(void)\b{_WORDS}\b(?!__launch_bounds__)(\w+)\s*\(")
_NAMED = re.compile(
    rf"{_WORDS}\b(?!__launch_bounds__|operator\b)(\w+)\s*\(|{_WORDS}\boperator\s*\(\s*\)\s*\("
)
_OPENED = re.compile(r"\s*(?:(?:const|noexcept)\b\s*|->[\w:<>,\s*&]+)*\{")
_NESTED = re.compile(r"\]\s*(?:\(|\{|mutable\b|__)|\b(?:struct|class)\b")
_MACRO = re.compile(r"^[ \t]*#[ \t]*define\b(?:.*\\\n)*.*", re.M)
# A compiler's, with its strings blanked: no thread is beside another one there.
_FENCE = re.compile(r"\basm\s+volatile\s*\(\s*:::\s*\)\s*;")
_VECTOR = re.compile(
    r"\b(?:u?(?:char|short|int|long|longlong)|float|double|(?:__)?half|__nv_bfloat16)[234]\b"
)
_BUILT_IN = re.compile(r"\b(?:threadIdx|blockIdx|blockDim|gridDim)\b")
_TYPE = (
    r"(?:(?:const|constexpr|unsigned|signed|long|short)\s+)*[\w:]+(?:\s*<[\w\s,]*>)?"
    r"(?:\s+const)?"
)
_DECLARED = re.compile(
    rf"\s*(?P<type>{_TYPE})(?:\s*\*\s*(?:const\s+)?|\s+)(?P<name>\w+)"
    r"\s*=\s*(?P<value>(?:[^;{}]|\{[^;{}]*\})*);"
)
_TOLD = re.compile(r"\s*(?:(?:using|typedef)\b[^;{}]*|static_assert\s*\([^;{}]*\)\s*);")
_IF = re.compile(r"\s*if\s*(?=\()")
_GIVEN = (
    "const uint3 threadIdx, const uint3 blockIdx, const dim3 blockDim, const dim3 gridDim, "
    "const ::emulator::Turn emulator_turn"
)
_LEAVES = re.compile(r"\s*(?:return\s*;|\{\s*return\s*;\s*\})")
_TYPES = "int|unsigned|long|size_t|int64_t|uint64_t|int32_t|uint32_t|static_cast"
_CALL = re.compile(rf"\b(?!(?:{_TYPES})\b)\w+\s*\(|>\s*\(")
_CAST = re.compile(r"\bstatic_cast\s*<[\w\s:]+>")
_ASKED = re.compile(r"reinterpret_cast\s*<[^()=;]*\*\s*>\s*\(\s*\w+\s*\)\s*")
_WIDE = (
    r"(?:auto|(?:unsigned\s+)?int|unsigned|u?int(?:32|64)_t|size_t"
    r"|(?:unsigned\s+)?long(?:\s+long)?(?:\s+int)?)"
)


def _in_grid(axis: str) -> str:
    block = f"blockIdx\\.{axis}"
    cast = rf"static_cast\s*<[\w\s:]+>\s*\({block}\)|\(\w+\)\s*{block}|\w+\s*[({{]{block}[)}}]"
    block = f"(?:{block}|{cast})"
    first = rf"(?:{block}\s*\*\s*blockDim\.{axis}|blockDim\.{axis}\s*\*\s*{block})"
    thread = f"threadIdx\\.{axis}"
    return rf"\(?(?:{first}\s*\+\s*{thread}|{thread}\s*\+\s*{first})\s*\)?"


_IN_GRID = re.compile("|".join(map(_in_grid, "xyz")))
_LOOP = re.compile(r"(?:\s*#[ \t]*pragma[^\n]*\n)*\s*(for|while)\s*(?=\()")
_STARTS = re.compile(
    rf"\s*(?:const\s+)?(?P<type>{_WIDE})\s+(?P<name>\w+)\s*=(?P<value>.*)", re.S
)
_ADDS = r"\s*{name}\s*(?:\+=(?P<step>.*)|=\s*{name}\s*\+(?P<other>.*))"
_CALLED = re.compile(rf"(?!(?:{_TYPES})\b)(\w+)\s*\(\s*(\w+(?:\s*,\s*\w+)*)\s*\)")
_TURN = "emulator_turn.kind == ::emulator::Turn::"
_CHANGES = (
    r"(?:\+\+|--|(?<!&)&(?!&))\s*{name}\b(?!\s*\[)"
    r"|\b{name}\s*(?:\+\+|--|(?:[-+*/%&|^]|<<|>>)?=(?!=))"
)
# What reads memory, changes something or is not known: no part of an `if` that is asked apart.
_IMPURE = re.compile(r"\[|->|\+\+|--|(?<![=!<>])=(?!=)|(?:^|[-+/%(<>=,&|?:!])\s*[*&](?!&)")


@dataclass(frozen=True)
class Kernel:
    """A kernel, and what to replace in its text for its second form."""

    name: str
    edits: tuple[tuple[int, int, str], ...]


@dataclass
class _Begin:
    """What stands at the start of a kernel, up to a place."""

    at: int
    edits: list[tuple[int, int, str]] = field(default_factory=list)
    declared: dict[str, str] = field(default_factory=dict)
    index: dict[str, str] = field(default_factory=dict)  # of these, integers that are wide
    alike: bool = True  # what is asked of pointers, all threads answer alike


@dataclass(frozen=True)
class _Loop:
    """A loop over elements, of which the threads of a block run a round at a time."""

    begin: int
    body: int
    end: int  # behind the body
    type: str
    name: str
    first: str
    condition: str
    step: str
    edits: tuple[tuple[int, int, str], ...] = ()


def _pure(expression: str, macros: frozenset[str] = frozenset()) -> bool:
    plain = _CAST.sub("int", expression).replace("&&", "||")
    words = re.findall(r"\w+", plain) if macros else ()
    return (
        not _IMPURE.search(plain.strip())
        and not _CALL.search(plain)
        and macros.isdisjoint(words)
    )


def _uniform(expression: str, declared: Mapping[str, str]) -> bool:
    """Say whether an expression has the same value for all threads of a block."""
    words = set(re.findall(r"(?<!\.)\b\w+", expression))  # no members: float x = pack.x
    if "threadIdx" in words:
        return False
    known = words & set(declared)
    others = {name: value for name, value in declared.items() if name not in known}
    return all(_uniform(declared[word], others) for word in known)


def _between(asked: str, index: Mapping[str, str], declared: Mapping[str, str]) -> str:
    """Return what adds to an answer that those of two threads speak for all between them.

    So it is for `i < n`: the i of these is that of the thread in the grid, without a wrap.
    index: names, and what they begin with. declared: all names of which a value is known.
    """
    leaves = asked.startswith("!")
    asked = asked.strip().lstrip("!").strip()
    if asked.startswith("(") and closing(asked, 0) == len(asked) - 1:
        asked = asked[1:-1]
    for part in asked.split("||" if leaves else "&&"):
        compared = re.fullmatch(
            rf"[\s(]*(\w+)\s*{'>' if leaves else '<'}=?([\w\s.()*/+-]+)", part
        )
        of_thread = compared and _IN_GRID.fullmatch(index.get(compared[1], "").strip())
        if not _uniform(compared[2] if of_thread else part, declared):
            return ""
    return " | ::emulator::kBetween"


def _statement_end(code: str, at: int, end: int) -> int:
    """Return where the statement ends that begins at a place, or -1."""
    at = re.compile(r"(?:\s*#[ \t]*pragma[^\n]*\n)*\s*").match(code, at, end).end()
    if code[at] == "{":
        return closing(code, at) + 1 or -1
    head = re.compile(r"(for|if)\s*(?:constexpr\s*)?(?=\()").match(code, at, end)
    if not head:
        return (
            -1
            if re.compile(r"\w+\s*\(.*\)\s*\{").match(code, at)
            else code.find(";", at, end) + 1 or -1
        )
    close = closing(code, head.end())
    last = _statement_end(code, close + 1, end) if close > 0 else -1
    other = (
        re.compile(r"\s*else\b").match(code, last, end)
        if last > 0 and head[1] == "if"
        else None
    )
    return _statement_end(code, other.end(), end) if other else last


def _main_loop(
    code: str, at: int, end: int, declared: Mapping[str, str], parameters: list[str]
) -> _Loop | None:
    """Return the loop at a place, if it goes on by as many elements as the launch has threads.

    Its rounds depend on nothing that one of them changes: it can go on behind any of them.
    """
    found = _LOOP.match(code, at, end)
    close = closing(code, found.end()) if found else -1
    if close < 0:
        return None
    last = _statement_end(code, close + 1, end)
    head, body = code[found.end() + 1 : close], code[close + 1 : last]
    edits: list[tuple[int, int, str]] = []
    if last < 0 or re.search(r"\b(?:break|return)\b", body):
        return None
    if found[1] == "for":
        parts = head.split(";")
        starts = _STARTS.fullmatch(parts[0]) if len(parts) == 3 else None
        if not starts:
            return None
        kind, name, first, condition, adds = *starts.groups(), parts[1], parts[2]
    else:
        final = re.search(r";\s*((\w+)[^;{}]*);\s*\}\s*$", body)
        if not final or final[2] not in declared or re.search(r"\bcontinue\b", body):
            return None
        name = first = final[2]
        if re.search(rf"\b{name}\b", code[last:end]):
            return None
        kind, condition, adds = "auto", head, final[1]
        edits.append((close + 1 + final.start(1), close + 1 + final.end(1), ""))
        body = body[: final.start(1)]
    added = re.fullmatch(_ADDS.format(name=name), adds, re.S)
    step = (added["step"] or added["other"]).strip() if added else ""
    if not step or re.search(rf"\b{name}\b", step) or not _of_the_launch(step, declared):
        return None
    if "," in re.sub(r"<[^<>]*>", "", first + condition + step):
        return None
    if not all(map(_pure, (first, condition, step))):
        return None
    kept = {name, *declared, *parameters}
    if any(re.search(_CHANGES.format(name=each), body) for each in kept):
        return None
    if kind == "auto":
        kind = f"std::decay_t<decltype({first})>"
    start = found.start(1)
    return _Loop(start, close + 1, last, kind, name, first, condition, step, tuple(edits))


def _of_the_launch(step: str, declared: Mapping[str, str]) -> bool:
    words = set(re.findall(r"\w+", step))
    if words & {"gridDim", "blockDim"}:
        return True
    return any(_of_the_launch(declared[word], declared) for word in words & set(declared))


def _with_loop(
    code: str, at: int, end: int, loop: _Loop, flags: str
) -> list[tuple[int, int, str]]:
    """Return the replacements of a loop, and of what stands before it from a place on."""
    given = f"({loop.first}, {loop.step}, emulator_turn)"
    rounds = f"::emulator::Rounds<{loop.type}> emulator_rounds{given}"
    here = f"const {loop.type} {loop.name} = emulator_rounds.at;"
    flags += " | ::emulator::kLoop"
    if code[loop.end : end].strip():
        flags += " | ::emulator::kMore"
    ask = (
        f" if ({_TURN}ask) {{ const {rounds}; {here} "
        f"return (emulator_aligned ? emulator_rounds.answer({loop.condition}) : "
        f"::emulator::kRefused){flags}; }} "
    )
    once = "for (bool emulator_once = true; emulator_once; emulator_once = false) "
    head = (
        f"const auto emulator_body = [=](const {loop.type} {loop.name}) EMULATOR_INLINED {{ "
        + (once if re.search(r"\bcontinue\b", code[loop.body : loop.end]) else "")
    )
    tail = (
        f" }}; {rounds}; if ({_TURN}run) {{ emulator_body(emulator_rounds.at); return 0; }} "
        f"for (;; emulator_rounds.next({loop.step})) {{ {here} "
        f"if (!({loop.condition})) break; emulator_body({loop.name}); }} "
    )
    return [
        (at, at, " ".join(ask.split())),
        (loop.begin, loop.body, head),
        *loop.edits,
        (loop.end, loop.end, " ".join(tail.split()) + " "),
    ]


def _declarations(
    code: str, at: int, end: int, macros: frozenset[str], with_calls: bool
) -> _Begin:
    """Read the declarations at the start of a kernel that can be made again in each round.

    with_calls: also those by a function that is given no pointer, which the compiler tells.
    """
    begin = _Begin(at)
    while found := _TOLD.match(code, begin.at, end) or _DECLARED.match(code, begin.at, end):
        if found.re is _TOLD:
            begin.at = found.end()
            continue
        value, at = found["value"], found.start("value")
        values = split(value)
        others = [re.fullmatch(r"\s*(\w+)\s*=(.*)", one, re.S) for one in values[1:]]
        called = _CALLED.fullmatch(value.strip()) if with_calls else None
        if _ASKED.fullmatch(value):
            made, last = _MADE.match(code, at), code.rindex(")", at, found.end("value"))
            begin.edits.append((made.start(), made.end(), "::emulator::asked"))
            begin.edits.append((last, last, ", emulator_aligned"))
            begin.alike = begin.alike and _uniform(value, begin.declared)
        elif called and called[1] not in macros:
            known = f"::emulator::has_no_pointer({called[2]})"
            new = f" emulator_aligned = emulator_aligned && {known};"
            begin.edits.append((found.end(), found.end(), new))
        elif not all(others) or not all(
            _pure(one, macros) for one in [values[0], *(other[2] for other in others)]
        ):
            break
        given = {found["name"]: values[0], **{other[1]: other[2] for other in others if other}}
        begin.declared.update(given)
        if re.fullmatch(rf"(?:const\s+)?{_WIDE}(?:\s+const)?", found["type"]):
            begin.index.update(given)
        begin.at = found.end()
    return begin


def _second_body(
    code: str, body: int, end: int, parameters: list[str], macros: frozenset[str]
) -> list[tuple[int, int, str]] | None:
    """Return the replacements between a kernel's braces; None if it has no second form."""
    begin = _declarations(code, body + 1, end, macros, True)
    edits = _looped(code, begin, end, parameters, macros)
    if edits is None:
        begin = _declarations(code, body + 1, end, macros, False)
        edits = _guarded(code, begin, end, macros)
    if edits is None:
        return None
    first = (body + 1, body + 1, " bool emulator_aligned = true; ")
    return [first, *begin.edits, *edits, (end, end, " return 0; ")]


def _looped(
    code: str, begin: _Begin, end: int, parameters: list[str], macros: frozenset[str]
) -> list[tuple[int, int, str]] | None:
    """Return the replacements in a kernel that is a loop, behind its declarations."""
    loop = _main_loop(code, begin.at, end, begin.declared, parameters)
    if not loop or re.search(r"\breturn\b", code[loop.end : end]):
        return None
    words = re.findall(r"\w+", f"{loop.first} {loop.condition} {loop.step}")
    if not macros.isdisjoint(words) or not _uniform(loop.step, begin.declared):
        return None
    index = {loop.name: begin.index.get(loop.first.strip(), loop.first)}
    declared = {**begin.declared, loop.name: loop.first}
    flags = _between(loop.condition, index, declared) if begin.alike else ""
    return _with_loop(code, begin.at, end, loop, flags)


def _guarded(
    code: str, begin: _Begin, end: int, macros: frozenset[str]
) -> list[tuple[int, int, str]] | None:
    """Return the replacements in a kernel of which an `if` may guard all, or which has none."""
    at = begin.at
    found, others = _IF.match(code, at, end), False
    if not found:
        rest, ask, cut = code[at:end], "true", at
    else:
        close = closing(code, found.end())
        condition = code[found.end() : close + 1]
        if not _pure(condition[1:-1], macros):
            return None
        leaves = _LEAVES.match(code, close + 1, end)
        cut = leaves.end() if leaves else close + 1
        ask = f"{'!' if leaves else ''}{condition}"
        rest = code[cut:end].strip()
        if not leaves:
            last = _statement_end(code, cut, end)
            other = re.compile(r"\s*else\b").match(code, last, end) if last > 0 else None
            others = bool(other)
            last = _statement_end(code, other.end(), end) if other else last
            if last < 0:
                return None
            if code[last:end].strip():  # more than the `if` guards
                rest, ask, cut, others = code[at:end], "true", at, False
    if re.search(r"\breturn\b", rest):
        return None
    ask = " ".join(ask.split())
    flags = _between(ask, begin.index, begin.declared) if begin.alike else ""
    answer = f"(emulator_aligned && {ask} ? ::emulator::kYes : 0){flags}"
    then = " if (true)" if others else ""
    return [(at, cut, f" if ({_TURN}ask) return {answer};{then}")]


def _made(code: str) -> list[tuple[int, int, str]] | None:
    """Return the replacements where device code makes a pointer of another, if understood."""
    edits = []
    spans = [(begin, end) for begin, end, _ in _functions(code)]
    spans += [match.span() for match in _MACRO.finditer(code)]
    loops = _edited(code)
    for match in _REFUSED_IN_DEVICE_CODE.finditer(code):
        if match.start() not in loops and any(
            begin <= match.start() < end for begin, end in spans
        ):
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


def _edited(code: str) -> set[int]:
    """Return where kernels' edits begin, and so their loops over elements."""
    return {edit[0] for kernel in _kernels(code) for edit in kernel.edits}


def has_single_steps(texts: Iterable[str]) -> bool:
    """Say whether a thread has several elements and no loop over them."""
    several = False
    for code in map(blank_comments_and_strings, texts):
        edited, spans = _edited(code), [(begin, end) for begin, end, _ in _functions(code)]
        for begin, end in spans:
            loops = [begin + one.start() for one in re.finditer(r"\bfor\b", code[begin:end])]
            if not edited.issuperset(loops):
                return False
        several = several or bool(_made(code) or _VECTOR.search(code))
    return several


def second_forms(text: str, which: frozenset[str]) -> list[tuple[int, int, str]]:
    """Return the replacements in a text that these kernels are to have a second form in."""
    code = blank_comments_and_strings(text)
    own = [edit for kernel in kernels(text) if kernel.name in which for edit in kernel.edits]
    asked = {edit[0] for edit in own}
    made = [edit for edit in _made(code) or [] if edit[0] not in asked]
    return [*own, *made, *((*fence.span(), ";") for fence in _FENCE.finditer(code))]


def kernels(text: str) -> list[Kernel]:
    """Return the kernels of a file, which is `alone`, that have a second form."""
    return _kernels(blank_comments_and_strings(text).replace('"C"', "   "))


def _kernels(code: str) -> list[Kernel]:
    macros = _macros(code)
    found: list[Kernel] = []
    for match in re.finditer(r"\b__global__\b", code):
        head = _HEAD.match(code, match.end())
        close = closing(code, head.end() - 1) if head else -1
        opened = re.compile(r"\s*\{").match(code, close + 1) if close > 0 else None
        if not opened:
            continue
        body = opened.end() - 1
        end = closing(code, body)
        given = split(code[head.end() : close])
        parameters = [name[1] for one in given if (name := re.search(r"(\w+)\W*$", one))]
        edits = _second_body(code, body, end, parameters, macros) if end > 0 else None
        if edits is None:
            continue
        comma = ", " if code[head.end() : close].strip() else ""
        first = f"{_GIVEN}{comma}"
        edits += [(head.start(1), head.end(1), "uint64_t"), (head.end(), head.end(), first)]
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
        every = [_NAMED.match(code, one.end()) for one in re.finditer(r"\b__global__\b", code)]
        if not all(every):
            return frozenset()
        for name in (one[1] for one in every):  # two of one name have none
            seen[name] = name in second and name not in seen
    return frozenset(name for name, has in seen.items() if has)


def _macros(code: str) -> frozenset[str]:
    """Return the macros that take arguments, or that may read memory."""
    found = set()
    for match in _MACRO.finditer(code):
        name = re.match(r"\s*#\s*define\s+(\w+)(\()?", match[0])
        if name and (name[2] or not _pure(match[0][name.end() :])):
            found.add(name[1])
    return frozenset(found)


def _functions(code: str) -> list[tuple[int, int, str]]:
    """Return from where to where functions go, and which kind each is: global or device."""
    found = []
    for match in re.finditer(r"\b__(global|device)__\b", code):
        head = _NAMED.match(code, match.end())
        close = closing(code, head.end() - 1) if head else -1
        opened = _OPENED.match(code, close + 1) if close > 0 else None
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
