"""Kernels whose warps run by phases: which ones do, and with what results."""

from pathlib import Path

import pytest

from helpers.emulator import front_end, phases
from tests.emulator import two_builds

pytestmark = pytest.mark.skipif(
    front_end.problem() is not None, reason=f"{front_end.problem()}"
)
SOURCE = Path(__file__).parent / "kernels" / "phases.cu"
NAMES = [
    *("rotated", "pairs", "votes", "kept", "block", "rounds", "dimensions", "parted"),
    *("parted_at_a_barrier", "once", "macros", "steps", "renamed", "functors"),
    *("by_macro", "by_function", "by_reference", "by_pointers", "stored"),
    *("last_steps", "asked", "members"),
]


@pytest.fixture(scope="module")
def libraries(tmp_path_factory):
    """Return the library of the kernels, and one in which none has phases."""
    folder = tmp_path_factory.mktemp("phases")
    found, kernels = two_builds.build(
        SOURCE, folder, phases, lambda *_: "", "write", "EMULATOR_PHASES_BEGIN"
    )
    assert kernels == [17, 0]
    return found


@pytest.mark.parametrize("mode", two_builds.MODES)
@pytest.mark.parametrize("threads", [64, 192, 1024])
@pytest.mark.parametrize("name", NAMES)
def test_results_are_those_without_phases(libraries, name, threads, mode):
    two_builds.assert_same_results(libraries, name, threads, mode)


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("left", "that lane has already left the kernel"),
        ("outside", "thread (41, 0, 0)"),
    ],
)
def test_faults_have_the_same_words(libraries, name, words):
    two_builds.assert_same_faults(libraries, name, words)
