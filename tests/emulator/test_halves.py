"""Pairs of 16-bit numbers beside single ones and PyTorch, on random bit patterns."""

import ctypes

import pytest
import torch

from helpers import emulator

KERNEL = """
#include <cuda_bf16.h>
#include <cuda_fp16.h>
template <typename T, typename T2>
__global__ void k(const T2* a, const T2* b, T2* pairs, T* single, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    pairs[i] = __hadd2(a[i], b[i]);
    pairs[n + i] = __hsub2(a[i], b[i]);
    pairs[2 * n + i] = __hmul2(a[i], b[i]);
    pairs[3 * n + i] = __h2div(a[i], b[i]);
    for (int j = 0; j < 2; ++j) {
        const T x = j ? a[i].y : a[i].x, y = j ? b[i].y : b[i].x;
        T* const to = single + 2 * i + j;
        to[0] = __hadd(x, y);
        to[2 * n] = __hsub(x, y);
        to[4 * n] = __hmul(x, y);
        to[6 * n] = __hdiv(x, y);
    }
}
extern "C" void run_half(const half2* a, const half2* b, half2* pairs, half* single, int n) {
    k<<<(n + 63) / 64, 64>>>(a, b, pairs, single, n);
}
extern "C" void run_bfloat(const __nv_bfloat162* a, const __nv_bfloat162* b,
                           __nv_bfloat162* pairs, __nv_bfloat16* single, int n) {
    k<<<(n + 63) / 64, 64>>>(a, b, pairs, single, n);
}
__global__ void constants(half* out) {
    out[threadIdx.x] = threadIdx.x ? __float2half_rn(-65520.0f) : __float2half_rn(1.0f / 3.0f);
}
extern "C" void run_constants(half* out) { constants<<<1, 2>>>(out); }
"""
N = 1 << 14


@pytest.fixture(scope="module")
def dll(tmp_path_factory, headers):
    folder = tmp_path_factory.mktemp("halves")
    (folder / "halves.cu").write_text(KERNEL)
    emulator.build(folder / "halves.cu", folder / "halves.so", headers)
    return emulator.Library(folder / "halves.so").dll


def pointer(x):
    return ctypes.c_void_p(x.data_ptr())


@pytest.mark.parametrize(("name", "dtype"), [("half", torch.half), ("bfloat", torch.bfloat16)])
def test_a_pair_is_two_numbers_rounded_once(dll, name, dtype):
    random = torch.Generator().manual_seed(1)
    a, b = torch.randint(-(2**15), 2**15, (2, 2 * N), generator=random).short().view(dtype)
    pairs, single = torch.zeros(2, 4, 2 * N, dtype=dtype)
    dll[f"run_{name}"](pointer(a), pointer(b), pointer(pairs), pointer(single), N)
    x, y = a.float(), b.float()
    wanted = torch.stack([x + y, x - y, x * y, x / y]).to(dtype)
    nan = wanted.isnan()
    assert nan.sum() > 100 and wanted.isinf().sum() > 100
    wanted.view(torch.short)[nan] = 0x7FFF  # a GPU's own
    for got in (pairs, single):
        assert torch.equal(got.view(torch.short), wanted.view(torch.short))


def test_a_constant_is_rounded_as_any_other_number(dll):
    out = torch.zeros(2, dtype=torch.half)
    dll.run_constants(pointer(out))
    assert torch.equal(out, torch.tensor([1 / 3, -65520.0]).half())
