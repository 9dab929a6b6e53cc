"""The CPU emulator: kernels' results against PyTorch's, launch errors, and every fault as text in a process that lives."""

import ctypes
import os
import re

import pytest
import torch

from helpers import emulator
from helpers.emulator.translate import blank, translate
from helpers.errors import BuildError, CompileError

SIZES = (1, 3, 7, 255, 256, 257, 1000, 4099, 100_003)


class Library:
    """A built .cu file: calls launchers by name, and reads what a launch left."""

    def __init__(self, path):
        self._dll = ctypes.CDLL(str(path))
        for name in ("emulator_fault", "emulator_printf_output", "cudaGetErrorString"):
            getattr(self._dll, name).restype = ctypes.c_char_p
        self._dll.emulator_last_stream.restype = ctypes.c_void_p

    def __getattr__(self, name):
        return getattr(self._dll, name)

    def call(self, name, *arguments, stream=None):
        """The text of the fault, or "": tensors go as pointers, ints as int64_t, floats as float."""

        def convert(value):
            if isinstance(value, torch.Tensor):
                return ctypes.c_void_p(value.data_ptr())
            return ctypes.c_float(value) if isinstance(value, float) else ctypes.c_int64(value)

        getattr(self._dll, name)(*map(convert, arguments), ctypes.c_void_p(stream))
        return (self._dll.emulator_fault() or b"").decode()


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
    assert library.cudaGetLastError() == 0
    assert bool((x == 1).all())


HERE = r"faulty, block \((\d+), 0, 0\), thread \((\d+), 0, 0\): "
# what, blocks, threads, dynamic shared bytes, CUDA's error, the words
KERNEL_FAULTS = [
    (0, 2, 64, 0, 700, HERE + r"write to address 0x[0-9a-f]+, outside of every tensor"),
    (1, 2, 64, 0, 700, HERE + r"read from address 0x[0-9a-f]+, outside"),
    (2, 1, 1, 0, 716, HERE + r"a misaligned write to 0x[0-9a-f]+ as .*float4.* \(line LINE\).*multiple of 16 bytes"),
    (3, 1, 128, 0, 719, HERE + r"a barrier \(line LINE\).*threads 0-31 wait there, threads 32-127 never came"),
    (4, 1, 32, 0, 719, HERE + r"a shuffle \(line LINE\) reads from lane 16.*has already left the kernel"),
    (4, 1, 16, 0, 719, HERE + r"a shuffle \(line LINE\) reads from lane 16.*this block does not have"),
    (5, 3, 64, 0, 702, HERE + r"still running after 0.5 s: a loop without an end\?"),
    (6, 1, 64, 0, 710, HERE + r"assertion `i < 3` failed \(line LINE\)"),
    (7, 1, 64, 0, 719, r"thread \(5, 0, 0\): the kernel called __trap"),
    (8, 1, 64, 0, 719, HERE + r"the kernel called abort\(\)"),
    (9, 1, 64, 0, 719, HERE + r"a C\+\+ exception left the kernel: thrown in a kernel"),
    (10, 1, 64, 0, 719, HERE + r"an integer division by zero"),
    (11, 1, 65, 0, 700, r"thread \(64, 0, 0\): write to the shared array `tile`, byte 256 of its 256"),
    (12, 1, 65, 256, 700, r"thread \(64, 0, 0\): write to dynamic shared memory, byte 256 of the 256"),
    (13, 1, 64, 0, 700, HERE + r"write to address .*: a null pointer"),
    (14, 1, 32, 0, 719, HERE + r"a barrier \(line LINE\).*: threads 0-15 wait there, threads 16-31 at a warp operation \(line LINE\)"),
    (15, 1, 32, 0, 719, r"thread \(8, 0, 0\): .*mask 0x000000ff does not name the lane that calls it, lane 8"),
    (16, 1, 32, 0, 0, r"^$"),  # lanes that are not named need not come
    (17, 1, 32, 0, 719, r"waits for lanes that never come: its mask 0xffffffff names threads 16-31"),
    (18, 1, 64, 0, 700, r"thread \(0, 0, 0\): write to address"),
    (19, 1, 1, 0, 700, r"the thread's stack overflowed"),
]


@pytest.mark.parametrize(("what", "blocks", "threads", "shared", "error", "words"), KERNEL_FAULTS)
def test_a_fault_is_text_and_the_process_lives(faults, monkeypatch, what, blocks, threads, shared, error, words):
    monkeypatch.setenv("ELEMENTWISE_KERNEL_TIMEOUT", "0.5")
    x = emulator.guarded(64, torch.float32, 4, front=what == 18)
    x.zero_()
    text = faults.call("fault", what, x, 64, blocks, threads, shared)
    line = next(i for i, code in enumerate(FAULTS.split("\n"), start=1) if f"what == {what}" in code)
    assert re.search(words.replace("LINE", str(line)), text), text
    assert faults.cudaGetLastError() == error
    assert faults.emulator_fault() is None
    assert_alive(faults)
