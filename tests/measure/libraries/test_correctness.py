"""A launch that starts too early, or a wrong kernel, is found before anything is timed."""

import contextlib
from types import SimpleNamespace

import pytest
import torch

from helpers.errors import CheckError
from helpers.measure.libraries import correctness
from helpers.run import jit, machine

DEVICE = machine.present().device


def test_a_chain_of_right_adds_is_right():
    def add(a, b, out):
        torch.add(a, b, out=out)

    for elements in (1, 1000):
        assert correctness.chain_is_right(add, torch.float32, elements)
    assert correctness.chain_is_right(add, torch.float16, 10, links=2)


def test_a_launch_that_reads_too_early_is_found():
    pending = []

    def late(a, b, out):  # each launch is finished only when the one after it has begun
        pending.append((a.clone(), b, out))
        if len(pending) > 1:
            x, y, target = pending.pop(0)
            target.copy_(x + y)

    assert not correctness.chain_is_right(late, torch.float32, 100)


@pytest.mark.parametrize("wrong_link", [0, 12, 23])
def test_one_wrong_link_is_found(wrong_link):
    count = iter(range(1000))

    def add(a, b, out):
        torch.add(a, b, out=out)
        if next(count) == wrong_link:
            out[-1] += 1

    assert not correctness.chain_is_right(add, torch.float32, 100)


def test_the_fast_add_is_right_in_a_chain():
    assert correctness.chain_is_right(jit.load("fast_add").add, torch.float32, 1000)


@pytest.fixture
def checks(monkeypatch):
    """Collect what is checked, without checking it."""
    seen = {"check": [], "chain": []}
    monkeypatch.setattr(correctness, "kernel", lambda name: _Launchers(name))
    monkeypatch.setattr(
        correctness.check,
        "check",
        lambda kernel, reference, **arguments: seen["check"].append(
            (
                kernel.name,
                arguments.get("path"),
                reference(*[3.0] * reference.__code__.co_argcount),
            )
        ),
    )
    monkeypatch.setattr(
        correctness,
        "chain_is_right",
        lambda launcher, dtype, elements: (
            seen["chain"].append((launcher.func, launcher.keywords["path"], dtype, elements))
            or elements != seen.get("wrong")
        ),
    )
    return seen


class _Launchers:
    def __init__(self, name):
        self.name = name

    def __getattr__(self, launcher):
        return f"{self.name}.{launcher}"


@pytest.fixture(autouse=True)
def a_name_will_do(monkeypatch):
    from functools import partial

    def named(function, **keywords):
        if isinstance(function, str):
            return type("Partial", (), {"func": function, "keywords": keywords})
        return partial(function, **keywords)

    monkeypatch.setattr(correctness, "partial", named)


def test_every_path_of_every_kernel_is_checked(checks):
    correctness.check_course()
    assert checks["check"] == [
        ("op_add", None, 6.0),
        ("fast_add", 0, 6.0),
        ("fast_add", 1, 6.0),
        ("fast_add", 2, 6.0),
        ("op_cast", None, 3.0),
        ("fast_cast", 0, 3.0),
        ("fast_cast", 1, 3.0),
        ("fast_cast", 2, 3.0),
    ]
    assert checks["chain"] == [
        (f"fast_add.{launcher}", path, dtype, elements)
        for launcher, dtype in (
            ("add", torch.float32),
            ("add_f16", torch.float16),
            ("add_bf16", torch.bfloat16),
        )
        for path in (1, 2)
        for elements in (1024, 1048581, 4194304)
    ]


def test_a_wrong_chain_ends_the_measurement(checks):
    checks["wrong"] = 1048581
    message = r"fast_add, path 1: dependent launches of 1,048,581 add float32 are wrong"
    with pytest.raises(CheckError, match=message):
        correctness.check_course()


def test_a_chain_has_24_links(no_gpu):
    launches = []

    def add(a, b, out):
        launches.append(torch.add(a, b, out=out))

    assert correctness.chain_is_right(add, torch.float32, 8)
    assert len(launches) == 24


class Graph:
    """A CUDA graph on the CPU: it keeps the launches of its capture, and replays them."""

    capturing = None

    def __init__(self):
        self.launches, self.replays = [], 0

    def replay(self):
        self.replays += 1
        for launch in self.launches:
            launch()


@pytest.fixture
def graphs(monkeypatch):
    """Pretend a GPU whose graphs are Graphs; returns those that were made."""
    made = []

    @contextlib.contextmanager
    def capture(graph):
        Graph.capturing = graph
        yield
        Graph.capturing = None

    here = SimpleNamespace(is_gpu=True, device="cpu")
    monkeypatch.setattr(correctness.machine, "present", lambda: here)
    monkeypatch.setattr(torch.cuda, "CUDAGraph", lambda: made.append(Graph()) or made[-1])
    monkeypatch.setattr(torch.cuda, "graph", capture)
    return made


def test_a_chain_is_replayed_three_times_as_a_graph(graphs):
    def add(a, b, out):
        launch = lambda: torch.add(a, b, out=out)  # noqa: E731
        (Graph.capturing.launches.append if Graph.capturing else lambda call: call())(launch)

    assert correctness.chain_is_right(add, torch.float32, 100)
    (graph,) = graphs
    assert graph.replays == 3 and len(graph.launches) == 24


@pytest.mark.parametrize("wrong", [0, 24, 48, 71])
def test_a_launch_that_is_wrong_in_one_replay_is_found(graphs, wrong):
    count = iter(range(1000))

    def add(a, b, out):
        def launch():
            torch.add(a, b, out=out)
            out[0] += next(count) == wrong

        if Graph.capturing:
            Graph.capturing.launches.append(launch)
        else:
            torch.add(a, b, out=out)

    assert not correctness.chain_is_right(add, torch.float32, 100)


def test_the_launches_of_a_chain_are_programmatic(checks, monkeypatch):
    seen = []
    monkeypatch.setattr(
        correctness, "chain_is_right", lambda launcher, *_: seen.append(launcher) or True
    )
    correctness.check_course()
    assert {launcher.keywords["programmatic"] for launcher in seen} == {1}
