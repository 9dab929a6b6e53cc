"""Two who time on one GPU take turns and see for whom they wait; what disturbs a measurement stands beside it."""

import os
import re
import subprocess
import sys
import time
from contextlib import nullcontext

import pytest
import torch

from helpers.measure import bench, nvml, store
from helpers.measure.nvml import Watch
from helpers.run import machine
from helpers.run.locks import lock

# A notebook that times for a while, on a GPU that is made up; it writes down when it began and ended.
NOTEBOOK = """
import sys, time
from pathlib import Path
from helpers.measure import bench
from helpers.run import locks, machine
here = machine.Machine("gpu", "NVIDIA H200", "made up", "2.11", cc="9.0", index=0)
machine.present = lambda: here
bench._gpu_uuid = lambda index: sys.argv[1]
locks.SAY_AFTER_SECONDS = 0.3
print("ready", flush=True)
sys.stdin.readline()
with bench.gpu_to_itself():
    began = time.monotonic()
    with bench.gpu_to_itself():  # a measurement of several measurements
        time.sleep(0.8)
    print(began, time.monotonic(), flush=True)
"""


def test_two_notebooks_take_turns_and_say_so():
    uuid = f"test-{os.getpid()}-{time.monotonic_ns()}"
    notebooks = [
        subprocess.Popen(
            [sys.executable, "-c", NOTEBOOK, uuid],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for _ in range(2)
    ]
    for notebook in notebooks:
        assert notebook.stdout.readline() == "ready\n"
    for notebook in notebooks:
        notebook.stdin.write("go\n")
        notebook.stdin.flush()
    said = [notebook.communicate(timeout=60) for notebook in notebooks]
    (first_begin, first_end), (second_begin, second_end) = sorted(
        tuple(map(float, out.split())) for out, _ in said
    )
    assert first_begin < first_end <= second_begin < second_end
    waits = [error for _, error in said if error]
    assert (
        len(waits) == 1
        and "waiting to time on this GPU, which another notebook is timing on: process "
        in waits[0]
    )


def test_each_gpu_has_a_lock_of_its_own(monkeypatch):
    monkeypatch.setattr(bench, "_gpu_uuid", lambda index: f"GPU-{index}")
    assert bench._gpu_lock_path(0) != bench._gpu_lock_path(1)


# ---- what disturbs ------------------------------------------------------------------------------------------------


class Driver:
    """NVML, as far as a `Watch` asks it."""

    def __init__(self, *reasons, processes=1):
        self.reasons, self.processes = list(reasons), processes

    def nvmlDeviceGetHandleByUUID(self, name, handle):
        assert name == b"GPU-1234"
        handle._obj.value = 1
        return 0

    def nvmlDeviceGetCurrentClocksThrottleReasons(self, handle, bits):
        bits._obj.value = self.reasons.pop(0) if self.reasons else 0
        return 0

    def nvmlDeviceGetComputeRunningProcesses_v3(self, handle, count, infos):
        count._obj.value = self.processes
        return 7 if self.processes else 0


@pytest.fixture
def driver(monkeypatch):
    def make(*reasons, **options):
        driver = Driver(*reasons, **options)
        monkeypatch.setattr(nvml, "_library", lambda: driver)
        return driver

    return make


@pytest.mark.parametrize(
    ("reasons", "words"),
    [
        ((0, 0), []),
        (
            (0x1, 0x2, 0x10, 0x100),
            [],
        ),  # idle, set by the user, sync boost, display: no disturbance
        ((0x4,), ["the clocks were held down by the power limit"]),
        ((0, 0x4, 0x40), ["the clocks were held down by the power limit and the temperature"]),
        ((0x20, 0x40), ["the clocks were held down by the temperature"]),
    ],
)
def test_clocks_that_are_held_down(driver, reasons, words):
    driver(*reasons)
    watch = Watch("1234")
    for _ in reasons:
        watch.look()
    assert watch.notes() == words


@pytest.mark.parametrize(
    ("processes", "who"),
    [
        (1, "is something else using the GPU?"),
        (2, "1 other process has this GPU open"),
        (9, "8 other processes have"),
    ],
)
def test_who_else_is_there(driver, processes, who):
    driver(processes=processes)
    (note,) = Watch("GPU-1234").notes("median known to 3.0% only")
    assert note.startswith(f"median known to 3.0% only: {who}")
    assert Watch("1234").notes() == []  # as long as the number is good, it is nobody's business


def test_without_a_driver_nothing_is_known(monkeypatch):
    monkeypatch.setattr(nvml, "_library", lambda: None)
    watch = Watch("1234")
    watch.look()
    assert watch.notes() == [] and watch.notes("x") == ["x: is something else using the GPU?"]


@pytest.mark.parametrize(
    ("method", "samples", "words"),
    [
        ("graph hot", [100.0] * 50, ""),
        ("graph hot", [100.0, 150.0] * 25, r"median known to \d+\.\d% only"),
        ("wall clock", [100.0, 105.0, 102.0], ""),
        ("wall clock", [100.0, 150.0, 102.0], "the three repeats differ by 49%"),
    ],
)
def test_a_spread_that_is_too_wide(method, samples, words):
    assert re.fullmatch(words, bench._imprecise(samples, method, 0.005))


def test_the_notes_stand_beside_the_number(driver, monkeypatch):
    """From the driver's bits to what a cell prints, without a GPU."""
    driver(0x4, processes=3)
    here = machine.Machine(
        "gpu", "NVIDIA H200", "made up", "2.11", cc="9.0", l2_bytes=60 << 20, index=0
    )
    monkeypatch.setattr(machine, "present", lambda: here)
    monkeypatch.setattr(bench, "gpu_to_itself", nullcontext)
    monkeypatch.setattr(bench, "_gpu_uuid", lambda index: "1234")

    def time_graph(calls, precision, look):
        look()
        return [100.0, 130.0] * 20

    monkeypatch.setattr(bench, "time_graph", time_graph)
    result = bench.measure_calls(
        [lambda: None], kernel="k", elements=10, dtype="float32", bytes_moved=120
    )
    assert (
        "only: 2 other processes have this GPU open; the clocks were held down by the power limit"
        in str(result)
    )


@pytest.mark.gpu
def test_this_gpu_answers():
    watch = Watch(bench._gpu_uuid(torch.cuda.current_device()))
    torch.zeros(1, device="cuda")
    began = time.perf_counter()
    for _ in range(20):
        watch.look()
    assert (time.perf_counter() - began) / 20 < 0.005
    assert watch.others() >= 0


@pytest.mark.gpu
def test_a_neighbour_at_work_is_noticed():
    """A process that uses the GPU without taking turns: the spread, or the time, shows it, and the note says so."""
    code = "import torch; x = torch.ones(1 << 28, device='cuda'); print('on', flush=True)\nwhile True: x.mul_(1.0)"
    quiet = bench.measure("torch.add", 1 << 24)
    neighbour = subprocess.Popen(
        [sys.executable, "-c", code], stdout=subprocess.PIPE, text=True
    )
    try:
        assert neighbour.stdout.readline() == "on\n"
        loud = bench.measure("torch.add", 1 << 24)
    finally:
        neighbour.kill()
        neighbour.wait()
    print(quiet, loud, sep="\n")
    assert loud.time_us < 1.2 * quiet.time_us or loud.note


# ---- what the timing and the records refuse -------------------------------------------------------------------

NONSENSE = [None, 3, 1.5, True, b"torch.add", [1], {}, torch.zeros(3), object()]


@pytest.fixture
def launches_nothing(monkeypatch):
    """A GPU that is made up, on which nothing may be allocated or launched."""

    def never(*args, **options):
        raise AssertionError("something was allocated or timed")

    here = machine.Machine(
        "gpu", "NVIDIA H200", "made up", "2.11", cc="9.0", l2_bytes=60 << 20, index=0
    )
    monkeypatch.setattr(machine, "present", lambda: here)
    for name in ("add_buffers", "time_graph", "time_wall_clock", "gpu_to_itself"):
        monkeypatch.setattr(bench, name, never)


@pytest.mark.parametrize("value", [*NONSENSE, -1, "warm"])
def test_nonsense_is_not_timed(launches_nothing, value):
    calls = [
        lambda: bench.measure(value, 1024),
        lambda: bench.measure("torch.add", 1024, method=value),
        lambda: bench.measure("torch.add", 1024, precision=value),
        lambda: bench.measure_calls(
            [], kernel="k", elements=1, dtype="x", bytes_moved=1, method=value
        ),
    ]
    if not isinstance(value, int) or isinstance(value, bool) or value < 1:
        calls.append(lambda: bench.measure("torch.add", value))
        calls.append(lambda: bench.sweep(["torch.add"], [value]))
    if value is not None:
        calls.append(lambda: bench.measure("torch.add", 1024, value))
    for call in calls:
        with pytest.raises((TypeError, ValueError)):
            call()


@pytest.mark.parametrize("value", NONSENSE)
def test_nonsense_is_not_recorded(tmp_path, value):
    path = tmp_path / "runs.csv"
    for call in (
        lambda: store.append([value], "test", path),
        lambda: store.frame([value]),
        lambda: store.measured_or_recorded([value]),
        lambda: store.launcher_block_size(value),
        lambda: store.write_roofs(value, path),
    ):
        with pytest.raises((TypeError, ValueError)):
            call()
    assert not list(tmp_path.iterdir())


def test_a_lock_that_nobody_holds_costs_nothing(tmp_path):
    began = time.monotonic()
    for _ in range(20):
        with lock(tmp_path / "x.lock", "to test"):
            pass
    assert time.monotonic() - began < 1
