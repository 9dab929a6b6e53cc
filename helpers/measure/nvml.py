"""Ask NVML during a measurement about clock throttling and other processes on the GPU.

NVML is the library behind nvidia-smi; a question to it takes microseconds, where nvidia-smi
takes tens of milliseconds. If it is missing, or the driver refuses an answer, the notes leave
the answer out.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from typing import TypeVar

import pynvml

Answer = TypeVar("Answer")

# What holds clocks down. The other bits do not disturb a time: an idle GPU, clocks that the
# user has set, a sync boost.
LIMITS = {
    pynvml.nvmlClocksThrottleReasonSwPowerCap: "the power limit",
    pynvml.nvmlClocksThrottleReasonHwSlowdown: "a hardware slowdown",
    pynvml.nvmlClocksThrottleReasonSwThermalSlowdown: "the temperature",
    pynvml.nvmlClocksThrottleReasonHwThermalSlowdown: "the temperature",
    pynvml.nvmlClocksThrottleReasonHwPowerBrakeSlowdown: "the power supply",
}


def ask(question: Callable[..., Answer], *arguments: object) -> Answer | None:
    """Ask NVML one question; None where there is no NVML or the driver refuses."""
    try:
        pynvml.nvmlInit()  # counts its callers: cheap after the first
        return question(*arguments)
    except pynvml.NVMLError:
        return None


def device(uuid: str) -> object | None:
    """Return NVML's handle of a GPU by torch's UUID or NVML's own; None if it is unknown."""
    name = uuid if uuid.startswith(("GPU-", "MIG-")) else f"GPU-{uuid}"
    return ask(pynvml.nvmlDeviceGetHandleByUUID, name)


class Watch:
    """Sample a GPU during a measurement; `notes` says what disturbed it."""

    def __init__(self, uuid: str):
        self._device = device(uuid)
        self._began_us = int(time.time() * 1e6)
        self.limits: set[str] = set()

    def look(self) -> None:
        """Record what holds the clocks down now; call it while kernels run."""
        if self._device is not None:
            bits = ask(pynvml.nvmlDeviceGetCurrentClocksThrottleReasons, self._device) or 0
            self.limits |= {words for bit, words in LIMITS.items() if bits & bit}

    def others(self) -> int | None:
        """Count the other processes that have this GPU open; None where that is not known."""
        if self._device is None:
            return None
        processes = ask(pynvml.nvmlDeviceGetComputeRunningProcesses, self._device)
        return None if processes is None else max(0, len(processes) - 1)

    def busy_others(self) -> int:
        """Count the other processes that ran kernels here since the watch began; 0 if unknown.

        The driver samples each process a few times a second. A container may hide this
        process's own number: then one of those at work is taken for it.
        """
        if self._device is None:
            return 0
        samples = ask(pynvml.nvmlDeviceGetProcessUtilization, self._device, self._began_us)
        at_work = {sample.pid for sample in samples or () if sample.smUtil}
        listed = ask(pynvml.nvmlDeviceGetComputeRunningProcesses, self._device) or ()
        if os.getpid() in {process.pid for process in listed}:
            return len(at_work - {os.getpid()})
        return max(0, len(at_work) - 1)

    def notes(self, imprecise: str = "") -> list[str]:
        """Return sentences on what disturbed a time. imprecise: what to say of its spread."""
        notes = []
        if imprecise:
            who = "is something else using the GPU?"
            if others := self.others():
                verb = "processes have" if others > 1 else "process has"
                who = f"{others} other {verb} this GPU open"
            notes.append(f"{imprecise}: {who}")
        if busy := self.busy_others():
            notes.append(f"{busy} other process{'es' * (busy > 1)} ran kernels on this GPU")
        if self.limits:
            notes.append(f"the clocks were held down by {' and '.join(sorted(self.limits))}")
        return notes
