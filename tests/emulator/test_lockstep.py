"""Warps in lockstep: code without __syncwarp() is right there, and named by a check."""

import pytest
import torch

from helpers import emulator
from helpers.emulator import compile as compiling
from helpers.emulator import lockstep
from helpers.errors import BuildError
from helpers.run import jit, machine
from helpers.run.launcher import Launcher
from helpers.testing import check
from helpers.testing.cases import Case

SUM = """
#include <cuda_runtime.h>
#include <cstdint>
__device__ void last_warp(volatile float* s, int t) {
    s[t] += s[t + 32];
    s[t] += s[t + 16];
    s[t] += s[t + 8];
    s[t] += s[t + 4];
    s[t] += s[t + 2];
    s[t] += s[t + 1];
}
__global__ void sum(const float* x, float* out, int64_t n) {
    __shared__ float s[64];
    const int t = threadIdx.x;
    s[t] = 0;
    for (int64_t i = t; i < n; i += 64) s[t] += x[i];
    __syncthreads();
    if (t < 32) last_warp(s, t);
    if (t == 0) out[0] = s[0];
}
extern "C" void total(const float* x,  // [n]
                      float* out,      // [1]
                      int64_t n, cudaStream_t stream) {
    sum<<<1, 64, 0, stream>>>(x, out, n);
}
"""
NAMED = "right only while the 32 threads of a warp run in step"


def cases(launcher):
    x = torch.arange(200.0)
    yield Case("n = 200", (x,), (x.double().sum().reshape(1),), {}, dtypes=(torch.float32,))


@pytest.fixture
def verdict(tmp_path):
    def of(text):
        file = tmp_path / "sums.cu"
        file.write_text(text)
        kernel = jit._load(file, machine.emulator("a test", torch.__version__))
        return check.verdict(kernel, cases=cases)

    return of


@pytest.mark.slow
@pytest.mark.skipif(compiling._is_clang(), reason="g++ builds warps in lockstep")
def test_warp_synchronous_code_is_named(verdict):
    answer = verdict(SUM)
    assert not answer.ok and NAMED in answer.message and "__syncwarp()" in answer.message
    assert "[n = 200]" in answer.message


TILE = """
#include <cuda_runtime.h>
#include <cstdint>
__global__ void turn(const float* x, float* out, int64_t n) {
    __shared__ float tile[32][33];
    const int64_t i = blockIdx.x * 1024LL + threadIdx.y * 32 + threadIdx.x;
    tile[threadIdx.y][threadIdx.x] = i < n ? x[i] : 0;
    __syncthreads();
    if (i < n) out[i] = tile[31 - threadIdx.y][31 - threadIdx.x];
}
extern "C" void turned(const float* x,  // [n]
                       float* out,      // [n]
                       int64_t n, cudaStream_t stream) {
    turn<<<(unsigned)((n + 1023) / 1024), dim3(32, 32), 0, stream>>>(x, out, n);
}
"""


@pytest.mark.slow
@pytest.mark.skipif(compiling._is_clang(), reason="g++ builds warps in lockstep")
def test_a_full_block_shares_one_array(tmp_path, headers):
    (tmp_path / "turn.cu").write_text(TILE)
    lockstep.build(tmp_path / "turn.cu", tmp_path / "turn.so", headers)
    kernel = jit._load(tmp_path / "turn.cu", machine.emulator("a test", torch.__version__))
    library = emulator.load(tmp_path / "turn.so")
    in_step = Launcher(kernel.launchers["turned"].declaration, library, on_gpu=False)
    x, out = torch.arange(2048.0), torch.empty(2048)
    in_step(x, out)
    assert out.tolist() == x.view(2, 1024).flip(1).flatten().tolist()


@pytest.mark.slow
def test_what_is_wrong_in_lockstep_too_is_not(verdict):
    answer = verdict(SUM.replace("out[0] = s[0]", "out[0] = s[1]"))
    assert not answer.ok and NAMED not in answer.message


@pytest.mark.slow
def test_reads_and_writes_with_syncwarp_between_are_right(verdict):
    lines = "    float v = s[t];\n" + "".join(
        f"    v += s[t + {step}]; __syncwarp();\n    s[t] = v; __syncwarp();\n"
        for step in (32, 16, 8, 4, 2, 1)
    )
    begin, end = SUM.index("    s[t] += s[t + 32]"), SUM.index("}\n__global__")
    assert verdict(SUM[:begin] + lines + SUM[end:]).ok


def test_clang_is_refused_in_words(monkeypatch, tmp_path):
    monkeypatch.setattr(compiling, "_is_clang", lambda: True)
    with pytest.raises(BuildError, match="need g"):
        lockstep.build(tmp_path / "k.cu", tmp_path / "k.so")
