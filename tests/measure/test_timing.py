"""The timing engine on a clock that is made up: when it stops, in which order it goes."""

import contextlib
import math
import random
import statistics

import pytest
import torch

from helpers.measure import timing
from helpers.measure.timing import Times

# ---- statistics ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("percent", "value"), [(0, 1), (20, 21), (25, 26), (50, 51), (75, 76), (80, 81), (100, 101)]
)
def test_percentiles_of_the_numbers_from_1_to_101(percent, value):
    numbers = list(range(1, 102))
    random.Random(0).shuffle(numbers)
    assert Times((tuple(numbers[:40]), tuple(numbers[40:]))).percentile(percent) == value


def test_the_median_is_of_all_samples():
    assert Times(((1.0, 2.0), (10.0,))).median_us == 2.0
    assert Times(((1.0, 2.0), (10.0,))).samples == [1.0, 2.0, 10.0]


@pytest.mark.parametrize(
    ("medians", "quantile"),
    [([99, 101], 12.706), ([99, 100, 101], 4.303), ([100 + k for k in range(-6, 7)], 2.228)],
)
def test_the_noise_is_students_interval_over_the_batches(medians, quantile):
    times = Times(tuple((float(m),) * 3 for m in medians))
    spread = statistics.stdev(medians) / math.sqrt(len(medians))
    assert times.noise == pytest.approx(quantile * spread / 100)


def test_the_noise_is_at_least_that_of_all_samples():
    batch = (10.0, 20.0, 30.0, 40.0, 50.0, 60.0, 70.0)  # quartiles 20 and 60, twice
    expected = 1.57 * 40 / math.sqrt(14) / 40
    assert Times((batch, batch)).noise == pytest.approx(expected)


def test_one_batch_says_nothing_of_the_noise():
    assert Times(((1.0, 1.0, 1.0),)).noise == math.inf


def test_the_interval_covers_the_truth_where_each_batch_has_a_moment_of_its_own():
    draw = random.Random(1).gauss
    inside = 0
    for _ in range(400):
        moments = [draw(100, 2) for _ in range(4)]
        times = Times(tuple(tuple(draw(m, 0.1) for _ in range(12)) for m in moments))
        inside += abs(statistics.fmean(moments) - 100) <= times.noise * times.median_us
    assert 370 <= inside <= 392  # of 400: 95%


# ---- graph replays -------------------------------------------------------------------------


def time_graph(gpu, us, calls=(lambda: None,), **options):
    """Time a graph; us(k) is the time of the k-th replay after the three that calibrate."""
    gpu.us = lambda k: us(max(k - 3, 0))
    return timing.time_graph(list(calls), **options)


def test_a_steady_call_takes_two_batches_100_ms_apart(fake_gpu):
    times = time_graph(fake_gpu, lambda k: 100.0)
    assert [len(batch) for batch in times.batches] == [12, 12]
    assert times.median_us == 100 and times.noise == 0
    (pause,) = fake_gpu.slept
    assert pause == pytest.approx(0.1 - 15 * 1500e-6)  # three replays warm up, twelve count


def test_replays_that_warm_up_do_not_count(fake_gpu):
    times = time_graph(fake_gpu, lambda k: 900.0 if k % 15 < 3 else 100.0)
    assert set(times.samples) == {100.0}


def test_batches_are_added_until_the_noise_is_small(fake_gpu):
    levels = [100, 102, 101, 101, 101, 101, 101]
    times = time_graph(fake_gpu, lambda k: levels[k // 15], precision=0.0075)
    assert len(times.batches) == 6
    assert times.noise <= 0.0075 < Times(times.batches[:5]).noise


def test_time_runs_out(fake_gpu):
    times = time_graph(fake_gpu, lambda k: 100.0 + 50 * (k // 15 % 2), limit_s=1.0)
    assert times.noise > 0.005 and 1.0 < fake_gpu.clock < 1.2
    assert len(times.batches) == 11


def test_even_a_slow_call_gets_a_second_batch(fake_gpu):
    times = time_graph(fake_gpu, lambda k: 100e3 * (1 + k), limit_s=3.0)
    assert len(times.batches) == 2 and fake_gpu.slept == [0.0]


def test_a_least_total_time_is_measured(fake_gpu, monkeypatch):
    monkeypatch.setattr(timing, "LEAST_TOTAL_US", 18_000.0 * 3)
    assert len(time_graph(fake_gpu, lambda k: 100.0).batches) == 3


def test_somebody_looks_once_in_each_batch(fake_gpu):
    looks = []
    time_graph(fake_gpu, lambda k: 100.0, look=lambda: looks.append(fake_gpu.timed))
    assert looks == [18, 33]


def test_a_graph_makes_the_calls_in_turn(fake_gpu):
    calls = [lambda: 1, lambda: 1, lambda: 1, lambda: 1]
    time_graph(fake_gpu, lambda k: 100.0, calls)
    ((captured, launches),) = fake_gpu.captured
    assert captured == calls and launches == 16  # 15 of 100 us, in whole rounds of four


@pytest.mark.parametrize(
    ("replayed_us", "launches"),
    [(100.0, [15]), (50.0, [15]), (49.9, [15, 30]), (2.0, [15, 750]), (0.5, [15, 1500])],
)
def test_a_call_that_is_short_in_a_graph_gets_a_longer_graph(fake_gpu, replayed_us, launches):
    times = time_graph(fake_gpu, lambda k: replayed_us)
    assert [count for _, count in fake_gpu.captured] == launches
    assert times.median_us == pytest.approx(replayed_us)


def test_student_t_quantiles():
    known = {1: 12.706, 2: 4.303, 3: 3.182, 4: 2.776, 5: 2.571, 6: 2.447, 7: 2.365, 8: 2.306}
    known |= {9: 2.262, 10: 2.228, 15: 2.131, 20: 2.086, 30: 2.042, 60: 2.0, 120: 1.98}
    assert timing.STUDENT_T == known


def test_the_real_clock_goes_on():
    gpu = timing.Gpu()
    before = gpu.now()
    gpu.sleep(0.001)
    assert gpu.now() - before >= 0.001


@pytest.mark.parametrize(
    ("call_us", "sets", "launches"),
    [
        (100, 1, 15),
        (100, 4, 16),
        (0.1, 1, 1500),
        (1, 1, 1500),
        (2, 1, 750),
        (1e6, 1, 1),
        (1e6, 7, 7),
        (100, 6, 12),
    ],
)
def test_launches_of_a_replay(call_us, sets, launches):
    assert timing.launches_per_replay(call_us, sets) == launches


def test_another_length_of_a_replay():
    assert timing.launches_per_replay(100, 1, replay_us=2000) == 20


# ---- interleaved ---------------------------------------------------------------------------


@pytest.mark.parametrize(("warm", "each"), [(True, 2), (False, 1)])
def test_candidates_take_turns_in_a_new_order_each_round(fake_gpu, warm, each):
    done = []

    def replay(name):
        def run():
            done.append(name)
            return 4  # launches

        return run

    fake_gpu.us = lambda k: 10.0 + ("abc".index(done[-1]) if k % each == each - 1 else 500)
    names = {name: replay(name) for name in "abc"}
    times = timing.time_interleaved(names, 4, rounds=10, warm=warm)
    assert {name: set(one.samples) for name, one in times.items()} == {
        "a": {10.0},
        "b": {11.0},
        "c": {12.0},
    }
    assert all(len(one.batches) == len(one.samples) == 10 for one in times.values())
    rounds = ["".join(done[k : k + 3 * each : each]) for k in range(0, len(done), 3 * each)]
    assert len(rounds) == 10 and {"".join(sorted(r)) for r in rounds} == {"abc"}
    assert len(set(rounds)) > 1
    assert fake_gpu.slept == [timing.PAUSE_S]
    if warm:
        assert done[::2] == done[1::2]


# ---- the host's clock ----------------------------------------------------------------------


def test_the_articles_method_warms_up_and_times_a_thousand_calls(fake_gpu):
    calls, looks = [], []

    def call():
        calls.append(fake_gpu.clock)
        fake_gpu.clock += 5e-6

    assert timing.wall_clock_us(call, look=lambda: looks.append(len(calls))) == pytest.approx(5)
    assert len(calls) == 1020 and looks == [1020]


def test_other_numbers_of_calls(fake_gpu):
    calls = []
    timing.wall_clock_us(lambda: calls.append(0), repeats=7)
    assert len(calls) == 27


def test_the_warm_up_is_over_before_the_wall_clock_starts(fake_gpu, monkeypatch):
    """As on a GPU: a call returns at once, its work is done when somebody waits."""
    waiting = []

    def synchronize():
        fake_gpu.clock += sum(waiting) * 1e-6
        waiting.clear()

    monkeypatch.setattr(fake_gpu, "synchronize", synchronize)
    assert timing.wall_clock_us(lambda: waiting.append(5.0)) == pytest.approx(5)


def test_the_wall_clock_is_read_three_times(fake_gpu):
    speeds = iter([1.0] * 1020 + [3.0] * 1020 + [2.0] * 1020)

    def call():
        fake_gpu.clock += next(speeds) * 1e-6

    times = timing.time_wall_clock(call)
    assert [round(us, 6) for us in times.samples] == [1, 3, 2]
    assert len(times.batches) == 3 and fake_gpu.slept == [0.1, 0.1]


@pytest.mark.gpu
def test_the_real_engine_on_this_gpu():
    import torch

    a, out = torch.randn(1 << 24, device="cuda"), torch.empty(1 << 24, device="cuda")
    call = lambda: torch.add(a, a, out=out)  # noqa: E731
    for last in (False, False, True):  # other processes may use the GPU in between
        times = timing.time_graph([call])
        assert len(times.batches) >= 2 and times.percentile(20) <= times.percentile(80)
        replay = timing.GPU.capture([call], 8)
        turns = timing.time_interleaved({"x": replay, "y": replay}, 8, 11, warm=True)
        same = turns["x"].median_us == pytest.approx(times.median_us, rel=0.2)
        if (same and timing.wall_clock_us(call) > 0.8 * times.median_us) or last:
            break
    assert same and timing.wall_clock_us(call) > 0.8 * times.median_us


# ---- PyTorch's events and graphs, made up ---------------------------------------------------


@pytest.fixture
def cuda(monkeypatch):
    """Put a stand-in for torch.cuda in place; returns the list of what happened, in order."""
    happened = []

    class Event:
        count = 0

        def __init__(self, enable_timing):
            assert enable_timing
            Event.count += 1
            self.number = Event.count

        def record(self):
            happened.append("event")
            self.at = happened.count("event") ** 2 * 1.0  # ms

        def synchronize(self):
            happened.append(f"wait for {self.number}")

        def elapsed_time(self, other):
            return other.at - self.at

    class Graph:
        def capture_begin(self):
            happened.append("begin")

        def capture_end(self):
            happened.append("end")

        def replay(self):
            happened.append("replay")

    class Stream:
        def __init__(self):
            happened.append("new stream")

        def wait_stream(self, other):
            happened.append(f"side waits for {other}")

        def synchronize(self):
            happened.append("wait for side")

    @contextlib.contextmanager
    def stream(other):
        assert isinstance(other, Stream)
        happened.append("side")
        yield
        happened.append("back")

    for name, value in {
        "Event": Event,
        "CUDAGraph": Graph,
        "Stream": Stream,
        "stream": stream,
        "current_stream": lambda: "current",
        "current_device": lambda: 0,
        "synchronize": lambda: happened.append("synchronize"),
    }.items():
        monkeypatch.setattr(torch.cuda, name, value)
    return happened


def test_intervals_lie_between_events_and_somebody_looks_meanwhile(cuda):
    work = [lambda: cuda.append("a"), lambda: cuda.append("b")]
    took = timing.Gpu().intervals(work, lambda: cuda.append("look"))
    assert took == [3000.0, 5000.0]  # microseconds
    assert cuda == ["event", "a", "event", "b", "event", "look", "wait for 3"]
    assert timing.Gpu().intervals([]) == []


def test_captures_rotate_over_the_calls_all_on_one_side_stream(cuda):
    calls = [lambda: cuda.append("a"), lambda: cuda.append("b")]
    gpu = timing.Gpu()
    gpu.capture(calls, 5)()
    once = ["side", "begin", *"ababa", "end", "back", "replay"]
    assert cuda == ["synchronize", "new stream", *once]
    cuda.clear()
    gpu.capture(calls, 5)()
    assert cuda == ["synchronize", *once]
    assert timing.Gpu().side_stream() is not gpu.side_stream() is gpu.side_stream()


def test_each_gpu_has_a_side_stream_of_its_own(cuda, monkeypatch):
    gpu = timing.Gpu()
    first = gpu.side_stream()
    monkeypatch.setattr(torch.cuda, "current_device", lambda: 1)
    assert gpu.side_stream() is not first


def test_a_new_stream_is_used_once_and_waited_for(cuda):
    timing.Gpu().use_new_stream(lambda: cuda.append("a"))
    assert cuda == ["new stream", "side", "a", "back", "synchronize"]


def test_a_capture_ends_also_if_a_call_fails(cuda):
    def fail():
        raise RuntimeError("no")

    with pytest.raises(RuntimeError):
        timing.Gpu().capture([fail], 1)
    assert cuda[-1] == "end"


def test_a_call_is_estimated_after_a_warm_up_on_a_side_stream(cuda):
    calls = [lambda: cuda.append("a"), lambda: cuda.append("b")]
    assert timing.Gpu().call_us(calls) == 4000.0
    begin, timed = ["side waits for current", "side", "a", "b"], ["a", "event", "b", "event"]
    assert cuda == [
        "new stream",
        *begin,
        "event",
        *timed,
        "wait for 3",
        "back",
        "wait for side",
    ]


def test_synchronizing_waits_for_the_gpu(cuda):
    timing.Gpu().synchronize()
    assert cuda == ["synchronize"]


def test_the_constants_of_the_method():
    assert (timing.REPLAY_US, timing.WARM_UP_REPLAYS, timing.BATCH_REPLAYS) == (1500, 3, 12)
    assert (timing.PAUSE_S, timing.LEAST_BATCHES, timing.LEAST_TOTAL_US) == (0.1, 2, 30_000)
    assert timing.LIMIT_S == 1.0
