"""The plugin that keeps what each test came to, and leaves out files that have ended well."""

import os
from types import SimpleNamespace

import pytest

from tools import outcomes


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    for name in ("FAILED", "KEPT"):
        monkeypatch.setattr(outcomes, name, tmp_path / "new" / getattr(outcomes, name).name)
    monkeypatch.setattr(outcomes, "FOLDER", tmp_path / "new")
    monkeypatch.delenv("PYTEST_XDIST_WORKER", raising=False)


def report(name, outcome="passed", text="", when="call", **more):
    of = {"failed": outcome == "failed", "skipped": outcome == "skipped", "outcome": outcome}
    return SimpleNamespace(nodeid=name, longreprtext=text, when=when, **of, **more)


def test_each_failure_and_what_was_wrong_is_there_at_once():
    outcomes.begin("abc")
    outcomes.pytest_runtest_logreport(report("a.py::one"))
    assert not outcomes.FAILED.exists()
    text = "def test():\nE   assert 1 == 2\n\na.py:3: AssertionError\n"
    outcomes.pytest_runtest_logreport(report("a.py::two", "failed", text, "setup"))
    collected = SimpleNamespace(nodeid="b.py", failed=True, longreprtext="")
    outcomes.pytest_collectreport(collected)
    assert outcomes.FAILED.read_text().splitlines() == [
        "a.py::two (setup)",
        "    def test():",
        "    E   assert 1 == 2",
        "",
        "    a.py:3: AssertionError",
        "b.py (collect)",
    ]
    outcomes.begin("abc")
    assert not outcomes.FAILED.exists()


def test_a_worker_leaves_it_to_the_process_that_started_it(monkeypatch):
    outcomes.begin("abc")
    monkeypatch.setenv("PYTEST_XDIST_WORKER", "gw0")
    outcomes.pytest_runtest_logreport(report("a.py::one", "failed"))
    outcomes.pytest_runtest_logreport(report("a.py::two"))
    assert not outcomes.FAILED.exists() and outcomes.counts()["passed"] == 0


def one_run(commit, *reports, seconds=1):
    outcomes.begin(commit)
    for each in reports:
        outcomes.note(each)
    outcomes.end(seconds)


def test_each_test_counts_once_and_runs_add_up():
    one_run(
        "abc",
        report("a.py::setup_and_call", when="setup"),
        report("a.py::setup_and_call"),
        report("a.py::setup_and_call", when="teardown"),
        report("a.py::skips", "skipped", when="setup"),
        report("a.py::expected", "skipped", wasxfail="a reason"),
        report("a.py::falls", "failed"),
        report("a.py::falls at the end"),
        report("a.py::falls at the end", "failed", when="teardown"),
        seconds=100.4,
    )
    assert outcomes.counts() == {"passed": 1, "skipped": 1, "xfailed": 1}
    one_run("abc", report("a.py::falls"), seconds=20)
    assert outcomes.counts() == {"passed": 2, "skipped": 1, "xfailed": 1}
    assert outcomes.runs() == [100, 20]
    one_run("abc", report("a.py::falls", "failed"))
    assert outcomes.counts()["passed"] == 1


def test_a_run_that_was_killed_counts_until_its_last_test(monkeypatch):
    monkeypatch.setattr(outcomes, "time", SimpleNamespace(time=lambda: 1000.0))
    outcomes.begin("abc")
    outcomes.note(report("a.py::one"))
    os.utime(outcomes.KEPT, (1300, 1300))
    one_run("abc", report("a.py::two"), seconds=20)
    one_run("abc", seconds=3)
    assert outcomes.runs() == [300, 20, 3] and outcomes.counts()["passed"] == 2


@pytest.mark.parametrize(("first", "second"), [("abc", "abd"), ("abc+", "abc+")])
def test_another_commit_or_changes_begin_anew(first, second):
    one_run(first, report("a.py::one"))
    one_run(second)
    assert outcomes.known() == {} and outcomes.runs() == [1]


def test_what_has_ended_well_is_left_out_but_cells_of_an_unfinished_notebook():
    names = ["a.py::one", "a.py::two[x y]", "b.ipynb::Cell 0", "b.ipynb::Cell 1", "a.py::three"]
    items = [SimpleNamespace(nodeid=name) for name in names]
    left_out = []
    hook = SimpleNamespace(pytest_deselected=lambda items: left_out.extend(items))
    config = SimpleNamespace(hook=hook)
    one_run(
        "abc", report(names[0]), report(names[2]), report(names[1], "skipped", when="setup")
    )
    chosen = list(items)
    outcomes.pytest_collection_modifyitems(config, chosen)
    assert chosen == items[2:] and left_out == items[:2]  # Cell 1 needs what Cell 0 has made
    outcomes.note(report(names[3]))
    chosen = list(items)
    outcomes.pytest_collection_modifyitems(config, chosen)
    assert chosen == items[4:]
    outcomes.begin("another")
    chosen = list(items)
    outcomes.pytest_collection_modifyitems(config, chosen)
    assert chosen == items
