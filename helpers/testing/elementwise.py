"""Judge an elementwise launcher: cases, a sweep of small calls, 2^24 elements, past 2^31."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Iterable, Iterator

import torch

from helpers.errors import CourseError, FaultKind
from helpers.run.launcher import Launcher
from helpers.testing import past_2_31
from helpers.testing.cases import Case, ElementwiseMaker, elementwise_cases, stock
from helpers.testing.complete import N, complete, room
from helpers.testing.experiments.explain_calls import STAYS
from helpers.testing.run_cases import Finding, Tried, find, run_cases
from helpers.testing.sweep import Sweep, calls

PART = 131_071  # elements of a launch that tells how long the complete run would take
SECONDS = 2.5  # CPU time; a complete run that takes longer on the emulator is left out
PATIENCE = 60.0  # seconds of a complete run: the machine may be busy
PROBE = 257  # elements
CASES = (
    "pass cases= a function that yields a Case for each call to try, with its tensors "
    "(helpers/testing/kernel_cases.py has examples)"
)


def judge(launcher: Launcher, make: ElementwiseMaker) -> Tried:
    """Try one launcher until something is wrong."""
    _must_fit(launcher, make)
    tried = run_cases(launcher, elementwise_cases(launcher, make))
    if tried.found:
        return tried
    count, not_tried = tried.count, [*tried.not_tried]
    if not is_elementwise(make):
        not_tried.append("sizes past 2^24 (the reference is not elementwise)")
        return Tried(count, None, tuple(not_tried))
    sweep = Sweep(launcher, make, tried.every(len(calls(launcher))))
    if (k := sweep.run()) is not None:
        return Tried(count + 1, _in_sweep(launcher, sweep, k))
    count += 1
    for part in (_complete, _past_2_31):
        more = part(launcher, make)
        count += more.count
        not_tried += more.not_tried
        if more.found:
            return Tried(count, more.found)
    return Tried(count, None, tuple(not_tried))


def small_cases(launcher: Launcher, make: ElementwiseMaker) -> Iterator[Case]:
    """Yield the cases that `judge` tries one by one, and a third of its sweep."""
    yield from elementwise_cases(launcher, make)
    if is_elementwise(make):
        sweep = Sweep(launcher, make, 1)
        yield from map(sweep.case, range(0, len(calls(launcher)), 3))


def prepare(launchers: Iterable[Launcher]) -> None:
    """Draw in this process what its children, one a launcher, would draw anew."""
    for launcher in launchers:
        for parameter in launcher.declaration.tensors:
            if parameter.role == "input":
                stock(parameter.dtype)


def _must_fit(launcher: Launcher, make: ElementwiseMaker) -> None:
    """Raise ValueError for a reference that fails, or that returns not what is written."""
    case = make.inputs(3, 0)
    name = launcher.declaration.name
    for p in launcher.declaration.tensors:
        if len(p.shape) > 1:
            raise ValueError(
                f"{name} takes {p.name} [{', '.join(p.shape)}], and check calls it with "
                f"vectors [n]: {CASES}"
            )
    try:
        exact = make.reference(*[x.double() for x in case])
    except Exception as error:  # of any class: it is the learner's function
        shapes = ", ".join("[3]" for _ in case)
        raise ValueError(
            f"the reference of {name} failed for inputs of shape {shapes} (float64): "
            f"{type(error).__name__}: {error}. It is called with vectors [n]: is it "
            f"written for them? For other shapes, {CASES}"
        ) from error
    exact = exact if isinstance(exact, tuple) else (exact,)
    if not all(isinstance(x, torch.Tensor) for x in exact):
        raise ValueError(f"the reference of {name} must return a tensor, or a tuple of them")
    shapes = [tuple(x.shape) for x in exact]
    if shapes != [(3,)] * len(make.outputs):
        raise ValueError(
            f"{name} has {len(make.outputs)} outputs [n], but for n = 3 the reference returned "
            f"shapes {shapes}; pass cases= for kernels that are not elementwise"
        )


def is_elementwise(make: ElementwiseMaker) -> bool:
    """Test whether each result depends on its own element only, and not on its index."""
    inputs = [x.double() for x in make.inputs(PROBE, 1)]
    whole, part = make.reference(*inputs), make.reference(*[x[101:112] for x in inputs])
    whole = whole if isinstance(whole, tuple) else (whole,)
    part = part if isinstance(part, tuple) else (part,)
    return all(
        torch.allclose(x[101:112], y, rtol=0, atol=0, equal_nan=True)
        for x, y in zip(whole, part, strict=True)
    )


def _in_sweep(launcher: Launcher, sweep: Sweep, k: int):
    """Repeat call k of a sweep alone; if it is right then, the calls before it matter."""
    case = sweep.case(k)
    before = [sweep.case(j) for j in range(max(0, k - 5), k)]
    return find(launcher, case, before) or Finding(
        f"right at the first call, wrong at a later one: {STAYS} [{case.label}, after {k:,} "
        f"other calls: {sweep.seen}]"
    )


def _complete(launcher: Launcher, make: ElementwiseMaker) -> Tried:
    """Make the complete run, if there is the memory and the time."""
    if not launcher.on_gpu and _seconds(launcher, make) * N / PART > SECONDS:
        return Tried(0, None, (f"{N:,} elements (too slow on the emulator)",))
    try:
        if launcher.on_gpu:
            found = complete(launcher, make)
        else:
            with launcher.emulator.timeout(PATIENCE):
                found = complete(launcher, make)
    except (MemoryError, torch.OutOfMemoryError):
        return Tried(0, None, (f"{N:,} elements (no memory)",))
    if found and found.fault is FaultKind.TIMEOUT:
        return Tried(0, None, (f"{N:,} elements (too slow on the emulator)",))
    return Tried(1, found)


def _seconds(launcher: Launcher, make: ElementwiseMaker) -> float:
    """Return the CPU seconds of a launch of PART elements: a busy machine has no part in it."""
    case = make.random(PART, 0)
    inputs, outputs = iter(case.inputs), iter(case.dtypes)
    tensors = []
    for p in launcher.declaration.tensors:
        if p.role == "input":
            x = next(inputs)
            tensors.append(room(PART, x.dtype, "cpu").copy_(x))
        else:
            tensors.append(room(PART, next(outputs), "cpu"))
    start = time.process_time()
    with contextlib.suppress(CourseError):
        launcher(*tensors, **make.arguments)
    return time.process_time() - start


def _past_2_31(launcher: Launcher, make: ElementwiseMaker) -> Tried:
    """Look at the end of more than 2^31 elements, on the emulator only: it needs no memory."""
    if launcher.on_gpu:
        return Tried(len(past_2_31.SIZES))
    results = past_2_31.past_2_31(launcher, make.reference, make.ulp, make.arguments)
    if results[-1].outcome is past_2_31.Outcome.WRONG:
        return Tried(len(results), results[-1])
    open_ones = [r for r in results if r.outcome is past_2_31.Outcome.UNDECIDED]
    not_tried = (f"{past_2_31.PAST_2_31} ({open_ones[0].sentence})",) if open_ones else ()
    return Tried(len(results), None, not_tried)
