"""Formulas of two inputs: which one came out, and which one is right."""

from dataclasses import replace

import pytest
import torch

from helpers.testing.patterns import wrong_terms
from tests.testing.mismatches import mismatch, random

A = random(240, 1).reshape(8, 30)
ROW, COLUMN = random(30, 2).abs() + 0.1, random(8, 3)
A64, R64, C64 = A.double(), ROW.double(), COLUMN.double()
SUM = "the sum of input 1 * input 2 over a row"


def told(got, right, *inputs):
    got, right = torch.as_tensor(got), torch.as_tensor(right)
    m = mismatch(got.float().flatten(), right.flatten(), *inputs, shape=tuple(right.shape))
    return wrong_terms.terms(m)


@pytest.mark.parametrize(
    ("got", "words"),
    [
        ((A64 * R64).sum(1), SUM),
        ((A64 * R64).mean(1), f"{SUM}, divided by n"),
        ((A64 * R64.roll(-1)).sum(1) / R64.sum(), "input 1 * input 2 at index i + 1"),
        ((A64 * R64[0]).sum(1) / R64.sum(), "input 1 * input 2 at index 0"),
        ((A64 + R64).sum(1) / R64.sum(), "the sum of input 1 + input 2 over a row, divided by"),
        (A64.sum(1) / R64.sum(), "the sum of input 1 over a row, divided by the sum"),
        ((A64 * R64 * R64).sum(1) / R64.sum(), "input 1 * input 2 * input 2"),
        ((A64 * R64).amax(1), "the largest input 1 * input 2 over a row"),
    ],
)
def test_rows_with_weights(got, words):
    right = (A64 * R64).sum(1) / R64.sum()
    sentence = told(got, right, A, ROW)
    assert sentence.startswith("each result is ") and words in sentence
    assert sentence.endswith(f"not {SUM}, divided by the sum of input 2: is the formula "
                             "another one?")  # fmt: skip


@pytest.mark.parametrize(
    ("got", "words"),
    [
        (A64 + R64, "input 1 + input 2[column],"),
        ((A64 - R64).clamp(min=0), "the larger of input 1 - input 2[column] and 0,"),
        (A64.clamp(min=0) + R64, "the larger of input 1 and 0, + input 2[column],"),
        (A64.clamp(min=0), "the larger of input 1 and 0,"),
    ],
)
def test_a_row_beside_a_matrix(got, words):
    right = (A64 + R64).clamp(min=0)
    assert told(got, right, A, ROW) == (
        f"each result is {words} not the larger of input 1 + input 2[column] and 0: is the "
        "formula another one?"
    )


def test_an_outer_product():
    right = torch.outer(C64, R64)
    assert "input 1[row] + input 2[column]" in told(C64[:, None] + R64, right, COLUMN, ROW)
    assert "input 1[0] * input 2[column]" in told(
        (C64[0] * R64).expand(8, 30), right, COLUMN, ROW
    )


def test_one_number_of_two_arrays():
    a, b = A.flatten(), random(240, 5)
    right = (a.double() * b.double()).sum().reshape(1)
    got = a.double().square().sum().reshape(1)
    assert told(got, right, a, b) == (
        "the result is the sum of input 1 * input 1, not the sum of input 1 * input 2: is the "
        "formula another one?"
    )


def test_what_no_formula_tells():
    right = (A64 * R64).sum(1)
    assert told(right + 1, right, A, ROW) is None
    assert told(A64.sum(1), right.exp(), A, ROW) is None
    assert told(A64.sum(1), right, A) is None  # of one input
    assert told(A64[:2].sum(1), right[:2], A[:2], ROW) is None  # of two numbers
    small = A[:, :3].contiguous()
    assert (
        told(small.double().sum(1), (small.double() * R64[:3]).sum(1), small, ROW[:3]) is None
    )
    constant = torch.zeros(8, dtype=torch.float64)
    assert told(right, constant, A, ROW) is None


INDEX = torch.randint(0, 300, (500,), generator=torch.Generator().manual_seed(4))
X = random(300, 6)


@pytest.mark.parametrize(
    ("place", "words"),
    [
        (torch.arange(500), "x[i], with no use of the index,"),
        (INDEX + 1, "x[index[i] + 1],"),
        (299 - INDEX, "x[n - 1 - index[i]], from the end,"),
        (INDEX.roll(-1), "x[index[i + 1]],"),
        (INDEX[torch.arange(500) % 128], "x[index[i % 128]], of 128 threads,"),
        (INDEX % 256, "x[index[i] % 2^8], as in a type that is too narrow,"),
    ],
)
def test_a_gather_that_reads_elsewhere(place, words):
    m = mismatch(X[place % 300], X[INDEX], X, INDEX.int())
    assert wrong_terms.gathered(m) == (
        f"each element is {words} not x[index[i]]: is the formula of the index wrong?"
    )


def test_what_is_no_gather():
    m = mismatch(X[INDEX] + 1, X[INDEX], X, INDEX.int())
    assert wrong_terms.gathered(m) is None
    m = mismatch(X[INDEX + 1 - 1], 2 * X[INDEX], X, INDEX.int())
    assert wrong_terms.gathered(m) is None
    m = mismatch(X[INDEX], X[INDEX] + 1, X, INDEX.int() + 300)
    assert wrong_terms.gathered(m) is None  # the index is another thing


def test_zeros_are_no_other_formula():
    """The root of a negative sum is 0, as many other formulas are."""
    x = torch.tensor([-3.0])
    right = (A64[:, :1] * x).sum(1)
    assert told(0 * right, right, A[:, :1], x) is None


def test_a_row_that_is_read_at_another_index():
    right = (A64 + R64).clamp(min=0)
    assert told((A64 + R64[0]).clamp(min=0), right, A, ROW) == (
        "each result is the larger of input 1 + input 2[0] and 0, not the larger of input 1 + "
        "input 2[column] and 0: is the index of input 2 another one, so that each is counted "
        "for another?"
    )


def test_integers_have_formulas_too():
    a, b = (100 * A).round().int(), (90 * ROW).round().int() + torch.arange(30).int()
    got, right = a.long() + b[:8].long()[:, None], (a.long() + b.long()).double()

    def of(x, *inputs):
        m = mismatch(x.flatten(), right.flatten(), *inputs, shape=(8, 30))
        return wrong_terms.terms(m)

    assert of(got, a, b).startswith("each result is input 1 + input 2[row], not input 1 + ")
    assert of(got + 1, a, b) is None
    assert of(got, a.float(), b) is None  # an integer beside a float is perhaps an index
    assert of(right > got, a, b) is None


def test_a_bias_that_is_added_for_each_tile():
    x, bias = random(60).reshape(6, 10).double(), random(10, 1).double()
    right, got = (x + bias).clamp(min=0), (x + 3 * bias).clamp(min=0)
    m = mismatch(got.float().flatten(), right.flatten(), random(6), bias.float(), shape=(6, 10))
    words = "input 2, one number a column, is added 3 times to the results that are not 0"
    assert wrong_terms.added_often(m).startswith(words)
    assert wrong_terms.added_often(replace(m, inputs=(random(6), bias.flip(0).float()))) is None
    rows = mismatch(
        got.T.float().flatten(), right.T.flatten(), bias.float(), random(6), shape=(10, 6)
    )
    assert wrong_terms.added_often(rows).startswith(
        "input 1, one number a row, is added 3 times"
    )
    other = mismatch((2 * x).clamp(min=0).float().flatten(), right.flatten(), bias.float())
    assert wrong_terms.added_often(replace(other, shape=(6, 10))) is None


def test_a_bias_that_some_results_lack():
    x, bias = random(60).reshape(6, 10).double(), random(10, 1).double()
    right = x + bias
    got, lacks = right.clone(), (torch.arange(60) >= 30)
    got[3:] = x[3:]
    how = {"shape": (6, 10), "wrong": lacks}
    m = mismatch(got.float().flatten(), right.flatten(), random(6), bias.float(), **how)
    told = wrong_terms.added_often(m)
    assert told.startswith("each wrong result lacks input 2, one number a column: is it left")
    none = mismatch(
        x.float().flatten(), right.flatten(), random(6), bias.float(), shape=(6, 10)
    )
    assert wrong_terms.added_often(none) is None  # of all: the formula is another one
