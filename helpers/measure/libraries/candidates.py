"""List the ways to do an operation: the course's kernels, and the libraries' installed here."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cache, partial
from pathlib import Path

import torch

from helpers.measure.libraries.operations import Operation
from helpers.run import jit
from helpers.run.kernel import Kernel
from helpers.run.toolchain import find_nvcc

COURSE, TEMPLATE = "course", "template"  # kernels/fast_*.cu and kernels/op_*.cu
TRITON_CONFIGS = ((1024, 4), (1024, 8), (2048, 8), (4096, 8), (8192, 16))  # elements, warps

Call = Callable[[], object]
Bind = Callable[[Sequence[torch.Tensor], torch.Tensor], Call]  # inputs, out -> a call


@dataclass(frozen=True)
class Candidate:
    """One way to do an operation. Of several variants of one name the fastest counts."""

    name: str
    version: str
    bind: Bind = field(repr=False)
    variant: str = ""

    @property
    def is_ours(self) -> bool:
        """Whether it is a kernel of the course, which must be right."""
        return self.name in (COURSE, TEMPLATE)

    def __str__(self) -> str:
        return f"{self.name}, {self.variant}" if self.variant else self.name


def is_programmatic(one) -> bool:
    """Tell whether the launches of a candidate, or of a row of one, are programmatic."""
    return "programmatic" in one.variant


@cache
def kernel(name: str | Path) -> Kernel:
    """Load a kernel once."""
    return jit.load(name)


def _launch(launcher: Callable[..., None], **arguments: int) -> Bind:
    return lambda inputs, out: partial(launcher, *inputs, out, **arguments)


def course(operation: Operation, variant: str = "", **arguments: int) -> Candidate:
    """Return the course's fastest kernel, kernels/fast_add.cu or kernels/fast_cast.cu.

    Its launches are programmatic: they are timed one behind the other.
    """
    launcher = getattr(kernel(f"fast_{operation.name}"), operation.launcher)
    return Candidate(COURSE, "", _launch(launcher, programmatic=1, **arguments), variant)


def template(operation: Operation) -> Candidate:
    """Return the template's operator, kernels/op_add.cu or kernels/op_cast.cu."""
    launcher = getattr(kernel(f"op_{operation.name}"), operation.launcher)
    return Candidate(TEMPLATE, "", _launch(launcher))


# ---- the libraries -------------------------------------------------------------------------


def _eager(operation: Operation) -> list[Candidate]:
    def bind(inputs, out):
        if operation.name == "add":
            return lambda: torch.add(*inputs, out=out)
        return lambda: out.copy_(inputs[0])

    return [Candidate("torch", torch.__version__, bind)]


def _compiled(operation: Operation) -> list[Candidate]:
    import torch._dynamo

    torch._dynamo.reset()
    if operation.name == "add":
        function = torch.compile(lambda a, b, out: out.copy_(a + b), dynamic=False)
    else:
        function = torch.compile(lambda x, out: out.copy_(x), dynamic=False)
    return [Candidate("torch.compile", torch.__version__, _launch(function))]


def _triton(operation: Operation) -> list[Candidate]:
    import triton

    from helpers.measure.libraries import triton_kernels

    return [
        Candidate(
            "Triton",
            triton.__version__,
            partial(triton_kernels.bind, block=block, warps=warps),
            variant=f"{block} elements, {warps} warps",
        )
        for block, warps in TRITON_CONFIGS
    ]


def cub_version() -> str:
    """Return the version of the CUB that nvcc finds, such as "3.0.1", or ""."""
    nvcc = find_nvcc()
    for header in sorted(nvcc.home.glob("**/cub/version.cuh")) if nvcc else ():
        if found := re.search(r"define CUB_VERSION (\d+)", header.read_text(encoding="utf-8")):
            number = int(found[1])
            return f"{number // 100000}.{number // 100 % 1000}.{number % 100}"
    return ""


def _cub(operation: Operation) -> list[Candidate]:
    source = Path(__file__).with_name("cub_transform.cu")
    launcher = getattr(kernel(source), operation.launcher)
    return [Candidate("CUB", cub_version(), _launch(launcher))]


def _cupy(operation: Operation) -> list[Candidate]:
    import cupy

    def array(tensor: torch.Tensor):
        if tensor.dtype is torch.bfloat16:
            import ml_dtypes

            return cupy.asarray(tensor.view(torch.int16)).view(cupy.dtype(ml_dtypes.bfloat16))
        return cupy.asarray(tensor)

    def bind(inputs, out):
        arrays, result = [array(tensor) for tensor in inputs], array(out)

        def call():
            with _cupy_stream(cupy, torch.cuda.current_stream()):
                if len(arrays) == 2:
                    cupy.add(*arrays, out=result)
                else:
                    cupy.copyto(result, arrays[0], casting="unsafe")

        return call

    return [Candidate("CuPy", cupy.__version__, bind)]


def _cupy_stream(cupy, stream: torch.cuda.Stream):
    """Return a torch stream as CuPy's: newer ones take it as it is, older ones its address."""
    if hasattr(cupy.cuda.Stream, "from_external"):
        return cupy.cuda.Stream.from_external(stream)
    return cupy.cuda.ExternalStream(stream.cuda_stream)


LIBRARIES: dict[str, Callable[[Operation], list[Candidate]]] = {
    "torch": _eager,
    "torch.compile": _compiled,
    "Triton": _triton,
    "CUB": _cub,
    "CuPy": _cupy,
}
_missing: set[str] = set()


def libraries(operation: Operation) -> list[Candidate]:
    """Return the libraries' candidates installed here; print each missing library once."""
    found = []
    for name, candidates_of in LIBRARIES.items():
        try:
            found += candidates_of(operation)
        except Exception as error:  # whatever an import or a compiler may raise
            if name not in _missing:
                _missing.add(name)
                words = f"{type(error).__name__}: {str(error)[:200]}"
                print(f"{name} is not measured: {words}", flush=True)
    return found
