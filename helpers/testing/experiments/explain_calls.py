"""Find out whether the calls before matter, or how a call is made."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator
from dataclasses import replace

import torch

from helpers.emulator import GARBAGE, LaunchSize
from helpers.emulator.memory import CANARY
from helpers.errors import FaultKind
from helpers.model.launch_shape import MOST_THREADS
from helpers.run.launcher import Launcher
from helpers.specs import WARP_SIZE
from helpers.testing import races, reachable
from helpers.testing.buffers import LARGEST, SMALLEST, ZEROS, end_of
from helpers.testing.cases import Case
from helpers.testing.experiment import NEXT_CASES, Experiment, fresh, of_other_sizes
from helpers.testing.experiments import explain_launches
from helpers.testing.experiments.explain_launches import declared_block_size
from helpers.testing.mismatch import Diagnosis
from helpers.testing.patterns import wrong_indices, wrong_rows
from helpers.testing.patterns.wrong_places import LIMITS, OF_TAIL
from helpers.testing.probes import beside
from helpers.testing.probes.influence import launched
from helpers.testing.run_case import OTHER_GARBAGE, ROUNDS, is_right, offsets, run_case

LARGER = 4  # times the elements
FEW_LARGER = 3  # cases
OF_GRID = re.compile(r"\b(\w+)\s*=[^;=]*\bgridDim\s*\.\s*x\b[^;]*;")
BLOCK_SIZES = (32, 64, 96, 128, 192, 256, 512, 1024)
LARGER_CASES = 4  # that are run with the default block size
MANY_BLOCKS = 4  # of which one alone has elements
OF_THE_DEFAULT = 4  # with as many blocks, which should be right with it
LEAST_BLOCKS = 4  # the largest ones, in a case that tells one block size from the others
LEAST_HALVED = 3  # threads
MOST = 1 << 17  # elements of another case that is tried
MANY_CASES = 5 * NEXT_CASES  # among which there is a larger one
FOLLOWING = 4 * MANY_CASES  # likewise, of many block sizes and kinds of numbers each
SEVERAL_BLOCKS = 1024  # elements of one that tells an argument's block sizes apart
FAR_CASES = 4 * NEXT_CASES
OF_BLOCKS = re.compile(r"thread|block|tpb", re.IGNORECASE)  # an argument that may be a size
TAKES_MEMORY = re.compile(r"\bcudaMalloc\w*\s*\(")
NUMBER = re.compile(r"(?<![\w.])\d+(?![\w.])")  # a whole one
ROUND = 16  # bytes of the largest pack
ATOMIC = re.compile(r"\batomic[A-Z]\w*\s*\(")
ROUND_ONLY = "right only where the tensors start at a round address, and not in a slice"
SEVERAL_SHARES = 16  # times the threads of a block: of several elements each, some blocks
LEFT_OF_EACH = (
    "are as many elements counted for a thread as a loop in it takes, or are some of them left "
    "out?"
)
BY_DEFAULT = "right with the default block size"
STAYS = "does something stay from call to call (a static or __device__ variable)?"


def stream(experiment: Experiment) -> Diagnosis | None:
    """Run the case on the default stream."""
    if not experiment.launcher.on_gpu or not experiment.how.stream:
        return None
    if not experiment.right(experiment.case, stream=False):
        return None
    return Diagnosis(
        "wrong only on another stream than the default one: pass `stream` to the launch"
    )


def streams_beside(experiment: Experiment) -> Diagnosis | None:
    """Run the case with the work of all streams in the order in which it is asked for.

    Or all on one stream, as there a launch on another one than the caller's is a fault itself.
    """
    launcher, fault = experiment.launcher, experiment.failure.fault
    if fault is FaultKind.HOST:  # which says itself what is not waited for
        return None
    if launcher.on_gpu or not (words := launcher.emulator.take_overtaking()):
        return None
    with launcher.emulator.streams_as_asked():
        if not any(experiment.right(experiment.case, **how) for how in ({}, {"stream": False})):
            return None
    return Diagnosis(
        f"{words}: record an event behind the one (cudaEventRecord), and let the stream of the "
        "other wait for it (cudaStreamWaitEvent), or use one stream"
    )


def earlier_calls(experiment: Experiment) -> Diagnosis | None:
    """Run the case as the first call."""
    earlier = experiment.called or experiment.passed or experiment.how != ROUNDS[0]
    if (
        experiment.launcher.on_gpu
        or not earlier
        or not experiment.right_when_fresh(experiment.case)
    ):
        return None
    if experiment.how.stream and experiment.right(experiment.case, stream=False):
        return None  # a first call on the default stream tells nothing of others
    # A race may come out right once, too.
    return experiment.traced() or Diagnosis(
        f"right at the first call, wrong at a later one: {STAYS}"
    )


def other_inputs_before(experiment: Experiment) -> Diagnosis | None:
    """Run the case as the first call, with no call on other inputs before."""
    if experiment.launcher.on_gpu or not experiment.case.before:
        return None
    if not experiment.right_when_fresh(replace(experiment.case, before=())):
        return None
    return Diagnosis(f"right at the first call, wrong at a later one on other inputs: {STAYS}")


def repeated(experiment: Experiment) -> Diagnosis | None:
    """Make the same call twice: a result of the call before comes out right then."""
    if experiment.launcher.on_gpu or experiment.failure.fault or not experiment.case.inputs:
        return None
    twice = replace(experiment.case, before=experiment.case.inputs)
    first = experiment.failure.untouched  # what calls before have counted may matter, too
    if not experiment.right(twice) and not (first and experiment.right_when_fresh(twice)):
        return None
    if experiment.failure.untouched:
        return Diagnosis(
            "nothing was written at first, and the result is right when the same call is "
            f"repeated: {STAYS} What is counted there must be complete in one call"
        )
    return experiment.traced() or Diagnosis(
        "wrong at first, right when the same call is repeated: the result is one of an "
        "earlier call. Is a kernel launched before the one whose result it reads, or "
        f"{STAYS}"
    )


def zeroed_output(experiment: Experiment) -> Diagnosis | None:
    """Run the case with zeros in the output; if zeros are right in it, another one.

    That zeros come out then says nothing of what the kernel does.
    """
    if all(bool((x == 0).all()) for x in experiment.case.expected):
        behind = itertools.chain(experiment.tried, experiment.following)
        some = (x for x in itertools.islice(behind, NEXT_CASES) if isinstance(x, Case))
        small = (x for x in some if races.is_small(x) and not experiment.right(x))
        other = next((x for x in small if bool((x.expected[0] != 0).any())), None)
        if other is None or not experiment.failure.untouched:
            return None
        return zeroed_output(
            replace(experiment, failure=replace(experiment.failure, case=other))
        )
    if not experiment.right(experiment.case, poison=ZEROS):
        return None
    if experiment.failure.untouched and not experiment.right_when_fresh(
        experiment.case, poison=ZEROS
    ):
        return None  # it is the calls before that matter
    if (sentence := _kept(experiment)) is not None:
        return Diagnosis(sentence) if sentence else None
    return Diagnosis(
        "right only where the output was zero before: does the kernel add to what it finds "
        "(+=, atomicAdd)? Then it must set it first"
    )


def halves_left(experiment: Experiment) -> Diagnosis | None:
    """Look whether the upper half of each integer of 64 bits is what the output held before."""
    case, failure = experiment.case, experiment.failure
    if experiment.launcher.on_gpu or failure.fault or failure.refused:
        return None
    fills = [k << 32 for k in (0, 1, 5)]
    if case.dtypes[0] is not torch.int64 or case.before or not case.inputs:
        return None
    if ATOMIC.search(reachable.code(experiment.launcher)):  # what is added to may be half set
        return None
    made = [launched(experiment.launcher, case, list(case.inputs), k) for k in fills]
    if None in made:
        return None
    zero, *others = (x[0].view(torch.int64).flatten() for x in made)
    kept = [other - zero == k for other, k in zip(others, fills[1:], strict=True)]
    lower = zero & 0xFFFFFFFF
    if not bool((kept[0] & kept[1]).all()) or not bool((lower != 0).any()):
        return None
    return Diagnosis(
        "the upper 32 bits of each number were never written: they are what the output held "
        "before. Is it stored as an int, through a pointer that was cast? The array has int64_t"
    )


def outermost_output(experiment: Experiment) -> Diagnosis | None:
    """Run the case with the largest and with the smallest numbers in the output."""
    dtypes = experiment.case.dtypes
    if experiment.launcher.on_gpu or not experiment.case.inputs:
        return None
    right = [
        fill
        for fill in (LARGEST, SMALLEST)
        if not any(  # an end that is right may be what nobody has written
            map(
                torch.isin, (end_of(x, fill).double() for x in dtypes), experiment.case.expected
            )
        )
        and experiment.right_when_fresh(experiment.case, poison=fill)
    ]
    if len(right) != 1:
        return None
    found, kept = ("largest", "smaller") if right == [LARGEST] else ("smallest", "larger")
    return Diagnosis(
        f"right only where the output held the {found} number before: does the kernel keep the "
        f"{kept} one of what it finds and what it has (atomicMin, atomicMax)? Then it must set "
        "it first"
    )


def earlier_output(experiment: Experiment) -> Diagnosis | None:
    """Launch the case with other numbers in the outputs: do others come out by that?

    Elements that keep what they held are not written, which is another fault.
    """
    told, case = experiment.failure.diagnosis, experiment.case
    strange = told.unordered or told.made_nan or told.garbage or told.unwritten
    known = told.specific and not strange
    if (
        experiment.launcher.on_gpu
        or experiment.failure.fault
        or known
        or case.before
        or not case.inputs
    ):
        return None
    fills = (0, 3, 0)
    made = [launched(experiment.launcher, case, case.inputs, fill) for fill in fills]
    if None in made or not all(map(torch.equal, made[0], made[2])):
        return None
    changed, left = 0, 0
    for zeros, threes, dtype in zip(*made[:2], case.dtypes, strict=True):
        before, after = (y.view(dtype).double() for y in (zeros, threes))
        kept = (before == 0) & (after == 3)
        changed += int(((zeros != threes) & ~kept).sum())
        left += int(kept.sum())
    if not changed or (told.unwritten and left):
        return None  # what is made of NaN has its bits, and only looks as if nobody wrote it
    n = sum(x.numel() for x in case.expected)
    outputs = [p.name for p in experiment.launcher.declaration.tensors if p.role == "output"]
    of = f"the output {outputs[0]}" if len(outputs) == 1 else "an output"
    if len(outputs) == 1 and (last := _last_of_each(*made[:2], case)):
        return Diagnosis(
            f"{last} changes with what was in {of} before the call: it is read there, and no "
            "step has written it. Is the tail left out, as by a loop that ends one too early?"
        )
    return Diagnosis(
        f"{changed:,} of {n:,} results change with what was in {of} before the call: is it "
        "read when nothing was written there yet (is the kernel that makes it launched later?) "
        "or added to? Set it first"
    )


def _last_of_each(one: list[torch.Tensor], other: list[torch.Tensor], case: Case) -> str:
    """Say that just the last element of each row, or of an array, differs; else return ""."""
    shape = case.expected[0].shape
    if len(shape) not in (1, 2) or shape[-1] < 2 or one[0].numel() != shape.numel():
        return ""
    differs = (one[0] != other[0]).reshape(shape)
    last = torch.zeros_like(differs)
    last[..., -1] = True
    if not torch.equal(differs, last):
        return ""
    return "just the last element" + " of each row" * (len(shape) == 2)


def fresh_memory(experiment: Experiment) -> Diagnosis | None:
    """Launch the case with other numbers in what cudaMalloc gives: do others come out by that?

    Or with others past its end. The library is loaded anew each time, as a launcher may keep
    the memory.
    """
    case = experiment.case
    if experiment.launcher.on_gpu or experiment.failure.fault or case.before:
        return None
    if not TAKES_MEMORY.search(reachable.code(experiment.launcher)):
        return None
    if _depends(experiment, [{"byte": byte} for byte in (GARBAGE, 0, OTHER_GARBAGE)]):
        said = (
            "the result changes with what memory of the launcher's own (cudaMalloc) holds "
            "before anything is written to it: is some of it read where nothing was written, "
            "as where more parts are read than blocks write?"
        )
        if experiment.right_when_fresh(case, garbage=0):
            said += " If it is added to or compared with, set it first (cudaMemsetAsync)"
        return Diagnosis(said)
    if _depends(experiment, [{"behind": byte} for byte in (CANARY, 0, OTHER_GARBAGE)]):
        return Diagnosis(
            "the result changes with what lies past the end of the launcher's own memory "
            "(cudaMalloc): are more elements of it read than there are?"
        )
    return None


def _depends(experiment: Experiment, ways: list[dict[str, int]]) -> bool:
    """Test whether other numbers come out of the case by what cudaMalloc's memory holds."""
    made = []
    for way in (*ways, ways[0]):
        launcher = fresh(experiment.launcher)
        with launcher.emulator.garbage(**way):
            made.append(launched(launcher, experiment.case, list(experiment.case.inputs)))
    if None in made or not all(map(torch.equal, made[0], made[-1])):
        return False
    return any(not all(map(torch.equal, made[0], other)) for other in made[1:])


def _kept(experiment: Experiment) -> str | None:
    """Tell elements that are not written, and should be 0, from those that are added to.

    None if there are others; "" if they are few of the zeros, as of a tail.
    """
    case, count, right = experiment.case, 0, 0
    zeros, threes = (launched(experiment.launcher, case, case.inputs, k) for k in (0, 3))
    if zeros is None or threes is None:
        return None
    for before, after, dtype, expected in zip(
        zeros, threes, case.dtypes, case.expected, strict=True
    ):
        kept = (before.view(dtype).double() == 0) & (after.view(dtype).double() == 3)
        if not bool((kept | (before == after)).all()):
            return None
        count += int(kept.sum())
        right += int((expected == 0).sum())
    n = sum(x.numel() for x in case.expected)
    if not count:
        return None
    if 2 * count < right:
        return ""
    return (
        f"{count:,} of {n:,} elements were never written, and keep what the output held: all "
        "of them should be 0. Store that, too"
    )


def _few_bits(blocks: int) -> str:
    few = blocks in (1 << 15, 1 << 16)
    return "is a block's number held in 16 bits, too narrow for it, or " * few


def _right_powers(experiment: Experiment, size: int) -> tuple[int, int] | None:
    """Return the powers of two beside a block size of whole warps, if both of them work."""
    below = 1 << (size.bit_length() - 1)
    if size == below or 2 * below > MOST_THREADS:
        return None
    arguments = experiment.case.arguments
    cases = [
        replace(experiment.case, arguments={**arguments, "block_size": one})
        for one in (below, 2 * below)
    ]
    return (below, 2 * below) if all(map(experiment.right, cases)) else None


def right_by_default(experiment: Experiment) -> bool:
    """Run a case of a block size of its own with the one that the launcher chooses."""
    given = experiment.case.arguments
    default = {k: v for k, v in given.items() if k != "block_size"}
    return given != default and experiment.right(replace(experiment.case, arguments=default))


def default_block_size(experiment: Experiment) -> Diagnosis | None:
    """Run the case with the block size that the launcher chooses."""
    if "block_size" not in experiment.case.arguments:
        return None
    if experiment.failure.refused and experiment.failure.side.startswith("block"):
        return None  # which says how many threads there are, and may be
    if not right_by_default(experiment):
        return None
    was, size = experiment.failure.diagnosis, experiment.case.arguments["block_size"]
    if experiment.failure.fault and "[-" in was.sentence:
        return None  # no number in the place of another size leads below 0
    if was.loses_digits and size < declared_block_size(experiment):
        return None  # each of fewer threads adds up more, and loses more digits of it
    if was.written == size and (gaps := _gaps(experiment, size)):
        return Diagnosis(
            f"{BY_DEFAULT}, wrong with block_size = {size}: {gaps}. Is a number of threads "
            "written in the place of blockDim.x?"
        )
    if (
        was.written
        and was.written % size == 0
        and experiment.case.size - was.written > size
        and not _runs_more_blocks(experiment, was.written // size)
        and _has_blocks(experiment, was.written // size, size)
    ):
        grid = LaunchSize((was.written // size, 1, 1), (size, 1, 1))
        ends = f"nothing is written from index {was.written:,} on, where the grid's {grid} "
        ends += "end: " if grid.blocks > 1 else "ends: "
        if _strides(experiment.launcher):
            return Diagnosis(
                f"{ends}does the loop of a thread go on by the threads of the grid, gridDim.x "
                "* blockDim.x, or by more, as where a number is in the place of blockDim.x?"
            )
        return Diagnosis(
            f"{ends}{_few_bits(was.written // size)}is the number of blocks capped? Then each "
            "thread must go on in a grid-stride loop"
        )
    if was.sentence.startswith(f"all is right below index {size:,}, and wrong"):
        return Diagnosis(
            f"{BY_DEFAULT}, wrong with block_size = {size}: all is right "
            f"below index {size:,}, the number of threads, and wrong from there on. Does each "
            "thread do something once (clear, load or add), where it must go on in steps of "
            "blockDim.x?"
        )
    if size % WARP_SIZE == 0 and (powers := _right_powers(experiment, size)):
        return Diagnosis(
            f"right with the block sizes {powers[0]} and {powers[1]}, wrong with {size}, which "
            "is no power of two: does a loop halve the threads, or double their distance? Then "
            f"test whether the partner is a thread of the block ({was.sentence})"
        )
    if was.unwritten and (seen := _too_few_threads(experiment, size)):
        return Diagnosis(seen)
    if wrong_indices.STORED_BY_BLOCK in was.sentence:
        return None  # which says more; a single block is right
    if wrong_rows.OF_EQUAL in was.sentence and _right_if_unequal(experiment):
        return None  # the number of threads only decides which of equal ones meet
    seen = was.sentence
    if was.unwritten:
        seen = f"{was.wrong:,} element{' was' if was.wrong == 1 else 's were'} never written"
    blocks = 0 if _strides(experiment.launcher) else _blocks_that_are_right(experiment, size)
    if blocks and not _has_blocks(experiment, blocks, size, known=True):
        sentence = (
            f"right with {blocks:,} blocks of {size} threads, and with fewer, larger ones "
            "where these are wrong: is the number of blocks, or that of a block, another one "
            f"from some number on? ({seen})"
        )
        return replace(was, sentence=sentence)
    others = of_other_sizes(_with_as_many_blocks(experiment, size))
    more = itertools.islice(others, OF_THE_DEFAULT)
    if any(not experiment.right(case) for case in more):
        return None  # one block of the default has enough threads for this case
    sentence = (
        f"{BY_DEFAULT}, wrong with block_size = "
        f"{size}: is a number in the place of blockDim.x? ({seen})"
    )
    return replace(was, sentence=sentence)


def _too_few_threads(experiment: Experiment, size: int) -> str:
    """Run larger cases with the block size of the default: do whole blocks lack there, too?

    Of few elements one block of the default has enough threads.
    """
    written, by_default = experiment.failure.diagnosis.written, declared_block_size(experiment)
    if not by_default or not written or written % size:
        return ""
    same = [x for x in _of_the_default(experiment) if x.size > by_default]
    of_many = next((x for x in same if x.size >= MANY_BLOCKS * by_default), None)
    if written == size and of_many:
        found = run_case(experiment.launcher, of_many, experiment.how)
        if found and found.diagnosis.written == by_default:
            return (
                f"nothing is written but the first {written:,} elements, and with {by_default} "
                f"threads a block the first {by_default:,} ({of_many.label}), those of one "
                "block: does the index lack blockIdx.x * blockDim.x, or is one block launched?"
            )
    # With as many blocks as here first: one block may have enough threads for several elements.
    same.sort(key=lambda x: x.size * size < experiment.case.size * by_default)
    for case in itertools.islice(same, LARGER_CASES):
        found = run_case(experiment.launcher, case, experiment.how)
        if found and found.diagnosis.written and found.diagnosis.written % by_default == 0:
            if gaps := _gaps(experiment, size, SEVERAL_SHARES):
                return f"{gaps}: {LEFT_OF_EACH}"
            return (
                f"nothing is written from index {written:,} on, and with {by_default} "
                f"threads a block from {found.diagnosis.written:,} on ({case.label}): are "
                "there too few blocks, or has a thread another share than they are made for?"
            )
    return ""


def _of_the_default(experiment: Experiment) -> Iterator[Case]:
    """Yield the next cases with the block size that the launcher chooses."""
    by_default = declared_block_size(experiment)
    arguments = {**experiment.case.arguments, "block_size": by_default}
    for case in itertools.islice(experiment.following, FOLLOWING):
        if by_default and isinstance(case, Case) and case.size <= MOST:
            plain = replace(case, arguments={**case.arguments, "block_size": by_default})
            if plain.arguments == arguments:
                yield plain


def _with_as_many_blocks(experiment: Experiment, size: int) -> Iterator[Case]:
    """Yield such cases in which as many blocks have elements as in the one that went wrong."""
    least = experiment.case.size * declared_block_size(experiment)
    return (x for x in _of_the_default(experiment) if x.size * size >= least)


def _blocks_that_are_right(experiment: Experiment, size: int) -> int:
    """Return how many blocks of a size an operator had in a case that went right; 0 of few.

    A thread may have several elements: on the emulator the threads of its launch are known.
    """
    if experiment.case.function is None and any(
        x.shape != experiment.case.expected[0].shape for x in experiment.case.inputs
    ):
        return 0  # what a block has is not known
    same = [x for x in experiment.passed if x.arguments.get("block_size") == size]
    largest = max(same, key=_elements, default=None)
    if largest is None:
        return 0
    threads = _elements(largest)
    if not experiment.launcher.on_gpu:
        experiment.launcher.emulator.take_largest_launch()  # of those before
        is_right = experiment.right(largest)
        total = experiment.launcher.emulator.take_largest_launch().total
        threads = total if is_right else 0
    return -(-threads // size) if threads > 2 * size else 0


def _right_if_unequal(experiment: Experiment) -> bool:
    """Test whether an array is searched rightly with these threads, where one number wins.

    In arrays of which no other element is equal to the one whose place is right.
    """
    case = experiment.case
    known = (*experiment.passed, *itertools.islice(experiment.following, NEXT_CASES))
    same = [x for x in known if isinstance(x, Case) and x.arguments == case.arguments]
    alone = [x for x in same if _elements(x) <= MOST and _wins_alone(x)]
    if max(map(_elements, alone), default=0) <= case.arguments["block_size"]:
        return False
    return all(map(experiment.right, alone))


def _wins_alone(case: Case) -> bool:
    """Test whether the place that is right holds a number that is nowhere else in the array."""
    if len(case.inputs) != 1 or case.size != 1 or case.inputs[0].dim() != 1:
        return False
    x, place = case.inputs[0], float(case.expected[0])
    inside = len(x) > 1 and 0 <= place < len(x) and place.is_integer()
    return inside and int((x == x[int(place)]).sum()) == 1


def _strides(launcher: Launcher) -> bool:
    """Test whether a loop goes on by what is made of the number of blocks."""
    code = reachable.code(launcher)
    names = "|".join(("gridDim", *OF_GRID.findall(code)))
    return bool(re.search(rf"\+=[^;{{}})]*\b({names})\b", code))


def another_block_size(experiment: Experiment) -> Diagnosis | None:
    """Run a case with block sizes that are not the default: is it right with just one?

    A larger case, too: of few elements, or of a grid that is too short, larger blocks are
    right. 32 may be right for other reasons, as lanes run in step, and 1024 for having most.
    """
    case, size = experiment.case, declared_block_size(experiment)
    if not size or "block_size" in case.arguments or experiment.launcher.on_gpu:
        return None
    if experiment.failure.refused or case.before:
        return None
    if not (some := [x for x in BLOCK_SIZES if _right_with(experiment, case, x)]):
        return None
    following = itertools.islice(experiment.following, NEXT_CASES)
    cases = [x for x in following if isinstance(x, Case) and _elements(x) <= MOST]
    cases = [x for x in cases if x.arguments == case.arguments and not x.before]
    large = max((case, *cases), key=_elements)
    if _elements(large) < LEAST_BLOCKS * MOST_THREADS or experiment.right(large):
        return None
    right = [x for x in BLOCK_SIZES if _right_with(experiment, large, x)]
    if len(right) != 1 or right[0] not in some or right[0] in (WARP_SIZE, MOST_THREADS):
        return None
    if not _may_hold(experiment.launcher, right[0]):
        return None
    return Diagnosis(
        f"right with block_size = {right[0]}, and wrong with the {size} threads of the default "
        f"and with more or fewer: is {right[0]} written in the place of blockDim.x?"
    )


def another_size_by_name(experiment: Experiment) -> Diagnosis | None:
    """Test the same of an argument that is a block's size by its name: `threads`, say.

    Of a size that is written in its place, blocks of more threads may be right as well.
    """
    failure = experiment.failure
    if failure.refused or experiment.launcher.on_gpu or experiment.case.before:
        return None
    for name, value in experiment.case.arguments.items():
        if name == "block_size" or not isinstance(value, int) or not OF_BLOCKS.search(name):
            continue
        following = itertools.islice(experiment.following, FAR_CASES)
        cases = (x for x in following if isinstance(x, Case) and name in x.arguments)
        cases = (x for x in cases if SEVERAL_BLOCKS <= _elements(x) <= MOST and not x.before)
        if (some := next(cases, None)) is None:
            continue
        # A grid of a fixed number of blocks needs larger ones there.
        large = next((x for x in cases if _elements(x) >= 2 * _elements(some)), None)
        right = [x for x in BLOCK_SIZES if _right_with(experiment, some, x, name)]
        wrong = [x for x in BLOCK_SIZES if x not in right]
        if large is None or not right or not wrong or wrong[0] != WARP_SIZE:
            continue
        if LEAST_BLOCKS * right[0] > _elements(some) or right[0] == MOST_THREADS:
            continue  # one block for all
        if len(right) > 1 and right[0] < wrong[-1]:
            continue  # powers of two, say
        if any(
            _right_with(experiment, large, x, name) is not (x in right) for x in BLOCK_SIZES
        ):
            continue
        if _right_with(experiment, experiment.case, right[0], name):
            more = " and more" if len(right) > 1 else ""
            return Diagnosis(
                f"right with {name} = {right[0]}{more}, and wrong with {value}, "
                f"{' and '.join(map(str, wrong[:2]))}: is {right[0]} written in the place of "
                f"blockDim.x, or where the blocks are counted in that of {name}?"
            )
    return None


def _may_hold(launcher: Launcher, size: int) -> bool:
    """Test whether a number of threads may be written in the code that a launcher reaches.

    As itself, one less, a multiple, in warps, or as a power of two. Else a single size may be
    right for another reason, as by the sides of its grid. Unknown code may hold anything.
    """
    numbers = set(map(int, NUMBER.findall(reachable.code(launcher))))
    warps = size // WARP_SIZE
    forms = {size, size - 1, 2 * size, 4 * size, warps, warps - 1, size.bit_length() - 1}
    return not numbers or bool(numbers & forms)


def idle_threads(experiment: Experiment) -> str | None:
    """Run a case with no more threads than a row has elements: does NaN come out no more?

    Where threads may leave before a barrier, no trace tells what they did not write.
    """
    case = experiment.case
    size = case.arguments.get("block_size") or declared_block_size(experiment)
    n = case.inputs[0].shape[-1] if case.inputs and case.inputs[0].dim() else 0
    if not 0 < n < size or case.before:
        return None
    fewer = [x for x in (1 << k for k in reversed(range(n.bit_length()))) if x <= n]
    if not (right := next((x for x in fewer if _right_with(experiment, case, x)), 0)):
        return None
    seen = (
        f"right with block_size = {right}, and NaN came out with {size} threads, more than the "
        f"{n:,} elements of a row"
    )
    if races.leaves_early(experiment.launcher):
        return f"{seen}, as of shared memory that was never written: {races.LEFT}"
    return (
        f"{seen}, as of threads without an element. Where two of them meet, -infinity minus "
        "-infinity is NaN, and so are 0 / 0 and 0 * infinity: leave them out, or test for that"
    )


def _right_with(
    experiment: Experiment, case: Case, threads: int, name: str = "block_size"
) -> bool:
    """Run a case with a block size, which is an argument of some name: does it go right?"""
    arguments = {**case.arguments, name: threads}
    return experiment.right(replace(case, arguments=arguments))


def _elements(case: Case) -> int:
    """Count the elements of the largest tensor of a case."""
    return max(x.numel() for x in (*case.inputs, *case.expected))


def _gaps(experiment: Experiment, size: int, times: int = 2) -> str:
    """Run a larger case with blocks of a size: say which elements are left between them.

    times: it has more than so many times the elements that a block of the default has threads.
    """
    least = times * declared_block_size(experiment)
    following = itertools.islice(experiment.following, MANY_CASES)
    for case in (*experiment.passed, *following):
        if not isinstance(case, Case) or not least < case.size <= MOST:
            continue
        arguments = {**case.arguments, "block_size": size}
        found = run_case(
            experiment.launcher, replace(case, arguments=arguments), experiment.how
        )
        said = found.diagnosis.sentence if found and found.diagnosis.unwritten else ""
        return said.partition(",")[0] if " of every " in said else ""
    return ""


def capped_grid(experiment: Experiment) -> Diagnosis | None:
    """Run a case that ends at a power of two with blocks of another size: who ends there?"""
    was, case = experiment.failure.diagnosis, experiment.case
    size = declared_block_size(experiment)
    if was.written not in LIMITS or not size or "block_size" in case.arguments:
        return None
    other = 2 * size if size <= MOST_THREADS // 2 else size // 2
    arguments = {**case.arguments, "block_size": other}
    found = run_case(experiment.launcher, replace(case, arguments=arguments), experiment.how)
    end = was.written * other // size
    if found.diagnosis.written != end if found else end < case.size:
        return None
    return Diagnosis(
        f"nothing is written from index {was.written:,} on, where the grid's "
        f"{was.written // size:,} blocks of {size} threads end, and with {other} threads from "
        f"{end:,} on: is the number of blocks capped? Then each thread must go on in a "
        "grid-stride loop"
    )


def _runs_more_blocks(experiment: Experiment, blocks: int) -> bool:
    """Test whether more blocks than that are launched for another case of the default size."""
    least = blocks * declared_block_size(experiment)
    for case in (*experiment.passed, *itertools.islice(experiment.following, NEXT_CASES)):
        if isinstance(case, Case) and "block_size" not in case.arguments and least:
            if least < case.size <= MOST and experiment.right(case):
                return True
    return False


def _has_blocks(experiment: Experiment, blocks: int, threads: int, known: bool = False) -> bool:
    """Test whether the case's launch has so many blocks of so many threads.

    Where that is not told it may have; known: it must be told.
    """
    size = explain_launches.size_of_launch(experiment)
    if not size or not size.total:
        return not known
    return (size.blocks, size.threads) == (blocks, threads)


def _right_at_round_addresses(experiment: Experiment) -> bool:
    """Run the case with tensors that start at round addresses; else they may end at a page."""
    plain = replace(experiment.case, offset=0)
    fronts = {True, experiment.how.front or _ends_unevenly(experiment)}
    return all(experiment.right(plain, apart=False, front=front) for front in fronts)


def _ends_unevenly(experiment: Experiment) -> bool:
    """Test whether an input that ends at a page does not start at a round address.

    Of one number that is made of many, of which nothing else is known.
    """
    failure, case = experiment.failure, experiment.case
    if experiment.launcher.on_gpu or failure.fault or failure.diagnosis.specific:
        return False
    sizes = [x.numel() * x.element_size() for x in case.inputs]
    return case.size == 1 and any(size % ROUND for size in sizes)


def aligned_start(experiment: Experiment) -> Diagnosis | None:
    """Run the case with tensors that start at round addresses.

    Those that end at a page may start anywhere: it must go right with such as begin there, too.
    """
    elsewhere = experiment.case.offset or experiment.how.apart
    uneven = _ends_unevenly(experiment)
    if not elsewhere and (experiment.how.front or not uneven):
        return None
    if not _right_at_round_addresses(experiment):
        return None
    was = experiment.failure.diagnosis
    only = ROUND_ONLY
    if not was.specific and not experiment.failure.fault:
        start = offsets(experiment.launcher, experiment.case, experiment.how)
        if seen := beside.read(experiment.launcher, experiment.case, start):
            words = (
                f"{only}: {seen}. Does what is handled before the first round address, or "
                "from the round address below, go past the end or the start of a row?"
            )
            return Diagnosis(words)
        if seen := beside.counted(experiment.launcher, experiment.case, start):
            words = (
                f"{only}: {seen}. Do what comes before the first round address, whole packs "
                "and what is behind them follow each other, without a gap and once?"
            )
            return Diagnosis(words)
    if uneven:
        left = "is an element before the first whole pack, or behind the last, left out there?"
        return Diagnosis(f"{only}: {left}")
    if was.unwritten and _larger_go_wrong(experiment):
        return None
    return replace(was, sentence=f"{only}: {was.sentence}")


def _larger_go_wrong(experiment: Experiment) -> bool:
    """Test whether a larger case goes wrong, too, with tensors that start at round addresses.

    A small one of packs may have threads enough.
    """
    following = itertools.islice(experiment.following, MANY_CASES)
    some = (x for x in following if isinstance(x, Case) and x.size <= MOST)
    larger = (x for x in some if x.size > LARGER * experiment.case.size)
    for case in itertools.islice(larger, FEW_LARGER):
        if not experiment.right(replace(case, offset=0), apart=False, front=True):
            return True
    return False


def read_beside(experiment: Experiment) -> Diagnosis | None:
    """Change what lies beside an input that starts at a round address: does an output change?

    A few bytes behind it belong to its last word, of which no access is a fault.
    """
    was = experiment.failure.diagnosis
    open_ = was.ends or was.nearly or was.sentence.endswith(OF_TAIL)
    known = was.specific and not open_
    if known or experiment.failure.fault:
        return None
    start = offsets(experiment.launcher, experiment.case, experiment.how)
    if not (seen := beside.read(experiment.launcher, experiment.case, start)):
        return None
    if "before" in seen:
        return Diagnosis(f"{seen}: is an index below 0 for the first elements?")
    return Diagnosis(
        f"{seen}: does the last word or pack of a row, or the last turn of a loop, go past its "
        "end? Take only whole ones so, and the tail one by one"
    )


def halved_threads(experiment: Experiment) -> Diagnosis | None:
    """Say of an odd number of threads that is halved that one of them is left over.

    Then threads of both halves meet in the middle, which looks like a race, and is none with
    the powers of two beside it.
    """
    case, launcher = experiment.case, experiment.launcher
    size = case.arguments.get("block_size") or 0
    if launcher.on_gpu or experiment.failure.fault or size < LEAST_HALVED:
        return None
    if not (powers := _right_powers(experiment, size)) or not races.cooperates(launcher):
        return None
    for one in powers:
        other = replace(case, arguments={**case.arguments, "block_size": one})
        if races.first_race(launcher, other)[0] or not all(
            is_right(launcher, other, how) for how in ROUNDS
        ):
            return None
    warps = replace(case, arguments={**case.arguments, "block_size": 3 * WARP_SIZE})
    if size % WARP_SIZE and all(is_right(launcher, warps, how) for how in ROUNDS):
        if not races.first_race(launcher, warps)[0]:
            return None  # it is a part of a warp that matters
    seen = (
        f"right with the block sizes {powers[0]} and {powers[1]}, wrong with {size}, which is "
        "no power of two: does a loop halve the threads, or double their distance? Where their "
        "number is odd, one is"
    )
    if _adds_up_to_more(launcher, case):
        return Diagnosis(
            f"{seen} left over: it has no partner, but takes a number twice, or one of nobody. "
            "Test whether the partner is a thread of those that are left"
        )
    return Diagnosis(
        f"{seen} left out: round up, half = (left + 1) / 2, and test whether the "
        "partner is a thread of the block"
    )


def _adds_up_to_more(launcher: Launcher, case: Case) -> bool:
    """Test whether more than the number of elements comes out, if each of them is 1."""
    if len(case.inputs) != 1 or case.size != 1 or not case.dtypes[0].is_floating_point:
        return False
    ones = torch.ones_like(case.inputs[0])
    made = launched(launcher, case, [ones])
    return bool(made) and float(made[0].view(case.dtypes[0])) > ones.numel()
