"""Lock a file, for what must happen once at a time: building a kernel, timing on a GPU."""

from __future__ import annotations

import contextlib
import os
import socket
import sys
import time
from collections.abc import Iterator
from pathlib import Path

from filelock import FileLock, Timeout

from helpers import settings

SAY_AGAIN_SECONDS = 60.0
POLL_SECONDS = 0.2


def _owner(path: Path) -> str:
    try:
        return path.read_text(errors="replace").strip() or "another process"
    except OSError:
        return "another process"


@contextlib.contextmanager
def lock(path: Path, purpose: str) -> Iterator[None]:
    """Hold the lock file `path`, waiting for it as long as another process has it.

    After settings.wait_words() seconds, print who holds the lock; repeat every minute. The
    operating system holds the lock for a process, so a process that dies frees it at once. Who
    holds it may take it again (a measurement made of several). The file names the process that
    holds it, or held it last, and may be used by everyone on the machine.

    purpose: what for, as in "waiting to build x". Raises OSError if the file cannot be made.
    """
    # One object per process, so that a holder may take it again.
    held = FileLock(str(path), mode=0o666, is_singleton=True)
    began = time.monotonic()
    say_at = began + settings.wait_words()
    while True:
        try:
            held.acquire(timeout=POLL_SECONDS)
            break
        except Timeout:
            now = time.monotonic()
            if now >= say_at:
                say_at = now + SAY_AGAIN_SECONDS
                print(
                    f"waiting {purpose}: {_owner(path)} has it ({now - began:.0f} s so far)",
                    file=sys.stderr,
                    flush=True,
                )
    try:
        with (
            contextlib.suppress(OSError),
            open(os.open(path, os.O_WRONLY | os.O_TRUNC), "w") as file,
        ):
            file.write(f"process {os.getpid()} on {socket.gethostname()}")
        yield
    finally:
        held.release()
