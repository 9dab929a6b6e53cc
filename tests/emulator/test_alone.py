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


PLACES = """
#include <cstdint>
__device__ int block() {
    return blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
}
__global__ void k(dim3* places) {
    const dim3 size = blockDim;
    const auto in_block = [=] {
        return threadIdx.x + size.x * (threadIdx.y + size.y * threadIdx.z);
    };
    dim3* const mine = places + (block() * size.x * size.y * size.z + in_block()) * 4;
    mine[0] = threadIdx, mine[1] = blockIdx, mine[2] = blockDim, mine[3] = gridDim;
}
__global__ void plain(dim3* places) {
    const uint3 t = threadIdx, b = blockIdx;
    const int at = t.x + blockDim.x * (t.y + blockDim.y * t.z);
    const int per_block = blockDim.x * blockDim.y * blockDim.z;
    dim3* const mine = places + (block() * per_block + at) * 4;
    mine[0] = t, mine[1] = b, mine[2] = blockDim, mine[3] = gridDim;
}
extern "C" void run(dim3* places, int which, cudaStream_t stream) {
    if (which) k<<<dim3(2, 3, 2), dim3(3, 2, 4), 0, stream>>>(places);
    else plain<<<dim3(2, 3, 2), dim3(3, 2, 4), 0, stream>>>(places);
}
"""


@pytest.mark.parametrize("mode", [emulator.FORWARD, emulator.REVERSE, emulator.SHUFFLED])
def test_the_built_in_variables_of_a_thread(tmp_path, headers, mode):
    (tmp_path / "places.cu").write_text(PLACES)
    assert alone(PLACES)
    emulator.build(tmp_path / "places.cu", tmp_path / "places.so", headers)
    library = emulator.Library(tmp_path / "places.so")
    z, y, x, tz, ty, tx = torch.meshgrid(*map(torch.arange, (2, 3, 2, 4, 2, 3)), indexing="ij")
    fixed = [torch.full_like(x, size) for size in (3, 2, 4, 2, 3, 2)]
    wanted = torch.stack([tx, ty, tz, x, y, z, *fixed], dim=-1).reshape(-1, 12).int()
    for which in (0, 1):
        places = torch.zeros_like(wanted)
        with library.workers(2), library.schedule(mode, 3):
            library.dll.run(ctypes.c_void_p(places.data_ptr()), which, None)
        assert library.take_fault() is None and torch.equal(places, wanted)


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
        'while (*x == 0) { asm volatile("" ::: "memory"); f(); }',
        'void fence() { asm volatile("" ::: "memory"); }',
        'printf("x");',
        "assert(x);",
        "__trap();",
        "cooperative_groups::this_thread_block().sync();",
        "cub::BlockReduce<float, 32>(s).Sum(x);",
        "cuda::barrier<cuda::thread_scope_block> b;",
        "nvcuda::wmma::mma_sync(c, a, b, c);",
        "#define JOIN(a, b) a##b",
    ],
)
def test_what_asks_the_emulator_is_not_alone(text):
    assert not alone(KERNEL + text)


@pytest.mark.parametrize("name", ["v1_f32", "v4_f16x2", "v6_f16x8_pack", "op_relu", "op_gelu"])
def test_elementwise_kernels_are_alone(name):
    assert alone((paths.ROOT / "kernels" / f"{name}.cu").read_text())
    assert alone((paths.ROOT / "kernels" / "elementwise.cuh").read_text())
