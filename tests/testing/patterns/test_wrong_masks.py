"""A softmax with another mask, or with elements too many: named if it explains all rows."""

import pytest
import torch

from helpers.testing.diagnosis import diagnose
from helpers.testing.patterns import wrong_masks
from tests.testing.mismatches import mismatch, random, said

ROWS, COLUMNS = 6, 40


def masked_softmax(x, masked, scale=1.0):
    """Return softmax in float64 with -10000 at what is masked."""
    return torch.where(masked, -10_000.0, scale * x.double()).softmax(dim=1)


def inputs(share=0.4):
    """Return numbers and a mask of several rows, of which row 2 is masked as a whole."""
    x = random(ROWS * COLUMNS).mul(2).reshape(ROWS, COLUMNS)
    masked = random(ROWS * COLUMNS, 1).reshape(ROWS, COLUMNS) < 0.3 - share
    masked[2] = True
    return x, masked


def of(made, x, masked, mask, scale=1.0, dtype=torch.float32):
    """Return the mismatch of a softmax that came out as `made`."""
    right = masked_softmax(x, masked, scale)
    shape = (ROWS, COLUMNS)
    got = made.to(dtype).flatten()
    wrong = (got.double() - right.flatten()).abs() > 1e-3
    return mismatch(got, right.flatten(), x, mask, shape=shape, wrong=wrong)


@pytest.mark.parametrize("dtype", [torch.float32, torch.float16])
@pytest.mark.parametrize("kind", ["uint8", "bool", "is seen", "scaled"])
@pytest.mark.parametrize(
    ("other", "words"),
    [
        (lambda m: ~m, "masked elements count and the others do not, the two are swapped"),
        (lambda m: m & False, "this is the softmax of all elements, masked ones too: is the"),
        (lambda m: m[:1].expand_as(m), "each row is masked as row 0 must be, whose mask is"),
        (lambda m: m[:, :1].expand_as(m), "each row is masked as a whole, by its column 0"),
        (
            lambda m: m.reshape(-1)[:ROWS, None].expand_as(m),
            "row r is masked as a whole, by element r of the whole mask, which is counted for",
        ),
        (lambda m: m.roll(1, 1), "for each column the mask of another column is counted, the"),
        (lambda m: m.roll(-1, 0), "for each row the mask of another row is counted, the one"),
        (lambda m: m.reshape(COLUMNS, ROWS).T, "the mask is read as if rows and columns were"),
    ],
)
def test_another_mask(dtype, kind, other, words):
    x, masked = inputs()
    scale = 0.5 if kind == "scaled" else 1.0
    mask = ~masked if kind == "is seen" else masked
    mask = mask if kind == "bool" else mask.to(torch.uint8)
    made = masked_softmax(x, other(masked), scale)
    assert wrong_masks.other_mask(of(made, x, masked, mask, scale, dtype)).startswith(words)


def test_a_mask_is_not_blamed_for_what_it_does_not_explain():
    x, masked = inputs()
    right = masked_softmax(x, masked)
    for made in (right * 1.1, masked_softmax(2 * x, masked), masked_softmax(x, masked.flip(1))):
        assert wrong_masks.other_mask(of(made, x, masked, masked)) is None
    some = of(masked_softmax(x, ~masked), x, masked, masked)
    assert wrong_masks.other_mask(some)
    assert wrong_masks.other_mask(of(right / 2, x, ~masked, ~masked)) is None
    one_row = mismatch(some.got[:COLUMNS], some.expected[:COLUMNS], x[:1], masked[:1])
    assert wrong_masks.other_mask(one_row) is None


def test_rows_of_rounded_powers_do_not_hide_another_mask():
    """Each result of a softmax is rounded, so that no row adds up to just 1."""
    x, masked = inputs()
    made = masked_softmax(x, ~masked).half()
    right = masked_softmax(x, masked)
    shape = (ROWS, COLUMNS)
    told = said(made.flatten(), right.flatten(), x, masked, shape=shape, poison=0x7FFF)
    assert "the two are swapped" in told


def with_zeros(x, masked, count, is_log=False):
    """Return a softmax in whose sums so many elements of 0 count, too."""
    powers = torch.where(masked, 0.0, x.double().exp())
    made = powers / (powers.sum(dim=1, keepdim=True) + count)
    return made.log() if is_log else made


@pytest.mark.parametrize("count", [1, 24, 88])
@pytest.mark.parametrize("kind", ["plain", "masked", "logarithm", "half"])
def test_elements_of_0_that_are_too_many(count, kind):
    x, masked = inputs()
    masked &= kind in ("masked", "half")
    right = masked_softmax(x, masked)
    is_log = kind == "logarithm"
    made = with_zeros(x, masked, count, is_log).to(
        torch.float16 if kind == "half" else torch.float32
    )
    given = (x, masked) if kind in ("masked", "half") else (x,)
    right = right.log() if is_log else right
    m = mismatch(made.flatten(), right.flatten(), *given, shape=(ROWS, COLUMNS))
    assert wrong_masks.added_zeros(m).startswith(
        f"the sum of each row's powers is too large by {count}, as if {count + COLUMNS} "
        "elements counted"
    )


def test_a_sum_that_is_too_large_otherwise_holds_no_zeros():
    x, masked = inputs()
    powers = x.double().exp()
    right = masked_softmax(x, masked & False)
    for more in (0.3, powers.amax(1, keepdim=True), powers.sum(1, keepdim=True), -1.0):
        made = (powers / (powers.sum(1, keepdim=True) + more)).float()
        m = mismatch(made.flatten(), right.flatten(), x, shape=(ROWS, COLUMNS))
        assert wrong_masks.added_zeros(m) is None


@pytest.mark.parametrize("dtype", [torch.float32, torch.float16])
@pytest.mark.parametrize("score", [0.0, -2.5, 1.0])
def test_masked_elements_that_count_as_a_number(dtype, score):
    x, masked = inputs()
    x = x.clamp(max=2)
    made = torch.where(masked, score, x.double()).softmax(dim=1)
    told = wrong_masks.other_mask(of(made, x, masked, masked, dtype=dtype))
    assert told.startswith(
        "masked elements, which should be 0, come out as if each held a score"
    )
    assert f"score of {score:g}:" in told or dtype is torch.float16
    rows = torch.arange(float(ROWS))[:, None].double()
    made = torch.where(masked, rows, x.double()).softmax(dim=1)
    assert wrong_masks.other_mask(of(made, x, masked, masked, dtype=dtype)) is None


def test_a_row_is_not_said_to_add_up_to_what_rounding_makes_of_1():
    x, masked = inputs()
    made = torch.where(masked, -4.0, x.double()).softmax(dim=1).half()
    right = masked_softmax(x, masked)
    mask = random(ROWS * COLUMNS, 9).reshape(ROWS, COLUMNS)  # of which nothing is known
    m = mismatch(made.flatten(), right.flatten(), x, mask, shape=(ROWS, COLUMNS), poison=0x7FFF)
    assert 0 < float((made.double().sum(1) - 1).abs().max()) < 2.0**-11
    assert "add up to" not in diagnose(m).sentence


def with_empty_rows_of_zeros(x, masked, other=None, summed=None):
    """Return a softmax of which rows of none but masked elements are zeros."""
    powers = (x.double() - x.double().masked_fill(masked, -9.0).amax(1, keepdim=True)).exp()
    sums = powers.masked_fill(masked if summed is None else summed, 0.0).sum(1, keepdim=True)
    made = (powers / sums).masked_fill(masked if other is None else other, 0.0)
    return made.nan_to_num(0.0)


OTHER_MASKS = [
    (lambda m: m[:1].expand_as(m), "each row is masked as row 0 must be"),
    (lambda m: ~m, "masked elements count and the others do not"),
    (lambda m: m.roll(-1, 1), "for each column the mask of another column is counted"),
    (lambda m: m & False, "this is the softmax of all elements, masked ones too"),
]


def test_rows_that_are_all_0_show_no_mask():
    x, masked = inputs()
    right = with_empty_rows_of_zeros(x, masked & False)
    m = mismatch(
        1e-30 * right.float().flatten(),
        right.flatten(),
        x,
        masked & False,
        shape=(ROWS, COLUMNS),
    )
    assert wrong_masks.other_mask(m) is None


@pytest.mark.parametrize(("other", "words"), OTHER_MASKS)
def test_another_mask_in_one_step_alone(other, words):
    x, masked = inputs()
    masked[0] = ~masked[0]
    right = with_empty_rows_of_zeros(x, masked)
    shape = (ROWS, COLUMNS)
    for way, step in (
        ("other", "where results are stored, and not in the sums, the mask is another one"),
        ("summed", "in the sums, and not where results are stored, the mask is another one"),
    ):
        made = with_empty_rows_of_zeros(x, masked, **{way: other(masked)}).float()
        m = mismatch(made.flatten(), right.flatten(), x, masked, shape=shape)
        assert wrong_masks.other_mask(m).startswith(f"{step}: {words}")


def test_another_mask_where_rows_without_an_element_are_zeros():
    x, masked = inputs()
    right, other = with_empty_rows_of_zeros(x, masked), masked[:1].expand_as(masked)
    made = with_empty_rows_of_zeros(x, other).float().flatten()
    m = mismatch(made, right.flatten(), x, masked, shape=(ROWS, COLUMNS))
    assert wrong_masks.other_mask(m).startswith("each row is masked as row 0 must be")
    none = mismatch(made, 0 * right.flatten(), x, masked | True, shape=(ROWS, COLUMNS))
    assert wrong_masks.other_mask(none) is None


def test_sums_of_masked_elements_without_an_empty_row_are_told_as_a_late_mask():
    x, masked = inputs()
    masked[2] = masked[1]
    right = with_empty_rows_of_zeros(x, masked)
    made = with_empty_rows_of_zeros(x, masked, summed=masked & False).float()
    shape = (ROWS, COLUMNS)
    told = said(made.flatten(), right.flatten(), x, masked, shape=shape, poison=0x7FFF)
    assert told.startswith("elements that are masked come out as 0, and count in the sums")


@pytest.mark.parametrize("heads", [1, 3])
def test_a_mask_that_several_heads_share(heads):
    """Scores [heads, rows, columns], with one mask [rows, columns]."""
    masked = inputs()[1]
    x = random(heads * ROWS * COLUMNS).mul(2).reshape(heads * ROWS, COLUMNS)
    right = masked_softmax(x, masked.repeat(heads, 1))
    by_head = masked.repeat_interleave(heads, 0)  # the mask of row r // heads
    made = masked_softmax(x, masked[:1].expand_as(x))
    shape, x = (heads, ROWS, COLUMNS), x.reshape(heads, ROWS, COLUMNS)
    some = mismatch(made.float().flatten(), right.flatten(), x, masked, shape=shape)
    assert wrong_masks.other_mask(some).startswith("each row is masked as row 0 must be")
    if heads > 1:
        other = masked_softmax(x.reshape(-1, COLUMNS), by_head)
        some = mismatch(other.float().flatten(), right.flatten(), x, masked, shape=shape)
        assert wrong_masks.other_mask(some) is None


@pytest.mark.parametrize("empty", [0.0, float("nan")])
def test_a_maximum_that_counts_masked_elements(empty):
    x, masked = inputs()
    far = x.clone()
    for row in (1, 4):  # what is masked is far larger there, and no power is left
        far[row] = torch.where(masked[row], far[row] + 200, far[row])
    made = masked_softmax(far, masked)
    made[[1, 4]] = empty
    told = wrong_masks.other_mask(of(made, far, masked, masked))
    came = "nothing" if empty == 0 else "NaN"
    assert told.startswith(f"{came} came out of the rows, and of no others, in which masked")
    assert "is the maximum that is taken off that of all elements, masked ones too?" in told
    made[5] = 0.0  # in which nothing masked is larger
    other = wrong_masks.other_mask(of(made, far, masked, masked))
    assert other is None or "the maximum" not in other
