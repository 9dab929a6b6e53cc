"""Products of a batch, of which a matrix begins at the place of another."""

import pytest
import torch

from helpers.testing.patterns import wrong_batches
from tests.testing.mismatches import mismatch, random, said

A = random(4 * 2 * 7).mul(8).round().reshape(4, 2, 7)
B = random(4 * 7 * 5, 1).mul(8).round().reshape(4, 7, 5)
RIGHT = A.double() @ B.double()


def told(pattern, got):
    flat = got.float().reshape(-1)
    return pattern(mismatch(flat, RIGHT.reshape(-1), A, B, shape=(4, 2, 5)))


def test_the_step_of_a_batch_is_named():
    moved = B.double().reshape(-1).as_strided((4, 7, 5), (14, 5, 1))
    assert told(wrong_batches.strides, A.double() @ moved) == (
        "each matrix of input 2 is read 14 elements behind the one before it, and not 35 (7 "
        "rows of 5): is its place in the batch computed from the sides of another matrix?"
    )
    same = A.double()[:1].expand_as(A) @ B.double()
    assert "with the first matrix of input 1" in told(wrong_batches.strides, same)
    assert told(wrong_batches.strides, RIGHT + 1) is None


def test_the_step_of_a_batch_whose_second_matrix_comes_turned():
    """As of queries and keys, times a number."""
    keys = B.mT.contiguous()
    moved = keys.double().reshape(-1).as_strided((4, 5, 7), (14, 7, 1))
    got, right = ((A.double() @ x.mT * 0.5).reshape(-1) for x in (moved, keys.double()))
    m = mismatch(got.float(), right, A, keys, shape=(4, 2, 5))
    told = "each matrix of input 2 is read 14 elements behind the one before it, and not 35 (5 "
    assert wrong_batches.strides(m).startswith(told + "rows of 7)")


@pytest.mark.parametrize("step", [1, 2, 3])
@pytest.mark.parametrize("bias", [None, "columns", "rows"])
def test_a_sum_that_goes_on_in_a_later_matrix(step, bias):
    c = random({None: 1, "columns": 5, "rows": 2}[bias], 3).mul(8).round()
    added = {None: 0.0, "columns": c.double(), "rows": c.double()[:, None]}[bias]
    got = RIGHT.clone()
    for k in range(step, 4):
        got[k] += got[k - step]
    inputs = (A, B) if bias is None else (A, B, c)
    right = (RIGHT + added).reshape(-1)
    m = mismatch((got + added).float().reshape(-1), right, *inputs, shape=(4, 2, 5))
    which = "the matrix before it" if step == 1 else f"the one {step} before it"
    assert wrong_batches.goes_on(m).startswith(
        f"from matrix {step} of the batch on each has what was summed for {which} in it"
    )
    got[3] += 1
    m = mismatch((got + added).float().reshape(-1), right, *inputs, shape=(4, 2, 5))
    assert wrong_batches.goes_on(m) is None


def test_only_the_first_matrix_is_right():
    got = RIGHT.clone()
    got[1:] += 1
    assert "the first matrix of the batch is right" in told(wrong_batches.only_the_first, got)
    got[0, 0, 0] += 1
    assert told(wrong_batches.only_the_first, got) is None
    got = RIGHT.clone()
    got[1:, 1, 4] += 1
    assert told(wrong_batches.only_the_first, got) is None
    assert torch.equal(got[0], RIGHT[0])


def test_a_batch_of_which_only_the_first_matrix_is_taken():
    a, b = random(3 * 4 * 5).reshape(3, 4, 5), random(3 * 5 * 2, 1).reshape(3, 5, 2)
    got, right = (a @ b[:1]).reshape(-1), (a.double() @ b.double()).reshape(-1)
    sentence = said(got, right, a, b, shape=(3, 4, 2))
    assert "with the first matrix of input 2, and the others are left out" in sentence
