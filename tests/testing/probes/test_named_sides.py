"""Inputs that share some sides with the output: which element counts for which."""

from dataclasses import replace

import pytest
import torch

from helpers.run.signature import declarations
from helpers.testing.cases import Case
from helpers.testing.probes import named_sides
from tests.testing.conftest import FakeLauncher

CHANNELS = """\
extern "C" void fake(const float* x,      // [images, channels, hw]
                     const float* gamma,  // [channels]
                     float* out,          // [images, channels, hw]
                     int64_t images, int64_t channels, int64_t hw, cudaStream_t stream = 0) {}
"""
GATES = """\
extern "C" void fake(const float* x,  // [rows, 2, d]
                     float* out,      // [rows, d]
                     int64_t rows, int64_t d, cudaStream_t stream = 0) {}
"""


def told(text, right, made, *inputs, **more):
    """Ask of a kernel that makes one thing, where another is right."""

    def launch(launcher, *tensors, **arguments):
        tensors[-1].copy_(made(*tensors[:-1]))

    launcher = FakeLauncher(declarations(text, "fake.cu")["fake"], launch)
    case = Case("", inputs, (right(*inputs).double(),), dtypes=(torch.float32,))
    return named_sides.diagnose(launcher, replace(case, **more))


def by_channel(x, gamma):
    return x * gamma[:, None]


def by_last(x, gamma):
    return (x.flatten() * gamma[torch.arange(x.numel()) % len(gamma)]).view(x.shape)


def by_image(x, gamma):
    return x * gamma[torch.arange(len(x)) % len(gamma), None, None]


X, GAMMA = torch.arange(1.0, 43.0).reshape(2, 3, 7), torch.tensor([2.0, 3.0, 5.0])


@pytest.mark.parametrize("made", [by_last, by_image])
def test_a_number_of_another_channel(made):
    sentence = told(CHANNELS, by_channel, made, X, GAMMA)
    place = "0, 1, 2" if made is by_last else "0, 1, 0"
    assert sentence == (
        f"gamma[0] is counted for another element, out[{place}], whose index along channels is "
        "1, not 0: is the index of gamma another one (the step from row to row, a division, a "
        "remainder)?"
    )


@pytest.mark.parametrize(
    "made",
    [
        lambda x, gamma: x * gamma[:, None] + 1,  # another fault
        lambda x, gamma: x * gamma.sum(),  # each counts everywhere, and may have to
        lambda x, gamma: x + 0 * gamma[:, None],
    ],
)
def test_where_no_number_is_elsewhere(made):
    assert told(CHANNELS, by_channel, made, X, GAMMA) is None


def test_a_row_that_starts_too_early():
    x = torch.arange(1.0, 31.0).reshape(3, 2, 5)

    def gated(x):
        return x[:, 0] * x[:, 1]

    def early(x):
        d = x.shape[-1]
        rows = x.flatten().unfold(0, 2 * d, d)[: len(x)]
        return rows[:, :d] * rows[:, d:]

    assert told(GATES, gated, early, x).startswith(
        "x[0, 1, 0] is counted for another element, out[1, 0], whose index along rows is 1, not"
    )
    assert told(GATES, gated, lambda x: gated(x) + 1, x) is None
    assert told(GATES, gated, early, x, reference=gated) is None
    assert told(GATES, gated, early, torch.ones(30, 2, 30)) is None  # too many to ask for
    assert told(GATES, gated, lambda x: gated(x.softmax(-1)), x) is None  # of a whole row
