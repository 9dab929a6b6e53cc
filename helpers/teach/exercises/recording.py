"""Write marks to a folder, for a workshop's board: one file a learner, one line a mark.

Off unless ELEMENTWISE_MARKS names the folder. A line is a JSON object with the fields of `Mark`
and the learner's name.
"""

from __future__ import annotations

import getpass
import json
import re
import socket
import sys
from dataclasses import asdict
from pathlib import Path

from helpers import settings
from helpers.teach.exercises.marking import Mark


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


def record(mark: Mark) -> None:
    """Append a mark to the learner's file if there is a folder; never fail."""
    folder = settings.marks_folder()
    if folder is None:
        return
    name = learner()
    line = json.dumps({"learner": name, **asdict(mark)}, ensure_ascii=False)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with file_of(folder, name).open("a", encoding="utf-8") as file:
            file.write(line + "\n")
    except OSError as error:
        print(f"(the mark could not be recorded in {folder}: {error})", file=sys.stderr)


def read(folder: Path) -> list[dict]:
    """Read all marks of a folder, oldest first; a line that is not one is passed over."""
    marks = []
    for path in sorted(folder.glob("*.jsonl")):
        for line in path.read_text(encoding="utf-8", errors="replace").splitlines():
            try:
                found = json.loads(line)
            except ValueError:  # half a line, of a disk that was full
                continue
            if isinstance(found, dict) and "exercise" in found:
                marks.append(found)
    return sorted(marks, key=lambda mark: str(mark.get("time", "")))
