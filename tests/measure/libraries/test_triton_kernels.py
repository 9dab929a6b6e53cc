"""Triton's add and cast, interpreted on the CPU: wherever Triton is installed."""

import os
import subprocess
import sys
from importlib.util import find_spec

import pytest

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


@pytest.mark.skipif(not find_spec("triton"), reason="needs Triton")
def test_add_and_cast():
    """In a process of its own: Triton asks for the interpreter when it is first imported."""
    environment = {**os.environ, "TRITON_INTERPRET": "1"}
    done = subprocess.run([sys.executable, "-c", PROGRAM], env=environment, text=True,
                          stderr=subprocess.PIPE)  # fmt: skip
    assert done.returncode == 0, done.stderr
