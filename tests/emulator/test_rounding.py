"""Sums and products of floats that are rounded down, up or towards zero, once."""

import ctypes
from fractions import Fraction

import pytest
import torch

from helpers import emulator

SOURCE = """
__global__ void k(const float* a, const float* b, const float* c, float* out) {
    const int i = threadIdx.x + blockIdx.x * blockDim.x;
    out[4 * i] = __fmaf_rd(a[i], b[i], c[i]);
    out[4 * i + 1] = __fadd_rd(a[i], b[i]);
    out[4 * i + 2] = __fsub_rd(a[i], b[i]);
    out[4 * i + 3] = __fmul_rd(a[i], b[i]);
}
extern "C" void run(const float* a, const float* b, const float* c, float* out,
                    int64_t blocks) {
    k<<<blocks, 64>>>(a, b, c, out);
}
"""
INFINITY, LARGEST, LEAST = float("inf"), 3.4028234663852886e38, 2.0**-149
SUFFIXES = ("_rd", "_ru", "_rz")


@pytest.fixture(scope="module")
def libraries(tmp_path_factory, headers):
    folder = tmp_path_factory.mktemp("rounding")
    built = {}
    for suffix in SUFFIXES:
        source = folder / f"rounding{suffix}.cu"
        source.write_text(SOURCE.replace("_rd", suffix))
        emulator.build(source, source.with_suffix(".so"), headers)
        built[suffix] = ctypes.CDLL(str(source.with_suffix(".so")))
    return built


def run(library, a, b, c):
    """Return the rounded a * b + c, a + b, a - b and a * b: [n, 4]."""
    n = -(-len(a) // 64) * 64
    padded = [torch.nn.functional.pad(torch.as_tensor(x), (0, n - len(a))) for x in (a, b, c)]
    out = torch.empty(n, 4)
    pointers = [ctypes.c_void_p(x.data_ptr()) for x in (*padded, out)]
    library.run(*pointers, ctypes.c_int64(n // 64))
    return out[: len(a)]


def neighbour(value: float, towards: float) -> float:
    return torch.nextafter(torch.tensor(value), torch.tensor(towards)).item()


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_the_nearest_float_on_the_right_side(libraries, suffix):
    generator = torch.Generator().manual_seed(3)
    a, b, c = (torch.randn(2000, generator=generator) for _ in range(3))
    c[::3] = -(a * b)[::3]  # only the product's own rounding error is left
    c[1::7] *= 1e-12
    rounded = run(libraries[suffix], a, b, c).tolist()
    for x, y, z, row in zip(a.tolist(), b.tolist(), c.tolist(), rounded, strict=True):
        x, y, z = Fraction(x), Fraction(y), Fraction(z)
        for exact, got in zip((x * y + z, x + y, x - y, x * y), row, strict=True):
            up = suffix == "_ru" or (suffix == "_rz" and exact < 0)
            if up:
                assert neighbour(got, -INFINITY) < exact <= got
            else:
                assert got <= exact < neighbour(got, INFINITY)


@pytest.mark.parametrize(
    ("a", "b", "c", "expected"),  # of a * b + c, rounded down, up, towards zero
    [
        (LARGEST, 1.0, 1.0, (LARGEST, INFINITY, LARGEST)),
        (LARGEST, -1.0, -1.0, (-INFINITY, -LARGEST, -LARGEST)),
        (LEAST, 0.5, 0.0, (0.0, LEAST, 0.0)),
        (LEAST, -0.5, 0.0, (-LEAST, -0.0, -0.0)),
        (1.0, 1.0, -1.0, (-0.0, 0.0, 0.0)),
        (1.0, 0.0, 0.0, (0.0, 0.0, 0.0)),
        (-1.0, 0.0, -0.0, (-0.0, -0.0, -0.0)),
        (INFINITY, 2.0, 1.0, (INFINITY, INFINITY, INFINITY)),
        (INFINITY, 1.0, -INFINITY, (float("nan"),) * 3),
    ],
)
def test_the_ends_of_the_range(libraries, a, b, c, expected):
    got = torch.stack([run(libraries[suffix], [a], [b], [c])[0, 0] for suffix in SUFFIXES])
    wanted = torch.tensor(expected)
    assert torch.equal(got.nan_to_num(7), wanted.nan_to_num(7))
    assert got.isnan().any() or torch.equal(got.signbit(), wanted.signbit())
