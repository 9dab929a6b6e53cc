"""The experiments behind the model's latencies and shares, on the emulator without a clock."""

import pandas as pd
import pytest

from helpers.measure import store
from helpers.measure.experiments import EXPERIMENTS, memory
from helpers.model.ceilings import read_write_cost
from helpers.model.launch_shape import LaunchShape


@pytest.fixture(autouse=True)
def small(request, monkeypatch):
    """Take fewer of everything, where the numbers themselves are not what is tested."""
    if "compare_with_the_record" in request.fixturenames:
        return
    monkeypatch.setattr(memory, "CHASE_BYTES", 1 << 14)
    monkeypatch.setattr(memory, "CHASE_STEPS", 8)
    monkeypatch.setattr(memory, "WAVES", (2, 6))


def test_each_is_registered():
    names = {"residency", "loaded latency", "launch overhead", "read share"}
    assert names <= set(EXPERIMENTS)


def test_residency_launches_waves_of_one_block_an_sm(gpu, no_check):
    rows = memory.measure_residency()
    kinds = [(call.kernel, call.method, call.parameter) for call in gpu.calls]
    assert len(rows) == len(set(kinds)) == 2 * (1 + 3 * 2)
    assert ("empty block", "graph cold", 2) not in kinds
    for call in gpu.calls:
        loads, stores = memory.BLOCK_KINDS[call.kernel]
        assert call.elements == call.parameter * gpu.card.sm_count * 32
        assert call.bytes_moved == 4 * call.elements * (loads + stores)
        assert call.functions[0].args[2:] == (loads, stores, 227 << 10)  # all of an SM's
        rotated = len(call.functions) * 8 * call.elements
        assert (rotated >= 4 * gpu.card.l2_bytes) == (call.method == "graph cold")


def test_the_residency_is_the_time_of_a_further_wave():
    rows = pd.DataFrame(
        {
            "kernel": ["one load"] * 2 + ["empty block"] * 2,
            "method": "graph hot",
            "parameter": [2.0, 6.0] * 2,
            "time_us": [3.0, 5.0, 2.0, 2.4],
        }
    )
    table = memory.residency_table(rows).set_index("kernel").residency_ns
    assert table.to_dict() == pytest.approx({"one load": 500, "empty block": 100})


def test_a_loaded_chase_has_its_readers_beside_it(gpu, no_check):
    rows = memory.measure_loaded_latency(warps_per_sm=(0, 2), elements=1003)
    idle, loaded = rows
    assert (idle.parameter, idle.elements, idle.bytes_moved) == (0, 4, 16)
    assert (loaded.parameter, loaded.elements, loaded.bytes_moved) == (2, 1003, 4012)
    assert loaded.method == "chase" and loaded.sm_cycles > 0 and loaded.time_us == 500
    table = memory.loaded_table(store.frame(rows, "loaded latency"))
    assert table.columns.tolist() == ["warps", "gb_per_s", "cycles", "times_idle"]
    assert table.times_idle[0] == 1
    assert table.times_idle[1] == pytest.approx(loaded.sm_cycles / idle.sm_cycles)


def test_launch_overheads_are_measured_in_a_mixed_order(gpu):
    rows = memory.measure_launch_overhead(rounds=3, threads=(32, 128))
    sizes = [row.block_size for row in rows]
    assert sorted(sizes) == [32] * 3 + [128] * 3 and sizes != sorted(sizes)
    assert [row.parameter for row in rows] == [0, 1, 2, 3, 4, 5]
    assert {row.elements for row in rows} == {1}


def test_the_mixes_move_as_many_bytes_each(gpu, no_check):
    rows = memory.measure_read_share(elements=12_000)
    shares = [row.parameter for row in rows]
    assert shares == pytest.approx([1, 3 / 4, 2 / 3, 1 / 2, 1 / 3, 0])
    assert {row.bytes_moved for row in rows} == {48_000}
    assert rows[1].kernel == "3 reads, 1 writes" and rows[1].elements == 3000


def test_each_width_of_loads_and_stores_in_each_block_size(gpu, no_check):
    rows = memory.measure_narrow_wide(elements=800)
    launches = [(row.kernel, row.block_size) for row in rows]
    assert len(set(launches)) == len(launches) == 4 * 3
    assert {row.bytes_moved for row in rows} == {4800}
    for call in gpu.calls:
        loads, stores, threads = call.functions[0].args[3:]
        words = {0: "wide", 1: "narrow"}
        assert call.kernel == f"{words[loads]} loads, {words[stores]} stores"
        assert call.block_size == threads


# ---- what the record of the H200 says, as helpers.model.terms tells it ---------------------


def test_a_store_adds_next_to_nothing_to_the_residency_of_a_load():
    table = memory.residency_table(store.load("residency", "H200"))
    ns = table.set_index(["kernel", "method"]).residency_ns
    assert ns["empty block", "graph hot"] == pytest.approx(145, abs=1)
    assert ns["one load", "graph hot"] == pytest.approx(334, abs=1)
    assert ns["one load", "graph cold"] == pytest.approx(547, abs=1)
    for method, added in (("graph hot", 4), ("graph cold", 13)):
        both = ns["load and store", method] - ns["one load", method]
        assert both == pytest.approx(added, abs=1)


def test_a_chase_beside_readers_gives_an_exponent_of_3_8():
    table = memory.loaded_table(store.load("loaded latency", "H200"))
    most = store.load("read share", "H200").set_index("parameter").gb_per_s[1.0]

    def error(p):
        busy = table[(table.gb_per_s > 0.6 * most) & (table.gb_per_s < 0.95 * most)]
        expected = (1 - (busy.gb_per_s / most) ** p) ** (-1 / p)
        return ((expected / busy.times_idle - 1) ** 2).sum()

    assert min([2.6, 3.0, 3.4, 3.8, 4.2], key=error) == 3.8


def test_only_reading_and_only_writing_are_as_fast_and_mixing_is_slower():
    rate = store.load("read share", "H200").set_index("parameter").gb_per_s
    assert rate[1.0] == pytest.approx(rate[0.0], rel=0.005)
    mixed = rate[(rate.index > 0) & (rate.index < 1)].sort_index(ascending=False)
    assert mixed.is_monotonic_decreasing and mixed.max() < rate[1.0]
    reads = mixed.index.to_numpy(float)
    cost = ((rate[1.0] / mixed.to_numpy(float)) - reads) / (1 - reads)  # of a written byte
    assert cost.mean() == pytest.approx(1.26, abs=0.05)
    only, mix = (read_write_cost(LaunchShape(1, 4, 256, reads=reads)) for reads in (0, 1))
    assert only < 1 < mix


def test_the_first_launches_of_a_process_are_the_fast_ones():
    rows = store.load("launch overhead", "H200").sort_values("parameter")
    first, later = rows.time_us[rows.parameter < 2], rows.time_us[rows.parameter >= 2]
    assert first.max() < 0.5 and 0.65 < later.min() <= later.max() < 0.68
    assert set(rows.block_size[rows.parameter >= 2]) == set(memory.LAUNCH_THREADS)


def test_the_eighth_stream_of_a_process_makes_its_launches_slower():
    rows = store.load("streams", "H200")
    few, many = rows.time_us[rows.parameter < 8], rows.time_us[rows.parameter >= 8]
    assert (len(few), len(many)) == (8, 33)
    assert few.max() < 0.488 and 0.663 < many.min() <= many.max() < 0.665


@pytest.mark.parametrize(
    ("name", "rows"),
    [
        ("residency", 14),
        ("loaded latency", 13),
        ("launch overhead", 60),
        ("streams", 41),
        ("read share", 6),
        ("narrow and wide", 12),
    ],
)
def test_what_is_measured_is_what_the_record_has(name, rows, compare_with_the_record):
    assert compare_with_the_record(name) == rows
