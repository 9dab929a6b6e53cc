"""Past 2^31 elements, without the memory: on the emulator, in tensors that are reserved but never filled.

Pages that nobody touches cost nothing, so three tensors of 8 GB each can be had on any laptop. To run all of
their threads would take too long; but the emulator can run a grid in reverse, the last blocks first, and can
be stopped after a few milliseconds. By then the last elements are written, or an index has overflowed.
"""

from __future__ import annotations

from collections.abc import Callable

import torch

from helpers import emulator
from helpers.emulator import sparse
from helpers.errors import CourseError, FaultKind, KernelFault
from helpers.run.launcher import Launcher
from helpers.testing.diagnosis import ulp_distance

SIZES = (
    (1 << 31) + 1001,
    (1 << 32) + 1024,
)  # what a signed, and what an unsigned index of 32 bits cannot hold
END = 1024  # elements at the end that are filled and compared
SECONDS = (0.02, 0.2)
PATIENCE = 5
WRONG = "the last elements are wrong"
POISON = 0x5A
ADVICE = (
    "an index, a count or a number of blocks of 32 bits? Compute it in int64_t, as in "
    "static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x"
)

def _run(
    launcher: Launcher, n: int, seconds: float, reference: Callable, ulp: float, arguments: dict
) -> str | None:
    """One launch of n elements: "" when its end is right, None where it was stopped before that, else a sentence."""
    tensors, exact = {}, []
    generator = torch.Generator().manual_seed(31)
    for parameter in launcher.declaration.tensors:
        tensor = sparse(n, parameter.dtype, max(parameter.alignment, parameter.dtype.itemsize))
        if parameter.role == "input":
            tensor[-END:] = torch.randint(-9, 9, (END,), generator=generator).to(
                parameter.dtype
            )
            exact.append(tensor[-END:].double())
        else:
            tensor[-END:].view(torch.uint8).fill_(POISON)
        tensors[parameter.name] = tensor
    complete = True
    run = launcher.emulator
    with run.schedule(emulator.REVERSE), run.workers(1), run.timeout(seconds):
        try:
            launcher(*tensors.values(), **arguments)
        except KernelFault as error:
            if error.kind is not FaultKind.TIMEOUT:
                return f"{emulator.Regions.of(tensors, 1 << 31).named(error)}: {ADVICE}"
            complete = False
    expected = reference(*exact)
    expected = expected if isinstance(expected, tuple) else (expected,)
    outputs = [
        tensors[p.name][-END:] for p in launcher.declaration.tensors if p.role == "output"
    ]
    reached = True
    for got, right in zip(outputs, expected, strict=True):
        untouched = (got.view(torch.uint8).view(END, -1) == POISON).all(dim=1)
        reached &= not bool(untouched[-1])
        if bool((~(ulp_distance(got, right) <= ulp) & ~untouched).any()):
            return f"{WRONG}: {ADVICE}"
    if complete and not reached:
        return f"the last elements are never written: {ADVICE}"
    return "" if reached else None


def past_2_31(
    launcher: Launcher, reference: Callable, ulp: float, arguments: dict
) -> tuple[int, str | None]:
    """(How many sizes were tried, None or a sentence) for an operator of n elements, on the emulator.

    What stays open counts as right: where the memory cannot be reserved, where the launch is refused, or where
    a right index is no faster reached below 2^31 than beyond.
    """
    for count, n in enumerate(SIZES, 1):
        try:
            below = (1 << 30) + n % (1 << 30)  # where the same thread has the last elements
            answer = None
            for seconds in SECONDS:
                answer = (
                    answer
                    if answer is not None
                    else _run(launcher, n, seconds, reference, ulp, arguments)
                )
            if (
                answer
                and answer.startswith(WRONG)
                and _run(launcher, below, SECONDS[-1], reference, ulp, arguments)
            ):
                continue  # wrong below 2^31 too: an element depends on others, so its end alone says nothing
            # Not reached in time: is a size below 2^31 reached? Then the large one gets ample time, so that a busy
            # machine is not taken for a wrong index.
            if (
                answer is None
                and _run(launcher, below, SECONDS[-1] * below / n, reference, ulp, arguments)
                == ""
            ):
                answer = _run(launcher, n, PATIENCE * SECONDS[-1], reference, ulp, arguments)
                if answer is None:
                    answer = f"the last elements are not written, as they are with {below:,}: {ADVICE}"
        except (MemoryError, CourseError, ValueError):
            continue
        if answer:
            return count, f"{answer} [n = {n:,}]"
    return len(SIZES), None
