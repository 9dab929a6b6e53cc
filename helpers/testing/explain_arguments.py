"""Find out whether a scalar argument of a launcher has an effect where it must have one."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator
from dataclasses import replace

import torch

from helpers.run.launcher import Launcher
from helpers.testing import experiment
from helpers.testing.cases import Case
from helpers.testing.experiment import NEXT_CASES, Experiment
from helpers.testing.influence import launched
from helpers.testing.mismatch import Diagnosis
from helpers.testing.references import bits
from helpers.testing.run_case import Failure

FILLS = (0, 3)  # of an output: what is written does not depend on it
LARGE = 1 << 16  # elements of a case that is not launched
FAR = (2.0, -3.0)  # times a number, and one more: others than a case has
LEAST = 3  # values that must make the same
TRIED = 8  # further cases of values that are right


def unused(launcher: Launcher, failure: Failure, cases: Iterable[Case]) -> Failure | None:
    """Return the failure with words for it, if an argument should have an effect and has none.

    It should where two cases of the same inputs have other results by it. Each launch is the
    first of a library: what stays from call to call is another fault.
    """
    own = {k for k, v in failure.case.arguments.items() if isinstance(v, (int, float))}
    if not own or launcher.on_gpu or failure.fault or failure.settled or failure.refused:
        return None
    known = [x for x in itertools.islice(cases, NEXT_CASES) if isinstance(x, Case)]
    for name, pair in _pairs([failure.case, *known], own):
        values = [case.arguments[name] for case in pair]
        some = [*pair, *(_with(pair[0], name, value) for value in _others(values))]
        made = [_made(launcher, case) for case in some]
        if None in made or not all(_equal(made[0], other) for other in made):
            continue
        numbers = (x.view(dtype) for x, dtype in zip(made[0], pair[0].dtypes, strict=True))
        if all(len(x.double().abs().unique()) < 2 for x in numbers):
            continue  # where one number comes out everywhere, more is left out
        tried = ", ".join(f"{case.arguments[name]:g}" for case in some[:LEAST])
        words = (
            f"{name} makes no difference: {tried} give the same results. Is it left out, with "
            "a number written in its place, in the kernel or where it is launched?"
        )
        return replace(failure, diagnosis=Diagnosis(words))
    return None


def some_values(experiment: Experiment) -> Diagnosis | None:
    """Find an argument of which other values come out right, of the same inputs and of others.

    A formula may hold for some values only, as fmaxf(x, slope * x) does up to 1.
    """
    case, failure = experiment.case, experiment.failure
    if failure.fault or failure.refused or failure.diagnosis.specific:
        return None
    floats = [k for k, v in case.arguments.items() if isinstance(v, float)]
    following = list(itertools.islice(experiment.following, NEXT_CASES))
    others = [
        x for x in following if isinstance(x, Case) and _size(x) <= LARGE and not x.before
    ]
    for name in floats:
        right = {
            x.arguments[name]
            for x in experiment.passed
            if _differ_in(name, case, x) and _alike(case.inputs, x.inputs)
        }
        if len(right) < LEAST - 1 or case.arguments[name] in right:
            continue
        same = [x for x in others if x.arguments.get(name) in right][:TRIED]
        if len(same) < TRIED or not all(map(experiment.right, same)):
            continue
        values = ", ".join(f"{value:g}" for value in sorted(right))
        return Diagnosis(
            f"right with {name} = {values}, and wrong with {name} = {case.arguments[name]:g}: "
            f"is the formula right only for some values of {name}?"
        )
    return None


def _differ_in(name: str, one: Case, other: Case) -> bool:
    """Test whether two cases have the same arguments, but for one."""
    if one.arguments.keys() != other.arguments.keys():
        return False
    return all(v == other.arguments[k] for k, v in one.arguments.items() if k != name)


def _pairs(cases: list[Case], names: set[str]) -> Iterator[tuple[str, tuple[Case, Case]]]:
    """Yield cases of which only one argument differs, and the results by it; each name once."""
    left = set(names)
    for one, other in itertools.combinations(cases, 2):
        if one.arguments.keys() != other.arguments.keys() or _size(one) > LARGE:
            continue
        differ = {k for k, v in one.arguments.items() if v != other.arguments[k]}
        if len(differ) != 1 or not differ <= left or one.before or other.before:
            continue
        if all(len(x.unique()) < 2 for x in one.expected):
            continue
        if _alike(one.inputs, other.inputs) and not _alike(one.wanted, other.wanted):
            name = differ.pop()
            left.discard(name)
            yield name, (one, other)


def _size(case: Case) -> int:
    return max(x.numel() for x in (*case.inputs, *case.expected))


def _alike(some: tuple[torch.Tensor, ...], others: tuple[torch.Tensor, ...]) -> bool:
    """Test whether tensors have the same shapes and bits."""
    pairs = list(zip(some, others, strict=True))
    if any(x.shape != y.shape or x.dtype is not y.dtype for x, y in pairs):
        return False
    return all(torch.equal(bits(x), bits(y)) for x, y in pairs)


def _others(values: list[int | float]) -> list[float]:
    """Return further numbers for an argument that is no count of anything."""
    if not all(isinstance(value, float) for value in values):
        return []
    return [times * max(values, key=abs) + 1 for times in FAR]


def _with(case: Case, name: str, value: float) -> Case:
    return replace(case, arguments={**case.arguments, name: value})


def _made(launcher: Launcher, case: Case) -> list[torch.Tensor] | None:
    """Return what a first call makes; None if it fails, or leaves elements as they were."""
    made = [
        launched(experiment.fresh(launcher), case, list(case.inputs), fill) for fill in FILLS
    ]
    return made[0] if None not in made and _equal(*made) else None


def _equal(some: list[torch.Tensor], others: list[torch.Tensor]) -> bool:
    return all(map(torch.equal, some, others))
