"""Look at further cases for one that says more of a fault than the first that went wrong.

The first wrong case is often a single element, or the first block of several.
"""

from __future__ import annotations

import contextlib
import itertools
import math
import re
from collections.abc import Iterable, Iterator
from dataclasses import replace

import torch

from helpers.errors import FaultKind
from helpers.run.launcher import Launcher
from helpers.testing import experiment, guarded
from helpers.testing.cases import Case
from helpers.testing.experiment import NEXT_CASES
from helpers.testing.experiments.explain_calls import BY_DEFAULT
from helpers.testing.experiments.explain_numbers import (
    FEW,
    may_start_with_zero,
    more_than_a_start,
)
from helpers.testing.explain import explain
from helpers.testing.mismatch import SEVERAL, Diagnosis, are_chosen
from helpers.testing.patience import OutOfTime
from helpers.testing.patterns.wrong_numbers import LARGE_ROUNDED, ONLY_ZEROS
from helpers.testing.patterns.wrong_places import OF_TAIL
from helpers.testing.patterns.wrong_rounding import WHOLE_IN_BFLOAT16
from helpers.testing.probes import row_influence, row_weights
from helpers.testing.probes.influence import changed_inputs, launched
from helpers.testing.run_case import NO_BLOCKS, ROUNDS, Failure, Round, is_right, run_case

MANY = 3000  # elements; larger cases take too long to look for a specific failure
MORE = 5000  # of a case that may leave less doubt
FEW_CASES = 12
_NO_NUMBER = re.compile(r" is -?(nan|inf), not -?\d")
_WHENCE = {
    "nan": "NaN came out where a number should: is 0 multiplied by infinity on the way, or one "
    "infinity taken off another?",
    "inf": "infinity came out where a number should: is something divided by 0 on the way, or "
    "does it overflow?",
}
_OF_SUBNORMALS = re.compile(r"^(only subnormal numbers go|each subnormal result)")
_OF_SPECIALS = re.compile(r"^[^:]*\b(NaN|infinity)\b")
MOST_CALLS = 48  # of which many may come out right
MOST_CASES = 1000  # of which the first ones may all be of a few elements
MOST_OF = 0.9  # of the elements of a case, as where a formula is another one
FOR_ONE_RIGHT = 8  # wrong cases without a pattern for each right one, as a rare one may be
SPECIALS = 1 << 17  # elements of a case that may refute what is said of special values
EXPLAINED = 8  # failures without a pattern, after which experiments are no longer made
LARGER = 500  # elements: from here on a case counts as larger
MOVED = (1, 3, 5, 7)  # places that numbers are moved by
SHORT_ROW = 4  # elements, of which each may be asked how often it counts
TILES = (4, 8, 16, 32, 64)
FEW_RIGHT = 3  # cases, from which on they tell something of those that are wrong
FEW_TILES = 2  # cases of whole tiles
SMALLEST_WRAPPED = 1 << 8  # number with which something may leave its type's range
FAR_OFF = 2.0**-4  # of the largest number of a case
HALVES = "only halves go wrong"
LEFT = "that lane has already left"  # of the emulator's words on a shuffle
MANY_NUMBERS = 64  # of which one result tells more than that of a few
TOO_LARGE = 1 / 8  # of what is right, by which no rounding makes results too large
OF_FEW = 128  # numbers, whose sum stays too small in no type
LEAST_SIZE = 2.0**-5  # of numbers whose squares do not vanish
MODERATE = 64.0  # the largest input of which that is so
OTHERS = 3  # cases on which a changed formula should show, too


def of_more_elements(launcher: Launcher, failure: Failure, cases: Iterable[Case]) -> Failure:
    """Return a failure of a next case that leaves less doubt; else this one.

    The last elements may be the only ones of a second block, or of a thread's second share; and
    where nothing is written in a small case, a larger one may lack its last elements only. A
    case that is hardly larger than the last one is passed over. Where tensors lie matters, too:
    each runs in the round that went wrong. NaN that comes out of nothing only there is another
    symptom, which says less of the first one.
    """
    is_tail = failure.diagnosis.sentence.endswith(OF_TAIL)  # in a case of few groups, of many
    wide = is_tail or failure.diagnosis.zeros  # or of the numbers below 0
    wide |= failure.diagnosis.doubt > 1  # the first hundred may all be of a few rows
    cases = list(itertools.islice(cases, MOST_CASES if wide else NEXT_CASES))
    if failure.diagnosis.zeros and may_start_with_zero(failure.case):
        if not _is_of_each(launcher, failure.case, cases[:NEXT_CASES]) and not (
            more_than_a_start(launcher, cases, failure.round)
        ):
            return failure  # of a few such numbers that tells most
    best, size, runs = failure, failure.case.size, 0
    vague = None
    row = _row(failure.case)
    # Where nothing is written, a later call may make something of what was counted before.
    anew, calls = failure.untouched and not launcher.on_gpu, 0
    for case in cases:
        if not isinstance(case, Case) or case.size > MORE:
            continue
        if case.size < min(1.5 * size, LARGER) and (not row or _row(case) < 1.5 * row):
            continue
        if (calls := calls + 1) > MOST_CALLS:
            break
        other = run_case(experiment.fresh(launcher) if anew else launcher, case, failure.round)
        if other and other.fault is FaultKind.MISALIGNED:  # of a tensor that ends at a page
            other = run_case(launcher, case, replace(failure.round, front=True, apart=False))
            if other and other.fault is FaultKind.MISALIGNED and failure.diagnosis.doubt == 3:
                return other  # where a few elements only tell that nothing was written
        if other is None:
            continue  # of other numbers, of which a case as large may go wrong
        size, row, runs = case.size, _row(case), runs + 1
        told = None if other.fault else other.diagnosis
        if told and told.special and _is_plain(failure.case):
            continue  # what goes wrong of ordinary numbers, too
        if told and not told.specific and told.wrong >= SEVERAL:
            vague = vague or other
        if told and told.specific and (failure.diagnosis.unordered or not told.unordered):
            best = min(best, other, key=lambda x: x.diagnosis.doubt)
        if not best.diagnosis.doubt or runs == FEW_CASES:
            break
    if best is failure and failure.case.size < SEVERAL and vague:
        return vague  # what is said of a few elements does not hold for many
    return best


def _is_plain(case: Case) -> bool:
    """Test whether all numbers that go in are finite, and not 0."""
    numbers = [x.double() for x in case.inputs if x.is_floating_point()]
    return all(bool((x.isfinite() & (x != 0)).all()) for x in numbers) and bool(numbers)


def _is_of_each(launcher: Launcher, case: Case, cases: Iterable[Case]) -> bool:
    """Test whether each result changes with its own element only, in a case of several.

    Then nothing is searched for that could start with 0.
    """
    if any(x.shape != case.expected[0].shape for x in case.inputs) or not case.inputs:
        return False
    some = (x for x in cases if isinstance(x, Case) and FEW < x.size <= MORE)
    other = next((x for x in some if x.inputs and x.inputs[0].is_floating_point()), None)
    if other is None or any(x.shape != other.expected[0].shape for x in other.inputs):
        return False
    if (usual := launched(launcher, other, list(other.inputs))) is None:
        return False
    for place in (0, other.size // 2, other.size - 1):
        for sign in (1, -1):
            got = launched(launcher, other, changed_inputs(other, 0, place, sign))
            if got is None:
                return False
            changed = (got[0] != usual[0]).reshape(-1).nonzero().flatten().tolist()
            if any(k != place for k in changed):
                return False
    return True


def _row(case: Case) -> int:
    """Return the elements of a row of the output; 0 if it is no matrix."""
    return case.expected[0].shape[-1] if case.expected[0].dim() > 1 else 0


def _surer(
    launcher: Launcher, failure: Failure, cases: Iterator[Case], passed: list[Case]
) -> Failure:
    """Return the failure, or an explained one of a next case that leaves less doubt."""
    better = of_more_elements(launcher, failure, cases)
    return failure if better is failure else explain(launcher, better, passed, called=True)


def _has_specials(case: Case) -> bool:
    """Test whether an input of the output's size holds infinities or NaN."""
    floats = [x for x in case.inputs if x.is_floating_point() and x.numel() == case.size > 1]
    return any(not bool(x.double().isfinite().all()) for x in floats)


def more_specific(
    launcher: Launcher,
    cases: Iterator[Case],
    passed: list[Case],
    how: Round = ROUNDS[0],
    known: Iterable[Case] = (),
    first: Failure | None = None,
) -> Failure | None:
    """Search the next cases for a failure with a specific diagnosis; add to `passed`.

    The first wrong case is often a single element, and that says little: is it a copy, a
    constant, a neighbour? Only failures of more than FEW elements count, and cases of up to
    MANY, without infinities and NaN: "only these go wrong" is not true any more. Where others
    were far off, one that is nearly right says only that its numbers are such, unless most are
    and the last bits do not count; nor does one count that the first of those refutes. If
    nearly all are wrong, and in no pattern, the first of those is returned. how: the round that
    went wrong, as it may matter where tensors start. known: the cases, for experiments. first:
    what went wrong before them.
    """
    far = first is not None and _is_far_off(launcher, first)
    exact = far or (first is not None and _is_exact(first))
    vague: list[Failure] = []
    nearly: list[Failure] = []
    few: list[Failure] = []
    rows: list[Failure] = []  # of matrices of few elements
    right: list[Case] = []  # of many elements
    seen = 0  # of those
    before = [] if first is None else [first.case]
    with contextlib.suppress(OutOfTime):  # what has been found by then must do
        for k, case in enumerate(itertools.islice(cases, MOST_CASES)):
            if k >= NEXT_CASES and seen >= FEW_CASES:
                break
            if not isinstance(case, Case) or case.size > MANY or _has_specials(case):
                continue
            many = max(case.size, *(x.numel() for x in case.inputs), 0) > FEW
            if k >= NEXT_CASES and not many:
                continue
            failure = run_case(launcher, case, how)
            seen += many
            if failure is None:
                passed.append(case)
                right += [case] * (many and _tells(case))
            elif many:
                if failure.diagnosis.nearly and not failure.diagnosis.specific:
                    few.append(failure)  # a larger case tells whether all are so
                    continue
                if failure.diagnosis.specific or len(vague) < EXPLAINED:
                    failure = explain(launcher, failure, passed, True, known, before)
                told = failure.diagnosis
                if vague and _is_refuted(failure, vague[0]):
                    continue
                unlike = (told.nearly and (vague or exact)) or (far and _is_infinite(failure))
                if told.specific and not unlike:
                    return _surer(launcher, failure, cases, passed) if told.doubt else failure
                (nearly if told.specific else vague).append(failure)
            elif not failure.fault and _row(case) >= SHORT_ROW:
                rows.append(failure)
    if len(nearly) > len(vague) and nearly[0].case.ulp and not far:
        return nearly[0]
    if few and not vague and not nearly:
        return _few_nearly_right(few)
    if rows and not vague and not nearly:  # larger ones are right, or nearly so
        longest = max(rows, key=lambda failure: _row(failure.case))
        if sentence := row_weights.diagnose(launcher, longest.case):
            return replace(longest, diagnosis=Diagnosis(sentence))
    # By other arguments a factor may be 1, or a term 0.
    like = [x for x in right if not vague or _scalars(x) == _scalars(vague[0].case)]
    if len(vague) > FOR_ONE_RIGHT * len(like):
        return vague[0]
    return next((x for x in vague if x.diagnosis.depends), None)  # of which kind they are


def _tells(case: Case) -> bool:
    """Test whether results of a case tell its formula: some are neither 0 nor an input's.

    Many operators make 0 of 0, and of large numbers the same ones.
    """
    right = case.expected[0].double()
    told = right != 0
    for x in case.inputs:
        told &= (x.double() != right) if x.shape == right.shape else True
    return bool(told.any())


def _scalars(case: Case) -> dict[str, int | float]:
    """Return the scalar arguments of a case, but for the size of a block."""
    return {k: v for k, v in case.arguments.items() if k != "block_size"}


def _is_exact(failure: Failure) -> bool:
    """Test whether many elements are wrong of small whole numbers, which any type holds."""
    numbers = [x.double() for x in (*failure.case.inputs, *failure.case.expected)]
    whole = all(
        bool(((x == x.round()) & (x.abs() <= WHOLE_IN_BFLOAT16)).all()) for x in numbers
    )
    return whole and failure.diagnosis.wrong >= SEVERAL


def _is_far_off(launcher: Launcher, failure: Failure) -> bool:
    """Test whether a result is off by more than a lack of digits makes of such numbers."""
    case = failure.case
    if failure.fault or not all(x.numel() for x in (*case.inputs, *case.expected)):
        return False
    numbers = [x.double() for x in (*case.inputs, *case.expected)]
    if not case.inputs or not all(bool(x.isfinite().all()) for x in numbers):
        return False
    if (got := launched(launcher, case, list(case.inputs))) is None:
        return False
    largest = max(float(x.abs().max()) for x in numbers)
    off = (
        (y.view(dtype).double().reshape(right.shape) - right).abs().max()
        for y, right, dtype in zip(got, case.expected, case.dtypes, strict=True)
    )
    return any(FAR_OFF * largest < float(by) < math.inf for by in off)


def _is_infinite(failure: Failure) -> bool:
    """Test whether the first wrong element came out as infinity."""
    return bool(re.search(r" is -?inf,", failure.first))


def _few_nearly_right(few: list[Failure]) -> Failure:
    """Say that in no case more than a few elements are wrong, all of them nearly right."""
    most = max(few, key=lambda failure: failure.diagnosis.wrong)
    words = (
        f"{most.diagnosis.wrong:,} of {most.case.size:,} elements are wrong, all by few "
        "units in the last place: is a step on the way computed or rounded in a narrower "
        "precision?"
    )
    told = replace(most.diagnosis, sentence=words, specific=True)
    return replace(most, diagnosis=told)


def _is_refuted(failure: Failure, vague: Failure) -> bool:
    """Test whether a case of ordinary numbers should have shown what a later one says.

    A changed formula explains each case, or it is another one. Where nearly all elements were
    wrong, what is said of a few of a later case is not the whole fault, nor is it that larger
    numbers overflow.
    """
    told, most = failure.diagnosis, vague.diagnosis.wrong >= 0.9 * vague.case.size
    all_of_few = most and vague.case.size > 1 and told.numbers
    if vague.diagnosis.wrong < SEVERAL and not all_of_few:
        return False
    return (
        told.formula
        or told.numbers
        or told.special
        or (most and told.overflows)
        or (most and 2 * told.wrong < failure.case.size and 0 < told.wrong)
    )


def of_all_numbers(launcher: Launcher, failure: Failure, cases: Iterable[Case]) -> Failure:
    """Return the failure, if its formula is wrong for other numbers, too; else what is so.

    A formula that is another one shows in each case of many ordinary numbers.
    """
    told, others = failure.diagnosis, []
    if not told.formula:
        return failure
    ordinary = (
        case
        for case in itertools.islice(cases, NEXT_CASES)
        if isinstance(case, Case) and _is_ordinary(case, told.recurs)
        if not told.recurs or not _is_line(case)
        if _floats(case) == _floats(failure.case)  # a factor of 1 hides what is done with it
    )
    wrong = f"{told.wrong:,} of {failure.case.size:,} elements are wrong"
    for case in itertools.islice(ordinary, OTHERS):
        other = run_case(launcher, case, ROUNDS[0])
        if other is None and _is_of_its_size(launcher, failure, case):
            words = f"{told.sentence}. Only in some sizes: {case.label} came out right"
            return replace(failure, diagnosis=replace(told, sentence=words))
        if other is None:
            words = (
                f"{wrong}, though other numbers came out right ({case.label}): it depends on "
                "the values"
            )
            return replace(failure, diagnosis=Diagnosis(words, depends=True))
        others.append(other)
    if not told.recurs or not others:
        return failure
    for known in (failure, *others):  # of few numbers, one formula may be another's by chance
        same = [x for x in (failure, *others) if _sentence(x) == _sentence(known)]
        if known.diagnosis.recurs and len(same) > 1:
            return known
    return replace(failure, diagnosis=Diagnosis(wrong, specific=False, wrong=told.wrong))


def of_no_constant(launcher: Launcher, failure: Failure, cases: Iterable[Case]) -> Failure:
    """Return the failure, unless what is one number in it is several in a case of others.

    A few small numbers may all come out as 0, where larger ones do not.
    """
    told = failure.diagnosis
    if not told.constant or failure.case.reference is None:
        return failure
    largest = 2 * _largest(failure.case)
    for case in cases:
        if not isinstance(case, Case) or _has_specials(case) or case.size > SPECIALS:
            continue
        if case.size <= FEW or _largest(case) <= largest:
            continue
        other = run_case(launcher, case, ROUNDS[0])
        if not other or other.fault or other.refused or other.diagnosis.constant:
            continue
        if other.diagnosis.specific:
            return other
        wrong = f"{told.wrong:,} of {failure.case.size:,} elements are wrong, all of them alike"
        words = f"{wrong}, and in {case.label} {other.diagnosis.wrong:,}, which are not"
        return replace(failure, diagnosis=Diagnosis(words, specific=False, wrong=told.wrong))
    return failure


def of_one_sign(
    launcher: Launcher, failure: Failure, passed: Iterable[object], cases: Iterable[object]
) -> Failure:
    """Return the failure, or say of a search that 0 comes out where all numbers are below 0.

    passed: cases that went right. cases: those behind the failure, of which some may.
    """
    told, case = failure.diagnosis, failure.case
    if not told.zeros or case.reference is not None or failure.fault or not _is_chosen(case):
        return failure
    right, wrong = _judged(launcher, failure, passed, cases)
    for sign, side, end in ((-1, "below", "largest"), (1, "above", "smallest")):
        missed = [bool((sign * x.expected[0] >= 0).any()) for x in wrong]
        known = [bool((sign * x.expected[0] > 0).any()) for x in right]
        if len(wrong) > 1 and all(missed) and len(known) >= FEW_RIGHT and not any(known):
            words = (
                f"wrong only where a result is {side} 0, and 0 comes out: does something start "
                f"with 0, as the {end} of all? Start with the first element"
            )
            return replace(failure, diagnosis=Diagnosis(words, wrong=told.wrong))
    return failure


def _is_chosen(case: Case) -> bool:
    """Test whether the first output's numbers are some of those of the first input.

    Places may be, by chance.
    """
    if (
        not case.inputs
        or case.dtypes[0].is_floating_point != case.inputs[0].is_floating_point()
    ):
        return False
    return are_chosen(case.expected[0], case.inputs[0])


def of_whole_tiles(
    launcher: Launcher, failure: Failure, passed: Iterable[object], cases: Iterable[object]
) -> Failure:
    """Return the failure, or say that all is right where sides are multiples of a tile's.

    passed: cases that went right. cases: those behind the failure, of which some may.
    """
    told = failure.diagnosis
    if not told.depends or failure.case.reference is not None or failure.fault:
        return failure
    right, wrong = _judged(launcher, failure, passed, cases)
    whole = {tile: sum(_is_of_tiles(x, tile) for x in right) for tile in TILES}
    fits = [tile for tile in TILES if not any(_is_of_tiles(x, tile) for x in wrong)]
    tile = max(fits, key=lambda tile: (whole[tile], tile), default=0)
    others = len(right) - whole.get(tile, 0)
    if not tile or whole[tile] < FEW_TILES or len(wrong) <= max(SEVERAL, others):
        return failure
    words = (
        f"{told.wrong or failure.case.size:,} of {failure.case.size:,} elements are wrong, and "
        f"all are right where each side is a multiple of {tile}: what does the tail of a tile, "
        "or of a pack, hold where it is not?"
    )
    return replace(failure, diagnosis=Diagnosis(words, wrong=told.wrong))


def _is_of_tiles(case: Case, tile: int) -> bool:
    """Test whether all sides of all inputs are multiples of a number."""
    return all(side % tile == 0 for x in case.inputs for side in x.shape)


def _judged(
    launcher: Launcher, failure: Failure, passed: Iterable[object], cases: Iterable[object]
) -> tuple[list[Case], list[Case]]:
    """Return the cases that go right, and those that go wrong, of those behind it some."""
    right = [x for x in passed if isinstance(x, Case)]
    wrong = [failure.case]
    some = (x for x in cases if isinstance(x, Case) and x.size <= MORE)
    for other in itertools.islice(some, NEXT_CASES):
        (wrong if run_case(launcher, other, failure.round) else right).append(other)
    return right, wrong


def of_smaller_integers(
    launcher: Launcher, failure: Failure, passed: Iterable[object], cases: Iterable[object]
) -> Failure:
    """Return the failure, or say of integers that all are right but where numbers are large.

    passed: cases that went right. cases: those behind the failure, of which some may.
    """
    told, case = failure.diagnosis, failure.case
    without_effect = "no effect on" in told.sentence
    if (
        not (told.zeros or told.depends or without_effect)
        or case.reference is not None
        or failure.fault
    ):
        return failure
    if any(x.is_floating_point for x in (*case.dtypes, *(y.dtype for y in case.inputs))):
        return failure
    right, wrong = _judged(launcher, failure, passed, cases)
    least = {_shapes(x): math.inf for x in wrong}
    for x in wrong:
        least[_shapes(x)] = min(least[_shapes(x)], _largest_input(x))
    most = [(_shapes(x), _largest_input(x)) for x in right if _shapes(x) in least]
    if len(most) < SEVERAL or any(size >= least[shape] for shape, size in most):
        return failure  # of one size, numbers decide
    if min(least.values()) < SMALLEST_WRAPPED:
        return failure
    words = (
        f"wrong only where numbers are large, {min(least.values()):,.8g} and more, and right "
        "for smaller ones of the same size: does something wrap around there, held in an "
        "integer that is too narrow for it?"
    )
    return replace(failure, diagnosis=Diagnosis(words, wrong=told.wrong))


def _shapes(case: Case) -> tuple[torch.Size, ...]:
    return tuple(x.shape for x in case.inputs)


def _largest_input(case: Case) -> float:
    """Return the largest amount that goes into a case."""
    sizes = (float(x.double().abs().nan_to_num(0.0).max()) for x in case.inputs if x.numel())
    return max(sizes, default=0.0)


def of_other_arguments(launcher: Launcher, failure: Failure, cases: Iterable[Case]) -> Failure:
    """Return a failure with other arguments, if one of this case drops what it multiplies.

    By a factor of 0 or 1 a wrong formula may copy an input, or make zeros of all.
    """
    told, best = failure.diagnosis, failure
    if not (told.constant or told.copied or told.zeros) or not _drops(failure.case):
        return failure
    some = (x for x in itertools.islice(cases, NEXT_CASES) if isinstance(x, Case))
    some = (x for x in some if failure.case.size <= x.size <= MORE)
    usual = [x for x in some if not _drops(x) and not _has_specials(x)]
    for case in usual[:FEW_CASES]:
        other = run_case(launcher, case, failure.round)
        if not other or other.fault or other.refused:
            continue
        now = other.diagnosis
        if now.constant or now.copied or now.zeros:
            return best  # so it is by any arguments
        if now.specific and now.doubt <= 1:
            return other
        best = other if best is failure or case.size > best.case.size else best
    return best


def _drops(case: Case) -> bool:
    """Test whether a float that is passed is 0 or 1."""
    return any(value in (0.0, 1.0) for value in _floats(case).values())


def _largest(case: Case) -> float:
    """Return the largest amount of what is right in a case."""
    return max(float(x.abs().nan_to_num(0.0, 0.0, 0.0).max()) for x in case.expected)


def of_ordinary_numbers(launcher: Launcher, failure: Failure, cases: Iterable[Case]) -> Failure:
    """Return the failure, if only special values are wrong; else one of ordinary numbers.

    A sentence that only NaN, infinity, zeros or subnormal numbers go wrong is refuted by the
    first case in which others do.
    """
    told = failure.diagnosis
    if not told.special:
        return failure
    some = (
        x
        for x in cases
        if isinstance(x, Case) and FEW < x.size <= SPECIALS and not _has_specials(x)
    )
    for case in itertools.islice(some, NEXT_CASES):
        other = run_case(launcher, case, ROUNDS[0])
        if not other or other.fault or other.refused or other.diagnosis.special:
            continue
        if other.diagnosis.wrong < SEVERAL:
            continue
        if other.diagnosis.nearly and 4 * other.diagnosis.wrong < case.size:
            # A few last digits are another symptom, which says less.
            words = (
                f"{told.sentence.removeprefix('only ')} And in {case.label}, "
                f"{other.diagnosis.wrong:,} of {case.size:,} elements are nearly right"
            )
            return replace(failure, diagnosis=replace(told, sentence=words))
        if other.diagnosis.specific or other.diagnosis.wrong >= MOST_OF * case.size:
            return other
        words = f"{told.wrong:,} of {failure.case.size:,} elements are wrong, not only special"
        words += f" values: {other.diagnosis.wrong:,} are in {case.label}, too"
        return replace(failure, diagnosis=Diagnosis(words, specific=False, wrong=told.wrong))
    return failure


def of_special_values(launcher: Launcher, failure: Failure, cases: Iterable[Case]) -> Failure:
    """Return a failure of special values, if a few elements of others are nearly right.

    NaN in the place of a number tells more of a formula than a few last digits do, or than the
    sign of a zero.
    """
    told, same = failure.diagnosis, failure.case.arguments
    zeros = told.sentence.startswith(ONLY_ZEROS) and not any(
        bool(x.any()) for x in failure.case.inputs
    )
    few = told.nearly and 4 * told.wrong < failure.case.size
    if failure.fault or not (zeros or few):
        return failure
    some = (x for x in cases if isinstance(x, Case) and x.size <= SPECIALS and _has_specials(x))
    some = (x for x in some if not zeros or x.arguments == same)
    for case in itertools.islice(some, FEW_CASES):
        other = run_case(launcher, case, ROUNDS[0])
        if not other or other.fault:
            continue
        if other.diagnosis.specific and _OF_SPECIALS.search(other.diagnosis.sentence):
            return other
        if (what := _NO_NUMBER.search(other.first)) and not other.diagnosis.specific:
            asked = _WHENCE[what[1]]
            made = replace(other.diagnosis, sentence=asked, specific=True)
            return replace(other, diagnosis=made)
    return failure


def of_subnormal_numbers(
    launcher: Launcher, failure: Failure, cases: Iterable[Case]
) -> Failure:
    """Return a failure of subnormal numbers, where the sign of a zero is one of a few.

    As where all that is small comes out as 0.
    """
    if not failure.diagnosis.sentence.startswith(ONLY_ZEROS) or failure.case.reference is None:
        return failure
    for case in itertools.islice(cases, NEXT_CASES):
        if not isinstance(case, Case) or case.size > SPECIALS:
            continue
        other = run_case(launcher, case, ROUNDS[0])
        if other and _OF_SUBNORMALS.search(other.diagnosis.sentence):
            return other
    return failure


def of_ordinary_arrays(launcher: Launcher, failure: Failure, cases: Iterable[Case]) -> Failure:
    """Return a failure of ordinary numbers, if an array's result seems wrong for others only.

    Where some arrays of ordinary numbers go wrong, too, one of these tells more.
    """
    case, told = failure.case, failure.diagnosis
    if not told.special or case.size != 1 or len(case.inputs) != 1 or case.reference:
        return failure
    some = (x for x in cases if isinstance(x, Case) and x.size == 1 and len(x.inputs) == 1)
    many = (x for x in some if FEW < x.inputs[0].numel() <= SPECIALS)
    ordinary = [x for x in many if bool(x.inputs[0].double().isfinite().all())]
    found = [run_case(launcher, x, ROUNDS[0]) for x in ordinary[:FEW_CASES]]
    wrong = [x for x in found if x and not (x.fault or x.refused or x.diagnosis.special)]
    if len(wrong) < OTHERS:
        return failure
    others = [x for x in wrong if not x.diagnosis.zeros] or wrong
    return next((x for x in others if x.diagnosis.specific), others[0])


def of_more_blocks(launcher: Launcher, failure: Failure, cases: Iterable[Case]) -> Failure:
    """Say of a grid without a block how many elements a larger grid leaves out.

    Of further sizes that go wrong in the same way; if none does, the failure stays. A matrix
    has other sides than its number of elements.
    """
    if not failure.refused or NO_BLOCKS not in failure.diagnosis.sentence:
        return failure
    if failure.case.expected[0].dim() > 1:
        return _of_a_larger_matrix(launcher, failure, cases)
    ends: dict[int, int] = {}  # elements that are written, by the size
    right, refused = [], [failure.case.size]
    for case in itertools.islice(cases, NEXT_CASES):
        if not isinstance(case, Case) or not failure.case.size < case.size <= SPECIALS:
            continue
        if any(x.arguments.get("block_size") for x in (case, failure.case)):
            if case.arguments != failure.case.arguments:
                continue
        other = run_case(launcher, case, failure.round)
        if other is None:
            right.append(case.size)
        elif other.refused and NO_BLOCKS in other.diagnosis.sentence:
            refused.append(case.size)
        elif other.diagnosis.written and not other.fault:
            ends[case.size] = other.diagnosis.written
    if not ends:
        return _few_have_no_block(failure, refused, right)
    first, step = next(iter(ends)), math.gcd(*ends.values())
    none = f"the grid has 0 blocks for {failure.case.label}, and of {first:,} elements "
    none += f"only the first {ends[first]:,} are written"
    if step > 1 and all(n - n % step == end for n, end in ends.items()):
        if all(n % step == 0 for n in right):
            none += (
                f", as of blocks of {step:,}: is the number of blocks rounded down, so that "
                "the tail has no thread? Round it up: (n + block_size - 1) / block_size"
            )
            return replace(failure, diagnosis=Diagnosis(none))
    none += (
        f", the last {first - ends[first]:,} are never written: is the count of blocks rounded "
        "up?"
    )
    return replace(failure, diagnosis=Diagnosis(none))


def _of_a_larger_matrix(launcher: Launcher, failure: Failure, cases: Iterable[Case]) -> Failure:
    """Say what a larger matrix, for which the grid has a block, is not given."""
    told = failure.diagnosis
    for case in itertools.islice(cases, NEXT_CASES):
        if not isinstance(case, Case) or case.size > SPECIALS:
            continue
        other = run_case(launcher, case, failure.round)
        if other and not other.refused and not other.fault and other.diagnosis.unwritten:
            words = f"{told.sentence} In {case.label}, {other.diagnosis.sentence}"
            return replace(failure, diagnosis=Diagnosis(words))
    return failure


def _few_have_no_block(failure: Failure, refused: list[int], right: list[int]) -> Failure:
    """Say of a grid without a block for small sizes only that the others come out right."""
    if len(right) < SEVERAL or max(refused) > min(right):
        return failure
    which = f"n = {failure.case.size:,}"
    if max(refused) > failure.case.size:
        which += f" to {max(refused):,}"
    words = (
        f"the grid has 0 blocks for {which}, and larger sizes come out right: is the number of "
        "threads, or of blocks, rounded down, so that the tail has none? Count what is left of "
        f"n, too, and round up ({failure.diagnosis.sentence})"
    )
    return replace(failure, diagnosis=Diagnosis(words))


def of_large_integers(launcher: Launcher, failure: Failure, cases: Iterable[Case]) -> Failure:
    """Say of integers that are rounded in a direction whether large ones lose digits, too."""
    told = failure.diagnosis
    if not told.direction:
        return failure
    for case in itertools.islice(cases, NEXT_CASES):
        if not isinstance(case, Case) or case.size > MORE or not _is_large(case):
            continue
        other = run_case(launcher, case, ROUNDS[0])
        if other and other.diagnosis.sentence.startswith(LARGE_ROUNDED):
            words = f"{told.sentence} And in {case.label}, {other.diagnosis.sentence}"
            return replace(failure, diagnosis=replace(told, sentence=words))
    return failure


def _is_large(case: Case) -> bool:
    """Test whether an integer input has many numbers that a float does not hold."""
    some = [x for x in case.inputs if not x.is_floating_point() and x.numel() == case.size]
    return any(int((x.double().abs() > 1 << 24).sum()) > FEW for x in some)


def _is_of_its_size(launcher: Launcher, failure: Failure, other: Case) -> bool:
    """Test whether the size of a case makes it fail: it does so with its numbers moved, too."""
    case = failure.case
    if case.reference is None or case.size == other.size:
        return False
    for shift in MOVED:
        inputs = tuple(x.roll(shift) for x in case.inputs)
        right = case.reference(*[x.double() for x in inputs])
        right = right if isinstance(right, tuple) else (right,)
        moved = replace(case, inputs=inputs, expected=right)
        if is_right(launcher, moved, failure.round):
            return False
    return True


def _floats(case: Case) -> dict[str, float]:
    """Return the scalar arguments of a case that are no counts."""
    return {k: v for k, v in case.arguments.items() if isinstance(v, float)}


def _sentence(failure: Failure) -> str:
    return failure.diagnosis.sentence


def _is_ordinary(case: Case, of_many: bool) -> bool:
    """Test whether a case has many ordinary numbers; of_many: inputs count, too."""
    size = max((case.size, *(x.numel() for x in case.inputs * of_many)))
    zeros = not any(bool(x.any()) for x in case.expected)  # as by any factor
    return FEW < size <= MANY and not _has_specials(case) and not zeros


def _is_line(case: Case) -> bool:
    """Test whether elements of a table of one row or column are made, each of its own.

    There a row's index and a column's may both be 0.
    """
    shape = case.expected[0].shape
    return len(shape) == 2 and 1 in shape and any(x.shape == shape for x in case.inputs)


def of_lanes_that_stay(launcher: Launcher, failure: Failure, cases: Iterable[Case]) -> Failure:
    """Return of a shuffle that reads from a lane that has left what it does where none has.

    If it reads another row's lanes, these have left only in the last warp.
    """
    if not failure.fault or LEFT not in failure.diagnosis.sentence:
        return failure
    small = (x for x in itertools.islice(cases, NEXT_CASES) if isinstance(x, Case))
    for case in (x for x in small if x.size <= MORE):
        other = run_case(launcher, case, failure.round)
        if not other or other.fault or other.refused:
            continue
        if sentence := guarded.explanation(row_influence.across_rows, launcher, case):
            return replace(other, diagnosis=Diagnosis(sentence), settled=True)
    return failure


def of_more_numbers(launcher: Launcher, failure: Failure, cases: Iterable[Case]) -> Failure:
    """Return a failure of more numbers, if 0 comes out for a few and something else for many.

    Of results that are made of several numbers each. Of a few, as of one number of which a
    lane has nothing, 0 does not tell what is left out.
    """
    told, case = failure.diagnosis, failure.case
    if not told.zeros or failure.fault or _numbers(case) >= MANY_NUMBERS:
        return failure
    some = (x for x in itertools.islice(cases, NEXT_CASES) if isinstance(x, Case))
    many = (x for x in some if MANY_NUMBERS <= _numbers(x) and _most(x) <= MORE)
    for other in itertools.islice(many, OTHERS):
        found = run_case(launcher, other, failure.round)
        if found and not (found.fault or found.refused or found.diagnosis.zeros):
            return found
    return failure


def of_no_rounding(launcher: Launcher, failure: Failure, cases: Iterable[Case]) -> Failure:
    """Return a failure of other numbers, if one says that no rounding made this one.

    Where results are too large by an eighth and more, of numbers that do not cancel, a narrower
    type is not what makes them so: one that overflows makes infinity, a sum without enough
    digits stays too small. Of few numbers, not even that. Another case may tell what does.
    """
    told, vague, known = failure.diagnosis, None, None
    if not told.nearly or not told.specific or failure.fault:
        return failure
    some = (x for x in itertools.islice(cases, NEXT_CASES) if isinstance(x, Case))
    some = (x for x in some if FEW <= max(x.size, _most(x)) <= MORE and _is_moderate(x))
    for case in itertools.islice(some, FEW_CASES):
        found = run_case(launcher, case, failure.round)
        if not found or found.fault or found.refused or found.diagnosis.nearly:
            continue
        if (got := launched(launcher, case, list(case.inputs))) is None:
            return failure
        made = got[0].view(case.dtypes[0]).double().reshape(-1)
        off = _too_large(case, made)
        few = _numbers(case) <= OF_FEW and _least_size(case) >= LEAST_SIZE
        if bool((off > TOO_LARGE).any()) or (few and bool((off < -2 * TOO_LARGE).any())):
            if found.diagnosis.specific:
                return found
            vague = vague or found
        elif found.diagnosis.specific:
            known = known or found
    return (vague and known) or vague or failure


def of_no_ties(launcher: Launcher, failure: Failure, cases: Iterable[Case]) -> Failure:
    """Return a failure of other numbers than halves, if only halves were said to go wrong.

    Of numbers that are all halves, one that is a little too small goes wrong as a tie does.
    """
    if not failure.diagnosis.sentence.startswith(HALVES) or failure.fault:
        return failure
    some = (x for x in itertools.islice(cases, NEXT_CASES) if isinstance(x, Case))
    for case in itertools.islice((x for x in some if FEW < x.size <= MORE), FEW_CASES):
        found = run_case(launcher, case, failure.round)
        if not found or found.fault or found.refused or not found.diagnosis.specific:
            continue
        if not found.diagnosis.sentence.startswith(HALVES) and not found.diagnosis.doubt:
            return found
    return failure


def of_more_rows(launcher: Launcher, failure: Failure, cases: Iterable[Case]) -> Failure:
    """Return a failure of several rows in a known pattern, if that of a row or two is not."""
    case, told = failure.case, failure.diagnosis
    vague = not told.specific and not failure.fault and not failure.refused
    if told.sentence.startswith(BY_DEFAULT):
        return failure  # which says more than what comes out then
    if not vague or case.expected[0].dim() != 2 or len(case.expected[0]) > 2:
        return failure
    some = (x for x in itertools.islice(cases, NEXT_CASES) if isinstance(x, Case))
    some = (x for x in some if len(x.expected[0]) > 2 and FEW < x.size <= MORE)
    for other in itertools.islice(some, FEW_CASES):
        found = run_case(launcher, other, failure.round)
        if not found or found.fault or found.refused or not found.diagnosis.specific:
            continue
        known = found.diagnosis
        if not (known.nearly or known.special or known.doubt) and known.wrong >= SEVERAL:
            return found
    return failure


def _is_moderate(case: Case) -> bool:
    """Test whether there are only finite numbers of a usual size, and one output of floats."""
    numbers = [x.double() for x in case.inputs if x.is_floating_point()]
    if len(case.expected) != 1 or not case.dtypes[0].is_floating_point or not numbers:
        return False
    return all(bool((x.abs() <= MODERATE).all()) for x in numbers)


def _least_size(case: Case) -> float:
    """Return the size of an input's numbers, of that with the smallest ones."""
    return min(float(x.double().abs().mean()) for x in case.inputs if x.is_floating_point())


def _too_large(case: Case, made: torch.Tensor) -> torch.Tensor:
    """Return by what part results are too large, or below 0 too small; 0 where they cancel."""
    right, count = case.expected[0].double().reshape(-1), max(1, _numbers(case))
    largest = max(float(x.double().abs().mean()) for x in case.inputs if x.is_floating_point())
    if count == 1:
        largest = max(float(x.double().abs().max()) for x in case.inputs)
    usual = largest * math.sqrt(count) / 4
    alike = made.isfinite() & (made * right > 0) & (right.abs() >= usual)
    return torch.where(alike, made.abs() / right.abs() - 1, 0.0)


def _numbers(case: Case) -> int:
    """Return of how many numbers a result may be made; 0 for an operator."""
    most = _most(case)
    return most // case.size if (case.size and most > case.size) or case.size == 1 else 0


def _most(case: Case) -> int:
    """Return the elements of the largest input."""
    return max((x.numel() for x in case.inputs), default=0)
