"""Bring a lesson back to what the course has, and keep the learner's copy: `make fresh`.

The lesson, its solutions and the kernels that its cells write become those of the last commit.
Where there is no git, they become those of the folder that the course was copied from
(ELEMENTWISE_ORIGINAL; a hub names it), or of the installed course. What the learner had goes to
notebooks/mine/ and kernels/mine/, which git does not know, so that `git pull` goes through.
"""

from __future__ import annotations

import argparse
import filecmp
import re
import shutil
import subprocess
import sys
from pathlib import Path

from helpers import course, paths, settings
from helpers.errors import CourseError
from helpers.teach import notebooks

LESSON = re.compile(r"notebooks/(?:solutions/)?(\d\d)_\w+\.ipynb")
WRITES = re.compile(r"%%writefile (?:\.\./)+(kernels/[\w.]+)\n")


class Commit:
    """A course's files as its last commit has them; names are paths in the course."""

    def __init__(self, root: Path):
        self.root = root

    def names(self) -> list[str]:
        """List the notebooks."""
        return self._git("ls-tree", "-r", "--name-only", "HEAD", "notebooks/").splitlines()

    def differs(self, name: str) -> bool:
        """Return whether the course's file is another one, or missing where there was one."""
        return bool(self._git("status", "--porcelain", "--untracked-files=no", "--", name))

    def restore(self, name: str) -> None:
        """Write the file into the course."""
        self._git("checkout", "--quiet", "HEAD", "--", name)

    def _git(self, *words: str) -> str:
        command = ["git", "-C", str(self.root), *words]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode:
            raise CourseError(f"git {words[0]} failed: {done.stderr.strip()}")
        return done.stdout


class Installed:
    """A course's files as another folder has them, from which it was copied."""

    def __init__(self, root: Path, original: Path):
        self.root, self.original = root, original

    def names(self) -> list[str]:
        """List the notebooks."""
        found = notebooks.find(self.original / "notebooks")
        return [path.relative_to(self.original).as_posix() for path in found]

    def differs(self, name: str) -> bool:
        """Return whether the course's file is another one, or missing where there was one."""
        original, here = self.original / name, self.root / name
        if not original.exists():
            return False
        return not here.exists() or not filecmp.cmp(original, here, shallow=False)

    def restore(self, name: str) -> None:
        """Write the file into the course."""
        shutil.copyfile(self.original / name, self.root / name)


def original(root: Path) -> Commit | Installed:
    """Return where a course's files can be had as they were.

    Raises CourseError if there is neither a commit nor an installed course besides this one.
    """
    reason = "git is not installed"
    if shutil.which("git"):
        try:
            if Commit(root).names():
                return Commit(root)
            reason = "git has no lesson of it"
        except CourseError as error:
            reason = str(error)
    # The installed course would bring outputs and solutions into a folder for students.
    installed = None if (root / course.STUDENTS).exists() else paths.PACKAGE.parent
    for folder in filter(None, (settings.original(), installed)):
        if (folder / "notebooks").is_dir() and folder.resolve() != root.resolve():
            return Installed(root, folder)
    raise CourseError(
        f"{root} does not know its lessons as they were ({reason}), and no other course is "
        "installed: copy the lesson from where you have the course from"
    )


def restore(root: Path, number: str) -> list[str]:
    """Restore the lesson `number` ("05"). Returns a line for each file that had changed.

    Raises CourseError if there is no such lesson.
    """
    source = original(root)
    lessons = {name: found[1] for name in source.names() if (found := LESSON.fullmatch(name))}
    chosen = [name for name, its in lessons.items() if its == number]
    if not chosen:
        known = sorted(set(lessons.values()))
        raise CourseError(f"no lesson {number!r}: there are {known[0]} to {known[-1]}")
    said = [_restore_file(root, source, name) for name in chosen if source.differs(name)]
    kernels = dict.fromkeys(name for lesson in chosen for name in _written(root / lesson))
    said += [_restore_file(root, source, name) for name in kernels if source.differs(name)]
    return said


def _written(lesson: Path) -> list[str]:
    """List the kernels that a lesson's cells write, but not those in kernels/mine/."""
    cells = notebooks.code_cells(notebooks.read(lesson))
    return [found[1] for cell in cells if (found := WRITES.match(cell.source))]


def _restore_file(root: Path, source: Commit | Installed, name: str) -> str:
    """Restore one file, after its copy was made. Returns a line that says so."""
    path = root / name
    if not path.exists():
        source.restore(name)
        return f"{name} is back"
    kept = _free(root / name.split("/")[0] / "mine" / path.name)
    kept.parent.mkdir(exist_ok=True)
    shutil.copy2(path, kept)
    source.restore(name)
    return f"{name} is as it was; yours is kept as {kept.relative_to(root)}"


def _free(path: Path) -> Path:
    """Return a path that does not exist yet: x.cu, x_2.cu, x_3.cu ..."""
    number, free = 1, path
    while free.exists():
        number += 1
        free = path.with_stem(f"{path.stem}_{number}")
    return free


def main(arguments: list[str] | None = None) -> int:
    """Run the command for the working directory's course. Returns 1 if it cannot be done."""
    parser = argparse.ArgumentParser(prog="make fresh", description="Restore a lesson.")
    parser.add_argument("lesson", nargs="?", help="its two digits: make fresh LESSON=05")
    options = parser.parse_args(arguments)
    if not options.lesson:
        print("which lesson? make fresh LESSON=05", file=sys.stderr)
        return 1
    root = course.enclosing(Path.cwd()) or paths.ROOT
    try:
        said = restore(root, options.lesson.zfill(2))
    except CourseError as error:
        print(error, file=sys.stderr)
        return 1
    print("\n".join(said) or f"lesson {options.lesson.zfill(2)} is as it was: nothing to do")
    if said:
        print("if it is open in JupyterLab: File, Reload Notebook from Disk")
    return 0


if __name__ == "__main__":
    sys.exit(main())
