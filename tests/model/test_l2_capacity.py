"""L2's capacity is found again from times that the model predicts for a known one."""

from dataclasses import replace

import pytest

from helpers import specs
from helpers.model import cards
from helpers.model.ceilings import predict
from helpers.model.l2_capacity import l2_capacity
from helpers.model.ladder import TORCH_ADD

H200 = cards.card("H200 SXM")
RTX_5090 = cards.card("GeForce RTX 5090")


def times_of(card, parts=(0.75, 1, 1.5, 2)):
    """Predict torch.add for working sets of parts of the specified L2: {elements: us}."""
    counts = [int(card.gpu.l2_MiB * specs.MIB / 12 * part) for part in parts]
    return {n: predict(TORCH_ADD["float32"], n, card).time_us for n in counts}


@pytest.mark.parametrize(
    "card, l2_MiB", [(RTX_5090, 96), (RTX_5090, 60), (H200, 60), (H200, 30), (H200, 25)]
)
def test_the_capacity_is_found_again(card, l2_MiB):
    times = times_of(replace(card, l2_MiB=l2_MiB))
    assert l2_capacity(card, times) == pytest.approx(l2_MiB, rel=0.011)


@pytest.mark.parametrize("part", [0.1, 0.25, 2.0, 3.0])
def test_sizes_from_a_quarter_to_twice_the_specified_one_are_tried(part):
    found = l2_capacity(
        H200, times_of(replace(H200, l2_MiB=60 * part), parts=(0.2, 0.4, 1, 2, 3))
    )
    assert found == pytest.approx(60 * min(max(part, 0.25), 2.0), rel=0.021)


def test_the_largest_size_that_is_tried_is_twice_the_specified_one():
    """The last step reaches it: 119.98 MiB is the step next to 120."""
    times = times_of(replace(H200, l2_MiB=120), parts=(0.2, 0.4, 1, 2, 3))
    assert l2_capacity(H200, times) == pytest.approx(120, rel=0.001)


def test_tried_are_steps_of_2_percent_from_a_quarter():
    found = l2_capacity(H200, times_of(replace(H200, l2_MiB=15 * 1.02**10)))
    assert found == pytest.approx(15 * 1.02**10, rel=1e-12)


def test_the_last_size_that_is_tried_is_the_first_above_twice_the_specified_one():
    last = 15 * 1.02**106  # 122.4 MiB
    times = times_of(replace(H200, l2_MiB=1.02 * last), parts=(0.2, 0.4, 1, 2, 3))
    assert l2_capacity(H200, times) == pytest.approx(last, rel=1e-12)


def test_errors_are_relative():
    """One wrong long time must not outweigh three right short ones."""
    times = times_of(replace(H200, l2_MiB=30), parts=(0.6, 0.7, 0.8, 0.9, 8))
    longest = max(times)
    times[longest] *= 1.02
    assert l2_capacity(H200, times) == pytest.approx(30, rel=0.03)


def test_no_capacity_from_no_times():
    with pytest.raises(ValueError, match="no times"):
        l2_capacity(H200, {})
