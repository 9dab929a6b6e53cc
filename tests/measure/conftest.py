"""A GPU that is made up: a fake clock, replays as long as a test says, a folder of records."""

from contextlib import nullcontext

import pytest

from helpers import paths
from helpers.measure import bench, timing
from helpers.measure.measurement import Measurement
from helpers.run import machine


class FakeGpu(timing.Gpu):
    """A clock that moves by sleep and work only; `us` is the time of the k-th timed call."""

    def __init__(self, us=lambda k: 100.0):
        self.us, self.clock, self.timed, self.captured, self.slept = us, 0.0, 0, [], []
        self.eager_us = 100.0  # of a call outside of a graph

    def now(self):
        return self.clock

    def sleep(self, seconds):
        self.slept.append(seconds)
        self.clock += seconds

    def synchronize(self):
        pass

    def capture(self, calls, launches):
        self.captured.append((list(calls), launches))
        return lambda: launches

    def intervals(self, work, look=lambda: None):
        took = []
        for call in work:
            launches = call()
            took.append(self.us(self.timed) * (launches if isinstance(launches, int) else 1))
            self.timed += 1
        self.clock += sum(took) / 1e6
        look()
        return took

    def call_us(self, calls):
        for call in calls:
            call()
        return self.eager_us


@pytest.fixture
def fake_gpu(monkeypatch):
    """Pretend an H200 with a fake clock; returns its FakeGpu."""
    gpu = FakeGpu()
    here = machine.Machine(
        "gpu",
        "NVIDIA H200",
        "made up",
        "2.11",
        cc="9.0",
        sm_count=132,
        l2_bytes=60 << 20,
        memory_bytes=140 << 30,
        driver="580",
        cuda="13.0",
        index=0,
    )
    monkeypatch.setattr(machine, "present", lambda: here)
    monkeypatch.setattr(machine.Machine, "device", "cpu")
    monkeypatch.setattr(timing, "GPU", gpu)
    monkeypatch.setattr(bench, "gpu_to_itself", nullcontext)
    monkeypatch.setattr(bench, "_gpu_uuid", lambda index: "1234")
    return gpu


@pytest.fixture
def measurement():
    """Make a Measurement of V1; keywords replace its fields."""

    def make(time_us=10.0, **changes):
        fields = {
            "kernel": "v1_f32",
            "elements": 1 << 20,
            "dtype": "float32",
            "method": "graph hot",
            "time_us": time_us,
            "low_us": time_us - 1,
            "high_us": time_us + 1,
            "repeats": 24,
            "bytes_moved": 12 << 20,
            "gpu": "NVIDIA Test",
            "block_size": 256,
        }
        return Measurement(**(fields | changes))

    return make


@pytest.fixture
def check_declaration():
    """Compare a Table with its committed file: dtypes, key, decimals, command, the README.

    of_the_past: no command records it any more.
    """

    def check(table, of_the_past=False):
        rows = table.load(latest=False)
        assert [str(kind) for kind in rows.dtypes] == list(table.columns.values())
        assert set(table.key) <= set(table.columns) and len(set(table.key)) == len(table.key)
        assert set(table.decimals) <= set(table.columns)
        for name, decimals in table.decimals.items():
            values = rows[name].dropna()
            assert (values == values.round(decimals)).all(), name
            assert decimals == 0 or (values != values.round(decimals - 1)).any(), name
        readme = (paths.DATA / "README.md").read_text(encoding="utf-8")
        (line,) = [one for one in readme.splitlines() if one.startswith(f"| `{table.name}` |")]
        script = table.command.startswith("python tools/record.py ")
        assert of_the_past or f"`{'make record' if script else table.command}`" in line
        return rows

    return check
