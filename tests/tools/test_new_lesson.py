"""A new lesson's files pass what every lesson's must, once they were executed."""

import importlib.util

import pytest

from helpers import paths
from helpers.teach import lessons, notebooks

COURSE = "# Course\n<!-- lessons: from there -->\n\n<!-- end of lessons -->\n"


@pytest.fixture
def tool():
    path = paths.ROOT / "tools" / "new_lesson.py"
    spec = importlib.util.spec_from_file_location("new_lesson", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def course(tool, tmp_path):
    """Make a course of two lessons."""
    (tmp_path / "README.md").write_text(COURSE, encoding="utf-8")
    assert tool.main(["00", "start", "A start"], tmp_path) == 0
    assert tool.main(["01", "go_on", "Going on: further"], tmp_path) == 0
    return tmp_path


def test_three_files_are_made_and_the_rest_is_derived(course, capsys):
    made = sorted(file.relative_to(course).as_posix() for file in course.rglob("*01*"))
    assert made == [
        "helpers/teach/exercises/lesson_01.py",
        "notebooks/01_go_on.ipynb",
        "notebooks/solutions/01_go_on_solutions.ipynb",
    ]
    for path, text in lessons.outdated(course).items():
        path.write_text(text, encoding="utf-8")
    first, second = lessons.read_lessons(course / "notebooks")
    assert (first.before, second.before) == ("Python", "[00 · A start](00_start.ipynb)")
    assert second.heading == "01 · Going on: further"
    last = notebooks.read(course / "notebooks" / "00_start.ipynb").cells[-1]
    assert last.source == "Next: [01 · Going on: further](01_go_on.ipynb)"
    assert "(notebooks/01_go_on.ipynb)" in (course / "README.md").read_text(encoding="utf-8")


def test_the_lesson_names_its_machine(course):
    """A test asks of every lesson that an output shows the GPU it was executed on."""
    path = course / "notebooks" / "01_go_on.ipynb"
    first, second = notebooks.code_cells(notebooks.read(path))[:2]
    assert first.source == lessons.first_cell(path)
    assert "print(machine.present())" in second.source
    assert "nbval-ignore-output" in second.metadata["tags"]


def test_after_a_run_only_the_machines_name_is_missing(course):
    for path in notebooks.find(course / "notebooks"):
        notebook = notebooks.read(path)
        for count, cell in enumerate(notebooks.code_cells(notebook), start=1):
            cell.execution_count = count
        (problem,) = notebooks.problems(notebook)
        assert "executed_on" in problem


def test_the_exercise_is_asked_solved_and_marked(course):
    content = {}
    text = (course / "helpers/teach/exercises/lesson_01.py").read_text(encoding="utf-8")
    exec(compile(text, "lesson_01.py", "exec"), content)
    assert list(content["EXERCISES"]) == ["01.1"]
    assert content["EXERCISES"]["01.1"].judge(2 * 4).right
    lesson = course / "notebooks" / "01_go_on.ipynb"
    for path in (lesson, lessons.solutions_of(lesson)):
        notebook = notebooks.read(path)
        assert 'exercises.mark("01.1", ' in notebooks.code_cells(notebook)[-1].source


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["01", "other", "Another"], "already: 01_go_on.ipynb; the next number is 02\n"),
        (["2", "other", "Another"], "two digits"),
        (["02", "Other topic", "Another"], "small letters"),
    ],
)
def test_what_cannot_be_a_lesson_writes_nothing(tool, course, capsys, arguments, words):
    before = sorted(course.rglob("*"))
    assert tool.main(arguments, course) == 1
    assert words in capsys.readouterr().err
    assert sorted(course.rglob("*")) == before
