"""A thread may be parked at any moment: also before its call has read where it goes on."""

import contextlib
import math
import os
import signal
import subprocess
import sys
import threading
import time

import pytest
import torch

from helpers.run import jit

KERNEL = """\
#include <climits>
#include <cstdint>

__device__ int warp_max(int v) {
    for (int by = 16; by > 0; by /= 2) v = max(v, __shfl_xor_sync(0xffffffffu, v, by));
    return v;
}

__global__ void block_max(const int* x, int* out) {
    __shared__ int warps[4];
    int v = warp_max(x[blockIdx.x * blockDim.x + threadIdx.x]);
    if (threadIdx.x % 32 == 0) warps[threadIdx.x / 32] = v;
    __syncthreads();
    if (threadIdx.x >= 32) return;
    v = warp_max(threadIdx.x < 4 ? warps[threadIdx.x] : INT_MIN);
    if (threadIdx.x == 0) out[blockIdx.x] = v;
}

extern "C" void launch(const int* x,  // [n, 128]
                       int* out,      // [n]
                       int64_t n, cudaStream_t stream = 0) {
    block_max<<<(unsigned)n, 128, 0, stream>>>(x, out);
}
"""
# Of which all blocks run by phases, but for those whose first thread was parked before.
COLUMN = """\
#include <cstdint>

__global__ void turn(const float* x, float* out, int n) {
    __shared__ float tile[32][33];
    int begin = blockIdx.x * 32, tx = threadIdx.x, ty = threadIdx.y;
    for (int j = 0; j < 32; j += 8)
        if (begin + ty + j < n && tx < 1) tile[ty + j][tx] = x[begin + ty + j];
    __syncthreads();
    for (int j = 0; j < 32; j += 8)
        if (ty + j < 1 && begin + tx < n) out[begin + tx] = tile[tx][ty + j];
}

extern "C" void launch(const float* x,  // [n]
                       float* out,      // [n]
                       int n, cudaStream_t stream = 0) {
    turn<<<(n + 31) / 32, dim3(32, 8), 0, stream>>>(x, out, n);
}
"""
BLOCKS, LAUNCHES = 20_000, 8
PHASES_SECONDS = 20.0
NEEDS_SIGNALS = pytest.mark.skipif(
    not hasattr(signal, "pthread_kill"), reason="needs signals to threads"
)
TICK_SECONDS = 1e-4  # as the emulator's own: signals without a pause fill the handler's stack


@contextlib.contextmanager
def interruptions():
    """Send this thread the ticks of the emulator's timer."""
    me, done = threading.get_ident(), threading.Event()

    def interrupt():
        while not done.is_set():
            signal.pthread_kill(me, signal.SIGURG)
            time.sleep(TICK_SECONDS)

    threading.Thread(target=interrupt, daemon=True).start()
    try:
        yield
    finally:
        done.set()


@pytest.mark.stress
@NEEDS_SIGNALS
def test_a_thread_may_be_interrupted_before_its_call_begins(tmp_path):
    """Threads had gone on where those of an earlier block had ended."""
    path = tmp_path / "block_max.cu"
    path.write_text(KERNEL)
    kernel = jit.load(path)
    x = torch.arange(128 * BLOCKS, dtype=torch.int32).flip(0).reshape(BLOCKS, 128)
    with interruptions():
        for _ in range(LAUNCHES):
            out = torch.zeros(BLOCKS, dtype=torch.int32)
            kernel(x, out)
            assert torch.equal(out, x.amax(dim=1))


@pytest.mark.stress
@NEEDS_SIGNALS
def test_a_thread_may_be_interrupted_before_its_block_runs_by_phases(tmp_path):
    """The block ran twice, and its first thread went on where an earlier block's had ended.

    That thread must be parked within a few instructions: only where others want the processor.
    """
    path = tmp_path / "column.cu"
    path.write_text(COLUMN)
    kernel = jit.load(path)
    x = torch.arange(32.0 * BLOCKS)
    busy = [
        subprocess.Popen([sys.executable, "-c", "while True: pass"])
        for _ in range((os.cpu_count() or 1) + 1)
    ]
    try:
        with interruptions(), kernel.launchers["launch"].emulator.workers(1):
            end = time.monotonic() + PHASES_SECONDS
            while time.monotonic() < end:
                out = torch.full_like(x, math.nan)
                kernel(x, out)
                assert torch.equal(out, x)
    finally:
        for one in busy:
            one.kill()
            one.wait()
