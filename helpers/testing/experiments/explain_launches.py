"""Ask the emulator how many threads a launch had, of which some elements were not written."""

from __future__ import annotations

from dataclasses import replace

from helpers.testing import races
from helpers.testing.experiment import Experiment
from helpers.testing.mismatch import Diagnosis
from helpers.testing.patterns.wrong_places import (
    FIRST_ALONE,
    NARROW_INDEX,
    TOO_FEW_THREADS,
)
from helpers.testing.run_case import run_case

MOST_EACH = 64  # elements that each thread may have


def size_of_launch(experiment: Experiment) -> tuple[int, int]:
    """Run the case; return the blocks of its largest launch and their threads, or (0, 0).

    A GPU does not tell them.
    """
    launcher = experiment.launcher
    if launcher.on_gpu:
        return 0, 0
    launcher.emulator.take_largest_launch()  # of those before
    run_case(launcher, experiment.case, experiment.how)
    return launcher.emulator.take_largest_launch()


def in_words(blocks: int, threads: int) -> str:
    """Return "1 block of 256 threads"."""
    return f"{blocks:,} block{'s' * (blocks != 1)} of {threads:,} thread{'s' * (threads != 1)}"


def another_size_of_blocks(experiment: Experiment) -> Diagnosis | None:
    """Where nothing is written from some element on: are blocks as large as was asked?"""
    if not (seen := _seen(experiment)):
        return None
    blocks, threads = size_of_launch(experiment)
    asked = experiment.case.arguments.get("block_size", threads)
    if threads in (0, asked) or blocks * threads >= experiment.case.expected[0].numel():
        return None
    return replace(
        experiment.failure.diagnosis,
        sentence=f"{seen}, and the launch has {in_words(blocks, threads)}, where block_size is "
        f"{asked:,}: is the block size another one there, or are there too few blocks for it?",
    )


def too_few_threads(experiment: Experiment) -> Diagnosis | None:
    """Where nothing is written from some element on: are there as many threads as it needs?"""
    if not (seen := _seen(experiment)):
        return None
    blocks, threads = size_of_launch(experiment)
    was, n = experiment.failure.diagnosis, experiment.case.expected[0].numel()
    has, total = in_words(blocks, threads), blocks * threads
    ends = total and was.written % total == 0 and was.written // total <= MOST_EACH
    if not total or (NARROW_INDEX in was.sentence and not ends):
        return None
    if total >= n:
        why = (
            f", and the launch has {has}, enough for {n:,} elements: does a thread compute "
            "another index than its own, or does a loop end too early?"
        )
    elif ends:
        each = was.written // total
        share = f", of {each} elements each, end" if each > 1 else " end"
        why = (
            f", where the threads of the launch ({has}){share}: are there too few blocks, or "
            "must each thread go on in a grid-stride loop?"
        )
        if n - was.written < threads * each:
            why = (
                f", where the threads of the launch ({has}){share}: is the number of blocks "
                "rounded down, so that the tail has none?"
            )
    else:
        why = (
            f", and the launch has {has}: are these fewer than it needs, or does a loop end "
            "too early?"
        )
    return replace(was, sentence=seen + why)


def _seen(experiment: Experiment) -> str:
    """Return "nothing is written from index 256 on", if that is all that is known; else "".

    Where a number of few bits ends, as many threads may end by chance.
    """
    told = experiment.failure.diagnosis
    sentence, _, asked = told.sentence.partition(": ")
    if experiment.failure.fault or not asked.startswith((TOO_FEW_THREADS, NARROW_INDEX)):
        return ""
    narrow = asked.startswith(NARROW_INDEX)
    return f"nothing is written from index {told.written:,} on" if narrow else sentence


def blocks_of_the_launch(experiment: Experiment) -> Diagnosis | None:
    """Where elements of a matrix were not written, say how few blocks there were."""
    was, shape = experiment.failure.diagnosis, experiment.case.expected[0].shape
    if experiment.failure.fault or not was.unwritten or len(shape) < 2 or "?" in was.sentence:
        return None
    blocks, threads = size_of_launch(experiment)
    enough = blocks * threads >= shape.numel() and blocks >= shape[0]
    if not blocks or enough:
        return None
    said = f"{was.sentence}. The launch has {in_words(blocks, threads)}"
    return replace(was, sentence=said)


def nothing_launched(experiment: Experiment) -> Diagnosis | None:
    """Where nothing was written: was no kernel launched?"""
    was = experiment.failure.diagnosis
    nothing = was.unwritten and not was.written and was.wrong == experiment.case.size
    if experiment.failure.fault or not nothing or experiment.launcher.on_gpu:
        return None
    if size_of_launch(experiment) != (0, 0):
        return None
    return replace(
        was,
        sentence="nothing was written, and no kernel was launched: is the number of blocks 0 "
        "for so few elements, as one that is rounded down?",
    )


def first_alone(experiment: Experiment) -> Diagnosis | None:
    """Where only the first of some results was written: is there one block for all?

    A block makes a result if its threads hand something on to each other.
    """
    was, n = experiment.failure.diagnosis, experiment.case.expected[0].numel()
    cooperates = races.cooperates(experiment.launcher)
    if experiment.failure.fault or not was.sentence.startswith(FIRST_ALONE) or not cooperates:
        return None
    blocks, threads = size_of_launch(experiment)
    if blocks != 1:
        return None
    has = in_words(blocks, threads)
    asked = f"are there too few blocks for {n:,} results?"
    return replace(was, sentence=f"{FIRST_ALONE}. The launch has {has}: {asked}")
