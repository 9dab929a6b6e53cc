"""Settings are prepared ahead by workers, and whoever times holds the GPU's turn."""

import multiprocessing.dummy
import sys
import threading
from types import ModuleType, SimpleNamespace

import pytest

from helpers.measure.libraries import ahead


@pytest.fixture(autouse=True)
def nobody_else(monkeypatch):
    monkeypatch.setattr(ahead, "_turn", None)


@pytest.fixture
def threads(monkeypatch):
    """Workers that are threads; returns what they were started with."""
    asked = []

    def pool(count, initializer, arguments):
        asked.append((count, initializer, arguments))
        return multiprocessing.dummy.Pool(count)

    fakes = SimpleNamespace(Lock=lambda: "a lock", Pool=pool)
    monkeypatch.setattr(ahead, "PROCESSES", fakes)
    monkeypatch.setattr(ahead, "share", lambda gpu: asked.append(gpu))
    return asked


class Turn:
    def __init__(self, free=True):
        self.free, self.said = free, []

    def acquire(self, timeout):
        self.said.append(timeout)
        return self.free

    def release(self):
        self.said.append("released")


def test_a_turn_is_held_and_given_back(monkeypatch):
    turn = Turn()
    monkeypatch.setattr(ahead, "_turn", turn)
    with ahead.turn():
        assert turn.said == [30.0]
    assert turn.said == [30.0, "released"]
    with pytest.raises(KeyError), ahead.turn():
        raise KeyError
    assert turn.said[2:] == [30.0, "released"]


def test_a_turn_that_nobody_gives_back_is_not_waited_for_forever(monkeypatch):
    turn = Turn(free=False)
    monkeypatch.setattr(ahead, "_turn", turn)
    with ahead.turn():
        pass
    assert turn.said == [30.0]


def test_alone_there_are_no_turns():
    with ahead.turn():
        assert ahead._turn is None


def test_a_benchmark_runs_in_turn(monkeypatch):
    turn = Turn()
    monkeypatch.setattr(ahead, "_turn", turn)

    def bench(launcher, *, fast):
        turn.said.append((launcher, fast))
        return 7

    assert ahead.in_turn(bench)("launcher", fast=True) == 7
    assert turn.said == [30.0, ("launcher", True), "released"]


def test_inductor_times_in_turn_once_it_is_shared(monkeypatch):
    class Tuner:
        def bench(self, x):
            return x + 1

    runtime = ModuleType("runtime")
    runtime.triton_heuristics = SimpleNamespace(CachingAutotuner=Tuner)
    for name in ("torch._inductor", "torch._inductor.runtime"):
        monkeypatch.setitem(sys.modules, name, runtime)
    turn = Turn()
    ahead.share(turn)
    ahead.share(turn)  # wrapped once
    assert Tuner().bench(4) == 5
    assert turn.said == [30.0, "released"]


@pytest.mark.parametrize(("cores", "gpus", "count"), [(16, 1, 15), (32, 2, 15), (2, 8, 1)])
def test_the_cores_are_shared_among_the_gpus(monkeypatch, cores, gpus, count):
    monkeypatch.setattr(ahead.os, "cpu_count", lambda: cores)
    assert ahead.workers(gpus) == count


def test_settings_come_in_the_order_in_which_they_are_ready(threads):
    second = threading.Event()

    def prepare(setting):
        if setting == "first":
            second.wait()
        else:
            second.set()
        return setting

    with ahead.compiled(["first", "second"], prepare, 2, 100, lambda: 0) as ready:
        assert next(ready) == "second"
        assert list(ready) == ["first"]
    assert threads == ["a lock", (2, ahead._start_worker, ("a lock",))]


def test_nothing_is_prepared_where_nothing_is_to_be(threads):
    with ahead.compiled([1, 2], None, 2, 100) as ready:
        assert list(ready) == [1, 2]
    with ahead.compiled([], abs, 2, 100) as ready:
        assert list(ready) == []
    assert threads == []


class Stuck:
    """Ready with one setting, then with none."""

    def __init__(self):
        self.waits = []

    def next(self, timeout):
        self.waits.append(timeout)
        if len(self.waits) == 1:
            return "b"
        raise multiprocessing.TimeoutError


@pytest.mark.parametrize(
    ("until", "waits", "words"), [(1000, [120, 120], True), (100, [100, 100], False)]
)
def test_what_is_not_ready_in_time_comes_all_the_same(capsys, until, waits, words):
    stuck = Stuck()
    clock = iter([0, 0, until if not words else 0, until])
    got = list(ahead._in_time(stuck, ["a", "b", "c"], until, lambda: next(clock)))
    assert got == ["b", "a", "c"] and stuck.waits == waits
    said = capsys.readouterr().out
    assert said == ("2 settings are compiled where they are measured\n" if words else "")


def test_nobody_waits_after_the_end(threads):
    stuck = Stuck()
    assert list(ahead._in_time(stuck, ["b"], 10, lambda: 50)) == ["b"]
    assert stuck.waits == [0.0]


def test_a_setting_that_cannot_be_prepared_comes_last(threads, capsys):
    def prepare(setting):
        if setting == 1:
            raise MemoryError("too large")
        return setting

    with ahead.compiled([1, 2, 3], prepare, 1, 100, lambda: 0) as ready:
        assert list(ready) == [2, 3, 1]
    said = capsys.readouterr().out.splitlines()
    assert said[0] == "not prepared: MemoryError: too large"


def test_a_worker_gives_way_to_the_measurement(monkeypatch):
    asked = []
    monkeypatch.setattr(ahead.os, "nice", asked.append)
    monkeypatch.setattr(ahead, "share", asked.append)
    ahead._start_worker("the GPU")
    assert asked == [10, "the GPU"]
