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


X, LONGER, TWO_ROWS, SCALAR = map(torch.zeros, ((2,), (3,), (2, 2), ()))
INTS, HALF, ELSEWHERE = X.int(), X.half(), torch.zeros(2, device="meta")
KINDS = "; it must be float32, float16 or bfloat16. Convert it: "
SAME = "; they must be the same. Convert one: "
FUSED = "bias_gelu_residual"
ROW = "; bias must have one dimension, as long as the last one of x"


@pytest.mark.parametrize(
    ("name", "inputs", "error", "sentence"),
    [
        ("add", (INTS, X), TypeError, f"a is int32{KINDS}a.float()"),
        ("add", (X, HALF), TypeError, f"a is float32 and b is float16{SAME}b.to(a.dtype)"),
        ("add", (X, ELSEWHERE), ValueError,
         "a is on cpu and b on meta. Move one: b.to(a.device)"),
        ("add", (X, LONGER), ValueError,
         "a has shape [2] and b [3]. Expand first: a, b = torch.broadcast_tensors(a, b)"),
        ("gelu", (INTS,), TypeError, f"x is int32{KINDS}x.float()"),
        (FUSED, (INTS, X, X), TypeError, f"x is int32{KINDS}x.float()"),
        (FUSED, (X, HALF, X), TypeError,
         f"x is float32 and bias is float16{SAME}bias.to(x.dtype)"),
        (FUSED, (X, X, HALF), TypeError,
         f"x is float32 and residual is float16{SAME}residual.to(x.dtype)"),
        (FUSED, (X, X, LONGER), ValueError,
         "x has shape [2] and residual [3]. Expand first: x, residual = "
         "torch.broadcast_tensors(x, residual)"),
        (FUSED, (X, LONGER, X), ValueError, f"x has shape [2] and bias [3]{ROW}"),
        (FUSED, (TWO_ROWS, TWO_ROWS, TWO_ROWS), ValueError,
         f"x has shape [2, 2] and bias [2, 2]{ROW}"),
        (FUSED, (SCALAR, SCALAR, SCALAR), ValueError, f"x has shape [] and bias []{ROW}"),
    ],
)  # fmt: skip
def test_a_refusal_names_operator_argument_and_remedy(name, inputs, error, sentence):
    with pytest.raises(error) as raised:
        in_python._checked(name, None, *inputs)
    assert str(raised.value) == f"elementwise::{name}: {sentence}"


@pytest.mark.parametrize("dtype", in_python.DTYPES, ids=str)
def test_right_arguments_reach_the_function(dtype):
    x = torch.zeros(2, 3, dtype=dtype)
    arguments = {"add": (x, x), "gelu": (x,), FUSED: (x, x[0], x)}
    for name, inputs in arguments.items():
        assert in_python._checked(name, lambda *given: given, *inputs) == inputs


def test_the_functions_call_the_operators(ops):
    if ops is not in_python:
        pytest.skip("compiled here")
    in_python.register()
    x, residual = torch.randn(3, 4).t(), torch.randn(4, 3)  # x is not contiguous
    bias = torch.randn(3)
    wanted = {
        in_python.add: ((x, residual), x + residual),
        in_python.gelu: ((x,), torch.nn.functional.gelu(x)),
        in_python.bias_gelu_residual: (
            (x, bias, residual), torch.nn.functional.gelu(x + bias) + residual
        ),
    }  # fmt: skip
    for function, (inputs, result) in wanted.items():
        got = function(*inputs)
        torch.testing.assert_close(got, result)  # the sum may cancel most of both numbers
        assert got.is_contiguous()


def test_the_fake_result_is_contiguous_and_like_the_first_input():
    x = torch.zeros(3, 4, dtype=torch.half).t()
    made = in_python._like_first(x, torch.zeros(5))
    assert (made.shape, made.dtype, made.is_contiguous()) == ((4, 3), torch.half, True)


def test_bias_gelu_residual_is_computed_in_float32_and_rounded_once():
    x, bias, residual = (torch.randn(4, 8).half() for _ in range(3))
    got = in_python.COMPUTE["bias_gelu_residual"](x, bias[0], residual)
    wide = torch.nn.functional.gelu(x.float() + bias[0].float()) + residual.float()
    assert got.dtype == torch.half and torch.equal(got, wide.half())


def test_the_gradients_are_pytorchs():
    x, bias, residual = (torch.randn(4, 8, requires_grad=True) for _ in range(3))
    bias, grad = bias[0].detach().requires_grad_(), torch.randn(4, 8)
    gelu = torch.nn.functional.gelu
    for name, inputs, out in (
        ("add", (x, residual), x + residual),
        ("gelu", (x,), gelu(x)),
        (FUSED, (x, bias, residual), gelu(x + bias) + residual),
    ):
        kept = SimpleNamespace()
        kept.save_for_backward = lambda *saved, at=kept: setattr(at, "saved_tensors", saved)
        in_python.keep(kept, tuple(one.detach() for one in inputs), out)
        got = in_python.BACKWARD[name](kept, grad)
        wanted = torch.autograd.grad(out, inputs, grad)
        for one, other in zip(got if len(inputs) > 1 else (got,), wanted, strict=True):
            torch.testing.assert_close(one, other)
