"""Hundreds of small calls at once: which are made, and that each way to be wrong is found."""

import contextlib
import itertools

import pytest
import torch

from helpers.errors import FaultKind, KernelFault
from helpers.testing import sweep
from helpers.testing.buffers import POISON
from helpers.testing.cases import ElementwiseMaker
from helpers.testing.references import REFERENCES
from helpers.testing.sweep import Call, Sweep, _runs


def add(launcher, a, b, out, **arguments):
    torch.add(a, b, out=out)


def swept(fake_launcher, function=add, ulp=0, **more):
    launcher = fake_launcher("float a, float b", "float out", function, **more)
    return Sweep(launcher, ElementwiseMaker.of(launcher, REFERENCES["add"], ulp))


# ---- which calls ------------------------------------------------------------


def test_every_start_within_16_bytes_is_combined_with_every_other(fake_launcher):
    launcher = fake_launcher("float a, float b", "float out")
    assert sorted(sweep.starts(launcher)) == list(itertools.product(range(4), repeat=3))
    halves = fake_launcher("half x", "half out")
    assert sorted(sweep.starts(halves)) == list(itertools.product(range(8), repeat=2))
    bytes_ = fake_launcher("int8_t x", "int64_t out")
    assert sorted(sweep.starts(bytes_)) == list(itertools.product(range(16), range(2)))


def test_a_declared_alignment_leaves_fewer_starts(fake_launcher):
    some = fake_launcher("half x", "half out", alignment={"x": 16, "out": 4})
    assert sorted(sweep.starts(some)) == [(0, 0), (0, 2), (0, 4), (0, 6)]


def test_of_too_many_starts_some_are_chosen_evenly(fake_launcher):
    four = fake_launcher("half a, half b, half c, half d", "half out")  # 8^5 = 32,768
    chosen = sweep.starts(four)
    assert chosen[0] == (0, 0, 0, 0, 0)
    assert len(chosen) == sweep.MOST_STARTS == 4096
    for column in zip(*chosen, strict=True):
        counts = torch.bincount(torch.tensor(column))
        assert len(counts) == 8 and int(counts.min()) > 400


def test_every_size_and_every_block_size_is_called(fake_launcher):
    calls = sweep.calls(fake_launcher("float a, float b", "float out"))
    sizes = [call.n for call in calls if not call.arguments]
    assert min(sizes) == 1
    assert all(sizes.count(n) >= 4 for n in range(1, 71))
    assert {4095, 4096, 4097, 4109, 8191, 8205, 95, 96, 109} <= set(sizes)
    with_blocks = {(call.n, call.arguments["block_size"]) for call in calls if call.arguments}
    assert {(31, 32), (96, 96), (193, 192), (3 * 1024 + 17, 1024)} <= with_blocks
    assert {(65, 32), (129, 32), (257, 32), (8193, 1024)} <= with_blocks
    assert len(with_blocks) == 8 * 4 + 8 * 3
    assert {call.offsets for call in calls} == set(itertools.product(range(4), repeat=3))
    assert all(0 <= call.first and call.first + call.n < sweep.POOL for call in calls)


def test_a_launcher_without_a_block_size_gets_none(fake_launcher):
    launcher = fake_launcher("float x", "float out", scalars="")
    assert not any(call.arguments for call in sweep.calls(launcher))


def test_every_start_is_tried_with_whole_packs_and_remainders(fake_launcher):
    calls = sweep.calls(fake_launcher("float a, float b", "float out"))[-64:]
    assert [call.offsets for call in calls] == list(itertools.product(range(4), repeat=3))
    assert [call.n for call in calls[:33]] == [*range(8, 39), 8, 9]


def test_runs_are_joined():
    starts, sizes = torch.tensor([5, 0, 9]).numpy(), torch.tensor([3, 1, 2]).numpy()
    assert _runs(starts, sizes).tolist() == [5, 6, 7, 0, 9, 10]


# ---- what it finds ------------------------------------------------------------


def test_a_right_launcher_is_called_once_a_call(fake_launcher):
    whole = swept(fake_launcher)
    assert whole.run() is None
    assert whole.launcher.calls == [call.arguments for call in whole.calls]
    fewer = Sweep(whole.launcher, whole.make, every=7)
    assert fewer.calls == whole.calls[::7] and fewer.run() is None


def test_tensors_start_where_the_call_says(fake_launcher):
    seen = []

    def look(launcher, a, b, out, **arguments):
        seen.append(tuple(x.data_ptr() % 16 // 4 for x in (a, b, out)))
        add(launcher, a, b, out)

    whole = swept(fake_launcher, look)
    assert whole.run() is None
    assert seen == [call.offsets for call in whole.calls]


@pytest.mark.parametrize("n", [1, 37, 64, 70, 8205])
def test_one_lost_element_of_one_size_is_found(fake_launcher, n):
    def loses(launcher, a, b, out, **arguments):
        add(launcher, a, b, out)
        if len(out) == n:
            out.view(torch.int32)[-1] = POISON[4][0]

    whole = swept(fake_launcher, loses)
    k = whole.run()
    assert whole.calls[k].n == n and all(call.n != n for call in whole.calls[:k])
    assert whole.seen.startswith(f"out[{n - 1:,}] is nan, not ")


def test_the_words_of_an_error_are_kept(fake_launcher):
    def fails(launcher, a, b, out, **arguments):
        add(launcher, a, b, out)
        if len(out) == 37:
            raise KernelFault("the 37th")

    whole = swept(fake_launcher, fails)
    assert whole.calls[whole.run()].n == 37 and whole.seen == "the 37th"


@pytest.mark.parametrize("place", [0, 1, 2])
@pytest.mark.parametrize("before", [False, True])
def test_a_write_next_to_any_tensor_is_found(fake_launcher, place, before):
    def strays(launcher, *tensors, **arguments):
        add(launcher, *tensors)
        x = tensors[place]
        if len(x) == 33:
            start = x.storage_offset()
            x.as_strided((1,), (1,), start - 1 if before else start + len(x)).fill_(1.0)

    whole = swept(fake_launcher, strays)
    k = whole.run()
    assert whole.calls[k].n == 33 or (before and whole.calls[k + 1].n == 33)


def test_a_write_to_an_input_is_found(fake_launcher):
    def writes(launcher, a, b, out, **arguments):
        add(launcher, a, b, out)
        if len(a) == 12:
            a[3] = 0.5

    whole = swept(fake_launcher, writes)
    assert whole.calls[whole.run()].n == 12


def test_a_fault_ends_the_sweep_at_its_call(fake_launcher):
    def faults(launcher, a, b, out, **arguments):
        if len(a) == 9:
            raise KernelFault("no", kind=FaultKind.OUT_OF_BOUNDS)
        add(launcher, a, b, out)

    whole = swept(fake_launcher, faults)
    k = whole.run()
    assert whole.calls[k].n == 9 and len(whole.launcher.calls) == k + 1


def test_the_tolerance_holds_and_the_sign_of_zero_does_not_escape(fake_launcher):
    def off(launcher, a, b, out, **arguments):
        out.copy_(torch.nextafter(a + b, torch.tensor(float("inf"))))

    assert swept(fake_launcher, off).run() == 0
    assert swept(fake_launcher, off, ulp=1).run() is None


def test_a_call_is_repeated_as_a_case_of_the_same_numbers(fake_launcher):
    whole = swept(fake_launcher)
    k = next(k for k, call in enumerate(whole.calls) if any(call.offsets))
    call, case = whole.calls[k], whole.case(k)
    assert case.offset == call.offsets and len(case.inputs[0]) == call.n
    assert torch.equal(case.inputs[0], whole.arenas["a"].slot(k))
    assert case.label.startswith(f"n = {call.n:,}, starting ")
    assert torch.equal(case.expected[0], case.inputs[0].double() + case.inputs[1].double())
    k = next(k for k, call in enumerate(whole.calls) if call.arguments)
    size = whole.calls[k].arguments["block_size"]
    assert whole.case(k).arguments == {"block_size": size}
    assert f", block_size = {size}" in whole.case(k).label


@pytest.mark.parametrize(("output_at", "input_at"), [(9, 40), (40, 9)])
def test_the_first_of_several_wrong_calls_is_found(fake_launcher, output_at, input_at):
    def wrong_twice(launcher, a, b, out, **arguments):
        add(launcher, a, b, out)
        if len(out) == output_at:
            out[2] = 77.0
        if len(a) == input_at:
            a[2] = 77.0

    whole = swept(fake_launcher, wrong_twice)
    assert whole.calls[whole.run()].n == 9


def test_the_tolerance_holds_for_the_first_element_of_the_pool(fake_launcher, monkeypatch):
    def off(launcher, a, b, out, **arguments):
        out.copy_(torch.nextafter(a + b, torch.tensor(float("inf"))))

    monkeypatch.setattr(sweep, "calls", lambda launcher: [Call(5, 0, (0, 0, 0), {})])
    assert swept(fake_launcher, off, ulp=1).run() is None
    assert swept(fake_launcher, off).run() == 0


# ---- by exact numbers


def test_each_size_that_is_called(fake_launcher):
    sizes = [n for n in range(1, 71) for _ in range(4)]
    for edge in (96, 128, 192, 256, 320, 384, 512, 768, 1024, 1536, 2048, 4096, 8192):
        sizes += [edge - 1, edge, edge + 1, edge + 13]
    calls = sweep.calls(fake_launcher("float a, float b", "float out"))
    edges = (96, 128, 192, 256, 320, 384, 512, 768, 1024, 1536, 2048, 4096, 8192)
    packs = [(edge + 1, {}) for edge in edges]
    for size in (32, 64, 96, 128, 192, 256, 512, 1024):
        packs += [(width * size + 1, {"block_size": size}) for width in (2, 4, 8)]
    first, calls = calls[: len(packs)], calls[len(packs) :]
    assert [(call.n, call.arguments) for call in first] == packs
    assert {call.offsets for call in first} == {(0, 0, 0)}
    assert [call.n for call in calls[: len(sizes)]] == sizes
    assert all(call.arguments == {} for call in calls[: len(sizes)])
    blocks = []
    for size in (32, 64, 96, 128, 192, 256, 512, 1024):
        blocks += [(n, {"block_size": size}) for n in (size - 1, size, size + 1, 3 * size + 17)]
    some = calls[len(sizes) : len(sizes) + 32]
    assert [(call.n, call.arguments) for call in some] == blocks
    rest = calls[len(sizes) + 32 :]
    assert [(call.n, call.arguments) for call in rest] == [(8 + k % 31, {}) for k in range(64)]


@pytest.mark.parametrize(
    ("inputs", "output", "least"),
    [("float a", "float out", 8), ("half a", "float out", 16), ("int8_t a", "double out", 32)],
)
def test_the_starts_are_tried_from_two_of_the_widest_packs_on(
    fake_launcher, inputs, output, least
):
    launcher = fake_launcher(inputs, output)
    count = len(sweep.starts(launcher))
    sizes = [call.n for call in sweep.calls(launcher)[-count:]]
    assert sizes == [least + k % 31 for k in range(count)]


def test_the_numbers_of_a_call_begin_anywhere_in_the_pool(fake_launcher):
    calls = sweep.calls(fake_launcher("float a, float b", "float out"))
    assert sweep.POOL == 16_411 and max(call.first + call.n for call in calls) < 16_411
    small = [call.first for call in calls if call.n < 100]
    assert min(small) < 300 and max(small) > 16_000 and len(set(small)) > 0.9 * len(small)
    large = [call.first for call in calls if call.n > 8000]
    assert max(large) < 16_411 - 8191


def test_4096_combinations_of_starts_are_all_tried(fake_launcher):
    four = fake_launcher("half a, half b, half c", "half out")  # 8^4
    assert sweep.starts(four) == list(itertools.product(range(8), repeat=4))
    wide = fake_launcher("double a", "double out", alignment={"a": 16})
    assert sweep.starts(wide) == [(0, 0), (0, 1)]


def arena(*some, dtype=torch.float32):
    """Make an arena for calls of n elements at an offset."""
    calls = [Call(n, 0, (9, offset), {}) for n, offset in some]
    return sweep._Arena(False, dtype, calls, 1)


def test_each_slot_has_16_bytes_behind_it_and_begins_past_a_boundary():
    some = arena((60, 0), (61, 0), (57, 3), (57, 4), (1, 1))
    assert some.tensor.data_ptr() % 256 == 0 and some.tensor.dtype is torch.float32
    assert some.starts.tolist() == [0, 64, 192 + 3, 256 + 4, 384 + 1]
    assert some.sizes.tolist() == [60, 61, 57, 57, 1]
    assert len(some.tensor) == len(some.content) == 448 + 64  # a boundary behind the last
    for x in (some.tensor, some.content):
        assert bool((x.view(torch.int32) == POISON[4][0]).all())
    of_half = arena((120, 0), (121, 1), (8, 2), dtype=torch.float16)
    assert of_half.starts.tolist() == [0, 128 + 1, 384 + 2]
    assert len(of_half.tensor) == 512 + 128


def test_a_slot_is_the_tensor_of_its_call():
    some = arena((3, 1), (2, 0))
    assert some.index().tolist() == [1, 2, 3, 64, 65]
    some.slot(1).fill_(5.0)
    assert (some.tensor == 5.0).nonzero().flatten().tolist() == [64, 65]
    assert len(some.slot(0)) == 3
    at = [some.call_of(element) for element in (0, 1, 3, 4, 63, 64, 65, 100)]
    assert at == [0, 0, 0, 0, 0, 1, 1, 1]


def test_all_calls_share_one_pool(fake_launcher):
    whole = swept(fake_launcher)
    assert [len(x) for x in whole.pool.inputs] == [16_411] * 2
    assert list(whole.arenas) == ["a", "b", "out"]
    for k in (0, 100, len(whole.calls) - 1):
        call = whole.calls[k]
        part = slice(call.first, call.first + call.n)
        a, b = (x[part] for x in whole.pool.inputs)
        assert torch.equal(whole.arenas["a"].slot(k), a)
        assert torch.equal(whole.arenas["b"].slot(k), b)
        filled = whole.arenas["out"].slot(k).view(torch.int32)
        assert bool((filled == POISON[4][0]).all())
        out = whole.arenas["out"]
        start = int(out.starts[k])
        assert torch.equal(out.content[start : start + call.n], whole.pool.wanted[0][part])


@pytest.mark.parametrize("written", [True, False])
def test_truth_values_are_compared_by_their_bytes(fake_launcher, written):
    """Of some CPUs a copy of the byte 90 as a bool is 1: as right as what was written."""

    def either(launcher, a, b, out, **arguments):
        out[: len(a) - (not written)] = (a | b)[: len(a) - (not written)]

    launcher = fake_launcher("bool a, bool b", "bool out", either)
    some = Sweep(launcher, ElementwiseMaker.of(launcher, lambda a, b: (a + b) > 0, 0))
    assert (some.run() is None) is written


def test_the_case_of_a_call_is_named_after_it(fake_launcher, monkeypatch):
    some = [
        Call(5, 7, (0, 0, 0), {}),
        Call(1025, 2, (0, 1, 2), {"block_size": 64}),
    ]
    monkeypatch.setattr(sweep, "calls", lambda launcher: some)
    whole = swept(fake_launcher)
    first, second = whole.case(0), whole.case(1)
    assert (first.label, first.offset, first.arguments) == ("n = 5", (0, 0, 0), {})
    where = "starting 0, 1, 2 elements into a buffer"
    assert second.label == f"n = 1,025, block_size = 64, {where}"
    assert torch.equal(first.inputs[0], whole.pool.inputs[0][7:12])
    assert second.arguments == {"block_size": 64} and second.offset == (0, 1, 2)


def test_the_arguments_of_the_check_go_to_every_call(fake_launcher):
    launcher = fake_launcher("float a, float b", "float out", add, scalars="int path = 0, ")
    make = ElementwiseMaker.of(launcher, REFERENCES["add"], 0, {"path": 2})
    assert Sweep(launcher, make).run() is None
    assert all(arguments == {"path": 2} for arguments in launcher.calls)


def test_what_is_near_in_one_place_does_not_hide_a_wrong_one(fake_launcher, monkeypatch):
    """With a tolerance: call 0 is off by a unit, call 1 by far, behind it a slot is touched."""
    some = [Call(5, 0, (0, 0, 0), {}), Call(6, 50, (0, 0, 0), {}), Call(7, 90, (0, 0, 0), {})]
    monkeypatch.setattr(sweep, "calls", lambda launcher: some)

    def near_and_far(launcher, a, b, out, **arguments):
        out.copy_(torch.nextafter(a + b, torch.tensor(float("inf"))))
        if len(out) == 6:
            out[3] += 1.0

    assert swept(fake_launcher, near_and_far, ulp=1).run() == 1

    def strays(launcher, a, b, out, **arguments):
        add(launcher, a, b, out)
        if len(out) == 7:
            out.as_strided((1,), (1,), out.storage_offset() + 7).fill_(1.0)

    assert swept(fake_launcher, strays, ulp=1).run() == 2


def test_on_a_gpu_faults_are_named_and_the_sweep_waits_once(fake_launcher, monkeypatch):
    waited, named = [], []

    @contextlib.contextmanager
    def named_faults():
        named.append(True)
        yield

    monkeypatch.setattr(sweep, "named_faults", named_faults)
    monkeypatch.setattr(torch.cuda, "synchronize", lambda: waited.append(True))
    whole = swept(fake_launcher)
    assert whole.run() is None and not waited and not named
    whole.launcher.on_gpu = True
    assert whole.run() is None and waited == named == [True]
