"""What is derived from the lessons' first cells, on a course of two lessons."""

import json

import pytest

from helpers.teach import lessons

FIRST = """\
# 00 · A start: small

**A claim; and more.**

| | |
|---|---|
| Before this | Python |
| You will be able to | count; tell one from two |
| Time | 20 minutes |
| GPU | not needed |

More."""
SECOND = (
    FIRST.replace("00 · A start: small", "01 · Going on")
    .replace("20", "100")
    .replace("| Python |", "| [00 · the start](00_start.ipynb) |")
)


@pytest.fixture
def course(tmp_path):
    """Make a course whose links and table are of older titles."""
    put(tmp_path / "notebooks" / "00_start.ipynb", FIRST, "Next: [01 · Old](01_go_on.ipynb)")
    put(
        tmp_path / "notebooks" / "01_go_on.ipynb",
        SECOND,
        "See [notebook 00](00_start.ipynb) and [02 · no such](02_no.ipynb).",
        "Next: [00 · old](00_start.ipynb)\n",
    )
    put(
        tmp_path / "notebooks" / "solutions" / "01_go_on_solutions.ipynb",
        "# Solutions to 01 · Old\n\n[01 · Old](../01_go_on.ipynb)",
    )
    readme = "# Course\n<!-- lessons: from there -->\nold\n<!-- end of lessons -->\nend\n"
    (tmp_path / "README.md").write_text(readme, encoding="utf-8")
    return tmp_path


def put(path, *texts):
    path.parent.mkdir(parents=True, exist_ok=True)
    cells = [
        {"cell_type": "markdown", "metadata": {}, "source": text.splitlines(keepends=True)}
        for text in texts
    ]
    code = {"cell_type": "code", "execution_count": 1, "metadata": {}, "outputs": []}
    cells.append(code | {"source": ["# [00 · not a link](00_start.ipynb)"]})
    text = json.dumps({"cells": cells, "metadata": {}}, indent=1, ensure_ascii=False)
    path.write_text(text + "\n", encoding="utf-8")


def cells(path):
    return ["".join(cell["source"]) for cell in json.loads(path.read_text("utf-8"))["cells"]]


def test_a_lesson_is_read_from_its_first_cell(course):
    first, second = lessons.read_lessons(course / "notebooks")
    assert first == lessons.Lesson(
        file="00_start.ipynb",
        title="A start: small",
        claim="A claim; and more.",
        before="Python",
        goals=("count", "tell one from two"),
        minutes=20,
        gpu="not needed",
    )
    assert (first.number, second.number) == ("00", "01")
    put(course / "notebooks" / "99_glossary.ipynb", "# 99 · Glossary")
    assert lessons.read_lessons(course / "notebooks") == [first, second]
    assert second.heading == "01 · Going on"


@pytest.mark.parametrize(
    ("part", "words"),
    [
        ("# 00 · ", "title that begins with # 00 ·"),
        ("**", "claim"),
        ("| Before this ", "row 'Before this'"),
        ("| You will be able to ", "row 'You will be able to'"),
        (" minutes", "row 'Time' with minutes"),
        ("| GPU ", "row 'GPU'"),
    ],
)
def test_a_first_cell_that_lacks_something_is_named(tmp_path, part, words):
    put(tmp_path / "00_start.ipynb", FIRST.replace(part, ""))
    with pytest.raises(ValueError, match=f"the first cell of 00_start.ipynb has no {words}"):
        lessons.read_lesson(tmp_path / "00_start.ipynb")


def test_everything_derived_is_written_and_then_up_to_date(course):
    new = lessons.outdated(course)
    assert len(new) == 4
    for path, text in new.items():
        path.write_text(text, encoding="utf-8")
    assert lessons.outdated(course) == {}
    folder = course / "notebooks"
    assert cells(folder / "00_start.ipynb")[1] == "Next: [01 · Going on](01_go_on.ipynb)"
    before, see, back, code = cells(folder / "01_go_on.ipynb")
    assert "| Before this | [00 · A start: small](00_start.ipynb) |" in before
    assert see == "See [notebook 00](00_start.ipynb) and [02 · no such](02_no.ipynb)."
    assert back == "Back to the start: [00 · A start: small](00_start.ipynb)\n"
    assert code == "# [00 · not a link](00_start.ipynb)"
    solution = "# Solutions to 01 · Going on\n\n[01 · Going on](../01_go_on.ipynb)"
    assert cells(folder / "solutions" / "01_go_on_solutions.ipynb")[0] == solution
    readme = (course / "README.md").read_text(encoding="utf-8")
    assert readme.splitlines()[1:7] == [
        "<!-- lessons: from there -->",
        "| lesson | what it shows | minutes |",
        "|---|---|--:|",
        "| [00 · A start: small](notebooks/00_start.ipynb) | A claim; and more. | 20 |",
        "| [01 · Going on](notebooks/01_go_on.ipynb) | A claim; and more. | 100 |",
        "| **all of them** | with their exercises | 2 hours |",
    ]
    assert readme.endswith("\n<!-- end of lessons -->\nend\n")


def test_a_lesson_put_between_two_others_comes_next(course):
    folder = course / "notebooks"
    put(folder / "02_end.ipynb", SECOND.replace("01 · Going on", "02 · The end"))
    put(folder / "01_go_on.ipynb", SECOND, "Back to the start: [00 · x](00_start.ipynb)")
    new = lessons.outdated(course)
    assert "Next: [02 · The end](02_end.ipynb)" in new[folder / "01_go_on.ipynb"]
    assert "02 · The end" in new[course / "README.md"]


def test_a_readme_without_a_place_for_the_table():
    with pytest.raises(ValueError, match="no <!-- lessons:"):
        lessons.with_table("# Course\n", [])


def test_main_prints_what_it_writes(course, monkeypatch, capsys):
    monkeypatch.setattr(lessons.paths, "ROOT", course)
    outdated = lessons.outdated(course)
    monkeypatch.setattr(lessons, "outdated", lambda: outdated)
    assert lessons.main() == 0
    assert "wrote notebooks/00_start.ipynb\n" in capsys.readouterr().out
    monkeypatch.undo()
    assert lessons.outdated(course) == {}
