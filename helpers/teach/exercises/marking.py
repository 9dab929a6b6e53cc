"""Judge an answer to an exercise: a number, a word or a kernel."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from numbers import Real
from typing import NamedTuple

import torch

from helpers.run.kernel import Kernel
from helpers.testing import check


class Mark(NamedTuple):
    """Whether an answer is right, and what the learner reads about it."""

    right: bool
    message: str


def _plain(number: float) -> str:
    return f"{number:,.0f}" if float(number).is_integer() else f"{number:,.6g}"


@dataclass(frozen=True, kw_only=True)
class Number:
    """An exercise whose answer is a number.

    answer: computes it, from `helpers.specs` and `helpers.model` where they have it.
    tolerance: relative; 0 for what is counted.
    """

    answer: Callable[[], float]
    unit: str
    hint: str
    tolerance: float = 0.01

    def judge(self, given: object) -> Mark:
        """Compare a number with the answer, within the tolerance."""
        if isinstance(given, bool) or not isinstance(given, Real):
            kind = type(given).__name__
            return Mark(False, f"the answer must be a number ({self.unit}), not {kind}")
        number = float(given)
        if math.isclose(number, self.answer(), rel_tol=self.tolerance):
            return Mark(True, f"right: {_plain(number)} {self.unit}")
        return Mark(False, f"{_plain(number)} {self.unit} is not it. Hint: {self.hint}")


@dataclass(frozen=True, kw_only=True)
class Choice:
    """An exercise whose answer is one of a few words, in capitals or not."""

    answer: Callable[[], str]
    hint: str

    def judge(self, given: object) -> Mark:
        """Compare a word with the answer."""
        right = self.answer()
        if isinstance(given, str) and given.strip().lower() == right.lower():
            return Mark(True, f"right: {right}")
        return Mark(False, f"{given!r} is not it. Hint: {self.hint}")


@dataclass(frozen=True, kw_only=True)
class Code:
    """An exercise whose answer is a kernel, as `jit.load` returns it.

    reference, ulp, cases: as in `helpers.testing.check.verdict`.
    """

    reference: Callable[..., torch.Tensor]
    hint: str
    ulp: float = 0
    cases: Callable | None = None

    def judge(self, given: object) -> Mark:
        """Run the checker on a kernel, against the reference."""
        if not isinstance(given, Kernel):
            kind = type(given).__name__
            return Mark(False, f"the answer must be what jit.load returns, not {kind}")
        if self.cases:
            verdict = check.verdict(given, cases=self.cases)
        else:
            verdict = check.verdict(given, self.reference, ulp=self.ulp)
        hint = "" if verdict.ok else f"\n    Hint: {self.hint}"
        return Mark(verdict.ok, verdict.message + hint)


Exercise = Number | Choice | Code
