"""Compile a .cu file for the CPU: translate it, then run g++, without a shell."""

from __future__ import annotations

import functools
import hashlib
import os
import re
import shutil
import subprocess
import tempfile
from pathlib import Path

from helpers import sources
from helpers.emulator import precompiled
from helpers.emulator.translate import translate
from helpers.errors import BuildError, CompileError

HERE = Path(__file__).resolve().parent
INCLUDE = HERE / "include"
FLAGS = (
    "-std=c++17",
    "-O2",
    "-ftree-vectorize",
    "-fPIC",
    "-pthread",
    "-fno-gnu-unique",
    "-fno-strict-aliasing",
    "-fwrapv",
    "-ffp-contract=off",
    "-fno-math-errno",
    "-fstack-protector-strong",
    "-fstack-clash-protection",
    "-U_FORTIFY_SOURCE",
    "-fvisibility-inlines-hidden",
    "-fsanitize=alignment,return,bounds",
    "-D_GLIBCXX_ASSERTIONS",
    "-fno-sanitize-recover=alignment,return",
    "-g0",
    "-Wno-unknown-pragmas",
    "-Wno-attributes",
    "-fno-diagnostics-show-caret",
    "-fdiagnostics-color=never",
    "-ftemplate-backtrace-limit=1",
)
# Functions that end the process or allocate: emulator_launcher.h has what is called instead.
WRAPPED = (
    *("exit", "_exit", "_Exit", "quick_exit", "abort", "malloc", "calloc", "realloc", "free"),
    "_ZSt21__glibcxx_assert_failPKciS0_S0_",  # of the C++ library: an index past a vector's end
    *("_Znam", "_ZdaPv", "_ZdaPvm", "_Znwm", "_ZdlPv", "_ZdlPvm"),  # new, delete
)
LINK_FLAGS = (
    "-shared",
    "-pthread",
    "-Wl,-Bsymbolic",
    "-Wl,-z,relro,-z,now",
    *(f"-Wl,--wrap={name}" for name in WRAPPED),
)


def compiler() -> str:
    """Return the path of the C++ compiler: $CXX, else g++ from the PATH.

    Raises BuildError if there is none.
    """
    name = os.environ.get("CXX") or "g++"
    found = shutil.which(name)
    if not found:
        raise BuildError(
            f"no C++ compiler: {name!r} is not there, and without a GPU it compiles the "
            "kernels. Install g++ 9 or newer (Debian, Ubuntu: `sudo apt install g++`; "
            "conda: `conda install -c conda-forge gxx`), or name one in $CXX"
        )
    return found


@functools.cache
def _processor_flags() -> tuple[str, ...]:
    """Return the flags that make float16 and fused multiply-adds fast on this processor."""
    try:
        flags = re.search(r"^flags\s*:(.*)$", Path("/proc/cpuinfo").read_text(), flags=re.M)
    except OSError:
        return ()
    words = set(flags[1].split()) if flags else set()
    return ("-mavx2", "-mfma", "-mf16c") if {"avx2", "fma", "f16c"} <= words else ()


@functools.cache
def _version(path: str) -> str:
    try:
        run = subprocess.run([path, "--version"], capture_output=True, text=True, check=False)
    except OSError as error:
        raise BuildError(
            f"the compiler {Path(path).name} cannot be run: {error.strerror}"
        ) from None
    return run.stdout.partition("\n")[0]


@functools.cache
def _sources_hash() -> str:
    digest = hashlib.sha256()
    own = [HERE / f"{name}.py" for name in ("translate", "brackets", "compile", "precompiled")]
    code = [*own, Path(sources.__file__)]
    for file in [*code, *sorted(INCLUDE.iterdir())]:
        digest.update(file.name.encode() + b"\0" + file.read_bytes() + b"\0")
    return digest.hexdigest()


def fingerprint() -> str:
    """Return a hash of what every build depends on: headers, translation, flags, compiler.

    Raises BuildError if there is no compiler.
    """
    path = compiler()
    parts = (_sources_hash(), _version(path), path, FLAGS, LINK_FLAGS, _processor_flags())
    return hashlib.sha256(repr(parts).encode()).hexdigest()[:16]


def _translate_tree(source: Path, folder: Path) -> Path:
    """Translate a file and its local headers into `folder`; return the main file's path."""
    files = sources.read_sources(source)
    names = {path: f"{number}_{path.stem}.cpp" for number, path in enumerate(files)}
    for path, text in files.items():

        def renamed(included: str, path: Path = path) -> str:
            return names.get(sources.resolve_include(path, included), included)

        (folder / names[path]).write_text(translate(text, path.name, renamed), encoding="utf-8")
    return folder / names[source]


def _errors(log: str, name: str) -> str:
    """Return the compiler's first five errors, with the learner's file and line."""
    found = []
    for line in log.splitlines():
        match = re.match(
            r"(?P<file>.*?):(?P<line>\d+):(?:\d+:)? (?:fatal )?error: (?P<what>.*)", line
        )
        if match:
            what = match["what"].replace("emulator::", "")
            words = f"{Path(match['file']).name}:{match['line']}: {what}"
            if words not in found:
                found.append(words)
    if not found:
        found = [line for line in log.splitlines() if line.strip()][-5:]
    return f"{name} does not compile:\n    " + "\n    ".join(found[:5])


def _run(command: list[str], name: str, folder: Path) -> None:
    try:
        run = subprocess.run(
            command,
            capture_output=True,
            text=True,
            errors="replace",
            check=False,
            env={**os.environ, "LC_ALL": "C"},
        )
    except OSError as error:
        raise BuildError(f"the compiler cannot be run: {error.strerror}") from None
    if run.returncode:
        log = run.stderr.replace(f"{folder}/", "")
        raise CompileError(_errors(log, name), log)


def _command() -> list[str]:
    return [compiler(), *FLAGS, *_processor_flags(), f"-I{INCLUDE}"]


def precompile_headers(folder: Path) -> Path | None:
    """Precompile the emulator's headers into a new folder for `build`; None with clang.

    Clang's precompiled headers become invalid with the date of a file that they include.
    Raises BuildError if the compiler is missing, OSError if the folder cannot be written.
    """
    if "clang" in _version(compiler()):
        return None
    precompiled.precompile(_command(), folder)
    return folder


def build(source: Path, output: Path, headers: Path | None = None) -> None:
    """Compile a .cu file into the shared library `output`, atomically.

    headers: the folder that `precompile_headers` has made.

    Raises CompileError with the file, line and words of at most five errors; BuildError if the
    compiler is missing.
    """
    source, output = Path(source).resolve(), Path(output)
    first = str(headers / precompiled.PRELUDE) if headers else precompiled.HEADER
    command = [*_command(), f"-I{source.parent}", "-include", first]
    with tempfile.TemporaryDirectory(prefix="emulator-", dir=output.parent) as work:
        folder = Path(work)
        main = _translate_tree(source, folder)
        _run([*command, "-c", str(main), "-o", str(folder / "kernel.o")], source.name, folder)
        link = [compiler(), *LINK_FLAGS, str(folder / "kernel.o")]
        _run([*link, "-o", str(folder / "kernel.so")], source.name, folder)
        os.replace(folder / "kernel.so", output)
