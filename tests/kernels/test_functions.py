"""The functions of functions.cuh are as near as the file says, on a GPU and on the CPU."""

import math

import pytest
import torch

from helpers import paths
from helpers.errors import CompileError
from helpers.run import jit, machine
from helpers.testing.references import rounded, ulp_distance

DEVICE = "cuda" if machine.present().is_gpu else "cpu"
C_TYPES = {torch.float32: "float", torch.float16: "half", torch.bfloat16: "__nv_bfloat16"}
TEXT = """
#include "elementwise.cuh"
#include "functions.cuh"

using elementwise::from_float;
using elementwise::to_float;
"""
KERNEL = """
__global__ void {name}_kernel(const {type}* x, const {type}* y, {type}* out, int64_t n) {{
    const int64_t i = blockIdx.x * int64_t{{256}} + threadIdx.x;
    if (i < n) out[i] = from_float<{type}>(functions::{call});
}}
extern "C" void {name}(const {type}* x,  // [n]
                       const {type}* y,  // [n]
                       {type}* out,      // [n]
                       int64_t n, cudaStream_t stream = 0) {{
    {name}_kernel<<<(n + 255) / 256, 256, 0, stream>>>(x, y, out, n);
}}
"""
LEAST = 2.0**-126  # of what .ftz keeps


def _softplus(x):
    return torch.where(x > 40, x, torch.log1p(torch.exp(x.clamp(max=40))))


def _gelu(x):
    by_phi = 0.5 * x * torch.erfc(-x / math.sqrt(2))  # F.gelu has too few digits of its tail
    return torch.where(x == -math.inf, -0.0, by_phi)


# Each function: its call, what is exact, in float64, and the ulp that the file says of float32.
ONE = {
    "exponential": (torch.exp, 2),
    "logistic": (torch.sigmoid, 4),
    "tanh": (torch.tanh, 2),
    "softplus": (_softplus, 3),
    "gelu": (_gelu, 2),
    "root": (torch.sqrt, 1),
}
TWO = {"quotient": (torch.div, 2), "hypotenuse": (torch.hypot, 3)}
BY_TYPE = {"exponential", "logistic", "tanh", "softplus", "gelu", "hypotenuse"}


@pytest.fixture(scope="module")
def functions(tmp_path_factory):
    folder = tmp_path_factory.mktemp("functions")
    for name in ("functions.cuh", "elementwise.cuh"):
        (folder / name).write_text((paths.KERNELS / name).read_text())
    text = TEXT
    for dtype, ctype in C_TYPES.items():
        for name in ONE | TWO:
            given = "to_float(x[i]), to_float(y[i])" if name in TWO else "to_float(x[i])"
            of = f"<{ctype}>" if name in BY_TYPE else ""
            text += KERNEL.format(
                name=_name(name, dtype), type=ctype, call=f"{name}{of}({given})"
            )
    (folder / "all.cu").write_text(text)
    return jit.load(folder / "all.cu")


def _name(function, dtype):
    return f"{function}_{str(dtype).removeprefix('torch.')}"


def _made(functions, name, x, y):
    out = torch.empty_like(x, device=DEVICE)
    getattr(functions, _name(name, x.dtype))(x.to(DEVICE), y.to(DEVICE), out)
    return out.cpu()


def _all_of(dtype):
    """Every number of a type of 16 bits; NaN of both signs, too."""
    return torch.arange(-(1 << 15), 1 << 15).to(torch.int16).view(dtype)


def _floats():
    """Exponents from -126 to 106, 64 numbers each, of both signs; numbers near 0; the ends."""
    mixed = torch.Generator().manual_seed(7)
    parts = torch.rand(233, 64, generator=mixed) + 1
    exponents = torch.arange(-126, 107)[:, None]
    x = torch.cat(
        [(parts * 2.0**exponents).flatten(), 12 * torch.randn(60_000, generator=mixed)]
    )
    ends = torch.tensor([0.0, math.inf, math.nan, 2.0**-149, 3.4e38])
    return torch.cat([x, -x, ends, -ends])


def _far(got, exact):
    """How far each result is from the exact one, in ulp of its type; less where ftz may act."""
    far = ulp_distance(got, exact)
    lost = (exact.abs() < LEAST) & (exact != 0) & (got.double().abs() <= LEAST)
    return torch.where(lost, 0.0, far)


@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16])
@pytest.mark.parametrize("name", ONE)
def test_every_number_of_16_bits(functions, name, dtype):
    x = _all_of(dtype)
    exact = ONE[name][0](x.double())
    got = _made(functions, name, x, x)
    far = _far(got, exact)
    assert far.max() <= 1, (name, x[far > 1], got[far > 1], rounded(exact, dtype)[far > 1])


@pytest.mark.parametrize("name", ONE)
def test_float32_of_one_number(functions, name):
    x = _floats()
    exact, allowed = ONE[name][0](x.double()), ONE[name][1]
    got = _made(functions, name, x, x)
    if name == "gelu":  # to so many ulp of x
        unit = torch.finfo(torch.float32).eps * 2 ** x.double().abs().log2().floor()
        off = (got.double() - exact).abs()
        far = torch.where((off <= allowed * unit) | (x == 0), 0.0, _far(got, exact))
        far[(x == -math.inf) & got.isnan()] = 0
    else:
        far = _far(got, exact)
    worst = int(far.argmax())
    assert far.max() <= allowed, (name, float(far.max()), x[worst], got[worst], exact[worst])


@pytest.mark.parametrize("dtype", C_TYPES)
@pytest.mark.parametrize("name", TWO)
def test_two_numbers(functions, name, dtype):
    x = _floats() if dtype is torch.float32 else _all_of(dtype)
    mixed = torch.Generator().manual_seed(8)
    pairs = [(x, x[torch.randperm(len(x), generator=mixed)]) for _ in range(3)]
    ends = torch.tensor([0.0, 1.0, math.inf, math.nan, torch.finfo(dtype).max])
    ends = torch.cat([ends, -ends]).to(dtype)
    pairs += [(x, x), (x, -x), tuple(torch.cartesian_prod(ends, ends).T.contiguous())]
    for a, b in pairs:
        exact = TWO[name][0](a.double(), b.double())
        got = _made(functions, name, a, b)
        far = _far(got, exact)
        worst = int(far.argmax())
        allowed = TWO[name][1] if dtype is torch.float32 else 1
        told = (float(far.max()), a[worst], b[worst], got[worst], exact[worst])
        assert far.max() <= allowed, told


@pytest.mark.parametrize("call", ["tanh<double>(x[i])", "hypotenuse<double>(x[i], y[i])"])
def test_a_double_is_refused(tmp_path, call):
    for name in ("functions.cuh", "elementwise.cuh"):
        (tmp_path / name).write_text((paths.KERNELS / name).read_text())
    text = TEXT + KERNEL.format(name="own", type="float", call=call)
    (tmp_path / "own.cu").write_text(text)
    with pytest.raises(CompileError, match="a double needs CUDA's own"):
        jit.load(tmp_path / "own.cu")
