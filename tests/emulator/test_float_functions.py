"""The emulator's own float functions beside the exact values, in ulps."""

import ctypes

import pytest
import torch

from helpers import emulator
from helpers.emulator import compile as compiling

NAMES = ("erff", "expf", "tanhf")
KERNEL = "#include <cuda_fp16.h>\n#include <cuda_bf16.h>\n" + "".join(
    f"""
__global__ void k_{name}(const float* x, float* out, int n) {{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = {name}(x[i]);
}}
extern "C" void {name}_of(const float* x, float* out, int n) {{
    k_{name}<<<(n + 255) / 256, 256>>>(x, out, n);
}}
"""
    for name in NAMES
)
KERNEL += "".join(
    f"""
__global__ void k_{name}(const {of}* x, const {of}* y, {of}* out, int n) {{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = __h{name[:3]}(x[i], y[i]);
}}
extern "C" void {name}_of(const {of}* x, const {of}* y, {of}* out, int n) {{
    k_{name}<<<(n + 255) / 256, 256>>>(x, y, out, n);
}}
"""
    for of, short in (("half", "half"), ("__nv_bfloat16", "bfloat"))
    for name in (f"max_{short}", f"min_{short}")
)


@pytest.fixture(scope="module")
def library(tmp_path_factory, headers):
    folder = tmp_path_factory.mktemp("functions")
    (folder / "k.cu").write_text(KERNEL)
    emulator.build(folder / "k.cu", folder / "k.so", headers)
    return emulator.Library(folder / "k.so")


def call(library, name, *tensors):
    given = [ctypes.c_void_p(one.data_ptr()) for one in tensors]
    getattr(library.dll, f"{name}_of")(*given, tensors[-1].numel())
    assert library.take_fault() is None


@pytest.mark.parametrize("name, most", [("erff", 2), ("expf", 1), ("tanhf", 1)])
def test_a_function_is_within_what_a_gpu_promises(library, name, most):
    bits = torch.arange(0, 0x7F800001, 4099, dtype=torch.int32)  # 0 to infinity
    size = torch.cat([bits.view(torch.float32), torch.linspace(0, 4.5, 1 << 18)])
    size = torch.cat([size, torch.linspace(85, 105, 1 << 14)])
    x = torch.cat([size, -size, torch.tensor([torch.inf, -torch.inf, torch.nan])])
    out = torch.zeros_like(x)
    call(library, name, x, out)
    exact = getattr(torch, name[:-1])(x.double())
    finite = exact.float().isfinite()
    ulp = 2.0 ** (torch.frexp(exact.float())[1] - 24).clamp(min=-149).double()
    of_a_library = "clang" in compiling._version(compiling.compiler())
    errors = ((out.double() - exact).abs() / ulp)[finite]
    assert errors.max() < (most if of_a_library else 0.53)
    assert torch.equal(out[~finite][:-1], exact.float()[~finite][:-1])
    assert out[-1].isnan() and not out[:-1].isnan().any()
    if name != "expf":
        assert torch.equal(out[: len(size)], -out[len(size) : 2 * len(size)])
        assert torch.equal(out.signbit()[:-1], x.signbit()[:-1])


@pytest.mark.parametrize("dtype, name", [(torch.half, "half"), (torch.bfloat16, "bfloat")])
def test_the_greater_and_the_less_of_16_bits(library, dtype, name):
    every = torch.arange(-(1 << 15), 1 << 15).to(torch.int16)
    special = torch.tensor([0, -0x8000, 1, 0x7C00, 0x7F80, 0x7FFF, -1, 0x3C00, -0x4400])
    for other in (every.roll(4321), *(one.to(torch.int16).expand_as(every) for one in special)):
        x, y = every.view(dtype), other.contiguous().view(dtype)
        for kind, beats, zero in (("max", torch.gt, 0), ("min", torch.lt, -0x8000)):
            out = torch.zeros_like(x)
            call(library, f"{kind}_{name}", x, y, out)
            first = ~x.isnan() & (y.isnan() | beats(x.float(), y.float()))
            wanted = torch.where(first, every, other)
            wanted[x.isnan() & y.isnan()] = 0x7FFF
            both = (x == 0) & (y == 0)
            wanted[both & (x.signbit() != y.signbit())] = zero
            assert torch.equal(out.view(torch.int16), wanted)
