"""Find the compilers and the CUDA tools: nvcc, g++, compute-sanitizer, nvdisasm."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from helpers import settings

OLDEST_GXX = 9  # the first g++ with complete C++17
OLDEST_CLANG = 10


@dataclass(frozen=True)
class Nvcc:
    """A CUDA compiler: its toolkit's folder, its version ("13.0") and how it was found."""

    home: Path
    version: str
    found: str

    @property
    def path(self) -> Path:
        """The program itself."""
        return self.home / "bin" / "nvcc"


@dataclass(frozen=True)
class Tool:
    """A program of the CUDA toolkit: its path, how it was found, its version ("13.0.88")."""

    path: Path
    found: str
    version: str


@dataclass(frozen=True)
class Compiler:
    """A C++ compiler: its command, its name ("g++" or "clang++") and its version."""

    command: str
    name: str
    version: str

    @property
    def oldest(self) -> int:
        """The first major version that compiles the course."""
        return OLDEST_CLANG if self.name == "clang++" else OLDEST_GXX

    @property
    def is_too_old(self) -> bool:
        """Whether this version is known and older than the oldest that works."""
        major = re.match(r"\d+", self.version)
        return bool(major) and int(major[0]) < self.oldest


def ask(*command: str | Path, timeout: float = 20) -> str:
    """Run a command, without a shell; return what it prints, "" if it fails or hangs."""
    code, said = _run(command, timeout)
    return said if code == 0 else ""


def complaint(*command: str | Path, timeout: float = 20) -> str:
    """Run a command; return the first line that it prints if it fails, "" if it is not here."""
    code, said = _run(command, timeout)
    return said.strip().partition("\n")[0].strip() if code else ""


def _run(command: tuple[str | Path, ...], timeout: float) -> tuple[int | None, str]:
    """Return a command's exit code and what it prints; None if it cannot be run, or hangs."""
    try:
        done = subprocess.run(
            [str(word) for word in command],
            capture_output=True,
            text=True,
            errors="replace",
            timeout=timeout,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return None, ""
    return done.returncode, done.stdout + done.stderr


def compiler() -> str:
    """Return the C++ compiler's program: the first word of $CXX, else g++."""
    return settings.cxx()[0]


def find_compiler() -> Compiler | None:
    """Find the C++ compiler that `compiler()` names; None if it cannot be run."""
    command = compiler()
    version = ask(command, "-dumpfullversion", "-dumpversion").strip()
    if not version:
        return None
    name = "clang++" if "clang" in ask(command, "--version") else "g++"
    return Compiler(command, name, version)


def _nvcc_at(home: Path, found: str) -> Nvcc | None:
    match = re.search(r"release (\d+\.\d+)", ask(home / "bin" / "nvcc", "--version"))
    return Nvcc(home, match[1], found) if match else None


def _toolkits() -> Iterator[tuple[Path, str]]:
    """Yield the folders that may hold a CUDA toolkit, best first, and how each was found."""
    for variable in ("CUDA_HOME", "CUDA_PATH"):
        if home := os.environ.get(variable):
            yield Path(home), variable
    if on_path := shutil.which("nvcc"):
        # `nvcc` may be a wrapper script far from its toolkit; a dry run names the real folder.
        here = re.search(r"_HERE_=(.+)", ask(on_path, "--dryrun", "-x", "cu", os.devnull))
        yield Path(here[1]).parent if here else Path(on_path).resolve().parent.parent, "PATH"
    yield Path("/usr/local/cuda"), "/usr/local/cuda"
    for folder in sys.path:
        for home in sorted(Path(folder or ".").glob("nvidia/cu1[0-9]")):
            yield home, "PyPI package"


@cache
def find_nvcc() -> Nvcc | None:
    """Find nvcc: CUDA_HOME, PATH, /usr/local/cuda, or the `sass` extra's PyPI packages."""
    return next(filter(None, (_nvcc_at(home, found) for home, found in _toolkits())), None)


def _folders() -> Iterator[tuple[Path, str]]:
    """Yield the folders that may hold CUDA tools, best first, and how each was found."""
    if (nvcc := find_nvcc()) is not None:
        yield nvcc.home / "bin", nvcc.found
    for folder in os.get_exec_path():
        yield Path(folder), "PATH"
    for folder in sorted(Path("/usr/local").glob("cuda*/bin"), reverse=True):
        yield folder, str(folder.parent)
    for folder in sorted(Path("/opt/nvidia/nsight-compute").glob("*"), reverse=True):
        yield folder, str(folder)
    for site in sys.path:
        for folder in sorted(Path(site or ".").glob("nvidia/*/bin"), reverse=True):
            yield folder, "PyPI package"
    for site in sys.path:
        yield Path(site or ".") / "triton" / "backends" / "nvidia" / "bin", "Triton"


@cache
def find_tool(name: str, arch: str | None = None) -> Tool | None:
    """Find a CUDA tool ("nvdisasm", "compute-sanitizer", "ncu") that runs.

    Looks beside nvcc, in PATH, /usr/local/cuda*, /opt/nvidia, PyPI's and Triton's packages.
    arch: accept only one that knows this architecture, such as "sm_120".
    """
    for folder, found in _folders():
        path = folder / name
        if not os.access(path, os.X_OK) or not path.is_file():
            continue
        version = _version(ask(path, "--version"))
        if version and (arch is None or _knows(path, arch)):
            return Tool(path, found, version)
    return None


def _version(said: str) -> str:
    """Find the version in what a tool says of itself: "V13.0.88", "Version 2025.3.1", "1.2"."""
    found = re.search(r"\bV(?:ersion )?(\d[\d.]*)", said) or re.search(r"(\d+\.[\d.]+)", said)
    return found[1] if found else ""


@cache
def architectures(nvcc: Path) -> tuple[str, ...]:
    """Ask an nvcc once for the architectures it compiles for ("sm_90"); () if it says none."""
    return tuple(re.findall(r"\bsm_\d+[a-z]?\b", ask(nvcc, "--list-gpu-code")))


def _knows(tool: Path, arch: str) -> bool:
    """Return whether a tool supports an architecture; an old toolkit lacks new GPUs."""
    text = " ".join(architectures(tool)) if tool.name == "nvcc" else ask(tool, "--help")
    number = re.search(r"\d+", arch)[0]
    return re.search(rf"\bsm_?{number}\b", text, flags=re.I) is not None
