"""A thread may be parked at any moment: also before its call has read where it goes on."""

import signal
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
BLOCKS, LAUNCHES = 20_000, 8
TICK_SECONDS = 1e-4  # as the emulator's own: signals without a pause fill the handler's stack


@pytest.mark.stress
@pytest.mark.skipif(not hasattr(signal, "pthread_kill"), reason="needs signals to threads")
def test_a_thread_may_be_interrupted_before_its_call_begins(tmp_path):
    """Threads had gone on where those of an earlier block had ended."""
    path = tmp_path / "block_max.cu"
    path.write_text(KERNEL)
    kernel = jit.load(path)
    x = torch.arange(128 * BLOCKS, dtype=torch.int32).flip(0).reshape(BLOCKS, 128)
    me, done = threading.get_ident(), threading.Event()

    def interrupt():
        while not done.is_set():
            signal.pthread_kill(me, signal.SIGURG)  # a tick of the emulator's timer
            time.sleep(TICK_SECONDS)

    threading.Thread(target=interrupt, daemon=True).start()
    try:
        for _ in range(LAUNCHES):
            out = torch.zeros(BLOCKS, dtype=torch.int32)
            kernel(x, out)
            assert torch.equal(out, x.amax(dim=1))
    finally:
        done.set()
