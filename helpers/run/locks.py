"""Lock a file, for what must happen once at a time: building a kernel, timing on a GPU."""

from __future__ import annotations

import contextlib
import os
import socket
import stat
import sys
import time
from collections.abc import Iterator
from pathlib import Path

from filelock import FileLock, Timeout

from helpers import settings
from helpers.errors import CourseError

SAY_AGAIN_SECONDS = 60.0
TRY_SECONDS = 0.2  # then it is seen whether to say something
LOOK_SECONDS = 0.05
LOOK_SOON_SECONDS = 0.005  # the next one in turn: many measurements take less than LOOK_SECONDS
LONGEST_NAME = 100  # bytes


def _owner(path: Path) -> str:
    """Return who holds a lock, as its file says; in a folder of all, anybody may write it."""
    careful = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK
    try:
        with open(os.open(path, careful), "rb", buffering=0) as file:
            text = (file.read(LONGEST_NAME) or b"").decode(errors="replace")
    except OSError:
        return "another process"
    words = "".join(letter if letter.isprintable() else " " for letter in text)
    return words.strip() or "another process"


def _is_usable(path: Path) -> bool:
    """Return whether a lock's file is one that this user can open, or is not there yet."""
    try:
        found = path.lstat()
    except OSError:
        return True
    return stat.S_ISREG(found.st_mode) and os.access(path, os.R_OK | os.W_OK)


@contextlib.contextmanager
def lock(path: Path, purpose: str) -> Iterator[None]:
    """Hold the lock file `path`, waiting for it as long as another process has it.

    After settings.wait_words() seconds, print who holds the lock; repeat every minute. The
    operating system holds the lock for a process, so a process that dies frees it at once. Who
    holds it may take it again (a measurement made of several). The file names the process that
    holds it, or held it last, and may be used by everyone on the machine.

    purpose: what for, as in "waiting to build x". Raises OSError if the file cannot be made.
    """
    with _one_of([path], purpose):
        yield


@contextlib.contextmanager
def lock_in_turn(path: Path, purpose: str) -> Iterator[None]:
    """Hold a lock as `lock` does, but not again before one who has waited meanwhile.

    Else a process that frees it and takes it at once, hundreds of times, keeps it: the others
    look for it only now and then. Who waits holds another file, which the next one needs first.

    Raises CourseError, with what to do, if the file cannot be made or opened.
    """
    with contextlib.ExitStack() as held:
        try:
            _wait_for_turn(held, path, purpose)
        except OSError as error:
            raise CourseError(
                f"cannot use the lock {path}: {error.strerror or error}. Let everybody write "
                f"in {path.parent} (chmod 1777), or set ELEMENTWISE_LOCKS to a folder of this "
                "machine that you can write"
            ) from None
        yield


def _wait_for_turn(held: contextlib.ExitStack, path: Path, purpose: str) -> None:
    """Take the lock of `lock_in_turn`, which `held` then holds."""
    first = path.with_name(f"{path.name}.next")
    own = FileLock(str(path), mode=0o666, is_singleton=True)
    if own.is_locked or not _is_usable(first):
        held.enter_context(lock(path, purpose))
        return
    with _one_of([first], purpose, holder=path):
        held.enter_context(_one_of([path], purpose, look=LOOK_SOON_SECONDS))


@contextlib.contextmanager
def build_slot(purpose: str) -> Iterator[None]:
    """Hold one of the machine's places for a build, if their number is limited.

    All processes that share ELEMENTWISE_LOCKS share the ELEMENTWISE_BUILDS places; waiting and
    words as in `lock`. A folder or a place that cannot be written limits nothing.
    """
    count, folder = settings.most_builds(), settings.locks_folder()
    if not count or not os.access(folder, os.W_OK):
        yield
        return
    places = [folder / f"elementwise-build-{n}.lock" for n in range(count)]
    usable = [place for place in places if _is_usable(place)]
    with _one_of(usable, purpose) if usable else contextlib.nullcontext():
        yield


@contextlib.contextmanager
def _one_of(
    paths: list[Path], purpose: str, look: float = LOOK_SECONDS, holder: Path | None = None
) -> Iterator[None]:
    """Hold the first of some lock files that gets free.

    look: seconds between two looks at one. holder: the lock file whose holder is waited for in
    the end; the first of `paths` by default.
    """
    # One object per process, so that a holder may take it again.
    locks = {path: FileLock(str(path), mode=0o666, is_singleton=True) for path in paths}
    began = time.monotonic()
    say_at = began + settings.wait_words()
    held = None
    while held is None:
        held = _try_each(locks, look)
        now = time.monotonic()
        if held is None and now >= say_at:
            say_at = now + SAY_AGAIN_SECONDS
            print(
                f"waiting {purpose}: {_owner(holder or paths[0])} has it "
                f"({now - began:.0f} s so far)",
                file=sys.stderr,
                flush=True,
            )
    try:
        with (
            contextlib.suppress(OSError),
            open(os.open(held, os.O_WRONLY | os.O_TRUNC | os.O_NOFOLLOW), "w") as file,
        ):
            file.write(f"process {os.getpid()} on {socket.gethostname()}")
        yield
    finally:
        locks[held].release()


def _try_each(locks: dict[Path, FileLock], look: float) -> Path | None:
    """Take the first lock that is free within TRY_SECONDS in all; None if there is none."""
    for path, held in locks.items():
        with contextlib.suppress(Timeout):
            held.acquire(timeout=TRY_SECONDS / len(locks), poll_interval=look)
            return path
    return None
