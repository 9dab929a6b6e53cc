"""Traces of kernels: what is counted, which races are found, which kernels are right."""

from pathlib import Path

import pytest
import torch

from helpers.errors import FaultKind
from helpers.run import jit
from helpers.run.trace import BYTES, trace

RACES = Path(__file__).parents[1] / "emulator" / "kernels" / "races.cu"
X = torch.arange(1, 257, dtype=torch.float32)


def faults(launcher):
    kernel = jit.load(RACES)
    return trace(kernel.launchers[launcher], X, torch.zeros(256)).faults


@pytest.mark.parametrize("launcher", ["reverse", "added", "flag", "cas", "fenced"])
def test_right_kernels_are_left_in_peace(launcher):
    assert faults(launcher) == ()


def test_a_missing_barrier_is_named_with_lines_threads_and_element():
    (fault, *_) = [one for one in faults("reverse_bare") if one.kind is FaultKind.RACE]
    assert "races.cu: thread 128 of block 0 writes shared[128] (line 10)" in str(fault)
    assert "thread 127 of block 0 reads it (line 12)" in str(fault)
    assert fault.place == "shared[128]" and fault.access == "write"


@pytest.mark.parametrize("launcher", ["lost", "unfenced", "in_step"])
def test_races_are_found(launcher):
    assert FaultKind.RACE in {fault.kind for fault in faults(launcher)}


def test_a_read_of_unwritten_shared_memory_is_found():
    (fault,) = faults("unwritten")
    assert fault.kind is FaultKind.UNWRITTEN
    assert "reads shared[128] (line 37), which no thread of the block has written" in str(fault)


def test_loads_of_v5_touch_16_sectors_and_the_caller_s_tensors_stay():
    a, out = torch.randn(2048).half(), torch.zeros(2048).half()
    seen = trace("v5_f16x8", a, a, out, block_size=64)
    loads = seen.of("load")
    assert (loads.sectors_per_request, loads.lanes_per_request) == (16, 32)
    assert loads.efficiency == 0.25 and loads.bytes_per_lane == 4
    assert not out.any()
    assert all(step.mask == 0xFFFFFFFF for step in seen.steps)


def test_too_many_bytes_are_refused_with_the_way_out():
    with pytest.raises(ValueError, match=r"trace fewer elements"):
        trace("v1_f32", *[torch.empty(BYTES // 4)] * 3)
