"""List the ways to compute an operator: kernels/fast.cuh, and the libraries as users would.

torch           eager, into a given output
torch.compile   max-autotune without CUDA graphs; again with its programmatic launch
Triton          four shapes, each with and without programmatic launch; the fastest counts
CUB             DeviceTransform of the toolkit
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from functools import partial
from types import MappingProxyType

import torch

from helpers.measure.libraries import operator_sources, operators, triton_operators
from helpers.measure.libraries.candidates import COURSE, Candidate, cub_version, kernel
from helpers.measure.libraries.cells import ODD_SIZES, SIZES
from helpers.measure.libraries.operators import Operator

TRITON_SHAPES = ((512, 4), (1024, 4), (2048, 8), (4096, 8))  # elements, warps
PROGRAMMATIC = ", programmatic"
INDUCTOR = {"max_autotune": True, "coordinate_descent_tuning": True}


def course(
    operator: Operator,
    variant: str = "",
    knobs: Mapping[str, int] = MappingProxyType({}),
    change: str = "",
) -> Candidate:
    """Return `fast::transform` of an operator; knobs: arguments of its launcher.

    change: a name of operator_sources.CHANGES, of the text of fast.cuh.
    """
    source = operator_sources.fast(operator.name, change)
    launcher = getattr(kernel(source), operator.launcher)
    return Candidate(COURSE, "", _launch(launcher, **knobs), variant)


def _launch(launcher: Callable[..., None], **knobs: int):
    def bind(inputs, out):
        return partial(launcher, *map(operators.as_bytes, (*inputs, out)), **knobs)

    return bind


def eager(operator: Operator) -> list[Candidate]:
    """Return eager PyTorch."""
    bind = lambda inputs, out: partial(operator.eager, inputs, out)  # noqa: E731
    return [Candidate("torch", torch.__version__, bind)]


def compiled(operator: Operator) -> list[Candidate]:
    """Return PyTorch's compiler, tuned, without and with programmatic launch."""
    import torch._dynamo

    torch._dynamo.reset()

    def one(programmatic: bool) -> Candidate:
        options = dict(INDUCTOR)
        if programmatic:
            options["triton.enable_pdl"] = True

        def into(out, *inputs):
            return out.copy_(operator.kind.exact(*inputs))

        function = torch.compile(into, dynamic=False, options=options)
        variant = PROGRAMMATIC.removeprefix(", ") if programmatic else ""
        bind = lambda inputs, out: partial(function, out, *inputs)  # noqa: E731
        return Candidate("torch.compile", torch.__version__, bind, variant)

    return [one(False), one(True)]


def triton(operator: Operator, shapes=TRITON_SHAPES) -> list[Candidate]:
    """Return a Triton kernel in several shapes, with and without programmatic launch."""
    import triton

    return [
        Candidate(
            "Triton",
            triton.__version__,
            partial(triton_operators.bind, operator, block=block, warps=warps, pdl=pdl),
            f"{block} elements, {warps} warps{PROGRAMMATIC * pdl}",
        )
        for block, warps in shapes
        for pdl in (False, True)
    ]


def cub(operator: Operator) -> list[Candidate]:
    """Return CUB's DeviceTransform; none for a bias, which it does not know."""
    if operator.kind.inputs == "row":
        return []
    launcher = getattr(kernel(operator_sources.cub(operator.name)), operator.launcher)
    return [Candidate("CUB", cub_version(), _launch(launcher))]


def compile_triton(name: str) -> None:
    """Launch each of an operator's Triton kernels once, for even and for odd sizes."""
    for operator in operators.all_operators():
        if operator.name == name:
            for elements in (SIZES[0], ODD_SIZES[0]):
                inputs, out = operator.buffers(elements, "cuda")
                for one in triton(operator):
                    one.bind(inputs, out)()


if __name__ == "__main__":
    compile_triton(sys.argv[1])
