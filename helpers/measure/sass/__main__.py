"""Run `python -m helpers.measure.sass tools | show KERNEL ... | record [KERNEL ...]`."""

from __future__ import annotations

import argparse
import itertools
import sys
from collections.abc import Sequence

from helpers.errors import BuildError, CompileError
from helpers.measure import sass


def _parse(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m helpers.measure.sass", description="The machine code of kernel files."
    )
    commands = parser.add_subparsers(dest="do", required=True)
    commands.add_parser("tools", help="name the compiler and the disassemblers")
    show = commands.add_parser("show", help="print the instructions of kernel files")
    record = commands.add_parser(
        "record", help="record kernel files in data/sass/; without a name: all recordings again"
    )
    for command, number in ((show, "+"), (record, "*")):
        command.add_argument("kernels", nargs=number, help="names in kernels/, or .cu files")
        command.add_argument("--arch", nargs="+", default=["sm_90", "sm_120"])
        command.add_argument(
            "--flags", default="", help="more options for nvcc: --flags='-DN=8 -DM=2'"
        )
    record.add_argument("--lessons", nargs="+", default=[], help="their numbers: 08 14")
    record.add_argument("--only", default="", help="keep functions whose name holds this")
    return parser.parse_args(arguments)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; return its exit status."""
    chosen = _parse(arguments)
    try:
        if chosen.do == "tools":
            print(sass.find_tools())
        elif chosen.do == "show":
            flags = chosen.flags.split()
            for kernel, arch in itertools.product(chosen.kernels, chosen.arch):
                print(sass.read(kernel, arch, flags=flags), end="\n\n")
        else:
            _record(chosen)
    except (BuildError, CompileError, FileNotFoundError, ValueError) as error:
        print(error, file=sys.stderr)
        return 1
    return 0


def _record(chosen: argparse.Namespace) -> None:
    if chosen.kernels:
        flags = chosen.flags.split()
        files = sass.record(
            chosen.kernels, chosen.arch, flags=flags, lessons=chosen.lessons, only=chosen.only
        )
    else:
        files = sass.record_listings()
    print(*(file.name for file in files), sep="\n")


if __name__ == "__main__":
    sys.exit(main())
