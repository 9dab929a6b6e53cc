"""Inputs, or halves of a row, that must change places."""

import torch

from helpers.testing.cases import Case
from helpers.testing.experiment import Experiment
from helpers.testing.experiments import rearranged
from helpers.testing.mismatch import Diagnosis
from helpers.testing.run_case import ROUNDS, Failure


def told(fake_launcher, kernel, right, *inputs, reference=None, later=(), tried=False):
    def launch(launcher, *tensors, **arguments):
        tensors[-1].copy_(kernel(*tensors[:-1]))

    names = ", ".join(f"float {name}" for name in "xyz"[: len(inputs)])
    launcher = fake_launcher(names, "float out", launch)
    case, *following = (
        Case("a case", some, (right(*some).double(),), dtypes=FLOAT, reference=reference)
        for some in (inputs, *later)
    )
    failure = Failure(case, ROUNDS[0], Diagnosis("wrong", specific=False))
    how = {"tried" if tried else "following": following}
    return rearranged.diagnose(Experiment(launcher, failure, (), **how))


FLOAT = (torch.float32,)
X = torch.arange(1.0, 25).reshape(4, 6)
A, B = torch.arange(1.0, 7), torch.arange(3.0, 9)


def test_two_inputs_of_one_shape(fake_launcher):
    sentence = told(
        fake_launcher, lambda x, a, b: x * b + a, lambda x, a, b: x * a + b, X, A, B
    )
    assert sentence == "right if the inputs y and z change places: are they swapped?"


def test_the_halves_of_a_row_and_its_neighbours(fake_launcher):
    def gated(x):
        return x[:, :3] - 2 * x[:, 3:]

    sentence = told(fake_launcher, lambda x: gated(x.roll(3, 1)), gated, X)
    assert (
        sentence == "right if the two halves of each row of x change places: are they swapped?"
    )

    def pairs(x):
        return x[:, ::2] - 2 * x[:, 1::2]

    sentence = told(
        fake_launcher, lambda x: pairs(x.reshape(-1, 2).flip(1).reshape(4, 6)), pairs, X
    )
    assert "right if each two neighbours in the rows of x change places" in sentence


def test_what_no_exchange_mends(fake_launcher):
    def right(x, a, b):
        return x * a + b

    assert told(fake_launcher, lambda x, a, b: x * a - b, right, X, A, B) is None
    assert told(fake_launcher, lambda x, a, b: x * b + a, right, X, A, A) is None  # alike
    other = (lambda x, a, b: x * b + a, right, X, A, B)
    assert told(fake_launcher, *other, reference=right) is None  # of a known operator


def test_a_maximum_is_moved_to_where_it_counts(fake_launcher):
    x = torch.tensor([[1.0, 2, 3, 9, 8, 7]])

    def first_half(x):
        return x[:, :3].amax(1)

    assert told(fake_launcher, first_half, lambda x: x.amax(1), x) is None
    summed = told(fake_launcher, lambda x: x[:, :3].sum(1), lambda x: x[:, 3:].sum(1), x)
    assert summed.startswith("right if the two halves of each row of x change places")


def test_an_exchange_must_mend_later_cases(fake_launcher):
    """Of rows of one element the mean is the element: x - mean is 0 where the other is 0."""

    def right(x, y):
        return 8 * (x + y - (x + y).mean(1, keepdim=True))

    def of_input(x, y):
        return 8 * (x - (x + y).mean(1, keepdim=True))

    first, later = (torch.zeros(2, 1), torch.tensor([[2.0], [3.0]])), (X, X * X)
    assert "the inputs x and y" in told(fake_launcher, of_input, right, *first)
    assert told(fake_launcher, of_input, right, *first, later=[later]) is None
    assert told(fake_launcher, of_input, right, *first, later=[later], tried=True) is None

    def less(x, y):
        return x - 2 * y

    swapped = (fake_launcher, lambda x, y: less(y, x), less, A, B)
    assert "x and y change places" in told(*swapped, later=[(B, A), (A, A), (A, A + B)])


def test_one_number_may_be_right_by_chance(fake_launcher):
    """An exchange that mends many cases of one number must mend one of several, too."""

    def right(a, b):
        return a * b

    ones = [(torch.tensor([2.0]), torch.tensor([k])) for k in (1.0, 3.0, 5.0, 4.0, 6.0)]

    def swapped(a, b):
        return right(a, b) - (a < b).float()

    said = told(fake_launcher, swapped, right, *ones[1], later=ones[2:])
    assert said == "right if the inputs x and y change places: are they swapped?"
    some = (torch.tensor([2.0, 9.0]), torch.tensor([4.0, 10.0]))
    assert told(fake_launcher, swapped, right, *ones[1], later=[*ones[2:], some]) is not None

    def of_several(a, b):
        return right(a, b) - ((a < b).float() if len(a) == 1 else 1.0)

    assert told(fake_launcher, of_several, right, *ones[1], later=[*ones[2:] * 2, some]) is None
