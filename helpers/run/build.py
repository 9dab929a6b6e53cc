"""Build a .cu file once, into a cache that many processes share and killed builds do not harm.

A library's folder is named by a hash of everything that the build depends on, so an edited
kernel is a new library and an old one is never called by mistake. One process builds, under a
lock, in a folder of its own, which takes its place in the cache whole or not at all.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import re
import shutil
import struct
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from helpers import emulator
from helpers.errors import BuildError, CompileError
from helpers.run import cache, nvcc
from helpers.run.build_errors import explain
from helpers.run.locks import build_slot, lock
from helpers.run.machine import Machine
from helpers.sources import digest, read_sources

LONG_AGO_SECONDS = 3600
HEADER_BYTES = 1 << 14  # of a library: enough for the segments that a Mach-O file lists
MACHO_SEGMENT = 0x19
OLD_HEADERS_SECONDS = 24 * 3600


@dataclass(frozen=True)
class Inputs:
    """Everything that a build depends on: equal inputs make equal libraries."""

    sources: str  # a hash of the file and the files that it includes
    compiler: str  # nvcc and the torch that drives it, or the emulator with its compiler
    flags: tuple[str, ...] = ()  # with the GPU's architecture

    @classmethod
    def of(cls, sources: dict[Path, str], here: Machine, traced: bool = False) -> Inputs:
        """Collect what a build of these sources depends on, on the machine `here`.

        traced: for the emulator, with every access reported.
        """
        hashed = digest(sources)
        if traced:
            return cls(hashed, emulator.traced.fingerprint())
        if not here.is_gpu:
            return cls(hashed, emulator.fingerprint())
        compiler = f"nvcc {here.nvcc}, torch {here.torch}"
        return cls(hashed, compiler, (*nvcc.flags(here.cc), *nvcc.LINK_FLAGS))

    @property
    def key(self) -> str:
        """A short hash of all of them."""
        fields = repr((self.sources, self.compiler, self.flags))
        return hashlib.sha256(fields.encode()).hexdigest()[:16]


@dataclass(frozen=True)
class Built:
    """A library, and whether it was in the cache already."""

    library: Path
    cached: bool


@dataclass(frozen=True)
class _Entry:
    """The place of one library in a folder of builds."""

    folder: Path
    stem: str

    @classmethod
    def of(cls, path: Path, inputs: Inputs, cache_folder: Path) -> _Entry:
        # The name says which kernel it is, in letters that no file system minds, and not too
        # long.
        stem = re.sub(r"[^\w-]", "_", path.stem, flags=re.ASCII)[:48]
        return cls(cache_folder / f"{stem}-{inputs.key}", stem)

    @property
    def library(self) -> Path:
        return self.folder / f"{self.stem}.so"

    def is_whole(self) -> bool:
        """Whether the library is there, whole, and of somebody trusted."""
        trusted = cache.is_trusted(self.folder) and cache.is_trusted(self.library)
        return trusted and is_whole(self.library)


def is_whole(library: Path) -> bool:
    """Return whether a library is there with all its bytes: loading one cut short crashes."""
    try:
        with library.open("rb") as file:
            start = file.read(HEADER_BYTES)
            size = os.fstat(file.fileno()).st_size
        return _end(start) <= size
    except (OSError, struct.error, ValueError):
        return False


def _end(start: bytes) -> int:
    """Return the size of a library by what it says at its start. Raises ValueError if unknown.

    The header of an ELF file says where its last part, the table of sections, begins, and how
    many entries of how many bytes it has (System V ABI, e_shoff, e_shentsize, e_shnum). A
    Mach-O file of macOS lists its segments (LC_SEGMENT_64, <mach-o/loader.h>).
    """
    if start[:5] == b"\x7fELF\x02":
        (table,) = struct.unpack_from("<Q", start, 40)
        entry_bytes, entries = struct.unpack_from("<HH", start, 58)
        return table + entry_bytes * entries
    if start[:4] == b"\xcf\xfa\xed\xfe":
        end, at = 0, 32
        (commands,) = struct.unpack_from("<I", start, 16)
        for _ in range(commands):
            command, command_bytes = struct.unpack_from("<II", start, at)
            if command == MACHO_SEGMENT:
                end = max(end, sum(struct.unpack_from("<QQ", start, at + 40)))
            at += command_bytes
        return end
    raise ValueError("neither an ELF nor a Mach-O file of 64 bits")


def compile_library(path: Path, output: Path, here: Machine) -> None:
    """Compile a .cu file into the shared library `output`, for a GPU or for the emulator."""
    if here.is_gpu:
        nvcc.compile_library(path, output, here.cc)
    else:
        emulator.build(path, output, precompiled_headers())


def precompiled_headers() -> Path:
    """Return the folder of what the emulator's builds share; the first process makes it."""
    purpose = "to precompile the emulator's headers"
    name = f"headers-{emulator.fingerprint()}"
    return _made_once(name, purpose, emulator.precompile_headers)


def _for_traces() -> Path:
    """Return the folder of what traced builds share; the first process makes it."""
    emulator.traced.require_gcc()
    headers = precompiled_headers()
    make = partial(emulator.traced.prepare, headers=headers)
    name = f"headers-traced-{emulator.traced.fingerprint()}"
    return _made_once(name, "to compile the tracer", make)


def _made_once(name: str, purpose: str, make: Callable[[Path], Path]) -> Path:
    for folder in cache.readable():
        if (folder / name).is_dir() and cache.is_trusted(folder / name):
            return folder / name
    own = cache.folder()
    with lock(own / f"{name}.lock", purpose):
        if not (own / name).is_dir():
            _remove_old_headers(own)
            make(own / name)
    return own / name


def _remove_old_headers(folder: Path) -> None:
    """Remove the precompiled headers of other versions, 80 MB each, once they are a day old."""
    for headers in folder.glob("headers-*[0-9a-f]"):
        with contextlib.suppress(OSError):
            if time.time() - headers.stat().st_mtime > OLD_HEADERS_SECONDS:
                _remove(headers)


def build(
    path: Path,
    sources: dict[Path, str],
    here: Machine,
    rebuild: bool = False,
    traced: bool = False,
) -> Built | None:
    """Return the library of a .cu file with these sources, from the cache or built now.

    Returns None if the file was edited while it was being compiled. rebuild: build it even if
    it is there, because it cannot be loaded. traced: for `helpers.run.trace`.

    Raises CompileError with the compiler's words, BuildError if there is no compiler or no
    room.
    """
    inputs = Inputs.of(sources, here, traced)
    for place in [] if rebuild else cache.readable():
        entry = _Entry.of(path, inputs, place)
        if entry.is_whole():
            return Built(entry.library, cached=True)
    folder = cache.folder()
    entry = _Entry.of(path, inputs, folder)
    try:
        with lock(folder / f"{entry.folder.name}.lock", f"to build {path.name}"):
            if entry.is_whole() and not rebuild:
                return Built(entry.library, cached=True)
            with build_slot(f"for a place to build {path.name}"):
                done = _build_aside(entry, path, sources, here, traced)
            if not done:
                return None
            _sweep(folder, entry.folder.name)
    except (OSError, CompileError, BuildError) as error:
        raise explain(error, path.name, folder, not here.is_gpu) from None
    return Built(entry.library, cached=False)


def _build_aside(
    entry: _Entry, path: Path, sources: dict[Path, str], here: Machine, traced: bool
) -> bool:
    """Build in a folder of its own and move it into its place; False if the file was edited."""
    work = Path(
        tempfile.mkdtemp(prefix=f"{entry.folder.name}.building-", dir=entry.folder.parent)
    )
    try:
        output = work / entry.library.name
        if traced:
            emulator.traced.build(path, output, _for_traces())
        else:
            compile_library(path, output, here)
        if read_sources(path) != sources:
            return False
        work.chmod(cache.SHARED)
        output.chmod(cache.SHARED)
        _remove(entry.folder)
        os.replace(work, entry.folder)
        return True
    finally:
        shutil.rmtree(work, ignore_errors=True)


def _remove(path: Path) -> None:
    if path.is_symlink() or path.is_file():
        path.unlink()
    else:
        shutil.rmtree(path, ignore_errors=True)


def _sweep(folder: Path, name: str) -> None:
    """Remove what killed builds left: of this library, whose lock is held; of others, when old.

    It comes after the build, as a killed build's compiler may go on writing for a moment.
    """
    for leftover in folder.glob("*.building-*"):
        with contextlib.suppress(OSError):
            age_seconds = time.time() - leftover.stat().st_mtime
            if leftover.name.startswith(f"{name}.") or age_seconds > LONG_AGO_SECONDS:
                _remove(leftover)
