"""Launchers that multiply matrices: which products count, and where they read."""

import pytest
import torch

from helpers.testing import products
from helpers.testing.cases import Case


@pytest.fixture
def said(fake_launcher):
    """Diagnose a Python function (a, b) -> c."""

    def of(kernel, m=3, n=5, k=7, function=torch.matmul):
        def launch(launcher, a, b, c, **arguments):
            c.copy_(kernel(a, b))

        launcher = fake_launcher("float a, float b", "float c", launch)
        a, b = torch.ones(m, k), torch.ones(k, n)
        exact = (torch.full((m, n), float(k), dtype=torch.float64),)
        case = Case("", (a, b), exact, dtypes=(torch.float32,), function=function)
        return products.diagnose(launcher, case)

    return of


@pytest.mark.parametrize("sides", [(1, 1, 1), (3, 5, 7), (5, 3, 7), (2, 2, 300)])
def test_nothing_is_said_of_a_right_one(said, sides):
    assert said(torch.matmul, *sides) is None


def test_products_that_are_left_out(said):
    assert said(lambda a, b: a[:, :-1] @ b[:-1]) == (
        "1 of 7 products of a sum are left out, the first with k = 6: does the loop go over "
        "all of them?"
    )
    half = said(lambda a, b: a[:, :150] @ b[:150], 2, 2, 300)
    assert half.startswith(
        "64 of 129 tried products of a sum are left out, the first with k = 15"
    )


def test_products_that_are_taken_twice(said):
    assert said(lambda a, b: a @ b + a[:, 2:3] @ b[2:3]) == (
        "the product with k = 2 is taken more than once in a sum"
    )


def test_a_matrix_that_is_read_along_the_other_side(said):
    other_b = said(lambda a, b: a @ b.reshape(b.shape[1], b.shape[0]).T)
    assert other_b.startswith("with one 1 in the other matrix, c should hold a row of b, and")
    assert other_b.endswith(
        "do rows and columns change places? b[row, column] is at row * n + column"
    )
    other_a = said(lambda a, b: a.reshape(a.shape[1], a.shape[0]).T @ b)
    assert "rows and columns change places?" in other_a


def test_a_narrow_product(said):
    sentence = said(lambda a, b: a.half().float() @ b)
    assert sentence == (
        "0.7 * 1 makes 0.70019531: is it computed or rounded in a narrower precision?"
    )


def test_only_products_of_small_matrices_are_asked(said):
    assert said(lambda a, b: 0 * (a @ b), function=None) is None
    assert said(lambda a, b: a[:, 1:] @ b[1:], 300, 300, 2) is None
    assert said(lambda a, b: a[:, 1:] @ b[1:], 256, 256, 2) is not None
