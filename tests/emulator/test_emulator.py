"""The CPU emulator: results against PyTorch's, launch errors, every fault as text in a process that lives."""

import ctypes
import os
import re
import signal

import pytest
import torch

from helpers import emulator
from helpers.emulator.translate import translate
from helpers.errors import BuildError, CompileError, FaultKind

SIZES = (1, 3, 7, 255, 256, 257, 1000, 4099, 100_003)


class Library(emulator.Library):
    """A built .cu file: calls launchers by name."""

    def call(self, name, *arguments, stream=None):
        """Return the fault's words, or "": tensors go as pointers, ints as int64_t, floats as float."""

        def convert(value):
            if isinstance(value, torch.Tensor):
                return ctypes.c_void_p(value.data_ptr())
            return ctypes.c_float(value) if isinstance(value, float) else ctypes.c_int64(value)

        getattr(self.dll, name)(*map(convert, arguments), ctypes.c_void_p(stream))
        self.fault = self.take_fault()
        return str(self.fault or "")


def build(folder, name, text):
    source = folder / name
    source.write_text(text, encoding="utf-8")
    output = folder / (source.stem + ".so")
    emulator.build(source, output)
    return Library(output)


FAULTS = r"""
#include <cuda_runtime.h>
#include <cassert>
#include <stdexcept>
#include <vector>

__global__ void fill(float* x, int64_t n) {
    const int64_t i = blockIdx.x * int64_t(blockDim.x) + threadIdx.x;
    if (i < n) x[i] = 1.0f;
}
__device__ __noinline__ float deep(int t) {
    volatile char large[1 << 20];
    large[t] = 1;
    return large[t];
}
__global__ void faulty(int64_t what, float* x, int64_t n) {
    __shared__ float tile[64];
    extern __shared__ float more[];
    const int t = threadIdx.x;
    const int64_t i = blockIdx.x * int64_t(blockDim.x) + t;
    if (what == 0) x[i] = 1.0f;
    if (what == 1 && i < n) x[0] += x[i + 1];
    if (what == 2) *reinterpret_cast<float4*>(x + 1 + 4 * i) = make_float4(1, 2, 3, 4);
    if (what == 3 && t < 32) __syncthreads();
    if (what == 4 && t < 16) x[0] = __shfl_down_sync(0xffffffff, 1.0f, 16);
    if (what == 5) { volatile int64_t k = 0; while (k >= 0) k = k < 7 ? k + 1 : 0; }
    if (what == 6) assert(i < 3);
    if (what == 7 && i == 5) __trap();
    if (what == 8) abort();
    if (what == 9) throw std::runtime_error("thrown in a kernel");
    if (what == 10) { volatile int zero = 0; x[0] = static_cast<float>(t / zero); }
    if (what == 11) tile[t] = x[0];
    if (what == 12) more[t] = x[0];
    if (what == 13) *static_cast<volatile float*>(nullptr) = 1.0f;
    if (what == 14) { if (t < 16) __syncthreads(); else __shfl_sync(0xffffffff, t, 0); }
    if (what == 15 && t >= 8) x[0] = __shfl_sync(0xff, 1.0f, 0);
    if (what == 16 && t < 16) __ballot_sync(0x0000ffff, 1);
    if (what == 17) { if (t < 16) __shfl_sync(0xffffffff, 1, 0); else __ballot_sync(0xffffffff, 1); }
    if (what == 18) x[i - 1] = 1.0f;
    if (what == 19) x[0] = deep(t);
}
extern "C" void ok(float* x, int64_t n, cudaStream_t stream) { fill<<<(n + 255) / 256, 256, 0, stream>>>(x, n); }
extern "C" void fault(int64_t what, float* x, int64_t n, int64_t blocks, int64_t threads, int64_t shared,
                      cudaStream_t stream) {
    faulty<<<blocks, threads, shared, stream>>>(what, x, n);
}
extern "C" void grid_y(float* x, int64_t y, int64_t z, cudaStream_t stream) {
    fill<<<dim3(1, y, z), 1, 0, stream>>>(x, 1);
}
extern "C" void raised(int64_t value, float* x, int64_t bytes, cudaStream_t stream) {
    cudaFuncSetAttribute(faulty, cudaFuncAttributeMaxDynamicSharedMemorySize, static_cast<int>(value));
    faulty<<<1, 64, bytes, stream>>>(12, x, 1);
}
extern "C" void host(int64_t what, cudaStream_t) {
    if (what == 0) throw std::runtime_error("thrown in a launcher");
    if (what == 1) std::vector<int>().at(3);
    if (what == 2) *static_cast<volatile int*>(nullptr) = 1;
    if (what == 3) abort();
}
"""


@pytest.fixture(scope="module")
def faults(tmp_path_factory):
    return build(tmp_path_factory.mktemp("mit Leerzeichen und Ümläuten"), "fäults.cu", FAULTS)


def assert_alive(library):
    x = torch.zeros(1000)
    assert library.call("ok", x, 1000) == ""
    assert library.take_error() == 0
    assert bool((x == 1).all())


HERE = r"faulty, block \((\d+), 0, 0\), thread \((\d+), 0, 0\): "
# what, blocks, threads, dynamic shared bytes, CUDA's error, the words
KERNEL_FAULTS = [
    (0, 2, 64, 0, 700, HERE + r"write to address 0x[0-9a-f]+, outside of every tensor"),
    (1, 2, 64, 0, 700, HERE + r"read from address 0x[0-9a-f]+, outside"),
    (
        2,
        1,
        1,
        0,
        716,
        HERE
        + r"a misaligned write to 0x[0-9a-f]+ as .*float4.* \(line LINE\).*multiple of 16 bytes",
    ),
    (
        3,
        1,
        128,
        0,
        719,
        HERE + r"a barrier \(line LINE\).*threads 0-31 wait there, threads 32-127 never came",
    ),
    (
        4,
        1,
        32,
        0,
        719,
        HERE + r"a shuffle \(line LINE\) reads from lane 16.*has already left the kernel",
    ),
    (
        4,
        1,
        16,
        0,
        719,
        HERE + r"a shuffle \(line LINE\) reads from lane 16.*this block does not have",
    ),
    (5, 3, 64, 0, 702, HERE + r"still running after 0.5 s: a loop without an end\?"),
    (6, 1, 64, 0, 710, HERE + r"assertion `i < 3` failed \(line LINE\)"),
    (7, 1, 64, 0, 719, r"thread \(5, 0, 0\): the kernel called __trap"),
    (8, 1, 64, 0, 719, HERE + r"the kernel called abort\(\)"),
    (9, 1, 64, 0, 719, HERE + r"a C\+\+ exception left the kernel: thrown in a kernel"),
    (10, 1, 64, 0, 719, HERE + r"an integer division by zero"),
    (
        11,
        1,
        65,
        0,
        700,
        r"thread \(64, 0, 0\): write to the shared array `tile`, byte 256 of its 256",
    ),
    (
        12,
        1,
        65,
        256,
        700,
        r"thread \(64, 0, 0\): write to dynamic shared memory, byte 256 of the 256",
    ),
    (13, 1, 64, 0, 700, HERE + r"write to address .*: a null pointer"),
    (
        14,
        1,
        32,
        0,
        719,
        HERE
        + r"a barrier \(line LINE\).*: threads 0-15 wait there, threads 16-31 at a warp operation \(line LINE\)",
    ),
    (
        15,
        1,
        32,
        0,
        719,
        r"thread \(8, 0, 0\): .*mask 0x000000ff does not name the lane that calls it, lane 8",
    ),
    (16, 1, 32, 0, 0, r"^$"),  # lanes that are not named need not come
    (
        17,
        1,
        32,
        0,
        719,
        r"waits for lanes that never come: its mask 0xffffffff names threads 16-31",
    ),
    (18, 1, 64, 0, 700, r"thread \(0, 0, 0\): write to address"),
    (19, 1, 1, 0, 700, r"the thread's stack overflowed"),
]

KINDS = dict.fromkeys((0, 1, 13, 18), FaultKind.OUT_OF_BOUNDS)
KINDS |= dict.fromkeys((3, 14), FaultKind.BARRIER) | dict.fromkeys((4, 15, 17), FaultKind.WARP)
KINDS |= dict.fromkeys((7, 8), FaultKind.TRAP)
KINDS |= dict.fromkeys((11, 12), FaultKind.SHARED_OUT_OF_BOUNDS)
KINDS |= {
    2: FaultKind.MISALIGNED,
    5: FaultKind.TIMEOUT,
    6: FaultKind.ASSERT,
    9: FaultKind.EXCEPTION,
    10: FaultKind.ARITHMETIC,
    19: FaultKind.STACK_OVERFLOW,
}


@pytest.mark.parametrize(
    ("what", "blocks", "threads", "shared", "error", "words"), KERNEL_FAULTS
)
def test_a_fault_is_text_and_the_process_lives(
    faults, monkeypatch, what, blocks, threads, shared, error, words
):
    monkeypatch.setenv("ELEMENTWISE_KERNEL_TIMEOUT", "0.5")
    x = emulator.guarded(64, torch.float32, 4, front=what == 18)
    x.zero_()
    text = faults.call("fault", what, x, 64, blocks, threads, shared)
    line = next(
        i for i, code in enumerate(FAULTS.split("\n"), start=1) if f"what == {what}" in code
    )
    assert re.search(words.replace("LINE", str(line)), text), text
    assert (faults.fault and faults.fault.kind) == KINDS.get(what)
    assert faults.take_error() == error
    assert faults.take_fault() is None
    assert_alive(faults)


# what, the launcher's own fault
@pytest.mark.parametrize(
    ("what", "words"),
    [
        (0, "the launcher host threw a C++ exception: thrown in a launcher"),
        (1, "the launcher host threw a C++ exception: vector"),
        (2, "the launcher host itself accessed memory that it must not"),
        (3, "the launcher host called abort()"),
    ],
)
def test_a_fault_of_the_launcher_itself(faults, what, words):
    assert words in faults.call("host", what)
    assert faults.fault.kind is FaultKind.HOST and not faults.fault.thread
    assert faults.take_error() != 0
    assert_alive(faults)


@pytest.mark.parametrize(
    ("blocks", "threads", "shared", "error"),
    [
        (0, 32, 0, 9),
        (1, 0, 0, 9),
        (1, 1025, 0, 9),
        (1, 32, 49153, 1),
        (2**31, 32, 0, 9),
        (1, 1024, 49152 - 256, 0),
    ],
)
def test_launches_that_cuda_refuses(faults, blocks, threads, shared, error):
    x = torch.zeros(64)
    assert faults.call("fault", -1, x, 64, blocks, threads, shared) == ""
    assert faults.dll.cudaPeekAtLastError() == error
    assert faults.take_error() == error
    assert faults.take_error() == 0
    assert faults.error_words(9) == "invalid configuration argument"


def test_grids_and_raised_shared_memory(faults):
    x = torch.zeros(1)
    for y, z, error in ((65535, 1, 0), (65536, 1, 9), (1, 65536, 9)):
        faults.call("grid_y", x, y, z)
        assert faults.take_error() == error
    for value, size, error in (
        (100_000, 100_000 - 256, 0),
        (100_000, 100_001, 1),
        (227 * 1024 + 1, 256, 1),
    ):
        assert faults.call("raised", value, x, size) == ""
        assert faults.take_error() == error
    # The static array's 256 bytes count too.
    assert "too much shared memory: 256 bytes of arrays and 60000 of" in faults.call(
        "raised", 60_000, x, 60_000
    )
    assert faults.take_error() == 1


FEATURES = r"""
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_runtime.h>
#include "wîde.cuh"

// A launch in a comment stays one: nothing<<<1, 2>>>(3);
const char* kText = "and in a string: nothing<<<1, 2>>>(3);";
__constant__ float kTable[4] = {1, 2, 3, 4};
__device__ int counter;

template <typename T> __global__ void to_float(const T* x, float* y, int64_t n) {
    const int64_t i = blockIdx.x * int64_t(blockDim.x) + threadIdx.x;
    if (i < n) y[i] = static_cast<float>(x[i]);
}
template <typename T> __global__ void binary(const T* a, const T* b, const T* c, T* out, int64_t n) {
    const int64_t i = blockIdx.x * int64_t(blockDim.x) + threadIdx.x;
    if (i >= n) return;
    out[i] = __hadd(a[i], b[i]);
    out[n + i] = a[i] - b[i];
    out[2 * n + i] = __hmul(a[i], b[i]);
    out[3 * n + i] = a[i] / b[i];
    out[4 * n + i] = __hfma(a[i], b[i], c[i]);
    out[5 * n + i] = __hmax(a[i], b[i]);
    out[6 * n + i] = __hneg(__habs(__hmin(a[i], b[i])));
    out[7 * n + i] = T(a[i] < b[i] ? 1.0f : 0.0f);
}
__global__ void narrow(const float* x, half* h, __nv_bfloat16* b, int64_t n) {
    const int64_t i = blockIdx.x * int64_t(blockDim.x) + threadIdx.x;
    if (i < n) h[i] = __float2half_rn(x[i]), b[i] = __float2bfloat16(x[i]);
}
extern "C" void f16_to_float(const half* x, float* y, int64_t n, cudaStream_t s) {
    to_float<<<(n + 255) / 256, 256, 0, s>>>(x, y, n);
}
extern "C" void bf16_to_float(const __nv_bfloat16* x, float* y, int64_t n, cudaStream_t s) {
    to_float<<<(n + 255) / 256, 256, 0, s>>>(x, y, n);
}
extern "C" void narrow_both(const float* x, half* h, __nv_bfloat16* b, int64_t n, cudaStream_t s) {
    narrow<<<(n + 255) / 256, 256, 0, s>>>(x, h, b, n);
}
extern "C" void f16_binary(const half* a, const half* b, const half* c, half* o, int64_t n, cudaStream_t s) {
    binary<half><<<(n + 63) / 64, 64, 0, s>>>(a, b, c, o, n);
}
extern "C" void bf16_binary(const __nv_bfloat16* a, const __nv_bfloat16* b, const __nv_bfloat16* c, __nv_bfloat16* o,
                            int64_t n, cudaStream_t s) {
    binary<__nv_bfloat16><<<(n + 63) / 64, 64, 0, s>>>(a, b, c, o, n);
}

__global__ void pairs(const half* a, const half* b, half* out, int64_t n) {
    const int64_t i = 2 * (blockIdx.x * int64_t(blockDim.x) + threadIdx.x);
    if (i + 1 < n) {
        const half2 x = __ldg(reinterpret_cast<const half2*>(a + i));
        const half2 y = __ldcs(reinterpret_cast<const half2*>(b + i));
        __stcs(reinterpret_cast<half2*>(out + i), __hadd2(x, y));
    } else if (i < n) {
        out[i] = __hadd(a[i], b[i]);
    }
}
extern "C" void f16_pairs(const half* a, const half* b, half* out, int64_t n, cudaStream_t s) {
    pairs<<<(n + 127) / 128, 64, 0, s>>>(a, b, out, n);
}

template <typename T> __device__ T warp_sum(T v) {
    for (int d = 16; d > 0; d >>= 1) v += __shfl_down_sync(0xffffffff, v, d);
    return v;
}
template <int kThreads, typename T>
__global__ void __launch_bounds__(kThreads) block_sum(const T* x, T* out, int64_t n) {
    __shared__ T part[kThreads / 32], unused[2][3];
    const int64_t i = blockIdx.x * int64_t(kThreads) + threadIdx.x;
    T v = warp_sum<T>(i < n ? x[i] : T(0));
    if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = v;
    __syncthreads();
    if (threadIdx.x < 32) {
        v = warp_sum(threadIdx.x < kThreads / 32 ? part[threadIdx.x] : T(0));
        if (threadIdx.x == 0) out[blockIdx.x] = v;
    }
    unused[1][2] = v;
}
extern "C" void sums_f64(const double* x, double* out, int64_t n, cudaStream_t stream) {
    block_sum<256, double>
        <<<dim3((n + 255) / 256), dim3(256), 0, stream>>>(
            x, out, n);
}
__global__ void transpose(const float* x, float* out, int rows, int cols) {
    __shared__ float tile[16][17];
    int c = blockIdx.x * 16 + threadIdx.x, r = blockIdx.y * 16 + threadIdx.y;
    if (r < rows && c < cols) tile[threadIdx.y][threadIdx.x] = x[r * cols + c];
    __syncthreads();
    c = blockIdx.y * 16 + threadIdx.x, r = blockIdx.x * 16 + threadIdx.y;
    if (r < cols && c < rows) out[r * rows + c] = tile[threadIdx.x][threadIdx.y];
}
extern "C" void transposed(const float* x, float* out, int64_t rows, int64_t cols, cudaStream_t stream) {
    transpose<<<dim3((cols + 15) / 16, (rows + 15) / 16), dim3(16, 16), 0, stream>>>(x, out, rows, cols);
}
__global__ void reversed(float* x) {
    extern __shared__ float whole[];
    whole[threadIdx.x] = x[blockIdx.x * blockDim.x + threadIdx.x];
    __syncthreads();
    x[blockIdx.x * blockDim.x + threadIdx.x] = whole[blockDim.x - 1 - threadIdx.x];
}
extern "C" void reverse(float* x, int64_t blocks, int64_t threads, cudaStream_t stream) {
    reversed<<<blocks, threads, threads * sizeof(float), stream>>>(x);
}
__global__ void atomics(int* i, float* f, unsigned* u, double* d, unsigned long long* m) {
    const unsigned t = blockIdx.x * blockDim.x + threadIdx.x;
    atomicAdd(i, 2), atomicAdd(i + 1, -1), atomicMax(i + 2, (int)t), atomicMin(i + 3, -(int)t);
    atomicAdd(f, 0.5f), atomicOr(u, 1u << t % 32), atomicInc(u + 1, 9u), atomicXor(u + 2, t);
    atomicAdd(d, 1.0), atomicAdd(m, 3ull), atomicAdd(&counter, 1);
    __shared__ int lock, guarded;
    if (threadIdx.x == 0) lock = guarded = 0;
    __syncthreads();
    while (atomicCAS(&lock, 0, 1) != 0) {}
    guarded += 1;
    __threadfence_block();
    atomicExch(&lock, 0);
    __syncthreads();
    if (threadIdx.x == 0) atomicAdd(i + 4, guarded);
}
extern "C" void atomics_all(int* i, float* f, unsigned* u, double* d, unsigned long long* m, int* count,
                            cudaStream_t stream) {
    counter = 0;
    atomics<<<10, 100, 0, stream>>>(i, f, u, d, m);
    cudaMemcpyFromSymbol(count, counter, sizeof(int));
}
__global__ void warps(int* out) {  // [12, 96]
    const int t = threadIdx.x, lane = t % 32;
    unsigned hardware_lane;
    asm volatile("mov.u32 %0, %%laneid;" : "=r"(hardware_lane));
    int* o = out + t;
    o[0] = hardware_lane;
    o[96] = __shfl_up_sync(0xffffffff, t, 3);
    o[192] = __shfl_xor_sync(0xffffffff, t, 5, 8);
    o[288] = __shfl_sync(0xffffffff, t, 9, 8);
    o[384] = __ballot_sync(0xffffffff, lane % 3 == 0);
    o[480] = __any_sync(0xffffffff, lane == 40) * 2 + __all_sync(0xffffffff, lane < 40);
    o[576] = __match_any_sync(0xffffffff, lane / 10);
    o[672] = __syncthreads_count(t < 50) * 100 + __syncthreads_and(t < 96) * 10 + __syncthreads_or(t == 200);
    if (lane < 10) {
        const unsigned active = __activemask();
        o[768] = active;
        o[864] = __shfl_down_sync(active, t, 9);
    } else {
        o[768] = __activemask();
        o[864] = __popc(o[768]) + 100 * __ffs(o[768]) + 10000 * __clz(o[768]);
    }
    o[960] = __reduce_add_sync(0xffffffff, lane);
    o[1056] = __brev(1u) == 0x80000000u && warpSize == 32 && kTable[3] == 4.0f;
    __syncwarp();
}
extern "C" void warps_all(int* out, cudaStream_t stream) { warps<<<1, 96, 0, stream>>>(out); }

__global__ void order(int* out) { if (blockIdx.x == 0) out[1 + atomicAdd(out, 1)] = threadIdx.x; }
extern "C" void orders(int* out, cudaStream_t stream) { order<<<2, 64, 0, stream>>>(out); }
__global__ void racy(int* out) {
    __shared__ int shared[64];
    shared[threadIdx.x] = threadIdx.x;
    out[threadIdx.x] = threadIdx.x ? shared[threadIdx.x - 1] : -1;  // no barrier
}
extern "C" void race(int* out, cudaStream_t stream) { racy<<<1, 64, 0, stream>>>(out); }
__global__ void speak(int n) { printf("thread %u of %d\n", threadIdx.x, n); }
extern "C" void talk(cudaStream_t stream) { speak<<<1, 3, 0, stream>>>(3); }
extern "C" void doubled(const float* x, float* out, int64_t n, cudaStream_t stream) { wide::twice(x, out, n, stream); }
"""
HEADER = r"""#pragma once
namespace wide {
template <int N, typename T> __global__ void twice_kernel(const T* x, T* out, int64_t n) {
    const int64_t i = N * (blockIdx.x * int64_t(blockDim.x) + threadIdx.x);
    for (int64_t k = i; k < i + N && k < n; ++k) out[k] = x[k] + x[k];
}
template <typename T, typename... Rest> void twice(const T* x, T* out, int64_t n, Rest... rest) {
    auto kernel = twice_kernel<4, T>;
    kernel<<<(n + 1023) / 1024, 256, 0, rest...>>>(x, out, n);
}
}  // namespace wide
"""


@pytest.fixture(scope="module")
def features(tmp_path_factory):
    folder = tmp_path_factory.mktemp("features")
    (folder / "wîde.cuh").write_text(HEADER, encoding="utf-8")
    return build(folder, "features.cu", FEATURES)


def bits(tensor):
    """A 16-bit float tensor's bits, every NaN made one."""
    return torch.where(tensor.isnan(), torch.full_like(tensor, float("nan")), tensor).view(
        torch.int16
    )


SMALL = [(torch.float16, "f16"), (torch.bfloat16, "bf16")]


@pytest.mark.parametrize(("dtype", "name"), SMALL)
def test_every_16_bit_pattern_as_a_float(features, dtype, name):
    patterns = torch.arange(65536, dtype=torch.int32).to(torch.int16).view(dtype)
    y = torch.zeros(65536)
    assert features.call(f"{name}_to_float", patterns, y, 65536) == ""
    expected = patterns.float()
    assert torch.equal(y.isnan(), expected.isnan())
    number = ~expected.isnan()
    assert torch.equal(y[number].view(torch.int32), expected[number].view(torch.int32))


def test_floats_to_16_bits(features):
    generator = torch.Generator().manual_seed(0)
    anything = torch.randint(
        -(2**31), 2**31, (200_000,), generator=generator, dtype=torch.int64
    ).to(torch.int32)
    halves = torch.arange(65536, dtype=torch.int32).to(torch.int16).view(torch.float16).float()
    ties = torch.cat(
        [
            halves,
            torch.nextafter(halves, torch.tensor(1e9)),
            (halves + torch.roll(halves, 1)) / 2,
        ]
    )
    x = torch.cat(
        [anything.view(torch.float32), ties, torch.randn(100_000, generator=generator) * 1e-6]
    )
    half, brain = (
        torch.empty(len(x), dtype=torch.float16),
        torch.empty(len(x), dtype=torch.bfloat16),
    )
    assert features.call("narrow_both", x, half, brain, len(x)) == ""
    assert torch.equal(bits(half), bits(x.to(torch.float16)))
    assert torch.equal(bits(brain), bits(x.to(torch.bfloat16)))


@pytest.mark.parametrize(("dtype", "name"), SMALL)
def test_arithmetic_on_random_pairs(features, dtype, name):
    n = 200_000
    generator = torch.Generator().manual_seed(1)
    a, b, c = (
        torch.randint(-(2**15), 2**15, (n,), generator=generator).to(torch.int16).view(dtype)
        for _ in range(3)
    )
    out = torch.empty(8, n, dtype=dtype)
    assert features.call(f"{name}_binary", a, b, c, out, n) == ""
    wide_a, wide_b = a.double(), b.double()
    for row, expected in enumerate([a + b, a - b, a * b, a / b]):
        assert torch.equal(bits(out[row]), bits(expected)), row
    finite = (wide_a * wide_b + c.double()).isfinite()
    # Exact in integers of any size, then rounded once: Python's fractions say what a fused multiply-add must be.
    from fractions import Fraction

    for i in torch.nonzero(finite).flatten()[:3000].tolist():
        exact = Fraction(wide_a[i].item()) * Fraction(wide_b[i].item()) + Fraction(c[i].item())
        got = out[4, i].double().item()
        if got in (float("inf"), float("-inf")):
            assert abs(exact) > Fraction(torch.finfo(dtype).max)
            continue
        near = [
            torch.nextafter(out[4, i], torch.tensor(s, dtype=dtype)).double().item()
            for s in (1e38, -1e38)
        ]
        near = [value for value in near if abs(value) != float("inf")]
        assert all(
            abs(exact - Fraction(got)) <= abs(exact - Fraction(value)) for value in near
        ), i
    both = ~(a.isnan() | b.isnan())
    assert torch.equal(out[5][both], torch.maximum(a, b)[both])
    assert torch.equal(bits(out[6][both]), bits(-torch.minimum(a, b)[both].abs()))
    assert torch.equal(out[7], (a < b).to(dtype))


@pytest.mark.parametrize("n", SIZES)
def test_sizes(features, faults, n):
    a, b = torch.randn(n).half(), torch.randn(n).half()
    out = emulator.guarded(n, torch.float16, 4)
    assert features.call("f16_pairs", a, b, out, n) == ""
    assert torch.equal(out, a + b)
    assert emulator.guarded_intact(out)
    x, y = torch.randn(n), torch.full((n,), float("nan"))
    assert features.call("doubled", x, y, n) == ""
    assert torch.equal(y, x + x)
    numbers, sums = (
        torch.randn(n, dtype=torch.float64),
        torch.zeros((n + 255) // 256, dtype=torch.float64),
    )
    assert features.call("sums_f64", numbers, sums, n) == ""
    expected = torch.nn.functional.pad(numbers, (0, -n % 256)).view(-1, 256).sum(1)
    torch.testing.assert_close(sums, expected, rtol=1e-12, atol=1e-12)
    faults.call("ok", x, n)
    assert bool((x == 1).all())


@pytest.mark.parametrize(("rows", "cols"), [(1, 1), (16, 16), (33, 7), (100, 255)])
def test_transpose(features, rows, cols):
    x, out = torch.randn(rows, cols), torch.zeros(cols, rows)
    assert features.call("transposed", x, out, rows, cols) == ""
    assert torch.equal(out, x.t())


@pytest.mark.parametrize("threads", [1, 31, 32, 100, 1024])
def test_dynamic_shared_memory(features, threads):
    x = torch.arange(7 * threads, dtype=torch.float32).view(7, threads)
    expected = x.flip(1)
    assert features.call("reverse", x, 7, threads) == ""
    assert torch.equal(x, expected)


def test_atomics(features):
    i, f, u = (
        torch.zeros(5, dtype=torch.int32),
        torch.zeros(1),
        torch.zeros(3, dtype=torch.int32),
    )
    d, m, count = (
        torch.zeros(1, dtype=torch.float64),
        torch.zeros(1, dtype=torch.int64),
        torch.zeros(1, dtype=torch.int32),
    )
    assert features.call("atomics_all", i, f, u, d, m, count) == ""
    assert i.tolist() == [2000, -1000, 999, -999, 1000]
    expected = 0
    for t in range(1000):
        expected ^= t
    assert (f.item(), u.tolist(), d.item(), m.item(), count.item()) == (
        500.0,
        [-1, 0, expected],
        1000.0,
        3000,
        1000,
    )


def test_warp_operations(features):
    out = torch.zeros(12, 96, dtype=torch.int32)
    assert features.call("warps_all", out) == ""
    t = torch.arange(96)
    lane, base = t % 32, t // 32 * 32
    ballot = sum(1 << i for i in range(0, 32, 3))
    match = [sum(1 << j for j in range(32) if j // 10 == i // 10) for i in range(32)]
    low, high = (1 << 10) - 1, ((1 << 32) - 1) ^ ((1 << 10) - 1)
    signed = lambda x: x - (1 << 32) if x >> 31 else x  # noqa: E731
    expected = [
        lane,
        torch.where(lane < 3, t, t - 3),
        t ^ 5,
        base + lane // 8 * 8 + 1,
        torch.full((96,), signed(ballot)),
        torch.full((96,), 1),
        torch.tensor([signed(value) for value in match] * 3),
        torch.full((96,), 5010),
        torch.where(lane < 10, low, signed(high)),
        # Lanes 1 to 9 read from lanes that the mask does not name: whatever comes, it is no fault.
        torch.where(lane == 0, t + 9, torch.where(lane < 10, -1, 22 + 100 * 11)),
        torch.full((96,), 31 * 16),
        torch.full((96,), 1),
    ]
    for row, values in enumerate(expected):
        assert out[row].tolist() == values.tolist(), row


def test_schedules_show_a_race(features):
    def run(name, size, mode):
        out = torch.zeros(size, dtype=torch.int32)
        with features.schedule(mode, seed=7):
            assert features.call(name, out) == ""
        return out.tolist()

    forward, backward, shuffled = (run("orders", 65, mode)[1:] for mode in (0, 1, 2))
    assert forward == list(range(64))
    assert backward == forward[::-1]
    assert sorted(shuffled) == forward and shuffled not in (forward, backward)
    assert run("race", 64, 0) == list(range(-1, 63))  # right by luck
    assert run("race", 64, 1) == [-1] * 64  # the garbage that shared memory begins with
    assert (
        run("warps_all", 12 * 96, 2)
        == run("warps_all", 12 * 96, 1)
        == run("warps_all", 12 * 96, 0)
    )


def test_printf_and_stream(features):
    assert features.call("talk", stream=1234) == ""
    assert features.last_stream == 1234
    assert features.has_report()
    assert features.take_printf() == "thread 0 of 3\nthread 1 of 3\nthread 2 of 3\n"
    assert features.take_printf() == "" and not features.has_report()


def test_a_child_process_after_a_launch(faults):
    assert_alive(faults)
    x = torch.zeros(
        200_000
    )  # made here: PyTorch's own threads do not survive a fork, the emulator's need not
    numbers = x.numpy()
    child = os.fork()
    if child == 0:
        signal.alarm(20)
        faults.call("ok", x, 200_000)
        os._exit(0 if (numbers == 1).all() else 1)
    assert os.waitpid(child, 0)[1] == 0


def test_two_versions_of_one_kernel_do_not_mix(tmp_path):
    text = """
    template <typename T> __global__ void k(T* x) {{ static int calls = 0; *x = {} + 0 * calls; }}
    extern "C" void run(float* x, cudaStream_t) {{ k<<<1, 1>>>(x); }}
    """
    x = torch.zeros(1)
    one, two = (
        build(tmp_path, "one.cu", text.format(1)),
        build(tmp_path, "two.cu", text.format(2)),
    )
    for library, expected in ((one, 1), (two, 2), (one, 1)):
        library.call("run", x)
        assert x.item() == expected


COMMONLY_WRITTEN = r"""
#include "cuda_runtime.h"
#include "device_launch_parameters.h"
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <memory>
namespace cg = cooperative_groups;
extern __shared__ __align__(16) unsigned char raw[];  // one block's memory under two names, outside of functions
namespace other { extern __shared__ float more[]; }
struct Pair { int x; float y; };
__device__ __noinline__ float one() { return 1.0f; }
template <class T> __global__ void k(T* x) {
    __shared__ alignas(16) T t[32][4];
    __shared__ Pair p;
    __shared__ __align__(8) char c[4], d;
    volatile __shared__ int v;
    static __shared__ int64_t wide;
    __shared__ struct { int q; } anonymous;
    __shared__ T* pointer;
    T* s = reinterpret_cast<T*>(raw);
    if (threadIdx.x == 0) { p.x = 1; c[0] = d = 2; v = 3; wide = 4; anonymous.q = 5; pointer = x; }
    auto block = cg::this_thread_block();
    block.sync();
    auto tile = cg::tiled_partition<32>(block);
    T sum = one();
    for (int o = tile.size() / 2; o > 0; o /= 2) sum += tile.shfl_down(sum, o);
    sum += cg::reduce(cg::tiled_partition<8>(block), int(threadIdx.x), cg::plus<int>());
    t[threadIdx.x][0] = s[threadIdx.x] = sum;
    other::more[threadIdx.x] = static_cast<float>(threadIdx.x);
    *reinterpret_cast<float4*>(&t[threadIdx.x][0]) = make_float4(1, 2, 3, 4);
    tile.sync();
    if (threadIdx.x == 0) {
        x[0] = sum + p.x + c[0] + d + v + wide + anonymous.q + (pointer == x) + s[3] + t[1][1];
    }
}
extern "C" int run(float* x, cudaStream_t stream) {
    auto kernel = k<float>;
    kernel<<<1, 32, 4096, stream>>>(x);
    return cudaPeekAtLastError();
}
"""


def test_what_code_from_elsewhere_looks_like(tmp_path):
    library = build(tmp_path, "common.cu", COMMONLY_WRITTEN)
    x = torch.zeros(1)
    assert library.call("run", x) == ""
    assert x.item() == 32 + 28 + 1 + 2 + 2 + 3 + 4 + 5 + 1 + 3 + 2


# ---- building -----------------------------------------------------------------------------------------------


def test_compile_error_names_file_and_line(tmp_path):
    source = tmp_path / "wröng name.cu"
    source.write_text(
        "#include <cuda_runtime.h>\n__global__ void k(float* x) {\n    x[0] = oops;\n}\n"
    )
    with pytest.raises(CompileError) as raised:
        emulator.build(source, tmp_path / "out.so")
    assert str(raised.value).startswith(
        "wröng name.cu does not compile:\n    wröng name.cu:3: "
    )
    assert "oops" in str(raised.value)
    assert str(tmp_path) not in str(raised.value)
    assert [path.name for path in tmp_path.iterdir()] == [source.name]


def test_no_compiler(tmp_path, monkeypatch):
    monkeypatch.setenv("CXX", "no-such-compiler")
    with pytest.raises(BuildError, match="Install g"):
        emulator.build(tmp_path / "k.cu", tmp_path / "k.so")
    with pytest.raises(BuildError):
        emulator.fingerprint()


def test_fingerprint_is_the_same_until_something_changes(monkeypatch):
    first = emulator.fingerprint()
    assert re.fullmatch("[0-9a-f]{16}", first)
    assert emulator.fingerprint() == first


def test_importing_the_emulator_does_not_import_torch():
    import subprocess
    import sys

    code = "import sys, helpers.emulator; sys.exit('torch' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


# ---- translation --------------------------------------------------------------------------------------------


def test_translation_keeps_lines_and_finds_each_launch():
    text = "a::b<(1 > 0), C<int>>\n  <<<g(1, 2), sizeof(D<E<F>>)>>>\n(x,\n y);\n// k<<<1, 1>>>(x);\n(k)<<<1, 2>>>();\n"
    result = translate(text, "f.cu")
    assert result.count("\n") == text.count("\n") + 1
    assert result.count("::emulator::on(") == 2
    assert 'on("b", ' in result and "// k<<<1, 1>>>(x);" in result
