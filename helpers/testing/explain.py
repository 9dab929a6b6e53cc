"""Find out why a case fails by experiment: what has to change for it to go right?"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace

from helpers.emulator import isolated
from helpers.errors import FaultKind
from helpers.run.launcher import Launcher
from helpers.testing.cases import Case, Untried
from helpers.testing.experiment import Experiment, Remembered
from helpers.testing.experiments import (
    explain_arguments,
    explain_calls,
    explain_counts,
    explain_kinds,
    explain_launches,
    explain_nans,
    explain_numbers,
    explain_order,
    explain_races,
    explain_sides,
    explain_signs,
    explain_softmax,
    explain_steps,
    explain_totals,
    explain_variances,
)
from helpers.testing.guarded import explanation
from helpers.testing.mismatch import Diagnosis
from helpers.testing.past_2_31 import Huge
from helpers.testing.run_case import Failure

# In this order; True: the diagnosis stands beside the first wrong element, False: in its place.
EXPERIMENTS: tuple[tuple[Callable[[Experiment], Diagnosis | None], bool], ...] = (
    (explain_calls.streams_beside, False),
    (explain_steps.numbers_for_bits, True),
    (explain_counts.index_in_a_float, True),
    (explain_counts.count_of_16_bits, True),
    (explain_counts.nothing_of_2_to_the_16, True),
    (explain_nans.order_decides, True),
    (explain_races.lockstep, False),
    (explain_races.blocks_at_once, False),
    (explain_calls.halved_threads, False),
    (explain_races.order_of_threads, False),
    (explain_calls.stream, False),
    (explain_calls.earlier_calls, False),
    (explain_calls.other_inputs_before, False),
    (explain_calls.repeated, False),
    (explain_calls.halves_left, True),
    (explain_calls.zeroed_output, False),
    (explain_calls.outermost_output, False),
    (explain_calls.fresh_memory, True),
    (explain_calls.earlier_output, True),
    (explain_softmax.sum_starts_with_the_largest, True),
    (explain_calls.another_block_size, True),
    (explain_calls.another_size_by_name, True),
    (explain_sides.equal_sides, True),
    (explain_races.race, False),
    (explain_counts.second_round, True),
    (explain_sides.square_only, False),
    (explain_numbers.nan_of_negative_rows, True),
    (explain_numbers.other_end_is_chosen, True),
    (explain_totals.of_no_size, True),
    (explain_totals.start_value, True),
    (explain_totals.cut_to_an_integer, True),
    (explain_totals.place_in_an_int, True),
    (explain_numbers.started_too_high, True),
    (explain_numbers.left_out_of_few, True),
    (explain_steps.cut_arguments, True),
    (explain_steps.wrapped_arguments, True),
    (explain_steps.rounded_arguments, True),
    (explain_steps.cut_inputs, True),
    (explain_steps.squares_without_a_place, True),
    (explain_order.far_from_0, True),
    (explain_order.integers_far_from_0, True),
    (explain_softmax.digits_lost_far_from_0, True),
    (explain_order.differences_without_a_place, True),
    (explain_order.start_far_below, True),
    (explain_order.infinity_of_small_numbers, True),
    (explain_signs.read_as_another_sign, True),
    (explain_signs.right_of_small_numbers, True),
    (explain_signs.searched_without_sign, True),
    (explain_steps.added_too_late, True),
    (explain_numbers.flags_other_than_1, True),
    (explain_numbers.of_unequal_numbers, True),
    (explain_numbers.lost_beyond_16_bits, True),
    (explain_numbers.of_some_equal_numbers, True),
    (explain_numbers.place_of_an_equal_one, True),
    (explain_softmax.weighted_means, True),
    (explain_softmax.scaled_sums, True),
    (explain_totals.compared_by_size, True),
    (explain_totals.starts_with_a_number, True),
    (explain_numbers.other_inputs, True),
    (explain_numbers.long_rows_only, True),
    (explain_steps.small_numbers, True),
    (explain_launches.typed_step, False),
    (explain_launches.nothing_launched, True),
    (explain_launches.sum_of_no_launch, True),
    (explain_launches.first_alone, True),
    (explain_launches.another_size_of_blocks, False),
    (explain_launches.same_for_each_block, True),
    (explain_launches.too_few_threads_for_packs, False),
    (explain_calls.default_block_size, False),
    (explain_calls.capped_grid, False),
    (explain_launches.too_few_threads, True),
    (explain_launches.blocks_of_the_launch, True),
    (explain_calls.aligned_start, True),
    (explain_calls.read_beside, True),
    (explain_counts.wrapped, True),
    (explain_counts.of_groups, True),
    (explain_totals.quotient_of_integers, True),
    (explain_numbers.started_with_zero, True),
    (explain_totals.another_count, True),
    (explain_totals.another_sum, True),
    (explain_totals.amounts_of_sums, True),
    (explain_totals.counted_often_in_a_mean, True),
    (explain_totals.counted_often, True),
    (explain_variances.variance_of_parts, True),
    (explain_totals.always_too_large, True),
    (explain_numbers.so_many_times, True),
    (explain_arguments.changed, True),
    (explain_arguments.changed_by_another, True),
    (explain_arguments.exchanged, True),
    (explain_arguments.applied_before, True),
    (explain_arguments.reciprocal, True),
    (explain_arguments.some_values, True),
    (explain_arguments.off_by_one, True),
    (explain_arguments.no_effect, True),
    (explain_softmax.of_equal_numbers, True),
    (explain_nans.of_no_overflow, True),
    (explain_nans.lost, True),
    (explain_kinds.only_of_a_kind, True),
    (explain_numbers.other_numbers, True),
    (explain_numbers.one_number, True),
    (explain_numbers.wrong_in_long_rows, True),
)


def explain(
    launcher: Launcher,
    failure: Failure,
    passed: Sequence[Case],
    called: bool = False,
    following: Iterable[Case | Huge | Untried] = (),
    tried: Iterable[Case | Huge | Untried] = (),
) -> Failure:
    """Return the failure with a better diagnosis, if an experiment makes the case go right.

    passed: the cases that went right before it. called: there were calls before, in any event.
    following: cases that were not tried, of which one may be traced. tried: those behind this
    one that were, right or wrong. A kernel that ran out of time is run again only without the
    NaNs that it got.
    """
    if failure.settled:
        return failure
    experiment = Experiment(launcher, failure, passed, called, Remembered(following), tried)
    if failure.fault is FaultKind.TIMEOUT:
        endless = explanation(explain_nans.endless, experiment)
        # That it ends without a NaN tells that the time was not just too short.
        return replace(failure, diagnosis=endless, fault=None) if endless else failure
    for diagnose, keeps_first in EXPERIMENTS:
        with isolated.surviving():  # of blocks of fewer threads than a warp, say
            diagnosis = explanation(diagnose, experiment)
        if diagnosis:
            first = failure.first if keeps_first else ""
            return replace(failure, diagnosis=diagnosis, first=first)
    return failure


def stays_from_earlier(
    launcher: Launcher, failure: Failure, passed: Sequence[Case]
) -> Failure | None:
    """Return the failure with the words for it, if its case is right at the first call."""
    if failure.settled or failure.fault:
        return None
    diagnosis = explain_calls.earlier_calls(Experiment(launcher, failure, passed))
    return replace(failure, diagnosis=diagnosis, first="") if diagnosis else None


def beside_another_stream(launcher: Launcher, failure: Failure) -> Failure | None:
    """Return the failure with the words for it, if its streams do not wait for each other."""
    if failure.settled or failure.fault is FaultKind.TIMEOUT:
        return None
    diagnosis = explain_calls.streams_beside(Experiment(launcher, failure, ()))
    return replace(failure, diagnosis=diagnosis, first="", fault=None) if diagnosis else None
