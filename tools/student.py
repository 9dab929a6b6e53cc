"""Write the course as learners get it: lessons without outputs, and the solutions apart.

    make student                              build/student/ and build/solutions/
    python -m tools.student --to FOLDER       FOLDER/student/ and FOLDER/solutions/
    make student TRANSLATION=zh_CN               lessons in a language of docs/translations/

The student's folder is a course: lessons, kernels, data. It has no helpers, so the installed
ones of the same version serve it (docs/workshop.md). Its lessons keep their exercises, with the
cells that mark them. The solutions, copied over the student's folder, stand at
notebooks/solutions/.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import re
import shutil
import stat
import sys
from pathlib import Path

import nbformat
from nbformat import NotebookNode

from helpers import course, paths
from helpers.errors import CourseError
from helpers.teach import lessons, notebooks, translation
from helpers.teach.translation import Translator

STAMP = course.STUDENTS
COPIED = ("kernels", "data", "docs", "LICENSE", "LICENSE-TEXT", "CITATION.cff")
# Records that no lesson reads: of the checker's own trials.
UNREAD = ("check_family.csv", "blind_runs.csv")
PICTURES = "figures"  # in data/: README.md's
LEFT_OUT = shutil.ignore_patterns(
    "mine", "workshop.md", ".as_copied", "*.pyc", PICTURES, *UNREAD
)
FROM_TEACHER = "your teacher hands them out"
SOLUTION = re.compile(r"\[[^\]]*\]\((?:\S*/)?solutions/[^)]*\)")
# What a lesson links to and the folder has not: the words stay.
ELSEWHERE = re.compile(r"\[([^\]]*)\]\(((?!\w+:|#)[^)#\s]+)[^)\s]*\)")
README = """\
# Elementwise to the Roof

Open a terminal in this folder, start `jupyter lab`, and open the first lesson in `notebooks/`.
Run the cells from the top; what you write goes to `kernels/mine/`.

To have a lesson as it was, run `%run -m helpers.teach.fresh 05` in a cell; what you had is kept
in `notebooks/mine/` and `kernels/mine/`.

{table}

{sources}
"""
SOURCES = re.compile(r"^## Sources$.*?(?=^## |\Z)", re.DOTALL | re.MULTILINE)
PROJECT = """\
[project]
name = "{name}"
version = "{version}"
"""


def without_answers(lesson: NotebookNode, folder: Path) -> NotebookNode:
    """Remove outputs, counts and links that lead to nothing in `folder`, the lesson's own."""
    for name in ("executed_on", "widgets"):
        lesson.metadata.pop(name, None)
    lesson.metadata.get("language_info", {}).pop("version", None)
    for cell in lesson.cells:
        if cell.cell_type == "code":
            cell.outputs, cell.execution_count = [], None
            cell.metadata = {key: cell.metadata[key] for key in cell.metadata if key == "tags"}
        else:
            cell.source = with_links(cell.source, folder)
    return lesson


def with_links(text: str, folder: Path) -> str:
    """Replace links to solutions by words, and links to files that are not there by theirs."""

    def kept(match: re.Match) -> str:
        return match[0] if (folder / match[2]).exists() else match[1]

    return ELSEWHERE.sub(kept, SOLUTION.sub(FROM_TEACHER, text))


def write(root: Path, target: Path, language: str = "en") -> tuple[Path, Path]:
    """Write both folders into `target` anew, and return them.

    Raises CourseError if one of them is there and was not written by this command, or if there
    is no translation into the language.
    """
    translate = _in_english if language == "en" else translation.translator(language)
    student, solutions = target / "student", target / "solutions"
    for folder in (student, solutions):
        _make_empty(folder)
    for name in COPIED:
        if (root / name).is_dir():
            shutil.copytree(root / name, student / name, ignore=LEFT_OUT)
        elif (root / name).exists():
            shutil.copy2(root / name, student / name)
    (student / "kernels" / "mine").mkdir()
    version = course.version(root)
    project = PROJECT.format(name=course.DISTRIBUTION, version=version)
    (student / "pyproject.toml").write_text(project, encoding="utf-8")
    _write_lessons(root, student, translate)
    _write_solutions(root, solutions)
    return student, solutions


def _make_empty(folder: Path) -> None:
    """Make a folder anew, with the mode and the owner of the one that it replaces."""
    before = folder.stat() if folder.exists() else None
    if folder.exists() and any(folder.iterdir()):
        if not (folder / STAMP).exists():
            raise CourseError(
                f"{folder} was not written by this command, and is left alone: name another "
                "folder with --to"
            )
        shutil.rmtree(folder)
    # Nobody else may look in before the old mode is set again.
    folder.mkdir(mode=0o700 if before else 0o777, parents=True, exist_ok=True)
    if before:
        with contextlib.suppress(PermissionError):
            os.chown(folder, before.st_uid, before.st_gid)
        folder.chmod(stat.S_IMODE(before.st_mode))  # after chown, which clears some of its bits
    (folder / STAMP).touch()


def _in_english(name: str, lesson: NotebookNode) -> NotebookNode:
    return lesson


def _write_lessons(root: Path, student: Path, translate: Translator) -> None:
    known = lessons.read_lessons(root / "notebooks")
    folder = student / "notebooks"
    (folder / "mine").mkdir(parents=True)
    sources = SOURCES.search((root / "README.md").read_text(encoding="utf-8"))
    text = README.format(table=lessons.table(known), sources=sources[0] if sources else "")
    found = sorted((root / "notebooks").glob("[0-9][0-9]_*.ipynb"))
    for path in (student / "README.md", *(folder / path.name for path in found)):
        path.touch()  # so that links between them lead to files
    for path in found:
        lesson = without_answers(translate(path.name, notebooks.read(path)), folder)
        nbformat.write(lesson, folder / path.name)
    (student / "README.md").write_text(with_links(text, student), encoding="utf-8")


def _write_solutions(root: Path, solutions: Path) -> None:
    folder = Path("notebooks", "solutions")
    (solutions / folder).mkdir(parents=True)
    for path in (root / folder).glob(f"*{lessons.SOLUTIONS_NAME}"):
        shutil.copy2(path, solutions / folder)


def main(arguments: list[str] | None = None) -> int:
    """Write the folders, and say where they are. Returns 1 if they cannot be written."""
    parser = argparse.ArgumentParser(
        prog="python -m tools.student", description="Write the course as learners get it."
    )
    parser.add_argument("--to", type=Path, default=paths.ROOT / "build", help="default: build")
    parser.add_argument("--language", default="en", help="one of docs/translations/")
    options = parser.parse_args(arguments)
    try:
        student, solutions = write(paths.ROOT, options.to, options.language)
    except CourseError as error:
        print(error, file=sys.stderr)
        return 1
    except OSError as error:  # shutil's has a list of files, each with a reason
        why = error.args[0][0][2] if isinstance(error, shutil.Error) else error
        print(f"cannot write into {options.to}: {why}", file=sys.stderr)
        return 1
    print(f"for learners: {student}\nsolutions:    {solutions}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
