"""Compile a .cu file for any architecture and disassemble it, with a cache."""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from pathlib import Path

from helpers import sources
from helpers.errors import BuildError, CompileError, pip_install
from helpers.measure.sass import disassembly
from helpers.measure.sass.report import SassReport, parse_report, report_text
from helpers.run import cache, toolchain

FLAGS = ("-O3", "-std=c++17", "-lineinfo", "-Xptxas=-v")
FORMAT = 2  # of the cached listings: raise it when their text changes
HOW_TO_GET_THE_TOOLS = (
    "install them, in the course's folder, with "
    + pip_install('-e ".[sass]"')
    + " (about 300 MB), or install a CUDA toolkit"
)


@dataclass(frozen=True)
class Tools:
    """The compiler and the disassemblers; None for one that this machine does not have."""

    nvcc: toolchain.Tool | None
    nvdisasm: toolchain.Tool | None
    cuobjdump: toolchain.Tool | None  # not used here; for a learner's own use

    def __str__(self) -> str:
        lines = []
        for field in fields(self):
            tool = getattr(self, field.name)
            found = f"{tool.version} ({tool.found})" if tool else "not found"
            lines.append(f"{field.name:10} {found}")
        return "\n".join(lines)


def find_tools(arch: str | tuple[int, int] | None = None) -> Tools:
    """Find nvcc, nvdisasm and cuobjdump; with `arch` the first ones that know it."""
    wanted = None if arch is None else arch_name(arch)
    return Tools(*(toolchain.find_tool(field.name, wanted) for field in fields(Tools)))


def arch_name(arch: str | tuple[int, int]) -> str:
    """Return "sm_90" for "sm_90", "9.0" or (9, 0). Raises ValueError for anything else."""
    text = f"{arch[0]}.{arch[1]}" if isinstance(arch, tuple) else arch
    if isinstance(text, str) and (match := re.fullmatch(r"(?:sm_)?(\d+)\.?(\d[af]?)", text)):
        return f"sm_{match[1]}{match[2]}"
    raise ValueError(f"{arch!r} is not an architecture: write it as 'sm_90' or '9.0'")


def compile_report(path: Path, arch: str, flags: Sequence[str] = ()) -> SassReport:
    """Compile and disassemble a .cu file now, or read the result of the last time.

    Raises CompileError, with the compiler's words, if the file is wrong; BuildError if a tool
    is missing or fails.
    """
    tools = find_tools(arch)
    missing = [name for name in ("nvcc", "nvdisasm") if getattr(tools, name) is None]
    if missing:
        missing = " and no ".join(missing)
        raise BuildError(f"no {missing} for {arch} on this machine: {HOW_TO_GET_THE_TOOLS}")
    texts = sources.read_sources(path)
    versions = (tools.nvcc.version, tools.nvdisasm.version)
    report = SassReport(path.name, arch, sources.digest(texts), *versions, tuple(flags), (), ())
    cached = _cache_file(report)
    if cached and cached.is_file():
        return parse_report(cached.read_text(encoding="utf-8"))

    log, text = _compile_and_disassemble(tools, path, arch, report.flags)
    kernels = disassembly.parse_kernels(text, disassembly.resources(log), texts)
    report = replace(report, kernels=tuple(kernels), warnings=disassembly.warnings(log))
    if cached:
        partial = cached.with_suffix(f".{os.getpid()}")
        partial.write_text(report_text(report), encoding="utf-8")
        os.replace(partial, cached)
    return report


def _cache_file(empty: SassReport) -> Path | None:
    """Return the file of a report, named by all that it depends on; None without a cache."""
    key = hashlib.sha256(repr((FORMAT, FLAGS, empty)).encode()).hexdigest()[:16]
    try:
        folder = cache.folder()
    except BuildError:  # a folder that cannot be written costs only the cache
        return None
    return folder / f"{Path(empty.file).stem}-{empty.arch}-{key}.sass.txt"


def _compile_and_disassemble(
    tools: Tools, path: Path, arch: str, flags: tuple[str, ...]
) -> tuple[str, str]:
    """Return what the compiler said, and the code as nvdisasm prints it.

    For inlined code, nvdisasm names the source line and the lines that called it.
    """
    with tempfile.TemporaryDirectory() as folder:
        cubin = Path(folder) / "kernel.cubin"
        command = [tools.nvcc.path, "-cubin", f"-arch={arch}", *FLAGS, *flags]
        done = run_tool(*command, path, "-o", cubin, timeout=300, cwd=cubin.parent)
        log = done.stdout + done.stderr
        if done.returncode or not cubin.is_file():
            _raise_compile_error(log, path, arch, tools.nvcc.version)
        options = ("--print-code", "--print-line-info-inline")
        done = run_tool(tools.nvdisasm.path, *options, cubin, timeout=120)
    if done.returncode:
        words = done.stderr.strip()[:500]
        raise BuildError(f"nvdisasm {tools.nvdisasm.version} failed: {words}")
    return log, done.stdout


def _raise_compile_error(log: str, path: Path, arch: str, version: str) -> None:
    """Raise CompileError, or BuildError if the machine is at fault, with five lines at most."""
    log = log.replace(str(path.parent) + os.sep, "")
    is_error = re.compile(r"\berror\b|fatal|not found|No such", re.I)
    errors = [line for line in log.splitlines() if is_error.search(line)]
    words = "\n    ".join((errors or log.splitlines() or ["(it said nothing)"])[:5])
    if any(line.startswith(path.name) for line in errors):
        raise CompileError(f"{path.name} does not compile for {arch}:\n    {words}")
    if shutil.which("g++") is None and shutil.which("c++") is None:
        raise BuildError(
            f"nvcc needs a C++ compiler, and there is no g++ on this machine:\n    {words}"
        )
    raise CompileError(f"nvcc {version} failed on {path.name} for {arch}:\n    {words}")


def run_tool(
    *command: str | Path, timeout: float, cwd: Path | None = None
) -> subprocess.CompletedProcess:
    """Run a program without a shell. Raises BuildError if it is missing, broken or hangs."""
    words = [str(word) for word in command]
    name = Path(words[0]).name
    try:
        return subprocess.run(words, capture_output=True, text=True, timeout=timeout, cwd=cwd)
    except subprocess.TimeoutExpired:
        raise BuildError(f"{name} did not end within {timeout:g} s") from None
    except OSError as error:
        raise BuildError(f"{name} could not be run: {error.strerror}") from None
