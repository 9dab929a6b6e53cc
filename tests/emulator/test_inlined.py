"""Device functions in which threads wait, written into kernels: results and faults stay."""

from pathlib import Path

import pytest

from helpers import emulator
from helpers.emulator import compile as compiling
from helpers.emulator import front_end, inlined
from helpers.run.build import precompiled_headers
from tests.emulator import two_builds

pytestmark = pytest.mark.skipif(
    front_end.problem() is not None, reason=f"{front_end.problem()}"
)
SOURCE = Path(__file__).parent / "kernels" / "inlined.cu"


@pytest.fixture(scope="module")
def libraries(tmp_path_factory):
    """Return the library of the kernels, and one in which functions are called."""
    folder = tmp_path_factory.mktemp("inlined")
    found, kernels = two_builds.build(SOURCE, folder, inlined, lambda unit, sources: None)
    assert kernels == [7, 0]
    return found


def test_what_is_written_in_is_not_compiled_again(libraries):
    written, called = libraries
    for name in ("_Z8warp_sumf", "_Z9block_sumf"):
        assert hasattr(called.dll, name), name
    assert not hasattr(written.dll, "_Z8warp_sumf")


HEADS = (
    "__device__",
    "__inline__ __device__",
    "__device__ __inline__",
    "__inline __device__",
    "__device__ inline",
    "static __device__",
    "static __inline__ __device__",
    "__device__ __forceinline__",
    "__device__ __noinline__",
    "__host__ __device__ inline",
    "template <int kLanes> __device__",
)


def test_each_form_of_a_head_is_compiled_at_the_first_try(tmp_path, monkeypatch):
    text = "#include <cuda_runtime.h>\n"
    for number, head in enumerate(HEADS):
        text += (
            f"{head} float sum_{number}(float v) {{\n"
            "    for (int d = 16; d; d /= 2) v += __shfl_down_sync(~0u, v, d);\n"
            "    return v;\n}\n"
            f"__global__ void k{number}(float* x) {{\n"
            f"    float v = x[threadIdx.x];\n"
            f"    v = sum_{number}{'<32>' if 'template' in head else ''}(v);\n"
            "    x[threadIdx.x] = v;\n}\n"
        )
    source = tmp_path / "heads.cu"
    source.write_text(text)
    tries, translate = [], compiling._translate_tree

    def noted(main, files, *rest):
        tries.append(files[source].count("::Calls<"))
        return translate(main, files, *rest)

    monkeypatch.setattr(compiling, "_translate_tree", noted)
    emulator.build(source, tmp_path / "heads.so", precompiled_headers())
    assert len(tries) == 1 and tries[0] >= len(HEADS) - 2


@pytest.mark.parametrize("mode", two_builds.MODES)
@pytest.mark.parametrize("threads", [64, 1024])
@pytest.mark.parametrize("name", ["names", "places", "own", "last"])
def test_results_are_those_of_functions_that_are_called(libraries, name, threads, mode):
    two_builds.assert_same_results(libraries, name, threads, mode)


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("parted", "a shuffle (line 11) reads from lane 20"),
        ("divergent", "(line 29) that only part of the block reaches"),
        ("outside", "thread (9, 0, 0)"),
    ],
)
def test_faults_have_the_same_words(libraries, name, words):
    two_builds.assert_same_faults(libraries, name, words)
