"""Integers read without their sign, or with one that they have not, are named."""

from dataclasses import replace

import torch

from helpers.testing.cases import Case
from helpers.testing.experiment import Experiment
from helpers.testing.experiments.explain_signs import (
    read_as_another_sign,
    right_of_small_numbers,
    searched_without_sign,
)
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


def told_of_bytes(fake_launcher, kernel, numbers, right=lambda x: x.amax(1)):
    def launch(launcher, x, out, **arguments):
        out.copy_(kernel(x))

    cases = [
        Case("some rows", (x,), (right(x).double(),), dtypes=(torch.uint8,)) for x in numbers
    ]
    told = Diagnosis("all are alike", constant=True)
    failure = Failure(cases[-1], ROUNDS[0], diagnosis=told)
    launcher = fake_launcher("uint8_t x", "uint8_t out", launch)
    return right_of_small_numbers(Experiment(launcher, failure, cases[:-1]))


def test_bytes_that_are_compared_with_a_sign(fake_launcher):
    small = [torch.arange(k, k + 24).reshape(4, 6).to(torch.uint8) for k in (1, 40, 90)]
    large = [x + 128 for x in small]

    def signed(x):
        return x.view(torch.int8).amax(1).clamp(min=-1).view(torch.uint8)

    answer = told_of_bytes(fake_launcher, signed, [*small, *large])
    assert answer.sentence.startswith("right where all numbers are below 128, and wrong where")
    assert told_of_bytes(fake_launcher, signed, [*small, large[0]]) is None  # too few
    assert told_of_bytes(fake_launcher, lambda x: x.amin(1), [*small, *large]) is None

    def doubled(x):
        return 3 * x.float().amax(1)

    def too_large(x):
        return doubled(x).clamp(max=300)

    assert told_of_bytes(fake_launcher, too_large, [*small, *large], doubled) is None


def told_of_a_search(fake_launcher, kernel, numbers, output_first=False):
    """Say of the least price of what is left that it goes wrong."""

    def least(price, left):
        return price[left > 0].min().reshape(1)

    def launch(launcher, *tensors, **arguments):
        out, price, left = tensors if output_first else (tensors[2], *tensors[:2])
        out.copy_(kernel(price, left))

    cases = [
        Case("a search", (x, left), (least(x, left).double(),), dtypes=(torch.int32,))
        for x in numbers
        for left in (torch.ones(len(x)).int(), (torch.arange(len(x)) % 3 > 0).int())
    ]
    failure = Failure(cases[0], ROUNDS[0], diagnosis=Diagnosis("it is wrong", specific=False))
    launcher = fake_launcher("int price, int left", "int out", launch)
    if output_first:
        *inputs, output = launcher.declaration.tensors
        parameters = (output, *inputs)
        launcher.declaration = replace(launcher.declaration, parameters=parameters)
    return searched_without_sign(Experiment(launcher, failure, [], following=cases[1:]))


def test_integers_that_are_compared_without_their_sign(fake_launcher):
    def unsigned(price, left):
        return (price[left > 0].long() % 2**32).min().int().reshape(1)

    def from_zero(price, left):
        return price[left > 0].min().clamp(max=0).reshape(1)

    mixed = [torch.arange(k, k + 40, dtype=torch.int32) for k in (-9, -20, -30)]
    one_sign = [torch.arange(k, k + 9, dtype=torch.int32) for k in (-50, 3, 80)]
    said = told_of_a_search(fake_launcher, unsigned, [*mixed, *one_sign])
    assert (
        "some of price are negative and others not: are they compared without" in said.sentence
    )
    turned = told_of_a_search(fake_launcher, unsigned, [*mixed, *one_sign], output_first=True)
    assert turned == said  # which names the input, wherever it stands
    assert told_of_a_search(fake_launcher, unsigned, mixed) is None  # and none is right
    assert told_of_a_search(fake_launcher, from_zero, [*one_sign[1:], *mixed]) is None


def test_packs_without_a_sign_beside_a_tail_that_has_one(fake_launcher):
    """Of one factor for all, and the last elements, which are left of packs, are right."""

    def launch(launcher, x, out, **arguments):
        out.copy_(0.5 * torch.cat([x[:32].view(torch.uint8).float(), x[32:].float()]))

    x = (torch.arange(35) * 37 % 251 - 125).to(torch.int8)
    case = Case("a case", (x,), (0.5 * x.double(),), dtypes=(torch.float32,))
    launcher = fake_launcher("int8_t x", "float out", launch)

    def asked(case):
        failure = Failure(case, ROUNDS[0], diagnosis=Diagnosis("a fault", specific=False))
        return read_as_another_sign(Experiment(launcher, failure, []))

    assert "if 256 is added to each: are they read without their sign" in asked(case).sentence
    few = replace(case, inputs=(x[:3],), expected=(0.5 * x[:3].double(),))
    assert asked(few) is None  # of three numbers it may be by chance
