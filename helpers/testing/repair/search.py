"""Try the edits of a kernel, and keep those with which every case comes out right.

Where no single edit does that, some are tried together (`together`).
"""

from __future__ import annotations

import ctypes
import itertools
import mmap
import re
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import torch

from helpers import emulator, sources
from helpers.emulator import compile as compiling
from helpers.emulator import front_end, isolated
from helpers.errors import CompileError, KernelFault
from helpers.run.build import precompiled_headers
from helpers.run.launcher import Launcher
from helpers.testing.buffers import LARGEST as LARGEST_NUMBER
from helpers.testing.buffers import SMALLEST, ZEROS
from helpers.testing.cases import Case
from helpers.testing.repair.edits import (
    AT,
    CHOSEN,
    MOST_EDITS,
    SEEN,
    STATE,
    STATE_BYTES,
    WITHIN,
    Edit,
    Schema,
    edits_on,
)
from helpers.testing.repair.kinds import NO_TEST
from helpers.testing.repair.together import groups, joined
from helpers.testing.run_case import ROUNDS, Repeated, Round, is_right

BUILDS = 6  # each leaves out the edits that the one before could not compile
SAMPLE = 60  # cases that are looked at for a failure, and as many more while there is none
SMALL = 5000  # elements of such a case
LARGEST = 200_000  # of one that is taken where all others are right
LARGER = 3  # such cases that an edit must make right
SEVERAL = 24  # elements of a case of which a part may be mended
FAILING, PASSING = 8, 24  # cases of the sample that each edit is tried on
SECONDS = 5.0  # of CPU time for the trials on the sample
SECONDS_TOGETHER = 2.0  # for those of several edits
CONFIRMING_SECONDS, CONFIRMING_PATIENCE = 3.0, 1.0  # for those on all cases; with a run
AT_ONCE = 2  # child processes
MOST_WAITED = 4  # seconds for each of CPU time, on a machine with other work
ENOUGH = 3  # times the edits that were not tried: if there are so many, most were
ATTEMPTS = 3  # with other edits of a line
A_LINE = 3  # edits of a line that are tried on all cases
DEATHS = 20  # of child processes, by what edits do to the launcher's own code
MOST_TIMES = 10  # the CPU time of the kernel as it is: more counts as endless
PATIENCE = 0.004  # CPU seconds that a small launch has at least
FILLED = (ZEROS, LARGEST_NUMBER, SMALLEST)  # outputs before a call
UNTRIED, WRONG, PARTLY, RIGHT, RUNNING = range(5)
# Template backtraces name the line that asked for what a header cannot do.
FLAGS = ("-ftemplate-backtrace-limit=0",)
_ERROR = r"{}\.(?:cu|cpp):(\d+):(?:\d+:)?\s+(?:fatal error|error|required from)"

Cases = Callable[[Launcher], Iterable[object]]


@dataclass(frozen=True)
class Repairs:
    """What came of a search: the edits that make all cases right, and how many cases.

    complete: whether there was the time to try every edit. nearly: or most of them.
    """

    edits: tuple[Edit, ...] = ()
    cases: int = 0
    complete: bool = False
    nearly: bool = False


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
        schema = _build(launcher, output)
        if not schema or not schema.edits:
            return Repairs()
        edited = Launcher(launcher.declaration, emulator.load(output), on_gpu=False)
        return _Search(edited, cases, schema).run()


def _build(launcher: Launcher, output: Path) -> Schema | None:
    """Build all edits into one library; return them, without those that do not compile."""
    path = Path(launcher.path).resolve()
    headers, files = precompiled_headers(), sources.read_sources(path)
    _, tree = front_end.examine(path, files, compiling.compiler(), headers)
    if tree is None:
        return None
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
            return schema
    return None


class _Share:
    """What a child process has to do: edits to try on runs, with so much patience for each.

    What came of it is in memory that all processes share.
    """

    def __init__(
        self, trials: list[tuple[int, ...]], runs: list[tuple[Case, Round]], patience: float
    ):
        self.trials, self.runs, self.patience = trials, runs, patience
        self._memory = mmap.mmap(-1, ctypes.sizeof(ctypes.c_double) + len(trials))
        self._spent = ctypes.c_double.from_buffer(self._memory)
        self.states = (ctypes.c_ubyte * len(trials)).from_buffer(
            self._memory, ctypes.sizeof(ctypes.c_double)
        )

    @property
    def outcomes(self) -> Iterable[tuple[tuple[int, ...], int]]:
        """The edits, each with what came of them."""
        return zip(self.trials, self.states, strict=True)

    @property
    def spent(self) -> float:
        """The CPU seconds that it has taken."""
        return self._spent.value

    @spent.setter
    def spent(self, seconds: float) -> None:
        self._spent.value = seconds

    def pass_over(self) -> None:
        """Count the edit that brought the child down as wrong."""
        for place, state in enumerate(self.states):
            if state == RUNNING:
                self.states[place] = WRONG


def _of_all(runs: Sequence[Repeated]) -> int:
    """Say whether all runs are right now, the first one, or not even that."""
    if not runs[0].is_right():
        return WRONG
    return RIGHT if all(run.is_right() for run in runs[1:]) else PARTLY


@dataclass
class _Search:
    """The library with the edits of a launcher."""

    launcher: Launcher
    cases: Cases
    schema: Schema
    _made: Iterator[object] | None = None

    @property
    def edits(self) -> Sequence[Edit]:
        """All of them, also those that are left out."""
        return self.schema.edits

    def run(self) -> Repairs:
        """Try the edits on a sample of the cases, and a few of each line on all cases."""
        numbers = [k for k in range(1, len(self.edits) + 1) if k not in self.schema.without]
        runs, patience = self._sample()
        if not runs:
            return Repairs()

        def on_sample(trials: list[tuple[int, ...]], seconds: float) -> dict:
            """Try edits, each child process a part of them; return what came of each."""
            shares = [_Share(trials[k::AT_ONCE], runs, patience) for k in range(AT_ONCE)]
            self._try_all(shares, seconds)
            return {some: state for share in shares for some, state in share.outcomes}

        states = on_sample([(k,) for k in numbers], SECONDS)
        untried = [*states.values()].count(UNTRIED)
        complete, nearly = not untried, ENOUGH * untried <= len(states)
        found = self._of_lines([k for k in numbers if states[k,] == RIGHT])
        if complete and found == []:
            partial = [k for k in numbers if states[k,] == PARTLY]
            several = groups(self.edits, numbers, partial)
            states = on_sample(several, SECONDS_TOGETHER)
            right = [some for some in several if states[some] == RIGHT]
            found = self._confirmed(self._smallest(right))
        cases = sum(1 for _ in self._up_to(SMALL)) if found else 0
        ended = found is not None
        return Repairs(tuple(found or ()), cases, complete and ended, nearly and ended)

    def _up_to(self, limit: int) -> Iterator[Case]:
        """Yield the cases of so many elements; each is made once."""
        self._made, again = itertools.tee(self._made or self.cases(self.launcher))
        for case in again:
            if isinstance(case, Case) and not case.end and _elements(case) <= limit:
                yield case

    def _confirmed(self, right: list[tuple[int, ...]]) -> list[Edit] | None:
        """Return those of the edits that make all cases right; None: there was no time.

        Each child process tries them all on a part of the runs.
        """
        if not right:
            return []
        runs = self._all()
        parts = [runs[k::AT_ONCE] for k in range(min(AT_ONCE, len(runs)))]
        shares = [_Share(right, part, CONFIRMING_PATIENCE) for part in parts]
        self._try_all(shares, CONFIRMING_SECONDS)
        outcomes = [{share.states[place] for share in shares} for place in range(len(right))]
        if any(UNTRIED in found and not found & {WRONG, PARTLY} for found in outcomes):
            return None
        pairs = zip(right, outcomes, strict=True)
        return [joined(self.edits, some) for some, found in pairs if found == {RIGHT}]

    def _of_lines(self, right: list[int]) -> list[Edit] | None:
        """Return those of a few edits of each line that make all cases right.

        Where none of those of a line does, some others are tried. None: there was no time.
        """
        found, left = [], right
        for _ in range(ATTEMPTS):
            some = self._few_a_line(left)
            if (confirmed := self._confirmed(some)) is None:
                return found or None
            found += confirmed
            lines = {edit.line for edit in found}
            left = [k for k in left if (k,) not in some]
            left = [k for k in left if self.edits[k - 1].line not in lines]
        return found

    def _few_a_line(self, numbers: Iterable[int]) -> list[tuple[int, ...]]:
        """Choose a few edits of each line, of different kinds."""
        chosen: dict[tuple[int, str], int] = {}
        edits = ((k, self.edits[k - 1]) for k in numbers)
        # Where a test may be left out, its parts may be many others.
        for k, edit in sorted(edits, key=lambda one: (one[1].weak, one[1].kind != NO_TEST)):
            if sum(line == edit.line for line, _ in chosen) < A_LINE:
                chosen.setdefault((edit.line, edit.kind), k)
        return [(k,) for k in chosen.values()]

    def _smallest(self, several: list[tuple[int, ...]]) -> list[tuple[int, ...]]:
        """Choose those with the fewest edits, one of each kind on the same lines."""
        chosen = {}
        for some in sorted(several, key=len):
            edit = joined(self.edits, some)
            if len(some) == len(min(several, key=len)):
                chosen.setdefault((edit.lines, edit.kind), some)
        return list(chosen.values())

    def _try_all(self, shares: Sequence[_Share], seconds: float) -> None:
        """Try each share in a child process of its own, with so much CPU time for all of them.

        If an edit brings a child down, or holds it up in the launcher's own code, another one
        goes on with its share.
        """
        deadline = time.monotonic() + MOST_WAITED * seconds
        left = [share for share in shares if share.trials]
        for _ in range(DEATHS):
            waits = deadline - time.monotonic()
            left = [share for share in left if share.spent < seconds / len(shares)]
            if not left or waits <= 0:
                break
            answers = isolated.run_each(
                [lambda share=share: self._try(share, seconds / len(shares)) for share in left],
                name=self.launcher.declaration.file,
                seconds=waits,
            )
            left = [share for share, died in zip(left, answers, strict=True) if died]
            for share in left:
                share.pass_over()

    def _try(self, share: _Share, seconds: float) -> None:
        """Try the edits of a share on its runs until it has taken so much CPU time."""
        before = share.spent - time.process_time()
        runs = [Repeated(self.launcher, *run) for run in share.runs]
        first, patience = runs[0], share.patience
        state = self._state()
        self._choose(())
        ctypes.memset(self._flags(SEEN), 0, MOST_EDITS)
        ctypes.memset(self._flags(WITHIN), 1, MOST_EDITS)  # to see all places
        with self.launcher.emulator.timeout(patience):
            wrong = first.wrong_elements()
        fails = wrong is None or bool(wrong.any())
        seen = ctypes.string_at(self._flags(SEEN), MOST_EDITS)
        self._choose(())
        with first.quickly() as again:
            with self.launcher.emulator.timeout(patience):
                again(wrong)
                begun = time.process_time()
                again(wrong)  # what it gives is known now
                waited = max(PATIENCE, MOST_TIMES * (time.process_time() - begun))
            for place, some in enumerate(share.trials):
                share.spent = before + time.process_time()
                if share.spent > seconds:
                    break
                if share.states[place] != UNTRIED:
                    continue
                if fails and not any(seen[self.schema.places[k]] for k in some):
                    share.states[place] = WRONG  # the run does not come to it
                    continue
                share.states[place] = RUNNING
                self._choose(some)
                self._state(state)
                with isolated.surviving(), self.launcher.emulator.timeout(waited):
                    outcome = _outcome(again(wrong), wrong)
                if outcome == RIGHT:
                    with self.launcher.emulator.timeout(patience):
                        outcome = _of_all(runs)
                share.states[place] = outcome

    def _choose(self, numbers: Iterable[int]) -> None:
        """Let the library run with these edits, and no others."""
        chosen, at, within = (self._flags(name) for name in (CHOSEN, AT, WITHIN))
        for flags in (chosen, at, within):
            ctypes.memset(flags, 0, MOST_EDITS)
        for k in numbers:
            ctypes.memset(chosen + k, 1, 1)
            ctypes.memset(at + self.schema.places[k], 1, 1)
            ctypes.memset(within + self.schema.wholes.get(k, 0), 1, 1)

    def _state(self, back: ctypes.Array | None = None) -> ctypes.Array:
        """Return what the file's variables hold, or set them to what they held.

        An edit may leave a ticket, or a sum, with which no later call comes out right.
        """
        library = self.launcher.library
        library[STATE_BYTES].restype = ctypes.c_ulong
        at = back if back is not None else (ctypes.c_char * library[STATE_BYTES]())()
        library[STATE](at, int(back is not None))
        return at

    def _flags(self, name: str) -> int:
        """Return the address of one of the library's arrays, of a byte an edit."""
        return ctypes.addressof(ctypes.c_char.in_dll(self.launcher.library, name))

    def _sample(self) -> tuple[list[tuple[Case, Round]], float]:
        """Return some runs, those first that go wrong as the kernel is, and the patience."""
        small, sample, fails, spent = self._up_to(SMALL), [], [], 0.0
        self._choose(())
        while spent < SECONDS and not any(fails):
            some = list(itertools.islice(small, SAMPLE))
            some = [case.with_limits(some) for case in some]
            if not some:
                break
            if (looked := self._looked_at(some)) is None:
                return [], 0.0
            sample, fails, spent = sample + some, fails + looked[0], spent + looked[1]
        patience = max(PATIENCE, MOST_TIMES * spent / (2 * max(1, len(sample))))
        both = list(enumerate(zip(sample, fails, strict=True)))
        failing = [(case, how) for _, (case, how) in both if how] or self._large()
        passing = [(case, ROUNDS[k % len(ROUNDS)]) for k, (case, how) in both if not how]
        failing.sort(key=lambda run: _elements(run[0]))
        failing = _some(failing, FAILING)
        # First one of several elements, which an edit may mend in part.
        failing.sort(key=lambda run: _elements(run[0]) < SEVERAL)
        return [*failing, *_some(passing, PASSING)] if failing else [], patience

    def _looked_at(self, sample: list[Case]) -> tuple[list[Round | None], float] | None:
        """Do as `_looked` does in child processes, or return None if one fails."""
        answers = isolated.run_each(
            [lambda k=k: self._looked(sample[k::AT_ONCE]) for k in range(AT_ONCE)],
            name=self.launcher.declaration.file,
            seconds=MOST_WAITED * SECONDS,
        )
        fails, spent = [None] * len(sample), 0.0
        for k, answer in enumerate(answers):
            if isinstance(answer, KernelFault):
                return None
            fails[k::AT_ONCE], seconds = answer
            spent += seconds
        return fails, spent

    def _looked(self, sample: Iterable[Case]) -> tuple[list[Round | None], float]:
        """Return the first round in which each case goes wrong, and the CPU seconds of all."""
        start = time.process_time()
        fails = [self._fails(case) for case in sample]
        return fails, time.process_time() - start

    def _fails(self, case: Case) -> Round | None:
        return next((how for how in ROUNDS if not is_right(self.launcher, case, how)), None)

    def _large(self) -> list[tuple[Case, Round]]:
        """Return a large case that goes wrong, if there is one."""
        large = [case for case in self._up_to(LARGEST) if _elements(case) > SMALL]
        runs = [(case, ROUNDS[0]) for case in large]

        def first() -> int:
            wrong = (k for k, run in enumerate(runs) if not is_right(self.launcher, *run))
            return next(wrong, len(runs))

        place = isolated.run(first, name=self.launcher.declaration.file)
        return runs[place : place + 1]

    def _all(self) -> list[tuple[Case, Round]]:
        """Return a run of every small case and of some larger ones.

        A larger one shows an edit that is right for a block or two only; outputs full of zeros,
        or of an end of their type, show one that lets them start with what is in them.
        """
        cases = [*self._up_to(LARGEST)]
        cases = [case.with_limits(cases[:SAMPLE]) for case in cases]
        larger = _some([case for case in cases if _elements(case) > SMALL], LARGER)
        small = [case for case in cases if _elements(case) <= SMALL]
        runs = [(case, ROUNDS[k % len(ROUNDS)]) for k, case in enumerate(small + larger)]
        some = small[len(small) // 2 :][:1]
        return runs + [
            (case, replace(ROUNDS[0], poison=mode)) for case in some for mode in FILLED
        ]


def _outcome(wrong: torch.Tensor | None, before: torch.Tensor | None) -> int:
    """Say what came of a run by its wrong elements, and those that were wrong without edits."""
    if wrong is None:
        return WRONG
    if not bool(wrong.any()):
        return RIGHT
    mends = before is not None and int(wrong.sum()) < int(before.sum())
    return PARTLY if mends and not bool((wrong & ~before).any()) else WRONG


def _elements(case: Case) -> int:
    return max(case.size, *(x.numel() for x in case.inputs), 0)


def _some(items: Sequence, count: int) -> list:
    """Choose as many items, evenly."""
    count = min(count, len(items))
    return [items[k * len(items) // count] for k in range(count)]
