"""`make run` on a course of one notebook."""

import sys
from types import SimpleNamespace

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_notebook

from helpers import specs
from helpers.errors import CourseError
from helpers.model import ladder
from helpers.teach import notebooks, run_notebooks
from helpers.teach.site import __main__ as site


class Machine(SimpleNamespace):
    """A machine that says its name, as the real one does."""

    def __str__(self):
        return "a machine"


GPU = SimpleNamespace(is_gpu=True, spec=specs.gpu("H200 SXM"))
CPU = Machine(is_gpu=False, spec=None)


@pytest.fixture
def course(tmp_path, monkeypatch):
    """Make a course of two notebooks, one of which fails."""
    for name, source in (("00_a", "print(6 * 7)"), ("01_b", "1 / 0")):
        path = tmp_path / "notebooks" / f"{name}.ipynb"
        path.parent.mkdir(exist_ok=True)
        nbformat.write(new_notebook(cells=[new_code_cell(source), new_code_cell("2")]), path)
    for name in ("kernels", "data"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "file").write_text(name)
    (tmp_path / "pyproject.toml").write_text("[project]")
    monkeypatch.setattr(run_notebooks.paths, "ROOT", tmp_path)
    monkeypatch.setattr(run_notebooks, "COPY", tmp_path / "build" / "run")
    monkeypatch.setattr(run_notebooks.machine, "present", lambda: CPU)
    monkeypatch.setattr(run_notebooks, "print_table", lambda here: True)
    monkeypatch.setenv("ELEMENTWISE_ROOT", "")
    return tmp_path


@pytest.fixture(autouse=True)
def commands(monkeypatch):
    """Note the commands of other processes instead of running them."""
    noted = []
    run = lambda command, **options: noted.append(command)  # noqa: E731
    monkeypatch.setattr(run_notebooks.subprocess, "run", run)
    return noted


def test_notebooks_run_on_a_copy_and_are_left_as_pages(course, commands, capsys):
    original = (course / "notebooks" / "00_a.ipynb").read_text()
    assert run_notebooks.run(["00"]) == 0
    assert (course / "notebooks" / "00_a.ipynb").read_text() == original
    copy = course / "build" / "run"
    notebook = notebooks.read(copy / "notebooks" / "00_a.ipynb")
    assert notebook.cells[0].outputs[0].text == "42\n"
    assert notebook.metadata["executed_on"].startswith("a machine, 20")
    assert (copy / "kernels" / "file").read_text() == "kernels"
    assert "1 notebooks executed in " in capsys.readouterr().out
    (command,) = commands
    assert command[:3] == [sys.executable, "-m", "helpers.teach.site"]
    assert site.main(command[3:]) == 0
    assert "42" in (copy / "site" / "notebooks" / "00_a.html").read_text(encoding="utf-8")
    address = (copy / "site" / "index.html").as_uri()
    assert capsys.readouterr().out == f"the course as pages: {address}\n"


def test_without_sphinx_it_is_said_what_to_install(monkeypatch, capsys):
    monkeypatch.setitem(sys.modules, "helpers.teach.site.build", None)
    assert site.main([]) == 1
    assert "pip install -e '.[site]'" in capsys.readouterr().out


def test_a_failed_notebook_is_named_and_the_others_run_on(course, capsys):
    assert run_notebooks.run([]) == 1
    said = capsys.readouterr().out
    assert "2 notebooks executed" in said
    assert "  FAILED notebooks/01_b.ipynb: ZeroDivisionError: division by zero" in said
    assert "00_a" not in said
    copy = course / "build" / "run" / "notebooks"
    assert notebooks.read(copy / "00_a.ipynb").cells[1].execution_count == 2


def test_a_wrong_kernel_fails_the_run(course, monkeypatch):
    monkeypatch.setattr(run_notebooks, "print_table", lambda here: False)
    assert run_notebooks.run(["00"]) == 1


@pytest.fixture
def kernels(monkeypatch):
    """Let kernels be right and take 1,000 us; v3_f16 be wrong and fast_add not timed."""

    def verdict(name):
        right = name != "v3_f16"
        return SimpleNamespace(ok=right, message="right in 9 cases" if right else "WRONG")

    def measure(name, elements, precision):
        if name == "fast_add":
            raise CourseError("no time")
        gb_per_s = 12 * elements / 1e6
        share = lambda roof: 100 * gb_per_s / roof  # noqa: E731
        return SimpleNamespace(time_us=1000.0, gb_per_s=gb_per_s, percent_of=share)

    monkeypatch.setattr(run_notebooks.jit, "load", lambda name: name)
    monkeypatch.setattr(run_notebooks.check, "verdict", verdict)
    monkeypatch.setattr(run_notebooks.bench, "measure", measure)
    monkeypatch.setattr(run_notebooks.roofs, "this_gpu", lambda: GPU.spec)


def test_the_table_has_a_line_for_each_kernel(kernels, capsys):
    assert run_notebooks.print_table(GPU) is False
    lines = {line.split()[0]: line for line in capsys.readouterr().out.splitlines() if line}
    assert list(lines) == ["kernel", *ladder.NAMES, "op_add", "fast_add"]
    assert lines["kernel"].endswith("time (us)    GB/s  of roof   2^28 elements")
    assert lines["v1_f32"].split()[1:] == [
        "right",
        "in",
        "9",
        "cases",
        "1000.0",
        "3,221",
        "67.1%",
    ]
    assert lines["v3_f16"].split() == ["v3_f16", "WRONG"]
    assert lines["fast_add"].endswith("  not measured: no time")


def test_without_a_gpu_there_are_no_times(kernels, monkeypatch, capsys):
    monkeypatch.setattr(run_notebooks, "KERNELS", ("v1_f32", "op_add"))
    assert run_notebooks.print_table(CPU) is True
    lines = capsys.readouterr().out.splitlines()
    assert lines[1].endswith("no GPU, so no times")
    assert [line.split() for line in lines[2:]] == [
        ["v1_f32", "right", "in", "9", "cases"],
        ["op_add", "right", "in", "9", "cases"],
    ]


@pytest.mark.parametrize(("blocks", "code"), [(True, 1), (False, 7)])
def test_a_problem_that_blocks_stops_before_anything_runs(monkeypatch, capsys, blocks, code):
    class Problem(SimpleNamespace):
        def __str__(self):
            return "no compiler"

    monkeypatch.setattr(run_notebooks.machine, "doctor", lambda: [Problem(blocks=blocks)])
    monkeypatch.setattr(run_notebooks, "run", lambda only: 7 if only == ["03"] else 0)
    assert run_notebooks.main(["03"]) == code
    assert capsys.readouterr().err == "no compiler\n"


def test_a_notebook_that_is_not_there_is_refused_before_anything_runs(course, capsys):
    with pytest.raises(SystemExit) as stopped:
        run_notebooks.main(["00", "77"])
    assert stopped.value.code == 2
    assert "no notebook's name begins with '77'" in capsys.readouterr().err
    assert not run_notebooks.COPY.exists()
