"""The tool that writes the committed outputs, on notebooks of two cells."""

import importlib.util
from types import SimpleNamespace

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_notebook

from helpers import paths
from helpers.teach import notebooks

GPU = "NVIDIA H200, driver 580.1, CUDA 13.0, torch 2.11.0, 2026-11-20"
FACTS = {
    "gpu": "CPU emulator",
    "driver": None,
    "cuda": None,
    "torch": "2.11.0",
    "date": "2026-11-20",
    "commit": "0123abc",
}


def load():
    path = paths.ROOT / "tools" / "execute_notebooks.py"
    spec = importlib.util.spec_from_file_location("execute_notebooks", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def tool(monkeypatch):
    tool = load()
    monkeypatch.setattr(tool.store, "provenance", lambda: FACTS)
    monkeypatch.setattr(tool.machine, "present", lambda: SimpleNamespace(is_gpu=False))
    return tool


@pytest.fixture
def run(tool, tmp_path):
    return lambda *words: tool.main([*words, "--folder", str(tmp_path)])


def put(folder, name, *sources, executed_on=None):
    notebook = new_notebook(cells=[new_code_cell(source) for source in sources])
    if executed_on:
        notebook.metadata["executed_on"] = executed_on
    nbformat.write(notebook, folder / name)
    return folder / name


def test_the_machine_in_a_line(tool):
    gpu = FACTS | {"gpu": "NVIDIA H200", "driver": "580.1", "cuda": "13.0"}
    line = "NVIDIA H200, driver 580.1, CUDA 13.0, torch 2.11.0, 2026-11-20, commit 0123abc"
    assert tool.executed_on(gpu) == line
    assert notebooks.EXECUTED_ON.fullmatch(line)
    line = "CPU emulator, torch 2.11.0, 2026-11-20, commit 0123abc"
    assert tool.executed_on(FACTS) == line
    assert notebooks.EXECUTED_ON.fullmatch(line)


def test_outputs_are_written_in_place_with_the_machine_and_the_code(run, tmp_path, capsys):
    path = put(tmp_path, "00_a.ipynb", "x = 6", "print(7 * x)")
    assert run() == 0
    notebook = notebooks.read(path)
    assert notebook.cells[1].outputs[0].text == "42\n"
    assert [cell.execution_count for cell in notebook.cells] == [1, 2]
    assert notebook.metadata["executed_on"].startswith("CPU emulator, torch 2.11.0")
    assert notebook.metadata["executed_source"] == notebooks.source_digest(notebook)
    assert notebooks.problems(notebook) == []
    assert "00_a.ipynb" in capsys.readouterr().out
    assert [file.name for file in tmp_path.iterdir()] == ["00_a.ipynb"]
    text = path.read_text(encoding="utf-8")
    assert run("--changed") == 0
    assert path.read_text(encoding="utf-8") == text
    assert "no notebook to execute" in capsys.readouterr().out


def test_only_what_was_changed_or_chosen_is_executed(run, tmp_path):
    first, second = put(tmp_path, "00_a.ipynb", "1"), put(tmp_path, "01_b.ipynb", "2")
    assert run("01") == 0
    assert notebooks.read(first).cells[0].execution_count is None
    assert notebooks.read(second).cells[0].execution_count == 1
    notebook = notebooks.read(second)
    notebook.cells[0].source = "3"
    nbformat.write(notebook, second)
    assert run("--changed", "--workers", "2") == 0
    assert notebooks.read(first).cells[0].execution_count == 1
    assert notebooks.read(second).cells[0].outputs[0].data["text/plain"] == "3"


def test_a_worker_has_a_gpu_of_its_own(tool, run, tmp_path, monkeypatch):
    monkeypatch.setattr(
        tool, "own_gpu", lambda worker: {"CUDA_VISIBLE_DEVICES": str(7 + worker)}
    )
    source = "import os; os.environ['CUDA_VISIBLE_DEVICES'], 'PATH' in os.environ"
    path = put(tmp_path, "00_a.ipynb", source)
    assert run() == 0
    assert notebooks.read(path).cells[0].outputs[0].data["text/plain"] == "('7', True)"


@pytest.mark.parametrize(("source", "words"), [("1 / 0", "ZeroDivision"), ("1;", "semicolon")])
def test_a_notebook_with_a_problem_is_not_written(run, tmp_path, capsys, source, words):
    path = put(tmp_path, "00_a.ipynb", source)
    text = path.read_text(encoding="utf-8")
    assert run() == 1
    assert path.read_text(encoding="utf-8") == text
    said = capsys.readouterr().out
    assert "NOT written" in said
    assert words in said


def test_the_emulator_does_not_write_over_a_gpus_outputs(
    tool, run, tmp_path, capsys, monkeypatch
):
    path = put(tmp_path, "00_a.ipynb", "1", executed_on=GPU)
    assert run() == 2
    assert notebooks.read(path).metadata["executed_on"] == GPU
    assert "--replace-gpu-outputs allows it" in capsys.readouterr().err
    monkeypatch.setattr(tool.machine, "present", lambda: SimpleNamespace(is_gpu=True))
    monkeypatch.setattr(tool, "execute_all", lambda chosen, workers: 0)
    assert run() == 0


def test_the_emulator_writes_over_them_when_told(run, tmp_path):
    path = put(tmp_path, "00_a.ipynb", "1", executed_on=GPU)
    assert run("--replace-gpu-outputs") == 0
    assert notebooks.read(path).metadata["executed_on"].startswith("CPU emulator")


def test_verify_runs_nothing(run, tmp_path, capsys):
    path = put(tmp_path, "00_a.ipynb", "1", executed_on=GPU)
    assert run("--verify") == 1
    assert "not executed once" in capsys.readouterr().out
    assert notebooks.read(path).cells[0].execution_count is None
    notebook = notebooks.read(path)
    notebook.cells[0].execution_count = 1
    nbformat.write(notebook, path)
    assert run("--verify") == 0


def test_a_notebook_that_is_not_there_is_refused(run, tmp_path, capsys):
    put(tmp_path, "00_a.ipynb", "x = 6")
    assert run("77") == 2
    assert capsys.readouterr().err == "no notebook's name begins with '77'\n"
