"""Find the folders of builds: the user's own, and one that a teacher or root prepared.

What lies in a folder of builds is loaded into the process. So a user loads only what he built
himself, what root built, and what the owner of the installed helpers built, whose code runs
anyway; and never what others may write. ELEMENTWISE_CACHE may point a whole class to one
folder: it is read, and what a learner builds goes to a folder of his own.
"""

from __future__ import annotations

import contextlib
import os
import stat
import tempfile
from pathlib import Path

from helpers import paths, settings
from helpers.errors import BuildError
from helpers.run.build_errors import OWN_FOLDER, cannot_write

PRIVATE = 0o700
SHARED = 0o755  # read by others, written by its owner
INSTALLED_BY = paths.PACKAGE.stat().st_uid


def own() -> Path:
    """Return the folder for this user's builds; it may not exist yet.

    It is the one that settings name, unless that is another's or others may write it.
    """
    named = settings.cache_path()
    if not named.exists() or _is_own(named):
        return named
    return _private()


def readable() -> list[Path]:
    """Return the folders whose builds may be there, the user's own first.

    A folder in which others may rename is none: a trusted build could stand for another one.
    """
    named = settings.cache_path()
    return list(dict.fromkeys([own(), *([named] if _keeps_names(named) else [])]))


def folder() -> Path:
    """Return the folder for this user's builds, made if it is missing.

    Raises BuildError if it cannot be written.
    """
    found = own()
    try:
        if not found.exists():
            found.mkdir(parents=True, exist_ok=True)
            with contextlib.suppress(OSError):  # a file system without modes
                found.chmod(SHARED)
        with tempfile.TemporaryFile(dir=found):
            pass
    except OSError as error:
        raise cannot_write(error, found) from None
    return found


def is_trusted(path: Path) -> bool:
    """Return whether somebody trusted made a file or folder, and others may not write it.

    A link is not trusted: it may lead anywhere.
    """
    try:
        found = path.lstat()
    except OSError:
        return False
    return _is_of_trusted(found) and not stat.S_ISLNK(found.st_mode) and not _is_open(found)


def _is_own(path: Path) -> bool:
    try:
        found = path.stat()
    except OSError:
        return False
    return found.st_uid == os.geteuid() and not _is_open(found)


def _keeps_names(path: Path) -> bool:
    """Return whether only trusted users can rename what others put into a folder."""
    try:
        found = path.stat()
    except OSError:
        return True  # there is nothing to read
    is_sticky = bool(found.st_mode & stat.S_ISVTX)
    return _is_of_trusted(found) and (is_sticky or not _is_open(found))


def _is_of_trusted(found: os.stat_result) -> bool:
    return found.st_uid in (os.geteuid(), 0, INSTALLED_BY)


def _is_open(found: os.stat_result) -> bool:
    """Return whether others than the owner may write; a group of the owner's own counts not."""
    if found.st_mode & stat.S_IWOTH:
        return True
    return bool(found.st_mode & stat.S_IWGRP) and not _is_private_group(found)


def _is_private_group(found: os.stat_result) -> bool:
    """Return whether a file's group has its owner's name and no other member."""
    import grp
    import pwd

    try:
        group, owner = grp.getgrgid(found.st_gid), pwd.getpwuid(found.st_uid).pw_name
    except KeyError:
        return False
    return group.gr_name == owner and set(group.gr_mem) <= {owner}


def _private() -> Path:
    """Make a folder that only this user can enter: in the home folder, else beside /tmp's."""
    temporary = Path(tempfile.gettempdir()) / f"elementwise-{os.geteuid()}"
    for place in (settings.learners_folder() / "cache", temporary):
        with contextlib.suppress(OSError):
            if not place.is_dir():
                place.mkdir(mode=PRIVATE, parents=True)
            if _is_own(place):
                return place
    raise BuildError(f"there is no folder of builds that others cannot write. {OWN_FOLDER}")
