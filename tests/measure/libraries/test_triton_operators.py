"""The Triton kernels are written from the table of operators, and compute what it says."""

import ast
import sys

import pytest
import torch

from helpers.measure.libraries import triton_operators
from helpers.measure.libraries.operators import OPERATORS, Operator

ADD = """
import triton
import triton.language as tl
from triton.language.extra import libdevice


@triton.jit
def kernel(a_pointer, b_pointer, out, n, COLS: tl.constexpr, BLOCK: tl.constexpr, PDL: tl.constexpr):
    if PDL:
        tl.extra.cuda.gdc_wait()
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    inside = i < n
    a = tl.load(a_pointer + i, mask=inside).to(tl.float32)
    b = tl.load(b_pointer + i, mask=inside).to(tl.float32)
    if PDL:
        tl.extra.cuda.gdc_launch_dependents()
    tl.store(out + i, (a + b).to(out.dtype.element_ty), mask=inside)
"""  # noqa: E501


@pytest.fixture
def modules(fake_triton, monkeypatch, tmp_path):
    """Let the kernels' files lie in a folder of the test's own."""
    monkeypatch.setenv("ELEMENTWISE_CACHE", str(tmp_path))
    monkeypatch.setattr(triton_operators, "_modules", {})
    yield fake_triton
    for name in triton_operators._modules:
        sys.modules.pop(f"triton_{name}", None)


def test_the_text_of_add():
    assert triton_operators.text(OPERATORS["add"]) == ADD


@pytest.mark.parametrize("name", OPERATORS)
def test_every_operator_has_a_kernel(name):
    text = triton_operators.text(OPERATORS[name])
    ast.parse(text)
    arguments = "abc"[: OPERATORS[name].arity]
    assert all(f"{letter} = tl.load({letter}_pointer + i" in text for letter in arguments)
    wait, load, release = map(text.index, ("gdc_wait", "tl.load", "gdc_launch_dependents"))
    assert wait < load < release


def test_a_bias_is_read_by_column_and_a_condition_is_no_float():
    bias = triton_operators.text(OPERATORS["bias_gelu_residual"])
    assert [one in bias for one in ("a_pointer + i,", "b_pointer + i % COLS,")] == [True, True]
    assert "c_pointer + i," in bias
    assert "to(tl.float32)" not in triton_operators.text(OPERATORS["where"])
    assert "to(tl.float32)" in triton_operators.text(OPERATORS["add"])
    for name in set(OPERATORS) - {"bias_gelu_residual"}:
        assert "% COLS" not in triton_operators.text(OPERATORS[name])


def test_a_kernel_is_bound_and_launched(modules):
    operator = Operator.of("bias_gelu_residual", "float32", "float32")
    inputs, out = operator.buffers(2048, "cpu")
    triton_operators.bind(operator, inputs, out, 1000, 4, False)()
    assert operator.error(inputs, out) <= operator.bound()
    constants = {"COLS": 1024, "BLOCK": 1000, "PDL": False}
    assert modules.launches == [((3,), 4, False, constants)] and not modules.waits


def test_a_programmatic_launch_waits_before_its_loads(modules):
    operator = Operator.of("relu", "float16", "float16")
    inputs, out = operator.buffers(512, "cpu")
    triton_operators.bind(operator, inputs, out, 256, 8, True)()
    assert torch.equal(out, inputs[0].relu())
    assert modules.launches == [((2,), 8, True, {"COLS": 512, "BLOCK": 256, "PDL": True})]
    assert modules.waits == ["wait", "release"] * 2


def test_a_module_is_written_and_imported_once(modules, tmp_path):
    first = triton_operators.module("add")
    assert triton_operators.module("add") is first is sys.modules["triton_add"]
    (path,) = tmp_path.rglob("triton_add.py")
    assert path.parent.name == "operators" and path.read_text() == ADD


def test_a_file_is_written_again_only_if_its_text_is_another(modules, tmp_path, monkeypatch):
    triton_operators.module("add")
    (path,) = tmp_path.rglob("triton_add.py")
    written = path.stat().st_mtime_ns
    triton_operators._modules.clear()
    triton_operators.module("add")
    assert path.stat().st_mtime_ns == written
    path.write_text("kernel = None")
    triton_operators._modules.clear()
    assert triton_operators.module("add").kernel is not None and path.read_text() == ADD
