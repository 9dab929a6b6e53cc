"""Run a failed case again, with one thing changed: Experiment."""

from __future__ import annotations

import itertools
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from helpers import emulator
from helpers.run.launcher import Launcher
from helpers.testing import races
from helpers.testing.cases import Case, Untried
from helpers.testing.mismatch import Diagnosis
from helpers.testing.past_2_31 import Huge
from helpers.testing.run_case import Failure, Round, is_right

NEXT_CASES = 100


class Remembered:
    """Iterate over items again and again; each is made once, when it is first asked for."""

    def __init__(self, items: Iterable):
        self._left, self._seen = iter(items), []

    def __iter__(self) -> Iterator:
        for k in itertools.count():
            if k == len(self._seen):
                try:
                    self._seen.append(next(self._left))
                except StopIteration:
                    return
            yield self._seen[k]


def of_other_sizes(cases: Iterable[Case]) -> Iterator[Case]:
    """Yield the first case of each size."""
    sizes = set()
    for case in cases:
        if (size := tuple(x.shape for x in case.inputs)) not in sizes:
            sizes.add(size)
            yield case


def fresh(launcher: Launcher) -> Launcher:
    """Load the emulated launcher's library anew, with no trace of earlier calls."""
    with tempfile.NamedTemporaryFile(suffix=".so") as copy:
        copy.write(launcher.built.read_bytes())
        copy.flush()
        made = Launcher(launcher.declaration, emulator.load(copy.name), on_gpu=False)
    made.path, made.built = launcher.path, launcher.built
    return made


@dataclass(frozen=True)
class Experiment:
    """One failure, the launcher that failed, and the cases that passed before it.

    called: it was called before, even if no case passed. following: cases not yet tried.
    tried: those after the first failure in which nothing more specific was found.
    """

    launcher: Launcher
    failure: Failure
    passed: Sequence[Case]
    called: bool = False
    following: Iterable[Case | Huge | Untried] = ()
    tried: Iterable[Case | Huge | Untried] = ()

    @property
    def case(self) -> Case:
        """The case that went wrong."""
        return self.failure.case

    @property
    def how(self) -> Round:
        """The round in which it did."""
        return self.failure.round

    def right(self, case: Case, **changes: int | bool) -> bool:
        """Run a case, with some things of the round changed: does it go right?"""
        return is_right(self.launcher, case, replace(self.how, **changes))

    def right_when_fresh(self, case: Case, **changes: int | bool) -> bool:
        """Run the case as the first call of the library; no stream test, as it takes a call."""
        how = replace(self.how, stream=False, **changes)
        return is_right(fresh(self.launcher), case, how)

    def traced(self) -> Diagnosis | None:
        """Trace the largest small case, else this one, if threads can meet in the kernel.

        In a case of few elements some warps have nothing to do: it does not show how far the
        threads that meet are apart.
        """
        if not races.cooperates(self.launcher):
            return None
        following = itertools.takewhile(_may_be_traced, self.following)
        known = [self.case, *self.passed, *itertools.islice(following, NEXT_CASES)]
        cases = [races.to_trace(known), self.case if races.is_small(self.case) else None]
        told = (self.traced_for(case) for case in cases if case)
        return next(filter(None, told), None)

    def traced_for(self, case: Case, seconds: float | None = None) -> Diagnosis | None:
        """Trace one case, for so many seconds at most."""
        if not races.cooperates(self.launcher):
            return None
        fault, _ = races.first_race(self.launcher, case, seconds)
        return Diagnosis(races.sentence(fault, self.launcher)) if fault else None


def _may_be_traced(case: Case | Huge | Untried) -> bool:
    return isinstance(case, Case) and races.is_small(case)
