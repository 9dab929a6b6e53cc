"""locks: re-entrant in a process, exclusive between processes, freed by a death, not silent."""

import os
import signal
import socket
import tempfile
import time
from pathlib import Path

import pytest
from filelock import Timeout

from helpers.errors import CourseError
from helpers.run import locks
from helpers.run.locks import lock, lock_in_turn
from tests.run.conftest import Child

pytestmark = pytest.mark.filterwarnings("ignore:.*multi-threaded.*fork:DeprecationWarning")


def hold_elsewhere(path):
    """Let another process hold the lock until it is killed."""

    def hold():
        with lock(path, "to test"):
            os.write(held, b"x")
            time.sleep(600)

    holds, held = os.pipe()
    other = Child(hold)
    assert os.read(holds, 1) == b"x"
    os.close(holds)
    os.close(held)
    return other


def is_free(path):
    """Return whether a process that does not wait would get the lock."""
    return Child(lambda: _try(path)).result()


def _try(path):
    held = locks.FileLock(str(path), is_singleton=True)
    try:
        held.acquire(timeout=0)
        return True
    except Timeout:
        return False


def test_the_holder_may_take_it_again(tmp_path):
    path = tmp_path / "a.lock"
    with lock(path, "to test"):
        with lock(path, "to test"):
            assert not is_free(path)
        assert not is_free(path)
    assert is_free(path)


def test_in_turn_one_who_waits_gets_it_before_one_who_takes_it_again_and_again(tmp_path):
    path, times = tmp_path / "a.lock", 60

    def take_again_and_again():
        for taken in range(times):
            with lock_in_turn(path, "to test"):
                if not taken:
                    os.write(held, b"x")
                time.sleep(0.1)
            if got.exists():
                return taken
        return times

    holds, held = os.pipe()
    got = tmp_path / "got"
    other = Child(take_again_and_again)
    assert os.read(holds, 1) == b"x"
    with lock_in_turn(path, "to test"):
        with lock_in_turn(path, "to test"):
            assert not is_free(path)
        got.touch()
    assert other.result() < times / 2
    os.close(holds)
    os.close(held)


def test_in_turn_who_waits_behind_another_is_told_who_holds_it(tmp_path, capfd, monkeypatch):
    """And not who is next."""
    monkeypatch.setenv("ELEMENTWISE_WAIT_WORDS", "0.3")

    def wait():
        with lock_in_turn(path, "to test"):
            pass

    path = tmp_path / "a.lock"
    with lock(path, "to test"):
        others = [Child(wait), Child(wait)]
        time.sleep(1.5)
    for other in others:
        other.result()
    said = capfd.readouterr().err.splitlines()
    assert len(said) == 2
    assert all(f": process {os.getpid()} on " in line for line in said)


def test_in_turn_a_file_of_another_user_is_passed_over(tmp_path):
    (tmp_path / "a.lock.next").mkdir()
    with lock_in_turn(tmp_path / "a.lock", "to test"):
        assert not is_free(tmp_path / "a.lock")


def test_an_exception_frees_it(tmp_path):
    with pytest.raises(KeyError), lock(tmp_path / "a.lock", "to test"):
        raise KeyError
    assert is_free(tmp_path / "a.lock")


def test_a_dead_owner_is_taken_over_at_once(tmp_path):
    path = tmp_path / "a.lock"
    other = hold_elsewhere(path)
    assert not is_free(path)
    os.kill(other.pid, signal.SIGKILL)
    other.died()
    assert is_free(path)


def test_the_file_names_its_holder(tmp_path):
    path = tmp_path / "a.lock"
    path.write_text("a name that is longer than any other could be, to be overwritten " * 3)
    with lock(path, "to test"):
        assert path.read_text() == f"process {os.getpid()} on {socket.gethostname()}"


class Busy:
    """A lock that is taken until a time; each try takes as long as it may. Has a clock, too."""

    def __init__(self, free_at):
        self.now, self.free_at, self.released = 100.0, 100.0 + free_at, 0

    def __call__(self, path, mode, is_singleton):
        assert mode == 0o666 and is_singleton
        return self

    def monotonic(self):
        return self.now

    def acquire(self, timeout, poll_interval):
        assert poll_interval == locks.LOOK_SECONDS
        if self.now + timeout < self.free_at:
            self.now += timeout
            raise Timeout("a.lock")
        self.now = self.free_at

    def release(self):
        self.released += 1


@pytest.mark.parametrize(
    ("free_at", "say_after", "said"),
    [
        (4.9, None, []),
        (6, None, [5]),
        (66, None, [5, 65]),
        (130, None, [5, 65, 125]),
        (2, "1", [1]),
        (0, "0", []),
    ],
)
def test_a_wait_says_for_whom_and_how_long(
    tmp_path, capsys, monkeypatch, free_at, say_after, said
):
    """After five seconds, then every minute."""
    path, busy = tmp_path / "a.lock", Busy(free_at)
    path.write_text("process 17 on there\n")
    monkeypatch.setattr(locks, "FileLock", busy)
    monkeypatch.setattr(locks, "time", busy)
    monkeypatch.setattr(locks, "TRY_SECONDS", 0.25)
    monkeypatch.delenv("ELEMENTWISE_WAIT_WORDS", raising=False)
    if say_after is not None:
        monkeypatch.setenv("ELEMENTWISE_WAIT_WORDS", say_after)
    with lock(path, "to build x"):
        assert busy.released == 0
    assert busy.released == 1 and busy.now == 100.0 + free_at
    assert capsys.readouterr().err.splitlines() == [
        f"waiting to build x: process 17 on there has it ({seconds} s so far)"
        for seconds in said
    ]


@pytest.mark.parametrize("content", [b"", b" \n", None])
def test_an_unknown_holder(tmp_path, content):
    if content is not None:
        (tmp_path / "a.lock").write_bytes(content)
    assert locks._owner(tmp_path / "a.lock") == "another process"


def test_a_holder_in_odd_letters(tmp_path):
    (tmp_path / "a.lock").write_bytes(b"process \xff\n")
    assert locks._owner(tmp_path / "a.lock") == "process \N{REPLACEMENT CHARACTER}"


def test_a_lock_that_cannot_be_made(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(OSError), lock(tmp_path / "file" / "a.lock", "to test"):
        pass


def test_in_turn_a_lock_that_cannot_be_made_says_what_to_do(tmp_path):
    (tmp_path / "file").write_text("")
    path = tmp_path / "file" / "a.lock"
    with pytest.raises(CourseError) as caught, lock_in_turn(path, "to test"):
        pass
    assert str(caught.value).startswith(f"cannot use the lock {path}: File exists. ")
    assert f"write in {path.parent} (chmod 1777), or set ELEMENTWISE_LOCKS" in str(caught.value)


@pytest.mark.skipif(os.getuid() != 0, reason="only root can be another user")
def test_in_turn_a_folder_of_roots_is_named():
    """As a volume of Docker is at first."""

    def as_user(path):
        os.setgroups([])
        os.setuid(12001)
        with pytest.raises(CourseError, match="Permission denied"), lock_in_turn(path, "x"):
            pass
        return True

    with tempfile.TemporaryDirectory() as name:
        Path(name).chmod(0o755)
        assert Child(lambda: as_user(Path(name) / "gpu.lock")).result()


def test_in_turn_an_error_of_who_holds_it_is_left_as_it_is(tmp_path):
    with pytest.raises(FileNotFoundError), lock_in_turn(tmp_path / "a.lock", "to test"):
        raise FileNotFoundError("of the measurement")
    assert is_free(tmp_path / "a.lock")


@pytest.mark.skipif(os.getuid() != 0, reason="only root can be another user")
def test_a_lock_is_for_everyone_on_the_machine():
    """A workshop's thirty users share one GPU, and its lock lies in a folder like /tmp."""

    def as_user(user, path):
        os.setgroups([])
        os.setuid(user)
        with lock(path, "to test"):
            return path.read_text().split(" on ")[0] == f"process {os.getpid()}"

    with tempfile.TemporaryDirectory() as name:
        Path(name).chmod(0o1777)
        for user in (12001, 12002, 12001):
            assert Child(lambda user=user: as_user(user, Path(name) / "gpu.lock")).result()


@pytest.mark.parametrize("planted", ["pipe", "link", "huge", "escapes"])
def test_what_another_wrote_into_a_lock_costs_nothing(tmp_path, planted):
    """In a folder of all, a waiter reads who holds the lock, whatever lies there."""
    path = tmp_path / "a.lock"
    if planted == "pipe":
        os.mkfifo(path)
    elif planted == "link":
        (tmp_path / "secret").write_text("secret")
        path.symlink_to(tmp_path / "secret")
    else:
        path.write_text("\x1b[2J\nada" + "!" * (10_000_000 if planted == "huge" else 0))
    said = locks._owner(path)
    assert len(said) <= locks.LONGEST_NAME and "secret" not in said and said.isprintable()
    assert ("ada" in said) == (planted in ("huge", "escapes"))


@pytest.mark.skipif(os.getuid() != 0, reason="only root can be another user")
@pytest.mark.parametrize("planted", ["link", "folder", "another's"])
def test_a_place_that_somebody_spoilt_limits_no_build(monkeypatch, planted):
    with tempfile.TemporaryDirectory() as name:
        Path(name).chmod(0o1777)
        (Path(name) / "mine").write_text("keep")
        for path in (Path(name) / f"elementwise-build-{n}.lock" for n in range(2)):
            if planted == "link":
                path.symlink_to(Path(name) / "mine")
            elif planted == "folder":
                path.mkdir()
            else:
                path.touch(mode=0o600)
        monkeypatch.setenv("ELEMENTWISE_LOCKS", name)
        monkeypatch.setenv("ELEMENTWISE_BUILDS", "2")

        def as_user():
            os.setgroups([])
            os.setuid(12001)
            with locks.build_slot("to test"), locks.build_slot("to test"):
                return True

        assert Child(as_user).result()
        assert (Path(name) / "mine").read_text() == "keep"


def take_slots(count):
    """Let processes take a place each and keep it, as many as get one without waiting."""
    taken = []
    while len(taken) < count:
        took, tells = os.pipe()

        def hold(tells=tells):
            with locks.build_slot("to test"):
                os.write(tells, b"x")
                time.sleep(600)

        taken.append(Child(hold))
        assert os.read(took, 1) == b"x"
        os.close(took)
        os.close(tells)
    return taken


def test_so_many_builds_go_on_at_once_and_no_more(tmp_path, monkeypatch):
    monkeypatch.setenv("ELEMENTWISE_LOCKS", str(tmp_path))
    monkeypatch.setenv("ELEMENTWISE_BUILDS", "2")
    first, second = take_slots(2)
    paths = [tmp_path / f"elementwise-build-{n}.lock" for n in range(2)]
    assert sorted(tmp_path.iterdir()) == paths
    assert [is_free(path) for path in paths] == [False, False]
    monkeypatch.setattr(locks, "TRY_SECONDS", 0.02)
    free = locks._try_each(
        {path: locks.FileLock(str(path)) for path in paths}, locks.LOOK_SECONDS
    )
    assert free is None
    first.kill()
    with locks.build_slot("to test"):  # the place that its death freed
        assert [is_free(path) for path in paths] == [False, False]
    second.kill()


def test_builds_are_not_limited_unless_a_number_and_a_folder_are_there(tmp_path, monkeypatch):
    monkeypatch.setenv("ELEMENTWISE_LOCKS", str(tmp_path / "none"))
    for number in ("0", "2"):
        monkeypatch.setenv("ELEMENTWISE_BUILDS", number)
        with locks.build_slot("to test"), locks.build_slot("to test"):
            assert list(tmp_path.iterdir()) == []
