"""Roofs: each number is measured by its own rule, recorded with its unit, and makes a card."""

import dataclasses
from types import SimpleNamespace

import pytest
import torch

from helpers import specs
from helpers.errors import NoGpuError, UnsteadyGpuError
from helpers.measure import bench, roofs, store, timing
from helpers.measure.nvml import Watch
from helpers.measure.roofs import Roofs
from helpers.run import jit, machine
from helpers.run.gpu import GpuFacts

NUMBERS = {
    "launch_us": 0.5,
    "l2_latency_ns": 140.0,
    "memory_latency_ns": 330.0,
    "l2_GBps": 9000.0,
    "dram_GBps": 4300.123456,
    "copy_GBps": 4200.0,
    "host_enqueue_us": 5.0,
    "l2_MiB": 28.0,
}
RATES = {32: 1.6e9, 256: 1.66e9, 512: 1.65e9, 768: 1.53e9, 1024: 1.47e9}
FOUND = Roofs(gpu="NVIDIA H200", block_rate=RATES, **NUMBERS)


def test_the_card_has_every_number_and_each_rate_of_large_blocks(fake_gpu):
    card = FOUND.card()
    assert card.gpu.name == "H200 SXM"
    for name in ("launch_us", "l2_latency_ns", "memory_latency_ns", "l2_GBps", "dram_GBps"):
        assert getattr(card, name) == NUMBERS[name], name
    assert (card.l2_MiB, card.host_enqueue_us) == (28.0, 5.0)
    assert card.block_rate == 1.66e9
    assert tuple(card.large_block_rates) == ((768, 1.53e9), (1024, 1.47e9))


def test_without_a_measured_capacity_the_specified_one_serves(fake_gpu):
    assert dataclasses.replace(FOUND, l2_MiB=None).card().l2_MiB == 60


def test_quantities_have_units():
    assert {name: (value, unit) for name, value, unit in FOUND.quantities()} == {
        "launch_us": (0.5, "us"),
        "l2_latency_ns": (140.0, "ns"),
        "memory_latency_ns": (330.0, "ns"),
        "l2_GBps": (9000.0, "GB/s"),
        "dram_GBps": (4300.123456, "GB/s"),
        "copy_GBps": (4200.0, "GB/s"),
        "host_enqueue_us": (5.0, "us"),
        "l2_MiB": (28.0, "MiB"),
    } | {f"block_rate_{threads}": (rate, "blocks/s") for threads, rate in RATES.items()}
    without = dataclasses.replace(FOUND, l2_MiB=None)
    assert "l2_MiB" not in {name for name, _, _ in without.quantities()}


def test_roofs_are_recorded_with_the_machine(fake_gpu, records):
    roofs.record(FOUND)
    roofs.record(dataclasses.replace(FOUND, launch_us=0.75))
    rows = store.ROOFS.load(latest=False)
    assert len(rows) == 26 and set(rows.gpu) == {"NVIDIA H200"} and set(rows.driver) == {"580"}
    assert store.roof("dram_GBps") == 4300.1  # five digits
    assert store.roof("launch_us") == 0.75 and store.roof("block_rate_768") == 1.53e9
    assert rows[rows.quantity == "l2_MiB"].unit.tolist() == ["MiB"] * 2


@pytest.mark.parametrize("value", [None, 3, {}, "roofs", object()])
def test_only_roofs_are_recorded(fake_gpu, records, value):
    with pytest.raises(TypeError, match="give what measure_roofs returns"):
        roofs.record(value)
    assert not list(records.iterdir())


# ---- one by one ------------------------------------------------------------------------------


def test_a_chain_visits_every_line_once_and_comes_back():
    links = roofs.random_chain(100, 32, "cpu")
    assert links.dtype == torch.int32 and links.shape == (3200,)
    at, seen = 0, []
    for _ in range(100):
        seen.append(at)
        at = int(links[at])
    assert at == 0 and sorted(seen) == list(range(0, 3200, 32))
    assert seen != sorted(seen)


class Chase:
    """Stands for kernels/pointer_chase.cu; keeps what it was asked."""

    def __init__(self):
        self.asked = []

    def pointer_chase(self, links, last, cycles, steps):
        self.asked.append((links.numel(), steps))


@pytest.mark.parametrize(
    ("span", "steps"), [(128 * 50, 50), (128 << 16, 1 << 16), (256 << 16, 1 << 16)]
)
def test_a_chase_walks_at_most_65536_lines(fake_gpu, span, steps):
    fake_gpu.us = lambda k: 2.0 * steps
    chase = Chase()
    assert roofs.chase_ns(chase, span, cold=False) == 2000
    assert chase.asked == [(span // 4, steps)] * 2  # once to warm up, once by the clock


@pytest.mark.parametrize(("cold", "flushed"), [(True, [4 * (60 << 20)]), (False, [])])
def test_a_cold_chase_pushes_out_what_l2_held(fake_gpu, monkeypatch, cold, flushed):
    zeros, sizes = torch.zeros, []

    def watched(*shape, dtype=None, device=None):
        if dtype is torch.int8:
            sizes.append(shape[0])
            shape = (1,)
        return zeros(*shape, dtype=dtype, device=device)

    monkeypatch.setattr(torch, "zeros", watched)
    roofs.chase_ns(Chase(), 1280, cold)
    assert sizes == flushed


def test_a_copy_reads_and_writes_once(fake_gpu):
    times = [50.0, 10.0, 20.0, 30.0, 40.0, 60.0, 70.0, 80.0, 90.0, 100.0, 110.0]
    fake_gpu.us = lambda k: times[k]
    result = roofs.measure_copy(torch.randn(1000))
    assert (result.kernel, result.method, result.dtype) == ("copy", "events", "float32")
    assert (result.time_us, result.low_us, result.high_us) == (60, 30, 90)
    assert (result.elements, result.bytes_moved, result.repeats) == (1000, 8000, 11)
    assert result.gpu == "NVIDIA H200"
    # 1.57 quartile ranges / sqrt(n), relative to the median: McGill et al. (1978).
    assert result.noise_percent == pytest.approx(157 * (90 - 30) / 11**0.5 / 60)


# ---- all of them -----------------------------------------------------------------------------


@pytest.fixture
def h200(fake_gpu, monkeypatch, measurement):
    """Model an H200 by simple laws; returns what was asked, in order."""
    asked = []

    def measure(kernel, elements, dtype):
        asked.append((kernel, elements, dtype))
        moved = 12 * elements
        rate = 9e3 if moved < 30 << 20 else 4.3e3  # bytes a us, 1e3
        return measurement(1.0 + moved / rate / 1e3, bytes_moved=moved, elements=elements)

    def measure_empty(blocks, threads):
        asked.append(("empty", blocks, threads))
        return measurement(0.5 + blocks / (1.66e3 - threads / 10))

    def chase_ns(chase, span, cold):
        asked.append(("chase", span, cold))
        return 330.0 if cold else 140.0

    def measure_copy(source):
        asked.append(("copy", source.numel(), str(source.device)))
        return measurement(10.0, bytes_moved=42_000_000)

    here = dataclasses.replace(machine.present(), memory_bytes=1 << 30)
    monkeypatch.setattr(machine, "present", lambda: here)
    monkeypatch.setattr(jit, "load", lambda name: name)
    monkeypatch.setattr(bench, "measure", measure)
    monkeypatch.setattr(bench, "measure_empty", measure_empty)
    monkeypatch.setattr(roofs, "chase_ns", chase_ns)
    monkeypatch.setattr(roofs, "clock_MHz", lambda chase: 1755.0)
    monkeypatch.setattr(roofs, "measure_copy", measure_copy)
    monkeypatch.setattr(timing, "wall_clock_us", lambda call: (call(), 5.25)[1])
    return asked


def test_every_roof_is_measured_by_its_rule(h200):
    found = roofs.measure_roofs()
    largest = 32 << 20  # of a card of 1 GiB
    assert found.gpu == "NVIDIA H200"
    assert found.dram_GBps == pytest.approx(4300, rel=0.02)
    assert found.copy_GBps == pytest.approx(4200)
    assert found.launch_us == pytest.approx(0.5, rel=0.01)
    assert found.block_rate == {
        threads: pytest.approx((1.66e3 - threads / 10) * 1e6) for threads in roofs.BLOCK_SIZES
    }
    assert (found.l2_latency_ns, found.memory_latency_ns) == (140.0, 330.0)
    assert found.l2_GBps == pytest.approx(9000)
    assert found.host_enqueue_us == 5.25
    assert 15 <= found.l2_MiB <= 60
    l2 = 60 << 20
    assert h200[:3] == [
        ("torch.add", largest, "float32"),
        ("copy", largest, "cpu"),
        ("empty", 1, 32),
    ]
    assert ("chase", l2 // 8, False) in h200 and ("chase", 8 * l2, True) in h200
    adds = [size for name, size, _ in h200 if name == "torch.add"]
    assert adds[1:] == [
        *(l2 // 12 // 16, l2 // 12 // 4) * 5,
        *(l2 * part // 48 for part in (3, 4, 6, 8)),
    ]


def test_a_large_card_adds_two_to_the_28(h200, monkeypatch):
    here = dataclasses.replace(machine.present(), memory_bytes=140 << 30)
    monkeypatch.setattr(machine, "present", lambda: here)
    monkeypatch.setattr(torch, "randn", lambda n, device: torch.empty(n, device="meta"))
    roofs.measure_roofs()
    assert h200[0] == ("torch.add", 1 << 28, "float32")


@pytest.fixture
def cache(tmp_path, monkeypatch):
    """Keep constants in an empty folder."""
    monkeypatch.setenv("ELEMENTWISE_CACHE", str(tmp_path))
    monkeypatch.setattr(store, "today", lambda: "2026-11-21")
    roofs.this_card.cache_clear()
    yield tmp_path
    roofs.this_card.cache_clear()


def test_this_card_is_measured_once_and_kept(h200, cache, capsys):
    card = roofs.this_card()
    assert roofs.this_card() is card and card.launch_us == pytest.approx(0.5, rel=0.01)
    assert capsys.readouterr().out == "measuring NVIDIA H200 ...\n"
    roofs.this_card.cache_clear()
    h200.clear()
    assert roofs.this_card() == card and not h200
    line = "NVIDIA H200: constants measured on 2026-11-21, with this driver and clock\n"
    assert capsys.readouterr().out == line


@pytest.mark.parametrize("slower_after", [1, roofs.TRIES - 1])
def test_a_smaller_work_that_took_longer_is_measured_again(measurement, slower_after):
    tries = []

    def measure(work):
        tries.append(work)
        slower = len(tries) > 2 * slower_after
        return measurement(float(work if slower else 10 - work))

    more_us, small, large = roofs._marginal_us(measure, 2, 7)
    assert (more_us, small.time_us, large.time_us) == (5.0, 2.0, 7.0)
    assert tries == [2, 7] * (slower_after + 1)


def test_on_a_busy_gpu_the_specification_stands_in(
    h200, cache, monkeypatch, capsys, measurement
):
    sizes = []
    monkeypatch.setattr(
        bench, "measure_empty", lambda blocks, threads: sizes.append(blocks) or measurement(5.0)
    )
    with pytest.raises(UnsteadyGpuError, match="more work took no longer, 5 times"):
        roofs.measure_roofs()
    assert len(sizes) == 1 + 2 * roofs.TRIES
    card = roofs.this_card()
    assert card.is_estimated and card.gpu.name == "H200 SXM"
    assert "something else uses it" in capsys.readouterr().out
    assert not list(cache.rglob("*.json"))  # nothing of it is kept


def facts_of(**changes):
    return GpuFacts("NVIDIA Quiet", (9, 0), **{"sm_count": 132, "l2_bytes": 60 << 20} | changes)


def test_what_nothing_tells_is_measured(h200, cache, monkeypatch):
    here = dataclasses.replace(machine.present(), name="NVIDIA Quiet", facts=facts_of())
    monkeypatch.setattr(machine, "present", lambda: here)
    found = roofs.this_gpu()
    assert (found.dram_GBps, found.dram_from) == (
        pytest.approx(4300, rel=0.02),
        "measured: a copy",
    )
    assert found.boost_MHz == 1755.0
    assert roofs.this_gpu() == roofs.this_card().gpu == roofs.specification("NVIDIA Quiet")
    assert roofs.specification("NVIDIA Other") is None
    assert roofs.specification("NVIDIA L4") == specs.gpu("L4")
    assert roofs.specified_GBps("NVIDIA Quiet") == found.dram_GBps
    assert roofs.specified_GBps("NVIDIA Other") is None
    assert roofs.specified_GBps("NVIDIA L4") == 300


def test_what_the_driver_tells_is_not_measured(h200, monkeypatch):
    told = facts_of(memory_clock_khz=1_000_000, memory_bus_bits=4096, clock_khz=1_500_000)
    here = dataclasses.replace(machine.present(), name="NVIDIA Quiet", facts=told)
    monkeypatch.setattr(machine, "present", lambda: here)
    found = roofs.this_gpu()
    assert (found.dram_GBps, found.boost_MHz) == (1024.0, 1500) and not h200
    assert roofs.specification("NVIDIA Quiet") == found


def test_the_data_sheet_s_bandwidth_not_the_driver_s(monkeypatch):
    by_driver = dataclasses.replace(specs.gpu("H200 SXM"), dram_GBps=4814.3)
    here = dataclasses.replace(machine.present(), kind="gpu", name="NVIDIA H200")
    monkeypatch.setattr(machine, "present", lambda: here)
    monkeypatch.setattr(roofs, "this_gpu", lambda: by_driver)
    assert roofs.specification("NVIDIA H200").dram_GBps == 4814.3
    assert roofs.specified_GBps("NVIDIA H200") == 4800
    other = dataclasses.replace(by_driver, note="the driver reports another card")
    monkeypatch.setattr(roofs, "this_gpu", lambda: other)
    assert roofs.specified_GBps("NVIDIA H200") == 4814.3


def test_one_bad_pair_does_not_spoil_the_bandwidth_of_l2(monkeypatch):
    pairs = iter([(2.0, 500), (1.0, 1000), (1.1, 1000), (0.9, 1000), (4.0, 100)])

    def marginal(*_):
        us, kilobytes = next(pairs)
        nothing, some = (SimpleNamespace(bytes_moved=1000 * kb) for kb in (0, kilobytes))
        return us, nothing, some

    monkeypatch.setattr(roofs, "_marginal_us", marginal)
    assert roofs._l2_gb_per_s(1) == pytest.approx(1000 / 1.1)


def test_the_clock_is_cycles_over_time(monkeypatch):
    monkeypatch.setattr(roofs, "run_chase", lambda chase, span, cold: (200.0, 350.0))
    assert roofs.clock_MHz(None) == 1750.0
    assert roofs.chase_ns(None, 1, False) == 200.0


@pytest.fixture
def no_gpu(monkeypatch):
    here = machine.Machine("emulator", "CPU emulator", "made up", "2.11")
    monkeypatch.setattr(machine, "present", lambda: here)


def test_without_a_gpu_the_card_is_the_recorded_one(no_gpu, capsys):
    roofs.this_card.cache_clear()
    assert roofs.this_card().gpu.name == "H200 SXM"
    line = "no GPU here: the constants of the H200, from data/ceilings.csv\n"
    assert capsys.readouterr().out == line
    roofs.this_card.cache_clear()


def test_without_a_gpu_nothing_is_measured(no_gpu):
    for call in (
        roofs.measure_roofs,
        lambda: roofs.measure_copy(torch.zeros(3)),
        lambda: roofs.chase_ns(Chase(), 1280, cold=False),
    ):
        with pytest.raises(NoGpuError):
            call()


@pytest.mark.gpu
def test_the_roofs_of_this_gpu_hang_together():
    watch = Watch(bench._gpu_uuid(machine.present().index))
    found = roofs.measure_roofs()
    if busy := watch.busy_others():  # other tests, where several workers run
        pytest.skip(f"{busy} other processes ran kernels on this GPU meanwhile")
    assert 0 < found.launch_us < 20 and found.l2_latency_ns < found.memory_latency_ns
    assert found.dram_GBps < found.l2_GBps and found.l2_MiB > 0
    assert all(rate > 1e8 for rate in found.block_rate.values())


def test_what_was_measured_is_rounded_to_one_digit(fake_gpu, monkeypatch):
    here = dataclasses.replace(machine.present(), name="NVIDIA Quiet", facts=facts_of())
    monkeypatch.setattr(machine, "present", lambda: here)
    changes = {"dram_GBps": 4321.06, "copy_GBps": 4321.16, "clock_MHz": 1234.56}
    gpu = dataclasses.replace(FOUND, **changes).specification()
    assert (gpu.dram_GBps, gpu.boost_MHz) == (4321.2, 1234.6)
    gpu = dataclasses.replace(FOUND, dram_GBps=5000.0, clock_MHz=0.0).specification()
    assert (gpu.dram_GBps, gpu.boost_MHz) == (5000.0, None)
