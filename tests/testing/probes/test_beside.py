"""What lies beside an input must not count: it is changed, and the output is not."""

from dataclasses import replace

import pytest
import torch

from helpers.testing.cases import Case
from helpers.testing.experiment import Experiment
from helpers.testing.experiments import explain_calls
from helpers.testing.mismatch import Diagnosis
from helpers.testing.probes import beside
from helpers.testing.run_case import ROUNDS, Failure

DTYPES = (torch.bool, torch.int8, torch.int64, torch.float16, torch.float8_e4m3fn)


def summing(first, last):
    """Return a kernel that adds up what lies from `first` before to `last` behind its input."""

    def kernel(launcher, x, out, **arguments):
        begin, n = x.storage_offset() - first, len(x) + first + last
        out[0] = x.as_strided((n,), (1,), begin).double().sum()

    return kernel


def case_of(n, dtype=torch.float32, **more):
    x = torch.ones(n).to(dtype)
    return Case(f"n = {n}", (x,), (torch.tensor([n]),), dtypes=(torch.float64,), **more)


def asked(fake_launcher, kernel, case):
    launcher = fake_launcher("float x", "double out", kernel)
    return beside.read(launcher, case, (3, 0))


@pytest.mark.parametrize("n", [1, 5, 300])
def test_what_is_read_beside_an_input_is_named(fake_launcher, n):
    case = case_of(n)
    assert asked(fake_launcher, summing(0, 0), case) is None
    words = "is read, and counts"
    assert asked(fake_launcher, summing(0, 2), case) == f"x[{n}], past the end, {words}"
    assert asked(fake_launcher, summing(2, 0), case) == f"x[-1], before its start, {words}"


@pytest.mark.parametrize("dtype", DTYPES)
def test_of_every_type(fake_launcher, dtype):
    case = case_of(9, dtype)
    told = asked(fake_launcher, summing(0, 1), case)
    assert told == (None if dtype is torch.bool else "x[9], past the end, is read, and counts")
    assert asked(fake_launcher, summing(0, 1), case_of(0, dtype)) is None


def test_tensors_start_where_they_should(fake_launcher):
    seen = []

    def look(launcher, x, out, **arguments):
        seen.append((x.data_ptr() % 256, out.data_ptr() % 256))

    asked(fake_launcher, look, case_of(5))
    assert set(seen) == {(12, 0)}


def counting(times, place):
    """Return a sum that counts one element so often where x starts at no round address."""

    def kernel(launcher, x, out, **arguments):
        more = times - 1 if x.data_ptr() % 16 else 0
        out[0] = x.double().sum() + more * float(x[place])

    return kernel


@pytest.mark.parametrize("offsets", [(0, 0), (3, 0)])
@pytest.mark.parametrize("dtype", [torch.int8, torch.float32])
def test_what_counts_otherwise_in_a_slice_is_named(fake_launcher, dtype, offsets):
    def told(kernel, n=50, **more):
        launcher = fake_launcher("float x", "double out", kernel)
        return beside.counted(launcher, case_of(n, dtype, **more), offsets)

    assert told(counting(2, 3)) == "x[3] counts twice"
    assert told(counting(0, -1)) == "x[49] is left out"
    assert told(counting(1, 0)) is None and told(counting(3, 0)) is None
    assert told(counting(2, 24)) is None  # far from both ends
    assert told(counting(2, 3), ignored=("out",)) is None
    assert told(counting(float("inf"), 3)) is None
    assert told(counting(2, 0), n=5000) is None


def test_a_head_that_is_longer_than_the_row(fake_launcher):
    def peel(launcher, x, out, **arguments):
        head = -x.data_ptr() % 16 // 4
        summing(0, max(0, head - len(x)))(launcher, x, out)

    launcher = fake_launcher("float x", "double out", peel)
    case = replace(case_of(1), offset=(1, 0))
    failure = Failure(case, ROUNDS[0], Diagnosis("1 of 1 elements are wrong", specific=False))
    told = explain_calls.aligned_start(Experiment(launcher, failure, [])).sentence
    assert told.startswith("right only where the tensors start at a round address, and not in")
    assert "x[1], past the end, is read, and counts" in told


@pytest.mark.parametrize(("first", "last"), [(0, 3), (2, 0), (0, 0)])
def test_a_word_that_goes_past_the_end(fake_launcher, first, last):
    """In a buffer that ends at a round address no page is a fault."""

    def asked(was):
        launcher = fake_launcher("float x", "double out", summing(first, last))
        failure = Failure(case_of(5), ROUNDS[0], was)
        told = explain_calls.read_beside(Experiment(launcher, failure, []))
        return told and told.sentence

    told = asked(Diagnosis("1 of 1 elements are wrong", specific=False))
    if last:
        assert told.startswith("x[5], past the end, is read, and counts: does the last word")
    elif first:
        assert told == (
            "x[-1], before its start, is read, and counts: is an index below 0 for the first "
            "elements?"
        )
    else:
        assert told is None
    assert asked(Diagnosis("it is known")) is None
    assert bool(asked(Diagnosis("right to only 5 of 24 bits", nearly=True))) is bool(
        last or first
    )


def test_a_count_of_cycles_depends_on_nothing_beside(fake_launcher):
    """It differs from call to call, and may be alike in the first two by chance."""
    clock = iter([5, 5, *range(100)])

    def kernel(launcher, x, out, cycles, **arguments):
        summing(0, 0)(launcher, x, out)
        cycles[0] = next(clock)

    launcher = fake_launcher("float x", "double out, int64_t cycles", kernel)
    case = case_of(5)
    case = replace(case, expected=case.expected * 2, dtypes=(torch.float64, torch.int64))
    assert beside.read(launcher, replace(case, ignored=("cycles",)), (0, 0, 0)) is None
    clock = iter([5, 5, *range(100)])
    assert beside.read(launcher, case, (0, 0, 0)) == "x[5], past the end, is read, and counts"
