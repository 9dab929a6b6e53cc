"""gpu: every fact of a card, from sources that may refuse it, and what they describe."""

import types
from dataclasses import fields, replace

import pytest
import torch

from helpers import specs
from helpers.run import gpu, nvml, toolchain
from helpers.run.gpu import GpuFacts

H200 = GpuFacts(
    "NVIDIA H200",
    (9, 0),
    sm_count=132,
    l2_bytes=60 << 20,
    memory_clock_khz=3_201_000,
    memory_bus_bits=6016,
    clock_khz=1_980_000,
)


# ---- one card's facts ------------------------------------------------------------------------


def test_what_follows_from_the_facts():
    assert (H200.cc, H200.arch, H200.sliced_card) == ("9.0", "sm_90", "")
    assert H200.dram_GBps == pytest.approx(4814.3, abs=0.01)
    assert H200.fp32_TFLOPS == 66.9
    t4 = GpuFacts("Tesla T4", (7, 5), sm_count=40, clock_khz=1_590_000)
    assert t4.fp32_TFLOPS == 8.1 and t4.dram_GBps is None
    assert GpuFacts("A100", (8, 0), sm_count=108, clock_khz=1_410_000).fp32_TFLOPS == 19.5
    assert GpuFacts("3090", (8, 6), sm_count=82, clock_khz=1_695_000).fp32_TFLOPS == 35.6


@pytest.mark.parametrize(
    ("told", "name"),
    [
        ("", "unnamed GPU of sm_75"),
        (" \n", "unnamed GPU of sm_75"),
        ("NVIDIA  Any\tCard ", "NVIDIA Any Card"),
        ("NVIDIA $GTX^{9$", "NVIDIA GTX^{9"),
        ("$", "unnamed GPU of sm_75"),
    ],
)
def test_a_name_serves_as_a_label_and_as_a_key(told, name):
    assert GpuFacts(told, (7, 5)).name == name


@pytest.mark.parametrize("field", ["memory_clock_khz", "memory_bus_bits"])
def test_a_bandwidth_needs_both_factors(field):
    assert replace(H200, **{field: None}).dram_GBps is None
    assert replace(H200, **{field: 0}).dram_GBps is None


@pytest.mark.parametrize("field", ["sm_count", "clock_khz"])
def test_a_peak_needs_both_factors(field):
    assert replace(H200, **{field: None}).fp32_TFLOPS is None


@pytest.mark.parametrize(
    ("name", "card"),
    [
        ("NVIDIA H200 MIG 1g.18gb", "NVIDIA H200"),
        ("NVIDIA A100-SXM4-40GB MIG 1g.5gb", "NVIDIA A100-SXM4-40GB"),
        ("NVIDIA H100 80GB HBM3 MIG 1g.10gb+me", "NVIDIA H100 80GB HBM3"),
        ("NVIDIA H200", ""),
        ("NVIDIA MIGHTY 1g", ""),
    ],
)
def test_a_slice_is_told_by_its_name(name, card):
    assert replace(H200, name=name).sliced_card == card


# ---- the card that they describe -------------------------------------------------------------


def test_every_card_finds_its_row_or_none(each_card, expected_row):
    card = each_card
    found = gpu.specification(card)
    assert found.note == ""
    assert found.name == (expected_row or card.name)
    assert (found.cc, found.sm_count) == (card.cc, card.sm_count)
    if card.dram_GBps and not card.sliced_card:  # which has a part of what the driver tells
        assert found.dram_GBps == pytest.approx(card.dram_GBps, abs=0.06)
        assert found.dram_from == gpu.REPORTED
    assert found.capability.cc == card.cc
    assert found.l2_bytes > 0


def test_a_row_keeps_its_own_bandwidth_where_the_driver_tells_none():
    found = gpu.specification(replace(H200, memory_clock_khz=None))
    assert found is not specs.gpu("H200 SXM") and found == specs.gpu("H200 SXM")
    assert (found.dram_GBps, found.dram_from) == (4800, "data/gpus.csv")
    assert gpu.specification(H200).dram_GBps == 4814.3


def test_what_a_row_lacks_comes_from_the_facts():
    facts = GpuFacts("NVIDIA B200", (10, 0), sm_count=148, clock_khz=1_965_000)
    found = gpu.specification(facts)
    assert (found.name, found.fp32_TFLOPS, found.boost_MHz) == ("B200", 74.4, 1965)
    assert specs.gpu("B200").fp32_TFLOPS is None


@pytest.mark.parametrize(
    "changes",
    [
        {"capability": (10, 0)},
        {"sm_count": 114},
        {"l2_bytes": 50 << 20},
        {"memory_bus_bits": 5120},
        {"memory_bus_bits": 7680},
    ],
)
def test_where_name_and_facts_disagree_the_facts_win_and_it_is_said(changes):
    facts = replace(H200, **changes)
    found = gpu.specification(facts)
    assert (found.cc, found.sm_count, found.l2_bytes) == (
        facts.cc,
        facts.sm_count,
        facts.l2_bytes,
    )
    assert found.name == "NVIDIA H200" and found.source == "reported by the driver"
    assert found.note.startswith("the driver calls this card 'NVIDIA H200', but reports")
    assert f"{facts.sm_count} SMs" in found.note.partition(", not ")[0]
    assert "132 SMs, 60 MiB of L2, 4,800 GB/s" in found.note.partition(", not ")[2]


def test_a_data_sheet_may_round_by_a_tenth():
    assert gpu.specification(replace(H200, memory_bus_bits=5440)).note == ""
    assert gpu.specification(replace(H200, memory_bus_bits=5376)).note != ""
    assert gpu.specification(replace(H200, l2_bytes=None, sm_count=None)).note == ""


@pytest.mark.parametrize("driver_says_the_whole_cards", [False, True])
def test_a_slice_has_the_share_of_bandwidth_that_it_has_of_l2(driver_says_the_whole_cards):
    part = replace(H200, name="NVIDIA H200 MIG 1g.18gb", sm_count=16, l2_bytes=60 * 2**20 // 8)
    if not driver_says_the_whole_cards:
        part = replace(part, memory_clock_khz=None)
    found = gpu.specification(part)
    assert (found.name, found.sm_count, found.dram_GBps) == (part.name, 16, 600)
    assert found.dram_from == "0.125 of the H200 SXM's, its share of L2" and found.note == ""


@pytest.mark.parametrize(
    "changes",
    [
        {"l2_bytes": 60 << 20},  # the driver tells the whole card's
        {"l2_bytes": None},
        {"name": "NVIDIA New MIG 1g.1gb"},
    ],
)
def test_a_slice_of_unknown_share_has_no_bandwidth(changes):
    part = replace(H200, name="NVIDIA H200 MIG 1g.18gb", l2_bytes=8 << 20)
    found = gpu.specification(replace(part, **changes))
    assert (found.dram_GBps, found.dram_from) == (None, "not reported")


def test_a_driver_that_tells_nothing():
    found = gpu.specification(GpuFacts("NVIDIA Quiet", (10, 3)))
    assert (found.sm_count, found.l2_bytes) == (1, gpu.UNKNOWN_L2_BYTES)
    assert (found.dram_GBps, found.fp32_TFLOPS, found.boost_MHz) == (None, None, None)
    assert found.ridge_flop_per_byte is None


# ---- asking ----------------------------------------------------------------------------------

PROPERTIES = {
    "name": "NVIDIA H200",
    "major": 9,
    "minor": 0,
    "multi_processor_count": 132,
    "total_memory": 140 << 30,
}
OF_NEW_TORCH = {
    "L2_cache_size": 60 << 20,
    "memory_clock_rate": 3_201_000,
    "memory_bus_width": 6016,
    "clock_rate": 1_980_000,
    "max_threads_per_multi_processor": 2048,
    "uuid": "12-34",
}


class Driver:
    """A fake libcuda: answers from a table by attribute number, and refuses the others."""

    def __init__(self, answers, version=13000):
        self.answers, self.version = answers, version

    def cuDeviceGet(self, device, index):
        device._obj.value = index + 5
        return 0

    def cuDeviceGetAttribute(self, value, number, device):
        assert device.value == 6
        if number not in self.answers:
            return 1
        value._obj.value = self.answers[number]
        return 0

    def cuDriverGetVersion(self, version):
        version._obj.value = self.version or 0
        return 0 if self.version else 3


@pytest.fixture
def sources(monkeypatch):
    """Return a function that sets what torch, the driver, NVML and nvidia-smi answer."""

    def make(torch_says=None, driver=None, nvml_says=None, smi=""):
        properties = types.SimpleNamespace(**PROPERTIES, **(torch_says or {}))
        monkeypatch.setattr(torch.cuda, "current_device", lambda: 1)
        monkeypatch.setattr(torch.cuda, "device_count", lambda: 4)
        monkeypatch.setattr(torch.cuda, "get_device_properties", lambda index: properties)
        monkeypatch.setattr(gpu, "_driver", lambda: driver)
        monkeypatch.setattr(
            nvml, "ask", lambda name, *given: (nvml_says or {}).get((name, *given))
        )
        monkeypatch.setattr(toolchain, "ask", lambda *command: smi)

    return make


def test_all_facts_from_torch_and_the_driver(sources):
    numbers = {81: 233472, 82: 65536, 18: 0, 36: 1}
    says = {("nvmlSystemGetDriverVersion",): "580.159.04"}
    sources(OF_NEW_TORCH, Driver(numbers), says)
    assert gpu.ask() == GpuFacts(
        name="NVIDIA H200",
        capability=(9, 0),
        sm_count=132,
        l2_bytes=60 << 20,
        memory_bytes=140 << 30,
        memory_clock_khz=3_201_000,
        memory_bus_bits=6016,
        clock_khz=1_980_000,
        registers_per_sm=65536,
        shared_bytes_per_sm=233472,
        threads_per_sm=2048,
        integrated=False,
        driver="580.159.04",
        driver_cuda="13.0",
        uuid="12-34",
        index=1,
        visible=4,
    )


def test_an_old_torch_leaves_the_driver_to_answer(sources):
    numbers = {13: 1_980_000, 16: 99, 18: 1, 36: 3_201_000, 37: 6016, 38: 60 << 20, 39: 2048}
    sources(driver=Driver(numbers, version=12080), smi="570.1\n570.1\n")
    facts = gpu.ask()
    assert (facts.clock_khz, facts.memory_clock_khz, facts.memory_bus_bits) == (
        1_980_000,
        3_201_000,
        6016,
    )
    assert (facts.sm_count, facts.l2_bytes, facts.threads_per_sm) == (132, 60 << 20, 2048)
    assert facts.integrated and (facts.driver, facts.driver_cuda) == ("570.1", "12.8")


def test_nvml_fills_in_what_is_left(sources):
    handle = object()
    says = {
        ("nvmlDeviceGetHandleByUUID", "GPU-12-34"): handle,
        ("nvmlDeviceGetMaxClockInfo", handle, 2): 3201,
        ("nvmlDeviceGetMaxClockInfo", handle, 1): 1980,
        ("nvmlDeviceGetMemoryBusWidth", handle): 6016,
    }
    sources({"uuid": "12-34", "clock_rate": 5}, None, says)
    facts = gpu.ask()
    assert (facts.memory_clock_khz, facts.memory_bus_bits) == (3_201_000, 6016)
    assert facts.clock_khz == 5


def test_everything_may_be_refused(sources):
    sources()
    facts = gpu.ask()
    assert facts == GpuFacts(
        "NVIDIA H200", (9, 0), 132, memory_bytes=140 << 30, index=1, visible=4
    )
    sources({"uuid": "12-34", "L2_cache_size": 0}, Driver({}, version=0))
    assert replace(gpu.ask(), uuid=None) == facts
    known = [field.name for field in fields(facts) if getattr(facts, field.name) is None]
    assert len(known) == 10


def test_a_machine_without_the_drivers_library(monkeypatch):
    def missing(name):
        raise OSError(name)

    monkeypatch.setattr(gpu.ctypes, "CDLL", missing)
    assert gpu._driver() is None and gpu._driver_cuda() is None
    assert gpu._driver_attributes(0) == {}


@pytest.mark.gpu
def test_this_gpus_facts():
    facts = gpu.ask()
    assert facts.driver and facts.driver_cuda and facts.sm_count and facts.l2_bytes
    assert facts.registers_per_sm and facts.shared_bytes_per_sm and facts.threads_per_sm
    assert gpu.specification(facts).sm_count == facts.sm_count
