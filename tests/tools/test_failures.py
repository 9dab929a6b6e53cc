"""The plugin that names failed tests at once."""

from types import SimpleNamespace

import pytest

from tools import failures


@pytest.fixture
def file(tmp_path, monkeypatch):
    monkeypatch.setattr(failures, "FILE", tmp_path / "new" / "failed.txt")
    monkeypatch.delenv("PYTEST_XDIST_WORKER", raising=False)
    return failures.FILE


def report(name, failed=True, text="", **more):
    return SimpleNamespace(nodeid=name, failed=failed, longreprtext=text, **more)


def test_each_failure_has_a_line_at_once(file):
    failures.begin()  # no file yet
    failures.pytest_runtest_logreport(report("a.py::one", failed=False, when="call"))
    assert not file.exists()
    text = "def test():\nE   assert 1 == 2\n\na.py:3: AssertionError\n"
    failures.pytest_runtest_logreport(report("a.py::two", text=text, when="setup"))
    failures.pytest_collectreport(report("b.py"))
    assert file.read_text().splitlines() == [
        "a.py::two (setup) a.py:3: AssertionError",
        "b.py (collect)",
    ]
    failures.begin()
    assert not file.exists()


def test_a_worker_leaves_it_to_the_process_that_started_it(file, monkeypatch):
    monkeypatch.setenv("PYTEST_XDIST_WORKER", "gw0")
    failures.pytest_runtest_logreport(report("a.py::one", when="call"))
    assert not file.exists()
