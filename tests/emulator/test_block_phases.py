"""Kernels whose blocks run by phases: which ones do, with what results and what faults."""

import re
from pathlib import Path

import pytest
import torch

from helpers import emulator
from helpers.emulator import block_phases, front_end
from tests.emulator import two_builds

pytestmark = pytest.mark.skipif(
    front_end.problem() is not None, reason=f"{front_end.problem()}"
)
SOURCE = Path(__file__).parent / "kernels" / "block_phases.cu"
NAMES = [
    *("product", "turned", "scan", "tree", "counts", "kept", "flat", "once"),
    *("structs", "rows", "lengths", "own", "older", "functors", "lambdas"),
    *("by_copy", "at_once", "bitonic"),
    *(
        "by_macro",
        "by_reference",
        "by_destructor",
        "by_operator",
        "by_function",
        "by_pointer",
        "waiting",
        "returned",
        "looped",
        "looked_up",
    ),
]
RACES = ["rounds", "branches", "unmet", "in_place", "own_of_rows"]
FAULTS = [
    ("past_shared", "read from the shared array `tile`, past the end: element 100064"),
    ("before_shared", "write to the shared array `tile`, before the start: element"),
    ("beside_shared", "a write past the end of the shared array tile (252 bytes)"),
    ("past_dynamic", "read from dynamic shared memory, element 9020 of the 64"),
    ("outside", "thread (41, 0, 0)"),
    ("nowhere", "a null pointer"),
    ("divided", "thread (41, 0, 0): an integer division by zero"),
    ("past_constant", "index 4 of an array of type"),
    ("past_own", "thread (40, 0, 0): index 4 of an array of type"),
    ("past_parts", "thread (41, 0, 0): index 3 of an array of type"),
    ("by_lambda", "thread (40, 0, 0): index 4 of an array of type"),
    ("by_member", "thread (40, 0, 0): index 4 of an array of type"),
    ("by_other_name", "thread (40, 0, 0): index 4 of an array of type"),
    ("beside_pairs", "thread (41, 0, 0): a misaligned"),
    ("misaligned", "a misaligned read of"),
    ("pairs", "a misaligned"),
    ("parted", "that only part of the block reaches"),
]


@pytest.fixture(scope="module")
def libraries(tmp_path_factory):
    """Return the library of the kernels, and one in which none has such phases."""
    folder = tmp_path_factory.mktemp("block_phases")
    found, kernels = two_builds.build(
        SOURCE, folder, block_phases, lambda *_: "", "write", "EMULATOR_BLOCK_BEGIN"
    )
    assert kernels == [37, 0]
    return found


@pytest.mark.parametrize("threads", [64, 192, 1024])
@pytest.mark.parametrize("name", NAMES)
def test_results_are_those_without_phases(libraries, name, threads):
    two_builds.assert_same_results(libraries, name, threads, emulator.FORWARD)


@pytest.mark.parametrize("mode", [emulator.REVERSE, emulator.SHUFFLED])
@pytest.mark.parametrize("name", NAMES)
def test_in_another_order_of_the_threads_kernels_run_as_they_are_written(libraries, name, mode):
    two_builds.assert_same_results(libraries, name, 64, mode)


@pytest.mark.parametrize("mode", two_builds.MODES)
@pytest.mark.parametrize("name", RACES)
def test_races_lead_to_the_same(libraries, name, mode):
    two_builds.assert_same_results(libraries, name, 192, mode)


@pytest.mark.parametrize(("name", "words"), FAULTS)
def test_faults_have_the_same_words(libraries, name, words):
    for library in libraries:
        library.take_fault()
    found = [two_builds.run(library, name, 64)[1] for library in libraries]
    quick, plain = (re.sub(r"\b0x[0-9a-f]+", "ADDRESS", fault) for fault in found)
    assert quick == plain
    assert words in plain


def test_a_fault_that_is_not_met_again_is_reported(libraries):
    quick, plain = (two_builds.run(library, "once_only", 64)[1] for library in libraries)
    assert ", thread (0, 0, 0): read from address" in plain
    assert re.search(r"block \(\d, 0, 0\): read from address", quick)


def test_a_block_of_any_shape_runs(libraries):
    """A width that is not a multiple of 8, and threads that are not whole warps."""
    for threads in (36, 100):
        for name in ("scan", "tree", "kept"):
            (quick, fault), (plain, other) = (
                two_builds.run(library, name, threads) for library in libraries
            )
            assert fault == other == ""
            assert torch.equal(quick, plain)
