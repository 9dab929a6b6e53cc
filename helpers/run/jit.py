"""A .cu file made into a Python callable: `load("v1_f32")` compiles it, or finds it in the cache, and binds it.

On a GPU the file goes through `torch.utils.cpp_extension.load`, without one through the CPU emulator: the
same file, untouched. The cache key is a hash of everything that a build depends on (the file, the files it
includes, flags, compiler, architecture), so an edited kernel is a new library and an old one is never
called by mistake.

    ELEMENTWISE_CACHE   the folder of the builds (default: build/cache in the course's folder)
"""

from __future__ import annotations

import contextlib
import errno
import hashlib
import io
import os
import re
import shutil
import struct
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from helpers import emulator, paths
from helpers.errors import BuildError, CompileError, LauncherError
from helpers.run import first_launch, machine
from helpers.run.kernel import Kernel
from helpers.run.locks import lock
from helpers.run.signature import declarations
from helpers.sources import digest as hash_sources
from helpers.sources import read_sources, source_path

__all__ = ["Kernel", "LauncherError", "cache_folder", "emulated", "load", "source_path"]

# -lineinfo costs nothing at run time and lets the tools name the source line. No --use_fast_math: it flushes
# subnormal numbers, and float32 sums would then differ from PyTorch's.
CUDA_FLAGS = ("-O3", "-lineinfo", "-Xcompiler=-fno-gnu-unique")
# Of the libraries that PyTorch links with, keep what a kernel uses: the CUDA runtime. Then a process without PyTorch
# can open it, in a hundredth of the time.
LINK_FLAGS = ("-Wl,--as-needed",)
NO_ROOM = "Make room on that disk, or set ELEMENTWISE_CACHE to a folder on another one"
NOT_MINE = "Set ELEMENTWISE_CACHE to a folder that you own"
LONG_AGO_SECONDS = 3600
ATTEMPTS = 3  # to compile a file that is being edited meanwhile


def cache_path() -> Path:
    """The folder of the builds, which may not exist yet."""
    return Path(
        os.environ.get("ELEMENTWISE_CACHE") or paths.ROOT / "build" / "cache"
    ).absolute()


def cache_folder() -> Path:
    """The folder of the builds; made if it is missing.

    Raises BuildError where it cannot be written.
    """
    folder = cache_path()
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError as error:
        remedy = NO_ROOM if error.errno in (errno.ENOSPC, errno.EDQUOT) else NOT_MINE
        raise BuildError(
            f"cannot write the build folder {folder}: {error.strerror}. {remedy}"
        ) from None
    return folder


def _key(sources: dict[Path, str], here: machine.Machine) -> str:
    digest = hashlib.sha256(hash_sources(sources).encode())
    if here.is_gpu:
        digest.update(repr((here.cc, here.nvcc, here.torch, CUDA_FLAGS, LINK_FLAGS)).encode())
    else:
        digest.update(emulator.fingerprint().encode())
    return digest.hexdigest()[:16]


@contextlib.contextmanager
def _plain_folder(folder: Path) -> Iterator[Path]:
    """A folder in whose name no shell finds anything to expand: this one, or another for as long as it is needed."""
    if re.fullmatch(r"[\w./+-]+", str(folder), flags=re.ASCII):
        yield folder
    else:
        with tempfile.TemporaryDirectory(prefix="elementwise-") as other:
            yield Path(other)


def _compile_gpu(path: Path, output: Path, here: machine.Machine) -> None:
    """Build `output` (a shared library in a folder of its own) with nvcc, through PyTorch's own extension builder."""
    nvcc = machine.find_nvcc()
    os.environ["CUDA_HOME"] = str(nvcc.home)
    from torch.utils import cpp_extension

    # PyTorch guesses its CUDA_HOME from where `nvcc` lies, and is wrong where that is a wrapper script.
    cpp_extension.CUDA_HOME = str(nvcc.home)
    # PyTorch has ninja run the compiler by a shell. So that shell sees names of ours only, and the learner's path, with
    # whatever is in it, stands in a file. Errors, line numbers and tools still name the learner's file.
    if re.search(r'["\\\n]', str(path)):
        raise BuildError(
            f"cannot include {str(path)!r}: rename it, without quotation marks and backslashes"
        )
    before = os.environ.get("TORCH_CUDA_ARCH_LIST")
    os.environ["TORCH_CUDA_ARCH_LIST"] = here.cc
    try:
        with (
            _plain_folder(output.parent) as folder,
            contextlib.redirect_stdout(io.StringIO()),
            contextlib.redirect_stderr(io.StringIO()),
        ):
            (folder / "kernel.cu").write_text(f'#include "{path}"\n', encoding="utf-8")
            cpp_extension.load(
                name="kernel",
                sources=[str(folder / "kernel.cu")],
                extra_cuda_cflags=list(CUDA_FLAGS),
                extra_ldflags=list(LINK_FLAGS),
                build_directory=str(folder),
                is_python_module=False,
            )
            # PyTorch numbers the versions of a name within a process: the second library is kernel_v1.so.
            shutil.move(next(folder.glob("*.so")), output)
    except RuntimeError as error:
        if "ninja" in str(error).lower() and "required" in str(error):
            raise BuildError(
                "PyTorch compiles with ninja, which is missing: `pip install ninja`"
            ) from None
        raise CompileError(_nvcc_words(str(error), path)) from None
    finally:
        if before is None:
            del os.environ["TORCH_CUDA_ARCH_LIST"]
        else:
            os.environ["TORCH_CUDA_ARCH_LIST"] = before


def _nvcc_words(log: str, path: Path) -> str:
    """The compiler's own errors out of a build log, with the learner's file and line; at most five."""
    words = []
    lines = log.splitlines()
    for index, line in enumerate(lines):
        # The CUDA front end writes file(12): error, the preprocessor file:12:10: fatal error.
        match = re.match(
            r"(?P<file>.*?)\((?P<line>\d+)\): (?P<what>(?:catastrophic )?error.*)", line
        )
        match = match or re.match(
            r"(?P<file>.*?):(?P<line>\d+):\d+: (?P<what>(?:fatal )?error.*)", line
        )
        if match:
            code = lines[index + 1].strip() if index + 1 < len(lines) else ""
            words.append(
                f"{Path(match['file']).name}:{match['line']}: {match['what']}\n        {code}"
            )
    if not words:
        words = [
            line for line in lines if re.search(r"error|fatal", line, flags=re.I)
        ] or lines[-5:]
    return f"{path.name} does not compile:\n    " + "\n    ".join(words[:5])


def _remedied(error: Exception, path: Path, here: machine.Machine) -> Exception:
    """The error as it is, or, where the kernel is not to blame, one that says what to do about it."""
    words = str(error)
    if isinstance(error, OSError):
        words = error.strerror or words
        error = BuildError(f"cannot build {path.name} in {cache_path()}: {words}. {NOT_MINE}")
    if re.search(
        r"no space left|disk quota exceeded|file size limit|file too large", words, flags=re.I
    ):
        return BuildError(
            f"cannot build {path.name}: no space left in {cache_path()} or {tempfile.gettempdir()}. {NO_ROOM}"
        )
    if re.search(
        r"\bKilled\b|out of memory|cannot allocate memory|virtual memory exhausted", words
    ):
        return BuildError(
            f"the compiler was killed while it built {path.name}: is memory short? Close other notebooks"
        )
    if match := re.search(r"unsupported (?:GNU|clang) version!.*", words):
        return BuildError(
            f"nvcc does not work with this machine's C++ compiler: {match[0]} "
            "Install an older g++ and name it: NVCC_PREPEND_FLAGS='-ccbin g++-13'"
        )
    if (
        isinstance(error, CompileError)
        and not here.is_gpu
        and (problem := machine.compiler_problem())
    ):
        return BuildError(f"{problem.what}: {problem.remedy}")
    return error


def _remove(path: Path) -> None:
    if path.is_symlink() or path.is_file():
        path.unlink()
    else:
        shutil.rmtree(path, ignore_errors=True)


def _sweep(folder: Path, name: str) -> None:
    """Remove what killed builds left: of this library, whose lock is ours, and of others where it is long ago.

    It comes after the build, as a killed build's compiler may live on for a moment and go on writing.
    """
    for leftover in folder.glob("*.building-*"):
        with contextlib.suppress(OSError):
            if (
                leftover.name.startswith(f"{name}.")
                or time.time() - leftover.stat().st_mtime > LONG_AGO_SECONDS
            ):
                _remove(leftover)


def _is_whole(library: Path) -> bool:
    """Whether it is there with all its bytes: to open a library that was cut short would end the process.

    An ELF file's header says where its last part, the table of sections, begins and how long it is.
    """
    try:
        with library.open("rb") as file:
            header = file.read(64)
            size = os.fstat(file.fileno()).st_size
        (table,), (entry_bytes, entries) = (
            struct.unpack_from("<Q", header, 40),
            struct.unpack_from("<HH", header, 58),
        )
    except (OSError, struct.error):
        return False
    return header[:5] == b"\x7fELF\x02" and table + entry_bytes * entries <= size


def _build(
    path: Path, sources: dict[Path, str], here: machine.Machine, again: bool = False
) -> tuple[Path, bool] | None:
    """The library of a .cu file, from the cache, else built in a folder of its own and moved there whole.

    Returns its path and whether it was there; None where the file was changed while it was being compiled.
    again: build it even if it is there.
    """
    # Its name says which kernel it is, in letters that no file system minds, and no more than that.
    stem = re.sub(r"[^\w-]", "_", path.stem, flags=re.ASCII)[:48]
    name = f"{stem}-{_key(sources, here)}"
    final = cache_path() / name
    library = final / f"{stem}.so"

    def is_there() -> bool:
        return not final.is_symlink() and not library.is_symlink() and _is_whole(library)

    if is_there() and not again:
        return library, True
    folder = cache_folder()
    work = None
    try:
        with lock(folder / f"{name}.lock", f"to build {path.name}"):
            if is_there() and not again:
                return library, True
            work = Path(tempfile.mkdtemp(prefix=f"{name}.building-", dir=folder))
            (_compile_gpu if here.is_gpu else _compile_emulated)(
                path, work / library.name, here
            )
            if read_sources(path) != sources:
                return None
            work.chmod(0o755)  # others may share the cache
            _remove(final)
            os.replace(work, final)
            _sweep(folder, name)
    except (OSError, CompileError, BuildError) as error:
        raise _remedied(error, path, here) from None
    finally:
        if work:
            shutil.rmtree(work, ignore_errors=True)
    return library, False


def _compile_emulated(path: Path, output: Path, here: machine.Machine) -> None:
    emulator.build(path, output)


def load(name: str | Path) -> Kernel:
    """Compile a kernel, or find it in the cache, and return it as a callable.

    `name` is a file's stem in kernels/ ("v1_f32") or a path to any .cu file. The callable takes tensors and
    scalars in the order of the file's launcher, `v1(a, b, out)` or `v1(a, b, out, block_size=128)`, on the
    present machine's device; see `helpers.run.launcher` for the contract. What was loaded before stays as it was.

    Raises CompileError with the file, the line and the compiler's words; BuildError where there is no
    compiler or no room; LauncherError, a ValueError, where the file declares no launcher or is no text;
    FileNotFoundError, ValueError, TypeError for a name that is none.
    """
    return _load(source_path(name), machine.present())


def _load(path: Path, here: machine.Machine) -> Kernel:
    began = time.perf_counter()
    damaged = False
    for _ in range(ATTEMPTS):
        sources = read_sources(path)
        declarations(
            sources[path], path.name
        )  # a missing launcher is said before anything is compiled
        built = _build(path, sources, here, again=damaged)
        if not built:
            continue
        library, was_there = built
        seconds = 0.0 if was_there else time.perf_counter() - began
        try:
            trial = first_launch.trial(library, list(sources.values()), here.is_gpu)
            return Kernel(path, sources[path], library, here.is_gpu, seconds, trial)
        except OSError as error:  # a library that cannot be opened: build it anew, once
            if damaged:
                raise BuildError(
                    f"the library of {path.name} cannot be opened: {error}"
                ) from None
            damaged = True
    raise BuildError(
        f"{path.name} was changed while it was being compiled, {ATTEMPTS} times: save it, then load it again"
    )


def emulated(kernel: Kernel) -> Kernel | None:
    """The same kernel on the CPU emulator, also where there is a GPU: there every step out of bounds shows.

    None where the emulator cannot build it (no C++ compiler, machine instructions that a CPU lacks), or where
    the file was edited after `kernel` was loaded.
    """
    if not kernel.on_gpu:
        return kernel
    here = machine.Machine(
        kind="emulator", name="CPU emulator", reason="a twin", torch=machine.present().torch
    )
    try:
        twin = _load(kernel.path, here)
    except (BuildError, CompileError, LauncherError):
        return None
    return twin if twin.text == kernel.text else None
