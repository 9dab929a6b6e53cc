"""The emulator's headers, compiled once: used by a build, unfit ones passed over."""

import ctypes
import subprocess

import pytest

from helpers import emulator
from helpers.emulator import compile as compiling
from helpers.emulator import front_end, precompiled
from helpers.errors import CompileError, FaultKind

KERNEL = """
#include <cstdint>
__global__ void number(int* out, int64_t n) {
    const int64_t i = blockIdx.x * 32ll + threadIdx.x;
    __syncthreads();
    if (i < n) out[i] = i;
}
extern "C" void fill(int* out, int64_t n, cudaStream_t stream) {
    number<<<(n + 31) / 32, 32, 0, stream>>>(out, n);
}
"""
GOOD = 'extern "C" int answer() { return 42; }\n'


@pytest.fixture(autouse=True)
def needs_gcc():
    if "clang" in compiling._version(compiling.compiler()):
        pytest.skip("clang builds without precompiled headers")


def write(path, text):
    path.write_text(text)
    return path


def test_a_folder_with_the_header_and_its_compiled_form(headers):
    of_clang = 0 if front_end.problem() else 2 * len(front_end.PRELUDES)
    files = sorted(file.name for file in headers.iterdir())
    assert [name for name in files if not name.endswith(".pch")] == [
        "prelude.h",
        "prelude.h.gch",
        "runtime.o",
        "second.h",
        "second.h.gch",
    ]
    assert len(files) == 5 + of_clang
    for header in ("prelude.h", "second.h"):
        assert (headers / header).read_text() == "#include <cuda_runtime.h>\n"


@pytest.mark.parametrize(
    ("header", "flags"),
    [("prelude.h", [precompiled.APART]), ("second.h", compiling.ABREAST_FLAGS)],
)
def test_the_compiler_takes_it_with_the_flags_of_a_build(headers, tmp_path, header, flags):
    """`-H` lists what is read; a precompiled header that was taken begins with "!"."""
    source = write(tmp_path / "k.cpp", GOOD)
    first = ["-include", str(headers / header)]
    command = [*compiling._command(), *flags, f"-I{tmp_path}", *first]
    run = subprocess.run(
        [*command, "-H", "-c", str(source), "-o", str(tmp_path / "k.o")],
        capture_output=True,
        text=True,
        check=True,
    )
    assert f"! {headers / header}.gch" in run.stderr


def test_a_build_with_it_makes_a_library(headers, tmp_path):
    emulator.build(write(tmp_path / "k.cu", GOOD), tmp_path / "k.so", headers)
    assert (tmp_path / "k.so").read_bytes()[:4] == b"\x7fELF"


def test_an_error_names_the_same_line_with_it_and_without(headers, tmp_path):
    source = write(tmp_path / "k.cu", "int a;\nint b = oops;\n")
    messages = []
    for first in (None, headers):
        with pytest.raises(CompileError) as error:
            emulator.build(source, tmp_path / "k.so", first)
        messages.append(str(error.value))
    assert messages[0] == messages[1]
    assert "k.cu:2: 'oops' was not declared" in messages[0]


def test_half_precision_is_not_there_unless_the_kernel_includes_it(headers, tmp_path):
    """As with nvcc: the prelude holds no more than <cuda_runtime.h>."""
    with pytest.raises(CompileError):
        emulator.build(write(tmp_path / "k.cu", "half x;\n"), tmp_path / "k.so", headers)


def a_compiler(folder, fails=""):
    """Write a program that makes an empty file of its last argument, unless it fails before."""
    text = f'#!/bin/sh\nfor last; do :; done\n{fails}\n: >"$last"\n'
    write(folder / "compiler", text).chmod(0o755)
    return [str(folder / "compiler")]


@pytest.mark.parametrize(
    ("fails", "made"),
    [
        ("", ["prelude.h", "prelude.h.gch", "runtime.o"]),
        ('case "$last" in *.gch) exit 1;; esac', ["prelude.h", "runtime.o"]),
        # The header alone is compiled for kernels without the code in it.
        ('case "$last" in *.o) exit 1;; esac', ["prelude.h"]),
        ("exit 1", ["prelude.h"]),
    ],
)
def test_what_the_compiler_cannot_make_is_passed_over(tmp_path, fails, made):
    folder = tmp_path / "cache" / "headers-2"
    precompiled.precompile(a_compiler(tmp_path, fails), folder)
    assert sorted(file.name for file in folder.iterdir()) == made
    assert [other.name for other in folder.parent.iterdir()] == ["headers-2"]
    assert folder.stat().st_mode & 0o777 == 0o755


@pytest.mark.sample(2)
@pytest.mark.parametrize("share", [True, False])
def test_a_library_has_the_emulators_code_once(headers, tmp_path, share):
    """Without anything compiled before, the header is read as text."""
    source = write(tmp_path / "k.cu", KERNEL)
    if not share:
        headers = tmp_path / "headers-2"
        precompiled.precompile(["false"], headers)
    emulator.build(source, tmp_path / "k.so", headers)
    library = emulator.Library(tmp_path / "k.so")
    out = (ctypes.c_int * 64)()
    library.dll.fill(out, ctypes.c_int64(64), None)
    assert library.take_fault() is None and list(out) == list(range(64))
    library.dll.fill(None, ctypes.c_int64(64), None)
    assert library.take_fault().kind is FaultKind.OUT_OF_BOUNDS


def test_clang_shares_the_code_and_reads_the_header_as_text(monkeypatch, tmp_path):
    monkeypatch.setattr(compiling, "_is_clang", lambda: True)
    monkeypatch.setattr(compiling, "_command", lambda: a_compiler(tmp_path))
    folder = emulator.precompile_headers(tmp_path / "headers-3", also=lambda folder: None)
    assert sorted(file.name for file in folder.iterdir()) == ["prelude.h", "runtime.o"]


@pytest.mark.parametrize(
    ("header", "flags"),
    [("prelude.h", [precompiled.APART]), ("second.h", compiling.ABREAST_FLAGS)],
)
def test_a_file_without_code_makes_few_functions_of_templates(headers, tmp_path, header, flags):
    """What inline functions of the headers use of std::map is made in each file."""
    source, made = write(tmp_path / "k.cpp", ""), tmp_path / "made"
    command = [*compiling._command(), *flags, "-include", str(headers / header), "-c"]
    command += [f"-fdump-tree-original={made}", "-o", str(tmp_path / "k.o"), str(source)]
    subprocess.run(command, check=True)
    assert 0 < made.read_text().count(";; Function ") < 250


def test_special_functions_of_cmath_where_a_file_names_one(headers, tmp_path):
    text = """
#include <cmath>
using namespace std;
__global__ void put(double* out, double value) { *out = value; }
extern "C" void fill(double* out, cudaStream_t stream) {
    const double sum = std::beta(2.0, 3.0) + riemann_zeta(2.0) + std::hermite(2, 1.0);
    put<<<1, 1, 0, stream>>>(out, sum);
}
"""
    emulator.build(write(tmp_path / "k.cu", text), tmp_path / "k.so", headers)
    library = ctypes.CDLL(str(tmp_path / "k.so"))
    out = (ctypes.c_double * 1)()
    library.fill(out, None)
    assert out[0] == pytest.approx(1 / 12 + 1.6449340668482264 + 2, rel=1e-12)
