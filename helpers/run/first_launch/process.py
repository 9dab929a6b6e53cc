"""Run the child process of a first launch and read what it reported."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

from helpers import settings
from helpers.emulator import Region
from helpers.run.first_launch import child
from helpers.run.first_launch.child import Status

# For a process to start and to find its GPU, on a machine that thirty people share.
START_SECONDS = 60.0


@dataclass(frozen=True)
class Outcome:
    """Result of the launches of one child process."""

    status: Status
    error: int = 0  # CUDA's number
    words: str = ""  # CUDA's, or why the launch could not be made
    call: int = 0  # which call it is about: 0 is the caller's own
    regions: tuple[Region, ...] = ()  # where that call's tensors lay
    output: str = ""  # on standard output and error
    exit_status: int = 0
    seconds: float = 0.0
    sanitizer: str = ""  # compute-sanitizer's report


def read_outcome(lines: str, hung: bool, **observed) -> Outcome:
    """Read the lines that a child reported; `observed` are the fields that its parent saw.

    hung: it was ended because it took too long.
    """
    told: dict = {}
    for line in lines.splitlines():
        with contextlib.suppress(ValueError):  # the process died while it wrote
            told |= json.loads(line)
    launched = "call" in told
    silent = Status.TIMEOUT if hung else Status.DIED if launched else Status.UNABLE
    status = Status(told.pop("status", silent))
    # Of a call that is not the caller's only a fault counts: it may be refused, be slow or need
    # too much memory for a good reason.
    if told.get("call") and status is not Status.FAULT:
        status = Status.OK
    regions = tuple(Region(*one) for one in told.pop("regions", ()))
    return Outcome(status, regions=regions, **told, **observed)


class ChildProcess:
    """A child process that makes the calls of a folder, natively or under compute-sanitizer.

    name: "native", or the tool's. sanitizer: its path. every: make each call, not only the
    caller's own.
    """

    def __init__(
        self, folder: Path, name: str, sanitizer: str | None = None, every: bool = True
    ):
        self.folder, self.name, self.began = folder, name, time.monotonic()
        for leftover in folder.glob(f"{name}.*"):
            leftover.unlink()
        # Isolated and without site-packages: it needs none, and starts in half the time.
        command = [
            sys.executable,
            "-I",
            "-S",
            child.__file__,
            str(folder),
            name,
            str(int(every)),
        ]
        if sanitizer:
            options = ["--print-limit", "1", "--report-api-errors", "no"]
            options += ["--log-file", str(folder / f"{name}.log")]
            command = [sanitizer, "--tool", name, *options, *command]
        environment = {k: v for k, v in os.environ.items() if k != "CUDA_LAUNCH_BLOCKING"}
        with (folder / f"{name}.output").open("wb") as output:
            self.process = subprocess.Popen(
                command,
                cwd=folder,
                env=environment,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                start_new_session=True,  # so that it can be ended with all that it has started
            )

    def end(self) -> None:
        """End the process with all that it has started."""
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()

    def outcome(self) -> Outcome:
        """Wait for the process, end it in any case, and read what it reported."""
        limit = self.began + START_SECONDS + settings.first_launch_timeout()
        hung = False
        try:
            self.process.wait(timeout=max(0.1, limit - time.monotonic()))
        except subprocess.TimeoutExpired:
            hung = True
        finally:
            self.end()
        return read_outcome(
            self._text("report"),
            hung,
            output=self._text("output"),
            exit_status=self.process.returncode,
            seconds=time.monotonic() - self.began,
            sanitizer=self._text("log"),
        )

    def _text(self, suffix: str) -> str:
        path = self.folder / f"{self.name}.{suffix}"
        return path.read_text(errors="replace") if path.exists() else ""
