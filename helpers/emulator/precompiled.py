"""Compile what all libraries share once: the emulator's headers and its own code.

A kernel's build then parses no header, which halves its time with g++ (its manual, "Using
Precompiled Headers"), and compiles the kernel only, which takes a third of the rest. What the
compiler does not take or cannot make is passed over: the header is read as text, the code is
compiled with the kernel.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

HEADER = "cuda_runtime.h"  # nvcc, too, includes it before everything else
PRELUDE = "prelude.h"
SECOND = "second.h"  # the same text, for the second form of kernels (abreast.py)
RUNTIME = "runtime.o"
UNCHECKED = ("-fno-sanitize=all", "-fno-stack-protector")  # RUNTIME holds no code of a kernel
APART = "-DEMULATOR_RUNTIME_APART"  # declares what RUNTIME has (include/emulator_types.h)
# Functions of <cmath> that a kernel's build leaves out if the file does not name one.
SPECIAL_FUNCTIONS = re.compile(
    r"\b(?:assoc_(?:laguerre|legendre)|beta|(?:comp_)?ellint_[123]|cyl_(?:bessel_[ijk]|neumann)"
    r"|expint|hermite|laguerre|legendre|riemann_zeta|sph_(?:bessel|legendre|neumann))[fl]?\b"
    r"|\btr1/"
)


def precompile(
    command: Sequence[str],
    folder: Path,
    flags: Sequence[str] = (),
    *,
    header: bool = True,
    second: Sequence[str] = (),
    also: Callable[[Path], None] = lambda folder: None,
) -> None:
    """Make `folder`, atomically, with PRELUDE and what the compiler makes of it, if it can.

    command: the compiler and what a kernel and RUNTIME are compiled with. flags: those of a
    kernel alone. header: precompile the header, too. second: precompile it once more, as
    SECOND, with these flags. also: adds files of its own to the folder that it is given.
    """
    folder.parent.mkdir(parents=True, exist_ok=True)
    work = Path(tempfile.mkdtemp(prefix=f"{folder.name}.building-", dir=folder.parent))
    try:
        prelude = work / PRELUDE
        prelude.write_text(f"#include <{HEADER}>\n", encoding="utf-8")
        runtime = [*command, *UNCHECKED, "-x", "c++", "-c", str(prelude)]
        of_kernels = [*command, APART, *flags, "-x", "c++-header", str(prelude)]
        of_second = [*command, *second, "-x", "c++-header", str(work / SECOND)]
        with ThreadPoolExecutor() as pool:  # a compiler each: nothing can be built meanwhile
            made = pool.submit(_compile, runtime, work / RUNTIME)
            if header:
                pool.submit(_compile, of_kernels, work / f"{PRELUDE}.gch")
            if header and second:
                (work / SECOND).write_bytes(prelude.read_bytes())
                pool.submit(_compile, of_second, work / f"{SECOND}.gch")
            also(work)
        if not made.result():
            (work / f"{PRELUDE}.gch").unlink(missing_ok=True)
        work.chmod(0o755)  # others may share the cache
        os.replace(work, folder)
    finally:
        shutil.rmtree(work, ignore_errors=True)


def included(first: str, texts: Iterable[str]) -> list[str]:
    """Return the flags that include a header, and what it leaves out of <cmath>, before all."""
    special = any(map(SPECIAL_FUNCTIONS.search, texts))
    names = [first, "emulator_special_functions.h"] if special else [first]
    return [word for name in names for word in ("-include", name)]


def _compile(command: Sequence[str], output: Path) -> bool:
    run = subprocess.run([*command, "-o", str(output)], capture_output=True, check=False)
    if run.returncode:
        output.unlink(missing_ok=True)
    return run.returncode == 0
