"""Make a Python callable of a .cu file: `load("v1_f32")` compiles and binds it.

On a GPU the file goes through `torch.utils.cpp_extension.load`, without one through the CPU
emulator: the same file, untouched. A library that was built before is taken from the cache.
"""

from __future__ import annotations

import time
from pathlib import Path

from helpers.errors import BuildError, CompileError, LauncherError
from helpers.model.arguments import checked
from helpers.run import classic, first_launch, machine
from helpers.run.build import build
from helpers.run.build_errors import without_a_body
from helpers.run.kernel import Kernel
from helpers.run.signature import declarations
from helpers.sources import read_sources, source_path

__all__ = ["Kernel", "LauncherError", "emulated", "load", "source_path"]

ATTEMPTS = 3  # to compile a file that is being edited meanwhile


def load(name: str | Path) -> Kernel:
    """Compile a kernel, or find it in the cache, and return it as a callable.

    `name` is the stem of a file in kernels/ ("v1_f32") or a path to any .cu file. The callable
    takes tensors and scalars in the order of the file's launcher, `v1(a, b, out)` or
    `v1(a, b, out, block_size=128)`, on the present machine's device; the contract is in
    `helpers.run.launcher`. A kernel that was loaded before stays as it was.

    Raises CompileError with the file, the line and the compiler's words; BuildError if there is
    no compiler or no room; LauncherError, a ValueError, if the file declares no launcher or is
    not text; FileNotFoundError, ValueError or TypeError if `name` is not a kernel.
    """
    return _load(classic.adapt(source_path(name)), machine.present())


def _load(path: Path, here: machine.Machine) -> Kernel:
    began = time.perf_counter()
    damaged = False
    for _ in range(ATTEMPTS):
        sources = read_sources(path)
        declarations(sources[path], path.name)  # a missing launcher is reported before a build
        built = build(path, sources, here, rebuild=damaged)
        if not built:
            continue
        seconds = 0.0 if built.cached else time.perf_counter() - began
        tester = first_launch.choose(built.library, list(sources.values()), here.is_gpu)
        try:
            return Kernel(path, sources[path], built.library, here.is_gpu, seconds, tester)
        except OSError as error:  # the library cannot be loaded: build it again, once
            if missing := without_a_body(error, path, sources):
                raise missing from None
            if damaged:
                words = f"the library of {path.name} cannot be opened: {error}"
                raise BuildError(words) from None
            damaged = True
    raise BuildError(
        f"{path.name} was changed while it was being compiled, {ATTEMPTS} times: "
        "save it, then load it again"
    )


@checked
def emulated(kernel: Kernel) -> Kernel | None:
    """Return the same kernel on the CPU emulator, which detects every access out of bounds.

    None if the emulator cannot build it (no C++ compiler, instructions that a CPU lacks), or if
    the file was edited after `kernel` was loaded.
    """
    if not kernel.on_gpu:
        return kernel
    here = machine.emulator("to check a GPU's kernel", machine.present().torch)
    try:
        same = _load(kernel.path, here)
    except (BuildError, CompileError, LauncherError):
        return None
    return same if same.text == kernel.text else None
