"""The Triton kernels are written from the table of operators."""

import ast

import pytest

from helpers.measure.libraries import triton_operators
from helpers.measure.libraries.operators import OPERATORS


@pytest.mark.parametrize("name", OPERATORS)
def test_every_operator_has_a_kernel(name):
    text = triton_operators.text(OPERATORS[name])
    ast.parse(text)
    arguments = "abc"[: OPERATORS[name].arity]
    assert all(f"{letter} = tl.load({letter}_pointer + i" in text for letter in arguments)
    wait, load, release = map(text.index, ("gdc_wait", "tl.load", "gdc_launch_dependents"))
    assert wait < load < release


def test_a_bias_is_read_by_column_and_a_condition_is_no_float():
    assert "b_pointer + i % COLS" in triton_operators.text(OPERATORS["bias_gelu_residual"])
    assert "to(tl.float32)" not in triton_operators.text(OPERATORS["where"])
    assert "to(tl.float32)" in triton_operators.text(OPERATORS["add"])
