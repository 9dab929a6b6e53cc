"""The timing method: its statistics, what it refuses, and on a GPU that its numbers hang together."""

import random

import pytest
import torch

from helpers.errors import CheckError, NoGpuError
from helpers.measure import bench
from helpers.run import jit, machine
from helpers.testing import check

on_emulator = pytest.mark.skipif(
    machine.present().is_gpu, reason="about a machine without a GPU"
)


def test_quantiles():
    low, median, high = bench._spread([5, 1, 4, 2, 3])
    assert (low, median, high) == (2, 3, 4)


def test_the_precision_shrinks_with_the_spread_and_with_the_samples():
    draw = random.Random(0).gauss
    few, many = ([draw(100, 1) for _ in range(count)] for count in (20, 2000))
    wide = [draw(100, 10) for _ in range(2000)]
    assert bench._precision(many) < bench._precision(few)
    assert bench._precision(wide) == pytest.approx(10 * bench._precision(many), rel=0.3)


def test_the_precision_covers_the_true_median():
    draw = random.Random(1).gauss
    inside = 0
    for _ in range(200):
        samples = [draw(100, 5) for _ in range(40)]
        _, median, _ = bench._spread(samples)
        inside += abs(median - 100) <= bench._precision(samples) * median
    assert inside >= 180  # of 200: about 95%


@pytest.mark.parametrize(
    "method, sets", [("graph hot", 1), ("wall clock", 1), ("graph cold", 20)]
)
def test_cold_rotates_over_four_times_l2(method, sets):
    assert bench.sets_for(method, 12 << 20, 60 << 20) == sets


@on_emulator
def test_no_time_without_a_gpu():
    with pytest.raises(NoGpuError, match="recorded"):
        bench.measure("torch.add", 1024)
    with pytest.raises(NoGpuError):
        bench.measure_roofs()


@on_emulator
def test_without_a_gpu_the_card_is_the_recorded_one(capsys):
    bench.this_card.cache_clear()
    assert bench.this_card().gpu.name == "H200 SXM"
    assert "no GPU here" in capsys.readouterr().out


@pytest.mark.parametrize("dtype", ["float31", 3, "Tensor"])
def test_a_dtype_must_be_one(dtype):
    with pytest.raises(TypeError, match="no dtype"):
        bench._dtype(dtype)


@pytest.fixture
def pretend_gpu(monkeypatch):
    """Enough of a GPU to reach the checks that come before any launch."""
    here = machine.Machine(
        "gpu", "NVIDIA H200", "pretended", "2.11", cc="9.0", sm_count=132, l2_bytes=60 << 20
    )
    monkeypatch.setattr(machine, "present", lambda: here)


def test_what_was_not_checked_is_not_timed(pretend_gpu, monkeypatch):
    monkeypatch.undo()
    kernel = jit.load("v1_f32")
    kernel.verdict = None
    here = machine.Machine(
        "gpu", "NVIDIA H200", "pretended", "2.11", cc="9.0", sm_count=132, l2_bytes=60 << 20
    )
    monkeypatch.setattr(machine, "present", lambda: here)
    with pytest.raises(CheckError, match="check"):
        bench.measure(kernel, 1024)


@pytest.mark.parametrize("elements", [0, -1, 1.5, "many"])
def test_elements_must_be_a_positive_int(pretend_gpu, elements):
    with pytest.raises(ValueError, match="elements"):
        bench.measure("torch.add", elements)


def test_only_kernels_are_measured(pretend_gpu):
    with pytest.raises(TypeError, match=r"torch\.add"):
        bench.measure("torch.sub", 1024)


def test_an_unknown_method_is_refused(pretend_gpu):
    with pytest.raises(ValueError, match="graph hot"):
        bench.measure_calls(
            [lambda: None], kernel="x", elements=1, dtype="x", bytes_moved=1, method="stopwatch"
        )


@pytest.mark.gpu
def test_measurements_hang_together():
    v1 = jit.load("v1_f32")
    check.check(v1)
    small, large = (bench.measure(v1, elements, "float32") for elements in (1 << 20, 1 << 24))
    assert small.time_us < large.time_us
    assert small.low_us <= small.time_us <= small.high_us
    wall = bench.measure(v1, 1 << 24, "float32", method="wall clock")
    assert wall.time_us > 0.9 * large.time_us
    cold = bench.measure(v1, 1 << 20, "float32", method="graph cold")
    assert cold.time_us > small.time_us


@pytest.mark.gpu
def test_a_call_costs_at_most_twice_torch_add():
    v1 = jit.load("v1_f32")
    a, b = torch.randn(1024, device="cuda"), torch.randn(1024, device="cuda")
    out = torch.empty_like(a)
    ours = min(bench.time_wall_clock(lambda: v1(a, b, out), 5000) for _ in range(5))
    torchs = min(
        bench.time_wall_clock(lambda: torch.add(a, b, out=out), 5000) for _ in range(5)
    )
    assert ours <= 2 * torchs
