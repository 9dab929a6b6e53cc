"""Cases of kernels that reduce an array to a number: every size, start values, huge sums."""

import pytest
import torch

from helpers.emulator import REVERSE
from helpers.errors import FaultKind, KernelFault
from helpers.testing import whole
from helpers.testing.cases import Case, Untried
from helpers.testing.past_2_31 import Huge
from helpers.testing.run_cases import run_cases


def cases_of(function):
    return {case.label: case for case in whole.cases(function)}


def test_a_case_holds_the_exact_result_and_runs_once():
    x = torch.tensor([0.1, 0.2])
    case = whole.case("two", x, torch.sum, blocks=3)
    assert case.expected[0].tolist() == [float(x[0].double() + x[1].double())]
    assert (case.label, case.arguments, case.ulp, case.quick) == ("two", {"blocks": 3}, 0, True)
    assert case.dtypes == (torch.float32,)


def test_whole_numbers_reach_both_limits():
    x = whole.whole_numbers(1000, 3, 5)
    assert sorted(x.unique().tolist()) == list(range(-5, 6)) and x.dtype is torch.float32
    assert torch.equal(x, whole.whole_numbers(1000, 3, 5))
    assert not torch.equal(x, whole.whole_numbers(1000, 4, 5))


@pytest.mark.parametrize(
    ("function", "selects"),
    [
        (torch.max, True),
        (torch.min, True),
        (lambda x: x.abs().max(), True),
        (torch.sum, False),
        (lambda x: (x > 0).double().sum(), False),
    ],
)
def test_a_maximum_takes_one_of_the_elements_and_a_sum_does_not(function, selects):
    assert whole.selects(function) is selects
    labels = cases_of(function)
    assert ("n = 33, fractions" in labels) is selects
    assert ("n = 33, all numbers below -1e+30" in labels) is selects
    assert ("n = 33, all -inf" in labels) is ("n = 33, all inf" in labels) is selects


def test_every_size_up_to_70_is_tried_here_or_with_several_seeds_elsewhere():
    sizes = {len(case.inputs[0]) for case in whole.cases(torch.sum)}
    assert whole.FAR not in sizes  # a sum shows a lost element anyway
    assert sizes == set(range(1, 71)) - {1, 2, 3, 5, 31, 32} | {1000, whole.PLANTED}
    assert float(cases_of(torch.sum)["n = 64"].inputs[0].abs().max()) <= 9


@pytest.mark.parametrize(
    ("function", "labels"),
    [
        (torch.sum, {"quarters", "whole numbers to 5,000", "whole numbers to 50"}),
        (lambda x: (x * x).sum(), {"quarters", "whole numbers to 50"}),
        (lambda x: x.max() - x.min(), set()),
        (lambda x: x.square().sum().sqrt(), set()),
        (torch.max, set()),
    ],
)
def test_fractions_and_large_numbers_are_added_up_exactly(function, labels):
    fine = {
        label.partition(", ")[2]: case
        for label, case in cases_of(function).items()
        if label.startswith("n = 1,000, ") and case.function and whole.adds_up(function)
    }
    assert set(fine) == labels
    for case in fine.values():
        x = case.inputs[0]
        assert float(function(x)) == float(case.expected[0])  # in float32


def test_numbers_lie_on_one_side_of_every_start_value():
    labels = cases_of(torch.max)
    for level in (-1.0, -1e5, -1e30):
        x = labels[f"n = 1,000, all numbers below {level:g}"].inputs[0]
        assert bool((x <= level).all()) and bool(x.isfinite().all())
    for level in (1.0, 1e5, 1e30):
        x = labels[f"n = 4,099, all numbers above {level:g}"].inputs[0]
        assert bool((x >= level).all()) and len(x) == 4099
    scale = labels["n = 1,000, fractions of every magnitude"].inputs[0].abs()
    assert float(scale.min()) < 1e-30 and float(scale.max()) > 1e30


def test_one_element_decides_at_every_32nd_place_and_at_the_ends():
    planted = [case for case in whole._planted(torch.max)]
    high = [int(case.inputs[0].argmax()) for case in planted if "others -5" in case.label]
    low = [int(case.inputs[0].argmin()) for case in planted if "others 5" in case.label]
    assert high == low
    assert set(high) >= set(range(0, 2049, 32)) | {1, 31, 127, 2047, 2048}
    first, second = planted[:2]
    assert first.label == "n = 2,049, 100 at index 0, all others -5"
    assert second.label == "n = 2,049, -100 at index 0, all others 5"
    assert len({float(case.inputs[0].max()) for case in planted[::2]}) == len(high)
    for case in planted:
        values = case.inputs[0].unique()
        assert len(values) == 2 and len(case.inputs[0]) == 2049


def test_one_element_decides_in_each_part_of_a_long_array():
    far = [x for x in whole.cases(torch.max) if len(x.inputs[0]) == 300_007]
    high = [int(x.inputs[0].argmax()) for x in far if "others -5" in x.label]
    assert high == [k * 300_006 // 16 for k in range(17)]
    low = [int(x.inputs[0].argmin()) for x in far if "others 5" in x.label]
    assert low == [0, 150_003, 300_006]
    assert far[0].label == "n = 300,007, 100 at index 0, all others -5"


def test_large_arrays_end_where_the_numbers_are():
    long, larger, *huge = whole.large(torch.sum, blocks=64)
    assert isinstance(long, Case) and len(long.inputs[0]) == 1_048_579
    assert float(long.inputs[0].abs().max()) == 5
    x = larger.inputs[0]
    assert len(x) == (1 << 24) + (1 << 16) + 1 and x.nonzero()[0] >= len(x) - (1 << 17)
    assert [one.size for one in huge] == [(1 << 31) + 1001, (1 << 32) + 1024]
    assert all(one.arguments == {"blocks": 64} for one in (long, larger, *huge))


def test_a_huge_sum_is_known_from_its_end():
    huge = [one for one in whole.large(torch.sum) if isinstance(one, Huge)]
    assert huge[0].label == "n = 2,147,484,649" and huge[0].below == 1 << 20
    layout = huge[0].build(5000, 1024)
    ((shape, where, end),) = layout.inputs
    x = torch.zeros(shape)
    x[where] = end
    assert shape == (5000,) and int(x.count_nonzero()) == 1024 and bool((end >= 1).all())
    ((out, right),) = layout.outputs
    assert out == (1,) and layout.total and right.tolist() == [float(end.double().sum())]


def test_a_result_that_depends_on_the_zeros_is_not_tried_past_2_31():
    kinds = {type(one) for one in whole.large(lambda x: x.mean())}
    assert kinds == {Case}


# ---- the whole of what is tried


def test_each_case_of_a_maximum():
    labels = [f"n = {n}" for n in range(1, 71) if n not in (1, 2, 3, 5, 31, 32, 33)]
    sides = [(-1, "below -1"), (1, "above 1"), (-1, "below -100000"), (1, "above 100000")]
    sides += [(-1, "below -1e+30"), (1, "above 1e+30")]
    for n in ("33", "1,000", "4,099"):
        labels += [f"n = {n}, fractions", f"n = {n}, fractions of every magnitude"]
        labels += [f"n = {n}, all numbers {side}" for _, side in sides]
    labels += ["n = 33, all -inf", "n = 33, all inf"]
    for k in range(17):
        place = f"at index {k * 300_006 // 16:,}, all others"
        labels.append(f"n = 300,007, {100 + k} {place} -5")
        if k in (0, 8, 16):
            labels.append(f"n = 300,007, -{100 + k} {place} 5")
    places = [*range(0, 2049, 32), *range(31, 2049, 96), 1, 2047, 2048]
    for k, place in enumerate(places):
        at = f"at index {place:,}, all others"
        labels += [f"n = 2,049, {100 + k} {at} -5", f"n = 2,049, -{100 + k} {at} 5"]
    assert [case.label for case in whole.cases(torch.max)] == labels


def test_small_sizes_hold_numbers_up_to_9_and_fractions_are_normal():
    labels = cases_of(torch.max)
    many = torch.cat([labels[f"n = {n}"].inputs[0] for n in range(34, 71)])
    assert (float(many.min()), float(many.max())) == (-9, 9)
    x = labels["n = 4,099, fractions"].inputs[0]
    assert x.shape == (4099,) and abs(float(x.mean())) < 0.05 and abs(float(x.std()) - 1) < 0.05
    scaled = labels["n = 4,099, fractions of every magnitude"].inputs[0]
    ratio = (scaled.double() / x.double()).log2()
    assert float(ratio[0]) == pytest.approx(-120) and float(ratio[-1]) == pytest.approx(120)
    assert float(ratio.diff().max()) < 0.06
    for sign, side in ((-1, "below -1"), (1, "above 1")):
        one_side = labels[f"n = 4,099, all numbers {side}"].inputs[0]
        assert torch.equal(one_side, sign * (1 + x.abs()))


def test_each_element_that_decides_stands_among_equal_ones():
    for case in whole.cases(torch.max):
        if "all others" in case.label:
            x = case.inputs[0]
            sign = 1 if "others -5" in case.label else -1
            place = int((sign * x).argmax())
            others = torch.cat([x[:place], x[place + 1 :]])
            assert others.unique().tolist() == [-5.0 * sign]
            assert f"{x[place]:g} at index {place:,}," in case.label
            assert case.expected[0].tolist() == [float(x.max())] and case.quick


def test_the_numbers_of_large_arrays():
    long, larger, *_ = whole.large(torch.sum)
    assert long.label == "n = 1,048,579" and larger.label == "n = 16,842,753"
    assert sorted(long.inputs[0].unique().tolist()) == list(range(-5, 6))
    x = larger.inputs[0]
    assert sorted(x[-(1 << 17) :].unique().tolist()) == list(range(-5, 6))
    assert not x[: -(1 << 17)].any()
    assert larger.expected[0].tolist() == [float(x.double().sum())]
    maximum = list(whole.large(torch.max))
    assert maximum[1].expected[0].tolist() == [5.0] and len(maximum) == 4
    mean = list(whole.large(torch.mean))
    assert len(mean) == 2 and mean[1].expected[0].tolist() == [float(x.double().mean())]


def test_the_end_of_a_huge_array_holds_numbers_from_1_to_10():
    huge = [one for one in whole.large(torch.sum) if isinstance(one, Huge)]
    assert [one.below for one in huge] == [1 << 20] * 2
    ((shape, where, end),) = huge[1].build(5000, 7).inputs
    assert end.shape == (1024,) and where == slice(-1024, None) and shape == (5000,)
    assert sorted(end.unique().tolist()) == list(range(1, 11))


def spread(x):
    return x.max() - x.min()


@pytest.mark.parametrize(
    ("function", "ignores"),
    [(torch.max, True), (spread, True), (torch.sum, False), (lambda x: (x * x).sum(), False)],
)
def test_what_ignores_repeats_is_tried_on_a_long_array(function, ignores):
    assert whole.ignores_repeats(function) is ignores
    far = [x for x in whole.cases(function) if len(x.inputs[0]) == whole.FAR]
    assert len(far) == (20 if ignores else 0)


@pytest.mark.parametrize(
    ("kernel", "reason"),
    [
        (torch.max, None),
        (lambda x: x[~x.isnan()].max(), "fmaxf and fminf drop it, torch.max and torch.min"),
        (
            lambda x: x[0] if x[0].isnan() else x[1:].nan_to_num(-9).max(),
            "this kernel keeps it",
        ),
    ],
)
def test_what_a_maximum_makes_of_a_nan(fake_launcher, kernel, reason):
    def launch(launcher, x, out, **arguments):
        out[0] = kernel(x)

    launcher = fake_launcher("float x", "float out", launch)
    some = whole.of_a_nan(launcher, torch.max)
    untried = [one for one in some if isinstance(one, Untried)]
    assert [one.label for one in untried] == ["NaN"] * (reason is not None)
    assert all(one.reason.startswith(reason) for one in untried)


def test_what_becomes_of_a_nan_is_open_on_a_gpu_and_after_a_fault(fake_launcher):
    def fails(launcher, x, out, **arguments):
        raise KernelFault("a fault")

    launcher = fake_launcher("float x", "float out", fails)
    (untried,) = whole.of_a_nan(launcher, torch.max)
    assert untried.reason.startswith("fmaxf")
    launcher.on_gpu = True
    assert len(list(whole.of_a_nan(launcher, torch.max))) == 1 and len(launcher.calls) == 7


def test_a_maximum_that_keeps_a_nan_is_tried_on_each_kind(fake_launcher):
    def tried(kernel):
        def launch(launcher, x, out, **arguments):
            out[0] = kernel(x)

        return list(whole.of_a_nan(fake_launcher("float x", "float out", launch), torch.max))

    cases = tried(torch.max)
    nans = torch.cat([case.inputs[0][case.inputs[0].isnan()] for case in cases])
    patterns = nans.view(torch.int32)
    assert len(nans) == len(cases) == 24 and len(patterns.unique()) == 8
    assert int((patterns < 0).sum()) == 12 and all(x.expected[0].isnan() for x in cases)
    assert cases[0].label == "n = 2,049, NaN (0x7f800001) at index 0"
    (one,) = tried(lambda x: x[x == x].max())
    assert isinstance(one, Untried) and one.label == "NaN"


def nan_kernel(fake_launcher, kernel, function=torch.max):
    def launch(launcher, x, out, **arguments):
        out[0] = kernel(launcher, x)

    launcher = fake_launcher("float x", "float out", launch)
    return launcher, list(whole.of_a_nan(launcher, function))


@pytest.mark.parametrize("function", [torch.max, torch.min])
def test_a_nan_by_the_order_of_the_blocks_is_a_case(fake_launcher, function):
    def kernel(launcher, x):
        """Combine blocks of 32 in the order of the launch, by one comparison."""
        order = (1, -1)[launcher.emulator.mode == REVERSE]
        blocks = [function(block[~block.isnan()]) for block in x.split(32)]
        if bool(x[-1].isnan()):
            blocks[-1] = x[-1]
        return blocks[::order][-1] if bool(blocks[::order][-1].isnan()) else function(x[x == x])

    launcher, (one,) = nan_kernel(fake_launcher, kernel, function)
    assert isinstance(one, Case) and bool(one.inputs[0].isnan().any()) and not one.quick
    assert one.label == "n = 64, NaN at index 63"
    found = run_cases(launcher, [one]).found
    assert str(found).startswith("a NaN that goes in comes out or is lost, by which warp or")


def test_a_nan_that_makes_a_kernel_endless_is_a_case(fake_launcher):
    def kernel(launcher, x):
        if bool(x.isnan().any()):
            raise KernelFault("still running after 1 s", kind=FaultKind.TIMEOUT)
        return x.max()

    launcher, (one,) = nan_kernel(fake_launcher, kernel)
    assert isinstance(one, Case) and len(launcher.calls) == 2 and not one.quick
    found = run_cases(launcher, [one]).found
    assert (
        str(found).startswith("with a NaN among the numbers it never ends") and not found.fault
    )

    def slow(launcher, x):
        raise KernelFault("still running after 1 s", kind=FaultKind.TIMEOUT)

    assert isinstance(nan_kernel(fake_launcher, slow)[1][0], Untried)
