"""Build a .cu file so that every access, branch and barrier of its threads is reported.

The compiler puts a call before each access that may leave the thread (`-fsanitize=thread`) and
at each basic block and comparison (`-fsanitize-coverage`). The functions that are called are
those of tracing/trace.cpp, not the sanitizer's library. Widths follow nvcc's rule, as far as
the emulator's headers and these flags can make it so: a struct that is copied as plain bytes
moves in pieces as wide as its alignment, at most 16 bytes (-fno-tree-sra keeps the copy whole,
`copied_structs` tells the alignment); one with copy functions of its own, such as half2, moves
by itself. A copy into a variable counts whole, though nvcc leaves out unread members.
"""

from __future__ import annotations

import functools
import hashlib
import re
import shutil
import subprocess
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from helpers.emulator import compile as compiling
from helpers.errors import BuildError

TRACING = Path(__file__).resolve().parent / "tracing"
TRACER = "trace.o"
DEFINES = ("-DEMULATOR_TRACE",)  # for the emulator's own code, too
FLAGS = (
    *DEFINES,
    "-D__CUDA_ARCH_LIST__=900",  # no access of more than 16 bytes
    "-g1",  # line tables, with the functions that were inlined
    # Where variables lie is not asked; without it the same code is made in less time.
    "-fno-var-tracking",
    "-fno-var-tracking-assignments",
    "-gdwarf-4",  # of 5, addr2line (binutils 2.40) names another file where a section begins
    "-fsanitize=thread",
    "--param=tsan-distinguish-volatile=1",
    "-fsanitize-coverage=trace-pc,trace-cmp",
    "-fno-tree-sra",
    # Functions are inlined, as by nvcc: g++ does not report the copy of an argument of a call.
    "-fno-semantic-interposition",
    # Code in the order of the source, each place once: `warps.h` goes by the order.
    "-fno-reorder-blocks",
    "-fno-reorder-blocks-and-partition",
    "-fno-reorder-functions",
    "-fno-thread-jumps",
    "-fno-crossjumping",
    "-fno-tree-tail-merge",
)
# The tracer runs at each access: it is compiled to be fast, without the checks of a kernel.
TRACER_FLAGS = (
    *DEFINES,
    "-O3",
    "-fno-sanitize=all",
    "-U_GLIBCXX_ASSERTIONS",
    "-fno-stack-protector",
    "-fno-stack-clash-protection",
    "-fvisibility=hidden",
)


@functools.cache
def fingerprint() -> str:
    """Return a hash of what a traced build depends on beyond `compile.fingerprint`."""
    digest = hashlib.sha256(repr((compiling.fingerprint(), FLAGS, TRACER_FLAGS)).encode())
    for file in sorted(TRACING.iterdir()):
        digest.update(file.name.encode() + b"\0" + file.read_bytes() + b"\0")
    return digest.hexdigest()[:16]


def prepare(folder: Path, headers: Path) -> Path:
    """Compile what all traced builds share into a new folder: the tracer and the headers.

    headers: what `compile.precompile_headers` has made; the front end's part of it is used here
    as well. Raises BuildError, CompileError.
    """
    require_gcc()

    def add(work: Path) -> None:
        compiling.compile_object(TRACING / "trace.cpp", work / TRACER, TRACER_FLAGS)
        for parsed in headers.glob("*.pch"):
            shutil.copyfile(parsed, work / parsed.name)

    return compiling.precompile_headers(folder, FLAGS, DEFINES, add)


def build(source: Path, output: Path, prepared: Path) -> None:
    """Compile a .cu file into the traced shared library `output`, atomically.

    prepared: the folder that `prepare` has made. Raises CompileError or BuildError as
    `compile.build`.
    """
    compiling.build(source, output, prepared, FLAGS, objects=(prepared / TRACER,))


def require_gcc() -> None:
    """Raise BuildError if the compiler is not g++."""
    if "clang" in compiling._version(compiling.compiler()):
        raise BuildError(
            "a trace needs g++: clang does not report the same accesses. Install g++, or name "
            "it in $CXX"
        )


@dataclass(frozen=True)
class Line:
    """A line of a file that the learner wrote.

    inner: the place lies in a function of the emulator's that the line calls.
    """

    file: str
    number: int
    inner: bool = field(default=False, compare=False)

    def __str__(self) -> str:
        return f"{self.file}:{self.number}"


def lines(library: Path, places: Iterable[int], files: Mapping[str, str]) -> dict[int, Line]:
    """Find the line of each place in the code, given as offsets behind a call.

    files: texts of the learner's files by name. Of functions that were inlined into each other,
    the innermost in such a file counts. Places outside of kernels are left out.

    Raises BuildError if there is no addr2line, which comes with the compiler (binutils).
    """
    wanted = sorted(set(places) - {0, 0xFFFFFFFF})
    if not wanted:
        return {}
    offsets = "\n".join(hex(place - 1) for place in wanted)
    printed = output_of("addr2line", "-a", "-i", "-e", str(library), given=offsets)
    found = {}
    each = re.split(r"^0x\w+\n", printed, flags=re.M)[1:]
    for place, frames in zip(wanted, each, strict=True):
        chain = re.findall(r"^(?:.*/)?([^/\n]+):(\d+)", frames, flags=re.M)
        own = [
            Line(file, int(line), inner=depth > 0)
            for depth, (file, line) in enumerate(chain)
            if file in files and not _declares(files[file], int(line))
        ]
        # The last frame of an inlined kernel is the line of its launch, in a function of the
        # emulator's: alone it means the launch itself, which copies the parameters.
        launched = "emulator_runtime.h" in frames
        if len(own) > launched:
            found[place] = own[0]
    return found


def _declares(text: str, line: int) -> bool:
    """Say whether a struct begins on a line: it is the line of its implicit copy functions."""
    lines = text.splitlines()
    return line <= len(lines) and bool(re.search(r"\b(struct|class)\s+\w", lines[line - 1]))


def output_of(tool: str, *arguments: str, given: str = "") -> str:
    """Run a tool that came with the compiler, such as `nm`; return what it prints.

    given: what it reads from its standard input. Raises BuildError if it is not there or fails.
    """
    try:
        return subprocess.run(
            [_path_of(tool), *arguments],
            input=given,
            capture_output=True,
            text=True,
            check=True,
        ).stdout
    except (OSError, subprocess.CalledProcessError) as error:
        raise BuildError(f"{tool} cannot read what was built: {error}") from None


def _path_of(name: str) -> str:
    """Return the path of a tool that came with the compiler; BuildError if it is not there."""
    asked = subprocess.run(
        [compiling.compiler(), f"-print-prog-name={name}"],
        capture_output=True,
        text=True,
        check=False,
    ).stdout.strip()
    path = shutil.which(asked or name) or shutil.which(name)
    if not path:
        raise BuildError(f"no {name}: install binutils, which comes with g++")
    return path
