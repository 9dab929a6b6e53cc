"""on_gpu: what becomes of a first launch in a child process, with a fake CUDA runtime."""

import json
import re
import signal

import pytest
import torch

from helpers.errors import FaultKind, KernelFault
from helpers.run.first_launch import on_gpu
from helpers.run.first_launch.child import Status
from helpers.run.first_launch.on_gpu import GpuFirstLaunch, describe
from helpers.run.first_launch.process import Outcome
from tests.run.first_launch.conftest import DECLARATIONS, WRITE, FakeLauncher


@pytest.fixture
def marker(gpu_first_launch):
    return gpu_first_launch.marker(FakeLauncher(DECLARATIONS["scale"]))


@pytest.mark.parametrize(
    ("what", "kind", "words"),
    [
        (
            1,
            FaultKind.OUT_OF_BOUNDS,
            "fake.cu: scale failed on the GPU: an illegal memory access: an index far outside "
            "of its tensor, or an invalid pointer (CUDA error 700)",
        ),
        (4, FaultKind.HOST, "fake.cu: the launcher scale threw a C++ exception: bad n"),
        (5, FaultKind.HOST, "fake.cu: the launcher scale called abort()"),
        (
            6,
            FaultKind.HOST,
            "fake.cu: the launcher scale itself accessed memory that it must not: does its "
            "host code read a tensor, which lies on the GPU?",
        ),
        (
            7,
            FaultKind.MISALIGNED,
            "fake.cu: scale failed on the GPU (with n = 1,000,003): a misaligned access: the "
            "address of a vector must be a multiple of the vector's size (CUDA error 716)",
        ),
        (
            11,
            FaultKind.ASSERT,
            "fake.cu: block (1,0,0), thread (3,0,0): Assertion `i < 3` failed (k.cu, line 12)",
        ),
        (12, FaultKind.DIED, "fake.cu: the launcher scale ended its process (status 3)"),
        (16, FaultKind.HOST, "fake.cu: the launcher scale threw a C++ exception: int"),
        (17, FaultKind.HOST, "fake.cu: the launcher scale divided an integer by zero"),
    ],
)
def test_what_a_child_process_reports(scale, marker, what, kind, words):
    with pytest.raises(KernelFault) as raised:
        scale(what)
    assert str(raised.value) == (
        f"{words}. It was tried in a child process: this notebook and its tensors are as they "
        f"were"
    )
    assert raised.value.kind is kind and not marker.exists()


def test_an_endless_kernel(scale, monkeypatch):
    monkeypatch.setenv("ELEMENTWISE_KERNEL_TIMEOUT", "0.3")
    words = "scale was still running after 0.3 s: a loop without an end"
    with pytest.raises(KernelFault, match=words) as raised:
        scale(3)
    assert raised.value.kind is FaultKind.TIMEOUT


def test_a_first_launch_that_succeeded_is_recorded(scale, marker, monkeypatch):
    assert scale() is True
    notes = json.loads(marker.read_text())
    assert notes["sizes"] == [8] and notes["tools"] == [] and notes["seconds"] > 0
    monkeypatch.setattr(on_gpu, "ChildProcess", lambda *_: pytest.fail("tried again"))
    assert scale(1) is True


def test_a_refused_launch_proves_nothing(scale, marker):
    assert scale(2) is False and not marker.exists()


@pytest.mark.parametrize("what", [8, 9])
def test_what_a_longer_tensor_may_do(scale, marker, what):
    """Refuse to launch, or give up: the caller did not ask for a million elements."""
    assert scale(what) is True and marker.exists()


def test_a_longer_tensor_may_take_long(scale, marker, monkeypatch):
    monkeypatch.setenv("ELEMENTWISE_KERNEL_TIMEOUT", "0.3")
    assert scale(10) is True and marker.exists()


def test_a_gpu_that_cannot_be_had_is_not_a_fault(scale, marker, monkeypatch, capsys):
    monkeypatch.setenv("FAKE_BUSY", "1")
    assert scale(1) is True and not marker.exists()  # asked once, not at every call
    assert capsys.readouterr().err == (
        "fake.cu could not be tried in a child process (cudaSetDevice: busy): a fault would "
        "cost "
        "this notebook its tensors\n"
    )


def test_switched_off(scale, marker, monkeypatch):
    monkeypatch.setenv("ELEMENTWISE_SANDBOX", "0")
    assert scale(1) is True and not marker.exists()


def test_data_scalars_and_addresses_arrive(gpu_first_launch):
    launcher, x = FakeLauncher(DECLARATIONS["scale"]), torch.arange(8).float()
    with pytest.raises(KernelFault):  # so that what follows can fail
        gpu_first_launch(launcher, [x + 1, torch.zeros(8), 13, x.sum().item()], [8])
    assert gpu_first_launch(launcher, [x, torch.zeros(8), 13, x.sum().item()], [8])


def test_the_alignment_arrives(gpu_first_launch):
    whole = torch.zeros(256)
    start = (-whole.data_ptr() // 4) % 64
    arguments = [whole[start + 4 : start + 12], whole[start + 64 : start + 72], 14, 0.0]
    assert gpu_first_launch(FakeLauncher(DECLARATIONS["scale"]), arguments, [8])


def test_launchers_of_every_kind(gpu_first_launch, monkeypatch):
    places = torch.tensor([1, 2, 3, 4], dtype=torch.int32)
    arguments = [torch.zeros(3, 4), places, torch.tensor([-1]), 0.5]
    assert gpu_first_launch(FakeLauncher(DECLARATIONS["mixed"]), arguments, [3, 4])
    monkeypatch.setattr(torch.cuda, "current_device", lambda: 0)
    assert gpu_first_launch(FakeLauncher(DECLARATIONS["nothing"]), [1 << 40, 64], [])


# ---- under compute-sanitizer ---------------------------------------------------------------


def test_the_tools_fault_comes_first(scale, tool, marker):
    report, log = tool
    report.write_text(WRITE)
    words = r"fake.cu: add_kernel<float>, block \(3, 0, 0\), thread \(232, 0, 0\): write to "
    with pytest.raises(KernelFault, match=words) as raised:
        scale()
    assert raised.value.kind is FaultKind.OUT_OF_BOUNDS and not marker.exists()
    assert raised.value.address == 0x7F0000001FA0 and raised.value.access == "write"
    assert raised.value.thread == "block (3, 0, 0), thread (232, 0, 0)"
    assert [line.split()[0] for line in log.read_text().splitlines()] == ["memcheck"]


def test_the_tools_that_finished_are_remembered(scale, tool, marker, gpu_first_launch):
    with_barriers = GpuFirstLaunch(gpu_first_launch.library, barriers=True)
    assert scale(first_launch=with_barriers) is True
    assert json.loads(marker.read_text())["tools"] == ["memcheck", "synccheck"]
    seconds = (marker.parent.parent / "compute-sanitizer.seconds").read_text()
    assert re.fullmatch(r"\d+\.\d\d\n", seconds)


def test_a_slow_tool_only_explains_a_fault(scale, tool, marker, monkeypatch):
    report, log = tool
    (marker.parent.parent / "compute-sanitizer.seconds").write_text("4.2")
    assert scale() is True and not log.read_text()
    marker.unlink()
    report.write_text(WRITE)
    with pytest.raises(KernelFault, match=r"thread \(232, 0, 0\)"):
        scale(1)
    assert len(log.read_text().splitlines()) == 1
    with pytest.raises(KernelFault, match="failed on the GPU") as raised:
        report.write_text("nothing to say\n")
        scale(1)
    assert raised.value.kind is FaultKind.OUT_OF_BOUNDS


@pytest.mark.parametrize(("mode", "used"), [("memcheck", True), ("native", False)])
def test_the_tool_by_the_setting(scale, tool, marker, monkeypatch, mode, used):
    _, log = tool
    monkeypatch.setenv("ELEMENTWISE_SANDBOX", mode)
    slow = "9.0" if used else "0.1"
    (marker.parent.parent / "compute-sanitizer.seconds").write_text(slow)
    assert scale() is True and bool(log.read_text()) is used


def test_a_fault_of_a_longer_tensor_is_explained_too(scale, tool):
    _, log = tool
    with pytest.raises(KernelFault, match="1,000,003"):
        scale(7)
    every = [line.split()[-1] for line in log.read_text().splitlines()]
    assert every == ["0", "1"]  # the caller's call, then every call


def test_a_tool_that_fails_changes_nothing(scale, tool, marker):
    tool[0].write_text("========= Device not supported. Please refer to the documentation.\n")
    assert scale() is True and json.loads(marker.read_text())["tools"] == []


# ---- words ---------------------------------------------------------------------------------


@pytest.mark.parametrize("status", [Status.OK, Status.REFUSED, Status.UNABLE])
def test_what_is_not_a_fault(status):
    assert describe(Outcome(status), "k") is None


def test_unknown_errors_have_their_own_words():
    fault = describe(Outcome(Status.FAULT, 999, "words of CUDA"), "k")
    assert str(fault) == "k failed on the GPU: words of CUDA (CUDA error 999)"
    assert fault.kind is FaultKind.OTHER


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        (710, FaultKind.ASSERT),
        (714, FaultKind.STACK_OVERFLOW),
        (715, FaultKind.TRAP),
        (716, FaultKind.MISALIGNED),
        (719, FaultKind.OTHER),
    ],
)
def test_the_kinds_of_cuda_errors(error, kind):
    assert describe(Outcome(Status.FAULT, error), "k").kind is kind


@pytest.mark.parametrize("number", [signal.SIGSEGV, signal.SIGBUS])
def test_a_launcher_that_touches_the_gpus_memory(number):
    fault = describe(Outcome(Status.DIED, exit_status=-number), "k")
    assert str(fault).endswith("does its host code read a tensor, which lies on the GPU?")
    assert fault.kind is FaultKind.HOST


def test_the_size_of_the_second_call_is_said():
    fault = describe(Outcome(Status.DIED, call=1, exit_status=4), "k")
    assert str(fault) == "the launcher k ended its process (status 4) (with n = 1,000,003)"
    assert fault.kind is FaultKind.DIED
