"""bench: bytes and buffers of a measurement, refused arguments, the lock on the GPU."""

import contextlib
import dataclasses
import os
import subprocess
import sys
from types import SimpleNamespace

import pynvml
import pytest
import torch

from helpers.errors import CheckError, NoGpuError
from helpers.measure import bench, timing
from helpers.measure.timing import Times
from helpers.run import jit, machine
from helpers.run.locks import lock
from helpers.testing import check

on_emulator = pytest.mark.skipif(
    machine.present().is_gpu, reason="about a machine without a GPU"
)
SAMPLES = [99 + k / 10 for k in range(21)]
STEADY = Times((tuple(SAMPLES[::2]), tuple(SAMPLES[1::2])))


@pytest.fixture
def timed(fake_gpu, monkeypatch):
    """Make each call once, and give it STEADY times; returns what was asked."""
    asked = {}

    def time_graph(calls, precision, look):
        asked.update(calls=calls, precision=precision)
        for call in calls:
            call()
        look()
        return STEADY

    def time_wall_clock(call, look):
        asked.update(wall_clock=call)
        return Times(((1.0,), (2.0,), (1.5,)))

    monkeypatch.setattr(timing, "time_graph", time_graph)
    monkeypatch.setattr(timing, "time_wall_clock", time_wall_clock)
    monkeypatch.setattr(torch.cuda, "mem_get_info", lambda: (1 << 40, 1 << 40))
    for name in ("memory_reserved", "memory_allocated"):
        monkeypatch.setattr(torch.cuda, name, lambda: 0)
    return asked


@pytest.fixture(scope="module")
def v1():
    kernel = jit.load("v1_f32")
    check.check(kernel)
    return kernel


# ---- additions -----------------------------------------------------------------------------


@pytest.mark.parametrize(("dtype", "moved"), [("float32", 12_000), ("float16", 6_000)])
def test_an_addition_moves_three_tensors(timed, dtype, moved):
    result = bench.measure("torch.add", 1000, dtype)
    assert result.bytes_moved == moved and result.flops == 1000
    assert result.gb_per_s == pytest.approx(moved / 100 / 1e3)
    assert (result.time_us, result.low_us, result.high_us) == (100, 99.4, 100.6)
    assert result.repeats == 21 and result.noise_percent == pytest.approx(0.377, abs=1e-3)
    assert (result.kernel, result.elements, result.dtype) == ("torch.add", 1000, dtype)
    assert (result.method, result.gpu, result.block_size) == ("graph hot", "NVIDIA H200", None)


def test_hot_is_one_set_of_buffers_and_the_sum_is_made(timed):
    bench.measure("torch.add", 64)
    (call,) = timed["calls"]
    a, b, out = call.args
    assert torch.equal(out, a + b) and timed["precision"] == 0.005


def test_cold_sets_pass_four_times_l2(timed):
    elements = 6 << 20  # 72 MiB a set; 4 x 60 MiB of L2
    bench.measure("torch.add", elements, method="graph cold")
    assert len(timed["calls"]) == 4  # 3 sets would be 216 MiB
    assert len({tensor.data_ptr() for call in timed["calls"] for tensor in call.args}) == 12


@pytest.mark.parametrize(
    ("method", "bytes_of_one", "sets"),
    [
        ("graph hot", 1, 1),
        ("wall clock", 1, 1),
        ("graph cold", 10, 4),
        ("graph cold", 11, 4),
        ("graph cold", 13, 4),
        ("graph cold", 14, 3),
        ("graph cold", 40, 1),
        ("graph cold", 1000, 1),
    ],
)
def test_how_many_sets_of_buffers(method, bytes_of_one, sets):
    assert bench.sets_for(method, bytes_of_one, l2_bytes=10) == sets


def test_the_wall_clock_times_one_set(timed):
    result = bench.measure("torch.add", 64, method="wall clock", precision=0.5)
    assert timed["wall_clock"].args and "calls" not in timed
    assert result.time_us == 1.5 and result.method == "wall clock" and result.repeats == 3


@on_emulator  # the stand-in's tensors lie on the CPU
def test_a_kernel_in_its_own_blocks_or_in_others(timed, v1):
    own, other = bench.measure(v1, 1000), bench.measure(v1, 1000, block_size=64)
    assert (own.block_size, other.block_size) == (256, 64)
    assert (own.kernel, own.dtype, own.bytes_moved) == ("v1_f32", "float32", 12_000)
    a, b, out = timed["calls"][0].args
    assert torch.equal(out, a + b) and timed["calls"][0].keywords == {"block_size": 64}


def test_buffers_must_fit_the_card(timed, monkeypatch):
    monkeypatch.setattr(torch.cuda, "mem_get_info", lambda: (11_999, 0))
    with pytest.raises(torch.OutOfMemoryError, match=r"1 x 3 tensors of 1,000 torch\.float32"):
        bench.measure("torch.add", 1000)
    monkeypatch.setattr(torch.cuda, "memory_reserved", lambda: 3)  # one byte more serves
    monkeypatch.setattr(torch.cuda, "memory_allocated", lambda: 2)
    bench.measure("torch.add", 1000)
    monkeypatch.setattr(torch.cuda, "mem_get_info", lambda: (11_998, 0))
    with pytest.raises(torch.OutOfMemoryError):
        bench.measure("torch.add", 1000)


def test_buffers_are_triples_of_the_dtype(timed):
    buffers = bench.add_buffers(8, torch.float16, 2)
    assert [len(tensors) for tensors in buffers] == [3, 3]
    assert {(t.dtype, t.shape) for ts in buffers for t in ts} == {(torch.float16, (8,))}
    assert not torch.equal(buffers[0][0], buffers[0][1])


def test_a_sweep_measures_every_kernel_at_every_size(timed, v1):
    rows = bench.sweep([v1, "torch.add"], [32, 64], "float32", method="wall clock")
    assert [(row.kernel, row.elements) for row in rows] == [
        ("v1_f32", 32),
        ("torch.add", 32),
        ("v1_f32", 64),
        ("torch.add", 64),
    ]
    assert {row.method for row in rows} == {"wall clock"}


def test_an_empty_kernel_moves_nothing(timed, monkeypatch):
    monkeypatch.setattr(jit, "load", lambda name: FakeEmpty() if name == "empty" else None)
    result = bench.measure_empty(1 << 20, 64)
    assert (result.kernel, result.elements, result.block_size) == ("empty", 1 << 20, 64)
    assert result.bytes_moved == 0 and FakeEmpty.launched == (1 << 20, 64)


class FakeEmpty:
    launched = None

    @classmethod
    def launch_blocks(cls, blocks, block_size):
        cls.launched = blocks, block_size


@pytest.mark.parametrize(
    ("kernel", "size"), [("torch.add", None), ("v1_f32", 256), ("v5_f16x8", 32)]
)
def test_the_launchers_own_block_size(kernel, size):
    loaded = kernel if "." in kernel else jit.load(kernel)
    assert bench.launcher_block_size(loaded) == size


# ---- calls ---------------------------------------------------------------------------------


def test_what_a_call_was_told_is_kept(timed):
    result = bench.measure_calls(
        [lambda: None],
        kernel="k",
        elements=3,
        dtype="int32",
        bytes_moved=50,
        flops=6,
        block_size=64,
        precision=0.02,
        parameter=0.5,
        dials={"padding": 1},
    )
    assert (result.bytes_moved, result.flops, result.block_size) == (50, 6, 64)
    assert (result.parameter, result.dials, result.note) == (0.5, {"padding": 1}, "")
    assert timed["precision"] == 0.02


@pytest.mark.parametrize(
    ("method", "batches", "words"),
    [
        ("graph hot", [100.0, 100.0], ""),
        ("graph hot", [100.0, 100.15], ""),  # 12.7 x 0.075: 0.95%, less than twice 0.5%
        ("graph hot", [100.0, 100.2], "median known to 1.3% only"),
        ("graph hot", [100.0, 150.0], "median known to 254.1% only"),
        ("wall clock", [100.0, 105.0, 102.0], ""),
        ("wall clock", [100.0, 110.0, 100.0], ""),
        ("wall clock", [100.0, 150.0, 102.0], "the three repeats differ by 49%"),
    ],
)
def test_a_spread_that_is_too_wide(method, batches, words):
    times = Times(tuple((us,) for us in batches))
    assert bench._imprecise(times, method, 0.005) == words


def test_the_notes_stand_beside_the_number(fake_gpu, monkeypatch):
    """From the driver's bits to what a cell prints, without a GPU."""
    monkeypatch.setattr(pynvml, "nvmlInit", lambda: None)
    monkeypatch.setattr(pynvml, "nvmlDeviceGetHandleByUUID", lambda name: name)
    monkeypatch.setattr(pynvml, "nvmlDeviceGetCurrentClocksThrottleReasons", lambda _: 0x4)
    processes = [SimpleNamespace(pid=pid) for pid in (1, 2, 3)]
    monkeypatch.setattr(pynvml, "nvmlDeviceGetComputeRunningProcesses", lambda _: processes)
    monkeypatch.setattr(pynvml, "nvmlDeviceGetProcessUtilization", lambda _, since_us: [])
    fake_gpu.us = lambda k: 100.0 + 30 * (k // 15 % 2)
    result = bench.measure_calls(
        [lambda: None], kernel="k", elements=10, dtype="float32", bytes_moved=120
    )
    assert (
        "only: 2 other processes have this GPU open; "
        "the clocks were held down by the power limit" in str(result)
    )
    assert result.noise_percent > 1


# ---- what is refused -----------------------------------------------------------------------


@on_emulator
def test_no_time_without_a_gpu():
    calls = [
        lambda: bench.measure("torch.add", 8),
        lambda: bench.sweep(["torch.add"]),
        lambda: bench.measure_calls([], kernel="k", elements=1, dtype="x", bytes_moved=1),
    ]
    for call in calls:
        with pytest.raises(
            NoGpuError, match=r"no time without a GPU.*; store\.load\(.ladder.\)"
        ):
            call()


@pytest.fixture
def launches_nothing(fake_gpu, monkeypatch):
    """Make up a GPU on which nothing may be allocated or launched."""

    def never(*args, **options):
        raise AssertionError("something was allocated or timed")

    monkeypatch.setattr(bench, "add_buffers", never)
    monkeypatch.setattr(bench, "gpu_to_itself", never)
    for name in ("time_graph", "time_wall_clock"):
        monkeypatch.setattr(timing, name, never)


def test_a_kernel_that_was_not_checked_is_not_timed(launches_nothing, v1, monkeypatch):
    monkeypatch.setattr(v1, "verdict", None)
    with pytest.raises(CheckError, match=r"v1_f32 has not passed check\.check"):
        bench.measure(v1, 1024)


@pytest.mark.parametrize("elements", [0, -1, 1.5, True, "many", None])
def test_elements_must_be_a_positive_int(launches_nothing, elements):
    with pytest.raises(ValueError, match="it must be an int of at least 1"):
        bench.measure("torch.add", elements)


@pytest.mark.parametrize("kernel", ["torch.sub", None, 3, b"torch.add", object()])
def test_only_kernels_are_measured(launches_nothing, kernel):
    with pytest.raises(TypeError, match=r"a loaded kernel or 'torch\.add'"):
        bench.measure(kernel, 1024)


@pytest.mark.parametrize("kernel", [None, 3, b"torch.add", object()])
def test_only_kernels_have_a_block_size(kernel):
    with pytest.raises(TypeError, match="not a kernel that jit"):
        bench.launcher_block_size(kernel)


@pytest.mark.parametrize("method", ["stopwatch", None, 3, ["graph hot"], {}])
def test_an_unknown_method_is_refused(launches_nothing, method):
    with pytest.raises(ValueError, match="graph hot"):
        bench.measure("torch.add", 1024, method=method)
    with pytest.raises(ValueError, match="graph hot"):
        bench.measure_calls([], kernel="x", elements=1, dtype="x", bytes_moved=1, method=method)


@pytest.mark.parametrize("precision", [0, 1, -0.1, 2, True, None, "0.5"])
def test_a_precision_must_be_a_relative_half_width(launches_nothing, precision):
    with pytest.raises(ValueError, match="relative half-width"):
        bench.measure("torch.add", 1024, precision=precision)


@pytest.mark.parametrize("dtype", ["float17", "nn", 3, object()])
def test_only_dtypes_are_taken(launches_nothing, dtype):
    with pytest.raises(TypeError, match="is not a dtype"):
        bench.measure("torch.add", 1024, dtype)


# ---- one at a time -------------------------------------------------------------------------

# Another notebook that wants to time on a GPU that is made up.
NOTEBOOK = """
import sys
from helpers.measure import bench
from helpers.run import machine
here = machine.Machine("gpu", "NVIDIA H200", "made up", "2.11", cc="9.0", index=0)
machine.present = lambda: here
bench._gpu_uuid = lambda index: sys.argv[1]
with bench.gpu_to_itself():
    with bench.gpu_to_itself():  # a measurement of several measurements
        print("timing", flush=True)
"""


def test_a_notebook_waits_for_the_one_that_is_timing_and_says_so(monkeypatch):
    uuid = f"test-{os.getpid()}"
    monkeypatch.setattr(bench, "_gpu_uuid", lambda index: uuid)
    with lock(bench._gpu_lock_path(0), "to test"):
        other = subprocess.Popen(
            [sys.executable, "-c", NOTEBOOK, uuid],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env={**os.environ, "ELEMENTWISE_WAIT_WORDS": "0"},
        )
        waits = other.stderr.readline()
    out, _ = other.communicate(timeout=120)
    for left in bench._gpu_lock_path(0).parent.glob(f"*{uuid}*"):
        left.unlink()
    assert out == "timing\n"
    assert waits.startswith(
        "waiting to time on this GPU, which another notebook is timing on: "
        f"process {os.getpid()} on "
    )


def test_short_measurements_share_a_turn_of_a_limited_time(monkeypatch):
    """Nobody gets in between, nor within one measurement of several, however long it takes."""
    now, taken, events = [100.0], [0], []

    @contextlib.contextmanager
    def held(path, purpose):
        taken[0] += 1
        events.append("takes")
        yield
        events.append("gives")

    here = machine.Machine("gpu", "a GPU", "made up", "2.11", cc="9.0", index=0)
    monkeypatch.setattr(bench, "require_gpu", lambda: here)
    monkeypatch.setattr(bench, "lock_in_turn", held)
    monkeypatch.setattr(bench, "_gpu_uuid", lambda index: "GPU-1")
    monkeypatch.setattr(bench.time, "monotonic", lambda: now[0])
    with bench.long_turns():
        for _ in range(12):
            with bench.gpu_to_itself():
                now[0] += 1
        assert events == ["takes", "gives"] * 2 + ["takes"]
        with bench.gpu_to_itself():
            now[0] += 100
            with bench.long_turns(), bench.gpu_to_itself():
                bench.end_turn()  # not within a measurement
        assert taken == [3] and events[-1] == "takes"
        bench.end_turn()
        assert events[-1] == "gives"
        with bench.gpu_to_itself():
            pass
        assert taken == [4]
    assert events[-1] == "gives"
    with bench.gpu_to_itself():
        pass
    assert events[-2:] == ["takes", "gives"] and taken == [5]


def test_each_gpu_has_a_lock_of_its_own(monkeypatch):
    monkeypatch.setattr(bench, "_gpu_uuid", lambda index: f"GPU-{index}")
    assert bench._gpu_lock_path(0) != bench._gpu_lock_path(1)


def test_containers_that_share_a_folder_take_turns(monkeypatch, tmp_path):
    monkeypatch.setattr(bench, "_gpu_uuid", lambda index: "GPU-1")
    monkeypatch.setenv("ELEMENTWISE_LOCKS", str(tmp_path))
    found = set()
    for own in ("one", "other"):
        monkeypatch.setattr("tempfile.tempdir", str(tmp_path / own))
        found.add(bench._gpu_lock_path(0))
    assert found == {tmp_path / "elementwise-gpu-GPU-1.lock"}


# ---- on a GPU ------------------------------------------------------------------------------


@pytest.mark.gpu
def test_measurements_hang_together(v1):
    small, large = (bench.measure(v1, elements, "float32") for elements in (1 << 20, 1 << 24))
    assert small.time_us < large.time_us
    assert small.low_us <= small.time_us <= small.high_us
    wall = bench.measure(v1, 1 << 24, "float32", method="wall clock")
    assert wall.time_us > 0.9 * large.time_us
    cold = bench.measure(v1, 1 << 20, "float32", method="graph cold")
    assert cold.time_us > small.time_us


@pytest.mark.gpu
def test_a_call_costs_at_most_twice_torch_add(v1):
    a, b = torch.randn(1024, device="cuda"), torch.randn(1024, device="cuda")
    out = torch.empty_like(a)
    calls = (lambda: v1(a, b, out)), (lambda: torch.add(a, b, out=out))
    ours, torchs = (min(timing.wall_clock_us(c, 5000) for _ in range(5)) for c in calls)
    assert ours <= 2 * torchs


@pytest.mark.gpu
def test_a_neighbour_at_work_is_noticed():
    """A process that does not wait for the lock: the time shows it, or the note says so."""
    code = (
        "import torch; x = torch.ones(1 << 28, device='cuda'); print('on', flush=True)\n"
        "while True: x.mul_(1.0)"
    )
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
    assert loud.time_us < 1.2 * quiet.time_us or loud.note


# ---- sizes and memory ----------------------------------------------------------------------


@pytest.fixture
def memory(fake_gpu, monkeypatch):
    """Return a function that sets the GPU's memory, in bytes."""

    def of(memory_bytes):
        here = dataclasses.replace(machine.present(), memory_bytes=memory_bytes)
        monkeypatch.setattr(machine, "present", lambda: here)
        bench._say_smaller.cache_clear()

    return of


@pytest.mark.parametrize(
    ("memory_bytes", "elements", "fits"),
    [
        (None, 1 << 28, 1 << 28),  # not known
        (100_000, 7000, 7000),  # 84,000 of 85,000 bytes
        (100_000, 7084, 4096),
        (100_000, 1 << 13, 1 << 12),
        (100_000, 1 << 20, 1 << 12),
        (1, 5, 1),
    ],
)
def test_what_does_not_fit_gives_way_to_a_power_of_two_that_does(
    memory, memory_bytes, elements, fits
):
    memory(memory_bytes)
    assert bench.largest_that_fits(elements, 12) == fits


def test_a_smaller_size_is_said_once(memory, capsys):
    memory(2 << 30)
    for _ in range(2):
        assert bench.largest_that_fits(1 << 28, 12) == 1 << 27
    assert capsys.readouterr().out == (
        "268,435,456 elements need more than this GPU's 2.0 GiB of memory: "
        "134,217,728 are measured instead\n"
    )
    assert bench.largest_that_fits(1 << 20, 12) == 1 << 20
    assert capsys.readouterr().out == ""


def test_a_sweep_measures_the_largest_that_fits_once(memory, monkeypatch):
    memory(2 << 30)
    asked = []
    monkeypatch.setattr(bench, "measure", lambda kernel, size, dtype: asked.append(size))
    bench.sweep(["torch.add"], [1 << 20, 1 << 27, 1 << 28])
    assert asked == [1 << 20, 1 << 27]
    asked.clear()
    bench.sweep(["torch.add"], [1 << 28], "float16")  # half the bytes
    assert asked == [1 << 28]


def test_85_percent_of_the_memory_may_be_taken_and_one_element_always(memory):
    memory(2000)  # 85%: 1,700 bytes
    assert bench.largest_that_fits(425, 4) == 425 and bench.largest_that_fits(426, 4) == 256
    assert bench.largest_that_fits(512, 4) == 256 and bench.largest_that_fits(1, 5000) == 1
    assert bench.largest_that_fits(2, 5000) == 1


def test_a_gpu_is_known_by_its_uuid_else_by_its_number(monkeypatch):
    monkeypatch.setattr(
        torch.cuda, "get_device_properties", lambda k: SimpleNamespace(uuid="u")
    )
    bench._gpu_uuid.cache_clear()
    try:
        assert bench._gpu_uuid(3) == "u"
        bench._gpu_uuid.cache_clear()
        monkeypatch.setattr(torch.cuda, "get_device_properties", lambda k: SimpleNamespace())
        assert bench._gpu_uuid(3) == "3"
    finally:
        bench._gpu_uuid.cache_clear()


def test_low_and_high_are_the_20th_and_the_80th_percentile(fake_gpu, monkeypatch):
    batches = (tuple(float(k) for k in range(1, 102)),) * 2
    monkeypatch.setattr(timing, "time_graph", lambda *_, **__: Times(batches))
    one = bench.measure_calls([], kernel="k", elements=1, dtype="float32", bytes_moved=51_000)
    assert (one.time_us, one.low_us, one.high_us, one.repeats) == (51, 21, 81, 202)
    assert one.gb_per_s == 1 and one.noise_percent == 100 * Times(batches).noise


def test_the_bar_of_a_sweep_leaves_no_line(fake_gpu, monkeypatch):
    bars = []

    class Bar:
        def __init__(self, todo, desc, leave):
            bars.append((list(todo), desc, leave))

        def __enter__(self):
            return self

        def __exit__(self, *_):
            pass

        def __iter__(self):
            return iter(bars[0][0])

        def set_postfix_str(self, words):
            bars.append(words)

    monkeypatch.setattr(bench, "tqdm", Bar)
    monkeypatch.setattr(bench, "measure", lambda *given: given)
    assert bench.sweep(["torch.add"], [1 << 20]) == [("torch.add", 1 << 20, None)]
    assert bars == [([("torch.add", 1 << 20)], "measuring", False), "torch.add, 1,048,576"]


def test_the_articles_sizes_are_two_to_the_20_24_and_28():
    assert bench.ARTICLE_SIZES == (1_048_576, 16_777_216, 268_435_456)
