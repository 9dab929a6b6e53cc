"""What nbval does not look at: that a notebook is whole, was executed in order, and shows what is committed."""

import ast
import json
import re
import statistics

import pytest

from helpers import paths
from helpers.teach import exercises
from helpers.teach.run_notebooks import notebooks

FOLDER = paths.ROOT / "notebooks"
ALL = notebooks(FOLDER)
LESSONS = [path for path in ALL if path.parent == FOLDER]
WRITEFILE = re.compile(r"%%writefile (\S+)\n")
MACHINE_PATH = re.compile(r"/(?:root|home|work|tmp)/[\w.-]+")


PRINTS_NO_GPU = {"11_block_size", "12_warps"}


def load(path):
    return json.loads(path.read_text(encoding="utf-8"))


def code_cells(path):
    return [cell for cell in load(path)["cells"] if cell["cell_type"] == "code"]


def source(cell):
    return "".join(cell["source"])


def identify(path):
    return path.relative_to(FOLDER).with_suffix("").as_posix()


every = pytest.mark.parametrize("path", ALL, ids=identify)
lesson = pytest.mark.parametrize("path", LESSONS, ids=identify)


def test_there_are_notebooks_and_each_has_solutions():
    assert len(LESSONS) >= 2
    for path in LESSONS:
        assert (FOLDER / "solutions" / path.name).exists(), f"{path.name} has no solutions"


@every
def test_executed_once_from_top_to_bottom(path):
    counts = [cell["execution_count"] for cell in code_cells(path)]
    assert counts == list(range(1, len(counts) + 1))


@every
def test_no_output_is_an_unexpected_error_or_names_a_path(path):
    for cell in code_cells(path):
        for output in cell["outputs"]:
            assert output["output_type"] != "error" or "raises-exception" in cell[
                "metadata"
            ].get("tags", [])
            text = "".join(output.get("text", [])) + json.dumps(
                output.get("data", {}).get("text/plain", "")
            )
            assert not MACHINE_PATH.search(text), (
                f"an output of {path.name} names a path of the machine"
            )


@every
def test_pictures_are_small_png(path):
    for cell in code_cells(path):
        for output in cell["outputs"]:
            data = output.get("data", {})
            assert "image/svg+xml" not in data
            assert len(data.get("image/png", "")) * 3 / 4 < 150_000


@every
def test_cells_are_short_and_hide_nothing_behind_a_semicolon(path):
    lengths = []
    for cell in code_cells(path):
        text = source(cell)
        assert not text.rstrip().endswith(";")
        if not text.startswith("%%writefile"):
            lengths.append(text.count("\n") + 1)
            assert lengths[-1] <= 30
    assert statistics.median(lengths) <= 7


@every
def test_magics_come_first_and_their_output_is_not_compared(path):
    for cell in code_cells(path):
        text = source(cell)
        if "%%" in text:
            assert text.startswith("%%writefile")
            assert "nbval-ignore-output" in cell["metadata"].get("tags", [])


@every
def test_a_written_kernel_is_the_committed_file(path):
    for cell in code_cells(path):
        if match := WRITEFILE.match(source(cell)):
            target = (path.parent / match[1]).resolve()
            assert target.is_relative_to(paths.KERNELS), (
                "cells write kernels, and nothing outside kernels/"
            )
            if target.parent == paths.KERNELS:
                assert source(cell)[match.end() :].rstrip("\n") == target.read_text(
                    encoding="utf-8"
                ).rstrip("\n")


@lesson
def test_opens_and_closes_as_every_lesson_does(path):
    cells = load(path)["cells"]
    text = "\n".join(source(cell) for cell in cells if cell["cell_type"] == "markdown")
    number = path.name[:2]
    assert text.startswith(f"# {number} · ")
    for line in ("Before this", "You will be able to", "Time", "GPU"):
        assert f"| {line} |" in text
    for heading in ("## What you saw", "## Exercises", "It rests on:"):
        assert heading in text
    assert f"(solutions/{path.name})" in text


@every
def test_links_lead_somewhere(path):
    for cell in load(path)["cells"]:
        if cell["cell_type"] == "markdown":
            for target in re.findall(r"\]\(([^)#:]+?)(?:#[^)]*)?\)", source(cell)):
                assert (path.parent / target).exists(), f"{path.name} links to {target}"


@lesson
def test_the_gpu_that_made_the_outputs_is_named(path):
    """By an output, or, where a lesson prints no machine's name, by the notebook's metadata alone."""
    outputs = json.dumps([cell["outputs"] for cell in code_cells(path)])
    assert "H200" in outputs or path.stem in PRINTS_NO_GPU
    assert re.search(
        r"NVIDIA .+, driver .+, torch .+, \d{4}-\d\d-\d\d",
        load(path)["metadata"]["executed_on"],
    )
    assert "no GPU here" not in outputs


@every
def test_code_is_python(path):
    for cell in code_cells(path):
        if not source(cell).startswith("%%"):
            ast.parse(source(cell))


def test_every_exercise_is_asked_once_and_solved_once():
    asked, solved = [], []
    for path in ALL:
        names = re.findall(
            r'exercises\.mark\(\s*"([\d.]+)"',
            "\n".join(source(cell) for cell in code_cells(path)),
        )
        (asked if path.parent == FOLDER else solved).extend(names)
    assert sorted(asked) == sorted(exercises.EXERCISES)
    assert sorted(set(solved)) == sorted(exercises.EXERCISES)


def test_every_solution_is_right():
    for path in ALL:
        if path.parent != FOLDER:
            for cell in code_cells(path):
                for output in cell["outputs"]:
                    for line in "".join(output.get("text", [])).splitlines():
                        if re.match(r"\d\d\.\d+: ", line):
                            assert re.match(r"\d\d\.\d+: right", line), f"{path.name}: {line}"
