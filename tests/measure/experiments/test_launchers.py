"""Which launchers of the shared files are measured, with which bytes."""

import pytest
import torch

from helpers.measure import bench
from helpers.measure.experiments import launchers
from helpers.run import jit


@pytest.fixture(autouse=True)
def everything_fits(monkeypatch):
    monkeypatch.setattr(bench, "largest_that_fits", lambda elements, _: elements)


def test_each_kernel_of_the_machine_codes_lesson_and_the_hints_five_times(gpu, no_check):
    rows = launchers.measure_load_instructions(elements=1000)
    names = [row.kernel for row in rows]
    assert names[:5] == [
        "restrict may_overlap",
        "restrict no_overlap",
        "split_struct split",
        "split_struct whole",
        "wide_load add",
    ]
    hints = ["cache_hints plain", "cache_hints streaming", "cache_hints evict_first"]
    assert names[5:] == 5 * hints  # interleaved
    assert [row.parameter for row in rows[5:]] == [k for k in range(5) for _ in hints]
    assert {row.method for row in rows} == {"graph cold"}
    assert {(row.dtype, row.bytes_moved) for row in rows} == {
        ("float32", 12_000),
        ("float16", 6_000),
    }
    assert {row.block_size for row in rows} == {256}


def test_blocks_of_one_sum_are_swept_by_threads_and_by_elements_a_thread(gpu, no_check):
    rows = launchers.measure_block_bytes(elements=4096)
    launches = {(row.kernel, row.parameter, row.block_size) for row in rows}
    sizes = launchers.BLOCK_SIZES
    assert launches == {(f"block_bytes {w}", w, b) for w in (1, 2, 4) for b in sizes}
    assert len(rows) == len(launches)
    for row, call in zip(rows, gpu.calls, strict=True):
        assert call.functions[0].keywords == {"block_size": row.block_size}
        a, b, out = call.functions[0].args
        assert torch.equal(out, a + b)
        assert (row.bytes_moved, row.flops) == (12 * 4096, 4096)


def test_three_inputs_are_measured_hot_and_cold_at_the_articles_sizes(
    gpu, no_check, monkeypatch
):
    monkeypatch.setattr(bench, "ARTICLE_SIZES", (64, 512))
    rows = launchers.measure_three_inputs()
    assert [(row.method, row.elements) for row in rows] == [
        ("graph hot", 64),
        ("graph hot", 512),
        ("graph cold", 64),
        ("graph cold", 512),
    ]
    assert {(row.bytes_moved / row.elements, row.flops / row.elements) for row in rows} == {
        (16, 2)
    }
    assert {row.kernel for row in rows} == {"fma_f32x4 multiply_add"}
    a, b, c, out = gpu.calls[0].functions[0].args
    assert torch.equal(out, (a.double() * b.double() + c.double()).float())
    cold = gpu.calls[2]
    assert len(cold.functions) == bench.sets_for("graph cold", 16 * 64, gpu.card.l2_bytes)


def test_what_is_measured_was_checked_as_an_addition():
    assert launchers._load("block_bytes").checked


def test_the_width_of_the_index_is_measured_at_the_articles_sizes(gpu, no_check, monkeypatch):
    monkeypatch.setattr(bench, "ARTICLE_SIZES", (64, 512))
    rows = launchers.measure_index_width()
    assert [(row.kernel, row.elements, row.bytes_moved) for row in rows] == [
        ("index_width int64", 64, 768),
        ("index_width int", 64, 768),
        ("index_width int64", 512, 6144),
        ("index_width int", 512, 6144),
    ]
    for call in gpu.calls:
        a, b, out = call.functions[0].args
        assert torch.equal(out, a + b)


def test_the_last_pointer_stands_behind_more_and_more_arguments(gpu, no_check):
    rows = launchers.measure_arguments(unread=(8, 104))
    assert [(row.kernel, row.parameter) for row in rows] == [
        ("arguments add", 32.0),
        ("arguments add", 128.0),
    ]
    assert {(row.elements, row.bytes_moved, row.method) for row in rows} == {
        (65536, 786432, "graph hot")
    }
    for call, unread in zip(gpu.calls, (8, 104), strict=True):
        assert call.functions[0].keywords == {"unread": unread}
        a, b, out = call.functions[0].args
        assert torch.equal(out, a + b)


def test_the_cases_below_2_31_are_those_of_an_addition():
    launcher = jit.load("index_width").add_int
    *cases, last = launchers.below_2_31(launcher)
    assert 50 < len(cases) < 200 and last.label == "sizes past 2^31"
    for case in cases[:5]:
        assert torch.equal(case.expected[0], case.inputs[0].double() + case.inputs[1].double())


@pytest.mark.parametrize(
    ("name", "rows"),
    [
        ("load instructions", 20),
        ("block bytes", 30),
        ("three inputs", 6),
        ("index width", 6),
    ],
)
def test_what_is_measured_is_what_the_record_has(name, rows, compare_with_the_record):
    assert compare_with_the_record(name) == rows
