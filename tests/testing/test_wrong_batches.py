"""Products of a batch, of which a matrix begins at the place of another."""

import torch

from helpers.testing import wrong_batches
from tests.testing.mismatches import mismatch, random

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
    assert "input 1 is read 0 elements" in told(wrong_batches.strides, same)
    assert told(wrong_batches.strides, RIGHT + 1) is None


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
