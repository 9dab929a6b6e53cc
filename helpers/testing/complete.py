"""Run an elementwise launcher once on some 2^24 elements, and compare every one of them.

What goes wrong between small sizes and 2^31 shows here: a grid that ends at 65,535 blocks, a
number of blocks in 16 bits, an index in float, which holds every whole number only up to 2^24.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import torch

from helpers import emulator
from helpers.emulator import LaunchSize
from helpers.errors import CourseError, FaultKind, KernelFault, LaunchError
from helpers.run import machine
from helpers.run.faults import named_faults
from helpers.run.launcher import Launcher
from helpers.run.signature import Parameter
from helpers.testing.buffers import BOUNDARY, explained, poison
from helpers.testing.cases import Case, ElementwiseMaker
from helpers.testing.past_2_31 import grid_advice
from helpers.testing.patterns.wrong_places import FLOAT_END, LIMITS, runs
from helpers.testing.references import bits, same_bits

N = (1 << 24) + (1 << 16) + 1
PERIOD = 65_521  # the inputs repeat after so many elements: a prime, so that no block fits it
SHIFT = 1 << 14  # elements: a multiple of 256 bytes, of the period none
SEED = 24
LONGEST_TAIL = 1024  # elements
MOST_EACH = 64  # of a thread
SHORTER = tuple((1 << k) + 1 for k in range(8, 21))  # far below 2^24
MOST_BLOCKS = 65_535  # of a grid, in y and in z, and the most that 16 bits hold


@dataclass(frozen=True)
class Result:
    """What went wrong in the complete run: a sentence, and the rule that was broken.

    tail: what is wrong, if it is just the last elements.
    """

    sentence: str
    fault: FaultKind | None = None
    tail: str = ""

    def __str__(self) -> str:
        return f"{self.sentence} [n = {N:,}]"


def complete(launcher: Launcher, make: ElementwiseMaker) -> Result | None:
    """Run N elements once; return what went wrong, or None.

    Raises MemoryError or RuntimeError if there is no memory for the tensors.
    """
    device = machine.present().device if launcher.on_gpu else "cpu"
    columns, repeated = _inputs(make.inputs(PERIOD, SEED), device)
    period = make.case("", columns)
    tensors, outputs = [], []
    for p in launcher.declaration.tensors:
        if p.role == "input":
            tensors.append(next(repeated))
        else:
            tensors.append(room(N, p.dtype, device))
            bits(tensors[-1]).fill_(poison(p.dtype))
            outputs.append((p, tensors[-1]))
    if not launcher.on_gpu:
        launcher.emulator.take_largest_launch()  # of those before
    try:
        with named_faults():
            launcher(*tensors, **make.arguments)
            if launcher.on_gpu:
                torch.cuda.synchronize()
    except LaunchError as refusal:
        return Result(f"{refusal} {grid_advice(refusal)}")
    except CourseError as error:
        return _stopped(launcher, error, tensors)
    launch = None if launcher.on_gpu else launcher.emulator.take_largest_launch()
    results = (_compare(period, k, *output, launch) for k, output in enumerate(outputs))
    found = next((result for result in results if result), None)
    if found and found.tail and (n := _shorter(launcher, make, period, tensors)):
        return Result(
            f"{found.tail} of {N:,}, and of {n:,}, too: is the tail left to a thread that is "
            "not always there, as where the grid is just full, or its blocks are capped? Leave "
            "it to the first threads, or to a loop over all that is left"
        )
    return found


def room(n: int, dtype: torch.dtype, device: str | torch.device) -> torch.Tensor:
    """Return an uninitialised tensor [n]; on the CPU between gaps that nobody may access."""
    if device == "cpu":
        return emulator.guarded(n, dtype, BOUNDARY)
    return torch.empty(n, dtype=dtype, device=device)


def _stopped(launcher: Launcher, error: CourseError, tensors: Sequence[torch.Tensor]) -> Result:
    """Say at which element a run was stopped, where the emulator knows the address."""
    if launcher.on_gpu or not isinstance(error, KernelFault):
        return Result(str(error), getattr(error, "kind", None))
    names = [p.name for p in launcher.declaration.tensors]
    return Result(explained(error, dict(zip(names, tensors, strict=True))), error.kind)


def _shorter(
    launcher: Launcher, make: ElementwiseMaker, period: Case, tensors: Sequence[torch.Tensor]
) -> int | None:
    """Return a size that floats hold of which the last element is wrong, too, if there is one.

    Of sizes one larger than a power of two, as N is for a pack, a warp and a block.
    """
    for n in (size for size in SHORTER if size < FLOAT_END):
        parts = [x[:n] for x in tensors]
        outputs = []
        for p, x in zip(launcher.declaration.tensors, parts, strict=True):
            if p.role == "output":
                bits(x).fill_(poison(p.dtype))
                outputs.append(x)
        try:
            launcher(*parts, **make.arguments)
        except CourseError:
            return None
        last = (n - 1) % PERIOD
        for k, x in enumerate(outputs):
            if not bool(period.right(k, x[-1:].cpu(), slice(last, last + 1)).all()):
                return n
    return None


def _inputs(
    drawn: Sequence[torch.Tensor], device: str | torch.device
) -> tuple[tuple[torch.Tensor, ...], Iterator[torch.Tensor]]:
    """Return a period of each input, and the inputs [N] that repeat it.

    drawn: a tensor [PERIOD] for each input. All inputs of one dtype lie in one tensor, as
    filling another takes longer than the launch: the next one starts SHIFT elements later.
    """
    long: dict[torch.dtype, torch.Tensor] = {}
    starts, period, inputs = dict.fromkeys((x.dtype for x in drawn), 0), [], []
    for x in drawn:
        if x.dtype not in long:
            count = -(-(N + len(drawn) * SHIFT) // PERIOD)
            long[x.dtype] = room(count * len(x), x.dtype, device)
            bits(long[x.dtype]).view(count, -1).copy_(bits(x.to(device)))
        part = long[x.dtype][starts[x.dtype] :][:N]
        starts[x.dtype] += SHIFT
        period.append(part[:PERIOD].cpu())
        inputs.append(part)
    return tuple(period), iter(inputs)


def _compare(
    period: Case, output: int, p: Parameter, got: torch.Tensor, launch: LaunchSize | None
) -> Result | None:
    right = bits(period.wanted[output].to(got.device))
    begin, repeats = bits(got[:PERIOD]), torch.equal(bits(got[PERIOD:]), bits(got[:-PERIOD]))
    if repeats and torch.equal(begin, right):
        return None  # the usual case, and fast
    parts = [part.cpu() for part in (got[:PERIOD] if repeats else got).split(PERIOD)]
    wrong = torch.cat([~period.right(output, x, slice(len(x))) for x in parts])
    if repeats:
        wrong = wrong.repeat(-(-N // PERIOD))[:N]
    if not bool(wrong.any()):
        return None
    unwritten = same_bits(got.cpu(), poison(p.dtype)) & wrong
    return Result(_sentence(p.name, wrong, unwritten, launch), tail=_tail(wrong, unwritten))


def _tail(wrong: torch.Tensor, unwritten: torch.Tensor) -> str:
    """Say that just the last elements are wrong, or never written; "" if others are."""
    where = wrong.nonzero().flatten()
    first, count = int(where[0]), len(where)
    if not _all_from(first, count) or N - first > LONGEST_TAIL:
        return ""
    what = "never written" if torch.equal(wrong, unwritten) else "wrong"
    return f"the last {'element is' if count == 1 else f'{count:,} elements are'} {what}"


def _sentence(
    name: str, wrong: torch.Tensor, unwritten: torch.Tensor, launch: LaunchSize | None = None
) -> str:
    """Describe which of the N elements are wrong, and what to look at.

    launch: None on a GPU, which does not tell it.
    """
    where = wrong.nonzero().flatten()
    first, count = int(where[0]), len(where)
    what = "never written" if torch.equal(wrong, unwritten) else "wrong"
    if first >= FLOAT_END and not _all_from(first, count):
        return (
            f"all is right below index {first:,}, and {count:,} elements after it are {what}: "
            "an index too narrow? A float holds every whole number only up to 2^24 = 16,777,216"
        )
    if first in LIMITS and not _all_from(first, count):
        return (
            f"all is right below index {first:,} = 2^{first.bit_length() - 1}, and {count:,} "
            f"elements after it are {what}: is an index too narrow? Compute it in int64_t"
        )
    if tail := _tail(wrong, unwritten):
        return (
            f"{tail} of {N:,}: a count computed in float, which holds every whole "
            "number only up to 2^24, or a grid that is not rounded up?"
        )
    if launch and _all_from(first, count) and (asked := _of_the_grid(first, launch)):
        return f"all is right below index {first:,}, and {what} from there on{asked}"
    if _all_from(first, count) and first not in LIMITS:
        most = f" = {MOST_BLOCKS:,} x {first // MOST_BLOCKS}" * (first % MOST_BLOCKS == 0)
        return (
            f"all is right below index {first:,}{most}, and {what} from there on: does the "
            "grid end there, its number of blocks capped? It must cover n, or each thread go "
            "on in a grid-stride loop"
        )
    if _all_from(first, count):
        return (
            f"all is right below index {first:,}, and {what} from there on: does the grid end "
            "there (its number of blocks capped, at 65,535 say, or kept in 16 bits), or is an "
            "index too narrow? The grid must cover n, or each thread go on in a grid-stride "
            "loop"
        )
    if torch.equal(wrong, unwritten) and (regular := runs(where, N)) and regular[0] > 1:
        length, step = regular
        if 2 * length == step:  # a bit of the index is lost
            return (
                f"{length:,} of every {step:,} elements are never written, from index "
                f"{first:,} on, though smaller sizes are right: is an index too narrow, of so "
                "many bits?"
            )
        return (
            f"{length:,} of every {step:,} elements are never written, from index {first:,} "
            "on, though smaller sizes are right: does a grid-stride loop go on by more than "
            "the threads of the whole grid (gridDim.x * blockDim.x), or end after a part?"
        )
    return (
        f"{count:,} of {N:,} elements of {name} are {what}, the first at index {first:,}, "
        "though smaller sizes are right: is an index too narrow, or the grid too small?"
    )


def _of_the_grid(first: int, launch: LaunchSize) -> str:
    """Ask whether the grid ends at an element, or say that it does not.

    "" where there may be too few threads, or an index may be too narrow.
    """
    each, rest = divmod(first, launch.total) if launch.total else (0, 0)
    if not rest and 1 <= each <= MOST_EACH:
        missing = -(-N // (each * launch.threads)) - launch.blocks
        if missing > 0 and missing % (MOST_BLOCKS + 1) == 0:
            return (
                f", where the launch ends ({launch}, {missing:,} fewer than it needs): is the "
                "number of blocks kept in 16 bits, too narrow for it?"
            )
        return (
            f", where the launch ends ({launch}): is the number of blocks capped? The grid "
            "must cover n, or each thread go on in a grid-stride loop"
        )
    if launch.total >= N and first not in LIMITS:
        return (
            f", and the launch has {launch}, enough for all: is a count of elements too narrow "
            "(of 16 bits, say), or does a loop end too early?"
        )
    return ""


def _all_from(first: int, count: int) -> bool:
    return count == N - first
