"""Set what the notebooks' kernels inherit. Light: every run of pytest loads this module."""

from __future__ import annotations

import os
from pathlib import Path

from helpers import paths
from helpers.run import nvml

# Who reads a kernel while a notebook beside writes it gets the old file or the new one.
STARTUP = '''\
"""Let %%writefile replace a file as a whole. Written by helpers.teach.kernel_environment."""
import os
from pathlib import Path

from IPython.core.magic import register_cell_magic


@register_cell_magic
def writefile(line, cell):
    path = Path(line.strip())
    print(f"{'Overwriting' if path.exists() else 'Writing'} {path}")
    partial = path.with_name(f"{path.name}.{os.getpid()}")
    partial.write_text(cell, encoding="utf-8")
    os.replace(partial, path)
'''


def kernel_environment(root: Path = paths.ROOT) -> dict[str, str]:
    """Return the variables with which notebooks' kernels run, those that are set kept.

    The course on the import path, its cache of builds, no warning of debugpy and no word of a
    wait for another notebook's build in an output, and an IPython folder free of the user's
    settings, under build/, which this function writes.
    """
    given = os.environ
    folder = root / "build" / "ipython"
    startup = folder / "profile_default" / "startup" / "atomic_writefile.py"
    if not startup.exists() or startup.read_text(encoding="utf-8") != STARTUP:
        startup.parent.mkdir(parents=True, exist_ok=True)
        partial = startup.with_name(f"{startup.name}.{os.getpid()}")
        partial.write_text(STARTUP, encoding="utf-8")
        os.replace(partial, startup)
    path = [entry for entry in given.get("PYTHONPATH", "").split(os.pathsep) if entry]
    return {
        "PYTHONPATH": os.pathsep.join(dict.fromkeys([str(root), *path])),
        "ELEMENTWISE_CACHE": given.get("ELEMENTWISE_CACHE", str(root / "build" / "cache")),
        "ELEMENTWISE_WAIT_WORDS": given.get("ELEMENTWISE_WAIT_WORDS", "3600"),
        "PYDEVD_DISABLE_FILE_VALIDATION": "1",
        "IPYTHONDIR": str(folder),
    }


def own_gpu(worker: int) -> dict[str, str]:
    """Return the variable that gives a worker, counted from 0, one of several GPUs.

    Empty where there are not several, or where the user has chosen.
    """
    found = nvml.count()
    if found < 2 or "CUDA_VISIBLE_DEVICES" in os.environ:
        return {}
    return {"CUDA_VISIBLE_DEVICES": str(worker % found)}
