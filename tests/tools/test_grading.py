"""nbgrader grades the lessons: a right answer gets its points, a wrong one none."""

import csv
import os
import shutil
import subprocess

import pytest
from nbformat.v4 import new_code_cell, new_notebook

from helpers import course, paths
from helpers.errors import CourseError
from helpers.teach import notebooks
from helpers.teach.exercises import EXERCISES
from tests.tools.environments import environment
from tools import grading


def test_a_test_cell_stands_below_the_last_mark_of_each_exercise():
    mark = 'exercises.mark("00.2", answer)'
    lesson = new_notebook(cells=[new_code_cell(s) for s in (mark, "x = 1", mark, "y = 2")])
    cells = grading.with_tests(lesson).cells
    assert [cell.source for cell in cells] == [
        mark,
        "x = 1",
        mark,
        'exercises.require("00.2")',
        "y = 2",
    ]
    assert cells[3].metadata.nbgrader == {
        "grade": True,
        "solution": False,
        "locked": True,
        "task": False,
        "points": 1,
        "grade_id": "exercise_00_2",
        "schema_version": 3,
    }
    assert grading.points("00.1") == 3


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    folder = tmp_path_factory.mktemp("nbgrader")
    grading.write(paths.ROOT, folder)
    return folder


def test_every_exercise_is_graded_once(written):
    found = []
    for path in sorted(written.glob("source/*/*.ipynb")):
        for cell in notebooks.code_cells(notebooks.read(path)):
            found += [cell.metadata.nbgrader.grade_id] if "nbgrader" in cell.metadata else []
    assert sorted(found) == sorted(f"exercise_{name.replace('.', '_')}" for name in EXERCISES)


def test_an_assignment_is_a_course_of_its_own(written):
    folder = written / "source" / "lesson_01"
    assert course.enclosing(folder) == folder.resolve()
    assert course.version(folder) == course.version(paths.ROOT)
    assert [path.name[:2] for path in folder.rglob("*.ipynb")] == ["01"]


def test_some_lessons(tmp_path, capsys):
    assert grading.main([str(tmp_path), "--only", "01"]) == 0
    assert [path.name for path in (tmp_path / "source").iterdir()] == ["lesson_01"]
    assert "nbgrader generate_assignment lesson_01" in capsys.readouterr().out


def test_an_unknown_lesson_leaves_no_folder(tmp_path):
    with pytest.raises(CourseError, match="no lesson 77"):
        grading.write(paths.ROOT, tmp_path / "new", ["77"])
    assert not (tmp_path / "new").exists()


def answered(path, answers):
    """Put answers into a learner's copy: {exercise: source of its cell}."""
    lesson = notebooks.read(path)
    for cell in notebooks.code_cells(lesson):
        for name in grading.MARKS.findall(cell.source):
            cell.source = answers.get(name, cell.source)
    grading.nbformat.write(lesson, path)


@pytest.mark.stress
def test_nbgrader_grades_three_learners(tmp_path):
    """One right, one wrong who also changes the test, one who answers nothing."""
    programs = environment("nbgrader")
    folder = tmp_path / "course"
    grading.write(paths.ROOT, folder, ["00"])
    variables = {
        **os.environ,
        "PATH": f"{programs}:{os.environ['PATH']}",
        "PYTHONPATH": str(paths.PACKAGE.parent),
        "ELEMENTWISE_MACHINE": "emulator",
    }

    def nbgrader(*words):
        command = [programs / "python", "-m", "nbgrader", *words]
        done = subprocess.run(
            command, cwd=folder, env=variables, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr[-3000:]

    nbgrader("generate_assignment", "lesson_00", "--create")
    release = folder / "release" / "lesson_00"
    for learner in ("ada", "bob", "cleo"):
        shutil.copytree(release, folder / "submitted" / learner / "lesson_00")
    name = next(release.glob("*.ipynb")).name
    good = folder / "submitted" / "ada" / "lesson_00" / name
    answered(good, {"00.2": 'exercises.mark("00.2", 3907)'})
    text = good.read_text()
    assert text.count("out[i] = 0;  // <- your line") == 1
    good.write_text(text.replace("out[i] = 0;  // <- your line", "out[i] = x[i] * x[i];"))
    cheat = folder / "submitted" / "bob" / "lesson_00" / name
    answered(cheat, {"00.2": 'exercises.mark("00.2", 3906)'})
    cheat.write_text(cheat.read_text().replace('exercises.require(\\"00.2\\")', "pass"))
    nbgrader("autograde", "lesson_00")
    nbgrader("export")
    rows = csv.DictReader((folder / "grades.csv").open())
    scores = {row["student_id"]: float(row["score"]) for row in rows}
    assert scores == {"ada": 4.0, "bob": 0.0, "cleo": 0.0}
