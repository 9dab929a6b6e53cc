"""Further cases: one that says more than the first that went wrong."""

import math
from dataclasses import replace
from unittest import mock

import pytest
import torch

from helpers.errors import FaultKind, KernelFault, LaunchError
from helpers.testing import more_cases, races
from helpers.testing import run_cases as run_cases_module
from helpers.testing.cases import Case
from helpers.testing.experiment import Remembered
from helpers.testing.experiments.explain_calls import BY_DEFAULT
from helpers.testing.mismatch import Diagnosis
from helpers.testing.more_cases import (
    more_specific,
    of_all_numbers,
    of_lanes_that_stay,
    of_large_integers,
    of_more_blocks,
    of_more_elements,
    of_more_numbers,
    of_more_rows,
    of_no_rounding,
    of_no_ties,
    of_ordinary_arrays,
    of_ordinary_numbers,
    of_special_values,
)
from helpers.testing.patience import OutOfTime
from helpers.testing.patterns.wrong_numbers import ONLY_ZEROS
from helpers.testing.run_case import NO_BLOCKS, ROUNDS, Failure, run_case
from tests.testing.test_explain import doubling


def constant_from(least):
    def function(launcher, x, out, **arguments):
        if len(x) >= least:
            out.fill_(1.0)
        else:
            out.copy_(2 * x)

    return function


def test_the_next_specific_failure_of_many_elements(fake_launcher):
    launcher = fake_launcher("float x", "float out", constant_from(30))
    cases, passed = iter([doubling(n) for n in (8, 30, 32, 33, 40)]), []
    failure = more_specific(launcher, cases, passed)
    assert failure.case.label == "n = 33" and "a constant" in str(failure)
    assert [case.label for case in passed] == ["n = 8"]
    assert next(cases, None) is None  # more elements might have been no constant


def test_a_tail_of_few_elements_gives_way_to_more(fake_launcher):
    def second_block(launcher, x, out, **arguments):
        out.copy_(2 * x)
        if len(x) > 32:
            out[32:] = 2 * x[: len(x) - 32]

    launcher = fake_launcher("float x", "float out", second_block)
    first = run_case(launcher, doubling(33), ROUNDS[0])
    assert first.diagnosis.doubt == 1 and "tail" in str(first)
    assert of_more_elements(launcher, first, iter([])) is first
    again = of_more_elements(launcher, first, iter([doubling(20), doubling(34), doubling(60)]))
    assert again.case.label == "n = 60" and not again.diagnosis.doubt
    late = iter([*[doubling(33)] * 10, doubling(50)])
    assert of_more_elements(launcher, first, late).case.label == "n = 50"
    late = iter([*[doubling(33)] * 100, doubling(60)])  # as many of one size may come first
    assert of_more_elements(launcher, first, late).case.label == "n = 60"
    late = iter([*[doubling(33)] * 1000, doubling(60)])
    assert of_more_elements(launcher, first, late) is first
    assert of_more_elements(launcher, first, iter([doubling(49)])) is first
    assert of_more_elements(launcher, first, iter([doubling(5001)])) is first
    assert of_more_elements(launcher, first, iter([doubling(5000)])).case.label == "n = 5000"
    for how in ROUNDS:
        late = replace(first, round=how)
        assert of_more_elements(launcher, late, iter([doubling(60)])).round == how


def test_nothing_written_gives_way_to_a_tail_and_that_to_more(fake_launcher):
    def odd_one_lost(launcher, x, out, **arguments):
        kept = len(x) // 2 * 2 if len(x) < 20 else 1
        out[:kept] = 2 * x[:kept]

    launcher = fake_launcher("float x", "float out", odd_one_lost)
    first = run_case(launcher, doubling(1), ROUNDS[0])
    assert first.diagnosis.doubt == 3
    small = [doubling(n) for n in (1, 2, 3)]
    assert of_more_elements(launcher, first, iter(small)).case.label == "n = 3"
    more = [*small, doubling(20), doubling(40), doubling(41)]
    assert of_more_elements(launcher, first, iter(more)).case.label == "n = 20"


def test_large_cases_are_left_out_of_the_search(fake_launcher):
    launcher = fake_launcher("float x", "float out", constant_from(3000))
    assert more_specific(launcher, iter([doubling(3000)]), []).case.size == 3000
    assert more_specific(launcher, iter([doubling(3001)]), []) is None
    assert launcher.calls and more_specific(launcher, iter([]), []) is None
    launcher = fake_launcher("float x", "float out", constant_from(30))
    beyond = iter([doubling(3001), doubling(40)])
    assert more_specific(launcher, beyond, []).case.size == 40


def test_special_values_are_left_out_of_the_search(fake_launcher):
    launcher = fake_launcher("float x", "float out", constant_from(1))
    special = doubling(40)
    special.inputs[0][7] = float("inf")
    assert more_specific(launcher, iter([special]), []) is None
    assert more_specific(launcher, iter([special, doubling(50)]), []).case.size == 50
    total = replace(special, expected=(torch.zeros(1).double(),))
    assert not more_cases._has_specials(total) and more_cases._has_specials(special)
    whole = replace(doubling(3), inputs=(torch.arange(3),))
    assert not more_cases._has_specials(whole)


def test_a_hundred_cases_are_searched_and_more_if_they_are_small(fake_launcher):
    launcher = fake_launcher("float x", "float out", constant_from(40))
    for n, found in ((2, True), (39, False)):
        some = [doubling(n)] * 100
        assert bool(more_specific(launcher, iter([*some, doubling(40)]), [])) is found
        assert more_specific(launcher, iter([*some[1:], doubling(40)]), [])
    calls = len(launcher.calls)
    more_specific(launcher, iter([doubling(2)] * 200), [])
    assert len(launcher.calls) == calls + 100  # of a few elements no more are run


def test_another_vague_failure_says_more_only_if_no_case_of_many_elements_is_right(
    fake_launcher,
):
    def strange(launcher, x, out, **arguments):
        out.copy_(2 * x - 100 * (1 + x.cos()))

    launcher = fake_launcher("float x", "float out", strange)
    found = more_specific(launcher, iter([doubling(2), doubling(33)]), [])
    assert found.diagnosis.sentence.startswith(
        "33 of 33 elements are wrong, nearly all: is the"
    )

    def half_right(launcher, x, out, **arguments):
        out.copy_(2 * x if len(x) == 34 else 2 * x - 100 * (1 + x.cos()))

    launcher = fake_launcher("float x", "float out", half_right)
    assert more_specific(launcher, iter([doubling(33), doubling(34)]), []) is None
    # Zeros, and numbers that come out as they went in, are right by many formulas.
    x, zeros = doubling(34).inputs[0], torch.zeros(34)
    for case in (
        replace(doubling(34), inputs=(zeros,), expected=(zeros.double(),)),
        replace(doubling(34), expected=(x.double(),)),
    ):

        def right_of_it(launcher, y, out, case=case, **arguments):
            out.copy_(case.expected[0] if len(y) == 34 else 2 * y - 100 * (1 + y.cos()))

        launcher = fake_launcher("float x", "float out", right_of_it)
        assert more_specific(launcher, iter([doubling(33), case]), [])


def test_a_formula_that_other_numbers_refute_depends_on_the_values(fake_launcher):
    def wrong_of_a_first(launcher, x, out, **arguments):
        out.copy_(-2 * x if x[0] == 1 else 2 * x)

    launcher = fake_launcher("float x", "float out", wrong_of_a_first)
    first = run_case(launcher, doubling(33, reference=lambda x: 2 * x), ROUNDS[0])
    assert first.diagnosis.formula and "-1 times" in str(first)
    for after in ((), [doubling(34)] * 3, [doubling(32, 7.0)], [doubling(3001, 7.0)]):
        assert of_all_numbers(launcher, first, iter(after)) is first
    other = [*[doubling(34)] * 2, doubling(35, 7.0)]
    assert of_all_numbers(launcher, first, iter(other)).diagnosis == Diagnosis(
        "33 of 33 elements are wrong, though other numbers came out right (n = 35): it depends "
        "on the values",
        depends=True,
    )
    assert of_all_numbers(launcher, first, iter([*[doubling(34)] * 3, *other])) is first
    zeros = [0 * x for x in (*other[-1].inputs, *other[-1].expected)]
    of_zeros = replace(other[-1], inputs=(zeros[0],), expected=(zeros[1],))
    assert of_all_numbers(launcher, first, iter([of_zeros])) is first  # any factor is right
    plain = replace(first, diagnosis=Diagnosis("it is wrong"))
    assert of_all_numbers(launcher, plain, iter(other)) is plain
    # A factor of 1, say, hides what is done with it.
    with_another = [replace(case, arguments={"alpha": 1.0}) for case in other]
    assert of_all_numbers(launcher, first, iter(with_another)) is first


def test_what_a_case_of_ordinary_numbers_refutes_is_not_said(fake_launcher):
    def strange(launcher, x, out, **arguments):
        out.copy_(2 * x - 100 * (1 + x.cos()))
        if len(x) == 40:
            out.copy_(-2 * x)
        if len(x) == 50:
            out.copy_(2 * x)
            out[-5:] = 7.0

    launcher = fake_launcher("float x", "float out", strange)

    def found(*sizes):
        cases = [doubling(n, reference=lambda x: 2 * x) for n in sizes]
        return more_specific(launcher, iter(cases), [])

    assert "-1 times" in str(found(40)) and "the last 5 elements are wrong" in str(found(50))
    assert found(33, 40).case.label == found(33, 50).case.label == "n = 33"


def test_what_is_said_of_special_values_alone_is_refuted_by_ordinary_ones():
    """Of a matrix with an infinity, only results that are infinite may be wrong by chance."""
    some = Failure(doubling(12), ROUNDS[0], Diagnosis("", specific=False, wrong=12))
    told = Diagnosis("only infinity goes wrong", special=True, wrong=12)
    only = Failure(doubling(12), ROUNDS[0], told)
    assert more_cases._is_refuted(only, some)
    few = replace(some, diagnosis=replace(some.diagnosis, wrong=3))
    assert not more_cases._is_refuted(only, few)
    assert not more_cases._is_refuted(
        replace(only, diagnosis=replace(told, special=False)), some
    )


def test_that_large_numbers_overflow_is_not_the_fault_where_most_small_ones_are_wrong():
    told = Diagnosis("infinity came out of finite numbers", overflows=True, wrong=12)
    infinite = Failure(doubling(12), ROUNDS[0], told)
    for wrong, refuted in ((12, True), (9, False)):
        vague = Failure(doubling(12), ROUNDS[0], Diagnosis("", specific=False, wrong=wrong))
        assert more_cases._is_refuted(infinite, vague) is refuted
    other = replace(infinite, diagnosis=replace(told, overflows=False))
    assert not more_cases._is_refuted(other, vague)


def test_zeros_of_numbers_below_zero_are_kept(fake_launcher):
    def zeros(launcher, x, out, **arguments):
        out.copy_(0 * x)
        if len(x) > 40:
            out.copy_(2 * x)
            out[-3:] = 0
            out[1] += x[0] + 1e3  # no operator, of which each is made of its own element

    launcher = fake_launcher("float x", "float out", zeros)
    larger = doubling(60, -1e3)
    below = run_case(launcher, doubling(2, -9.0), ROUNDS[0])
    assert below.diagnosis.zeros and below.diagnosis.doubt == 2
    assert of_more_elements(launcher, below, iter([larger])) is below
    turned = replace(below, case=doubling(2, -9.0, expected=(torch.ones(2).double(),)))
    assert of_more_elements(launcher, turned, iter([larger])).case.size == 60


def test_a_formula_may_be_that_of_some_sizes(fake_launcher):
    def turned_in_packs(launcher, x, out, **arguments):
        out.copy_(-2 * x if len(x) % 8 == 0 else 2 * x)

    def normal(n):
        x = torch.randn(n, generator=torch.Generator().manual_seed(n))
        case = doubling(n, reference=lambda x: 2 * x)
        return replace(case, inputs=(x,), expected=(2 * x.double(),))

    launcher = fake_launcher("float x", "float out", turned_in_packs)
    first = run_case(launcher, normal(40), ROUNDS[0])
    told = of_all_numbers(launcher, first, iter([normal(41)])).diagnosis.sentence
    assert "-1 times" in told and told.endswith("Only in some sizes: n = 41 came out right")


def test_what_is_said_of_a_few_elements_must_hold_for_many(fake_launcher):
    def strange(launcher, x, out, **arguments):
        out.copy_(2 * x - 100 * (1 + x.cos()))
        if len(x) < 4:
            out.copy_(0 * x)

    launcher = fake_launcher("float x", "float out", strange)
    first = run_case(launcher, doubling(2, 9.0), ROUNDS[0])
    assert first.diagnosis.zeros
    again = of_more_elements(launcher, first, iter([doubling(40)]))
    assert again.case.size == 40 and not again.diagnosis.specific


def test_a_formula_of_a_few_numbers_must_recur(fake_launcher):
    launcher = fake_launcher("float x", "float out", constant_from(1))
    first = run_case(launcher, doubling(33), ROUNDS[0])
    told = replace(first.diagnosis, formula=True, recurs=True)
    assert "a constant" in told.sentence
    others = [doubling(34), doubling(35)]
    same = replace(first, diagnosis=told)
    assert of_all_numbers(launcher, same, iter(others)) is same
    other = replace(first, diagnosis=replace(told, sentence="the sum of something"))
    assert of_all_numbers(launcher, other, iter(others)).diagnosis == Diagnosis(
        "33 of 33 elements are wrong", specific=False, wrong=33
    )


def test_a_matrix_of_one_column_refutes_no_other_index(fake_launcher):
    def by_the_row(launcher, x, y, out, **arguments):
        out.copy_(x + y[torch.arange(len(x)) % len(y)][:, None])

    def table(rows, columns):
        x = torch.randint(99, (rows, columns), generator=torch.Generator().manual_seed(rows))
        x, y = x.int(), torch.arange(1, columns + 1, dtype=torch.int32)
        right = (x.double() + y.double(),)
        return Case(f"{rows} x {columns}", (x, y), right, dtypes=(torch.int32,))

    launcher = fake_launcher("int x, int y", "int out", by_the_row)
    first = run_case(launcher, table(7, 9), ROUNDS[0])
    assert "input 2[row], not input 1 + input 2[column]" in first.diagnosis.sentence
    others = [table(40, 1), table(8, 9)]
    assert of_all_numbers(launcher, first, iter(others)).diagnosis == first.diagnosis
    plain = replace(first, diagnosis=replace(first.diagnosis, recurs=False))
    told = of_all_numbers(launcher, plain, iter(others)).diagnosis
    assert "other numbers came out right (40 x 1)" in told.sentence


def test_what_is_said_of_special_values_must_hold_for_ordinary_ones(fake_launcher):
    def rounds(launcher, x, out, **arguments):
        out.copy_((2 * x).half())

    def right(launcher, x, out, **arguments):
        out.copy_(2 * x)

    told = Diagnosis("only the sign of zero goes wrong", wrong=9, special=True)
    failure = Failure(doubling(40), ROUNDS[0], told)
    x = torch.linspace(1, 3, 50)
    ordinary = Case("others", (x,), (2 * x.double(),), dtypes=(torch.float32,))
    other = of_ordinary_numbers(
        fake_launcher("float x", "float out", rounds), failure, [ordinary]
    )
    assert other.case is ordinary and "float16" in str(other)
    kept = of_ordinary_numbers(
        fake_launcher("float x", "float out", right), failure, [ordinary]
    )
    assert kept is failure
    nans = Case("NaN", (x * torch.nan,), (2 * x.double(),), dtypes=(torch.float32,))
    launcher = fake_launcher("float x", "float out", rounds)
    assert of_ordinary_numbers(launcher, failure, [nans]) is failure
    plain = replace(failure, diagnosis=replace(told, special=False))
    launcher = fake_launcher("float x", "float out", rounds)
    assert of_ordinary_numbers(launcher, plain, [ordinary]) is plain


@pytest.mark.parametrize(
    ("made", "words"),
    [
        (lambda x: x * x.rsqrt(), "NaN came out where a number should: is 0 multiplied by"),
        (
            lambda x: 1 / x.rsqrt().clamp(max=1e9) + 1 / x - 1 / x.clamp(1e-9),
            "infinity came out",
        ),
        (torch.sqrt, ""),
    ],
)
def test_what_special_values_make_says_more_than_a_few_last_digits(fake_launcher, made, words):
    def kernel(launcher, x, out, **arguments):
        out.copy_(made(x))

    x = torch.tensor([0.0, 4.0, 9.0, 16.0, 25.0, math.inf, 36.0, 49.0, 0.0])
    special = Case("special", (x,), (x.double().sqrt(),), dtypes=(torch.float32,))
    told = Diagnosis("off by one in the last place", wrong=2, nearly=True)
    failure = Failure(doubling(40), ROUNDS[0], told)
    launcher = fake_launcher("float x", "float out", kernel)
    found = of_special_values(launcher, failure, [doubling(5), special])
    assert found.diagnosis.sentence.startswith(words) if words else found is failure
    told_of = Diagnosis(f"{ONLY_ZEROS}: -0.0 must stay -0.0")
    others = replace(failure, diagnosis=told_of)  # 0 came out of another number
    assert of_special_values(launcher, others, [special]) is others
    none = replace(failure.case, inputs=(torch.zeros(40),))
    zeros = replace(failure, case=none, diagnosis=told_of)
    found = of_special_values(launcher, zeros, [special])
    assert found.diagnosis.sentence.startswith(words) if words else found is zeros
    other = replace(special, arguments={"by": 2.0})
    assert of_special_values(launcher, zeros, [other]) is zeros
    many = replace(failure, diagnosis=replace(told, wrong=20))
    assert of_special_values(launcher, many, [special]) is many
    other = replace(failure, diagnosis=replace(told, nearly=False))
    assert of_special_values(launcher, other, [special]) is other


def test_a_grid_without_blocks_is_explained_by_larger_ones(fake_launcher):
    def of_blocks(count):
        def launch(launcher, x, out, **arguments):
            end = 32 * count(len(x))
            out[:end] = 2 * x[:end]

        launcher = fake_launcher("float x", "float out", launch)
        failure = Failure(doubling(1), ROUNDS[0], Diagnosis(NO_BLOCKS), refused=True)
        cases = [doubling(n) for n in (2, 33, 64, 100)]
        return of_more_blocks(launcher, failure, cases), failure

    told, _ = of_blocks(lambda n: n // 32)
    assert "of 33 elements only the first 32 are written, as of blocks of 32" in str(told)
    assert "rounded down" in str(told)
    told, _ = of_blocks(lambda n: (n + 29) // 32)
    assert "rounded down" not in str(told) and "is the count of blocks rounded up" in str(told)
    told, failure = of_blocks(lambda n: (n + 31) // 32)
    assert told is failure


def no_blocks(case):
    return Failure(case, ROUNDS[0], Diagnosis(NO_BLOCKS), refused=True)


def test_small_sizes_without_a_block(fake_launcher):
    def launch(launcher, x, out, **arguments):
        if len(x) < 4:
            raise LaunchError("refused", side="grid.x", size=0)
        out.copy_(2 * x)

    launcher = fake_launcher("float x", "float out", launch)
    cases = [doubling(n) for n in (2, 3, *range(4, 14))]
    told = str(of_more_blocks(launcher, no_blocks(doubling(1)), cases))
    assert told.startswith("the grid has 0 blocks for n = 1 to 3, and larger sizes come out")
    some = [doubling(n) for n in (5, 2, 6)]  # few came out right
    failure = no_blocks(doubling(1))
    assert of_more_blocks(launcher, failure, some) is failure


def test_a_matrix_without_a_block(fake_launcher):
    def launch(launcher, x, out, **arguments):
        if len(x) < 16:
            raise LaunchError("refused", side="grid.y", size=0)
        out[:16].copy_(x[:16])

    def case(m):
        x = torch.randn(m, 4, generator=torch.Generator().manual_seed(m))
        return Case(f"m = {m}", (x,), (x.double(),), dtypes=(torch.float32,))

    launcher = fake_launcher("float x", "float out", launch)
    told = str(of_more_blocks(launcher, no_blocks(case(1)), [case(3), case(21)]))
    assert NO_BLOCKS in told and "In m = 21, 20 of 84 elements were never written" in told
    failure = no_blocks(case(1))
    assert of_more_blocks(launcher, failure, [case(3)]) is failure


def test_integers_that_are_rounded_and_lose_digits(fake_launcher):
    def of(launch):
        generator = torch.Generator().manual_seed(7)
        x = torch.randint(-(1 << 30), 1 << 30, (200,), generator=generator, dtype=torch.int32)
        launcher = fake_launcher("int32_t x", "int32_t out", launch)
        case = Case("large", (x,), (x.double(),), dtypes=(x.dtype,), reference=lambda x: x)
        told = Diagnosis("rounded.", direction=True)
        failure = Failure(doubling(33), ROUNDS[0], told)
        return of_large_integers(launcher, failure, [case])

    in_float = of(lambda launcher, x, out, **arguments: out.copy_(x.float().int()))
    assert "And in large, large whole numbers come out rounded" in str(in_float)
    exact = of(lambda launcher, x, out, **arguments: out.copy_(x))
    assert exact.diagnosis.sentence == "rounded."


def test_a_few_that_are_nearly_right_in_each_case(fake_launcher):
    def nearly(launcher, x, out, **arguments):
        out.copy_(2 * x)
        out[::50] *= 1 + 2.0**-22

    def case(n):
        x = torch.rand(n, generator=torch.Generator().manual_seed(n)) + 1
        return Case(f"n = {n}", (x,), (2 * x.double(),), dtypes=(torch.float32,), ulp=1)

    launcher = fake_launcher("float x", "float out", nearly)
    told = str(more_specific(launcher, iter([case(n) for n in (40, 60, 120)]), []))
    assert told.startswith("3 of 120 elements are wrong, all by few units in the last")
    larger = str(more_specific(launcher, iter([case(n) for n in (40, 120, 1000)]), []))
    assert "all by few units" not in larger  # of many, a pattern tells


def test_a_misaligned_access_tells_more_than_that_nothing_was_written(fake_launcher):
    kinds, fronts = {"kind": FaultKind.MISALIGNED}, []

    def in_packs(launcher, x, out, **arguments):
        out[:0] = 2 * x[:0]  # of fewer than a pack nothing
        if len(x) >= 8:
            fronts.append(launcher.emulator.front)
            if launcher.emulator.front or not kinds.get("behind_only"):
                raise KernelFault("a misaligned read", kind=kinds["kind"])

    launcher = fake_launcher("float x", "float out", in_packs)
    first = run_case(launcher, doubling(1), ROUNDS[0])
    assert first.diagnosis.doubt == 3
    told = of_more_elements(launcher, first, iter([doubling(2), doubling(9), doubling(40)]))
    assert told.fault is FaultKind.MISALIGNED and told.case.label == "n = 9"
    assert fronts == [False, True]  # it is no page that the tensor ends at
    assert told.round == replace(ROUNDS[0], front=True)
    surer = replace(first, diagnosis=replace(first.diagnosis, doubt=2))
    assert of_more_elements(launcher, surer, iter([doubling(9)])) is surer
    kinds["kind"] = FaultKind.TRAP
    assert of_more_elements(launcher, first, iter([doubling(9)])) is first


def test_a_tensor_that_ends_at_a_page_is_no_misaligned_one(fake_launcher):
    def ends_at_a_page(launcher, x, out, **arguments):
        if len(x) >= 8 and not launcher.emulator.front:
            raise KernelFault("a misaligned read", kind=FaultKind.MISALIGNED)

    launcher = fake_launcher("float x", "float out", ends_at_a_page)
    first = run_case(launcher, doubling(1), ROUNDS[0])
    told = of_more_elements(launcher, first, iter([doubling(9)]))
    assert told.fault is None and first.diagnosis.doubt == 3


def test_experiments_are_given_the_cases_that_follow(fake_launcher, monkeypatch):
    """A race shows in a larger one of them only, also where the search has used it up."""
    seen = []

    def explained(launcher, failure, passed, called=False, following=(), tried=()):
        seen.append([case.label for case in following])
        return failure

    def wrong(launcher, x, out, **arguments):
        out.copy_(x.sin())

    monkeypatch.setattr(more_cases, "explain", explained)
    launcher = fake_launcher("float x", "float out", wrong)
    known = Remembered(doubling(n) for n in (40, 50, 60))
    more_specific(launcher, iter(known), [], ROUNDS[0], known)
    assert seen == [["n = 40", "n = 50", "n = 60"]] * 3


def test_what_is_nearly_right_says_little_where_small_whole_numbers_are_far_off(fake_launcher):
    def nearly(launcher, x, out, **arguments):
        out.copy_(2 * x * (1 + 2.0**-13 * (torch.arange(len(x)) % 7 - 3)))

    launcher = fake_launcher("float x", "float out", nearly)
    x = torch.rand(40, generator=torch.Generator().manual_seed(1)) * 2.0**-10 + 1
    case = Case("near", (x,), (2 * x.double(),), dtypes=(torch.float32,))
    assert run_case(launcher, case, ROUNDS[0]) and more_specific(launcher, iter([case]), [])
    found = Failure(
        doubling(20), ROUNDS[0], Diagnosis("20 are wrong", specific=False, wrong=20)
    )
    assert more_specific(launcher, iter([case]), [], first=found) is None
    for other in (doubling(20, 0.5), doubling(200)):  # fractions, and larger ones
        found = Failure(other, ROUNDS[0], found.diagnosis)
        assert more_specific(launcher, iter([case]), [], first=found)


def test_run_cases_hands_on_the_cases_that_it_has_not_tried(fake_launcher, monkeypatch):
    given = []

    def searched(launcher, cases, passed, how, known, first):
        assert first.case.label == "n = 3"
        given.append([case.label for case in known])
        assert [case.label for case in cases] == given[-1]  # each of both from the beginning

    monkeypatch.setattr(run_cases_module, "more_specific", searched)
    monkeypatch.setattr(races, "cooperates", lambda launcher: False)

    def wrong(launcher, x, out, **arguments):
        out.copy_(x.sin())

    launcher = fake_launcher("float x", "float out", wrong)
    run_cases_module.run_cases(launcher, iter([doubling(n) for n in (3, 40, 50)]))
    assert given == [["n = 40", "n = 50"]]


def test_lanes_of_another_row_that_have_left(fake_launcher):
    def shared(launcher, x, out, **arguments):
        if len(x) % 4:
            words = f"a shuffle reads from lane 16: {more_cases.LEFT} the kernel"
            raise KernelFault(words, kind=FaultKind.BARRIER)
        out.copy_(x.reshape(len(x) // 4, -1).softmax(1).reshape(x.shape))

    def rows(m):
        x = torch.linspace(-1, 1, 8 * m).reshape(m, 8)
        return Case(f"{m} rows", (x,), (x.double().softmax(1),), dtypes=(torch.float32,))

    launcher = fake_launcher("float x", "float out", shared)
    first = run_case(launcher, rows(1), ROUNDS[0])
    assert first.fault and of_lanes_that_stay(launcher, first, [rows(2)]) is first
    told = of_lanes_that_stay(launcher, first, [rows(2), rows(4)])
    assert told.case.label == "4 rows" and not told.fault
    assert "counted for another row than its own" in str(told)


def test_a_result_of_an_array_that_is_wrong_for_ordinary_numbers_too(fake_launcher):
    def case(x):
        most = x.double().abs().amax().reshape(1)
        return Case(f"{x[0]:g}", (x,), (most,), dtypes=(torch.float32,))

    first = case(torch.tensor([-math.inf]))
    others = [case(sign * torch.arange(k, k + 40.0)) for sign in (1, -1) for k in (1, 2, 3)]
    told = Diagnosis("only infinity goes wrong", special=True, wrong=1)

    def found(kernel, some=others, told=told):
        failure = Failure(first, ROUNDS[0], told)
        launcher = fake_launcher("float x", "float out", kernel)
        return of_ordinary_arrays(launcher, failure, some)

    def signed(launcher, x, out):
        out.copy_(x.amax())

    assert found(signed).case is others[3]
    assert found(signed, others[:4]).case is first  # one alone
    assert found(lambda launcher, x, out: out.copy_(x.abs().amax())).case is first
    assert found(signed, told=replace(told, special=False)).case is first


def test_where_nothing_is_written_each_larger_case_is_a_first_call(fake_launcher):
    def at_second_call(launcher, x, out, **arguments):
        launcher.kept["calls"] = launcher.kept.get("calls", 0) + 1
        if launcher.kept["calls"] > 1:
            out.fill_(launcher.kept["calls"])

    launcher = fake_launcher("float x", "float out", at_second_call)
    first = run_case(launcher, doubling(5), ROUNDS[0])
    assert first.untouched and first.diagnosis.doubt == 3
    told = of_more_elements(launcher, first, iter([doubling(60), doubling(200)]))
    assert told.diagnosis.sentence.startswith("nothing was written: does the kernel store")
    assert told.untouched and told.case.size == 60


def scaled(n, factor):
    """Return a case of x + factor * (1 - x), whose first number is 1."""
    x = torch.arange(1.0, n + 1)
    right = (x + factor * (1 - x)).double()
    scalars = {"factor": factor}
    return Case(f"{n}, {factor:g}", (x,), (right,), scalars, dtypes=(torch.float32,))


def test_a_factor_that_drops_a_term_gives_way_to_another(fake_launcher):
    def without_brackets(launcher, x, out, factor, **arguments):
        out.copy_(x + factor * 1 - x)

    launcher = fake_launcher("float x", "float out", without_brackets, scalars="float factor, ")
    first = run_case(launcher, scaled(40, 0.0), ROUNDS[0])
    assert first.diagnosis.constant
    cases = [scaled(9, 0.25), scaled(40, 1.0), scaled(40, 0.25)]
    assert more_cases.of_other_arguments(launcher, first, cases[:2]) is first
    again = more_cases.of_other_arguments(launcher, first, cases)
    assert again is first  # as it is a constant there, too

    def copies(launcher, x, out, factor, **arguments):
        out.copy_(2 * x - factor * x * x)

    launcher = fake_launcher("float x", "float out", copies, scalars="float factor, ")
    case = scaled(40, 0.0)
    copied = replace(run_case(launcher, case, ROUNDS[0]), diagnosis=Diagnosis("", copied=True))
    again = more_cases.of_other_arguments(launcher, copied, cases)
    assert again.case.label == "40, 0.25" and not again.diagnosis.copied
    other = replace(copied, case=scaled(40, 0.5))  # by which no term is dropped
    assert more_cases.of_other_arguments(launcher, other, cases) is other


def test_what_is_right_by_other_arguments_hides_no_wrong_formula(fake_launcher):
    def adds_twice(launcher, x, out, factor, **arguments):
        out.copy_(x + factor * (1 - x) + 3 * (factor != 1) * x.sqrt() % 1.7)

    launcher = fake_launcher("float x", "float out", adds_twice, scalars="float factor, ")
    cases = [scaled(n, factor) for n in range(40, 50) for factor in (1.0, 1.0, 0.25)]
    failure = more_specific(launcher, iter(cases), [])
    assert failure is not None and failure.case.label == "40, 0.25"


def test_an_element_of_its_own_number_alone_starts_with_nothing(fake_launcher):
    def of_a_range(launcher, x, out, **arguments):
        out.copy_(2 * x.where((x < -3) | (x > 0), torch.zeros(())))

    def case(x):
        return Case(f"{len(x)}", (x,), (2 * x.double(),), dtypes=(torch.float32,))

    launcher = fake_launcher("float x", "float out", of_a_range)
    first = run_case(launcher, case(torch.tensor([-0.5])), ROUNDS[0])
    assert first.diagnosis.zeros
    many = case(torch.linspace(-40, 40, 400))
    again = of_more_elements(launcher, first, [many])
    assert again.case.label == "400"


def test_what_is_nearly_right_where_the_first_case_is_far_off(fake_launcher):
    """A number that is added is small beside others: no digits are lost."""

    def one_more(launcher, x, out, **arguments):
        out.copy_(x.exp().sum(1).log() + 1)

    def case(level, rows):
        x = level + torch.arange(rows * 8.0).reshape(rows, 8).sin()
        return Case(f"{level}", (x,), (x.double().logsumexp(1),), dtypes=(torch.float32,))

    launcher = fake_launcher("float x", "float out", one_more)
    first = run_case(launcher, case(0.0, 1), ROUNDS[0])
    far = [case(60.0, 5), case(70.0, 6)]
    assert "narrower precision" in str(more_specific(launcher, iter(far), [], ROUNDS[0]))
    assert more_specific(launcher, iter(far), [], ROUNDS[0], (), first) is None


def test_what_overflows_later_where_the_first_case_is_far_off(fake_launcher):
    def no_root(launcher, x, out, **arguments):
        out.copy_(x.square().sum(1))

    def case(size, rows):
        x = size * (1 + torch.arange(rows * 8.0).reshape(rows, 8).sin().abs())
        right = x.double().square().sum(1).sqrt()
        return Case(f"{size}", (x,), (right,), dtypes=(torch.float32,))

    launcher = fake_launcher("float x", "float out", no_root)
    first = run_case(launcher, case(3.0, 1), ROUNDS[0])
    large = [case(1e22, 5), case(1e25, 6)]
    assert "overflow" in str(more_specific(launcher, iter(large), [], ROUNDS[0]))
    assert more_specific(launcher, iter(large), [], ROUNDS[0], (), first) is None


def summing(n, start=1.0):
    x = torch.arange(start, start + n)
    return Case(f"n = {n}", (x,), (x.double().sum().reshape(1),), dtypes=(torch.float32,))


def test_zero_of_a_few_numbers_gives_way_to_what_many_make(fake_launcher):
    def last_lane(launcher, x, out, **arguments):
        out.fill_(float(32 * x[31]) if len(x) > 31 else 0.0)

    launcher = fake_launcher("float x", "float out", last_lane)
    first = run_case(launcher, summing(1), ROUNDS[0])
    assert first.diagnosis.zeros
    more = [summing(n) for n in (2, 40, 64, 100)]
    assert of_more_numbers(launcher, first, iter(more)).case.label == "n = 64"
    assert of_more_numbers(launcher, first, iter(more[:2])) is first
    zeros = fake_launcher("float x", "float out", lambda launcher, x, out: out.zero_())
    assert of_more_numbers(zeros, first, iter(more)) is first
    vague = replace(first, diagnosis=replace(first.diagnosis, zeros=False))
    assert of_more_numbers(launcher, vague, iter(more)) is vague


@pytest.mark.parametrize("way", ["wraps", "some sizes", "small", "floats"])
def test_what_only_large_integers_make_wraps_around(fake_launcher, way):
    def launch(launcher, x, out, **arguments):
        right = x.sum(1)
        most = 5 if way == "small" else 2**20
        wrong = x.amax(1) > most if way != "some sizes" else x.amax(1) > most * len(x)
        out.copy_(torch.where(wrong, 0, right))

    kind = torch.float32 if way == "floats" else torch.int32

    def case(rows, size):
        x = torch.full((rows, 5), size).to(kind)
        return Case(f"{size}", (x,), (x.sum(1).double(),), dtypes=(kind,))

    launcher = fake_launcher("int x", "int out", launch)
    sizes = (1, 3, 8, 20) if way == "small" else (1, 3, 2**19, 2**20 - 1, 2**21, 2**24)
    cases = [case(rows, size) for size in sizes for rows in (2, 3, 7)]
    told = Diagnosis("every element is 0: is it left out?", zeros=True, wrong=3)
    failure = Failure(case(7, 2**25 if way != "small" else 25), ROUNDS[0], told)
    answer = more_cases.of_smaller_integers(launcher, failure, cases[:4], cases[4:]).diagnosis
    if way == "wraps":
        assert answer.sentence.startswith("wrong only where numbers are large, 2,097,152 and")
        assert "is too narrow for it?" in answer.sentence
    elif way == "some sizes":
        assert "too narrow" in answer.sentence  # each size has an end of its own
    else:
        assert answer == told


@pytest.mark.parametrize("ordinary", [True, False])
def test_special_values_say_less_than_ordinary_numbers_that_go_wrong(fake_launcher, ordinary):
    def launch(launcher, x, out, **arguments):
        out.copy_(torch.where(x.isnan(), 0.0, 2 * x))

    def case(*numbers):
        x = torch.tensor(numbers)
        return Case(f"{len(x)}", (x,), (2 * x.double(),), dtypes=(torch.float32,))

    launcher = fake_launcher("float x", "float out", launch)
    first = case(3.0) if ordinary else case(math.inf)
    failure = Failure(
        first, ROUNDS[0], Diagnosis("off by one in the last place", doubt=1, wrong=1)
    )
    special = case(*[1.0, math.nan, 3.0, 5.0] * 10)
    answer = more_cases.of_more_elements(launcher, failure, [special])
    assert (answer is failure) is ordinary
    assert ordinary or answer.diagnosis.special


@pytest.mark.parametrize("way", ["largest", "smallest", "left out"])
def test_a_search_that_starts_with_0(fake_launcher, way):
    sign = -1 if way == "smallest" else 1

    def launch(launcher, x, out, **arguments):
        most = sign * (sign * x).amax(1)
        out.copy_(sign * (sign * most).clamp(min=0) if way != "left out" else 0 * most)

    def case(k, shift):
        x = sign * (
            torch.randn(3, 9, generator=torch.Generator().manual_seed(k)).clamp(-2, 2) + shift
        )
        return Case(
            f"{k}", (x,), (sign * (sign * x.double()).amax(1),), dtypes=(torch.float32,)
        )

    launcher = fake_launcher("float x", "float out", launch)
    cases = [case(k, shift) for shift in (-3, 3) for k in range(4)]
    told = Diagnosis("every element is 0: is what makes it left out?", zeros=True, wrong=3)
    failure = Failure(case(9, -3), ROUNDS[0], told)
    answer = more_cases.of_one_sign(launcher, failure, cases[4:6], [*cases[:4], *cases[6:]])
    side = {"largest": "below", "smallest": "above"}.get(way)
    if side:
        words = (
            f"wrong only where a result is {side} 0, and 0 comes out: does something start with"
        )
        assert answer.diagnosis.sentence.startswith(words)
        assert f"as the {way} of all?" in answer.diagnosis.sentence
    else:
        answer = more_cases.of_one_sign(launcher, failure, [], cases)
        assert answer.diagnosis == told


@pytest.mark.parametrize(
    ("is_right", "tile"),
    [
        (lambda m, n: m % 16 == n % 16 == 0, 16),
        (lambda m, n: m % 4 == n % 4 == 0, 4),
        (lambda m, n: m % 16 == n % 16 == 0 and m < 48, None),
    ],
)
def test_what_is_right_of_whole_tiles(fake_launcher, is_right, tile):
    def launch(launcher, x, out, **arguments):
        out.copy_(2 * x if is_right(*x.shape) else x)

    def case(m, n):
        x = torch.ones(m, n)
        return Case(f"{m} x {n}", (x,), (2 * x.double(),), dtypes=(torch.float32,))

    launcher = fake_launcher("float x", "float out", launch)
    sides = [1, 3, 4, 7, 16, 20, 33, 48]
    cases = [case(m, n) for m in sides for n in sides]
    told = Diagnosis("9 of 9 are wrong: it depends on the values", depends=True, wrong=9)
    failure = Failure(case(3, 3), ROUNDS[0], told)
    answer = more_cases.of_whole_tiles(launcher, failure, [], cases).diagnosis
    if tile:
        assert f"all are right where each side is a multiple of {tile}: what" in answer.sentence
    else:
        assert answer == told


def test_results_that_are_far_too_large_are_not_rounded(fake_launcher):
    def grows(launcher, x, out, **arguments):
        out.fill_(float(x.sum()) * (1 + len(x) / 2.0**12))

    launcher = fake_launcher("float x", "float out", grows)
    first = run_case(launcher, squares(40), ROUNDS[0])
    assert first.diagnosis.nearly
    late = [squares(n) for n in (60, 400, 1000, 2000)]
    assert of_no_rounding(launcher, first, iter(late)).case.label == "n = 1000"
    assert of_no_rounding(launcher, first, iter(late[:2])) is first
    infinite = fake_launcher(
        "float x", "float out", lambda launcher, x, out: out.fill_(math.inf)
    )
    assert of_no_rounding(infinite, first, iter(late)) is first

    def shrinks(launcher, x, out, **arguments):
        out.fill_(float(x.sum()) * (0.5 if len(x) > 50 else 0.99))

    launcher = fake_launcher("float x", "float out", shrinks)
    assert of_no_rounding(launcher, first, iter(late)).case.label == "n = 60"
    assert of_no_rounding(launcher, first, iter(late[1:])) is first  # a sum that stays behind
    told = mock.Mock(fault=None, refused=False)
    told.diagnosis = Diagnosis("each is off by one number")

    def run(launcher, case, how):
        return told if len(case.inputs[0]) == 400 else run_case(launcher, case, how)

    with mock.patch.object(more_cases, "run_case", run):
        assert of_no_rounding(launcher, first, iter(late[1:])) is first
        assert of_no_rounding(launcher, first, iter(late)) is told


def test_numbers_that_are_no_halves_refute_that_only_halves_go_wrong(fake_launcher):
    def of(label, x):
        right = (x.double() * 100).round()
        return Case(label, (x,), (right,), dtypes=(torch.int16,))

    halves = of("halves", (torch.arange(-40.0, 40.0) + 0.5) / 100)
    others = of("others", torch.linspace(-3.0, 3.0, 90))

    def scaled(launcher, x, out, **arguments):
        out.copy_((x.double() * 99.5).round())

    def rounds(launcher, x, out, **arguments):
        exact = x.double() * 100
        out.copy_(exact.sign() * (exact.abs() + 0.5).floor())

    said = Diagnosis("only halves go wrong: a tie must be rounded to the nearest even number")
    failure = Failure(halves, ROUNDS[0], said)
    found = of_no_ties(fake_launcher("float x", "int16_t out", scaled), failure, [others])
    assert found.case is others and "is the scale another one?" in str(found)
    launcher = fake_launcher("float x", "int16_t out", rounds)
    assert of_no_ties(launcher, failure, [others]) is failure
    other = replace(failure, diagnosis=Diagnosis("it is wrong"))
    assert of_no_ties(launcher, other, [others]) is other


def squares(n):
    x = torch.rand(n, generator=torch.Generator().manual_seed(n)) + 0.5
    return Case(f"n = {n}", (x,), (x.double().sum().reshape(1),), dtypes=(torch.float32,))


def test_one_row_in_no_pattern_gives_way_to_several(fake_launcher):
    def case(rows):
        x = torch.randn(rows, 40, generator=torch.Generator().manual_seed(rows))
        y = torch.randn(rows, 40, generator=torch.Generator().manual_seed(rows + 9))
        right = x.double().tanh() + y.double()
        return Case(f"{rows} x 40", (x, y), (right,), dtypes=(torch.float32,))

    def launch(launcher, x, y, out, **arguments):
        out.copy_((1.3 * x).tanh() + y)

    launcher = fake_launcher("float x, float y", "float out", launch)
    first = run_case(launcher, case(1), ROUNDS[0])
    assert not first.diagnosis.specific
    found = of_more_rows(launcher, first, iter([case(2), case(16)]))
    assert found.case.label == "16 x 40" and "follows input 1" in str(found)
    assert of_more_rows(launcher, first, iter([case(2)])) is first
    assert of_more_rows(launcher, found, iter([case(16)])) is found
    told = replace(first.diagnosis, sentence=f"{BY_DEFAULT}, wrong with block_size = 32")
    of_size = replace(first, diagnosis=told)
    assert of_more_rows(launcher, of_size, iter([case(16)])) is of_size


def test_cases_that_come_out_right_are_not_counted(fake_launcher):
    def of_ties(launcher, x, out, **arguments):
        out.copy_(2 * x)
        if len(x) > 1 and x[0] == 0.5:
            out[:] = 1.0
        if len(x) == 1:
            out[:] = 0.0

    def case(n, start, kind):
        x = torch.arange(n) + start
        return Case(f"n = {n}, {kind}", (x,), (2 * x,), dtypes=(torch.float32,))

    launcher = fake_launcher("float x", "float out", of_ties)
    first = run_case(launcher, case(1, 0.5, "ties"), ROUNDS[0])
    others = [case(2 * k + 2, 0.0, "others") for k in range(19)] + [case(40, 0.0, "others")]
    found = of_more_elements(launcher, first, iter([*others, case(40, 0.5, "ties")]))
    assert found.case.label == "n = 40, ties"


def test_what_was_found_stays_where_the_time_is_over(fake_launcher, monkeypatch):
    launcher = fake_launcher("float x", "float out", constant_from(30))
    asked = []

    def run(launcher, case, how):
        asked.append(case.label)
        if len(asked) > 1:
            raise OutOfTime
        told = Diagnosis("some are wrong; only cases of a kind", specific=False, depends=True)
        return Failure(case, how, told)

    monkeypatch.setattr("helpers.testing.more_cases.run_case", run)
    monkeypatch.setattr("helpers.testing.more_cases.explain", lambda launcher, x, *a, **k: x)
    failure = more_specific(launcher, iter([doubling(n) for n in (40, 50, 60)]), [])
    assert failure.case.label == "n = 40" and asked == ["n = 40", "n = 50"]


def test_only_so_many_failures_are_explained(fake_launcher, monkeypatch):
    def run(launcher, case, how):
        return Failure(case, how, Diagnosis("some are wrong", specific=False, wrong=9))

    asked = []
    monkeypatch.setattr(more_cases, "run_case", run)
    monkeypatch.setattr(more_cases, "explain", lambda launcher, x, *a: asked.append(x) or x)
    launcher = fake_launcher("float x", "float out", constant_from(30))
    assert more_specific(launcher, iter([doubling(40 + n) for n in range(20)]), [])
    assert len(asked) == more_cases.EXPLAINED
