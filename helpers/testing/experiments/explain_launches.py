"""Ask the emulator how many threads a launch had, of which some elements were not written."""

from __future__ import annotations

import itertools
import re
from dataclasses import replace

from helpers.emulator import LaunchSize
from helpers.model.launch_shape import MOST_THREADS
from helpers.specs import WARP_SIZE
from helpers.testing import races, reachable
from helpers.testing.cases import Case
from helpers.testing.experiment import NEXT_CASES, Experiment
from helpers.testing.mismatch import Diagnosis
from helpers.testing.patterns.wrong_places import (
    FIRST_ALONE,
    FOR_COLUMNS,
    NARROW_INDEX,
    TOO_FEW_THREADS,
)
from helpers.testing.probes.influence import launched
from helpers.testing.run_case import run_case

AHEAD = 5 * NEXT_CASES  # among which there is a larger one
FEW_UNLIKE = 8  # cases of other arguments that are run
PACKS = (2, 4, 8, 16)  # elements that a thread takes at once
LARGER = 3  # times the elements of a case
MOST = 1 << 17  # elements of one
MOST_EACH = 64  # elements that each thread may have
GAPS = re.compile(
    r"([\d,]+) of every ([\d,]+) elements were never written(?:, from index ([\d,]+) on)?"
)
WHERE = ", where "
GAP = re.compile(r"([\d,]+) of [\d,]+ elements were never written, the first at index ([\d,]+)")
ENDS = re.compile(r"never written, the first at row ([\d,]+), column ([\d,]+)")
OTHERS = "others are wrong"
SAME_FOR_EACH = (
    "has each block the same elements, as where the index lacks blockIdx.x * blockDim.x, or "
    "has another number in its place?"
)
TIMES = (1, 2, 4, 8)  # what a step may be too long by, as if so many blocks were one
ALL_BEHIND = re.compile(rf"([\d,]+) of ([\d,]+) elements were {ENDS.pattern}")


def size_of_launch(experiment: Experiment) -> LaunchSize | None:
    """Run the case; return the size of its largest launch, None on a GPU, which tells none."""
    return None if experiment.launcher.on_gpu else _launch_of(experiment, experiment.case)


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


def same_for_each_block(experiment: Experiment) -> Diagnosis | None:
    """Where nothing is written from some element on: has each block the same elements?

    Of a larger case, for which more such blocks are launched, no more is written then.
    """
    if not (seen := _seen(experiment)) or not (size := size_of_launch(experiment)):
        return None
    was, n = experiment.failure.diagnosis, experiment.case.expected[0].numel()
    each, rest = divmod(was.written, max(size.threads, 1))
    if size.blocks < 2 or rest or not 0 < each <= MOST_EACH or size.total * each < n:
        return None
    if not (larger := _larger(experiment)) or not (end := _end(experiment, larger)):
        return None
    more, written = end
    if (more.threads, written) != (size.threads, was.written) or more.blocks <= size.blocks:
        return None
    return replace(
        was,
        sentence=f"{seen}, where a block of {size.threads:,} threads has all of its share, and "
        f"the launch has {size}. Of n = {larger.expected[0].numel():,}, with {more.blocks:,} "
        f"blocks, no more is written: {SAME_FOR_EACH}",
    )


def too_few_threads(experiment: Experiment) -> Diagnosis | None:
    """Where nothing is written from some element on: are there as many threads as it needs?"""
    if not (seen := _seen(experiment)) or not (size := size_of_launch(experiment)):
        return None
    was, n = experiment.failure.diagnosis, experiment.case.expected[0].numel()
    if not size.total:
        return None
    if NARROW_INDEX in was.sentence and not _elements_each(size, was.written):
        return None
    if size.blocks > 1 and (larger := _in_gaps(experiment)):
        return larger
    why = _typed_index(experiment, size) or _threads_that_end(experiment, size)
    if not why and size.total >= n and len(_sides(size)) < 2:  # of two, one may count them
        why = (
            f", enough for {n:,} elements: does a thread compute another index than its own, "
            "or does a loop end too early?"
        )
    if not why and (each := _at_least_each(size, was.written)) and size.total * each >= n:
        why = (
            f", of {each} elements each, it seems, enough for {n:,}: does a thread compute "
            "another index than its own, or does a loop end too early?"
        )
    idle = was.written < size.total and len(_sides(size)) < 2
    if not why and idle and not races.cooperates(experiment.launcher):
        why = (
            ", more than elements that are written: does a thread compute another index than "
            "its own, or does a loop end too early?"
        )
    why = why or ": are these fewer than it needs, or does a loop end too early?"
    if why.startswith(WHERE):
        return replace(was, sentence=f"{seen}{why}")
    return replace(was, sentence=f"{seen}, and the launch has {size}{why}")


def _in_gaps(experiment: Experiment) -> Diagnosis | None:
    """Say of a larger case how far its blocks begin apart, where gaps lie between them."""
    if not (larger := _larger(experiment)):
        return None
    was, n = experiment.failure.diagnosis, larger.expected[0].numel()
    own = size_of_launch(experiment)
    experiment.launcher.emulator.take_largest_launch()  # of those before
    failure = run_case(experiment.launcher, larger, experiment.how)
    size = experiment.launcher.emulator.take_largest_launch()
    if not failure or failure.fault:
        return None
    if told := typed_step(replace(experiment, failure=failure)):
        return replace(was, sentence=f"of n = {n:,}, {told.sentence}")
    written = n - failure.diagnosis.wrong
    if failure.diagnosis.unwritten and size == own and 2 * written >= 3 * was.written:
        each, rest = divmod(was.written, size.threads)
        again = _begins_again(experiment, larger)
        if rest or size.blocks in TIMES or again != each * size.total:
            why = (
                f"{written:,} elements are written: is the step of a loop too long, so that "
                "what lies between is left out?"
            )
        else:
            why = (
                f"it goes on with element {again:,}, as far on as all threads reach in a step: "
                f"{SAME_FOR_EACH}"
            )
        return replace(
            was,
            sentence=f"{_seen(experiment)}, and of n = {n:,}, where the launch is the same "
            f"({size}), {why}",
        )
    return None


def _begins_again(experiment: Experiment, case: Case) -> int:
    """Return the first element of a case that is written behind some that are not; else 0."""
    zeros, threes = (launched(experiment.launcher, case, list(case.inputs), k) for k in (0, 3))
    if zeros is None or threes is None:
        return 0
    dtype = case.dtypes[0]
    before, after = (x[0].view(dtype).double().reshape(-1) for x in (zeros, threes))
    kept = (before == 0) & (after == 3)
    gap = int(kept.int().argmax())
    behind = (~kept[gap:]).nonzero().flatten()
    return gap + int(behind[0]) if bool(kept[gap]) and len(behind) else 0


def _threads_that_end(experiment: Experiment, size: LaunchSize) -> str:
    """Ask for more blocks, if a launch ends just where the elements do that are written."""
    written, n = experiment.failure.diagnosis.written, experiment.case.expected[0].numel()
    if of_side := _of_a_side(size, written):
        ends, share = f"the launch ends ({size}, {of_side} elements for each block)", of_side
    elif together := _threads_each(experiment, size):
        ends, share = (
            f"the launch ends ({size}, {together} threads for each result)",
            size.threads // together,
        )
    elif size.total < n and (each := _elements_each(size, written)):
        ends, share = _threads_end("launch", size, each), size.threads * each
    else:
        return ""
    return f"{WHERE}{ends}: {_asked(experiment, n - written, share)}"


def _elements_each(size: LaunchSize, written: int) -> int:
    """Return how many elements each thread has written, if all as many; else 0."""
    each, rest = divmod(written, size.total)
    return each if not rest and each <= MOST_EACH else 0


def _at_least_each(size: LaunchSize, written: int) -> int:
    """Return how many elements some thread has written, a power of two; 0 if it is 1."""
    each = 1 << (-(-written // size.total) - 1).bit_length()
    return each if 1 < each <= MOST_EACH and len(_sides(size)) < 2 else 0


def _threads_end(launch: str, size: LaunchSize, each: int) -> str:
    share = f", of {each} elements each, end" if each > 1 else " end"
    return f"the threads of the {launch} ({size}){share}"


def _typed_index(experiment: Experiment, size: LaunchSize) -> str:
    """Say that blocks begin nearer to each other than they are long, if that fits; else "".

    Then fewer elements are written, from 1 to 16 of each thread. Where a launcher takes a block
    size, one that is as long makes the case right; else a larger case tells the same.
    """
    case, written = experiment.case, experiment.failure.diagnosis.written
    for each in (1, 2, 4, 8, 16) if size.blocks > 1 else ():
        apart, rest = divmod(written - each * size.threads, each * (size.blocks - 1))
        if rest or apart % WARP_SIZE or not 0 < apart < size.threads:
            continue
        if _block_size(experiment) == size.threads:
            arguments = {**case.arguments, "block_size": apart}
            if experiment.right(replace(case, arguments=arguments)):
                return (
                    f": with block_size = {apart:,} all is right, so is {apart:,} in the place "
                    "of blockDim.x in an index?"
                )
        elif each > 1 and apart * each == size.threads:
            continue  # a block's share may lack in where it begins
        elif (larger := _larger(experiment)) and (end := _end(experiment, larger)):
            more, threads = end
            if more.blocks > size.blocks and threads == each * (
                apart * (more.blocks - 1) + more.threads
            ):
                return (
                    f", which begin {apart:,} threads apart, it seems: is that number in the "
                    "place of the block size in an index?"
                )
    return ""


def _larger(experiment: Experiment, least: int = 0, any_arguments: bool = False) -> Case | None:
    """Return a following case of some times the elements, with the same arguments."""
    arguments, least = experiment.case.arguments, max(LARGER * experiment.case.size, least)
    ahead = (4 if any_arguments else 1) * AHEAD  # of many sizes of blocks, say
    following = itertools.islice(experiment.following, ahead)
    some = (x for x in following if isinstance(x, Case))
    some = (x for x in some if any_arguments or x.arguments == arguments)
    return next((x for x in some if least < x.size <= MOST), None)


def _end(experiment: Experiment, case: Case) -> tuple[LaunchSize, int] | None:
    """Run another case; return its launch and the element from which on nothing is written."""
    experiment.launcher.emulator.take_largest_launch()  # of those before
    failure = run_case(experiment.launcher, case, experiment.how)
    size = experiment.launcher.emulator.take_largest_launch()
    if not failure or failure.fault or not failure.diagnosis.written:
        return None
    return size, failure.diagnosis.written


def _launch_of(experiment: Experiment, case: Case) -> LaunchSize:
    """Run another case; return its launch."""
    experiment.launcher.emulator.take_largest_launch()  # of those before
    run_case(experiment.launcher, case, experiment.how)
    return experiment.launcher.emulator.take_largest_launch()


def _threads_each(experiment: Experiment, size: LaunchSize) -> int:
    """Return how many threads make one result, if as many as the launch has are written.

    A power of two, of threads that hand something on to each other. Else 0.
    """
    written = experiment.failure.diagnosis.written
    each, rest = divmod(size.total, written) if written else (0, 0)
    if rest or each < 2 or each & (each - 1) or each >= size.threads:
        return 0
    return each if races.cooperates(experiment.launcher) else 0


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
    if (larger := _larger(experiment)) is None:
        return False
    failure = run_case(experiment.launcher, larger, experiment.how)
    told = failure.diagnosis if failure and not failure.fault else None
    return bool(told and told.unwritten and told.wrong >= share)


def too_few_threads_for_packs(experiment: Experiment) -> Diagnosis | None:
    """Where elements lack, and those behind them do not: is it where the launch of packs ends?

    Another one writes what is left of them.
    """
    was = experiment.failure.diagnosis
    gap = GAP.match(was.sentence)
    if experiment.failure.fault or not gap or not (size := size_of_launch(experiment)):
        return None
    lacking, first = map(_number, gap.groups())
    if not size.total or not (each := _elements_each(size, first)):
        return None
    asked = _asked(experiment, lacking, size.threads * each)
    seen = f"{gap[0].partition(', the')[0]}, from index {first:,} on"
    ends = _threads_end("largest launch", size, each)
    return replace(was, sentence=f"{seen}{WHERE}{ends}: {asked}")


def _asked(experiment: Experiment, lacking: int, share: int) -> str:
    """Ask why there are too few blocks: where one more would do, they may be rounded down."""
    if lacking < share and not _lacks_more(experiment, share):
        return "is the number of blocks rounded down, so that the tail has none?"
    return "are there too few blocks, or must each thread go on in a grid-stride loop?"


def _seen(experiment: Experiment) -> str:
    """Return "nothing is written from index 256 on", if that is all that is known; else "".

    Where a number of few bits ends, as many threads may end by chance. So may the columns of
    an input: a grid of more blocks than these is not made for them.
    """
    told = experiment.failure.diagnosis
    sentence, _, asked = told.sentence.partition(": ")
    if not experiment.failure.fault and asked.startswith(FOR_COLUMNS):
        size = size_of_launch(experiment)
        by_chance = size and size.blocks > told.written
        return f"nothing is written from index {told.written:,} on" if by_chance else ""
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
    left, step = map(_number, gaps.groups()[:2])
    seen = f"{gaps[1]} of every {gaps[2]} elements were never written"
    first = _number(gaps[3] or "0")
    if first == step - left and (sentence := _typed_block(experiment, size, step - left, step)):
        return replace(was, sentence=f"{seen}: {sentence}")
    typed, rest = divmod(step, max(size.blocks, 1))
    if not size.total or step - left != size.total or rest or typed == size.threads:
        return None
    goes_on = f"the launch has {size}, after which a loop goes on by {step:,}"
    asked = f", {typed:,} for each block. Is a number in the place of blockDim.x in its step?"
    if typed % size.threads == 0 and not _fits_blocks_of(experiment, size, typed):
        asked = (
            f", {typed // size.threads:,} times as far as they reach: is its step another one "
            "than all threads of the grid, gridDim.x * blockDim.x?"
        )
    return replace(was, sentence=f"{seen}: {goes_on}{asked}")


def _right_by_default(experiment: Experiment) -> bool:
    """Test whether the case, of a block size of its own, is right with the default one."""
    given = experiment.case.arguments
    if "block_size" not in given or not declared_block_size(experiment):
        return False
    usual = {k: v for k, v in given.items() if k != "block_size"}
    return experiment.right(replace(experiment.case, arguments=usual))


def _fits_blocks_of(experiment: Experiment, size: LaunchSize, typed: int) -> bool:
    """Test whether the case is right with blocks of so many threads, if it asks for a size."""
    case = experiment.case
    if typed > MOST_THREADS or _block_size(experiment) != size.threads:
        return False
    return experiment.right(replace(case, arguments={**case.arguments, "block_size": typed}))


def _typed_block(experiment: Experiment, size: LaunchSize, written: int, step: int) -> str:
    """Say that blocks begin so many elements apart as fit blocks of another size; else "".

    written: elements of a block, as many of each thread.
    """
    each, rest = divmod(written, max(size.threads, 1))
    typed, more = divmod(step, max(each, 1))
    if rest or not 0 < each <= MOST_EACH or size.blocks < 2 or size.total <= written:
        return ""
    apart = f"the launch has {size}, which begin {step:,} elements apart"
    if not more and _fits_blocks_of(experiment, size, typed):
        return (
            f"{apart}, and with block_size = {typed:,} all is right. Is that number in the "
            "place of blockDim.x?"
        )
    if experiment.case.expected[0].numel() < 2 * step or _right_by_default(experiment):
        return ""
    if step == each * size.total and size.blocks not in TIMES:
        return (
            f"the launch has {size}, which write {written:,}, and go on {step:,} further, as "
            f"far as all threads reach in a step: {SAME_FOR_EACH}"
        )
    return (
        f"{apart}, and write {written:,} each: is the number by which blockIdx.x is multiplied "
        "another one than that of a block's elements?"
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
    if of_two and (turned := _turned_grid(experiment, shape, size)):
        return replace(was, sentence=f"{was.sentence}. {turned}")
    if asked := _short_of_a_row(was.sentence, shape, size):
        return replace(was, sentence=f"{was.sentence}. The launch has {size}: {asked}")
    enough = size.total >= shape.numel()
    if enough and (size.blocks >= shape[0] or _lacks_the_first(was.sentence)):
        return None
    asked = ""
    if not enough or size.blocks == 1:
        asked = ". Must there be more, or a thread go on in a loop?"
        if row := _lacks_all_behind(was.sentence, shape):
            sides = _sides(size)
            if len(sides) > 1 and not any(row // size.blocks % side == 0 for side in sides):
                return replace(was, sentence=f"{was.sentence}. The launch has {size}")
            asked = _kept_in_16_bits(size, row, shape[0])
            asked = asked or ": are there too few blocks for all?"
            if row % size.blocks and size.total >= shape[0] and len(sides) < 2:
                asked = (
                    ", which have not as many rows each: does a thread compute another index "
                    "than its own, or does a loop end too early?"
                )
            if row < size.blocks and row * size.blocks >= shape[0] and not size.grid[1] > 1:
                asked = (
                    f", more than the {row:,} row{'s' * (row > 1)} written: has each block the "
                    "same rows, as where the index lacks blockIdx.x, or has another number in "
                    "its place?"
                )
            alone = not races.cooperates(experiment.launcher) and len(_sides(size)) < 2
            if alone and size.blocks == 1 and row * shape[1] < size.total:
                asked = (
                    ", more than the elements that are written: does a thread compute another "
                    "index than its own?"
                )
            if OTHERS in was.sentence:
                asked = (
                    ". Is each row written in the place of the first, as without its number in "
                    "the index?"
                )
    return replace(was, sentence=f"{was.sentence}. The launch has {size}{asked}")


def _kept_in_16_bits(size: LaunchSize, row: int, rows: int) -> str:
    """Say that blocks, of as many rows each, are 2^16 fewer than it needs, or some of these."""
    each, rest = divmod(row, size.blocks)
    lacking = -(-rows // max(each, 1)) - size.blocks
    if rest or not each or lacking <= 0 or lacking % (1 << 16):
        return ""
    return (
        f", {lacking:,} fewer than it needs: is the number of blocks kept in 16 bits, too "
        "narrow for it?"
    )


def _lacks_all_behind(sentence: str, shape: tuple[int, int]) -> int:
    """Return the row from whose first element on nothing is written; 0 if there is none."""
    if not (ends := ALL_BEHIND.search(sentence)):
        return 0
    lacking, total, row, column = map(_number, ends.groups())
    return row if column == 0 and lacking == total - row * shape[1] else 0


def _lacks_the_first(sentence: str) -> bool:
    """Test whether the first element is not written, which is no matter of too few blocks."""
    gap, ends = GAP.search(sentence), ENDS.search(sentence)
    places = (gap[2],) if gap else ends.groups() if ends else ("1",)
    return all(place == "0" for place in places)


def _short_of_a_row(sentence: str, shape: tuple[int, int], size: LaunchSize) -> str:
    """Ask for a loop over a row, if a block for each has written as much as it has threads."""
    ends = ENDS.search(sentence)
    row, column = map(_number, ends.groups()) if ends else (0, 0)
    if row or not column or column % size.threads or size.blocks % shape[0]:
        return ""
    return f"does each thread go on in a loop over its row of {shape[1]:,} columns?"


def _turned_grid(experiment: Experiment, shape: tuple[int, int], size: LaunchSize) -> str:
    """Ask whether a grid's sides are turned round, if what was written ends with one.

    Its x may count rows or columns, as those that are read, or written, of a transpose. If the
    case does not come out right with a grid that is turned, one index alone may be.
    """
    sentence, grid = experiment.failure.diagnosis.sentence, size.grid
    if not (ends := ENDS.search(sentence)) or grid[0] == grid[1] or grid[2] > 1:
        return ""
    row, column = map(_number, ends.groups())
    if row and column:
        return ""  # where no side of the grid ends
    if counted := ALL_BEHIND.search(sentence):
        lacking = shape[0] * (shape[1] - column) if column else (shape[0] - row) * shape[1]
        if _number(counted[1]) != lacking:
            return ""  # something is written behind it
    sides = set(_sides(size))
    of_blocks = any(
        end in {n * one for n in grid[:2] for one in sides} for end in (row, column)
    )
    for side, end, all_of_it in zip(("row", "column"), (row, column), shape, strict=True):
        for blocks, others in (grid[:2], grid[1::-1]):
            if of_blocks and end // blocks not in sides:
                continue  # where just so many blocks end
            if end and end % blocks == 0 and others * (end // blocks) >= all_of_it:
                with experiment.launcher.emulator.grid_turned():
                    is_right = experiment.right(experiment.case)
                in_x, in_y = size.block[:2]
                usual = end == (grid[1] * in_y if side == "row" else grid[0] * in_x)
                if not is_right and usual and size.block[1] > 1:
                    continue  # where the threads of that direction end
                if not is_right:
                    return (
                        f"The blocks of the launch, {grid[0]:,} x {grid[1]:,}, would do for "
                        "all of it: is blockIdx.x taken for blockIdx.y in an index of what is "
                        "written, so that rows and columns change places, or do blocks begin "
                        "further apart than they are long?"
                    )
                return (
                    f"The grid has {grid[0]:,} x {grid[1]:,} blocks, which end at {side} "
                    f"{end:,} of {all_of_it:,}, and with {grid[1]:,} x {grid[0]:,} all is "
                    "right: is each number of blocks that for the other side, or blockIdx.x "
                    "taken for blockIdx.y?"
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
    round_ = replace(experiment.case, offset=0)
    if experiment.right(round_, apart=False, front=True):
        return replace(
            was,
            sentence="nothing was written, and no kernel was launched, where a tensor lies "
            "at no round address, as a slice does; at such addresses all is right. Does the "
            "launcher count on packs that are not made then, and leave the rest to no kernel?",
        )
    larger = _larger(experiment, MOST_THREADS, any_arguments=True)
    if larger and not _launch_of(experiment, larger).total:
        return replace(
            was,
            sentence="nothing was written, and no kernel was launched, nor is one for n = "
            f"{larger.expected[0].numel():,}: does the launcher return before its launch, or "
            "is the number of blocks 0?",
        )
    if unlike := _unlike_one_launched(experiment):
        return replace(
            was,
            sentence=f"nothing was written, and no kernel is launched for {unlike}, though one "
            "is for as many elements with other arguments: does the launcher return before its "
            "launch, as if it had nothing to do?",
        )
    if fewest := _fewest_launched(experiment):
        return replace(
            was,
            sentence=f"nothing was written, and no kernel is launched for fewer than {fewest} "
            "elements: is the number of packs 0 then, so that the launcher returns before the "
            "tail? These elements need a thread, too",
        )
    return replace(
        was,
        sentence="nothing was written, and no kernel was launched: is the number of blocks 0 "
        "for so few elements, as one that is rounded down, or does the launcher return before?",
    )


def _unlike_one_launched(experiment: Experiment) -> str:
    """Name the arguments, but block_size, that differ where as few elements are launched.

    The fewest of them, as one may decide.
    """
    case = experiment.case
    following = itertools.islice(experiment.following, NEXT_CASES)
    others = [x for x in (*experiment.passed, *following) if isinstance(x, Case)]
    alike = [x for x in others if 0 < x.size <= case.size and x.arguments != case.arguments]
    found = []
    for one in alike[-FEW_UNLIKE:]:
        unlike = [
            f"{name} = {value}"
            for name, value in case.arguments.items()
            if name != "block_size" and one.arguments.get(name) != value
        ]
        if unlike and _launch_of(experiment, one).total:
            found.append(unlike)
    return ", ".join(min(found, key=len, default=[]))


def _fewest_launched(experiment: Experiment) -> int:
    """Return the least number of elements for which a kernel is launched, if a pack has it."""
    following = itertools.islice(experiment.following, NEXT_CASES)
    cases = [x for x in following if isinstance(x, Case) and x.size <= max(PACKS)]
    cases = [x for x in cases if x.arguments == experiment.case.arguments]
    sizes = {x.size: x for x in cases if x.size >= experiment.case.size}
    launched = (n for n, x in sorted(sizes.items()) if _launch_of(experiment, x).total)
    fewest = next(launched, 0)
    return fewest if fewest in PACKS and fewest - 1 in {*sizes, experiment.case.size} else 0


def sum_of_no_launch(experiment: Experiment) -> Diagnosis | None:
    """Where 0 comes out of a few elements: was no kernel launched for so few?"""
    told, case = experiment.failure.diagnosis, experiment.case
    if experiment.failure.fault or told.unwritten or not told.zeros or case.size > 1:
        return None
    if not (size := size_of_launch(experiment)) or size.total:
        return None
    larger = (
        x
        for x in itertools.islice(experiment.following, NEXT_CASES)
        if isinstance(x, Case) and x.size == 1 and races.is_small(x)
    )
    launches = next((x for x in larger if _launch_of(experiment, x).total), None)
    fewest = f", but for {launches.label}" if launches else ""
    return replace(
        told,
        sentence=f"no kernel was launched for {case.label}{fewest}, so that 0 comes out as it "
        "was set: is the number of blocks rounded down, so that the last elements, and all of "
        "few, are left out?",
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
