"""Layer norm is right before it is timed, and what is counted for it."""

import pytest
import torch

from helpers.errors import CheckError
from helpers.measure import store
from helpers.measure.experiments import layer_norm


@pytest.mark.parametrize("columns", [256, 1024])
def test_as_exact_as_pytorchs(columns):
    for dtype, limit in ((torch.float32, 1e-5), (torch.float16, 5e-3)):
        ours, theirs = layer_norm.norm_error(5, columns, dtype)
        assert 0 < ours < limit
        assert ours <= 3 * theirs


def test_inputs_have_a_mean_far_from_0():
    x, gamma, beta = layer_norm.norm_inputs(64, 256, torch.float16)
    assert (x.shape, gamma.shape, beta.shape) == ((64, 256), (256,), (256,))
    assert {x.dtype, gamma.dtype, beta.dtype} == {torch.float16}
    assert 9 < float(x.float().mean()) < 11 and 2 < float(x.float().std()) < 4


def test_a_kernel_that_writes_nothing_is_wrong(gpu, monkeypatch):
    monkeypatch.setattr(layer_norm.jit, "load", lambda name: lambda *tensors: None)
    assert layer_norm.norm_error(5, 256, torch.float32)[0] == pytest.approx(1e9)
    with pytest.raises(CheckError, match=r"layer_norm of torch.float32 in rows of 256"):
        layer_norm.measure_layer_norm([256])


def test_the_tolerance_is_64_eps(gpu, monkeypatch):
    monkeypatch.setattr(layer_norm, "ELEMENTS", 1 << 12)
    asked, eps = [], torch.finfo(torch.float16).eps
    for factor in (64, 65):
        error = factor * eps
        monkeypatch.setattr(
            layer_norm, "norm_error", lambda *a, error=error: asked.append(a) or (error, 0)
        )
        if factor == 64:
            assert len(layer_norm.measure_layer_norm([256], [torch.float16])) == 2
        else:
            with pytest.raises(CheckError):
                layer_norm.measure_layer_norm([256], [torch.float16])
    assert asked[0] == (37, 256, torch.float16)


def test_what_is_measured(gpu, monkeypatch):
    monkeypatch.setattr(layer_norm, "ELEMENTS", 1 << 14)
    rows = layer_norm.measure_layer_norm([256, 1024], [torch.float32, torch.float16])
    assert [(row.kernel, row.dtype, row.parameter, row.bytes_moved) for row in rows] == [
        (name, dtype, columns, 2 * size << 14)
        for dtype, size in (("float32", 4), ("float16", 2))
        for columns in (256, 1024)
        for name in ("layer_norm", "torch layer_norm")
    ]
    assert {row.elements for row in rows} == {1 << 14}
    assert {call.precision for call in gpu.calls} == {0.01}
    assert gpu.calls[0].functions[0].args[0].shape == (64, 256)


def test_the_record_is_of_the_default_shapes():
    rows = store.load("layer norm", "H200")
    assert set(rows.elements) == {layer_norm.ELEMENTS} == {2**26}
    assert set(rows.parameter) == set(layer_norm.COLUMNS)


def test_what_is_measured_is_what_the_record_has(compare_with_the_record, monkeypatch):
    def inputs(rows, columns, dtype):
        return tuple(
            torch.empty(shape, dtype=dtype, device="meta")
            for shape in ((rows, columns), columns, columns)
        )

    monkeypatch.setattr(layer_norm, "norm_error", lambda *_: (0.0, 0.0))
    monkeypatch.setattr(layer_norm, "norm_inputs", inputs)
    assert compare_with_the_record("layer norm") == 16
