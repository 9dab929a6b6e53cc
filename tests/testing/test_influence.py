"""Which elements of an input have an effect on any output."""

import torch

from helpers.testing import influence
from helpers.testing.cases import Case


def told(fake_launcher, kernel, x, y=None):
    def launch(launcher, *tensors, **arguments):
        tensors[-1].copy_(kernel(*tensors[:-1]))

    inputs = (x,) if y is None else (x, y)
    names = ", ".join(["float x", "float y"][: len(inputs)])
    launcher = fake_launcher(names, "float out", launch)
    right = kernel(*inputs).double()
    return influence.diagnose(
        launcher, Case("a case", inputs, (right,), dtypes=(torch.float32,))
    )


def test_elements_without_an_effect_are_named(fake_launcher):
    x = torch.arange(24.0).reshape(4, 6)
    sentence = told(fake_launcher, lambda x: x[:3].sum(0), x)
    assert sentence.startswith("6 of 24 elements of x have no effect on any output, the first")
    assert "is x[18]: left out" in sentence
    rows = torch.arange(60.0).reshape(3, 20)  # of which each begins 7 elements behind the last
    sentence = told(fake_launcher, lambda x: x.view(-1)[:34].unfold(0, 20, 7).sum(1), rows)
    assert "those from x[34] on: is the step from row to row the number of columns" in sentence
    weights = told(fake_launcher, lambda x, w: x.sum(0) * w[:4].sum(), x, torch.ones(5))
    assert weights.startswith("1 of 5 elements of y have no effect")


def test_what_need_not_count_is_not_named(fake_launcher):
    x = torch.arange(24.0).reshape(4, 6)
    assert told(fake_launcher, lambda x: x.sum(0), x) is None
    assert told(fake_launcher, lambda x: x.amax(0), x) is None  # each is tried as the largest
    assert told(fake_launcher, lambda x: x[:1].sum(0), x) is None  # most do not count
    assert told(fake_launcher, lambda x: x.cumsum(1) - x, x) is None  # the last of each row
    ids = torch.tensor([2, 0], dtype=torch.int32)
    assert told(fake_launcher, lambda x, ids: x[ids.long()], x, ids) is None
