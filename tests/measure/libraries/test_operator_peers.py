"""The ways to compute an operator bind to tensors and compute it."""

import pytest
import torch

from helpers.measure.libraries import operator_peers
from helpers.measure.libraries.operators import OPERATORS, Operator

RELU = Operator.of("relu", "float32", "float32")


@pytest.mark.parametrize("name", OPERATORS)
def test_eager_pytorch_is_right(name):
    operator = Operator.of(name, "float32", "float16" if name == "cast" else "float32")
    inputs, out = operator.buffers(3000, "cpu")
    (one,) = operator_peers.eager(operator)
    one.bind(inputs, out)()
    assert (one.name, one.version) == ("torch", torch.__version__)
    assert operator.error(inputs, out, ours=False) <= (8 if name != "gelu" else 1e4)


def test_the_compiler_is_given_the_operator_with_and_without_programmatic_launch(monkeypatch):
    pytest.importorskip("torch._dynamo")
    asked = []
    monkeypatch.setattr(
        torch, "compile", lambda f, dynamic, options: asked.append(options) or f
    )
    plain, programmatic = operator_peers.compiled(RELU)
    inputs, out = RELU.buffers(100, "cpu")
    programmatic.bind(inputs, out)()
    assert RELU.error(inputs, out) == 0
    assert (plain.variant, programmatic.variant) == ("", "programmatic")
    assert [options.get("triton.enable_pdl") for options in asked] == [None, True]
    assert all(options["max_autotune"] for options in asked)


def test_cub_has_no_bias():
    assert operator_peers.cub(Operator.of("bias_gelu_residual", "float32", "float32")) == []


def test_ours_takes_its_arguments(monkeypatch):
    given = []

    class Kernel:
        relu_float32_float32 = staticmethod(lambda *tensors, **knobs: given.append(knobs))

    monkeypatch.setattr(operator_peers, "kernel", lambda path: Kernel)
    one = operator_peers.course(RELU, "packs", {"path": 1})
    one.bind(*RELU.buffers(4, "cpu"))()
    assert given == [{"path": 1}] and one.is_ours and str(one) == "course, packs"


def test_triton_kernels_are_compiled_for_even_and_odd_sizes(monkeypatch):
    launched = []

    def kernels(operator):
        bind = lambda inputs, out: lambda: launched.append((str(operator), out.numel()))  # noqa: E731
        return [operator_peers.Candidate("Triton", "1", bind)]

    buffers = Operator.buffers
    monkeypatch.setattr(operator_peers, "triton", kernels)
    monkeypatch.setattr(Operator, "buffers", lambda self, n, device: buffers(self, n, "cpu"))
    operator_peers.compile_triton("add")
    floats = ("float32", "float16", "bfloat16")
    assert launched == [(f"add {d}", n) for d in floats for n in (1 << 16, 300_001)]
