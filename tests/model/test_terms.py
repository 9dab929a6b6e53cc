"""The model's terms: reads and writes, latency under load, blocks and waves."""

import csv
import math
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from helpers import paths, specs
from helpers.model import terms
from helpers.model.cards import card
from helpers.model.ladder import SHAPES
from helpers.model.launch_shape import LaunchShape
from helpers.model.terms import (
    block_issue_us,
    blocks_per_sm,
    elements_per_wave,
    loaded,
    p_norm,
    read_write_cost,
)

H200 = card("H200 SXM")


@given(st.floats(0, 1e6), st.floats(0, 1e6))
def test_p_norm_lies_above_both_and_below_their_sum(x, y):
    joined = p_norm(x, y)
    assert max(x, y) <= joined * (1 + 1e-12) and joined <= (x + y) * (1 + 1e-12)
    assert p_norm(y, x) == joined


def test_p_norm_of_equal_times():
    assert p_norm(1, 1) == pytest.approx(1.26, abs=0.001)
    assert p_norm(0, 0) == 0 and p_norm(5, 0) == 5


def test_loaded_grows_without_bound_and_is_the_p_norm_solved_for_the_time():
    assert loaded(338, 0) == 338
    assert loaded(100, 0.5) == pytest.approx(100 / (1 - 0.125) ** (1 / 3))
    latency_bound, dram = 743.5, 738.3  # us: V1's waves x residency, and its DRAM time
    time = p_norm(latency_bound, dram)
    assert loaded(latency_bound, dram / time) == pytest.approx(time)
    for bad in (1, 1.5, -0.1, math.nan):
        with pytest.raises(ValueError, match=r"utilisation is .*(below 1|not NaN)"):
            loaded(338, bad)


def test_loaded_latency_of_the_reads_that_set_no_constant():
    """One load a thread of "latency hiding": 15% below what was measured, at most."""
    points = [
        (float(row["parameter"]) * 32 * 132 * int(row["load_bytes"]), float(row["gb_per_s"]))
        for row in csv.DictReader(specs.data_lines(paths.DATA / "runs.csv"))
        if row["experiment"] == "latency hiding" and row["unroll"] == "1"
    ]
    reads = H200.dram_GBps / read_write_cost(LaunchShape(1, 4, 32, reads=99))
    below = [(bytes_ / rate, rate / reads) for bytes_, rate in points if rate < 0.85 * reads]
    assert len(below) > 10 and max(use for _, use in below) > 0.8
    idle = below[0][0]
    for latency, use in below:
        assert 0.85 < loaded(idle, use) / latency < 1.03


def test_reads_are_cheaper_than_writes():
    def cost(reads, writes):
        return read_write_cost(LaunchShape(1, 4, 256, reads=reads, writes=writes))

    assert cost(2, 1) == 1
    assert cost(1, 1) == pytest.approx((1 + 1.07) / 2 / ((2 + 1.07) / 3))
    assert cost(0, 1) == cost(0, 3) == pytest.approx(3 / 3.07)  # no turn of the bus
    assert cost(3, 1) < 1 < cost(1, 1) < cost(1, 2)
    narrow = LaunchShape(4, 4, 256, reads=1, out_bytes=2)  # a cast reads 2/3, as an addition
    assert read_write_cost(narrow) == 1


def test_the_models_own_constants():
    """Their values are in the docstrings, in data/README.md's protocol and in lesson 07."""
    assert (terms.SERIAL_LATENCIES, terms.WARP_CYCLES) == (2, 18)
    assert (terms.QUEUEING_NORM, terms.WRITE_COST) == (3, 1.07)
    assert terms.SECTORS_PER_CYCLE == 4


def test_blocks_that_an_sm_holds():
    gpu = H200.gpu
    assert blocks_per_sm(LaunchShape(1, 4, 256), gpu) == 8
    assert blocks_per_sm(LaunchShape(1, 4, 32), gpu) == 32
    assert blocks_per_sm(LaunchShape(1, 4, 256, registers=64), gpu) == 4


def test_the_elements_of_a_wave_and_of_a_grid_that_does_not_fill_the_gpu():
    shape = LaunchShape(8, 2, 256)
    assert elements_per_wave(shape, 2**28, H200.gpu) == 132 * 8 * 2048
    assert elements_per_wave(replace(shape, grid=100), 2**28, H200.gpu) == 100 * 2048


def test_the_cycles_of_warps_and_replayed_sectors():
    gpu = replace(H200.gpu, boost_MHz=1000)
    assert block_issue_us(LaunchShape(8, 2, 256), 2**20, 1.0, gpu) == pytest.approx(0.144)
    v5 = SHAPES["v5_f16x8"]  # 144 replayed sectors a block
    one_each = 132 * v5.elements_per_block
    assert block_issue_us(v5, one_each, 1.0, gpu) == pytest.approx((18 + 144 / 4) / 1e3)
    assert block_issue_us(v5, 4 * one_each, 2.0, gpu) == pytest.approx((18 + 2 * 36) / 1e3)
    assert block_issue_us(v5, 1, 1e-6, gpu) == pytest.approx((18 + 36) / 1e3)
    assert block_issue_us(v5, 1, 1.0, replace(gpu, boost_MHz=None)) == 0
