"""The data in three orders, and which launches of the branches are measured."""

import pytest
import torch

from helpers.measure import store
from helpers.measure.experiments import divergence
from helpers.measure.measurement import label
from helpers.model.divergence import branch_cost


def test_the_orders_hold_the_same_numbers():
    x = {
        order: divergence.branch_data(3200, 0.25, order)
        for order in ("mixed", "sorted", "by warp")
    }
    for values in x.values():
        assert torch.equal(values.sort().values, x["mixed"].sort().values)
        assert int((values >= 0).sum()) == 800
        assert values.dtype == torch.float32
        assert (values.abs() >= 0.5).all() and (values.abs() < 1.5).all()
    takes_a = {order: (values >= 0).numpy() for order, values in x.items()}
    divergent = {order: branch_cost(mask, 100, 1).divergent for order, mask in takes_a.items()}
    assert divergent == {"mixed": 100, "sorted": 0, "by warp": 0}
    assert not takes_a["sorted"][:2400].any() and takes_a["sorted"][2400:].all()
    assert takes_a["by warp"][:2400].any()


@pytest.mark.parametrize("fraction", [0, 1])
def test_the_ends_are_of_one_sign(fraction):
    x = divergence.branch_data(64, fraction, "mixed")
    assert bool(((x >= 0) == bool(fraction)).all())


def test_the_fraction_is_rounded_to_whole_warps():
    for fraction, count in ((0.3, 32), (0.2, 0), (0.8, 64)):
        x = divergence.branch_data(64, fraction, "sorted")
        assert int((x >= 0).sum()) == count


def test_data_of_another_kind_are_refused():
    with pytest.raises(ValueError, match=r"multiple of 32 elements, not 'mixed' and 33"):
        divergence.branch_data(33, 0.5, "mixed")
    with pytest.raises(ValueError, match="order"):
        divergence.branch_data(64, 0.5, "unsorted")


def test_every_order_of_every_fraction_is_measured(gpu, no_check):
    rows = divergence.measure_divergence(sizes=[(1 << 10, 100), (64, 4)], fractions=[0, 0.5, 1])
    assert len(rows) == 2 * (3 * 3 + 3)
    orders = [f"branch 100 {order}" for order in ("mixed", "sorted", "by warp")]
    assert [label(row.kernel, row.dials) for row in rows if row.parameter == 0][:3] == orders
    beside = {label(row.kernel, row.dials) for row in rows if row.kernel != "branch"}
    assert beside == {
        "all_long 100 mixed",
        "select_both 100 mixed",
        "all_long 4 mixed",
        "select_both 4 mixed",
        "torch.sort",
    }
    assert {row.parameter for row in rows if row.kernel == "all_long"} == {0.5}


def test_what_a_branch_counts(gpu, no_check):
    (row, *_) = divergence.measure_divergence(sizes=[(1 << 10, 100)], fractions=[0])
    assert (row.elements, row.bytes_moved, row.dtype) == (1024, 8192, "float32")
    assert row.block_size == 256
    call = gpu.calls[0]
    assert call.precision == 0.01
    assert call.functions[0].keywords == {"steps": 100, "block_size": 256}
    x, out = call.functions[0].args
    assert not (x >= 0).any() and out.shape == x.shape


def test_a_sort_is_of_the_same_data(gpu, no_check):
    rows = divergence.measure_divergence(sizes=[(64, 4)], fractions=[0.5])
    (index,) = [k for k, row in enumerate(rows) if row.kernel == "torch.sort"]
    assert (rows[index].bytes_moved, rows[index].parameter) == (512, None)
    run = gpu.calls[index].functions[0]
    assert torch.equal(run.keywords["out"][0], run.args[0].sort().values)


def test_the_crossover_has_two_launchers_for_each_point(gpu, no_check):
    rows = divergence.measure_select_crossover(sizes=[1 << 10, 64], steps=[1, 4])
    assert len(rows) == 2 * 2 * 2 * 3
    assert {row.parameter for row in rows} == {1, 4}
    assert {row.elements for row in rows} == {1 << 10, 64}
    names = [label(row.kernel, row.dials) for row in rows[:12]]
    assert names[:4] == ["branch mixed 0.5", "select_both mixed 0.5"] * 2
    assert "branch mixed 0.015625" in names and "select_both by warp 0.5" in names
    for row, call in zip(rows, gpu.calls, strict=True):
        assert call.functions[0].keywords == {"steps": row.parameter, "block_size": 256}


def test_two_orders_in_blocks_of_each_size(gpu, no_check):
    rows = divergence.measure_divergence_by_block(elements=1 << 10, steps=4)
    keys = [(order, size) for order in ("sorted", "by warp") for size in (32, 64, 256, 1024)]
    for row, call, (order, size) in zip(rows, gpu.calls, keys, strict=True):
        assert label(row.kernel, row.dials) == f"branch {order}"
        assert (row.block_size, row.parameter) == (size, 1 / 2)
        run = call.functions[0]
        assert run.keywords == {"steps": 4, "block_size": size}
        signs = (run.args[0] >= 0).view(-1, 32)
        assert torch.equal(signs.all(1), signs.any(1)) and int(signs.sum()) == 512
        assert bool(signs[:16].any()) == (order == "by warp")


def test_a_second_store_is_measured_beside_a_select_and_a_branch(gpu, no_check):
    rows = divergence.measure_second_store(elements=1 << 10)
    names = ("select_both", "two_stores", "branch")
    keys = [(name, steps) for steps in (1, 2, 4) for name in names]
    assert [(row.kernel, row.parameter) for row in rows] == keys
    for call, (_, steps) in zip(gpu.calls, keys, strict=True):
        assert call.functions[0].keywords["steps"] == steps
        x, out = call.functions[0].args
        assert torch.equal(out[x < 0], x[x < 0] + 1)


def test_the_record_is_of_the_default_sizes():
    rows = store.load("divergence", "H200")
    branches = rows[rows.steps.notna()]
    assert set(zip(branches.elements, branches.steps, strict=True)) == set(divergence.SIZES)
    assert set(branches.parameter) == set(divergence.FRACTIONS)
    assert set(branches.order) == set(divergence.ORDERS)
    rows = store.load("select crossover", "H200")
    assert set(divergence.CROSSOVER_SIZES) <= set(rows.elements)
    assert set(divergence.CROSSOVER_STEPS) <= set(rows.parameter)
    data = set(zip(rows.fraction, rows.order, strict=True))
    assert data == set(divergence.CROSSOVER_DATA)


@pytest.mark.parametrize(
    ("name", "rows"),
    [
        ("divergence", 107),
        ("select crossover", 108),
    ],
)
def test_what_is_measured_is_what_the_record_has(
    name, rows, compare_with_the_record, monkeypatch
):
    monkeypatch.setattr(divergence, "branch_data", lambda n, *_: torch.empty(n, device="meta"))
    assert compare_with_the_record(name) == rows
