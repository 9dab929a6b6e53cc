"""The experiments of latency, products and banks, without a clock: launches, data and tables, on the emulator."""

import dataclasses
from contextlib import nullcontext

import pandas as pd
import pytest
import torch

from helpers import specs
from helpers.measure import bench, experiments, store
from helpers.measure.bench import Measurement
from helpers.model import occupancy, warps
from helpers.run import machine


@pytest.fixture
def small_gpu(monkeypatch):
    """The emulator posing as a card of two SMs, with no clock and small sizes."""
    card = dataclasses.replace(
        machine.present(), name="NVIDIA H200", cc="9.0", sm_count=2, l2_bytes=1 << 16
    )
    if card.is_gpu:
        pytest.skip("the real experiments run on a GPU")

    def once(
        calls,
        *,
        kernel,
        elements,
        dtype,
        bytes_moved,
        block_size=None,
        flops=0,
        parameter=None,
        **_,
    ):
        calls[0]()
        return measurement(kernel, elements, dtype, bytes_moved, block_size, flops, parameter)

    class Event:
        def __init__(self, **_): ...
        def record(self): ...
        def synchronize(self): ...
        def elapsed_time(self, _):
            return 0.5  # milliseconds

    monkeypatch.setattr(bench, "require_gpu", lambda: card)
    monkeypatch.setattr(bench, "measure_calls", once)
    monkeypatch.setattr(bench, "gpu_to_itself", nullcontext)
    monkeypatch.setattr(torch.cuda, "Event", Event)
    sizes = {
        "READ_ELEMENTS": 5000,
        "READ_WARPS": (1, 8, 64),
        "CHASE_LOADS": 200,
        "MATMUL_SIDES": (40,),
    }
    for name, value in (sizes | {"TRANSPOSE_SIDE": 70, "WALK_ROUNDS": 5}).items():
        monkeypatch.setattr(experiments, name, value)
    monkeypatch.setattr(experiments, "chase_spans", lambda: [1 << 13, 1 << 15, 1 << 19])


def measurement(
    kernel, elements, dtype, bytes_moved, block_size=None, flops=0, parameter=None, note=""
):
    times = {
        "time_us": 10.0,
        "low_us": 9.0,
        "high_us": 11.0,
        "repeats": 12,
        "gpu": "NVIDIA H200",
    }
    what = {
        "kernel": kernel,
        "elements": elements,
        "dtype": dtype,
        "bytes_moved": bytes_moved,
        "note": note,
    }
    return Measurement(
        **what,
        **times,
        method="graph hot",
        block_size=block_size,
        flops=flops,
        parameter=parameter,
    )


@pytest.mark.parametrize("cc", specs.compute_capabilities())
@pytest.mark.parametrize("count", experiments.READ_WARPS)
def test_a_launch_fills_an_sm_with_just_the_warps_asked_for(cc, count):
    launch = experiments.read_launch(cc, count, 32)
    if count <= specs.compute_capability(cc).max_warps_per_sm and cc != "7.5":
        assert launch is not None
    if launch is not None:
        assert occupancy.occupancy(cc, launch[0], 32, launch[1]).warps == count


def test_a_launch_that_the_registers_forbid_is_left_out():
    assert experiments.read_launch("9.0", 64, 40) is None
    assert experiments.read_launch("9.0", 48, 40) is not None


def test_the_chain_visits_every_place_once():
    links, at, seen = experiments.random_chain(50, 32, "cpu"), 0, set()
    for _ in range(50):
        seen.add(at)
        at = int(links[at])
    assert at == 0 and seen == set(range(0, 1600, 32))
    assert len(links) == len(warps.random_cycle(50, 32))


def test_every_setting_of_the_read_kernel_is_measured_once(small_gpu):
    table = experiments.read_table(store.frame(experiments.latency_hiding(), "latency hiding"))
    dials = table[~table.large_l1][["load_bytes", "unroll", "warps"]]
    assert not dials.duplicated().any()
    assert len(dials) == 8 * 3 - 2  # 64 warps do not fit with 4 and 8 loads of 16 bytes
    row = table[
        (table.warps == 8) & (table.unroll == 4) & (table.load_bytes == 16) & ~table.large_l1
    ]
    assert row.kilobytes.item() == pytest.approx(8 * 32 * 4 * 16 / 1e3)


def test_the_chase_gives_latency_and_clock(small_gpu):
    rows = store.frame(experiments.pointer_chase(), "pointer chase")
    table = experiments.chase_table(rows)
    assert table.span.tolist() == [1 << 13, 1 << 15, 1 << 19]
    assert table.ns.tolist() == pytest.approx([500_000 / 200] * 3)
    assert (table.cycles >= 0).all()
    ns, _ = experiments.latency_and_clock(table, 30_000)
    assert ns == table.ns[1]


def test_without_a_chase_the_recorded_latency_serves(capsys):
    ns, clock = experiments.latency_and_clock(experiments.chase_table(store.frame([])), 1 << 29)
    assert 200 < ns < 1000 and clock == pytest.approx(1.98)
    assert "ceilings.csv" in capsys.readouterr().out


def test_products_and_banks_run_every_kernel(small_gpu):
    products = experiments.matmul()
    assert {row.kernel for row in products} >= {
        "matmul_plain",
        "matmul_registers",
        "torch.matmul",
    }
    assert all(row.flops == 2 * 40**3 for row in products)
    banks = experiments.bank_conflicts()
    assert {row.parameter for row in banks if row.kernel == "strided_walk"} == set(
        experiments.WALK_STRIDES
    )


def test_products_as_tflops():
    rows = store.frame([measurement("x", 64, "float32", 1, flops=2 * 8**3, parameter=8)])
    assert experiments.products_table(rows, 8)["x"] == pytest.approx(2 * 8**3 / 10 / 1e6)
    assert experiments.products_table(rows, 16).empty


def test_tables_of_no_rows_are_empty():
    nothing = store.frame([])
    tables = (experiments.read_table(nothing), experiments.chase_table(nothing))
    assert all(isinstance(table, pd.DataFrame) and table.empty for table in tables)
