"""A setting's candidates are checked, captured in their context, and timed in turn."""

import torch

from helpers.measure.libraries import interleaved
from helpers.measure.libraries.candidates import Candidate
from helpers.measure.libraries.interleaved import BETWEEN, COLD, HOT, Setting
from helpers.measure.libraries.operators import Operator

ADD = Operator.of("add", "float32", "float32")


def candidate(name="torch", error=0.0, note=None):
    def bind(inputs, out):
        def call():
            torch.add(*inputs, out=out).add_(error)
            if note is not None:
                note.append("ours")

        return call

    return Candidate(name, "1", bind)


def no_driver(monkeypatch):
    monkeypatch.setattr(interleaved, "_handle", lambda: None)


def test_candidates_are_timed_in_turn(fake_gpu, monkeypatch):
    no_driver(monkeypatch)
    some = [candidate("course"), candidate("torch")]
    times, state = interleaved.measure(Setting(ADD, 1000, HOT), some, rounds=3)
    assert list(times) == some and all(len(t.samples) == 3 for t in times.values())
    assert fake_gpu.timed == 2 * 2 * 3  # one replay warms up
    assert [len(calls) for calls, _ in fake_gpu.captured] == [1, 1]
    assert state == (None, None, None, "")


def test_cold_takes_sets_of_buffers_in_turn(fake_gpu, monkeypatch):
    no_driver(monkeypatch)
    interleaved.measure(Setting(ADD, 10 << 20, COLD), [candidate()], rounds=2)
    ((calls, launches),) = fake_gpu.captured
    assert len(calls) == 2 and launches % 2 == 0 and fake_gpu.timed == 2


def test_a_wrong_candidate_is_left_out_and_said(fake_gpu, monkeypatch, capsys):
    no_driver(monkeypatch)
    some = [candidate("course", 2.0**-20), candidate("torch"), candidate("CUB", 1.0)]
    times, _ = interleaved.measure(Setting(ADD, 1000, HOT, (1, 0, 0)), some, rounds=1)
    assert [one.name for one in times] == ["torch"]
    said = capsys.readouterr().out
    assert "course is left out of add float32, 1,000, graph hot, offsets 1 0 0" in said
    assert "CUB is wrong by" in said


def test_between_kernels_of_pytorch(fake_gpu, monkeypatch):
    no_driver(monkeypatch)
    order = []
    flipped = torch.neg
    monkeypatch.setattr(torch, "neg", lambda x, out: order.append("neg") or flipped(x, out=out))
    one = candidate(note=order)
    interleaved.measure(Setting(ADD, 100, BETWEEN), [one], rounds=1)
    ((calls, _),) = fake_gpu.captured
    order.clear()
    calls[0]()
    assert order == ["neg", "ours"]


def test_the_drivers_state_is_read(monkeypatch):
    answers = {
        "nvmlDeviceGetCurrentClocksThrottleReasons": 4,
        "nvmlDeviceGetPowerUsage": 612_500,
    }
    monkeypatch.setattr(interleaved, "_handle", lambda: "a GPU")
    monkeypatch.setattr(
        interleaved.driver,
        "ask",
        lambda question, handle, kind=0: answers.get(question, {1: 1980, 2: 3201}.get(kind)),
    )
    assert interleaved.state() == (1980, 3201, 612.5, "the power limit")
    answers.clear()
    assert interleaved.state() == (1980, 3201, None, "")


def test_a_setting_as_text():
    assert str(Setting(ADD, 1 << 20, HOT)) == "add float32, 1,048,576, graph hot"
    assert Setting(ADD, 1, HOT, (1, 2, 0)).offsets_text == "1 2 0"
