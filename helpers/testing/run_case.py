"""Run a kernel once on a case; find a fault, a wrong output or a stray write."""

from __future__ import annotations

import contextlib
import functools
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

import torch

from helpers.emulator import FORWARD, GARBAGE, REVERSE, SHUFFLED, isolated
from helpers.errors import CourseError, FaultKind, KernelFault, LaunchError
from helpers.run.faults import named_faults
from helpers.run.launcher import Launcher
from helpers.run.signature import Parameter
from helpers.testing import patience, reachable
from helpers.testing.buffers import Buffers, poison
from helpers.testing.cases import Case, least_starts
from helpers.testing.diagnosis import diagnose
from helpers.testing.mismatch import Diagnosis, Mismatch, describe
from helpers.testing.references import bits, same_bits

STREAM = 0xC0DE  # a handle for the emulator, which only reports the stream that it was given
OTHER_GARBAGE = 0x7F  # fills fresh memory, too: large numbers, which fmaxf does not drop
AT_ONCE = 1 << 16  # elements that are compared until one is wrong
STREAM_TEST_ELEMENTS = 20_000  # a call of more may share its work among streams of its own
_COPY = re.compile(r"\b(cudaMem(?:cpy|set)(?:2D|3D)?(?:Async)?)\s*\(")
NO_BLOCKS = "How many blocks does the launcher compute for this n: is their number rounded up?"
BESIDE = "is an index one too large, or too small? The last element has index n - 1"
SLEEP_CYCLES = 2_000_000  # about a millisecond on a GPU


@dataclass(frozen=True)
class Round:
    """How a case is run: what outputs hold before, where the guard page is, which order."""

    poison: int = 0  # fill mode of the outputs, as in `buffers.poison`
    front: bool = False  # the inaccessible page lies before tensors and shared arrays
    schedule: int = FORWARD  # the order of blocks and threads on the emulator
    read_only: bool = False  # the inputs cannot be written, on the emulator
    apart: bool = False  # each tensor starts at an offset of its own, unless the case says one
    stream: bool = False  # on another stream than the default one
    garbage: int = GARBAGE  # the byte that fills memory of the launcher's own, on the emulator


ROUNDS = (
    Round(),
    Round(1, schedule=REVERSE, stream=True, read_only=True, apart=True, garbage=OTHER_GARBAGE),
    # On that stream, too: starts at odd places take another way through a launcher.
    Round(poison=2, front=True, schedule=SHUFFLED, stream=True),
)


# Between what was seen and what is asked; and what stands for a cause where it was not seen.
_ASKED = re.compile(r", nearly all: |: (?=(?:is|are|does|do|what|which|where|has|have)\b)")
# Of which another index may be the cause: the lines that mend it tell.
_AT_AN_INDEX = {FaultKind.OUT_OF_BOUNDS, FaultKind.SHARED_OUT_OF_BOUNDS}
_GUESSED = re.compile("right to only|adds? up to|effect|as if|like|counted for another")


@dataclass(frozen=True)
class Failure:
    """A case that went wrong. str() is the sentence that a learner reads.

    fault: the kind of rule that was broken; None if the kernel ran to its end, or was refused.
    first: the first wrong element, "out[3] is 1, not 2 for inputs 1, 1", or "".
    settled: the diagnosis needs no experiment. refused: the launch was, so that nothing ran;
    side: of the grid or the block, whose size was the reason, as in LaunchError.
    untouched: no element of the output was written.
    """

    case: Case
    round: Round
    diagnosis: Diagnosis
    fault: FaultKind | None = None
    first: str = ""
    settled: bool = False
    refused: bool = False
    untouched: bool = False
    side: str = ""

    def __str__(self) -> str:
        first = f"; first: {self.first}" if self.first else ""
        return f"{self.diagnosis.sentence} [{self.case.label}{first}]"

    @property
    def asks(self) -> str:
        """What says or asks for the cause; "" where it was seen, as that of a fault is.

        An access outside of memory may be one at another index.
        """
        seen = self.fault and self.fault not in _AT_AN_INDEX
        return "" if seen or self.refused else self.diagnosis.sentence

    @property
    def plain(self) -> Failure:
        """This with what was seen, and without what is asked of its cause."""
        seen, *asked = _ASKED.split(self.diagnosis.sentence, maxsplit=1)
        if not asked or _GUESSED.search(seen):
            count = self.diagnosis.wrong
            seen = f"{count:,} elements are wrong" if count > 1 else "an element is wrong"
            seen = seen if count else "some elements are wrong"
        return replace(self, diagnosis=replace(self.diagnosis, sentence=seen))


@dataclass(frozen=True)
class _Argument:
    """A tensor of a call: for an input its source, for an output the exact values and dtype."""

    parameter: Parameter
    tensor: torch.Tensor
    poison: int = 0

    @property
    def name(self) -> str:
        return self.parameter.name


def _untouched(argument: _Argument) -> bool:
    return bool(same_bits(argument.tensor, argument.poison).all())


def _reference_of(case: Case, output: int) -> Callable[..., torch.Tensor] | None:
    """Return the reference of one output of a case; None if the case has none."""
    if case.reference is None or len(case.expected) == 1:
        return case.reference
    return lambda *inputs: case.reference(*inputs)[output]


def offsets(launcher: Launcher, case: Case, how: Round) -> Sequence[int]:
    """Return for each tensor the elements between a 256-byte boundary and its start."""
    steps, offset = least_starts(launcher), case.offset
    if offset == 0 and how.apart:
        return [(k % 3 + 1) * step for k, step in enumerate(steps)]
    return offset if isinstance(offset, tuple) else [offset] * len(steps)


def _require_fit(launcher: Launcher, case: Case) -> None:
    """Raise ValueError if a case has not as many inputs and outputs as a launcher."""
    for role, given in (("input", case.inputs), ("output", case.expected)):
        names = [p.name for p in launcher.declaration.tensors if p.role == role]
        if len(names) != len(given):
            raise ValueError(
                f"{role}s of the case '{case.label}': {len(given)}; of "
                f"{launcher.declaration.name}: {len(names)} ({', '.join(names)}). Give cases "
                "that were made for this kernel"
            )


class _Call:
    """The tensors of one case in one round, and the launch."""

    def __init__(self, launcher: Launcher, case: Case, how: Round):
        _require_fit(launcher, case)
        self.launcher, self.case, self.how = launcher, case, how
        self.buffers = Buffers(launcher.on_gpu, how.front)
        shapes = {"input": iter(case.inputs), "output": iter(case.expected)}
        dtypes = {"input": iter([x.dtype for x in case.inputs]), "output": iter(case.dtypes)}
        tensors = launcher.declaration.tensors
        self.arguments = [
            self._argument(p, next(shapes[p.role]).shape, next(dtypes[p.role]), offset)
            for p, offset in zip(tensors, offsets(launcher, case, how), strict=True)
        ]
        self.inputs = [x for x in self.arguments if x.parameter.role == "input"]
        self.outputs = [x for x in self.arguments if x.parameter.role == "output"]

    def _argument(
        self, parameter: Parameter, shape: torch.Size, dtype: torch.dtype, offset: int
    ) -> _Argument:
        tensor = self.buffers.allocate(
            parameter.name, shape.numel(), dtype, offset, parameter.address_multiple
        )
        return _Argument(parameter, tensor.view(shape), poison(dtype, self.how.poison))

    def run(self, inputs: Sequence[torch.Tensor]) -> None:
        """Fill the tensors and launch, as the round says; wait for the end."""
        if not self.launcher.on_gpu:
            self._fill(inputs)
            with self.ready(), patience.launching(self.launcher):
                self._launch()
            return
        with named_faults():
            if self.how.stream:
                self._run_on_another_stream(inputs)
            else:
                self._fill(inputs)
                self._launch()
            torch.cuda.synchronize()

    @contextlib.contextmanager
    def ready(self) -> Iterator[None]:
        """Let the emulator launch as the round says, in this context."""
        library = self.launcher.emulator
        with (
            library.schedule(self.how.schedule),
            library.shared_front(self.how.front),
            library.garbage(self.how.garbage),
            self._protected(),
        ):
            yield

    @contextlib.contextmanager
    def launches(self, inputs: Sequence[torch.Tensor]) -> Iterator[Callable[[], None]]:
        """Yield a function that fills the tensors and launches, on the emulator.

        The arguments are checked once for a call.
        """
        if self.how.read_only:
            self._fill_inputs(inputs)  # while they can be written
        stream = STREAM if self._tests_the_stream() else None

        def launch() -> None:
            if not self.how.read_only:
                self._fill_inputs(inputs)
            self._fill_outputs()
            if self._checked:
                self.launcher.launch(*self._checked, stream)

        with self.ready():
            yield launch

    @functools.cached_property
    def _checked(self) -> tuple[list, int | None] | None:
        """The checked arguments of the launch; None if there is nothing to launch."""
        bound = self.launcher.declaration.bind(self._tensors(), self.case.arguments)
        return self.launcher.checked(bound)

    def _fill(self, inputs: Sequence[torch.Tensor]) -> None:
        self._fill_inputs(inputs)
        self._fill_outputs()

    def _fill_inputs(self, inputs: Sequence[torch.Tensor]) -> None:
        for argument, source in zip(self.inputs, inputs, strict=True):
            argument.tensor.copy_(source)

    def _fill_outputs(self) -> None:
        for argument in self.outputs:
            bits(argument.tensor).fill_(argument.poison)

    def _tensors(self) -> list[torch.Tensor]:
        return [x.tensor for x in self.arguments]

    def _protected(self) -> contextlib.AbstractContextManager:
        names = [x.name for x in self.inputs] if self.how.read_only else []
        return self.buffers.protected(self.launcher.emulator, names)

    def _launch(self) -> None:
        if self._tests_the_stream():
            self.launcher.on_stream(STREAM, *self._tensors(), **self.case.arguments)
        else:
            self.launcher(*self._tensors(), **self.case.arguments)

    def _tests_the_stream(self) -> bool:
        """Say whether the launch must name the caller's stream, which the emulator notes."""
        elements = sum(x.tensor.numel() for x in self.arguments)
        small = 0 < elements < STREAM_TEST_ELEMENTS
        return self.how.stream and small and not self.launcher.on_gpu

    def _run_on_another_stream(self, inputs: Sequence[torch.Tensor]) -> None:
        """Fill inputs late on a side stream: a kernel on another stream starts too early."""
        side = torch.cuda.Stream()
        side.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(side):
            torch.cuda._sleep(SLEEP_CYCLES)
            self._fill(inputs)
            self._launch()
        side.synchronize()

    def failure(self, sentence: str, fault: FaultKind | None = None) -> Failure:
        return Failure(self.case, self.how, Diagnosis(sentence), fault)

    def wrong_output(self) -> Failure | None:
        """Compare the outputs with the reference, except those that the case ignores.

        Of several wrong ones, one that is far off says more than one that is nearly right.
        """
        found = None
        for place, argument in enumerate(self.outputs):
            if argument.name in self.case.ignored:
                continue
            failure = self._compare(place, argument)
            if failure and not failure.diagnosis.nearly:
                return failure
            found = found or failure
        return found

    def with_stray_write(self, failure: Failure | None) -> Failure | None:
        """Say of last elements that were not written that memory beside them was."""
        if not failure or not failure.diagnosis.unwritten or not failure.diagnosis.written:
            return failure
        if not (overrun := self.buffers.overrun()):
            return failure
        seen = failure.diagnosis.sentence.partition(":")[0]
        words = f"{overrun}, and {seen}: {BESIDE}"
        told = replace(failure.diagnosis, sentence=words, doubt=0)
        return replace(failure, diagnosis=told, settled=True)

    def has_wrong_output(self) -> bool:
        """Say whether `wrong_output` would find anything."""
        return any(
            bool(wrong.any())
            for place, argument in enumerate(self.outputs)
            if argument.name not in self.case.ignored
            for _, wrong in self._parts(place, argument)
        )

    def does_more(self) -> bool:
        """Say whether it writes what it must not, or works on another stream."""
        return bool(self.overwritten_input() or self.stray_write() or self.other_stream())

    def wrong_elements(self, among: torch.Tensor | None = None) -> torch.Tensor | None:
        """Return which elements of the outputs are wrong, flat, one output behind the other.

        among: so flat as well; None is returned as soon as another one is found wrong.
        """
        found, at = [], 0
        for place, argument in enumerate(self.outputs):
            wrong = torch.zeros(argument.tensor.numel(), dtype=torch.bool)
            if argument.name not in self.case.ignored:
                of_output = self._wrong(place, argument)
                wrong = wrong if of_output is None else of_output
            if among is not None and bool((wrong & ~among[at : at + len(wrong)]).any()):
                return None
            found.append(wrong)
            at += len(wrong)
        return torch.cat(found)

    def output_bytes(self) -> bytes:
        """Return all that the outputs hold."""
        return b"".join(bits(x.tensor).cpu().numpy().tobytes() for x in self.outputs)

    def _parts(
        self, place: int, argument: _Argument, most: int = AT_ONCE
    ) -> Iterator[tuple[torch.Tensor, torch.Tensor]]:
        """Yield which elements have other bits, `most` at once, and which of them are wrong."""
        got, wanted = argument.tensor.reshape(-1).cpu(), self.case.wanted[place]
        if torch.equal(bits(got), bits(wanted)):
            return  # the usual case, and fast
        for part in (bits(got) != bits(wanted)).nonzero().flatten().split(most):
            some = bits(got)[part].view(got.dtype)
            yield part, ~self.case.right(place, some, part)

    def _wrong(self, place: int, argument: _Argument) -> torch.Tensor | None:
        """Return which elements of an output are wrong, flat, bool; None if none is."""
        n = argument.tensor.numel()
        wrong = torch.zeros(n, dtype=torch.bool)
        for part, of_part in self._parts(place, argument, n):
            wrong[part] = of_part
        return wrong if bool(wrong.any()) else None

    def _compare(self, place: int, argument: _Argument) -> Failure | None:
        case, got = self.case, argument.tensor.reshape(-1).cpu()
        expected, wanted = case.expected[place].reshape(-1), case.wanted[place]
        wrong = self._wrong(place, argument)
        if wrong is None:
            return None
        mismatch = Mismatch(
            got,
            expected,
            wrong,
            case.inputs,
            argument.poison,
            _reference_of(case, place),
            tuple(argument.tensor.shape),
            tuple(x.reshape(-1) for k, x in enumerate(case.expected) if k != place),
        )
        i = int(wrong.nonzero()[0])
        inputs = [x.reshape(-1)[i] for x in case.inputs if x.numel() == got.numel()]
        at = f" for inputs {', '.join(map(describe, inputs))}" if inputs else ""
        first = f"{argument.name}[{i}] is {describe(got[i])}, not {describe(wanted[i])}{at}"
        untouched = _untouched(argument)
        return Failure(case, self.how, diagnose(mismatch), first=first, untouched=untouched)

    def overwritten_input(self) -> Failure | None:
        """Compare the inputs with what was passed."""
        for argument, source in zip(self.inputs, self.case.inputs, strict=True):
            if not torch.equal(bits(argument.tensor.cpu()), bits(source)):
                return self.failure(f"the input {argument.name} was overwritten")
        return None

    def stray_write(self) -> Failure | None:
        """Look at the memory around the tensors."""
        if overrun := self.buffers.overrun():
            return self.failure(f"{overrun}: does the kernel test its index before it stores?")
        return None

    def other_stream(self) -> Failure | None:
        """Test on the emulator whether the launch named the caller's stream."""
        if not self._tests_the_stream() or self.launcher.emulator.last_stream == STREAM:
            return None
        if all(_untouched(x) for x in self.outputs):
            return None  # nothing was launched
        sentence = (
            "wrong only on another stream than the default one: pass `stream` to the launch"
            + _and_copies(self.launcher)
        )
        return replace(self.failure(sentence), settled=True)


def _and_copies(launcher: Launcher) -> str:
    """Name the copies and fills that also take a stream, and those that take none."""
    made = [] if launcher.path is None else _COPY.findall(reachable.code(launcher))
    without = next((name for name in made if not name.endswith("Async")), "")
    if without:
        return f", and to {without}Async: {without}, which takes none, does not wait for it"
    if made:
        return ", and to each copy and fill (cudaMemcpyAsync, cudaMemsetAsync)"
    return ""


def end_is_right(launcher: Launcher, case: Case, seconds: float) -> bool:
    """Launch with the last blocks first, for `seconds` at most, on the emulator.

    Return whether the last `case.end` elements of every output are right by then: if not, only
    a whole run tells.
    """
    isolated.note(case.label)
    call = _Call(launcher, case, Round(schedule=REVERSE))
    try:
        with launcher.emulator.timeout(seconds):
            call.run(case.inputs)
    except CourseError as error:
        if getattr(error, "kind", None) is not FaultKind.TIMEOUT:
            return False
    last = slice(-case.end, None)
    return all(
        bool(case.right(place, argument.tensor.reshape(-1)[last], last).all())
        for place, argument in enumerate(call.outputs)
    )


def run_case(launcher: Launcher, case: Case, how: Round) -> Failure | None:
    """Run one case in one round. Return None if everything is right, else what went wrong."""
    isolated.note(case.label)
    call = _Call(launcher, case, how)
    try:
        if case.before:
            call.run(case.before)
        call.run(case.inputs)
    except KernelFault as fault:
        return call.failure(call.buffers.explain(fault), fault.kind)
    except CourseError as error:
        refused, words = isinstance(error, LaunchError), str(error)
        side = error.side if refused else ""
        if side.startswith("grid") and error.size == 0 and case.size:
            words += f" {NO_BLOCKS}"
        return replace(call.failure(words), refused=refused, side=side)
    return (
        call.with_stray_write(call.wrong_output())
        or call.overwritten_input()
        or call.stray_write()
        or call.other_stream()
    )


def is_right(launcher: Launcher, case: Case, how: Round) -> bool:
    """Return whether `run_case` would find nothing; it takes less time if it would."""
    call = _called(launcher, case, how)
    return call is not None and not (call.has_wrong_output() or call.does_more())


class Repeated:
    """One case in one round that is run again and again, as a launcher's code changes.

    On the emulator. Its tensors are made once, and anew after a run that spoilt them. The same
    outputs are compared with the reference once.
    """

    def __init__(self, launcher: Launcher, case: Case, how: Round):
        self._about = launcher, case, how
        self._kept: _Call | None = None
        self._known: dict[bytes, torch.Tensor | None] = {}

    def is_right(self) -> bool:
        """Return whether `run_case` would find nothing."""
        call = self._run()
        return call is not None and not call.has_wrong_output()

    def wrong_elements(self) -> torch.Tensor | None:
        """Return which elements of the outputs are wrong, flat, one output behind the other.

        None if the call fails in another way.
        """
        call = self._run()
        return None if call is None else call.wrong_elements()

    def _run(self) -> _Call | None:
        """Run it; None if there is an error, or it does more than to fill its outputs."""
        call, self._kept = self._kept or _Call(*self._about), None
        isolated.note(call.case.label)
        try:
            for inputs in filter(None, (call.case.before, call.case.inputs)):
                with call.launches(inputs) as launch:
                    launch()
        except CourseError:
            return None
        if call.does_more():
            return None
        self._kept = call
        return call

    @contextlib.contextmanager
    def quickly(self) -> Iterator[Callable[[torch.Tensor | None], torch.Tensor | None]]:
        """Yield a function like `wrong_elements` that looks at the outputs alone.

        It takes which elements may be wrong, always the same, and returns None as soon as
        another one is. An element beside its tensors that a call spoils stays so.
        """
        call = _Call(*self._about)
        if call.case.before:
            yield lambda among: self.wrong_elements()
            return
        isolated.note(call.case.label)
        with call.launches(call.case.inputs) as launch:

            def again(among: torch.Tensor | None) -> torch.Tensor | None:
                try:
                    launch()
                except CourseError:
                    return None
                key = call.output_bytes()
                if key not in self._known:
                    self._known[key] = call.wrong_elements(among)
                return self._known[key]

            yield again


def _called(launcher: Launcher, case: Case, how: Round) -> _Call | None:
    """Run a case; None if there is an error."""
    isolated.note(case.label)
    call = _Call(launcher, case, how)
    try:
        if case.before:
            call.run(case.before)
        call.run(case.inputs)
    except CourseError:
        return None
    return call
