"""Every way to sum gives the sum; grids follow from the GPU."""

import pytest
import torch

from helpers import specs
from helpers.measure import store
from helpers.measure.experiments import sums
from helpers.measure.measurement import label
from helpers.run import jit, machine


@pytest.mark.parametrize(
    ("card", "blocks"),
    [("H200 SXM", 1056), ("GeForce RTX 5090", 1020), ("T4", 160)],
)
def test_a_wave_follows_from_the_threads_of_an_sm(card, blocks):
    assert sums.wave_blocks(specs.gpu(card)) == blocks


def test_every_call_sums_the_same_array():
    x = torch.randint(-9, 9, (70_001,)).float().to(machine.present().device)
    counts = {}
    for kernel, run, count, grid in sums.sum_calls(jit.load("sums"), x, 40):
        name = label(kernel, {"grid": grid} if grid else {})
        run()
        out = run.keywords.get("out", run.args[-1])  # the partial sums, or the total
        assert out.sum() == x.sum(), name
        assert out.numel() in (1, count)
        counts[name] = count
    assert counts == {
        "sum_one_thread, 256 a block": 274,
        "sum_one_thread, loop": 40,
        "sum_tree, 256 a block": 274,
        "sum_tree, loop": 40,
        "sum_shuffle, 256 a block": 2192,
        "sum_shuffle, loop": 320,
        "sum_block, 256 a block": 274,
        "sum_block, loop": 40,
        "sum_atomic_each": None,
        "sum_atomic": 40,
        "sum_two_pass": 40,
        "torch.sum": None,
    }


def test_whole_blocks_have_no_block_too_many():
    first = next(sums.sum_calls(jit.load("sums"), torch.zeros(512), 4))
    assert (first.kernel, first.grid, first.partial_sums) == (
        "sum_one_thread",
        "256 a block",
        2,
    )


def test_all_are_measured_and_a_copy(gpu, no_check):
    rows = sums.measure_sums(sizes=[1000])
    assert len(rows) == 13 and rows[-1].kernel == "copy"
    loop = next(row for row in rows if label(row.kernel, row.dials) == "sum_tree, loop")
    assert loop.parameter == 16  # 8 blocks of 256 threads on each of two SMs
    assert (loop.elements, loop.bytes_moved, loop.flops) == (1000, 4000, 1000)
    assert (loop.block_size, loop.dtype) == (256, "float32")
    eager = next(row for row in rows if row.kernel == "torch.sum")
    assert eager.block_size is None and eager.parameter is None and eager.dials == {}
    assert {call.precision for call in gpu.calls[:-1]} == {0.01}


def test_every_size_is_measured(gpu, no_check):
    rows = sums.measure_sums(sizes=[8, 64])
    assert [row.elements for row in rows] == 13 * [8] + 13 * [64]


def test_the_record_is_of_the_default_sizes():
    rows = store.load("sums", "H200")
    assert set(rows.elements) == set(sums.SIZES)
    own = rows[~rows.kernel.isin(["torch.sum", "copy"])]
    assert set(own.block_size) == {sums.BLOCK_SIZE}
    assert set(own[own.kernel == "sum_two_pass"].parameter) == {
        sums.wave_blocks(specs.gpu("H200 SXM"))
    }


def test_what_is_measured_is_what_the_record_has(compare_with_the_record):
    assert compare_with_the_record("sums") == 39
