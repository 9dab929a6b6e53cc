"""What nbval does not look at: a notebook is whole, ran in order, shows what is committed."""

import ast
import csv
import json
import re

import pytest

from helpers import paths, specs
from helpers.teach import exercises, lessons, notebooks, prose_numbers
from helpers.teach.exercises.marking import Choice, Number

FOLDER = paths.ROOT / "notebooks"
SOLUTIONS = FOLDER / "solutions"
ALL = notebooks.find(FOLDER)
LESSONS = [path for path in ALL if path.parent == FOLDER]
WRITEFILE = re.compile(r"%%writefile (\S+)\n")
EXCEPTIONS = list(csv.DictReader(specs.data_lines(paths.ROOT / "tests" / "prose_numbers.csv")))
PRINTS_NO_GPU = {"11_block_size"}


def code(path):
    return notebooks.code_cells(notebooks.read(path))


def prose(path):
    cells = [cell for cell in notebooks.read(path).cells if cell.cell_type == "markdown"]
    return "\n".join(cell.source for cell in cells)


def printed(path):
    return "".join(output.get("text", "") for cell in code(path) for output in cell.outputs)


def identify(path):
    return path.relative_to(FOLDER).with_suffix("").as_posix()


EXECUTE = "run on a GPU: python -m tools.execute_notebooks {}"
every = pytest.mark.parametrize("path", ALL, ids=identify)
lesson = pytest.mark.parametrize("path", LESSONS, ids=identify)


def test_lessons_are_numbered_from_00_and_each_has_solutions():
    numbers = [path.name[:2] for path in LESSONS]
    assert len(numbers) >= 20
    assert numbers == [f"{number:02d}" for number in range(len(numbers))]
    solved = [path.name for path in ALL if path.parent == SOLUTIONS]
    assert solved == [lessons.solutions_of(path).name for path in LESSONS], (
        "python -m tools.new_lesson makes both"
    )


@every
def test_nothing_stands_in_it_that_must_not_be_committed(path):
    assert notebooks.problems(notebooks.read(path)) == [], EXECUTE.format(path.name[:2])


@every
def test_it_has_code_and_every_output_belongs_to_it(path):
    """Refuse a notebook that was emptied: cells without outputs pass every comparison."""
    cells = code(path)
    assert cells
    with_outputs = sum(bool(cell.outputs) for cell in cells)
    assert with_outputs >= len(cells) / 4, EXECUTE.format(path.name[:2])


@every
def test_it_begins_with_the_folder_that_it_lies_in(path):
    first, *others = code(path)
    assert first.source == lessons.first_cell(path)
    assert not any("course.enter" in cell.source for cell in others)


@every
def test_a_written_kernel_is_the_committed_file(path):
    for cell in code(path):
        if match := WRITEFILE.match(cell.source):
            target = (path.parent / match[1]).resolve()
            assert target.is_relative_to(paths.KERNELS), "cells write into kernels/ only"
            if target.parent == paths.KERNELS:
                text = target.read_text(encoding="utf-8")
                assert cell.source[match.end() :].rstrip("\n") == text.rstrip("\n")


@every
def test_a_solution_leaves_the_learners_files_alone(path):
    """A solution's file is solution_*, and no lesson writes, or asks for, such a file."""
    written = [match[1] for cell in code(path) if (match := WRITEFILE.match(cell.source))]
    if path.parent == SOLUTIONS:
        mine = re.compile(r"\.\./\.\./kernels/mine/solution_\w+\.\w+")
        assert [name for name in written if not mine.fullmatch(name)] == []
    else:
        assert "kernels/mine/solution_" not in "\n".join([prose(path), *written])


@lesson
def test_it_opens_and_closes_as_every_lesson_does(path):
    introduced = lessons.read_lesson(path)
    assert 10 <= introduced.minutes <= 90
    assert len(introduced.goals) >= 2
    text = prose(path)
    for heading in ("## What you saw", "## Exercises", "It rests on:"):
        assert heading in text
    assert f"({lessons.solutions_of(path).relative_to(FOLDER).as_posix()})" in text


@lesson
def test_what_should_be_known_before_comes_before(path):
    linked = re.findall(r"\((\d\d_\w+\.ipynb)\)", lessons.read_lesson(path).before)
    assert linked or path == LESSONS[0]
    assert all(name < path.name for name in linked)


@lesson
def test_it_leads_to_the_next(path):
    following = [other.name for other in LESSONS[LESSONS.index(path) + 1 :]]
    last_line = prose(path).rstrip().splitlines()[-1]
    target = following[0] if following else LESSONS[0].name
    assert last_line.endswith(f"({target})"), "run: python -m helpers.teach.lessons"


def test_titles_links_and_the_readmes_table_are_what_the_lessons_say():
    names = [path.name for path in lessons.outdated()]
    assert names == [], "run: python -m helpers.teach.lessons"


@every
def test_links_lead_somewhere(path):
    for target in re.findall(r"\]\(([^)#:]+?)(?:#[^)]*)?\)", prose(path)):
        assert (path.parent / target).exists(), f"{path.name} links to {target}"


@lesson
def test_its_outputs_are_a_gpus(path):
    """Find the GPU of the metadata in an output too, where the lesson prints a machine."""
    stamp = notebooks.read(path).metadata.get("executed_on", "nothing")
    machine = re.fullmatch(
        r"NVIDIA (.+), driver \S+, CUDA \S+, torch \S+, \d{4}-\d\d-\d\d(, commit \S+)?", stamp
    )
    assert machine, f"executed on {stamp}; {EXECUTE.format(path.name[:2])}"
    outputs = json.dumps([cell.outputs for cell in code(path)])
    assert machine[1] in outputs or path.stem in PRINTS_NO_GPU
    assert "no GPU here" not in outputs


@lesson
def test_what_may_say_which_constants_it_took_is_not_compared(path):
    """On a card without a row in ceilings.csv these functions print a line, once a notebook."""
    for cell in code(path):
        asks = re.search(r"\b(?:constants_of|this_card)\(", cell.source)
        if asks and not any(output.output_type == "stream" for output in cell.outputs):
            assert "nbval-ignore-output" in cell.metadata.get("tags", []), cell.source


@lesson
def test_numbers_in_its_text_have_a_source(path):
    found = {words for _, words in prose_numbers.unaccounted(notebooks.read(path))}
    assert found == {row["words"] for row in EXCEPTIONS if row["lesson"] == path.name[:2]}


def test_few_numbers_have_another_source_and_each_has_a_reason():
    assert len(EXCEPTIONS) <= 20
    assert all(row["reason"] for row in EXCEPTIONS)


@every
def test_code_is_python(path):
    for cell in code(path):
        if not cell.source.startswith("%%"):
            ast.parse(cell.source)


def test_every_exercise_is_asked_once_and_solved_once():
    asked, solved = [], []
    for path in ALL:
        source = "\n".join(cell.source for cell in code(path))
        names = re.findall(r'exercises\.mark\(\s*"([\d.]+)"', source)
        assert {name[:2] for name in names} == {path.name[:2]}
        (asked if path.parent == FOLDER else solved).extend(names)
    listed = list(exercises.EXERCISES)
    assert asked == listed, "a lesson asks what helpers/teach/exercises/lesson_NN.py lists"
    assert list(dict.fromkeys(solved)) == listed, "notebooks/solutions/ has an answer to each"


@lesson
def test_its_exercises_stand_where_they_are_taught(path):
    sources = [cell.source for cell in notebooks.read(path).cells]
    last = max(k for k, source in enumerate(sources) if "exercises.mark(" in source)
    assert last < next(k for k, source in enumerate(sources) if "## What you saw" in source)


@lesson
def test_at_least_half_of_its_exercises_are_code(path):
    own = [one for name, one in exercises.EXERCISES.items() if name[:2] == path.name[:2]]
    answered_in_words = [one for one in own if isinstance(one, (Number, Choice))]
    assert len(own) >= 4 and 2 * len(answered_in_words) <= len(own), (
        f"helpers/teach/exercises/lesson_{path.name[:2]}.py: four exercises or more, at least "
        f"half of them code; there are {len(own)}, {len(answered_in_words)} of them not code"
    )


def test_every_solution_is_right():
    marks = [
        line
        for path in ALL
        if path.parent == SOLUTIONS
        for line in printed(path).splitlines()
        if re.match(r"\d\d\.\d+: ", line)
    ]
    right = {line[:4] for line in marks if re.match(r"\d\d\.\d+: right", line)}
    missing = sorted(set(exercises.EXERCISES) - right)
    assert missing == [], (
        "no solution shows them to be right: write it, then "
        + EXECUTE.format(" ".join(dict.fromkeys(name[:2] for name in missing)))
    )
    assert len(marks) == len([line for line in marks if ": right" in line])
