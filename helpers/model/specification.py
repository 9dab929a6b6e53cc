"""Estimate the constants of a card that nobody measured, from its specification.

Each constant is that of the measured card with the same class of memory, scaled by what the two
specifications say: HBM from the H200, GDDR and LPDDR from the RTX 5090.

    constant                scales with                 range (of the estimate)
    launch overhead         -                           0.98 to 1.8
    block launch rate       clock                       0.85 to 1.15
    latency of L2           1 / clock                   0.8 to 1.6
    latency of DRAM         -                           0.8 to 1.6; GDDR 1 to 2.4
    bandwidth of L2         SMs x clock                 0.5 to 1.5
    bandwidth of DRAM       specified bandwidth         0.94 to 1.06
    capacity of L2          specified capacity          0.4 to 1; HBM to 2.15
    host's interval         -                           0.7 to 2.5

The ranges are wider than what separates the two measured cards once they are scaled: of the
specified bandwidth an addition reaches 0.909 (H200) and 0.879 (RTX 5090); they start 0.84 and
0.80 blocks a clock. The launch overhead was 0.49 to 0.78 us in processes on one H200
(`cards.LAUNCH_SPREAD`). The RTX 5090's latency of DRAM is an upper bound for the model, half of
what a chase reports. An H200's L2 hits in 0.46 of its size, as if in one of two halves; other
HBM cards may hit in all.

**ECC** (`ecc_share`). GDDR memory keeps its check bits in itself: with ECC switched on, a part
of the traffic is the bits'. GeForce cards have none of it; of the others no specification says
whether it is on, so their DRAM bandwidth is estimated at 0.95 of the class's, from 0.86 of it
to all. That factor is a conjecture, made before any published time was looked up.

Nothing is taken off for the LPDDR of an integrated GPU. Orin and Thor can keep check bits in
their memory too, but NVIDIA's guides call it an option: off by default except for safety (DRIVE
OS 7.0.3, "DRAM Error-Correcting Code"), with a mode without ECC and one with a path of its own
on Thor (IGX user guide, "DRAM-ECC (Thor)"). On the Xavier before them it cost 10 to 12% of a
full bandwidth (DRIVE OS 5.1.6 guide), so their range begins at 0.88. A GB10's driver answers
"N/A" where it would say whether ECC is on (nvidia-smi 580.126.09 in Snowflake's ArcticTraining,
pull request 345). All were read on 2026-11-23.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from helpers.model.arguments import checked
from helpers.specs import Gpu

HBM, GDDR = "HBM", "GDDR"
REFERENCE = {HBM: "H200 SXM", GDDR: "GeForce RTX 5090"}
HBM_CAPABILITIES = ("7.0", "8.0", "9.0", "10.0", "10.3")
"""Compute capabilities of the chips that are built with HBM."""

INTEGRATED_CAPABILITIES = ("8.7", "10.1", "11.0", "12.1")
"""Compute capabilities of Orin, Thor (10.1 until CUDA 12) and GB10, whose memory is LPDDR."""

NO_ECC = (1.0, 1.0, 1.0)  # of the bandwidth without ECC: least, estimate, most
ECC_SHARE = (0.86, 0.95, 1.0)
OPTIONAL_ECC = (0.88, 1.0, 1.0)
UNKNOWN_CLOCK = 1.25  # how much wider ranges are where the clock is not known


class Estimate(NamedTuple):
    """A constant and the range in which it should lie."""

    value: float
    low: float
    high: float


class Scaling(NamedTuple):
    """How a constant follows from the measured card's: exponents of ratios, and a range."""

    low: float
    high: float
    clock: int = 0
    sm_count: int = 0
    dram: int = 0
    l2: int = 0


_SCALING = {
    "launch_us": Scaling(0.98, 1.8),
    "block_rate": Scaling(0.85, 1.15, clock=1),
    "l2_latency_ns": Scaling(0.8, 1.6, clock=-1),
    "memory_latency_ns": Scaling(0.8, 1.6),
    "l2_GBps": Scaling(0.5, 1.5, clock=1, sm_count=1),
    "dram_GBps": Scaling(0.94, 1.06, dram=1),
    "l2_MiB": Scaling(0.4, 1.0, l2=1),
    "host_enqueue_us": Scaling(0.7, 2.5),
}
_OF_CLASS = {
    (HBM, "l2_MiB"): Scaling(0.87, 2.15, l2=1),
    (GDDR, "memory_latency_ns"): Scaling(1.0, 2.4),
}


@checked
def memory_class(gpu: Gpu) -> str:
    """Return "HBM" or "GDDR" (LPDDR counts as GDDR), by the compute capability."""
    return HBM if gpu.cc in HBM_CAPABILITIES else GDDR


@checked
def ecc_share(gpu: Gpu) -> tuple[float, float, float]:
    """Return what ECC leaves of the DRAM bandwidth: the least, the estimate, the most."""
    if memory_class(gpu) == HBM or "GeForce" in gpu.name or gpu.cc == "12.1":
        return NO_ECC
    return OPTIONAL_ECC if gpu.cc in INTEGRATED_CAPABILITIES else ECC_SHARE


@checked
def estimate(gpu: Gpu, measured: Gpu, constants: Mapping[str, float]) -> dict[str, Estimate]:
    """Scale the constants of a measured card, by name, to another card.

    measured: the specification of that card, one of `REFERENCE`. Where a clock is unknown, the
    clocks count as equal, and the ranges of what depends on them are wider.
    """
    clocks_known = bool(gpu.boost_MHz and measured.boost_MHz)
    ratios = {
        "clock": gpu.boost_MHz / measured.boost_MHz if clocks_known else 1.0,
        "sm_count": gpu.sm_count / measured.sm_count,
        "dram": gpu.dram_GBps / measured.dram_GBps,
        "l2": gpu.l2_MiB / measured.l2_MiB,
    }
    found = {}
    for name, constant in constants.items():
        rule = _OF_CLASS.get((memory_class(gpu), name), _SCALING[name])
        value = constant
        for quantity, ratio in ratios.items():
            value *= ratio ** getattr(rule, quantity)
        wider = UNKNOWN_CLOCK if rule.clock and not clocks_known else 1.0
        low, high = value * rule.low / wider, value * rule.high * wider
        if name == "dram_GBps":
            low, value, high = (
                x * ecc for x, ecc in zip((low, value, high), ecc_share(gpu), strict=True)
            )
        found[name] = Estimate(value, low, high)
    return found
