"""Kernels whose threads run abreast: which they are, what they compute, their faults."""

import ctypes

import pytest
import torch

from helpers import emulator
from helpers.emulator import abreast
from helpers.emulator import compile as compiling
from helpers.errors import FaultKind

INDEX = "const int64_t i = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;"
KERNELS = f"""
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cstdint>
template <typename T> __global__ void each(const T* a, const T* b, T* out, int64_t n) {{
    {INDEX}
    if (i < n) out[i] = fmaxf(float(a[i]) + float(b[i]), float(a[i]) * float(b[i]));
}}
template <typename T> __global__ void in_place(T* x, int64_t n, int from) {{
    {INDEX}
    if (i >= n || i < from) return;
    x[i] = float(x[i]) * 1.5f + fminf(float(x[i]), 0.25f);
}}
__global__ void odd(const float* a, float* out, int n) {{
    const int i = 2 * (blockIdx.x * blockDim.x + threadIdx.x) + 1;
    if (i < n) {{ out[i] = a[i]; }}
}}
__global__ void far(float* x, int64_t n, int64_t at) {{
    {INDEX}
    if (i < n) x[i == at ? i + (1ll << 40) : i] += 1.0f;
}}
__global__ void divide(int* x, int64_t n) {{
    {INDEX}
    if (i < n) x[i] = 1000 / x[i];
}}
__global__ void once(int* from, float* x, int64_t n) {{
    {INDEX}
    if (i < n) {{
        const int at = from[i];
        from[i] = 0;
        x[at] = 1;
    }}
}}
"""


PACKS = f"""
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cstdint>
template <typename T> struct alignas(sizeof(T) * 8) Pack {{ T of[8]; }};
template <typename T> __global__ void packs(const T* a, T* x, int64_t n) {{
    {INDEX}
    if (8 * i + 8 <= n) {{
        const auto given = reinterpret_cast<const Pack<T>*>(a)[i];
        auto pack = *reinterpret_cast<Pack<T>*>(x + 8 * i);
        for (int k = 0; k < 8; ++k) {{
            const float x = pack.of[k], y = given.of[k];
            pack.of[k] = fmaxf(x * 1.5f, x + y);
        }}
        *reinterpret_cast<Pack<T>*>(x + 8 * i) = pack;
    }} else {{
        for (int64_t k = 8 * i; k < n; ++k) x[k] = a[k];
    }}
}}
__global__ void pairs(const half* a, half* x, int64_t n) {{
    uint4* const whole = reinterpret_cast<uint4*>(x);
    {INDEX}
    if (i >= n / 8) return;
    uint4 mine = whole[i];
    half2* const two = reinterpret_cast<half2*>(&mine);
    for (int k = 0; k < 4; ++k) {{
        two[k] = __hadd2(two[k], reinterpret_cast<const half2*>(a + 8 * i)[k]);
    }}
    whole[i] = mine;
}}
__global__ void perhaps(float* x, int64_t n, int64_t wide) {{
    {INDEX}
    float4* const whole = reinterpret_cast<float4*>(x);
    if (i < n / 4) {{
        if (wide) whole[i].x += 1.0f;
        else x[4 * i] += 2.0f;
    }}
}}
"""


def launcher(name, call, parameters):
    return f'extern "C" void {name}({parameters}, cudaStream_t stream) {{ {call} }}\n'


TYPES = {"float": torch.float32, "half": torch.float16, "__nv_bfloat16": torch.bfloat16}
LAUNCHERS = "".join(
    launcher(
        f"each_{dtype}".replace("torch.", ""),
        f"each<{name}><<<(n + 95) / 96, 96, 0, stream>>>(a, b, out, n);",
        f"const {name}* a, const {name}* b, {name}* out, int64_t n",
    )
    + launcher(
        f"in_place_{dtype}".replace("torch.", ""),
        f"in_place<{name}><<<(n + 95) / 96, 96, 0, stream>>>(x, n, from);",
        f"{name}* x, int64_t n, int from",
    )
    for name, dtype in TYPES.items()
)
LAUNCHERS += launcher(
    "odd", "odd<<<4, 32, 0, stream>>>(a, out, n);", "const float* a, float* out, int n"
)
LAUNCHERS += launcher(
    "far", "far<<<4, 64, 0, stream>>>(x, n, at);", "float* x, int64_t n, int64_t at"
)
LAUNCHERS += launcher("divide", "divide<<<4, 64, 0, stream>>>(x, n);", "int* x, int64_t n")
LAUNCHERS += launcher(
    "once", "once<<<4, 64, 0, stream>>>(from, x, n);", "int* from, float* x, int64_t n"
)
for name, dtype in TYPES.items():
    PACKS += launcher(
        f"packs_{dtype}".replace("torch.", ""),
        f"packs<{name}><<<n / 512 + 1, 64, 0, stream>>>(a, x, n);",
        f"const {name}* a, {name}* x, int64_t n",
    )
PACKS += launcher(
    "pairs",
    "pairs<<<n / 512 + 1, 64, 0, stream>>>(a, x, n);",
    "const half* a, half* x, int64_t n",
)
PACKS += launcher(
    "perhaps", "perhaps<<<4, 64, 0, stream>>>(x, n, wide);", "float* x, int64_t n, int64_t wide"
)


def built(folder, headers, text):
    source = folder / "abreast.cu"
    source.write_text(text)
    assert compiling._second_forms(source, {source: text}, folder / "second", headers)
    emulator.build(source, folder / "abreast.so", headers)
    return emulator.Library(folder / "abreast.so")


@pytest.fixture(scope="module")
def library(tmp_path_factory, headers):
    return built(tmp_path_factory.mktemp("abreast"), headers, KERNELS + LAUNCHERS)


@pytest.fixture(scope="module")
def packs(tmp_path_factory, headers):
    return built(tmp_path_factory.mktemp("packs"), headers, PACKS)


def call(library, name, *arguments):
    given = [
        ctypes.c_void_p(one.data_ptr()) if torch.is_tensor(one) else ctypes.c_int64(one)
        for one in arguments
    ]
    with library.workers(1):
        getattr(library.dll, name)(*given, None)
    return library.take_fault()


def test_these_kernels_have_a_second_form():
    assert abreast.names([KERNELS + LAUNCHERS]) == {
        "each",
        "in_place",
        "odd",
        "far",
        "divide",
        "once",
    }


def numbers(dtype):
    """Return special numbers and all of a 16-bit type, in some order."""
    bits = torch.arange(-(1 << 15), 1 << 15).to(torch.int16)
    if dtype == torch.float32:
        high = bits.to(torch.int32) << 16
        return torch.cat([high, high + 0x1000, high + 0xFFF, high + 0x8001]).view(dtype)
    return bits.view(dtype)


@pytest.mark.parametrize("dtype", TYPES.values(), ids=str)
def test_abreast_gives_the_same_bits_as_one_by_one(library, dtype):
    name = str(dtype).replace("torch.", "")
    whole = torch.int32 if dtype == torch.float32 else torch.int16
    a = numbers(dtype)
    n = a.numel() - 5
    for shift in (0, 1, 4321, 30000):
        b = a.roll(shift)
        first, second = torch.zeros_like(a), torch.zeros_like(a)
        assert call(library, f"each_{name}", a, b, first, n) is None
        with library.schedule(emulator.REVERSE):  # one by one
            assert call(library, f"each_{name}", a, b, second, n) is None
        assert torch.equal(first.view(whole), second.view(whole))
        assert not first[n:].any() and first[:n].any()
        assert call(library, f"in_place_{name}", first, n, 100) is None
        with library.schedule(emulator.REVERSE):
            assert call(library, f"in_place_{name}", second, n, 100) is None
        assert torch.equal(first.view(whole), second.view(whole))


@pytest.mark.parametrize("dtype", TYPES.values(), ids=str)
def test_packs_abreast_give_the_same_bits_as_one_by_one(packs, dtype):
    name = f"packs_{dtype}".replace("torch.", "")
    whole = torch.int32 if dtype == torch.float32 else torch.int16
    for name_, shift in ((name, 0), (name, 333), *((("pairs", 77),) * (dtype == torch.half))):
        a = numbers(dtype)
        first, second = a.roll(shift), a.roll(shift)
        assert call(packs, name_, a, first, a.numel() - 5) is None
        with packs.schedule(emulator.REVERSE):  # one by one
            assert call(packs, name_, a, second, a.numel() - 5) is None
        assert torch.equal(first.view(whole), second.view(whole))
        assert not torch.equal(first.view(whole), a.roll(shift).view(whole))


def test_packs_that_are_not_aligned_are_a_fault_that_names_its_thread(packs):
    assert abreast.names([PACKS]) == {"packs", "pairs", "perhaps"}
    x = torch.zeros(4097, dtype=torch.half)
    for arguments in ((x[1:], x[:-1], 4096), (x[:-1], x[1:], 4096)):
        for name in ("packs_float16", "pairs"):
            fault = call(packs, name, *arguments)
            assert fault.kind is FaultKind.MISALIGNED
            assert fault.thread == "block (0, 0, 0), thread (0, 0, 0)"


def test_a_pointer_that_is_not_used_need_not_be_aligned(packs):
    x = torch.zeros(257)
    assert call(packs, "perhaps", x[1:], 256, 0) is None
    assert x[1::4].eq(2).all() and x[2::4].eq(0).all()
    assert call(packs, "perhaps", x[1:], 256, 1).kind is FaultKind.MISALIGNED
    assert call(packs, "perhaps", x[:-1], 256, 1) is None


@pytest.mark.parametrize("n", [0, 1, 2, 63, 64, 65, 200, 256])
def test_each_thread_is_asked(library, n):
    a, out = torch.arange(1.0, 257.0), torch.zeros(256)
    assert call(library, "odd", a, out, n) is None
    wanted = torch.zeros(256)
    wanted[1:n:2] = a[1:n:2]
    assert torch.equal(out, wanted)


def test_a_fault_names_its_thread(library):
    fault = call(library, "far", torch.zeros(256), 256, 64 + 37)
    assert fault.kind is FaultKind.OUT_OF_BOUNDS
    assert fault.thread == "block (1, 0, 0), thread (37, 0, 0)"
    x = torch.ones(256, dtype=torch.int32)
    x[130] = 0
    fault = call(library, "divide", x, 256)
    assert fault.kind is FaultKind.ARITHMETIC
    assert fault.thread == "block (2, 0, 0), thread (2, 0, 0)"


def test_an_address_that_is_not_aligned_is_a_fault_of_the_first_thread(library):
    x = torch.zeros(1024, dtype=torch.uint8)
    fault = call(library, "each_float32", x[1:], x, x, 10)
    assert fault.kind is FaultKind.MISALIGNED
    assert fault.thread == "block (0, 0, 0), thread (0, 0, 0)"


def test_a_fault_that_is_not_met_again_names_its_block(library):
    """Run again, the thread finds another index, which it has written itself."""
    indices = torch.arange(256, dtype=torch.int32)
    indices[65] = 1 << 30
    fault = call(library, "once", indices, torch.zeros(256), 256)
    assert fault.kind is FaultKind.OUT_OF_BOUNDS and fault.thread == "block (1, 0, 0)"


@pytest.mark.parametrize(
    "text",
    [
        "__global__ void k(float* x) { if (threadIdx.x) return; x[1] = 1; if (x[0]) return; }",
        "__global__ void k(int* x) { if (x[threadIdx.x]) x[1] = 1; else x[2] = 2; }",
        "__global__ void k(float* x) { auto p = &reinterpret_cast<int4*>(x)[1]; p->x = 1; }",
        "__global__ void k(float* x) { ((float4*)x)[threadIdx.x].x = 1; }",
        "__global__ void k(float** x) { x[threadIdx.x][0] = 1; }",
        "__global__ void k(float* x) { while (x[threadIdx.x] < 5) x[threadIdx.x] += 1; }",
        "__device__ float y; __global__ void k(float* x) { x[threadIdx.x] = 1; }",
        "__constant__ float y; __global__ void k(float* x) { x[threadIdx.x] = 1; }",
        "__device__ int t() { return threadIdx.x; } __global__ void k(int* x) { x[t()] = 1; }",
        "#define T threadIdx.x\n__global__ void k(float* x) { x[T] = 1; }",
        "__global__ void k(float* x); __global__ void k(float* x) { x[threadIdx.x] = 1; }",
        "__global__ void k(int* x) { x[threadIdx.x] = [=] { return blockIdx.x; }(); }",
    ],
)
def test_what_is_not_understood_has_no_second_form(text):
    assert not abreast.names([text])
