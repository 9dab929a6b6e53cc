"""Say of a call with the wrong number of arguments what was taken, and what was given."""

from __future__ import annotations

import re

from helpers.emulator.brackets import closing, split

_ARITY = re.compile(
    r"too (?:few|many) arguments to function call|no matching function for call"
)
_NOTE = re.compile(r"'\w+' declared here|requires .*argument.*, but ")


def signatures(clang, unit, diagnostic, lines: list[str]) -> str | None:
    """Return clang's words for a wrong number of arguments with both signatures, or None.

    diagnostic: of clang, in the file with these lines. The function's parameters come from the
    declaration that clang's only note points to, the arguments from the text.
    """
    notes = [note for note in diagnostic.children if _NOTE.search(note.spelling)]
    if not _ARITY.search(diagnostic.spelling) or len(notes) != 1:
        return None
    declared = clang.Cursor.from_location(unit, notes[0].location)
    name = declared.spelling
    parameters = [
        f"{child.type.spelling} {child.spelling}".strip()
        for child in declared.get_children()
        if child.kind.name == "PARM_DECL"
    ]
    line, column = diagnostic.location.line, diagnostic.location.column
    place = sum(len(one) + 1 for one in lines[: line - 1]) + column - 1
    given = _given("\n".join(lines), name, place)
    if not name or given is None or len(given) == len(parameters):
        return None
    count, taken = len(parameters), ", ".join(parameters)
    return (
        f"{name} takes {count} argument{'s' * (count != 1)} ({taken}), "
        f"{len(given)} given ({', '.join(given)})"
    )


def _given(text: str, name: str, place: int) -> list[str] | None:
    """Return the arguments of the call of a function that reaches over a place, or None."""
    call = rf"\b{re.escape(name)}\b\s*(?:<(?!<)[^;(]*?>)?\s*(?:<<<.*?>>>)?\s*\("
    for found in reversed(list(re.finditer(call, text[: place + 1000], flags=re.S))):
        end = closing(text, found.end() - 1)
        if found.start() <= place <= end:
            parts = split(text[found.end() : end])
            return [" ".join(one.split()) for one in parts if one.strip()]
    return None
