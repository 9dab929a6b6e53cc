"""Results of another well-known function than the one that is asked for."""

import itertools

import pytest
import torch

from helpers.testing import wrong_functions
from helpers.testing.diagnosis import diagnose
from helpers.testing.wrong_functions import FUNCTIONS
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
