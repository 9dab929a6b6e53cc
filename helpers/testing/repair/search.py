"""Try the edits of a kernel, and keep those with which every case comes out right."""

from __future__ import annotations

import contextlib
import ctypes
import itertools
import mmap
import os
import re
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from helpers import emulator, sources
from helpers.emulator import compile as compiling
from helpers.emulator import front_end, isolated
from helpers.errors import CompileError, KernelFault
from helpers.run.build import precompiled_headers
from helpers.run.launcher import Launcher
from helpers.testing.cases import Case
from helpers.testing.repair.edits import CHOICE, Edit, Schema, edits_on
from helpers.testing.run_case import ROUNDS, Round, is_right

BUILDS = 6  # each leaves out the edits that the one before could not compile
SAMPLE = 60  # cases that are looked at for a failure
SMALL = 5000  # elements of such a case
LARGEST = 200_000  # of one that is taken where all others are right
LARGER = 3  # such cases that an edit must make right
FAILING, PASSING = 8, 24  # cases of the sample that each edit is tried on
SECONDS = 5.0  # of CPU time for the trials on the sample
CONFIRMING_SECONDS = 1.5  # for those on all cases
GRACE = 2.0  # seconds in which a child must notice by itself that its time is over
MOST_WAITED = 4  # seconds for each of CPU time, on a machine with other work
A_LINE = 3  # edits of a line that are tried on all cases
DEATHS = 20  # of child processes, by what edits do to the launcher's own code
PATIENCE = 0.02  # CPU seconds of a small launch, at least, until it counts as endless
UNTRIED, WRONG, RIGHT, RUNNING = range(4)
# Template backtraces name the line that asked for what a header cannot do.
FLAGS = ("-ftemplate-backtrace-limit=0",)
_ERROR = r"{}\.(?:cu|cpp):(\d+):(?:\d+:)?\s+(?:fatal error|error|required from)"

Cases = Callable[[Launcher], Iterable[object]]


@dataclass(frozen=True)
class Repairs:
    """What came of a search: the edits that make all cases right, and how many cases.

    complete: whether there was the time to try every edit.
    """

    edits: tuple[Edit, ...] = ()
    cases: int = 0
    complete: bool = False


def find(launcher: Launcher, cases: Cases) -> Repairs:
    """Return the edits of an emulated launcher's file with which every case comes out right.

    cases: from a launcher to its cases, of which one goes wrong.

    Nothing is tried where no child process protects this one from the edits.

    Raises CourseError or OSError if the edits cannot be built.
    """
    if isolated.inside() or not isolated.CAN_FORK:
        return Repairs()
    with tempfile.TemporaryDirectory() as folder:
        output = Path(folder) / "edits.so"
        edits, without = _build(launcher, output)
        if not edits:
            return Repairs()
        edited = Launcher(launcher.declaration, emulator.load(output), on_gpu=False)
        return _Search(edited, cases, edits, without).run()


def _build(launcher: Launcher, output: Path) -> tuple[Sequence[Edit], set[int]]:
    """Build all edits into one library; return them, and the numbers of those left out."""
    path = Path(launcher.path).resolve()
    headers, files = precompiled_headers(), sources.read_sources(path)
    _, tree = front_end.examine(path, files, compiling.compiler(), headers)
    if tree is None:
        return (), set()
    code, without = files[path].encode().decode("latin-1"), set()
    for _ in range(BUILDS):
        schema = Schema(tree, code, launcher.declaration.name, without)
        text = schema.text.encode("latin-1").decode()
        try:
            compiling.build(path, output, headers, FLAGS, edited={path: text})
        except CompileError as error:
            lines = re.findall(_ERROR.format(re.escape(path.stem)), error.log)
            bad = edits_on(text, map(int, lines))
            if not bad - without:
                break
            without |= bad
        else:
            return schema.edits, without
    return (), set()


@dataclass
class _Search:
    """The library with the edits of a launcher, and which of them are left out."""

    launcher: Launcher
    cases: Cases
    edits: Sequence[Edit]
    without: set[int]

    def run(self) -> Repairs:
        """Try the edits on a sample of the cases, and a few of each line on all cases."""
        numbers = [k for k in range(1, len(self.edits) + 1) if k not in self.without]
        states = self._each(numbers, self._sample, SECONDS)
        right = self._few_a_line(k for k in numbers if states[k] == RIGHT)
        if not right:
            return Repairs(complete=UNTRIED not in states.values())
        complete = UNTRIED not in states.values()
        states = self._each(right, self._all, CONFIRMING_SECONDS)
        found = tuple(self.edits[k - 1] for k in right if states[k] == RIGHT)
        complete &= UNTRIED not in states.values()
        return Repairs(found, len(list(_small(self.cases(self.launcher)))), complete)

    def _few_a_line(self, numbers: Iterable[int]) -> list[int]:
        """Choose a few edits of each line, of different kinds."""
        chosen: dict[tuple[int, str], int] = {}
        for k in sorted(numbers, key=lambda k: self.edits[k - 1].weak):
            edit = self.edits[k - 1]
            if sum(line == edit.line for line, _ in chosen) < A_LINE:
                chosen.setdefault((edit.line, edit.kind), k)
        return list(chosen.values())

    def _each(self, numbers: Sequence[int], choose: Callable, seconds: float) -> dict[int, int]:
        """Try edits on the cases that `choose` returns; return what came of each.

        The trials run in a child process. If an edit brings it down, or holds it up in the
        launcher's own code, another one goes on.
        """
        states, start = mmap.mmap(-1, len(numbers)), _spent()
        deadline = time.monotonic() + MOST_WAITED * seconds
        for _ in range(DEATHS):
            left, waits = seconds - (_spent() - start), deadline - time.monotonic()
            if min(left, waits) <= 0:
                break
            with contextlib.suppress(KernelFault):
                isolated.run(
                    lambda left=left: self._try(numbers, choose(), states, left),
                    name=self.launcher.declaration.file,
                    seconds=min(waits, left + GRACE),
                )
                break
            died = bytes(states).find(RUNNING)
            if died >= 0:
                states[died] = WRONG
        return dict(zip(numbers, states[:], strict=True))

    def _try(
        self,
        numbers: Sequence[int],
        chosen: tuple[list[tuple[Case, Round]], float],
        states: mmap.mmap,
        seconds: float,
    ) -> None:
        """Try edits on the chosen runs, with that patience, for so many seconds of CPU time."""
        (runs, patience), start = chosen, time.process_time()
        with self.launcher.emulator.timeout(patience):
            for place, k in enumerate(numbers):
                if not runs or time.process_time() - start > seconds:
                    return
                if states[place] != UNTRIED:
                    continue
                states[place] = RUNNING
                self._choose(k)
                right = all(is_right(self.launcher, case, how) for case, how in runs)
                states[place] = RIGHT if right else WRONG

    def _choose(self, number: int) -> None:
        """Let the library run with an edit; 0: with none."""
        ctypes.c_int.in_dll(self.launcher.library, CHOICE).value = number

    def _sample(self) -> tuple[list[tuple[Case, Round]], float]:
        """Return some runs, those first that go wrong as the kernel is, and the patience."""
        self._choose(0)
        failing, passing, start = [], [], time.process_time()
        for k, case in enumerate(itertools.islice(_small(self.cases(self.launcher)), SAMPLE)):
            how = next((how for how in ROUNDS if not is_right(self.launcher, case, how)), None)
            if how is None:
                passing.append((case, ROUNDS[k % len(ROUNDS)]))
            else:
                failing.append((case, how))
        seconds = (time.process_time() - start) / (2 * max(1, len(failing) + len(passing)))
        failing = failing or self._large()
        failing.sort(key=lambda run: _elements(run[0]))
        runs = [*_some(failing, FAILING), *_some(passing, PASSING)] if failing else []
        return runs, max(PATIENCE, 10 * seconds)

    def _large(self) -> list[tuple[Case, Round]]:
        """Return a large case that goes wrong, if there is one."""
        for case in _small(self.cases(self.launcher), LARGEST):
            if _elements(case) > SMALL and not is_right(self.launcher, case, ROUNDS[0]):
                return [(case, ROUNDS[0])]
        return []

    def _all(self) -> tuple[list[tuple[Case, Round]], float]:
        """Return a run of every small case and of some larger ones, and the patience with each.

        A larger one shows an edit that is right for a block or two only.
        """
        cases = [*_small(self.cases(self.launcher), LARGEST)]
        larger = _some([case for case in cases if _elements(case) > SMALL], LARGER)
        cases = [case for case in cases if _elements(case) <= SMALL] + larger
        return [(case, ROUNDS[k % len(ROUNDS)]) for k, case in enumerate(cases)], 1.0


def _spent() -> float:
    """Return the CPU seconds of this process's children that have ended."""
    times = os.times()
    return times.children_user + times.children_system


def _elements(case: Case) -> int:
    return max(case.size, *(x.numel() for x in case.inputs), 0)


def _small(cases: Iterable[object], limit: int = SMALL) -> Iterator[Case]:
    for case in cases:
        if isinstance(case, Case) and not case.end and _elements(case) <= limit:
            yield case


def _some(items: Sequence, count: int) -> list:
    """Choose as many items, evenly."""
    count = min(count, len(items))
    return [items[k * len(items) // count] for k in range(count)]
