"""Hold kernels that the checker was not developed on: wrong ones, and right ones of odd form.

Each kernel is a right base with replacements. A wrong one names its cause, and CAUSES says with
which words a sentence claims a cause: the verdict must claim the true one, and no other.
"""

from __future__ import annotations

from tests.testing.family import (
    eighteenth,
    eighth,
    eightieth,
    eightyeighth,
    eightyfifth,
    eightyfirst,
    eightyfourth,
    eightyninth,
    eightysecond,
    eightyseventh,
    eightysixth,
    eightythird,
    elementwise,
    eleventh,
    fifteenth,
    fifth,
    fiftieth,
    fiftyeighth,
    fiftyfifth,
    fiftyfirst,
    fiftyfourth,
    fiftyninth,
    fiftysecond,
    fiftyseventh,
    fiftysixth,
    fiftythird,
    fortieth,
    fortyeighth,
    fortyfifth,
    fortyfirst,
    fortyfourth,
    fortyninth,
    fortysecond,
    fortyseventh,
    fortysixth,
    fortythird,
    fourteenth,
    fourth,
    fresh,
    hundredeighteenth,
    hundredeighth,
    hundredeleventh,
    hundredfifteenth,
    hundredfifth,
    hundredfirst,
    hundredfourteenth,
    hundredfourth,
    hundrednineteenth,
    hundredninth,
    hundredsecond,
    hundredseventeenth,
    hundredseventh,
    hundredsixteenth,
    hundredsixth,
    hundredtenth,
    hundredth,
    hundredthird,
    hundredthirteenth,
    hundredtwelfth,
    hundredtwentieth,
    hundredtwentyfirst,
    hundredtwentythird,
    matrices,
    nineteenth,
    ninetieth,
    ninetyeighth,
    ninetyfifth,
    ninetyfirst,
    ninetyfourth,
    ninetyninth,
    ninetysecond,
    ninetyseventh,
    ninetysixth,
    ninetythird,
    ninth,
    seventeenth,
    seventh,
    seventieth,
    seventyeighth,
    seventyfifth,
    seventyfirst,
    seventyfourth,
    seventyninth,
    seventysecond,
    seventyseventh,
    seventysixth,
    seventythird,
    sixteenth,
    sixth,
    sixtieth,
    sixtyeighth,
    sixtyfifth,
    sixtyfirst,
    sixtyfourth,
    sixtyninth,
    sixtysecond,
    sixtyseventh,
    sixtysixth,
    sixtythird,
    tenth,
    third,
    thirteenth,
    thirtieth,
    thirtyeighth,
    thirtyeighth_arrays,
    thirtyfifth,
    thirtyfirst,
    thirtyfourth,
    thirtyninth,
    thirtysecond,
    thirtyseventh,
    thirtysixth,
    thirtythird,
    twelfth,
    twentieth,
    twentyeighth,
    twentyfifth,
    twentyfirst,
    twentyfourth,
    twentyninth,
    twentysecond,
    twentyseventh,
    twentysixth,
    twentythird,
    whole,
)
from tests.testing.family.table import CAUSES, Base, Right, Wrong

PARTS = {
    "elementwise": elementwise,
    "whole": whole,
    "matrices": matrices,
    "fresh": fresh,
    "third": third,
    "fourth": fourth,
    "fifth": fifth,
    "sixth": sixth,
    "seventh": seventh,
    "eighth": eighth,
    "ninth": ninth,
    "tenth": tenth,
    "eleventh": eleventh,
    "twelfth": twelfth,
    "thirteenth": thirteenth,
    "fourteenth": fourteenth,
    "fifteenth": fifteenth,
    "sixteenth": sixteenth,
    "seventeenth": seventeenth,
    "eighteenth": eighteenth,
    "nineteenth": nineteenth,
    "twentieth": twentieth,
    "twentyfirst": twentyfirst,
    "twentysecond": twentysecond,
    "twentythird": twentythird,
    "twentyfourth": twentyfourth,
    "twentyfifth": twentyfifth,
    "twentysixth": twentysixth,
    "twentyseventh": twentyseventh,
    "twentyeighth": twentyeighth,
    "twentyninth": twentyninth,
    "thirtieth": thirtieth,
    "thirtyfirst": thirtyfirst,
    "thirtysecond": thirtysecond,
    "thirtythird": thirtythird,
    "thirtyfourth": thirtyfourth,
    "thirtyfifth": thirtyfifth,
    "thirtysixth": thirtysixth,
    "thirtyseventh": thirtyseventh,
    "thirtyeighth": thirtyeighth,
    "thirtyeighth_arrays": thirtyeighth_arrays,
    "thirtyninth": thirtyninth,
    "fortieth": fortieth,
    "fortyfirst": fortyfirst,
    "fortysecond": fortysecond,
    "fortythird": fortythird,
    "fortyfourth": fortyfourth,
    "fortyfifth": fortyfifth,
    "fortysixth": fortysixth,
    "fortyseventh": fortyseventh,
    "fortyeighth": fortyeighth,
    "fortyninth": fortyninth,
    "fiftieth": fiftieth,
    "fiftyfirst": fiftyfirst,
    "fiftysecond": fiftysecond,
    "fiftythird": fiftythird,
    "fiftyfourth": fiftyfourth,
    "fiftyfifth": fiftyfifth,
    "fiftysixth": fiftysixth,
    "fiftyseventh": fiftyseventh,
    "fiftyeighth": fiftyeighth,
    "fiftyninth": fiftyninth,
    "sixtieth": sixtieth,
    "sixtyfirst": sixtyfirst,
    "sixtysecond": sixtysecond,
    "sixtythird": sixtythird,
    "sixtyfourth": sixtyfourth,
    "sixtyfifth": sixtyfifth,
    "sixtysixth": sixtysixth,
    "sixtyseventh": sixtyseventh,
    "sixtyeighth": sixtyeighth,
    "sixtyninth": sixtyninth,
    "seventieth": seventieth,
    "seventyfirst": seventyfirst,
    "seventysecond": seventysecond,
    "seventythird": seventythird,
    "seventyfourth": seventyfourth,
    "seventyfifth": seventyfifth,
    "seventysixth": seventysixth,
    "seventyseventh": seventyseventh,
    "seventyeighth": seventyeighth,
    "seventyninth": seventyninth,
    "eightieth": eightieth,
    "eightyfirst": eightyfirst,
    "eightysecond": eightysecond,
    "eightythird": eightythird,
    "eightyfourth": eightyfourth,
    "eightyfifth": eightyfifth,
    "eightysixth": eightysixth,
    "eightyseventh": eightyseventh,
    "eightyeighth": eightyeighth,
    "eightyninth": eightyninth,
    "ninetieth": ninetieth,
    "ninetyfirst": ninetyfirst,
    "ninetysecond": ninetysecond,
    "ninetythird": ninetythird,
    "ninetyfourth": ninetyfourth,
    "ninetyfifth": ninetyfifth,
    "ninetysixth": ninetysixth,
    "ninetyseventh": ninetyseventh,
    "ninetyeighth": ninetyeighth,
    "ninetyninth": ninetyninth,
    "hundredth": hundredth,
    "hundredfirst": hundredfirst,
    "hundredsecond": hundredsecond,
    "hundredthird": hundredthird,
    "hundredfourth": hundredfourth,
    "hundredfifth": hundredfifth,
    "hundredsixth": hundredsixth,
    "hundredseventh": hundredseventh,
    "hundredeighth": hundredeighth,
    "hundredninth": hundredninth,
    "hundredtenth": hundredtenth,
    "hundredeleventh": hundredeleventh,
    "hundredtwelfth": hundredtwelfth,
    "hundredthirteenth": hundredthirteenth,
    "hundredfourteenth": hundredfourteenth,
    "hundredfifteenth": hundredfifteenth,
    "hundredsixteenth": hundredsixteenth,
    "hundredseventeenth": hundredseventeenth,
    "hundredeighteenth": hundredeighteenth,
    "hundrednineteenth": hundrednineteenth,
    "hundredtwentieth": hundredtwentieth,
    "hundredtwentyfirst": hundredtwentyfirst,
    "hundredtwentythird": hundredtwentythird,
}
BASES: dict[str, Base] = {
    name: base for part in PARTS.values() for name, base in part.BASES.items()
}
WRONG: tuple[Wrong, ...] = tuple(wrong for part in PARTS.values() for wrong in part.WRONG)
RIGHT: tuple[Right, ...] = tuple(right for part in PARTS.values() for right in part.RIGHT)
MEMBERS: tuple[Wrong | Right, ...] = (*WRONG, *RIGHT)
# Not called wrong, and named in the verdict: a grid whose y is too short for very long matrices
# is refused, as that of many right kernels is. fmaxf drops a NaN that torch.max keeps: a kernel
# that drops it everywhere may be either.
OPEN = frozenset(
    {
        "t_y_cannot",
        "p_n_in_y",
        "h_largest_by_float",
        "xx_max_fmaxf",
        "xxii_turn_tall_grid",
        "xxv_max_keys_nan_lowest",
        "xxxviii_a_causal_grid_y",
        "xxxviii_count_int",  # past 2^31 elements
        "xxxix_bcast_int",
        "seventyone_page_no_limit_downwards",
        "seventyseven_flip_rows_in_grid_y",
        "hundrednine_flip_too_tall",
        "ninety_turn_tiles_in_y",
        "ninetytwo_turn_grid_of_two",
        "seventynine_flip_down_in_y",
    }
)
# Caught, without the cause, or with another possible one: parts that no block has written are
# 0, as a start may be.
UNNAMED = frozenset(
    {
        "m_parts_all",
        "sv_gray_signed_shift",  # its sentence speaks of a shift, which is no word of a cause
        "sixtyseven_charge_every_lane",  # what all lanes write comes out as that of the first
        "hundredeighteen_tanh_series_near_0",  # of few elements, and little off
        "xxxii_cast_byte_256",  # a scale of 256 is seen, and that it is rounded
        # What is seen is said, and the words are none of the label's.
        "h_x_next_row",  # one row counts for another
        "l_t_diagonal_twice",  # two elements of a tile have changed places
        "g_t_tile_straight",  # likewise, all of a tile
        "xxv_rows_places_any_of_equal",  # of a NaN it decides, too, and that shows first
        "hundredthirteen_limits_w_unlimited",  # few of each small case, and the line is told
        "hundrednine_spread_steps_of_a_warp",  # in a mean twice, or not at all: the same
        "xxxi_largest_rows_any_of_equals",  # the place of a row that is all -infinity
        "xxxii_drop_add_mask_words",  # bytes that are read as a word
        # Of one element or of all, and the line is named.
        "m_stencil_left_twice",
        "xxiv_act_leaky_larger",
        # Nothing is seen but that elements are wrong, of windows that lose what lies before
        # their block.
        "xxxviii_a_causal_zero_halo",
        "xxxviii_nrm2_half_swap",  # 1.5% off, as a narrow sum may be
        "xxxix_causal_unscaled_max",  # what is too little of the formula is said
        "xli_causal_largest_first",  # likewise
        "xliii_causal_unscaled_largest",  # likewise, as above: of the formula, without NaN
        # Open: that elements are wrong, and how many.
        "xlii_qgemm_outside",
        "xxiv_product_tiled_sums_go_on",
        "xlv_softplus_no_threshold",  # that the threshold makes no difference is said
        "xlv_softplus_nothing_below",
        "xlvi_bag_ends_at_padding",
        "xlvi_places_above_0",  # that each is another element's place is said
        "xlvi_im2col_reads_without_gaps",  # an access before the tensor is said
        "xlvi_solve_64_rows",
        "xlvi_avgpool_whole_windows",
        "xlvi_sparse_last_chunk",
        "xlvi_recur_rest_is_0",
        "xliv_prelu_larger_one",  # of a slope near 1, that another element's is taken
        "xlvii_argmax_two_zeros",  # of two outputs, what the one is, not which zero wins
        "fiftyone_herm_same_test",  # it writes outside of its row, which meets another thread
        "fiftyfive_adb_diagonal_by_rows",
        "sixty_dice_goes_on",
        "eightyone_gelu_half_of_integers",  # that a division of integers is truncated, as 1 / 2
        "xlvii_clip_too_early",  # that the product is rounded, which is true as well
    }
)
MISLED = frozenset(
    {
        "e_gelu_rounds_down",  # true, in words of a grid, too
        "hundredeleven_shrink_rest_of_16_bits",  # at other addresses than round ones alone
        "hundredseventeen_sigmoid_nan_limited",  # the limit that it sets, a formula
        "sixtyseven_charge_every_lane",  # a formula that fits
        "ninetyfive_matvec_steps_of_a_warp",  # three lines, of which one asks for a formula
        "xliv_prelu_larger_one",
        "xlvii_argmax_two_zeros",
        # True, in words of another cause, too.
        "l_t_diagonal_twice",
        "m_arg_any_of_equals",  # "counted for another"
        "xli_causal_endless",  # others wait at the barrier of its loop
        # An access before the tensor is there, too, and is no index to test against n.
        "xlvi_im2col_reads_without_gaps",
        # NaN came out, as it says, of infinity less infinity.
        "sixtysix_heft_square_of_halves",
        "sixty_dice_goes_on",  # right while the threads run in order, and by another cause
        "eightyone_gelu_half_of_integers",  # likewise
        # The first sentence is right; edits of other lines make all cases right as well.
        "xx_largest_size_unset",
        "xxiv_product_bytes_unsigned",
    }
)
# Passed, and wrong by the label.
MISSED = frozenset(
    {
        "xx_flip_int",  # from 2^31 elements on, and its verdict says that they were not tried
        "xx_log_soft_int",  # likewise
        "xx_silu_sigmoid_rounded",  # within the one unit that its base allows, for every input
        "xxix_cast_dequant_half_scale",  # likewise, for those of its cases
        "xxi_ranks_int_begin",  # past 2^32, and its verdict says that 2^31 was not tried
        "xxi_top_place_in_float",  # from 2^24 columns on, and the cases are its own
        # A loop of few threads passes 2^31: its verdict says that such sizes were not tried.
        "xxiii_max_magnitude_int",
        "xxiii_transpose_bytes_int",
        "xxiv_transpose_small_int_place",  # likewise, of matrices
        "xxii_peak_old_try",  # only where another block writes within one turn of its loop
        "xx_silu_exp_overflows",  # 0 for -89, as of x / (1 + exp(-x)), which counts as right
        "xxv_act_gated_float_exp",  # likewise
        "xlii_gelu_grid_y",  # its verdict says that such a size was refused, and not tried
        "xlii_lsm_int_start",  # right on the emulator
        "xliv_prelu_int",  # its verdict says so: sizes past 2^31 were not tried
        "xxxiii_turn_plain_int",  # as all of its integers; its verdict says where it is wrong
        "xlv_softplus_int",  # likewise
        "xl_chanlog_int",  # its launcher takes memory of its own, and such sizes were not tried
    }
)
# Right by their label, and called wrong.
REFUSED = frozenset(
    {
        "xix_elu_unsigned",  # without a sign: right up to 2^32 elements
        "seventythree_pair_long_length",  # likewise: the number of a pair is an int
        "eightyone_pair_idle_block",  # likewise
        "eightysix_pairs_count_of_64_bits",  # likewise, past 2^31
        "eightynine_tanh_int64_count",  # likewise
        "ninetythree_diff_or_of_addresses",  # likewise
        "ninetythree_widen_idle_blocks",  # likewise
        "ninety_add_int64_and_more_blocks",  # likewise
        "ninetyone_axpy_fused",  # likewise
    }
)
_PART = {m: name for name, part in PARTS.items() for m in (*part.WRONG, *part.RIGHT)}


def part_of(member: Wrong | Right) -> str:
    """Return the name of a member's part."""
    return _PART[member]


__all__ = [
    "BASES",
    "CAUSES",
    "MEMBERS",
    "MISLED",
    "MISSED",
    "OPEN",
    "PARTS",
    "REFUSED",
    "RIGHT",
    "UNNAMED",
    "WRONG",
    "Base",
    "Right",
    "Wrong",
    "part_of",
]
