"""A swap is measured in whole and in partly empty warps, beside a copy of the same bytes."""

import torch

from helpers.measure.experiments import warps
from helpers.model.warps import thread_layout


def test_every_block_size_and_a_copy_are_measured(gpu, no_check):
    rows = warps.measure_warp_swap(elements=70, block_sizes=(32, 33))
    assert [(row.kernel, row.block_size) for row in rows] == [
        ("swap_synced", 32),
        ("swap_synced", 33),
        ("copy", None),
    ]
    assert {(row.elements, row.bytes_moved) for row in rows} == {(70, 560)}
    first, second, _ = gpu.calls
    assert (first.dtype, first.precision) == ("float32", 0.01)
    assert [call.functions[0].keywords for call in (first, second)] == [
        {"block_size": 32},
        {"block_size": 33},
    ]
    x, out = second.functions[0].args
    assert torch.equal(out[:4], x[[1, 0, 3, 2]])
    assert out[32] == x[32] and out[33] == x[34], "thread 32 of 33 has no partner"


def test_each_broken_size_has_the_warps_of_a_whole_one():
    sizes = warps.BLOCK_SIZES
    assert len(sizes) == len(set(sizes)) == 9
    count = {size: thread_layout(size).warps for size in sizes}
    broken = [size for size in sizes if size % 32]
    assert broken == [33, 129, 257]
    assert [count[size] for size in broken] == [count[64], count[160], count[288]] == [2, 5, 9]


def test_as_many_elements_as_fit(gpu, no_check, monkeypatch):
    asked = []

    def fits(elements, bytes_per_element):
        asked.append((elements, bytes_per_element))
        return 64

    monkeypatch.setattr(warps.bench, "largest_that_fits", fits)
    rows = warps.measure_warp_swap(block_sizes=(64,))
    assert asked == [(1 << 28, 8)]
    assert {row.elements for row in rows} == {64}


def test_what_is_measured_is_what_the_record_has(compare_with_the_record):
    assert compare_with_the_record("warp swap") == 10
