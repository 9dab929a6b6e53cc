"""Ask NVML during a measurement about clock throttling and other processes on the GPU.

If NVML is missing, or the driver refuses an answer, the notes leave the answer out.
"""

from __future__ import annotations

import os
import time

import pynvml

from helpers.run.nvml import ask, device

# What holds clocks down. The other bits do not disturb a time: an idle GPU, clocks that the
# user has set, a sync boost.
LIMITS = {
    pynvml.nvmlClocksThrottleReasonSwPowerCap: "the power limit",
    pynvml.nvmlClocksThrottleReasonHwSlowdown: "a hardware slowdown",
    pynvml.nvmlClocksThrottleReasonSwThermalSlowdown: "the temperature",
    pynvml.nvmlClocksThrottleReasonHwThermalSlowdown: "the temperature",
    pynvml.nvmlClocksThrottleReasonHwPowerBrakeSlowdown: "the power supply",
}


class Watch:
    """Sample a GPU during a measurement; `notes` says what disturbed it."""

    def __init__(self, uuid: str):
        self._device = device(uuid)
        self._began_us = int(time.time() * 1e6)
        self.limits: set[str] = set()

    def look(self) -> None:
        """Record what holds the clocks down now; call it while kernels run."""
        if self._device is not None:
            bits = ask("nvmlDeviceGetCurrentClocksThrottleReasons", self._device) or 0
            self.limits |= {words for bit, words in LIMITS.items() if bits & bit}

    def others(self) -> int | None:
        """Count the other processes that have this GPU open; None where that is not known."""
        if self._device is None:
            return None
        processes = ask("nvmlDeviceGetComputeRunningProcesses", self._device)
        return None if processes is None else max(0, len(processes) - 1)

    def busy_others(self) -> int:
        """Count the other processes that ran kernels here since the watch began; 0 if unknown.

        The driver samples each process a few times a second. A container may hide this
        process's own number: then one of those at work is taken for it.
        """
        if self._device is None:
            return 0
        samples = ask("nvmlDeviceGetProcessUtilization", self._device, self._began_us)
        at_work = {sample.pid for sample in samples or () if sample.smUtil}
        listed = ask("nvmlDeviceGetComputeRunningProcesses", self._device) or ()
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
