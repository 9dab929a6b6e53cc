"""Write an operator as a Triton kernel, with and without programmatic launch. Needs Triton.

The kernel is that of Triton's tutorial 1, and with PDL that of its tutorial 11: it waits before
its first load and lets the next kernel start behind its loads.
"""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Callable, Sequence
from functools import partial
from types import ModuleType

import torch

from helpers.measure.libraries.operators import OPERATORS, Kind, Operator
from helpers.run import cache

TEMPLATE = """
import triton
import triton.language as tl
from triton.language.extra import libdevice


@triton.jit
def kernel({pointers}, out, n, COLS: tl.constexpr, BLOCK: tl.constexpr, PDL: tl.constexpr):
    if PDL:
        tl.extra.cuda.gdc_wait()
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = i < n
{loads}
    if PDL:
        tl.extra.cuda.gdc_launch_dependents()
    tl.store(out + i, ({expression}).to(out.dtype.element_ty), mask=inside)
"""


def text(kind: Kind) -> str:
    """Write the module with an operator's kernel."""
    letters = "abc"[: kind.arity]
    loads = []
    for place, letter in enumerate(letters):
        at = "i"
        if kind.inputs == "row" and place == 1:
            at = "i % COLS"
        elif kind.strides and place == kind.arity - 1:
            cols, row, column = kind.strides
            at = f"i // {cols} * {row} + i % {cols} * {column}"
        as_float = "" if kind.inputs == "where" else ".to(tl.float32)"
        load = f"tl.load({letter}_pointer + {at}, mask=inside){as_float}"
        loads.append(f"    {letter} = {load}")
    return TEMPLATE.format(
        pointers=", ".join(f"{letter}_pointer" for letter in letters),
        loads="\n".join(loads),
        expression=kind.expression,
    )


_modules: dict[str, ModuleType] = {}


def module(name: str, kind: Kind | None = None) -> ModuleType:
    """Import the module of an operator: Triton reads a kernel's text from its file.

    kind: what it computes, if OPERATORS does not say so.
    """
    if name not in _modules:
        path = cache.folder() / "operators" / f"triton_{name.replace(' ', '_')}.py"
        path.parent.mkdir(exist_ok=True)
        written = text(kind or OPERATORS[name])
        if not path.is_file() or path.read_text(encoding="utf-8") != written:
            path.write_text(written, encoding="utf-8")
        spec = importlib.util.spec_from_file_location(path.stem, path)
        _modules[name] = importlib.util.module_from_spec(spec)
        sys.modules[path.stem] = _modules[name]
        spec.loader.exec_module(_modules[name])
    return _modules[name]


def bind(
    operator: Operator,
    inputs: Sequence[torch.Tensor],
    out: torch.Tensor,
    block: int,
    warps: int,
    pdl: bool,
) -> Callable[[], object]:
    """Return a call of the kernel on these tensors."""
    kernel = module(operator.name, operator.kind).kernel
    grid = (-(-out.numel() // block),)
    columns = operator.columns(out.numel())
    launch = {"launch_pdl": True} if pdl else {}
    return partial(
        kernel[grid],
        *inputs,
        out,
        out.numel(),
        COLS=columns,
        BLOCK=block,
        PDL=pdl,
        num_warps=warps,
        **launch,
    )
