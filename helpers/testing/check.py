"""Is it right? A kernel is run on inputs that are chosen to break it, and compared with a reference.

`check(kernel)` returns what was tried, or raises CheckError with one sentence on what looks wrong.
`verdict(kernel)` gives the same answer without raising. A kernel that passed may be timed (`helpers.measure.bench`).

What is tried: sizes 0, 1, around every vector width and block, no powers of two, past 2^16 and past 2^31;
several seeds; infinities, NaN, signed zeros and subnormals in all pairs; sums and casts that lie halfway
between two numbers; outputs filled with garbage; inputs that start away from a round address; every block size;
the same call again, on the same and on other inputs; threads in order, in reverse and shuffled; another stream;
memory beyond the tensors that must stay untouched (a guard page on the emulator, a pattern on a GPU).

Where there is a GPU, a kernel is tried on the emulator first: that shows what a GPU hides, such as a read past
the end, and keeps a kernel that is wrong there away from the GPU, where a fault would end the process's CUDA.
"""

from __future__ import annotations

import contextlib
import ctypes
import functools
import itertools
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

import torch

from helpers import emulator
from helpers.errors import CheckError, CourseError, FaultKind, KernelFault
from helpers.run import jit, machine
from helpers.run.faults import named_faults
from helpers.run.kernel import Kernel
from helpers.run.launcher import Launcher
from helpers.testing import past_2_31
from helpers.testing.diagnosis import (
    BITS,
    VAGUE,
    clause,
    describe,
    rounded,
    same_bits,
    ulp_distance,
)

SIZES = (
    1,
    2,
    3,
    4,
    5,
    7,
    8,
    9,
    15,
    16,
    17,
    31,
    32,
    33,
    63,
    65,
    127,
    128,
    129,
    255,
    256,
    257,
    511,
    513,
)
SIZES += (1000, 1023, 1024, 1025, 2047, 2049, 4099, 65535, 65536, 65537, 100003)
BLOCK_SIZES = (32, 64, 96, 128, 192, 256, 512, 1024)
SEEDS = 3
# Two quiet NaNs with telling payloads and one ordinary number: whatever is left of them was never written.
POISON = {
    2: (0x7E5A, 0x7E5A, 0x4BAD),
    4: (0x7FC0DEAD, 0x7FC0DEAD, 0x4BADBAD0),
    8: (0x7FF8DEADDEADDEAD,) * 3,
}
ZEROS = 3  # the number of a poison that is none
STREAM = 0xC0DE  # passed on the emulator, which only tells what it was given
STREAM_TEST_ELEMENTS = 20_000  # it costs a call more, so only small ones


def multiply_add(a: torch.Tensor, b: torch.Tensor, c: torch.Tensor) -> torch.Tensor:
    """a * b + c in float64, good to be rounded once more to a narrower type.

    The product of two narrower numbers is exact in float64, the sum is not, and rounding it twice, to float64
    and then to float32, would be the very mistake that is to be found. So the sum is rounded to odd (Boldo and
    Melquiond, "Emulation of FMA and correctly rounded sums", 2008): where it is inexact, its last bit is 1.
    """
    product = a * b
    total = product + c
    rest = total - product
    error = (product - (total - rest)) + (c - rest)  # exact: Knuth's TwoSum
    odd = total.view(torch.int64) & 1 == 1
    inexact = (error != 0) & error.isfinite() & ~odd
    direction = torch.where((error > 0) == (total > 0), 1, -1)  # away from zero or towards it
    return torch.where(
        inexact, (total.view(torch.int64) + direction).view(torch.float64), total
    )


REFERENCES: dict[str, Callable[..., torch.Tensor]] = {
    "add": lambda a, b: a + b,
    "subtract": lambda a, b: a - b,
    "multiply": lambda a, b: a * b,
    "multiply_add": multiply_add,
    "cast": lambda x: x,
}


@dataclass(frozen=True)
class Case:
    """One call to try: CPU inputs in the launcher's order, the exact outputs in float64, and what to allow."""

    label: str
    inputs: tuple[torch.Tensor, ...]
    expected: tuple[torch.Tensor, ...]
    arguments: dict[str, int | float] = field(default_factory=dict)
    ulp: float = 0  # units in the last place of the output's dtype
    offset: int = 0  # elements between an aligned address and each tensor's start
    dtypes: tuple[torch.dtype, ...] = ()  # of the outputs
    ignored: tuple[str, ...] = ()  # outputs in which any value is right, by name
    reference: Callable[..., torch.Tensor] | None = (
        None  # of float64 inputs; only to explain what went wrong
    )
    before: tuple[torch.Tensor, ...] = ()  # inputs of a first call on the same tensors

    @functools.cached_property
    def wanted(self) -> tuple[torch.Tensor, ...]:
        """The exact outputs, flat and rounded once to their dtypes."""
        return tuple(
            rounded(x.reshape(-1), dtype)
            for x, dtype in zip(self.expected, self.dtypes, strict=True)
        )


@dataclass(frozen=True)
class Round:
    """How a case is run: what the outputs hold before, where the guard page lies, in what order, on what stream."""

    poison: int = 0
    front: bool = False  # the inaccessible page lies before the tensors, not behind
    schedule: int = 0  # of the emulator: 0 in order, 1 in reverse, 2 shuffled
    stream: bool = False  # another one than the default


ROUNDS = (
    Round(),
    Round(poison=1, schedule=1, stream=True),
    Round(poison=2, front=True, schedule=2),
)


@dataclass(frozen=True)
class Verdict:
    """What `check` found: `ok`, how many cases ran, and a sentence."""

    kernel: str
    ok: bool
    cases: int
    message: str

    def __str__(self) -> str:
        return f"{self.kernel}: {self.message}"


def special_values(dtype: torch.dtype) -> torch.Tensor:
    """Where floating point is odd: zeros of both signs, subnormals, extremes, infinities, NaN. Shape [17]."""
    info = torch.finfo(dtype)
    tiny, least = info.smallest_normal, info.smallest_normal * info.eps
    values = [
        0.0,
        -0.0,
        1.0,
        -1.0,
        1 + info.eps,
        0.5,
        3.0,
        least,
        -least,
        tiny - least,
        least - tiny,
        tiny,
        -tiny,
    ]
    return torch.tensor(
        [*values, info.max, -info.max, float("inf"), float("-inf"), float("nan")], dtype=dtype
    )


def _random(
    shape: Sequence[int], dtype: torch.dtype, generator: torch.Generator
) -> torch.Tensor:
    if not dtype.is_floating_point:
        return torch.randint(-100, 100, shape, generator=generator).to(dtype)
    return torch.randn(shape, dtype=torch.float64, generator=generator).to(dtype)


def _pairs_of_specials(dtypes: Sequence[torch.dtype]) -> tuple[torch.Tensor, ...]:
    """Inputs in which every special value meets every other one (the Cartesian product of two, then rotated)."""
    if not all(dtype.is_floating_point for dtype in dtypes):
        return ()
    values = [special_values(dtype) for dtype in dtypes]
    count = len(values[0])
    first = torch.arange(count).repeat_interleave(count)
    second = torch.arange(count).repeat(count)
    places = [first, second] + [(first + second * k) % count for k in range(1, len(values))]
    return tuple(value[place] for value, place in zip(values, places, strict=False))


def halfway_values(
    dtypes: Sequence[torch.dtype], output: torch.dtype
) -> tuple[torch.Tensor, ...]:
    """Inputs on which rounding shows: for each dtype a tensor [n], all of one length.

    The first holds numbers of the output's dtype of all sizes, plus half a unit of their last place where its own
    dtype can hold that, and a little more or less. The second is a half unit, so that a sum is a tie; then ones.
    """
    if not output.is_floating_point or not all(dtype.is_floating_point for dtype in dtypes):
        return ()
    info = torch.finfo(output)
    generator = torch.Generator().manual_seed(7)
    fraction = torch.randint(
        0, round(1 / info.eps), (600,), generator=generator, dtype=torch.int64
    ).double()
    exponent = torch.linspace(-6, 6, 600, dtype=torch.float64).round()
    unit = torch.exp2(exponent) * info.eps
    whole = torch.exp2(exponent) + fraction * unit
    whole[::2] *= -1
    little = unit * torch.tensor(
        [0, 2.0**-8, -(2.0**-8), 2.0**-30, -(2.0**-30)], dtype=torch.float64
    ).repeat(120)
    narrowing = torch.finfo(dtypes[0]).eps < info.eps
    first = whole + unit / 2 + little if narrowing else whole
    columns = [first, unit / 2, torch.ones_like(unit)]
    return tuple(columns[min(k, 2)].to(dtype) for k, dtype in enumerate(dtypes))


def elementwise_cases(
    launcher: Launcher,
    reference: Callable[..., torch.Tensor],
    ulp: float = 0,
    **arguments: int | float,
) -> Iterator[Case]:
    """The cases of an operator that maps n elements to n elements; `reference` computes in float64."""
    tensors = launcher.declaration.tensors
    dtypes = [p.dtype for p in tensors if p.role == "input"]
    outputs = tuple(p.dtype for p in tensors if p.role == "output")
    step = max([p.alignment for p in tensors] + [1])
    has_block_size = any(p.name == "block_size" for p in launcher.declaration.arguments)

    def case(
        label: str, inputs: tuple[torch.Tensor, ...], offset: int = 0, **more: int
    ) -> Case:
        exact = reference(*[x.double() for x in inputs])
        exact = exact if isinstance(exact, tuple) else (exact,)
        return Case(
            label,
            inputs,
            exact,
            {**arguments, **more},
            ulp,
            offset,
            outputs,
            reference=reference,
        )

    def random_inputs(n: int, seed: int) -> tuple[torch.Tensor, ...]:
        generator = torch.Generator().manual_seed(1000 * n + seed)
        return tuple(_random((n,), dtype, generator) for dtype in dtypes)

    def random_case(n: int, seed: int, offset: int = 0, **more: int) -> Case:
        inputs = random_inputs(n, seed)
        words = [f"n = {n:,}", f"seed {seed}"] + [
            f"{name} = {value}" for name, value in more.items()
        ]
        if offset:
            words.append(f"starting {offset} elements into a buffer")
        return case(", ".join(words), inputs, offset, **more)

    yield random_case(0, 0)
    for n in SIZES:
        for seed in range(SEEDS if n < 5000 else 1):
            yield random_case(n, seed)
    if specials := _pairs_of_specials(dtypes):
        yield case("special values (0, inf, NaN, subnormals)", specials)
    if outputs and (halfway := halfway_values(dtypes, outputs[0])):
        yield case("halfway between two numbers", halfway)
    yield replace(
        random_case(1000, 11), label="n = 1,000, a second call", before=random_inputs(1000, 12)
    )
    shift = max(1, step // min(dtype.itemsize for dtype in dtypes))
    for n in (1, 7, 257, 4099):
        yield random_case(n, 5, offset=shift)
    if has_block_size:
        for block_size in BLOCK_SIZES:
            for n in (1, 1000, 70001):
                yield random_case(n, 7, block_size=block_size)


class _Buffers:
    """Device tensors whose neighbours are watched: a guard page on the emulator, a pattern on a GPU."""

    MARGIN = 64  # elements on each side, on a GPU

    def __init__(self, on_gpu: bool, front: bool):
        self.on_gpu, self.front = on_gpu, front
        self.watched: list[tuple[str, torch.Tensor, int]] = []

    def allocate(
        self, name: str, numel: int, dtype: torch.dtype, offset: int, alignment: int
    ) -> torch.Tensor:
        if not self.on_gpu:
            tensor = emulator.guarded(numel, dtype, max(alignment, dtype.itemsize), self.front)
            self.watched.append((name, tensor, 0))
            return tensor
        # 256 bytes are the alignment of a CUDA allocation; the offset then moves the start as a slice would.
        start = 256 // dtype.itemsize + offset
        whole = torch.empty(
            start + numel + self.MARGIN, dtype=dtype, device=machine.present().device
        )
        whole.view(BITS[dtype.itemsize]).fill_(POISON.get(dtype.itemsize, (0x5A,))[0])
        self.watched.append((name, whole, start))
        return whole[start : start + numel]

    def explain(self, fault: KernelFault) -> KernelFault:
        """Replace a raw address in a fault's message by tensor[index], and add advice."""
        if self.on_gpu:
            return fault
        tensors = {name: tensor for name, tensor, _ in self.watched}
        known = emulator.Regions.of(tensors, reach=256).named(fault)
        if fault.kind is FaultKind.MISALIGNED:
            return known.with_message(
                f"{known}. A slice may start anywhere: declare what the kernel needs "
                "(`// [n] 16-byte aligned`)"
            )
        if known is fault:
            return fault
        return known.with_message(f"{known}: is the index tested against n?")

    def overrun(self) -> str | None:
        """A sentence on the first buffer that was written outside of its tensor, if any."""
        for name, tensor, start in self.watched:
            if not self.on_gpu:
                if not emulator.guarded_intact(tensor):
                    return f"memory just outside of {name} was overwritten"
                continue
            touched = ~same_bits(tensor.cpu(), POISON.get(tensor.element_size(), (0x5A,))[0])
            end = tensor.numel() - self.MARGIN
            if bool(touched[end:].any()):
                return f"memory past the end of {name} was overwritten"
            if bool(touched[:start].any()):
                return f"memory before the start of {name} was overwritten"
        return None


def _poison(dtype: torch.dtype, number: int) -> int:
    return 0 if number == ZEROS else POISON.get(dtype.itemsize, (0x5A,) * 3)[number]


def _compare(name: str, got: torch.Tensor, case: Case, place: int, poison: int) -> str | None:
    """None when `got`, the output at that place, is right, else the sentence that a learner reads."""
    expected, wanted = case.expected[place].reshape(-1), case.wanted[place]
    got = got.reshape(-1).cpu()
    if torch.equal(got.view(BITS[got.element_size()]), wanted.view(BITS[got.element_size()])):
        return None  # every bit: nothing more to look at
    wrong = ~(ulp_distance(got, expected) <= case.ulp)  # written so that NaN counts as wrong
    if not bool(wrong.any()):
        return None
    first = int(wrong.nonzero()[0])
    inputs = ", ".join(
        describe(x.reshape(-1)[first]) for x in case.inputs if x.numel() == got.numel()
    )
    at = f" for inputs {inputs}" if inputs else ""
    return (
        f"{clause(got, expected, wrong, case.inputs, poison, case.reference)} [{case.label}; first: {name}[{first}] "
        f"is {describe(got[first])}, not {describe(wanted[first])}{at}]"
    )


def _takes_its_stream(
    launcher: Launcher, tensors: Sequence[torch.Tensor], arguments: dict
) -> bool:
    """On the emulator: whether the launch names the stream that the launcher was given. One more call."""
    values = {p.name: p.default for p in launcher.declaration.arguments} | arguments
    for parameter, tensor in zip(launcher.declaration.tensors, tensors, strict=True):
        flat = len(parameter.shape) == 1
        values |= dict(
            zip(parameter.shape, [tensor.numel()] if flat else tensor.shape, strict=True)
        )
    for parameter, tensor in zip(launcher.declaration.tensors, tensors, strict=True):
        values[parameter.name] = tensor.data_ptr()
    launcher.entry(
        *[
            STREAM if p.role == "stream" else values[p.name]
            for p in launcher.declaration.parameters
        ]
    )
    return launcher.emulator.last_stream == STREAM


def _call_on_another_stream(call: Callable[[], None], prepare: Callable[[], None]) -> None:
    """Fill the inputs late on a side stream, then call there: a kernel on another stream comes too early."""
    side = torch.cuda.Stream()
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        torch.cuda._sleep(2_000_000)  # about a millisecond
        prepare()
        call()
    side.synchronize()


def _run(
    launcher: Launcher, how: Round, call: Callable[[], None], prepare: Callable[[], None]
) -> None:
    """One call as `how` says."""
    if launcher.on_gpu:
        with named_faults():
            if how.stream:
                _call_on_another_stream(call, prepare)
            else:
                prepare()
                call()
            torch.cuda.synchronize()
        return
    prepare()
    with launcher.emulator.schedule(how.schedule):
        call()


def _try(launcher: Launcher, case: Case, how: Round) -> str | None:
    """Run one case once. None when it is right, else the sentence."""
    buffers = _Buffers(launcher.on_gpu, how.front)
    inputs, outputs = iter(case.inputs), iter(zip(case.expected, case.dtypes, strict=True))
    arguments, given, results = [], [], []
    for parameter in launcher.declaration.arguments:
        if not parameter.is_tensor:
            continue
        alignment = max(parameter.alignment, parameter.dtype.itemsize)
        if parameter.role == "input":
            source = next(inputs)
            tensor = buffers.allocate(
                parameter.name, source.numel(), source.dtype, case.offset, alignment
            )
            tensor = tensor.view(source.shape)
            given.append((parameter.name, tensor, source))
        else:
            exact, dtype = next(outputs)
            tensor = buffers.allocate(
                parameter.name, exact.numel(), dtype, case.offset, alignment
            )
            tensor = tensor.view(exact.shape)
            results.append((parameter.name, tensor, _poison(dtype, how.poison)))
        arguments.append(tensor)

    def fill(sources: Iterable[torch.Tensor]) -> None:
        for (_, tensor, _), source in zip(given, sources, strict=True):
            tensor.copy_(source)
        for _, tensor, poison in results:
            tensor.view(BITS[tensor.element_size()]).fill_(poison)

    def call() -> None:
        launcher(*arguments, **case.arguments)

    try:
        if case.before:
            _run(launcher, how, call, lambda: fill(case.before))
        _run(launcher, how, call, lambda: fill(case.inputs))
    except KernelFault as error:
        return f"{buffers.explain(error)} [{case.label}]"
    except CourseError as error:
        return f"{error} [{case.label}]"
    for place, (name, tensor, poison) in enumerate(results):
        if name in case.ignored:
            continue
        if sentence := _compare(name, tensor, case, place, poison):
            return sentence
    for name, tensor, source in given:
        bits = BITS[source.element_size()]
        if not torch.equal(tensor.cpu().view(bits), source.view(bits)):
            return f"the input {name} was overwritten [{case.label}]"
    if overrun := buffers.overrun():
        return f"{overrun}: does the kernel test its index before it stores? [{case.label}]"
    if (
        how.stream
        and not launcher.on_gpu
        and 0 < sum(x.numel() for x in arguments) < STREAM_TEST_ELEMENTS
    ):
        if not _takes_its_stream(launcher, arguments, case.arguments):
            return f"the launch names another stream than the caller's [{case.label}]"
    return None


def _fresh(launcher: Launcher) -> Launcher:
    """The same launcher of a library that nobody has called yet, on the emulator."""
    with tempfile.NamedTemporaryFile(suffix=".so") as copy:
        copy.write(Path(launcher.library._name).read_bytes())
        copy.flush()
        return Launcher(launcher.declaration, ctypes.CDLL(copy.name), on_gpu=False)


STAYS = "does something stay from call to call (a static or __device__ variable)?"


def _explained(
    launcher: Launcher, case: Case, how: Round, sentence: str, passed: Sequence[Case]
) -> str:
    """The sentence on a case that went wrong, or a better one: what has to be changed for it to go right?"""
    label, fresh_how = (
        f"[{case.label}]",
        replace(how, stream=False),
    )  # to ask for the stream takes another call

    def right(other: Case, **changes) -> bool:
        return _try(launcher, other, replace(how, **changes)) is None

    if "still running" in sentence:
        return sentence  # and would be at every other try
    if how.schedule and not launcher.on_gpu and right(case, schedule=0):
        return (
            "right only while the threads run in order: two threads touch the same element, or one reads what another "
            f"writes with no barrier between (a race) {label}"
        )
    if how.stream and right(case, stream=False):
        return f"wrong only on another stream than the default one: pass `stream` to the launch {label}"
    if (
        not launcher.on_gpu
        and (passed or how != ROUNDS[0])
        and _try(_fresh(launcher), case, fresh_how) is None
    ):
        return f"right at the first call, wrong at a later one: {STAYS} {label}"
    if (
        case.before
        and not launcher.on_gpu
        and _try(_fresh(launcher), replace(case, before=()), fresh_how) is None
    ):
        return f"right at the first call, wrong at a later one on other inputs: {STAYS} {label}"
    if right(case, poison=ZEROS):
        return (
            "right only where the output was zero before: does the kernel add to what it finds (+=, atomicAdd)? Then "
            f"it must set it first {label}"
        )
    if "block_size" in case.arguments:
        default = {
            name: value for name, value in case.arguments.items() if name != "block_size"
        }
        if right(replace(case, arguments=default)):
            size = case.arguments["block_size"]
            return (
                f"right with the default block size, wrong with block_size = {size}: is a number in the place of "
                f"blockDim.x? ({sentence.partition(' [')[0]}) {label}"
            )
    if case.offset and right(replace(case, offset=0)):
        return f"right only where the tensors start at a round address, and not in a slice: {sentence}"
    if VAGUE in sentence and how == ROUNDS[0] and any(_alike(case, other) for other in passed):
        what, _, where = sentence.partition(" [")
        return f"{what}, though other numbers of the same size came out right [{where}"
    return sentence


def _alike(case: Case, other: Case) -> bool:
    """Whether two cases differ in their numbers only."""
    same_shapes = [x.shape for x in case.inputs] == [x.shape for x in other.inputs]
    return bool(case.inputs) and same_shapes and case.arguments == other.arguments


def _size(case: Case) -> int:
    return max(x.numel() for x in case.expected)


def _more_telling(launcher: Launcher, cases: Iterator[Case], passed: list[Case]) -> str | None:
    """A sentence that is not vague, on one of the next cases of more than a few elements, if there is one.

    The first wrong case is often a single element, and that says little: is it a copy, a constant, a neighbour?
    """
    for case in itertools.islice(cases, 100):
        if _size(case) > 3000:
            break
        sentence = _try(launcher, case, ROUNDS[0])
        if sentence is None:
            passed.append(case)
        elif _size(case) > 32:
            sentence = _explained(launcher, case, ROUNDS[0], sentence, passed)
            if VAGUE not in sentence:
                return sentence
    return None


def run_cases(launcher: Launcher, cases: Iterable[Case]) -> tuple[int, str | None]:
    """Try cases until one is wrong: (how many were tried, None or a sentence).

    Each case runs in three rounds that differ in what the outputs hold, in the order of the threads and in the
    stream. A fault or a refused launch is the sentence, too.
    """
    passed: list[Case] = []
    cases = iter(cases)
    for case in cases:
        for how in ROUNDS:
            if not (sentence := _try(launcher, case, how)):
                continue
            count, telling = len(passed) + 1, None
            if VAGUE in sentence and _size(case) <= 32:
                telling = _more_telling(launcher, cases, passed)
            return count, telling or _explained(launcher, case, how, sentence, passed)
        passed.append(case)
    return len(passed), None


@contextlib.contextmanager
def _one_thread() -> Iterator[None]:
    """PyTorch's own work on the CPU in one thread: the tensors are small, and others may want the cores."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(before)


def _twin(kernel: Kernel) -> Kernel | None:
    """The kernel on the emulator, where each call is a call: none is tried on copies first. None where it has none."""
    twin = jit.emulated(kernel)
    return twin and Kernel(twin.path, twin.text, twin.library, on_gpu=False, build_seconds=0.0)


def _launchers(kernel: Kernel, only: str | None) -> list[str]:
    if only is None:
        return list(kernel.launchers)
    if only not in kernel.launchers:
        raise ValueError(
            f"{kernel.name} has no launcher {only!r}; it has {', '.join(kernel.launchers)}"
        )
    return [only]


def verdict(
    kernel: Kernel,
    reference: str | Callable[..., torch.Tensor] | None = None,
    *,
    ulp: float = 0,
    cases: Callable[[Launcher], Iterable[Case]] | None = None,
    only: str | None = None,
    **arguments: int | float,
) -> Verdict:
    """Try every launcher of a kernel; the answer, without raising.

    reference: the operator in float64 (a function of the input tensors), or its name (a key of REFERENCES); by
        default the first launcher's name. ulp: the allowed distance in units in the last place (0: every bit).
    cases: for kernels that are not elementwise, a function from a launcher to its cases.
    only: the name of the one launcher to try; the kernel then does not count as checked.
    arguments: further scalars that every call gets.
    """
    if not isinstance(kernel, Kernel):
        raise TypeError(f"check takes what jit.load returns, not {type(kernel).__name__}")
    function = None
    if cases is None:
        name = reference or next(iter(kernel.launchers))
        function = REFERENCES.get(name) if isinstance(name, str) else name
        if function is None:
            raise ValueError(
                f"no reference for {name!r}: pass reference= a function of the inputs, in float64"
            )
    names = _launchers(kernel, only)
    if only is None:
        kernel.verdict = None
    twin, total = _twin(kernel), 0
    for name in names:
        for tried in filter(None, [twin, kernel if kernel.on_gpu else None]):
            with _one_thread():
                count, sentence = _judge(tried.launchers[name], function, ulp, cases, arguments)
            if sentence and kernel.on_gpu and tried is twin and "still running" in sentence:
                continue  # too much for the emulator: the GPU will tell
            if sentence:
                kernel.verdict = Verdict(kernel.name, False, total + count, f"WRONG: {sentence}")
                return kernel.verdict
        total += count
    dtypes = ", ".join(
        str(kernel.launchers[name].declaration.tensors[-1].dtype).removeprefix("torch.")
        for name in names
    )
    answer = Verdict(kernel.name, True, total, f"right in {total} cases ({dtypes})")
    if only is None:
        kernel.verdict = answer
    return answer


def _judge(
    launcher: Launcher,
    reference: Callable | None,
    ulp: float,
    cases: Callable | None,
    arguments: dict,
) -> tuple[int, str | None]:
    """All that is tried on one launcher: (how many cases, None or a sentence)."""
    if cases is not None:
        return run_cases(launcher, cases(launcher))
    tried, sentence = run_cases(
        launcher, elementwise_cases(launcher, reference, ulp, **arguments)
    )
    if sentence is None:
        if launcher.on_gpu:  # it would take 25 GB; the emulator has told
            return tried + len(past_2_31.SIZES), None
        more, sentence = past_2_31.past_2_31(launcher, reference, ulp, arguments)
        tried += more
    return tried, sentence


def check(
    kernel: Kernel, reference: str | Callable[..., torch.Tensor] | None = None, **options
) -> Verdict:
    """As `verdict`, but a wrong kernel raises CheckError with the sentence."""
    answer = verdict(kernel, reference, **options)
    if not answer.ok:
        raise CheckError(str(answer))
    return answer
