"""Make wrong outputs for the tests of what is said of them."""

import torch

from helpers.testing.diagnosis import diagnose
from helpers.testing.mismatch import Mismatch

POISON = 0x7FC0DEAD


def doubles(values):
    """Return numbers as a float64 tensor."""
    return torch.as_tensor(values).double()


def mismatch(got, expected, *inputs, wrong=None, poison=POISON, reference=None, shape=()):
    """Return a Mismatch; wrong: by default the elements that differ, NaN from NaN apart."""
    got, expected = torch.as_tensor(got), doubles(expected)
    if wrong is None:
        same = got.double() == expected
        wrong = ~(same | (got.isnan() & expected.isnan()))
    wrong = torch.as_tensor(wrong)
    return Mismatch(got, expected, wrong, inputs, poison, reference, shape)


def random(n, seed=0):
    """Draw n normal numbers."""
    return torch.randn(n, generator=torch.Generator().manual_seed(seed))


def said(*args, **options):
    """Return what `diagnose` says, which must be specific."""
    answer = diagnose(mismatch(*args, **options))
    assert answer.specific
    return answer.sentence
