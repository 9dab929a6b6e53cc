"""Say what is wrong with a build: the compiler's words on the learner's line, or a remedy."""

from __future__ import annotations

import errno
import itertools
import re
import tempfile
from pathlib import Path

from helpers.emulator import hints
from helpers.errors import BuildError, CompileError
from helpers.run import toolchain
from helpers.run.doctor import compiler_problems
from helpers.sources import blank_comments_and_strings

MAKE_ROOM = "Make room on that disk, or set ELEMENTWISE_CACHE to a folder on another one"
OWN_FOLDER = "Set ELEMENTWISE_CACHE to a folder that you own"
MOST_ERRORS = 5
# Lines of a log that repeat the command.
_COMMAND = re.compile(r"^\[\d+/\d+\]|^FAILED|^Error building|\bnvcc\b.* -c ")
_NO_ROOM = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)


def nvcc_message(log: str, name: str) -> str:
    """Extract the compiler's own errors from a build log, with the learner's file and line.

    name: of the .cu file. At most five errors and one hint; the log's last lines if it names
    no error.
    """
    errors = []
    lines = log.splitlines()
    for line, following in itertools.zip_longest(lines, lines[1:], fillvalue=""):
        # The CUDA front end writes file(12): error, the preprocessor file:12:10: fatal error.
        match = re.match(
            r"(?P<file>.*?)(?:\((?P<cuda>\d+)\)|:(?P<line>\d+):\d+): "
            r"(?P<what>(?:catastrophic |fatal )?error.*)",
            line,
        )
        if match:
            where = f"{Path(match['file']).name}:{match['cuda'] or match['line']}"
            errors.append(_nvcc_error(where, match["what"], following.strip()))
        elif match := re.match(r"At end of source: error[^:]*: (?P<words>.*)", line):
            opened = re.match(r".*\((\d+)\): note.*: to match this (.*)", following)
            partner = f", to match the {opened[2]} of line {opened[1]}" if opened else ""
            errors.append(f"{name}, at its end: {match['words']}{partner}")
    if not errors:
        errors = [
            line
            for line in lines
            if re.search(r"error|fatal", line, flags=re.I) and not _COMMAND.search(line)
        ]
    return hints.message(name, errors[:MOST_ERRORS] or lines[-MOST_ERRORS:])


def _nvcc_error(where: str, what: str, line: str) -> str:
    """Return nvcc's words with the source line, or those that the emulator has for the same."""
    words = re.sub(r"^(?:catastrophic |fatal )?error[^:]*: ", "", what)
    plain = hints.plain_words(words)
    return f"{where}: {plain}" if plain != words else f"{where}: {what}\n        {line}"


def without_a_body(error: OSError, path: Path, sources: dict[Path, str]) -> CompileError | None:
    """Say which function has no body, if a library cannot be opened for the lack of one."""
    match = re.search(r"undefined symbol: (\w+)|symbol not found in [^']*'_(\w+)'", str(error))
    if not match:
        return None
    name = _plain_name(match[1] or match[2])
    code = blank_comments_and_strings(sources[path])
    # A declaration has a type before the name.
    found = re.search(rf"(?<![\w*&] )\b{name}\b", code) or re.search(rf"\b{name}\b", code)
    at = f":{code.count(chr(10), 0, found.start()) + 1}" if found else ""
    words = f"{path.name}{at}: the code of `{name}` is not in this file or what it includes"
    return CompileError(hints.message(path.name, [words]), log=str(error))


def _plain_name(symbol: str) -> str:
    """Return a function's name of a linker's: _ZN3box4fillEPfi is fill (Itanium C++ ABI)."""
    rest, name = re.sub(r"^_ZN?[KL]*", "", symbol), symbol
    while symbol.startswith("_Z") and (size := re.match(r"\d+", rest)):
        end = size.end() + int(size[0])
        name, rest = rest[size.end() : end], rest[end:]
        if not symbol.startswith("_ZN"):
            break  # what follows is the type of its first parameter
    return name


def cannot_write(error: OSError, folder: Path) -> BuildError:
    """Say that the cache cannot be written, and what to do."""
    remedy = MAKE_ROOM if error.errno in _NO_ROOM else OWN_FOLDER
    return BuildError(f"cannot write the build folder {folder}: {error.strerror}. {remedy}")


def explain(error: Exception, name: str, cache: Path, emulated: bool) -> Exception:
    """Return a build's error as it is, or a BuildError with a remedy if the kernel is right.

    name: of the .cu file. cache: the folder of the builds. emulated: built by the C++ compiler.
    """
    log = error.log if isinstance(error, CompileError) else ""
    if (isinstance(error, OSError) and error.errno in _NO_ROOM) or re.search(
        r"no space left|disk quota exceeded|file size limit|file too large", log, flags=re.I
    ):
        return BuildError(
            f"cannot build {name}: no space left in {cache} or {tempfile.gettempdir()}. "
            + MAKE_ROOM
        )
    if isinstance(error, OSError):
        return BuildError(
            f"cannot build {name} in {cache}: {error.strerror or error}. {OWN_FOLDER}"
        )
    if re.search(
        r"\bKilled\b|out of memory|cannot allocate memory|virtual memory exhausted", log
    ):
        return BuildError(
            f"the compiler was killed while it built {name}: is memory short? "
            "Close other notebooks"
        )
    if match := re.search(r"unsupported (?:GNU|clang) version!.*", log):
        return BuildError(
            f"nvcc does not work with this machine's C++ compiler: {match[0]} "
            "Install an older g++ and name it: NVCC_PREPEND_FLAGS='-ccbin g++-13'"
        )
    if match := re.search(r"unsupported gpu architecture '\w+'", log, flags=re.I):
        return BuildError(
            f"nvcc is too old for this GPU: {match[0]}. Install a newer CUDA toolkit, of the "
            "same major version as torch's CUDA, and set CUDA_HOME to it"
        )
    if emulated and log:
        problems = compiler_problems(toolchain.compiler(), toolchain.find_compiler())
        for problem in problems:
            return BuildError(f"{problem.what}: {problem.remedy}")
    return error
