"""Is it right? A kernel is run on inputs that are chosen to break it, and compared with a reference.

`check(kernel)` returns what was tried, or raises CheckError with one sentence on what looks wrong.
`verdict(kernel)` gives the same answer without raising. A kernel that passed may be timed (`helpers.bench`).

What is tried: sizes 0, 1, around every vector width and block, no powers of two and past 2^16; several
seeds; infinities, NaN, signed zeros and subnormals in all pairs; outputs filled with garbage; inputs that
start away from a round address; every block size; the same call twice; another stream (on a GPU); memory
beyond the tensors that must stay untouched (a guard page on the emulator, a pattern on a GPU).
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field

import torch

from helpers import emulator, machine
from helpers.binding import Kernel, Launcher
from helpers.errors import CheckError, CourseError

SIZES = (1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 32, 33, 63, 65, 127, 128, 129, 255, 256, 257, 511, 513)
SIZES += (1000, 1023, 1024, 1025, 2047, 2049, 4099, 65535, 65536, 65537, 100003)
BLOCK_SIZES = (32, 64, 96, 128, 192, 256, 512, 1024)
SEEDS = 3
FLOATS = (torch.float32, torch.float16, torch.bfloat16, torch.float64)
BITS = {1: torch.int8, 2: torch.int16, 4: torch.int32, 8: torch.int64}
# Two quiet NaNs with telling payloads and one ordinary number: whatever is left of them was never written.
POISON = {2: (0x7E5A, 0x7E5A, 0x4BAD), 4: (0x7FC0DEAD, 0x7FC0DEAD, 0x4BADBAD0), 8: (0x7FF8DEADDEADDEAD,) * 3}

REFERENCES: dict[str, Callable[..., torch.Tensor]] = {"add": lambda a, b: a + b}


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
    values = [0.0, -0.0, 1.0, -1.0, 1 + info.eps, 0.5, 3.0, least, -least, tiny - least, least - tiny, tiny, -tiny]
    return torch.tensor([*values, info.max, -info.max, float("inf"), float("-inf"), float("nan")], dtype=dtype)


def _random(shape: Sequence[int], dtype: torch.dtype, generator: torch.Generator) -> torch.Tensor:
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


def elementwise_cases(
    launcher: Launcher, reference: Callable[..., torch.Tensor], ulp: float = 0, **arguments: int | float
) -> Iterator[Case]:
    """The cases of an operator that maps n elements to n elements; `reference` computes in float64."""
    tensors = launcher.declaration.tensors
    dtypes = [p.dtype for p in tensors if p.role == "input"]
    outputs = tuple(p.dtype for p in tensors if p.role == "output")
    step = max([p.alignment for p in tensors] + [1])
    has_block_size = any(p.name == "block_size" for p in launcher.declaration.arguments)

    def case(label: str, inputs: tuple[torch.Tensor, ...], offset: int = 0, **more: int) -> Case:
        exact = reference(*[x.double() for x in inputs])
        exact = exact if isinstance(exact, tuple) else (exact,)
        return Case(label, inputs, exact, {**arguments, **more}, ulp, offset, outputs)

    def random_case(n: int, seed: int, offset: int = 0, **more: int) -> Case:
        generator = torch.Generator().manual_seed(1000 * n + seed)
        inputs = tuple(_random((n,), dtype, generator) for dtype in dtypes)
        words = [f"n = {n:,}", f"seed {seed}"] + [f"{name} = {value}" for name, value in more.items()]
        if offset:
            words.append(f"starting {offset} elements into a buffer")
        return case(", ".join(words), inputs, offset, **more)

    yield random_case(0, 0)
    for n in SIZES:
        for seed in range(SEEDS if n < 5000 else 1):
            yield random_case(n, seed)
    if specials := _pairs_of_specials(dtypes):
        yield case("special values (0, inf, NaN, subnormals)", specials)
    shift = max(1, step // min(dtype.itemsize for dtype in dtypes))
    for n in (1, 7, 257, 4099):
        yield random_case(n, 5, offset=shift)
    if has_block_size:
        for block_size in BLOCK_SIZES:
            for n in (1, 1000, 70001):
                yield random_case(n, 7, block_size=block_size)


def _same_bits(got: torch.Tensor, poison: int) -> torch.Tensor:
    return got.view(BITS[got.element_size()]) == torch.tensor(poison, dtype=BITS[got.element_size()])


def ulp_distance(got: torch.Tensor, expected: torch.Tensor) -> torch.Tensor:
    """How many representable numbers lie between `got` and the float64 `expected`, as float64. Shape as `got`.

    0 where both are NaN; infinite where one is NaN, or where exactly one is infinite, or the sign of zero differs.
    """
    rounded = expected.to(got.dtype)
    if not got.dtype.is_floating_point:
        return (got.double() - rounded.double()).abs()
    bits = BITS[got.element_size()]
    lowest = torch.iinfo(bits).min

    def ordered(x: torch.Tensor) -> torch.Tensor:  # the bit patterns of floats, in the order of their values
        whole = x.view(bits).to(torch.float64 if bits is torch.int64 else torch.int64).double()
        return torch.where(whole < 0, lowest - whole, whole)

    distance = (ordered(got) - ordered(rounded)).abs()
    differs = got.isnan() != rounded.isnan()
    differs |= got.isinf() != rounded.isinf()
    differs |= (got == 0) & (rounded == 0) & (got.signbit() != rounded.signbit())
    distance[differs] = float("inf")
    distance[got.isnan() & rounded.isnan()] = 0
    return distance


class _Buffers:
    """Device tensors whose neighbours are watched: a guard page on the emulator, a pattern on a GPU."""

    MARGIN = 64  # elements on each side, on a GPU

    def __init__(self, here: machine.Machine, front: bool):
        self.here, self.front = here, front
        self.watched: list[tuple[str, torch.Tensor, int]] = []

    def allocate(self, name: str, numel: int, dtype: torch.dtype, offset: int, alignment: int) -> torch.Tensor:
        if not self.here.is_gpu:
            tensor = emulator.guarded(numel, dtype, max(alignment, dtype.itemsize), self.front)
            self.watched.append((name, tensor, 0))
            return tensor
        # 256 bytes are the alignment of a CUDA allocation; the offset then moves the start as a slice would.
        start = 256 // dtype.itemsize + offset
        whole = torch.empty(start + numel + self.MARGIN, dtype=dtype, device=self.here.device)
        whole.view(BITS[dtype.itemsize]).fill_(POISON.get(dtype.itemsize, (0x5A,))[0])
        self.watched.append((name, whole, start))
        return whole[start : start + numel]

    def overrun(self) -> str | None:
        """A sentence on the first buffer that was written outside of its tensor, if any."""
        for name, tensor, start in self.watched:
            if not self.here.is_gpu:
                if not emulator.guarded_intact(tensor):
                    return f"memory just outside of {name} was overwritten"
                continue
            touched = ~_same_bits(tensor.cpu(), POISON.get(tensor.element_size(), (0x5A,))[0])
            end = tensor.numel() - self.MARGIN
            if bool(touched[end:].any()):
                return f"memory past the end of {name} was overwritten"
            if bool(touched[:start].any()):
                return f"memory before the start of {name} was overwritten"
        return None


def _describe(value: torch.Tensor) -> str:
    return f"{value.item():.8g}" if value.dtype.is_floating_point else str(value.item())


def _pattern(got: torch.Tensor, case: Case, wrong: torch.Tensor, expected: torch.Tensor, poison: int) -> str:
    """What the wrong elements look like: the most telling guess, in a clause."""
    n = got.numel()
    index = wrong.nonzero().flatten()
    first, count = int(index[0]), len(index)
    unwritten = _same_bits(got, poison) & wrong
    if bool(unwritten.all()):
        return "nothing was written: does the kernel store to its output, and does the launch cover every element?"
    if bool(unwritten.any()):
        where = unwritten.nonzero().flatten()
        if len(where) == n - int(where[0]):
            return f"the last {len(where):,} elements were never written: is the tail handled, is the grid rounded up?"
        return f"{len(where):,} of {n:,} elements were never written, the first at index {int(where[0]):,}"
    same_shape = [x for x in case.inputs if x.shape == got.shape]
    for place, x in enumerate(same_shape):
        if n > 2 and torch.equal(got.double(), x.double()):
            return f"the output is a copy of input {place + 1}"
    if n > 2 and bool((got == got[0]).all()):
        return f"every element is {_describe(got[0])}"
    for shift in (1, -1, 2, -2, 4, -4, 8, -8):
        rolled = expected.roll(-shift)
        inside = slice(max(0, -shift), n - max(0, shift))
        if n > 32 and torch.equal(got[inside].double(), rolled[inside].to(got.dtype).double()):
            return f"each element is the right one of index i {'+' if shift > 0 else '-'} {abs(shift)}"
    if count < n and first > 0 and bool(wrong[first:].all()):
        if first >= 1 << 16:
            return f"all is right below index {first:,} and wrong from there on"
        return f"the last {count:,} elements are wrong: is the tail of n % width done once, at the right place?"
    odd = torch.zeros_like(wrong)
    for x in same_shape:
        if x.dtype.is_floating_point:
            subnormal = (x != 0) & (x.abs() < torch.finfo(x.dtype).smallest_normal)
            odd |= subnormal | x.isnan() | x.isinf() | (x == 0)
            if bool((subnormal | ~wrong).all()):
                return "only subnormal inputs go wrong: are they flushed to zero (--use_fast_math)?"
    if same_shape and bool((odd | ~wrong).all()):
        return "only special values (zeros, infinities, NaN, subnormals) go wrong"
    distance = ulp_distance(got, expected)
    if float(distance[wrong].max()) <= 64:
        return (
            f"off by up to {float(distance[wrong].max()):.0f} in the last place: is it computed or rounded in "
            "another precision than the output's?"
        )
    return f"{count:,} of {n:,} elements are wrong"


def _compare(name: str, got: torch.Tensor, case: Case, expected: torch.Tensor, poison: int) -> str | None:
    """None when `got` is right, else the sentence that a learner reads."""
    expected = expected.reshape(-1)
    got = got.reshape(-1).cpu()
    distance = ulp_distance(got, expected)
    wrong = ~(distance <= case.ulp)  # written so that NaN counts as wrong
    if not bool(wrong.any()):
        return None
    first = int(wrong.nonzero()[0])
    inputs = ", ".join(_describe(x.reshape(-1)[first]) for x in case.inputs if x.numel() == got.numel())
    at = f" for inputs {inputs}" if inputs else ""
    return (
        f"{_pattern(got, case, wrong, expected, poison)} [{case.label}; first: {name}[{first}] is "
        f"{_describe(got[first])}, not {_describe(expected.to(got.dtype)[first])}{at}]"
    )


def _call_on_another_stream(call: Callable[[], None], prepare: Callable[[], None]) -> None:
    """Fill the inputs late on a side stream, then call there: a kernel on another stream comes too early."""
    side = torch.cuda.Stream()
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        torch.cuda._sleep(2_000_000)  # about a millisecond
        prepare()
        call()
    side.synchronize()


def _try(launcher: Launcher, case: Case, here: machine.Machine, poison_index: int, front: bool) -> str | None:
    """Run one case once. None when it is right, else the sentence."""
    buffers = _Buffers(here, front)
    inputs, outputs = iter(case.inputs), iter(zip(case.expected, case.dtypes, strict=True))
    arguments, given, results = [], [], []
    for parameter in launcher.declaration.arguments:
        if not parameter.is_tensor:
            continue
        alignment = max(parameter.alignment, parameter.dtype.itemsize)
        if parameter.role == "input":
            source = next(inputs)
            tensor = buffers.allocate(parameter.name, source.numel(), source.dtype, case.offset, alignment)
            tensor = tensor.view(source.shape)
            given.append((parameter.name, tensor, source))
        else:
            exact, dtype = next(outputs)
            tensor = buffers.allocate(parameter.name, exact.numel(), dtype, case.offset, alignment)
            tensor = tensor.view(exact.shape)
            poison = POISON.get(dtype.itemsize, (0x5A,) * 3)[poison_index]
            results.append((parameter.name, tensor, exact, poison))
        arguments.append(tensor)

    def fill() -> None:
        for _, tensor, source in given:
            tensor.copy_(source)
        for _, tensor, _, poison in results:
            tensor.view(BITS[tensor.element_size()]).fill_(poison)

    def call() -> None:
        launcher(*arguments, **case.arguments)

    if here.is_gpu and poison_index == 1:
        _call_on_another_stream(call, fill)
    else:
        fill()
        call()
    if here.is_gpu:
        torch.cuda.synchronize()
    for name, tensor, exact, poison in results:
        if name in case.ignored:
            continue
        if sentence := _compare(name, tensor, case, exact, poison):
            if here.is_gpu and poison_index == 1 and _try(launcher, case, here, 0, front) is None:
                return f"wrong only on another stream than the default one: pass `stream` to the launch [{case.label}]"
            return sentence
    for name, tensor, source in given:
        bits = BITS[source.element_size()]
        if not torch.equal(tensor.cpu().view(bits), source.view(bits)):
            return f"the input {name} was overwritten [{case.label}]"
    if overrun := buffers.overrun():
        return f"{overrun}: does the kernel test its index before it stores? [{case.label}]"
    return None


def run_cases(launcher: Launcher, cases: Iterable[Case]) -> tuple[int, str | None]:
    """Try cases until one is wrong: (how many were tried, None or a sentence).

    Each case runs with two different garbage contents of its outputs, which also tells a kernel that is
    right only on its first call. A fault or a refused launch is the sentence, too.
    """
    here = machine.present()
    count = 0
    for count, case in enumerate(cases, 1):
        for poison_index, front in ((0, False), (1, False), (2, True)):
            try:
                sentence = _try(launcher, case, here, poison_index, front)
            except CourseError as error:
                return count, f"{error} [{case.label}]"
            if sentence:
                return count, sentence
    return count, None


def verdict(
    kernel: Kernel,
    reference: str | Callable[..., torch.Tensor] | None = None,
    *,
    ulp: float = 0,
    cases: Callable[[Launcher], Iterable[Case]] | None = None,
    **arguments: int | float,
) -> Verdict:
    """Try every launcher of a kernel; the answer, without raising.

    reference: the operator in float64 (a function of the input tensors), or its name ("add"); by default the
        first launcher's name. ulp: the allowed distance in units in the last place (0: every bit).
    cases: for kernels that are not elementwise, a function from a launcher to its cases.
    arguments: further scalars that every call gets.
    """
    if not isinstance(kernel, Kernel):
        raise TypeError(f"check takes what jit.load returns, not {type(kernel).__name__}")
    if cases is None:
        name = reference or next(iter(kernel.launchers))
        function = REFERENCES.get(name) if isinstance(name, str) else name
        if function is None:
            raise ValueError(f"no reference for {name!r}: pass reference= a function of the inputs, in float64")
    total = 0
    for launcher in kernel.launchers.values():
        some = cases(launcher) if cases else elementwise_cases(launcher, function, ulp, **arguments)
        tried, sentence = run_cases(launcher, some)
        total += tried
        if sentence:
            return Verdict(kernel.name, False, total, f"WRONG: {sentence}")
    kernel.checked = True
    dtypes = ", ".join(
        str(launcher.declaration.tensors[-1].dtype).removeprefix("torch.") for launcher in kernel.launchers.values()
    )
    return Verdict(kernel.name, True, total, f"right in {total} cases ({dtypes})")


def check(kernel: Kernel, reference: str | Callable[..., torch.Tensor] | None = None, **options) -> Verdict:
    """As `verdict`, but a wrong kernel raises CheckError with the sentence."""
    answer = verdict(kernel, reference, **options)
    if not answer.ok:
        # The frames of the checker say nothing to the author of the kernel.
        with contextlib.suppress(AttributeError):
            kernel.checked = False
        raise CheckError(str(answer))
    return answer
