"""Read a .cu file and the local files that it includes; find comments, includes and the hash.

The one reader of CUDA source text. Includes are found as the preprocessor finds them, as far as
that goes without macros: `#include MACRO` and `__has_include` are not followed, and branches of
`#if` are all taken.
"""

from __future__ import annotations

import functools
import hashlib
import os
import re
import tempfile
from pathlib import Path

from helpers import course, paths
from helpers.errors import BuildError, LauncherError

# A backslash at the end of a line continues it; GCC lets blanks follow the backslash.
_CONTINUED = r"\\[ \t]*\n"
_TOKEN = re.compile(
    rf"""
      (?P<comment>
          /(?:{_CONTINUED})*/ (?: {_CONTINUED} | [^\n] )*
        | /(?:{_CONTINUED})*\* .*? (?: \*(?:{_CONTINUED})*/ | \Z ) )
    | (?P<literal>
          (?:u8|[uUL])? R"(?P<mark>[^()\\\s]{{0,16}})\( .*? \)(?P=mark)"
        | (?:u8|[uUL])? " (?: {_CONTINUED} | \\. | [^"\\\n] )* "
        | (?:u8|[uUL])? ' (?: {_CONTINUED} | \\. | [^'\\\n] )+ ' )
    | \.?[0-9] (?: '\w | [eEpP][+-] | [\w.] )*  # a number: its ' is a separator
    | (?P<word>[A-Za-z_]\w*)
    """,
    flags=re.S | re.X,
)
_BLANK = rf"(?:[ \t]|{_CONTINUED})*"
_INCLUDE = re.compile(rf"^{_BLANK}\#{_BLANK}include(?!\w)", flags=re.M)
_QUOTED = re.compile(rf'(?:[ \t]|{_CONTINUED}|/\*.*?\*/)*"([^"\n]+)"', flags=re.S)


@functools.lru_cache(maxsize=8)  # a translation asks for the same text several times
def blank_comments_and_strings(text: str) -> str:
    """Replace comments, strings and characters by spaces: every position and line stays.

    The literal of a linkage specification, `extern "C"`, is code and stays.
    """
    previous = ""

    def blank(match: re.Match) -> str:
        nonlocal previous
        token = match.group()
        if match.lastgroup == "word":
            previous = token
        elif match.lastgroup == "comment":
            return re.sub(r"[^\n]", " ", token)
        elif match["literal"] and not (token == '"C"' and previous == "extern"):
            return re.sub(r"[^\n]", " ", token)
        return token

    return _TOKEN.sub(blank, text)


def local_includes(text: str) -> list[re.Match]:
    """Find the `#include "name"` lines outside of comments; group 1 is the name."""
    code = blank_comments_and_strings(text)
    found = [_QUOTED.match(text, line.end()) for line in _INCLUDE.finditer(code)]
    return [match for match in found if match]


def source_path(name: str | Path) -> Path:
    """Find the .cu file of a kernel's name ("v1_f32" is kernels/v1_f32.cu) or of a path.

    Raises TypeError or ValueError for anything else, FileNotFoundError, with the kernels that
    exist, if there is no such file, and CourseError in a lesson of another folder.
    """
    if not isinstance(name, (str, Path)):
        raise TypeError(f"a kernel is named by a str or a Path, not {type(name).__name__}")
    path = Path(name)
    if path.suffix != ".cu":
        if not re.fullmatch(r"\w+", str(name)):
            raise ValueError(
                f"{str(name)!r} is neither a kernel's name (letters, digits, _) "
                "nor a path to a .cu file"
            )
        course.check_place(paths.ROOT)
        path = paths.KERNELS / f"{name}.cu"
    if not path.is_file():
        known = ", ".join(sorted(kernel.stem for kernel in paths.KERNELS.glob("*.cu")))
        raise FileNotFoundError(
            f"no file {path.name} in {path.parent.name or '.'}/; the kernels there are: {known}"
        )
    return path.resolve()


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except UnicodeDecodeError:
        raise LauncherError(
            f"{path.name} is not text: a kernel is a CUDA C++ source file in UTF-8"
        ) from None
    except OSError as error:
        raise BuildError(f"cannot read {path}: {error.strerror}") from None


def resolve_include(including: Path, name: str) -> Path:
    """Return the path that `#include "name"` means in the file `including`."""
    return (including.parent / name).resolve()


def read_sources(path: Path) -> dict[Path, str]:
    """Read a file and every local file that it includes, directly or not: texts by path.

    The file itself comes first, then what it includes, then what those include. A file that
    is not there is left to the compiler, which searches further and reports it.

    Raises LauncherError if a file is not UTF-8 text, BuildError if it cannot be read.
    """
    path = Path(path).resolve()
    sources = {path: _read(path)}
    waiting = [path]
    while waiting:
        file = waiting.pop(0)
        for match in local_includes(sources[file]):
            included = resolve_include(file, match[1])
            if included not in sources and included.is_file():
                sources[included] = _read(included)
                waiting.append(included)
    return sources


def write_whole(path: Path, text: str) -> None:
    """Write a file, or write it anew, so that nobody reads a part of it."""
    with tempfile.NamedTemporaryFile(
        "w", dir=path.parent, delete=False, encoding="utf-8"
    ) as file:
        file.write(text)
    os.chmod(file.name, 0o644)
    os.replace(file.name, path)


def digest(sources: dict[Path, str]) -> str:
    """Hash file names and texts (SHA-256, hexadecimal); where the files lie does not matter."""
    content = hashlib.sha256()
    for path, text in sources.items():
        content.update(f"{path.name}\0{text}\0".encode())
    return content.hexdigest()


def code_digest(sources: dict[Path, str]) -> str:
    """Hash file names and code as `digest` does; comments, blanks and lines do not count."""
    return digest({path: "".join(_code(text).split()) for path, text in sources.items()})


def _code(text: str) -> str:
    return _TOKEN.sub(lambda token: "" if token["comment"] else token.group(), text)
