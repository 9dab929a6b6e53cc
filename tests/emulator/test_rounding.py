"""Arithmetic and conversions that are rounded down, up or towards zero, once."""

import ctypes
import math
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
__global__ void more(const double* a, const double* b, double* out) {
    const int i = threadIdx.x;
    const float x = float(a[i]), y = float(b[i]);
    out[i] = __fdiv_rd(x, y);
    out[64 + i] = __frcp_rd(y);
    out[128 + i] = __double2float_rd(a[i]);
    out[192 + i] = __ll2float_rd(__double2ll_rz(a[i] * 0x1p50));
    out[256 + i] = __dadd_rd(a[i], b[i]);
    out[320 + i] = __dmul_rd(a[i], b[i]);
    out[384 + i] = __ddiv_rd(a[i], b[i]);
    out[448 + i] = __fma_rd(a[i], b[i], a[i]);
    const double square = __dsqrt_rd(fabs(a[i]));
    out[512 + i] = square;
    out[576 + i] = __double2int_rd(a[i] * 9.0);
}
extern "C" void run_more(const double* a, const double* b, double* out) {
    more<<<1, 64>>>(a, b, out);
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


def upwards(suffix: str, exact: Fraction) -> bool:
    return suffix == "_ru" or (suffix == "_rz" and exact < 0)


def is_nearest(got: float, exact: Fraction, up: bool, dtype: torch.dtype) -> bool:
    """Return whether `got` is the last number of a dtype before `exact`, or `exact` itself."""
    end = torch.tensor(-INFINITY if up else INFINITY, dtype=dtype)
    beyond = torch.nextafter(torch.tensor(got, dtype=dtype), end).item()
    return beyond < exact <= got if up else got <= exact < beyond


@pytest.mark.parametrize("suffix", SUFFIXES)
def test_quotients_roots_doubles_and_conversions(libraries, suffix):
    generator = torch.Generator().manual_seed(5)
    a, b = (torch.randn(64, dtype=torch.float64, generator=generator) for _ in range(2))
    out = torch.empty(10, 64, dtype=torch.float64)
    libraries[suffix].run_more(*[ctypes.c_void_p(x.data_ptr()) for x in (a, b, out)])
    single = (torch.float32,) * 4 + (torch.float64,) * 4
    for x, y, row in zip(a.tolist(), b.tolist(), out.T.tolist(), strict=True):
        f, g = (Fraction(torch.tensor(v).float().item()) for v in (x, y))
        long, x, y = int(x * 2**50), Fraction(x), Fraction(y)
        exact = (f / g, 1 / g, x, Fraction(long), x + y, x * y, x / y, x * y + x)
        for value, got, dtype in zip(exact, row, single, strict=False):
            assert is_nearest(got, value, upwards(suffix, value), dtype)
        root, low = Fraction(row[8]), suffix != "_ru"
        other = Fraction(math.nextafter(row[8], INFINITY))
        assert root**2 <= abs(x) < other**2 if low else root**2 >= abs(x)
        rounding = {"_rd": math.floor, "_ru": math.ceil, "_rz": math.trunc}[suffix]
        assert row[9] == rounding(x * 9)


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
