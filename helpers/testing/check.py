"""Check a kernel: run it on inputs chosen to break it, and compare with a reference.

`check(kernel)` returns a Verdict, or raises CheckError with one sentence on what looks wrong.
`verdict(kernel)` gives the same answer without raising. Only a kernel that passed may be timed
(`helpers.measure.bench`).

What is tried: sizes 0, 1, around every vector width and block, odd ones, past 2^16 and past
2^31; several seeds; infinities, NaN, signed zeros and subnormals in all pairs; sums and casts
that lie halfway between two numbers; outputs filled with garbage; inputs that start away from a
round address; every block size; the same call again, on the same and on other inputs; threads
in order, in reverse and shuffled; another stream; memory beyond the tensors that must stay
untouched.

Where there is a GPU, a kernel is tried on the emulator first. That shows what a GPU hides, such
as a read past the end, and keeps a kernel that is wrong there away from the GPU, where a fault
would end the process's CUDA.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

import torch

from helpers.emulator import isolated
from helpers.errors import CheckError, FaultKind, KernelFault
from helpers.model.dtypes import dtype_name
from helpers.run import jit
from helpers.run.kernel import Kernel
from helpers.run.launcher import Launcher
from helpers.testing import past_2_31, races
from helpers.testing.cases import Case, elementwise_cases
from helpers.testing.diagnosis import Diagnosis
from helpers.testing.explain import FEW, explain, more_specific
from helpers.testing.references import REFERENCES
from helpers.testing.run_case import ROUNDS, Failure, run_case

Finding = Failure | past_2_31.Result | None  # what is wrong with a launcher


@dataclass(frozen=True)
class Verdict:
    """What `check` found: `ok`, how many cases ran, and a sentence."""

    kernel: str
    ok: bool
    cases: int
    message: str

    def __str__(self) -> str:
        return f"{self.kernel}: {self.message}"


def check(
    kernel: Kernel, reference: str | Callable[..., torch.Tensor] | None = None, **options
) -> Verdict:
    """Return the verdict on a kernel that is right; raise CheckError otherwise."""
    answer = verdict(kernel, reference, **options)
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
        the last place (0: every bit).
    cases: for kernels that are not elementwise, a function from a launcher to its cases.
    only: the name of the one launcher to try; the kernel then does not count as checked.
    arguments: further scalars that every call gets.

    Raises TypeError if `kernel` is not a Kernel, ValueError for an unknown reference or
    launcher.
    """
    if not isinstance(kernel, Kernel):
        raise TypeError(f"check takes what jit.load returns, not {type(kernel).__name__}")
    if cases is None:
        function = _reference(kernel, reference)

        def judge(launcher: Launcher) -> tuple[int, Finding]:
            return _judge_elementwise(launcher, function, ulp, arguments)
    else:

        def judge(launcher: Launcher) -> tuple[int, Finding]:
            return run_cases(launcher, cases(launcher))

    names = _launchers(kernel, only)
    if only is None:
        kernel.verdict = None
    answer = _verdict(kernel, names, judge)
    if only is None or not answer.ok:
        kernel.verdict = answer
    return answer


def _reference(kernel: Kernel, reference: str | Callable | None) -> Callable[..., torch.Tensor]:
    """Find the reference by its name, or by the first launcher's."""
    name = reference or next(iter(kernel.launchers))
    function = REFERENCES.get(name) if isinstance(name, str) else name
    if function is None:
        raise ValueError(
            f"no reference for {name!r}: pass reference= a function of the inputs, in float64"
        )
    return function


def _launchers(kernel: Kernel, only: str | None) -> list[str]:
    """List the names of the launchers to try."""
    if only is None:
        return list(kernel.launchers)
    if only not in kernel.launchers:
        known = ", ".join(kernel.launchers)
        raise ValueError(f"{kernel.name} has no launcher {only!r}; it has {known}")
    return [only]


def _emulated(kernel: Kernel) -> Kernel | None:
    """Build the kernel for the emulator, without first launches on copies, if possible."""
    same = jit.emulated(kernel)
    return same and Kernel(same.path, same.text, same.library, on_gpu=False, build_seconds=0.0)


def _verdict(
    kernel: Kernel, names: list[str], judge: Callable[[Launcher], tuple[int, Finding]]
) -> Verdict:
    """Judge the named launchers, on the emulator and then on the GPU, until one is wrong."""
    emulated, total = _emulated(kernel), 0
    for name in names:
        for tried in filter(None, [emulated, kernel if kernel.on_gpu else None]):
            with _one_thread():
                launcher = tried.launchers[name]
                if tried is emulated:
                    count, found = _judge_apart(launcher, judge, f"{kernel.name}.cu")
                else:
                    count, found = judge(launcher)
            too_slow = found and found.fault is FaultKind.TIMEOUT
            if too_slow and kernel.on_gpu and tried is emulated:
                continue  # the emulator was too slow: the GPU decides
            if found:
                return Verdict(kernel.name, False, total + count, f"WRONG: {found}")
        total += count
    last = [kernel.launchers[name].declaration.tensors[-1].dtype for name in names]
    dtypes = ", ".join(dtype_name(dtype) for dtype in last)
    return Verdict(kernel.name, True, total, f"right in {total} cases ({dtypes})")


@dataclass(frozen=True)
class _Found:
    """What is wrong with a launcher, as it comes from another process."""

    sentence: str
    fault: FaultKind | None

    def __str__(self) -> str:
        return self.sentence


def _judge_apart(
    launcher: Launcher, judge: Callable[[Launcher], tuple[int, Finding]], file: str
) -> tuple[int, _Found | None]:
    """Judge an emulated launcher in a child process, which its host code may bring down."""

    def judged() -> tuple[int, _Found | None]:
        count, found = judge(launcher)
        return count, found and _Found(str(found), found.fault)

    try:
        return isolated.run(judged, name=file)
    except KernelFault as fault:
        return 1, _Found(str(fault), fault.kind)


@contextlib.contextmanager
def _one_thread() -> Iterator[None]:
    """Run PyTorch's own CPU work in one thread: the tensors are small, and cores are shared."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    try:
        yield
    finally:
        torch.set_num_threads(before)


def _judge_elementwise(
    launcher: Launcher, reference: Callable, ulp: float, arguments: dict
) -> tuple[int, Finding]:
    """Try the elementwise cases, then sizes past 2^31: (how many were tried, what is wrong)."""
    tried, failure = run_cases(
        launcher, elementwise_cases(launcher, reference, ulp, **arguments)
    )
    if failure:
        return tried, failure
    if launcher.on_gpu:  # needs 25 GB on a GPU; already checked on the emulator
        return tried + len(past_2_31.SIZES), None
    results = past_2_31.past_2_31(launcher, reference, ulp, arguments)
    wrong = results[-1].outcome is past_2_31.Outcome.WRONG
    return tried + len(results), results[-1] if wrong else None


def run_cases(launcher: Launcher, cases: Iterable[Case]) -> tuple[int, Failure | None]:
    """Try cases until one is wrong: (how many were tried, what is wrong).

    Each case runs in three rounds that differ in what the outputs hold, in the order of the
    threads and in the stream. A fault or a refused launch is a failure, too. If all are right
    and threads work together, one case is traced: a race is a failure.
    """
    passed: list[Case] = []
    cases = iter(cases)
    for case in cases:
        for how in ROUNDS:
            failure = run_case(launcher, case, how)
            if failure is None:
                continue
            count, specific = len(passed) + 1, None
            if not failure.diagnosis.specific and case.size <= FEW:
                specific = more_specific(launcher, cases, passed)
            return count, specific or explain(launcher, failure, passed)
        passed.append(case)
    return len(passed), _race(launcher, passed)


def _race(launcher: Launcher, passed: Sequence[Case]) -> Failure | None:
    """Trace the largest small case of a kernel whose threads can get in each other's way."""
    if launcher.on_gpu or not races.cooperates(launcher):
        return None
    case = races.to_trace(passed)
    fault = races.first_race(launcher, case) if case else None
    return Failure(case, ROUNDS[0], Diagnosis(str(fault)), fault.kind) if fault else None
