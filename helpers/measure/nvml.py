"""What the driver says of a GPU while it is measured: whether its clocks are held down, and who else has it open.

NVML is the library behind nvidia-smi; a question to it takes microseconds, where nvidia-smi takes tens of
milliseconds. Where it is missing or does not answer, a `Watch` knows nothing and says nothing.
"""

from __future__ import annotations

import contextlib
import ctypes
from functools import cache

# The bits of nvmlDeviceGetCurrentClocksThrottleReasons (nvml.h). What is left out is no disturbance: an idle GPU,
# clocks that the user has set, a sync boost.
LIMITS = {
    0x04: "the power limit",
    0x08: "a hardware slowdown",
    0x20: "the temperature",
    0x40: "the temperature",
    0x80: "the power supply",
}


@cache
def _library() -> ctypes.CDLL | None:
    with contextlib.suppress(OSError, AttributeError):
        library = ctypes.CDLL("libnvidia-ml.so.1")
        if library.nvmlInit_v2() == 0:
            return library
    return None


def _device(uuid: str) -> ctypes.c_void_p | None:
    handle, library = ctypes.c_void_p(), _library()
    name = uuid if uuid.startswith(("GPU-", "MIG-")) else f"GPU-{uuid}"
    if library and library.nvmlDeviceGetHandleByUUID(name.encode(), ctypes.byref(handle)) == 0:
        return handle
    return None


class Watch:
    """Looks at a GPU now and then during a measurement; `notes` says what disturbed it. uuid: of the GPU."""

    def __init__(self, uuid: str):
        self._handle = _device(uuid)
        self.limits: set[str] = set()

    def look(self) -> None:
        """Note what holds the clocks down at this moment. To be called while kernels run: an idle GPU has no limit."""
        bits = ctypes.c_ulonglong()
        if (
            self._handle
            and _library().nvmlDeviceGetCurrentClocksThrottleReasons(
                self._handle, ctypes.byref(bits)
            )
            == 0
        ):
            self.limits |= {words for bit, words in LIMITS.items() if bits.value & bit}

    def others(self) -> int:
        """How many other processes have this GPU open for computing; 0 where that is not known."""
        count = ctypes.c_uint(0)
        if not self._handle:
            return 0
        # With no room for an answer, NVML says how much it would need (7: insufficient size).
        status = _library().nvmlDeviceGetComputeRunningProcesses_v3(
            self._handle, ctypes.byref(count), None
        )
        return max(0, count.value - 1) if status in (0, 7) else 0

    def notes(self, imprecise: str = "") -> list[str]:
        """Sentences to put beside the number. imprecise: what is known of its spread, where that is too wide."""
        notes = []
        if imprecise:
            others = self.others()
            who = (
                f"{others} other process{'es have' if others > 1 else ' has'} this GPU open"
                if others
                else ""
            )
            notes.append(f"{imprecise}: {who or 'is something else using the GPU?'}")
        if self.limits:
            notes.append(f"the clocks were held down by {' and '.join(sorted(self.limits))}")
        return notes
