"""Find out what scalar arguments of a launcher do: nothing, or another thing than they must."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace

import torch

from helpers.run.launcher import Launcher
from helpers.testing import experiment
from helpers.testing.cases import Case
from helpers.testing.experiment import NEXT_CASES, Experiment
from helpers.testing.mismatch import Diagnosis
from helpers.testing.probes.influence import launched
from helpers.testing.references import bits
from helpers.testing.run_case import Failure

FILLS = (0, 3)  # of an output: what is written does not depend on it
LARGE = 1 << 16  # elements of a case that is not launched
FAR = (2.0, -3.0)  # times a number, and one more: others than a case has
DIVIDED = (torch.float16, torch.bfloat16, torch.float32, torch.float64)  # what is divided
LEAST = 3  # values that must make the same
FEW = 32  # elements, of which few may be wrong by chance
NEAR = 2.0**-10  # relative, of what rounding leaves
# What wrong elements may be off by, times an argument, and where that may come from.
OFF_BY = (
    (-1, "-{0}: is {0} left out of the sum, of which the formula is another one?"),
    (1, "{0}: is {0} counted twice, or should it not be added (the formula of another sum)?"),
    (-2, "-2 * {0}: has the formula another sign before {0}?"),
    (2, "2 * {0}: has the formula another sign before {0}?"),
)
FEW_WRONG = 16  # one of so many elements
TRIED = 8  # further cases of values that are right
# What may be passed in the place of an argument, and what is wrong where that makes all right.
CHANGED: tuple[tuple[str, Callable[[float], float]], ...] = (
    ("1 / {}", lambda s: 1 / s if s else s),
    ("-{}", lambda s: -s),
    ("1 - {}", lambda s: 1 - s),
    ("{0} * {0}", lambda s: s * s),
)
WHY = {
    "1 / {}": "which multiplies by {} where it must divide, or the other way round",
    "-{}": "with the other sign before {}",
    "1 - {}": "with {0} and 1 - {0} in each other's place",
    "{0} * {0}": "in which {} is not multiplied by itself",
}
# The same with another argument.
WITH_ANOTHER: tuple[tuple[str, Callable[[float, float], float]], ...] = (
    ("{} * {}", lambda s, t: s * t),
    ("{} / {}", lambda s, t: s / t if t else s),
)


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
        if not any(_differ(x.double()) for x in numbers):
            continue  # where one number, or NaN, comes out everywhere, more is wrong
        if _has_effect(launcher, name, some, known):
            continue
        return replace(failure, diagnosis=Diagnosis(_makes_no_difference(name, some)))
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
    if case.size > FEW and FEW_WRONG * failure.diagnosis.wrong < case.size:
        return None  # of another value a formula would be wrong in more of them
    for name in floats:
        right = {
            x.arguments[name]
            for x in experiment.passed
            if _differ_in(name, case, x) and _alike(case.inputs, x.inputs)
        }
        enough = 1 if 1.0 in right else LEAST - 1  # a factor of 1 may be forgotten
        if len(right) < enough or case.arguments[name] in right:
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


def no_effect(experiment: Experiment) -> Diagnosis | None:
    """Find an argument that never has an effect, where other results belong to other arguments.

    Several of them change from case to case: which of them should count is not known, and so
    one that does not is named only where nothing else is.
    """
    case, failure = experiment.case, experiment.failure
    if experiment.launcher.on_gpu or failure.fault or failure.refused:
        return None
    told = failure.diagnosis
    known = told.specific and not (told.numbers or told.nearly)
    if known or case.before or _size(case) > LARGE:
        return None
    following = itertools.islice(experiment.following, NEXT_CASES)
    near = [x for x in (*experiment.passed, *following) if isinstance(x, Case)]
    others = [
        x
        for x in near
        if x.arguments.keys() == case.arguments.keys()
        and _alike(case.inputs, x.inputs)
        and not _alike(case.wanted, x.wanted)
    ]
    if not others or (usual := _made(experiment.launcher, case)) is None:
        return None
    if not _varies(usual, case):
        return None
    for name, value in case.arguments.items():
        values = [value, *(x.arguments[name] for x in others)]
        if not isinstance(value, float) or len(set(values)) < 2:
            continue
        some = [_with(case, name, v) for v in dict.fromkeys((*values, *_others(values)))]
        made = (_made(experiment.launcher, x) for x in some)
        if not all(x is not None and _equal(usual, x) for x in made):
            continue
        if _has_effect(experiment.launcher, name, some, near):
            continue
        return Diagnosis(_makes_no_difference(name, some))
    return None


def off_by_one(experiment: Experiment) -> Diagnosis | None:
    """Test whether each wrong element is off by an argument, in cases of several values of it.

    Where it is left out of a sum, say. Integers at a limit of their type tell nothing.
    """
    case, failure = experiment.case, experiment.failure
    if failure.diagnosis.specific or failure.fault or failure.refused or case.before:
        return None
    names = [name for name in case.arguments if name != "block_size"]
    if not names or not case.inputs:
        return None
    following = itertools.islice(experiment.following, NEXT_CASES)
    known = [x for x in (case, *following) if isinstance(x, Case) and _size(x) <= LARGE]
    off = [pair for x in known[:FEW] if (pair := _off(experiment.launcher, x)) is not None]
    for name in names:
        for times, words in OFF_BY:
            told = [(x, y) for x, y in off if len(y) and x.arguments.get(name)]
            by = [(times * x.arguments[name], y) for x, y in told]
            values = {x for x, _ in by}
            if len(values) < 2 or sum(len(y) for _, y in by) < FEW:
                continue
            if all(bool(((y - x).abs() <= NEAR * abs(x)).all()) for x, y in by):
                return Diagnosis(f"each wrong element is off by {words.format(name)}")
    return None


def _off(launcher: Launcher, case: Case) -> tuple[Case, torch.Tensor] | None:
    """Return by how much the wrong elements of the only output are off; None if unknown."""
    if len(case.dtypes) != 1 or (made := launched(launcher, case, list(case.inputs))) is None:
        return None
    got, right = made[0].view(case.dtypes[0]).flatten(), case.wanted[0].double()
    wrong = ~case.right(0, got)
    got = got.double()
    if not case.dtypes[0].is_floating_point:
        info = torch.iinfo(case.dtypes[0])
        for x in (got, right):
            wrong &= (x > info.min) & (x < info.max)
    return case, (got - right)[wrong]


def _has_effect(launcher: Launcher, name: str, some: list[Case], others: list[Case]) -> bool:
    """Test whether an argument has an effect on cases of other inputs.

    On a few elements, or of one sign, it may have none, as a slope on positive numbers.
    """
    inputs = some[0].inputs
    others = [x for x in others if name in x.arguments and not _alike(x.inputs, inputs)]
    for other in [x for x in others if _size(x) <= LARGE][:: len(others) // TRIED + 1]:
        made = [_made(launcher, _with(other, name, x.arguments[name])) for x in some[:LEAST]]
        if any(x is None or made[0] is None or not _equal(made[0], x) for x in made):
            return True
    return False


def _varies(made: list[torch.Tensor], case: Case) -> bool:
    """Test whether not one number comes out everywhere, as where more is left out."""
    numbers = (x.view(dtype).double() for x, dtype in zip(made, case.dtypes, strict=True))
    return any(_differ(x) or bool(x.numel() == 1 and x != 0) for x in numbers)


def _differ(numbers: torch.Tensor) -> bool:
    """Test whether several sizes came out; NaN, which differs from itself, is one of them."""
    return len(numbers.abs().nan_to_num(0.0).unique()) > 1


def _makes_no_difference(name: str, cases: list[Case]) -> str:
    tried = ", ".join(f"{case.arguments[name]:g}" for case in cases[:LEAST])
    return (
        f"{name} makes no difference: {tried} give the same results. Is it left out, with a "
        "number written in its place, in the kernel or where it is launched?"
    )


def changed(experiment: Experiment) -> Diagnosis | None:
    """Launch with 1 / s in the place of an argument s, or -s, say: does that make all right?

    Of the case, and of others whose argument is another number than what is passed for it.
    """
    case, told = experiment.case, experiment.failure.diagnosis
    if experiment.failure.fault or experiment.failure.refused or case.before:
        return None
    if told.specific and not (told.nearly or told.numbers or told.formula):
        return None
    others = _following(experiment)
    for name, value in case.arguments.items():
        if not isinstance(value, float):
            continue
        for words, of in CHANGED:
            alike = [x for x in (case, *others) if _changes(x, name, of)][: TRIED + 1]
            if len(alike) <= TRIED or alike[0] is not case:
                continue
            if all(experiment.right(_with(x, name, of(x.arguments[name]))) for x in alike):
                asked = f"is the formula another one, {WHY[words].format(name)}"
                shapes = [(x.shape, x.dtype) for x in case.inputs]
                if words == "1 - {}" and len(set(shapes)) < len(shapes):
                    asked += ", or are the two inputs that they multiply swapped"
                return Diagnosis(
                    f"right if {words.format(name)} is passed in the place of {name}: {asked}?"
                )
    return None


def changed_by_another(experiment: Experiment) -> Diagnosis | None:
    """Launch with s * t or s / t in the place of an argument s, t another: is all right then?

    So it is where t multiplies too little of a formula: x > s in the place of t * x > s.
    """
    case, told = experiment.case, experiment.failure.diagnosis
    if experiment.failure.fault or experiment.failure.refused or case.before:
        return None
    if told.specific and not (told.nearly or told.numbers or told.formula):
        return None
    names = [name for name, value in case.arguments.items() if isinstance(value, float)]
    for (name, other), (words, of) in itertools.product(
        itertools.permutations(names, 2), WITH_ANOTHER
    ):
        alike = [
            (x, by)
            for x in (case, *_following(experiment))
            if (by := of(x.arguments.get(name, 0.0), x.arguments.get(other, 1.0)))
            != x.arguments.get(name)
        ][: TRIED + 1]
        if len(alike) <= TRIED or alike[0][0] is not case:
            continue
        if all(experiment.right(_with(x, name, by)) for x, by in alike):
            return Diagnosis(
                f"right if {words.format(name, other)} is passed in the place of {name}: is "
                f"the formula another one, in which {other} multiplies or divides too little, "
                f"what is compared with {name} or added to it, say?"
            )
    return None


def exchanged(experiment: Experiment) -> Diagnosis | None:
    """Launch with two arguments in each other's place: does that make all right?

    Of the case, and of others in which the two differ.
    """
    case, told = experiment.case, experiment.failure.diagnosis
    if experiment.failure.fault or experiment.failure.refused or case.before:
        return None
    if told.specific and not (told.nearly or told.numbers or told.formula or told.doubt):
        return None
    others = _following(experiment)
    names = [name for name in case.arguments if name != "block_size"]
    for one, other in itertools.combinations(names, 2):
        if type(case.arguments[one]) is not type(case.arguments[other]):
            continue
        alike = [x for x in (case, *others) if x.arguments.get(one) != x.arguments.get(other)]
        if len(alike) <= TRIED or alike[0] is not case:
            continue
        turned = [_exchanged(x, one, other) for x in alike[: TRIED + 1]]
        if all(map(experiment.right, turned)):
            return Diagnosis(
                f"right if {one} and {other} change places: are the two swapped, in the "
                "formula or where they are passed on?"
            )
    return None


def _following(experiment: Experiment) -> list[Case]:
    """Return the next cases that are not too large to be launched."""
    following = itertools.islice(experiment.following, NEXT_CASES)
    return [x for x in following if isinstance(x, Case) and _size(x) <= LARGE]


def _exchanged(case: Case, one: str, other: str) -> Case:
    """Return a case with two arguments in each other's place."""
    given = case.arguments
    return replace(case, arguments=given | {one: given[other], other: given[one]})


def applied_before(experiment: Experiment) -> Diagnosis | None:
    """Multiply an input by an argument, and pass 1 for that: does it make all right?

    Of numbers that are made NaN or infinite on the way, where a formula has the argument in
    several places. As often as it counts in each of them, the product is the same.
    """
    case, told = experiment.case, experiment.failure.diagnosis
    if experiment.failure.fault or experiment.failure.refused or case.before:
        return None
    if told.specific and not (told.overflows or told.made_nan):
        return None
    for name, value in case.arguments.items():
        if not isinstance(value, float) or value in (0.0, 1.0):
            continue
        for k, x in enumerate(case.inputs):
            if not x.is_floating_point() or not x.numel() or not bool(x.isfinite().all()):
                continue
            times = (x.double() * value).to(x.dtype)
            if not torch.equal(times.double(), x.double() * value):
                continue
            inputs = (*case.inputs[:k], times, *case.inputs[k + 1 :])
            if experiment.right(_with(replace(case, inputs=inputs), name, 1.0)):
                if abs(value) < 1 and x.dtype is torch.float16 and _overflows(experiment):
                    return Diagnosis(
                        f"right if input {k + 1} is multiplied by {name} before, and 1 is "
                        f"passed as {name}: is what is multiplied, or added up, held in "
                        "float16, in which it overflows (beyond 65,504), before it is scaled?"
                    )
                seen = "NaN came out, and all is " * told.made_nan
                return Diagnosis(
                    f"{seen}right if input {k + 1} is multiplied by {name} before, and 1 is "
                    f"passed as {name}: does {name} multiply too little of the formula (the "
                    "largest number of a softmax and not its powers, say) or too much, or too "
                    "late?"
                )
    return None


def _overflows(experiment: Experiment) -> bool:
    """Test whether infinity comes out, and no NaN, where the results are finite."""
    made = launched(experiment.launcher, experiment.case, list(experiment.case.inputs))
    if made is None:
        return False
    outputs = [x.view(d) for x, d in zip(made, experiment.case.dtypes, strict=True)]
    finite = all(bool(x.isfinite().all()) for x in experiment.case.expected)
    infinite = any(bool(x.isinf().any()) for x in outputs)
    return finite and infinite and not any(bool(x.isnan().any()) for x in outputs)


def _changes(case: Case, name: str, of: Callable[[float], float]) -> bool:
    """Test whether a case has another number for an argument than what is passed for it."""
    value = case.arguments.get(name)
    return isinstance(value, float) and of(value) != value and not case.before


def reciprocal(experiment: Experiment) -> Diagnosis | None:
    """Multiply by 1 / s, where a formula divides by s: is that what comes out as integers?

    s: an argument, or another input. Results must be off just where the product gives another
    whole number than the quotient, but for the largest and the least, which may be limits.
    """
    case, failure = experiment.case, experiment.failure
    if failure.fault or failure.refused or len(case.dtypes) != 1 or case.before:
        return None
    dtype, right = case.dtypes[0], case.wanted[0].double()
    if dtype.is_floating_point or dtype is torch.bool or _size(case) > LARGE:
        return None
    if (made := launched(experiment.launcher, case, list(case.inputs))) is None:
        return None
    off = made[0].view(dtype).reshape(-1).double() - right
    if not bool((off != 0).any()):
        return None
    limited = (off == 0) & ((right == right.min()) | (right == right.max()))
    for k, x in enumerate(case.inputs):
        if x.dtype not in DIVIDED or x.shape != case.expected[0].shape:
            continue
        for name, s in _divisors(experiment, k):
            wide = x.to(torch.promote_types(x.dtype, torch.float32))
            s = s.to(wide.dtype)
            for whole in (torch.round, torch.floor, torch.trunc):
                by = (whole(wide * (1 / s)).double() - whole(wide / s).double()).reshape(-1)
                if bool((limited | (by.nan_to_num(0.0) == off)).all()):
                    return Diagnosis(
                        f"each wrong element is off by 1, just where x * (1 / {name}) gives "
                        f"another whole number than x / {name}: is it multiplied by 1 / "
                        f"{name}, so that the quotient is rounded twice? Divide by {name}"
                    )
    return None


def _divisors(experiment: Experiment, k: int) -> Iterator[tuple[str, torch.Tensor]]:
    """Yield what input k may be divided by: arguments, one number, one a row or a column."""
    case = experiment.case
    for name, value in case.arguments.items():
        if isinstance(value, float) and value:
            yield name, torch.tensor(value)
    names = [p.name for p in experiment.launcher.declaration.tensors if p.role == "input"]
    shape = case.inputs[k].shape
    for name, s in zip(names, case.inputs, strict=True):
        if not s.is_floating_point() or s is case.inputs[k]:
            continue
        if s.numel() == 1 or s.shape in (shape, shape[-1:]):
            yield name, s
        elif s.shape == shape[:1]:
            yield name, s.reshape(-1, *[1] * (len(shape) - 1))


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
