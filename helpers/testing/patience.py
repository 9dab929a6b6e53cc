"""Give up what explains a wrong kernel once it has taken too long."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Iterator
from contextvars import ContextVar

from helpers.errors import FaultKind, KernelFault
from helpers.run.launcher import Launcher

ABOUT = 0.05  # seconds that the emulator's clock may be ahead
_END: ContextVar[float | None] = ContextVar("end", default=None)


class OutOfTime(Exception):
    """Raised where no time is left for a launch, or it ends while a kernel runs."""


@contextlib.contextmanager
def within(seconds: float) -> Iterator[None]:
    """End the launches in this context after so many seconds of CPU time, all together.

    Inside of another such context, that one's end stays.
    """
    outer = _END.get()
    token = _END.set(time.process_time() + seconds if outer is None else outer)
    try:
        yield
    finally:
        _END.reset(token)


def left() -> float | None:
    """Return the seconds that are left, None for no limit; raise OutOfTime if none are."""
    if (end := _END.get()) is None:
        return None
    if (seconds := end - time.process_time()) <= 0:
        raise OutOfTime
    return seconds


@contextlib.contextmanager
def launching(launcher: Launcher) -> Iterator[None]:
    """Give an emulated launch the time that is left; raise OutOfTime if that is too short.

    A launch of an experiment that was cut short is no wrong one: nothing follows from it.
    """
    if (seconds := left()) is None or launcher.on_gpu:
        yield
        return
    try:
        with launcher.emulator.timeout(seconds, at_most=True):
            yield
    except KernelFault as fault:
        if fault.kind is FaultKind.TIMEOUT and time.process_time() > _END.get() - ABOUT:
            raise OutOfTime from fault
        raise
