"""What is measured of the operators for PyTorch, and that it is compared before."""

import sys
from types import SimpleNamespace

import pytest
import torch

from helpers.errors import CheckError
from helpers.measure.experiments import pytorch_ops


@pytest.fixture
def two_ways(monkeypatch):
    """PyTorch's call, and one in the place of the course's, which need not be built."""

    def ways(name):
        own = lambda *x: pytorch_ops.TORCH[name](*x)  # noqa: E731
        return {f"torch {name}": pytorch_ops.TORCH[name], f"torch.ops {name}": own, "own": own}

    monkeypatch.setattr(pytorch_ops, "ways", ways)


def test_eager_calls(gpu, two_ways):
    rows = pytorch_ops.measure_eager_calls(("add", "gelu"), rounds=2)
    assert [(row.kernel, row.parameter) for row in rows] == [
        (kernel, number)
        for name in ("add", "gelu")
        for number in (0.0, 1.0)
        for kernel in (f"torch {name}", f"torch.ops {name}", "own")
    ]
    assert {row.method for row in rows} == {"wall clock"}
    assert {row.elements for row in rows} == {1024}
    assert [row.bytes_moved for row in rows[::6]] == [3 * 4096, 2 * 4096]


def test_bandwidth(gpu, two_ways, monkeypatch):
    monkeypatch.setattr(pytorch_ops.bench, "largest_that_fits", lambda count, _: count)
    rows = pytorch_ops.measure_bandwidth(
        ("bias_gelu_residual",), (torch.float32, torch.float16), elements=1 << 14
    )
    assert [(row.kernel, row.dtype) for row in rows] == [
        (kernel, dtype)
        for dtype in ("float32", "float16")
        for kernel in ("torch bias_gelu_residual", "own")
    ]
    assert [row.bytes_moved // row.elements for row in rows] == [12, 12, 6, 6]
    assert {row.method for row in rows} == {"graph hot"}
    assert [tuple(x.shape) for x in gpu.calls[0].functions[0].args] == [
        (4, 4096),
        (4096,),
        (4, 4096),
    ]


@pytest.mark.parametrize("name", list(pytorch_ops.READS))
def test_a_wrong_operator_is_not_timed(gpu, name):
    pytorch_ops.require_right(name, pytorch_ops.TORCH[name], torch.float32)
    for wrong in (lambda *x: pytorch_ops.TORCH[name](*x) * 1.0001, lambda *x: x[0] * torch.nan):
        with pytest.raises(CheckError, match=f"{name} of float32 is wrong by"):
            pytorch_ops.require_right(name, wrong, torch.float32)


def test_the_ways_of_a_machine_without_triton(gpu, monkeypatch):
    monkeypatch.setattr(pytorch_ops.importlib.util, "find_spec", lambda _: None)
    ways = pytorch_ops.ways("gelu")
    assert list(ways) == ["torch gelu", "compiled gelu", "torch.ops gelu"]
    x = torch.randn(5)
    for call in ways.values():
        torch.testing.assert_close(call(x), pytorch_ops.TORCH["gelu"](x))


@pytest.mark.stress
def test_a_custom_op_is_the_kernel(gpu):
    x = torch.randn(37)
    swish = pytorch_ops.ways("swish")
    assert list(swish) == ["torch swish", "custom_op swish"]
    torch.testing.assert_close(swish["custom_op swish"](x), torch.nn.functional.silu(x))
    assert pytorch_ops.custom_op("swish") is swish["custom_op swish"]


@pytest.mark.parametrize(("name", "rows"), [("eager calls", 75), ("pytorch operators", 22)])
def test_what_is_measured_is_what_the_record_has(
    name, rows, compare_with_the_record, monkeypatch
):
    """With every way that the H200's machine has, none of which is built or called here."""
    every = SimpleNamespace(**dict.fromkeys(pytorch_ops.TORCH))
    monkeypatch.setattr(pytorch_ops.pytorch_ops, "load", lambda: every)
    monkeypatch.setattr(pytorch_ops, "custom_op", lambda name: None)
    monkeypatch.setattr(pytorch_ops, "require_right", lambda *_: None)
    monkeypatch.setattr(pytorch_ops.importlib.util, "find_spec", lambda _: True)
    monkeypatch.setattr(torch.ops, "elementwise", every, raising=False)
    triton = "helpers.run.pytorch_ops.in_triton"
    monkeypatch.setitem(sys.modules, triton, every)
    monkeypatch.setattr(
        sys.modules["helpers.run.pytorch_ops"], "in_triton", every, raising=False
    )
    monkeypatch.setattr(pytorch_ops, "partial", lambda call, *tensors: tensors)
    assert compare_with_the_record(name) == rows
