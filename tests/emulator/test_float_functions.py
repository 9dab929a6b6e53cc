"""The emulator's erff beside the exact value, in ulps."""

import ctypes

import torch

from helpers import emulator
from helpers.emulator import compile as compiling

KERNEL = """
#include <cuda_runtime.h>
__global__ void k(const float* x, float* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = erff(x[i]);
}
extern "C" void run(const float* x, float* out, int n) {
    k<<<(n + 255) / 256, 256>>>(x, out, n);
}
"""


def test_erff_is_within_what_a_gpu_promises(headers, tmp_path):
    (tmp_path / "erff.cu").write_text(KERNEL)
    emulator.build(tmp_path / "erff.cu", tmp_path / "erff.so", headers)
    bits = torch.arange(0, 0x7F800001, 4099, dtype=torch.int32)  # 0 to infinity
    size = torch.cat([bits.view(torch.float32), torch.linspace(0, 4.5, 1 << 18)])
    x = torch.cat([size, -size, torch.tensor([torch.inf, -torch.inf, torch.nan])])
    out = torch.zeros_like(x)
    library = emulator.Library(tmp_path / "erff.so")
    library.dll.run(ctypes.c_void_p(x.data_ptr()), ctypes.c_void_p(out.data_ptr()), len(x))
    assert library.take_fault() is None
    exact = torch.erf(x.double())
    ulp = 2.0 ** (torch.frexp(exact.float())[1] - 24).clamp(min=-149).double()
    of_a_library = "clang" in compiling._version(compiling.compiler())
    assert ((out.double() - exact).abs() / ulp)[:-1].max() < (2 if of_a_library else 0.53)
    assert out[-1].isnan() and not out[:-1].isnan().any()
    assert torch.equal(out[: len(size)], -out[len(size) : 2 * len(size)])
    assert torch.equal(out.signbit()[:-1], x.signbit()[:-1])
