"""Try cases one after the other, each in several rounds, until one goes wrong."""

from __future__ import annotations

import contextlib
import math
import time
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from helpers.errors import FaultKind
from helpers.run.launcher import Launcher
from helpers.testing import races
from helpers.testing.cases import Case
from helpers.testing.diagnosis import Diagnosis
from helpers.testing.explain import FEW, explain, more_specific
from helpers.testing.past_2_31 import Huge, Outcome, Result, try_huge
from helpers.testing.run_case import ROUNDS, Failure, Round, run_case

SLOW = 0.04  # CPU seconds of a small call: a usual one takes a thousandth
LARGE = 1 << 18  # elements of a case that may be left out for its time
LARGE_SECONDS = 4.0
WARM = 3  # the case by which a kernel counts as slow; the first ones take longer
BUDGET = 2.0  # CPU seconds for all cases of a kernel whose small calls are slow


@dataclass(frozen=True)
class Finding:
    """What is wrong with a launcher: a sentence, and the rule that was broken."""

    sentence: str
    fault: FaultKind | None = None

    def __str__(self) -> str:
        return self.sentence


@dataclass(frozen=True)
class Tried:
    """What was tried of a launcher: the number of cases, what is wrong, what was left out."""

    count: int
    found: Failure | Finding | None = None
    not_tried: tuple[str, ...] = ()
    seconds: float = 0.0  # CPU time of a small call

    @property
    def every(self) -> int:
        """The distance between the calls that are worth their time: 1 for a usual kernel."""
        return max(1, math.ceil(200 * self.seconds / BUDGET)) if self.seconds > SLOW else 1


def run_cases(launcher: Launcher, cases: Iterable[Case | Huge]) -> Tried:
    """Try cases until one is wrong.

    Each case runs in three rounds that differ in what the outputs hold, in the order of the
    threads and in the stream. A fault or a refused launch is a failure, too. Of a kernel whose
    small calls are slow on the emulator only some cases are tried, each in one round.
    """
    passed: list[Case] = []
    cases, rounds, seconds, left_out, count, open_ones = iter(cases), ROUNDS, 0.0, 0, 0, {}
    slow_ones: list[str] = []
    while (case := next(cases, None)) is not None:
        count += 1
        if isinstance(case, Huge):
            result = _huge(launcher, case)
            if result.outcome is Outcome.WRONG:
                return Tried(count, result)
            if result.outcome is Outcome.UNDECIDED:
                open_ones.setdefault(result.sentence, []).append(case.label)
            continue
        start = time.process_time()
        for how in (rounds[count % len(rounds)],) if case.quick else rounds:
            with _patience(launcher, case):
                failure = run_case(launcher, case, how)
            if failure and failure.fault is FaultKind.TIMEOUT and _is_large(case):
                slow_ones.append(case.label)
                break
            if failure:
                return Tried(count, _explained(launcher, failure, cases, passed))
        passed.append(case)
        if len(passed) == WARM:
            seconds = (time.process_time() - start) / len(rounds)
            if seconds > SLOW and not launcher.on_gpu:
                rest = list(cases)
                chosen = _some(rest, seconds)
                left_out, cases = len(rest) - len(chosen), iter(chosen)
        if left_out:
            rounds = (ROUNDS[len(passed) % len(ROUNDS)],)
    if slow_ones:
        open_ones[f"more than {LARGE_SECONDS:g} s"] = slow_ones
    not_tried = [f"{' and '.join(labels)} ({why})" for why, labels in open_ones.items()]
    if left_out:
        not_tried.append(f"{left_out} more cases (a launch takes {seconds:.2f} s)")
    return Tried(count, _race(launcher, passed), tuple(not_tried), seconds)


def _race(launcher: Launcher, passed: Sequence[Case]) -> Failure | None:
    """Trace the largest small case of a kernel whose threads can get in each other's way."""
    if launcher.on_gpu or not races.cooperates(launcher):
        return None
    case = races.to_trace(passed)
    fault = races.first_race(launcher, case) if case else None
    return Failure(case, ROUNDS[0], Diagnosis(str(fault)), fault.kind) if fault else None


def _is_large(case: Case) -> bool:
    return max((x.numel() for x in case.inputs), default=0) > LARGE


def _patience(launcher: Launcher, case: Case) -> contextlib.AbstractContextManager:
    """Give up a large case on the emulator sooner than others."""
    if launcher.on_gpu or not _is_large(case):
        return contextlib.nullcontext()
    return launcher.emulator.timeout(LARGE_SECONDS)


def _huge(launcher: Launcher, case: Huge) -> Result:
    """Try a launch past 2^31 elements on the emulator; a GPU may not have the memory."""
    if launcher.on_gpu:
        return Result(case.size, Outcome.RIGHT)
    return try_huge(launcher, case)


def _some(cases: Sequence[Case], seconds: float) -> list[Case]:
    """Choose as many cases as fit the budget, evenly."""
    count = min(len(cases), max(10, int(BUDGET / seconds)))
    return [cases[k * len(cases) // count] for k in range(count)]


def _explained(
    launcher: Launcher, failure: Failure, cases: Iterator[Case], passed: list[Case]
) -> Failure:
    """Return the failure with the best diagnosis that experiments and further cases give."""
    passed = list(passed)
    if not failure.diagnosis.specific and failure.case.size <= FEW:
        if specific := more_specific(launcher, cases, passed):
            return specific
    return explain(launcher, failure, passed)


def find(launcher: Launcher, case: Case, passed: Sequence[Case]) -> Failure | None:
    """Repeat one case in every round; return what went wrong, explained, or None."""
    for how in ROUNDS:
        if failure := run_case(launcher, case, how):
            return explain(launcher, failure, passed)
    return None


__all__ = ["Finding", "Round", "Tried", "find", "run_cases"]
