"""Loops of shuffles that one thread computes for its warp: which ones, and their results."""

import ctypes
from pathlib import Path

import pytest
import torch

from helpers import emulator
from helpers.emulator import shuffle_loops
from helpers.emulator.translate import translate
from helpers.run.build import precompiled_headers

KERNELS = (Path(__file__).parent / "kernels" / "shuffle_loops.cu").read_text()


def tried(text):
    """Say how many loops are tried together."""
    return len(shuffle_loops.rewrite(text)) // 2


def test_a_templates_type_is_no_object_that_is_called():
    text = f"template <class T> static {loop('v = v * T(0.5f) + __shfl_xor_sync(-1, v, d);')}"
    (copy,) = shuffle_loops.copies(text).values()
    assert not copy.objects


def loop(body, head="int d = 16; d > 0; d /= 2"):
    return f"void f(float v, int lane, float w, float* p) {{ for ({head}) {body} }}"


SUM = "v += __shfl_xor_sync(0xffffffff, v, d);"


def test_all_variables_of_a_declaration_are_the_bodys_own():
    body = "{ const float a = x, b = f(y, z); v = a < b ? c = a, w : b; int d = 1; }"
    assert shuffle_loops._local(body) == {"a", "b", "d"}


@pytest.mark.parametrize(
    ("text", "own"),
    [
        ("const long long below = f(); s += below;", {"below"}),
        ("unsigned long long a = 1, b = 2;", {"a", "b"}),
        ("int const a = 1;", {"a"}),
        ("std::uint32_t a = 1;", {"a"}),
        ("if (s > t) { t = 1; } else s = t;", set()),
        ("s = t;", set()),
    ],
)
def test_a_variable_of_any_type_is_the_bodys_own(text, own):
    assert shuffle_loops._local("{ " + text + " }") == own


def test_the_type_of_a_constant_is_no_variable():
    body = "{ const int64_t left = __shfl_up_sync(-1, v, d); if (lane >= d) v += left; }"
    text = "void g(const int64_t); " + loop(body)  # there, it looks like a name
    (written, *_) = (new for _, _, new in shuffle_loops.rewrite(text))
    assert "emulator_v_lane" in written and "emulator_v_int64_t" not in written


@pytest.mark.parametrize(
    "text",
    [
        loop(SUM),
        loop(f"{{ {SUM} }}", "unsigned d = 1; d < 32; d <<= 1"),
        loop("v = fmaxf(v, __shfl_down_sync(FULL, v, d, 16));"),
        loop("{ float x = __shfl_up_sync(-1, v, d); if (lane >= d) v += x; }"),
        loop("{ v += __shfl_sync(-1, v, d); w *= __shfl_sync(-1, w, d); }"),
        loop("{ float x = __shfl_xor_sync(-1, v, d); v = x > v ? x : v; }"),
        "constexpr int kHalf = 16; " + loop(SUM, "int d = kHalf; d > 0; d >>= 1"),
        "float g(float a, float b) { return a > b ? a : b; } "
        + loop("v = g(v, __shfl_xor_sync(-1, v, d));"),
        f"template <int N> {loop(SUM, 'int d = N / 2; d > N / 64; d /= 2')}",
    ],
)
def test_loops_of_a_threads_own_numbers_are_tried(text):
    assert tried(text) == 1


@pytest.mark.parametrize(
    "text",
    [
        loop("p[d] = __shfl_xor_sync(-1, v, d);"),  # memory
        loop("*p += __shfl_xor_sync(-1, v, d);"),
        loop("v += p->x + __shfl_xor_sync(-1, v, d);"),
        loop("{ __syncthreads(); v += __shfl_xor_sync(-1, v, d); }"),  # other waits
        loop("{ if (lane < d) v += __shfl_xor_sync(-1, v, d); }"),  # not by all lanes
        loop("v += lane < d ? __shfl_xor_sync(-1, v, d) : 0;"),
        loop("v += lane && __shfl_xor_sync(-1, v, d);"),
        loop(SUM, "int d = lane; d > 0; d -= w"),  # not the same turns in all lanes
        loop(SUM, "int d = 16; d > w; d /= 2"),
        loop("v += __shfl_xor_sync(-1, v, lane);"),
        loop("v += __shfl_xor_sync(lane, v, d);").replace("v +=", "lane +="),
        loop("{ v += 1; v += __shfl_xor_sync(-1, v, d); }"),  # a value that has changed
        loop("{ float x = v; w += __shfl_xor_sync(-1, x, d); }"),
        loop("v += __shfl_xor_sync(-1, v * 2, d);"),  # more than a number
        loop("v += threadIdx.x + __shfl_xor_sync(-1, v, d);"),
        loop("v = lane / (v + __shfl_xor_sync(-1, v, d));"),
        loop("{ v += __shfl_xor_sync(-1, v, d); if (v > 3) break; }"),
        loop("v += __shfl_xor_sync(1, v, d) + __shfl_xor_sync(3, v, d);"),  # two masks
        loop("{ v += __shfl_xor_sync(-1, v, d); d -= 1; }"),
        loop("v += w;"),  # no shuffle
        loop(SUM, "; lane > 0; lane /= 2"),  # no counter of its own
        loop(SUM, "int d = 16, e = 1; d > e; d /= 2"),
        "#define LANE (threadIdx.x & 31)\n"
        + loop("{ float x = __shfl_up_sync(-1, v, d); if (LANE >= d) v += x; }"),
        "#define SUM(v) " + loop(SUM),
        "float g(float a, float b) { return a + b * threadIdx.x; } "
        + loop("v = g(v, __shfl_xor_sync(-1, v, d));"),
        f"void g(int N) {{ {loop(SUM, 'int d = 16; d > N; d /= 2')} }}",  # N is a parameter
    ],
)
def test_every_other_loop_stays(text):
    assert shuffle_loops.rewrite(text) == []
    assert "together" not in translate(text, "f.cu")


def test_no_pragma_stands_before_what_is_no_loop():
    text = f"#pragma unroll 2\n{loop(SUM)}"
    assert translate(text, "f.cu").count("#pragma unroll 2\n") == 1
    text = text.replace("{ for", "{\n  #pragma unroll\n for").replace("\n", "\n\n", 1)
    result = translate(text, "f.cu")
    assert "#pragma unroll\n" not in result and result.count("\n") == text.count("\n") + 1


def test_no_line_moves_and_the_loop_itself_stays():
    text = f"\n  for (int d = 16;\n d > 0;\n d /= 2)\n {{\n {SUM}\n }}\n x;"
    result = translate(text, "f.cu")
    assert result.count("\n") == text.count("\n") + 1
    assert result.endswith(f"\n d > 0;\n d /= 2)\n {{\n {SUM}\n }} }}\n x;")
    assert ", 2, EMULATOR_LANES(auto d)" in result
    assert translate(text, "f.cu", together=False).endswith(text)


@pytest.fixture(scope="module")
def libraries(tmp_path_factory):
    """Return the library of KERNELS, and one in which each thread runs its loops by itself."""
    folder, found = tmp_path_factory.mktemp("loops"), []
    for name, text in (("together", KERNELS), ("alone", KERNELS.replace("for (", "FOR ("))):
        source = folder / f"{name}.cu"
        source.write_text("#define FOR for\n" + text)
        emulator.build(source, folder / f"{name}.so", precompiled_headers())
        assert (b"run_loop" in (folder / f"{name}.so").read_bytes()) == (name == "together")
        found.append(emulator.Library(folder / f"{name}.so"))
    return found


def run(library, name, threads=96, lanes=-1):
    torch.manual_seed(1)
    x, out = torch.randn(2 * threads), torch.full((8, 2 * threads), 7.0)
    pointers = [ctypes.c_void_p(t.data_ptr()) for t in (x, out)]
    library.dll[name](*pointers, threads, ctypes.c_uint(lanes & 0xFFFFFFFF), None)
    return x, out, str(library.take_fault() or "")


@pytest.mark.parametrize("threads", [32, 96, 33])
@pytest.mark.parametrize("mode", [emulator.FORWARD, emulator.REVERSE, emulator.SHUFFLED])
def test_results_are_those_of_each_thread_by_itself(libraries, threads, mode):
    found = []
    for library in libraries:
        with library.schedule(mode):
            found.append(run(library, "reductions", threads))
    (x, together, fault), (_, alone, other) = found
    assert (fault, other) == ("", "") or threads == 33
    assert fault == other and torch.equal(together, alone)
    if threads == 32:
        sums = x.view(2, 32).sum(1, keepdim=True).expand(2, 32).reshape(-1)
        torch.testing.assert_close(together[0], sums)
        assert torch.equal(together[1], x.view(2, 32).amax(1).repeat_interleave(32))


@pytest.mark.parametrize("name", ["parted", "part_of_the_lanes", "left"])
def test_lanes_that_do_not_come_together_run_by_themselves(libraries, name):
    together, alone = (run(library, name, 64, 0x0000FFFF) for library in libraries)
    assert together[2] == alone[2] and torch.equal(together[1], alone[1])
    assert ("reads from lane" in alone[2]) == (name == "left")
