"""on_emulator: each call with new sizes or scalars runs on guarded copies first."""

from pathlib import Path

import pytest
import torch

from helpers import emulator
from helpers.errors import FaultKind, KernelFault
from helpers.run import jit, machine
from helpers.run.first_launch import on_emulator

FAULTY = Path(__file__).with_name("faulty.cu")
pytestmark = pytest.mark.skipif(machine.present().is_gpu, reason="about the emulator")


@pytest.fixture
def kernel(monkeypatch):
    """Load the kernels; nothing was tried with this one."""
    monkeypatch.delenv("ELEMENTWISE_SANDBOX", raising=False)
    return jit.load(FAULTY)


@pytest.fixture
def launches(monkeypatch, in_this_process):
    """Note each launch on copies: (page in front, as aligned as the caller's tensors)."""
    made, launch = [], on_emulator.Trial.launch

    def noted(self, front, exact):
        made.append((front, not exact))
        launch(self, front, exact)

    monkeypatch.setattr(on_emulator.Trial, "launch", noted)
    return made


def tensors(n):
    return torch.ones(n), torch.full((n,), 7.0)


def test_every_new_size_and_scalar_is_tried(kernel, launches):
    x, out = tensors(64)
    kernel.with_scalar(x, out)
    assert bool((out == 1).all()) and launches == [(False, False), (True, False)]
    kernel.with_scalar(x, out, 0)
    kernel.with_scalar(*tensors(64))
    assert len(launches) == 2  # nothing new
    kernel.with_scalar(x[:63], out[:63])
    kernel.copies(x, out)
    assert len(launches) == 6
    with pytest.raises(KernelFault, match=r"read from x\[64\], but x has 64 elements"):
        kernel.with_scalar(x, out, a=1)
    with pytest.raises(KernelFault, match=r"x\[64\]"):  # not remembered as tried
        kernel.with_scalar(x, out, a=1)


def test_a_first_launch_leaves_inputs_outputs_and_printing_alone(kernel, capsys):
    x, out = tensors(100)
    kernel.accumulates(x, out)
    assert bool((out == 8).all())  # 7 + 1: added once, not three times
    assert capsys.readouterr().out == "once\n"
    with pytest.raises(KernelFault):
        kernel.prints_and_faults(x, out)
    assert capsys.readouterr().out == "before\n"  # what was printed helps to find out
    assert bool((out == 8).all())


def test_what_a_launcher_writes_is_seen_once(kernel, capfd):
    x, out = tensors(100)
    kernel.says(x, out)
    seen = capfd.readouterr()
    assert sorted((seen.out + seen.err).split()) == ["once", "one", "three", "two"]
    with pytest.raises(KernelFault, match=r"out\[100\]"):
        kernel.says(x, out, far=100)
    seen = capfd.readouterr()
    assert {"one", "two", "three"} <= set((seen.out + seen.err).split())


@pytest.mark.parametrize("n", [64, 65, 66, 67])
def test_vectors_where_the_launcher_asks_for_no_alignment(kernel, launches, n):
    """PyTorch's tensors are aligned enough; copies that end at a page need not be."""
    x, out = tensors(n)
    kernel.vectors(x, out)
    assert bool((out[:64] == 1).all()) and bool((out[64:] == 7).all())
    assert launches[0] == (False, False) and ((False, True) in launches) is (n % 4 != 0)


def test_vectors_that_end_too_late(kernel):
    with pytest.raises(KernelFault, match=r"read from x\[64\]") as raised:
        kernel.vectors_past_end(*tensors(64))
    assert raised.value.kind is FaultKind.OUT_OF_BOUNDS


def test_a_write_between_the_last_element_and_the_page(monkeypatch, kernel):
    """The bytes up to the alignment hold a pattern."""
    x, out = tensors(3)
    monkeypatch.setattr(emulator, "guarded_intact", lambda tensor: tensor.numel() != 3)
    words = (
        "copies wrote past the end of x, which has 3 elements: does the kernel test its index"
    )
    with pytest.raises(KernelFault, match=words) as raised:
        on_emulator.Trial(kernel.copies, [x, out], [3]).launch(front=False, exact=True)
    assert raised.value.kind is FaultKind.OUT_OF_BOUNDS and raised.value.access == "write"


def test_large_and_guarded_tensors_are_not_copied(kernel, launches, monkeypatch):
    x, out = (emulator.guarded(8, torch.float32, 4).fill_(1) for _ in range(2))
    kernel.copies(x, out)
    assert launches == []
    monkeypatch.setattr(on_emulator, "DATA_BYTES", 79)
    kernel.copies(*tensors(10))
    assert launches == []
    monkeypatch.setattr(on_emulator, "DATA_BYTES", 88)
    kernel.copies(*tensors(11))
    assert len(launches) == 2


def test_it_can_be_switched_off(kernel, monkeypatch):
    monkeypatch.setenv("ELEMENTWISE_SANDBOX", "0")
    x, out = torch.ones(100), torch.full((100,), 7.0)
    kernel.with_scalar(x[:50], out[:50], a=1)
    assert out.tolist() == [1.0] * 51 + [7.0] * 49


@pytest.mark.parametrize(
    ("offset", "exact", "alignment"),
    [(0, True, 4), (0, False, 64), (4, False, 16), (1, False, 4)],
)
def test_a_copy_is_as_aligned_as_it_must_be(kernel, monkeypatch, offset, exact, alignment):
    asked, guarded = [], emulator.guarded
    monkeypatch.setattr(
        emulator, "guarded", lambda *args: asked.append(args[2:]) or guarded(*args)
    )
    whole = torch.arange(256.0)
    start = (-whole.data_ptr() // 4) % 64 + offset
    x = whole[start : start + 6]
    copy = on_emulator._copy(kernel.copies.declaration.tensors[0], x, True, exact)
    assert asked == [(alignment, True)] and copy.tolist() == x.tolist()
