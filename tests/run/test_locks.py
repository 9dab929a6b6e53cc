"""The lock: re-entrant in a process, exclusive between processes, freed by a death, never silent for long."""

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pytest

from helpers.run.locks import lock

HOLD = """
import sys, time
from pathlib import Path
from helpers.run.locks import lock
with lock(Path(sys.argv[1]), "to test"):
    print("held", flush=True)
    time.sleep(60)
"""


def hold_elsewhere(path):
    other = subprocess.Popen(
        [sys.executable, "-c", HOLD, str(path)], stdout=subprocess.PIPE, text=True
    )
    assert other.stdout.readline() == "held\n"
    return other


def test_the_holder_may_take_it_again(tmp_path):
    with lock(tmp_path / "a.lock", "to test"), lock(tmp_path / "a.lock", "to test"):
        pass


def test_a_dead_owner_is_taken_over_at_once(tmp_path):
    path = tmp_path / "a.lock"
    other = hold_elsewhere(path)
    other.kill()
    other.wait()
    began = time.monotonic()
    with lock(path, "to test"):
        assert time.monotonic() - began < 2


def test_a_wait_says_for_whom(tmp_path, capsys):
    path = tmp_path / "a.lock"
    other = hold_elsewhere(path)
    try:
        import threading

        threading.Timer(1.0, other.kill).start()
        with lock(path, "to build x", say_after=0.1):
            pass
        said = capsys.readouterr().err
        assert "to build x" in said and f"process {other.pid}" in said
    finally:
        other.kill()
        other.wait()


@pytest.mark.skipif(os.getuid() != 0, reason="only root can be another user")
@pytest.mark.filterwarnings("ignore:.*multi-threaded.*fork:DeprecationWarning")
def test_a_lock_is_for_everyone_on_the_machine():
    """As a workshop's thirty users have one GPU, and one lock for it in a folder where nobody may remove another's."""
    with tempfile.TemporaryDirectory() as name:
        shared = Path(name)
        shared.chmod(0o1777)
        for user in (12001, 12002, 12001):
            child = os.fork()
            if child == 0:
                status = 1
                try:
                    os.setgroups([])
                    os.setuid(user)
                    with lock(shared / "gpu.lock", "to test"):
                        status = (
                            0
                            if f"process {os.getpid()}" in (shared / "gpu.lock").read_text()
                            else 2
                        )
                finally:
                    os._exit(status)
            assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
