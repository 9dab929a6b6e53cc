"""Build a kernel whose warps run in lockstep: a step of all lanes, then the next step.

Before Volta warps ran like this, and kernels of that time leave out __syncwarp(). One that is
right in lockstep only has such a mistake. The compiler calls a function before each access to
memory (`-fsanitize=thread`); include/emulator_lockstep.h has the functions.
"""

from __future__ import annotations

from pathlib import Path

from helpers.emulator import compile as compiling
from helpers.errors import BuildError

FLAGS = ("-DEMULATOR_LOCKSTEP", "-fsanitize=thread", "--param=tsan-distinguish-volatile=1")


def build(source: Path, output: Path, headers: Path | None = None) -> None:
    """Compile a .cu file into the shared library `output`; needs g++ 11 or newer.

    headers: what `compile.precompile_headers` has made.

    Raises BuildError with another compiler, CompileError with the compiler's words.
    """
    if compiling._is_clang():
        raise BuildError("warps in lockstep need g++; the C++ compiler here is clang")
    compiling.build(source, output, headers, FLAGS)
