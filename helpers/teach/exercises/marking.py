"""Judge an answer to an exercise: a number, a word or a kernel.

An exercise holds its statement, what finds its answer, a hint, and wrong answers that learners
give, each with the hint that it must get. The answer itself is no attribute: it is computed
when an answer is judged.
"""

from __future__ import annotations

import difflib
import math
from collections.abc import Callable, Mapping
from dataclasses import InitVar, dataclass, field
from pathlib import Path

import torch

from helpers.errors import CourseError
from helpers.model.dtypes import dtype_name
from helpers.run.kernel import Kernel
from helpers.run.launcher import Launcher
from helpers.sources import blank_comments_and_strings
from helpers.teach.exercises import technique
from helpers.teach.exercises.conversion import exactly, number_of, plain, shown
from helpers.teach.exercises.units import other_unit, unit_of
from helpers.testing import check

LONGEST_PATH = 255  # characters of a path that a message repeats
ROUNDED = 1e-9  # relative: what float arithmetic adds to a whole number
SAME = 2e-3  # relative: two ways to round a wrong answer that is known
HUGE = 10**300  # beyond every answer, and within a float
CLOSE = 5  # a number off by so many tolerances is told that it is close


@dataclass(frozen=True)
class Mark:
    """Whether an answer is right, and what the learner reads about it.

    hint: the part of the message that helps on; "" if there is none. exercise, time: filled in
    by `exercises.mark`; time is UTC, as ISO 8601 writes it.
    """

    right: bool
    message: str
    hint: str = ""
    exercise: str = ""
    time: str = ""

    def _ipython_display_(self) -> None:
        """Show nothing at the end of a cell: `mark` has printed the message."""


@dataclass(frozen=True, kw_only=True)
class Number:
    """An exercise whose answer is a number.

    answer: computes it, from `helpers.specs` and `helpers.model` where they have it.
    tolerance: relative; 0 for what is counted, and then a whole number is asked.
    wrong: wrong answers, each with its own hint; "" stands for the exercise's hint.
    """

    statement: str
    answer: InitVar[Callable[[], float]]
    unit: str
    hint: str
    tolerance: float = 0.01
    wrong: Mapping[float, str] = field(default_factory=dict)

    def __post_init__(self, answer: Callable[[], float]):
        def compare(number: float) -> Mark:
            return self._compare(number, answer())

        object.__setattr__(self, "_judge", compare)

    @property
    def asked(self) -> str:
        """What is asked: the unit, and how exactly."""
        unit = self.unit.strip("()")
        if self.tolerance:
            return f"{unit}, to {100 * self.tolerance:g}%"
        return f"{unit}, a whole number"

    def judge(self, given: object) -> Mark:
        """Compare a number with the answer, within the tolerance."""
        number = number_of(given)
        if isinstance(number, str):
            words = f"the answer must be a number ({self.asked}), not {number}"
            if isinstance(given, str):
                words += ": write it alone, without quotes and without its unit"
            if isinstance(given, tuple) and len(given) > 1:
                words += ": write thousands without a comma, which makes a tuple"
            return Mark(False, words, self.hint)
        return self._judge(number)

    def _compare(self, number: float, answer: float) -> Mark:
        if not -HUGE < number < HUGE:
            words = f"{self._said(number)} is not it. Hint: {self.hint}"
            return Mark(False, words, self.hint)
        if not self.tolerance:
            nearest = round(number)
            if abs(number - nearest) > min(1e-6, ROUNDED * abs(number)):
                hint = self._hint(number, answer)
                words = f"a whole number is asked ({self.unit}), not {exactly(number)}"
                return Mark(False, f"{words}. Hint: {hint}", hint)
            number = nearest
        if math.isclose(number, answer, rel_tol=self.tolerance):
            return Mark(True, f"right: {self._said(number)}")
        hint = self._hint(number, answer)
        return Mark(False, f"{self._said(number)} is not it. Hint: {hint}", hint)

    def _said(self, number: float) -> str:
        return f"{plain(number)} {unit_of(number, self.unit)}"

    def _hint(self, number: float, answer: float) -> str:
        """Return the most telling hint: this number's own, its unit, or the exercise's."""
        for wrong, hint in self.wrong.items():
            if hint and math.isclose(number, wrong, rel_tol=min(self.tolerance, SAME)):
                return hint
        if words := other_unit(self.unit, number, answer, self.tolerance or SAME):
            return words
        if answer and math.isclose(-number, answer, rel_tol=self.tolerance):
            return f"its sign is wrong; {self.hint}"
        if self.tolerance and math.isclose(number, answer, rel_tol=CLOSE * self.tolerance):
            return f"close, but more than {100 * self.tolerance:g}% away; {self.hint}"
        return self.hint


@dataclass(frozen=True, kw_only=True)
class Choice:
    """An exercise whose answer is one of a few words; capitals, spaces and _ do not matter.

    wrong: wrong choices, each with its own hint; "" stands for the exercise's hint.
    """

    statement: str
    answer: InitVar[Callable[[], str]]
    choices: tuple[str, ...]
    hint: str
    wrong: Mapping[str, str] = field(default_factory=dict)

    def __post_init__(self, answer: Callable[[], str]):
        def compare(chosen: str) -> bool:
            return _key(chosen) == _key(answer())

        object.__setattr__(self, "_is_right", compare)

    def judge(self, given: object) -> Mark:
        """Compare a word with the answer."""
        chosen = next((c for c in self.choices if _key(c) == _key(given)), None)
        if chosen is None:
            words = f"{shown(given)} is not one of the answers. {self._choose(given)}"
            return Mark(False, words, self.hint)
        if self._is_right(chosen):
            return Mark(True, f"right: {chosen}")
        hint = self.wrong.get(chosen) or self.hint
        return Mark(False, f"{shown(chosen)} is not it. Hint: {hint}", hint)

    def _choose(self, given: object) -> str:
        names = {_key(choice): choice for choice in self.choices}
        near = difflib.get_close_matches(_key(given), names, 1) if _key(given) else []
        meant = f"Did you mean {names[near[0]]!r}? " if near else ""
        return f"{meant}Choose from: {', '.join(repr(choice) for choice in self.choices)}"


def _key(word: object) -> str:
    """Return what decides whether two spellings are the same word."""
    if not isinstance(word, str):
        return ""
    return " ".join(word.replace("_", " ").replace("-", " ").strip(" \t\n'\".").lower().split())


@dataclass(frozen=True, kw_only=True)
class Code:
    """An exercise whose answer is a kernel, as `jit.load` returns it.

    launcher: the name that the statement gives it. takes, gives: the dtypes of its inputs and
    outputs, in order. reference, ulp, cases: as in `helpers.testing.check.verdict`.
    technique: what its trace must show (`helpers.teach.exercises.technique`).
    as_given: code of the file that the lesson gives, or several parts of it; a kernel that
    still holds all of them is no answer.
    solution: the name of the worked solution's file.
    wrong: wrong kernels, each with words that the message must hold: the name of a kernel of
    the course, or a text of the solution and what stands there in its place.
    """

    statement: str
    launcher: str
    takes: tuple[str, ...]
    gives: tuple[str, ...]
    reference: Callable[..., torch.Tensor]
    hint: str
    solution: str
    ulp: float = 0
    cases: Callable | None = None
    technique: tuple[technique.Rule, ...] = (technique.parallel,)
    as_given: str | tuple[str, ...] = ()
    wrong: Mapping[str | tuple[str, str], str] = field(default_factory=dict)

    def untouched(self, given: object) -> bool:
        """Tell whether a kernel still holds all code that the lesson gives to be changed."""
        if not self.as_given or not isinstance(given, Kernel):
            return False
        parts = (self.as_given,) if isinstance(self.as_given, str) else self.as_given
        text = _code(given.text)
        return all(_code(part) in text for part in parts)

    def judge(self, given: object) -> Mark:
        """Run the checker on a kernel, then look at how it gets its results."""
        if not isinstance(given, Kernel):
            return Mark(False, _not_a_kernel(given), self.hint)
        fitting = self.fitting(given)
        if not fitting:
            return self._wrong(
                f"{given.name} does not take what is asked: {self._wanted()}; it has "
                f"{', '.join(map(_signature, given.launchers.values()))}"
            )
        only = {} if len(fitting) == len(given.launchers) else {"only": fitting[0].__name__}
        try:
            if self.cases:
                verdict = check.verdict(given, cases=self.cases, **only)
            else:
                verdict = check.verdict(given, self.reference, ulp=self.ulp, **only)
        except (CourseError, ValueError, TypeError, RuntimeError) as error:
            return self._wrong(f"{given.name} cannot be tried as the exercise asks: {error}")
        if not verdict.ok:
            return self._wrong(verdict.message)
        return self._with_technique(verdict.message, fitting[0])

    def _with_technique(self, message: str, launcher: Launcher) -> Mark:
        if not self.technique:
            return Mark(True, message)
        if technique.impossible():
            return Mark(True, f"{message}; not tried: how it does it (no trace here)")
        try:
            seen = technique.seen(launcher)
        except technique.FAILURES as error:
            why = f"how the kernel gets them could not be judged: {error}"
            return Mark(False, f"the results are right, but {why}. Run the cell again")
        for rule in self.technique:
            if words := rule(seen):
                return self._wrong(f"the results are right, but {words}")
        return Mark(True, message)

    def _wrong(self, message: str) -> Mark:
        return Mark(False, f"{message}\n    Hint: {self.hint}", self.hint)

    def fitting(self, kernel: Kernel) -> list[Launcher]:
        """Return the launchers of a kernel that take and give the dtypes that are asked."""
        return [
            launcher
            for launcher in kernel.launchers.values()
            if _dtypes(launcher, "input") == self.takes
            and _dtypes(launcher, "output") == self.gives
        ]

    def _wanted(self) -> str:
        return f"`{self.launcher}` of {', '.join(self.takes)} -> {', '.join(self.gives)}"


def _code(text: str) -> str:
    """Return a file's code without comments, strings and spaces."""
    return "".join(blank_comments_and_strings(text).split())


def _dtypes(launcher: Launcher, role: str) -> tuple[str, ...]:
    tensors = launcher.declaration.tensors
    return tuple(dtype_name(p.dtype) for p in tensors if p.role == role)


def _signature(launcher: Launcher) -> str:
    inputs, outputs = (", ".join(_dtypes(launcher, role)) for role in ("input", "output"))
    return f"`{launcher.__name__}` of {inputs} -> {outputs}"


def _not_a_kernel(given: object) -> str:
    """Say what to pass in the place of something that is not a kernel."""
    if isinstance(given, (str, Path)):
        path = repr(str(given)) if len(str(given)) <= LONGEST_PATH else "..."
        return f"load the file first, and pass what that returns: jit.load({path})"
    if isinstance(given, Launcher):
        return "pass the kernel itself, as jit.load returned it, not one of its launchers"
    return f"the answer must be what jit.load returns, not {type(given).__name__}"


Exercise = Number | Choice | Code
