"""The registration in Python: once in a process, complete, and as the compiled one says it."""

from types import SimpleNamespace

import pytest
import torch

from helpers.run import pytorch_ops
from helpers.run.pytorch_ops import in_python

CODE = pytorch_ops.SOURCE.read_text(encoding="utf-8")


def test_every_operator_has_all_its_parts():
    names = list(in_python.SCHEMAS)
    assert (
        list(in_python.CHECKS) == list(in_python.COMPUTE) == list(in_python.BACKWARD) == names
    )
    assert all(callable(getattr(in_python, name)) for name in names)


def test_it_is_registered_once(ops):
    if ops is not in_python:
        pytest.skip("compiled here")
    assert in_python.register() is in_python.register()


@pytest.mark.parametrize(
    "words",
    [
        "; it must be float32, float16 or bfloat16. Convert it: ",
        "; they must be the same. Convert one: ",
        ". Move one: ",
        ". Expand first: ",
        "; bias must have one dimension, as long as the last one of x",
    ],
)
def test_the_refusals_are_those_of_the_compiled_code(words):
    plain = "".join(CODE.split())
    assert "".join(words.split()) in plain
    source = open(in_python.__file__, encoding="utf-8").read()
    joined = source.replace('"\n', "").replace('f"', "").replace('"', "")
    assert "".join(words.split()) in "".join(joined.split())


def test_two_shapes_are_named_with_the_way_to_make_them_one():
    with pytest.raises(ValueError) as raised:
        in_python._check_add(torch.zeros(2), torch.zeros(3))
    assert str(raised.value).endswith(
        "::add: a has shape [2] and b [3]. Expand first: a, b = torch.broadcast_tensors(a, b)"
    )


def test_bias_gelu_residual_is_computed_in_float32_and_rounded_once():
    x, bias, residual = (torch.randn(4, 8).half() for _ in range(3))
    got = in_python.COMPUTE["bias_gelu_residual"](x, bias[0], residual)
    wide = torch.nn.functional.gelu(x.float() + bias[0].float()) + residual.float()
    assert got.dtype == torch.half and torch.equal(got, wide.half())


def test_the_gradient_of_gelu_is_pytorchs():
    x = torch.randn(16, requires_grad=True)
    grad = torch.randn(16)
    torch.nn.functional.gelu(x).backward(grad)
    kept = SimpleNamespace(saved_tensors=(x.detach(),))
    torch.testing.assert_close(in_python.BACKWARD["gelu"](kept, grad), x.grad)
