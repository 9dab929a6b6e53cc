"""Rows far below every number with which a maximum may start, and a peak that it leaves out."""

from dataclasses import replace

import pytest
import torch

from helpers.testing import run_cases
from helpers.testing.cases import Case
from helpers.testing.probes import lowered

FUNCTIONS = (torch.softmax, torch.log_softmax)


def case_of(x, function):
    right = function(x.double(), dim=1)
    return Case("a case", (x,), (right,), dtypes=(x.dtype,), ulp=64)


def started(start, function):
    """Return a kernel whose maximum starts with a number."""

    def kernel(launcher, x, out, **arguments):
        off = x.float() - x.float().amax(dim=1, keepdim=True).clamp(min=start)
        powers = off.exp().sum(dim=1, keepdim=True)
        out.copy_(off.exp() / powers if function is torch.softmax else off - powers.log())

    return kernel


@pytest.mark.parametrize("function", FUNCTIONS)
@pytest.mark.parametrize("dtype", ["float", "half", "__nv_bfloat16"])
@pytest.mark.parametrize("start", [-999.0, -1e4, -float("inf")])
def test_a_maximum_that_starts_with_a_number(fake_launcher, function, dtype, start):
    types = {"float": torch.float32, "half": torch.float16, "__nv_bfloat16": torch.bfloat16}
    x = torch.randn(4, 9, generator=torch.Generator().manual_seed(1))
    x = torch.cat([x, x - 300]).to(types[dtype])
    launcher = fake_launcher(f"{dtype} x", f"{dtype} out", started(start, function))
    found = run_cases.run_cases(launcher, [case_of(x, function)]).found
    assert (found is None) is (start == -float("inf"))
    if found:
        made = "NaN" if function is torch.softmax else "infinity"
        assert str(found).startswith(f"{made} came out of rows of numbers of -")
        assert "does the row's maximum start with a number that is larger" in str(found)


def test_only_rows_that_need_their_maximum_are_moved():
    x = torch.randn(3, 7)
    low = case_of(x - 500, torch.softmax)
    label, *peaks = [case.label for case, _ in lowered.cases([low, low])]
    assert (
        label == "a case, and 1e+09 less" and len(peaks) == 3
    )  # of seven places in three rows
    masked = (x - 500).index_fill(1, torch.tensor(2), -float("inf"))
    for other in (
        case_of(x, torch.softmax),
        case_of(masked, torch.softmax),
        replace(low, expected=(torch.softmax(low.inputs[0].double() / 2, dim=1),)),
        replace(low, inputs=(x - 500, x)),
        case_of(torch.zeros(0, 7), torch.softmax),
        Case("bits", (torch.ones(3, 2, dtype=torch.bool),), (torch.ones(3, 2),)),
    ):
        assert not list(lowered.cases([other]))


@pytest.mark.parametrize("function", FUNCTIONS)
@pytest.mark.parametrize("left_out", [[], [0], [6], [3, 4], list(range(1, 9))])
def test_a_maximum_that_leaves_numbers_out(fake_launcher, function, left_out):
    """Any number may be taken off a row, until a power overflows."""

    def kernel(launcher, x, out, **arguments):
        some = x.float().index_fill(1, torch.tensor(left_out, dtype=torch.int64), -float("inf"))
        off = x.float() - some.amax(dim=1, keepdim=True)
        powers = off.exp().sum(dim=1, keepdim=True)
        out.copy_(off.exp() / powers if function is torch.softmax else off - powers.log())

    x = torch.randn(4, 9, generator=torch.Generator().manual_seed(1)) - 500
    launcher = fake_launcher("float x", "float out", kernel)
    found = run_cases.run_cases(launcher, [case_of(x, function)]).found
    assert (found is None) is (not left_out)
    assert not found or lowered.LEFT_OUT in str(found)


def test_a_peak_stands_at_every_place_of_some_row():
    low = case_of(torch.randn(4, 100) - 500, torch.softmax)
    peaks = [case.inputs[0].argmax(dim=1) for case, words in lowered.cases([low]) if words]
    assert set(torch.cat(peaks).tolist()) == set(range(100))
