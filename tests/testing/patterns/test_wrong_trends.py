"""Errors that follow an input, or two together, are those of another formula of these."""

import torch

from helpers.testing.patterns import wrong_trends
from tests.testing.mismatches import mismatch, random, said

X, BIAS, REST = random(320).reshape(16, 20), random(20, 1), random(320, 2).reshape(16, 20)


def gelu(h, factor):
    return 0.5 * h * (1 + torch.tanh(0.7978845608 * (h + factor * h**3)))


def told(got, right, *inputs, shape=(16, 20)):
    m = mismatch(got.float().flatten(), right.flatten(), *inputs, shape=shape)
    return wrong_trends.follows(m)


def test_an_error_that_follows_inputs():
    x, bias, rest = X.double(), BIAS.double(), REST.double()
    of_x = told(gelu(x, 0.44) + rest, gelu(x, 0.044715) + rest, X, REST)
    assert of_x.startswith("by how much each element is off follows input 1, whatever else")
    h = x + bias
    of_sum = told(gelu(h, 0.44) + rest, gelu(h, 0.044715) + rest, X, BIAS, REST)
    assert of_sum.startswith("by how much each element is off follows the sum of input 1 and")
    product = told(torch.tanh(x * rest), torch.tanh(x * rest / 2), X, REST)
    assert "follows the product of input 1 and input 2" in product
    got, right = (gelu(h, by) + rest for by in (0.44, 0.044715))
    assert "follows the sum" in said(
        got.float().flatten(), right.flatten(), X, BIAS, REST, shape=(16, 20)
    )


def test_an_error_that_follows_nothing():
    x, rest = X.double(), REST.double()
    assert told(x + rest.roll(1), x + rest, X, REST) is None
    softmax = x.softmax(dim=1)
    assert told(softmax * (1 + rest), softmax, X, BIAS) is None
    assert told(x.tanh(), x, X) is None  # which says nothing of an only input
    one = x.reshape(1, 320)  # of one row, what it is divided by is the same for all
    assert told(one.exp(), one.softmax(dim=1), X.reshape(1, 320), BIAS, shape=(1, 320)) is None
    line = torch.linspace(-1, 1, 320).reshape(16, 20)  # where an element is tells as much
    made = line.double() + line.double().square()
    assert told(made, line.double(), line, BIAS) is None
