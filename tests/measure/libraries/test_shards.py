"""Settings are shared among GPUs, measured until the time is up, and never twice."""

import contextlib
import dataclasses
import types
from pathlib import Path

import pytest

from helpers.measure import store
from helpers.measure.libraries import shards, sweep, tables


@pytest.fixture
def plan(tmp_path, monkeypatch):
    monkeypatch.delenv("CUDA_VISIBLE_DEVICES", raising=False)
    monkeypatch.setattr(store, "provenance", lambda: {"gpu": "a GPU", "date": "2026-01-01"})
    table = dataclasses.replace(tables.SWEEP, folder=tmp_path)

    def rows(setting):
        if setting.elements == 13:
            raise RuntimeError("it does not fit")
        own = dict(zip(tables.PLACE, sweep.key(setting), strict=True))
        return [own | {"candidate": name, "time_us": 1.0} for name in ("course", "torch")]

    settings = [sweep.drawn()[0]._replace(elements=n) for n in (10, 11, 12, 13, 14)]
    changes = {"table": table, "rows": rows, "settings": lambda: settings}
    return dataclasses.replace(sweep.SWEEP, **changes)


class Clock:
    def __init__(self):
        self.time = 0.0

    def __call__(self):
        self.time += 1
        return self.time


def test_each_shard_takes_its_own_and_nothing_is_measured_twice(plan):
    assert shards.work(plan, plan.table, 0, 2, 1e9, Clock()) == 3
    assert sorted({n for *_, n, _, _ in shards.measured(plan, plan.table)}) == [10, 12, 14]
    assert shards.work(plan, plan.table, 0, 2, 1e9, Clock()) == 0
    shards.work(plan, plan.table, 0, 1, 1e9, Clock())
    rows = plan.table.load(latest=False)
    assert sorted(rows.elements) == sorted(2 * [10, 11, 12, 14])


def test_a_failure_is_said_and_the_next_goes_on(plan, capsys):
    shards.work(plan, plan.table, 1, 2, 1e9, Clock())
    said = capsys.readouterr().out
    assert "GPU 1: copy float32, 13, graph cold: RuntimeError: it does not fit" in said
    assert [n for *_, n, _, _ in shards.measured(plan, plan.table)] == [11]


def test_it_stops_when_the_time_is_up(plan, capsys):
    assert shards.work(plan, plan.table, 0, 1, 4, Clock()) == 2
    said = [line for line in capsys.readouterr().out.splitlines() if "time is up" in line]
    assert said == ["GPU 0: time is up, 3 are left"]
    assert len(shards.measured(plan, plan.table)) == 2


def test_a_list_says_what_is_done(plan, capsys):
    shards.work(plan, plan.table, 0, 5, 1e9, Clock())
    capsys.readouterr()
    shards.main(plan, ["--list", "--output", str(plan.table.folder)])
    lines = capsys.readouterr().out.splitlines()
    assert [line[:4] for line in lines] == ["done"] + 4 * ["    "]


def test_one_process_for_each_gpu(plan, monkeypatch):
    started = []

    class Process:
        def __init__(self, command, env):
            started.append((command, env))

        def wait(self):
            return 0

    monkeypatch.setattr(shards, "build", lambda *jobs: None)
    monkeypatch.setattr(shards.subprocess, "Popen", Process)
    folder = str(plan.table.folder)
    shards.main(plan, ["--gpus", "2", "--output", folder])
    assert [env["CUDA_VISIBLE_DEVICES"] for _, env in started] == ["0", "1"]
    command = started[1][0]
    assert command[2:4] == ["-m", "helpers.measure.libraries.sweep"]
    assert command[command.index("--shard") + 1] == "1/2"


def test_a_file_that_cannot_be_built_is_said(monkeypatch, capsys):
    def run(command, **_):
        failed = command[-1] == "b.cu"
        return shards.subprocess.CompletedProcess(command, failed, stderr="no file" * failed)

    monkeypatch.setattr(shards.subprocess, "run", run)
    shards.build([Path("a.cu"), Path("b.cu")])
    said = capsys.readouterr().out
    assert said.startswith("b.cu: no file\nbuilt 2 files in ")


def test_the_whole_command_of_a_shard_and_the_gpus_that_are_visible(plan, monkeypatch, capsys):
    started, built = [], []

    class Process:
        def __init__(self, command, env):
            started.append((command, env))

        def wait(self):
            started.append("waited")

    monkeypatch.setattr(shards, "build", lambda *jobs: built.append(jobs))
    monkeypatch.setattr(shards.subprocess, "Popen", Process)
    monkeypatch.setattr(shards.time, "time", lambda: 1000.0)
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "5,7")
    monkeypatch.setattr(shards.nvml, "count", lambda: 8)
    folder = plan.table.folder / "new"
    folder.mkdir()
    shards.main(plan, ["--output", str(folder)])
    (a, one), (b, two) = started[:2]
    assert started[2:] == ["waited"] * 2  # all are started before one is waited for
    assert [env["CUDA_VISIBLE_DEVICES"] for env in (one, two)] == ["5", "7"]
    assert one["ELEMENTWISE_SANDBOX"] == "0" and "PATH" in one
    assert one["TORCHINDUCTOR_COMPILE_THREADS"] == "1"
    words = [shards.sys.executable, "-u", "-m", plan.module, "--output", str(folder)]
    assert a == [*words, "--shard", "0/2", "--until", "1400.0"]
    assert b == [*words, "--shard", "1/2", "--until", "1400.0"]
    assert built == [(plan.sources(plan.settings()),)]
    assert capsys.readouterr().out == "0 of 5 settings are recorded\n"


def test_a_new_folder_begins_with_what_is_recorded(plan, monkeypatch, tmp_path):
    shards.work(plan, plan.table, 0, 1, 1e9, Clock())
    text = plan.table.path.read_text()
    monkeypatch.setattr(shards, "run", lambda *words: ran.append(words))
    ran, folder = [], tmp_path / "other"
    folder.mkdir()
    monkeypatch.setattr(shards.nvml, "count", lambda: 0)
    shards.main(plan, ["--output", str(folder), "--seconds", "7"])
    copied = folder / plan.table.name
    assert copied.read_text() == text
    ((own, table, seconds, gpus),) = ran
    assert (own, table.path, seconds, gpus) == (plan, copied, 7, 1)
    copied.write_text(text.splitlines()[0] + "\n")
    shards.main(plan, ["--output", str(folder), "--gpus", "3"])
    assert len(copied.read_text().splitlines()) == 1 and ran[1][2:] == (400, 3)


def test_a_shard_works_until_the_given_time(plan, monkeypatch):
    asked = []
    monkeypatch.setattr(shards, "work", lambda *words: asked.append(words[2:]))
    shards.main(plan, ["--shard", "3/8", "--until", "12.5"])
    assert asked == [(3, 8, 12.5)]


def test_a_program_that_fails_is_said_by_its_last_400_characters(monkeypatch, capsys):
    ran = []

    def run(command, **options):
        ran.append((command, options))
        return shards.subprocess.CompletedProcess(command, 1, stderr=f" {'x' * 500}end ")

    monkeypatch.setattr(shards.subprocess, "run", run)
    monkeypatch.setattr(shards.time, "time", lambda: 5.0)
    shards.build([Path("/some/a.cu")])
    assert capsys.readouterr().out == f"a.cu: {'x' * 397}end\nbuilt 1 files in 0 s\n"
    options = {"capture_output": True, "text": True, "check": False}
    assert ran == [([shards.sys.executable, "-c", shards.LOAD, "/some/a.cu"], options)]
    assert shards.LOAD == "import sys; from helpers.run import jit; jit.load(sys.argv[1])"


@pytest.mark.parametrize(("cores", "workers"), [(None, 1), (1, 1), (8, 8), (200, 32)])
def test_as_many_builders_as_cores_but_at_most_32(monkeypatch, cores, workers):
    asked = []
    pool = shards.ThreadPoolExecutor
    monkeypatch.setattr(shards.os, "cpu_count", lambda: cores)
    monkeypatch.setattr(
        shards, "ThreadPoolExecutor", lambda count: asked.append(count) or pool(1)
    )
    shards.build([])
    assert asked == [workers]


def test_what_another_commit_has_measured_is_measured_again(plan, monkeypatch, capsys):
    def at(commit):
        known = {"gpu": "a GPU", "date": "2026-01-01", "commit": commit}
        monkeypatch.setattr(store, "provenance", lambda: known)
        monkeypatch.setattr(store, "commit", lambda: commit)

    at("aaa")
    shards.work(plan, plan.table, 0, 1, 1e9, Clock())
    at("bbb")
    assert shards.work(plan, plan.table, 0, 1, 1e9, Clock()) == 1  # the one that fails
    assert shards.work(plan, plan.table, 0, 1, 4, Clock(), commit="bbb") == 2
    at("bbb+")  # its own rows are a change of the tree
    assert shards.measured(plan, plan.table, "bbb+") < shards.measured(plan, plan.table)
    capsys.readouterr()
    shards.main(plan, ["--list", "--again", "--output", str(plan.table.folder)])
    lines = capsys.readouterr().out.splitlines()
    assert [line[:4] for line in lines] == 2 * ["done"] + 3 * ["    "]


def test_what_another_card_has_measured_is_measured_here_too(plan, monkeypatch):
    shards.work(plan, plan.table, 0, 1, 1e9, Clock())
    assert len(shards.measured(plan, plan.table)) == 4  # without a GPU every card counts

    def on(gpu):
        here = types.SimpleNamespace(is_gpu=True, name=gpu)
        monkeypatch.setattr(shards.machine, "present", lambda: here)

    on("another GPU")
    assert shards.measured(plan, plan.table) == set()
    assert shards.work(plan, plan.table, 0, 1, 4, Clock()) == 2
    on("a GPU")
    assert len(shards.measured(plan, plan.table)) == 4


def test_the_commit_is_given_to_each_process(plan, monkeypatch):
    started, asked = [], []

    class Process:
        def __init__(self, command, env):
            started.append(command)

        def wait(self):
            return 0

    monkeypatch.setattr(shards, "build", lambda *jobs: None)
    monkeypatch.setattr(shards.subprocess, "Popen", Process)
    monkeypatch.setattr(store, "commit", lambda: "abc")
    shards.main(plan, ["--gpus", "1", "--again", "--output", str(plan.table.folder)])
    assert started[0][-2:] == ["--commit", "abc"]
    monkeypatch.setattr(shards, "work", lambda *words, **named: asked.append(named))
    shards.main(plan, ["--shard", "0/1", "--until", "1", "--commit", "abc"])
    assert asked == [{"commit": "abc"}]


def test_the_measurement_begins_beside_the_building(plan, monkeypatch):
    order = []
    monkeypatch.setattr(shards, "build", lambda sources: order.append("build"))
    monkeypatch.setattr(shards, "start", lambda *words: order.append(words[1:]) or [])
    monkeypatch.setattr(shards.time, "time", lambda: 1000.0)
    shards.run(plan, plan.table, 5, 3, "abc")
    assert order == [(plan.table, 1005.0, 3, "abc"), "build"]


def test_settings_are_measured_in_the_order_in_which_they_are_ready(plan, monkeypatch, capsys):
    asked = []

    @contextlib.contextmanager
    def backwards(settings, prepare, workers, until, now):
        asked.append((prepare, workers, until))
        yield reversed(settings)

    monkeypatch.setattr(shards.ahead, "compiled", backwards)
    monkeypatch.setattr(shards.ahead, "workers", lambda gpus: 10 * gpus)
    prepared = dataclasses.replace(plan, prepare=abs)
    assert shards.work(prepared, plan.table, 0, 2, 1e9, Clock()) == 3
    assert asked == [(abs, 20, 1e9)]
    lines = capsys.readouterr().out.splitlines()
    assert [line.split(", ")[1] for line in lines] == ["14", "12", "10"]


def test_what_a_commit_has_measured_counts_after_a_later_one_too(plan, monkeypatch):
    for commit in ("aaa", "bbb"):
        known = {"gpu": "a GPU", "date": "2026-01-01", "commit": commit}
        monkeypatch.setattr(store, "provenance", lambda known=known: known)
        monkeypatch.setattr(store, "commit", lambda commit=commit: commit)
        shards.work(plan, plan.table, 0, 1, 1e9, Clock(), commit=commit)
    for commit in ("aaa", "bbb"):
        assert len(shards.measured(plan, plan.table, commit)) == 4
