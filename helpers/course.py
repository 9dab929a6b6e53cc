"""Find the folder of the course that a lesson lies in, and work there and nowhere else.

The first cell of every lesson calls `enter`. What `%%writefile ../kernels/x.cu` writes is then
what `jit.load("x")` reads; `check_place` refuses to load where it would not be.

A notebook's kernel is not told which file it runs. Jupyter starts it in the notebook's folder;
VS Code does too, unless it is set otherwise, and names the file in `__vsc_ipynb_file__`. The
variable JPY_SESSION_NAME also names a file, but a notebook that is run by a notebook inherits
it, so it is not used.
"""

from __future__ import annotations

import contextlib
import filecmp
import hashlib
import importlib
import importlib.metadata
import os
import re
import shutil
import sys
from pathlib import Path

from helpers import progress, settings
from helpers.errors import CourseError

PACKAGE = Path(__file__).resolve().parent
DISTRIBUTION = "elementwise-to-the-roof"
STUDENTS = ".written_by_make_student"  # a file of each folder that `make student` wrote
# What may be loaded before `enter` without having read a folder of the course.
LIGHT = {
    "helpers",
    *(f"helpers.{name}" for name in ("course", "errors", "progress", "settings")),
}


def enter(lessons: str = "notebooks") -> None:
    """Make the folder of the course that this notebook lies in the one that is worked in.

    lessons: the notebook's own folder in the course, "notebooks" or "notebooks/solutions"; it
    becomes the working directory. The helpers are that course's own if it has them, else the
    installed ones of the same version. Where the course cannot be written, kernels and builds
    go to a folder of the learner's.

    Raises CourseError if the folder cannot be told, or if its helpers cannot be had.
    """
    root = find()
    own = root / "helpers"
    if (own / "__init__.py").is_file():
        if own.resolve() != PACKAGE:
            return _enter_with(root, lessons)
    else:
        _check_version(root)
    home = root if can_be_written(root / "kernels") else learners_copy(root)
    paths = sys.modules.get("helpers.paths")
    if paths is not None and paths.ROOT.resolve() != home:
        raise _restart(root)
    os.environ["ELEMENTWISE_ROOT"] = str(home)
    relative = {".", "..", "../.."}  # what the lessons' first cell puts there
    sys.path[:] = [str(PACKAGE.parent), *(entry for entry in sys.path if entry not in relative)]
    (home / "kernels" / "mine").mkdir(exist_ok=True)
    os.chdir(home / lessons)
    progress.announce()


def find() -> Path:
    """Return the folder of the course that this notebook lies in.

    That is the one of the file that VS Code names, else the one of the working directory.
    Raises CourseError if there is neither.
    """
    shell = _notebook()
    file = shell.user_ns.get("__vsc_ipynb_file__") if shell else None
    places = [Path(file).parent, Path.cwd()] if file else [Path.cwd()]
    for place in places:
        if root := enclosing(place):
            return root
    raise CourseError(
        f"the working directory {Path.cwd()} is not in a folder of the course: run %cd with "
        "the folder that this notebook lies in, then run this cell again"
    )


def enclosing(place: Path) -> Path | None:
    """Return the nearest folder of a course at or above `place`, links resolved, or None."""
    place = place.resolve()
    return next((folder for folder in (place, *place.parents) if _is_course(folder)), None)


def _is_course(folder: Path) -> bool:
    parts = ("notebooks", "kernels", "data/gpus.csv")
    return all((folder / part).exists() for part in parts)


def check_place(root: Path) -> None:
    """Raise CourseError where a kernel's name would mean another file than the lesson's.

    root: the course whose kernels would be loaded. The working directory must not be in
    another one; in a notebook it must be a folder of this course's notebooks.
    """
    here = enclosing(Path.cwd())
    notebook = _notebook() is not None
    if here is None and not notebook:
        return
    root = root.resolve()
    if here == root and (not notebook or root in tuple(Path.cwd().resolve().parents)[:2]):
        return
    raise CourseError(
        f"the kernels of {root} would be loaded, but the working directory is {Path.cwd()}: "
        + ("restart the kernel, then run the lesson's first cell" if notebook else f"cd {root}")
    )


def _notebook():
    """Return the IPython shell of a notebook's kernel; None in scripts and in a terminal."""
    ipython = sys.modules.get("IPython")
    shell = ipython.get_ipython() if ipython else None
    return None if type(shell).__name__ == "TerminalInteractiveShell" else shell


def _enter_with(root: Path, lessons: str) -> None:
    """Replace the helpers that were found by those of `root`, and let them enter it."""
    loaded = [name for name in sys.modules if name.split(".")[0] == "helpers"]
    if not LIGHT.issuperset(loaded):
        raise _restart(root)
    for name in loaded:
        del sys.modules[name]
    sys.path.insert(0, str(root))
    importlib.import_module("helpers.course").enter(lessons)


def _restart(root: Path) -> CourseError:
    return CourseError(
        f"helpers of another folder than {root} were loaded already: "
        "restart the kernel, then run this cell first"
    )


def _check_version(root: Path) -> None:
    """Raise CourseError unless the installed helpers have the version of the lessons there."""
    wanted, installed = version(root), version(PACKAGE.parent)
    if installed is None:
        with contextlib.suppress(importlib.metadata.PackageNotFoundError):
            installed = importlib.metadata.version(DISTRIBUTION)
    if wanted is None or wanted != installed:
        raise CourseError(
            f"{root} has no helpers/, its lessons are of {wanted or 'an unknown version'}, and "
            f"the installed helpers are of {installed or 'an unknown version'}: "
            "copy helpers/ and pyproject.toml there from where the lessons are from"
        )


def version(folder: Path) -> str | None:
    """Return the version that a course's pyproject.toml names; None if there is none."""
    file = folder / "pyproject.toml"
    text = file.read_text(encoding="utf-8") if file.is_file() else ""
    found = re.search(rf'^name = "{DISTRIBUTION}"\nversion = "(.+)"$', text, re.MULTILINE)
    return found and found[1]


def can_be_written(kernels: Path) -> bool:
    """Return whether a learner may write new kernels, and those that are there."""
    return all(os.access(path, os.W_OK) for path in (kernels, *kernels.iterdir()))


def learners_copy(root: Path) -> Path:
    """Make, or bring up to date, the learner's folder for a course that cannot be written.

    It has the course's kernels, which a lesson may overwrite, and a link to its data. A kernel
    that the course has changed since is copied again unless the learner changed it, too.
    """
    place = hashlib.sha256(str(root).encode()).hexdigest()[:8]
    home = settings.learners_folder() / f"{root.name}-{place}"
    new = not home.exists()
    try:
        for folder in ("notebooks/solutions", "kernels/mine", "kernels/.as_copied"):
            (home / folder).mkdir(parents=True, exist_ok=True)
        for source in root.glob("kernels/*.cu*"):
            _renew(source, home / "kernels" / source.name)
        if not (home / "data").exists():
            (home / "data").symlink_to(root / "data")
    except OSError as error:
        raise CourseError(
            f"{root} cannot be written, nor can {home} ({error.strerror}): "
            "set ELEMENTWISE_HOME to a folder of your own"
        ) from None
    if new:
        print(f"{root} cannot be written: your kernels and builds go to {home}")
    return home.resolve()


def _renew(source: Path, target: Path) -> None:
    """Copy a kernel unless the learner has changed the copy that was made before."""
    before = target.parent / ".as_copied" / source.name
    touched = target.exists() and not (
        before.exists() and filecmp.cmp(before, target, shallow=False)
    )
    if not touched:
        for copy in (before, target):
            copy.unlink(missing_ok=True)
            shutil.copyfile(source, copy)
