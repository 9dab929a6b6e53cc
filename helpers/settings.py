"""Read the course's environment variables; the one list of them.

ELEMENTWISE_ROOT
    The folder of data/ and kernels/ (default: the folder above helpers/). Read once, at import.
ELEMENTWISE_HOME
    The folder for a learner's kernels and builds where the course's own cannot be written
    (default: elementwise-to-the-roof in the home folder).
ELEMENTWISE_CACHE
    The folder of built kernels (default: build/cache in the root). A class may read one that
    the teacher prepared (`make prepare`); who may not trust it builds in ELEMENTWISE_HOME.
ELEMENTWISE_MACHINE
    "emulator": run kernels on the CPU emulator, also where there is a GPU.
ELEMENTWISE_SANDBOX
    How a kernel's first launch on a GPU is made in a child process. 0: not at all. native:
    compute-sanitizer only to explain a fault. memcheck: always under compute-sanitizer. auto
    (default): under compute-sanitizer, unless it took more than 2 s in the last half hour.
ELEMENTWISE_KERNEL_TIMEOUT
    Seconds until a running kernel counts as endless (default: 10 in a first launch on a GPU,
    60 on the emulator).
ELEMENTWISE_FIND_LINE
    0: do not look for the line of a fault of which the outputs prove no cause, which takes some
    3 s (default: 1). See helpers/testing/repair.
ELEMENTWISE_STRICT
    1, as in the tests: what users need not see is raised (default: 0). An exception in what
    explains a wrong kernel: the verdict says what is wrong without that explanation. A kernel
    that does not compile as the emulator has rewritten it: it runs as it is written, slower.
ELEMENTWISE_WAIT_WORDS
    Seconds that a cell waits for another process (its build, its turn on the GPU) before it
    says so (default: 5).
ELEMENTWISE_LOCKS
    The folder of the locks that processes take turns by, on a GPU and in building (default: the
    system's folder for temporary files). Containers that share a GPU must share this folder.
ELEMENTWISE_BUILDS
    How many kernels may be built at once by all who share that folder (default: 0, no limit).
    One build takes up to 0.5 GB.
ELEMENTWISE_ORIGINAL
    The folder that a learner's course is a copy of, from which a lesson can be had as it was
    (default: what git has, or the installed course). See helpers/teach/fresh.py.
CXX
    The C++ compiler of kernels on the emulator, with options if need be: "clang++
    -stdlib=libc++" (default: g++).
ELEMENTWISE_LAST_WORDS
    Set by helpers.emulator.isolated in its child process only: the pipe for what it says last.
ELEMENTWISE_COMMIT
    The commit that a record names (default: what git says).
ELEMENTWISE_MARKS
    The folder in which marks and verdicts are recorded, for a workshop's board; the learner is
    told (default: none, and nothing is recorded). See helpers/progress.py.
ELEMENTWISE_LEARNER
    The name under which a learner's marks are recorded (default: user@machine).
"""

from __future__ import annotations

import enum
import os
import shlex
import tempfile
from pathlib import Path

TIMEOUT_SECONDS = 10.0
WAIT_WORDS_SECONDS = 5.0


class Sandbox(str, enum.Enum):
    """How a kernel is launched first: the values of ELEMENTWISE_SANDBOX."""

    OFF = "0"
    NATIVE = "native"
    MEMCHECK = "memcheck"
    AUTO = "auto"


def root() -> Path:
    """Return the folder that holds data/ and kernels/."""
    return Path(os.environ.get("ELEMENTWISE_ROOT") or Path(__file__).resolve().parent.parent)


def learners_folder() -> Path:
    """Return the folder for the kernels of courses that cannot be written."""
    given = os.environ.get("ELEMENTWISE_HOME")
    return Path(given or Path.home() / "elementwise-to-the-roof").absolute()


def cache_path() -> Path:
    """Return the folder of built kernels, which may not exist yet."""
    return Path(os.environ.get("ELEMENTWISE_CACHE") or root() / "build" / "cache").absolute()


def original() -> Path | None:
    """Return the folder that the learner's course is a copy of; None if none was named."""
    given = os.environ.get("ELEMENTWISE_ORIGINAL", "")
    return Path(given).absolute() if given else None


def locks_folder() -> Path:
    """Return the folder of the locks that processes of several users take turns by."""
    return Path(os.environ.get("ELEMENTWISE_LOCKS") or tempfile.gettempdir()).absolute()


def most_builds() -> int:
    """Return how many kernels may be built at once on this machine; 0 if any number may."""
    return max(0, int(_number("ELEMENTWISE_BUILDS", 0)))


def emulator_is_chosen() -> bool:
    """Return whether kernels run on the emulator even if there is a GPU."""
    return os.environ.get("ELEMENTWISE_MACHINE") == "emulator"


def sandbox() -> Sandbox:
    """Return how first launches are made; an unknown word counts as "auto"."""
    try:
        return Sandbox(os.environ.get("ELEMENTWISE_SANDBOX", "auto").lower())
    except ValueError:
        return Sandbox.AUTO


def cxx() -> list[str]:
    """Return the C++ compiler's command as words: the program, then its options."""
    text = os.environ.get("CXX", "").strip()
    if Path(text).is_file():  # its path may have spaces
        return [text]
    try:
        return shlex.split(text) or ["g++"]
    except ValueError:  # an open quotation mark
        return [text]


def find_line() -> bool:
    """Return whether edits of a wrong kernel are tried to find the line of its fault."""
    return os.environ.get("ELEMENTWISE_FIND_LINE", "1") != "0"


def strict() -> bool:
    """Return whether faults of the course that users need not see are raised."""
    return os.environ.get("ELEMENTWISE_STRICT", "0") == "1"


def commit() -> str:
    """Return the commit that records are to name; "" if git is to be asked."""
    return os.environ.get("ELEMENTWISE_COMMIT", "")


def marks_folder() -> Path | None:
    """Return the folder in which marks are recorded; None if they are not."""
    given = os.environ.get("ELEMENTWISE_MARKS", "")
    return Path(given).absolute() if given else None


def learner() -> str:
    """Return the name under which marks are recorded; "" if none was given."""
    return os.environ.get("ELEMENTWISE_LEARNER", "").strip()


def _number(name: str, default: float) -> float:
    try:
        return float(os.environ[name])
    except (KeyError, ValueError):
        return default


def first_launch_timeout() -> float:
    """Return the seconds that a kernel's first launch may run in a child process."""
    return _number("ELEMENTWISE_KERNEL_TIMEOUT", TIMEOUT_SECONDS)


def wait_words() -> float:
    """Return the seconds of waiting for another process after which a cell says so."""
    return _number("ELEMENTWISE_WAIT_WORDS", WAIT_WORDS_SECONDS)
