"""The ways to compute an operator bind to tensors and compute it."""

import contextlib
import sys
from types import SimpleNamespace

import pytest
import torch

from helpers.measure.libraries import operator_peers
from helpers.measure.libraries.interleaved import HOT, Setting
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


def test_a_setting_is_prepared_on_buffers_as_its_own(fake_gpu, monkeypatch):
    called, turns = [], []

    def maker(operator):
        def bind(inputs, out):
            return lambda: called.append((out.numel(), [x.storage_offset() for x in inputs]))

        return [operator_peers.Candidate("one", "1", bind)]

    def missing(operator):
        raise ImportError("no triton here")

    @contextlib.contextmanager
    def turn():
        turns.append(len(called))
        yield

    monkeypatch.setattr(operator_peers.ahead, "turn", turn)
    monkeypatch.setattr(operator_peers, "compiled", maker)
    monkeypatch.setattr(operator_peers, "triton", maker)
    monkeypatch.setattr(
        operator_peers.machine, "present", lambda: SimpleNamespace(device="cpu")
    )
    setting = Setting(RELU, 100, HOT, (3, 0))
    assert operator_peers.prepare(setting) is setting
    assert called == 2 * [(100, [3])] and turns == [0]  # compiled out of turn
    monkeypatch.setattr(operator_peers, "compiled", missing)
    assert operator_peers.prepare(setting) is setting and len(called) == 3


def test_triton_in_four_shapes_with_and_without_programmatic_launch(fake_triton, monkeypatch):
    monkeypatch.setattr(sys.modules["triton"], "__version__", "3.9", raising=False)
    bound = []
    monkeypatch.setattr(
        operator_peers.triton_operators, "bind", lambda *words, **knobs: bound.append(knobs)
    )
    found = operator_peers.triton(RELU)
    shapes = [(512, 4), (1024, 4), (2048, 8), (4096, 8)]
    variants = [
        f"{block} elements, {warps} warps{launch}"
        for block, warps in shapes
        for launch in ("", ", programmatic")
    ]
    assert [one.variant for one in found] == variants
    assert {(one.name, one.version) for one in found} == {("Triton", "3.9")}
    for one in found:
        one.bind((1,), 2)
    want = [{"block": b, "warps": w, "pdl": pdl} for b, w in shapes for pdl in (False, True)]
    assert bound == want


def test_cub_is_the_launcher_of_the_written_file(monkeypatch):
    launched = []
    launchers = {"cub_relu.cu": SimpleNamespace(relu_float32_float32=launched.append)}
    monkeypatch.setattr(operator_peers.operator_sources, "cub", lambda name: f"cub_{name}.cu")
    monkeypatch.setattr(operator_peers, "kernel", launchers.__getitem__)
    monkeypatch.setattr(operator_peers, "cub_version", lambda: "3.0.1")
    monkeypatch.setattr(operator_peers, "_launch", lambda launcher: launcher)
    (one,) = operator_peers.cub(RELU)
    assert (one.name, one.version, one.variant) == ("CUB", "3.0.1", "")
    one.bind("called")
    assert launched == ["called"]


def test_the_compiler_is_tuned(monkeypatch):
    asked = []

    def compile_(function, dynamic, options):
        asked.append((dynamic, options))
        return function

    monkeypatch.setattr(torch, "compile", compile_)
    found = operator_peers.compiled(RELU)
    tuned = {"max_autotune": True, "coordinate_descent_tuning": True}
    assert asked == [(False, tuned), (False, tuned | {"triton.enable_pdl": True})]
    named = {(one.name, one.version) for one in found}
    assert named == {("torch.compile", torch.__version__)}


def test_ours_has_no_arguments_by_default_and_passes_bytes(monkeypatch):
    given = []
    cast = Operator.of("cast", "float32", "float8_e4m3fn")

    class Kernel:
        cast_float32_float8_e4m3fn = staticmethod(lambda *x, **knobs: given.append((x, knobs)))

    loaded = []
    monkeypatch.setattr(operator_peers.operator_sources, "fast", "{}{}.cu".format)
    monkeypatch.setattr(operator_peers, "kernel", lambda path: loaded.append(path) or Kernel)
    one = operator_peers.course(cast)
    one.bind(*cast.buffers(4, "cpu"))()
    (((x, out), knobs),) = given
    assert (x.dtype, out.dtype, knobs) == (torch.float32, torch.uint8, {})
    assert (one.variant, one.version, loaded) == ("", "", ["cast.cu"])
