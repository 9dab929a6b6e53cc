"""process: a child is started, ended with all that it started, and what it reported is read."""

import json
import os
import signal
import subprocess
import sys
import time

import pytest

from helpers.emulator import Region
from helpers.run.first_launch import process
from helpers.run.first_launch.child import Status
from helpers.run.first_launch.process import ChildProcess, read_outcome

CALL = json.dumps({"call": 0, "regions": [["x", 4096, 32, 4]]})
LATER = json.dumps({"call": 1, "regions": []})


@pytest.mark.parametrize(
    ("lines", "hung", "status"),
    [
        ([CALL, '{"status": "ok"}'], False, Status.OK),
        ([CALL, '{"status": "fault", "error": 700, "words": "w"}'], False, Status.FAULT),
        ([CALL, '{"status": "refused", "error": 9}'], False, Status.REFUSED),
        ([CALL], False, Status.DIED),
        ([CALL], True, Status.TIMEOUT),
        ([], False, Status.UNABLE),
        ([], True, Status.TIMEOUT),
        ([CALL, '{"status": "fau'], False, Status.DIED),  # it died while it wrote
        ([CALL, LATER, '{"status": "fault", "error": 716}'], False, Status.FAULT),
        ([CALL, LATER, '{"status": "refused", "error": 9}'], False, Status.OK),
        ([CALL, LATER, '{"status": "timeout"}'], False, Status.OK),
        ([CALL, LATER, '{"status": "unable", "words": "no memory"}'], False, Status.OK),
        ([CALL, LATER], False, Status.OK),
        ([CALL, LATER], True, Status.OK),
    ],
)
def test_the_status_of_a_report(lines, hung, status):
    """Of a call that is not the caller's only a fault counts."""
    assert read_outcome("\n".join(lines), hung).status is status


def test_the_fields_of_a_report():
    lines = f'{CALL}\n{{"status": "fault", "error": 700, "words": "w"}}\n'
    read = read_outcome(lines, False, seconds=1.5, output="o", exit_status=2, sanitizer="s")
    assert (read.error, read.words, read.call) == (700, "w", 0)
    assert read.regions == (Region("x", 4096, 32, 4),)
    assert (read.seconds, read.output, read.exit_status, read.sanitizer) == (1.5, "o", 2, "s")


@pytest.fixture
def program(tmp_path, monkeypatch):
    """Put another program in the place of the child's; returns a function that writes it."""
    file = tmp_path / "program.py"
    monkeypatch.setattr(process.child, "__file__", str(file))

    def write(text):
        file.write_text("import os, sys, time\nfrom pathlib import Path\n" + text)

    return write


def test_a_child_is_run_in_its_folder(tmp_path, program, monkeypatch):
    program(
        "print(os.getcwd(), sys.argv[1:], os.environ.get('CUDA_LAUNCH_BLOCKING'))\n"
        "print('error', file=sys.stderr)\n"
        'Path(\'native.report\').write_text(\'{"call": 0}\\n{"status": "ok"}\\n\')\n'
        "Path('native.log').write_text('a report')\n"
    )
    monkeypatch.setenv("CUDA_LAUNCH_BLOCKING", "1")
    (tmp_path / "native.report").write_text("of another process")
    (tmp_path / "native.old").write_text("of another process")
    read = ChildProcess(tmp_path, "native").outcome()
    assert read.status is Status.OK and read.exit_status == 0 and read.seconds > 0
    assert read.sanitizer == "a report" and not (tmp_path / "native.old").exists()
    lines = read.output.splitlines()
    assert f"{tmp_path} ['{tmp_path}', 'native', '1'] None" in lines and "error" in lines


def test_a_child_that_ends_early_has_died_and_did_not_hang(tmp_path, program):
    program("Path('native.report').write_text('{\"call\": 0}\\n')\n")
    assert ChildProcess(tmp_path, "native").outcome().status is Status.DIED


def test_a_child_under_a_tool(tmp_path, program):
    program("Path('memcheck.report').write_text(' '.join(sys.argv))\n")
    tool = tmp_path / "tool"
    tool.write_text("#!/bin/sh\nprintf '%s\\n' \"$@\"\n")
    tool.chmod(0o755)
    read = ChildProcess(tmp_path, "memcheck", str(tool), every=False).outcome()
    words = read.output.splitlines()  # a word may have a space
    assert words[:2] == ["--tool", "memcheck"] and words[-3:] == [
        str(tmp_path),
        "memcheck",
        "0",
    ]
    assert words[words.index("--log-file") + 1] == str(tmp_path / "memcheck.log")
    assert words[words.index("--print-limit") + 1] == "1"
    assert words[words.index(sys.executable) + 1 :][:2] == ["-I", "-S"]


def test_a_child_that_hangs_is_ended_with_what_it_started(tmp_path, program, monkeypatch):
    program(
        "if child := os.fork():\n    Path('pids').write_text(f'{os.getpid()} {child}')\n"
        "    Path('native.report').write_text('{\"call\": 0}\\n')\n"
        "time.sleep(600)\n"
    )
    monkeypatch.setattr(process, "START_SECONDS", 0.0)
    monkeypatch.setenv("ELEMENTWISE_KERNEL_TIMEOUT", "0")
    running = ChildProcess(tmp_path, "native")
    for _ in range(6000):
        if (tmp_path / "native.report").exists():
            break
        time.sleep(0.01)
    read = running.outcome()
    assert read.status is Status.TIMEOUT and read.exit_status == -signal.SIGKILL
    running.end()  # twice does no harm
    for pid in (tmp_path / "pids").read_text().split():
        state = subprocess.run(["ps", "-o", "stat=", "-p", pid], capture_output=True, text=True)
        assert state.stdout.strip()[:1] in ("", "Z"), "it lives"
    assert os.path.exists(tmp_path / "pids")


def test_it_may_take_a_minute_to_start_and_then_as_long_as_a_launch(monkeypatch, tmp_path):
    one, waited = object.__new__(ChildProcess), []

    class Process:
        returncode = 0

        def wait(self, timeout):
            waited.append(timeout)

    one.folder, one.name, one.began, one.process = tmp_path, "native", 1000.0, Process()
    one.end = lambda: None
    monkeypatch.setattr(process.settings, "first_launch_timeout", lambda: 20.0)
    monkeypatch.setattr(process.time, "monotonic", lambda: 1003.0)
    assert one.outcome().seconds == 3.0
    assert waited == [60 + 20 - 3]
