"""Check a kernel: run it on inputs chosen to break it, and compare with a reference.

`check(kernel)` returns a Verdict, or raises CheckError with one sentence on what looks wrong.
`verdict(kernel)` gives the same answer without raising. Only a kernel that passed may be timed
(`helpers.measure.bench`).

What is tried: every size up to 70, around every block size and power of two, one complete run
past 2^24, the end of one past 2^31; several seeds; infinities, NaNs, signed zeros and
subnormals in all pairs; random bits; sums and casts that lie halfway between two numbers;
outputs filled with garbage; tensors that start anywhere, each at an offset of its own, or one
alone; every block size; the same call again, on the same and on other inputs; threads in order,
in reverse and shuffled; another stream; inputs that cannot be written, and memory beyond the
tensors that must stay untouched. What could not be tried stands in the verdict. A kernel for
matrices whose sizes and indices all have 32 bits may be wrong past 2^31 elements, as its types
say; its verdict names what goes wrong there.

Where the outputs tell no cause, small edits of the file are tried on the emulator; the sentence
names the line of which an edit makes every case right (`helpers.testing.repair`).

Where there is a GPU, a kernel is tried on the emulator first. That shows what a GPU hides, such
as a read past the end, and keeps a kernel that is wrong there away from the GPU, where a fault
would end the process's CUDA.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace

import torch

from helpers import progress, settings
from helpers.emulator import isolated
from helpers.errors import CheckError, FaultKind, KernelFault
from helpers.model.dtypes import dtype_name
from helpers.run import jit
from helpers.run.kernel import Kernel
from helpers.run.launcher import Launcher
from helpers.testing import elementwise, repair, stretched
from helpers.testing.cases import Case, ElementwiseMaker, Untried
from helpers.testing.guarded import explanation
from helpers.testing.past_2_31 import Huge
from helpers.testing.references import LARGEST_ULP, REFERENCES, in_float64
from helpers.testing.run_cases import Finding, Tried, run_cases


@dataclass(frozen=True)
class Verdict:
    """What `check` found: `ok`, how many cases ran, and a sentence.

    not_tried: what could not be tried, in a few words each; limits: up to which size a launcher
    is right, and what goes wrong beyond. The sentence names both.
    """

    kernel: str
    ok: bool
    cases: int
    message: str
    not_tried: tuple[str, ...] = ()
    limits: tuple[str, ...] = ()

    def __str__(self) -> str:
        return f"{self.kernel}: {self.message}"


def check(
    kernel: Kernel, reference: str | Callable[..., torch.Tensor] | None = None, **options
) -> Verdict:
    """Return the verdict on a kernel that is right; raise CheckError otherwise.

    Where ELEMENTWISE_MARKS names a folder, the verdict is recorded there.
    """
    answer = verdict(kernel, reference, **options)
    progress.record(kernel=answer.kernel, right=answer.ok, message=answer.message)
    if not answer.ok:
        raise CheckError(str(answer))
    return answer


def verdict(
    kernel: Kernel,
    reference: str | Callable[..., torch.Tensor] | None = None,
    *,
    ulp: float = 0,
    cases: Callable[[Launcher], Iterable[Case]] | None = None,
    only: str | None = None,
    **arguments: int | float,
) -> Verdict:
    """Try every launcher of a kernel, and record the answer as `kernel.verdict`.

    reference: the operator in float64 (a function of the input tensors), or its name (a key of
        REFERENCES); by default the first launcher's name. ulp: the allowed distance in units in
        the last place (0: every bit); of a narrow type at most an eighth of a number (128 for
        float16, 16 for bfloat16), and of truth values none.
    cases: for kernels that are not elementwise, a function from a launcher to its cases.
    only: the name of the one launcher to try; the kernel then does not count as checked.
    arguments: further scalars that every call gets.

    Raises TypeError if `kernel` is not a Kernel; ValueError for an unknown reference or
    launcher, for options that exclude each other, for a tolerance that would accept anything,
    and if there is no case to try.
    """
    if not isinstance(kernel, Kernel):
        raise TypeError(f"check takes what jit.load returns, not {type(kernel).__name__}")
    if cases is None:
        _must_be_a_tolerance(ulp)
        function = _reference(kernel, reference)

        def maker(launcher: Launcher) -> ElementwiseMaker:
            return ElementwiseMaker.of(launcher, function, ulp, arguments)

        def judge(launcher: Launcher) -> Tried:
            return elementwise.judge(launcher, maker(launcher))

        def again(launcher: Launcher) -> Iterable[Case]:
            return elementwise.small_cases(launcher, maker(launcher))
    else:
        _must_be_alone(reference, ulp, arguments)
        again = cases

        def judge(launcher: Launcher) -> Tried:
            seen = []
            tried = run_cases(launcher, _sound(cases(launcher), seen))
            return stretched.past_2_31(launcher, tried, seen)

    names = _launchers(kernel, only)
    if cases is None:
        elementwise.prepare(kernel.launchers[name] for name in names)
    if only is None:
        kernel.verdict = None
    answer = _verdict(kernel, names, judge, again)
    if only is None or not answer.ok:
        kernel.verdict = answer
    return answer


def _reference(kernel: Kernel, reference: str | Callable | None) -> Callable[..., torch.Tensor]:
    """Find the reference by its name, or by the first launcher's."""
    name = next(iter(kernel.launchers)) if reference is None else reference
    function = REFERENCES.get(name) if isinstance(name, str) else name
    if not callable(function):
        raise ValueError(
            f"no reference for {name!r}: pass reference= a function of the inputs, in float64"
        )
    return in_float64(function)


def _must_be_a_tolerance(ulp: float) -> None:
    """Raise ValueError unless a tolerance is a number of units in the last place."""
    if isinstance(ulp, bool) or not isinstance(ulp, (int, float)) or not 0 <= ulp < LARGEST_ULP:
        raise ValueError(
            f"ulp is {ulp!r}: it must be a number of units in the last place from 0 to "
            f"{LARGEST_ULP:,}; a larger one would accept almost anything"
        )


def _must_be_alone(reference: object, ulp: float, arguments: dict) -> None:
    """Raise ValueError for options that `cases` would make ineffective."""
    given = ["reference"] * (reference is not None) + ["ulp"] * (ulp != 0) + [*arguments]
    if given:
        raise ValueError(
            f"cases= and {given[0]}= exclude each other: a Case holds its expected outputs, "
            "its ulp and its arguments"
        )


def _sound(
    cases: Iterable[Case | Huge | Untried], seen: list
) -> Iterator[Case | Huge | Untried]:
    """Pass on cases and keep them; raise TypeError or ValueError for one that cannot fail."""
    for case in cases:
        seen.append(case)
        if isinstance(case, (Huge, Untried)):
            yield case
            continue
        if not isinstance(case, Case):
            raise TypeError(f"cases must yield Case objects, not {type(case).__name__}")
        _must_be_a_tolerance(case.ulp)
        if len(case.ignored) >= len(case.expected):
            raise ValueError(f"the case {case.label!r} ignores every output")
        yield case


def _launchers(kernel: Kernel, only: str | None) -> list[str]:
    """List the names of the launchers to try."""
    if only is None:
        return list(kernel.launchers)
    if not isinstance(only, str) or only not in kernel.launchers:
        known = ", ".join(kernel.launchers)
        raise ValueError(f"{kernel.name} has no launcher {only!r}; it has {known}")
    return [only]


def _emulated(kernel: Kernel) -> Kernel | None:
    """Build the kernel for the emulator, without first launches on copies, if possible."""
    same = jit.emulated(kernel)
    return same and Kernel(same.path, same.text, same.library, on_gpu=False, build_seconds=0.0)


def _verdict(
    kernel: Kernel, names: list[str], judge: Callable[[Launcher], Tried], cases: repair.Cases
) -> Verdict:
    """Judge the named launchers, on the emulator and then on the GPU, until one is wrong.

    cases: of a launcher, to look for the line of a fault of which the outputs tell no cause.
    """
    emulated, total, not_tried, limits = _emulated(kernel), 0, [], []
    for name in names:
        for place in filter(None, [emulated, kernel if kernel.on_gpu else None]):
            launcher = place.launchers[name]
            with _one_thread(), _patience(launcher):
                if place is emulated:
                    tried = _judge_apart(launcher, judge, f"{kernel.name}.cu")
                else:
                    tried = judge(launcher)
            found = tried.found
            too_slow = found and found.fault is FaultKind.TIMEOUT
            if too_slow and kernel.on_gpu and place is emulated:
                continue  # the emulator was too slow: the GPU decides
            if found:
                asks = place is emulated and found.asks and settings.find_line()
                told = _with_line(found, launcher, cases) if asks else str(found)
                return Verdict(kernel.name, False, total + tried.count, f"WRONG: {told}")
            if place is emulated or not emulated:
                not_tried += tried.not_tried if tried.count else [name]
                limits += [tried.limit] if tried.limit else []
        total += tried.count
    return _right(kernel, names, total, not_tried, limits)


def _with_line(found: Finding, launcher: Launcher, cases: repair.Cases) -> str:
    """Say what went wrong, and the lines of which an edit makes it right, if there are any.

    What was asked of the cause stays unless the edit shows another.
    """
    with _one_thread(), _patience(launcher):
        where = explanation(repair.where, launcher, cases)
    where = where and where.behind(found.asks)
    if not where or where.goes_round(found.asks):
        return str(found)
    if found.fault:
        return f"{found}. {where.sentence(outside=True)}"
    agrees = where.agrees(found.asks)
    doubts = where.doubts(found.asks)
    told = found.plain if doubts or ("?" in found.asks and not agrees) else found
    with_cause = doubts or not agrees or where.adds(found.asks)
    return f"{told}. {where.sentence(with_cause=with_cause, beside=str(told))}"


def _right(
    kernel: Kernel, names: list[str], total: int, not_tried: list[str], limits: list[str]
) -> Verdict:
    """Return the verdict on launchers that passed `total` cases; ValueError for none."""
    if not total:
        raise ValueError(
            f"{kernel.name}: there is no case to try, so nothing was checked: does `cases` "
            "yield a Case for this launcher?"
        )
    last = [kernel.launchers[name].declaration.tensors[-1].dtype for name in names]
    dtypes = ", ".join(dtype_name(dtype) for dtype in last)
    not_tried, limits = list(dict.fromkeys(not_tried)), list(dict.fromkeys(limits))
    rest = f"; not tried: {', '.join(not_tried)}" if not_tried else ""
    rest += "".join(f"; {limit}" for limit in limits)
    message = f"right in {total} case{'s' * (total != 1)} ({dtypes}){rest}"
    return Verdict(kernel.name, True, total, message, tuple(not_tried), tuple(limits))


def _patience(launcher: Launcher) -> contextlib.AbstractContextManager:
    """Give up an emulated kernel after 10 s, or ELEMENTWISE_KERNEL_TIMEOUT, for the context."""
    if launcher.on_gpu:
        return contextlib.nullcontext()
    return launcher.emulator.timeout(settings.first_launch_timeout())


def _judge_apart(launcher: Launcher, judge: Callable[[Launcher], Tried], file: str) -> Tried:
    """Judge an emulated launcher in a child process, which its host code may bring down."""

    def judged() -> Tried:
        tried = judge(launcher)
        found = tried.found and Finding.of(tried.found)
        return replace(tried, found=found)

    try:
        return isolated.run(judged, name=file)
    except KernelFault as fault:
        return Tried(1, Finding(str(fault), fault.kind))


@contextlib.contextmanager
def _one_thread() -> Iterator[None]:
    """Run PyTorch's own CPU work in one thread: the tensors are small, and cores are shared."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(before)
