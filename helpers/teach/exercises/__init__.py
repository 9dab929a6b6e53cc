"""Mark the learner's answers: `mark("01.1", answer)` prints right, or a hint.

Each `lesson_NN.py` here holds one lesson's exercises, in `EXERCISES`, and is found by its name:
statement, answer, hint, and wrong answers with the hint that each must get. The questions stand
in the notebook too, worked solutions in notebooks/solutions/.
"""

from __future__ import annotations

from dataclasses import asdict, replace
from importlib import import_module
from pkgutil import iter_modules

from helpers import progress
from helpers.errors import CourseError, UnknownNameError
from helpers.run.kernel import Kernel
from helpers.teach.exercises.marking import Code, Exercise, Mark


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
_last: dict[str, Mark] = {}


def mark(name: str, answer: object) -> Mark:
    """Print whether `answer` solves the exercise `name`, and return it as a Mark.

    None means that it was not tried yet, as does a kernel whose file is still as the lesson
    gives it. Where ELEMENTWISE_MARKS names a folder, the mark of an answer is recorded there.
    Raises UnknownNameError, with the names there are, for an unknown exercise.
    """
    if not isinstance(name, str) or name not in EXERCISES:
        raise UnknownNameError(f"no exercise {name!r}; there are {', '.join(EXERCISES)}")
    missing = _missing(name, answer)
    judged = Mark(False, missing) if missing else _judged(name, answer)
    result = replace(judged, exercise=name, time=progress.now())
    print(f"{name}: {result.message}")
    _last[name] = result
    if not missing:
        progress.record(**asdict(result))
    return result


def require(name: str) -> Mark:
    """Return the last mark of an exercise in this process; raise CourseError if not right.

    For graders that look whether a cell raises (tools/grading.py).
    """
    last = _last.get(name)
    if last is None:
        raise CourseError(f"{name} was not marked: its cell did not run to its end")
    if not last.right:
        raise CourseError(f"{name}: {last.message}")
    return last


def _missing(name: str, answer: object) -> str:
    """Say that there is no answer to judge; "" if there is one."""
    if answer is None:
        return "not answered yet"
    exercise = EXERCISES[name]
    if isinstance(exercise, Code) and exercise.untouched(answer):
        return f"not answered yet: {answer.name}.cu is still as the lesson gives it"
    return ""


def _judged(name: str, answer: object) -> Mark:
    """Judge an answer; say so if a wrong kernel is that of another exercise."""
    judged = EXERCISES[name].judge(answer)
    other = None if judged.right else _meant(name, answer)
    if other is None:
        return judged
    return replace(judged, message=f"{judged.message}\n    Is this your kernel for {other}?")


def _meant(name: str, answer: object) -> str | None:
    """Return the other exercise that a kernel's launcher and dtypes belong to, if one does."""
    if not isinstance(answer, Kernel) or _belongs(name, answer):
        return None
    return next((other for other in EXERCISES if _belongs(other, answer)), None)


def _belongs(name: str, kernel: Kernel) -> bool:
    exercise = EXERCISES[name]
    if not isinstance(exercise, Code):
        return False
    return exercise.launcher in {launcher.__name__ for launcher in exercise.fitting(kernel)}
