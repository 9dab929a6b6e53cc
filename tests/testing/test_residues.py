"""What the reference's own rounding leaves is not judged; what is small by itself is."""

import torch

from helpers.testing import residues
from helpers.testing.cases import Case

EXACT = torch.tensor([[-3.0, 0.0, 3.0]])


def _case(x, expected):
    return Case("", (x,), (expected,), dtypes=(torch.float32,), ulp=4)


def test_the_mean_itself_may_come_out_as_zero():
    noisy = torch.tensor([[-1.0, 6.6e-18, 1.0]]).double()
    right = _case(EXACT, noisy).right(0, torch.tensor([-1.0, 0.0, 1.0]))
    assert bool(right.all())


def test_only_rounding_is_allowed():
    noisy = torch.tensor([[-1.0, 6.6e-18, 1.0]]).double()
    right = _case(EXACT, noisy).right(0, torch.tensor([-1.0, 1e-7, 1.0]))
    assert right.tolist() == [True, False, True]


def test_terms_that_cancel_may_add_up_to_zero():
    x = torch.tensor([[0.1, 0.2, -0.1, -0.2], [1.0, 1.0, 1.0, 1.0]])
    noisy = torch.tensor([2.8e-17, 4.0]).double()
    assert bool(_case(x, noisy).right(0, torch.tensor([0.0, 4.0])).all())


def test_a_small_result_by_itself_is_judged():
    x = torch.tensor([[0.0, -40.0, -1.0]])
    right = torch.softmax(x.double(), dim=1)
    got = right.float().reshape(-1)
    got[1] = 0
    assert _case(x, right).right(0, got).tolist() == [True, False, True]


def test_the_sign_of_an_exact_zero_counts():
    expected = torch.tensor([[-1.0, 0.0, 1.0]]).double()
    assert not residues.allowed((EXACT,), expected, torch.arange(3)).any()
    right = _case(EXACT, expected).right(0, torch.tensor([-1.0, -0.0, 1.0]))
    assert right.tolist() == [True, False, True]


def test_places_are_judged_as_all_together():
    x = torch.randn(6, 5, generator=torch.Generator().manual_seed(1)).double()
    x[1] = torch.tensor([0.1, 0.2, -0.1, -0.2, 0.0])
    x[:, 2] = x[:, 2].mean()
    for expected in (x.sum(1), x - x.mean(0), x - x.mean(1, keepdim=True)):
        every = residues.allowed((x,), expected, torch.arange(expected.numel()))
        some = torch.tensor([5, 0, 2])
        assert torch.equal(residues.allowed((x,), expected, some), every[some])
