"""The same operators in Triton: right on a GPU; elsewhere on a stand-in for Triton."""

import ast
import importlib
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest
import torch
from torch.nn import functional

from helpers import paths
from helpers.run import pytorch_ops
from helpers.run.pytorch_ops import in_python
from tests.stand_in_for_triton import fake_triton

__all__ = ["fake_triton"]

FILE = Path(paths.PACKAGE / "run" / "pytorch_ops" / "in_triton.py")
EXACT = {
    "add": lambda a, b: a + b,
    "gelu": functional.gelu,
    "bias_gelu_residual": lambda x, bias, residual: functional.gelu(x + bias) + residual,
}


def test_each_operator_has_a_kernel_and_the_same_arguments():
    tree = ast.parse(FILE.read_text(encoding="utf-8"))
    functions = {one.name: one for one in tree.body if isinstance(one, ast.FunctionDef)}
    for name, schema in in_python.SCHEMAS.items():
        assert f"{name}_kernel" in functions
        wanted = [word.split()[1] for word in schema.split(") ->")[0][1:].split(", ")]
        assert [argument.arg for argument in functions[name].args.args] == wanted


@pytest.fixture
def operators(fake_triton, monkeypatch):
    """Import the module with the stand-in, gradients into a list; forget it afterwards."""
    name = "helpers.run.pytorch_ops.in_triton"
    gradients = []
    monkeypatch.setattr(torch.library, "triton_op", lambda name, mutates_args: lambda f: f)
    monkeypatch.setattr(torch.library, "wrap_triton", lambda kernel: kernel)
    monkeypatch.setattr(
        torch.library,
        "register_autograd",
        lambda *one, setup_context: gradients.append((*one, setup_context)),
    )
    monkeypatch.delitem(sys.modules, name, raising=False)
    monkeypatch.setattr(pytorch_ops, "in_triton", None, raising=False)
    module = importlib.import_module(name)
    yield SimpleNamespace(**{one: getattr(module, one) for one in EXACT}, gradients=gradients)
    sys.modules.pop(name, None)


@pytest.mark.parametrize("name", list(EXACT))
def test_on_the_stand_in(operators, fake_triton, name):
    """Two programs of 1024 elements, the second with a tail; x is not contiguous."""
    inputs = [torch.randn(65, 17).t() for _ in range(1 if name == "gelu" else 2)]
    if name == "bias_gelu_residual":
        inputs.insert(1, torch.randn(65))
    out = getattr(operators, name)(*inputs)
    assert torch.allclose(out, EXACT[name](*inputs), rtol=1e-5, atol=1e-6)
    assert fake_triton.launches == [((2,), 4, False, {"BLOCK": 1024})]


def test_the_gradients_are_those_of_the_operators_in_python(operators):
    assert operators.gradients == [
        (f"elementwise_triton::{name}", in_python.BACKWARD[name], in_python.keep)
        for name in ("add", "gelu", "bias_gelu_residual")
    ]


@pytest.mark.gpu
@pytest.mark.parametrize("name", list(EXACT))
def test_on_a_gpu(name):
    pytest.importorskip("triton")
    in_triton = importlib.import_module("helpers.run.pytorch_ops.in_triton")
    shapes = {"add": 2, "gelu": 1, "bias_gelu_residual": 2}
    inputs = [torch.randn(37, 65, device="cuda") for _ in range(shapes[name])]
    if name == "bias_gelu_residual":
        inputs.insert(1, torch.randn(65, device="cuda"))
    inputs = [x.requires_grad_() for x in inputs]
    call = getattr(in_triton, name)
    torch.testing.assert_close(call(*inputs), EXACT[name](*inputs))
    compiled = torch.compile(lambda *x: call(*x) * 2, fullgraph=True)
    torch.testing.assert_close(compiled(*inputs), EXACT[name](*inputs) * 2)
    call(*inputs).sum().backward()
    assert all(x.grad is not None for x in inputs)
