"""Results of another well-known function than the one that is asked for."""

import itertools

import pytest
import torch

from helpers.testing.diagnosis import diagnose
from helpers.testing.patterns import wrong_functions
from helpers.testing.patterns.wrong_functions import FUNCTIONS
from tests.testing.mismatches import mismatch, random

X = 2 * random(90, 1)
PAIRS = [pair for functions in FUNCTIONS for pair in itertools.permutations(functions, 2)]


def wrong_of(got, right, *inputs):
    """Return the mismatch of a function in float64, rounded once."""
    exact = right(*[x.double() for x in inputs])
    wrong = got != exact.to(got.dtype)
    return mismatch(got, exact, *inputs, wrong=wrong)


def told(got, right, *inputs):
    return wrong_functions.another(wrong_of(got, right, *inputs))


@pytest.mark.parametrize("dtype", [torch.float32, torch.float16, torch.bfloat16])
@pytest.mark.parametrize(("right", "made"), PAIRS)
def test_another_function_is_named(right, made, dtype):
    x = X.to(dtype)
    got = made[1](x.double()).to(dtype)
    words = f"the results are those of {made[0]}, not of {right[0]}: take the formula that"
    assert told(got, right[1], x).startswith(words)


def test_of_a_gate_the_input_is_named():
    (_, gelu), (_, tanh) = FUNCTIONS[0][:2]
    gate = 2 * random(90, 2)
    got = (X.double() * tanh(gate.double())).float()
    sentence = told(got, lambda x, y: x * gelu(y), X, gate)
    assert "of gelu with erf (x is input 2): take the formula" in sentence


def test_every_element_must_be_of_the_other_function():
    (_, gelu), (_, tanh) = FUNCTIONS[0][:2]
    got = tanh(X.double()).float()
    answer = diagnose(wrong_of(got, gelu, X))
    assert answer.specific and answer.sentence.startswith("the results are those of the appr")
    got[5] += 0.01
    assert told(got, gelu, X) is None
    assert told(gelu(X.double()).float(), gelu, X) is None
    assert told(X, torch.exp, X) is None
    few = X[:5]
    assert told(tanh(few.double()).float(), gelu, few) is None


@pytest.mark.parametrize("dtype", [torch.float32, torch.float16])
@pytest.mark.parametrize("before", [True, False])
def test_an_input_that_is_added_before_a_function_or_behind_is_named(before, dtype):
    x, y = X.to(dtype), random(90, 3).to(dtype)
    for _, function in (*FUNCTIONS[0], ("", torch.relu)):

        def first(a, b, of=function):
            return of(a + b)

        def last(a, b, of=function):
            return of(a) + b

        made, right = (first, last) if before else (last, first)
        got = made(x.double(), y.double()).to(dtype)
        found = wrong_of(got, right, x, y)
        which = "is f(input 1 + input 2)" if before else "is f(input 1) + input 2,"
        where = "input 2 added " + ("before" if before else "behind")
        sentence = wrong_functions.other_order(found)
        assert which in sentence and where in sentence
        if dtype is torch.float32 and function is not torch.relu:  # of which another tells
            assert diagnose(found).sentence == sentence
    got = made(y.double(), x.double()).to(dtype)
    swapped = wrong_of(got, lambda a, b: right(b, a), x, y)
    assert "with input 1 added" in wrong_functions.other_order(swapped)


def test_of_another_order_every_element_must_be():
    (_, gelu), y = FUNCTIONS[0][1], random(90, 3)
    got = gelu(X.double() + y).float()

    def right(a, b):
        return gelu(a) + b

    wrong = got.clone()
    wrong[7] += 0.01
    assert wrong_functions.other_order(wrong_of(wrong, right, X, y)) is None
    assert wrong_functions.other_order(wrong_of(got[:5], right, X[:5], y[:5])) is None
    assert wrong_functions.other_order(wrong_of(got, lambda a, b: a - b, X, y)) is None
