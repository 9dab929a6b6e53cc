"""A variance is asked of long arrays and rows: is it that within the parts of threads?"""

import pytest
import torch

from helpers.testing.cases import Case
from helpers.testing.experiment import Experiment
from helpers.testing.experiments.explain_variances import variance_of_parts
from helpers.testing.mismatch import Diagnosis
from helpers.testing.run_case import ROUNDS, Failure

VAGUE = Diagnosis("it is wrong", specific=False)


def told(fake_launcher, kernel, shape, right, was=VAGUE):
    def launch(launcher, x, out, **arguments):
        out.copy_(kernel(x.double()))

    x = torch.arange(shape.numel()).mul(7).remainder(31).float().reshape(shape)
    case = Case("a case", (x,), (right(x.double()),), dtypes=(torch.float32,))
    launcher = fake_launcher("float x", "float out", launch)
    found = variance_of_parts(Experiment(launcher, Failure(case, ROUNDS[0], was), []))
    return found and found.sentence


def within(x, width, step, less):
    part = torch.arange(x.shape[-1]) // step % width
    some = [x[..., part == k] for k in range(width) if bool((part == k).any())]
    off = sum((own - own.mean(-1, keepdim=True)).square().sum(-1) for own in some)
    return (off / (x.shape[-1] - less)).reshape(x.shape[:-1] or 1)


@pytest.mark.parametrize("shape", [(100,), (3, 70)])
@pytest.mark.parametrize("less", [0, 1])
def test_a_variance_within_parts(fake_launcher, less, shape):
    shape = torch.Size(shape)

    def variance(x):
        return x.var(-1, correction=less).reshape(shape[:-1] or 1)

    for width, step, whose in ((64, 1, "64 threads"), (4, 32, "4 warps")):

        def kernel(x, width=width, step=step):
            return within(x, width, step, less)

        words = f"each result is the variance within {width} parts, as those of {whose}, each"
        assert told(fake_launcher, kernel, shape, variance).startswith(words)
        assert told(fake_launcher, kernel, shape, variance, Diagnosis("a copy")) is None
        assert told(fake_launcher, kernel, shape, lambda x: variance(x) + 1) is None
    for other in (variance, lambda x: variance(x) + 1, lambda x: 0.5 * variance(x)):
        assert told(fake_launcher, other, shape, variance) is None
