"""Shared arrays: a step past either end is a fault with its thread, element and line."""

import ctypes
import re
import threading
from pathlib import Path

import pytest
import torch

from helpers import emulator
from helpers.emulator import isolated
from helpers.errors import FaultKind

KERNELS = Path(__file__).parent / "kernels" / "shared.cu"
NAMES = {0: "tile", 2: "inside", 6: "rows", 7: "counts"}
SUM = 63 * 64 / 2 + 64 * 4 + 15 * 4 + 1


@pytest.fixture(scope="module")
def library(headers, tmp_path_factory):
    output = tmp_path_factory.mktemp("shared") / "shared.so"
    emulator.build(KERNELS, output, headers)
    return emulator.Library(output)


def walk(library, what, by, threads, front):
    x = torch.zeros(1)
    with library.shared_front(front):
        numbers = map(ctypes.c_int64, (what, by))
        address = ctypes.c_void_p(x.data_ptr())
        library.dll.walk(*numbers, address, ctypes.c_int64(threads), None)
    return library.take_fault()


def line(what):
    lines = KERNELS.read_text(encoding="utf-8").splitlines()
    return next(i for i, text in enumerate(lines, 1) if f"what == {what})" in text)


@pytest.mark.parametrize("what", [0, 1, 2, 3])
@pytest.mark.parametrize("front", [False, True])
def test_a_step_past_an_end_of_a_static_array(library, what, front):
    assert walk(library, what, 0, 64, front) is None
    thread, element = (0, -1) if front else (63, 64)
    fault = walk(library, what, element - thread, 64, front)
    verb, access = ("read from", "read") if what % 2 else ("write to", "write")
    name, side = NAMES[what - what % 2], "before the start" if front else "past the end"
    assert str(fault) == (
        f"step, block (0, 0, 0), thread ({thread}, 0, 0): {verb} the shared array `{name}`, "
        f"{side}: element {element} of its 64 (line {line(what)})"
    )
    assert fault.kind is FaultKind.SHARED_OUT_OF_BOUNDS and fault.access == access


@pytest.mark.parametrize("what", [4, 5])
@pytest.mark.parametrize("front", [False, True])
def test_a_step_past_an_end_of_dynamic_shared_memory(library, what, front):
    assert walk(library, what, 0, 64, front) is None
    thread, element = (0, -1) if front else (63, 64)
    fault = walk(library, what, element - thread, 64, front)
    verb = "read from" if what == 5 else "write to"
    assert str(fault).endswith(
        f"thread ({thread}, 0, 0): {verb} dynamic shared memory, element {element} of the 64 "
        "that the launch gave the block"
    )
    assert fault.kind is FaultKind.SHARED_OUT_OF_BOUNDS


def test_dynamic_shared_memory_of_two_types_is_told_in_bytes(library):
    assert walk(library, 8, 64, 64, False) is None
    assert ", byte 512 of the 512 that" in str(walk(library, 8, 65, 64, False))


def test_a_walk_across_rows_is_right_and_its_end_a_fault(library):
    assert walk(library, 6, -24, 32, False) is None
    fault = str(walk(library, 6, 0, 9, False))
    rows = "write to the shared array `rows`, past the end: element 32 of its 32"
    assert f"thread (8, 0, 0): {rows} (line {line(6)})" in fault
    # Between the 15th int and the inaccessible page lies what the alignment leaves.
    assert walk(library, 7, -10, 15, False) is None
    assert "`counts`, past the end: element 16 of its 15" in str(walk(library, 7, 0, 7, False))
    assert "past the end of the shared array counts (60" in str(walk(library, 7, 0, 6, False))


@pytest.mark.parametrize(("by", "front"), [(70, True), (-60, False)])
def test_a_write_on_the_other_side_is_told_when_the_block_ends(library, by, front):
    side = "past the end" if front else "before the start"
    for what in (0, 2):
        fault = str(walk(library, what, by, 1, front))
        assert f"a write {side} of the shared array {NAMES[what]} (256 bytes)" in fault


@pytest.mark.parametrize("by", [200_000, -200_000])
def test_a_far_step(library, by):
    assert f"element {by} of its 64 (line {line(1)})" in str(walk(library, 1, by, 1, False))


def sums(library, blocks=200):
    x = torch.zeros(blocks)
    library.dll.sums(ctypes.c_void_p(x.data_ptr()), ctypes.c_int64(blocks), None)
    assert library.take_fault() is None
    return set(x.tolist())


@pytest.mark.parametrize("front", [False, True])
@pytest.mark.parametrize("workers", [1, 3])
def test_arrays_outside_of_functions_in_several_os_threads(library, workers, front):
    with library.workers(workers), library.shared_front(front):
        found = [sums(library)]
        for _ in range(3):
            thread = threading.Thread(target=lambda: found.append(sums(library)))
            thread.start()
            thread.join()
    assert found == [{SUM}] * 4


def test_a_launcher_with_a_variable_of_the_os_thread(library):
    """Its first use binds the names of shared arrays, too, where no kernel runs."""
    assert library.dll.own_variable(None) == 0
    assert sums(library) == {SUM}


def test_the_names_stay_bound_in_a_forked_process(library):
    assert sums(library) == {SUM}
    assert isolated.run(lambda: sums(library), name="shared.cu") == {SUM}
    assert re.search("element 64 of", str(walk(library, 0, 1, 64, False)))
