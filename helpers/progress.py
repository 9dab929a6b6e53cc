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

MOST_BYTES = 4 << 20  # of a learner's file that are read: some ten thousand marks
MOST_CHARACTERS = 2000  # of a field
EXERCISE = re.compile(r"\d\d\.\d{1,2}")
CAREFUL = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)  # no link, no pipe

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
    new = not path.exists()
    number = os.open(path, os.O_RDWR | os.O_APPEND | os.O_CREAT | CAREFUL, mode)
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
    """Read the lines of one file that are whole and have every field.

    Learners write these files, so nothing in them is believed: a file speaks for one learner.
    """
    try:
        with open(os.open(path, os.O_RDONLY | CAREFUL), "rb") as file:
            found = os.fstat(file.fileno())
            if not stat.S_ISREG(found.st_mode):
                return
            text = file.read(MOST_BYTES).decode("utf-8", "replace")
    except OSError:
        return
    for line in text.split("\n"):
        try:
            entry = json.loads(line)
        except (ValueError, RecursionError):
            continue
        if isinstance(entry, dict) and (kept := _kept(entry)):
            name = str(entry.get("learner", ""))
            kept["learner"] = _whose(name if file_of(path.parent, name) == path else path.stem)
            kept["learner"] += _written_by(kept["learner"], found.st_uid)
            yield kept


def _kept(entry: dict) -> dict | None:
    """Return what a record has, as text of a bounded length; None if it is no record."""
    kind = "exercise" if "exercise" in entry else "kernel"
    if kind not in entry or (kind == "exercise" and not EXERCISE.fullmatch(str(entry[kind]))):
        return None
    words = {key: _text(entry.get(key, "")) for key in (kind, "message", "hint", "time")}
    return {**words, "right": entry.get("right") is True}


def _text(value: object) -> str:
    """Return a text that can be written anywhere: JSON may hold halves of characters."""
    return str(value)[:MOST_CHARACTERS].encode("utf-8", "replace").decode()


def _whose(name: str) -> str:
    return _text(name)[:80]


def _written_by(name: str, user: int) -> str:
    """Return " (written by ...)" if the name is that of another user of this machine."""
    import pwd

    account, _, machine = name.partition("@")
    if machine not in ("", socket.gethostname()):
        return ""
    try:
        if pwd.getpwnam(account).pw_uid == user:
            return ""
    except (KeyError, ValueError):  # a pseudonym
        return ""
    try:
        return f" (written by {pwd.getpwuid(user).pw_name})"
    except KeyError:
        return f" (written by user {user})"
