"""Every operator is right before it is timed, and what is counted for it."""

import math

import pandas as pd
import pytest
import torch

from helpers.errors import CheckError
from helpers.measure import store
from helpers.measure.experiments import operators

HALF, SINGLE = torch.float16, torch.float32
RECORDED = {"add", "relu", "gelu", "gelu_tanh", "scale", "cast", "multiply_add"}
RECORDED |= {"bias_gelu_residual"}


@pytest.mark.parametrize(
    "one", operators.OPERATORS, ids=lambda one: f"{one.name} {one.casts_to}"
)
@pytest.mark.parametrize("dtype", [SINGLE, HALF])
@pytest.mark.sample(2)
@pytest.mark.parametrize("elements", [1, 7, 1003, 3 * 4096])
def test_operators_are_as_exact_as_pytorchs(one, dtype, elements):
    dtype = one.casts_to or dtype
    ours, theirs = operators.difference(one, dtype, elements)
    assert ours <= (8 if dtype is SINGLE else 0.51)
    assert ours <= theirs + 2


@pytest.mark.parametrize(
    "one", operators.OPERATORS, ids=lambda one: f"{one.name} {one.casts_to}"
)
def test_what_is_nan_in_float64_is_nan(one):
    dtype = one.casts_to or HALF
    inputs = [torch.full_like(x, math.nan) for x in one.inputs(100, dtype)]
    out = torch.zeros_like(inputs[0], dtype=dtype)
    one.launcher(dtype)(*inputs, out)
    assert torch.equal(out.isnan(), one.exact(*[x.double() for x in inputs]).isnan())


@pytest.mark.parametrize(
    ("name", "dtype", "ours", "eager"),
    [
        ("add", SINGLE, 12, 12),
        ("relu", HALF, 4, 4),
        ("multiply_add", HALF, 8, 8),
        ("cast", HALF, 6, 6),
        ("bias_gelu_residual", HALF, 6, 14),
        ("bias_gelu_residual", SINGLE, 12, 28),
    ],
)
def test_bytes_an_element(name, dtype, ours, eager):
    one = operators.operator(name)
    assert one.bytes_moved(1000, dtype) == 1000 * ours
    assert one.bytes_moved(1000, dtype, eager=True) == 1000 * eager


def test_inputs():
    add = operators.operator("add").inputs(100, HALF)
    assert [(x.shape, x.dtype) for x in add] == [((100,), HALF)] * 2
    (cast,) = operators.operator("cast").inputs(100, HALF)
    assert cast.dtype is SINGLE
    fused = operators.operator("bias_gelu_residual")
    assert [x.shape for x in fused.inputs(8200, HALF)] == [(2, 4096), (4096,), (2, 4096)]
    assert fused.inputs(5, HALF)[0].shape == (1, 4096)


def test_an_unknown_operator_names_the_known_ones():
    with pytest.raises(KeyError, match="bias_gelu_residual") as caught:
        operators.operator("swish")
    assert str(caught.value).count("cast") == 1


def test_a_wrong_operator_is_not_measured(gpu, monkeypatch):
    one = operators.operator("relu")
    sizes = []

    def difference(error):
        return lambda _, __, n: sizes.append(n) or (error, 0.0)

    monkeypatch.setattr(operators, "difference", difference(16.0))
    operators.require_right(one, SINGLE)
    assert sizes == [1003, 1 << 20]
    with pytest.raises(CheckError, match=r"relu of torch.float16 is wrong"):
        operators.require_right(one, HALF)
    monkeypatch.setattr(operators, "difference", difference(16.5))
    with pytest.raises(CheckError, match=r"add of torch.float32 is wrong"):
        operators.measure_operators(sizes=[64], dtypes=[SINGLE])
    sizes.clear()
    monkeypatch.setattr(operators, "difference", difference(0.0))
    operators.require_right(operators.operator("bias_gelu_residual"), HALF)
    assert sizes == [1003 * 4096, 1 << 20]


def test_a_nan_is_a_large_difference(monkeypatch):
    one = operators.Operator("none", "", 1, torch.relu, lambda x, out, _: out.copy_(x.relu()))
    monkeypatch.setattr(operators.Operator, "launcher", lambda *_: lambda x, out: None)
    ours, theirs = operators.difference(one, SINGLE, 8)
    assert ours == pytest.approx(1e9) and theirs == 0


def test_a_difference_is_in_units_of_eps_times_the_exact_value(monkeypatch):
    """Three units too many at 8, one at 1/4, where the unit does not shrink any further."""
    eps = torch.finfo(SINGLE).eps
    exact = torch.tensor([8.0, 0.25])

    def wrong(x, out):
        out.copy_(exact + torch.tensor([3 * 8 * eps, eps]))

    one = operators.Operator(
        "made up", "", 1, lambda x: exact.double(), lambda x, o, _: o.copy_(exact)
    )
    monkeypatch.setattr(operators.Operator, "inputs", lambda *_: [torch.zeros(2)])
    monkeypatch.setattr(operators.Operator, "launcher", lambda *_: wrong)
    assert operators.difference(one, SINGLE, 2) == (pytest.approx(3), 0)


def test_the_calls_of_an_operator():
    ours, eager = operators.calls(operators.operator("add"), 64, HALF)
    assert (ours.kernel, ours.bytes_moved) == ("add", 384)
    assert (eager.kernel, eager.bytes_moved) == ("torch add", 384)
    for call in (ours, eager):
        call.run()
        a, b, out = call.run.args[:3]
        assert torch.equal(out, a + b)


def test_the_calls_of_the_fused_operator(monkeypatch):
    monkeypatch.setattr(torch, "compile", lambda function, dynamic: function)
    calls = list(operators.calls(operators.operator("bias_gelu_residual"), 4096, HALF))
    assert [(call.kernel, call.bytes_moved // 8192) for call in calls] == [
        ("bias_gelu_residual", 3),
        ("torch bias_gelu_residual", 7),
        ("torch.compile bias_gelu_residual", 3),
        ("torch part 1: x + bias", 2),
        ("torch part 2: gelu", 2),
        ("torch part 3: + residual", 3),
    ]
    for call in calls:
        call.run()
    x, bias, residual, out = calls[2].run.args
    calls[2].run()
    want = torch.nn.functional.gelu(x + bias) + residual
    assert torch.allclose(out, want, atol=1e-2)


@pytest.mark.parametrize("required", [False, True])
def test_a_library_that_fails_is_left_out(required, capsys):
    def fail():
        raise RuntimeError("no compiler " + 200 * "x")

    call = operators.Call("torch.compile add", fail, 1)
    if required:
        with pytest.raises(RuntimeError):
            operators._runs(call, required)
        return
    assert not operators._runs(call, required)
    out = capsys.readouterr().out
    assert "torch.compile add is left out: RuntimeError: no compiler" in out
    assert len(out) < 200


def test_operators_are_measured_beside_pytorch(gpu, monkeypatch):
    monkeypatch.setattr(operators, "require_right", lambda *_: None)
    some = (operators.operator("relu"), operators._cast(torch.bfloat16))
    monkeypatch.setattr(operators, "OPERATORS", some)
    rows = operators.measure_operators(sizes=[64, 128], dtypes=[HALF])
    assert [(row.kernel, row.dtype, row.elements, row.bytes_moved) for row in rows] == [
        ("relu", "float16", 64, 256),
        ("torch relu", "float16", 64, 256),
        ("relu", "float16", 128, 512),
        ("torch relu", "float16", 128, 512),
        ("cast", "bfloat16", 64, 384),
        ("torch cast", "bfloat16", 64, 384),
        ("cast", "bfloat16", 128, 768),
        ("torch cast", "bfloat16", 128, 768),
    ]
    assert {call.precision for call in gpu.calls} == {0.01}


def table_rows(*values: tuple) -> pd.DataFrame:
    columns = ["kernel", "dtype", "elements", "time_us", "gb_per_s"]
    return pd.DataFrame(values, columns=columns)


def test_ours_beside_pytorch():
    pair = table_rows(
        ("relu", "float16", 256, 4.0, 100.0),
        ("torch relu", "float16", 256, 6.0, 66.0),
        ("torch.compile relu", "float16", 256, 5.0, 80.0),
        ("relu", "float16", 512, 9.0, 90.0),
        ("torch relu", "float16", 512, 4.5, 180.0),
    )
    table = operators.beside_torch(pair)
    assert table.to_dict("list") == {
        "kernel": ["relu", "relu"],
        "dtype": ["float16", "float16"],
        "elements": [256, 512],
        "ours (us)": [4.0, 9.0],
        "torch (us)": [6.0, 4.5],
        "torch / ours": [1.5, 0.5],
        "GB/s": [100.0, 90.0],
    }
    assert operators.beside_torch(table_rows()).empty


def test_the_record_is_of_every_operator_and_size():
    rows = store.load("operators", "H200")
    assert set(rows.elements) == set(operators.SIZES) == {1 << 20, 1 << 24, 1 << 28}
    recorded = set(operators.beside_torch(rows).kernel)
    # A new operator waits for the next `make record`.
    assert RECORDED <= recorded <= {one.name for one in operators.OPERATORS}
    assert recorded <= set(rows.kernel)
    assert operators.ALPHA == 0.7


def test_what_is_measured_is_what_the_record_has(compare_with_the_record, monkeypatch):
    monkeypatch.setattr(operators, "require_right", lambda *_: None)
    monkeypatch.setattr(operators, "_runs", lambda call, required: True)
    monkeypatch.setattr(torch, "compile", lambda function, dynamic: function)
    assert compare_with_the_record("operators") == 120
