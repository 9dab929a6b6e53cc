"""One file lock for everything that must happen once at a time: building a kernel, timing on a GPU."""

from __future__ import annotations

import contextlib
import os
import socket
import sys
import time
from collections.abc import Iterator
from pathlib import Path

from filelock import FileLock, Timeout

SAY_AFTER_SECONDS = 5.0
SAY_AGAIN_SECONDS = 60.0


def _owner(path: Path) -> str:
    try:
        return path.read_text(errors="replace").strip() or "another process"
    except OSError:
        return "another process"


@contextlib.contextmanager
def lock(path: Path, purpose: str, say_after: float | None = None) -> Iterator[None]:
    """Hold the lock file `path`; whoever waits longer than `say_after` (5) seconds is told for whom, and every minute.

    The operating system holds the lock for a process, so a process that dies frees it at once. Whoever holds it
    may take it again (a measurement of several measurements). The file says who holds it, or held it last; it may
    be used by everyone on the machine. Raises OSError where it cannot be made.
    """
    held = FileLock(
        str(path), mode=0o666, is_singleton=True
    )  # one per process, so that a holder may take it again
    began = time.monotonic()
    say_at = began + (SAY_AFTER_SECONDS if say_after is None else say_after)
    while True:
        try:
            held.acquire(timeout=0.2)
            break
        except Timeout:
            if time.monotonic() >= say_at:
                say_at = time.monotonic() + SAY_AGAIN_SECONDS
                waited = time.monotonic() - began
                print(
                    f"waiting {purpose}: {_owner(path)} has it ({waited:.0f} s so far)",
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
