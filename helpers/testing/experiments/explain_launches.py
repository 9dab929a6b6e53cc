"""Ask the emulator how many threads a launch had, of which some elements were not written."""

from __future__ import annotations

import itertools
import re
from dataclasses import replace

from helpers.emulator import LaunchSize
from helpers.specs import WARP_SIZE
from helpers.testing import races, reachable
from helpers.testing.cases import Case
from helpers.testing.experiment import NEXT_CASES, Experiment
from helpers.testing.mismatch import Diagnosis
from helpers.testing.patterns.wrong_places import (
    FIRST_ALONE,
    NARROW_INDEX,
    TOO_FEW_THREADS,
)
from helpers.testing.run_case import run_case

AHEAD = 5 * NEXT_CASES  # among which there is a larger one
LARGER = 3  # times the elements of a case
MOST = 1 << 17  # elements of one
MOST_EACH = 64  # elements that each thread may have
MOST_THREADS = 1024  # of a block
GAPS = re.compile(r"([\d,]+) of every ([\d,]+) elements were never written")
ENDS = re.compile(r"never written, the first at row ([\d,]+), column ([\d,]+)")
OTHERS = "others are wrong"
ALL_BEHIND = re.compile(rf"([\d,]+) of ([\d,]+) elements were {ENDS.pattern}")


def size_of_launch(experiment: Experiment) -> LaunchSize | None:
    """Run the case; return the size of its largest launch, None on a GPU, which tells none."""
    launcher = experiment.launcher
    if launcher.on_gpu:
        return None
    launcher.emulator.take_largest_launch()  # of those before
    run_case(launcher, experiment.case, experiment.how)
    return launcher.emulator.take_largest_launch()


def another_size_of_blocks(experiment: Experiment) -> Diagnosis | None:
    """Where nothing is written from some element on: are blocks as large as was asked?"""
    if not (seen := _seen(experiment)) or not (size := size_of_launch(experiment)):
        return None
    asked = _block_size(experiment)
    if (
        not asked
        or size.threads in (0, asked)
        or size.total >= experiment.case.expected[0].numel()
    ):
        return None
    return replace(
        experiment.failure.diagnosis,
        sentence=f"{seen}, and the launch has {size}, where block_size is {asked:,}: is the "
        "block size another one there, or are there too few blocks for it?",
    )


def declared_block_size(experiment: Experiment) -> int:
    """Return the block size that the launcher takes by default; 0 if it takes none."""
    declared = {p.name: p.default for p in experiment.launcher.declaration.arguments}
    return declared.get("block_size") or 0


def _block_size(experiment: Experiment) -> int:
    """Return the block size that the case asks for, or else the launcher's default, or 0."""
    return experiment.case.arguments.get("block_size") or declared_block_size(experiment)


def too_few_threads(experiment: Experiment) -> Diagnosis | None:
    """Where nothing is written from some element on: are there as many threads as it needs?"""
    if not (seen := _seen(experiment)) or not (size := size_of_launch(experiment)):
        return None
    was, n = experiment.failure.diagnosis, experiment.case.expected[0].numel()
    if not size.total:
        return None
    if typed := _typed_index(experiment, size):
        sentence = (
            f"{seen}, and the launch has {size}: with block_size = {typed:,} all is right"
        )
        asked = f"is {typed:,} in the place of blockDim.x in an index?"
        return replace(was, sentence=f"{sentence}, so {asked}")
    each, rest = divmod(was.written, size.total)
    ends = not rest and 1 <= each <= MOST_EACH
    if share := _of_a_side(size, was.written):
        why = f", where the launch ends ({size}, {share} elements for each block): "
        why += _rounded_down(n - was.written < share and not _lacks_more(experiment, share))
    elif NARROW_INDEX in was.sentence and not ends:
        return None
    elif size.total >= n and len(_sides(size)) < 2:  # of two sides, one may count the elements
        why = (
            f", and the launch has {size}, enough for {n:,} elements: does a thread compute "
            "another index than its own, or does a loop end too early?"
        )
    elif ends:
        share = f", of {each} elements each, end" if each > 1 else " end"
        share_of_block = size.threads * each
        tail = n - was.written < share_of_block and not _lacks_more(experiment, share_of_block)
        asked = _rounded_down(tail)
        why = f", where the threads of the launch ({size}){share}: {asked}"
    else:
        asked = "are these fewer than it needs, or does a loop end too early?"
        why = f", and the launch has {size}: {asked}"
    return replace(was, sentence=seen + why)


def _typed_index(experiment: Experiment, size: LaunchSize) -> int:
    """Return a block size so many threads apart as blocks begin, if it makes the case right.

    Where blocks begin nearer to each other than they are long, fewer elements are written, from
    1 to 16 of each thread. Else 0.
    """
    case, written = experiment.case, experiment.failure.diagnosis.written
    if size.blocks < 2 or _block_size(experiment) != size.threads:
        return 0
    for each in (1, 2, 4, 8, 16):
        apart, rest = divmod(written - each * size.threads, each * (size.blocks - 1))
        if rest or apart % WARP_SIZE or not 0 < apart < size.threads:
            continue
        if experiment.right(replace(case, arguments={**case.arguments, "block_size": apart})):
            return apart
    return 0


def _of_a_side(size: LaunchSize, written: int) -> int:
    """Return a side of blocks of two sides if as many elements for each block are written.

    Else 0.
    """
    sides = _sides(size)
    share, rest = divmod(written, size.blocks)
    return share if not rest and len(sides) > 1 and share in sides else 0


def _sides(size: LaunchSize) -> list[int]:
    return [side for side in size.block if side > 1]


def _lacks_more(experiment: Experiment, share: int) -> bool:
    """Test whether a larger case lacks more than the share of one block."""
    arguments, least = experiment.case.arguments, LARGER * experiment.case.size
    following = itertools.islice(experiment.following, AHEAD)
    some = (x for x in following if isinstance(x, Case) and x.arguments == arguments)
    larger = next((x for x in some if least < x.size <= MOST), None)
    if larger is None:
        return False
    failure = run_case(experiment.launcher, larger, experiment.how)
    told = failure.diagnosis if failure and not failure.fault else None
    return bool(told and told.unwritten and larger.size - told.written >= share)


def _rounded_down(tail: bool) -> str:
    """Ask why there are too few blocks; tail: one more would do."""
    if tail:
        return "is the number of blocks rounded down, so that the tail has none?"
    return "are there too few blocks, or must each thread go on in a grid-stride loop?"


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


def typed_step(experiment: Experiment) -> Diagnosis | None:
    """Where all threads write, and all again some steps further on: is the step too long?"""
    was = experiment.failure.diagnosis
    gaps = GAPS.match(was.sentence)
    if experiment.failure.fault or not gaps or not (size := size_of_launch(experiment)):
        return None
    left, step = map(_number, gaps.groups())
    if sentence := _typed_block(experiment, size, step - left, step):
        return replace(was, sentence=f"{gaps[0]}: {sentence}")
    typed, rest = divmod(step, max(size.blocks, 1))
    if not size.total or step - left != size.total or rest or typed == size.threads:
        return None
    return replace(
        was,
        sentence=f"{gaps[0]}: the launch has {size}, after which a loop goes on by {step:,}, "
        f"{typed:,} for each block. Is a number in the place of blockDim.x in its step?",
    )


def _typed_block(experiment: Experiment, size: LaunchSize, written: int, step: int) -> str:
    """Say that blocks begin so many elements apart as fit blocks of another size; else ""."""
    case = experiment.case
    if written != size.threads or _block_size(experiment) != written or step > MOST_THREADS:
        return ""
    fitting = replace(case, arguments={**case.arguments, "block_size": step})
    if not experiment.right(fitting):
        return ""
    return (
        f"the launch has {size}, which begin {step:,} elements apart, and with block_size = "
        f"{step:,} all is right. Is that number in the place of blockDim.x?"
    )


def blocks_of_the_launch(experiment: Experiment) -> Diagnosis | None:
    """Where elements of a matrix were not written, say how few blocks there were.

    Or that they would do with the sides of the grid turned round.
    """
    was, shape = experiment.failure.diagnosis, experiment.case.expected[0].shape
    if experiment.failure.fault or not was.unwritten or len(shape) != 2 or "?" in was.sentence:
        return None
    if not (size := size_of_launch(experiment)) or not size.total:
        return None
    of_two = re.search(r"\bblockIdx\s*\.\s*y\b", reachable.code(experiment.launcher))
    if of_two and (turned := _turned_grid(was.sentence, shape, size.grid)):
        return replace(was, sentence=f"{was.sentence}. {turned}")
    if asked := _short_of_a_row(was.sentence, shape, size):
        return replace(was, sentence=f"{was.sentence}. The launch has {size}: {asked}")
    enough = size.total >= shape.numel()
    if enough and size.blocks >= shape[0]:
        return None
    asked = ""
    if not enough or size.blocks == 1:
        asked = ". Must there be more, or a thread go on in a loop?"
        if _lacks_all_behind(was.sentence, shape):
            asked = ": are there too few blocks for all?"
            if OTHERS in was.sentence:
                asked = (
                    ". Is each row written in the place of the first, as without its number in "
                    "the index?"
                )
    return replace(was, sentence=f"{was.sentence}. The launch has {size}{asked}")


def _lacks_all_behind(sentence: str, shape: tuple[int, int]) -> bool:
    """Test whether nothing is written from the first element of a row on."""
    if not (ends := ALL_BEHIND.search(sentence)):
        return False
    lacking, total, row, column = map(_number, ends.groups())
    return column == 0 and lacking == total - row * shape[1]


def _short_of_a_row(sentence: str, shape: tuple[int, int], size: LaunchSize) -> str:
    """Ask for a loop over a row, if a block for each has written as much as it has threads."""
    ends = ENDS.search(sentence)
    row, column = map(_number, ends.groups()) if ends else (0, 0)
    if row or not column or column % size.threads or size.blocks % shape[0]:
        return ""
    return f"does each thread go on in a loop over its row of {shape[1]:,} columns?"


def _turned_grid(sentence: str, shape: tuple[int, int], grid: tuple[int, ...]) -> str:
    """Ask whether a grid's sides are turned round, if what was written ends with one.

    Its x may count rows or columns, as those that are read, or written, of a transpose.
    """
    if not (ends := ENDS.search(sentence)) or grid[0] == grid[1] or grid[2] > 1:
        return ""
    for side, end, all_of_it in zip(
        ("row", "column"), map(_number, ends.groups()), shape, strict=True
    ):
        for blocks, others in (grid[:2], grid[1::-1]):
            if end and end % blocks == 0 and others * (end // blocks) >= all_of_it:
                return (
                    f"The grid has {grid[0]:,} x {grid[1]:,} blocks, which end at {side} "
                    f"{end:,} of {all_of_it:,}, and turned round they would not: is each "
                    "number of blocks that for the other side, or blockIdx.x taken for "
                    "blockIdx.y?"
                )
    return ""


def nothing_launched(experiment: Experiment) -> Diagnosis | None:
    """Where nothing was written: was no kernel launched?"""
    was = experiment.failure.diagnosis
    nothing = was.unwritten and not was.written and was.wrong == experiment.case.size
    if experiment.failure.fault or not nothing:
        return None
    if not (size := size_of_launch(experiment)) or size.total:
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
    if not (size := size_of_launch(experiment)) or size.blocks != 1:
        return None
    code = reachable.code(experiment.launcher)
    if code and not re.search(r"\bblockIdx\b", code):
        return None  # more blocks would write nothing else
    asked = f"are there too few blocks for {n:,} results?"
    return replace(was, sentence=f"{FIRST_ALONE}. The launch has {size}: {asked}")


def _number(text: str) -> int:
    return int(text.replace(",", ""))
