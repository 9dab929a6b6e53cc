"""Kernels whose threads leave their call at a barrier: which ones do, and with what results."""

import re
from pathlib import Path

import pytest

from helpers.emulator import compile as compiling
from helpers.emulator import front_end, resumed
from helpers.run.build import precompiled_headers
from tests.emulator import two_builds

pytestmark = pytest.mark.skipif(
    front_end.problem() is not None, reason=f"{front_end.problem()}"
)
SOURCE = Path(__file__).parent / "kernels" / "resumed.cu"


def rewritten(body, before="", parameters="float* x, int n"):
    """Return the file with a kernel, rewritten; None if it stays."""
    return rewrite(f"{before}__global__ void k({parameters}) {{ {body} }}")


def rewrite(text):
    path = Path("/k.cu")
    texts = {path: text}
    _, tree = front_end.examine(path, texts, compiling.compiler(), precompiled_headers())
    result = resumed.rewrite(tree, texts)[path]
    assert result.count("\n") == text.count("\n")
    return result if result != text else None


B = "__syncthreads();"


LEFT = [
    f"float v = x[0]; {B} x[1] = v;",
    f"int a, b = 2, c = 3; a = b; {B} x[a] = c;",
    f"for (int i = 0; i < n; ++i) {{ {B} x[i] = 1; }}",
    f"float v[4] = {{1, 2}}; {B} x[1] = v[n];",
    f"if (n > 2) {B} x[n] = 0;",
    f"if (n > 2) {B} else {B} x[n] = 0;",
    f"for (int i = 0; i < n; ++i) {B}",
    f"for (int i = 0; i < n; ++i) {B} for (int i = 9; i > n; --i) {B}",
    f"auto v = x[0]; {B} x[1] = v;",  # clang knows which type it is
    f"\n#pragma unroll\nfor (int i = 0; i < 4; ++i) {{ {B} x[i] = i; }}",
    f"{{ float& r = x[n]; r = 1; }} {B}",  # it does not live at the barrier
    f"switch (n) {{ case 1: x[0] = 1; break; }} {B}",
    f"const float* p = &x[n]; {B} x[0] = *p;",
]
STAYS = [
    "x[n] = 0;",  # no barrier
    f"float v = 1; float* p = &v; {B} *p = x[0];",
    f"float v[2]; float* p = v; {B} *p = x[0];",
    f"float v[2]; float* p = &v[1]; {B} *p = x[0];",
    f"float v[2]; float* p = 1 + v; {B} *p = x[0];",
    f"int* p = &n; {B} x[*p] = 0;",
    f"float& r = x[n]; {B} r = 0;",
    f"auto f = [&] {{ return n; }}; {B} x[f()] = 0;",
    f"switch (n) {{ case 1: {B} }}",
    f"if (int m = n) {{ {B} x[m] = 0; }}",
    f"goto end; end: {B}",
    f"int i = 1; {B} {{ float i = 2; {B} x[1] = i; }} x[i] = 0;",
    f"{{ int i = 1; {B} x[i] = 0; }} {{ float i = 1; {B} x[0] = i; }}",
    f"SYNC x[n] = 0; {B[:-1].replace('()', '(  )').replace('__sync', '__sync')}, n = 1;",
    f"if (n) {{ __shared__ float s[4]; {B} x[0] = s[n]; }}",
    f"\n#if 1\n{B}\n#endif\n",
    f"x[g] = 0; int g = 1; {B} x[g] = 1;",
    f"END {B}",
    f"const float v = x[0]; {B} x[1] = of(v);",  # another one, if v is not const
]


def test_which_kernels_leave_at_a_barrier():
    """One file with all kernels, as each is rewritten by itself."""
    macros = (
        "#define SYNC __syncthreads();\n#define END if (n > 5) return;\n__device__ int g;\n"
        "__device__ int of(float&) { return 1; }\n"
        "__device__ int of(const float&) { return 2; }\n"
    )
    heads = [f"__global__ void k{i}(float* x, int n) {{ " for i in range(len(LEFT + STAYS))]
    text = macros + "\n".join(
        f"{head}{body} }}" for head, body in zip(heads, LEFT + STAYS, strict=True)
    )
    result = rewrite(text)
    found = re.split(r"\n(?=__global__)", result)[1:]
    for body, kernel in zip(LEFT, found[: len(LEFT)], strict=True):
        assert "__syncthreads" not in kernel and "Calls<" in kernel, body
    for head, body, kernel in zip(heads[len(LEFT) :], STAYS, found[len(LEFT) :], strict=True):
        assert kernel == f"{head}{body} }}"


AT_WARPS = [
    "float v = x[0]; float w = __shfl_xor_sync(~0u, v, 1); x[n] = w;",
    "float v = x[0]; const auto w = 2 * __shfl_sync(0xffff, v, 1, 16); x[n] = w;",
    "float v = x[0]; v += __shfl_down_sync(~0u, v, 16); v += __shfl_up_sync(~0u, v, 8);",
    "float v = x[0]; const unsigned m = __ballot_sync(~0u, v > 0 && v < 3); x[n] = m;",
    "float v = x[0]; if (__any_sync(~0u, 1)) return; int a; a = __all_sync(~0u, v < 1);",
    "x[0] = 1; __syncwarp(); x[1] = 2;",
    "float v = x[0]; if (n) __syncwarp(); else v += __shfl_down_sync(~0u, v, 1); x[1] = v;",
    "float v = x[0]; if (n) { v = fmaxf(v, __shfl_xor_sync(0xff, v, 3)); } x[n] = v;",
]
STAY_AT_WARPS = [
    "float v = x[0]; x[n] = __shfl_xor_sync(~0u, v, 1);",  # memory
    "float w = __shfl_xor_sync(~0u, x[n], 1); x[0] = w;",
    "float v = x[0]; float w = __shfl_sync(~0u, v, n); x[0] = w;",  # may differ
    "float v = x[0]; float w = n > 1 ? __shfl_sync(~0u, v, 0) : 0; x[0] = w;",  # not by all
    "float v = x[0]; float w = __shfl_xor_sync(__activemask(), v, 1); x[n] = w;",
    "unsigned m = __ballot_sync(~0u, x[n] > 0); x[0] = m;",
    "switch (n) { case 1: __syncwarp(); }",
]


@pytest.mark.parametrize("body", AT_WARPS)
def test_a_thread_leaves_at_one_wait_of_a_warp(body):
    assert "emulator_c.leave(" in rewritten(body)


@pytest.mark.parametrize("body", STAY_AT_WARPS)
def test_what_one_thread_cannot_compute_for_its_warp_stays(body):
    assert rewritten(body) is None


def test_other_waits_and_barriers_of_functions_stay():
    text = rewritten(
        f"f(); {B} if (__syncthreads_count(n)) SYNC x[n] = 0;",
        f"#define SYNC __syncthreads();\n__device__ void f() {{ {B} }}\n",
    )
    assert text.count("goto emulator_left") == 1 and f"f() {{ {B} }}" in text
    assert "__syncthreads_count(n)) SYNC x" in text


def test_a_parameter_that_changes_is_kept():
    assert "emulator_k.n = n" in rewritten(f"n += 2; {B} x[n] = 0;")
    assert "emulator_k.x = x" in rewritten(f"x++; {B} x[n] = 0;")
    assert "emulator_k.n" not in rewritten(f"{B} x[n] = n;")
    assert "emulator_k.p = p" in rewritten(f"p.x = 2; {B} x[0] = p.x;", "", "float* x, int2 p")


@pytest.fixture(scope="module")
def libraries(tmp_path_factory):
    """Return the library of the kernels, and one in which every thread has its stack."""
    folder = tmp_path_factory.mktemp("resumed")
    found, kernels = two_builds.build(
        SOURCE, folder, resumed, lambda tree, sources, by_phases=False: sources
    )
    assert kernels == [7, 0]
    return found


@pytest.mark.parametrize("mode", two_builds.MODES)
@pytest.mark.parametrize("threads", [64, 256, 1024])
@pytest.mark.parametrize("name", ["tree", "variables", "mixed", "waiting"])
def test_results_are_those_of_threads_with_stacks(libraries, name, threads, mode):
    two_builds.assert_same_results(libraries, name, threads, mode)


@pytest.fixture(scope="module")
def single_waits(tmp_path_factory):
    """Return the same of kernels with single shuffles, votes and __syncwarp()."""
    folder, source = tmp_path_factory.mktemp("single"), SOURCE.with_name("single_waits.cu")
    found, kernels = two_builds.build(
        source, folder, resumed, lambda tree, sources, by_phases=False: sources
    )
    assert kernels == [8, 0]
    return found


@pytest.mark.parametrize("mode", two_builds.MODES)
@pytest.mark.parametrize("threads", [64, 1024])
@pytest.mark.parametrize("name", ["swaps", "unrolled", "votes", "halves", "mixed"])
def test_single_waits_have_the_results_of_threads_with_stacks(
    single_waits, name, threads, mode
):
    two_builds.assert_same_results(single_waits, name, threads, mode)


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("leaves", "that lane has already left the kernel"),
        ("unnamed", "does not name: CUDA leaves the value undefined"),
        ("apart", "a warp operation (line 103) waits for lanes that never come"),
    ],
)
def test_faults_of_single_waits_have_the_same_words(single_waits, name, words):
    two_builds.assert_same_faults(single_waits, name, words)


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("divergent", "(line 115) that only part of the block reaches"),
        ("at_a_shuffle", "threads 0-19 wait there, threads 20-31 at a warp operation"),
        ("outside", "thread (9, 1, 0)"),
    ],
)
def test_faults_have_the_same_words(libraries, name, words):
    two_builds.assert_same_faults(libraries, name, words)
