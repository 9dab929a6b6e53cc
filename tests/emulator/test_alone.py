"""Kernels whose threads ask the emulator for nothing: which they are, their order, faults."""

import ctypes

import pytest
import torch

from helpers import emulator, paths
from helpers.emulator.translate import alone
from helpers.errors import FaultKind

KERNEL = """
#include <cuda_runtime.h>
__global__ void k(int* place, int* count, int bad, int forever) {
    const int in_block = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
    const int t = in_block + blockIdx.x * blockDim.x * blockDim.y * blockDim.z;
    place[t] = count[0]++;
    if (t == bad) place[1ll << 40] = 1;
    while (t == forever) ++place[t];
}
extern "C" void run(int* place, int* count, int bad, int forever, cudaStream_t stream) {
    k<<<2, dim3(3, 2, 2), 0, stream>>>(place, count, bad, forever);
}
"""


@pytest.fixture(scope="module")
def library(tmp_path_factory, headers):
    folder = tmp_path_factory.mktemp("alone")
    (folder / "alone.cu").write_text(KERNEL)
    assert alone(KERNEL)
    emulator.build(folder / "alone.cu", folder / "alone.so", headers)
    return emulator.Library(folder / "alone.so")


def run(library, bad=-1, forever=-1):
    """Return when each thread ran, and the fault."""
    place, count = torch.full((24,), -1, dtype=torch.int32), torch.zeros(1, dtype=torch.int32)
    pointers = [ctypes.c_void_p(one.data_ptr()) for one in (place, count)]
    with library.workers(1):
        library.dll.run(*pointers, bad, forever, None)
    return place.tolist(), library.take_fault()


def test_each_thread_runs_once_in_the_order_that_is_set(library):
    every = list(range(24))
    assert run(library) == (every, None)
    with library.schedule(emulator.REVERSE):
        assert run(library) == (every[::-1], None)
    with library.schedule(emulator.SHUFFLED, 3):
        place, fault = run(library)
    assert fault is None and sorted(place) == every and place not in (every, every[::-1])
    assert run(library) == (every, None)


@pytest.mark.parametrize("mode", [emulator.FORWARD, emulator.REVERSE, emulator.SHUFFLED])
def test_a_fault_names_its_thread(library, mode):
    with library.schedule(mode, 3):
        _, fault = run(library, bad=12 + 1 + 3 + 6)
    assert fault.kind is FaultKind.OUT_OF_BOUNDS
    assert fault.thread == "block (1, 0, 0), thread (1, 1, 1)"


def test_an_endless_loop_names_its_thread(library):
    with library.timeout(0.05):
        _, fault = run(library, forever=2 + 3)
    assert fault.kind is FaultKind.TIMEOUT
    assert fault.thread == "block (0, 0, 0), thread (2, 1, 0)"
    assert run(library)[1] is None


@pytest.mark.parametrize(
    "text",
    [
        "__syncthreads();",
        "__syncwarp();",
        "x = __shfl_xor_sync(~0u, x, 1);",
        "y = __any_sync(~0u, x);",
        "unsigned m = __activemask();",
        "__shared__ float s[32];",
        "atomicAdd(x, 1.0f);",
        "__threadfence();",
        "while (*(volatile int*)x) {}",
        "while (__ldcg(x)) {}",
        'asm("bar.sync 0;");',
        'printf("x");',
        "assert(x);",
        "__trap();",
        "cooperative_groups::this_thread_block().sync();",
        "cub::BlockReduce<float, 32>(s).Sum(x);",
        "cuda::barrier<cuda::thread_scope_block> b;",
        "nvcuda::wmma::mma_sync(c, a, b, c);",
        "__launch_bounds__(64)",
        "#define JOIN(a, b) a##b",
    ],
)
def test_what_asks_the_emulator_is_not_alone(text):
    assert not alone(KERNEL + text)


@pytest.mark.parametrize("name", ["v1_f32", "v4_f16x2", "v6_f16x8_pack", "op_relu", "op_gelu"])
def test_elementwise_kernels_are_alone(name):
    assert alone((paths.ROOT / "kernels" / f"{name}.cu").read_text())
    assert alone((paths.ROOT / "kernels" / "elementwise.cuh").read_text())
