"""Cases of softmax, layer norm, and of matrices past 2^31 elements."""

import functools

import pytest
import torch

from helpers.testing import matrices
from helpers.testing.past_2_31 import Huge

KINDS = ("softmax", "layer_norm")


@functools.cache
def cases_of(name):
    cases = list(getattr(matrices, name)(None))
    return {x.label: x for x in cases if not isinstance(x, Huge)}, [
        x for x in cases if isinstance(x, Huge)
    ]


def filled(part):
    """Make an input of a layout whole: zeros but for its end."""
    shape, where, numbers = part
    x = torch.zeros(shape)
    x[where] = numbers
    return x


def by_hand(name, x):
    """Compute in another way than the module."""
    x = x.double()
    if name == "softmax":
        e = (x - x.amax(1, keepdim=True)).exp()
        return e / e.sum(1, keepdim=True)
    d = x - x.mean(1, keepdim=True)
    return d / (d.square().mean(1, keepdim=True) + 1e-5).sqrt()


@pytest.mark.parametrize("name", KINDS)
def test_every_case_holds_the_right_result(name):
    cases, _ = cases_of(name)
    for case in cases.values():
        right = by_hand(name, case.inputs[0])
        assert torch.allclose(case.expected[0], right, rtol=1e-9, atol=1e-12), case.label
        assert case.inputs[0].dtype is torch.float32 and case.dtypes == (torch.float32,)


@pytest.mark.parametrize("name", KINDS)
def test_rows_are_shorter_and_longer_than_a_warp_and_than_a_block(name):
    cases, _ = cases_of(name)
    lengths = {case.inputs[0].shape[1] for case in cases.values()}
    assert lengths >= {2, 3, 7, 31, 32, 33, 127, 128, 129, 1000, 1025, 4099}
    assert max(case.inputs[0].shape[0] for case in cases.values()) == 130


@pytest.mark.parametrize("name", KINDS)
@pytest.mark.parametrize("m, n", [(7, 33), (4, 1000), (2, 4099), (130, 5)])
def test_float32_in_any_order_is_within_the_tolerance(name, m, n):
    cases, _ = cases_of(name)
    for label, case in cases.items():
        if not label.startswith(f"m = {m:,}, n = {n:,}"):
            continue
        x = case.inputs[0]
        if name == "softmax":
            e = (x - x.amax(1, keepdim=True)).exp()
            got = e / e.flip(1).cumsum(1)[:, -1:]
        else:
            d = x - x.cumsum(1)[:, -1:] / n
            got = d / ((d * d).cumsum(1)[:, -1:] / n + 1e-5).sqrt()
        assert bool(case.right(0, got.reshape(-1)).all()), label


def test_tolerances_are_no_wider_than_the_roundings():
    cases, _ = cases_of("softmax")
    assert cases["m = 9, n = 100"].ulp == 24 + 50
    assert cases["m = 9, n = 100, numbers above 900"].ulp == 64 + 50
    cases, _ = cases_of("layer_norm")
    assert {case.ulp for case in cases.values()} == {64}


def test_softmax_is_tried_where_exp_alone_overflows_or_vanishes():
    cases, _ = cases_of("softmax")
    above = cases["m = 5, n = 128, numbers above 900"].inputs[0]
    below = cases["m = 5, n = 128, numbers below -900"].inputs[0]
    assert float(above.min()) > 900 and float(below.max()) < -900
    assert bool(above.exp().isinf().all()) and bool((below.exp() == 0).all())


def test_softmax_has_its_largest_element_at_every_32nd_place():
    cases, _ = cases_of("softmax")
    for place in range(0, 1000, 32):
        x = cases[f"m = 2, n = 1,000, 8 at index {place} of row 1"].inputs[0]
        assert x.nonzero().tolist() == [[1, place]] and x[1, place] == 8


def test_layer_norm_has_rows_of_equal_and_of_small_numbers_and_a_large_mean():
    cases, _ = cases_of("layer_norm")
    equal = cases["m = 3, n = 64, all numbers equal"]
    assert not equal.expected[0].any() and equal.inputs[0].unique().tolist() == [5.0]
    small = cases["m = 3, n = 64, all numbers small"].inputs[0]
    assert small.abs().unique().tolist() == [2.0**-8] and float(small.sum()) == 0
    large = cases["m = 3, n = 129, a mean of 1000"].inputs[0]
    assert float(large.mean()) == pytest.approx(1000, abs=4)


@pytest.mark.parametrize("n", [3, 7, 31, 33, 129, 1000])
def test_no_element_of_layer_norm_is_near_its_mean(n):
    cases, _ = cases_of("layer_norm")
    for label, case in cases.items():
        if f"n = {n:,}" in label and "equal" not in label:
            x = case.inputs[0].double()
            mean = x.mean(1, keepdim=True)
            assert torch.equal(mean, mean.round()), label
            assert float((x - mean).abs().min()) >= 1, label


def test_rows_past_2_31_elements_are_right_at_their_end():
    for name in KINDS:
        _, (many, huge) = cases_of(name)
        assert (many.size, many.below) == (70_001, 60_000) and many.below < 1 << 16
        assert many.label == "m = 70,001, n = 65"
        assert huge.label == "m = 33,554,432, n = 65" and huge.size * 65 > 1 << 31
        assert huge.below * 65 < 1 << 31 and huge.ulp == 64
        layout = huge.build(40, 1024)
        x = filled(layout.inputs[0])
        ((shape, right),) = layout.outputs
        assert shape == x.shape == (40, 65) and not layout.total
        whole = by_hand(name, x).reshape(-1)
        assert torch.allclose(right.double(), whole[-len(right) :], rtol=1e-6, atol=1e-9)
        assert len(right) == 16 * 65


def test_products_past_2_31_have_a_large_a_or_b_or_c():
    tall, wide, square = matrices.huge_products({"padding": 0})
    assert tall.label == "m = 67,108,867, n = 1, k = 33" and tall.size * 33 > 1 << 31
    assert wide.label == "m = 1, n = 67,108,867, k = 33"
    assert square.label == "m = n = 46,411, k = 1" and square.size**2 > 1 << 31
    for huge, size, sides in ((tall, 50, (50, 1)), (wide, 50, (1, 50)), (square, 40, (40, 40))):
        assert huge.below * 33 < 1 << 31 and huge.arguments == {"padding": 0} and huge.ulp == 0
        layout = huge.build(size, 1024)
        a, b = (filled(part) for part in layout.inputs)
        ((shape, right),) = layout.outputs
        assert shape == sides == (a.shape[0], b.shape[1]) and a.shape[1] == b.shape[0]
        whole = (a.double() @ b.double()).reshape(-1)
        assert whole[-len(right) :].tolist() == right.tolist() and bool(right.any())


def test_transposes_past_2_31_are_thin_and_square():
    tall, wide, square = matrices.huge_transposes({"padding": 1})
    assert tall.label == "rows = 1,073,741,831, cols = 3" and tall.size * 3 > 1 << 31
    assert wide.label == "rows = 3, cols = 1,073,741,831"
    assert square.label == "rows = cols = 46,411" and 2**31 < square.size**2 < 2**31 + 10**7
    for huge, size in ((tall, 500), (wide, 500), (square, 300)):
        assert huge.below * (huge.below if huge is square else 3) < 1 << 31
        assert huge.arguments == {"padding": 1} and huge.ulp == 0
        layout = huge.build(size, 64)
        x = filled(layout.inputs[0])
        ((shape, right),) = layout.outputs
        assert shape == (x.shape[1], x.shape[0])
        assert x.T.reshape(-1)[-len(right) :].tolist() == right.tolist()
        assert int((right != 0).sum()) > 32


def test_moved_elements_are_those_of_the_function():
    cases = list(matrices.moved(lambda x: x.T)(None))
    shapes = [tuple(case.inputs[0].shape) for case in cases]
    assert shapes == list(matrices.SHAPES) and (15, 17) in shapes and (17, 15) in shapes
    for case in cases:
        (x,), (right,) = case.inputs, case.expected
        assert right.shape == (x.shape[1], x.shape[0]) and right.dtype == torch.float64
        assert right[-1, 0] == x[0, -1].double()
        assert case.dtypes == (torch.float32,) and case.ulp == 0
    assert cases[3].label == "rows = 3, columns = 4"
