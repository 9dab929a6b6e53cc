"""sanitizer: compute-sanitizer's reports as faults, and whether the tool is quick here."""

import os
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from helpers.emulator import Region
from helpers.errors import FaultKind
from helpers.run.first_launch import sanitizer
from helpers.run.toolchain import Tool
from tests.run.first_launch.conftest import CLEAN, WRITE

REGIONS = [Region("x", 0x7F0000000000, 4000, 4), Region("out", 0x7F0000001000, 4000, 4)]


def lines(*words):
    return "\n".join(f"========= {line}" for line in words)


@pytest.mark.parametrize(
    ("report", "kind", "message"),
    [
        (
            WRITE,
            FaultKind.OUT_OF_BOUNDS,
            "add_kernel<float>, block (3, 0, 0), thread (232, 0, 0): write to out[1,000], but "
            "out has 1,000 elements (line 12)",
        ),
        (
            lines(
                "Invalid __global__ read of size 2 bytes",
                "    at 0x90 in k",
                "    by thread (0,1,2) in block (3,4,5)",
                "    Address 0x7effffffffff is out of bounds",
            ),
            FaultKind.OUT_OF_BOUNDS,
            "the kernel, block (3, 4, 5), thread (0, 1, 2): read from x[-1], but x has 1,000 "
            "elements",
        ),
        (
            lines(
                "Invalid __global__ read of size 16 bytes",
                "    at k(float *)+0x90 in a.cu:8",
                "    by thread (0,0,0) in block (0,0,0)",
                "    Access at 0x7f0000000004 is misaligned",
            ),
            FaultKind.MISALIGNED,
            "k, block (0, 0, 0), thread (0, 0, 0): a misaligned read from x[1] (line 8): a "
            "16-byte access needs an address that is a multiple of 16",
        ),
        (
            lines(
                "Invalid __global__ atomic of size 4 bytes",
                "    at k(float *)+0x90",
                "    by thread (0,0,0) in block (0,0,0)",
                "    Access at 0x10 is out of bounds",
            ),
            FaultKind.OUT_OF_BOUNDS,
            "k, block (0, 0, 0), thread (0, 0, 0): atomic on address 0x10, outside of every "
            "tensor",
        ),
        (
            lines(
                "Invalid __shared__ write of size 4 bytes",
                "    at k(float *)+0x90 in a.cu:8",
                "    by thread (1,0,0) in block (0,0,0)",
                "    Access at 0x4000 is out of bounds",
            ),
            FaultKind.SHARED_OUT_OF_BOUNDS,
            "k, block (0, 0, 0), thread (1, 0, 0): write to shared memory, byte 16,384 (line "
            "8)",
        ),
        (
            lines("Invalid __local__ read of size 4 bytes", "    at k(float *)+0x90"),
            FaultKind.OUT_OF_BOUNDS,
            "k: read from local memory",
        ),
        (
            lines("Invalid __global__ read of size 4 bytes", "    at k(float *)+0x90"),
            FaultKind.OUT_OF_BOUNDS,
            "k: read from global memory, outside of every tensor",
        ),
        (
            lines("Misaligned access", "    Access at 0x7f0000000004 is misaligned"),
            FaultKind.MISALIGNED,
            "the kernel: a misaligned access on x[1]: a ?-byte access needs an address that "
            "is a multiple of ?",
        ),
        (
            lines(
                "Barrier error detected. Divergent thread(s) in block.",
                "    at k(float *)+0x90 in a.cu:8",
                "    by thread (128,0,0) in block (0,0,0)",
            ),
            FaultKind.BARRIER,
            "k, block (0, 0, 0), thread (128, 0, 0): some threads of the block never reached "
            "the barrier (line 8): Divergent thread(s) in block.",
        ),
        (
            lines(
                "Error: Race reported between Write access at k(int *)+0x90 in a.cu:8",
                "    and Read access at k(int *)+0xb0 in a.cu:9 [124 hazards]",
            ),
            FaultKind.OTHER,
            "k: a race on shared memory between line 8 and line 9: is a barrier missing "
            "between them?",
        ),
        (
            lines("Error: Race reported between Write access at k(int *)+0x90"),
            FaultKind.OTHER,
            "k: a race on shared memory between two accesses: is a barrier missing between "
            "them?",
        ),
    ],
)
def test_reports_become_faults(report, kind, message):
    fault = sanitizer.fault(report, REGIONS)
    assert str(fault) == message and fault.kind is kind


def test_a_fault_carries_what_the_report_says():
    fault = sanitizer.fault(WRITE, REGIONS)
    assert (fault.address, fault.access) == (0x7F0000001FA0, "write")
    assert fault.thread == "block (3, 0, 0), thread (232, 0, 0)"
    assert fault.place == "out[1,000], but out has 1,000 elements"
    assert sanitizer.fault(WRITE.replace("write of", "atomic of")).access == ""


def test_far_from_every_tensor_an_address_stays():
    fault = sanitizer.fault(WRITE.replace("0x7f0000001fa0", "0x7f0000099999"), REGIONS)
    assert "write to address 0x7f0000099999, outside of every tensor (line 12)" in str(fault)


def test_the_first_error_of_several():
    fault = sanitizer.fault(WRITE + WRITE.replace("(232,0,0)", "(1,1,1)"), REGIONS)
    assert "thread (232, 0, 0)" in str(fault)


@pytest.mark.parametrize("report", ["", CLEAN, "========= Device not supported.\n"])
def test_reports_without_an_error(report):
    assert sanitizer.fault(report, REGIONS) is None


def test_a_report_that_was_written_to_its_end():
    assert sanitizer.has_finished(CLEAN) and sanitizer.has_finished(WRITE)
    assert not sanitizer.has_finished("========= Device not supported.\n")


PIECES = [
    *WRITE.splitlines(keepends=True),
    "=========\n",
    "Invalid ",
    "0x",
    " at (",
    "\n\n",
    "é",
]


@given(st.lists(st.sampled_from(PIECES), max_size=12).map("".join))
def test_any_report_becomes_one_line_or_none(report):
    assert "\n" not in str(sanitizer.fault(report, REGIONS))


# ---- the tool ------------------------------------------------------------------------------


def test_the_tool_is_found(monkeypatch):
    tool = Tool(Path("/cuda/bin/compute-sanitizer"), "PATH", "2025.3")
    monkeypatch.setattr(sanitizer, "find_tool", {"compute-sanitizer": tool}.get)
    assert sanitizer.find() == "/cuda/bin/compute-sanitizer"
    monkeypatch.setattr(sanitizer, "find_tool", lambda name: None)
    assert sanitizer.find() is None


@pytest.mark.parametrize(("seconds", "quick"), [(1.99, True), (2.0, True), (2.01, False)])
def test_the_tool_is_quick_by_its_last_run(tmp_path, seconds, quick):
    library = tmp_path / "k-0123" / "k.so"
    assert sanitizer.is_quick(library)  # it was never run
    sanitizer.remember_seconds(library, seconds)
    assert (tmp_path / "compute-sanitizer.seconds").read_text() == f"{seconds:.2f}\n"
    assert sanitizer.is_quick(library) is quick
    assert sanitizer.is_quick(tmp_path / "other-4567" / "k.so") is quick  # one file a cache
    (tmp_path / "compute-sanitizer.seconds").write_text("nonsense")
    assert sanitizer.is_quick(library)


def test_a_slow_tool_is_tried_again_after_half_an_hour(tmp_path):
    library = tmp_path / "k-0123" / "k.so"
    sanitizer.remember_seconds(library, 30.0)
    for minutes, quick in ((29, False), (31, True)):
        then = time.time() - 60 * minutes
        os.utime(tmp_path / "compute-sanitizer.seconds", (then, then))
        assert sanitizer.is_quick(library) is quick


def test_a_cache_that_cannot_be_written_costs_only_the_note(tmp_path):
    sanitizer.remember_seconds(tmp_path / "no" / "such" / "folder" / "k.so", 1.0)
