"""Read the machine code of a kernel: compiled now, found in the cache, or recorded."""

from __future__ import annotations

import tempfile
from collections.abc import Iterable, Sequence
from pathlib import Path

from helpers import sources
from helpers.errors import BuildError
from helpers.measure.sass.compiling import arch_name, compile_report
from helpers.measure.sass.recorded import read_recorded
from helpers.measure.sass.report import SassReport
from helpers.model.arguments import checked


@checked
def read(
    kernel: str | Path, arch: str | tuple[int, int], *, flags: Sequence[str] = ()
) -> SassReport:
    """Read the machine code of a kernel file ("v1_f32" is kernels/v1_f32.cu).

    arch: "sm_120", "12.0" or (12, 0). flags: more options for nvcc, such as "-DBLOCKS=8".

    Raises CompileError, with the compiler's words, if the file is wrong; BuildError if the
    tools are missing and no recording fits; FileNotFoundError or ValueError for a wrong name.
    """
    path, arch = sources.source_path(kernel), arch_name(arch)
    try:
        return compile_report(path, arch, flags)
    except BuildError as error:
        not_now = error
    try:
        return read_recorded(path, arch, flags)
    except BuildError as error:
        raise BuildError(f"{not_now}\n{error}") from None


@checked
def read_source(text: str, arch: str | tuple[int, int]) -> SassReport:
    """Read the machine code of a piece of CUDA C++. Needs the tools; errors as in `read`."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "source.cu"
        path.write_text(text, encoding="utf-8")
        return compile_report(path, arch_name(arch), ())


def table(kernels: Iterable[str | Path], archs: Iterable[str]):
    """Return a pandas DataFrame: the first kernel of each file for each architecture."""
    import pandas

    archs = list(archs)
    return pandas.DataFrame(
        [read(kernel, arch).rows()[0] for kernel in kernels for arch in archs]
    )


@checked
def load_width_counts(kernel: str | Path, arch: str, name: str | None = None) -> dict[int, int]:
    """Count global loads of a kernel: {bits a thread: instructions}, {128: 2, 16: 2} for V6.

    name: one of several kernels in the file; the first by default. Errors as in `read`.
    """
    return read(kernel, arch).kernel(name).loads()
