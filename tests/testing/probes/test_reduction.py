"""Launchers that make one number of an array: what they are asked, and what is said."""

import dataclasses
import math

import pytest
import torch

from helpers.errors import CourseError
from helpers.testing import whole
from helpers.testing.buffers import ZEROS, poison
from helpers.testing.probes import reduction


@pytest.fixture
def said(fake_launcher):
    """Diagnose a Python function x -> number that should compute `function`."""

    def of(kernel, function, n=40):
        def launch(launcher, x, out, **arguments):
            out[0] = kernel(x)

        launcher = fake_launcher("float x", "float out", launch)
        case = whole.case("a case", torch.ones(n), function)
        return reduction.diagnose(launcher, case)

    return of


@pytest.mark.parametrize("function", [torch.sum, torch.max, torch.min])
@pytest.mark.parametrize("n", [1, 40, 4099])
def test_nothing_is_said_of_a_right_one(said, function, n):
    assert said(function, function, n) is None


@pytest.mark.parametrize("start", [0.0, -10.0, -65504.0])
def test_a_maximum_that_starts_too_high(said, start):
    sentence = said(lambda x: x.max().clamp(min=start), torch.max)
    assert f" it makes {start:.8g}: is that its start value" in sentence


def test_a_minimum_that_starts_too_low_and_a_sum_that_starts_at_one(said):
    assert "all 3e+30 it makes 1e+30: is that" in said(
        lambda x: x.min().clamp(max=1e30), min_of
    )
    assert said(lambda x: x.sum() + 1, torch.sum) == (
        "of 40 zeros it makes 1: is that its start value?"
    )


def min_of(x):
    return x.min()


def spread(x):
    return x.max() - x.min()


@pytest.mark.parametrize("n", [1, 40])
def test_a_start_value_that_counts_in_a_range_of_numbers(said, n):
    """Such a function has no element as its result."""
    said_of = said(lambda x: x.max() - x.min().clamp(max=0), spread, n)
    numbers = (
        f"{615 if n == 1 else 40} numbers that are all 3"  # of one too little can be asked
    )
    assert f"of {numbers} it makes 3, not 0: does a start value" in said_of
    assert said(spread, spread, n) is None


def test_the_element_that_decides_a_case_is_asked_for(fake_launcher):
    def launch(launcher, x, out, **arguments):
        out[0] = torch.cat([x[:130_000], x[130_001:]]).max()

    launcher = fake_launcher("float x", "float out", launch)
    x = torch.full((300_007,), -5.0)
    x[130_000] = 100
    sentence = reduction.diagnose(launcher, whole.case("a case", x, torch.max))
    assert "the first is x[130,000]: left out" in sentence


def test_a_size_that_forgets_the_sign_is_another_formula(said):
    sentence = said(lambda x: x.max().clamp(min=0), lambda x: x.abs().max())
    assert sentence.endswith("it makes 0, not 3: is the formula another one?")


@pytest.mark.parametrize("function", [torch.sum, torch.max])
def test_elements_without_an_effect(said, function):
    sentence = said(lambda x: function(torch.cat([x[:8], x[16:]])), function)
    assert sentence.startswith(
        "8 of 40 elements have no effect on the result, the first is x[8]"
    )
    one = said(lambda x: function(x[1:]), function)
    assert one.startswith("an element has no effect on the result, the first is x[0]: left out")


def test_of_one_number_that_is_left_out_no_start_value_is_blamed(said):
    """The sum of one number is that number, as its maximum is."""
    assert "it is off by just the last element" in said(lambda x: x[:-1].sum(), torch.sum, n=1)
    assert "is that its start value" in said(lambda x: max(x.max(), 0.0), torch.max, n=1)


def test_a_tail_is_one_in_a_longer_array_too(said):
    assert said(lambda x: x[: len(x) // 4 * 4].sum(), torch.sum, 43) == (
        "it is off by just the sum of the last 3 elements: is the tail left out?"
    )
    assert said(lambda x: x.sum() + x[-1], torch.sum) == (
        "it is off by just the last element: is the tail added twice?"
    )
    sentence = said(lambda x: x[:32].sum(), torch.sum)
    assert "tail" not in sentence and "the first is x[32]: left out" in sentence


def test_elements_that_count_often(said):
    sentence = said(lambda x: x.sum() + 2 * x[8:24].sum(), torch.sum)
    assert sentence.startswith("16 of 40 elements count more than once, the first is x[8], 3 t")


def test_elements_that_are_subtracted(said):
    sentence = said(lambda x: x.sum() - 2 * x[8:24].sum(), torch.sum)
    assert sentence.startswith("16 of 40 elements are subtracted, the first is x[8]: must its")
    sentence = said(lambda x: x.sum() - 2 * x[0], torch.sum)
    assert sentence.startswith("an element is subtracted, the first is x[0]: ")
    assert said(lambda x: -x.sum(), torch.sum).startswith("each element counts -1 times: ")


def test_elements_that_count_once_alone_and_otherwise_together(said):
    def squares(x):
        return (x * x).sum()

    def of_sums(x):
        even = len(x) // 2 * 2
        return (x[:even].reshape(-1, 2).sum(1) ** 2).sum() + squares(x[even:])

    assert said(of_sums, squares) == (
        "of 40 ones it makes 80, not 40, though each of them alone counts once: is the formula "
        "another one, of sums?"
    )
    assert said(squares, squares) is None
    large = 2.0**20
    assert said(lambda x: large * of_sums(x), lambda x: large * squares(x)) is None  # inexact
    half = 2.0**19  # of 32 ones it makes 2^24
    assert said(lambda x: half * of_sums(x), lambda x: half * squares(x), 32) is None


def test_a_factor_of_all(said):
    assert said(lambda x: x.sum() / 4, torch.sum) == (
        "each element counts 0.25 times: another factor, a formula?"
    )
    assert said(lambda x: torch.tensor(0.0), torch.sum).startswith("none of the 40 elements")
    assert said(lambda x: torch.tensor(-torch.inf), torch.max) == (
        "-inf comes out, whatever goes in: are all elements left out, as by a loop that takes "
        "whole rounds only?"
    )


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (
            torch.trunc,
            "of x[0] = 0.7 it makes 0: is a fraction truncated or rounded to a whole",
        ),
        (
            lambda x: x.half().float(),
            "is it computed or rounded in a narrower precision on the",
        ),
        (
            torch.abs,
            "of x[0] = -2.6 it makes 2.5999999, not -2.5999999: is the formula another",
        ),
    ],
)
@pytest.mark.parametrize("function", [torch.sum, torch.max])
def test_what_becomes_of_a_fraction(said, function, change, words):
    assert words in said(lambda x: function(change(x).clamp(-200, 2000)), function) or (
        function is torch.max
    )


@pytest.mark.parametrize("function", [torch.sum, torch.max])
def test_a_nan_is_lost(said, function):
    sentence = said(lambda x: function(x[~x.isnan()]), function)
    assert sentence == "a NaN that goes in must come out: is it compared, or skipped?"


def test_a_result_that_must_win_against_what_was_there(fake_launcher):
    def launch(launcher, x, out, **arguments):
        if x.max() > out[0]:
            out[0] = x.max()

    launcher = fake_launcher("float x", "float out", launch)
    sentence = reduction.diagnose(launcher, whole.case("", torch.ones(1), torch.max))
    assert sentence.startswith("the result is compared with what the output held before")


def test_of_a_long_array_seven_elements_are_asked_for():
    assert reduction._places(300) == list(range(300))
    assert reduction._places(1 << 25) == [
        0, 1 << 16, 1 << 20, 1 << 24, (1 << 25) - 2, (1 << 25) - 1
    ]  # fmt: skip
    places = reduction._places(4099)
    assert {0, 15, 32, 64, 1024, 4083, 4098} <= set(places) and len(places) < 110


def test_a_call_that_fails_and_a_case_of_another_kind_say_nothing(fake_launcher):
    def refuses(launcher, x, out, **arguments):
        raise CourseError("no")

    launcher = fake_launcher("float x", "float out", refuses)
    case = whole.case("", torch.ones(4), torch.sum)
    assert reduction.diagnose(launcher, case) is None
    assert math.isnan(float(torch.tensor(math.nan)))
    other = whole.Case("", (torch.ones(4),), (torch.ones(1).double(),), dtypes=(torch.float32,))
    assert reduction.diagnose(launcher, other) is None


@pytest.mark.parametrize(
    ("factor", "end"), [(1.031, "in a narrower precision on the way?"), (1.032, "another one?")]
)
def test_up_to_a_32nd_a_fraction_counts_as_imprecise(said, factor, end):
    def off(x):
        total = x.sum()
        return total if total == total.round() else total * factor

    assert said(off, torch.sum).endswith(end)


def test_the_output_holds_poison_before_a_question_or_zeros_where_it_is_asked(fake_launcher):
    held = []

    def look(launcher, x, out, **arguments):
        held.append(out.view(torch.int32).item())
        out[0] = x.sum()

    launcher = fake_launcher("float x", "float out", look)
    asked = reduction._Asked(launcher, whole.case("a case", torch.ones(3), torch.sum), 3)
    assert asked.got(asked.equal(2.0)) == asked.got(asked.equal(2.0), ZEROS) == 6.0
    assert held == [poison(torch.float32, 0), 0]


# ---- question by question


@pytest.fixture
def asked(fake_launcher):
    """Ask a Python function x -> number that should compute `function`, on n elements."""

    def of(kernel, function=torch.sum, n=40):
        def launch(launcher, x, out, **arguments):
            out[0] = kernel(x)

        launcher = fake_launcher("float x", "float out", launch)
        return reduction._Asked(launcher, whole.case("a case", torch.ones(3), function), n)

    return of


def test_which_places_of_an_array_are_asked_for():
    assert reduction._places(1) == [0]
    for n, powers in ((301, [32, 64, 128]), (4099, [32, 64, 128, 256, 512, 1024, 2048])):
        even = [k * (n - 1) // 64 for k in range(64)]
        expected = {*range(16), *range(n - 16, n), *powers, *even}
        assert reduction._places(n) == sorted(expected)
    assert 64 < len(reduction._places(100_000)) < 130
    assert reduction._places(100_001) == [0, 50_000, 65_536, 99_999, 100_000]


@pytest.mark.parametrize(
    ("n", "sizes"), [(40, {40, 693}), (100_000, {100_000, 200_613}), (100_001, {100_001})]
)
def test_a_longer_array_is_asked_as_well_unless_it_is_long(fake_launcher, n, sizes):
    seen = set()

    def launch(launcher, x, out, **arguments):
        seen.add(len(x))
        out[0] = x.sum()

    launcher = fake_launcher("float x", "float out", launch)
    case = whole.case("a case", torch.ones(n), torch.sum)
    assert reduction.diagnose(launcher, case) is None and seen == sizes


def test_only_one_input_and_a_known_function_can_be_asked(fake_launcher):
    def unasked(launcher, *tensors, **arguments):
        raise AssertionError("asked")

    launcher = fake_launcher("float x, float y", "float out", unasked)
    case = whole.case("a case", torch.ones(3), torch.sum)
    two = dataclasses.replace(case, inputs=case.inputs * 2)
    assert reduction.diagnose(launcher, two) is None


def test_what_a_launcher_is_given(fake_launcher):
    seen = []

    def launch(launcher, x, out, **arguments):
        seen.append((x.tolist(), arguments))
        x.fill_(7.0)
        out[0] = 5.0

    launcher = fake_launcher("float x", "float out", launch)
    case = whole.case("a case", torch.ones(3), torch.sum, blocks=3)
    some = reduction._Asked(launcher, case, 2)
    x = some.equal(4.0)
    assert some.got(x) == 5.0 and x.tolist() == [4.0, 4.0]  # a copy was given
    assert seen == [([4.0, 4.0], {"blocks": 3})]
    assert some.right(x) == 8.0 and not some.selects()


@pytest.mark.parametrize(
    ("function", "selects"),
    [
        (torch.max, True),
        (torch.min, True),
        (lambda x: x.abs().max(), True),
        (torch.sum, False),
        (lambda x: x.max().clamp(min=0), False),
        (lambda x: x.min().clamp(max=0), False),
    ],
)
def test_what_selects_an_element(asked, function, selects):
    assert asked(function, function).selects() == selects


@pytest.mark.parametrize("function", [torch.sum, torch.max, torch.min])
def test_how_often_an_element_counts(asked, function):
    assert reduction._weight(asked(function, function), 3) == 1
    left_out = asked(lambda x: function(x[4:]), function)
    assert [reduction._weight(left_out, place) for place in (3, 4)] == [0, 1]
    assert reduction._weight(asked(function, lambda x: torch.zeros(())), 3) is None


def test_a_part_of_an_element(asked):
    assert reduction._weight(asked(lambda x: x.sum() + 1.5 * x[3]), 3) == 2.5

    def refuse(x):
        raise CourseError("no")

    assert reduction._weight(asked(refuse), 3) is None


@pytest.mark.parametrize(
    ("n", "places", "words"),
    [
        (40, [39], "last element"),
        (40, [38, 39], "sum of the last 2 elements"),
        (40, list(range(24, 40)), "sum of the last 16 elements"),
        (40, list(range(23, 40)), None),
        (40, [38], None),
        (40, [37, 39], None),
        (6, [3, 4, 5], "sum of the last 3 elements"),
        (6, [2, 3, 4, 5], None),
        (100_000, [99_999], "last element"),
        (100_001, [100_000], None),
    ],
)
def test_which_places_are_a_tail(n, places, words):
    assert reduction._tail(n, places) == words


def test_the_numbers_that_are_asked():
    assert reduction.PAIRS == ((0, 1), (-100, 100), (100, -100))
    assert reduction.LEVELS == (-3, -300_000, -3e30, 3, 300_000, 3e30)
    assert reduction.FRACTIONS == (0.7, -2.6, 1000.3)


def test_a_launcher_on_a_gpu_gets_its_tensors_there(asked, monkeypatch):
    device = type("Device", (), {"device": "meta"})
    monkeypatch.setattr(reduction.machine, "present", lambda: device)
    some, seen = asked(torch.sum), []
    some.launcher.function = lambda launcher, x, out: seen.append((x.device.type, out.device))
    some.launcher.on_gpu = True
    with pytest.raises(Exception, match="meta"):
        some.got(some.equal(1.0))
    assert seen == [("meta", torch.device("meta"))]


def test_elements_that_count_twice_or_more(asked):
    def of(kernel, n=40):
        return reduction._of_weights(asked(kernel, n=n))[0]

    twice = "it is off by just the sum of the last 3 elements: is the tail added twice?"
    assert of(lambda x: x.sum() + x[-3:].sum()) == twice
    thrice = (
        "3 of 40 elements count more than once, the first is x[37], 3 times: do two threads "
        "take the same element?"
    )
    assert of(lambda x: x.sum() + 2 * x[-3:].sum()) == thrice
    assert of(lambda x: x.sum() + x[:3].sum()).startswith("3 of 40 elements count more than")
    assert of(lambda x: x.sum() + 0.5 * x[3]) is None  # no whole number of times
    both = of(lambda x: x.sum() + x[3] - x[5])
    assert both.startswith("1 of 40 elements count more than once, the first is x[3], 2 times")


def test_elements_that_do_not_count(asked):
    def of(kernel, function=torch.sum, n=40):
        return reduction._of_weights(asked(kernel, function, n))[0]

    assert of(torch.sum) is None
    assert of(lambda x: x[:-1].sum()).endswith("just the last element: is the tail left out?")
    none = of(lambda x: torch.tensor(0.0))
    assert none == "none of the 40 elements has an effect: all are left out"
    two = of(lambda x: torch.tensor(0.0), n=2)
    assert two == "none of the 2 elements has an effect: all are left out"
    negative_only = of(lambda x: x.clamp(max=0).sum())
    assert negative_only is None  # numbers of the other sign have one
    one = of(lambda x: torch.tensor(0.0), n=1)
    assert one.startswith("an element has no effect on the result, the first is x[0]: left out")
    words = (
        "2 of 40 elements have no effect on the result, the first is x[5]: left out by the "
        "loop, or a thread, warp or block whose result does not count?"
    )
    assert of(lambda x: x.sum() - x[5] - x[7]) == words
    tried = len(reduction._places(4099))
    long = of(lambda x: x.sum() - x[0] - x[1], n=4099)
    assert long.startswith(f"2 of {tried} tried elements have no effect")
    thousand = of(lambda x: x.sum() - x[1024] - x[2048], n=4099)
    assert "the first is x[1,024]: left out" in thousand


def test_one_factor_of_every_element(asked):
    def of(kernel, n=40):
        return reduction._of_weights(asked(kernel, n=n))[0]

    words = "each element counts 1.5 times: another factor, a formula?"
    assert of(lambda x: 1.5 * x.sum()) == words and of(lambda x: 1.5 * x.sum(), 1) is None
    assert of(lambda x: 1.5 * x.sum(), 2) == words
    assert of(lambda x: 1.5 * x.sum() - 0.5 * x[3]) is None  # one counts once
    assert of(lambda x: 1.5 * x.sum() + x[3]) is None


def test_the_value_that_a_result_starts_with(asked):
    def of(kernel, function, n=40):
        return reduction._first_value(asked(kernel, function, n))

    assert of(torch.sum, torch.sum) is None
    alone = of(lambda x: x.max().clamp(min=0), torch.max, 1)
    assert alone.startswith("of one number, -3, it makes 0: is that its start value")
    assert of(lambda x: x.sum() + 2.5, torch.sum) == (
        "of 40 zeros it makes 2.5: is that its start value?"
    )
    assert of(lambda x: x.sum() + math.inf, torch.sum) is None
    assert of(lambda x: x.sum() + 2.5, lambda x: x.sum() + 1) is None  # 1 is right
    start = (
        "of 40 numbers that are all -3 it makes 0: is that its start value, of all threads or "
        "of idle ones? Start with the first element in its place"
    )
    assert of(lambda x: x.max().clamp(min=0), torch.max) == start
    low = of(lambda x: x.max().clamp(min=-1e4), torch.max)
    assert low.startswith("of 40 numbers that are all -300000 it makes -10000: is that")
    lower = of(lambda x: x.max().clamp(min=-1e10), torch.max)
    assert lower.startswith("of 40 numbers that are all -3e+30 it makes -1e+10: is that")
    high = of(lambda x: x.min().clamp(max=1e4), torch.min)
    assert high.startswith("of 40 numbers that are all 300000 it makes 10000: is that")
    higher = of(lambda x: x.min().clamp(max=1e10), torch.min)
    assert higher.startswith("of 40 numbers that are all 3e+30 it makes 1e+10: is that")
    small = of(lambda x: x.min().clamp(max=1.0), torch.min)
    assert small.startswith("of 40 numbers that are all 3 it makes 1: is that its start value")
    assert of(lambda x: x.max() + 1, torch.max) is None  # it follows the numbers
    assert of(lambda x: torch.tensor(math.nan), torch.max) is None
    formula = of(lambda x: x.max().clamp(min=0), lambda x: x.abs().max())
    assert formula == (
        "of 40 numbers that are all -3 it makes 0, not 3: is the formula another one?"
    )


def test_what_an_output_held_before(asked, fake_launcher):
    words = (
        "the result is compared with what the output held before, which may be anything: set "
        "it first, or start with the first element"
    )
    poisoned, levels = [], []

    def of(compare, function):
        def launch(launcher, x, out, **arguments):
            levels.append(x.unique().tolist())
            poisoned.append(out.item())
            out[0] = compare(out[0], x)

        launcher = fake_launcher("float x", "float out", launch)
        some = reduction._Asked(launcher, whole.case("", torch.ones(3), function), 4)
        return reduction._kept(some)

    assert of(lambda held, x: torch.where(x.max() > held, x.max(), held), torch.max) == words
    assert of(lambda held, x: torch.where(x.min() < held, x.min(), held), torch.min) == words
    assert of(lambda held, x: x.max(), torch.max) is None
    assert of(lambda held, x: held + x.sum(), torch.sum) is None
    assert of(lambda held, x: held * 0 + 5, torch.max) is None  # wrong on zeros, too
    assert math.isnan(poisoned[0]) and 0.0 in poisoned
    most = float(torch.tensor(1e30))
    assert levels[:2] == [[most], [-most]]


def test_what_becomes_of_each_fraction(asked):
    def of(kernel, function=torch.sum):
        return reduction._fraction(asked(kernel, function))

    assert of(torch.sum) is None and of(torch.max, torch.max) is None
    assert of(lambda x: x.sum().round()) == (
        "of x[0] = 0.7 it makes 1: is a fraction truncated or rounded to a whole number?"
    )
    above = of(lambda x: x.sum() if x[0] < 900 else x.sum().floor())
    assert above.startswith("of x[0] = 1000.3 it makes 1000: is a fraction truncated")
    negative = of(lambda x: x.sum() if x[0] > 0 else x.sum() - 0.4)
    assert negative.startswith("of x[0] = -2.6 it makes -3: is a fraction truncated")
    whole_far = of(lambda x: x.sum() + 3.3 if x[0] == torch.tensor(0.7) else x.sum())
    assert whole_far == (
        "of x[0] = 0.7 it makes 4, not 0.69999999: is the formula another one?"
    )
    near = of(lambda x: x.sum() * 1.001)
    assert near.endswith(
        "is it computed or rounded in a narrower precision on the way?"
    ) and near.startswith("of x[0] = 0.7 it makes 0.7007")
    selected = of(lambda x: x.max().half().float(), torch.max)
    assert "in a narrower precision" in selected
    whole_off = of(lambda x: x.sum() - 0.7 - 0.3 + 0.7 if x[0] > 900 else x.sum())
    assert whole_off.startswith("of x[0] = 1000.3 it makes 1000: is a fraction truncated")
    assert of(lambda x: x.sum() * math.inf).endswith("is the formula another one?")


def test_a_nan_must_come_out(asked):
    words = "a NaN that goes in must come out: is it compared, or skipped?"
    assert reduction._nan(asked(lambda x: x[~x.isnan()].sum())) == words
    assert reduction._nan(asked(torch.sum)) is None
    assert reduction._nan(asked(lambda x: x.nansum(), torch.nansum)) is None
    seen = []
    asked_of = asked(lambda x: seen.append(x.isnan().nonzero().flatten().tolist()) or x.sum())
    reduction._nan(asked_of)
    assert seen == [[20]] * 9  # the usual one, and 8 of other bits


def test_a_nan_of_other_bits_is_lost(said):
    def by_keys(x):
        bits = x.view(torch.int32).long()
        key = torch.where(bits < 0, -1 - (bits & 0x7FFFFFFF), bits)
        return x[int(key.argmax())]

    assert said(by_keys, torch.max) == (
        "a NaN that goes in must come out, and one whose sign bit is set is lost: are numbers "
        "compared as integers, by their bits? Then ask for a NaN first (x != x)"
    )
    quiet = said(lambda x: x[(x == x) | (x.view(torch.int32) == 0x7FC00000)].max(), torch.max)
    assert "one of some bits is lost" in quiet


@pytest.mark.parametrize("function", [torch.sum, torch.max])
@pytest.mark.parametrize("n", [1, 40])
def test_a_result_that_nobody_stores(fake_launcher, function, n):
    def launch(launcher, x, out, **arguments):
        if len(x) < least:
            out[0] = function(x)

    launcher = fake_launcher("float x", "float out", launch)
    case = whole.case("a case", torch.ones(n), function)
    least = 0
    assert " nothing is written, and the output keeps" in reduction.diagnose(launcher, case)
    least = 10_000
    assert reduction.diagnose(launcher, case) is None


@pytest.mark.parametrize("of", [torch.max, torch.min])
def test_numbers_that_are_compared_by_their_bits(said, of):
    def by_bits(x):
        return of(x.view(torch.int32)).view(torch.float32)

    words = "only for numbers below 0 another one comes out: are they compared by their bits"
    assert said(by_bits, of, 5).startswith(words)
    assert said(lambda x: of(x.abs()), of, 5).startswith(words) is False
