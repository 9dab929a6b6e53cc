"""Build every kernel of the course once, into a folder that a whole class reads.

    ELEMENTWISE_CACHE=/srv/elementwise make prepare

Run it as root or as the user who installed the course: learners open nobody else's builds.
"""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path

from helpers import paths, settings
from helpers.errors import CourseError
from helpers.run import cache, fast_call, machine
from helpers.run.build import build
from helpers.run.classic import is_classic
from helpers.sources import read_sources


def prepare(kernels: Path = paths.KERNELS) -> int:
    """Build all .cu files of a folder, with a line for each; return how many failed.

    Files that need PyTorch's headers are left out. The builds can be read by everyone, whatever
    the umask. Raises CourseError if the folder of builds is another's or others may write it.
    """
    os.umask(0o022)
    place, named = cache.folder(), settings.cache_path()
    if place != named:
        raise CourseError(
            f"{named} is not yours alone, so learners would not trust what lies there: "
            "take it over with `chown` and `chmod go-w`, then run this again"
        )
    here = machine.present()
    files = [path for path in sorted(kernels.glob("*.cu")) if not is_classic(path.read_text())]
    failed = 0
    for number, path in enumerate(files, start=1):
        began = time.perf_counter()
        try:
            built = build(path, read_sources(path), here)
            if not here.is_gpu:
                build(path, read_sources(path), here, traced=True)
        except CourseError as error:
            failed += 1
            said = str(error)
        else:
            seconds = time.perf_counter() - began
            said = "was there" if built and built.cached else f"{seconds:.1f} s"
        print(f"[{number}/{len(files)}] {path.name}: {said}", flush=True)
    fast_call.compiled()
    print(f"{len(files) - failed} of {len(files)} kernels are in {place}")
    return failed


def main() -> int:
    """Prepare the folder that ELEMENTWISE_CACHE names."""
    try:
        return min(1, prepare())
    except CourseError as error:
        print(error, file=sys.stderr)
        return 1


if __name__ == "__main__":
    sys.exit(main())
