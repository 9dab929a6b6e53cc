"""Build every kernel of the course once, into a folder that a whole class reads.

    ELEMENTWISE_CACHE=/srv/elementwise make prepare

Run it as root or as the user who installed the course: learners open nobody else's builds.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterator
from concurrent.futures import Executor, ThreadPoolExecutor
from pathlib import Path

from helpers import paths, settings, usage
from helpers.errors import CourseError
from helpers.run import cache, fast_call, machine
from helpers.run.build import build
from helpers.run.classic import is_classic
from helpers.sources import read_sources


def prepare(kernels: Path = paths.KERNELS) -> int:
    """Build all .cu files of a folder, with a line for each; return how many failed.

    Files that need PyTorch's headers are left out. As many are built at once as there are
    cores, or as ELEMENTWISE_BUILDS says. Everyone can read the builds, whatever the umask.
    Raises CourseError if the folder of builds is another's or others may write it.
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
    with ThreadPoolExecutor(os.cpu_count() or 1) as builders:
        for number, (path, said, is_built) in enumerate(_built(files, here, builders), start=1):
            failed += not is_built
            print(f"[{number}/{len(files)}] {path.name}: {said}", flush=True)
    fast_call.compiled()
    print(f"{len(files) - failed} of {len(files)} kernels are in {place}")
    return failed


def _built(
    files: list[Path], here: machine.Machine, builders: Executor
) -> Iterator[tuple[Path, str, bool]]:
    """Build the files, and give each with what is to be said, and whether it was built.

    The first is built alone: with it the headers are compiled that all share.
    """
    yield from (_build(path, here) for path in files[:1])
    yield from builders.map(_build, files[1:], [here] * len(files[1:]))


def _build(path: Path, here: machine.Machine) -> tuple[Path, str, bool]:
    began = time.perf_counter()
    try:
        built = build(path, read_sources(path), here)
        if not here.is_gpu:
            build(path, read_sources(path), here, traced=True)
    except CourseError as error:
        return path, str(error), False
    seconds = time.perf_counter() - began
    return path, "was there" if built and built.cached else f"{seconds:.1f} s", True


def main() -> int:
    """Prepare the folder that ELEMENTWISE_CACHE names."""
    try:
        return min(1, prepare())
    except CourseError as error:
        print(error, file=sys.stderr)
        return 1


if __name__ == "__main__":
    usage.no_arguments(__doc__)
    sys.exit(main())
