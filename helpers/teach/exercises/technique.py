"""Judge how a kernel gets its results, by what its warps do on the emulator.

A rule looks at the trace of a call and returns "" or, in words, what it saw and what is asked.
Names in the source do not count.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import takewhile

import torch

from helpers.emulator import traced
from helpers.emulator.trace import Step, Trace
from helpers.errors import BuildError, CourseError
from helpers.run.launcher import Launcher
from helpers.run.trace import trace
from helpers.specs import WARP_SIZE

ELEMENTS = 8192  # of a tensor [n]: whole blocks and whole packs
SIDE = 64  # of a matrix
USED = 0.9  # the share of the bytes of its sectors that a coalesced access uses
HALF_A_WARP = WARP_SIZE / 2
TWICE = 2  # an output may be set to 0 first, and written then
FAILURES = (CourseError, ValueError, TypeError, OSError)  # of a trace


@dataclass(frozen=True)
class Seen:
    """The trace of one call, the bytes of an element of its first output and of all outputs."""

    trace: Trace
    item_bytes: int
    output_bytes: int

    def steps(self, kind: str) -> list[Step]:
        """Return the followed warp's accesses of a kind to global memory."""
        return [s for s in self.trace.steps if s.kind == kind and s.space == "global"]


Rule = Callable[[Seen], str]


def impossible() -> bool:
    """Say whether nothing can be traced on this machine: a trace needs g++."""
    try:
        traced.require_gcc()
    except BuildError:
        return True
    return False


def seen(launcher: Launcher) -> Seen:
    """Trace a call on ELEMENTS elements, in which every tensor is of ones.

    A trace that fails, as on a machine that is short of memory, is tried once more. Raises
    CourseError, TypeError or ValueError if it fails again.
    """
    declaration = launcher.declaration
    several = any(len(p.shape) > 1 for p in declaration.tensors)
    size = SIDE if several else ELEMENTS
    tensors = [
        torch.ones([int(s) if s.isdigit() else size for s in p.shape], dtype=p.dtype)
        for p in declaration.tensors
    ]
    outputs = [i for i, p in enumerate(declaration.tensors) if p.role == "output"]
    item_bytes = tensors[outputs[0]].itemsize
    output_bytes = sum(tensors[i].nbytes for i in outputs)
    try:
        found = trace(launcher, *tensors)
    except FAILURES:
        found = trace(launcher, *tensors)
    return Seen(found, item_bytes, output_bytes)


def parallel(seen: Seen) -> str:
    """Require that threads share the work: whole warps of them, and none does all of it."""
    loads, stores = seen.trace.of("load"), seen.trace.of("store")
    if loads and loads.lanes_per_request < HALF_A_WARP:
        return (
            f"a load is made by {loads.lanes_per_request:.0f} of a warp's {WARP_SIZE} lanes: "
            "let many threads share the work, whole warps of them"
        )
    times = stores.bytes_asked / seen.output_bytes if stores else 0
    if times > TWICE:
        return (
            f"each element is written {times:,.0f} times: a kernel needs no loop over all "
            "elements, as the grid has a thread for each; let a thread write its own"
        )
    return ""


def bytes_per_lane(least: int, most: int = 16) -> Rule:
    """Require that loads and stores move so many bytes a lane, on average."""

    def rule(seen: Seen) -> str:
        for kind in ("load", "store"):
            traffic = seen.trace.of(kind)
            moved = traffic.bytes_asked / traffic.lanes if traffic else 0
            if not least <= round(moved) <= most:
                exact = f"{least}" if most in (least, 16) else f"{least} to {most}"
                return f"a {kind} moves {moved:.3g} bytes a lane; {exact} are asked"
        return ""

    return rule


def coalesced(seen: Seen) -> str:
    """Require that each access uses the bytes of the sectors that it touches."""
    for kind in ("load", "store"):
        traffic = seen.trace.of(kind)
        if traffic and traffic.efficiency < USED:
            return (
                f"a {kind} of a warp touches {traffic.sectors_per_request:.0f} sectors and "
                f"uses {traffic.efficiency:.0%} of their bytes: it is not coalesced"
            )
    return ""


def elements_a_thread(count: int) -> Rule:
    """Require that each thread of the followed warp writes so many elements."""

    def rule(seen: Seen) -> str:
        stores = [s.request for s in seen.steps("store") if s.request]
        moved = sum(
            r.bytes_per_lane * sum(address is not None for address in r.addresses)
            for r in stores
        )
        written = moved / seen.item_bytes / WARP_SIZE
        if written == count:
            return ""
        return f"a thread writes {written:.3g} element{'s' * (written != 1)}; {count} are asked"

    return rule


def loads_before_store(count: int) -> Rule:
    """Require that a thread asks for so many loads before it stores its first result."""

    def rule(seen: Seen) -> str:
        accesses = [s for s in seen.trace.steps if s.space == "global" and s.request]
        first = list(takewhile(lambda step: step.kind != "store", accesses))
        if len(first) >= count:
            return ""
        return f"a thread makes {len(first)} loads before its first store; {count} are asked"

    return rule


def whole_warp_stores(seen: Seen) -> str:
    """Require that a store is made by all lanes of a warp at once."""
    stores = seen.trace.of("store")
    if stores is None or stores.lanes_per_request == WARP_SIZE:
        return ""
    return (
        f"a store is made by {stores.lanes_per_request:.3g} of a warp's {WARP_SIZE} lanes: "
        "one store for all is asked"
    )


def shuffles(seen: Seen) -> str:
    """Require that lanes exchange values inside their warp."""
    if any(b.kind == "warp operation" for b in seen.trace.barriers):
        return ""
    return "its lanes exchange nothing inside their warp: shuffles are asked"


def ordered(seen: Seen) -> str:
    """Require that something orders any two accesses of which one is a write."""
    return f"two threads race: {seen.trace.faults[0]}" if seen.trace.faults else ""


def shared_memory(seen: Seen) -> str:
    """Require that threads read what stands in shared memory."""
    return "" if seen.trace.of("load", "shared") else "it reads nothing from shared memory"


def no_bank_conflicts(seen: Seen) -> str:
    """Require that lanes never want different words of the same bank."""
    lost = seen.trace.bank_conflicts
    return f"{lost} wavefronts of shared memory are lost to bank conflicts" if lost else ""


def no_shared_memory(seen: Seen) -> str:
    """Require that threads do without shared memory."""
    return "it goes through shared memory" if seen.trace.of("load", "shared") else ""


def parity_a_warp(seen: Seen) -> str:
    """Require that no load of a warp reads elements of even and of odd index."""
    loads = seen.trace.of("load")
    if loads is None:
        return "it loads nothing"
    requests = [s.request for s in seen.steps("load")] + [loads.worst]
    for request in requests:
        found = {a // seen.item_bytes % 2 for a in request.addresses if a is not None}
        if len(found) > 1:
            return "a warp holds elements of both kinds, of even and of odd index"
    return ""
