"""The parts of an elementwise check: what each adds, what is left out, and what is said."""

import pytest
import torch

from helpers import emulator
from helpers.errors import CourseError, FaultKind
from helpers.run.signature import declarations
from helpers.testing import elementwise, past_2_31, races
from helpers.testing.cases import ElementwiseMaker
from helpers.testing.complete import Result as Complete
from helpers.testing.past_2_31 import Outcome
from helpers.testing.references import REFERENCES
from helpers.testing.run_cases import Finding, Tried


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
    assert "n = 37" in sentence and "other calls: out[" in sentence


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
        (lambda a, b: (a, 3), "the reference of fake must return a tensor"),
        (lambda a, b: (a + b).sum(), r"1 outputs \[n\], but for n = 3 the reference returned"),
        (lambda a, b: (a, b), r"shapes \[\(3,\), \(3,\)\]; pass cases="),
        (
            lambda a, b: a.amax(dim=1),
            r"failed for inputs of shape \[3\], \[3\] \(float64\): Index",
        ),
        (
            lambda a: a,
            r"failed for inputs .* TypeError: .*: is it written for them\? .* cases=",
        ),
    ],
)
def test_a_reference_must_return_what_the_launcher_writes(fake_launcher, reference, words):
    with pytest.raises(ValueError, match=words):
        judged(fake_launcher, add, reference)


def test_a_launcher_of_matrices_needs_cases(fake_launcher):
    launcher = fake_launcher("float x", "float out")
    tensors = "const float* x,  // [m, n]\nfloat* out,  // [m]\n"
    text = f'extern "C" void rows({tensors}int64_t m, int64_t n) {{}}'
    launcher.declaration = declarations(text, "rows.cu")["rows"]
    make = ElementwiseMaker.of(launcher, lambda x: x.amax(dim=1))
    with pytest.raises(ValueError, match=r"rows takes x \[m, n\], and .* pass cases="):
        elementwise.judge(launcher, make)


def test_a_launch_is_timed_on_tensors_of_the_right_kinds(fake_launcher):
    seen = []

    def kernel(launcher, a, b, out, **arguments):
        assert all(map(emulator.guarded_intact, (a, b, out)))  # a wild write spoils no heap
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
    assert tried == Tried(2)
    assert Finding("a sentence") != tried.found


def test_the_sizes_and_times_of_a_complete_run():
    assert (elementwise.PART, elementwise.PROBE) == (131_071, 257)
    assert (elementwise.SECONDS, elementwise.PATIENCE) == (2.5, 60.0)


def test_a_complete_run_on_the_emulator_has_a_minute(fake_launcher, parts):
    launcher = fake_launcher("float a, float b", "float out", add)
    make = ElementwiseMaker.of(launcher, REFERENCES["add"])
    assert elementwise._complete(launcher, make) == Tried(1, None)
    assert launcher.emulator.seconds == [60.0]


def test_on_a_gpu_a_complete_run_is_not_timed_before(fake_launcher, parts):
    launcher = fake_launcher("float a, float b", "float out", add)
    launcher.on_gpu, parts["seconds"] = True, 10.0
    make = ElementwiseMaker.of(launcher, REFERENCES["add"])
    parts["complete"] = Complete("the grid ends")
    assert elementwise._complete(launcher, make) == Tried(1, parts["complete"])
    assert launcher.emulator.seconds == []
    parts["complete"] = torch.OutOfMemoryError()
    left_out = ("16,842,753 elements (no memory)",)
    assert elementwise._complete(launcher, make) == Tried(0, None, left_out)


def test_another_fault_of_a_complete_run_is_a_finding(fake_launcher, parts):
    parts["complete"] = Complete("read from a[-1]", FaultKind.OUT_OF_BOUNDS)
    tried = judged(fake_launcher)
    assert tried.found is parts["complete"] and tried.not_tried == ()


def test_a_wrong_case_ends_it(fake_launcher, parts):
    def off(launcher, a, b, out, **arguments):
        torch.add(a, b, out=out)
        out += len(out) == 5

    tried = judged(fake_launcher, off)
    assert "n = 5, seed 0" in str(tried.found) and tried.count == 1


def test_a_wrong_call_of_the_sweep_counts_as_one(fake_launcher, parts):
    def loses_37(launcher, a, b, out, **arguments):
        torch.add(a, b, out=out)
        if len(out) == 37:
            out[36] = 5.0

    assert judged(fake_launcher, loses_37).count == 2 + 1


@pytest.mark.parametrize(("k", "before"), [(0, []), (3, [0, 1, 2]), (9, [4, 5, 6, 7, 8])])
def test_five_calls_before_a_wrong_one_are_repeated(fake_launcher, monkeypatch, k, before):
    launcher, asked = fake_launcher("float a, float b", "float out", add), []
    make = ElementwiseMaker.of(launcher, REFERENCES["add"])
    sweep = elementwise.Sweep(launcher, make)

    def find(launcher, case, passed):
        asked.append((case.label, [one.label for one in passed]))

    monkeypatch.setattr(elementwise, "find", find)
    found = elementwise._in_sweep(launcher, sweep, k)
    labels = [sweep.case(j).label for j in before]
    assert asked == [(sweep.case(k).label, labels)]
    assert str(found).endswith(
        f"[{sweep.case(k).label}, after {k:,} other calls: {sweep.seen}]"
    )


def test_undecided_is_the_first_that_is(fake_launcher, parts):
    size = 1 << 31
    parts["ends"] = [past_2_31.Result(size, Outcome.UNDECIDED, word) for word in ("a", "b")]
    launcher = fake_launcher("float a, float b", "float out", add)
    make = ElementwiseMaker.of(launcher, REFERENCES["add"])
    assert elementwise._past_2_31(launcher, make) == Tried(2, None, ("sizes past 2^31 (a)",))
    wrong = past_2_31.Result(size, Outcome.WRONG, "c")
    parts["ends"] = [wrong]
    assert elementwise._past_2_31(launcher, make) == Tried(1, wrong)


def test_the_stock_of_each_input_is_drawn_before_children_start(fake_launcher, monkeypatch):
    drawn = []
    monkeypatch.setattr(elementwise, "stock", drawn.append)
    elementwise.prepare(
        [fake_launcher("half a, float b", "int out"), fake_launcher("double x", "half out")]
    )
    assert drawn == [torch.float16, torch.float32, torch.float64]


def test_several_outputs_are_each_elementwise(fake_launcher):
    launcher = fake_launcher("float a", "float out, float other")
    both = ElementwiseMaker.of(launcher, lambda a: (a + 1, -a))
    assert elementwise.is_elementwise(both)
    for wrong in (lambda a: (a + 1, a.cumsum(0)), lambda a: (a.flip(0), a)):
        assert not elementwise.is_elementwise(ElementwiseMaker.of(launcher, wrong))
    nan = ElementwiseMaker.of(launcher, lambda a: (a * float("nan"), a))
    assert elementwise.is_elementwise(nan)
    slightly = ElementwiseMaker.of(launcher, lambda a: (a, a + 1e-15 * torch.arange(len(a))))
    assert not elementwise.is_elementwise(slightly)


def test_the_seconds_of_a_launch_are_those_of_the_cpu(fake_launcher, monkeypatch):
    clock = iter([5.0, 7.5])
    monkeypatch.setattr(elementwise.time, "process_time", lambda: next(clock))
    launcher = fake_launcher("float a, float b", "float out", add)
    make = ElementwiseMaker.of(launcher, REFERENCES["add"])
    assert elementwise._seconds(launcher, make) == 2.5
