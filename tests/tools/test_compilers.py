"""The compilers of PATH, what they say of themselves, and the record of a run."""

import csv
import importlib.util
import shutil
import sys

import pytest

from helpers import paths


@pytest.fixture
def tool():
    path = paths.ROOT / "tools" / "compilers.py"
    spec = importlib.util.spec_from_file_location("compilers", path)
    module = sys.modules["compilers"] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


FAKE = """#!/bin/sh
case "$*" in
*--version*) echo "{name} version 17.0.1"; echo more ;;
*-stdlib=libc++*) {libcxx} ;;
*) echo "#define _GLIBCXX_RELEASE 13" ;;
esac
"""


def fake(folder, name, libcxx="exit 1"):
    path = folder / name
    path.write_text(FAKE.format(name=name, libcxx=libcxx))
    path.chmod(0o755)
    return path


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    fake(tmp_path, "g++-97")
    fake(tmp_path, "clang++-98", libcxx='echo "#define _LIBCPP_VERSION 170001"')
    (tmp_path / "clang++-99").symlink_to("clang++-98")
    fake(tmp_path, "x86_64-linux-gnu-g++-97")
    (tmp_path / "g++-96").write_text("not executable")
    return tmp_path


def test_the_compilers_of_path_each_once(tool, folder):
    found = tool.compilers_in_path()
    assert "g++-97" in found and "clang++-98" in found
    assert not {"clang++-99", "g++-96", "x86_64-linux-gnu-g++-97"} & set(found)
    assert found.index("clang++-98") < found.index("g++-97")


def test_libcxx_is_tried_where_a_clang_finds_it(tool, folder):
    fake(folder, "clang++-95")
    given = ["g++-97", "clang++-98", "clang++-95"]
    tried = ["g++-97", "clang++-98", "clang++-98 -stdlib=libc++", "clang++-95"]
    assert list(tool.with_libcxx(given)) == tried


def test_what_a_compiler_says_of_itself(tool, folder):
    assert tool.version("g++-97") == "g++-97 version 17.0.1"
    assert tool.library("g++-97") == "libstdc++ 13"
    assert tool.library("clang++-98 -stdlib=libc++") == "libc++ 170001"
    assert (tool.version("no-such-compiler"), tool.library("no-such-compiler")) == ("", "")


@pytest.mark.parametrize(
    ("closing", "expected"),
    [
        ("45 passed, 2 skipped in 9.1s", (45, 0, 2)),
        ("1 failed, 44 passed in 9.1s", (44, 1, 0)),
        ("2 failed, 3 errors in 9.1s", (0, 5, 0)),
        ("1 error in 0.2s", (0, 1, 0)),
        ("", (0, 0, 0)),
    ],
)
def test_the_counts_of_a_run(tool, closing, expected):
    assert tuple(tool.counts(closing).values()) == expected


def test_a_run_is_recorded_below_the_others(tool, tmp_path, monkeypatch, capfd):
    test = tmp_path / "test_it.py"
    test.write_text(
        "import os, pytest\n"
        "@pytest.mark.portable\n"
        "def test_yes(): assert os.environ['CXX'] == 'g++-97 -DX'\n"
        "@pytest.mark.portable\n"
        "def test_no(): assert not os.environ['CXX']\n"
        "def test_of_others(): assert False\n"
    )
    monkeypatch.setattr(tool, "WITHOUT_TORCH", (str(test),))
    monkeypatch.setattr(tool, "RECORD", tmp_path / "record.csv")
    for _ in range(2):
        assert tool.main(["--record", "g++-97 -DX"]) == 1
    assert "1 passed   1 failed" in capfd.readouterr().out
    rows = list(csv.DictReader((tmp_path / "record.csv").open()))
    assert [(row["passed"], row["failed"], row["command"]) for row in rows] == [
        ("1", "1", "g++-97 -DX")
    ] * 2


def test_the_committed_runs_have_the_columns(tool):
    if not tool.RECORD.exists():
        pytest.skip("no run is recorded yet")
    with tool.RECORD.open(encoding="utf-8") as file:
        rows = list(csv.DictReader(line for line in file if not line.startswith("#")))
    assert rows and set(rows[0]) == {field.name for field in tool.fields(tool.Run)}
    assert all(row["failed"] == "0" and int(row["passed"]) >= 40 for row in rows)


def test_no_compiler_is_a_failure(tool, monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))
    assert shutil.which("g++") is None
    assert tool.main([]) == 1
