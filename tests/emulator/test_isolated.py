"""A function in a forked child: its result, its error, what it printed, its end."""

import os
import signal
import time
from concurrent.futures import ThreadPoolExecutor

import pytest
import torch
from filelock import FileLock

from helpers.emulator import isolated
from helpers.errors import FaultKind, KernelFault

pytestmark = pytest.mark.filterwarnings("ignore:.*multi-threaded.*fork:DeprecationWarning")


def test_the_result_comes_back_and_nothing_is_changed(capsys):
    there = [1]

    def change():
        there.append(2)
        print("from the child")
        return list(there), isolated.inside(), os.getpid()

    result, inside, pid = isolated.run(change, name="x.cu")
    assert result == [1, 2] and inside and pid != os.getpid()
    assert there == [1] and not isolated.inside()
    assert capsys.readouterr().out == "from the child\n"


def test_an_exception_is_raised_here():
    with pytest.raises(ZeroDivisionError):
        isolated.run(lambda: 1 / 0, name="x.cu")


def test_pytorch_computes_in_a_child_after_it_computed_here_in_many_threads():
    """GNU's OpenMP would wait for threads that a fork does not copy."""
    x = torch.ones(1 << 20)
    before = torch.get_num_threads()
    torch.set_num_threads(2)
    try:
        (x + x).sum()
        assert isolated.run(lambda: float((x + x).sum()), name="x.cu") == 1 << 21
        assert torch.get_num_threads() == 2
    finally:
        torch.set_num_threads(before)


@pytest.mark.parametrize(
    ("end", "words"),
    [
        (lambda: os._exit(7), r"exit code 7.*\[case 3\]"),
        (lambda: os.kill(os.getpid(), signal.SIGKILL), r"SIGKILL.*\[case 3\]"),
    ],
)
def test_a_child_that_ends_is_a_fault_with_its_last_note(end, words):
    def function():
        isolated.note("case 3")
        end()

    with pytest.raises(KernelFault, match=rf"^x\.cu: .*{words}") as caught:
        isolated.run(function, name="x.cu")
    assert caught.value.kind is FaultKind.DIED


def test_a_child_that_is_silent_for_too_long_is_ended(monkeypatch):
    monkeypatch.setattr(isolated, "SILENCE_SECONDS", 0.0)
    with pytest.raises(KernelFault, match=r"did not come back within 0 s") as caught:
        isolated.run(signal.pause, name="x.cu")
    assert caught.value.kind is FaultKind.DIED


def test_a_child_has_so_many_seconds():
    def talks():
        while True:
            isolated.note("again")
            time.sleep(0.01)

    for seconds in (0.2, 2, 20):  # on a busy machine it may not have begun after the first
        with pytest.raises(
            KernelFault, match=f"did not come back within {seconds} s"
        ) as caught:
            isolated.run(talks, name="x.cu", seconds=seconds)
        if "[again]" in str(caught.value):
            break
    assert "[again]" in str(caught.value)
    assert isolated.run(lambda: 3, name="x.cu", seconds=60) == 3


def test_several_functions_run_at_once():
    reading, writing = os.pipe()
    try:
        first, second = isolated.run_each(
            [lambda: os.read(reading, 1), lambda: os.write(writing, b"x")],
            name="x.cu",
            seconds=60,
        )
    finally:
        os.close(reading)
        os.close(writing)
    assert (first, second) == (b"x", 1)


def test_of_several_functions_one_may_die_and_another_takes_too_long(monkeypatch):
    fork, children = os.fork, []
    monkeypatch.setattr(os, "fork", lambda: children.append(fork()) or children[-1])
    died, late, result = isolated.run_each(
        [lambda: os._exit(7), signal.pause, lambda: 3], name="x.cu", seconds=2
    )
    assert "exit code 7" in str(died) and "did not come back within 2 s" in str(late)
    assert died.kind is late.kind is FaultKind.DIED and result == 3
    with pytest.raises(ZeroDivisionError):
        isolated.run_each([lambda: 3, lambda: 1 / 0, signal.pause], name="x.cu")
    for child in children:
        with pytest.raises(ChildProcessError):  # it was waited for
            os.waitpid(child, os.WNOHANG)
    assert len(children) == 6


def test_threads_may_ask_for_children_at_once():
    """From Python 3.12 on, filelock would refuse two forks at the same moment."""
    FileLock(os.devnull)  # its hooks are there now
    with ThreadPoolExecutor(4) as threads:
        found = threads.map(lambda k: isolated.run(lambda: k, name="x.cu"), range(40))
    assert list(found) == list(range(40))


def test_a_note_outside_a_child_does_nothing():
    isolated.note("nobody reads this")
