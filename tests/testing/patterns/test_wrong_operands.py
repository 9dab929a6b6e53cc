"""A number of another row or column is named with the index at which it is read."""

import pytest
import torch

from helpers.testing.patterns import wrong_operands
from helpers.testing.patterns.wrong_operands import of_another_place
from tests.testing.mismatches import mismatch, random

X, S = random(20 * 9).reshape(20, 9).double(), random(20, 2).double() + 4
ROW = torch.arange(20)


def told(function, place, right=None):
    right = function(S[:, None]) if right is None else right
    got = function(S[place].reshape(20, -1))
    m = mismatch(got.float().flatten(), right.flatten(), X.float(), S, shape=(20, 9))
    return of_another_place(m)


@pytest.mark.parametrize(
    ("place", "words"),
    [
        (0 * ROW, "always 0"),
        (ROW % 8, "the row's % 8, as of a place in a warp or block"),
        (ROW // 4, "the row's / 4, as the number of a warp or block"),
        ((ROW + 1) % 20, "one too large"),
        (torch.arange(180).reshape(20, 9) % 20, "the element's % 20, not the row's"),
        (torch.arange(180).reshape(20, 9) // 20, "the element's / 20, not the row's"),
        (torch.arange(9).expand(20, 9), "the column's in the place of the row's"),
    ],
)
def test_the_index_of_another_row(place, words):
    for function, role in ((lambda s: X * s, "multiplies"), (lambda s: X + s, "is added to")):
        sentence = told(function, place)
        assert f" of input 2 {role} row " in sentence
        assert f"is the index there {words}, so that each is counted for another?" in sentence


def test_what_is_cut_off_at_0_tells_nothing():
    sentence = told(lambda s: (X + s - 4).clamp(min=0), ROW % 4)
    assert "the row's % 4" in sentence


def test_no_other_row():
    assert told(lambda s: X * s * s, ROW % 4, X * S[:, None]) is None
    assert told(lambda s: X * s, ROW.flip(0)) is None


@pytest.mark.parametrize("turned", [False, True])
@pytest.mark.parametrize("operator", [torch.add, torch.sub, torch.mul])
def test_another_number_of_an_input_that_is_repeated(operator, turned):
    x, few = torch.arange(40, dtype=torch.int32) * 7, torch.tensor([3, -8, 20, 51, 6]).int()
    place = torch.arange(40) % 5
    elsewhere = torch.where(torch.arange(40) < 24, place, 0 * place)

    def told(made):
        inputs = (few, x) if turned else (x, few)
        parts = [few[place] if y is few else y for y in inputs]
        others = [few[elsewhere] if y is few else y for y in inputs]
        right = operator(*parts)
        case = mismatch(made(operator(*others), right), right, *inputs)
        return wrong_operands.of_a_repeated_input(case)

    sentence = told(lambda got, right: got)
    assert sentence.startswith(
        f"each wrong element is made with another element of input {2 - turned}, which has 5"
    )
    assert told(lambda got, right: right + (torch.arange(40) > 30) * 1000) is None


@pytest.mark.parametrize(
    ("operator", "how"), [(torch.mul, "multiplied by"), (torch.add, "added to")]
)
def test_another_number_of_a_vector(operator, how):
    """Of planes, of which the first of a block tells which channel is taken."""
    x, few = random(2 * 5 * 33).reshape(2, 5, 33), random(5, 3) + 4
    channel = torch.arange(330) // 33 % 5
    taken = channel[torch.arange(330) // 64 * 64]
    each, few_exact = x.flatten().double(), few.double()
    right = operator(each, few_exact[channel])

    def told(taken, **options):
        got = operator(each, few_exact[taken]).float()
        m = mismatch(got, right, x, few, wrong=taken != channel, shape=(2, 5, 33), **options)
        return wrong_operands.of_another_number(m)

    assert told(taken).startswith(
        f"each wrong result is an element of input 1 {how} another element of input 2 than its"
    )
    other = taken.clone()
    other[0] = (channel[0] + 1) % 5
    assert told(torch.where(torch.arange(330) < 5, other, channel)) is None  # too few
    assert told(taken, reference=lambda x, few: x) is None
    near = torch.where(
        taken == channel, few_exact[channel], few_exact[channel] * (1 + 2.0**-23)
    )
    got = operator(each, near).float()
    rounded = mismatch(got, right, x, few, wrong=taken != channel, shape=(2, 5, 33))
    assert wrong_operands.of_another_number(rounded) is None  # its own, a little off
    off = (operator(each, few_exact[taken]) + 1000).float()
    assert wrong_operands.of_another_number(mismatch(off, right, x, few)) is None
