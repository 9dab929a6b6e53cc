"""Cases one after the other: rounds, the best diagnosis, kernels that are slow."""

import math
import time
from dataclasses import replace

import pytest
import torch

from helpers.emulator import REVERSE, SHUFFLED
from helpers.errors import FaultKind, KernelFault, LaunchError
from helpers.testing import races
from helpers.testing import run_cases as run_cases_module
from helpers.testing.cases import Case, Untried
from helpers.testing.mismatch import Diagnosis
from helpers.testing.past_2_31 import Huge, Outcome, Result
from helpers.testing.run_case import ROUNDS, Failure
from helpers.testing.run_cases import LARGE, Tried, _evenness, run_cases


@pytest.fixture(autouse=True)
def no_trace(monkeypatch):
    """Trace nothing: a Python function has no text."""
    monkeypatch.setattr(races, "cooperates", lambda launcher: False)


OF_GRID_Y = "the launch is refused: its launcher puts more than 65,535 blocks into grid.y"


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


@pytest.mark.parametrize("kind", [FaultKind.OUT_OF_BOUNDS, FaultKind.TIMEOUT])
def test_a_fault_of_another_round_says_more_than_wrong_numbers(fake_launcher, kind):
    def wrong(launcher, x, out, **arguments):
        if launcher.emulator.modes[-1] == SHUFFLED:  # in the round whose page lies before
            raise KernelFault("it reads u[-1]", kind=kind)
        out.copy_(x - 5)

    launcher = fake_launcher("float x", "float out", wrong)
    failure = run_cases(launcher, [case_of(3, 2.0)]).found
    assert failure.fault is (kind if kind is FaultKind.OUT_OF_BOUNDS else None)


def test_a_kernel_that_never_ends_is_not_run_again(fake_launcher):
    def endless(launcher, x, out, **arguments):
        raise KernelFault("still running after 1 s", kind=FaultKind.TIMEOUT)

    launcher = fake_launcher("float x", "float out", endless)
    tried = run_cases(launcher, [case_of(5, 2.0)])
    assert (tried.count, tried.found.fault, len(launcher.calls)) == (1, FaultKind.TIMEOUT, 1)


@pytest.fixture
def clock(monkeypatch):
    """Return the CPU clock that is read, which only a test moves on."""
    clock = {"now": 0.0}
    monkeypatch.setattr(time, "process_time", lambda: clock["now"])
    return clock


@pytest.fixture
def slow(clock):
    """Let each call take so many CPU seconds, as `slow(seconds)` says."""
    clock["call"] = 0.0

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
        (0.009, 50, 168),  # every case in three rounds, and three with each tensor shifted
        (0.03, 50, 56),  # there is the time for all, in one round each
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


def sum_of(n):
    x = torch.arange(1.0, n + 1)
    return Case(f"n = {n}", (x,), (x.double().sum().reshape(1),), dtypes=(torch.float32,))


@pytest.mark.parametrize("stopped", [False, True])
def test_behind_a_large_sum_that_is_slow_small_ones_are_tried(fake_launcher, clock, stopped):
    """Both have one result: what counts is what is read."""

    def sums(launcher, x, out, **arguments):
        if len(x) > LARGE and stopped:
            raise KernelFault("still running", kind=FaultKind.TIMEOUT)
        clock["now"] += 40.0 if len(x) > LARGE else 0.0
        out.copy_(x.sum() + (len(x) == 7))

    launcher = fake_launcher("float x", "float out", sums)
    tried = run_cases(launcher, map(sum_of, (5, LARGE + 1, LARGE + 2, 6, 7)))
    assert tried.found.case.label == "n = 7" and tried.count == 4


def test_of_a_kernel_that_takes_ever_longer_the_large_cases_are_left_out(fake_launcher, clock):
    def longer(launcher, x, out, **arguments):
        clock["now"] += 0.1 * max(0, len(x) - 10)
        out.copy_(2 * x)

    launcher = fake_launcher("float x", "float out", longer)
    cases = [case_of(n, 2.0) for n in [*range(1, 40), 5, 6]]
    tried = run_cases(launcher, cases)
    assert (tried.count, tried.found) == (26, None)
    assert tried.not_tried == ("n = 25 and 14 more (the cases before took 30 s)",)
    assert len(launcher.calls) >= 3 * 26


def test_of_a_quick_case_that_is_slow_one_call_is_counted(fake_launcher, slow):
    launcher = fake_launcher("float x", "float out", slow(0.3))
    cases = [replace(case_of(n, 2.0), quick=True) for n in range(1, 51)]
    assert run_cases(launcher, cases).count == 11  # one case, and ten of the others


def test_of_a_case_whose_end_is_enough_the_end_is_tried(fake_launcher):
    def only_the_end(launcher, x, out, **arguments):
        out[-2:] = 2 * x[-2:]
        if launcher.emulator.mode == REVERSE:
            raise KernelFault("stopped", kind=FaultKind.TIMEOUT)

    launcher = fake_launcher("float x", "float out", only_the_end)
    case = case_of(40, 2.0)
    assert run_cases(launcher, [replace(case, end=2)]).found is None
    assert launcher.emulator.seconds == [0.1] and len(launcher.calls) == 1
    assert run_cases(launcher, [replace(case, end=3)]).found  # of the whole run


def test_the_calls_of_a_slow_kernel_take_two_seconds_together():
    assert Tried(1, seconds=0.01).every(500) == 1
    assert Tried(1, seconds=0.011).every(500) == 3
    assert Tried(1, seconds=0.05).every(10) == 1
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
        (
            (1, LARGE + 1),
            LaunchError("too wide", side="grid.y", size=65_536),
            f"wide ({OF_GRID_Y})",
        ),
        ((1, LARGE), LaunchError("too many blocks"), None),
        ((LARGE + 1,), LaunchError("too many blocks"), None),
        ((LARGE + 1,), KernelFault("slow", kind=FaultKind.TIMEOUT), "wide (more than 5 s)"),
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


def test_a_race_is_told_before_what_comes_out_of_lowered_rows(fake_launcher, monkeypatch):
    """Which threads meet may decide that, too."""
    x = torch.ones(4, 40)
    case = Case("rows", (x,), (x.double(),), dtypes=(torch.float32,))
    lowered = replace(case, label="lowered")
    monkeypatch.setattr(
        run_cases_module.lowered, "cases", lambda passed: iter([(lowered, "is one left out?")])
    )

    def wrong_where_lowered(launcher, x, out, **arguments):
        out.copy_(x if len(launcher.calls) <= 3 else -x)

    for race in (None, "a race"):
        launcher = fake_launcher("float x", "float out", wrong_where_lowered)
        monkeypatch.setattr(run_cases_module._Series, "_race", lambda series, r=race: r)
        monkeypatch.setattr(run_cases_module._Series, "_shifted", lambda series: iter(()))
        found = run_cases(launcher, [case]).found
        assert found == race if race else found.diagnosis.sentence == "is one left out?"


@pytest.mark.parametrize("byte", [None, 0x7F])
def test_shared_memory_that_is_read_before_it_is_written_must_matter(
    fake_launcher, monkeypatch, byte
):
    """What nobody has written may be read, if it is not used."""

    def wrong_where_it_shows(launcher, x, out, **arguments):
        shown = launcher.emulator.shared_bytes[-1:] == [byte] and byte is not None
        out.copy_(x if shown else 2 * x)

    def first_race(launcher, case, seconds):
        return KernelFault("t[3] is read", kind=FaultKind.UNWRITTEN), True

    monkeypatch.setattr(races, "cooperates", lambda launcher: True)
    monkeypatch.setattr(races, "first_race", first_race)
    launcher = fake_launcher("float x", "float out", wrong_where_it_shows)
    found = run_cases(launcher, [case_of(40, 2.0)]).found
    assert bool(found) is (byte is not None)
    assert found is None or found.fault is FaultKind.UNWRITTEN
    tried = [one for one in launcher.emulator.shared_bytes if one is not None]
    assert tried[:3] == [0x00, 0x7B, 0x7F] and len(tried) >= 3 + 2 * (byte is None)


# ---- large and huge cases, quick ones


def double(launcher, x, out, **arguments):
    out.copy_(2 * x)


def huge_of(label, size=1 << 31):
    return Huge(label, None, size, 1 << 20)


def test_a_launch_past_2_31_is_right_wrong_or_undecided(fake_launcher, monkeypatch):
    answers = {
        "right": Result(1, Outcome.RIGHT),
        "wrong": Result(1, Outcome.WRONG, "an index of 32 bits"),
        "slow": Result(1, Outcome.UNDECIDED, "too slow"),
        "slow, too": Result(1, Outcome.UNDECIDED, "too slow"),
        "limited": Result(1, Outcome.LIMITED, "read from x[-5]"),
        "limited, too": Result(1, Outcome.LIMITED, "read from y[-5]"),
    }
    tried_on = []

    def try_huge(launcher, case):
        tried_on.append(case.label)
        return answers[case.label]

    monkeypatch.setattr(run_cases_module, "try_huge", try_huge)
    launcher = fake_launcher("float x", "float out", double)
    some = [huge_of(label) for label in ("right", "slow", "slow, too")]
    tried = run_cases(launcher, [case_of(3, 2.0), *some])
    assert (tried.count, tried.found) == (4, None)
    assert tried.not_tried == ("slow and slow, too (too slow)",)
    tried = run_cases(launcher, [huge_of("wrong"), huge_of("right")])
    assert (tried.count, tried.found) == (1, answers["wrong"])
    assert tried_on == ["right", "slow", "slow, too", "wrong"]
    tried = run_cases(launcher, map(huge_of, ("limited", "limited, too", "right")))
    assert (tried.count, tried.found, tried.not_tried) == (3, None, ())
    assert tried.limit.endswith(" 32 bits: read from x[-5] [limited]")


def counting(launcher, x, out):
    """Be right while what is kept is 0, as of a counter that the last block sets back."""
    out.copy_(2 * x + launcher.kept.get("count", 0))


def test_what_a_huge_launch_leaves_behind_counts_for_no_other(fake_launcher, monkeypatch):
    def try_huge(launcher, case):
        launcher.kept["count"] = 5  # it is stopped meanwhile
        return Result(1, Outcome.UNDECIDED, "too slow")

    monkeypatch.setattr(run_cases_module, "try_huge", try_huge)
    launcher = fake_launcher("float x", "float out", counting)
    tried = run_cases(launcher, [huge_of("huge"), case_of(3, 2.0)])
    assert (tried.count, tried.found) == (2, None)


def test_what_a_stopped_launch_leaves_behind_counts_for_no_other(fake_launcher):
    def stopped(launcher, x, out):
        if len(x) > 3:
            launcher.kept["count"] = 5
            raise KernelFault("still running", kind=FaultKind.TIMEOUT)
        counting(launcher, x, out)

    launcher = fake_launcher("float x", "float out", stopped)
    tried = run_cases(launcher, [case_of(1 << 19, 2.0), case_of(3, 2.0)])
    assert (tried.count, tried.found) == (2, None) and tried.not_tried


def test_a_gpu_launches_nothing_past_2_31(fake_launcher):
    launcher = fake_launcher("float x", "float out", double)
    launcher.on_gpu = True
    assert run_cases(launcher, [huge_of("huge")]) == Tried(1)
    result = run_cases_module._huge(launcher, huge_of("huge", 77))
    assert result == Result(77, Outcome.RIGHT)


@pytest.mark.parametrize(("n", "seconds"), [(1 << 18, []), ((1 << 18) + 1, [5.0])])
def test_a_large_case_has_five_seconds(fake_launcher, n, seconds):
    def stopped(launcher, x, out, **arguments):
        raise KernelFault("still running", kind=FaultKind.TIMEOUT)

    launcher = fake_launcher("float x", "float out", stopped)
    tried = run_cases(launcher, [case_of(n, 2.0), case_of(n, 2.0)])
    if seconds:
        assert tried.not_tried == (f"n = {n} (more than 5 s)",)
        assert (tried.count, tried.found) == (1, None)
        assert launcher.emulator.seconds == [5.0]  # the next one, as large, is not run
    else:
        assert tried.count == 1 and tried.found.fault is FaultKind.TIMEOUT
        assert launcher.emulator.seconds == []


def test_a_large_case_may_be_wrong_in_another_way(fake_launcher):
    def faults(launcher, x, out, **arguments):
        raise KernelFault("read from x[-1]", kind=FaultKind.OUT_OF_BOUNDS)

    launcher = fake_launcher("float x", "float out", faults)
    tried = run_cases(launcher, [case_of((1 << 18) + 1, 2.0)])
    assert tried.found.fault is FaultKind.OUT_OF_BOUNDS


def test_what_a_gpu_computes_is_not_stopped(fake_launcher):
    launcher = fake_launcher("float x", "float out", double)
    large = case_of((1 << 18) + 1, 2.0)
    assert run_cases_module._is_large(large)
    assert run_cases_module._is_large(replace(large, inputs=(torch.ones(1), *large.inputs)))
    no_inputs = replace(large, inputs=())
    assert not run_cases_module._is_large(no_inputs)
    launcher.on_gpu = True
    with run_cases_module._patience(launcher, large):
        assert launcher.emulator.seconds == []


def test_a_quick_case_runs_in_one_round_and_the_rounds_take_turns(fake_launcher):
    launcher = fake_launcher("float x", "float out", double)
    some = [replace(case_of(n, 2.0), quick=True) for n in range(1, 7)]
    assert run_cases(launcher, some).found is None
    assert launcher.emulator.modes[:6] == [1, 2, 0, 1, 2, 0]


def test_a_case_is_repeated_in_every_round(fake_launcher):
    def wrong_in_reverse(launcher, x, out, **arguments):
        out.copy_(2 * x + (launcher.emulator.mode == 1))

    launcher = fake_launcher("float x", "float out", wrong_in_reverse)
    failure = run_cases_module.find(launcher, case_of(5, 2.0), [])
    assert failure.round == ROUNDS[1] and failure.case.label == "n = 5"
    right = fake_launcher("float x", "float out", double)
    assert run_cases_module.find(right, case_of(5, 2.0), []) is None
    assert right.emulator.modes == [0, 1, 2]


def test_a_finding_is_its_sentence():
    found = run_cases_module.Finding("it is wrong")
    assert str(found) == "it is wrong" and found.fault is None
    assert Tried(3) == Tried(3, None, (), 0.0) and Tried(3).every(100) == 1


def test_a_race_that_only_some_numbers_show_is_found(fake_launcher, monkeypatch):
    race, traced = KernelFault("two threads write out[0]", kind=FaultKind.RACE), []

    def first_race(launcher, case, seconds):
        traced.append(case.label)
        return (race if float(case.inputs[0][0]) == 9 else None), True

    monkeypatch.setattr(races, "cooperates", lambda launcher: True)
    monkeypatch.setattr(races, "first_race", first_race)
    launcher = fake_launcher("float x", "float out", double)
    some = [replace(case_of(5, 2.0), label=label) for label in ("a", "b")]
    other = replace(
        some[0], inputs=(torch.full((5,), 9.0),), expected=(torch.full((5,), 18.0),)
    )
    cases = [case_of(3, 2.0), *some, replace(other, label="c"), replace(other, label="d")]
    assert run_cases(launcher, cases).found.case.label == "c"
    assert traced == ["a", "b", "c"]
    monkeypatch.setattr(run_cases_module, "MORE_TRACES_SECONDS", -1.0)
    assert run_cases(launcher, cases).found is None


def test_a_kernel_that_cannot_be_traced_may_have_a_race(fake_launcher, monkeypatch):
    monkeypatch.setattr(races, "cooperates", lambda launcher: True)
    monkeypatch.setattr(races, "first_race", lambda *arguments: (None, None))
    tried = run_cases(fake_launcher("float x", "float out", double), [case_of(5, 2.0)])
    assert tried.found is None
    assert tried.not_tried == ("races (its launches cannot be traced)",)


def test_a_race_is_found_in_a_kernel_whose_results_are_right(fake_launcher, monkeypatch):
    race = KernelFault("two threads write out[0]", kind=FaultKind.RACE)
    monkeypatch.setattr(races, "cooperates", lambda launcher: True)
    monkeypatch.setattr(races, "first_race", lambda *arguments: (race, True))
    launcher = fake_launcher("float x", "float out", double)
    tried = run_cases(launcher, [case_of(5, 2.0), case_of(6, 2.0)])
    assert tried.found.fault is FaultKind.RACE and tried.found.case.label == "n = 6"
    assert str(tried.found) == "two threads write out[0]. This is a race. [n = 6]"
    assert tried.found.round == ROUNDS[0] and tried.count == 2
    assert run_cases(launcher, [case_of(5001, 2.0)]).found is None  # nothing to trace
    launcher.on_gpu = True
    assert (
        run_cases_module._Series(launcher, iter([]), passed=[case_of(5, 2.0)])._race() is None
    )


@pytest.mark.parametrize("doubt", [2, 1, 0])
def test_a_tail_is_looked_for_in_further_cases(monkeypatch, doubt):
    failure = Failure(case_of(40, 2.0), ROUNDS[0], Diagnosis("it is wrong", doubt=doubt))
    further, asked = [case_of(n, 2.0) for n in (41, 42)], []

    def of_more_elements(launcher, found, cases):
        asked.append([case.label for case in cases])
        return found

    def explain(launcher, found, passed, called, following, tried):
        asked.append((called, [case.label for case in following]))
        return found

    monkeypatch.setattr(run_cases_module, "of_more_elements", of_more_elements)
    monkeypatch.setattr(run_cases_module, "explain", explain)
    monkeypatch.setattr(run_cases_module, "beside_another_stream", lambda *failed: None)
    assert run_cases_module._explained(None, failure, iter(further), []) is failure
    labels = ["n = 41", "n = 42"]
    assert asked == ([labels] if doubt else []) + [(doubt > 0, labels)]


def test_one_number_of_small_inputs_is_no_constant(fake_launcher):
    """Of larger numbers others come out, which tell more."""

    def reference(x):
        return (16 * x).round()

    def wrong(launcher, x, out, **arguments):
        out.copy_((x / 16).round())

    def case(label, x):
        exact = (reference(x.double()),)
        return Case(label, (x,), exact, dtypes=(torch.int32,), reference=reference)

    small = [case(f"n = {n}", torch.linspace(-3, 3, n)) for n in (1, 5, 40, 80)]
    launcher = fake_launcher("float x", "int out", wrong)
    large = case("large", torch.linspace(-90, 90, 300))
    assert "a constant" in str(run_cases(launcher, small).found)
    sentence = str(run_cases(launcher, [*small, large]).found)
    assert "1 / 256 times input 1 in its place" in sentence


def test_each_tensor_in_turn_starts_where_a_slice_may(fake_launcher):
    def looks_at_its_input_only(launcher, x, out, **arguments):
        if x.data_ptr() % 8 == 0 and out.data_ptr() % 8 and len(x) % 2 == 0:
            raise KernelFault("a misaligned write", kind=FaultKind.MISALIGNED)
        out.copy_(2 * x)

    launcher = fake_launcher("float x", "float out", looks_at_its_input_only)
    tried = run_cases(launcher, [case_of(n, 2.0) for n in (3, 6, 5, 1)])
    assert tried.found.fault is FaultKind.MISALIGNED and tried.count == 4
    assert tried.found.case.label == "n = 6, starting 0, 1 elements into a buffer"


@pytest.mark.parametrize("start", [2, 4])
@pytest.mark.parametrize("together", [False, True])
def test_slices_start_at_addresses_that_are_round_for_fewer_bytes(
    fake_launcher, start, together
):
    def takes_packs_of_eight(launcher, x, out, **arguments):
        least = 2 * start  # bytes: an address of so many is no round one for eight numbers
        at = [tensor.data_ptr() % (2 * least) for tensor in (x, out)]
        if len(x) % 8 == 0 and at == [least if together else 0, least]:
            raise KernelFault("a misaligned read", kind=FaultKind.MISALIGNED)
        out.copy_(2 * x)

    launcher = fake_launcher("half x", "half out", takes_packs_of_eight)
    some = [replace(case_of(n, 2.0), dtypes=(torch.float16,)) for n in (3, 16, 5)]
    some = [replace(x, inputs=tuple(y.half() for y in x.inputs)) for x in some]
    found = run_cases(launcher, some).found
    starts = f"{start}" if together else f"0, {start}"
    assert found.case.label == f"n = 16, starting {starts} elements into a buffer"


def test_what_a_single_number_is_made_of_is_shifted(fake_launcher):
    def takes_pairs(launcher, x, out, **arguments):
        if len(x) % 2 == 0 and x.data_ptr() % 16 == 8:
            raise KernelFault("a misaligned read", kind=FaultKind.MISALIGNED)
        out.copy_(x.sum().reshape(1))

    def case(n):
        x = torch.arange(float(n))
        return Case(f"n = {n}", (x,), (x.sum().reshape(1),), dtypes=(torch.float32,))

    launcher = fake_launcher("float x", "float out", takes_pairs)
    found = run_cases(launcher, [case(n) for n in (1, 3, 8)]).found
    assert found.case.label == "n = 8, starting 2, 0 elements into a buffer"


def test_lengths_that_are_multiples_of_a_wide_load_are_shifted_first():
    sizes = [1, 2, 12, 16, 40, 33]
    assert [_evenness(case_of(n, 2.0)) for n in sizes] == [1, 2, 4, 16, 8, 1]


@pytest.mark.parametrize("first", [True, False])
@pytest.mark.parametrize("sign", [0.0, -0.0])
def test_other_cases_tell_what_may_come_of_minus_zero(fake_launcher, first, sign):
    """Of one number that is -0.0 it is not known whether it goes through a limit."""

    def case(x, function):
        return Case(f"{len(x)}", (x,), (function(x.double()),), dtypes=(torch.float32,))

    def tried(function, kernel):
        zero, others = torch.tensor([-0.0]), torch.arange(-9.0, 9.0)
        cases = [case(x, function) for x in (zero, others)]
        launcher = fake_launcher("float x", "float out", kernel)
        return run_cases(launcher, cases if first else cases[::-1])

    def of_minus_zero(made, x):
        return torch.where((x == 0) & x.signbit(), sign, made)

    def limit(launcher, x, out, **arguments):
        out.copy_(of_minus_zero(x.clamp(min=0), x))

    def no_zero(launcher, x, out, **arguments):
        out.copy_(of_minus_zero(x, x))

    assert tried(torch.relu, limit).found is None
    assert (tried(lambda x: x, no_zero).found is None) is (math.copysign(1, sign) < 0)


def sums(count):
    """Return the case of a sum of so many numbers, none of which is 0."""
    x = 1 + torch.arange(float(count)) % 3
    return Case(f"n = {count}", (x,), (x.double().sum().reshape(1),), dtypes=(torch.float32,))


def test_a_sum_of_many_numbers_is_shown_where_that_of_one_is_0(fake_launcher):
    def second_half(launcher, x, out, **arguments):
        out.fill_(float(x[len(x) // 2 + len(x) % 2 :].sum()))

    launcher = fake_launcher("float x", "float out", second_half)
    found = run_cases(launcher, [sums(1), sums(3), sums(128)]).found
    assert found.case.label == "n = 128"


def test_a_result_that_no_rounding_makes_is_shown(fake_launcher):
    def too_much(launcher, x, out, **arguments):
        out.fill_(float(x.sum()) * (1 + 2.0**-9 if len(x) < 64 else 1.5))

    launcher = fake_launcher("float x", "float out", too_much)
    found = run_cases(launcher, [sums(3), sums(65), sums(128)]).found
    assert found.case.label == "n = 65" and "precision" not in found.diagnosis.sentence


def test_several_rows_are_shown_where_one_tells_nothing(fake_launcher):
    """That errors follow an input is said of three rows or more."""

    def activated(x, number):
        return x * torch.sigmoid(1.6 * x + number * x**3)

    def case(rows):
        draw = torch.Generator().manual_seed(rows)
        x, y = (torch.randn(rows, 64, generator=draw) for _ in range(2))
        right = activated(x.double(), 0.07) + y.double()
        return Case(f"{rows} rows", (x, y), (right,), dtypes=(torch.float32,))

    def another_number(launcher, x, y, out, **arguments):
        out.copy_(activated(x, 0.7) + y)

    launcher = fake_launcher("float x, float y", "float out", another_number)
    found = run_cases(launcher, [case(1), case(5), case(9)]).found
    assert found.case.label == "5 rows" and "follows input 1" in found.diagnosis.sentence
