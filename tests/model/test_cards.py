"""A card's constants: the table's rows, cards of measurements, hit and block rates."""

import csv
import math
from collections import Counter
from dataclasses import replace

import pytest

from helpers import paths, specs
from helpers.model import cards
from helpers.model.cards import Card

H200 = cards.card("H200 SXM")
RTX_5090 = cards.card("GeForce RTX 5090")


def measured_card(gpu="L4", **changes):
    numbers = dict(
        launch_latency_us=1,
        block_rate=2e9,
        l2_latency_ns=200,
        memory_latency_ns=500,
        l2_GBps=2000,
        dram_GBps=270,
    )
    return Card.from_measurements(gpu, **(numbers | changes))


# ---- data/ceilings.csv -----------------------------------------------------------------------


def test_every_row_is_read():
    with (paths.DATA / "ceilings.csv").open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert len(cards.constants()) == len(rows)
    first = cards.constants()[0]
    assert (first.gpu, first.quantity, first.value) == ("H200 SXM", "launch_us", 0.556)
    assert (first.unit, first.how) == ("us", "measured")


def test_every_constant_says_where_it_comes_from():
    for row in cards.constants():
        assert row.how in {"specified", "measured", "inferred", "assumed"}, row
        assert row.source and row.unit, row
        assert row.gpu in specs.gpus(), row


def test_nothing_of_the_rtx_5090_is_called_measured():
    assert "measured" not in RTX_5090.how.values()


def test_no_card_has_a_constant_per_row():
    rows = Counter(row.gpu for row in cards.constants())
    assert rows["H200 SXM"] <= 10 and rows["GeForce RTX 5090"] <= 10


def test_the_known_cards_in_the_tables_order():
    assert cards.known_cards() == ["H200 SXM", "GeForce RTX 5090"]


def test_a_card_has_its_rows_values():
    assert H200.gpu == specs.gpu("H200 SXM")
    assert (H200.launch_us, H200.l2_MiB, H200.host_enqueue_us) == (0.556, 27.7, 5.5)
    assert H200.block_rate == 1.662e9
    assert H200.large_block_rates == ((768, 1.532e9), (1024, 1.473e9))
    assert (H200.how["l2_MiB"], H200.how["block_rate_768"]) == ("inferred", "measured")


def test_the_drivers_name_finds_the_card():
    assert cards.card("NVIDIA H200") == H200


def test_unknown_cards_are_refused_with_what_is_known():
    with pytest.raises(KeyError, match=r"gpus\.csv"):
        cards.card("GeForce RTX 9999")


def test_a_card_without_constants_is_estimated_from_its_specification():
    t4 = cards.card("T4")
    assert t4 == Card.from_specification("T4") == Card.from_specification(specs.gpu("T4"))
    assert set(t4.how.values()) == {"estimated"} and set(t4.ranges) == set(t4.how)
    assert t4.block_rate == pytest.approx(1.93e9 * 1590 / 2407)


# ---- what follows from the constants ---------------------------------------------------------


@pytest.mark.parametrize(
    ("block_size", "rate"),
    [(32, 1.662e9), (767, 1.662e9), (768, 1.532e9), (1023, 1.532e9), (1024, 1.473e9)],
)
def test_large_blocks_start_more_slowly(block_size, rate):
    assert H200.blocks_per_second(block_size) == rate


def test_latency_is_weighted_by_the_hits():
    assert H200.latency_us(1) == pytest.approx(0.145)
    assert H200.latency_us(0) == pytest.approx(0.338)
    assert H200.latency_us(0.25) == pytest.approx(0.25 * 0.145 + 0.75 * 0.338)


def test_hits_in_l2():
    assert RTX_5090.hit_fraction(96 * specs.MIB) == 1
    assert RTX_5090.hit_fraction(48 * specs.MIB) == 1
    assert RTX_5090.hit_fraction(192 * specs.MIB) == pytest.approx(2**-3.5)
    assert RTX_5090.hit_fraction(3072 * specs.MIB) < 1e-4
    assert RTX_5090.hit_fraction(specs.MIB, hot=False) == 0


# ---- cards made of measurements --------------------------------------------------------------


def test_a_card_of_measurements_has_the_numbers_as_they_are():
    card = measured_card()
    assert card.gpu == specs.gpu("L4")
    assert (card.launch_us, card.block_rate, card.large_block_rates) == (1, 2e9, ())
    assert (card.l2_latency_ns, card.memory_latency_ns) == (200, 500)
    assert (card.l2_GBps, card.dram_GBps, card.host_enqueue_us) == (2000, 270, None)
    assert measured_card(specs.gpu("L4"), host_enqueue_us=7).host_enqueue_us == 7


def test_a_launch_overhead_measured_once_has_a_range():
    assert measured_card().ranges == {"launch_us": pytest.approx((1 / 1.4, 1.4))}
    assert H200.ranges["launch_us"] == (0.486, 0.775)
    assert 0.775 / 0.556 == pytest.approx(cards.LAUNCH_SPREAD, rel=0.01)


def test_only_a_card_without_constants_is_estimated():
    assert cards.card("L4").is_estimated
    assert not any(card.is_estimated for card in (H200, RTX_5090, measured_card()))


def test_block_rates_by_block_size_in_any_order():
    card = measured_card(block_rate={1024: 1e9, 256: 3e9, 768: 2e9})
    assert card.block_rate == 3e9 and card.large_block_rates == ((768, 2e9), (1024, 1e9))
    assert [card.blocks_per_second(n) for n in (64, 800, 1024)] == [3e9, 2e9, 1e9]


def test_a_card_without_a_measured_capacity_takes_the_specified_one_and_says_so():
    card, found = measured_card(), measured_card(l2_MiB=30)
    assert card.l2_MiB == specs.gpu("L4").l2_MiB == 48 and card.how["l2_MiB"] == "specified"
    assert found.l2_MiB == 30 and found.how["l2_MiB"] == "inferred"
    assert {how for name, how in card.how.items() if name != "l2_MiB"} == {"measured"}
    assert set(card.how) == {
        *("launch_us", "block_rate", "l2_latency_ns", "memory_latency_ns"),
        *("l2_GBps", "dram_GBps", "l2_MiB"),
    }


@pytest.mark.parametrize("bad", [0, -1.0, math.nan, math.inf, None])
@pytest.mark.parametrize(
    "constant", ["launch_latency_us", "block_rate", "memory_latency_ns", "dram_GBps"]
)
def test_a_measurement_that_cannot_be_is_refused(constant, bad):
    with pytest.raises(ValueError, match=r"of L4 must be a positive number"):
        measured_card(**{constant: bad})


@pytest.mark.parametrize("constant", ["l2_latency_ns", "l2_GBps", "l2_MiB"])
def test_so_is_a_changed_card(constant):
    with pytest.raises(ValueError, match=f"{constant} of H200 SXM must be a positive"):
        replace(H200, **{constant: -1})


def test_where_a_constant_comes_from_is_no_part_of_equality():
    assert replace(H200, how={}) == H200


def test_ranges_are_no_part_of_equality():
    assert replace(H200, ranges={}) == H200


# ---- other constants -------------------------------------------------------------------------


def test_another_block_rate_scales_those_of_large_blocks():
    half = H200.with_constant("block_rate", 0.831e9)
    assert half.block_rate == 0.831e9 and half.dram_GBps == H200.dram_GBps
    assert dict(half.large_block_rates) == pytest.approx({768: 0.766e9, 1024: 0.7365e9})


def test_another_constant_leaves_the_block_rates():
    other = H200.with_constant("dram_GBps", 4000)
    assert other == replace(H200, dram_GBps=4000) and other.dram_GBps == 4000
    assert other.large_block_rates == H200.large_block_rates


def test_an_estimated_card_starts_large_blocks_as_much_more_slowly_as_the_measured_one():
    a100 = next(Card.from_specification(name) for name in specs.gpus() if "A100" in name)
    parts = {threads: rate / a100.block_rate for threads, rate in a100.large_block_rates}
    assert parts == pytest.approx({768: 1.532 / 1.662, 1024: 1.473 / 1.662})
