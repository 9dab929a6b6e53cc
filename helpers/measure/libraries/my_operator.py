"""Check an operator of your own, and compare it with PyTorch, its compiler and Triton.

    python -m helpers.measure.libraries.my_operator FILE.cu --torch "x * x"

FILE.cu has a launcher with tensors of one size, the output last; the lesson on fast.cuh shows
how to write one. It includes fast.cuh by a path from its own folder. The expression says what
it computes, in the launcher's names of the inputs, `torch` and `F` (torch.nn.functional).
Triton's kernel is generated from the same expression where that is arithmetic alone, else from
--triton, in `tl`. If the launcher has an argument `programmatic`, that launch is compared as
well. At the end stands what the functor's arithmetic costs, from the machine code;
functions.cuh has shorter functions, each with its error. Without a GPU the operator is checked
only.
"""

from __future__ import annotations

import argparse
import ast
import functools
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import torch
import torch.nn.functional as F
from torch.utils._python_dispatch import TorchDispatchMode
from torch.utils.weak import WeakTensorKeyDictionary

from helpers.errors import CourseError
from helpers.measure import roofs, sass
from helpers.measure.libraries import functor_costs, interleaved, operator_peers, ratios
from helpers.measure.libraries.candidates import COURSE, Candidate, is_programmatic
from helpers.measure.libraries.interleaved import COLD, HOT, Setting
from helpers.measure.libraries.operators import Kind, Operator
from helpers.measure.timing import Times
from helpers.model.dtypes import dtype_name
from helpers.run import jit, machine
from helpers.run.launcher import Launcher
from helpers.testing import check

SIZES = (1 << 16, 1 << 20, 1 << 24, 1 << 28)
LETTERS = "abc"  # the inputs' names in a Triton kernel
PLACEMENTS, ROUNDS = 4, 4
SLACK = 64  # of a library's result, in 2^-24 of the largest input: it may cancel


class ExpressionError(ValueError):
    """An expression that cannot be read, or that names what is not there."""


def syntax_tree(text: str) -> ast.Expression:
    """Parse an expression in any names.

    Raises ExpressionError.
    """
    try:
        return ast.parse(text, mode="eval")
    except SyntaxError as error:
        raise ExpressionError(f"{text!r} is not an expression: {error.msg}") from None


def parsed(text: str, names: Sequence[str]) -> ast.Expression:
    """Parse an expression in these names, `torch` and `F`.

    Raises ExpressionError.
    """
    tree = syntax_tree(text)
    used = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)}
    if unknown := used - {*names, "torch", "F"}:
        raise ExpressionError(
            f"{text!r} names {', '.join(sorted(unknown))}; the inputs are {', '.join(names)}"
        )
    return tree


def function(tree: ast.Expression, names: Sequence[str]) -> Callable[..., torch.Tensor]:
    """Return the function of tensors that an expression describes.

    It is a plain function, which PyTorch's compiler can read: it makes one kernel of it.
    """
    text = f"def operator({', '.join(names)}):\n    return {ast.unparse(tree)}\n"
    known = {"torch": torch, "F": F}
    exec(compile(text, "<expression>", "exec"), known)
    return known["operator"]


class _Operations(TorchDispatchMode):
    """Count what PyTorch executes; let operation number `last` write into `out`."""

    def __init__(self, last: int = 0, out: torch.Tensor | None = None):
        super().__init__()
        self.last, self.out = last, out
        self.count, self.has_out_form = 0, False

    def __torch_dispatch__(self, operation, types, args=(), kwargs=None):
        self.count += 1
        into = _out_form(operation)
        self.has_out_form = into is not None
        if self.count == self.last:
            return into(*args, **(kwargs or {}), out=self.out)
        return operation(*args, **(kwargs or {}))


def _out_form(operation: torch._ops.OpOverload) -> torch._ops.OpOverload | None:
    """Return the form of an operation that writes into an argument; None if it has none.

    Forms without a kernel of their own make a tensor and copy it.
    """
    name, forms = operation._overloadname, operation.overloadpacket
    for form in (f"{name}_out", "out"):
        if form in forms.overloads():
            into = getattr(forms, form)
            if torch._C._dispatch_has_kernel_for_dispatch_key(into.name(), "CPU"):
                return into
    return None


def into_output(tree: ast.Expression, names: Sequence[str]) -> Callable[..., object]:
    """Return a function (out, *inputs) whose last operation writes into `out`.

    If PyTorch has no such form of the operation, the result is a new tensor. It is copied to
    `out`, but for calls that a CUDA graph captures: those are timed, and have been checked.
    """
    plain, made = function(tree, names), WeakTensorKeyDictionary()

    @functools.cache
    def last_operation(dtypes: tuple[torch.dtype, ...], out: torch.dtype) -> int:
        """Count the operations; return 0 if the last cannot write into such an output."""
        inputs = [torch.ones(2).to(dtype) for dtype in dtypes]
        with _Operations() as seen:
            result = plain(*inputs)
        return seen.count if seen.has_out_form and result.dtype is out else 0

    def run(out: torch.Tensor, *inputs: torch.Tensor) -> None:
        last = last_operation(tuple(x.dtype for x in inputs), out.dtype)
        if last:
            with _Operations(last, out):
                plain(*inputs)
            return
        result = plain(*inputs)
        if not result.is_cuda or not torch.cuda.is_current_stream_capturing():
            out.copy_(result)
        made[out] = result  # lives as long: each output that is measured has memory of its own

    return run


def triton_expression(text: str, names: Sequence[str]) -> str:
    """Return an expression of arithmetic in Triton's letters; "" if it is more than that."""
    tree = parsed(text, names)
    allowed = (ast.Expression, ast.BinOp, ast.UnaryOp, ast.operator, ast.unaryop, ast.Name)
    allowed += (ast.Constant, ast.expr_context)
    if not all(isinstance(node, allowed) for node in ast.walk(tree)):
        return ""
    return renamed(tree, names)


def renamed(tree: ast.AST, names: Sequence[str]) -> str:
    """Write an expression with the letters a, b, c in the place of the inputs' names."""
    letters = dict(zip(names, LETTERS, strict=False))
    for node in ast.walk(tree):
        if isinstance(node, ast.Name):
            node.id = letters.get(node.id, node.id)
    return ast.unparse(tree)


# ---- the operator --------------------------------------------------------------------------


@dataclass(frozen=True)
class Own(Operator):
    """An operator of a reader: what a launcher of his computes. `check` has judged it."""

    described: Kind
    types: tuple[torch.dtype, ...]  # of its inputs
    launch: Launcher

    kind = property(lambda self: self.described)
    input_dtypes = property(lambda self: self.types)

    def bound(self) -> float:
        """Accept any error: `check` has judged the kernel already."""
        return float("inf")


def own_operator(launch: Launcher, text: str, triton: str = "") -> Own:
    """Describe a launcher's operator.

    Raises ExpressionError, also for a launcher that is not elementwise.
    """
    declaration = launch.declaration
    tensors = declaration.tensors
    if not declaration.is_flat or not 2 <= len(tensors) <= 1 + len(LETTERS):
        raise ExpressionError(
            f"{declaration.name} must have one to three inputs and an output behind them, each "
            "with the comment // [n]"
        )
    names = [parameter.name for parameter in tensors[:-1]]
    tree = parsed(text, names)
    expression = renamed(syntax_tree(triton), names) if triton else ""
    kind = Kind(
        functor="",
        arity=len(names),
        exact=function(tree, names),
        eager=into_output(tree, names),
        expression=expression or triton_expression(text, names),
        slack=SLACK,
        narrow_slack=SLACK,
        unfused=True,
    )
    types = tuple(parameter.dtype for parameter in tensors[:-1])
    try:
        kind.exact(*(torch.ones(2, dtype=dtype) for dtype in types))
    except Exception as error:  # whatever PyTorch may raise
        raise ExpressionError(f"{text!r}: {type(error).__name__}: {error}") from None
    return Own(f"my_{declaration.name}", types[0], tensors[-1].dtype, kind, types, launch)


def candidates(operator: Own) -> list[Candidate]:
    """Return the launcher, with either launch, and the libraries; print what is missing."""

    def bound(**knobs: int) -> Candidate:
        bind = lambda inputs, out: partial(operator.launch, *inputs, out, **knobs)  # noqa: E731
        return Candidate(COURSE, "", bind, ", ".join(knobs))

    found = [bound(), *operator_peers.eager(operator)]
    scalars = {p.name for p in operator.launch.declaration.arguments if not p.is_tensor}
    if "programmatic" in scalars:
        found.append(bound(programmatic=1))
    makers = [operator_peers.compiled]
    if operator.kind.expression:
        makers.append(operator_peers.triton)
    for maker in makers:
        try:
            found += maker(operator)
        except Exception as error:  # whatever an import or a compiler may raise
            print(f"without {maker.__name__}: {type(error).__name__}: {error}", flush=True)
    return found


# ---- its standing --------------------------------------------------------------------------


def standing(setting: Setting, times: Mapping[Candidate, Times]) -> Iterator[str]:
    """Yield a line for each launch of the operator's own, of the times of one setting."""
    moved = setting.operator.bytes_per_element * setting.elements
    for own in (one for one in times if one.is_ours):
        programmatic = is_programmatic(own)
        others = {
            one: took
            for one, took in times.items()
            if not one.is_ours and (programmatic or not is_programmatic(one))
        }
        if not others:
            continue
        found = ratios.ratio(times[own], list(others.values()))
        fastest = min(others, key=lambda one: others[one].median_us)
        time_us = times[own].median_us
        yield (
            f"{setting.elements:>12,}  {setting.method:<10}  {own.variant or 'ordinary':<12}  "
            f"{time_us:9.2f} us  {moved / time_us / 1e3:7,.0f} GB/s  {found.value:6.3f} "
            f"[{found.low:.3f}, {found.high:.3f}]  {found.verdict:<6}  {fastest}"
        )


def report(launch: Launcher, text: str, triton: str, sizes: Sequence[int]) -> None:
    """Print the standing of one launcher at each size, hot and cold."""
    operator = own_operator(launch, text, triton)
    types = ", ".join(map(dtype_name, (*operator.types, operator.dtype)))
    print(f"\n{operator.name} ({types}): {text}")
    if not operator.kind.expression:
        print("without Triton: give its expression with --triton")
    print(
        "elements, context, launch, time, bandwidth, ratio to the fastest with its 95% interval"
    )
    found = candidates(operator)
    for n in sizes:
        operator_peers.forget_compiled()
        for setting in (Setting(operator, n, HOT), Setting(operator, n, COLD)):
            times, _ = interleaved.measure(setting, found, ROUNDS, placements=PLACEMENTS)
            found = [one for one in found if one in times]  # what was left out was said once
            if all(one.is_ours for one in found):
                print(f"no library is left to compare with: is {text!r} what it computes?")
                return
            for line in standing(setting, times):
                print(line, flush=True)


def print_costs(file: Path, launches: Iterable[Launcher]) -> None:
    """Print what the functors' arithmetic costs on the present GPU, a launcher a line."""
    gpu = roofs.this_gpu()
    try:
        found = functor_costs.costs(sass.read(file, gpu.cc).kernels)
    except (CourseError, ValueError) as error:
        print(f"without the machine code: {error}")
        return
    for launch in launches:
        *inputs, out = [parameter.dtype for parameter in launch.declaration.tensors]
        moved = sum(dtype.itemsize for dtype in (*inputs, out))
        types = functor_costs.types_of(out, inputs)
        for one in (one for one in found if one.types == types):
            for line in one.lines(gpu, moved):
                print(f"{launch.declaration.name} ({one.functor}): {line}")


def main(arguments: Sequence[str] | None = None) -> int:
    """Read the command line; check, and measure where there is a GPU."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("file", type=Path, help="a .cu file with one launcher or several")
    parser.add_argument("--torch", required=True, help='what it computes, such as "x * x"')
    parser.add_argument("--triton", default="", help='the same in Triton, such as "tl.exp(x)"')
    parser.add_argument("--ulp", type=float, default=4, help="largest error (default: 4)")
    parser.add_argument("--sizes", type=int, nargs="+", default=SIZES, help="elements")
    given = parser.parse_args(arguments)
    if min(given.sizes) < 1:
        parser.error("--sizes must be positive")
    try:
        kernel = jit.load(given.file)
        first = own_operator(next(iter(kernel.launchers.values())), given.torch, given.triton)
        print(f"checking {kernel.name} ...", flush=True)
        print(check.check(kernel, first.described.exact, ulp=given.ulp))
        if not machine.present().is_gpu:
            print("no GPU here: it was checked, not measured")
            return 0
        for launch in kernel.launchers.values():
            report(launch, given.torch, given.triton, given.sizes)
        print_costs(given.file, kernel.launchers.values())
    except (CourseError, ValueError, OSError) as error:
        print(error, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
