"""List the ways to compute an operator: kernels/fast.cuh, and the libraries as users would.

torch           eager, into a given output
torch.compile   max-autotune without CUDA graphs; again with its programmatic launch
Triton          four shapes, each with and without programmatic launch; the fastest counts
CUB             DeviceTransform of the toolkit
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Mapping
from functools import partial
from types import MappingProxyType

import torch

from helpers.measure import timing
from helpers.measure.libraries import ahead, operator_sources, operators, triton_operators
from helpers.measure.libraries.candidates import COURSE, Candidate, cub_version, kernel
from helpers.measure.libraries.interleaved import Setting
from helpers.measure.libraries.operators import Operator
from helpers.run import machine

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


def forget_compiled() -> None:
    """Let PyTorch's compiler begin anew: it gives a function up after some eight sizes.

    From then on it would run uncompiled.
    """
    import torch._dynamo

    torch._dynamo.reset()


def compiled(operator: Operator) -> list[Candidate]:
    """Return PyTorch's compiler, tuned, without and with programmatic launch."""
    forget_compiled()

    def one(programmatic: bool) -> Candidate:
        options = dict(INDUCTOR)
        if programmatic:
            options["triton.enable_pdl"] = True

        def into(out, *inputs):
            return out.copy_(operator.kind.exact(*inputs))

        function = torch.compile(into, dynamic=False, options=options)
        variant = PROGRAMMATIC.removeprefix(", ") if programmatic else ""
        bind = lambda inputs, out: partial(  # noqa: E731
            function, out, *operator.arguments(inputs, out.numel())
        )
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
    """Return CUB's DeviceTransform; none for rows, which it does not know."""
    if operator.kind.inputs == "row" or operator.kind.strides:
        return []
    launcher = getattr(kernel(operator_sources.cub(operator.name)), operator.launcher)
    return [Candidate("CUB", cub_version(), _launch(launcher))]


def prepare(setting: Setting) -> Setting:
    """Compile and tune what PyTorch's compiler and Triton need for a setting; return it.

    Errors are left to the measurement, which says them.
    """
    operator = setting.operator
    device = machine.present().device
    with ahead.turn():
        inputs, out = operator.buffers(setting.elements, device, setting.offsets)
        # Inductor restores what a kernel overwrites from the host, within the time that it
        # takes, if a copy would exceed the most memory that was in use. So use more, once.
        torch.empty(2 * out.nbytes, dtype=torch.uint8, device=device)
        timing.GPU.synchronize()
    for maker in (compiled, triton):
        with contextlib.suppress(Exception):  # whatever an import or a compiler may raise
            for one in maker(operator):
                one.bind(inputs, out)()
    timing.GPU.synchronize()
    del inputs, out
    torch.cuda.empty_cache()
    return setting
