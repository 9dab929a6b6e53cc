"""Let one thread compute a loop of shuffles for all lanes of its warp, such as a warp's sum.

A shuffle costs each lane a switch between stacks. In the loops that are found here nothing
changes but a thread's own numbers. Before each of them comes a call of `together` with a copy
of the loop on arrays of 32 numbers (include/emulator_together.h). The loop itself stays where
it is, for threads that do not come together. A statement with a shuffle or a vote, and
__syncwarp(), are copied like a loop of one turn, for kernels whose threads leave their call
there (resumed.py).
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple

from helpers.emulator.brackets import closing, split
from helpers.emulator.syntax_tree import line_at

_SHUFFLE = re.compile(r"\b__(?:shfl_(?:(up|down|xor)_)?|(ballot|any|all)_)sync\s*\(")
_SYNCWARP = re.compile(r"__syncwarp\s*\(\s*(\w*)\s*\)\s*;")
_MASK = re.compile(r"~?\s*\w+")
_VOTES = {"ballot": "{}", "any": "{} != 0", "all": "{} == emulator_l.there"}
_KINDS = {None: "index", "up": "up", "down": "down", "xor": "exclusive_or"}
_ASSIGNED = re.compile(r"\b(\w+)\s*(?:[-+*&|^]|<<|>>)?=(?!=)")
_DECLARED = re.compile(
    r"(?:^|[;{}(])\s*(?!else\b|return\b)(?:(?:const|unsigned|signed|long|short)\s+)*"
    r"[\w:]+(?:<[\w:,\s]*>)?(?:\s+const)?\s+(\w+)\s*=(?!=)"
)
_COUNTER = re.compile(r"\s*(?:(?:unsigned|int|auto|size_t|long|short)\s+)+(\w+)\s*=")
# What a copy of the loop must not have: memory, divisions (of a lane that is not there), other
# control, waits, objects.
_REFUSED = re.compile(
    r"[\[\]#/%]|->|\+\+|--|[\w)\]]\s*\.\s*[A-Za-z_]|(?:^|[=(,;{}!|+\-])\s*[*&](?!&)"
    r"|\b(?:return|goto|break|continue|while|do|for|switch|case|throw|try|asm|volatile|static"
    r"|new|delete|sizeof|this|__sync\w*|__(?:all|any|ballot|match|reduce|uni|active)\w*"
    r"|atomic\w*|__nanosleep|clock\w*|printf|assert|cg|cub|threadIdx|emulator\w*)\b"
)
_WORDS = frozenset(
    "int unsigned long short char signed float double bool half auto const if else true false "
    "static_cast std size_t".split()
)
_CUDA = re.compile(r"warpSize$|u?int(?:8|16|32|64)_t$|__\w+$|[A-Z][A-Z0-9_]*$")
_OF_A_THREAD = re.compile(
    r"threadIdx|blockIdx|\b(?:asm|volatile|static)\b|\batomic|__sync|__shfl"
)
_UNROLLED = re.compile(r"^[ \t]*(#[ \t]*pragma[ \t]+unroll\b[^\n]*)\n\s*\Z", re.M)
_MOST = 6  # variables


class _Loop(NamedTuple):
    """A loop `for (first; condition; step) body`, of which the text is `code[begin:end]`."""

    begin: int
    head: int  # behind its opening bracket
    first: str
    condition: str
    step: str
    body_begin: int
    body: str
    end: int


def _loops(code: str) -> list[_Loop]:
    """Return the loops with a shuffle in their body, inner ones too."""
    found = []
    for match in re.finditer(r"\bfor\s*\(", code):
        close = closing(code, match.end() - 1)
        parts = code[match.end() : close].split(";") if close > 0 else []
        line = code[code.rfind("\n", 0, match.start()) + 1 : match.start()]
        if len(parts) != 3 or re.match(r"\s*#", line):
            continue
        begin = close + 1 + len(code[close + 1 :]) - len(code[close + 1 :].lstrip())
        end = closing(code, begin) + 1 if code[begin] == "{" else code.find(";", begin) + 1
        body = code[begin:end]
        if end > 0 and _SHUFFLE.search(body) and "\\\n" not in code[match.start() : end]:
            found.append(_Loop(match.start(), match.end(), *parts, begin, body, end))
    return found


def _names(text: str) -> set[str]:
    """Return the names in a text that are neither called nor words of the language."""
    return set(re.findall(r"\b[A-Za-z_]\w*\b(?!\s*(?:\(|::))", text)) - _WORDS


class File:
    """What the names of a file stand for."""

    def __init__(self, code: str):
        self._code = code
        self._told: dict[str, bool] = {}  # what `_declared` has said
        define = r"^[ \t]*#[ \t]*define[ \t]+(\w+)(.*(?:\\\n.*)*)"
        self.macros = dict(re.findall(define, code, flags=re.M))
        template = r"\btemplate\s*<([^{};]*?)>\s*(?:__|struct|class|static|inline)"
        heads = re.findall(template, code)
        self._parameters = set(re.findall(r"\b(\w+)\s*(?:=[^,]*)?(?:,|$)", ",".join(heads)))
        self._types = set(re.findall(r"\b(?:typename|class)\s+(\w+)", ",".join(heads)))
        self._known = set(re.findall(r"\bconstexpr\s+[\w:\s]*?\b(\w+)\s*[={]", code))

    def _declared(self, name: str) -> bool:
        """Say whether a name may be a variable or a parameter of a thread."""
        if name not in self._told:
            self._told[name] = self._is_declared(name)
        return self._told[name]

    def _is_declared(self, name: str) -> bool:
        found = re.finditer(rf"([\w:]+)[\s*&]+{name}\s*[,;)=({{\[]", self._code)
        for one in found:
            line = self._code[max(0, one.start() - 60) : one.start()]
            of_constant = re.search(r"constexpr[\w:\s]*$|template\s*<[^>]*$|define\s*$", line)
            if one[1] not in ("return", "constexpr", "define", "else") and not of_constant:
                return True
        return False

    def is_constant(self, name: str) -> bool:
        """Say whether a name means the same number or type in all threads."""
        if name in self.macros:
            text = self.macros[name]
            inside = _names(text) - {name}
            return not text.startswith("(") and all(map(self.is_constant, inside))
        if name in self._types:
            return True
        if self._declared(name):
            return False
        return name in self._known | self._parameters or bool(_CUDA.match(name))

    def hides(self, text: str) -> bool:
        """Say whether a text has a macro that is more than a constant."""
        return any(not self.is_constant(name) for name in _names(text) & set(self.macros))

    def is_function(self, name: str) -> bool:
        """Say whether a name is a function that knows nothing of the thread that calls it."""
        head = rf"\b{name}\s*\([^(){{}};]*\)\s*\{{"
        found = [one.end() for one in re.finditer(head, self._code)]
        for end in found:
            body = self._code[end : closing(self._code, end - 1)]
            if _OF_A_THREAD.search(body) or re.search(r"\w\s*\(", body):
                return False
        return bool(found)

    def defines(self, name: str) -> bool:
        """Say whether a name is a function of this file."""
        return bool(re.search(rf"\b{name}\s*\([^;{{}}]*\{{", self._code))

    def variables(self, text: str) -> set[str]:
        """Return the names in a text that may differ from thread to thread."""
        types = set(re.findall(r"\b(\w+)(?=\s+[A-Za-z_])", text))
        return {name for name in _names(text) - types if not self.is_constant(name)}


class _Shuffle(NamedTuple):
    begin: int
    end: int
    kind: str
    mask: str
    value: str  # a name; of a vote, an expression
    by: str
    width: str

    @property
    def is_vote(self) -> bool:
        return self.kind in _VOTES


def _shuffles(body: str) -> list[_Shuffle] | None:
    found = []
    for match in _SHUFFLE.finditer(body):
        end = closing(body, match.end() - 1)
        arguments = [part.strip() for part in split(body[match.end() : end])]
        if match[2]:
            if end < 0 or len(arguments) != 2 or _SHUFFLE.search(arguments[1]):
                return None
            found.append(_Shuffle(match.start(), end + 1, match[2], *arguments, "", "32"))
            continue
        if end < 0 or len(arguments) not in (3, 4) or not re.fullmatch(r"\w+", arguments[1]):
            return None
        mask, value, by, *width = arguments
        kind, width = _KINDS[match[1]], width[0] if width else "32"
        found.append(_Shuffle(match.start(), end + 1, kind, mask, value, by, width))
    return found


def _statements(body: str) -> list[tuple[int, int]]:
    """Return where the statements directly in a body begin and end; a block ends its own."""
    inner = (1, len(body) - 1) if body.startswith("{") else (0, len(body))
    found, begin, position = [], *2 * inner[:1]
    while position < inner[1]:
        if body[position] in "({[":
            close = closing(body, position)
            if close < 0:
                return []
            ends, position = body[position] == "{", close
        else:
            ends = body[position] == ";"
        position += 1
        if ends:
            found.append((begin, position))
            begin = position
    return found if not body[begin : inner[1]].strip() else []


def _in_order(body: str, shuffles: list[_Shuffle]) -> bool:
    """Say whether all shuffles may be done at the beginning of the loop's turn.

    Each stands in a statement without a condition, and hands in what nothing before it changes.
    """
    changed: set[str] = set()
    reached = 0
    for begin, end in _statements(body):
        statement = body[begin:end]
        for one in shuffles:
            if not begin <= one.begin < end:
                continue
            reached += 1
            given = f"{one.value} {one.by} {one.width}"
            before = body[begin : one.begin]
            if re.search(r"^\s*(?:if\b|else\b|\{)|\?|&&|\|\|", before):
                return False
            if changed & _names(given):
                return False
        changed |= set(_ASSIGNED.findall(statement))
    return reached == len(shuffles)


@dataclass(frozen=True)
class Copy:
    """What a copy of a loop on arrays of 32 numbers consists of."""

    loop: _Loop
    count: str  # the loop's own variable
    shuffles: list[_Shuffle]
    body: str  # with a name, `emulator_` and its place, in the stead of each shuffle
    used: list[str]  # variables
    changed: frozenset[str]  # of these
    objects: list[str]  # that are called
    is_constant: bool  # the first value of the loop's variable, in all threads

    @property
    def mask(self) -> str:
        """Return the mask of all its shuffles."""
        return self.shuffles[0].mask


def _copy(loop: _Loop, file: File) -> Copy | None:
    """Return the copy of a loop; None if it cannot be computed for all lanes together."""
    counter = _COUNTER.match(loop.first)
    shuffles = _shuffles(loop.body)
    if not counter or not shuffles or "," in loop.first or re.search(r"\\|#", loop.body):
        return None
    count, body = counter[1], loop.body
    for one in reversed(shuffles):
        body = body[: one.begin] + f" emulator_{one.begin} " + body[one.end :]
    votes = ";".join(one.value for one in shuffles if one.is_vote)
    plain = re.sub(r"\bemulator_\d+", "x", f"{body};{votes}")
    local = _local(body)
    arguments = " ".join(f"{one.by} {one.width}" for one in shuffles)
    fixed = f"{loop.condition} {arguments} {shuffles[0].mask}"
    header = f"{loop.condition};{loop.step};{arguments}"
    if (
        file.hides(f"{header} {shuffles[0].mask} {body}")
        or _REFUSED.search(plain)
        or _REFUSED.search(re.sub(r"\+\+|--|/=?|%", "+", header))
        or re.search(r"[^=!<>]=(?!=)|\+\+|--", fixed)
        or not _in_order(loop.body, shuffles)
        or len({one.mask for one in shuffles}) > 1
        or file.variables(header) - {count}
        or count in {*_ASSIGNED.findall(body), *_names(shuffles[0].mask)}
        or not set(_ASSIGNED.findall(loop.step)) <= {count}
    ):
        return None
    given = {one.value for one in shuffles if not one.is_vote} | file.variables(votes)
    used = given | set(_ASSIGNED.findall(body))
    used |= file.variables(re.sub(r"\bemulator_\d+", "0", body))
    used -= {count, *local}
    objects = _objects(f"{body};{votes}", file)
    if given & local or len(used) > _MOST or objects is None or _ASSIGNED.search(votes):
        return None
    changed = frozenset(_ASSIGNED.findall(body))
    if changed & _names(shuffles[0].mask):
        return None
    is_constant = not file.variables(loop.first) - {count} and "(" not in loop.first
    used -= set(objects)
    return Copy(loop, count, shuffles, body, sorted(used), changed, objects, is_constant)


def _local(body: str) -> set[str]:
    """Return the variables that a body declares with a value."""
    found = set()
    for first in _DECLARED.finditer(body):
        found.add(first[1])
        for other in split(body[first.end() : body.find(";", first.end())])[1:]:
            if name := re.match(r"\s*(\w+)\s*=(?!=)", other):
                found.add(name[1])
    return found


_MATH = re.compile(
    r"(?:__\w+|(?:f|u|ll?|ull?)?(?:max|min|abs)f?|fmaf?|exp2?f?|log2?f?|sqrtf?|if)$"
)


def _objects(body: str, file: File) -> list[str] | None:
    """Return what a body calls and may be an object; None if a call may ask who calls."""
    called = set(re.findall(r"(?<![\w.])([A-Za-z_]\w*)\s*\(", body)) - _WORDS
    defined = set(filter(file.defines, called))
    if not all(map(file.is_function, defined)) or called & set(file.macros):
        return None
    return sorted(
        name
        for name in called - defined
        if not _MATH.match(name) and not file.is_constant(name)  # a template's type
    )


def on_arrays(copy: Copy, used: Mapping[str, tuple[str, str]]) -> str:
    """Return the body of a lambda that runs a loop for all lanes; its argument `emulator_l`.

    used: of each variable with a number of each lane, its type and what `emulator_l` calls it.
    """
    arrays, backs, names, takes = "", "", "", ""
    for name, (kind, called) in used.items():
        arrays += f"{kind} emulator_v_{name}[32]; "
        arrays += f"if (!emulator_l.get({called}, emulator_v_{name})) return false; "
        names += f"auto& {name} = emulator_v_{name}[emulator_i]; "
        if name in copy.changed:
            backs += f"emulator_l.put({called}, emulator_v_{name}); "
    for one in copy.shuffles:
        if one.kind == "sync":
            continue
        taken = f"emulator_a_{one.begin}"
        if one.is_vote:
            takes += (
                f"unsigned {taken} = 0; "
                f"for (int emulator_i = 0; emulator_i < 32; ++emulator_i) {{ {names}"
                f"{taken} |= static_cast<unsigned>(({one.value}) != 0) << emulator_i; }} "
                f"{taken} &= emulator_l.there; "
            )
            kind = "unsigned" if one.kind == "ballot" else "int"
            result = _VOTES[one.kind].format(taken)
            names += f"const {kind} emulator_{one.begin} = {result}; "
            continue
        takes += (
            f"::emulator::Plain<decltype({one.value})> {taken}[32]; "
            f"if (!emulator_l.template take<::emulator::Shuffle::{one.kind}>({taken}, "
            f"emulator_v_{one.value}, {one.by}, {one.width})) return false; "
        )
        names += f"const auto emulator_{one.begin} = {taken}[emulator_i]; "
    loop = copy.loop
    text = (
        f"{arrays}for (; {loop.condition}; {loop.step}) {{ {takes}"
        f"for (int emulator_i = 0; emulator_i < 32; ++emulator_i) {{ {names}{copy.body} }} }} "
        f"{backs}return true;"
    )
    return re.sub(r"\s*\n\s*", " ", text)


def _call(copy: Copy, line: int) -> str:
    """Return the condition under which the loop itself need not run."""
    used = {
        name: (f"::emulator::Plain<decltype({name})>", str(number))
        for number, name in enumerate(copy.used, start=1)
    }
    empty = "".join(
        f"std::is_empty_v<::emulator::Plain<decltype({name})>> && " for name in copy.objects
    )
    text = (
        f"{empty}({copy.loop.condition}) && ::emulator::together(::emulator::worker(), "
        f"{copy.mask}, {line}, "
        f"EMULATOR_LANES(auto {copy.count}) {{ {on_arrays(copy, used)} }}, "
        f"{', '.join([copy.count, *copy.used])})"
    )
    return re.sub(r"\s*\n\s*", " ", text)


def copies(code: str) -> dict[int, Copy]:
    """Return what can be computed together in a file, by where the loop begins.

    code: its text without comments and strings.
    """
    file = File(code)
    found = ((loop, _copy(loop, file)) for loop in _loops(code))
    return {loop.begin: copy for loop, copy in found if copy}


def once(file: File, code: str, begin: int, name: int) -> Copy | None:
    """Return the copy of a statement, as of a loop of one turn; None if there is none.

    code: a file's text without comments and strings. begin: where the statement begins. name:
    where the variable stands that it declares, else `begin`.
    """
    end = code.find(";", begin) + 1
    count = f"once_at_{begin}"
    head = (begin, begin, f"int {count} = 0", f"{count} < 1", f"{count} += 1", begin)
    if waits := _SYNCWARP.match(code, begin):
        mask = waits[1] or "0xffffffffu"
        whole = _Shuffle(0, 0, "sync", mask, "", "", "")
        copy = Copy(_Loop(*head, "", end), count, [whole], "", [], frozenset(), [], True)
        return None if file.hides(mask) else copy
    statement = code[name:end]
    if not end or not _SHUFFLE.search(statement) or "\n#" in code[begin:end]:
        return None
    copy = _copy(_Loop(*head, f"{{ {statement} }}", end), file)
    return copy if copy and _MASK.fullmatch(copy.mask) else None


def rewrite(code: str) -> list[tuple[int, int, str]]:
    """Return the replacements (begin, end, text) by which each such loop is tried together.

    code: a file's text without comments and strings. No line moves.
    """
    edits = []
    for begin, copy in copies(code).items():
        loop = copy.loop
        condition = _call(copy, line_at(code, begin))
        before = f"{{ {loop.first.strip()}; if (!({condition})) for ("
        lines = "\n" * code.count("\n", loop.begin, loop.head + len(loop.first))
        edits.append((loop.begin, loop.head + len(loop.first), before + lines))
        edits.append((loop.end, loop.end, " }"))
        if pragma := unrolled(code, begin):
            edits.append((*pragma, ""))
    return edits


def unrolled(code: str, at: int) -> tuple[int, int] | None:
    """Return where the pragma stands that unrolls the loop at a place; clang wants it there."""
    found = _UNROLLED.search(code[:at])
    return found.span(1) if found else None
