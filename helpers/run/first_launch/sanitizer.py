"""Use compute-sanitizer for first launches: find it, time it, turn its report into a fault."""

from __future__ import annotations

import contextlib
import re
import time
from collections.abc import Sequence
from pathlib import Path

from helpers.emulator import Region, Regions
from helpers.errors import FaultKind, KernelFault
from helpers.run.toolchain import find_tool

QUICK_SECONDS = 2.0
SLOW_FOR_SECONDS = 1800.0  # then it is tried again: a busy machine is not slow for good


def find() -> str | None:
    """Return the path of compute-sanitizer, None if it is not installed."""
    found = find_tool("compute-sanitizer")
    return str(found.path) if found else None


def _seconds_file(library: Path) -> Path:
    return library.parent.parent / "compute-sanitizer.seconds"


def is_quick(library: Path) -> bool:
    """Return whether its last run with this cache took at most 2 s, or is half an hour old.

    True if there was none.
    """
    noted = _seconds_file(library)
    try:
        if float(noted.read_text()) <= QUICK_SECONDS:
            return True
        return time.time() - noted.stat().st_mtime > SLOW_FOR_SECONDS
    except (OSError, ValueError):
        return True


def remember_seconds(library: Path, seconds: float) -> None:
    """Note how long it took, for `is_quick`."""
    with contextlib.suppress(OSError):
        _seconds_file(library).write_text(f"{seconds:.2f}\n")


def has_finished(report: str) -> bool:
    """Return whether a report was written to its end."""
    return "ERROR SUMMARY" in report


def fault(report: str, regions: Sequence[Region] = ()) -> KernelFault | None:
    """Return the first error of a report as a fault, None if it names none.

    regions: where the tensors lay, to name an element in the place of an address.
    """
    lines = [line.removeprefix("=========").strip() for line in report.splitlines()]
    text = "\n".join(lines)
    for pattern, read in (
        (r"^(?:Invalid|Misaligned) .*", _access),
        (r"^Barrier error detected\..*", _barrier),
        (r"^.*Race reported between.*", _race),
    ):
        if begin := re.search(pattern, text, flags=re.M):
            return read(begin[0], text[begin.start() :].split("\n\n")[0], regions)
    return None


def _where(error: str) -> tuple[str, str, str]:
    """Return (the kernel, "block (0, 0, 0), thread (5, 0, 0)" or "", " (line 12)" or "")."""
    at = re.search(
        r"\bat (?P<kernel>[^(\n]+?)(?:\(.*\))?\+0x\w+(?: in [^\n]*?:(?P<line>\d+))?(?::|\s|$)",
        error,
    )
    by = re.search(r"by thread \((\d+),(\d+),(\d+)\) in block \((\d+),(\d+),(\d+)\)", error)
    kernel = at["kernel"].strip().removeprefix("void ") if at else "the kernel"
    line = f" (line {at['line']})" if at and at["line"] else ""
    if not by:
        return kernel, "", line
    x, y, z, *block = by.groups()
    return kernel, f"block ({', '.join(block)}), thread ({x}, {y}, {z})", line


def _access(first: str, error: str, regions: Sequence[Region]) -> KernelFault:
    """Read "Invalid __global__ write of size 4 bytes" and what follows."""
    kernel, thread, line = _where(error)
    words = re.match(r"Invalid __(\w+)__ (\w+) of size ([\d,]+)", first)
    space, verb, size = words.groups() if words else ("global", "access", "?")
    at = re.search(r"(0x[0-9a-f]+) is (out of bounds|misaligned)", error)
    address = int(at[1], 16) if at else None
    near = Regions(regions).nearest(address) if address and space == "global" else None
    if space != "global":
        place = f"{space} memory" + ("" if address is None else f", byte {address:,}")
    elif near:
        place = near.element(address)
    else:
        place = f"address {address:#x}" if at else f"{space} memory"
    access = verb if verb in ("read", "write") else ""
    verb = {"read": "read from", "write": "write to"}.get(verb, f"{verb} on")
    where = ", ".join(filter(None, (kernel, thread)))
    facts = {"address": address, "access": access, "thread": thread, "place": place}
    if at and at[2] == "misaligned":
        return KernelFault(
            f"{where}: a misaligned {verb} {place}{line}: a {size}-byte access needs an "
            f"address that is a multiple of {size}",
            kind=FaultKind.MISALIGNED,
            **facts,
        )
    shared = FaultKind.SHARED_OUT_OF_BOUNDS if space == "shared" else FaultKind.OUT_OF_BOUNDS
    outside = ", outside of every tensor" if space == "global" and not near else ""
    return KernelFault(f"{where}: {verb} {place}{outside}{line}", kind=shared, **facts)


def _barrier(first: str, error: str, regions: Sequence[Region]) -> KernelFault:
    """Read "Barrier error detected. Divergent thread(s) in block."."""
    kernel, thread, line = _where(error)
    where = ", ".join(filter(None, (kernel, thread)))
    return KernelFault(
        f"{where}: some threads of the block never reached the barrier{line}: "
        + first.split(". ")[-1],
        kind=FaultKind.BARRIER,
        thread=thread,
    )


def _race(first: str, error: str, regions: Sequence[Region]) -> KernelFault:
    """Read "Error: Race reported between Write access at ..."."""
    kernel, thread, _ = _where(error)
    numbers = dict.fromkeys(re.findall(r" in [^\n]*?:(\d+)\b", error))
    places = " and ".join(f"line {number}" for number in numbers) or "two accesses"
    where = ", ".join(filter(None, (kernel, thread)))
    words = (
        f"{where}: a race on shared memory between {places}: is a barrier missing between them?"
    )
    return KernelFault(words, thread=thread)
