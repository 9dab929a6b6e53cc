"""Find out whether threads meet: a race, or lanes that rely on running in step."""

from __future__ import annotations

import ctypes
import functools
import re
import tempfile
from dataclasses import replace
from pathlib import Path

import torch

from helpers import emulator
from helpers.emulator import FORWARD, GARBAGE, REVERSE, SHUFFLED
from helpers.errors import CourseError
from helpers.model.launch_shape import MOST_THREADS
from helpers.run.build import precompiled_headers
from helpers.run.launcher import Launcher
from helpers.sources import digest, read_sources
from helpers.testing import races, reachable
from helpers.testing.cases import Case
from helpers.testing.experiment import Experiment
from helpers.testing.experiments import explain_calls
from helpers.testing.mismatch import Diagnosis, are_chosen
from helpers.testing.patterns import wrong_numbers
from helpers.testing.patterns.wrong_indices import CUT
from helpers.testing.probes import influence
from helpers.testing.run_case import OTHER_GARBAGE, is_right

MEET = (
    "two threads touch the same element, or one reads what another writes with no barrier "
    "between (a race)"
)
BLOCKS_MEET = re.compile(
    r"of block (\d+) writes .* of block (\d+) writes it [^:]*: "
    r"(is the index right, or should only one thread write there\?)"
)
UNWRITTEN = "which no thread of the block has written"
LOCKSTEP_SECONDS = 5.0
CALLS = 3  # in a good order of the threads, which are all right where nothing else matters
LARGE_SECONDS = 1.0  # of a trace of a large case
# What a kernel has that may rely on the lanes of a warp: volatile shared memory, or one warp.
WARP_SYNCHRONOUS = re.compile(
    r"__shared__.*?(?:\bvolatile\b|<=?\s*(?:32|31|warpSize|WARP_SIZE|kWarp\w*)\b)"
    r"|\bvolatile\b.*?__shared__",
    flags=re.S,
)


def in_lockstep(launcher: Launcher) -> Launcher:
    """Build the launcher's file anew, so that the lanes of a warp run in lockstep."""
    hashed = digest(read_sources(launcher.path))
    return Launcher(launcher.declaration, _built(launcher.path, hashed), on_gpu=False)


@functools.lru_cache(maxsize=8)
def _built(path: Path, hashed: str) -> ctypes.CDLL:
    """Build and load the lockstep library of a file whose text has this hash."""
    with tempfile.TemporaryDirectory() as folder:
        library = Path(folder) / "lockstep.so"
        emulator.lockstep.build(path, library, precompiled_headers())
        return emulator.load(library)


def lockstep(experiment: Experiment) -> Diagnosis | None:
    """Run the case with each warp's lanes in lockstep, if the kernel may rely on it."""
    if experiment.launcher.on_gpu or experiment.failure.fault:
        return None
    if not WARP_SYNCHRONOUS.search(reachable.code(experiment.launcher)):
        return None
    try:
        same = in_lockstep(experiment.launcher)
    except CourseError:  # another compiler
        return None
    with same.emulator.timeout(LOCKSTEP_SECONDS):
        if not is_right(same, experiment.case, replace(experiment.how, stream=False)):
            return None
    if experiment.right_when_fresh(experiment.case):
        return None  # the library being another one is what helped
    return Diagnosis(
        "right only while the 32 threads of a warp run in step, which no GPU since Volta "
        "promises: a race (warp-synchronous code; `volatile` is not enough): put "
        "__syncwarp() between the line that writes shared memory and the one that reads it"
    )


def order_of_threads(experiment: Experiment) -> Diagnosis | None:
    """Run the case in the other orders of the threads."""
    if experiment.launcher.on_gpu or experiment.case.size == 0:
        return None
    others = [mode for mode in (FORWARD, REVERSE, SHUFFLED) if mode != experiment.how.schedule]
    good = next((x for x in others if experiment.right(experiment.case, schedule=x)), None)
    if good is None:
        return None
    # Not the order, where a repetition changes either answer: the call before matters.
    if experiment.right(experiment.case) or not experiment.right(
        experiment.case, schedule=good
    ):
        return None
    # Nor where a first call is right in this order, too, and a second one of the other is not.
    if experiment.right_when_fresh(experiment.case) and not _stays_right(experiment, good):
        return None
    order = "in another order of the threads"
    if experiment.how.schedule != FORWARD:
        order = "only while the threads run in order"
    if traced := _of_16_bits(experiment.case, experiment.traced()):
        return Diagnosis(f"right {order}: {traced.sentence}")
    return Diagnosis(f"right {order}: {MEET}")


def _stays_right(experiment: Experiment, schedule: int) -> bool:
    """Test whether calls in an order of the threads are right one after the other."""
    return all(experiment.right(experiment.case, schedule=schedule) for _ in range(CALLS))


def blocks_at_once(experiment: Experiment) -> Diagnosis | None:
    """Trace a smaller case, where this one is so large that its blocks ran at once.

    If that shows no race, trace the beginning of this one.
    """
    if (
        experiment.launcher.on_gpu
        or experiment.failure.fault
        or races.is_small(experiment.case)
    ):
        return None
    traced = experiment.traced() or experiment.traced_for(experiment.case, LARGE_SECONDS)
    return _of_16_bits(experiment.case, traced)


def _of_16_bits(case: Case, traced: Diagnosis | None) -> Diagnosis | None:
    """Return what a trace shows; of blocks too far apart for 16 bits, with that."""
    if not (met := BLOCKS_MEET.search(traced.sentence) if traced else None):
        return traced
    apart = abs(int(met[1]) - int(met[2]))
    longest = max(max(x.shape, default=0) for x in (*case.inputs, *case.expected))
    if longest <= CUT or apart & (apart - 1) or not CUT // MOST_THREADS <= apart <= CUT:
        return traced
    return replace(
        traced,
        sentence=f"{traced.sentence[: met.start(3)]}are these places 65,536 apart, and is a "
        f"number of them held in 16 bits, too narrow for it?{traced.sentence[met.end(3) :]}",
    )


def _holds_garbage(experiment: Experiment) -> bool:
    """Test whether other numbers come out if shared memory holds others before the launch."""
    launcher, case = experiment.launcher, experiment.case
    if "__shared__" not in reachable.code(launcher):
        return False
    made = []
    for byte in (GARBAGE, OTHER_GARBAGE, GARBAGE):
        with launcher.emulator.shared_garbage(byte):
            made.append(influence.launched(launcher, case, list(case.inputs)))
    if None in made or not all(map(torch.equal, made[0], made[2])):
        return False
    return not all(map(torch.equal, made[0], made[1]))


def race(experiment: Experiment) -> Diagnosis | None:
    """Trace the case where the output alone says little."""
    told = experiment.failure.diagnosis
    if experiment.launcher.on_gpu or experiment.failure.fault:
        return None
    # What is NaN may have been read before anybody wrote it.
    strange = told.made_nan
    # Rows off by a factor may have been divided by several threads.
    rows = (told.rows and not told.nearly) or told.columns
    may_be = told.unordered or told.zeros or told.garbage or strange or rows
    if told.specific and not (may_be or _holds_garbage(experiment)):
        return None
    traced = experiment.traced()
    if traced and UNWRITTEN in traced.sentence and explain_calls.right_by_default(experiment):
        size = experiment.case.arguments["block_size"]
        return Diagnosis(
            f"{explain_calls.BY_DEFAULT}, wrong with block_size = {size}: "
            f"{traced.sentence.removesuffix('?')}, or is more read than so many threads, or "
            "warps, write?"
        )
    if traced or not told.unordered:
        return traced
    if sentence := explain_calls.idle_threads(experiment):
        return Diagnosis(sentence)
    if _is_chosen(experiment.case):
        return Diagnosis(
            f"{wrong_numbers.NAN_OF_NOTHING}, though each result should be one of the numbers "
            "that go in: does something start with NaN (a float whose bits are all set is one, "
            "as after a memset of 0xff), or are bits compared, and turned back otherwise?"
        )
    ways = "infinity - infinity, infinity / infinity, 0 * infinity or 0 / 0"
    if all(_is_small(x) for x in experiment.case.inputs):
        ways = "0 / 0 or the root of a negative number"
    return Diagnosis(
        f"{wrong_numbers.NAN_OF_NOTHING}: is it made on the way, as by {ways} (of a thread "
        "without an element, say)?"
    )


def _is_chosen(case: Case) -> bool:
    """Test whether each result should be one of many numbers that go in, as a maximum is.

    An infinity among infinities may be made of them otherwise.
    """
    if not any(bool(right.isfinite().any()) for right in case.expected):
        return False
    several = [x for x in case.inputs if len(x.unique()) > 1]
    return all(any(are_chosen(right, x) for x in several) for right in case.expected)


def _is_small(x: torch.Tensor) -> bool:
    """Test whether numbers are so small that sums, products and exp of them stay finite."""
    largest = 10 if x.dtype == torch.float16 else 40
    return x.numel() <= 1000 and bool((x.double().abs() <= largest).all())  # False for NaN
