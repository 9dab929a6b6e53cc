"""Run a function in a forked child process, so that a launcher that ends it ends nothing else.

What a kernel does wrong is caught inside the process. A launcher's own code is ordinary C++ on
the host: it may spoil the heap or the stack, or hang with a lock held. `run` calls a function
in a copy of this process, which sees all its memory and changes none of it, and returns the
result. If the child dies, `run` raises what it last said.

The child sends records through a pipe: a letter, the payload's size in 4 bytes, the payload.
    N  a note: what the child is about to do (`note`)
    R  the pickled result and what was printed
    E  the pickled exception and what was printed
    F  the emulator's last words: a byte for the rule, then text (include/emulator_launcher.h)
"""

from __future__ import annotations

import contextlib
import faulthandler
import gc
import io
import math
import os
import pickle
import resource
import select
import signal
import struct
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from typing import TypeVar

from helpers.emulator.runtime import KINDS
from helpers.errors import FaultKind, KernelFault

Result = TypeVar("Result")

# Libraries of macOS fail in the child of a process that has used them.
CAN_FORK = sys.platform != "darwin"

DESCRIPTOR = "ELEMENTWISE_LAST_WORDS"  # set in a child only: the pipe's file descriptor
HEADER = struct.Struct("=cI")
CHUNK_BYTES = 1 << 16
SENT = 0.1  # seconds in which what a child has said is read
SILENCE_SECONDS = 600.0  # until a child that sends nothing counts as stuck

# From Python 3.12 on, filelock refuses that two threads fork at once.
_FORKING = threading.RLock()


def note(what: str) -> None:
    """Tell the parent what comes next, for the message if it is the last; else do nothing."""
    if descriptor := os.environ.get(DESCRIPTOR):
        _send(int(descriptor), b"N", what.encode())


@contextlib.contextmanager
def surviving() -> Iterator[None]:
    """Let the child survive a launcher's fault in this context, as other processes do.

    Where the fault may have spoilt its heap, what follows proves nothing.
    """
    descriptor = os.environ.pop(DESCRIPTOR, None)
    try:
        yield
    finally:
        if descriptor is not None:
            os.environ[DESCRIPTOR] = descriptor


def inside() -> bool:
    """Return whether this process is such a child."""
    return DESCRIPTOR in os.environ


def run(function: Callable[[], Result], *, name: str, seconds: float = math.inf) -> Result:
    """Return function(), called in a forked child; print here what it printed there.

    function: its result must be picklable, and its changes to objects are lost. name: of the
    .cu file, with which a fault's message begins. seconds: after which the child is ended. An
    exception is raised here again.

    Raises KernelFault if the child died or got stuck, or its time was over.
    """
    (answer,) = run_each([function], name=name, seconds=seconds)
    if isinstance(answer, KernelFault):
        raise answer
    return answer


def run_each(
    functions: Sequence[Callable[[], Result]], *, name: str, seconds: float = math.inf
) -> list[Result | KernelFault]:
    """Return what `run` would of each function, all of which run at once.

    A KernelFault is returned, so that the others' results are not lost; another exception is
    raised.
    """
    if inside() or not CAN_FORK:  # a child of a child would protect nobody
        return [_called(function) for function in functions]
    end = time.monotonic() + seconds
    with contextlib.ExitStack() as stack:
        children = []
        for function in functions:
            children.append(_Child(function))
            stack.callback(children[-1].close)
        return [_called(lambda one=one: one.answer(end, seconds, name)) for one in children]


def _called(function: Callable[[], Result]) -> Result | KernelFault:
    try:
        return function()
    except KernelFault as fault:
        return fault


class _Child:
    """A forked child that calls a function and sends what came of it."""

    def __init__(self, function: Callable):
        self._reading, writing = os.pipe()
        with _FORKING:
            self._process: int | None = os.fork()
        if self._process == 0:
            os.close(self._reading)
            _be_child(function, writing)
        os.close(writing)

    def answer(self, end: float, seconds: float, name: str):
        """Return what it sends by `end`, a monotonic time, or raise what its end means."""
        end = max(end, time.monotonic() + SENT)  # while another was waited for, it went on
        records, stuck = _receive(self._reading, end)
        status = self._end(kill=stuck)
        return _answer(records, status, stuck, min(seconds, SILENCE_SECONDS), name)

    def _end(self, kill: bool) -> int:
        if kill:
            os.kill(self._process, signal.SIGKILL)
        status = os.waitpid(self._process, 0)[1]
        self._process = None
        return status

    def close(self) -> None:
        """End it, if it has not ended, and close its pipe."""
        if self._process is not None:
            self._end(kill=True)
        os.close(self._reading)


def _be_child(function: Callable, writing: int) -> None:
    """Call the function, send what came of it, and end the process."""
    status = 1
    try:
        gc.freeze()  # to look for garbage among the parent's objects would copy them all
        faulthandler.disable()
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        signal.signal(signal.SIGINT, signal.SIG_DFL)
        if torch := sys.modules.get("torch"):
            torch.set_num_threads(1)  # the others are not in a forked child
        os.environ[DESCRIPTOR] = str(writing)
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            try:
                kind, value = b"R", function()
            except BaseException as error:
                kind, value = b"E", error
        _send(writing, kind, pickle.dumps((value, printed.getvalue())))
        status = 0
    except BaseException as error:
        with contextlib.suppress(OSError):
            _send(writing, b"E", pickle.dumps((RuntimeError(repr(error)), "")))
    finally:
        os._exit(status)


def _send(descriptor: int, kind: bytes, payload: bytes) -> None:
    data = HEADER.pack(kind, len(payload)) + payload
    while data:
        data = data[os.write(descriptor, data) :]


def _receive(reading: int, deadline: float) -> tuple[dict[bytes, bytes], bool]:
    """Return the last record of each kind, and whether its time or its silence was too long."""
    data, records = b"", {}
    quiet_from = time.monotonic()
    while True:
        now = time.monotonic()
        if now >= min(deadline, quiet_from + SILENCE_SECONDS):
            return records, True
        if not select.select([reading], [], [], min(1.0, deadline - now))[0]:
            continue
        quiet_from = time.monotonic()
        chunk = os.read(reading, CHUNK_BYTES)
        if not chunk:
            return records, False
        data += chunk
        while len(data) >= HEADER.size:
            kind, size = HEADER.unpack_from(data)
            end = HEADER.size + size
            if len(data) < end:
                break
            records[kind] = data[HEADER.size : end]
            data = data[end:]


def _answer(records: dict[bytes, bytes], status: int, stuck: bool, seconds: float, name: str):
    """Return the result, or raise what the child sent or what its end means."""
    for kind in (b"R", b"E"):
        if kind in records:
            value, printed = pickle.loads(records[kind])
            sys.stdout.write(printed)
            if kind == b"E":
                raise value
            return value
    doing = records.get(b"N", b"").decode()
    at = f" [{doing}]" if doing else ""
    if b"F" in records:
        words = records[b"F"][1:].decode(errors="replace")
        raise KernelFault(f"{name}: {words}{at}", kind=KINDS[records[b"F"][0]])
    raise KernelFault(f"{name}: {_last_seen(status, stuck, seconds)}{at}", kind=FaultKind.DIED)


def _last_seen(status: int, stuck: bool, seconds: float) -> str:
    """Describe the end of a child that said nothing of it; seconds: that it was given."""
    if stuck:
        return (
            f"the launcher's own code did not come back within {seconds:g} s: it waits for "
            "something, or has spoilt the heap (freed twice, wrote past an array's end)"
        )
    how = f"exit code {os.waitstatus_to_exitcode(status)}"
    if os.WIFSIGNALED(status):
        how = signal.Signals(os.WTERMSIG(status)).name
    return (
        f"the launcher's own code ended the process ({how}): does it write past the end of an "
        "array on the host, or free memory twice?"
    )
