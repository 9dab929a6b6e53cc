"""Register elementwise::add, gelu and bias_gelu_residual as operators of PyTorch.

`load()` registers them once in a process and returns a module with their functions. Then
`torch.ops.elementwise.add(a, b)` works, too: eagerly, inside torch.compile, in a CUDA graph,
with gradients. dtypes: float32, float16, bfloat16. Results are contiguous.

    add(a, b)                              a + b, of one shape
    gelu(x)                                x Phi(x)
    bias_gelu_residual(x, bias, residual)  gelu(x + bias) + residual, of [..., n], [n], [..., n]

On a GPU the registration is compiled code (operators.cpp, half a minute once) that launches
kernels/fast_operators.cu. Elsewhere it is Python (in_python.py), which needs no build; what a
call costs is another thing there.
"""

from __future__ import annotations

import functools
import hashlib
import sysconfig
from pathlib import Path
from types import ModuleType

import torch

from helpers import paths
from helpers.errors import CompileError
from helpers.run import cache, machine, nvcc
from helpers.run.build_errors import nvcc_message
from helpers.run.locks import lock
from helpers.sources import digest, read_sources

NAME = "elementwise_ops"
SOURCE = Path(__file__).with_name("operators.cpp")
KERNELS = paths.KERNELS / "fast_operators.cu"
FUNCTIONS = ("add", "gelu", "bias_gelu_residual")


@functools.cache
def load() -> ModuleType:
    """Register the operators, compiled where there is a GPU; return their functions.

    Raises CompileError with the compiler's words, BuildError if there is no ninja.
    """
    here = machine.present()
    if here.is_gpu and torch.cuda.is_available():  # a test may pose as a card
        return trace_as_operators(build(here.cc))
    from helpers.run.pytorch_ops import in_python

    in_python.register()
    return in_python


def build(cc: str | None) -> ModuleType:
    """Build and import the compiled operators; a second time they are only imported.

    cc: the compute capability of the kernels, such as "9.0"; None: without them, for a CPU.
    Raises as `load`.
    """
    flags = nvcc.flags(cc) if cc else ()
    sources = {SOURCE: SOURCE.read_text(encoding="utf-8")}
    if cc:
        sources |= read_sources(KERNELS)
    key = (
        digest(sources),
        flags,
        nvcc.STANDARD_LIBRARY_FIRST,
        torch.__version__,
        sysconfig.get_config_var("SOABI"),
    )
    folder = cache.folder() / f"{NAME}-{hashlib.sha256(repr(key).encode()).hexdigest()[:16]}"
    folder.mkdir(exist_ok=True)
    with (
        lock(folder / "elementwise.lock", "to build the operators for PyTorch"),
        nvcc.builder() as extension,
    ):
        (folder / "lock").unlink(missing_ok=True)  # the builder's own, left by a killed process
        try:
            return extension.load(
                name=NAME,
                sources=[str(SOURCE), *([str(KERNELS)] if cc else [])],
                extra_cflags=["-O2", *(["-DWITH_CUDA"] if cc else [])],
                extra_cuda_cflags=list(flags),
                extra_ldflags=list(nvcc.STANDARD_LIBRARY_FIRST),
                build_directory=str(folder),
            )
        except RuntimeError as error:  # PyTorch has no type of its own for a failed build
            message = nvcc_message(str(error), SOURCE.name)
            raise CompileError(message, log=str(error)) from None


def trace_as_operators(functions: ModuleType) -> ModuleType:
    """Let torch.compile see torch.ops.elementwise.add where a program calls functions.add."""

    @torch.compiler.substitute_in_graph(functions.add)
    def add(a, b):
        return torch.ops.elementwise.add(a, b)

    @torch.compiler.substitute_in_graph(functions.gelu)
    def gelu(x):
        return torch.ops.elementwise.gelu(x)

    @torch.compiler.substitute_in_graph(functions.bias_gelu_residual)
    def bias_gelu_residual(x, bias, residual):
        return torch.ops.elementwise.bias_gelu_residual(x, bias, residual)

    return functions
