"""Make a kernel's first launch on a GPU in a child process, and explain its fault."""

from __future__ import annotations

import contextlib
import json
import re
import signal
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from helpers import settings
from helpers.errors import FaultKind, KernelFault
from helpers.run import faults
from helpers.run.first_launch import sanitizer
from helpers.run.first_launch.calls import MORE_ELEMENTS, write_calls
from helpers.run.first_launch.child import Status
from helpers.run.first_launch.process import ChildProcess, Outcome
from helpers.settings import Sandbox

if TYPE_CHECKING:
    from helpers.run.launcher import Launcher

UNTOUCHED = "It was tried in a child process: this notebook and its tensors are as they were"
KINDS = {
    700: FaultKind.OUT_OF_BOUNDS,
    710: FaultKind.ASSERT,
    714: FaultKind.STACK_OVERFLOW,
    715: FaultKind.TRAP,
    716: FaultKind.MISALIGNED,
}


@dataclass(frozen=True)
class GpuFirstLaunch:
    """The first launches of a GPU kernel, as a Launcher calls for them.

    barriers: whether the kernel has barriers; compute-sanitizer then checks them, too.
    """

    library: Path
    barriers: bool = False

    def marker(self, launcher: Launcher) -> Path:
        """Return the file that records that a launcher's first launch succeeded."""
        return self.library.with_name(f"{launcher.declaration.name}.tried.json")

    def __call__(self, launcher: Launcher, arguments: Sequence, sizes: Sequence[int]) -> bool:
        """Launch in a child process; return whether the launcher counts as tested.

        Raises KernelFault. False for a launch that CUDA refused, which tests nothing: it will
        be refused in this process, too, with the reason.
        """
        if settings.sandbox() is Sandbox.OFF or self.marker(launcher).exists():
            return True
        outcome, fault, tools = self.examine(launcher, arguments, sizes)
        file = launcher.declaration.file
        if fault := fault or describe(outcome, launcher.declaration.name):
            raise fault.with_message(f"{file}: {fault}. {UNTOUCHED}") from None
        if outcome.status is Status.UNABLE:  # no memory, no second process allowed, ...
            print(
                f"{file} could not be tried in a child process "
                f"({outcome.words or 'no answer'}): a fault would cost this notebook its "
                "tensors",
                file=sys.stderr,
            )
        if outcome.status is Status.OK:
            notes = {"seconds": round(outcome.seconds, 2), "tools": tools, "sizes": list(sizes)}
            with contextlib.suppress(OSError):
                self.marker(launcher).write_text(json.dumps(notes))
        return outcome.status is not Status.REFUSED

    def examine(
        self, launcher: Launcher, arguments: Sequence, sizes: Sequence[int]
    ) -> tuple[Outcome, KernelFault | None, list[str]]:
        """Run the child processes: natively, and under compute-sanitizer if that is quick.

        Returns the native outcome, compute-sanitizer's fault, and those of its tools that
        finished.
        """
        with contextlib.ExitStack() as stack:
            temporary = tempfile.TemporaryDirectory(prefix="elementwise-first-launch-")
            folder = Path(stack.enter_context(temporary))
            write_calls(folder, self.library, launcher.declaration, arguments, sizes)

            def start(name: str, tool: str | None = None, every: bool = True) -> ChildProcess:
                process = ChildProcess(folder, name, tool, every)
                stack.callback(process.end)
                return process

            tool = sanitizer.find() if self._uses_sanitizer() else None
            names = ["memcheck", "synccheck"] if self.barriers else ["memcheck"]
            under = [start(name, tool, every=False) for name in names] if tool else []
            native = start("native").outcome()
            finished, fault = [], None
            for process in under:
                outcome = process.outcome()
                if process.name == "memcheck":
                    sanitizer.remember_seconds(self.library, outcome.seconds)
                if sanitizer.has_finished(outcome.sanitizer):
                    finished.append(process.name)
                fault = fault or sanitizer.fault(outcome.sanitizer, outcome.regions)
            if native.status is Status.FAULT and not fault and (tool := sanitizer.find()):
                outcome = start("memcheck", tool).outcome()  # to explain it, every call
                fault = sanitizer.fault(outcome.sanitizer, outcome.regions)
            return native, fault, finished

    def _uses_sanitizer(self) -> bool:
        mode = settings.sandbox()
        return mode is Sandbox.MEMCHECK or (
            mode is Sandbox.AUTO and sanitizer.is_quick(self.library)
        )


def describe(outcome: Outcome, launcher: str) -> KernelFault | None:
    """Return the fault of a first launch from the child's report alone; None if it had none."""
    read = {Status.TIMEOUT: _timeout, Status.FAULT: _fault, Status.DIED: _death}
    if outcome.status not in read:
        return None
    sizes = f" (with n = {MORE_ELEMENTS:,})" if outcome.call else ""
    return read[outcome.status](outcome, launcher, sizes)


def _timeout(outcome: Outcome, launcher: str, sizes: str) -> KernelFault:
    return KernelFault(
        f"{launcher} was still running after {settings.first_launch_timeout():g} s{sizes}: "
        "a loop without an end, or a barrier that some threads of a block never reach? "
        "(ELEMENTWISE_KERNEL_TIMEOUT sets the seconds)",
        kind=FaultKind.TIMEOUT,
    )


def _fault(outcome: Outcome, launcher: str, sizes: str) -> KernelFault:
    """Read a CUDA error, a failed assertion of the device, or an exception that was caught."""
    assertion = re.search(
        r"(\S*?):(\d+): .*?block: \[(.*?)\], thread: \[(.*?)\] (Assertion .*)", outcome.output
    )
    if assertion:
        name, line, block, thread, words = assertion.groups()
        where = f"block ({block}), thread ({thread})"
        return KernelFault(
            f"{where}: {words.rstrip('.')} ({Path(name).name}, line {line}){sizes}",
            kind=FaultKind.ASSERT,
            thread=where,
        )
    if thrown := re.search(rf"^{re.escape(faults.THREW)}: (.*)", outcome.output, re.M):
        return faults.thrown(launcher, f"{thrown[1]}{sizes}")
    words = faults.WORDS.get(outcome.error, outcome.words)
    return KernelFault(
        f"{launcher} failed on the GPU{sizes}: {words} (CUDA error {outcome.error})",
        kind=KINDS.get(outcome.error, FaultKind.OTHER),
    )


def _death(outcome: Outcome, launcher: str, sizes: str) -> KernelFault:
    """Read from its last words and its signal why the launcher's own code ended the process."""
    thrown = re.search(
        r"terminate called after throwing an instance of '(.*?)'(?:\s+what\(\):\s+(.*))?",
        outcome.output,
    )
    if thrown:
        return faults.thrown(launcher, f"{thrown[2] or thrown[1]}{sizes}")
    by_signal = {
        signal.SIGABRT: "called abort()",
        signal.SIGSEGV: "itself accessed memory that it must not",
        signal.SIGBUS: "itself accessed memory that it must not",
        signal.SIGFPE: "divided an integer by zero",
    }
    what = by_signal.get(-outcome.exit_status)
    if not what:
        return KernelFault(
            f"the launcher {launcher} ended its process (status {outcome.exit_status}){sizes}",
            kind=FaultKind.DIED,
        )
    on_host = outcome.exit_status in (-signal.SIGSEGV, -signal.SIGBUS)
    hint = ": does its host code read a tensor, which lies on the GPU?" if on_host else ""
    return KernelFault(f"the launcher {launcher} {what}{sizes}{hint}", kind=FaultKind.HOST)
