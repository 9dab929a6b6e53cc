"""Kernels whose threads run abreast: which they are, what they compute, their faults."""

import ctypes
import re

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


GRID = "int i = blockIdx.x * blockDim.x + threadIdx.x"
STEP = "blockDim.x * gridDim.x"
LOOPS = {
    "shift": f"void shift(const float* x, float* out, int n) "
    f"{{ for ({GRID}; i < n; i += {STEP}) out[i] = x[i] + 1.0f; }}",
    "count": f"void count(int* place, int* all, int n) "
    f"{{ for ({GRID}; i < n; i += {STEP}) place[i] = all[0]++; }}",
    "astray": f"void astray(float* x, int64_t at, int64_t n) {{ for (int64_t {GRID[4:]}; i < n;"
    f" i += {STEP}) x[i >= at ? i + (1ll << 40) : i] += 1.0f; }}",
    "part": f"void part(int* x, int64_t unused, int n) "
    f"{{ for ({GRID}; i < n; i += {STEP}) x[i] = 100 / x[i]; }}",
    "wide": f"""void wide(const float* x, float* out, int n) {{
        const float4* from = reinterpret_cast<const float4*>(x);
        for ({GRID}; i < n / 4; i += {STEP}) reinterpret_cast<float4*>(out)[i] = from[i];
    }}""",
    "within": f"""void within(const float* x, float* out, int n) {{
        for ({GRID}; i < n / 4; i += {STEP}) {{
            const float4 pack = *reinterpret_cast<const float4*>(x + 4 * i);
            *reinterpret_cast<float4*>(out + 4 * i) = pack;
        }}
    }}""",
    "negative": f"""void negative(const float* x, float* out, int n) {{
        for ({GRID} - 70; i < n; i += {STEP}) if (i >= 0) out[i] = 2 * x[i];
    }}""",
    "wraps": f"""void wraps(const float* x, float* out, int n) {{
        const int far = 5 << 27 | blockDim.x;
        for ({GRID}; i >= 0; i += far) if (i < n) out[i] = 2 * x[i];
    }}""",
    "wraps_back": f"void wraps_back(const float* x, float* out, unsigned n) {{ "
    f"for (unsigned {GRID[4:]}; i < n; i += {STEP} * 0 - 3) out[i] = 2 * x[i]; }}",
    "twice": f"""void twice(const float* x, float* out, int n) {{
        const int step = 2 * {STEP};
        for ({GRID}; i < n; i += step) {{
            out[i] = 2 * x[i];
            if (i + step / 2 < n) out[i + step / 2] = 2 * x[i + step / 2];
        }}
    }}""",
    "own_step": f"""void own_step(const float* x, float* out, int n) {{
        const int step = {STEP} + threadIdx.x;
        for ({GRID}; i < n; i += step) out[i] = 2 * x[i];
    }}""",
    "sums": f"""void sums(const float* x, float* out, int n) {{
        float sum = 0.0f;
        for ({GRID}; i < n; i += {STEP}) sum += x[i];
        out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
    }}""",
    "kept": f"void kept(const float* x, float* out, int n) {{ "
    f"for ({GRID}; i < n; i += {STEP}) out[blockIdx.x * blockDim.x + threadIdx.x] += x[i]; }}",
    "moves": f"void moves(const float* x, float* out, int n) {{ "
    f"for ({GRID}; i < n; i += {STEP}) {{ out[threadIdx.x] = *x; ++x; }} }}",
    "first": f"""void first(const float* x, float* out, int n) {{
        const float all = out[0];
        for ({GRID}; i < n; i += {STEP}) out[i] = x[i] / all;
    }}""",
    "taken": f"""void taken(const float* x, float* out, int n) {{
        for ({GRID}; i < n; i += {STEP}) {{
            if (x[i] > 50) break;
            out[i] = x[i];
        }}
    }}""",
    "behind": f"""void behind(const float* x, float* out, int n) {{
        for ({GRID}; i < n; i += {STEP}) out[i] = x[i];
        if (threadIdx.x == 0 && blockIdx.x == 0) out[0] = -1.0f;
    }}""",
    "guarded": f"""void guarded(const float* x, float* out, int n) {{
        if (threadIdx.x >= 20) return;
        for ({GRID}; i < n; i += {STEP}) out[i] = 2 * x[i];
    }}""",
}
# Whether their rounds run together; the others are loops of one thread.
TOGETHER = (
    "shift count astray part wide within negative wraps wraps_back twice kept behind".split()
)
CHANGED = f"""
__device__ void add(float& sum, float x) {{ sum += x; }}
__global__ void by_reference(const float* x, float* out, int n) {{
    float sum = 0.0f;
    for ({GRID}; i < n; i += {STEP}) add(sum, x[i]);
    out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}}
"""
ATOMIC = f"""
__global__ void atomic(const float* x, float* out, int n) {{
    for ({GRID}; i < n; i += {STEP}) atomicAdd(out, x[i]);
}}
"""
BOUNDED = f"""
__global__ void __launch_bounds__(32) bounded(const float* x, float* out, int n) {{
    for ({GRID}; i < n; i += {STEP}) out[i] = 2 * x[i];
}}
"""


def looping(name, text, threads=32, blocks=2):
    head = re.search(rf"void (?:__launch_bounds__\(32\) )?{name}(\([^)]*)\)", text)
    given = re.findall(r"(\w+)[,)]", head[1] + ")")
    call = f"{name}<<<{blocks}, {threads}, 0, stream>>>({', '.join(given)});"
    return f'extern "C" void {name}_{threads}{head[1]}, cudaStream_t stream) {{ {call} }}\n'


@pytest.fixture(scope="module")
def loops(tmp_path_factory, headers):
    text = "#include <cstdint>\n" + "".join(
        f"__global__ {kernel}\n{looping(name, kernel)}{looping(name, kernel, 1, 1)}"
        for name, kernel in LOOPS.items()
    )
    return built(tmp_path_factory.mktemp("loops"), headers, text)


def small(folder, headers, text):
    source = folder / "small.cu"
    source.write_text(text)
    emulator.build(source, folder / "small.so", headers)
    return emulator.Library(folder / "small.so")


@pytest.mark.parametrize("name", LOOPS)
def test_the_rounds_of_a_loop_run_together_if_nothing_goes_from_one_to_the_next(name):
    code = f"__global__ {LOOPS[name]}\n"
    (kernel,) = abreast.kernels(code)
    loop = any("Rounds" in new for _, _, new in kernel.edits)
    assert loop == (name in TOGETHER)


@pytest.mark.parametrize("threads", [32, 1])
@pytest.mark.parametrize("name", [*LOOPS])
def test_a_loop_gives_the_same_bits_as_one_by_one(loops, name, threads):
    if name in ("count", "astray", "part"):
        return
    for n in (1, 63, 64, 65, 1000, 1024):
        if name == "wraps_back" and threads == 32:
            n = 3  # thread 0 goes on, below zero
        x = torch.arange(n + 1100.0)
        first, second = torch.full((2048,), 3.0), torch.full((2048,), 3.0)
        assert call(loops, f"{name}_{threads}", x, first, n) is None
        with loops.schedule(emulator.SHUFFLED if name == "behind" else emulator.REVERSE, 0):
            assert call(loops, f"{name}_{threads}", x, second, n) is None
        if name not in ("moves", "first", "behind") or threads == 1:
            assert torch.equal(first, second)


def test_a_loop_in_place_and_of_overlapping_tensors(loops):
    x = torch.arange(1000.0)
    assert call(loops, "shift_32", x, x, 1000) is None
    assert torch.equal(x, torch.arange(1000.0) + 1)
    ones = torch.ones(1001)
    loops.take_blocks_abreast()
    assert call(loops, "shift_32", ones, ones[1:], 1000) is None
    assert loops.take_blocks_abreast() == 2
    # Which of two threads is first is open: each has read what was there, or what became of it.
    assert ((ones[1:] == 2) | (ones[1:] == ones[:-1] + 1)).all()


def test_threads_that_count_in_global_memory_miss_nobody(loops):
    place, count = torch.zeros(1000, dtype=torch.int32), torch.zeros(1, dtype=torch.int32)
    assert call(loops, "count_32", place, count, 1000) is None
    assert count.item() == 1000 and torch.equal(place.sort()[0], torch.arange(1000).int())


@pytest.mark.parametrize("at, block, thread", [(0, 0, 0), (63, 0, 0), (231, 0, 0), (997, 1, 5)])
def test_a_fault_in_a_round_names_the_first_thread_one_by_one(loops, at, block, thread):
    fault = call(loops, "astray_32", torch.zeros(1000), at, 1000)
    assert fault.kind is FaultKind.OUT_OF_BOUNDS
    assert fault.thread == f"block ({block}, 0, 0), thread ({thread}, 0, 0)"
    x = torch.ones(1000, dtype=torch.int32)
    x[at] = 0
    fault = call(loops, "part_32", x, 0, 1000)
    assert fault.kind is FaultKind.ARITHMETIC
    assert fault.thread == f"block ({at // 32 % 2}, 0, 0), thread ({at % 32}, 0, 0)"


@pytest.mark.parametrize("name", ["wide", "within"])
def test_packs_of_a_loop_that_are_not_aligned_are_a_fault(loops, name):
    x = torch.zeros(1025)
    for given in ((x[1:], x[:-1]), (x[:-1], x[1:])):
        fault = call(loops, f"{name}_32", *given, 1024)
        assert fault.kind is FaultKind.MISALIGNED
        assert fault.thread == "block (0, 0, 0), thread (0, 0, 0)"
    assert call(loops, f"{name}_32", x[1:], x[:-1], 3) is None or name == "wide"


def test_what_the_compiler_finds_changed_has_no_second_form(tmp_path, headers):
    library = small(tmp_path, headers, CHANGED + looping("by_reference", CHANGED))
    x, out = torch.arange(640.0), torch.zeros(64)
    assert call(library, "by_reference_32", x, out, 640) is None
    assert torch.equal(out, x.view(10, 64).sum(0)) and library.take_blocks_abreast() == 0


def test_an_atomic_has_no_second_form(tmp_path, headers):
    library = small(tmp_path, headers, ATOMIC + looping("atomic", ATOMIC))
    x, out = torch.ones(1000), torch.zeros(1)
    assert call(library, "atomic_32", x, out, 1000) is None
    assert out.item() == 1000 and library.take_blocks_abreast() == 0


def test_launch_bounds_hold(tmp_path, headers):
    text = BOUNDED + looping("bounded", BOUNDED) + looping("bounded", BOUNDED, threads=64)
    library = small(tmp_path, headers, text)
    x, out = torch.arange(1000.0), torch.zeros(1000)
    assert call(library, "bounded_32", x, out, 1000) is None
    assert torch.equal(out, 2 * x) and library.take_blocks_abreast() == 2
    out.zero_()
    for mode in (emulator.FORWARD, emulator.REVERSE):
        with library.schedule(mode):
            assert call(library, "bounded_64", x, out, 1000) is None
        assert "__launch_bounds__(32)" in library.take_refusal().words
        assert not out.any() and library.take_blocks_abreast() == 0
