"""Ask NVML, the library behind nvidia-smi; an answer takes microseconds.

nvidia-smi itself takes tens of milliseconds. Where NVML is missing or the driver refuses an
answer, the answer is None.
"""

from __future__ import annotations

try:
    import pynvml
except ImportError:  # a plain clone, before its set-up
    pynvml = None


def ask(question: str, *arguments: object) -> object | None:
    """Ask NVML one question, by the name of its function; None without an answer."""
    if pynvml is None:
        return None
    try:
        pynvml.nvmlInit()  # counts its callers: cheap after the first
        return getattr(pynvml, question)(*arguments)
    except pynvml.NVMLError:
        return None


def device(uuid: str) -> object | None:
    """Return NVML's handle of a GPU by torch's UUID or NVML's own; None if it is unknown."""
    name = uuid if uuid.startswith(("GPU-", "MIG-")) else f"GPU-{uuid}"
    return ask("nvmlDeviceGetHandleByUUID", name)


def count() -> int:
    """Count the GPUs of this machine; 0 where NVML does not answer."""
    return ask("nvmlDeviceGetCount") or 0
