"""The lock: re-entrant in a process, exclusive between processes, freed by a death, never silent for long."""

import subprocess
import sys
import time

from helpers.locks import lock

HOLD = """
import sys, time
from pathlib import Path
from helpers.locks import lock
with lock(Path(sys.argv[1]), "to test"):
    print("held", flush=True)
    time.sleep(60)
"""


def hold_elsewhere(path):
    other = subprocess.Popen([sys.executable, "-c", HOLD, str(path)], stdout=subprocess.PIPE, text=True)
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
