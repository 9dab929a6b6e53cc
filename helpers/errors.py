"""Define the exceptions a learner meets; each message says what happened and what to do."""

from __future__ import annotations

import enum
import shlex
import sys
import traceback
from pathlib import Path

HERE = Path(__file__).resolve().parent


def pip_install(what: str) -> str:
    """Return the command, for a remedy, that installs into the Python that runs this.

    A terminal's `pip` may be another Python's: the course's own `.venv` need not be activated.
    """
    return f"{shlex.quote(sys.executable or 'python')} -m pip install {what}"


class CourseError(Exception):
    """Base of the errors of building, launching, checking and timing a kernel, and of names.

    Arguments of a wrong type or value raise TypeError or ValueError, a kernel file that is not
    there FileNotFoundError, as elsewhere in Python.
    """

    def _render_traceback_(self) -> list[str]:
        """Return what a notebook shows (IPython asks for it): the learner's lines, the message.

        The course's own frames, and those of installed packages, would push the message out of
        sight.
        """
        frames = traceback.extract_tb(self.__traceback__)
        shown = [f"line {f.lineno}: {f.line}" for f in frames if _is_learners(f.filename)]
        return [*shown, f"{type(self).__name__}: {self}"]


def _is_learners(filename: str) -> bool:
    """Return whether a frame's file is neither the course's nor an installed package's."""
    path = Path(filename)
    return (
        path.parent != HERE and HERE not in path.parents and "site-packages" not in path.parts
    )


class UnknownNameError(CourseError, KeyError, ValueError):
    """A name that is not in a table: a card, a kernel, an experiment. Names those near it."""

    __str__ = Exception.__str__  # a KeyError shows its message in quotation marks


class CompileError(CourseError):
    """A kernel file did not compile; the message has file, line and the compiler's words.

    log: all that the compiler said.
    """

    def __init__(self, message: str, log: str = ""):
        super().__init__(message)
        self.log = log


class BuildError(CourseError):
    """The compiler could not run at all: it is missing or too old, or the disk is full."""


class LauncherError(CourseError, ValueError):
    """A .cu file declares no launcher, or one that cannot be understood, or it is not text."""


class LaunchError(CourseError):
    """A kernel was refused at launch (too many threads, an empty grid, ...) and did not run.

    side: of the grid or the block, "grid.x", if its size is what was refused; else "". size:
    that size. Code branches on these, never on the message.
    """

    def __init__(self, message: str, *, side: str = "", size: int = 0):
        super().__init__(message)
        self.side, self.size = side, size


class FaultKind(str, enum.Enum):
    """The rule that a kernel broke. Code branches on this, never on a message."""

    OUT_OF_BOUNDS = "out of bounds"
    MISALIGNED = "misaligned"
    SHARED_OUT_OF_BOUNDS = "shared memory out of bounds"
    TIMEOUT = "timeout"
    BARRIER = "barrier"
    WARP = "warp operation"
    ASSERT = "assert"
    TRAP = "trap"
    STACK_OVERFLOW = "stack overflow"
    ARITHMETIC = "arithmetic"
    EXCEPTION = "exception"
    HOST = "host code"
    RACE = "race"
    UNWRITTEN = "read of unwritten shared memory"
    DIED = "process died"
    CONTEXT_LOST = "context lost"
    OTHER = "other"


class KernelFault(CourseError):
    """A kernel broke a rule while it ran: out of bounds, misaligned, a barrier, too long.

    kind: the rule.
    address: the bad address, if there is one.
    access: "read", "write" or "".
    thread: "block (0, 0, 0), thread (5, 0, 0)", or "" if it is not known.
    place: the part of the message that stands for the address, or "".
    """

    def __init__(
        self,
        message: str,
        *,
        kind: FaultKind = FaultKind.OTHER,
        address: int | None = None,
        access: str = "",
        thread: str = "",
        place: str = "",
    ):
        super().__init__(message)
        self.kind, self.address, self.access, self.thread = kind, address, access, thread
        self.place = place

    def __reduce__(self):
        """Say how to copy the fault to another process."""
        fields = (str(self), self.kind, self.address, self.access, self.thread, self.place)
        return _kernel_fault, fields

    def with_place(self, words: str) -> KernelFault:
        """Return the same fault with other words in the place of its address."""
        return self.with_message(str(self).replace(self.place, words, 1), words)

    def with_message(self, message: str, place: str | None = None) -> KernelFault:
        """Return the same fault with another message, and another `place` if one is given."""
        return KernelFault(
            message,
            kind=self.kind,
            address=self.address,
            access=self.access,
            thread=self.thread,
            place=self.place if place is None else place,
        )


def _kernel_fault(message, kind, address, access, thread, place) -> KernelFault:
    """Make a fault of its fields, for pickle."""
    return KernelFault(
        message, kind=kind, address=address, access=access, thread=thread, place=place
    )


class NoGpuError(CourseError):
    """A machine without a GPU was asked for what only a GPU can tell: a time, a counter."""


class UnsteadyGpuError(CourseError):
    """Measured times make no sense, since something else uses the GPU at the same time."""


class CheckError(CourseError):
    """A kernel's result is wrong, or has not been checked before it was to be timed."""
