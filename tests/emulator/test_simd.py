"""Bytes and halves of a word at once, and inverse error functions, beside NumPy and PyTorch."""

import ctypes

import numpy as np
import torch

from helpers import emulator
from helpers.emulator import Library

SIMD = (
    "__vadd4 __vsub2 __vmaxs4 __vminu2 __vabsdiffu4 __vavgu4 __vcmpgts4 __vaddus4 __vsadu4 "
    "__vcmpgeu2 __vsetles4 umin uproduct product __vavgs4 __vaddss2 __vsubus2 __vsads2 "
    "absolute saturated largest_sum which"
)
TEXT = """
#include <cuda_runtime.h>
#include <cstdint>
__device__ unsigned uproduct(unsigned a, unsigned b) { return __dp4a(a, b, 7u); }
__device__ unsigned product(unsigned a, unsigned b) {
    const char4 x = reinterpret_cast<const char4&>(a);
    const char4 y = reinterpret_cast<const char4&>(b);
    const short2 z = reinterpret_cast<const short2&>(a);
    return __dp4a(x, y, 100) + __dp2a_hi(z, y, 0) - __dp2a_lo(int(a), int(b), 0);
}
__device__ unsigned absolute(unsigned a, unsigned) { return __vabs4(a | 0x80u); }
__device__ unsigned saturated(unsigned a, unsigned) { return __vnegss2(a | 0x8000u); }
__device__ unsigned largest_sum(unsigned a, unsigned b) { 
    return __viaddmax_s16x2_relu(a, b, b);
}
__device__ unsigned which(unsigned a, unsigned b) {
    bool high, low;
    const unsigned least = __vibmin_u16x2(a, b, &high, &low);
    return least == __vminu2(a, b) ? high * 2 + low : 4;
}
__global__ void words(const unsigned* a, const unsigned* b, unsigned* out, int n) {
    const int i = threadIdx.x;
    int row = 0;
    ROWS
}
__global__ void inverse(const float* y, float* out) {
    out[threadIdx.x] = erfinvf(y[threadIdx.x]);
}
extern "C" void run_words(const unsigned* a, const unsigned* b, unsigned* out, int64_t n) {
    words<<<1, n>>>(a, b, out, n);
}
extern "C" void run_inverse(const float* y, float* out, int64_t n) {
    inverse<<<1, n>>>(y, out);
}
"""
ROWS = " ".join(f"out[n * row++ + i] = {name}(a[i], b[i]);" for name in SIMD.split())


def parts(words, dtype):
    return words.view(dtype).astype(np.int64)


def two_with_two(a, b):
    """Return the products of a's halves with b's upper bytes, less those with its lower."""
    halves = parts(a, np.int16).reshape(64, 2)
    pairs = parts(b, np.int8).reshape(64, 2, 2)
    return (halves * (pairs[:, 1] - pairs[:, 0])).sum(1)


def test_what_they_compute(tmp_path, headers):
    (tmp_path / "simd.cu").write_text(TEXT.replace("ROWS", ROWS))
    emulator.build(tmp_path / "simd.cu", tmp_path / "simd.so", headers)
    library = Library(tmp_path / "simd.so")

    def call(name, *arrays):
        pointers = [ctypes.c_void_p(a.ctypes.data) for a in arrays]
        library.dll[name](*pointers, ctypes.c_int64(arrays[0].size))
        assert not library.take_fault() and not library.take_error()

    a, b = np.random.default_rng(3).integers(0, 1 << 32, (2, 64), np.uint32)
    out = np.zeros((len(SIMD.split()), 64), np.uint32)
    call("run_words", np.ascontiguousarray(a), np.ascontiguousarray(b), out)
    u8 = parts(a, np.uint8), parts(b, np.uint8)
    s8 = parts(a, np.int8), parts(b, np.int8)
    u16 = parts(a, np.uint16), parts(b, np.uint16)
    s16 = parts(a, np.int16), parts(b, np.int16)
    is_first = np.less_equal(*u16).reshape(64, 2)
    expected = [
        np.add(*u8).astype(np.uint8),
        np.subtract(*u16).astype(np.uint16),
        np.maximum(*s8).astype(np.int8),
        np.minimum(*u16).astype(np.uint16),
        abs(np.subtract(*u8)).astype(np.uint8),
        ((u8[0] + u8[1] + 1) // 2).astype(np.uint8),
        -np.greater(*s8).astype(np.int8),
        np.add(*u8).clip(0, 255).astype(np.uint8),
        abs(np.subtract(*u8)).reshape(64, 4).sum(1).astype(np.uint32),
        -np.greater_equal(*u16).astype(np.int16),
        np.less_equal(*s8).astype(np.int8),
        np.minimum(a, b),
        (np.multiply(*u8).reshape(64, 4).sum(1) + 7).astype(np.uint32),
        (np.multiply(*s8).reshape(64, 4).sum(1) + 100 + two_with_two(a, b)).astype(np.uint32),
        np.trunc((np.add(*s8) + np.sign(np.add(*s8))) / 2).astype(np.int8),
        np.add(*s16).clip(-32768, 32767).astype(np.int16),
        np.subtract(*u16).clip(0).astype(np.uint16),
        abs(np.subtract(*s16)).reshape(64, 2).sum(1).astype(np.uint32),
        abs(parts(a | 0x80, np.int8)).astype(np.uint8),
        (-parts(a | 0x8000, np.int16)).clip(-32768, 32767).astype(np.int16),
        np.maximum(np.add(*s16).astype(np.int16), s16[1]).clip(0).astype(np.int16),
        is_first @ np.array([1, 2], np.uint32),
    ]
    for row, values in zip(out, expected, strict=True):
        assert np.array_equal(row, values.view(np.uint32))
    y = np.array([-1, -0.999, -0.5, -1e-6, 0, 0.3, 0.9, 0.9999999, 1, 2], np.float32)
    inverse = np.zeros_like(y)
    call("run_inverse", y, inverse)
    exact = torch.erfinv(torch.from_numpy(y).double()).numpy()
    assert np.allclose(inverse, exact, rtol=2e-7, equal_nan=True)
