"""The ceilings' model: against every recorded time, and what must hold for any time."""

import csv
import math
from collections import Counter
from dataclasses import dataclass, replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from helpers import paths, specs
from helpers.model import cards, ceilings
from helpers.model.cards import Card, card
from helpers.model.ceilings import (
    BLOCK_RATE,
    CEILINGS,
    DRAM,
    IN_FLIGHT,
    L2,
    LAUNCH,
    explain,
    predict,
    roofline,
)
from helpers.model.l2_capacity import l2_capacity
from helpers.model.ladder import SHAPES, launch_shape
from helpers.model.launch_shape import LaunchShape
from helpers.model.terms import read_write_cost
from helpers.model.uncertainty import Interval

H200 = card("H200 SXM")
RTX_5090 = card("GeForce RTX 5090")
V6 = SHAPES["v6_f16x8_pack"]


def table(file: str) -> list[dict[str, str]]:
    with (paths.DATA / file).open(newline="", encoding="utf-8") as lines:
        return list(csv.DictReader(line for line in lines if not line.startswith("#")))


@dataclass(frozen=True)
class Time:
    """A recorded time of the ladder or of torch.add."""

    experiment: str
    method: str
    kernel: str
    dtype: str
    elements: int
    block_size: int | None
    time_us: float

    @property
    def shape(self) -> LaunchShape:
        return launch_shape(self.kernel, self.dtype, self.block_size)

    def error(self, card: Card) -> float:
        """Return the prediction's relative error; wall clocks have their caller's interval."""
        if self.method == "wall clock":
            host = None if self.kernel == "torch.add" else OUR_BINDING_US
            p = predict(
                self.shape, self.elements, card, method=self.method, host_enqueue_us=host
            )
        else:
            p = predict(self.shape, self.elements, card, hot=self.method == "graph hot")
        return p.time_us / self.time_us - 1


ARTICLE = [
    (int(row["elements"]), row["dtype"], row["kernel"], float(row["time_ms"]) * 1e3)
    for row in table("rtx5090_article.csv")
    if row["kernel"] in SHAPES or row["kernel"] == "torch.add"
]
RECORDS: dict[str, list[Time]] = {}  # of the H200, by the commit that recorded them
for row in table("runs.csv"):
    known = row["kernel"] in SHAPES or row["kernel"] == "torch.add"
    if (
        row["gpu"] == "NVIDIA H200"
        and row["experiment"] in ("ladder", "block sweep", "working set")
        and known
    ):
        time = Time(
            row["experiment"],
            row["method"],
            row["kernel"],
            row["dtype"],
            int(row["elements"]),
            int(row["block_size"]) if row["block_size"] else None,
            float(row["time_us"]),
        )
        RECORDS.setdefault(row["commit"], []).append(time)
# The model's form was chosen with the first record in view. Every later one is a blind test.
RECORD, *BLIND = RECORDS.values()
GROUPS = list(dict.fromkeys((time.experiment, time.method) for time in RECORD))
ROOFS: dict[str, float] = {}  # the first recorded ones, which the constants were taken from
for row in table("roofs.csv"):
    if row["gpu"] == "NVIDIA H200":
        ROOFS.setdefault(row["quantity"], float(row["value"]))
OUR_BINDING_US = (
    9.7  # from one launch of helpers.run.launcher to the next, on the host of the first record
)

# Missed by more than 10%, all too fast: 2^20 elements in L2, where a kernel lasts 2 to 4 waves.
# The model leaves out the ramp in which the first blocks fill the GPU, and the last tail.
KNOWN_MISSES = {
    ("v3_f16", 2**20, 384, "graph hot"),
    ("v4_f16x2", 2**20, 256, "graph hot"),
    ("v4_f16x2", 2**20, 384, "graph hot"),
}


# ---- recorded times --------------------------------------------------------------------------


@pytest.mark.parametrize("elements, dtype, kernel, measured", ARTICLE)
def test_each_time_of_the_article_within_7_percent(elements, dtype, kernel, measured):
    shape = launch_shape(kernel, dtype)
    assert predict(shape, elements, RTX_5090, method="wall clock").time_us == pytest.approx(
        measured, rel=0.07
    )


def test_the_article_has_24_times():
    assert len(ARTICLE) == 24


@pytest.mark.parametrize("elements, dtype, kernel, measured", ARTICLE)
def test_the_ceiling_of_each_time_of_the_article(elements, dtype, kernel, measured):
    if elements == 2**20:
        expected = LAUNCH  # everything takes 4.1 us: the host
    elif elements == 2**28 or dtype == "float32":
        expected = DRAM
    else:
        expected = L2 if kernel == "torch.add" else BLOCK_RATE
    shape = launch_shape(kernel, dtype)
    assert predict(shape, elements, RTX_5090, method="wall clock").ceiling == expected


def within(errors: list[float], limit: float) -> float:
    return sum(abs(error) <= limit for error in errors) / len(errors)


def rms(errors: list[float]) -> float:
    return math.sqrt(sum(error * error for error in errors) / len(errors))


def test_the_record_has_every_experiment():
    counts = Counter((time.experiment, time.method) for time in RECORD)
    assert counts["ladder", "graph hot"] >= 39 and counts["ladder", "graph cold"] >= 39
    assert counts["block sweep", "graph hot"] >= 180
    assert (
        counts["working set", "graph hot"] >= 96 and counts["working set", "graph cold"] >= 96
    )


@pytest.mark.parametrize("experiment, method", GROUPS)
def test_95_percent_of_the_h200_times_within_10_percent(experiment, method):
    errors = [
        time.error(H200)
        for time in RECORD
        if (time.experiment, time.method) == (experiment, method)
    ]
    assert within(errors, 0.10) >= (1 if experiment == "ladder" else 0.95)
    assert rms(errors) < 0.04


def test_of_all_graph_times_98_percent_within_10_percent():
    errors = [time.error(H200) for time in RECORD if time.method.startswith("graph")]
    assert within(errors, 0.10) >= 0.98
    assert within(errors, 0.05) >= 0.85
    assert max(map(abs, errors)) < 0.15


@pytest.mark.parametrize("times", BLIND)
def test_a_later_record_95_percent_of_the_graph_times_within_10_percent(times):
    """Test blindly: of its 32 block sizes the first record had ten.

    A wall clock belongs to the host of the day.
    """
    graph = [time for time in times if time.method.startswith("graph")]
    assert len(graph) >= 75  # a ladder alone has 78
    assert within([time.error(H200) for time in graph], 0.10) >= 0.95
    assert (
        within([time.error(H200) for time in graph if time.experiment == "ladder"], 0.10) == 1
    )
    assert max(abs(time.error(H200)) for time in graph) < 0.2
    # Where it misses, it misses small tensors; from 2^24 elements on, every time is within 10%.
    assert all(time.elements <= 2**20 for time in graph if abs(time.error(H200)) > 0.10)


def test_one_later_record_is_whole():
    assert max(sum(t.method.startswith("graph") for t in times) for times in BLIND) >= 300


def test_the_misses_are_the_known_ones():
    missed = {
        (t.kernel, t.elements, t.block_size, t.method)
        for t in RECORD
        if abs(t.error(H200)) > 0.10
    }
    assert missed <= KNOWN_MISSES


def test_the_h200_ladder_at_2_28_meets_four_different_ceilings_as_the_counters_say():
    found = {name: predict(shape, 2**28, H200).ceiling for name, shape in SHAPES.items()}
    as_counted = {
        "v1_f32": IN_FLIGHT,
        "v2_f32x4": DRAM,
        "v3_f16": IN_FLIGHT,
        "v4_f16x2": BLOCK_RATE,
        "v5_f16x8": BLOCK_RATE,
        "v6_f16x8_pack": BLOCK_RATE,
    }
    assert {name: found[name] for name in as_counted} == as_counted


def test_64_threads_a_block_release_v6():
    before, after = predict(V6, 2**28, H200), predict(replace(V6, block_size=64), 2**28, H200)
    assert after.ceiling == DRAM
    assert before.time_us / after.time_us == pytest.approx(1.7, abs=0.05)


def test_what_the_table_calls_measured_stands_in_the_recorded_roofs():
    rows = [row for row in cards.constants() if row.gpu == "H200 SXM" and row.how == "measured"]
    assert len(rows) >= 8
    for row in rows:
        recorded = ROOFS[row.quantity if row.quantity != "block_rate" else "block_rate_256"]
        assert row.value == pytest.approx(recorded, rel=0.01), row.quantity


def test_a_card_measured_a_moment_ago_predicts_the_record():
    card = Card.from_measurements(
        "H200 SXM",
        launch_latency_us=ROOFS["launch_us"],
        block_rate={threads: ROOFS[f"block_rate_{threads}"] for threads in (256, 768, 1024)},
        l2_latency_ns=ROOFS["l2_latency_ns"],
        memory_latency_ns=ROOFS["memory_latency_ns"],
        l2_GBps=ROOFS["l2_GBps"],
        dram_GBps=ROOFS["dram_GBps"],
        l2_MiB=l2_capacity(H200, capacity_sweep()),
        host_enqueue_us=ROOFS["host_enqueue_us"],
    )
    assert max(abs(time.error(card)) for time in RECORD if time.experiment == "ladder") <= 0.10
    assert within([time.error(card) for time in RECORD], 0.10) >= 0.95


def capacity_sweep() -> dict[int, float]:
    """Return torch.add's recorded times nearest to the working sets of measure_roofs, hot."""
    times = {
        t.elements: t.time_us
        for t in RECORD
        if (t.experiment, t.method, t.kernel) == ("working set", "graph hot", "torch.add")
    }
    wanted = [H200.gpu.l2_MiB * specs.MIB / 12 * part for part in (0.75, 1, 1.5, 2)]
    nearest = [min(times, key=lambda n, w=w: abs(n - w)) for w in wanted]
    return {n: times[n] for n in nearest}


def test_half_of_the_h200s_l2_serves_what_is_repeated():
    found = l2_capacity(H200, capacity_sweep())
    assert 0.4 < found / H200.gpu.l2_MiB < 0.5
    assert found == pytest.approx(H200.l2_MiB, rel=0.02)


# ---- what any time must obey -----------------------------------------------------------------

shapes = st.builds(
    LaunchShape,
    elements_per_thread=st.sampled_from([1, 2, 4, 8, 16]),
    element_bytes=st.sampled_from([1, 2, 4, 8]),
    block_size=st.integers(1, 32).map(lambda warps: 32 * warps),
    reads=st.integers(0, 3),
    out_bytes=st.sampled_from([None, 2, 4]),
    grid=st.sampled_from([None, 132, 4096]),
)
counts = st.integers(1, 2**33)
known_cards = st.sampled_from([H200, RTX_5090])


@given(shapes, counts, counts, known_cards, st.booleans(), st.sampled_from(ceilings.METHODS))
def test_more_elements_are_never_faster(shape, n, more, card, hot, method):
    first = predict(shape, n, card, hot=hot, method=method).time_us
    assert predict(shape, n + more, card, hot=hot, method=method).time_us >= first * (1 - 1e-12)


@given(
    shapes,
    counts,
    known_cards,
    st.sampled_from(
        [
            "launch_us",
            "block_rate",
            "l2_latency_ns",
            "memory_latency_ns",
            "l2_GBps",
            "dram_GBps",
        ]
    ),
    st.floats(1, 10),
)
def test_a_better_card_is_never_slower(shape, n, card, constant, factor):
    rising = constant.endswith(("rate", "GBps"))
    value = getattr(card, constant) * (factor if rising else 1 / factor)
    better = replace(card, large_block_rates=(), **{constant: value})
    base = replace(card, large_block_rates=())
    assert predict(shape, n, better).time_us <= predict(shape, n, base).time_us * (1 + 1e-12)


@given(shapes, counts, known_cards)
def test_no_time_lies_below_a_ceiling(shape, n, card):
    p = predict(shape, n, card)
    assert set(p.ceilings) == set(CEILINGS)
    assert p.time_us * (1 + 1e-12) >= max(p.ceilings.values()) == p.ceilings[p.ceiling]
    assert p.gb_per_s <= card.l2_GBps


@given(shapes, counts, known_cards)
def test_cold_is_never_faster_than_hot_nor_than_dram(shape, n, card):
    cold = predict(shape, n, card, hot=False)
    assert cold.time_us >= predict(shape, n, card).time_us
    plateau = card.dram_GBps / read_write_cost(shape)
    assert cold.gb_per_s <= plateau and cold.hit_fraction == 0


@given(counts, known_cards)
def test_the_wall_clock_has_the_hosts_floor(n, card):
    device, wall = predict(V6, n, card), predict(V6, n, card, method="wall clock")
    assert wall.time_us == max(device.time_us, card.host_enqueue_us)
    assert (wall.ceiling == LAUNCH) >= (wall.time_us > device.time_us)


# ---- units and formulas ----------------------------------------------------------------------


ROUND_GPU = specs.Gpu(
    "Round", "9.0", 100, l2_MiB=100, dram_GBps=5000, fp32_TFLOPS=50, boost_MHz=1000,
    source="", confidence="",
)  # fmt: skip
ROUND = Card(
    ROUND_GPU, launch_us=1, block_rate=1e9, l2_latency_ns=100, memory_latency_ns=500,
    l2_GBps=10_000, dram_GBps=4000, l2_MiB=50, host_enqueue_us=8,
)  # fmt: skip


def test_the_formula_term_by_term():
    """Four waves of 800 blocks, cold, with all numbers by hand."""
    elements = 4 * 800 * 2048
    p = predict(LaunchShape(8, 4, 256), elements, ROUND, hot=False)
    assert (p.blocks, p.bytes_moved, p.waves, p.hit_fraction) == (3200, 12 * elements, 4, 0)
    assert p.residency_ns == pytest.approx(2 * 500 + 8 * 18)  # 8 warps at 1 GHz
    assert p.ceilings == pytest.approx(
        {
            LAUNCH: 1 + 2 * 0.5,
            BLOCK_RATE: 3200 / 1e3,
            IN_FLIGHT: 4 * 1.144,
            L2: 12 * elements / 10e3 / 1e3,
            DRAM: 12 * elements / 4e3 / 1e3,
        }
    )
    streaming = ((3 * 1.144) ** 3 + (12 * elements / 4e6) ** 3) ** (1 / 3)
    assert p.time_us == pytest.approx(2 + 1.144 + streaming)
    assert p.ceiling == DRAM
    assert p.card is ROUND


def test_replayed_sectors_lengthen_the_residency():
    v5 = SHAPES["v5_f16x8"]  # 144 replayed sectors a block; 32 blocks on each of 100 SMs
    two_waves = predict(v5, 2 * 3200 * 256, ROUND, hot=False)
    assert two_waves.waves == 2
    assert two_waves.residency_ns == pytest.approx(1000 + 18 + 32 * 144 / 4)
    one_block = predict(v5, 256, ROUND, hot=False)
    assert one_block.residency_ns == pytest.approx(1000 + 18 + 144 / 4)
    half_a_wave = predict(v5, 1600 * 256, ROUND, hot=False)
    assert half_a_wave.residency_ns == pytest.approx(1000 + 18 + 16 * 144 / 4)
    assert half_a_wave.ceilings[IN_FLIGHT] == pytest.approx(half_a_wave.residency_ns / 1e3)


def test_a_block_rate_above_the_memorys_decides():
    slow = replace(ROUND, block_rate=1e8)
    p = predict(LaunchShape(1, 4, 32), 32 * 3200, slow, hot=False)
    assert p.time_us == pytest.approx(2 + 32) and p.ceiling == BLOCK_RATE


def test_hits_shorten_latency_and_spare_dram():
    shape, elements = LaunchShape(8, 4, 256), 2 * 50 * specs.MIB // 12
    p = predict(shape, elements, ROUND)
    hits = (50 * specs.MIB / (12 * elements)) ** 3.5
    assert p.hit_fraction == pytest.approx(hits)
    assert p.ceilings[LAUNCH] == pytest.approx(1 + 2 * (hits * 0.1 + (1 - hits) * 0.5))
    assert p.ceilings[DRAM] == pytest.approx((1 - hits) * 12 * elements / 4e6)


def test_without_a_clock_warps_cost_nothing():
    card = replace(ROUND, gpu=replace(ROUND_GPU, boost_MHz=None))
    assert predict(V6, 2**20, card, hot=False).residency_ns == pytest.approx(1000)


def test_the_wall_clock_is_the_hosts_interval_or_the_devices_time():
    assert predict(V6, 1, ROUND, method="wall clock").time_us == 8
    short = predict(V6, 1, ROUND, method="wall clock", host_enqueue_us=20)
    assert (short.time_us, short.ceiling, short.ceilings[LAUNCH]) == (20, LAUNCH, 20)
    assert short.gb_per_s == pytest.approx(6 / 20 / 1e3)
    assert predict(V6, 1, ROUND, host_enqueue_us=20).time_us < 8  # a graph waits for no host
    device = predict(V6, 2**28, ROUND)
    assert predict(V6, 2**28, ROUND, method="wall clock") == device


def test_a_prediction_as_text():
    p = predict(V6, 2**28, ROUND, hot=False)
    assert str(p) == f"{p.time_us:.2f} us, {p.gb_per_s:,.0f} GB/s: {p.ceiling}"
    assert explain(p) == (
        f"Predicted {p.time_us:.1f} us ({p.gb_per_s:,.0f} GB/s, {p.percent_of_roof:.0f}% of the"
        " Round's DRAM roof), held by block rate: 1,048,576 blocks cannot be started faster,"
        " so give each block more elements."
    )


def test_a_card_can_be_named():
    assert predict(V6, 2**20, "NVIDIA GeForce RTX 5090") == predict(V6, 2**20, RTX_5090)


def test_the_prediction_in_its_units():
    p = predict(V6, 2**28, H200)
    assert p.bytes_moved == 3 * 2 * 2**28
    assert p.blocks == 2**20
    assert p.ceilings[BLOCK_RATE] == pytest.approx(2**20 / H200.block_rate * 1e6)
    assert p.ceilings[L2] == pytest.approx(p.bytes_moved / (H200.l2_GBps * 1e9) * 1e6)
    assert p.gb_per_s == pytest.approx(p.bytes_moved / (p.time_us * 1e-6) / 1e9)
    assert p.percent_of_roof == pytest.approx(100 * p.gb_per_s / 4800)


def test_bytes_in_flight_of_a_full_sm():
    # 2,048 resident threads: V1 8 bytes each, V3 4, V6 32
    per_sm = {
        name: ceilings.bytes_in_flight(SHAPES[name], H200) / 132 / 1024
        for name in ("v1_f32", "v3_f16")
    }
    assert per_sm == {"v1_f32": 16, "v3_f16": 8}
    assert ceilings.bytes_in_flight(replace(V6, block_size=64), H200) == 132 * 64 * 1024
    # 32 threads a block leave half of the thread slots empty
    assert ceilings.bytes_in_flight(V6, H200) == 132 * 32 * 1024


def test_littles_law_written_as_a_time():
    p = predict(SHAPES["v3_f16"], 2**28, H200)
    loaded = 2 * 2 * 2**28
    by_hand = loaded / ceilings.bytes_in_flight(SHAPES["v3_f16"], H200) * p.residency_ns / 1e3
    assert p.ceilings[IN_FLIGHT] == pytest.approx(by_hand)


def test_needed_in_flight_stands_between_v3_and_v6_on_h200():
    needed = ceilings.needed_in_flight(V6, "H200 SXM")
    both = 2 * H200.memory_latency_ns * 1e-9 * H200.dram_GBps * 1e9
    assert needed == pytest.approx(2 / 3 * both)  # two of three tensors are loaded
    assert ceilings.needed_in_flight(replace(V6, reads=0), "H200 SXM") == 0
    assert ceilings.bytes_in_flight(SHAPES["v3_f16"], H200) < needed
    assert needed < ceilings.bytes_in_flight(replace(V6, block_size=64), H200)


def test_a_large_block_stays_longer():
    stays = [
        predict(replace(V6, block_size=64 * 2**i), 2**28, H200).residency_ns for i in range(5)
    ]
    assert stays == sorted(set(stays))
    assert stays[4] - stays[3] == pytest.approx(16 * 18 / 1.98)  # cycles of 16 warps, GHz


def test_the_smallest_kernel_takes_the_launch_and_four_latencies():
    p = predict(V6, 1, H200, hot=False)
    latency = H200.memory_latency_ns / 1e3
    assert p.time_us == pytest.approx(H200.launch_us + 4 * latency, abs=0.05)
    assert p.ceilings[LAUNCH] == pytest.approx(H200.launch_us + 2 * latency)


def test_a_grid_stride_launch_has_as_many_blocks_as_it_says():
    one_wave = LaunchShape(8, 2, 256, grid=132 * 8)
    p = predict(one_wave, 2**28, H200)
    assert p.blocks == 1056
    assert p.ceiling == DRAM
    assert predict(replace(one_wave, grid=132), 2**28, H200).ceiling == IN_FLIGHT


def test_roofline_has_its_ridge_where_both_meet():
    peak = H200.gpu.fp32_TFLOPS * 1e3
    assert roofline(H200, 1 / 12) == pytest.approx(
        H200.dram_GBps / 12
    )  # float32 add: 1 FLOP per 12 bytes
    assert roofline("NVIDIA H200", 1000) == peak
    assert roofline(H200, peak / H200.dram_GBps) == pytest.approx(peak)
    assert roofline(H200, 0) == 0


@pytest.mark.parametrize("name, shape", SHAPES.items())
def test_explain_is_one_sentence_that_names_the_ceiling(name, shape):
    p = predict(shape, 2**28, H200)
    sentence = explain(p)
    assert p.ceiling in sentence and f"{p.time_us:.1f} us" in sentence and "H200" in sentence
    assert sentence.endswith(".") and "{" not in sentence


def test_dram_time_follows_the_share_of_reads():
    one, two = (
        predict(LaunchShape(8, 4, 256, reads=reads), 2**28, ROUND, hot=False)
        for reads in (1, 2)
    )
    assert two.ceilings[DRAM] == pytest.approx(12 * 2**28 / 4e6)
    assert one.ceilings[DRAM] == pytest.approx(8 * 2**28 / 4e6 * 1.035 / (3.07 / 3))


def test_an_estimated_card_says_so_with_its_interval():
    p = predict(V6, 2**28, "T4")
    low, high = p.interval.low_us, p.interval.high_us
    assert low < p.time_us < high
    assert str(p).endswith(f": DRAM bandwidth (estimated: {low:.2f} to {high:.2f} us)")
    assert explain(p).endswith(
        f"would be faster; nobody measured this card, so the time may be anything from"
        f" {low:.1f} to {high:.1f} us, mostly because its DRAM bandwidth is estimated."
    )
    assert explain(predict(V6, 1, "T4")).endswith("because its L2 latency is estimated.")
    words = {
        "launch_us": "launch overhead",
        "block_rate": "block launch rate",
        "l2_latency_ns": "L2 latency",
        "memory_latency_ns": "DRAM latency",
        "l2_GBps": "L2 bandwidth",
        "dram_GBps": "DRAM bandwidth",
        "l2_MiB": "L2 capacity",
        "host_enqueue_us": "host's launch interval",
    }
    assert set(p.card.ranges) <= set(words)
    for constant, name in words.items():
        of_it = replace(p)
        vars(of_it)["interval"] = Interval(1.0, 2.0, {constant: (1.0, 2.0)})  # as if asked for
        assert explain(of_it).endswith(f"mostly because its {name} is estimated.")


@pytest.mark.parametrize("name", sorted(specs.gpus()))
@pytest.mark.parametrize("kernel", SHAPES)
def test_every_card_of_the_table_is_predicted_and_explained(name, kernel):
    for method in ceilings.METHODS:
        p = predict(SHAPES[kernel], 2**24, name, method=method)
        assert 0 < p.interval.low_us <= p.time_us <= p.interval.high_us < math.inf
        assert p.gb_per_s <= p.card.l2_GBps and name in explain(p)


# ---- refusals --------------------------------------------------------------------------------


@pytest.mark.parametrize("elements", [0, -1])
def test_nothing_to_do_is_refused(elements):
    with pytest.raises(ValueError, match="elements must be 1 or more"):
        predict(V6, elements, H200)


def test_half_an_element_is_refused():
    with pytest.raises(TypeError):
        predict(V6, 1.5, H200)


def test_other_refusals():
    with pytest.raises(ValueError, match="method must be one of"):
        predict(V6, 2**20, H200, method="stopwatch")
    with pytest.raises(ValueError, match="host_enqueue_us must be a positive number"):
        predict(V6, 2**20, H200, method="wall clock", host_enqueue_us=0)
    with pytest.raises(ValueError, match="1024"):
        predict(replace(V6, block_size=2048), 2**20, H200)
    with pytest.raises(ValueError, match="intensity"):
        roofline(H200, -1)
    with pytest.raises(ValueError, match="float32 peak"):
        roofline(replace(H200, gpu=specs.gpu("B200")), 1)
    with pytest.raises(KeyError, match=r"gpus\.csv"):
        predict(V6, 2**20, "GeForce RTX 9999")
    with pytest.raises(ValueError, match="host_enqueue_us of H200 SXM is unknown"):
        predict(V6, 2**20, replace(H200, host_enqueue_us=None), method="wall clock")
    with pytest.raises(
        ValueError, match="host_enqueue_us must be"
    ):  # also where it is not used
        predict(V6, 2**20, H200, host_enqueue_us=-1)


def test_the_names_of_the_ceilings_are_those_of_the_prose():
    names = ("launch latency", "block rate", "bytes in flight", "L2 bandwidth")
    assert CEILINGS == (*names, "DRAM bandwidth")


def test_predictions_can_be_put_into_a_set():
    assert len({predict(V6, 2**20, "T4"), predict(V6, 2**20, "T4")}) == 1
