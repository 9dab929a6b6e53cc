"""Operators: right on the emulator within their bounds, and wrong results are seen as wrong."""

import inspect
import math
import re

import pytest
import torch

from helpers.errors import UnknownNameError
from helpers.measure.libraries import cells, operator_sources, operators, triton_operators
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
    assert len(operators.all_operators()) == len(cells.strata()) + 2 == 66
    assert not {names[0] for names in cells.strata()} & {"swiglu", "gelu_cast"}
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


def test_a_nan_or_an_infinity_that_should_be_one_is_right():
    special = torch.tensor([math.inf, -math.inf, math.nan, 60_000.0], dtype=torch.float16)
    inputs = [special, torch.tensor([1.0, 1.0, 1.0, 60_000.0], dtype=torch.float16)]
    out = torch.tensor([math.inf, -math.inf, math.nan, math.inf], dtype=torch.float16)
    assert ADD.error(inputs, out) == 0
    for place, wrong in ((0, -math.inf), (1, 1.0), (2, 1.0), (2, math.inf), (3, math.nan)):
        other = out.clone()
        other[place] = wrong
        assert ADD.error(inputs, other) == math.inf


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


# What an operator may be off by: (ulp, slack, narrow_slack), and the number of its inputs.
EXPECTED = {
    "copy": (0.5, 0, 0, 1),
    "relu": (0.5, 0, 0, 1),
    "leaky_relu": (1, 0, 0, 1),
    "abs": (0.5, 0, 0, 1),
    "neg": (0.5, 0, 0, 1),
    "scale": (1, 0, 0, 1),
    "sigmoid": (5, 0, 0, 1),
    "tanh": (3, 0, 0, 1),
    "gelu": (4, 2, 0, 1),
    "gelu_tanh": (8, 2, 0, 1),
    "silu": (5, 0, 0, 1),
    "exp": (2, 0, 0, 1),
    "add": (0.5, 0, 0, 2),
    "mul": (0.5, 0, 0, 2),
    "addcmul": (1, 8, 0, 3),
    "lerp": (1, 4, 0, 2),
    "where": (0.5, 0, 0, 3),
    "bias_gelu_residual": (4, 4, 200, 3),
    "cast": (0.5, 0, 0, 1),
    "swiglu": (6, 0, 0, 2),
    "gelu_cast": (4, 2, 0, 1),
}


def test_the_table_of_operators():
    found = {k: (o.ulp, o.slack, o.narrow_slack, o.arity) for k, o in OPERATORS.items()}
    assert found == EXPECTED
    assert [k for k, o in OPERATORS.items() if o.unfused] == [
        "bias_gelu_residual",
        "swiglu",
        "gelu_cast",
    ]
    own = {k: o.inputs for k, o in OPERATORS.items() if o.inputs}
    assert own == {"where": "where", "bias_gelu_residual": "row"}
    text = operator_sources.HEADERS[1].read_text(encoding="utf-8")
    functors = set(re.findall(r"\w+", text))
    assert {kind.functor for kind in OPERATORS.values()} <= functors


@pytest.mark.parametrize(
    ("name", "inputs", "result"),
    [
        ("copy", [-2.5], -2.5),
        ("relu", [-2.0], 0),
        ("relu", [3.0], 3),
        ("leaky_relu", [-2.0], -0.02),
        ("abs", [-2.0], 2),
        ("neg", [2.0], -2),
        ("scale", [2.0], 3.4),
        ("sigmoid", [1.0], 1 / (1 + math.exp(-1))),
        ("tanh", [1.0], math.tanh(1)),
        ("gelu", [1.0], 0.5 * (1 + math.erf(0.5**0.5))),
        ("gelu_tanh", [1.0], 0.5 * (1 + math.tanh((2 / math.pi) ** 0.5 * 1.044715))),
        ("silu", [1.0], 1 / (1 + math.exp(-1))),
        ("exp", [1.0], math.e),
        ("add", [1.0, 2.0], 3),
        ("mul", [3.0, 2.0], 6),
        ("addcmul", [1.0, 3.0, 5.0], 8.5),
        ("lerp", [1.0, 2.0], 1.3),
        ("where", [0.0, 1.0, 2.0], 2),
        ("where", [1.0, 1.0, 2.0], 1),
        ("bias_gelu_residual", [0.5, 0.5, 7.0], 7 + 0.5 * (1 + math.erf(0.5**0.5))),
        ("cast", [-2.5], -2.5),
    ],
)
def test_an_operator_of_known_numbers(name, inputs, result):
    wide = [torch.full((4,), x, dtype=torch.float64) for x in inputs]
    exact = OPERATORS[name].exact(*wide)
    assert exact.tolist() == pytest.approx([result] * 4, rel=1e-12)
    out = torch.empty(4, dtype=torch.float64)
    given = [wide[0].bool(), *wide[1:]] if name == "where" else wide
    OPERATORS[name].eager(out, *given)
    assert out.tolist() == pytest.approx([result] * 4, rel=1e-12)


@pytest.mark.parametrize("operator", operators.all_operators(), ids=str)
def test_eager_pytorch_and_triton_s_expression_compute_it(
    operator, fake_triton, monkeypatch, tmp_path
):
    """Their errors are those of float32 functions on a CPU, hence the bound."""
    monkeypatch.setenv("ELEMENTWISE_CACHE", str(tmp_path))
    monkeypatch.setattr(triton_operators, "_modules", {})
    torch.manual_seed(0)
    inputs, out = operator.buffers(2048, "cpu")
    operator.eager(inputs, out)
    assert operator.error(inputs, out, ours=False) <= 100 * operator.bound()
    triton_operators.bind(operator, inputs, out.zero_(), 1024, 4, False)()
    assert operator.error(inputs, out, ours=False) <= 100 * operator.bound()


@pytest.mark.parametrize("dtype", operators.SIGNIFICANT_BITS, ids=str)
def test_the_formats(dtype):
    assert operators.SIGNIFICANT_BITS[dtype] == 1 - math.log2(torch.finfo(dtype).eps)
    smallest = torch.finfo(dtype).smallest_normal
    assert operators.SMALLEST_EXPONENT[dtype] == math.log2(smallest)


# ---- buffers and errors --------------------------------------------------------------------


def test_inputs_are_normal_numbers_conditions_and_whole_numbers():
    torch.manual_seed(3)
    ((x,), _), n = Operator.of("cast", "float32", "int8").buffers(300_000, "cpu"), 300_000
    torch.manual_seed(3)
    assert torch.equal(x, (torch.randn(n) * 30).clamp(-127, 127))
    assert (x.min(), x.max()) == (-127, 127)
    (whole,), _ = Operator.of("cast", "int8", "float32").buffers(n, "cpu")
    assert (whole.dtype, whole.min(), whole.max()) == (torch.int8, -127, 127)
    (condition, a, _), _ = Operator.of("where", "float16", "float16").buffers(n, "cpu")
    assert condition.dtype is torch.bool and 0.49 < condition.float().mean() < 0.51
    assert a.dtype is torch.float16 and 0.99 < a.float().std() < 1.01
    assert all(x.storage_offset() == 0 for x in (condition, a))


def test_errors_are_looked_for_in_the_first_and_the_last_elements():
    n, some = 3000, 1000
    x = torch.zeros(n)
    operator = Operator.of("neg", "float32", "float32")
    for place, seen in ((999, True), (1000, False), (1999, False), (2000, True)):
        out = torch.zeros(n)
        out[place] = 1
        assert (operator.error([x], out, some=some) > 0) == seen
    assert inspect.signature(Operator.error).parameters["some"].default == 2 << 20


def test_whole_rows_are_looked_at_where_there_is_a_bias():
    operator = Operator.of("bias_gelu_residual", "float32", "float32")
    inputs = [torch.zeros(n) for n in (4096, 1024, 4096)]
    for some in (10, 1024, 1500):
        for place, seen in ((1023, True), (1024, False), (3071, False), (3072, True)):
            out = torch.zeros(4096)
            out[place] = 1
            assert (operator.error(inputs, out, some=some) > 0) == seen
    out = torch.zeros(4096)
    out[1024] = 1
    assert operator.error(inputs, out, some=2048) > 0


def test_slack_is_in_units_of_the_largest_input():
    lerp = Operator.of("lerp", "float32", "float32")
    for sign in (1, -1):
        inputs = [torch.full((4,), float(sign))] * 2
        out = sign * torch.full((4,), 1 + 70 * 2.0**-23)
        # 4 x 2^-24 is 2 ulp of 1, and 32 times as much where PyTorch rounds in between
        assert lerp.error(inputs, out) == 68 and lerp.error(inputs, out, ours=False) == 6


def test_narrow_results_have_slack_and_unfused_ones_a_rounding_more():
    inputs = [torch.tensor([x]) for x in (0.0, 0.0, 1.0)]
    wide = Operator.of("bias_gelu_residual", "float32", "float32")
    assert wide.error(inputs, torch.tensor([1 + 5 * 2.0**-23])) == 3
    assert wide.error(inputs, torch.tensor([1 + 70 * 2.0**-23]), ours=False) == 6
    narrow = Operator.of("bias_gelu_residual", "float16", "float16")
    inputs = [x.half() for x in inputs]
    out = torch.tensor([1 + 3 * 2.0**-10]).half()
    assert narrow.error(inputs, out) == 3 - 200 / 2**14
    assert narrow.error(inputs, out, ours=False) == 3 - (200 + 2**15) / 2**14


def test_small_results_have_the_unit_of_subnormal_numbers():
    copy = Operator.of("copy", "float16", "float16")
    x = torch.tensor([2.0**-20]).half()
    assert copy.error([x], x + 2.0**-24) == 1
    x = torch.tensor([2.0**-14]).half()
    assert copy.error([x], x + 2.0**-24) == 1


def test_whole_numbers_are_cut_off_and_errors_are_whole():
    cast = Operator.of("cast", "float32", "int8")
    inputs = [torch.tensor([1.9, -1.9])]
    assert cast.error(inputs, torch.tensor([1, -1], dtype=torch.int8)) == 0
    assert cast.error(inputs, torch.tensor([1, 2], dtype=torch.int8)) == 3


def test_eight_bit_floats_are_passed_as_bytes():
    x = torch.ones(3).to(torch.float8_e4m3fn)
    assert operators.as_bytes(x).dtype is torch.uint8
    assert operators.as_bytes(x.float()).dtype is torch.float32
