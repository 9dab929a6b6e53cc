"""Say which recorded or derived files are older than what they were made of.

    python -m tools.stale      part of `make lint`: needs no compiler, no GPU and no torch

The tests hold the same files against the same sources, minutes later.
"""

from __future__ import annotations

import sys

from helpers import paths, sources, usage
from helpers.measure.sass import recorded
from helpers.teach import lessons

RECORD = "python -m helpers.measure.sass record"
DERIVE = "python -m helpers.teach.lessons"


def stale_listings() -> list[str]:
    """Name the listings of machine code whose kernel file, or a header of it, has changed."""
    digests = {}
    for kernel in {row.kernel for row in recorded.manifest()}:
        path = paths.KERNELS / f"{kernel}.cu"
        if path.is_file():
            digests[kernel] = sources.digest(sources.read_sources(path))
    return [
        row.file for row in recorded.manifest() if row.source_sha256 != digests.get(row.kernel)
    ]


def stale_pages() -> list[str]:
    """Name the files in which a lesson's title, a link or the table of lessons is older."""
    return [path.relative_to(paths.ROOT).as_posix() for path in lessons.outdated()]


def main() -> int:
    """Print what is stale and what to run; return 1 if anything is."""
    found = [(stale_listings(), RECORD), (stale_pages(), DERIVE)]
    for files, command in found:
        if files:
            print(f"older than what they were made of: {', '.join(files)}\nrun: {command}")
    return int(any(files for files, _ in found))


if __name__ == "__main__":
    usage.no_arguments(__doc__)
    sys.exit(main())
