"""Cases one after the other: rounds, the best diagnosis, kernels that are slow."""

import time

import pytest
import torch

from helpers.errors import FaultKind, KernelFault, LaunchError
from helpers.testing import races
from helpers.testing.cases import Case, Untried
from helpers.testing.run_case import ROUNDS
from helpers.testing.run_cases import LARGE, Tried, run_cases


@pytest.fixture(autouse=True)
def no_trace(monkeypatch):
    """Trace nothing: a Python function has no text."""
    monkeypatch.setattr(races, "cooperates", lambda launcher: False)


def case_of(n, factor):
    x = torch.arange(1.0, n + 1)
    return Case(f"n = {n}", (x,), (factor * x.double(),), dtypes=(torch.float32,))


def test_cases_run_in_three_rounds_until_one_is_wrong(fake_launcher):
    def negative_at_three(launcher, x, out, **arguments):
        out.copy_(-x if len(x) == 3 else 2 * x)

    launcher = fake_launcher("float x", "float out", negative_at_three)
    asked = []

    def cases():
        for n in (1, 2, 3, 4):
            asked.append(n)
            yield case_of(n, 2.0)

    tried = run_cases(launcher, cases())
    count, failure = tried.count, tried.found
    assert count == 3 and failure.case.label == "n = 3" and failure.round == ROUNDS[0]
    assert asked[:3] == [1, 2, 3]
    assert launcher.emulator.modes[:6] == [0, 1, 2, 0, 1, 2]
    right = run_cases(launcher, [case_of(n, 2.0) for n in (1, 2)])
    assert (right.count, right.found) == (2, None)


def test_a_vague_failure_of_few_elements_gives_way_to_a_specific_one(fake_launcher):
    def wrong(launcher, x, out, **arguments):
        out.copy_(x - 5)
        if len(x) == 40:
            out.fill_(1.0)

    launcher = fake_launcher("float x", "float out", wrong)
    tried = run_cases(launcher, [case_of(3, 2.0), case_of(40, 2.0)])
    count, failure = tried.count, tried.found
    assert count == 1 and failure.case.label == "n = 40"
    assert failure.diagnosis.sentence == "every element is 1, a constant"
    alone = run_cases(launcher, [case_of(3, 2.0)]).found
    assert alone.case.label == "n = 3" and not alone.diagnosis.specific


def test_a_kernel_that_never_ends_is_not_run_again(fake_launcher):
    def endless(launcher, x, out, **arguments):
        raise KernelFault("still running after 1 s", kind=FaultKind.TIMEOUT)

    launcher = fake_launcher("float x", "float out", endless)
    tried = run_cases(launcher, [case_of(5, 2.0)])
    assert (tried.count, tried.found.fault, len(launcher.calls)) == (1, FaultKind.TIMEOUT, 1)


@pytest.fixture
def slow(monkeypatch):
    """Let each call take so many CPU seconds, as `slow(seconds)` says."""
    clock = {"now": 0.0, "call": 0.0}
    monkeypatch.setattr(time, "process_time", lambda: clock["now"])

    def double(launcher, x, out, **arguments):
        clock["now"] += clock["call"]
        out.copy_(2 * x)

    def of(seconds):
        clock["call"] = seconds
        return double

    return of


@pytest.mark.parametrize(
    ("seconds", "count", "calls"),
    [
        (0.03, 50, 150),  # every case in three rounds
        (0.05, 43, 49),  # after three cases 40 of the others, in one round each
        (0.3, 11, 13),  # after the first case ten
    ],
)
def test_of_a_slow_kernel_some_cases_are_tried(fake_launcher, slow, seconds, count, calls):
    launcher = fake_launcher("float x", "float out", slow(seconds))
    tried = run_cases(launcher, [case_of(n, 2.0) for n in range(1, 51)])
    assert (tried.count, len(launcher.calls), tried.found) == (count, calls, None)
    left_out = 50 - count
    words = f"{left_out} more cases (a launch takes {seconds:.2f} s)"
    assert tried.not_tried == ((words,) if left_out else ())


def test_the_calls_of_a_slow_kernel_take_two_seconds_together():
    assert Tried(1, seconds=0.025).every(500) == 1
    assert Tried(1, seconds=0.026).every(500) == 7
    assert Tried(1, seconds=0.05).every(500) == 13
    assert Tried(1, seconds=0.5).every(500) == 125


def test_what_no_case_decides_stands_in_the_verdict(fake_launcher):
    launcher = fake_launcher("float x", "float out", lambda _, x, out, **more: out.copy_(2 * x))
    cases = [case_of(3, 2.0), Untried("NaN", "it may be kept"), case_of(4, 2.0)]
    tried = run_cases(launcher, [*cases, Untried("zeros", "it may be kept")])
    assert (tried.count, tried.not_tried) == (2, ("NaN and zeros (it may be kept)",))


@pytest.mark.parametrize(
    ("shape", "error", "words"),
    [
        ((1, LARGE + 1), LaunchError("too many blocks"), "wide (the launch is refused)"),
        ((1, LARGE), LaunchError("too many blocks"), None),
        ((LARGE + 1,), LaunchError("too many blocks"), None),
        ((LARGE + 1,), KernelFault("slow", kind=FaultKind.TIMEOUT), "wide (more than 4 s)"),
        ((1, LARGE + 1), KernelFault("trap", kind=FaultKind.TRAP), None),
    ],
)
def test_a_large_case_may_be_refused_or_given_up(fake_launcher, shape, error, words):
    """A grid ends at 65,535 in y: a matrix that is too long for it is no mistake."""

    def kernel(launcher, x, out, **arguments):
        raise error

    x = torch.zeros(shape)
    launcher = fake_launcher("float x", "float out", kernel)
    tried = run_cases(launcher, [Case("wide", (x,), (x.double(),), dtypes=(x.dtype,))])
    assert (tried.found is None) == (words is not None)
    assert tried.not_tried == ((words,) if words else ())


def test_races_of_a_slow_kernel_are_looked_for_in_one_second(fake_launcher, slow, monkeypatch):
    asked = []

    def first_race(launcher, case, seconds):
        asked.append((case.label, seconds))
        return None, seconds is None

    monkeypatch.setattr(races, "cooperates", lambda launcher: True)
    monkeypatch.setattr(races, "first_race", first_race)
    quick = fake_launcher("float x", "float out", slow(0.01))
    assert run_cases(quick, [case_of(n, 2.0) for n in (5, 7)]).not_tried == ()
    launcher = fake_launcher("float x", "float out", slow(0.3))
    words = "races (in more than 1 s of one launch)"
    assert words in run_cases(launcher, [case_of(n, 2.0) for n in range(1, 30)]).not_tried
    assert asked == [("n = 7", None), ("n = 27", 1.0)]
