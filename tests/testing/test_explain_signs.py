"""Integers read without their sign, or with one that they have not, are named."""

import torch

from helpers.testing.cases import Case
from helpers.testing.experiment import Experiment
from helpers.testing.explain_signs import read_as_another_sign
from helpers.testing.mismatch import Diagnosis
from helpers.testing.run_case import ROUNDS, Failure

BY = torch.arange(1.0, 257.0)  # each result has a factor of its own


def told(fake_launcher, x, kernel, **told):
    def launch(launcher, x, out, **arguments):
        out.copy_(kernel(x))

    case = Case("a case", (x,), (BY.double() * x.double() - 5,), dtypes=(torch.float32,))
    failure = Failure(case, ROUNDS[0], diagnosis=Diagnosis("a fault", **told))
    launcher = fake_launcher("int8_t x", "float out", launch)
    return read_as_another_sign(Experiment(launcher, failure, []))


def test_without_a_sign_and_with_one(fake_launcher):
    x = torch.arange(-128, 128).to(torch.int8)
    answer = told(fake_launcher, x, lambda x: BY * x.view(torch.uint8) - 5, specific=False)
    assert answer.sentence == (
        "each wrong result is off by what the negative numbers of x make if 256 is added to "
        "each: are they read without their sign, as of uint8_t (unsigned char), whose range is "
        "0 to 255?"
    )
    y = x.view(torch.uint8)
    answer = told(fake_launcher, y, lambda y: BY * y.view(torch.int8) - 5, numbers=True)
    assert "the numbers from 128 on of x" in answer.sentence
    assert "whose range is -128 to 127?" in answer.sentence


def test_another_fault(fake_launcher):
    x = torch.arange(-128, 128).to(torch.int8)
    assert told(fake_launcher, x, lambda x: BY * x.float().abs() - 5, specific=False) is None
    assert told(fake_launcher, x, lambda x: BY * x.view(torch.uint8) - 5) is None  # it is known
