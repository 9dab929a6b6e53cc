"""A setting's candidates are checked, captured in their context, and timed in turn."""

import contextlib
import dataclasses
from types import SimpleNamespace

import pytest
import torch

from helpers.measure.libraries import interleaved
from helpers.measure.libraries.candidates import Candidate
from helpers.measure.libraries.interleaved import ALONE, BETWEEN, COLD, HOT, Setting
from helpers.measure.libraries.operators import Operator

ADD = Operator.of("add", "float32", "float32")


def candidate(name="torch", error=0.0, note=None):
    def bind(inputs, out):
        def call():
            torch.add(*inputs, out=out).add_(error)
            if note is not None:
                note.append("ours")

        return call

    return Candidate(name, "1", bind)


def no_driver(monkeypatch):
    monkeypatch.setattr(interleaved, "_handle", lambda: None)


def test_candidates_are_timed_in_turn(fake_gpu, monkeypatch):
    no_driver(monkeypatch)
    some = [candidate("course"), candidate("torch")]
    times, state = interleaved.measure(Setting(ADD, 1000, HOT), some, rounds=3)
    assert list(times) == some and all(len(t.samples) == 3 for t in times.values())
    assert fake_gpu.timed == 2 * 2 * 3  # one replay warms up
    assert [len(calls) for calls, _ in fake_gpu.captured] == [1, 1]
    assert state == (None, None, None, "")


def test_each_placement_is_a_batch_on_new_buffers(fake_gpu, monkeypatch):
    no_driver(monkeypatch)
    seen = []

    def bind(inputs, out):
        seen.append(out.data_ptr())
        return candidate().bind(inputs, out)

    def late(inputs, out):  # is right once
        if len(seen) > 1:
            raise RuntimeError("no longer")
        return candidate().bind(inputs, out)

    some = [Candidate("torch", "", bind), Candidate("CUB", "", late)]
    times, _ = interleaved.measure(Setting(ADD, 1000, HOT), some, rounds=2, placements=3)
    assert [one.name for one in times] == ["torch"] and len(seen) == 3
    (batches,) = [one.batches for one in times.values()]
    assert [len(batch) for batch in batches] == [2, 2, 2]


def test_cold_takes_sets_of_buffers_in_turn(fake_gpu, monkeypatch):
    no_driver(monkeypatch)
    interleaved.measure(Setting(ADD, 10 << 20, COLD), [candidate()], rounds=2)
    ((calls, launches),) = fake_gpu.captured
    assert len(calls) == 2 and launches % 2 == 0 and fake_gpu.timed == 2


def test_a_wrong_candidate_is_left_out_and_said(fake_gpu, monkeypatch, capsys):
    no_driver(monkeypatch)
    some = [candidate("course", 2.0**-20), candidate("torch"), candidate("CUB", 1.0)]
    times, _ = interleaved.measure(Setting(ADD, 1000, HOT, (1, 0, 0)), some, rounds=1)
    assert [one.name for one in times] == ["torch"]
    said = capsys.readouterr().out
    assert "course is left out of add float32, 1,000, graph hot, offsets 1 0 0" in said
    assert "CUB is wrong by" in said


def test_between_kernels_of_pytorch(fake_gpu, monkeypatch):
    no_driver(monkeypatch)
    order = []
    flipped = torch.neg
    monkeypatch.setattr(torch, "neg", lambda x, out: order.append("neg") or flipped(x, out=out))
    one = candidate(note=order)
    interleaved.measure(Setting(ADD, 100, BETWEEN), [one], rounds=1)
    ((calls, _),) = fake_gpu.captured
    order.clear()
    calls[0]()
    assert order == ["neg", "ours"]


def test_the_drivers_state_is_read(monkeypatch):
    answers = {
        "nvmlDeviceGetCurrentClocksThrottleReasons": 4,
        "nvmlDeviceGetPowerUsage": 612_500,
    }
    monkeypatch.setattr(interleaved, "_handle", lambda: "a GPU")
    monkeypatch.setattr(
        interleaved.driver,
        "ask",
        lambda question, handle, kind=0: answers.get(question, {1: 1980, 2: 3201}.get(kind)),
    )
    assert interleaved.state() == (1980, 3201, 612.5, "the power limit")
    answers.clear()
    assert interleaved.state() == (1980, 3201, None, "")


def test_a_setting_as_text():
    assert str(Setting(ADD, 1 << 20, HOT)) == "add float32, 1,048,576, graph hot"
    assert Setting(ADD, 1, HOT, (1, 2, 0)).offsets_text == "1 2 0"


def test_a_result_of_the_candidate_before_does_not_count(fake_gpu, monkeypatch, capsys):
    no_driver(monkeypatch)
    nothing = Candidate("course", "", lambda inputs, out: lambda: None)
    times, _ = interleaved.measure(Setting(ADD, 100, HOT), [candidate(), nothing], rounds=1)
    assert [one.name for one in times] == ["torch"]
    assert "course is left out" in capsys.readouterr().out


def test_a_library_may_be_off_by_8_ulp(fake_gpu, monkeypatch, capsys):
    no_driver(monkeypatch)
    scale = Operator.of("scale", "float32", "float32")

    def off(name, ulp):
        def bind(inputs, out):
            def call():
                inputs[0].fill_(1.0)
                out.copy_((inputs[0].double() * 1.7 + ulp * 2.0**-23).float())

            return call

        return Candidate(name, "1", bind)

    some = [off("course", 0), off("template", 3), off("CUB", 7.8), off("CuPy", 9)]
    times, _ = interleaved.measure(Setting(scale, 100, HOT), some, rounds=1)
    assert [one.name for one in times] == ["course", "CUB"]
    said = capsys.readouterr().out
    assert "template is wrong by 3.4 ulp: scale float32, 100, graph hot" in said
    assert "CheckError: CuPy is wrong by 9.4 ulp" in said


def test_an_error_is_cut_at_200_characters(fake_gpu, monkeypatch, capsys):
    no_driver(monkeypatch)

    def bind(inputs, out):
        raise RuntimeError("y" * 300)

    interleaved.measure(Setting(ADD, 8, HOT), [Candidate("CUB", "", bind)], rounds=1)
    said = capsys.readouterr().out
    assert said == f"CUB is left out of add float32, 8, graph hot: RuntimeError: {'y' * 200}\n"


@pytest.fixture
def small_l2(fake_gpu, monkeypatch):
    """Pretend a card with 1 MB of L2 and 4.8 TB/s, whose driver says nothing."""
    no_driver(monkeypatch)
    here = dataclasses.replace(interleaved.bench.require_gpu(), l2_bytes=1_000_000)
    monkeypatch.setattr(interleaved.bench, "require_gpu", lambda: here)
    card = SimpleNamespace(dram_GBps=4800.0)
    monkeypatch.setattr(interleaved.roofs, "this_gpu", lambda: card)
    return fake_gpu


def test_a_graph_has_two_milliseconds_of_launches(small_l2):
    for elements, method in ((400_000, HOT), (100_000, COLD), (400_000, COLD)):
        interleaved.measure(Setting(ADD, elements, method), [candidate()], rounds=1)
    found = [(len(calls), launches) for calls, launches in small_l2.captured]
    # 4.8 MB a launch: 1 us for it and 1 us for its bytes; 1.2 MB: 1.25 us, 4 sets pass 4 MB
    assert found == [(1, 1000), (4, 1600), (2, 1000)]


def test_alone_each_launch_stands_behind_a_flush(small_l2, monkeypatch):
    asked = []

    def time_alone(calls, rounds, flush):
        asked.append((list(calls), rounds, flush.__self__.numel(), flush.__self__.dtype))
        return {}

    monkeypatch.setattr(interleaved, "time_alone", time_alone)
    some = [candidate("course"), candidate("torch")]
    assert interleaved.measure(Setting(ADD, 100, ALONE), some, rounds=3)[0] == {}
    assert (
        asked == [(some, 3 * interleaved.ALONE_ROUNDS, 8_000_000, torch.uint8)]
        and small_l2.captured == []
    )


def test_alone_the_order_is_new_each_round(fake_gpu):
    done = []
    fake_gpu.us = lambda k: 500.0 if k % 2 == 0 else 10.0 + "abc".index(done[-1])
    calls = {name: lambda name=name: done.append(name) for name in "abc"}
    times = interleaved.time_alone(calls, 12, lambda: done.append("flush"))
    assert {name: set(one.samples) for name, one in times.items()} == {
        "a": {10.0},
        "b": {11.0},
        "c": {12.0},
    }
    assert all(len(one.batches) == 12 for one in times.values())
    assert done[::2] == ["flush"] * 36
    orders = {tuple(done[k + 1 : k + 6 : 2]) for k in range(0, 72, 6)}
    assert len(orders) > 1 and {"".join(sorted(order)) for order in orders} == {"abc"}


def test_the_first_four_work_while_the_driver_is_asked(fake_gpu, monkeypatch):
    counts, asked = {}, []

    def capture(calls, launches):
        name = len(counts)
        counts[name] = 0

        def replay():
            counts[name] += 1
            return launches

        return replay

    monkeypatch.setattr(fake_gpu, "capture", capture)
    monkeypatch.setattr(interleaved, "state", lambda: asked.append(dict(counts)) or "state")
    some = [candidate(f"library {k}") for k in range(6)]
    _, now = interleaved.measure(Setting(ADD, 100, HOT), some, rounds=1)
    assert now == "state" and asked == [{0: 4, 1: 4, 2: 4, 3: 4, 4: 3, 5: 3}]


def test_a_kernel_between_rewrites_numbers_and_conditions():
    for x, want in (
        (torch.tensor([1.0, -2.0]), torch.tensor([-1.0, 2.0])),
        (torch.tensor([True, False]), torch.tensor([False, True])),
    ):
        interleaved.behind_a_kernel(lambda: None, x)()
        assert torch.equal(x, want)


def test_the_driver_is_asked_for_the_current_gpu(monkeypatch):
    asked = []
    monkeypatch.setattr(torch.cuda, "current_device", lambda: 3)
    monkeypatch.setattr(
        torch.cuda, "get_device_properties", lambda index: SimpleNamespace(uuid=f"GPU-{index}")
    )
    monkeypatch.setattr(interleaved.driver, "device", lambda u: asked.append(u) or "handle")
    interleaved._handle.cache_clear()
    try:
        assert interleaved._handle() == interleaved._handle() == "handle"
        assert asked == ["GPU-3"]
    finally:
        interleaved._handle.cache_clear()


def test_everything_that_holds_the_clocks_down_is_named(monkeypatch):
    bits = {"nvmlDeviceGetCurrentClocksThrottleReasons": 4 | 0x20}
    monkeypatch.setattr(interleaved, "_handle", lambda: "a GPU")
    monkeypatch.setattr(
        interleaved.driver, "ask", lambda question, handle, kind=0: bits.get(question)
    )
    words = sorted({interleaved.nvml.LIMITS[bit] for bit in (4, 0x20)})
    assert interleaved.state() == (None, None, None, " and ".join(words)) and len(words) == 2


@pytest.mark.parametrize("method", [HOT, COLD, BETWEEN, ALONE])
def test_the_methods_have_the_names_of_the_record(method):
    assert method in ("graph hot", "graph cold", "graph between", "alone")


def test_the_questions_to_the_driver(monkeypatch):
    asked = []
    monkeypatch.setattr(interleaved, "_handle", lambda: "a GPU")
    monkeypatch.setattr(interleaved.driver, "ask", lambda *question: asked.append(question))
    interleaved.state()
    assert sorted(asked) == [
        ("nvmlDeviceGetClockInfo", "a GPU", 1),  # of the SMs
        ("nvmlDeviceGetClockInfo", "a GPU", 2),  # of the memory
        ("nvmlDeviceGetCurrentClocksThrottleReasons", "a GPU"),
        ("nvmlDeviceGetPowerUsage", "a GPU"),
    ]


def test_only_the_timing_is_in_turn(fake_gpu, monkeypatch):
    no_driver(monkeypatch)
    order = []

    @contextlib.contextmanager
    def turn():
        order.append("begins")
        yield
        order.append("ends")

    timed = interleaved.timing.time_interleaved
    prepare = interleaved.prepare
    monkeypatch.setattr(
        interleaved, "prepare", lambda *words: order.append("prepared") or prepare(*words)
    )
    monkeypatch.setattr(
        interleaved.timing,
        "time_interleaved",
        lambda *words, **options: order.append("timed") or timed(*words, **options),
    )
    interleaved.measure(Setting(ADD, 1024, HOT), [candidate()], 2, turn)
    assert order == ["prepared", "begins", "timed", "ends"]
