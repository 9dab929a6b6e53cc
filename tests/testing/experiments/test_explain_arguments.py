"""An argument that has no effect where it must have one, and one that has."""

from dataclasses import replace

import pytest
import torch

from helpers.testing.cases import Case
from helpers.testing.experiment import Experiment
from helpers.testing.experiments.explain_arguments import (
    applied_before,
    changed,
    changed_by_another,
    exchanged,
    no_effect,
    off_by_one,
    reciprocal,
    some_values,
    unused,
)
from helpers.testing.mismatch import Diagnosis
from helpers.testing.run_case import ROUNDS, Failure
from tests.testing.mismatches import random

X = random(9)


def cases(dtype=torch.float32, scales=(1.0, 2.0, -0.5), sizes=(1, 9)):
    """Return cases of x * scale, of the same x each."""
    return [
        Case(f"{n}", (x,), (scale * x.double(),), {"scale": scale}, dtypes=(dtype,))
        for n in sizes
        for x in [(8 * X[:n]).to(dtype)]
        for scale in scales
    ]


def told(fake_launcher, kernel, some):
    def launch(launcher, x, out, scale):
        out.copy_(kernel(launcher, x, scale))

    failure = Failure(some[0], ROUNDS[0], Diagnosis("it is wrong"))
    found = unused(fake_launcher("float x", "float out", launch), failure, iter(some))
    return found and found.diagnosis.sentence


def test_an_argument_that_has_an_effect_on_other_numbers(fake_launcher):
    """Of positive numbers a slope has none, and an operand of them goes wrong."""

    def of(x, scale):
        made = (torch.where(x < 0, scale * x.double(), x.double()),)
        return Case("", (x,), made, {"scale": scale}, dtypes=(torch.float32,))

    def turned(launcher, x, scale):
        return torch.where(x > 0, scale * x, x)

    some = [of(x, scale) for x in (-X.abs() - 1, X) for scale in (0.5, 0.25, 2.0)]
    assert told(fake_launcher, turned, some) is None
    assert told(fake_launcher, turned, some[:3]).startswith("scale makes no difference: 0.5")


@pytest.mark.parametrize("dtype", [torch.float32, torch.float16, torch.int32, torch.int64])
def test_a_number_in_the_place_of_an_argument(fake_launcher, dtype):
    some = cases(dtype, (1.0, 2.0, 3.0))
    sentence, third = told(fake_launcher, lambda launcher, x, scale: 7 * x, some), 5
    assert sentence == (
        f"scale makes no difference: 1, 2, {third} give the same results. Is it left out, with "
        "a number written in its place, in the kernel or where it is launched?"
    )


@pytest.mark.parametrize(
    "kernel",
    [
        lambda launcher, x, scale: scale * x + 1,
        lambda launcher, x, scale: x * launcher.kept.setdefault("scale", scale),  # at first
        lambda launcher, x, scale: min(scale, 2.0) * x,
        lambda launcher, x, scale: 0 * x,  # more is left out
        lambda launcher, x, scale: torch.empty(3),  # fails
    ],
)
def test_an_argument_that_has_an_effect(fake_launcher, kernel):
    def safe(launcher, x, scale):
        made = kernel(launcher, x, scale)
        if made.shape != x.shape:
            raise ValueError
        return made

    assert told(fake_launcher, safe, cases()) is None


def test_where_no_case_tells_that_it_must_have_one(fake_launcher):
    def fixed(launcher, x, scale):
        return 7 * x

    for some in (cases(scales=(2.0,)), cases(sizes=(1,)), cases()[3:4] + cases()[:1], []):
        assert told(fake_launcher, fixed, some or cases()[:1]) is None


def values_told(fake_launcher, kernel, some, first, passed):
    """Ask of a failed case, some that passed before it, and others that follow."""

    def launch(launcher, x, out, scale):
        out.copy_(kernel(x, scale))

    launcher = fake_launcher("float x", "float out", launch)
    failure = Failure(some[first], ROUNDS[0], Diagnosis("it is wrong", specific=False))
    following = [x for k, x in enumerate(some) if k != first and k not in passed]
    known = Experiment(launcher, failure, [some[k] for k in passed], following=following)
    found = some_values(known)
    return found and found.sentence


def test_a_formula_that_holds_for_some_values_of_an_argument(fake_launcher):
    some = cases(scales=(0.5, 0.25, 3.0), sizes=range(1, 9))

    def limited(x, scale):
        return min(scale, 1.0) * x

    assert values_told(fake_launcher, limited, some, 2, (0, 1)) == (
        "right with scale = 0.25, 0.5, and wrong with scale = 3: is the formula right only for "
        "some values of scale?"
    )
    assert values_told(fake_launcher, limited, some, 2, (0,)) is None  # one value tells little
    assert values_told(fake_launcher, limited, some[:6], 2, (0, 1)) is None  # few cases do

    def other(x, scale):
        return scale * x + (len(x) > 4)

    assert values_told(fake_launcher, other, some, 2, (0, 1)) is None  # others go wrong, too


def asked(fake_launcher, experiment, kernel, some, inputs, output):
    """Ask an experiment of the first of some cases, which the others follow."""

    def launch(launcher, *tensors, **scalars):
        tensors[-1].copy_(kernel(*tensors[:-1], *scalars.values()))

    launcher = fake_launcher(inputs, output, launch)
    failure = Failure(some[0], ROUNDS[0], Diagnosis("it is wrong", specific=False))
    found = experiment(Experiment(launcher, failure, [], following=some[1:]))
    return found and found.sentence


def test_an_argument_without_an_effect_where_several_change(fake_launcher):
    some = [
        Case("", (X,), (a * X.double() + b,), {"a": a, "b": b}, dtypes=(torch.float32,))
        for a, b in ((1.0, 1.0), (0.5, 3.0), (2.0, 0.0))
    ]

    def of(kernel, some=some):
        return asked(fake_launcher, no_effect, kernel, some, "float x", "float out")

    assert of(lambda x, a, b: a * x + 7).startswith("b makes no difference: 1, 3, 0 give the")
    assert of(lambda x, a, b: a * x - b) is None
    assert of(lambda x, a, b: 0 * x) is None  # more is left out
    assert of(lambda x, a, b: a * x, some[:1]) is None  # it may count nowhere


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
@pytest.mark.parametrize("by_input", [False, True])
def test_a_product_with_a_rounded_reciprocal(fake_launcher, dtype, by_input):
    x, s = torch.arange(-900.0, 900.0).to(dtype), 14.0
    inputs, scalars = ((x, torch.tensor([s])), {}) if by_input else ((x,), {"s": s})
    right = torch.round(x.float() / s).clamp(-60, 60).double() + 3
    some = [Case("", inputs, (right,), scalars, dtypes=(torch.int8,))]
    given = ("float x, float s" if by_input else "float x", "int8_t out")

    def by(change):
        return asked(fake_launcher, reciprocal, change, some, *given)

    told = by(lambda x, s: torch.round(x.float() * (1 / torch.as_tensor(s))).clamp(-60, 60) + 3)
    assert told.startswith("each wrong element is off by 1, just where x * (1 / s) gives")
    assert by(lambda x, s: torch.floor(x.float() / s).clamp(-60, 60) + 3) is None
    assert by(lambda x, s: torch.round(x.float() / s).clamp(-60, 60) + 3) is None


@pytest.mark.parametrize(
    ("right", "made", "words"),
    [
        (lambda x, s: x / s, lambda x, s: x * s, "1 / s is passed in the place of s: is the"),
        (lambda x, s: x * s, lambda x, s: x / s, "1 / s is passed"),
        (lambda x, s: x + s, lambda x, s: x - s, "-s is passed"),
        (lambda x, s: s * x + (1 - s), lambda x, s: (1 - s) * x + s, "1 - s is passed"),
        (lambda x, s: x * s * s, lambda x, s: x * s, "s * s is passed"),
        (lambda x, s: x * s, lambda x, s: x * s + 1, ""),
        (lambda x, s: x * s, lambda x, s: x * (s if s > 1 else 1 / s), ""),  # of some only
    ],
)
def test_an_argument_in_another_formula(fake_launcher, right, made, words):
    some = [
        Case("", (x,), (right(x.double(), s),), {"s": s}, dtypes=(torch.float32,), ulp=1)
        for n in (1, 5, 9)
        for x in [torch.arange(1.0, n + 1)]
        for s in (0.25, 2.0, 1.0, 4.0, 0.5)
    ]
    told = asked(fake_launcher, changed, made, some, "float x", "float out")
    assert (told or "").startswith(f"right if {words}" if words else "")
    assert bool(told) is bool(words)
    few = asked(fake_launcher, changed, made, some[:5], "float x", "float out")
    assert few is None


def test_an_argument_has_no_effect_on_nan(fake_launcher):
    """What comes out as NaN everywhere tells nothing of an argument."""
    some = [
        Case("", (X,), (a * X.double(),), {"a": a}, dtypes=(torch.float32,)) for a in (1.0, 2.0)
    ]
    nothing = asked(
        fake_launcher, no_effect, lambda x, a: x / 0 * 0, some, "float x", "float out"
    )
    assert nothing is None
    kept = asked(fake_launcher, no_effect, lambda x, a: x + 9, some, "float x", "float out")
    assert kept.startswith("a makes no difference")


def test_a_weight_that_is_0_may_be_turned(fake_launcher):
    y = random(9, 1)
    some = [
        Case(
            "", (X, y), (X.double() + w * (y - X).double(),), {"w": w}, dtypes=(torch.float32,)
        )
        for w in (0.0, 1.0, *(k / 16 for k in range(1, 11)))
    ]
    some = [replace(case, within=(torch.full((9,), 1e-6),)) for case in some]

    def of(kernel):
        return asked(fake_launcher, changed, kernel, some, "float x, float y", "float out")

    words = "right if 1 - w is passed in the place of w"
    assert of(lambda x, y, w: y + w * (x - y)).startswith(words)
    assert of(lambda x, y, w: y - w * (x - y)) is None


def test_a_few_wrong_elements_are_no_other_formula(fake_launcher):
    some = cases(scales=(0.5, 0.25, 3.0), sizes=(9,))
    long = [
        Case(f"{n}", (x,), (scale * x.double(),), {"scale": scale}, dtypes=(torch.float32,))
        for n in range(64, 72)
        for x in [random(n)]
        for scale in (0.5, 0.25, 3.0)
    ]

    def of(wrong):
        def launch(launcher, x, out, scale):
            out.copy_(min(scale, 1.0) * x)

        launcher = fake_launcher("float x", "float out", launch)
        told = Diagnosis("it is wrong", specific=False, wrong=wrong)
        failure = Failure(long[2], ROUNDS[0], told)
        return some_values(Experiment(launcher, failure, long[:2], following=some + long[3:]))

    assert of(4) and not of(3)


@pytest.mark.parametrize(
    ("kernel", "words"),
    [
        (lambda x, scale: x, "-scale: is scale left out of the sum"),
        (lambda x, scale: x + 2 * scale, "scale: is scale counted twice"),
        (lambda x, scale: x - scale, "-2 * scale: has the formula another sign before scale?"),
        (lambda x, scale: x + 7, None),
        (lambda x, scale: x * scale, None),
    ],
)
def test_what_is_off_by_an_argument(fake_launcher, kernel, words):
    def launch(launcher, x, out, scale):
        out.copy_(kernel(x, scale))

    x = torch.arange(1, 41)
    some = [
        Case("", (x,), ((x + by).double(),), {"scale": by}, dtypes=(torch.int64,))
        for by in (10, -7, 3)
    ]
    launcher = fake_launcher("int64_t x", "int64_t out", launch)
    failure = Failure(some[0], ROUNDS[0], Diagnosis("40 of 40 are wrong", specific=False))
    told = off_by_one(Experiment(launcher, failure, [], following=some[1:]))
    assert (told and told.sentence.startswith(f"each wrong element is off by {words}")) == (
        True if words else None
    )
    one = Experiment(launcher, failure, [], following=some[:1])  # a number as well
    assert off_by_one(one) is None


@pytest.mark.parametrize(("dtype", "held"), [("half", True), ("float", False)])
def test_what_overflows_before_it_is_scaled(fake_launcher, dtype, held):
    """A product of halves is held in one; of floats it is as large as those hold."""

    def launch(launcher, a, b, out, scale=1.0, **arguments):
        out.copy_(a * b * scale)

    a, scale = torch.full((9,), 1e3 if held else 1e30), 2.0**-10
    a = a.half() if held else a
    right = a.double() * a.double() * scale
    case = Case("a case", (a, a), (right,), {"scale": scale}, dtypes=(a.dtype,))
    case = replace(case, within=(2.0**-9 * right,))
    launcher = fake_launcher(
        f"{dtype} a, {dtype} b", f"{dtype} out", launch, scalars="float scale, "
    )
    failure = Failure(case, ROUNDS[0], Diagnosis("9 of 9 elements are wrong", specific=False))
    found = applied_before(Experiment(launcher, failure, []))
    assert (
        found is not None and "held in float16, in which it overflows" in found.sentence
    ) is held


@pytest.mark.parametrize("forgotten", [True, False])
def test_an_argument_that_is_left_out_of_one_place(fake_launcher, forgotten):
    """The largest number is taken off without the scale; or not taken off at all."""

    def launch(launcher, x, out, scale=1.0, **arguments):
        top = x.amax() if forgotten else torch.zeros(())
        powers = (x * scale - top).exp()
        out.copy_(powers / powers.sum())

    x = (torch.arange(5.0) - 400) * (1 if forgotten else 4)
    right = (0.25 * x.double()).softmax(dim=0)
    case = Case("a case", (x,), (right,), {"scale": 0.25}, dtypes=(torch.float32,))
    case = replace(case, within=(1e-5 * right,))
    launcher = fake_launcher("float x", "float out", launch, scalars="float scale, ")
    told = Diagnosis("NaN came out of large numbers", made_nan=True)
    failure = Failure(case, ROUNDS[0], told)
    some = Experiment(launcher, failure, [])
    found = applied_before(some)
    assert (found is not None) is forgotten
    if forgotten:
        assert found.sentence.startswith(
            "NaN came out, and all is right if input 1 is multiplied by scale before, and 1 is"
        )
        known = replace(failure, diagnosis=Diagnosis("something else"))
        assert applied_before(replace(some, failure=known)) is None


@pytest.mark.parametrize("swapped", [True, False])
def test_two_arguments_that_change_places(fake_launcher, swapped):
    def launch(launcher, x, out, low=0, high=0, scale=1.0):
        low, high = (high, low) if swapped else (low, high + 1)
        out.copy_(scale * (x - low) * (x + high))

    values = [(3, 128), (3, 3), (0, 1), *((k, 2 * k) for k in range(2, 10))]
    some = [
        Case(
            f"{low}, {high}",
            (8 * X,),
            ((8 * X.double() - low) * (8 * X.double() + high),),
            {"low": low, "high": high, "scale": 1.0},
            dtypes=(torch.float32,),
            ulp=1 << 12,
        )
        for low, high in values
    ]
    scalars = "int low, int high, float scale, "
    launcher = fake_launcher("float x", "float out", launch, scalars=scalars)
    failure = Failure(some[0], ROUNDS[0], Diagnosis("9 of 9 are wrong", specific=False))
    found = exchanged(Experiment(launcher, failure, [], following=some[1:]))
    assert (found is not None) is swapped
    if swapped:
        assert found.sentence.startswith("right if low and high change places: are the two")
        few = Experiment(launcher, failure, [], following=some[1:4])
        assert exchanged(few) is None
        known = replace(failure, diagnosis=Diagnosis("something else"))
        assert exchanged(Experiment(launcher, known, [], following=some[1:])) is None


@pytest.mark.parametrize(
    ("kernel", "words"),
    [
        (lambda x, by, limit: torch.where(x > limit, x, 2 * x), "limit / by"),
        (lambda x, by, limit: torch.where(x > limit / by / by, x, 2 * x), "limit * by"),
        (lambda x, by, limit: torch.where(x > limit + by, x, 2 * x), None),
    ],
)
def test_a_limit_that_another_argument_multiplies(fake_launcher, kernel, words):
    def launch(launcher, x, out, by, limit):
        out.copy_(kernel(x, by, limit))

    x = torch.arange(-20, 21) / 4
    some = [
        Case(
            "",
            (x,),
            (torch.where(by * x > limit, x, 2 * x).double(),),
            {"by": by, "limit": limit},
        )
        for by in (4.0, 0.5, 2.0, 1.0)
        for limit in (3.0, 1.0, 2.0, -1.0)
    ]
    some = [replace(case, dtypes=(torch.float32,)) for case in some]
    launcher = fake_launcher("float x", "float out", launch, scalars="float by, float limit, ")
    failure = Failure(some[0], ROUNDS[0], Diagnosis("it is wrong", specific=False))
    told = changed_by_another(Experiment(launcher, failure, [], following=some[1:]))
    assert (told is not None) is (words is not None)
    if words:
        assert told.sentence.startswith(f"right if {words} is passed in the place of limit: is")
        known = replace(failure, diagnosis=Diagnosis("something else"))
        assert changed_by_another(Experiment(launcher, known, [], following=some[1:])) is None


def test_an_argument_without_an_effect_where_little_is_off(fake_launcher):
    some = [
        Case("", (X,), (X.double() + a / 64,), {"a": a}, dtypes=(torch.float32,))
        for a in (1.0, 2.0)
    ]
    launcher = fake_launcher("float x", "float out", lambda launcher, x, out, a: out.copy_(x))
    for nearly in (True, False):
        failure = Failure(some[0], ROUNDS[0], Diagnosis("right to some bits", nearly=nearly))
        told = no_effect(Experiment(launcher, failure, [], following=some[1:]))
        assert (told is not None) is nearly


def test_a_formula_that_holds_for_a_factor_of_1(fake_launcher):
    some = cases(scales=(1.0, 2.0, 3.0), sizes=range(1, 12))

    def unscaled(x, scale):
        return x

    assert values_told(fake_launcher, unscaled, some, 1, (0,)) == (
        "right with scale = 1, and wrong with scale = 2: is the formula right only for some "
        "values of scale?"
    )
