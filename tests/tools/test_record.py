"""One command records everything: each experiment, each table, each file of data/."""

import dataclasses
import importlib.util
import os
import subprocess
import sys
from types import SimpleNamespace

import pytest

from helpers import paths
from helpers.measure import experiments, ncu, store
from helpers.measure.measurement import Measurement
from helpers.run import machine


@pytest.fixture(scope="module")
def tool():
    path = paths.ROOT / "tools" / "record.py"
    spec = importlib.util.spec_from_file_location("record_tool", path)
    module = importlib.util.module_from_spec(spec)
    sys.modules["record_tool"] = module
    spec.loader.exec_module(module)
    return module


def test_every_experiment_has_a_recorder(tool):
    names = [recorder.name for recorder in tool.RECORDERS]
    assert len(names) == len(set(names))
    assert set(experiments.EXPERIMENTS) <= set(names)


def test_every_file_of_data_has_a_recorder_or_a_reason(tool):
    files = {path.name for path in paths.DATA.glob("*.csv")}
    recorded = {recorder.file for recorder in tool.RECORDERS if recorder.file.endswith(".csv")}
    assert files <= recorded | set(tool.NOT_RECORDED)
    assert not recorded & set(tool.NOT_RECORDED)


def test_every_table_of_the_store_has_a_recorder_or_a_reason(tool):
    tables = {one.name for one in vars(store).values() if isinstance(one, store.Table)}
    assert tables <= {recorder.file for recorder in tool.RECORDERS} | set(tool.NOT_RECORDED)


def test_machine_code_has_a_recorder(tool, monkeypatch):
    (recorder,) = (one for one in tool.RECORDERS if one.file == "sass/")
    rows = [SimpleNamespace(recorded=store.today()), SimpleNamespace(recorded=store.today())]
    monkeypatch.setattr(tool.sass, "manifest", lambda: rows)
    monkeypatch.setattr(tool.sass, "record_listings", lambda: ["one.txt", "two.txt"])
    assert recorder.is_recorded() and recorder.record() == 2
    rows[1].recorded = "2026-01-01"
    assert not recorder.is_recorded()


def test_counters_of_the_ladder_and_stalls_are_told_apart(tool):
    """Both go into one file: a record of one of today is none of the other."""
    assert not {*ncu.METRICS} & {*ncu.STALLS}
    by_name = {recorder.name: recorder for recorder in tool.RECORDERS}
    for name, own in (("ncu counters", ncu.METRICS), ("ncu stalls", ncu.STALLS)):
        recorder = by_name[name]
        assert recorder.file == "ncu_counters.csv" and recorder.needs_gpu
        assert recorder.is_recorded.keywords["quantity"] in own
    assert by_name["ncu stalls"].record.args[1] is ncu.measure_stalls


# ---- choosing ------------------------------------------------------------------------------


@pytest.fixture
def made_up(tool, monkeypatch):
    """Put three recorders in place of the real ones; collect the names of those that run."""
    ran = []

    def recorder(name, recorded=False, error=None, needs_gpu=False):
        def record():
            ran.append((name, os.environ.get("ELEMENTWISE_COMMIT")))
            if error:
                raise error
            return 7

        return tool.Recorder(name, f"{name}.csv", record, lambda: recorded, needs_gpu)

    some = (
        recorder("first", error=RuntimeError("no permission")),
        recorder("second", recorded=True),
        recorder("third"),
    )
    monkeypatch.setattr(tool, "RECORDERS", some)
    monkeypatch.setattr(tool.store, "commit", lambda: "abc")
    monkeypatch.setenv("ELEMENTWISE_COMMIT", "")
    monkeypatch.setenv("TORCHINDUCTOR_CACHE_DIR", "somewhere")
    monkeypatch.setenv("TORCHINDUCTOR_COMPILE_THREADS", "1")
    ran.append(recorder)
    return ran


def test_what_was_recorded_today_is_skipped(tool, made_up):
    todo, done = tool.choose([], again=False)
    assert [one.name for one in todo] == ["first", "third"]
    assert [one.name for one in done] == ["second"]
    todo, done = tool.choose(["second", "second", "first"], again=True)
    assert [one.name for one in todo] == ["second", "first"] and done == []


def test_one_failure_does_not_end_the_rest(tool, made_up, capsys):
    assert tool.main([]) == 1
    assert made_up[1:] == [("first", "abc"), ("third", "abc")]
    out = capsys.readouterr().out
    assert "[1/2] first\n    FAILED: RuntimeError: no permission\n" in out
    assert "[2/2] third\n    7 recorded in data/third.csv, 0 s\n" in out
    assert out.endswith(
        "1 recorded, 1 skipped, 1 failed\n  FAILED first: RuntimeError: no permission\n"
    )


def test_success(tool, made_up, capsys):
    assert tool.main(["third"]) == 0
    assert capsys.readouterr().out.endswith("1 recorded, 0 skipped, 0 failed\n")


def test_the_plan_comes_first(tool, made_up, capsys):
    assert tool.main(["--dry-run"]) == 0
    assert len(made_up) == 1  # nothing ran
    out = capsys.readouterr().out
    assert out.startswith(f"{machine.present()}\ncommit abc\n\n")
    assert "  first                -> data/first.csv\n" in out
    assert "  second                  recorded today (--again records it once more)\n" in out


def test_without_a_gpu_nothing_is_begun(tool, made_up, monkeypatch, capsys):
    if machine.present().is_gpu:
        pytest.skip("there is a GPU")
    recorder = made_up[0]
    with_gpu = (recorder("first"), recorder("second", needs_gpu=True))
    monkeypatch.setattr(tool, "RECORDERS", with_gpu)
    assert tool.main([]) == 1
    assert len(made_up) == 1
    assert "no GPU here" in capsys.readouterr().err
    assert tool.main(["--dry-run"]) == 0
    assert tool.main(["first"]) == 0 and len(made_up) == 2


def test_an_unknown_name_is_an_error(tool, made_up, capsys):
    with pytest.raises(SystemExit) as caught:
        tool.main(["third", "forth"])
    assert caught.value.code == 2
    error = capsys.readouterr().err
    assert "nothing is recorded as 'forth'; there are first, second, third" in error


def test_the_list(tool, made_up, capsys):
    assert tool.main(["--list"]) == 0
    out = capsys.readouterr().out
    assert "third                data/third.csv\n" in out
    assert "gpus.csv" in out and len(made_up) == 1


# ---- what is recorded today ----------------------------------------------------------------


@pytest.fixture
def records(tmp_path, monkeypatch):
    """Let the store's tables lie in an empty folder."""
    for name, table in vars(store).copy().items():
        if isinstance(table, store.Table):
            monkeypatch.setattr(store, name, dataclasses.replace(table, folder=tmp_path))


def test_rows_of_today_of_this_card_and_commit_count(tool, records, monkeypatch):
    monkeypatch.setenv("ELEMENTWISE_COMMIT", "abc")
    today = store.provenance()
    table = store.ROOFS
    row = {"quantity": "launch_us", "value": 1.0, "unit": "us"}
    assert not tool._is_in(table)
    for change in ({"date": "2020-01-01"}, {"gpu": "other"}, {"commit": "abd"}):
        table.append([today | row | change])
    assert not tool._is_in(table)
    table.append([today | row])
    assert tool._is_in(table)
    assert tool._is_in(table, quantity="launch_us")
    assert not tool._is_in(table, quantity="l2_GBps")


def test_build_times_of_today(tool, records):
    table = store.BUILD_TIMES
    row = {"way": "w", "kernels": 1, "machine": "here"}
    table.append([row | {"date": "2020-01-01"}])
    assert not tool._is_in(table, machine="here")
    table.append([row | {"date": store.today()}])
    assert tool._is_in(table, machine="here")
    assert not tool._is_in(table, machine="there")


def test_an_experiment_is_appended_under_its_name(tool, records, monkeypatch):
    times = {"time_us": 2.0, "low_us": 1.0, "high_us": 3.0, "repeats": 24}
    what = {"elements": 8, "dtype": "float32", "method": "graph hot", "bytes_moved": 96}
    one = Measurement(kernel="v1_f32", gpu="NVIDIA H200", **what, **times)
    monkeypatch.setitem(experiments.EXPERIMENTS, "new", lambda: [one] * 3)
    assert tool._record_experiment("new") == 3
    assert set(store.RUNS.load().experiment) == {"new"}


def test_a_commit_is_fixed_for_a_whole_run(tool, made_up):
    tool.prepare()
    assert os.environ["ELEMENTWISE_COMMIT"] == "abc"


def test_the_command_by_itself():
    program = [sys.executable, str(paths.ROOT / "tools" / "record.py"), "--dry-run"]
    done = subprocess.run(program, capture_output=True, text=True, cwd="/", check=False)
    assert done.returncode == 0, done.stderr
    assert "latency hiding" in done.stdout
