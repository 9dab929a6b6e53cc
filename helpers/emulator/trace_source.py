"""Say from a kernel's text what nvcc makes of an access: what the trace alone cannot see."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from helpers.emulator.brackets import opening
from helpers.emulator.counted_loops import loop_places, stores
from helpers.emulator.traced import Line
from helpers.sources import blank_comments_and_strings

_THREAD = frozenset(
    "threadIdx thread_rank( __shfl_sync( __shfl_up_sync( __shfl_down_sync( __shfl_xor_sync( "
    "clock( clock64(".split()
)
_FUNCTION = re.compile(r"\b(\w+)\s*\([^(){};]*\)\s*(?:const\s*)?\{([^{}]*)\}")
_ASSIGNED = re.compile(r"\b(\w+)\s*(?:\[[^\[\]]*\]\s*)?(?:[-+*/%&|^]|<<|>>)?=(?!=)([^;{}]*)")
NEAR = 600  # characters behind an atomic, where its result is compared
_ATOMIC = re.compile(r"\batomic(?:Add|Sub|Min|Max|And|Or|Xor)(?:_block|_system)?\s*\(\s*")


def can_merge(line: Line, files: Mapping[str, str], in_loop: bool) -> bool:
    """Say whether nvcc may know, once it unrolls the loop around a line, where it reads.

    Not below `#pragma unroll 1`. in_loop: the reads are one place in the code, in a loop: then
    the loop's counter stands in an index, which else comes from data.
    """
    above = files[line.file].splitlines()[: line.number]
    loops = [k for k, text in enumerate(above) if re.search(r"\b(for|while|do)\b", text)]
    if not loops:
        return not in_loop
    pragma = above[loops[-1] - 1] if loops[-1] else ""
    if re.match(r"\s*#\s*pragma\s+(unroll\s*\(?\s*1\b|nounroll)", pragma):
        return False
    counter = re.search(r"\bfor\s*\(\s*(?:\w+\s+)*?(\w+)\s*=", above[loops[-1]])
    indexed = counter and re.search(rf"\[[^\]]*\b{counter[1]}\b", above[-1])
    return bool(indexed) or not in_loop


def are_together(lines: Sequence[Line], files: Mapping[str, str]) -> bool:
    """Say whether accesses of several lines always come together: none is behind an if."""
    if len({*lines}) == 1:
        return True
    texts = (files[line.file].splitlines()[line.number - 1] for line in lines)
    return not any(re.search(r"\bif\b|\belse\b|\?", text) for text in texts)


def is_before_the_loop(line: Line, files: Mapping[str, str]) -> bool:
    """Say whether nvcc does a read of a line once, before the loop around it.

    Nothing in the address changes in the loop, which writes to no memory and always reads it.
    """
    code = blank_comments_and_strings(files[line.file])
    loops = [
        (begin, body, end)
        for begin, body, end in loop_places(code)
        if code.count("\n", 0, begin) < line.number <= code.count("\n", 0, end) + 1
    ]
    if not loops:
        return False
    begin, body, end = loops[-1]
    loop = code[begin:end]
    starts = [0, *(one.end() for one in re.finditer("\n", code)), len(code) + 1]
    first, last = starts[line.number - 1], starts[line.number] - 1
    if stores(loop) or re.search(r"\bif\b|\?|&&|\|\|", code[body : max(body, last)]):
        return False
    changed = {name for name, _ in _ASSIGNED.findall(loop)}
    changed |= {a or b for a, b in re.findall(r"(\w+)\s*(?:\+\+|--)|(?:\+\+|--)\s*(\w+)", loop)}
    on_line = code[max(first, begin) : min(last, end)]
    places = re.findall(r"\b(\w+)\s*\[([^\[\]]*)\]", on_line)
    return any(not (_words(index) | {array}) & changed for array, index in places)


def is_one_for_the_warp(line: Line, files: Mapping[str, str]) -> bool:
    """Say whether one lane does a line's atomic sum of integers for all lanes of its warp.

    nvcc adds up the lanes' values first (votes, REDUX) where it sees that all have the same
    address: nothing in it depends on the thread.
    """
    above = files[line.file].splitlines()[: line.number]
    found = _ATOMIC.search(above[-1])
    if not found:
        return False
    address = re.match(r"(?:[^(),]|\([^()]*\))*", above[-1][found.end() :])[0]
    return not _words(address) & _of_the_thread("\n".join(above), files[line.file])


def drops_result(line: Line, files: Mapping[str, str]) -> bool:
    """Say whether an atomic of a line is a statement of its own, so that nobody has its result.

    False where the line's text shows no atomic.
    """
    found, code = _atomic(line, files)
    if not found:
        return False
    before = code[: found.start()].removesuffix("::").rstrip()
    if before.endswith(")"):  # of an if or a loop, or of a cast
        bracket = opening(before, len(before) - 1, "()")
        return bool(re.search(r"\b(?:if|for|while|constexpr)\s*$", before[:bracket]))
    return before.endswith((";", "{", "}", ":", "else")) or not before


def takes_a_number(line: Line, files: Mapping[str, str]) -> bool:
    """Say whether an atomic of a line counts, and its result is used: who is the last?"""
    found, _ = _atomic(line, files)
    counts = found and re.match(r"atomic(?:Add|Sub|Inc|Dec)", found[0])
    return bool(counts) and not drops_result(line, files)


def asks_for_the_last(line: Line, files: Mapping[str, str]) -> bool:
    """Say whether the result of a line's atomic, which counts, is compared with a number.

    As `ticket == gridDim.x - 1` is. A number that says which part comes next is not.
    """
    found, code = _atomic(line, files)
    if not takes_a_number(line, files):
        return False
    start = max(code.rfind(mark, 0, found.start()) for mark in ";{}") + 1
    statement = code[start : code.find(";", found.end())]
    if re.search(r"[=!]=", statement):
        return True
    name = re.search(r"(\w+)\s*=[^=]*$", code[start : found.start()])
    behind = code[found.end() : found.end() + NEAR]
    return bool(name) and bool(
        re.search(rf"\b{name[1]}\b[^;=]*[=!]=|[=!]=[^;=]*\b{name[1]}\b", behind)
    )


def _atomic(line: Line, files: Mapping[str, str]) -> tuple[re.Match | None, str]:
    code = blank_comments_and_strings(files[line.file])
    start = sum(len(text) + 1 for text in code.split("\n")[: line.number - 1])
    end = code.find("\n", start) + 1
    return re.compile(r"\batomic\w+\s*\(").search(code, start, end), code


def _of_the_thread(above: str, text: str) -> set[str]:
    """Return the names whose values may differ between the threads of a warp."""
    names = set(_THREAD)
    start = max(above.rfind("__global__"), above.rfind("__device__"), 0)
    definitions = [(name, _words(value)) for name, value in _ASSIGNED.findall(above[start:])]
    definitions += [(f"{name}(", _words(body)) for name, body in _FUNCTION.findall(text)]
    while True:
        more = {name for name, words in definitions if words & names} - names
        if not more:
            return names
        names |= more


def _words(text: str) -> set[str]:
    """Return the names in an expression; that of a function that is called with its bracket."""
    return {re.sub(r"\s", "", name) for name in re.findall(r"\b[A-Za-z_]\w*\b(?:\s*\()?", text)}
