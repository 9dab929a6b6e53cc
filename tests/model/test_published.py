"""Published bandwidths: what a row must say, and how far the predictions are off."""

import statistics
from dataclasses import replace

import pytest

from helpers import specs
from helpers.model import published
from helpers.model.cards import card
from helpers.model.ceilings import predict
from helpers.model.launch_shape import LaunchShape
from helpers.model.published import CALIBRATION, REJECTED, ROLES, TEST, comparisons
from helpers.model.specification import ECC_SHARE, HBM, ecc_share, memory_class
from helpers.model.terms import blocks_per_sm

TESTS = comparisons()
ROWS = published.published()
CALIBRATED = {"H200 SXM", "GeForce RTX 5090"}


def test_at_least_twelve_tests_on_at_least_eight_cards():
    assert len(TESTS) >= 12
    assert len({one.row.gpu for one in TESTS}) >= 8
    assert {row.role for row in ROWS} == set(ROLES)


@pytest.mark.parametrize("row", ROWS, ids=lambda row: f"{row.gpu} {row.kernel}")
def test_a_row_names_its_source_revision_date_and_launch(row):
    assert row.source and row.revision and row.timing
    assert len(row.date) == 10 and row.date[4] == row.date[7] == "-"
    assert row.launch in ("source code", "assumed")
    assert row.note or row.role == TEST
    assert not row.miss or row.miss.startswith(("measured: ", "inferred: ", "conjecture: "))


@pytest.mark.parametrize("row", ROWS, ids=lambda row: f"{row.gpu} {row.kernel}")
def test_a_row_says_what_ecc_does_and_the_estimate_agrees(row):
    """The estimate takes a share off where ECC may be on: on by default, or not said."""
    assert row.ecc in published.ECC_STATES
    if row.role != REJECTED:
        card_ = specs.gpu(row.gpu)
        assert (row.ecc == "no cost") == (memory_class(card_) == HBM)
        assert (ecc_share(card_) == ECC_SHARE) == (row.ecc in ("on by default", "not said"))


def test_what_the_guide_says_of_ecc_would_bring_the_t4_from_10_to_7_percent():
    """The one card whose data sheet says that ECC is on; it would bring no row within 5%.

    NVIDIA's guide: about 20% of GDDR's bandwidth. No constant of the model is changed.
    """
    (t4,) = [one for one in TESTS if one.row.ecc == "on by default"]
    bandwidth = t4.prediction.card.dram_GBps * 0.8 / ECC_SHARE[1]
    told = predict(t4.row.shape, t4.row.elements, replace(card("T4"), dram_GBps=bandwidth))
    assert t4.row.gpu == "T4" and t4.error == pytest.approx(0.10, abs=0.005)
    assert told.gb_per_s / t4.row.gb_per_s - 1 == pytest.approx(-0.073, abs=0.005)


ECC_ON_AND_OFF = {  # MB/s of GPU-STREAM's copy and triad on cards with GDDR5
    "K20c": ((152296.519, 171245.377), (150597.842, 173616.092)),
    "K40c": ((194335.669, 220178.580), (191240.187, 220662.874)),
    "K80": ((180192.706, 203910.595), (176954.341, 203421.823)),
}
"""BabelStream's results/v1.0/cuda, commit 2352b6c (2016-08-26): the same card twice.

They were found when the rows of published.csv had been read, so they change no constant."""


def test_what_ecc_cost_older_cards():
    copies, triads = (
        [on / off for on, off in pairs] for pairs in zip(*ECC_ON_AND_OFF.values(), strict=True)
    )
    assert (min(copies), max(copies)) == pytest.approx((0.883, 0.889), abs=5e-4)
    assert (min(triads), max(triads)) == pytest.approx((0.867, 0.870), abs=5e-4)


def with_ecc(one, share):
    """Return the error of a prediction if ECC left this share of the DRAM bandwidth."""
    gpu = one.prediction.card
    told = replace(gpu, dram_GBps=gpu.dram_GBps * share / ecc_share(gpu.gpu)[1])
    return predict(one.row.shape, one.row.elements, told).gb_per_s / one.row.gb_per_s - 1


def test_the_state_of_ecc_would_explain_five_of_twelve_misses():
    """With ECC on as on older cards T4, L4 and A10 are met; without it the L40, not the A40.

    A40 and L40 had it off: a kernel of the same files that only reads reaches 679 of 695.8 and
    844 of 864 GB/s (revision 0a45416). With it on a T4 has 15 of its 16 GB, so the check bits
    alone would leave less than 15/16 of the traffic.
    """
    plateau = {
        name: [one for one in TESTS if one.row.gpu == name and one.row.resident_blocks is None]
        for name in ("T4", "L4", "A10", "A40", "L40")
    }
    copy = statistics.mean(on / off for (on, off), _ in ECC_ON_AND_OFF.values())
    for name in ("T4", "L4", "A10"):
        (one,) = plateau[name]
        assert abs(one.error) > 0.05 > 0.03 > abs(with_ecc(one, copy))
    assert (
        min(679 / specs.gpu("A40").dram_GBps, 844 / specs.gpu("L40").dram_GBps) > 0.97 > 15 / 16
    )
    without = {name: [with_ecc(one, 1) for one in plateau[name]] for name in ("A40", "L40")}
    assert without["A40"] == pytest.approx([-0.074, -0.064], abs=0.002)
    assert without["L40"] == pytest.approx([-0.026, -0.012], abs=0.002)


def test_cards_that_set_a_constant_are_no_test_cards():
    assert not CALIBRATED & {one.row.gpu for one in TESTS}
    assert {one.row.gpu for one in comparisons(CALIBRATION)} <= CALIBRATED


def test_what_counts_lies_below_the_peak():
    for row in ROWS:
        if row.role != REJECTED:
            assert row.gb_per_s < specs.gpu(row.gpu).dram_GBps, row


def test_a_row_of_a_role_is_predicted_with_its_own_launch():
    one = TESTS[0]
    assert one.row.shape == LaunchShape(1, 8, 1024, reads=1)
    assert one.row.bytes_moved == one.prediction.bytes_moved == 16 * one.row.elements
    assert one.prediction == predict(one.row.shape, one.row.elements, one.row.gpu)
    assert one.prediction.card.how["dram_GBps"] == "estimated"


def test_the_range_is_the_interval_as_a_bandwidth():
    one = TESTS[0]
    low, high = one.range_GBps
    assert low == pytest.approx(one.row.bytes_moved / one.prediction.interval.high_us / 1e3)
    assert high == pytest.approx(one.row.bytes_moved / one.prediction.interval.low_us / 1e3)
    assert low < one.prediction.gb_per_s < high
    assert one.is_in_range == (low <= one.row.gb_per_s <= high)


def test_the_error_is_that_of_the_bandwidth():
    one = TESTS[0]
    assert one.error == pytest.approx(one.prediction.gb_per_s / one.row.gb_per_s - 1)


def test_the_ends_of_the_range_count():
    low, high = TESTS[0].range_GBps
    for published_, inside in ((low, True), (high, True), (low - 1, False), (high + 1, False)):
        row = replace(TESTS[0].row, gb_per_s=published_)
        assert replace(TESTS[0], row=row).is_in_range == inside


def test_few_resident_blocks_have_few_bytes_in_flight():
    few = [one.row for one in TESTS if one.row.resident_blocks is not None]
    assert {row.resident_blocks for row in few} == {2}
    for row in few:
        assert blocks_per_sm(row.shape, specs.gpu(row.gpu)) == 2
    assert few[0].label == "A100 40GB SXM, scale, 256 threads an SM"
    assert TESTS[0].row.label == "A100 40GB SXM, scale"


def test_three_of_four_lie_in_the_predicted_range():
    assert sum(one.is_in_range for one in TESTS) >= 0.7 * len(TESTS)


def test_half_of_the_tests_within_6_percent_and_nearly_all_within_14():
    plateau = [abs(one.error) for one in TESTS if one.row.resident_blocks is None]
    few = [abs(one.error) for one in TESTS if one.row.resident_blocks is not None]
    assert len(plateau) >= 19 and len(few) == 16
    assert statistics.median(plateau) < 0.06
    assert sum(error < 0.13 for error in plateau) >= len(plateau) - 1  # all but an int8 kernel
    assert max(few) < 0.14


def others_within_5_percent(cards):
    """Let each card set the others' share of the peak; return how many rows of each draw fit.

    The share is the mean of the card's own rows. No constant of the model is changed.
    """
    plateau = [one for one in TESTS if one.row.resident_blocks is None and one.row.gpu in cards]
    found = {}
    for drawn in cards:
        own = [1 + one.error for one in plateau if one.row.gpu == drawn]
        rest = [1 + one.error for one in plateau if one.row.gpu != drawn]
        errors = [error / statistics.harmonic_mean(own) - 1 for error in rest]
        found[drawn] = (sum(abs(error) <= 0.05 for error in errors), len(errors))
    return found


def test_the_plateaus_that_lie_within_5_and_10_percent():
    plateau = [abs(one.error) for one in TESTS if one.row.resident_blocks is None]
    assert len(plateau) == 31
    assert sum(error <= 0.05 for error in plateau) == 19
    assert sum(error <= 0.10 for error in plateau) == 27


def test_one_share_for_all_gddr6_would_not_do_but_one_for_cards_with_ecc_would():
    """As data/README.md says of the goal, whichever card the share is taken from."""
    with_ecc = ("T4", "L4", "A10")
    assert set(others_within_5_percent(with_ecc).values()) == {(2, 2)}
    geforce = ("GeForce RTX 3060", "GeForce RTX 4060 Ti", "GeForce RTX 4060 Laptop GPU")
    one_for_all = others_within_5_percent((*with_ecc, *geforce, "A40", "L40"))
    assert max(fit for fit, _ in one_for_all.values()) == 4
    assert {rows for _, rows in one_for_all.values()} == {9, 10}


def test_a_miss_of_more_than_5_percent_has_a_cause():
    for one in TESTS + comparisons(CALIBRATION):
        assert abs(one.error) <= 0.05 or one.row.miss, one.row


def test_babelstream_on_an_h200_which_set_no_constant():
    """Each cell within 6.5%, all that move doubles or two inputs within 2.5%."""
    rows = [one for one in comparisons(CALIBRATION) if "issue 1673" in one.row.source]
    assert len(rows) == 8
    assert max(abs(one.error) for one in rows) < 0.065
    wide = [one for one in rows if one.row.element_bytes == 8 or one.row.reads == 2]
    assert max(abs(one.error) for one in wide) < 0.025


def test_rejected_rows_have_no_prediction():
    with pytest.raises(ValueError, match="'test' or 'calibration', not 'rejected'"):
        comparisons(REJECTED)


@pytest.mark.parametrize(
    ("name", "latency_ns", "least", "most"),
    [("H100 PCIe", 375, -0.045, 0.045), ("A100 40GB SXM", 407, -0.085, -0.015)],
)
def test_few_bytes_in_flight_with_the_cards_own_latency(name, latency_ns, least, most):
    """Latencies of DRAM by the pointer chases of the same repository.

    With its own one the H100 is met within 4%; the A100 is faster than the model then.
    """
    few = [one.row for one in TESTS if one.row.gpu == name and one.row.resident_blocks]
    own = replace(card(name), memory_latency_ns=latency_ns)
    errors = [predict(row.shape, row.elements, own).gb_per_s / row.gb_per_s - 1 for row in few]
    assert len(errors) == 4 and least < min(errors) and max(errors) < most
