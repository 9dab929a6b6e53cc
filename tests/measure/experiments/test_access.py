"""Which strided copies are measured, and that each copies what it says."""

import dataclasses

import pytest
import torch

from helpers.measure.experiments import access

SECTOR_FLOATS = 8


@pytest.fixture
def rows(gpu, no_check):
    return access.measure_strided_copy(elements=2048, strides=(1, 4, 16), starts=(0, 3))


def test_strides_and_starts_are_measured_with_the_bytes_that_are_copied(rows, gpu):
    assert [(row.kernel, row.parameter) for row in rows] == [
        ("stride", 1),
        ("stride", 4),
        ("stride", 16),
        ("start", 0),
        ("start", 3),
    ]
    assert {(row.elements, row.bytes_moved, row.block_size) for row in rows} == {
        (2048, 16384, 256)
    }
    assert {(row.method, row.dtype) for row in rows} == {("graph cold", "float32")}


def test_a_call_copies_every_stride_th_element_from_its_start(rows, gpu):
    for row, call in zip(rows, gpu.calls, strict=True):
        function = call.functions[0]
        x, out = function.args
        stride = int(row.parameter) if row.kernel == "stride" else 1
        start = int(row.parameter) if row.kernel == "start" else 0
        assert function.keywords == {"stride": stride, "start": start}
        assert len(x) == 2048 * stride + start
        x.copy_(torch.arange(len(x)))
        function()
        assert torch.equal(out, x[start::stride][:2048])


def test_buffers_rotate_until_l2_is_cold_by_the_sectors_that_are_read(rows, gpu):
    for row, call in zip(rows, gpu.calls, strict=True):
        stride = row.parameter if row.kernel == "stride" else 1
        touched = 4 * 2048 * (min(stride, SECTOR_FLOATS) + 1)
        sets = len(call.functions)
        assert sets * touched >= 4 * gpu.card.l2_bytes > (sets - 1) * touched


def test_a_stride_that_does_not_fit_is_left_out(gpu, no_check, monkeypatch, capsys):
    card = dataclasses.replace(gpu.card, memory_bytes=1 << 20)
    monkeypatch.setattr(access.bench, "require_gpu", lambda: card)
    rows = access.measure_strided_copy(elements=2048, strides=(1, 256), starts=())
    assert [row.parameter for row in rows] == [1]
    assert "stride 256" in capsys.readouterr().out


def test_what_is_measured_is_what_the_record_has(compare_with_the_record):
    assert compare_with_the_record("strided copy") == 26
