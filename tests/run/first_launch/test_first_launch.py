"""Faults as lessons: each launcher of faulty.cu breaks a rule and comes back as an exception.

The same file and the same assertions run on the emulator and on a GPU.
"""

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest
import torch

from helpers.errors import CheckError, FaultKind, KernelFault, LaunchError
from helpers.run import first_launch, jit, machine
from helpers.run.faults import wait
from helpers.run.first_launch import EmulatorFirstLaunch, GpuFirstLaunch, sanitizer
from helpers.testing import check

FAULTY = Path(__file__).with_name("faulty.cu")
ON_GPU = machine.present().is_gpu


def line(word):
    """Return the number of the line of faulty.cu that a comment marks."""
    lines = FAULTY.read_text().splitlines()
    return next(number for number, text in enumerate(lines, 1) if f"// line: {word}" in text)


PAST_END = """
__global__ void copy_kernel(const float* x, float* out, int64_t n) {
    if (threadIdx.x == 0) for (int64_t i = 0; i <= n; ++i) out[i] = i < n ? x[i] : 0.0f;
}
extern "C" void copy(const float* x, float* out, int64_t n, cudaStream_t stream = 0) {
    copy_kernel<<<1, 32, 0, stream>>>(x, out, n);
}
"""
HERE = r"\w+_kernel, block \(\d+, 0, 0\), thread \(\d+, 0, 0\): "
REFUSED = "refused: invalid "  # "configuration argument" (9); CUDA 13.0 says "argument" (1)

# launcher: the exception, its words on the emulator, its words on a GPU (None: the same; "": a
# GPU lets it pass, and compute-sanitizer 2025.3 does not tell), and whether a GPU needs
# compute-sanitizer for it.
FAULTS = {
    "write_past_end": (
        FaultKind.OUT_OF_BOUNDS,
        HERE + r"write to out\[1,000\], but out has 1,000 elements",
        r"write to out\[1,000\]",
        True,
    ),
    "write_before_start": (
        FaultKind.OUT_OF_BOUNDS,
        HERE + r"write to out\[-1\], but out has",
        r"write to out\[-1\]",
        True,
    ),
    "read_past_end": (
        FaultKind.OUT_OF_BOUNDS,
        HERE + r"read from x\[1,000\], but x has",
        r"read from x\[1,000\]",
        True,
    ),
    "read_before_start": (
        FaultKind.OUT_OF_BOUNDS,
        HERE + r"read from x\[-1\], but x has",
        r"read from x\[-1\]",
        True,
    ),
    "write_far_outside": (
        FaultKind.OUT_OF_BOUNDS,
        HERE + "write to address .* outside of every",
        "illegal memory|outside of ev",
        False,
    ),
    "misaligned_vector": (
        FaultKind.MISALIGNED,
        HERE + rf"a misaligned write .*line {line('misaligned')}\).* multiple of 16",
        "misaligned",
        False,
    ),
    "barrier_not_reached": (
        FaultKind.BARRIER,
        HERE + rf"a barrier \(line {line('barrier')}\).*128-255 never",
        "",  # a GPU lets it pass, as the threads that go round the barrier then end
        True,
    ),
    "endless_loop": (
        FaultKind.TIMEOUT,
        HERE + r"still running after \S+ s: a loop without an end",
        "still running after",
        False,
    ),
    "shared_past_end": (
        FaultKind.SHARED_OUT_OF_BOUNDS,
        HERE + "write to",
        "CUDA error|shared memory",
        False,
    ),
    "throws": (
        FaultKind.HOST,
        r"threw a C\+\+ exception: n must be a multiple of 4",
        None,
        False,
    ),
    "aborts": (FaultKind.HOST, r"the launcher aborts called abort\(\)", None, False),
    "host_reads_tensor": (
        FaultKind.HOST,
        "the launcher host_reads_tensor itself accessed memory that it must not",
        None,
        False,
    ),
    "asserts": (FaultKind.ASSERT, "[Aa]ssertion `i < 3` failed", None, False),
    "traps": (FaultKind.TRAP, r"__trap\(\)", None, False),
    "too_many_threads": (
        LaunchError,
        REFUSED + r"configuration argument .*(1 to 1,024 threads|must be 1 to 1024)",
        REFUSED + r"(configuration )?argument .*(1 to 1,024 threads|must be 1 to 1024)",
        False,
    ),
    "too_much_shared": (
        LaunchError,
        REFUSED + r"argument .*(at most 48 KB of shared|at most 49152 are allowed)",
        None,
        False,
    ),
    "empty_grid": (
        LaunchError,
        REFUSED + r"configuration argument .*(a grid has 1 to|grid\.x .* must be 1 to)",
        REFUSED + r"(configuration )?argument .*(a grid has 1 to|grid\.x .* must be 1 to)",
        False,
    ),
}


def tensors(n=1000):
    device = machine.present().device
    return torch.ones(n, device=device), torch.full((n,), 7.0, device=device)


@pytest.fixture(autouse=True)
def settings(monkeypatch, request):
    """Give kernels that end all the time they need, and endless ones little.

    compute-sanitizer is used where a fault needs it, however slow it was a moment ago.
    """
    name = request.node.callspec.params.get("name") if hasattr(request.node, "callspec") else ""
    seconds = "0.3" if name in ("endless_loop", "barrier_not_reached") else "60"
    monkeypatch.setenv("ELEMENTWISE_KERNEL_TIMEOUT", "2" if ON_GPU else seconds)
    monkeypatch.delenv("ELEMENTWISE_SANDBOX", raising=False)
    if ON_GPU and name in FAULTS and FAULTS[name][3]:
        monkeypatch.setenv("ELEMENTWISE_SANDBOX", "memcheck")


def assert_intact(*others):
    """Check that other tensors are as they were, and that a right kernel still runs."""
    for value in others:
        assert bool((value == 7).all())
    x, out = tensors()
    jit.load("v1_f32")(x, x, out)
    wait()
    assert bool((out == 2).all())


@pytest.mark.sample(2)
@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_is_a_short_exception_and_nothing_else_breaks(name):
    kind, words, gpu_words, needs_tool = FAULTS[name]
    if ON_GPU and needs_tool and not sanitizer.find():
        pytest.skip("only compute-sanitizer sees this on a GPU, and it is not here")
    if ON_GPU and gpu_words == "":
        pytest.skip("a GPU lets this pass")
    error = KernelFault if isinstance(kind, FaultKind) else kind
    (x, out), bystander = tensors(), tensors()[1]
    launcher = getattr(jit.load(FAULTY), name)
    with pytest.raises(error, match=gpu_words if ON_GPU and gpu_words else words) as raised:
        launcher(x, out)
    assert str(raised.value).startswith("faulty.cu: ") and len(str(raised.value)) < 500
    if error is KernelFault and not ON_GPU:
        assert raised.value.kind is kind
    assert_intact(out, bystander)
    with pytest.raises(error):  # and again the second time
        launcher(x, out)
    assert_intact(out, bystander)


def test_a_step_that_leaves_only_a_long_tensor():
    launcher = jit.load(FAULTY).write_when_long
    if ON_GPU:  # seen at the first call, whatever its size
        with pytest.raises(KernelFault, match=r"1,000,003|outside of every tensor"):
            launcher(*tensors(1000))
    else:
        launcher(*tensors(1000))
        with pytest.raises(KernelFault, match=r"thread .*: write to"):
            launcher(*tensors(100_000))
    assert_intact()


def test_check_says_it_in_a_sentence(tmp_path):
    path = tmp_path / "past_end.cu"
    path.write_text(PAST_END)
    words = r"past_end\.cu: .*write to out\[1\], but out has 1 element"
    with pytest.raises(CheckError, match=words):
        check.check(jit.load(path), lambda x: x)
    assert_intact()


def test_the_first_launches_of_each_machine():
    assert isinstance(first_launch.choose(Path("k.so"), [""], False), EmulatorFirstLaunch)
    without = first_launch.choose(Path("k.so"), ["a", "b"], True)
    assert without == GpuFirstLaunch(Path("k.so"), False)
    with_barrier = first_launch.choose(Path("k.so"), ["a", "__syncwarp();"], True)
    assert with_barrier == GpuFirstLaunch(Path("k.so"), True)


# ---- on a GPU ------------------------------------------------------------------------------

AFTERWARDS = """
import torch
from helpers.run import jit
from helpers.run.faults import wait
from helpers.errors import KernelFault
kernel = jit.load(PATH)
x, out = torch.ones(1000, device="cuda"), torch.zeros(1000, device="cuda")
try:
    kernel.write_far_outside(x, out)
    wait()
except KernelFault as error:
    print(error)
try:
    jit.load("v1_f32")(x, x, out)
except KernelFault as error:
    print(error)
"""


@pytest.mark.gpu
def test_without_a_first_launch_in_a_child_the_context_is_lost_and_said_so():
    code = AFTERWARDS.replace("PATH", repr(str(FAULTY)))
    environment = {**os.environ, "ELEMENTWISE_SANDBOX": "0"}
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, capture_output=True, text=True, env=environment, check=False)
    assert done.stdout.count("restart the notebook's kernel") == 2, done.stdout + done.stderr


@pytest.mark.gpu
def test_a_right_kernels_first_call_costs_less_than_two_seconds(tmp_path, monkeypatch, capsys):
    for wanted in ("native", "memcheck"):
        monkeypatch.setenv("ELEMENTWISE_SANDBOX", wanted)
        path = tmp_path / f"{wanted}.cu"
        text = jit.source_path("v1_f32").read_text()
        path.write_text(f"{text}// {wanted}, {time.time()}\n")
        kernel = jit.load(path)
        x, out = tensors(100_000)
        began = time.monotonic()
        kernel(x, x, out)
        torch.cuda.synchronize()
        seconds = time.monotonic() - began
        with capsys.disabled():
            print(f"\nfirst call, {wanted}: {seconds:.2f} s")
        assert wanted == "memcheck" or seconds < 2
