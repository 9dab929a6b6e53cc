"""Take the reader's guess before a measurement, show it beside the result, and keep score.

    guesses.take("V1, 2^28 floats", None, "us")            # None: no guess, the lesson goes on
    guesses.compare("V1, 2^28 floats", measured, model=p.time_us)
    guesses.score()

A guess is a number in a unit, or one of several choices. What was compared is kept in
kernels/mine/guesses.jsonl; of several tries the first one counts.
"""

from __future__ import annotations

import contextlib
import json
import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import pandas as pd

from helpers import paths
from helpers.errors import UnknownNameError
from helpers.model.arguments import checked
from helpers.teach.exercises.conversion import number_of, plain, shown

CLOSE = 1.1  # at most this factor away
FEW = 6  # so many choices are listed before there is a guess


@dataclass(frozen=True)
class Guess:
    """The reader's answer to one question; None if there is none."""

    guess: float | str | None
    unit: str


@dataclass(frozen=True)
class Compared:
    """A guess beside what was measured or computed, and what the model said, if asked."""

    name: str
    guess: float | str
    measured: float | str
    model: float | str | None
    unit: str

    @property
    def factor(self) -> float | None:
        """How far the guess is away: the larger number by the smaller; None for a choice."""
        return None if isinstance(self.guess, str) else _factor(self.guess, self.measured)


_taken: dict[str, Guess] = {}


def take(name: str, guess: object, unit: str = "", choices: Sequence[str] = ()) -> None:
    """Note a guess: a number in `unit`, or one of `choices`. Prints what was understood.

    A guess that is neither is not noted, and a sentence says what was asked; the notebook goes
    on either way.
    """
    _taken[name] = Guess(None, unit)
    asked = f"one of {', '.join(map(repr, choices))}" if choices else "a number"
    asked += f" ({unit})" * bool(unit and not choices)
    if guess is None:
        shortly = asked if len(choices) <= FEW else f"one of the {len(choices)} choices"
        print(f"no guess yet: replace None by {shortly}, or run on without one")
        return
    understood, problem = _choice(guess, choices) if choices else _number(guess)
    if problem:
        print(f"{problem}: give {asked}")
        return
    _taken[name] = Guess(understood, unit)
    print(f"your guess: {_with_unit(understood, unit)}")


@checked
def compare(
    name: str, truth: float | str, model: float | str | None = None, how: str = "measured"
) -> None:
    """Print the guess of `name` beside the model's prediction and what came out.

    how: a word for the way to the truth, as "computed", "counted" or "in the machine code".

    Raises UnknownNameError if no cell has asked for that guess in this session.
    """
    if name not in _taken:
        known = ", ".join(_taken) or "none yet: run the cell above that takes it"
        raise UnknownNameError(f"no guess {name!r} was asked for; there are {known}")
    taken = _taken[name]
    parts = [("you", taken.guess)] if taken.guess is not None else []
    parts += [("the model", model)] if model is not None else []
    wide = max(10, len(how))
    lines = [
        f"{who:{wide}} {_with_unit(said, taken.unit):>14}   {_verdict(said, truth)}"
        for who, said in parts
    ]
    print("\n".join([*lines, f"{how:{wide}} {_with_unit(truth, taken.unit):>14}"]))
    if taken.guess is not None:
        _keep(Compared(name, taken.guess, truth, model, taken.unit))


def score() -> pd.DataFrame | None:
    """Return all guesses that were compared, the first of each name, with their factors.

    Returns None, and says so, if there are none.
    """
    first: dict[str, Compared] = {}
    for one in _kept():
        first.setdefault(one.name, one)
    if not first:
        print("no guess was compared yet")
        return None
    rows = [
        {
            "guess": one.name,
            "you": _with_unit(one.guess, one.unit),
            "model": "" if one.model is None else _with_unit(one.model, one.unit),
            "came out": _with_unit(one.measured, one.unit),
            "": _verdict(one.guess, one.measured),
        }
        for one in first.values()
    ]
    factors = sorted(one.factor for one in first.values() if one.factor is not None)
    chosen = [one.guess == one.measured for one in first.values() if one.factor is None]
    if factors:
        middle = factors[len(factors) // 2]
        print(f"{len(factors)} numbers, the middle one off by a factor of {middle:.2g}")
    if chosen:
        print(f"{sum(chosen)} of {len(chosen)} choices right")
    return pd.DataFrame(rows, columns=["guess", "you", "model", "came out", ""])


# ---- what is right ---------------------------------------------------------------------------


def _number(guess: object) -> tuple[float | None, str]:
    """Return the guess as a number, or in words why it is not one."""
    found = number_of(guess)
    if isinstance(found, str):
        return None, f"that is {found}"
    if not math.isfinite(found) or found <= 0:
        return None, f"{shown(guess)} is not a positive number"
    return found, ""


def _choice(guess: object, choices: Sequence[str]) -> tuple[str | None, str]:
    given = guess.strip().casefold() if isinstance(guess, str) else None
    for choice in choices:
        if choice.casefold() == given:
            return choice, ""
    return None, f"{shown(guess)} is not among the choices"


def _factor(guess: float, measured: float) -> float:
    """Return by what factor two numbers differ; infinity if one alone is 0."""
    if guess == measured:
        return 1.0
    return max(guess / measured, measured / guess) if guess and measured else math.inf


def _verdict(said: float | str, measured: float | str) -> str:
    if isinstance(said, str) or isinstance(measured, str):
        return "right" if said == measured else "not so"
    factor = _factor(said, measured)
    if factor <= CLOSE:
        return f"within {max(1, math.ceil(round(100 * (factor - 1), 6)))}%"
    times = f"{factor:.2g} times " if math.isfinite(factor) else ""
    return f"{times}too {'much' if said > measured else 'little'}"


def _with_unit(value: float | str, unit: str) -> str:
    text = value if isinstance(value, str) else plain(float(f"{value:.4g}"))
    return f"{text} {unit}".rstrip()


# ---- the file --------------------------------------------------------------------------------


def _file() -> Path:
    return paths.KERNELS / "mine" / "guesses.jsonl"


def _keep(compared: Compared) -> None:
    with contextlib.suppress(OSError), _file().open("a", encoding="utf-8") as file:
        file.write(json.dumps(asdict(compared), ensure_ascii=False) + "\n")


def _kept() -> list[Compared]:
    """Read the file; a line that is not a comparison is passed over."""
    found = []
    with contextlib.suppress(OSError):
        for line in _file().read_text(encoding="utf-8", errors="replace").splitlines():
            with contextlib.suppress(ValueError, TypeError):
                found.append(Compared(**json.loads(line)))
    return found
