"""nvcc: what PyTorch's builder is asked for, and with a real nvcc what comes of it."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import torch
from torch.utils import cpp_extension

from helpers.errors import BuildError, CompileError
from helpers.run import build, jit, machine, nvcc
from helpers.run.toolchain import Nvcc, find_nvcc
from helpers.sources import read_sources
from tests.run.conftest import write

HOME = Path("/some/toolkit")
FILLER = 'extern "C" void k(const float* a, float* out, long n, cudaStream_t s) {}\n'


class Builder:
    """In the place of PyTorch's `load`: notes what it is asked for, and builds or fails."""

    def __init__(self, monkeypatch):
        self.asked, self.error, self.name = [], None, "kernel_v3.so"
        monkeypatch.setattr(nvcc, "find_nvcc", lambda: Nvcc(HOME, "13.0", "PATH"))
        monkeypatch.setattr(cpp_extension, "load", self.load)
        monkeypatch.setattr(cpp_extension, "is_ninja_available", lambda: True)
        monkeypatch.setattr(cpp_extension, "CUDA_HOME", "/as/it/was")

    def load(self, **asked):
        folder = Path(asked["build_directory"])
        text = Path(asked["sources"][0]).read_text()
        self.asked.append(asked | {"home": cpp_extension.CUDA_HOME, "text": text})
        if self.error:
            raise self.error
        (folder / self.name).write_bytes(b"library")


@pytest.fixture
def builder(monkeypatch):
    return Builder(monkeypatch)


def test_the_flags_name_one_architecture():
    assert nvcc.flags("9.0")[-1] == "-gencode=arch=compute_90,code=sm_90"
    assert nvcc.flags("12.0")[-1] == "-gencode=arch=compute_120,code=sm_120"
    assert nvcc.flags("9.0")[:-1] == nvcc.CUDA_FLAGS
    assert {"-O3", "-lineinfo", "-std=c++17"} <= set(nvcc.CUDA_FLAGS)
    assert not any("fast" in flag for flag in nvcc.CUDA_FLAGS)


def test_pytorch_takes_the_architecture_from_the_flags(monkeypatch):
    """So that TORCH_CUDA_ARCH_LIST need not be set, nor obeyed. PyTorch 2.8 gives no flags."""
    monkeypatch.setenv("TORCH_CUDA_ARCH_LIST", "8.0")
    before = cpp_extension._get_cuda_arch_flags
    with nvcc.builder() as extension:
        assert extension._get_cuda_arch_flags(list(nvcc.flags("9.0"))) == []
        assert extension._get_cuda_arch_flags() == []
    assert cpp_extension._get_cuda_arch_flags is before


def test_what_pytorch_is_asked_for(tmp_path, builder):
    before = dict(os.environ)
    nvcc.compile_library(write(tmp_path / "ein Köpf's.cu"), tmp_path / "k.so", "9.0")
    (asked,) = builder.asked
    assert asked["text"] == f'#include "{tmp_path}/ein Köpf\'s.cu"\n'
    assert asked["extra_cuda_cflags"] == list(nvcc.flags("9.0"))
    assert (
        asked["extra_ldflags"] == ["-Wl,--as-needed", "-lstdc++"]
        and not asked["is_python_module"]
    )
    assert asked["build_directory"] == str(tmp_path)
    assert (tmp_path / "k.so").read_bytes() == b"library"
    assert asked["home"] == str(HOME) and cpp_extension.CUDA_HOME == "/as/it/was"
    assert dict(os.environ) == before


@pytest.mark.parametrize(
    ("declaration", "is_barrier"),
    [
        ("__shared__ cuda::barrier<cuda::thread_scope_block> b;", True),
        ("__shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> s;", True),
        ("__shared__ Started t;", False),
        ("__shared__ float t[32]; barrier<int> b;", False),
    ],
)
def test_nvccs_word_on_a_shared_barriers_constructor(
    tmp_path, builder, declaration, is_barrier
):
    path = tmp_path / "k.cu"
    path.write_text(f'#include "k.cuh"\n{FILLER}')
    (tmp_path / "k.cuh").write_text(f"__global__ void g() {{ {declaration} }}\n")
    nvcc.compile_library(path, tmp_path / "k.so", "9.0")
    pragma = "#pragma nv_diag_suppress 20054\n" if is_barrier else ""
    assert builder.asked[0]["text"] == f'{pragma}#include "{path}"\n'


def test_a_folder_that_a_shell_would_expand_is_not_built_in(tmp_path, builder):
    folder = tmp_path / "a $(b)"
    folder.mkdir()
    nvcc.compile_library(write(tmp_path / "k.cu"), folder / "k.so", "9.0")
    assert "$" not in builder.asked[0]["build_directory"]
    assert not Path(builder.asked[0]["build_directory"]).exists()
    assert [path.name for path in folder.iterdir()] == ["k.so"]


def test_the_compilers_errors(tmp_path, builder):
    log = f"Error building extension 'kernel': {tmp_path}/k.cu(4): error: oops\n  code\n"
    builder.error = RuntimeError(log)
    with pytest.raises(CompileError) as raised:
        nvcc.compile_library(write(tmp_path / "k.cu"), tmp_path / "k.so", "9.0")
    assert raised.value.log == log
    assert str(raised.value) == "k.cu does not compile:\n    k.cu:4: error: oops\n        code"
    assert cpp_extension.CUDA_HOME == "/as/it/was"


def test_no_ninja(tmp_path, builder, monkeypatch):
    monkeypatch.setattr(cpp_extension, "is_ninja_available", lambda: False)
    with pytest.raises(
        BuildError, match=r"with ninja, which is missing: `\S+ -m pip install ninja`"
    ):
        nvcc.compile_library(write(tmp_path / "k.cu"), tmp_path / "k.so", "9.0")
    assert not builder.asked


@pytest.mark.parametrize("name", ['a"b.cu', "a\\b.cu", "a\nb.cu"])
def test_names_that_cannot_be_included(tmp_path, builder, name):
    with pytest.raises(BuildError, match="rename it, without quotation marks and backslashes"):
        nvcc.compile_library(tmp_path / name, tmp_path / "k.so", "9.0")
    assert not builder.asked


CLASSIC = """#include <torch/extension.h>
void f(torch::Tensor a) { a.data_ptr<float>(); }
PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) { m.def("f", &f); }
"""


def test_a_file_with_pytorchs_headers_takes_the_stand_in_first(tmp_path, builder):
    path = tmp_path / "k.cu"
    path.write_text(CLASSIC)
    nvcc.compile_library(path, tmp_path / "k.so", "9.0")
    (asked,) = builder.asked
    assert asked["extra_include_paths"] == [str(nvcc.PYTORCH)]
    assert (nvcc.PYTORCH / "torch" / "extension.h").is_file()


@pytest.mark.parametrize(
    ("words", "times"),
    [
        ('error: class "at::Tensor" has no member "sin"', 2),
        ('error: namespace "torch" has no member "relu"', 2),
        ("fatal error: cannot open source file ATen/x.h", 2),
        ('error: expected a ";"', 1),
    ],
)
def test_the_real_headers_are_taken_where_the_stand_in_lacks_a_name(
    tmp_path, builder, words, times
):
    path = tmp_path / "k.cu"
    path.write_text(CLASSIC)
    builder.error = RuntimeError(f"{tmp_path}/k.cu(4): {words}")
    with pytest.raises(CompileError):
        nvcc.compile_library(path, tmp_path / "k.so", "9.0")
    assert len(builder.asked) == times
    if times == 2:
        assert "extra_include_paths" not in builder.asked[1]
        assert builder.asked[1]["extra_ldflags"][1] == (
            f"-Wl,-rpath,{cpp_extension.TORCH_LIB_PATH}"
        )


# ---- with nvcc, as far as a machine without a GPU can go -----------------------------------


@pytest.fixture
def h200(monkeypatch):
    """Compile with nvcc, but link with the CUDA runtime alone, and do not load."""
    found = find_nvcc()
    folders = [found.home / name for name in ("lib64", "lib")] if found else []
    runtimes = [path for folder in folders for path in folder.glob("libcudart.so*")]
    if machine.present().is_gpu or not runtimes or not shutil.which("ninja"):
        pytest.skip("needs an nvcc with its runtime, ninja, and no GPU")
    linked = [f"-L{runtimes[0].parent}", f"-l:{runtimes[0].name}"]
    monkeypatch.setattr(
        cpp_extension, "_prepare_ldflags", lambda flags, *rest: [*flags, *linked]
    )
    monkeypatch.setattr(cpp_extension, "_import_module_from_library", lambda *rest: None)
    return machine.Machine(
        "gpu", "a GPU", "for a test", torch.__version__, cc="9.0", nvcc=found.version
    )


def test_odd_names_with_a_real_nvcc(tmp_path, monkeypatch, h200):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("ELEMENTWISE_CACHE", str(tmp_path / "Ü $(touch pwned)"))
    monkeypatch.setenv("TORCH_CUDA_ARCH_LIST", "no such architecture")
    path = write(tmp_path / "ein Köpf's $(touch pwned).cu")
    built = build.build(path, read_sources(path), h200)
    assert not built.cached and built.library.read_bytes()[:4] == b"\x7fELF"
    assert b"sm_90" in built.library.read_bytes()
    assert build.build(path, read_sources(path), h200).cached
    write(path, "oops")
    words = r"ein Köpf's .*cu:4: error: .*\"oops\" is undefined"
    with pytest.raises(CompileError, match=words):
        build.build(path, read_sources(path), h200)
    assert not list(tmp_path.rglob("pwned"))


@pytest.mark.gpu
def test_a_process_without_pytorch_can_load_the_library(tmp_path, monkeypatch):
    monkeypatch.setenv("ELEMENTWISE_CACHE", str(tmp_path / "cache"))
    library = jit.load(write(tmp_path / "k.cu")).library
    runtime = next(
        line.split()[-1]
        for line in Path("/proc/self/maps").read_text().splitlines()
        if "libcudart" in line
    )
    code = (
        f"import ctypes, sys; ctypes.CDLL({str(library)!r}); "
        "maps = open('/proc/self/maps').read(); "
        "sys.exit('libtorch' in maps or 'libc10' in maps)"
    )
    environment = {**os.environ, "LD_LIBRARY_PATH": str(Path(runtime).parent)}
    assert subprocess.run([sys.executable, "-c", code], env=environment).returncode == 0


def test_all_flags():
    """The refused warnings are nvcc's numbers; the others undo what PyTorch's builder sets."""
    half = ("HALF_OPERATORS", "HALF_CONVERSIONS", "HALF2_OPERATORS")
    bfloat16 = ("BFLOAT16_CONVERSIONS", "BFLOAT16_OPERATORS", "BFLOAT162_OPERATORS")
    assert nvcc.CUDA_FLAGS == (
        *("-O3", "-std=c++17", "-lineinfo", "-Xcompiler=-fno-gnu-unique"),
        "--diag-error=546,549,940,20054,20091,20092",
        *(f"-U__CUDA_NO_{name}__" for name in (*half, *bfloat16)),
    )
    assert nvcc.BUILDER_FLAGS == ("--expt-relaxed-constexpr",)
    assert nvcc.LINK_FLAGS == ("-Wl,--as-needed", "-lstdc++")
