"""Check an operator past 2^31 elements on the emulator, in tensors that are never filled.

Untouched pages take no memory, so three tensors of 8 GB each fit on any laptop. Running
all threads would take too long, but the emulator can run a grid in reverse, the last blocks
first, and can be stopped after a few milliseconds. By then the last elements are written, or an
index has overflowed. With the first blocks first, the first elements are: there most is left,
and a count of what is left overflows.
"""

from __future__ import annotations

import enum
import math
import re
import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace

import torch

from helpers.emulator.memory import Regions, sparse
from helpers.emulator.runtime import FORWARD, REVERSE, REVERSE_COLUMNS
from helpers.errors import FaultKind, KernelFault, LaunchError
from helpers.model.launch_shape import MOST_THREADS
from helpers.run.launcher import Launcher
from helpers.testing import reachable
from helpers.testing.references import largest_ulp, ulp_distance

SIZES = ((1 << 31) + 1001, (1 << 32) + 1024)  # just past INT32_MAX and just past UINT32_MAX
PAST_2_31 = "sizes past 2^31"  # how a verdict names them; an Untried of cases without them
END = 1024  # elements at the end that are filled and compared
SECONDS = (0.02, 0.2)  # a first attempt, and a second one where the end was not reached
TOTAL_SECONDS = 0.3  # of a launcher that needs every element: one thread comes to its end
AT_ONCE = 0.1  # of one past 2^32: an unsigned index hides there, a count that is cut does not
BUSY = (1, 4, 16)  # times as long, as long as other processes have had the core
PATIENCE = 5  # times as long, where a smaller size was reached: the machine may be busy
POISON = 0x5A  # in every byte of an output
_WIDE = re.compile(r"\b(?:u?int64_t|long|ptrdiff_t)\b")
# Pointers to such integers, and shared arrays of them: elements, which count nothing.
_OF_ELEMENTS = re.compile(
    r"\b(?:u?int64_t|(?:long\s+)?long(?:\s+int)?)(?:\s+const)?\s*[*&]|\b__shared__[^;]*;"
)
# Where elements are such integers, too: what is made of a thread's number, a loop's variable,
# or another number than an element that is made one.
_OF_INDICES = re.compile(
    r"\bfor\s*\(\s*(?:const\s+)?(?:u?int64_t|long|size_t)\b"
    r"|\b(?:u?int64_t|long|size_t)\b[^;{}()]*=[^;]*\b(?:blockIdx|threadIdx)\b"
    r"|(?:\(\s*|<\s*)(?:u?int64_t|long(?:\s+long)?|size_t)\s*(?:\)|>\s*\()(?!\s*\w+\s*\[)"
)
_BYTES = re.compile(r"\bsize_t\b")
_DEVICE = re.compile(r"\b__(?:global|device)__\b")
TOO_LONG = "a launch takes too long on the emulator"
OWN_SIZES = "its sizes depend on each other: a case of its own would tell"
_HOW = (
    "Compute it in int64_t, as in static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x"
)
ADVICE = f"an index, a count or a number of blocks of 32 bits? {_HOW}"
ENOUGH_ADVICE = f"an index, a product in it or a count of 32 bits? {_HOW}"  # of threads
BEGINNING_ADVICE = (
    "is an index of 32 bits, or a count of what is left from there on, as n - i, which is "
    "largest for the first ones? Compute both in int64_t"
)
THREAD_ADVICE = f"is the index of 32 bits? {_HOW}"  # of a thread that is there
INDEX_ADVICE = (
    "is an index of 32 bits too narrow, or what a loop adds to it? Compute both in int64_t"
)
TYPE_ADVICE = "Is the number of blocks computed in int64_t, and right for so many elements?"
SIDE_ADVICE = (
    "gridDim.y and gridDim.z end at 65,535: put the long side into x, or let each block go on "
    "to further elements in a loop (a stride)"
)


class Outcome(enum.Enum):
    """Answer for one size."""

    RIGHT = enum.auto()
    WRONG = enum.auto()
    LIMITED = enum.auto()  # wrong, of a kernel that counts in 32 bits throughout
    UNDECIDED = enum.auto()


@dataclass(frozen=True)
class Result:
    """Outcome for n elements: a sentence of what is WRONG or LIMITED, a reason if UNDECIDED."""

    n: int
    outcome: Outcome
    sentence: str = ""
    fault: FaultKind | None = None

    def __str__(self) -> str:
        return f"{self.sentence} [n = {self.n:,}]"


class End(enum.Enum):
    """State of the last elements after one launch; of the first ones, if those run first."""

    RIGHT = "the last elements are right"
    WRONG = "the last elements are wrong"
    UNWRITTEN = "the last elements are never written"
    NOT_REACHED = "the launch was stopped before them"
    FAULT = "the launch broke a rule"


@dataclass(frozen=True)
class Layout:
    """The tensors of one launch: their shapes, what stands at the inputs' ends, what is right.

    inputs: for each its shape, an index and the numbers that stand there; everything else is
    zero. outputs: for each its shape and the float64 numbers of its last elements. total: the
    outputs are right only after the last block.
    """

    inputs: tuple[tuple[tuple[int, ...], object, torch.Tensor], ...]
    outputs: tuple[tuple[tuple[int, ...], torch.Tensor], ...]
    total: bool = False


Build = Callable[[int, int], Layout]  # of a size, and of the elements at its end


@dataclass(frozen=True)
class Huge:
    """A launch past 2^31 elements, as one of the cases that a launcher is tried on.

    build: makes the tensors of a size n, with `end` elements that are filled and compared.
    size: the n that is tried; of `below`, no tensor has more than 2^31 elements.
    """

    label: str
    build: Build
    size: int
    below: int
    arguments: dict[str, int | float] = field(default_factory=dict)
    ulp: float = 0


@dataclass(frozen=True)
class _Problem:
    """A launcher and the tensors that it gets for each size, the tolerance, its scalars.

    below: a size for which no tensor has more than 2^31 elements.
    """

    launcher: Launcher
    build: Build
    ulp: float
    arguments: dict[str, int | float]
    below: int | None = None

    def launch(
        self, n: int, seconds: float, order: int = REVERSE
    ) -> tuple[End, KernelFault | None]:
        """Launch once with the last blocks first, stop after `seconds`, and look at the end.

        FORWARD: with the first blocks first, and look whether the first elements are written.
        Raises MemoryError if the tensors cannot be reserved, LaunchError if the launch is
        refused.
        """
        layout = self.build(n, END)
        tensors = self._tensors(layout)
        emulator, complete = self.launcher.emulator, True
        ends_only = emulator.sparse((x.data_ptr(), x.nbytes) for x in tensors.values())
        reverse, limit = emulator.schedule(order), emulator.timeout(seconds)
        with ends_only, reverse, limit, emulator.workers(1):
            try:
                self.launcher(*tensors.values(), **self.arguments)
            except KernelFault as fault:
                if fault.kind is not FaultKind.TIMEOUT:
                    reach = max(x.element_size() for x in tensors.values()) << 31  # the gap
                    return End.FAULT, Regions.of(tensors, reach).named(fault)
                complete = False
        if layout.total and not complete:
            return End.NOT_REACHED, None
        if order == FORWARD:
            return self._beginning(tensors, layout, complete), None
        return self._end(tensors, layout, complete), None

    def _tensors(self, layout: Layout) -> dict[str, torch.Tensor]:
        """Reserve the tensors, and fill the inputs' ends."""
        tensors, inputs, outputs = {}, iter(layout.inputs), iter(layout.outputs)
        for parameter in self.launcher.declaration.tensors:
            dtype, alignment = parameter.dtype, parameter.address_multiple
            if parameter.role == "input":
                shape, index, numbers = next(inputs)
                tensor = sparse(math.prod(shape), dtype, alignment, only_read=True).view(shape)
                tensor[index] = numbers.to(dtype)
            else:
                shape, expected = next(outputs)
                tensor = sparse(math.prod(shape), dtype, alignment)
                for part in (slice(-len(expected), None), slice(len(expected))):
                    tensor[part].view(torch.uint8).fill_(POISON)
            tensors[parameter.name] = tensor.view(shape)
        return tensors

    def _end(self, tensors: dict[str, torch.Tensor], layout: Layout, complete: bool) -> End:
        """Compare the ends of the outputs; complete: the launch was not stopped."""
        outputs = [p for p in self.launcher.declaration.tensors if p.role == "output"]
        reached = True
        for parameter, (_, right) in zip(outputs, layout.outputs, strict=True):
            got = tensors[parameter.name].view(-1)[-len(right) :]
            allowed = min(self.ulp, largest_ulp(got.dtype))
            untouched = _untouched(got)
            reached &= not bool(untouched[-1])
            if bool(((ulp_distance(got, right) > allowed) & ~untouched).any()):
                return End.WRONG
        if reached:
            return End.RIGHT
        return End.UNWRITTEN if complete else End.NOT_REACHED

    def _beginning(
        self, tensors: dict[str, torch.Tensor], layout: Layout, complete: bool
    ) -> End:
        """Look whether the first elements of the outputs were written."""
        outputs = [p.name for p in self.launcher.declaration.tensors if p.role == "output"]
        for name, (_, right) in zip(outputs, layout.outputs, strict=True):
            if bool(_untouched(tensors[name].view(-1)[: len(right)]).any()):
                return End.UNWRITTEN if complete else End.NOT_REACHED
        return End.RIGHT

    def check(self, n: int) -> Result:
        """Check one size: its last elements; of an elementwise launcher, its first, too."""
        result = self._check_end(n)
        if result.outcome is not Outcome.RIGHT or self.below:
            return result
        return self._check_beginning(n)

    def _check_beginning(self, n: int) -> Result:
        """Check whether the first elements are written, as they are below 2^31."""
        below, left = _same_thread(n), (End.NOT_REACHED, End.UNWRITTEN)
        end, fault = self.launch(n, SECONDS[0], FORWARD)
        if end in left:
            if self.launch(below, SECONDS[1] * below / n, FORWARD)[0] is not End.RIGHT:
                return Result(n, Outcome.RIGHT)  # it goes another way
            for _ in range(2):  # the machine may be busy
                end, fault = self.launch(n, PATIENCE * SECONDS[1], FORWARD)
                if end is not End.NOT_REACHED:
                    break
        if end not in left:
            return self._result(n, end, fault, below)
        what = f"the first elements are not written, as they are with {below:,}"
        advice = BEGINNING_ADVICE if self._had_enough_threads(n, below) else ADVICE
        return Result(n, Outcome.WRONG, f"{what}: {advice}")

    def _check_end(self, n: int) -> Result:
        """Check the last elements of one size."""
        below = self.below or _same_thread(n)
        self.launcher.emulator.take_largest_launch()  # of those before
        end, fault = self.launch(n, SECONDS[0])
        if end is End.NOT_REACHED:
            end, fault = self.launch(n, SECONDS[1])
        if end is End.WRONG and (self._is_wrong_anyway(below) or self._is_wrong_near(n)):
            return Result(n, Outcome.UNDECIDED, TOO_LONG)
        if end is End.NOT_REACHED:
            # Is a size below 2^31 reached? Then this one gets ample time, so that a busy
            # machine is not taken for a wrong index.
            if self.launch(below, SECONDS[1] * below / n)[0] is not End.RIGHT:
                return Result(n, Outcome.UNDECIDED, TOO_LONG)
            end, fault = self.launch(n, PATIENCE * SECONDS[1])
            if end is End.NOT_REACHED and self.below and self._is_slow_near(n):
                return Result(n, Outcome.UNDECIDED, TOO_LONG)
            # A kernel that numbers the blocks by columns has its last ones far apart in rows.
            by_columns = end is End.NOT_REACHED and self.launch(n, SECONDS[1], REVERSE_COLUMNS)
            if by_columns and by_columns[0] is End.RIGHT:
                return Result(n, Outcome.RIGHT)
        return self._result(n, end, fault, below)

    def _is_slow_near(self, n: int) -> bool:
        """Test whether the end is not reached just below 2^31 elements either.

        A grid-stride loop may have many elements a thread there, and few in a small size. Not
        of an elementwise launcher: there the smaller size is of many elements, too.
        """
        near = self._near(n)
        return near < n and self.launch(near, SECONDS[1])[0] is End.NOT_REACHED

    def _is_wrong_near(self, n: int) -> bool:
        """Test whether the end is wrong just below 2^31 elements, too.

        Where several blocks add to an element, those that ran before the launch was stopped
        have made a part of it. Not of an elementwise launcher, as in `_is_slow_near`.
        """
        if not self.below:
            return False
        near = self._near(n)
        return near < n and self.launch(near, SECONDS[1])[0] is End.WRONG

    def _near(self, n: int) -> int:
        """Return the size of which no tensor has quite 2^31 elements."""
        layout = self.build(n, END)
        most = max(math.prod(shape) for shape, *_ in (*layout.inputs, *layout.outputs))
        return int(n * ((1 << 31) - 1) / most)

    def check_total(self, n: int) -> Result:
        """Check one size of a launcher that needs every element for its result.

        It is hardly ever ended in time; but an index that overflows is a fault at once, and a
        count that does not fit ends too early.
        """
        seconds = TOTAL_SECONDS if n < 1 << 32 else AT_ONCE
        for times in BUSY:
            start = time.process_time()
            end, fault = self.launch(n, times * seconds)
            if end is not End.NOT_REACHED or time.process_time() - start > seconds / 2:
                break  # not for want of a core
        if end is End.NOT_REACHED:
            return Result(n, Outcome.UNDECIDED, TOO_LONG)
        if end is End.WRONG:
            return Result(n, Outcome.WRONG, f"the result is wrong: {ADVICE}")
        return self._result(n, end, fault, n)

    def check_inside(self, n: int) -> Result:
        """Check that a launch stays inside of its tensors and writes the end, as below 2^31."""
        for seconds in SECONDS:
            end, fault = self.launch(n, seconds)
            if end is not End.NOT_REACHED:
                break
        reached = (End.RIGHT, End.WRONG)
        if end is End.FAULT:
            bounds = fault.kind is FaultKind.OUT_OF_BOUNDS
            if bounds and self.launch(self.below, SECONDS[1])[0] is not End.FAULT:
                return self._result(n, end, fault, self.below)
            return Result(n, Outcome.UNDECIDED, OWN_SIZES)
        if end is End.UNWRITTEN and self.launch(self.below, SECONDS[1])[0] in reached:
            return self._result(n, end, fault, self.below)
        return Result(n, Outcome.RIGHT if end in reached else Outcome.UNDECIDED, TOO_LONG)

    def limited(self, result: Result) -> Result:
        """Return LIMITED for WRONG of a kernel that counts in 32 bits and is right below."""
        if result.outcome is not Outcome.WRONG or not counts_in_32_bits(self.launcher):
            return result
        end, _ = self.launch(self._near(result.n), SECONDS[1])
        wrong = end in (End.FAULT, End.UNWRITTEN)
        return result if wrong else replace(result, outcome=Outcome.LIMITED)

    def _result(self, n: int, end: End, fault: KernelFault | None, below: int) -> Result:
        if end is End.RIGHT:
            return Result(n, Outcome.RIGHT)
        what = end.value
        if end is End.FAULT:
            what = str(fault)
        if end is End.NOT_REACHED:
            what = f"the last elements are not written, as they are with {below:,}"
        declared = {p.name: p.default for p in self.launcher.declaration.arguments}
        threads = self.arguments.get("block_size") or declared.get("block_size")
        advice = _advice(fault, threads or MOST_THREADS)
        if advice == ADVICE and self._had_enough_threads(n, below):
            advice = ENOUGH_ADVICE
        return Result(n, Outcome.WRONG, f"{what}: {advice}", fault and fault.kind)

    def _had_enough_threads(self, n: int, below: int) -> bool:
        """Test whether a launch has had a thread for all elements of the largest output.

        Each, or each so many of them: as many as a thread has in a size below 2^31.
        """
        elements = self._elements(n)
        threads = self.launcher.emulator.take_largest_launch().total
        if threads >= elements or not threads or below >= n:
            return threads >= elements
        self.launch(below, SECONDS[0])
        few = self.launcher.emulator.take_largest_launch().total
        return bool(few) and threads * -(-self._elements(below) // few) >= elements

    def _elements(self, n: int) -> int:
        return max(math.prod(shape) for shape, _ in self.build(n, END).outputs)

    def _is_wrong_anyway(self, below: int) -> bool:
        """Test below 2^31: wrong there too, as a launch that was stopped half-way may be."""
        return self.launch(below, SECONDS[1])[0] not in (End.RIGHT, End.NOT_REACHED)


def _same_thread(n: int) -> int:
    """Return a size below 2^31 of which the same thread of a block has the last elements."""
    return (1 << 28) + n % (1 << 28)


def _untouched(got: torch.Tensor) -> torch.Tensor:
    """Return which elements still hold what an output held before, bool."""
    return (got.view(torch.uint8).view(len(got), -1) == POISON).all(dim=1)


def _advice(fault: KernelFault | None, threads: int = MOST_THREADS) -> str:
    """Say what to look at: of a thread whose own number fits, what is counted from there on.

    threads: of a block, at most.
    """
    block = re.match(r"block \((\d+), ", fault.thread) if fault else None
    if not block:
        return ADVICE
    return INDEX_ADVICE if (int(block[1]) + 1) * threads < 1 << 31 else THREAD_ADVICE


def _elementwise(launcher: Launcher, reference: Callable) -> Build:
    """Return how to lay out n elements of an elementwise launcher."""
    inputs = [p for p in launcher.declaration.tensors if p.role == "input"]

    def build(n: int, end: int) -> Layout:
        generator = torch.Generator().manual_seed(31)
        numbers = [
            torch.randint(-9, 9, (end,), generator=generator).to(p.dtype) for p in inputs
        ]
        exact = reference(*[x.double() for x in numbers])
        exact = exact if isinstance(exact, tuple) else (exact,)
        ends = tuple(((n,), slice(-end, None), x) for x in numbers)
        return Layout(ends, tuple(((n,), right) for right in exact))

    return build


def counts_in_32_bits(launcher: Launcher) -> bool:
    """Test whether a launcher takes sizes of 32 bits, and no code that it reaches counts in 64.

    Such a kernel is meant for arrays of up to 2^31 elements, as its types say; one that has a
    wider index, too, is meant for more. A size_t in host code may be a number of bytes, and
    what has 64 bits may be an element.
    """
    sizes = launcher.declaration.sizes
    if not sizes or any(p.largest >= 1 << 32 for p in sizes):
        return False
    parts = [_OF_ELEMENTS.sub(" ", part) for part in reachable.definitions(launcher)]
    if any(p.dtype in (torch.int64, torch.uint64) for p in launcher.declaration.tensors):
        return bool(parts) and not any(map(_OF_INDICES.search, parts))
    return bool(parts) and not any(
        _WIDE.search(part) or (_DEVICE.search(part) and _BYTES.search(part)) for part in parts
    )


def _why_not(launcher: Launcher) -> str:
    """Say why a launcher cannot be called with so many elements."""
    narrow = [p.name for p in launcher.declaration.sizes if p.ctype != "int64_t"]
    return f"{narrow[0]} is an int" if narrow else "the call was refused"


def past_2_31(
    launcher: Launcher, reference: Callable, ulp: float, arguments: dict
) -> list[Result]:
    """Check an operator of n elements at each size, up to the first that is wrong.

    Undecided, with the reason as its sentence: the memory cannot be reserved, the launcher
    takes its count as an int, or the last elements are not reached in time for a size below
    2^31 either.
    """
    problem = _Problem(launcher, _elementwise(launcher, reference), ulp, arguments)
    results = []
    for n in SIZES:
        try:
            results.append(_checked(launcher, lambda n=n: problem.check(n), n))
        except LaunchError as refusal:
            results.append(Result(n, Outcome.WRONG, f"{refusal} {grid_advice(refusal)}"))
        if results[-1].outcome is Outcome.WRONG:
            break
    return results


def try_huge(launcher: Launcher, huge: Huge) -> Result:
    """Try a launch past 2^31 elements that is one of a launcher's cases.

    Undecided, too, if the launch is refused: a grid of matrices may end at 65,535 in y.
    """
    n = huge.size
    problem = _Problem(launcher, huge.build, huge.ulp, huge.arguments, huge.below)
    total = huge.build(n, END).total
    check = problem.check_total if total else problem.check
    try:
        return _checked(launcher, lambda: problem.limited(check(n)), n)
    except LaunchError as error:
        return Result(n, Outcome.UNDECIDED, refusal(error.side))


def try_inside(launcher: Launcher, huge: Huge) -> Result:
    """Try whether a launch past 2^31 elements stays inside of its tensors.

    What is right of it is not known. Undecided as in `try_huge`.
    """
    problem = _Problem(launcher, huge.build, 0, huge.arguments, huge.below)
    try:
        check = problem.check_inside
        return _checked(launcher, lambda: problem.limited(check(huge.size)), huge.size)
    except LaunchError as error:
        return Result(huge.size, Outcome.UNDECIDED, refusal(error.side))


def limit(result: Result, label: str) -> str:
    """Say up to which size a launcher is right whose result is LIMITED; label: of the case."""
    what = f"{result.sentence} [{label}]"
    return f"past 2^31 elements it is wrong, as all of its integers have 32 bits: {what}"


def grid_advice(refused: LaunchError) -> str:
    """Say what to look at where a large launch is refused.

    A size that is 0 or past 2^31 was negative, or has lost its upper bits. Where the side is
    not known, either may be the reason.
    """
    if refused.side not in ("grid.y", "grid.z"):
        return TYPE_ADVICE if refused.side else f"{TYPE_ADVICE} {SIDE_ADVICE}"
    return SIDE_ADVICE if 0 < refused.size < 1 << 31 else TYPE_ADVICE


def refusal(side: str) -> str:
    """Say why a size is not decided whose launch is refused; side: of the LaunchError."""
    if side not in ("grid.y", "grid.z"):
        return "the launch is refused"
    return f"the launch is refused: its launcher puts more than 65,535 blocks into {side}"


def _checked(launcher: Launcher, check: Callable[[], Result], n: int) -> Result:
    """Return the result of a check, or what its exception means."""
    try:
        return check()
    except MemoryError:
        return Result(n, Outcome.UNDECIDED, "no address space")
    except ValueError:
        return Result(n, Outcome.UNDECIDED, _why_not(launcher))
