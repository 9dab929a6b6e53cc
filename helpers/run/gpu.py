"""Ask for every fact of the present GPU, and describe the card by them.

`ask` is the one function that collects the facts: from torch, from the CUDA driver and from
NVML, the library behind nvidia-smi. A driver may refuse each of them: an integrated GPU and a
MIG slice have no memory clock. `specification` finds the card's row of `data/gpus.csv`; where
the row and the facts disagree, the facts win and a sentence says so.
"""

from __future__ import annotations

import contextlib
import ctypes
import re
from dataclasses import dataclass, replace

from helpers import specs
from helpers.run import nvml, toolchain

TOLERANCE = 0.1  # by which a size or a bandwidth may differ between a data sheet and a driver
UNKNOWN_L2_BYTES = 128 * specs.MIB  # of a driver that does not tell: as large as any so far
REPORTED = "the driver's memory clock x bus width"
MIG_NAME = re.compile(r"(?P<card>.*?)\s+MIG\s+\d+g\.\d+gb\S*", re.IGNORECASE)
CORES_PER_SM = {(7, 5): 64, (8, 0): 64}  # float32; 128 from 8.6 on (CUDA C++ Programming Guide)

# Numbers of the CUDA driver's attributes (CUdevice_attribute in cuda.h).
ATTRIBUTES = {
    "clock_khz": 13,
    "sm_count": 16,
    "integrated": 18,
    "memory_clock_khz": 36,
    "memory_bus_bits": 37,
    "l2_bytes": 38,
    "threads_per_sm": 39,
    "shared_bytes_per_sm": 81,
    "registers_per_sm": 82,
}


@dataclass(frozen=True)
class GpuFacts:
    """A GPU as torch and the driver report it; None for what they do not report."""

    name: str
    capability: tuple[int, int]
    sm_count: int | None = None
    l2_bytes: int | None = None
    memory_bytes: int | None = None
    memory_clock_khz: int | None = None
    memory_bus_bits: int | None = None
    clock_khz: int | None = None  # of the SMs, at most
    registers_per_sm: int | None = None
    shared_bytes_per_sm: int | None = None
    threads_per_sm: int | None = None
    integrated: bool = False  # it shares the host's memory
    driver: str | None = None
    driver_cuda: str | None = None  # the newest CUDA that the driver runs, such as "13.0"
    uuid: str | None = None
    index: int = 0
    visible: int = 1

    def __post_init__(self):
        """Give a name to a GPU without one: rows of data/ are told apart by it."""
        words = self.name.replace("$", " ").split()  # which begins a formula in a plot
        object.__setattr__(self, "name", " ".join(words) or f"unnamed GPU of {self.arch}")

    @property
    def cc(self) -> str:
        """Its compute capability, such as "9.0"."""
        return "{}.{}".format(*self.capability)

    @property
    def arch(self) -> str:
        """The name of its architecture, such as "sm_90"."""
        return "sm_{}{}".format(*self.capability)

    @property
    def sliced_card(self) -> str:
        """The name of the card that this is a MIG slice of; "" for a whole card."""
        found = MIG_NAME.fullmatch(self.name)
        return found["card"] if found else ""

    @property
    def dram_GBps(self) -> float | None:
        """DRAM bandwidth: 2 x memory clock x bus width (double data rate), GB/s."""
        if not (self.memory_clock_khz and self.memory_bus_bits):
            return None
        return 2 * self.memory_clock_khz * self.memory_bus_bits / 8 / 1e6

    @property
    def fp32_TFLOPS(self) -> float | None:
        """Peak in float32: SMs x cores an SM x clock x 2, a multiplication and an addition."""
        if not (self.sm_count and self.clock_khz):
            return None
        cores = self.sm_count * CORES_PER_SM.get(self.capability, 128)
        return round(2 * cores * self.clock_khz / 1e9, 1)


# ---- asking --------------------------------------------------------------------------------


def ask() -> GpuFacts:
    """Collect all facts of torch's current GPU."""
    import torch

    index = torch.cuda.current_device()
    properties = torch.cuda.get_device_properties(index)
    uuid = getattr(properties, "uuid", None)
    attributes = _driver_attributes(index) | {
        name: value
        for name, value in {
            "sm_count": properties.multi_processor_count,
            "l2_bytes": getattr(properties, "L2_cache_size", None),
            "memory_clock_khz": getattr(properties, "memory_clock_rate", None),
            "memory_bus_bits": getattr(properties, "memory_bus_width", None),
            "clock_khz": getattr(properties, "clock_rate", None),
            "threads_per_sm": getattr(properties, "max_threads_per_multi_processor", None),
        }.items()
        if value
    }
    facts = GpuFacts(
        name=properties.name,
        capability=(properties.major, properties.minor),
        memory_bytes=properties.total_memory,
        driver=_driver_version(),
        driver_cuda=_driver_cuda(),
        uuid=None if uuid is None else str(uuid),
        index=index,
        visible=torch.cuda.device_count(),
        **{name: value for name, value in attributes.items() if name != "integrated"},
        integrated=bool(attributes.get("integrated")),
    )
    return _with_clocks_of_nvml(facts)


def _driver() -> ctypes.CDLL | None:
    """Load the CUDA driver's library; None where it is not found."""
    with contextlib.suppress(OSError):
        return ctypes.CDLL("libcuda.so.1")
    return None


def _driver_attributes(index: int) -> dict[str, int]:
    """Ask the CUDA driver for a GPU's attributes, without those that it refuses or calls 0."""
    driver, device, value = _driver(), ctypes.c_int(), ctypes.c_int()
    if driver is None or driver.cuDeviceGet(ctypes.byref(device), index):
        return {}
    found = {}
    for name, number in ATTRIBUTES.items():
        refused = driver.cuDeviceGetAttribute(ctypes.byref(value), number, device)
        if not refused and value.value > 0:
            found[name] = value.value
    return found


def _driver_cuda() -> str | None:
    """Ask the CUDA driver which CUDA it runs at most: 13000 is "13.0"."""
    driver, version = _driver(), ctypes.c_int()
    if driver is None or driver.cuDriverGetVersion(ctypes.byref(version)):
        return None
    return f"{version.value // 1000}.{version.value % 1000 // 10}"


def _driver_version() -> str | None:
    """Ask for the driver's version, such as "580.159.04"; None where nobody knows it."""
    if version := nvml.ask("nvmlSystemGetDriverVersion"):
        return version
    words = ("--query-gpu=driver_version", "--format=csv,noheader")
    said = toolchain.ask("nvidia-smi", *words)
    return said.partition("\n")[0].strip() or None


def _with_clocks_of_nvml(facts: GpuFacts) -> GpuFacts:
    """Fill in the clocks and the bus width that only NVML knows."""
    if facts.uuid is None or (facts.dram_GBps and facts.clock_khz):
        return facts
    device = nvml.device(facts.uuid)
    if device is None:
        return facts
    memory, sm = (nvml.ask("nvmlDeviceGetMaxClockInfo", device, kind) for kind in (2, 1))
    bus = nvml.ask("nvmlDeviceGetMemoryBusWidth", device)
    return replace(
        facts,
        memory_clock_khz=facts.memory_clock_khz or (1000 * memory if memory else None),
        clock_khz=facts.clock_khz or (1000 * sm if sm else None),
        memory_bus_bits=facts.memory_bus_bits or bus or None,
    )


# ---- describing ----------------------------------------------------------------------------


def specification(facts: GpuFacts) -> specs.Gpu:
    """Describe a card by its row of data/gpus.csv, with the bandwidth that the driver reports.

    A card without a row is described by the facts alone. So is one whose facts are not those of
    its row; its `note` says it. A MIG slice is described by its facts, with a share of its
    card's bandwidth. The bandwidth is None where nothing gives it (`helpers.measure.roofs`
    measures it then).
    """
    try:
        row = specs.gpu(facts.sliced_card or facts.name)
    except KeyError:
        row = None
    if facts.sliced_card:
        return _slice(row, facts)
    if row is None:
        return _of_facts(facts)
    if _differ(row, facts):
        return replace(
            _of_facts(facts),
            note=f"the driver calls this card {facts.name!r}, but reports {_words(facts)}, not "
            f"{_words(row)}: what it reports counts, not the name",
        )
    own = _of_facts(facts)
    row = replace(
        row,
        fp32_TFLOPS=row.fp32_TFLOPS or own.fp32_TFLOPS,
        boost_MHz=row.boost_MHz or own.boost_MHz,
    )
    if own.dram_GBps is None:
        return row
    return replace(row, dram_GBps=own.dram_GBps, dram_from=REPORTED)


def _of_facts(facts: GpuFacts) -> specs.Gpu:
    """Describe a card by nothing but its facts."""
    return specs.Gpu(
        name=facts.name,
        cc=facts.cc,
        sm_count=facts.sm_count or 1,
        l2_MiB=(facts.l2_bytes or UNKNOWN_L2_BYTES) / specs.MIB,
        dram_GBps=None if facts.dram_GBps is None else round(facts.dram_GBps, 1),
        fp32_TFLOPS=facts.fp32_TFLOPS,
        boost_MHz=facts.clock_khz / 1e3 if facts.clock_khz else None,
        source="reported by the driver",
        confidence="device-reported",
        dram_from=REPORTED if facts.dram_GBps else "not reported",
    )


def _slice(row: specs.Gpu | None, facts: GpuFacts) -> specs.Gpu:
    """Describe a MIG slice: its share of L2 is its share of the memory, and of the bandwidth.

    Each instance has its own L2 banks and memory controllers (NVIDIA Multi-Instance GPU User
    Guide). The clock and bus width that a driver may report are those of the whole card.
    """
    part = replace(_of_facts(facts), dram_GBps=None, dram_from="not reported")
    if row is None or not facts.l2_bytes or not 0 < facts.l2_bytes < 0.95 * row.l2_bytes:
        return part
    share = facts.l2_bytes / row.l2_bytes
    return replace(
        part,
        dram_GBps=round(share * row.dram_GBps, 1),
        dram_from=f"{share:.3g} of the {row.name}'s, its share of L2",
    )


def _differ(row: specs.Gpu, facts: GpuFacts) -> bool:
    """Tell whether a row and the facts are two different cards."""

    def far(one: float | None, other: float | None) -> bool:
        return bool(one and other) and abs(one - other) > TOLERANCE * max(one, other)

    return (
        row.cc != facts.cc
        or facts.sm_count not in (None, row.sm_count)
        or far(row.l2_bytes, facts.l2_bytes)
        or far(row.dram_GBps, facts.dram_GBps)
    )


def _words(card: specs.Gpu | GpuFacts) -> str:
    """Write the facts by which a card is told from another."""
    l2_bytes, dram_GBps = card.l2_bytes, card.dram_GBps
    words = [f"compute capability {card.cc}"]
    words += [f"{card.sm_count} SMs"] if card.sm_count else []
    words += [f"{l2_bytes / specs.MIB:.3g} MiB of L2"] if l2_bytes else []
    words += [f"{dram_GBps:,.0f} GB/s"] if dram_GBps else []
    return ", ".join(words)
