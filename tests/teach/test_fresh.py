"""`make fresh` on a small course with a real git repository, or with an installed original."""

import os
import shutil
import subprocess

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_notebook

from helpers import course as course_module
from helpers.errors import CourseError
from helpers.teach import fresh

needs_git = pytest.mark.skipif(not shutil.which("git"), reason="no git")
LESSON = "notebooks/05_e.ipynb"
SOLUTION = "notebooks/solutions/05_e_solutions.ipynb"
KERNEL = "kernels/e.cu"


def git(folder, *words):
    """Run git without the user's settings."""
    name = ["-c", "user.name=a", "-c", "user.email=a@b", "-c", "init.defaultBranch=main"]
    environment = {**os.environ, "GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}
    command = ["git", *name, *words]
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


def make(root):
    """Make a course of the lessons 04 and 05, the latter with a kernel and solutions."""
    writes = new_code_cell("%%writefile ../kernels/e.cu\nint e;")
    mine = new_code_cell("%%writefile ../kernels/mine/own.cu\nint own;")
    for name, cells in (
        ("notebooks/04_d.ipynb", [new_code_cell("4")]),
        (LESSON, [writes, mine]),
        (SOLUTION, [new_code_cell("5")]),
    ):
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        nbformat.write(new_notebook(cells=cells), root / name)
    for name in (KERNEL, "kernels/other.cu", "data/gpus.csv"):
        (root / name).parent.mkdir(exist_ok=True)
        (root / name).write_text("int e;\n")
    for folder in ("notebooks", "kernels"):
        (root / folder / "mine").mkdir()
        (root / folder / "mine" / ".gitignore").write_text("*\n!.gitignore\n")
    return root


@pytest.fixture(params=[pytest.param("git", marks=needs_git), "installed"])
def course(request, tmp_path, monkeypatch):
    """Make a course whose original a commit has, in a folder of the repository, or a copy."""
    root = make(tmp_path / "course")
    if request.param == "git":
        git(tmp_path, "init", "-q")
        git(tmp_path, "add", "-A")
        git(tmp_path, "commit", "-qm", "a course")
    else:
        shutil.copytree(root, tmp_path / "installed")
        monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path))
        monkeypatch.setattr(fresh.paths, "PACKAGE", tmp_path / "installed" / "helpers")
    monkeypatch.chdir(root / "notebooks")
    return root


def texts(root):
    return {
        path.relative_to(root).as_posix(): path.read_text()
        for path in root.rglob("*")
        if path.is_file()
    }


def test_a_lesson_and_its_kernel_are_as_they_were_and_the_learners_are_kept(course, capsys):
    before = texts(course)
    (course / LESSON).write_text("{ half a notebook")
    (course / KERNEL).write_text("int mine;\n")
    (course / "kernels" / "mine" / "e.cu").write_text("int older;\n")
    (course / "kernels" / "other.cu").write_text("of another lesson\n")
    assert fresh.main(["05"]) == 0
    assert capsys.readouterr().out.splitlines() == [
        f"{LESSON} is as it was; yours is kept as notebooks/mine/05_e.ipynb",
        f"{KERNEL} is as it was; yours is kept as kernels/mine/e_2.cu",
        "if it is open in JupyterLab: File, Reload Notebook from Disk",
    ]
    assert texts(course) == before | {
        "notebooks/mine/05_e.ipynb": "{ half a notebook",
        "kernels/mine/e_2.cu": "int mine;\n",
        "kernels/mine/e.cu": "int older;\n",
        "kernels/other.cu": "of another lesson\n",
    }


def test_a_lesson_as_it_was_is_left_alone(course, capsys):
    before = texts(course)
    (course / "notebooks" / "04_d.ipynb").write_text("mine")
    assert fresh.main(["5"]) == 0
    assert capsys.readouterr().out == "lesson 05 is as it was: nothing to do\n"
    assert texts(course) == before | {"notebooks/04_d.ipynb": "mine"}


def test_a_second_time_keeps_the_first_copy(course):
    for text in ("one", "two", "three"):
        (course / LESSON).write_text(text)
        assert fresh.main(["05"]) == 0
    kept = sorted((course / "notebooks" / "mine").glob("*.ipynb"))
    assert [path.name for path in kept] == ["05_e.ipynb", "05_e_2.ipynb", "05_e_3.ipynb"]
    assert [path.read_text() for path in kept] == ["one", "two", "three"]


def test_what_was_deleted_comes_back(course, capsys):
    before = texts(course)
    (course / SOLUTION).unlink()
    (course / KERNEL).unlink()
    assert fresh.main(["05"]) == 0
    assert texts(course) == before
    assert f"{SOLUTION} is back\n{KERNEL} is back\n" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ([], "which lesson? make fresh LESSON=05"),
        (["99"], "no lesson '99': there are 04 to 05"),
    ],
)
def test_what_cannot_be_done_is_said(course, capsys, arguments, words):
    assert fresh.main(arguments) == 1
    assert capsys.readouterr().err == f"{words}\n"


@needs_git
def test_git_pull_goes_through_afterwards(tmp_path):
    teacher = make(tmp_path / "teacher")
    git(teacher, "init", "-q")
    git(teacher, "add", "-A")
    git(teacher, "commit", "-qm", "a course")
    learner = tmp_path / "learner"
    git(tmp_path, "clone", "-q", str(teacher), str(learner))
    (learner / LESSON).write_text("answers")
    git(learner, "add", "-A")  # staged, too
    nbformat.write(new_notebook(cells=[new_code_cell("new")]), teacher / LESSON)
    git(teacher, "commit", "-qam", "a better lesson")
    fresh.restore(learner, "05")
    git(learner, "pull", "-q", "--ff-only")
    assert (learner / LESSON).read_text() == (teacher / LESSON).read_text()
    assert (learner / "notebooks" / "mine" / "05_e.ipynb").read_text() == "answers"


def test_a_students_copy_gets_lessons_without_answers(tmp_path, monkeypatch, capsys):
    """From the folder that it was copied from, never from the installed course."""
    given, own = make(tmp_path / "student"), tmp_path / "own"
    shutil.rmtree(given / "notebooks" / "solutions")
    (given / course_module.STUDENTS).touch()
    shutil.copytree(given, own)
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path))
    monkeypatch.setattr(fresh.paths, "PACKAGE", make(tmp_path / "installed") / "helpers")
    monkeypatch.chdir(own / "notebooks")
    (own / KERNEL).write_text("mine")
    assert fresh.main(["05"]) == 1
    assert "copy the lesson from where you have the course" in capsys.readouterr().err
    monkeypatch.setenv("ELEMENTWISE_ORIGINAL", str(given))
    assert fresh.main(["05"]) == 0
    assert (own / KERNEL).read_text() == "int e;\n"
    assert (own / "kernels" / "mine" / "e.cu").read_text() == "mine"
    assert not (own / "notebooks" / "solutions").exists()


def test_without_an_original_it_says_where_to_take_the_lesson_from(tmp_path, monkeypatch):
    root = make(tmp_path / "course")
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path))
    monkeypatch.setattr(fresh.paths, "PACKAGE", root / "helpers")
    with pytest.raises(CourseError, match="copy the lesson from where you have the course"):
        fresh.restore(root, "05")
    monkeypatch.setattr(fresh.shutil, "which", lambda name: None)
    with pytest.raises(CourseError, match="git is not installed"):
        fresh.restore(root, "05")
