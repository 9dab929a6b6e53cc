"""The elementwise cases: which sizes, values and starts are tried, and what they look like."""

import math

import pytest
import torch

from helpers.testing import cases
from helpers.testing.cases import Case, elementwise_cases, halfway_values, special_values

INF = math.inf


def add(a, b):
    return a + b


@pytest.fixture
def of_add(fake_launcher):
    return list(elementwise_cases(fake_launcher("float a, float b", "float out"), add))


def labels(some):
    return [case.label for case in some]


# ---- values


@pytest.mark.parametrize(
    ("dtype", "tiny", "eps", "largest"),
    [
        (torch.float32, 2.0**-126, 2.0**-23, (2 - 2.0**-23) * 2.0**127),
        (torch.float16, 2.0**-14, 2.0**-10, 65504.0),
        (torch.bfloat16, 2.0**-126, 2.0**-7, (2 - 2.0**-7) * 2.0**127),
    ],
)
def test_the_special_values(dtype, tiny, eps, largest):
    least = tiny * eps
    values = special_values(dtype)
    assert values.shape == (18,) and values.dtype is dtype
    expected = [0, 0, 1, -1, 1 + eps, 0.5, 3, least, -least, tiny - least, least - tiny]
    expected += [tiny, -tiny, largest, -largest, INF, -INF]
    assert values.tolist()[:-1] == expected
    assert values[-1].isnan()
    assert values[:2].signbit().tolist() == [False, True]


def test_every_special_value_meets_every_other():
    a, b, c = cases.pairs_of_specials([torch.float32, torch.float16, torch.float32])
    first, second = special_values(torch.float32), special_values(torch.float16)
    assert len(a) == len(b) == len(c) == 18 * 18
    for i in range(18):
        for j in range(18):
            at = 18 * i + j
            assert a[at].equal(first[i]) or first[i].isnan()
            assert b[at].equal(second[j]) or second[j].isnan()
            third = first[(i + j) % 18]
            assert c[at].equal(third) or third.isnan()


def test_there_are_no_special_values_of_whole_numbers():
    assert cases.pairs_of_specials([torch.float32, torch.int32]) == ()
    assert cases.pairs_of_specials([]) == ()
    assert halfway_values([torch.int32], torch.float32) == ()
    assert halfway_values([torch.float32], torch.int32) == ()
    assert halfway_values([], torch.float32) == ()


@pytest.mark.parametrize("dtype", [torch.float32, torch.float16, torch.bfloat16])
def test_a_sum_of_halfway_values_is_a_tie(dtype):
    a, b, c = halfway_values([dtype] * 3, dtype)
    assert len(a) == len(b) == len(c) == 600 and (c == 1).all()
    unit = torch.exp2(a.double().abs().log2().floor()) * torch.finfo(dtype).eps
    assert torch.equal(b.double(), unit / 2)
    assert (a.double() % unit == 0).all()  # a has no bits below its unit
    assert bool((a[::2] < 0).all()) and bool((a[1::2] > 0).all())
    assert 2.0**-6 <= a.double().abs().min() < 2.0**-5
    assert 2.0**6 < a.double().abs().max() < 2.0**7
    odd = (a.double() / unit) % 2 == 1
    assert 200 < int(odd.sum()) < 400  # a tie to even goes up as often as down


def test_a_cast_of_halfway_values_is_near_a_tie():
    (x,) = halfway_values([torch.float64], torch.float16)
    unit = torch.exp2(x.abs().log2().floor()) * 2.0**-10
    beside = (x.abs() / unit) % 1 - 0.5  # in units; the sign of x inverts it
    expected = [0, 2.0**-8, 2.0**-8, 2.0**-30, 2.0**-30]
    assert torch.allclose(beside.abs(), torch.tensor(expected).double().repeat(120), atol=1e-12)
    assert (beside != 0).sum() == 480 and (beside > 0).sum() == (beside < 0).sum()


def test_values_of_another_narrower_dtype_are_not_shifted():
    (same,) = halfway_values([torch.float16], torch.float16)
    (wider,) = halfway_values([torch.float16], torch.float32)
    assert not torch.equal(same, wider)
    assert same.dtype is wider.dtype is torch.float16


# ---- a case


def test_a_case_rounds_its_outputs_once_and_flat():
    exact = torch.tensor([[1 + 2.0**-11 + 2.0**-40, 2.0]], dtype=torch.float64)
    case = Case("x", (), (exact, exact[:, :1]), dtypes=(torch.float16, torch.int32))
    assert case.wanted[0].tolist() == [1 + 2.0**-10, 2.0]
    assert case.wanted[1].dtype is torch.int32
    assert case.size == 2


# ---- the list


def test_there_are_129_cases_with_and_105_without_a_block_size(fake_launcher, of_add):
    assert len(of_add) == 129
    plain = fake_launcher("float a, float b", "float out", scalars="")
    assert len(list(elementwise_cases(plain, add))) == 129 - 24


def test_sizes_and_seeds(of_add):
    assert of_add[0].label == "n = 0, seed 0" and of_add[0].inputs[0].numel() == 0
    assert labels(of_add)[1:4] == ["n = 1, seed 0", "n = 1, seed 1", "n = 1, seed 2"]
    sizes = [case.size for case in of_add[1 : 1 + 31 * 3 + 4]]
    assert sizes == sorted(sizes)
    assert len(set(sizes)) == 35 and {1, 2, 3, 4, 5, 7, 8, 9, 31, 33, 1025, 4099} <= set(sizes)
    assert [sizes.count(n) for n in (4099, 65535, 65536, 65537, 100003)] == [3, 1, 1, 1, 1]


def test_the_other_cases_in_order(of_add):
    rest = labels(of_add)[98:]
    assert rest[:3] == [
        "special values (0, inf, NaN, subnormals)",
        "halfway between two numbers",
        "n = 1,000, a second call",
    ]
    assert rest[3] == "n = 1, seed 5, starting 1 elements into a buffer"
    assert rest[4:7] == [
        f"n = {n}, seed 5, starting 1 elements into a buffer" for n in ("7", "257", "4,099")
    ]
    assert rest[7:10] == [f"n = {n}, seed 7, block_size = 32" for n in ("1", "1,000", "70,001")]
    sizes = [case.arguments["block_size"] for case in of_add[105:]]
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
    for case, seed in ((of_add[5], 2001), (of_add[100], 1000_011)):
        generator = torch.Generator().manual_seed(seed)
        for x in case.inputs:
            expected = torch.randn(len(x), dtype=torch.float64, generator=generator)
            assert torch.equal(x, expected.float())


def test_a_second_call_has_other_inputs_before(of_add):
    (second,) = [case for case in of_add if case.before]
    assert second is of_add[100]
    for x, y in zip(second.before, second.inputs, strict=True):
        assert x.shape == y.shape == (1000,) and not torch.equal(x, y)


@pytest.mark.parametrize(
    ("inputs", "output", "alignment", "offset"),
    [
        ("float a, float b", "float out", {}, 1),
        ("float a, float b", "float out", {"a": 16}, 4),
        ("float a, float b", "half out", {"a": 16, "out": 16}, 8),
        ("half a, half b", "half out", {"a": 4}, 2),
    ],
)
def test_shifted_starts_keep_every_declared_alignment(
    fake_launcher, inputs, output, alignment, offset
):
    launcher = fake_launcher(inputs, output, alignment=alignment)
    shifted = [case for case in elementwise_cases(launcher, add) if case.offset]
    assert [case.size for case in shifted] == [1, 7, 257, 4099]
    assert {case.offset for case in shifted} == {offset}
    for parameter in launcher.declaration.tensors:
        assert offset * parameter.dtype.itemsize % parameter.address_multiple == 0


def test_arguments_tolerance_and_several_outputs_are_passed_on(fake_launcher):
    launcher = fake_launcher("float a", "float out, float other")
    some = list(elementwise_cases(launcher, lambda a: (a, -a), 2.5, path=3))
    assert all(case.arguments["path"] == 3 and case.ulp == 2.5 for case in some)
    assert some[-1].arguments == {"path": 3, "block_size": 1024}
    assert len(some[5].expected) == 2 and some[5].dtypes == (torch.float32,) * 2


def test_whole_numbers_lie_between_minus_100_and_99(fake_launcher):
    launcher = fake_launcher("int a", "int out")
    some = list(elementwise_cases(launcher, lambda a: a))
    assert len(some) == 127  # no special values, no ties
    values = torch.cat([case.inputs[0] for case in some])
    assert (values.min(), values.max(), values.dtype) == (-100, 99, torch.int32)
