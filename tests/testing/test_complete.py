"""The complete run past 2^24 elements: what it says of a grid, a count or an index."""

from types import SimpleNamespace

import pytest
import torch

from helpers import emulator
from helpers.emulator import LaunchSize
from helpers.errors import FaultKind, KernelFault, LaunchError
from helpers.testing import complete
from helpers.testing.cases import ElementwiseMaker
from helpers.testing.complete import PERIOD
from helpers.testing.references import REFERENCES

SMALL = (1 << 18) + (1 << 10) + 1  # elements of the tests


@pytest.fixture(autouse=True)
def small(monkeypatch):
    """Take fewer elements, and let a float end sooner: the sentence is what matters."""
    monkeypatch.setattr(complete, "N", SMALL)
    monkeypatch.setattr(complete, "FLOAT_END", 1 << 18)


@pytest.fixture
def run(fake_launcher):
    """Run a Python function in the place of a kernel of 2^24 int16 elements."""

    def of(function, ulp=0, dtype="int16_t"):
        launcher = fake_launcher(f"{dtype} a, {dtype} b", f"{dtype} out", function)
        make = ElementwiseMaker.of(launcher, REFERENCES["add"], ulp)
        found = complete.complete(launcher, make)
        return found and str(found)

    return of


def add(launcher, a, b, out, **arguments):
    torch.add(a, b, out=out)


def test_n_passes_2_24_and_65_535_blocks_of_256(monkeypatch):
    monkeypatch.undo()
    assert complete.N == 2**24 + 2**16 + 1 and complete.FLOAT_END == 2**24
    assert complete.N > 65_535 * 256 and all(PERIOD % k for k in range(2, 256))


def test_a_right_kernel_is_right(run):
    assert run(add) is None


def test_inputs_repeat_and_are_not_alike(run):
    seen = {}

    def keep(launcher, a, b, out, **arguments):
        seen.update(a=a.clone(), b=b.clone(), filled=out.clone())
        add(launcher, a, b, out)

    assert run(keep) is None
    a = seen["a"]
    assert len(a) == SMALL and torch.equal(a[PERIOD:], a[:-PERIOD])
    assert len(a.unique()) > 100 and not torch.equal(a, seen["b"])
    assert torch.equal(a[1 << 14 :], seen["b"][: -(1 << 14)])  # one tensor for both
    assert seen["filled"].unique().tolist() == [0x7FDA]


def test_a_write_far_before_an_output_is_named_and_spoils_no_heap(run):
    def wild(launcher, a, b, out, **arguments):
        assert emulator.guarded_intact(out)
        at = out.data_ptr() - 1000 * out.element_size()
        place, kind = f"address {at:#x}", FaultKind.OUT_OF_BOUNDS
        words = f"k.cu: k, block (0, 0, 0), thread (3, 0, 0): write to {place}"
        raise KernelFault(words, kind=kind, address=at, place=place, access="write")

    assert "write to out[-1,000], but out has 263,169 elements: far outside" in run(wild)


@pytest.mark.parametrize("end", [SMALL - 1025, 1 << 17])
def test_a_grid_that_ends_early(run, end):
    def capped(launcher, a, b, out, **arguments):
        torch.add(a[:end], b[:end], out=out[:end])

    sentence = run(capped)
    assert sentence.startswith(f"all is right below index {end:,}, and never written from ")
    assert "does the grid end there" in sentence and "grid-stride loop" in sentence
    assert sentence.endswith("[n = 263,169]")


def test_wrong_from_some_index_on_is_told_apart_from_never_written(run):
    def wraps(launcher, a, b, out, **arguments):
        add(launcher, a, b, out)
        out[1 << 16 :] = 500

    assert run(wraps).startswith("all is right below index 65,536, and wrong from there on")


def test_an_index_in_float(run):
    def odd_ones(launcher, a, b, out, **arguments):
        add(launcher, a, b, out)
        out[(1 << 18) + 1 : -1 : 2] = 0x7FDA

    sentence = run(odd_ones)
    assert sentence.startswith("all is right below index 262,145, and 512 elements")
    assert "never written: an index too narrow? A float holds" in sentence


def test_a_tail_for_a_thread_that_is_not_always_there(run):
    def next_thread(launcher, a, b, out, **arguments):
        end = len(a) - (len(a) > 3000)
        torch.add(a[:end], b[:end], out=out[:end])

    sentence = run(next_thread)
    assert sentence.startswith(
        "the last element is never written of 263,169, and of 4,097, too"
    )
    assert "the grid is just full, or its blocks are capped" in sentence


FLOAT = "an index too narrow? A float holds every whole number only up to 2^24"
INT = "is an index too narrow? Compute it in int64_t"
SCATTERED = "though smaller sizes are right"


@pytest.mark.parametrize(
    ("first", "end"),
    [
        (1 << 18, FLOAT),
        ((1 << 18) - 1, SCATTERED),
        (1 << 16, INT),
        (1 << 15, INT),
        (1 << 14, SCATTERED),
        ((1 << 16) - 1, SCATTERED),
        ((1 << 16) + 1, SCATTERED),
        (3 << 15, SCATTERED),
        (0, SCATTERED),
    ],
)
def test_the_first_wrong_index_tells_what_is_too_narrow(run, first, end):
    def every_third(launcher, a, b, out, **arguments):
        add(launcher, a, b, out)
        out[first:-1:3] = 7_777

    sentence, count = run(every_third), -(-(SMALL - 1 - first) // 3)
    if end == INT:
        power = first.bit_length() - 1
        begin = f"all is right below index {first:,} = 2^{power}, and {count:,} elements after"
        assert sentence.startswith(f"{begin} it are wrong: {INT}")
    elif end == FLOAT:
        begin = f"all is right below index {first:,}, and {count:,} elements after it are wrong"
        assert sentence.startswith(f"{begin}: {FLOAT}")
    else:
        assert sentence.startswith(f"{count:,} of 263,169 elements of out are wrong, the first")
        assert f" at index {first:,}, {SCATTERED}" in sentence


@pytest.mark.parametrize(
    ("count", "words"),
    [
        (1, "the last element is never written of 263,169: a count computed in float"),
        (1024, "the last 1,024 elements are never written of 263,169: a count"),
        (1025, "all is right below index 262,144, and never written from there on"),
    ],
)
def test_a_count_in_float_loses_the_last_elements(run, count, words):
    def short(launcher, a, b, out, **arguments):
        end = len(a) - count * (len(a) == SMALL)
        torch.add(a[:end], b[:end], out=out[:end])

    assert run(short).startswith(words)


def test_scattered_ones_are_counted(run):
    def holes(launcher, a, b, out, **arguments):
        add(launcher, a, b, out)
        out[70_000:80_000] = 7_777

    sentence = run(holes)
    assert sentence.startswith("10,000 of 263,169 elements of out are wrong, the first at")
    assert "index 70,000, though smaller sizes are right" in sentence


def test_what_repeats_is_compared_once_and_counted_in_all(run):
    def every_period(launcher, a, b, out, **arguments):
        add(launcher, a, b, out)
        out[5::PERIOD] = 7_777

    count = -(-(SMALL - 5) // PERIOD)
    assert run(every_period).startswith(f"{count} of 263,169 elements of out are wrong")


def test_what_is_beside_the_period_is_seen(run):
    """Only the second half of the output is wrong; the first period is right."""

    def later(launcher, a, b, out, **arguments):
        add(launcher, a, b, out)
        out[2 * PERIOD + 7] = 7_777

    assert run(later).startswith(
        "1 of 263,169 elements of out are wrong, the first at index 131"
    )


def test_the_tolerance_holds_here_too(run):
    def off(launcher, a, b, out, **arguments):
        add(launcher, a, b, out)
        out.add_(1)

    assert run(off, ulp=1) is None
    assert run(off, ulp=0.5) is not None


def test_on_a_gpu_the_run_is_waited_for(fake_launcher, monkeypatch):
    waited = []
    monkeypatch.setattr(complete.machine, "present", lambda: SimpleNamespace(device="cpu"))
    monkeypatch.setattr(torch.cuda, "synchronize", lambda: waited.append("waited"))
    launcher = fake_launcher("int16_t a, int16_t b", "int16_t out", add)
    launcher.on_gpu = True
    make = ElementwiseMaker.of(launcher, REFERENCES["add"])
    assert complete.complete(launcher, make) is None and waited == ["waited"]


def test_inputs_of_one_dtype_share_a_tensor_and_others_have_their_own():
    drawn = [
        torch.arange(PERIOD, dtype=dtype) for dtype in (torch.float, torch.int, torch.float)
    ]
    period, inputs = complete._inputs(drawn, "cpu")
    a, b, c = inputs
    assert [x.dtype for x in (a, b, c)] == [torch.float, torch.int, torch.float]
    assert len(a) == len(b) == len(c) == complete.N
    assert (int(a[0]), int(b[0]), int(c[0])) == (0, 0, 1 << 14)
    assert c.data_ptr() - a.data_ptr() == 4 << 14
    for part, whole in zip(period, (a, b, c), strict=True):
        assert torch.equal(part, whole[:PERIOD]) and len(part) == PERIOD
        assert torch.equal(part, whole[3 * PERIOD : 4 * PERIOD])


def test_a_refused_launch_is_the_answer(fake_launcher):
    def refuse(launcher, x, out, **arguments):
        raise LaunchError("grid.x is 4294934657.")

    launcher = fake_launcher("float x", "float out", refuse)
    found = complete.complete(launcher, ElementwiseMaker.of(launcher, REFERENCES["cast"]))
    assert found.sentence.startswith("grid.x is 4294934657. Is the number of blocks computed")
    assert "int64_t" in found.sentence and found.fault is None


def test_a_fault_is_the_answer(fake_launcher):
    def fault(launcher, a, b, out, **arguments):
        raise KernelFault("read from a[-1]", kind=FaultKind.OUT_OF_BOUNDS)

    launcher = fake_launcher("int16_t a, int16_t b", "int16_t out", fault)
    found = complete.complete(launcher, ElementwiseMaker.of(launcher, REFERENCES["add"]))
    assert str(found) == "read from a[-1] [n = 263,169]"
    assert found.fault is FaultKind.OUT_OF_BOUNDS and complete.Result("wrong").fault is None


def test_a_grid_that_ends_at_no_limit_of_a_type_is_capped():
    wrong = torch.zeros(SMALL, dtype=torch.bool)
    wrong[600 * 256 :] = True
    told = complete._sentence("out", wrong, wrong)
    assert "does the grid end there, its number of blocks capped" in told
    assert "narrow" not in told


def test_a_grid_that_ends_after_65_535_blocks_is_capped(monkeypatch):
    size = 65_535 * 48 + 100  # of no limit of a type
    monkeypatch.setattr(complete, "N", size)
    wrong = torch.zeros(size, dtype=torch.bool)
    wrong[65_535 * 48 :] = True
    monkeypatch.setattr(complete, "LONGEST_TAIL", 10)
    told = complete._sentence("out", wrong, wrong)
    assert told.startswith(
        "all is right below index 3,145,680 = 65,535 x 48, and never written"
    )
    assert "capped" in told and "narrow" not in told


@pytest.mark.parametrize(
    ("first", "launch", "said"),
    [
        (600 * 256, (600, 256), "is the number of blocks capped?"),
        (800 * 256, (400, 256), "is the number of blocks capped?"),
        (257 * 4, (257, 4), "65,536 fewer than it needs): is the number of blocks kept in 16"),
        (600 * 256 + 8, (2000, 256), "enough for all: is a count of elements too narrow"),
        (600 * 256 + 8, (1000, 256), "does the grid end there, its number of blocks capped?"),
        (
            1 << 16,
            (2000, 256),
            "does the grid end there (its number of blocks capped, at 65,535",
        ),
    ],
)
def test_the_blocks_of_a_launch_tell_where_the_grid_ends(first, launch, said):
    wrong = torch.zeros(SMALL, dtype=torch.bool)
    wrong[first:] = True
    blocks, threads = launch
    launch = LaunchSize((blocks, 1, 1), (threads, 1, 1))
    told = complete._sentence("out", wrong, wrong, launch)
    assert told.startswith(f"all is right below index {first:,}") and said in told


def test_parts_that_a_grid_stride_loop_passes_over(run):
    def steps(launcher, a, b, out, **arguments):
        made = a + b
        for first in range(0, SMALL, 4096):
            out[first : first + 1024] = made[first : first + 1024]

    sentence = run(steps)
    assert sentence.startswith("3,072 of every 4,096 elements are never written, from index 1,")
    assert "does a grid-stride loop go on by more than" in sentence
