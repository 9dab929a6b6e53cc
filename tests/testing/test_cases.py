"""The elementwise cases: which sizes, values and starts are tried, and what they look like."""

import math
from dataclasses import replace

import pytest
import torch

from helpers.testing.cases import (
    FROM_STOCK,
    STOCK,
    Case,
    ElementwiseMaker,
    elementwise_cases,
    stock,
)
from helpers.testing.run_case import ROUNDS, run_case


def add(a, b):
    return a + b


def cases_of(launcher, *options):
    return list(elementwise_cases(launcher, ElementwiseMaker.of(launcher, *options)))


@pytest.fixture
def of_add(fake_launcher):
    return cases_of(fake_launcher("float a, float b", "float out"), add)


def labels(some):
    return [case.label for case in some]


# ---- a case


def test_a_case_rounds_its_outputs_once_and_flat():
    exact = torch.tensor([[1 + 2.0**-11 + 2.0**-40, 2.0]], dtype=torch.float64)
    case = Case("x", (), (exact, exact[:, :1]), dtypes=(torch.float16, torch.int32))
    assert case.wanted[0].tolist() == [1 + 2.0**-10, 2.0]
    assert case.wanted[1].dtype is torch.int32
    assert case.size == 2


def test_what_a_case_leaves_open():
    case = Case("x", (), (torch.zeros(3).double(),))
    assert (case.arguments, case.ulp, case.offset, case.dtypes) == ({}, 0, 0, ())
    assert (case.ignored, case.reference, case.before) == ((), None, ())
    assert case.quick is False and case.function is None and case.size == 3


def test_integers_of_64_bits_are_compared_exactly():
    """float64 has every second one only past 2^53."""
    right = torch.tensor([2**61 + 1, -(2**62) - 3, 2**63 - 1, 5])
    case = Case("x", (), (right, right[:1]), dtypes=(torch.int64, torch.float64))
    for one in (case, replace(case, label="y")):
        assert torch.equal(one.wanted[0], right) and bool(one.right(0, right).all())
        assert one.right(0, right.double().long()).tolist() == [False, False, False, True]
        assert one.right(0, right[2:], slice(2, None)).tolist() == [True, True]
        assert bool(one.right(1, right[:1].double()).all())
    near = replace(case, ulp=1)
    assert bool(near.right(0, right - torch.tensor([1, 1, 1, 0])).all())
    assert not bool(near.right(0, right - 2).any())
    other = replace(case, expected=tuple(x.clone() for x in case.expected))
    assert other.whole == () and int(other.wanted[0][0]) == 2**61
    assert Case("x", (), (torch.tensor([2**53]),), dtypes=(torch.int64,)).whole == ()


def test_a_case_has_a_dtype_for_each_output():
    case = Case("x", (), (torch.zeros(3).double(),), dtypes=(torch.float32, torch.float32))
    with pytest.raises(ValueError, match="argument"):
        _ = case.wanted


def case_of(reference, *columns, ulp=1.0, dtypes=(torch.float32,)):
    """Make the case of a reference and its inputs, lists of numbers."""
    inputs = tuple(torch.tensor(x, dtype=torch.float32) for x in columns)
    exact = reference(*[x.double() for x in inputs])
    exact = exact if isinstance(exact, tuple) else (exact,)
    return Case("x", inputs, exact, ulp=ulp, dtypes=dtypes, reference=reference)


def test_the_slack_is_what_half_a_unit_of_each_input_moves():
    def both(a, b):
        return a * b, a - b

    case = case_of(both, [[3.0, 7.0]], [[5.0, 7.0]], dtypes=(torch.float32, torch.float16))
    product, difference = case.slack
    half = 2.0**-24  # of float32, relative
    assert product.tolist() == [2 * 15 * 2 * half, 2 * 49 * 2 * half]
    half = 2.0**-11  # of the output's dtype
    assert difference.tolist() == [0.0, 2 * (7 + 7) * half]  # 3 - 5 does not cancel enough
    whole = case_of(add, [1.0, 2.0], [1.0, 3.0], dtypes=(torch.int32,))
    assert whole.slack[0].tolist() == [0.0, 0.0]
    assert case_of(add, [math.inf], [1.0]).slack[0].tolist() == [0.0]


def right(case, *got, elements=slice(None), dtype=torch.float32, output=0):
    return case.right(output, torch.tensor(got, dtype=dtype), elements).tolist()


def test_a_result_is_right_within_the_units_allowed():
    unit = 2.0**-23
    case = case_of(lambda a: a, [1.0, 1.0, 1.0])
    case = replace(case, reference=None)
    assert right(case, 1 + unit, 1 + 2 * unit, 1 - unit / 2) == [True, False, True]
    exact = replace(case, ulp=0)
    assert right(exact, 1 + unit, 1.0, 1 - unit / 2) == [False, True, False]
    assert right(case, 1 + unit, elements=slice(2, 3)) == [True]


def test_terms_that_cancel_leave_slack_where_a_tolerance_is_given():
    unit = 2.0**-23
    columns = [1.0, 4.0], [-1.0 + unit, -4.0 + 4 * unit]
    case = case_of(add, *columns)
    slack = case.slack[0].tolist()
    assert slack == pytest.approx([2 * unit, 8 * unit], rel=1e-6)
    within, beyond = unit + 1.9 * unit, 4 * unit + 8.1 * unit
    assert right(case, within, beyond) == [True, False]
    assert right(case, within, elements=slice(1)) == [True]
    assert right(case, 11.9 * unit, elements=slice(1, 2)) == [True]
    assert right(replace(case, ulp=0), within, 4 * unit) == [False, True]
    assert right(replace(case, reference=None), within, 4 * unit) == [False, True]


def silu(x):
    return x / (1 + (-x).exp())


def test_a_result_may_vanish_where_exp_of_half_an_input_overflows():
    tiny = 2.0**-126
    case = case_of(silu, [-44.0, -45.0, -95.0, 45.0])
    expected = [0.0, 46 * tiny / 2, 96 * tiny / 2, 46 * tiny / 2]
    assert case.vanishing(0).tolist() == expected
    exact = torch.tensor([1e-37, 2.7e-37, 1e-42, 2.8e-37]).double()  # limit: 2.704e-37
    small = replace(case, expected=(exact,), reference=lambda x: exact)
    assert right(small, 0.0, 0.0, 0.0, 0.0) == [False, True, True, False]
    assert right(small, 1.0, 1.0, 1.0, 1.0) == [False] * 4
    assert right(small, 0.0, elements=slice(1, 2)) == [True]
    assert right(replace(small, ulp=0), 0.0, 0.0, 0.0, 0.0) == [False] * 4


def test_only_floats_with_inputs_of_their_size_may_vanish():
    whole = case_of(lambda x: x, [1e3, -90.0], dtypes=(torch.int32,))
    assert whole.vanishing(0).tolist() == [0.0, 0.0]
    total = case_of(lambda x: x.sum().reshape(1), [1e3, -90.0])
    assert total.vanishing(0).tolist() == [0.0]
    two = case_of(add, [1.0, 90.0], [90.0, 1.0])
    assert two.vanishing(0).tolist() == [91 * 2.0**-127] * 2
    infinite = case_of(lambda x: x, [math.inf, 90.0])
    assert infinite.vanishing(0)[1] == 91 * 2.0**-127
    of_half = case_of(lambda x: x, [6.0, 60.0], dtypes=(torch.float16,))
    assert of_half.vanishing(0).tolist() == [0.0, 61 * 2.0**-127]  # computed in float32


# ---- ordinary numbers


def test_large_cases_take_parts_of_one_stock_and_small_ones_are_drawn(fake_launcher):
    assert (FROM_STOCK, STOCK) == (4096, 1 << 18)
    launcher = fake_launcher("float a, float b, half c", "float out")
    make = ElementwiseMaker.of(launcher, add)
    a, b, c = make.inputs(FROM_STOCK, 1)
    numbers = stock(torch.float32)
    assert (
        len(numbers) == STOCK and abs(numbers.mean()) < 0.01 and abs(numbers.std() - 1) < 0.01
    )
    assert len(a) == len(b) == len(c) == FROM_STOCK and c.dtype is torch.half
    base = numbers.untyped_storage().data_ptr()
    assert a.untyped_storage().data_ptr() == b.untyped_storage().data_ptr() == base
    assert not torch.equal(a, b) and not torch.equal(a, make.inputs(FROM_STOCK, 2)[0])
    assert torch.equal(a, make.inputs(FROM_STOCK, 1)[0])
    assert all(x.data_ptr() % 64 == 0 for x in (a, b, c))
    small = make.inputs(FROM_STOCK - 1, 1)[0]
    assert small.untyped_storage().data_ptr() != base


# ---- the list


def test_there_are_90_cases_with_and_66_without_a_block_size(fake_launcher, of_add):
    assert len(of_add) == 90
    plain = fake_launcher("float a, float b", "float out", scalars="")
    assert len(cases_of(plain, add)) == 90 - 24


def test_sizes_and_seeds(of_add):
    assert of_add[0].label == "n = 0, seed 0" and of_add[0].inputs[0].numel() == 0
    assert labels(of_add)[1:4] == ["n = 1, seed 0", "n = 1, seed 1", "n = 1, seed 2"]
    sizes = [case.size for case in of_add[1:52]]
    assert sizes == sorted(sizes)
    few = [1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 32, 33, 63, 65, 127, 128, 129, 255, 256, 257]
    more = [511, 513, 1000, 1023, 1024, 1025, 2047, 2049, 4099, 65535, 65536, 65537, 100_003]
    assert sorted(set(sizes)) == few + more
    assert len(set(sizes)) == 35 and {1, 2, 3, 4, 5, 7, 8, 9, 31, 33, 1025, 4099} <= set(sizes)
    assert [sizes.count(n) for n in (1, 9, 15, 4099, 100003)] == [3, 3, 1, 1, 1]


def test_what_is_tried_in_one_round(of_add):
    quick = [case.label for case in of_add if case.quick]
    sizes = [f"n = {n}, seed {seed}" for n in (1, 2, 3, 4, 5, 7, 8, 9) for seed in (1, 2)]
    sizes += [f"n = {n}, seed 0" for n in ("65,535", "65,536", "65,537", "100,003")]
    blocks = [
        f"n = {n}, seed 7, block_size = {size}"
        for size in (32, 64, 96, 128, 192, 256, 512, 1024)
        for n in ("1", "70,001")
    ]
    assert quick == sizes + blocks


def test_the_other_cases_in_order(of_add):
    rest = labels(of_add)[52:]
    assert rest[:6] == [
        "special values (0, inf, NaN, subnormals)",
        "halfway between two numbers",
        "halfway between two numbers, at every exponent",
        "NaNs of every kind",
        "random bits",
        "n = 1,000, a second call",
    ]
    assert rest[6:14:2] == [
        f"n = {n}, seed 5, starting 1 elements into a buffer"
        for n in ("1", "7", "257", "4,099")
    ]
    assert rest[7:14:2] == [
        f"n = {n}, seed 6, starting 1, 2, 3 elements into a buffer"
        for n in ("1", "7", "257", "4,099")
    ]
    assert rest[14:17] == [
        f"n = {n}, seed 7, block_size = 32" for n in ("1", "1,000", "70,001")
    ]
    sizes = [case.arguments["block_size"] for case in of_add[66:]]
    assert sizes == [b for b in (32, 64, 96, 128, 192, 256, 512, 1024) for _ in range(3)]


def test_the_numbers_follow_from_size_and_seed(of_add):
    """Sentences in notebooks show these numbers."""
    one = of_add[1]
    assert [round(x.item(), 6) for x in one.inputs] == [-1.172049, -0.392884]
    assert (
        one.expected[0].item() == one.inputs[0].double().item() + one.inputs[1].double().item()
    )
    assert one.dtypes == (torch.float32,) and one.reference is add and one.ulp == 0


def test_each_size_and_seed_has_its_own_numbers(of_add):
    for case, seed in ((of_add[5], 2001), (of_add[57], 1000_011)):
        generator = torch.Generator().manual_seed(seed)
        for x in case.inputs:
            expected = torch.randn(len(x), dtype=torch.float64, generator=generator)
            assert torch.equal(x, expected.float())


def test_a_second_call_has_other_inputs_before(of_add):
    (second,) = [case for case in of_add if case.before]
    assert second is of_add[57]
    for x, y in zip(second.before, second.inputs, strict=True):
        assert x.shape == y.shape == (1000,) and not torch.equal(x, y)


@pytest.mark.parametrize(
    ("inputs", "output", "alignment", "offsets", "apart"),
    [
        ("float a, float b", "float out", {}, (1, 1, 1), (1, 2, 3)),
        ("float a, float b", "float out", {"a": 16}, (4, 1, 1), (4, 2, 3)),
        ("float a, float b", "half out", {"a": 16, "out": 16}, (4, 1, 8), (4, 2, 24)),
        ("half a, half b", "half out", {"a": 4}, (2, 1, 1), (2, 2, 3)),
    ],
)
def test_shifted_starts_keep_every_declared_alignment(
    fake_launcher, inputs, output, alignment, offsets, apart
):
    launcher = fake_launcher(inputs, output, alignment=alignment)
    shifted = [case for case in cases_of(launcher, add) if case.offset]
    assert [case.size for case in shifted] == [1, 1, 7, 7, 257, 257, 4099, 4099]
    assert {case.offset for case in shifted} == {offsets, apart}
    for place, parameter in enumerate(launcher.declaration.tensors):
        for start in (offsets[place], apart[place]):
            assert start * parameter.dtype.itemsize % parameter.address_multiple == 0


def test_arguments_tolerance_and_several_outputs_are_passed_on(fake_launcher):
    launcher = fake_launcher("float a", "float out, float other")
    some = cases_of(launcher, lambda a: (a, -a), 2.5, {"path": 3})
    assert all(case.arguments["path"] == 3 and case.ulp == 2.5 for case in some)
    assert some[-1].arguments == {"path": 3, "block_size": 1024}
    assert len(some[5].expected) == 2 and some[5].dtypes == (torch.float32,) * 2


def test_whole_numbers_are_ordinary_ones_and_random_bits(fake_launcher):
    launcher = fake_launcher("int a", "int out")
    some = cases_of(launcher, lambda a: a)
    assert len(some) == 90 - 4  # no special values, no ties, no NaN
    assert not any("integers" in case.label for case in some)
    values = torch.cat([case.inputs[0] for case in some if case.label != "random bits"])
    assert (values.min(), values.max(), values.dtype) == (-100, 99, torch.int32)
    (bits,) = [case.inputs[0] for case in some if case.label == "random bits"]
    assert bits.max() > 2**30 and bits.min() < -(2**30)


def test_integers_that_become_floats_lie_halfway(fake_launcher):
    some = cases_of(fake_launcher("int a", "half out"), lambda a: a)
    assert [case.label for case in some][52] == "integers halfway between two numbers"


def test_what_an_integer_cannot_hold_is_not_tried(fake_launcher):
    some = cases_of(fake_launcher("float a", "int out"), lambda a: a)
    for label in ("special values (0, inf, NaN, subnormals)", "NaNs of every kind"):
        (x,) = next(case.inputs for case in some if case.label == label)
        assert x.isfinite().all() and x.abs().max() <= 3 and (x == 1).any()
        assert bool((x == 0).any()) == label.startswith("special")


def test_an_absolute_error_may_be_allowed():
    case = replace(case_of(lambda a: a, [1.0, 5.0], ulp=0), within=(torch.tensor([0.5, 0.0]),))
    assert right(case, 1.5, 5.0) == [True, True]
    assert right(case, 1.5000001, 5.0000005) == [False, False]
    assert right(case, 5.0, elements=slice(1, 2)) == [True]


def larger(a, b):
    return torch.where(a > b, a, b)


def test_the_larger_of_two_zeros_has_either_sign():
    zeros = [0.0, -0.0, 0.0, -0.0, 5.0], [-0.0, 0.0, 0.0, -0.0, 0.0]
    case = case_of(larger, *zeros, ulp=0)
    assert case.either_zero(0).tolist() == [True, True, False, False, False]
    assert right(case, 0.0, -0.0, 0.0, -0.0, 5.0) == [True] * 5
    assert right(case, -0.0, 0.0, -0.0, 0.0, 0.0) == [True, True, False, False, False]
    assert right(case, 0.0, elements=slice(1, 2)) == [True]
    both = case_of(lambda a, b: (a + b, larger(a, b)), *zeros, dtypes=(torch.float32,) * 2)
    assert both.either_zero(1).tolist() == [True, True, False, False, False]
    assert not both.either_zero(0).any()
    difference = case_of(lambda a, b: a - b, [0.0, -0.0, 1.0], [-0.0, 0.0, 2.0], ulp=0)
    assert not difference.either_zero(0).any()  # another result, if they change places
    nan = case_of(larger, [math.nan, 0.0], [math.nan, -0.0])
    assert nan.either_zero(0).tolist() == [False, True]
    assert not case_of(lambda a: a, [0.0]).either_zero(0).any()


def test_relu_of_minus_zero_has_either_sign():
    values = [-0.0, 0.0, -1.0, -0.0]
    relu = case_of(torch.relu, values, ulp=0)
    assert relu.either_zero(0).tolist() == [True, False, False, True]
    assert right(relu, 0.0, -0.0, -0.0, -0.0) == [True, False, False, True]
    given = replace(relu, reference=None)  # somebody's own cases
    assert given.either_zero(0).tolist() == [True, False, False, True]
    for same in (lambda a: a, lambda a: 0.5 * a, torch.trunc, torch.abs):
        case = case_of(same, values)
        assert not case.either_zero(0)[:2].any()
    copy = replace(case_of(lambda a: a, values), reference=None)
    assert not copy.either_zero(0).any()
    assert not case_of(lambda a, b: a * b, [-0.0, 0.0], [0.0, -3.0]).either_zero(0).any()


def test_a_factor_of_0_makes_zeros_of_either_sign():
    values = [-3.0, 5.0, -0.0, 0.0]
    leaky = replace(
        case_of(lambda a: torch.where(a > 0, a, 0.0 * a), values, ulp=0),
        reference=None,
        arguments={"n": 4, "slope": 0.0},
    )
    assert leaky.either_zero(0).tolist() == [True, False, True, False]
    assert right(leaky, 0.0, 5.0, 0.0, 0.0) == [True] * 4
    for arguments in ({"n": 4, "slope": 0.5}, {"n": 4, "rows": 0}):
        assert not replace(leaky, arguments=arguments).either_zero(0)[0]
    scaled = replace(case_of(lambda a: 0.0 * a, values, ulp=0), arguments={"alpha": 0.0})
    assert scaled.either_zero(0).tolist() == [True, True, False, False]
    product = case_of(lambda a, b: a * b, [-3.0, -3.0], [0.0, 2.0])
    assert not product.either_zero(0).any()


def test_terms_of_float64_that_cancel_leave_slack():
    case = case_of(add, [1.0], [-1.0 + 2.0**-20], dtypes=(torch.float64,))
    assert case.slack[0].tolist() == pytest.approx([4 * 2.0**-52], rel=1e-5)


def test_a_narrower_integer_is_tried_on_integers_of_every_size(fake_launcher):
    def over_float(launcher, x, out, **arguments):
        out.copy_(x.float().double().clamp(-(2**31), 2**31 - 1))

    launcher = fake_launcher("int64_t a", "int out", over_float)
    some = cases_of(launcher, lambda a: a.clamp(-(2**31), 2**31 - 1))
    (case,) = [case for case in some if case.label == "integers of every size"]
    assert case.quick and int((case.inputs[0].abs() < 2**31).sum()) > 300
    assert "is exact only up to 16,777,216" in str(run_case(launcher, case, ROUNDS[0]))


def test_random_bits_leave_out_what_a_tolerant_check_cannot_tell(fake_launcher):
    launcher = fake_launcher("float a", "float out")
    for ulp, has_subnormal in ((0, True), (2, False)):
        some = cases_of(launcher, lambda a: a, ulp)
        (bits,) = [case.inputs[0] for case in some if case.label == "random bits"]
        small = (bits != 0) & (bits.abs() < 2.0**-126)
        assert bool(small.any()) == has_subnormal


def test_what_a_subnormal_input_loses_on_the_way():
    """0.5f * b rounds to a multiple of the smallest number, and c may be huge."""
    b = torch.tensor([2.0**-149, 3 * 2.0**-149, 2.0**-130, 2.0**-149, 1.0])
    c = torch.tensor([32.0, 32.0, 32.0, math.inf, 3.0])
    exact = 0.5 * b.double() * c.double()

    def case_of(**changes):
        options = {"dtypes": (torch.float32,), "reference": lambda b, c: 0.5 * b * c, "ulp": 1}
        return Case("case", (b, c), **{"expected": (exact,)} | options | changes)

    in_floats = 0.5 * b * c
    in_floats[0], in_floats[1], in_floats[3] = 0.0, 2.0**-143, math.nan
    assert bool(case_of().right(0, in_floats).all())
    assert bool(case_of(ulp=0).right(0, in_floats).all())  # in this order, to the last bit
    third = case_of(ulp=0, expected=(exact / 3,), reference=lambda b, c: b * c / 6)
    assert third.right(0, in_floats / 3).tolist()[:2] == [False, False]
    flushed = torch.tensor([0.0, 0.0, 0.0, 0.0, 0.75])
    for ulp in (0, 1):  # as a factor of 0.01 would make them, the first two may be 0
        told = case_of(ulp=ulp).right(0, flushed).tolist()
        assert told == [True, ulp > 0, False, False, False]


def test_a_factor_makes_a_small_input_subnormal():
    """In float32 0.01f * b loses bits, which a huge c shows, or becomes 0."""
    a = torch.tensor([0.0, -2e-27, 1.0, 0.0, -0.0])
    b = torch.tensor([1.2e-38, -1.4e-38, -1.4e-45, 3e-45, 1.0])
    c = torch.tensor([1.2e-38, 7.4e29, math.inf, 1.0, 2.0])

    def told(factor, made):
        def formula(a, b, c):
            return a - factor * b * c

        exact = formula(a.double(), b.double(), c.double())
        options = {"dtypes": (torch.float32,), "reference": formula, "ulp": 1}
        case = Case("case", (a, b, c), expected=(exact,), **options)
        return case.right(0, made).tolist()

    for factor in (0.01, 0.001, 0.5):
        assert all(told(factor, a - torch.tensor(factor) * b * c))
    flushed = torch.where(b.abs() < 1.5e-38, 0.0, b)
    assert told(0.5, a - 0.5 * flushed * c) == [True, False, True, True, True]


def test_a_factor_of_a_product_may_come_in_any_order():
    def half(b, c):
        return 0.5 * b * c

    least = 2.0**-149
    b = torch.tensor([3 * least, 5 * least, 1.5, 3 * least, 3e38])
    c = torch.tensor([3.0, 2.0**100, 2.0, 1.0, 1.5])
    exact = half(b.double(), c.double())
    case = Case("", (b, c), (exact,), dtypes=(torch.float32,), reference=half)
    for got in ((0.5 * b) * c, (0.5 * c) * b):
        assert bool(case.right(0, got).all())
    late = case.right(0, 0.5 * (b * c))
    assert late.tolist() == [True, True, True, True, False]  # the last one overflows
    assert not bool(case.right(0, got + 2.0**-140)[0])
    whole = Case(
        "", (b, c), (2 * exact,), dtypes=(torch.float32,), reference=lambda b, c: b * c
    )
    assert not bool(whole.right(0, 2 * (0.5 * b) * c).all())


def test_a_step_in_half_precision_is_no_slack():
    """A squared difference is off by up to 1.5 units, if the difference is rounded before."""
    x = torch.randn(4000, generator=torch.Generator().manual_seed(3)).half()
    a, b = x[:2000], x[2000:]

    def squared(a, b):
        return (a - b) * (a - b)

    exact = squared(a.double(), b.double())
    case = Case("", (a, b), (exact,), dtypes=(torch.float16,), reference=squared, ulp=1)
    assert bool(case.right(0, squared(a.float(), b.float()).half()).all())
    step = (a.float() - b.float()).half()
    assert not bool(case.right(0, step * step).all())
