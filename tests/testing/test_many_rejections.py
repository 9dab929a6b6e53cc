"""Many rejections in one session: memory and mappings stay what they were."""

import gc
import re
from pathlib import Path

import pytest
import torch

from helpers import paths
from helpers.errors import KernelFault
from helpers.run import jit, machine
from helpers.testing import check

WRONG = """
#include <cuda_runtime.h>
#include <cstdint>
__global__ void half_of(const float* a, float* out, int64_t n) {{
    __shared__ float s[256];
    const int64_t i = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    s[threadIdx.x] = i < n ? a[i] : 0.0f;
    __syncthreads();
    {what}
}}
extern "C" void relu(const float* a,  // [n]
                     float* out,      // [n]
                     int64_t n, cudaStream_t stream) {{
    half_of<<<static_cast<unsigned>((n + 255) / 256), 256, 0, stream>>>(a, out, n);
}}
"""
BODIES = ("out[i] = s[threadIdx.x];", "if (i < n) out[i + 1] = s[threadIdx.x];", "__trap();")
MOST_MAPPINGS = 100  # of the 65,530 that Linux allows a process
MOST_BYTES = 64 << 20


def mappings():
    return len(Path("/proc/self/maps").read_text().splitlines())


def resident_bytes():
    kilobytes = re.search(r"^VmRSS:\s+(\d+)", Path("/proc/self/status").read_text(), re.M)[1]
    return int(kilobytes) << 10


def reject(folder, number):
    """Load a wrong kernel, check it, and call it."""
    file = folder / f"wrong_{number % len(BODIES)}.cu"
    if not file.exists():
        file.write_text(WRONG.format(what=BODIES[number % len(BODIES)]))
    kernel = jit._load(file, machine.emulator("a test", torch.__version__))
    assert not check.verdict(kernel, torch.relu).ok
    with pytest.raises(KernelFault):
        kernel(torch.ones(1001), torch.empty(1001))


@pytest.mark.parametrize(
    "count",
    [
        pytest.param(12, marks=pytest.mark.slow),
        pytest.param(1000, marks=pytest.mark.stress),
    ],
)
def test_rejections_leave_nothing_behind(tmp_path, count):
    for number in range(len(BODIES)):
        reject(tmp_path, number)
    gc.collect()
    before = mappings(), resident_bytes()
    for number in range(count):
        reject(tmp_path, number)
    gc.collect()
    assert mappings() - before[0] < MOST_MAPPINGS
    assert resident_bytes() - before[1] < MOST_BYTES
    right = jit._load(
        paths.KERNELS / "v1_f32.cu", machine.emulator("a test", torch.__version__)
    )
    assert check.verdict(right).ok
