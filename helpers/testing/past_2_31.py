"""Check an operator past 2^31 elements on the emulator, in tensors that are never filled.

Untouched pages take no memory, so three tensors of 8 GB each fit on any laptop. Running
all threads would take too long, but the emulator can run a grid in reverse, the last blocks
first, and can be stopped after a few milliseconds. By then the last elements are written, or an
index has overflowed.
"""

from __future__ import annotations

import enum
from collections.abc import Callable
from dataclasses import dataclass

import torch

from helpers.emulator.memory import Regions, sparse
from helpers.emulator.runtime import REVERSE
from helpers.errors import CourseError, FaultKind, KernelFault
from helpers.run.launcher import Launcher
from helpers.testing.references import ulp_distance

SIZES = ((1 << 31) + 1001, (1 << 32) + 1024)  # just past INT32_MAX and just past UINT32_MAX
END = 1024  # elements at the end that are filled and compared
SECONDS = (0.02, 0.2)  # a first attempt, and a second one where the end was not reached
PATIENCE = 5  # times as long, where a smaller size was reached: the machine may be busy
POISON = 0x5A  # in every byte of an output
ADVICE = (
    "an index, a count or a number of blocks of 32 bits? Compute it in int64_t, as in "
    "static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x"
)


class Outcome(enum.Enum):
    """Answer for one size."""

    RIGHT = "right"
    WRONG = "wrong"
    UNDECIDED = "undecided"


@dataclass(frozen=True)
class Result:
    """Outcome for n elements, and a sentence where it is WRONG."""

    n: int
    outcome: Outcome
    sentence: str = ""
    fault: FaultKind | None = None

    def __str__(self) -> str:
        return f"{self.sentence} [n = {self.n:,}]"


class End(enum.Enum):
    """State of the last elements after one launch."""

    RIGHT = "the last elements are right"
    WRONG = "the last elements are wrong"
    UNWRITTEN = "the last elements are never written"
    NOT_REACHED = "the launch was stopped before them"
    FAULT = "the launch broke a rule"


@dataclass(frozen=True)
class _Problem:
    """An operator of n elements to launch: what it computes, the tolerance, its scalars."""

    launcher: Launcher
    reference: Callable[..., torch.Tensor]
    ulp: float
    arguments: dict[str, int | float]

    def launch(self, n: int, seconds: float) -> tuple[End, KernelFault | None]:
        """Launch once with the last blocks first, stop after `seconds`, and look at the end.

        Raises MemoryError if the tensors cannot be reserved, LaunchError if the launch is
        refused.
        """
        tensors, exact = self._tensors(n)
        emulator, complete = self.launcher.emulator, True
        ends_only = emulator.sparse((x.data_ptr(), x.nbytes) for x in tensors.values())
        reverse, limit = emulator.schedule(REVERSE), emulator.timeout(seconds)
        with ends_only, reverse, limit, emulator.workers(1):
            try:
                self.launcher(*tensors.values(), **self.arguments)
            except KernelFault as fault:
                if fault.kind is not FaultKind.TIMEOUT:
                    return End.FAULT, Regions.of(tensors, reach=1 << 31).named(fault)
                complete = False
        return self._end(tensors, exact, complete), None

    def _tensors(self, n: int) -> tuple[dict[str, torch.Tensor], list[torch.Tensor]]:
        """Reserve the tensors; return them by name, and the ends of the inputs in float64."""
        tensors, exact = {}, []
        generator = torch.Generator().manual_seed(31)
        for parameter in self.launcher.declaration.tensors:
            tensor = sparse(n, parameter.dtype, parameter.address_multiple)
            if parameter.role == "input":
                end = torch.randint(-9, 9, (END,), generator=generator).to(parameter.dtype)
                tensor[-END:] = end
                exact.append(end.double())
            else:
                tensor[-END:].view(torch.uint8).fill_(POISON)
            tensors[parameter.name] = tensor
        return tensors, exact

    def _end(
        self, tensors: dict[str, torch.Tensor], exact: list[torch.Tensor], complete: bool
    ) -> End:
        """Compare the ends of the outputs; complete: the launch was not stopped."""
        expected = self.reference(*exact)
        expected = expected if isinstance(expected, tuple) else (expected,)
        outputs = [p for p in self.launcher.declaration.tensors if p.role == "output"]
        reached = True
        for parameter, right in zip(outputs, expected, strict=True):
            got = tensors[parameter.name][-END:]
            untouched = (got.view(torch.uint8).view(END, -1) == POISON).all(dim=1)
            reached &= not bool(untouched[-1])
            if bool(((ulp_distance(got, right) > self.ulp) & ~untouched).any()):
                return End.WRONG
        if reached:
            return End.RIGHT
        return End.UNWRITTEN if complete else End.NOT_REACHED

    def check(self, n: int) -> Result:
        """Check one size."""
        below = (1 << 30) + n % (1 << 30)  # here the same thread has the last elements
        end, fault = self.launch(n, SECONDS[0])
        if end is End.NOT_REACHED:
            end, fault = self.launch(n, SECONDS[1])
        if end is End.WRONG and self._is_wrong_anyway(below):
            return Result(n, Outcome.UNDECIDED)
        if end is End.NOT_REACHED:
            # Is a size below 2^31 reached? Then this one gets ample time, so that a busy
            # machine is not taken for a wrong index.
            if self.launch(below, SECONDS[1] * below / n)[0] is not End.RIGHT:
                return Result(n, Outcome.UNDECIDED)
            end, fault = self.launch(n, PATIENCE * SECONDS[1])
        if end is End.RIGHT:
            return Result(n, Outcome.RIGHT)
        what = end.value
        if end is End.FAULT:
            what = str(fault)
        if end is End.NOT_REACHED:
            what = f"the last elements are not written, as they are with {below:,}"
        return Result(n, Outcome.WRONG, f"{what}: {ADVICE}", fault and fault.kind)

    def _is_wrong_anyway(self, below: int) -> bool:
        """Test below 2^31: wrong there too, if elements depend on others than their own."""
        return self.launch(below, SECONDS[1])[0] not in (End.RIGHT, End.NOT_REACHED)


def past_2_31(
    launcher: Launcher, reference: Callable, ulp: float, arguments: dict
) -> list[Result]:
    """Check an operator of n elements at each size, up to the first that is wrong.

    Undecided counts as passed: the memory cannot be reserved, the launch is refused, or the
    last elements are not reached in time for a size below 2^31 either.
    """
    problem, results = _Problem(launcher, reference, ulp, arguments), []
    for n in SIZES:
        try:
            results.append(problem.check(n))
        except (MemoryError, CourseError, ValueError):
            results.append(Result(n, Outcome.UNDECIDED))
        if results[-1].outcome is Outcome.WRONG:
            break
    return results
