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
template <typename T, typename T2>
__global__ void fused(const T2* a, const T2* b, const T2* c, T2* pairs, T* single, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    pairs[i] = __hfma2(a[i], b[i], c[i]);
    single[2 * i] = __hfma(a[i].x, b[i].x, c[i].x);
    single[2 * i + 1] = __hfma(a[i].y, b[i].y, c[i].y);
}
extern "C" void fma_half(const half2* a, const half2* b, const half2* c, half2* pairs,
                         half* single, int n) {
    fused<<<(n + 63) / 64, 64>>>(a, b, c, pairs, single, n);
}
extern "C" void fma_bfloat(const __nv_bfloat162* a, const __nv_bfloat162* b,
                           const __nv_bfloat162* c, __nv_bfloat162* pairs,
                           __nv_bfloat16* single, int n) {
    fused<<<(n + 63) / 64, 64>>>(a, b, c, pairs, single, n);
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
template <typename From, typename To>
__global__ void convert(const From* x, To* out, int n) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = To(x[i]);
}
extern "C" void narrow_half(const float* x, half* out, int n) {
    convert<<<(n + 255) / 256, 256>>>(x, out, n);
}
extern "C" void narrow_bfloat(const float* x, __nv_bfloat16* out, int n) {
    convert<<<(n + 255) / 256, 256>>>(x, out, n);
}
extern "C" void widen_half(const half* x, float* out, int n) {
    convert<<<(n + 255) / 256, 256>>>(x, out, n);
}
extern "C" void widen_bfloat(const __nv_bfloat16* x, float* out, int n) {
    convert<<<(n + 255) / 256, 256>>>(x, out, n);
}
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


def rounded_once(a, b, c, dtype):
    """Return a * b + c in `dtype`, each rounded once; the NaNs are a GPU's own."""
    product, addend = a.double() * b.double(), c.double()
    total = product + addend
    part = total - product
    lost = (product - (total - part)) + (addend - part)
    near = total.float().to(dtype)
    bits, best, distance = near.view(torch.short), near.clone(), (near.double() - total).abs()
    for step in (
        -1,
        1,
    ):  # the numbers beside it: halfway, `lost` decides, or evenness
        other = (bits + step).view(dtype)
        apart = (other.double() - total).abs()
        beyond = torch.where(lost == 0, bits % 2 != 0, (other > near) == (lost > 0))
        nearer = (apart < distance) | ((apart == distance) & beyond)
        nearer &= other.isfinite() & near.isfinite() & (near != 0)
        best = torch.where(nearer, other, best)
    best.view(torch.short)[near.isnan()] = 0x7FFF
    return best


@pytest.mark.parametrize(("name", "dtype"), [("half", torch.half), ("bfloat", torch.bfloat16)])
def test_a_fused_multiply_add_is_rounded_once(dll, name, dtype):
    random = torch.Generator().manual_seed(2)
    a, b, c = torch.randint(-(2**15), 2**15, (3, 2 * N), generator=random).short().view(dtype)
    # Products that lie halfway between two numbers, or nearly: then a tiny c decides, or zero.
    few = torch.randint(0, 64, (2, N), generator=random)
    a[:N], b[:N] = (1 + few / 64).to(dtype)
    c[:N] = torch.tensor([2.0**-24, -(2.0**-24), 0.0, 2.0**-20]).to(dtype).repeat(N // 4)
    a[N : N + 64] = 0
    pairs, single = torch.zeros(2, 2 * N, dtype=dtype)
    dll[f"fma_{name}"](*map(pointer, (a, b, c, pairs, single)), N)
    wanted = rounded_once(a, b, c, dtype)
    for got in (pairs, single):
        assert torch.equal(got.view(torch.short), wanted.view(torch.short))
    twice = (a.double() * b.double() + c.double()).float().to(dtype)[:N]
    assert not torch.equal(twice, wanted[:N])  # the inputs tell one rounding from two


def test_a_constant_is_rounded_as_any_other_number(dll):
    out = torch.zeros(2, dtype=torch.half)
    dll.run_constants(pointer(out))
    assert torch.equal(out, torch.tensor([1 / 3, -65520.0]).half())


def all_of(dtype):
    return torch.arange(1 << 16, dtype=torch.int32).short().view(dtype)


@pytest.mark.parametrize(("name", "dtype"), [("half", torch.half), ("bfloat", torch.bfloat16)])
def test_every_bit_pattern_widens_exactly(dll, name, dtype):
    x = all_of(dtype)
    got = torch.zeros(x.shape)
    dll[f"widen_{name}"](pointer(x), pointer(got), x.numel())
    number = ~x.isnan()
    assert got[~number].isnan().all()
    assert torch.equal(got.view(torch.int)[number], x.float().view(torch.int)[number])


@pytest.mark.parametrize(("name", "dtype"), [("half", torch.half), ("bfloat", torch.bfloat16)])
def test_the_middles_between_neighbours_and_what_lies_beside_them_round_to_even(
    dll, name, dtype
):
    every = all_of(dtype).float()
    largest = torch.finfo(dtype).max
    beyond = torch.tensor([largest, -largest]) * (1 + torch.finfo(dtype).eps / 4)  # infinity
    middles = every[:-1] / 2 + every[1:] / 2
    bits = torch.cat([every, middles, beyond]).view(torch.int)
    x = torch.cat([bits, bits + 1, bits - 1]).view(torch.float)
    got = torch.zeros(x.shape, dtype=dtype)
    dll[f"narrow_{name}"](pointer(x), pointer(got), x.numel())
    wanted = x.to(dtype)
    nan = x.isnan()
    assert nan.sum() > 100 and (wanted.isinf() & x.isfinite()).sum() > 1
    wanted.view(torch.short)[nan] = 0x7FFF  # a GPU's own
    assert torch.equal(got.view(torch.short), wanted.view(torch.short))
