"""Judge a Python function that the learner writes: it is tried, step by step."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import BuiltinFunctionType

from helpers.run.kernel import Kernel
from helpers.teach.exercises.marking import Mark

Trial = Callable[[Callable], str]  # takes the function; returns what is wrong, "" if nothing is


def returns(right: object, **arguments: object) -> Trial:
    """Return a trial that calls the function, in this order of arguments, and compares."""

    def trial(function: Callable) -> str:
        got = function(*arguments.values())
        named = " and ".join(f"{name} = {value:,}" for name, value in arguments.items())
        return "" if got == right else f"for {named} it returns {got!r}"

    return trial


@dataclass(frozen=True, kw_only=True)
class Function:
    """An exercise whose answer is a function, or something else that can be called.

    takes: its arguments, as a sentence names them. trials: each tries the function once; the
    first that finds something wrong decides. wrong: wrong functions, by words that the message
    must hold.
    """

    statement: str
    hint: str
    takes: str
    trials: tuple[Trial, ...]
    wrong: Mapping[str, Callable] = field(default_factory=dict)

    def judge(self, given: object) -> Mark:
        """Try the function until something is wrong."""
        if not callable(given) or isinstance(given, (Kernel, type, BuiltinFunctionType)):
            words = f"the answer must be a function of {self.takes}, not {type(given).__name__}"
            return Mark(False, words, self.hint)
        for trial in self.trials:
            try:
                wrong = trial(given)
            except Exception as error:  # whatever a learner's function raises
                first = str(error).strip().splitlines()[:1]
                wrong = f"it stops with {type(error).__name__}: {''.join(first)}"
            if wrong:
                return Mark(False, f"{wrong}\n    Hint: {self.hint}", self.hint)
        steps = "step" if len(self.trials) == 1 else "steps"
        return Mark(True, f"right in {len(self.trials)} {steps}")
