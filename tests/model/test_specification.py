"""Constants estimated from a specification: what scales with what, how wide the ranges are."""

from dataclasses import replace

import pytest

from helpers import specs
from helpers.model import cards, specification
from helpers.model.specification import GDDR, HBM, ecc_share, estimate, memory_class

H200, RTX_5090 = specs.gpu("H200 SXM"), specs.gpu("GeForce RTX 5090")
CONSTANTS = {
    "launch_us": 1.0,
    "block_rate": 1e9,
    "l2_latency_ns": 100.0,
    "memory_latency_ns": 300.0,
    "l2_GBps": 8000.0,
    "dram_GBps": 4000.0,
    "l2_MiB": 30.0,
    "host_enqueue_us": 5.0,
}
DOUBLE = replace(  # everything twice, and the clock four times
    H200, name="Double", sm_count=264, l2_MiB=120, dram_GBps=9600, boost_MHz=4 * 1980
)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        *(("A100 40GB SXM", HBM), ("H100 PCIe", HBM), ("B200", HBM)),
        *(("T4", GDDR), ("GeForce RTX 4090", GDDR), ("GB10 (DGX Spark)", GDDR)),
    ],
)
def test_the_class_of_memory_follows_from_the_compute_capability(name, expected):
    assert memory_class(specs.gpu(name)) == expected


def test_the_chips_with_hbm_are_known_by_their_capability():
    for cc in ("7.0", "8.0", "9.0", "10.0", "10.3"):
        assert memory_class(replace(RTX_5090, cc=cc)) == HBM
    for cc in ("7.5", "8.6", "8.7", "8.9", "11.0", "12.0", "12.1"):
        assert memory_class(replace(H200, cc=cc)) == GDDR


def test_each_class_has_a_measured_card_of_that_class():
    assert set(specification.REFERENCE) == {HBM, GDDR}
    for kind, name in specification.REFERENCE.items():
        assert name in cards.known_cards() and memory_class(specs.gpu(name)) == kind


def test_a_card_is_its_own_estimate():
    for gpu, measured in ((H200, H200), (RTX_5090, RTX_5090)):
        found = estimate(gpu, measured, CONSTANTS)
        assert {name: one.value for name, one in found.items()} == pytest.approx(CONSTANTS)


def test_what_scales_with_what():
    found = estimate(DOUBLE, H200, CONSTANTS)
    ratio = {name: found[name].value / CONSTANTS[name] for name in CONSTANTS}
    assert ratio == pytest.approx(
        {
            "launch_us": 1,
            "block_rate": 4,
            "l2_latency_ns": 1 / 4,
            "memory_latency_ns": 1,
            "l2_GBps": 8,
            "dram_GBps": 2,
            "l2_MiB": 2,
            "host_enqueue_us": 1,
        }
    )


def test_every_range_holds_its_estimate():
    for gpu in specs.gpus().values():
        card = cards.Card.from_specification(gpu)
        for name, (low, high) in card.ranges.items():
            assert 0 < low <= getattr(card, name) <= high, (gpu.name, name)


@pytest.mark.parametrize(
    ("gpu", "name", "low", "high"),
    [
        (H200, "dram_GBps", 0.94, 1.06),
        (RTX_5090, "dram_GBps", 0.94, 1.06),
        (H200, "memory_latency_ns", 0.8, 1.6),
        (RTX_5090, "memory_latency_ns", 1.0, 2.4),
        (H200, "l2_MiB", 0.87, 2.15),
        (RTX_5090, "l2_MiB", 0.4, 1.0),
        (H200, "launch_us", 0.98, 1.8),
        (H200, "block_rate", 0.85, 1.15),
        (H200, "l2_latency_ns", 0.8, 1.6),
        (H200, "l2_GBps", 0.5, 1.5),
        (H200, "host_enqueue_us", 0.7, 2.5),
    ],
)
def test_the_ranges(gpu, name, low, high):
    one = estimate(gpu, gpu, CONSTANTS)[name]
    assert (one.low / one.value, one.high / one.value) == pytest.approx((low, high))


def test_an_unknown_clock_counts_as_the_same_and_widens_what_depends_on_it():
    found = estimate(replace(DOUBLE, boost_MHz=None), H200, CONSTANTS)
    rate, latency = found["block_rate"], found["memory_latency_ns"]
    assert rate.value == 1e9 and found["l2_GBps"].value == 16_000
    assert rate == pytest.approx((1e9, 0.85e9 / 1.25, 1.15e9 * 1.25))
    assert latency == pytest.approx((300, 240, 480))


def test_ecc_takes_a_part_of_gddr_but_not_on_a_geforce_card_nor_of_lpddr():
    for name in ("T4", "L4", "RTX PRO 6000 Blackwell WS"):
        assert ecc_share(specs.gpu(name)) == (0.86, 0.95, 1)
    for name in ("GeForce RTX 4090", "H100 PCIe", "GB10 (DGX Spark)"):
        assert ecc_share(specs.gpu(name)) == (1, 1, 1)
    thor = specs.gpu("Thor")
    for gpu in (thor, replace(thor, cc="10.1"), replace(thor, name="Orin", cc="8.7")):
        assert ecc_share(gpu) == (0.88, 1, 1)
        found = estimate(gpu, gpu, CONSTANTS)["dram_GBps"]
        assert found == pytest.approx((4000, 4000 * 0.94 * 0.88, 4000 * 1.06))


def test_ecc_widens_the_estimate():
    with_ecc = replace(RTX_5090, name="RTX PRO")
    found = estimate(with_ecc, RTX_5090, CONSTANTS)["dram_GBps"]
    assert found == pytest.approx((4000 * 0.95, 4000 * 0.94 * 0.86, 4000 * 1.06))
    assert estimate(RTX_5090, RTX_5090, CONSTANTS)["dram_GBps"].value == 4000


def test_the_two_measured_cards_agree_within_the_ranges_once_scaled():
    """Estimate each from the other: shares of DRAM and block rates, the docstring's numbers."""
    h200, rtx = cards.card("H200 SXM"), cards.card("GeForce RTX 5090")
    shares = [card.dram_GBps / card.gpu.dram_GBps for card in (h200, rtx)]
    blocks = [card.block_rate / card.gpu.boost_MHz / 1e6 for card in (h200, rtx)]
    assert shares == pytest.approx([0.909, 0.879], abs=5e-4)
    assert blocks == pytest.approx([0.839, 0.802], abs=5e-4)
