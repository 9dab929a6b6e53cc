"""A CUDA runtime of a few lines of C++, and launchers that misbehave on demand."""

import ctypes
import subprocess

import pytest
import torch

from helpers.run import toolchain
from helpers.run.first_launch import calls, sanitizer
from helpers.run.first_launch.on_gpu import GpuFirstLaunch
from helpers.run.signature import declarations

TEXT = """
extern "C" void scale(const float* x,  // [n]
                      float* out,      // [n]
                      int64_t n, int what = 0, double s = 2.0, cudaStream_t stream = 0) {}
extern "C" void mixed(const float* x,    // [rows, cols]
                      const int* places,  // [cols]
                      int64_t* count,     // [1]
                      int64_t rows, int64_t cols, float f = 0.5f, cudaStream_t stream = 0) {}
extern "C" void nothing(int64_t blocks, int block_size = 256, cudaStream_t stream = 0) {}
"""
DECLARATIONS = declarations(TEXT, "fake.cu")
LIBRARY = r"""
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <unistd.h>
static int launch_error, sync_error;
extern "C" {
int cudaSetDevice(int device) { return getenv("FAKE_BUSY") ? 46 : 0; }
int cudaMalloc(void** p, size_t n) {
    return (*p = aligned_alloc(256, (n + 255) / 256 * 256)) ? 0 : 2;
}
int cudaMemset(void* p, int value, size_t n) { memset(p, value, n); return 0; }
int cudaMemcpy(void* to, const void* from, size_t n, int kind) {
    if (kind != 1) return 21;
    memcpy(to, from, n);
    return 0;
}
int cudaDeviceSynchronize() { return sync_error; }
int cudaGetLastError() { int e = launch_error; launch_error = 0; return e; }
const char* cudaGetErrorString(int e) {
    return e == 46 ? "busy" : e == 700 ? "an illegal memory access" : "other";
}
void scale(const float* x, float* out, int64_t n, int what, double s, void* stream) {
    if (stream) sync_error = 719;
    if (what == 1) sync_error = 700;
    if (what == 2) launch_error = 9;
    if (what == 3) for (;;) sleep(1);
    if (what == 4) throw std::runtime_error("bad n");
    if (what == 5) abort();
    if (what == 6) *(volatile int*)0 = 1;
    if (what == 7 && n > 1000) sync_error = 716;
    if (what == 8 && n > 1000) launch_error = 9;
    if (what == 9 && n > 1000) abort();
    if (what == 10 && n > 1000) for (;;) sleep(1);
    if (what == 11) {
        puts("/a/k.cu:12: void k(): block: [1,0,0], thread: [3,0,0] Assertion `i < 3` failed.");
        fflush(stdout);
        sync_error = 710;
    }
    if (what == 12) exit(3);
    if (what == 13) {
        double sum = 0;
        for (int64_t i = 0; i < n; ++i) sum += x[i];
        if (n < 1001 && sum != s) sync_error = 719;
        if (n > 1001 && sum != 0) sync_error = 719;
    }
    if (what == 14 && (((uintptr_t)x & 255) != 16 || ((uintptr_t)out & 255) != 0))
        sync_error = 719;
    if (what == 15 && n != 1000003) sync_error = 719;
    if (what == 16) throw 7;
    if (what == 17) raise(8);
}
void mixed(const float* x, const int* places, int64_t* count, int64_t rows, int64_t cols,
           float f, void*) {
    int64_t sum = 0;
    for (int64_t i = 0; i < cols; ++i) sum += places[i];
    if (rows != 3 || cols != 4 || f != 0.5f || sum != 10 || *count != -1) sync_error = 719;
}
void nothing(int64_t blocks, int block_size, void*) {
    if (blocks != 1LL << 40 || block_size != 64) sync_error = 719;
}
}
"""
# In the place of compute-sanitizer: runs the command and writes a report.
SANITIZER = r"""#!/bin/sh
while [ "$1" != "" ]; do
  case "$1" in
    --tool) tool=$2; shift 2;;
    --log-file) log=$2; shift 2;;
    --print-limit|--report-api-errors) shift 2;;
    *) break;;
  esac
done
echo "$tool $*" >> "$FAKE_LOG"
"$@"
cat "$FAKE_REPORT" > "$log"
"""
CLEAN = "========= COMPUTE-SANITIZER\n========= ERROR SUMMARY: 0 errors\n"
WRITE = """========= COMPUTE-SANITIZER
========= Invalid __global__ write of size 4 bytes
=========     at void add_kernel<float>(const float *, float *)+0x1b0 in /my kernels/add.cu:12
=========     by thread (232,0,0) in block (3,0,0)
=========     Access at 0x7f0000001fa0 is out of bounds
=========     and is 1 bytes after the nearest allocation at 0x7f0000001000 of size 4,000 bytes
=========     Saved host backtrace up to driver entry point at kernel launch time
=========         Host Frame: add [0x1234] in add.so
=========
========= ERROR SUMMARY: 1 error
"""


@pytest.fixture(scope="session")
def fake_library(tmp_path_factory):
    """Build the fake runtime and its launchers, once."""
    folder = tmp_path_factory.mktemp("fake cuda ü")
    (folder / "fake.cpp").write_text(LIBRARY)
    command = [toolchain.compiler(), "-shared", "-fPIC", "-w", "-O0"]
    subprocess.run([*command, folder / "fake.cpp", "-o", folder / "fake.so"], check=True)
    return folder / "fake.so"


class FakeLauncher:
    """What a first launch needs of a launcher."""

    def __init__(self, declaration):
        self.declaration = declaration


@pytest.fixture
def gpu_first_launch(fake_library, tmp_path, monkeypatch):
    """Return the first launches of the fake library, in its own cache; no compute-sanitizer."""
    monkeypatch.delenv("ELEMENTWISE_SANDBOX", raising=False)
    monkeypatch.setenv("ELEMENTWISE_KERNEL_TIMEOUT", "60")
    monkeypatch.setattr(sanitizer, "find", lambda: None)
    monkeypatch.setattr(calls, "runtime_library", lambda: str(library))
    library = tmp_path / "fake-0123" / "fake.so"
    library.parent.mkdir()
    library.write_bytes(fake_library.read_bytes())
    ctypes.CDLL(str(library))  # it can be loaded
    return GpuFirstLaunch(library)


@pytest.fixture
def scale(gpu_first_launch):
    """Return a function that tries `scale`; `what` is what it does wrong."""

    def call(what=0, n=8, s=2.0, first_launch=gpu_first_launch):
        arguments = [torch.ones(n), torch.zeros(n), what, s]
        return first_launch(FakeLauncher(DECLARATIONS["scale"]), arguments, [n])

    return call


@pytest.fixture
def tool(tmp_path, monkeypatch, gpu_first_launch):
    """Install a compute-sanitizer; returns the files of its report and of its calls."""
    script, report, log = tmp_path / "compute-sanitizer", tmp_path / "report", tmp_path / "log"
    script.write_text(SANITIZER)
    script.chmod(0o755)
    report.write_text(CLEAN)
    log.write_text("")
    monkeypatch.setenv("FAKE_REPORT", str(report))
    monkeypatch.setenv("FAKE_LOG", str(log))
    monkeypatch.setattr(sanitizer, "find", lambda: str(script))
    return report, log
