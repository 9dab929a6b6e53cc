"""Where a number counts that stands alone in an array."""

import pytest
import torch

from helpers.testing.cases import Case
from helpers.testing.probes import alone


def told(fake_launcher, count, n=100, dtype=torch.int32, **more):
    """Ask a launcher that makes `count(x)` of an array, of which one number in eight is 0."""
    x = torch.arange(1.0, n + 1)
    x[7::8] = 0

    def launch(launcher, x, out, **arguments):
        out[0] = count(x)

    kinds = {torch.int32: "int", torch.float32: "float"}
    launcher = fake_launcher("float x", f"{kinds[dtype]} out", launch)
    case = Case("a case", (x,), ((x == 0).sum()[None].double(),), dtypes=(dtype,), **more)
    return alone.diagnose(launcher, case)


@pytest.mark.parametrize(("end", "lost"), [(32, 32), (5, 5)])
def test_zeros_that_are_counted_at_first_places_alone(fake_launcher, end, lost):
    sentence = told(fake_launcher, lambda x: (x[:end] == 0).sum())
    assert sentence.startswith("a number alone among others counts at x[0], and at ")
    assert f"it is left out, the first is x[{lost}]: by a loop, or a thread" in sentence


def test_what_counts_everywhere_or_is_a_place(fake_launcher):
    for count in (
        lambda x: (x == 0).sum(),
        lambda x: x.argmin(),
        lambda x: (x[1:] == 0).sum(),  # at the first place it does not
        lambda x: 7,
        lambda x: (x * torch.arange(len(x))).sum(),
    ):
        assert told(fake_launcher, count) is None
    some = lambda x: (x[:32] == 0).sum()  # noqa: E731
    assert told(fake_launcher, some, n=1 << 15) is None
    assert told(fake_launcher, some, reference=torch.sum) is None
