"""Run fast_add where launches depend on each other, and again under compute-sanitizer.

    python -m helpers.measure.libraries.soundness [--tools memcheck racecheck synccheck]

Chains of dependent launches on a stream and in a CUDA graph, the same steps on random streams
that wait for each other's events, and slices at random offsets: on both paths, with ordinary
and programmatic launches, in three dtypes. Each result is compared to the bit. Without a GPU
the kernels run on the emulator, and no tool does.
"""

from __future__ import annotations

import argparse
import contextlib
import random
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from functools import partial

import torch

from helpers.measure.libraries.candidates import kernel
from helpers.measure.libraries.correctness import BULK, PACKS, chain_is_right
from helpers.measure.libraries.operations import ADDS, same_bits
from helpers.model.arguments import Count, checked
from helpers.run import machine
from helpers.run.toolchain import find_tool

TOOLS = ("memcheck", "racecheck", "synccheck")
SIZES = (1000, (1 << 16) + 5)
STREAMS = 3
STEPS = 24
SLICES = 8  # of each launcher
MOST_OFFSET = 9  # elements
MARGIN = 64  # elements behind a slice that must stay as they are
SECONDS = 180  # of one tool
FAILED = 9  # exit status of a tool that found something

Add = Callable[..., None]


def streams_are_right(add: Add, dtype: torch.dtype, elements: int, seed: int = 0) -> bool:
    """Tell whether dependent launches on random streams are right.

    Each waits for the event of the one before it, reads what that one wrote, and overwrites
    what an earlier one wrote.
    """
    here = machine.present()
    chance = random.Random(seed)
    step, start = (torch.randn(elements).to(dtype).to(here.device) for _ in range(2))
    buffers = [start.clone(), torch.empty_like(start), torch.empty_like(start)]
    want = start
    streams = [torch.cuda.Stream() for _ in range(STREAMS)] if here.is_gpu else []
    if here.is_gpu:
        torch.cuda.synchronize()
    before = None
    for i in range(STEPS):
        want = want + step
        stream = chance.choice(streams) if streams else None
        with torch.cuda.stream(stream) if stream else contextlib.nullcontext():
            if before:
                stream.wait_event(before)
            add(buffers[i % 3], step, buffers[(i + 1) % 3])
            before = stream.record_event() if stream else None
    if here.is_gpu:
        torch.cuda.synchronize()
    return same_bits(buffers[STEPS % 3], want)


def slice_is_right(add: Add, dtype: torch.dtype, elements: int, offsets: Sequence[int]) -> bool:
    """Tell whether an addition of slices is right, and writes nothing outside its output."""
    device = machine.present().device
    a, b, out = (torch.randn(elements + o + MARGIN).to(dtype).to(device) for o in offsets)
    want = out.clone()
    x, y, into = (
        slice(offset, offset + elements) for offset in offsets
    )  # an output's neighbours keep what they had
    want[into] = a[x] + b[y]
    add(a[x], b[y], out[into])
    return same_bits(out, want)


@checked
def outcomes(sizes: Sequence[Count] = SIZES) -> Iterator[tuple[str, bool]]:
    """Try everything; return an iterator of what was tried, and whether it was right."""
    return _outcomes(sizes)


def _outcomes(sizes: Sequence[int]) -> Iterator[tuple[str, bool]]:
    chance = random.Random(0)
    for operation in ADDS:
        launcher = getattr(kernel("fast_add"), operation.launcher)
        for path in (PACKS, BULK):
            for programmatic in (0, 1):
                add = partial(launcher, path=path, programmatic=programmatic)
                name = f"{operation}, path {path}, programmatic {programmatic}"
                for elements in sizes:
                    words = f"{name}, {elements:,}"
                    right = chain_is_right(add, operation.dtype, elements)
                    yield f"chain: {words}", right
                    right = streams_are_right(add, operation.dtype, elements)
                    yield f"random streams: {words}", right
                for _ in range(SLICES):
                    offsets = [chance.randrange(MOST_OFFSET) for _ in range(3)]
                    elements = chance.choice(sizes) + chance.randrange(MOST_OFFSET)
                    right = slice_is_right(add, operation.dtype, elements, offsets)
                    yield f"slices at {offsets}: {name}, {elements:,}", right


def under(tool: str) -> bool:
    """Run this program under a tool of compute-sanitizer; tell whether it found nothing."""
    sanitizer = find_tool("compute-sanitizer")
    if not sanitizer:
        print("compute-sanitizer is not installed")
        return False
    command = [
        str(sanitizer.path),
        "--tool",
        tool,
        "--error-exitcode",
        str(FAILED),
        sys.executable,
    ]
    command += ["-m", "helpers.measure.libraries.soundness", "--tools"]
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, check=False, timeout=SECONDS
        )
    except subprocess.TimeoutExpired:
        print(f"{tool}: not finished in {SECONDS} s")
        return False
    last = [line for line in done.stdout.splitlines() if line.strip()][-2:]
    print(f"{tool}: {'; '.join(last) or done.stderr.strip()[-300:]}", flush=True)
    return done.returncode == 0


def main(arguments: Sequence[str] | None = None) -> int:
    """Read the command line and try everything; return 1 if something was wrong."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--tools", nargs="*", default=TOOLS, help="of compute-sanitizer")
    given = parser.parse_args(arguments)
    tried = list(outcomes())
    failed = [words for words, right in tried if not right]
    print(*(f"WRONG: {words}" for words in failed), sep="\n", end="\n" * bool(failed))
    print(f"{len(tried) - len(failed)} of {len(tried)} right", flush=True)
    tools = given.tools if machine.present().is_gpu else []
    return int(bool(failed) + sum(not under(tool) for tool in tools) > 0)


if __name__ == "__main__":
    sys.exit(main())
