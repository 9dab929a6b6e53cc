"""Find the code that a launcher reaches: its own, and what that calls, reads or names.

A file may hold many kernels, of which one is judged. Names are followed as far as the text
shows them: a name means what the nearest namespace around it defines. What cannot be told apart
is taken along, so that more than the right code may be found, but not less.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from helpers.emulator.brackets import closing
from helpers.run.launcher import Launcher
from helpers.sources import blank_comments_and_strings, read_sources

_WORD = re.compile(r"[A-Za-z_]\w*")
_QUALIFIED = re.compile(r"::\s*([A-Za-z_]\w*)")
_DIRECTIVE = re.compile(r"^[ \t]*#(?:[^\n\\]|\\[ \t]*\n|\\)*", flags=re.M)
_MACRO = re.compile(r"\s*#\s*define\s+(\w+)")
_SPACE = re.compile(r'\s*(?:(?:inline\s+)?namespace\b([\w\s:]*)|extern\s+"C"\s*)$')
_TYPE = re.compile(r"\b(?:struct|class|union|enum)\s+(?:\w+\s*\([^)]*\)\s*|class\s+)*(\w+)")
_CALLED = re.compile(r"([A-Za-z_]\w*)\s*\(")
_DECLARED = re.compile(r"([A-Za-z_]\w*)\s*(?:\[[^\]]*\]\s*)*(?:=|;|,|\{|$)")
_NOT_NAMES = {"__launch_bounds__", "decltype"}


@dataclass(frozen=True)
class _Part:
    """A definition at the top of a file or namespace: its text, and the names it defines.

    space: the names of the namespaces around it. Without a name it belongs to everything.
    """

    text: str
    names: frozenset[str]
    space: tuple[str, ...]


def code(launcher: Launcher) -> str:
    """Return the code that a launcher reaches, without comments; "" if it has no file."""
    return "\n".join(definitions(launcher))


def definitions(launcher: Launcher) -> list[str]:
    """List the definitions that a launcher reaches, without comments; none if it has no file.

    It is all code of its file and of the local files included, where it cannot be found there.
    """
    if launcher.path is None or not launcher.path.is_file():
        return []
    texts = read_sources(launcher.path).values()
    parts = [part for text in texts for part in _definitions(text)]
    name = launcher.declaration.name
    reached = [part for part in parts if name in part.names]
    if not reached:
        return list(map(blank_comments_and_strings, texts))
    reached += [part for part in parts if not part.names]
    for part in reached:  # grows
        reached += [other for other in _named(part, parts) if other not in reached]
    return [part.text for part in reached]


@functools.lru_cache(maxsize=8)
def _definitions(text: str) -> tuple[_Part, ...]:
    """Split a file's text, of which many launchers may be asked for, into its definitions."""
    return tuple(_parts(blank_comments_and_strings(text), ()))


def _named(part: _Part, parts: Iterable[_Part]) -> list[_Part]:
    """List the parts that define what a part names, each once."""
    words, qualified = set(_WORD.findall(part.text)), set(_QUALIFIED.findall(part.text))
    found: dict[_Part, None] = {}
    for word in words:
        there = [other for other in parts if word in other.names]
        around = [x for x in there if part.space[: len(x.space)] == x.space]
        if around and word not in qualified:
            nearest = max(len(x.space) for x in around)
            there = [x for x in around if len(x.space) == nearest]
        found |= dict.fromkeys(there)
    return list(found)


def _parts(text: str, space: tuple[str, ...]) -> Iterator[_Part]:
    """Split code into its definitions, those in namespaces too."""
    for line in _DIRECTIVE.findall(text):
        if macro := _MACRO.match(line):
            yield _Part(line, frozenset({macro[1]}), space)
    text = _DIRECTIVE.sub(lambda line: re.sub(r"[^\n]", " ", line.group()), text)
    begin = 0
    while (end := _end(text, begin)) > begin:
        head, brace, _ = text[begin:end].partition("{")
        if brace and (inner := _SPACE.match(head)):
            names = tuple(_WORD.findall(inner[1] or ""))
            yield from _parts(text[begin + len(head) + 1 : end - 1], space + names)
        elif text[begin:end].strip():
            after = text[begin:end].rpartition("}")[2] if brace else ""  # struct S {} here;
            yield _Part(text[begin:end], _names(head + brace) | _declared(after), space)
        begin = end


def _end(text: str, begin: int) -> int:
    """Return where the definition that starts at `begin` ends."""
    position = begin
    while position < len(text):
        char = text[position]
        if char == ";":
            return position + 1
        if char in "([{":
            close = closing(text, position)
            if close < 0:
                return len(text)
            if char == "{" and not _goes_on(text[begin:position], text[close + 1 :]):
                return close + 1
            position = close
        position += 1
    return len(text)


def _goes_on(head: str, rest: str) -> bool:
    """Say whether a definition goes on after its braces, up to a semicolon."""
    is_type = _TYPE.search(head) and "(" not in _plain(head)
    return bool(is_type) or rest.lstrip()[:1] in (";", ",")


def _plain(head: str) -> str:
    """Return a head without template parameters and alignas(...)."""
    head = re.sub(r"\btemplate\s*<[^{;]*?>(?=\s*[\w_])", " ", head)
    return re.sub(r"\b(?:alignas|__align__|__attribute__)\s*\([^)]*\)+", " ", head)


def _names(head: str) -> frozenset[str]:
    """Return the names that a definition with this head defines."""
    if re.search(r"\boperator\b", head):
        return frozenset()
    plain = _plain(head)
    names = {*_TYPE.findall(plain)}
    names |= {name for name in _CALLED.findall(_outside(plain)) if name not in _NOT_NAMES}
    return frozenset(names) if "(" in plain else frozenset(names) | _declared(plain)


def _declared(text: str) -> frozenset[str]:
    return frozenset(_DECLARED.findall(text))


def _outside(head: str) -> str:
    """Return a head with nothing inside its outermost parentheses."""
    kept, position = [], 0
    while (start := head.find("(", position)) >= 0:
        close = closing(head, start)
        kept.append(head[position : start + 1] + ")")
        if close < 0:
            return "".join(kept)
        position = close + 1
    return "".join([*kept, head[position:]])
