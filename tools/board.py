"""Show a workshop's board: learners x exercises, who is stuck, and on which sentence.

    python -m tools.board FOLDER            once, in the terminal; also writes build/board.html
    python -m tools.board FOLDER --watch    again every 5 seconds; the page reloads itself
    python -m tools.board FOLDER --csv marks.csv

FOLDER is what ELEMENTWISE_MARKS names for the learners (helpers/progress.py). The page needs
no server and asks none: open the file. docs/workshop.md says what is recorded.
"""

from __future__ import annotations

import argparse
import csv
import html
import os
import sys
import time
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime, timezone
from pathlib import Path

from helpers import paths, progress, settings
from helpers.errors import CourseError

STUCK_AFTER = 2  # wrong answers to one thing, the last of them not followed by a right one
SECONDS = 5
COLUMNS = ("time", "learner", "exercise", "kernel", "right", "message", "hint")
MOST_THINGS = 200  # of one learner: the course has some 60 exercises and as many kernels
# What a terminal or a browser would obey, such as a change of the direction of writing.
OBEYED = (range(32), range(127, 160), range(0x200B, 0x2010), range(0x2028, 0x202F))
CONTROL = dict.fromkeys([n for part in (*OBEYED, range(0x2060, 0x2070)) for n in part], " ")
LONGEST_NAME, LONGEST_SENTENCE = 40, 300


@dataclass
class Work:
    """What one learner did about one exercise or kernel."""

    right: bool = False  # once right, an exercise stays right; a kernel is as its last verdict
    wrong: int = 0  # wrong answers since the last right one
    sentence: str = ""  # of the last wrong answer
    since: str = ""  # the time of the first of those wrong answers


@dataclass
class Board:
    """All marks of a folder, put in order.

    exercises: the columns. work: by learner, then by exercise or kernel. last: the time of each
    learner's last mark.
    """

    exercises: list[str] = field(default_factory=list)
    work: dict[str, dict[str, Work]] = field(default_factory=dict)
    last: dict[str, str] = field(default_factory=dict)

    def stuck(self) -> list[tuple[str, str, Work]]:
        """List learner, exercise or kernel, and work, the longest stuck first."""
        found = [
            (learner, name, work)
            for learner, all_work in self.work.items()
            for name, work in all_work.items()
            if not work.right and work.wrong >= STUCK_AFTER
        ]
        return sorted(found, key=lambda row: row[2].since)

    def sentences(self) -> list[tuple[str, int]]:
        """List the sentences that several learners are stuck on, the most frequent first."""
        counted = Counter((name, work.sentence) for _, name, work in self.stuck())
        return [(f"{name}: {said}", n) for (name, said), n in counted.most_common() if n > 1]


def make_board(entries: Iterable[dict]) -> Board:
    """Make the board of entries, which are in the order of time."""
    board = Board()
    for entry in entries:
        is_exercise = "exercise" in entry
        name = str(entry["exercise"] if is_exercise else entry["kernel"])[:LONGEST_NAME]
        all_work = board.work.setdefault(entry["learner"], {})
        if name not in all_work and len(all_work) >= MOST_THINGS:
            continue
        work = all_work.setdefault(name, Work())
        board.last[entry["learner"]] = entry["time"]
        if is_exercise and name not in board.exercises:
            board.exercises.append(name)
        _add(work, entry, is_exercise)
    board.exercises.sort()
    board.work = dict(sorted(board.work.items()))
    return board


def _add(work: Work, entry: dict, stays_right: bool) -> None:
    if entry["right"]:
        work.right, work.wrong, work.since = True, 0, ""
    elif not (work.right and stays_right):
        work.right = False
        work.wrong += 1
        work.since = work.since or entry["time"]
        work.sentence = sentence(entry)


def sentence(entry: dict) -> str:
    """Return what helps the teacher to help: the hint, else the message's first line."""
    words = str(entry["hint"] or entry["message"].split("\n")[0])
    return words.translate(CONTROL).strip()[:LONGEST_SENTENCE]


def symbol(work: Work | None) -> str:
    """Return one character for a cell: + right, 1 to 9 wrong answers, . nothing yet."""
    if work is None:
        return "."
    return "+" if work.right else str(min(work.wrong, 9))


def lessons(board: Board) -> dict[str, list[str]]:
    """Group the exercises by lesson: {"01": ["01.1", "01.2"]}."""
    grouped: dict[str, list[str]] = {}
    for name in board.exercises:
        grouped.setdefault(name.split(".")[0], []).append(name)
    return grouped


def minutes_since(then: str, now: datetime) -> str:
    """Return how long ago a time was, "12 min"; "" if it is no time."""
    try:
        return f"{max(0, int((now - datetime.fromisoformat(then)).total_seconds() // 60))} min"
    except (ValueError, TypeError):
        return ""


def as_text(board: Board, now: datetime) -> str:
    """Return the board for a terminal."""
    if not board.work:
        return "no marks yet"
    grouped = lessons(board)
    names = {learner: learner.translate(CONTROL)[:LONGEST_NAME] for learner in board.work}
    width = max([7, *map(len, names.values())])
    titles = [lesson.ljust(max(2, len(names))) for lesson, names in grouped.items()]
    lines = [" ".join(["learner".ljust(width), *titles, "last mark"])]
    for learner, work in board.work.items():
        cells = [
            "".join(symbol(work.get(name)) for name in names).ljust(2)
            for names in grouped.values()
        ]
        ago = minutes_since(board.last[learner], now)
        lines.append(" ".join([names[learner].ljust(width), *cells, ago]))
    lines.append("(a column an exercise: + right, 1-9 wrong answers so far, . nothing yet)")
    if stuck := board.stuck():
        lines += ["", "stuck:"]
        lines += [
            f"  {names[learner]}, {_plain(name)} ({work.wrong} wrong, "
            f"{minutes_since(work.since, now)}): {work.sentence}"
            for learner, name, work in stuck
        ]
    if several := board.sentences():
        lines += ["", "several learners at the same sentence:"]
        lines += [f"  {count} x {_plain(words)}" for words, count in several]
    return "\n".join(lines)


def _plain(text: str) -> str:
    return text.translate(CONTROL)


def _html(text: str) -> str:
    return html.escape(_plain(text))


PAGE = """\
<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><meta http-equiv="refresh" content="{seconds}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy"
 content="default-src 'none'; style-src 'unsafe-inline'">
<title>Board</title><style>
:root {{ color-scheme: light dark; }}
body {{ font: 15px/1.4 system-ui, sans-serif; margin: 1.5rem; }}
table {{ border-collapse: collapse; }}
th, td {{ padding: .15rem .45rem; border: 1px solid #8886; text-align: center; }}
th[scope=row] {{ text-align: left; font-weight: normal; }}
.right {{ background: #0072b2; color: white; }}
.wrong {{ background: #e69f00; color: black; }}
.stuck {{ background: #d55e00; color: black; font-weight: bold; }}
.scroll {{ overflow-x: auto; }}
</style></head><body>
<h1>Board</h1>
<p>{count}. As of {now} UTC; the page reloads itself every {seconds} seconds.
+ right; a number: so many wrong answers, stuck from {stuck_after} on.</p>
<div class="scroll"><table><thead>{head}</thead><tbody>{rows}</tbody></table></div>
<h2>Stuck</h2>{stuck}
<h2>Several learners at the same sentence</h2>{sentences}
</body></html>
"""


def as_page(board: Board, now: datetime) -> str:
    """Return the board as one HTML page, which needs nothing else and reloads itself."""
    heads = "".join(f"<th scope=col>{_html(name)}</th>" for name in board.exercises)
    rows = "".join(_row(board, learner, now) for learner in board.work)
    stuck = [
        f"<b>{_html(learner)}</b>, {_html(name)} ({work.wrong} wrong, "
        f"{minutes_since(work.since, now)}): {_html(work.sentence)}"
        for learner, name, work in board.stuck()
    ]
    several = [f"{count} × {_html(words)}" for words, count in board.sentences()]
    return PAGE.format(
        seconds=SECONDS,
        stuck_after=STUCK_AFTER,
        count=f"{len(board.work)} learner{'s' * (len(board.work) != 1)}",
        now=now.strftime("%H:%M:%S"),
        head=f"<tr><th scope=col>learner</th>{heads}<th scope=col>last mark</th></tr>",
        rows=rows,
        stuck=_listed(stuck),
        sentences=_listed(several),
    )


def _row(board: Board, learner: str, now: datetime) -> str:
    cells = "".join(_cell(board.work[learner].get(name)) for name in board.exercises)
    ago = minutes_since(board.last[learner], now)
    return f"<tr><th scope=row>{_html(learner)}</th>{cells}<td>{ago}</td></tr>\n"


def _cell(work: Work | None) -> str:
    if work is None:
        return "<td></td>"
    kind = "right" if work.right else "stuck" if work.wrong >= STUCK_AFTER else "wrong"
    words = "" if work.right else f' title="{_html(work.sentence)}"'
    return f'<td class="{kind}"{words}>{symbol(work)}</td>'


def _listed(items: list[str]) -> str:
    if not items:
        return "<p>nobody</p>"
    return "<ul>" + "".join(f"<li>{item}</li>" for item in items) + "</ul>"


def write_csv(entries: Iterable[dict], path: Path) -> None:
    """Write every mark as a row; a text that a spreadsheet would compute is quoted."""
    with path.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, COLUMNS, extrasaction="ignore", restval="")
        writer.writeheader()
        for entry in entries:
            writer.writerow({key: _inert(value) for key, value in entry.items()})


def _inert(value: object) -> object:
    is_formula = isinstance(value, str) and value.lstrip()[:1] in ("=", "+", "-", "@")
    return f"'{value}" if is_formula else value


def write_page(text: str, path: Path) -> None:
    """Replace the page in one step, so that a browser never reads half of it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(f".{path.name}.{os.getpid()}")
    part.write_text(text, encoding="utf-8")
    part.replace(path)


def show(folder: Path, page: Path, table: Path | None) -> str:
    """Read the folder, write the page and the table, and return the board's text.

    Raises CourseError if there is no such folder.
    """
    if not folder.is_dir():
        raise CourseError(
            f"there is no folder {folder}: it is the one that ELEMENTWISE_MARKS names for the "
            "learners, and is made by the first mark"
        )
    entries = progress.read(folder)
    board, now = make_board(entries), datetime.now(timezone.utc)
    write_page(as_page(board, now), page)
    if table:
        write_csv(entries, table)
    return as_text(board, now)


def main(arguments: list[str] | None = None) -> int:
    """Show the board, once or until interrupted. Returns 1 if there is no folder."""
    parser = argparse.ArgumentParser(
        prog="python -m tools.board", description="Show the board."
    )
    parser.add_argument("folder", type=Path, nargs="?", default=settings.marks_folder())
    parser.add_argument("--html", type=Path, default=paths.ROOT / "build" / "board.html")
    parser.add_argument("--csv", type=Path, help="also write every mark to this file")
    parser.add_argument("--watch", action="store_true", help=f"again every {SECONDS} seconds")
    options = parser.parse_args(arguments)
    if options.folder is None:
        parser.error(
            "which folder? make board MARKS=FOLDER, python -m tools.board FOLDER, or set "
            "ELEMENTWISE_MARKS"
        )
    try:
        while True:
            text = show(options.folder, options.html, options.csv)
            clear = "\x1b[2J\x1b[H" if options.watch and sys.stdout.isatty() else ""
            print(f"{clear}{text}\n\nas a page: {options.html.absolute().as_uri()}", flush=True)
            if not options.watch:
                return 0
            time.sleep(SECONDS)
    except CourseError as error:
        print(error, file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 0


if __name__ == "__main__":
    sys.exit(main())
