"""Floating numbers that an integer type cannot hold become what a GPU makes of them."""

import re
from pathlib import Path

import pytest
import torch

from helpers.emulator import compile as compiling
from helpers.emulator import conversions, front_end
from helpers.run import jit
from helpers.run.build import precompiled_headers

pytestmark = pytest.mark.skipif(
    front_end.problem() is not None, reason=f"{front_end.problem()}"
)
SOURCE = Path(__file__).parent / "kernels" / "conversions.cu"
# What an H200 made of them (CUDA 13.0): of double and of float each, int, unsigned, both of 64,
# both of 16 and both of 8 bits.
RECORDED = {
    -1.0: [-1, 0, -1, 0, -1, 0, -1, 0, -1, 0, -1, 0, -1, 0, -1, 0],
    -3.7: [-3, 0, -3, 0, -3, 0, -3, 0, -3, 0, -3, 0, -3, 0, -3, 0],
    3000000000.0: [
        2**31 - 1,
        3000000000,
        3000000000,
        3000000000,
        -1,
        24064,
        -1,
        0,
        2**31 - 1,
        3000000000,
        3000000000,
        3000000000,
        -1,
        24064,
        -1,
        0,
    ],
    5000000000.0: [
        2**31 - 1,
        2**32 - 1,
        5000000000,
        5000000000,
        -1,
        65535,
        -1,
        255,
        2**31 - 1,
        2**32 - 1,
        5000000000,
        5000000000,
        -1,
        65535,
        -1,
        255,
    ],
    -3000000000.0: [
        -(2**31),
        0,
        -3000000000,
        0,
        0,
        0,
        0,
        0,
        -(2**31),
        0,
        -3000000000,
        0,
        0,
        0,
        0,
        0,
    ],
    float("nan"): [
        -(2**31),
        2**31,
        -(2**63),
        2**63,
        0,
        0,
        0,
        0,
        0,
        0,
        -(2**63),
        2**63,
        0,
        0,
        0,
        0,
    ],
    float("inf"): [
        2**31 - 1,
        2**32 - 1,
        2**63,
        2**64,
        -1,
        65535,
        -1,
        255,
        2**31 - 1,
        2**32 - 1,
        2**63,
        2**64,
        -1,
        65535,
        -1,
        255,
    ],
    float("-inf"): [-(2**31), 0, -(2**63), 0, 0, 0, 0, 0, -(2**31), 0, -(2**63), 0, 0, 0, 0, 0],
    300.0: [300, 300, 300, 300, 300, 300, 44, 44, 300, 300, 300, 300, 300, 300, 44, 44],
    -200.0: [-200, 0, -200, 0, -200, 0, 56, 0, -200, 0, -200, 0, -200, 0, 56, 0],
    70000.0: [
        70000,
        70000,
        70000,
        70000,
        4464,
        4464,
        112,
        112,
        70000,
        70000,
        70000,
        70000,
        4464,
        4464,
        112,
        112,
    ],
    -40000.0: [-40000, 0, -40000, 0, 25536, 0, -64, 0, -40000, 0, -40000, 0, 25536, 0, -64, 0],
    -0.5: [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0],
    2147483648.0: [
        2**31 - 1,
        2**31,
        2**31,
        2**31,
        -1,
        0,
        -1,
        0,
        2**31 - 1,
        2**31,
        2**31,
        2**31,
        -1,
        0,
        -1,
        0,
    ],
    4294967296.0: [
        2**31 - 1,
        2**32 - 1,
        2**32,
        2**32,
        -1,
        65535,
        -1,
        255,
        2**31 - 1,
        2**32 - 1,
        2**32,
        2**32,
        -1,
        65535,
        -1,
        255,
    ],
}


@pytest.fixture(autouse=True)
def _on_the_emulator(monkeypatch):
    monkeypatch.setenv("ELEMENTWISE_MACHINE", "emulator")


def test_conversions_are_those_of_a_gpu():
    x = torch.tensor(list(RECORDED), dtype=torch.float64)
    out = torch.zeros(len(x), 16, dtype=torch.float64)
    jit.load(SOURCE).convert(x, out)
    assert torch.equal(out, torch.tensor(list(RECORDED.values()), dtype=torch.float64))


def rewritten(body):
    """Return a kernel's body with its conversions rewritten."""
    path = Path("/k.cu")
    texts = {path: f"__global__ void k(float* x, int* n) {{ {body} }}"}
    _, tree = front_end.examine(path, texts, compiling.compiler(), precompiled_headers())
    found = conversions.rewrite(tree, texts)
    return re.search(r"\{ (.*) \}", (found or texts)[path])[1]


@pytest.mark.parametrize(
    ("body", "new"),
    [
        ("n[0] = (int)x[1];", "n[0] = (int)::emulator::nearest<int>(x[1]);"),
        ("int i = 2 * x[0];", "int i = ::emulator::nearest<int>(2 * x[0]);"),
        ("n[(int)x[0]] += 1;", "n[(int)::emulator::nearest<int>(x[0])] += 1;"),
        ("n[0] += x[0];", "n[0] += x[0];"),
        ("x[0] = (float)n[0];", "x[0] = (float)n[0];"),
        ("n[0] = (int)threadIdx.x;", "n[0] = (int)threadIdx.x;"),
        ("if ((bool)x[0]) n[0] = 1;", "if ((bool)x[0]) n[0] = 1;"),
    ],
)
def test_what_is_rewritten(body, new):
    assert rewritten(body) == new


def test_casts_in_series_of_a_template(tmp_path):
    source = tmp_path / "series.cu"
    source.write_text("""
template <typename To>
__global__ void series_kernel(const float* x, To* out, int n) {
    const int i = threadIdx.x;
    if (i < n) out[i] = (To)(int)(x[i]) + static_cast<To>(To(short(x[i])));
}
extern "C" void series(const float* x, unsigned char* out, int n) {
    series_kernel<<<1, 64>>>(x, out, n);
}
""")
    x, out = torch.tensor([3.7, 300.0, -1.5, 70000.0]), torch.zeros(4, dtype=torch.uint8)
    jit.load(source).series(x, out)
    assert out.tolist() == [6, 88, 254, (70000 + 4464) % 256]
