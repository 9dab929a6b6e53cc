"""A .cu file made into a Python callable: `load("v1_f32")` compiles it, or finds it in the cache, and binds it.

On a GPU the file goes through `torch.utils.cpp_extension.load`, without one through the CPU emulator: the
same file, untouched. The cache key is a hash of everything that a build depends on (the file, the files it
includes, flags, compiler, architecture), so an edited kernel is a new library and an old one is never
called by mistake.

    ELEMENTWISE_CACHE   the folder of the builds (default: build/cache in the course's folder)
"""

from __future__ import annotations

import contextlib
import hashlib
import io
import os
import re
import shutil
import tempfile
import time
from pathlib import Path

from helpers import emulator, machine, specs
from helpers.binding import Kernel, LauncherError, declarations
from helpers.errors import BuildError, CompileError
from helpers.locks import lock

__all__ = ["Kernel", "LauncherError", "cache_folder", "emulated", "load", "source_path"]

# -lineinfo costs nothing at run time and lets the tools name the source line. No --use_fast_math: it flushes
# subnormal numbers, and float32 sums would then differ from PyTorch's.
CUDA_FLAGS = ("-O3", "-lineinfo", "-Xcompiler=-fno-gnu-unique")


def cache_folder() -> Path:
    """The folder of the builds; made if it is missing.

    Raises BuildError where it cannot be written.
    """
    folder = Path(os.environ.get("ELEMENTWISE_CACHE") or specs.ROOT / "build" / "cache")
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if not os.access(folder, os.W_OK):
            raise PermissionError(13, "Permission denied")
    except OSError as error:
        raise BuildError(
            f"cannot write the build folder {folder}: {error.strerror}. Set ELEMENTWISE_CACHE to a folder that you own"
        ) from None
    return folder


def source_path(name: str | Path) -> Path:
    """The .cu file of a kernel's name ("v1_f32" is kernels/v1_f32.cu) or of a path.

    Raises ValueError for a name that is neither, and FileNotFoundError, with the kernels there are.
    """
    if not isinstance(name, (str, Path)):
        raise TypeError(f"a kernel is named by a str or a Path, not {type(name).__name__}")
    path = Path(name)
    if path.suffix != ".cu":
        if not re.fullmatch(r"\w+", str(name)):
            raise ValueError(f"{str(name)!r} is neither a kernel's name (letters, digits, _) nor a path to a .cu file")
        path = specs.KERNELS / f"{name}.cu"
    if not path.is_file():
        known = ", ".join(sorted(kernel.stem for kernel in specs.KERNELS.glob("*.cu")))
        raise FileNotFoundError(f"no file {path.name} in {path.parent.name or '.'}/; the kernels there are: {known}")
    return path.resolve()


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except UnicodeDecodeError:
        raise CompileError(f"{path.name} is not text: a kernel is a CUDA C++ source file in UTF-8") from None


def _sources(path: Path, seen: dict[Path, str] | None = None) -> dict[Path, str]:
    """The text of a file and of every local file that it includes, by path."""
    seen = {} if seen is None else seen
    if path not in seen and path.is_file():
        seen[path] = _read(path)
        for included in re.findall(r'^\s*#\s*include\s+"([^"]+)"', seen[path], flags=re.M):
            _sources((path.parent / included).resolve(), seen)
    return seen


def _key(path: Path, here: machine.Machine) -> str:
    digest = hashlib.sha256()
    for file, text in sorted(_sources(path).items()):
        digest.update(f"{file.name}\0{text}\0".encode())
    if here.is_gpu:
        digest.update(repr((here.cc, here.nvcc, here.torch, CUDA_FLAGS)).encode())
    else:
        digest.update(emulator.fingerprint().encode())
    return digest.hexdigest()[:16]


def _compile_gpu(path: Path, output: Path, here: machine.Machine) -> None:
    """Build `output` (a shared library in a folder of its own) with nvcc, through PyTorch's own extension builder."""
    nvcc = machine.find_nvcc()
    os.environ["CUDA_HOME"] = str(nvcc.home)
    from torch.utils import cpp_extension

    # PyTorch guesses its CUDA_HOME from where `nvcc` lies, and is wrong where that is a wrapper script.
    cpp_extension.CUDA_HOME = str(nvcc.home)
    before = os.environ.get("TORCH_CUDA_ARCH_LIST")
    os.environ["TORCH_CUDA_ARCH_LIST"] = here.cc
    try:
        with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
            cpp_extension.load(
                name=output.stem,
                sources=[str(path)],
                extra_cuda_cflags=list(CUDA_FLAGS),
                build_directory=str(output.parent),
                is_python_module=False,
            )
    except RuntimeError as error:
        raise CompileError(_nvcc_words(str(error), path)) from None
    finally:
        if before is None:
            del os.environ["TORCH_CUDA_ARCH_LIST"]
        else:
            os.environ["TORCH_CUDA_ARCH_LIST"] = before
    # PyTorch numbers the versions of a name within a process: the second library of v1_f32 is v1_f32_v1.so.
    next(output.parent.glob("*.so")).rename(output)


def _nvcc_words(log: str, path: Path) -> str:
    """The compiler's own errors out of a build log, with the learner's file and line; at most five."""
    words = []
    lines = log.splitlines()
    for index, line in enumerate(lines):
        match = re.match(r"(?P<file>[^\s(]*?)\((?P<line>\d+)\): (?P<what>(?:catastrophic )?error.*)", line)
        if match:
            code = lines[index + 1].strip() if index + 1 < len(lines) else ""
            words.append(f"{Path(match['file']).name}:{match['line']}: {match['what']}\n        {code}")
    if not words:
        words = [line for line in lines if re.search(r"error|fatal", line, flags=re.I)] or lines[-5:]
    return f"{path.name} does not compile:\n    " + "\n    ".join(words[:5])


def _build(path: Path, key: str, here: machine.Machine) -> Path:
    """The library of a .cu file: from the cache, else built in a folder of its own and moved there whole."""
    folder = cache_folder()
    final = folder / f"{path.stem}-{key}"
    library = final / f"{path.stem}.so"
    if library.exists():
        return library
    with lock(folder / f"{path.stem}-{key}.lock", f"to build {path.name}"):
        if library.exists():
            return library
        for leftover in folder.glob(f"{path.stem}-{key}.building-*"):  # of a build that was killed
            shutil.rmtree(leftover, ignore_errors=True)
        work = Path(tempfile.mkdtemp(prefix=f"{path.stem}-{key}.building-", dir=folder))
        try:
            if here.is_gpu:
                _compile_gpu(path, work / library.name, here)
            else:
                emulator.build(path, work / library.name)
            shutil.rmtree(final, ignore_errors=True)
            os.replace(work, final)
        except OSError as error:
            raise BuildError(f"cannot build {path.name} in {folder}: {error.strerror or error}") from None
        finally:
            shutil.rmtree(work, ignore_errors=True)
    return library


def load(name: str | Path) -> Kernel:
    """Compile a kernel, or find it in the cache, and return it as a callable.

    `name` is a file's stem in kernels/ ("v1_f32") or a path to any .cu file. The callable takes tensors and
    scalars in the order of the file's launcher, `v1(a, b, out)` or `v1(a, b, out, block_size=128)`, on the
    present machine's device; see `helpers.binding` for the contract.

    Raises CompileError with the file, the line and the compiler's words; BuildError where there is no
    compiler or no room; LauncherError where the file declares no launcher; FileNotFoundError, ValueError.
    """
    path = source_path(name)
    text = _read(path)
    declarations(text, path.name)  # a missing launcher is said before anything is compiled
    here = machine.present()
    began = time.perf_counter()
    key = _key(path, here)
    cached = (cache_folder() / f"{path.stem}-{key}" / f"{path.stem}.so").exists()
    library = _build(path, key, here)
    seconds = 0.0 if cached else time.perf_counter() - began
    return Kernel(path, text, library, here.is_gpu, seconds)


def emulated(kernel: Kernel) -> Kernel | None:
    """The same kernel on the CPU emulator, also where there is a GPU: there every step out of bounds shows.

    None where the emulator cannot build it (no C++ compiler, machine instructions that a CPU lacks), or where
    the file was edited after `kernel` was loaded.
    """
    if not kernel.on_gpu:
        return kernel
    if not kernel.path.is_file() or _read(kernel.path) != kernel.text:
        return None
    here = machine.Machine(kind="emulator", name="CPU emulator", reason="a twin", torch=machine.present().torch)
    try:
        library = _build(kernel.path, _key(kernel.path, here), here)
    except (BuildError, CompileError):
        return None
    return Kernel(kernel.path, kernel.text, library, on_gpu=False, build_seconds=0.0)
