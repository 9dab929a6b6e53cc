"""Cases of softmax, layer norm, and of matrices past 2^31 elements."""

import functools
from types import SimpleNamespace

import pytest
import torch

from helpers.testing import matrices, run_cases
from helpers.testing.past_2_31 import Huge

KINDS = ("softmax", "layer_norm")


def of_no_block_size(*arguments):
    return SimpleNamespace(declaration=SimpleNamespace(arguments=arguments))


@functools.cache
def cases_of(name):
    cases = list(getattr(matrices, name)(of_no_block_size()))
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
def test_a_launcher_that_takes_a_block_size_is_asked_for_one_that_is_no_power_of_two(name):
    launcher = of_no_block_size(SimpleNamespace(name="block_size"))
    cases = [x for x in getattr(matrices, name)(launcher) if x.arguments.get("block_size")]
    assert [x.arguments["block_size"] for x in cases] == [32, 96, 1024]
    for case in cases:
        assert torch.allclose(case.expected[0], by_hand(name, case.inputs[0]), rtol=1e-9)


@pytest.mark.parametrize("name", KINDS)
def test_rows_are_shorter_and_longer_than_a_warp_and_than_a_block(name):
    cases, _ = cases_of(name)
    lengths = {case.inputs[0].shape[1] for case in cases.values()}
    assert lengths >= {2, 3, 7, 31, 32, 33, 127, 128, 129, 1000, 1025, 4099}
    assert sorted({case.inputs[0].shape[0] for case in cases.values()})[-2:] == [130, 65_601]
    many = cases["m = 65,601, n = 4"]
    assert many.quick and many.inputs[0].shape == (65_601, 4)  # more rows than 16 bits hold
    assert many.inputs[0].numel() > run_cases.LARGE  # it may take too long
    assert all(not case.quick for case in cases.values() if case is not many)


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
        _, (huge,) = cases_of(name)
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


# ---- the whole of what is tried

ROWS = [(1, 1), (1, 2), (2, 3), (3, 7), (5, 31), (4, 32), (7, 33), (9, 100), (6, 127), (5, 128)]
ROWS += [(3, 129), (130, 5), (33, 257), (4, 1000), (3, 1025), (2, 4099)]
MANY = "m = 65,601, n = 4"


def test_each_case_of_softmax():
    cases, huge = cases_of("softmax")
    labels = []
    for m, n in ROWS:
        begin = f"m = {m}, n = {n:,}"
        labels += [begin, f"{begin}, numbers above 900", f"{begin}, numbers below -900"]
    labels += [f"m = 2, n = 1,000, 8 at index {k} of row 1" for k in range(0, 1000, 32)]
    assert list(cases) == [*labels, MANY]
    assert [one.ulp for one in huge] == [64]
    (many,) = cases[MANY].inputs
    assert many.shape == (65_601, 4) and abs(float(many.std()) - 1) < 0.01
    assert cases[MANY].ulp == 24 + 2
    assert [case.quick for case in cases.values()] == [False] * len(labels) + [True]
    for (m, n), case, above, below in zip(
        ROWS, *(list(cases.values())[k::3] for k in range(3)), strict=False
    ):
        (x,), n_half = case.inputs, n / 2
        assert x.shape == (m, n) and (case.ulp, above.ulp) == (24 + n_half, 64 + n_half)
        assert below.ulp == above.ulp
        assert torch.equal(above.inputs[0], x + 1000)
        assert torch.equal(below.inputs[0], x - 1000)
        if m * n > 500:
            assert 1.8 < float(x.std()) < 2.2  # twice a normal number
    for case in list(cases.values())[3 * len(ROWS) : -1]:
        assert case.inputs[0].shape == (2, 1000) and case.ulp == 24 + 500


def test_each_case_of_layer_norm():
    cases, _ = cases_of("layer_norm")
    labels = []
    for m, n in ROWS[1:]:
        labels += [f"m = {m}, n = {n:,}", f"m = {m}, n = {n:,}, a mean of 1000"]
        labels += [f"m = {m}, n = {n:,}, a mean of 30,000"] * (30 < n < 300)
    small = ["m = 3, n = 64, all numbers small", "m = 3, n = 64, all numbers equal"]
    assert list(cases) == [*labels, *small, MANY]
    (many,) = cases[MANY].inputs
    assert many.shape == (65_601, 4) and not many.sum(1).any()
    assert many.abs().unique().tolist() == list(range(1, 20)) and cases[MANY].quick
    for m, n in ROWS[1:]:
        x = cases[f"m = {m}, n = {n:,}"].inputs[0].double()
        moved = cases[f"m = {m}, n = {n:,}, a mean of 1000"].inputs[0].double()
        means = x.mean(1, keepdim=True)
        assert x.shape == (m, n) and means.abs().max() <= 3
        assert torch.equal(moved - 1000, x - means)
        off = (x - means).abs()
        assert 1 <= off.min() and off.max() <= 38 and torch.equal(off, off.round())
        if n > 30 and n % 2 == 0:
            assert off.max() == 19 and off.min() == 1 and len(off.unique()) > 15
    (equal,), (tiny,) = (cases[label].inputs for label in reversed(small))
    assert equal.shape == tiny.shape == (3, 64)
    assert tiny[0].tolist() == [2.0**-8, -(2.0**-8)] * 32


def test_how_far_a_mean_that_is_updated_may_move():
    cases, _ = cases_of("layer_norm")
    case = cases["m = 4, n = 32, a mean of 30,000"]
    (x,), (within,) = case.inputs, case.within
    assert within.shape == x.shape and torch.equal(within[:, :1].expand(x.shape), within)
    assert x.mean(1).tolist() == pytest.approx([30_000] * 4, abs=3)
    (other,) = cases["m = 4, n = 32, a mean of 1000"].inputs
    assert torch.equal(x - 30_000, other - 1000)
    moved = matrices._moved_mean(1 + matrices._small().double())
    expected = 8 * 2.0**-23 / (2.0**-16 + 1e-5) ** 0.5  # epsilon counts
    assert float(moved[0, 0]) == pytest.approx(expected, rel=1e-9)
    deviation = x[0].double().std(unbiased=False)
    unit = 2.0**-23 * float(x[0].double().mean())
    assert float(within[0, 0]) == pytest.approx(32**0.5 * unit / float(deviation), rel=1e-6)
    welford, squares = torch.zeros(4), (x * x).mean(1) - x.mean(1) ** 2
    for k in range(32):
        welford += (x[:, k] - welford) / (k + 1)
    off = x - welford[:, None]
    got = off / (off * off).mean(1, keepdim=True).sqrt()
    assert case.right(0, got.reshape(-1)).all()
    wrong = (x - x.mean(1, keepdim=True)) / (squares[:, None] + 1e-5).sqrt()
    assert not case.right(0, wrong.reshape(-1)).all()


def test_the_means_of_layer_norm_reach_from_minus_3_to_3():
    cases, _ = cases_of("layer_norm")
    means = cases["m = 130, n = 5"].inputs[0].mean(1)
    assert (float(means.min()), float(means.max())) == (-3, 3)


@pytest.mark.parametrize("n", [3, 5, 7, 33])
def test_a_row_of_odd_length_has_a_mean_of_0(n):
    half = torch.tensor([[7.0], [2.0]])
    row = matrices._odd(torch.zeros(2, n - 1), half)
    first = [[14.0, -7.0, -7.0], [4.0, -2.0, -2.0]]
    assert row[:, :3].tolist() == first and row.shape == (2, n)
    assert row[0, 3:].tolist() == [4.0, -4.0] * ((n - 3) // 2)


def test_each_case_of_softmax_in_float16():
    cases = list(matrices.softmax_f16(None))
    sides = [(5, 8), (5, 248), (5, 264), (5, 1024), (3, 1025), (2, 1032), (3, 31)]
    keys = [(m, n, width) for m, n in sides for width in (1, 2, 4, 8)]
    for case, (m, n, width) in zip(cases, keys, strict=True):
        assert case.label == f"m = {m}, n = {n:,}, width = {width}"
        assert case.arguments == {"width": width} and case.ulp == 1
        (x,), (right,) = case.inputs, case.expected
        assert x.shape == (m, n) and x.dtype is torch.float16 and case.dtypes == (x.dtype,)
        assert torch.allclose(right, by_hand("softmax", x), rtol=1e-12)
        numbers = 3 * torch.randn(m, n, generator=torch.Generator().manual_seed(n))
        assert torch.equal(x[: m - 1], numbers[: m - 1].half())
        assert torch.equal(x[m - 1], (numbers[m - 1] - 900).half())
        if n > 200:
            assert 2.5 < float(x[0].float().std()) < 3.5


def test_each_shape_that_is_moved():
    shapes = [(1, 1), (1, 5), (5, 1), (3, 4), (15, 17), (16, 16), (17, 15), (31, 33), (64, 48)]
    shapes += [(1, 1000), (1000, 1), (65, 257)]
    cases = list(matrices.moved(lambda x: x.T)(None))
    labels = [f"rows = {rows:,}, columns = {columns:,}" for rows, columns in shapes]
    assert [case.label for case in cases] == labels
    for case, shape in zip(cases, shapes, strict=True):
        (x,), (right,) = case.inputs, case.expected
        assert x.shape == shape and torch.equal(right, x.T.double()) and right.is_contiguous()


# ---- past 2^31


def test_below_each_size_no_tensor_has_2_31_elements_but_nearly():
    long, rows, side = (1 << 30) + 7, (1 << 26) + 3, 46_411
    transposes = [(one.size, one.below) for one in matrices.huge_transposes({})]
    assert transposes == [(long, long // 512)] * 2 + [(side, side // 2)]
    products = [(one.size, one.below) for one in matrices.huge_products({})]
    assert products == [(rows, rows // 64)] * 2 + [(side, side // 2)]
    huge = list(matrices.huge_rows(lambda x: x, 5))
    assert [(one.size, one.below) for one in huge] == [(long // 32, long // 512)]
    assert [one.ulp for one in huge] == [5]
    assert (matrices.MANY_ROWS, matrices.MANY_TILES) == (65_601, 2_097_153)


def numbers_of(huge, size, end):
    """Return the shape of each input's end, and of each output's."""
    layout = huge.build(size, end)
    return [tuple(x.shape) for *_, x in layout.inputs], [len(x) for _, x in layout.outputs]


def test_how_many_numbers_stand_at_the_ends():
    tall, wide, square = matrices.huge_transposes({})
    assert numbers_of(tall, 500, 64) == ([(64, 3)], [64])
    assert numbers_of(wide, 500, 64) == ([(3, 64)], [64 * 3])
    assert numbers_of(square, 300, 64) == ([(64,)], [64])
    tall, wide, square = matrices.huge_products({})
    assert numbers_of(tall, 50, 64) == ([(16, 33), (33, 1)], [16])
    assert numbers_of(wide, 50, 64) == ([(1, 33), (33, 16)], [16])
    assert numbers_of(square, 40, 64) == ([(1, 1), (1, 16)], [16])
    (many,) = matrices.huge_rows(lambda x: x, 0)
    assert numbers_of(many, 40, 64) == ([(16, 65)], [16 * 65])


def test_the_numbers_at_the_ends_are_whole_from_minus_9_to_9():
    x = matrices._ends(40, 50)
    assert x.shape == (40, 50) and x.dtype is torch.float32 and torch.equal(x, x.round())
    assert (float(x.min()), float(x.max())) == (-9, 9)
