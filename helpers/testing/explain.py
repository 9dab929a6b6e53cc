"""Find out why a case fails by experiment: what has to change for it to go right?"""

from __future__ import annotations

import ctypes
import functools
import itertools
import re
import tempfile
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import torch

from helpers import emulator
from helpers.emulator import FORWARD, REVERSE, SHUFFLED
from helpers.errors import CourseError, FaultKind
from helpers.run.build import precompiled_headers
from helpers.run.launcher import Launcher
from helpers.sources import digest, read_sources
from helpers.testing import influence, products, races, reachable, reduction, wrong_numbers
from helpers.testing.buffers import ZEROS
from helpers.testing.cases import Case, Untried
from helpers.testing.mismatch import Diagnosis
from helpers.testing.past_2_31 import Huge
from helpers.testing.run_case import ROUNDS, Failure, Round, run_case

STAYS = "does something stay from call to call (a static or __device__ variable)?"
MEET = (
    "two threads touch the same element, or one reads what another writes with no barrier "
    "between (a race)"
)
ANY_ERROR = 1e38  # allowed, where only NaN and infinity count as wrong
FEW = 32  # a failure of so few elements says little without an experiment
NEXT_CASES = 100
LOCKSTEP_SECONDS = 5.0
LARGE_SECONDS = 1.0  # of a trace of a large case
# What a kernel has that may rely on the lanes of a warp: volatile shared memory, or one warp.
_WARP_SYNCHRONOUS = re.compile(
    r"__shared__.*?(?:\bvolatile\b|<=?\s*(?:32|31|warpSize|WARP_SIZE|kWarp\w*)\b)"
    r"|\bvolatile\b.*?__shared__",
    flags=re.S,
)


def _fresh(launcher: Launcher) -> Launcher:
    """Load the emulated launcher's library anew, with no trace of earlier calls."""
    with tempfile.NamedTemporaryFile(suffix=".so") as copy:
        copy.write(Path(launcher.library._name).read_bytes())
        copy.flush()
        return Launcher(launcher.declaration, emulator.load(copy.name), on_gpu=False)


def _in_lockstep(launcher: Launcher) -> Launcher:
    """Build the launcher's file anew, so that the lanes of a warp run in lockstep."""
    hashed = digest(read_sources(launcher.path))
    return Launcher(launcher.declaration, _built(launcher.path, hashed), on_gpu=False)


@functools.lru_cache(maxsize=8)
def _built(path: Path, hashed: str) -> ctypes.CDLL:
    """Build and load the lockstep library of a file whose text has this hash."""
    with tempfile.TemporaryDirectory() as folder:
        library = Path(folder) / "lockstep.so"
        emulator.lockstep.build(path, library, precompiled_headers())
        return emulator.load(library)


@dataclass(frozen=True)
class _Experiment:
    """One failure, the launcher that failed, and the cases that passed before it.

    called: it was called before, even if no case passed. following: cases not yet tried.

    Each method changes one thing, and returns a diagnosis if the case then goes right.
    """

    launcher: Launcher
    failure: Failure
    passed: Sequence[Case]
    called: bool = False
    following: Iterable[Case | Huge | Untried] = ()

    @property
    def case(self) -> Case:
        return self.failure.case

    @property
    def how(self) -> Round:
        return self.failure.round

    def _right(self, case: Case, **changes: int | bool) -> bool:
        return run_case(self.launcher, case, replace(self.how, **changes)) is None

    def _right_when_fresh(self, case: Case) -> bool:
        """Run the case as the first call of the library; no stream test, as it takes a call."""
        how = replace(self.how, stream=False)
        return run_case(_fresh(self.launcher), case, how) is None

    def lockstep(self) -> Diagnosis | None:
        """Run the case with each warp's lanes in lockstep, if the kernel may rely on it."""
        if self.launcher.on_gpu or self.failure.fault:
            return None
        if not _WARP_SYNCHRONOUS.search(reachable.code(self.launcher)):
            return None
        try:
            same = _in_lockstep(self.launcher)
        except CourseError:  # another compiler
            return None
        with same.emulator.timeout(LOCKSTEP_SECONDS):
            if run_case(same, self.case, replace(self.how, stream=False)) is not None:
                return None
        if self._right_when_fresh(self.case):
            return None  # the library being another one is what helped
        return Diagnosis(
            "right only while the 32 threads of a warp run in step, which no GPU since Volta "
            "promises: a race (warp-synchronous code; `volatile` is not enough): put "
            "__syncwarp() between the line that writes shared memory and the one that reads it"
        )

    def order_of_threads(self) -> Diagnosis | None:
        if self.launcher.on_gpu or self.case.size == 0:
            return None
        others = [mode for mode in (FORWARD, REVERSE, SHUFFLED) if mode != self.how.schedule]
        good = next((x for x in others if self._right(self.case, schedule=x)), None)
        if good is None:
            return None
        # Not the order, where a repetition changes either answer: the call before matters.
        if self._right(self.case) or not self._right(self.case, schedule=good):
            return None
        order = "in another order of the threads"
        if self.how.schedule != FORWARD:
            order = "only while the threads run in order"
        if traced := self._traced():
            return Diagnosis(f"right {order}: {traced.sentence}")
        return Diagnosis(f"right {order}: {MEET}")

    def blocks_at_once(self) -> Diagnosis | None:
        """Trace a smaller case, where this one is so large that its blocks ran at once.

        If that shows no race, trace the beginning of this one.
        """
        if self.launcher.on_gpu or self.failure.fault or races.is_small(self.case):
            return None
        return self._traced() or self._traced_for(self.case, LARGE_SECONDS)

    def _traced(self) -> Diagnosis | None:
        """Trace the largest small case, else this one, if threads can meet in the kernel.

        In a case of few elements some warps have nothing to do: it does not show how far the
        threads that meet are apart.
        """
        if not races.cooperates(self.launcher):
            return None
        following = itertools.takewhile(_may_be_traced, self.following)
        known = [self.case, *self.passed, *itertools.islice(following, NEXT_CASES)]
        cases = [races.to_trace(known), self.case if races.is_small(self.case) else None]
        told = (self._traced_for(case) for case in cases if case)
        return next(filter(None, told), None)

    def _traced_for(self, case: Case, seconds: float | None = None) -> Diagnosis | None:
        if not races.cooperates(self.launcher):
            return None
        fault, _ = races.first_race(self.launcher, case, seconds)
        return Diagnosis(races.sentence(fault)) if fault else None

    def stream(self) -> Diagnosis | None:
        if not self.launcher.on_gpu or not self.how.stream:
            return None
        if not self._right(self.case, stream=False):
            return None
        return Diagnosis(
            "wrong only on another stream than the default one: pass `stream` to the launch"
        )

    def earlier_calls(self) -> Diagnosis | None:
        earlier = self.called or self.passed or self.how != ROUNDS[0]
        if self.launcher.on_gpu or not earlier or not self._right_when_fresh(self.case):
            return None
        # A race may come out right once, too.
        return self._traced() or Diagnosis(
            f"right at the first call, wrong at a later one: {STAYS}"
        )

    def other_inputs_before(self) -> Diagnosis | None:
        if self.launcher.on_gpu or not self.case.before:
            return None
        if not self._right_when_fresh(replace(self.case, before=())):
            return None
        return Diagnosis(
            f"right at the first call, wrong at a later one on other inputs: {STAYS}"
        )

    def zeroed_output(self) -> Diagnosis | None:
        if not self._right(self.case, poison=ZEROS):
            return None
        return Diagnosis(
            "right only where the output was zero before: does the kernel add to what it finds "
            "(+=, atomicAdd)? Then it must set it first"
        )

    def repeated(self) -> Diagnosis | None:
        """Make the same call twice: a result of the call before comes out right then."""
        if self.launcher.on_gpu or self.failure.fault or not self.case.inputs:
            return None
        if not self._right(replace(self.case, before=self.case.inputs)):
            return None
        if self.failure.untouched:
            return Diagnosis(
                "nothing was written at first, and the result is right when the same call is "
                f"repeated: {STAYS} What is counted there must be complete in one call"
            )
        return self._traced() or Diagnosis(
            "wrong at first, right when the same call is repeated: the result is one of an "
            "earlier call. Is a kernel launched before the one whose result it reads, or "
            f"{STAYS}"
        )

    def race(self) -> Diagnosis | None:
        """Trace the case where the output alone says little."""
        told = self.failure.diagnosis
        if self.launcher.on_gpu or self.failure.fault:
            return None
        if told.specific and not (told.unordered or told.zeros):
            return None
        traced = self._traced()
        if traced or not told.unordered:
            return traced
        ways = "infinity - infinity, infinity / infinity, 0 * infinity or 0 / 0"
        if all(_is_small(x) for x in self.case.inputs):
            ways = "0 / 0 or the root of a negative number"
        return Diagnosis(
            f"{wrong_numbers.NAN_OF_NOTHING}: is it made on the way, as by {ways} (of a thread "
            "without an element, say)?"
        )

    def other_inputs(self) -> Diagnosis | None:
        """Ask which elements count, where one number is made of many."""
        told = self.failure.diagnosis
        if self.failure.fault:
            return None
        sentence = reduction.diagnose(self.launcher, self.case)
        if not told.specific or told.zeros:
            sentence = sentence or products.diagnose(self.launcher, self.case, told.zeros)
        if not sentence and told.nearly and not self._is_one_of_many():
            sentence = influence.diagnose(self.launcher, self.case)
        if not told.specific:
            if not sentence and self.case.function is None:
                sentence = influence.diagnose(self.launcher, self.case)
                sentence = sentence or influence.counted_often(self.launcher, self.case)
            sentence = (
                sentence
                or influence.without_effect(self.launcher, self.case)
                or influence.of_other_rows(self.launcher, self.case)
            )
        if sentence:
            return Diagnosis(sentence)
        if self.case.function is not None and told.tail:
            return Diagnosis("the result is wrong", specific=False)  # each element counts once
        return None

    def nan_of_negative_rows(self) -> Diagnosis | None:
        """Tell a maximum that starts too high from one of sizes, where exp of each is 0."""
        x = self.case.inputs[0] if len(self.case.inputs) == 1 else None
        if x is None or x.dim() != 2 or x.shape != self.case.expected[0].shape:
            return None
        if self.failure.fault or _one_sign(self.case) != "negative" or self._is_finite(x):
            return None
        if not self._is_finite(-x):
            return None
        with_one = torch.cat([torch.ones_like(x[:, :1]), x], dim=1)
        if self._is_finite(with_one):
            return Diagnosis(
                "NaN came out of rows of large negative numbers, not where one is positive: is "
                "0 divided by 0, as something larger than all was taken off? Then the row's "
                "maximum starts with 0, or FLT_MIN: start with the first number"
            )
        return Diagnosis(
            "NaN came out of rows of large negative numbers, also where one is positive: is 0 "
            "divided by 0, as exp of each is 0? Take off the row's largest number, not its "
            "largest absolute value, say"
        )

    def _is_finite(self, x: torch.Tensor) -> bool:
        """Test whether finite numbers come out of an input, whatever they are."""
        anything = (torch.full(x.shape, ANY_ERROR, dtype=torch.float64),)
        zeros = (torch.zeros(x.shape),)
        return self._right(replace(self.case, inputs=(x,), expected=zeros, within=anything))

    def default_block_size(self) -> Diagnosis | None:
        if "block_size" not in self.case.arguments:
            return None
        default = {k: v for k, v in self.case.arguments.items() if k != "block_size"}
        if not self._right(replace(self.case, arguments=default)):
            return None
        was, size = self.failure.diagnosis, self.case.arguments["block_size"]
        if was.written and was.written % size == 0 and self.case.size - was.written > size:
            return Diagnosis(
                f"the grid is of {was.written // size:,} blocks of {size} threads, which end "
                f"at index {was.written:,}: is the number of blocks capped? Then each thread "
                "must go on in a grid-stride loop"
            )
        sentence = (
            "right with the default block size, wrong with block_size = "
            f"{size}: is a number in the place of blockDim.x? "
            f"({was.sentence})"
        )
        return replace(was, sentence=sentence)

    def aligned_start(self) -> Diagnosis | None:
        if not (self.case.offset or self.how.apart):
            return None
        if not self._right(replace(self.case, offset=0), apart=False):
            return None
        was = self.failure.diagnosis
        only = "right only where the tensors start at a round address, and not in a slice"
        return replace(was, sentence=f"{only}: {was.sentence}")

    def started_with_zero(self) -> Diagnosis | None:
        """Recognise zeros that come out only where all numbers are of one sign."""
        case, was = self.case, self.failure.diagnosis
        if case.reference is not None or not was.zeros:
            return None
        alike = [x for x in self.passed if _differ_in_numbers_only(case, x)]
        alike = alike or [x for x in self.passed if x.inputs and x.size]
        if not (sign := _one_sign(case)) or not alike:
            return None
        if any(_one_sign(other) == sign for other in alike):
            return None
        if more_than_a_start(self.launcher, self.following, self.how):
            return None
        return Diagnosis(_starts_with_zero(sign))

    def other_numbers(self) -> Diagnosis | None:
        was = self.failure.diagnosis
        if was.specific or self.how != ROUNDS[0]:
            return None
        alike = [x for x in self.passed if _differ_in_numbers_only(self.case, x)]
        if self._is_one_of_many() and (sign := _one_sign(self.case)):
            if alike and not any(_one_sign(other) == sign for other in alike):
                return Diagnosis(_starts_with_zero(sign))
        if alike:
            words = "though other numbers of the same size came out right"
        elif any(_is_ordinary(other, self.case) for other in self.passed):
            words = "though ordinary numbers came out right: it depends on the values"
        else:
            return None
        return replace(was, sentence=f"{was.sentence}, {words}")

    def _is_one_of_many(self) -> bool:
        """Test whether one number is made of many, and no function of them is known."""
        known = self.case.function is not None or self.case.reference is not None
        many = sum(x.numel() for x in self.case.inputs) > FEW
        return self.case.size == 1 and many and not known

    def one_number(self) -> Diagnosis | None:
        """Say what to look at where one number is made of many, and nothing is known of it."""
        if self.failure.diagnosis.specific or self.failure.fault or not self._is_one_of_many():
            return None
        return Diagnosis(
            "the result is wrong: is an element, or an input, left out, or is the formula "
            "another one?",
            specific=False,
        )


# In this order; True: the diagnosis stands beside the first wrong element, False: in its place.
EXPERIMENTS: tuple[tuple[Callable[[_Experiment], Diagnosis | None], bool], ...] = (
    (_Experiment.lockstep, False),
    (_Experiment.blocks_at_once, False),
    (_Experiment.order_of_threads, False),
    (_Experiment.stream, False),
    (_Experiment.earlier_calls, False),
    (_Experiment.other_inputs_before, False),
    (_Experiment.repeated, False),
    (_Experiment.zeroed_output, False),
    (_Experiment.race, False),
    (_Experiment.nan_of_negative_rows, True),
    (_Experiment.other_inputs, True),
    (_Experiment.default_block_size, False),
    (_Experiment.aligned_start, True),
    (_Experiment.started_with_zero, True),
    (_Experiment.other_numbers, True),
    (_Experiment.one_number, True),
)


def explain(
    launcher: Launcher,
    failure: Failure,
    passed: Sequence[Case],
    called: bool = False,
    following: Iterable[Case | Huge | Untried] = (),
) -> Failure:
    """Return the failure with a better diagnosis, if an experiment makes the case go right.

    passed: the cases that went right before it. called: there were calls before, in any event.
    following: cases that were not tried, of which one may be traced. A kernel that ran out of
    time is not run again.
    """
    if failure.settled or failure.fault is FaultKind.TIMEOUT:
        return failure
    experiment = _Experiment(launcher, failure, passed, called, following)
    for diagnose, keeps_first in EXPERIMENTS:
        if diagnosis := diagnose(experiment):
            first = failure.first if keeps_first else ""
            return replace(failure, diagnosis=diagnosis, first=first)
    return failure


def stays_from_earlier(
    launcher: Launcher, failure: Failure, passed: Sequence[Case]
) -> Failure | None:
    """Return the failure with the words for it, if its case is right at the first call."""
    if failure.settled or failure.fault:
        return None
    diagnosis = _Experiment(launcher, failure, passed).earlier_calls()
    return replace(failure, diagnosis=diagnosis, first="") if diagnosis else None


def _may_be_traced(case: Case | Huge | Untried) -> bool:
    return isinstance(case, Case) and races.is_small(case)


def _differ_in_numbers_only(case: Case, other: Case) -> bool:
    """Compare the shapes and arguments of two cases that have inputs."""
    same_shapes = [x.shape for x in case.inputs] == [x.shape for x in other.inputs]
    return bool(case.inputs) and same_shapes and case.arguments == other.arguments


def _starts_with_zero(sign: str) -> str:
    return (
        f"wrong where all numbers are {sign}: does something start with 0, as the largest or "
        "smallest one? Start with the first element"
    )


def _is_small(x: torch.Tensor) -> bool:
    """Test whether numbers are so small that sums, products and exp of them stay finite."""
    largest = 10 if x.dtype == torch.float16 else 40
    return x.numel() <= 1000 and bool((x.abs() <= largest).all())  # False for NaN


def more_than_a_start(
    launcher: Launcher, cases: Iterable[Case | Huge | Untried], how: Round
) -> bool:
    """Test whether a case of both signs has more wrong elements than a start value explains.

    Of windows of a few numbers, some are of one sign.
    """
    mixed = next(filter(_has_mixed_rows, itertools.islice(cases, NEXT_CASES)), None)
    failure = mixed and run_case(launcher, mixed, how)
    return bool(failure) and (failure.fault or 4 * failure.diagnosis.wrong > mixed.size)


def _has_mixed_rows(case: Case | Huge | Untried) -> bool:
    """Test whether each row of a case's only input has several numbers of both signs."""
    if not isinstance(case, Case) or len(case.inputs) != 1 or not races.is_small(case):
        return False
    x = case.inputs[0].reshape(-1, case.inputs[0].shape[-1] if case.inputs[0].dim() else 1)
    return x.numel() > FEW and all(
        bool((side.sum(dim=1) >= 2).all()) for side in (x > 0, x < 0)
    )


def may_start_with_zero(case: Case) -> bool:
    """Test whether 0 is larger than all numbers of a case: those that go in and come out."""
    numbers = (*case.inputs, *case.expected)
    return bool(case.inputs) and all(bool((x < 0).all()) for x in numbers)


def _one_sign(case: Case) -> str:
    """Return the sign that all numbers of a case's inputs have; "" if they have several."""
    if case.inputs and all(bool((x < 0).all()) for x in case.inputs):
        return "negative"
    return "positive" * (bool(case.inputs) and all(bool((x > 0).all()) for x in case.inputs))


def _is_ordinary(other: Case, case: Case) -> bool:
    """Test whether another case, of as many elements, should have shown the same fault."""
    alike = case.arguments == other.arguments and bool(case.inputs)
    of_many = all(x.numel() != case.size for x in case.inputs)
    if of_many or any(x.dim() > 1 for x in case.inputs):  # sides, or a rest, may matter
        alike &= [x.shape for x in case.inputs] == [x.shape for x in other.inputs]
    return alike and FEW < case.size <= other.size
