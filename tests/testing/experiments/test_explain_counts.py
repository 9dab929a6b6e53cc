"""One whole number made of many elements: what is wrong with it, told only of several cases."""

import itertools
from dataclasses import replace
from types import SimpleNamespace

import pytest
import torch

from helpers.testing.cases import Case
from helpers.testing.experiment import Experiment
from helpers.testing.experiments import explain_counts
from helpers.testing.mismatch import Diagnosis
from helpers.testing.run_case import ROUNDS, Failure

VAGUE = Diagnosis("it is wrong", specific=False)
SIZES = (1, 31, 96, 97, 1000, 50_001)


def flags(n, share=0.5):
    x = torch.rand(n, generator=torch.Generator().manual_seed(n)) < share
    right = x.sum().double().reshape(1)
    return Case(f"n = {n}", (x.to(torch.uint8),), (right,), dtypes=(torch.int64,))


def asked(fake_launcher, kernel, cases=None):
    """Prepare the experiments on a function of flags."""

    def launch(launcher, x, out, **arguments):
        out[0] = kernel(x.long())

    launcher = fake_launcher("uint8_t x", "int64_t out", launch)
    cases = cases or [flags(n, share) for n in SIZES for share in (0.5, 1.1)]
    are_wrong = [kernel(case.inputs[0].long()) != case.expected[0] for case in cases]
    wrong = list(itertools.compress(cases, are_wrong))
    passed = [case for case, is_wrong in zip(cases, are_wrong, strict=True) if not is_wrong]
    failure = Failure(wrong[0] if wrong else cases[0], ROUNDS[0], VAGUE)
    return Experiment(launcher, failure, passed, following=wrong[1:])


def warps_any(x):
    return torch.nn.functional.pad(x, (0, -len(x) % 32)).view(-1, 32).amax(1).sum()


def test_a_warp_that_counts_as_one(fake_launcher):
    told = explain_counts.of_groups(asked(fake_launcher, warps_any)).sentence
    assert told.startswith(
        "1 comes out of 31 elements, and 1,563 of 50,001, one for each 32: does"
    )
    assert "a warp count as one" in told
    for kernel in (torch.sum, lambda x: x.sum() // 2, lambda x: x[::32].sum(), lambda x: 3):
        assert explain_counts.of_groups(asked(fake_launcher, kernel)) is None
    few = [flags(n) for n in (96, 1000)]
    assert explain_counts.of_groups(asked(fake_launcher, warps_any, few)) is None


@pytest.mark.parametrize("bits", [8, 16])
def test_a_total_that_wraps_around(fake_launcher, bits):
    cases = [flags(n, share) for n in (*SIZES, 70_000, 100_000) for share in (0.9, 1.1)]
    some = asked(fake_launcher, lambda x: x.sum() % (1 << bits), cases)
    told = explain_counts.wrapped(some).sentence
    assert (
        f"off by a multiple of {1 << bits:,}, " in told and f"held in {bits} bits, too" in told
    )
    for kernel in (torch.sum, lambda x: x.sum() // 2, lambda x: x[: len(x) // 256 * 256].sum()):
        assert explain_counts.wrapped(asked(fake_launcher, kernel, cases)) is None
    equal = [case for case in cases if bool((case.inputs[0] == 1).all())]
    some = asked(fake_launcher, lambda x: x.sum() % (1 << bits), equal)
    assert explain_counts.wrapped(some) is None  # whole blocks may be left out


def test_what_is_no_whole_number_of_many(fake_launcher):
    some = asked(fake_launcher, warps_any)
    for changes in ({"function": torch.sum}, {"reference": torch.sum}):
        other = replace(some.failure, case=replace(some.case, **changes))
        assert explain_counts._totals(replace(some, failure=other)) == []
    halves = replace(some.case, expected=(torch.tensor([0.5]),))
    assert (
        explain_counts._totals(replace(some, failure=replace(some.failure, case=halves))) == []
    )


def test_an_index_that_is_held_in_a_float(fake_launcher):
    n = (1 << 24) + 101
    x = (torch.arange(n) % 3).to(torch.uint8)
    case = Case(f"n = {n}", (x,), (x.sum().double()[None],), dtypes=(torch.int64,))

    def in_a_float(x):
        even = x[(1 << 24) :: 2]
        return x[: 1 << 24].sum() + even.sum() + even[1:].sum()

    told = explain_counts.index_in_a_float(asked(fake_launcher, in_a_float, [case]))
    assert told.sentence.startswith("of the elements from 2^24 on those at odd places are left")
    for other in (lambda x: x[: 1 << 24].sum(), lambda x: x.sum() + 1, lambda x: x[::2].sum()):
        some = asked(fake_launcher, other, [case])
        assert explain_counts.index_in_a_float(some) is None
    few = asked(fake_launcher, in_a_float, [flags(100)])
    assert explain_counts.index_in_a_float(few) is None


@pytest.mark.parametrize("n", [70_000, 60_000])
def test_a_count_of_elements_in_16_bits(fake_launcher, n):
    some = asked(fake_launcher, lambda x: x[: len(x) % (1 << 16)].sum(), [flags(n)])
    told = explain_counts.count_of_16_bits(some)
    if n < 1 << 16:
        assert told is None
        return
    assert told.sentence.startswith("of 70,000 ones the sum is 4,464, the remainder of their")
    for kernel in (torch.sum, lambda x: x[:4465].sum(), lambda x: 4464 + x.sum()):
        some = asked(fake_launcher, kernel, [flags(n)])
        assert explain_counts.count_of_16_bits(some) is None


def test_what_a_block_does_as_its_second_row(fake_launcher, monkeypatch):
    """Three blocks have eight rows, or 32 threads 80 numbers."""
    seen = SimpleNamespace(blocks=3, threads=32, stopped=False)
    monkeypatch.setattr(explain_counts.races, "cooperates", lambda launcher: True)
    monkeypatch.setattr(explain_counts.races, "traced", lambda *call: seen)

    def told(x, first, diagnosis=VAGUE):
        def kernel(launcher, x, out, **arguments):
            out.copy_(x)
            out[first:] += 1

        launcher = fake_launcher("float x", "float out", kernel)
        case = Case("a case", (x,), (x.double(),), dtypes=(torch.float32,))
        failure = Failure(case, ROUNDS[0], diagnosis)
        return explain_counts.second_round(Experiment(launcher, failure, []))

    rows, numbers = torch.arange(40.0).reshape(8, 5), torch.arange(80.0)
    assert told(rows, 3).sentence.startswith(
        "right up to row 2, and wrong in rows behind it, and the launch has 3 blocks: just "
        "what a block does as its second row is wrong."
    )
    assert "as its second element is wrong" in told(numbers, 32).sentence
    assert told(rows, 4) is None and told(numbers, 31) is None and told(numbers, 80) is None
    assert told(rows, 3, Diagnosis("it is known")) is None
    assert told(rows, 3, Diagnosis("the last row", ends=True))
    seen.stopped = True
    assert told(rows, 3) is None
    monkeypatch.setattr(explain_counts.races, "traced", lambda *call: None)
    assert told(rows, 3) is None


@pytest.mark.parametrize(
    ("n", "before", "written", "told"),
    [
        (1 << 16, 65_535, 0, True),
        (3 << 16, 40_000, 0, True),
        (1 << 16, 4096, 0, False),  # it may write nothing of many
        ((1 << 16) + 1, 65_535, 0, False),
        (1 << 16, 65_535, 5, False),
    ],
)
def test_a_count_of_16_bits_that_is_0(fake_launcher, n, before, written, told):
    def doubled(n):
        x = torch.ones(n)
        return Case(f"n = {n}", (x,), (2 * x.double(),), dtypes=(torch.float32,))

    launcher = fake_launcher("float x", "float out", lambda *_, **__: None)
    nothing = Diagnosis("nothing was written", written=written, wrong=n, unwritten=True)
    failure = Failure(doubled(n), ROUNDS[0], nothing)
    some = Experiment(launcher, failure, [doubled(before)])
    diagnosis = explain_counts.nothing_of_2_to_the_16(some)
    assert bool(diagnosis) is told
    if told:
        assert "a multiple of 2^16" in diagnosis.sentence
    fault = replace(some, failure=replace(failure, fault="a fault"))
    assert explain_counts.nothing_of_2_to_the_16(fault) is None
