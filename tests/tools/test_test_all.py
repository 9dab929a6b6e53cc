"""The tool that runs every test and records the run."""

import dataclasses
import importlib.util
import platform
import shutil
from types import SimpleNamespace

import pytest

from helpers import paths
from helpers.measure import store
from tools import outcomes


@pytest.fixture
def tool(tmp_path, monkeypatch):
    """Load the tool; what it writes goes to a folder of the test."""
    spec = importlib.util.spec_from_file_location("tool", paths.ROOT / "tools" / "test_all.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    module.RUNS = dataclasses.replace(module.RUNS, folder=tmp_path)
    for name in ("FAILED", "KEPT"):
        monkeypatch.setattr(outcomes, name, paths.ROOT / "build" / tmp_path.name / name)
    monkeypatch.setattr(outcomes, "FOLDER", outcomes.KEPT.parent)
    monkeypatch.setenv("ELEMENTWISE_COMMIT", "0123456789ab")
    for name in ("PYTEST_XDIST_WORKER", "PYTEST_ADDOPTS"):
        monkeypatch.delenv(name, raising=False)
    yield module
    shutil.rmtree(outcomes.FOLDER, ignore_errors=True)


def ended(name, outcome):
    is_ = {"failed": outcome == "failed", "skipped": outcome == "skipped"}
    return SimpleNamespace(nodeid=name, when="call", outcome=outcome, longreprtext="", **is_)


def test_the_machine_is_named(tool):
    assert "core" in tool.machine_words()


def test_a_run_is_recorded_with_those_that_it_goes_on_from(tool, monkeypatch, capsys):
    asked, status = [], 1

    def run(options):
        asked.append(options)
        outcomes.note(ended("a.py::one", "passed"))
        outcomes.note(ended("a.py::two", "failed" if status else "passed"))
        return status

    monkeypatch.setattr(tool, "run", run)
    clock = iter([100.0, 531.4, 1000.0, 1010.0])
    monkeypatch.setattr(tool, "time", SimpleNamespace(monotonic=lambda: next(clock)))
    assert tool.main(["-n", "auto"]) == 1
    assert not tool.RUNS.path.exists()
    assert "what failed: build/" in capsys.readouterr().out
    status = 0
    assert tool.main(["-n", "auto"]) == 0
    assert asked == [["-n", "auto"]] * 2 and capsys.readouterr().out == ""
    (row,) = tool.RUNS.load().to_dict("records")
    assert row == {
        "date": store.today(),
        "commit": "0123456789ab",
        "machine": tool.machine_words(),
        "python": platform.python_version(),
        "seconds": 441,
        "runs": 2,
        "passed": 2,
        "skipped": 0,
        "xfailed": 0,
    }


@pytest.mark.parametrize(
    "options",
    [["-k", "warps"], ["tests/model"], ["--co"], ["--collect-only"], ["-m", "not slow"]],
    ids=" ".join,
)
def test_a_part_of_the_tests_is_not_recorded(tool, monkeypatch, capsys, options):
    """Though all that ran passed; the options reach pytest as they are."""
    asked = []
    monkeypatch.setattr(tool, "run", lambda given: asked.append(given) or 0)
    assert tool.main(options) == 0 and asked == [options]
    assert not tool.RUNS.path.exists()
    assert "will not be recorded" in capsys.readouterr().out


def test_options_of_the_environment_count(tool, monkeypatch):
    monkeypatch.setenv("PYTEST_ADDOPTS", "-k warps")
    monkeypatch.setattr(tool, "run", lambda given: 0)
    assert tool.main(["-n", "2"]) == 0 and not tool.RUNS.path.exists()


@pytest.mark.parametrize(
    "options",
    [[], ["-n", "auto"], ["-n4", "-vv", "-x", "--tb=short"], ["-q", "--durations", "9"]],
)
def test_workers_and_words_leave_no_test_out(tool, monkeypatch, options):
    monkeypatch.setattr(tool, "run", lambda given: 0)
    assert tool.main(options) == 0 and len(tool.RUNS.load()) == 1


def test_a_run_that_is_stopped_keeps_its_seconds(tool, monkeypatch):
    def run(options):
        raise KeyboardInterrupt

    monkeypatch.setattr(tool, "run", run)
    with pytest.raises(KeyboardInterrupt):
        tool.main([])
    assert len(outcomes.runs()) == 1 and not tool.RUNS.path.exists()


def test_pytest_runs_everything(tool, monkeypatch):
    def run(command, **options):
        assert command[1:5] == ["-m", "pytest", "--nbval", "--stress"]
        assert command[7:] == ["-p", "tools.outcomes", "-x"]
        return SimpleNamespace(returncode=3)

    monkeypatch.setattr(tool.subprocess, "run", run)
    assert tool.run(["-x"]) == 3
