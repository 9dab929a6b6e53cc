"""Running sums and maxima in which an element does not count for one behind it."""

from dataclasses import replace

import pytest
import torch

from helpers.testing.cases import Case
from helpers.testing.probes import scans

ROWS = torch.randn(3, 40, generator=torch.Generator().manual_seed(5)).mul(64).round()
OF = {
    "running sum": lambda x: x.cumsum(-1),
    "running sum without its own element": lambda x: x.cumsum(-1) - x,
    "running maximum": lambda x: x.cummax(-1).values,
    "running minimum": lambda x: x.cummin(-1).values,
}


def told(fake_launcher, kernel, right, x=ROWS):
    def launch(launcher, x, out, **arguments):
        out.copy_(kernel(x))

    launcher = fake_launcher("float x", "float out", launch)
    case = Case("a case", (x,), (right(x.double()),), dtypes=(x.dtype,))
    return scans.diagnose(launcher, case)


@pytest.mark.parametrize("name", OF)
def test_chunks_that_hand_nothing_on(name, fake_launcher):
    def in_chunks(x):
        return torch.cat([OF[name](part) for part in x.split(32, dim=-1)], dim=-1)

    sentence = told(fake_launcher, in_chunks, OF[name])
    assert sentence == (
        f"x[0] does not count for out[32], the {name} up to there: is it left out, as what a "
        "lane, a warp or a chunk does not hand on to the next?"
    )
    whole = ROWS.flatten()[:70].int()
    assert "x[0] does not count for out[32]" in told(fake_launcher, in_chunks, OF[name], whole)


def test_an_output_that_is_declared_first(fake_launcher):
    def launch(launcher, out, x, **arguments):
        out.copy_(x)

    launcher = fake_launcher("float x", "float out", launch)
    x, out, *others = launcher.declaration.parameters
    launcher.declaration = replace(launcher.declaration, parameters=(out, x, *others))
    case = Case("a case", (ROWS,), (ROWS.double().cumsum(-1),), dtypes=(ROWS.dtype,))
    assert scans.diagnose(launcher, case).startswith("x[0] does not count for out[1]")


def test_what_is_no_scan_or_right(fake_launcher):
    running = OF["running sum"]
    assert told(fake_launcher, running, running) is None
    assert told(fake_launcher, lambda x: running(x) + 1, running) is None  # each counts
    assert told(fake_launcher, lambda x: x, lambda x: 2 * x) is None
    assert told(fake_launcher, lambda x: x, running, ROWS[:, :1].clone()) is None
    x = torch.tensor([127.0, 128.0])  # limited to 127, which is their running minimum, too
    assert told(fake_launcher, lambda x: -x, lambda x: x.clamp(max=127), x) is None


@pytest.mark.parametrize("name", OF)
def test_from_the_end_of_a_row(name, fake_launcher):
    def from_the_end(x):
        return OF[name](x.flip(-1)).flip(-1)

    def in_chunks(x):
        return torch.cat([from_the_end(part) for part in x.split(32, dim=-1)], dim=-1)

    sentence = told(fake_launcher, in_chunks, from_the_end)
    assert sentence.startswith("x[32] does not count for out[0], the ")
    assert sentence.endswith(
        f"the {name} from there on: is it left out, as what a lane, a warp or a chunk does not "
        "hand on to the one before?"
    )
    assert told(fake_launcher, from_the_end, from_the_end) is None


@pytest.mark.parametrize("dtype", [torch.int32, torch.int64])
def test_an_element_that_counts_more_than_once(dtype, fake_launcher):
    def own_twice(x):
        return x.cumsum(-1) + x.cumsum(-1)[..., :1]

    x = ROWS.to(dtype)
    sentence = told(fake_launcher, own_twice, OF["running sum"], x)
    assert sentence.startswith(
        "x[0] counts 2 times in out[0], a running sum: is it added twice"
    )
    largest = told(
        fake_launcher, lambda x: 2 * OF["running maximum"](x), OF["running maximum"], x
    )
    assert largest is None
