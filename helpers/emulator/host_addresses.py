"""Find where host code takes the address of a __device__ function.

nvcc lets it pass, and the address is the host's: a kernel that calls by it ends in a fault.
"""

import re
from collections.abc import Iterator

from helpers.emulator.brackets import closing

_SPACE = re.compile(r"\b__(?:device|global|constant|managed)__\b")
_FUNCTION = re.compile(r"\b__device__\b[^;{}()=]*?\b(\w+)\s*\(")
_TYPE = re.compile(
    r"\b(?:class|struct|union)\b\s*"
    r"(?:(?:alignas|__\w+__)\s*\([^{};]*?\)\s*|\[\[[^{};]*?\]\]\s*)*(\w+)"
)
_BEFORE = re.compile(r"(?:\breturn|[(){=,?:;])\s*$")

# Behind these a name is no value: a macro's own line, a binding, an enumerator, decltype.
_NO_VALUE = re.compile(
    r"(?:^[ \t]*#[^\n]*|\bauto\s*&{0,2}\s*\[[^\]]*|\benum\b[^{};]*\{[^}]*"
    r"|\bdecltype\s*\(\s*)\Z",
    re.MULTILINE,
)


def _bodies(code: str, name: str) -> list[int]:
    """Return where the bodies of functions of a name open."""
    brackets = [match.end() - 1 for match in re.finditer(rf"\b{name}\s*\(", code)]
    ends = [closing(code, bracket) for bracket in brackets]
    return [end for end in ends if end > 0 and re.match(r"\)\s*\{", code[end : end + 80])]


def _heads(code: str) -> Iterator[tuple[str, str]]:
    """Yield the head of each function of device code, up to its brackets, and its name."""
    for match in _FUNCTION.finditer(code):
        start = max(code.rfind(mark, 0, match.start()) for mark in ";{}") + 1
        yield code[start : match.end()], match[1]


def _device_code(code: str) -> list[tuple[int, int]]:
    """Return the stretches that are declarations with an execution or memory space."""
    stretches = []
    for match in _SPACE.finditer(code):
        end = re.compile(r"[;{]").search(code, match.end())
        if end is None:
            continue
        last = closing(code, end.start()) if end[0] == "{" else end.start()
        stretches.append((match.start(), last if last > 0 else len(code)))
    return stretches


def _in_template(code: str, position: int) -> bool:
    """Say whether a position is among the arguments of a template."""
    depth = 0
    for at in range(position - 1, -1, -1):
        mark = code[at]
        if mark in ")]}>":
            depth += 1
        elif mark in "([{<" and depth:
            depth -= 1
        elif mark in "([{;<":
            return mark == "<"
    return False


def _is_declared(code: str, position: int) -> bool:
    """Say whether the name at a position is that of a variable: `float f`, `float e, f`."""
    before = code[max(code.rfind(mark, 0, position) for mark in ";{}") + 1 : position]
    if re.search(r"[\w*&>]\s*$", before) and not re.search(r"\breturn\s*$", before):
        return True
    in_list = before.count("(") == before.count(")") and before.rstrip().endswith(",")
    return in_list and bool(re.match(r"\s*(?:[\w:]+\s+)*[\w:]+[\s*&]+\w+\s*[=,\[]", before))


def host_addresses(code: str) -> Iterator[tuple[int, int]]:
    """Yield where such an address begins and ends. code: without comments and strings."""
    if "__device__" not in code:
        return
    heads = list(_heads(code))
    names = {name for words, name in heads if "__host__" not in words and name != "operator"}
    names -= {name for words, name in heads if "__host__" in words}
    names -= set(_TYPE.findall(code))  # a constructor
    names -= {
        name for name in names if len(_bodies(code, name)) > 1
    }  # which of them, C++ decides
    if not names:
        return
    device = _device_code(code)
    expression = re.compile(
        rf"(?<![\w.>:&])(?:&\s*)?(?:\w+\s*::\s*)*\b(?P<name>{'|'.join(sorted(names))})\b"
        r"(?:\s*<[\w\s,:]*>)?(?!\s*[\w(<:])"
    )
    variables: set[str] = set()
    found = []
    for match in expression.finditer(code):
        if any(start <= match.start() < end for start, end in device):
            continue
        if _is_declared(code, match.start()):
            variables.add(match["name"])
        elif _BEFORE.search(code, 0, match.start()) and not _in_template(code, match.start()):
            found.append(match)
    for match in found:
        if match["name"] not in variables and not _NO_VALUE.search(code, 0, match.start()):
            yield match.start(), match.end()
