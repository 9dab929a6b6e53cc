"""Which step of a log-sum-exp, or of a softmax in one pass, is another one."""

import math

import pytest
import torch

from helpers.testing.patterns import wrong_logsums
from tests.testing.mismatches import mismatch, random, said

ROWS, COLUMNS = 7, 33
X = random(ROWS * COLUMNS, 5).mul(2).reshape(ROWS, COLUMNS)
TOP = X.double().amax(1)
POWERS = (X.double() - TOP[:, None]).exp()


def one_pass(x, times=0, from_before=False):
    """Add up powers of rows in one pass; what was summed is multiplied `times` times."""
    sums = []
    for row in x.double():
        top, total = row[0], torch.zeros(()).double()
        for z in row:
            new = torch.maximum(top, z)
            total = total * (times * (top - new)).exp()
            total = total + (z - (top if from_before else new)).exp()
            top = new
        sums.append(total)
    return torch.stack(sums)


def told(got, x=X):
    right = x.double().logsumexp(1)
    return wrong_logsums.of_log_sum(mismatch(got.float(), right, x, shape=(len(x),)))


@pytest.mark.parametrize(
    ("made", "words"),
    [
        (TOP + POWERS.sum(1).log2(), "log2 of the sum of its powers, not log (logf)"),
        (TOP + POWERS.sum(1).log10(), "log10 of the sum of its powers"),
        (TOP + POWERS.sum(1).log1p(), "log of 1 plus the sum of its powers (log1pf, or a sum"),
        (TOP + POWERS.sum(1), "of which no logarithm is taken"),
        (POWERS.sum(1).log(), "to which the largest number is not added"),
        (POWERS.sum(1).log() - TOP, "less the largest number, not plus it"),
        (TOP, "the row's largest number alone"),
        (TOP + POWERS.sum(1).log() - math.log(COLUMNS), "log of the mean of its powers"),
        (TOP + torch.exp2(X - TOP[:, None]).sum(1).log(), "powers of 2 (exp2f), not of e"),
        (TOP + torch.exp2(X - TOP[:, None]).sum(1).log2(), "log2 of the sum of powers of 2"),
    ],
)
def test_another_formula(made, words):
    sentence = told(made)
    assert sentence.startswith("each result is ") and words in sentence
    assert sentence.endswith("is the formula another one?")
    assert told(made[:1], X[:1])  # one row tells it, too


@pytest.mark.parametrize(
    ("times", "words"),
    [
        (0, "in which the sum so far is not multiplied at all"),
        (2, "in which the sum so far is multiplied twice by what it should be"),
        (-1, "in which the sum so far is divided by what it should be multiplied with"),
    ],
)
def test_one_pass_that_does_not_bring_its_sum_to_the_new_maximum(times, words):
    assert words in told(TOP + one_pass(X, times).log())
    assert "one pass from its end makes" in told(TOP + one_pass(X.flip(1), times).log())


@pytest.mark.parametrize("columns", [2, 20, 32])
def test_a_maximum_of_each_lane_and_those_behind_it(columns):
    """So few elements in one pass from their end would make the same."""
    x = X[:, :columns]
    behind = x.double().flip(1).cummax(1).values.flip(1)
    got = x.double().amax(1) + (x.double() - behind).exp().sum(1).log()
    if columns == 2:
        assert "one pass" not in (told(got, x) or "")
    else:
        assert "as what __shfl_down leaves in its lane" in told(got, x)


def test_one_pass_that_takes_the_maximum_before_off():
    made = told(TOP + one_pass(X, 1, from_before=True).log())
    assert "the maximum before each number is taken off it" in made


def test_one_pass_that_is_right_is_not_named():
    assert told(TOP + one_pass(X, 1).log()) is None


def test_an_element_that_counts_twice_or_never():
    for k in (0, COLUMNS - 1, 11):
        twice = told(TOP + (POWERS.sum(1) + POWERS[:, k]).log())
        assert f"element {k} counts twice: is it taken before the loop" in twice
        lost = told(TOP + (POWERS.sum(1) - POWERS[:, k]).log())
        assert f"element {k} is left out: where do the loops begin and end?" in lost
    few = told(TOP + POWERS[:, :20].sum(1).log())
    assert "that of its first 20 of 33 elements: are the others left out" in few


@pytest.mark.parametrize(
    ("seen", "words"),
    [
        (
            torch.arange(COLUMNS) % 32 < 16,
            "that of 16 lanes of a warp, the others are left out",
        ),
        (torch.arange(COLUMNS) % 8 == 0, "that of 4 lanes of a warp, the others are left out"),
        (torch.arange(COLUMNS) % 32 < 1, "that of 1 lanes of a warp, the others are left out"),
    ],
)
def test_the_sum_of_some_lanes(seen, words):
    assert words in told(TOP + (POWERS * seen).sum(1).log())


def test_the_sum_of_the_first_warp():
    x = random(5 * 150, 8).reshape(5, 150)
    powers = (x.double() - x.double().amax(1, keepdim=True)).exp()
    made = x.double().amax(1) + (powers * (torch.arange(150) % 64 < 32)).sum(1).log()
    assert "that of the first warp of a block, the others are left out" in told(made, x)


def test_a_sum_that_starts_with_1_in_each_thread():
    sentence = told(TOP + (POWERS.sum(1) + 128).log())
    assert sentence.startswith(
        "each row's sum of powers is too large by 128: does it start with 1"
    )


def test_one_row_does_not_tell_an_element_among_many():
    twice = TOP + (POWERS.sum(1) + POWERS[:, 11]).log()
    assert told(twice[:1], X[:1]) is None
    assert told((TOP + POWERS[:, :20].sum(1).log())[:1], X[:1]) is None


def test_other_results_are_not_explained():
    right = X.double().logsumexp(1)
    assert told(right * (1 + 2.0**-9)) is None
    assert told(right + random(ROWS, 3).mul(0.1).double()) is None
    one_right = TOP + POWERS.sum(1).log2()
    one_right[3] = right[3]
    assert told(one_right) is None
    other = mismatch((TOP + POWERS.sum(1)).float(), X.double().sum(1), X, shape=(ROWS,))
    assert wrong_logsums.of_log_sum(other) is None


@pytest.mark.parametrize("is_log", [True, False])
def test_a_softmax_in_one_pass(is_log):
    made, right = POWERS / one_pass(X)[:, None], X.double().softmax(1)
    if is_log:
        made, right = made.log(), right.log()
    sentence = said(made.float().flatten(), right.flatten(), X, shape=(ROWS, COLUMNS))
    assert "in which the sum so far is not multiplied at all" in sentence
    once = mismatch((right * 1.01).float().flatten(), right.flatten(), X, shape=(ROWS, COLUMNS))
    assert wrong_logsums.in_one_pass(once) is None


@pytest.mark.parametrize("rows", [1, ROWS])
def test_a_part_of_the_sum_of_a_log_softmax(rows):
    x = random(rows * 100, 3).reshape(rows, 100)
    powers = (x.double() - x.double().amax(1, keepdim=True)).exp()

    logs = x.double().log_softmax(1)

    def told(part, right=logs):
        got = (powers / part.sum(1, keepdim=True)).log().float()
        m = mismatch(got.flatten(), right.flatten(), x, shape=x.shape)
        return wrong_logsums.of_part(m)

    assert told(powers[:, :64]).startswith(
        "each row's sum of powers is that of its first 64 of 100 elements: are the others left"
    )
    assert "element 99 is left out" in told(powers[:, :-1])
    assert "is that of 8 lanes of a warp" in told(powers * (torch.arange(100) % 32 < 8))
    assert told(1.1 * powers) is None
    assert told(powers[:, :64], x.double().softmax(1)) is None


def test_a_logarithm_of_powers_that_are_zero():
    right = -torch.arange(0.0, 160, 4).double()
    got = right.float()
    got[right < -103] = -math.inf
    sentence = wrong_logsums.of_a_quotient(mismatch(got, right))
    assert sentence.startswith("-infinity comes out where the result is -104 or less, and not")
    assert "where it is -100 or more" in sentence
    for other in (got.clone(), got.clone()):
        other[3] = -math.inf  # where no power is 0
        assert wrong_logsums.of_a_quotient(mismatch(other, right)) is None
    assert wrong_logsums.of_a_quotient(mismatch(right.float() + 1, right)) is None
    far = 100 * right  # of which more overflows than a power that is 0
    assert wrong_logsums.of_a_quotient(mismatch(got, far)) is None


@pytest.mark.parametrize("columns", [40, 70, 161])
def test_threads_that_each_make_one_pass(columns):
    x = random(6 * columns, 8).mul(2).reshape(6, columns)
    top, made = x.double().amax(1), 0
    for lane in range(32):
        own = x[:, lane::32]
        made = made + one_pass(own) * (own.double().amax(1) - top).exp()
    sentence = told(top + made.log(), x)
    assert sentence.startswith("each row's sum of powers is what 32 threads make, each in one")
    assert "not multiplied at all" in sentence


def test_zeros_are_no_logarithm_of_a_sum():
    x = torch.tensor([[-3000.0, -9.0], [-7.0, -8000.0], [-90.0, -500.0]])
    assert told(torch.zeros(3), x) is None


def test_one_row_tells_of_no_element_that_counts_twice_in_others():
    x = X.clone()
    x[1:, 32] = -60.0  # where it adds nothing
    once = x.double().exp().sum(1) + x[:, 32].double().exp()
    assert told(once.log(), x) is None


def test_sums_of_1_do_not_tell_how_they_were_made():
    """As of powers that are truncated to whole numbers."""
    x = X[:1, :2] * torch.tensor([[0.0, 1.0]])
    assert "each row's sum of powers" not in told(x.double().amax(1), x)
    powers = (x.double() - x.double().amax(1, keepdim=True)).exp()
    got = x.double() - x.double().amax(1, keepdim=True)
    right = (powers / powers.sum(1, keepdim=True)).log()
    m = mismatch(got.half().flatten(), right.flatten(), x, shape=(1, 2))
    assert wrong_logsums.in_one_pass(m) is None and wrong_logsums.of_part(m) is None
