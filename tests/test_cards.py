"""Every function that takes a card, or rows of one, over every card of tests/cards.csv."""

import contextlib

import matplotlib
import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
import pytest

from helpers import specs
from helpers.measure import bench, roofs, store
from helpers.measure.experiments import latency, sums
from helpers.measure.libraries import comparison, report
from helpers.measure.roofs import Roofs
from helpers.model import ceilings, ladder, littles_law, occupancy, scheduler
from helpers.run import gpu
from helpers.teach import plots, tables

matplotlib.use("Agg")
SIZES = (1 << 20, 1 << 24)


@pytest.fixture(autouse=True)
def measured(monkeypatch):
    """Give numbers to what a card hides, which would be measured."""

    def measure_roofs():
        here = bench.require_gpu()
        dram = here.spec.dram_GBps or 400.0
        return Roofs(
            gpu=here.name,
            launch_us=0.6,
            block_rate={256: 1.6e9, 1024: 1.4e9},
            l2_latency_ns=150.0,
            memory_latency_ns=400.0,
            l2_GBps=2 * dram,
            dram_GBps=0.9 * dram,
            copy_GBps=0.92 * dram,
            host_enqueue_us=6.0,
            clock_MHz=1500.0,
        )

    monkeypatch.setattr(bench, "gpu_to_itself", contextlib.nullcontext)
    monkeypatch.setattr(roofs, "measure_roofs", measure_roofs)
    monkeypatch.setattr(roofs.kept_roofs, "load", lambda kind: None)
    monkeypatch.setattr(roofs.kept_roofs, "save", lambda constants: None)
    roofs.this_card.cache_clear()
    yield
    roofs.this_card.cache_clear()
    plt.close("all")


def adds(here):
    """Make rows of adds as a measurement on this machine has them."""
    shapes = [(name, version) for name in ladder.NAMES for version in ladder.dtypes(name)[:1]]
    rows = [
        {
            "kernel": name,
            "dtype": dtype,
            "elements": elements,
            "block_size": block_size,
            "method": method,
            "gpu": here.name,
            "time_us": 3.0 + elements / 1e5,
            "gb_per_s": 100.0,
            "date": "2026-11-21",
        }
        for name, dtype in shapes
        for elements in SIZES
        for block_size in (128, 256)
        for method in ("graph hot", "graph cold")
    ]
    return pd.DataFrame(rows)


def test_the_specification_is_whole(here):
    found = roofs.this_gpu()
    assert found.dram_GBps > 0 and found.boost_MHz > 0 and found.sm_count > 0
    assert found.note == "" and found.cc == here.cc
    assert roofs.specification(here.name) == found


def test_the_model_takes_it(here):
    card = roofs.this_card()
    assert card.gpu == roofs.this_card().gpu and card.dram_GBps > 0
    for name in ladder.NAMES:
        p = ceilings.predict(ladder.SHAPES[name], 1 << 28, card)
        assert 0 < p.time_us < 1e6 and 0 < p.percent_of_roof < 300
        assert ceilings.explain(p).startswith("Predicted ")
        assert ceilings.bytes_in_flight(ladder.SHAPES[name], card) > 0
    assert ceilings.needed_in_flight(ladder.SHAPES["v1_f32"], card) > 0
    assert littles_law.bytes_to_fill(card.dram_GBps, 400) > 0
    assert scheduler.issue_time_us(card.gpu, 1 << 20, 10) > 0
    if card.gpu.fp32_TFLOPS:
        assert ceilings.roofline(card, 1 / 12) == pytest.approx(card.dram_GBps / 12)


def test_a_card_nobody_measured_is_estimated(here, expected_row):
    if expected_row:
        assert ceilings.card(here.name).gpu.name == expected_row
    estimated = ceilings.Card.from_specification(roofs.this_gpu())
    assert estimated.dram_GBps > 0 and estimated.block_rate > 0


def test_launches_by_its_limits(here):
    assert sums.wave_blocks(here) >= here.sm_count * 4
    for warps in latency.READ_WARPS:
        launch = latency.read_launch(here.cc, warps, 32)
        assert launch is None or launch[1] <= here.spec.capability.smem_per_block_optin_bytes
    assert occupancy.block_size_funnel(here.cc, 32)[-1].survivors
    assert comparison.launches_per_graph(12 << 28, 2, roofs.this_gpu().dram_GBps) >= 4


def test_sizes_fit_its_memory(here, capsys):
    bench._say_smaller.cache_clear()
    fits = bench.largest_that_fits(1 << 28, 12)
    assert fits <= 1 << 28 and 12 * fits <= 0.85 * here.memory_bytes
    assert fits == 1 << 28 or 24 * fits > 0.85 * here.memory_bytes
    said = capsys.readouterr()
    assert ("are measured instead" in said.out + said.err) == (fits < 1 << 28)
    assert bench.sets_for("graph cold", 12 << 20, here.l2_bytes) >= 1


def test_tables_of_its_rows(here):
    rows = adds(here).query("elements == 2**24")
    table = tables.ladder_table(rows)
    assert (table["predicted (us)"] > 0).all() and table["of roof"].str.endswith("%").all()


@pytest.mark.slow
def test_pictures_of_its_rows(here):
    rows = adds(here)
    hot = rows[(rows.method == "graph hot") & (rows.block_size == 256)]
    plots.working_set_sweep(plots.new(), rows, roofs.this_gpu().l2_bytes)
    plots.roofline(plots.new(), [specs.gpu("H200 SXM"), roofs.this_gpu()])
    panels = plots.panels(3, 1)
    plots.block_sweep(panels, hot, roofs.specification(here.name).cc, 1.6e9)
    edges = {"L2": roofs.this_gpu().l2_bytes}
    plots.latency_steps(plots.new(), pd.DataFrame({"span": [1e4], "ns": [9.0]}), edges)


def test_the_comparisons_sentences(here):
    cell = {"operation": "add", "dtype": "float32", "elements": 1 << 20, "method": "graph hot"}
    rows = pd.DataFrame(
        {
            **cell,
            "gpu": here.name,
            "candidate": name,
            "run": 1,
            "time_us": us,
            "ratio": 1.1,
            "gb_per_s": 100.0,
        }
        for name, us in (("course", 1.0), ("torch", 1.1))
    )
    share = 100 * 100 / roofs.specified_GBps(here.name)
    assert f"at 2^20 elements {share:.1f}% to " in report.summary(rows)
    assert np.isfinite(share)


def test_records_are_its_own(each_card, here, records):
    others = ["NVIDIA GB200", "NVIDIA B200", "NVIDIA H200", "NVIDIA H200 NVL", "NVIDIA Nobody"]
    names = dict.fromkeys([here.name, *others])
    store.ROOFS.append(
        {"gpu": name, "quantity": "copy_GBps", "value": 1.0, "unit": ""} for name in names
    )
    assert set(store.ROOFS.load(gpu=here.name).gpu) == {here.name}
    assert store.roof("copy_GBps", here.name) == 1.0
    assert gpu.specification(each_card).note == ""
