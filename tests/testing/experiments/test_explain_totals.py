"""One number made of an array: what it is off by, told only of several cases."""

import math
from dataclasses import replace

import pytest
import torch

from helpers.testing.cases import Case
from helpers.testing.experiment import Experiment
from helpers.testing.experiments import explain_totals
from helpers.testing.mismatch import Diagnosis
from helpers.testing.run_case import ROUNDS, Failure
from tests.testing.mismatches import random

VAGUE = Diagnosis("it is wrong", specific=False)
TWO = (torch.float32, torch.float32)
SIZES = (1, 2, 3, 31, 200, 1000)


def asked(fake_launcher, right, kernel, dtype=torch.float32, told=VAGUE, numbers=None):
    """Prepare the experiments on a function of arrays, of which another one is right."""

    def launch(launcher, x, out, **arguments):
        out[...] = kernel(x.double())

    if numbers is None:
        numbers = [(20 * random(n, n) + 9).to(dtype) for n in SIZES]
    cases = [
        Case(f"n = {x.numel()}", (x,), (right(x.double()).double(),), dtypes=(dtype,))
        for x in numbers
    ]
    launcher = fake_launcher("float x", "float out", launch)
    failure = Failure(cases[0], ROUNDS[0], told)
    return Experiment(launcher, failure, cases[1:2], following=cases[2:])


def variance(x):
    return (x - x.mean()).square().sum().reshape(1) / max(len(x) - 1, 1)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
@pytest.mark.parametrize(
    ("words", "why", "factor"),
    [
        ("(n - 1) / n", "divided by n, where n - 1 is meant", lambda n: (n - 1) / n),
        ("n / (n - 1)", "divided by n - 1, where n is meant", lambda n: n / max(n - 1, 1)),
        ("the root of (n - 1) / n", "where n - 1 is meant", lambda n: math.sqrt(1 - 1 / n)),
        ("n", "is it not divided by n?", lambda n: n),
        ("n * n", "is it multiplied by n, and not divided?", lambda n: n * n),
        ("1 / (n * n)", "is it divided by n, and not multiplied?", lambda n: n**-2.0),
        ("the root of n", "is it not divided by the root of n?", lambda n: n**0.5),
        ("1 / the root of n", "is it divided by the root of n once more?", lambda n: n**-0.5),
        ("1 / n", "is it divided by n, and should not be", lambda n: 1 / n),
    ],
)
def test_a_factor_that_depends_on_n(fake_launcher, dtype, words, why, factor):
    some = asked(fake_launcher, variance, lambda x: factor(len(x)) * variance(x), dtype)
    told = explain_totals.another_count(some).sentence
    assert told.startswith(f"each result of n numbers is the right one times {words}: ")
    assert why in told
    assert explain_totals.another_sum(some) is None


@pytest.mark.parametrize(
    "kernel",
    [
        lambda x: variance(x[:-1]) if len(x) > 1 else variance(x),
        lambda x: variance(x) * (len(x) - 1) / len(x) + (len(x) == 200),
        lambda x: 0 * variance(x),
    ],
)
def test_other_factors(fake_launcher, kernel):
    assert explain_totals.another_count(asked(fake_launcher, variance, kernel)) is None
    assert explain_totals.another_sum(asked(fake_launcher, variance, kernel)) is None
    sure = asked(fake_launcher, variance, lambda x: len(x) * variance(x), told=Diagnosis("so"))
    assert explain_totals.another_count(sure) is None


@pytest.mark.parametrize(
    ("words", "why", "added"),
    [
        ("the sum of all numbers divided by n - 1", "start with the first", lambda n: n - 1),
        ("the sum of all numbers divided by n", "and not with 0?", lambda n: n),
        ("the sum of all numbers", "does a second sum", lambda n: 1),
    ],
)
def test_a_sum_that_goes_on_from_another_one(fake_launcher, words, why, added):
    def kernel(x):
        return variance(x) + x.sum() / max(added(len(x)), 1)

    told = explain_totals.another_sum(asked(fake_launcher, variance, kernel)).sentence
    assert told.startswith(f"each result of n numbers is off by {words}: ") and why in told
    doubled = asked(fake_launcher, lambda x: x.sum().reshape(1), lambda x: 2 * x.sum())
    assert explain_totals.another_sum(doubled) is None  # a factor


@pytest.mark.parametrize(
    ("words", "kernel"),
    [
        ("the root of the right one", lambda x: variance(x).sqrt()),
        ("the right one times itself", lambda x: variance(x).square()),
        ("-1 times the right one", lambda x: -variance(x)),
    ],
)
def test_another_function_of_what_is_right(fake_launcher, words, kernel):
    told = explain_totals.another_count(asked(fake_launcher, variance, kernel)).sentence
    assert told == f"each result is {words}: is the formula another one?"


def test_a_mean_that_is_not_taken_off(fake_launcher):
    def squares(x):
        return x.square().sum() / max(len(x) - 1, 1)

    told = explain_totals.another_sum(asked(fake_launcher, variance, squares)).sentence
    assert told.startswith(
        "each result of n numbers is off by the mean times itself, times n / (n - 1): is the "
        "mean not taken off each number"
    )


def ends(dtype):
    """Return arrays of both signs, and of one of them."""
    numbers = [(20 * random(n, n)).to(dtype) for n in SIZES]
    numbers[0] = -numbers[-1].abs() - 3
    return [*numbers, -numbers[3].abs() - 9, numbers[4].abs() + 400]


@pytest.mark.parametrize(
    ("dtype", "start", "words"),
    [
        (torch.float32, torch.finfo(torch.float32).tiny, "1.1754944e-38 (FLT_MIN, which is"),
        (torch.float32, 0.5, "0.5 comes out as the largest number where all are less than"),
        (torch.float64, -1.0, "-1 comes out as the largest number where all are less than"),
        (torch.int32, 1, "1 comes out as the largest number where all are less than that"),
    ],
)
def test_a_start_value_of_a_maximum(fake_launcher, dtype, start, words):
    def largest(x):
        return x.max().reshape(1)

    def kernel(x):
        return x.max().clamp(min=start)

    numbers = ends(dtype)
    some = asked(fake_launcher, largest, kernel, dtype, VAGUE, numbers)
    told = explain_totals.start_value(some)
    assert told.sentence.startswith(words)
    assert told.sentence.endswith("-INFINITY") is dtype.is_floating_point
    for other in (lambda x: x.max().clamp(min=0), lambda x: x.min(), lambda x: x.max() + 1):
        some = asked(fake_launcher, largest, other, dtype, VAGUE, numbers)
        assert explain_totals.start_value(some) is None
    some = asked(fake_launcher, lambda x: x.sum().reshape(1), kernel, dtype, VAGUE, numbers)
    assert explain_totals.start_value(some) is None


def test_a_start_value_of_a_largest_absolute_value(fake_launcher):
    def largest(x):
        return x.abs().max().reshape(1)

    numbers = [(20 * random(n, n)).round() / 32 for n in (2, 3, 4, 5, 6, 31, 200)]
    some = asked(
        fake_launcher, largest, lambda x: x.abs().max().clamp(min=0.75), numbers=numbers
    )
    told = explain_totals.start_value(some).sentence
    assert told.startswith("0.75 comes out as the largest absolute value where all are less")
    assert told.endswith("Start with the first element, or with 0")
    some = asked(fake_launcher, largest, lambda x: x.max(), numbers=numbers)
    assert explain_totals.start_value(some) is None


def test_a_start_value_that_cudamemset_made(fake_launcher):
    numbers = [torch.full((5,), (1 << 31) - k).int() for k in range(1, 9)]
    numbers += [torch.arange(40).int()]

    def smallest(x):
        return x.min().reshape(1)

    def kernel(x):
        return x.min().clamp(max=0x7F7F7F7F)

    some = asked(fake_launcher, smallest, kernel, torch.int32, VAGUE, numbers)
    assert explain_totals.start_value(some).sentence == (
        "2139062143 (0x7f7f7f7f, as cudaMemset makes it) comes out as the smallest number "
        "where all are more than that: does the search start with it? Start with the first "
        "element"
    )


@pytest.mark.parametrize(
    ("start", "words"),
    [
        (-999.0, "-999 comes out as the largest number where all are less than that"),
        (torch.finfo(torch.float32).min, "-3.4028235e+38 (-FLT_MAX) comes out as the largest"),
    ],
)
def test_a_start_value_above_minus_infinity(fake_launcher, start, words):
    numbers = [torch.full((n,), -math.inf) for n in (1, 5)] + ends(torch.float32)
    numbers.append(numbers[-1].clone().index_fill(0, torch.tensor([3]), math.nan))

    def asked_of(start, told=VAGUE):
        some = asked(
            fake_launcher,
            lambda x: x.max().reshape(1),
            lambda x: x.max().clamp(min=start),
            told=told,
            numbers=numbers,
        )
        return explain_totals.start_value(some)

    assert asked_of(start).sentence.startswith(words)
    assert asked_of(0.0) is None  # other experiments know a 0
    of_0 = asked_of(0.0, Diagnosis("only infinity goes wrong", special=True))
    assert of_0.sentence.startswith("0 comes out as the largest number where all are less")
    assert asked_of(0.0, ZEROS).sentence == of_0.sentence


def test_zeros_of_every_array_are_no_start_value(fake_launcher):
    positive = [x.abs() + 1 for x in ends(torch.int32)]

    def told(numbers):
        def kernel(x):
            return x.min().clamp(max=0)

        some = asked(
            fake_launcher, lambda x: x.min().reshape(1), kernel, torch.int32, ZEROS, numbers
        )
        return explain_totals.start_value(some)

    words = "0 comes out as the smallest number where all are more than that: does the search"
    assert told([*positive, -positive[0]]).sentence.startswith(words)
    assert told(positive) is None


@pytest.mark.parametrize("of_bits", [True, False])
def test_a_largest_number_that_is_cut_to_an_integer(fake_launcher, of_bits):
    numbers = [random(n, n) / 64 for n in SIZES]

    def told(kernel, told=ZEROS, of=numbers):
        some = asked(
            fake_launcher, lambda x: x.abs().max().reshape(1), kernel, told=told, numbers=of
        )
        return explain_totals.cut_to_an_integer(some)

    def cut(x):
        whole = x.abs().max().int().reshape(1)
        return whole.view(torch.float32) if of_bits else whole.float()

    sentence = told(cut).sentence
    assert sentence.startswith("0 comes out of numbers below 1, and of larger ones ")
    assert ("a whole number's bits" in sentence) is of_bits
    assert sentence.endswith("where its bits are meant (__float_as_int(x))?") is of_bits
    assert told(lambda x: 0 * x.abs().max()) is None
    assert told(lambda x: x.abs().max().relu().square()) is None
    assert told(cut, VAGUE) is None
    assert told(cut, of=[x.abs() * 64 + 2 for x in numbers]) is None


def test_a_start_value_of_rows(fake_launcher):
    x = (20 * random(90)).reshape(9, 10)
    x[2] = -x[2].abs() - 3
    x[5] = -x[5].abs() - 4

    def asked_of(kernel):
        some = asked(fake_launcher, lambda x: x.amax(-1), kernel, numbers=[x, x])
        return explain_totals.start_value(some)

    told = asked_of(lambda x: x.amax(-1).clamp(min=1e-6)).sentence
    assert told.startswith("1e-06 comes out as the largest number where all are less")
    assert asked_of(lambda x: x.amax(-1).clamp(min=1e-6).roll(1)) is None
    assert asked_of(lambda x: x.amax(-1).clamp(min=float(x[0, 0]))) is None  # of another row


ZEROS = Diagnosis("every element is 0", zeros=True)


@pytest.mark.parametrize("rows", [True, False])
def test_means_of_more_than_one_number_that_are_0(fake_launcher, rows):
    shapes = ((5, 32), (3, 1), (8, 45)) if rows else ((32,), (1,), (45,))
    numbers = [random(math.prod(shape)).reshape(shape) + 3 for shape in shapes]

    def told(kernel, right=lambda x: x.mean(-1).reshape(-1), told=ZEROS, some=numbers):
        some = asked(fake_launcher, right, kernel, told=told, numbers=some)
        return explain_totals.quotient_of_integers(some)

    def quotient(x):
        return x.sum(-1).reshape(-1) * (1 // x.shape[-1])

    assert told(quotient).sentence.startswith(
        "the mean of one number is right, and that of more is 0: is 1 / n a division of "
    )
    assert told(lambda x: 0 * quotient(x)) is None  # that of one is 0, too
    assert told(lambda x: quotient(x) + (x.shape[-1] == 45)) is None
    assert told(quotient, lambda x: x.sum(-1).reshape(-1)) is None  # no means
    assert told(quotient, told=VAGUE) is None
    assert told(quotient, some=numbers[::2]) is None  # none of one number


@pytest.mark.parametrize("least", [-math.inf, 0.0])
def test_a_largest_size_that_is_the_largest_number(fake_launcher, least):
    def size(x):
        return x.abs().amax().reshape(1)

    numbers = [20 * random(n, n) - 9 for n in SIZES]

    def told(kernel, right=size):
        some = asked(fake_launcher, right, kernel, numbers=numbers)
        found = explain_totals.of_no_size(some)
        return found and found.sentence

    words = "right where all numbers are positive, and where they are negative it is not the"
    assert told(lambda x: x.amax().clamp(min=least)).startswith(words)
    some = asked(fake_launcher, size, lambda x: x.amax(), numbers=numbers)
    known = replace(some, failure=replace(some.failure, diagnosis=Diagnosis("it is known")))
    assert explain_totals.of_no_size(known) is None
    assert told(size) is None
    assert told(lambda x: size(x[::2])) is None  # some are left out
    assert told(lambda x: size(x) * (x[0] > 0) + 7) is None
    assert told(lambda x: x.amax(), lambda x: x.amax().reshape(1)) is None


@pytest.mark.parametrize(
    ("code", "is_named"),
    [
        ("int64_t best = INT64_MAX;", True),
        ("Best best{-INFINITY, LLONG_MAX};", True),
        ("best = std::numeric_limits<int64_t>::max();", True),
        ("best = 0x7FFFFFFFFFFFFFFF;", True),
        ("int64_t best = -1;", False),
        ("int best = INT_MAX;", False),
    ],
)
def test_a_place_of_which_32_bits_are_left(fake_launcher, monkeypatch, code, is_named):
    monkeypatch.setattr(explain_totals.reachable, "code", lambda launcher: code)
    none = "of rows that are all -infinity the place comes out as -1, which is none of a row"
    some = asked(fake_launcher, variance, variance, told=Diagnosis(f"{none}: why?"))
    found = explain_totals.place_in_an_int(some)
    assert (found is not None) is is_named
    if found:
        assert found.sentence.startswith(f"{none}: -1 is left in an int, of 32 bits")
    other = asked(fake_launcher, variance, variance, told=Diagnosis("another"))
    assert explain_totals.place_in_an_int(other) is None


def test_of_several_outputs_the_wrong_one_is_asked(fake_launcher):
    def launch(launcher, x, mean, var, **arguments):
        mean[...] = x.double().mean()
        var[...] = variance(x.double()) * (len(x) - 1) / len(x)

    cases = [
        Case("", (x,), (x.double().mean().reshape(1), variance(x.double())), dtypes=TWO)
        for x in (8 * random(n, n).half().float() for n in (16, 32, 64, 128))
    ]
    cases = [replace(case, ulp=8) for case in cases]
    launcher = fake_launcher("float x", "float mean, float var", launch)
    some = Experiment(launcher, Failure(cases[0], ROUNDS[0], VAGUE), [], following=cases[1:])
    told = explain_totals.another_count(some).sentence
    assert told.startswith("each result of n numbers is the right one times (n - 1) / n: ")


@pytest.mark.parametrize(
    ("kernel", "is_told"),
    [
        (lambda x: variance(x) * (1 + 2 / len(x)), True),
        (lambda x: variance(x) * (1 - 2 / len(x)), False),  # as of a sum that loses digits
        (lambda x: variance(x) * (1 + 2 / len(x) * (-1) ** len(x)), False),
    ],
)
def test_results_that_are_all_too_large(fake_launcher, kernel, is_told):
    told = Diagnosis("right to only 7 of 24 bits", nearly=True)
    numbers = [20 * random(n, n) for n in range(50, 62)]
    some = asked(fake_launcher, variance, kernel, told=told, numbers=numbers)
    said = explain_totals.always_too_large(some)
    assert (said is not None) == is_told
    if said:
        assert said.sentence.startswith("12 of 12 results are too large, up to 1.04 times the")
        few = asked(fake_launcher, variance, kernel, told=told, numbers=numbers[:7])
        assert explain_totals.always_too_large(few) is None
        vague = asked(fake_launcher, variance, kernel, numbers=numbers)
        assert explain_totals.always_too_large(vague) is None


@pytest.mark.parametrize("width", [32, 64, 512])
def test_a_mean_divided_by_a_whole_number_of_blocks(fake_launcher, width):
    def mean(x):
        return x.mean().reshape(1)

    def padded(x):
        return x.sum().reshape(1) / (-(-len(x) // width) * width)

    told = explain_totals.another_count(asked(fake_launcher, mean, padded)).sentence
    assert told.startswith("each result of n numbers is the right one times n / m, where m is ")
    assert f"the next multiple of {width:,}: is the formula another one" in told


def test_one_factor_of_all_results(fake_launcher):
    def scale(x):
        return x.abs().max().reshape(1) / 127

    of = asked(fake_launcher, scale, lambda x: scale(x) * 127 / 255)
    told = explain_totals.another_count(of).sentence
    assert told.startswith("each result is the right one times 0.49804: is the formula another")
    times = asked(fake_launcher, scale, lambda x: scale(x) * 32)  # as of 32 lanes that add
    assert explain_totals.another_count(times) is None
    by_size = asked(fake_launcher, scale, lambda x: scale(x) * (1.5 + 0.1 * (len(x) % 3)))
    assert explain_totals.another_count(by_size) is None
    infinite = asked(fake_launcher, scale, lambda x: scale(x) * torch.inf)
    assert explain_totals.another_count(infinite) is None
    overflows = asked(
        fake_launcher, lambda x: scale(x) * torch.inf, lambda x: scale(x) * torch.inf
    )
    assert explain_totals.another_count(overflows) is None


def test_a_mean_over_two_arrays_that_is_divided_by_another_count(fake_launcher):
    def launch(launcher, x, y, out, **arguments):
        out[...] = (x - y).double().square().sum() / max(len(x) - 1, 1)

    pairs = [(20 * random(n, n), 20 * random(n, n + 1)) for n in SIZES]
    cases = [
        Case("two", (x, y), ((x - y).double().square().mean().reshape(1),), dtypes=(x.dtype,))
        for x, y in pairs
    ]
    launcher = fake_launcher("float x, float y", "float out", launch)
    failure = Failure(cases[1], ROUNDS[0], VAGUE)
    some = Experiment(launcher, failure, cases[:1], following=cases[2:])
    told = explain_totals.another_count(some).sentence
    assert told.startswith("each result of n numbers is the right one times n / (n - 1): ")


@pytest.mark.parametrize("weights_first", [True, False])
@pytest.mark.parametrize(("times", "many"), [(2, "twice"), (3, "3 times")])
def test_elements_that_count_more_often_in_a_weighted_mean(
    fake_launcher, weights_first, times, many
):
    def mean(x, w, counts):
        return ((counts * x * w).sum() / (counts * w).sum()).reshape(1)

    def asked(first):
        def launch(launcher, x, y, out):
            x, y = (y, x) if weights_first else (x, y)
            counts = torch.where(torch.arange(len(x)) >= first, times, 1)
            out.copy_(mean(x.double(), y.double(), counts))

        cases = []
        for n in (9, 40, 130, 300):
            x, w = random(n, n), random(n, n + 1).abs() + 0.5
            inputs = (w, x) if weights_first else (x, w)
            right = (mean(x.double(), w.double(), torch.ones(n)),)
            cases.append(Case("mean", inputs, right, dtypes=(torch.float32,)))
        launcher = fake_launcher("float x, float y", "float out", launch)
        failure = Failure(cases[-1], ROUNDS[0], VAGUE)
        return explain_totals.counted_often_in_a_mean(Experiment(launcher, failure, cases[:-1]))

    words = f"in the weighted mean, element {{}} counts {many} as often as element 0: is it"
    assert asked(128).sentence.startswith(words.format(128))
    assert asked(300) is None and asked(0) is None


@pytest.mark.parametrize("loss", ["squares", "sizes", "chi squared"])
def test_elements_of_a_loss_that_count_more_often(fake_launcher, loss):
    def total(x, y, counts):
        off = (x - y).abs()
        if loss == "chi squared":  # of zeros not a number
            return (counts * off.square() / y).sum().reshape(1)
        return (counts * (off.square() if loss == "squares" else off)).mean().reshape(1)

    def asked(first, told=VAGUE, n=300):
        def launch(launcher, x, y, out):
            counts = 1.0 + (torch.arange(len(x)) >= first)
            out.copy_(total(x.double(), y.double(), counts))

        x, y = random(n, 1), random(n, 2).abs() + 0.5
        right = (total(x.double(), y.double(), torch.ones(n)),)
        case = Case("loss", (x, y), right, dtypes=(torch.float32,))
        launcher = fake_launcher("float x, float y", "float out", launch)
        known = Experiment(launcher, Failure(case, ROUNDS[0], told), [])
        return explain_totals.counted_often(known)

    assert asked(128).sentence.startswith("element 128 counts twice as often as element 0: ")
    assert asked(128, Diagnosis("right to 7 bits", nearly=True))
    assert asked(128, Diagnosis("it is known")) is None
    assert asked(300) is None and asked(0) is None


def test_sums_that_all_start_with_a_number(fake_launcher):
    tail = Diagnosis("it is off by just the sum of the last 2 elements", tail=True)

    def total(x):
        return x.sum().reshape(1)

    def said(kernel, told=tail):
        some = asked(fake_launcher, total, kernel, torch.float64, told)
        return explain_totals.starts_with_a_number(some)

    words = "each result is 16 {} than the right one, whatever goes in: is that its start value"
    assert said(lambda x: total(x.round()) + 16) is None  # fractions: each is off by another
    numbers = [(20 * random(n, n)).round().double() for n in SIZES]
    for by, way in ((16, "more"), (-16, "less")):
        some = asked(
            fake_launcher, total, lambda x, by=by: total(x) + by, torch.float64, tail, numbers
        )
        assert explain_totals.starts_with_a_number(some).sentence.startswith(words.format(way))
        vague = replace(some, failure=replace(some.failure, diagnosis=VAGUE))
        assert explain_totals.starts_with_a_number(vague).sentence.startswith(words.format(way))
        known = replace(some, failure=replace(some.failure, diagnosis=Diagnosis("it is known")))
        assert explain_totals.starts_with_a_number(known) is None
        few = replace(some, following=some.following[:2])
        assert explain_totals.starts_with_a_number(few) is None
    some = asked(fake_launcher, total, lambda x: total(x[:-2]), torch.float64, tail, numbers)
    assert explain_totals.starts_with_a_number(some) is None  # the others lack a tail, too


@pytest.mark.parametrize("way", ["start", "times", "of some", "like an input"])
def test_products_of_matrices_that_all_start_with_a_number(fake_launcher, way):
    """Of ones, each is off by a factor as well: it is the others that tell."""

    def product(launcher, a, b, c, **arguments):
        c[...] = {
            "start": lambda x: x + 2,
            "times": lambda x: x * 2,
            "of some": lambda x: x + 2 * (torch.arange(len(x))[:, None] % 4 == 0),
            "like an input": lambda x: x + 2,
        }[way](a @ b)

    def case(m, n, k, ones=False):
        k = m if way == "like an input" else k
        a, b = (torch.randint(-9, 10, size).float() for size in ((m, k), (k, n)))
        a, b = (torch.ones_like(a), torch.ones_like(b)) if ones else (a, b)
        return Case("product", (a, b), ((a @ b).double(),), dtypes=(torch.float32,))

    launcher = fake_launcher("float a, float b", "float c", product)
    first, *others = (case(m, 7, 11, m == 3) for m in (3, 5, 9, 17, 33))
    failure = Failure(first, ROUNDS[0], VAGUE)
    told = explain_totals.starts_with_a_number(
        Experiment(launcher, failure, [], following=others)
    )
    assert bool(told) is (way in ("start", "of some"))
    if told:
        assert told.sentence.startswith("each result is 2 more than the right one, whatever")


@pytest.mark.parametrize(
    ("signs", "told"),
    [
        ((1, -1), "element 32 counts as much as element 0, but with the other sign: is one of"),
        ((-1, 1), "element 32 counts as much as element 0, but with the other sign: is one of"),
        ((1, 1), None),
        ((-1, -1), None),
        ((1, -0.5), None),
    ],
)
def test_elements_of_a_total_that_are_subtracted(fake_launcher, signs, told):
    def launch(launcher, x, out):
        out.copy_((x.double() * torch.tensor(signs)[(torch.arange(len(x)) >= 32).int()]).sum())

    x = random(100, 1)
    case = Case("sum", (x,), (x.double().sum().reshape(1),), dtypes=(torch.float32,))
    launcher = fake_launcher("float x", "float out", launch)
    said = explain_totals.counted_often(
        Experiment(launcher, Failure(case, ROUNDS[0], VAGUE), [])
    )
    assert (said is None) is (told is None)
    assert told is None or said.sentence.startswith(told)


@pytest.mark.parametrize(
    ("made", "words"),
    [
        (lambda x: x[x.abs().argmin()], "the number of the smallest size comes out, and not"),
        (lambda x: x.abs().amax(), "the number of the largest size comes out, and not"),
        (lambda x: x.amax(), ""),
        (lambda x: x[0], ""),
    ],
)
def test_absolute_values_are_compared(fake_launcher, made, words):
    def launch(launcher, x, out, **arguments):
        out.copy_(made(x))

    def of(n):
        x = torch.randperm(4 * n, generator=torch.Generator().manual_seed(n))[:n] - 2.0 * n
        right = x.double().amin()[None]
        return Case(f"n = {n}", (x.float(),), (right,), dtypes=(torch.float32,))

    launcher = fake_launcher("float x", "float out", launch)
    vague = Diagnosis("1 of 1 elements are wrong", specific=False)
    failure = Failure(of(9), ROUNDS[0], vague)
    some = Experiment(launcher, failure, [], following=[of(n) for n in range(10, 20)])
    told = explain_totals.compared_by_size(some)
    assert (told is not None) is bool(words)
    assert not words or told.sentence.startswith(words)
    known = replace(failure, diagnosis=replace(vague, specific=True))
    assert explain_totals.compared_by_size(replace(some, failure=known)) is None


@pytest.mark.parametrize("width", [1, 128, 2048])
def test_the_amounts_of_sums_are_no_sum_of_amounts(fake_launcher, width):
    """Of groups of numbers, as of a block; of one each it is what should come out."""

    def launch(launcher, x, out, **arguments):
        out.copy_(torch.stack([part.sum() for part in x.split(width)]).abs().sum())

    x = torch.tensor([3.0, -3.0])
    launcher = fake_launcher("float x", "float out", launch)
    right = x.abs().sum().double().reshape(1)
    case = Case("signs in turn", (x,), (right,), dtypes=(torch.float32,))
    told = Diagnosis("0 comes out, and 6 should", zeros=True)
    some = Experiment(launcher, Failure(case, ROUNDS[0], told), [])
    said = explain_totals.amounts_of_sums(some)
    if width == 1:
        assert said is None
    else:
        which = "all numbers" if width == 2048 else "128 numbers each"
        assert said.sentence.startswith(f"the amount of the sum of {which} comes out, not the")
    of_rows = replace(case, inputs=(x[None],))
    assert (
        explain_totals.amounts_of_sums(replace(some, failure=Failure(of_rows, ROUNDS[0], told)))
        is None
    )
