"""Operators: right on the emulator within their bounds, and wrong results are seen as wrong."""

import pytest
import torch

from helpers.errors import UnknownNameError
from helpers.measure.libraries import cells, operator_sources, operators
from helpers.measure.libraries.operators import OPERATORS, Operator
from helpers.run import jit, machine

DEVICE = machine.present().device
ADD = Operator.of("add", "float16", "float16")


def run(operator, elements, offsets=(), **knobs):
    inputs, out = operator.buffers(elements, DEVICE, offsets)
    out.view(torch.uint8).fill_(0x7F)
    launcher = getattr(jit.load(operator_sources.fast(operator.name)), operator.launcher)
    launcher(*map(operators.as_bytes, (*inputs, out)), **knobs)
    return operator.error(inputs, out)


def is_right(operator):
    for path, packs in ((1, 1), (1, 4), (2, 2)):
        for elements in (5, 4096, 20_003):
            assert run(operator, elements, path=path, packs=packs) <= operator.bound()
    offsets = [1 + place for place in range(operator.kind.arity)] + [0]
    if operator.kind.inputs != "row":
        assert run(operator, 9_001, offsets) <= operator.bound()


@pytest.mark.stress
@pytest.mark.parametrize("name", OPERATORS)
def test_every_operator_is_right(name):
    torch.manual_seed(1)
    for operator in operators.all_operators():
        if operator.name == name:
            is_right(operator)


def test_there_is_an_operator_for_every_stratum():
    assert len(operators.all_operators()) == len(cells.strata()) == 64
    assert {operator.name for operator in operators.all_operators()} == set(OPERATORS)
    with pytest.raises(UnknownNameError, match="no operator 'adds'; there are: copy, relu"):
        Operator.of("adds", "float32", "float32")


@pytest.mark.parametrize(
    ("names", "dtypes", "moved", "launcher", "said"),
    [
        (
            ("add", *2 * ("float16",)),
            2 * [torch.float16],
            6,
            "add_float16_float16",
            "add float16",
        ),
        (
            ("relu", *2 * ("float32",)),
            [torch.float32],
            8,
            "relu_float32_float32",
            "relu float32",
        ),
        (
            ("where", *2 * ("bfloat16",)),
            [torch.bool, torch.bfloat16, torch.bfloat16],
            7,
            "where_bfloat16_bfloat16",
            "where bfloat16",
        ),
        (
            ("cast", "float32", "int8"),
            [torch.float32],
            5,
            "cast_float32_int8",
            "cast float32 to int8",
        ),
        (
            ("bias_gelu_residual", *2 * ("float32",)),
            3 * [torch.float32],
            12,
            "bias_gelu_residual_float32_float32",
            "bias_gelu_residual float32",
        ),
    ],
)
def test_an_operators_facts(names, dtypes, moved, launcher, said):
    operator = Operator.of(*names)
    assert list(operator.input_dtypes) == dtypes
    assert operator.bytes_per_element == moved
    assert (operator.launcher, str(operator)) == (launcher, said)


def test_buffers_lie_where_the_offsets_say():
    inputs, out = ADD.buffers(100, "cpu", (1, 3, 2))
    assert [x.storage_offset() for x in (*inputs, out)] == [1, 3, 2]
    assert [x.numel() for x in (*inputs, out)] == [100] * 3
    inputs, out = Operator.of("cast", "float32", "int8").buffers(10_000, "cpu")
    assert 60 < inputs[0].abs().max() <= 127 and out.dtype is torch.int8


@pytest.mark.parametrize(("elements", "columns"), [(4096, 1024), (300_001, 300_001)])
def test_a_bias_has_rows_where_they_divide_the_elements(elements, columns):
    operator = Operator.of("bias_gelu_residual", "float32", "float32")
    inputs, _ = operator.buffers(elements, "cpu")
    assert inputs[1].numel() == columns


@pytest.mark.parametrize("place", [0, 5000, 9999])
def test_an_error_is_measured_in_units_of_the_last_place(place):
    inputs = [torch.full((10_000,), 1.0, dtype=torch.float16) for _ in range(2)]
    out = torch.full((10_000,), 2.0, dtype=torch.float16)
    assert ADD.error(inputs, out, some=4000) == 0
    out[place] = 2.0 + 2.0**-9  # the next number
    seen = 0 if place == 5000 else 1
    assert ADD.error(inputs, out, some=4000) == seen
    assert ADD.error(inputs, out) == 1 > ADD.bound() == 0.5001
    out[place] = float("nan")
    assert ADD.error(inputs, out) == float("inf")


def test_cancellation_has_slack_and_unfused_rounding_more():
    operator = Operator.of("bias_gelu_residual", "float16", "float16")
    inputs = [torch.full((8,), 1.0, dtype=torch.float16) for _ in range(3)]
    out = operator.kind.exact(*[x.double() for x in inputs]).to(torch.float16)
    out += 2.0**-9
    assert 1 < operator.error(inputs, out) < 2
    assert operator.error(inputs, out, ours=False) < operator.error(inputs, out) - 0.9


def test_bounds():
    assert Operator.of("exp", "float32", "float32").bound() == 2
    assert Operator.of("exp", "float16", "float16").bound() == 0.53
    assert Operator.of("copy", "float32", "float32").bound() == 0.5001


def test_eight_bit_floats_are_passed_as_bytes():
    x = torch.ones(3).to(torch.float8_e4m3fn)
    assert operators.as_bytes(x).dtype is torch.uint8
    assert operators.as_bytes(x.float()).dtype is torch.float32
