"""Try cases one after the other, each in several rounds, until one goes wrong."""

from __future__ import annotations

import contextlib
import itertools
import math
import statistics
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from helpers.errors import FaultKind
from helpers.run.launcher import Launcher
from helpers.testing import experiment, patience, races
from helpers.testing.cases import Case, Untried, least_starts, starting
from helpers.testing.experiment import Remembered
from helpers.testing.experiments.explain_arguments import unused
from helpers.testing.experiments.explain_numbers import FEW
from helpers.testing.explain import beside_another_stream, explain, stays_from_earlier
from helpers.testing.guarded import explanation
from helpers.testing.mismatch import SEVERAL, Diagnosis
from helpers.testing.more_cases import (
    more_specific,
    of_all_numbers,
    of_lanes_that_stay,
    of_large_integers,
    of_more_blocks,
    of_more_elements,
    of_more_numbers,
    of_more_rows,
    of_no_constant,
    of_no_rounding,
    of_no_ties,
    of_one_sign,
    of_ordinary_arrays,
    of_ordinary_numbers,
    of_other_arguments,
    of_smaller_integers,
    of_special_values,
    of_subnormal_numbers,
    of_whole_tiles,
)
from helpers.testing.past_2_31 import Huge, Outcome, Result, limit, refusal, try_huge
from helpers.testing.probes import lowered
from helpers.testing.run_case import ROUNDS, Failure, Round, end_is_right, run_case

SLOW = 0.01  # CPU seconds of a small call, of which BUDGET is enough for all; usual: 0.0005
LARGE = 1 << 18  # elements of a case that may be left out for its time
LARGE_SECONDS = 5.0  # of CPU time
UNTRACED = "its launches cannot be traced"
TOO_SLOW = f"more than {LARGE_SECONDS:g} s"
MOST_SECONDS = 30.0  # of CPU time for the cases, after which none as large as a long one begins
LONG = 0.1  # CPU seconds of such a case; usual: 0.002
TAKES_LONG = f"the cases before took {MOST_SECONDS:g} s"
MOST_LABELS = 8  # of cases that were not tried, in one sentence
VERY_SLOW = 0.2  # CPU seconds of a small call, after which no other is needed to be sure
END_SECONDS = 0.1  # of a large case of which the end is enough
WARM = 3  # the case by which a kernel counts as slow; the first ones take longer
TRACE_SECONDS = 1.0  # of a traced launch of such a kernel
SHARED_BYTES = (0x00, 0x7B, 0x7F, 0x80, 0xFB)  # large numbers and small ones of most types
SURER = (
    of_other_arguments,
    of_no_constant,
    of_all_numbers,
    of_ordinary_numbers,
    of_special_values,
    of_subnormal_numbers,
    of_ordinary_arrays,
    of_large_integers,
    of_more_blocks,
    of_more_numbers,
    of_no_rounding,
    of_no_ties,
    of_lanes_that_stay,
)
PACK = 16  # bytes of the widest load
SHIFTED = 3  # cases in which each tensor in turn starts elsewhere than the others
MORE_TRACES_SECONDS = 0.4  # CPU seconds for traces of further cases
EXPLAINING_SECONDS = 10.0  # of CPU time, after which the plain facts must do
BUDGET = 2.0  # CPU seconds for all cases of a kernel whose small calls are slow


@dataclass(frozen=True)
class Finding:
    """What is wrong with a launcher: a sentence, and the rule that was broken.

    asks: what of it asks for the cause, or says only that something is wrong; "" where the
    cause was seen, as that of most faults is. plain: the sentence without what is asked.
    """

    sentence: str
    fault: FaultKind | None = None
    asks: str = ""
    plain: str = ""

    @classmethod
    def of(cls, found: Failure | Result | Finding) -> Finding:
        """Keep of what was found that which a child process can tell."""
        if isinstance(found, Failure):
            return cls(str(found), found.fault, found.asks, str(found.plain))
        return cls(str(found), found.fault)

    def __str__(self) -> str:
        return self.sentence


@dataclass(frozen=True)
class Tried:
    """What was tried of a launcher: the number of cases, what is wrong, what was left out.

    limit: the size up to which it is right, and what goes wrong beyond; "" if nothing does.
    """

    count: int
    found: Failure | Finding | None = None
    not_tried: tuple[str, ...] = ()
    seconds: float = 0.0  # CPU time of a small call
    limit: str = ""

    def every(self, calls: int) -> int:
        """Return the distance between the calls that are worth their time: 1 if all are."""
        return max(1, math.ceil(calls * self.seconds / BUDGET)) if self.seconds > SLOW else 1


def run_cases(launcher: Launcher, cases: Iterable[Case | Huge | Untried]) -> Tried:
    """Try cases until one is wrong.

    Each case runs in three rounds that differ in what the outputs hold, in the order of the
    threads and in the stream. A fault or a refused launch is a failure, too. Of a kernel whose
    small calls are slow on the emulator only some cases are tried, each in one round.
    """
    return _Series(launcher, iter(cases)).run()


@dataclass
class _Series:
    """The cases of one launcher, and what is known so far.

    seconds: CPU time of a small call of a slow kernel, else 0. left_out: how many cases such a
    kernel is spared. spent: CPU time of the cases. too_large: elements of a case that took too
    long, and why none as large is tried. undecided: the labels of cases that were given up, by
    the reason.
    """

    launcher: Launcher
    cases: Iterator[Case | Huge | Untried]
    count: int = 0
    seconds: float = 0.0
    left_out: int = 0
    spent: float = 0.0
    too_large: tuple[float, str] = (math.inf, "")
    limit: str = ""
    passed: list[Case] = field(default_factory=list)
    undecided: dict[str, list[str]] = field(default_factory=dict)

    def run(self) -> Tried:
        """Try the cases until one is wrong; then move tensors, rows, and look for a race."""
        while (case := next(self.cases, None)) is not None:
            if isinstance(case, Untried):
                self.undecided.setdefault(case.reason, []).append(case.label)
                continue
            self.count += 1
            found = self._huge(case) if isinstance(case, Huge) else self._case(case)
            if found:
                return Tried(self.count, found)
        shifted = ((case, "") for case in self._shifted())
        for case, words in itertools.chain(shifted, lowered.cases(self.passed)):
            if failure := run_case(self.launcher, case, ROUNDS[0]):
                if words and not failure.fault:
                    if race := self._race():  # by which other numbers may come out, too
                        return Tried(self.count, race)
                    failure = replace(failure, diagnosis=Diagnosis(words), settled=True)
                return Tried(self.count, self._explained(failure))
        race = self._race()
        return Tried(self.count, race, tuple(self._not_tried()), self.seconds, self.limit)

    def _huge(self, case: Huge) -> Result | None:
        result = _huge(self.launcher, case)
        if result.outcome is Outcome.UNDECIDED:
            self.undecided.setdefault(result.sentence, []).append(case.label)
        if result.outcome is Outcome.LIMITED and not self.limit:
            self.limit = limit(result, case.label)
        return result if result.outcome is Outcome.WRONG else None

    def _case(self, case: Case) -> Failure | None:
        """Try one case in its rounds."""
        if case.end and not self.launcher.on_gpu:
            if end_is_right(self.launcher, case, END_SECONDS):
                self.passed.append(case)
                return None
        seconds, case = [], self._of_two_zeros(case)
        size, why = self.too_large
        if _elements(case) >= size:
            self.count -= 1
            self.undecided.setdefault(why, []).append(case.label)
            return None
        for how in self._rounds(case):
            start = time.process_time()
            with _patience(self.launcher, case):
                failure = run_case(self.launcher, case, how)
            seconds.append(time.process_time() - start)
            if failure and (reason := _why_undecided(case, failure)):
                self.undecided.setdefault(reason, []).append(case.label)
                if reason == TOO_SLOW:
                    self.too_large = _elements(case), TOO_SLOW
                    # What the stopped launch had counted would stay.
                    self.launcher = experiment.fresh(self.launcher)
                return None
            if failure:
                return self._explained(failure)
        self.passed.append(case)
        self.spent += sum(seconds)
        if self.spent > MOST_SECONDS and sum(seconds) > LONG:
            self.too_large = min(self.too_large, (_elements(case), TAKES_LONG))
        if len(self.passed) <= WARM and not self.seconds:
            self._thin_out(statistics.median(seconds))  # one round may have been disturbed
        return None

    def _of_two_zeros(self, case: Case) -> Case:
        """Return the case with what others tell of -0.0, if it holds that."""
        if not case.minus_zeros:
            return case
        following = list(itertools.islice(self.cases, experiment.NEXT_CASES))
        self.cases = itertools.chain(following, self.cases)
        return case.with_limits(x for x in (*self.passed, *following) if isinstance(x, Case))

    def _explained(self, failure: Failure) -> Failure:
        how = (self.launcher, failure, self.cases, self.passed)
        large = _is_large(failure.case)
        with patience.within(LARGE_SECONDS if large else EXPLAINING_SECONDS):
            return explanation(_explained, *how) or failure

    def _shifted(self) -> Iterator[Case]:
        """Yield cases in which one tensor, or each, starts where a slice may.

        A kernel may look at the address of one only, or at too few bits of each: one at a start
        of two numbers is no round one for words of four. Wide loads are made of lengths that
        are a multiple of their width: such cases are taken.
        """
        if self.seconds:
            return
        steps = least_starts(self.launcher)
        passed = (x for x in self.passed if x.offset == 0 and not x.end)
        some = [x for x in passed if _elements(x) > 1 and races.is_small(x)]
        some.sort(key=_evenness, reverse=True)
        for case in some[:SHIFTED]:
            for offset in dict.fromkeys(self._starts(steps)):
                label = f"{case.label}, {starting(offset)}"
                yield replace(case, label=label, offset=offset)

    def _starts(self, steps: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
        """Yield a start of each tensor alone, and one of all, of 1, 2, 4 and 8 least steps."""
        widths = [p.dtype.itemsize for p in self.launcher.declaration.tensors]
        for times in (1, 2, 4, 8):
            starts = tuple(times * step for step in steps)
            if times == 1 or any(map(lambda k, width: k * width < PACK, starts, widths)):
                for k in range(len(starts)):
                    yield tuple(start * (j == k) for j, start in enumerate(starts))
                yield starts

    def _rounds(self, case: Case) -> Sequence[Round]:
        if self.seconds:
            return (ROUNDS[len(self.passed) % len(ROUNDS)],)
        return (ROUNDS[self.count % len(ROUNDS)],) if case.quick else ROUNDS

    def _thin_out(self, seconds: float) -> None:
        """Choose some of the cases that are left, if the kernel is slow.

        seconds: CPU time of a call of the last case.
        """
        limit = SLOW if len(self.passed) == WARM else VERY_SLOW
        if seconds <= limit or self.launcher.on_gpu:
            return
        self.seconds, rest = seconds, list(self.cases)
        chosen = _some(rest, self.seconds)
        self.left_out, self.cases = len(rest) - len(chosen), iter(chosen)

    def _race(self) -> Failure | None:
        """Trace the largest small case, if threads can get in each other's way.

        And others of its size, as long as that is quick.
        """
        if self.launcher.on_gpu or not races.cooperates(self.launcher):
            return None
        end, limit = math.inf, TRACE_SECONDS if self.seconds else None
        for case in races.alike(self.passed)[: 1 if self.seconds else None]:
            if time.process_time() > end:
                break
            fault, complete = races.first_race(self.launcher, case, limit)
            if complete is None:
                self.undecided.setdefault(UNTRACED, ["races"])
                return None
            if not complete:
                self.undecided.setdefault(f"in more than {limit:g} s of one launch", ["races"])
            if fault is not None and fault.kind is FaultKind.UNWRITTEN:
                if not self._matters_what_was_there(case):
                    fault = None  # it is read, and not used
            if fault is not None:
                told = Diagnosis(races.sentence(fault, self.launcher))
                return Failure(case, ROUNDS[0], told, fault.kind)
            end = min(end, time.process_time() + MORE_TRACES_SECONDS)
        return None

    def _matters_what_was_there(self, case: Case) -> bool:
        """Run a case with other numbers in shared memory before: does one go wrong?"""
        for byte in SHARED_BYTES:
            with self.launcher.emulator.shared_garbage(byte):
                if run_case(self.launcher, case, ROUNDS[0]):
                    return True
        return False

    def _not_tried(self) -> Iterator[str]:
        """Yield what was not tried, in words."""
        for why, labels in self.undecided.items():
            first, *others = dict.fromkeys(labels)
            if len(others) >= MOST_LABELS:
                others = [f"{len(others)} more"]
            yield f"{' and '.join([first, *others])} ({why})"
        if self.left_out:
            yield f"{self.left_out} more cases (a launch takes {self.seconds:.2f} s)"


def _why_undecided(case: Case, failure: Failure) -> str:
    """Say why a large case that failed does not count; "" if it does.

    A grid of matrices may end at 65,535 in y, and then refuses very long ones.
    """
    if _is_large(case) and failure.fault is FaultKind.TIMEOUT:
        return TOO_SLOW
    if _is_large(case) and failure.refused and case.inputs[0].dim() > 1:
        return refusal(failure.side)
    return ""


def _evenness(case: Case) -> int:
    """Return the largest power of two, up to 16, that divides the length of each row.

    A single number, as of a sum, is no row.
    """
    lengths = [x.shape[-1] for x in (*case.inputs, *case.expected) if x.numel() > 1]
    return math.gcd(16, *lengths) if lengths else 1


def _elements(case: Case) -> int:
    """Return the elements of the largest tensor."""
    return max((case.size, *(x.numel() for x in case.inputs)))


def _is_large(case: Case) -> bool:
    return max((x.numel() for x in case.inputs), default=0) > LARGE


def _patience(launcher: Launcher, case: Case) -> contextlib.AbstractContextManager:
    """Give up a large case on the emulator sooner than others."""
    if launcher.on_gpu or not _is_large(case):
        return contextlib.nullcontext()
    return launcher.emulator.timeout(LARGE_SECONDS)


def _huge(launcher: Launcher, case: Huge) -> Result:
    """Try a launch past 2^31 elements on the emulator; a GPU may not have the memory.

    It may be stopped, and leave behind what it had counted: not in the launcher itself.
    """
    if launcher.on_gpu:
        return Result(case.size, Outcome.RIGHT)
    return try_huge(experiment.fresh(launcher), case)


def _some(cases: Sequence[Case], seconds: float) -> list[Case]:
    """Choose as many cases as fit the budget, evenly."""
    count = min(len(cases), max(10, int(BUDGET / seconds)))
    return [cases[k * len(cases) // count] for k in range(count)]


def _explained(
    launcher: Launcher, failure: Failure, cases: Iterator[Case], passed: list[Case]
) -> Failure:
    """Return the failure with the best diagnosis that experiments and further cases give."""
    passed = list(passed)
    if beside := beside_another_stream(launcher, failure):
        return beside
    if fault := _fault_of_another_round(launcher, failure):
        return fault
    known, cases = itertools.tee(cases)
    tried: Iterable = ()
    if found := unused(launcher, failure, itertools.chain(passed, known)):
        return found
    few = failure.case.size <= FEW or failure.diagnosis.wrong < SEVERAL
    if not failure.diagnosis.specific and few:
        if stays := stays_from_earlier(launcher, failure, passed):
            return stays
        tried = following = Remembered(cases)
        cases = iter(following)
        how = (failure.round, following, failure)
        if specific := more_specific(launcher, cases, passed, *how):
            specific = of_special_values(launcher, specific, following)
            specific = of_other_arguments(launcher, specific, following)
            specific = of_no_constant(launcher, specific, following)
            specific = of_no_rounding(launcher, specific, following)
            cases, known = itertools.tee(cases)
            specific = of_large_integers(launcher, specific, known)
            specific = of_all_numbers(launcher, specific, cases)
            specific = of_one_sign(launcher, specific, passed, following)
            specific = of_whole_tiles(launcher, specific, passed, following)
            return of_smaller_integers(launcher, specific, passed, following)
    called = failure.diagnosis.doubt > 0
    if called:
        known, cases = itertools.tee(cases)
        failure = of_more_elements(launcher, failure, known)
    for surer in SURER:
        cases, known = itertools.tee(cases)
        failure = surer(launcher, failure, known)
    cases, known = itertools.tee(cases)
    cases, behind = itertools.tee(cases)
    failure = explain(launcher, failure, passed, called, following=cases, tried=tried)
    others = Remembered(itertools.chain(tried, behind))
    failure = of_one_sign(launcher, failure, passed, others)
    failure = of_smaller_integers(launcher, failure, passed, others)
    return of_more_rows(launcher, failure, known)


def _fault_of_another_round(launcher: Launcher, failure: Failure) -> Failure | None:
    """Look for a fault behind wrong numbers of which nothing is known.

    What is read outside of a tensor is a fault only on the side of the inaccessible page; what
    goes wrong only where tensors start elsewhere may read what lies before them.
    """
    told = failure.diagnosis
    known = told.specific and not told.ends and not failure.round.apart
    if failure.fault or failure.settled or known:
        return None
    others = (run_case(launcher, failure.case, how) for how in ROUNDS if how != failure.round)
    found = next((other for other in others if other and other.fault), None)
    return found if found and found.fault is not FaultKind.TIMEOUT else None


def find(launcher: Launcher, case: Case, passed: Sequence[Case]) -> Failure | None:
    """Repeat one case in every round; return what went wrong, explained, or None."""
    for how in ROUNDS:
        if failure := run_case(launcher, case, how):
            with patience.within(EXPLAINING_SECONDS):
                return explain(launcher, failure, passed)
    return None


__all__ = ["Finding", "Round", "Tried", "find", "run_cases"]
