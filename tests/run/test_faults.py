"""CUDA errors of a running kernel, as KernelFaults."""

import subprocess
import sys

import pytest
import torch

from helpers.errors import FaultKind, KernelFault
from helpers.run.faults import (
    CONTEXT_IS_LOST,
    ENDS_CONTEXT,
    WORDS,
    context_lost,
    named_faults,
    thrown,
    wait,
)


def test_waiting_without_a_gpu(monkeypatch):
    def never():
        raise AssertionError("there is nothing to wait for")

    monkeypatch.setattr(torch.cuda, "is_initialized", lambda: False)
    monkeypatch.setattr(torch.cuda, "synchronize", never)
    assert wait() is None


def test_a_lost_context_is_named(monkeypatch):
    def broken():
        raise RuntimeError("CUDA error: an illegal memory access was encountered\nmore words")

    monkeypatch.setattr(torch.cuda, "is_initialized", lambda: True)
    monkeypatch.setattr(torch.cuda, "synchronize", broken)
    with pytest.raises(KernelFault) as raised:
        wait()
    words = "CUDA error: an illegal memory access was encountered"
    assert str(raised.value) == f"{words}. {CONTEXT_IS_LOST}"
    assert raised.value.kind is FaultKind.CONTEXT_LOST
    assert raised.value.__cause__ is None and raised.value.__suppress_context__


def test_other_errors_keep_their_names():
    with pytest.raises(torch.OutOfMemoryError), named_faults():
        raise torch.OutOfMemoryError("CUDA out of memory")
    with pytest.raises(KernelFault, match="restart the notebook's kernel"), named_faults():
        raise RuntimeError("CUDA error: misaligned address")
    with pytest.raises(KeyError), named_faults():
        raise KeyError("CUDA error")


def test_what_ends_the_context():
    """The errors of CUDA's documentation that "leave the process in an inconsistent state"."""
    assert {700, 702, 709, 710, 714, 715, 716, 717, 718, 719} == ENDS_CONTEXT
    assert WORDS.keys() < ENDS_CONTEXT and "illegal memory access" in WORDS[700]
    assert "misaligned" in WORDS[716] and "assertion" in WORDS[710]
    assert str(context_lost("k.cu: it broke")) == f"k.cu: it broke. {CONTEXT_IS_LOST}"
    assert CONTEXT_IS_LOST.startswith(
        "A kernel launched earlier broke a rule, and with it every"
    )
    assert (
        "(Kernel > Restart), then run `check` on the kernel that you changed" in CONTEXT_IS_LOST
    )


def test_the_words_need_no_torch():
    code = "import sys, helpers.run.faults; sys.exit('torch' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_another_error_of_pytorch_stays_what_it_is():
    with pytest.raises(RuntimeError, match="shapes differ") as raised, named_faults():
        raise RuntimeError("shapes differ")
    assert not isinstance(raised.value, KernelFault)


def test_an_exception_of_the_launcher_is_the_hosts_fault():
    fault = thrown("add", "no room")
    assert str(fault) == "the launcher add threw a C++ exception: no room"
    assert fault.kind is FaultKind.HOST
