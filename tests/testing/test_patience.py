"""What explains a wrong kernel has so much time, and says nothing beyond it."""

import time

import pytest
import torch

from helpers.errors import FaultKind, KernelFault
from helpers.testing import patience, run_cases
from helpers.testing.cases import Case
from helpers.testing.guarded import explanation
from helpers.testing.patience import OutOfTime


@pytest.fixture
def clock(monkeypatch):
    now = [0.0]
    monkeypatch.setattr(time, "process_time", lambda: now[0])
    return now


def test_time_that_is_left(clock):
    assert patience.left() is None
    with patience.within(3.0):
        clock[0] = 1.0
        assert patience.left() == 2.0
        with patience.within(9.0):  # the outer end stays
            assert patience.left() == 2.0
        clock[0] = 3.0
        with pytest.raises(OutOfTime):
            patience.left()
    assert patience.left() is None


def test_a_launch_that_is_cut_short_tells_nothing(clock, fake_launcher):
    launcher = fake_launcher("float x", "float out", None)

    def stopped(seconds):
        with patience.launching(launcher):
            clock[0] += seconds
            raise KernelFault("still running", kind=FaultKind.TIMEOUT)

    with patience.within(3.0):
        with pytest.raises(KernelFault):
            stopped(1.0)  # by a limit of its own
        with pytest.raises(OutOfTime):
            stopped(2.0)
    assert launcher.emulator.seconds == [3.0, 2.0]


def test_without_time_the_plain_facts_stay(clock, fake_launcher, monkeypatch):
    monkeypatch.setenv("ELEMENTWISE_STRICT", "1")
    assert explanation(patience.left) is None

    def slow(launcher, x, out, **arguments):
        clock[0] += 0.004
        out.copy_(x.sin())

    x = torch.arange(1.0, 41)
    case = Case("n = 40", (x,), (x.double(),), dtypes=(torch.float32,))
    monkeypatch.setattr(run_cases, "EXPLAINING_SECONDS", 0.01)
    launcher = fake_launcher("float x", "float out", slow)
    sentence = str(run_cases.run_cases(launcher, [case]).found)
    assert sentence.startswith("40 of 40 elements are wrong") and len(launcher.calls) <= 4
