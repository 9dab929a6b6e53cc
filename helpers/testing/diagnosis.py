"""Guess from a wrong output, its reference and its inputs what went wrong."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable

from helpers.testing.guarded import explanation
from helpers.testing.mismatch import SEVERAL, SHORT, Diagnosis, Mismatch, are_among, widened
from helpers.testing.patterns import (
    wrong_batches,
    wrong_filters,
    wrong_formulas,
    wrong_fractions,
    wrong_functions,
    wrong_indices,
    wrong_logsums,
    wrong_masks,
    wrong_matrices,
    wrong_norms,
    wrong_numbers,
    wrong_operands,
    wrong_packs,
    wrong_parts,
    wrong_places,
    wrong_pools,
    wrong_products,
    wrong_ranges,
    wrong_rounding,
    wrong_rows,
    wrong_softmax,
    wrong_stencils,
    wrong_steps,
    wrong_sums,
    wrong_terms,
    wrong_trends,
    wrong_values,
    wrong_windows,
)
from helpers.testing.references import same_bits

PATTERNS = (
    wrong_rounding.held_in_a_double,
    wrong_rounding.beside_1,
    wrong_packs.lower_half,
    wrong_packs.not_masked,
    wrong_packs.side_by_side,
    wrong_ranges.from_an_int,
    wrong_matrices.all_in_first_row,
    wrong_indices.of_the_block,
    wrong_places.unwritten,
    wrong_matrices.not_turned,
    wrong_matrices.in_tiles,
    wrong_matrices.repeated,
    wrong_numbers.sign_of_zero,
    wrong_ranges.negative,
    wrong_places.copy,
    wrong_places.left_as_they_were,
    wrong_places.other_output,
    wrong_masks.other_mask,
    wrong_masks.added_zeros,
    wrong_matrices.other_row,
    wrong_rows.largest_once,
    wrong_norms.counted,
    wrong_sums.in_half,
    wrong_sums.kept_on,
    wrong_sums.of_tiles_before,
    wrong_sums.of_row_before,
    wrong_parts.of_sums,
    wrong_softmax.of_some_lanes,
    wrong_softmax.shuffled_down,
    wrong_softmax.divided_often,
    wrong_softmax.sum_is_larger,
    wrong_softmax.sum_of_few_digits,
    wrong_logsums.in_one_pass,
    wrong_logsums.of_a_quotient,
    wrong_logsums.of_log_sum,
    wrong_softmax.without_itself,
    wrong_softmax.sums_without_one,
    wrong_softmax.masked_by_a_number,
    wrong_softmax.masked_late,
    wrong_softmax.of_other_elements,
    wrong_softmax.own_maximum,
    wrong_logsums.of_part,
    wrong_softmax.turned_round,
    wrong_norms.affine,
    wrong_norms.mean_is_larger,
    wrong_norms.kept,
    wrong_operands.of_another_place,
    wrong_operands.of_a_repeated_input,
    wrong_rows.moved_along,
    wrong_numbers.rows,
    wrong_numbers.columns,
    wrong_terms.terms,
    wrong_terms.added_often,
    wrong_terms.gathered,
    wrong_products.factors,
    wrong_products.cut_elsewhere,
    wrong_products.weights,
    wrong_products.turned,
    wrong_products.misread,
    wrong_products.kept_on,
    wrong_products.unsigned,
    wrong_products.wrapped,
    wrong_sums.wrapped,
    wrong_sums.scaled_groups,
    wrong_rows.another_function,
    wrong_ranges.of_two,
    wrong_ranges.bits_of_the_other,
    wrong_ranges.bits_as_a_number,
    wrong_rows.sign_kept,
    wrong_places.nothing_replaces,
    wrong_rows.place_of_element,
    wrong_rows.counts,
    wrong_rows.counted_kind,
    wrong_rows.first_of_all,
    wrong_fractions.cut_division,
    wrong_rows.started_with,
    wrong_numbers.zeros_of_subnormals,
    wrong_rounding.compared_as_floats,
    wrong_places.truth_values,
    wrong_places.constant,
    wrong_packs.signs,
    wrong_packs.carries,
    wrong_steps.flags,
    wrong_steps.left_out_from_on,
    wrong_steps.in_steps,
    wrong_steps.cut_quotient,
    wrong_numbers.nan_of_a_sign,
    wrong_numbers.made_nan,
    wrong_numbers.nan_that_must_not_count,
    wrong_numbers.nan_of_nothing,
    wrong_ranges.nothing_found,
    wrong_numbers.overflowed,
    wrong_places.other_operands,
    wrong_places.one_operand,
    wrong_rounding.direction,
    wrong_rounding.rounded_product,
    wrong_rounding.rounded_term,
    wrong_rounding.whole_terms,
    wrong_rounding.another_type,
    wrong_ranges.squares,
    wrong_numbers.clamped,
    wrong_ranges.saturated,
    wrong_ranges.clamped_integers,
    wrong_steps.from_a_float,
    wrong_steps.upper_half,
    wrong_steps.wraps,
    wrong_steps.scaled_wrap,
    wrong_steps.scaled_low_bits,
    wrong_steps.compared_without_sign,
    wrong_steps.wrapped,
    wrong_steps.off_by_2_to_the_32,
    wrong_steps.wraps_before_limit,
    wrong_steps.part_wrapped,
    wrong_sums.few_bits,
    wrong_ranges.of_another_type,
    wrong_values.limited,
    wrong_ranges.not_limited,
    wrong_ranges.beyond_an_end,
    wrong_ranges.infinite_not_limited,
    wrong_values.ends_of_a_byte,
    wrong_values.should_be_zero,
    wrong_rounding.ties,
    wrong_rounding.cut_off,
    wrong_numbers.skipped_zeros,
    wrong_numbers.special,
    wrong_numbers.vanished,
    wrong_values.comparison,
    wrong_values.special_inputs,
    wrong_values.special_lines,
    wrong_stencils.window,
    wrong_places.neighbour,
    wrong_places.operand_neighbour,
    wrong_ranges.other_sign,
    wrong_functions.another,
    wrong_functions.other_order,
    wrong_formulas.changed_input,
    wrong_matrices.mirrored,
    wrong_matrices.exchanged,
    wrong_matrices.permuted,
    wrong_places.within_packs,
    wrong_packs.places,
    wrong_packs.turned,
    wrong_indices.other_index,
    wrong_indices.operand_index,
    wrong_indices.far_index,
    wrong_indices.started_again,
    wrong_stencils.stencil,
    wrong_windows.strided,
    wrong_windows.pooled,
    wrong_pools.sizes,
    wrong_filters.filtered,
    wrong_batches.strides,
    wrong_batches.goes_on,
    wrong_batches.only_the_first,
    wrong_stencils.ends,
    wrong_values.off_by_input,
    wrong_norms.of_first_lane,
    wrong_places.only_first_lanes,
    wrong_matrices.beside_the_diagonal,
    wrong_matrices.turned_past_16_bits,
    wrong_matrices.from_column_on,
    wrong_matrices.ends_of_rows,
    wrong_matrices.border,
    wrong_matrices.first_or_last_row,
    wrong_places.one_of_every,
    wrong_packs.some_of_one_place,
    wrong_places.at_edges_of_blocks,
    wrong_numbers.whole_range,
    wrong_formulas.scaled,
    wrong_formulas.other_scale,
    wrong_rounding.held_in_a_float,
    wrong_rounding.summed_in_doubles,
    wrong_sums.in_a_float,
    wrong_rounding.integers,
    wrong_rounding.halves,
    wrong_fractions.rounded_otherwise,
    wrong_rounding.one_beside,
    wrong_operands.of_another_number,
    wrong_values.few_values,
    wrong_values.magnitude,
    wrong_rounding.rounded_beside_one,
    wrong_rounding.rounded_step,
    wrong_values.sign_on_the_way,
    wrong_values.half_line,
    wrong_values.bit,
    wrong_places.some_operands,
    wrong_numbers.variances,
    wrong_rows.rows_of_a_sign,
    wrong_numbers.factor,
    wrong_formulas.changed_result,
    wrong_formulas.offset,
    wrong_packs.one_byte,
    wrong_places.every_second,
    wrong_indices.rows_past_16_bits,
    wrong_places.tail,
    wrong_places.from_on,
    wrong_places.suffix_sum,
    wrong_formulas.line,
    wrong_sums.started,
    wrong_rounding.whole_numbers,
    wrong_rounding.rounded_terms,
    wrong_rounding.precision,
    wrong_products.nearly,
    wrong_rounding.beside_one,
    wrong_rounding.beside_squares,
    wrong_rows.of_each_row,
    wrong_norms.moments,
    wrong_steps.large_integers,
    wrong_values.little_off,
    wrong_values.between,
    wrong_values.one_value,
    wrong_values.elsewhere,
    wrong_rounding.rounded_on_the_way,
    wrong_formulas.stretches,
    wrong_trends.follows,
    wrong_places.left_zero,
    wrong_rounding.one_way,
    wrong_rounding.whole_in_float,
    wrong_values.alike,
)  # the most telling first


LESS_SURE = (
    wrong_numbers.clamped,
    wrong_rounding.rounded_on_the_way,
    wrong_places.tail,
    wrong_places.copy,
    wrong_places.constant,
    wrong_places.suffix_sum,
    wrong_matrices.ends_of_rows,
    wrong_values.alike,
    wrong_rows.counted_kind,
)
SURE_OF_SEVERAL = (
    wrong_places.neighbour,
    wrong_places.operand_neighbour,
    wrong_places.other_operands,
    wrong_places.one_operand,
    wrong_softmax.of_other_elements,
)
FORMULAS = (
    wrong_terms.terms,
    wrong_places.other_operands,
    wrong_places.one_operand,
    wrong_places.some_operands,
    wrong_formulas.changed_input,
    wrong_formulas.changed_result,
    wrong_formulas.offset,
    wrong_numbers.factor,
)
BY_NUMBERS = (
    wrong_places.copy,
    wrong_places.constant,
    wrong_values.half_line,
    wrong_values.comparison,
    wrong_values.special_inputs,
    wrong_numbers.variances,
    wrong_numbers.cancelled,
)
SPECIAL = (
    wrong_numbers.sign_of_zero,
    wrong_numbers.special,
    wrong_values.special_inputs,
    wrong_values.special_lines,
    wrong_numbers.zeros_of_subnormals,
)
ROWS = (
    wrong_numbers.rows,
    wrong_rows.of_each_row,
    wrong_norms.moments,
    wrong_rounding.precision,
)
OF_LOST_DIGITS = (wrong_sums.in_half, wrong_sums.few_bits, wrong_rounding.precision)
LANES = (wrong_places.one_of_every, wrong_places.every_second)
NEARLY = (wrong_rounding.precision, wrong_products.nearly)
OF_MEMORY = (
    wrong_values.should_be_zero,
    wrong_matrices.permuted,
    wrong_matrices.beside_the_diagonal,  # where threads fill a tile in their order
    wrong_values.alike,  # with all bits set, say
    wrong_places.constant,
)
BY_PLACES = (
    wrong_stencils.ends,
    wrong_matrices.from_column_on,
    wrong_matrices.first_or_last_row,
)
OF_ZEROS = (wrong_places.left_zero, wrong_places.constant)
SEEN_BEYOND = 4  # times the written elements, of which a case must have so many to be sure
NANS = (wrong_numbers.made_nan, wrong_numbers.nan_of_nothing)


def diagnose(m: Mismatch) -> Diagnosis:
    """Return the first pattern that fits, else the number of wrong elements."""
    is_float8 = m.got.is_floating_point() and m.got.element_size() == 1
    m = widened(m)
    for pattern in PATTERNS:
        if is_float8 and pattern.__module__ == wrong_rounding.__name__:
            continue  # its digits are others
        if sentence := explanation(pattern, m):
            return Diagnosis(
                sentence,
                wrong=int(m.wrong.sum()),
                written=_written(m),
                unordered=pattern is wrong_numbers.nan_of_nothing,
                made_nan=pattern is wrong_numbers.made_nan,
                doubt=_doubt(m, pattern),
                nearly=pattern in NEARLY,
                overflows=pattern is wrong_numbers.overflowed,
                loses_digits=pattern in OF_LOST_DIGITS,
                zeros=pattern in OF_ZEROS and bool((m.got == 0)[m.wrong].all()),
                tail=pattern is wrong_places.suffix_sum,
                formula=pattern in FORMULAS,
                numbers=pattern in BY_NUMBERS,
                special=pattern in SPECIAL,
                rows=pattern in ROWS and len(m.shape) == 2,
                recurs=pattern is wrong_terms.terms,
                ends=pattern in BY_PLACES
                or (pattern is wrong_places.one_of_every and _is_of_many(m)),
                unwritten=pattern is wrong_places.unwritten,
                garbage=pattern in OF_MEMORY,
                constant=pattern is wrong_places.constant,
                copied=pattern is wrong_places.copy,
                lanes=pattern in LANES and m.elementwise,
                columns=pattern is wrong_numbers.columns,
                direction=pattern is wrong_formulas.offset
                and wrong_formulas.ANOTHER_DIRECTION in sentence,
            )
    count, n = int(m.wrong.sum()), m.got.numel()
    made_of_many = m.inputs and all(x.numel() != n for x in m.inputs)
    sentence = f"{count:,} of {n:,} elements are wrong"
    share = 0.9 if m.got.dtype.is_floating_point else 0.75  # small integers are right by chance
    if (n > SHORT and count > share * n) or (count == n >= SEVERAL and made_of_many):
        sentence += ", nearly all: is the formula another one?"
    elif where := _where(m):
        sentence += f", {where}"
    nearly = count < SEVERAL and not is_float8 and wrong_rounding.nearly_right(m)
    return Diagnosis(sentence, specific=False, wrong=count, nearly=nearly)


def _where(m: Mismatch) -> str:
    """Say in which rows, columns or further indices all wrong elements lie; "" for anywhere."""
    if len(m.shape) < 2 or math.prod(m.shape) != m.wrong.numel():
        return ""
    wrong, found = m.wrong.reshape(m.shape), []
    for dim, size in enumerate(m.shape):
        others = [k for k in range(len(m.shape)) if k != dim]
        at = wrong.amax(dim=others).nonzero().flatten().tolist()
        if len(at) < size and (words := _in_words(at, size)):
            one = len(at) == 1
            name = ("row", "column")[dim] + "s" * (not one) if len(m.shape) == 2 else ""
            found.append(f"in {name} {words}" if name else f"where index {dim + 1} is {words}")
    return f"all {' and '.join(found)}" if found else ""


def _in_words(at: list[int], size: int) -> str:
    """Describe numbers below a size, one behind the other or in steps; "" for others."""
    first, last = at[0], at[-1]
    steps = {b - a for a, b in itertools.pairwise(at)}
    if first == last:
        return f"{first:,}"
    if steps == {1}:
        return f"from {first:,} on" if last == size - 1 else f"{first:,} to {last:,}"
    if len(steps) > 1 or len(at) < 3:
        return ""
    goes_on = last + steps.pop() >= size
    return f"{first:,}, {at[1]:,} and so on" + f" to {last:,}" * (not goes_on)


def _is_of_many(m: Mismatch) -> bool:
    """Test whether each element may be made of many, as those of a matrix times a vector."""
    return not m.elementwise or any(x.dim() > len(m.shape) > 0 for x in m.inputs)


def _doubt(m: Mismatch, pattern: Callable) -> int:
    """Return how much a case of other sizes or numbers may tell more: see Diagnosis."""
    few = int(m.wrong.sum()) < SEVERAL
    if pattern is wrong_places.left_zero:
        return 2 if m.got.numel() <= SHORT else 0
    if pattern in LESS_SURE or (few and pattern in SURE_OF_SEVERAL):
        return 1
    if pattern in NANS and m.got.numel() <= SHORT:
        alone = [x.numel() for x in m.inputs] == [m.got.numel()]
        # Of which sign its inputs are, a larger one tells; of a row of one, what a longer one
        # makes.
        matrices = [x for x in m.inputs if x.dim() == 2]
        of_one = m.got.numel() == 1 or any(x.shape[1] == 1 for x in matrices)
        of_one = of_one and pattern is wrong_numbers.nan_of_nothing
        of_a_row = alone or len(matrices) == 1
        # What only moves numbers makes no NaN: an index is another one.
        moves = alone and are_among(m.expected, m.inputs[0])
        return int((alone and len(m.shape) < 2) or moves or (of_one and of_a_row))
    if pattern is wrong_places.tail:
        return int(m.got.numel() <= 2 * SHORT)  # it may be the first of a second group
    if pattern is wrong_numbers.nan_that_must_not_count:
        return int(m.got.numel() <= SHORT)  # what goes wrong of numbers says more
    if pattern is wrong_rows.started_with:
        return int(len(m.inputs[0]) == 1)
    if pattern is wrong_numbers.rows:
        few = m.shape[0] == 1 or m.got.numel() < 2 * SEVERAL
        return int(few)  # what each row is divided by, several tell
    if pattern is wrong_rounding.precision:
        return int(int(m.wrong.sum()) < 2 * SEVERAL and m.elementwise)
    if pattern is not wrong_places.unwritten:
        return 0
    n, written = m.got.numel(), _written(m)
    if written:
        if n - written <= wrong_places.LONGEST_TAIL:
            return 2
        return int(n < SEEN_BEYOND * written)
    if bool((same_bits(m.got, m.poison) & m.wrong).all()):
        return 3 if n <= SHORT else 0
    where = m.wrong.nonzero().flatten()
    in_one_run = int(where[-1] - where[0]) == len(where) - 1
    return int(len(where) < SEVERAL or in_one_run)


def _written(m: Mismatch) -> int:
    """Count the elements before those that were never written, if they are right.

    Behind them may be a tail of packs. Of few bits some of those are right by chance.
    """
    first = int(m.wrong.nonzero()[0])
    left = same_bits(m.got, m.poison)[first:]
    if not bool(left[0]):
        return 0
    ends = bool(left.all()) or wrong_places.tail_behind(m, first + left.nonzero().flatten())
    return first if ends else 0
