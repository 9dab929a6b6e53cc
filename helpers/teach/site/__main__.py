"""Build the pages of the course from its notebooks, whose outputs stay as they are.

`python -m helpers.teach.site` writes all of them into build/site/, `python -m
helpers.teach.site 01 07` those of some lessons.
"""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path

from helpers import paths
from helpers.errors import UnknownNameError, pip_install


def main(arguments: list[str] | None = None) -> int:
    """Run the command, and print the address of the first page. Returns 1 without Sphinx."""
    parser = argparse.ArgumentParser(
        prog="python -m helpers.teach.site",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("only", nargs="*", help="beginnings of notebooks' names, such as 01")
    parser.add_argument("--course", type=Path, default=paths.ROOT, help="another course")
    parser.add_argument("--notebooks", type=Path, help="instead of those in the course")
    parser.add_argument("--into", type=Path, help="default: build/site")
    parser.add_argument("--language", default="en", help="one of docs/translations/")
    options = parser.parse_args(arguments)
    place = "site" if options.language == "en" else f"site-{options.language}"
    into = options.into or paths.ROOT / "build" / place
    try:
        from helpers.teach.site.build import build
    except ImportError as error:
        remedy = pip_install("-e '.[site]'")
        print(f"no pages, since {error.name} is missing. In the course's folder: {remedy}")
        return 1
    try:
        first = build(
            options.course,
            into.resolve(),
            only=tuple(options.only),
            lessons=options.notebooks,
            processes=os.cpu_count() or 1,
            language=options.language,
        )
    except UnknownNameError as error:
        print(error)
        return 1
    print(f"the course as pages: {first.as_uri()}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
