"""Make an nbgrader course of the lessons: an assignment a lesson, a test cell an exercise.

    python -m tools.grading FOLDER                every lesson
    python -m tools.grading FOLDER --only 00 01   some

Then, in FOLDER, nbgrader's own commands (it is installed apart: `pip install nbgrader`):

    nbgrader generate_assignment lesson_01        what learners get, in release/
    nbgrader collect ... or submitted/LEARNER/lesson_01/ by hand
    nbgrader autograde lesson_01
    nbgrader export                               grades.csv

Below each cell that marks stands a locked cell, which fails unless the last mark was right. An
assignment is a folder of the course of its own, so that nobody's kernels are graded as another
one's.
"""

from __future__ import annotations

import argparse
import shutil
import sys
import tempfile
from pathlib import Path

import nbformat
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell

from helpers import paths
from helpers.errors import CourseError
from helpers.teach import lessons, notebooks
from helpers.teach.exercises import EXERCISES
from helpers.teach.exercises.marking import Code
from tools import student
from tools.teacher.reading import MARKS

POINTS, POINTS_OF_A_KERNEL = 1, 3
SCHEMA = 3  # of nbgrader's metadata
CONFIGURATION = '''\
"""Configure nbgrader for the course's lessons."""

c = get_config()  # noqa: F821
c.CourseDirectory.course_id = "elementwise-to-the-roof"
c.CourseDirectory.root = {root!r}
# A kernel's build takes seconds; a lesson that measures takes minutes.
c.ExecutePreprocessor.timeout = 600
c.Execute.timeout = 600
'''


def points(name: str) -> int:
    """Return what an exercise is worth."""
    return POINTS_OF_A_KERNEL if isinstance(EXERCISES[name], Code) else POINTS


def graded_cell(name: str) -> NotebookNode:
    """Return the locked cell that fails unless the last mark of an exercise was right."""
    identifier = f"exercise_{name.replace('.', '_')}"
    made = new_code_cell(f'exercises.require("{name}")')
    made.metadata.nbgrader = {
        "grade": True,
        "solution": False,
        "locked": True,
        "task": False,
        "points": points(name),
        "grade_id": identifier,
        "schema_version": SCHEMA,
    }
    made.id = identifier
    return made


def with_tests(lesson: NotebookNode) -> NotebookNode:
    """Put a test cell below each cell that marks an exercise, below its last mark."""
    last = {
        name: number
        for number, cell in enumerate(lesson.cells)
        if cell.cell_type == "code"
        for name in MARKS.findall(cell.source)
    }
    cells = []
    for number, cell in enumerate(lesson.cells):
        cells.append(cell)
        cells += [graded_cell(name) for name, where in last.items() if where == number]
    lesson.cells = cells
    return lesson


def write(root: Path, target: Path, only: list[str] | None = None) -> list[str]:
    """Write an nbgrader course, and return the names of its assignments.

    Assignments that are there are written anew; nothing else in `target` is touched.
    """
    known = [lesson.number for lesson in lessons.read_lessons(root / "notebooks")]
    if missing := set(only or known) - set(known):
        raise CourseError(f"no lesson {', '.join(sorted(missing))}; there are {known}")
    target.mkdir(parents=True, exist_ok=True)
    text = CONFIGURATION.format(root=str(target.resolve()))
    (target / "nbgrader_config.py").write_text(text, encoding="utf-8")
    with tempfile.TemporaryDirectory() as temporary:
        course, _ = student.write(root, Path(temporary))
        return [_assignment(course, target, number) for number in only or known]


def _assignment(course: Path, target: Path, number: str) -> str:
    """Write one assignment: a course whose one lesson stands at its top."""
    name = f"lesson_{number}"
    folder = target / "source" / name
    shutil.rmtree(folder, ignore_errors=True)
    left_out = shutil.ignore_patterns("notebooks", "docs", "README.md", student.STAMP)
    shutil.copytree(course, folder, ignore=left_out)
    (folder / "notebooks").mkdir()
    for place in ("notebooks", "kernels/mine"):  # else an empty folder could get lost
        (folder / place / ".keep").touch()
    (path,) = (course / "notebooks").glob(f"{number}_*.ipynb")
    nbformat.write(with_tests(notebooks.read(path)), folder / path.name)
    return name


def main(arguments: list[str] | None = None) -> int:
    """Write the course, and say what to do next. Returns 1 if there is no such lesson."""
    parser = argparse.ArgumentParser(
        prog="python -m tools.grading", description="Make an nbgrader course of the lessons."
    )
    parser.add_argument("folder", type=Path)
    parser.add_argument("--only", nargs="+", metavar="NN", help="two digits of each lesson")
    options = parser.parse_args(arguments)
    try:
        made = write(paths.ROOT, options.folder, options.only)
    except CourseError as error:
        print(error, file=sys.stderr)
        return 1
    print(f"{len(made)} assignments in {options.folder / 'source'}. Then, in {options.folder}:")
    print(f"nbgrader generate_assignment {made[0]}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
