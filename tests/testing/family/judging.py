"""Check members of the family, and decide whether the sentence about a wrong one is good."""

from __future__ import annotations

import contextlib
import os
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from unittest import mock

from helpers.run import jit, trace
from helpers.run.kernel import Kernel
from helpers.testing import check, kernel_cases, races
from helpers.testing.experiments import explain_races
from helpers.testing.repair import search
from helpers.testing.wrong_kernels import combined
from tests.testing import family


@dataclass(frozen=True)
class Judgement:
    """What `check` said of a member; ok is None if it could not be asked.

    seconds: of CPU time, of the child processes too, builds apart: of the file, in which all
    members of a base are, and of the edits that the search for a line tries.
    """

    name: str
    wrong: bool
    message: str
    seconds: float
    ok: bool | None

    @property
    def decided_rightly(self) -> bool:
        """Whether a wrong kernel was refused, or a right one accepted."""
        return self.ok is not None and self.ok is not self.wrong


def load(
    folder: Path, base: str, members: Iterable[family.Wrong | family.Right] = ()
) -> Kernel:
    """Build members of a base as one file, or all, also for tracing where `check` would."""
    members = list(members) or [one for one in family.MEMBERS if one.base == base]
    text = combined({one.name: one.text(family.BASES[base]) for one in members})
    file = folder / f"{base}.cu"
    file.write_text(text, encoding="utf-8")
    kernel = jit.load(file)
    if any(map(races.cooperates, kernel.launchers.values())):
        trace.load_traced(file)
    if explain_races.WARP_SYNCHRONOUS.search(text):
        explain_races.in_lockstep(next(iter(kernel.launchers.values())))
    return kernel


def cpu_seconds() -> float:
    """Return the CPU time of this process and of its children that have ended."""
    times = os.times()
    return times.user + times.system + times.children_user + times.children_system


def options(base: family.Base) -> dict | None:
    """Return the options of `check.verdict`; None if it has no cases for such kernels."""
    if not base.cases:
        return base.options
    cases = getattr(kernel_cases, base.cases, None)
    if cases is None:
        return None
    return {**base.options, "cases": cases(base.function) if base.function else cases}


def judge(member: family.Wrong | family.Right, kernel: Kernel) -> Judgement:
    """Check one member; `kernel` is what `load` returned for its base."""
    wrong, how = isinstance(member, family.Wrong), options(family.BASES[member.base])
    if how is None:
        return Judgement(member.name, wrong, "there are no cases for it", 0.0, None)
    with _builds_of_edits() as builds:
        start = cpu_seconds()  # the machine may be busy
        answer = check.verdict(kernel, only=member.name, **how)
        seconds = cpu_seconds() - start - sum(builds)
    return Judgement(member.name, wrong, answer.message, seconds, answer.ok)


@contextlib.contextmanager
def _builds_of_edits() -> Iterator[list[float]]:
    """Give a list of the CPU seconds that each build of the search for a line takes."""
    spent, build = [], search._build

    def timed(*arguments: object) -> object:
        start = cpu_seconds()
        try:
            return build(*arguments)
        finally:
            spent.append(cpu_seconds() - start)

    with mock.patch.object(search, "_build", timed):
        yield spent


def claims(message: str) -> set[str]:
    """List the causes that a sentence claims.

    The case in [...] and the names of files, kernels and elements of arrays do not count.
    """
    case = r"\s*\[[^\[\]]*(\[[^\[\]]*\][^\[\]]*)*\](?=$|\. All \d)"
    sentence = re.sub(case, "", message)
    sentence = re.sub(r"\w+\.cu\b", "", sentence.removeprefix("WRONG: "))
    sentence = re.sub(r"[\w:<>]+(?=, block \(\d)", "", sentence)
    sentence = re.sub(r"\b\w+\[\d+(, \d+)*\]", "", sentence)
    return {cause for cause, words in family.CAUSES.items() if re.search(words, sentence, re.I)}


def names_the_fault(member: family.Wrong, message: str) -> bool:
    """Test whether a sentence names a cause that the kernel has."""
    return bool(claims(message) & set(member.required))


def misleads(member: family.Wrong, message: str) -> bool:
    """Test whether a sentence names a cause that the kernel does not have.

    What a neighbour, or a row for a column, stands for is another element.
    """
    has = {*member.required, *member.allowed}
    has |= {"other element"} if has & {"neighbour", "sides", "swapped"} else set()
    return bool(claims(message) - has)
