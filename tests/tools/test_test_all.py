"""The tool that runs every test and records the run."""

import dataclasses
import importlib.util
import platform
from types import SimpleNamespace

import pytest

from helpers import paths
from helpers.measure import store

CLOSING = "===== 2226 passed, 30 skipped, 3 deselected, 7 warnings in 431.20s (0:07:11) ====="


@pytest.fixture
def tool(tmp_path, monkeypatch):
    """Load the tool; its record goes to a folder of the test."""
    spec = importlib.util.spec_from_file_location("tool", paths.ROOT / "tools" / "test_all.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    module.RUNS = dataclasses.replace(module.RUNS, folder=tmp_path)
    monkeypatch.setenv("ELEMENTWISE_COMMIT", "0123456789ab")
    return module


def test_counts_are_read_from_the_closing_line(tool):
    assert tool.counts(CLOSING) == {"passed": 2226, "skipped": 30, "xfailed": 0}
    assert tool.counts("1 passed, 2 xfailed in 3s") == {"passed": 1, "skipped": 0, "xfailed": 2}


def test_the_machine_is_named(tool):
    assert "core" in tool.machine_words()


def test_a_run_is_recorded(tool, monkeypatch):
    asked = []
    monkeypatch.setattr(tool, "run", lambda options: asked.append(options) or (0, CLOSING))
    clock = iter([100.0, 531.4])
    monkeypatch.setattr(tool, "time", SimpleNamespace(monotonic=lambda: next(clock)))
    assert tool.main(["-n", "auto"]) == 0
    assert asked == [["-n", "auto"]]
    (row,) = tool.RUNS.load().to_dict("records")
    assert row == {
        "date": store.today(),
        "commit": "0123456789ab",
        "machine": tool.machine_words(),
        "python": platform.python_version(),
        "seconds": 431,
        "passed": 2226,
        "skipped": 30,
        "xfailed": 0,
    }


def test_a_run_with_a_failure_is_not_recorded(tool, monkeypatch, capsys):
    monkeypatch.setattr(tool, "run", lambda options: (1, "1 failed, 2 passed in 3s"))
    file = paths.ROOT / "build" / "failed.txt"
    monkeypatch.setattr(tool.failures, "FILE", SimpleNamespace(exists=lambda: False))
    assert tool.main([]) == 1
    assert not tool.RUNS.path.exists() and capsys.readouterr().out == ""
    there = SimpleNamespace(exists=lambda: True, relative_to=file.relative_to)
    monkeypatch.setattr(tool.failures, "FILE", there)
    assert tool.main([]) == 1
    assert capsys.readouterr().out == "what failed: build/failed.txt\n"


def test_pytest_runs_everything_and_its_closing_line_is_returned(tool, monkeypatch, capsys):
    script = "print('one', __import__('sys').argv[1:]); print('2 passed in 1s'); print()"
    real = tool.subprocess.Popen

    def popen(command, **options):
        assert command[1:5] == ["-m", "pytest", "--nbval", "--stress"]
        assert command[7:9] == ["-p", "tools.failures"]
        return real([command[0], "-c", script, command[-1]], **options)

    forgotten = []
    monkeypatch.setattr(tool.subprocess, "Popen", popen)
    monkeypatch.setattr(tool.failures, "begin", lambda: forgotten.append(1))
    assert tool.run(["-x"]) == (0, "2 passed in 1s")
    assert "one ['-x']" in capsys.readouterr().out
    assert forgotten == [1]
