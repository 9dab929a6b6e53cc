"""The patterns are tried in order; where none fits, the wrong elements are counted."""

import math
from dataclasses import replace

import pytest
import torch

from helpers.testing import diagnosis
from helpers.testing.diagnosis import diagnose
from helpers.testing.mismatch import Diagnosis
from tests.testing.mismatches import POISON, mismatch, random

ALL_PATTERNS = diagnosis.PATTERNS


def test_the_fallback_counts_the_wrong_elements():
    got = torch.tensor([5.0, 7.0, 3.0, 9.0] * 1000)
    expected = torch.tensor([1.0, 2.0, 3.0, 9.0] * 1000)
    answer = diagnose(mismatch(got, expected))
    words = "2,000 of 4,000 elements are wrong"
    assert answer == Diagnosis(words, specific=False, wrong=2000)


def test_one_row_of_four_may_be_read_beyond_its_end():
    """The length of a row decides which of them start at a round address."""
    right = torch.arange(60.0) * 5 - 99
    got = torch.where(torch.arange(60) % 4 == 0, right + torch.arange(60), right)
    got[0] += 1
    for inputs, ends in (((torch.zeros(60, 47),), True), ((torch.rand(60),), False)):
        answer = diagnose(mismatch(got, right, *inputs, shape=(60,)))
        assert answer.sentence.startswith("one of every 4 elements is wrong")
        assert answer.ends is ends


def test_patterns_are_tried_from_the_most_to_the_least_telling():
    named = [f"{p.__module__.rpartition('.')[2]}.{p.__name__}" for p in diagnosis.PATTERNS]
    assert named == [
        "wrong_rounding.held_in_a_double",
        "wrong_rounding.beside_1",
        "wrong_packs.lower_half",
        "wrong_packs.not_masked",
        "wrong_packs.side_by_side",
        "wrong_ranges.from_an_int",
        "wrong_matrices.all_in_first_row",
        "wrong_indices.of_the_block",
        "wrong_places.unwritten",
        "wrong_matrices.not_turned",
        "wrong_matrices.in_tiles",
        "wrong_matrices.repeated",
        "wrong_numbers.sign_of_zero",
        "wrong_ranges.negative",
        "wrong_places.copy",
        "wrong_places.left_as_they_were",
        "wrong_places.other_output",
        "wrong_masks.other_mask",
        "wrong_masks.added_zeros",
        "wrong_matrices.other_row",
        "wrong_rows.largest_once",
        "wrong_norms.counted",
        "wrong_sums.in_half",
        "wrong_sums.kept_on",
        "wrong_sums.of_tiles_before",
        "wrong_sums.of_row_before",
        "wrong_parts.of_sums",
        "wrong_softmax.of_some_lanes",
        "wrong_softmax.shuffled_down",
        "wrong_softmax.divided_often",
        "wrong_softmax.sum_is_larger",
        "wrong_softmax.sum_of_few_digits",
        "wrong_logsums.in_one_pass",
        "wrong_logsums.of_a_quotient",
        "wrong_logsums.of_log_sum",
        "wrong_softmax.without_itself",
        "wrong_softmax.sums_without_one",
        "wrong_softmax.masked_by_a_number",
        "wrong_softmax.masked_late",
        "wrong_softmax.of_other_elements",
        "wrong_softmax.own_maximum",
        "wrong_logsums.of_part",
        "wrong_softmax.turned_round",
        "wrong_norms.affine",
        "wrong_norms.mean_is_larger",
        "wrong_norms.kept",
        "wrong_operands.of_another_place",
        "wrong_operands.of_a_repeated_input",
        "wrong_rows.moved_along",
        "wrong_numbers.rows",
        "wrong_numbers.columns",
        "wrong_terms.terms",
        "wrong_terms.added_often",
        "wrong_terms.gathered",
        "wrong_products.factors",
        "wrong_products.cut_elsewhere",
        "wrong_products.weights",
        "wrong_products.turned",
        "wrong_products.misread",
        "wrong_products.kept_on",
        "wrong_products.unsigned",
        "wrong_products.wrapped",
        "wrong_sums.wrapped",
        "wrong_sums.scaled_groups",
        "wrong_rows.another_function",
        "wrong_ranges.of_two",
        "wrong_ranges.bits_of_the_other",
        "wrong_ranges.bits_as_a_number",
        "wrong_rows.sign_kept",
        "wrong_places.nothing_replaces",
        "wrong_rows.place_of_element",
        "wrong_rows.counts",
        "wrong_rows.counted_kind",
        "wrong_rows.first_of_all",
        "wrong_fractions.cut_division",
        "wrong_rows.started_with",
        "wrong_numbers.zeros_of_subnormals",
        "wrong_rounding.compared_as_floats",
        "wrong_places.truth_values",
        "wrong_places.constant",
        "wrong_packs.signs",
        "wrong_packs.carries",
        "wrong_steps.flags",
        "wrong_steps.left_out_from_on",
        "wrong_steps.in_steps",
        "wrong_steps.cut_quotient",
        "wrong_numbers.nan_of_a_sign",
        "wrong_numbers.made_nan",
        "wrong_numbers.nan_that_must_not_count",
        "wrong_numbers.nan_of_nothing",
        "wrong_ranges.nothing_found",
        "wrong_numbers.overflowed",
        "wrong_places.other_operands",
        "wrong_places.one_operand",
        "wrong_rounding.direction",
        "wrong_rounding.rounded_product",
        "wrong_rounding.rounded_term",
        "wrong_rounding.whole_terms",
        "wrong_rounding.another_type",
        "wrong_ranges.squares",
        "wrong_numbers.clamped",
        "wrong_ranges.saturated",
        "wrong_ranges.clamped_integers",
        "wrong_steps.from_a_float",
        "wrong_steps.upper_half",
        "wrong_steps.wraps",
        "wrong_steps.scaled_wrap",
        "wrong_steps.scaled_low_bits",
        "wrong_steps.compared_without_sign",
        "wrong_steps.wrapped",
        "wrong_steps.off_by_2_to_the_32",
        "wrong_steps.wraps_before_limit",
        "wrong_steps.part_wrapped",
        "wrong_sums.few_bits",
        "wrong_ranges.of_another_type",
        "wrong_values.limited",
        "wrong_ranges.not_limited",
        "wrong_ranges.beyond_an_end",
        "wrong_ranges.infinite_not_limited",
        "wrong_values.ends_of_a_byte",
        "wrong_values.should_be_zero",
        "wrong_rounding.ties",
        "wrong_rounding.cut_off",
        "wrong_numbers.skipped_zeros",
        "wrong_numbers.special",
        "wrong_numbers.vanished",
        "wrong_values.comparison",
        "wrong_values.special_inputs",
        "wrong_values.special_lines",
        "wrong_stencils.window",
        "wrong_places.neighbour",
        "wrong_places.operand_neighbour",
        "wrong_ranges.other_sign",
        "wrong_functions.another",
        "wrong_functions.other_order",
        "wrong_formulas.changed_input",
        "wrong_matrices.mirrored",
        "wrong_matrices.exchanged",
        "wrong_matrices.permuted",
        "wrong_places.within_packs",
        "wrong_packs.places",
        "wrong_packs.turned",
        "wrong_indices.other_index",
        "wrong_indices.operand_index",
        "wrong_indices.far_index",
        "wrong_indices.started_again",
        "wrong_stencils.stencil",
        "wrong_windows.strided",
        "wrong_windows.pooled",
        "wrong_pools.sizes",
        "wrong_filters.filtered",
        "wrong_batches.strides",
        "wrong_batches.goes_on",
        "wrong_batches.only_the_first",
        "wrong_stencils.ends",
        "wrong_values.off_by_input",
        "wrong_norms.of_first_lane",
        "wrong_places.only_first_lanes",
        "wrong_matrices.beside_the_diagonal",
        "wrong_matrices.turned_past_16_bits",
        "wrong_matrices.from_column_on",
        "wrong_matrices.ends_of_rows",
        "wrong_matrices.border",
        "wrong_matrices.first_or_last_row",
        "wrong_places.one_of_every",
        "wrong_packs.some_of_one_place",
        "wrong_places.at_edges_of_blocks",
        "wrong_numbers.whole_range",
        "wrong_formulas.scaled",
        "wrong_formulas.other_scale",
        "wrong_rounding.held_in_a_float",
        "wrong_rounding.summed_in_doubles",
        "wrong_sums.in_a_float",
        "wrong_rounding.integers",
        "wrong_rounding.halves",
        "wrong_fractions.rounded_otherwise",
        "wrong_rounding.one_beside",
        "wrong_operands.of_another_number",
        "wrong_values.few_values",
        "wrong_values.magnitude",
        "wrong_rounding.rounded_beside_one",
        "wrong_rounding.rounded_step",
        "wrong_values.sign_on_the_way",
        "wrong_values.half_line",
        "wrong_values.bit",
        "wrong_places.some_operands",
        "wrong_numbers.variances",
        "wrong_rows.rows_of_a_sign",
        "wrong_numbers.factor",
        "wrong_formulas.changed_result",
        "wrong_formulas.offset",
        "wrong_packs.one_byte",
        "wrong_places.every_second",
        "wrong_indices.rows_past_16_bits",
        "wrong_places.tail",
        "wrong_places.from_on",
        "wrong_places.suffix_sum",
        "wrong_formulas.line",
        "wrong_sums.started",
        "wrong_rounding.whole_numbers",
        "wrong_rounding.rounded_terms",
        "wrong_rounding.precision",
        "wrong_products.nearly",
        "wrong_rounding.beside_one",
        "wrong_rounding.beside_squares",
        "wrong_rows.of_each_row",
        "wrong_norms.moments",
        "wrong_steps.large_integers",
        "wrong_values.little_off",
        "wrong_values.between",
        "wrong_values.one_value",
        "wrong_values.elsewhere",
        "wrong_rounding.rounded_on_the_way",
        "wrong_formulas.stretches",
        "wrong_trends.follows",
        "wrong_places.left_zero",
        "wrong_rounding.one_way",
        "wrong_rounding.whole_in_float",
        "wrong_values.alike",
    ]


@pytest.mark.parametrize(("right", "said"), [(3, True), (4, False), (5, False)])
def test_more_than_nine_of_ten_are_nearly_all(right, said):
    expected = torch.arange(1, 41).double()
    got = (expected.square() + torch.arange(40) % 7 + 50).float()
    got[20 : 20 + right] = expected[20 : 20 + right].float()
    answer = diagnose(mismatch(got, expected))
    count = f"{40 - right} of 40 elements are wrong"
    words = ", nearly all: is the formula another one?" if said else ""
    assert answer == Diagnosis(count + words, specific=False, wrong=40 - right)


def test_a_diagnosis_counts_what_is_written_before_the_rest():
    expected = torch.arange(1.0, 101).double()
    poisoned = torch.tensor([POISON], dtype=torch.int32).view(torch.float32)
    got = expected.float()
    got[60:] = poisoned
    assert diagnose(mismatch(got, expected)).written == 60
    got[70] = 71.0  # a right element behind them
    assert diagnose(mismatch(got, expected)).written == 0
    got[70], got[80] = poisoned, 5.0  # a wrong one that was written
    assert diagnose(mismatch(got, expected)).written == 0
    few = torch.arange(100).remainder(7).double()  # of which some are what was there before
    got = few.to(torch.uint8)
    got[60:] = 3
    assert diagnose(mismatch(got, few, poison=3)).written == 60
    wrong_number = diagnose(mismatch(2 * expected.float(), expected))
    assert wrong_number.specific and wrong_number.written == 0


def test_only_a_nan_out_of_nothing_may_be_a_race():
    right = torch.arange(1.0, 101).double()
    got = right.float()
    got[50] = math.nan
    answer = diagnose(mismatch(got, right))
    assert "NaN came out where none went in" in answer.sentence and answer.unordered
    assert answer.written == 0
    assert not diagnose(mismatch(2 * right.float(), right)).unordered


@pytest.mark.parametrize(("n", "said"), [(32, False), (33, True)])
def test_of_a_short_output_nearly_all_says_nothing(n, said):
    expected = torch.arange(1, n + 1).double()
    got = (expected.square() + torch.arange(n) % 7 + 50).float()
    assert ("nearly all" in diagnose(mismatch(got, expected)).sentence) == said


def test_small_integers_are_right_by_chance():
    expected = torch.arange(40)
    got = (7 * expected + 3) % 41 + 50
    got[:20:3] = expected[:20:3]
    assert "nearly all" in diagnose(mismatch(got.int(), expected)).sentence
    assert "nearly all" not in diagnose(mismatch(got.float(), expected)).sentence


def test_one_of_every_few_results_that_are_made_of_many():
    right = torch.arange(1.0, 41).double()
    got = right.float()
    got[::4] += 100 * torch.randn(10, generator=torch.Generator().manual_seed(1))
    matrix, added = torch.ones(40, 7), torch.ones(40)
    for inputs, ends in (((matrix, added), True), ((matrix,), True), ((added,), False)):
        answer = diagnose(mismatch(got, right, *inputs, shape=(40,)))
        assert answer.sentence.startswith("one of every 4 elements") and answer.ends is ends


def test_infinity_out_of_finite_numbers_overflows():
    x = torch.full((12, 3), 2000.0).half()
    right = torch.full((12,), 6000.0).double()
    got = torch.full((12,), math.inf).half()
    answer = diagnose(mismatch(got, right, x, shape=(12,), poison=0x7EAD))
    assert answer.sentence.startswith("infinity came out of finite numbers")
    assert answer.overflows
    assert not diagnose(mismatch(2 * right.half(), right, x, poison=0x7EAD)).overflows


@pytest.mark.parametrize("all_of_them", [True, False])
def test_one_number_in_the_place_of_several_may_be_memory_that_nobody_set(all_of_them):
    right = torch.arange(100, 148).double()
    got = torch.full((48,), -1, dtype=torch.int32)
    if not all_of_them:
        got[::3] = right[::3].int()
    answer = diagnose(mismatch(got, right))
    assert ("whatever it should be" in answer.sentence) != answer.constant == all_of_them
    assert answer.garbage
    assert not diagnose(mismatch(right.int() + 1, right)).garbage


@pytest.mark.parametrize(("rows", "doubt"), [(2, 1), (40, 0)])
def test_of_a_nan_that_must_not_count_ordinary_numbers_say_more(rows, doubt):
    x, hide = torch.randn(rows, 3), torch.tensor([0, 1, 0], dtype=torch.uint8).repeat(rows, 1)
    x[:, 1] = math.nan
    right = x.nan_to_num(-math.inf).softmax(1)
    got = x.softmax(1)
    told = diagnose(mismatch(got.flatten(), right.flatten().double(), x, hide))
    assert "NaN must not count here" in told.sentence and told.doubt == doubt


def test_operands_that_seem_swapped_in_a_few_elements_leave_a_doubt():
    def clamped(x, low, high):
        return torch.minimum(torch.maximum(x, low), high)

    generator = torch.Generator().manual_seed(1)
    for n, doubt in ((3, 1), (100, 0)):
        inputs = [torch.rand(n, generator=generator) + k for k in (0, 0, -1)]
        right, got = clamped(*inputs).double(), clamped(*inputs[::-1])
        told = diagnose(mismatch(got, right, *inputs, reference=clamped))
        if "operands swapped" in told.sentence:
            assert told.doubt == doubt


def test_what_is_wrong_beside_the_diagonal_may_be_memory_that_nobody_set():
    right = torch.randn(12, 12, generator=torch.Generator().manual_seed(1)).double()
    got = right.float()
    got[torch.ones(12, 12).triu(1).bool()] = -1.0
    answer = diagnose(mismatch(got.flatten(), right.flatten(), shape=(12, 12)))
    assert answer.sentence.startswith("only elements above the diagonal") and answer.garbage


def test_a_larger_case_tells_of_which_sign_the_inputs_of_nan_are():
    for n, doubt in ((1, 1), (33, 0)):
        x = torch.arange(1.0, n + 1)
        answer = diagnose(mismatch(x.log() * math.nan, x.double().log(), x))
        assert answer.unordered and answer.doubt == doubt


def test_how_much_doubt_a_case_leaves():
    right = torch.linspace(1.0, 2.0, 100).double()
    got = right.float()
    got[-1] = 9.0
    assert diagnose(mismatch(got, right)).doubt == 1
    assert diagnose(mismatch(2 * right.float(), right)).doubt == 0
    right[:40] = 1e39
    got = right.float().clamp(max=torch.finfo(torch.float32).max)
    assert diagnose(mismatch(got, right)).doubt == 1  # clamped, or rounded toward zero


@pytest.mark.parametrize(("n", "doubt"), [(7, 1), (15, 1), (16, 0)])
def test_a_few_imprecise_elements_may_be_more_in_another_case(n, doubt):
    right = torch.linspace(1.0, 2.0, n).double() + 0.3
    got = right.float() * (1 + 2.0**-12)
    assert diagnose(mismatch(got, right, torch.ones(n))).doubt == doubt
    assert diagnose(mismatch(got, right, torch.ones(n + 1))).doubt == 0


@pytest.mark.parametrize(
    ("n", "first", "doubt"),
    [
        (5, 0, 3),
        (32, 0, 3),
        (33, 0, 0),
        (100, 84, 2),
        (100, 83, 1),
        (100, 26, 1),
        (100, 25, 0),
        (5, 4, 2),
    ],
)
def test_what_was_never_written_may_be_more_in_another_case(n, first, doubt):
    right = torch.linspace(1.0, 2.0, n).double()
    got = right.float()
    got[first:] = torch.tensor([POISON], dtype=torch.int32).view(torch.float32)
    assert diagnose(mismatch(got, right)).doubt == doubt


@pytest.mark.parametrize("nan", [torch.isfinite, lambda x: torch.arange(16) == 5])
def test_a_kernel_that_only_moves_numbers_makes_no_nan(nan):
    x = torch.linspace(-2.0, 3.0, 16).reshape(4, 4)

    def doubt(right, *inputs):
        right = right.double().reshape(-1)
        got = right.float().masked_fill(nan(right), math.nan)
        answer = diagnose(mismatch(got, right, *inputs, shape=(4, 4)))
        assert answer.sentence.startswith("NaN came out") and answer.unordered
        return answer.doubt

    assert doubt(x.T, x) == 1
    assert doubt(x.T + 1, x) == 0
    other = torch.full((4, 4), 9.0)
    assert doubt(x.T, x, other) == 0  # two inputs: it may compute something
    almost = x.T.clone()
    almost[3, 0] = 9.0
    assert doubt(almost, x) == 0


@pytest.mark.parametrize(("columns", "doubt"), [(1, 1), (2, 0)])
def test_rows_of_one_element_that_make_nan(columns, doubt):
    x, gain = torch.ones(9, columns), torch.ones(columns)
    right = torch.linspace(1, 2, 9 * columns).double()
    got = torch.full((9 * columns,), math.nan)
    assert diagnose(mismatch(got, right, x, gain, shape=(9, columns))).doubt == doubt


def test_of_lost_digits_it_is_known_that_they_are(monkeypatch):
    def says(m):
        return "it is so"

    m = mismatch(torch.tensor([1.0]), [2.0])
    monkeypatch.setattr(diagnosis, "PATTERNS", (says,))
    assert not diagnose(m).loses_digits
    assert set(diagnosis.OF_LOST_DIGITS) < set(ALL_PATTERNS)
    monkeypatch.setattr(diagnosis, "OF_LOST_DIGITS", (says,))
    assert diagnose(m).loses_digits


def test_which_patterns_say_that_an_input_is_copied_or_a_lane_wrong():
    right = torch.arange(1.0, 41).double()
    x = random(40)
    assert diagnose(mismatch(x, right, x)).copied
    got = right.float()
    got[::4] += 100 * random(10)
    answer = diagnose(mismatch(got, right, x))
    assert answer.lanes and not answer.copied
    assert not diagnose(mismatch(got, right, torch.ones(7))).lanes


@pytest.mark.parametrize(
    ("shape", "wrong", "words"),
    [
        (
            (9, 8),
            lambda r, c: (c >= 5) & (r % 2 == 1),
            "in rows 1, 3 and so on and in columns from 5 on",
        ),
        ((9, 8), lambda r, c: (r == 4) & (c % 3 != 1), "in row 4"),
        ((9, 8), lambda r, c: (r < 5) & (r % 2 == 0), "in rows 0, 2 and so on to 4"),
        (
            (9, 8),
            lambda r, c: (r < 3) & (c > 0) & (c < 7),
            "in rows 0 to 2 and in columns 1 to 6",
        ),
        ((9, 8), lambda r, c: (r - c) % 8 == 0, ""),
    ],
)
def test_where_what_is_wrong_lies(shape, wrong, words):
    m = mismatch(torch.zeros(72), random(72), random(5), wrong=of_places(shape, wrong))
    assert diagnosis._where(replace(m, shape=shape)) == (f"all {words}" if words else "")


def of_places(shape, wrong):
    return wrong(*torch.meshgrid(*map(torch.arange, shape), indexing="ij")).flatten()


def test_where_in_three_dimensions():
    wrong = of_places((2, 3, 4), lambda a, b, c: (a == 1) & (c >= 2) & ((b + c) % 2 == 0))
    m = mismatch(torch.zeros(24), random(24), random(5), wrong=wrong)
    assert (
        diagnosis._where(replace(m, shape=(2, 3, 4)))
        == "all where index 1 is 1 and where index 3 is from 2 on"
    )
    assert diagnosis._where(replace(m, shape=(24,))) == ""
