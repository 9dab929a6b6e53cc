"""clang judges a file: what it finds, what it is not believed, and a machine without it."""

import os
import shutil
import time
from pathlib import Path
from types import SimpleNamespace

import pytest

from helpers import emulator, sources
from helpers.emulator import compile as compiling
from helpers.emulator import front_end
from helpers.errors import CompileError

pytestmark = pytest.mark.skipif(front_end.problem() is not None, reason="no libclang")

KERNEL = """\
__global__ void k(float* x) { x[threadIdx.x] = 1.0f; }
extern "C" void launch(float* x, int64_t n, cudaStream_t stream) {
    k<<<1, 256, 0, stream>>>(x);
}
"""


@pytest.fixture(scope="module")
def headers(tmp_path_factory):
    folder = tmp_path_factory.mktemp("headers")
    front_end.precompile(compiling.compiler(), folder)
    return folder


@pytest.fixture
def find(tmp_path, headers):
    def find(text, headers=headers, **others):
        for name, content in others.items():
            (tmp_path / f"{name}.cuh").write_text(content)
        path = tmp_path / "k.cu"
        path.write_text(text)
        texts = sources.read_sources(path)
        return front_end.find(path, texts, compiling.compiler(), headers)

    return find


def test_the_headers_parse_without_an_error(headers):
    """Else there would be no precompiled form of them, and judging would take ten times."""
    assert sorted(file.name for file in headers.iterdir()) == [
        f"{which}-{header}.pch"
        for which in ("device", "host")
        for header in ("cuda_runtime", "emulator_front_end_half", "emulator_front_end_halves")
    ]


@pytest.mark.parametrize("header", ["reduce", "scan", "memcpy_async"])
def test_files_with_headers_of_groups_are_judged(find, header):
    found = find(
        f"#include <cooperative_groups/{header}.h>\n__global__ int k() {{ return 1; }}\n"
    )
    assert [(one.line, "void" in one.words) for one in found] == [(2, True)]


@pytest.mark.parametrize(
    ("texts", "header"),
    [
        (["int a;"], "cuda_runtime.h"),
        (["#include <cuda_fp16.h>\n"], "emulator_front_end_half.h"),
        (["int a;\n # include <cuda_fp16.h>"], "emulator_front_end_half.h"),
        (["#include <cuda_bf16.h>\n"], "cuda_runtime.h"),
        (["#include <cuda_fp16.h>\n#include <cuda_bf16.h>"], "emulator_front_end_halves.h"),
        (["#include <cuda_bf16.h>", "#include <cuda_fp16.h>"], "emulator_front_end_halves.h"),
        (["#include <mma.h>\n", '#include "cuda_fp16.h"'], "cuda_runtime.h"),
    ],
)
def test_what_a_file_includes_chooses_the_precompiled_header(texts, header):
    assert front_end._prelude(texts) == header


@pytest.mark.parametrize(
    ("includes", "body"),
    [
        (["fp16"], "half2 h = __half2half2(__float2half(x[0])); x[1] = h.x + host(h.y);"),
        (
            ["fp16", "bf16"],
            "__nv_bfloat16 b = x[0]; x[0] = __half2float(b * b) + host(b);",
        ),
    ],
)
def test_halves_are_judged_alike_from_precompiled_headers(find, includes, body):
    text = "".join(f"#include <cuda_{name}.h>\n" for name in includes)
    text += "float host(float);\n" + KERNEL.replace("x[threadIdx.x] = 1.0f;", body)
    found = find(text)
    assert found == find(text, headers=None)
    assert "host" in found[0].words and found[0].line == len(includes) + 2


def test_a_right_kernel_has_no_finding(find, tmp_path):
    assert find(KERNEL) == []
    assert find(KERNEL, headers=None) == []
    assert find(KERNEL, headers=tmp_path) == []  # a folder without precompiled headers


def test_a_finding_names_file_line_and_words(find):
    found = find(KERNEL.replace("__global__ ", "__device__ "))
    assert str(found[0]) == "k.cu:3: kernel call to non-global function 'k'"
    assert len(found) == 1  # one a line


def test_an_included_file_is_judged_under_its_own_name(find):
    text = '#include "one.cuh"\n' + KERNEL
    (found,) = find(text, one="\n__device__ float one() { float x = 1.0f; }\n")
    assert (found.file, found.line) == ("one.cuh", 2)


def test_a_name_that_clang_does_not_know_is_left_to_the_compiler(find):
    """And with it what may follow from it; what is CUDA's is believed all the same."""
    unknown = "auto y = unknown_name(x);"
    assert find(KERNEL.replace("x[threadIdx.x]", f"{unknown} x[threadIdx.x]")) == []
    both = KERNEL.replace("__global__", "__device__").replace("x[thr", f"{unknown} x[thr")
    assert [one.line for one in find(both)] == [3]
    assert find('#include "not_there.h"\n' + KERNEL) == []


def test_what_is_wrong_with_a_kernel_on_one_line_comes_before_what_follows_from_it(find):
    (first, *_) = find(KERNEL.replace("__global__ void", "__global__ int"))
    assert first.words.startswith("kernel function type 'int (float *)'")
    (first, *_) = find(f"struct S {{\n{KERNEL.splitlines()[0]}\n}};")
    assert "must be a free function" in first.words


def test_where_a_header_is_missing_the_compiler_says_so(find):
    text = '#include "mine.h"\nvoid f() { throw std::runtime_error("no"); }'
    assert find(text) == []
    assert find(text.replace('#include "mine.h"', "#include <cstdio>"))


def test_what_follows_from_an_error_of_syntax_is_not_told(find):
    """Without the semicolon clang takes `__global__` for a part of the struct."""
    (found,) = find("struct Step {\n    float by;\n}\n" + KERNEL)
    assert (found.line, found.words) == (4, "expected ';' after struct")
    constraint = "template <typename T>\n    requires true\n"
    (found,) = find(constraint + KERNEL.replace("float*", "T*"))
    assert (found.line, found.words) == (2, "'requires' is C++20")


def test_what_calls_nothing_is_no_call(find):
    text = "__device__ float one();\nusing One = decltype(one());\n" + KERNEL
    assert find(text) == []


def test_alignas_may_stand_behind_shared(find):
    shared = "__shared__ alignas(16) float s[256]; s[0] = 1.0f; x[threadIdx.x]"
    assert find(KERNEL.replace("x[threadIdx.x]", shared)) == []


@pytest.mark.parametrize(
    "text",
    [
        "__device__ float f(auto x) { return x; }\n__global__ void k(auto* x) { *x = f(*x); }",
        "__global__ void k(float* x, int64_t __restrict__ n) { *x = n; }",
        "__global__ void k(float* x) { __shared__ __device__ float s; s = *x; }",
        "__global__ void k(float* x) { __device__  __shared__ float s[2]; s[0] = *x; }",
    ],
)
def test_what_nvcc_takes_and_clang_does_not(find, text):
    assert find(text) == []


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("__global__ void k(float* x, auto y) { *x = nothing(y); *x = 1 }", "expected ';'"),
        ("__global__ void k(float* x, int __restrict__ n) { *x = n; }", "restrict requires"),
        ("__global__ void k(float* x) { __device__ float s; s = *x; }", "not allowed on"),
    ],
)
def test_what_is_wrong_beside_it_is_found(find, text, words):
    assert any(words in one.words for one in find(text))


def test_a_header_without_execution_spaces_refuses_nothing(find, monkeypatch):
    text = "#include <cooperative_groups.h>\n" + KERNEL.replace(
        "{ x[", "{ cooperative_groups::this_thread_block().sync(); x[", 1
    )
    assert find(text) == []


def test_judge_raises_with_a_hint(find, tmp_path, headers):
    path = tmp_path / "k.cu"
    path.write_text(KERNEL.replace("<<<1, 256, 0, stream>>>", ""))
    texts = sources.read_sources(path)
    with pytest.raises(CompileError) as caught:
        front_end.judge(path, texts, compiling.compiler(), headers)
    assert str(caught.value).splitlines() == [
        "k.cu does not compile:",
        "    k.cu:3: call to global function 'k' not configured",
        "    hint: launch a kernel with k<<<grid, block, 0, stream>>>(...)",
    ]


def test_a_build_is_refused_before_it_begins(tmp_path, headers):
    path = tmp_path / "k.cu"
    path.write_text(KERNEL.replace("__global__ ", ""))
    with pytest.raises(CompileError, match="hint: "):
        emulator.build(path, tmp_path / "k.so", headers)
    assert not (tmp_path / "k.so").exists()


def test_without_libclang_nothing_is_judged(find, tmp_path, monkeypatch):
    monkeypatch.setattr(front_end, "_clang", lambda: "libclang is not installed")
    assert front_end.problem() == "libclang is not installed"
    assert find(KERNEL.replace("__global__ ", "")) == []
    front_end.precompile(compiling.compiler(), tmp_path / "none")
    assert not (tmp_path / "none").exists()
    front_end.version.cache_clear()
    assert front_end.version() == ""
    front_end.version.cache_clear()


def test_a_file_takes_less_than_half_a_second(find):
    """Of this process's time: the clock on the wall may be a busy machine's."""
    path = Path(__file__).parents[2] / "kernels" / "v1_f32.cu"
    began = time.process_time()
    assert find(path.read_text()) == []
    assert time.process_time() - began < 0.5


def test_on_a_full_disk_nothing_is_precompiled(tmp_path, monkeypatch):
    """Libclang ends the process that runs out of room, the learner's kernel."""
    for free in (99 << 20, 101 << 20, 7 << 20):
        sizes = iter((free, 7 << 20))
        usage = lambda folder, sizes=sizes: SimpleNamespace(free=next(sizes))  # noqa: E731
        monkeypatch.setattr(front_end.shutil, "disk_usage", usage)
        with pytest.raises(OSError, match="No space left on device"):
            front_end.precompile(compiling.compiler(), tmp_path)
    assert not list(tmp_path.iterdir())


@pytest.mark.stress
def test_headers_that_became_newer_are_precompiled_anew(tmp_path, monkeypatch, find):
    """Else no warning would be found: as text, headers have errors of their own."""
    own = tmp_path / "include"
    shutil.copytree(front_end.INCLUDE, own)
    monkeypatch.setattr(front_end, "INCLUDE", own)
    folder = tmp_path / "precompiled"
    folder.mkdir()
    front_end.precompile(compiling.compiler(), folder)
    text = KERNEL.replace("1.0f", "y").replace("{ x", "{ float y; x")
    (before,) = find(text, folder)
    assert "before it is set" in before.words
    os.utime(own / "emulator_math.h", (5e8, 5e8))
    assert find(text, folder) == [before]
    os.utime(own / "emulator_math.h", (6e8, 6e8))
    monkeypatch.setattr(front_end.os, "replace", lambda *_: (_ for _ in ()).throw(OSError()))
    assert find(text, folder) == []  # of a folder that cannot be written
    assert find("__global__ int k() {}\n" + KERNEL, folder)


def test_printf_needs_its_header_where_it_is_used(find):
    text = KERNEL.replace("{ x", '{ printf("%d", 1); x')
    assert [one.words for one in find(text)] == ["printf without #include <cstdio>"]
    for right in (
        "#include <cstdio>\n" + text,
        "#include <iostream>\n" + text,
        "#include <string>\n" + text,
        '#include "a_file_that_is_elsewhere.h"\n' + text,
        'extern "C" int printf(const char*, ...);\n' + text,
        '#define SAY printf("x")\n' + KERNEL,
        "#if 0\n" + text + "#endif\n" + KERNEL,
    ):
        assert not any("printf" in one.words for one in find(right)), right


@pytest.mark.parametrize(
    ("header", "body"),
    [
        ("cstdint", "uint8_t i = threadIdx.x; x[i] = 1.0f;"),
        ("cstdint", "x[std::uint32_t(threadIdx.x)] = 1.0f;"),
        ("cstdint", "x[threadIdx.x] = INT32_MAX;"),
        ("cassert", "assert(x); x[threadIdx.x] = 1.0f;"),
    ],
)
def test_names_that_the_emulator_has_always_need_their_header(find, header, body):
    text = KERNEL.replace("x[threadIdx.x] = 1.0f;", body)
    (found,) = find("#include <vector>\n#include <cuda_runtime.h>\n" + text)
    assert found.words.endswith(f" without #include <{header}>") and found.line == 3
    for right in (f"#include <{header}>\n" + text, "#include <cuda/atomic>\n" + text):
        assert find(right) == []


@pytest.mark.parametrize(
    "own",
    [
        "typedef unsigned int uint32_t;",
        "using uint32_t = unsigned;",
        "#if 1\n#define UINT32_MAX 5\n#endif",
        "__device__ int int_max(int INT32_MAX_of) { return INT32_MAX_of; }  // INT32_MAX",
    ],
)
def test_a_name_that_the_file_declares_needs_no_header(find, own):
    uses = "x[UINT32_MAX] =" if "UINT32_MAX" in own else "x[threadIdx.x] ="
    uses = "x[uint32_t(1)] =" if "uint32_t" in own else uses
    assert find(own + "\n" + KERNEL.replace("x[threadIdx.x] =", uses)) == []


def test_a_missing_brace_is_told_with_the_line_that_opens_it(find):
    found = find(KERNEL.replace("= 1.0f; }", "= 1.0f;"))
    assert found[-1].words == "expected '}' for the '{' of line 1"


def test_a_function_of_the_library_is_not_to_be_annotated(find):
    text = "#include <iostream>\n" + KERNEL.replace("{ x", "{ std::cout << 1; x")
    (found,) = find(text)
    assert (
        found.words == "call to __host__ function of the C++ library from __global__ function"
    )
