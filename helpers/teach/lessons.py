"""Derive what names the lessons from their first cells: the README's table, titles in links.

`python -m helpers.teach.lessons` writes it all anew after a lesson was added, moved or renamed:
the README's table, the text of each link that begins with a lesson's number, the headings of
the solutions, which lesson comes next, and the course's public address in docs/.
"""

from __future__ import annotations

import json
import re
import sys
from dataclasses import dataclass
from pathlib import Path

from helpers import paths, usage
from helpers.teach.address import address, with_address
from helpers.teach.notebooks import GLOSSARY

NOTEBOOKS = paths.ROOT / "notebooks"
README = paths.ROOT / "README.md"
TABLE = re.compile(r"(<!-- lessons: .*? -->\n).*?(\n<!-- end of lessons -->)", re.DOTALL)
LINK = re.compile(r"\[\d\d · [^\]]*\]\((?P<target>(?:\S*/)?(?P<file>\d\d_\w+\.ipynb))\)")
NEXT = re.compile(r"^(?:Next|Back to the start): \[[^\]]*\]\([^)]*\)$", re.MULTILINE)
OF_EXERCISES = r"(?:, (\d+) of them for the exercises)?"
# The first code cell of every notebook. The entries lead to the course's own folder from that
# folder, from notebooks/ and from solutions/, wherever else helpers are installed.
FIRST_CELL = """\
import sys

sys.path[:0] = [".", "..", "../.."]  # the folder of this course, before any other
try:
    from helpers import course
except ImportError:
    raise ImportError("run %cd with this notebook's folder, then this cell again") from None

course.enter("{folder}")"""
SOLUTIONS_NAME = "_solutions.ipynb"  # after the lesson's stem
SOLUTIONS = re.compile(r"\A# Solutions to \d\d · .*")


@dataclass(frozen=True)
class Lesson:
    """One lesson, as its first cell introduces it."""

    file: str  # "04_v4_f16x2.ipynb"
    title: str  # "V4: half2, and the price of a block"
    claim: str  # one sentence
    before: str  # what one should know, Markdown
    goals: tuple[str, ...]  # "You will be able to" ...
    minutes: int
    gpu: str
    exercise_minutes: int | None = None  # of the minutes, if the table says so

    @property
    def number(self) -> str:
        """The two digits that begin the file's name."""
        return self.file[:2]

    @property
    def heading(self) -> str:
        """The number and the title: "04 · V4: half2, and the price of a block"."""
        return f"{self.number} · {self.title}"


def read_lesson(path: Path) -> Lesson:
    """Read a lesson's title, claim and table from its first cell.

    Raises ValueError, with the file's name, where the cell lacks one of them.
    """
    first = "".join(json.loads(path.read_text(encoding="utf-8"))["cells"][0]["source"])

    def find(pattern: str, what: str) -> str:
        if match := re.search(pattern, first, re.MULTILINE):
            return match[1]
        raise ValueError(f"the first cell of {path.name} has no {what}")

    time = rf"^\| Time \| (\d+) minutes{OF_EXERCISES} \|$"
    practice = re.search(time, first, re.MULTILINE)
    return Lesson(
        file=path.name,
        title=find(
            rf"\A# {path.name[:2]} · (.+)", f"title that begins with # {path.name[:2]} ·"
        ),
        claim=find(r"^\*\*(.+)\*\*$", "claim, a sentence in bold on one line"),
        before=find(r"^\| Before this \| (.+) \|$", "row 'Before this'"),
        goals=tuple(
            find(r"^\| You will be able to \| (.+) \|$", "row 'You will be able to'").split(
                "; "
            )
        ),
        minutes=int(find(time, "row 'Time' with minutes")),
        gpu=find(r"^\| GPU \| (.+) \|$", "row 'GPU'"),
        exercise_minutes=int(practice[2]) if practice and practice[2] else None,
    )


def read_lessons(folder: Path = NOTEBOOKS) -> list[Lesson]:
    """Read every lesson of a folder in order; solutions and the glossary are left out."""
    found = sorted(folder.glob("[0-9][0-9]_*.ipynb"))
    return [read_lesson(path) for path in found if path.name != GLOSSARY]


def table(lessons: list[Lesson]) -> str:
    """Return the README's table of the lessons in Markdown, with the hours of all together."""
    lines = ["| lesson | what it shows | minutes |", "|---|---|--:|"]
    for lesson in lessons:
        link = f"[{lesson.heading}](notebooks/{lesson.file})"
        lines.append(f"| {link} | {lesson.claim} | {lesson.minutes} |")
    hours = sum(lesson.minutes for lesson in lessons) / 60
    lines.append(f"| **all of them** | with their exercises | {hours:.0f} hours |")
    return "\n".join(lines)


def with_table(text: str, lessons: list[Lesson]) -> str:
    """Put the table between the README's two comments. Raises ValueError without them."""
    new, found = TABLE.subn(lambda match: match[1] + table(lessons) + match[2], text)
    if not found:
        raise ValueError("README.md has no <!-- lessons: ... --> for the table of the lessons")
    return new


def with_titles(text: str, lessons: list[Lesson]) -> str:
    """Give each link to a lesson whose text begins with a number that lesson's heading."""
    headings = {lesson.file: lesson.heading for lesson in lessons}

    def renamed(match: re.Match) -> str:
        heading = headings.get(match["file"])
        return f"[{heading}]({match['target']})" if heading else match[0]

    return LINK.sub(renamed, text)


def with_next(text: str, file: str, lessons: list[Lesson]) -> str:
    """Let the line "Next: ..." of the lesson `file` lead on; the last one's, to the first."""
    files = [lesson.file for lesson in lessons]
    following = lessons[files.index(file) + 1 :]
    words, other = ("Next", following[0]) if following else ("Back to the start", lessons[0])
    return NEXT.sub(f"{words}: [{other.heading}]({other.file})", text)


def solutions_of(lesson: Path) -> Path:
    """Return the notebook of a lesson's solutions; its tab does not look like the lesson's."""
    return lesson.parent / "solutions" / (lesson.stem + SOLUTIONS_NAME)


def first_cell(path: Path) -> str:
    """Return the source of the first code cell that a notebook of the course begins with."""
    solutions = path.parent.name == "solutions"
    return FIRST_CELL.format(folder="notebooks/solutions" if solutions else "notebooks")


def with_heading(text: str, file: str, lessons: list[Lesson]) -> str:
    """Let the heading of the solutions of the lesson `file` name that lesson."""
    (heading,) = [lesson.heading for lesson in lessons if lesson.file == file]
    return SOLUTIONS.sub(f"# Solutions to {heading}", text)


def derived(path: Path, lessons: list[Lesson]) -> str:
    """Return the text that a notebook file should have; only its Markdown cells can change."""
    notebook = json.loads(path.read_text(encoding="utf-8"))
    change = with_heading if path.parent.name == "solutions" else with_next
    lesson = path.name.replace(SOLUTIONS_NAME, ".ipynb")
    for cell in notebook["cells"]:
        if cell["cell_type"] == "markdown":
            text = change("".join(cell["source"]), lesson, lessons)
            cell["source"] = with_titles(text, lessons).splitlines(keepends=True)
    return json.dumps(notebook, indent=1, ensure_ascii=False) + "\n"


def outdated(root: Path = paths.ROOT) -> dict[Path, str]:
    """Return the files in which a title, a link or the table is not what the lessons say.

    The values are the texts that these files should have.
    """
    folder, readme = root / "notebooks", root / "README.md"
    lessons = read_lessons(folder)
    files = [folder / lesson.file for lesson in lessons]
    files += [path for path in map(solutions_of, files) if path.exists()]
    new = {path: derived(path, lessons) for path in files}
    new[readme] = with_titles(with_table(readme.read_text("utf-8"), lessons), lessons)
    for page in root.glob("docs/*.md"):
        new[page] = with_address(page.read_text("utf-8"), address(root))
    return {path: text for path, text in new.items() if text != path.read_text("utf-8")}


def main() -> int:
    """Write every outdated file anew, and print its name."""
    for path, text in outdated().items():
        path.write_text(text, encoding="utf-8")
        print(f"wrote {path.relative_to(paths.ROOT)}")
    return 0


if __name__ == "__main__":
    usage.no_arguments(__doc__)
    sys.exit(main())
