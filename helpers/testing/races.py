"""Find races in a kernel that gives right results: one traced case, without a GPU.

The emulator runs the threads of a block one after another, so a missing barrier or a lost
update may not show in the output. The trace knows what orders two accesses and what does not.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from helpers.emulator.trace import Trace
from helpers.errors import BuildError, CourseError, FaultKind, KernelFault
from helpers.run.launcher import Launcher
from helpers.run.trace import MISSING, OTHER_INDEX, trace
from helpers.testing import patience, reachable
from helpers.testing.cases import Case

ELEMENTS = 5_000  # of all inputs of the traced case, at most
# What threads can race with: shared memory, variables of a file, atomics, warps in step, and
# `x[i] += ...`; and, in _reads_what_it_stores, elements that a function reads and stores. A
# trace also finds who steps past the end of memory that the launcher took.
_COOPERATES = re.compile(
    r"__shared__|\bcudaMalloc|\batomic|\bvolatile\b|_sync\b|(?:\]|\*\s*\w+)\s*(?:[-+*/%&|^]|<<|>>)=(?!=)"
    r"|__device__\s+(?!const)[\w\s:]*\w\s*(?:\[[^\]]*\]\s*)*[;={]"
)
# A pointer that is not const; not one to a variable, as of a pack in registers.
_POINTER = re.compile(
    r"(?<!\bconst )\b(?!(?:const|return)\b)\w+\s*\*\s*(?:const\b\s*)?(?:__restrict(?:__)?\s+)?"
    r"(\w+)\s*(?=[,);]|=(?![^;]*&\s*\w+\s*[);]))"
)
_ELEMENT = (
    r"\b{0}\s*\[(?:[^\[\]]|\[[^\[\]]*\])*\]"
    r"|(?:(?<=[^\w\s])|(?<=\breturn))\s*\*\s*(?:{0}\b|\(\s*{0}\b[^()]*\))"
)
_LEAVES = re.compile(r"\bif\s*\([^;]*\)\s*\{?\s*return\s*;")
LEFT = (
    "has the thread that should write it returned before, as one without an element? Let each "
    "thread write a number (0, say) that changes nothing, and stay for the barriers"
)
# A loop of a thread's shares: its variable, where it starts, and its step.
_STEPS = re.compile(
    r"\bfor\s*\([^;]*?\b(\w+)\s*=\s*([\w.]+)\s*;[^;]*;\s*\1\s*\+=\s*([\w.]+)\s*\)"
)
_NAMED = re.compile(r"\b(\w+)\s*=\s*((?:threadIdx|blockDim)\.[xyz])\s*[,;]")
TOO_LONG = (
    "are the steps of a loop that fills it longer than the block has threads in that "
    "direction, so that some elements are left out? If not, "
)
# A shared array of two directions, and an element of it: both indices, and a store's "=".
MOST_PLACES = 4  # of a pack, that a thread writes
_MATRIX = re.compile(r"__shared__[^;]*?\b(\w+)\s*\[[^\[\]]+\]\s*\[[^\[\]]+\]\s*;")
_TWO_INDICES = r"\b{0}\s*\[\s*([^\[\]]+?)\s*\]\s*\[\s*([^\[\]]+?)\s*\]\s*(=(?!=))?"
_COUNTER = re.compile(r"\bfor\s*\(\s*(?:\w+\s+)+(\w+)\s*=")
SAME_INDICES = (
    "the line that writes it has the same two indices. Where a matrix is turned, must they "
    "stand the other way round in one of the two lines, as another element is read now?"
)
_STORED = re.compile(r"\s*(?:\.\s*\w+\s*)?=(?!=)")


def to_trace(cases: Iterable[Case]) -> Case | None:
    """Choose the case of most input elements, up to ELEMENTS."""
    return max(filter(is_small, cases), key=_elements, default=None)


def alike(cases: Iterable[Case]) -> list[Case]:
    """List the cases of as many input elements as the one to trace, that one first.

    Of other numbers or arguments, another thread may write: of a maximum, one that finds a
    larger number.
    """
    some = list(cases)
    if (first := to_trace(some)) is None:
        return []
    return [case for case in some if _elements(case) == _elements(first)]


def is_small(case: Case) -> bool:
    """Say whether a trace of a case is worth its time."""
    return _elements(case) <= ELEMENTS


def _elements(case: Case) -> int:
    return sum(x.numel() for x in case.inputs) or case.size


def cooperates(launcher: Launcher) -> bool:
    """Say whether the threads of a launcher can get in each other's way at all."""
    definitions = reachable.definitions(launcher)
    if _COOPERATES.search("\n".join(definitions)):
        return True
    return any(map(_reads_what_it_stores, definitions))


def _reads_what_it_stores(code: str) -> bool:
    """Say whether a function reads elements of a pointer, and stores some by it.

    As in `if (v > out[row]) out[row] = v;`: another thread may store between the two.
    """
    for name in dict.fromkeys(_POINTER.findall(code)):
        uses = re.finditer(_ELEMENT.format(name), code)
        if len({bool(_STORED.match(code, use.end())) for use in uses}) == 2:
            return True
    return False


def leaves_early(launcher: Launcher) -> bool:
    """Say whether threads of a kernel may return before its first barrier."""
    return any(
        _LEAVES.search(code.partition("__syncthreads")[0])
        for code in reachable.definitions(launcher)
        if "__global__" in code and "__shared__" in code and "__syncthreads" in code
    )


def _missing_write(launcher: Launcher | None) -> str:
    """Ask why shared memory was never written; of a block of two directions by which steps."""
    steps = ""
    for code in reachable.definitions(launcher) if launcher else ():
        if "__shared__" not in code or not re.search(r"threadIdx\.[yz]", code):
            continue
        named = dict(_NAMED.findall(code))
        for _, start, step in _STEPS.findall(code):
            start, step = named.get(start, start), named.get(step, step)
            own = start.replace("threadIdx", "blockDim")
            if own == start or step == own:
                continue
            if step.startswith("blockDim."):
                return (
                    f"are elements left out by the loop that starts at {start} and goes on by "
                    f"{step}, in the place of {own}?"
                )
            steps = TOO_LONG
    return (
        f"{steps}look at the lines that write it. Do their threads and indices reach it, and "
        "is a number (0, say) stored where there is no input?"
    )


def sentence(fault: KernelFault, launcher: Launcher | None = None) -> str:
    """Return the sentence on a race, with the word for it, or on what nobody wrote."""
    if fault.kind is FaultKind.UNWRITTEN:
        if launcher and leaves_early(launcher):
            return str(fault).replace(OTHER_INDEX, MISSING).replace(MISSING, LEFT)
        if launcher and _has_the_same_indices(launcher):
            told = str(fault).replace(OTHER_INDEX, SAME_INDICES)
            if SAME_INDICES in told or _turns_a_matrix(launcher):
                return told.replace(MISSING, SAME_INDICES)
        # Another thread's write, of which no barrier makes sure, would have been a race.
        return str(fault).replace(MISSING, _missing_write(launcher))
    if fault.kind is not FaultKind.RACE:
        return str(fault)
    return f"{str(fault).rstrip('.')}{'' if str(fault).endswith('?') else '.'} This is a race."


def _turns_a_matrix(launcher: Launcher) -> bool:
    """Say whether a result is declared with the sides of an input the other way round."""
    shapes = {"input": [], "output": []}
    for p in launcher.declaration.tensors:
        shapes[p.role].append(p.shape)
    return any(len(x) == 2 and x[::-1] in shapes["output"] for x in shapes["input"])


def _has_the_same_indices(launcher: Launcher) -> bool:
    """Say whether a shared matrix is read by the same two indices as it is written.

    Loops may count by other names.
    """
    for code in reachable.definitions(launcher):
        for counter in set(_COUNTER.findall(code)):
            code = re.sub(rf"\b{counter}\b", "counter", code)
        for name in set(_MATRIX.findall(code)):
            uses = re.findall(_TWO_INDICES.format(name), _MATRIX.sub("", code))
            stored = {(a, b) for a, b, store in uses if store}
            read = {(a, b) for a, b, store in uses if not store}
            if 1 <= len(stored) <= MOST_PLACES and stored == read:
                return True
    return False


def first_race(
    launcher: Launcher, case: Case, seconds: float | None = None
) -> tuple[KernelFault | None, bool | None]:
    """Trace a case; return an access past the end of memory, a race, or an unwritten read.

    seconds: how long a kernel may run; by default as long as is left. Returns with it whether
    all was traced, and twice None where nothing can be.
    """
    if (seen := traced(launcher, case, seconds)) is None:
        return None, None
    rank = (FaultKind.OUT_OF_BOUNDS, FaultKind.RACE, FaultKind.UNWRITTEN)
    first = min(seen.faults, key=lambda one: rank.index(one.kind), default=None)
    return first, not seen.stopped


def traced(launcher: Launcher, case: Case, seconds: float | None = None) -> Trace | None:
    """Trace a case; None where nothing can be: no g++, or a call that fails.

    seconds: how long a kernel may run; by default as long as is left.
    """
    seconds = seconds or patience.left()
    inputs = iter(case.inputs)
    outputs = iter(zip(case.expected, case.dtypes, strict=True))
    tensors = []
    for parameter in launcher.declaration.tensors:
        if parameter.role == "input":
            tensors.append(next(inputs))
        else:
            expected, dtype = next(outputs)
            tensors.append(expected.new_zeros(expected.shape, dtype=dtype))
    try:
        return trace(launcher, *tensors, seconds=seconds, **case.arguments)
    except (BuildError, CourseError, ValueError, TypeError):
        return None
