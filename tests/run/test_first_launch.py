"""Faults as lessons: each kernel of tests/faulty breaks a rule and comes back as a short exception.

The same files and the same assertions run on the emulator and on a GPU. What a process apart tells, and what is made
of it, is tested with a CUDA runtime made of a few lines of C as well.
"""

import json
import re
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
import torch

from helpers.emulator import Region
from helpers.errors import CheckError, KernelFault, LaunchError
from helpers.run import first_launch, jit, machine
from helpers.run.faults import wait
from helpers.run.first_launch import InAProcess, Outcome, describe, translate
from helpers.run.launcher import Launcher
from helpers.run.signature import declarations
from helpers.testing import check

FAULTY = Path(__file__).parent / "faulty"
HERE = r"fault_kernel, block \(\d+, 0, 0\), thread \(\d+, 0, 0\): "

# file: the exception, its words on the emulator, its words on a GPU, and whether a GPU needs compute-sanitizer for it.
FAULTS = {
    "write_past_end": (
        KernelFault,
        HERE + r"write to out\[1,000\], but out has 1,000 elements",
        r"write to out\[1,000\]",
        1,
    ),
    "write_before_start": (
        KernelFault,
        HERE + r"write to out\[-1\], but out has",
        r"write to out\[-1\]",
        1,
    ),
    "read_past_end": (
        KernelFault,
        HERE + r"read from x\[1,000\], but x has",
        r"read from x\[1,000\]",
        1,
    ),
    "read_before_start": (
        KernelFault,
        HERE + r"read from x\[-1\], but x has",
        r"read from x\[-1\]",
        1,
    ),
    "write_far_outside": (
        KernelFault,
        HERE + "write to address .* outside of every",
        r"illegal memory|outside of ev",
        0,
    ),
    "misaligned_vector": (
        KernelFault,
        HERE + r"a misaligned write .*line 8\).* multiple of 16",
        "misaligned",
        0,
    ),
    "barrier_not_reached": (
        KernelFault,
        HERE + r"a barrier \(line 11\).*128-255 never came",
        "barrier|still",
        1,
    ),
    "endless_loop": (
        KernelFault,
        HERE + r"still running after \S+ s: a loop without an end",
        "still running after",
        0,
    ),
    "too_many_threads": (
        LaunchError,
        r"refused: invalid configuration argument .* 1 to 1,024 threads",
        None,
        0,
    ),
    "too_much_shared": (
        LaunchError,
        r"refused: invalid argument .* at most 48 KB of shared",
        None,
        0,
    ),
    "empty_grid": (
        LaunchError,
        r"refused: invalid configuration argument .* a grid has 1 to",
        None,
        0,
    ),
    "shared_past_end": (KernelFault, HERE + "write to", r"CUDA error|shared memory", 0),
    "throws": (KernelFault, "threw a C\\+\\+ exception: n must be a multiple of 4", None, 0),
    "aborts": (KernelFault, r"the launcher fault called abort\(\)", None, 0),
    "host_reads_tensor": (
        KernelFault,
        "the launcher fault itself accessed memory that it must not",
        None,
        0,
    ),
    "asserts": (KernelFault, r"[Aa]ssertion `i < 3` failed", None, 0),
    "traps": (KernelFault, r"__trap\(\)", r"__trap\(\)", 0),
}


def tensors(n=1000):
    device = machine.present().device
    return torch.ones(n, device=device), torch.full((n,), 7.0, device=device)


@pytest.fixture(autouse=True, scope="module")
def built():
    """All of them, two at a time."""
    if not machine.present().is_gpu:
        with ThreadPoolExecutor(2) as pool:
            list(pool.map(jit.load, sorted(FAULTY.glob("*.cu"))))


@pytest.fixture(autouse=True)
def little_time(monkeypatch):
    monkeypatch.setenv("ELEMENTWISE_KERNEL_TIMEOUT", "2" if machine.present().is_gpu else "0.3")
    monkeypatch.delenv("ELEMENTWISE_SANDBOX", raising=False)


def assert_intact(*others):
    """Other tensors are as they were, and a right kernel still runs."""
    for value in others:
        assert bool((value == 7).all())
    x, out = tensors()
    jit.load("v1_f32")(x, x, out)
    wait()
    assert bool((out == 2).all())


@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_is_a_short_exception_and_nothing_else_breaks(name):
    on_gpu = machine.present().is_gpu
    error, words, gpu_words, needs_tool = FAULTS[name]
    if on_gpu and needs_tool and not first_launch.sanitizer():
        pytest.skip("only compute-sanitizer sees this on a GPU, and it is not here")
    (x, out), bystander = tensors(), tensors()[1]
    kernel = jit.load(FAULTY / f"{name}.cu")
    with pytest.raises(error, match=gpu_words if on_gpu and gpu_words else words) as raised:
        kernel(x, out)
    assert str(raised.value).startswith(f"{name}.cu: ")
    assert len(str(raised.value)) < 500
    assert_intact(out, bystander)
    with pytest.raises(error):  # it is no better the second time
        kernel(x, out)
    assert_intact(out, bystander)


def test_a_step_that_leaves_only_a_long_tensor():
    kernel = jit.load(FAULTY / "write_when_long.cu")
    if machine.present().is_gpu:  # seen at the first call, whatever its size
        with pytest.raises(KernelFault, match=r"1,000,003|outside of every tensor"):
            kernel(*tensors(1000))
    else:
        kernel(*tensors(1000))
        with pytest.raises(KernelFault, match=r"thread .*: write to"):
            kernel(*tensors(100_000))
    assert_intact()


@pytest.mark.parametrize(
    "name", ["write_past_end", "read_before_start", "misaligned_vector", "too_many_threads"]
)
def test_check_says_it_in_a_sentence(name):
    with pytest.raises(CheckError) as raised:
        check.check(jit.load(FAULTY / f"{name}.cu"), lambda x: x)
    assert name in str(raised.value)
    assert_intact()


# ---- on the emulator ---------------------------------------------------------------------------------------------

emulated = pytest.mark.skipif(machine.present().is_gpu, reason="about the emulator")


def source(folder, body, parameters="", name="k"):
    path = folder / f"{name}.cu"
    path.write_text(
        "__global__ void kernel(const float* x, float* out, int64_t n, int a) "
        "{ const int64_t i = blockIdx.x * int64_t(blockDim.x) + threadIdx.x; " + body + " }\n"
        'extern "C" void f(const float* x,  // [n]\n    float* out,  // [n]\n'
        "    int64_t n, int a = 0, cudaStream_t stream = 0) { kernel<<<n / 32 + 1, 32, 0, stream>>>(x, out, n, a); }"
    )
    return jit.load(path)


@emulated
def test_every_new_size_and_scalar_is_tried_on_copies_first(tmp_path):
    kernel = source(tmp_path, "if (i < n + a) out[i] = x[i];")
    x, out = tensors(64)
    kernel(x, out)
    assert bool((out == 1).all())
    with pytest.raises(KernelFault, match=r"read from x\[64\], but x has 64 elements"):
        kernel(x, out, a=1)
    kernel(x[:63], out[:63])
    with pytest.raises(KernelFault, match=r"x\[63\]"):
        kernel(x[:63], out[:63], 1)


@emulated
def test_a_trial_leaves_inputs_outputs_and_printing_alone(tmp_path, capsys):
    kernel = source(tmp_path, 'if (i < n) out[i] += x[i]; if (i == 0) printf("once\\n");')
    x, out = tensors(100)
    kernel(x, out)
    assert bool((out == 8).all())  # 7 + 1: added once, not three times
    assert capsys.readouterr().out == "once\n"
    broken = source(
        tmp_path, 'if (i == 0) printf("before\\n"); out[i + n] = x[i];', name="broken"
    )
    with pytest.raises(KernelFault):
        broken(x, out)
    assert capsys.readouterr().out == "before\n"  # what was printed helps to find out


@emulated
def test_vectors_where_the_launcher_asks_for_no_alignment(tmp_path):
    """PyTorch's tensors are aligned enough; copies that end at a page need not be."""
    kernel = source(tmp_path, "if (4 * i + 4 <= n) ((float4*)out)[i] = ((const float4*)x)[i];")
    for n in (64, 65, 66, 67):
        x, out = tensors(n)
        kernel(x, out)
        assert bool((out[:64] == 1).all())
    beyond = source(
        tmp_path, "if (4 * i <= n) ((float4*)out)[i] = ((const float4*)x)[i];", name="beyond"
    )
    with pytest.raises(KernelFault, match=r"read from x\[64\]"):
        beyond(*tensors(64))


@emulated
def test_it_can_be_switched_off(tmp_path, monkeypatch):
    monkeypatch.setenv("ELEMENTWISE_SANDBOX", "0")
    x, out = torch.ones(100), torch.full((100,), 7.0)
    source(tmp_path, "if (i < n + 1) out[i] = x[i];")(x[:50], out[:50])
    assert out.tolist() == [1.0] * 51 + [7.0] * 49


@emulated
def test_the_same_file_corrected_runs(tmp_path):
    x, out = tensors(50)
    wrong = source(tmp_path, "out[i] = x[i];")
    with pytest.raises(KernelFault):
        wrong(x, out)
    source(tmp_path, "if (i < n) out[i] = x[i];")(x, out)
    assert bool((out == 1).all())
    with pytest.raises(KernelFault):  # the one that was loaded before stays what it is
        wrong(x, out)


# ---- the process apart, with a CUDA runtime of our own ------------------------------------------------------------

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
RUNTIME = r"""
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <stdexcept>
#include <unistd.h>
static int launch_error, sync_error;
extern "C" {
int cudaSetDevice(int device) { return getenv("FAKE_BUSY") ? 46 : 0; }
int cudaMalloc(void** p, size_t n) { return (*p = aligned_alloc(256, (n + 255) / 256 * 256)) ? 0 : 2; }
int cudaMemset(void* p, int value, size_t n) { memset(p, value, n); return 0; }
int cudaMemcpy(void* to, const void* from, size_t n, int) { memcpy(to, from, n); return 0; }
int cudaDeviceSynchronize() { return sync_error; }
int cudaGetLastError() { int e = launch_error; launch_error = 0; return e; }
const char* cudaGetErrorString(int e) { return e == 46 ? "busy" : e == 700 ? "an illegal memory access" : "other"; }
void scale(const float* x, float* out, int64_t n, int what, double s, void*) {
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
        sync_error = 710;
    }
    if (what == 12) exit(3);
    if (what == 13) {
        double sum = 0;
        for (int64_t i = 0; i < n; ++i) sum += x[i];
        if (n < 1001 && sum != s) sync_error = 719;
    }
    if (what == 14 && (((uintptr_t)x & 255) != 16 || ((uintptr_t)out & 255) != 0)) sync_error = 719;
}
void mixed(const float* x, const int* places, int64_t* count, int64_t rows, int64_t cols, float f, void*) {
    int64_t sum = 0;
    for (int64_t i = 0; i < cols; ++i) sum += places[i];
    if (rows != 3 || cols != 4 || f != 0.5f || sum != 10 || *count != -1) sync_error = 719;
}
void nothing(int64_t blocks, int block_size, void*) { if (blocks != 1LL << 40 || block_size != 64) sync_error = 719; }
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


@pytest.fixture(scope="module")
def fake(tmp_path_factory):
    folder = tmp_path_factory.mktemp("fake cuda ü")
    (folder / "fake.cpp").write_text(RUNTIME)
    library = folder / "fake-0123" / "fake.so"
    library.parent.mkdir()
    command = [
        machine.compiler(),
        "-shared",
        "-fPIC",
        "-w",
        str(folder / "fake.cpp"),
        "-o",
        str(library),
    ]
    subprocess.run(command, check=True)
    return library


@pytest.fixture
def apart(fake, tmp_path, monkeypatch):
    """A function that tries a launcher of the fake library in a process apart."""
    import ctypes

    monkeypatch.setattr(first_launch, "sanitizer", lambda: None)
    monkeypatch.setattr(first_launch, "START_SECONDS", 20)
    known = declarations(TEXT, "fake.cu")
    library = tmp_path / "fake-0123" / "fake.so"
    library.parent.mkdir()
    library.write_bytes(fake.read_bytes())
    monkeypatch.setattr(first_launch, "_runtime_library", lambda: str(library))

    def call(name, args, sizes, barriers=False):
        trial = InAProcess(library, barriers)
        launcher = Launcher.__new__(Launcher)
        launcher.declaration, launcher.on_gpu, launcher.library = (
            known[name],
            True,
            ctypes.CDLL(str(fake)),
        )
        return trial(launcher, args, sizes), trial.marker(launcher)

    return call


def scale(apart, what=0, n=8, s=2.0):
    return apart("scale", [torch.ones(n), torch.zeros(n), what, s], [n])


@pytest.mark.parametrize(
    ("what", "words"),
    [
        (
            1,
            r"fake.cu: scale failed on the GPU: an illegal memory access: an index far .* \(CUDA error 700\)",
        ),
        (3, r"scale was still running after 0.3 s: a loop without an end"),
        (4, r"the launcher scale threw a C\+\+ exception: bad n"),
        (5, r"the launcher scale called abort\(\)"),
        (6, r"the launcher scale itself accessed memory .*does its host code read a tensor"),
        (7, r"failed on the GPU \(with n = 1,000,003\): a misaligned access"),
        (11, r"block \(1,0,0\), thread \(3,0,0\): Assertion `i < 3` failed \(k.cu, line 12\)"),
        (12, r"the launcher scale ended its process \(status 3\)"),
    ],
)
def test_what_a_process_apart_tells(apart, what, words):
    with pytest.raises(KernelFault, match=words) as raised:
        scale(apart, what)
    assert "this notebook and its tensors are as they were" in str(raised.value)


def test_a_trial_that_went_well_is_remembered(apart):
    content, marker = scale(apart)
    assert content and json.loads(marker.read_text())["sizes"] == [8]
    began = time.monotonic()
    assert scale(apart, 1)[0]  # not tried again: the marker says it was
    assert time.monotonic() - began < 0.05


def test_a_trial_takes_less_than_two_seconds(apart):
    began = time.monotonic()
    scale(apart)
    assert time.monotonic() - began < 2


def test_a_refused_launch_proves_nothing(apart):
    content, marker = scale(apart, 2)
    assert not content and not marker.exists()


@pytest.mark.parametrize("what", [8, 9, 10])
def test_what_a_longer_tensor_may_do(apart, what):
    """Refuse to launch, give up or take long: the caller did not ask for a million elements."""
    content, marker = scale(apart, what)
    assert content and marker.exists()


def test_a_gpu_that_cannot_be_had_is_no_fault(apart, monkeypatch, capsys):
    monkeypatch.setenv("FAKE_BUSY", "1")
    content, marker = scale(apart, 1)
    assert content and not marker.exists()  # asked once, not at every call
    assert (
        "fake.cu could not be tried in a process of its own (cudaSetDevice: busy)"
        in capsys.readouterr().err
    )


def test_data_scalars_and_addresses_arrive(apart):
    x = torch.arange(8).float()
    with pytest.raises(KernelFault):
        apart(
            "scale", [x + 1, torch.zeros(8), 13, x.sum().item()], [8]
        )  # what follows can fail
    assert apart("scale", [x, torch.zeros(8), 13, x.sum().item()], [8])[0]


def test_alignment_arrives(apart):
    whole = torch.zeros(256)
    start = (-whole.data_ptr() // 4) % 64
    args = [whole[start + 4 : start + 12], whole[start + 64 : start + 72], 14, 0.0]
    assert apart("scale", args, [8])[0]


def test_launchers_of_every_kind(apart):
    places = torch.tensor([1, 2, 3, 4], dtype=torch.int32)
    assert apart("mixed", [torch.zeros(3, 4), places, torch.tensor([-1]), 0.5], [3, 4])[0]


def test_a_launcher_without_tensors(apart, monkeypatch):
    monkeypatch.setattr(torch.cuda, "current_device", lambda: 0)
    assert apart("nothing", [1 << 40, 64], [])[0]


def test_large_tensors_are_tried_smaller(apart, monkeypatch):
    monkeypatch.setattr(first_launch, "DATA_BYTES", 1000)
    assert apart("scale", [torch.ones(1 << 20), torch.zeros(1 << 20), 13, 0.0], [1 << 20])[
        0
    ]  # with zeros


def test_switched_off(apart, monkeypatch):
    monkeypatch.setenv("ELEMENTWISE_SANDBOX", "0")
    assert scale(apart, 1)[0]


@pytest.fixture
def tool(tmp_path, monkeypatch, apart):
    """A compute-sanitizer that reports what is put into the returned file; the calls of it are in `log`."""
    script, report, log = tmp_path / "compute-sanitizer", tmp_path / "report", tmp_path / "log"
    script.write_text(SANITIZER)
    script.chmod(0o755)
    report.write_text(CLEAN)
    log.write_text("")
    monkeypatch.setenv("FAKE_REPORT", str(report))
    monkeypatch.setenv("FAKE_LOG", str(log))
    monkeypatch.setattr(first_launch, "sanitizer", lambda: str(script))
    return report, log


WRITE = """========= COMPUTE-SANITIZER
========= Invalid __global__ write of size 4 bytes
=========     at void add_kernel<float>(const float *, float *, long)+0x1b0 in /home/me/my kernels/add.cu:12
=========     by thread (232,0,0) in block (3,0,0)
=========     Access at 0x7f0000001fa0 is out of bounds
=========     and is 1 bytes after the nearest allocation at 0x7f0000001000 of size 4,000 bytes
=========     Saved host backtrace up to driver entry point at kernel launch time
=========         Host Frame: add [0x1234] in add.so
=========
========= ERROR SUMMARY: 1 error
"""


def test_the_tools_verdict_comes_first(apart, tool):
    report, log = tool
    report.write_text(WRITE)
    with pytest.raises(
        KernelFault,
        match=r"fake.cu: add_kernel<float>, block \(3, 0, 0\), thread \(232, 0, 0\): write to",
    ):
        scale(apart)
    assert [line.split()[0] for line in log.read_text().splitlines()] == ["memcheck"]


def test_the_tools_that_ran_are_remembered(apart, tool):
    content, marker = apart(
        "scale", [torch.ones(8), torch.zeros(8), 0, 2.0], [8], barriers=True
    )
    assert content and json.loads(marker.read_text())["tools"] == ["memcheck", "synccheck"]
    assert re.fullmatch(
        r"\d+\.\d\d\n", (marker.parent.parent / "compute-sanitizer.seconds").read_text()
    )


def test_a_slow_tool_is_asked_only_after_a_fault(apart, tool, tmp_path, monkeypatch):
    report, log = tool
    (tmp_path / "compute-sanitizer.seconds").write_text("4.2")
    assert scale(apart)[0] and not log.read_text()
    (tmp_path / "fake-0123" / "scale.tried.json").unlink()
    report.write_text(WRITE)
    with pytest.raises(KernelFault, match=r"thread \(232, 0, 0\)"):
        scale(apart, 1)
    assert len(log.read_text().splitlines()) == 1
    monkeypatch.setenv("ELEMENTWISE_SANDBOX", "memcheck")  # unless it is asked for
    with pytest.raises(KernelFault, match=r"thread \(232, 0, 0\)"):
        scale(apart)


def test_a_fault_of_a_longer_tensor_is_explained_too(apart, tool):
    _, log = tool
    with pytest.raises(KernelFault, match=r"1,000,003"):
        scale(apart, 7)
    assert [line.split()[-1] for line in log.read_text().splitlines()] == [
        "0",
        "1",
    ]  # then with every call


def test_a_tool_that_fails_changes_nothing(apart, tool):
    report, _ = tool
    report.write_text("========= Device not supported. Please refer to the documentation.\n")
    content, marker = scale(apart)
    assert content and json.loads(marker.read_text())["tools"] == []


# ---- compute-sanitizer's words --------------------------------------------------------------------------------

OUT = [Region("x", 0x7F0000000000, 4000, 4), Region("out", 0x7F0000001000, 4000, 4)]


@pytest.mark.parametrize(
    ("report", "sentence"),
    [
        (CLEAN, ""),
        ("", ""),
        (
            WRITE,
            "add_kernel<float>, block (3, 0, 0), thread (232, 0, 0): write to out[1,000], but out has "
            "1,000 elements (line 12)",
        ),
        (
            "========= Invalid __global__ read of size 2 bytes\n=========     at 0x90 in k\n"
            "=========     by thread (0,1,2) in block (3,4,5)\n=========     Address 0x7effffffffff is out of bounds\n",
            "the kernel, block (3, 4, 5), thread (0, 1, 2): read from x[-1], but x has 1,000 elements",
        ),
        (
            "========= Invalid __global__ read of size 16 bytes\n=========     at k(float *)+0x90 in a.cu:8\n"
            "=========     by thread (0,0,0) in block (0,0,0)\n=========     Access at 0x7f0000000004 is misaligned\n",
            "k, block (0, 0, 0), thread (0, 0, 0): a misaligned read from x[1], 16 bytes at once (line 8): the address "
            "must be a multiple of them",
        ),
        (
            "========= Invalid __global__ atomic of size 4 bytes\n=========     at k(float *)+0x90\n"
            "=========     by thread (0,0,0) in block (0,0,0)\n=========     Access at 0x10 is out of bounds\n",
            "k, block (0, 0, 0), thread (0, 0, 0): atomic on address 0x10, outside of every tensor",
        ),
        (
            "========= Invalid __shared__ write of size 4 bytes\n=========     at k(float *)+0x90 in a.cu:8\n"
            "=========     by thread (1,0,0) in block (0,0,0)\n=========     Access at 0x4000 is out of bounds\n",
            "k, block (0, 0, 0), thread (1, 0, 0): write to shared memory, byte 16,384 (line 8)",
        ),
        (
            "========= Barrier error detected. Divergent thread(s) in block.\n"
            "=========     at k(float *)+0x90 in a.cu:8\n=========     by thread (128,0,0) in block (0,0,0)\n",
            "k, block (0, 0, 0), thread (128, 0, 0): part of the block never came to the barrier (line 8): Divergent "
            "thread(s) in block.",
        ),
        (
            "========= Error: Race reported between Write access at k(int *)+0x90 in a.cu:8\n"
            "=========     and Read access at k(int *)+0xb0 in a.cu:9 [124 hazards]\n",
            "k: a race on shared memory between line 8 and line 9: is a barrier missing between them?",
        ),
    ],
)
def test_reports_become_sentences(report, sentence):
    assert translate(report, OUT) == sentence


def test_any_report_becomes_a_sentence_or_none():
    from hypothesis import given, settings
    from hypothesis import strategies as st

    pieces = st.sampled_from(
        [
            *WRITE.splitlines(keepends=True),
            "=========\n",
            "Invalid ",
            "0x",
            " at (",
            "\n\n",
            "é",
        ]
    )

    @given(st.lists(pieces, max_size=12).map("".join))
    @settings(max_examples=200, deadline=None)
    def holds(report):
        assert "\n" not in translate(report, OUT)

    holds()


def test_unknown_errors_have_their_own_words():
    assert "words of CUDA (CUDA error 999)" in describe(
        Outcome("fault", 999, "words of CUDA"), "k"
    )


# ---- a context that is lost after all ---------------------------------------------------------------------------


AFTERWARDS = """
import torch
from helpers.run import jit
from helpers.run.faults import wait
from helpers.errors import KernelFault
kernel = jit.load(PATH)
x, out = torch.ones(1000, device="cuda"), torch.zeros(1000, device="cuda")
try:
    kernel(x, out)
    wait()
except KernelFault as error:
    print(error)
try:
    jit.load("v1_f32")(x, x, out)
except KernelFault as error:
    print(error)
"""


@pytest.mark.gpu
def test_without_the_sandbox_the_context_is_lost_and_said_so():
    import os

    code = AFTERWARDS.replace("PATH", repr(str(FAULTY / "write_far_outside.cu")))
    environment = {**os.environ, "ELEMENTWISE_SANDBOX": "0"}
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        env=environment,
        check=False,
    )
    assert done.stdout.count("restart the notebook's kernel") == 2, done.stdout + done.stderr


@pytest.mark.gpu
def test_a_right_kernels_first_call_costs_less_than_two_seconds(tmp_path, monkeypatch, capsys):
    for wanted in ("native", "memcheck"):
        monkeypatch.setenv("ELEMENTWISE_SANDBOX", wanted)
        path = tmp_path / f"{wanted}.cu"
        path.write_text(
            (jit.source_path("v1_f32")).read_text() + f"// {wanted}, {time.time()}\n"
        )
        kernel = jit.load(path)
        x, out = tensors(100_000)
        began = time.monotonic()
        kernel(x, x, out)
        torch.cuda.synchronize()
        seconds = time.monotonic() - began
        with capsys.disabled():
            print(f"\nfirst call, {wanted}: {seconds:.2f} s")
        assert wanted == "memcheck" or seconds < 2
