"""Compile a .cu file for a GPU: nvcc, driven by PyTorch's extension builder."""

from __future__ import annotations

import contextlib
import re
import shutil
import tempfile
import threading
from collections.abc import Iterator
from pathlib import Path

from helpers.emulator.front_end import PYTORCH, SHARED_BARRIER
from helpers.errors import BuildError, CompileError, pip_install
from helpers.run import classic
from helpers.run.build_errors import nvcc_message
from helpers.run.toolchain import find_nvcc
from helpers.sources import read_sources

# Warnings that are mistakes in every kernel: a `case` that jumps past the initialisation of a
# variable (546; in host code nvcc refuses it, as C++ does), a variable used before its value
# is set (549), a missing return (940), a constructor of a shared variable, which never runs
# (20054), host code that reads (20091) or writes (20092) a __device__ variable: it has a copy
# of its own.
REFUSED_WARNINGS = ("546", "549", "940", "20054", "20091", "20092")
# A barrier of libcu++ in shared memory has such a constructor, and init() sets it: there nvcc's
# own word is a warning, which its authors switch off like this.
NO_CONSTRUCTOR_WARNING = "#pragma nv_diag_suppress 20054\n"
# PyTorch's builder switches off the operators and conversions of half and bfloat16, since its
# own headers have others. A learner's `a[i] + half(1.0f)` means what plain nvcc takes it for.
PLAIN_HALF = (
    "-U__CUDA_NO_HALF_OPERATORS__",
    "-U__CUDA_NO_HALF_CONVERSIONS__",
    "-U__CUDA_NO_HALF2_OPERATORS__",
    "-U__CUDA_NO_BFLOAT16_CONVERSIONS__",
    "-U__CUDA_NO_BFLOAT16_OPERATORS__",
    "-U__CUDA_NO_BFLOAT162_OPERATORS__",
)
# -lineinfo costs nothing at run time and lets the tools name the source line. The standard is
# the emulator's; PyTorch's own choice changes with its version. No --use_fast_math: it flushes
# subnormal numbers, and float32 sums would then differ from PyTorch's.
CUDA_FLAGS = (
    "-O3",
    "-std=c++17",
    "-lineinfo",
    "-Xcompiler=-fno-gnu-unique",
    f"--diag-error={','.join(REFUSED_WARNINGS)}",
    *PLAIN_HALF,
)
# What PyTorch's builder adds besides: a constexpr function may be called from device code.
BUILDER_FLAGS = ("--expt-relaxed-constexpr",)
# Link only the CUDA runtime, so that a process without PyTorch can load the kernel quickly. The
# C++ library comes first: PyTorch's libc10 exports parts of its own copy of it, and a stream of
# both crashes.
AS_NEEDED = "-Wl,--as-needed"
STANDARD_LIBRARY_FIRST = ("-lstdc++",)
LINK_FLAGS = (AS_NEEDED, *STANDARD_LIBRARY_FIRST)
_LACKS_A_NAME = re.compile(r"has no member|is not a member|cannot open source|is undefined")
_one_at_a_time = threading.Lock()  # the builder's settings are global


def flags(cc: str) -> tuple[str, ...]:
    """Return nvcc's flags for machine code of one compute capability alone, such as "9.0"."""
    number = cc.replace(".", "")
    return (*CUDA_FLAGS, f"-gencode=arch=compute_{number},code=sm_{number}")


@contextlib.contextmanager
def builder() -> Iterator:
    """Lend PyTorch's extension builder, set to the toolkit that `find_nvcc` found, if any.

    PyTorch takes the folder above `nvcc` in PATH, which is wrong where that is a wrapper
    script. It adds no architecture to those of `flags`: PyTorch 2.8 would add those of
    TORCH_CUDA_ARCH_LIST and of the visible cards, and fail on one that it does not know.
    Raises BuildError if there is no ninja.
    """
    from torch.utils import cpp_extension

    if not cpp_extension.is_ninja_available():
        remedy = pip_install("ninja")
        raise BuildError(f"PyTorch compiles with ninja, which is missing: `{remedy}`")
    with _one_at_a_time:
        before = cpp_extension.CUDA_HOME, cpp_extension._get_cuda_arch_flags
        if (toolkit := find_nvcc()) is not None:
            cpp_extension.CUDA_HOME = str(toolkit.home)
        cpp_extension._get_cuda_arch_flags = lambda *_: []
        try:
            yield cpp_extension
        finally:
            cpp_extension.CUDA_HOME, cpp_extension._get_cuda_arch_flags = before


@contextlib.contextmanager
def _plain_folder(folder: Path) -> Iterator[Path]:
    """Lend a folder whose path is safe in a shell: `folder` itself, or a temporary one."""
    if re.fullmatch(r"[\w./+-]+", str(folder), flags=re.ASCII):
        yield folder
    else:
        with tempfile.TemporaryDirectory(prefix="elementwise-") as other:
            yield Path(other)


def compile_library(path: Path, output: Path, cc: str) -> None:
    """Compile a .cu file into the shared library `output`, which lies in a folder of its own.

    A file that includes PyTorch's headers is compiled with the stand-in for them, in a second;
    if that lacks a name, with the real ones, in a minute.

    Raises CompileError with the compiler's words, BuildError if there is no ninja.
    """
    if re.search(r'["\\\n]', str(path)):
        raise BuildError(
            f"cannot include {str(path)!r}: rename it, without quotation marks and backslashes"
        )
    if not classic.uses_torch(read_sources(path)):
        return _compile(path, output, cc)
    try:
        _compile(path, output, cc, extra_include_paths=[str(PYTORCH)])
    except CompileError as error:
        if not _LACKS_A_NAME.search(error.log):
            raise
        from torch.utils import cpp_extension

        # A process without PyTorch, too, must find its libraries.
        found = f"-Wl,-rpath,{cpp_extension.TORCH_LIB_PATH}"
        _compile(path, output, cc, extra_ldflags=[AS_NEEDED, found])


def _compile(path: Path, output: Path, cc: str, **settings) -> None:
    """Compile as `compile_library`; settings: of PyTorch's builder.

    PyTorch has ninja run the compiler in a shell. So that shell sees only names of ours; the
    learner's path stands in a file. Errors, line numbers and tools still name the learner's
    file.

    Raises CompileError with the compiler's words, BuildError if there is no ninja.
    """
    with builder() as extension, _plain_folder(output.parent) as folder:
        wrapper = folder / "kernel.cu"
        barriers = any(map(SHARED_BARRIER.search, read_sources(path).values()))
        pragma = NO_CONSTRUCTOR_WARNING if barriers else ""
        wrapper.write_text(f'{pragma}#include "{path}"\n', encoding="utf-8")
        try:
            extension.load(
                name="kernel",
                sources=[str(wrapper)],
                extra_cuda_cflags=list(flags(cc)),
                build_directory=str(folder),
                is_python_module=False,
                **{"extra_ldflags": list(LINK_FLAGS), **settings},
            )
        except RuntimeError as error:  # PyTorch has no type of its own for a failed build
            raise CompileError(nvcc_message(str(error), path.name), log=str(error)) from None
        # PyTorch numbers the versions of a name within a process: the second is kernel_v1.so.
        shutil.move(next(folder.glob("*.so")), output)
