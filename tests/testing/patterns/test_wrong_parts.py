"""A function that is taken of what threads have added up, in the place of each element."""

import pytest
import torch

from helpers.testing.patterns import wrong_parts
from tests.testing.mismatches import mismatch, random, said

X, Y = random(500), random(500, 1)


def threads(x, step=128):
    """Return what each of so many threads adds up."""
    return torch.nn.functional.pad(x, (0, -len(x) % step)).reshape(-1, step).sum(0)


def groups(x, size=32):
    return torch.nn.functional.pad(x, (0, -len(x) % size)).reshape(-1, size).sum(1)


def told(made, right, *inputs):
    got, right = (torch.as_tensor(y).double().reshape(1) for y in (made, right))
    return wrong_parts.of_sums(mismatch(got.float(), right, *inputs, shape=(1,)))


def test_squares_of_what_threads_add_up():
    x, words = X.double(), "it fits if x * x is taken of what elements 128 apart add up to"
    squares = threads(x).square().sum()
    assert told(squares, x.square().sum(), X).startswith(words)
    assert told(squares / 500, x.square().mean(), X).startswith(words)
    assert told(squares.sqrt(), x.square().sum().sqrt(), X).startswith(words)
    assert said(squares.float().reshape(1), x.square().sum().reshape(1), X, shape=(1,))
    of_groups = told(groups(x).square().sum(), x.square().sum(), X)
    assert of_groups.startswith("it fits if x * x is taken of what groups of 32 elements add")
    whole = told(x.sum().square(), x.square().sum(), X)
    assert whole.startswith("it fits if x * x is taken of the sum of all, and not of each")


def test_0_fits_any_numbers_that_add_up_to_it():
    x = torch.tensor([-2.0, -1.0, 0.0, 1.0, 2.0])
    assert told(x.sum().square(), x.square().sum(), x) is None
    assert told(1 + x.sum().square(), x.square().sum(), x) is None


def test_other_functions_of_what_threads_add_up():
    x, y = X.double(), Y.double()
    off = x - y
    sizes = told(threads(off).abs().sum(), off.abs().sum(), X, Y)
    assert sizes.startswith("it fits if |x| is taken of what elements 128 apart")
    products = told((threads(x) * threads(y)).sum(), x @ y, X, Y)
    assert products.startswith("it fits if x * y is taken of what elements 128 apart")
    alike = torch.full((40,), 2.0)  # of one sign the size of any sum is that of its parts
    assert told(80.0, 80.0 * 1.01, alike) is None


@pytest.mark.parametrize("by", [1.001, 0.5, 1 + 2.0**-22])
def test_another_factor_is_no_part(by):
    right = X.double().square().sum()
    assert told(by * right, right, X) is None
    assert told(threads(X.double()).square().sum(), 3.7 * right, X) is None
