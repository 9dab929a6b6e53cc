"""Run a kernel on the emulator and see every access: what each line asks of the memory.

    from helpers import trace

    seen = trace("v5_f16x8", a, b, out, block_size=256)
    seen.of("load").sectors_per_request     16.0
    seen.races                              two accesses that nothing orders

No GPU is needed, and none is used. The first trace of a file builds it once more, in some
seconds.
"""

from __future__ import annotations

import contextlib
import shutil
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import lru_cache
from pathlib import Path

import torch

from helpers import emulator, specs
from helpers.emulator import trace_tables as tracing
from helpers.emulator.card import facts
from helpers.emulator.device_variables import DeviceVariable, device_variable
from helpers.emulator.trace import Race, Trace
from helpers.errors import BuildError, FaultKind, KernelFault
from helpers.model.arguments import Rate, Whole, checked
from helpers.run import machine
from helpers.run.build import build
from helpers.run.kernel import Kernel
from helpers.run.launcher import Launcher
from helpers.sources import digest, read_sources, source_path

BYTES = 64 << 20  # of tensors: a trace of more takes long and shows nothing else
ALIGNMENT = 512  # bytes: where PyTorch's tensors begin on a GPU; on a CPU it is 64


def trace(
    kernel: str | Path | Kernel | Launcher,
    *tensors,
    block: int = 0,
    warp: int = 0,
    seconds: float | None = None,
    card: str | None = None,
    **arguments,
) -> Trace:
    """Call a kernel as `kernel(*tensors, **arguments)` and count what its warps do.

    kernel: a name or a path, as `jit.load` takes it, or a loaded kernel, or one of its
    launchers (`v3.add_bf16`). The tensors are copied to the CPU; the caller's do not change.
    block, warp: the warp of one block whose single steps are kept, by number. seconds: stop a
    kernel after so long, and return what it has done by then. card: a name of data/gpus.csv,
    such as "H200": launchers that choose by the number of SMs, say, choose as on that card.
    Without it they are told of four SMs.

    Raises what a call of the kernel raises, BuildError without g++, ValueError if the tensors
    take more than 64 MB, TypeError or ValueError for numbers that cannot be, KeyError for an
    unknown card.
    """
    _check_numbers(block, warp, seconds)
    _check_bytes(tensors)
    path = kernel.path if isinstance(kernel, (Kernel, Launcher)) else source_path(kernel)
    traced, files = load_traced(path, specs.gpu(card).name if card is not None else None)
    name = kernel.declaration.name if isinstance(kernel, Launcher) else None
    launcher = traced.launchers[name] if name else traced.launcher_of(tensors)
    copies = [_aligned_copy(x) if isinstance(x, torch.Tensor) else x for x in tensors]
    names = [p.name for p in launcher.declaration.arguments]
    named = {k: x for k, x in zip(names, copies, strict=False) if isinstance(x, torch.Tensor)}
    with launcher.emulator.workers(1), _limit(launcher, seconds):
        tracing.start(launcher.emulator, block, warp)
        stopped = False
        try:
            launcher(*copies, **arguments)
        except KernelFault as fault:
            stopped = seconds is not None and fault.kind is FaultKind.TIMEOUT
            if not stopped:
                raise emulator.Regions.of(named, emulator.GAP).named(fault) from None
        finally:
            seen = tracing.stop(launcher.emulator, traced.library, files)
    if seen.untraced:
        raise ValueError(
            f"{path.name}: a trace follows one block after another, and the blocks of a "
            "cooperative launch run together: trace it with one block"
        )

    def variable(address: int) -> DeviceVariable | None:
        return device_variable(launcher.emulator, traced.library, files, address)

    faults = tuple(_fault(race, seen, named, variable) for race in seen.races)
    return replace(seen, faults=faults, stopped=stopped)


@checked
def _check_numbers(block: Whole, warp: Whole, seconds: Rate | None) -> None:
    """Refuse numbers of a block, of a warp or of seconds that cannot be."""


def _check_bytes(arguments: Sequence[object]) -> None:
    if (taken := sum(x.nbytes for x in arguments if isinstance(x, torch.Tensor))) > BYTES:
        raise ValueError(
            f"the tensors take {taken / 1e6:,.0f} MB: trace fewer elements, at most "
            f"{BYTES >> 20} MB; 2^16 elements show the same pattern"
        )


def _aligned_copy(x: torch.Tensor) -> torch.Tensor:
    """Copy a tensor to the CPU: aligned as on a GPU, and with an inaccessible gap behind it.

    A write beyond the end is a fault there (or stays in the few bytes before the gap) and
    spoils nothing of Python's.
    """
    x = x.detach()
    if not x.is_contiguous():
        return x.cpu()  # which no launcher takes: it says so
    return emulator.guarded(x.numel(), x.dtype, ALIGNMENT).view(x.shape).copy_(x)


def _limit(launcher: Launcher, seconds: float | None) -> contextlib.AbstractContextManager:
    return launcher.emulator.timeout(seconds) if seconds else contextlib.nullcontext()


def load_traced(kernel: str | Path, card: str | None = None) -> tuple[Kernel, dict[str, str]]:
    """Return the traced build of a file, and the texts of its files by name.

    kernel: its name or path, as `jit.load` takes it. card: what its launchers are told of the
    device, as for `trace`.
    """
    path = source_path(kernel)
    sources = read_sources(path)
    return _loaded(path, digest(sources), card)


@lru_cache(maxsize=64)
def _loaded(path: Path, hashed: str, card: str | None) -> tuple[Kernel, dict[str, str]]:
    """Build a file for tracing and load it; its text, too, is known by its hash."""
    here = machine.emulator("to trace a kernel", torch.__version__)
    for rebuild in (False, True):
        sources = read_sources(path)
        built = build(path, sources, here, rebuild=rebuild, traced=True)
        if not built:
            continue
        try:
            kernel = _kernel(path, sources[path], built.library, card)
        except OSError:
            continue
        return kernel, {file.name: text for file, text in sources.items()}
    raise BuildError(f"{path.name} was changed while it was being compiled: save it, try again")


def _kernel(path: Path, text: str, library: Path, card: str | None) -> Kernel:
    """Load a traced library; for a card a copy of it, as a launcher may keep what it asked."""
    if card is None:
        return Kernel(path, text, library, False, 0.0)
    with tempfile.TemporaryDirectory() as folder:
        kernel = Kernel(path, text, Path(shutil.copy(library, folder)), False, 0.0)
    kernel.library = library
    next(iter(kernel.launchers.values())).emulator.set_card(facts(specs.gpu(card)))
    return kernel


def _fault(
    race: Race,
    seen: Trace,
    tensors: dict[str, torch.Tensor],
    variable: Callable[[int], DeviceVariable | None] = lambda address: None,
) -> KernelFault:
    """Return a race as a fault, with the element, both lines and both threads.

    variable: finds the `__device__` variable behind an address.
    """
    place = _place(race, seen, tensors, variable)
    mine = f"{_thread(race.thread)} {_verb(race.kind)} {place} (line {race.line.number})"
    other = _thread(race.other_thread)
    line = f"line {race.other_line.number}" if race.other_line else "an unknown line"
    if race.rule == "outside":
        words = (
            f"{_thread(race.thread)} {_verb(race.kind)} past the end of memory that "
            f"cudaMalloc, malloc or new gave, by {race.past} bytes (line {race.line.number}): "
            f"{OUTSIDE}"
        )
    elif race.rule == "foreign":
        words = (
            f"{_thread(race.thread)} {_verb(race.kind)} a local variable of another thread by "
            f"its address (line {race.line.number}): {FOREIGN}"
        )
    elif race.rule == "unwritten":
        words = f"{mine}, which no thread of the block has written: {MISSING}"
        if _is_stored_as_often(race, seen):
            words = words.replace(MISSING, OTHER_INDEX)
        if race.kind == "atomic":
            words = (
                f"{mine}, which no thread of the block has set. It needs a start value: is one "
                "stored first (0, say), and __syncthreads() behind that?"
            )
    elif race.rule == "copying":
        is_read = race.other_kind == "load"
        words = (
            f"{mine}, which an asynchronous copy of {other} ({line}) "
            f"{'may still read' if is_read else 'may not have written yet'}: "
            "let that thread wait for its copy (cp.async.wait_group, __pipeline_wait_prior, "
            "wait()), then put a barrier before other threads' accesses"
        )
    elif race.rule == "unfenced":
        words = (
            f"{mine}, {other} {_verb(race.other_kind)} it ({line}), and the memory model does "
            f"not order the two: {UNFENCED}"
        )
    elif race.rule == "unpublished":
        words = (
            f"{mine}, {other} {_verb(race.other_kind)} it ({line}), and only the count of line "
            f"{race.between.number} says that it has: volatile orders nothing, so {FENCE}"
        )
    else:
        words = (
            f"{mine}, {other} {_verb(race.other_kind)} it ({line}), and nothing orders "
            f"the two: {_remedy(race, seen)}"
        )
    return KernelFault(
        f"{race.line.file}: {words}",
        kind=KINDS.get(race.rule, FaultKind.RACE),
        address=race.address,
        access="read" if race.kind == "load" else "write",
        thread=_thread(race.thread),
        place=place,
    )


KINDS = {
    "unwritten": FaultKind.UNWRITTEN,
    "outside": FaultKind.OUT_OF_BOUNDS,
    "foreign": FaultKind.OUT_OF_BOUNDS,
}
OUTSIDE = "is it of too few bytes, or is the index too large?"
FOREIGN = (
    "on a GPU it leads to the own local memory of the thread that uses it. Hand the number on "
    "in shared memory, or by a shuffle"
)
MISSING = "a missing write or barrier?"
OTHER_INDEX = (
    "does any thread write it, or does the line that writes compute its index otherwise (the "
    "length of a row, say), so that another element is read than was written?"
)
ORDERS = {
    "warp": "put __syncwarp() between them",
    "block": "put __syncthreads() between them",
    "grid": "no barrier joins the blocks of a launch, so use an atomic or a second launch",
}
UNFENCED = (
    "the atomic or volatile read that tells of the other is relaxed, so put __threadfence() "
    "behind it, before this access"
)
# Where the kernel has an atomic that may be a flag, a count of blocks, or a lock.
FENCE = "put __threadfence() between the write and the atomic that hands it on"


def _is_stored_as_often(race: Race, seen: Trace) -> bool:
    """Test whether as many bytes of a shared array are stored as read.

    Then what is read, and was not written, stands for another element that was.
    """
    array = next((x for x in seen.arrays if x.begin <= race.address < x.begin + x.bytes), None)
    asked = {"load": 0, "store": 0}
    for one in seen.traffic if array else ():
        at = next((x for x in one.worst.addresses if x is not None), -1)
        if one.kind in asked and array.begin <= at < array.begin + array.bytes:
            asked[one.kind] += one.bytes_asked
    return 0 < asked["load"] <= asked["store"]


def _remedy(race: Race, seen: Trace) -> str:
    """Say what orders the two accesses of a race: an atomic, a barrier or another launch.

    The races of the trace that share a line with this one count, too.
    """
    lines = {race.line, race.other_line}
    near = [
        race,
        *(
            x
            for x in seen.races
            if x.rule in ("race", "behind") and lines & {x.line, x.other_line}
        ),
    ]
    kinds = {kind for x in near for kind in (x.kind, x.other_kind)}
    stores = {x.line for x in near if x.kind == "store"}
    stores |= {x.other_line for x in near if x.other_kind == "store"}
    if len(stores) == 1 and any(x.update for x in near):
        lost = "one of two updates may be lost, so make them atomic (atomicAdd, atomicMax, ...)"
        return lost + (f", or {FENCE}" if seen.atomics.requests else "")
    both_store = race.line == race.other_line and race.kind == race.other_kind == "store"
    if both_store or (len(stores) == 1 and kinds == {"store"}):
        return "is the index right, or should only one thread write there?"
    # An atomic hides the accesses before it, and with them how far the threads are apart.
    scopes = {x.scope for x in near} | ({"block"} if "atomic" in kinds else set())
    scope = max(scopes, key=list(ORDERS).index)
    if scope == "warp" and race.between:
        met = f"a shuffle, a vote or the like (line {race.between.number})"
        return f"{met} does not order memory, so {ORDERS[scope]}"
    if scope == "grid" and seen.atomics.requests:
        return f"{ORDERS[scope]}, or {FENCE}"
    return ORDERS[scope]


def _verb(kind: str) -> str:
    return {"load": "reads", "store": "writes"}.get(kind, "changes (atomic)")


def _thread(number: int) -> str:
    return f"thread {number % tracing.THREADS} of block {number // tracing.THREADS}"


def _place(
    race: Race,
    seen: Trace,
    tensors: dict[str, torch.Tensor],
    variable: Callable[[int], DeviceVariable | None],
) -> str:
    for array in seen.arrays:
        if array.begin <= race.address < array.begin + array.bytes:
            return array.place(race.address)
    region = emulator.Regions.of(tensors).nearest(race.address)
    if region and not region.distance(race.address):
        return region.element(race.address)
    if found := variable(race.address):
        return found.place(race.address)
    return region.element(race.address) if region else "memory that belongs to no tensor"
