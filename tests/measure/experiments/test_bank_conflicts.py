"""The transposes and the strided reads that are measured."""

import pytest
import torch

from helpers.measure import store
from helpers.measure.experiments import bank_conflicts
from helpers.measure.measurement import label


@pytest.fixture
def rows(gpu, no_check, monkeypatch):
    monkeypatch.setattr(bank_conflicts, "TRANSPOSE_SIDE", 70)
    monkeypatch.setattr(bank_conflicts, "WALK_ROUNDS", 5)
    return bank_conflicts.measure_bank_conflicts()


def test_transposes_with_and_without_padding(rows, gpu):
    assert [label(row.kernel, row.dials) for row in rows[:3]] == [
        "transpose",
        "transpose padded",
        "torch transpose",
    ]
    assert {(row.elements, row.bytes_moved) for row in rows[:3]} == {(4900, 39200)}
    for call, padding in zip(gpu.calls[:2], (0, 1), strict=True):
        run = call.functions[0]
        assert run.keywords == {"padding": padding}
        x, out = run.args
        assert torch.equal(out, x.T)


def test_walks_of_every_stride_fill_every_sm(rows, gpu):
    walks = rows[3:]
    assert [row.parameter for row in walks] == [0, 1, 2, 3, 4, 6, 8, 12, 16, 24, 32]
    assert {row.kernel for row in walks} == {"strided_walk"}
    for row in walks:
        assert row.elements == 2 * 2048  # threads: 64 warps on each of two SMs
        assert row.bytes_moved == 4 * 5 * 4096
        assert (row.block_size, row.dtype) == (256, "int32")
    run = gpu.calls[-1].functions[0]
    lanes = torch.arange(4096) % 32
    assert torch.equal(run.args[0].long(), (lanes * 32 + 5) % 1024)


def test_as_many_threads_as_the_sms_hold(gpu, no_check, monkeypatch):
    import dataclasses

    turing = dataclasses.replace(gpu.card, cc="7.5", sm_count=3)
    monkeypatch.setattr(bank_conflicts.bench, "require_gpu", lambda: turing)
    monkeypatch.setattr(bank_conflicts, "TRANSPOSE_SIDE", 8)
    monkeypatch.setattr(bank_conflicts, "WALK_STRIDES", (1,))
    assert bank_conflicts.measure_bank_conflicts()[-1].elements == 3 * 1024


def test_the_record_is_of_the_default_sizes():
    rows = store.load("bank conflicts", "H200")
    walks = rows[rows.kernel == "strided_walk"]
    assert set(rows[rows.kernel != "strided_walk"].elements) == {8192**2}
    assert bank_conflicts.TRANSPOSE_SIDE == 8192
    assert set(walks.parameter) == set(bank_conflicts.WALK_STRIDES)
    assert set(walks.bytes_moved / walks.elements) == {4 * bank_conflicts.WALK_ROUNDS}
    assert set(walks.block_size) == {bank_conflicts.WALK_BLOCK_SIZE}


def test_wide_walks_read_16_bytes_a_lane(gpu, no_check, monkeypatch):
    monkeypatch.setattr(bank_conflicts, "WALK_ROUNDS", 5)
    rows = bank_conflicts.measure_wide_bank_conflicts()
    assert [row.parameter for row in rows] == list(range(9))
    assert {row.kernel for row in rows} == {"wide_walk"}
    assert {row.bytes_moved for row in rows} == {16 * 5 * 4096}
    lanes = torch.arange(4096) % 32
    assert torch.equal(gpu.calls[-1].functions[0].args[0].long(), (lanes * 8 + 5) % 256)


def test_tiles_in_both_orders_beside_the_transpose(gpu, no_check):
    rows = bank_conflicts.measure_tile_order([64, 70])
    names = ["transpose padded", "tiles across", "tiles down", "copy"]
    assert [(row.kernel, row.parameter) for row in rows] == [
        (name, side) for side in (64, 70) for name in names
    ]
    assert {row.bytes_moved for row in rows} == {8 * 64**2, 8 * 70**2}
    assert [call.functions[0].keywords for call in gpu.calls[1:3]] == [{"down": 0}, {"down": 1}]
    x, out = gpu.calls[2].functions[0].args
    assert torch.equal(x, out)


def test_pieces_of_each_size_with_a_barrier_and_without(gpu, no_check):
    rows = bank_conflicts.measure_piece_size(side=70)
    names = ("pieces, no barrier", "pieces, a barrier")
    bytes_a_piece = (128, 256, 512, 1024, 4096)
    assert [(row.kernel, row.parameter) for row in rows] == [
        (name, size) for name in names for size in bytes_a_piece
    ]
    assert {row.bytes_moved for row in rows} == {8 * 70**2}
    for row, call in zip(rows, gpu.calls, strict=True):
        run = call.functions[0]
        barrier = int("a barrier" in row.kernel)
        assert run.keywords == {"width": row.parameter // 4, "barrier": barrier}
        x, out = run.args
        assert torch.equal(x, out)


@pytest.mark.parametrize(
    ("name", "rows"),
    [
        ("bank conflicts", 14),
        ("wide bank conflicts", 9),
        ("tile order", 8),
    ],
)
def test_what_is_measured_is_what_the_record_has(name, rows, compare_with_the_record):
    assert compare_with_the_record(name) == rows
