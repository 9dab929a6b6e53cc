"""Every claim of the sources has its answer in a lesson, and every lesson takes four steps."""

from collections import Counter

import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

from helpers.teach import lessons, notebooks
from tools import survey

TAUGHT = lessons.read_lessons()[1:]  # the first lesson begins with a kernel and no clock


@pytest.mark.parametrize("lesson", TAUGHT, ids=lambda lesson: lesson.number)
def test_a_lesson_writes_loads_measures_and_draws_a_kernel(lesson):
    taken = survey.steps(notebooks.read(lessons.NOTEBOOKS / lesson.file))
    assert [step for step, cells in taken.items() if not cells] == [], (
        "a lesson writes a kernel with %%writefile, loads it with jit.load, measures it with "
        "bench or recorded, and draws it with plots.kernel_rooflines or ladder_rooflines"
    )


def test_every_claim_is_answered_and_every_answer_is_of_a_claim():
    claims, places = survey.claims(), survey.answers()
    numbers = [one.number for one in claims]
    assert numbers == list(range(1, len(claims) + 1)) and len(claims) >= 47
    unused = {one.number for one in claims if one.finding.startswith("not used")}
    assert set(places) == set(numbers) - unused
    assert len(unused) <= 1
    assert Counter(one.source for one in claims)["article"] >= 27


def test_the_steps_of_a_notebook():
    cells = ["jit.load('a')", "%%writefile ../kernels/a.cu\n", "x = recorded.add_times([a])"]
    made = new_notebook(cells=[new_markdown_cell("jit.load("), *map(new_code_cell, cells)])
    assert survey.steps(made) == {"loads": [1], "writes": [2], "measures": [3], "draws": []}


def test_places_are_read_from_tags(tmp_path, monkeypatch):
    made = new_notebook(cells=[new_markdown_cell("a"), new_code_cell("b")])
    made.cells[1].metadata.tags = ["claim-7", "claim-", "claim-3"]
    lesson = TAUGHT[0]
    monkeypatch.setattr(survey.lessons, "read_lessons", lambda folder: [lesson])
    monkeypatch.setattr(survey.notebooks, "read", lambda path: made)
    places = survey.answers(tmp_path)
    assert places == {7: [f"{lesson.number}[1]"], 3: [f"{lesson.number}[1]"]}


def test_the_tables(capsys):
    assert survey.main(["lessons"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == len(TAUGHT) + 2 and lines[0].split() == [*survey.STEPS]
    assert lines[1].split()[0] == "00" and lines[1].endswith("-")
    assert survey.main(["claims"]) == 0
    out = capsys.readouterr().out
    assert out.startswith(" 1 article: the listing of V2\n     its last brace is missing")
    assert out.count("\n") == 2 * len(survey.claims())
