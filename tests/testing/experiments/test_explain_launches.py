"""Test what is said of the threads that a launch had, where elements were not written."""

from dataclasses import replace

import pytest
import torch

from helpers.emulator import LaunchSize
from helpers.testing.cases import Case
from helpers.testing.experiment import Experiment
from helpers.testing.experiments import explain_launches
from helpers.testing.mismatch import Diagnosis
from helpers.testing.run_case import ROUNDS, Failure

ASKED = (
    "nothing is written from index 256 on: has the launch fewer threads (blocks x threads of a "
    "block) than it needs, or does a loop end too early?"
)


@pytest.fixture
def failed(fake_launcher):
    """Return an experiment on a case of which nothing is written from element 256 on."""

    def of(launch, sentence=ASKED, shape=(1000,), **arguments):
        x = torch.ones(shape)
        case = Case("some", (x,), (2 * x.double(),), arguments, dtypes=(torch.float32,))
        launcher = fake_launcher("float x", "float out", lambda *_, **__: None)
        blocks, threads = launch
        grid = blocks if isinstance(blocks, tuple) else (blocks, 1, 1)
        launcher.emulator.largest_launch = LaunchSize(
            grid, threads if isinstance(threads, tuple) else (threads, 1, 1)
        )
        told = Diagnosis(sentence, written=256, unwritten=True)
        return Experiment(launcher, Failure(case, ROUNDS[0], told), [])

    return of


@pytest.mark.parametrize(
    ("launch", "said"),
    [
        ((4, 256), ", and the launch has 4 blocks of 256 threads, enough for 1,000 elements: "),
        ((1, 256), ", where the threads of the launch (1 block of 256 threads) end: are "),
        (
            (3, 250),
            ", and the launch has 3 blocks of 250 threads, more than elements that are ",
        ),
        ((2, 32), ", where the threads of the launch (2 blocks of 32 threads), of 4 elements "),
        ((3, 1), ", and the launch has 3 blocks of 1 thread: are these fewer than it needs, "),
        ((1, 3), ", and the launch has 1 block of 3 threads: are these fewer than it needs, "),
        (
            (8, (32, 8, 1)),
            ", where the launch ends (8 blocks of 32 x 8 threads, 32 elements for each block): "
            "are there too few blocks, or must ",
        ),
        (
            (5, (32, 8, 1)),
            ", and the launch has 5 blocks of 32 x 8 threads: are these fewer than it needs, ",
        ),
    ],
)
def test_the_threads_of_a_launch_are_counted(failed, launch, said):
    told = explain_launches.too_few_threads(failed(launch))
    assert told.sentence.startswith(f"nothing is written from index 256 on{said}")
    assert told.sentence.endswith("?") and told.unwritten


def test_a_block_that_lacks_is_asked_as_one_that_is_rounded_off(failed):
    told = explain_launches.too_few_threads(failed((1, 256), shape=(511,)))
    assert told.sentence.endswith(
        "is the number of blocks rounded down, so that the tail has none?"
    )
    told = explain_launches.too_few_threads(failed((1, 256), shape=(512,)))
    assert told.sentence.endswith("or must each thread go on in a grid-stride loop?")
    told = explain_launches.too_few_threads(failed((8, (32, 8, 1)), shape=(280,)))
    assert told.sentence.endswith("rounded down, so that the tail has none?")


def test_a_launcher_has_a_block_size_that_nobody_asked_for(failed):
    some = failed((4, 64))  # its default is 256
    assert explain_launches.another_size_of_blocks(some).sentence.endswith(
        "where block_size is 256: is the block size another one there, or are there too few "
        "blocks for it?"
    )
    assert explain_launches.another_size_of_blocks(failed((1, 256))) is None


@pytest.mark.parametrize(
    ("launch", "asked", "tells"),
    [((4, 64), 128, True), ((4, 128), 128, False), ((8, 128), 64, False), ((0, 0), 64, False)],
)
def test_blocks_of_another_size_than_was_asked(failed, launch, asked, tells):
    told = explain_launches.another_size_of_blocks(failed(launch, block_size=asked))
    assert bool(told) is tells
    if told:
        assert told.sentence == (
            "nothing is written from index 256 on, and the launch has 4 blocks of 64 threads, "
            "where block_size is 128: is the block size another one there, or are there too "
            "few blocks for it?"
        )


def test_as_many_threads_as_a_number_of_few_bits_counts(failed):
    """64 blocks of 512 threads end where an index of 16 bits does."""
    narrow = (
        "all is right below index 32,768, and nothing is written from there on: is an index"
    )
    for launch, ends in (((64, 512), True), ((100, 512), False), ((63, 512), False)):
        some = failed(launch, f"{narrow} too narrow?", (40_000,))
        told = replace(some.failure.diagnosis, written=32_768)
        told = explain_launches.too_few_threads(
            replace(some, failure=replace(some.failure, diagnosis=told))
        )
        assert bool(told) is ends
        if told:
            assert told.sentence.startswith(
                "nothing is written from index 32,768 on, where the"
            )


def test_a_grid_of_more_blocks_than_columns_is_not_made_for_them(failed):
    seen = (
        "nothing is written from index 256 on, as many as input 1 has columns, and there is a "
        "result for each of its 1,000 rows: is the grid made for the columns, the other one?"
    )
    assert explain_launches.too_few_threads(failed((256, 128), seen)) is None
    told = explain_launches.too_few_threads(failed((257, 128), seen)).sentence
    assert told.startswith(
        "nothing is written from index 256 on, and the launch has 257 blocks"
    )


def test_blocks_that_have_not_as_many_rows_each_are_not_too_few(failed):
    seen = "93 of 195 elements were never written, the first at row 34, column 0: what stayed"
    for blocks, told in ((3, True), (2, False)):
        some = failed((blocks, 32), seen, (65, 3))
        sentence = explain_launches.blocks_of_the_launch(some).sentence
        index = ", which have not as many rows each: does a thread compute another index"
        assert (index in sentence) is told
        assert ("are there too few blocks for all?" in sentence) is not told


@pytest.mark.parametrize("where", ["index 0", "row 0, column 0"])
def test_the_first_element_is_left_out_by_no_lack_of_blocks(failed, where):
    seen = f"3 of 6 elements were never written, the first at {where}: what stayed"
    assert explain_launches.blocks_of_the_launch(failed((1, 64), seen, (2, 3))) is None
    other = seen.replace(where, "row 1, column 0")
    assert explain_launches.blocks_of_the_launch(failed((1, 64), other, (2, 3)))


def test_no_threads_are_counted_where_something_else_is_known_or_nothing_counts_them(failed):
    other = failed((1, 256), "nothing was written: does the kernel store to its output?")
    on_gpu = failed((1, 256))
    on_gpu.launcher.on_gpu = True
    for some in (other, failed((0, 0)), on_gpu):
        assert explain_launches.too_few_threads(some) is None
        assert explain_launches.another_size_of_blocks(some) is None
    faulty = replace(failed((1, 256)).failure, fault="a fault")
    assert explain_launches.too_few_threads(replace(other, failure=faulty)) is None


def test_of_a_matrix_the_launch_is_named_where_it_has_fewer_threads_than_elements(failed):
    seen = "200 of 1,000 elements were never written, the first at row 8, column 0: what stayed"
    told = explain_launches.blocks_of_the_launch(failed((1, 64), seen, (10, 100)))
    assert told.sentence == (
        f"{seen}. The launch has 1 block of 64 threads: are there too few blocks for all?"
    )
    rows = explain_launches.blocks_of_the_launch(failed((1, 800), seen, (10, 100)))
    assert rows.sentence.endswith(
        ". The launch has 1 block of 800 threads: are there too few blocks for all?"
    )
    of_8_rows = explain_launches.blocks_of_the_launch(failed((1, (32, 8, 1)), seen, (10, 100)))
    assert of_8_rows.sentence.endswith(" 32 x 8 threads: are there too few blocks for all?")
    of_others = explain_launches.blocks_of_the_launch(failed((1, (24, 5, 1)), seen, (10, 100)))
    assert of_others.sentence.endswith("what stayed. The launch has 1 block of 24 x 5 threads")
    few = explain_launches.blocks_of_the_launch(failed(((2, 2, 1), 512), seen, (10, 100)))
    assert few.sentence.endswith(
        "column 0: what stayed. The launch has 4 blocks of 512 threads"
    )
    for some in (
        failed((20, 64), seen, (10, 100)),
        failed((0, 0), seen, (10, 100)),
        failed((1, 64), f"{seen}: a tail?", (10, 100)),
        failed((1, 64), seen, (1000,)),
    ):
        assert explain_launches.blocks_of_the_launch(some) is None


@pytest.mark.parametrize(
    ("launch", "wrong", "told"),
    [((0, 0), 1000, True), ((1, 64), 1000, False), ((0, 0), 9, False)],
)
def test_where_nothing_was_written_no_kernel_may_have_been_launched(
    failed, launch, wrong, told
):
    some = failed(launch, "nothing was written: does the kernel store to its output?")
    was = replace(some.failure.diagnosis, written=0, wrong=wrong)
    some = replace(some, failure=replace(some.failure, diagnosis=was))
    diagnosis = explain_launches.nothing_launched(some)
    assert bool(diagnosis) is told
    if told:
        assert diagnosis.sentence.startswith(
            "nothing was written, and no kernel was launched: "
        )


@pytest.mark.parametrize(
    ("launch", "together", "told"),
    [((1, 64), True, True), ((1, 64), False, False), ((18, 64), True, False)],
)
def test_where_only_the_first_result_was_written_there_may_be_one_block(
    failed, monkeypatch, launch, together, told
):
    monkeypatch.setattr(explain_launches.races, "cooperates", lambda launcher: together)
    seen = f"{explain_launches.FIRST_ALONE}: is the index another one?"
    diagnosis = explain_launches.first_alone(failed(launch, seen))
    assert bool(diagnosis) is told
    if told:
        assert diagnosis.sentence == (
            f"{explain_launches.FIRST_ALONE}. The launch has 1 block of 64 threads: are there "
            "too few blocks for 1,000 results?"
        )
    assert explain_launches.first_alone(failed((1, 64))) is None


@pytest.mark.parametrize(
    ("gaps", "launch", "told"),
    [
        ("896 of every 1,024", (4, 32), True),
        ("895 of every 1,024", (8, 32), False),  # not all threads of a block have written
        ("896 of every 1,024", (0, 0), False),
        ("1 of every 3", (2, 1), False),
        ("896", (4, 32), False),
    ],
)
def test_a_step_that_is_too_long_for_the_blocks_of_a_launch(failed, gaps, launch, told):
    some = failed(launch, f"{gaps} elements were never written, from index 128 on: what")
    diagnosis = explain_launches.typed_step(some)
    assert bool(diagnosis) is told
    if told:
        assert diagnosis.sentence == (
            "896 of every 1,024 elements were never written: the launch has 4 blocks of 32 "
            "threads, after which a loop goes on by 1,024, 8 times as far as they reach: is "
            "its step another one than all threads of the grid, gridDim.x * blockDim.x?"
        )


def test_a_step_of_a_loop_with_a_number_in_the_place_of_a_block_size(fake_launcher):
    """No multiple of a block's threads; or one, with which as large blocks are right."""

    def of(threads, typed):
        def launch(launcher, x, out, block_size):
            launcher.emulator.largest_launch = LaunchSize((4, 1, 1), (block_size, 1, 1))
            place = torch.arange(len(x)) % (4 * typed)
            out.copy_(torch.where(place < 4 * block_size, 2 * x, out))

        scalars = "int block_size = 32, "
        launcher = fake_launcher("float x", "float out", launch, scalars=scalars)
        x, step = torch.ones(3 * 4 * typed), 4 * typed
        arguments = {"block_size": threads}
        case = Case("n", (x,), (2 * x.double(),), arguments, dtypes=(torch.float32,))
        left = step - 4 * threads
        seen = (
            f"{left} of every {step} elements were never written, from index {4 * threads} on"
        )
        failure = Failure(case, ROUNDS[0], Diagnosis(seen, unwritten=True))
        return explain_launches.typed_step(Experiment(launcher, failure, [])).sentence

    words = "Is a number in the place of blockDim.x in its step?"
    assert of(96, 128).endswith(f"512, 128 for each block. {words}")
    assert of(32, 128).endswith(f"512, 128 for each block. {words}")


@pytest.mark.parametrize(
    ("blocks", "first", "told"),
    [
        (10, "row 0, column 32", True),
        (10, "row 1, column 0", False),
        (3, "row 0, column 32", False),
    ],
)
def test_a_block_for_each_row_that_has_fewer_threads_than_columns(failed, blocks, first, told):
    count = 900 if first.startswith("row 1") else 680
    seen = f"{count} of 1,000 elements were never written, the first at {first}: what stayed"
    sentence = explain_launches.blocks_of_the_launch(
        failed((blocks, 32), seen, (10, 100))
    ).sentence
    assert ("does each thread go on in a loop over its row of 100 columns?" in sentence) is told
    assert ("has each block the same rows" in sentence) is first.endswith("column 0")
    other = (
        ". The launch has 3 blocks of 32 threads. Must there be more, or a thread go on in a"
    )
    assert (other in sentence) is (blocks == 3)


@pytest.mark.parametrize(
    ("grid", "first", "told"),
    [
        ((1, 3, 1), "680 row 0, column 16", "column 16 of 33"),
        ((3, 1, 1), "792 row 16, column 0", "row 16 of 40"),
        ((3, 1, 1), "528 row 16, column 0", ""),  # something is written behind it
        ((1, 3, 1), "600 row 0, column 16", ""),
        ((2, 3, 1), "680 row 0, column 16", ""),  # which would not do turned round
        ((3, 3, 1), "680 row 0, column 16", ""),
        ((1, 3, 2), "680 row 0, column 16", ""),
        ((1, 3, 1), "680 row 7, column 16", ""),
    ],
)
def test_a_grid_whose_sides_are_swapped(failed, fake_launcher, monkeypatch, grid, first, told):
    """Right if it is turned; or another index is, and it is not right with either."""
    code = "int row = blockIdx . y;"
    monkeypatch.setattr(explain_launches.reachable, "code", lambda launcher: code)
    count, first = first.split(maxsplit=1)
    seen = (
        f"{count} of 1,320 elements were never written, the first at {first}: what the output"
    )
    some = failed((grid, 256), seen, (40, 33))
    sentence = explain_launches.blocks_of_the_launch(some).sentence
    index = "would do for all of it: is blockIdx.x taken for blockIdx.y in an index of what is"
    assert (index in sentence) is bool(told)

    def launch(launcher, x, out):
        out.copy_(2 * x if launcher.emulator.turned else 3 * x)

    some = replace(some, launcher=fake_launcher("float x", "float out", launch))
    some.launcher.emulator.largest_launch = LaunchSize(grid, (256, 1, 1))
    sentence = explain_launches.blocks_of_the_launch(some).sentence
    blocks = (
        f"{grid[0]} x {grid[1]} blocks, which end at {told}, and with {grid[1]} x {grid[0]}"
    )
    asked = f"{blocks} all is right: is each number of blocks that for the other side"
    assert (asked in sentence) is bool(told)
    code = "int row = blockIdx.x;"
    assert "other side" not in explain_launches.blocks_of_the_launch(some).sentence


def test_nothing_is_launched_where_a_tensor_lies_at_no_round_address(fake_launcher):
    """What is left is counted as of packs, which are made at round addresses only."""

    def launch(launcher, x, out, **arguments):
        if x.data_ptr() % 16 == 0:
            launcher.emulator.largest_launch = LaunchSize((1, 1, 1), (128, 1, 1))
            out.copy_(2 * x)

    x = torch.ones(128)
    case = Case("n", (x,), (2 * x.double(),), offset=1, dtypes=(torch.float32,))
    told = Diagnosis("nothing was written: ", wrong=128, unwritten=True)
    launcher = fake_launcher("float x", "float out", launch)
    some = Experiment(launcher, Failure(case, ROUNDS[0], told), [])
    sentence = explain_launches.nothing_launched(some).sentence
    assert "where a tensor lies at no round address" in sentence
    nowhere = replace(some, launcher=fake_launcher("float x", "float out", lambda *_, **__: 0))
    assert "round address" not in explain_launches.nothing_launched(nowhere).sentence


@pytest.mark.parametrize(("fewest", "told"), [(4, True), (5, False), (64, False)])
def test_no_kernel_is_launched_for_less_than_a_pack(fake_launcher, fewest, told):
    def launch(launcher, x, out, **arguments):
        blocks = int(len(x) >= fewest)
        launcher.emulator.largest_launch = LaunchSize((blocks, 1, 1), (256, 1, 1))
        if blocks:
            out.copy_(2 * x)

    def case(n):
        x = torch.ones(n)
        return Case(f"n = {n}", (x,), (2 * x.double(),), dtypes=(torch.float32,))

    launcher = fake_launcher("float x", "float out", launch)
    nothing = Diagnosis("nothing was written: ", wrong=1, unwritten=True)
    following = [case(n) for n in (2, 3, 4, 5, 70, 5000)]
    some = Experiment(launcher, Failure(case(1), ROUNDS[0], nothing), [], following=following)
    sentence = explain_launches.nothing_launched(some).sentence
    assert ("no kernel is launched for fewer than 4 elements" in sentence) is told


@pytest.mark.parametrize("returns", [True, False])
def test_no_kernel_is_launched_for_a_factor_of_0(fake_launcher, returns):
    def launch(launcher, x, out, a=1.0, b=1.0, **arguments):
        blocks = int(a != 0 and (returns or len(x) > 64))
        launcher.emulator.largest_launch = LaunchSize((blocks, 1, 1), (64, 1, 1))
        if blocks:
            out.copy_(a * x + b)

    def case(n, a, b):
        x = torch.ones(n)
        given = {"a": a, "b": b}
        return Case(f"n = {n}", (x,), (a * x.double() + b,), given, dtypes=(torch.float32,))

    launcher = fake_launcher("float x", "float out", launch, scalars="float a, float b, ")
    nothing = Diagnosis("nothing was written: ", wrong=33, unwritten=True)
    passed = [case(20, 2.0, 1.0), case(33, 3.0, 1.0), case(33, 1.0, 0.5)]
    some = Experiment(launcher, Failure(case(33, 0.0, 0.5), ROUNDS[0], nothing), passed)
    sentence = explain_launches.nothing_launched(some).sentence
    assert ("no kernel is launched for a = 0.0, though one is for as" in sentence) is returns


@pytest.mark.parametrize("launched", [True, False])
def test_a_sum_of_few_elements_of_which_no_kernel_is_launched(fake_launcher, launched):
    def launch(launcher, x, out, **arguments):
        blocks = max(len(x) // 256, int(launched))
        launcher.emulator.largest_launch = LaunchSize((blocks, 1, 1), (256, 1, 1))
        out.copy_(x[: 256 * blocks].sum())

    launcher = fake_launcher("float x", "float out", launch)
    cases = [
        Case(f"n = {n}", (torch.ones(n),), (torch.tensor([float(n)]),), dtypes=(torch.float32,))
        for n in (3, 5, 300)
    ]
    told = Diagnosis("0 comes out, and 3 should", zeros=True)
    some = Experiment(launcher, Failure(cases[0], ROUNDS[0], told), [], following=cases[1:])
    said = explain_launches.sum_of_no_launch(some)
    if launched:
        assert said is None
        return
    words = "no kernel was launched for n = 3, but for n = 300, so that 0 comes out as it was"
    assert said.sentence.startswith(words)


def test_a_grid_that_ends_where_its_rows_do_is_not_turned(failed, monkeypatch):
    """8 blocks of 4 rows end at row 32, as does one block of 32 columns."""
    code = "int row = blockIdx.y * BY + threadIdx.y;"
    monkeypatch.setattr(explain_launches.reachable, "code", lambda launcher: code)
    seen = "17 of 561 elements were never written, the first at row 32, column 0: what"
    some = failed(((1, 8, 1), (32, 4, 1)), seen, (33, 17))
    sentence = explain_launches.blocks_of_the_launch(some).sentence
    assert "would do for all of it" not in sentence and "8 blocks of 32 x 4" in sentence


def test_blocks_of_threads_that_end_there_are_no_others(failed, monkeypatch):
    """3 blocks of 16 rows end at row 48, and not one of 48: it is rounded down."""
    code = "int row = blockIdx.y;"
    monkeypatch.setattr(explain_launches.reachable, "code", lambda launcher: code)
    seen = "120 of 504 elements were never written, the first at row 48, column 0: what"
    for threads, told in (((16, 16, 1), False), ((16, 8, 1), False), ((20, 12, 1), True)):
        some = failed(((3, 1, 1), threads), seen, (63, 8))
        sentence = explain_launches.blocks_of_the_launch(some).sentence
        assert ("would do for all of it" in sentence) is told, threads


@pytest.mark.parametrize(("rows", "told"), [(2_097_153, True), (2_097_100, False)])
def test_blocks_of_rows_that_16_bits_count(failed, rows, told):
    seen = (
        f"{rows - 32:,} of {rows:,} elements were never written, the first at row 32, column 0"
    )
    some = failed((1, (32, 8, 1)), f"{seen}: what stayed", (rows, 1))
    sentence = explain_launches.blocks_of_the_launch(some).sentence
    words = "65,536 fewer than it needs: is the number of blocks kept in 16 bits, too narrow"
    assert (words in sentence) is told
    assert ("are there too few blocks for all?" in sentence) is not told


def test_a_number_of_blocks_that_is_rounded_down_lacks_one_block_of_a_larger_case(failed):
    x = torch.ones(4096)
    larger = Case("larger", (x,), (2 * x.double(),), dtypes=(torch.float32,))
    some = replace(failed((1, 256), shape=(511,)), following=[larger])  # it lacks all
    told = explain_launches.too_few_threads(some)
    assert told.sentence.endswith("or must each thread go on in a grid-stride loop?")
    smaller = replace(larger, inputs=(x[:600],), expected=(2 * x[:600].double(),))
    told = explain_launches.too_few_threads(replace(some, following=[smaller]))
    assert told.sentence.endswith("rounded down, so that the tail has none?")


@pytest.mark.parametrize("each", [1, 2])
@pytest.mark.parametrize(("fits", "asked"), [(128, 32), (64, 32), (128, 64)])
def test_blocks_that_begin_as_far_apart_as_others_are_long(fake_launcher, fits, asked, each):
    def typed(launcher, x, out, block_size=256):
        if block_size == fits:
            out.copy_(2 * x)

    x = torch.ones(1000)
    case = Case("some", (x,), (2 * x.double(),), {"block_size": asked}, dtypes=(torch.float32,))
    launcher = fake_launcher("float x", "float out", typed)
    launcher.emulator.largest_launch = LaunchSize((32, 1, 1), (32, 1, 1))
    gaps = f"{96 * each} of every {128 * each} elements were never written"
    told = Diagnosis(f"{gaps}, from index {32 * each} on: what ...")
    some = Experiment(launcher, Failure(case, ROUNDS[0], told), [])
    apart = f"{gaps}: the launch has 32 blocks of 32 threads, which begin {128 * each} elements"
    because = (
        "apart, and with block_size = 128 all is right. Is that number in the place of "
        "blockDim.x?"
        if (fits, asked) == (128, 32)
        else f"apart, and write {32 * each} each: is the number by which blockIdx.x is "
        "multiplied another one than that of a block's elements?"
    )
    assert explain_launches.typed_step(some).sentence == f"{apart} {because}"
    usual = replace(some, launcher=fake_launcher("float x", "float out", lambda *_, **__: None))
    usual.launcher.function = lambda _, x, out, block_size=256: out.copy_(
        2 * x if block_size == 256 else out
    )
    usual.launcher.emulator.largest_launch = LaunchSize((32, 1, 1), (32, 1, 1))
    assert explain_launches.typed_step(usual) is None  # right by default: which says more


@pytest.mark.parametrize(("each", "fits"), [(1, 32), (4, 32), (4, 64)])
def test_blocks_that_begin_nearer_to_each_other_than_they_are_long(fake_launcher, each, fits):
    written = each * (3 * 32 + 128)  # of four blocks of 128

    def typed(launcher, x, out, block_size):
        if block_size == fits:
            out.copy_(2 * x)

    x = torch.ones(each * 500)
    case = Case("some", (x,), (2 * x.double(),), {"block_size": 128}, dtypes=(torch.float32,))
    launcher = fake_launcher("float x", "float out", typed)
    launcher.emulator.largest_launch = LaunchSize((4, 1, 1), (128, 1, 1))
    seen = f"nothing is written from index {written} on"
    told = Diagnosis(f"{seen}: {explain_launches.TOO_FEW_THREADS}?", written=written)
    some = Experiment(launcher, Failure(case, ROUNDS[0], told), [])
    sentence = explain_launches.too_few_threads(some).sentence
    assert sentence.startswith(f"{seen}, and the launch has 4 blocks of 128 threads")
    words = ": with block_size = 32 all is right, so is 32 in the place of blockDim.x in an"
    assert (words in sentence) is (fits == 32)


@pytest.mark.parametrize(("apart", "tells"), [(128, True), (96, False)])
def test_where_no_block_size_is_given_a_larger_case_tells_how_far_blocks_are_apart(
    fake_launcher, apart, tells
):
    def case_of(n):
        x = torch.ones(n)
        return Case(f"n = {n}", (x,), (2 * x.double(),), dtypes=(torch.float32,))

    def typed(launcher, x, out, **arguments):
        blocks = -(-len(x) // 192)
        out[: apart * (blocks - 1) + 192] = 2 * x[: apart * (blocks - 1) + 192]
        launcher.emulator.largest_launch = LaunchSize((blocks, 1, 1), (192, 1, 1))

    launcher = fake_launcher("float x", "float out", typed)
    seen = "nothing is written from index 320 on"  # 128 + 192
    told = Diagnosis(f"{seen}: {explain_launches.TOO_FEW_THREADS}?", written=320)
    failure = Failure(case_of(384), ROUNDS[0], told)
    some = Experiment(launcher, failure, [], following=[case_of(500), case_of(2000)])
    sentence = explain_launches.too_few_threads(some).sentence
    words = ", which begin 128 threads apart, it seems: is that number in the place of the "
    assert (words in sentence) is tells


def test_a_warp_that_makes_a_result(failed, monkeypatch):
    for together in (True, False):
        monkeypatch.setattr(
            explain_launches.races, "cooperates", lambda launcher, t=together: t
        )
        told = explain_launches.too_few_threads(failed((64, 128))).sentence
        ends = (
            ", where the launch ends (64 blocks of 128 threads, 32 threads for each result): "
        )
        assert (f"index 256 on{ends}are there too few blocks, or must " in told) is together


def test_packs_end_and_another_launch_writes_what_is_left(failed):
    seen = "124 of 1,000 elements were never written, the first at index 512"
    what = f"{seen}: what the output held before stays there"
    told = explain_launches.too_few_threads_for_packs(failed((2, 64), what))
    assert told.sentence == (
        "124 of 1,000 elements were never written, from index 512 on, where the threads of the "
        "largest launch (2 blocks of 64 threads), of 4 elements each, end: is the number of "
        "blocks rounded down, so that the tail has none?"
    )
    for launch, sentence in (((3, 64), what), ((0, 0), what), ((2, 64), "else")):
        assert explain_launches.too_few_threads_for_packs(failed(launch, sentence)) is None


def test_without_a_block_index_more_blocks_write_nothing_else(failed, monkeypatch):
    monkeypatch.setattr(explain_launches.races, "cooperates", lambda launcher: True)
    seen = f"{explain_launches.FIRST_ALONE}: is the index another one?"
    for code, tells in (("int c = threadIdx.x;", False), ("int c = blockIdx.x;", True)):
        monkeypatch.setattr(explain_launches.reachable, "code", lambda launcher, c=code: c)
        assert bool(explain_launches.first_alone(failed((1, 64), seen))) is tells


def of_larger(fake_launcher, writes, blocks_of=lambda n: -(-n // 64)):
    """Return an experiment on 300 elements of which the first are written; one of 2,000 more.

    writes: from their number to how many are.
    """

    def launch(launcher, x, out, **_):
        n = len(x)
        launcher.emulator.largest_launch = LaunchSize((blocks_of(n), 1, 1), (64, 1, 1))
        out[: writes(n)] = 2 * x[: writes(n)]

    def case(n):
        x = torch.ones(n)
        return Case(f"n = {n}", (x,), (2 * x.double(),), {}, dtypes=(torch.float32,))

    launcher = fake_launcher("float x", "float out", launch)
    sentence = f"nothing is written from index {writes(300)} on: {ASKED.partition(': ')[2]}"
    told = Diagnosis(sentence, wrong=300 - writes(300), written=writes(300), unwritten=True)
    following = [case(400), case(2000), case(5000)]
    return Experiment(launcher, Failure(case(300), ROUNDS[0], told), [], following=following)


@pytest.mark.parametrize(
    ("writes", "tells"),
    [(lambda n: 64, True), (lambda n: 128 if n > 999 else 64, False), (lambda n: 65, False)],
)
def test_each_block_may_have_the_same_elements(fake_launcher, writes, tells):
    told = explain_launches.same_for_each_block(of_larger(fake_launcher, writes))
    assert bool(told) is tells
    if told:
        assert told.sentence.startswith(
            "nothing is written from index 64 on, where a block of 64 threads has all of its "
            "share, and the launch has 5 blocks of 64 threads. Of n = 2,000, with 32 blocks, "
            "no more is written: has each block the same elements"
        )


def test_one_block_alone_has_no_other_to_write_the_same(fake_launcher):
    for blocks in (lambda n: 1, lambda n: 5):
        some = of_larger(fake_launcher, lambda n: 64, blocks)
        assert explain_launches.same_for_each_block(some) is None


def test_threads_of_several_elements_may_be_enough(failed):
    some = failed((2, 96), "nothing is written from index 196 on: are these", (255,))
    told = replace(some.failure.diagnosis, written=196, sentence=ASKED.replace("256", "196"))
    some = replace(some, failure=replace(some.failure, diagnosis=told))
    assert explain_launches.too_few_threads(some).sentence.startswith(
        "nothing is written from index 196 on, and the launch has 2 blocks of 96 threads, of 2 "
        "elements each, it seems, enough for 255: does a thread compute another index than its "
    )


@pytest.mark.parametrize(
    ("blocks_of", "said"),
    [
        (lambda n: 0, "nor is one for n = 2,000: does the launcher return before its launch"),
        (lambda n: n // 512, "is the number of blocks 0 for so few elements, as one that is "),
    ],
)
def test_no_kernel_may_be_launched_for_any_size(fake_launcher, blocks_of, said):
    some = of_larger(fake_launcher, lambda n: 0, blocks_of)
    assert said in explain_launches.nothing_launched(some).sentence


def test_threads_that_write_nothing_are_enough(failed):
    """Of pairs: how many elements a thread has is not known."""
    some = failed((6, 192), shape=(2047,))
    assert explain_launches.too_few_threads(some).sentence.startswith(
        "nothing is written from index 256 on, and the launch has 6 blocks of 192 threads, "
        "more than elements that are written: does a thread compute another index than its own"
    )


def test_gaps_must_begin_where_a_block_ends(failed):
    for first, told in ((32, True), (33, False)):
        seen = f"96 of every 128 elements were never written, from index {first} on: what ..."
        assert bool(explain_launches.typed_step(failed((32, 32), seen))) is told
    seen = "96 of every 128 elements were never written, from index 32 on: what ..."
    few = failed((32, 32), seen, (200,))
    assert explain_launches.typed_step(few) is None  # of so few no second gap is seen


def test_a_larger_case_shows_gaps_between_blocks(fake_launcher):
    """Of 300 elements the first block writes 64, and the others begin behind the end."""

    def writes(n):
        return torch.arange(n) % 512 < 64

    def launch(launcher, x, out, **_):
        launcher.emulator.largest_launch = LaunchSize((-(-len(x) // 64), 1, 1), (64, 1, 1))
        out[writes(len(x))] = 2.0

    some = of_larger(fake_launcher, lambda n: 64)
    some.launcher.function = launch
    assert explain_launches.too_few_threads(some).sentence == (
        "of n = 2,000, 448 of every 512 elements were never written: the launch has 32 blocks "
        "of 64 threads, which begin 512 elements apart, and write 64 each: is the number by "
        "which blockIdx.x is multiplied another one than that of a block's elements?"
    )


@pytest.mark.parametrize(
    ("blocks", "end", "told"), [(2, 9999, True), (3, 9999, False), (2, 300, False)]
)
def test_a_larger_case_of_the_same_launch_shows_a_step_that_is_too_long(
    fake_launcher, blocks, end, told
):
    """Of 300 elements the first 128 are written, of more others behind them, and the last."""

    def launch(launcher, x, out, **_):
        size = (2 if len(x) == 300 else blocks, 1, 1)
        launcher.emulator.largest_launch = LaunchSize(size, (64, 1, 1))
        places = torch.arange(len(x))
        out[((places % 300 < 128) & (places < end)) | (places == 1999)] = 2.0

    some = of_larger(fake_launcher, lambda n: 128)
    some.launcher.function = launch
    sentence = explain_launches.too_few_threads(some).sentence
    words = (
        "nothing is written from index 128 on, and of n = 2,000, where the launch is the same "
        "(2 blocks of 64 threads), 897 elements are written: is the step of a loop too long, "
        "so that what lies between is left out?"
    )
    assert (sentence == words) is told


@pytest.mark.parametrize(("apart", "told"), [(640, True), (512, False)])
@pytest.mark.parametrize("last", [True, False])
def test_blocks_of_the_same_elements_that_go_on_in_a_loop(fake_launcher, apart, told, last):
    """As far on as the 10 blocks of 64 threads reach, the loop's step is right."""

    def launch(launcher, x, out, **_):
        launcher.emulator.largest_launch = LaunchSize((10, 1, 1), (64, 1, 1))
        places = torch.arange(len(x))
        out[(places % apart < 64) | (places == 1999 * last)] = 2.0

    some = of_larger(fake_launcher, lambda n: 64)
    some.launcher.function = launch
    sentence = explain_launches._in_gaps(some).sentence
    assert ("all threads reach in a step: has each block the same elements" in sentence) is told
    assert ("step of a loop too long" in sentence or "multiplied" in sentence) is not told


def test_one_block_of_more_threads_than_elements_are_written(failed):
    seen = "90 of 100 elements were never written, the first at row 1, column 0: what stayed"
    told = explain_launches.blocks_of_the_launch(failed((1, 64), seen, (10, 10))).sentence
    assert told.endswith(
        "The launch has 1 block of 64 threads, more than the elements that are "
        "written: does a thread compute another index than its own?"
    )
    told = explain_launches.blocks_of_the_launch(failed((1, 8), seen, (10, 10))).sentence
    assert told.endswith(
        "The launch has 1 block of 8 threads: are there too few blocks for all?"
    )
