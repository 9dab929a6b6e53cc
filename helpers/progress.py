"""Write a learner's marks to a shared folder, for a workshop's board; off by default.

The teacher turns it on: ELEMENTWISE_MARKS names the folder. Every mark of an exercise and every
verdict of `check.check` then adds a line to the learner's file, a JSON object with

    learner   ELEMENTWISE_LEARNER, or user@machine
    exercise  its number; in a verdict's line `kernel` stands there, the kernel's name
    right     true or false
    message   what the learner read, which repeats a number or a word that was answered
    hint      the part of it that helps on; "" if there is none
    time      UTC, as ISO 8601 writes it

Nothing else is recorded: no code, no cell. `python -m tools.board` shows the folder.
"""

from __future__ import annotations

import contextlib
import getpass
import json
import os
import re
import socket
import stat
import sys
from collections.abc import Iterator
from datetime import datetime, timezone
from pathlib import Path

from helpers import settings

_said: set[str] = set()  # each sentence is printed once in a process


def learner() -> str:
    """Return the learner's name: ELEMENTWISE_LEARNER, or user@machine."""
    if given := settings.learner():
        return given
    try:
        user = getpass.getuser()
    except (OSError, KeyError):  # a container's user without a name
        user = "learner"
    return f"{user}@{socket.gethostname()}"


def file_of(folder: Path, name: str) -> Path:
    """Return the file of a learner's marks, whatever characters the name has."""
    plain = re.sub(r"[^\w.@-]", "_", name)[:80].lstrip(".")
    return folder / f"{plain or 'learner'}.jsonl"


def now() -> str:
    """Return the time as a record has it."""
    return datetime.now(timezone.utc).isoformat(timespec="seconds")


def announce() -> None:
    """Print once in a process that marks are recorded, if they are: where, and what."""
    if folder := settings.marks_folder():
        _say_once(
            f"Your teacher's board is on: each answer that you let mark, and what the checker "
            f"says of your kernels, is recorded in {folder} as {learner()}.",
            sys.stdout,
        )


def record(**entry: object) -> None:
    """Append a line to the learner's file if there is a folder; never fail.

    entry: `exercise` or `kernel`, `right`, `message`, `hint`; `time` is filled in.
    """
    folder = settings.marks_folder()
    if folder is None:
        return
    announce()
    name = learner()
    line = json.dumps({"learner": name, "time": now(), **entry}, ensure_ascii=False)
    try:
        _append(folder, file_of(folder, name), line.encode("utf-8", "replace"))
    except OSError as error:
        _say_once(f"(the mark could not be recorded in {folder}: {error})", sys.stderr)


def _say_once(words: str, stream) -> None:
    if words not in _said:
        _said.add(words)
        print(words, file=stream)


def _append(folder: Path, path: Path, line: bytes) -> None:
    """Add a line to a file, whatever else writes to it: one write, under a lock.

    In a folder with the setgid bit the file is for its owner and the folder's group, else for
    everybody to read. A link or a pipe that somebody else put there is refused.
    """
    folder.mkdir(parents=True, exist_ok=True)
    mode = 0o640 if folder.stat().st_mode & stat.S_ISGID else 0o644
    careful = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
    new = not path.exists()
    number = os.open(path, os.O_RDWR | os.O_APPEND | os.O_CREAT | careful, mode)
    with open(number, "rb+", buffering=0) as file, _locked(number):
        if new:
            with contextlib.suppress(OSError, AttributeError):  # whatever the umask
                os.fchmod(number, mode)
        size = os.fstat(number).st_size
        if size and os.pread(number, 1, size - 1) != b"\n":  # half a line, of a full disk
            line = b"\n" + line
        file.write(line + b"\n")


@contextlib.contextmanager
def _locked(number: int) -> Iterator[None]:
    """Hold a file's lock, where the file system has locks: a learner may open two lessons."""
    try:
        import fcntl

        fcntl.flock(number, fcntl.LOCK_EX)
    except (ImportError, OSError):
        pass
    yield  # closing the file frees it


def read(folder: Path) -> list[dict]:
    """Read all lines of a folder, oldest first; what is not one is passed over."""
    found = [entry for path in sorted(folder.glob("*.jsonl")) for entry in _entries(path)]
    return sorted(found, key=lambda entry: entry["time"])


def _entries(path: Path) -> Iterator[dict]:
    """Read the lines of one file that are whole and have every field."""
    try:
        if not stat.S_ISREG(path.lstat().st_mode):
            return
        text = path.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return
    for line in text.split("\n"):
        try:
            entry = json.loads(line)
        except ValueError:
            continue
        if isinstance(entry, dict) and ("exercise" in entry or "kernel" in entry):
            words = {key: str(entry.get(key, "")) for key in ("learner", "message", "time")}
            yield {"hint": "", **entry, **words, "right": entry.get("right") is True}
