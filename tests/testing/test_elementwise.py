"""The parts of an elementwise check: what each adds, what is left out, and what is said."""

import dataclasses

import pytest
import torch

from helpers.errors import CourseError, FaultKind
from helpers.testing import elementwise, past_2_31, races
from helpers.testing.cases import ElementwiseMaker
from helpers.testing.complete import Result as Complete
from helpers.testing.past_2_31 import Outcome
from helpers.testing.references import REFERENCES
from helpers.testing.run_cases import Finding


def add(launcher, a, b, out, **arguments):
    torch.add(a, b, out=out)


def make_few(n):
    return lambda make: make.random(n, 0)


@pytest.fixture
def parts(monkeypatch):
    """Replace what is long: few cases, and a complete run and ends that are right."""
    few = [make_few(n) for n in (5, 257)]
    monkeypatch.setattr(
        elementwise, "elementwise_cases", lambda _, make: [f(make) for f in few]
    )
    monkeypatch.setattr(races, "cooperates", lambda launcher: False)
    answers = {
        "complete": None,
        "ends": [past_2_31.Result(1 << 31, Outcome.RIGHT)] * 2,
        "seconds": 0.001,
    }

    def complete(launcher, make):
        if isinstance(answers["complete"], Exception):
            raise answers["complete"]
        return answers["complete"]

    monkeypatch.setattr(elementwise, "complete", complete)
    monkeypatch.setattr(elementwise, "_seconds", lambda launcher, make: answers["seconds"])
    monkeypatch.setattr(past_2_31, "past_2_31", lambda *arguments: answers["ends"])
    return answers


def judged(fake_launcher, function=add, reference="add", ulp=0, inputs="float a, float b"):
    launcher = fake_launcher(inputs, "float out", function)
    function = REFERENCES[reference] if isinstance(reference, str) else reference
    return elementwise.judge(launcher, ElementwiseMaker.of(launcher, function, ulp))


def test_the_parts_are_counted_and_nothing_is_left_out(fake_launcher, parts):
    tried = judged(fake_launcher)
    assert (tried.count, tried.found, tried.not_tried) == (2 + 4, None, ())


def test_the_sweep_finds_a_size_that_the_cases_do_not_have(fake_launcher, parts):
    def loses_37(launcher, a, b, out, **arguments):
        torch.add(a, b, out=out)
        if len(out) == 37:
            out[36] = 5.0

    tried = judged(fake_launcher, loses_37)
    assert "n = 37" in str(tried.found) and "the last element is wrong" in str(tried.found)


def test_what_is_right_when_repeated_alone_depends_on_the_calls_before(fake_launcher, parts):
    def once(launcher, a, b, out, **arguments):
        torch.add(a, b, out=out)
        if len(out) == 37 and not launcher.kept:
            launcher.kept["done"] = True
            out[36] = 5.0

    sentence = str(judged(fake_launcher, once).found)
    assert sentence.startswith("right at the first call, wrong at a later one: does something")
    assert "n = 37" in sentence and "other calls]" in sentence


def test_a_wrong_complete_run_is_the_finding(fake_launcher, parts):
    parts["complete"] = Complete("the grid ends")
    tried = judged(fake_launcher)
    assert tried.found is parts["complete"] and tried.count == 2 + 2


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"seconds": 10.0}, "(too slow on the emulator)"),
        ({"complete": MemoryError()}, "(no memory)"),
        ({"complete": Complete("still running", FaultKind.TIMEOUT)}, "(too slow on the "),
    ],
)
def test_a_complete_run_that_was_not_made_is_named(fake_launcher, parts, change, words):
    parts.update(change)
    tried = judged(fake_launcher)
    assert tried.found is None
    assert len(tried.not_tried) == 1 and tried.not_tried[0].startswith("16,842,753 elements ")
    assert words in tried.not_tried[0]


def test_the_complete_run_may_take_two_and_a_half_seconds(fake_launcher, parts):
    limit = 2.5 * elementwise.PART / elementwise.N
    for seconds, left_out in ((0.99 * limit, 0), (1.01 * limit, 1)):
        parts["seconds"] = seconds
        assert len(judged(fake_launcher).not_tried) == left_out


def test_ends_past_2_31_are_found_wrong_or_named_as_not_tried(fake_launcher, parts):
    right, size = parts["ends"][0], 1 << 31
    parts["ends"] = [right, past_2_31.Result(size, Outcome.WRONG, "an index of 32 bits")]
    assert judged(fake_launcher).found is parts["ends"][1]
    parts["ends"] = [right, past_2_31.Result(size, Outcome.UNDECIDED, "n is an int")]
    tried = judged(fake_launcher)
    assert tried.not_tried == ("sizes past 2^31 (n is an int)",) and tried.found is None


def test_a_reference_that_depends_on_the_index_is_tried_on_small_sizes(fake_launcher, parts):
    def counted(x):
        return x + torch.arange(len(x))

    def kernel(launcher, x, out, **arguments):
        out.copy_(x.double() + torch.arange(len(x)))

    launcher = fake_launcher("float x", "float out", kernel)
    make = ElementwiseMaker.of(launcher, counted)
    assert not elementwise.is_elementwise(make)
    tried = judged(fake_launcher, kernel, counted, inputs="float x")
    assert tried.found is None
    assert tried.not_tried == ("sizes past 2^24 (the reference is not elementwise)",)


def test_operators_of_one_element_are_elementwise(fake_launcher):
    launcher = fake_launcher("float a, float b", "float out")
    for reference in (REFERENCES["add"], lambda a, b: a / b, lambda a, b: a.sqrt() + b):
        assert elementwise.is_elementwise(ElementwiseMaker.of(launcher, reference))
    make = ElementwiseMaker.of(launcher, lambda a, b: a.cumsum(0) + b)
    assert not elementwise.is_elementwise(make)


@pytest.mark.parametrize(
    ("reference", "words"),
    [
        (lambda a, b: 3, "the reference of fake must return a tensor"),
        (lambda a, b: (a + b).sum(), r"1 outputs \[n\], but for n = 3 the reference returned"),
        (lambda a, b: (a, b), r"shapes \[\(3,\), \(3,\)\]; pass cases="),
    ],
)
def test_a_reference_must_return_what_the_launcher_writes(fake_launcher, reference, words):
    with pytest.raises(ValueError, match=words):
        judged(fake_launcher, add, reference)


def test_a_launch_is_timed_on_tensors_of_the_right_kinds(fake_launcher):
    seen = []

    def kernel(launcher, a, b, out, **arguments):
        seen.append((a.dtype, b.dtype, out.dtype, len(a), len(b), len(out), arguments))
        raise CourseError("a refused launch takes no time")

    launcher = fake_launcher("half a, float b", "half out", kernel)
    make = ElementwiseMaker.of(launcher, REFERENCES["add"], arguments={"block_size": 64})
    assert 0 <= elementwise._seconds(launcher, make) < 10
    n = elementwise.PART
    kinds = (torch.float16, torch.float32, torch.float16)
    assert seen == [(*kinds, n, n, n, {"block_size": 64})]


def test_a_gpu_makes_no_tries_past_2_31(fake_launcher, parts):
    launcher = fake_launcher("float a, float b", "float out", add)
    launcher.on_gpu = True
    make = ElementwiseMaker.of(launcher, REFERENCES["add"])
    tried = elementwise._past_2_31(launcher, make)
    assert dataclasses.astuple(tried) == (2, None, (), 0.0)
    assert Finding("a sentence") != tried.found
