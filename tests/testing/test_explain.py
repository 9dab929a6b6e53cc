"""Each experiment finds its own cause, and says nothing about any other."""

import math
from dataclasses import replace

import pytest
import torch

from helpers.emulator import FORWARD, REVERSE, LaunchSize, isolated
from helpers.errors import FaultKind, KernelFault
from helpers.run import jit
from helpers.testing import buffers, explain
from helpers.testing import experiment as experiments
from helpers.testing.cases import Case, Untried
from helpers.testing.experiment import Experiment
from helpers.testing.experiments import (
    explain_calls,
    explain_nans,
    explain_numbers,
    explain_races,
    explain_sides,
)
from helpers.testing.experiments.explain_calls import STAYS
from helpers.testing.mismatch import Diagnosis
from helpers.testing.patterns import wrong_places, wrong_rows
from helpers.testing.run_case import ROUNDS, Failure, Round, is_right, run_case
from tests.testing.conftest import FakeLauncher

VAGUE = Diagnosis("5 of 5 elements are wrong", specific=False)
SPECIFIC = Diagnosis("it is wrong")


def doubling(n=5, start=1.0, **changes):
    x = torch.arange(start, start + n)
    case = Case(f"n = {n}", (x,), (2 * x.double(),), dtypes=(torch.float32,))
    return replace(case, **changes)


def double(launcher, x, out, **arguments):
    out.copy_(2 * x)


def wrong(launcher, x, out, **arguments):
    out.copy_(2 * x - 100)


@pytest.fixture
def explained(fake_launcher):
    """Explain a failure of a function as a kernel."""

    def of(function, case=None, how=ROUNDS[0], passed=(), on_gpu=False, **more):
        launcher = fake_launcher("float x", "float out", function)
        more = {"diagnosis": SPECIFIC, "first": "out[0] is 1"} | more
        failure = Failure(case or doubling(), how, **more)
        with pytest.MonkeyPatch.context() as patch:
            if on_gpu:  # run as on the emulator, but let the experiments believe in a GPU
                patch.setattr(experiments, "is_right", is_right_on_cpu)
                launcher.on_gpu = True
            return explain.explain(launcher, failure, passed)

    return of


def is_right_on_cpu(launcher, case, how):
    launcher.on_gpu = False
    try:
        return is_right(launcher, case, how)
    finally:
        launcher.on_gpu = True


def test_what_no_experiment_mends_stays(explained):
    failure = explained(wrong)
    assert failure.diagnosis == SPECIFIC and failure.first == "out[0] is 1"
    assert str(failure) == "it is wrong [n = 5; first: out[0] is 1]"


def test_a_kernel_out_of_time_is_not_run_again(explained):
    calls = []
    failure = explained(lambda *tensors, **more: calls.append(1), fault=FaultKind.TIMEOUT)
    assert failure.diagnosis == SPECIFIC and not calls
    explained(lambda *tensors, **more: calls.append(1), fault=FaultKind.BARRIER)
    assert calls


# ---- the order of threads

RACE = (
    "right only while the threads run in order: two threads touch the same element, or one "
    "reads what another writes with no barrier between (a race) [n = 5]"
)


def races(launcher, x, out, **arguments):
    out.copy_(2 * x if launcher.emulator.mode == FORWARD else x)


def test_a_race(explained):
    assert str(explained(races, how=Round(schedule=REVERSE))) == RACE
    assert explained(wrong, how=Round(schedule=REVERSE)).diagnosis == SPECIFIC


def test_every_second_call_is_no_order_of_the_threads(explained):
    def every_second(launcher, x, out, **arguments):
        launcher.kept["calls"] = launcher.kept.get("calls", 0) + 1
        out.copy_(2 * x if launcher.kept["calls"] % 2 else x)

    told = explained(every_second, how=Round(schedule=REVERSE)).diagnosis.sentence
    assert told == f"right at the first call, wrong at a later one: {STAYS}"


@pytest.fixture
def traces(monkeypatch):
    """Let every kernel cooperate, and every trace find a race; returns the traced cases."""
    cases = []

    def first_race(launcher, case, seconds=None):
        assert seconds == (None if case.size < 5001 else 1.0)
        cases.append(case)
        return KernelFault("put __syncthreads() between them", kind=FaultKind.RACE), True

    monkeypatch.setattr(explain_races.races, "cooperates", lambda launcher: True)
    monkeypatch.setattr(explain_races.races, "first_race", first_race)
    return cases


def test_a_race_that_can_be_traced_names_its_barrier(explained, traces):
    def kernel(launcher, x, out):
        out.copy_(2 * x if launcher.emulator.mode == FORWARD else x)

    failure = explained(kernel, how=Round(schedule=REVERSE))
    assert str(failure) == (
        "right only while the threads run in order: put __syncthreads() between them. "
        "This is a race. [n = 5]"
    )
    assert [case.label for case in traces] == ["n = 5"]


def test_where_blocks_run_at_once_a_smaller_case_is_traced(explained, traces):
    """A lost update is wrong once and right later: no sign of what stays between calls."""
    small, large = doubling(), doubling(5001)
    failure = explained(wrong, large, passed=[small])
    assert failure.diagnosis.sentence.endswith("This is a race.")
    assert traces == [small]
    assert explained(wrong, large).diagnosis.sentence.endswith("This is a race.")
    assert traces == [small, large]  # nothing small has passed: for a second
    assert explained(wrong, small).diagnosis == SPECIFIC
    assert explained(wrong, large, passed=[small], on_gpu=True).diagnosis == SPECIFIC


def test_the_largest_small_case_is_traced(fake_launcher, traces):
    """In a small case some warps may have nothing to do."""
    launcher = fake_launcher("float x", "float out", wrong)
    failure = Failure(doubling(), ROUNDS[0], VAGUE)
    untried = [doubling(7), doubling(4000), doubling(6), doubling(5001), doubling(4500)]
    explain.explain(launcher, failure, [doubling(3)], following=iter(untried))
    assert [case.label for case in traces] == ["n = 4000"]


def test_where_the_largest_case_shows_no_race_the_failed_one_is_traced(
    fake_launcher, monkeypatch
):
    traced = []

    def first_race(launcher, case, seconds=None):
        traced.append(case.label)
        return None, True

    monkeypatch.setattr(explain_races.races, "cooperates", lambda launcher: True)
    monkeypatch.setattr(explain_races.races, "first_race", first_race)
    launcher = fake_launcher("float x", "float out", wrong)
    failure = Failure(doubling(), ROUNDS[0], VAGUE)
    assert explain.explain(launcher, failure, [doubling(30)]).diagnosis == VAGUE
    assert traced == ["n = 30", "n = 5"]


def test_a_vague_failure_is_traced_last(explained, traces):
    failure = explained(wrong, diagnosis=VAGUE)
    assert failure.diagnosis.sentence.endswith("This is a race.")
    assert explained(wrong, diagnosis=VAGUE, fault=FaultKind.TRAP).diagnosis == VAGUE


def test_rows_off_by_a_factor_are_traced(explained, traces):
    rows = Diagnosis("the rows add up to 2", rows=True)
    assert explained(wrong, diagnosis=rows).diagnosis.sentence.endswith("This is a race.")
    nearly = replace(rows, nearly=True)
    assert explained(wrong, diagnosis=nearly).diagnosis == nearly


def test_a_nan_without_a_race_is_made_on_the_way(explained, monkeypatch):
    told = Diagnosis("NaN came out", unordered=True)
    monkeypatch.setattr(experiments.Experiment, "traced", lambda self: None)
    sentence = explained(wrong, diagnosis=told).diagnosis.sentence
    assert sentence.startswith("NaN came out where none went in: is it made on the way")
    assert "race" not in sentence and "barrier" not in sentence


@pytest.mark.parametrize("shape", [(20,), (4, 5), (30, 2)])
def test_a_nan_where_one_number_is_chosen(explained, fake_launcher, monkeypatch, shape):
    """Nothing is computed of a maximum's numbers: what it starts with may be NaN."""
    told = Diagnosis("NaN came out", unordered=True)
    monkeypatch.setattr(experiments.Experiment, "traced", lambda self: None)

    def never(launcher, x, out, **arguments):
        out.copy_(out + torch.nan)

    x = torch.arange(float(math.prod(shape))).reshape(shape)
    for right, words in ((x.amax(-1), "does something start with NaN"), (x.sum(-1), "0 / 0")):
        case = Case("rows", (x,), (right.double().reshape(-1),), dtypes=(torch.float32,))
        assert words in explained(never, case, diagnosis=told).diagnosis.sentence


def test_a_nan_is_traced(explained, traces):
    told = Diagnosis("NaN came out of large numbers", made_nan=True)
    assert explained(wrong, diagnosis=told).diagnosis.sentence.endswith("This is a race.")
    large = doubling(start=100.0)  # as what nobody wrote may be NaN beside any numbers
    assert explained(wrong, case=large, diagnosis=told).diagnosis.sentence.endswith("a race.")


def transposed(rows, columns):
    x = torch.zeros(rows, columns)
    return Case(f"{rows} x {columns}", (x,), (x.T.double(),), dtypes=(torch.float32,))


def test_wrong_numbers_for_all_but_square_matrices(fake_launcher):
    def told(kernel, case=None):
        case = case or transposed(1, 4)
        failure = Failure(case, ROUNDS[0], VAGUE)
        launcher = fake_launcher("float x", "float out", kernel)
        return explain_sides.equal_sides(experiments.Experiment(launcher, failure, []))

    def square_only(launcher, x, out, **arguments):
        out.copy_(x.T if x.shape[0] == x.shape[1] else x.T + 1)

    def small_only(launcher, x, out, **arguments):
        out.copy_(x.T + (len(x) > 8))

    assert told(square_only).sentence.startswith(
        "right for matrices of equal sides (5 x 5), and"
    )
    assert told(square_only, transposed(4, 40)) and not told(square_only, transposed(4, 4))
    assert not told(square_only, transposed(4, 400))  # as many rows may be too many
    assert not told(small_only, transposed(9, 40))
    other = transposed(4, 6)
    other = replace(other, expected=(other.expected[0].T + 1,))  # no transpose: of no squares
    assert not told(square_only, other)


@pytest.mark.parametrize(
    ("sides", "following", "is_told"),
    [
        ((5, 8), [(3, 4), (33, 33)], True),
        ((5, 8), [(3, 4)], False),
        ((5, 8), [(32, 32), (1, 1)], False),  # may be right for another reason
        ((5, 8), [(7, 7)], False),  # wrong, too
        ((9, 9), [(33, 33)], False),
    ],
)
def test_what_is_right_for_square_matrices_only(fake_launcher, sides, following, is_told):
    def kernel(launcher, x, out, **arguments):
        if x.shape in ((7, 7), sides):
            raise KernelFault("read past", kind=FaultKind.OUT_OF_BOUNDS)
        out.copy_(x.T)

    words = "read from x[60], but x has 40 elements"
    for question in map(": {}".format, (buffers.INSIDE, buffers.BEFORE, buffers.FAR)):
        failure = Failure(
            transposed(*sides),
            ROUNDS[0],
            Diagnosis(words + question),
            FaultKind.OUT_OF_BOUNDS,
        )
        launcher = fake_launcher("float x", "float out", kernel)
        more = [transposed(*each) for each in following]
        asked = experiments.Experiment(launcher, failure, [transposed(1, 1)], following=more)
        told = explain_sides.square_only(asked)
        assert bool(told) is is_told
        like = transposed(sides[0] + 2, sides[1] + 2)  # as long, or as wide, and right
        assert explain_sides.square_only(replace(asked, passed=[like])) is None
        if told:
            assert told.sentence.startswith(
                f"{words}. With equal sides it is right (33 x 33): "
            )
        assert (
            explain_sides.square_only(replace(asked, failure=replace(failure, fault=None)))
            is None
        )


def test_the_threads_of_a_gpu_have_no_order(explained):
    how = Round(schedule=REVERSE)
    assert "race" not in str(explained(races, how=how, on_gpu=True))


# ---- the stream


def test_another_stream(explained, fake_launcher):
    """No experiment follows: what the emulator says of the stream is certain."""
    launcher = fake_launcher("float x", "float out", double)
    launcher.names_its_stream = False
    failure = run_case(launcher, doubling(), Round(stream=True))
    assert failure.settled
    assert str(explain.explain(launcher, failure, ())) == (
        "wrong only on another stream than the default one: pass `stream` to the launch [n = 5]"
    )
    assert explained(wrong, how=Round(stream=True)).diagnosis == SPECIFIC


def test_streams_without_an_event_between_them(fake_launcher):
    def early(launcher, x, out, **arguments):
        out.copy_(2 * x if launcher.emulator.as_asked else 3 * x)

    failed = experiment(fake_launcher, early)
    assert explain_calls.streams_beside(failed) is None
    failed.launcher.emulator.overtaking = "k on a does not wait for l on b"
    of_launcher = replace(failed.failure, fault=FaultKind.HOST)
    assert explain.beside_another_stream(failed.launcher, of_launcher) is None
    told = explain.beside_another_stream(failed.launcher, failed.failure)
    assert told.diagnosis == Diagnosis(
        "k on a does not wait for l on b: record an event behind the one (cudaEventRecord), "
        "and let the stream of the other wait for it (cudaStreamWaitEvent), or use one stream"
    )


def test_a_launch_on_the_default_stream_between_others(fake_launcher):
    def early(launcher, x, out, **arguments):
        before.append(len(launcher.streams))
        out.copy_(3 * x if before[-1] > before[-2] else 2 * x)

    before = [0]
    failed = experiment(fake_launcher, early)
    beside = replace(failed, failure=replace(failed.failure, round=Round(stream=True)))
    beside.launcher.emulator.overtaking = "k on a does not wait for l on b"
    beside.launcher.names_its_stream = True
    assert explain_calls.streams_beside(beside).sentence.startswith("k on a does not wait")
    always = experiment(fake_launcher, lambda launcher, x, out, **arguments: out.copy_(3 * x))
    always.launcher.emulator.overtaking = "k on a does not wait for l on b"
    assert explain_calls.streams_beside(always) is None


def test_on_a_gpu_the_default_stream_is_tried(fake_launcher, monkeypatch):
    asked, answers = [], {"right": True}

    def run(launcher, case, how):
        asked.append(how)
        return answers["right"]

    monkeypatch.setattr(experiments, "is_right", run)
    launcher = fake_launcher("float x", "float out")
    launcher.on_gpu = True
    failure = Failure(doubling(), Round(poison=1, stream=True), SPECIFIC)
    experiment = experiments.Experiment(launcher, failure, ())
    assert explain_calls.stream(experiment) == Diagnosis(
        "wrong only on another stream than the default one: pass `stream` to the launch"
    )
    assert asked == [Round(poison=1)]
    answers["right"] = False  # wrong there, too
    assert explain_calls.stream(experiment) is None and len(asked) == 2
    on_default = experiments.Experiment(launcher, replace(failure, round=ROUNDS[0]), ())
    launcher.on_gpu, answers["right"] = False, True
    assert explain_calls.stream(experiment) is None
    launcher.on_gpu = True
    assert explain_calls.stream(on_default) is None and len(asked) == 2


# ---- earlier calls

LATER = f"right at the first call, wrong at a later one: {STAYS} [n = 5]"
OTHER_INPUTS = f"right at the first call, wrong at a later one on other inputs: {STAYS} [n = 5]"


def first_call_only(launcher, x, out, **arguments):
    if not launcher.kept:
        out.copy_(2 * x)
    launcher.kept["done"] = True


def explained_after_a_call(fake_launcher, case, how, passed):
    launcher = fake_launcher("float x", "float out", first_call_only)
    run_case(launcher, doubling(), ROUNDS[0])
    failure = run_case(launcher, case, how)
    return str(explain.explain(launcher, failure, passed))


def test_something_stays_from_an_earlier_case_or_round(fake_launcher):
    assert explained_after_a_call(fake_launcher, doubling(), ROUNDS[0], [doubling()]) == LATER
    assert explained_after_a_call(fake_launcher, doubling(), ROUNDS[2], ()) == LATER
    assert explained_after_a_call(fake_launcher, doubling(), ROUNDS[1], ()) == LATER
    first = explained_after_a_call(fake_launcher, doubling(), ROUNDS[0], ())
    assert "first call" not in first  # nothing was called before, as far as is known


def test_a_first_call_is_asked_for_alone(fake_launcher, monkeypatch):
    def once(launcher, x, out, **arguments):
        out.copy_(2 * x if not launcher.kept.setdefault("calls", 0) else x)
        launcher.kept["calls"] += 1

    launcher = fake_launcher("float x", "float out", once)
    launcher.kept["calls"] = 1
    failure = Failure(doubling(), ROUNDS[1], VAGUE, first="out[0] is 1")
    told = explain.stays_from_earlier(launcher, failure, [])
    assert told.diagnosis.sentence.startswith("right at the first call") and not told.first
    for changes in ({"settled": True}, {"fault": FaultKind.TRAP}):
        assert explain.stays_from_earlier(launcher, replace(failure, **changes), []) is None
    always = fake_launcher("float x", "float out", wrong)
    assert explain.stays_from_earlier(always, failure, []) is None


def test_a_first_call_on_the_default_stream_tells_nothing_of_others(fake_launcher):
    launcher = fake_launcher("float x", "float out", lambda launcher, x, out: out.copy_(2 * x))
    experiment = Experiment(launcher, Failure(doubling(), Round(stream=True), VAGUE), (), True)
    assert explain_calls.earlier_calls(experiment) is None
    without = replace(experiment, failure=replace(experiment.failure, round=Round()))
    assert explain_calls.earlier_calls(without) is not None


def test_something_stays_from_the_call_before(fake_launcher):
    case = doubling(before=(torch.zeros(5),))
    launcher = fake_launcher("float x", "float out", first_call_only)
    failure = run_case(launcher, case, ROUNDS[0])
    assert str(explain.explain(launcher, failure, [doubling()])) == OTHER_INPUTS
    launcher = fake_launcher("float x", "float out", wrong)
    failure = run_case(launcher, case, ROUNDS[0])
    assert "call" not in str(explain.explain(launcher, failure, [doubling()]))


def test_on_a_gpu_no_library_is_loaded_anew(explained):
    def right_when_fresh(launcher, x, out, **arguments):
        out.copy_(x if launcher.on_gpu is None else -x)

    case = doubling(before=(torch.zeros(5),))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(experiments, "fresh", None)  # would raise
        assert explained(right_when_fresh, case, ROUNDS[2], [case], on_gpu=True)


def test_a_library_is_loaded_anew():
    launcher = next(iter(jit.load("v1_f32").launchers.values()))
    if launcher.on_gpu:
        pytest.skip("the emulator's libraries only")
    fresh = experiments.fresh(launcher)
    assert fresh.declaration is launcher.declaration and not fresh.on_gpu
    again = experiments.fresh(fresh)  # as after a launch that took too long
    assert len({x.library._handle for x in (launcher, fresh, again)}) == 3


# ---- zeros, block size, start


def test_an_output_that_had_to_be_zero(explained):
    def adds(launcher, x, out, **arguments):
        out += 2 * x

    assert str(explained(adds)) == (
        "right only where the output was zero before: does the kernel add to what it finds "
        "(+=, atomicAdd)? Then it must set it first [n = 5]"
    )


@pytest.mark.parametrize(("right", "said"), [(0.0, False), (3.0, True)])
def test_zeros_that_are_right_say_nothing_of_what_the_output_held(fake_launcher, right, said):
    """A kernel that writes nothing leaves the zeros that were there."""

    def adds(launcher, x, out, **arguments):
        out += x - x + right

    exact = torch.full((5,), right).double()
    some = experiment(fake_launcher, adds, doubling(expected=(exact,)))
    assert (explain_calls.zeroed_output(some) is not None) is said
    assert bool(some.launcher.calls) is said


def test_an_output_of_which_one_element_is_no_zero_may_have_held_something(fake_launcher):
    def adds(launcher, x, out, **arguments):
        out[0] += 4.0
        out[1:] = 0.0

    exact = torch.tensor([4.0, 0, 0, 0, 0]).double()
    told = explain_calls.zeroed_output(
        experiment(fake_launcher, adds, doubling(expected=(exact,)))
    )
    assert told.sentence.startswith("right only where the output was zero before")


@pytest.mark.parametrize(
    ("chosen", "found", "kept"),
    [(torch.minimum, "largest", "smaller"), (torch.maximum, "smallest", "larger")],
)
def test_the_smaller_of_what_was_there(fake_launcher, chosen, found, kept):
    """As atomicMin does where nobody sets the output first."""

    def kernel(launcher, x, out, **arguments):
        held = out.nan_to_num(0.0) if out.isnan().any() else out
        out.copy_(chosen(held, 2 * x - 6))

    exact = 2 * doubling().inputs[0].double() - 6
    told = explain_calls.outermost_output(
        experiment(fake_launcher, kernel, doubling(expected=(exact,)))
    )
    assert f"the output held the {found} number before" in told.sentence
    assert f"keep the {kept} one of what it finds" in told.sentence


def test_an_end_that_is_right_says_nothing_of_what_was_there(fake_launcher):
    end = float(torch.finfo(torch.float32).max)

    def keeps(launcher, x, out, **arguments):
        out[:4] = 2 * x[:4]

    exact = torch.tensor([2.0, 4, 6, 8, end]).double()
    some = experiment(fake_launcher, keeps, doubling(expected=(exact,)))
    assert explain_calls.outermost_output(some) is None


def fixed_block(launcher, x, out, block_size=256, **arguments):
    out.copy_(2 * x if block_size == 256 else x - 7)


def test_a_fixed_block_size(explained):
    case = doubling(arguments={"block_size": 32, "path": 1})
    failure = explained(fixed_block, case)
    assert str(failure) == (
        "right with the default block size, wrong with block_size = 32: is a number in the "
        "place of blockDim.x? (it is wrong) [n = 5]"
    )
    assert failure.diagnosis.specific
    assert not explained(fixed_block, case, diagnosis=VAGUE).diagnosis.specific
    assert explained(wrong, case).diagnosis == SPECIFIC
    assert explained(wrong, doubling(arguments={"path": 1})).diagnosis == SPECIFIC


@pytest.mark.parametrize("racy", [(1000,), (1000, 512), ()])
def test_threads_whose_odd_one_is_left_out(fake_launcher, monkeypatch, racy):
    def halved(launcher, x, out, block_size=96, **arguments):
        even = block_size & (block_size - 1) == 0
        out.copy_(2 * x if even or (not racy and block_size % 32 == 0) else x)

    def first_race(launcher, case, seconds=None):
        raced = case.arguments["block_size"] in racy
        return KernelFault("a race", kind=FaultKind.RACE) if raced else None, True

    monkeypatch.setattr(explain_races.races, "cooperates", lambda launcher: True)
    monkeypatch.setattr(explain_races.races, "first_race", first_race)
    case = doubling(arguments={"block_size": 1000})
    told = explain_calls.halved_threads(experiment(fake_launcher, halved, case))
    if racy != (1000,):
        assert told is None  # a race with powers of two, too, or a part of a warp
        return
    assert told.sentence.startswith(
        "right with the block sizes 512 and 1024, wrong with 1000, which is no power of two"
    )
    for size in (1, 2, 512):
        case = doubling(arguments={"block_size": size})
        assert explain_calls.halved_threads(experiment(fake_launcher, halved, case)) is None


def test_a_tree_that_takes_powers_of_two_only(explained):
    def tree(launcher, x, out, block_size=256, **arguments):
        out.copy_(x - 7 if block_size in wrong_sizes else 2 * x)

    case = doubling(arguments={"block_size": 96})
    wrong_sizes = (96, 192)
    assert explained(tree, case=case).diagnosis.sentence.startswith(
        "right with the block sizes 64 and 128, wrong with 96, which is no power of two: does"
    )
    wrong_sizes = (96, 128)
    told = explained(tree, case=case).diagnosis.sentence
    assert told.startswith("right with the default block size, wrong with block_size = 96: is")
    wrong_sizes = (100,)  # no whole warps
    told = explained(tree, case=doubling(arguments={"block_size": 100})).diagnosis.sentence
    assert told.startswith("right with the default block size, wrong with block_size = 100: is")


def test_the_default_block_size_keeps_the_other_arguments(explained):
    def needs_path(launcher, x, out, block_size=256, path=0):
        out.copy_(2 * x if (block_size, path) == (256, 1) else x - 7)

    case = doubling(arguments={"block_size": 32, "path": 1})
    assert "default block size" in str(explained(needs_path, case))


def test_a_start_that_must_be_round(explained):
    def aligned_only(launcher, x, out, **arguments):
        out.copy_(2 * x if out.data_ptr() % 16 == 0 else x - 7)

    failure = explained(aligned_only, doubling(n=4, offset=1))
    assert str(failure) == (
        "right only where the tensors start at a round address, and not in a slice: it is "
        "wrong [n = 4; first: out[0] is 1]"
    )
    assert explained(wrong, doubling(offset=1)).diagnosis == SPECIFIC


def test_what_is_wrong_at_a_round_address_too_needs_no_alignment(explained):
    """A tensor that ends at a page may start anywhere: that it is right there tells little."""

    def odd_only(launcher, x, out, **arguments):
        out.copy_(2 * x if out.data_ptr() % 16 else x - 7)

    case = doubling(n=5, offset=4)
    assert explained(odd_only, case).diagnosis == SPECIFIC


# ---- other numbers


def test_other_numbers_of_the_same_size(explained):
    passed = [doubling(3), doubling(start=7.0)]
    failure = explained(wrong, passed=passed, diagnosis=VAGUE)
    assert str(failure) == (
        "5 of 5 elements are wrong, though other numbers of the same size came out right [n = "
        "5; first: out[0] is 1]"
    )
    assert not failure.diagnosis.specific


@pytest.mark.parametrize(
    "changes",
    [
        {"passed": [doubling(3)]},
        {"passed": [doubling(start=7.0, arguments={"block_size": 64})]},
        {"passed": [doubling(start=7.0)], "diagnosis": SPECIFIC},
        {"passed": [doubling(start=7.0)], "how": ROUNDS[2]},
        {"passed": [doubling(inputs=())], "case": doubling(inputs=())},
    ],
)
def test_where_other_numbers_say_nothing(explained, changes):
    changes = {"diagnosis": VAGUE} | changes
    if changes.get("case"):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(experiments, "is_right", lambda launcher, case, how: False)
            failure = explained(wrong, **changes)
    else:
        failure = explained(wrong, **changes)
    assert failure.diagnosis == changes["diagnosis"]


# ---- a more specific failure


def test_other_sides_are_no_ordinary_numbers():
    """A square matrix that came out right says nothing of one that is not square."""

    def case_of(*shape):
        x = torch.zeros(shape)
        return Case("x", (x,), (x.double(),), dtypes=(x.dtype,))

    assert explain_numbers._is_ordinary(case_of(1000), case_of(40))
    assert not explain_numbers._is_ordinary(case_of(40), case_of(1000))
    assert explain_numbers._is_ordinary(case_of(8, 8), case_of(8, 8))
    assert not explain_numbers._is_ordinary(case_of(32, 32), case_of(8, 8))


# ---- experiment by experiment


def test_an_experiment_makes_no_diagnosis(fake_launcher, monkeypatch):
    """Whether a case goes right is asked often, and why it does not takes long to find out."""

    def never(mismatch):
        raise AssertionError

    monkeypatch.setattr("helpers.testing.run_case.diagnose", never)
    assert not experiment(fake_launcher, wrong).right(doubling())
    assert experiment(fake_launcher, double).right(doubling())


def experiment(fake_launcher, function=double, case=None, how=ROUNDS[0], **more):
    """Prepare the experiments on a failure of a function as a kernel."""
    launcher = fake_launcher("float x", "float out", function)
    failure = Failure(case or doubling(), how, SPECIFIC, **more)
    return experiments.Experiment(launcher, failure, [])


def test_the_experiments_in_their_order():
    table = [(one.__name__, keeps) for one, keeps in explain.EXPERIMENTS]
    assert table == [
        ("streams_beside", False),
        ("numbers_for_bits", True),
        ("index_in_a_float", True),
        ("count_of_16_bits", True),
        ("nothing_of_2_to_the_16", True),
        ("order_decides", True),
        ("lockstep", False),
        ("blocks_at_once", False),
        ("halved_threads", False),
        ("order_of_threads", False),
        ("stream", False),
        ("earlier_calls", False),
        ("other_inputs_before", False),
        ("repeated", False),
        ("halves_left", True),
        ("zeroed_output", False),
        ("outermost_output", False),
        ("fresh_memory", True),
        ("earlier_output", True),
        ("sum_starts_with_the_largest", True),
        ("another_block_size", True),
        ("another_size_by_name", True),
        ("equal_sides", True),
        ("race", False),
        ("second_round", True),
        ("square_only", False),
        ("nan_of_negative_rows", True),
        ("other_end_is_chosen", True),
        ("of_no_size", True),
        ("start_value", True),
        ("cut_to_an_integer", True),
        ("place_in_an_int", True),
        ("started_too_high", True),
        ("left_out_of_few", True),
        ("cut_arguments", True),
        ("wrapped_arguments", True),
        ("rounded_arguments", True),
        ("cut_inputs", True),
        ("squares_without_a_place", True),
        ("far_from_0", True),
        ("integers_far_from_0", True),
        ("digits_lost_far_from_0", True),
        ("differences_without_a_place", True),
        ("start_far_below", True),
        ("infinity_of_small_numbers", True),
        ("read_as_another_sign", True),
        ("right_of_small_numbers", True),
        ("searched_without_sign", True),
        ("added_too_late", True),
        ("flags_other_than_1", True),
        ("of_unequal_numbers", True),
        ("lost_beyond_16_bits", True),
        ("of_some_equal_numbers", True),
        ("place_of_an_equal_one", True),
        ("weighted_means", True),
        ("scaled_sums", True),
        ("compared_by_size", True),
        ("starts_with_a_number", True),
        ("other_inputs", True),
        ("long_rows_only", True),
        ("small_numbers", True),
        ("typed_step", False),
        ("nothing_launched", True),
        ("sum_of_no_launch", True),
        ("first_alone", True),
        ("another_size_of_blocks", False),
        ("same_for_each_block", True),
        ("too_few_threads_for_packs", False),
        ("default_block_size", False),
        ("capped_grid", False),
        ("too_few_threads", True),
        ("blocks_of_the_launch", True),
        ("aligned_start", True),
        ("read_beside", True),
        ("wrapped", True),
        ("of_groups", True),
        ("quotient_of_integers", True),
        ("started_with_zero", True),
        ("another_count", True),
        ("another_sum", True),
        ("amounts_of_sums", True),
        ("counted_often_in_a_mean", True),
        ("counted_often", True),
        ("variance_of_parts", True),
        ("always_too_large", True),
        ("so_many_times", True),
        ("changed", True),
        ("changed_by_another", True),
        ("exchanged", True),
        ("applied_before", True),
        ("reciprocal", True),
        ("some_values", True),
        ("off_by_one", True),
        ("no_effect", True),
        ("of_equal_numbers", True),
        ("of_no_overflow", True),
        ("lost", True),
        ("only_of_a_kind", True),
        ("other_numbers", True),
        ("one_number", True),
        ("wrong_in_long_rows", True),
    ]


def one_of(numbers, right, **more):
    """Return a case of one result of many numbers, of which nothing else is known."""
    x = torch.as_tensor(numbers).float()
    exact = (torch.tensor([float(right)]).double(),)
    return Case("many", (x,), exact, dtypes=(torch.float32,), **more)


def vague_of(fake_launcher, case, passed=(), kernel=lambda _, x, out: out.fill_(0)):
    launcher = fake_launcher("float x", "float out", kernel)
    return experiments.Experiment(launcher, Failure(case, ROUNDS[0], VAGUE), passed)


def test_one_result_of_many_numbers(fake_launcher):
    def told(case, kernel):
        launcher = fake_launcher("float x", "float out", lambda _, x, out: out.fill_(kernel(x)))
        some = experiments.Experiment(launcher, Failure(case, ROUNDS[0], VAGUE), ())
        return explain_numbers.one_number(some)

    tried = one_of(torch.arange(40) - 20, 7)
    words = "the result is wrong: is an element, or an input, left out"
    assert told(tried, lambda x: x[1:].sum()).sentence.startswith(words)
    words = "the result is wrong, though each element has an effect on it: is the formula"
    assert told(tried, lambda x: x.square().sum()).sentence.startswith(words)
    long = one_of(torch.arange(600) - 20, 7)  # in which not each one is asked for
    assert "is an element" in told(long, lambda x: x.square().sum()).sentence
    for other in (one_of([1.0, 2.0], 7), replace(tried, function=torch.sum)):
        assert told(other, lambda x: x.sum()) is None


def sums(*sizes):
    """Return cases of a sum of so many whole numbers, of which nothing else is known."""
    return [one_of(torch.arange(1, n + 1), n * (n + 1) / 2) for n in sizes]


def told_of_sums(fake_launcher, factor, cases=None, **more):
    """Say what is told of a sum that comes out `factor(x)` times too large."""

    def launch(launcher, x, out, **arguments):
        out.fill_(float(factor(x) * x.sum()))

    first, *following = cases or sums(40, 50, 60)
    launcher = fake_launcher("float x", "float out", launch)
    failure = Failure(first, ROUNDS[0], **({"diagnosis": VAGUE} | more))
    some = experiments.Experiment(launcher, failure, (), following=following)
    return explain_numbers.so_many_times(some)


@pytest.mark.parametrize(
    ("times", "is_told"),
    [(2, True), (8, True), (1024, True), (1025, False), (1, False), (2.5, False), (0, False)],
)
def test_a_number_that_is_always_so_many_times_the_right_one(fake_launcher, times, is_told):
    told = told_of_sums(fake_launcher, lambda x: times)
    words = (
        f"the result is always {times:,} times the right one: is it added more than once, as "
        "by each warp or thread in the place of one of a block?"
    )
    assert told == (Diagnosis(words) if is_told else None)


def test_a_number_that_is_not_always_so_many_times_the_right_one(fake_launcher):
    assert told_of_sums(fake_launcher, lambda x: 8 if len(x) < 60 else 4) is None
    right_once = told_of_sums(fake_launcher, lambda x: 1 if len(x) == 50 else 8)
    assert right_once is None
    for cases, is_told in (
        (sums(40), False),
        (sums(40, 50), False),
        (sums(40, 50, 50, 40), False),  # of two shapes
        (sums(40, 50, 50, 60), True),
        ([*sums(40, 50), one_of(torch.zeros(60), 0)], False),  # of 0 any number of times is 0
        ([*sums(40, 50), one_of(torch.ones(60), torch.inf)], False),
        ([*sums(40, 50), one_of(torch.zeros(60), 0), *sums(70)], True),
        ([*sums(40, 50), doubling(60), Untried("large", "it takes too long")], False),
        ([*sums(40, 50), *sums(9) * 97, *sums(60)], True),
        ([*sums(40, 50), *sums(50) * 99, *sums(60)], False),  # too far away
    ):
        assert bool(told_of_sums(fake_launcher, lambda x: 8, cases)) is is_told


def test_of_what_a_factor_is_not_asked(fake_launcher):
    def faulty(x):
        if len(x) == 60:
            raise KernelFault("a barrier", kind=FaultKind.BARRIER)
        return 8

    assert told_of_sums(fake_launcher, lambda x: 8)
    assert told_of_sums(fake_launcher, faulty) is None
    assert told_of_sums(fake_launcher, lambda x: 8, diagnosis=SPECIFIC) is None
    assert told_of_sums(fake_launcher, lambda x: 8, fault=FaultKind.BARRIER) is None
    known = [replace(case, function=torch.sum) for case in sums(40, 50, 60)]
    assert told_of_sums(fake_launcher, lambda x: 8, known) is None


def test_a_result_that_is_wrong_where_all_numbers_are_negative(fake_launcher):
    tried = one_of(-1 - torch.arange(40), 7)
    passed = [one_of(torch.arange(40) - 20, 7)]
    told = explain_numbers.other_numbers(vague_of(fake_launcher, tried, passed))
    assert told.sentence.startswith("wrong where all numbers are negative: does something")
    sizes = vague_of(fake_launcher, tried, passed, lambda _, x, out: out.copy_(x.abs().max()))
    told = explain_numbers.other_numbers(sizes)
    assert told.sentence.startswith("where all numbers are negative, the size of one comes out")
    for before in ([tried], [one_of([1.0, 2.0], 7)]):
        told = explain_numbers.other_numbers(vague_of(fake_launcher, tried, before))
        assert not (told and "negative" in told.sentence)
    # What is none of the numbers, as their variance, was not found among them.
    other = replace(tried, expected=(torch.tensor([133.25]).double(),))
    told = explain_numbers.other_numbers(vague_of(fake_launcher, other, passed))
    assert "negative" not in told.sentence


def test_a_count_starts_with_no_number(fake_launcher):
    """Where all flags are set, what is wrong with their count is no start of a maximum."""

    def flags(x):
        case = one_of(x, float((torch.tensor(x) != 0).sum()))
        inputs = tuple(x.to(torch.uint8) for x in case.inputs)
        return replace(case, inputs=inputs, dtypes=(torch.int64,))

    tried, passed = flags([255.0] * 40), [flags([0.0, 255.0] * 20)]
    told = explain_numbers.other_numbers(vague_of(fake_launcher, tried, passed))
    assert "starts" not in told.sentence and "start with" not in told.sentence


@pytest.mark.parametrize(
    ("top", "words"),
    [
        (lambda x: x.amax(dim=1, keepdim=True).clamp(min=0), "the row's maximum starts with 0"),
        (lambda x: x.abs().amax(dim=1, keepdim=True), "not its largest absolute value"),
        (lambda x: x.amax(dim=1, keepdim=True), None),
        (lambda x: 0, None),
    ],
)
def test_nan_of_rows_of_negative_numbers(explained, top, words):
    def softmax(launcher, x, out, **arguments):
        powers = torch.exp(x - top(x))
        out.copy_(powers / powers.sum(dim=1, keepdim=True))

    x = torch.linspace(-999, -990, 12).reshape(3, 4)
    case = Case("rows", (x,), (x.double().softmax(dim=1) + 1,), dtypes=(torch.float32,), ulp=9)
    told = explained(softmax, case).diagnosis.sentence
    assert words in told if words else told == SPECIFIC.sentence
    for other in (x.abs(), x[0]):  # positive numbers, and no rows
        case = Case("other", (other,), (other.double() + 1,), dtypes=(torch.float32,))
        assert "rows" not in explained(wrong, case).diagnosis.sentence


def test_zeros_where_all_numbers_are_negative(fake_launcher):
    tried = one_of([-1.0, -2.0], 1)
    zero = Diagnosis("element 0 is 0, and should not be: is it left out?", zeros=True)

    def told(passed, diagnosis=zero, case=tried):
        launcher = fake_launcher("float x", "float out", double)
        failure = Failure(case, ROUNDS[0], diagnosis)
        return explain_numbers.started_with_zero(
            experiments.Experiment(launcher, failure, passed)
        )

    mixed = one_of([1.0, -2.0], 0)
    assert told([mixed]).sentence.startswith("wrong where all numbers are negative: does some")
    assert told([]) is told([mixed, tried]) is told([mixed], replace(zero, zeros=False)) is None
    assert told([mixed], case=mixed) is None
    assert told([mixed], case=replace(tried, reference=torch.abs)) is None


def test_zeros_of_the_first_case_where_all_numbers_are_negative(fake_launcher):
    def largest(launcher, x, out, **arguments):
        out.copy_(x.max().clamp(min=0))

    launcher = fake_launcher("float x", "float out", largest)
    failure = Failure(one_of([-1.0, -2.0], -1), ROUNDS[0], Diagnosis("it is 0", zeros=True))

    def told(*following):
        some = experiments.Experiment(launcher, failure, [], following=following)
        return explain_numbers.started_with_zero(some)

    positive, other = one_of([1.0, 2.0], 2), one_of([-3.0, -4.0], -3)
    assert told(other, positive).sentence.startswith("wrong where all numbers are negative: ")
    assert told() is told(other) is told(one_of([1.0], 1)) is None
    assert told(one_of([0.0, -1.0], 0)) is None  # of which 0 is right, whatever it starts with
    assert told(positive, one_of([-3.0, -4.0], 0)) is None  # right of negative ones


def test_the_other_end_is_chosen_of_negative_ones(fake_launcher):
    def largest_by_bits(launcher, x, out, **arguments):
        out.copy_(x.min() if bool((x < 0).all()) else x.max())

    launcher = fake_launcher("float x", "float out", largest_by_bits)
    tried = one_of([-3.0, -1.0, -2.0], -1)
    mixed, other = one_of([1.0, -2.0, 3.0], 3), one_of([1.0, -2.0], 1)

    def told(passed, case=tried):
        failure = Failure(case, ROUNDS[0], VAGUE)
        return explain_numbers.other_end_is_chosen(
            experiments.Experiment(launcher, failure, passed)
        )

    assert told([mixed]).sentence.startswith("wrong only for numbers that are all negative: ")
    assert told([other]) is told([tried]) is told([mixed], mixed) is None
    assert told([mixed], one_of([-3.0, -1.0, -2.0], -6)) is None  # a sum


@pytest.mark.parametrize(("start", "is_told"), [(-math.inf, True), (-9.0, True), (0, False)])
def test_no_negative_one_wins_against_a_start(fake_launcher, start, is_told):
    def by_bits(launcher, x, out, **arguments):
        out.fill_(start if bool((x < 0).all()) else float(x.max()))

    launcher = fake_launcher("float x", "float out", by_bits)
    failure = Failure(one_of([-3.0, -1.0, -2.0], -1), ROUNDS[0], VAGUE)
    some = experiments.Experiment(launcher, failure, [one_of([1.0, -2.0, 3.0], 3)])
    told = explain_numbers.other_end_is_chosen(some)
    words = f"wrong only for numbers that are all negative: {start:g} comes out, with which"
    assert (told.sentence.startswith(words) if told else False) == is_told


@pytest.mark.parametrize("always", [None, 0])
def test_the_place_of_the_other_end_is_chosen_of_negative_ones(fake_launcher, always):
    """Of two numbers a place that is always 0 looks the same: a longer array tells."""

    def largest_by_bits(launcher, x, out, **arguments):
        place = x.argmin() if bool((x < 0).all()) else x.argmax()
        out.copy_(place if always is None else torch.tensor(always))

    def case(values):
        x = torch.as_tensor(values).float()
        return Case("places", (x,), (x.argmax().reshape(1),), dtypes=(torch.int64,))

    first, mixed, long = (
        case([-3.0, -1.0]),
        case([4.0, 1.0]),
        case(torch.arange(-60, -9).roll(7)),
    )
    launcher = fake_launcher("float x", "int64_t out", largest_by_bits)
    some = experiments.Experiment(
        launcher, Failure(first, ROUNDS[0], VAGUE), [], following=[mixed, long]
    )
    told = explain_numbers.other_end_is_chosen(some)
    assert (told is None) is (always == 0)
    if told:
        assert told.sentence.startswith("wrong only for numbers that are all negative: the one")


@pytest.mark.parametrize(
    ("blocks", "longest", "narrow"),
    [((1024, 0), 70_001, True), ((1024, 0), 65_536, False), ((1000, 0), 70_001, False)],
)
def test_blocks_that_meet_where_16_bits_end(blocks, longest, narrow):
    words = (
        "a.cu: thread 0 of block {} writes out[0] (line 8), thread 0 of block {} writes it "
        "(line 8), and nothing orders the two: is the index right, or should only one thread "
        "write there? This is a race."
    ).format(*blocks)
    case = Case("long", (torch.zeros(1, longest),), (torch.zeros(longest, 1),))
    told = explain_races._of_16_bits(case, Diagnosis(words)).sentence
    assert ("is a number of them held in 16 bits, too narrow for it?" in told) is narrow
    assert told.endswith("This is a race.") and (narrow or told == words)
    assert explain_races._of_16_bits(case, None) is None


@pytest.mark.parametrize("largest", [True, False])
@pytest.mark.parametrize("by_bits", [True, False])
def test_a_place_among_three_is_asked_among_more(fake_launcher, largest, by_bits):
    """One that stays 0, as of a search that starts with 0, may be that of the other end."""
    sign = 1 if largest else -1

    def launch(launcher, x, out, **arguments):
        of = sign * x
        out.copy_(of.argmin() if by_bits and bool((of < 0).all()) else of.clamp(min=0).argmax())

    def case(*values):
        x = sign * torch.tensor(values)
        return Case("places", (x,), ((sign * x).argmax().reshape(1),), dtypes=(torch.int64,))

    launcher = fake_launcher("float x", "int64_t out", launch)
    failure = Failure(case(-9.0, -5.0, -3.0), ROUNDS[0], VAGUE)
    some = experiments.Experiment(launcher, failure, [case(-1.0, 4.0, 2.0)])
    assert (explain_numbers.other_end_is_chosen(some) is not None) is by_bits


def test_one_row_of_one_number_is_asked_with_more(fake_launcher):
    """Where each thread takes two, the last of an odd number is left out."""

    def launch(launcher, x, out, **arguments):
        pairs = x.shape[1] // 2 * 2
        out.copy_(x[:, :pairs].amax(1) if pairs else torch.zeros(len(x)))

    x = torch.tensor([[841.0]])
    launcher = fake_launcher("float x", "float out", launch)
    case = Case("a row", (x,), (x[0].double(),), dtypes=(torch.float32,))
    failure = Failure(case, ROUNDS[0], Diagnosis("0 comes out", zeros=True))
    told = explain_numbers._of_a_longer_array(experiments.Experiment(launcher, failure, []))
    assert told.startswith("the last element of each row of x does not count")


DIVIDES = """\
#include <cuda_runtime.h>

__global__ void twice(const float* x, float* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n - 1) out[i] = 2.0f * x[i];
}

extern "C" void launch(const float* x,  // [n]
                       float* out,      // [n]
                       int n, int block_size = 256, cudaStream_t stream = 0) {
    int warps = block_size / 32;
    int blocks = (n + 31) / 32 / warps + 1;
    twice<<<blocks, block_size, 0, stream>>>(x, out, n);
}
"""


def test_a_launcher_that_divides_by_its_warps_keeps_its_verdict(tmp_path, monkeypatch):
    """An experiment may run it with fewer threads than a warp has."""
    file = tmp_path / "divides.cu"
    file.write_text(DIVIDES)
    launcher = jit.load(file).launch
    tried = []

    def with_few_threads(experiment):
        few = replace(experiment.case, arguments={"block_size": 5})
        tried.append(experiment.right(few))
        return Diagnosis("the tail is left out")

    monkeypatch.setattr(explain, "EXPERIMENTS", ((with_few_threads, True),))
    x = torch.arange(5.0)
    case = Case("n = 5", (x,), (2 * x.double(),), dtypes=(torch.float32,))
    failure = run_case(launcher, case, ROUNDS[0])

    def judged():
        return explain.explain(launcher, failure, []).diagnosis.sentence, tried

    assert isolated.run(judged, name="divides.cu") == ("the tail is left out", [False])


def test_numbers_that_wrap_start_with_nothing(fake_launcher):
    """Of one negative number 0 may come out for another reason than a start value."""
    x = torch.arange(-40.0, 50.0)
    mixed = Case("mixed", (x,), (x.double().clamp(-35, 35),), dtypes=(torch.int8,))

    def more(kernel):
        launcher = fake_launcher("float x", "int8_t out", kernel)
        return explain_numbers.more_than_a_start(launcher, [mixed], ROUNDS[0])

    assert more(lambda launcher, x, out: out.copy_(x))
    assert not more(lambda launcher, x, out: out.copy_(x.clamp(-35, 35).where(x > -20, x * 0)))


def test_the_other_end_of_each_row_is_chosen(fake_launcher):
    def largest_by_bits(launcher, x, out, **arguments):
        of_negative = (x < 0).all(dim=1)
        out.copy_(torch.where(of_negative, x.amin(dim=1), x.amax(dim=1)))

    launcher = fake_launcher("float x", "float out", largest_by_bits)

    def told(x, shift):
        cases = [
            Case("x", (y,), (y.double().amax(dim=1),), dtypes=(torch.float32,))
            for y in (x - shift, x)
        ]
        failure = Failure(cases[0], ROUNDS[0], VAGUE)
        return explain_numbers.other_end_is_chosen(
            experiments.Experiment(launcher, failure, cases[1:])
        )

    x = torch.arange(15.0).reshape(3, 5) - 7
    assert told(x, 10).sentence.startswith("wrong only for numbers that are all negative: ")
    assert told(x, 0) is None
    assert told(x[:, :1], 10) is None  # both ends are one number


def test_the_result_of_an_earlier_call(fake_launcher):
    def late(launcher, x, out, **arguments):
        out.copy_(launcher.kept.get("result", torch.zeros(len(x))))
        launcher.kept["result"] = 2 * x

    told = explain_calls.repeated(experiment(fake_launcher, late))
    assert told.sentence.startswith("wrong at first, right when the same call is repeated: the")
    assert told.sentence.endswith(f"whose result it reads, or {STAYS}")
    nothing = experiment(fake_launcher, late)
    nothing = replace(nothing, failure=replace(nothing.failure, untouched=True))
    assert explain_calls.repeated(nothing).sentence.startswith(
        "nothing was written at first, and the"
    )
    assert STAYS in explain_calls.repeated(nothing).sentence
    assert explain_calls.repeated(experiment(fake_launcher, wrong)) is None
    assert (
        explain_calls.repeated(experiment(fake_launcher, late, fault=FaultKind.BARRIER)) is None
    )
    no_inputs = doubling(inputs=())
    assert explain_calls.repeated(experiment(fake_launcher, double, no_inputs)) is None
    on_gpu = experiment(fake_launcher, late)
    on_gpu.launcher.on_gpu = True
    assert explain_calls.repeated(on_gpu) is None


@pytest.fixture
def lockstep(monkeypatch, fake_launcher):
    """Prepare the experiment with a kernel of this text, right or not in lockstep."""

    def of(text, in_step=double, fresh=wrong, **more):
        some = experiment(fake_launcher, wrong, **more)
        other = fake_launcher("float x", "float out", in_step)
        monkeypatch.setattr(explain_races.reachable, "code", lambda launcher: text)
        monkeypatch.setattr(explain_races, "in_lockstep", lambda launcher: other)
        monkeypatch.setattr(
            experiments, "fresh", lambda launcher: fake_launcher("float x", "float out", fresh)
        )
        return explain_races.lockstep(some), other

    return of


IN_STEP = "__shared__ volatile float s[32];"


@pytest.mark.parametrize(
    ("text", "relies"),
    [
        (IN_STEP, True),
        ("volatile __shared__ float s[64];", True),
        ("__shared__ float s[64];\nif (t < 32) s[t] += s[t + 32];", True),
        ("__shared__ float s[64];\nif (t <= 31) s[t] += s[t + 32];", True),
        ("__shared__ float s[64];\nif (t < warpSize) s[t] += s[t + 32];", True),
        ("__shared__ float s[64];\nif (t < 320) s[t] += s[t + 32];", False),
        ("__shared__ float s[64];\ns[t] = x[t];", False),
        ("volatile float s[64];", False),
    ],
)
def test_which_kernels_may_rely_on_lanes_in_step(lockstep, text, relies):
    told, other = lockstep(text)
    assert bool(told) == relies
    assert other.emulator.seconds == ([5.0] if relies else [])
    if relies:
        assert told.sentence.startswith("right only while the 32 threads of a warp run in step")


def test_what_runs_in_step_is_no_race_if_it_is_wrong_or_fresh_libraries_are_right(lockstep):
    assert lockstep(IN_STEP, in_step=wrong)[0] is None
    assert lockstep(IN_STEP, fresh=double)[0] is None
    told, other = lockstep(IN_STEP, fault=FaultKind.OUT_OF_BOUNDS)
    assert told is None and not other.calls


@pytest.mark.parametrize(
    ("written", "n", "said"),
    [
        (512, 1000, True),
        (512, 768, False),
        (512, 769, True),
        (500, 1000, False),
        (0, 1000, False),
    ],
)
def test_a_grid_that_is_capped(fake_launcher, written, n, said):
    def capped(launcher, x, out, **arguments):
        double(launcher, x, out)
        if "block_size" in arguments:
            out[written:] = 7.0

    case = doubling(n, arguments={"block_size": 256})
    some = experiment(fake_launcher, capped, case)
    was = Diagnosis("the last are never written", written=written)
    some = replace(some, failure=replace(some.failure, diagnosis=was))
    told = explain_calls.default_block_size(some).sentence
    words = (
        "nothing is written from index 512 on, where the grid's 2 blocks of 256 threads end: "
        "is the number of blocks capped? Then each thread must go on in a grid-stride loop"
    )
    assert (told == words) == said
    few = explain_calls._few_bits(1 << 16)
    assert few.startswith(
        "is a block's number held in 16 bits"
    ) and not explain_calls._few_bits(2)
    assert said or told.startswith("right with the default block size, wrong with block_size")


def test_a_loop_over_a_grid_that_is_capped_goes_on_too_far(fake_launcher, monkeypatch):
    def typed(launcher, x, out, **arguments):
        double(launcher, x, out)
        if "block_size" in arguments:
            out[512:] = 7.0

    some = experiment(fake_launcher, typed, doubling(1000, arguments={"block_size": 256}))
    was = Diagnosis("the last are never written", written=512)
    some = replace(some, failure=replace(some.failure, diagnosis=was))
    step = "int step = gridDim.x * 512;"
    for code in (step, f"{step} if (i < n) y[i] += x[i];", "sum += x[i]; s[gridDim.x] = 0;"):
        monkeypatch.setattr(explain_calls.reachable, "code", lambda launcher, c=code: c)
        assert "is the number of blocks capped?" in (
            explain_calls.default_block_size(some).sentence
        )
    code = f"{step} for (int i = 0; i < n; i += step) y[i] = x[i];"
    monkeypatch.setattr(explain_calls.reachable, "code", lambda launcher: code)
    assert explain_calls.default_block_size(some).sentence == (
        "nothing is written from index 512 on, where the grid's 2 blocks of 256 threads end: "
        "does the loop of a thread go on by the threads of the grid, gridDim.x * blockDim.x, "
        "or by more, as where a number is in the place of blockDim.x?"
    )


def test_no_number_in_the_place_of_a_block_size_leads_below_0(fake_launcher):
    def wrong(launcher, x, out, **arguments):
        double(launcher, x, out)
        if "block_size" in arguments:
            out.fill_(7.0)

    some = experiment(fake_launcher, wrong, doubling(1000, arguments={"block_size": 256}))
    for index, tells in (("4,096", True), ("-4,096", False)):
        read = Diagnosis(f"read from x[{index}], but x has 1,000 elements")
        fault = replace(some.failure, diagnosis=read, fault=FaultKind.OUT_OF_BOUNDS)
        told = explain_calls.default_block_size(replace(some, failure=fault))
        assert bool(told) is tells


@pytest.mark.parametrize(
    ("others", "is_capped"),
    [
        ([], True),
        ([512], True),  # two blocks of the default size
        ([513], False),
        ([1000], False),
        ([1 << 17], False),
        ([(1 << 17) + 1], True),  # too large to be tried
        ([700, 1000], False),
    ],
)
@pytest.mark.parametrize("tried", [True, False])
def test_a_constant_in_the_place_of_the_block_size_is_no_capped_grid(
    fake_launcher, others, is_capped, tried
):
    def fixed(launcher, x, out, **arguments):
        double(launcher, x, out)
        if arguments.get("block_size", 256) != 256 or len(x) == 700:
            out[256:] = 7.0

    case = doubling(1000, arguments={"block_size": 128})
    was = Diagnosis("the last are never written", written=256)
    some = experiment(fake_launcher, fixed, case)
    some = replace(some, failure=replace(some.failure, diagnosis=was))
    cases = [doubling(n) for n in others]
    some = replace(some, passed=cases) if tried else replace(some, following=cases)
    told = explain_calls.default_block_size(some).sentence
    assert ("where the grid's 2 blocks of 128 threads end" in told) is is_capped
    constant = (
        "right with the default block size, wrong with block_size = 128: is a number in the "
        "place of blockDim.x? (the last are never written)"
    )
    assert (told == constant) is not is_capped


def test_a_number_in_the_place_of_the_block_size_of_a_case_with_one_block(fake_launcher):
    """Blocks begin 256 elements apart, and have 32 threads; of few elements that is one."""

    def fixed(launcher, x, out, block_size=256, **arguments):
        written = torch.arange(len(x)) % 256 < block_size
        out.copy_(torch.where(written, 2 * x, out))

    launcher = fake_launcher("float x", "float out", fixed)
    failure = run_case(launcher, doubling(255, arguments={"block_size": 32}), ROUNDS[0])
    assert failure.diagnosis.written == 32
    for larger, said in ((1024, True), (512, False), (1 << 18, False)):
        some = experiments.Experiment(launcher, failure, (), following=[doubling(larger)])
        told = explain_calls.default_block_size(some).sentence
        words = "with block_size = 32: 224 of every 256 elements were never written. Is a "
        assert (words in told) is said


def test_a_thread_has_several_elements_and_too_few_blocks_go_on(fake_launcher):
    """Blocks have four elements a thread, and begin as if it were one: of one block all is."""

    def overlapping(launcher, x, out, block_size=256, **arguments):
        blocks = -(-len(x) // (4 * block_size))
        written = torch.arange(len(x)) < (blocks + 3) * block_size
        out.copy_(torch.where(written, 2 * x, out))

    launcher = fake_launcher("float x", "float out", overlapping)
    failure = run_case(launcher, doubling(383, arguments={"block_size": 64}), ROUNDS[0])
    assert failure.diagnosis.written == 320
    following = [*map(doubling, (384, 385, 400, 500, 511, 1000)), doubling(2000)]
    for cases, words in (
        (following, "from index 320 on, and with 256 threads a block from 1,280 on (n = 2000"),
        (following[:-1], "is a number in the place of blockDim.x?"),
    ):
        some = experiments.Experiment(launcher, failure, (), following=cases)
        assert words in explain_calls.default_block_size(some).sentence


@pytest.mark.parametrize(("larger", "said"), [(1000, True), (2000, False)])
def test_one_block_of_the_default_is_no_block_size_that_is_right(fake_launcher, larger, said):
    """Blocks have four elements a thread, and what the second one begins with is wrong."""

    def wrong_in_the_second(launcher, x, out, block_size=256, **arguments):
        double(launcher, x, out)
        out[4 * block_size : 4 * block_size + 9] = 7.0

    launcher = fake_launcher("float x", "float out", wrong_in_the_second)
    failure = run_case(launcher, doubling(383, arguments={"block_size": 64}), ROUNDS[0])
    some = experiments.Experiment(launcher, failure, (), following=[doubling(larger)])
    told = explain_calls.default_block_size(some)
    assert (told is not None and "in the place of blockDim.x?" in told.sentence) is said


def test_only_right_cases_of_the_default_block_size_tell_how_many_blocks_it_takes(
    fake_launcher,
):
    def wrong_of_many(launcher, x, out, **arguments):
        double(launcher, x, out)
        if len(x) > 1000:
            out[512:] = 7.0

    some = experiment(fake_launcher, wrong_of_many)
    of_its_own = doubling(900, arguments={"block_size": 256})
    untried = Untried("large", "it takes too long")
    for cases, more in (
        ([doubling(2000)], False),
        ([of_its_own], False),
        ([untried, doubling(900)], True),
        ([*[doubling(3)] * 100, doubling(900)], False),
    ):
        asked = replace(some, following=cases)
        assert explain_calls._runs_more_blocks(asked, 2) is more
    launcher = fake_launcher("float x", "float out", double, scalars="")
    asked = replace(some, launcher=launcher, following=[doubling(900)])
    assert not explain_calls._runs_more_blocks(asked, 2)  # it has no block size


def test_only_a_grid_of_threads_has_an_order(fake_launcher):
    empty = doubling(0)
    assert explain_races.order_of_threads(experiment(fake_launcher, double, empty)) is None
    asked = experiment(fake_launcher, double, how=Round(schedule=REVERSE))
    asked.launcher.on_gpu = True
    assert explain_races.order_of_threads(asked) is None and not asked.launcher.calls


def test_an_ordinary_case_has_the_sides_of_every_matrix():
    matrix, vector = torch.ones(8, 8), torch.ones(64)
    exact = (torch.ones(64).double(),)
    case = Case("", (matrix, vector), exact)
    assert explain_numbers._is_ordinary(Case("", (matrix, vector), exact), case)
    assert not explain_numbers._is_ordinary(Case("", (vector, vector), exact), case)
    flat = Case("", (vector,), exact)
    assert explain_numbers._is_ordinary(Case("", (torch.ones(70),), (torch.ones(70),)), flat)
    assert not explain_numbers._is_ordinary(
        Case("", (torch.ones(63),), (torch.ones(63),)), flat
    )
    of_32 = Case("", (torch.ones(32),), (torch.ones(32),))
    assert not explain_numbers._is_ordinary(of_32, of_32)
    other_arguments = replace(flat, arguments={"path": 1})
    assert not explain_numbers._is_ordinary(other_arguments, flat)


def test_a_large_case_with_a_fault_is_not_traced(fake_launcher, monkeypatch):
    large = doubling(5001)
    for more, on_gpu in (({"fault": FaultKind.BARRIER}, False), ({}, True)):
        some = experiment(fake_launcher, case=large, **more)
        some.launcher.on_gpu = on_gpu
        monkeypatch.setattr(explain_races.races, "first_race", None)  # would fail
        monkeypatch.setattr(explain_races.races, "cooperates", lambda launcher: True)
        assert explain_races.blocks_at_once(some) is None


# ---- what is asked where many elements make one


@pytest.mark.parametrize(
    ("diagnosis", "of_one", "of_products", "expected"),
    [
        (VAGUE, "a reduction", "a product", "a reduction"),
        (VAGUE, None, "a product", "a product"),
        (VAGUE, None, None, None),
        (SPECIFIC, "a reduction", "a product", "a reduction"),
        (SPECIFIC, None, "a product", None),
    ],
)
def test_products_are_asked_for_where_nothing_else_is_known(
    fake_launcher, monkeypatch, diagnosis, of_one, of_products, expected
):
    monkeypatch.setattr(explain_numbers.reduction, "diagnose", lambda launcher, case: of_one)
    monkeypatch.setattr(explain_numbers.products, "diagnose", lambda *given: of_products)
    failure = Failure(doubling(), ROUNDS[0], diagnosis)
    launcher = fake_launcher("float x", "float out")
    told = explain_numbers.other_inputs(experiments.Experiment(launcher, failure, ()))
    assert told == (Diagnosis(expected) if expected else None)
    # that just the tail is wrong was said of one number that is made of many: of_one knows
    tail = replace(diagnosis, tail=True)
    for function, vague in ((torch.sum, True), (None, False)):
        case = replace(doubling(), function=function)
        some = replace(failure, diagnosis=tail, case=case)
        told = explain_numbers.other_inputs(experiments.Experiment(launcher, some, ()))
        of_it = Diagnosis("the result is wrong", specific=False) if vague else None
        assert told == (Diagnosis(expected) if expected else of_it)
    other = replace(failure, case=replace(doubling(), function=torch.sum))
    told = explain_numbers.other_inputs(experiments.Experiment(launcher, other, ()))
    assert told == (Diagnosis(expected) if expected else None)
    faulty = replace(failure, fault=FaultKind.BARRIER)
    assert explain_numbers.other_inputs(experiments.Experiment(launcher, faulty, ())) is None


def test_elements_that_a_maximum_leaves_out_though_it_is_nearly_right(fake_launcher):
    def told(function, case):
        launcher = fake_launcher("float x", "float out", function)
        failure = Failure(case, ROUNDS[0], replace(SPECIFIC, nearly=True))
        told = explain_numbers.other_inputs(experiments.Experiment(launcher, failure, ()))
        return told and told.sentence

    def largest(launcher, x, out, **arguments):
        out[0] = x[1::2].max()

    def total(launcher, x, out, **arguments):
        out[0] = x[1::2].sum()

    x = -torch.arange(1.0, 101.0)
    assert "32 of 61 tried elements of x have no effect" in told(largest, one_of(x, -1))
    assert told(lambda launcher, x, out: out.copy_(x.max() - 0.01), one_of(x, -1)) is None
    assert told(total, one_of(x, -5050)) is None  # beside a large sum some may have none


def test_what_is_wrong_by_its_place_may_be_counted_twice_or_for_another(fake_launcher):
    x, gain = torch.arange(1.0, 141).reshape(2, 70), torch.linspace(1, 3, 70)

    def told(function, right, **more):
        launcher = fake_launcher("float x, float gain", "float out", function)
        case = Case("a case", (x, gain), (right.double(),), dtypes=(torch.float32,))
        failure = Failure(case, ROUNDS[0], replace(SPECIFIC, **more))
        told = explain_numbers.other_inputs(experiments.Experiment(launcher, failure, ()))
        return told and told.sentence

    def at_the_thread(launcher, x, gain, out, **arguments):
        out.copy_(x * gain[torch.arange(70) % 32])

    def twice(launcher, x, gain, out, **arguments):
        out.copy_(x @ gain + x[:, 60:] @ gain[60:])

    assert "gain[0] is counted for another column" in told(at_the_thread, x * gain, ends=True)
    assert told(at_the_thread, x * gain) is None
    product = (x.double() * gain.double()).sum(1)
    assert "x count more than once, the first, x[60], twice" in told(twice, product, ends=True)
    assert told(twice, product) is None


def test_the_last_elements_of_a_sum_may_not_be_all_that_it_lacks(fake_launcher):
    """Of two elements the second is the last one, and that of another thread."""

    def every_second(launcher, x, out, **arguments):
        out[0] = x[::2].sum()

    def told(function, case, **more):
        launcher = fake_launcher("float x", "float out", function)
        failure = Failure(case, ROUNDS[0], replace(SPECIFIC, **more))
        told = explain_numbers.other_inputs(experiments.Experiment(launcher, failure, ()))
        return told and told.sentence

    case = one_of([3.0, 5.0], 8)
    assert "no effect on the result, the first is x[1]" in told(every_second, case, tail=True)
    assert told(every_second, case) is None
    whole = replace(case, inputs=(torch.tensor([3, 5]),))
    assert told(every_second, whole, tail=True) is None

    def all_but_one(launcher, x, out, **arguments):
        out[0] = x[:-1].sum()

    words = "it is off by just the last element: is the tail left out?"
    assert told(all_but_one, case, tail=True) == words


def test_the_lockstep_library_is_built_once_for_each_text(fake_launcher, monkeypatch, tmp_path):
    built = []

    def build(path, library, headers):
        built.append((path, headers))
        library.write_text(path.read_text())

    monkeypatch.setattr(explain_races, "precompiled_headers", lambda: "headers")
    monkeypatch.setattr(explain_races.emulator.lockstep, "build", build)
    monkeypatch.setattr(explain_races.emulator, "load", lambda library: [library.read_text()])
    monkeypatch.setattr(explain_races, "Launcher", lambda *given, on_gpu: (*given, on_gpu))
    launcher = fake_launcher("float x", "float out")
    launcher.path = tmp_path / "k.cu"
    launcher.path.write_text("one")
    first, again = (explain_races.in_lockstep(launcher) for _ in range(2))
    assert first == (launcher.declaration, ["one"], False) and first[1] is again[1]
    launcher.path.write_text("two")
    assert explain_races.in_lockstep(launcher)[1] == ["two"]
    assert built == [(launcher.path, "headers")] * 2


def test_a_call_that_is_right_once_after_another_size_has_no_order(fake_launcher):
    def once_a_size(launcher, x, out, **arguments):
        if launcher.kept.get("last") != len(x):
            out.copy_(2 * x)
        launcher.kept["last"] = len(x)

    launcher = fake_launcher("float x", "float out", once_a_size)
    for n in (5, 5, 6):
        failure = run_case(launcher, doubling(5), ROUNDS[1])
        run_case(launcher, doubling(n), ROUNDS[0])
    told = explain.explain(launcher, failure, [], called=True)
    assert told.diagnosis.sentence.startswith("right at the first call, wrong at a later one")


def test_small_numbers_make_no_infinity():
    assert explain_races._is_small(torch.tensor([40.0, -40.0]))
    assert not explain_races._is_small(torch.tensor([41.0]))
    assert not explain_races._is_small(torch.tensor([float("nan")]))
    assert not explain_races._is_small(torch.tensor([11.0]).half())
    assert not explain_races._is_small(torch.zeros(1001))


@pytest.mark.parametrize("whole", [True, False])
def test_a_sum_of_powers_that_is_held_in_an_integer(fake_launcher, whole):
    def launch(launcher, x, out, **arguments):
        powers = (x - x.amax(dim=1, keepdim=True)).exp()
        of_whole = powers.trunc().sum(dim=1, keepdim=True)
        out.copy_(powers / of_whole if whole else powers)

    x = torch.randn(3, 9, generator=torch.Generator().manual_seed(1))
    right = x.double().softmax(dim=1)
    case = Case("a case", (x,), (right,), dtypes=(torch.float32,), ulp=16)
    launcher = fake_launcher("float x", "float out", launch)
    failure = run_case(launcher, case, ROUNDS[0])
    told = str(explain.explain(launcher, failure, []))
    assert ("held in an integer" in told) is whole
    assert ("which nothing divides by their sum" in told) is not whole


# ---- cases that are looked at again


def test_cases_are_remembered_for_the_next_experiment():
    made = []

    def cases():
        for k in range(4):
            made.append(k)
            yield k

    known = experiments.Remembered(cases())
    assert made == []
    first = iter(known)
    assert [next(first), next(first)] == [0, 1] and made == [0, 1]
    other = iter(known)
    assert next(other) == 0 and made == [0, 1]  # nothing is made again
    assert list(known) == [0, 1, 2, 3] and made == [0, 1, 2, 3]
    assert list(first) == [2, 3] and list(other) == [1, 2, 3]
    assert list(known) == [0, 1, 2, 3] and made == [0, 1, 2, 3]
    assert list(experiments.Remembered([])) == []


def test_each_experiment_sees_all_cases_that_follow(fake_launcher, monkeypatch):
    seen = []

    def look(experiment):
        seen.append([case.label for case in experiment.following])

    monkeypatch.setattr(explain, "EXPERIMENTS", ((look, False), (look, False)))
    launcher = fake_launcher("float x", "float out", wrong)
    failure = Failure(doubling(), ROUNDS[0], VAGUE)
    explain.explain(launcher, failure, [], following=iter([doubling(7), doubling(9)]))
    assert seen == [["n = 7", "n = 9"]] * 2


def test_another_case_tells_where_zeros_are_right_whatever_is_added(fake_launcher):
    """NaN plus a sum stays NaN, as if nothing were written; and 0 is right where 0 was."""

    def adds(launcher, x, out, **arguments):
        out += 2 * x

    first = doubling(1, inputs=(torch.zeros(1),), expected=(torch.zeros(1).double(),))
    some = experiment(fake_launcher, adds, first)
    some = replace(some, failure=replace(some.failure, untouched=True), following=[doubling(7)])
    told = explain_calls.zeroed_output(some).sentence
    assert told.startswith("right only where the output was zero before: does the kernel add")
    assert explain_calls.zeroed_output(replace(some, following=[])) is None
    touched = replace(some, failure=replace(some.failure, untouched=False))
    assert explain_calls.zeroed_output(touched) is None


# ---- elements that are not written, ends at a power of two, numbers of one sign


def test_zeros_that_are_not_written_are_told_from_sums(fake_launcher):
    def keeps(launcher, x, out, **arguments):
        out[x > 2] = 2 * x[x > 2]

    right = torch.tensor([0, 0, 6.0, 8, 10]).double()
    some = experiment(fake_launcher, keeps, doubling(expected=(right,)))
    assert explain_calls.zeroed_output(some).sentence == (
        "2 of 5 elements were never written, and keep what the output held: all of them "
        "should be 0. Store that, too"
    )
    right = torch.tensor([0, 0, 0, 8, 0, 0, 0.0]).double()

    def ends_early(launcher, x, out, **arguments):
        out[:5] = right[:5]

    some = experiment(fake_launcher, ends_early, doubling(expected=(right,)))
    assert explain_calls.zeroed_output(some) is None


def capped(blocks):
    def kernel(launcher, x, out, block_size=256, **arguments):
        end = blocks(block_size) * block_size
        out[:end] = 2 * x[:end]

    return kernel


@pytest.mark.parametrize(("blocks", "said"), [(lambda size: 128, True), (None, False)])
def test_a_grid_that_ends_at_a_power_of_two(fake_launcher, blocks, said):
    """A cap of blocks moves with their size; an index of 15 bits does not."""
    kernel = capped(blocks or (lambda size: (1 << 15) // size))
    launcher = fake_launcher("float x", "float out", kernel)
    failure = run_case(launcher, doubling(70_000), ROUNDS[0])
    assert failure.diagnosis.written == 1 << 15
    told = explain_calls.capped_grid(experiments.Experiment(launcher, failure, ()))
    assert bool(told) is said
    if said:
        assert told.sentence.startswith(
            "nothing is written from index 32,768 on, where the grid's 128 blocks of 256 "
            "threads end, and with 512 threads from 65,536 on: is the number of blocks capped?"
        )


def test_a_refused_block_keeps_its_own_words(fake_launcher):
    case = doubling(arguments={"block_size": 1024})
    some = experiment(fake_launcher, double, case)
    refused = replace(some.failure, refused=True, side="block.x")
    assert explain_calls.default_block_size(replace(some, failure=refused)) is None
    assert explain_calls.default_block_size(some)


NEGATIVE = -torch.arange(1.0, 25).reshape(4, 6)


def scaled(x, most):
    return (x - x.amin(1, keepdim=True)) / (most - x.amin(1, keepdim=True))


@pytest.mark.parametrize(
    ("kernel", "right", "said"),
    [
        (lambda x: x.amax(1).clamp(min=0), lambda x: x.amax(1), True),
        (lambda x: x.clamp(min=0).cummax(1).values, lambda x: x.cummax(1).values, True),
        (
            lambda x: scaled(x, x.amax(1, keepdim=True).clamp(min=0)),
            lambda x: scaled(x, x.amax(1, keepdim=True)),
            True,
        ),
        (lambda x: x.abs().amax(1), lambda x: x.amax(1), False),
        (lambda x: x.amin(1), lambda x: x.amax(1), False),
        (lambda x: x.amax(1) / 2, lambda x: x.amax(1), False),
    ],
)
def test_a_maximum_that_starts_too_high(fake_launcher, kernel, right, said):
    def launch(launcher, x, out, **arguments):
        out.copy_(kernel(x))

    launcher = fake_launcher("float x", "float out", launch)
    case = Case("negative", (NEGATIVE,), (right(NEGATIVE).double(),), dtypes=(torch.float32,))
    case = replace(case, ulp=4)
    failure = Failure(case, ROUNDS[0], VAGUE)
    told = explain_numbers.started_too_high(experiments.Experiment(launcher, failure, ()))
    assert bool(told) is said
    if said:
        assert "wrong where all numbers are negative: does something start with 0" in str(told)
    mixed = replace(case, inputs=(NEGATIVE + 9,), expected=(right(NEGATIVE + 9).double(),))
    failure = Failure(mixed, ROUNDS[0], VAGUE)
    assert not explain_numbers.started_too_high(experiments.Experiment(launcher, failure, ()))


@pytest.mark.parametrize(
    ("step", "said"),
    [(4, "Of 8 rows all is right: are all elements left out where there are few"), (100, "")],
)
def test_a_start_value_of_few_rows(fake_launcher, step, said):
    least = -(2**31)

    def launch(launcher, x, out, **arguments):
        whole = x[: len(x) // step * step]
        out.copy_(whole.amax(0) if len(whole) else torch.full_like(out, least))

    def of(rows):
        x = torch.arange(rows * 5, dtype=torch.int32).reshape(rows, 5)
        return Case(f"{rows} rows", (x,), (x.amax(0),), dtypes=(torch.int32,))

    launcher = fake_launcher("int x", "int out", launch)
    x = torch.full((6, 5), least, dtype=torch.int32)  # right by chance
    chance = Case("no number", (x,), (x[0].double(),), dtypes=(torch.int32,))
    following = [of(2), chance, of(5), of(8)]
    told = Diagnosis(f"every element is {least}: is it {wrong_places.NOTHING_REPLACES}?")
    failure = Failure(of(3), ROUNDS[0], told)
    found = explain_numbers.left_out_of_few(
        experiments.Experiment(launcher, failure, (), following=following)
    )
    assert (said in found.sentence) if said else found is None
    failure = Failure(of(3), ROUNDS[0], VAGUE)
    assert not explain_numbers.left_out_of_few(
        experiments.Experiment(launcher, failure, (), following=following)
    )


@pytest.mark.parametrize("n", [1, 2, 9])
def test_an_operator_has_no_start(fake_launcher, n):
    """A slope above 1 is wrong for positive numbers, whatever a maximum starts with."""

    def launch(launcher, x, out, **arguments):
        out.copy_(torch.maximum(x, 3.5 * x))

    x = torch.arange(1.0, n + 1)
    launcher = fake_launcher("float x", "float out", launch)
    case = Case("positive", (x,), (x.double(),), dtypes=(torch.float32,))
    failure = Failure(case, ROUNDS[0], VAGUE)
    assert not explain_numbers.started_too_high(experiments.Experiment(launcher, failure, ()))


def of_rows(n):
    x = torch.arange(1.0, 3 * n + 1).reshape(3, n) % 7 + 1
    right = x.double() / x.double().sum(1, keepdim=True)
    return Case(f"n = {n}", (x,), (right,), dtypes=(torch.float32,), ulp=4)


def in_bfloat16(x):
    total = torch.zeros(len(x), 1)
    for column in x.T[:, :, None]:
        total = (total + column).bfloat16().float()
    return total


@pytest.mark.parametrize(
    ("total", "following", "words"),
    [
        (
            in_bfloat16,
            (),
            "right in rows of up to 40 numbers, and only nearly right in rows of",
        ),
        (in_bfloat16, (20, 900), "right in rows of up to 40 numbers"),
        (lambda x: x.sum(1, True) * (1.01 if x.shape[1] > 30 else 1), (35,), None),
        (lambda x: x.sum(1, True) * (1.01 if x.shape[1] != 40 else 1), (20,), None),
    ],
)
def test_sums_that_lose_digits_in_long_rows_only(fake_launcher, total, following, words):
    def launch(launcher, x, out, **arguments):
        out.copy_(x / total(x))

    launcher = fake_launcher("float x", "float out", launch)
    failure = run_case(launcher, of_rows(300), ROUNDS[0])
    told = Diagnosis("it is 1.01 times the right one: another formula?", nearly=True)
    failure = replace(failure, diagnosis=told)

    def said(failure, *passed):
        passed, more = [of_rows(n) for n in passed], [of_rows(n) for n in following]
        experiment = experiments.Experiment(launcher, failure, passed, following=more)
        return explain_numbers.long_rows_only(experiment)

    answer = said(failure, 1, 20, 40)
    assert answer.sentence.startswith(words) if words else answer is None
    for passed in ((), (1, 7, 40), (20, 300)):
        assert said(failure, *passed) is None
    for change in ({"nearly": False}, {"sentence": "right to only 8 of 24 bits"}):
        assert said(replace(failure, diagnosis=replace(told, **change)), 1, 20, 40) is None


@pytest.mark.parametrize(
    ("most", "following", "told"),
    [
        (96, (70, 300, 400), True),
        (96, (), True),
        (300, (300,), False),  # right in one as long
        (30, (20, 35), False),  # wrong in one that is shorter than a right one
    ],
)
def test_what_is_wrong_in_long_rows_only_is_no_other_formula(
    fake_launcher, most, following, told
):
    def launch(launcher, x, out, **arguments):
        out.copy_(x / x[:, :most].sum(1, True))

    launcher = fake_launcher("float x", "float out", launch)
    vague = Diagnosis(
        f"298 of 300 are wrong, {explain_numbers.ANOTHER_FORMULA}", specific=False
    )
    failure = Failure(of_rows(300), ROUNDS[0], vague)

    def said(failure, *passed):
        passed, more = [of_rows(n) for n in passed], [of_rows(n) for n in following]
        experiment = experiments.Experiment(launcher, failure, passed, following=more)
        return explain_numbers.wrong_in_long_rows(experiment)

    words = "right in rows of up to 40 numbers, and wrong in rows of 300: is a part of a long"
    answer = said(failure, 1, 20, 40)
    assert answer.sentence.startswith(words) if told else answer is None
    for passed in ((), (1, 7, 40), (20, 300)):
        assert said(failure, *passed) is None
    other = replace(vague, sentence="298 of 300 elements are wrong")
    assert said(replace(failure, diagnosis=other), 1, 20, 40) is None


def with_block(right):
    """Fail with the default block size, and come out right where `right` says so."""

    def launch(launcher, x, out, block_size=128, **arguments):
        out.copy_(2 * x if right(block_size, len(x)) else x)

    return launch


@pytest.mark.parametrize(
    ("right", "told"),
    [
        (lambda size, n: size == 256, "right with block_size = 256, and wrong with the 128"),
        (
            lambda size, n: size == 256 or (size > 256 and n < 500),
            "right with block_size = 256",
        ),
        (lambda size, n: size >= 256, None),  # as of a grid that is too short
        (lambda size, n: size == 1024, None),
        (lambda size, n: size == 32, None),  # as of lanes that rely on running in step
        (lambda size, n: size == 256 and n < 500, None),
        (lambda size, n: False, None),
    ],
)
def test_a_number_in_the_place_of_the_default_block_size(fake_launcher, right, told):
    launcher = fake_launcher(
        "float x", "float out", with_block(right), scalars="int block_size = 128, "
    )
    failure = Failure(doubling(), ROUNDS[0], SPECIFIC)
    following = [doubling(70), doubling(5000, arguments={"block_size": 7}), doubling(5000)]
    some = experiments.Experiment(launcher, failure, [], following=following)
    found = explain_calls.another_block_size(some)
    assert (found and found.sentence.startswith(told)) if told else found is None
    some = experiments.Experiment(launcher, failure, [], following=following[:2])
    assert explain_calls.another_block_size(some) is None


@pytest.mark.parametrize(
    ("right", "told"),
    [
        (
            lambda size, n: size >= 128,
            "right with threads = 128 and more, and wrong with 33, 32",
        ),
        (lambda size, n: size == 256, "right with threads = 256, and wrong with 33, 32 and 64"),
        (lambda size, n: size >= n, None),  # as of one block
        (lambda size, n: 40 * size >= n, None),  # and of forty
        (lambda size, n: size >= 32, None),
        (lambda size, n: size in (64, 256, 512), None),
        (lambda size, n: False, None),
    ],
)
def test_a_number_in_the_place_of_an_argument_of_threads(fake_launcher, right, told):
    def launch(launcher, x, out, threads=128, count=0):
        out.copy_(2 * x if right(threads, len(x)) else x)

    launcher = fake_launcher("float x", "float out", launch, scalars="int threads, int count, ")
    given = {"threads": 33, "count": 7}
    failure = Failure(doubling(arguments=given), ROUNDS[0], SPECIFIC)
    following = [doubling(n, arguments=given) for n in (70, 2000, 5000)]
    some = experiments.Experiment(launcher, failure, [], following=following)
    found = explain_calls.another_size_by_name(some)
    assert (found and found.sentence.startswith(told)) if told else found is None
    some = experiments.Experiment(launcher, failure, [], following=following[:2])
    assert explain_calls.another_size_by_name(some) is None


def test_lost_digits_of_longer_sums_are_no_matter_of_the_block_size(fake_launcher):
    """Of fewer threads each adds up more."""

    def launch(launcher, x, out, block_size=128, **arguments):
        out.copy_(2 * x if block_size == 128 else x)

    launcher = fake_launcher("float x", "float out", launch, scalars="int block_size = 128, ")

    def told(block_size, loses_digits):
        case = doubling(arguments={"block_size": block_size})
        failure = Failure(case, ROUNDS[0], replace(SPECIFIC, loses_digits=loses_digits))
        some = experiments.Experiment(launcher, failure, [])
        return explain_calls.default_block_size(some)

    assert told(32, loses_digits=True) is None
    assert "in the place of blockDim.x" in told(32, loses_digits=False).sentence
    assert "in the place of blockDim.x" in told(250, loses_digits=True).sentence


@pytest.mark.parametrize(("leaves", "n", "told"), [(True, 5, 4), (True, 300, 0), (False, 5, 4)])
def test_threads_without_an_element_that_leave(fake_launcher, monkeypatch, leaves, n, told):
    """What they should write is missing, as the same case of fewer threads shows."""

    def launch(launcher, x, out, block_size=256, **arguments):
        out.copy_(2 * x if block_size <= len(x) else torch.full_like(x, torch.nan))

    monkeypatch.setattr(explain_races.races, "leaves_early", lambda launcher: leaves)
    some = experiment(fake_launcher, launch, doubling(n))
    sentence = explain_calls.idle_threads(some)
    if not told:
        assert sentence is None
        return
    assert sentence.startswith(
        f"right with block_size = {told}, and NaN came out with 256 threads, more than the 5 "
        "elements of a row, as of "
        + (
            "shared memory that was never written: has the thread that "
            if leaves
            else "threads without an element. Where two of them meet, -infinity minus"
        )
    )
    monkeypatch.setattr(experiments.Experiment, "traced", lambda self: None)
    nothing = replace(SPECIFIC, unordered=True)
    failed = replace(some, failure=replace(some.failure, diagnosis=nothing))
    assert explain_races.race(failed).sentence == sentence


@pytest.mark.parametrize("top", [-math.inf, 7.0])
def test_an_infinity_among_infinities_may_not_be_chosen(fake_launcher, monkeypatch, top):
    def launch(launcher, x, out, **arguments):
        out.fill_(math.nan)

    monkeypatch.setattr(experiments.Experiment, "traced", lambda self: None)
    x = torch.full((4,), -math.inf)
    x[2] = top
    case = Case("masked", (x,), (torch.tensor([top]).double(),), dtypes=(torch.float32,))
    launcher = fake_launcher("float x", "float out", launch)
    failure = Failure(case, ROUNDS[0], replace(SPECIFIC, unordered=True))
    told = explain_races.race(experiments.Experiment(launcher, failure, [])).sentence
    assert ("should be one of the numbers that go in" in told) == math.isfinite(top)
    alike = replace(case, inputs=(torch.full((4,), 7.0),))  # which anything may come out as
    told = explain_races.race(
        experiments.Experiment(launcher, replace(failure, case=alike), [])
    )
    assert "should be one of the numbers" not in told.sentence


# ---- what an output held before, and calls of a library that nothing was called of


def reads_its_output(launcher, x, sums, out, **arguments):
    out.copy_(x / sums)
    sums.copy_(x + 1)


def of_two_outputs(fake_launcher, function, told=VAGUE):
    x = torch.arange(1.0, 6.0)
    exact = (x.double() + 1, x.double() / (x.double() + 1))
    case = Case("two", (x,), exact, dtypes=(torch.float32,) * 2)
    launcher = fake_launcher("float x", "float sums, float out", function)
    return experiments.Experiment(launcher, Failure(case, ROUNDS[0], told), [])


def test_results_that_change_with_what_an_output_held(fake_launcher):
    some = of_two_outputs(fake_launcher, reads_its_output)
    told = explain_calls.earlier_output(some).sentence
    assert told.startswith(
        "5 of 10 results change with what was in an output before the call: is it read when "
        "nothing was written there yet"
    )
    known = of_two_outputs(fake_launcher, reads_its_output, SPECIFIC)
    assert explain_calls.earlier_output(known) is None
    nan = of_two_outputs(fake_launcher, reads_its_output, replace(SPECIFIC, unordered=True))
    assert explain_calls.earlier_output(nan)

    def adds(launcher, x, out, **arguments):
        out += 3 * x

    one = experiment(fake_launcher, adds)
    one = replace(one, failure=replace(one.failure, diagnosis=VAGUE))
    told = explain_calls.earlier_output(one).sentence
    assert told.startswith("5 of 5 results change with what was in the output out before the")


def test_results_that_do_not_depend_on_what_an_output_held(fake_launcher):
    def unwritten(launcher, x, sums, out, **arguments):
        sums.copy_(x)
        out[1:] = 7.0

    def counts(launcher, x, sums, out, **arguments):
        launcher.kept["calls"] = launcher.kept.get("calls", 0) + 1
        out.fill_(launcher.kept["calls"])
        sums.copy_(x)

    for function in (unwritten, counts):
        assert explain_calls.earlier_output(of_two_outputs(fake_launcher, function)) is None
    on_gpu = of_two_outputs(fake_launcher, reads_its_output)
    on_gpu.launcher.on_gpu = True
    assert explain_calls.earlier_output(on_gpu) is None


def every_second_call(launcher, x, out, **arguments):
    """Make something only at each second call, and of the one before."""
    launcher.kept["calls"] = launcher.kept.get("calls", 0) + 1
    if launcher.kept["calls"] % 2 == 0:
        out.copy_(2 * launcher.kept["x"])
    launcher.kept["x"] = x.clone()


def test_calls_before_do_not_hide_that_a_first_call_writes_nothing(fake_launcher):
    some = experiment(fake_launcher, every_second_call, untouched=True)
    some.launcher(torch.zeros(5), torch.zeros(5))  # from here on the second call is a third
    assert explain_calls.repeated(some).sentence.startswith("nothing was written at first, and")
    some = experiment(fake_launcher, every_second_call)
    some.launcher(torch.zeros(5), torch.zeros(5))
    assert explain_calls.repeated(some) is None
    some = experiment(fake_launcher, every_second_call, untouched=True)
    some.launcher(doubling().inputs[0], torch.zeros(5))
    assert explain_calls.zeroed_output(some) is None


def test_what_is_made_of_an_output_may_look_as_if_nobody_wrote_it(fake_launcher):
    """The bits of a NaN go on to what is made of it."""
    unwritten = replace(SPECIFIC, unwritten=True)
    some = of_two_outputs(fake_launcher, reads_its_output, unwritten)
    assert explain_calls.earlier_output(some).sentence.startswith("5 of 10 results change")

    def leaves_one(launcher, x, sums, out, **arguments):
        out[1:] = (x / sums)[1:]
        sums.copy_(x + 1)

    assert (
        explain_calls.earlier_output(of_two_outputs(fake_launcher, leaves_one, unwritten))
        is None
    )


def of_nan(fake_launcher, function, passed=True, following=()):
    """Explain a search for the place of the largest number in rows, of which one is NaN."""
    x = torch.arange(20.0).reshape(4, 5).flip(1).contiguous()
    nan = x.clone()
    nan[2, 3] = torch.nan
    places = torch.tensor([0.0, 0.0, 3.0, 0.0])
    launcher = fake_launcher("float x", "int64_t out", function)
    case = Case("NaN", (nan,), (places,), dtypes=(torch.int64,))
    before = [replace(case, inputs=(x,), expected=(0 * places,))] * passed
    failure = Failure(case, ROUNDS[0], diagnosis=VAGUE)
    some = experiments.Experiment(launcher, failure, before, following=following)
    return explain_nans.lost(some)


def test_a_nan_that_does_not_win(fake_launcher):
    def passes_over(launcher, x, out, **arguments):
        out.copy_(x.nan_to_num(-1.0).argmax(dim=1))

    def other_rows(launcher, x, out, **arguments):
        out.copy_(x.argmax(dim=1) + 1)

    told = of_nan(fake_launcher, passes_over)
    assert told.sentence.startswith("right for numbers of the same size, and wrong where")
    assert "does a NaN that must win (or lose) do the other?" in told.sentence
    assert of_nan(fake_launcher, passes_over, passed=False) is None
    assert of_nan(fake_launcher, other_rows) is None
    x, places = torch.eye(7), torch.arange(7.0)
    right = Case("of seven", (x,), (places,), dtypes=(torch.int64,))
    assert of_nan(fake_launcher, passes_over, following=[right])
    wrong = replace(right, expected=(places + 1,))  # there numbers go wrong, too
    assert (
        of_nan(
            fake_launcher, passes_over, following=[right, replace(wrong, inputs=(x[:, :5],))]
        )
        is None
    )


def test_what_went_right_with_larger_numbers_does_not_overflow(fake_launcher):
    words = "NaN came out of large numbers, from {} on: does something overflow on the way?"
    launcher = fake_launcher("float x", "float out", lambda launcher, x, out: None)
    x = torch.tensor([900.0, -1000.0, torch.inf, torch.nan])

    def told(least, before):
        case = Case("c", (x[:2],), (x[:2].double(),))
        passed = [replace(case, inputs=(y,)) for y in before]
        failure = Failure(case, ROUNDS[0], diagnosis=Diagnosis(words.format(least)))
        return explain_nans.of_no_overflow(experiments.Experiment(launcher, failure, passed))

    assert "is 0 divided by 0 on the way" in told("841", [x[:1], x[:0], x]).sentence
    assert told("950", [x]) is None  # of one sign only
    assert told("841", [x[1:], x.int()[:2]]) is None

    def same(launcher, x, out, **arguments):
        out.copy_(x)

    copies = fake_launcher("float x", "float out", same)
    larger = Case("d", (x[:2],), (x[:2].double(),), dtypes=(torch.float32,))
    failure = Failure(larger, ROUNDS[0], diagnosis=Diagnosis(words.format("841")))
    for one, said in ((copies, True), (launcher, False)):
        following = ["not tried", replace(larger, inputs=(x[:1],)), larger]
        experiment = experiments.Experiment(one, failure, [], following=following)
        assert bool(explain_nans.of_no_overflow(experiment)) == said
    vague = Failure(Case("c", (x,), (x.double(),)), ROUNDS[0], diagnosis=VAGUE)
    experiment = experiments.Experiment(launcher, vague, [vague.case])
    assert explain_nans.of_no_overflow(experiment) is None


def test_a_nan_that_belongs_to_an_element_at_another_place(fake_launcher):
    x = torch.arange(12.0).reshape(3, 4)
    nan = x.clone()
    nan[0, 2] = torch.nan
    right = x.T.contiguous()
    case = Case("NaN", (nan,), (nan.T.nan_to_num(0.0).contiguous(),), dtypes=(torch.int16,))
    before = [replace(case, inputs=(x,), expected=(right,))]

    def told(function):
        launcher = fake_launcher("float x", "int16_t out", function)
        failure = Failure(case, ROUNDS[0], diagnosis=VAGUE)
        return explain_nans.lost(experiments.Experiment(launcher, failure, before))

    def limited(launcher, x, out, **arguments):
        out.copy_(x.nan_to_num(-99.0).T)

    def another(launcher, x, out, **arguments):
        out.copy_(x.nan_to_num(0.0).T + (x.isnan().any() & (x.T == 11)))

    assert "wrong where one is NaN" in told(limited).sentence
    assert told(another) is None


def test_a_maximum_of_matrices_that_starts_too_high(fake_launcher):
    def softmax(largest):
        def launch(launcher, x, out, **arguments):
            powers = (x - largest(x)).exp()
            out.copy_(powers / powers.sum(dim=-1, keepdim=True))

        return launch

    x = torch.arange(-600.0, -582).reshape(2, 3, 3)
    case = Case("a case", (x,), (x.double().softmax(dim=-1),), dtypes=(torch.float32,))
    failure = Failure(case, ROUNDS[0], diagnosis=SPECIFIC)
    for largest, words in (
        (
            lambda x: x.amax(dim=-1, keepdim=True).clamp(min=0),
            "the row's maximum starts with 0",
        ),
        (lambda x: x.abs().amax(dim=-1, keepdim=True), "also where one is positive"),
    ):
        launcher = fake_launcher("float x", "float out", softmax(largest))
        told = explain_numbers.nan_of_negative_rows(
            experiments.Experiment(launcher, failure, [])
        )
        assert words in told.sentence


def told_of_fresh_memory(fake_launcher, monkeypatch, function, code="cudaMalloc(&parts, 64);"):
    monkeypatch.setattr(explain_calls.reachable, "code", lambda launcher: code)
    monkeypatch.setattr(explain_calls, "fresh", FakeLauncher.fresh)
    launcher = fake_launcher("float x", "float out", function)
    experiment = experiments.Experiment(launcher, Failure(doubling(), ROUNDS[0], VAGUE), [])
    return explain_calls.fresh_memory(experiment)


def test_memory_of_the_launchers_own_that_nobody_has_set(fake_launcher, monkeypatch):
    """What cudaMalloc gives is filled with other bytes: what it held comes out."""

    def unset(launcher, x, out, **arguments):
        out.copy_(2 * x + (launcher.emulator.bytes or [0])[-1])

    told = told_of_fresh_memory(fake_launcher, monkeypatch, unset)
    words = "the result changes with what memory of the launcher's own"
    assert told.sentence.startswith(words) and "set it first" in told.sentence

    def unset_and_wrong(launcher, x, out, **arguments):
        out.copy_(3 * x + (launcher.emulator.bytes or [0])[-1])

    told = told_of_fresh_memory(fake_launcher, monkeypatch, unset_and_wrong)
    assert told.sentence.startswith(words) and "set it first" not in told.sentence
    assert told_of_fresh_memory(fake_launcher, monkeypatch, unset, code="") is None

    def past_its_end(launcher, x, out, **arguments):
        out.copy_(2 * x + (launcher.emulator.behind or [0])[-1])

    told = told_of_fresh_memory(fake_launcher, monkeypatch, past_its_end)
    assert "lies past the end of the launcher's own memory" in told.sentence

    def own(launcher, x, out, **arguments):
        out.copy_(x)

    assert told_of_fresh_memory(fake_launcher, monkeypatch, own) is None


# ---- outputs of which a half, or what was found, counts


def of_int64(fake_launcher, function, right):
    x = torch.arange(1, 6)
    case = Case("n = 5", (x,), (right(x).double(),), dtypes=(torch.int64,))
    launcher = fake_launcher("int64_t x", "int64_t out", function)
    return Experiment(launcher, Failure(case, ROUNDS[0], VAGUE), [])


def test_an_upper_half_that_stays(fake_launcher, monkeypatch):
    def lower_half(launcher, x, out, **arguments):
        out.view(torch.int32)[::2] = 2 * x.int()

    some = of_int64(fake_launcher, lower_half, lambda x: 2 * x)
    told = explain_calls.halves_left(some).sentence
    assert told.startswith("the upper 32 bits of each number were never written")
    monkeypatch.setattr(explain_calls.reachable, "code", lambda launcher: "atomicAdd(out, v);")
    assert explain_calls.halves_left(some) is None  # a sum of 64 bits may be half set
    monkeypatch.undo()
    whole = of_int64(fake_launcher, lambda launcher, x, out, **more: out.copy_(x), lambda x: x)
    assert explain_calls.halves_left(whole) is None
    added = of_int64(fake_launcher, lambda launcher, x, out, **more: None, lambda x: x)
    assert explain_calls.halves_left(added) is None  # nothing is written


@pytest.mark.parametrize(
    ("function", "words"),
    [
        (torch.minimum, "the output held the largest number before"),
        (torch.maximum, "the output held the smallest number before"),
        (lambda out, x: x, None),
        (lambda out, x: out, None),
        (lambda out, x: out + x, None),
    ],
)
def test_a_result_that_is_compared_with_what_is_found(fake_launcher, function, words):
    def compares(launcher, x, out, **arguments):
        out.copy_(function(out, x))

    some = of_int64(fake_launcher, compares, lambda x: x)
    told = explain_calls.outermost_output(some)
    assert (told and words in told.sentence) == (True if words else None)


@pytest.mark.parametrize("dtype", [torch.float16, torch.float32, torch.float64, torch.uint8])
def test_what_is_found_may_be_of_any_type(fake_launcher, dtype):
    def compares(launcher, x, out, **arguments):
        out.copy_(torch.minimum(out, x))

    x = torch.arange(1, 6).to(dtype)
    case = Case("n = 5", (x,), (x.double(),), dtypes=(dtype,))
    launcher = fake_launcher("float x", "float out", compares)
    some = Experiment(launcher, Failure(case, ROUNDS[0], VAGUE), [])
    assert "the largest number" in explain_calls.outermost_output(some).sentence


@pytest.mark.parametrize(
    ("code", "told"),
    [("", True), ("i < 512;", True), ("warp < 16", True), ("i < 65535 * x5120", False)],
)
def test_a_block_size_that_alone_is_right_must_be_in_the_code(
    fake_launcher, monkeypatch, code, told
):
    monkeypatch.setattr(explain_calls.reachable, "code", lambda launcher: code)
    kernel = with_block(lambda size, n: size == 512)
    launcher = fake_launcher("float x", "float out", kernel, scalars="int block_size = 128, ")
    failure = Failure(doubling(), ROUNDS[0], SPECIFIC)
    some = experiments.Experiment(launcher, failure, [], following=[doubling(5000)])
    assert (explain_calls.another_block_size(some) is not None) is told


@pytest.mark.parametrize("fixed", [False, True])
def test_the_first_of_equal_numbers_is_no_matter_of_the_block_size(fake_launcher, fixed):
    def place(launcher, x, out, block_size=256, **arguments):
        number = x.max() if block_size == 256 or not fixed else x[:block_size].max()
        found = (x == number).nonzero().flatten()
        out.fill_(int(found[0 if block_size == 256 else -1]))

    def largest(x, **arguments):
        right = ((x == x.max()).nonzero()[0].double(),)
        return Case("a place", (x,), right, arguments, dtypes=(torch.int64,))

    launcher = fake_launcher("float x", "int64_t out", place)
    numbers, equal = torch.arange(99.0), torch.ones(99)
    told = Diagnosis(f"another place than the first: {explain_calls.wrong_rows.OF_EQUAL}. ?")
    failure = Failure(largest(equal, block_size=64), ROUNDS[0], told)
    some = experiments.Experiment(launcher, failure, [], following=[largest(equal)])
    assert "is a number in the place" in explain_calls.default_block_size(some).sentence
    following = [largest(torch.ones(1), block_size=64), largest(numbers, block_size=64)]
    some = replace(some, following=following)
    assert (explain_calls.default_block_size(some) is not None) is fixed


def test_an_infinity_in_rows_that_are_left_out(fake_launcher):
    def columns(rows):
        def launch(launcher, x, out, **arguments):
            out.copy_(x[:rows].abs().amax(dim=0))

        return launch

    x = torch.randn(20, 3, generator=torch.Generator().manual_seed(1))
    x[-1, 1] = math.inf
    right = (x.double().abs().amax(dim=0),)
    case = Case("a case", (x,), right, dtypes=(torch.float32,))
    told = Diagnosis("only infinity goes wrong", special=True)
    for rows, of in ((18, "5 of 53 tried elements of x have no effect"), (20, None)):
        launcher = fake_launcher("float x", "float out", columns(rows))
        some = experiments.Experiment(launcher, Failure(case, ROUNDS[0], told), [])
        found = explain_numbers.other_inputs(some)
        assert found.sentence.startswith(of) if of else found is None


def test_rows_of_one_number_do_not_tell_of_a_start_value(fake_launcher):
    def softmax(launcher, x, out, **arguments):
        top = x[:, :1] if x.shape[1] == 1 else x.abs().amax(dim=1, keepdim=True)
        powers = (x - top).exp()
        out.copy_(powers / powers.sum(dim=1, keepdim=True))

    def of(columns, start=-998.0):
        x = torch.arange(start, start + 2 * columns).reshape(2, columns)
        right = (x.double().softmax(dim=1),)
        return Case("a case", (x,), right, dtypes=(torch.float32,))

    launcher = fake_launcher("float x", "float out", softmax)
    failure = Failure(of(3), ROUNDS[0], diagnosis=SPECIFIC)
    for passed, words in (
        ([of(1)], "must be its largest number, not its largest absolute value"),
        ([of(3, -500.0)], "does the row's maximum start with a number"),
    ):
        some = experiments.Experiment(launcher, failure, passed)
        assert words in explain_numbers.nan_of_negative_rows(some).sentence


@pytest.mark.parametrize("last", [1, 2])
def test_the_last_element_of_each_row_that_is_read_before_it_is_written(fake_launcher, last):
    def launch(launcher, x, out, **arguments):
        out[:, :-last] = x[:, :-last]
        out *= 2

    x = torch.arange(1.0, 16.0).reshape(3, 5)
    case = Case("a case", (x,), (2 * x.double(),), dtypes=(torch.float32,))
    launcher = fake_launcher("float x", "float out", launch)
    some = experiments.Experiment(launcher, Failure(case, ROUNDS[0], VAGUE), [])
    told = explain_calls.earlier_output(some).sentence
    if last == 1:
        assert told.startswith("just the last element of each row changes with what was in the")
    else:
        assert told.startswith("6 of 15 results change with what was in the output out before")


@pytest.mark.parametrize(("more", "words"), [(1, "is left over"), (-1, "is left out")])
def test_whether_the_odd_thread_is_counted_twice(fake_launcher, monkeypatch, more, words):
    def total(launcher, x, out, block_size=96, **arguments):
        even = block_size & (block_size - 1) == 0
        out.fill_(float(x.sum()) + (0 if even else more * float(x[0])))

    monkeypatch.setattr(explain_races.races, "cooperates", lambda launcher: True)
    monkeypatch.setattr(
        explain_races.races,
        "first_race",
        lambda launcher, case, seconds=None: (
            (KernelFault("a race", kind=FaultKind.RACE), True)
            if case.arguments["block_size"] == 100
            else (None, True)
        ),
    )
    x = torch.arange(3.0, 10.0)
    case = Case("a sum", (x,), (x.double().sum()[None],), {"block_size": 100})
    case = replace(case, dtypes=(torch.float32,))
    told = explain_calls.halved_threads(experiment(fake_launcher, total, case)).sentence
    assert f"Where their number is odd, one {words}" in told


def of_one_number(function, case, launcher_of, following=(), how=ROUNDS[0]):
    launcher = launcher_of("float x", "float out", function)
    failure = Failure(case, how, VAGUE)
    return experiments.Experiment(launcher, failure, [], following=following)


def total(n, start=1.0):
    x = torch.arange(start, start + n)
    return Case(f"n = {n}", (x,), (x.double().sum()[None],), dtypes=(torch.float32,))


def test_one_element_that_does_not_count_is_asked_for_in_a_longer_array(fake_launcher):
    def launch(launcher, x, out, **arguments):
        out.fill_(float(x[:-1].sum()))

    some = of_one_number(launch, total(1), fake_launcher, [total(2), total(40)])
    told = explain_numbers.other_inputs(some).sentence
    assert told.startswith("the last element of x does not count")
    some = of_one_number(launch, total(1), fake_launcher, [total(2)])
    assert explain_numbers.other_inputs(some) is None


def test_what_is_read_in_the_place_of_the_last_element(fake_launcher, monkeypatch):
    def launch(launcher, x, out, **arguments):
        out.fill_(float(x[:-1].sum()))

    monkeypatch.setattr(
        explain_numbers.beside, "read", lambda *given: f"x[40], {beside}, is read, and counts"
    )
    some = of_one_number(launch, total(40), fake_launcher)
    beside = "past the end"
    assert explain_numbers.other_inputs(some).sentence == (
        "x[40], past the end, is read, and counts, and the last element of x does not count: "
        "is an index one too large? The last one is n - 1"
    )
    beside = "before its start"
    assert explain_numbers.other_inputs(some).sentence.startswith("the last element of x does")


@pytest.mark.parametrize("n", [41, 40])
@pytest.mark.parametrize("last", [True, False])
def test_an_array_that_ends_at_a_page_starts_nowhere_round(fake_launcher, n, last):
    def launch(launcher, x, out, **arguments):
        off = float(x[-1]) if last else 1.0
        out.fill_(float(x.sum()) - (off if x.data_ptr() % 16 else 0))

    some = of_one_number(launch, total(n), fake_launcher)
    found = explain_calls.aligned_start(some)
    if n % 4 == 0:
        assert found is None
        return
    seen = "x[40] is left out. Do what comes" if last else "is an element before the first"
    assert found.sentence.startswith(
        f"right only where the tensors start at a round address, and not in a slice: {seen}"
    )
    some = of_one_number(lambda *given, **more: None, total(n), fake_launcher)
    assert explain_calls.aligned_start(some) is None


@pytest.mark.parametrize("reach", [64, 1 << 20])
def test_a_small_case_at_a_round_address_may_have_threads_enough(fake_launcher, reach):
    """As of packs: there are more of them in a larger one, which goes wrong there, too."""

    def launch(launcher, x, out, **arguments):
        end = reach if x.data_ptr() % 16 == 0 else 34
        out[:end] = x[:end]

    def case_of(n, offset=0):
        x = torch.arange(1.0, n + 1)
        how = {"dtypes": (torch.float32,), "offset": offset}
        return Case(f"n = {n}", (x,), (x.double(),), **how)

    launcher, case = fake_launcher("float x", "float out", launch), case_of(64, 1)
    failure = run_case(launcher, case, ROUNDS[0])
    some = Experiment(launcher, failure, [], following=[case_of(n) for n in (70, 257, 300)])
    found = explain_calls.aligned_start(some)
    assert bool(found) is (reach > 300)


@pytest.mark.parametrize("right", [True, False])
def test_what_nobody_wrote_may_be_a_matter_of_the_block_size(fake_launcher, monkeypatch, right):
    def launch(launcher, x, out, block_size=256, **arguments):
        out.copy_(2 * x if block_size == 256 and right else x - 7)

    words = f"thread 0 reads part[1], {explain_races.UNWRITTEN}: is a number stored?"
    monkeypatch.setattr(experiments.Experiment, "traced", lambda self: Diagnosis(words))
    some = experiment(fake_launcher, launch, doubling(arguments={"block_size": 64}))
    some = replace(some, failure=replace(some.failure, diagnosis=VAGUE))
    told = explain_races.race(some).sentence
    if right:
        assert told == (
            f"right with the default block size, wrong with block_size = 64: {words[:-1]}, or "
            "is more read than so many threads, or warps, write?"
        )
    else:
        assert told == words


def test_first_elements_that_alone_count_may_be_a_matter_of_the_block_size(fake_launcher):
    def of(by_default):
        def launch(launcher, x, out, block_size=256, **arguments):
            out.fill_(float(x[: 10 if block_size == 33 else by_default].sum()))

        return launch

    case = replace(total(40), arguments={"block_size": 33})
    for by_default, words in (
        (40, "right with the default block size, wrong with block_size = 33: is a number in"),
        (10, "only the first 10 elements of x count"),
    ):
        some = of_one_number(of(by_default), case, fake_launcher)
        assert explain_numbers.other_inputs(some).sentence.startswith(words)


@pytest.mark.parametrize("largest", [True, False])
def test_a_place_among_unequal_numbers(fake_launcher, largest):
    """Where equal ones hide that the last columns are left out; and where they do not."""

    def end(x):
        return x.amax(1) if largest else x.amin(1)

    def search(launcher, x, value, place, columns, last):
        some = x[:, :columns]
        value.copy_(end(some))
        equal = (some == end(some)[:, None]).int()
        place.copy_(columns - 1 - equal.flip(1).argmax(1) if last else equal.argmax(1))

    x = torch.randint(0, 2, (7, 98), generator=torch.Generator().manual_seed(5)).float()
    equal = (x == end(x)[:, None]).int()
    right = (end(x), 97 - equal.flip(1).argmax(1))

    def told(**how):
        launcher = fake_launcher(
            "float x", "float value, int32_t place", lambda *given: search(*given, **how)
        )
        case = Case("few", (x,), right, dtypes=(torch.float32, torch.int32))
        failure = run_case(launcher, case, ROUNDS[0])
        assert wrong_rows.OF_EQUAL in failure.diagnosis.sentence
        return explain_numbers.of_unequal_numbers(Experiment(launcher, failure, []))

    assert told(columns=64, last=True).sentence.startswith("only the first 64 elements of each")
    assert told(columns=98, last=False) is None


@pytest.mark.parametrize(
    ("code", "of_memory", "told"),
    [
        ("__shared__ float s[32];", True, 1),
        ("__shared__ float s[32];", False, 0),
        ("", True, 0),
    ],
)
def test_what_changes_with_shared_memory_is_traced(
    fake_launcher, monkeypatch, code, of_memory, told
):
    """Where a pattern is told, too: what nobody has written may look like one."""

    def launch(launcher, x, out):
        held = (launcher.emulator.shared_bytes or [255])[-1]
        out.copy_(2 * x + (float(held or 255) if of_memory else 1.0))

    monkeypatch.setattr(explain_races.reachable, "code", lambda launcher: code)
    traced = Diagnosis("nothing orders the two")
    monkeypatch.setattr(Experiment, "traced", lambda experiment: traced)
    launcher = fake_launcher("float x", "float out", launch)
    failure = Failure(doubling(), ROUNDS[0], Diagnosis("each is 0.5 times the right one"))
    assert explain_races.race(Experiment(launcher, failure, [])) is (traced if told else None)


def test_a_place_that_is_never_reached(fake_launcher):
    """The number is found, and some places are not looked at: none comes out."""

    def search(launcher, x, value, place):
        value.copy_(x.amax().reshape(1))
        seen = (x == x.amax()) & (torch.arange(len(x)) % 4 == 3)
        place.fill_(int(seen.int().argmax()) if bool(seen.any()) else -1)

    x = torch.zeros(40).int()
    x[[5, 7]] = 9
    launcher = fake_launcher("int32_t x", "int32_t value, int32_t place", search)
    right = (torch.tensor([9.0]), torch.tensor([5.0]))
    case = Case("few", (x,), right, dtypes=(torch.int32, torch.int32))
    experiment = Experiment(launcher, run_case(launcher, case, ROUNDS[0]), [])
    told = explain_numbers.place_of_an_equal_one(
        replace(experiment, failure=replace(experiment.failure, diagnosis=VAGUE))
    )
    assert told.sentence.startswith("-1 comes out, which is no place, and the number that is")


def test_the_end_that_is_searched_where_all_numbers_of_a_row_are_equal(fake_launcher):
    """Of equal ones each is the largest, too: other cases tell that the smallest is meant."""

    def least(launcher, x, place):
        place.copy_(x.shape[1] - 1 - x.flip(1).argmin(1))

    def case(x):
        right = (x == x.amin(1)[:, None]).int().argmax(1)
        return Case("few", (x,), (right,), dtypes=(torch.int32,))

    launcher = fake_launcher("float x", "int32_t place", least)
    failure = run_case(launcher, case(torch.full((3, 8), 2.0)), ROUNDS[0])
    assert wrong_rows.OF_EQUAL in failure.diagnosis.sentence
    usual = [case(torch.tensor([[3.0, 1.0, 2.0], [0.0, 5.0, 4.0]]))]
    asked = explain_numbers.of_unequal_numbers
    assert asked(Experiment(launcher, failure, [])) is not None  # none tells which end it is
    assert asked(Experiment(launcher, failure, usual)) is None
    assert asked(Experiment(launcher, failure, [], following=usual)) is None


@pytest.mark.parametrize("end", [1 << 15, 1 << 16])
@pytest.mark.parametrize("largest", [True, False])
def test_a_place_in_16_bits(fake_launcher, end, largest):
    def search(x):
        return x.argmax(1) if largest else x.argmin(1)

    def told(most, columns):
        launcher = fake_launcher(
            "float x", "int32_t place", lambda launcher, x, place: place.copy_(search(x) % most)
        )
        x = torch.zeros(2, columns)
        x[:, -1] = 3 if largest else -3
        case = Case("one", (x,), (search(x).double(),), dtypes=(torch.int32,))
        failure = Failure(case, ROUNDS[0], Diagnosis("it is wrong", specific=False))
        return explain_numbers.lost_beyond_16_bits(Experiment(launcher, failure, []))

    sentence = told(end, 70_000).sentence
    assert sentence.startswith(f"what is searched is found before place {end:,}, and not")
    assert told(end + 7, 70_000) is None  # another end
    assert told(end, end) is None


@pytest.mark.parametrize("dtype", [torch.uint8, torch.int32])
def test_flags_of_which_only_1_counts(fake_launcher, dtype):
    def sums(x, counts):
        return torch.where(counts, x, 0.0).sum(1)

    x = torch.randn(5, 9, generator=torch.Generator().manual_seed(1))
    flags = (torch.arange(45).reshape(5, 9) % 7 * 20).to(dtype)

    def told(kernel, right=None):
        name = {torch.uint8: "uint8_t", torch.int32: "int"}[dtype]
        launcher = fake_launcher(f"float x, {name} flags", "float out", kernel)
        right = sums(x, flags != 0).double() if right is None else right
        case = Case("flags", (x, flags), (right,), dtypes=(torch.float32,), ulp=64)
        failure = Failure(case, ROUNDS[0], Diagnosis("", specific=False))
        return explain_numbers.flags_other_than_1(Experiment(launcher, failure, []))

    ones = lambda launcher, x, flags, out: out.copy_(sums(x, flags == 1))  # noqa: E731
    assert told(ones).sentence.startswith(
        "elements whose number in flags is not 0 and not 1 are left out: right if each"
    )
    hidden = lambda launcher, x, flags, out: out.copy_(sums(x, flags != 1))  # noqa: E731
    told_of_hidden = told(hidden, sums(x, flags == 0).double())
    assert "are taken for 0: right if each" in told_of_hidden.sentence
    assert told(lambda launcher, x, flags, out: out.copy_(sums(x, flags > 1))) is None
    weighted = (x * flags).sum(1).double()  # they are numbers
    assert told(ones, weighted) is None


@pytest.mark.parametrize("smallest", [True, False])
@pytest.mark.parametrize("way", ["last", "start", "first", "short"])
def test_a_place_among_some_equal_numbers(fake_launcher, smallest, way):
    """Of numbers that are all equal, or infinite, a wrong place tells nothing of the rest."""

    def end(x):
        return x.min() if smallest else x.max()

    def places(x):
        return (x == end(x)).nonzero().flatten()

    def search(launcher, x, value, place):
        some = x[:64] if way == "short" else x
        value.copy_(end(some).reshape(1))
        found = places(some)[-1 if way == "last" else 0]
        place.fill_(len(x) if way == "start" and x.isinf().all() else int(found))

    def case(x):
        right = (end(x).reshape(1), places(x)[:1])
        return Case("some", (x,), right, dtypes=(torch.float32, torch.int32))

    launcher = fake_launcher("float x", "float value, int32_t place", search)
    infinity = torch.full((1,), float("inf") if smallest else -float("inf"))
    usual = [case(torch.randperm(n).float()) for n in (9, 40, 200)]
    failed = case(infinity if way == "start" else torch.ones(300))
    failure = Failure(failed, ROUNDS[0], Diagnosis("", specific=False))
    told = explain_numbers.of_some_equal_numbers(
        Experiment(launcher, failure, usual[:2], following=usual[2:])
    )
    if way == "last":
        assert wrong_rows.OF_EQUAL in told.sentence
    else:
        assert told is None
    counted = replace(usual[1], expected=(usual[1].expected[0], torch.tensor([40])))
    no_place = Experiment(launcher, failure, [usual[0], counted])
    assert explain_numbers.of_some_equal_numbers(no_place) is None


def test_numbers_that_a_type_does_not_tell_apart(fake_launcher):
    """An int8 has too few for 300 columns without two equal ones."""
    x = torch.randint(0, 2, (5, 300), generator=torch.Generator().manual_seed(6)).to(torch.int8)
    launcher = fake_launcher(
        "int8_t x", "int32_t place", lambda launcher, x, out: out.copy_(x.int().argmax(1))
    )
    right = 299 - x.flip(1).int().argmax(1)
    case = Case("few", (x,), (right,), dtypes=(torch.int32,))
    failure = run_case(launcher, case, ROUNDS[0])
    assert wrong_rows.OF_EQUAL in failure.diagnosis.sentence
    assert explain_numbers.of_unequal_numbers(Experiment(launcher, failure, [])) is None


@pytest.mark.parametrize("way", ["last", "none", "other"])
def test_a_place_that_has_the_same_number_by_any_formula(fake_launcher, way):
    """Of two arrays: their largest difference, and the first place of it."""

    def search(launcher, x, y, value, place):
        off = (x - y).abs()
        found = (off == off.max()).nonzero().flatten()
        value.copy_(off.max().reshape(1))
        place.fill_(int(found[-1]) if way == "last" else 1 if way == "other" else len(x))

    x, y = torch.tensor([1.0, 5.0, 3.0, 9.0]), torch.tensor([3.0, 6.0, 5.0, 8.0])
    right = (torch.tensor([2.0]).double(), torch.tensor([0.0]).double())
    case = Case("two", (x, y), right, dtypes=(torch.float32, torch.int32))
    launcher = fake_launcher("float x, float y", "float value, int32_t place", search)
    failure = Failure(case, ROUNDS[0], Diagnosis("", specific=False))
    told = explain_numbers.place_of_an_equal_one(experiments.Experiment(launcher, failure, []))
    if way == "last":
        assert told.sentence.startswith("the number is found, but at place 2 and not at 0, the")
        assert wrong_rows.OF_EQUAL in told.sentence
    elif way == "other":
        assert told.sentence.startswith("the number is found, and at place 1 and not at 0, wh")
    else:
        assert told is None


def test_a_place_that_is_not_handed_on_with_its_number(fake_launcher):
    """Of rows: the number nearest to 2, and the place of it."""

    def search(launcher, x, value, place, kept=True):
        off = (x - 2).abs()
        value.copy_(off.amin(1))
        place.copy_(off.argmin(1) % 3 if kept else off.argmin(1))

    x = torch.tensor([[7.0, 9.0, 5.0, 2.5], [2.0, 9.0, 7.0, 5.0]])
    right = (torch.tensor([0.5, 0.0]).double(), torch.tensor([3.0, 0.0]).double())
    case = Case("rows", (x,), right, dtypes=(torch.float32, torch.int32))
    launcher = fake_launcher("float x", "float value, int32_t place", search)
    failure = Failure(case, ROUNDS[0], Diagnosis("", specific=False))
    told = explain_numbers.place_of_an_equal_one(experiments.Experiment(launcher, failure, []))
    assert told.sentence.startswith("the number is found, and at place 0 and not at 3, where")


def test_a_row_of_which_more_than_the_last_element_is_left_out(fake_launcher):
    def sums(x):
        return x[:, :32].double().exp().sum(1).log()

    def case(cols):
        x = torch.randn(3, cols, generator=torch.Generator().manual_seed(cols))
        right = (x.double().exp().sum(1).log(),)
        return Case(f"{cols}", (x,), right, dtypes=(torch.float32,))

    def asked(kernel):
        def launch(launcher, x, out):
            out.copy_(kernel(x))

        launcher = fake_launcher("float x", "float out", launch)
        failure = Failure(case(33), ROUNDS[0], Diagnosis("it is wrong", specific=False))
        following = [case(n) for n in (34, 40, 129)]
        known = experiments.Experiment(launcher, failure, [], following=following)
        return explain_numbers.other_inputs(known).sentence

    assert asked(sums).startswith("only the first 32 elements of each row of x count, the")
    assert "is the tail left out" in asked(lambda x: x[:, :-1].double().exp().sum(1).log())


def test_lanes_of_an_array_that_are_left_out_are_no_tail(fake_launcher):
    def case(n):
        x = torch.randn(n, generator=torch.Generator().manual_seed(n))
        right = x.double().exp().sum().log().reshape(1)
        return Case(f"{n}", (x,), (right,), dtypes=(torch.float32,))

    def asked(counts):
        def launch(launcher, x, out):
            counted = x[[i for i in range(len(x)) if counts(i, len(x))]]
            out.fill_(counted.double().exp().sum().log())

        launcher = fake_launcher("float x", "float out", launch)
        failure = Failure(case(65), ROUNDS[0], Diagnosis("it is wrong", specific=False))
        known = experiments.Experiment(
            launcher, failure, [], following=[case(n) for n in (66, 70, 200, 300)]
        )
        return explain_numbers.other_inputs(known).sentence

    lanes = asked(lambda i, n: i % 128 < 64)  # of 65 elements the last one is left out
    assert lanes.startswith("with 195 elements, 17 of 67 tried") and "tail" not in lanes
    assert "is the tail left out" in asked(lambda i, n: i < n - 1)


def test_a_place_of_products_with_a_number_for_each_column(fake_launcher):
    """Of the first case the place is that of a start value; others tell that one is equal."""

    def search(launcher, x, gain, value, place):
        product = x * gain
        value.copy_(product.amax(1))
        found = x.shape[1] - 1 - (product == value[:, None]).int().flip(1).argmax(1)
        place.copy_(torch.where(value.isinf(), 2**31 - 1, found))

    def case(x, gain):
        product = x * gain
        right = (product.amax(1).double(), product.argmax(1).double())
        return Case("rows", (x, gain), right, dtypes=(torch.float32, torch.int32))

    launcher = fake_launcher("float x, float gain", "float value, int32_t place", search)
    nothing = case(torch.full((1, 3), -math.inf), torch.ones(3))
    failure = Failure(nothing, ROUNDS[0], Diagnosis("", specific=False))
    equal = case(
        torch.tensor([[6.0, 2.0, 1.0], [1.0, 1.0, 0.5]]), torch.tensor([1.0, 3.0, 6.0])
    )
    asked = explain_numbers.place_of_an_equal_one
    assert asked(experiments.Experiment(launcher, failure, [])) is None
    for way in ("tried", "following"):
        known = experiments.Experiment(launcher, failure, [], **{way: [equal]})
        assert "but at place 2 and not at 0, the first of equal ones" in asked(known).sentence


@pytest.mark.parametrize("way", ["search", "walk"])
def test_integers_that_are_no_search_have_no_place(fake_launcher, way):
    """Of a walk along places the last one is no place of a number that was found."""

    def walk(launcher, x, count, last):
        count.fill_(9 if way == "search" else 3)
        last.fill_(3)

    x = torch.tensor([9, 3, 1, 9], dtype=torch.int32)
    right = (torch.tensor([9.0 if way == "search" else 3.0]), torch.tensor([0.0]))
    right = tuple(y.double() for y in right)
    case = Case("walk", (x,), right, dtypes=(torch.int32, torch.int32))
    launcher = fake_launcher("int32_t x", "int32_t count, int32_t last", walk)
    failure = Failure(case, ROUNDS[0], Diagnosis("", specific=False))
    told = explain_numbers.place_of_an_equal_one(experiments.Experiment(launcher, failure, []))
    assert bool(told) is (way == "search")


@pytest.mark.parametrize(("threads", "blocks"), [(64, 0), (192, 3)])
def test_blocks_are_counted_that_were_launched(fake_launcher, threads, blocks):
    """A block may have several elements a thread, so that elements tell nothing of blocks."""
    case = doubling(192, arguments={"block_size": 64}, function=lambda x: 2 * x)
    some = experiment(fake_launcher, double, case)
    some.launcher.emulator.largest_launch = LaunchSize((threads // 64, 1, 1), (64, 1, 1))
    some = replace(some, passed=[case])
    assert explain_calls._blocks_that_are_right(some, 64) == blocks


@pytest.mark.parametrize("function", [None, torch.min])
def test_what_lacks_its_last_elements_is_asked_as_a_sum_unless_more_is_known(
    fake_launcher, function
):
    some = experiment(fake_launcher, double, doubling(function=function))
    told = replace(some.failure, diagnosis=replace(VAGUE, tail=True))
    case = explain_numbers._as_sum(replace(some, failure=told))
    assert case.function is (function or torch.sum)


@pytest.mark.parametrize("share", [4, 1])
def test_too_few_threads_show_with_larger_blocks_in_larger_cases(fake_launcher, share):
    """With share 1 the default size has enough threads: a number may stand for blockDim.x."""

    def launch(launcher, x, out, block_size=128, **arguments):
        if share == 1 and block_size == 128:
            out.copy_(2 * x)
            return
        threads = -(-len(x) // 4)
        written = -(-threads // block_size) * block_size
        out[:written] = 2 * x[:written]

    cases = [doubling(n, arguments={"block_size": 128}) for n in (33, 129, 200)]
    case = doubling(33, arguments={"block_size": 32})
    scalars = "int block_size = 128, "
    launcher = fake_launcher("float x", "float out", launch, scalars=scalars)
    failure = run_case(launcher, case, ROUNDS[0])
    some = experiments.Experiment(launcher, failure, (), following=cases)
    told = explain_calls._too_few_threads(some, 32)
    if share == 1:
        assert told == ""
    else:
        words = "nothing is written from index 32 on, and with 128 threads a block from 128 on"
        assert told.startswith(words)
        many = [*cases, doubling(1024, arguments={"block_size": 128})]
        assert explain_calls._too_few_threads(replace(some, following=many), 32) == told


def test_elements_of_a_thread_that_are_left_out_are_no_lack_of_blocks(fake_launcher):
    """With one block of four elements a thread, which takes three, the end is missing."""

    def launch(launcher, x, out, block_size=128, **arguments):
        taken = torch.arange(len(x)) % (4 * block_size) < 3 * block_size
        out[taken] = 2 * x[taken]

    scalars = "int block_size = 128, "
    launcher = fake_launcher("float x", "float out", launch, scalars=scalars)
    failure = run_case(launcher, doubling(127, arguments={"block_size": 32}), ROUNDS[0])
    following = [doubling(n, arguments={"block_size": 128}) for n in (500, 4099)]
    some = experiments.Experiment(launcher, failure, (), following=following)
    assert explain_calls._too_few_threads(some, 32).startswith(
        "32 of every 128 elements were never written: are as many elements counted for a thread"
    )


def test_one_block_has_elements_however_many_there_are(fake_launcher):
    def launch(launcher, x, out, block_size=128, **arguments):
        out[:block_size] = 2 * x[:block_size]

    launcher = fake_launcher("float x", "float out", launch, scalars="int block_size = 128, ")
    failure = run_case(launcher, doubling(33, arguments={"block_size": 32}), ROUNDS[0])
    some = experiments.Experiment(
        launcher, failure, (), following=[*map(doubling, (200, 1024))]
    )
    assert explain_calls._too_few_threads(some, 32).startswith(
        "nothing is written but the first 32 elements, and with 128 threads a block the first "
        "128 (n = 1024), those of one block"
    )
