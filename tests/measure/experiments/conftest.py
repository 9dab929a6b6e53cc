"""A GPU without a clock: the emulator poses as a small card, and each call is made once."""

import dataclasses
from contextlib import nullcontext
from types import SimpleNamespace

import pytest

from helpers.measure import bench, roofs, timing
from helpers.measure.measurement import Measurement
from helpers.run import machine

TIMES = {"time_us": 10.0, "low_us": 9.0, "high_us": 11.0, "repeats": 12}


class _Gpu(timing.Gpu):
    """A GPU on which every call takes half a millisecond."""

    def intervals(self, work, look=lambda: None):
        for call in work:
            call()
        return [500.0] * len(work)


@pytest.fixture
def gpu(monkeypatch):
    """Pose as an H200 of two SMs and 64 KiB of L2; `calls` has what was measured."""
    present = machine.present()
    if present.is_gpu:
        pytest.skip("the real experiments run on a GPU")
    card = dataclasses.replace(
        present, name="NVIDIA H200", cc="9.0", sm_count=2, l2_bytes=1 << 16
    )
    calls = []

    def measure_calls(functions, **arguments):
        calls.append(SimpleNamespace(functions=functions, **arguments))
        functions[0]()
        what = {name: value for name, value in arguments.items() if name != "precision"}
        return Measurement(**{"method": "graph hot", "gpu": card.name} | what | TIMES)

    def measure_copy(x):
        return measure_calls(
            [x.clone], kernel="copy", elements=x.numel(), dtype="", bytes_moved=8 * x.numel()
        )

    monkeypatch.setattr(bench, "require_gpu", lambda: card)
    monkeypatch.setattr(bench, "measure_calls", measure_calls)
    monkeypatch.setattr(roofs, "measure_copy", measure_copy)
    monkeypatch.setattr(bench, "gpu_to_itself", nullcontext)
    monkeypatch.setattr(timing, "GPU", _Gpu())
    return SimpleNamespace(card=card, calls=calls)


@pytest.fixture
def no_check(monkeypatch):
    """Take every kernel as right: its own tests check it."""
    from helpers.testing import check

    monkeypatch.setattr(check, "check", lambda kernel, *_, **__: kernel)
