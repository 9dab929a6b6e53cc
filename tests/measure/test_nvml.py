"""What disturbs a measurement stands beside it; a driver that is silent disturbs nothing."""

import os
import time
from types import SimpleNamespace

import pynvml
import pytest

from helpers.measure import bench, nvml
from helpers.measure.nvml import Watch


class Driver:
    """A fake NVML with the answers a `Watch` needs; None raises an error."""

    def __init__(self, *reasons, processes=1, known=True, busy=()):
        self.reasons, self.processes, self.known = list(reasons), processes, known
        self.asked, self.busy = [], busy

    def handle(self, name):
        self.asked.append(name)
        if not self.known:
            raise pynvml.NVMLError(pynvml.NVML_ERROR_NOT_FOUND)
        return 7

    def throttled(self, handle):
        assert handle == 7
        reason = self.reasons.pop(0) if self.reasons else 0
        if reason is None:
            raise pynvml.NVMLError(pynvml.NVML_ERROR_NOT_SUPPORTED)
        return reason

    def running(self, handle):
        assert handle == 7
        if self.processes is None:
            raise pynvml.NVMLError(pynvml.NVML_ERROR_NO_PERMISSION)
        pids = [os.getpid(), *range(2, self.processes + 1)][: self.processes]
        return [SimpleNamespace(pid=pid) for pid in pids]

    def utilization(self, handle, since_us):
        assert (
            handle == 7 and abs(since_us / 1e6 - time.time()) < 3600
        )  # microseconds since 1970
        if self.busy is None:
            raise pynvml.NVMLError(pynvml.NVML_ERROR_NOT_FOUND)
        return [SimpleNamespace(pid=pid, smUtil=percent) for pid, percent in self.busy]


@pytest.fixture
def driver(monkeypatch):
    def make(*reasons, **options):
        fake = Driver(*reasons, **options)
        monkeypatch.setattr(pynvml, "nvmlInit", lambda: None)
        monkeypatch.setattr(pynvml, "nvmlDeviceGetHandleByUUID", fake.handle)
        monkeypatch.setattr(pynvml, "nvmlDeviceGetCurrentClocksThrottleReasons", fake.throttled)
        monkeypatch.setattr(pynvml, "nvmlDeviceGetComputeRunningProcesses", fake.running)
        monkeypatch.setattr(pynvml, "nvmlDeviceGetProcessUtilization", fake.utilization)
        return fake

    return make


@pytest.mark.parametrize(
    ("uuid", "name"), [("1234", "GPU-1234"), ("GPU-12", "GPU-12"), ("MIG-3", "MIG-3")]
)
def test_a_gpu_is_asked_for_by_its_uuid(driver, uuid, name):
    fake = driver()
    Watch(uuid)
    assert fake.asked == [name]


@pytest.mark.parametrize(
    ("reasons", "words"),
    [
        ((0, 0), ""),
        ((0x1, 0x2, 0x10, 0x100), ""),  # idle, set by the user, sync boost, display
        ((0x4,), "the power limit"),
        ((0x8,), "a hardware slowdown"),
        ((0x80,), "the power supply"),
        ((0, 0x4, 0x40), "the power limit and the temperature"),
        ((0x20, 0x40), "the temperature"),
        ((0x24,), "the power limit and the temperature"),
        ((None, 0x4), "the power limit"),  # refused once
        ((None,), ""),
    ],
)
def test_clocks_that_are_held_down(driver, reasons, words):
    driver(*reasons)
    watch = Watch("1234")
    for _ in reasons:
        watch.look()
    assert watch.notes() == ([f"the clocks were held down by {words}"] if words else [])


@pytest.mark.parametrize(
    ("processes", "count", "who"),
    [
        (None, None, "is something else using the GPU?"),  # refused
        (0, 0, "is something else using the GPU?"),
        (1, 0, "is something else using the GPU?"),
        (2, 1, "1 other process has this GPU open"),
        (3, 2, "2 other processes have this GPU open"),
        (9, 8, "8 other processes have this GPU open"),
    ],
)
def test_who_else_is_there(driver, processes, count, who):
    driver(processes=processes)
    watch = Watch("GPU-1234")
    assert watch.others() == count
    assert watch.notes("median known to 3.0% only") == [f"median known to 3.0% only: {who}"]
    assert watch.notes() == []  # a good number needs no note


ME = os.getpid()


@pytest.mark.parametrize(
    ("processes", "busy", "count"),
    [
        (1, [(ME, 90)], 0),
        (2, [(ME, 90), (2, 0)], 0),  # open, but idle
        (2, [(ME, 50), (2, 50)], 1),
        (2, [(2, 50)], 1),  # this process was not sampled
        (3, [(ME, 30), (2, 1), (3, 30)], 2),
        (0, [(11, 90)], 0),  # a container: one of the numbers is this process's
        (0, [(11, 50), (12, 50)], 1),
        (2, None, 0),  # refused
    ],
)
def test_who_else_is_at_work(driver, processes, busy, count):
    driver(processes=processes, busy=busy)
    watch = Watch("GPU-1234")
    assert watch.busy_others() == count
    words = f"{count} other process{'es' * (count > 1)} ran kernels on this GPU"
    assert watch.notes() == ([words] if count else [])


def test_a_gpu_that_nvml_does_not_know(driver):
    driver(0x4, known=False)
    watch = Watch("1234")
    watch.look()
    assert watch.others() is None and watch.busy_others() == 0 and watch.notes() == []


def test_without_nvml_nothing_is_known(monkeypatch):
    def missing():
        raise pynvml.NVMLError(pynvml.NVML_ERROR_LIBRARY_NOT_FOUND)

    monkeypatch.setattr(pynvml, "nvmlInit", missing)
    assert nvml.ask("nvmlSystemGetDriverVersion") is None and nvml.device("1234") is None
    watch = Watch("1234")
    watch.look()
    assert watch.others() is None and watch.limits == set()
    assert watch.notes() == [] and watch.notes("x") == ["x: is something else using the GPU?"]


@pytest.mark.gpu
def test_this_gpu_answers():
    watch = Watch(bench._gpu_uuid(0))
    began = time.perf_counter()
    for _ in range(20):
        watch.look()
    assert (time.perf_counter() - began) / 20 < 0.005
    assert watch.others() is None or watch.others() >= 0
