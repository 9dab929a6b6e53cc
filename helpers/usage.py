"""Read the words behind a command: --help prints its usage, an unknown word is refused."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence


def parser(description: str | None) -> argparse.ArgumentParser:
    """Make a parser of a command's arguments; description: its module's docstring."""
    spec = getattr(sys.modules["__main__"], "__spec__", None)  # None: it was run by its path
    name = spec.name.removesuffix(".__main__") if spec else ""
    return argparse.ArgumentParser(
        prog=f"python -m {name}" if name else None,
        description=description,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )


def no_arguments(description: str | None, arguments: Sequence[str] | None = None) -> None:
    """Print a command's description for --help; end with its usage for any other word."""
    parser(description).parse_args(arguments)
