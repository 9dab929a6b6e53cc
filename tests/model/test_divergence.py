"""The cost of divergent branches, against counts warp by warp and closed forms."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from helpers.model import divergence


@pytest.mark.parametrize(
    ("threads_a", "cycles", "utilisation"),
    [
        (32, 100, "100.00%"),
        (0, 1, "100.00%"),
        (16, 101, "50.00%"),
        (31, 101, "95.95%"),
        (1, 101, "4.05%"),
    ],
)
def test_the_corrected_table_of_one_warp(threads_a, cycles, utilisation):
    cost = divergence.branch_cost(divergence.split(threads_a), 100, 1)
    assert cost.cycles == cycles
    assert f"{cost.utilisation:.2%}" == utilisation


@given(
    st.lists(st.booleans(), min_size=1, max_size=200), st.integers(1, 50), st.integers(1, 50)
)
def test_branch_cost_counts_what_a_walk_over_the_warps_counts(flags, a, b):
    cost = divergence.branch_cost(np.array(flags), a, b)
    groups = [flags[i : i + 32] for i in range(0, len(flags), 32)]
    assert cost.cycles == sum(a * any(group) + b * (not all(group)) for group in groups)
    assert cost.useful == sum(a if flag else b for flag in flags)
    assert cost.divergent == sum(len(set(group)) == 2 for group in groups)
    assert cost.warps == len(groups)
    assert 0 < cost.utilisation <= 1


@given(
    st.lists(st.booleans(), min_size=1, max_size=500), st.integers(0, 90), st.integers(0, 90)
)
def test_sorting_never_costs_cycles_and_leaves_one_divergent_warp_at_most(flags, a, b):
    mixed = divergence.branch_cost(np.array(flags), a, b)
    after = divergence.branch_cost(np.sort(flags), a, b)
    assert after.cycles <= mixed.cycles
    assert after.divergent <= 1
    assert after.useful == mixed.useful


def test_random_data_cost_what_the_expectation_says():
    random_flags = np.random.default_rng(0).random(32 * 20_000) < 0.05
    cost = divergence.branch_cost(random_flags, 100, 1)
    assert cost.cycles / cost.warps == pytest.approx(
        divergence.mixed_cycles(0.05, 100, 1), rel=0.01
    )
    assert cost.divergent / cost.warps == pytest.approx(
        divergence.divergence_probability(0.05), rel=0.02
    )
    after = divergence.branch_cost(np.sort(random_flags), 100, 1)
    assert after.cycles / after.warps == pytest.approx(
        divergence.sorted_cycles(0.05, 100, 1), rel=0.02
    )


def test_the_speedup_of_sorting():
    assert divergence.sorted_speedup(0.5, 100, 1) == pytest.approx(2.0, rel=1e-6)
    assert (
        divergence.sorted_speedup(0.0, 100, 1) == divergence.sorted_speedup(1.0, 100, 1) == 1.0
    )
    # A rare long side costs most: with 1 in 32 threads on it, two thirds of the warps run it.
    assert divergence.sorted_speedup(1 / 32, 100, 1) == pytest.approx(
        (1 - (31 / 32) ** 32) * 100 / 4.09 + 1 / 4.09, rel=0.01
    )
    # Running the long side for everyone does not help: 101 cycles against 100.
    assert divergence.branch_cost(divergence.split(16), 100, 1).cycles / 100 == 1.01


@pytest.mark.parametrize("p", [0, 0.001, 0.3, 0.5, 0.99, 1])
def test_divergence_probability_by_summing_the_binomial_distribution(p):
    both = sum(math.comb(32, k) * p**k * (1 - p) ** (32 - k) for k in range(1, 32))
    assert divergence.divergence_probability(p) == pytest.approx(both, abs=1e-12)


def test_the_timeline_of_masks_covers_the_warps_time():
    takes_a = divergence.split(20)
    a, b = divergence.mask_timeline(takes_a, 100, 1)
    assert (a.start, a.stop, a.side, a.active) == (0, 100, "A", 20)
    assert (b.start, b.stop, b.side, b.active) == (100, 101, "B", 12)
    assert not any(x and y for x, y in zip(a.mask, b.mask, strict=True))
    assert [span.side for span in divergence.mask_timeline(divergence.split(0), 100, 1)] == [
        "B"
    ]
    assert (
        divergence.mask_text(takes_a) == "0" * 12 + "1" * 20
    )  # 32 digits, lane 0 at the right
    assert int(divergence.mask_text(divergence.split(1)), 2) == 1


def test_bad_arguments_of_the_divergence_model_are_refused():
    with pytest.raises(TypeError, match="booleans"):
        divergence.branch_cost([1, 0, 1], 1, 1)
    with pytest.raises(ValueError, match="no thread"):
        divergence.branch_cost(np.array([], dtype=bool), 1, 1)
    with pytest.raises(ValueError, match="cycles_a"):
        divergence.branch_cost(divergence.split(3), -1, 1)
    with pytest.raises(ValueError, match="between 0 and 1"):
        divergence.mixed_cycles(1.5, 1, 1)
    with pytest.raises(ValueError, match="33"):
        divergence.split(33)


def test_a_warp_of_another_size():
    assert divergence.split(1, 4).tolist() == [True, False, False, False]
    assert divergence.split(0, 4).any() == False and divergence.split(4, 4).all()  # noqa: E712
    cost = divergence.branch_cost(divergence.split(2, 6), 10, 1, warp_size=4)
    assert (cost.warps, cost.divergent, cost.cycles, cost.useful) == (2, 1, 12, 24)
    assert cost.warp_size == 4 and cost.utilisation == pytest.approx(24 / 48)


def test_expectations_by_hand_for_warps_of_two():
    assert divergence.divergence_probability(0.25, 2) == pytest.approx(2 * 0.25 * 0.75)
    assert divergence.mixed_cycles(0.25, 100, 10, 2) == pytest.approx(
        (1 - 0.75**2) * 100 + (1 - 0.25**2) * 10
    )
    assert divergence.sorted_cycles(0.25, 100, 10) == pytest.approx(0.25 * 100 + 0.75 * 10)
    assert divergence.sorted_speedup(0.25, 100, 10, 2) == pytest.approx(53.125 / 32.5)
    assert divergence.mixed_cycles(0.3, 5, 7) == divergence.mixed_cycles(0.3, 5, 7, 32)


def test_branches_that_cost_nothing():
    free = divergence.branch_cost(divergence.split(16), 0, 0)
    assert (free.cycles, free.utilisation) == (0, 1.0)
    assert divergence.sorted_speedup(0.5, 0, 0) == 1.0


@pytest.mark.parametrize("threads", [-1, 33])
def test_more_threads_than_a_warp_has(threads):
    with pytest.raises(ValueError, match=f"threads_a is {threads}: a warp has 0 to 32"):
        divergence.split(threads)


def test_each_argument_is_checked_by_its_name():
    mask = divergence.split(3)
    for name, values in {"cycles_a": (-1, 1), "cycles_b": (1, -1)}.items():
        for function in (divergence.branch_cost, divergence.mask_timeline):
            with pytest.raises(ValueError, match=f"^{name} is -1"):
                function(mask, *values)
        for function in (divergence.mixed_cycles, divergence.sorted_cycles):
            with pytest.raises(ValueError, match=f"^{name} is -1"):
                function(0.5, *values)
    with pytest.raises(ValueError, match=r"^warp_size is 0: give a finite number, 1 or more"):
        divergence.branch_cost(mask, 1, 1, warp_size=0)
    for function in (divergence.divergence_probability,):
        with pytest.raises(ValueError, match=r"^p is 2"):
            function(2)
    with pytest.raises(ValueError, match=r"^p is 2"):
        divergence.sorted_cycles(2, 1, 1)
    with pytest.raises(TypeError, match=r"^mask: give booleans, .* not int64"):
        divergence.mask_text(np.array([1, 0]))


def test_masks_of_any_shape_are_read_in_order():
    flags = np.array([[True, False], [False, True]])
    assert divergence.mask_text(flags) == "1001"
    assert divergence.branch_cost(flags, 3, 2, warp_size=2).divergent == 2
    (only,) = divergence.mask_timeline(np.ones(4, dtype=bool), 5, 9)
    assert (only.start, only.stop, only.side, only.mask) == (0, 5, "A", (True,) * 4)
