"""Outputs of a row each: places of elements, rows of one sign, counts."""

import math

import pytest
import torch

from helpers.testing.diagnosis import diagnose
from helpers.testing.patterns import wrong_rows
from tests.testing.mismatches import mismatch, random, said

X = random(60).reshape(10, 6)


def place(got, right, x=X):
    return wrong_rows.place_of_element(mismatch(got, right.double(), x, shape=(len(x),)))


def test_the_place_of_another_element():
    x = torch.cat([X, X], dim=1)  # each number twice
    first, last = X.argmax(1), X.argmax(1) + 6
    words = (
        "the largest number of a row is found, but at another place than the {} of equal ones"
    )
    assert place(last, first, x).startswith(words.format("first"))
    assert place(first, last, x).startswith(words.format("last"))
    smallest = wrong_rows.PLACE_OF.format("smallest", "largest")
    assert place(X.argmin(1), X.argmax(1)) == smallest
    assert place(X.argmax(1), X.argmin(1)) == (
        wrong_rows.PLACE_OF.format("largest", "smallest")
    )
    assert place((X.argmax(1) + 1) % 6, X.argmax(1)) is None
    assert place(X.argmax(1) + 6 + torch.arange(10) % 2, X.argmax(1)) is None  # of no row
    assert place(X.argmax(1).float() + 1, X.argmax(1)) is None
    assert place(X.argmin(1), X.argsort(1)[:, 2]) is None


def test_the_place_of_another_element_of_a_column():
    x = torch.cat([X.T, X.T])  # [12, 10], each number twice

    def told(got, right, x=x):
        m = mismatch(got, right.double(), x, shape=(x.shape[1],))
        return wrong_rows.place_of_element(m)

    first = X.argmax(1)
    assert told(first + 6, first).startswith(
        "the largest number of a column is found, but at another place than the first of equal"
    )
    smallest = wrong_rows.PLACE_OF.format("smallest", "largest").replace("row", "column")
    assert told(X.argmin(1), first, X.T.contiguous()) == smallest
    assert told((first + 1) % 6, first, X.T.contiguous()) is None
    assert told(first + 6, first, x[None]) is None
    counts = torch.zeros(10).long()
    assert told(counts + 12, counts, x) is None  # of no extreme number


@pytest.mark.parametrize("sign", [1, -1])
def test_the_place_of_a_zero_of_the_other_sign(sign):
    x = sign * torch.tensor([[-1.0, -0.0, 0.0, -2.0, -0.0]] * 3)
    first = torch.tensor([1, 1, 1])
    told = place(torch.tensor([2, 2, 2]), first, x)
    zero, of = ("0", "largest") if sign > 0 else ("-0", "smallest")
    assert told.startswith(f"the {of} number of a row is 0, and its place is that of {zero}, ")
    assert "the sign of zero" in told
    last = place(torch.tensor([4, 4, 4]), first, x)
    assert "which of two does each comparison" in last.lower() and "sign" not in last


def test_one_of_many_masked_elements_tells_no_other_end():
    x = random(300).reshape(3, 100).where(torch.arange(100) % 2 == 0, -torch.inf)
    right = x.argmax(1)
    assert place(torch.full((3,), 5), right, x) is None
    x[:, 5] = -math.inf
    x = x.where(x > -math.inf, -9.0)
    x[:, 7] = -99.0
    words = wrong_rows.PLACE_OF.format("smallest", "largest")
    assert place(torch.full((3,), 7), right, x) == words


@pytest.mark.parametrize(("width", "columns"), [(8, 200), (16, 40000)])
def test_a_place_that_wraps_around(width, columns):
    x = random(3 * columns).reshape(3, columns)
    x[:, columns - 9] = x[:, 4] = 99.0
    right, far = torch.tensor([columns - 9] * 3), columns - 9 - (1 << width)
    words = f"the place comes out as {far:,}, and the number that is searched is at "
    assert place(right - (1 << width), right, x).startswith(words)
    first = torch.tensor([4, 4, 4])  # of equal ones, and the other wins as it is negative
    got = torch.tensor([far, 4, far])
    assert f"held in {width} bits" in place(got, first, x)
    assert "bits" not in (place(got + 1, first, x) or "")


def test_rows_of_one_sign():
    x = X.clone()
    x[3:5] = -x[3:5].abs()
    right = x.amax(1)

    def told(got, x=x):
        return wrong_rows.rows_of_a_sign(mismatch(got, right, x, shape=(10,)))

    negative = (
        "only rows go wrong whose numbers are all negative: does something start with 0, as"
    )
    assert told(right.clamp(min=0)).startswith(negative)
    assert told(right.clamp(min=0), x.view(-1)) is None
    also = right.clamp(min=0)
    also[0] = 9.0
    assert told(also) is None
    assert told(torch.where(right < 0, 2 * right, right)) is None  # no start value
    x = -x
    got = torch.where((x > 0).all(1), torch.zeros(10), x.amin(1))
    m = mismatch(got, x.amin(1), x, shape=(10,))
    assert "all positive" in wrong_rows.rows_of_a_sign(m)
    x = torch.tensor([[1.0, -2.0], [-3.0, -4.0]])  # of one row nothing is added up
    assert (
        wrong_rows.rows_of_a_sign(mismatch(x.sum(1) * x[:, 0].gt(0), x.sum(1), x, shape=(2,)))
        is None
    )


def test_counts_that_are_off_by_the_last_elements():
    x = torch.arange(50, dtype=torch.int32) * 7 % 5
    right = torch.bincount(x, minlength=5)

    def told(got, x=x):
        return wrong_rows.counts(mismatch(got.int(), right, x))

    rest = torch.bincount(x[-3:], minlength=5)
    words = "the counts are off by just the {}: is the tail {}?"
    assert told(right + rest) == words.format("last 3 elements", "counted twice")
    assert told(right + 3 * rest) == words.format("last 3 elements", "counted 4 times")
    assert told(right - rest) == words.format("last 3 elements", "left out")
    one = torch.bincount(x[-1:], minlength=5)
    assert told(right + one - one.roll(1)) is None
    assert told(right + torch.tensor([9, 0, 0, 0, 0])) == (
        "only the count of 0 is wrong, too large by 9: do threads that have no element, or "
        "what lies beyond the end, count as 0?"
    )
    assert told(right - torch.tensor([9, 0, 0, 0, 0])) is None
    assert told(right - right * one) is None  # all of a kind
    assert told(right - rest, x[:-1]) is None  # no counts of these
    assert told(right - rest, x.float()) is None


def test_counts_that_are_off_by_some_element():
    x = torch.arange(50, dtype=torch.int32)
    right = torch.bincount(x)
    one = torch.bincount(x[-1:], minlength=50)
    words = "the counts are off by just the last element: is the tail left out?"
    assert wrong_rows.counts(mismatch((right - one).int(), right, x)) == words
    beyond = torch.cat([right, torch.tensor([1])])
    got = mismatch(beyond.int(), torch.cat([right, torch.tensor([0])]), x)
    assert "only the count of 50 is wrong, too large by 1: " in wrong_rows.counts(got)
    x = x % 5  # each number recurs: any of these may be the one
    right, one = torch.bincount(x), torch.bincount(x[-1:], minlength=5)
    assert wrong_rows.counts(mismatch((right + one).int(), right, x)) == (
        "the counts add up to 51, of 50 elements: 1 is counted more than once: do the pieces "
        "of two blocks, or of two threads, overlap at an end?"
    )
    assert wrong_rows.counts(mismatch((right - one).int(), right, x)) == (
        "the counts add up to 49, of 50 elements: 1 is not counted: is one left out between "
        "two pieces, or at an end?"
    )


def another(got, right, x=X):
    shape = tuple(x.shape[: 1 + (got.numel() > len(x))])
    m = mismatch(got.reshape(-1), right.reshape(-1).double(), x, shape=shape)
    return wrong_rows.another_function(m)


def test_another_function_of_each_row():
    words = "each row's result is the {}, not the {}: is the formula another one?"
    assert another(X.mean(1), X.sum(1)) == words.format("mean", "sum")
    assert another(X.amin(1), X.amax(1)) == words.format("smallest number", "largest number")
    assert another(X.sum(1) * 0, X.sum(1), X * 0 + 1) is None  # as the logarithm of the mean
    of_sizes = words.format("sum of the absolute values", "sum")
    assert another(X.abs().sum(1), X.sum(1)) == of_sizes
    assert another((-X).sum(1), X.sum(1)) == words.format("sum of -1 times the numbers", "sum")
    squares = words.format("mean of the numbers times themselves", "norm")
    assert another(X.square().mean(1), X.norm(dim=1)) == squares
    assert another(X.cumsum(1) - X, X.cumsum(1)) == words.format(
        "running sum without the own element", "running sum"
    )
    assert another(X, X.flip(1)) == words.format("row itself", "row from its end")


def test_functions_that_are_not_known():
    assert another(X.median(1).values, X.sum(1)) is None
    assert another(X.mean(1), X.median(1).values) is None
    assert another(X[:3].mean(1), X[:3].sum(1), X[:3]) is None  # of too few
    assert another(X.sum(1) * (1 + 2.0**-22), X.sum(1)) is None  # rounding
    assert another(X.sum(1).int(), X.sum(1)) is None
    one = X[:, :1]
    assert another(one.mean(1) + 0 * one[:, 0], one.sum(1) + 1, one) is None


def test_places_that_are_off_by_one_number_or_count_the_whole_matrix():
    right = X.argmax(1)
    assert place(right + 1, right) == "each wrong place is 1 too large"
    assert place(right - 2, right) == "each wrong place is 2 too small"
    assert place(right[:3] + 1, right[:3], X[:3]) is None  # of few rows
    whole = right + 6 * torch.arange(10)
    assert place(whole, right) == (
        "it is the place in the whole matrix, not in its row: is the formula of what is stored "
        "row * columns + column, where it must be the column alone?"
    )
    assert place(whole[:3], right[:3], X[:3]).startswith("it is the place in the whole matrix")
    assert place(whole[:2], right[:2], X[:2]) is None


def test_the_place_in_a_row_of_nothing_but_infinity():
    x = X.clone()
    x[4] = -torch.inf
    right = x.argmax(1)
    got = right.clone()
    got[4] = -1
    assert place(got, right, x).startswith("of rows that are all -infinity the place comes out")
    got[4] = 24  # the first place of its row, counted in the whole matrix
    assert place(got, right, x) is None
    got[4] = got[5] = -1
    assert place(got, right, x) is None


def test_the_place_of_the_smallest_absolute_number():
    assert place(X.abs().argmin(1), X.argmax(1)) == (
        wrong_rows.PLACE_OF.format("smallest absolute", "largest")
    )


def of_rows(got, right, x=X):
    m = mismatch(got.flatten().float(), right.flatten(), x, shape=tuple(right.shape))
    return wrong_rows.of_each_row(m)


def test_rows_that_are_off_by_a_number_or_a_factor_each():
    right = X.double().cumsum(1)
    first = of_rows(right + X[:, :1], right)
    number = f"{float(X[0, 0]):.6g}"
    words = f"all elements of a row are off by one number, those of row 0 by {number}"
    assert first.startswith(words) and first.endswith("or by another formula?")
    factors = torch.linspace(2, 4, 10)[:, None]
    assert "off by one factor, from 2 to 4: is what a row is divided by" in of_rows(
        factors * right, right
    )
    assert of_rows(right + 1, right) is None and of_rows(2 * right, right) is None
    assert of_rows(right + X.square(), right) is None
    assert of_rows(right[:1] + 1, right[:1], X[:1]) is None


def test_a_shift_along_each_row():
    shifted = torch.cat([torch.zeros(10, 1), X[:, :-1]], dim=1)
    m = mismatch(shifted.flatten(), X.double().cumsum(1).flatten(), X, shape=(10, 6))
    assert wrong_rows.another_function(m) == (
        "each row's result is the element before each, after 0, not the running sum: is the "
        "formula another one?"
    )


def test_softmax_whose_largest_number_is_taken_off_once():
    right, top = X.double().softmax(1), X.double().amax(1, keepdim=True)

    def told(got, x=X, right=right):
        m = mismatch(got.flatten().float(), right.flatten(), x, shape=tuple(right.shape))
        return wrong_rows.largest_once(m)

    for words, factor in (("times", top.exp()), ("divided by", (-top).exp())):
        sentence = told(right * factor)
        assert sentence.startswith(f"each row is the right one {words} exp of its largest")
        assert "formula" in sentence
        assert told(right * factor * 1.01) is None
        assert told(right * factor, X[:, :1]) is None
        assert told(right * factor, right=2 * right) is None
    large = right.log().float() + 1000  # of which exp is infinite
    assert told(right.flip(1), large) is None


@pytest.mark.parametrize(
    ("right", "got", "words"),
    [
        (X.logsumexp(1), X.exp().sum(1), "sum of exp of the numbers, not the logarithm of"),
        (X.var(1), X.var(1, unbiased=False), "variance (divided by n), not the variance (div"),
        (X.std(1), X.var(1), "variance (divided by n - 1), not the standard deviation (of n -"),
        (X.square().sum(1), (X**3).sum(1), "sum of the third powers of the numbers, not the s"),
        (X.square().mean(1).sqrt(), X.square().sum(1).sqrt(), "norm, not the root of the mean"),
    ],
)
def test_another_function_of_a_row(right, got, words):
    m = mismatch(got, right.double(), X, shape=(len(X),))
    assert wrong_rows.another_function(m).startswith(f"each row's result is the {words}")


def test_what_comes_out_of_rows_of_a_sign_is_told_with_its_number():
    x = torch.randn(12, 8, generator=torch.Generator().manual_seed(1))
    x[::3] = -x[::3].abs() - 1
    right = x.amax(1)
    for value, words in ((0.0, "something start with 0"), (5.0, "comes out as 5. Which line")):
        got = torch.where((x < 0).all(1), value, right)
        assert words in wrong_rows.rows_of_a_sign(mismatch(got, right, x, shape=(12,)))
        one, mine = got[2:5], right[2:5]  # one row of such numbers may be so by chance
        told = wrong_rows.rows_of_a_sign(mismatch(one, mine, x[2:5], shape=(3,)))
        assert (told is None) == (value == 5.0)


def test_counts_that_are_all_twice_what_they_should_be():
    x = torch.arange(40, dtype=torch.uint8) % 7
    right = torch.bincount(x, minlength=9)
    sentence = said((2 * right).int(), right, x, shape=(9,))
    assert sentence.startswith(
        "each count is 2 times the right one: is each element counted twice"
    )
    assert "counted 4 times" in said((4 * right).int(), right, x, shape=(9,))
    other = (2 * right).int()
    other[3] += 1
    m = mismatch(other, right, x, shape=(9,))
    assert "times the right one" not in (wrong_rows.counts(m) or "")


# ---- a start with the first element of all, a sign that is kept


@pytest.mark.parametrize("end", [torch.amax, torch.amin])
@pytest.mark.parametrize("dtype", [torch.float32, torch.int32])
def test_a_start_with_the_first_element_of_all(end, dtype):
    x = (100 * random(40 * 5)).reshape(40, 5).to(dtype)
    x[0, 0] = x[1:].amax(1).sort().values[20] if end is torch.amax else end(x[1:], 1).median()
    right = end(x, 1)
    far = torch.maximum if end is torch.amax else torch.minimum
    m = mismatch(far(right, x[0, 0]), right, x)
    assert wrong_rows.first_of_all(m).endswith(
        "the first element of input 1: does each row start with the first element of all, in "
        "the place of its own?"
    )
    other = mismatch(far(right, x[0, 1]), right, x)
    assert wrong_rows.first_of_all(other) is None
    got = far(right, x[0, 0])
    got[-1] += 1
    assert wrong_rows.first_of_all(mismatch(got, right, x)) is None


def test_the_largest_of_all_is_no_start():
    x = random(40 * 5).reshape(40, 5)
    x[0, 0] = 9.0
    m = mismatch(torch.full((40,), 9.0), x.amax(1), x)
    assert wrong_rows.first_of_all(m) is None


def test_a_size_of_which_the_sign_is_kept():
    x = random(60)
    right = x.abs().max().reshape(1)

    def told(got, right, x=x):
        return wrong_rows.sign_kept(mismatch(got, right, x, wrong=got.signbit()))

    assert told(x.min().reshape(1), right).startswith(
        f"{float(x.min()):.8g} came out, a number"
    )
    assert told(torch.tensor([-0.0]), torch.zeros(1), 0 * x).startswith("-0 came out")
    rows = x.reshape(10, 6)
    assert "is the sign never dropped" in told(rows.amin(1), rows.abs().amax(1), rows)
    assert told(x.min().reshape(1) - 1, right) is None  # no number that went in
    both = torch.cat([rows, -rows], dim=1)  # of one size
    assert told(-rows.abs().amax(1), rows.abs().amax(1), both) is None
    assert told(x.min().reshape(1), right + 1) is None  # nor is what is right
    most = x.clone().index_fill(0, torch.tensor([7]), 9.0)  # the largest is right as well
    assert told(most.min().reshape(1), torch.tensor([9.0]), most) is None  # of the first thread
    most[3] = -9.0
    assert told(most.min().reshape(1), torch.tensor([9.0]), most)
    assert told(most[most < 0].max().reshape(1), torch.tensor([9.0]), most) is None  # of a part
    missing = rows.clone()
    missing[:, 0] = math.nan  # which is lost
    assert told(rows[:, 1:].amin(1), missing.amax(1), missing) is None


@pytest.mark.parametrize("dtype", [torch.int32, torch.float32])
def test_another_place_of_equal_numbers_in_an_array(dtype):
    x = torch.tensor([1, 5, 2, 5, 0, 5, 3], dtype=dtype)

    def told(got, right, x=x):
        return wrong_rows.place_of_element(mismatch(torch.tensor([got]), [right], x))

    assert told(5, 1) == (
        "the largest number is found, but at another place than the first of equal ones, so "
        "that one is counted for another: wrong only for equal numbers. Which of two does each "
        "comparison take (>, or >=)?"
    )
    assert "than the last of equal ones" in told(1, 5)
    assert told(2, 1) is told(9, 1) is told(5, 4) is None
    assert told(1, 3) is None  # neither the first nor the last, as a count may be
    same = torch.full((7,), 5, dtype=dtype)  # of which a count, too, is a place
    assert told(5, 1, same) is None


@pytest.mark.parametrize("dtype", [torch.int64, torch.int32])
def test_a_place_of_16_bits(dtype):
    x = torch.zeros(70_001)
    x[[65_836, 69_000]] = 9.0
    told = said(torch.tensor([300], dtype=dtype), [65_836], x, shape=(1,), poison=0x5A)
    assert told.startswith("the place comes out as 300, and the number that is searched is at")
    assert "65,836, a multiple of 65,536 behind: is a place held in 16 bits" in told

    def of(got, right, x=x):
        some = mismatch(torch.tensor([got], dtype=dtype), [right], x, shape=(1,))
        return wrong_rows.place_of_element(some)

    assert "16 bits" in of(69_000 - 65_536, 65_836)  # another of equal ones
    assert "16 bits" not in (of(301, 65_836) or "")
    assert "16 bits" not in (of(69_000, 65_836) or "")


LONG = torch.randperm(3000, generator=torch.Generator().manual_seed(4)).reshape(15, 200).float()


@pytest.mark.parametrize("width", [2, 4, 8, 32, 64])
def test_a_place_without_its_pack_or_in_it(width):
    right = LONG.argmax(1)
    whole = right < 200 // width * width
    for words, made in (
        ("that of the first of the {0} elements among which", right // width * width),
        ("the one within {0} elements (place % {0}), that of another", right % width),
        ("the right one divided by {0}: is the number of a pack", right // width),
    ):
        for got in (made, torch.where(whole, made, right)):
            assert place(got, right, LONG).startswith(
                f"each wrong place is {words.format(width)}"
            )


def test_a_place_of_no_pack():
    right = LONG.argmax(1)
    odd = torch.tensor([3, 50, 7, 90, 11, 2, 60, 1, 5, 9, 33, 44, 18, 27, 71])
    assert place((right + odd) % 200, right, LONG) is None


@pytest.mark.parametrize("columns", [20, 40_000])
def test_a_place_that_none_of_a_row_of_infinities_has(columns):
    x = torch.full((3, columns), -math.inf)
    right = torch.zeros(3, dtype=torch.long)
    start = place(right - 1, right, x)
    assert start.startswith(
        "of rows that are all -infinity the place comes out as -1, which is"
    )
    assert "is it the place with which the search starts?" in start
    held = place(right - 32_768, right, x)
    if columns > 32_768:
        assert held.endswith("in a type that is too narrow for 40,000 columns, as of 16 bits?")
    else:
        assert "starts" in held


def test_the_largest_in_the_place_of_the_largest_absolute_value_of_columns():
    x = X - X.mean()
    words = "the largest number came out, or 0, and not the largest absolute value: is the sign"

    def told(got, right, x=x):
        return wrong_rows.sign_kept(mismatch(got, right.double(), x, shape=(len(right),)))

    right, rows = x.abs().amax(0), x.abs().amax(1)
    assert told(x.amax(0), right).startswith(words)
    assert told(x.amax(0).clamp(min=0), right).startswith(words)
    assert told(x.amax(1), rows).startswith(words)
    low = -x.abs()
    assert told(low.amin(0), right, low).endswith("or is the formula another one?")
    assert told(right + 1, right) is None
    assert told(x.amax(0), x.abs().sum(0)) is None


def test_the_place_in_the_whole_matrix_of_the_largest_of_a_column():
    x = random(60, 4).reshape(12, 5)
    right = x.argmax(0)
    whole = torch.where(right > 0, right * 5 + torch.arange(5), 0)
    told = wrong_rows.place_of_element(mismatch(whole, right.double(), x, shape=(5,)))
    assert told.startswith("it is the place in the whole matrix, not in its column")
    whole[0] += 1
    told = wrong_rows.place_of_element(mismatch(whole, right.double(), x, shape=(5,)))
    assert not (told or "").startswith("it is the place in the whole matrix")


@pytest.mark.parametrize("value", [0.0, -1.0, 0.5])
@pytest.mark.parametrize("sign", [1, -1])
def test_a_number_with_which_the_search_of_a_column_starts(value, sign):
    x = sign * (random(8 * 40, 6).reshape(8, 40) - 2)
    right = x.amax(0) if sign > 0 else x.amin(0)
    of = torch.maximum if sign > 0 else torch.minimum
    got = of(right, torch.tensor(value))
    m = mismatch(got, right, x, shape=(40,))
    name = "largest" if sign > 0 else "smallest"
    words = f"{value:g} comes out as the {name} number of a column where all are"
    assert wrong_rows.started_with(m).startswith(words)
    got = torch.where(torch.arange(40) == 7, got + 1, got)  # another one goes wrong, too
    assert wrong_rows.started_with(mismatch(got, right, x, shape=(40,))) is None


def test_a_column_of_infinities_tells_the_end_of_a_type():
    x = torch.full((3, 5), -math.inf)
    for value, named in (
        (-65504.0, True),
        (torch.finfo(torch.float32).min, True),
        (-7.0, False),
    ):
        m = mismatch(torch.full((5,), value), x[0], x, shape=(5,))
        assert (wrong_rows.started_with(m) is not None) is named


def test_a_row_of_numbers_leaves_doubt_about_the_start_of_a_search():
    x = random(40, 7).reshape(1, 40)
    for rows, doubt in ((x, 1), (torch.cat([x, x - 9]), 0)):
        m = mismatch(x[0].relu(), x[0], rows, shape=(40,))
        answer = diagnose(m)
        assert answer.sentence.startswith("0 comes out as the largest number of a column")
        assert answer.doubt == doubt
    sums = mismatch(x[0].relu(), x[0], torch.cat([x, x + 9]), shape=(40,))
    assert wrong_rows.started_with(sums) is None
    above = x.abs() + 1
    nothing = mismatch(0 * above[0], above[0], above, shape=(40,))
    assert wrong_rows.started_with(nothing) is None


def test_what_is_counted_for_the_element_beside_its_own():
    """As the 1 of a one-hot row."""
    right = random(40).reshape(5, 8).double()
    got = right.clone()
    for row, place in enumerate((2, 5, 0, 7, 1)):
        right[row, place] -= 1
        if place:
            got[row, place - 1] -= 1
    words = "in wrong rows one element has too much by what another lacks (row 0: column 2 by"
    sentence = said(got.float().flatten(), right.float().flatten(), random(40, 1), shape=(5, 8))
    assert sentence.startswith(words)
    assert "column 1 lacks" in sentence and "1 beside its own" in sentence
    exchanged = right.clone()
    exchanged[:, :2] = right[:, :2].flip(1)
    m = mismatch(exchanged.float().flatten(), right.float().flatten(), shape=(5, 8))
    assert wrong_rows.moved_along(m) is None


def test_the_place_of_a_nan_or_of_a_number():
    x = X.clone()
    x[:, 2] = math.nan
    numbers = x.nan_to_num(9.0).argmin(1)
    nan = torch.full((10,), 2)
    assert place(numbers, nan, x).startswith("the place of a number comes out, and that of the")
    assert place(nan, numbers, x).startswith("the place of a NaN comes out, and that of a")
    assert place(numbers, nan, X) is None
    twice = x.clone()
    twice[:, 0] = math.nan  # the first one is another, so that a count is meant, say
    assert place(numbers, nan, twice) is None


def test_the_place_of_the_smallest_bits():
    x = torch.randn(5, 40, generator=torch.Generator().manual_seed(3))
    got = dict(wrong_rows.keys_of_bits(x))["unsigned"].argmin(1)
    assert place(got, x.argmin(1), x) == wrong_rows.BY_BITS.format("unsigned", "smallest")
    some = x[:1]  # of 40 numbers one may be so by chance
    assert place(got[:1], some.argmin(1), some) is None
    assert wrong_rows.keys_of_bits(x.int()) == []


@pytest.mark.parametrize(
    ("values", "off", "words"),
    [
        ((-0.0, -0.0, 0.0, 1.0), 2, "2 too many are counted, as many as are -0.0: "),
        ((-0.0, 0.0, 0.0, 1.0), 1, None),  # one of either may be so by chance
        ((-0.0, -0.0, 0.0, 1.0), 1, None),
        ((0.0, 0.0, -0.0, 1.0), 2, "2 too many are counted, as many as are 0.0: "),
        ((math.nan, 1.0, 2.0, 3.0), -1, "1 too few are counted, as many as are NaN: "),
        ((math.inf, 1.0, -math.inf, 3.0), -2, "2 too few are counted, as many as are infin"),
        ((1e-40, 1.0, 2.0, 3.0), -1, "1 too few are counted, as many as are subnormal: "),
        ((-0.0, math.nan, 1.0, 2.0), 1, None),  # which of the two?
        ((1.0, 2.0, 3.0, -0.0), 3, None),
    ],
)
def test_by_which_kind_of_numbers_a_count_is_off(values, off, words):
    x = torch.tensor(values)
    right = 2 if off > 0 else 4
    told = wrong_rows.counted_kind(
        mismatch(torch.tensor([right + off]), torch.tensor([right]), x, shape=(1,))
    )
    assert told is None if words is None else told.startswith(words)
    of_each = mismatch(torch.tensor([right + off] * 2), torch.tensor([right] * 2), x)
    assert wrong_rows.counted_kind(of_each) is None


def test_by_which_kind_of_numbers_the_counts_of_rows_are_off():
    x = random(6 * 20, 1).reshape(6, 20)
    x[0, 3], x[2, 5:9], x[4, 0], x[5, 7] = 0.0, 0.0, -0.0, math.nan
    right = (x > 0).sum(1)

    def said(got):
        return wrong_rows.counted_kind(mismatch(got, right, x, shape=(6,)))

    assert said((x >= 0).sum(1)).startswith("6 too many are counted, as many as are 0: does a")
    assert said(right + x.isnan().sum(1)).startswith(
        "1 too many are counted, as many as are Na"
    )
    assert said((x >= 0).sum(1) + (torch.arange(6) == 1)) is None
    assert said(20 - right) is None
    assert said(21 + right) is None


@pytest.mark.parametrize("of", [torch.argmax, torch.argmin])
def test_the_place_of_a_number_of_a_threads_share(of):
    x = random(20 * 100).reshape(20, 100)
    right = of(x, dim=1)
    lane = torch.arange(20) % 32
    own = torch.arange(100) % 32 == lane[:, None]
    worst = -math.inf if of is torch.argmax else math.inf
    got = of(x.where(own, worst), dim=1)
    sentence = wrong_rows.place_of_element(mismatch(got, right, x, shape=(20,)))
    assert "of one in 32 numbers, a thread's share, and not of the whole row" in sentence
    got = (right + 1) % 100
    told = wrong_rows.place_of_element(mismatch(got, right, x, shape=(20,)))
    assert told is None or "share" not in told


def test_rows_of_two_that_are_scaled_by_one_factor_are_not_moved():
    """Of two normalised numbers one has too much by what the other lacks."""
    right = torch.tensor([[1.0, -1.0], [-1.0, 1.0], [1.0, -1.0], [2.0, 4.0]]).double()
    middle = right.mean(1, keepdim=True)
    got = (middle + 1.2 * (right - middle)).float()
    m = mismatch(got.flatten(), right.flatten(), shape=(4, 2))
    assert wrong_rows.moved_along(m) is None
    got = (right + torch.tensor([0.1, -0.1])).float()
    assert wrong_rows.moved_along(mismatch(got.flatten(), right.flatten(), shape=(4, 2)))
    some = [0, 1, 2]  # rows whose sums are 0, as of all that are normalised
    m = mismatch(got[some].flatten(), right[some].flatten(), shape=(3, 2))
    assert wrong_rows.moved_along(m) is None


def test_the_least_integer_has_no_absolute_value_of_its_type():
    x = torch.tensor([5, -(2**31), 7]).int()
    told = wrong_rows.sign_kept(mismatch(torch.tensor([-(2**31)]), [2.0**31], x))
    assert told.startswith(
        "-2147483648 came out where its absolute value should, which its own"
    )
    other = torch.tensor([5, -9, 7]).int()
    told = wrong_rows.sign_kept(mismatch(torch.tensor([-9]), [9.0], other))
    assert told.startswith(
        "-9 came out, a number as it went in, where an absolute value should"
    )


@pytest.mark.parametrize("of", [torch.argmax, torch.argmin])
def test_the_place_of_a_number_of_the_first_elements(of):
    x = random(20 * 50).reshape(20, 50)
    right = of(x, dim=1)
    for count in (32, 20):
        told = wrong_rows.place_of_element(mismatch(of(x[:, :count], 1), right, x, shape=(20,)))
        assert "of the first 32 elements of a row, and the others are left out" in told or (
            count == 20 and "of the first" in told
        )
    rising = torch.arange(1.0, 34).repeat(8, 1) * (1 if of is torch.argmax else -1)
    one_less = of(rising, 1) - 1
    told = wrong_rows.place_of_element(mismatch(one_less, of(rising, 1), rising, shape=(8,)))
    assert told.endswith("is the last left out, or is each place one too small?")
    told = wrong_rows.place_of_element(mismatch(right - right.sign(), right, x, shape=(20,)))
    assert "too small" in told  # of rows that do not rise


@pytest.mark.parametrize("of", [torch.argmax, torch.argmin])
def test_the_place_that_the_first_thread_has_itself(of):
    x = random(8 * 70).reshape(8, 70)
    own = of(x[:, ::32], dim=1) * 32
    told = wrong_rows.place_of_element(mismatch(own, of(x, dim=1), x, shape=(8,)))
    assert "of one in 32 numbers, the first thread's" in told and "without its place" in told


@pytest.mark.parametrize("of", [torch.argmax, torch.argmin])
@pytest.mark.parametrize(("threads", "first", "columns"), [(128, 64, 300), (64, 32, 50)])
def test_the_place_of_a_number_of_some_threads(of, threads, first, columns):
    x = random(20 * columns).reshape(20, columns)
    right, own = of(x, dim=1), torch.arange(columns) % threads < first
    worst = -math.inf if of is torch.argmax else math.inf
    got = of(x.where(own, worst), dim=1)
    which = f"elements whose number % {threads} is below {first}, and"
    which = which if threads < columns else f"first {first} elements of a row, and the others"
    told = wrong_rows.place_of_element(mismatch(got, right, x, shape=(20,)))
    assert which in told and "left out" in told
    got[own[right].nonzero()[0]] = 0  # another one goes wrong
    told = wrong_rows.place_of_element(mismatch(got, right, x, shape=(20,)))
    assert which not in (told or "")


def test_a_count_below_0_is_no_number_that_went_in():
    x = torch.tensor([-1.0, 1.0])
    count = mismatch(torch.tensor([-1], dtype=torch.int32), [1.0], x)
    assert wrong_rows.sign_kept(count) is None
    assert wrong_rows.sign_kept(mismatch(torch.tensor([-1.0]), [1.0], x)) is not None


def test_nothing_counted_is_not_told_by_its_kind():
    x = torch.tensor([0.0, 0.0, 1.0, 2.0])
    nothing = mismatch(torch.tensor([0], dtype=torch.int32), [2.0], x)
    assert wrong_rows.counted_kind(nothing) is None
