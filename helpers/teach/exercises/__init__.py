"""Mark the learner's answers: `mark("01.1", answer)` prints right, or a hint.

Each `lesson_NN.py` here holds one lesson's exercises, in `EXERCISES`, and is found by its name.
The questions stand in the notebook, worked solutions in notebooks/solutions/.
"""

from __future__ import annotations

from importlib import import_module
from pkgutil import iter_modules

from helpers.teach.exercises.marking import Exercise


def _collect() -> dict[str, Exercise]:
    """Return the exercises of every `lesson_NN.py`, in the order of the lessons."""
    modules = sorted(module.name for module in iter_modules(__path__))
    lessons = [name for name in modules if name.startswith("lesson_")]
    return {
        name: exercise
        for lesson in lessons
        for name, exercise in import_module(f"{__name__}.{lesson}").EXERCISES.items()
    }


EXERCISES = _collect()


def mark(name: str, answer: object) -> None:
    """Print whether `answer` solves the exercise `name`; None means that it was not tried yet.

    Raises KeyError, with the names there are, for an unknown exercise.
    """
    if name not in EXERCISES:
        raise KeyError(f"no exercise {name!r}; there are {', '.join(EXERCISES)}")
    message = "not answered yet" if answer is None else EXERCISES[name].judge(answer).message
    print(f"{name}: {message}")
