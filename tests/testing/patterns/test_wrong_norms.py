"""Which step of a norm, or of normalised rows, is another one."""

from dataclasses import replace

import pytest
import torch

from helpers.testing.patterns import wrong_norms
from tests.testing.mismatches import mismatch, random

ROWS = random(20 * 50, 1).reshape(20, 50).double()


def told(got, right, x=ROWS):
    return wrong_norms.counted(mismatch(got.float(), right, x.float(), shape=tuple(got.shape)))


WHY = ": where does the loop begin and end, and what is added before it, or behind it?"


@pytest.mark.parametrize(
    ("name", "result"),
    [
        ("sum", lambda x: x.sum(1)),
        ("norm", lambda x: x.norm(dim=1)),
        ("sum of x * x", lambda x: x.square().sum(1)),
        ("sum of absolute values", lambda x: x.abs().sum(1)),
    ],
)
def test_one_column_of_each_row(name, result):
    x = ROWS.float().double()
    without, twice = x[:, 1:], torch.cat([x, x[:, 7:8]], dim=1)
    words = f"each row's {name} is what comes out if its element"
    assert told(result(without), result(x)) == f"{words} 0 is left out{WHY}"
    assert told(result(twice), result(x)) == f"{words} 7 counts twice{WHY}"
    means = torch.cat([x, x[:, 7:8]], dim=1).sum(1) / 50
    assert "each row's mean is" in told(means, x.mean(1))


def test_no_column():
    x = ROWS.float().double()
    right = x.norm(dim=1)
    assert told(x[:, 2:].norm(dim=1), right) is None  # two
    one_row = x[:, 1:].norm(dim=1)
    one_row[3] = right[3]
    assert told(one_row, right) is None  # a row in which it counts
    assert told(x[:, 1:].norm(dim=1), x.amax(1)) is None
    assert told(x[:2, 1:].norm(dim=1), right[:2], x[:2]) is None  # too few rows to tell
    alone = x * (torch.arange(x.shape[1]) == 0)
    assert told(0 * right, alone.sum(1), alone) is None  # all is 0


X = random(9 * 30, 2).reshape(9, 30)
GAIN, SHIFT = 1 + 0.1 * random(30, 3), random(30, 4)


def normal(x=X, eps=1e-5, count=30, centred=True):
    x = x.double()
    off = x - x.mean(1, keepdim=True) if centred else x
    return off * (off.square().sum(1, keepdim=True) / count + eps).rsqrt()


def of_affine(got, right, *inputs):
    m = mismatch(got.float().flatten(), right.flatten(), *inputs, shape=(9, 30))
    return wrong_norms.affine(m)


@pytest.mark.parametrize(
    ("got", "words"),
    [
        (normal(count=29) * GAIN + SHIFT, "a variance that is divided by n - 1, not by n"),
        (normal(eps=0.1) * GAIN + SHIFT, "an epsilon of 0.1"),
        (normal() * GAIN, "what is added to each column left out"),
        (normal() * (1 + GAIN) + SHIFT, "1 added to the factor of each column"),
        (normal() * (GAIN - 1) + SHIFT, "1 taken off the factor of each column"),
        (
            normal() * SHIFT + GAIN,
            "what is added to each column and what multiplies it swapped",
        ),
        (normal() * (GAIN + SHIFT), "what is added to each column added to its factor"),
        (normal() * GAIN.roll(-1) + SHIFT, "the factor of each column read one column on"),
    ],
)
def test_normalised_rows(got, words):
    right = normal() * GAIN.double() + SHIFT.double()
    how = "is the formula another one?"
    if words.endswith("swapped"):
        how = "in the kernel, or where it is launched?"
    said = f"each element is what comes out with {words}: {how}"
    assert of_affine(got, right, X, GAIN, SHIFT) == said
    assert of_affine(got, right, SHIFT, GAIN, X) == said
    got = got.clone()
    got[4, 4] += 1
    assert of_affine(got, right, X, GAIN, SHIFT) is None


@pytest.mark.parametrize("centred", [True, False])
@pytest.mark.parametrize("more", [1, 7, 256])
def test_a_sum_of_squares_that_starts_with_another_number(more, centred):
    right = normal(centred=centred)
    told = of_affine(normal(eps=1e-5 + more / 30, centred=centred), right, X)
    assert told.startswith(
        f"each element is what comes out if its row's sum of squares is {more} larger: does "
        "that sum, or a thread's share of it, start with another number than 0?"
    )
    for other in (normal(eps=0.4, centred=centred), normal(eps=1.0, centred=centred)):
        assert " an epsilon of " in of_affine(other, right, X)  # 12 or 30 more


@pytest.mark.parametrize("centred", [True, False])
@pytest.mark.parametrize(("threads", "every"), [(32, 64), (32, 1 << 20), (64, 128)])
def test_a_loop_over_the_squares_that_passes_over_some(threads, every, centred):
    x = random(9 * 150, 6).reshape(9, 150)
    off = x.double() - x.double().mean(1, keepdim=True) * centred
    counts = torch.arange(150) % every < threads
    got, right = (
        off * ((off.square() * which).sum(1, keepdim=True) / 150 + 1e-5).rsqrt()
        for which in (counts, 1)
    )
    m = mismatch(got.float().flatten(), right.flatten(), x, shape=(9, 150))
    which = f"{threads} of every {every}" if every < 150 else f"{threads}"
    assert wrong_norms.affine(m) == (
        "each element is what comes out with a sum of squares of only the first "
        f"{which} elements of a row: are the others left out, as by a loop whose step is too "
        "long, or where the parts of some threads or warps do not count?"
    )


@pytest.mark.parametrize(("centred", "of_mean"), [(True, True), (True, False), (False, False)])
@pytest.mark.parametrize("twice", [True, False])
def test_a_loop_over_a_row_that_takes_some_twice_or_not_at_all(centred, of_mean, twice):
    """In the sum of the squares, or in the mean."""
    x = random(9 * 150, 6).reshape(9, 150).double() + 0.25
    counts = 1 + (torch.arange(150) >= 64).int() if twice else torch.arange(150) % 128 < 64

    def rows(in_mean, in_squares):
        off = x - (x * in_mean).sum(1, keepdim=True) / 150 * centred
        return off * ((off.square() * in_squares).sum(1, keepdim=True) / 150 + 1e-5).rsqrt()

    right, got = rows(1, 1), rows(counts, 1) if of_mean else rows(1, counts)
    m = mismatch(got.float().flatten(), right.flatten(), x.float(), shape=(9, 150))
    what = "a mean" if of_mean else "a sum of squares"
    which = "in which the elements from 64 on count twice: does a loop go on by half of the"
    if not twice:
        which = "of only the first 64 of every 128 elements of a row: are the others left out"
    words = f"each element is what comes out with {what} {which}"
    assert wrong_norms.affine(m).startswith(words)


@pytest.mark.parametrize("of_mean", [True, False])
def test_each_thread_keeps_its_last_element_only(of_mean):
    x = random(9 * 150, 6).reshape(9, 150).double() + 0.25
    last = torch.arange(150) >= 150 - 64

    def rows(in_mean, in_squares):
        off = x - (x * in_mean).sum(1, keepdim=True) / 150 * of_mean
        return off * ((off.square() * in_squares).sum(1, keepdim=True) / 150 + 1e-5).rsqrt()

    got = rows(last, 1) if of_mean else rows(1, last)
    m = mismatch(got.float().flatten(), rows(1, 1).flatten(), x.float(), shape=(9, 150))
    what = "a mean" if of_mean else "a sum of squares"
    assert wrong_norms.affine(m) == (
        f"each element is what comes out with {what} of only the last 64 elements of a row: "
        "are all but the last that each thread takes left out (= for +=)?"
    )


def test_rows_that_are_divided_by_infinity():
    right = normal() * GAIN.double() + SHIFT.double()
    told = of_affine(SHIFT.expand(9, 30), right, X, GAIN, SHIFT)
    assert told.startswith("each element is just what is added to its column, as of a row that")


OWN = "each thread's own sum of x * x"
LEFT_OUT = "are those of the other threads left out, never put together?"


def of_threads(x, threads, centred):
    """Return normalised rows of which each thread has the squares of its own elements only."""
    off = x.double() - x.double().mean(1, keepdim=True) * centred
    made = torch.empty_like(off)
    for k in range(min(threads, x.shape[1])):
        its = off[:, k::threads]
        made[:, k::threads] = its * (its.square().sum(1, keepdim=True) / x.shape[1]).rsqrt()
    return made


@pytest.mark.parametrize("centred", [True, False])
def test_each_thread_has_its_own_squares(centred):
    x = random(9 * 70, 5).reshape(9, 70)
    for rows, of in ((x[:, :20], ""), (x, ", of one element in 32")):
        right = normal(rows, 0.0, rows.shape[1], centred).flatten()
        got = of_threads(rows, 32, centred).float().flatten()
        m = mismatch(got, right, rows, shape=tuple(rows.shape))
        said = f"each element is what comes out with {OWN}{of}: {LEFT_OUT}"
        assert wrong_norms.affine(m) == said


def test_rows_without_a_factor():
    def said(got):
        m = mismatch(got.float().flatten(), normal().flatten(), X, shape=(9, 30))
        return wrong_norms.affine(m)

    of_sample = (
        "each element is what comes out with a variance that is divided by n - 1, not by n"
    )
    assert said(normal(count=29)) == f"{of_sample}: is the formula another one?"
    assert "numbers from which the mean is not taken off" in said(
        X.double() * normal() / (X.double() - X.double().mean(1, keepdim=True))
    )
    assert said(normal() + 1) is None  # no column has a number of its own


@pytest.mark.parametrize(
    ("gain", "words"),
    [
        (GAIN[0], "with what multiplies column 0 in the place of each column's own"),
        (
            GAIN[:9, None],
            "with what multiplies column r in row r, in the place of each column's own",
        ),
    ],
)
def test_the_factor_of_another_column(gain, words):
    right = normal() * GAIN.double() + SHIFT.double()
    said = of_affine(normal() * gain + SHIFT, right, X, GAIN, SHIFT)
    why = "is its index the row's, or always 0, so that it is counted for another column?"
    assert words in said and said.endswith(why)


def test_a_column_of_which_the_factor_is_0():
    gain = torch.where(torch.arange(30) == 4, 0.0, GAIN)
    right = normal() * gain.double() + SHIFT.double()
    told = of_affine(normal(count=29) * gain + SHIFT, right, X, gain, SHIFT)
    assert "a variance that is divided by n - 1, not by n" in told
    m = mismatch(right.float().flatten() + 1, right.flatten(), X, gain, SHIFT, shape=(9, 30))
    assert wrong_norms.moments(m) is None


def test_a_small_error_of_a_formula_is_told_from_rounding():
    x, right = X.double(), normal(eps=1e-5) * GAIN.double() + SHIFT.double()
    off = x - x.mean(1, keepdim=True)
    outside = off / (x.std(1, unbiased=False, keepdim=True) + 1e-5) * GAIN + SHIFT
    told = of_affine(outside, right, X, GAIN, SHIFT)
    assert "epsilon added to the root, not below it" in told
    other = right + (outside - right).roll(1, 1)  # errors as small, of no formula
    assert of_affine(other, right, X, GAIN, SHIFT) is None


def test_rows_that_are_divided_by_their_root_of_the_mean_of_squares():
    right = normal(centred=False) * GAIN.double()
    got = normal(centred=False, count=29) * GAIN
    assert "a mean of x * x that is divided by n - 1" in of_affine(got, right, X, GAIN)
    got = (X - X.mean(1, keepdim=True)) * (X.square().mean(1, keepdim=True) + 1e-5).rsqrt()
    assert "from which the mean is taken off" in of_affine(got * GAIN, right, X, GAIN)


def test_other_formulas_are_not_told():
    right = X.double() * GAIN + SHIFT
    assert of_affine(right + 1, right, X, GAIN, SHIFT) is None
    assert of_affine(right + 1, right, X) is None


def test_no_epsilon_makes_zeros():
    right = normal() * GAIN.double()
    m = mismatch(torch.zeros(270), right.flatten(), X, GAIN, shape=(9, 30))
    assert wrong_norms.affine(m) is None
    assert wrong_norms.moments(m) is None


@pytest.mark.parametrize("centred", [True, False])
def test_weights_that_are_stored_less_1(centred):
    less, shift = GAIN - 1, SHIFT.double() * centred
    inputs = (X, less, SHIFT)[: 2 + centred]
    right = normal(centred=centred) * (1 + less.double()) + shift
    for factor, words in (
        (less, "the 1 that is added to the factor of each column left out"),
        (less + 2, "2 added to the factor of each column, not 1"),
        (1 - less, "the factor of each column taken off 1, not added to it"),
        (torch.ones(30), "the factor of each column left out"),
    ):
        got = normal(centred=centred) * factor.double() + shift
        told = of_affine(got, right, *inputs)
        assert (
            told == f"each element is what comes out with {words}: is the formula another one?"
        )


def of_moments(got):
    right = normal() * GAIN.double() + SHIFT.double()
    m = mismatch(got.float().flatten(), right.flatten(), X, GAIN, SHIFT, shape=(9, 30))
    return wrong_norms.moments(m)


@pytest.mark.parametrize("zeros", [0, 4])
@pytest.mark.parametrize("added", [None, 128.0])
def test_means_where_the_factor_of_some_columns_is_0(zeros, added):
    """Such a column does not tell of a mean that is truncated, or of a sum that is larger."""
    x = 7 * X.double() + torch.arange(-4, 5)[:, None] * 3.3
    gain = GAIN.clone()
    gain[:zeros] = 0
    mean = x.mean(1, keepdim=True)
    taken = mean.trunc() if added is None else mean + added / 30

    def rows(taken):
        off = x - taken
        scale = (off.square().mean(1, keepdim=True) + 1e-5).rsqrt()
        return (off * scale * gain + SHIFT).flatten()

    right, got = rows(mean), rows(taken).float()
    m = mismatch(got, right, x.float(), gain, SHIFT, shape=(9, 30))
    if added:
        told = wrong_norms.mean_is_larger(m)
        assert told.startswith("each row comes out with a mean that is off by 128 / 30: does")
    else:
        words = "the mean of each row is truncated to a whole number, that of row "
        assert wrong_norms.moments(m).startswith(words)


def test_another_mean_or_another_deviation():
    x = X.double()
    mean, deviation = x.mean(1, keepdim=True), x.std(1, unbiased=False, keepdim=True)
    for factor in (1, torch.linspace(0.5, 2, 9)[:, None]):
        got = (x - mean / 2) / (factor * deviation) * GAIN + SHIFT
        assert of_moments(got).startswith("each row comes out with another mean than its own")
    deviation_off = ((x - mean - 0.1).square().mean(1, keepdim=True)).sqrt()
    got = (x - mean - 0.1) / deviation_off * GAIN + SHIFT
    right = normal() * GAIN.double() + SHIFT.double()
    m = mismatch(got.float().flatten(), right.flatten(), X, GAIN, SHIFT, shape=(9, 30))
    added = (x + mean) / ((x + mean).square().mean(1, keepdim=True) + 1e-5).sqrt()
    added = mismatch((added * GAIN + SHIFT).float().flatten(), *m.expected[None], *m.inputs)
    assert wrong_norms.mean_is_larger(replace(added, shape=(9, 30))).startswith(
        "each row's mean is added to its numbers, where it must be taken off: "
    )
    assert wrong_norms.mean_is_larger(m) == (
        "each row comes out with a mean that is off by 3 / 30: does its sum, or a thread's "
        "share of it, start with another number than 0?"
    )
    got = (x - mean) / (deviation + torch.linspace(0.5, 2, 9)[:, None]) * GAIN + SHIFT
    assert "divided by another number than its deviation" in of_moments(got)
    got[3, 3] += 1
    assert of_moments(got) is None


def lanes(n, pack, threads):
    return torch.arange(n) // pack % threads


@pytest.mark.parametrize(
    ("n", "pack", "threads", "words"),
    [
        (31, 1, 32, "column 0 is"),
        (100, 1, 32, "the first of each 32 columns is"),
        (100, 4, 32, "columns 0 to 3 are"),
        (900, 4, 32, "the first 4 of each 128 columns are"),
        (600, 1, 256, "the first of each 256 columns is"),
    ],
)
def test_rows_of_which_only_one_lane_has_the_sum(n, pack, threads, words):
    x, gain = random(5 * n, n).reshape(5, n), 1 + 0.1 * random(n, 3)
    wide, lane = x.double(), lanes(n, pack, threads)
    of_lane = torch.zeros(5, threads).double().index_add(1, lane, wide.square())
    sums = of_lane.flip(1).cumsum(1).flip(1)[:, lane]  # of the lanes behind, and the own

    def normed(sums, gain=gain):
        return wide * (sums / n + 1e-5).rsqrt() * gain

    def said(got):
        wrong = (got - right).abs().flatten() > 1e-6 * right.abs().flatten()
        got = got.float().flatten()
        m = mismatch(got, right.flatten(), x, gain, wrong=wrong, shape=(5, n))
        return wrong_norms.of_first_lane(m)

    total = wide.square().sum(1, keepdim=True)
    right, got = normed(total), normed(sums)
    assert said(got).startswith(f"in each row only {words} right, and hardly another: ")
    moved = gain[torch.arange(n) // pack]  # right in the first columns, too
    assert said(normed(total, moved)) is None
    other = got.clone()
    other[3, 0] *= 1.5
    assert said(other) is None
    assert said(torch.where(torch.arange(n) < n // 2, right, got)) is None
    assert said(torch.where(lane == 0, right, -got)) is None
    assert said(torch.where(lane < threads / 5, right, got)) is None  # of several lanes
    right = right + wide**3  # of no known rows
    assert said(got) is None


@pytest.mark.parametrize("kind", [torch.float32, torch.float16])
def test_the_sum_that_is_normalised_comes_out_too(kind):
    x, gain = X.to(kind), (2 + GAIN).to(kind)
    added = (x + x.roll(1, 0)).double()
    made, right = (
        normal(added, centred=False) * (more + gain.double()).double() for more in (1, 0)
    )
    m = mismatch(made.to(kind).flatten(), right.flatten(), x, x.roll(1, 0), gain, shape=(9, 30))
    words = "each element is what comes out with 1 added to the factor of each column"
    assert wrong_norms.affine(replace(m, others=(added.flatten(),))).startswith(words)
    assert wrong_norms.affine(m) is None


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
def test_another_root_of_a_row_whose_mean_is_not_taken_off(dtype):
    x = X.to(dtype)
    right = normal(x, centred=False) * GAIN.double()
    got = (right * torch.linspace(0.5, 2, 9)[:, None]).to(dtype)
    m = mismatch(got.flatten(), right.flatten(), x, GAIN, shape=(9, 30))
    assert wrong_norms.moments(m).startswith(
        "each row comes out divided by another number than the root of its mean of x * x"
    )


KEPT = torch.randn(9, 20, generator=torch.Generator().manual_seed(8)).double() * 2 + 1
EPS = 0.01


@pytest.mark.parametrize("centred", [True, False])
@pytest.mark.parametrize(
    ("words", "change"),
    [
        ("its {}, and not", lambda v: v),
        ("its {}, plus epsilon, and not", lambda v: v + EPS),
        ("the root of its {}, and not", torch.sqrt),
        ("the root of its {}, plus epsilon, and", lambda v: (v + EPS).sqrt()),
        ("1 / its {}, and not", torch.reciprocal),
        ("1 / its {}, plus epsilon, and not", lambda v: 1 / (v + EPS)),
        ("1 / the root of its {} without epsilon", torch.rsqrt),
    ],
)
def test_another_number_is_kept_of_each_row(centred, words, change):
    of = KEPT.var(1, unbiased=False) if centred else KEPT.square().mean(1)
    right, x = (of + EPS).rsqrt(), KEPT
    got = change(of).float()
    told = wrong_norms.kept(mismatch(got, right, x, torch.ones(20), shape=(9,)))
    name = "variance" if centred else "mean of x * x"
    assert told.startswith(f"each row's result is {words.format(name)}")


def test_no_number_of_a_row_is_named_that_did_not_come_out():
    variance = KEPT.var(1, unbiased=False)
    right = (variance + EPS).rsqrt()

    def told(got, right=right, x=KEPT):
        return wrong_norms.kept(mismatch(got.float(), right, x, shape=(len(right),)))

    assert told(KEPT.mean(1)).startswith("each row's result is its mean")
    assert told(2 * right) is None
    assert told(variance, variance + 1) is None
    one = torch.ones(9, 1).double() * torch.arange(9.0)[:, None]  # of rows of one number
    assert told(torch.zeros(9), torch.full((9,), EPS).double().rsqrt(), one) is None
    assert told(variance[:2], right[:2], KEPT[:2]) is None


@pytest.mark.parametrize("centred", [True, False])
def test_one_of_two_matrices_in_the_place_of_their_sum(centred):
    one, two = X, random(9 * 30, 8).reshape(9, 30)
    whole, shift = one + two, SHIFT * centred

    def scale(x):
        off = x.double() - x.double().mean(1, keepdim=True) * centred
        return off, (off.square().mean(1, keepdim=True) + 1e-5).rsqrt()

    def told(x, by, inputs=(one, two)):
        made = [scale(y) for y in (x, by, whole)]
        got, right = made[0][0] * made[1][1], made[2][0] * made[2][1]
        got, right = (y * GAIN + shift for y in (got, right))
        vectors = (GAIN, SHIFT) if centred else (GAIN,)
        m = mismatch(got.float().flatten(), right.flatten(), *inputs, *vectors, shape=(9, 30))
        return wrong_norms.affine(replace(m, others=(whole.double().flatten(),)))

    words = "each element is what comes out with input {}: is the other one left out, or is "
    words += "another array read?"
    place = "{} in the place of the sum"
    both = f"{place} (but each row is divided by what belongs to it)"
    assert told(one, whole) == words.format(both.format(1))
    assert told(two, whole) == words.format(both.format(2))
    assert told(whole, two) == words.format(f"{place} in what each row is divided by".format(2))
    assert told(two, two) == words.format(place.format(2))
    assert told(whole, whole) is None
    assert told(one, whole, (one, 2 * two)) is None  # no sum of these


@pytest.mark.parametrize("apart", [16, 4, 1])
@pytest.mark.parametrize("centred", [True, False])
def test_sums_of_half_of_a_warp(apart, centred):
    x, gain = ROWS.float().double(), random(50, 3).double() + 4
    half = torch.arange(50) // apart % 2

    def normal(total):
        off = x - total(x) * centred
        return off * (total(off.square()) + 1e-3).rsqrt() * gain

    def of_half(y):
        return torch.stack([y[:, half == k].sum(1) for k in (0, 1)], dim=1)[:, half] / 50

    got, right = normal(of_half), normal(lambda y: y.mean(1, keepdim=True))
    inputs = x.float(), gain.float()
    gain = inputs[1].double()
    m = mismatch(got.float().flatten(), right.flatten(), *inputs, shape=(20, 50))
    assert f"elements {apart} apart are not added up" in wrong_norms.affine(m)


def test_the_epsilon_beside_the_root_with_a_factor_of_each_row():
    x = torch.randint(-90, 90, (6, 31), generator=torch.Generator().manual_seed(1)) / 16
    gain, shift = torch.linspace(1, 2, 6), torch.linspace(-3, 3, 6)
    off, eps = x.double() - x.double().mean(1, keepdim=True), 0.5
    variance = off.square().mean(1, keepdim=True)

    def normed(scale):
        return off * scale * gain[:, None].double() + shift[:, None].double()

    right, got = normed((variance + eps).rsqrt()), normed(1 / (variance.sqrt() + eps))
    m = mismatch(got.float().flatten(), right.flatten(), x, gain, shift, shape=(6, 31))
    assert "with epsilon added to the root, not below it" in wrong_norms.affine(m)
