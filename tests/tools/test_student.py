"""The student's folder has every exercise and no answer, and its lessons run from the top."""

import os
import re
import shutil
import stat

import pytest

from helpers import course, paths, progress, sources
from helpers.errors import CourseError
from helpers.teach import lessons, notebooks
from helpers.teach.exercises import EXERCISES
from tools import student

MARKED = re.compile(r'exercises\.mark\(\s*"(\d\d\.\d+)",\s*(.*)\)\s*$', re.DOTALL)
GIVEN = re.compile(r'None|jit\.load\("\.\./kernels/mine/\w+\.cu"\)')
LINK = re.compile(r"\]\((?!\w+:)([^)#\s]+)")
FILE = re.compile(r"%%writefile (\S+)\n(.*)", re.DOTALL)
TAUGHT = [lesson.file for lesson in lessons.read_lessons()]
RUN_IN_CI = TAUGHT[0]


@pytest.fixture(scope="module")
def written(tmp_path_factory):
    return student.write(paths.ROOT, tmp_path_factory.mktemp("class"))


def prose(path):
    """Return the text of a page: a notebook's Markdown, or all of it."""
    if path.suffix != ".ipynb":
        return path.read_text(encoding="utf-8")
    cells = notebooks.read(path).cells
    return "\n\n".join(cell.source for cell in cells if cell.cell_type == "markdown")


def code_of(folder):
    """Return the code of each cell that writes a kernel, by the file's name."""
    found = {}
    for path in notebooks.find(folder):
        for cell in notebooks.code_cells(notebooks.read(path)):
            if match := FILE.match(cell.source):
                text = "".join(sources.blank_comments_and_strings(match[2]).split())
                found.setdefault(match[1].split("/")[-1], []).append(text)
    return found


def test_the_folder_is_a_course_of_this_version(written):
    folder, _ = written
    assert course.enclosing(folder / "notebooks") == folder.resolve()
    assert course.version(folder) == course.version(paths.ROOT) is not None
    assert not (folder / "helpers").exists()
    assert list((folder / "kernels" / "mine").iterdir()) == []


def test_what_is_left_out_is_read_by_no_lesson(written):
    for name in (*student.UNREAD, student.PICTURES):
        assert (paths.ROOT / "data" / name).exists()
        assert not (written[0] / "data" / name).exists()
    lessons = "".join(path.read_text() for path in (paths.ROOT / "notebooks").rglob("*.ipynb"))
    pictures = f"data/{student.PICTURES}"
    assert not any(name in lessons for name in (*student.UNREAD, pictures))


def test_a_learners_copy_is_small(written):
    """The environment is everybody's; a learner has this copy, and what he builds himself."""
    sizes = (path.stat().st_size for path in written[0].rglob("*") if path.is_file())
    assert sum(sizes) < 10e6


@pytest.mark.parametrize("name", TAUGHT)
def test_a_lesson_has_its_cells_and_no_output(written, name):
    lesson = notebooks.read(written[0] / "notebooks" / name)
    original = notebooks.read(paths.ROOT / "notebooks" / name)
    assert "executed_on" not in lesson.metadata
    for cell, before in zip(lesson.cells, original.cells, strict=True):
        assert cell.cell_type == before.cell_type
        if cell.cell_type == "code":
            assert (cell.outputs, cell.execution_count) == ([], None)
            assert cell.source == before.source
            assert set(cell.metadata) <= {"tags"}


def test_every_exercise_is_asked_and_none_is_answered(written):
    asked = []
    for path in notebooks.find(written[0] / "notebooks"):
        before = ""
        for cell in notebooks.code_cells(notebooks.read(path)):
            before += f"{cell.source}\n"
            if match := MARKED.search(cell.source):
                asked.append(match[1])
                answer = match[2].strip()
                if answer.isidentifier():
                    given = re.findall(rf"^{answer} = ([^#\n]*)", before, re.M)
                    # A function that the lesson begins is judged by the test that runs it.
                    begun = re.search(rf"^def {answer}\(", before, re.M)
                    answer = given[-1].strip() if given else "None" if begun else answer
                assert GIVEN.fullmatch(answer), cell.source
    assert sorted({*asked}) == sorted(EXERCISES)


def test_no_kernel_of_a_solution_stands_in_a_lesson(written):
    taught, solved = code_of(written[0] / "notebooks"), code_of(written[1])
    assert len(solved) > 10
    everything = {text for texts in taught.values() for text in texts}
    kernels = {path.name for path in paths.KERNELS.glob("*.cu*")}  # which a solution may use
    assert [n for n, t in solved.items() if n not in kernels and everything & {*t}] == []


def test_solutions_have_other_names_and_lessons_do_not_lead_to_them(written):
    folder, solutions = written
    names = {path.name for path in notebooks.find(solutions)}
    assert len(names) == len([*(paths.ROOT / "notebooks" / "solutions").glob("*.ipynb")])
    assert not names & {path.name for path in notebooks.find(folder)}
    assert not [*folder.rglob("solutions")]
    for path in notebooks.find(folder):
        assert "solutions/" not in path.read_text(encoding="utf-8")


def test_every_link_leads_to_a_file(written, tmp_path):
    """In the student's folder, and in the same with the solutions copied over it."""
    for folders in (written[:1], written):
        for folder in folders:
            shutil.copytree(folder, tmp_path, dirs_exist_ok=True)
        for path in [tmp_path / "README.md", *notebooks.find(tmp_path)]:
            links = LINK.findall(prose(path))
            assert [link for link in links if not (path.parent / link).exists()] == []


@pytest.mark.parametrize(
    ("text", "new"),
    [
        (
            "Worked solutions: [s/x](solutions/x.ipynb).",
            "Worked solutions: your teacher hands them out.",
        ),
        (
            "see [01 · V1](01_v1.ipynb) and [x](../none.md#a)",
            "see [01 · V1](01_v1.ipynb) and x",
        ),
        ("[a](https://a.org/b) [b](#here)", "[a](https://a.org/b) [b](#here)"),
    ],
)
def test_links_are_kept_where_they_lead_somewhere(tmp_path, text, new):
    (tmp_path / "01_v1.ipynb").touch()
    assert student.with_links(text, tmp_path) == new


def test_it_is_written_anew_and_overwrites_nobody_elses_folder(tmp_path):
    folder, _ = student.write(paths.ROOT, tmp_path)
    (folder / "old.txt").touch()
    student.write(paths.ROOT, tmp_path)
    assert not (folder / "old.txt").exists()
    (folder / student.STAMP).unlink()
    with pytest.raises(CourseError, match="left alone"):
        student.write(paths.ROOT, tmp_path)


def test_a_folder_that_was_closed_stays_closed(tmp_path):
    """With its owner, where the system lets it be given away."""
    folder, solutions = student.write(paths.ROOT, tmp_path)
    solutions.chmod(0o2700)
    folder.chmod(0o755)
    owner = 65534 if os.geteuid() == 0 else os.geteuid()
    os.chown(solutions, owner, -1)
    student.write(paths.ROOT, tmp_path)
    assert stat.S_IMODE(solutions.stat().st_mode) == 0o2700
    assert stat.S_IMODE(folder.stat().st_mode) == 0o755
    assert solutions.stat().st_uid == owner


def test_an_owner_that_may_not_be_set_is_no_obstacle(tmp_path, monkeypatch):
    def refuse(*arguments):
        raise PermissionError

    _, solutions = student.write(paths.ROOT, tmp_path)
    solutions.chmod(0o710)
    monkeypatch.setattr(student.os, "chown", refuse)
    student.write(paths.ROOT, tmp_path)
    assert stat.S_IMODE(solutions.stat().st_mode) == 0o710


def run(written, name, folder):
    """Execute a lesson in a copy of the student's folder with the installed helpers."""
    place = shutil.copytree(written[0], folder / "course") / "notebooks"
    marks = folder / "marks"
    marks.mkdir()
    lesson = notebooks.read(place / name)
    variables = {
        "PYTHONPATH": str(paths.PACKAGE.parent),
        "ELEMENTWISE_MACHINE": "emulator",
        "ELEMENTWISE_MARKS": str(marks),
        "ELEMENTWISE_LEARNER": "ada",
    }
    assert notebooks.execute(lesson, place, variables=variables) is None
    return lesson, [mark for mark in progress.read(marks) if "exercise" in mark]


@pytest.mark.stress
def test_the_first_lesson_runs_from_the_top_and_solves_nothing(written, tmp_path):
    lesson, marks = run(written, RUN_IN_CI, tmp_path)
    assert [mark for mark in marks if mark["right"]] == []
    printed = "".join(
        o.get("text", "") for cell in notebooks.code_cells(lesson) for o in cell.outputs
    )
    assert printed.count("Your teacher's board is on") == 1
    assert f"{RUN_IN_CI[:2]}.1: not answered" in printed


@pytest.mark.stress
@pytest.mark.parametrize("name", TAUGHT[1:])
def test_every_lesson_runs_from_the_top_and_solves_nothing(written, tmp_path, name):
    _, marks = run(written, name, tmp_path)
    assert [mark for mark in marks if mark["right"]] == []


@pytest.mark.parametrize(
    ("error", "why"),
    [
        (shutil.Error([("a", "b", "no space"), ("c", "d", "e")]), "no space"),
        (PermissionError(13, "Permission denied", "/x"), "[Errno 13] Permission denied: '/x'"),
    ],
)
def test_a_folder_that_cannot_be_written_is_named(error, why, tmp_path, monkeypatch, capsys):
    def write(*arguments):
        raise error

    monkeypatch.setattr(student, "write", write)
    assert student.main(["--to", str(tmp_path)]) == 1
    assert capsys.readouterr().err == f"cannot write into {tmp_path}: {why}\n"
