"""Make a kernel's first launch in a child process, where a fault costs the notebook nothing.

On a GPU an illegal access ends the CUDA context, and with it every tensor of the notebook. So
the first launch of each launcher of a freshly built kernel is made in a child process, with the
caller's own sizes, scalars and data. A kernel is launched in the notebook only after the child
has ended without a fault. If compute-sanitizer is installed, the child runs under it, and it
reports the thread and the source line. A file beside the built library records the success, so
that this happens once per version of a kernel.

    calls      write what the child has to call into files
    child      the program: the standard library and the CUDA runtime, without PyTorch
    process    start it, wait for it, read what it reported
    sanitizer  compute-sanitizer: when it is used, and its report as a fault
    on_gpu     launch in a child; raise the fault that it found, or record the success

A first launch cannot find a fault that comes only with other sizes, scalars or data than its
own. Such a fault ends the context after all; `faults.wait` and the next launch say so, and the
remedy is a restart of the notebook's kernel.

On the emulator (`on_emulator`) faults are caught in the process itself. Each call with new
sizes or scalars first runs twice on copies of the tensors: one set ends at an inaccessible
page, one begins behind one, so that an access out of bounds is found.

`helpers.settings` has the switches: ELEMENTWISE_SANDBOX and ELEMENTWISE_KERNEL_TIMEOUT.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from helpers.run.first_launch.on_emulator import EmulatorFirstLaunch
from helpers.run.first_launch.on_gpu import GpuFirstLaunch

__all__ = ["EmulatorFirstLaunch", "GpuFirstLaunch", "choose"]


def choose(
    library: Path, texts: Sequence[str], on_gpu: bool
) -> EmulatorFirstLaunch | GpuFirstLaunch:
    """Return what makes the first launches of a loaded kernel; see `Launcher`.

    texts: of the kernel's source files, to see whether there are barriers to check.
    """
    if not on_gpu:
        return EmulatorFirstLaunch()
    return GpuFirstLaunch(library, barriers=any("__sync" in text for text in texts))
