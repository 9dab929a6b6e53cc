"""Past 2^31 elements: what is right, wrong and undecided, with Python functions as kernels."""

from types import SimpleNamespace

import pytest
import torch

from helpers.emulator import FORWARD, REVERSE, REVERSE_COLUMNS, LaunchSize
from helpers.errors import FaultKind, KernelFault, LaunchError
from helpers.testing import past_2_31
from helpers.testing.past_2_31 import (
    ADVICE,
    BEGINNING_ADVICE,
    END,
    ENOUGH_ADVICE,
    INDEX_ADVICE,
    SIDE_ADVICE,
    SIZES,
    THREAD_ADVICE,
    TYPE_ADVICE,
    Huge,
    Layout,
    Outcome,
    Result,
    try_huge,
)

SMALL, LARGE = SIZES
BELOW = (1 << 28) + 1001  # for SMALL
TIMEOUT = KernelFault("still running", kind=FaultKind.TIMEOUT)


def add(a, b):
    return a + b


def add_the_end(a, b, out):
    """Write what a kernel with its last blocks first writes soon: the last elements.

    And the first ones, which it writes soon if those blocks are first.
    """
    for part in (slice(-END, None), slice(END)):
        out[part] = a[part] + b[part]


@pytest.fixture
def results(fake_launcher):
    """Check a function as a kernel: the results, and the launcher."""

    def of(function, reference=add, ulp=0, arguments=None, inputs="float a, float b"):
        launcher = fake_launcher(inputs, "float out", function)
        found = past_2_31.past_2_31(launcher, reference, ulp, arguments or {})
        return found, launcher

    return of


def outcomes(found):
    return [(result.n, result.outcome) for result in found]


def test_the_sizes_are_just_past_what_32_bits_hold():
    assert SIZES == (2**31 + 1001, 2**32 + 1024)
    assert past_2_31.BUSY == (1, 4, 16)
    assert SMALL - END < 2**31 < SMALL and LARGE - END == 2**32


def test_a_result_is_a_sentence():
    assert str(Result(1234567, Outcome.WRONG, "it is wrong")) == "it is wrong [n = 1,234,567]"
    assert Result(1, Outcome.RIGHT).fault is None


# ---- right


def test_a_right_kernel_is_launched_twice_a_size(results):
    seen = []

    def right(launcher, a, b, out, **arguments):
        seen.append((len(out), launcher.emulator.mode, arguments))
        assert (out[-END:].view(torch.uint8) == 0x5A).all() and out[END] == 0
        assert torch.equal(out[:END], out[-END:])
        assert a[-END:].abs().max() <= 9 and len(a[-END:].unique()) == 18
        assert not torch.equal(a[-END:], b[-END:]) and a[-END - 1] == 0
        add_the_end(a, b, out)

    found, launcher = results(right, arguments={"path": 2})
    assert outcomes(found) == [(SMALL, Outcome.RIGHT), (LARGE, Outcome.RIGHT)]
    assert seen == [(n, mode, {"path": 2}) for n in SIZES for mode in (REVERSE, FORWARD)]
    assert launcher.emulator.seconds == [0.02] * 4 and launcher.emulator.counts == [1] * 4


def test_a_kernel_that_is_stopped_after_its_end_is_right(results):
    def stopped(launcher, a, b, out, **arguments):
        add_the_end(a, b, out)
        raise TIMEOUT

    assert [result.outcome for result in results(stopped)[0]] == [Outcome.RIGHT] * 2


def test_elements_that_are_not_yet_written_do_not_count(results):
    def part(launcher, a, b, out, **arguments):
        out[-3:] = a[-3:] + b[-3:]
        raise TIMEOUT

    assert [result.outcome for result in results(part)[0]] == [Outcome.RIGHT] * 2


@pytest.mark.parametrize(("ulp", "outcome"), [(0, Outcome.WRONG), (1, Outcome.RIGHT)])
def test_the_tolerance_holds(results, ulp, outcome):
    def off_by_one(launcher, a, b, out, **arguments):
        add_the_end(a, b, out)
        if len(out) > 1 << 31:
            out[-1] = torch.nextafter(out[-1], torch.tensor(1e9))

    assert results(off_by_one, ulp=ulp)[0][0].outcome is outcome


def test_several_outputs_are_compared(fake_launcher):
    def kernel(launcher, a, out, other, **arguments):
        out[-END:] = a[-END:]
        other[-END:] = -a[-END:] if len(a) == LARGE else a[-END:]

    launcher = fake_launcher("float a", "float out, float other", kernel)
    found = past_2_31.past_2_31(launcher, lambda a: (a, a), 0, {})
    assert outcomes(found) == [(SMALL, Outcome.RIGHT), (LARGE, Outcome.WRONG)]


# ---- wrong


def wrong_past(n):
    def kernel(launcher, a, b, out, **arguments):
        add_the_end(a, b, out)
        if len(out) > n:
            out[-2] += 1

    return kernel


def test_wrong_last_elements(results):
    found, _ = results(wrong_past(1 << 31))
    assert outcomes(found) == [(SMALL, Outcome.WRONG)]  # the first wrong size is enough
    assert str(found[0]) == f"the last elements are wrong: {ADVICE} [n = 2,147,484,649]"
    found, _ = results(wrong_past(1 << 32))
    assert outcomes(found) == [(SMALL, Outcome.RIGHT), (LARGE, Outcome.WRONG)]


def test_elements_that_depend_on_others_are_undecided(results):
    """A kernel that is right, but whose last elements need the first: wrong below 2^31, too."""
    lengths = []

    def mirrored(launcher, a, b, out, **arguments):
        lengths.append(len(out))
        out[-END:] = a[:END].flip(0) + b[-END:]

    found, launcher = results(mirrored)
    assert outcomes(found) == [(SMALL, Outcome.UNDECIDED), (LARGE, Outcome.UNDECIDED)]
    assert lengths == [SMALL, BELOW, LARGE, (1 << 28) + 1024]
    assert launcher.emulator.seconds == [0.02, 0.2, 0.02, 0.2]


@pytest.mark.parametrize("below", ["never written", "fault"])
def test_what_fails_below_2_31_in_another_way_is_undecided(results, below):
    def kernel(launcher, a, b, out, **arguments):
        if len(out) > 1 << 31:
            out[-END:] = 100.0
        elif below == "fault":
            raise KernelFault("a fault", kind=FaultKind.BARRIER)

    assert results(kernel)[0][0].outcome is Outcome.UNDECIDED


def test_what_is_not_reached_below_2_31_does_not_excuse_wrong_elements(results):
    def kernel(launcher, a, b, out, **arguments):
        if len(out) < 1 << 31:
            raise TIMEOUT
        out[-END:] = 100.0

    assert results(kernel)[0][0].outcome is Outcome.WRONG


def test_a_fault_names_the_element(results):
    def overflows(launcher, a, b, out, **arguments):
        address = a.data_ptr() + 4 * (-(1 << 31) + 5)
        place = f"address {address:#x}"
        raise KernelFault(
            f"read from {place}", kind=FaultKind.OUT_OF_BOUNDS, address=address, place=place
        )

    (found,), _ = results(overflows)
    assert found.fault is FaultKind.OUT_OF_BOUNDS and found.outcome is Outcome.WRONG
    assert str(found) == (
        "read from a[-2,147,483,643], but a has 2,147,484,649 elements: "
        f"{ADVICE} [n = 2,147,484,649]"
    )


@pytest.mark.parametrize(
    ("block", "words"), [(511, INDEX_ADVICE), (2097152, INDEX_ADVICE), (8388611, THREAD_ADVICE)]
)
def test_a_block_of_a_small_number_counts_on_in_a_loop(results, block, words):
    def overflows(launcher, a, b, out, **arguments):
        thread = f"block ({block}, 0, 0), thread (255, 0, 0)"
        raise KernelFault("read from a", kind=FaultKind.OUT_OF_BOUNDS, thread=thread)

    (found,), _ = results(overflows)
    assert str(found) == f"read from a: {words} [n = 2,147,484,649]"


def test_what_a_whole_launch_leaves_unwritten_is_wrong(results):
    (found,), launcher = results(lambda *tensors, **arguments: None)
    assert str(found) == f"the last elements are never written: {ADVICE} [n = 2,147,484,649]"
    assert launcher.emulator.seconds == [0.02]


# ---- not reached in time


def slow(seconds_needed, below_needed=0.0):
    """Reach the end of a large or small size if there are so many seconds."""

    def kernel(launcher, a, b, out, **arguments):
        needed = seconds_needed if len(out) > 1 << 31 else below_needed
        if launcher.emulator.mode == FORWARD or launcher.emulator.seconds[-1] >= needed:
            add_the_end(a, b, out)
        raise TIMEOUT

    return kernel


def test_a_second_attempt_has_ten_times_as_long(results):
    found, launcher = results(slow(0.2))
    assert [result.outcome for result in found] == [Outcome.RIGHT] * 2
    assert launcher.emulator.seconds == [0.02, 0.2, 0.02] * 2


def test_a_third_attempt_where_a_smaller_size_was_reached(results):
    found, launcher = results(slow(1.0))
    assert [result.outcome for result in found] == [Outcome.RIGHT] * 2
    share = 0.2 * BELOW / SMALL
    assert launcher.emulator.seconds[:4] == [0.02, 0.2, pytest.approx(share), 1.0]


def test_an_end_that_is_reached_below_2_31_only_is_wrong(results):
    (found,), _ = results(slow(100.0))
    assert str(found) == (
        f"the last elements are not written, as they are with 268,436,457: {ADVICE} "
        "[n = 2,147,484,649]"
    )


def test_of_an_elementwise_launcher_one_smaller_size_decides(results):
    """An index of 32 bits that counts bytes ends at 2^30 elements, below 2^31, too."""

    def bytes_in_32_bits(launcher, a, b, out, **arguments):
        if len(out) < 1 << 30:
            add_the_end(a, b, out)
        raise TIMEOUT

    (found,), launcher = results(bytes_in_32_bits)
    assert found.outcome is Outcome.WRONG and len(launcher.calls) == 5


@pytest.mark.parametrize(("least", "wrong"), [(1 << 31, True), (0, False), (1 << 33, False)])
@pytest.mark.parametrize("stops", [True, False])
def test_first_elements_that_are_not_written_are_wrong_if_smaller_sizes_have_them(
    results, least, wrong, stops
):
    """A count of what is left is largest for the first ones: min(int(n - i), 4)."""

    def cut(launcher, a, b, out, **arguments):
        launcher.emulator.largest_launch = LaunchSize((1, 1, 1), (len(out) // 4, 1, 1))
        out[-END:] = a[-END:] + b[-END:]
        if len(out) < least or launcher.emulator.mode == REVERSE:
            out[:END] = 0
        out[1002:END] = 0
        if stops:
            raise TIMEOUT

    (found, *_), _ = results(cut)
    assert found.outcome is (Outcome.WRONG if wrong else Outcome.RIGHT)
    if wrong:
        assert found.sentence == (
            f"the first elements are not written, as they are with 268,436,457: "
            f"{BEGINNING_ADVICE}"
        )


def test_a_fault_of_the_first_blocks_is_wrong(results):
    def far(launcher, a, b, out, **arguments):
        add_the_end(a, b, out)
        if launcher.emulator.mode == FORWARD:
            raise KernelFault("read far outside", kind=FaultKind.OUT_OF_BOUNDS)

    (found,), _ = results(far)
    assert found.sentence.startswith("read far outside: ")


def test_a_launch_of_as_many_threads_for_each_element_had_enough(results):
    """Of pairs, say: the number of blocks is no question."""

    def pairs(launcher, a, b, out, **arguments):
        launcher.emulator.largest_launch = LaunchSize((1, 1, 1), (len(out) // 2 + 1, 1, 1))
        if len(out) < 1 << 30:
            add_the_end(a, b, out)

    (found,), _ = results(pairs)
    assert found.sentence.endswith(ENOUGH_ADVICE)


def test_blocks_that_are_numbered_by_columns_are_right(results):
    """Their last ones lie far apart where blocks run by rows."""

    def by_columns(launcher, a, b, out, **arguments):
        if launcher.emulator.mode in (REVERSE_COLUMNS, FORWARD) or len(out) < 1 << 31:
            add_the_end(a, b, out)
        raise TIMEOUT

    found, _ = results(by_columns)
    assert [result.outcome for result in found] == [Outcome.RIGHT] * 2


def test_a_launch_of_enough_threads_has_no_number_of_blocks_to_look_at(results):
    def narrow(launcher, a, b, out, **arguments):
        launcher.emulator.largest_launch = LaunchSize((1, 1, 1), (len(out), 1, 1))

    (found,), _ = results(narrow)
    assert found.sentence.endswith(ENOUGH_ADVICE) and "number of blocks" not in found.sentence


def test_an_end_that_is_never_reached_is_undecided(results):
    found, launcher = results(slow(100.0, 100.0))
    assert outcomes(found) == [(SMALL, Outcome.UNDECIDED), (LARGE, Outcome.UNDECIDED)]
    assert len(launcher.calls) == 6


# ---- not to be had


def test_a_count_that_does_not_fit_is_undecided_and_says_so(results):
    def refused(launcher, a, b, out, **arguments):
        raise ValueError("too large")

    found, _ = results(refused)
    assert [result.outcome for result in found] == [Outcome.UNDECIDED] * 2
    assert found[0].sentence == "the call was refused"


def test_a_refused_launch_of_an_elementwise_kernel_is_wrong(results):
    def refused(launcher, a, b, out, **arguments):
        raise LaunchError("the launch was refused.")

    (found,) = results(refused)[0]
    assert found.outcome is Outcome.WRONG and "gridDim.y" in found.sentence


@pytest.mark.parametrize(
    ("side", "size", "words"),
    [
        ("grid.y", 65_536, SIDE_ADVICE),
        ("grid.z", 524_289, SIDE_ADVICE),
        ("grid.y", 0, TYPE_ADVICE),
        ("grid.z", 4_294_934_657, TYPE_ADVICE),
        ("grid.x", 4_294_934_657, TYPE_ADVICE),
    ],
)
def test_only_a_size_that_no_grid_has_is_about_its_type(results, side, size, words):
    def refused(launcher, a, b, out, **arguments):
        raise LaunchError("refused.", side=side, size=size)

    assert results(refused)[0][0].sentence == f"refused. {words}"


def total(n, end):
    x = torch.ones(4)
    return Layout((((n,), slice(-4, None), x),), (((1,), torch.tensor([4.0]).double()),), True)


@pytest.mark.parametrize(("value", "outcome"), [(4.0, Outcome.RIGHT), (0.0, Outcome.WRONG)])
def test_a_total_is_compared_if_the_launch_ends(fake_launcher, value, outcome):
    launcher = fake_launcher(
        "float x", "float out", lambda it, x, out, **more: out.fill_(value)
    )
    assert try_huge(launcher, Huge("n", total, SMALL, 1 << 20)).outcome is outcome
    assert launcher.emulator.seconds == [0.3]
    beyond = Huge("n", total, LARGE, 1 << 20)
    assert try_huge(launcher, beyond).outcome is outcome
    assert launcher.emulator.seconds == [0.3, 0.1]


def test_a_total_that_is_stopped_or_refused_is_undecided(fake_launcher):
    for error in (TIMEOUT, LaunchError("refused")):

        def stopped(launcher, x, out, error=error, **arguments):
            out.fill_(1.0)
            raise error

        launcher = fake_launcher("float x", "float out", stopped)
        result = try_huge(launcher, Huge("n", total, SMALL, 1 << 20))
        assert result.outcome is Outcome.UNDECIDED and result.sentence


def test_a_total_has_more_time_while_other_processes_have_the_core(fake_launcher, monkeypatch):
    def stopped(launcher, x, out, **arguments):
        clock[0] += next(cpu)
        raise TIMEOUT

    monkeypatch.setattr(past_2_31.time, "process_time", lambda: clock[0])
    launcher = fake_launcher("float x", "float out", stopped)
    for seconds, calls in (((0.2,), 1), ((0.15, 0.16), 2), ((0.1, 0.1, 0.1), 3)):
        clock, cpu, before = [0.0], iter(seconds), len(launcher.calls)
        result = try_huge(launcher, Huge("n", total, SMALL, 1 << 20))
        assert result.outcome is Outcome.UNDECIDED
        assert len(launcher.calls) - before == calls


def test_no_memory_is_undecided(results, monkeypatch):
    def nothing(n, dtype, alignment, only_read):
        raise MemoryError

    monkeypatch.setattr(past_2_31, "sparse", nothing)
    found, launcher = results(wrong_past(0))
    assert [result.outcome for result in found] == [Outcome.UNDECIDED] * 2
    assert not launcher.calls


def test_tensors_keep_their_alignment(fake_launcher):
    def kernel(launcher, a, out, **arguments):
        assert a.data_ptr() % 16 == 0 and out.data_ptr() % 2 == 0
        out[-END:] = a[-END:].half()

    launcher = fake_launcher("float a", "half out", kernel, alignment={"a": 16})
    found = past_2_31.past_2_31(launcher, lambda a: a, 0, {})
    assert [result.outcome for result in found] == [Outcome.RIGHT] * 2


@pytest.mark.parametrize(
    ("near_seconds", "outcome"), [(0.0, Outcome.WRONG), (9.0, Outcome.UNDECIDED)]
)
def test_a_loop_that_is_slow_just_below_2_31_too_is_undecided(
    fake_launcher, near_seconds, outcome
):
    """A grid-stride loop has one element a thread in a small size, and many in a large one."""
    size = (1 << 31) + 1000

    def kernel(launcher, x, out, **arguments):
        needed = {size: 9.0, 1 << 20: 0.0}.get(len(out), near_seconds)
        if launcher.emulator.seconds[-1] < needed:
            raise TIMEOUT
        out[-4:] = x[-4:]

    def build(n, end):
        x = torch.arange(1.0, 5.0)
        return Layout((((n,), slice(-4, None), x),), (((n,), x.double()),))

    launcher = fake_launcher("int8_t x", "int8_t out", kernel)
    found = try_huge(launcher, Huge("x", build, size, 1 << 20))
    assert found.outcome is outcome
    attempts = 5 if outcome is Outcome.UNDECIDED else 6  # the last one by columns of blocks
    assert launcher.emulator.seconds[-1] == 0.2 and len(launcher.emulator.seconds) == attempts


@pytest.mark.parametrize(("parts_from", "outcome"), [(0, "UNDECIDED"), (1 << 31, "WRONG")])
def test_elements_that_several_blocks_add_to_are_undecided(fake_launcher, parts_from, outcome):
    """The launch is stopped when some of the blocks have added their parts."""
    size, lengths = (1 << 31) + 1000, []

    def kernel(launcher, x, out, **arguments):
        lengths.append(len(out))
        complete = len(out) == 1 << 20 or len(out) < parts_from
        out[-4:] = x[-4:] if complete else x[-4:] / 2

    def build(n, end):
        x = torch.arange(2.0, 10.0, 2.0)
        return Layout((((n,), slice(-4, None), x),), (((n,), x.double()),))

    launcher = fake_launcher("int8_t x", "int8_t out", kernel)
    found = try_huge(launcher, Huge("x", build, size, 1 << 20))
    assert found.outcome is Outcome[outcome]
    assert lengths == [size, 1 << 20, (1 << 31) - 1]


WIDE = "__global__ void k(const int64_t* x, int64_t* y, int n) {{ {} }}"


@pytest.mark.parametrize(
    ("body", "narrow"),
    [
        ("int i = blockIdx.x * 256 + threadIdx.x; int64_t v = x[i]; y[i] = v;", True),
        ("__shared__ int64_t tile[32]; int i = threadIdx.x; tile[i] = (int64_t)x[i];", True),
        ("int64_t i = blockIdx.x * 256LL + threadIdx.x; y[i] = x[i];", False),
        ("for (int64_t i = threadIdx.x; i < n; i += 256) y[i] = x[i];", False),
        ("int r = threadIdx.y; y[(int64_t)r * n] = x[static_cast<size_t>(r) * n];", False),
    ],
)
def test_elements_of_64_bits_are_no_wide_indices(fake_launcher, monkeypatch, body, narrow):
    launcher = fake_launcher("int64_t x", "int64_t y")
    sizes = [SimpleNamespace(largest=(1 << 31) - 1)]
    monkeypatch.setattr(type(launcher.declaration), "sizes", sizes)
    code = [WIDE.format(body)]
    monkeypatch.setattr(past_2_31.reachable, "definitions", lambda launcher: code)
    assert past_2_31.counts_in_32_bits(launcher) is narrow
