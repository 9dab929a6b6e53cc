"""Triton's add and cast, on a stand-in for Triton and, where it is installed, interpreted."""

import importlib
import os
import subprocess
import sys
from importlib.util import find_spec

import pytest
import torch

PROGRAM = """
import torch
from helpers.measure.libraries import triton_kernels
a, b = torch.randn(1000), torch.randn(1000)
out = torch.full((1001,), 7.0)
triton_kernels.bind((a, b), out[:1000], block=256, warps=4)()
assert torch.equal(out[:1000], a + b) and out[1000] == 7
half = torch.zeros(1000, dtype=torch.float16)
triton_kernels.bind((a,), half, block=128, warps=4)()
assert torch.equal(half, a.half())
"""


@pytest.fixture
def kernels(fake_triton, monkeypatch):
    """Import the module with the stand-in; forget it afterwards."""
    name = "helpers.measure.libraries.triton_kernels"
    monkeypatch.delitem(sys.modules, name, raising=False)
    yield importlib.import_module(name)
    sys.modules.pop(name, None)


def test_add_and_cast_on_the_stand_in(kernels, fake_triton):
    a, b = torch.randn(1000), torch.randn(1000)
    out = torch.full((1100,), 7.0)
    kernels.bind((a, b), out[:1000], block=256, warps=4)()
    assert torch.equal(out[:1000], a + b) and (out[1000:] == 7).all()
    half = torch.full((1100,), 7.0, dtype=torch.float16)
    kernels.bind((a,), half[:1000], block=128, warps=2)()
    assert torch.equal(half[:1000], a.half()) and (half[1000:] == 7).all()
    launches = [((4,), 4, False, {"BLOCK": 256}), ((8,), 2, False, {"BLOCK": 128})]
    assert fake_triton.launches == launches


@pytest.mark.skipif(not find_spec("triton"), reason="needs Triton")
def test_add_and_cast():
    """In a process of its own: Triton asks for the interpreter when it is first imported."""
    environment = {**os.environ, "TRITON_INTERPRET": "1"}
    done = subprocess.run([sys.executable, "-c", PROGRAM], env=environment, text=True,
                          stderr=subprocess.PIPE)  # fmt: skip
    assert done.returncode == 0, done.stderr
