"""What an emulated library tells after a launch, and how the next launch is set."""

import ctypes
import os
import time

import pytest
import torch

from helpers import emulator
from helpers.emulator import FORWARD, REVERSE, SHUFFLED, Library, guarded
from helpers.errors import FaultKind
from tests.run.conftest import Child

TEXT = r"""
#include <cuda_runtime.h>
#include <thread>
#include <mutex>
#include <set>
__global__ void store(float* x, int64_t i) { if (threadIdx.x == 5) x[i] = 1.0f; }
__global__ void load(float* x, int64_t i) { if (threadIdx.x == 5 && x[i] == 2) x[0] = 3.0f; }
__global__ void vector(float* x) { *reinterpret_cast<float4*>(x + 1) = float4{1, 2, 3, 4}; }
__global__ void loop() { volatile int go = 1; while (go) {} }
__global__ void churn() { for (unsigned i = 0;; ++i) delete[] new char[i * 977 % 100000]; }
__global__ void note(int* out) { out[1 + atomicAdd(out, 1)] = threadIdx.x; }
std::mutex guard; std::set<std::thread::id> seen;
__global__ void mark() {
    std::lock_guard<std::mutex> lock(guard);
    seen.insert(std::this_thread::get_id());
}
__global__ void say(int x) { printf("said %d\n", x); }
extern "C" void run_store(float* x, int64_t i, cudaStream_t s) { store<<<1, 8, 0, s>>>(x, i); }
extern "C" void run_load(float* x, int64_t i, cudaStream_t s) { load<<<1, 8, 0, s>>>(x, i); }
extern "C" void run_vector(float* x, cudaStream_t s) { vector<<<1, 1, 0, s>>>(x); }
extern "C" void run_loop(cudaStream_t s) { loop<<<1, 1, 0, s>>>(); }
extern "C" void run_churn(cudaStream_t s) { churn<<<1, 1, 0, s>>>(); }
extern "C" void run_note(int* out, int64_t n, cudaStream_t s) { note<<<1, n, 0, s>>>(out); }
extern "C" void run_say(int x, cudaStream_t s) { say<<<1, 1, 0, s>>>(x); }
extern "C" void run_refused(cudaStream_t s) { say<<<1, 2000, 0, s>>>(1); }
extern "C" void run_null(volatile float* null, cudaStream_t s) { *null = 1; }
extern "C" void run_fill_first(float* x, cudaStream_t s) {
    cudaMemsetAsync(x, 0, 4);
    say<<<1, 1, 0, s>>>(1);
}
extern "C" void run_fill_last(float* x, cudaStream_t s) {
    say<<<1, 1, 0, s>>>(1);
    cudaMemsetAsync(x, 0, 4);
}
extern "C" void run_copy_first(float* x, cudaStream_t s) {
    cudaMemcpyAsync(x, x + 1, 4, cudaMemcpyDeviceToDevice, 0);
    say<<<1, 1, 0, s>>>(1);
}
extern "C" void run_fill_without_a_stream(float* x, cudaStream_t s) {
    cudaMemset(x, 0, 4);
    say<<<1, 1, 0, s>>>(1);
}
extern "C" void run_copy_without_a_stream(float* x, cudaStream_t s) {
    say<<<1, 1, 0, s>>>(1);
    cudaMemcpy2D(x, 4, x + 1, 4, 4, 1, cudaMemcpyDeviceToDevice);
}
extern "C" void run_launch_first(float* x, cudaStream_t s) {
    store<<<1, 1>>>(x, 0);
    say<<<1, 1, 0, s>>>(1);
}
extern "C" void run_wait_for_a_copy(float* x, cudaStream_t s) {
    float first;
    cudaMemset(x, 0, 4);
    cudaMemcpy(&first, x, 4, cudaMemcpyDeviceToHost);
    say<<<1, 1, 0, s>>>(1);
}
extern "C" void run_fill_there(float* x, cudaStream_t s) {
    cudaMemsetAsync(x, 0, 4, s);
    say<<<1, 1, 0, s>>>(1);
}
extern "C" void run_wait_for_it(float* x, cudaStream_t s) {
    cudaMemsetAsync(x, 0, 4);
    cudaStreamSynchronize(0);
    say<<<1, 1, 0, s>>>(1);
}
extern "C" void run_wait_for_all(float* x, cudaStream_t s) {
    cudaMemsetAsync(x, 0, 4);
    cudaDeviceSynchronize();
    say<<<1, 1, 0, s>>>(1);
}
extern "C" void run_wait_for_event(float* x, cudaStream_t s) {
    cudaEvent_t filled;
    cudaEventCreate(&filled);
    cudaMemsetAsync(x, 0, 4);
    cudaEventRecord(filled);
    cudaStreamWaitEvent(s, filled);
    say<<<1, 1, 0, s>>>(1);
    cudaEventDestroy(filled);
}
extern "C" void run_wait_elsewhere(float* x, cudaStream_t s) {
    cudaEvent_t other;
    cudaEventCreate(&other);
    cudaMemsetAsync(x, 0, 4);
    cudaEventRecord(other, s);
    cudaStreamSynchronize(s);
    say<<<1, 1, 0, s>>>(1);
    cudaEventDestroy(other);
}
extern "C" int run_mark(cudaStream_t s) {
    seen.clear();
    mark<<<4096, 64, 0, s>>>();
    return seen.size();
}
"""


@pytest.fixture(scope="module")
def path(tmp_path_factory, headers):
    folder = tmp_path_factory.mktemp("runtime")
    (folder / "k.cu").write_text(TEXT)
    with pytest.MonkeyPatch.context() as patch:
        # `mark` looks at the host's threads, which is no CUDA.
        patch.setattr("helpers.emulator.compile.front_end.judge", lambda *arguments: None)
        emulator.build(folder / "k.cu", folder / "k.so", headers)
    return folder / "k.so"


@pytest.fixture(scope="module")
def library(path):
    return Library(path)


def pointer(tensor):
    return ctypes.c_void_p(tensor.data_ptr())


def call(library, name, *arguments):
    getattr(library.dll, f"run_{name}")(*arguments, ctypes.c_void_p(64))


def test_a_path_or_what_ctypes_made_of_it(path):
    dll = ctypes.CDLL(str(path))
    assert Library(dll).dll is dll
    assert Library(str(path)).take_error() == 0


def test_a_write_out_of_bounds(library):
    x = guarded(64, torch.float32, 4)
    call(library, "store", pointer(x), ctypes.c_int64(64))
    assert library.has_report()
    fault = library.take_fault("k.cu")
    address = x.data_ptr() + 256
    assert fault.kind is FaultKind.OUT_OF_BOUNDS
    assert fault.address == address
    assert fault.access == "write"
    assert fault.thread == "block (0, 0, 0), thread (5, 0, 0)"
    assert (
        fault.place == f"address {address:#x}, outside of every tensor: an index out of bounds"
    )
    assert str(fault) == f"k.cu: store, {fault.thread}: write to {fault.place}"
    assert library.take_error() == 700
    assert library.take_fault() is None and not library.has_report()


def test_a_read_out_of_bounds(library):
    x = guarded(64, torch.float32, 4, front=True)
    call(library, "load", pointer(x), ctypes.c_int64(-1))
    fault = library.take_fault()
    assert (fault.kind, fault.access) == (FaultKind.OUT_OF_BOUNDS, "read")
    assert fault.address == x.data_ptr() - 4
    assert str(fault).startswith("load, block")
    named = emulator.Regions.of({"x": x}).named(fault)
    assert str(named).endswith("thread (5, 0, 0): read from x[-1], but x has 64 elements")
    library.take_error()


def test_a_misaligned_write(library):
    x = guarded(64, torch.float32, 16)
    call(library, "vector", pointer(x))
    fault = library.take_fault()
    assert (fault.kind, fault.access) == (FaultKind.MISALIGNED, "write")
    assert fault.address == x.data_ptr() + 4 and fault.place == hex(fault.address)
    named = emulator.Regions.of({"x": x}).named(fault)
    assert "a misaligned write to x[1] as " in str(named)
    assert library.take_error() == 716


def test_a_fault_of_the_launcher_itself(library):
    call(library, "null", None)
    fault = library.take_fault()
    assert (fault.kind, fault.address, fault.access) == (FaultKind.HOST, None, "")
    assert (fault.thread, fault.place) == ("", "")
    assert str(fault).startswith("the launcher run_null itself accessed memory")
    library.take_error()


def test_a_refused_launch_is_an_error_and_no_fault(library):
    call(library, "refused")
    assert library.has_report() and library.take_fault() is None
    assert library.take_error() == 9 and library.take_error() == 0
    assert library.error_words(9) == "invalid configuration argument"
    refusal = library.take_refusal()
    assert (refusal.side, refusal.size) == ("block.x", 2000)
    assert library.take_refusal() is None and not library.has_report()


def test_printed_lines_and_the_stream(library):
    assert library.take_printf() == ""
    call(library, "say", 3)
    call(library, "say", 4)
    assert library.has_report()
    assert library.take_printf() == "said 3\nsaid 4\n"
    assert library.take_printf() == "" and not library.has_report()
    assert library.last_stream == 64


@pytest.mark.parametrize(
    "name",
    [
        "fill_first",
        "fill_last",
        "copy_first",
        "wait_elsewhere",
        "fill_without_a_stream",
        "copy_without_a_stream",
        "launch_first",
    ],
)
def test_any_work_of_the_default_stream_is_not_on_the_caller_s(library, name):
    x = guarded(64, torch.float32, 4)
    call(library, name, pointer(x))
    assert library.last_stream is None
    call(library, "say", 3)  # the next launcher has asked it for nothing
    assert library.last_stream == 64
    library.take_printf()


@pytest.mark.parametrize(
    "name",
    ["fill_there", "wait_for_it", "wait_for_all", "wait_for_event", "wait_for_a_copy"],
)
def test_a_fill_on_the_stream_and_one_that_is_waited_for_leave_the_stream(library, name):
    x = guarded(64, torch.float32, 4)
    x.fill_(1.0)
    call(library, name, pointer(x))
    assert library.last_stream == 64 and x[:2].tolist() == [0.0, 1.0]
    library.take_printf()


def run_order(library):
    out = torch.zeros(65, dtype=torch.int32)
    call(library, "note", pointer(out), ctypes.c_int64(64))
    return out[1:].tolist()


def test_the_order_of_the_threads(library):
    forward = list(range(64))
    assert run_order(library) == forward
    with library.schedule(REVERSE):
        assert run_order(library) == forward[::-1]
    with library.schedule(SHUFFLED, seed=1):
        one = run_order(library)
    with library.schedule(SHUFFLED, seed=2):
        two = run_order(library)
    assert sorted(one) == sorted(two) == forward
    assert len({tuple(order) for order in (forward, forward[::-1], one, two)}) == 4
    with pytest.raises(KeyError), library.schedule(REVERSE):
        raise KeyError
    assert run_order(library) == forward
    assert FORWARD == 0


def seconds_until_stopped(library):
    call(library, "loop")
    fault = library.take_fault()
    assert fault.kind is FaultKind.TIMEOUT
    library.take_error()
    return float(str(fault).split("still running after ")[1].split(" s:")[0])


def test_an_endless_kernel_is_stopped(library, monkeypatch):
    monkeypatch.setenv("ELEMENTWISE_KERNEL_TIMEOUT", "0.03")
    with library.timeout(0.02):
        assert seconds_until_stopped(library) == 0.02
        with library.timeout(0.01):
            assert seconds_until_stopped(library) == 0.01
            with library.timeout(0.02, at_most=True):
                assert seconds_until_stopped(library) == 0.01
        assert seconds_until_stopped(library) == 0.02
    assert seconds_until_stopped(library) == 0.03


def test_a_short_time_is_over_soon(library):
    def spent():
        start = time.process_time()
        assert seconds_until_stopped(library) == 0.002
        return time.process_time() - start

    with library.timeout(0.002):
        assert min(spent() for _ in range(5)) < 0.004  # a tick for longer ones is 0.005


def test_a_kernel_that_allocates_without_an_end_is_stopped(library):
    """Where the C library holds its lock, the watchdog must wait: it allocates, too.

    It comes as soon as the lock is free again: few ticks would meet such a kernel elsewhere.
    """

    def stop_often():
        start = time.process_time()
        with library.timeout(0.004):
            for _ in range(40):
                call(library, "churn")
                assert library.take_fault().kind is FaultKind.TIMEOUT
        assert time.process_time() - start < 40 * 0.1

    Child(stop_often).result()


def test_the_number_of_workers(library, monkeypatch):
    monkeypatch.setenv("OMP_NUM_THREADS", "3")
    with library.workers(1):
        assert library.dll.run_mark(None) == 1
        with library.workers(2):
            assert library.dll.run_mark(None) <= 2
        assert library.dll.run_mark(None) == 1
    assert library.dll.emulator_set_workers(0) == 0
    assert os.environ["OMP_NUM_THREADS"] == "3"


def test_an_unknown_error_has_words(library):
    assert library.error_words(12345) == "unrecognized error code"
