"""What the notebooks' kernels inherit."""

import os

import pytest
from nbformat.v4 import new_code_cell, new_notebook

from helpers import paths
from helpers.teach import kernel_environment as environment
from helpers.teach import notebooks
from helpers.teach.kernel_environment import kernel_environment


def test_kernels_inherit_the_course_its_cache_and_no_setting_of_the_user(tmp_path, monkeypatch):
    own = ("PYTHONPATH", "ELEMENTWISE_CACHE", "ELEMENTWISE_WAIT_WORDS", "IPYTHONDIR")
    for name in own:
        monkeypatch.delenv(name, raising=False)
    set_up = kernel_environment(tmp_path)
    assert set_up["PYTHONPATH"] == str(tmp_path)
    assert set_up["ELEMENTWISE_CACHE"] == str(tmp_path / "build" / "cache")
    assert set_up["IPYTHONDIR"] == str(tmp_path / "build" / "ipython")
    assert float(set_up["ELEMENTWISE_WAIT_WORDS"]) >= 600  # no build takes as long
    monkeypatch.setenv("PYTHONPATH", f"{tmp_path}{os.pathsep}/elsewhere")
    monkeypatch.setenv("ELEMENTWISE_CACHE", "/cache")
    monkeypatch.setenv("ELEMENTWISE_WAIT_WORDS", "7")
    again = kernel_environment(tmp_path)
    assert again["PYTHONPATH"] == f"{tmp_path}{os.pathsep}/elsewhere"
    assert again["ELEMENTWISE_CACHE"] == "/cache"
    assert again["ELEMENTWISE_WAIT_WORDS"] == "7"


def test_writefile_replaces_a_file_as_a_whole(tmp_path, monkeypatch):
    for name, value in kernel_environment(tmp_path).items():
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("PYTHONPATH", str(paths.ROOT))
    (tmp_path / "a.cu").write_text("old")
    (tmp_path / "link.cu").hardlink_to(tmp_path / "a.cu")
    notebook = new_notebook(cells=[new_code_cell("%%writefile a.cu\nint x;")])
    assert notebooks.execute(notebook, tmp_path) is None
    assert notebook.cells[0].outputs[0].text == "Overwriting a.cu\n"
    assert (tmp_path / "a.cu").read_text() == "int x;\n"
    assert (tmp_path / "link.cu").read_text() == "old"  # the old file itself was not written


@pytest.mark.parametrize(
    ("found", "expected"), [(0, [{}] * 3), (1, [{}] * 3), (2, ["0", "1", "0"])]
)
def test_workers_share_several_gpus(monkeypatch, found, expected):
    monkeypatch.delenv("CUDA_VISIBLE_DEVICES", raising=False)
    monkeypatch.setattr(environment.nvml, "count", lambda: found)
    given = [environment.own_gpu(worker) for worker in range(3)]
    assert [one.get("CUDA_VISIBLE_DEVICES", one) for one in given] == expected


def test_the_users_choice_of_gpu_stays(monkeypatch):
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "3")
    monkeypatch.setattr(environment.nvml, "count", lambda: 4)
    assert environment.own_gpu(1) == {}
