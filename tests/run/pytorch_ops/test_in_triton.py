"""The same operators in Triton: right on a GPU; elsewhere their text is read."""

import ast
from pathlib import Path

import pytest
import torch
from torch.nn import functional

from helpers import paths
from helpers.run.pytorch_ops import in_python

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


@pytest.mark.gpu
@pytest.mark.parametrize("name", list(EXACT))
def test_on_a_gpu(name):
    pytest.importorskip("triton")
    from helpers.run.pytorch_ops import in_triton

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
