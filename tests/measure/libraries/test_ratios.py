"""A ratio has the interval that drawing its rounds again gives."""

import pytest

from helpers.measure.libraries.ratios import Ratio, ratio
from helpers.measure.timing import Times


def times(*samples):
    return Times(tuple((us,) for us in samples))


def test_equal_samples_have_no_spread():
    found = ratio(times(*[2.0] * 9), [times(*[3.0] * 9), times(*[2.5] * 9)])
    assert found == (1.25, 1.25, 1.25) and found.verdict == "ahead"


def test_rounds_are_drawn_whole():
    """What slows a whole round slows both: their ratio keeps within the rounds'."""
    own = times(*[10.0, 20.0, 30.0, 40.0, 50.0])
    found = ratio(own, [times(*[11.0, 22.0, 33.0, 44.0, 55.0])])
    assert found == pytest.approx((1.1, 1.1, 1.1))


def test_batches_are_drawn_whole():
    """Of four places one is slow: what it adds is no certainty, however many its rounds."""
    own = Times(tuple((us,) * 8 for us in (1.0, 1.0, 1.0, 1.2)))
    found = ratio(own, [Times(((0.99,) * 8,) * 4)])
    assert found.low == pytest.approx(0.99 / 1.2) and found.high == pytest.approx(0.99)
    one_batch_each = ratio(times(*own.samples), [times(*[0.99] * 32)])
    assert one_batch_each.low == pytest.approx(0.99)


def test_a_wide_spread_is_a_tie():
    own = times(*[1.0, 1.2] * 8)
    other = times(*[1.2, 1.0] * 8)
    found = ratio(own, [other])
    assert found.value == pytest.approx(1.0)
    assert found.low < 0.95 and found.high > 1.05 and found.verdict == "tie"
    assert ratio(own, [other]) == found  # the draws are seeded


def test_the_fastest_of_the_others_counts_in_every_draw():
    own = times(*[1.0] * 10)
    found = ratio(own, [times(*[2.0, 0.5] * 5), times(*[0.9] * 10)])
    assert found.high <= 0.9 + 1e-9 and found.verdict == "behind"


def test_a_verdict_needs_the_whole_interval():
    assert Ratio(1.01, 1.001, 1.02).verdict == "ahead"
    assert Ratio(1.01, 1.0, 1.02).verdict == "tie"
    assert Ratio(0.99, 0.98, 1.0).verdict == "tie"
    assert Ratio(0.99, 0.98, 0.999).verdict == "behind"


def test_nothing_to_compare_with_is_an_error():
    with pytest.raises(ValueError, match="nothing to compare with"):
        ratio(times(1.0, 2.0), [])
    with pytest.raises(ValueError):
        ratio(times(1.0, 2.0), [times(1.0)])


def test_the_interval_is_of_2000_seeded_draws_at_95_percent():
    own = times(*[10 + 0.37 * (k * 7 % 15) for k in range(15)])
    other = times(*[11 + 0.53 * (k * 4 % 15) for k in range(15)])
    assert ratio(own, [other]) == pytest.approx(
        (1.1683876092136618, 0.9714506172839505, 1.3772504091653028), rel=1e-9
    )
